"""The README's picture: a game that walks into the trap of the Ising player, as an animated SVG.

    python -m ttt_lib.people.play.trap

Every label is exact: what the move leads to against this opponent if you go on at your best.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence

from ttt_lib.evidence import store
from ttt_lib.evidence.command import Parser, run_command
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.people.play import insight
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text as texts
from ttt_lib.people.play.session import Session

OPPONENT = "ising"
PLACE = "notebooks/book/_static/trap.svg"
CELL, LEFT, TOP = 74, 20, 20
WIDTH, HEIGHT = 720, 2 * TOP + 3 * CELL
SECONDS = 3.0
"""How long a position is shown."""

COLOURS = {"win": "#008460", "draw": "#5b6673", "loss": "#b34700"}
"""Of words, hence dark enough to be read on white."""


def game() -> list[Session]:
    """The positions at which it is your move, and the end, if you always follow the hint."""
    session, shown = person.start(person.opponent(OPPONENT, "3x3")), list[Session]()
    while not session.finished:
        if session.yours:
            shown.append(session)
            session = person.play(session, insight.hint(session).move)
        else:
            session = person.answer(session, rng=0)
    return [*shown, session]


def marks(session: Session) -> insight.Marks:
    """The exact chance of each move against this opponent."""
    known = insight.against(session)
    assert known is not None
    return insight.trap_marks(session, known)


def words(session: Session) -> list[str]:
    """What is said beside a position."""
    if session.finished:
        return [texts.ending(session), "Against perfect play", "it would be a draw."]
    moves = marks(session)
    winning = sum(moves.labels[move] == "win" for move in session.legal)
    verb = "wins" if winning == 1 else "win"
    return ["X is you, and to move.", f"{winning} of {len(session.legal)} moves {verb}."]


def frame(session: Session, chosen: int | None, number: int, of: int) -> Iterator[str]:
    """The marks of one position: stones, labels, words, and when they are seen."""
    names = f'"0;{number / of:.4f};{(number + 1) / of:.4f};1"'
    values = {0: '"visible;visible;hidden;hidden"'}.get(number, '"hidden;visible;hidden;hidden"')
    if number == of - 1:
        names, values = f'"0;{number / of:.4f};1"', '"hidden;visible;visible"'
    seen = "visible" if number == 0 else "hidden"
    yield f'<g visibility="{seen}"><animate attributeName="visibility" calcMode="discrete" '
    yield f'dur="{SECONDS * of:g}s" repeatCount="indefinite" keyTimes={names} values={values}/>'
    moves = marks(session) if not session.finished else None
    for cell, stone in enumerate(person.scene(session).stones):
        x, y = LEFT + CELL * (cell % 3) + CELL / 2, TOP + CELL * (cell // 3) + CELL / 2
        if stone:
            yield _stone(x, y, stone)
        elif moves is not None:
            bold = ' font-weight="700"' if cell == chosen else ""
            colour = COLOURS[moves.labels[cell]]
            yield f'<text x="{x:g}" y="{y + 6:g}" fill="{colour}"{bold}>{moves.labels[cell]}</text>'
    for k, line in enumerate(words(session)):
        y = TOP + 70 + 34 * k
        yield f'<text class="told" x="{LEFT + 3 * CELL + 40}" y="{y}">{line}</text>'
    yield "</g>"


def _stone(x: float, y: float, stone: int) -> str:
    r = CELL * 0.27
    if stone < 0:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" stroke="{O_COLOUR}"/>'
    cross = f"M{x - r:g} {y - r:g}L{x + r:g} {y + r:g}M{x + r:g} {y - r:g}L{x - r:g} {y + r:g}"
    return f'<path d="{cross}" stroke="{X_COLOUR}"/>'


def svg() -> str:
    """The picture; without animation its first position is seen."""
    positions = game()
    played = [after.moves[len(s.moves)] for s, after in itertools.pairwise(positions)]
    chosen: list[int | None] = [*played, None]
    side = LEFT + 3 * CELL + 40
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'width="{WIDTH}" height="{HEIGHT}">'
        ),
        f"<title>Find the trap: you against {OPPONENT}, with the exact result of each move</title>",
        (
            "<style>text{font:17px sans-serif;text-anchor:middle}.told{font-size:22px;"
            "text-anchor:start;fill:#1d2733}path,circle{fill:none;stroke-width:9;"
            "stroke-linecap:round}</style>"
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#fff"/>',
        (
            f'<text class="told" x="{side}" y="{TOP + 24}" font-weight="700">'
            "You against document 4’s player</text>"
        ),
        *_grid(),
    ]
    for number, (session, move) in enumerate(zip(positions, chosen, strict=True)):
        lines += frame(session, move, number, len(positions))
    return "\n".join([*lines, "</svg>", ""])


def _grid() -> Iterator[str]:
    for k in range(4):
        far, at = 3 * CELL, k * CELL
        for d in (f"M{LEFT} {TOP + at}h{far}", f"M{LEFT + at} {TOP}v{far}"):
            yield f'<path d="{d}" style="stroke:#8a95a3;stroke-width:1.5"/>'


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the picture of the checkout; returns the exit status."""
    parser = Parser(prog="python -m ttt_lib.people.play.trap", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return run_command(parser, lambda _: draw(), arguments)


def draw() -> None:
    """Write the picture to its place."""
    store.write_atomic(store.checkout("to draw the picture") / PLACE, svg())


if __name__ == "__main__":
    sys.exit(main())

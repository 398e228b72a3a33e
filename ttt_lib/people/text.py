"""What the board of ``play.ipynb`` says, as text and HTML; nothing here knows a widget."""

from __future__ import annotations

from fractions import Fraction
from html import escape

from ttt_lib.game.board import Grid
from ttt_lib.game.exact import Outcome
from ttt_lib.game.gametree import MAX_FULL_CELLS
from ttt_lib.people import session as person
from ttt_lib.people.insight import SOLVER_CELLS, View
from ttt_lib.people.session import Session

KEY = (
    "<p><b>Keys:</b> Tab reaches the board, arrow keys move on it, Enter plays the cell; "
    "or type its number above.</p>"
    "<p><b>On the cells:</b> the greener, the better; a bar below marks what is chosen. "
    "A thick frame is the last move, a dashed one a hint.</p>"
)


def failure(error: Exception) -> str:
    """One line for a person: what was wrong with the request, or that something broke."""
    text = " ".join(str(error).split())
    return text if isinstance(error, ValueError) else f"this failed: {text or type(error).__name__}"


def turn(session: Session) -> str:
    """Where the person may move."""
    boards = person.target_boards(session)
    where = f", in sub-board {boards[0]}" if len(boards) == 1 else ""
    anywhere = ", in any open sub-board" if len(boards) > 1 else ""
    return f"Your move{where}{anywhere}: you are {person.NAMES[session.side]}."


def cell_text(cell: int, stone: int, label: str) -> str:
    """What stands on a cell: its stone, or its number with a label below."""
    return person.NAMES[stone] if stone else f"{cell}\n{label}".strip()


def cell_names(session: Session) -> list[str]:
    """The name of every cell for people who don't see it."""
    stones, legal = person.stones(session), set(session.legal)
    names = [""] * session.game.moves
    for block in person.blocks(session.game):
        for cell in block.cells:
            where = f", {block.name}" if block.name else ""
            empty = "empty" if cell in legal else "not open"
            names[cell] = f"cell {cell}{where}: {person.NAMES.get(stones[cell], empty)}"
    return names


def block_classes(session: Session) -> list[list[str]]:
    """What the frame of every block shows: where one must move, and who owns it."""
    owners, target = person.owners(session), person.target_boards(session)
    if not owners:
        return [[] for _ in person.blocks(session.game)]
    stones, lit = person.stones(session), person.winning_cells(session)
    found = []
    for place, block in enumerate(person.blocks(session.game)):
        full = owners[place] == 0 and all(stones[cell] for cell in block.cells)
        classes = {1: ["ttt-won-x"], -1: ["ttt-won-o"]}.get(owners[place], ["ttt-full"] * full)
        classes = classes + ["ttt-target"] * (place in target)
        found.append(classes + ["ttt-on-line"] * (block.cells[0] in lit))
    return found


# ---------------------------------------------------------------------------- the exact truth


def truth(session: Session, view: View) -> str:
    """The exact chances as a table, or why there are none."""
    if session.finished:
        return ""
    name = escape(session.agent.name)
    if view.exact is None:
        return f"<p><b>Exact results</b> {_unknown(session)}</p>"
    sure = view.exact.result * (1 if session.yours else -1)
    rows = [_row("both play perfectly", _certain(sure))]
    if view.chances:
        rows.append(_row(f"you at your best against {name}", view.chances.best))
        rows.append(_row(f"you by chance against {name}", view.chances.random))
    head = "".join(f'<th scope="col">{word}</th>' for word in ("", "win", "draw", "loss"))
    table = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f"<table><caption>Exactly, from your side</caption>{table}</table>" + _stated(
        session, view
    )


def _stated(session: Session, view: View) -> str:
    whose = "You have" if session.yours else "It has"
    assert view.exact is not None
    words = f"<p>{whose} {view.exact.sentence} under perfect play.</p>"
    if view.chances is None and isinstance(session.game, Grid):
        words += f"<p>{escape(session.agent.name)} can't state its chances of each move.</p>"
    return words


def _unknown(session: Session) -> str:
    if isinstance(session.game, Grid):
        return f"come once at most {MAX_FULL_CELLS} cells are empty."
    return f"come once the solver can see the end, at about {SOLVER_CELLS} open cells."


def _certain(result: int) -> Outcome:
    win, draw, loss = (Fraction(int(result == wanted)) for wanted in (1, 0, -1))
    return Outcome(win, draw, loss)


def _row(name: str, outcome: Outcome) -> str:
    shares = zip(("win", "draw", "loss"), outcome, strict=True)
    bar = "".join(
        f'<span class="{word}" style="width:{float(share):.4%}"></span>' for word, share in shares
    )
    cells = "".join(f"<td>{share}{_decimal(share)}</td>" for share in outcome)
    return (
        f'<tr><th scope="row">{name}<div class="bar" aria-hidden="true">{bar}</div></th>'
        f"{cells}</tr>"
    )


def _decimal(share: Fraction) -> str:
    return "" if share.denominator == 1 else f"<small>{float(share):.3f}</small>"

"""What the board of ``play.ipynb`` says, as text and HTML; nothing here knows a widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape

from ttt_lib import catalog
from ttt_lib.evidence.documents import of_player
from ttt_lib.game.exact import Outcome
from ttt_lib.game.scene import blocks
from ttt_lib.people.play import session as person
from ttt_lib.people.play.insight import Made, View
from ttt_lib.people.play.session import Session

KEY = (
    "<p><b>Keys:</b> Tab reaches the board, arrow keys move on it, Enter plays the cell; "
    "or type its number. N begins a new game, U takes back a move, H gives a hint. "
    "After a game the arrows left and right replay it (outside the board).</p>"
    "<p><b>On the cells:</b> the greener, the better for you; a bar below marks the best. "
    "Orange is the opponent's view of its own last move, not advice for you. "
    "A thick frame is the last move, a dashed one a hint.</p>"
)


RULES = (
    "<p><b>Ultimate in two lines:</b> the cell you choose sends your opponent to the sub-board in "
    "the same place (anywhere open, if that one is decided). A line of three wins a sub-board; "
    "three sub-boards in a line win the game.</p>"
)


def named(session: Session) -> str:
    """The opponent at the beginning of a sentence."""
    who = person.title(session.agent)
    return capital(who) if who.startswith("the ") else who


def capital(words: str) -> str:
    """Words with a capital first letter."""
    return words[:1].upper() + words[1:]


def about(session: Session) -> str:
    """Who the opponent is, in which notebook it is examined, and on Ultimate the rules."""
    name, board = session.agent.name, session.game.name
    known = person.introduced(name, board)
    level = f" Difficulty: {known.level}." if known.level else ""
    title = capital(known.title) if known.level else known.title
    words = f"<p><b>{escape(title)}</b>: {escape(capital(known.about.rstrip('.')))}.{level}"
    examined = "" if known.level == person.UNMEASURED else _notebook(name)
    words += f"{examined} In the library: <code>{escape(name)}</code></p>"
    return words + (RULES if board == "ultimate" else "")


def _notebook(name: str) -> str:
    """Which notebook examines the document whose idea an agent is; empty if none does."""
    one = of_player(name)
    return f" Notebook {one.notebook.partition('_')[0]} examines it." if one else ""


def sent(session: Session) -> str:
    """A link that carries the position."""
    address = escape(person.link(session))
    return f'<a class="ttt-link" href="?{address}">Link to this position</a>'


def ending(session: Session) -> str:
    """The result of a game in words; empty while it goes on."""
    if not session.finished:
        return ""
    return {1: "You win.", 0: "A draw.", -1: f"{named(session)} wins."}[session.result]


def failure(error: Exception) -> str:
    """One line for a person: what was wrong with the request, or that something broke."""
    text = " ".join(str(error).split())
    return text if isinstance(error, ValueError) else f"this failed: {text or type(error).__name__}"


def turn(session: Session) -> str:
    """Where the person may move."""
    boards = person.scene(session).targets
    where = f", in sub-board {boards[0]}" if len(boards) == 1 else ""
    anywhere = ", in any open sub-board" if len(boards) > 1 else ""
    return f"Your move{where}{anywhere}: you are {person.NAMES[session.side]}."


def describe(session: Session, view: View) -> str:
    """How sure the agent was of the move it made last."""
    if view.sure is None:
        return ""
    last = session.moves[-1]
    if view.sure == 1:
        return f" It played {last}, as it always does there."
    return f" It played {last}, which it does with probability {view.sure}."


def score(games: Mapping[int, int]) -> str:
    """The games so far, by their results from the person's side."""
    return f"So far: {games[1]} won, {games[0]} drawn, {games[-1]} lost."


def review(made: Sequence[Made]) -> str:
    """A person's moves as a table, with what each cost and where the game turned."""
    if not made:
        return ""
    worst = max(made, key=lambda one: one.cost)
    rows = "".join(
        f'<tr><th scope="row"><button type="button" class="ttt-ply" data-ply="{one.ply + 1}">'
        f"{one.ply + 1}: cell {one.move}</button></th><td>{one.before.win}</td>"
        f"<td>{one.after.win}</td><td>{one.cost or 'nothing'}"
        f"{' (the turning point)' if one is worst and one.cost else ''}</td></tr>"
        for one in made
    )
    head = "".join(
        f'<th scope="col">{word}</th>' for word in ("your move", "win before", "after", "cost")
    )
    return (
        "<table><caption>What each move cost, in points, compared with best play against this "
        "opponent; press a move to see it</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def replayed(session: Session, ply: int | None, made: Sequence[Made]) -> str:
    """What happened at one move of a finished game, 0 for its beginning; empty for None."""
    if ply is None:
        return ""
    if ply == 0:
        return f"The beginning; {len(session.moves)} moves follow."
    cost = {one.ply + 1: one.cost for one in made}.get(ply)
    told = "" if cost is None else f"; it cost {cost or 'nothing'}"
    side = person.NAMES[1 if ply % 2 else -1]
    return f"Move {ply} of {len(session.moves)}: {side} played cell {session.moves[ply - 1]}{told}."


def cell_text(cell: int, stone: int, label: str) -> str:
    """What stands on a cell: its stone, or its number with a label below.

    The space before the break is not seen; a screen reader needs it between the two.
    """
    return person.NAMES[stone] if stone else f"{cell} \n{label}".strip()


def cell_names(session: Session, labels: Sequence[str] = ()) -> list[str]:
    """The name of every cell for people who don't see it.

    A label follows the number as on the cell: with voice control, people say what they see.
    """
    stones, legal = person.scene(session).stones, set(session.legal)
    names = [""] * session.game.moves
    for block in blocks(session.game):
        for cell in block.cells:
            where = f", {block.name}" if block.name else ""
            empty = "empty" if cell in legal else "not open"
            label = f", {labels[cell]}" if labels and labels[cell] else ""
            names[cell] = f"cell {cell}{label}{where}: {person.NAMES.get(stones[cell], empty)}"
    return names


def block_classes(session: Session) -> list[list[str]]:
    """What the frame of every block shows: where one must move, and who owns it."""
    seen = person.scene(session)
    if not seen.owners:
        return [[] for _ in blocks(session.game)]
    found = []
    for place, block in enumerate(blocks(session.game)):
        owner = seen.owners[place]
        full = owner == 0 and all(seen.stones[cell] for cell in block.cells)
        classes = {1: ["ttt-won-x"], -1: ["ttt-won-o"]}.get(owner, ["ttt-full"] * full)
        classes = classes + ["ttt-target"] * (place in seen.targets)
        found.append(classes + ["ttt-on-line"] * (block.cells[0] in seen.line))
    return found


# ---------------------------------------------------------------------------- the exact truth


def truth(session: Session, view: View) -> str:
    """The exact chances as a table, or why there are none."""
    if session.finished:
        return review(view.review)
    name = escape(person.title(session.agent))
    if view.exact is None:
        return f"{_drawn(view)}<p><b>Exact results</b> {_unknown(session)}</p>"
    sure = view.exact.result * (1 if session.yours else -1)
    certain = Outcome(*(Fraction(int(sure == result)) for result in (1, 0, -1)))
    rows = [_row("both play perfectly", certain)]
    if view.against:
        rows.append(_row(f"you at your best against {name}", view.against.outcome(0)))
        rows.append(_row(f"you moving at random against {name}", view.against.random))
    head = "".join(f'<th scope="col">{word}</th>' for word in ("", "win", "draw", "loss"))
    table = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    table = f"<table><caption>Exactly, from your side</caption>{table}</table>"
    return table + _stated(session, view) + _drawn(view)


PROOFS = {
    "sure": "its result is proven, and no other move looks better to the search",
    "no": "proven lost, or no better than another move",
}
"""What the labels mean that stand for a proof of tree search, instead of its score."""


def _drawn(view: View) -> str:
    """What the labels on the cells are."""
    if view.marks is None:
        return ""
    proofs = [f"<b>{label}</b>: {PROOFS[label]}" for label in PROOFS if label in view.marks.labels]
    about = f"{escape(view.marks.about)}{''.join(f'; {proof}' for proof in proofs)}"
    return f"<p><b>On the cells:</b> {about}.</p>"


def _stated(session: Session, view: View) -> str:
    whose = "You have" if session.yours else "It has"
    assert view.exact is not None
    name = escape(named(session))
    words = f"<p>{whose} {view.exact.sentence} under perfect play.</p>"
    oracle = catalog.oracle(session.game)
    if view.against is None and oracle and oracle.tree:
        words += f"<p>{name} can't state its chances of each move.</p>"
    return words


def _unknown(session: Session) -> str:
    oracle = catalog.oracle(session.game)
    return f"come {oracle.when}." if oracle else "are not known for this game."


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

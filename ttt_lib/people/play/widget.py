"""The board of ``notebooks/play.ipynb``: ipywidgets that show a session, and nothing of the rules.

Whatever may take long (an agent's answer, building it, exact results) runs in a
thread, so the board stays responsive; an answer that is no longer wanted is dropped.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from concurrent.futures import Executor
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import ipywidgets as widgets
import numpy as np

from ttt_lib.game.scene import blocks
from ttt_lib.people import theme
from ttt_lib.people.play import insight
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text as texts
from ttt_lib.people.play.insight import Hint, View
from ttt_lib.people.play.session import Link, Session

T = TypeVar("T")

FOLDER = Path(__file__).parent

DRAWN = {
    "your exact chance, where it is known": "trap",
    "what it thought before its last move": "thought",
    "what it would think in your place": "advice",
    "the exact results": "exact",
    "nothing": "nothing",
}
"""What may be drawn on the cells."""

OTHER = "another, by its name"


class Table:
    """A board to play on, with everything around it.

    Parameters
    ----------
    link : str, optional
        The position to begin with, as :func:`~ttt_lib.people.play.session.link` writes it; by
        default what the page's address says after its question mark.
    rng : Generator or int, optional
        Random numbers of the agents, or their seed.
    executor : Executor, optional
        Where agents think; threads of the event loop by default.

    Attributes
    ----------
    view : Widget
        To be displayed; :meth:`show` does so.
    session : Session or None
        The game, None until the first agent is ready.
    """

    def __init__(
        self,
        link: str | None = None,
        *,
        rng: np.random.Generator | int | None = None,
        executor: Executor | None = None,
    ) -> None:
        self._rng, self._executor = np.random.default_rng(rng), executor
        self._tasks: set[asyncio.Task[None]] = set()
        self.session: Session | None = None
        self._asked: object = None  # the game being prepared
        self._games = 0
        self._ply: int | None = None  # of a finished game that is replayed
        self._score, self._scored = {1: 0, 0: 0, -1: 0}, 0  # results, and the last game counted
        self._hinting = False
        self._hint: Hint | None = None
        self._view, self._wrong = View(), ""
        self._cells: list[widgets.Button] = []
        self._blocks: list[widgets.Box] = []
        self._unread = ""  # why a link can't be opened
        try:
            asked = person.read_link(os.environ.get("QUERY_STRING", "") if link is None else link)
        except ValueError as error:
            asked, self._unread = person.read_link(""), str(error)
        self._build(asked)
        self._prepare(asked.moves)

    def show(self) -> None:
        """Display the board, with the script that adds keys."""
        from IPython.display import Javascript, display

        kernel = f"window.tttKernel = {json.dumps(_kernel())};\n"
        script = Javascript(kernel + (FOLDER / "play.js").read_text(encoding="utf-8"))  # type: ignore[no-untyped-call]
        display(self.view, script)  # type: ignore[no-untyped-call]

    # ------------------------------------------------------------------------ the widgets

    def _build(self, asked: Link) -> None:
        known = asked.name in person.on_offer(asked.board)
        self._size = widgets.Dropdown(options=person.BOARDS, value=asked.board, description="Board")
        self._name = widgets.Dropdown(
            options=_choices(asked.board),
            value=asked.name if known else OTHER,
            description="Opponent",
        )
        self._other = widgets.Text(
            value="" if known else asked.name,
            placeholder="e.g. ising:b=1 (Enter)",
            description="Name",
            continuous_update=False,
        )
        self._side = widgets.Dropdown(
            options={"X, I begin": 1, "O, it begins": -1}, value=asked.side, description="You play"
        )
        self._wish = widgets.Dropdown(options=DRAWN, description="On the cells")
        choices = _box("ttt-choices", self._size, self._name, self._side, self._wish, self._other)
        self._other.add_class("ttt-other")
        self._other.layout.display = "none" if known else None
        self._about, self._status = _html("ttt-about"), _html("ttt-status")
        self._board = _box("ttt-board")
        self._truth, key, self._sent = _html("ttt-truth"), _html("ttt-key"), _html("ttt-sent")
        key.value = texts.KEY
        side = _box("ttt-side", *self._controls(), self._truth, self._sent, key)
        side.layout.flex_flow = "column"
        main = _box("ttt-main", self._board, side)
        self.view = widgets.VBox([widgets.HTML(_style()), choices, self._about, self._status, main])
        self.view.add_class("ttt")
        self._size.observe(self._new_size, "value")
        self._name.observe(self._new_name, "value")
        self._other.observe(self._new_other, "value")
        self._side.observe(self._new_game, "value")
        self._wish.observe(self._new_wish, "value")

    def _controls(self) -> list[widgets.Widget]:
        new = widgets.Button(description="New game", button_style="primary")
        undo = widgets.Button(description="Undo", tooltip="take back your last move")
        hint = widgets.Button(description="Hint", tooltip="show a good move")
        for button, key in ((new, "n"), (undo, "u"), (hint, "h")):
            button.add_class(f"ttt-key-{key}")
        new.on_click(self._new_game)
        undo.on_click(self._undo)
        hint.on_click(self._ask_hint)
        self._typed = widgets.Text(placeholder="number, Enter", description="Play cell")
        self._typed.continuous_update = False
        self._typed.observe(self._type, "value")
        self._typed.add_class("ttt-go")
        back = widgets.Button(description="Back", tooltip="show the position one move earlier")
        forward = widgets.Button(description="Forward", tooltip="show the next position")
        for button, key, step in ((back, "arrowleft", -1), (forward, "arrowright", 1)):
            button.add_class(f"ttt-key-{key}")
            button.on_click(lambda _, step=step: self._step(step))
        # The rows of the review are plain HTML; play.js writes here which one was pressed.
        self._row = widgets.Text(continuous_update=False)
        self._row.layout.display = "none"
        self._row.add_class("ttt-row")
        self._row.observe(self._jump, "value")
        self._replay = _box("ttt-actions", back, forward)
        self._replay.layout.display = "none"
        return [_box("ttt-actions", new, undo, hint), self._replay, self._typed, self._row]

    def _lay_out(self, session: Session) -> None:
        """Make the cells of another game."""
        self._cells = [widgets.Button() for _ in range(session.game.moves)]
        for number, cell in enumerate(self._cells):
            cell.on_click(lambda _, number=number: self._click(number))
        self._blocks, figures = [], []
        for block in blocks(session.game):
            box = _box("ttt-block", *(self._cells[cell] for cell in block.cells))
            self._blocks.append(box)
            layer = [widgets.HTML(block.name)] if block.name.startswith("layer") else []
            figures.append(_box("ttt-figure", *layer, box))
        self._board.children = figures
        self._board._dom_classes = ("ttt-board", f"ttt-{session.game.name}")

    # ------------------------------------------------------------------------ what a person does

    def _new_size(self, _: Any) -> None:
        """Offer the opponents of that board, and stay with the same one if it is among them."""
        before, options = self._name.value, _choices(self._size.value)
        known = [name for _, name in options if name != OTHER]
        self._name.unobserve(self._new_name, "value")
        self._name.options = options
        self._name.value = before if before in known else known[0]
        self._name.observe(self._new_name, "value")
        self._new_name(None)

    def _new_name(self, _: Any) -> None:
        other = self._name.value == OTHER
        self._other.value = ""
        self._other.layout.display = None if other else "none"
        if not other:
            self._prepare()

    def _new_other(self, _: Any) -> None:
        if self._other.value.strip():
            self._prepare()

    def _new_game(self, _: Any) -> None:
        self._prepare()

    def _new_wish(self, _: Any) -> None:
        self._study()

    def _prepare(self, moves: tuple[int, ...] = ()) -> None:
        """Build the agent that is chosen and begin; the game at hand goes on until then."""
        name = self._other.value if self._name.value == OTHER else self._name.value
        self._asked = request = Link(self._size.value, name.strip(), self._side.value, moves)
        self._wrong = ""
        self._later(
            lambda: person.resume(request),
            self._begin,
            lambda: self._asked is request,
            self._refuse_opponent,
        )
        self._draw()

    def _begin(self, session: Session) -> None:
        before, self._asked = self.session, None
        if before is None or before.agent.name != session.agent.name or before.game != session.game:
            self._score = {1: 0, 0: 0, -1: 0}
        self._games += 1
        self._set(session)
        if self._unread:
            self._complain(f"The link can't be opened ({self._unread}); this is a new game.")
            self._unread = ""

    def _refuse_opponent(self, line: str) -> None:
        self._asked = None
        if self.session is not None:
            self._complain(line)
            return
        self._unread = line  # what the page was opened with: begin as if it had said nothing
        self._size.value = person.BOARDS[0]
        self._other.value = ""
        self._name.value = next(iter(person.OPPONENTS[person.BOARDS[0]]))
        self._prepare()

    def _click(self, cell: int) -> None:
        self._change(lambda session: person.play(session, cell))

    def _type(self, change: dict[str, Any]) -> None:
        if not change["new"].strip():
            return
        self._typed.value = ""
        try:
            self._click(person.read_cell(change["new"]))
        except ValueError as error:
            self._complain(str(error))

    def _undo(self, _: Any) -> None:
        self._change(person.undo)

    def _change(self, made: Callable[[Session], Session]) -> None:
        if self.session is None:
            return
        try:
            self._set(made(self.session))
        except ValueError as error:
            self._complain(str(error))

    def _step(self, step: int) -> None:
        """Replay a finished game, a move back or forward."""
        if self.session is not None:
            self._go(step + (len(self.session.moves) if self._ply is None else self._ply))

    def _jump(self, change: dict[str, Any]) -> None:
        """Show a finished game as it was after a move of the review."""
        if change["new"].isdecimal():
            self._go(int(change["new"]))
        self._row.value = ""

    def _go(self, ply: int) -> None:
        session = self.session
        if session is not None and session.finished:
            self._ply = max(ply, 0) if ply < len(session.moves) else None
            self._wrong = ""
            self._draw()

    def _ask_hint(self, _: Any) -> None:
        session, rng = self.session, self._rng.spawn(1)[0]
        if session is None or self._hinting:
            return
        self._hinting = True
        self._later(
            lambda: insight.hint(session, rng=rng),
            self._show_hint,
            lambda: self.session is session,
            self._complain,
        )
        self._draw()

    def _show_hint(self, hint: Hint) -> None:
        self._hint, self._hinting, self._wrong = hint, False, ""
        self._draw()

    # ------------------------------------------------------------------------ what follows

    def _set(self, session: Session) -> None:
        """Show another session, and do what comes next: the agent's move, or a look at it."""
        if self.session is None or self.session.game != session.game:
            self._lay_out(session)
        self.session, self._hint, self._hinting = session, None, False
        self._view, self._wrong, self._ply = View(), "", None
        self._replay.layout.display = None if session.finished else "none"
        if session.finished and self._scored < self._games:  # once, also if a move is taken back
            self._score[session.result] += 1
            self._scored = self._games
        self._draw()
        if session.finished or session.yours:
            self._study()
            return
        rng = self._rng.spawn(1)[0]
        self._later(
            lambda: person.answer(session, rng=rng), self._set, lambda: self.session is session
        )

    def _study(self) -> None:
        """Find out what is to be drawn on the cells and told beside them."""
        session, wish, rng = self.session, self._wish.value, self._rng.spawn(1)[0]
        if session is None:
            return
        self._later(
            lambda: insight.look(session, wish, rng),
            self._show_view,
            lambda: self.session is session and self._wish.value == wish,
        )

    def _show_view(self, view: View) -> None:
        self._view = view
        self._draw()

    def _complain(self, line: str) -> None:
        self._wrong, self._hinting = line, False
        self._draw()

    def _later(
        self,
        question: Callable[[], T],
        then: Callable[[T], None],
        wanted: Callable[[], bool],
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Answer a question in a thread; then act on it here, if it is still wanted."""

        async def work() -> None:
            loop = asyncio.get_running_loop()
            try:
                found = await loop.run_in_executor(self._executor, question)
            except Exception as error:  # whatever an agent raises must not stop the board
                if wanted():
                    (failed or self._complain)(texts.failure(error))
            else:
                if wanted():
                    then(found)

        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ------------------------------------------------------------------------ what is seen

    def _draw(self) -> None:
        if self.session is not None:
            self._draw_cells(self.session)
            self._draw_truth(self.session)
            self._about.value = texts.about(self.session)
            self._sent.value = texts.sent(self.session)
        # Last, so that the board is up to date when the message says whose turn it is.
        kind, text = self._message()
        self._status.value = f'<p class="{kind}" data-game="{self._games}">{escape(text)}</p>'

    def _draw_cells(self, session: Session) -> None:
        """Show the present state, or the one that is replayed."""
        legal = set(session.legal) if session.yours else set()
        if self._ply is not None:
            session = person.until(session, self._ply)
        labels = [self._label(cell) for cell in range(session.game.moves)]
        names, seen = texts.cell_names(session, labels), person.scene(session)
        stones = seen.stones
        for cell, button in enumerate(self._cells):
            empty = "ttt-open" if cell in legal else "ttt-shut"
            kind = {1: "ttt-x", -1: "ttt-o"}.get(stones[cell], empty)
            classes = ["ttt-cell", kind, *self._marks_of(session, cell)]
            if cell in seen.line:
                classes.append("ttt-line")
            with button.hold_sync():
                button.description = texts.cell_text(cell, stones[cell], labels[cell])
                button.tooltip = names[cell]
                button._dom_classes = tuple(classes)
        self._board.remove_class("ttt-its")
        if self._wish.value == "thought":
            self._board.add_class("ttt-its")
        for box, classes in zip(self._blocks, texts.block_classes(session), strict=True):
            box._dom_classes = ("ttt-block", *classes)

    def _draw_truth(self, session: Session) -> None:
        if self._view.known or session.finished:
            self._truth.value = texts.truth(session, self._view)
            self._truth.remove_class("ttt-stale")
        else:
            self._truth.add_class("ttt-stale")

    def _label(self, cell: int) -> str:
        marks = self._view.marks if self._ply is None else None
        return marks.labels[cell] if marks else ""

    def _marks_of(self, session: Session, cell: int) -> list[str]:
        """The classes of a cell that say what was found out about it."""
        marks, found = self._view.marks, []
        if marks and self._label(cell) and not person.scene(session).stones[cell]:
            found.append(f"ttt-s{marks.shades[cell]}")
            found += ["ttt-pick"] * (cell in marks.picks)
        if session.moves and session.moves[-1] == cell:
            found.append("ttt-last")
        if self._hint and self._hint.move == cell:
            found.append("ttt-hint")
        return found

    def _message(self) -> tuple[str, str]:
        session = self.session
        if self._wrong:
            return "wrong", f"\N{WARNING SIGN} {self._wrong}"
        if self._asked:
            return "busy", "The opponent is getting ready "
        if session is None:
            return "", "Choose an opponent."
        if session.finished:
            ending = f"{texts.ending(session)} {texts.score(self._score)}"
            replayed = texts.replayed(session, self._ply, self._view.review)
            return "over", replayed or ending
        if not session.yours:
            return "busy", f"{texts.named(session)} is thinking "
        if self._hinting:
            return "busy", "Looking for a good move "
        if self._hint:
            return "yours", f"Hint: {self._hint.reason}."
        return "yours", texts.turn(session) + texts.describe(session, self._view)


def _kernel() -> str:
    """The id of the kernel that this runs in; empty outside one."""
    from ipykernel.connect import get_connection_file

    try:
        return Path(get_connection_file()).stem.removeprefix("kernel-")
    except RuntimeError:
        return ""


def _choices(board: str) -> list[tuple[str, str]]:
    """The opponents of a board as a dropdown takes them."""
    known = person.on_offer(board).items()
    named = [(f"{texts.capital(one.title)} \N{EN DASH} {one.level}", name) for name, one in known]
    return [*named, (f"{OTHER} \N{HORIZONTAL ELLIPSIS}", OTHER)]


def _box(name: str, *children: widgets.Widget) -> widgets.Box:
    box = widgets.Box(children)
    box.add_class(name)
    return box


def _html(name: str) -> widgets.HTML:
    html = widgets.HTML()
    html.add_class(name)
    return html


def _style() -> str:
    return (
        f"<style>{theme.widget('.ttt')}{(FOLDER / 'play.css').read_text(encoding='utf-8')}</style>"
    )

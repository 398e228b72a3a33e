"""The board's widgets without a browser: what a click does while an agent thinks, or breaks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Executor, Future
from html import escape
from typing import Any

import nbformat
import numpy as np
import pytest

from ttt_lib.catalog import game_of
from ttt_lib.evidence.store import root
from ttt_lib.game.policy import Agent
from ttt_lib.people.play import insight
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text as texts
from ttt_lib.people.play.widget import DRAWN, OTHER, Table


class Slow(Executor):
    """Works only when told to, so that a test decides how long an agent thinks."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: fn(*args, **kwargs)))
        return future

    async def work(self) -> None:
        """Do what waits, and let the board act on it; new questions wait again."""
        jobs, self.waiting = self.waiting, []
        for future, question in jobs:
            try:
                future.set_result(question())
            except Exception as error:
                future.set_exception(error)
        for _ in range(5):
            await asyncio.sleep(0)


def playing(scene: Callable[[Table, Slow], Any], link: str = "") -> None:
    """Play a scene on a board whose first opponent is ready."""

    async def stage() -> None:
        slow = Slow()
        table = Table(link, rng=0, executor=slow)
        await asyncio.sleep(0)
        assert "is getting ready" in table._status.value
        await slow.work()
        await scene(table, slow)

    asyncio.run(stage())


def test_the_notebook_shows_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the served page runs it, its code builds one board, the default, and displays it."""
    page = nbformat.read(root() / "notebooks" / "play.ipynb", nbformat.NO_CONVERT)
    code = "\n".join(cell.source for cell in page.cells if cell.cell_type == "code")
    shown: list[Table] = []
    monkeypatch.setattr(Table, "show", lambda table: shown.append(table))

    async def stage() -> None:
        exec(code, {})

    asyncio.run(stage())
    [table] = shown
    assert table._size.value == person.BOARDS[0]


def status(table: Table) -> str:
    return str(table._status.value)


def moves(table: Table) -> tuple[int, ...]:
    assert table.session is not None
    return table.session.moves


def open_cells(table: Table) -> set[int]:
    """The cells that look as if one could play there."""
    return {place for place, cell in enumerate(table._cells) if "ttt-open" in cell._dom_classes}


def test_a_click_while_the_agent_thinks_is_refused() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        await asyncio.sleep(0)
        await slow.work()
        assert open_cells(table) == set(range(9))
        told = table._truth.value
        table._cells[4].click()
        assert "is thinking" in status(table)
        assert open_cells(table) == set()
        assert "ttt-stale" in table._truth._dom_classes
        assert table._truth.value == told
        table._cells[0].click()
        assert "it is the turn of the Ising player" in status(table)
        assert moves(table) == (4,)
        await asyncio.sleep(0)
        await slow.work()
        assert len(moves(table)) == 2
        assert "Your move" in status(table)
        assert open_cells(table) == set(range(9)) - {*moves(table)}
        await asyncio.sleep(0)
        await slow.work()
        assert "ttt-stale" not in table._truth._dom_classes
        assert table._truth.value != told

    playing(scene)


def test_an_answer_that_nobody_waits_for_is_dropped() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        table._undo(None)
        table._cells[8].click()
        await asyncio.sleep(0)
        await slow.work()
        assert moves(table)[0] == 8
        assert len(moves(table)) == 2

    playing(scene)


def test_a_typed_move_leaves_room_for_the_next_and_a_new_game_no_complaint() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._typed.value = "4"
        assert (moves(table), table._typed.value) == ((4,), "")
        table._typed.value = "4"
        assert "it is the turn of" in status(table)
        table._new_game(None)
        assert "is getting ready" in status(table)

    playing(scene)


def test_a_hint_that_comes_after_the_move_is_dropped() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._ask_hint(None)
        await asyncio.sleep(0)
        late, slow.waiting = slow.waiting, []
        table._cells[0].click()
        await asyncio.sleep(0)
        await slow.work()
        slow.waiting = late
        await slow.work()
        assert len(moves(table)) == 2
        assert "Your move" in status(table)
        assert not any("ttt-hint" in cell._dom_classes for cell in table._cells)

    playing(scene)


def test_a_hint_stands_until_the_next_move() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._ask_hint(None)
        await asyncio.sleep(0)
        await slow.work()
        assert table._hint is not None
        hinted = table._cells[table._hint.move]
        assert "ttt-hint" in hinted._dom_classes
        hinted.click()
        for _ in range(2):
            assert "Hint" not in status(table)
            assert not any("ttt-hint" in cell._dom_classes for cell in table._cells)
            await asyncio.sleep(0)
            await slow.work()

    playing(scene)


def test_a_hint_that_fails_can_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(table: Table, slow: Slow) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(insight, "hint", broken)
            table._ask_hint(None)
            await asyncio.sleep(0)
            await slow.work()
        assert "this failed" in status(table)
        table._ask_hint(None)
        await asyncio.sleep(0)
        await slow.work()
        assert "Hint: cell" in status(table)

    playing(scene)


def test_what_was_found_out_about_an_earlier_position_is_dropped() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        await asyncio.sleep(0)
        late, slow.waiting = slow.waiting, []
        table._cells[4].click()
        for _ in range(2):
            await asyncio.sleep(0)
            await slow.work()
        seen = [(cell.description, cell._dom_classes) for cell in table._cells]
        slow.waiting = late
        await slow.work()
        assert [(cell.description, cell._dom_classes) for cell in table._cells] == seen
        assert table._view.sure is not None, "it has moved"

    playing(scene)


def test_the_game_goes_on_while_another_opponent_gets_ready() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        table._name.value = "random"
        await asyncio.sleep(0)
        first, second = slow.waiting[-2:]
        slow.waiting = [first]
        await slow.work()
        assert len(moves(table)) == 2, "the first opponent answers"
        assert "is getting ready" in status(table)
        slow.waiting.append(second)
        await slow.work()
        assert table.session is not None
        assert (table.session.agent.name, moves(table)) == ("random", ())

    playing(scene)


@pytest.mark.parametrize("name", ["minmax", "uct:iterations=99999999", "safety+", "mlp:seed=<b>"])
def test_a_bad_name_leaves_the_game_alone(name: str) -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        await asyncio.sleep(0)
        await slow.work()
        before = table.session
        table._name.value = OTHER
        table._other.value = name
        await asyncio.sleep(0)
        await slow.work()
        assert 'class="wrong"' in status(table)
        assert "<b>" not in status(table)
        assert table.session is before
        table._undo(None)
        assert moves(table) == ()

    playing(scene)


def broken(name: str, board: str) -> Agent:
    def policy(states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        raise RuntimeError("no\nidea")

    return Agent(name, game_of(board), policy)


def test_an_agent_that_breaks_does_not_break_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        await asyncio.sleep(0)
        await slow.work()
        assert "this failed: no idea" in status(table)
        table._undo(None)
        assert "Your move" in status(table)

    monkeypatch.setattr(person, "opponent", broken)
    playing(scene)


def test_hints_opinions_and_the_end() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._ask_hint(None)
        table._ask_hint(None)
        assert "Looking for" in status(table)
        await asyncio.sleep(0)
        await slow.work()
        assert "Hint: cell 0" in status(table)
        assert "ttt-hint" in table._cells[0]._dom_classes
        table._wish.value = "exact"
        await asyncio.sleep(0)
        await slow.work()
        assert table._cells[0].description == "0 \ndraw"
        while table.session is not None and not table.session.finished:
            table._type({"new": str(table.session.legal[0])})
            await asyncio.sleep(0)
            await slow.work()
        assert 'class="over"' in status(table)
        table._type({"new": "3"})
        table._type({"new": "three"})
        assert "is no cell" in status(table)

    playing(scene)


@pytest.mark.parametrize("board", person.BOARDS)
def test_another_board_and_who_begins(board: str) -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._side.value = -1
        table._size.value = board
        table._name.value = "random"
        await asyncio.sleep(0)
        await slow.work()
        await slow.work()
        assert table.session is not None
        assert table.session.agent.game.name == board
        assert len(table._cells) == table.session.game.moves
        assert len(moves(table)) == 1
        names = [cell.tooltip for cell in table._cells]
        assert sum(name.endswith(": X") for name in names) == 1
        assert len(set(names)) == len(names)

    playing(scene)


def test_the_opponent_stays_on_another_board_if_it_plays_there() -> None:
    """Else the first that is offered there takes its place."""

    async def scene(table: Table, slow: Slow) -> None:
        perfect = "minimax:ties=quick"
        assert perfect not in person.OPPONENTS["4x4"]
        for name, then in (("random", "random"), (perfect, next(iter(person.OPPONENTS["4x4"])))):
            table._size.value, table._name.value = "3x3", name
            table._size.value = "4x4"
            assert table._name.value == then != next(iter(person.OPPONENTS["3x3"]))
            await asyncio.sleep(0)
            await slow.work()
            assert table.session is not None
            assert (table.session.agent.name, table.session.game.name) == (then, "4x4")

    playing(scene)


def test_what_is_asked_for_is_drawn_and_named() -> None:
    """The words of the choice, and those under the board for what then stands on the cells."""

    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        for _ in range(2):
            await asyncio.sleep(0)
            await slow.work()
        drawn = {}
        for words in DRAWN:
            table._wish.label = words
            await asyncio.sleep(0)
            await slow.work()
            drawn[words] = table._view.marks.about if table._view.marks else ""
            assert escape(drawn[words]) in table._truth.value
            orange = "ttt-its" in table._board._dom_classes
            assert orange == (words == "what it thought before its last move")
        who = "the Ising player"
        assert drawn == {
            "your exact chance, where it is known": "your exact chance against it",
            "what it thought before its last move": f"scores of {who} before its last move",
            "what it would think in your place": f"scores of {who} in your place",
            "the exact results": "exact results",
            "nothing": "",
        }

    playing(scene)


def test_a_late_answer_to_the_old_choice_is_not_drawn() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        await asyncio.sleep(0)
        await slow.work()
        for wish in ("exact", "nothing"):
            table._wish.value = wish
            await asyncio.sleep(0)
        late, soon = slow.waiting
        for job in (soon, late):
            slow.waiting = [job]
            await slow.work()
            assert table._view.marks is None
            assert all(cell.description.isdecimal() for cell in table._cells)

    playing(scene)


def test_no_cell_with_a_stone_is_shaded() -> None:
    """What it thought before its last move is also about the cell that it then took."""

    async def scene(table: Table, slow: Slow) -> None:
        table._wish.value = "thought"
        table._cells[4].click()
        for _ in range(2):
            await asyncio.sleep(0)
            await slow.work()
        marks, (_, taken) = table._view.marks, moves(table)
        assert marks is not None
        assert marks.labels[taken]
        shade = re.compile(r"ttt-s\d|ttt-pick")
        shaded = {place for place, cell in enumerate(table._cells)
                  if any(map(shade.fullmatch, cell._dom_classes))}  # fmt: skip
        assert shaded == set(range(9)) - {4, taken}

    playing(scene)


def test_who_begins_is_chosen_by_words() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        for words, side in (("O, it begins", -1), ("X, I begin", 1)):
            table._side.label = words
            for _ in range(2):
                await asyncio.sleep(0)
                await slow.work()
            assert table.session is not None
            assert table.session.side == side
            assert len(moves(table)) == (side == -1)
            stones = [(cell.description, cell._dom_classes) for cell in table._cells]
            assert [("ttt-x" in kinds) for _, kinds in stones] == [one == "X" for one, _ in stones]

    playing(scene)


def buttons(widget: Any) -> list[Any]:
    """The buttons in a widget that bear a key."""
    below = [button for child in getattr(widget, "children", ()) for button in buttons(child)]
    return below + [widget] * any(name.startswith("ttt-key") for name in widget._dom_classes)


def test_a_key_does_what_the_key_to_the_board_says() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        key = {name: b for b in buttons(table.view) for name in b._dom_classes}
        said = {name[-1]: b.description for name, b in key.items() if len(name) == len("ttt-key-x")}
        assert said == {"n": "New game", "u": "Undo", "h": "Hint"}
        assert "N begins a new game, U takes back a move, H gives a hint" in texts.KEY
        table._cells[4].click()
        key["ttt-key-u"].click()
        assert moves(table) == ()
        key["ttt-key-h"].click()
        assert "Looking for" in status(table)
        key["ttt-key-n"].click()
        assert "is getting ready" in status(table)
        await asyncio.sleep(0)
        await slow.work()
        await play_out(table, slow)
        key["ttt-key-arrowleft"].click()
        assert f"Move {len(moves(table)) - 1} of" in status(table)
        key["ttt-key-arrowright"].click()
        assert "So far:" in status(table)
        told = [key[f"ttt-key-arrow{way}"].description for way in ("left", "right")]
        assert told == ["Back", "Forward"]

    playing(scene)


async def play_out(table: Table, slow: Slow) -> None:
    """Take the first free cell until the game is over and has been looked back on."""
    while table.session is not None and not table.session.finished:
        table._click(table.session.legal[0])
        await asyncio.sleep(0)
        await slow.work()
    await asyncio.sleep(0)
    await slow.work()


def test_a_finished_game_is_replayed() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._step(-1)
        assert table._replay.layout.display == "none"
        assert "Your move" in status(table)
        await play_out(table, slow)
        played = moves(table)
        assert table._replay.layout.display != "none"
        for ply in range(len(played) - 1, 0, -1):
            table._replay.children[0].click()
            told = f"Move {ply} of {len(played)}: {'OX'[ply % 2]} played cell {played[ply - 1]}"
            assert told in status(table)
            assert ("it cost" in status(table)) == (ply % 2 == 1)
            shown = [cell.description for cell in table._cells]
            assert shown.count("X") + shown.count("O") == ply
            assert "ttt-last" in table._cells[played[ply - 1]]._dom_classes
            assert not any("ttt-open" in cell._dom_classes for cell in table._cells)
        for _ in range(3):
            table._replay.children[0].click()
        assert "The beginning" in status(table)
        table._click(8)
        assert "the game is over" in status(table)
        for _ in range(len(played) + 2):
            table._replay.children[1].click()
        assert "So far:" in status(table)
        table._step(-len(played))
        table._undo(None)
        assert table._replay.layout.display == "none"
        shown = [cell.description for cell in table._cells]
        assert shown.count("X") + shown.count("O") == len(moves(table)) > 0

    playing(scene)


def test_a_row_of_the_review_shows_the_game_as_it_was() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        await play_out(table, slow)
        rows = re.findall(r'data-ply="(\d+)"', table._truth.value)
        assert rows == [str(ply) for ply in range(1, len(moves(table)) + 1, 2)]
        for row in (*rows, rows[0], rows[0]):
            table._row.value = row
            if int(row) < len(moves(table)):
                assert f"Move {row} of {len(moves(table))}" in status(table)
            stones = [cell.description for cell in table._cells]
            assert stones.count("X") + stones.count("O") == int(row)
        for nonsense in ("-1", "x", "\N{SUPERSCRIPT TWO}", "99999"):
            table._row.value = nonsense
        assert "So far:" in status(table)

    playing(scene)


def test_a_game_is_counted_once_and_a_score_is_against_one_opponent_on_one_board() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        async def finish() -> None:
            while table.session is not None and not table.session.finished:
                table._click(table.session.legal[0])
                await asyncio.sleep(0)
                await slow.work()

        await finish()
        assert table.session is not None
        assert table.session.result == -1
        assert "So far: 0 won, 0 drawn, 1 lost." in status(table)
        table._undo(None)
        await finish()
        assert sum(table._score.values()) == 1
        table._new_game(None)
        await asyncio.sleep(0)
        await slow.work()
        await finish()
        assert sum(table._score.values()) == 2
        for choice, value in ((table._name, "random"), (table._size, "4x4")):
            assert sum(table._score.values()) > 0
            choice.value = value
            await asyncio.sleep(0)
            await slow.work()
            assert sum(table._score.values()) == 0
            await finish()

    playing(scene)


def test_a_link_opens_its_position_and_the_page_gives_one_back() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        assert (table._size.value, table._name.value, table._side.value) == ("4x4", OTHER, -1)
        assert table._other.value == "ising:b=1"
        assert moves(table)[:3] == (5, 6, 9)
        await asyncio.sleep(0)
        await slow.work()
        assert len(moves(table)) == 3
        assert "you are O" in status(table)
        assert f'href="?{escape(person.link(table.session))}"' in table._sent.value

    playing(scene, "board=4x4&opponent=ising:b=1&side=o&moves=5,6,9")


@pytest.mark.parametrize(
    ("link", "line"),
    [
        ("moves=4,4", "move 2, cell 4, is not legal there"),
        ("board=5x5", "unknown board"),
        ("board=4x4&opponent=minmax", "unknown agent"),
        ("opponent=%3Cb%3Eboo%3C/b%3E", "unknown agent"),
    ],
)
def test_a_link_that_is_wrong_is_told_in_one_line_above_a_new_game(link: str, line: str) -> None:
    async def scene(table: Table, slow: Slow) -> None:
        for _ in range(4):
            await asyncio.sleep(0)
            await slow.work()
        assert line in status(table)
        assert status(table).count("<p") == 1
        assert "<b>" not in status(table)
        assert table.session is not None
        if table.session.yours:
            assert moves(table) == ()
        table._click(table.session.legal[0])
        assert "can't be opened" not in status(table)

    playing(scene, link)


def test_rules_of_ultimate_stand_beside_its_board() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        assert "Ultimate in two lines" in table._about.value
        assert "Random player" in table._about.value
        assert "very easy" in table._about.value

    playing(scene, "board=ultimate&opponent=random")


def test_a_replayed_position_bears_no_marks_of_another() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._wish.value = "thought"
        await play_out(table, slow)
        await slow.work()
        assert table._view.marks is not None
        table._step(-1)
        empty = [cell for cell in table._cells if cell.description not in ("X", "O")]
        assert all(cell.description.isdecimal() for cell in empty)
        assert not any(name.startswith("ttt-s") and name[5:].isdecimal()
                       for cell in table._cells for name in cell._dom_classes)  # fmt: skip

    playing(scene)

"""The board's widgets without a browser: what a click does while an agent thinks, or breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from ttt_lib.catalog import game_of
from ttt_lib.game.policy import Agent
from ttt_lib.people import session as person
from ttt_lib.people.widget import OTHER, Table


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


def playing(scene: Callable[[Table, Slow], Any], board: str = "3x3") -> None:
    """Play a scene on a board whose first opponent is ready."""

    async def stage() -> None:
        slow = Slow()
        table = Table(board, rng=0, executor=slow)
        await asyncio.sleep(0)
        assert "gets ready" in table._status.value
        await slow.work()
        await scene(table, slow)

    asyncio.run(stage())


def status(table: Table) -> str:
    return str(table._status.value)


def moves(table: Table) -> tuple[int, ...]:
    assert table.session is not None
    return table.session.moves


def test_a_click_while_the_agent_thinks_is_refused() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        assert "is thinking" in status(table)
        table._cells[0].click()
        assert "it is the turn of ising" in status(table)
        assert moves(table) == (4,)
        await asyncio.sleep(0)
        await slow.work()
        assert len(moves(table)) == 2
        assert "Your move" in status(table)

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


def test_the_game_goes_on_while_another_opponent_gets_ready() -> None:
    async def scene(table: Table, slow: Slow) -> None:
        table._cells[4].click()
        table._name.value = "random"
        await asyncio.sleep(0)
        first, second = slow.waiting[-2:]
        slow.waiting = [first]
        await slow.work()
        assert len(moves(table)) == 2, "the first opponent answers"
        assert "gets ready" in status(table)
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
        assert table._cells[0].description == "0\ndraw"
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

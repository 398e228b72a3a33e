"""Exhaustive play against players that count stones on lines, compiled.

A loop over layers of states, which grow as needed, in the form that needs the fewest states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_kernels as kernels
from ttt_lib.game.board import grid_of
from ttt_lib.game.budget import CHUNK, Meter, check_room
from ttt_lib.game.policy import ROUNDING, Agent
from ttt_lib.game.worst_forms import WHOLE, Form, Question, able, board_form, line_form
from ttt_lib.game.worst_kernels import FOUND, FULL, OTHER, Layer, Plan, Words


@dataclass(frozen=True, eq=False)
class Answer:
    """What a search found.

    Attributes
    ----------
    found : bool
        Whether the opponent reaches its goal.
    complete : bool
        Whether no state was dropped on the way.
    states : int
        How many states were visited.
    keys : list of ndarray of uint64, shape (words,)
        The states on the way to the goal, if it was found.
    """

    found: bool
    complete: bool
    states: int
    keys: list[Words]


def empty_layer(count: int, question: Question, words: int) -> Layer:
    """An empty layer with room for ``count`` states.

    Raises
    ------
    ValueError
        If their keys take too much memory (see :func:`~ttt_lib.game.budget.check_room`).
    """
    check_room(
        8 * words * count, f"on {question.grid.name}", f"room for {count:,} positions of one ply"
    )
    ends = np.array([question.low, question.high], dtype=np.float64)
    spans = np.tile(ends, (count if question.low < question.high else 1, 1))
    scores = np.zeros(count if question.width else 1, dtype=np.float32)
    table = np.full(1 << (2 * count - 1).bit_length(), -1, dtype=np.int32)
    keys = np.zeros((count, words), dtype=np.uint64)
    return Layer(keys, spans, np.zeros(count, dtype=np.int32), scores, table)


def copied(layer: Layer, kept: NDArray[np.intp], larger: Layer) -> Layer:
    """Copy some states of a layer into an empty one with room for them."""
    pairs: list[tuple[Any, Any]] = list(zip(layer[:4], larger[:4], strict=True))
    for source, target in pairs:
        if len(source) > 1:
            target[: len(kept)] = source[kept]
    kernels.rehash(larger.keys, len(kept), larger.table)
    return larger


def form_of(question: Question) -> Form:
    """The form that needs the fewest states."""
    return (line_form if able(question.grid) else board_form)(question)


def plan(question: Question, ply: int) -> Plan:
    """What to search for from the layer after ``ply`` stones onwards."""
    free = question.grid.cells - ply
    moves = min(free - 1, question.last - ply - 1) // 2
    return Plan(free, moves, question.goal == 0, question.tolerance, question.rounding)


def first_layer(question: Question, form: Form) -> tuple[Layer, int, int]:
    """The first states with the opponent to move: a layer, how many there are, and their ply."""
    cells, span = question.grid.cells, np.array([question.low, question.high], dtype=np.float64)
    if question.side == -1:
        layer = empty_layer(64, question, form.words(cells))
        return layer, kernels.insert(layer, 0, form.start, span[0], span[1], 0, 0.0), 0
    layer = empty_layer(max(64, cells), question, form.words(cells - 1))
    return layer, form.opening(form.known, form.start, plan(question, -1), span, layer), 1


def answer(question: Question, meter: Meter, form: Form | None = None) -> Answer:
    """Search layer by layer, from the empty board to the end or to the goal.

    Raises
    ------
    OutOfNodesError
        If the meter's budget is exhausted.
    ValueError
        If the states of a layer take too much memory.
    """
    form = form_of(question) if form is None else form
    path, complete, states = [], True, 0
    layer, count, ply = first_layer(question, form)
    while count and ply <= min(question.grid.cells, question.last):
        states += count
        path.append((layer.keys[:count], layer.parent[:count]))
        reached, following, more = next_layer(form, layer, count, ply, question, meter)
        if reached is not None:
            return Answer(True, complete, states, _path(path, reached))
        if question.width and more > question.width:
            kept = np.sort(np.argsort(-following.score[:more], kind="stable")[: question.width])
            smaller = empty_layer(len(kept), question, following.keys.shape[1])
            following, more, complete = copied(following, kept, smaller), len(kept), False
        layer, count, ply = following, more, ply + 2
    return Answer(False, complete, states, [])


def next_layer(
    form: Form, layer: Layer, count: int, ply: int, question: Question, meter: Meter
) -> tuple[int | None, Layer, int]:
    """Expand a whole layer: the state from which the goal is reached, or the next layer."""
    todo, at, more = plan(question, ply), 0, 0
    words = form.words(max(todo.free - 2, 0))
    about = f"ply {ply}, {question.grid.name}, {count:,} positions"
    meter.left(about)  # a spent budget takes no more memory
    following = empty_layer(max(1 << 12, count + todo.free**2), question, words)
    while at < count:
        end = min(at + min(CHUNK, meter.left(about)), count)
        status, stop, more = form.expand(
            form.known, layer, at, end, todo, len(following.keys), following, more
        )
        if status == FOUND:
            return stop, following, more
        if status == FULL:
            larger = empty_layer(2 * len(following.keys), question, words)
            following = copied(following, np.arange(more), larger)
        meter.add(stop - at, about)
        at = stop
    return None, following, more


def _path(path: list[tuple[Words, NDArray[np.int32]]], place: int) -> list[Words]:
    keys = []
    for layer, parents in reversed(path):
        keys.append(layer[place].copy())
        place = int(parents[place])
    return keys[::-1]


def reach_counted(
    agent: Agent, side: int, goal: int, meter: Meter, *, last: int | None = None, width: int = 0
) -> tuple[list[int] | None, bool] | None:
    """Like :func:`ttt_lib.game.worst.reach`, for an agent with ``counted``.

    Worths are integers here, so moves that differ by little more than the tolerance may be tied
    that the agent tells apart.  That no game is found is a proof all the same; None if the game
    that is found is not one that the agent plays.
    """
    grid, table = grid_of(agent.game, "exhaustive play"), agent.counted
    assert table is not None
    own, other = table[: grid.n, 0].copy(), table[0, : grid.n].copy()
    other[0] = 0.0  # the worth of an empty line is entirely in ``own``
    cancel = min(own.min(), other.min()) < 0 < max(own.max(), other.max())
    question = Question(
        grid, own, other, 1.0, 1.0, side, goal, grid.cells if last is None else last, width,
        rounding=math.ceil(2 * ROUNDING * WHOLE) if cancel else 0,
    )  # fmt: skip
    found = answer(question, meter)
    if not found.found:
        return None, found.complete
    line = witness(agent, question, found.keys)
    return None if line is None else (line, found.complete)


def witness(agent: Agent, question: Question, keys: list[Words]) -> list[int] | None:
    """A game through given states, played on a real board against the agent itself.

    None if the agent doesn't play that way.
    """
    form, grid, side = form_of(question), question.grid, question.side
    openings: list[list[int]] = [[]]
    if side == 1:
        openings = [[move] for move in _replies(agent, form, grid.initial(), side, keys[0])]
    games = (_through(agent, form, question, line, keys[1:]) for line in openings)
    return next((game for game in games if game is not None), None)


def _through(
    agent: Agent, form: Form, question: Question, line: list[int], keys: list[Words]
) -> list[int] | None:
    """Continue a game, the opponent to move, through given states to the goal."""
    grid, boards = question.grid, question.grid.initial()
    for move in line:
        boards = grid.place(boards, np.array([move]))
    if not keys:
        return line + _finish(agent, question, boards)
    for move in np.flatnonzero(boards[0] == 0).tolist():
        after = grid.place(boards, np.array([move]))
        if grid.finished(after)[0]:
            continue
        for reply in _replies(agent, form, after, question.side, keys[0]):
            found = _through(agent, form, question, [*line, move, reply], keys[1:])
            if found is not None:
                return found
    return None


def _replies(
    agent: Agent, form: Form, boards: NDArray[np.int8], side: int, key: Words
) -> Iterator[int]:
    """The agent's moves that may lead to a state."""
    grid = grid_of(agent.game, "exhaustive play")
    assert agent.weights is not None
    for move in np.flatnonzero(agent.weights(boards)[0]):
        after = grid.place(boards, np.array([move]))[0] * side
        if form.shows(np.where(after < 0, OTHER, after).astype(np.int64), key):
            yield int(move)


def _finish(agent: Agent, question: Question, boards: NDArray[np.int8]) -> list[int]:
    """The end of a game whose last state ensures the goal: the winning move, or all moves left."""
    grid, side, line = question.grid, question.side, []
    assert agent.weights is not None
    if question.goal == -1:
        legal = np.flatnonzero(grid.legal(boards)[0])
        after = grid.place(np.repeat(boards, len(legal), axis=0), legal)
        return [int(legal[np.argmax(grid.winner(after) == -side)])]
    while not grid.finished(boards)[0]:
        own = grid.to_move(boards)[0] == side
        move = int(np.argmax((agent.weights(boards) if own else grid.legal(boards))[0] > 0))
        line.append(move)
        boards = grid.place(boards, np.array([move]))
    return line

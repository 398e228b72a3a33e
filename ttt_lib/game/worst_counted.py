"""Exhaustive play against players that count stones on lines, compiled.

The layers of :mod:`ttt_lib.game.worst_kernels` in a loop, with room that grows as it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_kernels as kernels
from ttt_lib.game.board import Grid, grid_of
from ttt_lib.game.policy import Agent, Floats
from ttt_lib.game.worst import CHUNK, Meter, automorphisms
from ttt_lib.game.worst_kernels import FOUND, FULL, OTHER, WORD, Geometry, Layer, Plan, Words

TOLERANCE = 1e-9
"""Relative difference below which two moves of the player are a tie, as for all agents."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a player that counts stones on lines.

    Attributes
    ----------
    grid : Grid
        The board.
    own, other : ndarray of float64, shape (n,)
        A line with k stones of the player alone is worth ``own[k]`` to a move on it, one with k
        of the opponent's ``b * other[k]``; an empty line both.
    low, high : float
        For which b: all of [low, high].
    side : int
        The player's, +1 or -1.
    goal : int
        -1: it loses, 0: it doesn't win (asked once it is known not to lose).
    last : int
        Longest game looked for, in plies.
    width : int
        Keep only so many states of a layer, the opponent's most hopeful; 0: all.
    tolerance : float
        Relative difference below which two moves are a tie.
    """

    grid: Grid
    own: Floats
    other: Floats
    low: float
    high: float
    side: int
    goal: int = -1
    last: int = 10_000
    width: int = 0
    tolerance: float = TOLERANCE


@dataclass(frozen=True, eq=False)
class Answer:
    """What a search found.

    Attributes
    ----------
    found : bool
        Whether the opponent reaches his goal.
    complete : bool
        Whether no state was left out on the way.
    states : int
        How many states were looked at.
    keys : list of ndarray of uint64, shape (words,)
        The states on the way to the goal, if it was found.
    span : tuple of float
        For which b the last of them can be reached (its hull).
    """

    found: bool
    complete: bool
    states: int
    keys: list[Words]
    span: tuple[float, float] = (np.nan, np.nan)


def geometry(question: Question) -> Geometry:
    """The board and the worths as the kernels read them."""
    grid, images = question.grid, automorphisms(question.grid)
    masks = np.zeros((4, grid.cells, len(images)), dtype=np.uint64)
    for code in range(4):
        shifted = np.uint64(code) << (2 * (images.T % WORD)).astype(np.uint64)
        masks[code] = np.where(images.T < WORD, shifted, np.uint64(0))
    lines = grid.lines.astype(np.int64)
    held = [np.flatnonzero((lines == cell).any(axis=1)) for cell in range(grid.cells)]
    first, through = np.cumsum([0, *map(len, held)]), np.concatenate(held).astype(np.int64)
    # Whole numbers, small enough that sums of them are exact floats.
    largest = max(float(np.abs(question.own).max()), float(np.abs(question.other).max()))
    unit = 2.0**40 / largest if largest else 1.0
    steps = [np.rint(table * unit).astype(np.int64) for table in (question.own, question.other)]
    return Geometry(lines, first, through, masks, np.argsort(images, axis=1), steps[0], steps[1])


def room(count: int, question: Question, words: int) -> Layer:
    """An empty layer with room for so many states."""
    spans = np.tile(
        [question.low, question.high], (count if question.low < question.high else 1, 1)
    )
    scores = np.zeros(count if question.width else 1, dtype=np.float32)
    table = np.full(1 << (2 * count - 1).bit_length(), -1, dtype=np.int32)
    keys = np.zeros((count, words), dtype=np.uint64)
    return Layer(keys, spans, np.zeros(count, dtype=np.int32), scores, table)


def moved(layer: Layer, kept: NDArray[np.intp], larger: Layer) -> Layer:
    """Copy some states of a layer into an empty one with room for them."""
    pairs: list[tuple[Any, Any]] = list(zip(layer[:4], larger[:4], strict=True))
    for source, target in pairs:
        if len(target) > 1:
            target[: len(kept)] = source[kept]
    kernels.rehash(larger.keys, len(kept), larger.table)
    return larger


def answer(question: Question, meter: Meter) -> Answer:
    """Search layer by layer, from the empty board to the end or to the goal.

    Raises
    ------
    OutOfNodesError
        If the meter's budget is spent.
    """
    board, cells = geometry(question), question.grid.cells
    words, path, complete, states = -(-cells // WORD), [], True, 0
    layer = room(max(64, cells), question, words)
    if question.side == 1:
        args = (question.low, question.high, question.tolerance, layer)
        count, ply = kernels.opening(board, *args), 1
    else:
        start = np.zeros(words, dtype=np.uint64)
        count, ply = kernels.insert(layer, 0, start, question.low, question.high, 0, 0.0), 0
    while count and ply <= min(cells, question.last):
        states += count
        path.append((layer.keys[:count], layer.parent[:count]))
        reached, following, more = next_layer(board, layer, count, ply, question, meter)
        if reached is not None:
            row = layer.span[reached if len(layer.span) > 1 else 0]
            return Answer(True, complete, states, _path(path, reached), (row[0], row[1]))
        if question.width and more > question.width:
            order = np.argsort(-following.score[:more], kind="stable")[: question.width]
            following = moved(following, np.sort(order), room(question.width, question, words))
            more, complete = question.width, False
        layer, count, ply = following, more, ply + 2
    return Answer(False, complete, states, [])


def next_layer(
    board: Geometry, layer: Layer, count: int, ply: int, question: Question, meter: Meter
) -> tuple[int | None, Layer, int]:
    """Expand a whole layer: the state from which the goal is reached, or the next layer."""
    words, free, at, more = layer.keys.shape[1], question.grid.cells - ply, 0, 0
    moves = min(free - 1, question.last - ply - 1) // 2
    plan = Plan(free, moves, question.goal == 0, question.tolerance)
    following = room(max(1 << 12, count + free * free), question, words)
    while at < count:
        end = min(at + CHUNK, count)
        status, stop, more = kernels.expand(
            board, layer, at, end, plan, len(following.keys), following, more
        )
        if status == FOUND:
            return stop, following, more
        if status == FULL:
            larger = room(2 * len(following.keys), question, words)
            following = moved(following, np.arange(more), larger)
        meter.add(stop - at, f"ply {ply}, {question.grid.name}, {count:,} positions")
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
) -> tuple[list[int] | None, bool]:
    """As :func:`ttt_lib.game.worst.reach`, for an agent with ``counted``."""
    grid, table = grid_of(agent.game, "exhaustive play"), agent.counted
    assert table is not None
    own, other = table[: grid.n, 0].copy(), table[0, : grid.n].copy()
    other[0] = 0.0  # an empty line's worth is whole in ``own``
    last = grid.cells if last is None else last
    question = Question(grid, own, other, 1.0, 1.0, side, goal, last, width)
    found = answer(question, meter)
    if not found.found:
        return None, found.complete
    return witness(agent, question, found.keys), found.complete


def witness(agent: Agent, question: Question, keys: list[Words]) -> list[int]:
    """A game that runs through states, played on a real board against the agent itself.

    Raises
    ------
    AssertionError
        If the agent doesn't play that way: the search and the agent would contradict each other.
    """
    grid, side, board = question.grid, question.side, geometry(question)
    boards, line = grid.initial(), []
    if side == 1:
        line = _reply(agent, board, boards, side, keys[0])
        boards = grid.place(boards, np.array(line))
    for key in keys[1:]:
        for move in np.flatnonzero(boards[0] == 0):
            after = grid.place(boards, np.array([move]))
            reply = [] if grid.finished(after)[0] else _reply(agent, board, after, side, key)
            if reply:
                break
        else:
            raise AssertionError(f"{agent.name} doesn't play as the search supposed")
        line += [int(move), *reply]
        boards = grid.place(after, np.array(reply))
    return line + _finish(agent, question, boards)


def _reply(
    agent: Agent, board: Geometry, boards: NDArray[np.int8], side: int, key: Words
) -> list[int]:
    """The agent's move that leads to a state, if there is one."""
    grid = grid_of(agent.game, "exhaustive play")
    assert agent.weights is not None
    for move in np.flatnonzero(agent.weights(boards)[0]):
        after = grid.place(boards, np.array([move]))[0] * side
        codes = np.where(after < 0, OTHER, after).astype(np.int64)
        if (kernels.key_of(board, codes, len(key)) == key).all():
            return [int(move)]
    return []


def _finish(agent: Agent, question: Question, boards: NDArray[np.int8]) -> list[int]:
    """The end of a game whose last state grants the goal: the winning move, or moves to the end."""
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

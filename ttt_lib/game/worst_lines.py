"""Exhaustive play against players that count stones on lines, on square boards.

The layers of :mod:`ttt_lib.game.worst_lines_kernels` in a loop.  They answer what
:mod:`ttt_lib.game.worst_counted` answers, from much fewer states: on 6x6 a tenth of them after
twelve stones, and less and less from there on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_kernels
from ttt_lib.game import worst_lines_kernels as kernels
from ttt_lib.game.board import Grid
from ttt_lib.game.worst import CHUNK, Meter
from ttt_lib.game.worst_counted import Answer, Question, room
from ttt_lib.game.worst_kernels import FOUND, FULL, Layer, Words
from ttt_lib.game.worst_lines_kernels import MOST_EDGE, PRIME, THEIRS, Plan, Rules


def able(grid: Grid) -> bool:
    """Whether a board's states fit in the keys."""
    return grid.d == 2 and 3 <= grid.n <= MOST_EDGE


def rules(question: Question) -> Rules:
    """The board and the worths as the kernels read them."""
    grid, n = question.grid, question.grid.n
    # Whole numbers, small enough that sums of them are exact floats.
    largest = max(float(np.abs(question.own).max()), float(np.abs(question.other).max()))
    unit = 2.0**40 / largest if largest else 1.0
    worth, after = np.zeros((2, 16), dtype=np.int64), np.zeros((2, 16), dtype=np.int64)
    worth[0, 1 : n + 1] = np.rint(question.own * unit)
    worth[1, [1, *range(THEIRS + 1, THEIRS + n)]] = np.rint(question.other * unit)
    after[0, 1 : n + 1] = np.arange(2, n + 2)
    after[1, [1, *range(THEIRS + 1, THEIRS + n)]] = np.arange(THEIRS + 1, THEIRS + n + 1)
    place = np.zeros(PRIME, dtype=np.int64)
    place[[2**i % PRIME for i in range(PRIME - 1)]] = np.arange(PRIME - 1)
    return Rules(n, len(grid.lines), worth, after, place)


def words(free: int) -> int:
    """Words of a key where so many cells are empty."""
    return 1 + -(-free // 4)


def start(grid: Grid) -> Words:
    """The key of the empty board."""
    key = np.zeros(words(grid.cells), dtype=np.uint64)
    for line in range(len(grid.lines)):
        key[0] |= np.uint64(1 << (4 * line))
    for cell in range(grid.cells):
        held = int(sum(1 << int(line) for line in np.flatnonzero((grid.lines == cell).any(axis=1))))
        key[1 + cell // 4] |= np.uint64(held << (16 * (cell % 4)))
    return key


def plan(question: Question, ply: int) -> Plan:
    """What is looked for from the layer after so many stones on."""
    free = question.grid.cells - ply
    moves = min(free - 1, question.last - ply - 1) // 2
    return Plan(free, moves, question.goal == 0, question.tolerance)


def answer(question: Question, meter: Meter) -> Answer:
    """Search layer by layer, from the empty board to the end or to the goal.

    Raises
    ------
    OutOfNodesError
        If the meter's budget is spent.
    """
    known, cells, ply, states = rules(question), question.grid.cells, 0, 0
    layer, count = room(64, question, words(cells)), 1
    layer.keys[0] = start(question.grid)
    if question.side == 1:
        span, ply = np.array([question.low, question.high]), 1
        layer = room(64, question, words(cells - 1))
        first = plan(question, -1)._replace(free=cells + 1)
        count = kernels.opening(known, start(question.grid), first, span, layer)
    while count and ply <= min(cells, question.last):
        states += count
        reached, layer, count = next_layer(known, layer, count, ply, question, meter)
        if reached:
            return Answer(True, True, states, [])
        ply += 2
    return Answer(False, True, states, [])


def next_layer(
    known: Rules, layer: Layer, count: int, ply: int, question: Question, meter: Meter
) -> tuple[bool, Layer, int]:
    """Expand a whole layer: whether the goal is reached, or the next layer."""
    todo, at, more = plan(question, ply), 0, 0
    following = room(max(1 << 12, count + todo.free**2), question, words(todo.free - 2))
    while at < count:
        end = min(at + CHUNK, count)
        status, stop, more = kernels.expand(
            known, layer, at, end, todo, len(following.keys), following, more
        )
        if status == FOUND:
            return True, following, more
        if status == FULL:
            following = grown(following, more, question)
        meter.add(stop - at, f"ply {ply}, {question.grid.name}, {count:,} positions")
        at = stop
    return False, following, more


def grown(layer: Layer, count: int, question: Question) -> Layer:
    """A copy of a layer with twice the room."""
    larger = room(2 * len(layer.keys), question, layer.keys.shape[1])
    for source, target in zip(layer[:3], larger[:3], strict=True):
        if len(target) > 1:
            target[:count] = source[:count]
    worst_kernels.rehash(larger.keys, count, larger.table)
    return larger

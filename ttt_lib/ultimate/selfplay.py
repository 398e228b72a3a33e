"""Games of a table net against itself, whole games compiled, several at a time without the GIL."""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from ttt_lib.ultimate import kernels, trees
from ttt_lib.ultimate.game import Ultimate
from ttt_lib.ultimate.kernels import MOVE, RESULT, SIDE, do, pick, step
from ttt_lib.ultimate.puct_table import check_rules, search, stir, uniform
from ttt_lib.ultimate.replay import Samples, joined, no_samples
from ttt_lib.ultimate.tablenet import Tables

CHUNK = 25
"""Games a task; each task has its own seed, so the number of threads changes nothing."""

MOST_VISITS = 65535


class Manner(NamedTuple):
    """How games are played; numbers only, for the kernels.

    Attributes
    ----------
    full, fast : int
        Simulations of a full and of a quick search.
    share : float
        Share of the moves searched fully; only these are learned from.
    temperature : float
        Moves are drawn by visits^(1 / temperature).
    noise : float
        Share of noise in the priors of fully searched roots.
    opening : int
        Games begin with 0 to so many random moves.
    mix : float
        Share of the search's value in the value target; all of it once the result is proven.
    c, fpu : float
        See :class:`~ttt_lib.ultimate.puct_table.TableSearch`.
    """

    full: int
    fast: int
    share: float
    temperature: float
    noise: float
    opening: int
    mix: float
    c: float
    fpu: float


@njit(cache=True)
def bare(forest):  # type: ignore[no-untyped-def]
    """Cut the first tree of a forest back to its root."""
    forest.first[0, 0], forest.visits[0, 0], forest.mean[0, 0] = -1, 0, 0.0
    forest.low[0, 0], forest.high[0, 0], forest.used[0] = -1, 1, 1


@njit(cache=True)
def think(forest, s, tables, manner, fully, rules, bits):  # type: ignore[no-untyped-def]
    """Search a position anew, fully and with noise, or quickly."""
    bare(forest)
    left = manner.full if fully else manner.fast
    if fully and manner.noise > 0:
        # The second simulation gives the root its priors.
        left -= search(forest, 0, s, tables, min(left, 2), manner.c, manner.fpu, rules)
        if forest.first[0, 0] >= 0:
            bits = stir(forest, 0, manner.noise, bits)
    if left > 0:
        search(forest, 0, s, tables, left, manner.c, manner.fpu, rules)
    return bits


@njit(cache=True)
def targets_of(forest, weights):  # type: ignore[no-untyped-def]
    """Write each root child's weight as a target; returns their number.

    Visits; but proven wins share all, and what is proven to be worse than
    another move gets nothing.
    """
    begin, size = np.int64(forest.first[0, 0]), np.int64(forest.size[0, 0])
    known, total = -1, 0.0
    for i in range(size):
        known = max(known, np.int64(forest.low[0, begin + i]))
    for i in range(size):
        child = begin + i
        weights[i] = forest.visits[0, child]
        if known == 1:
            weights[i] = 1.0 if forest.low[0, child] == 1 else 0.0
        elif forest.high[0, child] < known or (known == -1 and forest.high[0, child] == -1):
            weights[i] = 0.0
        total += weights[i]
    if total == 0:
        weights[:size] = 1.0
    return size


@njit(cache=True)
def sample(weights, size, temperature, bits):  # type: ignore[no-untyped-def]
    """Draw a number in proportion to weights^(1 / temperature)."""
    top, total = weights[:size].max(), 0.0
    for i in range(size):
        total += (weights[i] / top) ** (1 / temperature)
    bits = step(bits)
    left = uniform(bits) * total
    for i in range(size):
        left -= (weights[i] / top) ** (1 / temperature)
        if left < 0:
            return i, bits
    return np.int64(weights[:size].argmax()), bits


@njit(cache=True)
def one_game(forest, tables, start, manner, rules, bits, states, visits, values, at):  # type: ignore[no-untyped-def]
    """Play a game; samples go to rows from ``at`` on.  Returns the next free row and the bits."""
    s, first, weights = start.copy(), at, np.zeros(81, np.float64)
    trust = np.zeros(81, np.float64)
    bits = step(bits)
    for _ in range(np.int64(uniform(bits) * (manner.opening + 1))):
        if s[RESULT] == 0:
            bits = step(bits)
            board, cell = pick(s, bits)
            do(s, board, cell, rules)
    while s[RESULT] == 0:
        bits = step(bits)
        fully = uniform(bits) < manner.share
        bits = think(forest, s, tables, manner, fully, rules, bits)
        if forest.first[0, 0] < 0:  # a single simulation expands nothing
            search(forest, 0, s, tables, 1, manner.c, manner.fpu, rules)
        size, begin = targets_of(forest, weights), np.int64(forest.first[0, 0])
        if fully:
            states[at, :] = s
            visits[at, :] = 0
            for i in range(size):
                visits[at, MOVE[forest.place[0, begin + i]]] = min(weights[i], MOST_VISITS)
            proven = forest.low[0, 0] == forest.high[0, 0]
            values[at] = -forest.low[0, 0] if proven else -forest.mean[0, 0]
            trust[at - first] = 1.0 if proven else manner.mix
            at += 1
        i, bits = sample(weights, size, manner.temperature, bits)
        move = np.int64(forest.place[0, begin + i])
        do(s, move // 9, move % 9, rules)
    for row in range(first, at):
        side = 1 + np.int64(states[row, SIDE])
        result = 0.0 if s[RESULT] == 3 else (1.0 if s[RESULT] == side else -1.0)
        share = trust[row - first]
        values[row] = share * values[row] + (1 - share) * result
    return at, bits


@njit(cache=True, nogil=True)
def play(forest, tables, start, games, manner, rules, bits, states, visits, values):  # type: ignore[no-untyped-def]
    """Play games one after the other; returns the number of samples."""
    at = 0
    for _ in range(games):
        at, bits = one_game(forest, tables, start, manner, rules, bits, states, visits, values, at)
    return at


def _task(tables: Tables, game: Ultimate, games: int, manner: Manner, seed: int) -> Samples:
    found = no_samples(81 * games)
    # An expansion takes two visits, so half the simulations expand; a few nodes at most.
    forest = trees.plant(1, 2 * trees.MOST + 14 * max(manner.full, manner.fast))
    begin, bits = game.initial()[0], np.uint64(seed)
    count = play(forest, tables, begin, games, manner, game.code, bits, *found)
    return found.take(slice(count))


def self_play(
    tables: Tables,
    games: int,
    manner: Manner,
    *,
    game: Ultimate | None = None,
    rng: np.random.Generator | int = 0,
    threads: int = 1,
) -> Samples:
    """Play games and return what there is to learn from, the same for any number of threads.

    Raises
    ------
    ValueError
        If games < 1 or threads < 1, or the rules are not for a table net.
    """
    if games < 1 or threads < 1:
        raise ValueError(f"self-play needs games and threads >= 1, not {games} and {threads}")
    game, rng = check_rules(game or Ultimate()), np.random.default_rng(rng)
    sizes = [min(CHUNK, games - done) for done in range(0, games, CHUNK)]
    seeds = [kernels.seed(child) for child in rng.spawn(len(sizes))]

    def run(task: tuple[int, int]) -> Samples:
        return _task(tables, game, task[0], manner, task[1])

    tasks: Sequence[tuple[int, int]] = list(zip(sizes, seeds, strict=True))
    with ThreadPoolExecutor(threads) as pool:
        return joined(list(pool.map(run, tasks)))

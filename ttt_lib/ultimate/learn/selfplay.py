"""Self-play of a table net: whole games in compiled code, several at a time without the GIL.

The endgame solver is applied afterwards, from Python.  That costs nothing, since
it is asked about recorded states only, and its answers are exact: they depend
neither on its memory nor on the number of threads.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.search.puct_table`, and

settings, record : SelfPlaySettings, Record
    How games are played; what is recorded, changed in place.
start : ndarray of uint16, shape (24,)
    State that games begin from.
fully : bool
    Whether a move is searched fully, and learned from.
weights : ndarray of float64, shape (81,) or (C,)
    Target weights of a root's C moves, filled from the front.
size : int64
    Number of the root's moves, C.
temperature, mix : float64
    See :class:`SelfPlaySettings`.
plies, at, number : int64
    Maximum number of random moves; row of the record; number of the game.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.jit import advance
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import MOVE, RESULT, States, count_playable, do, pick
from ttt_lib.ultimate.config import ENDGAMES
from ttt_lib.ultimate.learn.replay_buffer import Samples, no_samples
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.search import trees
from ttt_lib.ultimate.search.puct_table import add_noise, search, uniform
from ttt_lib.ultimate.solver.solver import DTWSolver

CHUNK = 25
"""Games per task."""

MOST_VISITS = 65535

_TRUST = 50
"""Visits that sigma adds to those of the most visited move, as published."""

_FINENESS = 60_000.0
"""Sum of an improved policy that is stored in whole numbers."""

PLAY, RELABEL, ADJUDICATE = range(len(ENDGAMES))

MERGED: dict[str, Any] = {"cache": True, "inline": "always"}
"""Options of a kernel that only one other calls: it is not compiled separately as well."""

_FIRST, _ONE, _SOLVE = np.int64(0), np.int64(1), np.bool_(True)
"""Arguments of the search; for a bare 0 or True numba would compile all of it again."""

SOLVER_ENTRIES = 1 << 14
"""Entries in the cold tier of a task's solver: for endgames of 25 games, not of a whole run."""


class SelfPlaySettings(NamedTuple):
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
        Share of Dirichlet(1) noise in the priors of fully searched roots.
    opening : int
        Each game begins with between 0 and this many random moves.
    mix : float
        Share of the search's value in the value target; all of it once the result is proven.
    c, fpu : float
        See :class:`~ttt_lib.ultimate.search.puct_table.TableSearch`.
    endgame : int
        What endgames teach, see ``ENDGAMES``: ``PLAY``, ``RELABEL`` or ``ADJUDICATE``.
    cells : int
        Playable cells at or below which a position is an endgame.
    q_scale : float
        0 to learn the visits; else the improved policy, see :func:`improved`.
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
    endgame: int = PLAY
    cells: int = 0
    q_scale: float = 0.0


class Record(NamedTuple):
    """What a task records while it plays.

    Attributes
    ----------
    states : ndarray of uint16, shape (B, 24)
    visits : ndarray of uint16, shape (B, 81)
    values : ndarray of float32 or float64, shape (B,)
        The search's own values for the side to move.
    trust : ndarray of float32 or float64, shape (B,)
        Share of that value in the target.
    number : ndarray of int32 or int64, shape (B,)
        The game a state belongs to.
    last : ndarray of uint16, shape (games, 24)
        The state whose result counts for the whole game: its end, or its first endgame.
    """

    states: States
    visits: NDArray[np.uint16]
    values: NDArray[np.floating[Any]]
    trust: NDArray[np.floating[Any]]
    number: NDArray[np.signedinteger[Any]]
    last: States


def blank(rows: int, games: int) -> Record:
    """A record with room for ``rows`` states and ``games`` games."""
    empty = no_samples(rows)
    return Record(
        empty.states, empty.visits, empty.values, np.zeros(rows, np.float32),
        np.zeros(rows, np.int32), Ultimate().initial(games),
    )  # fmt: skip


@njit(cache=True)
def reset_tree(forest):  # type: ignore[no-untyped-def]
    """Cut the first tree of a forest back to its root."""
    forest.first[0, 0], forest.visits[0, 0], forest.mean[0, 0] = -1, 0, 0.0
    forest.low[0, 0], forest.high[0, 0], forest.used[0] = -1, 1, 1


@njit(**MERGED)
def search_root(forest, s, tables, settings, fully, rules, bits, clean):  # type: ignore[no-untyped-def]
    """Search from a bare root: quickly, or fully and with Dirichlet(1) noise; returns bits, uint64.

    Parameters
    ----------
    clean : ndarray of float64, shape (81,)
        Overwritten by the root's priors before noise.
    """
    reset_tree(forest)
    left, c, fpu = settings.full if fully else settings.fast, settings.c, settings.fpu
    if fully and settings.noise > 0:
        # The second simulation gives the root its priors.
        left -= search(forest, _FIRST, s, tables, min(left, 2), c, fpu, rules, _SOLVE)
        if forest.first[0, 0] >= 0:
            first, size = np.int64(forest.first[0, 0]), np.int64(forest.size[0, 0])
            for i in range(size):
                clean[i] = forest.prior[0, first + i]
            bits = add_noise(forest, 0, settings.noise, bits)
    if left > 0:
        search(forest, _FIRST, s, tables, left, c, fpu, rules, _SOLVE)
    return bits


@njit(cache=True)
def weigh(visits, low, high, weights):  # type: ignore[no-untyped-def]
    """Write the weights of a root's moves as targets: one rule for all networks.

    These are visits; but proven wins get all, in equal shares, and a move that is proven to be
    lost, or worse than another, gets nothing.  If nothing is left, all moves get the same.

    Parameters
    ----------
    visits : ndarray of int32 or float64, shape (C,)
    low, high : ndarray of int8, shape (C,)
        Bounds of the result for the side to move.
    """
    known, total = low.max(), 0.0
    for i in range(len(visits)):
        weights[i] = visits[i]
        if known == 1:
            weights[i] = 1.0 if low[i] == 1 else 0.0
        elif high[i] < known or (known == -1 and high[i] == -1):
            weights[i] = 0.0
        total += weights[i]
    if total == 0:
        weights[: len(visits)] = 1.0


@njit(cache=True)
def targets_of(forest, weights):  # type: ignore[no-untyped-def]
    """Write each root child's weight as a target, see :func:`weigh`; returns their number."""
    begin, size = np.int64(forest.first[0, 0]), np.int64(forest.size[0, 0])
    children = slice(begin, begin + size)
    weigh(forest.visits[0, children], forest.low[0, children], forest.high[0, children], weights)
    return size


@njit(cache=True)
def improved(forest, clean, scale, targets):  # type: ignore[no-untyped-def]
    """Write softmax(logit + sigma(Q)) of the root's children (Danihelka et al., 2022).

    sigma grows with the visits of the most visited move; moves without a visit are assumed to
    be worth as much as the root.

    Parameters
    ----------
    clean : ndarray of float64, shape (81,)
        The root's priors before noise.
    scale : float64
        Factor of sigma(Q).
    targets : ndarray of float64, shape (81,)
        Overwritten, whole numbers.
    """
    begin, size = np.int64(forest.first[0, 0]), np.int64(forest.size[0, 0])
    most, top = 0, -np.inf
    for i in range(size):
        most = max(most, np.int64(forest.visits[0, begin + i]))
    for i in range(size):
        child = begin + i
        q = max(forest.mean[0, child], -1.0) if forest.visits[0, child] > 0 else -forest.mean[0, 0]
        if forest.low[0, child] == forest.high[0, child]:
            q = np.float64(forest.low[0, child])
        scaled = (_TRUST + most) * scale * (q + 1) / 2
        targets[i] = np.log(max(clean[i], 1e-9)) + scaled
        top = max(top, targets[i])
    total = 0.0
    for i in range(size):
        targets[i] = np.exp(targets[i] - top)
        total += targets[i]
    for i in range(size):
        targets[i] = np.floor(targets[i] / total * _FINENESS + 0.5)


@njit(cache=True)
def sample(weights, size, temperature, bits):  # type: ignore[no-untyped-def]
    """Draw an index below ``size`` in proportion to weights^(1 / temperature).

    Returns it with the bits, uint64.
    """
    top, total = weights[:size].max(), 0.0
    for i in range(size):
        total += (weights[i] / top) ** (1 / temperature)
    bits = advance(bits)
    left = uniform(bits) * total
    for i in range(size):
        left -= (weights[i] / top) ** (1 / temperature)
        if left < 0:
            return i, bits
    return np.int64(weights[:size].argmax()), bits


@njit(cache=True)
def begin_at_random(s, plies, rules, bits):  # type: ignore[no-untyped-def]
    """Make 0 to ``plies`` random moves; returns the bits, uint64."""
    bits = advance(bits)
    for _ in range(np.int64(uniform(bits) * (plies + 1))):
        if s[RESULT] == 0:
            bits = advance(bits)
            board, cell = pick(s, bits)
            do(s, board, cell, rules)
    return bits


@njit(cache=True)
def record_sample(record, at, number, s, forest, weights, mix):  # type: ignore[no-untyped-def]
    """Fill row ``at`` with what the search found out about a position of game ``number``."""
    begin = np.int64(forest.first[0, 0])
    record.states[at, :], record.visits[at, :], record.number[at] = s, 0, number
    for i in range(np.int64(forest.size[0, 0])):
        record.visits[at, MOVE[forest.place[0, begin + i]]] = min(weights[i], MOST_VISITS)
    if forest.low[0, 0] == forest.high[0, 0]:
        record.values[at], record.trust[at] = -forest.low[0, 0], 1.0
    else:
        record.values[at], record.trust[at] = -forest.mean[0, 0], mix


@njit(**MERGED)
def one_game(forest, tables, start, settings, rules, bits, record, at, number):  # type: ignore[no-untyped-def]
    """Play a game and record it from row ``at`` on.

    Returns the next free row and the bits, uint64.
    """
    s, judged = start.copy(), False
    weights, clean = np.zeros(81, np.float64), np.ones(81, np.float64)
    bits = begin_at_random(s, settings.opening, rules, bits)
    while s[RESULT] == 0:
        if settings.endgame != PLAY and not judged and count_playable(s) <= settings.cells:
            record.last[number, :], judged = s, True
            if settings.endgame == ADJUDICATE:
                break
        bits = advance(bits)
        fully = uniform(bits) < settings.share
        bits = search_root(forest, s, tables, settings, fully, rules, bits, clean)
        if forest.first[0, 0] < 0:  # a single simulation expands nothing
            search(forest, _FIRST, s, tables, _ONE, settings.c, settings.fpu, rules, _SOLVE)
        size = targets_of(forest, weights)
        i, bits = sample(weights, size, settings.temperature, bits)
        if fully:
            if settings.q_scale > 0 and forest.low[0, 0] < forest.high[0, 0]:
                improved(forest, clean, settings.q_scale, weights)
            record_sample(record, at, number, s, forest, weights, settings.mix)
            at += 1
        move = np.int64(forest.place[0, np.int64(forest.first[0, 0]) + i])
        do(s, move // 9, move % 9, rules)
    if not judged:
        record.last[number, :] = s
    return at, bits


@njit(cache=True, nogil=True)
def play(forest, tables, start, games, settings, rules, bits, record):  # type: ignore[no-untyped-def]
    """Play games one after the other; returns the number of rows written."""
    at = _FIRST
    for number in range(games):
        at, bits = one_game(forest, tables, start, settings, rules, bits, record, at, number)
    return at


def verdicts(states: States, solver: DTWSolver) -> NDArray[np.float32]:
    """Results under best play for the sides to move, 1, 0 or -1, shape (B,)."""
    return np.array([solver.calculate_result(state) for state in states], dtype=np.float32)


def value_targets(
    record: Record, settings: SelfPlaySettings, game: Ultimate
) -> NDArray[np.float32]:
    """Value targets, shape (B,): search and result mixed, or solved."""
    solver = DTWSolver(game.rules, hot_size=1, cold_size=SOLVER_ENTRIES)
    ours = game.to_move(record.states) == game.to_move(record.last)[record.number]
    results = verdicts(record.last, solver)[record.number] * np.where(ours, 1, -1)
    found = record.trust * record.values + (1 - record.trust) * results
    if settings.endgame == RELABEL:
        late = playable(record.states) <= settings.cells
        found[late] = verdicts(record.states[late], solver)
    return np.asarray(found, dtype=np.float32)


def samples_of(record: Record, settings: SelfPlaySettings, game: Ultimate) -> Samples:
    """What there is to learn from a record."""
    return Samples(record.states, record.visits, value_targets(record, settings, game))


def play_games(
    tables: Tables, settings: SelfPlaySettings, game: Ultimate, games: int, rng: np.random.Generator
) -> Samples:
    """Play games of a table net one after the other."""
    record = blank(81 * games, games)
    # A simulation makes some five nodes on average; a search that finds no room ends early.
    forest = trees.allocate(1, 2 * trees.MOST + 14 * max(settings.full, settings.fast))
    begin, bits = game.initial()[0], np.uint64(kernels.seed(rng))
    count = play(forest, tables, begin, games, settings, game.code, bits, record)
    kept = Record._make([*(part[:count].copy() for part in record[:-1]), record.last])
    return samples_of(kept, settings, game)

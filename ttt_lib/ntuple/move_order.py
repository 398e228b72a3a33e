"""Whether tables can order the moves correctly everywhere: the fewest misplayed positions, proved.

A player needs no values, only the right order of moves: in each position one good move (one that
keeps the value) must be worth more than every bad one.  The difference of two moves' sums, a
*lead*, is a row of integers times the weights.  Leads that should all be positive can't be if
positive integer multiples of their rows sum to zero: that is a proof that requires no trust in a
solver.  Integer weights prove the opposite direction.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from ttt_lib.game.board import Floats, Ints
from ttt_lib.game.gametree import solve
from ttt_lib.game.response import reachable, soundness
from ttt_lib.ntuple.network import Network, Patterns
from ttt_lib.ntuple.optimum import design_matrix
from ttt_lib.ntuple.players import table_of

SCALE = 100
"""Weights are rounded to 1/SCALE: too fine to reverse a lead of 1."""


class Need(NamedTuple):
    """What a position asks of the tables.

    Attributes
    ----------
    cells : tuple of int
        The good moves.
    leads : tuple of ndarray of int64, each of shape (K, P + 1)
        For each of them, the rows whose leads must be positive: its sum minus each bad move's.
    """

    cells: tuple[int, ...]
    leads: tuple[Ints, ...]


def needs(patterns: Patterns) -> dict[int, Need]:
    """The positions, by row of the tree, in which tables can go wrong.

    These have a good move and a bad one, but no immediate win, which needs no table.
    Finished games count 0.
    """
    tree, design = solve(patterns.grid), design_matrix(patterns).astype(np.int64)
    design[tree.finished] = 0
    side = tree.grid.to_move(tree.boards)
    found = {}
    for state in np.flatnonzero(~tree.finished):
        cells = np.flatnonzero(tree.legal[state])
        after = tree.children[state][cells]
        good = tree.value[after] == tree.value[state]
        if good.all() or (tree.winner[after] == side[state]).any():
            continue
        leads = (side[state] * (design[row] - design[after[~good]]) for row in after[good])
        found[int(state)] = Need(tuple(map(int, cells[good])), tuple(map(_different, leads)))
    return found


def _different(rows: Ints) -> Ints:
    """Like ``np.unique(rows, axis=0)``, but much faster for a few long rows."""
    places = {row.tobytes(): place for place, row in enumerate(rows)}.values()
    return rows[sorted(places, key=lambda place: rows[place].tolist())]


def missed(wanted: Mapping[int, Need], weights: Ints) -> list[int]:
    """Positions where no good move leads every bad one, for integer weights, shape (P + 1,)."""
    return [
        state
        for state, need in wanted.items()
        if not any((rows @ weights > 0).all() for rows in need.leads)
    ]


# ---------------------------------------------------------------------------- it can't be better


class Contradiction(NamedTuple):
    """Why some good moves can't all lead: the rows, each taken ``times`` times, sum to zero.

    Attributes
    ----------
    cells : tuple of int
        The good move chosen in each position.
    rows : ndarray of int64, shape (K, P + 1)
        Leads of these moves that should be positive.
    times : ndarray of int64, shape (K,)
        Positive integers with ``times @ rows == 0``.
    """

    cells: tuple[int, ...]
    rows: Ints
    times: Ints


def contradictions(wanted: Sequence[Need]) -> list[Contradiction] | None:
    """Prove that no tables play all these positions right; None if some might.

    One contradiction for each way to choose a good move in every position.
    """
    found = []
    for choice in product(*(range(len(need.cells)) for need in wanted)):
        picked = list(zip(wanted, choice, strict=True))
        rows = np.concatenate([need.leads[good] for need, good in picked])
        times = cancelling(rows)
        if times is None:
            return None
        cells = tuple(need.cells[good] for need, good in picked)
        found.append(Contradiction(cells, rows[times > 0], times[times > 0]))
    return found


def cancelling(rows: Ints) -> Ints | None:
    """Integers >= 0, not all zero, with ``times @ rows == 0``; None if there are none.

    A linear program proposes them (Farkas); they are returned only if the sum is exactly zero.

    Raises
    ------
    ArithmeticError
        If the numbers from the linear program turn out not to be such integers.
    """
    from scipy.optimize import linprog

    used = rows.any(axis=0)
    sums = np.vstack([rows[:, used].T, np.ones(len(rows))])
    total = np.append(np.zeros(int(used.sum())), 1.0)
    found = linprog(np.ones(len(rows)), A_eq=sums, b_eq=total, bounds=(0, None), method="highs-ds")
    if found.status == 2:
        return None
    shares = [Fraction(float(x)).limit_denominator(1000) for x in found.x]
    common = math.lcm(*(share.denominator for share in shares))
    times = np.array([int(share * common) for share in shares], dtype=np.int64)
    if not times.any() or (times < 0).any() or (times @ rows).any():
        raise ArithmeticError("the linear program's multipliers do not cancel the rows")
    return times


# ---------------------------------------------------------------------------- it can be this good


def best_order(
    patterns: Patterns,
    *,
    spared: Collection[int] = (),
    cells: Collection[int] = (),
    rounds: int = 1,
) -> Ints:
    """Integer weights that rank good moves above bad ones, regardless of their values' error.

    A good move should lead every bad move by at least 1; a linear program minimises the sum of
    the shortfalls.  The first round asks this of all good moves or, where there are several and
    ``cells`` are given, only of those among ``cells``.  Later rounds ask it only of the move that
    the previous round ranked highest.

    Parameters
    ----------
    spared : collection of int
        Positions in which any move may lead.
    cells : collection of int
        Moves to prefer where several are good.
    rounds : int
        Linear programs to solve, at least 1.

    Returns
    -------
    ndarray of int64, shape (P + 1,)
    """
    wanted = {state: need for state, need in needs(patterns).items() if state not in spared}
    rows = [lead for need in wanted.values() for lead in _first(need, cells)]
    weights = _least_missing(rows)
    for _ in range(rounds - 1):
        weights = _least_missing([_highest(need, weights) for need in wanted.values()])
    return np.round(weights * SCALE).astype(np.int64)


def safe_order(patterns: Patterns, *, rounds: int = 20) -> Ints:
    """Integer weights of a player that nobody can beat, on either side.

    The first weights are those of ``best_order``.  As long as somebody can beat their player, the
    next linear program asks for the right order only in the positions that this player can meet:
    what it does elsewhere never matters.

    Parameters
    ----------
    rounds : int
        Linear programs to solve at most, at least 1.

    Returns
    -------
    ndarray of int64, shape (P + 1,)

    Raises
    ------
    ArithmeticError
        If the player of each linear program can be beaten, which doesn't prove that all can be.
    """
    for weights, player in islice(_orders_where_it_plays(patterns), rounds):
        if soundness(solve(patterns.grid), player).never_loses:
            return weights
    raise ArithmeticError(f"somebody beats the players of all {rounds} linear programs")


def _orders_where_it_plays(patterns: Patterns) -> Iterator[tuple[Ints, Ints]]:
    """Weights and their player's table; all but the first from what the player before them met."""
    tree, wanted, weights = solve(patterns.grid), needs(patterns), best_order(patterns)
    while True:
        player = table_of(as_network(patterns, weights), tree)
        yield weights, player
        met = reachable(tree, player, 1) | reachable(tree, player, -1)
        asked = [_highest(need, weights) for row, need in wanted.items() if met[row]]
        weights = np.round(_least_missing(asked) * SCALE).astype(np.int64)


def _first(need: Need, cells: Collection[int]) -> Iterable[Ints]:
    """The leads that the first round asks for."""
    if not cells or len(need.cells) == 1:
        return need.leads
    return [rows for cell, rows in zip(need.cells, need.leads, strict=True) if cell in cells]


def _highest(need: Need, weights: Floats | Ints) -> Ints:
    """The leads of the good move that is furthest ahead of the bad ones."""
    return max(need.leads, key=lambda rows: float((rows @ weights).min()))


def _least_missing(blocks: Iterable[Ints]) -> Floats:
    """Weights that minimise the sum of the shortfalls of the leads from 1."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    leads = np.unique(np.concatenate(list(blocks)), axis=0)
    count, size = leads.shape
    found = linprog(
        np.concatenate([np.zeros(size), np.ones(count)]),
        A_ub=hstack([csr_array(-leads.astype(np.float64)), -eye_array(count)]).tocsr(),
        b_ub=-np.ones(count),
        bounds=[(None, None)] * size + [(0, None)] * count,
    )
    return np.asarray(found.x[:size])


def as_network(patterns: Patterns, weights: Ints) -> Network:
    """The network with these weights, scaled so that tanh doesn't saturate; order is preserved."""
    return Network(patterns, weights / np.abs(design_matrix(patterns) @ weights).max())

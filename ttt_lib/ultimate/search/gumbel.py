"""Gumbel root selection (Danihelka, Guez, Schrittwieser and Silver, 2022) for the table net.

PUCT spreads a small budget over the root's moves by a rule with guarantees only
in the limit.  Here the root draws ``considered`` moves without replacement from
the policy, by adding Gumbel noise to its logits, and halves their number
repeatedly: all moves still in the running get the same number of simulations,
then the better half by logit + noise + sigma(Q) goes on.  Below the root the
search is PUCT as before.  With exact values the move chosen in this way is, in
expectation, at least as good as a draw from the policy, however small the budget.

The improved policy, softmax(logit + sigma(completed Q)), is what a network would
learn; for moves without a visit, Q is completed by a mixture of the network's value
and the values of the visited moves.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.search.puct_table`, and, for C root moves in order of children,

child : int64
    The node of a root move.
known : int64
    The best result that some root move is known to reach, -1, 0 or 1.
room : Scratch
    Memory of the table net, overwritten.
value : float64
    The network's value of the root for the side to move.
q, points, noise : ndarray of float64, shape (C,) or longer
    Completed Q in [-1, 1]; logit + sigma(Q); Gumbel noise.
visit, scale : float64
    sigma(Q) = (visit + most visits) scale Q, with Q in [0, 1].
order, picks : ndarray of int64, shape (C,)
    Root moves, best first; those in the running.
rounds : ndarray of int64, shape (C,)
    The last round in which each move took part.
size, k : int64
    C; maximum number of moves in the running.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Floats
from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import MOVE, RESULT, States
from ttt_lib.ultimate.board.rules import MOVES
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.network.tablenet_kernels import scratch, value_of
from ttt_lib.ultimate.search import trees
from ttt_lib.ultimate.search.puct_table import check_rules, expand, simulate
from ttt_lib.ultimate.search.tree_search import C_PUCT, FPU, RootView, check_search, view
from ttt_lib.ultimate.search.trees import MOST, PATH, one_of, prove, spot_wins

VISIT = 50.0
"""Visits that sigma adds to those of the most visited move, as published for chess."""

_SURELY = 1e30
"""A width that makes PUCT choose a move at the root; the simulation's back-up overwrites it."""

_ROOT, _ONE, _SOLVE = np.uint64(0), np.int64(1), np.bool_(True)
"""Arguments of the types that PUCT passes; for others numba would compile its kernels again."""

_ROUND, _PROOF = 1e6, 1e12
"""Larger than any difference in points, so that moves of more rounds stay in front; larger than
any difference in rounds."""


@njit(cache=True)
def settled(tree, child, known):  # type: ignore[no-untyped-def]
    """Whether a root move is proven, or can't beat the known result."""
    return tree.low[child] == tree.high[child] or tree.high[child] <= known


@njit(cache=True)
def known_result(tree):  # type: ignore[no-untyped-def]
    """The result that some root move is known to reach, -1 if none is known to do better."""
    begin, known = np.int64(tree.first[0]), -1
    for child in range(begin, begin + np.int64(tree.size[0])):
        known = max(known, np.int64(tree.low[child]))
    return known


@njit(cache=True)
def complete(tree, value, q):  # type: ignore[no-untyped-def]
    """Write ``q`` of each root move: its proven result, or its mean, or if untried a mixture.

    The mixture is that of the network's value of the root, which counts as one visit, and the
    visited moves' mean Q weighted by their priors, which counts as all visits.
    """
    begin, size = np.int64(tree.first[0]), np.int64(tree.size[0])
    visits, weight, total = 0, 0.0, 0.0
    for i in range(size):
        child = begin + i
        if tree.low[child] == tree.high[child]:
            q[i] = tree.low[child]
        else:
            q[i] = max(tree.mean[child], -1.0)  # -inf once nothing can be gained
        if tree.visits[child] > 0:
            visits += tree.visits[child]
            weight += tree.prior[child]
            total += tree.prior[child] * q[i]
    mixed = (value + visits * total / weight) / (1 + visits) if weight > 0 else value
    for i in range(size):
        child = begin + i
        if tree.visits[child] == 0 and tree.low[child] < tree.high[child]:
            q[i] = mixed


@njit(cache=True)
def root_scores(tree, q, visit, scale, points):  # type: ignore[no-untyped-def]
    """Write ``points`` of each root move; sigma grows with the visits of the most visited move."""
    begin, size, most = np.int64(tree.first[0]), np.int64(tree.size[0]), 0
    for i in range(size):
        most = max(most, np.int64(tree.visits[begin + i]))
    for i in range(size):
        logit = np.log(max(np.float64(tree.prior[begin + i]), 1e-30))
        points[i] = logit + (visit + most) * scale * (q[i] + 1) / 2


@njit(cache=True)
def root_of(tree, s, path, tables, room, fpu):  # type: ignore[no-untyped-def]
    """Evaluate and expand a bare root, as the first simulation; returns its value, float64."""
    value = value_of(tables, s, room)
    tree.visits[0], tree.mean[0] = 1, -value
    expand(tree, _ROOT, s, tables, room, fpu)
    if spot_wins(tree, _ROOT, s):
        prove(tree, path, 1)
    return value


@njit(cache=True)
def in_turn(tree, order, size, k, picks):  # type: ignore[no-untyped-def]
    """Write the first ``k`` unsettled moves of an order to ``picks``; returns how many."""
    begin, known, found = np.int64(tree.first[0]), known_result(tree), 0
    for at in range(size):
        if found < k and not settled(tree, begin + order[at], known):
            picks[found] = order[at]
            found += 1
    return found


@njit(cache=True)
def arrange(tree, order, points, noise, rounds):  # type: ignore[no-untyped-def]
    """Write ``order``: proven wins, then by rounds survived, then by points and noise.

    Moves that can't beat a known result, nor are known to reach it, come last, by visits.
    """
    begin, size = np.int64(tree.first[0]), np.int64(tree.size[0])
    known = known_result(tree)
    last, keys = rounds[:size].max(), np.empty(size, np.float64)
    for i in range(size):
        child = begin + i
        secure = tree.low[child] == known and known > -1
        keys[i] = (last if secure else rounds[i]) * _ROUND + points[i] + noise[i]
        if known == 1 and secure:
            keys[i] += _PROOF
        elif not secure and tree.high[child] <= known:
            keys[i] = tree.visits[child] - _PROOF
    for i in range(size):  # insertion sort: the lowest index first among equals
        at = i
        while at > 0 and keys[order[at - 1]] < keys[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i


@njit(cache=True, nogil=True)
def halve(forest, row, root, tables, n, considered, noise, visit, scale, c, fpu, rules, policy):  # type: ignore[no-untyped-def]
    """Spend simulations on a bare tree by sequential halving; returns the place of the move chosen.

    Stops early once the root is proven.

    Parameters
    ----------
    n, considered : int64
        Simulations, > 1; moves in the running at first.
    policy : ndarray of float64, shape (C,) or longer
        Overwritten: the improved policy.
    """
    path, s, tree, room = (
        np.zeros(PATH, np.int64),
        root.copy(),
        one_of(forest, row),
        scratch(tables),
    )
    value = root_of(tree, root, path, tables, room, fpu)
    begin, size = np.int64(tree.first[0]), np.int64(tree.size[0])
    q, points, order = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    rounds, picks = np.zeros(size, np.int64), np.zeros(size, np.int64)
    complete(tree, value, q)
    root_scores(tree, q, visit, scale, points)
    arrange(tree, order, points, noise, rounds)
    k = min(considered, size)
    phases, left, number = max(1, np.int64(np.ceil(np.log2(k)))), n - 1, 0
    while left > 0 and tree.low[0] < tree.high[0]:
        number += 1
        running = in_turn(tree, order, size, k, picks)
        for _ in range(max(1, (n - 1) // (phases * k))):
            for i in range(running):
                child = begin + picks[i]
                if left > 0 and not settled(tree, child, known_result(tree)):
                    rounds[picks[i]] = number
                    tree.width[child] = _SURELY
                    left -= simulate(tree, root, s, path, tables, room, _ONE, c, fpu, rules, _SOLVE)
        complete(tree, value, q)
        root_scores(tree, q, visit, scale, points)
        arrange(tree, order, points, noise, rounds)
        k = max(k // 2, min(k, 2))
    top = points.max()
    policy[:size] = np.exp(points - top)
    policy[:size] /= policy[:size].sum()
    return np.int64(tree.place[begin + order[0]])


@dataclass(frozen=True, eq=False)
class GumbelView:
    """What a search with Gumbel root selection found.

    Attributes
    ----------
    move : int
        The move to play.
    policy : ndarray of float64, shape (81,)
        The improved policy.
    root : RootView
        Visits, values and bounds of the moves.
    """

    move: int
    policy: Floats
    root: RootView


def gumbel_search(
    game: Ultimate,
    state: NDArray[np.uint16],
    tables: Tables,
    simulations: int,
    *,
    considered: int = 16,
    noise: float = 1.0,
    scale: float = 1.0,
    c: float = C_PUCT,
    fpu: float = FPU,
    rng: np.random.Generator | int = 0,
) -> GumbelView:
    """Search a running game; the first simulation evaluates the root.

    Parameters
    ----------
    game : Ultimate
        Under standard or codingame rules.
    state : ndarray of uint16, shape (24,)
    simulations : int
        All of them are spent, unless the result is proven first.
    considered : int
        Moves in the running at first.
    noise : float
        Factor of the Gumbel noise: 1 as published, 0 to pick the best move instead of sampling.
    scale : float
        sigma(Q) = (``VISIT`` + most visits) scale Q, with Q in [0, 1]; as published for chess.
    c, fpu : float
        See :class:`~ttt_lib.ultimate.search.puct_table.TableSearch`.  With c = 0 there is no
        halving: the factor that enforces a move's turn is multiplied by it.

    Raises
    ------
    ValueError
        If simulations < 2, considered < 1, a factor is negative or not finite, the game is over,
        or a table net doesn't know its rules.
    """
    check_search(simulations, c)
    if simulations < 2 or considered < 1:
        raise ValueError(
            "a Gumbel root needs 2 or more simulations and considers 1 or more moves, "
            f"not {simulations} and {considered}"
        )
    if not all(np.isfinite(f) and f >= 0 for f in (noise, scale)):
        raise ValueError("noise and scale must be finite numbers >= 0")
    if state[RESULT]:
        raise ValueError("a finished game has no move to choose")
    forest = trees.allocate(1, (simulations + 2) * MOST)  # a simulation expands one node at most
    gumbels = noise * np.random.default_rng(rng).gumbel(size=MOST)
    chances, policy = np.zeros(MOST), np.zeros(MOVES)
    place = halve(
        forest, 0, state, tables, simulations, considered, gumbels, VISIT, scale, c, fpu,
        check_rules(game).code, chances,
    )  # fmt: skip
    begin, size = int(forest.first[0, 0]), int(forest.size[0, 0])
    policy[MOVE[forest.place[0, begin : begin + size]]] = chances[:size]
    return GumbelView(int(MOVE[place]), policy, view(forest, 0))


def gumbel_agent(
    tables: Tables,
    simulations: int,
    game: Ultimate | None = None,
    *,
    noise: float = 0.0,
    scale: float = 1.0,
) -> Agent:
    """Play by Gumbel root selection; without noise by default."""
    game = game or Ultimate()

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        search = partial(gumbel_search, noise=noise, scale=scale, rng=rng)
        found = [search(game, state, tables, simulations).move for state in states]
        return np.array(found, dtype=np.intp)

    return from_moves(f"Gumbel, {simulations} simulations", game, moves, deterministic=noise == 0)

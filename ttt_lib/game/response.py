"""One player against every opponent: best responses, trade-offs, worst results."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Ints, Mask
from ttt_lib.game.exact import (
    Outcome,
    against_all,
    check_side,
    least_reached,
    misplayed,
    outcome_as,
    reached,
)
from ttt_lib.game.gametree import GameTree

POINTS = (1, 0, -1)
"""What win, draw and loss are worth to a player who counts points."""


class Soundness(NamedTuple):
    """How sound a player is, by enumeration.

    Attributes
    ----------
    worst_x, worst_o : int
        Worst result some opponent can reach (-1, 0, 1) when it plays X, and O.
    misplayed : int
        States, whether reached by its own play or not, where some move it may make loses value.
    """

    worst_x: int
    worst_o: int
    misplayed: int

    @property
    def never_loses(self) -> bool:
        """Whether no opponent wins on either side."""
        return min(self.worst_x, self.worst_o) >= 0


def soundness(tree: GameTree, table: Ints) -> Soundness:
    """How sound a player is: every opponent and every choice among ties is enumerated."""
    x, o = (worst_result(tree, table, side) for side in (1, -1))
    return Soundness(x, o, len(misplayed(tree, table)))


def worst_result(tree: GameTree, table: Ints, side: int) -> int:
    """Worst result of the player of ``side`` against any opponent; also for canonical trees.

    Like :func:`~ttt_lib.game.exact.worst_case` without the line of play, which is
    undefined where boards may be transformed between moves.

    Raises
    ------
    ValueError
        As :func:`~ttt_lib.game.exact.against_all`.
    """
    allowed = against_all(tree, table, side) > 0
    return int(least_reached(tree, allowed, side * tree.winner.astype(np.int64))[0])


def reachable(tree: GameTree, table: Ints, side: int) -> Mask:
    """States that can occur when the player of ``side`` follows its table, shape (S,).

    Raises
    ------
    ValueError
        If side is neither +1 nor -1, or the table is invalid where that side is to move (see
        :func:`~ttt_lib.game.exact.check_table`).
    """
    weights = against_all(tree, table, side)
    return np.asarray(reached(tree, weights, weights) > 0)


def best_response(
    tree: GameTree,
    opponent: Ints,
    side: int,
    worth: Sequence[int | Fraction] = POINTS,
    *,
    allowed: Mask | None = None,
) -> Ints:
    """The policy with the highest expected payoff against a known opponent.

    One pass of backward induction, maximising on the player's own plies and
    averaging on the opponent's, exactly: each layer shares one denominator.

    Parameters
    ----------
    opponent : ndarray of int64, shape (S, cells)
        The opponent's weights, see :func:`ttt_lib.game.exact.policy_table`.
    side : int
        +1 if the player is X, -1 if O.
    worth : three numbers
        What a win, a draw and a loss are worth to the player.
    allowed : ndarray of bool, shape (S, cells), or None
        Legal moves to choose from, such as :func:`safe_moves`; None: all.

    Returns
    -------
    ndarray of int64, shape (S, cells)
        Weight 1 on every best move; 0 elsewhere, and on the opponent's plies.

    Raises
    ------
    ValueError
        If side is neither +1 nor -1, or the opponent's table is invalid where it is to move (see
        :func:`~ttt_lib.game.exact.check_table`) or its dtype is not integer; if a move that is
        allowed is not legal, or none is allowed in an unfinished state; or if worth is not three
        numbers.
    """
    if len(worth) != 3:
        raise ValueError(f"a win, a draw and a loss need three worths, not {len(worth)}")
    commons, sums = _denominators(tree, opponent, side), opponent.sum(axis=1)
    allowed, table = tree.legal if allowed is None else allowed, np.zeros_like(opponent)
    _check_allowed(tree, allowed)
    value, least = _ends(tree, side, worth, commons)
    for ply in reversed(range(tree.grid.cells)):
        rows, after = tree.layer(ply), value[tree.children[tree.layer(ply)]]
        if (ply % 2 == 0) == (side == 1):
            best = np.where(allowed[rows], after, least).max(axis=1)
            table[rows] = allowed[rows] & (after == best[:, None])
        else:
            scale = commons[ply] // np.maximum(sums[rows], 1).astype(value.dtype)
            best = (opponent[rows] * scale[:, None] * after).sum(axis=1)
        value[rows] = np.where(tree.finished[rows], value[rows], best)
    return table


def _denominators(tree: GameTree, opponent: Ints, side: int) -> list[int]:
    """A common denominator of the opponent's chances at each ply; 1 where ``side`` is to move.

    Raises
    ------
    ValueError
        As :func:`best_response`.
    """
    check_side(side)
    against_all(tree, opponent, -side)
    if opponent.dtype.kind not in "iu":
        raise ValueError(f"a best response needs whole-number weights, not {opponent.dtype}")
    sums = opponent.sum(axis=1)
    return [
        1 if (ply % 2 == 0) == (side == 1) else lcm(*{int(s) for s in sums[tree.layer(ply)] if s})
        for ply in range(tree.grid.cells)
    ]


def _ends(
    tree: GameTree, side: int, worth: Sequence[int | Fraction], commons: Sequence[int]
) -> tuple[Ints | NDArray[np.object_], int]:
    """What each state would be worth as a final one, in integers, and a number below them all.

    Parameters
    ----------
    commons : sequence of int
        A layer's denominator as a multiple of the next one's, one for each ply.

    Returns
    -------
    ndarray of int64, or of Python's int where these might overflow, shape (S,)
    int
    """
    fractions = [Fraction(w) for w in worth]
    whole = lcm(*(w.denominator for w in fractions))
    most = max(Fraction(1), *map(abs, fractions)) * whole * prod(commons)
    dtype = np.int64 if most < 2**62 else object
    layers = [prod(commons[ply:]) * whole for ply in range(len(commons) + 1)]
    table = [[int(w * layer) for w in fractions] for layer in layers]
    return np.array(table, dtype=dtype)[tree.ply, 1 - side * tree.winner], -int(most) - 1


def frontier(tree: GameTree, opponent: Ints, side: int) -> list[Outcome]:
    """The best trade-offs between winning often and losing rarely against a known opponent.

    The achievable chances of win and loss form a convex polygon.  Its upper left
    vertices (the Pareto frontier: no more wins without more losses) are listed from
    the safest to the most daring.  A new vertex between two neighbours is sought by
    pricing a loss at the slope of the edge between them.

    Parameters
    ----------
    opponent : ndarray of int64, shape (S, cells)
        The opponent's weights, see :func:`ttt_lib.game.exact.policy_table`.
    side : int
        +1 if the player is X, -1 if O.

    Returns
    -------
    list of Outcome
        From the player's own side.

    Raises
    ------
    ValueError
        As :func:`best_response`.
    """

    def between(a: Outcome, b: Outcome) -> list[Outcome]:
        if a.loss == b.loss:
            return []
        price = (b.win - a.win) / (b.loss - a.loss)
        c = response_outcome(tree, opponent, side, (1, 0, -price))
        if c.win - price * c.loss <= a.win - price * a.loss:
            return []
        return [*between(a, c), c, *between(c, b)]

    # Chances that differ do so by at least 1 / (weight - 1), so this weight is lexicographic.
    weight = prod(_denominators(tree, opponent, side)) + 1
    safest = response_outcome(tree, opponent, side, (1, 0, -weight))
    daring = response_outcome(tree, opponent, side, (weight, 0, -1))
    return _corners([*dict.fromkeys([safest, *between(safest, daring), daring])])


def _corners(chain: list[Outcome]) -> list[Outcome]:
    """Drop the points that lie on the straight line between their neighbours."""
    inner = [
        b
        for a, b, c in zip(chain, chain[1:], chain[2:], strict=False)
        if (b.win - a.win) * (c.loss - b.loss) != (c.win - b.win) * (b.loss - a.loss)
    ]
    return [*chain[:1], *inner, *chain[1:][-1:]]


def response_outcome(
    tree: GameTree,
    opponent: Ints,
    side: int,
    worth: Sequence[int | Fraction] = POINTS,
    *,
    allowed: Mask | None = None,
) -> Outcome:
    """Exact chances of :func:`best_response` against its opponent, from the player's side.

    Raises
    ------
    ValueError
        As :func:`best_response`.
    """
    table = best_response(tree, opponent, side, worth, allowed=allowed)
    return outcome_as(tree, side, table, opponent)


def _check_allowed(tree: GameTree, allowed: Mask) -> None:
    legal = tree.legal
    if allowed.shape != legal.shape or (allowed & ~legal).any():
        raise ValueError(f"allowed moves must be legal, in an array of shape {legal.shape}")
    if not np.array_equal(allowed.any(axis=1), legal.any(axis=1)):
        raise ValueError("in every unfinished state some move must be allowed")


def safe_moves(tree: GameTree, side: int) -> Mask:
    """Legal moves after which no opponent can force a loss; in a lost position, all; (S, cells).

    Raises
    ------
    ValueError
        If side is neither +1 nor -1.
    """
    worth = check_side(side) * tree.value
    return np.asarray(tree.legal & (worth[tree.children] >= np.minimum(worth, 0)[:, None]))

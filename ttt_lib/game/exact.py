"""Exact results on enumerated games: matches as fractions, worst cases, mistakes.

Two policy tables and one pass from the last layer to the first give the exact
chances of win, draw and loss, as floats or as fractions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats, Ints, Mask
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import Agent, best_moves

MAX_WEIGHT = 2**53
"""Largest weight of a move, so that row sums fit in int64."""


class Outcome(NamedTuple):
    """Exact chances of a match from the first-named player's side; they sum to 1."""

    win: Fraction
    draw: Fraction
    loss: Fraction

    @property
    def expected(self) -> Fraction:
        """Expected result, win = 1, draw = 0, loss = -1."""
        return self.win - self.loss

    def reversed(self) -> Outcome:
        """The same match from the other side."""
        return Outcome(self.loss, self.draw, self.win)


@dataclass(frozen=True, eq=False)
class ExactValues:
    """Exact chances from every state: ``counts[s] / denominators[ply of s]``.

    Attributes
    ----------
    counts : ndarray, shape (S, 3)
        Numerators of X wins, draw, O wins; int64, or Python ints where those overflow.
    denominators : list of int
        One common denominator per ply.
    """

    tree: GameTree
    counts: NDArray[Any]
    denominators: list[int]

    def __getitem__(self, state: int) -> Outcome:
        """The chances from one state, from X's side."""
        below = self.denominators[int(self.tree.ply[state])]
        win, draw, loss = (Fraction(int(count), below) for count in self.counts[state])
        return Outcome(win, draw, loss)


def policy_table(agent: Agent, tree: GameTree) -> Ints:
    """An agent's integer weights on every state, shape (S, cells); 0 on finished ones.

    Raises
    ------
    ValueError
        If the agent can't state its weights, plays another game, or the tree is
        canonical and the agent does not treat symmetric boards alike; if its
        weights are not whole numbers, negative, too large, not 0 on an illegal move or 0 on all
        legal ones.
    """
    if agent.weights is None:
        raise ValueError(f"{agent.name} can't state its move probabilities: use match (ttt match)")
    if agent.game != tree.grid:
        raise ValueError(f"{agent.name} plays {agent.game.name}, not {tree.grid.name}")
    if tree.canonical and not agent.symmetric:
        raise ValueError(f"{agent.name} plays symmetric boards differently: use match (ttt match)")
    table = np.zeros(tree.children.shape, dtype=np.int64)
    running = ~tree.finished
    weights = np.asarray(agent.weights(tree.boards[running]))
    if weights.dtype.kind not in "biu":
        raise ValueError(
            f"{agent.name}: an exact match needs whole-number weights, not {weights.dtype}"
        )
    table[running] = weights
    try:
        return check_table(tree, table)
    except ValueError as error:
        raise ValueError(f"{agent.name}: {error}") from None


def check_table(tree: GameTree, table: NDArray[Any]) -> NDArray[Any]:
    """Return a table of weights or chances after checking it.

    Raises
    ------
    ValueError
        If its shape is wrong, or weights are negative, too large, not 0 on an
        illegal move or 0 on all legal ones.
    """
    if np.shape(table) != tree.children.shape:
        raise ValueError(f"a table has shape {tree.children.shape}, not {np.shape(table)}")
    in_range, given = table.min() >= 0 and table.max() <= MAX_WEIGHT, table.astype(np.bool_)
    if not in_range or (given & ~tree.legal).any() or _without_moves(tree, given):
        raise ValueError(
            "weights must be 0 to 2**53 on legal moves, not 0 on all of them, and 0 elsewhere"
        )
    return table


def _without_moves(tree: GameTree, given: Mask) -> bool:
    """Whether some running state has none of the given moves, shape (S, cells)."""
    some = np.einsum("sm->s", given)  # any(axis=1), which takes twice as long
    return bool((~some)[~tree.finished].any())


def _joined(tree: GameTree, x: NDArray[Any], o: NDArray[Any]) -> NDArray[Any]:
    """One checked table for both players: in each state, the weights of the side to move."""
    if np.shape(x) != np.shape(o):
        raise ValueError(f"tables of one match differ in shape: {np.shape(x)}, {np.shape(o)}")
    return check_table(tree, np.where(tree.ply[:, None] % 2, o, x))


def exact_values(tree: GameTree, x: Ints, o: Ints) -> ExactValues:
    """Exact chances from every state when X plays table ``x`` and O plays table ``o``.

    Each layer shares one denominator, so the whole pass is integer arithmetic.

    Parameters
    ----------
    x, o : ndarray of int64, shape (S, cells)
        Weights of the moves, see :func:`policy_table`; each is used where its side is to move.

    Raises
    ------
    ValueError
        If a table is invalid (see :func:`check_table`) or its dtype is not integer.
    """
    table, plies = _joined(tree, x, o), range(tree.grid.cells)
    if table.dtype.kind not in "iu":
        raise ValueError(f"an exact match needs whole-number weights, not {table.dtype}")
    sums = [table[tree.layer(ply)].sum(axis=1) for ply in plies]
    commons = [math.lcm(*{int(s) for s in row if s}) for row in sums]
    denominators = [math.prod(commons[ply:]) for ply in range(len(commons) + 1)]
    dtype = np.int64 if denominators[0] < 2**62 else object
    counts = _endings(tree).astype(dtype)
    counts *= np.array(denominators, dtype=dtype)[tree.ply, None]
    for ply in reversed(plies):
        scale = commons[ply] // np.maximum(sums[ply], 1).astype(dtype)
        weights = table[tree.layer(ply)].astype(dtype) * scale[:, None]
        counts[tree.layer(ply)] += _mix(tree, weights, counts, ply)
    return ExactValues(tree, counts, denominators)


def float_values(tree: GameTree, x: Floats, o: Floats) -> Floats:
    """The chances of :func:`exact_values` in floats, shape (S, 3).

    Parameters
    ----------
    x, o : ndarray of float64, shape (S, cells)
        Chances of the moves; each is used where its side is to move.

    Raises
    ------
    ValueError
        If a table is invalid (see :func:`check_table`) or a row does not sum to 1.
    """
    table = _joined(tree, x, o)
    if np.abs(np.einsum("sm->s", table) - ~tree.finished).max() > 1e-9:
        raise ValueError("the chances of a running state must sum to 1")
    values = _endings(tree).astype(np.float64)
    for ply in reversed(range(tree.grid.cells)):
        values[tree.layer(ply)] += _mix(tree, table[tree.layer(ply)], values, ply)
    return values


def reached(tree: GameTree, x: NDArray[Any], o: NDArray[Any]) -> Floats:
    """How likely a game meets each state when X plays table ``x`` and O plays ``o``, shape (S,).

    Raises
    ------
    ValueError
        If a table is invalid (see :func:`check_table`).
    """
    chances, met = as_chances(_joined(tree, x, o)), np.zeros(len(tree))
    met[0] = 1
    for ply in range(tree.grid.cells):
        rows = tree.layer(ply)
        state, move = np.nonzero(chances[rows])
        steps = met[rows][state] * chances[rows][state, move]
        np.add.at(met, tree.children[rows][state, move], steps)
    return met


def exact_match(x: Agent, o: Agent, tree: GameTree) -> Outcome:
    """Exact chances of a match from X's side.

    Raises
    ------
    ValueError
        As :func:`policy_table`.
    """
    return exact_values(tree, policy_table(x, tree), policy_table(o, tree))[0]


def check_side(side: int) -> int:
    """Return the side; ValueError unless it is +1 (X) or -1 (O)."""
    if side not in (1, -1):
        raise ValueError(f"a side is +1 (X) or -1 (O), not {side}")
    return side


def outcome_as(tree: GameTree, side: int, player: Ints, other: Ints) -> Outcome:
    """Exact chances of one table against another, from the player's own side.

    Parameters
    ----------
    side : int
        +1 if the player is X, -1 if it is O.
    player, other : ndarray of int64, shape (S, cells)
        Weights of the moves, see :func:`policy_table`.

    Raises
    ------
    ValueError
        If side is neither +1 nor -1, or as :func:`exact_values`.
    """
    if check_side(side) == 1:
        return exact_values(tree, player, other)[0]
    return exact_values(tree, other, player)[0].reversed()


def as_chances(table: NDArray[Any]) -> Floats:
    """Weights of the moves as chances, shape (S, cells); zeros stay where all weights are 0."""
    total = table.sum(axis=1, keepdims=True)
    return np.asarray(table / np.where(total > 0, total, 1))


def random_outcome(tree: GameTree, state: int) -> Outcome:
    """Exact chances when both sides move at random from a state, from X's side."""
    counts = tree.random_play[state]
    return Outcome(*(Fraction(int(count), int(counts.sum())) for count in counts))


def random_expected(tree: GameTree) -> Floats:
    """Expected result from every state when both sides move at random, from X's side, (S,)."""
    counts = tree.random_play
    return np.asarray((counts[:, 0] - counts[:, 2]) / counts.sum(axis=1))


def scores_of_values(tree: GameTree, values: Floats) -> Floats:
    """What each move is worth to the mover, one ply ahead, shape (S, cells); -inf: not legal.

    Parameters
    ----------
    values : ndarray of float64, shape (S,)
        Values from X's side; those of finished states are not read, as their results are known.
    """
    known = np.where(tree.finished, tree.winner, values)
    side = tree.grid.to_move(tree.boards)[:, None]
    return np.where(tree.legal, side * known[tree.children], -np.inf)


def table_of_values(tree: GameTree, values: Floats) -> Ints:
    """Weights of the player of best :func:`scores_of_values`, ties uniform, shape (S, cells)."""
    table = np.zeros(tree.children.shape, dtype=np.int64)
    running = ~tree.finished
    table[running] = best_moves(scores_of_values(tree, values)[running])
    return table


def _endings(tree: GameTree) -> NDArray[np.int64]:
    """One-hot results of the finished states, zeros in the others, shape (S, 3)."""
    return np.asarray(tree.finished[:, None] * np.eye(3, dtype=np.int64)[1 - tree.winner])


def _mix(tree: GameTree, weights: NDArray[Any], values: NDArray[Any], ply: int) -> NDArray[Any]:
    """Weighted sum of the children's values; an illegal move has weight 0, so its child is moot."""
    after = values[tree.children[tree.layer(ply)]]
    if after.dtype == object:
        return np.asarray((weights[:, :, None] * after).sum(axis=1))
    return np.asarray(np.einsum("sm,smk->sk", weights, after))


class Worst(NamedTuple):
    """The worst result from the agent's side, and a shortest game that reaches it."""

    worst: int
    line: list[int]


def worst_case(tree: GameTree, weights: Ints, side: int) -> Worst:
    """Worst result that some opponent reaches with positive probability.

    Parameters
    ----------
    weights : ndarray of int64, shape (S, cells)
        The agent's table; every move of positive weight may be played.
    side : int
        +1 if the agent is X, -1 if it is O.

    Returns
    -------
    Worst
        The result (-1, 0, 1), and both players' moves of a shortest such game
        from the empty board (lowest indices first).

    Raises
    ------
    ValueError
        If side is neither +1 nor -1, the table is invalid (see :func:`check_table`), or
        the tree is canonical: the moves of the line would refer to transformed boards.
    """
    check_side(side)
    if tree.canonical:
        raise ValueError("a worst case needs the tree of all states, not of canonical forms")
    allowed = against_all(tree, weights, side) > 0
    # A single number ranks endings: by worse result first, then by earlier end.
    horizon = tree.grid.cells + 1
    ranks = side * tree.winner.astype(np.int64) * horizon + tree.ply
    rank = least_reached(tree, allowed, ranks)
    return Worst(int(rank[0] // horizon), _follow(tree, allowed, rank))


def against_all(tree: GameTree, table: Ints, side: int) -> Ints:
    """A player's weights where it is to move, weight 1 on all legal moves elsewhere; (S, cells).

    Raises
    ------
    ValueError
        If side is neither +1 nor -1, or the table is invalid where that side is to move (see
        :func:`check_table`).
    """
    own = tree.grid.to_move(tree.boards) == check_side(side)
    return check_table(tree, np.where(own[:, None], table, tree.legal))


def least_reached(tree: GameTree, allowed: Mask, values: Ints) -> Ints:
    """The least value of an end that allowed moves of both sides lead to, shape (S,).

    Parameters
    ----------
    allowed : ndarray of bool, shape (S, cells)
        Some legal moves of every running state.
    values : ndarray of int64, shape (S,)
        Of finished states; those of running ones are not read.
    """
    least = values.copy()
    for ply in reversed(range(tree.grid.cells)):
        rows = tree.layer(ply)
        after = least[tree.children[rows]]
        best = np.where(allowed[rows], after, np.iinfo(after.dtype).max).min(axis=1)
        least[rows] = np.where(tree.finished[rows], least[rows], best)
    return least


def _follow(tree: GameTree, allowed: NDArray[np.bool_], rank: Ints) -> list[int]:
    """Moves from the empty board that preserve its rank, lowest indices first."""
    state, line = 0, []
    while not tree.finished[state]:
        children = tree.children[state]
        move = int(np.flatnonzero(allowed[state] & (rank[children] == rank[state]))[0])
        line.append(move)
        state = int(children[move])
    return line


def misplayed(tree: GameTree, weights: Ints) -> Ints:
    """Rows of the running states where some move of positive weight loses minimax value.

    Raises
    ------
    ValueError
        If the table is invalid, see :func:`check_table`.
    """
    wrong = (check_table(tree, weights) > 0) & ~value_moves(tree)
    return np.flatnonzero(wrong.any(axis=1))


def value_moves(tree: GameTree) -> Mask:
    """Moves that keep the minimax value, shape (S, cells)."""
    return np.asarray(tree.legal & (tree.value[tree.children] == tree.value[:, None]))

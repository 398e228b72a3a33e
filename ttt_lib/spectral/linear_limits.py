"""How far any score that is linear in the stones can go, exactly.

Such a score makes the policy a fixed list of cells for each side.  A list's accuracy is a
sum over its positions of a gain that depends only on which cells come before, so the best
list is found over the 512 subsets of cells instead of the 362,880 orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from ttt_lib.game.board import Boards, Floats, Grid, Ints, Mask
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.policy import Agent, first, from_scores, from_weights
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.labels import good_moves

KINDS = ((4,), (0, 2, 6, 8), (1, 3, 5, 7))
"""Centre, corners, edges."""


@dataclass(frozen=True)
class Ceiling:
    """The most states that two fixed lists can get right.

    Attributes
    ----------
    hits, total : int
        States where the list's cell is a wanted move, and all running states.
    orders : tuple of tuple of int
        A best list for X and for O.
    """

    hits: int
    total: int
    orders: tuple[tuple[int, ...], ...]

    @property
    def share(self) -> Fraction:
        """Best possible accuracy."""
        return Fraction(self.hits, self.total)


def ceiling(wanted: Mask, tree: GameTree) -> Ceiling:
    """The best accuracy of all pairs of fixed lists, by dynamic programming over subsets.

    Parameters
    ----------
    wanted : ndarray of bool, shape (S, cells)
        The moves that count as right.
    """
    running = ~tree.finished
    sides = [running & (tree.ply % 2 == parity) for parity in (0, 1)]
    found = [best_order(tree.boards[side] == 0, wanted[side]) for side in sides]
    orders = tuple(order for _, order in found)
    return Ceiling(sum(hits for hits, _ in found), int(running.sum()), orders)


def best_order(empty: Mask, wanted: Mask) -> tuple[int, tuple[int, ...]]:
    """The number of hits of the best list of cells, and that list.

    Parameters
    ----------
    empty, wanted : ndarray of bool, shape (S, cells)
        Free cells and right moves of the states.
    """
    cells = empty.shape[1]
    codes = empty @ (1 << np.arange(cells))
    # right[c, E]: number of states whose set of free cells is E and where c is right.
    right = np.stack([np.bincount(codes[wanted[:, c]], minlength=1 << cells) for c in range(cells)])
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())] * (1 << cells)
    subsets = np.arange(1 << cells)
    for before in range(1, 1 << cells):
        choices = []
        for last in (c for c in range(cells) if before >> c & 1):
            earlier = before & ~(1 << last)
            gain = right[last][(subsets & earlier == 0) & (subsets >> last & 1 == 1)].sum()
            choices.append((best[earlier][0] + int(gain), (*best[earlier][1], last)))
        best[before] = max(choices, key=lambda choice: choice[0])
    return best[-1]


TIE_RULES = ("lowest index", "at random", "luckiest")


def class_ceiling(wanted: Mask, tree: GameTree, ties: str, *, level: bool = False) -> Fraction:
    """The best accuracy that symmetry-averaged features allow, by tie-breaking rule.

    Such a score ranks the three kinds of cells.  Within the best kind that has a free cell the
    move is the lowest index, or drawn at random (an expected accuracy), or the luckiest choice in
    every state, an upper bound for any way of breaking ties, rounding included.

    Parameters
    ----------
    wanted : ndarray of bool, shape (S, cells)
        The moves that count as right.
    ties : {"lowest index", "at random", "luckiest"}
    level : bool
        Also let kinds have the same score (13 rankings per side instead of 6).

    Raises
    ------
    ValueError
        If the rule is none of these.
    """
    if ties not in TIE_RULES:
        raise ValueError(f"unknown rule for ties {ties!r}: {', '.join(TIE_RULES)}")
    rankings = [levels for levels in weak_orders() if level or len(levels) == len(KINDS)]
    running = ~tree.finished
    hits = Fraction(0)
    for parity in (0, 1):
        side = running & (tree.ply % 2 == parity)
        free, good = np.asarray(tree.boards[side] == 0), wanted[side]
        hits += max(_hits_of_levels(levels, free, good, ties) for levels in rankings)
    return hits / int(running.sum())


def weak_orders() -> list[tuple[tuple[int, ...], ...]]:
    """Every way to rank centre, corners and edges, with tied kinds grouped together."""
    ranks = {
        tuple(sorted(set(way)).index(rank) for rank in way) for way in product(range(3), repeat=3)
    }
    return [
        tuple(
            tuple(sorted(c for kind, r in zip(KINDS, way, strict=True) if r == rank for c in kind))
            for rank in range(max(way) + 1)
        )
        for way in sorted(ranks)
    ]


def _hits_of_levels(
    levels: Sequence[tuple[int, ...]], free: Mask, good: Mask, ties: str
) -> Fraction:
    """Number of states hit by taking a free cell of the first level that has one."""
    best = np.zeros_like(free)
    for level in reversed(levels):
        here = np.zeros_like(free)
        here[:, list(level)] = free[:, list(level)]
        best[here.any(axis=1)] = here[here.any(axis=1)]
    if ties == "lowest index":
        return Fraction(int(good[np.arange(len(good)), best.argmax(axis=1)].sum()))
    right, of = (best & good).sum(axis=1), best.sum(axis=1)
    if ties == "luckiest":
        return Fraction(int((right > 0).sum()))
    return sum((Fraction(int(r), int(n)) for r, n in zip(right, of, strict=True)), Fraction(0))


def list_agent(x_order: Sequence[int], o_order: Sequence[int]) -> Agent:
    """The 3x3 agent that takes the first free cell of its side's list."""
    grid = Grid(3)
    ranks = np.empty((2, grid.cells))
    for side, order in enumerate((x_order, o_order)):
        ranks[side, list(order)] = np.arange(grid.cells, 0, -1)

    def scores(boards: Boards) -> Floats:
        side = (grid.to_move(boards) < 0).astype(np.intp)
        return np.where(grid.legal(boards), ranks[side], -np.inf)

    return from_scores("list", grid, scores, ties="first")


def labelled_agent() -> Agent:
    """The 3x3 player that always makes the labelled move, as a perfectly trained model would."""
    tree = solve(Grid(3))
    table = first(good_moves(tree)).astype(np.int64)

    def weights(boards: Boards) -> Ints:
        return np.asarray(table[tree.index(boards)])

    return from_weights("labels", tree.grid, weights)


def averaged_rank(n: int) -> int:
    """Rank of one channel's symmetry-averaged features: one number per kind of cell."""
    grid = Grid(n)
    single = np.eye(grid.cells, dtype=np.int8)
    features = dct_features(single, grid, symmetric=True)[:, : grid.cells]
    return int(np.linalg.matrix_rank(features))


def cell_kinds(n: int) -> int:
    """Number of kinds of cells that no symmetry maps to each other."""
    images = Grid(n).symmetries
    return len({tuple(sorted(set(images[:, cell]))) for cell in range(n * n)})


def surviving_frequencies(n: int) -> list[tuple[int, int]]:
    """Pairs u <= v whose averaged coefficient is not identically zero: both must be even."""
    grid = Grid(n)
    features = dct_features(np.eye(grid.cells, dtype=np.int8), grid, symmetric=True)
    alive = np.abs(features[:, : grid.cells]).max(axis=0) > 1e-12
    return [(u, v) for u in range(n) for v in range(u, n) if alive[n * u + v]]

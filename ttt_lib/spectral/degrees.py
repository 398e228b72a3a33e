"""How much of the game each degree explains: polynomials of the stones fitted to exact values.

A product of k stones ("X here and O there and ...") has degree k.  The value of a board
does not change under symmetry, and neither does the set of boards it is fitted on, so the
best polynomial is symmetric too: one coefficient per class of symmetric products is enough,
and the fit is the same as with all products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Literal

import numpy as np

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.exact import random_expected
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_evaluator

Target = Literal["minimax", "random"]
Degree = int | Literal["lines"]
Product = tuple[tuple[int, int], ...]

GRID = Grid(3)


@cache
def orbit(term: Product) -> frozenset[Product]:
    """All symmetric images of a product, written as sorted (cell, colour) pairs."""
    return frozenset(
        tuple(sorted((int(image[cell]), colour) for cell, colour in term))
        for image in GRID.symmetries
    )


@cache
def classes(degree: int) -> tuple[frozenset[Product], ...]:
    """The classes of products of at most ``degree`` stones on different cells; the first is 1."""
    terms = [
        tuple(zip(cells, colours, strict=True))
        for k in range(degree + 1)
        for cells in combinations(range(GRID.cells), k)
        for colours in product((1, -1), repeat=k)
    ]
    return tuple(dict.fromkeys(orbit(term) for term in terms))


@cache
def line_classes() -> tuple[frozenset[Product], ...]:
    """The classes of products whose stones all lie on one line: what 8 line tables can express."""
    lines = [set(line) for line in GRID.lines.tolist()]

    def cells(members: frozenset[Product]) -> set[int]:
        return {cell for cell, _ in next(iter(members))}

    return tuple(c for c in classes(3) if any(cells(c) <= line for line in lines))


def monomials(boards: Boards, chosen: tuple[frozenset[Product], ...]) -> Floats:
    """Sum of each class's products on each board, shape (B, classes)."""
    bits = 1 << np.arange(GRID.cells)
    stones = (boards == 1) @ bits | (boards == -1) @ bits << GRID.cells
    out = np.empty((len(boards), len(chosen)))
    for column, members in enumerate(chosen):
        masks = np.array([_mask(term) for term in members])
        out[:, column] = (stones & masks[:, None] == masks[:, None]).sum(axis=0)
    return out


def _mask(term: Product) -> int:
    """A product's stones as bits: X's cells, then O's."""
    return sum(1 << (cell if colour == 1 else GRID.cells + cell) for cell, colour in term)


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A least-squares polynomial of the board's value from X's side.

    Attributes
    ----------
    chosen : tuple of classes
    weights : ndarray of float64, shape (2, classes)
        For boards with X to move and with O to move; equal where the side is not an input.
    r2 : float
        Share of the variance over all 5477 boards after a move that is explained.
    rank : int
        How many of the coefficients are independent on these boards.
    """

    chosen: tuple[frozenset[Product], ...]
    weights: Floats
    r2: float
    rank: int

    def __call__(self, after: Boards) -> Floats:
        """Value for the player who has just moved, shape (B,)."""
        to_move = GRID.to_move(after)
        rows = self.weights[(to_move < 0).astype(np.intp)]
        return np.asarray(-to_move * (monomials(after, self.chosen) * rows).sum(axis=1))

    @property
    def size(self) -> int:
        """Number of coefficients that are fitted."""
        same = np.array_equal(self.weights[0], self.weights[1])
        return int(self.weights[0].size if same else self.weights.size)


@cache
@read_only
def fit(degree: Degree, *, sided: bool, target: Target = "minimax") -> Polynomial:
    """Fit the exact value of all boards after a move.

    Parameters
    ----------
    degree : int or "lines"
        Largest number of stones in a product, 1 to 9; ``"lines"``: only products within one
        of the eight lines.
    sided : bool
        Whether the side to move is an input (that is, multiplied with every product).
    target : {"minimax", "random"}
        The value under perfect play, or the expected result under random play.

    Raises
    ------
    ValueError
        If the degree is outside 1..9 or the target is unknown.
    """
    if degree != "lines" and degree not in range(1, 10):
        raise ValueError(f"a degree is 1 to 9, or 'lines', not {degree!r}")
    chosen = line_classes() if degree == "lines" else classes(degree)
    tree = solve(GRID)
    features, values = monomials(tree.boards[1:], chosen), target_values(target)[1:]
    sides = tree.ply[1:] % 2
    groups = [sides == 0, sides == 1] if sided else [sides >= 0] * 2
    fits = [np.linalg.lstsq(features[g], values[g], rcond=1e-10) for g in groups]
    weights = np.stack([fitted[0] for fitted in fits])
    left = values - (features * weights[sides]).sum(axis=1)
    rank = sum(int(fitted[2]) for fitted in fits[: 1 + sided])
    return Polynomial(chosen, weights, float(1 - left.var() / values.var()), rank)


def target_values(target: Target) -> Floats:
    """Exact value of every state from X's side, shape (S,).

    Raises
    ------
    ValueError
        If the target is unknown.
    """
    tree = solve(GRID)
    if target == "minimax":
        return tree.value.astype(np.float64)
    if target != "random":
        raise ValueError(f"unknown target {target!r}: minimax or random")
    return random_expected(tree)


def player(polynomial: Polynomial) -> Agent:
    """The agent that plays by a polynomial, uniform among ties; it has to see ends by itself."""
    return from_evaluator("polynomial", GRID, polynomial, ends=False, symmetric=True)

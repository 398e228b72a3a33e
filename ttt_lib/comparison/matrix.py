"""Every player against every other on 3x3, in fractions, and what such a matrix shows.

A *margin* is the mean result of two games, one on each side: win 1, draw 0, loss -1.  It is
0 for a player against itself, and changes sign when the two are swapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linprog

from ttt_lib.catalog import agent
from ttt_lib.game import response
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import Outcome, exact_values, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only

Fractions = NDArray[Any]
"""An array of dtype object that holds Fractions."""

GRID = Grid(3)

PLAYERS = (
    "random",
    *(f"minimax:ties={ties}" for ties in ("uniform", "first", "quick")),
    *(f"lookahead:depth={depth}" for depth in range(1, 7)),
    *("mlp", "mlp:depth=2", "mlp:depth=3", "safety+mlp"),
    *("spectral:safety=no", "spectral", "spectral:symmetric=yes,safety=no"),
    *("spectral:symmetric=yes", "analytical", "hybrid"),
    *("ntuple", "ntuple:depth=2"),
    *("ising", "ising:b=0", "ising:energy=published"),
    *("potential", "potential:b=0.5", "potential:base=3"),
    *("safety+random", "safety+potential", "safety+ising", "safety+ntuple", "safety+minimax"),
)
"""The players of 3x3 that can state their chances, by their names in the catalog."""

RANDOM, PERFECT = "random", "minimax:ties=uniform"


@cache
@read_only
def table(name: str) -> Ints:
    """A player's integer weights on every state of 3x3, shape (S, 9)."""
    return policy_table(agent(name, GRID), solve(GRID))


@dataclass(frozen=True, eq=False)
class Matrix:
    """Exact results of every ordered pair.

    Attributes
    ----------
    names : tuple of str
        The players.
    outcomes : tuple of tuples of Outcome
        ``outcomes[i][j]``: player i as X against player j as O, from X's side.
    """

    names: tuple[str, ...]
    outcomes: tuple[tuple[Outcome, ...], ...]

    @cached_property
    @read_only
    def as_x(self) -> Fractions:
        """Expected result of the row's player as X against the column's as O, shape (n, n)."""
        return np.array([[pair.expected for pair in row] for row in self.outcomes], dtype=object)

    @cached_property
    @read_only
    def margins(self) -> Fractions:
        """Mean result over both sides, from the row's side, shape (n, n)."""
        return np.asarray((self.as_x - self.as_x.T) / 2)

    def index(self, name: str) -> int:
        """The place of a player.

        Raises
        ------
        ValueError
            If the player is not in the matrix.
        """
        if name not in self.names:
            raise ValueError(f"{name!r} does not take part: {', '.join(self.names)}")
        return self.names.index(name)

    def margin(self, first: str, second: str) -> Fraction:
        """The margin of two players by name, from the first one's side."""
        found: Fraction = self.margins[self.index(first), self.index(second)]
        return found

    def only(self, names: Sequence[str]) -> Matrix:
        """The matrix of some of the players, in the given order."""
        rows = [self.index(name) for name in names]
        return Matrix(tuple(names), tuple(tuple(self.outcomes[i][j] for j in rows) for i in rows))


@cache
def matrix(names: tuple[str, ...] = PLAYERS) -> Matrix:
    """Match every player against every other, and itself, on both sides: about 2 ms per pair.

    Raises
    ------
    ValueError
        If a name is unknown, or a player can't state its chances.
    """
    tree, tables = solve(GRID), [table(name) for name in names]
    return Matrix(names, tuple(tuple(exact_values(tree, x, o)[0] for o in tables) for x in tables))


def pairs(found: Matrix) -> pd.DataFrame:
    """One row per ordered pair: x, o, win, draw, loss; fractions as text."""
    rows = [
        [x, o, *map(str, found.outcomes[i][j])]
        for i, x in enumerate(found.names)
        for j, o in enumerate(found.names)
    ]
    return pd.DataFrame(rows, columns=["x", "o", "win", "draw", "loss"])


def alike(found: Matrix) -> list[tuple[str, ...]]:
    """Groups of players that get the same results from everybody, in the order of the names."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for i, name in enumerate(found.names):
        key = (*found.as_x[i], *found.as_x[:, i])
        groups.setdefault(key, []).append(name)
    return [tuple(group) for group in groups.values()]


def distinct(found: Matrix) -> Matrix:
    """The matrix with one player of each group that gets the same results."""
    return found.only([group[0] for group in alike(found)])


def soundness(weights: Ints) -> response.Soundness:
    """How sound a table is on 3x3: it meets every opponent."""
    return response.soundness(solve(GRID), weights)


def standing(found: Matrix) -> pd.DataFrame:
    """The players from the best to the weakest by their mean margin.

    Copies don't count: the mean is over the *distinct* players, with one vote per group of
    identical players, and none for a player's own group.

    Returns
    -------
    DataFrame
        Index: names; columns score, against_random, against_perfect (Fractions), beats,
        loses_to (counts among the distinct), worst_x, worst_o, misplayed.

    Raises
    ------
    ValueError
        If random play or perfect play does not take part.
    """
    random, perfect = found.index(RANDOM), found.index(PERFECT)
    groups = alike(found)
    votes = [found.index(group[0]) for group in groups]
    rows = {}
    for i, name in enumerate(found.names):
        others = [v for v, group in zip(votes, groups, strict=True) if name not in group]
        margins = found.margins[i, others]
        rows[name] = {
            "score": margins.sum() / len(others),
            "against_random": found.margins[i, random],
            "against_perfect": found.margins[i, perfect],
            "beats": int((margins > 0).sum()),
            "loses_to": int((margins < 0).sum()),
            **soundness(table(name))._asdict(),
        }
    return pd.DataFrame.from_dict(rows, orient="index").sort_values(
        "score", ascending=False, kind="stable"
    )


class Cycle(NamedTuple):
    """Three players, each of whom beats the next, and the last of whom beats the first."""

    players: tuple[str, str, str]
    margins: tuple[Fraction, Fraction, Fraction]


def cycles(found: Matrix) -> list[Cycle]:
    """All triples that form a cycle, sorted by smallest margin, the largest first."""
    margins = found.margins
    circles = [
        (a, b, c)
        for a, b, c in permutations(range(len(found.names)), 3)
        if a < min(b, c) and margins[a, b] > 0 and margins[b, c] > 0 and margins[c, a] > 0
    ]
    listed = [
        Cycle(
            (found.names[a], found.names[b], found.names[c]),
            (margins[a, b], margins[b, c], margins[c, a]),
        )
        for a, b, c in circles
    ]
    return sorted(listed, key=lambda cycle: -min(cycle.margins))


USED = 1e-6
"""A share of a mixture above this is more than rounding."""


def equilibrium(found: Matrix) -> list[str]:
    """Every player that some equilibrium of the game "choose a player" may use.

    The game is symmetric, so its value is 0 and an equilibrium is a mixture of players that loses
    to none of them on average: each player's largest share in one is a linear program.
    """
    margins, players = np.array(found.margins, dtype=np.float64), len(found.names)
    none, whole = np.zeros(players), np.ones((1, players))
    shares = [
        -linprog(-one, A_ub=-margins.T, b_ub=none, A_eq=whole, b_eq=[1]).fun
        for one in np.eye(players)
    ]
    return [name for name, share in zip(found.names, shares, strict=True) if share > USED]

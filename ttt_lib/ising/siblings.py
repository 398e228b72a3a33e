"""Where the potentials base^k, siblings of the energy, stop losing on 4x4 and 5x5.

The law in n (:func:`ttt_lib.ising.meaning.threshold`) was found for the energy, whose steps grow by
unequal factors, the last by the largest.  With base^k all factors are equal, and a second condition
decides: see :func:`block_edge`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pandas as pd

from ttt_lib.game.board import Grid
from ttt_lib.game.meter import Meter
from ttt_lib.game.worst_counted import answer
from ttt_lib.ising.energy import Energy, power_energy
from ttt_lib.ising.law import BEAM, LARGE, NODES, question
from ttt_lib.ising.meaning import steps
from ttt_lib.ising.surd import Surd

NEAR = 1e-9
"""How far from an edge a player is tried, relative to it."""


def block_edge(energy: Energy) -> Surd:
    """w_(n-2) / (w_(n-1) - w_2): above it, blocking a line of n - 1 stones comes first.

    Below it the player prefers a cell where a line of its own grows to n - 1 stones and one with
    two stones of the other's is spoiled: that is worth w_(n-2) + b w_2, the block b w_(n-1).
    """
    w, n = steps(energy), energy.grid.n
    return w[n - 2] / (w[n - 1] - w[2])


def loses(energy: Energy, low: float, high: float | None = None) -> bool:
    """Whether the second player loses to some opponent at one b, or for some b of a stretch.

    False is a proof for every b of the stretch.  A stretch is answered by hulls, see
    :mod:`ttt_lib.ising.law`, so True proves a loss only for a single b.
    """
    asked = question(energy, -1, low, low if high is None else high)
    if high is None and answer(replace(asked, width=BEAM), Meter(NODES)).found:
        return True
    return bool(answer(asked, Meter(NODES)).found)


def edges(
    sizes: Sequence[str] = ("4x4", "5x5"), bases: Sequence[int] = (2, 3, 4, 8)
) -> pd.DataFrame:
    """What the law would say of every potential, its :func:`block_edge`, and what play says.

    Returns
    -------
    DataFrame
        Columns board, base, law (1 / base) and edge as Fractions, and two truth values:
        ``loses below`` (at a b just below the edge) and ``safe above`` (at every b from just above
        it to ``LARGE``, beyond which nothing changes).
    """
    rows = []
    for size in sizes:
        for base in bases:
            energy = power_energy(Grid.parse(size), Fraction(base))
            edge = block_edge(energy)
            below, above = float(edge) * (1 - NEAR), float(edge) * (1 + NEAR)
            safe = not loses(energy, above, LARGE)
            exact = Fraction(edge.coefficients[0])
            rows.append([size, base, Fraction(1, base), exact, loses(energy, below), safe])
    return pd.DataFrame(rows, columns=["board", "base", "law", "edge", "loses below", "safe above"])

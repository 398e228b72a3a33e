"""Where potentials stop losing: against the readable search, on real games, and beyond the law."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ttt_lib.catalog import agent
from ttt_lib.game.board import Grid
from ttt_lib.game.worst import worst
from ttt_lib.ising import meaning, thresholds
from ttt_lib.ising.energy import energy_of, power_energy
from ttt_lib.ising.players import ising


def near(size: str, base: int, factor: float) -> tuple[str, float]:
    """A potential's notation with a b near its edge, and that b."""
    edge = thresholds.block_edge(power_energy(Grid.parse(size), Fraction(base)))
    b = float(edge) * factor
    return f"potential:base={base},b={b!r}", b


@pytest.mark.parametrize(("size", "base"), [("4x4", 2), ("4x4", 3), ("4x4", 8), ("5x5", 3)])
def test_just_below_the_edge_it_extends_and_lets_the_other_win(size: str, base: int) -> None:
    """The shortest loss: not the block, but a line grown to n - 1 and one of two stones spoiled."""
    grid, (name, b) = Grid.parse(size), near(size, base, 1 - 1e-6)
    found = worst(agent(name, size), -1)
    assert found.worst == -1
    board = np.zeros(grid.cells, dtype=int)
    for ply, cell in enumerate(found.line[:-2]):
        board[cell] = 1 if ply % 2 == 0 else -1
    chosen, block = found.line[-2:]

    def stones(cell: int, side: int) -> list[int]:
        lines = [line for line in grid.lines if cell in line and not (board[line] == -side).any()]
        return sorted(int((board[line] == side).sum()) for line in lines)

    assert stones(block, 1)[-1] == grid.n - 1
    assert stones(chosen, -1)[-1] == grid.n - 2
    assert stones(chosen, 1)[-1] == 2
    w = np.diff([base**k for k in range(grid.n + 1)])
    worth = [sum(w[k] for k in stones(c, -1)) + b * sum(w[k] for k in stones(c, 1))
             for c in (chosen, block)]  # fmt: skip
    assert worth[0] > worth[1]


@pytest.mark.parametrize("base", [2, 3, 8])
def test_edges_by_the_search_that_asks_the_player(base: int) -> None:
    """The same verdicts from the agent itself, on both sides of the edge."""
    results = [worst(agent(near("4x4", base, f)[0], "4x4"), -1).worst for f in (1 - 1e-6, 1 + 1e-6)]
    assert results[0] == -1 < results[1]


def test_the_table() -> None:
    found = thresholds.potential_edges(("4x4",), (2, 5))
    assert found.edge.tolist() == [1, Fraction(1, 4)]
    assert found.law.tolist() == [Fraction(1, 2), Fraction(1, 5)]
    assert found[["loses below", "safe above"]].all(axis=None)


def test_for_smaller_bases_the_ratio_is_no_edge() -> None:
    """By the search that asks the player, too."""
    energies = {base: power_energy(Grid(4), base) for base in (Fraction(3, 2), Fraction(6, 5))}
    assert [float(thresholds.block_edge(energy)) for energy in energies.values()] == [2, 5]
    easy, hard = energies.values()
    assert not thresholds.loses(easy, 1.8, thresholds.LARGE)
    assert thresholds.loses(easy, 1.4)
    for b in (5 * (1 + 1e-6), 10, 30, 505):
        assert thresholds.loses(hard, b)
    results = [worst(agent(f"potential:base={base},b={b}", "4x4"), -1).worst
               for base, b in ((1.5, 1.8), (1.2, 10))]  # fmt: skip
    assert results[0] == 0 > results[1]


def test_a_stretch_that_holds_the_edge_is_no_proof() -> None:
    energy = power_energy(Grid(4), Fraction(3))
    assert thresholds.loses(energy, 0.4, 0.6)
    assert not thresholds.loses(energy, 0.51, 0.6)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9, 10])
def test_for_the_energy_the_law_is_the_stricter_condition(n: int) -> None:
    assert thresholds.block_edge(energy_of("equation", Grid(n))) < meaning.threshold(n)


def test_for_the_energy_the_law_decides() -> None:
    """Below the law but above the other condition the energy's player loses."""
    energy, edge = thresholds.text_energy("4x4"), float(meaning.threshold(4))
    assert float(thresholds.block_edge(energy)) < edge * 0.99
    assert thresholds.loses(energy, edge * 0.99)
    assert not thresholds.loses(energy, edge * (1 + 1e-9))


@pytest.mark.parametrize(("n", "plies"), [(4, 13), (5, 19)])
def test_at_the_edge_itself_two_moves_tie_and_the_player_can_lose(n: int, plies: int) -> None:
    found = worst(ising(Grid(n), float(meaning.threshold(n))), -1)
    assert (found.worst, len(found.line)) == (-1, plies)

"""Speed of the compiled matches compared with their readable reference and a C++ loop."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ttt_lib.evidence.bench import cpp_program
from ttt_lib.evidence.bench import row as bench_row
from ttt_lib.evidence.clock import best_of
from ttt_lib.game.board import Grid
from ttt_lib.ising import curve
from ttt_lib.ising.energy import Energy, energy_of, gains
from ttt_lib.ising.kernels import play
from ttt_lib.ising.sweep import bias_grid, sweep
from ttt_lib.ising.tables import RANDOM, Player

BIAS = 0.647
GAMES = {
    "3x3": (400_000, 700_000),
    "4x4": (200_000, 700_000),
    "3x3x3": (200_000, 500_000),
    "4x4x4": (100_000, 350_000),
    "5x5x5": (60_000, 200_000),
}
"""Games to time, and the target rate, of random against Ising."""


def measure() -> list[dict[str, Any]]:
    """Measure all rates; best of three.

    Returns
    -------
    list of dict
        Keys name, unit, rate, reference, reference_rate, ratio, target, note;
        the reference is the readable Python version, or a C++ loop with the
        same bookkeeping if a compiler is available.
    """
    with cpp_program("ising") as program:
        rows = [_match_row(size, program) for size in GAMES]
        rows.append(_large_row(program))
    return [*rows, _curve_row(), _sweep_row()]


def _match_row(size: str, program: Path | None) -> dict[str, Any]:
    games, target = GAMES[size]
    rates = _rates(Grid.parse(size), "RI", games, program)
    return _row(f"Ising: random v Ising, {size}, equation", "games/s", target, *rates)


def _large_row(program: Path | None) -> dict[str, Any]:
    rates = _rates(Grid(5, 4), "II", 300, program)
    row = _row("Ising: Ising v Ising, 5x5x5x5, equation", "games/s", 2000, *rates)
    return {**row, "note": f"{row['note']}; the document: over half an hour per game"}


def _curve_row() -> dict[str, Any]:
    energy = energy_of("published", Grid(3))
    tree = curve.canonical_tree(energy.grid)
    seconds = 1 / best_rate(lambda: list(curve.slots(energy, tree, -1)), 1, repeats=1)
    row = _row("Ising: exact b-curve, 3x3, published", "curves/s", 0.2, 1 / seconds)
    return {**row, "note": "all tables for b in [0, 1], exact"}


def _sweep_row() -> dict[str, Any]:
    rate = best_rate(lambda: sweep("4x4", "equation", bias_grid(0.01), 10_000), 1, repeats=1)
    row = _row("Ising: sweep of 101 x 10,000 games, 4x4", "sweeps/s", 1 / 60, rate)
    return {**row, "note": "through joblib, one process"}


def _row(
    name: str,
    unit: str,
    target: float,
    rate: float,
    reference: str = "none",
    reference_rate: float | None = None,
) -> dict[str, Any]:
    goal, note = f">= {target:.4g} {unit}", "one core, processor time"
    return bench_row(name, rate, reference, reference_rate, unit=unit, target=goal, note=note)


def best_rate(job: Callable[[], object], count: int, *, repeats: int = 3) -> float:
    """Jobs per second of processor time, best of several, after one call that is not timed."""
    job()
    return count / best_of(job, repeats)


ROUNDS = 5
"""How often the kernel and the C++ loop alternate, so that both run under the same load."""


def _rates(
    grid: Grid, players: str, games: int, program: Path | None
) -> tuple[float, str, float | None]:
    """Games per second, best of several: the kernel's, then its reference's name and rate."""
    energy = energy_of("equation", grid)
    x, o = (Player(energy, BIAS) if letter == "I" else RANDOM for letter in players)

    def job() -> object:
        return play(grid, x, o, games, rng=0)

    if program is None:
        few = 3 if grid.cells < 200 else 1
        plain = best_rate(lambda: _plain(energy, players, few), few, repeats=1)
        return best_rate(job, games), "readable Python", plain
    call = [str(program), str(grid.n), str(grid.d), players, str(games)]
    pairs = [(best_rate(job, games, repeats=1), _printed_rate(call)) for _ in range(ROUNDS)]
    rates, theirs = zip(*pairs, strict=True)
    return max(rates), "C++ (g++ -O3)", max(theirs)


def _printed_rate(call: list[str]) -> float:
    """The last word that a reference program prints."""
    printed = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    return float(printed.split()[-1])


def _plain(energy: Energy, players: str, games: int) -> None:
    for game in range(games):
        plain_game(energy, players, BIAS, rng=game)


def plain_game(energy: Energy, players: str, b: float, *, rng: int) -> int:
    """Play one game by the definition, in plain Python; returns +1, 0 or -1."""
    generator, grid = np.random.default_rng(rng), energy.grid
    c = float(energy.root.polynomial([0, 1]))
    powers = [c**k for k in range(grid.n + 2)]
    board, side = grid.initial(), 1
    while not grid.finished(board)[0]:
        moves = np.flatnonzero(board[0] == 0)
        if players[0 if side == 1 else 1] == "I":
            found = gains(energy, board[0].tolist(), side)
            worth = np.array(
                [
                    sum(p * a for p, a in zip(powers, g.own, strict=False))
                    + b * sum(p * a for p, a in zip(powers, g.other, strict=False))
                    for g in found
                ]
            )
            moves = moves[worth >= worth.max() * (1 - 1e-9)]
        board = grid.play(board, generator.choice(moves, 1))
        side = -side
    return int(grid.winner(board)[0])

"""Results of simulated games for many values of b, locally or on a cluster.

Every value of b, or every chunk of its games, is one task with its own spawned seed, so the
results depend neither on the number of workers nor on where they run:
``with joblib.parallel_config(backend="dask"): sweep(...)`` runs them on a dask cluster unchanged.
A sweep that keeps its finished tasks in a file resumes after it was killed
(:func:`ttt_lib.evidence.parallel.resumable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from ttt_lib.evidence.parallel import resumable
from ttt_lib.game.board import Floats, Grid
from ttt_lib.ising.energy import Energy, energy_of, power_energy
from ttt_lib.ising.kernels import play
from ttt_lib.ising.players import check_bias
from ttt_lib.ising.program import SWEEP, simulate
from ttt_lib.ising.tables import RANDOM, Player

Players = Literal["RI", "IR", "II"]
"""First and second player: R random, I Ising."""


def named_energy(name: str, grid: Grid) -> Energy:
    """An energy by name: ``equation``, ``published``, or ``base^k`` such as ``2^k``.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    base, power, _ = name.partition("^k")
    if power and base.replace(".", "").isdigit():
        return power_energy(grid, Fraction(base))
    return energy_of(name, grid)


def bias_grid(step: float) -> Floats:
    """The values 0, step, 2 step, ..., 1; the step divides 1."""
    return np.linspace(0.0, 1.0, round(1 / step) + 1)


def program_biases(step: float) -> Floats:
    """The values that the program's loop plays, as multiples of the step, which divides 1.

    From 0 on it adds the step until the sum reaches 1.  Sums of doubles are rounded: ten times 0.1
    comes to 1 - 1e-16, so that after ten values the loop goes on for an eleventh, here b = 1.
    """
    total, count = 0.0, 1
    while total + step < 1:
        total, count = total + step, count + 1
    return bias_grid(step)[:count]


def games_at(
    size: str, name: str, players: Players, b: float, games: int, rng: int, *key: int
) -> list[int]:
    """One task: play games at one b; returns first player's wins, draws, losses.

    Parameters
    ----------
    rng, *key : int
        Seed of the sweep, and the spawn key of the task's own seed.
    """
    grid = Grid.parse(size)
    mine = Player(named_energy(name, grid), b)
    x, o = (RANDOM if letter == "R" else mine for letter in players)
    seed = np.random.SeedSequence(rng, spawn_key=key)
    counts: list[int] = play(grid, x, o, games, rng=np.random.default_rng(seed)).tolist()
    return counts


def sweep(
    size: str,
    name: str = "equation",
    biases: Sequence[float] | Floats = (0.647,),
    games: int = 10_000,
    *,
    players: Players = "RI",
    rng: int = 0,
    chunk: int = 0,
    path: Path | None = None,
) -> pd.DataFrame:
    """Play at every b; true rules.

    Parameters
    ----------
    size : str
        Board size, e.g. ``4x4x4``.
    name : str
        Energy, see :func:`named_energy`.
    players : {"RI", "IR", "II"}
        First and second player.
    rng : int
        Seed; each b has its own, spawned from it.
    chunk : int
        Maximum games per task; 0: all games at one b.  Each chunk has its own seed, so a different
        chunk size means different games.
    path : Path or None
        A file that keeps what is done, so that a killed sweep goes on where it stopped.

    Returns
    -------
    DataFrame
        Columns board, energy, players, b, games, win, draw, loss, from the
        first player's side.

    Raises
    ------
    ValueError
        If a name or b is unknown or not finite, games < 1 or chunk < 0.
    """
    if games < 1:
        raise ValueError(f"a sweep needs at least 1 game at every b, not {games}")
    if players not in ("RI", "IR", "II"):
        raise ValueError(f"unknown players {players!r}: RI, IR or II")
    if chunk < 0:
        raise ValueError(f"a chunk can't have fewer than 0 games: {chunk}")
    named_energy(name, Grid.parse(size))
    values = [check_bias(float(b)) for b in biases]
    tasks = [
        (size, name, players, b, few, rng, place, *part)
        for place, b in enumerate(values)
        for few, part in _chunks(games, chunk)
    ]
    counts = np.array(resumable(games_at, tasks, path)).reshape(len(values), -1, 3).sum(axis=1)
    table = pd.DataFrame({"board": size, "energy": name, "players": players, "b": values})
    return table.assign(games=games, win=counts[:, 0], draw=counts[:, 1], loss=counts[:, 2])


def _chunks(games: int, chunk: int) -> list[tuple[int, tuple[int, ...]]]:
    """Number of games in every task at one b, and what it adds to the task's spawn key."""
    if not chunk:
        return [(games, ())]
    starts = range(0, games, chunk)
    return [(min(chunk, games - start), (place,)) for place, start in enumerate(starts)]


def program_sweep(
    size: str, step: float, games: int, *, rng: np.random.Generator | int
) -> pd.DataFrame:
    """Replay the document's sweep: random first, the program's Ising player second.

    Like the program it starts at b = 0, ends where its loop does (:func:`program_biases`), and
    prints every b one step too high.

    Returns
    -------
    DataFrame
        Columns b (played), printed, lost (games the Ising player lost).
    """
    grid, rng = Grid.parse(size), np.random.default_rng(rng)
    played = program_biases(step)
    lost = [int(simulate(SWEEP, grid, "RI", b, games, rng=rng)[0]) for b in played]
    return pd.DataFrame({"b": played, "printed": played + step, "lost": lost})


def fit_minimum(printed: Floats, lost: Floats, degree: int) -> float:
    """Where the least-squares polynomial through a sweep is lowest, among its values of b."""
    fit = np.polynomial.Polynomial.fit(printed, lost, degree)
    return float(printed[np.argmin(fit(printed))])


def chosen_b(printed: Floats, lost: Floats, degree: int = 2) -> float:
    """The document's choice: of the b without a lost game, the nearest to the fit's minimum.

    Not a number if a game was lost at every b.
    """
    free = printed[lost == 0]
    if len(free) == 0:
        return float("nan")
    return float(free[np.abs(free - fit_minimum(printed, lost, degree)).argmin()])

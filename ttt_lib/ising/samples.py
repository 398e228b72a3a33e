"""A part of each long run of document 4, recomputed for comparison with the stored one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.game.board import Floats, Grid
from ttt_lib.game.exact import float_values
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.policy import Agent, random_agent
from ttt_lib.ising import law as proofs
from ttt_lib.ising import runs
from ttt_lib.ising.exhibits import PUBLISHED, simulate
from ttt_lib.ising.players import ising
from ttt_lib.ising.sweep import Players, bias_grid, games_at, sweep


def _at(
    seed: int, size: str, name: str, players: Players, b: float, games: int, place: int
) -> pd.DataFrame:
    """One b of a sweep, with the seed that belongs to its place."""
    counts = games_at(size, name, players, b, games, seed, place)
    columns = ["board", "energy", "players", "b", "games", "win", "draw", "loss"]
    return pd.DataFrame([[size, name, players, b, games, *counts]], columns=columns)


def _beside(file: str, found: pd.DataFrame) -> Sample:
    """The stored row of the same setting."""
    table, one = store.read_table(file), found.iloc[0]
    same = (table.board == one.board) & (table.energy == one.energy)
    same &= (table.players == one.players) & np.isclose(table.b, one.b)
    return Sample(found, table[same], 1 / len(table))


def sweeps() -> Sample:
    """One b on 4x4, the energy as published."""
    b = float(bias_grid(0.01)[65])
    return _beside("ising_sweeps.csv", _at(1, "4x4", "published", "RI", b, 40_000, 65))


def law() -> Sample:
    """The proofs and the losing b on 4x4 and 5x5."""
    table = store.read_table("ising_law.csv")
    found = proofs.settled([job for job in proofs.stretches() if job[0] in ("4x4", "5x5")])
    part = table[table.board.isin(found.board)]
    return Sample(found, part, float(part.positions.sum() / table.positions.sum()))


def self_play() -> Sample:
    """One b on 3x3x3."""
    b = float(bias_grid(0.02)[32])
    return _beside("ising_self_play.csv", _at(104, "3x3x3", "equation", "II", b, 4000, 32))


def boards() -> Sample:
    """Ising first against random play on 3x3."""
    found = sweep("3x3", "equation", [0.647], 40_000, players="IR", rng=200 + 1)
    return _beside("ising_boards.csv", found)


def program_games() -> Sample:
    """The program's own games on 3x3x3, random first."""
    table = store.read_table("ising_program_games.csv")
    counts = simulate(PUBLISHED, Grid(3, 3), "RI", 0.647, 100_000, rng=0)
    found = pd.DataFrame([["3x3x3", "RI", 100_000, *counts.tolist()]], columns=table.columns)
    return Sample(found, table.iloc[:1], 1 / len(table))


def program_fits() -> Sample:
    """The first replay of the sweep on 3x3x3."""
    place = list(runs.PROGRAM_SWEEPS).index("3x3x3")
    row = runs.fits_row("3x3x3", 0, np.random.default_rng(place).spawn(1)[0])
    kept = store.read_table("ising_program_fits.csv").query("sweep == '3x3x3' and replay == 0")
    return Sample(pd.DataFrame([row]), kept)


def large() -> Sample:
    """5x5x5x5 at b = 1 against random play."""
    table = store.read_table("ising_large.csv")
    kept = table[(table.b == 1) & (table.players == "RI")]
    found = pd.DataFrame([runs.large_row(1.0, 10, "RI")], columns=table.columns)
    return Sample(found, kept, 1 / len(table))


def deeper() -> Sample:
    """Two plies against random play on 4x4."""
    table = store.read_table("ising_deeper.csv")
    kept = table[(table.board == "4x4") & (table["first"] == "two") & (table.second == "random")]
    row = runs.deeper_row("4x4", "two", "random", 1)
    return Sample(pd.DataFrame([row], columns=table.columns), kept, 1 / len(table))


def curve_4x4() -> Sample:
    """The piece that holds b = 0.647, on O's side: the exact result within it."""
    table, tree = store.read_table("ising_curve_4x4.csv"), solve(Grid(4))
    kept = table[(table.side == "o") & (table["from"] < 0.647) & (table["to"] > 0.647)]
    x, o = _chances(random_agent(Grid(4)), tree, 0), _chances(ising(Grid(4)), tree, 1)
    win, draw, loss = float_values(tree, x, o)[0].round(12)
    exact = kept[["win", "draw", "loss"]].map(lambda text: round(float(Fraction(text)), 12))
    return Sample(pd.DataFrame({"win": [loss], "draw": [draw], "loss": [win]}), exact)


def _chances(agent: Agent, tree: GameTree, odd: int) -> Floats:
    """An agent's chances in the states after an even or odd number of moves; 0 elsewhere."""
    asked = ~tree.finished & (tree.ply % 2 == odd)
    table = np.zeros(tree.children.shape)
    table[asked] = agent.policy(tree.boards[asked], np.random.default_rng(0))
    return table

"""Makers of document 4's stored tables; ``data/manifest.toml`` names them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import best_of
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.evidence.store import data_dir
from ttt_lib.game.board import Floats, Grid
from ttt_lib.game.exact import float_values
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, best_moves, random_agent
from ttt_lib.ising import thresholds
from ttt_lib.ising.alpha_beta import alpha_beta
from ttt_lib.ising.curve import curve, rows_of
from ttt_lib.ising.energy import ENERGIES, Energy, energy_of
from ttt_lib.ising.kernels import play
from ttt_lib.ising.players import ising, scores, two_ply
from ttt_lib.ising.program import PUBLISHED, simulate
from ttt_lib.ising.state_graph import csv_text
from ttt_lib.ising.sweep import (
    Players,
    bias_grid,
    chosen_b,
    fit_minimum,
    named_energy,
    program_sweep,
    sweep,
)
from ttt_lib.ising.tables import RANDOM, Player

BOARDS = ("3x3", "4x4", "5x5", "6x6", "3x3x3", "4x4x4", "5x5x5")
PAIRS: tuple[Players, ...] = ("RI", "IR", "II")
PROGRAM_GAMES = (
    *(("3x3x3", "RI"), ("3x3x3", "II")),
    *(("4x4x4", "RI"), ("4x4x4", "II")),
    ("5x5x5", "II"),
)
"""Boards and players of the published program's games."""

PROGRAM_SWEEPS = {
    "3x3 fine": ("3x3", 0.001, 1000, 11),
    "3x3": ("3x3", 0.01, 100, 2),
    "3x3x3": ("3x3x3", 0.01, 100, 2),
    "4x4": ("4x4", 0.01, 100, 2),
    "5x5": ("5x5", 0.01, 100, 2),
    "6x6": ("6x6", 0.01, 100, 2),
    "4x4x4": ("4x4x4", 0.1, 10, 1),
}
"""The published sweeps: board, step, games at every b, degree of the drawn fit."""

REPLAYS = 40
LARGE = tuple(bias_grid(0.1).tolist())
"""The b on 5x5x5x5."""
DEEPER = ("3x3", "4x4", "5x5", "3x3x3", "4x4x4")
"""Boards of the matches with two plies."""


def make_sweeps() -> pd.DataFrame:
    """Random first against Ising second over b, true rules, both energies."""
    return pd.concat([_random_first(size, name) for size, name in product(BOARDS, ENERGIES)])


def _random_first(size: str, name: str) -> pd.DataFrame:
    return sweep(size, name, bias_grid(0.01), 40_000, rng=BOARDS.index(size))


def make_self_play() -> pd.DataFrame:
    """Ising against itself over b, true rules, both energies."""
    return pd.concat([_self_play(size, name) for size, name in product(BOARDS, ENERGIES)])


def _self_play(size: str, name: str) -> pd.DataFrame:
    seed = 100 + BOARDS.index(size)
    return sweep(size, name, bias_grid(0.02), 4000, players="II", rng=seed)


def make_boards() -> pd.DataFrame:
    """All pairings at the document's b, true rules; also the potential of Erdos and Selfridge."""
    players = [("equation", 0.647), ("published", 0.647), ("2^k", 1.0)]
    jobs = product(BOARDS, players, PAIRS)
    return pd.concat([_board(size, name, b, pair) for size, (name, b), pair in jobs])


def _board(size: str, name: str, b: float, pair: Players) -> pd.DataFrame:
    seed = 200 + 10 * BOARDS.index(size) + PAIRS.index(pair)
    return sweep(size, name, [b], 40_000, players=pair, rng=seed)


def make_program_games() -> pd.DataFrame:
    """The published program's games as it scores them, all flaws on."""
    rows = [_program_row(*job) for job in PROGRAM_GAMES]
    return pd.DataFrame(rows, columns=["board", "players", "games", "win", "draw", "loss"])


def _program_row(size: str, players: str) -> list[object]:
    seed = PROGRAM_GAMES.index((size, players))
    counts = simulate(PUBLISHED, Grid.parse(size), players, 0.647, 100_000, rng=seed)
    return [size, players, 100_000, *counts.tolist()]


def make_program_sweeps() -> pd.DataFrame:
    """One replay of every published sweep."""
    tables = []
    for seed, (name, (size, step, games, _)) in enumerate(PROGRAM_SWEEPS.items()):
        table = program_sweep(size, step, games, rng=seed)
        tables.append(table.assign(sweep=name, games=games))
    return pd.concat(tables)[["sweep", "b", "printed", "games", "lost"]]


def make_published_sweeps_digitised() -> str:
    """The points read off the published figures, unchanged: no program can regenerate them."""
    return (data_dir() / "ising_published_sweeps_digitised.json").read_text(encoding="utf-8")


def make_program_fits() -> pd.DataFrame:
    """What repeated replays of the published sweeps would have concluded.

    Columns: minimum of the drawn fit, minimum of the quadratic fit, the b
    chosen as the document chose it, mean number of lost games over all b and over
    b >= 0.4, and how many b had none.
    """
    return pd.DataFrame([fits_row(*job) for job in product(PROGRAM_SWEEPS, range(REPLAYS))])


def replay_rngs(name: str) -> list[np.random.Generator]:
    """The generators of all replays of a published sweep."""
    return np.random.default_rng(list(PROGRAM_SWEEPS).index(name)).spawn(REPLAYS)


def fits_row(name: str, replay: int) -> dict[str, object]:
    """What one replay of a published sweep would have concluded."""
    size, step, games, degree = PROGRAM_SWEEPS[name]
    table = program_sweep(size, step, games, rng=replay_rngs(name)[replay])
    x, y = table["printed"].to_numpy(), table["lost"].to_numpy()
    return {
        "sweep": name,
        "replay": replay,
        "fit_minimum": fit_minimum(x, y, degree),
        "quadratic_minimum": fit_minimum(x, y, 2),
        "chosen": chosen_b(x, y),
        "mean": y.mean(),
        "late_mean": y[x >= 0.4].mean(),
        "zeros": int((y == 0).sum()),
    }


def make_large() -> pd.DataFrame:
    """5x5x5x5, which took the document's program over half an hour per game; true rules."""
    rows = [large_row(*job) for job in product(range(len(LARGE)), ("RI", "II"))]
    columns = ["board", "energy", "players", "b", "games", "win", "draw", "loss"]
    return pd.DataFrame(rows, columns=columns)


def large_row(place: int, players: str) -> list[object]:
    """The games of one b on 5x5x5x5, whose place is their seed; random first or Ising first."""
    grid, b = Grid(5, 4), LARGE[place]
    mine = Player(named_energy("equation", grid), b)
    counts = play(grid, RANDOM if players == "RI" else mine, mine, 2000, rng=place)
    return [grid.name, "equation", players, b, 2000, *counts.tolist()]


def make_deeper() -> pd.DataFrame:
    """Two plies against random play, and against one ply, as ordinary matches; true rules."""
    pairs = (("random", "two"), ("two", "random"), ("one", "two"), ("two", "one"))
    rows = [deeper_row(size, *pair) for size, pair in product(DEEPER, pairs)]
    return pd.DataFrame(rows, columns=["board", "first", "second", "games", "win", "draw", "loss"])


def deeper_row(size: str, first: str, second: str) -> list[object]:
    """One match between ``random``, ``one`` and ``two`` plies; the board's place is its seed."""
    grid = Grid.parse(size)
    players = {"random": random_agent(grid), "one": ising(grid), "two": two_ply(grid)}
    seed = DEEPER.index(size)
    result = match(players[first], players[second], 1000, rng=seed, sides="first")
    return [size, first, second, 1000, result.win, result.draw, result.loss]


def make_cost() -> pd.DataFrame:
    """Processor seconds per game, by board: random first or Ising first, Ising second."""
    rows = []
    for d, edges in {2: (3, 4, 6, 8, 10), 3: (3, 4, 5, 6, 8), 4: (3, 4, 5)}.items():
        for n in edges:
            grid = Grid(n, d)
            mine = Player(energy_of("equation", grid), 0.647)
            for players, first in (("RI", RANDOM), ("II", mine)):
                play(grid, first, mine, 1, rng=0)
                games = max(200, 2_000_000 // grid.cells**2)
                job = partial(play, grid, first, mine, games, rng=1)
                spent = best_of(job, 5) / games
                rows.append([grid.name, n, d, grid.cells, len(grid.lines), players, games, spent])
    columns = ["board", "n", "d", "cells", "lines", "players", "games", "seconds_per_game"]
    return pd.DataFrame(rows, columns=columns)


def make_curve_4x4() -> pd.DataFrame:
    """The exact result on 4x4 as a function of b, random play against the text's energy.

    Some 250 tables of 1.2 million positions per side: about ten minutes.
    """
    grid = Grid(4)
    rows = []
    for side, sign in (("o", -1), ("x", 1)):
        pieces = curve(energy_of("equation", grid), sign, random_agent(grid))
        rows += [{"side": side, **row} for row in rows_of(pieces)]
    return pd.DataFrame(rows)


def make_times() -> pd.DataFrame:
    """Seconds of the things the document timed, on one core; games are averages."""
    board, cube = Grid(3), Grid(5, 4)
    mine = Player(energy_of("equation", cube), 0.647)
    program = PUBLISHED.energy(board)
    warm = [("R", "M"), ("I", "M"), ("I", "R")]
    for pair in warm:
        timed_game(program, *pair, rng=0)
    play(cube, mine, mine, 1, rng=0)
    rows: list[tuple[str, float]] = [
        ("3x3 network as CSV", best_of(lambda: csv_text(board), 3)),
        ("5x5x5x5 Ising v Ising", best_of(lambda: play(cube, mine, mine, 300, rng=1), 3) / 300),
    ]
    for first in "RMI":
        for second in "RMI":
            games = 20 if "M" in (first, second) else 200
            rng = np.random.default_rng(1)
            spent = best_of(partial(_games, program, first, second, games, rng), 1)
            rows.append((f"3x3 {first} v {second}", spent / games))
    return pd.DataFrame(rows, columns=["what", "seconds"])


def _games(energy: Energy, first: str, second: str, games: int, rng: np.random.Generator) -> None:
    for _ in range(games):
        timed_game(energy, first, second, rng=rng)


def timed_game(
    energy: Energy, first: str, second: str, *, rng: np.random.Generator | int
) -> NDArray[np.int8]:
    """Play one 3x3 game move by move, with a new search for each, as the program does.

    Parameters
    ----------
    first, second : str
        ``R`` random, ``M`` alpha-beta to the end, ``I`` Ising.

    Returns
    -------
    ndarray of int8, shape (cells,)
        The final board.
    """
    rng, grid = np.random.default_rng(rng), energy.grid
    boards, best = grid.initial(), scores(energy, 0.647)
    while not grid.finished(boards)[0]:
        player = (first, second)[int(boards.astype(bool).sum()) % 2]
        if player == "M":
            move = alpha_beta(grid, boards[0]).move
        else:
            table = grid.legal(boards) if player == "R" else best_moves(best(boards))
            move = int(rng.choice(np.flatnonzero(table[0])))
        boards = grid.play(boards, np.array([move]))
    return np.asarray(boards[0])


# ---------------------------------------------------------------------------- samples


BY = ("board", "energy", "players", "b")
"""What a row of a sweep is known by."""


def sample_sweeps() -> Sample:
    """Every b on 4x4, the energy as published."""
    return beside("ising_sweeps.csv", _random_first("4x4", "published"), *BY)


def sample_law() -> Sample:
    """The proofs and the losing b on 4x4 and 5x5."""
    table = store.read_table("ising_law.csv")
    found = thresholds.settled([job for job in thresholds.stretches() if job[0] in ("4x4", "5x5")])
    part = table[table.board.isin(found.board)]
    return Sample(found, part, float(part.positions.sum() / table.positions.sum()))


def sample_self_play() -> Sample:
    """Every b on 4x4, the energy as published."""
    # With the energy of the text, all games of most b end alike, whatever their seed.
    return beside("ising_self_play.csv", _self_play("4x4", "published"), *BY)


def sample_boards() -> Sample:
    """Ising first against random play on 3x3."""
    return beside("ising_boards.csv", _board("3x3", "equation", 0.647, "IR"), *BY)


def sample_program_games() -> Sample:
    """The program's own games on 3x3x3, random first."""
    return beside("ising_program_games.csv", [_program_row("3x3x3", "RI")], "board", "players")


def sample_program_fits() -> Sample:
    """The last replay of the sweep on 3x3x3."""
    row = fits_row("3x3x3", REPLAYS - 1)
    return beside("ising_program_fits.csv", [row], "sweep", "replay", share=0)


def sample_large() -> Sample:
    """5x5x5x5 at b = 1, both sides: against random play it wins every game, whatever their seed."""
    return beside("ising_large.csv", [large_row(len(LARGE) - 1, "II")], "b", "players")


def sample_deeper() -> Sample:
    """Two plies against random play on 4x4."""
    row = deeper_row("4x4", "two", "random")
    return beside("ising_deeper.csv", [row], "board", "first", "second")


def sample_curve_4x4() -> Sample:
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

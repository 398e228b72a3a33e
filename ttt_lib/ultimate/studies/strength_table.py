"""The stored strength table: a network at several budgets against tree search and random play."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from time import thread_time_ns
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import parallel_config

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import spread
from ttt_lib.game.stats import Interval, wilson
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import BOARD, CELL, FORCED, FREE, RESULT, SIDE, States
from ttt_lib.ultimate.board.rules import MOVE_OF
from ttt_lib.ultimate.learn.tablenet import Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.studies.strength import (
    Mover,
    openings,
    random_mover,
    result,
    table_mover,
    uct_mover,
)

TABLE = "ultimate_strength.csv"
SIMULATIONS = (25, 50, 100, 200, 400, 800, 2000)
RANDOM, OPENSPIEL = "random", "OpenSpiel MCTSBot 1,000"
CHUNK = 20
"""Games of one task; each has its own seed, so that the number of workers changes nothing."""

PLIES = 4
"""Random moves at the beginning of each pair of games."""


class Pairing(NamedTuple):
    """A match to be played: simulations of the network, the opponent, and how many games."""

    simulations: int
    opponent: str
    games: int


def uct_name(iterations: int) -> str:
    """An opponent's name in the table."""
    return f"UCT {iterations:,}"


def plan(scale: float = 1.0) -> list[Pairing]:
    """The matches; ``scale`` multiplies the games.  Dear opponents get fewer of them."""
    cheap = {RANDOM: 100, uct_name(100): 200, uct_name(1000): 200}
    matches = [Pairing(n, name, games) for name, games in cheap.items() for n in SIMULATIONS]
    games = dict.fromkeys(SIMULATIONS, 40) | {200: 200, 2000: 100}
    matches += [Pairing(n, uct_name(10_000), count) for n, count in games.items()]
    matches += [Pairing(200, uct_name(100_000), 20), Pairing(2000, uct_name(100_000), 60)]
    if openspiel() is not None:
        matches += [Pairing(200, OPENSPIEL, 40)]
    return [m._replace(games=2 * max(1, round(scale * m.games / 2))) for m in matches]


def openspiel() -> Any:
    """OpenSpiel's module, or None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel


class Clock:
    """A mover that adds up the processor time it takes.

    Parameters
    ----------
    mover : callable

    Attributes
    ----------
    nanoseconds : int
    """

    def __init__(self, mover: Mover) -> None:
        self.mover, self.nanoseconds = mover, 0

    def __call__(self, state: States, rng: np.random.Generator) -> int:
        """Choose a move."""
        began = thread_time_ns()
        move = self.mover(state, rng)
        self.nanoseconds += thread_time_ns() - began
        return move


class Rival:
    """OpenSpiel's bot as a mover; it must be shown every game from its first move on.

    OpenSpiel splits a free move into two actions, so the bot searches such a move twice.

    Parameters
    ----------
    simulations : int
    seed : int
    """

    def __init__(self, simulations: int, seed: int) -> None:
        spiel = openspiel()
        self.game = spiel.load_game("ultimate_tic_tac_toe")
        rollouts = spiel.RandomRolloutEvaluator(1, seed)
        self.bot = spiel.MCTSBot(self.game, rollouts, 1.414, simulations, 100, False, seed, False)
        self.begin()

    def begin(self) -> None:
        """Set up a new game."""
        self.state = self.game.new_initial_state()

    def show(self, state: States, move: int) -> None:
        """Make a move, 9 row + column, that was chosen in ``state``."""
        if state[FORCED] == FREE:
            self.state.apply_action(int(BOARD[move]))
        self.state.apply_action(int(CELL[move]))

    def __call__(self, state: States, rng: np.random.Generator) -> int:
        """Choose a move."""
        board, found = int(state[FORCED]), self.state.clone()
        if board == FREE:
            board = self.bot.step(found)
            found.apply_action(board)
        return int(MOVE_OF[board][self.bot.step(found)])


def rival_games(ours: Mover, clock: Clock, rival: Rival, games: int, seed: int) -> list[int]:
    """Results against OpenSpiel's bot from our side; we begin every other game."""
    game, rng, random = Ultimate(), np.random.default_rng(seed), random_mover()
    results = []
    for number in range(games):
        rival.begin()
        state, side = game.initial()[0], number % 2
        while state[RESULT] == 0:
            stones = int(np.bitwise_count(state[:18]).sum())
            mover = ours if int(state[SIDE]) == side else clock
            move = (random if stones < PLIES else mover)(state, rng)
            rival.show(state, move)
            state = game.play(state[None], np.array([move]))[0]
        results.append({3: 0, 1 + side: 1}.get(int(state[RESULT]), -1))
    return results


def play(tables: Tables, match: Pairing, seed: int) -> dict[str, Any]:
    """Play one match (a chunk of one) and return counts and processor times."""
    ours, game = Clock(table_mover(tables, match.simulations)), Ultimate()
    for mover in (table_mover(tables, 2), uct_mover(2)):  # compiles, before the clocks run
        mover(game.initial()[0], np.random.default_rng(0))
    if match.opponent == OPENSPIEL:
        rival = Rival(1000, seed)
        other = Clock(rival)
        results = rival_games(ours, other, rival, match.games, seed)
    else:
        other, rng = Clock(_opponent(match.opponent)), np.random.default_rng(seed)
        results = []
        for state in openings(match.games // 2, PLIES, rng, game):
            results += [
                result(ours, other, state, rng, game),
                -result(other, ours, state, rng, game),
            ]
    counts = {name: results.count(value) for name, value in (("win", 1), ("draw", 0), ("loss", -1))}
    return {"simulations": match.simulations, "opponent": match.opponent, "games": match.games,
            **counts, "ours": ours.nanoseconds, "theirs": other.nanoseconds}  # fmt: skip


def _opponent(name: str) -> Mover:
    return random_mover() if name == RANDOM else uct_mover(int(name[4:].replace(",", "")))


def chunks(matches: Iterable[Pairing]) -> list[Pairing]:
    """The same games in tasks of at most ``CHUNK``."""
    return [
        match._replace(games=min(CHUNK, match.games - done))
        for match in matches
        for done in range(0, match.games, CHUNK)
    ]


def table(
    tables: Tables, matches: list[Pairing], *, seed: int = 0, workers: int = 1
) -> pd.DataFrame:
    """Play matches and add up their chunks.

    Parameters
    ----------
    workers : int
        Processes.

    Returns
    -------
    DataFrame
        Columns simulations, opponent, games, win, draw, loss, time_ratio (processor time of
        the network's moves over that of the opponent's, in the same games).
    """
    tasks = chunks(matches)
    seeds = np.random.default_rng(seed).integers(2**31, size=len(tasks)).tolist()
    with parallel_config(n_jobs=workers):
        rows = spread(partial(play, tables), zip(tasks, seeds, strict=True), about="match")
    added = pd.DataFrame(rows).groupby(["opponent", "simulations"], sort=False).sum()
    ratio = added.pop("ours") / added.pop("theirs")
    return added.assign(time_ratio=ratio).reset_index()


def strength(workers: int = 1, scale: float = 1.0) -> pd.DataFrame:
    """Make the stored table anew, with the stored network; about 13 CPU-minutes."""
    return table(stored_tables(), plan(scale), workers=workers)


def score_bounds(points: float, games: int) -> Interval:
    """95 % interval of a score: Wilson's, wider rather than narrower where half points count.

    A score varies at most as much as a share of wins of the same mean.
    """
    halves = round(2 * points)
    return Interval(wilson(halves // 2, games).low, wilson(-(-halves // 2), games).high)


def summary(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """The stored table with shares, scores and their intervals.

    Returns
    -------
    DataFrame
        Columns opponent, simulations, games, win, draw, loss (shares), score, low, high
        (95 % interval of the score), win_low, win_high, time_ratio.
    """
    found = store.read_table(TABLE) if found is None else found
    rows = []
    for _, row in found.iterrows():
        games, score = row["games"], (row["win"] + row["draw"] / 2) / row["games"]
        share = wilson(int(row["win"]), int(games))
        low, high = score_bounds(score * games, int(games))
        rows.append(
            {
                "opponent": row["opponent"], "simulations": row["simulations"], "games": games,
                **{name: row[name] / games for name in ("win", "draw", "loss")},
                "score": score, "low": low, "high": high, "win_low": share.low,
                "win_high": share.high, "time_ratio": row["time_ratio"],
            }
        )  # fmt: skip
    return pd.DataFrame(rows)

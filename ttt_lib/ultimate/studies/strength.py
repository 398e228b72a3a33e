"""The stored strength table: a network at several budgets against tree search and random play."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import partial
from time import thread_time_ns
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import parallel_config
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, choose, from_moves, random_agent
from ttt_lib.game.stats import games_interval, pairs_interval, wilson
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import BOARD, CELL, FORCED, FREE, RESULT, SIDE, States
from ttt_lib.ultimate.board.rules import MOVE_OF
from ttt_lib.ultimate.learn.tablenet import Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct import uct
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.studies import OPENING_PLIES

TABLE = "ultimate_strength.csv"
SIMULATIONS = (25, 50, 100, 200, 400, 800, 2000)
PAIRS = ("pairs_0", "pairs_half", "pairs_1", "pairs_3_halves", "pairs_2")
"""Columns: how many openings brought so many points in their two games."""

RANDOM, OPENSPIEL = "random", "OpenSpiel MCTSBot 1,000"
SEED = 1
"""Of every match: the command line plays a row's games again."""


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
    games = dict.fromkeys(SIMULATIONS, 40) | {200: 400, 2000: 100}
    matches += [Pairing(n, uct_name(10_000), count) for n, count in games.items()]
    matches += [Pairing(200, uct_name(100_000), 20), Pairing(2000, uct_name(100_000), 200)]
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
    """Adds up the processor time that an agent takes for its moves.

    Parameters
    ----------
    agent : Agent

    Attributes
    ----------
    agent : Agent
        The same player, with its time taken.
    nanoseconds : int
    """

    def __init__(self, agent: Agent) -> None:
        self._play, self.nanoseconds = partial(choose, agent), 0
        self.agent = replace(agent, moves=self._moves)

    def _moves(self, states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        began = thread_time_ns()
        moves = self._play(states, rng)
        self.nanoseconds += thread_time_ns() - began
        return moves


class OpenSpiel:
    """OpenSpiel's bot, which must be shown every game from its first move on.

    It finds out for itself which moves led from the state it knows to the one it is asked about.
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
        self.state, self.known = self.game.new_initial_state(), Ultimate().initial()[0]

    @property
    def agent(self) -> Agent:
        """The bot as a player: it is to be asked about one game after the other."""
        return from_moves(OPENSPIEL, Ultimate(), self._moves)

    def _moves(self, states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        return np.array([self._move(state) for state in states], dtype=np.intp)

    def _move(self, state: NDArray[np.uint16]) -> int:
        path = path_between(self.known, state)
        if path is None:  # another game
            self.state, self.known = self.game.new_initial_state(), Ultimate().initial()[0]
            path = path_between(self.known, state) or []
        for move in path:
            self._show(move)
        board, found = int(state[FORCED]), self.state.clone()
        if board == FREE:
            board = self.bot.step(found)
            found.apply_action(board)
        return int(MOVE_OF[board][self.bot.step(found)])

    def _show(self, move: int) -> None:
        if self.known[FORCED] == FREE:
            self.state.apply_action(int(BOARD[move]))
        self.state.apply_action(int(CELL[move]))
        self.known = Ultimate().play(self.known[None], np.array([move]))[0]


def path_between(before: NDArray[np.uint16], after: NDArray[np.uint16]) -> list[int] | None:
    """Moves that lead from one state, shape (24,), to another; None if there are none."""
    if (before == after).all():
        return []
    game, stones = Ultimate(), slice(0, 18)
    if before[RESULT] or (before[stones] & ~after[stones]).any():
        return None
    new = after[stones] & ~before[stones]
    side = 9 * int(before[SIDE])
    for move in np.flatnonzero(game.legal(before[None])[0]).tolist():
        if int(new[side + BOARD[move]]) >> int(CELL[move]) & 1:
            rest = path_between(game.play(before[None], np.array([move]))[0], after)
            if rest is not None:
                return [move, *rest]
    return None


def play(tables: Tables, pairing: Pairing, seed: int = SEED) -> dict[str, Any]:
    """Play one match and return counts and the ratio of processor times."""
    ours = Clock(table_agent(tables, pairing.simulations))
    other = Clock(_opponent(pairing.opponent, seed))
    _ = match(ours.agent, other.agent, 2, openings=OPENING_PLIES)  # compiles
    ours.nanoseconds = other.nanoseconds = 0
    found = match(ours.agent, other.agent, pairing.games, rng=seed, openings=OPENING_PLIES)
    return {
        "opponent": pairing.opponent, "simulations": pairing.simulations, "games": found.games,
        "win": found.win, "draw": found.draw, "loss": found.loss,
        **dict(zip(PAIRS, found.pairs, strict=True)),
        "time_ratio": ours.nanoseconds / other.nanoseconds,
    }  # fmt: skip


def _opponent(name: str, seed: int) -> Agent:
    if name == OPENSPIEL:
        return OpenSpiel(1000, seed).agent
    game = Ultimate()
    return random_agent(game) if name == RANDOM else uct(game, int(name[4:].replace(",", "")))


def table(
    tables: Tables, pairings: list[Pairing], *, seed: int = SEED, workers: int = 1
) -> pd.DataFrame:
    """Play matches, each a task of its own.

    Parameters
    ----------
    workers : int
        Processes.

    Returns
    -------
    DataFrame
        Columns opponent, simulations, games, win, draw, loss, those of ``PAIRS``, time_ratio
        (processor time of the network's moves over that of the opponent's, in the same games).
    """
    with parallel_config(n_jobs=workers):
        rows = run_parallel(
            partial(play, tables, seed=seed), [(p,) for p in pairings], about="match"
        )
    return pd.DataFrame(rows)


def make_strength(workers: int = 1, scale: float = 1.0) -> pd.DataFrame:
    """Make the stored table anew, with the stored network; about 20 CPU-minutes."""
    return table(stored_tables(), plan(scale), workers=workers)


def summary(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """The stored table with shares, scores and their intervals.

    Returns
    -------
    DataFrame
        Columns opponent, simulations, games, win, draw, loss (shares), score, low, high
        (95 % interval of the score, over pairs), win_low, win_high, time_ratio.
    """
    found = store.read_table(TABLE) if found is None else found
    return pd.DataFrame([_line(row) for row in found.to_dict("records")])


def _line(row: Mapping[Hashable, Any]) -> dict[str, Any]:
    games, share = int(row["games"]), wilson(int(row["win"]), int(row["games"]))
    if PAIRS[0] in row:
        low, high = pairs_interval([int(row[name]) for name in PAIRS])
    else:  # a table from before pairs were counted
        low, high = games_interval(int(row["win"]), int(row["draw"]), games)
    return {
        "opponent": row["opponent"], "simulations": row["simulations"], "games": games,
        **{name: row[name] / games for name in ("win", "draw", "loss")},
        "score": (row["win"] + row["draw"] / 2) / games, "low": low, "high": high,
        "win_low": share.low, "win_high": share.high, "time_ratio": row["time_ratio"],
    }  # fmt: skip

"""The stored strength table: our player at several budgets against tree search and random play."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.game.policy import Agent, from_moves, random_agent
from ttt_lib.game.stats import wilson
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import BOARD, CELL, FORCED, FREE, RESULT, SIDE, States
from ttt_lib.ultimate.board.rules import MOVE_OF
from ttt_lib.ultimate.players import stored_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies.matches import timed, with_score

FILE = "ultimate_strength.csv"
SIMULATIONS = (25, 50, 100, 200, 400, 800, 2000)
COLUMNS = ["opponent", "simulations", "games", "win", "draw", "loss", "score", "low", "high",
           "win_low", "win_high", "time_ratio"]  # fmt: skip

RANDOM, OPENSPIEL = "random", "OpenSpiel MCTSBot 1,000"
SEED = 1
"""Seed of every match, with which the command line can replay a row's games."""


class Pairing(NamedTuple):
    """A match to be played: simulations of the network, the opponent, and how many games."""

    simulations: int
    opponent: str
    games: int


def uct_name(iterations: int) -> str:
    """An opponent's name in the table."""
    return f"UCT {iterations:,}"


HEADLINE = Pairing(200, uct_name(10_000), 200)
"""The match that gets twice the games."""


def plan() -> list[Pairing]:
    """The matches.  Slow opponents get fewer games."""
    cheap = {RANDOM: 100, **dict.fromkeys(map(uct_name, (100, 1000, 10_000)), 200)}
    matches = [Pairing(n, name, games) for name, games in cheap.items() for n in SIMULATIONS]
    matches = [m._replace(games=400) if m == HEADLINE else m for m in matches]
    matches += [Pairing(200, uct_name(100_000), 100), Pairing(2000, uct_name(100_000), 200)]
    if openspiel() is not None:
        matches += [Pairing(200, OPENSPIEL, 100)]
    return matches


def openspiel() -> Any:
    """OpenSpiel's module, or None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel


class OpenSpiel:
    """OpenSpiel's bot, which must be fed every game from its first move on.

    It works out which moves led from the state it knows to the one it is asked about.
    OpenSpiel splits a free move into two actions, so the bot searches such a move twice.
    """

    def __init__(self, simulations: int, seed: int) -> None:
        spiel = openspiel()
        self.game = spiel.load_game("ultimate_tic_tac_toe")
        rollouts = spiel.RandomRolloutEvaluator(1, seed)
        self.bot = spiel.MCTSBot(self.game, rollouts, 1.414, simulations, 100, False, seed, False)
        self.state, self.known = self.game.new_initial_state(), Ultimate().initial()[0]

    @property
    def agent(self) -> Agent:
        """The bot as a player; ask it about one game after the other."""
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


def openspiel_state(state: NDArray[np.uint16]) -> Any:
    """OpenSpiel's state of a position, shape (24,), after moves that lead to it.

    Raises
    ------
    ValueError
        If none do.
    """
    bot = OpenSpiel(1, 0)
    path = path_between(bot.known, state)
    if path is None:
        raise ValueError("no moves lead to this position")
    for move in path:
        bot._show(move)
    return bot.state


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


def play(pairing: Pairing, seed: int = SEED) -> dict[str, Any]:
    """Play one match and return counts and the ratio of processor times."""
    counted, mine, other = timed(
        stored_agent(pairing.simulations), opponent(pairing.opponent, seed), pairing.games, rng=seed
    )
    return {
        "opponent": pairing.opponent, "simulations": pairing.simulations, **counted,
        "time_ratio": mine.nanoseconds / other.nanoseconds,
    }  # fmt: skip


def opponent(name: str, seed: int = SEED) -> Agent:
    """Random play, UCT or OpenSpiel's bot, by its name in the table."""
    if name == OPENSPIEL:
        return OpenSpiel(1000, seed).agent
    game = Ultimate()
    return random_agent(game) if name == RANDOM else uct(game, int(name[4:].replace(",", "")))


def make_strength() -> pd.DataFrame:
    """Regenerate the stored table, with the stored networks; about seven CPU-minutes.

    Returns
    -------
    DataFrame
        Columns opponent, simulations, games, win, draw, loss, those of ``PAIRS``, time_ratio
        (processor time of the network's moves over that of the opponent's, in the same games).
    """
    return pd.DataFrame(run_parallel(play, [(pairing,) for pairing in plan()], about="match"))


def summary(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """The stored table with shares, scores and their intervals.

    Returns
    -------
    DataFrame
        Columns opponent, simulations, games, win, draw, loss (shares), score, low, high
        (95% interval of the score, over pairs), win_low, win_high, time_ratio.
    """
    found = store.read_table(FILE) if found is None else found
    wins = [wilson(win, games) for win, games in found[["win", "games"]].to_numpy(int).tolist()]
    shares = {name: found[name] / found["games"] for name in ("win", "draw", "loss")}
    table = with_score(found).assign(
        **shares, win_low=[w.low for w in wins], win_high=[w.high for w in wins]
    )
    return table[COLUMNS]

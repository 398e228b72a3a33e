"""Document 5's strong agent against its standard one, and the worth of each difference.

Both draw their moves by visits.  The strong agent has more simulations and a lower temperature; two
more players have one of these only.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.store import read_table
from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.players import AlphaZeroAgent, create_prediction_agent, create_strong_agent
from ttt_lib.ultimate.studies.matches import played, summed

FILE = "ultimate_agents.csv"
STRONG, SIMULATIONS, TEMPERATURE = "strong", "simulations only", "temperature only"
PLAYERS = (STRONG, SIMULATIONS, TEMPERATURE)
"""Who meets the standard agent: the strong one, and those that differ in one respect only."""

SEEDS, GAMES = range(1, 21), 100


def player(name: str) -> AlphaZeroAgent:
    """A player by its name in the table, with the stored self-play network."""
    strong, standard = create_strong_agent(), create_prediction_agent()
    more = standard if name == TEMPERATURE else strong
    cooler = standard if name == SIMULATIONS else strong
    return AlphaZeroAgent(
        standard.network, more.num_simulations, standard.c_puct, cooler.temperature
    )


def drawing(agent: AlphaZeroAgent, name: str) -> Agent:
    """The same player for a match: its moves are drawn as it says."""

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        boards = map(agent.game.unpack, states)
        return np.array([agent.select_action(board, rng=rng) for board in boards], dtype=np.intp)

    return from_moves(name, agent.game, moves)


def play(name: str, seed: int) -> dict[str, Any]:
    """One match against the standard agent, each opening from both sides."""
    ours, theirs = drawing(player(name), name), drawing(create_prediction_agent(), "standard")
    return {"player": name, "seed": seed, **played(ours, theirs, GAMES, rng=seed)}


def make_agents() -> pd.DataFrame:
    """Twenty matches of each player, the same openings for all; about three minutes."""
    return pd.DataFrame(run_parallel(play, product(PLAYERS, SEEDS), about="match"))


def read() -> pd.DataFrame:
    """Games, counts and score with interval against the standard agent, by player."""
    return summed(read_table(FILE), "player").loc[list(PLAYERS)]

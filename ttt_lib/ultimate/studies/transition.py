"""When games of the stored network are decided: from how many playable cells on the winner is sure.

The document weighs positions of 26 to 29 empty cells most, as those where games are often decided.
Here the self-play network plays itself, and each search says how sure it is of the winner.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Floats
from ttt_lib.game.match import random_openings
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import SIDE, States
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.studies import OPENING_PLIES

FILE = "ultimate_transition.csv"
GAMES, SIMULATIONS, SEED = 4000, 200, 0

SURE = (0.5, 0.7, 0.9)
"""Values, of at most 1, from which on the winner may be called sure."""


def openings(games: int) -> States:
    """The first so many different openings, shape (games, 24): from equal ones, equal games follow.

    Raises
    ------
    ValueError
        If twice as many random ones hold fewer.
    """
    rng = np.random.default_rng(SEED)
    drawn = random_openings(Ultimate(), 2 * games, OPENING_PLIES, rng)
    _, first = np.unique(drawn, axis=0, return_index=True)
    if len(first) < games:
        raise ValueError(f"only {len(first)} of {len(drawn)} openings differ, not {games}")
    return drawn[np.sort(first)[:games]]


def searched_game(state: NDArray[np.uint16]) -> tuple[Floats, States]:
    """The network's game with itself from a state on: the search's values for X, and the states."""
    game, tables, values, states = Ultimate(), stored_tables(), [], []
    batch = state[None]
    while not game.finished(batch)[0]:
        view = TableSearch(game, batch[0], tables).run(SIMULATIONS)
        move = int(view.scores.argmax())
        states.append(batch[0])
        values.append(view.values[move] * (1 - 2 * int(batch[0, SIDE])))
        batch = game.play(batch, np.array([move]))
    return np.array(values), np.array(states)


def decided_at(values: Floats, sure: float) -> int | None:
    """The first ply from which the winner's value stays >= ``sure``; None if there is none."""
    winner = np.sign(values[-1])
    doubtful = np.flatnonzero(values * winner < sure)
    first = int(doubtful[-1]) + 1 if len(doubtful) else 0
    return first if winner and first < len(values) else None


def turn(state: NDArray[np.uint16]) -> list[int | None]:
    """Playable cells where the game from a state is decided, by each of ``SURE``."""
    values, states = searched_game(state)
    cells = playable(states).tolist()
    plies = [decided_at(values, sure) for sure in SURE]
    return [None if ply is None else cells[ply] for ply in plies]


def make_transition(games: int = GAMES) -> pd.DataFrame:
    """A row per game: its number, and for each of ``SURE`` the cells, empty if never decided."""
    rows = run_parallel(turn, [(state,) for state in openings(games)], about="game")
    table = pd.DataFrame(rows, columns=[column(sure) for sure in SURE], dtype="Int64")
    return table.rename_axis("game").reset_index()


def column(sure: float) -> str:
    """Where the table has the cells for a value that is called sure."""
    return f"cells_{sure:.0%}".rstrip("%")


def decided(sure: float) -> NDArray[np.int64]:
    """Playable cells where the stored games are decided; those that never are, left out."""
    return read_table(FILE)[column(sure)].dropna().to_numpy(np.int64)

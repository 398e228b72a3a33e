"""What the notebook and the figures read from the stored runs: larger boards, and costs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.comparison.matrix import PERFECT, RANDOM, matrix, standing
from ttt_lib.evidence.store import read_table
from ttt_lib.game.stats import with_intervals

EXACT = 0
"""Number of games where the result is exact, so that none were needed."""


@cache
def all_pairs() -> pd.DataFrame:
    """Expected results of all stored ordered pairs, from X's side.

    Returns
    -------
    DataFrame
        Columns board, x, o, games (0: exact), expected, low, high; the ends combine the nominal
        95% Wilson intervals of wins and of losses; nothing exact follows for their joint coverage.
    """
    exact = read_table("arena_4x4.csv").assign(board="4x4", games=EXACT)
    exact["expected"] = exact["low"] = exact["high"] = exact.win - exact.loss
    played = read_table("arena_games.csv")
    wins, losses = (with_intervals(played, result) for result in ("win", "loss"))
    played["expected"] = (played.win - played.loss) / played.games
    played["low"], played["high"] = wins.low - losses.high, wins.high - losses.low
    columns = ["board", "x", "o", "games", "expected", "low", "high"]
    return pd.concat([exact[columns], played[columns]], ignore_index=True)


def both_sides(board: str) -> pd.DataFrame:
    """Margins of a larger board, row against column: the mean result over both sides."""
    here = all_pairs()
    square = here[here.board == board].pivot(index="x", columns="o", values="expected")
    return (square - square.T) / 2


def games_lost(board: str) -> pd.Series[int]:
    """How many of its stored games on a board each player lost, on both sides; index: names."""
    games = read_table("arena_games.csv")
    here = games[games.board == board]
    as_x, as_o = here.groupby("x").loss.sum(), here.groupby("o").win.sum()
    return as_x.add(as_o, fill_value=0).astype(np.int64)


def strength_and_cost() -> pd.DataFrame:
    """Cost of a move, as a multiple of random play, training and results on 3x3.

    Returns
    -------
    DataFrame
        Columns player, cost, training (seconds), against_random, against_perfect,
        never_loses; tree search and Pure Monte Carlo from games (never_loses: they lost none of
        the stored ones), the others exact.
    """
    cost = read_table("arena_cost.csv")
    cost = cost[cost.board == "3x3"].set_index("player")
    found = standing(matrix())
    exact = pd.DataFrame(
        {
            "against_random": found.against_random.astype(np.float64),
            "against_perfect": found.against_perfect.astype(np.float64),
            "never_loses": (found.worst_x >= 0) & (found.worst_o >= 0),
        }
    )
    margins, lost = both_sides("3x3"), games_lost("3x3")
    sampled = pd.DataFrame(
        {
            name: {
                "against_random": margins.loc[name, RANDOM],
                "against_perfect": margins.loc[name, PERFECT.partition(":")[0]],
                "never_loses": not lost[name],
            }
            for name in cost.index.difference(exact.index)
        }
    ).T
    both = pd.concat([exact, sampled.astype(exact.dtypes.to_dict())])
    data = cost[["batch_ratio", "training"]].rename(columns={"batch_ratio": "cost"}).join(both)
    return data.reset_index()

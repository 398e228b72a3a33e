"""What the endgame network is worth in games if the self-play network is given the same time.

A simulation of the endgame network takes longer, so a match at equal simulations favours it.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.store import read_table
from ttt_lib.ultimate.players import stored_agent, stored_tables
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.studies.matches import summed, timed

FILE = "ultimate_equal_time.csv"
SIMULATIONS = 200
RIVALS = (200, 230, 250)
"""Simulations of the self-play network: as many; more, in less time; in about equal time."""

SEEDS, GAMES = range(1, 21), 100


def play(rival: int, seed: int) -> dict[str, Any]:
    """One match of the stored player against the self-play network alone, and the time of both."""
    found, mine, theirs = timed(
        stored_agent(SIMULATIONS), table_agent(stored_tables(), rival), GAMES, rng=seed
    )
    return {
        "rival_simulations": rival, "seed": seed, **found,
        "ms": round(mine.milliseconds, 4), "opponent_ms": round(theirs.milliseconds, 4),
    }  # fmt: skip


def make_equal_time() -> pd.DataFrame:
    """Twenty matches at each number of simulations; about a minute."""
    return pd.DataFrame(run_parallel(play, product(RIVALS, SEEDS), about="match"))


def read() -> pd.DataFrame:
    """Score with interval, and time as a multiple of the rival's, by the rival's simulations."""
    table = read_table(FILE)
    times = table.groupby("rival_simulations")[["ms", "opponent_ms"]].mean()
    return summed(table, "rival_simulations").assign(time_ratio=times.ms / times.opponent_ms)

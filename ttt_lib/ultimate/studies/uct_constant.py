"""How strong UCT is with another exploration constant, and our player against the best one found.

UCT is the yardstick of all players here.  Its constant, the usual number, but for results from 0 to
1 instead of -1 to 1, was never tuned, as the settings of the networks were.  So it is tuned here on
some openings, by matches against itself with that constant; then the stored nets meet both on other
openings.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from ttt_lib.evidence.parallel import resumable
from ttt_lib.evidence.store import read_table
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.players import stored_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies import hybrid, strength
from ttt_lib.ultimate.studies.matches import played, summed

FILE = "ultimate_uct_constant.csv"
ITERATIONS, SIMULATIONS = 10_000, 200
DEFAULT, CONSTANTS = 1.414, (0.5, 0.7, 1.0, 1.2, 2.0)
"""The constant of all other matches of UCT, and those that are tried instead."""

TUNING, REPORT = range(1, 101), range(101, 301)
"""Seeds of the openings for tuning, and of those on which the nets' score is reported."""


def play(c: float | None, rival: float, seed: int) -> dict[str, Any]:
    """Both games of one opening against UCT with constant ``rival``, and the seed of all of it.

    Parameters
    ----------
    c : float or None
        Constant of the player, which is UCT, too; None: the stored nets play.
    """
    game = Ultimate()
    ours = stored_agent(SIMULATIONS) if c is None else uct(game, ITERATIONS, c)
    found = played(ours, uct(game, ITERATIONS, rival), 2, rng=seed)
    player = "net" if c is None else "UCT"
    return {"player": player, "c": c, "rival_c": rival, "seed": seed, **found}


def make_uct_constant(path: Path | None = None) -> pd.DataFrame:
    """Tune UCT on some openings, then let the stored nets meet it on others.

    Parameters
    ----------
    path : Path or None
        A file that records finished rows, so that a killed run resumes where it stopped.

    Returns
    -------
    DataFrame
        A row per opening: player, c (empty for the nets), rival_c, seed, and the counts of a match.
    """
    tuned = resumable(play, list(product(CONSTANTS, [DEFAULT], TUNING)), path, about="tuning")
    rivals = (best(pd.DataFrame(tuned)), DEFAULT)
    met = resumable(play, list(product([None], rivals, REPORT)), path, about="report")
    return pd.DataFrame(tuned + met)


def tuning(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """UCT's score with interval against itself with c = ``DEFAULT``, by its constant."""
    table = read_table(FILE) if table is None else table
    return summed(table[table.player == "UCT"], "c")


def best(table: pd.DataFrame | None = None) -> float:
    """The constant with which UCT scores most, the smallest of several."""
    found = tuning(table)
    return float(found.index[int(found.score.argmax())])


def read() -> pd.DataFrame:
    """The stored nets' score with interval against UCT, by its constant."""
    table = read_table(FILE)
    return summed(table[table.player == "net"], "rival_c")


def all_games() -> pd.Series[float]:
    """The stored nets against UCT with c = ``DEFAULT``, in all stored matches of the two.

    Three matches: the strength table's, these, and the hybrid's, whose openings are the first of
    the strength table's.
    """
    alone = read_table(strength.FILE).query("simulations == @SIMULATIONS")
    beside = read_table(hybrid.FILE).query(
        "player == @hybrid.NET and budget == @ITERATIONS and simulations == @SIMULATIONS"
    )
    name = strength.uct_name(ITERATIONS)
    found = pd.concat([table[table["opponent"] == name] for table in (alone, beside)])
    rows = pd.concat([found, read().loc[[DEFAULT]]])
    return summed(rows.assign(player="net"), "player").iloc[0]

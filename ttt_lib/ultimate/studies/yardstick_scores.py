"""What players score on the yardstick: the stored table, and how it is read."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.game.policy import Agent, from_moves, random_agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.players import (
    by_phase,
    endgame_search,
    endgame_tables,
    stored_agent,
    stored_tables,
)
from ttt_lib.ultimate.search.puct_table import evaluator, table_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies import yardstick
from ttt_lib.ultimate.studies.yardstick import Score, Yardstick

FILE = "ultimate_yardstick_scores.csv"

REFERENCE = ("uct", 10_000)
"""The player with which all are compared, position by position."""

UCT = (100, 1000, 10_000)
NET = (2, 10, 25, 50, 100, 200, 400, 800, 2000)
SLOW, EVERY = ("uct", 100_000), 4
"""A slow player, and how it is asked: only in every fourth position."""

COLUMNS = ["player", "simulations", "cells", "optimal", "one", "two", "better", "worse"]


def prior_agent(tables: Tables) -> Agent:
    """Play the move that the network's policy prefers, without any search."""
    look, game = evaluator(tables), Ultimate()

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        return np.asarray(np.where(game.legal(states), look(states)[0], -1).argmax(axis=1))

    return from_moves("policy alone", game, moves, deterministic=True)


def players() -> dict[tuple[str, int], Agent]:
    """All players of the table by name and simulations, 0 for players that don't search.

    ``net`` is the stored player, which switches networks where endgames begin; ``self-play net``
    plays the whole game with the self-play network, and ``self-play net, endgame settings`` does
    so with the search settings of the other one.
    """
    alone, late = stored_tables(), endgame_tables(Ultimate())
    settings = endgame_search(Ultimate())
    found: dict[tuple[str, int], Agent] = {
        ("random", 0): random_agent(Ultimate()),
        ("policy alone", 0): by_phase(prior_agent(alone), prior_agent(late)),
    }
    for n in UCT:
        found["uct", n] = uct(Ultimate(), n)
        found["uct without proofs", n] = uct(Ultimate(), n, solve=False)
    found[SLOW] = uct(Ultimate(), SLOW[1])
    for n in NET:
        found["net", n] = stored_agent(n)
        found["net without proofs", n] = stored_agent(n, solve=False)
        found["self-play net", n] = table_agent(alone, n)
        found["self-play net, endgame settings", n] = table_agent(alone, n, **settings)
    found["net", 10_000] = stored_agent(10_000)
    return found


def rows(
    player: str, simulations: int, regrets: NDArray[np.int64], reference: NDArray[np.int64],
    cells: NDArray[np.int64],
) -> list[dict[str, object]]:  # fmt: skip
    """One player's counts by playable cells.

    ``better`` counts the positions where the player was right and the reference wrong,
    ``worse`` those the other way round.
    """
    found = []
    for number in np.unique(cells):
        own, other = regrets[cells == number], reference[cells == number]
        better, worse = ((own == 0) & (other > 0)).sum(), ((own > 0) & (other == 0)).sum()
        counts = np.bincount(own, minlength=3).tolist()
        values = [player, simulations, int(number), *counts, int(better), int(worse)]
        found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def make_yardstick_scores(measure: Yardstick | None = None) -> pd.DataFrame:
    """Ask every player for its move in every position."""
    measure = measure or yardstick.read()
    asked, found = players(), list[dict[str, object]]()
    reference = measure.regrets(measure.ask(asked[REFERENCE]))
    for who, agent in asked.items():
        part = slice(None, None, EVERY if who == SLOW else 1)
        few = measure.take(part)
        found += rows(*who, few.regrets(few.ask(agent)), reference[part], few.cells)
    return pd.DataFrame(found)


# ---------------------------------------------------------------------------- reading it


@cache
def summary() -> pd.DataFrame:
    """Share of optimal moves and mean regret with 95% intervals, one row per player.

    Returns
    -------
    DataFrame
        Index player, simulations.  Columns n, share, low, high, regret, regret_low, regret_high;
        better, worse: positions where only the player, only the reference was right; p: p-value
        of the exact two-sided test that both are equally likely (McNemar, 1947).
    """
    counts = store.read_table(FILE).groupby(["player", "simulations"], sort=False)[COLUMNS[3:]]
    return pd.DataFrame(
        {who: _line(*row.tolist()) for who, row in counts.sum().iterrows()}
    ).T.rename_axis(["player", "simulations"])


def _line(optimal: int, one: int, two: int, better: int, worse: int) -> dict[str, float]:
    from scipy.stats import binomtest

    score = Score(optimal, one, two)
    differ = better + worse
    return {
        "n": score.n, "share": score.share, "low": score.interval.low, "high": score.interval.high,
        "regret": score.regret, "regret_low": score.regret_interval.low,
        "regret_high": score.regret_interval.high, "better": better, "worse": worse,
        "p": float(binomtest(better, differ).pvalue) if differ else 1.0,
    }  # fmt: skip


def line(player: str, simulations: int) -> dict[str, float]:
    """One row of :func:`summary`.

    Raises
    ------
    ValueError
        If the table has no such player.
    """
    lines = summary().to_dict("index")
    if (player, simulations) not in lines:
        known = ", ".join(f"{p} {s}" for p, s in summary().index)
        raise ValueError(f"no scores of {player} {simulations}: {known}")
    return {str(key): float(value) for key, value in lines[player, simulations].items()}


def by_cells(player: str, simulations: int) -> dict[int, Score]:
    """A player's scores by playable cells.

    Raises
    ------
    ValueError
        If the table has no such player.
    """
    table = store.read_table(FILE)
    found = table[(table["player"] == player) & (table["simulations"] == simulations)]
    line(player, simulations)
    return {row[0]: Score(*row[1:]) for row in found[COLUMNS[2:6]].to_numpy(int).tolist()}


def up_to(cells: int, player: str, simulations: int) -> Score:
    """A player's score on positions of at most ``cells`` playable cells.

    Raises
    ------
    ValueError
        As :func:`by_cells`.
    """
    found = [score for count, score in by_cells(player, simulations).items() if count <= cells]
    return Score(*(sum(counts) for counts in zip(*found, strict=True)))

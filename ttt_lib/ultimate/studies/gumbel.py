"""Gumbel root against PUCT root, same network, same simulations: games, yardstick, targets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.game.board import Floats
from ttt_lib.game.match import MatchResult
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.learn.selfplay_batch import targets_of
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.gumbel import gumbel_agent, gumbel_search
from ttt_lib.ultimate.search.puct_table import TableSearch, table_agent
from ttt_lib.ultimate.studies import yardstick
from ttt_lib.ultimate.studies.matches import counts, played, with_score
from ttt_lib.ultimate.studies.yardstick import Score, Yardstick

FILE = "ultimate_gumbel.csv"
SIMULATIONS = (16, 32, 64, 200)
GAMES = 400

VARIANTS = {
    "published": {"noise": 1.0, "scale": 1.0},
    "no noise": {"noise": 0.0, "scale": 1.0},
    "no noise, scale 0.1": {"noise": 0.0, "scale": 0.1},
}
"""Options of the Gumbel roots that are compared."""

PUCT = "PUCT"


def targets(
    tables: Tables, variant: str, simulations: int, state: States, rng: np.random.Generator
) -> Floats:
    """What a network would learn from one search, shape (81,), summing to 1.

    Of a PUCT root, the shares of the visits, corrected by proofs as in self-play.  Of a Gumbel
    root, the improved policy of :func:`~ttt_lib.ultimate.search.gumbel.gumbel_search`, where Q of
    moves without a visit is completed by a mixture of the network's value and the values of the
    visited moves.  Training with ``q_scale`` completes it by the root's mean instead
    (:func:`~ttt_lib.ultimate.learn.selfplay.improved`).  These are two variants: what is measured
    here is not what such a training learns from.
    """
    if variant == PUCT:
        weights = targets_of(TableSearch(Ultimate(), state, tables).run(simulations))
        return np.asarray(weights / weights.sum())
    options = VARIANTS[variant]
    return gumbel_search(Ultimate(), state, tables, simulations, **options, rng=rng).policy  # type: ignore[arg-type]


def optimal_mass(tables: Tables, variant: str, simulations: int, measure: Yardstick) -> float:
    """Mean share of a target that lies on optimal moves."""
    best = measure.results == measure.results.max(axis=1, keepdims=True)
    rngs = np.random.default_rng(0).spawn(len(measure))
    found = [
        targets(tables, variant, simulations, state, rng)[row].sum()
        for state, row, rng in zip(measure.states, best, rngs, strict=True)
    ]
    return float(np.mean(found))


def compare(
    tables: Tables, variant: str, simulations: int, measure: Yardstick
) -> dict[str, object]:
    """One row: the match against PUCT (none for PUCT itself), the yardstick, the target."""
    usual = table_agent(tables, simulations)
    agent, found = usual, counts(MatchResult(0, 0, 0, 0, 0.0))
    if variant != PUCT:
        agent = gumbel_agent(tables, simulations, **VARIANTS[variant])  # type: ignore[arg-type]
        found = played(agent, usual, GAMES, rng=simulations)
    score = measure.score(agent)
    return {
        "root": variant, "simulations": simulations, **found, **score._asdict(),
        "target": optimal_mass(tables, variant, simulations, measure),
    }  # fmt: skip


def make_gumbel() -> pd.DataFrame:
    """The stored table: every root at every number of simulations."""
    tables, measure = stored_tables(), yardstick.read()
    return pd.DataFrame(
        [compare(tables, v, n, measure) for v in (PUCT, *VARIANTS) for n in SIMULATIONS]
    )


@cache
def summary() -> pd.DataFrame:
    """The stored comparison with intervals.

    Returns
    -------
    DataFrame
        Index root, simulations.  Columns score, score_low, score_high (of the match against PUCT,
        nan for PUCT itself); share, low, high (of optimal moves on the yardstick); regret; target
        (mean share of what would be learned that lies on optimal moves); games, n.
    """
    table = store.read_table(FILE).set_index(["root", "simulations"])
    scores = [Score(*row) for row in table[list(Score._fields)].to_numpy(int).tolist()]
    ends = {"low": "score_low", "high": "score_high"}
    played = with_score(table[table["games"] > 0])[["score", *ends]].rename(columns=ends)
    return played.reindex(table.index).assign(
        games=table["games"], share=[it.share for it in scores],
        low=[it.interval.low for it in scores], high=[it.interval.high for it in scores],
        regret=[it.regret for it in scores], target=table["target"], n=[it.n for it in scores],
    )  # fmt: skip

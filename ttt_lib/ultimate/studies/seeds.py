"""Was the stored network lucky?  The same training with other seeds, the same matches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd
from tqdm import tqdm

from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import LARGE
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.learn.trainer import one_thread
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct import uct
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.studies import OPENING_PLIES
from ttt_lib.ultimate.studies.ablations import trained
from ttt_lib.ultimate.studies.matches import counts

TABLE = "ultimate_seeds.csv"

OTHERS = (2, 3)
"""Seeds other than the stored network's own."""

AGAINST_UCT = ((200, 10_000, 400), (2000, 100_000, 200))
"""Simulations, the opponent's playouts, and games."""

SIMULATIONS, GAMES = 200, 400
"""Simulations and games when the networks play each other."""


def networks() -> dict[int, Tables]:
    """The stored network, and those of the other seeds, trained anew; by seed."""
    stored = int(checkpoint.load_net()[1]["seed"])
    return {stored: stored_tables(), **{seed: trained(LARGE, seed).tables for seed in OTHERS}}


def matches(tables: dict[int, Tables]) -> Iterator[dict[str, Any]]:
    """A row for each match: every network against UCT, and against each of the others."""
    with one_thread():
        for seed, net in tqdm(tables.items(), unit="seed"):
            for simulations, playouts, games in AGAINST_UCT:
                ours, plain = table_agent(net, simulations), uct(Ultimate(), playouts)
                yield _row(seed, f"UCT {playouts:,}", simulations, ours, plain, games)
        for one, two in combinations(tables, 2):
            ours, theirs = (table_agent(tables[seed], SIMULATIONS) for seed in (one, two))
            yield _row(one, f"seed {two}", SIMULATIONS, ours, theirs, GAMES)


def _row(
    seed: int, name: str, simulations: int, ours: Agent, theirs: Agent, games: int
) -> dict[str, Any]:
    found = match(ours, theirs, games, rng=1, openings=OPENING_PLIES)
    return {"seed": seed, "opponent": name, "simulations": simulations, **counts(found)}


def make_seeds() -> pd.DataFrame:
    """Train two networks, play the matches of three; some 70 minutes of processor time."""
    return pd.DataFrame(matches(networks()))

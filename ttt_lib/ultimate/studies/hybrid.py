"""What the solver is worth in play: by threshold and simulations, and at about equal time.

Each row is a match against the same net without a solver, with equally many simulations or with
as many as take about the hybrid's time, or a match of either against UCT; all from the same
openings.  Both players' processor time is measured in the same games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from tqdm import tqdm

from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.players import alphazero
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies.matches import timed

FILE = "ultimate_hybrid.csv"
CELLS, SIMULATIONS = (15, 20, 25), (50, 200, 800)
GAMES, SEED, UCT = 400, 1, 10_000
SHALLOW = 8
"""The document's depth of the shallow search."""

EQUAL_TIME = ((200, 20, 230), (200, 25, 450), (800, 25, 1050))
"""Simulations and threshold of the hybrid; simulations that take the net about as long."""

NET = "net alone"


def pairing(
    label: str, rival: str, ours: Agent, theirs: Agent, games: int = GAMES
) -> dict[str, Any]:
    """One match with the processor time of both players' moves."""
    counted, mine, other = timed(ours, theirs, games, rng=SEED)
    ratio = mine.nanoseconds / other.nanoseconds
    return {"player": label, "opponent": rival, **counted, "time_ratio": ratio}


def against_net(simulations: int, cells: int, budget: int, shallow: int = 0) -> dict[str, Any]:
    """The hybrid against the net alone, which gets ``budget`` simulations."""
    game = Ultimate()
    ours = alphazero(game, simulations, solver=cells, shallow=shallow)
    label = "published settings" if shallow else "hybrid"
    found = pairing(label, NET, ours, alphazero(game, budget, solver=0))
    return {
        "simulations": simulations, "cells": cells, "shallow": shallow, "budget": budget, **found
    }  # fmt: skip


def against_uct(cells: int) -> dict[str, Any]:
    """The hybrid with 200 simulations, or the net alone, against ``UCT`` iterations."""
    game = Ultimate()
    ours = alphazero(game, 200, solver=cells)
    label = "hybrid" if cells else NET
    found = pairing(label, f"UCT {UCT:,}", ours, uct(game, UCT), GAMES // 2)
    return {"simulations": 200, "cells": cells, "shallow": 0, "budget": UCT, **found}


def rows() -> Iterator[dict[str, Any]]:
    """All matches."""
    for simulations in SIMULATIONS:
        for cells in CELLS:
            yield against_net(simulations, cells, simulations)
    for settings in EQUAL_TIME:
        yield against_net(*settings)
    yield against_net(200, 15, 200, shallow=SHALLOW)
    for cells in (0, 20):
        yield against_uct(cells)


def make_hybrid() -> pd.DataFrame:
    """Regenerate the stored table, with the stored networks."""
    return pd.DataFrame(list(tqdm(rows(), unit="match")))

"""A part of each long run of document 2, recomputed beside what is stored."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.game.board import Grid
from ttt_lib.game.policy import random_agent, safety
from ttt_lib.spectral import runs as stored
from ttt_lib.spectral.exhibits import train_network
from ttt_lib.spectral.labels import exact_rows
from ttt_lib.spectral.policy import Model, fit


def orderings() -> Sample:
    """All fixed lists of one side, without the safety rule."""
    table = store.read_table("spectral_orderings.csv")
    found = pd.DataFrame([stored._ordering_row(1, False)])
    return Sample(found, table[(table.side == "x") & (table.safety == "no")], 1 / 4)


def networks() -> Sample:
    """Ridge regression and a small network on the expected result."""
    table, rows = store.read_table("spectral_networks.csv"), exact_rows(Grid(3), "value")
    network = train_network(rows, hidden=10, seed=3)
    found = [
        stored._contest_row("ridge", "value", 0, 0, fit(rows)),
        stored._contest_row("network", "value", 10, 3, network),
    ]
    same = (table.labels == "value") & (table.seed.isin((0, 3))) & (table.hidden.isin((0, 10)))
    kept = table[same & ((table.model == "ridge") | (table.seed == 3))]
    return Sample(pd.DataFrame(found), kept)


def games() -> Sample:
    """The safety rule alone against random play, on both boards; all its seeds."""
    table, rows = store.read_table("spectral_games.csv"), []
    for grid in (Grid(4), Grid(5)):
        me, other = safety(random_agent(grid)), random_agent(grid)
        counts = sum(stored._counts(me, other, 100, s, "first") for s in range(stored.SEEDS))
        rows.append(stored._row("safety+random", grid, "random", "first", np.asarray(counts)))
    kept = table[(table.player == "safety+random") & (table.opponent == "random")]
    return Sample(pd.DataFrame(rows), kept)


def transfers() -> Sample:
    """Weights carried from 3x3 and nothing at all, with and without the safety rule."""
    table, rows = store.read_table("spectral_transfer.csv"), []
    small, large = Grid(3), Grid(4)
    nothing = Model(large, np.zeros(2 * large.cells))
    for careful in (False, True):
        counts = sum(stored._against_random(nothing, careful, s) for s in range(stored.SEEDS))
        row = stored._row("nothing (lowest index)", large, "random", "alternate", counts)  # type: ignore[arg-type]
        rows.append({"from": small.name, "safety": "yes" if careful else "no", **row})
    kept = table[(table["from"] == "3x3") & table.player.str.startswith("nothing")]
    return Sample(pd.DataFrame(rows), kept)


def trainings() -> Sample:
    """The random lists, on both boards."""
    table = store.read_table("spectral_trainings.csv")
    found = pd.DataFrame(stored._random_lists())
    return Sample(found, table[table.player == "random list"], 1 / 3)


def kept() -> Sample:
    """The first match of the first training, for each case."""
    table = store.read_table("spectral_kept.csv")
    found = pd.DataFrame(stored._kept_row(case, 0, 0) for case in stored.KEPT)
    return Sample(found, table[(table.seed == 0) & (table.match == 0)], 1 / 40)

"""A part of each long run of document 2, recomputed for comparison with the stored one."""

from __future__ import annotations

import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.game.board import Grid
from ttt_lib.spectral import runs as stored
from ttt_lib.spectral.exhibits import train_network
from ttt_lib.spectral.labels import exact_rows
from ttt_lib.spectral.policy import fit


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
    """The safety rule alone against random play and tree search, all its seeds."""
    table, name = store.read_table("spectral_games.csv"), "safety+random"
    build = dict(stored._players(Grid(4)))[name]
    found = pd.DataFrame(
        stored._trained_row(name, build, opponent, seed)
        for seed in range(stored.SEEDS)
        for opponent in stored.opponents(Grid(4))
    )
    return Sample(found, table[table.player == name], 1 / 5)


def transfers() -> Sample:
    """Random weights on 4x4, without the safety rule."""
    table, name = store.read_table("spectral_transfer.csv"), "random weights"
    found = pd.DataFrame(
        stored._transfer_row(3, name, False, seed) for seed in range(stored.MOVED[name])
    )
    kept = (table.player == name) & (table.board == "4x4") & (table.safety == "no")
    return Sample(found, table[kept], 1 / 10)


def kept() -> Sample:
    """The first match of the first training, for each case."""
    table = store.read_table("spectral_kept.csv")
    found = pd.DataFrame(stored._kept_row(case, 0, 0) for case in stored.KEPT)
    return Sample(found, table[(table.seed == 0) & (table.match == 0)], 1 / 40)

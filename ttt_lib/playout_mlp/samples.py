"""A part of each long run of document 1, recomputed for comparison with the stored one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.game.policy import minimax, random_agent
from ttt_lib.playout_mlp import runs as stored
from ttt_lib.playout_mlp import study
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import Net, net, run


def seeds() -> Sample:
    """Everything about one network, trained anew (seed 6 trains fastest)."""
    table = store.read_table("playout_mlp_seeds.csv")
    found = pd.DataFrame([stored._seed(6)])
    return Sample(found, table[table.seed == 6], 1 / len(table))


def copying() -> Sample:
    """The first two seeds."""
    table = store.read_table("playout_mlp_copying.csv").iloc[:2]
    found = pd.DataFrame([study.copying_quantities(int(seed)) for seed in table.seed])
    return Sample(found, table, len(table) / len(study.COPYING_SEEDS))


def nets() -> Sample:
    """One network, trained on the rows of both sides: all its weights (seed 0 trains fastest)."""
    found, kept = (_weights(n) for n in (run(0, record="both").net, net(0, "both")))
    return Sample(found, kept, 1 / 40)


def _weights(network: Net) -> pd.DataFrame:
    arrays = (network.hidden, network.hidden_bias, network.out, network.out_bias)
    return pd.DataFrame({"weight": np.concatenate([np.ravel(array) for array in arrays])})


def strength() -> Sample:
    """One network that looks one ply ahead, against both opponents on both sides."""
    table = store.read_table("playout_mlp_strength.csv")
    row, agent = next(iter(stored._players()))
    found = [
        {**row, **stored._exact_row(agent, side, opponent)}
        for side in ("x", "o")
        for opponent in (random_agent(GRID), minimax(GRID))
    ]
    return Sample(pd.DataFrame(found), table.iloc[:4], 4 / len(table))


def monte_carlo() -> Sample:
    """One playout per move as O, against random play."""
    table = store.read_table("playout_mlp_games.csv")
    seed = np.random.default_rng(np.random.SeedSequence(1).spawn(3)[2])
    found = stored._match_row("pmc random", 1, "o", random_agent(GRID), seed)
    return Sample(pd.DataFrame([found]), table.iloc[[2]])

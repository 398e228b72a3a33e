"""A part of each long run of document 3, recomputed for comparison with the stored one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import float_values, misplayed, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import lookahead, random_agent
from ttt_lib.game.response import worst_result
from ttt_lib.ntuple import analysis
from ttt_lib.ntuple import runs as stored
from ttt_lib.ntuple.optimum import minimise
from ttt_lib.ntuple.players import play_with, table_of
from ttt_lib.ntuple.storage import read_stored


def _network(seed: int) -> Sample:
    """The network of a seed, retrained by self-play; its weights and the stored ones."""
    found, kept = (vars(n) for n in (stored.network_4x4(seed), read_stored(seed)))
    names = [name for name, value in kept.items() if isinstance(value, np.ndarray)]
    table, old = ({n: np.ravel(values[n]) for n in names} for values in (found, kept))
    return Sample(_long(table), _long(old), 1.0)


def _long(arrays: dict[str, np.ndarray]) -> pd.DataFrame:
    parts = [pd.DataFrame({"array": name, "value": values}) for name, values in arrays.items()]
    return pd.concat(parts, ignore_index=True)


def network_4x4_0() -> Sample:
    """The whole network of seed 0."""
    return _network(0)


def exact_4x4() -> Sample:
    """One network against random play, in floats; its worst results and misplayed states."""
    table, tree = store.read_table("ntuple_4x4_exact.csv"), solve(Grid(4))
    # The same table as from the player's policy, computed from the tree's children.
    mine, other = table_of(read_stored(1), tree), policy_table(random_agent(Grid(4)), tree)
    worst = [worst_result(tree, mine, side) for side in (1, -1)]
    chances = (w / np.maximum(w.sum(axis=1, keepdims=True), 1) for w in (mine, other))
    win = float_values(tree, *chances)[0][0].round(12)
    row = [1, *worst, len(tree), len(misplayed(tree, mine)), win]
    kept = table[(table.seed == 1) & (table.opponent == "random") & (table.side == "x")]
    kept = kept.assign(win=[round(float(Fraction(text)), 12) for text in kept.win])
    columns = ["seed", "worst_x", "worst_o", "states", "misplayed", "win"]
    return Sample(pd.DataFrame([row], columns=columns), kept[columns])


def matches_4x4() -> Sample:
    """Random play and a stored network against look-ahead."""
    table, grid = store.read_table("ntuple_4x4_matches.csv"), Grid(4)
    pairs = {"lines, by symmetry": play_with(read_stored(0)), "random": random_agent(grid)}
    other = lookahead(grid, 3)
    rows = [stored._match_row(name, agent, other) for name, agent in pairs.items()]
    kept = table[table.network.isin(pairs) & (table.opponent == other.name)]
    return Sample(pd.DataFrame(rows), kept, 2 / len(table))


def epochs() -> Sample:
    """One seed, all epochs."""
    table, seed = store.read_table("ntuple_epochs.csv"), 71
    rows = stored._epochs_of(analysis.tree3(), stored.VARIANTS["document"], rng=seed)
    found = pd.DataFrame(rows)
    found.insert(0, "seed", seed)
    return Sample(found, table[table.seed == seed], 1 / stored.SEEDS)


def optimum() -> Sample:
    """The document's tables, from zero."""
    table, patterns = store.read_table("ntuple_optimum.csv"), stored.VARIANTS["document"]
    best = minimise(patterns, np.zeros(patterns.parameters + 1))
    row = ["document", "zero", round(best.error, 11), best.slope < 1e-6]
    found = pd.DataFrame([row], columns=table.columns)
    return Sample(found, table[(table.variant == "document") & (table.start == "zero")], 1 / 20)


def self_play() -> Sample:
    """One seed up to its 1000th game, decaying learning rate, weights shared by symmetry."""
    table = store.read_table("ntuple_self_play.csv")
    same = (table.sharing == "symmetric") & table.way.str.startswith("falling") & (table.seed == 3)
    kept = table[same & (table.games <= 1000)]
    checks = np.sort(kept.games.unique())
    return Sample(stored._self_play_of("symmetric", stored.SELF_PLAY.half, 3, checks), kept)


def variants() -> Sample:
    """The variant with one table for all lines."""
    table = store.read_table("ntuple_variants.csv")
    found = pd.DataFrame([stored._variant("one table", stored.VARIANTS["one table"])])
    return Sample(found, table[table.variant == "one table"], 1 / len(table))


def curves() -> Sample:
    """The curves of two seeds."""
    table, seeds = store.read_table("ntuple_curves.csv"), (3, 499)
    found = pd.DataFrame([stored._curve(seed) for seed in seeds])
    return Sample(found, table[table.seed.isin(seeds)])

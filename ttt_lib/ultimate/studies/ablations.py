"""What each part of the training is worth: one part changed at a time, small runs, several seeds.

A run takes a quarter of a minute of processor time, so this shows what helps a
network to learn *early*.  Seeds differ by more than most parts matter; therefore
every variant is compared with the unchanged run of the same seed, and intervals
are over seeds, not over games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.game.match import match
from ttt_lib.game.stats import mean_interval
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import Config, DTWConfig, Stage, TableConfig, TrainingConfig
from ttt_lib.ultimate.learn.trainer import Trainer, with_changes
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies import OPENING_PLIES
from ttt_lib.ultimate.studies.matches import trained_agent

FILE = "ultimate_ablations.csv"
FULL = "nothing changed"
SEEDS = (1, 2, 3, 4, 5)
ITERATIONS, GAMES, SIMULATIONS = 16, 200, 64

BASE = Config(
    "ablation",
    TrainingConfig(
        num_iterations=ITERATIONS, num_self_play_games=GAMES, num_simulations=SIMULATIONS,
        num_train_epochs=40, batch_size=512, lr=0.004, use_amp=False,
        replay_buffer_size=300_000, save_interval=ITERATIONS, c_puct=1.5,
        stages=(Stage(1.0, SIMULATIONS, GAMES, 1.0),), augment=True, full_share=0.3,
        fast_simulations=24, noise=0.25, opening_plies=6, value_mix=0.5, fpu=0.2,
    ),
    TableConfig(),
    DTWConfig(hot_cache_size=1 << 14, cold_cache_size=1 << 20),
)  # fmt: skip
"""Written out in full, so that the stored table keeps its meaning when other settings change."""

VARIANTS: dict[str, dict[str, Any]] = {
    FULL: {},
    "no turned samples": {"augment": False},
    "all phases alike": {"phase_weights": ((0, 1.0),)},
    "no root noise": {"noise": 0.0},
    "no random openings": {"opening_plies": 0},
    "every move searched alike": {"full_share": 1.0, "stages": (Stage(1.0, 36, GAMES, 1.0),)},
    "values: results alone": {"value_mix": 0.0},
    "improved policies learned": {"q_scale": 1.0},
    "endgames relabelled": {"endgame": "relabel"},
    "endgames cut off": {"endgame": "adjudicate"},
    "published temperatures": {
        "stages": tuple(
            Stage(until, SIMULATIONS, GAMES, temperature)
            for until, temperature in ((0.2, 1.0), (0.5, 1.0), (0.8, 0.65), (1.0, 0.3))
        )
    },
}
"""Changed training settings by name.  0.3 x 64 + 0.7 x 24 = 36 simulations per move on average."""

Row = dict[str, Any]

UCT, UCT_GAMES, UCT_SIMULATIONS = 1000, 100, 200
FULL_GAMES, FULL_SIMULATIONS = 200, 100


def trained(config: Config, seed: int) -> Trainer:
    """Train to the end, on one thread."""
    trainer = Trainer(config, seed=seed)
    while trainer.iteration < config.training.num_iterations:
        trainer.train_iteration()
    return trainer


def measured(tables: Tables, full: Tables, seed: int) -> dict[str, float]:
    """Scores against UCT and against the unchanged run of the same seed.

    The openings of a seed are the same for every variant.
    """
    c = BASE.training.c_puct
    rival, ours = uct(Ultimate(), UCT), trained_agent(tables, UCT_SIMULATIONS, c=c)
    first = match(ours, rival, UCT_GAMES, rng=seed, openings=OPENING_PLIES)
    ours, theirs = (trained_agent(t, FULL_SIMULATIONS, c=c) for t in (tables, full))
    second = match(ours, theirs, FULL_GAMES, rng=seed, openings=OPENING_PLIES)
    return {
        "uct_games": UCT_GAMES, "uct_score": first.score,
        "full_games": FULL_GAMES, "full_score": second.score,
    }  # fmt: skip


def runs(
    seeds: Sequence[int] = SEEDS, variants: Sequence[str] = tuple(VARIANTS), *, base: Config = BASE
) -> Iterator[Row]:
    """Train and measure every variant with every seed.

    Yields
    ------
    dict
        variant, seed, cpu_minutes, positions (learned from), and what :func:`measured` returns.

    Raises
    ------
    ValueError
        If a variant is unknown or the first is not the unchanged run.
    """
    unknown = set(variants) - set(VARIANTS)
    if unknown or list(variants[:1]) != [FULL]:
        raise ValueError(f"variants begin with {FULL!r} and are among: {', '.join(VARIANTS)}")
    trained(with_changes(base, num_iterations=1, num_train_epochs=1), 0)  # compiles
    full = None
    for seed, name in tqdm([(s, n) for s in seeds for n in variants], unit="run"):
        trainer = trained(with_changes(base, **VARIANTS[name]), seed)
        full = trainer.tables if name == FULL else full
        assert full is not None
        yield {
            "variant": name, "seed": seed, "cpu_minutes": trainer.cpu_seconds / 60,
            "positions": sum(row["samples"] for row in trainer.log),
            **measured(trainer.tables, full, seed),
        }  # fmt: skip


def make_ablations() -> pd.DataFrame:
    """Regenerate the stored table: eleven variants, five seeds; some 20 CPU-minutes."""
    return pd.DataFrame(runs())


def effects(table: pd.DataFrame | None = None) -> pd.DataFrame:
    """Mean effect of each change over seeds, best first.

    The intervals (Student's t) hold for all changes jointly with 95% confidence: each gets
    its share of the 5% (Bonferroni), or one change in twenty would seem to matter by chance.

    Returns
    -------
    DataFrame
        Index variant; columns uct, uct_low, uct_high (score against UCT minus that of the
        unchanged run of the same seed), full, full_low, full_high (score against that run
        minus 1/2), cpu (processor time, as a multiple of that run's), seeds.
    """
    table = store.read_table(FILE) if table is None else table
    by_seed = table.pivot(index="seed", columns="variant")
    changed = [name for name in VARIANTS if name != FULL and name in set(table["variant"])]
    rows = {}
    for name in changed:
        uct = by_seed["uct_score"][name] - by_seed["uct_score"][FULL]
        full = by_seed["full_score"][name] - 0.5
        cpu = by_seed["cpu_minutes"][name] / by_seed["cpu_minutes"][FULL]
        rows[name] = {
            **_mean("uct", uct, 0.05 / len(changed)), **_mean("full", full, 0.05 / len(changed)),
            "cpu": float(cpu.mean()), "seeds": len(by_seed),
        }  # fmt: skip
    # Rounded, so that equal means keep the listed order, whatever a processor's last bits are.
    return pd.DataFrame(rows).T.sort_values(
        "full", ascending=False, key=lambda means: means.round(9), kind="stable"
    )


def _mean(name: str, values: pd.Series[float], risk: float) -> dict[str, float]:
    """Mean and interval; nan for the interval of a single value."""
    low, high = mean_interval(values, 1 - risk) if len(values) > 1 else (np.nan, np.nan)
    return {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}

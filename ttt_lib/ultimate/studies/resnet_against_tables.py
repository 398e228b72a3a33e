"""Residual network against table net: strength by processor time, the same trainer for both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from tqdm import tqdm

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import QUICK, RESNET, Config
from ttt_lib.ultimate.learn.trainer import Trainer, one_thread, with_changes
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies import matches
from ttt_lib.ultimate.studies.matches import played, trained_agent

FILE = "ultimate_networks.csv"
RUNS: dict[str, Config] = {
    "table net": with_changes(QUICK, num_iterations=56),
    "residual net": with_changes(RESNET, num_iterations=15),
}
"""Runs of about 2.5 and 5 CPU-minutes, within which the learning rate falls to its minimum."""

SEEDS, MEASURED = (1, 2, 3), (0.0, 0.2, 0.6, 1.0)
"""Seeds of training; shares of a run after which strength is measured."""

OPPONENTS, SIMULATIONS, GAMES, C = (100, 1000), 100, 100, QUICK.training.c_puct


def run(name: str, seed: int) -> Iterator[dict[str, Any]]:
    """Train one network; a row for each measurement.  Compilation is not counted."""
    Trainer(RUNS[name]).train_iteration(2, 1, num_simulations=4)
    trainer = Trainer(RUNS[name], seed=seed)
    last = trainer.config.training.num_iterations
    stops = [round(share * last) for share in MEASURED]
    for stop in stops:
        while trainer.iteration < stop:
            trainer.train_iteration()
        with one_thread():
            ours = trained_agent(trainer.learner.playable(), SIMULATIONS, c=C)
            for iterations in OPPONENTS:
                other = uct(Ultimate(), iterations)
                yield {
                    "seed": seed, "network": name, "iteration": stop,
                    "cpu_minutes": round(trainer.cpu_seconds / 60, 3), "opponent": iterations,
                    **played(ours, other, GAMES, rng=seed),
                }  # fmt: skip


def make_networks() -> pd.DataFrame:
    """Strength against UCT by CPU-minute of training, of both networks; some 30 CPU-minutes."""
    runs = [(name, seed) for seed in SEEDS for name in RUNS]
    return pd.DataFrame([row for job in tqdm(runs, unit="run") for row in run(*job)])


def final_scores(opponent: int) -> pd.DataFrame:
    """Scores at the end of training: a row per seed, a column per network."""
    table = matches.read(FILE).query("opponent == @opponent")
    ends = table.loc[table.groupby(["seed", "network"])["iteration"].idxmax()]
    return ends.pivot(index="seed", columns="network", values="score")

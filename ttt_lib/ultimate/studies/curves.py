"""Learning curves: strength by CPU-minute, several seeds, each trained from scratch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import config
from ttt_lib.ultimate.learn.trainer import Trainer
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies.matches import played, with_score

FILE = "ultimate_curves.csv"
SEEDS, EVERY = (1, 2, 3), 16
"""Training seeds; iterations between measurements."""

OPPONENTS, GAMES, SIMULATIONS = (1000, 10_000), 200, 200
"""Iterations of UCT; games of a measurement, paired openings; our simulations per move."""

Row = dict[str, Any]


def measured(tables: Tables, seed: int) -> Iterator[Row]:
    """Results of matches against every opponent."""
    for opponent in OPPONENTS:
        ours, rival = table_agent(tables, SIMULATIONS), uct(Ultimate(), opponent)
        yield {"opponent": opponent, **played(ours, rival, GAMES, rng=seed)}


def curve(trainer: Trainer, *, every: int = EVERY) -> Iterator[Row]:
    """Train to the end; the time of measurements is not counted as training.

    Yields
    ------
    dict
        seed, iteration, cpu_minutes, opponent, games, win, draw, loss, and pairs of games
    """
    total = trainer.config.training.num_iterations
    for done in tqdm(range(1, total + 1), unit="iteration"):
        now = trainer.train_iteration()
        if done % every == 0 or done == total:
            begin = {"seed": trainer.seed, "iteration": done, "cpu_minutes": now["cpu_minutes"]}
            yield from (begin | row for row in measured(trainer.tables, trainer.seed))


def make_curves() -> pd.DataFrame:
    """Regenerate the stored table: three runs of ``quick``, each in one process with two threads.

    About twenty CPU-minutes, more than half of them for the training.
    """
    runs = (Trainer(config("quick"), seed=seed, threads=2) for seed in SEEDS)
    return pd.DataFrame([row for trainer in runs for row in curve(trainer)])


def summary(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """The stored table with scores and their 95% intervals.

    Returns
    -------
    DataFrame
        Columns seed, iteration, cpu_minutes, opponent, games, score, low, high.
    """
    found = store.read_table(FILE) if found is None else found
    columns = ["seed", "iteration", "cpu_minutes", "opponent", "games", "score", "low", "high"]
    return with_score(found)[columns]


def within(minutes: float, opponent: int, found: pd.DataFrame | None = None) -> pd.Series[float]:
    """Score of each seed at its last measurement within ``minutes`` CPU-minutes.

    Raises
    ------
    ValueError
        If there is no such measurement.
    """
    table = summary(found)
    table = table[(table["opponent"] == opponent) & (table["cpu_minutes"] <= minutes)]
    if table.empty:
        raise ValueError(f"nothing was measured against UCT {opponent} within {minutes} minutes")
    return table.sort_values("iteration", kind="stable").groupby("seed")["score"].last()


def at(minutes: float, opponent: int, found: pd.DataFrame | None = None) -> float:
    """Median over the seeds of :func:`within`."""
    return float(within(minutes, opponent, found).median())

"""What width is worth: narrow and wide table nets, taught alike, trained for the same time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
from tqdm import tqdm

from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import LARGE, LITE
from ttt_lib.ultimate.learn.networks import network_agent
from ttt_lib.ultimate.learn.trainer import Trainer, one_thread, with_changes
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies.ablations import trained
from ttt_lib.ultimate.studies.matches import timed

FILE = "ultimate_width.csv"

WIDE = with_changes(LARGE, num_iterations=80, taught=8)
NARROW = with_changes(replace(LARGE, network=LITE.network), num_iterations=138, taught=14)
"""Runs of about nine CPU-minutes each, within which the learning rate falls to its minimum."""

SEEDS, SIMULATIONS, GAMES = (1, 2, 3), 200, 400
MORE = 240
"""Simulations with which the narrow net takes nearly as long as the wide one."""

OPPONENT = 10_000
"""Playouts per move of UCT, which both play against."""


def run(seed: int) -> Iterator[dict[str, Any]]:
    """Train both with a seed, not counting compilation, and play their matches; a row for each."""
    Trainer(WIDE).train_iteration(2, 1, num_simulations=4)
    wide, narrow = trained(WIDE, seed), trained(NARROW, seed)
    minutes = {"wide": wide.cpu_seconds / 60, "narrow": narrow.cpu_seconds / 60}

    def agent(trainer: Trainer, simulations: int) -> Agent:
        return network_agent(trainer.learner.playable(), simulations)

    ours, other = agent(wide, SIMULATIONS), agent(narrow, SIMULATIONS)
    plain = uct(Ultimate(), OPPONENT)
    matches = [
        ("wide", "narrow", ours, other),
        ("wide", "narrow, more simulations", ours, agent(narrow, MORE)),
        ("wide", "UCT", ours, plain),
        ("narrow", "UCT", other, plain),
    ]
    with one_thread():
        for name, opponent, one, two in matches:
            found, mine, theirs = timed(one, two, GAMES, rng=seed)
            yield {
                "seed": seed, "network": name, "opponent": opponent,
                "cpu_minutes": round(minutes[name], 3),
                "ms": round(mine.milliseconds, 4),
                "opponent_ms": round(theirs.milliseconds, 4), **found,
            }  # fmt: skip


def make_width() -> pd.DataFrame:
    """Narrow and wide nets of three seeds and their matches; an hour of processor time."""
    return pd.DataFrame([row for seed in tqdm(SEEDS, unit="seed") for row in run(seed)])

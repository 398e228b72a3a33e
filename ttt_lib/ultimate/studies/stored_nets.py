"""The stored networks: what makes that of self-play, its teacher, and that of endgames.

Was the one of self-play lucky?  The same training with other seeds, and matches between them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from tqdm import tqdm

from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import LARGE, config
from ttt_lib.ultimate.learn import checkpoint, fine_tuning
from ttt_lib.ultimate.learn.trainer import Trainer, csv_of, one_thread, train
from ttt_lib.ultimate.network.tablenet import TableNet, Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies.ablations import trained
from ttt_lib.ultimate.studies.matches import played

LOG, TEACHER_LOG = "ultimate_training.csv", "ultimate_teacher_training.csv"
"""Logs of the stored network's training, and of its teacher's."""

SEED = 1
"""Seed of the training by self-play, and of its teacher's."""


@cache
def _made(name: str) -> tuple[bytes, str]:
    """A configuration's network and its log, retrained; half an hour or an hour of one core."""
    trainer = Trainer(config(name), seed=SEED)
    with TemporaryDirectory() as folder:
        path = train(trainer, Path(folder))
        trainer.save_net(path, command=f"ttt ultimate train --config {name} --seed {SEED}")
        return path.read_bytes(), csv_of(trainer.log)


def make_teacher() -> bytes:
    """Retrain the teacher; the last bits, and so the games, may differ between machines."""
    return _made("lite")[0]


def make_teacher_training() -> str:
    """Rebuild the log of the teacher's training."""
    return _made("lite")[1]


def make_table() -> bytes:
    """Retrain the stored network, on its teacher's games and its own; last bits may differ."""
    return _made("large")[0]


def make_training() -> str:
    """Rebuild the log of the stored network's training."""
    return _made("large")[1]


def make_endgame() -> bytes:
    """Solve endgames and train the stored network on them; two hours of processor time."""
    net, about = checkpoint.load_net()
    assert isinstance(net, TableNet)
    samples, seconds = fine_tuning.make_samples(stored_tables())
    begun = time.process_time()
    found = fine_tuning.fine_tuned(fine_tuning.widened(net), samples)
    seconds += time.process_time() - begun
    return endgame_file(found, about, seconds)


def endgame_file(net: TableNet, about: dict[str, Any], seconds: float) -> bytes:
    """The endgame network as it is stored; ``about`` is the header of its original."""
    told = {
        "config": about["config"] | {"network": asdict(net.config)}, "rules": about["rules"],
        "seed": fine_tuning.SEED, "batches": fine_tuning.BATCHES, "cpu_minutes": seconds / 60,
        "command": f"python -m ttt_lib.evidence.reproduce --data {checkpoint.ENDGAME}",
    }  # fmt: skip
    tensors = {checkpoint.PREFIX + name: tensor for name, tensor in net.state_dict().items()}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.safetensors"
        checkpoint.write(path, tensors, told)
        return path.read_bytes()


# ---------------------------------------------------------------------------- other seeds

SEEDS_FILE = "ultimate_seeds.csv"

OTHERS = (2, 3)
"""Seeds other than the stored network's own."""

AGAINST_UCT = ((200, 10_000, 400), (2000, 100_000, 200))
"""Simulations, the opponent's playouts, and games."""

SIMULATIONS, GAMES = 200, 400
"""Simulations and games when the networks play each other."""


def networks() -> dict[int, Tables]:
    """The stored network, and those of the other seeds, retrained; by seed."""
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
    found = played(ours, theirs, games, rng=1)
    return {"seed": seed, "opponent": name, "simulations": simulations, **found}


def make_seeds() -> pd.DataFrame:
    """Train two networks, play the matches of three; some 70 minutes of processor time."""
    return pd.DataFrame(matches(networks()))

"""Probes of the training runs behind stored runs: a few games and batches of each.

A training takes minutes to hours, and its network depends on the last digits of all that was
learned before, so no part of it can be repeated in seconds and compared with what is stored. But
its code can be recognised. A probe trains one iteration by a training's own settings and seed,
with few games and batches, by a network that has not learned yet, and in double precision: tables
are rounded from it, so that no last digit decides a game. The stored probes were made while the
library was still the version that had made the runs: code that gives the same probes today is
taken to train alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ttt_lib.evidence import provenance, store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.ultimate.config import Config, config
from ttt_lib.ultimate.learn import checkpoint, fine_tuning
from ttt_lib.ultimate.learn.networks import TableLearner, is_table
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.learn.trainer import Trainer, with_changes
from ttt_lib.ultimate.network.tablenet import TableNet
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.studies import (
    ablations,
    curves,
    gpu_training,
    resnet_against_tables,
    stored_nets,
    width,
)

FILE = "ultimate_probes.csv"
GAMES, BATCHES = 4, 3
"""Games and batches of a probe."""

RESIDUAL = {"num_self_play_games": 1, "num_simulations": 4}
"""What a residual network plays: it takes long, and there last digits could decide a move."""

PRECISION = 1e-4
"""Relative difference up to which losses are the same: what torch sums depends on the processor in
the seventh digit."""

PRECISIONS = {gpu_training.RESIDUAL_NET: 1e-3}
"""The same by file: the first steps of a deep network's optimiser enlarge last digits, to 5e-4 on
processors that we could emulate; a learning rate that is 5% higher makes a difference of 2e-3."""

TODAYS = ("current", "checked")
"""States of files that today's code has made, or gives a part of."""

LOSSES = ["policy_loss", "value_loss"]

Row = dict[str, Any]


class Training(NamedTuple):
    """A training behind a stored file."""

    file: str
    name: str
    config: Config
    seed: int

    @property
    def iterations(self) -> list[int]:
        """Those that are probed, from 0: half-way, and the first if a teacher plays its games."""
        middle = self.config.training.num_iterations // 2
        return [0, middle] if self.config.training.taught else [middle]


def trainings() -> Iterator[Training]:
    """One training of every kind that stored files rest on; of other seeds and ``curves``, all."""
    for seed in stored_nets.OTHERS:
        yield Training(stored_nets.SEEDS_FILE, "large", config("large"), seed)
    for seed in curves.SEEDS:
        yield Training(curves.FILE, "quick", config("quick"), seed)
    for name, run in resnet_against_tables.RUNS.items():
        yield Training(resnet_against_tables.FILE, name, run, resnet_against_tables.SEEDS[0])
    for name, run in {"wide": width.WIDE, "narrow": width.NARROW}.items():
        yield Training(width.FILE, name, run, width.SEEDS[0])
    for name, changes in ablations.VARIANTS.items():
        run = with_changes(ablations.BASE, **changes)
        yield Training(ablations.FILE, name, run, ablations.SEEDS[0])
    runs, seed = gpu_training.RUNS, gpu_training.STORED
    yield Training(gpu_training.TABLE_NET, "beside a GPU", runs["table net"], seed)
    yield Training(gpu_training.RESIDUAL_NET, "on a GPU", runs["residual net"], seed)
    yield Training(stored_nets.TEACHER_LOG, "teacher", config("lite"), stored_nets.SEED)


def digest(samples: Samples) -> str:
    """A short checksum of positions and their visits; their values may differ in last digits."""
    both = samples.states.tobytes() + samples.visits.tobytes()
    return hashlib.sha256(both).hexdigest()[:16]


def probe(training: Training, iteration: int) -> Row:
    """One iteration of a training, by a new network: what was played, and the mean losses."""
    table_net = is_table(training.config)
    config = with_changes(training.config, double=True) if table_net else training.config
    trainer = Trainer(config, seed=training.seed)
    trainer.iteration = iteration
    games = {"num_self_play_games": GAMES} if table_net else RESIDUAL
    found = trainer.train_iteration(num_train_epochs=BATCHES, **games)
    samples = Samples(**trainer.replay.state())
    return {
        "file": training.file, "training": training.name, "seed": training.seed,
        "iteration": iteration + 1, **_seen(samples), **{name: found[name] for name in LOSSES},
    }  # fmt: skip


def probe_endgames(number: int) -> Row:
    """Some games of a stream of solved endgames, and a few batches of them."""
    stream = fine_tuning.STREAMS[number]._replace(groups=len(fine_tuning.STYLES))
    samples, _ = fine_tuning.make_samples(stored_tables(), [stream], GAMES)
    net, _ = checkpoint.load_net()
    assert isinstance(net, TableNet)
    learned = fine_tuning.fine_tuned(fine_tuning.widened(net), samples, batches=BATCHES)
    losses = (loss.item() for loss in fine_tuning.losses(TableLearner(learned), samples))
    return {
        "file": checkpoint.ENDGAME, "training": f"stream {number + 1}", "seed": stream.seed,
        "iteration": 0, **_seen(samples), **dict(zip(LOSSES, losses, strict=True)),
    }  # fmt: skip


def _seen(samples: Samples) -> Row:
    return {
        "positions": len(samples.states), "digest": digest(samples),
        "mean_value": round(float(np.mean(samples.values, dtype=float)), 4),
    }  # fmt: skip


def probes(file: str | None = None) -> Iterator[Row]:
    """The probes of a stored file; of all by default."""
    for training in trainings():
        if file in (None, training.file):
            yield from (probe(training, iteration) for iteration in training.iterations)
    if file in (None, checkpoint.ENDGAME):
        yield from map(probe_endgames, range(len(fine_tuning.STREAMS)))


def make_probes() -> pd.DataFrame:
    """Probe again the runs whose files are today's; stale ones keep the probes they have."""
    stale = {one.file for one in provenance.statuses() if one.state not in TODAYS}
    found = pd.DataFrame(probes())
    if not stale & set(found["file"]):
        return found
    stored = store.read_table(FILE)
    kept = stored[stored["file"].isin(stale)]
    return pd.concat([found[~found["file"].isin(stale)], kept], ignore_index=True)


def sample(file: str) -> Sample:
    """The probes of a stored file, beside those that its code gave."""
    table = store.read_table(FILE)
    stored, found = table[table["file"] == file], pd.DataFrame(probes(file))
    return Sample(with_close(found, stored, PRECISIONS.get(file, PRECISION)), stored)


def with_close(
    found: pd.DataFrame, stored: pd.DataFrame, precision: float = PRECISION
) -> pd.DataFrame:
    """Take stored losses for found ones that are the same to a relative ``precision``."""
    ours, theirs = (table[LOSSES].to_numpy(float) for table in (found, stored))
    if ours.shape != theirs.shape:
        return found
    close = np.isclose(ours, theirs, rtol=precision, atol=0)
    taken = found.copy()
    taken[LOSSES] = np.where(close, theirs, ours)
    return taken

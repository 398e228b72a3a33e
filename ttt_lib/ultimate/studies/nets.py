"""Makers of the stored networks: that of self-play, its teacher, and that of endgames."""

from __future__ import annotations

import time
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ttt_lib.ultimate.config import config
from ttt_lib.ultimate.learn import checkpoint, endgames
from ttt_lib.ultimate.learn.trainer import Trainer, csv_of, train
from ttt_lib.ultimate.network.tablenet import TableNet
from ttt_lib.ultimate.players import stored_tables

LOG, TEACHER_LOG = "ultimate_training.csv", "ultimate_teacher_training.csv"
"""Logs of the stored network's training, and of its teacher's."""

SEED = 1
"""Seed of the training by self-play, and of its teacher's."""


@cache
def _trained(name: str) -> tuple[bytes, str]:
    """A configuration's network and its log, trained anew; half an hour or an hour of one core."""
    trainer = Trainer(config(name), seed=SEED)
    with TemporaryDirectory() as folder:
        path = train(trainer, Path(folder))
        trainer.save_net(path, command=f"ttt ultimate train --config {name} --seed {SEED}")
        return path.read_bytes(), csv_of(trainer.log)


def make_teacher() -> bytes:
    """Train the teacher anew; the last bits, and so the games, may differ between machines."""
    return _trained("lite")[0]


def make_teacher_training() -> str:
    """Rebuild the log of the teacher's training."""
    return _trained("lite")[1]


def make_table() -> bytes:
    """Train the stored network anew, on its teacher's games and its own; last bits may differ."""
    return _trained("large")[0]


def make_training() -> str:
    """Rebuild the log of the stored network's training."""
    return _trained("large")[1]


def make_endgame() -> bytes:
    """Solve endgames and train the stored network on them; two hours of processor time."""
    net, about = checkpoint.load_net()
    assert isinstance(net, TableNet)
    samples, seconds = endgames.make_samples(stored_tables())
    begun = time.process_time()
    found = endgames.fine_tuned(endgames.widened(net), samples)
    seconds += time.process_time() - begun
    return endgame_file(found, about, seconds)


def endgame_file(net: TableNet, about: dict[str, Any], seconds: float) -> bytes:
    """The endgame network as it is stored; ``about`` is the header of its original."""
    told = {
        "config": about["config"] | {"network": asdict(net.config)}, "rules": about["rules"],
        "seed": 0, "batches": endgames.BATCHES, "cpu_minutes": seconds / 60,
        "command": f"python -m ttt_lib.evidence.reproduce --data {checkpoint.ENDGAME}",
    }  # fmt: skip
    tensors = {checkpoint.PREFIX + name: tensor for name, tensor in net.state_dict().items()}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.safetensors"
        checkpoint.write(path, tensors, told)
        return path.read_bytes()

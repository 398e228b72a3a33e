"""What ``ttt ultimate train`` and ``ttt ultimate evaluate`` do."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ttt_lib.ultimate import checkpoint
from ttt_lib.ultimate.config import config
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.strength import paired, random_mover, table_mover, uct_mover
from ttt_lib.ultimate.tablenet import Tables
from ttt_lib.ultimate.trainer import Row, Trainer, csv_of, train

Found = tuple[dict[str, Any], str]

RUN = "run.safetensors"


def measure_against(iterations: int, games: int, simulations: int, tables: Tables) -> Row:
    """Score against UCT, as a column of the log."""
    found = paired(table_mover(tables, simulations), uct_mover(iterations), games, rng=1)
    return {f"uct_{iterations}": found.score}


def run(name: str, seed: int, folder: Path, threads: int, resume: bool, games: int) -> Found:
    """Train from zero, or go on from the folder's last checkpoint.

    Raises
    ------
    ValueError
        If the configuration is unknown or not for a table net, or there is nothing to go on from.
    """
    if games < 0 or games % 2:
        raise ValueError(f"games of a measurement must be even and >= 0, not {games}")
    if resume:
        trainer = Trainer.load(folder / RUN, threads=threads)
    else:
        trainer = Trainer(config(name), seed=seed, threads=threads)
        if (folder / RUN).exists():
            raise ValueError(f"{folder.name} holds a run already: --resume, or another --out")
    total = trainer.config.training.num_iterations

    def measure(tables: Tables) -> Row:
        return measure_against(1000, games, 200, tables)

    def report(row: Row, left: float) -> None:
        sys.stderr.write(progress(row, total, left) + "\n")
        sys.stderr.flush()

    path = train(trainer, folder, measure=measure if games else None, report=report)
    last = trainer.log[-1] if trainer.log else {}
    found = {"network": path.name, "seed": trainer.seed, **last}
    return found, "\n".join(f"{name:<12}{value}" for name, value in found.items())


def progress(row: Row, total: int, left: float) -> str:
    """One line of progress."""
    strength = "".join(f"  {k} {v:.2f}" for k, v in row.items() if k.startswith("uct_"))
    return (
        f"{row['iteration']:.0f}/{total}  {row['cpu_minutes']:.1f} CPU-min  "
        f"policy {row['policy_loss']:.3f}  value {row['value_loss']:.3f}{strength}  "
        f"{left / 60:.1f} min left"
    )


def evaluate(path: Path | None, simulations: int, opponent: int, games: int, seed: int) -> Found:
    """Match of a checkpoint against UCT (0 iterations: random play), paired openings.

    Raises
    ------
    ValueError
        If the checkpoint can't be read or a number is out of range.
    """
    if seed < 0:
        raise ValueError(f"a seed can't be negative: {seed}")
    tables = stored_tables(path)
    other = uct_mover(opponent) if opponent else random_mover()
    result = paired(table_mover(tables, simulations), other, games, rng=seed)
    counts = {name: getattr(result, name) for name in ("games", "win", "draw", "loss", "score")}
    found = {**counts, "intervals": result.intervals, "simulations": simulations,
             "iterations": opponent, "seed": seed}  # fmt: skip
    header = checkpoint.load_net(path)[1]
    found["cpu_minutes"] = header["cpu_minutes"]
    lines = [
        f"{name:<5}{counts[name]:>6}  [{low:.2%}, {high:.2%}]"
        for name, (low, high) in result.intervals.items()
    ]
    return found, "\n".join([*lines, f"score {result.score:.3f}"])


STORED_SEED = 1
STORED_COMMAND = f"ttt ultimate train --config lite --seed {STORED_SEED}"


@cache
def _stored() -> tuple[bytes, str]:
    """The stored network and its log, trained anew; some ten minutes."""
    trainer = Trainer(config("lite"), seed=STORED_SEED)
    with TemporaryDirectory() as folder:
        path = train(trainer, Path(folder))
        trainer.save_net(path, command=STORED_COMMAND)
        return path.read_bytes(), csv_of(trainer.log)


def stored_net() -> bytes:
    """Train the stored network anew; last bits, and so games, may differ between machines."""
    return _stored()[0]


def stored_log() -> str:
    """Rebuild the log of the stored network's training."""
    return _stored()[1]

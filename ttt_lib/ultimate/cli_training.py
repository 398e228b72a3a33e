"""What ``ttt ultimate train`` and ``ttt ultimate evaluate`` do."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import partial
from math import isfinite
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Any

import torch

from ttt_lib.evidence.staging import exclusive
from ttt_lib.evidence.store import data_dir, present, write_atomic
from ttt_lib.evidence.weights import check_types
from ttt_lib.game.match import MAX_GAMES, match
from ttt_lib.game.policy import random_agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.rules import MOVES
from ttt_lib.ultimate.config import config
from ttt_lib.ultimate.learn import checkpoint, graphs
from ttt_lib.ultimate.learn.graphs import GraphTrainer
from ttt_lib.ultimate.learn.networks import Playable, evaluator_of, is_table, network_agent
from ttt_lib.ultimate.learn.trainer import Row, Trainer, csv_of, one_thread, train
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import AlphaZeroNet
from ttt_lib.ultimate.players import (
    NET,
    alphazero,
    check_stored,
    check_typed_device,
    check_typed_file,
)
from ttt_lib.ultimate.search.tree_search import MAX_SIMULATIONS, uct
from ttt_lib.ultimate.studies import OPENING_PLIES, cost

Found = tuple[dict[str, Any], str]

DEFAULT = "quick"
RUN, LOG, HISTORY = "run.safetensors", "log.csv", "history"
"""What a training leaves in its folder beside its network."""

COLUMNS = ("iteration", "cpu_minutes", "samples", "window", "policy_loss", "value_loss")
"""The log's first columns; measurements follow."""

MEASURED = 40
"""Default number of games per measurement of a table net."""


def measured(games: int, network: Playable) -> Row:
    """Score of 200 simulations against UCT with 1,000 iterations, as a column of the log."""
    player, other = network_agent(network, 200), uct(Ultimate(), 1000)
    return {"uct_1000": match(player, other, games, rng=1, openings=OPENING_PLIES).score}


def run(
    name: str | None,
    seed: int | None,
    folder: Path,
    threads: int,
    resume: bool,
    games: int | None,
    device: str,
    history: int = 0,
    micro_batch: int | None = None,
) -> Found:
    """Train from scratch, with seed 0 unless given, or resume from the folder's last checkpoint.

    Raises
    ------
    ValueError
        If the configuration is unknown, the device isn't available, the micro-batch doesn't fit
        the batch, there is nothing to resume, or what there is has another configuration or seed;
        if the folder holds another training's files, or a training is at work in it.
    """
    if seed is not None and seed >= 2**63:
        raise ValueError(f"a seed of a training must be below 2^63, not {seed}")
    if games is not None and (games < 0 or games % 2):
        raise ValueError(f"games of a measurement must be even and >= 0, not {games}")
    if history < 0:
        raise ValueError(f"history must be 0 or a number of iterations, not {history}")
    check_typed_device(device)
    _check_folder(folder)
    if resume:
        with _alone(folder):
            trainer = _limited(_resumed(folder, name, seed, threads, device), micro_batch)
            _catch_up(trainer, folder, history)
            return _trained(trainer, folder, games, history)
    trainer = _limited(_new(name, seed, threads, device), micro_batch)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        _check_unused(folder)
        return _trained(trainer, folder, games, history)


def _limited(trainer: _Sound, micro_batch: int | None) -> _Sound:
    if micro_batch is not None:
        trainer.limit(micro_batch)
    return trainer


def _trained(trainer: _Sound, folder: Path, games: int | None, history: int) -> Found:
    total = trainer.config.training.num_iterations
    if games is None:
        games = MEASURED if is_table(trainer.config) else 0
    if not is_table(trainer.config) and trainer.iteration < total:
        _say(outlook(trainer))

    def report(row: Row, left: float) -> None:
        _say(progress(row, total, left))

    measure = partial(measured, games) if games else None
    try:
        path = train(trainer, folder, measure=measure, report=report, history=history)
    except KeyboardInterrupt:
        _say(f"ttt: {stopped(trainer.saved, folder)}")
        raise
    last = trainer.log[-1] if trainer.log else {}
    found = {"network": path.name, "seed": trainer.seed, **last}
    return found, "\n".join(f"{name:<12}{value}" for name, value in found.items())


def stopped(saved: int, folder: Path) -> str:
    """What is saved of a training that was interrupted, and how to go on, in one line."""
    if not saved:
        return "stopped before anything was saved; the same command begins again"
    again = f"ttt ultimate train --out {quote(str(folder))} --resume"
    return f"stopped after iteration {saved}; go on with: {again} (and your other options)"


def _check_folder(folder: Path) -> None:
    """Reject a folder that can't be written to now rather than after the work."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    try:
        with TemporaryDirectory(dir=there):
            pass
    except OSError as error:
        raise ValueError(f"nothing can be written to {folder}: {error.strerror}") from None


class _Sound(Trainer):
    """A trainer that never replaces its checkpoint once a weight is no longer finite.

    Attributes
    ----------
    saved : int
        The last iteration that is in its checkpoint; 0 before there is one.
    """

    saved = 0

    def save(self, path: Path) -> None:
        weights = self.net.state_dict().values()
        if not all(bool(torch.isfinite(weight).all()) for weight in weights):
            raise ValueError(
                f"training diverged in iteration {self.iteration}: weights that are no finite "
                f"numbers; {path} is as it was before"
            )
        super().save(path)
        self.saved = self.iteration


class _SoundGraphs(_Sound, GraphTrainer):
    """The same with graphs, which are recorded on the default GPU only."""


def _kind(device: str) -> type[_Sound]:
    return _SoundGraphs if device == graphs.DEVICE else _Sound


def _alone(folder: Path) -> AbstractContextManager[None]:
    """Keep a folder to one training at a time."""
    return exclusive(folder, f"a training is at work in {folder}: wait, or another --out")


def _check_unused(folder: Path) -> None:
    """Reject a folder that holds what a new training would overwrite."""
    if (folder / RUN).exists():
        raise ValueError(f"{folder} holds a run already: --resume, or another --out")
    for name in (LOG, NET, HISTORY):
        if (folder / name).exists():
            raise ValueError(f"{folder} holds {name} of another run: choose another --out")


def _new(name: str | None, seed: int | None, threads: int, device: str) -> _Sound:
    settings = config(DEFAULT if name is None else name)
    return _kind(device)(settings, seed=seed or 0, threads=threads, device=device)


def _resumed(folder: Path, name: str | None, seed: int | None, threads: int, device: str) -> _Sound:
    if not (folder / RUN).exists():
        raise ValueError(f"{folder} holds no run to go on with: without --resume one begins")
    check_types(folder / RUN)
    trainer = _kind(device).resume(folder / RUN, threads=threads, device=device)
    assert isinstance(trainer, _Sound)
    trainer.saved = trainer.iteration
    trainer.log = [_in_order(row) for row in trainer.log]
    if name not in (None, trainer.config.name):
        raise ValueError(f"{folder} holds a run of {trainer.config.name}, not of {name}")
    if seed not in (None, trainer.seed):
        raise ValueError(f"{folder} holds a run of seed {trainer.seed}, not of seed {seed}")
    for half in folder.glob(f".{RUN}.*.part"):  # checkpoints half written when a run was killed
        half.unlink()
    return trainer


def _in_order(row: Row) -> Row:
    """A row of the log as training writes it: a checkpoint sorts the columns by name."""
    return {name: row[name] for name in dict.fromkeys((*COLUMNS, *row))}


def _catch_up(trainer: Trainer, folder: Path, history: int) -> None:
    """Write what a kill just after a checkpoint left out, and no later iteration writes."""
    done, training = trainer.iteration, trainer.config.training
    if done == training.num_iterations:
        write_atomic(folder / LOG, csv_of(trainer.log))
    elif done % training.save_interval == 0:
        trainer.save_net(folder / NET)
    kept = folder / HISTORY / f"{done:04}.safetensors"
    if history > 0 and done % history == 0 and not kept.exists():
        trainer.save_net(kept)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def outlook(trainer: Trainer) -> str:
    """How long a residual network's run will take at the speed measured here, in one line."""
    training, (evaluate, batch) = trainer.config.training, _evaluations(trainer)
    with one_thread():
        rate = cost.positions_per_second(evaluate, batch, seconds=0.3, device=trainer.device)
    first, whole = (cost.simulations(training, stop) / rate for stop in (1, None))
    return (
        f"{sum(p.numel() for p in trainer.net.parameters()):,} parameters, {rate:.3g} positions/s "
        f"here: about {cost.duration(first)} for the first iteration's games, "
        f"{cost.duration(whole)} for those of all {training.num_iterations}"
    )


def _evaluations(trainer: Trainer) -> tuple[Evaluator, int]:
    """How self-play of one process evaluates, and a batch to time it with."""
    net = trainer.learner.playable()
    if isinstance(trainer, GraphTrainer) and isinstance(net, AlphaZeroNet):
        batch = min(trainer.side_by_side, trainer.config.training.stage(0).games)
        return graphs.graphed(net, batch, amp=trainer.amp), batch
    return evaluator_of(net, device=trainer.device, amp=trainer.amp), 8


def progress(row: Row, total: int, left: float) -> str:
    """One line of progress."""
    strength = "".join(f"  {k} {v:.2f}" for k, v in row.items() if k.startswith("uct_"))
    return (
        f"{row['iteration']:.0f}/{total}  {row['cpu_minutes']:.1f} CPU-min  "
        f"policy {row['policy_loss']:.3f}  value {row['value_loss']:.3f}{strength}  "
        f"{left / 60:.1f} min left"
    )


def evaluate(
    path: Path | None,
    simulations: int,
    opponent: int,
    games: int,
    seed: int,
    *,
    solver: int = 0,
    device: str = "cpu",
) -> Found:
    """Match of a checkpoint against UCT (0 iterations: random play) from paired openings.

    ``cpu_minutes`` are those of all training runs behind the player,
    ``trainings`` the same by file.

    Raises
    ------
    ValueError
        If the checkpoint can't be read or a number is out of range.
    """
    if seed < 0:
        raise ValueError(f"a seed can't be negative: {seed}")
    _in_range("simulations", simulations, 2, MAX_SIMULATIONS)
    _in_range("iterations", opponent, 0, MAX_SIMULATIONS)
    _in_range("games", games, 2, MAX_GAMES)
    _in_range("solver", solver, 0, MOVES)
    if games % 2:
        raise ValueError(f"--games must be even, for paired openings, not {games}")
    check_typed_device(device)
    if path is None:
        check_stored()
    else:
        check_typed_file(path)
    minutes = _minutes(path)
    other = uct(Ultimate(), opponent) if opponent else random_agent(Ultimate())
    result = match(
        alphazero(
            Ultimate(), simulations, "stored" if path is None else str(path), solver, device=device
        ),
        other, games, rng=seed, openings=OPENING_PLIES, progress=sys.stderr.isatty(),
    )  # fmt: skip
    found = {**result.as_dict(), "simulations": simulations,
             "iterations": opponent, "seed": seed, "solver": solver,
             "cpu_minutes": sum(minutes.values()), "trainings": minutes}  # fmt: skip
    lines = [
        f"{name:<5}{found[name]:>6}  [{low:.2%}, {high:.2%}]"
        for name, (low, high) in result.intervals.items()
    ]
    low, high = result.score_interval
    score = f"score {result.score:.3f}  [{low:.3f}, {high:.3f}] over pairs"
    return found, "\n".join([*lines, score])


def _in_range(option: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise ValueError(f"--{option} must be in {least}..{most:,}, not {number:,}")


def _minutes(path: Path | None) -> dict[str, float]:
    """CPU-minutes of all training runs behind a player, by file: its networks', its teacher's.

    Each is of that training alone: the endgame network's is without that of the network it began
    as.
    """
    stored = [data_dir() / file for file in (checkpoint.STORED, checkpoint.ENDGAME)]
    found, taught = dict[str, float](), False
    for file in stored if path is None else [path]:
        found[file.name], was_taught = _training(file)
        taught |= was_taught
    if taught:
        found[checkpoint.TEACHER], _ = _training(present(checkpoint.TEACHER))
    return found


def _training(path: Path) -> tuple[float, bool]:
    """CPU-minutes of a checkpoint's training, by its header, and whether it had the teacher."""
    check_types(path)
    _, about = checkpoint.load_net(path)
    minutes = about.get("cpu_minutes")
    if not isinstance(minutes, int | float) or not isfinite(minutes):
        raise ValueError(f"damaged header: no CPU-minutes of training, but {minutes!r}")
    return minutes, checkpoint.configured(about, path).training.taught > 0

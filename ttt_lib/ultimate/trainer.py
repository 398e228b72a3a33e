"""Training from zero: play against yourself, remember, learn, repeat.

::

    for each iteration:
        games   = self-play with the present tables     (Trainer.play)
        window  = the newest positions                  (Replay.add)
        network = some weighted batches later           (Trainer.learn)
        tables  = what the network says of every case   (compile_tables)
        keep a checkpoint
"""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ttt_lib.store import write_atomic
from ttt_lib.ultimate import checkpoint
from ttt_lib.ultimate.config import ENDGAMES, Config, Stage
from ttt_lib.ultimate.game import Ultimate
from ttt_lib.ultimate.replay import Replay, Samples
from ttt_lib.ultimate.selfplay import Manner, self_play
from ttt_lib.ultimate.tablenet import TableNet, Tables, by_move, compile_tables, inputs

Row = dict[str, float]


@contextmanager
def one_thread() -> Iterator[None]:
    """One torch thread: quicker for small networks, and sums come in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def learning_rate(config: Config, iteration: int) -> float:
    """Learning rate of an iteration: a cosine from ``lr`` down to a hundredth of it."""
    done = iteration / max(1, config.training.num_iterations - 1)
    return config.training.lr * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)


def manner(config: Config, stage: Stage) -> Manner:
    """How games are played in a stage of the schedule."""
    training = config.training
    return Manner(
        stage.simulations, min(training.fast_simulations, stage.simulations),
        training.full_share, stage.temperature, training.noise, training.opening_plies,
        training.value_mix, training.c_puct, training.fpu, ENDGAMES.index(training.endgame),
        config.dtw.endgame_threshold,
    )  # fmt: skip


def losses(net: nn.Module, samples: Samples) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the policy on the legal moves, and mean squared error of the value."""
    logits, values = net(*inputs(samples.states))
    visits = torch.from_numpy(samples.visits.astype(np.float32))
    legal = torch.from_numpy(Ultimate().legal(samples.states))
    chances = functional.log_softmax(by_move(logits).masked_fill(~legal, -1e9), dim=1)
    target = visits / visits.sum(dim=1, keepdim=True)
    policy = -(target * chances).sum(dim=1).mean()
    return policy, functional.mse_loss(values, torch.from_numpy(samples.values))


class Trainer:
    """One training run of a table net.

    Parameters
    ----------
    config : Config
    seed : int
        All that is random follows from it and the iteration, whatever the number of threads.
    threads : int
        Threads of self-play.
    game : Ultimate
        The game with its rules.

    Attributes
    ----------
    iteration : int
        Iterations done.
    cpu_seconds : float
        Processor time spent, resumed runs included.
    log : list of dict
        One row an iteration.

    Raises
    ------
    ValueError
        If the configuration's network is no table net, or threads < 1.
    """

    def __init__(
        self, config: Config, *, seed: int = 0, threads: int = 1, game: Ultimate | None = None
    ) -> None:
        if threads < 1 or seed < 0:
            raise ValueError(f"training needs threads >= 1 and seed >= 0, not {threads} and {seed}")
        torch.manual_seed(seed)
        net = checkpoint.network_of(config)
        if not isinstance(net, TableNet):
            raise ValueError(f"this trainer is for table nets, {config.name} has a residual one")
        self.config, self.seed, self.threads, self.net = config, seed, threads, net
        self.game = game or Ultimate()
        training = config.training
        self.replay = Replay(training.replay_buffer_size, training.phase_weights)
        self.optimizer = torch.optim.AdamW(
            net.parameters(), training.lr, weight_decay=training.weight_decay
        )
        self.iteration, self.cpu_seconds, self.log = 0, 0.0, list[Row]()

    @property
    def tables(self) -> Tables:
        """The network's present tables."""
        return compile_tables(self.net)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.iteration])

    def train_iteration(self) -> Row:
        """One iteration; returns its row of the log."""
        start, rng = time.process_time(), self._rng()
        with one_thread():
            samples = self.play(rng)
            self.replay.add(samples)
            policy, value = self.learn(rng)
        self.cpu_seconds += time.process_time() - start
        self.iteration += 1
        row = {
            "iteration": self.iteration, "cpu_minutes": self.cpu_seconds / 60,
            "samples": len(samples.states), "window": self.replay.size,
            "policy_loss": policy, "value_loss": value,
        }  # fmt: skip
        self.log.append(row)
        return row

    def play(self, rng: np.random.Generator) -> Samples:
        """Self-play of one iteration."""
        stage = self.config.training.stage(self.iteration)
        return self_play(
            self.tables, stage.games, manner(self.config, stage), game=self.game, rng=rng,
            threads=self.threads,
        )  # fmt: skip

    def learn(self, rng: np.random.Generator) -> tuple[float, float]:
        """Learn from weighted batches; returns the mean losses of policy and value."""
        training = self.config.training
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.config, self.iteration)
        self.net.train()
        total = np.zeros(2)
        for _ in range(training.num_train_epochs):
            batch = self.replay.batch(training.batch_size, rng, augment=training.augment)
            policy, value = losses(self.net, batch)
            self.optimizer.zero_grad()
            (policy + value).backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            total += policy.item(), value.item()
        mean = total / training.num_train_epochs
        return float(mean[0]), float(mean[1])

    def about(self, **more: Any) -> dict[str, Any]:
        """What a checkpoint says of itself."""
        return {
            "config": self.config.as_dict(), "seed": self.seed, "rules": self.game.rules,
            "iteration": self.iteration, "cpu_minutes": self.cpu_seconds / 60, **more,
        }  # fmt: skip

    def _weights(self) -> dict[str, Tensor]:
        return {checkpoint.PREFIX + name: t for name, t in self.net.state_dict().items()}

    def save_net(self, path: Path, **more: Any) -> None:
        """Write the network alone, to play with."""
        checkpoint.write(path, self._weights(), self.about(**more))

    def save(self, path: Path) -> None:
        """Write all that is needed to go on: network, optimiser, window, log."""
        tensors = self._weights()
        for number, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": t for name, t in state.items()}
        window = self.replay.state()
        tensors |= {f"replay.{name}": torch.from_numpy(a) for name, a in window.items()}
        checkpoint.write(path, tensors, self.about(log=self.log, begin=self.replay.begin))

    @classmethod
    def load(cls, path: Path, *, threads: int = 1) -> Trainer:
        """Go on from a checkpoint: the same run as if it had never stopped.

        Raises
        ------
        ValueError
            If the file is none to go on from.
        """
        tensors, about = checkpoint.read(path)
        config = checkpoint.configured(about, path)
        window = checkpoint.part(tensors, "replay.")
        keys = {"seed", "rules", "iteration", "log", "begin", "cpu_minutes"}
        if not keys <= set(about) or set(window) != set(Samples._fields):
            raise ValueError(f"{path.name} holds a network alone, not a run to go on with")
        trainer = cls(config, seed=about["seed"], threads=threads, game=Ultimate(about["rules"]))
        checkpoint.fill(trainer.net, checkpoint.part(tensors, checkpoint.PREFIX), path)
        trainer._restore_optimizer(checkpoint.part(tensors, "optimizer."))
        trainer.replay.restore({k: t.numpy() for k, t in window.items()}, about["begin"])
        trainer.iteration, trainer.log = about["iteration"], about["log"]
        trainer.cpu_seconds = about["cpu_minutes"] * 60
        return trainer

    def _restore_optimizer(self, tensors: dict[str, Tensor]) -> None:
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            number, _, field = name.partition(".")
            state.setdefault(int(number), {})[field] = tensor
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})


def csv_of(log: list[Row]) -> str:
    """The log as CSV; columns that only some rows fill stay empty elsewhere."""
    names = list(dict.fromkeys(name for row in log for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: f"{v:.6g}" for k, v in row.items()} for row in log)
    return text.getvalue()


def train(
    trainer: Trainer,
    folder: Path,
    *,
    measure: Callable[[Tables], Row] | None = None,
    every: int = 10,
    report: Callable[[Row, float], None] | None = None,
) -> Path:
    """Train to the end of the schedule, with checkpoints on the way.

    Parameters
    ----------
    trainer : Trainer
        A new one, or one that was loaded.
    folder : Path
        Gets ``run.safetensors`` (to go on), ``net.safetensors`` (to play) and ``log.csv``.
    measure : callable or None
        Strength of tables, as columns of the log; its time is not counted as training.
    every : int
        Iterations between measurements.
    report : callable or None
        Called with each row and an estimate of the seconds left.

    Returns
    -------
    Path
        The network.
    """
    last, interval = trainer.config.training.num_iterations, trainer.config.training.save_interval
    begun, first = time.perf_counter(), trainer.iteration
    while trainer.iteration < last:
        row = trainer.train_iteration()
        if measure and (trainer.iteration % every == 0 or trainer.iteration == last):
            row |= measure(trainer.tables)
        if trainer.iteration % interval == 0 or trainer.iteration == last:
            trainer.save(folder / "run.safetensors")
            write_atomic(folder / "log.csv", csv_of(trainer.log))
        if report:
            pace = (time.perf_counter() - begun) / (trainer.iteration - first)
            report(row, pace * (last - trainer.iteration))
    trainer.save_net(folder / "net.safetensors")
    return folder / "net.safetensors"


def shortened(config: Config, **changes: Any) -> Config:
    """The same configuration with some training settings changed."""
    return replace(config, training=replace(config.training, **changes))

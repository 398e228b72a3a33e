"""Training from scratch: play against yourself, remember, learn, repeat.

::

    for each iteration:
        games   = self-play with the current network    (Trainer.play)
        window  = the newest positions                  (Replay.add)
        network = some weighted batches later           (Trainer.learn)
        keep a checkpoint

Either kind of network is trained in this way, see :mod:`~ttt_lib.ultimate.learn.networks`.
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
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from ttt_lib.evidence.store import data_dir, write_atomic
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import ENDGAMES, Config, Stage
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.networks import (
    Learner,
    Playable,
    check_device,
    load_playable,
    new_learner,
)
from ttt_lib.ultimate.learn.replay_buffer import Replay, Samples
from ttt_lib.ultimate.learn.selfplay import SelfPlaySettings
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.tablenet import Tables

Row = dict[str, float]


@contextmanager
def one_thread() -> Iterator[None]:
    """One torch thread: faster for small networks, and sums are added in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def learning_rate(config: Config, iteration: int) -> float:
    """Learning rate of an iteration: a cosine from ``lr`` down to a hundredth of it.

    Before each of the ``restarts``, it is that of a run which ends there.
    """
    last = config.training.num_iterations
    end = min(last, next((at for at in config.training.restarts if iteration < at), last))
    done = iteration / max(1, end - 1)
    return config.training.lr * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)


def play_settings(config: Config, stage: Stage) -> SelfPlaySettings:
    """How games are played in a stage of the schedule."""
    training = config.training
    return SelfPlaySettings(
        stage.simulations, min(training.fast_simulations, stage.simulations),
        training.full_share, stage.temperature, training.noise, training.opening_plies,
        training.value_mix, training.c_puct, training.fpu, ENDGAMES.index(training.endgame),
        config.dtw.endgame_threshold, training.q_scale,
    )  # fmt: skip


def losses(learner: Learner, samples: Samples) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the policy on the legal moves, and mean squared error of the value."""
    logits, values = learner.forward(samples.states)
    exact = torch.promote_types(values.dtype, torch.float32)  # half precision: network only
    visits = torch.from_numpy(samples.visits.astype(np.float32)).to(logits.device, exact)
    legal = torch.from_numpy(Ultimate().legal(samples.states)).to(logits.device)
    chances = functional.log_softmax(logits.to(exact).masked_fill(~legal, -1e9), dim=1)
    target = visits / visits.sum(dim=1, keepdim=True)
    policy = -(target * chances).sum(dim=1).mean()
    results = torch.from_numpy(samples.values).to(values.device, exact)
    return policy, functional.mse_loss(values.to(exact), results)


class Trainer:
    """One training run of either kind of network.

    Parameters
    ----------
    config : Config or None
        The published one by default.
    seed : int
        It and the iteration determine all that is random, whatever the number of threads.
    threads : int
        Threads of self-play.
    device : str
        Device of a residual network: ``cpu``, or ``cuda`` for a GPU, where
        ``use_amp`` of the configuration enables mixed precision.
    game : Ultimate
        The game with its rules.
    **settings
        Training settings that differ from the configuration's, by their names there:
        ``lr``, ``batch_size``, ``num_simulations``, ``replay_buffer_size``, ``use_amp``, ...

    Attributes
    ----------
    iteration : int
        Iterations done.
    cpu_seconds : float
        Processor time spent, including that before a resumption.
    log : list of dict
        One row per iteration.
    micro_batch : int or None
        Number of samples on the device at once, see :meth:`limit`; None: the whole batch.

    Raises
    ------
    ValueError
        If threads < 1, a setting is out of range, or the network can't be on that device.
    """

    micro_batch: int | None = None

    def __init__(
        self,
        config: Config | None = None,
        *,
        seed: int = 0,
        threads: int = 1,
        device: str = "cpu",
        game: Ultimate | None = None,
        **settings: Any,
    ) -> None:
        if threads < 1 or seed < 0:
            raise ValueError(f"training needs threads >= 1 and seed >= 0, not {threads} and {seed}")
        config = with_changes(config or Config(), **settings)
        self.config, self.seed, self.threads, self.device = config, seed, threads, device
        kind = check_device(device)
        self.amp = config.training.use_amp and kind == "cuda"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.learner = new_learner(config, device=device, amp=self.amp)
        self.net = self.learner.net
        self.game = game or Ultimate()
        training = config.training
        self.replay = Replay(training.replay_buffer_size, training.phase_weights)
        self.optimizer = torch.optim.AdamW(
            self.net.parameters(), training.lr, weight_decay=training.weight_decay
        )
        self.scaler = torch.amp.GradScaler(kind, enabled=self.amp)
        self.iteration, self.cpu_seconds, self.log = 0, 0.0, list[Row]()

    def limit(self, micro_batch: int) -> None:
        """Set the number of samples on the device at once, where it can't hold a whole batch.

        A table net learns the same but for rounding.  A residual net's batch normalisation takes
        its means and variances from each part.  The number is no part of the configuration, so a
        run may resume with another one.

        Raises
        ------
        ValueError
            If it is < 1 or larger than the batch.
        """
        whole = self.config.training.batch_size
        if not 1 <= micro_batch <= whole:
            raise ValueError(
                f"micro_batch must be in 1 to the batch_size, {whole}, not {micro_batch}"
            )
        self.micro_batch = micro_batch

    @property
    def tables(self) -> Tables:
        """A table net's current tables.

        Raises
        ------
        ValueError
            If the network is a residual one.
        """
        found = self.learner.playable()
        if not isinstance(found, Tables):
            raise ValueError(f"{self.config.name} trains a residual network, which has no tables")
        return found

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.iteration])

    def stage(self, **changes: float | None) -> Stage:
        """The schedule's current stage, with the changes that are not None."""
        found = self.config.training.stage(self.iteration)
        return replace(found, **{k: v for k, v in changes.items() if v is not None})  # type: ignore[arg-type]

    def train_iteration(
        self,
        num_self_play_games: int | None = None,
        num_train_epochs: int | None = None,
        temperature: float | None = None,
        num_simulations: int | None = None,
    ) -> Row:
        """One iteration; returns its row of the log.

        The arguments, named as in document 5, override the configuration.

        Raises
        ------
        ValueError
            If the schedule is at its end, or an argument is out of range.
        """
        start, rng = time.process_time(), self._rng()
        stage = self.stage(
            games=num_self_play_games, simulations=num_simulations, temperature=temperature
        )
        with one_thread():
            samples = self.play(rng, stage)
            self.replay.add(samples)
            policy, value = self.learn(rng, num_train_epochs)
        self.cpu_seconds += time.process_time() - start
        self.iteration += 1
        row = {
            "iteration": self.iteration, "cpu_minutes": self.cpu_seconds / 60,
            "samples": len(samples.states), "window": self.replay.size,
            "policy_loss": policy, "value_loss": value,
        }  # fmt: skip
        self.log.append(row)
        return row

    def play(self, rng: np.random.Generator, stage: Stage | None = None) -> Samples:
        """Self-play of one iteration."""
        stage = stage or self.stage()
        return self_play(
            self._player(), stage.games, play_settings(self.config, stage), game=self.game,
            rng=rng, threads=self.threads,
        )  # fmt: skip

    def _player(self) -> Tables | Evaluator:
        """The network that plays: the teacher at first, if there is one, then the current one."""
        if self.iteration < self.config.training.taught:
            teacher = load_playable(data_dir() / checkpoint.TEACHER)
            assert isinstance(teacher, Tables)
            return teacher
        return self.learner.searched()

    def learn(self, rng: np.random.Generator, epochs: int | None = None) -> tuple[float, float]:
        """Learn from weighted batches; returns the mean losses of policy and value.

        Raises
        ------
        ValueError
            If epochs < 1.
        """
        training = self.config.training
        epochs = training.num_train_epochs if epochs is None else epochs
        if epochs < 1:
            raise ValueError(f"num_train_epochs must be at least 1, not {epochs}")
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.config, self.iteration)
        self.net.train()
        total = np.zeros(2)
        for _ in range(epochs):
            batch = self.replay.batch(training.batch_size, rng, augment=training.augment)
            total += self._step(batch)
        self.net.eval()
        mean = total / epochs
        return float(mean[0]), float(mean[1])

    def _step(self, batch: Samples) -> NDArray[np.float64]:
        """One step of the optimiser; returns the mean losses of policy and value.

        A batch is learned in parts of ``micro_batch`` samples, whose gradients are added up.  A
        part's losses are means over it, so they count by its share of the batch; all are scaled
        alike, as mixed precision demands.
        """
        count, total = len(batch.states), np.zeros(2)
        size = self.micro_batch or count
        self.optimizer.zero_grad()
        for begin in range(0, count, size):
            part = batch.take(slice(begin, begin + size))
            share = len(part.states) / count
            with torch.autocast(torch.device(self.device).type, enabled=self.amp):
                policy, value = losses(self.learner, part)
            self.scaler.scale(share * (policy + value)).backward()  # type: ignore[no-untyped-call]
            total += share * np.array([policy.item(), value.item()])
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return total

    def about(self, **more: Any) -> dict[str, Any]:
        """What a checkpoint says about itself."""
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
        """Write all that is needed to resume: network, optimiser, window, log."""
        tensors = self._weights()
        for number, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": t for name, t in state.items()}
        window = self.replay.state()
        tensors |= {f"replay.{name}": torch.from_numpy(a) for name, a in window.items()}
        more = {"log": self.log, "begin": self.replay.begin, "scaler": self.scaler.state_dict()}
        checkpoint.write(path, tensors, self.about(**more))

    def load(self, path: Path) -> None:
        """Resume from a checkpoint of the same architecture; this trainer's settings are kept.

        Raises
        ------
        ValueError
            If the file can't be resumed from, or is of another architecture.
        """
        self._restore(*checkpoint.read(path), path)

    @classmethod
    def resume(cls, path: Path, *, threads: int = 1, device: str = "cpu") -> Trainer:
        """Resume from a checkpoint with its settings: the same run as if it had never stopped.

        Raises
        ------
        ValueError
            If the file can't be resumed from.
        """
        tensors, about = checkpoint.read(path)
        trainer = cls(checkpoint.configured(about, path), threads=threads, device=device)
        trainer._restore(tensors, about, path)
        return trainer

    def _restore(self, tensors: dict[str, Tensor], about: dict[str, Any], path: Path) -> None:
        run = checkpoint.run_of(about, path)
        checkpoint.load_weights(self.net, checkpoint.part(tensors, checkpoint.PREFIX), path)
        window = Samples(**checkpoint.window(checkpoint.part(tensors, "replay."), path))
        training = self.config.training
        self.replay = Replay(training.replay_buffer_size, training.phase_weights)
        self.replay.restore(window._asdict(), run.begin % training.replay_buffer_size)
        self._restore_optimizer(checkpoint.part(tensors, "optimizer."), path)
        if run.scaler and self.amp:
            self.scaler.load_state_dict(run.scaler)
        self.seed, self.game, self.iteration = run.seed, Ultimate(run.rules), run.iteration
        self.log, self.cpu_seconds = run.log, run.cpu_minutes * 60

    def _restore_optimizer(self, tensors: dict[str, Tensor], path: Path) -> None:
        state: dict[int, dict[str, Tensor]] = {}
        shapes = [tuple(parameter.shape) for parameter in self.net.parameters()]
        for name, tensor in tensors.items():
            number, _, field = name.partition(".")
            if not number.isdigit() or tuple(tensor.shape) not in ((), *shapes[int(number) :][:1]):
                raise ValueError(f"{path.name} has no optimiser of this network: {name}")
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
    measure: Callable[[Playable], Row] | None = None,
    every: int = 10,
    report: Callable[[Row, float], None] | None = None,
    history: int = 0,
) -> Path:
    """Train to the end of the schedule, with checkpoints along the way.

    Parameters
    ----------
    trainer : Trainer
        A new one, or one that was loaded.
    folder : Path
        Gets ``run.safetensors`` (to resume) and ``log.csv`` after every iteration, so that a
        kill costs the current one at most; every ``save_interval`` iterations, and at the end,
        ``net.safetensors`` (to play).
    measure : callable or None
        Strength of the network, as columns of the log; its time is not counted as training.
    every : int
        Iterations between measurements; the first and the last are measured too.
    report : callable or None
        Called with each row and an estimate of the seconds left.
    history : int
        Interval in iterations at which the network is also kept as ``history/NUMBER.safetensors``,
        so that a run can be rated against its own past; 0 for never.

    Returns
    -------
    Path
        The network's file.

    Raises
    ------
    ValueError
        If history < 0.
    """
    if history < 0:
        raise ValueError(f"history must be 0 or a number of iterations, not {history}")
    last, interval = trainer.config.training.num_iterations, trainer.config.training.save_interval
    begun, first = time.perf_counter(), trainer.iteration
    while trainer.iteration < last:
        row = trainer.train_iteration()
        if measure and (trainer.iteration in (1, last) or trainer.iteration % every == 0):
            row |= measure(trainer.learner.playable())
        trainer.save(folder / "run.safetensors")
        write_atomic(folder / "log.csv", csv_of(trainer.log))
        if trainer.iteration % interval == 0:
            trainer.save_net(folder / "net.safetensors")
        if history and trainer.iteration % history == 0:
            trainer.save_net(folder / "history" / f"{trainer.iteration:04}.safetensors")
        if report:
            pace = (time.perf_counter() - begun) / (trainer.iteration - first)
            report(row, pace * (last - trainer.iteration))
    trainer.save_net(folder / "net.safetensors")
    return folder / "net.safetensors"


def with_changes(config: Config, **changes: Any) -> Config:
    """The same configuration with some training settings changed."""
    return replace(config, training=replace(config.training, **changes))

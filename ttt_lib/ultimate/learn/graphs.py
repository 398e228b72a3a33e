"""Self-play of a residual network on a GPU, each batch launched as one CUDA graph.

Evaluated plainly, a small network spends most of its time on launching kernels, one by one, and in
large batches making its planes on the CPU takes as long again.  Here the kernels are recorded once
and launched together, and the planes are made on the GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from joblib import parallel_config
from torch import Tensor, nn

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.game.board import Floats
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import (
    BOARD,
    CELL,
    FORCED,
    FREE,
    META,
    OPEN,
    RESULT,
    SIDE,
    WIDTH,
    States,
)
from ttt_lib.ultimate.config import Stage
from ttt_lib.ultimate.learn.driver import tasks
from ttt_lib.ultimate.learn.replay_buffer import Samples, joined
from ttt_lib.ultimate.learn.selfplay import SelfPlaySettings
from ttt_lib.ultimate.learn.selfplay_batch import play_games
from ttt_lib.ultimate.learn.trainer import Trainer, play_settings
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import PLANES, AlphaZeroNet, folded

SMALLEST, GROWTH = 64, 2
"""Smallest batch with a graph of its own, and the ratio of one size to the next smaller."""

DEVICE = "cuda"

Step = Callable[[], tuple[Tensor, Tensor]]


class DevicePlanes(nn.Module):
    """:func:`.resnet.planes` where the states are."""

    board: Tensor
    cell: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("board", torch.from_numpy(BOARD.astype(np.int64)))
        self.register_buffer("cell", torch.from_numpy(CELL.astype(np.int64)))

    def forward(self, states: Tensor) -> Tensor:
        """Planes, int64, shape (B, 7, 9, 9), of states, int64, shape (B, 24)."""
        second = states[:, SIDE, None] == 1
        x, o = states[:, :9], states[:, 9:18]
        own, other = torch.where(second, o, x), torch.where(second, x, o)
        mine, yours = (
            states.gather(1, META + side) >> self.board & 1
            for side in (states[:, SIDE, None], 1 - states[:, SIDE, None])
        )
        playing = states[:, OPEN, None]
        forced, over = states[:, FORCED, None], states[:, RESULT, None] != 0
        asked = torch.where(forced == FREE, playing, 1 << forced) >> self.board & 1
        found = [
            own[:, self.board] >> self.cell & 1, other[:, self.board] >> self.cell & 1,
            mine, yours, (1 - (playing >> self.board & 1)) * (1 - mine) * (1 - yours),
            torch.zeros_like(mine), asked * ~over,
        ]  # fmt: skip
        return torch.stack(found, dim=1).reshape(-1, PLANES, 9, 9)


def graphed(net: AlphaZeroNet, largest: int, *, amp: bool = False) -> Evaluator:
    """An evaluator on the GPU for batches of at most ``largest`` states.

    A batch is filled up to the next size that has a graph; what is computed for the rest of it is
    thrown away.

    Parameters
    ----------
    net : AlphaZeroNet
        Left as it is: a copy is evaluated.
    largest : int
        States of the largest batch.
    amp : bool
        Whether the copy's weights are rounded to 16 bits.

    Returns
    -------
    callable
        See :data:`~ttt_lib.ultimate.network.evaluator.Evaluator`; it raises ValueError for a batch
        that is too large.
    """
    sizes = [SMALLEST]
    while sizes[-1] < largest:
        sizes.append(sizes[-1] * GROWTH)
    dtype = torch.float16 if amp else torch.float32
    whole = nn.Sequential(DevicePlanes(), _Cast(dtype), folded(net).to(dtype)).to(DEVICE)
    whole.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    given = torch.zeros(sizes[-1], WIDTH, dtype=torch.int64, device=DEVICE)
    steps = {size: _recorded(whole, given[:size]) for size in sizes}

    def evaluate(states: States) -> tuple[Floats, Floats]:
        count = len(states)
        if count > sizes[-1]:
            raise ValueError(f"{count} states at once, but graphs for at most {sizes[-1]}")
        given[:count] = torch.from_numpy(states.astype(np.int64))
        chances, values = steps[next(size for size in sizes if size >= count)]()
        return (
            chances[:count].cpu().numpy().astype(np.float64),
            values[:count].cpu().numpy().astype(np.float64),
        )

    return evaluate


class _Cast(nn.Module):
    """Numbers of the type and layout that convolutions take."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, x: Tensor) -> Tensor:
        return x.to(self.dtype).contiguous(memory_format=torch.channels_last)


@torch.inference_mode()
def _recorded(net: nn.Module, given: Tensor) -> Step:
    """Record an evaluation of ``given``; the returned function repeats it with what it holds then.

    The function overwrites and returns the same two tensors each time.
    """

    def forward() -> tuple[Tensor, Tensor]:
        logits, values = net(given)
        return torch.softmax(logits.float(), dim=1), values.float()

    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # libraries choose their kernels before these are recorded
        for _ in range(3):
            forward()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = forward()

    def replay() -> tuple[Tensor, Tensor]:
        graph.replay()
        return found

    return replay


def play_graphed(
    net: AlphaZeroNet,
    amp: bool,
    settings: SelfPlaySettings,
    game: Ultimate,
    games: int,
    rng: np.random.Generator,
) -> Samples:
    """:func:`.selfplay_batch.play_games`, all of these games side by side."""
    return play_games(graphed(net, games, amp=amp), settings, game, games, rng)


class GraphTrainer(Trainer):
    """A trainer of a residual network on a GPU, with self-play by :func:`graphed`.

    ``threads`` are processes here, which share the GPU and an iteration's tasks: growing trees
    holds Python's global interpreter lock.

    Attributes
    ----------
    side_by_side : int
        Games per task.  Like the seed, it determines which games are played.
    """

    side_by_side: int = 256

    def play(self, rng: np.random.Generator, stage: Stage | None = None) -> Samples:
        """Self-play of one iteration."""
        if self.iteration < self.config.training.taught:
            return super().play(rng, stage)
        stage = stage or self.stage()
        assert isinstance(self.net, AlphaZeroNet)
        work = partial(
            play_graphed, folded(self.net).cpu(), self.amp, play_settings(self.config, stage),
            self.game,
        )  # fmt: skip
        jobs = tasks(stage.games, self.side_by_side, rng)
        if self.threads == 1:
            return joined(run_parallel(work, jobs))
        with parallel_config(backend="loky", n_jobs=self.threads):
            return joined(run_parallel(work, jobs))

"""The document's network on a GPU: how fast it evaluates and learns, in how much memory.

In 32 bits convolutions multiply as PyTorch lets them by default, on such a chip in TF32.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import torch

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import WALL, rate
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import Config, NetworkConfig, TrainingConfig
from ttt_lib.ultimate.learn.graphs import graphed
from ttt_lib.ultimate.learn.networks import check_device
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.learn.trainer import Trainer, with_changes
from ttt_lib.ultimate.network.resnet import (
    AlphaZeroNet,
    count_multiplications,
    evaluator,
    folded,
    planes,
)
from ttt_lib.ultimate.studies import cost

FILE = "ultimate_gpu_cost.csv"
DEVICE = "cuda"

EVALUATED, LEARNED = (1, 64, 1024), (1, 256, 1024, 2048, 4096)
"""Positions in a batch that is evaluated, and that is learned."""

GRAPHED, GRAPHS = cost.SIZES[2], (64, 1024)
"""Blocks and channels of the network that is also timed as CUDA graphs, and their batches."""

STEPS = 2
"""Steps of learning that are timed together; others before them have allocated the memory."""

PEAK = 989e12
"""Floating-point operations per second of an NVIDIA H200 by its data sheet (16 bits, tensor
cores, dense matrices)."""

PUBLISHED = "{} x {}".format(*cost.SIZES[-1])
MEASURED = ("per_second", "network_per_second", "gib")

Row = dict[str, Any]


def samples(count: int) -> Samples:
    """Positions of random games; all legal moves are equally good, and every game is drawn."""
    states = cost.sample_states(count)
    legal = Ultimate().legal(states).astype(np.uint16)
    return Samples(states, legal, np.zeros(count, np.float32))


def evaluations(shape: tuple[int, int], amp: bool, batch: int) -> Row:
    """Positions per second of wall time: as a player evaluates them, and of the network alone."""
    net, states = AlphaZeroNet(NetworkConfig(*shape)), cost.sample_states(batch)
    play = evaluator(net, device=DEVICE, amp=amp)
    bare, x = folded(net).to(DEVICE), torch.from_numpy(planes(states)).to(DEVICE)

    @torch.inference_mode()
    def forward() -> None:
        with torch.autocast(DEVICE, enabled=amp):
            bare(x)
        torch.cuda.synchronize()

    return {
        "per_second": rate(lambda: play(states), units=batch, seconds=0.3, clock=WALL),
        "network_per_second": rate(forward, units=batch, seconds=0.3, clock=WALL),
    }


def graphed_evaluations(shape: tuple[int, int], amp: bool, batch: int) -> Row:
    """Positions per second of wall time, evaluated by :func:`.graphs.graphed`."""
    net, states = AlphaZeroNet(NetworkConfig(*shape)), cost.sample_states(batch)
    play = graphed(net, batch, amp=amp)
    return {"per_second": rate(lambda: play(states), units=batch, seconds=0.3, clock=WALL)}


def learning(shape: tuple[int, int], amp: bool, batch: int) -> Row | None:
    """Samples per second of whole steps, and the most memory, in GiB, with what is still held.

    None if it doesn't fit.
    """
    config = Config(network=NetworkConfig(*shape))
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    trainer = Trainer(with_changes(config, use_amp=amp, batch_size=batch), device=DEVICE)
    trainer.replay.add(samples(batch))
    rng = np.random.default_rng(0)

    def learn() -> None:
        trainer.learn(rng, STEPS)
        torch.cuda.synchronize()

    try:
        speed = rate(learn, units=STEPS * batch, seconds=0.0, clock=WALL)
    except torch.OutOfMemoryError:
        return None
    return {"per_second": speed, "gib": torch.cuda.max_memory_allocated() / 2**30}


def _rows() -> Iterator[Row]:
    device = torch.cuda.get_device_name()
    for shape in cost.SIZES:
        multiplications = count_multiplications(NetworkConfig(*shape))
        about = {"device": device, "network": "{} x {}".format(*shape),
                 "multiplications": multiplications}  # fmt: skip
        for amp in (False, True):
            found: list[tuple[str, int, Row | None]] = []
            found += [("evaluate", n, evaluations(shape, amp, n)) for n in EVALUATED]
            if shape == GRAPHED:
                found += [("as a graph", n, graphed_evaluations(shape, amp, n)) for n in GRAPHS]
            found += [("learn", n, learning(shape, amp, n)) for n in LEARNED]
            for task, batch, row in found:
                if row:
                    yield {**about, "mixed_precision": amp, "task": task, "batch": batch, **row}


def make_gpu_cost() -> pd.DataFrame:
    """Speed and memory of residual networks on a GPU, in 32 bits and in mixed precision.

    Batches that don't fit into its memory have no row.  Five digits are kept.

    Raises
    ------
    ValueError
        If there is no GPU here.
    """
    check_device(DEVICE)
    table = pd.DataFrame(_rows())
    for name in MEASURED:
        table[name] = [float(f"{number:.5g}") for number in table[name]]
    return table


# ---------------------------------------------------------------------------- the stored table


def read() -> pd.DataFrame:
    """The stored table, by network, task, mixed precision and batch."""
    table = store.read_table(FILE)
    return table.set_index(["network", "task", "mixed_precision", "batch"]).sort_index()


def device() -> str:
    """Name of the GPU that was measured."""
    [name] = read()["device"].unique()
    return str(name)


def best(task: str, network: str = PUBLISHED, batch: int | None = None) -> float:
    """Most positions per second of a task, at any precision; at any batch unless one is given."""
    rows = read()["per_second"].xs((network, task))
    return float(rows.max() if batch is None else rows.xs(batch, level="batch").max())


def best_batch(task: str) -> int:
    """The batch at which a task of the published network is fastest."""
    rows = read().xs((PUBLISHED, task)).reset_index()
    return int(rows.sort_values("per_second", kind="stable")["batch"].iloc[-1])


def published_days(batch: int | None = None) -> float:
    """Days of the published run on that GPU, growing trees left out.

    Parameters
    ----------
    batch : int or None
        Positions that are evaluated at once; None for the fastest batch.
    """
    training = TrainingConfig()
    seconds = cost.simulations(training) / best("evaluate", batch=batch)
    return (seconds + cost.draws(training) / best("learn")) / dict(cost.UNITS)["days"]


def used() -> float:
    """Share of ``PEAK`` that evaluation by the published network used at its fastest."""
    return best("evaluate") * 2 * count_multiplications(NetworkConfig()) / PEAK


def gib(batch: int, *, amp: bool) -> float:
    """The most memory that learning took in the published network, in GiB."""
    found = read()["gib"].to_dict()
    return float(found[PUBLISHED, "learn", amp, batch])

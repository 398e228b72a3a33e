"""What a training run costs, from its schedule and network; measured speeds, on random states.

Self-play costs one evaluation per simulation; learning costs three per sample, one for the
forward and two for the backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import torch

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import PROCESSOR, WALL, rate
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.config import NetworkConfig, TableConfig, TrainingConfig
from ttt_lib.ultimate.learn.trainer import one_thread
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import (
    PLANES,
    AlphaZeroNet,
    count_multiplications,
    count_parameters,
    evaluator,
)
from ttt_lib.ultimate.network.tablenet import TableNet, compile_tables
from ttt_lib.ultimate.search import puct_table

FILE = "ultimate_cost.csv"
SIZES = ((2, 16), (4, 32), (8, 64), (30, 512))
"""Blocks and channels of the residual networks that are timed."""

PLIES = 50.0
"""Moves of a game, in round numbers."""

PEAK, USED = 312e12, 0.3
"""Floating-point operations per second of one NVIDIA A100 by its data sheet (16 bits, tensor
cores), and the share of them that a training run may hope to use: both are assumptions."""

UNITS = (("years", 365.25 * 86400.0), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))


def duration(seconds: float) -> str:
    """A span of time in the largest unit of which there are two or more."""
    for name, length in UNITS:
        if seconds >= 2 * length:
            return f"{seconds / length:,.3g} {name}"
    return f"{seconds:.0f} seconds"


# ---------------------------------------------------------------------------- what a run does


def schedule(training: TrainingConfig) -> list[tuple[int, int]]:
    """(games, simulations per move) of every iteration."""
    stages = [training.stage(i) for i in range(training.num_iterations)]
    return [(stage.games, stage.simulations) for stage in stages]


def games(training: TrainingConfig) -> int:
    """Self-play games of a whole run."""
    return sum(count for count, _ in schedule(training))


def simulations(
    training: TrainingConfig, iterations: int | None = None, *, plies: float = PLIES
) -> float:
    """Simulations of the first iterations (None: all); an upper bound on its evaluations."""
    share, fast = training.full_share, training.fast_simulations
    return sum(
        count * plies * (share * full + (1 - share) * min(fast, full))
        for count, full in schedule(training)[:iterations]
    )


def draws(training: TrainingConfig) -> int:
    """Samples drawn for learning in a whole run, an epoch being one batch."""
    return training.num_iterations * training.num_train_epochs * training.batch_size


def evaluations(training: TrainingConfig, *, plies: float = PLIES) -> float:
    """Total cost of a run, in evaluations of its network."""
    return simulations(training, plies=plies) + 3.0 * draws(training)


# ---------------------------------------------------------------------------- memory


def parameter_bytes(parameters: int, *, amp: bool) -> int:
    """Bytes of weights, gradients and AdamW's two moments; mixed precision adds a 16-bit copy."""
    return parameters * (16 + 2 * amp)


def activation_bytes(config: NetworkConfig, batch: int, *, amp: bool) -> int:
    """Bytes of what the layers must keep for the backward pass, at 32 or 16 bits per number."""
    return _kept_of_two(config) * batch // 2 * (2 if amp else 4)


@cache
def _kept_of_two(config: NetworkConfig) -> int:
    """How many numbers the layers keep for two positions.

    PyTorch itself reports what it keeps; on its meta device this takes no memory.
    """
    with torch.device("meta"):
        net, x = AlphaZeroNet(config).train(), torch.empty(2, PLANES, 9, 9)
    kept: dict[object, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        return kept.setdefault(tensor.untyped_storage()._cdata, tensor)

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        net(x)
    weights = {p.untyped_storage()._cdata for p in net.parameters()}
    return sum(t.numel() for at, t in kept.items() if at not in weights and t.dim() > 1)


def amp_saving(config: NetworkConfig, batch: int) -> float:
    """Memory for learning in 32 bits, as a multiple of that in mixed precision."""
    plain, mixed = (
        parameter_bytes(count_parameters(config), amp=amp)
        + activation_bytes(config, batch, amp=amp)
        for amp in (False, True)
    )
    return plain / mixed


# ---------------------------------------------------------------------------- speed


def sample_states(count: int, *, rng: np.random.Generator | int = 0) -> States:
    """Running states of random games, all stages, shape (count, 24)."""
    game, rng = Ultimate(), np.random.default_rng(rng)
    states, found = game.initial(count), []
    while len(states):
        found.append(states)
        mask = game.legal(states)
        states = game.play(states, (mask * (1 + rng.random(mask.shape))).argmax(axis=1))
        states = states[~game.finished(states)]
    everything = np.concatenate(found)
    return everything[rng.permutation(len(everything))[:count]]


def positions_per_second(
    evaluate: Evaluator, batch: int, *, seconds: float = 1.0, device: str = "cpu"
) -> float:
    """Evaluations per second of one core's processor time (GPU: of wall time), best of three."""
    states, clock = sample_states(batch), PROCESSOR if device == "cpu" else WALL
    return rate(lambda: evaluate(states), units=batch, seconds=seconds, clock=clock)


def _networks() -> Iterator[tuple[str, int, int, Evaluator]]:
    """Name, parameters, multiplications and evaluator of each network that is timed."""
    for blocks, channels in SIZES:
        shape = NetworkConfig(blocks, channels)
        net = AlphaZeroNet(shape)
        count = sum(p.numel() for p in net.parameters())
        yield f"{blocks} x {channels}", count, count_multiplications(shape), evaluator(net)
    table = TableNet(TableConfig())
    tables = compile_tables(table)
    count = sum(p.numel() for p in table.parameters())
    yield "table net", count, table_multiplications(table.config), puct_table.evaluator(tables)


def table_multiplications(config: TableConfig) -> int:
    """Multiplications of one evaluation of a compiled table net with its policy for all moves."""
    layer = config.rows * (config.value + 2 * config.channels) + config.value
    return layer + 9 * config.channels * (1 + 9)


def make_cost() -> pd.DataFrame:
    """Evaluations per second on one core, one thread, alone and in batches of 64."""
    rows = []
    with one_thread():
        for name, parameters, products, evaluate in _networks():
            rates = {b: positions_per_second(evaluate, b) for b in (1, 64)}
            rows.append(
                {
                    "network": name, "parameters": parameters, "multiplications": products,
                    "alone": rates[1], "batch_64": rates[64],
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def stored_rate(network: str, batch: str) -> float:
    """Stored evaluations per second of a network, ``alone`` or in a ``batch_64``.

    Raises
    ------
    ValueError
        If there is no such network.
    """
    table = store.read_table(FILE).set_index("network")[batch].astype(float)
    rates = {str(name): float(rate) for name, rate in table.items()}
    if network not in rates:
        raise ValueError(f"no stored speed of {network!r}: {', '.join(rates)}")
    return rates[network]


def published_cost(
    *, plies: float = PLIES, peak: float = PEAK, used: float = USED
) -> dict[str, float]:
    """What the published run takes, from its settings, the stored speeds and the assumptions.

    Returns
    -------
    dict
        Weights, multiplications of an evaluation, games, samples, simulations, samples drawn,
        evaluations in all, CPU-years of a core like that of the stored speeds (batches of 64),
        GPU-days at ``used * peak`` operations per second, two per multiplication: arithmetic.
    """
    training, network = TrainingConfig(), NetworkConfig()
    work, products = evaluations(training, plies=plies), count_multiplications(network)
    rate = stored_rate(f"{network.num_res_blocks} x {network.num_channels}", "batch_64")
    year, day = UNITS[0][1], UNITS[1][1]
    return {
        "weights": count_parameters(network), "multiplications": products,
        "games": games(training), "samples": games(training) * plies * training.full_share,
        "simulations": simulations(training, plies=plies), "drawn": draws(training),
        "evaluations": work,
        "cpu_years": work / rate / year,
        "gpu_days": 2.0 * products * work / (peak * used) / day,
    }  # fmt: skip

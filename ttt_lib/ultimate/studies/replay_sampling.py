"""Three ways to draw from a replay buffer by weight, timed against its size.

The document draws by cumulative weights and ``numpy.random.choice``; ours proposes
uniformly and accepts by weight, see :meth:`~ttt_lib.ultimate.learn.replay_buffer.Replay.draw`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import timed
from ttt_lib.ultimate.config import PUBLISHED_WEIGHTS
from ttt_lib.ultimate.learn.replay_buffer import Replay

FILE = "ultimate_sampling.csv"
WINDOWS, BATCH = (10_000, 100_000, 1_000_000), 4096

Draw = Callable[[np.random.Generator], NDArray[np.intp]]


def window(size: int, *, rng: np.random.Generator | int = 0) -> Replay:
    """A full window whose samples have the published weights, all phases equally likely."""
    found, phases = Replay(size), np.array([weight for _, weight in PUBLISHED_WEIGHTS])
    found.weights[:] = phases[np.random.default_rng(rng).integers(len(phases), size=size)]
    found.size = size
    return found


def ways(replay: Replay) -> dict[str, Draw]:
    """Draw a batch: by choice with probabilities, by bisection in prepared sums, by rejection."""
    chances = replay.weights / replay.weights.sum()
    sums = chances.cumsum()
    return {
        "numpy choice": lambda rng: rng.choice(replay.size, BATCH, p=chances),
        "cumulative sums": lambda rng: np.searchsorted(sums, rng.random(BATCH), side="right"),
        "rejection": lambda rng: replay.draw(BATCH, rng),
    }


def make_sampling(windows: tuple[int, ...] = WINDOWS, repeats: int = 20) -> pd.DataFrame:
    """Microseconds of processor time per batch, the best of several repeats, by way and window."""
    rows = []
    for size in windows:
        for name, draw in ways(window(size)).items():
            draws = (partial(draw, np.random.default_rng(n)) for n in range(repeats))
            best = min(timed(one)[0] for one in draws)
            rows.append({"way": name, "window": size, "microseconds": 1e6 * best})
    return pd.DataFrame(rows)


def growth() -> dict[str, float]:
    """How many times longer a batch takes from the largest stored window than from the smallest."""
    table = store.read_table(FILE).pivot(index="window", columns="way", values="microseconds")
    ratios = table.iloc[-1] / table.iloc[0]
    return {str(name): float(ratio) for name, ratio in ratios.items()}

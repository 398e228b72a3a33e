"""Tasks for tests of other processes; here, so that a worker imports little to find them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np


def slow_number(seed: int, folder: Path) -> tuple[float, int]:
    """A random number after a fifth of a second, and who drew it; who began leaves a trace."""
    (folder / f"{seed}-{os.getpid()}").touch()
    time.sleep(0.2)
    return float(np.random.default_rng(seed).random()), os.getpid()


def history(seed: int) -> list[list[float]]:
    """The weights of a network of document 3 after each of two epochs."""
    from ttt_lib.ntuple.training import train

    return train(rng=seed, epochs=2).history.tolist()

"""Tasks for the tests of workers; here, so that a worker imports little to find one."""

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


def short_training(seed: int) -> np.ndarray:
    """The weights of the N-tuple network after each of two epochs."""
    from ttt_lib.ntuple.training import train

    return train(rng=seed, epochs=2).history

"""Tasks for the tests of a cluster; here, so that a worker imports little to find them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ttt_lib.ntuple.training import Trained


def slow_number(seed: int, folder: Path) -> tuple[float, int]:
    """A random number after a fifth of a second, and who drew it; who began leaves a trace."""
    (folder / f"{seed}-{os.getpid()}").touch()
    time.sleep(0.2)
    return float(np.random.default_rng(seed).random()), os.getpid()


def two_epochs(seed: int) -> Trained:
    """A network of document 3, trained for two epochs."""
    from ttt_lib.ntuple.training import train

    return train(rng=seed, epochs=2)

"""Settings that all tests share."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from hypothesis import settings

from ttt_lib.board import Grid
from ttt_lib.gametree import GameTree, solve

mpl.use("Agg")

# Machines differ in speed and a failure must repeat: no deadline, and the same examples each time.
settings.register_profile("ttt", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("ttt")


@pytest.fixture(scope="session")
def tree() -> GameTree:
    """All states of 3x3."""
    return solve(Grid(3))

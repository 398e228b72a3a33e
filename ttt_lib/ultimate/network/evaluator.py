"""The interface between any network and a search."""

from __future__ import annotations

from collections.abc import Callable

from ttt_lib.game.board import Floats
from ttt_lib.ultimate.board.kernels import States

Evaluator = Callable[[States], tuple[Floats, Floats]]
"""Running states (B, 24) -> weights of the moves (B, 81), of which only the legal ones count, and
values for the side to move, (B,), in [-1, 1]."""

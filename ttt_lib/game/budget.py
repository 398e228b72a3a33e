"""What exhaustive play may take: a budget of positions, with a progress bar, and memory."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

CHUNK = 2000
"""Positions expanded between two checks for a keyboard interrupt."""

ROOM = 1 << 32
"""Bytes that the positions of one ply may take."""


class OutOfNodesError(ValueError):
    """A search exhausted its budget before it had an answer."""


@dataclass
class Meter:
    """Counts positions against a budget and shows the progress of a search."""

    nodes: int
    progress: bool = False
    used: int = 0
    _bar: Any = field(default=None, repr=False)

    def left(self, about: str) -> int:
        """How many positions may still be visited; raise :class:`OutOfNodesError` if none."""
        self._check(1, about)
        return self.nodes - self.used

    def add(self, count: int, about: str) -> None:
        """Count positions; raise :class:`OutOfNodesError` beyond the budget."""
        self._check(count, about)
        self.used += count
        if self.progress and self._bar is None:
            self._bar = tqdm(unit=" positions", file=sys.stderr, leave=False, delay=1)
        if self._bar is not None:
            self._bar.set_description(about, refresh=False)
            self._bar.update(count)

    def _check(self, count: int, about: str) -> None:
        if self.used + count > self.nodes:
            raise OutOfNodesError(
                f"no answer within {self.nodes:,} positions ({about}): "
                "allow more (nodes, or --nodes)"
            )

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


def check_room(size: int, about: str, positions: str) -> None:
    """Check that the positions of one ply fit in memory, before it is taken.

    Parameters
    ----------
    size : int
        Bytes that they take.
    about, positions : str
        Whose play on which board, and how many positions, for the message.

    Raises
    ------
    ValueError
        If they take more than ``ROOM``.
    """
    if size > ROOM:
        raise ValueError(f"exhaustive play {about} takes too much memory: {positions}")

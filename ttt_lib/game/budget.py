"""A budget of positions for exhaustive play, with a progress bar."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

CHUNK = 2000
"""Positions expanded between two checks for a keyboard interrupt."""


class OutOfNodesError(ValueError):
    """A search exhausted its budget before it had an answer."""


@dataclass
class Meter:
    """Counts positions against a budget and shows the progress of a search."""

    nodes: int
    progress: bool = False
    used: int = 0
    _bar: Any = field(default=None, repr=False)

    def add(self, count: int, about: str) -> None:
        """Count positions; raise :class:`OutOfNodesError` beyond the budget."""
        if self.used + count > self.nodes:
            raise OutOfNodesError(
                f"no answer within {self.nodes:,} positions ({about}): "
                "allow more (nodes, or --nodes)"
            )
        self.used += count
        if self.progress and self._bar is None:
            self._bar = tqdm(unit=" positions", file=sys.stderr, leave=False, delay=1)
        if self._bar is not None:
            self._bar.set_description(about, refresh=False)
            self._bar.update(count)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()

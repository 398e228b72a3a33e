"""How long a call takes: one clock for everything that is timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Clock = Callable[[], float]

PROCESSOR: Clock = time.process_time
"""Processor time of this process; other work on the machine does not count."""

WALL: Clock = time.perf_counter
"""Time as a user waits for it."""


def timed(work: Callable[[], Any], clock: Clock = PROCESSOR) -> tuple[float, Any]:
    """Seconds of one call, and what it returned."""
    began = clock()
    found = work()
    return clock() - began, found


def best_of(work: Callable[[], object], repeats: int = 3, clock: Clock = PROCESSOR) -> float:
    """Seconds of the fastest of several calls: other work on the machine only adds time."""
    return min(timed(work, clock)[0] for _ in range(repeats))


def rate(
    work: Callable[[], object], *, units: int = 1, seconds: float = 0.5, clock: Clock = WALL
) -> float:
    """Units of work per second: the best of three spans, after one call to warm up."""
    work()
    return max(_span(work, units, seconds / 3, clock) for _ in range(3))


def _span(work: Callable[[], object], units: int, seconds: float, clock: Clock) -> float:
    began, calls = clock(), 0
    while (passed := clock() - began) < seconds or not calls:
        work()
        calls += 1
    return units * calls / passed if passed else 0.0

"""Deliberate faults are put together from exact parts, which stay sound."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from numba import njit

from ttt_lib.evidence.faults import with_parts


@njit
def step(n):  # type: ignore[no-untyped-def]
    return n - 1


@njit
def count_down(n, by=1):  # type: ignore[no-untyped-def]
    """Calls a part, and itself."""
    return 0 if n <= 0 else by + count_down(step(n), by)


@njit
def two_steps(n):  # type: ignore[no-untyped-def]
    return n - 2


@cache
def faulty() -> Callable[..., Any]:
    return with_parts(count_down, step=two_steps)


def outer(n: int, *, extra: int = 5) -> int:
    return int(count_down(n)) + extra


def test_a_part_is_replaced_at_every_depth_and_the_original_stays() -> None:
    other = faulty()
    assert (other(10), count_down(10)) == (5, 10)
    assert (other(10, 3), count_down(10, 3)) == (15, 30)


def test_a_plain_function_keeps_its_defaults() -> None:
    other = with_parts(outer, count_down=faulty())
    assert (other(10), other(10, extra=0), outer(10)) == (10, 5, 15)


def test_a_part_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="count_down has no part stride"):
        with_parts(count_down, stride=two_steps)

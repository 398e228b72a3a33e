"""What compiled kernels share: their options, and a generator of random numbers.

numba looks for edits only in a kernel's own file, so after a change here the kernels that use it
must be compiled again (``make`` does this; without it, clear the cache).

Arguments of the kernels
------------------------
bits : uint64
    State of the generator, never 0.
limit : int64
    How many numbers to draw from.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

LEAF: dict[str, Any] = {"cache": True, "_nrt": False}
"""Options of a kernel that allocates nothing: no reference counting of arrays.

Counting costs an atomic instruction whenever an array is taken out of a tuple or passed on, which
took about half the time of kernels that run for a few dozen nanoseconds.
"""

INLINE: dict[str, Any] = {**LEAF, "forceinline": True}
"""Options of such a leaf that is also inlined into its caller: passing on a tree and a net, some
two hundred numbers, costs more than the body of many a kernel."""


@njit(cache=True, inline="always")
def advance(bits):  # type: ignore[no-untyped-def]
    """The next state, uint64, of xorshift64*, the generator of kernels."""
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    return bits ^ (bits >> np.uint64(27))


@njit(cache=True, inline="always")
def below(bits, limit):  # type: ignore[no-untyped-def]
    """A uniform integer in 0..limit-1 from a state; limit < 2**31."""
    high = (bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return (np.int64(high) * limit) >> 32


@njit(cache=True, inline="always")
def mix(bits):  # type: ignore[no-untyped-def]
    """Spread 64 bits over 64 (the finaliser of splitmix64); uint64.

    Parameters
    ----------
    bits : uint64
    """
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))

"""tanh from sums, products and one quotient, so that every processor gives the same bits.

The C library has several implementations of tanh, chosen by processor, whose last bits differ.
Training uses this one, in which IEEE 754 defines every step to the last bit.
"""

from __future__ import annotations

from math import factorial, log

import numpy as np
from numba import njit

TERMS = 14
"""Terms of the exponential series: up to log(2) / 2 the next one is below 1e-17."""

SERIES = tuple(1 / factorial(k) for k in reversed(range(TERMS)))
HALVES = 0.5 ** np.arange(64)
LN2, FLAT = log(2), 20.0  # beyond 20, tanh rounds to 1


@njit(cache=True, inline="always")
def squash(x):  # type: ignore[no-untyped-def]
    """tanh(x), float64, with an absolute error below 3e-16; odd, and exactly 0 at 0.

    With ``e^(-2|x|) = 2^(-k) e^r`` and whole k, the series for ``e^r`` is short, and the
    power of two exact.

    Parameters
    ----------
    x : float64 or float32
    """
    size = min(abs(x), FLAT)
    k = int(2 * size / LN2 + 0.5)
    r = k * LN2 - 2 * size
    power = 0.0
    for coefficient in SERIES:
        power = power * r + coefficient
    power *= HALVES[k]
    value = (1 - power) / (1 + power)
    return value if x >= 0 else -value

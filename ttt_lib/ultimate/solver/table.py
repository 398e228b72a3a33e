"""The solver's transposition table: a small hot tier in front of a large packed cold one.

An entry says how the score of a position relates to a number (at most, at least,
exactly), which move showed it, and how much work that took.  The *hot* tier
holds 64 bits of key and 64 of content; entries it displaces go to the *cold*
tier, which packs 44 bits of key and 20 of content into one word::

    63 ........ 20 19 .. 17 16 .. 10 9 .. 8 7 ...... 0
    key (high 44)    work     move    bound   score + 128

The place of an entry depends on the low bits of the key, so that a cold table
of 2**20 pairs checks all 64 bits of it.  Keys are hashes: two positions share
one with a chance of about 2**-64.

Arguments of the kernels
------------------------
hot : ndarray of uint64, shape (power of two, 2)
    Key and content; changed in place by ``store``.
cold : ndarray of uint64, shape (power of two,)
    Packed entries, in pairs; changed in place by ``store``.
key : uint64
    Key of a position, mixed so that all bits look random.
entry, content : uint64 or int64
    The 20 bits of an entry.
score, bound, move, work : int64
    Score in -128..127; its kind (``ABOVE``, ``BELOW``, ``EXACT``); 9 sub-board + cell or
    ``NO_MOVE``; effort in 0..7.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.evidence import weights
from ttt_lib.game.jit import LEAF

EMPTY, ABOVE, BELOW, EXACT = range(4)
"""What an entry says: nothing; the score is at least, at most, exactly this."""

NO_MOVE = 127
HOT_BYTES, COLD_BYTES = 16, 8
SMALLEST = 1024

_LOW = np.uint64((1 << 20) - 1)
_FORMAT = "ttt-solver-table-2"


@njit(cache=True, inline="always")
def pack(score, bound, move, work):  # type: ignore[no-untyped-def]
    """The 20 bits of an entry, uint64."""
    return np.uint64((score + 128) | bound << 8 | move << 10 | work << 17)


@njit(cache=True, inline="always")
def unpack(entry):  # type: ignore[no-untyped-def]
    """Score, bound and move of an entry, int64."""
    word = np.int64(entry & _LOW)
    return (word & 255) - 128, word >> 8 & 3, word >> 10 & 127


@njit(**LEAF)
def probe(hot, cold, key):  # type: ignore[no-untyped-def]
    """The 20 bits stored for a key, uint64, 0 if there are none; at most three places are read."""
    place = key & np.uint64(len(hot) - 1)
    if hot[place, 0] == key:
        return hot[place, 1]
    place = (key & np.uint64((len(cold) >> 1) - 1)) << np.uint64(1)
    for slot in range(2):
        entry = cold[place + np.uint64(slot)]
        if (entry ^ key) & ~_LOW == 0 and entry & _LOW != 0:
            return entry & _LOW
    return np.uint64(0)


@njit(**LEAF)
def store(hot, cold, key, entry):  # type: ignore[no-untyped-def]
    """Keep an entry in the hot tier; what it displaces there is packed into the cold one."""
    place = key & np.uint64(len(hot) - 1)
    old, content = hot[place, 0], hot[place, 1]
    if content >> np.uint64(17) != 0 and old != key:
        _demote(cold, old, content)
    hot[place, 0], hot[place, 1] = key, entry


@njit(cache=True, inline="always")
def _demote(cold, key, content):  # type: ignore[no-untyped-def]
    """Put an entry into its pair, in place of the same key, else of the one with less work."""
    first = (key & np.uint64((len(cold) >> 1) - 1)) << np.uint64(1)
    second = first + np.uint64(1)
    easier = (cold[first] & _LOW) >> np.uint64(17) < (cold[second] & _LOW) >> np.uint64(17)
    known = (cold[second] ^ key) & ~_LOW == 0
    place = second
    if (cold[first] ^ key) & ~_LOW == 0 or (easier and not known):
        place = first
    cold[place] = (key & ~_LOW) | content


def power_of_two(size: int, name: str) -> int:
    """The smallest power of two >= size.

    Raises
    ------
    ValueError
        If size < 1.
    """
    if size < 1:
        raise ValueError(f"the {name} table needs at least 1 entry, not {size}")
    return max(SMALLEST, 1 << (size - 1).bit_length())


class Table:
    """Both tiers.

    Parameters
    ----------
    hot_size, cold_size : int
        Entries; rounded up to powers of two, at least 1024.

    Raises
    ------
    ValueError
        If a size is < 1.
    """

    hot: NDArray[np.uint64]
    cold: NDArray[np.uint64]

    def __init__(self, hot_size: int, cold_size: int) -> None:
        self.hot = np.zeros((power_of_two(hot_size, "hot"), 2), dtype=np.uint64)
        self.cold = np.zeros(power_of_two(cold_size, "cold"), dtype=np.uint64)

    def clear(self) -> None:
        """Forget everything."""
        self.hot[:] = 0
        self.cold[:] = 0

    @property
    def nbytes(self) -> int:
        """Memory of both tiers in bytes."""
        return self.hot.nbytes + self.cold.nbytes

    @property
    def used(self) -> tuple[int, int]:
        """Entries in the hot and in the cold tier."""
        return int(np.count_nonzero(self.hot[:, 1])), int(np.count_nonzero(self.cold & _LOW))

    def get(self, key: int) -> tuple[int, int, int] | None:
        """Score, bound and move stored for a key, or None."""
        entry = probe(self.hot, self.cold, np.uint64(key))
        return None if entry == 0 else tuple(int(part) for part in unpack(entry))  # type: ignore[return-value]

    def save(self, path: Path, header: dict[str, Any]) -> None:
        """Write the entries, a header that says what they are for, and a checksum."""
        about = {**header, "sha256": _checksum(self.hot, self.cold)}
        weights.write(path, {"hot": self.hot, "cold": self.cold}, _FORMAT, about)

    @classmethod
    def load(cls, path: Path, header: dict[str, Any]) -> Table:
        """Read a saved table that was written with the same header.

        Raises
        ------
        ValueError
            If the file is not a table, is damaged, or has another header.
        """
        arrays, about = weights.read(path, _FORMAT)
        hot, cold = (arrays.get(name, np.empty(0)) for name in ("hot", "cold"))
        _check_file(path.name, about, hot, cold, header)
        table = cls(len(hot), len(cold))
        table.hot, table.cold = hot, cold
        return table


def _check_file(
    name: str, found: dict[str, Any], hot: Any, cold: Any, header: dict[str, Any]
) -> None:
    shapes_fit = (
        hot.dtype == cold.dtype == np.uint64
        and (hot.ndim, cold.ndim) == (2, 1)
        and hot.shape[1] == 2
        and all(len(t) >= SMALLEST and len(t) & (len(t) - 1) == 0 for t in (hot, cold))
    )
    if not shapes_fit:
        raise ValueError(f"{name} holds no hot and cold table")
    if found.get("sha256") != _checksum(hot, cold):
        raise ValueError(f"{name} is damaged: its checksum is wrong")
    for key, value in header.items():
        if found.get(key) != value:
            raise ValueError(f"{name} holds for {key}={found.get(key)}, not {key}={value}")


def _checksum(hot: NDArray[np.uint64], cold: NDArray[np.uint64]) -> str:
    return hashlib.sha256(hot.tobytes() + cold.tobytes()).hexdigest()

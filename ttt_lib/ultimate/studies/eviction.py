"""Which entry a full table should evict: the least recently used, or the one that took less work.

The document's cache evicts the least recently used entry (LRU).  Here the solver gets such a table
in place of ours, with everything else the same, and solves the same endgames with both.

Arguments of the kernels
------------------------
hot : ndarray of uint64, shape (capacity, 2)
    Key and content, as in :mod:`ttt_lib.ultimate.solver.table`; changed in place by storing.
links : ndarray of int64, shape (4, capacity + 1)
    A ring of all entries in order of use, and for each place a chain of the entries whose keys
    share it; changed in place by storing and by finding.  The last column is the ring's sentinel,
    between the most and the least recently used; its ``CHAINED`` is the number of entries in use.
key : uint64
    Key of a position.
slot, older, newer : int64
    Index of an entry, -1 for none; those of two neighbours in the ring.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import NDArray
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.evidence.faults import with_parts
from ttt_lib.ultimate.solver import negamax
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver
from ttt_lib.ultimate.solver.table import SMALLEST
from ttt_lib.ultimate.studies.endgames import mean_ratio, nodes_of, sample

FILE = "ultimate_eviction.csv"
LIMIT, GAMES = 28, 200
"""Playable cells at which positions are taken, and the number of games they come from."""

ROOM = 1 << 22
"""Entries of a table that evicts nothing, and so the node budget of a search with it."""

BUDGET = 100_000_000
"""Node budget of a search with a smaller table."""

COLD = (1 << 10, 1 << 12, 1 << 14, 1 << 16)
"""Entries of the cold tier behind a hot one of ``SMALLEST``."""

KEYS = ["entries", "evicted"]

OLDER, NEWER, CHAINED, FIRST = range(4)


@njit(cache=True, inline="always")
def _place(links, key):  # type: ignore[no-untyped-def]
    return np.int64(key % np.uint64(links.shape[1] - 1))


@njit(cache=True)
def _join(links, older, newer):  # type: ignore[no-untyped-def]
    links[NEWER, older], links[OLDER, newer] = newer, older


@njit(cache=True)
def _leave(links, slot):  # type: ignore[no-untyped-def]
    """Take an entry out of the ring."""
    _join(links, links[OLDER, slot], links[NEWER, slot])


@njit(cache=True)
def _lead(links, slot):  # type: ignore[no-untyped-def]
    """Put an entry into the ring as the most recently used."""
    end = links.shape[1] - 1
    _join(links, links[OLDER, end], slot)
    _join(links, slot, end)


@njit(cache=True)
def find(hot, links, key):  # type: ignore[no-untyped-def]
    """The slot of a key, int64, now the most recently used; -1 if there is none."""
    slot = links[FIRST, _place(links, key)]
    while slot >= 0 and hot[slot, 0] != key:
        slot = links[CHAINED, slot]
    if slot >= 0:
        _leave(links, slot)
        _lead(links, slot)
    return slot


@njit(cache=True)
def _evict(hot, links):  # type: ignore[no-untyped-def]
    """Take out the least recently used entry; returns its slot, int64."""
    slot = links[NEWER, links.shape[1] - 1]
    _leave(links, slot)
    place = _place(links, hot[slot, 0])
    at = links[FIRST, place]
    if at == slot:
        links[FIRST, place] = links[CHAINED, slot]
        return slot
    while links[CHAINED, at] != slot:
        at = links[CHAINED, at]
    links[CHAINED, at] = links[CHAINED, slot]
    return slot


@njit(cache=True)
def store_lru(hot, links, key, content):  # type: ignore[no-untyped-def]
    """Store an entry as the most recently used; a full table evicts the least recently used."""
    slot, end = find(hot, links, key), links.shape[1] - 1
    if slot < 0:
        used = links[CHAINED, end]
        if used < end:
            slot, links[CHAINED, end] = used, used + 1
        else:
            slot = _evict(hot, links)
        place = _place(links, key)
        links[CHAINED, slot], links[FIRST, place] = links[FIRST, place], slot
        _lead(links, slot)
    hot[slot, 0], hot[slot, 1] = key, content


@njit(cache=True)
def probe_lru(hot, links, key):  # type: ignore[no-untyped-def]
    """The 20 bits stored for a key, uint64, 0 if there are none; now the most recently used."""
    slot = find(hot, links, key)
    return hot[slot, 1] if slot >= 0 else np.uint64(0)


class LeastRecentlyUsed:
    """A table of one tier that evicts the least recently used entry.

    The document has two tiers; if an entry found in the second moves back to the first, they keep
    the same entries as one tier of their combined size.

    Parameters
    ----------
    capacity : int
        Entries.

    Attributes
    ----------
    hot, cold : ndarray
        Entries and links, named as the search names the two parts of a table.

    Raises
    ------
    ValueError
        If the capacity is < 1.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"a table needs at least 1 entry, not {capacity}")
        self.hot = np.zeros((capacity, 2), dtype=np.uint64)
        self.cold = np.zeros((4, capacity + 1), dtype=np.int64)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        end = len(self.hot)
        self.cold[[CHAINED, FIRST], :end] = -1
        self.cold[:CHAINED, end], self.cold[CHAINED, end] = end, 0


@cache
def _negamax() -> Any:
    """The solver's search, with such a table."""
    return with_parts(
        negamax.negamax,
        probe_entry=with_parts(negamax.probe_entry, probe=probe_lru),
        store_entry=with_parts(negamax.store_entry, store=store_lru),
    )


def lru_solver(capacity: int, nodes: int = BUDGET) -> DTWSolver:
    """A solver whose table evicts the least recently used entry."""
    solver = DTWSolver(nodes=nodes)
    solver.table = LeastRecentlyUsed(capacity)  # type: ignore[assignment]
    solver.negamax = _negamax()
    return solver


def solvers() -> dict[tuple[int, str], DTWSolver]:
    """Solvers by number of entries and eviction rule, including one that evicts nothing."""
    sizes = {SMALLEST + cold: cold for cold in COLD}
    return {
        (ROOM, "none"): lru_solver(ROOM, ROOM),
        **{
            (size, "least work"): DTWSolver(nodes=BUDGET, hot_size=SMALLEST, cold_size=cold)
            for size, cold in sizes.items()
        },
        **{(size, "least recently used"): lru_solver(size) for size in sizes},
    }


def positions(games: int) -> list[NDArray[np.uint16]]:
    """Of each game the first state with at most ``LIMIT`` cells, if ``ROOM`` is enough for it."""
    solver, found = lru_solver(ROOM, ROOM), []
    for _, state in sample(games, (LIMIT,), rng=21):
        with suppress(BudgetExceededError):
            nodes_of(solver, state)
            found.append(state)
    return found


def make_eviction() -> pd.DataFrame:
    """Nodes of the same positions with tables too small for them, each empty at first."""
    states = positions(GAMES)
    return pd.DataFrame(
        [
            {"entries": size, "evicted": rule, "number": number, "nodes": nodes_of(solver, state)}
            for (size, rule), solver in tqdm(solvers().items(), unit="table")
            for number, state in enumerate(states)
        ]
    )


# ---------------------------------------------------------------------------- what the table says


def ratios() -> pd.DataFrame:
    """Nodes as multiples of those with nothing evicted, a row for each size and rule.

    The means are geometric, their bounds 95% bootstrap intervals over positions.
    """
    free, nodes = _stored()
    found = {key: mean_ratio(few, free) for key, few in nodes.items()}
    index = pd.MultiIndex.from_tuples(found, names=KEYS)
    return pd.DataFrame(found.values(), index=index, columns=["mean", "low", "high"])


def total_ratios() -> tuple[int, dict[tuple[int, str], float]]:
    """How many endgames, and their nodes together by size and rule, as for :func:`ratios`."""
    free, nodes = _stored()
    return len(free), {key: float(few.sum() / free.sum()) for key, few in nodes.items()}


def compared() -> pd.DataFrame:
    """Nodes with LRU as multiples of those with least work, endgame by endgame, by table size.

    Means and bounds as for :func:`ratios`.
    """
    _, nodes = _stored()
    sizes = sorted({size for size, _ in nodes})
    found = [
        mean_ratio(nodes[size, "least recently used"], nodes[size, "least work"]) for size in sizes
    ]
    return pd.DataFrame(found, pd.Index(sizes, name="entries"), ["mean", "low", "high"])


def _stored() -> tuple[pd.Series[int], dict[Any, pd.Series[int]]]:
    """The stored nodes by the number of the endgame: with nothing evicted; by size and rule."""
    groups = store.read_table(FILE).groupby(KEYS)
    nodes = {key: rows.set_index("number")["nodes"] for key, rows in groups}
    return nodes.pop((ROOM, "none")), nodes

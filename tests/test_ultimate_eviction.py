"""A solver whose full table evicts the least recently used entry, and what the stored run says."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import store
from ttt_lib.ultimate.board.game import playable
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import eviction
from ttt_lib.ultimate.studies.cost import sample_states
from ttt_lib.ultimate.studies.endgames import nodes_of
from ttt_lib.ultimate.studies.eviction import LeastRecentlyUsed, probe_lru, store_lru


class Reference(OrderedDict[int, int]):
    """The same table as the library's ordered dictionary."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity

    def probe(self, key: int) -> int:
        if key in self:
            self.move_to_end(key)
        return self.get(key, 0)

    def store(self, key: int, content: int) -> None:
        self[key] = content
        self.move_to_end(key)
        if len(self) > self.capacity:
            self.popitem(last=False)


@pytest.mark.parametrize("capacity", [1, 2, 3, 8, 29])
def test_the_kernels_keep_what_an_ordered_dictionary_keeps(capacity: int) -> None:
    rng, plain, made = np.random.default_rng(0), Reference(capacity), LeastRecentlyUsed(capacity)
    keys = rng.integers(1, 2**63, size=3 * capacity, dtype=np.uint64)
    for step in range(2000):
        key = keys[rng.integers(len(keys))]
        if rng.random() < 0.5:
            assert probe_lru(made.hot, made.cold, key) == plain.probe(int(key))
        else:
            store_lru(made.hot, made.cold, key, np.uint64(step + 1))
            plain.store(int(key), step + 1)
    held = {int(key): int(probe_lru(made.hot, made.cold, key)) for key in keys}
    assert {key: content for key, content in held.items() if content} == plain
    assert len(plain) == capacity


def test_a_cleared_table_knows_nothing() -> None:
    made = LeastRecentlyUsed(2)
    for key in (5, 6, 7):
        store_lru(made.hot, made.cold, np.uint64(key), np.uint64(key))
    assert [int(probe_lru(made.hot, made.cold, np.uint64(key))) for key in (5, 6, 7)] == [0, 6, 7]
    made.clear()
    assert [int(probe_lru(made.hot, made.cold, np.uint64(key))) for key in (5, 6, 7)] == [0, 0, 0]
    store_lru(made.hot, made.cold, np.uint64(9), np.uint64(3))
    assert probe_lru(made.hot, made.cold, np.uint64(9)) == 3


def test_a_table_needs_an_entry() -> None:
    with pytest.raises(ValueError, match="at least 1 entry, not 0"):
        LeastRecentlyUsed(0)


def test_it_solves_as_the_solver_does_and_its_stored_rows_come_out_again() -> None:
    states = sample_states(3000)
    few, usual = eviction.lru_solver(4), DTWSolver()
    for state in states[(playable(states) > 8) & (playable(states) <= 15)][:40]:
        few.table.clear()
        assert few.calculate_dtw(state)[:2] == usual.calculate_dtw(state)[:2]
    stored = store.read_table(eviction.FILE).set_index(["entries", "evicted", "number"])["nodes"]
    solvers = eviction.solvers()
    for number, state in enumerate(eviction.positions(4)):
        for (size, rule), solver in solvers.items():
            assert nodes_of(solver, state) == stored[size, rule, number]


def test_nodes_together_are_multiples_of_those_with_nothing_evicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nodes = {(4, "least work"): pd.Series([20, 60]), (8, "x"): pd.Series([10, 40])}
    monkeypatch.setattr(eviction, "_stored", lambda: (pd.Series([10, 30]), nodes))
    assert eviction.total_ratios() == (2, {(4, "least work"): 2.0, (8, "x"): 1.25})


def test_the_reference_solver_evicts_nothing() -> None:
    nodes = store.read_table(eviction.FILE).query("evicted == 'none'")["nodes"]
    assert nodes.max() <= eviction.ROOM


def test_the_maker_solves_each_endgame_with_each_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """With solvers replaced by the names of their tables, and endgames by their numbers."""
    rows = store.read_table(eviction.FILE)[["entries", "evicted", "number"]]
    known = dict.fromkeys(zip(rows["entries"], rows["evicted"], strict=True))
    monkeypatch.setattr(eviction, "solvers", lambda: {key: key for key in known})
    monkeypatch.setattr(eviction, "positions", lambda games: range(rows["number"].nunique()))
    monkeypatch.setattr(eviction, "nodes_of", lambda solver, state: (*solver, state))
    found = eviction.make_eviction()
    assert found[[*rows]].equals(rows)
    assert found["nodes"].tolist() == [*rows.itertuples(index=False, name=None)]

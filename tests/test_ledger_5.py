"""Every verdict on document 5 is today's (the others: ``test_ledger.py``)."""

from __future__ import annotations

from functools import cache

import ledger
import pytest

from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.studies import cost

SAMPLE = cost.sample_states


@cache
def sampled(count: int, *, rng: int = 0) -> States:
    """The positions that many claims ask for, drawn once; nobody may change them."""
    found = SAMPLE(count, rng=rng)
    found.setflags(write=False)
    return found


def test_stored_rows_are_todays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "sample_states", sampled)
    found = ledger.fresh(5)
    assert ledger.differences(found, ledger.stored(5)) == [], "run make reproduce"
    assert [row["id"] for row in found] == [row["id"] for row in ledger.stored(5)]

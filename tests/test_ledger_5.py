"""Every verdict on document 5 is today's (the others: ``test_ledger.py``)."""

from __future__ import annotations

import ledger


def test_stored_rows_are_todays() -> None:
    found = ledger.fresh(5)
    assert ledger.differences(found, ledger.stored(5)) == [], "run make reproduce"
    assert [row["id"] for row in found] == [row["id"] for row in ledger.stored(5)]

"""Every verdict is today's: the ledger is judged afresh and compared, row by row, field by field.

Document 5, the longest, has a file of its own, so that two workers share the work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import ledger
import pytest

from ttt_lib.evidence import claims, rounding
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.notebook import claims_table, plain, with_minus_signs
from ttt_lib.evidence.scorecard import in_published_unit

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = {number: FOLDER / f"{one.notebook}.ipynb" for number, one in documents().items()}
EARLIER = [number for number in claims.DOCUMENTS if number != 5]


@pytest.mark.parametrize("document", EARLIER)
def test_stored_rows_are_todays(document: int) -> None:
    found = ledger.fresh(document)
    assert ledger.differences(found, ledger.stored(document)) == [], "run make reproduce"
    assert [row["id"] for row in found] == [row["id"] for row in ledger.stored(document)]


def test_the_file_is_what_its_rows_are_written_as() -> None:
    """No field, row or digit stands beside those that are compared."""
    path = claims.results_path()
    assert path.read_text(encoding="utf-8") == claims.to_json(claims.load_results())
    assert set(json.loads(path.read_text(encoding="utf-8"))) == {"claims"}


ROW: dict[str, Any] = {"id": "a", "ours": 0.5, "interval": [0.4, 0.6], "p_value": 0.2,
                       "verdict": "differs", "reason": "Because."}  # fmt: skip


@pytest.mark.parametrize("key", ["ours", "interval", "p_value", "verdict", "reason"])
def test_any_changed_field_is_named(key: str) -> None:
    assert ledger.differences([ROW], [dict(ROW)]) == []
    [complaint] = ledger.differences([ROW], [ROW | {key: "other"}])
    assert complaint == f"a: {key} {ROW[key]!r}, stored 'other'"


def test_a_lost_row_and_a_new_field_are_named() -> None:
    assert ledger.differences([ROW], []) == ["a: in one ledger only"]
    found = ledger.differences([ROW], [ROW | {"accepts": None, "n": 3}])
    assert found == [
        "a: accepts 'absent', stored None",
        "a: n 'absent', stored 3",
    ]


# ---------------------------------------------------------------------------- in the notebooks


def tables(path: Path) -> list[dict[str, str]]:
    """The rows of all tables of claims that a stored notebook shows."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    pages = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return [row for page in pages for row in ledger.shown(page)]


UNIT = "ours in its unit"
"""Column of a table that shows chances per game as counts of as many games as were published."""


def test_chances_become_counts_of_as_many_games_as_were_published() -> None:
    row = {"kind": "sampled", "n": 10_000, "published": "44-0-9956"}
    ours = "win 0.00437, draw 0, loss 0.99563"
    assert in_published_unit(row | {"ours": ours}) == "43.7-0.0-9956.3"
    assert in_published_unit(row | {"n": 100, "published": 0, "ours": 0.009}) == "0.9"
    assert in_published_unit(row | {"published": "10,000", "ours": 1.0}) == "10000"
    assert in_published_unit(row | {"published": "100", "n": 100, "ours": "1"}) == "100"
    assert in_published_unit(row | {"published": "100", "n": 100, "ours": "3/8"}) == "37.5"
    assert in_published_unit(row | {"n": None, "ours": 12.645}) == "12.64"
    assert in_published_unit(row | {"kind": "exact", "ours": 8}) == "8"
    # A count stays one, and so does a chance where one was published.
    assert in_published_unit(row | {"n": 1000, "published": 878, "ours": 872.65}) == "872.6"
    assert in_published_unit(row | {"n": 100, "published": "0.51", "ours": 0.5}) == "0.5"


def test_counts_of_a_match_add_up_to_its_games() -> None:
    """Each is shown to a tenth of a game, so no digit of them may be made up."""
    matches = [row for row in claims.load_results() if str(row["ours"]).startswith("win ")]
    counts = [in_published_unit(row).split("-") for row in matches]
    assert {len(told) for told in counts} == {3}
    for row, told in zip(matches, counts, strict=True):
        assert abs(sum(map(Decimal, told)) - row["n"]) <= Decimal("0.15"), row["id"]


def test_tables_show_no_marks_of_markdown_and_ranges_of_one_precision() -> None:
    assert plain("a *slight* aversion, `b` and 2*3*4") == "a “slight” aversion, b and 2*3*4"
    assert rounding.format_range(0.5994, 0.719) == "0.5994 to 0.7190"
    assert rounding.format_range(8444, 8718) == "8444 to 8718"


def test_a_count_that_is_kept_as_a_float_has_all_its_digits() -> None:
    assert rounding.format_value(123_456_789.0) == "123456789"
    assert rounding.format_value(-12_345_678.0) == "-12345678"
    assert rounding.format_value(1e9) == "1e+09"
    assert rounding.format_value(12_345_678.5) == "1.235e+07"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gains -0.5 ± 0.1, from -.3", "gains −0.5 ± 0.1, from −.3"),
        ("`b=-0.2` is -0.2, ``-1`` stays", "`b=-0.2` is −0.2, ``-1`` stays"),
        ("$2 \\times 10^{-24}$ and -2", "$2 \\times 10^{-24}$ and −2"),
        ("[a](-1) <i style='margin:-1px'>-1</i>", "[a](-1) <i style='margin:-1px'>−1</i>"),
        ("43-0-57, 1-3, x-1, a stray ` and -1", "43-0-57, 1-3, x-1, a stray ` and −1"),
    ],
)
def test_numbers_in_sentences_have_true_minus_signs(text: str, shown: str) -> None:
    assert with_minus_signs(text) == shown


def told(row: Mapping[str, str], known: Mapping[str, Any]) -> bool:
    """Whether what a table shows is what the ledger holds; ours may carry its interval."""
    ours = rounding.format_value(known["ours"]).replace("`", "")
    shortened = re.sub(r"(\.\d{4})\d+", r"\1…", ours)
    cut = row.get("ours", "").removesuffix("...")  # a wide table shows the beginning
    return (
        " ".join(known["quantity"].split()) == row["claim"]
        and known["verdict"] == row["verdict"]
        and row.get("id", known["id"]) == known["id"]
        and row.get("why", plain(known["reason"])) == plain(known["reason"])
        and row.get(UNIT, in_published_unit(known)) == in_published_unit(known)
        and (
            row.get("ours", ours) in (ours, shortened)
            or row["ours"].startswith(f"{ours} (")
            or (ours.startswith(cut) and 90 < len(cut) < len(row["ours"]))
        )
    )


def test_a_table_shows_no_marks_of_markdown() -> None:
    assert plain("*Can* is read as `a`, *not b*.") == "“Can” is read as a, “not b”."
    assert (
        plain("n!  c^n = n! * (n+1), x*x and 2 * 3 * 4")
        == "n!  c^n = n! * (n+1), x*x and 2 * 3 * 4"
    )


@pytest.mark.parametrize("document", claims.DOCUMENTS)
def test_a_table_of_claims_has_both_ends(document: int) -> None:
    shown = claims_table(document).reset_index()
    for row, known in zip(shown.itertuples(), ledger.stored(document), strict=True):
        assert row.id == known["id"]
        assert row.published == rounding.format_value(known["published"]).replace("`", "")
        assert row.ours == rounding.format_value(known["ours"]).replace("`", "")
        for text, key in ((row.interval, "interval"), (row.passes, "accepts")):
            ends = [end for end in known[key] or () if end is not None]
            if known[key] and known[key][1] is None:
                assert (key, text) == ("accepts", f"{rounding.format_value(ends[0])} or more")
            else:
                assert len(ends) == len(known[key] or ()) in (0, 2)
                assert text == (rounding.format_range(*ends) if ends else "")


@pytest.mark.parametrize("document", [n for n, path in NOTEBOOKS.items() if path.exists()])
def test_tables_of_a_notebook_quote_the_ledger(document: int) -> None:
    stored, shown = ledger.stored(document), tables(NOTEBOOKS[document])
    assert len(shown) >= min(8, len(stored))
    assert [row for row in shown if not any(told(row, known) for known in stored)] == []

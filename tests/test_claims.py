"""The judge: each way to a verdict, by hand; then what is declared and what is stored."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib.evidence import claims, store
from ttt_lib.evidence.claims import Chance, Claim, Count, Draws, Finding, Law, Row, Value

CONTRACT = {"id", "document", "where", "quantity", "published", "ours", "interval", "verdict",
            "reason", "kind", "n", "p_value"}  # fmt: skip


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Row]:
    """Judge one claim whose value a function of this test gives."""

    def judge(ours: object, published: Any, kind: str = "exact", **more: Any) -> Row:
        module = ModuleType("given")
        vars(module)["value"] = lambda: ours
        monkeypatch.setitem(sys.modules, "given", module)
        [row] = claims.judge([claim(published=published, kind=kind, **more)])
        return row

    return judge


def claim(**values: Any) -> Claim:
    defaults = {"id": "a", "document": 1, "where": "here", "quantity": "this", "published": 1,
                "kind": "exact", "ours": "given:value", "reason": "Because."}  # fmt: skip
    return Claim(**{**defaults, **values})


# ---------------------------------------------------------------------------- compared


@pytest.mark.parametrize(
    ("ours", "published", "kind", "verdict", "shown"),
    [
        (Value(Fraction(2, 3)), "0.667", "exact", "reproduced", "2/3"),
        (Value(Fraction(2, 3)), "0.666", "exact", "differs", "2/3"),
        (Value(5478), 5478, "exact", "reproduced", 5478),
        (Value(5477), 5478, "exact", "differs", 5477),
        (Value(np.float64(0.25)), "0.25", "exact", "reproduced", 0.25),
        (Value("x"), "x", "exact", "reproduced", "x"),
        (Value("o"), "x", "exact", "differs", "o"),
        (Value(True), True, "exact", "reproduced", True),
        (Value(False), True, "exact", "differs", False),
        (Finding(True, "so it is"), "text", "statement", "reproduced", "so it is"),
        (Finding(False, "it is not"), "text", "statement", "refuted", "it is not"),
        (Finding(None, "who knows"), "text", "statement", "not testable", "who knows"),
        (Value(10.0), "4.0", "timing", "reproduced", 10.0),
        (Value(1.4), "4.0", "timing", "reproduced", 1.4),
        (Value(12.1), "4.0", "timing", "differs", 12.1),
        (Value(1.3), "4.0", "timing", "differs", 1.3),
    ],
)
def test_compared(
    judged: Callable[..., Row], ours: object, published: object, kind: str, verdict: str, shown: Any
) -> None:
    row = judged(ours, published, kind)
    assert (row.verdict, row.ours, row.p_value, row.interval) == (verdict, shown, None, None)
    assert type(row.ours) is type(shown)


def test_the_functions_reason_goes_before_the_declared_one(judged: Callable[..., Row]) -> None:
    assert judged(Value(1), 1).reason == "Because."
    assert judged(Value(1, "We counted."), 1).reason == "We counted."


@pytest.mark.parametrize(
    ("published", "ours", "agree"),
    [
        ("0.58", 0.5849, True),
        ("0.58", 0.5851, False),
        ("0.585", Fraction(737, 1260), True),
        ("0.5849", Fraction(737, 1260), True),
        ("0.5850", Fraction(737, 1260), False),
        ("58", 58.4, True),
        ("58", 58.6, False),
        ("58.0", 58.4, False),
        ("-0.5", -0.46, True),
        ("-0.5", 0.46, False),
        ("1E+3", 1499, True),
        ("0", 0.3, True),
    ],
)
def test_agrees_to_the_published_digits(published: str, ours: Any, agree: bool) -> None:
    assert claims.agrees(published, ours) is agree


@given(st.fractions(-100, 100), st.integers(0, 6))
def test_agrees_with_every_rounding(value: Fraction, digits: int) -> None:
    rounded = round(value, digits)
    assert claims.agrees(f"{float(rounded):.{digits}f}", value)
    assert not claims.agrees(f"{float(rounded + Fraction(2, 10**digits)):.{digits}f}", value)


def test_a_number_cannot_be_compared_with_a_word() -> None:
    with pytest.raises(ValueError, match="'many' is no number"):
        claims.agrees("many", 3)


# ---------------------------------------------------------------------------- tested


def binomial_p(count: int, n: int, chance: float) -> float:
    """Two-sided exact p-value by its definition: all counts that are no likelier."""
    law = [math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]
    return sum(p for p in law if p <= law[count] * (1 + 1e-7))


@pytest.mark.parametrize("count", [0, 40, 50, 65, 70, 100])
def test_a_count_under_an_exact_chance(judged: Callable[..., Row], count: int) -> None:
    row = judged(Chance(Fraction(1, 2)), count, "sampled", n=100)
    assert row.p_value == pytest.approx(binomial_p(count, 100, 0.5), rel=1e-9)
    assert row.ours == "1/2"
    expected = "differs" if count in (0, 65, 70, 100) else "within sampling error"
    assert row.verdict == expected


def test_a_count_beside_our_own_count(judged: Callable[..., Row]) -> None:
    """Fisher's exact test by hand: 8 of 10 published, 1 of 6 ours: p = 0.0350."""
    row = judged(Count(1, 6), 8, "sampled", n=10)
    both, ways = 16, math.comb(16, 9)
    law = [math.comb(10, k) * math.comb(both - 10, 9 - k) / ways for k in range(3, 10)]
    expected = sum(p for p in law if p <= law[8 - 3] * (1 + 1e-7))
    assert row.p_value == pytest.approx(expected)
    assert row.verdict == "within sampling error"
    assert row.ours == pytest.approx(1 / 6)
    assert row.interval is not None
    assert row.interval[0] < 1 / 6 < row.interval[1]
    assert judged(Count(10, 100), 80, "sampled", n=100).verdict == "differs"


def test_a_value_among_our_draws(judged: Callable[..., Row]) -> None:
    """Ends of the 95 % t prediction interval for 3 draws, by hand: t(2, .975) = 4.302653."""
    row = judged(Draws([1.0, 2.0, 3.0]), "2.5", "sampled")
    reach = 4.30265272991 * math.sqrt(4 / 3)
    assert row.interval == pytest.approx([2 - reach, 2 + reach])
    assert row.ours == 2.0
    at_end = judged(Draws([1.0, 2.0, 3.0]), str(2 + reach), "sampled")
    assert at_end.p_value == pytest.approx(0.05)
    assert judged(Draws([1.0, 2.0, 3.0]), "50", "sampled").verdict == "differs"


@pytest.mark.parametrize(("scale", "low", "high"), [("logit", 0, 1), ("fisher", -1, 1)])
def test_intervals_stay_inside_the_scale(
    judged: Callable[..., Row], scale: str, low: float, high: float
) -> None:
    row = judged(Draws([0.9, 0.99, 0.95, 1.0], scale), "0.97", "sampled")
    assert row.interval is not None
    assert low < row.interval[0] < 0.97 < row.interval[1] <= high
    assert row.verdict == "within sampling error"


def test_draws_that_never_vary(judged: Callable[..., Row]) -> None:
    same = [2 / 3] * 5
    assert judged(Draws(same), "0.667", "sampled").verdict == "within sampling error"
    assert judged(Draws(same), "0.666", "sampled").verdict == "differs"


def test_a_whole_number_under_its_law(judged: Callable[..., Row]) -> None:
    law = Law(range(4), [0.0005, 0.3, 0.6, 0.0995])
    row = judged(law, 1, "sampled")
    assert row.p_value == pytest.approx(0.4)
    assert row.ours == pytest.approx(0.3 + 1.2 + 0.2985)
    assert row.interval == [1, 3]
    assert judged(law, 0, "sampled").verdict == "differs"
    assert judged(law, 7, "sampled").verdict == "differs"


@pytest.mark.parametrize(
    ("ours", "published", "n", "message"),
    [
        (Chance(0.5), 10, None, "needs its n"),
        (Chance(0.5), 0.58, 100, "whole number"),
        (Chance(0.5), 101, 100, "no count out of 100"),
        (Chance(0.5), -1, 100, "no count out of 100"),
        (Chance(1.5), 10, 100, "p"),
        (Count(5, 4), 10, 100, "count"),
        (Draws([1.0]), "1.0", None, "at least two finite"),
        (Draws([]), "1.0", None, "at least two finite"),
        (Draws([1.0, math.nan]), "1.0", None, "at least two finite"),
        (Draws([1.0, 2.0], "log"), "1.0", None, "'log': linear, logit, fisher"),
        (Law([0, 1], [0.5, 0.5]), 0.5, None, "whole number"),
    ],
)
def test_what_cannot_be_judged(
    judged: Callable[..., Row], ours: object, published: Any, n: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        judged(ours, published, "sampled", n=n)


# ---------------------------------------------------------------------------- Holm


def test_holm_by_hand() -> None:
    assert claims.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert claims.holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert claims.holm([0.2]) == [0.2]
    assert claims.holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_rejects_as_stepping_down_does(p_values: list[float]) -> None:
    """The textbook's procedure: go up through the sorted values until one is too large."""
    rejected = set()
    for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] * (len(p_values) - step) >= claims.SIGNIFICANCE:
            break
        rejected.add(index)
    adjusted = claims.holm(p_values)
    assert {i for i, p in enumerate(adjusted) if p < claims.SIGNIFICANCE} == rejected


def test_correction_runs_within_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """A p-value of 0.0066 differs alone, not as one of two; other documents don't count."""
    module = ModuleType("given")
    vars(module).update(value=lambda: Chance(0.5), exact=lambda: Value(1))
    monkeypatch.setitem(sys.modules, "given", module)
    odd = {"published": 64, "kind": "sampled", "n": 100}
    fair = {"published": 50, "kind": "sampled", "n": 100}

    def verdicts(*wanted: Claim) -> dict[str, str]:
        return {row.id: row.verdict for row in claims.judge(wanted)}

    elsewhere = claim(id="c", document=2, **fair)
    untested = claim(id="d", ours="given:exact")
    assert verdicts(claim(**odd), elsewhere, untested)["a"] == "differs"
    both = verdicts(claim(**odd), claim(id="b", **fair), elsewhere)
    assert both["a"] == "within sampling error"
    assert set(both) == {"a", "b", "c"}


# ---------------------------------------------------------------------------- declaring


def test_bad_claims() -> None:
    with pytest.raises(ValueError, match="claim a: unknown kind 'guess': exact, sampled"):
        claim(kind="guess")
    with pytest.raises(ValueError, match="document 6"):
        claim(document=6)


def declared(folder: Path, *tables: str) -> list[Claim]:
    for number, table in enumerate(tables, start=1):
        (folder / f"{number}_x.toml").write_text(f"document = {number}\n{table}")
    return claims.load(folder)


TABLE = '[[claim]]\nid="{}"\nwhere="w"\nquantity="q"\npublished="0.50"\nkind="exact"\nours="m:f"\n'


def test_claims_are_read_in_order(tmp_path: Path) -> None:
    found = declared(tmp_path, TABLE.format("b") + TABLE.format("a"), TABLE.format("c"))
    assert [(c.id, c.document) for c in found] == [("b", 1), ("a", 1), ("c", 2)]
    assert found[0].published == "0.50"


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([TABLE.format("a"), TABLE.format("a")], "two claims are called 'a'"),
        ([TABLE.format("a") + "colour = 1\n"], "1_x.toml.*colour"),
        (['[[claim]]\nid="a"\n'], "1_x.toml.*where"),
        ([TABLE.format("a").replace("exact", "odd")], "unknown kind 'odd'"),
        ([""], "1_x.toml.*claim"),
    ],
)
def test_bad_declarations(tmp_path: Path, tables: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared(tmp_path, *tables)


@pytest.mark.parametrize("one", claims.load(), ids=lambda one: one.id)
def test_declared_claim(one: Claim) -> None:
    assert all((one.where, one.quantity, one.section))
    assert callable(store.resolve(one.ours))
    assert not isinstance(one.published, float), "written as text, a decimal keeps its digits"
    if one.n is not None:
        assert 0 <= int(one.published) <= one.n


# ---------------------------------------------------------------------------- storing


def test_rows_have_the_contracts_keys() -> None:
    assert {field.name for field in fields(Row)} >= CONTRACT


def test_stored_results_are_of_the_declared_claims() -> None:
    results = claims.load_results()
    if not results:
        pytest.skip("not written yet: 'make reproduce' does")
    assert [row["id"] for row in results] == [one.id for one in claims.load()]
    for row, one in zip(results, claims.load(), strict=True):
        assert set(row) >= CONTRACT
        assert row["verdict"] in claims.VERDICTS
        assert len(row["reason"].split()) >= 3, f"{row['id']} says why"
        assert row["reason"].rstrip().endswith((".", "!", "?", ")")), row["id"]
        assert (row["document"], row["published"], row["kind"], row["n"]) == (
            one.document, one.published, one.kind, one.n,
        )  # fmt: skip


def test_json_rounds_floats_and_nothing_else() -> None:
    rows = [{"ours": 1 / 3, "interval": [0.1 + 0.2, 1], "n": 7, "reason": "ü"}]
    text = claims.to_json(rows)
    assert json.loads(text) == {
        "claims": [{"ours": 0.3333333333, "interval": [0.3, 1], "n": 7, "reason": "ü"}]
    }
    assert text.endswith("}\n")
    assert "ü" in text


def test_scorecard_counts_verdicts() -> None:
    rows = [
        {"document": 1, "verdict": "reproduced"},
        {"document": 1, "verdict": "reproduced"},
        {"document": 1, "verdict": "refuted"},
        {"document": 3, "verdict": "not testable"},
    ]
    lines = claims.scorecard(rows).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["1", "2", "0", "0", "1", "0", "3"],
        ["3", "0", "0", "0", "0", "1", "1"],
    ]
    assert all(verdict in lines[0] for verdict in claims.VERDICTS)


def test_no_results_before_the_first_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    assert claims.load_results() == []

"""The judge: each way to a verdict, by hand; then what is declared and what is stored."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib.evidence import claims, rounding, scorecard, significance, store
from ttt_lib.evidence.answers import (
    Chance,
    Chances,
    Distribution,
    Finding,
    Repeats,
    Runs,
    Setting,
    Value,
)
from ttt_lib.evidence.claims import Claim, Row
from ttt_lib.evidence.verdicts import VERDICTS

CONTRACT = {"id", "document", "where", "quantity", "published", "ours", "interval", "verdict",
            "reason", "kind", "n", "p_value", "accepts", "quote"}  # fmt: skip


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
        (Value(4.0), "4.0", "timing", "not testable", 4.0),
        (Finding(True, "quick"), "quick", "timing", "not testable", "quick"),
        (Value(0.5), "0.5", "illustration", "not testable", 0.5),
        (Finding(True, "so"), "so", "illustration", "not testable", "so"),
        (Setting(0.01, True, "twice it changes the error"), "0.01", "adopted", "adopted", 0.01),
        (Setting(0.01, False, "nothing changes"), "0.01", "adopted", "differs", 0.01),
        (Setting(0.02, True, "twice it changes the error"), "0.01", "adopted", "differs", 0.02),
        (Setting("x", True, "with o it ends"), "x", "adopted", "adopted", "x"),
    ],
)
def test_compared(
    judged: Callable[..., Row], ours: object, published: object, kind: str, verdict: str, shown: Any
) -> None:
    row = judged(ours, published, kind)
    assert (row.verdict, row.ours, row.p_value, row.interval) == (verdict, shown, None, None)
    assert type(row.ours) is type(shown)


@pytest.mark.parametrize(("tested", "verdict"), [(True, "undecided"), (False, "not testable")])
def test_a_statement_tested_without_a_result_is_undecided(
    judged: Callable[..., Row], *, tested: bool, verdict: str
) -> None:
    found = Finding(None, "either", tested=tested)
    assert judged(found, "text", "statement").verdict == verdict


def test_a_test_that_lets_half_of_all_values_pass_still_decides(
    judged: Callable[..., Row],
) -> None:
    chances = [0.5, 0.5, 0, 0]
    assert judged(Distribution(range(4), chances), 1, "sampled").verdict == "within sampling error"
    chances = [0.4, 0.3, 0.3, 0]
    assert judged(Distribution(range(4), chances), 1, "sampled").verdict == "undecided"


def test_a_time_beside_a_named_machine_is_not_judged_either(judged: Callable[..., Row]) -> None:
    row = judged(Finding(None, "4 s"), "4.0", "timing", machine="a laptop")
    assert (row.verdict, row.ours, row.accepts) == ("not testable", "4 s", None)
    assert row.reason == "Because.", "not that no machine is named"


def test_what_cannot_be_tested_says_so(judged: Callable[..., Row]) -> None:
    assert "names no machine" in judged(Value(4.0), "4.0", "timing").reason
    assert judged(Value(4.0), "4.0", "illustration").reason.endswith("Because.")
    assert "Twice it changes" in judged(Setting(1, True, "twice it changes"), 1, "adopted").reason


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
        ("0.5", Fraction(11, 20), True),  # a half may be rounded either way
        ("0.6", Fraction(11, 20), True),
    ],
)
def test_agrees_to_the_published_digits(published: str, ours: Any, agree: bool) -> None:
    assert rounding.agrees(published, ours) is agree


@given(st.fractions(-100, 100), st.integers(0, 6))
def test_agrees_with_every_rounding(value: Fraction, digits: int) -> None:
    rounded = round(value, digits)
    assert rounding.agrees(f"{float(rounded):.{digits}f}", value)
    assert not rounding.agrees(f"{float(rounded + Fraction(2, 10**digits)):.{digits}f}", value)


def test_a_claim_that_cannot_be_judged_is_named(judged: Callable[..., Row]) -> None:
    with pytest.raises(ValueError, match=r"^claim a: (?!claim)"):
        judged(Value(3.0), "many")
    with pytest.raises(ValueError, match=r"^claim a: no function 'given:other'"):
        claims.judge([claim(ours="given:other")])


def test_a_number_cannot_be_compared_with_a_word() -> None:
    with pytest.raises(ValueError, match="'many' is no number"):
        rounding.agrees("many", 3)


@given(st.fractions(-2, 2), st.integers(0, 6))
def test_bounds_hold_as_they_are_printed(value: Fraction, decimals: int) -> None:
    low, high = rounding.round_down(value, decimals), rounding.round_up(value, decimals)
    unit, slack = Fraction(1, 10**decimals), Fraction(1, 10**8)
    assert value - unit < Fraction(low) + slack <= value + 2 * slack
    assert value - 2 * slack <= Fraction(high) - slack < value + unit


def test_bounds_of_exact_decimals_are_the_decimals() -> None:
    assert rounding.round_down(0.57, 2) == rounding.round_up(0.57, 2) == 0.57
    assert (rounding.round_down(0.89475, 3), rounding.round_up(0.89475, 3)) == (0.894, 0.895)


# ---------------------------------------------------------------------------- tested


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2k", {2, 2000}),
        ("1.5M games", {1.5, 1.5e6}),
        ("1,000", {1000}),
        ("2023-24", {2023, 24}),
        ("−3 to .5", {-3, 0.5}),
        ("x2", set()),
    ],
)
def test_the_numbers_of_a_text(text: str, numbers: set[float]) -> None:
    assert rounding.numbers_of(text) == numbers


@pytest.mark.parametrize("count", [0, 37, 38, 50, 62, 63, 100])
def test_a_verdict_is_what_is_accepted(judged: Callable[..., Row], count: int) -> None:
    """Alone, a fair coin of 100 throws passes from 37 to 63 heads at .01."""
    row = judged(Chance(Fraction(1, 2)), count, "sampled", n=100)
    assert row.accepts == [37, 63]
    assert row.verdict == ("within sampling error" if 37 <= count <= 63 else "differs")
    assert (row.ours, row.interval) == ("1/2", [40, 60])


def test_blunt_tests_decide_nothing(judged: Callable[..., Row]) -> None:
    """Of 0 to 3 heads in three throws every number passes; but a rejection stays one."""
    row = judged(Chance(0.5), 2, "sampled", n=3)
    assert (row.verdict, row.accepts) == ("undecided", [0, 3])
    assert "100% of all that it could be" in row.reason
    assert judged(Chance(0.001), 1, "sampled", n=1).verdict == "differs"
    assert judged(Repeats([0.1, 0.5, 0.4], "logit"), "0.5", "sampled").verdict == "undecided"


def test_of_many_numbers_each_alone_could_be_so_much(judged: Callable[..., Row]) -> None:
    few = Runs([[0.1, 0.2], [0.2, 0.1], [0.4, 0.3]], ("linear",) * 2, [(0, 1)] * 2)
    row = judged(few, "0.2 0.2", "sampled")
    assert row.verdict == "undecided"
    assert row.reason.endswith(
        "With the other numbers as printed, 100% of what each alone could be would have passed, "
        "on average."
    )


@pytest.mark.parametrize(
    ("others", "verdict", "told"),
    [
        ([], "within sampling error", ""),
        ([(0.9, 0.1, 0)], "within sampling error", "of these 2 readings all can tell."),
        ([(0.5, 0.3, 0.2)], "undecided", "b 1 to 9 wins (82%): of these 2 readings 1 can't tell."),
        ([(1, 0, 0)], "not testable", "2 readings all can tell, and 1 rejects it."),
        ([(0, 0.1, 0.9)], "not testable", "of these 2 readings all can tell, and 1 rejects it."),
        (
            [(0, 0.1, 0.9), (0.5, 0.3, 0.2)],
            "undecided",
            "3 readings 1 can't tell, and 1 rejects it",
        ),
    ],
)
def test_a_match_is_judged_in_all_its_readings(
    judged: Callable[..., Row], others: list[tuple[float, ...]], verdict: str, told: str
) -> None:
    """They must agree; one that can't tell leaves it undecided. The values are the first's."""
    first = Chances((0.95, 0.05, 0))
    readings = [("a", first), *(("b", Chances(chances)) for chances in others)] * bool(others)
    row = judged(replace(first, readings=readings), "9-1-0", "sampled", n=10)
    alone = judged(first, "9-1-0", "sampled", n=10)
    assert (row.verdict, row.accepts, row.p_value) == (verdict, alone.accepts, alone.p_value)
    assert told in row.reason
    low, high = alone.accepts or [0, 0]
    limits = f"A {low:g} to {high:g} wins ("
    assert (limits in row.reason) is bool(others)


def test_sure_results_are_no_samples(judged: Callable[..., Row]) -> None:
    row = judged(Chances((0, 1, 0)), "0-30-0", "sampled", n=30)
    assert (row.verdict, row.accepts) == ("reproduced", [0, 0])
    assert judged(Chances((0, 1, 0)), "1-29-0", "sampled", n=30).verdict == "differs"
    assert judged(Chance(1), 30, "sampled", n=30).verdict == "reproduced"


@pytest.mark.parametrize(
    ("chances", "published", "place"),
    [
        ((0.5, 0.5, 0), "15-15-0", 0),
        ((0, 0.5, 0.5), "0-15-15", 1),
        ((0.02, 0.18, 0.8), "0-6-24", 2),
    ],
)
def test_the_limits_of_a_match_are_those_of_the_result_that_varies_most(
    judged: Callable[..., Row], chances: tuple[float, ...], published: str, place: int
) -> None:
    row = judged(Chances(chances), published, "sampled", n=30)
    assert row.accepts is not None
    low, high = row.accepts
    assert 0 < low < 30 * chances[place] < high
    assert ("The limits are those of the" in row.reason) is (place > 0)
    assert place == 0 or f"those of the {('wins', 'draws', 'losses')[place]}," in row.reason


@pytest.mark.parametrize(
    ("ours", "published", "n", "message"),
    [
        (Chance(0.5), 10, None, "claim a: .* needs its n"),
        (Chance(0.5), 101, 100, "no count out of 100"),
        (Distribution([0, 1], [0.5, 0.5]), 0.5, None, "whole number"),
        (Repeats([1.0]), "1.0", None, "at least two finite"),
    ],
)
def test_what_cannot_be_judged(
    judged: Callable[..., Row], ours: object, published: Any, n: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        judged(ours, published, "sampled", n=n)
    with pytest.raises(ValueError, match=r"^claim a: kind statement can't be a"):
        judged(ours, published, "statement", n=n)


# ---------------------------------------------------------------------------- Holm


def test_holm_by_hand() -> None:
    assert significance.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert significance.holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert significance.holm([0.9, 0.8]) == [1.0, 1.0]
    assert significance.holm([0.2]) == [0.2]
    assert significance.holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_rejects_as_stepping_down_does(p_values: list[float]) -> None:
    """The textbook's procedure: go up through the sorted values until one is too large."""
    rejected = set()
    for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] * (len(p_values) - step) >= claims.SIGNIFICANCE:
            break
        rejected.add(index)
    adjusted = significance.holm(p_values)
    assert {i for i, p in enumerate(adjusted) if p < claims.SIGNIFICANCE} == rejected


@given(st.lists(st.floats(0, 0.02) | st.floats(0, 1), min_size=1, max_size=12))
def test_own_levels_give_the_verdicts_of_holm(p_values: list[float]) -> None:
    adjusted = [p < claims.SIGNIFICANCE for p in significance.holm(p_values)]
    assert [
        p < level
        for p, level in zip(
            p_values, significance.levels(p_values, claims.SIGNIFICANCE), strict=True
        )
    ] == adjusted


def test_own_levels_by_hand() -> None:
    """Two tests step down before the third: it is one of the last two of four."""
    assert significance.levels([1e-9, 0.5, 1e-8, 0.9], 0.01) == pytest.approx(
        [0.01 / 3, 0.01 / 2, 0.01 / 3, 0.01 / 2]
    )
    assert significance.levels([0.2], 0.01) == [0.01]
    # The first two step down before the third, the second as one of the last two.
    assert significance.levels([0.01, 0.02, 0.9], 0.05) == [0.05 / 3, 0.025, 0.05]
    assert significance.levels([0.01, 0.05], 0.05) == [0.025, 0.05]
    # At its level exactly it is not rejected.
    assert significance.levels([0.5, 0.025], 0.05)[0] == 0.025
    # Just beyond what one of four, or one of the last three, may be: nothing steps down.
    assert significance.levels([0.0026, 0.5, 0.5, 0.5], 0.01) == pytest.approx([0.01 / 4] * 4)
    assert significance.levels([0.001, 0.0034, 0.5, 0.5], 0.01) == pytest.approx(
        [0.01 / 4, 0.01 / 3, 0.01 / 3, 0.01 / 3]
    )


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


def test_a_statement_is_its_own_published_value() -> None:
    assert claim(published="", quote="it never loses").published == "it never loses"
    with pytest.raises(ValueError, match="neither a published value nor a quote"):
        claim(published="")


def stands_in(published: Any, quote: str, n: int | None = None) -> bool:
    """Whether a published value can be read in the sentence that is quoted for it.

    Each of its numbers must stand there (a count of n also as percentage); a value without
    numbers must be words of the sentence.
    """
    wanted, there = rounding.numbers_of(published), rounding.numbers_of(quote)
    if not wanted:
        return " ".join(str(published).lower().split()) in " ".join(quote.lower().split())
    return all({value, *_percent(value, n)} & there for value in wanted)


def _percent(value: float, n: int | None) -> list[float]:
    return [round(100 * value / n, 6)] if n else []


@pytest.mark.parametrize(
    ("published", "quote", "n", "there"),
    [
        ("0.50", "a share of 0.5 or so", None, True),
        ("0.51", "a share of 0.5 or so", None, False),
        ("29-1-0", "Vs Random (30): W:29 D:1 L:0", 30, True),
        ("29-0-1", "Vs Random (30): W:29 D:2 L:0", 30, False),
        (8577, "it won 85.77 % of 10,000 games", 10000, True),
        (8578, "it won 85.77 % of 10,000 games", 10000, False),
        (5000000, "hot_cache_size: 5M", None, True),
        ("-0.15", "w[2] = -0.15", None, True),
        ("0.15", "w[2] = -0.15", None, False),
        ("0.993887736", "[[9.93887736e-01 9.33e-04]]", None, True),
        ("never loses", "The bot Never  loses", None, True),
        ("always loses", "The bot never loses", None, False),
        ("1 -1", "[1, -1]", None, True),
    ],
)
def test_a_published_value_stands_in_its_quote(
    published: str, quote: str, n: int | None, there: bool
) -> None:
    assert stands_in(published, quote, n) is there


QUOTED = {1, 2, 3, 4, 5}
"""Documents whose rows must all quote the words they judge."""


@pytest.mark.parametrize("one", claims.load(), ids=lambda one: one.id)
def test_quotes_hold_what_is_published(one: Claim) -> None:
    assert one.quote or one.document not in QUOTED
    if one.quote:
        assert stands_in(one.published, one.quote, one.n)
        assert len(one.quote) <= 450, "the sentence judged, no more"


def test_a_claim_is_found_by_its_id() -> None:
    every = claims.load()
    assert [claims.declared(one.id) for one in (every[0], every[-1])] == [every[0], every[-1]]
    with pytest.raises(ValueError, match="no claim is called 'none'"):
        claims.declared("none")


def test_bad_claims() -> None:
    with pytest.raises(ValueError, match="claim a: unknown kind 'guess': exact, statement"):
        claim(kind="guess")
    none = max(claims.DOCUMENTS) + 1
    with pytest.raises(ValueError, match=f"document {none}"):
        claim(document=none)


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
        (['[[claim]]\nid="a"\n'], "1_x.toml: claim a: .*where"),
        (['[[claim]]\nwhere="w"\n'], "1_x.toml: claim without id: .*'id'"),
        ([TABLE.format("a").replace("exact", "odd")], "unknown kind 'odd'"),
        ([""], "1_x.toml.*claim"),
        (['[claim]\nid="a"\n'], r"1_x.toml: each claim begins with \[\[claim\]\]"),
        (["claim = [1]\n"], r"1_x.toml: each claim begins with \[\[claim\]\]"),
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
        counts = [int(count) for count in str(one.published).split("-")]
        assert min(counts) >= 0
        assert sum(counts) <= one.n


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
        assert row["verdict"] in VERDICTS
        assert len(row["reason"].split()) >= 3, f"{row['id']} says why"
        assert row["reason"].rstrip().endswith((".", "!", "?", ")")), row["id"]
        assert (row["accepts"] is not None) or row["kind"] != "sampled", row["id"]
        assert (row["document"], row["published"], row["kind"], row["n"]) == (
            one.document, one.published, one.kind, one.n,
        )  # fmt: skip


def test_no_written_reason_is_overridden() -> None:
    """Where a function gives a reason of its own, one in the entry would be dead text."""
    given = {row["id"]: row["reason"] for row in claims.load_results()}
    assert [
        one.id for one in claims.load() if one.reason not in given.get(one.id, one.reason)
    ] == []


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
    lines = scorecard.as_text(rows).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["1", "2", "0", "0", "0", "0", "1", "0", "3"],
        ["3", "0", "0", "0", "0", "0", "0", "1", "1"],
        ["all", "2", "0", "0", "0", "0", "1", "1", "4"],
    ]
    assert all(verdict in lines[0] for verdict in VERDICTS)


def test_no_results_before_the_first_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    assert claims.load_results() == []


def test_a_sure_reading_and_one_within_sampling_error_agree(judged: Callable[..., Row]) -> None:
    sure, likely = Chances((1, 0, 0)), Chances((0.99, 0.01, 0))
    for first, second in ((sure, likely), (likely, sure)):
        both = replace(first, readings=[("a", first), ("b", second)])
        assert judged(both, "10-0-0", "sampled", n=10).verdict == "within sampling error"

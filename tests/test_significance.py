"""Tests of samples, each by its definition; what they accept, by trying."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib.evidence import significance
from ttt_lib.evidence.answers import Chance, Chances, Count, Counts, Distribution, Repeats, Runs


def two_sided(distribution: dict[Any, float], outcome: Any) -> float:
    """The chance of all outcomes that are no likelier than this one."""
    return min(
        sum(p for p in distribution.values() if p <= distribution[outcome] * (1 + 1e-7)), 1.0
    )


def p_of(ours: object, published: Any, n: int | None = None) -> float:
    return significance.test(ours, published, n).p_value


# ---------------------------------------------------------------------------- finite distributions


@pytest.mark.parametrize("count", [0, 40, 50, 65, 70, 100])
def test_a_count_under_an_exact_chance(count: int) -> None:
    distribution = {k: math.comb(100, k) * 0.3**k * 0.7 ** (100 - k) for k in range(101)}
    assert p_of(Chance(Fraction(3, 10)), count, 100) == pytest.approx(
        two_sided(distribution, count)
    )


def multinomial(counts: tuple[int, ...], chances: tuple[float, ...]) -> float:
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return ways * math.prod(p**k for p, k in zip(chances, counts, strict=True))


def matches(n: int) -> list[tuple[int, int, int]]:
    return [(w, d, n - w - d) for w in range(n + 1) for d in range(n + 1 - w)]


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 9), st.integers(0, 9), st.data())
def test_a_match_under_exact_chances(n: int, w: int, d: int, k: int, data: Any) -> None:
    total = w + d + k
    distribution = {m: multinomial(m, (w / total, d / total, k / total)) for m in matches(n)}
    played = data.draw(st.sampled_from(matches(n)))
    ours = Chances([Fraction(c, total) for c in (w, d, k)])
    found = significance.test(ours, "{}-{}-{}".format(*played), n)
    assert found.p_value == pytest.approx(two_sided(distribution, played), abs=1e-12)
    passing = [m for m in distribution if two_sided(distribution, m) >= 0.01]
    accepted = found.accepts(0.01)
    variances = [c * (total - c) for c in (w, d, k)]
    place = variances.index(max(variances))
    assert accepted[:2] == (min(m[place] for m in passing), max(m[place] for m in passing))
    numbers = accepted[1] - accepted[0] + 1
    assert accepted.share == pytest.approx(max(len(passing) / len(distribution), numbers / (n + 1)))


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_a_match_with_alternating_sides_has_as_many_games_on_either(n: int) -> None:
    as_x, as_o = [(0.9, 0.1, 0.0), (0.6, 0.1, 0.3)], [(0.5, 0.2, 0.3), (0.2, 0.7, 0.1)]
    distribution = dict.fromkeys(matches(n), 0.0)
    for x, o in zip(as_x, as_o, strict=True):
        for first in matches(n - n // 2):
            for second in matches(n // 2):
                chance = multinomial(first, x) * multinomial(second, o) / len(as_x)
                together = first[0] + second[0], first[1] + second[1], first[2] + second[2]
                distribution[together] += chance
    for played in matches(n):
        found = significance.test(Chances(as_x, as_o=as_o), "{}-{}-{}".format(*played), n)
        assert found.p_value == pytest.approx(two_sided(distribution, played), abs=1e-12)


def test_alternating_sides_win_one_game_in_two_where_the_first_always_wins() -> None:
    ours = Chances((1, 0, 0), as_o=(0, 0, 1))
    assert p_of(ours, "5-0-5", 10) == 1
    assert p_of(ours, "6-0-4", 10) == 0
    assert p_of(ours, "2-0-1", 3) == 1
    assert p_of(Chances((Fraction(1, 2), 0, Fraction(1, 2))), "6-0-4", 10) > 0.5


def test_a_match_that_any_number_of_wins_passes_accepts_everything() -> None:
    """Losses hardly ever occur, so hardly any of all results passes; every number of wins does."""
    ours = Chances([Fraction(499, 1000), Fraction(499, 1000), Fraction(2, 1000)])
    assert significance.test(ours, "3-7-0", 10).accepts(0.0001).share == 1
    assert significance.test(ours, "300-700-0", 1000).accepts(0.01).share < 0.2


def polya(counts: tuple[int, ...], weights: tuple[float, ...]) -> float:
    """Dirichlet-multinomial chance, drawn game by game from an urn that grows."""
    ways = math.factorial(sum(counts)) / math.prod(math.factorial(c) for c in counts)
    rising = math.prod(w + i for w, c in zip(weights, counts, strict=True) for i in range(c))
    return ways * rising / math.prod(sum(weights) + i for i in range(sum(counts)))


def test_a_count_beside_our_own_count() -> None:
    distribution = {k: polya((k, 10 - k), (1.5, 5.5)) for k in range(11)}
    assert sum(distribution.values()) == pytest.approx(1)
    assert p_of(Count(1, 6), 8, 10) == pytest.approx(two_sided(distribution, 8))
    assert significance.test(Count(1, 6), 8, 10).ours == pytest.approx(1 / 6)


@pytest.mark.parametrize("ours", [0, 6])
def test_all_or_none_of_our_own_games_is_a_count(ours: int) -> None:
    assert significance.test(Count(ours, 6), 5, 10).ours == ours / 6
    with pytest.raises(ValueError, match="no count out of"):
        significance.test(Count(ours + (1 if ours else -1), 6), 5, 10)


def test_many_games_of_ours_are_as_good_as_the_exact_chance() -> None:
    exact, counted = p_of(Chance(0.3), 40, 100), p_of(Count(3 * 10**8, 10**9), 40, 100)
    assert counted == pytest.approx(exact, rel=1e-4)


def test_matches_beside_ours_are_shown_and_not_tested() -> None:
    bare = significance.test(Counts([(3, 1, 0)]), "4-4-0", 8)
    both = significance.test(
        Counts([(3, 1, 0)], against="against one", beside=("another", [(0, 1, 0), (0, 0, 1)])),
        "4-4-0",
        8,
    )
    assert bare.ours == "win 0.75, draw 0.25, loss 0"
    assert both.ours == f"against one: {bare.ours}; another: win 0, draw 0.5, loss 0.5"
    assert (both.p_value, both.interval) == (bare.p_value, bare.interval)


def test_trainings_that_differ_widen_the_distribution() -> None:
    """The distribution is the mean of those of the trainings, each a priori near to all of them."""
    groups = [(60, 40, 0), (90, 10, 0)]
    pooled = np.array([150.5, 50.5, 0.5])
    prior = pooled / pooled.sum() * 1.5
    distribution = {
        m: sum(polya(m, tuple(np.array(group) + prior)) for group in groups) / 2 for m in matches(8)
    }
    found = significance.test(Counts(groups), "4-4-0", 8)
    assert found.p_value == pytest.approx(two_sided(distribution, (4, 4, 0)))
    assert found.ours == "win 0.75, draw 0.25, loss 0"
    alike = significance.test(Counts([(75, 25, 0)] * 2), "4-4-0", 8)
    assert alike.p_value < found.p_value


def test_a_large_match_is_listed_near_its_mean_only() -> None:
    """The listed part of the distribution misses nothing that a float can hold."""
    distribution = significance.sample_distribution(5000, np.array([[0.2, 0.5, 0.3]]))
    assert distribution.chances.sum() == pytest.approx(1, abs=1e-10)
    assert len(distribution.chances) < distribution.possible / 4
    assert distribution.possible == math.comb(5002, 2)
    assert p_of(Chances((0.2, 0.5, 0.3)), "5000-0-0", 5000) == 0


def test_a_whole_number_under_its_law() -> None:
    found = significance.test(Distribution(range(4), [0.0005, 0.3, 0.6, 0.0995]), 1, None)
    assert found.p_value == pytest.approx(0.4)
    assert found.ours == pytest.approx(0.3 + 1.2 + 0.2985)
    assert found.interval == [1, 3]
    assert found.accepts(0.01) == (1, 3, 0.75)
    assert p_of(Distribution(range(4), [0.0005, 0.3, 0.6, 0.0995]), 7) == 0


@pytest.mark.parametrize(("factor", "p_value"), [(1 + 5e-8, 0.4), (1 + 5e-7, 0.2)])
def test_chances_are_equally_likely_to_seven_digits(factor: float, p_value: float) -> None:
    chances = [0.2, 0.2 * factor, 0.8 - 0.2 * factor]
    assert p_of(Distribution(range(3), chances), 0) == pytest.approx(p_value, rel=1e-5)


def test_a_law_of_thousandths_is_told_in_the_published_unit() -> None:
    distribution = Distribution(range(1, 5), [0.0005, 0.3, 0.6, 0.0995], step=Fraction(1, 1000))
    found = significance.test(distribution, "0.002", None)
    assert found.p_value == pytest.approx(0.4)
    assert found.ours == pytest.approx(0.0027985)
    assert found.interval == [0.002, 0.004]
    assert found.accepts(0.01) == (0.002, 0.004, 0.75)
    with pytest.raises(ValueError, match="whole number"):
        significance.test(distribution, "0.0025", None)


@pytest.mark.parametrize(("none", "most"), [(0.6, 0.001), (0.9995, 0.0)])
def test_a_count_of_zero_is_tested_too(none: float, most: float) -> None:
    law = Distribution(range(2), [none, 1 - none], step=Fraction(1, 1000))
    assert significance.test(law, "0.000", None).accepts(0.01)[:2] == (0.0, most)


# ---------------------------------------------------------------------------- draws


def test_a_value_among_our_draws() -> None:
    """Ends of the 95% t prediction interval for 3 draws, by hand: t(2, .975) = 4.302653."""
    found = significance.test(Repeats([1.0, 2.0, 3.0]), "2.5", None)
    reach = 4.30265272991 * math.sqrt(4 / 3)
    assert found.interval == pytest.approx([2 - reach, 2 + reach])
    assert found.accepts(0.05)[:2] == pytest.approx((2 - reach, 2 + reach))
    assert found.ours == 2.0
    assert p_of(Repeats([1.0, 2.0, 3.0]), str(2 + reach)) == pytest.approx(0.05)


@pytest.mark.parametrize(("scale", "low", "high"), [("logit", 0, 1), ("fisher", -1, 1)])
def test_intervals_stay_inside_the_scale(scale: str, low: float, high: float) -> None:
    found = significance.test(Repeats([0.9, 0.99, 0.95, 1.0], scale), "0.97", None)
    assert low < found.interval[0] < 0.97 < found.interval[1] <= high
    accepted = found.accepts(0.01)
    assert accepted.low is not None
    assert accepted.high is not None
    assert accepted.share == pytest.approx((accepted.high - accepted.low) / (high - low))


def test_draws_without_a_limit_or_a_spread_can_tell() -> None:
    """So that no row is undecided for want of a scale that ends."""
    assert significance.test(Repeats([1.0, 2.0, 3.0]), "2.5", None).accepts(0.01).share == 0
    assert significance.test(Repeats([2 / 3] * 5), "0.667", None).accepts(0.01) == (2 / 3, 2 / 3, 0)


def test_draws_that_never_vary() -> None:
    assert p_of(Repeats([2 / 3] * 5), "0.667") == 1
    assert p_of(Repeats([2 / 3] * 5), "0.666") == 0


@pytest.mark.parametrize("level", [0.01, 0.05, 0.1, 0.5])
@pytest.mark.parametrize(
    "ours",
    [
        Repeats([0.2, 0.3, 0.35, 0.5], "logit"),
        Chance(0.3),
        Count(30, 100),
        Distribution(range(21), [math.comb(20, k) / 2**20 for k in range(21)]),
    ],
)
def test_accepted_is_what_is_not_rejected(ours: object, level: float) -> None:
    """Tried out value by value."""
    n = 20 if isinstance(ours, Chance | Count) else None
    wide = isinstance(ours, Repeats) and ours.scale == "logit"
    grid = np.linspace(0.01, 0.99, 99) if wide else np.arange(21)
    passing = [v for v in grid if p_of(ours, v, n) >= level]
    low, high, _ = significance.test(ours, grid[4], n).accepts(level)
    assert high is not None
    assert passing == [v for v in grid if low <= v <= high]


# ---------------------------------------------------------------------------- joint tests


def runs(ranks: bool = True, seeds: int = 40) -> Runs:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(seeds, 3)) / 4
    return Runs(values.tolist(), ("fisher", "fisher", "linear"), [(-1, 1)] * 3, ranks)


def some_runs(values: list[float], scale: str = "linear") -> Runs:
    """Runs of a single number."""
    return Runs([[value] for value in values], (scale,), [(0, 10)])


def test_the_distance_of_a_run_is_that_from_all_others() -> None:
    values = np.array(runs().values)
    for run in range(3):
        others = np.delete(values, run, axis=0)
        z = (values[run] - others.mean(axis=0)) / others.std(axis=0, ddof=1) / math.sqrt(1 + 1 / 39)
        found = significance.left_out(values)[run]
        assert found == pytest.approx(math.sqrt((z**2).mean()))


def test_a_distance_among_three_others() -> None:
    """Its equals count among the larger ones; at one half the largest of four passes, no other."""
    limit, p_value = significance._by_rank(np.array([1.0, 2.0, 3.0]), 2.0)
    assert p_value == 3 / 4
    assert [limit(level) for level in (0.25, 0.26, 0.5, 0.51)] == [math.inf, 3.0, 3.0, 2.0]


def test_a_run_by_its_rank() -> None:
    found = significance.test(runs(), "0.9 -0.9 0.9", None)
    assert found.p_value == pytest.approx(1 / 41)
    assert found.note.endswith(" from ours, the farthest of 41.")
    assert found.accepts(0.01) == (0, None, 1)
    accepted = found.accepts(0.05)
    assert accepted.high is not None
    assert accepted.high == pytest.approx(np.sort(significance.left_out(scaled()))[-2])
    assert accepted.share == pytest.approx(np.mean(share_of_each(accepted.high)), abs=0.002)


@pytest.mark.parametrize(
    ("rank", "place"),
    [(1, "nearest"), (2, "2nd nearest"), (3, "3rd nearest"), (4, "4th nearest"),
     (11, "11th nearest"), (12, "12th nearest"), (13, "13th nearest"), (21, "21st nearest"),
     (92, "92nd nearest"), (111, "111th nearest"), (113, "113th nearest"), (123, "123rd nearest"),
     (130, "130th nearest"), (500, "500th nearest"), (501, "farthest")],
)  # fmt: skip
def test_a_place_counts_from_the_nearest(rank: int, place: str) -> None:
    assert significance._place(rank, 501) == f"{place} of 501"


def share_of_each(limit: float) -> list[float]:
    """What part of -1 to 1 each number of the run 0.9, -0.9, 0.9 could have been alone."""
    columns = scaled()
    centre, spread = columns.mean(axis=0), columns.std(axis=0, ddof=1) * math.sqrt(1 + 1 / 40)
    run = [math.atanh(0.9), -math.atanh(0.9), 0.9]
    z = [(x - c) / s for x, c, s in zip(run, centre, spread, strict=True)]
    shares = []
    for place in range(3):
        left = 3 * limit**2 - sum(z[k] ** 2 for k in range(3) if k != place)
        ends = [centre[place] + sign * spread[place] * math.sqrt(max(left, 0)) for sign in (-1, 1)]
        low, high = ends if place == 2 else map(math.tanh, ends)
        shares.append((min(high, 1) - max(low, -1)) / 2)
    return shares


def test_a_number_of_a_run_is_tried_at_every_thousandth_of_its_range() -> None:
    """Those from 0 to 10 that lie no farther from our mean than what passes."""
    values = np.array([2.0, 2.5, 3.0, 4.0])
    accepted = significance.test(some_runs(values.tolist()), "2", None).accepts(0.5)
    assert accepted.high is not None
    reach = accepted.high * values.std(ddof=1) * math.sqrt(1 + 1 / 4)
    passing = [k for k in range(1001) if abs(k / 100 - values.mean()) <= reach]
    assert 0 < len(passing) < 1001
    assert accepted.share == pytest.approx(len(passing) / 1001, abs=1e-12)


def test_a_run_of_which_each_number_could_be_anything_is_no_evidence() -> None:
    values = np.random.default_rng(2).uniform(-1, 1, size=(40, 30))
    ours = Runs(values.tolist(), ("linear",) * 30, [(-1, 1)] * 30, ranks=False)
    assert significance.test(ours, " ".join(["0.1"] * 30), None).accepts(0.01).share > 0.9


def scaled() -> Any:
    values = np.array(runs().values)
    values[:, :2] = np.arctanh(values[:, :2])
    return values


def test_a_run_by_its_logarithm() -> None:
    near, far = (significance.test(runs(False), text, None) for text in ("0 0 0", "0.9 -0.9 0.9"))
    assert far.p_value < 0.01 < near.p_value
    logs = np.log(significance.left_out(scaled()))
    level = 0.01
    limit = far.accepts(level).high
    assert limit is not None
    from scipy.stats import t

    z = (math.log(limit) - logs.mean()) / logs.std(ddof=1) / math.sqrt(1 + 1 / 40)
    assert t(39).sf(z) == pytest.approx(level)


def test_size_of_the_joint_tests() -> None:
    """Of runs that are like ours, five in a hundred are rejected at .05, up to chance."""
    values = np.random.default_rng(1).normal(size=(1000, 3)) / 4
    for ranks in (True, False):
        ours = Runs(values[:99].tolist(), ("linear",) * 3, [(-2, 2)] * 3, ranks)
        p_values = [p_of(ours, " ".join(map(str, row))) for row in values[99:]]
        assert 0.02 < np.mean([p <= 0.05 for p in p_values]) < 0.09


# ---------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("ours", "published", "n", "message"),
    [
        (Chance(0.5), 10, None, "needs its n"),
        (Chance(0.5), 0.58, 100, "whole number"),
        (Chance(0.5), 101, 100, "no count out of 100"),
        (Chance(0.5), -1, 100, "no count out of 100"),
        (Chance(1.5), 10, 100, "between 0 and 1"),
        (Count(5, 4), 10, 100, "5 is no count out of 4"),
        (Chances((0.5, 0.5, 0.5)), "1-1-1", 3, "add up to 1"),
        (Chances((0.5, 0.5, 0), as_o=(0.5, 0.5, 0.5)), "1-1-1", 3, "add up to 1"),
        (Chances((1, 0, 0), as_o=[(1, 0, 0), (1, 0, 0)]), "1-1-1", 3, "on both sides"),
        (Chances((0.5, 0.5, 0)), "1-1-1", 4, "no count out of 4"),
        (Chances((0.5, 0.5, 0)), "1-1-3", 4, "no count out of 4"),
        (Chances((0.5, 0.5, 0)), "1-2", 3, "no count out of 3"),
        (Counts([(1, 2, 3), (1, 2, 4)]), "1-1-1", 3, "equally many"),
        (Repeats([1.0]), "1.0", None, "at least two finite"),
        (Repeats([]), "1.0", None, "at least two finite"),
        (Repeats([1.0, math.nan]), "1.0", None, "at least two finite"),
        (Repeats([1.0, 2.0], "log"), "1.0", None, "'log': linear, logit, fisher"),
        (Distribution([0, 1], [0.5, 0.5]), 0.5, None, "whole number"),
        (runs(), "0.1 0.2", None, "2 numbers are published, runs have 3"),
        (runs(seeds=2), "0.1 0.2 0.3", None, "at least three"),
        (runs(seeds=0), "0.1 0.2 0.3", None, "at least three"),
        (some_runs([1, 2, math.nan, 4]), "1", None, "finite and not all alike"),
        (some_runs([5, 5, 5, 5]), "5", None, "finite and not all alike"),
        (some_runs([1, 2, 3, 4], "rank"), "1", None, "'rank': linear, logit, fisher$"),
    ],
)
def test_what_cannot_be_tested(ours: Any, published: Any, n: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        significance.test(ours, published, n)


def test_only_samples_are_tested() -> None:
    with pytest.raises(TypeError, match="nothing to test: str"):
        significance.test("ours", 1, None)


@pytest.mark.parametrize("total", [1.0, 0.3, 40.0])
def test_the_interval_of_a_law_that_adds_up_to_anything(total: float) -> None:
    """Each value up to the first that holds 2.5 per cent of all, and 97.5 per cent."""
    values = np.array([7, 1, 3, 7, 9])
    chances = total * np.array([0.50, 0.02, 0.02, 0.45, 0.01])
    law = significance.FiniteDistribution(values[:, None], chances, len(values))
    assert significance.tested(law, [7], 7.0).interval == [3.0, 7.0]

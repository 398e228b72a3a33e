"""The numbers of the page on how verdicts are found, computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from result_words.tools import word
from scipy.stats import binom

from ttt_lib.evidence import claims, significance
from ttt_lib.evidence.answers import Chance, Count, Repeats
from ttt_lib.evidence.store import read_table
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.spectral import claims as spectral_claims
from ttt_lib.spectral import claims_games

PAGE = " ".join(
    (Path(__file__).parents[1] / "notebooks/book/verdicts.md").read_text(encoding="utf-8").split()
)

LEVEL, TESTS = claims.SIGNIFICANCE, 10
"""The level of one test, and the number of tests for which the page gives the least level, too."""

FOUND = 0.8
"""How often a difference is to be found."""

PUBLISHED = 25
"""Games of the published matches whose tests are sized."""


def short(number: float) -> str:
    """A number below one without its nought."""
    return f"{number:g}".removeprefix("0")


def rejected(ours: object, games: int, chance: float, level: float = LEVEL) -> float:
    """How often a sample with this chance is rejected beside ours."""
    low, high, _ = significance.test(ours, 0, games).accepts(level)
    assert low is not None
    assert high is not None
    return float(1 - binom.cdf(high, games, chance) + binom.cdf(low - 1, games, chance))


def found_from(games: int, level: float) -> str:
    """The least chance, in hundredths, that is told from one half often enough."""
    for chance in range(50, 101):
        if rejected(Chance(0.5), games, chance / 100, level) >= FOUND:
            return f"{chance / 100:.2f}"
    return "none"


@pytest.mark.parametrize("games", [10, 30, 100, 1000])
def test_differences_that_games_can_show(games: int) -> None:
    assert f"| {games} | {found_from(games, LEVEL)} | {found_from(games, LEVEL / TESTS)} |" in PAGE


def test_what_the_table_of_differences_holds() -> None:
    head = f"the same at {short(LEVEL / TESTS)} (one of {word(TESTS)} tests)"
    assert f"| games | other probability | {head} |" in PAGE
    single = f"in a single test at {short(LEVEL)}, a difference is found with a probability of at"
    assert f"{single} least {100 * FOUND:g}% if the other probability is at least" in PAGE


def test_size_under_exact_chances() -> None:
    few, some, many = sizes = [rejected(Chance(0.5), games, 0.5) for games in (10, 100, 1000)]
    assert max(sizes) <= LEVEL
    exact = f"is at most {short(LEVEL)} by construction where our distribution is exact"
    found = f"({few:.4f} for 10 games at one half, {some:.4f} for 100, {many:.4f} for 1000, because"
    assert f"{exact} {found} counts are discrete)" in PAGE


def test_size_after_our_own_games() -> None:
    chances, few, many = (0.05, 0.73), 100, 2000
    sizes = [size_after(played, chance) for played in (few, many) for chance in chances]
    assert max(sizes) <= LEVEL
    one, other, later, last = (f"{size:.4f}" for size in sizes)
    low, high = map(short, chances)
    assert (
        f"for {PUBLISHED} published games after {few} of ours it is {one} at a probability of "
        f"{low} and {other} at {high}; after {many} of ours {later} and {last}."
    ) in PAGE


def size_after(played: int, chance: float) -> float:
    """How often published games with our own chance are rejected, after so many games of ours."""
    middle, reach = played * chance, 6 * (played * chance * (1 - chance)) ** 0.5
    counts = np.arange(max(0, int(middle - reach)), min(played, int(middle + reach)) + 1)
    return sum(
        float(binom.pmf(count, played, chance))
        * rejected(Count(int(count), played), PUBLISHED, chance)
        for count in counts
    )


def test_no_seed_of_ours_is_rejected_beside_the_others() -> None:
    table = read_table("playout_mlp_seeds.csv")
    accuracies, late = (table[column].to_list() for column in ("accuracy", "late_accuracy"))
    shares = list(spectral_claims.cross_validated().values)
    assert not any(map(rejected_seeds, (accuracies, late, shares)))
    assert (
        f"none of {len(accuracies)} accuracies, of {len(late)} late accuracies and of "
        f"{len(shares)} cross-validations is rejected."
    ) in PAGE


def rejected_seeds(values: list[float]) -> list[int]:
    """Places of the seeds that the others reject."""
    rest = [values[:place] + values[place + 1 :] for place in range(len(values))]
    p_values = [
        significance.test(Repeats(others, "logit"), value, None).p_value
        for others, value in zip(rest, values, strict=True)
    ]
    return [place for place, p_value in enumerate(p_values) if p_value < LEVEL]


def test_size_over_trainings() -> None:
    """Each training's matches beside the other trainings, all results listed."""
    standard, symmetric = map(matches, ("no", "yes"))
    [runs] = {len(standard), len(symmetric)}
    sizes = [
        100 * np.mean([_left_out(groups, place) for place in range(runs)])
        for groups in (standard, symmetric)
    ]
    assert f"The distribution over training runs rests on {runs} of them and contains no" in PAGE
    assert (
        f"with {PUBLISHED} games of each of our runs in place of the published ones, "
        f"{sizes[0]:.1f}% of the matches with standard features and {sizes[1]:.1f}% of those "
        f"with symmetric ones would be rejected at {short(LEVEL)}."
    ) in PAGE
    rejected = {row["kind"] for row in claims.load_results() if row["verdict"] == "differs"}
    assert ("no sampled row of any document is rejected" in PAGE) == ("sampled" not in rejected)


def matches(symmetric: str) -> np.ndarray:
    """Wins, draws and losses against random play of each training."""
    player = f"spectral:symmetric={symmetric},safety=yes"
    return np.array(claims_games.against_random(player).groups, dtype=float)


def _left_out(groups: np.ndarray, place: int) -> float:
    distribution = significance.predictive(PUBLISHED, np.delete(groups, place, axis=0))
    shares = groups[place] / groups[place].sum()
    own = significance.sample_distribution(PUBLISHED, shares[None])
    order = np.argsort(distribution.chances, kind="stable")
    sums = np.concatenate([[0.0], distribution.chances[order].cumsum()])
    ends = np.searchsorted(
        distribution.chances[order], distribution.chances * significance.TIE, side="right"
    )
    chances = {
        tuple(result): chance for result, chance in zip(own.outcomes, own.chances, strict=True)
    }
    out = distribution.outcomes[sums[ends] < LEVEL]
    return float(sum(chances.get(tuple(result), 0.0) for result in out))


def test_words_of_the_page() -> None:
    assert claims.SIGNIFICANCE == 0.01
    for verdict in VERDICTS:
        assert f"| {verdict} |" in PAGE
    seeds = next(n for n in range(1, 300) if 1 / (n + 1) < LEVEL)
    single = f"single test at {short(LEVEL)} that takes {seeds} seeds, and more"
    assert single in PAGE
    rows = claims.load()
    sentences = sum(row.kind == "statement" for row in rows)
    assert "More than half of the rows are sentences" in PAGE
    assert 0.5 < sentences / len(rows) < 0.6
    accepted = f"a test at {short(LEVEL)} must accept values that hold {100 * (1 - LEVEL):g}% of"
    assert f"{accepted} the distribution" in PAGE


def test_what_makes_a_row_undecided() -> None:
    share = {0.25: "a quarter", 0.5: "half", 0.75: "three quarters"}[claims.BLUNT]
    for words in (
        f"the test is too insensitive to tell: more than {share} of the possible values would have",
        f"A row is *undecided* if more than {share} of the possible values would have passed.",
        f"*undecided*, too, if more than {share} of all numbers of the result that varies most",
        f"the row is *undecided* if this fraction is more than {share} on average.",
        f"even the smallest such set is more than {share} of all values, the row says so.",
        f"The level {short(LEVEL)} and the {share} that makes a row undecided are conventions",
    ):
        assert PAGE.count(words) == 1


def test_many_numbers_of_one_run() -> None:
    said = str(claims.declared("mlp-opinions").published).split()
    points = [name for name in read_table("ntuple_curves.csv") if name.startswith("epoch_")]
    printed = f"{len(said)} chances and utilities that one network printed"
    numbers = f"{printed}, {len(points)} points of one curve"
    assert f"**Many numbers of one run** ({numbers}) get one joint test." in PAGE

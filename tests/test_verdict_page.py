"""The numbers of the page on how verdicts are found, computed anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from ttt_lib.evidence import claims, sampling
from ttt_lib.evidence.claims import Chance, Count, Repeats
from ttt_lib.evidence.store import read_table
from ttt_lib.spectral import claims as spectral_claims
from ttt_lib.spectral import claims_games

PAGE = " ".join(
    (Path(__file__).parents[1] / "notebooks/book/verdicts.md").read_text(encoding="utf-8").split()
)


def rejected(ours: object, games: int, chance: float, level: float = 0.01) -> float:
    """How often a sample with this chance is rejected beside ours."""
    low, high, _ = sampling.test(ours, 0, games).accepts(level)
    assert low is not None
    assert high is not None
    return float(1 - binom.cdf(high, games, chance) + binom.cdf(low - 1, games, chance))


def found_from(games: int, level: float) -> str:
    """The least chance, in hundredths, that is told from one half in 80 of 100 cases."""
    for chance in range(50, 101):
        if rejected(Chance(0.5), games, chance / 100, level) >= 0.8:
            return f"{chance / 100:.2f}"
    return "none"


@pytest.mark.parametrize("games", [10, 30, 100, 1000])
def test_differences_that_games_can_show(games: int) -> None:
    assert f"| {games} | {found_from(games, 0.01)} | {found_from(games, 0.001)} |" in PAGE


@pytest.mark.parametrize("games", [10, 100, 1000])
def test_size_under_exact_chances(games: int) -> None:
    size = rejected(Chance(0.5), games, 0.5)
    assert size <= 0.01
    assert f"{size:.4f}" in PAGE


@pytest.mark.parametrize("played", [100, 2000])
@pytest.mark.parametrize("chance", [0.05, 0.73])
def test_size_after_our_own_games(played: int, chance: float) -> None:
    middle, reach = played * chance, 6 * (played * chance * (1 - chance)) ** 0.5
    counts = np.arange(max(0, int(middle - reach)), min(played, int(middle + reach)) + 1)
    size = sum(
        binom.pmf(count, played, chance) * rejected(Count(int(count), played), 25, chance)
        for count in counts
    )
    assert size <= 0.01
    assert f"{size:.4f}" in PAGE


@pytest.mark.parametrize("column", ["accuracy", "late_accuracy"])
def test_no_seed_of_ours_is_rejected_beside_the_others(column: str) -> None:
    assert not rejected_seeds(read_table("playout_mlp_seeds.csv")[column].to_list())
    assert "none of 40 accuracies, of 40 late accuracies and of 20 cross-validations" in PAGE


def test_no_cross_validation_of_ours_is_rejected_beside_the_others() -> None:
    shares = spectral_claims.cross_validated().values
    assert len(shares) == 20
    assert not rejected_seeds(list(shares))


def rejected_seeds(values: list[float]) -> list[int]:
    """Places of the seeds that the others reject at .01."""
    rest = [values[:place] + values[place + 1 :] for place in range(len(values))]
    p_values = [
        sampling.test(Repeats(others, "logit"), value, None).p_value
        for others, value in zip(rest, values, strict=True)
    ]
    return [place for place, p_value in enumerate(p_values) if p_value < 0.01]


@pytest.mark.parametrize("symmetric", ["no", "yes"])
def test_size_over_trainings(symmetric: str) -> None:
    """Each training's matches beside the other trainings, all results listed."""
    player = f"spectral:symmetric={symmetric},safety=yes"
    groups = np.array(claims_games.against_random(player).groups, dtype=float)
    size = np.mean([_left_out(groups, place) for place in range(len(groups))])
    assert len(groups) == 20
    assert f"{100 * size:.1f} %" in PAGE


def _left_out(groups: np.ndarray, place: int) -> float:
    law = sampling.predictive(25, np.delete(groups, place, axis=0))
    shares = groups[place] / groups[place].sum()
    own = sampling.sample_law(25, shares[None])
    order = np.argsort(law.chances, kind="stable")
    sums = np.concatenate([[0.0], law.chances[order].cumsum()])
    ends = np.searchsorted(law.chances[order], law.chances * sampling.TIE, side="right")
    chances = {
        tuple(result): chance for result, chance in zip(own.outcomes, own.chances, strict=True)
    }
    out = law.outcomes[sums[ends] < 0.01]
    return float(sum(chances.get(tuple(result), 0.0) for result in out))


def test_words_of_the_page() -> None:
    assert claims.SIGNIFICANCE == 0.01
    assert claims.BLUNT == 0.5
    assert claims.FACTOR == 3
    for verdict in claims.VERDICTS:
        assert f"| {verdict} |" in PAGE
    seeds = next(n for n in range(1, 300) if 2 / (n + 1) < 0.01)
    distances = next(n for n in range(1, 300) if 1 / (n + 1) < 0.01)
    assert f"{seeds} seeds ({distances})" in PAGE
    rows = claims.load()
    sentences = sum(row.kind == "statement" for row in rows)
    assert "More than half of the rows are sentences" in PAGE
    assert 0.5 < sentences / len(rows) < 0.6

"""What answers a claim of document 2 about matches, on other data than the stored."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace as Some

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ttt_lib.game.exact import Outcome
from ttt_lib.game.policy import Agent, random_agent
from ttt_lib.spectral import claims_games as claims
from ttt_lib.spectral.policy import Model, trained

Patch = pytest.MonkeyPatch
Key = tuple[str, str, str, str]


def outcome(win: float, loss: float) -> Outcome:
    """A match won and lost so often, of ten games."""
    return Outcome(Fraction(win) / 10, Fraction(10 - win - loss) / 10, Fraction(loss) / 10)


def records(monkeypatch: Patch, found: Callable[[Key], Outcome]) -> None:
    """Records by symmetry, safety rule, side and opponent."""

    def record(symmetric: str = "no", careful: str = "yes") -> Some:
        return Some(
            matches={
                (side, other): found((symmetric, careful, side, other))
                for side in "xo"
                for other in ("random", "minimax")
            }
        )

    monkeypatch.setattr(claims, "exact_record", record)


@pytest.mark.parametrize(("win", "holds"), [(6, True), (5, False), (4, False)])
@pytest.mark.parametrize(("rule", "side"), [("yes", "x"), ("yes", "o"), ("no", "x"), ("no", "o")])
def test_to_beat_is_to_win_more_on_both_sides_by_either_rule(
    monkeypatch: Patch, win: int, holds: bool, rule: str, side: str
) -> None:
    records(monkeypatch, lambda key: outcome(win if key[1:3] == (rule, side) else 9, 10 - win))
    assert claims.beats_random().holds is holds


def test_another_player_would_not_be_the_trained_one(monkeypatch: Patch) -> None:
    models: list[Model] = []

    def other(model: Model) -> Agent:
        models.append(model)
        return random_agent(claims.GRID)

    monkeypatch.setattr(claims, "player", other)
    assert not claims.trained_without_rules().holds
    [model] = models
    np.testing.assert_allclose(model.weights, trained(claims.GRID).weights, atol=1e-9)


@pytest.mark.parametrize(
    ("plain", "symmetric", "holds"),
    [(5, 6.2, True), (6.2, 5, True), (5, 6.4, False), (6.4, 5, False)],
)
def test_little_is_within_a_standard_error(
    monkeypatch: Patch, plain: float, symmetric: float, holds: bool
) -> None:
    wins = {"no": plain, "yes": symmetric}
    records(monkeypatch, lambda key: outcome(wins[key[0]], 0))
    assert claims.symmetry_changes_little().holds is holds


@pytest.mark.parametrize(("without", "holds"), [(6, True), (5, False), (4, False)])
def test_one_gain_without_the_rule_is_enough(monkeypatch: Patch, without: int, holds: bool) -> None:
    records(
        monkeypatch,
        lambda key: outcome(5 if key[1] == "yes" else without if key[0] == "no" else 3, 0),
    )
    assert claims.safety_costs_wins().holds is holds


@pytest.mark.parametrize(
    ("draws", "losses", "holds"),
    [(3, 3, True), (2, 3, False), (1, 3, False), (3, 4, False), (3, 5, False)],
)
@pytest.mark.parametrize("opponent", ["random", "minimax"])
def test_a_rule_must_bring_draws_and_spare_losses_against_both(
    monkeypatch: Patch, draws: int, losses: int, holds: bool, opponent: str
) -> None:
    """Without the rule 2 of 10 games are drawn and 4 lost."""

    def found(key: Key) -> Outcome:
        drawn, lost = (
            (2, 4) if key[1] == "no" else (draws, losses) if key[3] == opponent else (9, 0)
        )
        return outcome(10 - drawn - lost, lost)

    records(monkeypatch, found)
    assert claims.safety_draws().holds is holds


# ---------------------------------------------------------------------------- larger boards


def test_matches_are_those_on_4x4(monkeypatch: Patch) -> None:
    rows = pd.DataFrame({"player": "a", "opponent": "b", "board": ["3x3", "4x4", "5x5"]})
    monkeypatch.setattr(claims, "table", lambda name: rows)
    assert claims.matches("a", "b")["board"].tolist() == ["4x4"]


@pytest.mark.parametrize(
    ("wins", "holds"),
    [([6, 10, 5, 5], True), ([5, 10, 5, 5], False), ([5, 5, 5, 10], False), ([5, 10, 0, 9], False)],
)
def test_modes_differ_if_one_pair_does(wins: list[int], holds: bool) -> None:
    assert claims.modes_alike(wins, [10, 10]).holds is holds


def test_every_pair_of_wins_has_its_games() -> None:
    with pytest.raises(ValueError, match="zip"):
        claims.modes_alike([5, 5, 5, 5], [10])


@pytest.mark.parametrize(("points", "holds"), [(26, True), (25, False), (24, False)])
def test_competitive_is_nearer_to_even_than_to_random_play(
    monkeypatch: Patch, points: int, holds: bool
) -> None:
    """Random play scores nothing; other players would come out the other way."""

    def scored(points: int) -> pd.DataFrame:
        return pd.DataFrame({"win": [points - 10], "draw": 20, "loss": 90 - points, "games": 100})

    def matches(player: str, opponent: str) -> pd.DataFrame:
        if player == "uct":
            lost, won = (pd.DataFrame({"loss": [n], "draw": 0, "games": 9}) for n in (0, 9))
            return pd.concat([lost, won])
        return scored(points if player == "spectral:symmetric=no,safety=yes" else 50 - points)

    monkeypatch.setattr(claims, "matches", matches)
    assert claims.competitive_with_search().holds is holds


@pytest.mark.parametrize(
    ("p_values", "holds"),
    [((0.0049, 0.001), True), ((0.001, 0.005), False), ((0.006, 0.001), False)],
)
def test_weights_are_carried_if_they_win_more_on_both_boards(
    monkeypatch: Patch, p_values: tuple[float, float], holds: bool
) -> None:
    found = iter(p_values)
    monkeypatch.setattr(stats, "mannwhitneyu", lambda *_, **__: Some(pvalue=next(found)))
    assert claims.transfers().holds is holds


# ---------------------------------------------------------------------------- search


@pytest.mark.parametrize(
    ("few", "many", "holds"),
    [((0.1, 0.2), (0.3, 0.4), True), ((0.1, 0.3), (0.3, 0.4), None), ((0.3, 0.4), (0.1, 0.3), None),
     ((0.31, 0.4), (0.1, 0.3), False)],
)  # fmt: skip
def test_a_search_is_stronger_or_weaker_if_the_intervals_lie_apart(
    monkeypatch: pytest.MonkeyPatch,
    few: tuple[float, float],
    many: tuple[float, float],
    holds: bool | None,
) -> None:
    ends = {15: few, 150: many}
    monkeypatch.setattr(claims, "kept_search", lambda grid, count: ends[count])
    monkeypatch.setattr(claims, "uct", lambda grid, count: (0.7, 0.9))
    monkeypatch.setattr(
        claims, "match", lambda one, *_, **__: Some(score=sum(one) / 2, score_interval=one)
    )
    found = claims.more_iterations_are_stronger()
    assert found.holds is holds
    assert "a sound one 0.800 and 0.800" in found.found

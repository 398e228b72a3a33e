"""What answers a claim of document 2 about matches, on other data than the stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from types import SimpleNamespace as Some

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ttt_lib.evidence.answers import Finding
from ttt_lib.game.board import parse
from ttt_lib.game.exact import Outcome
from ttt_lib.game.policy import Agent, random_agent
from ttt_lib.spectral import claims_games as claims
from ttt_lib.spectral import claims_replay
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
def test_to_beat_is_to_win_more_on_both_sides_with_the_rule_and_without(
    monkeypatch: Patch, win: int, holds: bool, rule: str, side: str
) -> None:
    """If it does so in one of the two only, the sentence can't be tested."""

    def found(key: Key) -> Outcome:
        return outcome(win if key[1:3] == (rule, side) else 9, 10 - win)

    records(monkeypatch, found)
    monkeypatch.setattr(claims, "_trainings_that_beat_random", lambda careful, *sides: 20)
    decided = holds or None
    assert claims.beats_random().holds is decided
    monkeypatch.setattr(
        claims,
        "greedy_matches",
        lambda careful: [found(("no", careful, side, "")) for side in "xo"],
    )
    greedy = claims.beats_greedy()
    assert greedy.holds is decided
    beaten = not holds and (rule, side) == ("no", "o")
    assert ("hand-crafted rule" in greedy.reason) is beaten
    monkeypatch.setattr(claims, "rule_alone", lambda: outcome(4, 6))
    assert "hand-crafted rule" not in claims.beats_greedy().reason


@pytest.mark.parametrize(
    ("win", "trainings", "told"),
    [(4, 19, "All these readings fail."), (5, 20, "All these readings hold.")],
)
def test_who_wins_more_every_way_beats_random_and_who_loses_more_does_not(
    monkeypatch: Patch, win: int, trainings: int, told: str
) -> None:
    records(monkeypatch, lambda key: outcome(win, 9 - win))
    monkeypatch.setattr(claims, "_trainings_that_beat_random", lambda careful, *sides: trainings)
    found = claims.beats_random()
    assert found.holds is (win > 4)
    assert told in found.reason


@pytest.mark.parametrize(("ruled", "bare"), [(20, 19), (19, 20), (0, 20)])
def test_always_means_every_training_too(monkeypatch: Patch, ruled: int, bare: int) -> None:
    records(monkeypatch, lambda key: outcome(5, 4))
    counts = {"yes": ruled, "no": bare}
    monkeypatch.setattr(
        claims,
        "_trainings_that_beat_random",
        lambda careful, *sides: {("x",): 18, ("xo",): 17}.get(sides, counts[careful]),
    )
    found = claims.beats_random()
    assert found.holds is None
    assert f"so do {ruled} of 20 training runs with the rule and {bare} without" in found.reason
    failing = [f"sampled labels, {how}" for how, count in (("with the rule", ruled),
               ("without the rule", bare)) if count < 20]  # fmt: skip
    assert "Without it 18 win more than they lose as X, the only side" in found.reason
    assert "and 17 over both sides together. 1 of these 4 readings fails" in found.reason
    assert f"fails ({'; '.join(failing)}) and the others hold: they disagree" in found.reason


def test_a_training_beats_random_if_it_wins_more_on_both_sides(monkeypatch: Patch) -> None:
    """Three of four seeds in a row do not, each for another reason; some do on a side or in all."""
    results = [((6, 5), (6, 5)), ((5, 5), (6, 5)), ((6, 5), (4, 5)), ((4, 5), (4, 5))]
    seeds: list[int] = []

    def agent(*_: object, seed: int) -> int:
        seeds.append(seed)
        return seed % 4

    monkeypatch.setattr(claims, "spectral", agent)
    monkeypatch.setattr(claims, "record", lambda seed, others: Some(
        matches={(side, "random"): outcome(*results[seed]["xo".index(side)]) for side in "xo"}
    ))  # fmt: skip
    beat = claims._trainings_that_beat_random.__wrapped__
    assert beat("no", "x", "o") == 5
    assert seeds == list(range(20))
    assert beat("no", "x") == beat("no", "xo") == 10
    assert beat("no", "o") == 10


@pytest.mark.parametrize(
    ("decided", "played", "holds"),
    [(2259, 0.49, True), (2260, 0.49, None), (2261, 0.49, None), (2261, 0.5, None),
     (2259, 0.5, None)],
)  # fmt: skip
def test_who_is_trained_decides_more_moves_than_a_rule(
    monkeypatch: Patch, decided: int, played: float, holds: bool | None
) -> None:
    """States that the rule decides, and the share of moves as O against random play."""
    monkeypatch.setattr(claims, "_forced", lambda boards: np.arange(len(boards)) < decided)
    monkeypatch.setattr(
        claims, "_ruled_moves", lambda *one: played if one == ("o", "random") else 0.25
    )
    found = claims.trained_without_rules()
    assert found.holds is holds
    half = {2259: "less than half", 2260: "half", 2261: "more than half"}[decided]
    told = f"{half}; of the moves in its own games it decides 0.250 as X and "
    assert f"decides in {decided} of 4520 states, {told}" in found.found
    alike = decided < 2260 and played < 0.5
    assert ("the readings disagree" in found.reason) is not alike
    only = "only " * (decided >= 2260)
    moves = "at least half" if played >= 0.5 else "always less than half"
    where = f" {only}as O against random play" * (played >= 0.5)
    told = f"it decides {half} of the states, but {moves} of the moves played{where}."
    assert (told in found.reason) is not alike


def test_moves_that_the_rule_decides_are_counted_as_they_are_played(monkeypatch: Patch) -> None:
    """If it decided all moves, or those of the first two plies, as often as a side makes these."""
    monkeypatch.setattr(claims, "_forced", lambda boards: np.ones(len(boards), bool))
    assert claims._ruled_moves("x", "random") == claims._ruled_moves("o", "minimax") == 1
    monkeypatch.setattr(claims, "_forced", lambda boards: (boards != 0).sum(axis=1) < 2)
    moves = {side: 1 / claims._ruled_moves(side, "minimax") for side in "xo"}
    assert moves["x"] == pytest.approx(5), "it draws every game as X, which fills the board"
    assert 3 < moves["o"] < 4, "it loses some games as O"


def test_the_safety_rule_decides_where_either_side_could_complete_a_line() -> None:
    boards = [
        parse(text, claims.GRID) for text in ("xx.oo....", "x..oo...x", "xo..o...x", "x...o....")
    ]
    assert claims._forced(np.stack(boards)).tolist() == [True, True, True, False]


def test_another_player_would_not_be_the_trained_one(monkeypatch: Patch) -> None:
    models: list[Model] = []

    def other(model: Model) -> Agent:
        models.append(model)
        return random_agent(claims.GRID)

    monkeypatch.setattr(claims, "player", other)
    monkeypatch.setattr(claims, "_forced", lambda boards: np.ones(len(boards), bool))
    assert claims.trained_without_rules().holds is False
    [model] = models
    np.testing.assert_allclose(model.weights, trained(claims.GRID).weights, atol=1e-9)


@pytest.mark.parametrize(
    ("plain", "symmetric", "little"),
    [(5, 6.2, True), (6.2, 5, True), (5, 6.4, False), (6.4, 5, False)],
)
@pytest.mark.parametrize("rules", [("yes",), ("no",), ("yes", "no")])
@pytest.mark.parametrize(("side", "opponent"), [*product("xo", ("random", "minimax"))])
def test_little_is_within_a_standard_error_in_every_match_with_the_rule_and_without(
    monkeypatch: Patch,
    plain: float,
    symmetric: float,
    little: bool,
    rules: tuple[str, ...],
    side: str,
    opponent: str,
) -> None:
    """The sentence does not say which; the accuracies are told only."""
    wins = {"no": plain, "yes": symmetric}

    def found(key: Key) -> Outcome:
        changed = key[1] in rules and key[2:] == (side, opponent)
        return outcome(wins[key[0]] if changed else 7, 0)

    records(monkeypatch, found)
    judged = claims.symmetry_changes_little()
    assert judged.holds is (True if little else False if len(rules) == 2 else None)
    assert not judged.tested
    said = ["fails" if rule in rules and not little else "holds" for rule in ("yes", "no")]
    assert f"it {said[0]} with the rule and {said[1]} without." in judged.reason
    assert ("; more than little change" in judged.reason) is ("no" in rules and not little)
    assert judged.reason.endswith("The two printed accuracies change by -0.009 and +0.015.")


def test_losses_and_draws_change_as_wins_do(monkeypatch: Patch) -> None:
    """As many wins with either features, but half of the games lost instead of drawn."""
    records(monkeypatch, lambda key: outcome(5, 5 if key[0] == "yes" else 0))
    assert claims.symmetry_changes_little().holds is False


def cases(monkeypatch: Patch, *pairs: tuple[Outcome, Outcome]) -> None:
    """Settings with the rule and without."""
    found = [
        claims.Case(f"setting {place} against random play", *pair)
        for place, pair in enumerate(pairs)
    ]
    monkeypatch.setattr(claims, "with_and_without", lambda: found)


MORE, LESS = outcome(6, 2), outcome(5, 3)
"""More wins and fewer losses than the other, and as many draws."""


@pytest.mark.parametrize(("rises", "holds"), [(3, True), (2, False), (0, False)])
def test_wins_rise_often_if_they_do_in_most_settings(
    monkeypatch: Patch, rises: int, holds: bool
) -> None:
    """In the other settings of four, as many are won as without; in others nothing either way."""
    none = (outcome(0, 5), outcome(0, 9))
    cases(monkeypatch, *[(LESS, MORE)] * rises, *[(MORE, MORE)] * (4 - rises), *[none] * 9)
    found = claims.safety_costs_wins()
    assert found.holds is holds
    assert found.found.startswith(f"more wins without the rule in {rises} of 4 settings in which")
    kept = {"yes": [[3, 1, 0]], "no": [[1, 2, 1]]}
    monkeypatch.setattr(claims, "kept_matches", lambda iterations, kind, careful: kept[careful])
    told = "win 0.750 with the rule and 0.250 without, and lose 0.000 and 0.250."
    assert told in claims.safety_costs_wins().reason
    assert told in claims.safety_is_a_trade_off().reason


@pytest.mark.parametrize(
    ("trades", "wins", "losses", "holds"),
    [(3, 0, 0, True), (3, 1, 1, True), (2, 1, 1, False), (2, 0, 2, False), (0, 4, 4, False)],
)
def test_a_trade_off_is_more_wins_for_more_losses_in_most_settings(
    monkeypatch: Patch, trades: int, wins: int, losses: int, holds: bool
) -> None:
    """Without the rule, which has 5 wins and 2 losses; in other settings one of the two rises."""
    on, level = outcome(5, 2), 4 - trades - wins - losses
    off = [outcome(6, 3)] * trades + [outcome(6, 2)] * wins + [outcome(5, 3)] * losses
    none = (outcome(0, 5), outcome(0, 9))  # where nothing can be won
    off += [on] * level
    cases(monkeypatch, *[(on, one) for one in off], *[none] * 9)
    found = claims.safety_is_a_trade_off()
    assert found.holds is holds
    assert found.found.startswith(f"of {len(off)} settings")
    assert found.found.endswith(
        f"wins in {trades + wins}, more losses in {trades + losses}, and both in {trades}"
    )


@pytest.mark.parametrize(("rises", "holds"), [(1, True), (0, False)])
def test_losses_can_rise_if_they_do_in_one_setting(
    monkeypatch: Patch, rises: int, holds: bool
) -> None:
    cases(monkeypatch, *[(MORE, LESS)] * rises, (LESS, MORE), (MORE, MORE))
    assert claims.safety_off_loses().holds is holds


@pytest.mark.parametrize(
    ("rises", "falls", "holds"),
    [(3, 0, True), (3, 1, True), (2, 2, None), (2, 0, None), (1, 3, False), (0, 2, None)],
)
def test_a_rule_must_bring_draws_in_most_settings(
    monkeypatch: Patch, rises: int, falls: int, holds: bool | None
) -> None:
    """Without the rule 2 of 10 games are drawn in four settings, and as many in the others."""
    off, more, fewer = outcome(8, 0), outcome(7, 0), outcome(9, 0)
    level = 4 - rises - falls
    cases(monkeypatch, *[(more, off)] * rises, *[(off, off)] * level, *[(fewer, off)] * falls)
    found = claims.safety_draws()
    assert found.holds is holds
    assert ("fewer: setting" in found.found) is (falls > 0)
    rates = [0.3] * rises + [0.2] * level + [0.1] * falls
    told = f"is {min(rates):.2f} to {max(rates):.2f} against random play."
    assert found.reason.endswith(f"By itself the rate with the rule {told}")


def test_most_settings_and_most_of_those_against_random_play_must_agree(
    monkeypatch: Patch,
) -> None:
    more, off, fewer = outcome(7, 0), outcome(8, 0), outcome(9, 0)
    names = ["against perfect play"] * 3 + ["against random play"] * 2
    for ours, holds, tested in (
        ((more, more, more, more, more), True, False),
        ((more, more, more, more, fewer), None, True),
        ((more, more, more, fewer, fewer), None, False),
        ((fewer, fewer, fewer, fewer, fewer), False, False),
    ):
        found = [claims.Case(name, on, off) for name, on in zip(names, ours, strict=True)]
        monkeypatch.setattr(claims, "with_and_without", lambda found=found: found)
        answer = claims.safety_draws()
        assert (answer.holds, answer.tested) == (holds, tested)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ((0.1, 0.11, 0.09, 0.1), 1),
        ((-0.1, -0.11, -0.09, -0.1), -1),
        ((0.1, -0.1, 0.1, 0.1), 0),
        ((0.0, 0.0, 0.0, 0.0), 0),
    ],
)
def test_draws_of_sampled_games_change_only_beyond_chance(
    monkeypatch: Patch, changes: tuple[float, ...], told: int
) -> None:
    """One setting of sampled games beside an exact one in which the rule brings more draws."""
    rise = Fraction(sum(changes) / len(changes)).limit_denominator(1000)
    on, off = (
        Outcome(1 - draw, draw, Fraction(0)) for draw in (rise + 1 / Fraction(2), Fraction(1, 2))
    )
    played = claims.Case("random play, played", on, off, changes)
    exact = claims.Case("random play, exact", outcome(7, 0), outcome(8, 0))
    monkeypatch.setattr(claims, "with_and_without", lambda: [played, exact])
    assert claims.safety_draws().holds is (True if told == 1 else None)
    monkeypatch.setattr(
        claims, "with_and_without", lambda: [played, exact._replace(on=outcome(9, 0))]
    )
    assert claims.safety_draws().holds is (False if told == -1 else None)


def test_a_setting_that_changes_nothing_is_one_more_test() -> None:
    """A change with p between half the level and the level is sure alone, and not as one of two."""
    changes = (0.0735, 0.1265, 0.0735, 0.1265)
    level, p_value = claims.SIGNIFICANCE, stats.ttest_1samp(changes, 0).pvalue
    assert level / 2 < p_value < level
    on, off = (Outcome(1 - draw, draw, Fraction(0)) for draw in (Fraction(6, 10), Fraction(1, 2)))
    played = claims.Case("played", on, off, changes)
    still = claims.Case("still", off, off, (0.0, 0.0, 0.0, 0.0))
    assert claims._surely_changed([played]) == [1]
    assert claims._surely_changed([played, still]) == [0, 0]


def test_trainings_are_paired_by_their_seeds() -> None:
    on = pd.DataFrame({"seed": [1, 2], "draw": [50, 30], "games": [100, 100]})
    off = pd.DataFrame({"seed": [2, 1], "draw": [10, 20], "games": [100, 100]})
    assert claims._changed_draws(on, off) == pytest.approx((0.3, 0.2))


@pytest.mark.parametrize(
    ("losses", "misplayed", "holds"),
    [(3, 9, True), (4, 9, False), (5, 9, False), (3, 10, False), (3, 11, False)],
)
def test_a_rule_must_spare_losses_and_blunders_in_every_setting(
    monkeypatch: Patch, losses: int, misplayed: int, holds: bool
) -> None:
    """Without the rule 4 of 10 games are lost, and 10 states misplayed."""
    off = outcome(0, 4)
    cases(monkeypatch, (outcome(0, 0), off), (outcome(0, losses), off))

    def record(symmetric: str = "no", careful: str = "yes") -> Some:
        number = 10 if careful == "no" else misplayed if symmetric == "yes" else 0
        return Some(misplayed=number, matches={("o", "minimax"): off})

    monkeypatch.setattr(claims, "exact_record", record)
    assert claims.safety_spares_losses().holds is holds


def test_settings_are_those_of_the_document(monkeypatch: Patch) -> None:
    """Eight on 3x3, by features, side and opponent, four on 4x4; each with its own results."""
    found = claims.with_and_without()
    assert len({one.name for one in found}) == len(found) == 12
    exact = claims.exact_record("yes", "no").matches["o", "random"]
    [mine] = [one for one in found if one.name == "3x3, symmetric, as O against random play"]
    assert mine.off == exact
    rows = claims.matches("spectral:symmetric=no,safety=yes", "uct@150")
    [other] = [one for one in found if one.name == "4x4, standard, against search"]
    assert other.on.loss == Fraction(int(rows["loss"].sum()), int(rows["games"].sum()))


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


@pytest.mark.parametrize(
    ("ruled", "bare", "holds"),
    [(26, 26, True), (26, 25, True), (25, 26, False), (25, 25, False)],
)
def test_competitive_is_nearer_to_even_than_to_random_play(
    monkeypatch: Patch, ruled: int, bare: int, holds: bool
) -> None:
    """Random play scores nothing; a player is judged as it plays by default, with the rule."""
    points = {f"spectral:symmetric=no,safety={rule}": scored
              for rule, scored in (("yes", ruled), ("no", bare))}  # fmt: skip

    def matches(player: str, opponent: str) -> pd.DataFrame:
        if player == "uct":
            lost, won = (pd.DataFrame({"loss": [n], "draw": 0, "games": 9}) for n in (0, 9))
            return pd.concat([lost, won])
        score = points.get(player, 30)
        return pd.DataFrame({"win": [score - 10], "draw": 20, "loss": 90 - score, "games": 100})

    monkeypatch.setattr(claims, "matches", matches)
    found = claims.competitive_with_search()
    assert found.holds is holds
    assert found.found.endswith(f"0.{ruled}0 (standard); without the safety rule 0.{bare}0 "
                                "(standard)")  # fmt: skip
    said = "holds, too" if bare > 25 else "fails"
    assert f"the player's default; without the rule it {said}." in found.reason
    assert claims.competitive_with_search(ruled=True).holds is holds


@pytest.mark.parametrize(
    ("searched", "ruled", "bare", "holds", "told"),
    [
        (True, (0.5, 0.6, 0.7), (0.5, 0.5, 0.5), True, "holds, too"),
        (True, (0.7, 0.5, 0.6), (0.6, 0.4, 0.6), True, "fails"),
        (True, (0.6, 0.49, 0.7), (0.6, 0.6, 0.6), False, "holds, too"),
        (True, (0.6, 0.7, 0.49), (0.6, 0.6, 0.6), False, "holds, too"),
        (False, (0.9, 0.9, 0.9), (0.9, 0.9, 0.9), False, "holds, too"),
    ],
)
def test_competitive_is_so_against_both_baselines(
    monkeypatch: Patch,
    searched: bool,
    ruled: tuple[float, ...],
    bare: tuple[float, ...],
    holds: bool,
    told: str,
) -> None:
    found = Finding(searched, "so many points", "So read.")
    monkeypatch.setattr(claims, "competitive_with_search", lambda: found)
    monkeypatch.setattr(claims, "_against_random", {"yes": ruled, "no": bare}.__getitem__)
    answer = claims.competitive()
    assert answer.holds is holds
    x, o, larger = (f"{score:.3f}" for score in ruled)
    assert f"so many points; against random play on 3x3 as X {x}, as O {o}, on 4x4 {larger}" in (
        answer.found
    )
    assert answer.reason.endswith(f"without the rule {told}.")


def test_points_against_random_play_count_a_draw_as_half(monkeypatch: Patch) -> None:
    records(
        monkeypatch, lambda key: outcome(6 if key[2] == "x" else 5, 2 if key[1] == "yes" else 4)
    )
    rows = pd.DataFrame({"win": [5], "draw": [1], "games": [10]})
    monkeypatch.setattr(claims, "matches", lambda player, opponent: rows)
    assert claims._against_random("yes") == pytest.approx([0.7, 0.65, 0.55])
    assert claims._against_random("no") == pytest.approx([0.6, 0.55, 0.55])


@pytest.mark.parametrize("points", [28, 27])
def test_points_against_the_documents_own_search_are_told_only(
    monkeypatch: Patch, points: int
) -> None:
    """Beside those of random play against it, which loses to random play."""
    kept = [[points - 10, 20, 90 - points]]
    monkeypatch.setattr(claims, "kept_matches", lambda iterations, mode, careful: kept)
    monkeypatch.setattr(claims, "search_scores", lambda iterations: np.array([0.1, 0.3]))
    found = claims.competitive_with_search(ruled=True)
    assert found.holds is True
    told = f"it is 0.{points}0 (standard) with the rule, but that search loses even to random play"
    assert f"{told}, which scores 0.800 against it." in found.reason


@pytest.mark.parametrize(
    ("standard", "symmetric", "holds"), [(26, 26, True), (26, 25, False), (25, 26, False)]
)
def test_both_modes_must_be_competitive(
    monkeypatch: Patch, standard: int, symmetric: int, holds: bool
) -> None:
    scores = {f"spectral:symmetric={mode},safety=yes": score
              for mode, score in (("no", standard), ("yes", symmetric))}  # fmt: skip

    def matches(player: str, opponent: str) -> pd.DataFrame:
        if player == "uct":
            return pd.DataFrame({"loss": [0], "draw": 0, "games": 9})
        return pd.DataFrame({"win": [scores.get(player, 0)], "draw": 0, "games": 100})

    monkeypatch.setattr(claims, "matches", matches)
    assert claims.competitive_with_search(["no", "yes"], ruled=True).holds is holds


@pytest.mark.parametrize(
    ("p_values", "holds"),
    [((0.0049, 0.001), True), ((0.001, 0.005), None), ((0.006, 0.001), None)],
)
@pytest.mark.parametrize("free", [(0, 0), (100, 0), (0, 100), (100, 100)])
def test_weights_are_carried_if_they_win_more_on_both_boards(
    monkeypatch: Patch, p_values: tuple[float, float], holds: bool | None, free: tuple[int, int]
) -> None:
    """More than random ones beyond chance, without the rule, and than no weights at all."""
    found = iter([*p_values, 0.9, 0.9])
    monkeypatch.setattr(stats, "mannwhitneyu", lambda *_, **__: Some(pvalue=next(found)))
    rows = claims.table("spectral_transfer.csv").copy()
    for board, wins in zip(("4x4", "5x5"), free, strict=True):
        rows.loc[(rows["board"] == board) & (rows["player"] == "first free"), "win"] = wins
    monkeypatch.setattr(claims, "table", lambda name: rows)
    answer = claims.transfers()
    assert answer.holds is (True if holds and not any(free) else None)
    assert answer.tested is (not holds and not any(free))


@pytest.mark.parametrize("wins", [True, False])
@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize(("p_value", "better"), [(0.0049, True), (0.005, None)])
def test_what_is_learned_elsewhere_is_worth_something_if_all_readings_agree(
    monkeypatch: Patch, wins: bool, ahead: bool, p_value: float, better: bool | None
) -> None:
    """More wins than losses, more than random weights, and more than the lowest index."""
    monkeypatch.setattr(stats, "mannwhitneyu", lambda *_, **__: Some(pvalue=p_value))
    rows = claims.table("spectral_transfer.csv").copy()
    larger = rows["board"] == "5x5"
    rows.loc[rows["player"] == "trained there", ["win", "loss"]] = 50, 40
    rows.loc[larger & (rows["player"] == "trained there"), "loss"] = 50 - wins
    rows.loc[rows["player"] == "first free", "win"] = 49
    rows.loc[larger & (rows["player"] == "first free"), "win"] = 50 - ahead
    monkeypatch.setattr(claims, "table", lambda name: rows)
    found = claims.generalizes()
    assert found.holds is (True if wins and ahead and better else None)
    assert found.tested is (better is None and wins is ahead)
    assert ("The readings disagree." in found.reason) is (wins is not ahead)
    assert "weights trained there win 50 of 100 games" in found.found


@pytest.mark.parametrize(("less", "ahead"), [(0, False), (1, True)])
def test_carried_weights_that_only_tie_are_not_ahead(
    monkeypatch: Patch, less: int, ahead: bool
) -> None:
    rows = claims.table("spectral_transfer.csv").copy()
    rows.loc[rows["player"] == "carried", "win"] = 50
    rows.loc[rows["player"] == "first free", "win"] = 50 - less
    monkeypatch.setattr(claims, "table", lambda name: rows)
    assert claims._carried("yes")[-1] == [ahead, ahead]


# ---------------------------------------------------------------------------- search


MORE_OF_IT = {True: (0.2, 0.9), False: (0.9, 0.2), None: (0.5, 0.5)}


@pytest.mark.parametrize("copied", [True, False, None])
@pytest.mark.parametrize("sound", [True, False, None])
def test_a_copy_counts_only_where_the_texts_own_search_has_the_same_answer(
    monkeypatch: Patch, copied: bool | None, sound: bool | None
) -> None:
    def scores(answer: bool | None) -> Callable[[int], np.ndarray]:
        means = dict(zip((150, 1500), MORE_OF_IT[answer], strict=True))
        return lambda count: means[count] + 0.01 * np.arange(20)

    searched(monkeypatch, {c: (round(20 * m), 0) for c, m in
                           zip((150, 1500), MORE_OF_IT[copied], strict=True)})  # fmt: skip
    monkeypatch.setattr(claims, "sound_scores", scores(sound))
    found = claims.more_iterations_are_stronger()
    assert found.holds is (copied if copied == sound else None)
    assert found.tested is (copied is sound is None)
    words = {True: ": more", False: ": less", None: ": not clearly more or less"}
    assert found.found.endswith(words[sound])
    assert f"){words[copied]}. Such a copy alone" in found.reason


def test_points_of_a_sound_search_are_those_of_its_games(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "sound_search", lambda count, games: Some(win=2, draw=1, loss=1))
    assert claims.sound_scores.__wrapped__(7).tolist() == [1, 1, 0.5, 0]


def searched(monkeypatch: Patch, results: Mapping[int, tuple[int, int]]) -> None:
    """Wins and draws of each of 20 matches of 20 games of the document's search, by iterations.

    Every second match has a draw more, so that not all are alike.
    """
    rows = [
        {"iterations": count, "match": place, "games": 20, "win": win, "draw": draw + place % 2}
        for count, (win, draw) in results.items()
        for place in range(20)
    ]
    monkeypatch.setattr(claims, "table", lambda file: pd.DataFrame(rows))
    monkeypatch.setattr(claims, "sound_search", lambda count: Some(score=0.8))


def test_a_draw_of_the_search_counts_half(monkeypatch: Patch) -> None:
    searched(monkeypatch, {150: (3, 4)})
    assert claims.search_scores(150).tolist() == [0.25, 0.275] * 10


def test_the_trend_of_the_search_is_that_of_all_its_budgets(monkeypatch: Patch) -> None:
    searched(monkeypatch, {15: (9, 0), 150: (5, 0), 1500: (5, 0)})
    whole, late = claims.search_trend(), claims.search_trend(150)
    assert (whole.matches, whole.fewest, whole.most) == (60, 15, 1500)
    assert (whole.first, whole.last) == pytest.approx((0.4625, 0.2625))
    assert whole.correlation < -0.5
    assert whole.p_value < 0.001
    assert (late.matches, late.fewest) == (40, 150)
    assert late.correlation == pytest.approx(0)
    assert late.p_value > 0.9


def opposed(
    monkeypatch: Patch, uct: Mapping[float, int], idle: int, alike: int = 0, stored: int = 0
) -> None:
    """How many of the four printed matches are improbable against UCT, by constant, and so on.

    What is told of an improbable match is p = .001, of another p = .5.
    """
    printed = claims.printed_against_search()

    def counts(rejected: int, match: claims.PrintedMatch) -> Some:
        return Some(p=0.001 if printed.index(match) < rejected else 0.5)

    def stored_matches(player: str, opponent: str) -> tuple[str, int]:
        return player, idle if opponent == "random" else stored

    monkeypatch.setattr(claims, "against_uct", lambda match, c: counts(uct[c], match))
    monkeypatch.setattr(claims, "matches", stored_matches)
    monkeypatch.setattr(claims, "triples", lambda found: found)
    monkeypatch.setattr(claims, "Counts", lambda found: Some(stored=found))
    places = iter(range(8))

    def chance(match: claims.PrintedMatch, ours: Some) -> float:
        if hasattr(ours, "p"):
            return float(ours.p)
        return 0.001 if next(places) % 4 < ours.stored[1] else 0.5

    monkeypatch.setattr(claims.PrintedMatch, "chance", chance)
    monkeypatch.setattr(claims, "_players_alike", lambda: [0.5, 0.5, 0.001 if alike else 0.5])
    monkeypatch.setattr(claims, "search_scores", lambda count: np.array([0.1, 0.3]))
    monkeypatch.setattr(claims, "sound_search", lambda count: Some(score=0.8))


@pytest.mark.parametrize(
    ("rejected", "fitting", "stored", "idle", "alike", "verb"),
    [
        (4, 4, 4, 0, 0, "fails"),
        (1, 1, 1, 4, 0, "fails"),
        (4, 0, 4, 1, 0, "holds"),  # with one constant it could be UCT
        (4, 4, 0, 1, 0, "holds"),
        (0, 0, 0, 0, 0, "stays open"),  # an opponent that moves at random fits as well
        (4, 4, 4, 0, 1, "stays open"),  # the document's players are not like ours
        (0, 0, 0, 4, 1, "stays open"),
    ],
)
def test_its_opponent_is_uct_if_the_printed_matches_are_like_those_with_uct(
    monkeypatch: Patch,
    rejected: int,
    fitting: int,
    stored: int,
    idle: int,
    alike: int,
    verb: str,
) -> None:
    """All constants but one have so many improbable matches, and one has others.

    If it fails, it may still be written as UCT; so only a search that plays so settles the row.
    """
    counts = dict.fromkeys(claims.CONSTANTS, rejected) | {claims.CONSTANTS[-1]: fitting}
    opposed(monkeypatch, counts, idle, alike, stored)
    found = claims.search_is_uct()
    assert (found.holds, found.tested) == (True if verb == "holds" else None, False)
    told = {4: "all 4 matches with its search are rejected",
            1: "at least 1 of the 4 matches with its search are rejected",
            0: "not always one of its 4 matches with its search is rejected"}  # fmt: skip
    assert told[min(rejected, fitting, stored)] in found.reason
    assert f"The first {verb} by the document's own numbers" in found.reason
    assert "scores 0.200 against random play, where UCT scores 0.800" in found.reason


def test_the_printed_matches_are_the_ledgers_with_their_players() -> None:
    found = claims.printed_against_search()
    assert [one.printed for one in found] == ["10-0-0", "8-2-0", "10-0-0", "5-0-0"]
    kinds = [("no", "yes", 150), ("yes", "yes", 150), ("no", "no", 150), ("no", "yes", 100)]
    assert [one[1:] for one in found] == kinds
    for one in found:
        assert len(claims.matches(one.player, f"uct@{one.iterations}")) == 20


def test_a_printed_match_is_as_probable_as_our_games_say() -> None:
    match = claims.printed_against_search()[0]
    assert match.chance(claims.Counts([[100, 0, 0]])) > 0.99
    assert match.chance(claims.Counts([[0, 100, 0]])) < 1e-9


def test_players_are_like_the_documents_if_its_matches_with_random_play_are_ordinary(
    monkeypatch: Patch,
) -> None:
    assert [p > 0.05 for p in claims._players_alike()] == [True] * 3
    other = claims.Counts([[0, 0, 100]])
    monkeypatch.setattr(claims, "against_random", lambda player: other)
    assert max(claims._players_alike()) < 0.001


def test_the_quick_check_says_on_what_it_was_trained() -> None:
    """Both rows of one printed line, and neither row of another program."""
    player, printed = "spectral:symmetric=no,safety=yes", "5-0-0"
    for quick, program in ((True, "spectral_policy_nxn.py"), (False, "spectral_policy_4x4.py")):
        for ours in (
            claims.against_random(player, quick=quick),
            claims.against_search("uct@100", printed, quick=quick),
        ):
            assert program in ours.reason
            assert ("400 states with 6 playouts" in ours.reason) is quick


KEPT = pd.DataFrame({"symmetric": "no", "safety": "yes", "iterations": 150, "seed": [1, 1, 2, 2],
                     "match": [0, 1, 0, 1], "win": [10, 9, 8, 7], "draw": [0, 1, 2, 3],
                     "loss": 0, "games": 10})  # fmt: skip
SOUND = pd.DataFrame({"player": "spectral:symmetric=no,safety=yes", "opponent": "uct@150",
                      "board": "4x4", "win": [1, 2], "draw": [98, 96], "loss": [1, 2],
                      "games": 100})  # fmt: skip


def test_a_printed_match_is_compared_with_the_search_that_printed_it(monkeypatch: Patch) -> None:
    """A search that works is told beside it, with what the printed match would be there."""
    tables = {"spectral_kept.csv": KEPT, "spectral_games.csv": SOUND}
    monkeypatch.setattr(claims, "table", lambda name: tables[name])
    found = claims.against_search("uct@150", "10-0-0")
    assert found.groups == [[19, 1, 0], [15, 5, 0]]
    assert "2 matches of 10 games for each of 2 models" in found.reason
    assert (
        "in 100 games for each of 2 training runs, ours win, draw and lose 3-194-3" in found.reason
    )
    counts = claims.Counts([[1, 98, 1], [2, 96, 2]])
    assert f"p = {claims.significance.test(counts, '10-0-0', 10).p_value:.2g}." in found.reason


@pytest.mark.parametrize(
    ("as_o", "as_x", "told"),
    [
        (5, 0, "1/2 of the games as O."),
        (10, 0, "every game as O."),
        (5, 10, "1/2 of the games as O and every game as X."),
        (0, 2, "1/5 of the games as X."),
        (0, 0, "no game."),
    ],
)
def test_games_lost_to_a_varied_player_are_told_by_side(
    monkeypatch: Patch, as_o: int, as_x: int, told: str
) -> None:
    lost = {("o", "minimax"): as_o, ("x", "minimax"): as_x}
    found = {(side, other): outcome(0, lost.get((side, other), 0))
             for side in "xo" for other in ("minimax", "first")}  # fmt: skip
    monkeypatch.setattr(claims, "exact_record", lambda *_: Some(matches=found))
    assert f"it loses {told.removesuffix('.')}, and this result" in claims.repeated(10).reason


@pytest.mark.parametrize(
    ("as_o", "result", "p", "decides"),
    [(5, 0, "0.03", False), (9, 0, "0.00001", True), (9, 10, "0.6", False), (0, 0, "1", False)],
)
def test_a_result_that_a_varied_player_would_hardly_give_decides_without_the_copy(
    monkeypatch: Patch, as_o: int, result: int, p: str, decides: bool
) -> None:
    """As X all are drawn; printed are as many draws as O if the first player loses no game."""
    lost = {("o", "minimax"): as_o, ("o", "first"): result}
    found = {(side, other): outcome(0, lost.get((side, other), 0))
             for side in "xo" for other in ("minimax", "first")}  # fmt: skip
    monkeypatch.setattr(claims, "exact_record", lambda *_: Some(matches=found))
    reason = claims.repeated(10).reason
    assert f"would have a probability of {p}: " in reason
    assert reason.endswith("number decides, not the copy." if decides else "draws lots.")


def test_the_printed_draws_without_the_safety_rule_are_no_varied_players() -> None:
    """Five games as X, all lost, and five as O, of which 17 of 378 would be drawn."""
    found = claims.exact_record(careful="no").matches
    assert claims._chance_if_varied(found, [*map(Fraction, (0, 5, 5))]) == pytest.approx(
        (17 / 378) ** 5
    )
    assert claims._chance_if_varied(found, [*map(Fraction, (1, 4, 5))]) == 0


@pytest.mark.parametrize(
    ("first", "varied", "same", "told"),
    [(0, 5, True, "1/2 of the games as O (1 if any of equal moves is as likely)."),
     (2, 5, False, "1/2 of the games as O (1 if any of equal moves is as likely)."),
     (0, 10, True, "every game as O.")],
)  # fmt: skip
def test_equal_moves_of_symmetric_features_are_told_where_they_matter(
    monkeypatch: Patch, first: int, varied: int, same: bool, told: str
) -> None:
    def matches(first: int, varied: int) -> Some:
        lost = {("o", "first"): first, ("o", "minimax"): varied}
        return Some(matches={(side, other): outcome(0, lost.get((side, other), 0))
                    for side in "xo" for other in ("minimax", "first")})  # fmt: skip

    monkeypatch.setattr(claims, "exact_record", lambda *_: matches(0, varied))
    monkeypatch.setattr(claims, "drawn_by_lot", lambda *_: matches(first, 10))
    reason = claims.repeated(10, symmetric="yes").reason
    assert f"it loses {told.removesuffix('.')}, and this result" in reason
    assert ("does not change these games" in reason) is same
    assert "equal moves" not in claims.repeated(10).reason


@pytest.mark.parametrize(
    ("p_values", "told"),
    [
        ([2e-14, 8e-7], "below 0.000001 each"),
        ([4e-5, 0.1234, 1], "= 0.00004, 0.1, 1"),
        ([1e-6], "= 0.000001"),
    ],
)
def test_p_values_are_told_without_exponents(p_values: list[float], told: str) -> None:
    assert claims.in_row(p_values) == told


def test_a_lottery_between_equal_moves_is_another_player() -> None:
    """Against random play its results differ; with the rule it is the printed player's kind."""
    lots, index = claims.drawn_by_lot(), claims.exact_record("yes")
    assert lots.matches["o", "random"] != index.matches["o", "random"]
    assert claims.drawn_by_lot("no").matches["x", "random"] != lots.matches["x", "random"]


@pytest.mark.parametrize(("fixed", "read"), [(False, True), (True, False)])
def test_games_against_the_perfect_player_are_as_many_as_asked_for(
    monkeypatch: Patch, fixed: bool, read: bool
) -> None:
    monkeypatch.setattr(
        claims, "repeated", lambda games: Some(value=f"0-{29 if fixed else games - 1}-1")
    )
    found = claims.perfect_games_read()
    assert (found.value, found.read) == ("30", read)


@pytest.mark.parametrize(("as_o", "likely"), [(outcome(8, 0), True), (outcome(0, 9), False)])
def test_chances_tell_what_alternating_sides_would_make_of_a_match(
    monkeypatch: Patch, as_o: Outcome, likely: bool
) -> None:
    records(monkeypatch, lambda key: as_o if key[2] == "o" else outcome(9, 0))
    reason = claims.chances("29-1-0").reason
    p_value = float(reason.rpartition("p = ")[2].rstrip("."))
    assert (p_value > 0.01) is likely


def test_the_larger_check_tells_what_the_printed_match_would_be() -> None:
    rows = claims.matches("quick check", "random")
    p_value = claims.significance.test(claims.Counts(claims.triples(rows)), "3-7-0", 10).p_value
    reason = claims.against_random("spectral:symmetric=no,safety=yes", quick=True).reason
    assert reason.endswith(f"with the former the printed match would have p = {p_value:.2g}.")


# ---------------------------------------------------------------------------- other seeds


def seeds(monkeypatch: Patch, *wins: int) -> None:
    """Wins of ten, printed as nine, by seed."""
    found = pd.DataFrame({"dct-off-random": wins})
    monkeypatch.setattr(claims_replay, "wins_by_seed", lambda: found)


@pytest.mark.parametrize("beyond", [8, 10])
@pytest.mark.parametrize(
    ("as_printed", "holds"), [(11, True), (10, None), (6, None), (5, False), (1, False)]
)
def test_a_result_is_representative_if_it_is_rare_on_neither_side(
    monkeypatch: Patch, beyond: int, as_printed: int, holds: bool | None
) -> None:
    """So many of 100 seeds win as much as is printed; all others less, or all others more."""
    seeds(monkeypatch, *[9] * as_printed, *[beyond] * (100 - as_printed))
    found = claims_replay.representative()
    assert (found.holds, found.tested) == (holds, False)
    ends = [100, as_printed] if beyond < 9 else [as_printed, 100]
    assert found.found.endswith(f"as many: {ends[0]}% and {ends[1]}% (9-0-1)")
    word = "much" if beyond < 9 else "little"
    assert f"is 9-0-1 ({as_printed}% win as {word}), and {as_printed}% of the" in found.reason


@pytest.mark.parametrize(("others", "holds"), [(0, False), (2, None), (3, True)])
def test_matches_are_representative_together(
    monkeypatch: Patch, others: int, holds: bool | None
) -> None:
    """3-7-0 in 5 of 100 seeds, and in so many others as rare a result of each of two matches."""
    rows = {
        "dct-n4-random": [3] * 5 + [7] * 95,
        "dct-n3-random": [9] * 50 + [*range(others)] + [10] * (50 - others),
        "dct-off-random": [9] * 50 + [10] * (50 - others) + [*range(others)],
    }
    monkeypatch.setattr(claims_replay, "wins_by_seed", lambda: pd.DataFrame(rows))
    found = claims_replay.representative()
    assert (found.holds, found.tested) == (holds, False)
    assert f"{5 + 2 * others}% of the seeds" in found.reason
    assert "is 3-7-0 (5% win as little)" in found.reason
    assert "in the reading that fits (`dct-n4-random`)" in found.reason


@pytest.mark.parametrize(
    ("far", "further", "holds"),
    [(0, 0, True), (10, 0, True), (11, 0, None), (49, 0, None), (40, 11, None), (20, 49, None),
     (20, 51, False), (0, 100, False)],
)  # fmt: skip
def test_numbers_vary_slightly_by_one_in_nearly_all_runs_and_by_two_in_most(
    monkeypatch: Patch, far: int, further: int, holds: bool | None
) -> None:
    """Of 100 seeds so many win two or three games less than is printed, and the others one."""
    seeds(monkeypatch, *[7] * far, *[6] * further, *[8] * (100 - far - further))
    found = claims_replay.varies_slightly()
    assert (found.holds, found.tested) == (holds, False)
    near, wider = 100 - far - further, 100 - further
    assert f"{near}% within 1 of the printed and {wider}% within 2" in found.found
    words = ["holds" if answer else "fails" for answer in (near >= 90, wider > 50)]
    assert f"90% of the runs it {words[0]}, " in found.reason
    assert f"in most runs it {words[1]}." in found.reason


def test_the_replay_of_ten_games_without_the_rule_is_the_stored_one() -> None:
    stored = claims_replay.table("spectral_replays.csv").set_index("seed")["dct-off-random"]
    for seed in (0, claims_replay.SEED):
        assert claims_replay.exact_labels(10, careful="no", seed=seed) == stored[seed]
    assert claims_replay.wins_by_seed().loc[0, "dct-off-random"] == int(stored[0].split("-")[0])

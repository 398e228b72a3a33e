"""What answers a claim of document 3, on other data than the stored."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import copy
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import sampling
from ttt_lib.game.board import parse
from ttt_lib.game.exact import Outcome
from ttt_lib.game.gametree import GameTree
from ttt_lib.ntuple import analysis, claims

Patch = pytest.MonkeyPatch


def valued(state: Iterable[int], value: int) -> GameTree:
    """The game tree with another value of some states."""
    tree = copy(analysis.tree3())
    values = tree.value.copy()
    values[list(state)] = value
    vars(tree)["value"] = values
    return tree


# ---------------------------------------------------------------------------- definition


@pytest.mark.parametrize("side", [1, -1])
def test_two_in_a_row_would_mean_nothing_if_all_were_drawn(monkeypatch: Patch, side: int) -> None:
    drawn = valued(range(len(analysis.tree3())), 0)
    monkeypatch.setattr(analysis, "tree3", lambda: drawn)
    assert not claims.two_in_a_row(side).holds


def test_one_threat_of_x_that_does_not_win_is_enough(monkeypatch: Patch) -> None:
    tree = analysis.tree3()
    one = valued(tree.index(parse("xx.oo....", tree.grid)[None]), 0)
    monkeypatch.setattr(analysis, "tree3", lambda: one)
    assert not claims.two_in_a_row(1).holds


@pytest.mark.parametrize(
    ("least", "most", "holds"),
    [(0.3, 0.4, True), (0.2, 0.4, None), (0.1, 0.4, None), (0.05, 0.1, None), (0.05, 0.09, False)],
)
def test_the_side_is_needed_if_every_seed_errs_more_without_it(
    monkeypatch: Patch, least: float, most: float, holds: bool | None
) -> None:
    rows = pd.DataFrame({"parameters": "", "never_loses": [3, 18], "seeds": 20,
                         "error_least": [least, 0.1], "error_most": [most, 0.2]},
                        ["no side to move", "document"])  # fmt: skip
    monkeypatch.setattr(claims, "variants", lambda: rows)
    found = claims.side_to_move()
    assert (found.holds, found.tested) == (holds, True)
    assert "17 of 20 such tables can lose, and 2 of 20 with it" in found.reason


@pytest.mark.parametrize("safe", [True, False])
def test_tables_without_the_side_are_spared_if_some_never_lose(
    monkeypatch: Patch, safe: bool
) -> None:
    monkeypatch.setattr(claims, "blind_tables_never_lose", lambda: safe)
    assert ("never lose" in claims.side_to_move().reason) is safe


def test_blind_tables_that_can_lose_are_noticed(monkeypatch: Patch) -> None:
    """Equal weights value all boards alike."""
    monkeypatch.setattr(claims.order, "safe_order", lambda patterns: np.ones(217, dtype=np.int64))
    assert not claims.blind_tables_never_lose.__wrapped__()


@pytest.mark.parametrize("pair", [(5, 6), (6, 5)])
def test_another_network_with_another_rank_would_not_be_the_same(
    monkeypatch: Patch, pair: tuple[int, int]
) -> None:
    ranks = iter(pair)
    monkeypatch.setattr(claims, "rank", lambda matrix: next(ranks))
    assert not claims.two_networks().holds


def answers(monkeypatch: Patch, won: float, drawn: float, lost: float) -> None:
    """Train networks that answer so wherever X wins, draws or loses."""
    output = np.array([drawn, won, lost])[analysis.tree3().value]
    network = SimpleNamespace(predict=lambda boards: output)
    monkeypatch.setattr(claims, "trained", lambda grid, seed: network)


@pytest.mark.parametrize(
    ("won", "drawn", "lost", "holds"),
    [
        (0.91, 0.9, -0.91, True),
        (0.91, -0.9, -0.91, True),
        (0.91, 0.91, -0.91, False),
        (0.91, -0.91, -0.91, False),
        (-0.91, 0, 0.91, False),
        (0.91, 0, -0.9, False),
        (0.9, 0, -0.91, False),
    ],
)
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_outputs_near_an_end_are_what_it_means(
    monkeypatch: Patch, won: float, drawn: float, lost: float, holds: bool
) -> None:
    """An end that no output comes near means nothing."""
    answers(monkeypatch, won, drawn, lost)
    assert claims.ends_of_range().holds is holds


@pytest.mark.parametrize(("wrong", "holds"), [(136, True), (137, False)])
def test_nearly_all_outputs_near_an_end_are_what_it_means(
    monkeypatch: Patch, wrong: int, holds: bool
) -> None:
    """Of 2,740 positions that are said to be won so many are not."""
    output = np.array([0.0, 1.0, -1.0])[analysis.tree3().value]
    draws = np.flatnonzero(output == 0)[:wrong]
    output[np.flatnonzero(output == 1)[2740 - wrong :]] = 0
    output[draws] = 1
    assert (output == 1).sum() == 2740
    network = SimpleNamespace(predict=lambda boards: output)
    monkeypatch.setattr(claims, "trained", lambda grid, seed: network)
    found = claims.ends_of_range()
    assert found.holds is holds
    assert f"above 0.9 {1 - wrong / 2740:.1%} are wins" in found.found


@pytest.mark.parametrize(
    ("won", "drawn", "lost", "holds"),
    [
        (1, 0, -1, None),  # expected points, but no chance of a win alone
        (1, -1, -1, None),  # the other way round
        (1, -0.5, -1, False),
        (0.5, 0, -0.5, False),
        (1, 0.7, -1, False),
        (1, 0, -0.62, None),
        (1, 0, -0.58, False),
    ],
)
def test_a_probability_of_winning_is_judged_with_draws_as_half_wins_and_without(
    monkeypatch: Patch, won: float, drawn: float, lost: float, holds: bool | None
) -> None:
    answers(monkeypatch, won, drawn, lost)
    assert claims.winning_chance().holds is holds


def test_with_a_single_draw_both_readings_are_nearly_one(monkeypatch: Patch) -> None:
    decided = valued(np.flatnonzero(analysis.tree3().value == 0)[1:], 1)
    monkeypatch.setattr(analysis, "tree3", lambda: decided)
    answers(monkeypatch, 1, 1, -1)
    assert claims.winning_chance().holds is True


def test_a_chance_is_off_by_the_mean_of_its_worst_bin() -> None:
    """0.31 and 0.35 share a bin with one win, 0.92 and 1 another with two."""
    read, won = np.array([0.31, 0.35, 0.92, 1.0]), np.array([True, False, True, True])
    assert claims.off_by(read, won) == pytest.approx(0.5 - 0.33)
    assert claims.off_by(read, ~won) == pytest.approx(0.96)


@pytest.mark.parametrize(
    ("larger", "big", "holds"), [(2, 0, True), (3, 0, False), (3, 4, False), (3, 5, True)]
)
def test_likely_big_is_among_the_three_largest_in_most_tables(
    monkeypatch: Patch, larger: int, big: int, holds: bool
) -> None:
    """So many entries are larger than that of XXX, but none in the first tables of eight."""

    def table(line: int) -> np.ndarray:
        entries = np.zeros((2, 27))
        entries[0, : larger if line >= big else 0] = 1
        return entries

    network = SimpleNamespace(table=table)
    monkeypatch.setattr(claims, "trained", lambda grid, seed: network)
    assert claims.complete_lines().holds is holds


def test_a_full_line_of_another_value_is_noticed(monkeypatch: Patch) -> None:
    tree = analysis.tree3()
    lost = valued(np.flatnonzero(tree.winner == 1)[:1], 0)
    monkeypatch.setattr(analysis, "tree3", lambda: lost)
    found = claims.full_lines()
    assert not found.holds
    assert found.found.startswith("625 of 626")


def test_another_activation_has_another_slope(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "squash", math.tanh)
    assert claims.derivative().holds
    for nearly in (0.5, 1 - 1e-7):
        monkeypatch.setattr(claims, "squash", lambda x, nearly=nearly: math.tanh(nearly * x))
        assert not claims.derivative().holds


@pytest.mark.parametrize(
    ("turned", "plain", "holds"),
    [((0, 0), (-1, -1), True), ((0, -1), (-1, -1), False), ((0, 0), (-1, 0), False),
     ((1, 1), (-1, 0), False)],
)  # fmt: skip
def test_the_minus_is_needed_if_no_seed_loses_with_it_and_all_without(
    monkeypatch: Patch, turned: tuple[int, int], plain: tuple[int, int], holds: bool
) -> None:
    worst = iter([turned[0], plain[0], turned[1], plain[1]])
    monkeypatch.setattr(claims, "SEEDS", range(2))
    monkeypatch.setattr(claims, "tables", lambda: [None, None])
    monkeypatch.setattr(claims, "worst_result", lambda tree, table, side: next(worst))
    assert claims.minus_for_o().holds is holds


# ---------------------------------------------------------------------------- training


@pytest.mark.parametrize(("last", "holds"), [(0.1, True), (0.3, False), (0.4, False)])
def test_every_seed_must_end_below_its_first_error(
    monkeypatch: Patch, last: float, holds: bool
) -> None:
    table = pd.DataFrame([(0, 0.2, 0.2, 0.1), (1, 0.3, 0.3, last)], columns=["seed", *"abc"])
    monkeypatch.setattr(claims, "read_table", lambda name: table)
    found = claims.decreasing()
    assert found.holds is holds
    assert f"the error of {int(last > 0.3)} seeds rises at least once" in found.reason


@pytest.mark.parametrize(
    ("errors", "read"), [((0.1, 0.2), True), ((0.2, 0.1), True), ((0.1, 0.1), False)]
)
def test_a_setting_of_the_training_is_read_if_it_changes_the_error(
    monkeypatch: Patch, errors: tuple[float, float], read: bool
) -> None:
    runs = iter(2 * errors)
    monkeypatch.setattr(claims, "train", lambda **_: SimpleNamespace(errors=[next(runs)]))
    assert (claims.rate_read().read, claims.epochs_read().read) == (read, read)


def lost_at(monkeypatch: Patch, *losses: tuple[int, int, str]) -> None:
    """Three seeds and three epochs: each loss is a seed, an epoch and a side."""
    rows = [
        (s, e, *(-1 if (s, e, side) in losses else 0 for side in "xo"))
        for s in range(3)
        for e in (1, 2, 3)
    ]
    table = pd.DataFrame(rows, columns=["seed", "epoch", "worst_x", "worst_o"])
    monkeypatch.setattr(claims, "epochs", lambda: table)


def test_a_seed_is_steady_from_the_epoch_after_its_last_loss(monkeypatch: Patch) -> None:
    lost_at(monkeypatch, (0, 1, "o"), (0, 3, "x"), (2, 2, "o"))
    assert claims.steady_from().tolist() == [4, 1, 3]


@pytest.mark.parametrize(("epoch", "holds"), [(2, True), (3, False)])
def test_settings_work_if_no_seed_loses_at_last(
    monkeypatch: Patch, epoch: int, holds: bool
) -> None:
    lost_at(monkeypatch, (1, epoch, "x"))
    assert claims.settings_work().holds is holds


# ---------------------------------------------------------------------------- play


def test_networks_that_differ_have_no_one_chance(monkeypatch: Patch) -> None:
    players = [analysis.opponent(name) for name in ("perfect", "random")]
    monkeypatch.setattr(claims, "tables", lambda: players)
    with pytest.raises(ValueError, match="differ against random"):
        claims.sides.__wrapped__("network", "random")


@pytest.mark.parametrize(
    "rows", ["50 0 49", "50 0 50 100 0 101", "50 0 50 30 0 170", "50 1 49", "50 0 50 99 1 100"]
)
def test_rows_that_count_no_match_are_refused(rows: str) -> None:
    exact = SimpleNamespace(win=Fraction(1, 2), draw=Fraction(1, 2), loss=Fraction(0))
    assert "in 2 rows" in claims.counted("50 0 50 100 0 100", exact)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="row"):
        claims.counted(rows, exact)  # type: ignore[arg-type]


@pytest.mark.parametrize("impossible", ["win", "draw", "loss"])
def test_a_result_that_cannot_happen_is_in_no_row(impossible: str) -> None:
    chances = dict.fromkeys(("win", "draw", "loss"), Fraction(1, 3))
    assert "in 1 rows" in claims.counted("40 30 30", Outcome(**chances))
    with pytest.raises(ValueError, match=r"row 1 of the table adds \[40, 30, 30\]"):
        claims.counted("40 30 30", Outcome(**chances | {impossible: Fraction(0)}))


def test_wins_alone_tell_nothing_where_a_player_can_lose(monkeypatch: Patch) -> None:
    third = Fraction(1, 3)
    can_lose = SimpleNamespace(both=Outcome(third, third, third))
    monkeypatch.setattr(claims, "sides", lambda player, opponent: can_lose)
    with pytest.raises(ValueError, match="network can lose to random"):
        claims.match("network", "random")


@pytest.mark.parametrize(("wins", "likely"), [(840, False), (841, True), (903, True), (904, False)])
def test_other_wins_would_be_rejected(wins: int, likely: bool) -> None:
    """At the level of five tests."""
    found = sampling.test(claims.match("perfect", "random"), wins, None)
    assert (found.p_value >= 0.01 / 5) is likely


@pytest.mark.parametrize("never", ["11", "10", "01", "00"])
def test_one_seed_that_loses_is_enough(monkeypatch: Patch, never: str) -> None:
    found = (SimpleNamespace(never_loses=seed == "1") for seed in never)
    monkeypatch.setattr(claims, "tables", lambda: list(never))
    monkeypatch.setattr(claims, "verdict", lambda tree, table: next(found))
    assert claims.never_loses().holds is (never == "11")


@pytest.mark.parametrize(("misplaying", "holds"), [(20, False), (19, True), (0, True)])
def test_one_seed_that_misplays_no_position_of_its_own_games_is_enough(
    monkeypatch: Patch, misplaying: int, holds: bool
) -> None:
    """So many of twenty seeds misplay a position of their games as O."""
    seeds = iter([[1]] * misplaying)
    monkeypatch.setattr(claims, "misplayed", lambda tree, table: next(seeds, []))
    seen = np.arange(len(analysis.tree3())) == 1
    monkeypatch.setattr(claims, "reachable", lambda tree, table, side: seen & (side == -1))
    assert claims.perfect_player().holds is holds


@pytest.mark.parametrize(("name", "wins"), [("random", 2), ("ply 3", 2), ("ply 3", 1)])
def test_to_beat_is_to_win_more_than_one_loses(monkeypatch: Patch, name: str, wins: int) -> None:
    even = SimpleNamespace(win=Fraction(wins, 5), loss=Fraction(2, 5))
    ahead = SimpleNamespace(win=Fraction(3, 5), loss=Fraction(2, 5))
    monkeypatch.setattr(claims, "chance", lambda _, other: even if other == name else ahead)
    assert not claims.beats_inferior().holds


@pytest.mark.parametrize(("ours", "holds"), [(4, True), (3, False), (2, False)])
def test_more_wins_than_the_perfect_player(monkeypatch: Patch, ours: int, holds: bool) -> None:
    wins = {"network": Fraction(ours, 5), "perfect": Fraction(3, 5)}
    monkeypatch.setattr(claims, "chance", lambda who, _: SimpleNamespace(win=wins[who]))
    assert claims.beats_random_more().holds is holds


@pytest.mark.parametrize(
    ("cells", "holds"), [([4], True), ([0, 4], False), ([0], False), ([3], False)]
)
def test_the_centre_is_taken_if_nothing_else_may_be(
    monkeypatch: Patch, cells: list[int], holds: bool
) -> None:
    table = np.zeros((len(analysis.tree3()), 9), dtype=np.int64)
    table[:, cells] = 1
    monkeypatch.setattr(claims, "tables", lambda: [table])
    assert claims.takes_centre().holds is holds


@pytest.mark.parametrize(("elsewhere", "holds"), [([], True), ([0], False)])
def test_one_opening_elsewhere_is_enough(
    monkeypatch: Patch, elsewhere: list[int], holds: bool
) -> None:
    table = np.zeros((len(analysis.tree3()), 9), dtype=np.int64)
    table[:, 4] = 1
    table[elsewhere] = np.eye(9, dtype=np.int64)[0]
    monkeypatch.setattr(claims, "tables", lambda: [table])
    assert claims.takes_centre().holds is holds


def test_a_player_with_a_favourite_opening_does_not_pick_any(monkeypatch: Patch) -> None:
    opponent = analysis.opponent("perfect").copy()
    opponent[0] = np.arange(9)
    monkeypatch.setattr(analysis, "opponent", lambda name: opponent)
    assert not claims.openings_drawn().holds


def test_one_opening_that_wins_is_not_a_draw(monkeypatch: Patch) -> None:
    tree, alike = valued([1], 1), np.ones((1, 9))
    monkeypatch.setattr(analysis, "tree3", lambda: tree)
    monkeypatch.setattr(analysis, "opponent", lambda name: alike)
    assert not claims.openings_drawn().holds


def test_a_corner_with_more_losing_replies_is_better(monkeypatch: Patch) -> None:
    tree = analysis.tree3()
    corner = valued(tree.children[tree.children[0, 0], 1:], 1)
    chosen = SimpleNamespace(most=1, choices=1, by_chance=1.0, missed=())
    monkeypatch.setattr(analysis, "traps", lambda table, side: chosen)
    monkeypatch.setattr(analysis, "tree3", lambda: corner)
    assert not claims.centre_maximises_replies().holds


@pytest.mark.parametrize(("corner", "holds"), [(1, True), (2, True), (3, False)])
def test_one_opening_with_more_losing_replies_than_the_centre_is_enough(
    monkeypatch: Patch, corner: int, holds: bool
) -> None:
    """Two replies to the centre lose, and none to the other seven openings."""
    replies = analysis.tree3().children[analysis.tree3().children[0]]
    tree = valued(replies[replies >= 0], 0)
    tree.value[[*replies[4, :2], *replies[0, 1 : 1 + corner]]] = 1
    chosen = SimpleNamespace(most=1, choices=1, by_chance=1.0, missed=())
    monkeypatch.setattr(analysis, "traps", lambda table, side: chosen)
    monkeypatch.setattr(analysis, "tree3", lambda: tree)
    assert claims.centre_maximises_replies().holds is holds


@pytest.mark.parametrize(
    ("missed", "told"),
    [((), "its opening is among them"), ((0,), "the exception is its opening"),
     ((0, 4000), "its opening is not among them"), ((4000,), "its opening is among them")],
)  # fmt: skip
def test_where_fewer_replies_are_left_is_told(
    monkeypatch: Patch, missed: tuple[int, ...], told: str
) -> None:
    """As X in its opening or not; as O in answer to two edges, a corner and in a later state."""
    edges, corner = analysis.tree3().children[0, [1, 7]], analysis.tree3().children[0, 2]
    found = {1: missed, -1: (*edges, corner, 4000)}
    monkeypatch.setattr(analysis, "traps", lambda table, side: SimpleNamespace(
        most=1, choices=5, by_chance=1.0, missed=found[side]))  # fmt: skip
    reason = claims.centre_maximises_replies().reason
    assert f"1 of 5 cases (1.0 by chance; {told})" in reason
    assert "2 of the others are replies to an opening on an edge" in reason


def handed_over(monkeypatch: Patch, first: int, last: int) -> None:
    """X's opening brings so many hundredths, before and after its other move, of all that loses.

    The whole lead is 40 hundredths, that as X 20.
    """
    orders = {frozenset(): Fraction(first, 100), frozenset({2}): Fraction(last, 100)}
    monkeypatch.setattr(analysis, "gains_by_order", lambda *_: {0: orders})
    monkeypatch.setattr(claims, "gains", lambda: {
        0: Fraction(1, 20), 1: Fraction(1, 10), 2: Fraction(1, 20)})  # fmt: skip
    without = SimpleNamespace(first=SimpleNamespace(win=Fraction(100 - first, 100)))
    monkeypatch.setattr(analysis, "play", lambda *_: without)


@pytest.mark.parametrize(
    ("first", "last", "holds"),
    [(1, 0, True), (9, 20, True), (0, 1, False), (-1, 1, False), (10, 0, False), (11, 0, False)],
)
def test_an_opening_costs_wins_but_few_of_them(
    monkeypatch: Patch, first: int, last: int, holds: bool
) -> None:
    handed_over(monkeypatch, first, last)
    assert claims.opening_costs().holds is holds


def test_each_share_of_an_opening_is_named_by_its_order(monkeypatch: Patch) -> None:
    handed_over(monkeypatch, 4, -1)
    found = claims.opening_costs()
    assert found.found.startswith("as O it fails in 0.9600 of the games instead of 1.0000")
    assert (
        "Of the network's whole lead the difference is 10.0%, of its lead as X 20.0%"
        in found.reason
    )
    assert "the opening brings -2.5% to 10.0% of the whole lead" in found.reason
    assert "over all orders (its Shapley value) 25.0%" in found.reason


@pytest.mark.parametrize(
    ("least", "most", "holds"),
    [(6, 8, True), (5, 6, None), (4, 6, None), (4, 5, False), (2, 4, False)],
)
def test_most_of_the_gain_in_every_order_or_in_none(
    monkeypatch: Patch, least: int, most: int, holds: bool | None
) -> None:
    """The first moves of both sides bring each half of so many tenths, by order."""
    orders = {0: Fraction(least, 20), 1: Fraction(most, 20)}
    monkeypatch.setattr(analysis, "gains_by_order", lambda *_: {0: orders, 1: orders})
    monkeypatch.setattr(claims, "gains", lambda: {0: Fraction(1, 4), 1: Fraction(1, 4)})
    assert claims.because_of_centre().holds is holds


@pytest.mark.parametrize("side", [1, -1])
def test_perfect_play_is_asked_of_on_either_side(monkeypatch: Patch, side: int) -> None:
    """A misplayed position counts if only the games of one side lead there."""
    seen = np.arange(len(analysis.tree3())) == 1
    monkeypatch.setattr(claims, "misplayed", lambda tree, table: [1])
    monkeypatch.setattr(claims, "reachable", lambda tree, table, of: seen & (of == side))
    assert not claims.perfect_player().holds

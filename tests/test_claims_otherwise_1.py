"""What answers a claim of document 1, on other data than the stored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import sampling
from ttt_lib.playout_mlp import claims, data, exact, model, study
from ttt_lib.playout_mlp.data import GRID, Examples, examples

Patch = pytest.MonkeyPatch

# ---------------------------------------------------------------------------- the data set


def playout(moves: Sequence[int], results: str) -> str:
    """Boards after each move of X, and the results they are labelled with, as printed."""
    board, rows = GRID.initial(), []
    for cell in moves:
        board = GRID.play(board, np.array([cell]))
        rows.append(board[0].tolist())
    return f"{rows[::2]} {results}"


@pytest.mark.parametrize(
    ("moves", "results", "holds"),
    [
        ((0, 3, 1, 4, 5, 7, 2), "1 1 1 1", True),
        ((0, 3, 1, 4, 5, 7, 2), "0 1 1 1", False),
        ((0, 3, 1, 4, 5, 7, 2), "1 1 1 0", False),
        ((0, 3, 1, 4, 5, 7, 6), "0 0 0 0", False),
    ],
)
def test_a_playout_ends_as_it_is_labelled(moves: Sequence[int], results: str, holds: bool) -> None:
    assert claims.sample_playout(playout(moves, results)).holds is holds


def test_a_playout_has_one_stone_of_each_more_from_row_to_row() -> None:
    """Here x alone puts both stones between two rows, or one is moved or taken."""
    rows = [[0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 0, 0, 1, 1],
            [0, 0, 0, 0, 1, 1, -1, 1, 1], [1, 0, 0, -1, 1, 1, -1, 1, 1]]  # fmt: skip
    assert not claims.sample_playout(f"{rows},[1, 1, 1, 1]").holds
    assert not claims.played(np.array([[1, 0, 0], [0, 1, -1]], dtype=np.int8))
    assert not claims.played(np.array([[1, 0, -1], [1, 1, 0]], dtype=np.int8))
    assert not claims.played(np.array([[0, 0, 0], [1, -1, 0]], dtype=np.int8))
    assert claims.played(np.array([[1, 0, 0], [1, 1, -1]], dtype=np.int8))


def test_who_won_a_playout_is_told() -> None:
    assert claims.sample_playout(playout((0, 3, 1, 4, 5, 7, 2), "1 1 1 1")).found == (
        "legal, and x wins with x's fourth move"
    )


def test_a_playout_adds_two_stones_from_row_to_row() -> None:
    first, *_ = playout((8,), "").split("]")
    *_, later = playout((0, 3, 1, 4, 5, 7, 2), "1 1 1 1").partition("]")
    assert not claims.sample_playout(first + later).holds


def test_a_board_with_no_stone_is_not_after_a_move_of_x() -> None:
    assert claims.shown_rows("0,0,0,0,0,0,0,0,0,1").holds
    assert not claims.shown_rows("0,0,0,0,0,0,0,0,0,0").holds


@pytest.mark.parametrize(
    ("results", "rest"),
    [
        ("1 1 1 1 0 0 0 0 0 0", "a draw (5 rows) and a draw (1 row)"),
        ("1 1 1 1 0 0 0 0 0 1", "a draw (5 rows) and x wins (1 row)"),
        ("1 1 1 1 -1 -1 -1 1 1 1", "o wins (3 rows) and x wins (3 rows)"),
        ("1 1 1 1 -1 -1 -1 -1 -1 -1", "o wins (3 rows) and o wins (3 rows)"),
        ("1 1 1 1 1 1 1 -1 -1 -1", "x wins (3 rows) and o wins (3 rows)"),
        ("1 1 1 1 0 0 0 0 1 1", None),
        ("1 1 1 1 0 0 0 1 1 1", None),
        ("1 1 1 1 1 1 0 0 0 0", None),
        ("1 1 1 1 -1 -1 0 0 0 0", None),
        ("1 1 1 1 -1 -1 -1 -1 -1 0", None),
        ("1 1 1 0 0 0 0 0 0 0", None),
    ],
)
def test_labels_are_a_win_of_four_and_whole_games(results: str, rest: str | None) -> None:
    found = claims.shown_labels(results)
    assert found.holds is (rest is not None)
    if rest:
        assert found.found == f"a win of 4 rows, then {rest}, the last cut off"


@pytest.mark.parametrize(
    ("row", "other"),
    [
        ("0,0,0,1,0,0,0,0,0,0", "0,1,0,0,0,0,0,0,0,0"),
        ("3,0,-1,1,-1,-1,0,1,1,1", "3,1,-1,1,-1,-1,0,1,0,1"),
        ("4,1,0,0,0,0,0,0,0,0", "4,0,0,0,0,0,0,0,0,0"),
    ],
)
def test_labels_fit_no_other_rows(monkeypatch: Patch, row: str, other: str) -> None:
    rows = claims.quoted("shown-rows")
    assert row in rows
    monkeypatch.setattr(claims, "quoted", lambda claim: rows.replace(row, other))
    assert not claims.shown_labels("1 1 1 1 0 0 0 0 0 0").holds


@pytest.mark.parametrize(("empties", "holds"), [("1 8 2 6 3 4 4 2 5 0", True), ("1 8 2 7", False)])
def test_numbers_of_empty_cells_are_even(empties: str, holds: bool) -> None:
    assert claims.shown_empties(empties).holds is holds


@pytest.mark.parametrize("label", [1, -1])
def test_a_wrong_label_of_either_kind_is_noticed(monkeypatch: Patch, label: int) -> None:
    rows = examples(rng=0)
    wrong = Examples(rows.boards, np.full_like(rows.outcomes, label), rows.games)
    monkeypatch.setattr(claims, "examples", lambda rng: wrong)
    assert not claims.labels().holds


def test_boards_of_both_players_are_neither_one_nor_the_other(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "examples", lambda rng, record: examples(rng=rng, record="both"))
    assert not claims.recorded_boards().holds


FOUR = ("xxxoo....", "xo.xo.o..", "xoxxoooxx", "x........")


@pytest.mark.parametrize(
    ("stones", "winners", "finished", "holds"),
    [
        (FOUR, [1, -1, 0, 0], [True, True, True, False], False),
        (("xxxoo....", "xxxoo....", *FOUR[2:]), [1, 1, 0, 0], [True, True, True, False], False),
        (("xxxoo....", "xxoxo.o..", *FOUR[2:]), [1, -1, 0, 0], [True, True, True, False], True),
        (("xxxoo....", "xxoxo.o..", *FOUR[2:]), [1, -1, 0, 0], [True, True, False, False], False),
        (("xxxoo....", "xxoxo.o..", *FOUR[2:]), [1, -1, 0, 0], [True, True, True, True], False),
        (("xxxoo....", "xxxooo...", *FOUR[2:]), [1, -1, 0, 0], [True, True, True, False], False),
    ],
)
def test_each_board_has_one_of_four_results(
    monkeypatch: Patch, stones: tuple[str, ...], winners: list[int], finished: list[bool],
    holds: bool,
) -> None:  # fmt: skip
    """No line for o, one for x in its place, all as it should be, other ends, both with a line."""
    sides = {"x": 1, "o": -1, ".": 0}
    game = SimpleNamespace(
        boards=np.array([[sides[stone] for stone in board] for board in stones], dtype=np.int8),
        winner=np.array(winners), finished=np.array(finished),
    )  # fmt: skip
    monkeypatch.setattr(exact, "tree", lambda: game)
    assert claims.four_results().holds is holds


@pytest.mark.parametrize("cells", GRID.lines.tolist())
def test_every_line_is_seen(cells: list[int]) -> None:
    board = np.zeros((1, 9), dtype=np.int8)
    board[0, cells] = -1
    assert claims.line_of(board, -1).all()
    assert not claims.line_of(board, 1).any()
    board[0, cells[0]] = 1
    assert not claims.line_of(board, -1).any()


def printed_board(stones: str) -> str:
    """A board as the document prints it."""
    cells = [f"'{stone}'" for stone in stones.replace(".", " ")]
    return f"[[{'] ['.join(' '.join(cells[row : row + 3]) for row in (0, 3, 6))}]]"


@pytest.mark.parametrize(
    ("stones", "position", "holds"),
    [
        ("....x....", 4, True),
        ("x........", 0, True),
        ("x........", 4, False),
        (".........", 4, False),
        ("....o....", 4, False),
        ("x...x....", 4, False),
    ],
)
def test_a_printed_board_has_x_at_its_position_and_nothing_else(
    stones: str, position: int, holds: bool
) -> None:
    text = f"State for placing an x at position {position}: {printed_board(stones)}"
    assert claims.placed(text).holds is holds


# ---------------------------------------------------------------------------- settings


@pytest.mark.parametrize(("rows", "read"), [([9, 5], True), ([5, 9], True), ([999, 999], False)])
def test_playouts_are_read_if_they_change_the_rows(
    monkeypatch: Patch, rows: list[int], read: bool
) -> None:
    counts = iter(rows)
    monkeypatch.setattr(claims, "examples", lambda playouts, rng: range(next(counts)))
    assert claims.playouts_read().read is read


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_a_share_for_testing_is_read_whichever_is_larger(monkeypatch: Patch, share: float) -> None:
    monkeypatch.setattr(data, "TEST_SHARE", share)
    assert claims.test_size_read().read


def test_a_share_that_changes_nothing_is_not_read(monkeypatch: Patch) -> None:
    monkeypatch.setattr(data, "TEST_SHARE", 0.5)
    assert not claims.test_size_read().read


def test_of_an_odd_number_of_rows_the_larger_half_is_for_testing(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "examples", lambda rng: range(9))
    found = claims.test_size_read().found
    assert found == "2 of 9 rows are for testing, with a half 5"


def test_a_setting_that_changes_nothing_is_not_read() -> None:
    assert not claims.setting_read("MAX_ITERATIONS", model.MAX_ITERATIONS).read


@pytest.mark.parametrize(
    ("before", "after", "read"),
    [([0], [0.0009], False), ([0], [0.0011], True), ([0], [0, 0], True)],
)
def test_a_setting_is_read_if_predictions_move_by_a_thousandth(
    monkeypatch: Patch, before: list[float], after: list[float], read: bool
) -> None:
    outputs = iter([np.array(before), np.array(after)])
    net = SimpleNamespace(expected=lambda boards: next(outputs))
    monkeypatch.setattr(model, "as_net", lambda fit: net)
    assert claims.setting_read("MAX_ITERATIONS", 5).read is read


# ---------------------------------------------------------------------------- the fit


def test_what_lies_beyond_all_seeds_is_below_the_least_or_above_the_most(
    monkeypatch: Patch,
) -> None:
    below, least, most, above, *_ = claims.CHANCES
    run = dict.fromkeys(claims.CHANCES, 0.3) | {below: 0.1, least: 0.2, most: 0.4, above: 0.5}
    seeds = pd.DataFrame({column: [0.2, 0.4] for column in claims.CHANCES})
    monkeypatch.setattr(claims, "table", lambda: seeds)
    monkeypatch.setattr(claims, "published_run", lambda: run)
    assert claims.beyond_all() == [below, above]


def test_a_seed_is_beyond_all_others_where_it_alone_is_the_least_or_the_most(
    monkeypatch: Patch,
) -> None:
    alone, shared, *_ = claims.CHANCES
    seeds = pd.DataFrame({column: [0.5, 0.5, 0.5, 0.5] for column in claims.CHANCES})
    seeds[alone], seeds[shared] = [0.1, 0.2, 0.3, 0.4], [0.6, 0.1, 0.6, 0.3]
    monkeypatch.setattr(claims, "table", lambda: seeds)
    assert claims.beyond_all_others() == [1, 1, 0, 1]


def test_the_error_of_two_seeds_is_half_their_distance(monkeypatch: Patch) -> None:
    columns = ("late_accuracy", "oracle_late_accuracy", "population_late_accuracy")
    seeds = pd.DataFrame([(0.9, 0.9, 0.8), (0.8, 0.9, 0.8)], columns=columns)
    monkeypatch.setattr(claims, "table", lambda: seeds)
    assert "standard error 0.050" in claims.late_draws().reason


@pytest.mark.parametrize(("rows", "holds"), [(399, True), (400, False)])
def test_a_share_of_fewer_rows_than_the_largest_number(rows: int, holds: bool) -> None:
    assert claims.late_is_a_share(f"Accuracy: {1 / rows}").holds is holds


@pytest.mark.parametrize(
    ("shifts", "holds"),
    [
        ((-0.02, -0.021, -0.019), True),
        ((0.02, 0.021, 0.019), False),
        ((-0.02, 0.02, -0.01), None),
        ((0.02, -0.02, 0.01), None),
    ],
)
def test_early_boards_have_more_than_their_share_of_the_unfinished_beyond_chance(
    monkeypatch: Patch, shifts: tuple[float, ...], holds: bool | None
) -> None:
    """Of three seeds: no errors on finished boards, equally many elsewhere but for these shifts."""
    unfinished = 1 - float(exact.finished_share(exact.population()))
    right = 0.6 + np.array(shifts)
    seeds = pd.DataFrame({"population_accuracy_8": right, "population_accuracy_6": right})
    seeds["population_accuracy"] = 1 - 0.4 * unfinished
    monkeypatch.setattr(claims, "table", lambda: seeds)
    for column in ("population_accuracy_4", "accuracy", "oracle_accuracy"):
        seeds[column] = right
    monkeypatch.setattr(claims, "table", lambda: seeds)
    found = claims.not_great()
    assert found.holds is holds
    assert found.tested is (holds is None)


def test_up_to_three_and_up_to_five_moves_must_agree(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "_more_errors", lambda cut: len(cut) == 2)
    found = claims.not_great()
    assert (found.holds, found.tested) == (None, False)
    monkeypatch.setattr(claims, "_more_errors", lambda cut: True if len(cut) == 2 else None)
    found = claims.not_great()
    assert (found.holds, found.tested) == (None, True)


def test_boards_after_one_move_and_after_up_to_five_are_told() -> None:
    seeds, rest = claims.table(), claims.running()
    missed = 1 - seeds.population_accuracy_8
    people = exact.population()
    share = float(people.where(people.empties == 8).rows_per_playout / people.rows_per_playout)
    one = (share * missed / (1 - seeds.population_accuracy)).mean()
    share = float(claims.early_share(rest, (8,)))
    told = f"boards with 8 empty cells make up {one:.1%} and {share:.1%} and boards with 8 or 6 or"
    assert told in claims.not_great().reason


def test_without_early_boards_the_late_ones_are_left(monkeypatch: Patch) -> None:
    people = exact.population()
    assert exact.ceiling(people) < claims.without_early() < 1
    monkeypatch.setattr(claims, "EARLY", (8, 6, 4, 2))
    assert claims.without_early() == 1


@pytest.mark.parametrize(("right", "likely"), [(0, False), (5, True), (10, False)])
def test_ten_rows_of_runs_that_are_half_right(monkeypatch: Patch, right: int, likely: bool) -> None:
    seeds = pd.DataFrame({"test_rows": [800], "count_oo": 100, "count_dd": 100, "count_xx": 200})
    monkeypatch.setattr(claims, "table", lambda: seeds)
    true, said = "1 " * 10, "1 " * right + "0 " * (10 - right)
    distribution = claims.first_ten(f"{true}{said}[{right} of 10 agree]", right)
    assert (sampling.test(distribution, right, 10).p_value > 0.01) is likely


def test_another_count_than_the_lists_give_is_noticed() -> None:
    printed = claims.quoted("first-ten")
    assert claims.first_ten(printed, 4).reason
    with pytest.raises(ValueError, match="4 printed predictions are right"):
        claims.first_ten(printed, 5)


@pytest.mark.parametrize(("old", "new"), [("82", "83"), ("56", "57")])
def test_another_matrix_implies_another_accuracy(monkeypatch: Patch, old: str, new: str) -> None:
    quote = claims.quoted("matrix")
    assert claims.consistent_accuracy().value == quote.split()[-1]
    claims.confusion.cache_clear()
    monkeypatch.setattr(claims, "quoted", lambda claim: quote.replace(old, new, 1))
    assert claims.consistent_accuracy().value != quote.split()[-1]
    claims.confusion.cache_clear()


@pytest.mark.parametrize(
    ("errors", "holds"),
    [
        (Fraction(70, 121) + Fraction(1, 1000), True),
        (Fraction(70, 121), False),
        (Fraction(55, 100), False),
        (Fraction(48, 100), False),
    ],
)
def test_early_boards_produce_many_errors_if_more_than_their_share_of_the_unfinished(
    monkeypatch: Patch, errors: Fraction, holds: bool
) -> None:
    """Of the unfinished boards 70 in 121 are early: with as many of the errors none is harder."""
    shares = {8: errors / 3, 6: 2 * errors / 3, 4: 1 - errors}
    monkeypatch.setattr(exact, "error_shares", lambda people: shares)
    assert claims.few_moves().holds is holds


def test_early_boards_are_counted_among_those_on_which_the_game_goes_on() -> None:
    people = exact.population()
    joint = people.joint[np.isin(people.empties, (8, 6))].sum()
    assert claims.early_share(people) == Fraction(int(joint), int(people.joint.sum()))
    assert claims.early_share(people) < claims.early_share(claims.running()) == Fraction(70, 121)


@pytest.mark.parametrize(
    ("done", "least", "holds"),
    [(0, 1, True), (0, 0, None), (Fraction(1, 9), 1, None), (Fraction(1, 9), 0, False)],
)
def test_two_are_left_where_no_game_is_over_and_no_board_is_full(
    monkeypatch: Patch, done: Fraction, least: int, holds: bool | None
) -> None:
    monkeypatch.setattr(exact, "finished_share", lambda people: Fraction(done))
    people = exact.population()
    monkeypatch.setattr(exact, "late", lambda _: people.where(people.empties >= least))
    assert claims.two_left().holds is holds


# ---------------------------------------------------------------------------- single boards


@pytest.mark.parametrize(
    ("classes", "gap", "holds"),
    [
        ("array([0]) " * 4, 0, True),
        ("array([0]) " * 4, -1.5e-8, True),
        ("array([0]) " * 4, 3e-8, False),
        ("array([0]) " * 4, -3e-8, False),
        ("array([0]) " * 3 + "array([1])", 0, False),
    ],
)
def test_classes_are_the_likeliest_of_chances_that_add_up_to_one(
    monkeypatch: Patch, classes: str, gap: float, holds: bool
) -> None:
    chances = np.array([[0.2, 0.6, 0.2]] * 3 + [[0.2, 0.6, 0.2 + gap]])
    monkeypatch.setattr(claims, "chances_printed", lambda: chances)
    assert claims.classes_of_chances(classes).holds is holds


def test_one_board_with_x_to_move_among_those_of_o(monkeypatch: Patch) -> None:
    monkeypatch.setattr(study, "EXAMPLES", ("x........", "........."))
    assert not claims.side_to_move().holds


@pytest.mark.parametrize(("value", "holds"), [(-1, False), (0, True), (1, False)])
def test_a_drawn_board_is_neither_won_nor_lost(monkeypatch: Patch, value: int, holds: bool) -> None:
    monkeypatch.setattr(study, "EXAMPLES", ("....x....",))
    assert claims.comment(1, value).holds is holds


@pytest.mark.parametrize(
    ("six", "seven", "holds"), [(1, 0, True), (0, 1, False), (0, -1, False), (0, 0, True)]
)
def test_seven_draws_by_its_own_value(
    monkeypatch: Patch, six: int, seven: int, holds: bool
) -> None:
    values = {6: six, 7: seven}
    monkeypatch.setattr(claims, "move_value", lambda text, cell: values.get(cell, 1))
    assert claims.drawing_move().holds is holds


@pytest.mark.parametrize(
    ("drawn", "holds"), [([7], True), ([3, 7], False), ([7, 8], False), ([3], False), ([8], False)]
)
@pytest.mark.parametrize("value", [0, 1])
def test_the_only_move_reaches_the_value_alone(
    monkeypatch: Patch, drawn: list[int], holds: bool, value: int
) -> None:
    monkeypatch.setattr(claims, "move_value", lambda text, cell: value if cell in drawn else -1)
    assert claims.only_move(2, 7, 0).holds is holds


@pytest.mark.parametrize(("best", "holds"), [(3, False), (4, True), (5, False)])
def test_the_centre_is_cell_four(monkeypatch: Patch, best: int, holds: bool) -> None:
    monkeypatch.setattr(claims, "move_scores", lambda *_: lambda board: np.eye(9)[[best]])
    assert claims.centre().holds is holds


def test_nothing_is_said_of_nine_draws_where_one_opening_loses(monkeypatch: Patch) -> None:
    assert claims.centre().reason
    monkeypatch.setattr(claims, "move_value", lambda text, cell: -1 if cell == 1 else 0)
    assert not claims.centre().reason


def test_seeds_are_counted_by_the_cell_of_their_largest_utility(monkeypatch: Patch) -> None:
    seeds = pd.DataFrame({"u2_3": [1, 0, 0], "u2_5": [0, 1, 1], "u3_2": [2, 2, 2]})
    monkeypatch.setattr(claims, "table", lambda: seeds)
    assert [claims.best_cell(2, cell) for cell in (3, 5)] == [1, 2]


@pytest.mark.parametrize(
    "tables", [("x........", *study.TABLES[1:]), (*study.TABLES[:2], "ox...x.xo")]
)
def test_a_table_of_other_moves_is_noticed(monkeypatch: Patch, tables: tuple[str, ...]) -> None:
    monkeypatch.setattr(study, "TABLES", tables)
    assert not claims.listed_cells(claims.quoted("all-moves")).holds


@pytest.mark.parametrize(
    ("old", "new"),
    [("x chooses 8 ...", "..."), ("x chooses 3", "x chooses 4"), ("x chooses 2 ...", "...")],
)
def test_a_move_that_is_not_printed_is_noticed(old: str, new: str) -> None:
    printed = claims.quoted("all-moves")
    assert claims.listed_cells(printed).holds
    assert old in printed
    assert not claims.listed_cells(printed.replace(old, new, 1)).holds


# ---------------------------------------------------------------------------- what it is for


@pytest.mark.parametrize(
    ("gains", "holds"),
    [
        ((0.05, 0.07), True),  # one of four tests, p = .0019
        ((0.03, 0.05), None),  # p = .0062
        ((-0.05, -0.07), None),
        ((0.01, -0.01), None),
    ],
)
def test_a_network_can_help_if_it_does_at_one_depth_beyond_chance(
    monkeypatch: Patch, gains: tuple[float, float], holds: bool | None
) -> None:
    """At depth 3 so much; at the other depths as much gained as lost."""
    monkeypatch.setattr(
        claims, "_gains", lambda depth: np.array([*gains, *gains] if depth == 3 else [1, -1, 1, -1])
    )
    assert claims.heuristic_minimax().holds is holds


def test_a_network_that_hurts_at_every_depth_is_no_help(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "_gains", lambda depth: np.array([-0.05, -0.07, -0.05, -0.07]))
    assert claims.heuristic_minimax().holds is False


def test_playouts_that_do_as_well_are_not_better(monkeypatch: Patch) -> None:
    games = claims.table("playout_mlp_games.csv")
    plain = games[games["player"] == "pmc random"]
    alike = pd.concat([plain, plain.assign(player="pmc mlp")])
    monkeypatch.setattr(claims, "table", lambda name: alike)
    assert claims.better_playouts("pmc").holds is None


def fixtures(player: str, wins: Sequence[int]) -> pd.DataFrame:
    """Matches of 10,000 games without a draw, one against each opponent."""
    rows = pd.DataFrame({"win": wins}).assign(games=10_000, player=player, playouts=1, side="x")
    return rows.assign(loss=10_000 - rows["win"], opponent=[str(n) for n in range(len(wins))])


@pytest.mark.parametrize(
    ("more", "holds"),
    [
        ([187], True),  # z = 2.65, p = .008
        ([177], None),  # z = 2.50, p = .012
        ([-400], False),
        ([-400, -177], None),
        ([400, -400, -400], True),
        ([187, 0], None),  # one of two tests
    ],
)
def test_playouts_can_be_better_if_one_fixture_is_surely_so(
    monkeypatch: Patch, more: list[int], holds: bool | None
) -> None:
    plain = fixtures("pmc random", [5000] * len(more))
    guided = fixtures("pmc mlp", [5000 + wins for wins in more])
    monkeypatch.setattr(claims, "table", lambda name: pd.concat([plain, guided]))
    found = claims.better_playouts("pmc")
    assert found.holds is holds
    better, worse = re.findall(r"(\d+) clearly", found.found)
    assert f"it is so in {better}, and clearly the other way in {worse} (" in found.reason


@pytest.mark.parametrize("wins", [0, 10_000])
def test_fixtures_without_any_spread_count_by_their_difference(
    monkeypatch: Patch, wins: int
) -> None:
    certain = [fixtures("pmc random", [0]), fixtures("pmc mlp", [wins])]
    monkeypatch.setattr(claims, "table", lambda name: pd.concat(certain))
    assert claims.better_playouts("pmc").holds is (True if wins else None)


def test_a_board_that_play_cannot_reach_is_no_row() -> None:
    """One X more than O, as after a move of X, but both sides own a line."""
    with pytest.raises(ValueError, match="no play reaches"):
        claims.shown_rows("0,1,1,1,-1,-1,-1,1,0,0")

"""What answers a claim of document 1, on other data than the stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from claim_answers import (
    Parts,
    Patch,
    Row,
    always,
    answer,
    checks_of,
    in_turn,
    made,
)
from result_words.playout_mlp import alone_and_together, opinions_printed, would_pass

from ttt_lib.evidence import significance
from ttt_lib.evidence.claims import declared
from ttt_lib.evidence.rounding import agrees
from ttt_lib.playout_mlp import ceilings, claims, model, players, runs, study
from ttt_lib.playout_mlp.data import GRID, examples


def printed(claim: str, old: str, new: str) -> Parts:
    """The document with other words in what a claim quotes."""
    words = claims.quoted(claim)
    assert old in words
    other = words.replace(old, new, 1)
    return {"quoted": lambda name, quoted=claims.quoted: other if name == claim else quoted(name)}


def ended(x: str, o: str, winners: list[int], finished: list[bool]) -> Parts:
    """Four boards, the last two full and begun, with their winners and whether they are final."""
    sides = {"x": 1, "o": -1, ".": 0}
    stones = [[sides[stone] for stone in board] for board in (x, o, "xoxxoooxx", "x........")]
    tree = made(boards=np.array(stones, dtype=np.int8), winner=np.array(winners),
                finished=np.array(finished))  # fmt: skip
    return {"ceilings.tree": tree}


def shifted(*shifts: float) -> Parts:
    """Of three seeds: no errors on finished boards, equally many elsewhere but for these shifts."""
    unfinished = 1 - float(ceilings.finished_share(ceilings.population()))
    columns = ("population_accuracy_8", "population_accuracy_6", "population_accuracy_4",
               "accuracy", "oracle_accuracy")  # fmt: skip
    seeds = pd.DataFrame(dict.fromkeys(columns, 0.6 + np.array(shifts)))
    return {"table": always(seeds.assign(population_accuracy=1 - 0.4 * unfinished))}


def fixtures(player: str, wins: Sequence[int]) -> pd.DataFrame:
    """Matches of 10,000 games without a draw, one against each opponent."""
    rows = pd.DataFrame({"win": wins}).assign(games=10_000, player=player, playouts=1, side="x")
    return rows.assign(loss=10_000 - rows["win"], opponent=[str(n) for n in range(len(wins))])


def guided(random: Sequence[int], mlp: Sequence[int], asked: str = "") -> Parts:
    """Wins of playouts at random and by a network, and what the network does at length."""
    games = pd.concat([fixtures("uct random", random), fixtures("uct mlp", mlp)])
    return {"table": always(games), **at_length(asked)}


def at_length(asked: str) -> Parts:
    """What a network that is asked about finished games, too, does there."""
    told = {"_ends_in_tree_search": always(""), "_asked_at_length": always("")}
    return {"does_at_length": lambda kind: asked * (kind == claims.ASKED), **told}


def as_well() -> Parts:
    """Playouts by a network do as those at random are stored."""
    games = claims.table("playout_mlp_games.csv")
    plain = games[games["player"] == "uct random"]
    both = pd.concat([plain, plain.assign(player="uct mlp")])
    return {"table": always(both), **at_length("makes no clear difference")}


def late_rows(rows: int) -> Parts:
    """The late accuracy is a share of so many rows."""
    return {"printed_shares": always({Fraction(1, rows)})}


def first_in(column: str) -> Parts:
    """The printed run has the largest utility of its table in this column."""
    return {"published_run": always(claims.published_run() | {column: 0.999})}


LITTLE = Fraction(1, 1000)

VERDICTS: list[Row] = [
    ("a wrong label in either print is noticed", claims.labels, printed,
     [("sample-playout", "[1, 1, 1, 1]", "[0, 0, 0, 0]", False),
      ("sample-playout", "[1, 1, 1, 1]", "[1, 1, 1, -1]", False),
      ("shown-labels", "[1, 1, 1, 1,", "[-1, -1, -1, -1,", False),
      ("shown-labels", "0])", "1])", True)]),
    ("boards after a move of o are not those of x", claims.recorded_boards, printed,
     [("sample-playout", "[0, 0, 0, 0, 1, 0, 0, -1, 1]", "[0, 0, 0, 0, 0, 0, 0, -1, 1]", False)]),
    ("boards of both players are neither one nor the other", claims.recorded_boards,
     lambda: {"examples": lambda rng, record: examples(rng=rng, record="both")}, [(False,)]),
    ("each board has one of four results", claims.four_results, ended,
     [("xxxoo....", "xo.xo.o..", [1, -1, 0, 0], [True, True, True, False], False),
      ("xxxoo....", "xxxoo....", [1, 1, 0, 0], [True, True, True, False], False),
      ("xxxoo....", "xxoxo.o..", [1, -1, 0, 0], [True, True, True, False], True),
      ("xxxoo....", "xxoxo.o..", [1, -1, 0, 0], [True, True, False, False], False),
      ("xxxoo....", "xxoxo.o..", [1, -1, 0, 0], [True, True, True, True], False),
      ("xxxoo....", "xxxooo...", [1, -1, 0, 0], [True, True, True, False], False)]),
    ("playouts are read if they change the rows", claims.playouts_read,
     lambda *rows: {"examples": in_turn(*map(range, rows))},
     [(9, 5, True), (5, 9, True), (999, 999, False)]),
    ("a share for testing is read whichever is larger", claims.test_size_read,
     lambda share: {"data.TEST_SHARE": share}, [(0.2, True), (0.7, True), (0.5, False)]),
    ("a setting is read if predictions move by a thousandth",
     partial(claims.setting_read, "MAX_ITERATIONS", 5),
     lambda *outputs: {"model.as_net": made(expected=in_turn(*map(np.array, outputs)))},
     [([0], [0.0009], False), ([0], [0.0011], True), ([0], [0, 0], True)]),
    ("early boards have more than their share of the unfinished beyond chance", claims.not_great,
     shifted,
     [(-0.02, -0.021, -0.019, (True, False)), (0.02, 0.021, 0.019, (False, False)),
      (-0.02, 0.02, -0.01, (None, True)), (0.02, -0.02, 0.01, (None, True))]),
    ("up to three and up to five moves must agree", claims.not_great,
     lambda later: {"_more_errors": lambda cut: True if len(cut) == 2 else later},
     [(False, (None, False)), (None, (None, True))]),
    # Of the unfinished boards 70 in 121 are early: with as many of the errors none is harder. With
    # those of up to five moves it is 305 in 363.
    ("early boards produce many errors if more than their share of the unfinished",
     claims.few_moves,
     lambda few, more: {"ceilings.error_shares": always(
         {8: few / 3, 6: 2 * few / 3, 4: more - few})},
     [(Fraction(70, 121) + LITTLE, Fraction(305, 363) + LITTLE, True),
      (Fraction(70, 121), Fraction(305, 363) + LITTLE, None),
      (Fraction(70, 121) + LITTLE, Fraction(305, 363), None),
      (Fraction(70, 121), Fraction(305, 363), False),
      (Fraction(48, 100), Fraction(70, 100), False)]),
    # Of 829 rows 232 have at most two empty cells, 162 exactly two, and 110 in a running game; with
    # four, too, it would be 431. Between two of them, none fits, or both.
    ("two are left if one reading fits the number of rows", claims.two_left, late_rows,
     [(231, True), (162, True), (110, True), (431, False), (310, False),
      (197, (False, True)), (134, (None, True))]),
    ("three results are possible on most boards with a few moves", claims.three_results,
     lambda few, more, later: {"open_share": lambda part, above=0: (
         later if 8 not in part.empties else more if 4 in part.empties else few)}, [
         (Fraction(6, 10), Fraction(6, 10), Fraction(5, 10), True),
         (Fraction(5, 10), Fraction(5, 10), Fraction(4, 10), False),
         (Fraction(6, 10), Fraction(6, 10), Fraction(6, 10), False),
         (Fraction(6, 10), Fraction(5, 10), Fraction(4, 10), None)]),
    ("one board with x to move among those of o", claims.side_to_move,
     lambda: {"study.EXAMPLES": ("x........", ".........")}, [(False,)]),
    ("seven draws by its own value", claims.drawing_move,
     lambda six, seven: {"move_value": lambda _, cell: {6: six, 7: seven}.get(cell, 1)},
     [(1, 0, True), (0, 1, False), (0, -1, False), (0, 0, True)]),
    ("the only move reaches the value alone", partial(claims.only_move, 2, 7, 0),
     lambda value, *drawn: {"move_value": lambda _, cell: value if cell in drawn else -1},
     [(value, *drawn, drawn == (7,)) for value in (0, 1)
      for drawn in ((7,), (3, 7), (7, 8), (3,), (8,))]),
    ("the printed tables must put all three advised moves first", claims.best_moves, first_in,
     [("u1_4", True), ("u1_0", False), ("u2_3", False), ("u3_6", False)]),
    ("the centre is cell four", claims.centre,
     lambda best: {"move_scores": always(always(np.eye(9)[[best]]))},
     [(3, False), (4, True), (5, False)]),
    ("a table of other moves is noticed",
     partial(claims.listed_cells, claims.quoted("all-moves")),
     lambda place, stones: {
         "study.TABLES": [*study.TABLES[:place], stones, *study.TABLES[place + 1 :]]},
     [(0, "x........", False), (2, "ox...x.xo", False)]),
    # At depth 3 so much; at the other depths as much gained as lost.
    ("a network can help if it does at one depth beyond chance", claims.heuristic_minimax,
     lambda *gains: {"_gains": lambda depth: np.tile(gains if depth == 3 else (1, -1), 2)},
     [(0.05, 0.07, True),  # one of four tests, p = .0019
      (0.03, 0.05, None),  # p = .0062
      (-0.05, -0.07, None), (0.01, -0.01, None)]),
    ("a network that hurts at every depth is no help", claims.heuristic_minimax,
     lambda *gains: {"_gains": always(np.array(gains))}, [(-0.05, -0.07, -0.05, -0.07, False)]),
    ("playouts that do as well are not better", partial(claims.better_playouts, "uct"), as_well,
     [(None,)]),
    ("fixtures without any spread count by their difference",
     partial(claims.better_playouts, "uct"), lambda wins: guided([10_000], [wins]),
     [(10_000, None), (0, False)]),
    ("exact chances decide without a test", partial(claims.better_playouts, "pmc"),
     lambda *gains: {"choices.gains": always(pd.Series(gains)), "better_by_chances": always("")},
     [(1e-5, -1, True), (1e-17, -1, (False, False)), (0, 0, (False, False))]),
]  # fmt: skip
"""In each row a sentence, what answers, what it is given, and in each case the answer."""


test_the_answer_follows_what_is_given = checks_of(VERDICTS)


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


def test_of_an_odd_number_of_rows_the_larger_half_is_for_testing(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "examples", lambda rng: range(9))
    found = claims.test_size_read().found
    assert found == "2 of 9 rows are for testing, with a half 5"


def test_a_setting_that_changes_nothing_is_not_read() -> None:
    assert not claims.setting_read("MAX_ITERATIONS", model.MAX_ITERATIONS).read


@pytest.mark.parametrize(("other", "read"), [(50, True), (100, False)])
def test_hidden_units_are_counted_in_the_network(other: int, read: bool) -> None:
    found = claims.size_read(other)
    assert (found.value, found.read) == (100, read)


def test_another_size_of_the_network_is_noticed(monkeypatch: Patch) -> None:
    """The constant says a hundred, the networks have fifty."""
    rows = examples(claims.FEW, rng=0)
    with pytest.MonkeyPatch.context() as smaller:
        smaller.setattr(model, "HIDDEN", 50)
        fit = model.train(rows, 0)
    monkeypatch.setattr(claims, "_plain", lambda: (rows, fit))
    assert claims.size_read(60).value == 50


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


def test_opinions_fail_as_a_whole_and_most_pass_alone() -> None:
    """What the reason says; the words are built where the notebook's are."""
    alone, together = alone_and_together()
    reason = claims.opinions().reason
    assert would_pass(opinions_printed())
    assert "each changed alone, could have been almost anything" in alone
    assert "most numbers could be changed alone, to nearly anything, and the set would" in reason
    assert (
        together
        == "(The test can fail: a set of numbers drawn at random would have been rejected.)"
    )
    assert "as a whole it could fail, since sets drawn at random do." in reason


def test_the_error_of_two_seeds_is_half_their_distance(monkeypatch: Patch) -> None:
    columns = ("late_accuracy", "oracle_late_accuracy", "population_late_accuracy")
    seeds = pd.DataFrame([(0.9, 0.9, 0.8), (0.8, 0.9, 0.8)], columns=columns)
    monkeypatch.setattr(claims, "table", lambda: seeds)
    assert "standard error 0.050" in claims.late_draws().reason


@pytest.mark.parametrize(("rows", "holds"), [(399, True), (400, False)])
def test_a_share_of_fewer_rows_than_the_largest_number(rows: int, holds: bool) -> None:
    assert claims.late_is_a_share(f"Accuracy: {1 / rows}").holds is holds


def test_boards_after_one_move_and_after_up_to_five_are_told() -> None:
    seeds, rest = claims.table(), claims.running()
    missed = 1 - seeds.population_accuracy_8
    people = ceilings.population()
    share = float(people.where(people.empties == 8).rows_per_playout / people.rows_per_playout)
    one = (share * missed / (1 - seeds.population_accuracy)).mean()
    share = float(claims.early_share(rest, (8,)))
    told = f"such boards are {share:.1%} of the unfinished ones and have {one:.1%} of the errors"
    assert told in claims.not_great().reason


def test_without_early_boards_the_late_ones_are_left(monkeypatch: Patch) -> None:
    people = ceilings.population()
    assert ceilings.ceiling(people) < claims.without_early() < 1
    monkeypatch.setattr(claims, "EARLY", (8, 6, 4, 2))
    assert claims.without_early() == 1


@pytest.mark.parametrize(("right", "likely"), [(0, False), (5, True), (10, False)])
def test_ten_rows_of_runs_that_are_half_right(monkeypatch: Patch, right: int, likely: bool) -> None:
    seeds = pd.DataFrame({"test_rows": [800], "count_oo": 100, "count_dd": 100, "count_xx": 200})
    monkeypatch.setattr(claims, "table", lambda: seeds)
    true, said = "1 " * 10, "1 " * right + "0 " * (10 - right)
    distribution = claims.first_ten(f"{true}{said}[{right} of 10 agree]", right)
    assert (significance.test(distribution, right, 10).p_value > 0.01) is likely


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


def test_early_boards_are_counted_among_those_on_which_the_game_goes_on() -> None:
    people = ceilings.population()
    joint = people.joint[np.isin(people.empties, (8, 6))].sum()
    assert claims.early_share(people) == Fraction(int(joint), int(people.joint.sum()))
    assert claims.early_share(people) < claims.early_share(claims.running()) == Fraction(70, 121)


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


@pytest.mark.parametrize(
    ("name", "column", "table", "cell"),
    [("mlp-same-net-2", "u2_5", 1, 5), ("mlp-same-net-3", "u3_2", 2, 2)],
)
def test_two_prints_of_one_board_name_the_move_and_how_many_of_our_networks_give_it(
    name: str, column: str, table: int, cell: int
) -> None:
    claim, seeds = declared(name), claims.table()
    reason = claims.utility_of_chances(**(claim.args | {"printed": str(claim.published)})).reason
    before, after = study.TABLES[table], study.EXAMPLES[claim.args["place"] - 1]
    assert after == f"{before[:cell]}x{before[cell + 1 :]}"
    assert f"In [{claim.args['place'] + 17}] shows board {table + 1} of In [25]" in reason
    assert f"after x has taken {cell}." in reason
    [given] = [value for value in seeds[column] if agrees(str(claim.published), value)]
    assert abs(given - float(str(claim.published))) < 0.005
    assert f"Of our {len(seeds)} networks 1 gives this value" in reason
    assert "networks 0 give this" in claims.utility_of_chances(claim.args["place"], "2.00").reason


@pytest.mark.parametrize(("value", "holds"), [(-1, False), (0, True), (1, False)])
def test_a_drawn_board_is_neither_won_nor_lost(monkeypatch: Patch, value: int, holds: bool) -> None:
    monkeypatch.setattr(study, "EXAMPLES", ("....x....",))
    assert claims.comment(1, value).holds is holds


def test_nothing_is_said_of_nine_draws_where_one_opening_loses(monkeypatch: Patch) -> None:
    assert claims.centre().reason
    monkeypatch.setattr(claims, "move_value", lambda text, cell: -1 if cell == 1 else 0)
    assert not claims.centre().reason


def test_seeds_are_counted_by_the_cell_of_their_largest_utility(monkeypatch: Patch) -> None:
    seeds = pd.DataFrame({"u2_3": [1, 0, 0], "u2_5": [0, 1, 1], "u3_2": [2, 2, 2]})
    monkeypatch.setattr(claims, "table", lambda: seeds)
    monkeypatch.setattr(claims, "ADVICE", {2: 5, 3: 2})
    assert claims.advised().tolist() == [[False, True, True], [True, True, True]]


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
    ("more", "clearly", "holds"),
    [
        ([187], (1, 0), None),  # z = 2.65, p = .008
        ([177], (0, 0), None),  # z = 2.50, p = .012
        ([-400], (0, 1), False),
        ([-400, -177], (0, 1), None),
        ([400, -400, -400], (1, 2), None),
        ([187, 0], (0, 0), None),  # one of two tests
    ],
)
@pytest.mark.parametrize("asked", ["helps", "hurts", "makes no clear difference"])
def test_playouts_can_be_better_if_by_the_documents_own_means_they_help_at_length(
    monkeypatch: Patch, more: list[int], clearly: tuple[int, int], holds: bool | None, asked: str
) -> None:
    """With knowledge of finished games, which uniform playouts lack, they may be better."""
    parts = guided([5000] * len(more), [5000 + wins for wins in more], asked)
    found = answer(monkeypatch, partial(claims.better_playouts, "uct"), parts)
    assert found.holds is (asked == "helps" or holds)
    better, worse = clearly
    assert f"of {len(more)} match-ups {better} clearly better, {worse} clearly" in found.found
    assert f"So it {'holds' if asked == 'helps' else 'does not hold'} in the one" in found.reason


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_network_that_knows_nothing_gains_nothing(monkeypatch: Patch, depth: int) -> None:
    """Both break ties by the lowest index."""
    blind = players.value_agent("blind", lambda after: np.zeros(len(after)), depth)
    stored = pd.DataFrame(runs._exact_rows({"seed": 0}, blind)).query("opponent == 'random'")
    monkeypatch.setattr(claims, "against_random", lambda values, depth: stored)
    assert claims._gains(depth) == pytest.approx([0])


def test_a_result_counts_if_it_is_likelier_than_a_limit_not_as_likely() -> None:
    """On boards with six empty cells a draw often has a chance of exactly one in ten."""
    six = claims.running().where(claims.running().empties == 6)
    at, below = Fraction(1, 10), Fraction(99, 1000)
    assert claims.open_share(six, at) < claims.open_share(six, below) < claims.open_share(six) < 1
    draws = claims.draws_after_one()
    assert draws == [Fraction(4, 35), Fraction(9, 70)]
    assert claims.mostly_open(draws[0]) == {True}
    assert claims.mostly_open(draws[1]) == {False}


def test_what_finished_games_are_worth_is_counted_by_match(monkeypatch: Patch) -> None:
    kinds = [(claims.NETWORK, claims.UNIFORM), (claims.NETWORK, claims.ENDS),
             (claims.UNFINISHED, claims.UNIFORM)]  # fmt: skip
    gains = dict(zip(kinds, ([1, 1, -1], [1, -1, 0], [0, -1, -1]), strict=True))
    others = dict(zip(kinds, ([2, 3], [1, 0], [2, 0]), strict=True))
    monkeypatch.setattr(claims.choices, "gains", lambda *kinds: pd.Series(gains[kinds]))
    monkeypatch.setattr(claims.choices, "matches_improved", lambda *kinds: pd.Series(others[kinds]))
    found = f"they {claims.better_by_chances()}"
    assert (
        "they have a better mean result (win minus loss) than uniform ones in 2 (2 to 3) of the 3"
        in found
    )
    assert "that know only finished games in 1 (0 to 1); those" in found
    assert "of unfinished games do better than uniform ones in 0 (0 to 2). (In" in found


@pytest.mark.parametrize(
    ("asked", "ends", "opinion", "told"),
    [
        (0.60, 0.54, 0.66, ("helps", "hurts", "hurts")),
        (0.63, 0.56, 0.63, ("makes no clear difference",) * 3),
        (0.66, 0.60, 0.60, ("hurts", "helps", "helps")),
    ],
)
def test_what_the_network_adds_to_tree_search_is_told_by_games(
    monkeypatch: Patch, asked: float, ends: float, opinion: float, told: tuple[str, ...]
) -> None:
    shares = {claims.UNIFORM: 0.63, claims.NETWORK: 0.56, claims.ENDS: ends, claims.ASKED: asked,
              claims.UNFINISHED: opinion}  # fmt: skip
    lost = (100_000 * np.array([*shares.values()])).round().astype(int)
    many = pd.DataFrame({"kind": shares.keys(), "playouts": 1, "side": "x", "opponent": "minimax",
                         "games": 100_000, "win": 0, "loss": lost})  # fmt: skip
    few = claims._matches("uct")[0].reset_index().assign(kind=claims.ENDS)
    few.loc[few.index[:3], "win"] += [1000, 1000, -1000]
    tables = {"playout_mlp_controls.csv": pd.concat([many, few])}
    tables |= {name: claims.table(name) for name in (
        "playout_mlp_games.csv", "playout_mlp_controls_by_network.csv")}  # fmt: skip
    monkeypatch.setattr(claims, "table", tables.__getitem__)
    found = f"{claims._asked_at_length()}; {claims._ends_in_tree_search()}"
    by_asking, beyond_ends, by_opinion = told
    assert "in a longer match, as x against minimax with 1 playout per cell, a network" in found
    assert f" loses {round(100_000 * asked):,} of 100,000 games, uniform playouts 63,000" in found
    each = claims.lost_by_network()[claims.ASKED]
    assert f"networks {each.min():.1%} to {each.max():.1%} lost instead of 63.0%)" in found
    assert f" playouts 63,000: that {by_asking} (" in found
    assert f"{ends:.1%} without, so there this network {beyond_ends}" in found
    fewer = (claims.lost_by_network()[claims.NETWORK] < ends).sum()
    assert found.endswith(f"with {fewer} of the 20 networks it loses less than without.")
    assert claims.does_at_length(claims.UNFINISHED) == by_opinion
    assert claims.changed_by_ends_alone() == (2, 1, 20)
    shares = claims.shares_lost_at_length()
    alone, *ends = ("seed 0 (100,000 games)", "least of 20 (40,000 games each)", "most of 20")
    assert shares[alone][claims.ASKED] == pytest.approx(asked, abs=1e-5)
    assert shares.loc[claims.ASKED, ends].tolist() == [each.min(), each.max()]


def test_a_board_that_play_cannot_reach_is_no_row() -> None:
    """One X more than O, as after a move of X, but both sides own a line."""
    with pytest.raises(ValueError, match="no play reaches"):
        claims.shown_rows("0,1,1,1,-1,-1,-1,1,0,0")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("4139,-1,1,-1,0,1,0,1,0,0 4140,-1,1,-1,1,1,-1,1,0,0",
         "4139,-1,1,-1,1,1,-1,1,0,0 4140,-1,1,-1,0,1,0,1,0,0"),
        ("4140,-1,1,-1,1,1,-1,1,0,0", "4140,-1,1,-1,1,1,0,1,-1,0"),  # nobody can have won
        ("1,0,0,1,0,-1,0,0,0,1", "1,0,0,0,0,-1,0,1,0,1"),
    ],
)  # fmt: skip
def test_rows_are_in_the_order_of_games(old: str, new: str) -> None:
    rows = claims.quoted("shown-rows")
    assert claims.shown_rows(rows).holds
    assert old in rows
    assert not claims.shown_rows(rows.replace(old, new)).holds


def test_no_row_follows_a_finished_game_but_the_first_of_another() -> None:
    won, first = (np.array(row, dtype=np.int8) for row in (
        [1, 1, 1, -1, -1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0, 0]))  # fmt: skip
    on = won + np.array([0, 0, 0, 0, 0, -1, 1, 0, 0], dtype=np.int8)
    assert claims.follows(won, first)
    assert not claims.follows(won, on)
    assert not claims.follows(first, first)


def test_settings_that_change_nothing_are_not_read(monkeypatch: Patch) -> None:
    assert claims.policy_read().read
    assert claims.coding_read().read
    monkeypatch.setattr(claims, "FEW", 1)
    rows, _ = claims._plain()
    same = replace(rows, boards=np.abs(rows.boards))  # without o both codes are the same
    monkeypatch.setattr(claims, "_plain", lambda: (same, model.train(same, 0)))
    assert not claims.coding_read().read


def test_rows_that_lose_no_cell_are_not_shorter(monkeypatch: Patch) -> None:
    """The network has as many inputs as its rows have cells."""
    rows, _ = claims._plain()
    found = claims.cells_read()
    assert (found.value, found.read) == (9, True)
    shorter = replace(rows, boards=rows.boards[:, :7])
    monkeypatch.setattr(claims, "_plain", lambda: (shorter, model.train(shorter, 0)))
    assert claims.cells_read().value == 7
    monkeypatch.setattr(model, "train", always(claims._plain()[1]))
    assert not claims.cells_read().read


def test_a_choice_of_moves_that_changes_nothing_is_not_read(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "examples", lambda *_, **__: claims._plain()[0])
    assert not claims.policy_read().read


def test_playouts_that_begin_in_one_cell_too_often_are_not_those_of_the_document(
    monkeypatch: Patch,
) -> None:
    assert claims.policy_read().value == declared("mlp-playout-policy").published
    rows = examples(rng=0)
    often = replace(rows, boards=np.repeat(np.eye(9, dtype=np.int8), range(70, 160, 10), axis=0))
    monkeypatch.setattr(claims, "examples", lambda *_, **__: often)
    assert claims.policy_read().value == "another choice"

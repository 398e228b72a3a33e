"""The worst case of a fixed player: two searches, held to the enumerated game and to each other."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from ttt_lib import worst as public_worst
from ttt_lib.catalog import agent
from ttt_lib.cli import main
from ttt_lib.game import budget, worst_kernels, worst_lines_kernels
from ttt_lib.game import worst as worst_search
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.budget import Meter, OutOfNodesError
from ttt_lib.game.exact import policy_table, worst_case
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import from_weights, minimax, random_agent
from ttt_lib.game.worst import reach, shortest, worst
from ttt_lib.game.worst_counted import answer, reach_counted
from ttt_lib.game.worst_forms import automorphisms
from ttt_lib.ising import thresholds

NAMES = (
    "random", "minimax", "minimax:ties=first", "lookahead:depth=1", "safety+random", "ising",
    "ising:b=0.1", "ising:b=0", "ising:b=1.5", "ising:b=-0.5", "ising:energy=published",
    "potential", "potential:base=3,b=0.5", "spectral", "safety+ising:b=0.1",
)  # fmt: skip


def meter() -> Meter:
    return Meter(10**8)


def result(grid: Grid, line: list[int]) -> int:
    """Play a game; its winner, checking that it ends with the last move and not before."""
    boards = grid.initial()
    for move in line:
        assert not grid.finished(boards)[0]
        boards = grid.play(boards, np.array([move]))
    assert grid.finished(boards)[0]
    return int(grid.winner(boards)[0])


def plays_it(player, side: int, line: list[int]) -> bool:
    """Whether every move of the player's in a game has positive weight."""
    grid, boards = player.game, player.game.initial()
    for ply, move in enumerate(line):
        if (ply % 2 == 0) == (side == 1) and not player.weights(boards)[0][move]:
            return False
        boards = grid.play(boards, np.array([move]))
    return True


def test_a_beam_that_found_a_longer_game_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = Grid(3)
    found, _ = reach(agent("safety+random", grid), 1, -1, meter())

    def search(player, side: int, goal: int, meter: Meter, *, last: int = 9, width: int = 0):
        return (found, False) if width else reach(player, side, goal, meter, last=last)

    monkeypatch.setattr(worst_search, "reach", search)
    line = shortest(agent("random", grid), 1, -1, meter())
    assert (len(found), len(line)) == (8, 6)
    assert shortest(agent("safety+random", grid), 1, -1, meter()) == found


def test_what_can_no_longer_be_won_in_time_is_not_searched() -> None:
    """With X's third stone at ply 5, no game of four plies is followed beyond its first."""
    count = meter()
    assert reach(agent("random", Grid(3)), -1, -1, count, last=4) == (None, True)
    assert count.used == 1


def test_who_always_wins_does_so_as_quickly_as_at_best() -> None:
    """On 2x2 any two stones of X are a line."""
    found = worst(random_agent(Grid(2)), 1)
    assert (found.worst, len(found.line)) == (1, 3)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", NAMES)
def test_the_worst_case_on_3x3_is_that_of_the_enumerated_game(name: str, side: int) -> None:
    player, tree = agent(name), solve(Grid(3))
    expected = worst_case(tree, policy_table(player, tree), side)
    found = worst(player, side)
    assert (found.worst, len(found.line)) == (expected.worst, len(expected.line))
    assert result(Grid(3), found.line) * side == found.worst
    assert plays_it(player, side, found.line)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("size", ["2x2", "3x3", "4x4", "2x2x2"])
@pytest.mark.parametrize("b", [-0.5, 0, 0.1, 0.17, 0.3, 0.647, 1, 3])
def test_the_compiled_search_agrees_with_the_readable_one(size: str, side: int, b: float) -> None:
    player = agent(f"ising:b={b}", size)
    for goal in (-1, 0):
        if size == "4x4" and goal == 0:
            continue
        slow, fast = (f(player, side, goal, meter())[0] for f in (reach, reach_counted))
        assert (slow is None) == (fast is None)
        if slow is not None and fast is not None:
            assert len(slow) == len(fast)
            assert plays_it(player, side, fast)
            assert result(player.game, fast) == side * goal
            return  # a draw is asked for only where no loss can be had


def test_on_4x4_the_threshold_is_a_ratio_of_two_steps_of_the_energy() -> None:
    """What a second own stone on a line gains, over what a third one does."""
    steps = agent("ising", "4x4").counted[:, 0]
    threshold = steps[1] / steps[2]
    for b, expected in ((threshold - 1e-5, -1), (threshold + 1e-5, 0)):
        assert worst(agent(f"ising:b={b}", "4x4"), -1).worst == expected


@pytest.mark.parametrize(
    ("size", "count"),
    [
        ("2x2", 8),
        ("3x3", 8),
        ("4x4", 32),
        ("5x5", 32),
        ("6x6", 192),
        ("3x3x3", 48),
        ("4x4x4", 192),
        ("8x8x8", 48),
    ],
)
def test_automorphisms_map_lines_to_lines(size: str, count: int) -> None:
    grid = Grid.parse(size)
    images, lines = automorphisms(grid), {frozenset(line) for line in grid.lines.tolist()}
    assert len(images) == count
    for image in images:
        assert {frozenset(image[line].tolist()) for line in grid.lines} == lines


def test_hope_of_a_draw_counts_lines_by_their_stones() -> None:
    """Lines that the other may fill speak for it, those that one may fill against it."""
    grid = Grid(3)
    boards = np.array([[0] * 9, [1] + [0] * 8, [1, 0, 0, 0, -1, 0, 0, 0, 0]])
    found = worst_search._hope(grid, boards, side=1, goal=0, ply=2, last=9)
    # Eight lines, empty; three hold X; then four hold O, one of these X as well.
    assert found.tolist() == [8 - 8, 5 - (5 + 3 * 4), (2 + 3 * 4) - (2 + 2 * 4)]


@pytest.mark.parametrize("together", [1, 500])
def test_a_layer_is_looked_at_in_parts(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = worst(agent("random", "3x3"), 1)
    monkeypatch.setattr(worst_search, "TOGETHER", together)
    assert worst(agent("random", "3x3"), 1) == whole


def test_a_board_that_fills_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "of random on 40x40 takes too much memory: 2,558,400 positions after ply 2"
    monkeypatch.setattr(budget, "ROOM", 1 << 31)
    with pytest.raises(ValueError, match=told):
        worst(agent("random", "40x40"), 1)


def test_the_compiled_search_takes_no_more_memory_than_the_readable_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = "on 100x100 takes too much memory: room for 100,000,001 positions of one ply"
    with pytest.raises(ValueError, match=told):
        worst(agent("ising", "100x100"), -1, nodes=20_000)
    monkeypatch.setattr(budget, "ROOM", 1 << 16)
    with pytest.raises(ValueError, match="on 5x5 takes too much memory"):
        worst(agent("ising", "5x5"), -1)


@pytest.mark.parametrize("nodes", [1, 40, 2500])
def test_the_compiled_search_visits_no_position_beyond_its_budget(
    nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expand, visited = worst_lines_kernels.expand, []

    def counted(known, layer, begin, end, *rest):
        found = expand(known, layer, begin, end, *rest)
        visited.append(found[1] - begin)
        return found

    monkeypatch.setattr(worst_lines_kernels, "expand", counted)
    with pytest.raises(OutOfNodesError, match=f"within {nodes:,} positions"):
        worst(agent("ising", "5x5"), -1, nodes=nodes)
    assert sum(visited) == nodes


def test_beyond_its_budget_the_search_says_so_and_guesses_nothing(capsys) -> None:
    with pytest.raises(OutOfNodesError, match="within 100 positions"):
        worst(agent("ising", "5x5"), -1, nodes=100)
    assert main(["worst", "ising", "--board", "5x5", "--side", "o", "--nodes", "100"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    assert "--nodes" in error


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["uct", "--side", "x"], "doesn't state its probabilities"),
        (["random", "--side", "x", "--nodes", "0"], "at least 1"),
    ],
)
def test_bad_questions_are_refused_in_one_line(capsys, arguments: list[str], fault: str) -> None:
    assert main(["worst", *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert fault in error
    assert error.count("\n") == 1


def test_a_game_without_lines_and_cells_is_refused_before_its_player_is_built(capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["worst", "alphazero", "--side", "x", "--board", "ultimate"])
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert "3x3, 4x4 or 4x4x4; no other game can be searched" in error


def test_the_command_prints_result_and_game(capsys) -> None:
    assert main(["worst", "random", "--side", "x", "--board", "5x5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["worst"] == -1
    assert len(found["line"]) == 10
    assert result(Grid(5), found["line"]) == -1


def test_an_incomplete_search_proves_nothing() -> None:
    player = agent("ising:b=0.19095", "4x4")
    line, complete = reach_counted(player, -1, -1, meter(), width=3)
    assert line is None
    assert not complete
    assert shortest(player, -1, -1, meter()) is None


def test_positions_are_merged_by_symmetry_only_for_players_that_are_symmetric() -> None:
    """It errs after an opening in one corner only, whose images are other corners."""
    grid, tree = Grid(3), solve(Grid(3))
    table = policy_table(minimax(grid, "first"), tree)
    row = int(tree.index(parse("........x", grid)[None])[0])
    table[row] = np.eye(9, dtype=int)[7]
    player = from_weights("errs once", grid, lambda boards: table[tree.index(boards)])
    assert worst(player, -1).worst == worst_case(tree, table, -1).worst == -1


def test_on_5x5_the_second_player_can_lose_below_the_threshold_and_never_above_it() -> None:
    lost = worst(agent("ising:b=0.1623", "5x5"), -1)
    assert (lost.worst, len(lost.line)) == (-1, 19)
    assert result(Grid(5), lost.line) == 1
    assert shortest(agent("ising:b=0.1624", "5x5"), -1, -1, meter()) is None


# ---------------------------------------------------------------------------- 3x3x3, every b


def test_the_first_player_wins_on_3x3x3_just_within_the_window() -> None:
    low, high = map(float, thresholds.cube_window())
    assert 0.35 < low < 0.647 < high < 0.65
    assert thresholds.cube_results(10) == ("wins", {"loses"})
    assert [thresholds.cube_result(b) for b in (low, high)] == ["loses", "loses"]  # ties, both ways


def test_the_window_of_3x3x3_is_what_ttt_worst_says() -> None:
    for b, result in ((0.647, 1), (0.35, -1), (0.65, -1)):
        assert public_worst(f"ising:b={b}", "x", board="3x3x3").worst == result


def test_on_4x4x4_the_first_player_can_be_beaten_and_no_sooner_than_in_the_stored_game() -> None:
    found = worst(agent("ising:b=0.647", "4x4x4"), 1)
    assert (found.worst, len(found.line)) == (-1, len(thresholds.QUBIC))
    assert thresholds.game("4x4x4", 1, 0.647, thresholds.QUBIC)[0][2] == "can lose"
    with pytest.raises(ValueError, match="doesn't play 0 at ply 0 on 3x3"):
        thresholds.game("3x3", 1, 0.647, thresholds.QUBIC)


def test_whole_numbers_of_b_are_no_different() -> None:
    whole, real = (
        thresholds.question(thresholds.text_energy("4x4"), -1, *ends)
        for ends in ((1, 2), (1.0, 2.0))
    )
    assert answer(whole, Meter(10_000)).states == answer(real, Meter(10_000)).states
    assert answer(replace(whole, low=0, high=1), Meter(10_000)).found


# ---------------------------------------------------------------------------- what is said of b


def test_beyond_the_window_means_on_both_sides_of_it(monkeypatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(
        thresholds,
        "cube_result",
        lambda low, high=None: asked.append(low) or ("x" if high else "y"),
    )
    low, high = map(float, thresholds.cube_window())
    assert thresholds.cube_results(10) == ("x", {"y"})
    assert [sum(b < low for b in asked), sum(b > high for b in asked)] == [5, 5]


@pytest.mark.parametrize("verdict", ["can lose", "open"])
def test_one_stretch_that_is_no_proof_spoils_it(monkeypatch, verdict: str) -> None:
    table = thresholds.read_table("ising_law.csv")
    assert thresholds.all_safe("4x4", -1) > 0
    rows = (table.board == "4x4") & (table.side == -1) & (table["from"] < table["to"])
    table.loc[rows.idxmax(), "verdict"] = verdict
    monkeypatch.setattr(thresholds, "read_table", lambda file: table)
    with pytest.raises(ValueError, match="no proof for 4x4"):
        thresholds.all_safe("4x4", -1)


@pytest.mark.parametrize("gone", [None, 0, 1, 2], ids=["none", "first", "middle", "last"])
def test_a_stretch_that_is_missing_spoils_it(monkeypatch, gone: int | None) -> None:
    table = thresholds.read_table("ising_law.csv")
    [row] = table.query("board == '4x4' and side == -1 and `from` < `to`").to_dict("records")
    ends = [row["from"], 0.5, 1.0, row["to"]]
    parts = [{**row, "from": low, "to": high} for low, high in pairwise(ends)]
    kept = [part for number, part in enumerate(parts) if number != gone]
    monkeypatch.setattr(thresholds, "read_table", lambda file: pd.DataFrame(kept))
    if gone is None:
        assert thresholds.all_safe("4x4", -1) == 3 * row["positions"]
    else:
        with pytest.raises(ValueError, match="no proof for 4x4"):
            thresholds.all_safe("4x4", -1)


def test_keys_are_equal_if_all_their_words_are() -> None:
    key = np.array([1, 2, 3], dtype=np.uint64)
    assert worst_kernels._same(key, key.copy())
    for word in range(3):
        other = key.copy()
        other[word] = 7
        assert not worst_kernels._same(key, other)


@pytest.mark.parametrize("name", [
    "potential:base=1e5", "potential:base=1e8,b=-1e8", "ising:b=-0.999999999999",
    "ising:b=-0.99999999999999", "ising:b=0.19094119351528202",
    "potential:base=2,b=0.66666666755556",
])  # fmt: skip
@pytest.mark.parametrize("side", [1, -1])
def test_moves_that_integers_can_not_tell_apart_are_left_to_the_agent(name: str, side: int) -> None:
    player = agent(name, "4x4")
    found = worst(player, side)
    goals = (goal for goal in (-1, 0) if reach(player, side, goal, meter())[0])
    assert found.worst == next(goals, 1)


def test_a_game_that_the_agent_does_not_play_is_not_told() -> None:
    player, other = agent("ising", "4x4"), agent("ising:b=5", "4x4")
    assert reach_counted(player, 1, 0, meter()) is not None
    assert reach_counted(replace(player, weights=other.weights), 1, 0, meter()) is None


def test_a_state_found_again_is_reached_for_all_b_in_between() -> None:
    layer = worst_kernels.Layer(
        np.zeros((2, 1), np.uint64), np.zeros((2, 2)), np.zeros(2, np.int32),
        np.zeros(1, np.float32), np.full(4, -1, np.int32),
    )  # fmt: skip
    key, count = np.array([5], np.uint64), 0
    for low, high in ((0.4, 0.5), (0.3, 0.45), (0.45, 0.7)):
        count = worst_kernels.insert(layer, count, key, low, high, 0, 0.0)
    assert count == 1
    assert layer.span[0].tolist() == [0.3, 0.7]

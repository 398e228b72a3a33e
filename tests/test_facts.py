"""The known facts of small boards, each counted in two ways where two are at hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import factorial

import numpy as np
import pytest

from ttt_lib.evidence import figures
from ttt_lib.game import response
from ttt_lib.game.board import Grid, line_count
from ttt_lib.game.exact import (
    Outcome,
    exact_match,
    exact_values,
    policy_table,
    random_outcome,
    worst_case,
)
from ttt_lib.game.gametree import GameTree, enumerate_states, paths_to, solve
from ttt_lib.game.pairing import pairing
from ttt_lib.game.policy import lookahead, minimax, random_agent
from ttt_lib.the_game import facts

TREE = solve(Grid(3))
CLASSES = enumerate_states(Grid(3), canonical=True)
RANDOM = policy_table(random_agent(Grid(3)), TREE)
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
TURNS = ("012345678", "630741852", "876543210", "258147036")
IMAGES = [*TURNS, *("".join(t[i] for i in (2, 1, 0, 5, 4, 3, 8, 7, 6)) for t in TURNS)]


# An independent Tic-Tac-Toe on strings, sharing nothing with the library.


@cache
def over(board: str) -> bool:
    return "." not in board or any(
        board[int(a)] == board[int(b)] == board[int(c)] != "." for a, b, c in LINES
    )


@cache
def afters(board: str) -> list[str]:
    stone = "xo"[board.count("x") - board.count("o")]
    return [board[:i] + stone + board[i + 1 :] for i in range(9) if board[i] == "."]


def form(board: str) -> str:
    return min("".join(board[int(i)] for i in image) for image in IMAGES)


@cache
def path_count(board: str) -> int:
    """Games as paths of classes, by another hand."""
    return 1 if over(board) else sum(path_count(b) for b in {form(b) for b in afters(board)})


def games(board: str = "." * 9, moves: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    if over(board):
        return [moves]
    free = [i for i in range(9) if board[i] == "."]
    return [g for i, b in zip(free, afters(board), strict=True) for g in games(b, (*moves, i))]


# ---------------------------------------------------------------------------- states


def test_states_and_classes_of_3x3() -> None:
    table = facts.states_by_ply(TREE)
    assert table["states"].tolist() == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert table["classes"].tolist() == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]
    assert table["states"].sum() == 5478
    assert table["classes"].sum() == 765
    assert table["finished_states"].sum() == 958
    assert table["finished_classes"].sum() == 138


def test_full_and_canonical_trees_give_the_same_table() -> None:
    assert facts.states_by_ply(TREE).equals(facts.states_by_ply(CLASSES))


@pytest.mark.parametrize("size", ["2x2", "3x3", "2x2x2", "2x2x2x2"])
def test_counting_without_playing_agrees(size: str) -> None:
    grid = Grid.parse(size)
    assert facts.count_states(grid) == facts.states_by_ply(solve(grid))["states"].tolist()


def test_counting_4x4_without_playing() -> None:
    assert sum(facts.count_states(Grid(4))) == 9_722_011


def test_how_long_a_random_game_goes_on() -> None:
    """A game of so many plies is played with the product of 1 over the free cells."""
    lengths = [len(game) for game in games()]
    running = [sum(Fraction(factorial(9 - n), factorial(9)) for n in lengths if n > ply)
               for ply in range(9)]  # fmt: skip
    assert facts.running_chances(Grid(3)) == running
    assert facts.running_chances(Grid(2)) == [1, 1, 1, 0]


@pytest.mark.parametrize("count", [facts.count_states, facts.running_chances])
def test_counting_refuses_a_large_board(count: Callable[[Grid], object]) -> None:
    with pytest.raises(ValueError, match="5x5 board is too large: at most 16 cells"):
        count(Grid(5))


def test_fixed_states_average_to_the_classes() -> None:
    fixed = facts.fixed_states(TREE)
    assert fixed[0] == 5478
    assert sum(fixed) == 8 * 765


# ---------------------------------------------------------------------------- games


def test_games_by_length_and_winner() -> None:
    table = facts.games_by_length(TREE)
    assert table["plies"].tolist() == [5, 6, 7, 8, 9]
    assert table["games"].tolist() == [1440, 5328, 47952, 72576, 127872]
    totals = table[["x_wins", "draws", "o_wins"]].sum().tolist()
    assert totals == [131184, 46080, 77904]
    assert facts.games_from(TREE)[0] == sum(totals) == 255168


def test_essentially_different_games_by_two_definitions() -> None:
    every = games()
    assert len(every) == 255168
    # Nine digits a game; a game that ends early is filled up with 9, which no symmetry moves.
    filled = np.array([(*game, *[9] * (9 - len(game))) for game in every])
    carries = np.array([[*(image.index(str(cell)) for cell in range(9)), 9] for image in IMAGES])
    smallest = (carries[:, filled] @ 10 ** np.arange(9)).min(axis=0)
    assert len(np.unique(smallest)) == facts.games_up_to_one_symmetry(TREE) == 31896
    assert path_count("." * 9) == facts.games_of_classes(CLASSES) == 26830


def test_paths_of_classes_need_a_canonical_tree() -> None:
    with pytest.raises(ValueError, match="canonical=True"):
        facts.games_of_classes(TREE)


@pytest.mark.parametrize("count", [facts.fixed_states, facts.games_up_to_one_symmetry])
def test_symmetric_counts_need_all_states(count: Callable[[GameTree], object]) -> None:
    with pytest.raises(ValueError, match="tree of all states"):
        count(CLASSES)


def test_paths_in_and_games_out_meet_in_every_layer() -> None:
    flow = paths_to(TREE) * facts.games_from(TREE)
    ended = paths_to(TREE) * TREE.finished
    for ply in range(10):
        passing = flow[TREE.layer(ply)].sum() + ended[: TREE.layers[ply]].sum()
        assert passing == 255168


def test_random_play_from_the_lengths_of_games() -> None:
    table = facts.games_by_length(TREE)
    shares = [
        sum(
            Fraction(int(k) * factorial(9 - p), factorial(9))
            for p, k in zip(table["plies"], table[c], strict=True)
        )
        for c in ("x_wins", "draws", "o_wins")
    ]
    assert random_outcome(TREE, 0) == Outcome(*shares)
    assert shares == [Fraction(737, 1260), Fraction(8, 63), Fraction(121, 420)]


# ---------------------------------------------------------------------------- playing well


def test_first_moves() -> None:
    table = facts.first_moves(TREE)
    assert table["cell"].tolist() == [4, 0, 1]
    assert table["alike"].tolist() == [1, 4, 4]
    assert table["win"].tolist() == [Fraction(97, 140), Fraction(17, 28), Fraction(15, 28)]
    assert table["minimax"].tolist() == [0, 0, 0]
    average = (table["win"] * table["alike"]).sum() / 9
    assert average == random_outcome(TREE, 0).win


WINS_FIRST = (10**6, 0, -1)

BEST = {
    (1, response.POINTS, True): ("191/192", "1/192", "0"),
    (1, WINS_FIRST, False): ("191/192", "1/192", "0"),
    (-1, response.POINTS, True): ("866/945", "79/945", "0"),
    (-1, response.POINTS, False): ("3523/3780", "23/378", "1/140"),
    (-1, WINS_FIRST, False): ("887/945", "43/945", "1/63"),
}


@pytest.mark.parametrize(("side", "worth", "careful"), BEST)
def test_best_response_to_random(side: int, worth: tuple[int, int, int], careful: bool) -> None:
    allowed = response.safe_moves(TREE, side) if careful else None
    table = response.best_response(TREE, RANDOM, side, worth, allowed=allowed)
    pair = (table, RANDOM) if side == 1 else (RANDOM, table)
    found = exact_values(TREE, *pair)[0]
    found = found if side == 1 else found.reversed()
    assert found == Outcome(*map(Fraction, BEST[side, worth, careful]))
    if careful:
        assert worst_case(TREE, table, side).worst == 0


@pytest.mark.parametrize("side", [1, -1])
def test_nobody_earns_more_than_the_best_response(side: int) -> None:
    best = response.response_outcome(TREE, RANDOM, side).expected
    for agent in (minimax(TREE.grid), minimax(TREE.grid, "first"), lookahead(TREE.grid, 2)):
        x, o = (agent, random_agent(TREE.grid))[::side]
        assert side * exact_match(x, o, TREE).expected <= best
    rng = np.random.default_rng(0)
    for _ in range(5):
        chance = rng.integers(0, 5, TREE.legal.shape) * TREE.legal + TREE.legal
        pair = (chance, RANDOM) if side == 1 else (RANDOM, chance)
        assert side * exact_values(TREE, *pair)[0].expected <= best


def test_best_response_against_a_perfect_player_is_a_draw() -> None:
    perfect = policy_table(minimax(TREE.grid), TREE)
    for side in (1, -1):
        assert response.response_outcome(TREE, perfect, side) == (0, 1, 0)


def test_frontier_against_random() -> None:
    assert response.frontier(TREE, RANDOM, 1) == [(Fraction(191, 192), Fraction(1, 192), 0)]
    corners = response.frontier(TREE, RANDOM, -1)
    assert [c.win * 945 for c in corners] == [866, 878, 883, 887]
    assert [c.loss * 945 for c in corners] == [0, 4, 9, 15]
    slopes = [(b.win - a.win) / (b.loss - a.loss) for a, b in pairwise(corners)]
    assert slopes == sorted(slopes, reverse=True)
    assert len(set(slopes)) == len(slopes)


def test_no_price_of_a_loss_reaches_beyond_the_frontier() -> None:
    corners = response.frontier(TREE, RANDOM, -1)
    for price in (Fraction(k, 7) for k in range(1, 40, 3)):
        reached = response.response_outcome(TREE, RANDOM, -1, (1, 0, -price))
        worth = max(c.win - price * c.loss for c in corners)
        assert reached.win - price * reached.loss == worth


# ---------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    ("n", "d"), [(2, 1), (2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (3, 4), (2, 5)]
)
def test_lines_by_walking_by_list_and_by_formula(n: int, d: int) -> None:
    grid = Grid(n, d)
    assert facts.walked_lines(grid) == len(grid.lines) == line_count(n, d)
    assert len({frozenset(line) for line in grid.lines.tolist()}) == line_count(n, d)


@pytest.mark.parametrize("size", ["5x5", "6x6", "8x8x8"])
def test_a_pairing_gives_each_line_two_cells_of_its_own(size: str) -> None:
    grid = Grid.parse(size)
    pairs = pairing(grid)
    assert pairs is not None
    assert len(np.unique(pairs)) == 2 * len(grid.lines)
    assert all(
        set(p) <= set(line) for p, line in zip(pairs.tolist(), grid.lines.tolist(), strict=True)
    )


@pytest.mark.parametrize("size", ["3x3", "4x4", "3x3x3", "4x4x4"])
def test_boards_without_room_have_no_pairing(size: str) -> None:
    assert pairing(Grid.parse(size)) is None


def test_who_answers_with_the_pair_never_loses_on_5x5() -> None:
    grid, rng = Grid(5), np.random.default_rng(0)
    pairs = pairing(grid)
    assert pairs is not None
    partner = dict(np.concatenate([pairs, pairs[:, ::-1]]).tolist())
    for _ in range(300):
        board, last = grid.initial(), -1
        while not grid.finished(board)[0]:
            free = np.flatnonzero(grid.legal(board)[0]).tolist()
            answer = partner.get(last)
            reply = answer if grid.to_move(board)[0] == -1 and answer in free else None
            last = int(rng.choice(free)) if reply is None else reply
            board = grid.play(board, np.array([last]))
        assert grid.winner(board)[0] != 1


@pytest.mark.parametrize(("size", "count"), [("2x2", 24), ("3x3", 8), ("4x4", 32)])
def test_line_symmetries(size: str, count: int) -> None:
    grid = Grid.parse(size)
    found = facts.line_symmetries(grid)
    assert len(found) == count
    lines = {frozenset(line) for line in grid.lines.tolist()}
    assert all({frozenset(p[list(line)].tolist()) for line in lines} == lines for p in found)
    assert {tuple(p) for p in grid.symmetries.tolist()} <= {tuple(p) for p in found.tolist()}


def test_corner_and_centre_of_4x4_are_alike() -> None:
    grid = Grid(4)
    kinds = facts.first_move_kinds(grid, facts.line_symmetries(grid))
    assert [len(kind) for kind in kinds] == [8, 8]
    assert {0, 5} <= set(kinds[0])
    assert len(facts.first_move_kinds(grid, grid.symmetries)) == 3


def test_draw_criteria() -> None:
    assert facts.draw_criteria(Grid(5)) == ("5x5", 25, 12, True, True)
    assert facts.draw_criteria(Grid(3)) == ("3x3", 9, 8, False, False)


# ---------------------------------------------------------------------------- what figures say


def test_which_lengths_weigh_more_under_random_play() -> None:
    games = facts.games_by_length(TREE).set_index("plies")["games"]
    shares = games / games.sum()
    chances = games * [factorial(9 - length) / factorial(9) for length in games.index]
    assert games.index[chances > shares].tolist() == [5, 6, 7]
    assert shares[9] == pytest.approx(0.5, abs=0.005)
    said = figures.entry("00_games_and_chances").alt
    assert "half of them last nine plies" in said
    assert "games of five to seven plies weigh more" in said


def test_counts_in_the_texts_of_figures() -> None:
    values = TREE.value[TREE.index(CLASSES.boards)]
    second = values[CLASSES.ply == 2]
    assert (len(second), (second == 1).sum()) == (12, 7)
    assert (values[CLASSES.ply < 2] == 0).all()
    assert not (values[CLASSES.ply == 9] == -1).any()
    assert "of the twelve boards at ply 2 seven are blue" in figures.entry("00_all_positions").alt
    careful, *_, daring = response.frontier(TREE, RANDOM, side=-1)
    said = figures.entry("00_against_random").alt
    assert f"{careful.win} without losses to {daring.win} with {daring.loss} losses" in said
    rivals = [minimax(Grid(3), ties=ties) for ties in ("uniform", "first")]
    wins = [exact_match(random_agent(Grid(3)), rival, TREE).loss for rival in rivals]
    assert " and ".join(f"{float(win):.2f}" for win in wins) in said

"""The known facts of the game, and every stored value against plain recursion."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np
import pytest
from strategies import plain_value

from ttt_lib.game import reference
from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import GameTree, enumerate_states, solve
from ttt_lib.game.policy import minimax
from ttt_lib.game.reference import Cells


@cache
def plain_random_play(board: Cells) -> tuple[Fraction, ...]:
    after = list(map(plain_random_play, reference.successors(board).values()))
    if not after:
        return tuple(Fraction(reference.winner(board) == result) for result in (1, 0, -1))
    return tuple(sum(chances) / Fraction(len(after)) for chances in zip(*after, strict=True))


def cells(tree: GameTree) -> list[Cells]:
    return [tuple(board) for board in tree.boards.tolist()]


def games_by_length(tree: GameTree) -> dict[tuple[int, int], int]:
    """Number of different games by (plies, winner), by counting the paths to every state."""
    paths = np.zeros(len(tree), dtype=np.int64)
    paths[0] = 1
    for state, move in zip(*np.nonzero(tree.legal), strict=True):
        paths[tree.children[state, move]] += paths[state]
    ended: dict[tuple[int, int], int] = {}
    for state in np.flatnonzero(tree.finished):
        key = (int(tree.ply[state]), int(tree.winner[state]))
        ended[key] = ended.get(key, 0) + int(paths[state])
    return ended


# ---------------------------------------------------------------------------- 3x3


def test_states_are_those_that_play_reaches(tree: GameTree) -> None:
    assert len(tree) == 5478
    assert set(cells(tree)) == reference.states()
    assert np.diff(tree.layers).tolist() == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert (np.abs(tree.boards).sum(axis=1) == tree.ply).all()


def test_finished_states_by_winner(tree: GameTree) -> None:
    ended = tree.winner[tree.finished]
    assert [int((ended == result).sum()) for result in (1, 0, -1)] == [626, 16, 316]
    assert not tree.winner[~tree.finished].any()


def test_number_of_games(tree: GameTree) -> None:
    assert games_by_length(tree) == {
        (5, 1): 1440,
        (6, -1): 5328,
        (7, 1): 47952,
        (8, -1): 72576,
        (9, 1): 81792,
        (9, 0): 46080,
    }
    assert sum(games_by_length(tree).values()) == 255168


def test_moves_lead_where_play_leads(tree: GameTree) -> None:
    grid = tree.grid
    assert (tree.legal == grid.legal(tree.boards)).all()
    assert (tree.finished == grid.finished(tree.boards)).all()
    state, move = np.nonzero(tree.legal)
    after = grid.play(tree.boards[state], move)
    assert (tree.boards[tree.children[state, move]] == after).all()


def test_value_and_distance_of_every_state(tree: GameTree) -> None:
    found = list(zip(tree.value.tolist(), tree.distance.tolist(), strict=True))
    assert found == [plain_value(board) for board in cells(tree)]


def test_first_moves_are_all_worth_a_draw(tree: GameTree) -> None:
    assert tree.value[0] == 0
    assert tree.value[tree.children[0]].tolist() == [0] * 9


def test_random_play_from_every_state(tree: GameTree) -> None:
    scale = [factorial(9 - ply) for ply in tree.ply.tolist()]
    found = [
        tuple(Fraction(count, below) for count in counts)
        for counts, below in zip(tree.random_play.tolist(), scale, strict=True)
    ]
    assert found == [plain_random_play(board) for board in cells(tree)]
    assert found[0] == (Fraction(737, 1260), Fraction(8, 63), Fraction(121, 420))


def test_a_decided_game_between_quick_players_lasts_its_distance(tree: GameTree) -> None:
    """From every state at once: play the first of the best moves until all games are over."""
    player = minimax(tree.grid, "quick")
    boards, plies = tree.boards.copy(), np.zeros(len(tree), dtype=int)
    running = np.flatnonzero(~tree.finished)
    while len(running):
        assert player.weights is not None
        moves = player.weights(boards[running]).argmax(axis=1)
        boards[running] = tree.grid.play(boards[running], moves)
        plies[running] += 1
        running = running[~tree.grid.finished(boards[running])]
    assert (tree.grid.winner(boards) == tree.value).all()
    assert (plies == tree.distance).all()


# ---------------------------------------------------------------------------- classes


def test_classes_of_3x3(tree: GameTree) -> None:
    classes = enumerate_states(tree.grid, canonical=True)
    assert len(classes) == 765
    assert np.diff(classes.layers).tolist() == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]
    assert classes.orbit.sum() == 5478
    ended = classes.winner[classes.finished]
    assert [int((ended == result).sum()) for result in (1, 0, -1)] == [91, 3, 44]
    assert tree.orbit.tolist() == [1] * 5478


def test_a_class_has_the_values_of_its_members(tree: GameTree) -> None:
    classes = enumerate_states(tree.grid, canonical=True)
    rows = classes.index(tree.boards)
    assert np.bincount(rows).tolist() == classes.orbit.tolist()
    for name in ("winner", "value", "distance", "random_play", "ply", "finished"):
        assert (getattr(classes, name)[rows] == getattr(tree, name)).all(), name


# ---------------------------------------------------------------------------- other boards


def test_2x2_is_won_by_the_second_stone_of_x() -> None:
    tree = solve(Grid(2))
    assert np.diff(tree.layers).tolist() == [1, 4, 12, 12, 0]
    assert games_by_length(tree) == {(3, 1): 24}
    assert (tree.value[0], tree.distance[0]) == (1, 3)
    assert tree.random_play[0].tolist() == [factorial(4), 0, 0]


def test_4x4_is_a_draw() -> None:
    tree = solve(Grid(4))
    assert tree.canonical
    assert len(tree) == 1_217_977
    assert tree.orbit.sum() == 9_722_011
    assert (tree.value[0], tree.distance[0]) == (0, 16)
    assert tree.random_play[0].sum() == factorial(16)
    assert (tree.random_play >= 0).all()


@pytest.mark.parametrize(
    ("grid", "canonical"), [(Grid(4), False), (Grid(5), True), (Grid(3, 3), True)]
)
def test_too_large_a_board_is_refused(grid: Grid, canonical: bool) -> None:
    with pytest.raises(ValueError, match="too large to enumerate: at most"):
        enumerate_states(grid, canonical=canonical)


def test_solve_refuses_what_it_cannot_enumerate() -> None:
    with pytest.raises(ValueError, match="at most 16 cells"):
        solve(Grid(5))


# ---------------------------------------------------------------------------- looking up


def test_index_finds_every_state_in_any_order(tree: GameTree) -> None:
    order = np.random.default_rng(0).permutation(len(tree))
    assert tree.index(tree.boards[order]).tolist() == order.tolist()


@pytest.mark.parametrize("board", [[1, 1] + [0] * 7, [1, 1, 1, -1, -1, -1, 0, 0, 0], [-1] * 9])
def test_index_refuses_a_board_that_no_play_reaches(tree: GameTree, board: list[int]) -> None:
    with pytest.raises(ValueError, match="no play reaches"):
        tree.index(np.array([board], dtype=np.int8))

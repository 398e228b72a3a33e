"""Positions as live lines and crossings, held to positions as boards and to the agent itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ttt_lib.catalog import agent
from ttt_lib.game import worst_forms, worst_kernels, worst_lines_kernels
from ttt_lib.game.board import Grid
from ttt_lib.game.budget import Meter
from ttt_lib.game.worst_counted import answer, empty_layer, first_layer, next_layer, plan
from ttt_lib.game.worst_forms import Question, automorphisms, board_form, line_form
from ttt_lib.game.worst_kernels import OTHER, WORD
from ttt_lib.ising import thresholds


def asked(size: str, side: int, low: float, high: float, goal: int = -1) -> Question:
    return replace(thresholds.question(thresholds.text_energy(size), side, low, high), goal=goal)


def random_board(grid: Grid, stones: int, rng: np.random.Generator) -> np.ndarray:
    """A board with stones of both in random places and no line completed; X moved first."""
    while True:
        board = np.zeros((1, grid.cells), dtype=np.int8)
        board[0, rng.permutation(grid.cells)[:stones]] = np.where(np.arange(stones) % 2, -1, 1)
        if not grid.finished(board)[0]:
            return board


def codes_of(board: np.ndarray, side: int) -> np.ndarray:
    seen = board[0].astype(np.int64) * side
    return np.where(seen < 0, OTHER, seen)


def fingerprint(known, lines, cells) -> bytes:
    return worst_forms.colours(known, lines, cells).tobytes()


def layer_fingerprints(known, layer, count: int, cells: int) -> set[bytes]:
    """What relabelling leaves alone of every state of a layer of lines and crossings."""
    found = set()
    for key in layer.keys[:count]:
        lines, crossings = np.zeros(known.lines, np.int64), np.zeros(cells, np.int64)
        many = worst_lines_kernels.read(key, lines, crossings)
        found.add(fingerprint(known, lines, crossings[:many]))
    return found


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("size", ["3x3", "4x4"])
@pytest.mark.parametrize(
    ("low", "high"),
    [(0.05, 0.05), (0.15, 0.25), (0.19, 0.19), (0.191, 0.191), (0.2, 0.4), (0.6, 5), (3, 3)],
)
def test_lines_and_boards_give_the_same_answers(size, side, low, high) -> None:
    for goal in (-1, 0):
        question = asked(size, side, low, high, goal)
        if goal == 0 and size == "4x4":
            continue
        lines, boards = (
            answer(question, Meter(10**8), form(question)) for form in (line_form, board_form)
        )
        assert lines.found == boards.found
        assert len(lines.keys) == len(boards.keys)
        assert lines.states <= boards.states
        if lines.found:
            return  # a draw is asked for only where no loss can be had


def test_lines_and_boards_give_the_same_answers_on_5x5() -> None:
    for side, low, high in ((1, 2, thresholds.LARGE), (-1, 0.1623, 0.1623)):
        question = asked("5x5", side, low, high)
        lines, boards = (
            answer(question, Meter(10**8), form(question)) for form in (line_form, board_form)
        )
        assert (lines.found, len(lines.keys)) == (boards.found, len(boards.keys))
        assert lines.states < boards.states / 5


@pytest.mark.parametrize(
    ("size", "side", "b", "plies"),
    [("4x4", -1, 0.3, 16), ("5x5", 1, 0.2, 9), ("6x6", -1, 0.1385, 6)],
)
def test_lines_and_boards_reach_the_same_positions_ply_by_ply(size, side, b, plies) -> None:
    question = asked(size, side, b, b)
    grid, lines, boards = question.grid, line_form(question), board_form(question)
    (one, few, ply), (two, many, _) = (first_layer(question, form) for form in (lines, boards))
    while few and ply < plies:
        seen = set()
        for key in two.keys[:many]:
            cells = np.arange(grid.cells)
            codes = (key[cells // WORD] >> (2 * (cells % WORD)).astype(np.uint64)) & np.uint64(3)
            shape = worst_forms.shape(grid, codes.astype(np.int64))
            seen.add(fingerprint(lines.known, *shape))
        assert layer_fingerprints(lines.known, one, few, grid.cells) == seen
        (_, one, few), (_, two, many) = (
            next_layer(form, layer, count, ply, question, Meter(10**8))
            for form, layer, count in ((lines, one, few), (boards, two, many))
        )
        ply += 2
    assert (few == 0) == (many == 0)


@pytest.mark.parametrize("size", ["3x3", "4x4", "5x5", "6x6", "7x7"])
@pytest.mark.parametrize("b", [0.13, 0.3, 1.5])
def test_a_step_is_what_the_agent_does_on_a_real_board(size: str, b: float) -> None:
    grid, rng, player = Grid.parse(size), np.random.default_rng(5), agent(f"ising:b={b}", size)
    question = asked(size, -1, b, b)
    form, tried = line_form(replace(question, tolerance=1e-9)), 0
    for stones in np.repeat(np.arange(0, grid.cells - 3, 2), 4):
        board = random_board(grid, int(stones), rng)
        expected, lost = set(), False
        for move in np.flatnonzero(board[0] == 0):
            after = grid.place(board, np.array([move]))
            lost |= bool(grid.winner(after)[0] == 1)
            if grid.finished(after)[0]:
                continue
            for reply in np.flatnonzero(player.weights(after)[0]):
                done = grid.place(after, np.array([reply]))
                theirs = (done[0][grid.lines] == 1).sum(axis=1)
                live = (done[0][grid.lines] != -1).all(axis=1)
                left = (grid.cells - stones - 2 + 1) // 2
                if not grid.finished(done)[0] and (live & (grid.n - theirs <= left)).any():
                    shape = worst_forms.shape(grid, codes_of(done, -1))
                    expected.add(fingerprint(form.known, *shape))
        layer = empty_layer(4, question, form.words(grid.cells - int(stones)))
        layer.keys[0] = worst_forms.key_of(form.known, grid, codes_of(board, -1))
        following = empty_layer(1 << 14, question, form.words(grid.cells - int(stones) - 2))
        status, _, count = form.expand(
            form.known, layer, 0, 1, plan(question, int(stones)), 1 << 14, following, 0
        )
        assert (status == worst_lines_kernels.FOUND) == lost
        if not lost:
            assert layer_fingerprints(form.known, following, count, grid.cells) == expected
            tried += 1
    assert tried > 3


@pytest.mark.parametrize("size", ["5x5", "6x6"])
def test_images_of_a_position_have_one_key(size: str) -> None:
    grid, rng = Grid.parse(size), np.random.default_rng(1)
    known = worst_forms.rules(asked(size, -1, 0.3, 0.3))
    for stones in (2, 6, 10, 14, 16):
        board = random_board(grid, stones, rng)
        images = board[:, automorphisms(grid)].reshape(-1, grid.cells)
        keys = {worst_forms.key_of(known, grid, codes_of(i[None], -1)).tobytes() for i in images}
        assert len(keys) == 1


def test_where_on_a_line_its_stones_stand_is_of_no_consequence() -> None:
    known, grid = worst_forms.rules(asked("4x4", -1, 0.3, 0.3)), Grid(4)
    # The columns in the middle are dead: their cells of the first row lie on that row alone.
    boards = (".x...ox..xo.....", "..x..ox..xo.....", "x....ox..xo.....")
    codes = [np.array([".ox".index(cell) for cell in text]) for text in boards]
    one, other, corner = (worst_forms.key_of(known, grid, c).tobytes() for c in codes)
    assert one == other
    assert one != corner


@pytest.mark.parametrize(("drawing", "score"), [(False, 3 * 9 + 9), (True, -16 - 1)])
def test_a_state_is_promising_for_two_lines_that_cross_or_for_few_lines_of_the_player(
    drawing: bool, score: float
) -> None:
    """Lines with one and two stones cross, one of them an empty line, one the player's too."""
    known, lines = worst_forms.rules(asked("4x4", -1, 0.3, 0.3)), np.zeros(10, np.int64)
    theirs = worst_lines_kernels.THEIRS
    lines[[0, 1, 4, 5]] = theirs + 1, 1 + 2, theirs + 2, 1
    crossings = np.array([1 | 1 << 4, 1 | 1 << 1, 1 << 4 | 1 << 5])
    assert worst_lines_kernels._score(known, lines, crossings, drawing) == score


@pytest.mark.parametrize("size", ["3x3x3", "8x8", "2x2"])
def test_boards_that_do_not_fit_are_written_down_whole(size: str) -> None:
    assert not worst_forms.able(Grid.parse(size))


@pytest.mark.parametrize(
    ("stretches", "hull"),
    [
        ([(0.4, 0.5), (0.2, 0.5)], [0.2, 0.5]),
        ([(0.4, 0.5), (0.4, 0.9)], [0.4, 0.9]),
        ([(0.4, 0.5), (0.2, 0.9), (0.3, 0.6)], [0.2, 0.9]),
    ],
)
def test_a_state_is_kept_once_for_all_stretches_of_b_that_lead_to_it(
    stretches: list[tuple[float, float]], hull: list[float]
) -> None:
    layer = worst_kernels.Layer(
        np.zeros((4, 1), np.uint64), np.zeros((4, 2)), np.zeros(4, np.int32),
        np.zeros(1, np.float32), np.full(8, -1, np.int32),
    )  # fmt: skip
    count = worst_kernels.insert(layer, 0, np.array([5], np.uint64), 0.0, 1.0, 3, 0.0)
    for low, high in stretches:
        count = worst_kernels.insert(layer, count, np.array([7], np.uint64), low, high, 2, 0.0)
    assert count == 2
    assert layer.keys[:2, 0].tolist() == [5, 7]
    assert layer.parent[:2].tolist() == [3, 2]
    assert layer.span[:2].tolist() == [[0.0, 1.0], hull]

"""Boards against a plain reference, and the group of symmetries against its axioms."""

from __future__ import annotations

from math import factorial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import GRIDS, grid_and_board, plain_lines, plain_winners

from ttt_lib.game import reference
from ttt_lib.game.board import SYMBOLS, Boards, Grid, grid_of, line_count, notation, parse
from ttt_lib.game.scene import Block

by_name = pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid.name)


# ---------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    ("n", "d", "count"),
    [(2, 1, 1), (3, 1, 1), (2, 2, 6), (3, 2, 8), (4, 2, 10), (3, 3, 49), (4, 3, 76), (3, 4, 272)],
)
def test_lines_are_all_straight_walks(n: int, d: int, count: int) -> None:
    lines = Grid(n, d).lines
    assert lines.shape == (count, n)
    assert line_count(n, d) == count == ((n + 2) ** d - n**d) // 2
    assert {frozenset(line.tolist()) for line in lines} == plain_lines(n, d)


def test_line_formula_on_a_large_board() -> None:
    assert len(Grid(5, 4).lines) == line_count(5, 4) == 888


def test_lines_of_3x3_stand_in_reading_order() -> None:
    assert Grid(3).lines.tolist() == [list(line) for line in reference.LINES]


@by_name
def test_lines_through_a_cell(grid: Grid) -> None:
    for cell, found in enumerate(grid.lines_through):
        assert found.tolist() == [i for i, line in enumerate(grid.lines.tolist()) if cell in line]


# ---------------------------------------------------------------------------- symmetries


@by_name
def test_symmetries_form_a_group(grid: Grid) -> None:
    group = {tuple(p) for p in grid.symmetries.tolist()}
    assert len(group) == len(grid.symmetries) == 2**grid.d * factorial(grid.d)
    assert grid.symmetries[0].tolist() == list(range(grid.cells))
    some = grid.symmetries[:: max(1, len(group) // 12)]
    assert all(tuple(p[q]) in group for p in grid.symmetries for q in some)
    assert all(tuple(np.argsort(p)) in group for p in grid.symmetries)


@by_name
def test_symmetries_permute_the_lines(grid: Grid) -> None:
    lines = {frozenset(line) for line in grid.lines.tolist()}
    for p in grid.symmetries:
        assert {frozenset(p[line].tolist()) for line in grid.lines} == lines


def test_symmetries_of_3x3_are_the_turns_and_mirrors_of_a_square() -> None:
    square = np.arange(9).reshape(3, 3)
    turns = [np.rot90(square, k) for k in range(4)]
    expected = {tuple(image.ravel().tolist()) for turn in turns for image in (turn, turn.T)}
    assert {tuple(p) for p in Grid(3).symmetries.tolist()} == expected


@given(grid_and_board())
def test_rules_are_the_same_in_every_orientation(case: tuple[Grid, Boards]) -> None:
    grid, board = case
    images = board[0][grid.symmetries]
    assert set(grid.winner(images).tolist()) == {int(grid.winner(board)[0])}
    assert set(grid.to_move(images).tolist()) == {int(grid.to_move(board)[0])}
    assert (grid.legal(images) == grid.legal(board)[0][grid.symmetries]).all()


def test_too_many_symmetries_are_an_error() -> None:
    with pytest.raises(ValueError, match="too many symmetries"):
        _ = Grid(2, 8).symmetries


# ---------------------------------------------------------------------------- rules


@given(st.data(), st.sampled_from(GRIDS))
def test_rules_against_plain_python(data: st.DataObject, grid: Grid) -> None:
    """Any filling of the board, reachable or not, unless both players own a line."""
    cell = st.sampled_from((-1, 0, 1))
    board = data.draw(st.lists(cell, min_size=grid.cells, max_size=grid.cells))
    winners = plain_winners(board, plain_lines(grid.n, grid.d))
    if len(winners) == 2:
        return
    batch = np.array([board], dtype=np.int8)
    over = bool(winners) or 0 not in board
    assert grid.winner(batch).tolist() == [sum(winners)]
    assert grid.finished(batch).tolist() == [over]
    assert grid.legal(batch)[0].tolist() == [cell == 0 and not over for cell in board]


@given(grid_and_board())
def test_side_to_move_and_placing_a_stone(case: tuple[Grid, Boards]) -> None:
    grid, board = case
    before = board.copy()
    x, o = int((board == 1).sum()), int((board == -1).sum())
    side = 1 if x == o else -1
    assert grid.to_move(board).tolist() == [side]
    for move in np.flatnonzero(grid.legal(board)[0]):
        after = grid.play(board, np.array([move]))
        assert np.flatnonzero(after[0] != board[0]).tolist() == [move]
        assert after[0, move] == side
    assert (board == before).all()


@pytest.mark.parametrize(
    ("board", "move", "message"),
    [
        ("x........", 0, "cell 0 is taken"),
        ("x........", 9, r"outside 0\.\.8"),
        ("x........", -1, r"outside 0\.\.8"),
        ("xxxoo....", 8, "over"),
        ("xxxoo....", 0, "over|taken"),
    ],
)
def test_illegal_moves_are_refused(board: str, move: int, message: str) -> None:
    grid = Grid(3)
    batch = np.stack([parse(".........", grid), parse(board, grid)])
    with pytest.raises(ValueError, match=message):
        grid.play(batch, np.array([8, move]))


def test_the_first_illegal_move_is_named() -> None:
    grid, boards = Grid(3), Grid(3).initial(3)
    with pytest.raises(ValueError, match="move 11 is outside"):
        grid.play(boards, np.array([4, 11, -7]))
    boards[1:, :2] = [1, -1]
    with pytest.raises(ValueError, match="cell 1 is taken"):
        grid.play(boards, np.array([4, 1, 0]))


def test_as_many_moves_as_boards() -> None:
    with pytest.raises(ValueError, match="moves"):
        Grid(3).play(Grid(3).initial(3), np.array([0, 1]))


METHODS = ("winner", "finished", "legal", "to_move", "codes", "canonical_codes")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cells", [8, 10, 16])
def test_boards_of_another_size_are_refused(method: str, cells: int) -> None:
    with pytest.raises(ValueError, match="9 cells"):
        getattr(Grid(3), method)(np.zeros((2, cells), dtype=np.int8))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [2, 3, -2, -128, 0.5, np.nan, np.inf])
def test_cells_of_another_value_are_refused(method: str, value: float) -> None:
    boards = Grid(3).initial(2).astype(np.int8 if isinstance(value, int) else np.float64)
    boards[1, 4] = value
    with pytest.raises(ValueError, match="holds 1"):
        getattr(Grid(3), method)(boards)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.bool_])
def test_boards_that_can_not_hold_a_stone_of_o_are_refused(method: str, dtype: Any) -> None:
    boards = Grid(3).initial().astype(dtype)
    with pytest.raises(ValueError, match="a signed dtype such as int8, not"):
        getattr(Grid(3), method)(boards)
    with pytest.raises(ValueError, match="a signed dtype such as int8, not"):
        Grid(3).play(boards, np.array([4]))


@pytest.mark.parametrize("dtype", [">i2", "<i8", np.float64])
def test_other_signed_dtypes_give_the_same(dtype: Any) -> None:
    grid, boards = Grid(3), np.stack([parse(text, Grid(3)) for text in (".........", "x...o....")])
    for method in METHODS:
        found = getattr(grid, method)(boards.astype(dtype))
        assert found.tolist() == getattr(grid, method)(boards).tolist()
    after = grid.play(boards.astype(dtype), np.array([4, 8]))
    assert after.tolist() == grid.play(boards, np.array([4, 8])).tolist()


@pytest.mark.parametrize("shape", [(1, 4), (9,)])
def test_no_move_is_played_on_boards_of_another_size(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="9 cells"):
        Grid(3).play(np.zeros(shape, dtype=np.int8), np.array([5]))


def test_a_move_is_not_rounded() -> None:
    grid = Grid(3)
    with pytest.raises(ValueError, match=r"the index of a cell, not 4\.9"):
        grid.play(grid.initial(2), [0, 4.9])  # type: ignore[arg-type]
    assert len(grid.play(grid.initial(0), [])) == 0  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("text", "grid"),
    [("3x3", Grid(3)), ("4x4x4", Grid(4, 3)), ("5x5x5x5", Grid(5, 4)), ("7", Grid(7, 1))],
)
def test_size_is_read_and_written(text: str, grid: Grid) -> None:
    assert Grid.parse(text) == grid
    assert grid.name == text
    assert grid.cells == grid.moves == len(grid.coordinates) == grid.initial(2).shape[1]


@pytest.mark.parametrize(
    "text",
    ["", "3x4", "1x1", "0x0", "3x", "x3", "3X3", "3x3 ", "-3x-3", "3.0x3", "ultimate", "03x03",
     "101x101", "9999x9999", "x".join(["9"] * 70), "x".join(["2"] * 13), "3x3\n",
     "1\u0663x1\u0663"],
)  # fmt: skip
def test_bad_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"board"):
        Grid.parse(text)


@pytest.mark.parametrize(
    ("n", "d"),
    [(1, 2), (0, 2), (-3, 2), (3, 0), (3, -1), (10**9, 10**9), (3.5, 2), (3, 2.0), ("3", 2),
     (3, True), (np.int8(127), 2), (np.int16(200), 2), (np.int64(2), np.int64(64))],
)  # fmt: skip
def test_bad_grid_is_refused(n: Any, d: Any) -> None:
    with pytest.raises(ValueError, match="board"):
        Grid(n, d)


def test_a_board_of_numpys_small_integers_is_the_board_of_pythons() -> None:
    assert Grid(np.int8(12)).cells == 144  # type: ignore[arg-type]
    assert Grid(np.uint8(16)).cells == 256  # type: ignore[arg-type]
    assert type(Grid(np.int8(3)).n) is int  # type: ignore[arg-type]


def test_coordinates_run_with_the_last_fastest() -> None:
    assert Grid(2, 3).coordinates[:3].tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


# ---------------------------------------------------------------------------- pictures


def test_layers_lie_below_each_other() -> None:
    assert Grid(3).blocks() == (Block("", tuple(range(9))),)
    assert Grid(2, 3).blocks() == (Block("layer 0", (0, 1, 2, 3)), Block("layer 1", (4, 5, 6, 7)))
    board = np.array([1, 0, -1, 0, 0, 0, 0, 0], dtype=np.int8)
    assert Grid(2, 3).picture(board) == " x 1\n o 3\n\n 4 5\n 6 7"
    rows = Grid(4).picture(np.zeros(16, dtype=np.int8)).split("\n")
    assert rows == ["  0  1  2  3", "  4  5  6  7", "  8  9 10 11", " 12 13 14 15"]
    last = Grid(10).picture(np.zeros(100, dtype=np.int8)).split("\n")[-1]
    assert last == " 90 91 92 93 94 95 96 97 98 99"
    with pytest.raises(ValueError, match="two or three dimensions"):
        Grid(2, 4).blocks()


def test_full_lines_stand_out() -> None:
    board = parse("xxxoo....", Grid(3))
    assert Grid(3).scene(board).line == {0, 1, 2}
    assert Grid(3).scene(board).stones == tuple(board.tolist())
    assert Grid(3).scene(-board).line == {0, 1, 2}
    assert Grid(3).scene(parse("xx.oo....", Grid(3))).line == frozenset()


def test_what_needs_a_grid_refuses_another_game() -> None:
    assert grid_of(Grid(3), "this") == Grid(3)
    with pytest.raises(ValueError, match=r"this needs an n\^d board, not Ultimate"):
        grid_of(SimpleNamespace(name="Ultimate"), "this")


# ---------------------------------------------------------------------------- notation


@given(grid_and_board())
def test_notation_round_trip(case: tuple[Grid, Boards]) -> None:
    grid, board = case
    assert parse(notation(board[0]), grid).tolist() == board[0].tolist()


def test_parse_accepts_exactly_the_states_of_3x3() -> None:
    """All 3^9 fillings: a text is a board if, and only if, play reaches it."""
    grid, accepted = Grid(3), set()
    for board in grid.decode(np.arange(3**9)):
        try:
            accepted.add(tuple(parse(notation(board), grid).tolist()))
        except ValueError:
            continue
    assert accepted == reference.states()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "9 characters, not 0"),
        ("x" * 8, "9 characters, not 8"),
        ("." * 10, "9 characters, not 10"),
        ("X........", "'X'.*only x, o and"),
        ("zX.......", "'X'"),
        ("x...-....", "'-'"),
        ("xx.......", "2 x and 0 o"),
        ("o........", "0 x and 1 o"),
        ("xxxooo...", "line"),
        ("xxxoo.o..", "line"),
        ("ooo.xx.xx", "line"),
    ],
)
def test_no_board(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text, Grid(3))


def test_two_lines_that_no_single_stone_completes() -> None:
    with pytest.raises(ValueError, match="line"):
        parse("xxxxx" + "oo.oo" + "xxxxx" + "oo.oo" + "..o..", Grid(5))
    crossing = "xxxxx" + "xoooo" + "xoooo" + "x...." + "x...."
    assert notation(parse(crossing, Grid(5))) == crossing


def test_symbols_are_those_of_the_contract() -> None:
    assert SYMBOLS == {1: "x", -1: "o", 0: "."}


# ---------------------------------------------------------------------------- codes


@given(grid_and_board())
def test_code_and_canonical_code(case: tuple[Grid, Boards]) -> None:
    grid, board = case
    code = int(grid.codes(board)[0])
    assert code == int("".join("012"[cell] for cell in board[0]), 3)
    assert grid.decode(np.array([code])).tolist() == board.tolist()
    images = board[0][grid.symmetries]
    assert set(grid.canonical_codes(images).tolist()) == {min(grid.codes(images).tolist())}


def test_codes_of_the_largest_board_are_exact() -> None:
    grid = Grid(33, 1)
    board = np.full((1, 33), -1, dtype=np.int8)
    assert grid.codes(board).tolist() == [3**33 - 1]
    assert grid.decode(grid.codes(board)).tolist() == board.tolist()
    with pytest.raises(ValueError, match="at most 33 cells"):
        Grid(34, 1).codes(np.zeros((1, 34), dtype=np.int8))

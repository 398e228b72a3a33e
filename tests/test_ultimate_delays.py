"""X wins no sooner after the first phase: the search held to the solver, and the stored rows."""

from __future__ import annotations

import numpy as np
import pytest
from ultimate_positions import endgames

from ttt_lib.ultimate.board import rules, symmetry
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver
from ttt_lib.ultimate.studies import delays
from ttt_lib.ultimate.studies.keep_playing import CENTRE, filled, prove

KEPT = Ultimate("keep-playing")
SOLVER = DTWSolver("keep-playing")


@pytest.fixture(scope="module")
def late() -> States:
    """Endgames of random games, X or O to move."""
    return endgames(KEPT, 150, 14, seed=3)


def plies_to_win(state: States) -> int | None:
    """Plies in which X forces the win by the solver's word, None if X can't."""
    position = KEPT.unpack(state)
    found = SOLVER.calculate_dtw(position)
    return found.distance if found.result == position.side else None


def test_answers_are_those_of_the_solver(late: States) -> None:
    wins = [plies_to_win(state) for state in late]
    assert sum(win is not None for win in wins) > 20 < sum(win is None for win in wins)
    assert max(win for win in wins if win is not None) > 4
    for state, win in zip(late, wins, strict=True):
        for plies in range(15):
            assert delays.within(state, plies, rows=2**14).forced == (
                win is not None and win <= plies
            )


def test_giving_up_hopeless_positions_changes_no_answer(late: States) -> None:
    """Beside a count that takes every sub-board for winnable by one stone."""
    few, short = np.ones((512, 512), np.uint8), delays.stones_short()
    more = 0
    for state in late[:60]:
        for plies in (3, 6, 9):
            found, counts = [], []
            for table in (short, few):
                keys, used = np.zeros((2**14, 3), np.uint64), np.zeros(1, np.int64)
                found.append(delays.forces(state.copy(), plies, table, keys, used))
                counts.append(used[0])
            assert found[0] == found[1] >= 0
            more += counts[1] > counts[0]
    assert more > 20


def test_stones_short_of_a_line() -> None:
    short = delays.stones_short()
    rng = np.random.default_rng(1)
    for own, other in rng.integers(0, 512, (300, 2)):
        lines = [[(int(own) >> c & 1, int(other) >> c & 1) for c in line] for line in rules.LINES]
        open_lines = [3 - sum(a for a, _ in line) for line in lines if not any(b for _, b in line)]
        assert short[own, other] == min(open_lines, default=delays.HOPELESS)


def test_a_corner_and_an_edge_stand_for_all_boards() -> None:
    images = [symmetry.transform(filled(last), t) for last in (0, 1) for t in range(8)]
    for board in set(range(9)) - {CENTRE}:
        assert any((filled(board) == image).all() for image in images)


def test_the_strategy_is_as_quick_as_any_after_its_first_phase() -> None:
    """Stored: not even two plies less can be forced."""
    table, longest = delays.read(), prove().longest
    assert not table["forced"].any()
    assert set(table["last"]) == set(delays.LASTS)
    assert (table.groupby("last")["plies"].max() == longest - 2).all()


def test_a_table_too_small_is_an_error() -> None:
    with pytest.raises(BudgetExceededError, match="64 rows are not enough for a bound of 15 plies"):
        delays.within(filled(0)[0], 15, rows=64)

"""OpenSpiel's implementation of the same game and the same search, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import BOARD, CELL, FORCED, FREE
from ttt_lib.ultimate.board.rules import MOVE_OF
from ttt_lib.ultimate.search.tree_search import UctSearch
from ttt_lib.ultimate.studies.strength import openspiel_state

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


@pytest.fixture(scope="module")
def theirs():  # type: ignore[no-untyped-def]
    return pyspiel.load_game("ultimate_tic_tac_toe")


def actions(state: np.ndarray, move: int) -> list[int]:
    """A move in OpenSpiel's terms: a free one is two actions, sub-board and cell."""
    cell = int(CELL[move])
    return [int(BOARD[move]), cell] if state[FORCED] == FREE else [cell]


def test_a_position_that_no_moves_reach_is_refused() -> None:
    state = Ultimate().initial()[0]
    state[0] = 0b111
    with pytest.raises(ValueError, match="no moves lead to this position"):
        openspiel_state(state)


def legal(state: np.ndarray, other) -> set[int]:  # type: ignore[no-untyped-def]
    """Legal moves of an OpenSpiel state, 9 row + column."""
    if state[FORCED] < FREE:
        return {MOVE_OF[int(state[FORCED])][cell] for cell in other.legal_actions()}
    found = set()
    for board in other.legal_actions():
        after = other.child(board)
        found |= {MOVE_OF[board][cell] for cell in after.legal_actions()}
    return found


def test_two_thousand_games_move_by_move(theirs) -> None:  # type: ignore[no-untyped-def]
    game, rng, games = Ultimate(), np.random.default_rng(0), 2000
    states = game.initial(games)
    others = np.array([theirs.new_initial_state() for _ in range(games)], dtype=object)
    results = []
    for ply in range(82):
        over = game.finished(states)
        assert [other.is_terminal() for other in others] == over.tolist()
        for state, other in zip(states[over], others[over], strict=True):
            results.append(int(game.winner(state[None])[0]))
            assert other.returns() == [results[-1], -results[-1]]
        states, others = states[~over], others[~over]
        if not len(states):
            break
        mask = game.legal(states)
        for row in range(0, len(states), 8):
            assert set(np.flatnonzero(mask[row])) == legal(states[row], others[row])
        moves = (mask * (1 + rng.random(mask.shape))).argmax(axis=1)
        for state, other, move in zip(states, others, moves, strict=True):
            assert other.current_player() == ply % 2
            for action in actions(state, move):
                other.apply_action(action)
        states = game.play(states, moves)
    assert len(results) == games
    assert {-1, 0, 1} == set(results)


def test_equal_simulations_are_equal_strength(theirs) -> None:  # type: ignore[no-untyped-def]
    """80 games of 150 simulations per move; their bot meets free moves as two actions."""
    game, points = Ultimate(), 0.0
    for number in range(80):
        ours = number % 2
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        bot = pyspiel.MCTSBot(theirs, evaluator, 1.414, 150, 100, False, number, False)
        state, other = game.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            if other.current_player() == ours:
                search = UctSearch(game, state[0], rng=number, solve=False)
                move = int(search.run(150).scores.argmax())
                for action in actions(state[0], move):
                    other.apply_action(action)
            else:
                move = their_move(bot, other, int(state[0, FORCED]))
            state = game.play(state, np.array([move]))
        points += (1 + other.returns()[ours]) / 2
    assert 0.3 < points / 80 < 0.7


def their_move(bot, other, forced: int) -> int:  # type: ignore[no-untyped-def]
    """Let the bot move, twice where the move is free."""
    board = forced
    if forced == FREE:
        board = bot.step(other)
        other.apply_action(board)
    cell = bot.step(other)
    other.apply_action(cell)
    return MOVE_OF[board][cell]

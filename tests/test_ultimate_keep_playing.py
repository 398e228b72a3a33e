"""The proof that X wins under keep-playing: held to plain Python, and broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from ultimate_positions import random_game

from ttt_lib.ultimate.board import rules, symmetry
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import COUNT, FORCED, FREE, META, RESULT, WON, States
from ttt_lib.ultimate.studies import keep_playing
from ttt_lib.ultimate.studies.keep_playing import (
    CENTRE,
    GAME,
    Proof,
    advance,
    answer,
    answers,
    ends,
    filled,
    prove,
)

PHASE_ONE = 16
"""Plies until the centre board is full."""

CORNER, EDGE = 0, 1
from_both = pytest.mark.parametrize("last", [CORNER, EDGE])


@pytest.fixture(scope="module")
def proof() -> Proof:
    return prove()


def layers(start: States) -> list[States]:
    """The different running positions of each ply in which the strategy is followed."""
    found = []
    while len(start):
        start = start[~GAME.finished(start)]
        found.append(start)
        start = np.unique(advance(start, answers, GAME)[0], axis=0) if len(start) else start
    return found[:-1]


def x_positions() -> States:
    return np.concatenate(layers(GAME.initial())[::2])


def test_x_wins_every_game(proof: Proof) -> None:
    assert proof.holds
    assert proof.positions[:4] == (1, 1, 8, 8)
    assert (proof.ends[:, RESULT] == 1).all()
    assert len(proof.ends) == proof.wins[proof.longest] > 0
    assert not any(proof.wins[: proof.shortest])
    assert proof.table()["positions"].sum() == sum(proof.positions)


def test_the_longest_game_is_that_of_the_paper(proof: Proof) -> None:
    """43 counts the moves of both: 17 to X's first in board c, then at most 8 of O in c, 5 in d."""
    assert proof.longest == 43 == PHASE_ONE + 1 + 2 * (8 + 5)


@from_both
def test_plain_python_visits_the_same_positions(last: int) -> None:
    """Sets of readable positions, the readable rules and the readable strategy: nothing shared."""
    layer, counts = {GAME.unpack(filled(last)[0])}, []
    while layer:
        running = [position for position in layer if rules.result(position) is None]
        assert all(rules.result(position) == 1 for position in layer - set(running))
        moves = {p: [answer(p)] if p.side == 1 else rules.legal_moves(p) for p in running}
        replies = sum(len(found) for p, found in moves.items() if p.side == -1)
        counts.append((len(layer), replies, len(layer) - len(running)))
        layer = {rules.play(p, move) for p, found in moves.items() for move in found}
    found = prove(start=filled(last))
    assert counts == list(zip(found.positions, found.replies, found.wins, strict=True))


def test_a_corner_and_an_edge_stand_for_all(proof: Proof) -> None:
    """What plain Python visits four times each, and the first phase, make up the whole proof."""
    corner, edge = (prove(start=filled(last)) for last in (CORNER, EDGE))
    whole = proof.positions[PHASE_ONE:]
    assert len(whole) == len(corner.positions) == len(edge.positions)
    for here, *parts in zip(whole, corner.positions, edge.positions, strict=True):
        assert here == 4 * sum(parts)


def test_the_first_phase_is_any_order_of_eight(proof: Proof) -> None:
    """O has filled k of eight cells; X knows which was last, after X's answer nobody can tell."""
    binomial = (1, 8, 28, 56, 70, 56, 28, 8, 1)
    for k in range(1, 8):
        assert proof.positions[2 * k] == k * binomial[k]
        assert proof.positions[2 * k + 1] == binomial[k]


def test_the_strategy_turns_with_the_board() -> None:
    states = x_positions()
    for turn in range(8):
        turned = symmetry.MOVE_IMAGES[turn][answers(states)]
        assert (answers(symmetry.transform(states, turn)) == turned).all()


def test_both_forms_of_the_strategy_agree() -> None:
    states = x_positions()[::9]
    assert [answer(GAME.unpack(state)) for state in states] == answers(states).tolist()


def test_every_legal_reply_is_played(proof: Proof) -> None:
    found = layers(GAME.initial())
    legal = [int(GAME.legal(layer).sum()) for layer in found]
    assert legal[1::2] == list(proof.replies[1 : len(found) : 2])
    assert not any(proof.replies[::2])


@from_both
def test_o_is_kept_in_two_boards(last: int) -> None:
    """In boards c and d, never with a free move: what the argument for the strategy says."""
    for layer in layers(filled(last))[1::2]:
        assert set(layer[:, FORCED].tolist()) <= set(ends(GAME.unpack(layer[0])))
        assert FREE not in layer[:, FORCED]


@from_both
def test_why_it_works(last: int) -> None:
    """What the notebook says of all games: who visits which board, who owns it, and when."""
    states = np.concatenate(layers(filled(last)))
    c, d = ends(GAME.unpack(states[0]))
    x, o = states[:, :9], states[:, 9:18]
    assert (states[:, META + 1] >> CENTRE & 1).all(), "O owns the centre board"
    entered = o[:, d] != 0
    assert entered.any()
    assert (states[entered, META] >> d & 1).all(), "X owns d before O first plays there"
    visits = np.delete(x, CENTRE, axis=1) & ~np.uint16(1 << CENTRE)
    assert COUNT[visits].max() == 2
    assert set(visits[COUNT[visits] == 2].tolist()) == {1 << c | 1 << d}
    assert (x[:, [b for b in range(9) if b not in (CENTRE, c)]] >> CENTRE & 1).all()


def test_the_first_owner_matters() -> None:
    """Both complete lines in one board, so it must be said whose it is."""
    states = np.concatenate(layers(filled(EDGE)))
    assert ((WON[states[:, :9]] != 0) & (WON[states[:, 9:18]] != 0)).any()


def without(cell: int) -> keep_playing.Strategy:
    """The strategy, but ``cell`` 0 for c or 1 for d is dropped from what X may answer."""

    def moves(states: States) -> NDArray[np.intp]:
        chosen = answers(states)
        for row, state in enumerate(states):
            position = GAME.unpack(state)
            board = rules.BOARD_OF[chosen[row]]
            if 0 not in position.sub_board(CENTRE):
                chosen[row] = rules.MOVE_OF[board][ends(position)[1 - cell]]
        return chosen

    return moves


def free_in_c(states: States) -> NDArray[np.intp]:
    """The strategy, but free moves are used in board c instead of d."""
    free = (states[:, FORCED] == FREE) & ((states[:, 4] | states[:, 13]) == 511)
    last = ((states[:, :9] >> CENTRE & 1) == 0).argmax(axis=1)
    return answers(np.where((np.arange(24) == FORCED) & free[:, None], last[:, None], states))


def not_opposite(states: States) -> NDArray[np.intp]:
    """The strategy, but d is the board after c, in whose cells X can't make a line with c."""
    moves = answers(states)
    for row, state in enumerate(states):
        last, opposite = ends(GAME.unpack(state))
        board, cell = rules.BOARD_OF[moves[row]], rules.CELL_OF[moves[row]]
        if 0 not in GAME.unpack(state).sub_board(CENTRE) and cell == opposite:
            moves[row] = rules.MOVE_OF[board][(last + 1) % 9]
    return moves


@pytest.mark.parametrize("strategy", [without(0), without(1), free_in_c, not_opposite])
def test_a_crippled_strategy_fails(strategy: keep_playing.Strategy) -> None:
    found = prove(strategy, filled(CORNER))
    assert not found.holds
    assert found.longest + PHASE_ONE < 43


def test_one_wrong_move_in_one_position_is_caught() -> None:
    """In the last position before a win, X plays elsewhere in the same board."""
    target = layers(filled(CORNER))[-1][0]

    def slip(states: States) -> NDArray[np.intp]:
        moves, here = answers(states), (states == target).all(axis=1)
        for row in np.flatnonzero(here):
            moves[row] = next(m for m in np.flatnonzero(GAME.legal(states)[row]) if m != moves[row])
        return moves

    assert not prove(slip, filled(CORNER)).holds


def test_an_illegal_move_is_an_escape() -> None:
    found = prove(lambda states: np.zeros(len(states), dtype=np.intp))
    assert not found.holds
    assert found.longest == 2  # cell 0 of board 0 is X's own by then, and O may send X elsewhere
    assert len(found.escapes) == 8


def test_a_game_that_o_wins_is_an_escape() -> None:
    """From the last running position of random games that O won, O to move."""
    for seed in range(5):
        games = (random_game(GAME, np.random.default_rng([seed, n])) for n in range(100))
        last = next(game[-1] for game in games if o_can_win(game[-1]))
        found = prove(start=last[None])
        assert found.longest == 1
        assert not found.holds
        assert (found.escapes[:, RESULT] == 2).any()


def o_can_win(state: NDArray[np.uint16]) -> bool:
    if GAME.to_move(state[None])[0] == 1:
        return False
    moves = np.flatnonzero(GAME.legal(state[None])[0])
    after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
    return bool((GAME.winner(after) == -1).any())


@dataclass(frozen=True)
class Silenced(Ultimate):
    """The game, but O overlooks one cell of every board."""

    rules: str = "keep-playing"

    def legal(self, states: States) -> NDArray[np.bool_]:
        found = super().legal(states)
        if len(states) and self.to_move(states)[0] == -1 and (found.sum(axis=1) > 1).all():
            found[np.arange(len(states)), found.argmax(axis=1)] = False
        return found


def test_a_missing_reply_shows_in_the_counts(proof: Proof) -> None:
    found = prove(game=Silenced())
    assert sum(found.replies) < sum(proof.replies)
    assert sum(found.positions) < sum(proof.positions)


@pytest.mark.parametrize("name", ["standard", "codingame"])
def test_the_strategy_proves_nothing_under_other_rules(name: str) -> None:
    """O wins the centre board in three moves, and whoever is sent there moves freely."""
    found = prove(game=Ultimate(name))
    assert not found.holds
    assert found.longest == 8


@pytest.mark.parametrize("last", [-1, 4, 9])
def test_boards_that_cannot_be_last(last: int) -> None:
    with pytest.raises(ValueError, match=f"not an outer board: {last}; 0 to 8, but not 4"):
        filled(last)

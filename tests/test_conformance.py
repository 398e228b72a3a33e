"""One test that every game must pass, and one that every agent of the catalog must pass."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from toy_game import Nim

from ttt_lib import catalog
from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import Agent, Game, choose
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.rules import RULES

# ---------------------------------------------------------------------------- games

GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        *(Grid(2), Grid(3), Grid(4), Grid(3, 3), Grid(2, 5)),
        *(Ultimate(rules) for rules in RULES),
        Nim(21),
    )
}
"""Add a game here and it is tested."""

LONGEST = 1000
"""More plies than a game may take here."""

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def some_legal(game: Game, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal move in each state."""
    return np.asarray(
        (game.legal(states) * (1 + rng.random((len(states), game.moves)))).argmax(axis=1)
    )


@every_game
def test_the_start(game: Game) -> None:
    for batch in (0, 1, 5):
        states = game.initial(batch)
        assert len(states) == batch
        assert game.legal(states).shape == (batch, game.moves)
        assert game.to_move(states).tolist() == [1] * batch
        assert game.winner(states).tolist() == [0] * batch
        assert game.finished(states).tolist() == [False] * batch
    assert game.legal(game.initial()).any()
    assert isinstance(game.name, str)


@every_game
def test_random_games_obey_the_protocol(game: Game) -> None:
    rng = np.random.default_rng(0)
    states = game.initial(60)
    for ply in range(LONGEST):
        legal, over, winner = game.legal(states), game.finished(states), game.winner(states)
        assert legal.dtype == over.dtype == np.bool_
        assert legal.shape == (len(states), game.moves)
        assert (legal.any(axis=1) == ~over).all(), (
            "a game is over if, and only if, no move is legal"
        )
        assert np.isin(winner, (-1, 0, 1)).all()
        assert over[winner != 0].all(), "a won game is over"
        states, legal = states[~over], legal[~over]
        if not len(states):
            break
        assert set(game.to_move(states).tolist()) == {1 - 2 * (ply % 2)}
        before, moves = states.copy(), some_legal(game, states, rng)
        after = game.play(states, moves)
        assert (states == before).all(), "a move makes new states"
        assert after.shape == states.shape
        assert after.dtype == states.dtype
        for row in range(0, len(states), 20):
            alone = game.play(states[row : row + 1], moves[row : row + 1])
            assert (alone == after[row : row + 1]).all(), "the batch does not matter"
        winners = game.winner(after)
        if game.name != "ultimate:codingame":  # There a last move may lose by the count.
            assert np.isin(winners, (0, 1 - 2 * (ply % 2))).all(), "only the mover can win"
        states = after
    assert not len(states), "every game ends"


@every_game
def test_illegal_moves_are_refused(game: Game) -> None:
    """At every ply of one game to its end: each illegal move, and numbers that are no move."""
    rng = np.random.default_rng(1)
    state = game.initial()
    refused = 0
    for _ in range(LONGEST):
        illegal = [*np.flatnonzero(~game.legal(state)[0]).tolist(), -1, game.moves]
        for move in illegal:
            with pytest.raises(ValueError, match=r"\w+ \w+"):
                game.play(state, np.array([move]))
        refused += len(illegal)
        if game.finished(state)[0]:
            break
        state = game.play(state, some_legal(game, state, rng))
    assert game.finished(state)[0]
    assert refused > game.moves


# ---------------------------------------------------------------------------- agents

NAMES = [name for name, entry in catalog.AGENTS.items() if entry.builder(catalog.BOARDS)]
GRID_NAMES = [*NAMES, *(catalog.SAFETY + name for name in NAMES)]
every_agent = pytest.mark.parametrize("name", GRID_NAMES)


@cache
def built(name: str) -> Agent:
    return catalog.agent(name)


@every_agent
def test_policy_is_a_distribution_over_legal_moves(tree: GameTree, name: str) -> None:
    boards, legal = tree.boards[~tree.finished], tree.legal[~tree.finished]
    before = boards.copy()
    chances = built(name).policy(boards, np.random.default_rng(0))
    assert (boards == before).all()
    assert chances.shape == legal.shape
    assert (chances >= 0).all()
    assert not chances[~legal].any()
    assert np.abs(chances.sum(axis=1) - 1).max() < 1e-12


@every_agent
def test_weights_are_the_policy(tree: GameTree, name: str) -> None:
    agent = built(name)
    if agent.weights is None:
        assert catalog.agent(f"{catalog.SAFETY}{name}").weights is None
        return
    boards, legal = tree.boards[~tree.finished], tree.legal[~tree.finished]
    weights = agent.weights(boards)
    assert np.issubdtype(weights.dtype, np.integer)
    assert (weights >= 0).all()
    assert not weights[~legal].any()
    shares = weights / weights.sum(axis=1, keepdims=True)
    assert agent.policy(boards, np.random.default_rng(0)) == pytest.approx(shares, abs=1e-15)


@every_agent
def test_states_are_judged_one_by_one(tree: GameTree, name: str) -> None:
    """What stands beside a state in the batch does not change the weights of its moves."""
    agent = built(name)
    if agent.weights is None:
        pytest.skip("states no weights; its draws depend on the order")
    some = tree.boards[~tree.finished][::97]
    apart = np.concatenate([agent.weights(board[None]) for board in some])
    assert (apart == agent.weights(some)).all()


@every_agent
def test_symmetric_agents_play_symmetric_boards_alike(tree: GameTree, name: str) -> None:
    agent = built(name)
    boards = tree.boards[~tree.finished]
    if agent.weights is None:
        assert not agent.symmetric
        return
    weights = agent.weights(boards)
    same = all(
        (agent.weights(boards[:, p]) == weights[:, p]).all() for p in tree.grid.symmetries[1:]
    )
    assert same or not agent.symmetric


@every_agent
@pytest.mark.parametrize("which", [0, -1], ids=["won", "full"])
def test_a_finished_game_is_refused(tree: GameTree, name: str, which: int) -> None:
    over = tree.boards[np.flatnonzero(tree.finished)[[which]]]
    batch = np.concatenate([tree.boards[:1], over])
    with pytest.raises(ValueError, match="finished game"):
        built(name).policy(batch, np.random.default_rng(0))


@every_agent
def test_a_seed_repeats_the_policy(tree: GameTree, name: str) -> None:
    boards = tree.boards[~tree.finished][::53]
    first, again = (catalog.agent(name).policy(boards, np.random.default_rng(3)) for _ in range(2))
    assert (first == again).all()
    moves = [choose(built(name), boards, np.random.default_rng(3)) for _ in range(2)]
    assert (moves[0] == moves[1]).all()
    assert tree.grid.legal(boards)[np.arange(len(boards)), moves[0]].all()


@every_agent
@pytest.mark.parametrize("size", ["2x2", "3", "5x5", "3x3x3"])
def test_other_boards_are_played_or_refused(name: str, size: str) -> None:
    try:
        agent = catalog.agent(name, size)
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert len(refusal.split()) > 5, "it says what is wrong and what is allowed"
        assert "\n" not in refusal
        return
    grid = Grid.parse(size)
    chances = agent.policy(grid.initial(2), np.random.default_rng(0))
    assert chances.shape == (2, grid.cells)
    assert chances.sum(axis=1) == pytest.approx([1, 1])


def test_some_boards_are_refused_and_some_are_played() -> None:
    with pytest.raises(ValueError, match="too large to enumerate"):
        catalog.agent("minimax", "3x3x3")
    assert catalog.agent("lookahead:depth=1", "3x3x3").game == Grid(3, 3)

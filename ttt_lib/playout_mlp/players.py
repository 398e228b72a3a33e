"""Players from values of boards: greedy, look-ahead, alpha-beta, and Monte Carlo with the network.

Decisions the document leaves open: a finished game counts as exactly +1, 0 or -1, so the network
evaluates running games only; a look-ahead of ``depth`` plies evaluates the boards at that depth,
no matter who moved last, although the network saw only boards after X's moves.  So X at odd and O
at even depth evaluate boards of the kind it was trained on; X at even and O at odd depth do not.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Ints
from ttt_lib.game.exact import as_chances, float_values, outcome_as, policy_table, random_expected
from ttt_lib.game.gametree import paths_to
from ttt_lib.game.policy import (
    Agent,
    Evaluator,
    Ties,
    best_moves,
    for_last_mover,
    from_evaluator,
    from_visits,
    move_scores,
    random_agent,
)
from ttt_lib.game.response import reachable
from ttt_lib.playout_mlp import ceilings
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import Net, evaluator, net

TEMPERATURE = 1.0
"""Softmax temperature T of the network's playouts: chance proportional to e^(score / T)."""

POLICIES = ("random", "mlp")


def mlp_agent(grid: Grid, seed: int = 0, depth: int = 1) -> Agent:
    """Minimax over ``depth`` plies with the network as evaluation; ties: lowest index.

    Raises
    ------
    ValueError
        If the board is not 3x3, depth < 1, or the seed is negative.
    """
    _check_board(grid, "mlp")
    return value_agent(f"mlp:seed={seed},depth={depth}", evaluator(net(seed)), depth)


def _check_board(grid: Grid, name: str) -> None:
    if grid != GRID:
        raise ValueError(f"{name} learned 3x3 and can't play {grid.name}")


def value_agent(
    name: str,
    values: Evaluator,
    depth: int = 1,
    *,
    ends: bool = True,
    ties: Ties = "first",
    symmetric: bool = False,
) -> Agent:
    """A look-ahead player of 3x3, ties by lowest index; as ``policy.from_evaluator``."""
    return from_evaluator(name, GRID, values, depth, ends=ends, ties=ties, symmetric=symmetric)


def exact_evaluator() -> Evaluator:
    """Value boards by their exact expected outcome under random play, for the last mover."""
    return table_evaluator(random_expected(ceilings.tree()))


def table_evaluator(expected: Floats) -> Evaluator:
    """Value boards by a table of expected outcomes from X's side, shape (S,)."""
    game = ceilings.tree()
    return for_last_mover(GRID, lambda after: expected[game.index(after)])


def exact_agent(depth: int = 1, *, ties: Ties = "uniform") -> Agent:
    """The look-ahead player on exact expected outcomes instead of the network's."""
    name = f"exact expectation, depth {depth}"
    return value_agent(name, exact_evaluator(), depth, ties=ties, symmetric=ties == "uniform")


def faulty(depth: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The states in which the exact-expectation player, as O, may throw the game away.

    Returns
    -------
    preferred : ndarray of int
        States it meets, not yet lost, in which every move it may choose loses.
    tied : ndarray of int
        States it meets in which some of the moves it may choose lose and others do not.
    """
    game = ceilings.tree()
    table = policy_table(exact_agent(depth), game)
    chosen = table > 0
    loses = (game.value[game.children] == 1) & chosen
    met = reachable(game, table, -1) & (GRID.to_move(game.boards) == -1)
    here = met & (game.value <= 0) & loses.any(axis=1)
    every = (loses == chosen).all(axis=1)
    return np.flatnonzero(here & every), np.flatnonzero(here & ~every)


def faults(depth: int) -> tuple[int, int]:
    """The number of states of each kind in :func:`faulty`."""
    preferred, tied = faulty(depth)
    return len(preferred), len(tied)


def tie_broken(depth: int, *, always: bool = True) -> Ints:
    """The exact-expectation player that breaks ties by the expectation right after its move.

    Parameters
    ----------
    always : bool
        Whether in every state; else only where its search has proven every move lost.

    Returns
    -------
    ndarray of int64, shape (S, 9)
        Weights of the moves, as of :func:`ttt_lib.game.exact.policy_table`.
    """
    game, values = ceilings.tree(), exact_evaluator()
    table, running = policy_table(exact_agent(depth), game).copy(), ~game.finished
    near, deep = (move_scores(GRID, values, plies)(game.boards[running]) for plies in (1, depth))
    moves = table[running]
    here = always | (deep.max(axis=1) < -1 + 1e-9)
    moves[here] = best_moves(np.where(moves > 0, near, -np.inf))[here]
    table[running] = moves
    return table


def lost_by_ties(depth: int) -> dict[str, Fraction]:
    """Probability that the exact-expectation player loses as O to random play, by rule for ties."""
    game = ceilings.tree()
    random = policy_table(random_agent(GRID), game)
    tables = {
        "all ties at random": policy_table(exact_agent(depth), game),
        "lost moves by expectation, other ties at random": tie_broken(depth, always=False),
        "all ties by expectation": tie_broken(depth),
    }
    return {name: outcome_as(game, -1, table, random).loss for name, table in tables.items()}


def playout_chances(
    values: Evaluator, temperature: float = TEMPERATURE, *, ends: bool = True
) -> Floats:
    """Chances of the moves in playouts guided by an evaluator on every state, shape (S, 9).

    Proportional to e^(score / T), with the greedy player's scores; 0 on finished states.

    Parameters
    ----------
    ends : bool
        Whether a move that ends the game scores its exact result, else what the evaluator says.

    Raises
    ------
    ValueError
        If the temperature is not positive.
    """
    if not temperature > 0:
        raise ValueError(f"a temperature must be positive, not {temperature}")
    game = ceilings.tree()
    running = ~game.finished
    scores = move_scores(GRID, values, ends=ends)(game.boards[running])
    powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    chances = np.zeros(game.children.shape)
    chances[running] = powers / powers.sum(axis=1, keepdims=True)
    return chances


def steps_by_code(chances: Floats) -> Floats:
    """Cumulative probabilities by board code, shape (3**9, 9): a ``search.PlayoutTable``."""
    game = ceilings.tree()
    steps = np.zeros((3**GRID.cells, GRID.cells))
    steps[game.codes] = chances.cumsum(axis=1)
    return steps


def monte_carlo_limit(chances: Floats, *, name: str = "pmc limit", ties: Ties = "first") -> Agent:
    """Pure Monte Carlo with infinite playouts: greedy on the exact result of its playout policy."""
    values = float_values(ceilings.tree(), chances, chances)
    # Rounded, so that moves which are equal by symmetry stay equal.
    expected = np.round(values[:, 0] - values[:, 2], 12)
    return value_agent(name, table_evaluator(expected), ties=ties)


def imbalance(chances: Floats) -> float:
    """Mean squared error of infinite playouts against perfect play (Silver and Tesauro, 2009).

    Over the boards of a game on which it goes on, the empty one included, each weighted by how
    often random play visits it; a result is +1, 0 or -1, so the squared error lies between 0 and 4.

    Parameters
    ----------
    chances : ndarray of float, shape (S, 9)
        The playout policy of both sides on every state.
    """
    game = ceilings.tree()
    values = float_values(game, chances, chances)
    errors, running = values[:, 0] - values[:, 2] - game.value, ~game.finished
    visits = paths_to(game) * game.random_play.sum(axis=1)
    return float(np.average(errors[running] ** 2, weights=visits[running]))


def against_random(chances: Floats) -> tuple[float, float]:
    """The exact mean result of a playout policy against random play, as X and as O, -1 to 1.

    Parameters
    ----------
    chances : ndarray of float, shape (S, 9)
        The playout policy on every state.
    """
    game, random = ceilings.tree(), uniform_chances()
    as_x, as_o = float_values(game, chances, random)[0], float_values(game, random, chances)[0]
    return float(as_x[0] - as_x[2]), float(as_o[2] - as_o[0])


def uniform_chances() -> Floats:
    """The uniform policy on every state, shape (S, 9); 0 on finished states."""
    return as_chances(ceilings.tree().legal)


def pmc_agent(grid: Grid, playouts: int = 100, policy: str = "random") -> Agent:
    """Pure Monte Carlo: playouts after each move, then the move of best mean; ties: lowest index.

    Raises
    ------
    ValueError
        If playouts < 1, the policy is unknown, or ``mlp`` is used on a board other than 3x3.
    """
    from ttt_lib.game.search import pure_monte_carlo  # numba loads only when a search is wanted

    if playouts < 1:
        raise ValueError(f"Pure Monte Carlo needs playouts >= 1, not {playouts}")
    if policy not in POLICIES:
        raise ValueError(f"unknown policy {policy!r} of pmc: {' or '.join(POLICIES)}")
    table = None
    if policy == "mlp":
        _check_board(grid, "pmc:policy=mlp")
        table = steps_by_code(playout_chances(evaluator(net(0))))

    def choose(boards: Boards, rng: np.random.Generator) -> Floats:
        means = pure_monte_carlo(grid, boards, playouts, rng=rng, policy=table)
        return best_moves(means, "first").astype(np.float64)

    return Agent(f"pmc:playouts={playouts},policy={policy}", grid, choose)


def uct_agent(iterations: int, network: Net, c: float = 1.414) -> Agent:
    """Tree search whose playouts follow the network; most visits, then lowest index."""
    name = f"uct with network playouts:iterations={iterations}"
    return guided_uct(name, playout_chances(evaluator(network)), iterations, c)


def guided_uct(name: str, chances: Floats, iterations: int, c: float = 1.414) -> Agent:
    """Tree search whose playouts follow each state's chances of its moves, shape (S, 9).

    Raises
    ------
    ValueError
        As :func:`ttt_lib.game.search.check_search`.
    """
    from ttt_lib.game.search import check_search, search

    check_search(GRID, iterations, c)
    table = steps_by_code(chances)

    def visits(boards: Boards, rng: np.random.Generator) -> Floats:
        return search(GRID, boards, iterations, c, rng=rng, policy=table).visits

    return from_visits(name, GRID, visits)


def leaf_values(values: Evaluator) -> Floats:
    """Every state's value for the player who moved last: exact at an end, else the evaluator's."""
    game = ceilings.tree()
    leaves = np.abs(game.winner).astype(np.float64)
    running = ~game.finished
    leaves[running] = values(game.boards[running])
    return leaves


@cache
def _after() -> list[list[int]]:
    """The states after each state's legal moves, in ascending order of the move."""
    game = ceilings.tree()
    pairs = zip(game.children, game.legal, strict=True)
    return [children[legal].tolist() for children, legal in pairs]


def alpha_beta(
    leaves: Floats, state: int, depth: int, low: float = -math.inf, high: float = math.inf
) -> tuple[float, int]:
    """Value of a state for the side to move, and how many states were visited.

    Moves are tried in index order; once one proves too good for the opponent to allow
    (``best >= high``), the rest need not be searched (Knuth and Moore, 1975).

    Parameters
    ----------
    leaves : ndarray of float64, shape (S,)
        See :func:`leaf_values`.
    depth : int
        Plies to look ahead.
    low, high : float
        What the two players have already secured elsewhere; infinite at the root.
    """
    game = ceilings.tree()
    if depth == 0 or game.finished[state]:
        return -float(leaves[state]), 1
    best, nodes = -math.inf, 1
    for child in _after()[state]:
        value, below = alpha_beta(leaves, child, depth - 1, -high, -max(low, best))
        best, nodes = max(best, -value), nodes + below
        if best >= high:
            break
    return best, nodes


def plain_minimax(leaves: Floats, state: int, depth: int) -> tuple[float, int]:
    """Like :func:`alpha_beta`, without pruning."""
    game = ceilings.tree()
    if depth == 0 or game.finished[state]:
        return -float(leaves[state]), 1
    found = [plain_minimax(leaves, child, depth - 1) for child in _after()[state]]
    return -min(value for value, _ in found), 1 + sum(nodes for _, nodes in found)

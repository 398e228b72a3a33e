"""What an agent is, and the agents that come from none of the documents.

An *evaluator* values boards after a move for the player who has just moved.
Looking one or more plies ahead turns it into *scores* of moves; a tie rule
turns scores into integer *weights*; weights define a *policy*, both in floats and
in exact fractions.  An agent that can't state its weights (tree search, say)
still has a policy, which may draw random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Ints, Mask, grid_of
from ttt_lib.game.gametree import solve

States = NDArray[Any]
Ties = Literal["uniform", "first"]

Evaluator = Callable[[Boards], Floats]
"""Boards after a move, (B, cells) -> values for the player who has just moved, (B,)."""

Scores = Callable[[States], Floats]
"""States, (B, ...) -> scores, higher is better for the side to move, (B, moves); -inf: illegal."""

Weights = Callable[[States], Ints]
"""States, (B, ...) -> chances of the moves as integers, (B, moves)."""

Policy = Callable[[States, np.random.Generator], Floats]
"""States, (B, ...) -> chances of the moves, (B, moves), rows summing to 1."""

Moves = Callable[[States, np.random.Generator], NDArray[np.intp]]
"""Running states, (B, ...) -> one move each, (B,)."""

TOLERANCE = 1e-9
"""Relative difference below which two scores are tied."""

ROUNDING = 1e-13
"""What rounding may make of a sum, relative to the sum of the absolute values of its terms."""


class Game(Protocol):
    """What agents and matches need to know of a game, always for a batch of states."""

    @property
    def name(self) -> str:
        """The name on the command line, e.g. ``3x3``."""

    @property
    def moves(self) -> int:
        """Number of different moves."""

    def initial(self, batch: int = 1) -> States:
        """States at the start of the game, first axis ``batch``."""

    def to_move(self, states: States) -> NDArray[np.int8]:
        """Side to move, +1 (X) or -1 (O), shape (B,)."""

    def winner(self, states: States) -> NDArray[np.int8]:
        """+1, -1 or 0 for nobody (yet), shape (B,)."""

    def finished(self, states: States) -> Mask:
        """Whether the game is over, shape (B,)."""

    def legal(self, states: States) -> Mask:
        """Legal moves, shape (B, moves); none where the game is over."""

    def play(self, states: States, moves: NDArray[np.intp]) -> States:
        """States after one move each; an illegal one is refused (``ValueError``)."""


@dataclass(frozen=True)
class Agent:
    """A player of one game.

    Attributes
    ----------
    name : str
        Its name in the catalog, or a description.
    game : Game
        The game it plays.
    policy : callable
        Chances of the moves, see :data:`Policy`.
    weights : callable or None
        The same chances as integers, see :data:`Weights`; None if it can't state them.
    scores : callable or None
        How it rates each move, see :data:`Scores`; None if it has no scores.
    symmetric : bool
        Whether it treats symmetric boards alike.
    visits : callable or None
        How often its search visits each move, see :func:`from_visits`.
    moves : callable or None
        Its moves, see :data:`Moves`, where it doesn't draw them from its chances, e.g. a search
        that returns a single move.
    deterministic : bool
        Whether it plays the same move whenever it meets the same state, and draws no random
        numbers.  For an agent with weights, a match determines this itself.
    side_by_side : bool
        Whether it benefits from batches of many states.  If neither player does, a match from
        paired openings plays its games one by one, so that an agent's memory lasts a whole game.
    counted : ndarray of float64, shape (n + 1, n + 1), or None
        What a line is worth to a move on it, by its stones (own, the other's), if the agent plays
        a cell whose lines have the largest total worth, ties uniform; mixed lines are worth 0.
    """

    name: str
    game: Game
    policy: Policy
    weights: Weights | None = None
    scores: Scores | None = None
    symmetric: bool = False
    moves: Moves | None = None
    deterministic: bool = False
    side_by_side: bool = True
    counted: Floats | None = None
    visits: Policy | None = None


def from_weights(
    name: str,
    game: Game,
    weights: Weights,
    *,
    scores: Scores | None = None,
    symmetric: bool = False,
) -> Agent:
    """Make an agent from integer weights; its policy is the weights divided by their sum.

    As in all agents, ``weights`` refuses a finished game (``ValueError``), which has no move.
    """

    def policy(states: States, rng: np.random.Generator) -> Floats:
        chances = weights(states).astype(np.float64)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    return Agent(name, game, policy, weights, scores, symmetric)


def from_moves(
    name: str,
    game: Game,
    moves: Moves,
    *,
    scores: Scores | None = None,
    deterministic: bool = False,
    side_by_side: bool = False,
) -> Agent:
    """Make an agent from a function that chooses one move per state; its chances are 0 and 1."""

    def policy(states: States, rng: np.random.Generator) -> Floats:
        return np.asarray(np.eye(game.moves)[moves(states, rng)])

    return Agent(
        name, game, policy, scores=scores, moves=moves, deterministic=deterministic,
        side_by_side=side_by_side,
    )  # fmt: skip


def from_scores(
    name: str, game: Game, scores: Scores, *, ties: Ties = "uniform", symmetric: bool = False
) -> Agent:
    """Make an agent that plays a best-scored move.

    Parameters
    ----------
    ties : {"uniform", "first"}
        Choose among ties uniformly, or take the lowest index.
    """

    def weights(states: States) -> Ints:
        return best_moves(scores(states), ties)

    return from_weights(name, game, weights, scores=scores, symmetric=symmetric)


def from_visits(name: str, game: Game, visits: Policy) -> Agent:
    """Make an agent that plays the move its search visits most, the lowest index among equals.

    Parameters
    ----------
    visits : callable
        How often the search visits each move, with the arguments and shapes of a policy.
    """

    def policy(states: States, rng: np.random.Generator) -> Floats:
        found = np.where(game.legal(states), visits(states, rng), -np.inf)
        return best_moves(found, "first").astype(np.float64)

    return Agent(name, game, policy, visits=visits)


def best_moves(scores: Floats, ties: Ties = "uniform") -> Ints:
    """Weight 1 on the best moves of each row, shape (B, moves).

    Scores within a relative ``TOLERANCE`` of the best count as ties.

    Raises
    ------
    ValueError
        If a row has no legal move (all -inf), a score is nan or +inf, or the tie rule is unknown.
    """
    if ties not in ("uniform", "first"):
        raise ValueError(f"unknown tie rule {ties!r}: uniform or first")
    top = scores.max(axis=1, keepdims=True)
    if np.isneginf(top).any():
        raise ValueError("a finished game has no move to choose")
    if not np.isfinite(top).all():
        raise ValueError("a score must be a finite number, or -inf where the move is not legal")
    best = scores >= top - TOLERANCE * np.abs(top)
    return (first(best) if ties == "first" else best).astype(np.int64)


def settled(total: Floats, size: Floats, legal: Mask) -> Floats:
    """Scores of moves as sums of gains, in which rounding doesn't decide what is best.

    Gains of both signs may cancel.  Then equal sums differ by more than a tolerance relative to the
    best, which may itself be such a sum, if they were added up in another order.

    Parameters
    ----------
    total, size : ndarray of float64, shape (B, cells)
        The sums, and the sums of the absolute values of the same terms; one and the same array if
        no term is negative, so that nothing cancels.
    legal : ndarray of bool, shape (B, cells)

    Returns
    -------
    ndarray of float64, shape (B, cells)
        The sums, where some may cancel those as near to the best as rounding can make them its
        equal; -inf where a move is not legal.
    """
    scores = np.where(legal, total, -np.inf)
    if size is total:
        return scores
    with np.errstate(invalid="ignore"):  # sums that overflow
        top = np.abs(scores.max(axis=1))
        for row in np.flatnonzero(2 * ROUNDING * size.max(axis=1) > TOLERANCE * top):
            best = scores[row].argmax()
            reach = ROUNDING * (size[row] + size[row, best])
            near = legal[row] & (scores[row, best] - scores[row] < reach)
            scores[row, near] = scores[row, best]
    return scores


def first(mask: Mask) -> Mask:
    """Only the lowest index of each row, shape (B, moves)."""
    return np.asarray(mask & (mask.cumsum(axis=1) == 1))


def choose(agent: Agent, states: States, rng: np.random.Generator) -> NDArray[np.intp]:
    """One move per state, shape (B,): the agent's own, or drawn from its policy."""
    if agent.moves is not None:
        return agent.moves(states, rng)
    return draw(agent.policy(states, rng), rng)


def draw(chances: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one move per row of chances, (B, moves); shape (B,)."""
    # A draw in [0, sum) can't land on a move of chance 0, however the sum is rounded.
    steps = chances.cumsum(axis=1)
    draws = rng.random((len(chances), 1)) * steps[:, -1:]
    return np.asarray((steps <= draws).sum(axis=1), dtype=np.intp)


def random_agent(game: Game) -> Agent:
    """Play a uniformly random legal move; asked for one in a finished game, raise ValueError."""

    def weights(states: States) -> Ints:
        legal = game.legal(states)
        if not legal.any(axis=1).all():
            raise ValueError("a finished game has no move to choose")
        return legal.astype(np.int64)

    return from_weights("random", game, weights, symmetric=True)


def first_free(game: Game) -> Agent:
    """Take the first legal move: a control for learners, since it knows nothing but the order."""

    def scores(states: States) -> Floats:
        return np.where(game.legal(states), 0.0, -np.inf)

    return from_scores("first free cell", game, scores, ties="first")


def move_scores(grid: Grid, evaluator: Evaluator, depth: int = 1, *, ends: bool = True) -> Scores:
    """Score moves by looking ``depth`` plies ahead and valuing the boards there.

    Parameters
    ----------
    evaluator : callable
        Values boards after a move, see :data:`Evaluator`.
    depth : int
        Plies of look-ahead, including the move itself; at least 1.
    ends : bool
        Whether a finished game counts as exactly +1, 0 or -1; otherwise the
        evaluator is used there too (at depth 1 only).

    Raises
    ------
    ValueError
        If depth < 1, or depth > 1 without ends.
    """
    _check_look_ahead(depth, ends)

    def scores(boards: Boards) -> Floats:
        state, move = np.nonzero(grid.legal(boards))
        after = grid.play(boards[state], move)
        table = np.full(boards.shape, -np.inf)
        table[state, move] = _each_once(grid, value, after)
        return table

    def value(after: Boards) -> Floats:
        if depth == 1 and not ends:
            return evaluator(after)
        values = np.abs(grid.winner(after)).astype(np.float64)
        running = ~grid.finished(after)
        if running.any():
            values[running] = deeper(after[running])
        return values

    def deeper(after: Boards) -> Floats:
        if depth == 1:
            return evaluator(after)
        return np.asarray(-move_scores(grid, evaluator, depth - 1)(after).max(axis=1))

    return scores


def for_last_mover(grid: Grid, value: Callable[[Boards], NDArray[Any]]) -> Evaluator:
    """Turn values of boards from X's side, (B, cells) -> (B,), into an evaluator."""

    def evaluator(after: Boards) -> Floats:
        mover = -grid.to_move(after).astype(np.float64)
        return np.asarray(mover * value(after))

    return evaluator


def from_evaluator(
    name: str,
    grid: Grid,
    evaluator: Evaluator,
    depth: int = 1,
    *,
    ends: bool = True,
    ties: Ties = "uniform",
    symmetric: bool = False,
) -> Agent:
    """Make an agent that looks ahead; options as in :func:`move_scores`, :func:`from_scores`."""
    scores = move_scores(grid, evaluator, depth, ends=ends)
    return from_scores(name, grid, scores, ties=ties, symmetric=symmetric)


def _check_look_ahead(depth: int, ends: bool) -> None:
    if depth < 1:
        raise ValueError(f"look-ahead needs depth >= 1, not {depth}")
    if depth > 1 and not ends:
        raise ValueError("look-ahead over several plies must know the ends of games")


def _each_once(grid: Grid, value: Evaluator, boards: Boards) -> Floats:
    """Value each distinct board once; because of transpositions, most of them repeat."""
    if grid.cells > 33 or len(boards) < 2:
        return value(boards)
    _, first, place = np.unique(grid.codes(boards), return_index=True, return_inverse=True)
    return value(boards[first])[place]


def minimax(grid: Grid, ties: str = "uniform") -> Agent:
    """Play perfectly, from the enumerated game.

    Parameters
    ----------
    ties : {"uniform", "first", "quick"}
        Uniform over all value-optimal moves; the lowest index; or quickest win and
        latest loss, then uniform.

    Raises
    ------
    ValueError
        If the board is too large to enumerate, or the tie rule is unknown.
    """
    if ties not in ("uniform", "first", "quick"):
        raise ValueError(f"unknown tie rule {ties!r}: uniform, first or quick")
    tree = solve(grid)
    values = tree.score if ties == "quick" else tree.value
    return from_evaluator(
        f"minimax:ties={ties}",
        grid,
        for_last_mover(grid, lambda after: values[tree.index(after)]),
        ends=False,
        ties="first" if ties == "first" else "uniform",
        symmetric=ties != "first",
    )


def lookahead(grid: Grid, depth: int = 3) -> Agent:
    """Search ``depth`` plies; 0 at the horizon, +1, 0 or -1 for finished games; ties uniform.

    Raises
    ------
    ValueError
        If depth < 1.
    """

    def horizon(after: Boards) -> Floats:
        return np.zeros(len(after))

    return from_evaluator(f"lookahead:depth={depth}", grid, horizon, depth, symmetric=True)


def winning_cells(grid: Grid, boards: Boards, side: NDArray[np.int8]) -> Mask:
    """Empty cells that complete a line for ``side`` (+1 or -1 per board), shape (B, cells)."""
    stones = boards[:, grid.lines]
    nearly = stones.sum(axis=2, dtype=np.int64) * side[:, None] == grid.n - 1
    board, line, place = np.nonzero(nearly[:, :, None] & (stones == 0))
    wins = np.zeros(boards.shape, dtype=np.bool_)
    wins[board, grid.lines[line, place]] = True
    return wins


def safety(agent: Agent) -> Agent:
    """Wrap an agent in the safety rule of document 2.

    It takes the lowest-index winning move, else blocks the lowest-index threat,
    else asks the agent.

    Raises
    ------
    ValueError
        If the agent's game is not an n^d board.
    """
    grid = grid_of(agent.game, "the safety rule")

    def forced(boards: Boards) -> Ints:
        side = grid.to_move(boards)
        wins = winning_cells(grid, boards, side)
        can_win = np.any(wins, axis=1, keepdims=True)
        urgent = np.where(can_win, wins, winning_cells(grid, boards, -side))
        return first(urgent).astype(np.int64)

    def weights(boards: Boards) -> Ints:
        assert agent.weights is not None
        return _override(forced(boards), agent.weights(boards))

    def policy(boards: Boards, rng: np.random.Generator) -> Floats:
        return _override(forced(boards).astype(np.float64), agent.policy(boards, rng))

    name = f"safety+{agent.name}"
    if agent.weights is None:
        return replace(agent, name=name, policy=policy, symmetric=False, moves=None, visits=None)
    return from_weights(name, grid, weights, scores=agent.scores)


def _override(forced: NDArray[Any], otherwise: NDArray[Any]) -> NDArray[Any]:
    """The forced moves of a board, or those of the agent where nothing is forced."""
    return np.where(np.any(forced, axis=1, keepdims=True), forced, otherwise)


def uct(grid: Grid, iterations: int = 150, c: float = 1.414) -> Agent:
    """Search with UCT and uniform playouts: most visits, then lowest index.

    Raises
    ------
    ValueError
        As :func:`ttt_lib.game.search.check_search`.
    """
    from ttt_lib.game.search import check_search, search  # numba loads only when a search is wanted

    def visits(boards: Boards, rng: np.random.Generator) -> Floats:
        return search(grid, boards, iterations, c, rng=rng).visits

    check_search(grid, iterations, c)
    return from_visits(f"uct:iterations={iterations}", grid, visits)

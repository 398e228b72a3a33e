"""What can be said about a game in play: the agent's opinion, the exact truth, a hint.

Exact results come from the enumerated game where at most nine cells are empty,
and from the endgame solver on Ultimate.  Where neither reaches, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.exact import Outcome, exact_values, policy_table
from ttt_lib.game.gametree import MAX_FULL_CELLS, GameTree, enumerate_states
from ttt_lib.game.policy import Agent, Game, States
from ttt_lib.people.session import Rng, Session

PROVEN = 1e11
"""Tree search adds more than this to the scores of moves that it has proven best or not best."""

SHADES = 5
"""Steps between the worst and the best of the moves."""

SOLVER_CELLS = 18
"""Playable empty cells up to which the endgame solver of Ultimate is asked."""

SOLVER_NODES = 3_000_000
"""Its node budget for a position with all its moves, a second or so."""

HINT_PLAYOUTS = 3000

CROWD = 30
"""With more legal moves than this, those of score 0 stay blank."""

WORDS = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True)
class Marks:
    """Something to write on the cells of a board.

    Attributes
    ----------
    about : str
        What it is, in a few words.
    labels : tuple of str
        A short text for each move; empty where there is nothing to say.
    shades : tuple of int
        0 to ``SHADES`` for each move: the higher, the better.
    picks : frozenset of int
        The moves that are chosen.
    """

    about: str
    labels: tuple[str, ...]
    shades: tuple[int, ...]
    picks: frozenset[int] = frozenset()


# ---------------------------------------------------------------------------- the agent's opinion


def opinion(agent: Agent, state: States, *, rng: Rng = None) -> Marks:
    """What an agent thinks of each move of a running state (a batch of one).

    Its scores, or else its chances to choose a move; of an agent that can state
    neither, the move that it chooses this time.  Zeros that crowd a large board are left out.
    """
    chances = agent.policy(state, np.random.default_rng(rng))[0]
    legal, picks = agent.game.legal(state)[0], frozenset(map(int, np.flatnonzero(chances)))
    if agent.scores is not None:
        scores = np.where(legal, agent.scores(state)[0], np.nan)
        if legal.sum() > CROWD:
            scores[scores == 0] = np.nan
        return Marks("scores", _numbers(scores), _shades(scores), picks)
    values = np.where(legal, chances, np.nan)
    if agent.weights is not None:
        shares = tuple("" if np.isnan(v) else f"{100 * v:.0f}%" for v in values)
        return Marks("chances", shares, _shades(values), picks)
    chosen = tuple("here" if move in picks else "" for move in range(len(values)))
    return Marks("choice", chosen, _shades(values), picks)


def _steady(agent: Agent) -> bool:
    """Whether asking an agent again gives the same opinion."""
    return agent.scores is not None or agent.weights is not None


def _numbers(values: NDArray[Any]) -> tuple[str, ...]:
    """Short texts: whole numbers as such, others with as many places as their size asks for."""
    sound = values[np.abs(values) < PROVEN]
    places = 0
    if (sound != np.round(sound)).any():
        places = 2 if np.abs(sound).max() < 10 else 1 if np.abs(sound).max() < 100 else 0

    def text(value: float) -> str:
        if np.isnan(value):
            return ""
        if abs(value) >= PROVEN:
            return "sure" if value > 0 else "no"
        return f"{value + 0.0:.{places}f}".replace("-", "\N{MINUS SIGN}")

    return tuple(map(text, values))


def _shades(values: NDArray[Any]) -> tuple[int, ...]:
    """Steps from the worst to the best move; all alike get none."""
    sound = values[np.abs(values) < PROVEN]
    low, high = (float(sound.min()), float(sound.max())) if len(sound) else (0.0, 0.0)
    spread = high - low if high - low > 1e-9 * max(1.0, abs(high)) else np.inf
    share = np.clip((np.nan_to_num(values, nan=low) - low) / spread, 0, 1)
    share[values >= PROVEN] = 1.0
    return tuple(int(step) for step in np.round(share * SHADES))


# ---------------------------------------------------------------------------- the exact truth


@dataclass(frozen=True)
class Exact:
    """The results of a running game under perfect play of both sides.

    Attributes
    ----------
    result, distance : int, int or None
        From the side to move: +1, 0 or -1, and plies to the end; None for a draw on Ultimate.
    moves : dict of int to int
        The result after each legal move, from the side to move.
    best : int
        A move that keeps the result, wins quickest and loses latest.
    """

    result: int
    distance: int | None
    moves: dict[int, int]
    best: int

    @property
    def sentence(self) -> str:
        """The result in words, from the side to move."""
        when = f" in {self.distance} plies" if self.result and self.distance != 1 else ""
        return f"a {WORDS[self.result]}{' at once' if self.distance == 1 else when}"


def exact(game: Game, state: States) -> Exact | None:
    """The exact results of a state (a batch of one); None where they can't be had at once."""
    if game.finished(state)[0]:
        return None
    if isinstance(game, Grid):
        tree = tree_from(game, state)
        return None if tree is None else _from_tree(tree)
    return _from_solver(game, state)


def exact_marks(found: Exact, moves: int) -> Marks:
    """The exact result of each move, to be written on the cells."""
    labels = tuple(WORDS[found.moves[m]] if m in found.moves else "" for m in range(moves))
    steps = {1: SHADES, 0: SHADES // 2, -1: 0}
    shades = tuple(steps[found.moves[m]] if m in found.moves else 0 for m in range(moves))
    best = frozenset(move for move, result in found.moves.items() if result == found.result)
    return Marks("exact results", labels, shades, best)


def tree_from(grid: Grid, state: Boards) -> GameTree | None:
    """The game from a state on, if few enough cells are empty."""
    if grid.cells - np.count_nonzero(state) > MAX_FULL_CELLS:
        return None
    return _tree(grid, state.tobytes())


@lru_cache(maxsize=16)
def _tree(grid: Grid, board: bytes) -> GameTree:
    return enumerate_states(grid, start=np.frombuffer(board, dtype=np.int8)[None])


def _from_tree(tree: GameTree) -> Exact:
    side = int(tree.grid.to_move(tree.boards[:1])[0])
    moves = np.flatnonzero(tree.legal[0])
    worth = side * tree.score[tree.children[0, moves]]
    results = dict(zip(map(int, moves), map(int, np.sign(worth)), strict=True))
    best = int(moves[worth.argmax()])
    return Exact(side * int(tree.value[0]), int(tree.distance[0]), results, best)


def _from_solver(game: Any, state: States) -> Exact | None:
    from ttt_lib.ultimate.board.game import playable
    from ttt_lib.ultimate.solver.solver import BudgetExceededError

    if playable(state)[0] > SOLVER_CELLS:
        return None
    solver, left = _solver(game.rules), SOLVER_NODES
    try:
        found = solver.calculate_dtw(state[0], nodes=left)
        results = {}
        for move in map(int, np.flatnonzero(game.legal(state)[0])):
            left -= solver.searched
            after = game.play(state, np.array([move]))[0]
            results[move] = -solver.calculate_dtw(after, nodes=max(left, 1)).result
    except BudgetExceededError:
        return None
    assert found.best_move is not None  # the game is running
    return Exact(found.result, found.distance, results, found.best_move)


@lru_cache(maxsize=3)
def _solver(rules: str) -> Any:
    from ttt_lib.ultimate.solver.solver import DTWSolver

    return DTWSolver(rules)


# ---------------------------------------------------------------------------- against this agent


@dataclass(frozen=True)
class Chances:
    """Exact chances from the person's side against the agent at hand, from a state on.

    Attributes
    ----------
    best : Outcome
        For a person who knows the agent, and plays for points (win 1, draw 0, loss -1).
    random : Outcome
        For a person who moves by chance.
    """

    best: Outcome
    random: Outcome


def chances(session: Session) -> Chances | None:
    """The exact chances against the agent; None where they can't be stated."""
    game, agent = session.game, session.agent
    if not isinstance(game, Grid) or agent.weights is None or session.finished:
        return None
    tree = tree_from(game, session.state)
    if tree is None:
        return None
    from ttt_lib.game.response import best_response

    table = policy_table(agent, tree)
    mine = best_response(tree, table, session.side)

    def outcome(own: NDArray[np.int64]) -> Outcome:
        if session.side == 1:
            return exact_values(tree, own, table)[0]
        return exact_values(tree, table, own)[0].reversed()

    return Chances(outcome(mine), outcome(tree.legal.astype(np.int64)))


# ---------------------------------------------------------------------------- hints


@dataclass(frozen=True)
class Hint:
    """A move for the person, and why."""

    move: int
    reason: str


def hint(session: Session, *, rng: Rng = None) -> Hint:
    """A good move: perfect where the truth is known, else what a tree search finds.

    Raises
    ------
    ValueError
        If it is not the person's turn.
    """
    if not session.yours:
        raise ValueError("there is no move for you to make now")
    found = exact(session.game, session.state)
    if found is not None:
        return Hint(found.best, f"cell {found.best}: {found.sentence} under perfect play")
    marks = opinion(_searcher(session.game), session.state, rng=rng)
    move = min(marks.picks)
    return Hint(move, f"cell {move} is what a tree search of {HINT_PLAYOUTS} playouts prefers")


def _searcher(game: Game) -> Agent:
    build: Callable[..., Agent]
    if isinstance(game, Grid):
        from ttt_lib.game.policy import uct as build
    else:
        from ttt_lib.ultimate.search.puct import uct as build
    return build(game, iterations=HINT_PLAYOUTS)


# ---------------------------------------------------------------------------- all of it


@dataclass(frozen=True)
class View:
    """What was found out about a session, to be shown with it."""

    marks: Marks | None = None
    exact: Exact | None = None
    chances: Chances | None = None
    known: bool = False


def look(session: Session, wish: str, rng: np.random.Generator) -> View:
    """Find out what is to be shown about a session; takes a second at most."""
    truth = exact(session.game, session.state)
    marks, agent = None, session.agent
    if wish == "exact" and truth is not None:
        marks = exact_marks(truth, session.game.moves)
    elif wish == "advice" and session.yours:
        marks = opinion(agent, session.state, rng=rng)
    elif wish == "thought" and (state := session.answered) is not None and _steady(agent):
        marks = opinion(agent, state, rng=rng)
    return View(marks, truth, chances(session), known=True)

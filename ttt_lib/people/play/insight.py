"""What can be said about a game in play: the agent's opinion, the exact truth, a hint.

Exact results come from the oracle that the catalog names for a game.  Where it
doesn't reach, or there is none, nothing is said.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib import catalog
from ttt_lib.game.exact import ExactValues, Outcome, exact_values, policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.kept import read_only
from ttt_lib.game.oracle import WORDS, Exact
from ttt_lib.game.policy import Agent, Game, States
from ttt_lib.people.play.session import Rng, Session, title, until

PROVEN = 1e11
"""Tree search adds more than this to the scores of moves that it has proven best or not best."""

SHADES = 5
"""Steps between the worst and the best of the moves."""

HINT_PLAYOUTS = 3000

CROWD = 30
"""With more legal moves than this, those of score 0 stay blank."""


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

    The visits of one search, its scores, or else its chances to choose a move; of an agent that
    can state none, the move that it chooses this time.  Zeros that crowd a large board stay blank.
    """
    legal, rng = agent.game.legal(state)[0], np.random.default_rng(rng)
    if agent.visits is not None:
        counts = np.where(legal, agent.visits(state, rng)[0], np.nan)
        most = frozenset({int(np.nanargmax(counts))})
        return Marks("visits", _numbers(counts), _shades(counts), most)
    chances = agent.policy(state, rng)[0]
    picks = frozenset(map(int, np.flatnonzero(chances)))
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


def _numbers(values: NDArray[Any]) -> tuple[str, ...]:
    """Short texts: whole numbers as such, others with decimals to suit their size."""
    sound = values[np.abs(values) < PROVEN]
    places = 0
    if (sound != np.round(sound)).any():
        places = 2 if np.abs(sound).max() < 10 else 1 if np.abs(sound).max() < 100 else 0

    def text(value: float) -> str:
        if np.isnan(value):
            return ""
        if abs(value) >= PROVEN:
            return "sure" if value > 0 else "no"
        return f"{value:z.{places}f}".replace("-", "\N{MINUS SIGN}")

    return tuple(map(text, values))


def _shades(values: NDArray[Any]) -> tuple[int, ...]:
    """Steps from the worst to the best move; 0 if all are alike."""
    sound = values[np.abs(values) < PROVEN]
    low, high = (float(sound.min()), float(sound.max())) if len(sound) else (0.0, 0.0)
    spread = high - low if high - low > 1e-9 * max(1.0, abs(high)) else np.inf
    share = np.clip((np.nan_to_num(values, nan=low) - low) / spread, 0, 1)
    share[values >= PROVEN] = 1.0
    return tuple(int(step) for step in np.round(share * SHADES))


# ---------------------------------------------------------------------------- the exact truth


def exact(game: Game, state: States) -> Exact | None:
    """The exact results of a state (a batch of one); None where they can't be had at once."""
    if game.finished(state)[0]:
        return None
    oracle = catalog.oracle(game)
    return oracle.exact(game, state) if oracle else None


def exact_marks(found: Exact, moves: int) -> Marks:
    """The exact result of each move, to be written on the cells."""
    labels = tuple(WORDS[found.moves[m]] if m in found.moves else "" for m in range(moves))
    steps = {1: SHADES, 0: SHADES // 2, -1: 0}
    shades = tuple(steps[found.moves[m]] if m in found.moves else 0 for m in range(moves))
    best = frozenset(move for move, result in found.moves.items() if result == found.result)
    return Marks("exact results", labels, shades, best)


# ---------------------------------------------------------------------------- against this agent


@dataclass(frozen=True)
class Against:
    """What a person who knows the agent, and plays for points, can expect from a position on.

    Attributes
    ----------
    tree : GameTree
        The game from the position on; its row 0.
    side : int
        The person's side.
    its, mine : ndarray of int64, shape (S, cells)
        The agent's weights, and the person's best moves against it.
    """

    tree: GameTree
    side: int
    its: NDArray[np.int64]
    mine: NDArray[np.int64]

    @cached_property
    @read_only
    def values(self) -> ExactValues:
        """The exact chances at every state, from X's side."""
        return exact_values(self.tree, *self.as_sides(self.mine))

    @cached_property
    def random(self) -> Outcome:
        """The chances at row 0 of a person who moves by chance."""
        legal = self.tree.legal.astype(np.int64)
        return self.from_side(exact_values(self.tree, *self.as_sides(legal))[0])

    def as_sides(self, own: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """X's and O's weights if the person plays by ``own``."""
        return (own, self.its) if self.side == 1 else (self.its, own)

    def from_side(self, outcome: Outcome) -> Outcome:
        """An outcome from the person's side."""
        return outcome if self.side == 1 else outcome.reversed()

    def outcome(self, state: int) -> Outcome:
        """The person's chances at a state."""
        return self.from_side(self.values[state])

    def after(self, move: int) -> Outcome:
        """The person's chances once a move is made at row 0."""
        return self.outcome(int(self.tree.children[0, move]))


def against(session: Session) -> Against | None:
    """What can be expected against the agent; None where it can't be stated."""
    agent, oracle = session.agent, catalog.oracle(session.game)
    if not (oracle and oracle.tree) or agent.weights is None or session.finished:
        return None
    tree = oracle.tree(session.game, session.state)
    if tree is None:
        return None
    from ttt_lib.game.response import best_response

    its = policy_table(agent, tree)
    return Against(tree, session.side, its, best_response(tree, its, session.side))


def trap_marks(session: Session, found: Against) -> Marks:
    """The chance to win of each move of the person, who knows the agent and goes on accordingly."""
    worth = np.full(session.game.moves, np.nan)
    labels = [""] * session.game.moves
    for move in session.legal:
        outcome = found.after(move)
        worth[move], labels[move] = float(outcome.expected), _chance(outcome)
    picks = frozenset(int(move) for move in np.flatnonzero(found.mine[0]))
    return Marks("your exact chance against it", tuple(labels), _shades(worth), picks)


def _chance(outcome: Outcome) -> str:
    """The result by its name if it is certain, else the chance to win, not rounded to certainty."""
    for share, word in zip(outcome, WORDS.values(), strict=True):
        if share == 1:
            return word
    rounded = f"{100 * float(outcome.win):.0f}%"
    return {"0%": "<1%" if outcome.win else "0%", "100%": ">99%"}.get(rounded, rounded)


@dataclass(frozen=True)
class Made:
    """A move that a person made, and what it cost.

    Attributes
    ----------
    ply, move : int
        When, counted from 0, and where.
    before, after : Outcome
        The chances of a person who knows the agent, before and after the move.
    """

    ply: int
    move: int
    before: Outcome
    after: Outcome

    @property
    def cost(self) -> Fraction:
        """Points lost, from 0 for a best move to 2."""
        return self.before.expected - self.after.expected


def review(session: Session) -> list[Made]:
    """Every move of the person for which the chances can be stated, in order."""
    found = []
    for ply in range(session.side == -1, len(session.moves), 2):
        known = against(until(session, ply))
        if known is not None:
            move = session.moves[ply]
            found.append(Made(ply, move, known.outcome(0), known.after(move)))
    return found


def how_sure(session: Session) -> Fraction | None:
    """The probability with which the agent made its last move; None if it can't say."""
    ply = session.answered
    if ply is None or session.agent.weights is None:
        return None
    weights = session.agent.weights(session.states[ply])[0]
    chosen = weights[session.moves[ply]]
    return Fraction(int(chosen), int(weights.sum())) if chosen else None


# ---------------------------------------------------------------------------- hints


@dataclass(frozen=True)
class Hint:
    """A move for the person, and why."""

    move: int
    reason: str


def hint(session: Session, *, rng: Rng = None) -> Hint:
    """A good move: best against this agent where that is known, else perfect, else by search.

    Raises
    ------
    ValueError
        If it is not the person's turn.
    """
    if not session.yours:
        raise ValueError("there is no move for you to make now")
    known = against(session)
    if known is not None:
        move = int(known.mine[0].argmax())
        win, draw, _ = known.after(move)
        who = title(session.agent)
        return Hint(move, f"cell {move}: against {who} you win with probability {win}, draw {draw}")
    found = exact(session.game, session.state)
    if found is not None:
        return Hint(found.best, f"cell {found.best}: {found.sentence} under perfect play")
    searcher = _searcher(session)
    move = min(opinion(searcher, session.state, rng=rng).picks)
    if searcher is session.agent:
        return Hint(move, f"cell {move} is what {title(searcher)} itself would play")
    return Hint(move, f"cell {move} is what a tree search of {HINT_PLAYOUTS} playouts prefers")


def _searcher(session: Session) -> Agent:
    """A tree search for the game at hand; the opponent itself where there is none."""
    if catalog.builder("uct", session.game) is None:
        return session.agent
    return catalog.agent(f"uct:iterations={HINT_PLAYOUTS}", session.game)


# ---------------------------------------------------------------------------- all of it


@dataclass(frozen=True)
class View:
    """What was found out about a session, to be shown with it."""

    marks: Marks | None = None
    exact: Exact | None = None
    against: Against | None = None
    review: tuple[Made, ...] = ()
    sure: Fraction | None = None
    known: bool = False


def look(session: Session, wish: str, rng: np.random.Generator) -> View:
    """Find out what is to be shown about a session; takes a second at most."""
    known, truth = against(session), exact(session.game, session.state)
    return View(
        _wished(session, wish, known, truth, rng),
        truth,
        known,
        tuple(review(session)) if session.finished else (),
        how_sure(session),
        known=True,
    )


def _wished(
    session: Session,
    wish: str,
    known: Against | None,
    truth: Exact | None,
    rng: np.random.Generator,
) -> Marks | None:
    """What somebody wants to see on the cells; None if there is no such thing now.

    Where no exact chances against an agent can be stated, the scores or visits that it would come
    to in the person's place stand in for them.
    """
    if wish == "exact" and truth is not None:
        return exact_marks(truth, session.game.moves)
    if wish == "thought":
        return thought(session)
    if session.yours and wish == "trap" and known is not None:
        return trap_marks(session, known)
    searches = session.agent.scores is not None or session.agent.visits is not None
    if session.yours and (wish == "advice" or (wish == "trap" and searches)):
        found = opinion(session.agent, session.state, rng=rng)
        return replace(found, about=f"{found.about} of {title(session.agent)} in your place")
    return None


def thought(session: Session) -> Marks | None:
    """What the agent thought before its last move; for a search, the very one that chose it.

    None before its first move, and for an agent that would think something else if asked again.
    """
    ply, agent = session.answered, session.agent
    if ply is None:
        return None
    dice = deepcopy(session.dice[ply])
    steady = agent.scores is not None or agent.weights is not None  # says the same if asked again
    if not steady and (agent.visits is None or dice is None):
        return None
    found = opinion(agent, session.states[ply], rng=dice)
    return replace(found, about=f"{found.about} of {title(agent)} before its last move")

"""Faults of a tree search, made on purpose and small enough to read.

The document's program reads a child's value with the wrong sign (its author has
since fixed that), chooses leaves in batches without virtual loss, and draws
moves regardless of its temperature schedule.  :func:`grow` is a plain PUCT
search that can have the first two faults, or neither; :func:`chances` has the
third.  These searches back up no proofs and are slow; for play, use
:mod:`ttt_lib.ultimate.search.puct_table`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import RESULT, SIDE, States
from ttt_lib.ultimate.network.evaluator import Evaluator

GAME = Ultimate()


@dataclass(eq=False)
class Node:
    """A position in a search tree.

    Attributes
    ----------
    state : ndarray of uint16, shape (24,)
    prior : float
    visits : int
    total : float
        Sum of values for the player who moved into the node.
    children : dict
        Nodes by move; empty until the node is expanded.
    """

    state: States
    prior: float = 1.0
    visits: int = 0
    total: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Mean value for the player who moved into the node, 0 if untried."""
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True)
class SearchVariant:
    """How to search.

    Attributes
    ----------
    sign : int
        +1 normally; -1, the first fault, makes a player seek what is good for the opponent.
    batch : int
        Leaves that are chosen before any of them is evaluated.
    virtual_loss : bool
        Whether a chosen path counts as lost until its leaf is evaluated.  Batches
        without it are the second fault.
    """

    sign: int = 1
    batch: int = 1
    virtual_loss: bool = False


def grow(
    state: States, evaluator: Evaluator, simulations: int, variant: SearchVariant | None = None
) -> tuple[Node, int]:
    """Search from a running state; returns the root and the number of different nodes reached.

    Raises
    ------
    ValueError
        If simulations or the batch is < 1, or the game is over.
    """
    variant, root, reached = variant or SearchVariant(), Node(state), set[Node]()
    if simulations < 1 or variant.batch < 1 or state[RESULT]:
        raise ValueError("a search needs a running game, and simulations and batches of 1 or more")
    value([[root]], evaluator)
    for done in range(0, simulations, variant.batch):
        paths: list[list[Node]] = []
        for _ in range(min(variant.batch, simulations - done)):
            paths.append(descend(root, variant))
            add_virtual_loss(paths[-1], int(variant.virtual_loss))
        for path in paths:
            add_virtual_loss(path, -int(variant.virtual_loss))
        value(paths, evaluator)
        reached |= {path[-1] for path in paths}
    return root, len(reached)


def descend(root: Node, variant: SearchVariant) -> list[Node]:
    """Walk down to a node that is not expanded."""
    path = [root]
    while (node := path[-1]).children:
        scale = sqrt(node.visits)
        children = node.children.values()
        path.append(max(children, key=partial(_upper_bound, variant, scale)))
    return path


def _upper_bound(variant: SearchVariant, scale: float, child: Node) -> float:
    return variant.sign * child.mean + scale * child.prior / (1 + child.visits)


def add_virtual_loss(path: list[Node], count: int) -> None:
    """Add ``count`` losses for the player who moved into each node; negative ones remove them."""
    for node in path:
        node.visits += count
        node.total -= count


def value(paths: list[list[Node]], evaluator: Evaluator) -> None:
    """Evaluate and expand the last nodes of paths in one batch, and back up their values."""
    running = [path[-1] for path in paths if path[-1].state[RESULT] == 0]
    said: dict[Node, tuple[NDArray[np.float64], float]] = {}
    if running:
        chances, values = evaluator(np.array([leaf.state for leaf in running]))
        said = dict(zip(running, zip(chances, values.tolist(), strict=True), strict=True))
    for path in paths:
        leaf = path[-1]
        # A finished game is a draw, or was won by the player who moved last.
        worth = 0.0 if leaf.state[RESULT] == 3 else 1.0
        if leaf in said:
            expand(leaf, said[leaf][0])
            worth = -said[leaf][1]
        for node in reversed(path):
            node.visits += 1
            node.total += worth
            worth = -worth


def expand(node: Node, priors: NDArray[np.float64]) -> None:
    """Give a node its children, unless it has them already."""
    if node.children:
        return
    moves = np.flatnonzero(GAME.legal(node.state[None])[0])
    after = np.repeat(node.state[None], len(moves), axis=0)
    kernels.play(after, moves, GAME.code)
    shares = (priors[moves] / priors[moves].sum()).tolist()
    children = zip(moves.tolist(), after, shares, strict=True)
    node.children = {move: Node(state, share) for move, state, share in children}


def plain_agent(evaluator: Evaluator, simulations: int, variant: SearchVariant) -> Agent:
    """Play the most visited move (ties: the lowest index)."""

    def move(state: States) -> int:
        children = grow(state, evaluator, simulations, variant)[0].children
        return max(children, key=lambda move: children[move].visits)

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        return np.array([move(state) for state in states], dtype=np.intp)

    return from_moves("plain PUCT", GAME, moves, deterministic=True)


def chances(
    visits: NDArray[np.float64], temperature: float, *, unheeded: bool = False
) -> NDArray[np.float64]:
    """Probability of drawing each move, proportional to visits^(1 / temperature).

    Parameters
    ----------
    visits : ndarray, shape (B, moves)
    temperature : float
        0 draws the most visited move (ties: the lowest index).
    unheeded : bool
        The fault: the temperature is only checked for being 0; otherwise moves are drawn
        in proportion to the plain visits, whatever the schedule says.
    """
    if temperature == 0:
        return np.asarray(np.eye(visits.shape[1])[visits.argmax(axis=1)])
    power = 1.0 if unheeded else 1 / temperature
    weights = (visits / visits.max(axis=1, keepdims=True)) ** power
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def untrained(states: States) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """An evaluator that acts like a new network: all moves equally likely, all values 0."""
    return np.ones((len(states), GAME.moves)), np.zeros(len(states))


def wins(state: States) -> list[int]:
    """Moves that win at once."""
    moves = np.flatnonzero(GAME.legal(state[None])[0])
    after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
    return [int(m) for m in moves[after[:, RESULT] == 1 + int(state[SIDE])]]


def blunders(state: States) -> list[int]:
    """Moves after which the opponent wins at once."""
    moves = np.flatnonzero(GAME.legal(state[None])[0])
    after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
    return [int(m) for m, a in zip(moves, after, strict=True) if a[RESULT] == 0 and wins(a)]

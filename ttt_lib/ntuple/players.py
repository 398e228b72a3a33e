"""Agents based on a network: finished games count exactly, all others by the network's value."""

from __future__ import annotations

from functools import lru_cache

from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import table_of_values
from ttt_lib.game.gametree import MAX_FULL_CELLS, GameTree
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, Evaluator, for_last_mover, from_evaluator
from ttt_lib.ntuple.network import Network, Patterns, read_stored
from ttt_lib.ntuple.training import train


def ntuple(grid: Grid, seed: int = 0, depth: int = 1) -> Agent:
    """The agent ``ntuple`` of the catalog.

    Up to 9 cells, the network is trained on the spot, as in document 3; on
    4x4 it was trained by self-play and is stored.

    Parameters
    ----------
    seed : int
        Seed of the training.
    depth : int
        Plies of look-ahead, including its own move.

    Raises
    ------
    ValueError
        If the board is unsuitable, the seed negative or not stored, or depth < 1.
    """
    if not isinstance(grid, Grid) or not (grid.cells <= MAX_FULL_CELLS or grid == Grid(4)):
        raise ValueError(f"ntuple plays boards of at most 9 cells and 4x4, not {grid.name}")
    if seed < 0:
        raise ValueError(f"a seed can't be negative: {seed}")
    network = trained(grid, seed) if grid.cells <= MAX_FULL_CELLS else read_stored(seed)
    return play_with(network, depth, name=f"ntuple:seed={seed},depth={depth}")


@lru_cache(maxsize=64)
@read_only
def trained(grid: Grid, seed: int) -> Network:
    """The network of document 3 after its 100 epochs, from a seed."""
    return train(Patterns(grid), rng=seed).network


def play_with(network: Network, depth: int = 1, *, name: str = "ntuple network") -> Agent:
    """Make an agent from a network: ties are played uniformly.

    Raises
    ------
    ValueError
        If depth < 1.
    """
    symmetric = network.patterns.sharing == "symmetric"
    values = evaluator(network)
    return from_evaluator(name, network.patterns.grid, values, depth, symmetric=symmetric)


def evaluator(network: Network) -> Evaluator:
    """Value boards after a move for the player who made it: X's value, or minus that for O."""
    return for_last_mover(network.patterns.grid, network.predict)


def table_of(network: Network, tree: GameTree) -> Ints:
    """The one-ply agent's weights on every state at once, shape (S, cells).

    The same as ``policy_table(play_with(network), tree)`` in a fraction of the
    time: each state is valued once, as a child of all its parents.
    """
    return table_of_values(tree, network.predict(tree.boards))

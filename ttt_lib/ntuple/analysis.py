"""Exact answers about a 3x3 player: whether it ever loses, and where its wins come from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import Outcome, exact_values, outcome_as, policy_table
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import first, first_free, lookahead, minimax, random_agent
from ttt_lib.game.response import reachable, response_outcome, safe_moves
from ttt_lib.ntuple.players import table_of, trained

GRID = Grid(3)
OPPONENTS = ("random", "first free", "ply 3", "ply 3, quick", "perfect", "perfect, program")


def tree3() -> GameTree:
    """The enumerated 3x3 game."""
    return solve(GRID)


@cache
@read_only
def opponent(name: str) -> Ints:
    """The table of a named opponent of document 3, shape (S, cells).

    ``first free`` takes the lowest empty cell; ``ply 3`` and ``perfect`` are
    ``lookahead:depth=3`` and ``minimax:ties=quick``.  The document's program also prefers
    quick wins at three plies, and of several quickest wins three or more plies away
    it takes the lowest cell: ``ply 3, quick`` and ``perfect, program``.

    Raises
    ------
    ValueError
        If the name is none of these.
    """
    tree = tree3()
    agents = {
        "random": random_agent(GRID),
        "first free": first_free(GRID),
        "ply 3": lookahead(GRID, 3),
        "perfect": minimax(GRID, "quick"),
    }
    if name in agents:
        return policy_table(agents[name], tree)
    if name == "ply 3, quick":
        return _first_of_slow_wins(tree, _quick(tree, opponent("ply 3")), most=3)
    if name == "perfect, program":
        return _first_of_slow_wins(tree, opponent("perfect"), most=GRID.cells)
    raise ValueError(f"unknown opponent {name!r}: {', '.join(OPPONENTS)}")


def _quick(tree: GameTree, table: Ints) -> Ints:
    """Keep the moves that win at once wherever there is one."""
    side = tree.grid.to_move(tree.boards)[:, None]
    wins = tree.legal & (tree.winner[tree.children] == side)
    return np.where(wins.any(axis=1)[:, None], wins, table).astype(np.int64)


def _first_of_slow_wins(tree: GameTree, table: Ints, most: int) -> Ints:
    """Where the quickest win is 3 to ``most`` plies away, keep only the lowest move."""
    own = tree.grid.to_move(tree.boards) * tree.value
    slow = (own == 1) & (tree.distance >= 3) & (tree.distance <= most)
    return np.where(slow[:, None], first(table > 0), table).astype(np.int64)


@dataclass(frozen=True)
class Match:
    """Exact chances of a match: the player moving first, moving second, and alternating."""

    first: Outcome
    second: Outcome

    @property
    def both(self) -> Outcome:
        """Chances when the sides alternate."""
        pairs = zip(self.first, self.second, strict=True)
        return Outcome(*((a + b) / 2 for a, b in pairs))


def play(player: Ints, other: Ints) -> Match:
    """Exact chances of one table against another, from the first player's side."""
    return Match(*(outcome_as(tree3(), side, player, other) for side in (1, -1)))


@cache
@read_only
def network_table(seed: int) -> Ints:
    """The table of the agent ``ntuple:seed=...``, shape (S, cells)."""
    return table_of(trained(GRID, seed), tree3())


def ladder(player: Ints, other: Ints, side: int, *, ending: bool = False) -> list[Fraction]:
    """Winning chances against Random when one player hands over to the other during the game.

    Parameters
    ----------
    side : int
        +1 to play X, -1 to play O.
    ending : bool
        Let ``other`` open and ``player`` take over; otherwise ``player`` opens.

    Returns
    -------
    list of Fraction, length 10
        Entry k: the player that opens moves while fewer than k stones are on the board.
    """
    first, rest = (other, player) if ending else (player, other)
    tables = (np.where((tree3().ply < plies)[:, None], first, rest) for plies in range(10))
    return [outcome_as(tree3(), side, table, opponent("random")).win for table in tables]


def shares_of_gain(player: Ints, other: Ints, side: int) -> dict[int, Fraction]:
    """What each move of one side adds to the winning chance against Random, order-independent.

    A ply's share is its Shapley value, the mean of what it adds over all orders of handing over
    plies.

    Returns
    -------
    dict
        By ply (stones on the board before the move); the shares sum to the total gain.
    """
    added = gains_by_order(player, other, side)
    orders = {k: len(added) * math.comb(len(added) - 1, k) for k in range(len(added))}
    return {
        ply: sum((gain / orders[len(before)] for before, gain in gains.items()), Fraction(0))
        for ply, gains in added.items()
    }


def gains_by_order(
    player: Ints, other: Ints, side: int
) -> dict[int, dict[frozenset[int], Fraction]]:
    """What each move of one side adds to the winning chance against Random, in every order.

    Every set of plies may be played by ``player`` and the rest by ``other``.

    Returns
    -------
    dict
        By ply (stones on the board before the move), and by the set of plies handed over before.
    """
    plies = list(range(0 if side == 1 else 1, 8, 2))
    wins = {
        chosen: _win_of(player, other, chosen, side)
        for count in range(len(plies) + 1)
        for chosen in map(frozenset, combinations(plies, count))
    }
    return {
        ply: {before: wins[before | {ply}] - wins[before] for before in wins if ply not in before}
        for ply in plies
    }


def _win_of(player: Ints, other: Ints, plies: frozenset[int], side: int) -> Fraction:
    """Winning chance against Random of a player that follows ``player`` at some plies only."""
    mixed = np.where(np.isin(tree3().ply, list(plies))[:, None], player, other)
    return outcome_as(tree3(), side, mixed, opponent("random")).win


def wins_by_opening(table: Ints) -> list[Fraction]:
    """X's winning chance against Random after each first move, if its table plays on, length 9."""
    tree = tree3()
    values = exact_values(tree, table, opponent("random"))
    return [values[int(child)].win for child in tree.children[0]]


class Traps(NamedTuple):
    """How often a player leaves its opponent the most losing replies.

    Attributes
    ----------
    choices : int
        Drawn states on the player's own path where the moves that keep the draw leave
        different numbers of losing replies.
    most : int
        How many times every move it may make leaves the largest number.
    by_chance : float
        How often a uniform choice among the moves that keep the draw would, on average.
    missed : tuple of int
        The states in which some move that it may make leaves fewer.
    forms : int
        How many of these choices differ by more than a rotation or reflection.
    """

    choices: int
    most: int
    by_chance: float
    missed: tuple[int, ...]
    forms: int


def traps(table: Ints, side: int) -> Traps:
    """Compare a player's moves in drawn states with the other safe ones by losing replies left."""
    tree = tree3()
    drawn = (tree.grid.to_move(tree.boards) == side) & ~tree.finished & (tree.value == 0)
    rows = np.flatnonzero(reachable(tree, table, side) & drawn)
    children = tree.children[rows]
    keeps = tree.legal[rows] & (tree.value[children] == 0)
    losing = ((tree.value[tree.children] == side) & tree.legal).sum(axis=1)
    counts = np.where(keeps, losing[children], -1)
    top = counts == counts.max(axis=1, keepdims=True)
    choice = (keeps & ~top).any(axis=1)
    chosen = ((table[rows] > 0) & ~top).sum(axis=1) == 0
    chance = top.sum(axis=1) / keeps.sum(axis=1)
    return Traps(
        int(choice.sum()),
        int((chosen & choice).sum()),
        float(chance[choice].sum()),
        tuple(rows[choice & ~chosen].tolist()),
        len(np.unique(tree.grid.canonical_codes(tree.boards[rows[choice]]))),
    )


def best_against_random(side: int, *, safe: bool) -> Outcome:
    """The outcome of a best response to Random, from ``side``'s view; safe players never lose."""
    allowed = safe_moves(tree3(), side) if safe else None
    return response_outcome(tree3(), opponent("random"), side, allowed=allowed)

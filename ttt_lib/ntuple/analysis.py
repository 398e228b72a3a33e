"""Exact answers about a 3x3 player: whether it ever loses, and where its wins come from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.match import Outcome, exact_values, misplayed, policy_table
from ttt_lib.game.policy import lookahead, minimax, random_agent
from ttt_lib.ntuple.players import table_of, trained

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

GRID = Grid(3)
OPPONENTS = ("random", "ply 3", "ply 3, quick", "perfect", "perfect, program")


class Verdict(NamedTuple):
    """What enumeration says of a player.

    Attributes
    ----------
    worst_x, worst_o : int
        Worst result some opponent can reach (-1, 0, 1) when it plays X, and O.
    misplayed : int
        States, reached by its own play or not, where some move that it may make gives value away.
    """

    worst_x: int
    worst_o: int
    misplayed: int

    @property
    def never_loses(self) -> bool:
        """Whether no opponent wins on either side."""
        return min(self.worst_x, self.worst_o) >= 0


def tree3() -> GameTree:
    """The enumerated 3x3 game."""
    return solve(GRID)


def verdict(tree: GameTree, table: Ints) -> Verdict:
    """Enumerate every opponent and every choice among ties."""
    x, o = (worst_result(tree, table, side) for side in (1, -1))
    return Verdict(x, o, len(misplayed(tree, table)))


def worst_result(tree: GameTree, table: Ints, side: int) -> int:
    """Worst result of the player of ``side`` against any opponent; also on canonical forms.

    What :func:`ttt_lib.game.match.worst_case` finds, without its line of play, which
    makes no sense where boards may be turned between moves.
    """
    own = (tree.ply % 2 == 0) == (side == 1)
    allowed = np.where(own[:, None], table > 0, tree.legal)
    worst = side * tree.winner.astype(np.int64)
    for ply in reversed(range(tree.grid.cells)):
        rows = tree.layer(ply)
        after = np.where(allowed[rows], worst[tree.children[rows]], 2).min(axis=1)
        worst[rows] = np.where(tree.finished[rows], worst[rows], after)
    return int(worst[0])


def reachable(tree: GameTree, table: Ints, side: int) -> NDArray[np.bool_]:
    """States that can occur when the player of ``side`` follows its table, shape (S,)."""
    own = (tree.ply % 2 == 0) == (side == 1)
    allowed = np.where(own[:, None], table > 0, tree.legal)
    seen = np.zeros(len(tree), dtype=np.bool_)
    seen[0] = True
    for ply in range(tree.grid.cells):
        rows = np.arange(len(tree))[tree.layer(ply)]
        steps = allowed[rows] & seen[rows, None]
        seen[tree.children[rows][steps]] = True
    return seen


@cache
def opponent(name: str) -> Ints:
    """The table of a named opponent of document 3, shape (S, cells).

    ``ply 3`` and ``perfect`` are ``lookahead:depth=3`` and
    ``minimax:ties=quick``.  The document's program prefers quick wins at three
    plies, too, and of several quickest wins three or more plies away it takes the
    lowest cell: ``ply 3, quick`` and ``perfect, program``.

    Raises
    ------
    ValueError
        If the name is none of ``OPPONENTS``.
    """
    tree = tree3()
    if name == "random":
        return policy_table(random_agent(GRID), tree)
    if name == "ply 3":
        return policy_table(lookahead(GRID, 3), tree)
    if name == "ply 3, quick":
        return _first_of_slow_wins(tree, _quick(tree, opponent("ply 3")), most=3)
    if name == "perfect":
        return policy_table(minimax(GRID, "quick"), tree)
    if name == "perfect, program":
        return _first_of_slow_wins(tree, opponent("perfect"), most=GRID.cells)
    raise ValueError(f"unknown opponent {name!r}: {', '.join(OPPONENTS)}")


def _quick(tree: GameTree, table: Ints) -> Ints:
    """Keep the moves that win at once wherever there is one."""
    side = np.where(tree.ply % 2 == 0, 1, -1)[:, None]
    wins = tree.legal & (tree.winner[tree.children] == side)
    return np.where(wins.any(axis=1)[:, None], wins, table).astype(np.int64)


def _first_of_slow_wins(tree: GameTree, table: Ints, most: int) -> Ints:
    """Where the quickest win is 3 to ``most`` plies away, keep the lowest move alone."""
    own = np.where(tree.ply % 2 == 0, tree.value, -tree.value)
    slow = (own == 1) & (tree.distance >= 3) & (tree.distance <= most)
    lowest = (table > 0) & ((table > 0).cumsum(axis=1) == 1)
    return np.where(slow[:, None], lowest, table).astype(np.int64)


@dataclass(frozen=True)
class Match:
    """Exact chances of a match, the player beginning, answering, and taking turns."""

    first: Outcome
    second: Outcome

    @property
    def both(self) -> Outcome:
        """Chances when the sides alternate."""
        pairs = zip(self.first, self.second, strict=True)
        return Outcome(*((a + b) / 2 for a, b in pairs))


def play(player: Ints, other: Ints) -> Match:
    """Exact chances of one table against another, from the first one's side."""
    tree = tree3()
    return Match(
        exact_values(tree, player, other)[0], exact_values(tree, other, player)[0].reversed()
    )


@cache
def network_table(seed: int) -> Ints:
    """The table of the agent ``ntuple:seed=...``, shape (S, cells)."""
    return table_of(trained(GRID, seed), tree3())


def opening_of(table: Ints, rest: Ints, plies: int) -> Ints:
    """A player that follows one table for the first plies of a game and another one after them."""
    return np.where((tree3().ply < plies)[:, None], table, rest)


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
        Entry k: the opening one plays while fewer than k stones are on the board.
    """
    first, rest = (other, player) if ending else (player, other)
    matches = [play(opening_of(first, rest, plies), opponent("random")) for plies in range(10)]
    return [(match.first if side == 1 else match.second).win for match in matches]


def wins_by_opening(table: Ints) -> list[Fraction]:
    """X's chance to win against Random after each first move, shape (9,), by its table later."""
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
        How often a uniform choice among the moves that keep the draw would.
    """

    choices: int
    most: int
    by_chance: float


def traps(table: Ints, side: int) -> Traps:
    """Compare a player's moves in drawn states with other safe ones by the replies that lose."""
    tree = tree3()
    own = (tree.ply % 2 == 0) == (side == 1)
    drawn = own & ~tree.finished & (tree.value == 0)
    rows = np.flatnonzero(reachable(tree, table, side) & drawn)
    children = tree.children[rows]
    keeps = tree.legal[rows] & (tree.value[children] == 0)
    losing = ((tree.value[tree.children] == side) & tree.legal).sum(axis=1)
    counts = np.where(keeps, losing[children], -1)
    top = counts == counts.max(axis=1, keepdims=True)
    choice = (keeps & ~top).any(axis=1)
    chosen = ((table[rows] > 0) & ~top).sum(axis=1) == 0
    chance = top.sum(axis=1) / keeps.sum(axis=1)
    return Traps(int(choice.sum()), int((chosen & choice).sum()), float(chance[choice].sum()))


def best_against_random(side: int, *, safe: bool, wins_only: bool = False) -> Outcome:
    """The best that any player of ``side`` can do against Random, from its side.

    Parameters
    ----------
    safe : bool
        Only players that never lose, whoever the opponent.
    wins_only : bool
        Maximise the chance of a win; otherwise the expected result, win minus loss.
    """
    table = best_table(side, safe=safe, wins_only=wins_only)
    match = play(table, opponent("random"))
    return match.first if side == 1 else match.second


def best_table(side: int, *, safe: bool, wins_only: bool = False) -> Ints:
    """The table of :func:`best_against_random`; of equal moves the lowest.

    On the other side's turns it holds every legal move.
    """
    tree = tree3()
    worth = np.where(tree.winner == side, 1.0, 0.0)
    if not wins_only:
        worth -= tree.winner == -side
    table = tree.legal.astype(np.int64)
    for ply in reversed(range(tree.grid.cells)):
        rows = np.arange(len(tree))[tree.layer(ply)]
        rows = rows[~tree.finished[rows]]
        after = np.where(tree.legal[rows], worth[tree.children[rows]], np.nan)
        if (ply % 2 == 0) == (side == 1):
            table[rows], worth[rows] = _choose(tree, rows, after, side, safe)
        else:
            worth[rows] = np.nanmean(after, axis=1)
    return table


def _choose(
    tree: GameTree, rows: Ints, after: Floats, side: int, safe: bool
) -> tuple[Ints, Floats]:
    """The best move of each row and its worth; a safe player gives no draw away."""
    lost = tree.value[tree.children[rows]] == -side
    may = tree.legal[rows] & ~(lost & (safe & (side * tree.value[rows] >= 0))[:, None])
    scores = np.where(may, after, -np.inf)
    best = scores >= scores.max(axis=1, keepdims=True) - 1e-12
    first = best & (best.cumsum(axis=1) == 1)
    return first.astype(np.int64), scores.max(axis=1)

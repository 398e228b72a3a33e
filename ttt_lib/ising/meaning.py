"""What b is, in numbers: the steps w_k, the windows of b, and the energies that led to it.

The (k + 1)st stone adds w_k to an open line.  With the text's energy a best move changes where two
sums of such steps, own ones and b times the other's, are equal; so every jump of its curves is a
quotient of sums of w_k with small factors, and the large jumps are simple ones: at b = w1/w2, say,
adding to a line of one's own that holds one stone is worth as much as stopping an opposing line
that holds two.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pandas as pd

from ttt_lib.game.board import Boards, Floats, Grid, Ints, Mask
from ttt_lib.game.exact import Outcome, exact_match, policy_table
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, Scores, from_scores, random_agent, winning_cells
from ttt_lib.game.response import reachable, worst_result
from ttt_lib.ising import curve
from ttt_lib.ising.curve import Piece, Slot, Span, canonical_tree
from ttt_lib.ising.energy import Energy, energy_of, power_energy, powers
from ttt_lib.ising.players import ising
from ttt_lib.ising.program import scored
from ttt_lib.ising.surd import Surd

GRID = Grid(3)
WIDE: Span = (Fraction(-1), Fraction(4))
"""Values of b beyond those that the document tries."""
FROM_ZERO: Span = (curve.UNIT[0], WIDE[1])
"""The same without the negative ones: some potentials lose least only above b = 1."""


# ------------------------------------------------------------------ steps


def steps(energy: Energy) -> list[Surd]:
    """What the (k + 1)st stone adds to an open line, k = 0, ..., n - 1, exactly."""
    n = energy.grid.n
    weights = []
    for k in range(n + 1):
        coefficient, power = energy.term((1,) * k + (0,) * (n - k))
        weights.append(energy.root.polynomial([0] * power + [coefficient]))
    return [after - before for before, after in pairwise(weights)]


@cache
@read_only
def _sums(energy: Energy, most: int) -> tuple[list[tuple[int, ...]], Floats]:
    """Sums of steps with small factors, simplest first, and their values."""
    factors = product(range(-most, most + 1), repeat=energy.grid.n)
    found = sorted(factors, key=lambda f: (sum(map(abs, f)), -sum(f), f))[1:]
    return found, np.array(found) @ np.array([float(w) for w in steps(energy)])


def ratio(energy: Energy, b: Surd, most: int = 2) -> str:
    """A number as the simplest quotient of sums of steps, such as ``w1/(w2 - w1)``.

    Returns
    -------
    str
        Empty if no quotient with factors up to ``most`` equals it, exactly.
    """
    if not any(b.coefficients[1:]):
        return str(b.coefficients[0])
    sums, values = _sums(energy, most)
    exact = steps(energy)
    above = np.argsort(values, kind="stable")
    wanted = values * float(b)
    place = np.searchsorted(values[above], wanted)
    near = above[np.clip(place[:, None] + np.arange(-1, 2), 0, len(values) - 1)]
    close = np.abs(values[near] - wanted[:, None]) < 1e-9 * np.abs(wanted)[:, None]
    pairs = [(near[i, j], i) for i, j in zip(*np.nonzero(close), strict=True) if values[i] > 0]
    for i, j in sorted(pairs, key=lambda pair: _length(sums[pair[0]]) + _length(sums[pair[1]])):
        numerator, divisor = (_sum(exact, sums[k]) for k in (i, j))
        if numerator == divisor * b:
            return f"{_text(sums[i])}/{_text(sums[j])}".removesuffix("/1")
    return ""


def _length(factors: tuple[int, ...]) -> int:
    return sum(map(abs, factors)) + sum(f != 0 for f in factors)


def _sum(exact: list[Surd], factors: tuple[int, ...]) -> Surd:
    zero = exact[0] - exact[0]
    scaled = (w.root.polynomial([f]) * w for f, w in zip(factors, exact, strict=True) if f)
    return sum(scaled, start=zero)


def _text(factors: tuple[int, ...]) -> str:
    """A sum of steps, added ones before subtracted ones; in parentheses if it has several terms."""
    order = sorted(enumerate(factors), key=lambda term: (term[1] < 0, -term[0]))
    text = signed_sum((factor, f"w{k}") for k, factor in order)
    return f"({text})" if sum(map(bool, factors)) > 1 else text


def signed_sum(terms: Iterable[tuple[int, str]]) -> str:
    """Factors and what each multiplies as a sum, such as ``2w2 - w0``; ``0`` if all are 0."""
    units = {1: "", -1: "-"}
    shown = [f"{units.get(k, k) if symbol else k}{symbol}" for k, symbol in terms if k]
    return " + ".join(shown).replace("+ -", "- ") or "0"


# ------------------------------------------------------------------ taking wins, stopping them


class Habit(NamedTuple):
    """How often a player passes over urgent moves, for one stretch of b.

    Attributes
    ----------
    slot : Slot
        The stretch of b; its weights are not kept.
    wins, blocks : int
        Positions where it may pass over a win, and where, with no win available, it may fail
        to block the other's; symmetric ones counted separately.
    """

    slot: Slot
    wins: int
    blocks: int


def urgent(tree: GameTree, side: int) -> tuple[Ints, Ints]:
    """Moves that win at once, and those that stop a win where there is none, shape (S, cells)."""
    running = ((tree.grid.to_move(tree.boards) == side) & ~tree.finished)[:, None]
    sides = np.full(len(tree), side, dtype=np.int8)
    wins = winning_cells(tree.grid, tree.boards, sides) & running
    stops = winning_cells(tree.grid, tree.boards, -sides) & running
    stops &= ~wins.any(axis=1, keepdims=True)
    return wins.astype(np.int64), stops.astype(np.int64)


def _passed(tree: GameTree, weights: Ints, wanted: Ints) -> int:
    """Number of positions where a player may play a move other than a wanted one."""
    asked = wanted.any(axis=1)
    return int(tree.orbit[asked & ((weights > 0) & (wanted == 0)).any(axis=1)].sum())


@cache
@read_only
def habits(name: str, side: int, span: Span = WIDE) -> tuple[Habit, ...]:
    """How often one side's player passes over wins and blocks on 3x3, for every b."""
    tree, energy = canonical_tree(GRID), energy_of(name, GRID)
    wins, stops = urgent(tree, side)
    return tuple(
        Habit(slot, _passed(tree, slot.weights, wins), _passed(tree, slot.weights, stops))
        for slot in curve.slots(energy, tree, side, span)
    )


def asked() -> tuple[int, int]:
    """In how many positions of 3x3 a win is available, and in how many one must be blocked."""
    tree = canonical_tree(GRID)
    found = [urgent(tree, side) for side in (1, -1)]
    counts = [sum(int(tree.orbit[one[i].any(axis=1)].sum()) for one in found) for i in range(2)]
    return counts[0], counts[1]


def passed_at(name: str, b: float, *, own_games: bool = False) -> tuple[int, int]:
    """Positions of 3x3, both sides, where the player passes over a win, or a block, at one b."""
    return passes_over(ising(GRID, b, name), own_games=own_games)


def window(name: str) -> tuple[Surd, Surd]:
    """The values of b between which a player on 3x3 takes every win, else stops the other's.

    Raises
    ------
    ValueError
        If there is no such b, or more than one stretch of them.
    """
    both = [_window(name, side) for side in (1, -1)]
    start, end = max(low for low, _ in both), min(high for _, high in both)
    if not start < end:
        raise ValueError(f"no window of b for {name}")
    return start, end


def _window(name: str, side: int) -> tuple[Surd, Surd]:
    """One side's window: the ends of the only run of intervals without a fault."""
    found = habits(name, side)
    good = [i for i, h in enumerate(found) if h.wins == h.blocks == 0 and not h.slot.point]
    if not good or any(h.wins or h.blocks for h in found[good[0] : good[-1] + 1]):
        raise ValueError(f"no single window of b for {name}")
    return found[good[0]].slot.at, found[good[-1]].slot.end


# ------------------------------------------------------------------ the energies that led to b


def first_tries(energy: str = "equation") -> dict[str, Agent]:
    """The three game energies that the document tried before it had a bias, as players of 3x3.

    ``own`` counts only the mover's energy; ``both after one's own move`` adds the other's after
    the same stone; ``b = 1`` adds what the other's energy would gain from a stone there.
    ``energy`` says whose energies: those of the text, or the program's (``"published"``).
    """
    both = "both after one's own move"
    return {
        "own energy alone": ising(GRID, 0, energy),
        both: from_scores(both, GRID, _sums_after(energy_of(energy, GRID)), symmetric=True),
        "b = 1": ising(GRID, 1, energy),
    }


def _sums_after(energy: Energy) -> Scores:
    """Scores of all moves, shape (B, 9): the sum of both sides' energies after it, not negated."""

    def scores(boards: Boards) -> Floats:
        rows, cells = np.nonzero(energy.grid.legal(boards))
        after, found = boards[rows], np.full(boards.shape, -np.inf)
        after[np.arange(len(rows)), cells] = energy.grid.to_move(boards)[rows]
        found[rows, cells] = _both_energies(energy, after)
        return found

    return scores


def _both_energies(energy: Energy, boards: Boards) -> Floats:
    """Both sides' energies of whole boards, added up as whole numbers, so that equal ones tie."""
    counts = powers(energy, boards) + powers(energy, -boards)
    kinds, places = np.unique(counts, axis=0, return_inverse=True)
    values = [float(energy.root.polynomial(kind)) for kind in kinds.tolist()]
    return np.asarray(np.array(values)[places.ravel()])


def second_player(agent: Agent) -> tuple[Outcome, int]:
    """Exact result as second player against random play, and the worst case."""
    tree = solve(GRID)
    outcome = exact_match(random_agent(GRID), agent, tree).reversed()
    return outcome, worst_result(tree, policy_table(agent, tree), -1)


def passes_over(agent: Agent, *, own_games: bool = False) -> tuple[int, int]:
    """Positions of 3x3, both sides, where an agent passes over a win, or over a block.

    With `own_games` only those that it can get into itself, whatever the opponent does.
    """
    tree, counts = canonical_tree(GRID), np.zeros(2, dtype=np.int64)
    table = policy_table(agent, tree)
    for side in (1, -1):
        met = reachable(tree, table, side) if own_games else np.ones(len(tree), dtype=bool)
        counts += [_passed(tree, table, wanted * met[:, None]) for wanted in urgent(tree, side)]
    return int(counts[0]), int(counts[1])


def lets_win(agent: Agent) -> tuple[int, int]:
    """Positions of 3x3, both sides, where an agent may miss the only block, and all such positions.

    It has no win of its own, and the other threatens to win on one cell alone; where several are
    threatened, no move stops the other.
    """
    tree, counts = canonical_tree(GRID), np.zeros(2, dtype=np.int64)
    table = policy_table(agent, tree)
    for side in (1, -1):
        stops = urgent(tree, side)[1]
        only = stops * (stops.sum(axis=1, keepdims=True) == 1)
        counts += [_passed(tree, table, only), tree.orbit[only.any(axis=1)].sum()]
    return int(counts[0]), int(counts[1])


def raised_by_blocks(energy: str) -> int:
    """In how many positions of :func:`lets_win` the block raises the sum of both game energies.

    The game energies are the negatives of :func:`_both_energies`.
    """
    tree, found = canonical_tree(GRID), 0
    for side in (1, -1):
        stops = urgent(tree, side)[1]
        rows = np.flatnonzero(stops.sum(axis=1) == 1)
        before, cells = tree.boards[rows], stops[rows].argmax(axis=1)
        after = before.copy()
        after[np.arange(len(rows)), cells] = side
        less, more = (_both_energies(energy_of(energy, GRID), boards) for boards in (after, before))
        found += int(tree.orbit[rows[less < more]].sum())
    return found


def blocks_instead(name: str, b: float) -> tuple[int, int, int]:
    """Positions of 3x3 with a win at hand where the player, on either side, blocks at one b.

    First those where all its moves stop the other's win, then those where some do and some win, so
    that chance decides; last all such choices.  Where a winning cell stops the other, too, there
    is nothing to choose: see :func:`_choices`.
    """
    sure, chance, both = np.sum([_blocking(name, b, side) for side in (1, -1)], axis=0)
    return int(sure), int(chance), int(both)


def blocks_met(name: str, b: float) -> tuple[int, int, int]:
    """The same where the player is second, in positions that it can get into itself."""
    return _blocking(name, b, -1, own_games=True)


def _blocking(name: str, b: float, side: int, *, own_games: bool = False) -> tuple[int, int, int]:
    tree, played, wins, stops = _choices(name, b, side)
    met = (
        reachable(tree, played.astype(np.int64), side)
        if own_games
        else np.ones(len(tree), dtype=bool)
    )
    some = (played & stops).any(axis=1) & (played & wins).any(axis=1)
    kinds = ((played <= stops).all(axis=1), some, stops.any(axis=1))
    sure, chance, both = (int(tree.orbit[met & wins.any(axis=1) & kind].sum()) for kind in kinds)
    return sure, chance, both


def after_blocks(name: str, b: float, *, sure: bool) -> tuple[int, int, int]:
    """What is left of the win where the player of 3x3 blocks instead of taking it.

    Positions of both sides that after its worst block are still won, drawn, and lost, if both now
    play perfectly: those in which it surely blocks, or else those in which chance decides.
    """
    found = np.zeros(3, dtype=np.int64)
    for side in (1, -1):
        tree, played, wins, stops = _choices(name, b, side)
        blocks = played & stops
        some = wins.any(axis=1) & blocks.any(axis=1)
        which = some & ((blocks == played).all(axis=1) == sure)
        left = np.where(blocks, side * tree.value[tree.children], 1).min(axis=1)
        found += [tree.orbit[which & (left == worth)].sum() for worth in (1, 0, -1)]
    return int(found[0]), int(found[1]), int(found[2])


def _choices(name: str, b: float, side: int) -> tuple[GameTree, Mask, Mask, Mask]:
    """Of one side's player: the moves played, those that win, and those that stop a win instead.

    A position where some winning cell stops the other's win, too, has none that do so instead.
    """
    tree = canonical_tree(GRID)
    played = policy_table(ising(GRID, b, name), tree) > 0
    wins = urgent(tree, side)[0] > 0
    threats = winning_cells(GRID, tree.boards, np.full(len(tree), -side, dtype=np.int8))
    return tree, played, wins, threats & ~(wins & threats).any(axis=1, keepdims=True)


def tries_table() -> pd.DataFrame:
    """The three tries and the window's player side by side, exactly."""
    wins, blocks = asked()
    rows = []
    for name, agent in first_tries().items():
        outcome, worst = second_player(agent)
        missed = passes_over(agent)
        rows.append(
            [name, *map(str, outcome), f"{missed[0]} of {wins}", f"{missed[1]} of {blocks}", worst]
        )
    columns = ["energy", "win", "draw", "loss", "wins passed over", "blocks passed over", "worst"]
    return pd.DataFrame(rows, columns=columns)


# ------------------------------------------------------------------ potentials


def fewest_losses(pieces: Iterable[Piece]) -> Piece:
    """The first interval of b with the fewest losses; single points, where moves tie, don't count.

    Raises
    ------
    ValueError
        If no piece is an interval.
    """
    return min((p for p in pieces if not p.is_point), key=lambda p: p.outcome.loss)


def plateau_start(energy: Energy) -> Surd:
    """The b above which the second player loses least to random play, on 3x3, of all in 0..4."""
    return fewest_losses(curve.curve(energy, -1, random_agent(GRID), FROM_ZERO)).start


def potentials_start(bases: tuple[int, ...] = (2, 3, 4, 8)) -> dict[int, bool]:
    """Whether w1/(w2 - w1) = 1/(base - 1) is where the plateau of base^k begins, exactly."""
    found = {}
    for base in bases:
        energy = power_energy(GRID, Fraction(base))
        w = steps(energy)
        start = plateau_start(energy)
        ends = (w[1] / (w[2] - w[1]), energy.root.polynomial([Fraction(1, base - 1)]))
        found[base] = all(start == end for end in ends)
    return found


# ------------------------------------------------------------------ what the program scores


@cache
def scored_curve() -> tuple[Piece, ...]:
    """The program's curve on 3x3 as second player, a line on the last cell scored as a draw."""
    energy, tree = energy_of("published", GRID), scored(canonical_tree(GRID))
    return tuple(curve.curve(energy, -1, random_agent(GRID), tree=tree))


# ------------------------------------------------------------------ the law in n


def threshold(n: int) -> Surd:
    """w_(n-3) / w_(n-2): above this b a line with n - 2 of the other's stones comes first.

    Below it the player prefers to add to a line of its own that holds n - 3.  From 4x4 to 6x6 it
    is the edge above which the second player never loses, by exhaustive play (at the edge itself
    it can lose on 4x4 and 5x5); beyond, a conjecture.
    """
    w = steps(energy_of("equation", Grid(n)))
    return w[n - 3] / w[n - 2]

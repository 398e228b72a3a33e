"""Our value of every number and checkable sentence of document 4.

``data/claims/4_ising_bias.toml`` names these functions.  Everything about
3x3 is exact; results on larger boards come from stored games of the replayed program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain, combinations, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np

from ttt_lib.evidence import significance
from ttt_lib.evidence.answers import Chance, Chances, Count, Counts, Finding, Setting, Value, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE, answer, declared
from ttt_lib.evidence.rounding import listed
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Boards, Grid, Ints, line_count, parse
from ttt_lib.game.exact import (
    Outcome,
    against_all,
    exact_match,
    exact_values,
    least_reached,
    policy_table,
)
from ttt_lib.game.gametree import GameTree, enumerate_states, solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.pairing import pairing
from ttt_lib.game.policy import Agent, from_scores, minimax, random_agent, winning_cells
from ttt_lib.game.response import response_outcome, soundness
from ttt_lib.game.stats import wilson
from ttt_lib.ising import curve, players
from ttt_lib.ising.alpha_beta import program_minimax
from ttt_lib.ising.energy import (
    Energy,
    Pattern,
    directions,
    energy_of,
    gains,
    inward,
    line_starts,
    prefix_term,
    program_energy,
)
from ttt_lib.ising.forced_win import centre_wins, check_proof
from ttt_lib.ising.program import PUBLISHED, SWEEP, agent, exact, recognised_lines, simulate, stuck
from ttt_lib.ising.surd import Root, Surd, root_of

GRID = Grid(3)
FIRST_B, SECOND_B = 0.647, 0.8
WORDS = {1: "win of X", 0: "draw", -1: "win of O"}
RESULTS = ("win", "draw", "loss")


# ------------------------------------------------------------------ boards and lines


def line_formula() -> Finding:
    """The line count against lines walked from either end, 3^2 to 5^4."""
    boards = [Grid(n, d) for d in (2, 3, 4) for n in (3, 4, 5)]
    agree = [len(line_starts(grid)) == 2 * line_count(grid.n, grid.d) for grid in boards]
    return Finding(all(agree), f"{sum(agree)} of {len(agree)} boards from 3x3 to 5x5x5x5 agree")


SMALL_BOARDS = {
    "boards that the document plays": "3x3 4x4 5x5 6x6 3x3x3 4x4x4 5x5x5 5x5x5x5",
    "squares up to 5x5": "3x3 4x4 5x5",
    "squares and cubes of up to 5 cells per side": "3x3 4x4 5x5 3x3x3 4x4x4 5x5x5",
}
"""What "reduced dimensions and cell numbers" may be."""


def cells_per_line() -> Finding:
    """Whether cells over lines are between 1 and 2 on most small boards, however small is read."""
    grids = [Grid.parse(size) for size in SMALL_BOARDS["boards that the document plays"].split()]
    ratios = {grid.name: grid.cells / len(grid.lines) for grid in grids}
    inside = {what: [1 <= ratios[size] <= 2 for size in sizes.split()]
              for what, sizes in SMALL_BOARDS.items()}  # fmt: skip
    counts = ", ".join(f"{sum(of)} of the {len(of)} {what}" for what, of in inside.items())
    told = ", ".join(f"{size} {ratio:.2f}" for size, ratio in ratios.items())
    answers = {sum(of) > len(of) / 2 for of in inside.values()}
    return Finding(agreed(answers), f"between 1 and 2 on {counts}: {told}")


FULL_LINES = (3, 4, 5, 6)
"""Cells of the lines whose product is evaluated."""
LOOP, OVER_ALL = "the printed loop", "the definition over all n cells"
"""The ways to multiply that go over all cells of a full line."""


def printed_energy(flag: int, unit: Surd) -> Surd:
    """The energy of a line with so many stones, by the loop that `line_energy` is printed with."""
    line_energy, i = unit.root.polynomial([1]), 1
    while i < flag + 1:
        line_energy = line_energy * unit * unit.root.polynomial([i])
        i += 1
    return line_energy


def defined_energy(nodes: int, unit: Surd) -> Surd:
    """The product of unit and ord(l) over some nodes, with ord(l) from 2 on, as it is defined."""
    whole = unit.root.polynomial
    return prod((unit * whole([place]) for place in range(2, nodes + 2)), start=whole([1]))


def _ways_to_multiply(n: int, unit: Surd) -> dict[str, Surd]:
    """What a full line of n cells is worth by the listing, and by both readings of the text."""
    return {
        LOOP: printed_energy(n, unit),
        "the definition over the other n - 1 cells": defined_energy(n - 1, unit),
        OVER_ALL: defined_energy(n, unit),
    }


def _constant(n: int) -> Surd:
    """c, the n-th root of n + 1."""
    return root_of(n + 1, n).polynomial([0, 1])


def full_line() -> Finding:
    """Whether a full line weighs n! c^n = (n + 1)!, exactly, by the formula and by the listing.

    The formula has two readings.  If the three disagree, there is no answer.
    """
    equal: dict[str, int] = {}
    for n in FULL_LINES:
        whole = _constant(n).root.polynomial([factorial(n + 1)])
        for way, weight in _ways_to_multiply(n, _constant(n)).items():
            equal[way] = equal.get(way, 0) + (weight == whole)
    answers = {count == len(FULL_LINES) for count in equal.values()}
    return Finding(agreed(answers), _told_by_way(equal))


def _told_by_way(counts: dict[str, int]) -> str:
    """For how many lines each way of multiplying gives what is printed."""
    loop, *others = (f"for {count} of {len(FULL_LINES)} by {way}" for way, count in counts.items())
    return f"equal {loop} (n = {FULL_LINES[0]} to {FULL_LINES[-1]}); {', '.join(others)}"


def cumulative() -> Finding:
    """Whether a stone gains more beside two own stones on one line with it than on two lines.

    On every cell of 3x3, whichever two stones in line with it are meant.
    """
    answers, told = set(), []
    for which, name in (("equation", "text"), ("published", "program")):
        found = [_beside_two(energy_of(which, GRID), cell) for cell in range(GRID.cells)]
        answers.add(all(min(one) > max(two) for one, two in found))
        one, two = (list(map(float, chain(*gained))) for gained in zip(*found, strict=True))
        told.append(
            f"{min(one):.2f} to {max(one):.2f} against {min(two):.2f} to {max(two):.2f} with the "
            f"energy of the {name}"
        )
    return Finding(agreed(answers), f"on 3x3 {' and '.join(told)}")


def _beside_two(energy: Energy, cell: int) -> tuple[list[Surd], list[Surd]]:
    """What a stone gains beside any two own ones in line with it: on one line, on two lines."""
    lines = [set(line) for line in GRID.lines.tolist() if cell in line]
    one_line: list[Surd] = []
    two_lines: list[Surd] = []
    for pair in combinations(sorted(set.union(*lines) - {cell}), 2):
        board = [int(other in pair) for other in range(GRID.cells)]
        gain = next(gain.own for gain in gains(energy, board, 1) if gain.move == cell)
        beside = one_line if {cell, *pair} in lines else two_lines
        beside.append(energy.root.polynomial(gain))
    return one_line, two_lines


def kept_directions(cell: str, *, ends: bool) -> Value:
    """Directions that a cell of 3x3x3 keeps: on the board, or along whole lines only."""
    grid = Grid(3, 3)
    place = {"face": (1, 1, 2), "inside": (1, 1, 1)}[cell]
    index = int(np.ravel_multi_index(place, (3, 3, 3)))
    if ends:
        return Value(sum(start == index for start, _ in line_starts(grid)))
    return Value(sum(inward(grid, place, step) for step in directions(3)))


def win_test() -> Finding:
    """How many true lines the program's win test recognises."""
    grids = [Grid(3), Grid(3, 3), Grid(4), Grid(5), Grid(6), Grid(4, 3), Grid(5, 3)]
    shares = {grid.name: (recognised_lines(grid), len(grid.lines)) for grid in grids}
    text = ", ".join(f"{size} {found} of {all_}" for size, (found, all_) in shares.items())
    return Finding(all(found == all_ for found, all_ in shares.values()), text)


PAIRS = range(2, 7)
"""Dimensions of the boards of two cells per side that are looked at."""


def _joined() -> list[bool]:
    """By dimension, whether any two cells of a board of two cells per side are a line."""
    grids = [Grid(2, d) for d in PAIRS]
    return [len(line_starts(grid)) == grid.cells * (grid.cells - 1) for grid in grids]


def two_cells() -> Finding:
    """Whether the first player wins every board of two cells per side, from two dimensions on."""
    line = int(solve(Grid(2, 1)).value[0])
    every = "every" if all(_joined()) else "not every"
    text = (
        f"{every} pair of cells is a line for d = {PAIRS[0]} to {PAIRS[-1]}; on such boards X wins "
        "with its second stone"
    )
    why = (
        "The document calls `dimension` what says whether the game is played 'on a plane, in a "
        f"volume, or in a hyper-volume'; a single row of two cells, a {WORDS[line]}, is none of "
        "these."
    )
    return Finding(all(_joined()), text, why)


def two_winning_cells() -> Finding:
    """Whether on 2x2, whatever was played, the second turn of X finds two free cells that win."""
    grid = Grid(2)
    tree = solve(grid)
    boards = tree.boards[tree.ply == 2]
    free, wins = boards == 0, winning_cells(grid, boards, np.ones(len(boards), dtype=np.int8))
    found = int(((free.sum(axis=1) == 2) & (wins == free).all(axis=1)).sum())
    return Finding(
        found == len(boards),
        f"in {found} of the {len(boards)} positions after a stone each two cells are free, and "
        "both of them, no others, win",
    )


def both_can_draw() -> Finding:
    """Both can draw on n x n, n >= 5: the sum of Erdos and Selfridge is below 1/2 and falls.

    There are 2n + 2 lines of n cells; going from n to n + 1 multiplies their sum by
    (n + 2)/(2n + 2) < 1.
    """
    sums = {n: Fraction(2 * n + 2, 2**n) for n in (4, 5)}
    pairs = [n for n in (5, 6, 7, 8) if pairing(Grid(n)) is not None]
    found = (
        f"the sum of 2^-n over the 2n + 2 lines is {sums[5]}, below 1/2, for n = 5; pairings for "
        f"n = {', '.join(map(str, pairs))}"
    )
    return Finding(sums[5] < Fraction(1, 2) and pairs == [5, 6, 7, 8], found)


def _proved(grid: Grid) -> tuple[bool, int]:
    """Whether threats alone win after the centre, checked move by move; positions of the proof."""
    proof = centre_wins(grid)
    holds = proof is not None and check_proof(grid, grid.initial()[0], proof)
    return holds, proof.positions if proof else 0


def centre_proof() -> Finding:
    """3x3x3 is a first-player win: a proof by threats, checked move by move."""
    holds, positions = _proved(Grid(3, 3))
    return Finding(holds, f"centre first wins: {positions} positions with X to move prove it")


def only_two() -> Finding:
    """Whether 3x3x3 and 4x4x4 are the only boards with a known strategy that wins for the first.

    Of all boards this does not hold if another one is won; of the two named, it does if 3x3x3 is
    (4x4x4 is Patashnik's).  If the readings disagree, there is no answer.
    """
    cube, (tesseract, positions) = _proved(Grid(3, 3))[0], _proved(Grid(3, 4))
    pairs = [Grid(2, d).name for d, joined in zip(PAIRS, _joined(), strict=True) if joined]
    others = pairs + [f"3x3x3x3 ({positions} positions prove it)"] * tesseract
    told = f"also won: {', '.join(others)}" if others else "no other board found that is won"
    return Finding(agreed({cube, cube and not others}), told)


PRINTED, WHOLE = 0.8, 1.0
"""What the energy before a move is multiplied by: in the printed listing, and in the program."""
SMALL = 0.1
"""The least b that is told from which on the listing always has a move."""
BIASES = (0.0, 0.01, 0.05, SMALL, FIRST_B, SECOND_B)
"""Values of b at which positions without a move are counted."""


def _caught(b: float, factor: float) -> Boards:
    """Positions of 3x3 with a choice where the program's "must exceed" condition leaves no move."""
    tree = solve(GRID)
    running = tree.boards[~tree.finished]
    caught = running[stuck(GRID, running, b, factor)]
    return np.asarray(caught[(caught == 0).sum(axis=1) > 1])


def fallen(b: float, factor: float) -> int:
    """How many positions of 3x3 leave the program a choice but no move."""
    return len(_caught(b, factor))


def perhaps_worse(b: float) -> int:
    """In how many of these the author's program, with its second loop, may take a worse move.

    That loop keeps the first of the best moves and every cell after it.
    """
    caught = _caught(b, WHOLE)
    worth = players.scores(program_energy(GRID), b)(caught)
    best = np.isclose(worth, worth.max(axis=1, keepdims=True))
    later = np.maximum.accumulate(best, axis=1) & (caught == 0)
    return int((later & ~best).any(axis=1).sum())


def condition() -> Finding:
    """Whether the listing has a move wherever it has a choice, at every b that the program plays.

    The author's program has a second loop for positions without one; there the question is whether
    this handles them.
    """
    at = {factor: {b: fallen(b, factor) for b in BIASES} for factor in (PRINTED, WHOLE)}
    text, whole = (
        ", ".join(f"{count} at b = {b:g}" for b, count in found.items()) for found in at.values()
    )
    worse = " and ".join(f"{perhaps_worse(b)} (at b = {b:g})" for b in (0.0, SMALL))
    why = (
        "At b = 0, where the sweep begins, and at other small b it is not handled: there the "
        "printed listing draws from an empty list. `Energy`, whose code is not printed, "
        f"multiplies by its fifth argument, {PRINTED}, in the author's program (commit 1986504). "
        f"There `min_Energy` passes {WHOLE:g}, which leaves more positions without a move, "
        f"{whole}, and has a second loop for them, which the document doesn't print. It keeps the "
        "first best move and every free cell after it, and so may take a worse move; it can do so "
        f"in {worse} of these positions."
    )
    holds = {not any(at[PRINTED].values()), not any(perhaps_worse(b) for b in BIASES)}
    return Finding(agreed(holds), f"positions of 3x3 with a choice but no move: {text}", why)


CROWDED = "xoo.oxoxxoo.xxxooxoxxxoox"
"""A position of 5x5 with O to move, and two moves, in which the printed listing has none."""


def fallback() -> Finding:
    """Whether, where no move lowers the energy, one of those that raise it least is drawn.

    In the printed listing, and in the author's program with its second loop, on 3x3.
    """
    listing, program = (
        {b: count(b) for b in BIASES} for count in (partial(fallen, factor=PRINTED), perhaps_worse)
    )
    empty, worse = (
        listed([f"{count} at b = {b:g}" for b, count in found.items() if count] or ["none"])
        for found in (listing, program)
    )
    unasked = listed([f"{b:g}" for b in BIASES if not fallen(b, WHOLE)] or ["no b"])
    five = Grid(5)
    board = parse(CROWDED, five)[None]
    larger = listed([f"{b:g}" for b in BIASES if stuck(five, board, b, PRINTED)] or ["no b"])
    text = (
        f"positions of 3x3 with a choice: the printed listing draws from an empty list in {empty}; "
        f"the author's program may take another move than one of the best in {worse}"
    )
    why = (
        "The document asks for it, and at the smallest b neither its listing nor the author's "
        "program (commit 1986504, see `ising-condition`) quite does it. No position of 3x3 leaves "
        f"them without a move at b = {unasked}, the values with which the program plays its "
        f"matches; of 5x5 some do: in `{CROWDED}` the listing has none at b = {larger}."
    )
    return Finding(agreed({not any(listing.values()), not any(program.values())}), text, why)


def limit_numbers(axis: int) -> Value:
    """Cells of 3x3 at an end of one axis; axis 0 varies fastest."""
    cells = [i for i in range(9) if i // 3**axis % 3 != 1]
    return Value(" ".join(map(str, cells)))


def limit_axes(cell: int) -> Value:
    """Axes of 3x3x3 along which a cell is extremal."""
    return Value(" ".join(str(axis) for axis in range(3) if cell // 3**axis % 3 != 1))


def limit_congruence() -> Finding:
    """Whether the congruence picks exactly the cells at an end of an axis, on boards up to 5^4."""
    boards = [Grid(n, d) for d in (1, 2, 3, 4) for n in (3, 4, 5)]
    agree = [_congruent(grid) for grid in boards]
    return Finding(
        all(agree), f"{sum(agree)} of {len(agree)} boards from 3 cells in a row to 5x5x5x5 agree"
    )


def _congruent(grid: Grid) -> bool:
    for axis in range(grid.d):
        below, above = grid.n**axis, grid.n ** (axis + 1)
        numbers = {end - f - 1 for end in (below, above) for f in range(below)}
        at = grid.coordinates[:, -1 - axis]  # the last coordinate is the fastest
        ends = {i for i in range(grid.cells) if at[i] in (0, grid.n - 1)}
        if {i for i in range(grid.cells) if i % above in numbers} != ends:
            return False
    return True


def last_index() -> Finding:
    """Whether the largest index is n^h - 1: (n - 1)(1 + n + ... + n^(h - 1))."""
    sums = [
        (n - 1) * sum(n**i for i in range(h)) == n**h - 1 for n in range(2, 9) for h in range(1, 7)
    ]
    return Finding(all(sums), f"equal for {sum(sums)} boards, n = 2 to 8 and h = 1 to 6")


def overlooked() -> Finding:
    """Whether directions of 0 and 1 alone miss lines, (1, -1) on 3x3 among them."""
    steps = {tuple(np.diff(GRID.coordinates[line[:2]], axis=0)[0].tolist()) for line in GRID.lines}
    missed = {step for step in steps if min(step) < 0}
    return Finding(missed == {(1, -1)}, f"of the steps of all lines of 3x3 they miss {missed}")


def minimax_perfect() -> Finding:
    """Whether the program's minimax answers every position best, and never loses on either side."""
    tree, player = solve(GRID), program_minimax(GRID)
    table = policy_table(player, tree)
    found, running = soundness(tree, table), int((~tree.finished).sum())
    first, second = (RESULTS[1 - worst] for worst in (found.worst_x, found.worst_o))
    return Finding(
        found.misplayed == 0 and found.never_loses,
        f"a move of best value in {running - found.misplayed} of {running} positions; at worst a "
        f"{first} as first player, a {second} as second",
    )


TURNS = 1500
"""Games on each board with which the turn is judged there."""
LARGER = ("4x4", "5x5", "6x6", "3x3x3", "4x4x4", "5x5x5")
"""Boards beyond 3x3 on which the document plays Ising against itself or sweeps b."""


def classic_is_no_win() -> Finding:
    """Whether the first player can't force a win on 3x3."""
    value = int(solve(GRID).value[0])
    return Finding(value <= 0, f"3x3 is a {WORDS[value]} under best play")


def second_is_worse_off() -> Finding:
    """Whether Ising wins less often and loses more often as second player than as first.

    Against random play on 3x3, with either energy; if they disagree, there is no answer.
    """
    tree, names = solve(GRID), {"equation": "text", "published": "program"}
    worse, told = set(), []
    for name, whose in names.items():
        ising, other = players.ising(GRID, FIRST_B, name), random_agent(GRID)
        first, second = exact_match(ising, other, tree), exact_match(other, ising, tree).reversed()
        worse.add(bool(second.win < first.win and second.loss > first.loss))
        told.append(
            f"the {whose}'s player wins {first.win} and loses {first.loss} as first player, "
            f"{second.win} and {second.loss} as second"
        )
    return Finding(agreed(worse), f"against random play, by true rules, {'; '.join(told)}")


def chance_among_equals() -> Setting:
    """Whether our player draws evenly among equal best moves, and what the first of them would do.

    With the program's energy; told is what it loses as second player to random play.
    """
    tree = solve(GRID)
    ising, other = (
        policy_table(one, tree)
        for one in (players.ising(GRID, FIRST_B, "published"), random_agent(GRID))
    )
    several = (ising > 0).sum(axis=1) > 1
    even = all(len(set(row[row > 0].tolist())) == 1 for row in ising[several])
    drawn, first = (
        exact_values(tree, other, table)[0]
        for table in (ising, ising * ((ising > 0).cumsum(axis=1) == 1))
    )
    text = (
        f"in {several.sum():,} of {(~tree.finished).sum():,} positions of 3x3 several moves are "
        f"best; if it took the first of them, the second player would lose {first.win} to random "
        f"play, by true rules, instead of {drawn.win}"
    )
    return Setting("a random choice" if even else "an uneven choice", first != drawn, text)


def first_better() -> Finding:
    """Whether the first player is better off: in all pairings of 3x3, and on all boards.

    On 3x3 each player must nowhere lose more often as first than as second player, and somewhere
    less.  On larger boards the program's player meets itself, with one b for both and with its own
    second b; there the first player must nowhere lose more often than win beyond chance.
    """
    names = ("random", "minimax", "ising")
    pairs = [(replay(one, other).loss, replay(other, one).win) for one in names for other in names]
    less, more = (sum(sign * first < sign * second for first, second in pairs) for sign in (1, -1))
    worse = {size: games for size in LARGER if all(map(_is_worse, games := turns(size)))}
    told = "; ".join(f"{size} {_won_and_lost(games)}" for size, games in worse.items())
    text = (
        f"on 3x3 the first player loses less often than as second in {less} of {len(pairs)} "
        f"pairings, more often in {more}; of {len(LARGER)} larger boards it is worse off on "
        f"{len(worse)}{told and f': {told}'}"
    )
    return Finding(agreed({less > 0 and not more, not worse}), text)


@cache
@read_only
def turns(size: str) -> list[Ints]:
    """Results of the program's player against itself: with one b for both, with its second b."""
    grid = Grid.parse(size)
    return [simulate(one, grid, "II", FIRST_B, TURNS, rng=0) for one in (SWEEP, PUBLISHED)]


def _is_worse(results: Ints) -> bool:
    """Whether the first player loses more games than it wins, beyond chance."""
    from scipy.stats import binomtest  # slow to import

    won, _, lost = map(int, results)
    return lost > won and float(binomtest(won, won + lost).pvalue) < SIGNIFICANCE


def _won_and_lost(games: Sequence[Ints]) -> str:
    same, own = ((int(won), int(lost)) for won, _, lost in games)
    return (
        f"wins {same[0]} and loses {same[1]} of {TURNS:,} with one b for both, {own[0]} and "
        f"{own[1]} if the second keeps its {SECOND_B}"
    )


def printed(row: str, result: str, beside: str) -> Chance | Count:
    """A count that another row quotes, beside which the document sets one of its own.

    If by exact replay no other result is possible in either, that decides, and no test.

    Parameters
    ----------
    row : str
        Name of the row with the match, as ``34-41-25``.
    result : str
        ``win``, ``draw`` or ``loss`` of the first player.
    beside : str
        Name of the row with the games of the document's own count.
    """
    counts = [int(count) for count in str(declared(row).published).split("-")]
    first, second = (_behind(name, result) for name in (beside, row))
    if first == second and first in (0, 1):
        sure = f"By exact replay both pairings have this result with probability {first}."
        return Chance(first, sure)
    own, other = map(_told, (first, second))
    why = (
        "Beside it stands no value of ours, but the document's own: two printed counts, judged by "
        f"whether their games could tell them apart. The replay gives this result with {own} in "
        f"the first pairing, with {other} in the second."
    )
    return Count(counts[RESULTS.index(result)], sum(counts), why)


def _behind(row: str, result: str) -> Fraction | Count:
    """What a row knows of a result: its exact chance, or a count of the replay."""
    ours = answer(declared(row))
    if isinstance(ours, Count):
        return ours
    assert isinstance(ours, Chances)
    chance = ours.chances[RESULTS.index(result)]
    assert isinstance(chance, Fraction)
    return chance


def _told(found: Fraction | Count) -> str:
    if isinstance(found, Count):
        return f"a count of {found.count:,} in {found.total:,} games"
    return f"an exact probability of {found} ({float(found):.1%})"


def more_balanced() -> Finding:
    """Whether Ising against itself wins clearly less often as first player on 3x3 than on 3x3x3."""
    square, cube = replay("ising", "ising").win, program("3x3x3", "II", "win")
    low, _ = wilson(cube.count, cube.total)
    text = f"the first player wins {square} on 3x3, {cube.count:,} of {cube.total:,} on 3x3x3"
    return Finding(float(square) < low, text)


# ------------------------------------------------------------------ the 3x3 tables


@cache
@read_only
def contestant(name: str, *, second: bool) -> Agent:
    """A player of the program's arena: ``random``, ``minimax`` or ``ising``, with its own b."""
    bias = SECOND_B if second else FIRST_B
    makers = {
        "random": lambda: random_agent(GRID),
        "minimax": lambda: program_minimax(GRID),
        "ising": lambda: agent(PUBLISHED, GRID, bias),
    }
    return makers[name]()


@cache
def replay(first: str, second: str, b: float | None = None) -> Outcome:
    """Exact chances of the program's 3x3 match as it scores it, from the first player's side."""
    o = contestant(second, second=True) if b is None else agent(PUBLISHED, GRID, b)
    return exact(contestant(first, second=False), o, solve(GRID))


def table(first: str, second: str) -> Chances:
    """The exact chances behind one pairing of the published 3x3 tables."""
    return Chances(tuple(replay(first, second)))


def random_table(printed: str) -> Chances:
    """The same for random against random; told with it is how likely the counts are by true rules.

    Parameters
    ----------
    printed : str
        The published counts, as ``34-41-25``.
    """
    uniform = random_agent(GRID)
    true = exact_match(uniform, uniform, solve(GRID))
    p = significance.test(Chances(tuple(true)), printed, sum(map(int, printed.split("-")))).p_value
    why = (
        "Exact chances of the program as replayed: a line on the last cell is scored as a draw. "
        f"By the rules of the game they are {', '.join(map(str, true))}, with p = {p:.0e}."
    )
    return replace(table("random", "random"), reason=why)


def loss_table(**printed: str) -> Finding:
    """Whether wins, draws and losses in the three published tables add up to 100 games.

    Parameters
    ----------
    printed : str
        By second player, what the tables say about a random first player, as ``34-41-41``.
    """
    sums = {name: sum(map(int, row.split("-"))) for name, row in printed.items()}
    text = ", ".join(f"{name} {games}" for name, games in sums.items())
    return Finding(
        all(games == 100 for games in sums.values()),
        f"wins, draws and losses of a random first player: {text}",
    )


def log_likelihood(chances: Outcome) -> float:
    """Log-likelihood of random play's 10,000 games, given its chances as the first player."""
    second = str(declared("ising-ten-thousand").published).split("-")
    return float(np.array(second[::-1], dtype=float) @ np.log([float(p) for p in chances]))


CLEARLY = 100
"""With counts less than so many times as likely at one b as at another, neither is refuted."""


def second_bias() -> Finding:
    """Which b fits the 10,000-game line better: the b stated, or the program's .8."""
    fits = [log_likelihood(replay("random", "ising", b)) for b in (FIRST_B, SECOND_B)]
    (less, worse), (more, better) = sorted(zip(fits, (FIRST_B, SECOND_B), strict=True))
    times = float(np.exp(more - less))
    often = f"{times / 1e6:.1f} million" if times >= 1e6 else f"{times:,.1f}"
    text = f"b = {better} makes these counts {often} times as likely as b = {worse} does"
    pairing = map(int, str(declared("ising-table-random-ising").published).split("-"))
    chances = (replay("random", "ising", b) for b in (better, worse))
    few = prod(float(p / q) ** count for p, q, count in zip(*chances, pairing, strict=True))
    found = f"{text}; the 100 games of the pairing itself can't tell: {few:.1f} times"
    why = f"{declared('ising-second-b').reason} Below {CLEARLY} times it would be undecided."
    return Finding(None if times < CLEARLY else fits[0] > fits[1], found, why, tested=True)


def against_random(second: str = "ising") -> Chances:
    """The long runs: exact chances of the second player against random play."""
    return Chances(tuple(replay("random", second).reversed()))


def ten_thousand(printed: str) -> Chances:
    """The same of the Ising player; told with it is how likely its counts are at the stated b."""
    stated = Chances(tuple(replay("random", "ising", FIRST_B).reversed()))
    p = significance.test(stated, printed, sum(map(int, printed.split("-")))).p_value
    why = (
        f"Exact chances, as the program scores its games, at b = {SECOND_B}, which its match "
        f"program gives to the second player. With the {FIRST_B} that the document states, p would "
        f"be {p:.0e} (`ising-second-b`).".replace("e-0", "e-")
    )
    return replace(against_random(), reason=why)


def never_wins_always() -> Finding:
    """Whether some opponent beats the second Ising player, at any b."""
    found = curve.worst_pieces(energy_of("published", GRID), -1)
    won = [_winning_openings(slot.weights) for slot, worst in found if worst.worst < 0]
    always = set.intersection(*won) if won else set()
    which = f"an opening in the {' or '.join(sorted(always))}" if always else "no one opening"
    where = "every" if len(won) == len(found) else "not every"
    text = (
        f"it can be beaten at {where} b ({len(won)} of {len(found)} pieces); {which} beats it at "
        "all of these"
    )
    return Finding(len(won) > 0, text)


def _winning_openings(weights: Ints) -> set[str]:
    """First moves after which X can win, if O draws the wrong one among its moves."""
    tree = enumerate_states(GRID)
    allowed = against_all(tree, weights, -1) > 0
    values = least_reached(tree, allowed, -tree.winner.astype(np.int64))
    middles = (GRID.coordinates == 1).sum(axis=1)  # along how many axes a cell is in the middle
    won = np.flatnonzero(values[tree.children[0]] == -1)
    return {("corner", "edge", "centre")[middles[move]] for move in won}


def wins_more() -> Finding:
    """Whether Ising beats random play more often than minimax does, as second player.

    The sentence sums up two matches of second players; the reason tells the first player's wins.
    """
    ours, theirs = replay("random", "ising").loss, replay("random", "minimax").loss
    uniform = exact_match(random_agent(GRID), minimax(GRID), solve(GRID)).loss
    shares = {"Ising": ours, "the program's minimax": theirs, "uniform minimax": uniform}
    text = ", ".join(f"{name} {float(share):.4f}" for name, share in shares.items())
    ising, minimax_first = (replay(name, "random").win for name in ("ising", "minimax"))
    more, stated = (
        "more" if minimax_first > ising else "no more",
        replay("random", "ising", FIRST_B),
    )
    why = (
        "Read as in the games that it sums up: as second player (at the program's b = "
        f"{SECOND_B}; at {FIRST_B} Ising wins {float(stated.loss):.4f}). As first player the "
        f"program's minimax wins {more}, {minimax_first} against {ising}; over both sides Ising "
        f"wins {float(ising + ours) / 2:.4f}, that minimax "
        f"{float(minimax_first + theirs) / 2:.4f}. Perfect play is not aimed at beating weak "
        "players. The program scores a line completed on the last cell as a draw; only the first "
        "player fills that cell, so by true rules the second player wins as often."
    )
    return Finding(ours > max(theirs, uniform), text, why)


def sampling_spread(games: int, points: float) -> Finding:
    """The spread of a second player's share of wins over samples, in percentage points."""
    players = {"Ising": "ising", "minimax": "minimax"}
    outcomes = {who: replay("random", name) for who, name in players.items()}
    spreads = {who: _spread(outcome.loss, games) for who, outcome in outcomes.items()}
    text = ", ".join(f"{spread:.2f} points for {who}" for who, spread in spreads.items())
    lost = ", ".join(
        f"{_spread(outcome.win, games):.2f} points for {who}" for who, outcome in outcomes.items()
    )
    why = (
        "The share of games that a second player wins against random play. Read as a standard "
        f"deviation within a factor of {FACTOR} of the printed points, for both players. (Of the "
        f"games that it loses: {lost}.) Ten times as many games make any spread {10**0.5:.1f} "
        "times smaller, not ten times."
    )
    near = {1 / FACTOR < spread / points < FACTOR for spread in spreads.values()}
    return Finding(agreed(near), f"standard deviation {text}", why)


def _spread(chance: Fraction, games: int) -> float:
    """The standard deviation of the share of a result over games, in percentage points."""
    return float(100 * (chance * (1 - chance) / games) ** 0.5)


def ties_decide(biases: list[float]) -> Finding:
    """Whether Ising is "not deterministic but statistical, meaning it does not always win".

    Taken word by word this holds if as second player it chooses among equal moves and does not win
    all games against random play, while the program's minimax always has a single move.  If
    "meaning" names the cause, it holds if with the luckiest choices it would win all games, with
    the text's energy and with the program's; it doesn't if they would spare at most half of the
    others with either.  The games lost are told, too.
    """
    names = {"the program's player": "published", "the text's player": "equation"}
    lucks = [_luck(what, name, b) for (what, name), b in product(names.items(), biases)]
    little = max(luck.spared for luck in lucks) <= Fraction(1, 2)
    cause = True if min(luck.spared for luck in lucks) == 1 else False if little else None
    words = _single_moves() and all(luck.ties and luck.not_won for luck in lucks)
    text = (
        "not won against random play, by true rules, with the luckiest choices among equal moves, "
        f"instead of random ones: {'; '.join(luck.told for luck in lucks)}; even then some "
        f"opponent beats it in {sum(luck.beaten for luck in lucks)} of {len(lucks)} cases; the "
        f"program's minimax fails to win {1 - float(replay('random', 'minimax').loss):.1%}"
    )
    return Finding(agreed({words, cause}), text)


class _Luck(NamedTuple):
    """What the luckiest choices among equal moves would spare a second player."""

    ties: int
    not_won: Fraction
    spared: Fraction
    beaten: bool
    told: str


def _luck(what: str, name: str, b: float) -> _Luck:
    tree = solve(GRID)
    table = policy_table(players.ising(GRID, b, name), tree)
    other = policy_table(random_agent(GRID), tree)
    usual = exact_values(tree, other, table)[0]
    winning, safe = (
        response_outcome(tree, other, -1, worth, allowed=table > 0)
        for worth in ((1, 0, 0), (1, 1, 0))
    )
    missed, lost = 1 - winning.win, safe.loss
    not_won = usual.draw + usual.win
    told = (
        f"{what} {_instead(f'{float(missed):.1%}', f'{float(not_won):.1%}')} at b = {b} "
        f"(lost: {_instead(str(lost), str(usual.win))})"
    )
    spared = 1 - missed / not_won if not_won else Fraction(1)
    ties = int((((table > 0).sum(axis=1) > 1) & (tree.ply % 2 == 1)).sum())
    return _Luck(ties, not_won, spared, _best_of_ties(tree, table) > 0, told)


def _instead(best: str, usual: str) -> str:
    """A result with the luckiest choices instead of the usual one, or either way."""
    return f"{best} either way" if best == usual else f"{best} instead of {usual}"


def _single_moves() -> bool:
    """Whether the program's minimax has one move in every position."""
    tree = solve(GRID)
    table = policy_table(program_minimax(GRID), tree)
    return bool(((table[~tree.finished] > 0).sum(axis=1) == 1).all())


def _best_of_ties(tree: GameTree, weights: Ints) -> int:
    """The value for X, who plays freely, while O has the best of its moves of positive weight."""
    played = (tree.ply % 2 == 0)[:, None] | (weights > 0)
    return int(replace(tree, children=np.where(played, tree.children, -1)).value[0])


FACTOR = 2
"""By what factor a spread may be off."""
MUCH = 2
"""How many times as many losses without a bias make it crucial."""


def crucial() -> Finding:
    """Whether without the bias the second Ising player loses far more often to random play.

    Without it may mean b = 0, where the other's energy does not count, or b = 1, where it counts in
    full; if these readings disagree, there is no answer.
    """
    chosen, *without = (replay("random", "ising", b) for b in (FIRST_B, 0.0, 1.0))
    losses = ", ".join(
        f"{one.win} at b = {b:g}"
        for one, b in zip((chosen, *without), (FIRST_B, 0, 1), strict=True)
    )
    text = (
        "as second player against random play, as the program scores its games, it loses "
        f"{losses}; it wins {chosen.loss} with the chosen b and {without[1].loss} at b = 1"
    )
    return Finding(agreed({one.win > MUCH * chosen.win for one in without}), text)


def constant_of_full_lines() -> Finding:
    """Whether a constant c in the product over all cells multiplies a full line by c^n.

    By the formula and by the listing.  Told with it is what the formula gives over the other cells,
    and the second player's losses to random play, with c and with c = 1.
    """
    equal: dict[str, int] = {}
    for n in FULL_LINES:
        c, one = _constant(n), _constant(n).root.polynomial([1])
        plain = _ways_to_multiply(n, one)
        for way, weight in _ways_to_multiply(n, c).items():
            equal[way] = equal.get(way, 0) + (weight == plain[way] * one.root.polynomial([n + 1]))
    losses = [_losses(energy_of("equation", GRID).root), _losses(Root(1, Fraction(1)))]
    text = (
        f"{_told_by_way(equal)}; on a line that is not full c decides between moves: as second "
        f"player against random play, by true rules, {losses[0]} lost with it, {losses[1]} with "
        "c = 1"
    )
    return Finding(all(equal[way] == len(FULL_LINES) for way in (LOOP, OVER_ALL)), text)


def _losses(root: Root) -> Fraction:
    """What the text's player loses as second player to random play with another constant c."""
    energy = replace(energy_of("equation", GRID), root=root)
    ising = from_scores("ising", GRID, players.scores(energy, FIRST_B), symmetric=True)
    return exact_match(random_agent(GRID), ising, solve(GRID)).win


def blocked_lines() -> Finding:
    """Walks that the program counts although they contain an opposing stone, over all positions."""
    tree, energy = solve(GRID), program_energy(GRID)
    boards = tree.boards[~tree.finished]
    met = counted = 0
    for side, walk in product((1, -1), energy.walks):
        patterns = (side * boards[:, list(walk)]).tolist()
        blocked = [tuple(pattern) for pattern in patterns if -1 in pattern]
        met += len(blocked)
        counted += sum(energy.term(pattern)[0] != 0 for pattern in blocked)
    text = (
        f"of {met:,} walks with an opposing stone {counted:,} count in the program (on the "
        "unfinished boards of 3x3)"
    )
    return Finding(counted == 0, text)


BRANCHES: dict[str, Callable[[int], tuple[int, int]]] = {
    "type 'D'": lambda stones: (factorial(GRID.n) // factorial(stones), stones),
    "any other letter": lambda stones: (factorial(stones), GRID.n - stones),
}
"""The other branches of `line_energy` on 3x3: what so many stones weigh, as factor and power of c.

Here c^n = n!.  Where type 'A' multiplies by its constant times i, 'D' multiplies by c/i and any
other letter by i/c.  Both are given n! times as large, which changes no move.
"""


def best_adaptation() -> Finding:
    """What the branches of the program's `line_energy` lose to random play on 3x3.

    The document prints type 'A' alone.
    """
    energies = {"type 'A'": program_energy(GRID)} | {name: other_branch(name) for name in BRANCHES}
    curves = {
        name: curve.curve(energy, -1, random_agent(GRID)) for name, energy in energies.items()
    }
    lost = ", ".join(
        f"{name} {float(curve.at(pieces, FIRST_B).outcome.loss):.1%}"
        for name, pieces in curves.items()
    )
    return Finding(
        None,
        "the other adaptations and their results are not in the document; lost as second player on "
        f"3x3 against random play, by true rules, at b = {FIRST_B}, by a best move with each "
        f"branch of the program's `line_energy`: {lost}",
    )


def other_branch(name: str) -> Energy:
    """The program's energy with the weights of another branch of `line_energy`."""
    root, term = root_of(factorial(GRID.n), GRID.n), partial(_branch_term, BRANCHES[name])
    return replace(program_energy(GRID), name=name, root=root, term=term)


def _branch_term(weigh: Callable[[int], tuple[int, int]], pattern: Pattern) -> tuple[int, int]:
    open_, stones = prefix_term(pattern)
    return weigh(stones) if open_ else (0, 0)


# ------------------------------------------------------------------ larger boards


def program(board: str, players: str, result: str) -> Count:
    """The published program's games as it scores them, from the first player's side."""
    row = _program_games(board, players)
    return Count(row[RESULTS.index(result)], sum(row))


def program_match(board: str, players: str) -> Counts:
    """All three results of the program's games, from the first player's side."""
    return Counts([_program_games(board, players)])


def _program_games(board: str, players: str) -> tuple[int, int, int]:
    table = read_table("ising_program_games.csv")
    row = table.query("board == @board and players == @players").iloc[0]
    return int(row["win"]), int(row["draw"]), int(row["loss"])


def random_is_effective() -> Finding:
    """Whether random play is "almost effective" as first player against the program's Ising player.

    That may mean that it wins some games, or half of them, on each board; if these readings
    disagree, there is no answer.
    """
    small = replay("random", "ising").win
    cubes = {size: program(size, "RI", "win") for size in ("3x3x3", "4x4x4")}
    shares = [small, *(Fraction(one.count, one.total) for one in cubes.values())]
    told = ", ".join(f"{one.count:,} of {one.total:,} on {size}" for size, one in cubes.items())
    text = (
        "as first player against the program's Ising player, as the program scores its games, "
        f"random play wins {small} of its games on 3x3, {told}"
    )
    return Finding(agreed({min(shares) > 0, min(shares) >= Fraction(1, 2)}), text)

"""Document 4's energy with diagonals that count less: exact ranges of b, checked by other means."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from ttt_lib import worst
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Agent
from ttt_lib.ising import diagonals
from ttt_lib.ising.energy import ENERGIES, energy_of
from ttt_lib.ising.meaning import steps
from ttt_lib.ising.players import ising

GRID = Grid(3)
TABLE = read_table("ising_diagonals.csv").set_index("diagonal")
SAFE = TABLE.query("energy == 'equation'").dropna(subset="from")
HEAVY = TABLE.query("energy == 'published'").dropna(subset="from")


def player(share: Fraction, b: float, name: str = "equation") -> Agent:
    counts = share.denominator, share.numerator
    return diagonals.player(diagonals.weighted(energy_of(name, GRID), counts), b)


def worst_by_hand(share: float, b: float) -> int:
    """The worst result of O on 3x3, by a search that adds up lines cell by cell, without boards."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    c = 4 ** (1 / 3)
    weigh = [1, c, 2 * c**2, 6 * c**3]
    counts = [1.0] * 6 + [share] * 2

    def worth(mine: frozenset[int], theirs: frozenset[int], cell: int) -> float:
        total = 0.0
        for line, count in zip(lines, counts, strict=True):
            if cell in line:
                own, other = len(mine & set(line)), len(theirs & set(line))
                total += count * (weigh[own + 1] - weigh[own]) * (other == 0)
                total += b * count * (weigh[other + 1] - weigh[other]) * (own == 0)
        return total

    def play(x: frozenset[int], o: frozenset[int]) -> int:
        if any(x >= set(line) for line in lines) or any(o >= set(line) for line in lines):
            return -1 if len(x) > len(o) else 1
        free = set(range(9)) - x - o
        if not free:
            return 0
        if len(x) == len(o):
            return min(play(x | {cell}, o) for cell in free)
        worths = {cell: worth(o, x, cell) for cell in free}
        best = max(worths.values())
        return min(play(x, o | {cell}) for cell in free if worths[cell] >= best - 1e-9 * abs(best))

    return play(frozenset(), frozenset())


@pytest.mark.parametrize("name", ENERGIES)
@pytest.mark.parametrize("b", [0.0, 0.25, 0.647, 1.0])
def test_with_equal_weights_it_is_the_documents_player(name: str, b: float) -> None:
    tree = solve(GRID)
    same = policy_table(player(Fraction(1), b, name), tree) == policy_table(
        ising(GRID, b, name), tree
    )
    assert same.all()


@pytest.mark.parametrize("name", ENERGIES)
def test_symmetric_boards_are_played_alike(name: str) -> None:
    """As it says of itself, where games need not be tried in all eight ways to turn the board."""
    tree, agent, rng = solve(GRID), player(Fraction(1, 2), 0.3, name), np.random.default_rng(0)
    assert agent.symmetric
    boards = tree.boards[tree.legal.any(axis=1)]
    chances = agent.policy(boards, rng)
    for cells in GRID.symmetries:
        assert agent.policy(boards[:, cells], rng) == pytest.approx(chances[:, cells])


@pytest.mark.parametrize(("grid", "row"), [(Grid(3, 3), 6), (Grid(2), 2)])
def test_a_line_along_k_axes_counts_one_kth(grid: Grid, row: int) -> None:
    walks = diagonals.by_distance(grid).walks
    moving = (grid.coordinates[grid.lines[:, 0]] != grid.coordinates[grid.lines[:, 1]]).sum(axis=1)
    for line, axes in zip(grid.lines.tolist(), moving, strict=True):
        assert walks.count(tuple(line)) * axes == row


@pytest.mark.parametrize("share", SAFE.index)
def test_a_search_by_hand_agrees_inside_each_range_at_its_ends_and_outside(share: str) -> None:
    low, high = SAFE.loc[share, ["from", "to"]]
    assert not SAFE.loc[share, ["from_closed", "to_closed"]].any()
    inside = np.linspace(low, high, 5)[1:-1]
    outside = [low / 2, low - 1e-6, high + 1e-6, high]
    value = float(Fraction(share))
    assert [worst_by_hand(value, b) for b in inside] == [0, 0, 0]
    assert [worst_by_hand(value, b) for b in outside] == [-1, -1, -1, -1]
    assert [worst(player(Fraction(share), b), "o").worst for b in inside] == [0, 0, 0]


@pytest.mark.parametrize("share", sorted(set(map(str, diagonals.SHARES)) - set(SAFE.index)))
def test_a_search_by_hand_finds_no_safe_b_where_the_table_has_none(share: str) -> None:
    found = [worst_by_hand(float(Fraction(share)), b) for b in np.linspace(0.01, 1, 40)]
    assert set(found) == {-1}


@pytest.mark.parametrize("share", SAFE.index)
def test_a_range_lies_above_two_formulas_and_below_two_others(share: str) -> None:
    at = {form: float(end) for form, end in diagonals.edges(Fraction(share)).items()}
    low, high = (max(at[f] for f in diagonals.LOWER), min(at[f] for f in diagonals.UPPER))
    assert SAFE.loc[share, ["from", "to"]].tolist() == pytest.approx([low, high], rel=1e-11)
    assert [at[form] for form in SAFE.loc[share, ["from_form", "to_form"]]] == [low, high]


def test_five_conditions_tell_where_a_search_by_hand_loses() -> None:
    """At random pairs, those near an edge and beyond 1 among them."""
    rng = np.random.default_rng(0)
    pairs = rng.uniform((0.05, 0), (1.3, 1.3), (150, 2)).tolist()
    for share in rng.uniform(0.15, 0.85, 40):
        ends = map(float, diagonals.edges(Fraction(share).limit_denominator(10**6)).values())
        pairs += [(share, end + gap) for end in ends for gap in (-1e-3, 1e-3)]
    found = [worst_by_hand(share, b) == 0 for share, b in pairs]
    assert found == [all(diagonals.conditions(share, b)) for share, b in pairs]
    assert 50 < sum(found) < len(found) - 50


@pytest.mark.parametrize("name", ENERGIES)
def test_each_printed_formula_is_the_condition_that_is_computed(name: str) -> None:
    w = dict(zip(("w0", "w1", "w2"), map(float, steps(energy_of(name, GRID))), strict=True))
    conditions = diagonals.CONDITIONS[name]
    texts = [re.sub(r"(?<=[\w)]) (?=[\w(])", "*", one.formula) for one in conditions]
    pairs = np.exp(np.random.default_rng(1).uniform((-3, -3), (2, 5), (300, 2))).tolist()
    found = [[eval(text, {}, {**w, "d": d, "b": b}) for text in texts] for d, b in pairs]
    assert found == [diagonals.conditions(d, b, name) for d, b in pairs]
    assert all({held[number] for held in found} == {False, True} for number in range(len(texts)))


@pytest.mark.parametrize("share", HEAVY.index)
def test_the_programs_ranges_end_where_a_condition_turns(share: str) -> None:
    d, turns = Fraction(share), []
    for k, kd, kb, kdb in diagonals.margins("published").tolist():
        turns += [-(k + kd * float(d)) / slope for slope in [kb + kdb * float(d)] if slope]
    ends = HEAVY.loc[share, ["from", "to"]].tolist()
    assert all(min(abs(end - turn) for turn in turns) < 1e-9 * end for end in ends)
    assert not HEAVY.loc[share, ["from_closed", "to_closed"]].any()
    gaps = [ends[0] * 0.999, ends[0] * 1.001, ends[1] * 0.999, ends[1] * 1.001]
    assert [worst(player(d, b, "published"), "o").worst for b in gaps] == [-1, 0, 0, -1]


def test_a_line_that_counts_nothing_is_left_out() -> None:
    walks = diagonals.weighted(energy_of("equation", GRID), (1, 0)).walks
    assert sorted(walks) == [(0, 1, 2), (0, 3, 6), (1, 4, 7), (2, 5, 8), (3, 4, 5), (6, 7, 8)]
    numpys = (np.int64(1), np.int64(0))
    assert diagonals.weighted(energy_of("equation", GRID), numpys).walks == walks


@pytest.mark.parametrize("counts", [(1,), (1, -1), (1, 1, 5), (1, 0.5), (0, 0), (True, 1)])
def test_counts_that_weigh_nothing_or_too_much_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="counts must be 2 whole numbers"):
        diagonals.weighted(energy_of("equation", GRID), counts)


def test_between_two_shares_the_conditions_leave_some_b() -> None:
    low, high = diagonals.shares_between()
    for share, some in ((low - 1e-3, False), (low + 1e-3, True), (0.5, True), (high - 1e-3, True),
                        (high + 1e-3, False)):  # fmt: skip
        held = [all(diagonals.conditions(share, b)) for b in np.linspace(0.2, 0.3, 1001)]
        assert any(held) is some


OUTSIDE = {
    "equation": ((0.181, 0.23), (0.6, 0.401), (0.5, 0.2045), (0.7, 0.2086), (0.3, 0.3215)),
    "published": ((1.7, 2.0), (2.0, 1.3), (4.45, 20.0), (3.0, 80.0), (0.9, 0.3)),
}
"""For each condition a pair that breaks it alone."""
INSIDE = {"equation": (0.5, 1 / 3), "published": (2.0, 3.0)}


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("name", ENERGIES)
def test_each_condition_has_a_game_that_is_lost_where_it_alone_fails(
    name: str, number: int
) -> None:
    """O's moves are among its best there, and not all of them are inside."""
    held = diagonals.conditions(*OUTSIDE[name][number], name)
    assert held == [one != number for one in range(len(held))]
    assert all(diagonals.conditions(*INSIDE[name], name))
    game = diagonals.CONDITIONS[name][number].game
    boards = [GRID.initial()]
    for cell in game:
        boards.append(GRID.play(boards[-1], np.array([cell])))
    assert GRID.winner(boards[-1])[0] == 1
    for (share, b), best in ((OUTSIDE[name][number], True), (INSIDE[name], False)):
        there = player(Fraction(share).limit_denominator(1000), b, name)
        chances = [
            there.policy(boards[ply], np.random.default_rng(0))[0, game[ply]]
            for ply in range(1, len(game), 2)
        ]
        assert bool(min(chances) > 0) is best


@pytest.mark.parametrize("share", ["1/10", "1/2", "3/4", "9/10"])
def test_the_corner_trap_is_avoided_below_one_minus_the_share(share: str) -> None:
    trap, edge = parse("x...o...x", GRID)[None], 1 - float(Fraction(share))
    for b, cells in ((edge - 1e-6, [1, 3, 5, 7]), (edge + 1e-6, [2, 6])):
        chances = player(Fraction(share), b).policy(trap, np.random.default_rng(0))[0]
        assert np.flatnonzero(chances).tolist() == cells


def test_the_stored_table_has_these_weights_for_both_energies() -> None:
    light = [Fraction(number, 20) for number in range(2, 19)]
    heavy = [Fraction(number, 4) for number in (4, 6, 7, 8, 10, 12, 14, 16, 18, 20)]
    for name in ENERGIES:
        found = TABLE[TABLE.energy == name].index
        assert [Fraction(share) for share in found] == light + heavy

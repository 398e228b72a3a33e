"""What answers a claim of document 4, on other data than the stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import prod
from types import SimpleNamespace as Some

import numpy as np
import pytest
from claim_answers import Parts, Patch, Row, always, answer, checks_of

from ttt_lib.evidence.answers import Chances, Count
from ttt_lib.evidence.claims import declared, judge, load
from ttt_lib.game.board import Grid, line_count, parse
from ttt_lib.game.exact import Outcome, exact_values, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.pairing import pairing
from ttt_lib.game.policy import random_agent
from ttt_lib.game.response import Soundness, response_outcome
from ttt_lib.ising import claims, claims_listings, curve
from ttt_lib.ising.alpha_beta import program_minimax
from ttt_lib.ising.energy import (
    energy_of,
    line_starts,
    program_energy,
    program_starts,
    reading,
    total,
)
from ttt_lib.ising.state_graph import csv_text, last_parents, layers
from ttt_lib.ising.surd import Surd

GRID = Grid(3)


def two_walks_less(n: int, d: int) -> Parts:
    """On one board two walks along lines are missing."""
    return {"line_starts": lambda grid: line_starts(grid)[2 * (grid == Grid(n, d)) :]}


def dense(outside: str) -> Parts:
    """Two cells per line on all boards but some, where there are three."""

    def parse(size: str) -> Some:
        return Some(name=size, cells=3 if size in outside.split() else 2, lines=["one"])

    return {"Grid": Some(parse=parse)}


def as_second(random_ising: int, others: int, larger: tuple[int, int, int]) -> Parts:
    """As second player everyone loses twice; both readings see these games on larger boards."""

    def replay(one: str, other: str) -> Some:
        return Some(loss=random_ising if (one, other) == ("random", "ising") else others, win=2)

    return {"replay": replay, "turns": always(2 * [larger])}


def losses(**share: object) -> Parts:
    """What a random first player loses against each second player."""

    def replay(first: str, second: str, b: float | None = None) -> object:
        return Some(loss=share.get(second), win=Fraction(1, 10))

    return {"replay": replay}


ALL, HALF, NONE = Fraction(1), Fraction(1, 2), Fraction(0)


def luck(published: Fraction, equation: Fraction, **odd: object) -> Parts:
    """What the luckiest choices spare by either energy; by the first there may be other numbers."""
    usual = {"ties": 1, "not_won": Fraction(1, 10), "beaten": False, "told": ""}
    lucks = {"published": Some(**usual | {"spared": published} | odd),
             "equation": Some(**usual, spared=equation)}  # fmt: skip
    return {"_luck": lambda what, name, b: lucks[name]}


def winning(*lines: tuple[int, int]) -> Parts:
    """On a board of four cells with fewer lines a free cell need not win."""

    def wins(grid: Grid, boards: np.ndarray, sides: np.ndarray) -> np.ndarray:
        own = boards == sides[:, None]
        found = np.zeros(boards.shape, dtype=bool)
        for a, b in lines:
            found[:, b] |= own[:, a]
            found[:, a] |= own[:, b]
        return found & (boards == 0)

    return {"winning_cells": wins}


def random_wins(small: Fraction, cube: int, qubic: int) -> Parts:
    """What random play wins on 3x3, and in 100 games each of the program on cubes."""
    won = {"3x3x3": cube, "4x4x4": qubic}
    return {"replay": always(Some(win=small)),
            "program": lambda size, *_: Count(won[size], 100)}  # fmt: skip


def ahead(*more: int) -> Parts:
    """A listing that asks for so many more stones beside all that one of the grids has."""

    def asked(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        kept = ((first == 0) | (second == 0) | (first == second)).all(axis=1)
        return kept & np.isin((second != 0).sum(axis=1) - (first != 0).sum(axis=1), more)

    return {"equivalent": asked}


def second(text: tuple[int, int], program: tuple[int, int]) -> Parts:
    """First the player wins 4 and loses none; second, by energy, so many wins and losses."""
    told = {"equation": text, "published": program}

    def match(x: object, o: object, tree: object) -> Outcome:
        won, lost = told[str(x if x in told else o)]
        return Outcome(4, 0, 0) if x in told else Outcome(lost, 0, won)

    return {"exact_match": match, "random_agent": always("random"),
            "players": Some(ising=lambda grid, b, name: name)}  # fmt: skip


def drawing(weights: list[int], drawn: int, first: int) -> Parts:
    """Two equal moves of such weights, what drawing among them loses, and what the first does."""

    def values(tree: object, x: object, o: np.ndarray) -> list[Outcome]:
        return [Outcome(Fraction(first if (o > 0).sum() == 1 else drawn), 0, 0)]

    return {"policy_table": always(np.array([weights])), "exact_values": values}


def fitting(stated: float) -> Parts:
    """What is lost at the stated b; at the other .8."""
    loss = {claims.FIRST_B: stated, claims.SECOND_B: 0.8}
    return {"replay": lambda one, other, b: (0.01, 0.99 - loss[b], loss[b])}


ENERGIES_GIVEN = {
    "text": energy_of("equation", GRID),
    "program": energy_of("published", GRID),
    "a row missed": replace(
        energy_of("equation", GRID), walks=energy_of("equation", GRID).walks[1:]
    ),
    **{name: claims.other_branch(name) for name in claims.BRANCHES},
    **{name: reading(name, GRID) for name in ("position", "literal")},
}
"""Both energies, and others: by some of them each further stone adds no more, or less."""


VERDICTS: list[Row] = [
    ("a formula that is wrong for one board is no formula", claims.line_formula,
     lambda n, d, more: {"line_count": lambda *b: line_count(*b) + more * (b == (n, d))},
     [(n, d, more, False) for n in (3, 4, 5) for d in (2, 3, 4) for more in (1, -1)]),
    ("one board with fewer walks has another number of lines", claims.line_formula, two_walks_less,
     [(n, d, False) for n in (3, 4, 5) for d in (2, 3, 4)]),
    ("two cells that are no line can keep the second stone from winning", claims.two_cells,
     two_walks_less, [(2, 1, True), *((2, d, False) for d in range(2, 7))]),
    ("cells per line are one or two on most boards however few are meant", claims.cells_per_line,
     dense,
     [("", True), ("3x3 4x4 3x3x3 6x6", False), ("4x4 5x5", None), ("3x3x3 4x4x4 5x5x5", None),
      ("5x5x5x5 6x6 5x5", True), ("5x5x5x5 6x6 5x5 4x4x4", None),
      ("3x3 4x4 3x3x3 4x4x4", False)]),
    ("advantages are cumulative if on every cell two stones on one line are worth more",
     claims.cumulative,
     lambda text, program: {"energy_of": lambda name, grid: ENERGIES_GIVEN[
         {"equation": text, "published": program}[name]]},
     [("text", "program", True), ("position", "any other letter", True),
      ("text", "type 'D'", None), ("literal", "program", None), ("literal", "type 'D'", False),
      ("text", "a row missed", None), ("a row missed", "a row missed", False)]),
    ("a win test recognises all lines of every board", claims.win_test,
     lambda more: {"recognised_lines": lambda g: len(g.lines) + more * (g.name == "4x4")},
     [(0, True), (1, False), (-1, False)]),
    ("a board without a pairing leaves the draw open", claims.both_can_draw,
     lambda size: {"pairing": lambda grid: None if grid.n == size else pairing(grid)},
     [(size, False) for size in (5, 6, 7, 8)]),
    ("a proof must be there and pass", claims.centre_proof,
     lambda there: {"centre_wins": always(Some(positions=7) if there else None),
                    "check_proof": always(False)},
     [(True, False), (False, False)]),
    # The program, whose factor is another one, has a second loop for positions without a move.
    ("one position without a move is enough in the listing, a worse move in the program",
     claims.condition,
     lambda bias, worse: {"fallen": lambda b, factor: int(factor == claims.WHOLE or b == bias),
                          "perhaps_worse": lambda b: int(b == worse)},
     [(0.8, 0.1, False), (0.0, 0.0, False), (0.7, 0.7, True), (0.8, 0.7, None),
      (0.7, 0.05, None)]),
    ("one position without a move, or with a worse one, is enough", claims.fallback,
     lambda bias, worse: {"fallen": lambda b, factor: int(factor == claims.WHOLE or b == bias),
                          "perhaps_worse": lambda b: int(b == worse)},
     [(0.8, 0.1, False), (0.0, 0.0, False), (0.7, 0.7, True), (0.8, 0.7, None),
      (0.7, 0.05, None)]),
    ("one board with other ends breaks the congruence", claims.limit_congruence,
     lambda *board: {"_congruent": lambda grid: (grid.n, grid.d) != board},
     [(3, 1, False), (4, 2, False), (5, 3, False), (3, 4, False)]),
    ("overlooked is one step alone", claims.overlooked,
     lambda *lines: {"GRID": Some(coordinates=GRID.coordinates, lines=np.array(lines))},
     [([0, 1, 2], False), ([2, 4, 6], [6, 4, 2], False)]),
    ("perfect never loses on either side", claims.minimax_perfect,
     lambda *found: {"soundness": always(Soundness(*found))},
     [(0, 0, 0, True), (1, 1, 0, True), (-1, 0, 0, False), (0, -1, 0, False), (0, 0, 1, False)]),
    ("first is better if nowhere worse and somewhere better", claims.first_better, as_second,
     [(1, 2, (20, 0, 20), True), (2, 1, (20, 0, 20), True), (2, 2, (0, 0, 20), False),
      (3, 1, (0, 0, 20), False)]),
    ("more balanced is beyond sampling error", claims.more_balanced,
     lambda square, wins: {"replay": always(Some(win=square)),
                           "program": always(Count(wins, 100))},
     [(0.5, 100, True), (0.5, 59, False), (0.5, 40, False)]),
    # Word by word it holds; so it is open unless the luckiest choices would win all games.
    ("a statistical player is judged word by word and by what chance costs",
     partial(claims.ties_decide, [0.5]), luck,
     [(ALL, ALL, True), (NONE, NONE, None), (HALF, HALF, None), (ALL, NONE, None),
      (Fraction(2, 3), HALF, None)]),
    # Nor unlike minimax, if that draws, too.  Chance costs nothing here.
    ("a player that never draws or always wins is not statistical",
     partial(claims.ties_decide, [0.5]),
     lambda odd, single: {**luck(NONE, NONE, **odd), "_single_moves": always(single)},
     [({}, True, None), ({}, False, False), ({"ties": 0}, True, False),
      ({"not_won": NONE}, True, False)]),
    ("a product as the words have it is as told", claims_listings.product_as_told,
     lambda: {"product": claims_listings.meant}, [(True,)]),
    ("one minus among the directions is enough", claims_listings.components,
     lambda *steps: {"directions": always([*steps])},
     [((0, 1), (1, 0), (1, 1), True), ((0, 1), (1, -1), False), ((0, -1), False)]),
    ("two winning cells are all that is free", claims.two_winning_cells, winning,
     [((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), True),
      ((0, 1), (0, 2), (1, 3), (2, 3), False), ((0, 3), (1, 2), False)]),
    ("a third free cell is one too many", claims.two_winning_cells,
     lambda: {"solve": always(solve(GRID)),
              "winning_cells": lambda grid, boards, sides: boards == 0},
     [(False,)]),
    ("random play is effective if it wins some games or half of them",
     claims.random_is_effective, random_wins,
     [(HALF, 50, 50, True), (Fraction(1, 9), 50, 50, None), (HALF, 1, 50, None),
      (NONE, 50, 50, False), (HALF, 50, 0, False)]),
    ("a sentence that reads the expression as it is printed is right", claims_listings.first_scores,
     lambda told: {"TOLD": told},
     [({"PLAYER_MARKER": 100_000, "AI_MARKER": -100_000}, True),
      ({"PLAYER_MARKER": 100_000, "AI_MARKER": 100_000}, False)]),
    ("a row that ends on another board than 3x3 has other cells", claims_listings.rows_are_states,
     lambda last, *sizes: {"LAST": last, "FILES": [Grid.parse(size) for size in sizes]},
     [(8, "3x3", True), (8, "3x3", "4x4", False), (8, "2x2x2", False), (7, "2x2x2", True),
      (3, "4x4", False)]),
    ("one cell that keeps a direction too many or too few is enough", claims_listings.hair_is_cut,
     lambda grid, cell, change: {"cut": lambda on, at, cut=claims_listings.cut: change(cut(on, at))
                                 if (on.name, at) == (grid, cell) else cut(on, at)},
     [("5x5", 7, set, True), ("5x5", 7, lambda kept: {*kept, (0, 0)}, False),
      ("4x4x4", 63, lambda kept: kept - {min(kept)}, False)]),
    ("walks are the lines if they leave out none and add none", claims_listings.segments_are_found,
     lambda *odd: {"inward": lambda grid, place, step: (grid.n, *step) not in odd
                   and (grid.n, *(-s for s in step)) not in odd},
     [(True,), ((6, 1, 1), False), ((3, 0, 0, 1), False), ((3, 1, 2), True)]),
    ("3x3 is no win of the first player if it is a draw or lost", claims.classic_is_no_win,
     lambda value: {"solve": always(Some(value=[value]))}, [(0, True), (-1, True), (1, False)]),
    ("second is worse off if it wins less and loses more with both energies",
     claims.second_is_worse_off, second,
     [((3, 1), (3, 1), True), ((5, 1), (3, 1), None), ((3, 0), (3, 0), False),
      ((4, 1), (4, 1), False)]),
    ("an even draw among equals is read if the first of them would do otherwise",
     claims.chance_among_equals, drawing,
     [([1, 1], 4, 5, ("a random choice", True)), ([1, 2], 4, 5, ("an uneven choice", True)),
      ([1, 1], 4, 4, ("a random choice", False))]),
    ("an evolution is one move ahead", claims_listings.evolution_found, ahead,
     [(1, True), (0, False), (2, False), (0, 1, False), (-1, 1, False)]),
    ("the stated bias fits if it makes the counts much likelier", claims.second_bias, fitting,
     [(0.8577, (True, True)), (0.8, (None, True)), (0.7, (False, True))]),
    ("more wins than either minimax", claims.wins_more,
     lambda theirs, uniform: {**losses(ising=0.5, minimax=theirs),
                              "exact_match": always(Some(loss=uniform))},
     [(0.4, 0.4, True), (0.5, 0.4, False), (0.4, 0.5, False), (0.6, 0.6, False)]),
    *(("a spread must be that of either player", partial(claims.sampling_spread, 100, points),
       lambda: losses(ising=0.5, minimax=0.99), [(holds,)])
      for points, holds in ((5, None), (1.5, None), (0.1, False))),
]  # fmt: skip
"""In each row a sentence, what answers, what it is given, and in each case the answer."""


test_the_answer_follows_what_is_given = checks_of(VERDICTS)


def test_most_linked_grids_have_several_predecessors() -> None:
    """Those that come from taking back a stone of the last player, unless a line was full then."""
    tree, single, linked = solve(Grid(3)), 0, 0
    for board in tree.boards[tree.ply > 1]:
        last = 1 if board.sum() == 1 else -1
        before = np.repeat(board[None], (board == last).sum(), axis=0)
        before[np.arange(len(before)), np.flatnonzero(board == last)] = 0
        full = (abs(before[:, Grid(3).lines].sum(axis=2)) == 3).any(axis=1)
        single, linked = single + int((~full).sum() == 1), linked + 1
    told = f"; {single} of the {linked:,} grids that get a link have a single predecessor"
    assert claims_listings.evolution_found().found.endswith(told)
    assert single < linked / 2, "mostly one of several"


# ---------------------------------------------------------------------------- boards and lines


@pytest.mark.parametrize(
    ("name", "whose", "ends"),
    [("equation", "text", ((1, 0, 2), (4, 0, 8), (1, 0, 4), (4, 0, 1))),
     ("published", "program", ((0, 1, 2), (4, 0, 8), (0, 2, 6), (4, 0, 1)))],
)  # fmt: skip
def test_each_energy_has_its_own_gains(
    name: str, whose: str, ends: Sequence[tuple[int, ...]]
) -> None:
    """By the energies of whole boards.  Of two corners the program sees nothing from the third."""
    energy = energy_of(name, GRID)

    def worth(*stones: int) -> Surd:
        return total(energy, [int(cell in stones) for cell in range(GRID.cells)], 1)

    gained = [float(worth(cell, *stones) - worth(*stones)) for cell, *stones in ends]
    told = "{:.2f} to {:.2f} against {:.2f} to {:.2f}".format(*gained)
    assert f"{told} with the energy of the {whose}" in claims.cumulative().found
    unseen = worth(0, 2, 6) - worth(2, 6) == worth(0) - worth()
    assert unseen is (name == "published")


def test_the_document_leaves_the_boards_open() -> None:
    found = claims.cells_per_line()
    assert found.holds is None
    assert "3 of the 8 boards that the document plays, 2 of the 3 squares" in found.found


def loop(monkeypatch: Patch, size: int, more: int) -> None:
    """A listing that sees another number of stones on full lines of one size."""
    printed = claims.printed_energy
    monkeypatch.setattr(
        claims, "printed_energy", lambda flag, unit: printed(flag + more * (flag == size), unit)
    )


@pytest.mark.parametrize("size", [3, 4, 5, 6])
@pytest.mark.parametrize("more", [-1, 1])
def test_a_full_line_of_another_weight_is_noticed(monkeypatch: Patch, size: int, more: int) -> None:
    assert claims.full_line().holds is None, "listing and formula disagree"
    loop(monkeypatch, size, more)
    found = claims.full_line()
    assert found.holds is False
    assert found.found.startswith("equal for 3 of 4 by the printed loop")


@pytest.mark.parametrize(
    ("x", "o", "told"), [(1, -1, "a win as first player, a loss"), (0, 1, "a draw as first")]
)
def test_what_minimax_reaches_at_worst_is_told(
    monkeypatch: Patch, x: int, o: int, told: str
) -> None:
    monkeypatch.setattr(claims, "soundness", lambda tree, table: Soundness(x, o, 0))
    assert f"at worst {told}" in claims.minimax_perfect().found


@pytest.mark.parametrize("way", range(3))
def test_the_formula_must_give_what_the_listing_gives(monkeypatch: Patch, way: int) -> None:
    ways, right = claims._ways_to_multiply(3, claims._constant(3)), claims.printed_energy
    alike = dict.fromkeys(ways, right)
    monkeypatch.setattr(
        claims,
        "_ways_to_multiply",
        lambda n, unit: {one: multiply(n, unit) for one, multiply in alike.items()},
    )
    assert claims.full_line().holds is True
    alike[list(ways)[way]] = claims.defined_energy
    assert claims.full_line().holds is None


def test_a_loop_that_began_with_two_as_the_definition_does_would_refute(
    monkeypatch: Patch,
) -> None:
    monkeypatch.setattr(claims, "printed_energy", claims.defined_energy)
    assert claims.full_line().holds is False
    assert claims.constant_of_full_lines().holds
    monkeypatch.setattr(
        claims, "printed_energy", lambda flag, unit: claims.defined_energy(flag - 1, unit)
    )
    assert claims.full_line().holds is False
    assert not claims.constant_of_full_lines().holds


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_energies_weigh_stones_as_the_printed_loop_does(n: int) -> None:
    energy = energy_of("equation", Grid(n))
    for flag in range(n + 1):
        coefficient, power = energy.term((1,) * flag + (0,) * (n - flag))
        ours = energy.root.polynomial([0] * power + [coefficient])
        assert claims.printed_energy(flag, energy.root.polynomial([0, 1])) == ours


def test_four_by_four_has_no_pairing() -> None:
    assert [claims.pairing(Grid(n)) is not None for n in (3, 4, 5)] == [False, False, True]


def test_a_sum_of_a_half_leaves_the_draw_open(monkeypatch: Patch) -> None:
    assert claims.both_can_draw().holds
    monkeypatch.setattr(
        claims, "Fraction", lambda a, b: Fraction(4 * a if b == 32 else 3 * a, 3 * b)
    )
    assert not claims.both_can_draw().holds, "3/8 made 1/2"


@pytest.mark.parametrize("right", [1000, 37_448])
def test_the_last_index_must_be_right_on_every_board(monkeypatch: Patch, right: int) -> None:
    """Sums are right up to so many: only that of n = 8 and h = 6 exceeds 37,448."""

    def off(parts: Iterable[int]) -> int:
        found = sum(parts)
        return found + (found > right)

    assert claims.last_index().holds
    monkeypatch.setattr(claims, "sum", off, raising=False)
    assert not claims.last_index().holds


@pytest.mark.parametrize(
    ("cube", "tesseract", "pairs", "holds"),
    [(True, True, True, None), (True, False, True, None), (True, True, False, None),
     (True, False, False, True), (False, True, True, False), (False, False, False, False)],
)  # fmt: skip
def test_only_two_boards_are_won_if_no_other_is(
    monkeypatch: Patch, cube: bool, tesseract: bool, pairs: bool, holds: bool | None
) -> None:
    won = {"3x3x3": (cube, 7), "3x3x3x3": (tesseract, 8)}
    monkeypatch.setattr(claims, "_proved", lambda grid: won[grid.name])
    monkeypatch.setattr(claims, "_joined", lambda: 5 * [pairs])
    found = claims.only_two()
    assert found.holds is holds
    assert ("2x2, 2x2x2, 2x2x2x2, 2x2x2x2x2, 2x2x2x2x2x2" in found.found) is pairs
    assert ("3x3x3x3 (8 positions" in found.found) is tesseract


def test_the_fourth_dimension_is_won_as_the_third_and_4x4x4_is_not() -> None:
    assert claims._proved(Grid(3, 4))[0]
    assert not claims._proved(Grid(3))[0]


def test_a_single_empty_cell_is_no_choice(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "stuck", lambda grid, boards, *_: np.ones(len(boards), dtype=bool))
    tree = solve(GRID)
    assert claims.fallen(0.0, 0.8) == (tree.ply[~tree.finished] < 8).sum()


def test_positions_without_a_move_and_worse_moves_are_told() -> None:
    found = claims.condition()
    assert found.found.endswith(
        "56 at b = 0, 8 at b = 0.01, 4 at b = 0.05, 0 at b = 0.1, 0 at b = 0.647, 0 at b = 0.8"
    )
    assert (
        "without a move, 116 at b = 0, 20 at b = 0.01, 16 at b = 0.05, 16 at b = 0.1"
        in found.reason
    )
    assert found.reason.endswith("in 32 (at b = 0) and 8 (at b = 0.1) of these positions.")


def test_the_moves_drawn_where_every_move_raises_the_energy_are_told() -> None:
    found = claims.fallback()
    assert "list in 56 at b = 0, 8 at b = 0.01 and 4 at b = 0.05; the author's" in found.found
    assert "best in 32 at b = 0, 8 at b = 0.01, 8 at b = 0.05 and 8 at b = 0.1" in found.found
    assert "without a move at b = 0.647 and 0.8, the values" in found.reason
    assert found.reason.endswith("has none at b = 0, 0.01, 0.05, 0.1, 0.647 and 0.8.")
    board = parse(claims.CROWDED, Grid(5))
    assert (board == 0).sum() == 2
    assert Grid(5).to_move(board[None]) == -1


def test_ten_thousand_games_fit_the_programs_b_and_not_the_stated_one() -> None:
    found = claims.ten_thousand("8577-1381-42")
    assert found.chances == claims.against_random().chances
    assert "at b = 0.8" in found.reason
    assert "With the 0.647 that the document states, p would be 8e-9 (" in found.reason


def second_loop(worths: Sequence[float]) -> set[int]:
    """Cells among which the author's second loop draws, by what a move to each empty cell adds."""
    most, kept = -np.inf, list[int]()
    value = -np.inf
    for cell, worth in enumerate(worths):
        if worth == -np.inf:
            continue
        most = max(most, worth)
        if kept and value == most:
            kept.append(cell)
        else:
            value, kept = most, [cell]
    return set(kept)


@pytest.mark.parametrize("bias", [0.0, 0.01, 0.1])
def test_worse_moves_are_those_that_the_second_loop_keeps(bias: float) -> None:
    """A best move clears the list, a worse one after it joins it."""
    boards = claims._caught(bias, claims.WHOLE)
    worse = 0
    for row in claims.players.scores(claims.program_energy(GRID), bias)(boards).round(9):
        worse += any(row[cell] < row.max() for cell in second_loop(row.tolist()))
    assert claims.perhaps_worse(bias) == worse > 0


def test_ends_of_both_axes() -> None:
    assert claims.limit_numbers(0).value == "0 2 3 5 6 8"
    assert claims.limit_numbers(1).value == "0 1 2 6 7 8"
    assert [claims.limit_axes(cell).value for cell in (0, 4, 13)] == ["0 1 2", "2", ""]


def test_cells_in_another_order_break_the_congruence(monkeypatch: Patch) -> None:
    """On cubes the cells are numbered with the middle coordinate last."""

    def numbered(n: int, d: int) -> Some:
        order = [0, 2, 1] if d == 3 else slice(None)
        return Some(n=n, d=d, cells=n**d, coordinates=Grid(n, d).coordinates[:, order])

    monkeypatch.setattr(claims, "Grid", numbered)
    assert claims.limit_congruence().found.startswith("9 of 12")


# ---------------------------------------------------------------------------- the 3x3 tables


@pytest.mark.parametrize(
    ("same", "own", "worse"),
    [((20, 0, 20), (20, 0, 20), False), ((0, 9, 20), (0, 9, 20), True),
     ((0, 9, 20), (20, 0, 20), False), ((20, 0, 20), (0, 9, 20), False),
     ((20, 0, 0), (20, 0, 0), False), ((9, 0, 11), (9, 0, 11), False)],
)  # fmt: skip
@pytest.mark.parametrize("size", claims.LARGER)
def test_all_cases_are_pairings_or_boards(
    monkeypatch: Patch, size: str, same: Sequence[int], own: Sequence[int], worse: bool
) -> None:
    """On 3x3 the first player is better off; on one larger board it may not be."""
    monkeypatch.setattr(
        claims, "turns", lambda board: [same, own] if board == size else 2 * [(20, 0, 20)]
    )
    found = claims.first_better()
    assert found.holds is (None if worse else True)
    games = f"{claims.TURNS:,} with one b for both, 0 and 20 if"
    told = f"worse off on 1: {size} wins 0 and loses 20 of {games}"
    assert (told in found.found) is worse
    assert found.found.endswith("worse off on 0") is not worse


def test_the_second_player_of_5x5_is_the_better_off() -> None:
    assert [claims._is_worse(games) for games in claims.turns("5x5")] == [True, True]
    assert [claims._is_worse(games) for games in claims.turns("3x3x3")] == [False, False]


@pytest.mark.parametrize(("result", "count"), [("win", 0), ("draw", 16), ("loss", 84)])
def test_a_printed_count_is_that_of_the_row(result: str, count: int) -> None:
    found = claims.printed("ising-table-random-minimax", result, "ising-table-random-ising")
    assert (found.count, found.total) == (count, 100)


@pytest.mark.parametrize(
    ("row", "counts"),
    [
        ("ising-overlapping", (68, 69, 95, 96)),
        ("ising-qubic-comparable", (386, 387, 651, 652)),
    ],
)
def test_counts_far_from_another_printed_one_differ(row: str, counts: tuple[int, ...]) -> None:
    claim = declared(row)
    found = [
        judge([replace(claim, published=count, quote=str(count))])[0].verdict == "differs"
        for count in counts
    ]
    assert found == [True, False, False, True]


@pytest.mark.parametrize(
    ("wins", "differ"), [(100, False), (99, False), (97, False), (90, True), (50, True)]
)
def test_as_many_wins_as_minimax_is_within_what_a_hundred_games_tell(
    wins: int, differ: bool
) -> None:
    claim = replace(declared("ising-same-results"), published=wins, quote=str(wins))
    assert (judge([claim])[0].verdict == "differs") is differ


@pytest.mark.parametrize(("draws", "verdict"), [(100, "reproduced"), (99, "differs")])
def test_as_many_draws_as_with_minimax_are_sure_by_exact_replay(draws: int, verdict: str) -> None:
    claim = replace(declared("ising-identical-results"), published=draws, quote=str(draws))
    [row] = judge([claim])
    assert row.verdict == verdict
    assert row.reason.startswith("By exact replay both pairings have this result with probability")


@pytest.mark.parametrize("other", [Fraction(1, 2), Fraction(0), Count(100, 100)])
def test_only_two_sure_results_need_no_test(monkeypatch: Patch, other: Fraction | Count) -> None:
    monkeypatch.setattr(
        claims, "_behind", lambda row, _: other if row.endswith("minimax-ising") else Fraction(1)
    )
    rows = "ising-table-minimax-minimax", "ising-table-minimax-ising"
    assert isinstance(claims.printed(rows[0], "draw", rows[1]), Count)


BESIDE = ("ising-same-results", "ising-overlapping", "ising-qubic-comparable")


@pytest.mark.parametrize("name", BESIDE)
def test_counts_beside_each_other_name_their_rule_and_what_stands_behind(name: str) -> None:
    """One rule for all three; the chances are those of the rows that print the counts."""
    claim = declared(name)
    assert claim.ours == "ttt_lib.ising.claims:printed"
    match = [int(count) for count in str(declared(claim.args["beside"]).published).split("-")]
    assert claim.published == match[claims.RESULTS.index(claim.args["result"]) % len(match)]
    reason = judge([claim])[0].reason
    assert "two printed counts, judged by whether their games could tell them apart" in reason


def test_what_stands_behind_a_count_is_told(monkeypatch: Patch) -> None:
    found = {
        "ising-qubic-self": Count(4000, 5000),
        "ising-table-ising-ising": Chances((Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))),
    }
    monkeypatch.setattr(claims, "answer", lambda claim: found[claim.id])
    told = claims.printed("ising-table-ising-ising", "draw", "ising-qubic-self")
    assert (told.count, told.total) == (48, 100)
    assert told.reason.endswith(
        "The replay gives this result with a count of 4,000 in 5,000 games in the first pairing, "
        "with an exact probability of 1/2 (50.0%) in the second."
    )


FREE = (solve(GRID).children >= 0).astype(np.int64)
"""All moves, each as likely as the others."""


def test_minimax_has_a_single_move_unless_it_draws(monkeypatch: Patch) -> None:
    assert claims._single_moves()
    monkeypatch.setattr(claims, "program_minimax", random_agent)
    assert not claims._single_moves()


def test_luck_spares_what_the_luckiest_choices_win() -> None:
    told = claims._luck("it", "published", 0.647)
    assert told.spared == 1 - Fraction(111, 945) / Fraction(118, 945)
    assert told.ties > 0 < told.not_won < 1
    assert told.beaten


def test_ties_are_positions_of_the_second_player_with_a_choice(monkeypatch: Patch) -> None:
    """None for minimax; for random play all but those with a single empty cell, which are X's."""
    tree = solve(GRID)
    second = int((~tree.finished & (tree.ply % 2 == 1)).sum())
    for agent, ties in ((program_minimax, 0), (random_agent, second)):
        monkeypatch.setattr(claims.players, "ising", lambda grid, b, name, agent=agent: agent(grid))
        assert claims._luck("it", "published", 0.647).ties == ties


def luckiest(weights: np.ndarray, *worth: int) -> Outcome:
    """Of O against random play if it chooses well among its moves of positive weight."""
    return response_outcome(solve(GRID), FREE, -1, worth, allowed=weights > 0)


def test_a_player_without_a_choice_is_as_lucky_as_ever() -> None:
    """The first free cell alone; all moves hold a draw, so the luckiest lose nothing."""
    tree, other = solve(GRID), FREE
    first = FREE * (FREE.cumsum(axis=1) == 1)
    assert luckiest(first, 1, 1, 0).loss == exact_values(tree, other, first)[0].win > 0
    assert luckiest(FREE, 1, 1, 0).loss == 0
    usual = exact_values(tree, other, first)[0]
    assert luckiest(first, 1, 0, 0).win == usual.loss > 0
    assert [claims._best_of_ties(tree, weights) for weights in (FREE, first)] == [0, 1]


def test_the_luckiest_choices_are_the_best_of_all_ways_to_choose() -> None:
    """Of all tables with one of O's first choices fixed, the best loses as the luckiest do."""
    tree = solve(GRID)
    ends = FREE * (FREE[:, ::-1].cumsum(axis=1)[:, ::-1] == 1)  # the last free cell
    tied = ends.copy()
    replies = tree.children[0][tree.children[0] >= 0]
    tied[replies] = FREE[replies]
    losses = []
    for state in replies:
        chances = []
        for move in np.flatnonzero(tied[state]):
            one = ends.copy()
            one[state] = np.arange(GRID.cells) == move
            chances.append(exact_values(tree, FREE, one)[int(state)].win)
        losses.append(min(chances))
    assert luckiest(tied, 1, 1, 0).loss == sum(losses, start=Fraction(0)) / len(losses)


@pytest.mark.parametrize(
    ("nothing", "full", "holds"),
    [(9, 9, True), (9, 8, None), (8, 9, None), (8, 8, False), (3, 2, False)],
)
def test_a_bias_is_crucial_if_without_it_more_than_twice_as_much_is_lost(
    monkeypatch: Patch, nothing: int, full: int, holds: bool | None
) -> None:
    """The chosen b loses 4; without it is at b = 0, or at b = 1."""
    loss = {claims.FIRST_B: 4, 0.0: nothing, 1.0: full}
    monkeypatch.setattr(claims, "replay", lambda *match: Some(win=loss[match[2]], loss=7))
    found = claims.crucial()
    assert found.holds is holds
    assert "as the program scores its games, it loses" in found.found
    assert f"loses 4 at b = 0.647, {nothing} at b = 0, {full} at b = 1; it wins 7" in found.found


@pytest.mark.parametrize("size", [3, 4, 5, 6])
@pytest.mark.parametrize("more", [-1, 1])
def test_a_constant_multiplies_a_full_line_by_its_nth_power(
    monkeypatch: Patch, size: int, more: int
) -> None:
    monkeypatch.setattr(claims, "_losses", lambda root: Fraction(1))
    assert claims.constant_of_full_lines().holds
    loop(monkeypatch, size, more)
    found = claims.constant_of_full_lines()
    assert not found.holds
    assert found.found.startswith("equal for 3 of 4 by the printed loop")


@pytest.mark.parametrize("cells", [-1, 1])
def test_a_constant_needs_the_formula_over_all_cells_too(monkeypatch: Patch, cells: int) -> None:
    monkeypatch.setattr(claims, "_losses", lambda root: Fraction(1))
    defined = claims.defined_energy
    monkeypatch.setattr(claims, "defined_energy", lambda n, unit: defined(n + cells, unit))
    assert claims.constant_of_full_lines().holds is False


def test_losses_are_told_with_the_constant_and_without() -> None:
    found = claims.constant_of_full_lines().found
    assert found.endswith("4/945 lost with it, 1/45 with c = 1")


def test_the_equation_counts_no_blocked_line(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "program_energy", lambda grid: energy_of("equation", grid))
    found = claims.blocked_lines()
    assert found.holds
    assert found.found.startswith("of 50,632 walks with an opposing stone 0 count")


def test_one_blocked_line_that_counts_is_enough(monkeypatch: Patch) -> None:
    counts = iter([1])
    energy = Some(walks=energy_of("equation", GRID).walks, term=lambda _: (next(counts, 0), 0))
    monkeypatch.setattr(claims, "program_energy", lambda grid: energy)
    found = claims.blocked_lines()
    assert not found.holds
    assert found.found.startswith("of 50,632 walks with an opposing stone 1 count")


# ---------------------------------------------------------------------------- formula, listings


@pytest.mark.parametrize("wrong", [(0, 1), (2, 2), (2, 0)])
def test_one_wrong_product_is_enough(monkeypatch: Patch, wrong: tuple[int, int]) -> None:
    def other(i: int, j: int) -> Counter[str]:
        return Counter(s9=1) if (i, j) == wrong else claims_listings.meant(i, j)

    monkeypatch.setattr(claims_listings, "product", other)
    found = claims_listings.product_as_told()
    equal = wrong[0] == wrong[1]  # its square is 1 all the same
    assert found.holds is (None if equal else False)
    assert found.found.startswith("8 of 9")
    assert f"; {9 if equal else 8} with s_i^2 = 1, which is" in found.found
    assert found.found.endswith(f"contradicts for {int(equal)} of 3 states")


def test_the_formula_as_printed() -> None:
    """With spins s of both states unless the first cell is empty, and 1 for two equal stones."""
    told = {
        (i, j): " ".join(sorted(claims_listings.product(i, j).elements()))
        for i in range(3)
        for j in range(3)
    }
    assert told == {
        (0, 0): "1 s0 s0", (0, 1): "s0 s1", (0, 2): "s0 s2",
        (1, 0): "s0 s1", (1, 1): "1 s1 s1", (1, 2): "s1 s2",
        (2, 0): "", (2, 1): "", (2, 2): "",
    }  # fmt: skip


def test_the_words_of_the_text_about_products() -> None:
    told = [dict(claims_listings.meant(i, j)) for i, j in ((0, 1), (1, 1), (2, 2), (0, 2), (2, 1))]
    assert told == [{}, {"1": 1}, {"1": 1}, {"s0": 1}, {"s1": 1}]


def test_a_direction_that_no_cell_keeps_is_not_turned_into_a_number(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims_listings, "inward", lambda grid, place, step: min(step) >= 0)
    found = claims_listings.components()
    assert found.holds
    assert found.found.startswith("0, 1: 0 of 27")


@pytest.mark.parametrize("size", ["3x3", "4x4", "5x5", "6x6", "3x3x3", "4x4x4", "5x5x5"])
def test_an_energy_misses_a_line_if_it_does_on_any_board(monkeypatch: Patch, size: str) -> None:
    def walked(grid: Grid, *, stepping: bool) -> Some:
        rows = [tuple(line) for line in grid.lines.tolist()]
        return Some(walks=[*rows[grid.name == size :], rows[-1][::-1]])

    assert claims_listings.lines_of_the_energy().holds is None
    monkeypatch.setattr(claims_listings, "program_energy", walked)
    assert claims_listings.lines_of_the_energy().holds is None
    size = "none"
    assert claims_listings.lines_of_the_energy().holds


def test_what_is_no_computation_of_ours_is_not_judged() -> None:
    claim = declared("ising-ising-1925")
    row = judge([claim])[0]
    assert (row.verdict, row.ours) == ("not testable", claim.args["found"])


def test_the_adaptations_stay_open_beside_what_the_branches_lose() -> None:
    row = judge([declared("ising-best-adaptation")])[0]
    assert row.verdict == "not testable"
    assert row.ours.endswith("type 'A' 0.6%, type 'D' 50.8%, any other letter 36.9%")


@pytest.mark.parametrize(
    ("name", "factor"),
    [("type 'D'", lambda c, i: c / i), ("any other letter", lambda c, i: i / c)],
)
def test_the_other_branches_multiply_stone_by_stone(
    name: str, factor: Callable[[float, int], float]
) -> None:
    """All weights are six times as large; an opposing stone or a gap counts as in type 'A'."""
    energy = claims.other_branch(name)
    c = float(energy.root.polynomial([0, 1]))
    assert c**3 == pytest.approx(6)
    for stones in range(4):
        coefficient, power = energy.term((1,) * stones + (0,) * (3 - stones))
        weight = prod(factor(c, i) for i in range(1, stones + 1))
        assert coefficient * c**power == pytest.approx(6 * weight)
    assert energy.term((1, 1, -1)) == (0, 0)
    assert energy.term((1, 0, -1)) == energy.term((1, 0, 0))
    assert energy.walks == program_energy(GRID).walks


def test_states_lose_their_successors_by_place_alone() -> None:
    found = claims_listings.successors_kept()
    assert found.holds is None
    assert "of 4,520 states of 3x3 that are not terminal, 0 have no grid" in found.found


@pytest.mark.parametrize(("gone", "holds"), [(True, True), (False, False)])
def test_successors_that_are_removed_or_not_shared_settle_it(
    monkeypatch: Patch, gone: bool, holds: bool
) -> None:
    """Without the last layers grids are missing; in a single line of play nothing is lost."""
    full = claims_listings.layers(GRID)
    monkeypatch.setattr(claims_listings, "layers", lambda grid: full[:5])
    if not gone:
        monkeypatch.setattr(claims_listings, "solve", lambda grid: chain())
        monkeypatch.setattr(claims_listings, "layers", lambda grid: [np.array([i]) for i in (0, 1)])
    assert claims_listings.successors_kept().holds is holds


def chain() -> Some:
    """A game of two states, each reached from the one before."""
    return Some(
        index=lambda rows: rows,
        finished=np.array([False, True]),
        children=np.array([[1, *[-1] * 8], [-1] * 9]),
    )


def test_the_listing_writes_our_file_of_the_3x3_network() -> None:
    text, before = "", None
    for move, states in enumerate(layers(GRID)):
        links = last_parents(states, before).tolist()
        text += claims_listings.printed_rows(states, links)
        text += f"{'-' * 29} move n {move} {'-' * 28}\n"
        before = states
    assert text == csv_text(GRID)


def test_a_file_of_other_boards_runs_on_or_has_no_rows() -> None:
    """A board of 4 cells never reaches the ninth; one of 16 goes on behind its link."""
    empty = [Grid(n).initial() for n in (2, 4)]
    small, large = (claims_listings.printed_rows(states, [5]) for states in empty)
    assert small == 4 * "[ ], "
    assert large == 8 * "[ ], " + "[ ];5\n" + 7 * "[ ], "


def test_no_score_improves_on_what_the_sentence_says() -> None:
    found = claims_listings.first_scores()
    assert not found.holds
    assert found.found.startswith("the expression gives WIN for PLAYER_MARKER and LOSS for AI_")
    assert found.found.endswith("on which 2 and 2 of the 3 results improve; on the values that "
                                "the sentence gives, 0 and 0 would")  # fmt: skip


def test_the_end_of_a_game_is_told_by_the_listing() -> None:
    found = claims_listings.end_is_the_winner()
    assert found.holds
    assert "right for 958 of 958 finished grids of 3x3 (X 626, O 316, - 16); it also" in found.found


@pytest.mark.parametrize("broken", ["nobody", "everybody", "draw"])
def test_another_win_test_or_one_wrong_answer_refutes_the_end(
    monkeypatch: Patch, broken: str
) -> None:
    tree = solve(GRID)
    tied = tree.boards[tree.finished & (tree.winner == 0)][0]
    wrong = {
        "nobody": lambda grid, boards, player: np.zeros(len(boards), dtype=bool),
        "everybody": lambda grid, boards, player: np.ones(len(boards), dtype=bool),
        "draw": lambda grid, boards, player: (
            (grid.winner(boards) == player) | (boards == tied).all(axis=1)
        ),
    }
    monkeypatch.setattr(claims_listings, "program_winner", wrong[broken])
    assert not claims_listings.end_is_the_winner().holds


@pytest.mark.parametrize("size", ["3x3", "4x4", "5x5", "6x6", "3x3x3", "4x4x4", "5x5x5"])
def test_one_direction_that_leaves_the_board_early_is_no_whole_line(
    monkeypatch: Patch, size: str
) -> None:
    """From the second cell on along the first row, or from the first one against it."""
    starts = claims_listings.starts_cell_by_cell
    assert claims_listings.whole_lines_only().holds
    for odd in (1, 1), (0, -1):

        def with_one_more(
            grid: Grid, odd: tuple[int, int] = odd
        ) -> list[tuple[int, tuple[int, ...]]]:
            step = (*[0] * (grid.d - 1), odd[1])
            return starts(grid) + [(odd[0], step)] * (grid.name == size)

        monkeypatch.setattr(claims_listings, "starts_cell_by_cell", with_one_more)
        assert not claims_listings.whole_lines_only().holds


@pytest.mark.parametrize("grid", claims_listings.BOARDS, ids=lambda grid: grid.name)
def test_our_energy_starts_where_the_listing_does(grid: Grid) -> None:
    assert sorted(claims_listings.starts_cell_by_cell(grid)) == sorted(program_starts(grid))


def test_a_cut_that_spares_a_direction_keeps_some_that_are_no_whole_lines(
    monkeypatch: Patch,
) -> None:
    monkeypatch.setattr(claims_listings, "inward", lambda grid, place, step: True)
    assert not claims_listings.whole_lines_only().holds


def test_the_energy_misses_diagonals_inside_cubes() -> None:
    """Of 3x3x3: six lines that join the middles of two edges."""
    grid = Grid(3, 3)
    walked = claims_listings._walked(grid)
    missed = [line for line in map(frozenset, grid.lines.tolist()) if line not in walked]
    assert len(missed) == 6
    assert all(13 in line and not line & {0, 2, 6, 8, 18, 20, 24, 26} for line in missed)


@pytest.mark.parametrize(("stated", "told"), [(0.8, "1.0 times"), (0.7, "million times")])
def test_large_odds_are_told_in_millions(monkeypatch: Patch, stated: float, told: str) -> None:
    found = answer(monkeypatch, claims.second_bias, fitting(stated)).found
    assert told in found.split(";")[0]


def test_a_hundred_games_do_not_tell_the_bias() -> None:
    assert claims.second_bias().found.endswith("the pairing itself can't tell: 0.9 times")


@pytest.mark.parametrize(("printed", "p"), [("34-41-25", "2e-12"), ("58-13-29", "1e+00")])
def test_what_the_counts_would_be_by_true_rules_is_told(printed: str, p: str) -> None:
    found = claims.random_table(printed)
    assert found.chances == claims.table("random", "random").chances
    assert f"they are 737/1260, 8/63, 121/420, with p = {p}" in found.reason


@pytest.mark.parametrize(
    ("worst", "holds"), [([0, 0], False), ([1, 0], False), ([0, -1], True), ([-1, -1], True)]
)
def test_to_be_beaten_is_to_lose_once(monkeypatch: Patch, worst: list[int], holds: bool) -> None:
    pieces = [(Some(weights=result), Some(worst=result)) for result in worst]
    monkeypatch.setattr(curve, "worst_pieces", lambda energy, side: pieces)
    monkeypatch.setattr(claims, "_winning_openings", lambda weights: {"edge"} if weights else set())
    found = claims.never_wins_always()
    assert found.holds is holds
    lost = worst.count(-1)
    told = "every b" if lost == 2 else "not every b"
    which = "an opening in the edge" if holds else "no one opening"
    assert found.found == (
        f"it can be beaten at {told} ({lost} of 2 pieces); {which} beats it at all of these"
    )


@pytest.mark.parametrize(
    ("openings", "told"),
    [([{"edge", "centre"}, {"centre", "corner"}], "an opening in the centre beats"),
     ([{"edge"}, {"corner"}], "no one opening beats")],
)  # fmt: skip
def test_an_opening_that_beats_it_must_do_so_at_every_b(
    monkeypatch: Patch, openings: list[set[str]], told: str
) -> None:
    pieces = [(Some(weights=place), Some(worst=-1)) for place in range(2)]
    monkeypatch.setattr(curve, "worst_pieces", lambda energy, side: pieces)
    monkeypatch.setattr(claims, "_winning_openings", lambda weights: openings[weights])
    assert told in claims.never_wins_always().found


def test_winning_openings_are_those_after_which_x_can_win() -> None:
    """Against the first free cell alone all can; against perfect play none, even by ties."""
    first = FREE * (FREE.cumsum(axis=1) == 1)
    assert claims._winning_openings(first) != set()
    x = (solve(GRID).ply % 2 == 0)[:, None]
    table = policy_table(program_minimax(GRID), solve(GRID))
    assert claims._winning_openings(np.where(x, FREE, table)) == set()
    assert claims._winning_openings(FREE) == {"corner", "edge", "centre"}


@pytest.mark.parametrize(
    ("points", "holds"),
    [(2, False), (2.5, False), (2.6, True), (9, True), (10, False), (11, False)],
)
def test_a_spread_is_told_within_a_factor_of_two(
    monkeypatch: Patch, points: float, holds: bool
) -> None:
    """100 games of even chance spread by 5 points."""
    asked = partial(claims.sampling_spread, 100, points)
    found = answer(monkeypatch, asked, losses(ising=0.5, minimax=0.5))
    assert found.holds is holds
    assert found.found == "standard deviation 5.00 points for Ising, 5.00 points for minimax"
    assert "within a factor of 2 of the printed points" in found.reason
    assert "games that it loses: 3.00 points for Ising, 3.00 points for minimax" in found.reason


@pytest.mark.parametrize(("losses", "holds"), [(12, False), (87, False), (88, True)])
def test_a_table_of_losses_completes_100_games(losses: int, holds: bool) -> None:
    assert claims.loss_table(random="34-41-25", ising=f"0-12-{losses}").holds is holds


def test_the_row_of_the_loss_table_names_what_the_pairings_add_up_to() -> None:
    claim = declared("ising-loss-table")
    tables = [row for row in load() if row.id.startswith("ising-table-")]
    fitting = {row.id: sum(map(int, str(row.published).split("-"))) for row in tables}
    assert len(fitting) == 9
    assert set(fitting.values()) == {100}
    sums = [sum(map(int, row.split("-"))) for row in claim.args.values()]
    left = [str(declared(f"ising-table-random-{name}").published).split("-")[2]
            for name in claim.args]  # fmt: skip
    assert f"add up to {sums[0]}, {sums[1]} and {sums[2]}; the other six" in claim.reason
    assert f"With {left[0]}, {left[1]} and {left[2]} losses" in claim.reason
    verdicts = judge([declared(f"ising-table-random-{name}") for name in claim.args])
    assert {row.verdict for row in verdicts} <= {"within sampling error", "reproduced"}


@pytest.mark.parametrize(("minimax", "more"), [(Fraction(9, 10), "more"), (HALF, "no more")])
def test_who_wins_more_as_first_player_is_told_not_judged(
    monkeypatch: Patch, minimax: Fraction, more: str
) -> None:
    first = {"ising": HALF, "minimax": minimax}

    def replay(one: str, other: str, b: float | None = None) -> object:
        loss = {"ising": Fraction(3, 4) if b else HALF, "minimax": Fraction(1, 4)}.get(other)
        return Some(win=first.get(one), loss=loss)

    monkeypatch.setattr(claims, "replay", replay)
    monkeypatch.setattr(claims, "exact_match", always(Some(loss=Fraction(1, 4))))
    found = claims.wins_more()
    assert found.holds is True
    assert "at 0.647 Ising wins 0.7500)" in found.reason
    assert f"the program's minimax wins {more}, {minimax} against 1/2;" in found.reason


def test_the_second_players_wins_are_the_same_by_true_rules() -> None:
    """The program scores a line on the last cell, which the first player fills, as a draw."""
    grid, tree = claims.GRID, solve(claims.GRID)
    for name in ("ising", "minimax"):
        true = claims.exact_match(random_agent(grid), claims.contestant(name, second=True), tree)
        assert true.loss == claims.replay("random", name).loss

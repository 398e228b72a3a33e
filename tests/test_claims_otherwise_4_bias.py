"""What answers a claim of document 4 about its bias, on other data than the stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import SimpleNamespace as Some

import numpy as np
import pandas as pd
import pytest
from claim_answers import Parts, Patch, Row, always, answer, checks_of

from ttt_lib.evidence.claims import declared, judge
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.exact import Outcome, policy_table
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.policy import minimax, random_agent, winning_cells
from ttt_lib.game.response import reachable
from ttt_lib.ising import claims_bias, curve, meaning, study
from ttt_lib.ising.energy import energy_of, total
from ttt_lib.ising.players import ising, scores
from ttt_lib.ising.surd import root_of
from ttt_lib.ising.sweep import bias_grid


def lost(loss: object, win: object = 0, start: object = 0) -> Some:
    """A piece of the curve."""
    return Some(outcome=Some(loss=loss, win=win), start=start, end=1, is_point=start == 1)


def blocking(equation: Sequence[int], published: Sequence[int]) -> Parts:
    """For both players: choices in which it blocks for certain, in which by chance, and all."""
    found = {"equation": equation, "published": published}
    return {"meaning.blocks_instead": lambda name, b: found[name]}


def below_zero(least: int) -> Parts:
    """The chosen b loses 5; the pieces from 0 on lose less."""
    pieces = [lost(9, start=-0.7), lost(least, start=-0.1), lost(0, start=0), lost(0, start=0.5)]
    rows = {"equation": [lost(9, start=-1)], "published": pieces}
    return {"_beyond": always(rows), "plateau": always(lost(5))}


def sweep(rows: Sequence[tuple[float, int]], **others: object) -> Parts:
    """Games lost of 1000 on 3x3x3 at some b, and a row of another board or energy."""
    table = pd.DataFrame(rows, columns=["b", "win"]).assign(board="3x3x3", energy="published")
    if others:
        table = pd.concat([table, table.assign(win=0, **others)])
    return {"read_table": always(table.assign(games=1000))}


def scattered(trend: float, spread: float) -> Parts:
    """Some times the noise of 100 games that lose 13, and some times that of a 3x3 curve."""
    b = np.linspace(0.01, 1, 100)
    shape = claims_bias.classic(b)
    noise = np.random.default_rng(0).normal(size=100)
    basis = np.stack([np.ones(100), shape])
    noise -= np.linalg.lstsq(basis.T, noise, rcond=None)[0] @ basis
    scaled = [one / one.std(ddof=1) for one in (noise, shape - shape.mean())]
    lost = 13 + np.sqrt(13 * 0.87) * (spread * scaled[0] + trend / 2 * scaled[1])
    return {"digitised": always((b, lost))}


def games(**columns: Sequence[int]) -> Parts:
    """Stored games of Ising against itself: 1000 at each b, the rest lost or drawn."""
    none = {"games": 1000, "win": 0, "draw": 0, "loss": 0}
    rows = [
        {"board": board, "energy": energy, "b": i / 2, **none}
        | {name: values[i] for name, values in columns.items()}
        for board in ("3x3x3", "4x4x4", "5x5x5")
        for energy in ("published", "equation")
        for i in range(3)
    ]
    return {"read_table": always(pd.DataFrame(rows))}


def own(result: int, *games: Sequence[int]) -> Parts:
    """Games under the program's own rules: with the second player's own b, and with the same."""
    found = np.zeros((2, len(games[0]), 3), dtype=np.int64)
    found[..., result] = games
    return {"own_results": always(found)}


def drawn(draws: Sequence[int], most: int, player: int) -> Parts:
    """So many draws on 5x5x5, and by the program's own rules most with one player's b."""
    return games(draw=draws) | own(1, *[(0, most if i == player else 0, 9) for i in range(2)])


CHOICES = [((9, 0, 9), (9, 0, 9), True), ((9, 0, 9), (8, 1, 9), None), ((1, 8, 9), (1, 8, 9), None),
           ((9, 0, 9), (0, 9, 9), False), ((0, 0, 9), (9, 0, 9), False)]  # fmt: skip
"""For both players: choices in which it blocks for certain, in which by chance, and all."""


ALL_WON, ONE_DRAWN = (1000, 1000, 1000), (999, 1000, 1000)
SAME, OTHER, ALL = (500, 510, 490), (500, 580, 490), (500, 1000, 490)
OWN_SAME, OWN_OTHER, OWN_ALL = (100, 101, 99), (100, 140, 99), (100, 200, 99)

VERDICTS: list[Row] = [
    # It is open if these readings disagree, as they do if it blocks in some choices only.
    ("to prefer blocks is to play them in some choices, in most and in all",
     claims_bias.prefers_to_block, blocking, CHOICES),
    ("no energy may make the game losing if it is not losing", claims_bias.equal_is_losing,
     lambda other: {"curve.at": always(lost(Fraction(1, 2))),
                    "meaning.after_blocks": lambda name, b, sure: (3, int(name == other), 0)},
     [("equation", None), ("published", None)]),
    ("every negative b loses more", claims_bias.negative_b, below_zero,
     [(6, True), (5, False), (4, False)]),
    # Some wins are passed over at 0.647; players that pass over none beyond 1 refute it.
    ("what already holds at the chosen b is no test of larger ones", claims_bias.large_b,
     lambda: {"meaning.blocks_instead": lambda name, b: (3 * (b < 1), 0, 9)}, [(False,)]),
    ("optimal is to lose least and then win most", claims_bias.is_optimal,
     lambda loss, win: {"curve.named": always([lost(2, 9), lost(1, 6), lost(1, 7)]),
                        "plateau": always(lost(loss, win))},
     [(1, 7, True), (1, 6, False), (1, 8, False), (2, 7, False), (0, 7, False)]),
    ("halved is less than half", claims_bias.halved,
     lambda large: {"_fits": lambda size, _: {"5x5": [4], "6x6": [large]}[size]},
     [(1.9, True), (2, False), (3, False)]),
    # Below, a tenth of the games is lost.
    ("worse beyond means all together, and at once", partial(claims_bias.worse_beyond, 60),
     lambda *tenths: sweep([(0.41, 100), (0.6, 100),
                            *zip((0.61, 0.71, 0.81, 0.91), tenths, strict=True)]),
     # Of 1000 games as many lost next to it may still be a tenth more.
     [(300, 300, 300, 300, (True, False)), (100, 300, 300, 300, (None, True)),
      (50, 300, 300, 300, (None, False)), (50, 50, 50, 100, (False, False)),
      (100, 100, 100, 100, (None, True))]),
    ("boards that can be drawn behave otherwise if both graphs do",
     claims_bias.otherwise_where_drawn,
     lambda drawn, five, six: {
         "both_can_draw": always(Some(holds=drawn)),
         "like_classic": lambda size, alike: Some(
             holds={"5x5": five, "6x6": six}[size], alike=alike)},
     [(True, True, True, True), (False, True, True, False), (True, False, True, False),
      (True, True, False, False), (True, None, True, None), (True, None, False, False)]),
    ("points are almost random if they spread as by chance and have no trend",
     partial(claims_bias.almost_random, "5x5"), scattered,
     [(0, 1.0, True), (3, 1.0, False), (1, 0.5, None), (-1, 0.5, None), (0, 2.0, None)]),
    ("half of what the curve would give parts following from not",
     partial(claims_bias.like_classic, "5x5", alike=True),
     lambda low, high: {"_expected_correlation": always(0.8),
                        "_correlation": always(np.array([0.8 * low, 0.8 * high]))},
     [(0.51, 1, True), (0.49, 1, None), (0.4, 0.51, None), (0, 0.49, False)]),
    ("a strategy is robust if the program's player beats every opponent", claims_bias.robust,
     lambda worst, text: {
         "cube_worst": lambda energy, b: {"published": worst, "equation": text}[energy]},
     [(worst, text, worst == 1) for text in (1, -1) for worst in (1, 0, -1)]),
    ("players that nobody beats show nothing", claims_bias.games_tell,
     lambda: {**games(win=ONE_DRAWN), "cube_worst": always(1)}, [(None,)]),
    # It is open if they depend on b and yet no b wins every game.
    ("b is the cause if wins depend on it, and some b wins all, by all rules",
     claims_bias.cause_on_qubic,
     lambda wins, swept, played: games(win=wins) | own(0, played, swept),
     [(SAME, OWN_SAME, OWN_SAME, False), (ALL, OWN_ALL, OWN_ALL, True),
      (OTHER, OWN_OTHER, OWN_OTHER, None), (ALL, OWN_ALL, OWN_OTHER, None),
      (ALL, OWN_OTHER, OWN_ALL, None), (OTHER, OWN_ALL, OWN_ALL, None),
      (ALL, OWN_ALL, OWN_SAME, None), (SAME, OWN_ALL, OWN_ALL, None)]),
    ("b must be the cause on 4x4x4 with either energy", claims_bias.cause_on_qubic,
     lambda odd, wins: {"self_play": lambda size, name: pd.DataFrame(
         {"games": 1000, "win": wins if name == odd else ALL}),
         **own(0, OWN_ALL, OWN_ALL)},
     [(name, wins, None) for name in ("published", "equation") for wins in (SAME, OTHER)]),
    ("another b is the cause if it draws most games by both rules", claims_bias.cause_on_five,
     drawn,
     [(draws, most, player, holds) for player in (0, 1) for draws, most, holds in (
         ((0, 500, 9), 100, False), ((0, 501, 9), 101, True), ((0, 501, 9), 100, None),
         ((0, 500, 9), 101, None))]),
]  # fmt: skip
"""In each row a sentence, what answers, what it is given, and in each case the answer."""


test_the_answer_follows_what_is_given = checks_of(VERDICTS)


# ---------------------------------------------------------------------------- the way to b


def tried(monkeypatch: Patch, found: dict[str, list[tuple[int, int]]]) -> None:
    """For either energy, the blocks that each of the tries passes over, and its losses."""
    monkeypatch.setattr(meaning, "first_tries", lambda energy: dict(enumerate(found[energy])))
    monkeypatch.setattr(meaning, "lets_win", lambda player: (player[0], 9))
    monkeypatch.setattr(
        meaning, "second_player", lambda player: (Some(loss=player[1], win=2 * player[1]),)
    )


@pytest.mark.parametrize(
    ("text", "program", "holds"),
    [((1, 6), (1, 6), True), ((0, 6), (0, 6), False), ((1, 5), (1, 5), False),
     ((1, 4), (1, 4), False), ((1, 6), (0, 6), None), ((1, 5), (1, 6), None)],
)  # fmt: skip
def test_own_energy_is_partial_if_it_lets_win_and_loses_more(
    monkeypatch: Patch, text: tuple[int, int], program: tuple[int, int], holds: bool | None
) -> None:
    tried(monkeypatch, {"equation": [text], "published": [program]})
    monkeypatch.setattr(claims_bias, "plateau", lambda name: lost(5))
    found = claims_bias.own_alone()
    assert found.holds is holds
    assert f"loses {text[1]} and {program[1]} to random play" in found.found
    assert f"in {text[0]} and {program[0]} of the 9 positions" in found.found
    assert "more than with b = 0.647 (5 and 5)" in found.reason


@pytest.mark.parametrize(
    ("text", "program", "holds"),
    [((6, 6), (6, 6), True), ((5, 6), (5, 6), False), ((4, 6), (4, 6), False),
     ((6, 5), (6, 5), False), ((6, 4), (6, 4), False), ((6, 6), (6, 5), None)],
)  # fmt: skip
def test_the_second_try_is_worse_if_it_lets_win_and_loses_more(
    monkeypatch: Patch, text: tuple[int, int], program: tuple[int, int], holds: bool | None
) -> None:
    tried(monkeypatch, {"equation": [(5, 5), text], "published": [(5, 5), program]})
    found = claims_bias.both_after_own()
    assert found.holds is holds
    assert found.found.endswith(
        f"; with the first sum: 5 and 5; it still wins {2 * text[1]} and {2 * program[1]}"
    )


def test_only_a_win_that_can_be_stopped_is_let_happen() -> None:
    """An agent that plays anywhere misses all single blocks; where two are needed none counts."""
    tree = curve.canonical_tree(Grid(3))
    missed, single = meaning.lets_win(random_agent(Grid(3)))
    several = 0
    for side in (1, -1):
        stops = meaning.urgent(tree, side)[1].sum(axis=1)
        several += int(tree.orbit[stops > 1].sum())
    assert single == missed + tree.orbit[forced(tree)].sum()
    assert single + several == meaning.asked()[1]
    assert meaning.lets_win(ising(Grid(3), 0.5)) == (0, single), "within its window"


def forced(tree: GameTree) -> np.ndarray:
    """Positions whose single empty cell is a block: nothing else can be played."""
    blocks = sum(meaning.urgent(tree, side)[1] for side in (1, -1))
    return (tree.ply == 8) & (blocks.sum(axis=1) == 1)


@pytest.mark.parametrize(("blocks", "holds"), [(0, False), (5, None), (6, None), (10, True)])
def test_readings_are_some_more_than_half_and_all(blocks: int, holds: bool | None) -> None:
    assert claims_bias._however_often([(10, 0, 10), (blocks, 0, 10)]) is holds


@pytest.mark.parametrize("name", ["equation", "published"])
def test_blocks_instead_of_wins_are_wins_passed_over(name: str) -> None:
    """At b = 1 some by chance, just below it the rest, at any draw; within the window none."""
    always, maybe, both = meaning.blocks_instead(name, 1.0)
    assert always + maybe == meaning.passed_at(name, 1.0)[0] < both < meaning.asked()[0]
    assert meaning.passed_at(name, 0.999)[0] == always
    assert meaning.blocks_instead(name, 0.999) == (always, 0, both)
    assert meaning.blocks_instead(name, 0.5) == (0, 0, both)


@pytest.mark.parametrize("name", ["equation", "published"])
def test_what_a_block_leaves_of_a_win(name: str) -> None:
    """Every sure block in place of a win is counted, by its worst move's value on each side."""
    tree, counts = curve.canonical_tree(Grid(3)), [0, 0, 0]
    player = policy_table(ising(Grid(3), 1.0, name), tree)
    for row in np.flatnonzero(~tree.finished):
        board, side = tree.boards[row], 1 if tree.ply[row] % 2 == 0 else -1
        mine, theirs = (
            winning_cells(Grid(3), board[None], np.array([who], dtype=np.int8))[0]
            for who in (side, -side)
        )
        played = np.flatnonzero(player[row])
        if mine.any() and all(theirs[cell] and not mine[cell] for cell in played):
            worst = min(side * int(tree.value[tree.children[row, cell]]) for cell in played)
            counts[1 - worst] += int(tree.orbit[row])
    assert meaning.after_blocks(name, 1.0, sure=True) == tuple(counts)
    assert sum(counts) == meaning.blocks_instead(name, 1.0)[0] > 0


@pytest.mark.parametrize("name", ["equation", "published"])
def test_what_a_block_by_chance_leaves_of_a_win(name: str) -> None:
    """It may win or block, as the draw falls; in many of these positions the block only draws."""
    grid, counts = Grid(3), [0, 0, 0]
    tree = solve(grid)
    player = policy_table(ising(grid, 1.0, name), tree)
    for row in np.flatnonzero(~tree.finished):
        board, side = tree.boards[row : row + 1], 1 if tree.ply[row] % 2 == 0 else -1
        mine, theirs = (
            winning_cells(grid, board, np.array([who], dtype=np.int8))[0] for who in (side, -side)
        )
        played = player[row] > 0
        blocks = played & theirs
        if (played & mine).any() and blocks.any() and not (mine & theirs).any():
            left = (side * tree.value[tree.children[row, cell]] for cell in np.flatnonzero(blocks))
            counts[1 - int(min(left))] += 1
    assert meaning.after_blocks(name, 1.0, sure=False) == tuple(counts)
    assert sum(counts) == meaning.blocks_instead(name, 1.0)[1] > counts[1] > 0


@pytest.mark.parametrize("name", ["equation", "published"])
def test_choices_met_as_second_player_are_those_of_its_own_games(name: str) -> None:
    grid, counts = Grid(3), [0, 0, 0]
    tree = solve(grid)
    player = policy_table(ising(grid, 1.0, name), tree)
    for row in np.flatnonzero(reachable(tree, player, -1) & (tree.ply % 2 == 1) & ~tree.finished):
        mine, theirs = (
            winning_cells(grid, tree.boards[[row]], np.array([who], dtype=np.int8))[0]
            for who in (-1, 1)
        )
        if mine.any() and theirs.any() and not (mine & theirs).any():
            blocks = theirs[player[row] > 0]
            counts[2] += 1
            counts[0] += int(blocks.all())
            counts[1] += int(blocks.any() and mine[player[row] > 0].any())
    assert meaning.blocks_met(name, 1.0) == tuple(counts)


@pytest.mark.parametrize("name", ["equation", "published"])
def test_a_block_raises_the_sum_of_energies_in_most_positions(name: str) -> None:
    """From the definition, without symmetry."""
    grid, energy, raised = Grid(3), energy_of(name, Grid(3)), 0
    tree = solve(grid)
    for side in (1, -1):
        stops = meaning.urgent(tree, side)[1]
        for row in np.flatnonzero(stops.sum(axis=1) == 1):
            before = tree.boards[row].tolist()
            after = list(before)
            after[int(stops[row].argmax())] = side
            first, then = (total(energy, b, 1) + total(energy, b, -1) for b in (before, after))
            raised += then < first
    assert meaning.raised_by_blocks(name) == raised
    assert raised < meaning.lets_win(ising(grid, 0.5))[1]


@pytest.mark.parametrize("sure", [True, False])
@pytest.mark.parametrize(
    ("more", "left", "holds"),
    [
        (19, (3, 0, 1), True),
        (19, (3, 1, 0), None),
        (18, (3, 0, 1), None),
        (18, (3, 1, 0), None),
        (18, (4, 0, 0), False),
        (19, (4, 0, 0), None),
    ],
)
def test_losing_is_more_than_twice_as_often_by_the_block_or_the_win_given_away(
    monkeypatch: Patch, more: int, left: tuple[int, int, int], holds: bool | None, sure: bool
) -> None:
    """Losses of 9/10 at the chosen b; a block that is sure counts as one that chance decides."""
    loss = {claims_bias.CHOSEN: Fraction(9, 10), 1.0: Fraction(more, 10)}
    monkeypatch.setattr(curve, "at", lambda pieces, b: lost(loss[b]))
    parts = {sure: left, not sure: (3, 0, 0)}
    monkeypatch.setattr(meaning, "after_blocks", lambda name, b, sure: parts[sure])
    found = claims_bias.equal_is_losing()
    assert found.holds is holds
    readings = (more > 18, left[2] > 0, left[1] + left[2] > 0)
    words = ["both" if reading else "neither" for reading in readings]
    assert found.reason.endswith(
        f"The first reading holds with {words[0]} of the energies, the second with {words[1]}, the "
        f"third with {words[2]}."
    )


def test_a_reading_may_hold_with_one_energy_only() -> None:
    told = claims_bias._which_hold([[True, False], [False, True], [True, True]])
    assert told.startswith("The first reading holds with one of the energies, the second with one,")


@pytest.mark.parametrize("far", [True, False])
@pytest.mark.parametrize(("equation", "published", "holds"), CHOICES)
def test_beyond_one_blocks_come_before_wins_just_above_and_far_beyond(
    monkeypatch: Patch, equation: Sequence[int], published: Sequence[int], holds: bool | None,
    far: bool,
) -> None:  # fmt: skip
    """At the other b beyond one it always blocks; what it does at smaller b decides nothing."""
    found = {"equation": equation, "published": published}
    asked = claims_bias.MOST if far else claims_bias.BESIDE_ONE[1]

    def blocks(name: str, b: float) -> Sequence[int]:
        return found[name] if b == asked else (9 * (b > 1), 0, 9)

    monkeypatch.setattr(meaning, "blocks_instead", blocks)
    judged = claims_bias.large_b()
    assert judged.holds is holds
    assert ("these readings agree" in judged.reason) is (holds is not None)
    assert ("but not just above 1." in judged.reason) is (holds is None and not far)


def test_choices_and_results_beyond_one_are_told_for_both_energies() -> None:
    found = claims_bias.large_b()
    assert "certain, of 616 choices between the two (no winning cell also blocks)" in found.found
    assert "text's player 8 and 608, 136 and 480, 464 and 152, 616 and 0; " in found.found
    assert "the program's player 28 and 588, 240 and 376, 364 and 252, 616 and 0" in found.found
    assert (
        "; it holds in some and in most of them (at least 364 of 616), in all at b = 100, but not "
        "just above 1. As second player" in found.reason
    )
    assert (
        "text's wins 87.8% at b = 0.647, 69.1% to 70.2% beyond 1, and loses 4/945 either way;"
        in (found.reason)
    )
    assert found.reason.endswith(
        "48.0% to 82.0% beyond 1, and loses 11/1890 at 0.647 and 2/315 to 4/315 beyond 1."
    )


def test_a_winning_cell_that_also_blocks_leaves_no_choice() -> None:
    """X wins on cell 2, where O could win, too; cell 4 stops another line of O's."""
    grid, tree = Grid(3), curve.canonical_tree(Grid(3))
    code = grid.canonical_codes(parse("xx.o.ox.o", grid)[None])
    [row] = np.flatnonzero(grid.canonical_codes(tree.boards) == code)
    _, _, wins, stops = meaning._choices("equation", 1.0, 1)
    assert wins[row].any()
    assert not stops[row].any()


@pytest.mark.parametrize("name", ["equation", "published"])
def test_where_it_does_not_block_it_wins(name: str) -> None:
    """At every b whose choices are told, in every position that makes it choose."""
    tree = curve.canonical_tree(Grid(3))
    for b in (claims_bias.CHOSEN, *claims_bias.BESIDE_ONE, claims_bias.MOST):
        played = policy_table(ising(Grid(3), b, name), tree) > 0
        won = 0
        for side in (1, -1):
            wins = meaning.urgent(tree, side)[0] > 0
            others = np.full(len(tree), -side, dtype=np.int8)
            stops = winning_cells(Grid(3), tree.boards, others)
            both = wins.any(axis=1) & stops.any(axis=1) & ~(wins & stops).any(axis=1)
            won += int(tree.orbit[both & (played <= wins).all(axis=1)].sum())
        blocks, chance, of = meaning.blocks_instead(name, b)
        assert (won, chance) == (of - blocks, 0)


def test_players_change_at_one_alone_near_it_and_no_more_far_beyond() -> None:
    below, above = claims_bias.BESIDE_ONE
    spans = ((Fraction(9, 10), Fraction(11, 10)), (Fraction(1), Fraction(10**9)))
    for name in ("equation", "published"):
        for side in (1, -1):
            near, far = (meaning.habits(name, side, span)[1:] for span in spans)
            changes = {float(habit.slot.at) for habit in near} - {0.9, 1.0, 1.1}
            assert not any(below <= b <= above for b in changes)
            assert [habit.slot.at for habit in far if float(habit.slot.at) >= claims_bias.MOST] == [
                far[-1].slot.end
            ]


@pytest.mark.parametrize("closed", [(True, False), (False, True), (False, False), (True, True)])
def test_an_end_lies_in_a_piece_if_it_belongs_to_it(closed: tuple[bool, bool]) -> None:
    start, end = (root_of(1, 1).polynomial([Fraction(k, 2)]) for k in (0, 1))
    piece = curve.Piece(start, end, Outcome(Fraction(1), Fraction(0), Fraction(0)), closed)
    assert tuple(map(piece.holds, (0.0, 0.5))) == closed
    assert piece.holds(0.25)


def test_a_single_b_without_a_fault_is_no_window(monkeypatch: Patch) -> None:
    """Nor does it stand for the start of one."""
    slots = [(1, 1, 0), (1, 2, 5), (2, 2, 5), (2, 3, 0), (3, 3, 0), (3, 4, 5)]
    habits = [
        Some(wins=faults, blocks=0, slot=Some(at=at, end=end, point=at == end))
        for at, end, faults in slots
    ]
    monkeypatch.setattr(meaning, "habits", lambda name, side: habits)
    assert meaning._window("equation", 1) == (2, 3)


@pytest.mark.parametrize(
    ("start", "holds"),
    [(0.29, False), (0.31, None), (0.34, None), (0.36, True), (0.44, True), (0.46, None),
     (0.49, None), (0.51, False)],
)  # fmt: skip
def test_the_last_fall_is_near_04_within_either_limit(
    monkeypatch: Patch, start: float, holds: bool | None
) -> None:
    """The program's, as it scores its games; where the text's is decides nothing."""
    pieces = [lost(9, start=0), lost(1, start=start), lost(1, start=0.6), lost(2, start=0.4)]
    curves = {"published": [lost(0)], "equation": [lost(9), lost(1, start=0.4)]}
    monkeypatch.setattr(curve, "named", lambda name, *_: curves[name])
    monkeypatch.setattr(meaning, "scored_curve", lambda: pieces)
    found = claims_bias.improves_until()
    assert found.holds is holds
    assert f"b = {start:.4f} with the program's energy, as it scores its games" in found.found
    assert "at 0.4000 with the text's, by true rules" in found.found
    near = ["no", "yes"]
    told = [near[abs(start - 0.4) < limit] for limit in (0.05, 0.1)]
    assert found.reason.endswith(f"within 0.05 {told[0]}, within 0.1 {told[1]}.")


@pytest.mark.parametrize(
    ("losses", "falls"), [((9, 4, 1, 1, 2), True), ((9, 4, 5, 1), False), ((1, 2), True)]
)
def test_losses_that_rise_before_they_are_least_do_not_fall(
    monkeypatch: Patch, losses: Sequence[int], falls: bool
) -> None:
    pieces = [lost(many, start=place / 9) for place, many in enumerate(losses)]
    monkeypatch.setattr(meaning, "scored_curve", lambda: pieces)
    assert ("never rise on the way" in claims_bias.improves_until().reason) is falls


def test_unlost_games_of_4x4x4_are_those_of_eleven_values_of_b(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims_bias, "_fits", lambda sweep, column: (1 / 11, 0.0, 2 / 11))
    found = claims_bias.cube_unlost()
    assert (found.count, found.total) == (3, 330)
    assert found.total == 3 * declared("ising-qubic-unlost").n
    assert "so it plays 11 values of b, not 10." in found.reason


@pytest.mark.parametrize(
    ("lost", "other", "holds"),
    [(21, 10, True), (21, 11, None), (19, 9, None), (11, 5, None), (9, 5, False), (9, 4, None)],
)
def test_losses_are_high_beside_limits_and_other_boards(
    monkeypatch: Patch, lost: int, other: int, holds: bool | None
) -> None:
    """4x4x4 is swept with 10 games at each b, the others with 100."""
    means = {"5x5": lost, "3x3": other, "4x4x4": 0.1}
    monkeypatch.setattr(claims_bias, "_fits", lambda sweep, column: (means[sweep], means[sweep]))
    found = claims_bias.quite_high("5x5", ["3x3", "4x4x4"])
    assert found.holds is holds
    assert found.found.endswith(f"replays; {other}.0% on 3x3, 1.0% on 4x4x4")


@pytest.mark.parametrize(
    ("lost", "holds"), [(40, None), (61, None), (62, True), (22, None), (21, True)]
)
def test_losses_that_one_b_of_many_makes_unlikely_are_different(
    monkeypatch: Patch, lost: int, holds: bool | None
) -> None:
    """At one of eleven b, where 40 of 400 would be expected, as at the others; either way."""
    counts = np.array([lost, *[40] * 10])
    monkeypatch.setattr(claims_bias, "_scored", lambda biases: np.full(len(biases), 0.1))
    monkeypatch.setattr(claims_bias, "_lost_in_replays", lambda sweep: counts)
    found = claims_bias.cube_is_different()
    assert (found.holds, found.tested) == (holds, True)
    assert f"none of them is lost with probability {0.9**110:.3f}" in found.reason
    fewer, more = int(lost < 40), int(lost > 40)
    assert f"At {fewer} of the 11 values of b fewer games" in found.reason
    assert f"at {more} more (p = " in found.reason


def test_replays_made_again_lose_as_many_games_as_the_stored_ones() -> None:
    assert claims_bias._lost_in_replays("4x4x4").sum() == claims_bias.cube_unlost().count


@pytest.mark.parametrize(("cube", "holds"), [((0.4, 0.63), None), ((0.4, 0.64), True)])
def test_compatible_boards_have_parabolas_that_are_lowest_at_one_b(
    monkeypatch: Patch, cube: tuple[float, float], holds: bool | None
) -> None:
    lowest = {"3x3": (0.64, 0.67), "3x3x3": cube}
    monkeypatch.setattr(claims_bias, "_fits", lambda sweep, column: lowest[sweep])
    assert claims_bias.depends_on_dimension().holds is holds


@pytest.mark.parametrize(
    ("pieces", "scored", "holds"), [(1, 1, True), (2, 1, False), (1, 2, False)]
)
def test_two_pieces_are_a_jump(monkeypatch: Patch, pieces: int, scored: int, holds: bool) -> None:
    """By true rules, or as the program scores."""
    counts = {
        "equation": [lost(0)],
        "published": [lost(0, start=place / 2) for place in range(pieces)],
    }
    monkeypatch.setattr(curve, "named", lambda name, *_: counts[name])
    monkeypatch.setattr(meaning, "scored_curve", lambda: [lost(0)] * scored)
    found = claims_bias.discrete()
    assert found.holds is holds
    assert "text's energy, by true rules: 1 stretches with one result each, and 0" in found.found
    assert f"program's, by true rules: {pieces} stretches with one result each" in found.found
    assert f"as it scores its games: {scored} stretches with one result each" in found.found


def test_single_values_between_stretches_are_no_ends() -> None:
    """Each of them lies between two stretches, so there are fewer of them than stretches."""
    told = re.findall(r"(\d+) stretches .*?, and (\d+) single", claims_bias.discrete().found)
    assert [(int(a), int(b)) for a, b in told] == [(6, 5), (18, 17), (16, 15)]


BETTER, ALIKE, TIMID, BOLD, RARE = (1, 7), (2, 6), (1, 6), (2, 7), (1, 5)
"""Losses and wins of a deeper player; one ply has 2 and 6."""


def deeper_results(
    monkeypatch: Patch, far: Mapping[str, object], two: Mapping[str, object]
) -> None:
    """What four plies ahead give by energy (fewer give what one does), and the best reply."""

    def pair(other: tuple[int, int]) -> list[Outcome]:
        return [Outcome(Fraction(won), Fraction(0), Fraction(lost)) for lost, won in (ALIKE, other)]

    monkeypatch.setattr(
        claims_bias, "one_and_ahead", lambda name, depth: pair(far[name] if depth >= 4 else ALIKE)
    )
    monkeypatch.setattr(
        claims_bias, "one_and_two", lambda name, b: pair(two[name] if b == 0.2 else ALIKE)
    )


@pytest.mark.parametrize(
    ("text", "program", "holds"),
    [(BETTER, BETTER, True), (BETTER, ALIKE, None), (ALIKE, BETTER, None), (ALIKE, ALIKE, False),
     (TIMID, BOLD, None), (TIMID, TIMID, True), (BOLD, BOLD, False), (RARE, BETTER, None)],
)  # fmt: skip
@pytest.mark.parametrize("by", ["far", "two"])
def test_deeper_can_do_better_if_some_way_loses_less_and_wins_no_less(
    monkeypatch: Patch, text: tuple[int, int], program: tuple[int, int], by: str, holds: bool | None
) -> None:
    """By a look-ahead of one depth at the stated b, or by the best reply at one b."""
    none = {"equation": ALIKE, "published": ALIKE}
    deep = {"equation": text, "published": program}
    deeper_results(monkeypatch, **({"far": none, "two": none} | {by: deep}))
    found = claims_bias.deeper((0.1, 0.2))
    assert found.holds is holds
    parts = found.found.split("; ")
    for part, result in zip(parts, (text, program), strict=True):
        wins = {BETTER: "7 instead of 6", TIMID: "as often"}.get(result)
        assert (f"a look-ahead of 4 plies loses 1 instead of 2 and wins {wins}" in part) is (
            by == "far" and wins is not None
        )
        none = "no look-ahead of 2 to 4 plies loses less and wins as much" in part
        assert none is (by == "two" or wins is None)


def test_the_best_reply_alone_is_counted_by_energy(monkeypatch: Patch) -> None:
    deeper_results(monkeypatch, {"equation": BETTER, "published": BETTER},
                   {"equation": BOLD, "published": TIMID})  # fmt: skip
    found = claims_bias.deeper((0.1, 0.2))
    told = (
        "at none (text) and 1 (program) of 2 b and wins more often at 1 (text) and none (program)"
    )
    assert told in found.reason
    assert "faster: 4 plies are at most 2,664 positions" in found.reason
    assert "by at most 3 plies more, loses less and wins no less" in found.reason
    assert "between them" not in found.reason


def test_the_costs_are_those_of_the_deeper_look_ahead(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims_bias, "_is_deeper",
                        lambda name, depth: depth >= (2 if name == "equation" else 3))  # fmt: skip
    assert "faster: 3 plies are at most 600 positions" in claims_bias.deeper((0.1,)).reason


def test_four_plies_are_better_with_either_energy_and_three_are_not() -> None:
    """All by exact play."""
    for name in claims_bias.WHOSE:
        assert [claims_bias._is_deeper(name, depth) for depth in (2, 3, 4)] == [0, 0, 1]
    one, far = claims_bias.one_and_ahead("published", 4)
    assert (one.loss, far.loss) == (Fraction(11, 1890), Fraction(1, 189))
    assert one.win == far.win
    one, far = claims_bias.one_and_ahead("equation", 4)
    assert (one.loss, far.loss, far.win) == (Fraction(4, 945), 0, Fraction(278, 315))
    assert claims_bias.positions_ahead(1) == 8 + 6 + 4 + 2
    assert claims_bias.positions_ahead(4) == 2080 + 516 + 64 + 4


def test_a_look_ahead_leaves_equal_moves_to_the_energy() -> None:
    """To the end it is minimax that keeps, of its best moves, those of largest game energy."""
    tree, grid = solve(Grid(3)), Grid(3)
    played = policy_table(claims_bias.look_ahead(9, "equation"), tree) > 0
    energy = scores(energy_of("equation", grid), claims_bias.CHOSEN)(tree.boards[~tree.finished])
    best = policy_table(minimax(grid), tree)[~tree.finished] > 0
    among = np.where(best, energy, -np.inf)
    top = among.max(axis=1, keepdims=True)
    assert (played[~tree.finished] == (among >= top - 1e-9 * np.abs(top))).all()


def test_two_plies_are_those_of_the_energy_and_of_the_second_player() -> None:
    """A known b: with the program's energy two plies lose more often at the document's b."""
    one, two = claims_bias.one_and_two("published", claims_bias.CHOSEN)
    assert (one.loss, two.loss) == (Fraction(11, 1890), Fraction(2, 315))
    assert claims_bias.one_and_two("equation", claims_bias.CHOSEN)[1].loss == Fraction(2, 945)


def test_between_the_values_tried_two_plies_may_be_better_by_both_counts() -> None:
    assert not np.isclose(claims_bias.DEEPER, claims_bias.BETWEEN).any()
    one, two = claims_bias.one_and_two("published", claims_bias.BETWEEN)
    assert two.win > one.win
    assert two.loss < one.loss
    told = "at none (text) and none (program) (at b = 0.165, between them, it does both"
    assert told in claims_bias.deeper((0.1, 0.2)).reason


# ---------------------------------------------------------------------------- fits and boards


@pytest.mark.parametrize(("spread", "words"), [(1, "it agrees"), (0.01, "it does not agree")])
def test_the_chosen_b_is_the_lowest_point_or_a_lucky_dot(
    monkeypatch: Patch, spread: float, words: str
) -> None:
    """The row names both readings; that of the lowest point follows the spread of the replays."""
    reason = claims_bias.choice().reason
    assert "it agrees with the replays (0.645 to 0.65 in 40; p = 0.49)" in reason
    assert "but it has no loss, as the rule asks, with probability 0.3% only" in reason
    assert "If it is the dot without a loss that is nearest to there, no test" in reason
    lowest = [0.65 + spread * step / 1000 for step in range(-2, 3)]
    monkeypatch.setattr(claims_bias, "_fits", lambda sweep, column: lowest)
    monkeypatch.setattr(claims_bias, "chances_of_choice", always((0.001,) * 1000))
    assert f"the parabola itself is lowest, {words} with" in claims_bias.choice().reason


def test_printing_a_step_late_moves_the_parabola_by_a_step() -> None:
    late, right = (claims_bias.parabola(shifted=shifted, step=0.01) for shifted in (True, False))
    assert late - right == pytest.approx(0.01)


@pytest.mark.parametrize(("scored", "lowest"), [(True, 0.7), (False, 0.3)])
def test_a_parabola_is_lowest_where_it_is(monkeypatch: Patch, scored: bool, lowest: float) -> None:
    """Where lines on the last cell are wins, losses are fewest at 0.3, else at 0.7."""
    wins = curve.named("published", "o", "random")
    monkeypatch.setattr(
        curve, "at", lambda pieces, b: lost((b - (0.3 if pieces is wins else 0.7)) ** 2)
    )
    found = claims_bias.parabola(scored=scored, shifted=False, step=0.01)
    assert found == pytest.approx(lowest)


def fits(monkeypatch: Patch, values: Mapping[str, Sequence[float]]) -> None:
    """What the replays of each sweep give."""
    monkeypatch.setattr(claims_bias, "_fits", lambda sweep, column: values[sweep])


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        ((0.5, -0.5, 0.6), True),
        ((0.7, 0.5, 0.6), None),
        ((0.5, 0.6), None),
        ((0.7, 0.8), False),
        ((0.5, 0.8, -0.8), False),
    ],
)
def test_most_minima_lie_near_within_every_limit(
    monkeypatch: Patch, values: tuple[float, ...], holds: bool | None
) -> None:
    fits(monkeypatch, {"3x3x3": values})
    found = claims_bias.best_of_fit("3x3x3", 0.0, (0.5, 0.6))
    assert found.holds is holds
    close = [sum(abs(value) <= limit for value in values) for limit in (0.5, 0.6)]
    assert f"{close[0]} within 0.5, {close[1]} within 0.6; " in found.found
    assert found.found.endswith("is lowest at 0.541")


@pytest.mark.parametrize(
    ("lowest", "bend", "replayed", "holds"),
    [(0.64, 1, (0.6, 0.65), True), (0.636, 1, (0.6, 0.64), True), (0.64, 1, (0.64, 0.7), True),
     (0.634, 1, (0.6, 0.65), False), (0.646, 1, (0.6, 0.65), False), (0.64, -1, (0.6, 0.65), False),
     (0.64, 1, (0.6, 0.63), False), (0.64, 1, (0.65, 0.7), False)],
)  # fmt: skip
def test_a_figures_parabola_is_lowest_where_it_and_replays_are(
    monkeypatch: Patch, lowest: float, bend: int, replayed: tuple[float, ...], holds: bool
) -> None:
    b = np.linspace(0.01, 1, 98)
    monkeypatch.setattr(claims_bias, "digitised", lambda size: (b, bend * (b - lowest) ** 2))
    fits(monkeypatch, {"4x4": replayed})
    found = claims_bias.parabola_of_figure("4x4", "0.64")
    assert found.holds is holds
    assert f"98 points read off its figure is lowest at {lowest:.3f}" in found.found


@pytest.mark.parametrize(
    ("values", "zero"), [((0, 1, 2), True), ((0, 1), False), ((0, 0, 1), False)]
)
@pytest.mark.parametrize("some", [True, False])
def test_some_b_without_a_loss_in_most_replays(
    monkeypatch: Patch, values: tuple[int, ...], zero: bool, some: bool
) -> None:
    fits(monkeypatch, {"5x5": values})
    lost = pd.Series([0.0, 0.0, 0.5])
    monkeypatch.setattr(claims_bias, "_losses_by_true_rules", lambda size: (1234, lost))
    found = claims_bias.zeros("5x5", some=some)
    assert found.holds is (zero is some)
    assert "the lowest of the 97 points that can be read off is 6. By true" in found.reason
    assert found.reason.endswith(
        "100 games at about 67% of the values of b; in 1,234 games it loses some at 33% of them."
    )


def test_losses_by_true_rules_are_those_of_the_second_player() -> None:
    games, lost = claims_bias._losses_by_true_rules("5x5")
    assert (games, len(lost)) == (40_000, 101)
    assert 0 < lost.min() < 0.01 < lost.max() < 0.1


@pytest.mark.parametrize(
    ("above", "holds"),
    [(300, True), (150, True), (120, None), (100, None), (85, None), (60, False)],
)
@pytest.mark.parametrize("others", [{}, {"board": "4x4"}, {"energy": "equation"}])
def test_worse_beyond_compares_with_the_fifth_below_beyond_sampling_error(
    monkeypatch: Patch, above: int, holds: bool | None, others: dict[str, object]
) -> None:
    """At 0.40, which is 0.6 - 0.2 up to rounding, all games are lost; it does not count."""
    tenths = [(b, above) for b in (0.61, 0.71, 0.81, 0.91)]
    parts = sweep([(0.4, 1000), (0.41, 100), (0.6, 100), *tenths], **others)
    found = answer(monkeypatch, partial(claims_bias.worse_beyond, 60), parts)
    assert (found.holds, found.tested) == (holds, holds is None)
    share = f"{above / 10:.4f}%"
    assert found.found == (
        f"lost 10.0000% from b = 0.41 to 0.60, {share} in the next tenth, {share} in all above"
    )


@pytest.mark.parametrize(
    ("next_to", "answer"), [(1300, True), (1080, None), (1000, False), (990, False), (800, False)]
)
def test_as_many_just_above_are_no_loss_of_effectiveness_if_a_tenth_more_would_show(
    next_to: int, answer: bool | None
) -> None:
    one, below = (
        pd.DataFrame({"win": [lost], "games": [games]})
        for lost, games in ((next_to, 400_000), (2000, 800_000))
    )
    assert claims_bias._at_once(one, below) is answer


def test_from_06_on_and_all_above_disagree_in_the_stored_games() -> None:
    """So they would for 0.4 and 0.5; for 0.7 and 0.8 both readings hold."""
    found = claims_bias.worse_beyond(60)
    assert (found.holds, found.tested) == (None, False)
    assert "taken together, it would hold for 0.4, 0.5, 0.7, 0.8, 0.9." in found.reason.lower()
    answers = [claims_bias.worse_beyond(percent).holds for percent in (40, 50, 70, 80)]
    assert answers == [None, None, True, True]


@pytest.mark.parametrize(
    ("tenths", "begins"), [((100, 300), "0.71"), ((300, 300), "0.61"), ((100, 100), "none")]
)
def test_worse_beyond_tells_the_tenth_in_which_it_begins(
    monkeypatch: Patch, tenths: tuple[int, int], begins: str
) -> None:
    first, second = tenths
    rows = [(0.41, 100), (0.6, 100), (0.61, first), (0.7, first), (0.71, second), (0.8, second),
            (0.81, 900), (0.91, 900)]  # fmt: skip
    parts = sweep(rows if begins != "none" else [(b, 100) for b, _ in rows])
    reason = answer(monkeypatch, partial(claims_bias.worse_beyond, 60), parts).reason
    assert f"beyond sampling error begins at {begins}." in reason
    share = first / 10 if begins != "none" else 10
    assert f"(0.61 to 0.70: {share:.4f}%, 0.71 to 0.80: " in reason


def test_early_points_are_told_by_the_b_printed_at_them(monkeypatch: Patch) -> None:
    """A dot printed at 0.21 shows b = 0.2."""
    b = np.arange(1, 101) / 100
    monkeypatch.setattr(claims_bias, "digitised", lambda size: (b, np.where(b == 0.21, 93, 13)))
    told = "on average 14.00 games are lost above a printed b of 0.2, 13.00 up to it"
    assert claims_bias.almost_random("5x5").found.endswith(told)


@pytest.mark.parametrize("more", [1, 4])
def test_worse_beyond_tells_what_the_figure_alone_could(monkeypatch: Patch, more: int) -> None:
    """Four times the losses above would tell."""
    b, lost = claims_bias.digitised("3x3x3")
    monkeypatch.setattr(
        claims_bias, "digitised", lambda size: (b, np.where(b > 0.605, more * lost, lost))
    )
    reason = claims_bias.worse_beyond(60).reason
    assert "fifth below, where least is lost, it holds; read as from 0.6 on, it does" in reason
    assert ("alone could not tell" in reason) is (more == 1)
    counted = f"{28 * more} games lost in 39 dots above, 6 in 18 in the fifth below"
    assert f"tell: by the printed b {counted}" in reason
    assert reason.endswith("45 in all 58 up to 0.6.")


@pytest.mark.parametrize(("value", "holds", "word"), [(0, None, "draw"), (1, True, "win of X")])
def test_a_draw_is_no_reason_to_behave_otherwise_than_another_draw(
    monkeypatch: Patch, value: int, holds: bool | None, word: str
) -> None:
    alike = {"published": {"5x5": "-0.50", "6x6": "+0.25"},
             "equation": {"5x5": "+0.10", "6x6": "-0.20"}}  # fmt: skip
    monkeypatch.setattr(
        claims_bias, "_as_on_3x3", lambda size, energy="published": alike[energy][size]
    )
    monkeypatch.setattr(claims_bias, "solve", lambda grid: Some(value=[value]))
    found = claims_bias.draw_is_the_reason()
    assert found.holds is holds
    assert found.found.startswith(f"3x3 is a {word} under")
    assert "by -0.50 on 5x5 and +0.25 on 6x6" in found.found
    assert found.found.endswith("by +0.10 and -0.20; simultaneous 99% intervals)")


@pytest.mark.parametrize(("slope", "told"), [(1, "+1.00 [+1.00, +1.00]"),
                                              (-1, "-1.00 [-1.00, -1.00]")])  # fmt: skip
def test_losses_as_on_3x3_are_those_of_the_board_and_of_3x3(
    monkeypatch: Patch, slope: int, told: str
) -> None:
    lost = pd.Series(np.linspace(0.1, 0.9, 101))
    monkeypatch.setattr(
        claims_bias,
        "_losses_by_true_rules",
        lambda size, _: (40_000, lost if size == "3x3" else 0.5 + slope * (lost - 0.5)),
    )
    assert claims_bias._as_on_3x3("5x5") == told


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("slope", [0, 0.5, 1])
def test_the_interval_of_a_correlation_is_by_the_chance_of_the_games(
    both: bool, slope: float
) -> None:
    """Fisher's, which takes the values of b for a sample, misses up to ten times as many."""
    shape = claims_bias.classic(np.linspace(0.01, 1, 100))
    chances = 0.02 * (1 - slope + slope * shape / shape.mean())
    rng = np.random.default_rng(0)
    pairs = [
        (rng.binomial(100, chances) / 100 if both else shape, rng.binomial(100, chances) / 100)
        for _ in range(2000)
    ]
    expected = np.mean([np.corrcoef(*pair)[0, 1] for pair in pairs])
    games = (100 if both else np.inf, 100)
    ends = np.array([claims_bias._correlation(*pair, games) for pair in pairs])
    missed = (ends[:, 0] > expected) | (ends[:, 1] < expected)
    assert missed.mean() < 0.006

    x, y = np.random.default_rng(1).random((2, 100))
    widths = [np.diff(claims_bias._correlation(x, y, (n, n)))[0] for n in (1e6, 4e6, np.inf)]
    assert widths == pytest.approx([widths[0], widths[0] / 2, 0], rel=1e-4)


@pytest.mark.parametrize(
    ("weight", "level", "follows"),
    [(1, 13, True), (-0.1, 13, False), (0, 13, False), (0, 0.01, None), (0.1, 13, None)],
)
@pytest.mark.parametrize("alike", [True, False])
def test_points_follow_the_classic_curve_or_not_or_cannot_tell(
    monkeypatch: Patch, weight: float, level: float, follows: bool | None, alike: bool
) -> None:
    """Noise like that of games, but uncorrelated with the curve, which is a part of the chances."""
    b = np.linspace(0.01, 1, 100)
    shape = claims_bias.classic(b)
    basis = np.stack([np.ones(100), shape])
    noise = np.random.default_rng(0).normal(size=100)
    noise -= np.linalg.lstsq(basis.T, noise, rcond=None)[0] @ basis
    lost = level * (1 + weight * (shape / shape.mean() - 1)) + np.sqrt(level) * noise
    monkeypatch.setattr(claims_bias, "digitised", lambda size: (b, lost))
    found = claims_bias.like_classic("5x5", alike=alike)
    assert found.tested
    assert found.holds is (None if follows is None else follows is alike)


def test_a_figure_of_the_cube_could_hardly_decide() -> None:
    """Drawn from the chances by true rules, nearly all are open; of many more games, none is."""
    found = claims_bias.cube_like_classic(rng=1)
    assert (found.holds, found.tested) == (None, True)
    [undecided, figures] = re.findall(r"decide: ([\d,]+) of ([\d,]+) simulated", found.reason)[0]
    assert int(undecided.replace(",", "")) > 0.9 * int(figures.replace(",", ""))
    assert (
        "by 0.61 with the 3x3 curve over all b, and by 0.89 up to b = 0.6; beyond, on 3x3x3, they "
        "rise, taken together (`ising-cube-beyond`)" in found.reason
    )
    assert found.reason == claims_bias.cube_like_classic(rng=1).reason


def test_games_that_fall_as_on_3x3_would_decide(monkeypatch: Patch) -> None:
    """A cube that lost what 3x3 loses, and no more beyond 0.6."""
    b = np.arange(101) / 100
    lost = pd.Series(claims_bias._scored(np.minimum(b, 0.7)), b)
    monkeypatch.setattr(claims_bias, "_losses_by_true_rules", lambda size: (40_000, lost))
    reason = claims_bias.cube_like_classic(200).reason
    assert "such a figure can decide: 0 of 200 simulated" in reason
    assert (
        "by 1.00 with the 3x3 curve over all b, and by 1.00 up to b = 0.6; beyond, on 3x3x3, they "
        "do not rise, taken together" in reason
    )


@pytest.mark.parametrize(
    ("one", "others", "alike", "holds"),
    [(True, [True, True], True, True), (True, [None], True, None), (None, [True], True, None),
     (True, [None, False], True, False), (False, [False, False], False, True),
     (False, [None], False, None), (False, [False, True], False, False)],
)  # fmt: skip
def test_the_points_of_all_boards_beside_must_answer_alike(
    monkeypatch: Patch, one: bool | None, others: list[bool | None], alike: bool,
    holds: bool | None,
) -> None:  # fmt: skip
    low, high = {True: (0.6, 0.9), False: (-0.9, 0.1), None: (0.1, 0.9)}[one]
    monkeypatch.setattr(claims_bias, "_expected_correlation", lambda shape, mean: 1.0)
    monkeypatch.setattr(claims_bias, "_correlation", lambda *points: (low, high))
    found = {str(i): Some(holds=answer, found=f"beside {i}") for i, answer in enumerate(others)}
    monkeypatch.setattr(claims_bias, "like_points", lambda size, other: found[other])
    row = claims_bias.like_classic("5x5", alike=alike, beside=list(found))
    assert row.holds is holds
    assert row.tested
    assert row.found.endswith("; ".join(["", *(one.found for one in found.values())]))


def test_points_of_one_shape_correlate_as_their_yardstick_says(monkeypatch: Patch) -> None:
    """Two boards whose chances have the shape of 3x3, drawn many times."""
    b = np.linspace(0.01, 1, 100)
    shape = claims_bias.classic(b) / claims_bias.classic(b).mean()
    rng = np.random.default_rng(0)
    here, there = (rng.binomial(100, mean * shape, (300, 100)) for mean in (0.02, 0.01))
    mean = np.mean([np.corrcoef(*pair)[0, 1] for pair in zip(here, there, strict=True)])
    found = {"one": (b, 2 * shape), "two": (b, shape), "few": (b[2:-1], shape[2:-1])}
    monkeypatch.setattr(claims_bias, "digitised", lambda size: found[size])
    told = claims_bias.like_points("one", "two").found
    assert float(told.split()[-1]) == pytest.approx(mean, abs=0.02)
    assert "over 97 b" in claims_bias.like_points("one", "few").found


@pytest.mark.parametrize(
    ("low", "high", "follows"),
    [(0.41, 1, True), (0.39, 1, None), (0, 0.41, None), (0, 0.39, False)],
)
def test_points_follow_others_above_half_of_the_product(
    monkeypatch: Patch, low: float, high: float, follows: bool | None
) -> None:
    """Correlations of 0.9 and 0.9 with the shape of 3x3 have a product of 0.81."""
    monkeypatch.setattr(claims_bias, "_expected_correlation", lambda shape, mean: 0.9)
    monkeypatch.setattr(claims_bias, "_correlation", lambda *points: (low, high))
    found = claims_bias.like_points("4x4", "3x3x3")
    assert (found.holds, found.tested) == (follows, True)


def test_a_mean_is_told_beside_that_of_the_points_of_the_figure(monkeypatch: Patch) -> None:
    fits(monkeypatch, {"5x5": [9.0, 10.0]})
    points = (np.array([0.1, 0.2]), np.array([1.0, 4.0]))
    monkeypatch.setattr(claims_bias, "digitised", lambda size: {"5x5": points}[size])
    found = claims_bias.mean_lost("5x5")
    assert found.values == [9.0, 10.0]
    assert "The 2 points that can be read off" in found.reason
    assert found.reason.endswith("a mean of 2.5.")


def test_the_classic_curve_is_the_one_that_was_played_a_step_earlier() -> None:
    at = claims_bias.classic(np.array([0.01, 0.51, 1.0]))
    played = [curve.at(meaning.scored_curve(), b).outcome.loss for b in (0.0, 0.5, 0.99)]
    assert at == pytest.approx([float(loss) for loss in played])


def test_the_expected_correlation_is_that_of_many_draws() -> None:
    shape = claims_bias.classic(np.linspace(0.01, 1, 100))
    chances = shape / shape.mean() * 0.05
    draws = np.random.default_rng(0).binomial(100, chances, size=(2000, 100))
    mean = np.mean([np.corrcoef(shape, drawn)[0, 1] for drawn in draws])
    assert claims_bias._expected_correlation(shape, 5.0) == pytest.approx(mean, abs=0.01)


@pytest.mark.parametrize(
    ("start", "most", "end", "holds"),
    [(0.2, 0.3, 0.3, False), (0.39, 0.41, 0.41, False), (0.1, 0.2, 0.2, True),
     (0.1, 0.2, 0.3, None), (0.1, 0.3, 0.4, False)],
)  # fmt: skip
def test_best_values_that_meet_by_both_counts_do_not_depend_on_n(
    monkeypatch: Patch, start: float, most: float, end: float, holds: bool | None
) -> None:
    """On the other board values from 0.2 on are among the best, to 0.4."""
    rows = [(start, most, (0, 7)), (most, end, (0, 6)), (end, 1, (1, 8))]
    curves = {"3x3": [(0.2, 0.4, (1, 5))], "4x4": rows}
    monkeypatch.setattr(claims_bias, "exact_curves", lambda: curves)
    found = claims_bias.depends_on_n()
    assert found.holds is holds
    assert "games are lowest at b = 0.64 to 0.67 in 40 replays of 3x3, at b = 0.01" in found.found
    common = re.findall(r"in common (none|[\d.]+ to [\d.]+)", found.found)
    assert [text == "none" for text in common] == [end <= 0.2, most <= 0.2]
    assert (
        "3x3 and 4x4 agree (4x4: 0.60 to 0.65), but 5x5 is lowest near b = 0, where most games are "
        "lost on 3x3." in found.reason
    )


@pytest.mark.parametrize("name", ["ising-depends-on-n", "ising-function-of-n"])
def test_both_words_for_how_sure_it_is_are_told(name: str) -> None:
    """Each where it stands, with the row of the other, and in that row's quote."""
    [said] = [word for word, row in claims_bias.HOW_SURE.items() if row == name]
    assert said in declared(name).quote
    [(word, row)] = [(w, r) for w, r in claims_bias.HOW_SURE.items() if r != name]
    assert word in declared(row).quote
    [judged] = judge([declared(name)])
    assert f"says '{said}' here, elsewhere '{word}' (`{row}`)." in judged.reason


@pytest.mark.parametrize(
    ("square", "large", "told"),
    [((0.1, 0.2), (0.05, 0.5), "disagree (4x4: 0.10 to 0.20), but 5x5 is lowest near b = 0, wh"),
     ((0.2, 0.3), (0.05, 0.5), "agree (4x4: 0.20 to 0.30), but 5x5 is lowest near b = 0, wh"),
     ((0.4, 0.5), (0.05, 0.5), "agree (4x4: 0.40 to 0.50), but 5x5 is lowest near b = 0, wh"),
     ((0.5, 0.6), (0.25, 0.5), "disagree (4x4: 0.50 to 0.60), but 5x5 is lowest near b = 0.25.")],
)  # fmt: skip
def test_parabolas_agree_if_their_lowest_points_overlap(
    monkeypatch: Patch, square: tuple[float, ...], large: tuple[float, ...], told: str
) -> None:
    lowest = {"3x3": (0.3, 0.4), "4x4": square, "5x5": large}
    monkeypatch.setattr(claims_bias, "_fits", lambda size, column: lowest[size])
    assert f"3x3 and 4x4 {told}" in claims_bias._why_depends()


def test_the_best_values_by_losses_are_one_stretch() -> None:
    """So where it begins and ends tells them all."""
    for rows in study.exact_curves().values():
        least = min(loss for *_, (loss, _) in rows)
        places = [i for i, (*_, (loss, _)) in enumerate(rows) if loss == least]
        assert places == list(range(places[0], places[-1] + 1))


def test_the_best_stretch_loses_least_and_then_wins_most() -> None:
    rows = [
        (0, 0.1, (1, 9)), (0.1, 0.2, (0, 7)), (0.2, 0.3, (0, 8)), (0.3, 0.3, (0, 8)),
        (0.3, 1.0, (0, 6)),
    ]  # fmt: skip
    pieces = [(low, high, (Fraction(a), Fraction(b))) for low, high, (a, b) in rows]
    assert study.best_stretch(pieces, wins=True) == (0.2, 0.3)
    assert study.best_stretch(pieces, wins=False) == (0.1, 1.0)


def test_both_exact_curves_span_the_axis() -> None:
    for rows in study.exact_curves().values():
        assert (rows[0][0], rows[-1][1]) == (0, 1)
        assert [end for _, end, _ in rows[:-1]] == [start for start, *_ in rows[1:]]


@pytest.mark.parametrize(
    ("percent", "follows"), [("99.4", True), ("99.3", False), ("99", True), ("99.42", False)]
)
def test_a_share_follows_from_the_losses(percent: str, follows: bool) -> None:
    assert claims_bias.weak_wins(percent).holds is follows


@pytest.mark.parametrize(
    ("late", "verdict"), [(0.0054, "differs"), (0.0056, "reproduced"), (0.0064, "reproduced"),
                          (0.0066, "differs")],
)  # fmt: skip
def test_about_six_is_what_rounds_to_six(monkeypatch: Patch, late: float, verdict: str) -> None:
    """By the exact chances from 0.4 on, whatever replays give and is lost before."""
    monkeypatch.setattr(curve, "at", lambda pieces, b: lost(late if b >= 0.4 else 1))
    fits(monkeypatch, {"3x3 fine": [9.0, 10.0]})
    row = judge([declared("ising-six-of-thousand")])[0]
    assert (row.verdict, row.accepts) == (verdict, None)
    assert row.reason.endswith(
        "2 replays of the sweep, with 1000 games at each b, give 9.00 to 10.00, 9.50 on average, "
        "from a printed b of 0.4 on."
    )


@pytest.mark.parametrize(
    ("name", "published"),
    [("ising-sweep-fine", "0.001 1000"), ("ising-sweep-coarse", "0.01 100"),
     ("ising-sweep-qubic", "0.1 10")],
)  # fmt: skip
def test_a_setting_of_a_sweep_is_adopted_if_the_stored_replay_has_it_and_replays_read_it(
    monkeypatch: Patch, name: str, published: str
) -> None:
    claim, table = declared(name), claims_bias.read_table("ising_program_sweeps.csv")
    monkeypatch.setattr(claims_bias, "_played", lambda size, games: games)
    monkeypatch.setattr(
        claims_bias, "program_sweep", lambda size, step, games, rng: range(round(1 / step))
    )
    assert judge([claim])[0].verdict == "adopted"
    last = table["sweep"] == claim.args["sweeps"][-1]
    others = (
        table.assign(games=table["games"].where(~last, 7)),
        table[~last | (table.groupby("sweep").cumcount() % 2 == 0)],
    )
    for other in others:
        monkeypatch.setattr(claims_bias, "read_table", lambda file, other=other: other)
        row = judge([claim])[0]
        assert row.verdict == "differs"
        assert row.ours != published
    monkeypatch.setattr(claims_bias, "read_table", lambda file: table)
    monkeypatch.setattr(claims_bias, "_played", lambda size, games: int("1000"))
    assert judge([claim])[0].verdict == "differs", "whatever is asked for, 1000 games are played"
    monkeypatch.setattr(claims_bias, "_played", lambda size, games: games)
    monkeypatch.setattr(claims_bias, "program_sweep", lambda size, step, games, rng: range(9))
    assert judge([claim])[0].verdict == "differs"


def test_a_replay_plays_the_games_that_are_asked_for() -> None:
    assert [claims_bias._played("3x3", games) for games in (7, 3)] == [7, 3]


def points(monkeypatch: Patch, **curves: object) -> None:
    """Published points: a parabola with noise on every board but those that are given."""
    b = np.linspace(0.01, 1, 100)
    noise = np.random.default_rng(0).normal(size=100)
    known = dict.fromkeys(("3x3x3", "4x4", "5x5", "6x6"), 9 * (b - 0.6) ** 2 + noise / 9)
    monkeypatch.setattr(claims_bias, "digitised", lambda size: (b, (known | curves)[size]))


def test_the_second_degree_suffices_unless_a_higher_one_predicts_clearly_better(
    monkeypatch: Patch,
) -> None:
    points(monkeypatch)
    assert claims_bias.second_degree().holds is None
    b = np.linspace(0.01, 1, 100)
    for size in ("3x3x3", "4x4", "5x5", "6x6"):
        wave = np.sin(9 * b) + np.random.default_rng(1).normal(size=100) / 9
        points(monkeypatch, **{size: wave})
        assert claims_bias.second_degree().holds is False
        assert claims_bias.second_degree(most=3).holds is None  # a cubic is no better at this wave


def test_the_second_degree_is_needed_if_all_higher_ones_are_clearly_worse(
    monkeypatch: Patch,
) -> None:
    gains = {"3x3x3": [-4.0, -3.1], "4x4": [-9.0, -3.1], "5x5": [-4.0, -4.0], "6x6": [-4.0, -4.0]}
    monkeypatch.setattr(claims_bias, "_gains", lambda size, most: gains[size])
    assert claims_bias.second_degree().holds is True
    gains["5x5"] = [-4.0, -2.9]
    assert claims_bias.second_degree().holds is None
    gains["5x5"] = [3.1, -4.0]
    assert claims_bias.second_degree().holds is False


def test_quadratic_chances_hardly_ever_show_the_second_degree_to_be_needed(
    monkeypatch: Patch,
) -> None:
    """Figures drawn from the parabolas of the published points, 100 games at each b."""
    rng = np.random.default_rng(0)
    for size in claims_bias.COMPARED:
        b, lost = claims_bias.digitised(size)
        chances = np.clip(np.polynomial.Polynomial.fit(b, lost, 2)(b) / 100, 0, 1)
        best = []
        for drawn in rng.binomial(100, chances, (100, len(b))).astype(float):
            monkeypatch.setattr(claims_bias, "digitised", always((b, drawn)))
            best.append(max(claims_bias._gains(size, 11)))
        monkeypatch.undo()
        assert np.mean(np.array(best) > -claims_bias.CLEARLY) > 0.95


def test_degrees_that_are_clearly_better_or_worse_are_told(monkeypatch: Patch) -> None:
    why = claims_bias.second_degree().reason
    assert "Clearly better than degree two: no higher degree on any board; clearly worse: " in why
    assert "clearly worse: 5 to 11 on 6x6, so the points do not decide." in why
    assert "where a higher degree comes closest to being better (degree 5), it would move" in why
    assert "the minimum to 1.00, the end of the range." in why
    gains = {"3x3x3": [-4.0, 0.0, -3.1], "4x4": [3.1, 3.2, 2.9], "5x5": [4.0, 0.0, 0.0]}
    monkeypatch.setattr(
        claims_bias, "_gains", lambda size, most: (gains | {"6x6": [0.0] * 3})[size]
    )
    why = claims_bias.second_degree().reason
    assert "degree two: 3, 4 on 4x4 and 3 on 5x5; clearly worse: 3, 5 on 3x3x3. They" in why
    assert "On 5x5, where a higher degree comes closest to being better (degree 3)" in why


def test_a_left_out_point_is_missed_as_by_a_fit_without_it(monkeypatch: Patch) -> None:
    points(monkeypatch)
    b, lost = claims_bias.digitised("4x4")
    for degree in (2, 5):
        found = claims_bias.left_out("4x4", degree)
        for i in (0, 40, 99):
            rest = np.arange(100) != i
            fit = np.polynomial.Polynomial.fit(b[rest], lost[rest], degree)
            assert found[i] == pytest.approx(lost[i] - fit(b[i]))


def test_the_worst_of_a_cube_is_the_agents_own() -> None:
    """The program's energy is safe where the text's no longer is, and neither is at 0 or 0.8."""
    found = {b: [claims_bias.cube_worst(e, b) for e in ("published", "equation")]
             for b in (0.0, 0.5, 0.68, 0.8)}  # fmt: skip
    assert found == {0.0: [-1, -1], 0.5: [1, 1], 0.68: [1, -1], 0.8: [-1, -1]}


@pytest.mark.parametrize(
    ("program", "text", "holds"),
    [(ALL_WON, ALL_WON, False), (ONE_DRAWN, ONE_DRAWN, True), (ALL_WON, ONE_DRAWN, None),
     (ONE_DRAWN, ALL_WON, None), ((1000, 999, 1000), ALL_WON, False),
     ((1000, 1000, 999), ONE_DRAWN, True)],
)  # fmt: skip
def test_games_tell_if_beatable_players_do_not_win_them_all(
    monkeypatch: Patch, program: Sequence[int], text: Sequence[int], holds: bool | None
) -> None:
    """With either energy; each player can be beaten at the first and the last b."""
    tables = {"published": program, "equation": text}
    frame = pd.DataFrame({"games": 1000}, index=[0.0, 0.5, 1.0])
    monkeypatch.setattr(
        claims_bias,
        "self_play",
        lambda size, energy="published": frame.assign(win=tables[energy]),
    )
    monkeypatch.setattr(claims_bias, "cube_worst", lambda energy, b: 1 if b == 0.5 else -1)
    found = claims_bias.games_tell()
    assert found.holds is holds
    assert not found.tested
    assert found.found.startswith("by true rules, of 3 values of b with 1,000 games each: at 2 of")
    assert claims_bias.fails_if_beatable("equation") is (text != ALL_WON)
    assert ("Which comparison is meant is open." in found.reason) is (holds is None)


@pytest.mark.parametrize(
    ("beaten", "winning", "told"),
    [(0, 0, "which nobody beats, there is nothing"), (4, 4, "wins all of its games wherever"),
     (4, 3, "which at some of"), (4, 2, "which at some of"), (4, 1, "which at most of")],
)  # fmt: skip
def test_what_games_of_beatable_players_tell(
    monkeypatch: Patch, beaten: int, winning: int, told: str
) -> None:
    monkeypatch.setattr(claims_bias, "_beaten_but_winning", lambda energy: (beaten, winning))
    assert told in claims_bias._tell("equation")


def test_own_results_are_those_of_the_programs_matches_and_of_its_sweeps(
    monkeypatch: Patch,
) -> None:
    def simulate(program: int, grid: Grid, players: str, b: float, games: int, rng: int) -> object:
        assert (grid.name, players, games) == ("5x5x5", "II", claims_bias.OWN_GAMES)
        return program, b, rng

    monkeypatch.setattr(claims_bias, "PUBLISHED", 7)
    monkeypatch.setattr(claims_bias, "SWEEP", 8)
    monkeypatch.setattr(claims_bias, "simulate", simulate)
    found = claims_bias.own_results.__wrapped__("5x5x5", (4, 5))
    assert found.tolist() == [[[7, 4, 0], [7, 5, 1]], [[8, 4, 0], [8, 5, 1]]]


def test_the_row_on_4x4x4_names_the_values_of_b_that_won_every_game() -> None:
    text, program = (claims_bias.self_play("4x4x4", name) for name in ("equation", "published"))
    every = [f"{b:g}" for b in text.index[text["win"] == text["games"]]]
    [games] = text["games"].unique()
    reason = declared("ising-qubic-cause").reason
    assert reason.endswith(f"b = {', '.join(every[:-1])} and {every[-1]} won all {games:,} games.")
    assert "with the program's no b comes near that" in reason
    assert (program["win"] / program["games"]).max() < 0.75


@pytest.mark.parametrize("other", ["board", "energy"])
def test_other_boards_and_energies_do_not_count(monkeypatch: Patch, other: str) -> None:
    """Rows that would turn each answer round, but belong elsewhere."""
    found = np.full((2, 3, 3), 50)
    monkeypatch.setattr(claims_bias, "own_results", lambda size, biases: found)
    for claim in (claims_bias.cause_on_qubic, claims_bias.cause_on_five):
        real = games(win=(500, 500, 500))["read_table"]()
        wrong = real.assign(**{other: "other"}, win=[0, 100, 900] * 6, draw=[900, 0, 0] * 6)
        both = pd.concat([real, wrong])
        monkeypatch.setattr(claims_bias, "read_table", lambda file, both=both: both)
        assert not claim().holds


@pytest.mark.parametrize("energy", ["published", "equation"])
def test_losses_by_true_rules_are_those_of_the_energy(energy: str) -> None:
    table = read_table("ising_sweeps.csv").set_index(["energy", "players", "board"])
    rows = table.loc[energy, "RI", "5x5"].set_index("b")
    games, lost = claims_bias._losses_by_true_rules("5x5", energy)
    assert games == rows["games"].min()
    assert (lost == rows["win"] / rows["games"]).all()


# ---------------------------------------------------------------------------- sweeps


@pytest.mark.parametrize(
    ("played", "verdict"),
    [((0.0, 0.5, 1.0), "reproduced"), ((0.0, 0.99), "not testable"),
     ((0.01, 1.0), "not testable"), ((0.0, 1.01), "refuted")],
)  # fmt: skip
def test_a_sweep_from_0_to_1_plays_both_ends_or_values_between(
    monkeypatch: Patch, played: tuple[float, ...], verdict: str
) -> None:
    monkeypatch.setattr(claims_bias, "program_biases", lambda step: np.array(played))
    [row] = judge([declared("ising-sweep-range")])
    assert row.verdict == verdict
    assert f"with step 0.01 it plays b = {played[0]:g} to {played[-1]:g};" in str(row.ours)
    assert row.reason.endswith("from 0.01 to 1, show b = 0 to 0.99.")


def test_one_sweep_that_plays_both_ends_does_not_settle_the_others() -> None:
    """Rounding lets the one with step 0.1 play 1, too."""
    found = claims_bias.sweep_range(0, 1)
    assert found.holds is None
    assert found.found.endswith(
        "step 0.01 it plays b = 0 to 0.99; with step 0.1 it plays b = 0 to 1"
    )
    assert "both ends does not hold, that the range is the one from which b is taken holds" in (
        found.reason
    )


@pytest.mark.parametrize(
    ("degrees", "verdict"), [((11, 2, 1), "adopted"), ((9, 2, 1), "differs"), ((11, 2), "differs")]
)
def test_degrees_are_those_that_replays_draw(
    monkeypatch: Patch, degrees: tuple[int, ...], verdict: str
) -> None:
    sweeps = {f"{degree}": ("3x3", 0.1, 10, degree) for degree in degrees}
    monkeypatch.setattr(
        claims_bias, "PROGRAM_SWEEPS", sweeps | {"4x4": ("4x4", 0.01, 100, degrees[1])}
    )
    assert judge([declared("ising-fit-degrees")])[0].verdict == verdict


def test_a_degree_that_changes_no_fit_is_not_read(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims_bias, "_fitted", lambda b, lost, degree: lost)
    assert not claims_bias.fit_degrees().read


@pytest.mark.parametrize(
    ("points", "fit", "holds"),
    [(0.5, 0.5, True), (0.19, 0.19, False), (0.19, 0.5, None), (0.5, 0.19, None)],
)
def test_a_coarse_sweep_shows_less_by_its_points_and_by_its_fit(
    monkeypatch: Patch, points: float, fit: float, holds: bool | None
) -> None:
    """The fine one leaves a tenth open, either way."""
    for name, coarse in (("_chance", points), ("_unexplained", fit)):
        left = {"3x3 fine": 0.1, "3x3": coarse}
        monkeypatch.setattr(claims_bias, name, lambda sweep, degree=2, left=left: left[sweep])
    assert claims_bias.coarse_beside_fine().holds is holds


def test_the_points_lie_in_the_games_and_the_fits_in_the_degree() -> None:
    found = claims_bias.coarse_beside_fine()
    assert found.found.startswith(
        "chance makes up 2.1% (fine) and 16.8% (coarse) of how the points"
    )
    assert "leave 2.3% and 21.3% of the exact curve" in found.found
    assert "one of degree 2 through the fine sweep would leave 21.4%" in found.reason
    assert "(correlation 0.83)" in found.reason


def test_the_part_of_chance_is_that_of_many_draws() -> None:
    b = bias_grid(0.01)[:-1]
    chances = claims_bias._scored(b)
    drawn = np.random.default_rng(0).binomial(100, chances, (2000, len(b))) / 100
    noise = np.mean((drawn - chances) ** 2)
    assert claims_bias._chance("3x3") == pytest.approx(noise / (noise + chances.var()), abs=0.003)


def test_a_fit_that_could_follow_the_staircase_leaves_nothing(monkeypatch: Patch) -> None:
    assert 0.01 < claims_bias._unexplained("3x3 fine") < 0.05 < claims_bias._unexplained("3x3")
    monkeypatch.setattr(claims_bias, "_scored", lambda b: b * b)
    assert claims_bias._unexplained("3x3") == pytest.approx(0)

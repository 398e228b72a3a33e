"""What answers a claim of document 3, on other data than the stored."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from claim_answers import (
    Parts,
    Patch,
    Row,
    always,
    answer,
    checks_of,
    in_turn,
    made,
    patch,
)

from ttt_lib.evidence import significance
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.exact import Outcome
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import winning_cells
from ttt_lib.ntuple import analysis, claims
from ttt_lib.ntuple.network import Network, Patterns
from ttt_lib.ntuple.training import train


def valued(state: Iterable[int], value: int) -> GameTree:
    """The game tree with another value of some states."""
    tree = copy(analysis.tree3())
    values = tree.value.copy()
    values[list(state)] = value
    vars(tree)["value"] = values
    return tree


def answers(won: float, drawn: float, lost: float) -> Parts:
    """Networks that answer so wherever X wins, draws or loses."""
    output = np.array([drawn, won, lost])[analysis.tree3().value]
    return {"trained": made(predict=always(output))}


def larger(entries: int, big: int) -> Parts:
    """So many entries are larger than that of XXX, but none in the first tables of eight."""

    def table(line: int) -> np.ndarray:
        found = np.zeros((2, 27))
        found[0, : entries if line >= big else 0] = 1
        return found

    return {"trained": made(table=table)}


def lost_at(*losses: tuple[int, int, str]) -> Parts:
    """Three seeds and three epochs: each loss is a seed, an epoch and a side."""
    rows = [
        (s, e, *(-1 if (s, e, side) in losses else 0 for side in "xo"))
        for s in range(3)
        for e in (1, 2, 3)
    ]
    table = pd.DataFrame(rows, columns=["seed", "epoch", "worst_x", "worst_o"])
    table["misplayed"] = 10 * table.epoch + table.seed
    return {"epochs": always(table)}


def losing(perfect: str, anybody: str) -> Parts:
    """Which seeds lose to the perfect player (1), and which to somebody."""
    return {"tables": always([*perfect]), "soundness": in_turn(
                *(SimpleNamespace(never_loses=seed == "0") for seed in anybody)),
            "analysis.play": lambda table, _: SimpleNamespace(
                both=SimpleNamespace(loss=Fraction(int(table), 8)))}  # fmt: skip


def misplaying(side: int, seeds: int = 20) -> Parts:
    """So many of twenty seeds misplay a position that the games of one side alone reach."""
    seen = np.arange(len(analysis.tree3())) == 1
    return {"misplayed": in_turn(*[[1]] * seeds, *[[]] * (20 - seeds)),
            "reachable": lambda tree, table, of: seen & (of == side)}  # fmt: skip


def opening(*cells: int, first: int | None = None) -> Parts:
    """A table that takes any of these cells in all states; another one in the first."""
    table = np.zeros((len(analysis.tree3()), 9), dtype=np.int64)
    table[:, cells] = 1
    if first is not None:
        table[0] = np.eye(9, dtype=np.int64)[first]
    return {"tables": always([table])}


def replies(corner: int, centre: int, *most: bool) -> Parts:
    """So many replies lose to a corner and to the centre, and none to the other seven openings.

    And whether the centre wins most often with the later moves of either player.
    """
    after = analysis.tree3().children[analysis.tree3().children[0]]
    tree = valued(after[after >= 0], 0)
    tree.value[[*after[4, :centre], *after[0, 1 : 1 + corner]]] = 1
    traps = SimpleNamespace(most=1, choices=1, by_chance=1.0, missed=())
    wins = [[Fraction(1, 2)] * 4 + [Fraction(1 + centre, 3)] + [Fraction(1, 2)] * 4
            for centre in most]  # fmt: skip
    return {"analysis.tree3": always(tree), "analysis.traps": always(traps),
            "analysis.wins_by_opening": in_turn(*wins)}  # fmt: skip


def handed_over(first: int, last: int) -> Parts:
    """X's opening brings so many hundredths, before and after its other move, of all that loses.

    The whole lead is 40 hundredths, that as X 20.
    """
    orders = {frozenset(): Fraction(first, 100), frozenset({2}): Fraction(last, 100)}
    without = SimpleNamespace(first=SimpleNamespace(win=Fraction(100 - first, 100)))
    gains = {0: Fraction(1, 20), 1: Fraction(1, 10), 2: Fraction(1, 20)}
    return {"analysis.gains_by_order": always({0: orders}), "gains": always(gains),
            "analysis.play": always(without)}  # fmt: skip


def gaining(*twentieths: int) -> Parts:
    """The least and the most, by order, that X's opening brings, and O's first reply."""
    shares = [Fraction(of, 20) for of in twentieths]
    orders = {ply: dict(enumerate(shares[2 * ply : 2 * ply + 2])) for ply in (0, 1)}
    return {"analysis.gains_by_order": always(orders),
            "gains": always({0: Fraction(1, 4), 1: Fraction(1, 4)})}  # fmt: skip


def two_with_a_gap(side: int, *, also: bool) -> np.ndarray:
    """Which unfinished states with X X _ and this side to move have O O _, too, or haven't."""
    tree = analysis.tree3()
    x, o = (winning_cells(tree.grid, tree.boards, np.full(len(tree), of)).any(axis=1)
            for of in (1, -1))  # fmt: skip
    return np.flatnonzero(x & (o == also) & ~tree.finished & (tree.ply % 2 == (side == -1)))


def with_a_gap(x: int, o: int, others: int = 0) -> Parts:
    """The value of all positions with X X _, by the side to move, and of all others."""
    tree = valued(range(len(analysis.tree3())), others)
    for side, value in ((1, x), (-1, o)):
        for also in (True, False):
            tree.value[two_with_a_gap(side, also=also)] = value
    return {"analysis.tree3": always(tree)}


def taught(factor: float) -> Parts:
    """The codes of loss and win in the training, times a factor."""
    targets = analysis.tree3().value * factor
    return {"training.positions": always(SimpleNamespace(targets=targets))}


def digitised(digits: Sequence[int]) -> Callable[..., object]:
    """Patterns whose single cell has these digits: empty, X, O."""
    return always(SimpleNamespace(entry_of=lambda t, boards: np.array(digits)[boards[:, 0]]))


VERDICTS: list[Row] = [
    ("two in a row are good if X wins more, and more than without them, on either side's move",
     claims.two_is_good, with_a_gap,
     [(1, 1, True), (1, 0, None), (0, 1, None), (1, -1, None), (-1, 1, None), (0, 0, False),
      (-1, -1, False), (0, 0, -1, None)]),
    ("nothing is forced on O if it doesn't win with two of its own",
     partial(claims.two_in_a_row, -1),
     lambda value: {"analysis.tree3": always(valued(two_with_a_gap(-1, also=True)[:1], value))},
     [(0, False), (1, False), (-1, True)]),
    ("the side to move is counted if tables without it are smaller", claims.table_shape,
     lambda *sizes: {"Patterns": in_turn(
         *(SimpleNamespace(tuples=range(8), sizes=[size]) for size in sizes))},
     [(54, 27, ("8 54", True)), (54, 54, ("8 54", False)), (27, 54, ("8 27", True))]),
    *(("two in a row would mean nothing if all were drawn", partial(claims.two_in_a_row, side),
       lambda: {"analysis.tree3": always(valued(range(len(analysis.tree3())), 0))}, [(False,)])
      for side in (1, -1)),
    ("one threat of X that does not win is enough", partial(claims.two_in_a_row, 1),
     lambda board: {"analysis.tree3": always(valued(
         analysis.tree3().index(parse(board, analysis.tree3().grid)[None]), 0))},
     [("xx.oo....", False)]),
    ("another network with another rank would not be the same", claims.two_networks,
     lambda *ranks: {"rank": in_turn(*ranks)}, [(5, 6, False), (6, 5, False)]),
    ("a probability of winning is judged with draws as half wins and without",
     claims.winning_chance, answers,
     [(1, 0, -1, None),  # expected points, but no chance of a win alone
      (1, -1, -1, None),  # the other way round
      (1, -0.5, -1, False), (0.5, 0, -0.5, False), (1, 0.7, -1, False), (1, 0, -0.62, None),
      (1, 0, -0.58, False)]),
    ("with a single draw both readings are nearly one", claims.winning_chance,
     lambda *told: {**answers(*told), "analysis.tree3": always(
         valued(np.flatnonzero(analysis.tree3().value == 0)[1:], 1))},
     [(1, 1, -1, True)]),
    ("likely big is among the three largest in most tables", claims.complete_lines, larger,
     [(2, 0, True), (3, 0, False), (3, 4, False), (3, 5, True)]),
    ("digits are read if others give another position another value", claims.coding_read,
     lambda digits, weights: {
         "trained": always(Network(Patterns(Grid(3)), weights)),
         "Patterns": digitised(digits)},
     [([0, 1, 2], np.arange(433.0) / 9999, ("0 1 2", True)),
      ([0, 2, 1], np.arange(433.0) / 9999, ("0 2 1", True)),
      ([0, 1, 2], np.ones(433) / 99, ("0 1 2", False))]),
    ("what is added with O to move is the same for every line", claims.side_read,
     lambda side, *errors: {
         "Patterns": lambda grid, **_: Patterns(grid, side=side),
         "train": in_turn(*(SimpleNamespace(errors=[one]) for one in errors))},
     [(True, 0.1, 0.2, ("27", True)), (True, 0.1, 0.1, ("27", False)),
      (False, 0.1, 0.2, ("0", True))]),
    ("the activation is tanh if an epoch by it leaves our weights", claims.activation_read,
     lambda ours, by_tanh, bare: {
         "train": made(network=SimpleNamespace(weights=np.array([ours]))),
         "_first_epoch": in_turn(np.array([by_tanh]), np.array([bare]))},
     [(0.1, 0.1, 0.2, ("tanh", True)), (0.2, 0.1, 0.2, ("another", False)),
      (0.1, 0.1, 0.1, ("tanh", False)), (0.3, 0.1, 0.2, ("another", True))]),
    ("the values of wins are those that are taught", claims.perspective_read,
     lambda factor, *worst: {**taught(factor), "_worst_by_sign": {1: worst}.__getitem__},
     [(1, [0, 0], [0, -1], ("1 -1", True)), (1, [0, -1], [0, -1], ("1 -1", False)),
      (-1, [0, 0], [0, -1], ("-1 1", True)), (0.5, [0], [-1], ("0.5 -0.5", True))]),
    ("all values are known if each follows from its moves", claims.values_known,
     lambda state, value: {"analysis.tree3": always(valued([state], value))},
     [(0, 0, True), (0, 1, False), (5477, -1, False), (1, 1, False), (9, -1, False)]),
    ("both ways to train must make a network that nobody beats", claims.two_ways_to_train,
     lambda constant, falling, lost: {
         "read_table": always(pd.DataFrame(
             [(of, way, 0, games, games == 9 and of == "none" and safe)
              for of in ("none", "symmetric") for games in (8, 9)
              for way, safe in (("constant", constant), ("falling", falling))],
             columns=["sharing", "way", "seed", "games", "never_loses"])),
         **lost_at(*((seed, 3, "x") for seed in range(lost)))},
     [(True, False, 0, True), (False, True, 2, True), (False, False, 0, (None, True)),
      (True, True, 3, (None, True))]),
    # The worst results of each seed with the minus and without.
    ("the minus is taken if the worst results differ without it", claims.minus_for_o,
     lambda *worst: {"SEEDS": range(2), "tables": always([None, None]),
                     "worst_result": in_turn(*worst)},
     [(0, -1, 0, -1, ("minus", True)), (0, 0, 0, -1, True), (0, 0, -1, -1, False)]),
    *(("a setting of the training is read if it changes the error", claim,
       lambda *errors: {"train": in_turn(*(SimpleNamespace(errors=[one]) for one in errors))},
       [(0.1, 0.2, True), (0.2, 0.1, True), (0.1, 0.1, False)])
      for claim in (claims.rate_read, claims.epochs_read)),
    ("settings work if no seed loses at last", claims.settings_work,
     lambda epoch: lost_at((1, epoch, "x")), [(2, True), (3, False)]),
    ("one seed that can lose to the perfect player is enough", claims.never_loses, losing,
     [("00", "00", True), ("00", "11", True), ("01", "00", False), ("10", "11", False)]),
    ("one seed that misplays no position of its own games shows what can be, all what suffices",
     claims.perfect_player, misplaying,
     [(-1, 20, False), (-1, 19, None), (-1, 1, None), (-1, 0, True)]),
    ("perfect play is asked of on either side", claims.perfect_player, misplaying,
     [(1, False), (-1, False)]),
    ("to beat is to win more than one loses", claims.beats_inferior,
     lambda name, wins: {"chance": lambda _, other: SimpleNamespace(
         win=Fraction(wins if other == name else 3, 5), loss=Fraction(2, 5))},
     [("random", 2, False), ("ply 3", 2, False), ("ply 3", 1, False)]),
    ("more wins than the perfect player", claims.beats_random_more,
     lambda ours: {"chance": lambda who, _: SimpleNamespace(
         win=Fraction({"network": ours, "perfect": 3}[who], 5))},
     [(4, True), (3, False), (2, False)]),
    ("the centre is taken if nothing else may be", claims.takes_centre, opening,
     [(4, True), (0, 4, False), (0, False), (3, False)]),
    ("one opening elsewhere is enough", claims.takes_centre,
     lambda first: opening(4, first=first), [(None, True), (0, False)]),
    ("one opening that is won or lost is not a draw", claims.openings_drawn,
     lambda opening, value: {"analysis.tree3": always(valued([opening], value))},
     [(1, 1, False), (9, -1, False), (5, 0, True)]),
    ("one opening with more losing replies than the centre is enough, if one wins more often, too",
     claims.centre_maximises_replies, replies,
     [(1, 2, True, True, True), (2, 2, True, True, True), (3, 2, False, False, False),
      (8, 0, False, False, False), (3, 2, True, True, None), (1, 2, False, False, None),
      (1, 2, True, False, None), (3, 2, False, True, None)]),
    ("an opening costs wins but few of them", claims.opening_costs, handed_over,
     [(1, 0, True), (9, 20, True), (0, 1, False), (-1, 1, False), (10, 0, False),
      (11, 0, False)]),
    ("most of the gain in every order or in none, with O's first reply and without",
     claims.because_of_centre, gaining,
     [(11, 12, 0, 2, True), (6, 8, 6, 8, None), (10, 12, 1, 2, None), (11, 12, -4, -2, None),
      (5, 6, 5, 6, None), (4, 5, 4, 5, False), (2, 10, -1, 0, False)]),
]  # fmt: skip
"""In each row a sentence, what answers, what it is given, and in each case the answer."""


test_the_answer_follows_what_is_given = checks_of(VERDICTS)


# ---------------------------------------------------------------------------- definition


@pytest.mark.parametrize(
    ("least", "most", "holds"),
    [(0.3, 0.4, True), (0.2, 0.4, None), (0.1, 0.4, None), (0.05, 0.1, None), (0.05, 0.09, False)],
)
def test_the_side_is_needed_if_every_seed_errs_more_without_it(
    monkeypatch: Patch, least: float, most: float, holds: bool | None
) -> None:
    rows = pd.DataFrame({"parameters": "", "never_loses": [3, 18], "seeds": 20,
                         "error_least": [least, 0.1], "error_most": [most, 0.2]},
                        ["no side to move", "document"])  # fmt: skip
    monkeypatch.setattr(claims, "variants", lambda: rows)
    found = claims.side_to_move()
    assert (found.holds, found.tested) == (holds, True)
    assert "17 of 20 such tables can lose, and 2 of 20 with it" in found.reason


@pytest.mark.parametrize("safe", [True, False])
def test_tables_without_the_side_are_spared_if_some_never_lose(
    monkeypatch: Patch, safe: bool
) -> None:
    monkeypatch.setattr(claims, "blind_tables_never_lose", lambda: safe)
    assert ("never lose" in claims.side_to_move().reason) is safe


def test_blind_tables_that_can_lose_are_noticed(monkeypatch: Patch) -> None:
    """Equal weights value all boards alike."""
    monkeypatch.setattr(claims.move_order, "safe_order", always(np.ones(217, dtype=np.int64)))
    assert not claims.blind_tables_never_lose.__wrapped__()


ENDS = [
    (0.91, 0.9, -0.91, True),
    (0.91, -0.9, -0.91, True),
    (0.91, 0.91, -0.91, False),
    (0.91, -0.91, -0.91, False),
    (-0.91, 0, 0.91, False),
    (0.91, 0, -0.9, False),
    (0.9, 0, -0.91, False),
]
"""What is said of a win, a draw and a loss, and whether an end is what it means."""


@pytest.mark.parametrize("factor", [1, -1, 0.5])
@pytest.mark.parametrize(("won", "drawn", "lost", "meant"), ENDS)
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_the_ends_are_codes_and_what_outputs_near_them_mean(
    monkeypatch: Patch, won: float, drawn: float, lost: float, meant: bool, factor: float
) -> None:
    """An end that no output comes near means nothing."""
    parts = answers(won, drawn, lost) | taught(factor)
    found, codes = answer(monkeypatch, claims.ends_of_range, parts), factor == 1
    assert found.holds is (meant if codes == meant else None)
    assert ("it holds by the way" in found.reason, "it fails" in found.reason) == (codes, not codes)
    assert not found.tested


@pytest.mark.parametrize(
    ("wrong", "value", "holds", "passed"),
    [
        (13, 0, True, (20, 20)),
        (14, 0, None, (20, 0)),
        (69, -1, None, (20, 0)),
        (70, -1, None, (0, 0)),
    ],
)
@pytest.mark.parametrize("side", [1, -1])
def test_how_nearly_all_outputs_near_an_end_must_be_what_it_means(
    monkeypatch: Patch,
    side: int,
    wrong: int,
    value: int,
    holds: bool | None,
    passed: tuple[int, int],
) -> None:
    """Of 1,400 positions that are said to be lost or won so many are not."""
    tree, of = analysis.tree3(), 1400
    output = np.array([0.0, 1.0, -1.0])[tree.value]
    others = np.flatnonzero(tree.value == value * side)[:wrong]
    output[np.flatnonzero(output == side)[of - wrong :]] = 0
    output[others] = side
    assert (output == side).sum() == of
    network = SimpleNamespace(predict=lambda boards: output)
    monkeypatch.setattr(claims, "trained", lambda grid, seed: network)
    found = claims.ends_of_range()
    assert found.holds is holds
    some, most = passed
    told = f"more than 95% are so for {some} of 20 seeds, and more than 99% for {most} of 20."
    assert f"at either end {told}" in found.reason
    there = "those above 0.9 are wins" if side == 1 else "outputs below -0.9 are losses"
    assert f"{1 - wrong / of:.1%} of {there}" in found.found
    assert f"others there are {'not all ' * (value != 0)}draws" in found.reason


def test_a_chance_is_off_by_the_mean_of_its_worst_bin() -> None:
    """0.31 and 0.35 share a bin with one win, 0.92 and 1 another with two."""
    read, won = np.array([0.31, 0.35, 0.92, 1.0]), np.array([True, False, True, True])
    assert claims.off_by(read, won) == pytest.approx(0.5 - 0.33)
    assert claims.off_by(read, ~won) == pytest.approx(0.96)


def test_a_full_line_of_another_value_is_noticed(monkeypatch: Patch) -> None:
    tree = analysis.tree3()
    lost = valued(np.flatnonzero(tree.winner == 1)[:1], 0)
    monkeypatch.setattr(analysis, "tree3", lambda: lost)
    found = claims.full_lines()
    assert not found.holds
    assert found.found.startswith("625 of 626")


def test_the_first_epoch_is_that_of_the_training() -> None:
    """Position by position, in the same order; by another slope it is not."""
    ours = train(rng=claims.SEEDS[0], epochs=1).network.weights
    assert np.allclose(claims._first_epoch(math.tanh, lambda y: 1 - y * y), ours)
    assert not np.allclose(claims._first_epoch(math.tanh, lambda y: 1.0), ours)


@pytest.mark.parametrize("side", [1, -1])
def test_a_network_read_with_the_other_sign_loses_on_its_side(
    monkeypatch: Patch, side: int
) -> None:
    """By networks that know every value: turned round they give every win away."""
    tree = analysis.tree3()
    known = claims.table_of_values(tree, tree.value)
    monkeypatch.setattr(claims, "SEEDS", range(2))
    monkeypatch.setattr(claims, "tables", always([known, known]))
    monkeypatch.setattr(claims, "trained", made(predict=always(tree.value / 2)))
    assert claims._worst_by_sign(side) == ([0, 0], [-1, -1])


def test_another_activation_has_another_slope(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "squash", math.tanh)
    assert claims.derivative().holds
    for nearly in (0.5, 1 - 1e-7):
        monkeypatch.setattr(claims, "squash", lambda x, nearly=nearly: math.tanh(nearly * x))
        assert not claims.derivative().holds


# ---------------------------------------------------------------------------- training


@pytest.mark.parametrize(
    ("errors", "holds"),
    [
        ((0.4, 0.3, 0.2), True),
        ((0.4, 0.3, 0.3), False),  # stays at the last pass
        ((0.4, 0.4, 0.3), False),  # at the second
        ((0.4, 0.3, 0.31), False),
        ((0.2, 0.3, 0.1), False),  # rises, though it ends lower
        ((0.4, math.nan, 0.2), False),
    ],
)
@pytest.mark.parametrize("seed", [(0.3, 0.2, 0.1), (0.1, 0.2, 0.3), (0.3, 0.1, 0.2)])
def test_the_error_of_every_order_must_fall_at_every_pass(
    monkeypatch: Patch, errors: tuple[float, ...], seed: tuple[float, ...], holds: bool
) -> None:
    """Whatever a shuffled training does."""
    orders = [("regular", "one", (0.5, 0.4, 0.3)), ("random", "two", errors)]
    rows = [(kind, order, epoch, error)
            for kind, order, errors in orders for epoch, error in enumerate(errors)]  # fmt: skip
    stored = {"ntuple_orders.csv": pd.DataFrame(rows, columns=["kind", "order", "epoch", "error"]),
              "ntuple_curves.csv": pd.DataFrame([(0, 0.3, 0.3, 0.1), (1, *seed)],
                                                columns=["seed", *"abc"])}  # fmt: skip
    monkeypatch.setattr(claims, "read_table", stored.__getitem__)
    found = claims.decreasing()
    assert found.holds is holds
    assert f"in {1 + holds} of 2 orders" in found.found
    assert "from each of the 3 passes" in found.found
    assert "1 regular orders and 1 random" in found.reason
    lower, rises = 1 + (seed[-1] < seed[0]), int(seed[1:] != (0.2, 0.1))
    assert f"first printed value for {lower} of 2 seeds" in found.reason
    assert f"rises at least once for {rises} of them" in found.reason


@pytest.mark.parametrize(("printed", "rises"), [("3 2 1", False), ("3 1 2", True)])
def test_the_published_errors_are_said_to_rise_if_they_do(
    monkeypatch: Patch, printed: str, rises: bool
) -> None:
    monkeypatch.setattr(claims, "declared", made(published=printed))
    assert ("so it does in the published run" in claims.decreasing().reason) is rises


def test_a_seed_is_steady_from_the_epoch_after_its_last_loss(monkeypatch: Patch) -> None:
    patch(monkeypatch, claims.__name__, lost_at((0, 1, "o"), (0, 3, "x"), (2, 2, "o")))
    assert claims.steady_from().tolist() == [4, 1, 3]


# ---------------------------------------------------------------------------- play


@pytest.mark.parametrize("anybody", ["00", "01", "11"])
def test_who_else_beats_the_network_is_told(monkeypatch: Patch, anybody: str) -> None:
    reason = answer(monkeypatch, claims.never_loses, losing("00", anybody)).reason
    assert ("Nor against anybody" in reason) is (anybody == "00")
    assert (f"But somebody can beat {anybody.count('1')} of them" in reason) is (anybody != "00")


def test_the_perfect_player_opens_anywhere_alike() -> None:
    assert len(set(analysis.opponent("perfect")[0])) == 1


def test_networks_that_differ_have_no_one_chance(monkeypatch: Patch) -> None:
    players = [analysis.opponent(name) for name in ("perfect", "random")]
    monkeypatch.setattr(claims, "tables", lambda: players)
    with pytest.raises(ValueError, match="differ against random"):
        claims.sides.__wrapped__("network", "random")


@pytest.mark.parametrize(
    "rows", ["50 0 49", "50 0 50 100 0 101", "50 0 50 30 0 170", "50 1 49", "50 0 50 99 1 100"]
)
def test_rows_that_count_no_match_are_refused(rows: str) -> None:
    exact = SimpleNamespace(win=Fraction(1, 2), draw=Fraction(1, 2), loss=Fraction(0))
    assert "in 2 rows, which add up;" in claims.counted("50 0 50 100 0 100", exact)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="row"):
        claims.counted(rows, exact)  # type: ignore[arg-type]


@pytest.mark.parametrize("impossible", ["win", "draw", "loss"])
def test_a_result_that_cannot_happen_is_in_no_row(impossible: str) -> None:
    chances = dict.fromkeys(("win", "draw", "loss"), Fraction(1, 3))
    assert "in 1 rows" in claims.counted("40 30 30", Outcome(**chances))
    with pytest.raises(ValueError, match=r"row 1 of the table adds \[40, 30, 30\]"):
        claims.counted("40 30 30", Outcome(**chances | {impossible: Fraction(0)}))


def test_wins_alone_tell_nothing_where_a_player_can_lose(monkeypatch: Patch) -> None:
    third = Fraction(1, 3)
    can_lose = SimpleNamespace(both=Outcome(third, third, third))
    monkeypatch.setattr(claims, "sides", lambda player, opponent: can_lose)
    with pytest.raises(ValueError, match="network can lose to random"):
        claims.match("network", "random")


@pytest.mark.parametrize(("wins", "likely"), [(840, False), (841, True), (903, True), (904, False)])
def test_other_wins_would_be_rejected(wins: int, likely: bool) -> None:
    """At the level of five tests."""
    found = significance.test(claims.match("perfect", "random"), wins, None)
    assert (found.p_value >= 0.01 / 5) is likely


@pytest.mark.parametrize(
    ("missed", "told"),
    [((), "its opening is among them"), ((0,), "the exception is its opening"),
     ((0, 4000), "its opening is not among them"), ((4000,), "its opening is among them")],
)  # fmt: skip
def test_where_fewer_replies_are_left_is_told(
    monkeypatch: Patch, missed: tuple[int, ...], told: str
) -> None:
    """As X in its opening or not; as O in answer to two edges, a corner and in a later state."""
    edges, corner = analysis.tree3().children[0, [1, 7]], analysis.tree3().children[0, 2]
    found = {1: missed, -1: (*edges, corner, 4000)}
    monkeypatch.setattr(analysis, "traps", lambda table, side: SimpleNamespace(
        most=1, choices=5, by_chance=1.0, missed=found[side]))  # fmt: skip
    reason = claims.centre_maximises_replies().reason
    assert f"1 of 5 cases (1.0 by chance; {told})" in reason
    assert "2 of the others are replies to an opening on an edge" in reason


def test_each_share_of_an_opening_is_named_by_its_order(monkeypatch: Patch) -> None:
    found = answer(monkeypatch, claims.opening_costs, handed_over(4, -1))
    assert found.found.startswith("as O Random fails in 0.9600 of the games instead of 1.0000")
    assert (
        "Of the network's whole lead the difference is 10.0%, of its lead as X 20.0%"
        in found.reason
    )
    assert "depends on the order: -2.5% to 10.0% of the whole lead" in found.reason
    assert "over all orders (its Shapley value) 25.0%" in found.reason

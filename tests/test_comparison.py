"""The exact matrix, what is read from it, and the two threads of ideas."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from ttt_lib import catalog
from ttt_lib.comparison import figures, ideas, results
from ttt_lib.comparison import runs as stored
from ttt_lib.comparison.matrix import (
    PERFECT,
    PLAYERS,
    RANDOM,
    Cycle,
    Matrix,
    alike,
    cycles,
    distinct,
    equilibrium,
    matrix,
    pairs,
    soundness,
    standing,
    table,
)
from ttt_lib.evidence import store
from ttt_lib.evidence.figures import entry
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.exact import Outcome, exact_match, policy_table, worst_case
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import from_weights, random_agent
from ttt_lib.game.response import Soundness
from ttt_lib.game.worst import worst
from ttt_lib.ising.energy import power_energy
from ttt_lib.ising.players import ising, potential, scores

FEW = ("random", "minimax:ties=uniform", "minimax:ties=quick", "lookahead:depth=2", "ising")
GRID = Grid(3)


def from_margins(margins: list[list[Fraction | int]]) -> Matrix:
    """A matrix with given margins, whatever the side: wins and losses as halves around 1/2."""

    def outcome(margin: Fraction | int) -> Outcome:
        return Outcome((1 + Fraction(margin)) / 2, Fraction(0), (1 - Fraction(margin)) / 2)

    names = tuple("abcdef"[: len(margins)])
    return Matrix(names, tuple(tuple(outcome(m) for m in row) for row in margins))


# ---------------------------------------------------------------------------- the matrix


def test_every_entry_is_an_exact_match(tree: GameTree) -> None:
    found = matrix(FEW)
    for (i, x), (j, o) in product(enumerate(FEW), repeat=2):
        direct = exact_match(catalog.agent(x), catalog.agent(o), tree)
        assert found.outcomes[i][j] == direct
        assert sum(found.outcomes[i][j]) == 1


def test_margins_change_sign_and_know_the_document_s_fractions() -> None:
    found = matrix(FEW)
    assert (found.margins == -found.margins.T).all()
    as_x, as_o = Fraction(75257, 77760), Fraction(2645, 3402)  # notebook 00; no losses
    assert found.margin(PERFECT, RANDOM) == (as_x + as_o) / 2


def test_pairs_are_fractions_as_text() -> None:
    rows = pairs(matrix(FEW[:2]))
    assert list(rows.columns) == ["x", "o", "win", "draw", "loss"]
    assert rows.loc[0].tolist() == ["random", "random", "737/1260", "8/63", "121/420"]


def test_copies_are_found_and_have_one_vote() -> None:
    found = matrix(FEW)
    assert ("minimax:ties=uniform", "minimax:ties=quick") in alike(found)
    assert not np.array_equal(table(PERFECT), table("minimax:ties=quick"))
    assert len(distinct(found).names) == 4
    with_copy, without = standing(found), standing(distinct(found))
    assert with_copy.score[PERFECT] == without.score[PERFECT] > 0
    assert with_copy.score["ising"] == without.score["ising"]


def test_who_differs_on_one_side_only_is_no_copy() -> None:
    win, loss = (Outcome(Fraction(w), Fraction(0), Fraction(1 - w)) for w in (1, 0))
    for rows in (((win, loss), (win, loss)), ((win, win), (loss, loss))):
        assert alike(Matrix(("a", "b"), rows)) == [("a",), ("b",)]


def test_standing_agrees_with_the_arena(tree: GameTree) -> None:
    row = standing(matrix(FEW)).loc["ising"]
    assert row.worst_o == worst_case(tree, table("ising"), -1).worst == -1
    assert row.against_perfect == matrix(FEW).margin("ising", PERFECT) < 0
    assert soundness(table(PERFECT)).never_loses
    assert not soundness(table("ising")).never_loses


def test_a_standing_counts_whom_a_player_beats_and_loses_to() -> None:
    """By score over both sides; of players that play alike, one has a vote."""
    found = matrix(FEW)
    rows, votes = standing(found), [group[0] for group in alike(found)]
    for name in FEW:
        margins = [found.margin(name, other) for other in votes]
        assert rows.beats[name] == sum(margin > 0 for margin in margins)
        assert rows.loses_to[name] == sum(margin < 0 for margin in margins)
        assert rows.score[name] == sum(margins) / (len(votes) - 1), "its own group is left out"
    assert rows.loses_to[RANDOM] > 0 == rows.beats[RANDOM]


@pytest.mark.parametrize("names", [("ising",), (RANDOM,), FEW[1:]])
def test_a_standing_takes_random_and_perfect_play(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="does not take part"):
        standing(matrix(names))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="does not take part: random"):
        matrix(FEW).margin("random", "nobody")
    with pytest.raises(ValueError, match="unknown agent"):
        matrix(("nobody",))


def test_all_players_can_state_their_chances() -> None:
    assert len(set(PLAYERS)) == len(PLAYERS)
    for name in PLAYERS:
        assert catalog.agent(name).weights is not None


# ---------------------------------------------------------------------------- circles


def test_a_circle_is_found_once_and_a_line_not_at_all() -> None:
    circle = from_margins([[0, 1, -1], [-1, 0, Fraction(1, 2)], [1, Fraction(-1, 2), 0]])
    assert cycles(circle) == [Cycle(("a", "b", "c"), (1, Fraction(1, 2), 1))]
    assert cycles(from_margins([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])) == []


def test_of_two_circles_the_one_whose_closest_match_is_clearer_comes_first() -> None:
    """The other has the largest margin of all, and a small one."""
    large, half, small = Fraction(1), Fraction(1, 2), Fraction(1, 4)
    margins: list[list[Fraction | int]] = [[0] * 6 for _ in range(6)]
    for first, steps in ((0, (large, small, small)), (3, (half, half, half))):
        for i, step in enumerate(steps):
            winner, loser = first + i, first + (i + 1) % 3
            margins[winner][loser], margins[loser][winner] = step, -step
    found = cycles(from_margins(margins))
    assert [circle.players for circle in found] == [("d", "e", "f"), ("a", "b", "c")]


def test_the_circle_of_the_notebook_is_exact(tree: GameTree) -> None:
    search, formula, learned = "lookahead:depth=3", "potential:b=0.5", "safety+mlp"
    found = cycles(matrix((search, formula, learned)))
    assert [circle.players for circle in found] == [(search, formula, learned)]
    forth = exact_match(catalog.agent(search), catalog.agent(formula), tree).expected
    back = exact_match(catalog.agent(formula), catalog.agent(search), tree).expected
    assert found[0].margins[0] == (forth - back) / 2 == Fraction(89, 504)


@pytest.mark.parametrize(
    ("margins", "used"),
    [
        ([[0, 0, 1], [0, 0, 0], [-1, 0, 0]], "ab"),  # c loses to a alone, and b to nobody
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], "abc"),  # nobody is unbeaten
        ([[0, 0, 1], [0, 0, -1], [-1, 1, 0]], "ab"),  # b loses to c, but not together with a
        ([[0, 0, 0, 1], [0, 0, -1, 0], [0, 1, 0, -1], [-1, 0, 1, 0]], "ac"),  # b does, to c
        ([[0, 1], [-1, 0]], "a"),
    ],
)
def test_equilibria_use_whoever_has_a_share_in_one(margins: list[list[int]], used: str) -> None:
    assert equilibrium(from_margins(margins)) == list(used)


# ---------------------------------------------------------------------------- tables


def test_ladder_climbs_from_nothing_to_everything() -> None:
    steps = ideas.ladder()
    assert steps.misplayed.iloc[0] == 1287
    assert steps.misplayed.iloc[-1] == 0
    flat, curved = steps[steps.reads == "lines"].itertuples()
    assert (flat.worst_o, curved.worst_o) == (-1, 0)
    fours = steps[steps.reads == "all groups of 4"].iloc[0]
    assert fours.misplayed == 0
    assert fours.against_perfect == 0
    assert fours.against_random < curved.against_random


def test_the_table_of_all_cells_has_an_entry_a_class(tree: GameTree) -> None:
    assert ideas.ladder().numbers.iloc[-1] == len(set(GRID.canonical_codes(tree.boards))) - 1 == 764


# ---------------------------------------------------------------------------- formulas


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", ["ising", "potential", "minimax", "spectral", "lookahead:depth=2"])
def test_every_game_agrees_with_the_worst_case(tree: GameTree, name: str, side: int) -> None:
    games = ideas.every_game(catalog.agent(name), side)
    assert games.worst == worst_case(tree, table(name), side).worst


def test_every_game_of_random_visits_every_class(tree: GameTree) -> None:
    games = ideas.every_game(random_agent(GRID), 1)
    assert games == ideas.Games(positions=764, worst=-1, best=1, longest=9)
    turned = from_weights("turned", GRID, lambda boards: GRID.legal(boards).astype(np.int64))
    assert ideas.every_game(turned, 1).positions == len(tree) - 1


def test_ising_wins_3x3x3_against_everybody() -> None:
    cube = Grid(3, 3)
    games = ideas.every_game(ising(cube), 1)
    assert (games.worst, games.best) == (1, 1)
    assert ideas.every_game(potential(cube), 1).worst == -1
    assert ideas.every_game(ising(cube, b=0.3), 1).worst == -1


def test_ising_is_safe_on_4x4_and_base_2_is_not() -> None:
    assert ideas.every_game(ising(Grid(4)), -1).worst == 0
    assert worst(potential(Grid(4)), -1).worst == -1


def test_every_game_refuses_what_it_can_t_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ideas, "MAX_MOVES", 10_000)
    with pytest.raises(ValueError, match="can't be followed"):
        ideas.every_game(catalog.agent("uct"), 1)
    with pytest.raises(ValueError, match="too many moves at ply"):
        ideas.every_game(catalog.agent("random", "5x5"), 1)
    with pytest.raises(ValueError, match="a side is"):
        ideas.every_game(random_agent(GRID), 0)


def test_no_formula_is_safe_on_3x3() -> None:
    found = ideas.formulas_3x3((1.5, 2.0, 6.0, 12.0), (0.1, 0.647, 1.5))
    assert (found.worst_o == -1).all()
    assert (found.loss_o >= Fraction(4, 945)).all()
    assert (found.worst_x == 0).any()


def test_no_numbers_answer_corner_trap_and_edge(tree: GameTree) -> None:
    """Where blocking costs something and a corner is answered in the centre, an edge is not."""
    asked = np.stack([parse(text, GRID) for text in ("x........", "x...o...x", ".x.......")])
    safe = policy_table(catalog.agent("minimax"), tree)[tree.index(asked)] > 0
    seen = set()
    for first, second, b in product(range(-5, 6), range(-5, 6), (-2.0, -0.5, 0.0, 0.5, 1.0, 3.0)):
        weights = 0, first, first + second, 2 * first
        energy = replace(power_energy(GRID, 2), term=lambda own, w=weights: (w[sum(own)], 0))
        found = scores(energy, b)(asked)
        best = np.isclose(found, found.max(axis=1, keepdims=True))
        held = ~(best & ~safe).any(axis=1)
        assert held[1] == (b * second < 0)
        if held[0] and held[1]:
            assert np.flatnonzero(best[2]).tolist() == [6, 8]
        seen.add(tuple(held.tolist()))
    assert (True, True, False) in seen
    assert (True, True, True) not in seen


def test_step_ratios_of_the_potential_are_its_base() -> None:
    assert ideas.step_ratios(np.array([1.0, 3.0, 9.0, 27.0])) == pytest.approx([3, 3])


# ---------------------------------------------------------------------------- stored runs


def test_stored_exact_results_agree_with_stored_fractions() -> None:
    rounded = store.read_table("arena_4x4.csv").set_index(["x", "o"])
    assert np.allclose(rounded[["win", "draw", "loss"]].sum(axis=1), 1, atol=1e-11)
    fractions = store.read_table("ntuple_4x4_exact.csv")
    for row in fractions[fractions.seed == 0].itertuples():
        pair = ("ntuple", row.opponent) if row.side == "x" else (row.opponent, "ntuple")
        wins = rounded.loc[pair, "win" if row.side == "x" else "loss"]
        assert wins == pytest.approx(float(Fraction(str(row.win))), abs=1e-11)


def test_a_table_of_other_players_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stored.PLAYED, "4x4", (*stored.PLAYED["4x4"], "lookahead:depth=1"))
    with pytest.raises(ValueError, match="has other players than PLAYED: regenerate it"):
        stored.sample_soundness_4x4()
    with pytest.raises(ValueError, match="has other pairs than PLAYED: regenerate it"):
        stored.sample_games()


def test_stored_soundness_holds_where_it_is_quick_to_check() -> None:
    rows = store.read_table("arena_4x4_soundness.csv").set_index("player")
    assert list(rows.index) == list(stored.PLAYED["4x4"])
    for name in ("ising", "analytical"):
        games = ideas.every_game(catalog.agent(name, "4x4"), -1)
        assert games.worst == rows.worst_o[name]
    stated = [catalog.agent(name, "4x4").weights is not None for name in rows.index]
    assert list(rows.worst_x.notna()) == list(rows.worst_o.notna()) == stated


def test_stored_games_are_complete_and_repeat() -> None:
    rows = store.read_table("arena_games.csv")
    assert (rows[["win", "draw", "loss"]].sum(axis=1) == rows.games).all()
    assert (rows.games == stored.GAMES).all()
    fixtures = stored.fixtures()
    assert list(zip(rows.board, rows.x, rows.o, strict=True)) == fixtures
    place = fixtures.index(("3x3x3", "random", "ising"))
    assert stored.play(place) == rows.loc[place].tolist()


def test_stored_formulas_hold_where_they_are_quick_to_check() -> None:
    rows = store.read_table("arena_formulas.csv").set_index(["board", "side", "base", "b"]).worst
    assert len(rows) == 3 * len(ideas.BASES) * len(ideas.BIASES)
    for name, tried in (("base", ideas.BASES), ("b", ideas.BIASES)):
        assert sorted(set(rows.index.get_level_values(name))) == list(tried)
    cube = ideas.formula_games(Grid(3, 3), 1, (2.0, 6.0), (0.5, 1.0))
    for row in cube.itertuples():
        assert rows["3x3x3", "x", row.base, row.b] == row.worst
    assert rows["4x4", "o", 2.0, 1.0] == -1


def test_the_maker_of_formulas_follows_them_on_the_boards_and_sides_that_are_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def asked(grid: Grid, side: int) -> pd.DataFrame:
        return pd.DataFrame({"board": [grid.name], "side": {1: "x", -1: "o"}[side]})

    monkeypatch.setattr(stored, "formula_games", asked)
    rows = store.read_table("arena_formulas.csv")[["board", "side"]].drop_duplicates()
    assert stored.make_formulas().to_numpy().tolist() == rows.to_numpy().tolist()


def test_exact_results_of_4x4_are_those_of_x_against_o(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every player's table replaced by its place among them, and X's result by both places."""
    places = {name: place for place, name in enumerate(stored.EXACT_4X4)}
    monkeypatch.setattr(stored, "solve", lambda grid: grid.name)
    monkeypatch.setattr(stored, "_table_4x4", places.get)
    monkeypatch.setattr(stored, "as_chances", float)
    monkeypatch.setattr(stored, "float_values", lambda tree, x, o: np.array([[x, 0, o]]))
    found, rows = stored.make_4x4(), store.read_table("arena_4x4.csv")
    assert found[["x", "o"]].equals(rows[["x", "o"]])
    for side, share in (("x", "win"), ("o", "loss")):
        assert found[side].map(places).tolist() == found[share].tolist()


def test_verdicts_of_4x4_tell_the_sides_apart_and_are_empty_where_none_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored, "EXACT_4X4", ("ising",))
    monkeypatch.setattr(stored, "worst", lambda player, side: SimpleNamespace(worst=10 * side))
    monkeypatch.setattr(stored, "soundness", lambda tree, table: Soundness(1, -1, 7))
    monkeypatch.setattr(stored, "_table_4x4", lambda name: None)
    tree = SimpleNamespace(grid=Grid(4), finished=np.array([False, True]))
    exact, one_by_one, unknown = (
        stored._soundness_4x4(name, tree)  # type: ignore[arg-type]
        for name in ("ising", "analytical", "uct:iterations=150")
    )
    ends = ("worst_x", "worst_o", "misplayed")
    assert [exact[end] for end in ends] == [1, -1, 7]
    assert [one_by_one[end] for end in ends] == [10, -10, None]
    assert [unknown[end] for end in ends] == [None] * 3


def test_results_join_exact_and_played() -> None:
    rows = results.all_pairs()
    assert not rows.duplicated(["board", "x", "o"]).any()
    played = rows[rows.games != results.EXACT]
    assert (played.low <= played.expected).all()
    assert (played.expected <= played.high).all()
    margins = results.both_sides("4x4")
    assert 0.5 < margins.loc["minimax", "random"] < margins.loc["ising", "random"]
    assert np.allclose(margins, -margins.T)


def test_costs_cover_the_players_and_are_ratios_to_random() -> None:
    rows = store.read_table("arena_cost.csv").set_index(["board", "player"])
    assert [name for board, name in rows.index if board == "3x3"] == list(stored.COSTED["3x3"])
    assert (rows.xs("random", level="player")[["batch_ratio", "single_ratio"]] == 1).all(axis=None)
    assert (rows[["batch", "single"]] > 0).all(axis=None)
    joined = results.strength_and_cost().set_index("player")
    assert joined.notna().all(axis=None)
    assert joined.against_perfect["pmc:playouts=100"] < 0 < joined.against_random["ising"]
    for name, record in standing(matrix()).iterrows():
        never = min(record.worst_x, record.worst_o) >= 0
        assert name not in joined.index or joined.never_loses[name] == never
    games = store.read_table("arena_games.csv")
    for board in stored.PLAYED:
        lost, here = results.games_lost(board), games[games.board == board]
        assert lost.sum() == (here.win + here.loss).sum()


def test_whether_a_sampled_player_was_ever_beaten_is_read_from_its_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, read = "uct:iterations=1000", results.read_table

    def unbeaten(file: str) -> pd.DataFrame:
        table = read(file)
        if file == "arena_games.csv":
            table.loc[table.x == name, "loss"] = table.loc[table.o == name, "win"] = 0
        return table

    for reader, never in ((read, False), (unbeaten, True)):
        monkeypatch.setattr(results, "read_table", reader)
        joined = results.strength_and_cost().set_index("player")
        assert joined.never_loses[name] == never
        assert not joined.never_loses["uct:iterations=150"]


def test_names_in_pictures_stay_different() -> None:
    for names in (PLAYERS, *stored.PLAYED.values()):
        assert len({figures.label(name) for name in names}) == len(names)
    assert figures.document_style("safety+mlp:depth=2")[0] == "document 1"
    assert figures.document_style("uct:iterations=150") == figures.NOBODY


def test_a_document_without_a_mark_of_its_own_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a sixth one is when its players are added."""
    monkeypatch.setattr(figures, "document_style", lambda _: ("document 6", "#F0E442"))
    _, axes = plt.subplots()
    figures._dot(axes, "corners", 0.5, 0.5, filled=True)
    figures._legend(axes, "center left")
    texts = axes.get_legend().get_texts()
    assert [text.get_text() for text in texts][:2] == ["no document", "document 6"]
    plt.close()


def test_intervals_are_as_narrow_as_the_caption_says() -> None:
    rows = results.all_pairs()
    widest = max((rows.high - rows.expected).max(), (rows.expected - rows.low).max())
    assert f"{widest:.3f}" in entry("06_larger_boards").caption


def test_look_ahead_that_fights_on_differs_in_lost_states_only(tree: GameTree) -> None:
    plain, stubborn = table("lookahead:depth=4"), ideas.resists(4)
    differs = (plain != stubborn).any(axis=1)
    own = np.where(tree.ply % 2 == 0, tree.value, -tree.value)
    assert differs.any()
    assert (own[differs] == -1).all()
    random = table("random")
    assert ideas.margin(stubborn, random) > ideas.margin(plain, random)


def test_names_in_the_colour_of_a_document_can_be_read() -> None:
    for player in ("mlp", "spectral", "ntuple", "ising", "random"):
        colour = figures.document_style(player)[1]
        given, shade = (np.array(to_rgb(c)) for c in (colour, figures.readable(colour)))
        assert figures.contrast_on_white(shade) >= 4.5
        assert list(np.argsort(given, kind="stable")) == list(np.argsort(shade, kind="stable"))
    assert figures.contrast_on_white(np.zeros(3)) == pytest.approx(21)
    assert figures.readable("#000000") == "#000000"

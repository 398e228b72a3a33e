"""Gumbel root selection: its budget, its proofs, its improved policy."""

from __future__ import annotations

import numpy as np
import pytest
from test_alphazero_search import (
    compile_tables,
    net_of,
    running_states,
    threats,
    uniform_tables,
    wins_in_one,
)

from ttt_lib.evidence import store
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import Agent, random_agent
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import RESULT, States
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search import gumbel, puct_table, trees
from ttt_lib.ultimate.search.gumbel import GumbelView, gumbel_agent, gumbel_search
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import OPENING_PLIES, matches
from ttt_lib.ultimate.studies import gumbel as gumbel_study
from ttt_lib.ultimate.studies.yardstick import Score, Yardstick

GAME = Ultimate()
TABLES = compile_tables(net_of(11))


def search(state: States, simulations: int = 32, **options: float) -> GumbelView:
    return gumbel_search(GAME, state, TABLES, simulations, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("simulations", [2, 3, 16, 17, 32, 64, 200, 1000])
@pytest.mark.parametrize("considered", [1, 2, 5, 16, 81])
def test_the_budget_is_spent_exactly(simulations: int, considered: int) -> None:
    states = running_states(60, 1)
    for state in (GAME.initial()[0], *states[playable(states) > 40][:8]):
        found = search(state, simulations, considered=considered)
        if found.root.proven is None:
            assert found.root.visits.sum() == simulations - 1  # one valued the root


def test_moves_are_halved() -> None:
    """64 simulations on 16 moves: 1 each, then 2 each for 8, 4 each for 4, 8 each for 2."""
    found = search(GAME.initial()[0], 1 + 64, considered=16)
    visits = np.sort(found.root.visits)[::-1]
    assert visits[:16].tolist() == [15, 15, 7, 7, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1]
    assert found.root.visits[found.move] == visits[0]


def test_the_last_two_share_what_is_left() -> None:
    """200 simulations on 4 moves: 24 each, 49 each for 2, and 5 left for these two."""
    visits = np.sort(search(GAME.initial()[0], 1 + 199, considered=4).root.visits)[::-1]
    assert visits[:5].tolist() == [76, 75, 24, 24, 0]


def test_nine_moves_are_halved_in_four_phases() -> None:
    """108 simulations on 9 moves: 3 each, 6 each for 4, then 57 shared by 2 (13 each at a time)."""
    state = GAME.play(GAME.initial(), np.array([1]))[0]
    visits = np.sort(search(state, 1 + 108, considered=16).root.visits)[::-1]
    assert visits[:10].tolist() == [38, 37, 9, 9, 3, 3, 3, 3, 3, 0]


def test_without_noise_the_policy_names_the_moves() -> None:
    """One simulation a considered move, and those are the likeliest ones."""
    state = running_states(1, 2)[0]
    found = search(state, 4, considered=3, noise=0.0)
    chances = puct_table.evaluator(TABLES)(state[None])[0][0] * GAME.legal(state[None])[0]
    assert set(np.flatnonzero(found.root.visits)) == set(np.argsort(-chances)[:3])


def test_noise_draws_from_the_policy() -> None:
    """With one move considered, Gumbel's maximum is a draw from the policy itself."""
    state, rng, draws = running_states(40, 3)[7], np.random.default_rng(0), 3000
    chances = puct_table.evaluator(TABLES)(state[None])[0][0] * GAME.legal(state[None])[0]
    chances /= chances.sum()
    moves = [search(state, 2, considered=1, rng=rng).move for _ in range(draws)]
    counts = np.bincount(moves, minlength=81)
    assert (chances > 0).sum() > 3
    spread = np.sqrt(draws * chances * (1 - chances))
    assert (np.abs(counts - draws * chances) <= 5 * spread).all()


def test_a_win_in_one_is_taken() -> None:
    states = [s for s in running_states(3000, 4) if wins_in_one(s)][:40]
    assert len(states) == 40
    for state in states:
        for simulations in (2, 30):
            found = search(state, simulations)
            assert found.move in wins_in_one(state)
            assert found.root.proven == 1
            assert found.policy[wins_in_one(state)].sum() > 0.9


def test_a_loss_in_one_is_blocked() -> None:
    """Where no more moves are legal than considered, so that each is looked at."""
    states = [s for s in running_states(3000, 5) if not wins_in_one(s) and all(threats(s))]
    states = [s for s in states if GAME.legal(s[None]).sum() <= 16][:40]
    assert len(states) == 40
    for state in states:
        for noise in (0.0, 1.0):
            assert search(state, 64, noise=noise).move in threats(state)[1]


def test_small_endgames_are_played_perfectly() -> None:
    """Enough simulations to prove the result: the budget is not spent, the move is optimal."""
    states, solver = running_states(1500, 6), DTWSolver()
    for state in states[playable(states) <= 8][:60]:
        found = gumbel_search(GAME, state, TABLES, 5000)
        truth = solver.calculate_dtw(state).result
        assert found.root.proven == truth
        after = GAME.play(state[None], np.array([found.move]))[0]
        assert -solver.calculate_dtw(after).result == truth


def test_the_improved_policy() -> None:
    """It sums to one on the legal moves; at equal logits the better Q gets more."""
    tables = uniform_tables()
    for state in running_states(30, 7):
        found = gumbel_search(GAME, state, tables, 100, considered=81)
        legal = GAME.legal(state[None])[0]
        assert found.policy.sum() == pytest.approx(1)
        assert (found.policy[~legal] == 0).all()
        assert (found.policy[legal] > 0).any()
        tried = np.flatnonzero(found.root.visits > 0)
        order = tried[np.argsort(found.root.values[tried])]
        assert (np.diff(found.policy[order]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("low", "high", "known", "settled"),
    [(-1, 1, -1, False), (0, 0, -1, True), (-1, 0, 0, True), (-1, 0, -1, False), (-1, 1, 0, False)],
)
def test_a_move_that_can_at_best_equal_a_known_result_is_settled(
    low: int, high: int, known: int, settled: bool
) -> None:
    forest = trees.allocate(1, 10)
    forest.low[0, 1], forest.high[0, 1] = low, high
    assert gumbel.settled(trees.one_of(forest, 0), 1, known) == settled


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_best_that_any_move_is_known_to_reach(size: int) -> None:
    """Of the root's moves, each in turn; the node after them is none."""
    forest = trees.allocate(1, 10)
    forest.first[0, 0], forest.size[0, 0] = 1, size
    for child in range(1, size + 1):
        forest.low[0, 1 : size + 1], forest.low[0, size + 1] = -1, 1
        assert gumbel.known_result(trees.one_of(forest, 0)) == -1
        forest.low[0, child] = 0
        assert gumbel.known_result(trees.one_of(forest, 0)) == 0


def test_completed_values_by_hand() -> None:
    """Two moves visited, one proven, one not: the last gets the mixture."""
    forest = trees.allocate(1, 10)
    forest.first[0, 0], forest.size[0, 0] = 1, 4
    forest.visits[0, 1:5], forest.prior[0, 1:5] = [3, 1, 0, 0], [0.4, 0.1, 0.2, 0.3]
    forest.mean[0, 1:5], forest.low[0, 1:5], forest.high[0, 1:5] = [0.5, -0.5, 0, 0], -1, 1
    forest.low[0, 3] = forest.high[0, 3] = -1
    q, points = np.zeros(4), np.zeros(4)
    gumbel.complete(trees.one_of(forest, 0), 0.2, q)
    mixed = (0.2 + 4 * (0.4 * 0.5 - 0.1 * 0.5) / 0.5) / 5
    assert q == pytest.approx([0.5, -0.5, -1, mixed])
    gumbel.root_scores(trees.one_of(forest, 0), q, 50.0, 0.1, points)
    wanted = np.log([0.4, 0.1, 0.2, 0.3]) + (50 + 3) * 0.1 * (q + 1) / 2
    assert points == pytest.approx(wanted, rel=1e-6)


def test_among_equals_the_first_move_leads() -> None:
    forest = trees.allocate(1, 10)
    forest.first[0, 0], forest.size[0, 0] = 1, 3
    forest.low[0, 1:4], forest.high[0, 1:4] = -1, 1
    order = np.zeros(3, np.int64)
    points, rounds = np.array([0.5, 1.0, 1.0]), np.zeros(3, np.int64)
    gumbel.arrange(trees.one_of(forest, 0), order, points, np.zeros(3), rounds)
    assert order.tolist() == [1, 2, 0]


def test_a_move_from_which_nothing_is_to_be_gained_counts_as_a_loss() -> None:
    """Its mean is minus infinity, which would leave the mixture without a value."""
    forest = trees.allocate(1, 10)
    forest.first[0, 0], forest.size[0, 0] = 1, 2
    forest.visits[0, 1:3], forest.prior[0, 1:3] = [2, 0], 0.5
    forest.mean[0, 1:3], forest.low[0, 1:3], forest.high[0, 1:3] = [-np.inf, 0], -1, [0, 1]
    q = np.zeros(2)
    gumbel.complete(trees.one_of(forest, 0), 0.0, q)
    assert q == pytest.approx([-1, -2 / 3])


def test_an_agent_searches_as_it_is_told() -> None:
    states = running_states(12, 8)
    for options in ({}, {"scale": 0.01}):
        agent = gumbel.gumbel_agent(TABLES, 24, **options)
        wanted = [search(state, 24, noise=0.0, **options).move for state in states]
        assert np.argmax(agent.policy(states, 0), axis=1).tolist() == wanted
        assert agent.deterministic
    assert not gumbel.gumbel_agent(TABLES, 24, noise=1.0).deterministic


def test_targets_are_shares_of_the_legal_moves() -> None:
    """Of PUCT those of the visits, where nothing is proven; of Gumbel the improved policy."""
    state, rng = GAME.initial()[0], np.random.default_rng(0)
    visits = puct_table.TableSearch(GAME, state, TABLES).run(32).visits
    found = gumbel_study.targets(TABLES, gumbel_study.PUCT, 32, state, rng)
    assert found.tolist() == (visits / visits.sum()).tolist()
    found = gumbel_study.targets(TABLES, "no noise", 32, state, rng)
    assert found.tolist() == search(state, 32, noise=0.0).policy.tolist()


def test_a_move_that_is_proven_to_lose_is_no_target() -> None:
    rng = np.random.default_rng(0)
    for state in running_states(12, 40):
        root = puct_table.TableSearch(GAME, state, TABLES).run(200)
        found = gumbel_study.targets(TABLES, gumbel_study.PUCT, 200, state, rng)
        assert found.sum() == pytest.approx(1)
        assert not found[(root.high == -1) & (root.high < root.high.max())].any()
        assert not found[root.high == -2].any()


def test_the_stored_comparison() -> None:
    table = gumbel_study.summary()
    wanted = [(r, n) for r in ("PUCT", *gumbel_study.VARIANTS) for n in gumbel_study.SIMULATIONS]
    assert table.index.tolist() == wanted
    assert (table.loc[table.index.get_level_values("root") != "PUCT", "games"] >= 200).all()
    assert table["target"].between(0.3, 1).all()
    rows = table[table["games"] > 0]
    assert ((rows["score_low"] < rows["score"]) & (rows["score"] < rows["score_high"])).all()


@pytest.mark.parametrize("root", gumbel_study.VARIANTS)
def test_the_rows_with_the_fewest_simulations_come_out_again_but_for_the_games(
    root: str, measure: Yardstick, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The games, some seconds of play, are only asked for: who, how many, openings and seed."""
    asked: list[tuple[str, str, int, dict[str, int]]] = []

    def note(ours: Agent, theirs: Agent, games: int, **options: int) -> MatchResult:
        asked.append((ours.name, theirs.name, games, options))
        return MatchResult(games, 0, games, 0, 0.0)

    monkeypatch.setattr(matches, "match", note)
    stored = store.read_table(gumbel_study.FILE).set_index(["root", "simulations"])
    row = stored.loc[root, 16]
    found = gumbel_study.compare(stored_tables(), root, 16, measure)
    assert [found[name] for name in Score._fields] == row[list(Score._fields)].tolist()
    assert found["target"] == pytest.approx(row["target"], rel=1e-9)
    ours, theirs = (agent(TABLES, 16).name for agent in (gumbel_agent, puct_table.table_agent))
    assert ours != theirs
    assert asked == [(ours, theirs, row["games"], {"rng": 16, "openings": OPENING_PLIES})]


def test_same_seed_same_search() -> None:
    state = GAME.initial()[0]
    one, two, other = (search(state, 40, rng=r) for r in (1, 1, 2))
    assert (one.root.visits == two.root.visits).all()
    assert (one.policy == two.policy).all()
    assert (one.root.visits != other.root.visits).any()
    still = [search(state, 40, noise=0.0, rng=r) for r in (1, 2)]
    assert (still[0].root.visits == still[1].root.visits).all()


def test_a_uniform_net_beats_random() -> None:
    found = match(gumbel_agent(uniform_tables(), 100), random_agent(GAME), 40, rng=0, openings=4)
    assert found.score > 0.8


def test_bad_searches() -> None:
    state, over = GAME.initial()[0], GAME.initial()[0]
    over[RESULT] = 1
    for options, message in (
        ({"simulations": 1}, "2 or more simulations"),
        ({"considered": 0}, "not 32 and 0"),
        ({"noise": -1.0}, "finite numbers >= 0"),
        ({"scale": float("nan")}, "finite numbers >= 0"),
    ):
        with pytest.raises(ValueError, match=message):
            search(state, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="finished"):
        search(over)
    with pytest.raises(ValueError, match="not keep-playing"):
        gumbel_search(Ultimate("keep-playing"), state, TABLES, 8)

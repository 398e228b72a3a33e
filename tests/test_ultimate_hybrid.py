"""The hybrid: endgames played perfectly, at little cost, and the document's shallow search."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ultimate_positions import endgames

from ttt_lib import catalog, cli
from ttt_lib.evidence.store import read_table
from ttt_lib.game.match import random_openings
from ttt_lib.game.policy import choose, draw
from ttt_lib.people.play.insight import PROVEN
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import State, States
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.players import (
    QUICK_WIN,
    SOLVER,
    alphazero,
    load_network,
    quick_win,
    stored_tables,
)
from ttt_lib.ultimate.search.hybrid import BEYOND, QUICK, SEARCHED, SOLVED, Hybrid
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import cost
from ttt_lib.ultimate.studies.hybrid import FILE

GAME = Ultimate()


def hybrid(
    cells: int = 20, *, shallow: int = 0, simulations: int = 20, nodes: int = 10**7
) -> Hybrid:
    tables = stored_tables()
    return Hybrid(
        GAME, lambda state: TableSearch(GAME, state, tables).run(simulations), cells, shallow, nodes
    )


def liked_by(scores: np.ndarray) -> Hybrid:
    """A hybrid whose search gives the moves these scores."""
    view: Any = SimpleNamespace(secure=scores)
    return Hybrid(GAME, lambda state: view, 20)


@pytest.mark.parametrize("rules", ["standard", "codingame"])
def test_a_last_move_is_refuted_only_if_it_loses(rules: str) -> None:
    """Under codingame rules, where sub-boards are counted in the end, one's own move can."""
    game, rng, found = Ultimate(rules), np.random.default_rng(0), set()
    player = Hybrid(game, liked_by(np.zeros(81)).search, 0)
    states = np.repeat(game.initial(), 200, axis=0)
    while len(states):
        moves = np.array([rng.choice(np.flatnonzero(row)) for row in game.legal(states)])
        after = game.play(states, moves)
        ended = game.finished(after)
        for state, move, end in zip(states[ended], moves[ended], after[ended], strict=True):
            result = int(game.winner(end[None])[0]) * int(game.to_move(state[None])[0])
            assert player._refuted(state, int(move)) is (result < 0)
            found.add(result)
        states = after[~ended]
    assert found == ({1, 0} if rules == "standard" else {1, 0, -1})


def games(player: Hybrid, count: int, *, seed: int = 0) -> list[tuple[States, list[int]]]:
    """States in which a player was to move against UCT-like noise, and its moves."""
    rng, found = np.random.default_rng(seed), []
    for number, state in enumerate(random_openings(GAME, count, 4, rng)):
        batch, states, moves = state[None], [], []
        while not GAME.finished(batch)[0]:
            if (int(GAME.to_move(batch)[0]) == 1) == (number % 2 == 0):
                states.append(batch[0])
                moves.append(player.move(batch[0]))
                move = moves[-1]
            else:
                move = int(TableSearch(GAME, batch[0], stored_tables()).run(4).scores.argmax())
            batch = GAME.play(batch, np.array([move]))
        found.append((np.array(states), moves))
    return found


def test_it_never_gives_a_solved_endgame_away() -> None:
    player, judge, seen = hybrid(20, simulations=4), DTWSolver(), 0
    for states, moves in games(player, 12):
        for state, move in zip(states, moves, strict=True):
            if playable(state[None])[0] <= 20:
                seen += 1
                best = judge.calculate_dtw(state)
                after = judge.calculate_dtw(GAME.play(state[None], np.array([move]))[0])
                assert -after.result == best.result
                if best.result:
                    assert after.distance == (best.distance or 0) - 1
    assert seen > 30
    assert player.counts[SOLVED] == seen
    assert BEYOND not in player.counts


def test_without_the_solver_endgames_are_given_away() -> None:
    """What the test above would find: four simulations are too few."""
    player, judge, lost = hybrid(0, simulations=4), DTWSolver(), 0
    for states, moves in games(player, 12):
        for state, move in zip(states, moves, strict=True):
            if playable(state[None])[0] <= 20:
                after = GAME.play(state[None], np.array([move]))[0]
                lost += -judge.calculate_result(after) < judge.calculate_result(state)
    assert lost > 0
    assert set(player.counts) == {SEARCHED}


def test_whole_games_are_the_same_again_whatever_was_played_before() -> None:
    player = hybrid(20)
    first = games(player, 4)
    again = games(player, 4)
    fresh = games(hybrid(20), 4)
    for one, two, three in zip(first, again, fresh, strict=True):
        assert one[1] == two[1] == three[1]


def test_what_is_solved_is_kept_through_a_game_and_forgotten_before_the_next() -> None:
    """Otherwise, how far the solver gets within its budget would depend on earlier games."""

    def nodes(state: State) -> int:
        usual.solver.table.clear()
        usual.solver.calculate_dtw(state)
        return usual.solver.searched

    usual, seen, spared = hybrid(20), 0, 0
    for state in endgames(GAME, 200, 20):
        found, needed = usual.solver.calculate_dtw(state), nodes(state)
        after = GAME.play(state[None], np.array([found.best_move]))[0]
        if not found.result or GAME.finished(after[None])[0] or nodes(after) >= needed - 1:
            continue
        player, seen = hybrid(20, nodes=needed - 1), seen + 1
        player.move(after)  # solved, which answers most of what solving the state before it asks
        player.move(state)
        assert player.counts == {SOLVED: 1, BEYOND: 1}
        usual.move(state)
        usual.move(after)
        spared -= usual.solver.searched
        spared += nodes(after)
    assert seen > 20
    assert spared > 1000


def test_of_two_drawing_moves_the_one_that_the_search_prefers_is_played() -> None:
    judge, seen = DTWSolver(), 0
    for state in endgames(GAME, 200, 12):
        legal = np.flatnonzero(GAME.legal(state[None])[0])
        after = [GAME.play(state[None], np.array([move])) for move in legal]
        if any(GAME.finished(one)[0] for one in after) or judge.calculate_result(state) != 0:
            continue
        drawing = [int(m) for m, a in zip(legal, after, strict=True)
                   if judge.calculate_result(a[0]) == 0]  # fmt: skip
        for liked in drawing if len(drawing) > 1 else []:
            scores = np.full(GAME.moves, -np.inf)
            scores[legal], scores[liked] = 0, 1
            assert liked_by(scores).move(state) == liked
            seen += 1
    assert seen > 3


def test_the_shallow_search_begins_where_the_solver_ends() -> None:
    limits = [
        (player.solver.endgame_threshold, player.solver.midgame_threshold)
        for player in (hybrid(20), hybrid(50))
    ]
    assert limits == [(20, 45), (50, 50)]


def test_beyond_the_budget_the_search_decides() -> None:
    player = hybrid(40, nodes=50)
    states = games(player, 2)[0][0]
    assert player.counts[BEYOND] > 0
    assert len(states)


def test_the_shallow_search_takes_wins_and_leaves_out_what_loses() -> None:
    player, plain, rng = hybrid(0, shallow=4), hybrid(0), np.random.default_rng(2)
    judge = DTWSolver(endgame_threshold=0, shallow_depth=4)
    found: Counter[str] = Counter()
    for state in random_openings(GAME, 250, 44, rng):
        if not 0 < playable(state[None])[0] <= 45:
            continue
        win, move = judge.get_best_winning_move(state), player.move(state)
        after = GAME.play(state[None], np.array([move]))
        if win is not None:
            found["win"] += 1
            assert move == win[0]
        elif not GAME.finished(after)[0] and judge.get_best_winning_move(after[0]) is not None:
            found["lost"] += 1
            legal = np.flatnonzero(GAME.legal(state[None])[0])
            tried = [GAME.play(state[None], np.array([m])) for m in legal]
            assert all(
                not GAME.finished(t)[0] and judge.get_best_winning_move(t[0]) is not None
                for t in tried
            ), "only where every move is refuted"
        else:
            found["kept"] += 1
            found["changed"] += move != plain.move(state)
    assert player.counts[QUICK] == found["win"] > 0
    assert found["kept"] > 20


def test_solving_cost_little_when_it_was_measured() -> None:
    """At most half as much again as the net alone; a test that timed it would hang on the load."""
    runs = read_table(FILE).query("opponent == 'net alone' and budget == simulations")
    default = runs[runs["cells"] == SOLVER]["time_ratio"]
    assert len(default) == 3
    assert default.between(1, 1.5).all()


def test_the_catalog_knows_net_and_solver(tmp_path: Path) -> None:
    state, rng = random_openings(GAME, 1, 20, np.random.default_rng(0)), np.random.default_rng(0)
    one, two = (
        catalog.agent(f"alphazero:simulations=30,{more}", "ultimate")
        for more in ("solver=0", "solver=15,net=stored")
    )
    assert choose(one, state, rng) == choose(two, state, rng)
    assert isinstance(load_network("stored"), Tables)
    for options, message in (
        ("solver=-1", "0 to 81"), ("shallow=99", "0 to 81 plies"), ("net=nothing", "nothing"),
        ("simulations=1", "2 or more"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            catalog.agent(f"alphazero:{options}", "ultimate")


def test_scores_are_visits_and_call_no_loss_proven_good() -> None:
    """A score beyond ``PROVEN`` stands for a proof, and in the opening there is none."""
    opening = np.vstack([GAME.initial(), random_openings(GAME, 10, 20, np.random.default_rng(0))])
    ending, solver, agent = endgames(GAME, 60, 10), DTWSolver(), alphazero(GAME, 30)
    assert agent.scores is not None
    early, late = (agent.scores(states) for states in (opening, ending))
    assert (early < PROVEN).all()
    for state, scores in zip(opening, early, strict=True):
        visits = TableSearch(GAME, state, stored_tables()).run(30).visits
        open_ = np.abs(scores) < PROVEN
        assert scores[open_].tolist() == visits[open_].tolist()
    rows, moves = np.nonzero(late >= PROVEN)
    results = {-solver.calculate_result(after) for after in GAME.play(ending[rows], moves)}
    assert results == {0, 1}
    assert min(map(solver.calculate_result, ending)) == -1, "some are lost"


@pytest.mark.parametrize("options", ["", "solver=0,", "solver=1,shallow=2,"])
@pytest.mark.parametrize("result", [0, 1])
def test_a_finished_game_has_no_move(options: str, result: int) -> None:
    rng = np.random.default_rng(0)
    states = GAME.initial(300)
    while not GAME.finished(states).all():
        running = ~GAME.finished(states)
        legal = GAME.legal(states[running])
        states[running] = GAME.play(states[running], draw(legal / legal.sum(1, keepdims=True), rng))
    over = states[np.abs(GAME.winner(states)) == result][:1]
    player = catalog.agent(f"alphazero:{options}simulations=4", GAME)
    with pytest.raises(ValueError, match="a finished game has no move to choose"):
        player.policy(over, rng)


def test_a_missing_checkpoint_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.main(["match", "alphazero:net=/nowhere/x", "random", "--board", "ultimate"])
    told = capsys.readouterr()
    assert status == 2
    assert told.err.count("\n") == 1
    assert not told.out


def test_a_shallow_search_beyond_the_budget_is_left_to_the_search() -> None:
    player = hybrid(0, shallow=30, simulations=4, nodes=3000)
    for states, moves in games(player, 2):
        assert GAME.legal(states)[np.arange(len(states)), moves].all()
    assert player.counts[BEYOND] > 0
    refuted = DTWSolver(shallow_depth=30, nodes=1)
    player = hybrid(0, shallow=30, simulations=4)
    player.solver = refuted
    assert not player._refuted(GAME.initial()[0], 40), "what can't be searched is not refuted"


def test_near_wins_are_played_at_once_and_only_they() -> None:
    solver, played = DTWSolver(), set()
    for state in cost.sample_states(200):
        move = quick_win(solver, state)
        if solver.is_endgame(state):
            found = solver.calculate_dtw(state)
            near = found.result == 1 and (found.distance or 0) <= QUICK_WIN
            assert move == (found.best_move if near else None)
            played.add(near)
        else:
            assert move is None
    assert played == {True, False}

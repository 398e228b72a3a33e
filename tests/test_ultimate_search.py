"""Tree search on Ultimate, its agents and commands, and OpenSpiel's opinion of both."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chisquare
from ultimate_positions import RULES, endgames, exact, random_game, uniform_evaluator

from ttt_lib import catalog, cli
from ttt_lib.game.match import match
from ttt_lib.game.policy import choose, random_agent
from ttt_lib.ultimate import cli_positions
from ttt_lib.ultimate.board import notation, rules
from ttt_lib.ultimate.board.game import Ultimate, pack, playable
from ttt_lib.ultimate.search import trees
from ttt_lib.ultimate.search.tree_search import (
    PuctSearch,
    RootView,
    UctSearch,
    most_secure,
    most_visited,
    uct,
)
from ttt_lib.ultimate.solver.solver import DTWSolver

every_rules = pytest.mark.parametrize("name", RULES)

Search = Callable[[Ultimate, np.ndarray], RootView]


def by_uct(game: Ultimate, state: np.ndarray) -> RootView:
    return UctSearch(game, state, rng=1).run(1500)


def by_plain_uct(game: Ultimate, state: np.ndarray) -> RootView:
    return UctSearch(game, state, rng=1, solve=False).run(3000)


def by_puct(game: Ultimate, state: np.ndarray) -> RootView:
    return PuctSearch(game, state[None], uniform_evaluator(game, rng=1)).run(1500)[0]


every_search = pytest.mark.parametrize("search", [by_uct, by_plain_uct, by_puct])


def positions(name: str, wanted: Callable[[DTWSolver, np.ndarray], bool], number: int) -> list:
    """Some states of random games that a solver picks."""
    game, solver, found = Ultimate(name), DTWSolver(name), []
    for seed in range(1000):
        for state in random_game(game, np.random.default_rng(seed)):
            if playable(state[None])[0] <= 22 and wanted(solver, state):
                found.append(state)
                break
        if len(found) == number:
            return found
    raise AssertionError("too few positions")


# ---------------------------------------------------------------------------- the sign


@every_rules
@every_search
def test_a_win_in_one_is_taken(name: str, search: Search) -> None:
    game, solver = Ultimate(name), DTWSolver(name)
    for state in positions(name, lambda s, p: s.calculate_dtw(p).distance == 1, 12):
        move = np.array([search(game, state).scores.argmax()])
        after = game.play(state[None], move)
        assert solver.calculate_dtw(after[0]).result == -1, "the win is not let go"
        if search is not by_plain_uct and name != "codingame":
            assert game.winner(after)[0] == game.to_move(state[None])[0]


@every_rules
@every_search
def test_a_loss_in_one_is_blocked(name: str, search: Search) -> None:
    """Where some moves let the opponent win at once and the position is held, none is chosen."""

    def wanted(solver: DTWSolver, state: np.ndarray) -> bool:
        found = solver.calculate_dtw(state)
        return found.result >= 0 and found.distance != 1 and any(gifts(solver, state).values())

    def gifts(solver: DTWSolver, state: np.ndarray) -> dict[int, bool]:
        legal = np.flatnonzero(game.legal(state[None])[0])
        after = game.play(np.repeat(state[None], len(legal), axis=0), legal)
        lost = [solver.calculate_dtw(a)[:2] == (1, 1) for a in after]
        return dict(zip(legal.tolist(), lost, strict=True))

    game, solver = Ultimate(name), DTWSolver(name)
    for state in positions(name, wanted, 12):
        assert not gifts(solver, state)[int(search(game, state).scores.argmax())]


@pytest.mark.parametrize("kind", ["uct", "puct"])
def test_search_beats_random(kind: str) -> None:
    """1 - 2^-30 or so for a search with the right sign; the wrong one loses nearly all."""
    game = Ultimate()
    rival, rng = random_agent(game), np.random.default_rng(0)
    states, sides = game.initial(30), np.where(np.arange(30) % 2, -1, 1)
    results = []
    while len(states):
        mine = game.to_move(states) == sides
        moves = np.zeros(len(states), dtype=np.intp)
        if mine.any():
            moves[mine] = [view.scores.argmax() for view in look(kind, game, states[mine])]
        if (~mine).any():
            moves[~mine] = choose(rival, states[~mine], rng)
        states = game.play(states, moves)
        over = game.finished(states)
        results += list(game.winner(states[over]) * sides[over])
        states, sides = states[~over], sides[~over]
    assert np.mean(results) > 0.8


def look(kind: str, game: Ultimate, states: np.ndarray) -> list[RootView]:
    if kind == "puct":
        return PuctSearch(game, states, uniform_evaluator(game, rng=3)).run(60)
    return [UctSearch(game, state, rng=3).run(60) for state in states]


# ---------------------------------------------------------------------------- proofs


@every_rules
@pytest.mark.parametrize("search", [by_uct, by_puct])
def test_proven_values_are_true(name: str, search: Search) -> None:
    game, solver, proven = Ultimate(name), DTWSolver(name), 0
    for state in endgames(game, 60, 9, seed=11):
        view, truth = search(game, state), solver.calculate_dtw(state)
        legal = np.flatnonzero(game.legal(state[None])[0])
        assert (np.flatnonzero(view.scores > -np.inf) == legal).all()
        for move in legal:
            after = game.play(state[None], np.array([move]))[0]
            worth = -solver.calculate_dtw(after).result
            assert view.low[move] <= worth <= view.high[move]
        if view.proven is not None:
            proven += 1
            best = int(view.scores.argmax())
            after = game.play(state[None], np.array([best]))[0]
            assert view.proven == truth.result == -solver.calculate_dtw(after).result
    assert proven > 45


@every_rules
def test_means_stay_numbers_when_results_are_proven(name: str) -> None:
    """What a proof puts out of the running has mean -inf, and averages nothing any more."""
    game, rng, out = Ultimate(name), np.random.default_rng(5), 0
    for _ in range(6):
        line = random_game(game, rng)
        search = UctSearch(game, line[int(len(line) * 0.7)], rng=1)
        search.run(400)
        mean = search._forest.mean[0, : int(search._forest.used[0])]
        assert not np.isnan(mean).any()
        out += int(np.isneginf(mean).sum())
    assert out > 0


def test_a_proven_root_stops_the_search() -> None:
    game = Ultimate()
    state = endgames(game, 1, 4, seed=12)[0]
    search = UctSearch(game, state, rng=0)
    view = search.run(10**6)
    assert view.proven is not None
    assert search.simulations < 10**5
    assert UctSearch(game, state, rng=0, solve=False).run(1000).proven is None


@pytest.mark.parametrize("by", ["scores", "secure"])
def test_scores_prefer_what_is_proven(by: str) -> None:
    def view(visits: list, values: list, low: list, high: list) -> list[int]:
        arrays = (np.array(visits, float), np.array(values, float), np.array(low), np.array(high))
        scores = getattr(RootView(*arrays), by)
        return np.argsort(-scores, kind="stable").tolist()

    nan = math.nan
    assert view([9, 5], [0.5, 1], [-1, 1], [1, 1])[0] == 1, "a proven win first"
    assert view([9, 5], [-0.5, 0], [-1, 0], [1, 0])[0] == 1, "a draw before a bad prospect"
    assert view([9, 5], [0.5, 0], [-1, 0], [1, 0])[0] == 0, "a good prospect before a draw"
    assert view([2, 9], [0, -1], [-1, -1], [1, -1])[0] == 0, "a proven loss last"
    assert view([2, 9], [-1, -1], [-1, -1], [-1, -1])[0] == 1, "all lost: the most visited"
    assert view([0, 9], [nan, 0], [-1, -1], [-2, 1])[0] == 1, "illegal moves never"


def test_the_secure_move_has_the_best_bound_among_well_visited_ones() -> None:
    def order(visits: list, values: list) -> list[int]:
        bounds = np.full(len(visits), -1), np.full(len(visits), 1)
        view = RootView(np.array(visits, float), np.array(values, float), *bounds)
        assert most_secure([view])[0] == view.secure.argmax()
        assert most_visited([view])[0] == np.argmax(visits)
        return np.argsort(-view.secure, kind="stable").tolist()

    # Half a point of doubt at one visit is 0.05, 0.0625 and 0.1 here.
    assert order([100, 64, 25], [0.0, 0.013, 0.051]) == [2, 1, 0], "all well visited: by bounds"
    assert order([100, 64, 25], [0.0, 0.012, 0.049]) == [0, 1, 2], "fewer visits, more doubt"
    assert order([100, 64, 24], [0.0, 0.1, 0.9]) == [1, 0, 2], "less than a quarter of the visits"
    assert order([100, 0, 20], [-1.0, math.nan, 0.9]) == [0, 2, 1], "the rest by visits"


# ---------------------------------------------------------------------------- trees


def test_a_seed_repeats_the_search() -> None:
    game = Ultimate()
    first, again, other = (UctSearch(game, game.initial()[0], rng=seed) for seed in (5, 5, 6))
    views = [search.run(500) for search in (first, again, other)]
    assert (views[0].visits == views[1].visits).all()
    assert (views[0].visits != views[2].visits).any()
    views = [
        PuctSearch(game, game.initial(2), uniform_evaluator(game, rng=4)).run(200) for _ in range(2)
    ]
    assert all((a.visits == b.visits).all() for a, b in zip(*views, strict=True))


def test_every_simulation_is_counted() -> None:
    game = Ultimate()
    view = UctSearch(game, game.initial()[0], rng=2).run(3000)
    assert view.visits.sum() == 3000
    assert view.visits.min() > 0, "all 81 moves are tried first"
    assert np.nanmax(np.abs(view.values)) <= 1
    search = UctSearch(game, game.initial()[0], rng=2)
    for _ in range(6):
        parts = search.run(500)
    assert (parts.visits == view.visits).all(), "the tree may be grown in parts"


@every_rules
def test_the_tree_is_kept(name: str) -> None:
    """After a move the search knows as much of the new root as it knew of the child."""
    game = Ultimate(name)
    search = UctSearch(game, game.initial()[0], rng=2)
    view = search.run(4000)
    move = int(view.scores.argmax())
    search.advance(move)
    assert search.simulations == view.visits[move]
    assert (search.state == game.play(game.initial(), np.array([move]))[0]).all()
    grown = search.run(1000)
    assert search.simulations == view.visits[move] + 1000
    assert grown.visits.sum() == search.simulations - 1
    trees = PuctSearch(game, game.initial(3), uniform_evaluator(game, rng=2))
    views = trees.run(300)
    moves = np.array([v.scores.argmax() for v in views])
    trees.advance(moves)
    assert trees.forest.visits[:, 0].tolist() == [
        v.visits[m] for v, m in zip(views, moves, strict=True)
    ]
    assert len(trees.run(50)) == 3


def test_a_search_keeps_its_own_state() -> None:
    game = Ultimate()
    states = game.initial()
    search = UctSearch(game, states[0], rng=1)
    states[:] = game.play(states, np.array([40]))
    assert (search.state == game.initial()[0]).all()


def test_untried_moves_start_a_new_tree() -> None:
    game = Ultimate()
    search = UctSearch(game, game.initial()[0])
    search.advance(40)
    assert search.simulations == 0
    assert search.run(10).visits.sum() == 10


def test_puct_follows_its_evaluator() -> None:
    """Priors that name one move get it most visits, and values of the wrong sign would avoid it."""
    game = Ultimate()

    def evaluator(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        priors = np.full((len(states), 81), 0.02)
        priors[:, 33] = 1
        # O to move after X took the centre: bad for O, so good for X.
        taken = states[:, 4] >> 4 & 1
        return priors, np.where(taken, -0.9 * (1 - 2.0 * states[:, 22]) * -1, 0.0)

    view = PuctSearch(game, game.initial(), evaluator).run(400)[0]
    assert view.visits[40] > 100
    assert view.values[40] > 0.5
    flat = PuctSearch(game, game.initial(), lambda s: (np.zeros((len(s), 81)), np.zeros(len(s))))
    assert flat.run(82)[0].visits.tolist() == [1] * 81, "no priors: all moves alike"


def test_noise_at_the_root() -> None:
    game = Ultimate()
    search = PuctSearch(game, game.initial(2), uniform_evaluator(game))
    search.run(1)
    noise = np.zeros((2, 81))
    noise[:, 7] = 1
    search.mix_root_priors(noise, 0.5)
    assert search.run(40)[0].visits.argmax() == 7
    with pytest.raises(ValueError, match=r"in \[0, 1\], not 2"):
        search.mix_root_priors(noise, 2)


# ---------------------------------------------------------------------------- bad input


def test_finished_games_are_refused() -> None:
    over = rules.start()
    while moves := rules.legal_moves(over):
        over = rules.play(over, moves[0])
    game, state = Ultimate(), pack(over)
    with pytest.raises(ValueError, match="finished game"):
        UctSearch(game, state)
    with pytest.raises(ValueError, match="finished game"):
        PuctSearch(game, state[None], uniform_evaluator(game))
    for name in ("random", "uct"):
        with pytest.raises(ValueError, match="finished game"):
            catalog.agent(name, "ultimate").policy(state[None], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("iterations", "c"), [(0, 1.0), (-5, 1.0), (10**9, 1.0), (5, math.nan), (5, -1)]
)
def test_bad_settings(iterations: int, c: float) -> None:
    with pytest.raises(ValueError, match=r"iterations in|must be a finite"):
        uct(Ultimate(), iterations, c)


# ---------------------------------------------------------------------------- agents, commands


@every_rules
def test_agents_of_the_catalog(name: str) -> None:
    game = Ultimate(name)
    states = np.array([random_game(game, np.random.default_rng(s))[20] for s in range(4)])
    for agent in ("random", "uct:iterations=20", "uct:c=0,iterations=9"):
        built = catalog.agent(agent, game.name)
        assert built.game == game
        chances = built.policy(states, np.random.default_rng(0))
        assert chances.sum(axis=1) == pytest.approx(np.ones(4))
        assert not chances[~game.legal(states)].any()
        again = built.policy(states, np.random.default_rng(0))
        assert (chances == again).all()


@pytest.mark.parametrize("agent", ["minimax", "lookahead", "safety+random", "chess"])
def test_agents_that_cannot_play(agent: str) -> None:
    told = r"can't play ultimate; these can: random, uct|n\^d board|unknown agent"
    with pytest.raises(ValueError, match=told):
        catalog.agent(agent, "ultimate")


def test_more_iterations_win() -> None:
    strong, weak = (catalog.agent(f"uct:iterations={n}", "ultimate") for n in (400, 20))
    assert match(strong, weak, 40, rng=2).score > 0.75


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    caught = capsys.readouterr()
    return status, caught.out, caught.err


def test_perft_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "perft", "--depth", "3", "--json")
    assert (status, json.loads(out)) == (0, {"leaves": [1, 81, 720, 6336]})
    text = notation.write(rules.play(rules.start("codingame"), 0))
    arguments = ("perft", "--depth", "1", "--rules", "codingame", "--position", text, "--json")
    assert json.loads(run(capsys, *arguments)[1]) == {"leaves": [1, 8]}
    assert "6,336" in run(capsys, "perft", "--depth", "3")[1]


def test_solve_command(capsys: pytest.CaptureFixture[str]) -> None:
    game = Ultimate()
    for state in endgames(game, 5, 12, seed=13):
        text = game.write_state(state)
        status, out, _ = run(capsys, "solve", "--position", text, "--json")
        assert status == 0
        assert json.loads(out) == DTWSolver().calculate_dtw(state)._asdict()
        told = run(capsys, "solve", "--position", text)[1]
        word = {1: "a win", 0: "a draw", -1: "a loss"}[json.loads(out)["result"]]
        assert told.startswith(word)
        row, column = divmod(json.loads(out)["best_move"], 9)
        assert f"best move {9 * row + column} (row {row}, column {column})" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("perft", "--depth", "-1"),
        ("perft", "--depth", "2", "--rules", "chess"),
        ("perft", "--depth", "2", "--position", "xx"),
        ("solve", "--position", "." * 81 + " o -"),
        ("solve", "--position", "." * 81 + " x -", "--nodes", "1000"),
        ("solve", "--position", "." * 81 + " x -", "--nodes", "0"),
        ("match", "uct:iterations=0", "random", "--board", "ultimate"),
        ("match", "minimax", "random", "--board", "ultimate"),
        ("match", "random", "random", "--board", "ultimate:chess"),
    ],
    ids=" ".join,
)
def test_bad_input(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_match_command(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("match", "uct:iterations=30", "random", "--board", "ultimate", "--games", "20")
    first, again = (json.loads(run(capsys, *arguments, "--json")[1]) for _ in range(2))
    assert first["win"] + first["draw"] + first["loss"] == first["games"] == 20
    assert first["win"] == again["win"] > 10


def test_compiled_kernels_are_found_again() -> None:
    """Another process takes them from the cache, and the recursive ones give the true answers."""
    deep = (s for s in endgames(Ultimate(), 60, 9, seed=13) if (exact(s, Ultimate())[1] or 0) > 4)
    state = next(deep)
    solution = DTWSolver().calculate_dtw(state)  # puts them there
    code = (
        "from ttt_lib.ultimate.board import notation, rules\n"
        "from ttt_lib.ultimate.solver import solver\n"
        "from ttt_lib.ultimate.board.game import perft\n"
        f"text = {Ultimate().write_state(state)!r}\n"
        "print(solver.DTWSolver().calculate_dtw(notation.parse(text)), perft(rules.start(), 3))\n"
        "from ttt_lib.ultimate.solver.negamax import negamax\n"
        "print(sum(negamax.stats.cache_hits.values()))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert solution[:2] == exact(state, Ultimate())
    assert found.stdout.splitlines() == [f"{solution} {[1, 81, 720, 6336]}", "1"]


# ---------------------------------------------------------------------------- inside the tree


def test_new_moves_stand_in_every_order_alike() -> None:
    """The first untried one is then a random one."""
    forest, bits, orders = trees.allocate(1, 8), np.uint64(11), Counter[tuple[int, ...]]()
    tree = trees.one_of(forest, 0)
    tree.first[0], tree.size[0] = 1, 3
    for _ in range(3000):
        tree.place[1:4] = 0, 1, 2
        bits = np.uint64(trees.shuffle(tree, 0, bits))
        orders[tuple(tree.place[1:4].tolist())] += 1
    assert len(orders) == 6
    assert chisquare(list(orders.values())).pvalue > 1e-4


def test_the_width_of_a_bound_is_that_of_its_visits() -> None:
    search = UctSearch(Ultimate(), Ultimate().initial()[0], rng=3)
    search.run(3000)
    forest = search._forest
    used = int(forest.used[0])
    visits, width = forest.visits[0, 1:used], forest.width[0, 1:used]
    known = forest.low[0, 1:used] == forest.high[0, 1:used]
    tried = (visits > 0) & ~known
    assert visits[tried].max() > 30
    assert width[tried] == pytest.approx(1 / np.sqrt(visits[tried]))
    assert np.isinf(width[(visits == 0) & ~known]).all()


def test_without_exploration_every_move_is_still_tried_once() -> None:
    search = UctSearch(Ultimate(), Ultimate().initial()[0], c=0.0, rng=3)
    search.run(200)
    first = int(search._forest.first[0, 0])
    assert search._forest.visits[0, first : first + 81].min() == 1


def test_perft_tells_each_depth_beside_its_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "perft", "--depth", "2")[1].splitlines()
    assert [line.split() for line in lines] == [["0", "1"], ["1", "81"], ["2", "720"]]


@pytest.mark.parametrize(("result", "word"), [(1, "a win"), (0, "a draw"), (-1, "a loss")])
def test_a_solution_in_words(result: int, word: str) -> None:
    assert (
        cli_positions._sentence(result, 5, 12)
        == f"{word} in 5 plies; best move 12 (row 1, column 3)"
    )
    assert cli_positions._sentence(result, None, 12) == f"{word}; best move 12 (row 1, column 3)"
    over = cli_positions._sentence(result, 0, None)
    assert over == f"the game is over: {word} for the side that would be to move"


def test_solve_tells_the_distance_in_plies() -> None:
    for state in endgames(Ultimate(), 5, 12, seed=13):
        found, text = cli_positions.solve(Ultimate().write_state(state), "standard", None)
        assert (f" in {found['distance']} plies;" in text) == (found["distance"] is not None)
        assert (" plies" in text) == (found["distance"] is not None)

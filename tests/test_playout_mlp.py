"""Document 1: playouts as rows, exact ceilings, the network, its players, and the ledger."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib import catalog
from ttt_lib.evidence import claims, significance, store, weights
from ttt_lib.game import reference
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import exact_match, policy_table, worst_case
from ttt_lib.game.gametree import paths_to
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import best_moves, first_free, move_scores, random_agent
from ttt_lib.game.search import pure_monte_carlo
from ttt_lib.game.stats import wilson
from ttt_lib.playout_mlp import ceilings, choices, controls, lost_games, model, players, runs, study
from ttt_lib.playout_mlp import claims as ledger
from ttt_lib.playout_mlp.data import (
    GRID,
    PLAYOUTS,
    TEST_SHARE,
    Examples,
    examples,
    split_games,
    split_rows,
)
from ttt_lib.playout_mlp.model import (
    ARRAYS,
    FILE,
    FORMAT,
    STORED_SEEDS,
    as_net,
    evaluator,
    net,
    pack_nets,
    read_nets,
    run,
    stored_nets,
    train,
)

TREE = ceilings.tree()


# ---------------------------------------------------------------------------- rows


@pytest.mark.parametrize(("record", "sums"), [("x", {1}), ("o", {0}), ("both", {0, 1})])
def test_rows_are_boards_after_the_recorded_moves(record: str, sums: set[int]) -> None:
    data = examples(200, rng=1, record=record)
    assert set(data.boards.sum(axis=1).tolist()) == sums
    assert (data.empties < 9).all()
    TREE.index(data.boards)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**32))
def test_a_playout_grows_by_its_moves_and_keeps_its_label(playouts: int, seed: int) -> None:
    data = examples(playouts, rng=seed, record="both")
    assert sorted(set(data.games.tolist())) == list(range(playouts))
    for game in range(playouts):
        part = data[data.games == game]
        assert (np.diff(part.empties) == -1).all()
        assert part.empties[0] == 8
        assert len(set(part.outcomes.tolist())) == 1
        assert GRID.finished(part.boards).tolist() == [False] * (len(part) - 1) + [True]
        assert GRID.winner(part.boards)[-1] == part.outcomes[0]


def test_random_moves_are_uniform() -> None:
    data = examples(20_000, rng=3)
    first = data.boards[data.empties == 8].argmax(axis=1)
    low, high = wilson(int((first == 4).sum()), len(first), 0.9999)
    assert low < 1 / 9 < high
    low, high = wilson(int((data.outcomes == 1).sum()), len(data), 0.9999)
    assert low < float(ceilings.majority(ceilings.population())) < high


def test_splits_are_partitions_and_only_one_keeps_playouts_together() -> None:
    data = examples(300, rng=0)
    for split in (split_rows, split_games):
        train_rows, test_rows = split(data, 0)
        assert sorted([*train_rows, *test_rows]) == list(range(len(data)))
        assert len(test_rows) == pytest.approx(len(data) / 5, rel=0.1)
        again = split(data, 0)
        assert (again[1] == test_rows).all()
    shared = [
        set(data.games[a].tolist()) & set(data.games[b].tolist())
        for a, b in (split_rows(data, 0), split_games(data, 0))
    ]
    assert shared[0]
    assert not shared[1]


@pytest.mark.parametrize(
    ("options", "fault"),
    [({"playouts": 0}, "at least 1 playout"), ({"record": "z"}, "x, o or both")],
)
def test_bad_data_sets_are_refused(options: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        examples(**{"playouts": 5, **options}, rng=0)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- exact values


def recursive_weights() -> dict[bytes, dict[int, Fraction]]:
    """Weight of every board after x's moves with every outcome, by playing all games out."""
    found: dict[bytes, dict[int, Fraction]] = {}

    def visit(board: np.ndarray, chance: Fraction, path: list[bytes]) -> None:
        if GRID.finished(board)[0]:
            for key in path:
                outcomes = found.setdefault(key, {1: Fraction(0), 0: Fraction(0), -1: Fraction(0)})
                outcomes[int(GRID.winner(board)[0])] += chance
            return
        empties = np.flatnonzero(board[0] == 0)
        for cell in empties:
            after = GRID.play(board, np.array([cell]))
            keep = [*path, after.tobytes()] if len(empties) % 2 else path
            visit(after, chance / len(empties), keep)

    # From a board with five cells left, so that the walk is short.
    visit(study.board("xox.o...."), Fraction(1), [])
    return found


def test_weights_equal_those_of_all_games_played_out() -> None:
    start = TREE.index(study.board("xox.o...."))[0]
    for key, outcomes in recursive_weights().items():
        board = np.frombuffer(key, dtype=np.int8)[None]
        row = TREE.index(board)[0]
        chances = study.exact_chances("".join(".xo"[int(cell)] for cell in board[0]))
        reached = sum(outcomes.values())
        assert tuple(outcomes[k] / reached for k in (1, 0, -1)) == chances
        assert TREE.ply[row] > TREE.ply[start]


def test_population_counts_every_visit_once() -> None:
    people = ceilings.population()
    for empties, part in ceilings.by_empties(people, lambda part: part).items():
        alive = paths_to(TREE) * TREE.random_play.sum(axis=1) * (TREE.ply == 9 - empties)
        assert part.joint.sum() == alive.sum()
    distribution = ceilings.moves_of_x()
    assert sum(distribution.values()) == 1
    assert sum(count * chance for count, chance in distribution.items()) == people.rows_per_playout
    both = ceilings.population("both").rows_per_playout
    assert people.rows_per_playout + ceilings.population("o").rows_per_playout == both
    assert {*ceilings.late(people).empties.tolist()} == {0, 2}, "an odd number of stones"
    with pytest.raises(ValueError, match="x, o or both"):
        ceilings.population("z")


def test_the_ceiling_bounds_every_classifier() -> None:
    people = ceilings.population()
    best = ceilings.best_classes(people)
    assert ceilings.accuracy(people, best) == ceilings.ceiling(people) == Fraction(31877, 47277)
    rng = np.random.default_rng(0)
    for _ in range(20):
        changed = np.where(rng.random(len(best)) < 0.1, rng.integers(-1, 2, len(best)), best)
        assert ceilings.accuracy(people, changed) <= ceilings.ceiling(people)
    assert ceilings.majority(people) == ceilings.accuracy(people, np.ones(len(best)))
    parts = ceilings.by_empties(people, lambda part: ceilings.ceiling(part) * int(part.joint.sum()))
    assert sum(parts.values()) == ceilings.ceiling(people) * int(people.joint.sum())
    assert sum(ceilings.error_shares(people).values()) == 1
    with pytest.raises(ValueError, match="3 predictions for 2739 boards"):
        ceilings.accuracy(people, np.ones(3))


def test_the_best_function_scores_the_ceiling_on_fresh_playouts() -> None:
    data = examples(20_000, rng=5)
    hits = study.oracle(data).predicted == data.outcomes
    # Rows of a playout go together: the error comes from the means of whole playouts.
    sums = np.bincount(data.games, hits - float(ceilings.ceiling(ceilings.population())))
    assert abs(sums.mean()) < 4 * sums.std() / math.sqrt(len(sums))


def test_floors_are_attained_by_the_truth_only() -> None:
    people = ceilings.population()
    assert ceilings.brier(people, people.chances) == pytest.approx(
        float(ceilings.brier_floor(people))
    )
    assert ceilings.rmse(people, people.expected) == 0
    assert ceilings.correlation(people, people.expected) == pytest.approx(1)
    blurred = 0.9 * people.chances + 0.1 / 3
    assert ceilings.log_loss(people, blurred) > ceilings.log_loss_floor(people)
    assert ceilings.brier(people, blurred) > float(ceilings.brier_floor(people))
    squares = people.joint @ np.array([1, 0, 1]) / people.weights - people.expected**2
    assert np.average(squares, weights=people.weights) == pytest.approx(
        float(ceilings.variance_floor(people))
    )
    assert ceilings.rmse_floor(people) ** 2 == pytest.approx(float(ceilings.variance_floor(people)))


def test_law_of_rows() -> None:
    counts, chances = ceilings.distribution_of_rows(1)
    assert dict(zip(counts.tolist(), chances, strict=True)) == {
        count: pytest.approx(float(chance)) for count, chance in ceilings.moves_of_x().items()
    }
    counts, chances = ceilings.distribution_of_rows(1000)
    assert chances.sum() == pytest.approx(1)
    assert counts @ chances == pytest.approx(1000 * float(ceilings.population().rows_per_playout))
    with pytest.raises(ValueError, match="at least 1 playout"):
        ceilings.distribution_of_rows(0)


# ---------------------------------------------------------------------------- the network


@pytest.fixture(scope="module")
def small() -> Examples:
    return examples(60, rng=0)


@pytest.fixture(scope="module")
def fitted(small: Examples) -> Any:
    return train(small, 0)


def test_net_says_what_scikit_learn_says(small: Examples, fitted: Any) -> None:
    model, network, floats = fitted, as_net(fitted), small.boards.astype(float)
    assert np.allclose(network.chances(small.boards)[:, ::-1], model.predict_proba(floats))
    assert (network.classes(small.boards) == model.predict(floats)).all()
    utility = model.predict_proba(floats) @ [-1, 0, 1]
    assert np.allclose(network.expected(small.boards), utility)


def test_training_depends_on_the_seed_alone(small: Examples, fitted: Any) -> None:
    same = [as_net(model).hidden for model in (fitted, train(small, 0), train(small, 1))]
    assert np.array_equal(same[0], same[1])
    assert not np.array_equal(same[0], same[2])


def test_a_missing_outcome_is_named(small: Examples) -> None:
    with pytest.raises(ValueError, match=r"outcomes \[-1, 1\] only"):
        as_net(train(small[small.outcomes != 0], 0))


def test_stored_nets_reproduce_the_stored_table() -> None:
    """A sample of the table is trained anew (test_provenance.py): the nets are what that gives."""
    table = store.read_table("playout_mlp_seeds.csv").set_index("seed")
    for seed in STORED_SEEDS:
        found = study.population_quantities(net(seed))
        assert found == pytest.approx({name: table.loc[seed, name] for name in found}, abs=1e-6)


def test_nearest_rows_count_alike() -> None:
    """Rows of two boards one cell away, one with the right outcome; and copies of one board."""
    known = rows_of(("x........", 1), ("xox......", -1), ("xox.o....", 1))
    assert study.neighbour(known, rows_of(("xo.......", 1))) == 0.5
    assert study.neighbour(known, rows_of(("xo.......", 0))) == 0
    assert study.neighbour(known, rows_of(("xo.......", -1), ("xox.o....", 1))) == 0.75
    copies = rows_of(("x........", 1), ("x........", 1), ("x........", -1))
    assert study.neighbour(copies, rows_of(("x........", 1))) == pytest.approx(2 / 3)


def rows_of(*rows: tuple[str, int]) -> Examples:
    """A row for each board with its outcome."""
    boards = np.concatenate([study.board(text) for text, _ in rows])
    outcomes = np.array([outcome for _, outcome in rows], dtype=np.int8)
    return Examples(boards, outcomes, np.arange(len(rows)))


@pytest.mark.parametrize("name", ["mlp", "safety+mlp:depth=2", "pmc:policy=mlp"])
def test_typed_players_of_damaged_nets_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nan = {f"x_{name}": np.full((1, *shape), np.nan) for name, shape in ARRAYS.items()}
    weights.write(tmp_path / FILE, nan, FORMAT, {})
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=rf"{FILE} holds weights that are no finite numbers"):
        catalog.typed(name)
    assert catalog.typed("pmc") == "pmc"


def test_nets_survive_the_round_trip_and_other_files_are_refused(tmp_path: Path) -> None:
    nets, path = stored_nets()[:2], tmp_path / "nets.safetensors"
    path.write_bytes(pack_nets({"x": nets}))
    assert np.array_equal(read_nets(path)[1].out, nets[1].out)
    with pytest.raises(ValueError, match="no networks of record 'both'"):
        read_nets(path, "both")
    odd = {f"x_{name}": np.zeros((1, *shape[:-1], 3)) for name, shape in ARRAYS.items()}
    weights.write(path, odd, FORMAT, {})
    with pytest.raises(ValueError, match="no networks of record 'x'"):
        read_nets(path)
    with pytest.raises(ValueError, match="x or both"):
        stored_nets("o")


def test_bad_seeds_are_refused() -> None:
    with pytest.raises(ValueError, match="seed can't be negative"):
        run(-1)
    with pytest.raises(ValueError, match="seed can't be negative"):
        catalog.agent("mlp:seed=-1")


# ---------------------------------------------------------------------------- players


def test_evaluator_speaks_for_the_player_who_moved() -> None:
    value, network = evaluator(net(0)), net(0)
    after_x, after_o = study.board("x........"), study.board("xo.......")
    assert value(after_x) == network.expected(after_x)
    assert value(after_o) == -network.expected(after_o)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_players_take_a_win_in_one(depth: int) -> None:
    player = catalog.agent(f"mlp:depth={depth}")
    assert player.weights is not None
    for text, cell in (("xx.oo....", 2), ("xx.oo.x..", 5)):
        boards = study.board(text)
        scores = move_scores(GRID, evaluator(net(0)), depth)(boards)[0]
        assert scores[cell] == 1
        assert scores[player.weights(boards)[0].argmax()] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_search_blocks_a_loss_in_one(depth: int) -> None:
    player = catalog.agent(f"mlp:depth={depth}")
    assert player.weights is not None
    assert player.weights(study.board("xx..o...."))[0].argmax() == 2


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_alpha_beta_equals_minimax_on_every_state_with_fewer_nodes(depth: int) -> None:
    values = evaluator(net(1))
    leaves = players.leaf_values(values)
    rows = np.flatnonzero(~TREE.finished)
    scores = move_scores(GRID, values, depth)(TREE.boards[rows]).max(axis=1)
    pruned = [players.alpha_beta(leaves, int(row), depth) for row in rows]
    plain = [players.plain_minimax(leaves, int(row), depth) for row in rows]
    assert np.allclose([value for value, _ in pruned], scores)
    assert np.allclose([value for value, _ in plain], scores)
    assert all(a <= b for (_, a), (_, b) in zip(pruned, plain, strict=True))
    assert (sum(n for _, n in pruned) < sum(n for _, n in plain)) == (depth > 1)


def test_alpha_beta_cuts_where_equal_is_enough() -> None:
    """With nothing to choose between, the first move is answered in full, all others once."""
    moves = GRID.cells
    nodes = 1 + 1 + (moves - 1) + (moves - 1) * 2
    assert players.alpha_beta(np.zeros(len(TREE)), 0, 2) == (0, nodes)


def test_loss_proof_depths_on_exact_values() -> None:
    safe = {
        depth: [
            worst_case(TREE, policy_table(players.exact_agent(depth), TREE), side).worst
            for side in (1, -1)
        ]
        for depth in range(1, 8)
    }
    assert [depth for depth, worst in safe.items() if worst == [0, 0]] == [2, 6, 7]
    assert all(worst[0] == 0 for worst in safe.values())


def test_faults_on_exact_values_are_preferred_at_depth_one_only() -> None:
    found = {depth: players.faults(depth) for depth in range(1, 7)}
    assert found == {1: (18, 8), 2: (0, 0), 3: (0, 8), 4: (0, 1), 5: (0, 5), 6: (0, 0)}


@pytest.mark.parametrize(
    ("depth", "lost"), [(1, "209/5670"), (2, "0"), (3, "1/189"), (4, "8/945"), (5, "32/2835")]
)
def test_a_search_that_defends_once_lost_loses_less(depth: int, lost: str) -> None:
    """The fractions were found by an independent recursion over plain tuples, too."""
    drawn = policy_table(players.exact_agent(depth), ceilings.tree())
    lots, some, every = players.lost_by_ties(depth).values()
    assert some == Fraction(lost)
    assert every == (some if depth == 1 else 0)
    assert (some < lots) == (depth in (3, 4, 5))
    assert ((players.tie_broken(depth) > 0) <= (drawn > 0)).all()
    safe = [worst_case(ceilings.tree(), players.tie_broken(depth), side).worst for side in (1, -1)]
    assert safe == [0, -1 if depth == 1 else 0]


def test_monte_carlo_limit_is_greedy_on_the_exact_expectation() -> None:
    limit = players.monte_carlo_limit(players.uniform_chances(), ties="uniform")
    greedy = players.exact_agent(1)
    assert np.array_equal(policy_table(limit, TREE), policy_table(greedy, TREE))


def test_pure_monte_carlo_nears_its_limit() -> None:
    text = ("....x....", "xox.o....", "ox...x..o")
    boards = np.concatenate([study.board(one) for one in text])
    for policy, chances in (
        ("random", players.uniform_chances()),
        ("mlp", players.playout_chances(evaluator(net(0)))),
    ):
        limit = policy_table(players.monte_carlo_limit(chances, ties="uniform"), TREE)
        agent = catalog.agent(f"pmc:playouts=40000,policy={policy}")
        chosen = agent.policy(boards, np.random.default_rng(0)).argmax(axis=1)
        assert (limit[TREE.index(boards), chosen] > 0).all(), policy


def test_a_playout_policy_plays_against_random_as_its_table_does() -> None:
    fixed = first_free(GRID)
    rival = random_agent(GRID)
    as_x, as_o = exact_match(fixed, rival, TREE), exact_match(rival, fixed, TREE).reversed()
    found = players.against_random(policy_table(fixed, TREE).astype(float))
    assert found == pytest.approx((float(as_x.expected), float(as_o.expected)))


def test_imbalance_is_that_of_every_unfinished_board_by_plain_recursion() -> None:
    """Of uniform playouts, with fractions; the empty board is one of those boards, too."""

    @cache
    def results(board: reference.Cells) -> tuple[Fraction, int]:
        """The expected result of random play, and that of perfect play."""
        after = [results(one) for one in reference.successors(board).values()]
        if not after:
            return Fraction(reference.winner(board)), reference.winner(board)
        best = (min if sum(board) else max)(value for _, value in after)
        return Fraction(sum(mean for mean, _ in after), len(after)), best

    def errors(board: reference.Cells, chance: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        """The chance of reaching each unfinished board along each path, and its error."""
        after = reference.successors(board)
        if after:
            mean, best = results(board)
            yield chance, mean - best
        for one in after.values():
            yield from errors(one, chance / len(after))

    total, squares = Fraction(0), Fraction(0)
    for chance, error in errors((0,) * 9, Fraction(1)):
        total, squares = total + chance, squares + chance * error**2
    found = players.imbalance(players.uniform_chances())
    assert found == pytest.approx(float(squares / total), abs=1e-12)


def test_playout_chances_are_a_policy_that_cools() -> None:
    running = ~TREE.finished
    for heat in (0.1, 1.0, 100.0):
        chances = players.playout_chances(evaluator(net(0)), heat)
        assert np.allclose(chances[running].sum(axis=1), 1)
        assert (chances[~TREE.legal] == 0).all()
    assert np.allclose(chances, players.uniform_chances(), atol=0.01)
    cold = players.playout_chances(evaluator(net(0)), 1e-4)
    greedy = policy_table(players.value_agent("greedy", evaluator(net(0))), TREE)
    assert (cold.argmax(axis=1)[running] == greedy.argmax(axis=1)[running]).mean() > 0.99
    with pytest.raises(ValueError, match="temperature must be positive"):
        players.playout_chances(evaluator(net(0)), 0.0)


def test_stored_strength_is_what_the_agents_do() -> None:
    table = store.read_table("playout_mlp_strength.csv")
    wanted = table[(table["values"] == "net x") & (table.seed == 0) & (table.opponent == "random")]
    rival = random_agent(GRID)
    for row in wanted.itertuples():
        agent = catalog.agent(f"mlp:seed=0,depth={row.depth}")
        outcome = (
            exact_match(agent, rival, TREE)
            if row.side == "x"
            else exact_match(rival, agent, TREE).reversed()
        )
        assert [str(part) for part in outcome] == [row.win, row.draw, row.loss]


NAMED = {
    "net x": "x {seed} looks {depth}, ends known, ties uniform",
    "net both": "both {seed} looks {depth}, ends known, ties uniform",
    "net x, ends too": "x {seed} looks {depth}, ends asked, ties uniform",
    "exact, ties uniform": "exact looks {depth}, ends known, ties uniform",
    "exact, ties first": "exact looks {depth}, ends known, ties first",
    **{
        f"pmc limit, T={heat}": f"limit of playouts by x {{seed}} at {heat}"
        for heat in runs.TEMPERATURES
    },
}
"""What the players of the stored strength table are, by their name in it."""


def test_players_of_the_strength_table_are_what_their_columns_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With every player replaced by a note of how it is made."""

    def note(values: str, depth: int = 1, *, ends: bool = True, ties: str = "uniform") -> str:
        return f"{values} looks {depth}, ends {'known' if ends else 'asked'}, ties {ties}"

    monkeypatch.setattr(runs, "net", lambda seed, record="x": f"{record} {seed}")
    monkeypatch.setattr(runs, "evaluator", lambda network: network)
    for name, value in {
        "value_agent": lambda name, *arguments, **options: note(*arguments, **options),
        "exact_agent": lambda depth, *, ties: note("exact", depth, ties=ties),
        "playout_chances": lambda values, heat: f"playouts by {values} at {heat}",
        "monte_carlo_limit": lambda chances: f"limit of {chances}",
    }.items():
        monkeypatch.setattr(players, name, value)
    columns, found = ["values", "seed", "depth"], list(runs._players())
    stored = store.read_table("playout_mlp_strength.csv")[columns].drop_duplicates()
    assert [list(row.values()) for row, _ in found] == stored.to_numpy().tolist()
    assert {row["values"] for row, _ in found} == NAMED.keys()
    for row, player in found:
        assert player == NAMED[row["values"]].format(**row)


def test_sampled_players_search_as_their_kinds_and_budgets_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tree search gets as many playouts as there are cells, for each of the others' per move."""
    monkeypatch.setattr(runs, "net", lambda seed: f"mlp {seed}")
    monkeypatch.setattr(runs, "uct", lambda grid, budget: ("uct", budget, "random"))
    monkeypatch.setattr(players, "uct_agent", lambda budget, network: ("uct", budget, network))
    monkeypatch.setattr(players, "pmc_agent", lambda grid, budget, kind: ("pmc", budget, kind))
    stored = store.read_table("playout_mlp_games.csv")
    for kind, budget in stored[["player", "playouts"]].drop_duplicates().to_numpy().tolist():
        search, _, policy = kind.partition(" ")
        wanted = {
            "pmc": ("pmc", budget, policy),
            "uct": ("uct", 9 * budget, "mlp 0" if policy == "mlp" else policy),
        }
        assert runs.sampled_player(kind, budget) == wanted[search]


def test_stored_matches_have_the_players_and_sides_of_their_rows_and_seeds_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """X wins 5, draws 6 and loses 7 of them, whoever it is."""
    asked = []

    def note(x: Any, o: Any, games: int, *, rng: np.random.Generator, sides: str) -> MatchResult:
        names = (one.name.partition(":")[0] for one in (x, o))
        asked.append((*names, games, rng.bit_generator.state, sides))
        return MatchResult(games, 5, 6, 7, 0.0)

    monkeypatch.setattr(runs, "sampled_player", lambda kind, n: SimpleNamespace(name=f"{kind} {n}"))
    monkeypatch.setattr(runs, "match", note)
    found, stored = runs.make_games(), store.read_table("playout_mlp_games.csv")
    about = ["player", "playouts", "side", "opponent", "games"]
    assert found[about].equals(stored[about])
    seeds = np.random.SeedSequence(1).spawn(len(found))
    for row, seed, met in zip(found.to_dict("records"), seeds, asked, strict=True):
        pair = [f"{row['player']} {row['playouts']}", row["opponent"]]
        order = 1 if row["side"] == "x" else -1
        state = np.random.default_rng(seed).bit_generator.state
        assert met == (*pair[::order], runs.GAMES, state, "first")
        assert [row[name] for name in ("win", "draw", "loss")][::order] == [5, 6, 7]


def test_controls_are_played_with_the_network_of_their_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def note(kind: str, budget: int, *, network: int) -> Any:
        asked.append((kind, budget, network))
        return random_agent(GRID)

    monkeypatch.setattr(controls, "searcher", note)
    monkeypatch.setattr(controls, "match", lambda *players, **how: MatchResult(4, 1, 1, 2, 0.0))
    found = controls.make_controls_by_network()
    stored = store.read_table("playout_mlp_controls_by_network.csv")
    about = ["seed", "kind", "playouts", "side", "opponent"]
    assert found[about].equals(stored[about])
    wanted = found[["kind", "playouts", "seed"]]
    assert asked == [*wanted.itertuples(index=False, name=None)]


def test_stored_nets_are_trained_on_the_rows_and_from_the_seeds_they_are_read_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def note(seed: int, *, record: str = "x") -> SimpleNamespace:
        return SimpleNamespace(net=(record, seed))

    monkeypatch.setattr(runs, "run", note)
    monkeypatch.setattr(runs, "pack_nets", lambda nets: nets)
    seeds = model.STORED_SEEDS
    assert runs.make_nets() == {r: [(r, seed) for seed in seeds] for r in ("x", "both")}


def test_games_agree_with_the_exact_match() -> None:
    agent, rival = catalog.agent("mlp"), random_agent(GRID)
    exact_win = float(exact_match(agent, rival, TREE).win)
    found = match(agent, rival, 4000, rng=1, sides="first")
    low, high = wilson(found.win, found.games, 0.9999)
    assert low < exact_win < high


@pytest.mark.parametrize(
    ("kind", "text", "playouts"),
    [
        (choices.ENDS, "....x....", 3),
        (choices.NETWORK, "xo..x....", 10),
        (choices.ASKED, "x...o...x", 10),
        (choices.UNFINISHED, "xo..x....", 10),
        (choices.UNIFORM, "xox.o....", 30),
    ],
)
def test_moves_are_chosen_as_often_as_computed(kind: str, text: str, playouts: int) -> None:
    policy, board, n = choices.kinds()[kind], study.board(text), 2000
    chances = choices.pmc_chances(policy, playouts)[TREE.index(board)[0]]
    table = players.steps_by_code(policy)
    means = pure_monte_carlo(GRID, np.repeat(board, n, 0), playouts, rng=1, policy=table)
    found = best_moves(means, "first").mean(axis=0)
    assert (np.abs(found - chances) <= 4 * np.sqrt(chances * (1 - chances) / n) + 1e-9).all()


def test_the_first_of_equal_sums_is_chosen() -> None:
    """One playout after each of two moves: a win and a draw are equally likely."""
    sums = np.tile([0.0, 0.5, 0.5], (1, 3, 1))
    found = choices.first_best(sums, np.array([[True, False, True]]))
    assert found.tolist() == [[0.75, 0, 0.25]]


def test_sums_of_results() -> None:
    two = choices.sum_chances(np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]), 2)
    assert two == pytest.approx(np.array([[0.25, 0, 0.5, 0, 0.25], [0, 0, 0, 0, 1]]))


def test_stored_matches_are_near_their_exact_chances() -> None:
    games = store.read_table("playout_mlp_games.csv").set_index(ledger.FIXTURES)
    for kind, player in ((choices.UNIFORM, "pmc random"), (choices.NETWORK, "pmc mlp")):
        stored = games[games["player"] == player]
        chances = choices.matches().loc[kind].loc[stored.index]
        for result in ("win", "draw", "loss"):
            p, n = chances[result], stored["games"]
            assert ((stored[result] / n - p).abs() < 4 * (p * (1 - p) / n) ** 0.5 + 0.001).all()


def test_the_control_is_the_same_search_with_other_playouts() -> None:
    """With the network's it is the player whose games are stored, move by move."""
    board = np.repeat(study.board("....x...."), 50, 0)
    mine, other = (
        agent.visits(board, np.random.default_rng(3))
        for agent in (controls.searcher(choices.NETWORK, 3), players.uct_agent(27, net(0)))
    )
    np.testing.assert_array_equal(mine, other)
    ends = controls.searcher(choices.ENDS, 3).visits(board, np.random.default_rng(3))
    assert (mine != ends).any()


def test_controls_are_played_in_every_match_and_at_length_in_the_one_that_decides() -> None:
    stored = store.read_table("playout_mlp_controls.csv")
    games = store.read_table("playout_mlp_games.csv")
    few, many = (stored[stored["games"] == n] for n in (runs.GAMES, controls.MANY))
    assert len(few) + len(many) == len(stored)
    played = games[games["player"] == "uct mlp"].set_index(ledger.FIXTURES).index
    assert few.set_index(ledger.FIXTURES).index.equals(played)
    assert set(few["kind"]) == {choices.ENDS}
    assert set(many.set_index(ledger.FIXTURES).index) == {controls.CLOSER}
    assert sorted(many["kind"]) == sorted(choices.kinds())
    better, _ = ledger._clearly(ledger.gains_in_errors("uct"))
    assert better == [controls.CLOSER]


def test_a_playout_that_knows_only_finished_games_prefers_a_win() -> None:
    ends = players.playout_chances(lambda after: np.zeros(len(after)))
    wins = ends[TREE.index(study.board("xx.oo...."))[0]]
    assert wins[2] == pytest.approx(math.e * wins[5])
    assert wins[5] == wins[8]
    asked = players.playout_chances(lambda after: np.zeros(len(after)), ends=False)
    assert np.allclose(asked, players.uniform_chances())


def test_a_playout_that_knows_only_unfinished_games_ends_one_as_often_as_by_lot() -> None:
    """Of three moves 2 wins; the others share two thirds as the network's playouts would."""
    state = TREE.index(study.board("xx.oox.o."))[0]
    alone, guided = choices.kinds()[choices.UNFINISHED], choices.kinds()[choices.NETWORK][state]
    assert alone[state, 2] == pytest.approx(1 / 3)
    assert alone[state, [6, 8]] == pytest.approx(guided[[6, 8]] / guided[[6, 8]].sum() * 2 / 3)
    assert np.allclose(alone.sum(axis=1), ~TREE.finished)
    blind = choices.drawn_unless_ended(lambda after: np.zeros(len(after)))
    assert np.allclose(blind, players.uniform_chances())


def test_matches_of_all_networks_are_those_of_each() -> None:
    for kind in choices.STORED_KINDS:
        stored = choices.stored_matches(kind).loc[0]
        assert np.allclose(stored, choices.matches().loc[kind].loc[stored.index], atol=1e-8)
        for other in (choices.UNIFORM, choices.ENDS):
            found = choices.matches_improved(kind, other)
            assert found[0] == (choices.gains(kind, other) > 0).sum()
            assert len(found) == len(model.STORED_SEEDS)


def test_monte_carlo_players_state_no_weights() -> None:
    for name in ("pmc", "pmc:policy=mlp"):
        assert catalog.agent(name).weights is None
    network_search = players.uct_agent(200, net(0))
    chosen = network_search.policy(study.board("xx.oo...."), np.random.default_rng(0))
    assert chosen[0, 2] == 1


@pytest.mark.parametrize(
    ("name", "size", "fault"),
    [
        ("mlp", "4x4", "mlp learned 3x3 and can't play 4x4"),
        ("mlp:depth=0", "3x3", "depth >= 1"),
        ("pmc:playouts=0", "3x3", "playouts >= 1"),
        ("pmc:policy=net", "3x3", "random or mlp"),
        ("pmc:policy=mlp", "4x4", "can't play 4x4"),
    ],
)
def test_bad_agents_are_refused(name: str, size: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        catalog.agent(name, size)


def test_pmc_plays_larger_boards() -> None:
    grid = Grid(4)
    text = np.zeros((1, 16), dtype=np.int8)
    text[0, [0, 1, 2, 4, 5, 6]] = [1, 1, 1, -1, -1, -1]
    chances = catalog.agent("pmc:playouts=200", grid).policy(text, np.random.default_rng(0))
    assert chances[0, 3] == 1


# ---------------------------------------------------------------------------- the ledger


def test_verdicts_of_document_1() -> None:
    """As stored; ``test_ledger.py`` judges them afresh."""
    rows = [row for row in claims.load_results() if row["document"] == 1]
    verdicts = {row["id"]: row["verdict"] for row in rows}
    assert {name for name, found in verdicts.items() if found == "refuted"} == {
        "mlp-draw-at-7",
    }
    assert "differs" not in verdicts.values()
    blunt = [name for name, found in verdicts.items() if found == "undecided"]
    assert blunt == ["mlp-first-ten", "mlp-opinions"]
    kinds = {(row["kind"], row["verdict"]) for row in rows}
    assert {verdict for kind, verdict in kinds if kind == "timing"} == {"not testable"}
    assert {verdict for kind, verdict in kinds if kind == "adopted"} == {"adopted"}


def test_a_slip_in_a_printed_list_is_noticed() -> None:
    """Each check of printed rows finds a mistake in them."""
    right = {one.id: one for one in claims.load() if one.document == 1}

    def holds(function: Any, name: str, old: str, new: str) -> bool:
        text = right[f"mlp-{name}"].quote
        assert old in text
        return bool(function(text.replace(old, new, 1)).holds)

    assert not holds(ledger.sample_playout, "sample-playout", "[1, 1, 1, 1]", "[1, 1, 1, 0]")
    assert not holds(ledger.shown_rows, "shown-rows", "4,1,0", "4,0,0")
    assert not holds(ledger.shown_labels, "shown-labels", "1, 0", "0, 0")
    assert not holds(ledger.shown_empties, "empties", "1929 8", "1929 7")
    assert not holds(ledger.classes_of_chances, "classes", "array([1])", "array([0])")


@pytest.mark.parametrize(("name", "other"), [("HIDDEN", 50), ("MAX_ITERATIONS", 5)])
def test_a_setting_that_is_not_read_is_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, other: int
) -> None:
    assert ledger.setting_read(name, other).read
    fit = model.train(examples(ledger.FEW, rng=0), 0)
    monkeypatch.setattr(model, "train", lambda rows, seed: fit)
    assert not ledger.setting_read(name, other).read


def test_the_printed_run_by_columns() -> None:
    run = ledger.published_run()
    assert set(run) <= set(store.read_table("playout_mlp_seeds.csv").columns)
    assert (run["count_xx"], run["p3_o"], run["u1_4"], run["u3_2"]) == (
        429, 0.37998027, 0.54, -0.99,
    )  # fmt: skip


def test_law_judges_likely_and_unlikely_counts() -> None:
    distribution = ledger.test_rows()
    mean = round(TEST_SHARE * PLAYOUTS * ceilings.population().rows_per_playout)
    near, far = (significance.test(distribution, rows, None) for rows in (mean, mean + 46))
    assert near.p_value == pytest.approx(1, abs=0.05)
    assert far.p_value < 1e-9


def test_confusion_has_predictions_in_its_rows() -> None:
    predicted = np.array([1, 1, -1, 0], dtype=np.int8)
    true = np.array([-1, -1, -1, 1], dtype=np.int8)
    assert study.confusion(predicted, true).tolist() == [[1, 0, 0], [0, 0, 1], [2, 0, 0]]
    assert ledger.confusion().sum() == 829


def test_accuracy_is_counted_among_the_rows_that_are_kept() -> None:
    true, predicted = (np.array(row, dtype=np.int8) for row in ([1, 0, -1, 1], [1, 1, -1, -1]))
    found = study.Scored(Examples(np.zeros((4, 9), np.int8), true, np.arange(4)), predicted)
    assert found.accuracy() == 0.5
    assert found.accuracy(np.array([True, False, True, False])) == 1
    assert found.accuracy(slice(1, 3)) == 0.5
    assert found.accuracy(slice(3, None)) == 0


def test_who_sleeps_takes_time_on_the_wall_and_none_of_the_processor() -> None:
    wall, cpu = runs._both_clocks(lambda: time.sleep(0.1))
    assert cpu < 0.05 < 0.1 <= wall


# ---------------------------------------------------------------------------- rules for ties


def test_losses_by_the_lowest_index_are_the_stored_ones() -> None:
    rows = store.read_table("playout_mlp_strength.csv")
    rows = rows[(rows["values"] == "net x") & (rows["opponent"] == "random")]
    for depth in (1, 2):
        stored = rows[rows["depth"] == depth].pivot(index="seed", columns="side", values="loss")
        stored = stored[["x", "o"]].map(lambda text: float(Fraction(text)))
        assert np.allclose(lost_games.of_networks(depth, "first"), stored)


def test_each_player_stands_beside_one_with_the_same_rule_for_ties() -> None:
    [(_, found)] = lost_games.by_ties([4]).iterrows()
    for ties, told in lost_games.RULES.items():
        assert found[f"networks, {told}"] == lost_games.of_networks(4, ties)[:, 1].mean()
        agent = players.exact_agent(4, ties=ties)
        assert found[f"exact, {told}"] == pytest.approx(lost_games.losses(agent)[1])
    assert found["exact, lowest index"] == 0 < found["exact, ties at random"]


def test_a_network_told_of_wins_plays_as_one_that_is_not_asked_about_ends() -> None:
    assert np.array_equal(lost_games.told_of_ends(winner=True), lost_games.of_networks(1, "first"))
    assert (
        lost_games.told_of_ends(winner=False) >= lost_games.told_of_ends(winner=True)
    ).mean() > 0.5


def test_accuracy_on_own_rows_is_that_of_the_run() -> None:
    one = run(0)
    six = one.train.empties == 6
    own, best = study.on_own_rows(0, 6)
    assert own == study.scored(one.net, one.train).accuracy(six)
    assert best == study.oracle(one.train).accuracy(six) < own


def test_what_rows_of_both_sides_save_is_paired_by_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {("net x", 0): "3/10", ("net both", 0): "1/10", ("net x", 1): "1/2",
            ("net both", 1): "1/5", ("net x", 2): "1"}  # fmt: skip
    table = pd.DataFrame([
        {"values": kind, "seed": seed, "loss": loss, "opponent": "random", "side": "o", "depth": 1}
        for (kind, seed), loss in told.items()
    ])  # fmt: skip
    monkeypatch.setattr(lost_games.store, "read_table", lambda name: table)
    assert lost_games.saved_by_both() == pytest.approx((0.25, 12.706 * 0.05), rel=1e-4)

"""The performance table measures what its rows say."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import bench, store
from ttt_lib.evidence.clock import WALL, Clock
from ttt_lib.game.board import Grid
from ttt_lib.ising import bench as ising_bench
from ttt_lib.ising.energy import Energy
from ttt_lib.ising.tables import RANDOM, Player
from ttt_lib.ntuple import bench as ntuple_bench
from ttt_lib.ntuple.training import sgd_epoch
from ttt_lib.ultimate import bench as ultimate_bench
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.rules import MOVE_OF
from ttt_lib.ultimate.search.tree_search import UctSearch
from ttt_lib.ultimate.solver.solver import DTWSolver, Solution
from ttt_lib.ultimate.solver.table import Table
from ttt_lib.ultimate.studies import strength

TOLD = ("name", "unit", "reference", "target", "note")


def rows(found: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """What the rows say, without what was measured: of the notes, the first time in them."""
    told = [row | {"note": re.sub(r"[\d.]+ m?s\b", "", row["note"], count=1)} for row in found]
    return [tuple(row[key] for key in TOLD) for row in told]


def stored(begins: int, ends: int | None) -> list[tuple[str, ...]]:
    return rows(bench.read()["rows"][begins:ends])


def test_every_room_that_measures_is_in_the_table() -> None:
    """They are spelt out, not found by name, so that the table's record sees what it depends on."""
    library = Path(bench.__file__).parents[1]
    rooms = {path.parent.name for path in library.glob("*/bench.py")}
    assert {measure.split(".")[1] for measure in bench.MEASURES} == rooms


def test_a_ratio_is_ours_over_the_reference() -> None:
    assert bench.row("fast", 100.0, "slow", 4.0)["ratio"] == 25.0
    assert bench.row("fast", 100.0, "none", None)["ratio"] is None


def test_stored_ratios_are_those_of_the_stored_rates() -> None:
    for row in bench.read()["rows"]:
        if row["reference_rate"] is None:
            assert row["ratio"] is None, row["name"]
        else:
            assert row["ratio"] == pytest.approx(row["rate"] / row["reference_rate"]), row["name"]


def test_rows_of_the_game_time_the_match_that_they_name(monkeypatch: pytest.MonkeyPatch) -> None:
    timed: list[Callable[[], Any]] = []

    def rate(work: Callable[[], Any], *, units: int = 1) -> float:
        timed.append(work)
        return float(len(timed) * units)

    monkeypatch.setattr(bench, "rate", rate)
    found = bench.core()
    assert rows(found) == stored(0, 5)
    plain, floats, fractions, perfect = (work() for work in timed[:4])
    assert plain[0] == Fraction(737, 1260)
    assert fractions[0][0] == plain[0]
    assert floats[0][0] == pytest.approx(float(plain[0]))
    assert perfect[0][0] == Fraction(75257, 77760)
    assert [row["ratio"] for row in found] == [2.0, 3.0, 4.0, 6 / 5, 7 * 200_000 / 8]


def test_rows_of_the_documents_say_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is timed: only words, and the ratios of times that are given."""
    table = store.read_table(ultimate_bench.FILE)
    told = re.findall(r"<= (\d+) playable.*?of (\d+) positions", json.dumps(bench.read()["rows"]))
    solved = pd.concat([table[table["limit"] == int(limit)][: int(n)] for limit, n in told])
    assert len(told) == 3
    for room in (ising_bench, ultimate_bench):
        monkeypatch.setattr(room, "cpp_program", lambda name: nullcontext(Path(name)))
    monkeypatch.setattr(ising_bench, "best_rate", lambda *_, **__: 1.0)
    monkeypatch.setattr(ising_bench, "_printed_rate", lambda call: 1.0)
    monkeypatch.setattr(ntuple_bench, "ours", lambda orders: (1.0, None))
    monkeypatch.setattr(ntuple_bench, "cpp", lambda orders: ntuple_bench.Reference(2.0, orders))
    monkeypatch.setattr(ultimate_bench, "rate", lambda *_, **__: 1.0)
    monkeypatch.setattr(ultimate_bench, "_in_turn", lambda *jobs: [6.0, 3.0])
    monkeypatch.setattr(ultimate_bench, "_reference", lambda program, mode, n: (PERFT, 1.0))
    monkeypatch.setattr(ultimate_bench, "time_solver", lambda games: solved)
    ntuple, ising, ultimate = (
        room.measure() for room in (ntuple_bench, ising_bench, ultimate_bench)
    )
    assert rows([*ntuple, *ising, *ultimate]) == stored(5, None)
    assert ntuple[0]["ratio"] == 2.0
    assert [row["ratio"] for row in ultimate[2:4]] == [2.0, 2.0]
    assert [row["ratio"] for row in ultimate[-3:]] == pytest.approx([1.0] * 3)


PERFT = 4_020_960
"""Sequences of six moves from the empty board."""


def test_perft_of_another_engine_must_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ultimate_bench, "rate", lambda *_, **__: 1.0)
    monkeypatch.setattr(ultimate_bench, "_reference", lambda program, mode, n: (PERFT - 1, 1.0))
    with pytest.raises(RuntimeError, match=f"leaves, the reference {PERFT - 1}"):
        ultimate_bench._perft(Path("program"))


BITS = 88172645463325252
"""State of the generator with which the C++ program begins."""


def test_the_reference_for_ultimate_does_the_same_work() -> None:
    """The same games by the same random numbers, as its row says, and the same leaves."""
    state = Ultimate().initial()[0]
    with bench.cpp_program("ultimate") as program:
        if program is None:
            pytest.skip("no C++ compiler")

        def printed(mode: str, number: int) -> list[int]:
            run = subprocess.run(
                [program, mode, str(number)], capture_output=True, text=True, check=True
            )
            return [int(field) for field in run.stdout.split()[:-1]]

        assert (
            printed("playouts", 1000) == kernels.playouts(state, 1000, 0, np.uint64(BITS)).tolist()
        )
        assert printed("perft", 4) == [kernels.perft(state, 4, 0)]


def test_the_reference_for_tuples_learns_the_same() -> None:
    """After two epochs weights agree up to rounding: C++ may fuse products and sums."""
    size = len(ntuple_bench.positions(ntuple_bench.Patterns(Grid(3))).targets)
    orders = np.stack([np.random.default_rng(seed).permutation(size) for seed in (0, 1)])
    theirs = ntuple_bench.cpp(orders)
    if theirs is None:
        pytest.skip("no C++ compiler")
    assert np.abs(theirs.weights).max() > 0.01
    np.testing.assert_allclose(theirs.weights, ntuple_bench.ours(orders)[1], rtol=0, atol=1e-12)


def test_the_best_of_three_runs_of_a_reference_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reference is timed at its fastest, so that no ratio of ours is flattered."""
    seconds = iter(("0.5", "0.25", "1.0"))
    asked: list[list[str]] = []

    def run(command: list[Any], **_: Any) -> Any:
        asked.append([str(word) for word in command])
        return subprocess.CompletedProcess(command, 0, f"7 {next(seconds)}\n", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert ultimate_bench._reference(Path("engine"), "perft", 6) == (7, 4.0)
    assert asked == [["engine", "perft", "6"]] * 3
    assert ultimate_bench._reference(None, "perft", 6) is None


@pytest.mark.parametrize("status", [0, 1])
def test_a_reference_is_compiled_with_all_optimisation(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """The rows call their references C++ -O3; one that doesn't compile counts as missing."""
    asked: list[list[str]] = []

    def run(command: list[str], **_: Any) -> Any:
        asked.append(command)
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(bench.shutil, "which", lambda name: f"/bin/{name}")
    with bench.cpp_program("ultimate") as program:
        assert (program is None) == bool(status)
    (command,) = asked
    assert command[0] == "/bin/c++"
    assert {"-O3", "-march=native"} <= set(command)
    assert [word for word in command if word.startswith("-O")] == ["-O3"]
    assert Path(command[-1]) == store.root() / "tests" / "bench" / "ultimate.cpp"


def test_the_table_is_read_by_people() -> None:
    row = bench.row("fast thing", 1234.5, "slow thing", 4.0, unit="games/s", target=">= 10")
    text = bench.as_text({"rows": [row], "versions": {"python": "3"}, "machine": "m"})
    assert text.splitlines()[1].split() == [
        "fast", "thing", "1,234", "games/s", "308.6", "slow", "thing;", ">=", "10",
    ]  # fmt: skip


# ---------------------------------------------------------------------------- document 3


def test_self_play_is_timed_by_the_games_that_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand games take a second, whatever was played before."""
    played: list[int] = []

    def best_of(work: Callable[[], object]) -> float:
        before = sum(played)
        work()
        return (sum(played) - before) / 1000

    monkeypatch.setattr(ntuple_bench, "SelfPlay", lambda _: SimpleNamespace(play=played.append))
    monkeypatch.setattr(ntuple_bench, "best_of", best_of)
    assert ntuple_bench._self_play()["rate"] == 1000


def test_a_reference_that_did_not_run_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntuple_bench, "ours", lambda orders: (1.0, None))
    monkeypatch.setattr(ntuple_bench, "cpp", lambda orders: None)
    row = ntuple_bench._training()
    assert (row["reference"], row["ratio"]) == ("none: no C++ compiler", None)


def test_every_timed_training_begins_without_weights() -> None:
    """However often it is repeated, an epoch leaves what one epoch leaves."""
    patterns = ntuple_bench.Patterns(Grid(3))
    data, weights = ntuple_bench.positions(patterns), np.zeros(patterns.parameters + 1)
    order = np.random.default_rng(0).permutation(len(data.targets))
    sgd_epoch(data.features, data.targets, order, weights, ntuple_bench.RATE)
    assert np.abs(weights).max() > 0.01
    np.testing.assert_array_equal(ntuple_bench.ours(order[None])[1], weights)


# ---------------------------------------------------------------------------- document 4


NAMES = {"RI": "random v Ising", "II": "Ising v Ising"}
"""The players of a match as its row calls them, by how the reference is asked for them."""


def ising_rows(program: Path | None) -> list[dict[str, Any]]:
    rows = [ising_bench._match_row(size, program) for size in ("3x3", "4x4x4")]
    return [*rows, ising_bench._large_row(program)]


def test_a_match_is_the_one_that_its_row_names_here_and_in_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And as many games are played as are counted."""
    ours: list[tuple[str, int]] = []
    theirs: list[tuple[str, int]] = []

    def play(grid: Grid, x: Player, o: Player, games: int, *, rng: int) -> None:
        letters = "".join("R" if player is RANDOM else "I" for player in (x, o))
        ours.append((f"Ising: {NAMES[letters]}, {grid.name}, equation", games))

    def best_rate(job: Callable[[], object], count: int, **_: int) -> float:
        job()
        assert ours[-1][1] == count
        return 1.0

    def printed(call: list[str]) -> float:
        _, n, d, letters, games = call
        name = f"Ising: {NAMES[letters]}, {Grid(int(n), int(d)).name}, equation"
        theirs.append((name, int(games)))
        return 1.0

    monkeypatch.setattr(ising_bench, "ROUNDS", 1)
    monkeypatch.setattr(ising_bench, "play", play)
    monkeypatch.setattr(ising_bench, "best_rate", best_rate)
    monkeypatch.setattr(ising_bench, "_printed_rate", printed)
    names = [row["name"] for row in ising_rows(Path("program"))]
    assert ours == theirs
    assert [name for name, _ in ours] == names


def test_without_a_compiler_the_same_match_is_played_in_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is much slower, and so fewer games are played, and as many are counted."""
    played: list[str] = []

    def plain_game(energy: Energy, players: str, b: float, *, rng: int) -> None:
        played.append(f"Ising: {NAMES[players]}, {energy.grid.name}, equation")

    def best_rate(job: Callable[[], object], count: int, **_: int) -> float:
        job()
        return float(count)

    monkeypatch.setattr(ising_bench, "play", lambda *_, **__: None)
    monkeypatch.setattr(ising_bench, "plain_game", plain_game)
    monkeypatch.setattr(ising_bench, "best_rate", best_rate)
    for row in ising_rows(None):
        assert row["reference"] == "readable Python"
        assert row["reference_rate"] == played.count(row["name"]) > 0
        assert row["rate"] > 10 * row["reference_rate"]


def test_of_a_match_and_its_reference_the_best_rounds_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = iter([1.0, 5.0, 2.0, 3.0, 4.0]), iter([20.0, 10.0, 50.0, 30.0, 40.0])
    monkeypatch.setattr(ising_bench, "best_rate", lambda *_, **__: next(ours))
    monkeypatch.setattr(ising_bench, "_printed_rate", lambda call: next(theirs))
    row = ising_bench._match_row("3x3", Path("program"))
    assert (row["rate"], row["reference_rate"]) == (5.0, 50.0)


def test_the_sweep_that_is_timed_is_the_one_that_its_row_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def sweep(size: str, name: str, biases: Any, games: int) -> None:
        asked.append(f"Ising: sweep of {len(biases)} x {games:,} games, {size}")

    def best_rate(job: Callable[[], object], count: int, **_: int) -> float:
        job()
        return count / 4

    monkeypatch.setattr(ising_bench, "sweep", sweep)
    monkeypatch.setattr(ising_bench, "best_rate", best_rate)
    row = ising_bench._sweep_row()
    assert asked == [row["name"]]
    assert row["rate"] == 1 / 4


# ---------------------------------------------------------------------------- document 5


def executed(work: Callable[[], Any], *, units: int = 1) -> float:
    """The rate if all units take one second; the work returns, or counts up to, their number."""
    found = np.sum(work())
    assert found == units
    return float(units)


def test_playouts_are_counted_in_games_here_and_in_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The reference runs twice a second, all games in each run."""
    asked: list[tuple[str, int]] = []

    def reference(program: Path, mode: str, number: int) -> tuple[int, float]:
        asked.append((mode, number))
        return 0, 2.0

    monkeypatch.setattr(ultimate_bench, "GAMES", 30)
    monkeypatch.setattr(ultimate_bench, "rate", executed)
    monkeypatch.setattr(ultimate_bench, "_reference", reference)
    row = ultimate_bench._playouts(Path("program"))
    assert (row["rate"], row["reference_rate"], row["unit"]) == (30, 60, "games/s")
    assert asked == [("playouts", 30)]


def test_perft_is_counted_in_leaves_here_and_in_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the 81 first moves nine send to their own sub-board, where eight cells are left."""
    leaves = 81 * 9 - 9
    monkeypatch.setattr(ultimate_bench, "DEPTH", 2)
    monkeypatch.setattr(ultimate_bench, "rate", executed)
    monkeypatch.setattr(ultimate_bench, "_reference", lambda *_: (leaves, 2.0))
    row = ultimate_bench._perft(Path("program"))
    assert (row["rate"], row["reference_rate"]) == (leaves, 2 * leaves)


def test_jobs_take_turns_and_the_best_round_of_each_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rates = {"a": iter([1.0, 5.0, 2.0, 3.0, 4.0]), "b": iter([20.0, 10.0, 50.0, 30.0, 40.0])}
    turns: list[str] = []

    def rate(work: Callable[[], Any], *, units: int, seconds: float) -> float:
        turns.append(work())
        return units * next(rates[turns[-1]])

    monkeypatch.setattr(ultimate_bench, "rate", rate)
    assert ultimate_bench._in_turn((lambda: "a", 1), (lambda: "b", 2)) == [5.0, 100.0]
    assert turns == ["a", "b"] * 5


def test_both_searches_run_from_all_states_that_their_row_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every sixth of the first forty states of two games; each search makes seven simulations."""
    searched: dict[str, list[int]] = {"net": [], "playouts": []}

    def search(name: str) -> Callable[..., Any]:
        def made(game: Ultimate, state: int, *_: object, **__: int) -> SimpleNamespace:
            def run(simulations: int) -> None:
                assert simulations == ultimate_bench.SIMULATIONS
                searched[name].append(int(state))

            return SimpleNamespace(run=run, simulations=7)

        return made

    def in_turn(*jobs: tuple[Callable[[], int], int]) -> list[float]:
        for found in searched.values():
            found.clear()
        assert all(work() == units for work, units in jobs)
        return [float(units) for _, units in jobs]

    monkeypatch.setattr(
        ultimate_bench, "uct_games", lambda *_, **__: iter([np.arange(50), np.arange(100, 138)])
    )
    monkeypatch.setattr(ultimate_bench, "stored_tables", lambda: None)
    monkeypatch.setattr(ultimate_bench, "TableSearch", search("net"))
    monkeypatch.setattr(ultimate_bench, "UctSearch", search("playouts"))
    monkeypatch.setattr(ultimate_bench, "_in_turn", in_turn)
    row = ultimate_bench._puct()
    states = [0, 6, 12, 18, 24, 30, 36, 100, 106, 112, 118, 124, 130, 136]
    assert searched == {"net": states, "playouts": states}
    assert (row["rate"], row["reference_rate"]) == (7 * 14, 7 * 14)
    assert row["note"].startswith("10000 simulations from each of 14 states")


def test_what_is_solved_anew_is_not_in_the_table_and_what_is_looked_up_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each solving takes as many nodes as the first, with an empty table; a look-up takes none.

    Emptying the table takes longer than solving, and is not timed.
    """
    nodes: list[int] = []
    answers: list[Solution] = []

    class Watched(DTWSolver):
        def calculate_dtw(self, position: Any, **_: Any) -> Solution:
            found = super().calculate_dtw(position)
            nodes.append(self.searched)
            return found

    def best_of(work: Callable[[], Any], repeats: int, clock: Clock) -> float:
        assert (repeats, clock) == (3, WALL)
        answers.append(work())
        return 1 / 8

    def timed(work: Callable[[], Any], clock: Clock) -> tuple[float, Any]:
        assert clock is WALL  # as of the look-up
        began = len(cleared)
        answers.append(work())
        assert len(cleared) == began
        return 1 / len(nodes), answers[-1]

    cleared: list[None] = []
    empty = Table.clear
    monkeypatch.setattr(Table, "clear", lambda table: (cleared.append(None), empty(table)))
    monkeypatch.setattr(ultimate_bench, "DTWSolver", Watched)
    monkeypatch.setattr(ultimate_bench, "best_of", best_of)
    monkeypatch.setattr(ultimate_bench, "timed", timed)
    monkeypatch.setattr(ultimate_bench, "ANEW", 3)
    row = ultimate_bench._lookup()
    assert len(nodes) == 4
    assert set(nodes) == {nodes[0]}
    assert nodes[0] > 100
    assert answers[0].result in (-1, 0, 1)
    assert (row["rate"], row["reference_rate"]) == (8.0, 4.0)
    assert row["note"].endswith(f"15 cells, {nodes[0]} nodes")


def test_the_solver_is_compared_on_the_positions_that_are_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The stored ones go on after those; of ten games here, all agree but for the times."""
    few = ultimate_bench.time_solver(games=10).assign(milliseconds=1.0)
    monkeypatch.setattr(ultimate_bench, "time_solver", lambda games: few)
    rows = ultimate_bench._solver()
    stored = store.read_table(ultimate_bench.FILE)
    for row, cells in zip(rows, (15, 20, 25), strict=True):
        here, there = (t[t["limit"] == cells].reset_index(drop=True) for t in (few, stored))
        there = there[: len(here)]
        assert len(here) > 5
        assert here.drop(columns="milliseconds").equals(there.drop(columns="milliseconds"))
        assert row["rate"] == 1000
        assert row["reference_rate"] == pytest.approx(1e3 / np.percentile(there.milliseconds, 99))
        assert f"of {len(here)} positions" in row["note"]
    few.loc[few["limit"] == 20, "nodes"] += 1
    with pytest.raises(RuntimeError, match="other positions of 20 cells"):
        ultimate_bench._solver()


def reached(actions: list[int]) -> kernels.State:
    """The state after OpenSpiel's actions: a sub-board, if that is free, and a cell."""
    game, left = Ultimate(), iter(actions)
    states = game.initial()
    for action in left:
        forced = int(states[0, kernels.FORCED])
        move = MOVE_OF[action][next(left)] if forced == kernels.FREE else MOVE_OF[forced][action]
        states = game.play(states, np.array([move]))
    return np.asarray(states[0])


def test_openspiel_searches_at_our_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the benchmark and in matches: our exploration constant, and no proofs; the same states."""
    bots: list[SimpleNamespace] = []
    ours: list[UctSearch] = []
    theirs: list[list[int]] = []

    @dataclass
    class Spiel:
        actions: list[int]

        def apply_action(self, action: int) -> None:
            self.actions.append(action)

        def clone(self) -> Spiel:
            return Spiel([*self.actions])

    def bot(game: str, rollouts: int, c: float, simulations: int, memory: int, solve: bool,
            seed: int, verbose: bool) -> SimpleNamespace:  # fmt: skip
        bots.append(SimpleNamespace(c=c, simulations=simulations, solve=solve))
        return SimpleNamespace(mcts_search=lambda state: theirs.append(state.actions))

    class Watched(UctSearch):
        def run(self, simulations: int) -> Any:
            ours.append(self)
            assert simulations == bots[0].simulations

    def in_turn(*jobs: tuple[Callable[[], object], int]) -> list[float]:
        for searches, (work, units) in zip((ours, theirs), jobs, strict=True):
            before = len(searches)
            work()
            assert units == (len(searches) - before) * bots[0].simulations
        return [30.0, 2.0]

    spiel = SimpleNamespace(
        MCTSBot=bot, RandomRolloutEvaluator=lambda rollouts, seed: rollouts,
        load_game=lambda name: SimpleNamespace(new_initial_state=lambda: Spiel([])),
    )  # fmt: skip
    for module in (ultimate_bench, strength):
        monkeypatch.setattr(module, "openspiel", lambda: spiel)
    games = list(ultimate_bench.uct_games(2, rng=3, simulations=50))
    games[0][6] = Ultimate().initial()[0]  # a free move is two actions there
    monkeypatch.setattr(ultimate_bench, "uct_games", lambda *_, **__: games)
    monkeypatch.setattr(ultimate_bench, "UctSearch", Watched)
    monkeypatch.setattr(ultimate_bench, "_in_turn", in_turn)
    assert [row["ratio"] for row in ultimate_bench._uct()] == [15, 15]
    assert [reached(actions).tolist() for actions in theirs] == [s.state.tolist() for s in ours]
    assert len({len(actions) for actions in theirs}) > 6
    assert all(search.state[kernels.FORCED] != kernels.FREE for search in ours[1:])
    strength.OpenSpiel(1000, seed=3)
    assert {(found.c, found.solve) for found in bots} == {(ours[0].c, ours[0].solve)}
    assert {found.simulations for found in bots} == {10_000, 1000, 1}  # 1 where states are reached

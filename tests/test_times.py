"""What is stored about time, measured with a clock that the test itself moves on."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from functools import partial
from itertools import chain, cycle, repeat
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ttt_lib.comparison import runs as comparison
from ttt_lib.evidence import clock
from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.match import MatchResult, random_openings
from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ising import runs as ising
from ttt_lib.ising.tables import RANDOM
from ttt_lib.playout_mlp import runs as playout_mlp
from ttt_lib.spectral import runs as spectral
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.config import TableConfig
from ttt_lib.ultimate.network.tablenet import TableNet
from ttt_lib.ultimate.studies import (
    cost,
    endgames,
    fault_costs,
    hybrid,
    matches,
    replay_sampling,
    strength,
)


class Hand:
    """A clock whose time passes only by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def take(self, seconds: float) -> None:
        self.now += seconds

    def works(self, *seconds: float) -> Callable[[], None]:
        """Work that takes these times, one after the other."""
        times = iter(seconds)
        return lambda: self.take(next(times))


@pytest.fixture
def hand() -> Hand:
    return Hand()


def read_by(hand: Hand, name: str, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function of the library's clock read the test's own, as far as a module uses it."""
    monkeypatch.setattr(module, name, partial(getattr(clock, name), clock=hand))


# ---------------------------------------------------------------------------- the clock


def test_a_rate_is_that_of_the_best_of_three_spans_after_a_call_that_is_not_timed(
    hand: Hand,
) -> None:
    """The spans last a second or more: two calls, one, and four; the first of all takes nine."""
    job = hand.works(9, 0.5, 0.5, 1, 0.25, 0.25, 0.25, 0.25)
    assert clock.rate(job, units=3, seconds=3, clock=hand) == 3 * 4
    with pytest.raises(StopIteration):
        job()


def test_the_fastest_of_several_calls_counts(hand: Hand) -> None:
    assert clock.best_of(hand.works(3, 1, 2), clock=hand) == 1
    assert clock.best_of(hand.works(3, 2, 4, 1), 2, clock=hand) == 2


def test_other_work_on_the_machine_counts_only_where_a_user_waits() -> None:
    """The clock read unless one is given: of the process, or on the wall for rates."""
    given = {
        function.__name__: inspect.signature(function).parameters["clock"].default
        for function in (clock.timed, clock.best_of, clock.rate)
    }
    assert given == {
        "timed": time.process_time, "best_of": time.process_time, "rate": time.perf_counter,
    }  # fmt: skip


# ---------------------------------------------------------------------------- documents 1 to 4


def test_medians_of_the_network_keep_wall_and_processor_apart() -> None:
    found = playout_mlp._medians([(30.0, 1.0), (10.0, 9.0), (20.0, 2.0)])
    assert found == {"repeats": 3, "wall_seconds": 20.0, "cpu_seconds": 2.0}


def test_a_spectral_job_is_timed_on_the_wall_by_its_median(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call, which compiles, is not among the seven."""
    monkeypatch.setattr(spectral, "WALL", hand)
    assert spectral._median_seconds(hand.works(100, 9, 1, 8, 3, 2, 4, 0.5)) == 3


def test_a_game_of_ising_costs_what_it_takes_whatever_the_number_of_games(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games take a second for each cell, and twice that if Ising moves first."""

    def play(grid: Grid, x: object, o: object, games: int, *, rng: int) -> None:
        hand.take(games * grid.cells * (1 if x is RANDOM else 2))

    monkeypatch.setattr(ising, "play", play)
    read_by(hand, "best_of", ising, monkeypatch)
    table = ising.make_cost()
    seconds = table.cells * table.players.map({"RI": 1, "II": 2})
    np.testing.assert_allclose(table.seconds_per_game, seconds)
    assert table.games.nunique() > 1


def test_times_of_document_4_are_those_of_one_game_or_one_file(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each player has seconds of its own, the second in a game ten times as many."""
    own = {"R": 1, "M": 2, "I": 3}

    def timed_game(energy: object, first: str, second: str, *, rng: object) -> None:
        hand.take(own[first] + 10 * own[second])

    def play(grid: Grid, x: object, o: object, games: int, *, rng: int) -> None:
        hand.take(games * 0.5)

    monkeypatch.setattr(ising, "timed_game", timed_game)
    monkeypatch.setattr(ising, "play", play)
    monkeypatch.setattr(ising, "csv_text", lambda board: hand.take(7))
    read_by(hand, "best_of", ising, monkeypatch)
    assert dict(ising.make_times().to_numpy().tolist()) == {
        "3x3 network as CSV": 7, "5x5x5x5 Ising v Ising": 0.5,
        "3x3 R v R": 11, "3x3 R v M": 21, "3x3 R v I": 31,
        "3x3 M v R": 12, "3x3 M v M": 22, "3x3 M v I": 32,
        "3x3 I v R": 13, "3x3 I v M": 23, "3x3 I v I": 33,
    }  # fmt: skip


# ---------------------------------------------------------------------------- the comparison


@pytest.mark.parametrize("positions", [1, 60, 120])
def test_a_move_is_timed_per_position_in_a_batch_and_alone(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, positions: int
) -> None:
    """A position takes a quarter of a second, and each call a second, which a batch shares."""

    def policy(boards: Boards, rng: np.random.Generator) -> Floats:
        hand.take(1 + len(boards) / 4)
        return np.full(boards.shape, 1 / 9)

    read_by(hand, "best_of", comparison, monkeypatch)
    batch, single = comparison._move_times(
        Agent("slow", Grid(3), policy), Grid(3).initial(positions)
    )
    assert batch == pytest.approx(1 / positions + 1 / 4)
    assert single == pytest.approx(1 + 1 / 4)


def test_costs_are_compared_with_random_play_on_the_same_board_in_the_same_way(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {
        ("3x3", "random"): (2, 10), ("3x3", "minimax:ties=first"): (6, 50),
        ("4x4", "random"): (4, 5), ("4x4", "minimax:ties=first"): (8, 35),
    }  # fmt: skip
    names = ("random", "minimax:ties=first")
    monkeypatch.setattr(comparison, "COSTED", {"3x3": names, "4x4": names})
    monkeypatch.setattr(comparison, "agent", lambda name, size: (size, name))
    monkeypatch.setattr(comparison, "_positions", lambda grid: None)
    monkeypatch.setattr(comparison, "_move_times", lambda player, boards: times[player])
    monkeypatch.setattr(
        comparison, "_trainings", lambda grid: {"minimax": hand.works(100, grid.cells)}
    )
    read_by(hand, "best_of", comparison, monkeypatch)
    table = comparison.make_cost().set_index(["board", "player"])
    assert table.batch_ratio.tolist() == [1, 3, 1, 2]
    assert table.single_ratio.tolist() == [1, 5, 1, 7]
    assert table.training.tolist() == [0, 9, 0, 16]


# ---------------------------------------------------------------------------- document 5


def test_a_copy_is_timed_in_microseconds_per_call(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by(hand, "best_of", endgames, monkeypatch)
    assert endgames._microseconds(lambda: hand.take(0.25), calls=8) == 250_000


def test_a_batch_from_the_window_is_timed_at_its_best_in_microseconds(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ways(size: int) -> dict[str, Callable[[object], None]]:
        slow, fast = hand.works(9, size, 8), hand.works(6, 7, 0.5)
        return {"slow": lambda rng: slow(), "fast": lambda rng: fast()}

    monkeypatch.setattr(replay_sampling, "window", lambda size: size)
    monkeypatch.setattr(replay_sampling, "ways", ways)
    read_by(hand, "timed", replay_sampling, monkeypatch)
    assert replay_sampling.make_sampling((2, 4), repeats=3).to_numpy().tolist() == [
        ["slow", 2, 2e6], ["fast", 2, 5e5], ["slow", 4, 4e6], ["fast", 4, 5e5],
    ]  # fmt: skip


def test_networks_are_timed_in_positions_per_second_of_the_processor(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A position alone takes half a second, sixty-four take two."""

    def evaluate(states: States) -> None:
        hand.take({1: 0.5, 64: 2}[len(states)])

    monkeypatch.setattr(cost, "PROCESSOR", hand)
    monkeypatch.setattr(cost, "_networks", lambda: iter([("a net", 5, 7, evaluate)]))
    assert cost.make_cost().to_dict("records") == [
        {"network": "a net", "parameters": 5, "multiplications": 7, "alone": 2, "batch_64": 32}
    ]


def test_multiplications_of_the_table_net_are_those_of_its_layers_once_tabulated() -> None:
    """What the layers of a sub-board give is listed; care multiplies it, in all nine of them."""
    config = TableConfig(body=2, parts=3, over=2, rows=8, value=5, channels=3)
    net = TableNet(config)
    above = sum(layer.weight.numel() for layer in (net.layer, net.last, net.globe))
    listed = 9 * (net.sends.out_features + net.cells.out_features)
    assert cost.table_multiplications(config) == above + listed
    # By hand: 8 x 5 into the layer, 5 into the value, 8 x 2 x 3 into care; 9 and 81 products of 3.
    assert cost.table_multiplications(config) == 40 + 5 + 48 + 27 + 243


def test_the_shallow_search_is_timed_in_searches_of_the_same_positions(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three seconds each beside two; a win is found in every other one, and proven in a third."""
    states = random_openings(Ultimate(), 7 * 6, 40, np.random.default_rng(0))
    assert ((playable(states) > 15) & (playable(states) <= 45)).all()
    found, proven = (chain([None], cycle([5, None]))), cycle([1, -1, None])

    class Solver:
        table = SimpleNamespace(clear=lambda: None)

        def get_best_winning_move(self, state: object) -> int | None:
            hand.take(3)
            return next(found)

    class Search:
        def __init__(self, *about: object) -> None: ...

        def run(self, simulations: int) -> SimpleNamespace:
            hand.take(2 * simulations / 200)
            return SimpleNamespace(proven=next(proven))

    monkeypatch.setattr(fault_costs, "DTWSolver", Solver)
    monkeypatch.setattr(fault_costs, "TableSearch", Search)
    monkeypatch.setattr(
        fault_costs, "games_played", lambda *_, opening: SimpleNamespace(states=states)
    )
    read_by(hand, "timed", fault_costs, monkeypatch)
    rows = list(fault_costs.shallow_rows(None, 1.0))  # type: ignore[arg-type]
    assert {row["quantity"]: (row["value"], row["n"]) for row in rows} == {
        "time, in searches of 200 simulations": (1.5, 6),
        "wins found": (1 / 2, 6),
        "wins proven by 200 simulations": (1 / 3, 6),
    }


def test_compilation_does_not_count_in_a_match(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first move of each player takes a thousand nanoseconds, each other three or five."""

    def agent(name: str, other: float) -> Agent:
        times = chain([1000.0], repeat(other))

        def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
            hand.take(next(times))
            return np.zeros(len(states), dtype=np.intp)

        return from_moves(name, Ultimate(), moves)

    def match(x: Agent, o: Agent, games: int, *, rng: int = 0, openings: int) -> MatchResult:
        for _ in range(games):
            for player in (x, o):
                assert player.moves is not None
                player.moves(Ultimate().initial(), np.random.default_rng(rng))
        return MatchResult(games, games, 0, 0, 0.0)

    monkeypatch.setattr(matches, "thread_time_ns", hand)
    monkeypatch.setattr(matches, "match", match)
    counted, mine, other = matches.timed(agent("ours", 3), agent("theirs", 5), 20, rng=1)
    assert (counted["games"], counted["win"]) == (20, 20)
    assert (mine.nanoseconds, mine.moves) == (3 * 20, 20)
    assert (other.nanoseconds, other.moves) == (5 * 20, 20)
    assert other.milliseconds == 5e-6


def spent(ours: object, theirs: object, games: int, *, rng: int) -> tuple[Any, ...]:
    """A match in which we take three times as long as they do."""
    return {"games": games}, SimpleNamespace(nanoseconds=6), SimpleNamespace(nanoseconds=2)


def test_a_ratio_of_times_is_ours_over_the_opponents(monkeypatch: pytest.MonkeyPatch) -> None:
    for study in (strength, hybrid):
        monkeypatch.setattr(study, "timed", spent)
    monkeypatch.setattr(strength, "stored_agent", lambda simulations: None)
    found = strength.play(strength.Pairing(200, strength.RANDOM, 4))
    assert (found["games"], found["time_ratio"]) == (4, 3)
    nobody: Any = None
    assert hybrid.pairing("ours", "theirs", nobody, nobody, 4)["time_ratio"] == 3

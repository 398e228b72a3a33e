"""What answers a claim of document 4 about times and searches, on other data than the stored."""

from __future__ import annotations

from types import SimpleNamespace as Some

import pytest

from ttt_lib.evidence.claims import declared, judge
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.ising import claims_times
from ttt_lib.ising.network import program_minimax, search_nodes

Patch = pytest.MonkeyPatch
GRID = Grid(3)
TIMES = ("ising-network-time", "ising-ising-time", "ising-minimax-time", "ising-five-four-time")


@pytest.mark.parametrize("name", TIMES)
def test_a_time_of_another_algorithm_is_not_judged(monkeypatch: Patch, name: str) -> None:
    """Whatever it is; and the reason is not that no machine were named."""
    rows = []
    for seconds in (0.001, float(declared(name).published)):
        monkeypatch.setattr(claims_times, "_times", lambda seconds=seconds: Times(seconds))
        rows += judge([declared(name)])
    assert {row.verdict for row in rows} == {"not testable"}
    assert all("names no machine" not in row.reason and row.reason for row in rows)
    assert rows[0].ours != rows[1].ours
    assert [row.accepts for row in rows] == [None, None]


class Times:
    """The same time for everything."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __getitem__(self, what: str) -> float:
        return self.seconds


def visited(monkeypatch: Patch, found: dict[tuple[str, str], float]) -> None:
    monkeypatch.setattr(claims_times, "positions_visited", lambda *pair: found[pair])


@pytest.mark.parametrize(("quick", "told"), [(40, "about 1.4 s"), (20, "about 0.7 s")])
def test_no_time_is_short_enough_to_be_almost_instantaneous(
    monkeypatch: Patch, quick: int, told: str
) -> None:
    """A game of 100 positions is said to take 3.375 seconds."""
    visited(monkeypatch, {("random", "minimax"): 100, ("ising", "minimax"): quick})
    found = claims_times.almost_instantaneous("ising-minimax-time")
    assert found.holds is None
    assert found.found.endswith(told)


@pytest.mark.parametrize(
    ("counts", "holds"), [((1000, 1000), True), ((1000, 999), False), ((999, 1000), False)]
)
def test_a_search_lasts_longer_if_it_has_not_ended_after_what_it_visits_in_the_time(
    monkeypatch: Patch, counts: tuple[int, int], holds: bool
) -> None:
    """At 56.25 positions in a game of 3.375 seconds it visits 1000 in a minute."""
    visited(monkeypatch, {("random", "minimax"): 56.25})
    ended = dict(zip((0, 1), counts, strict=True))
    monkeypatch.setattr(
        claims_times, "visited_until", lambda grid, board, most: min(most, ended[board.sum()])
    )
    found = claims_times.out_of_minutes(1, "ising-minimax-time")
    assert found.holds is holds
    told = [f"{'more than ' if count == 1000 else ''}{count:,}" for count in counts]
    assert f"visits {told[0]} positions on the empty board, {told[1]} with the cent" in found.found


@pytest.mark.parametrize(
    ("pair", "few", "holds"),
    [(("random", "minimax"), 49, True), (("random", "minimax"), 50, False),
     (("random", "random"), 49, True), (("random", "random"), 50, False),
     (("random", "ising"), 49, True), (("random", "ising"), 50, False)],
)  # fmt: skip
def test_significantly_longer_is_more_than_twice_as_much_whoever_is_second(
    monkeypatch: Patch, pair: tuple[str, str], few: float, holds: bool
) -> None:
    found = {(first, second): 100.0 * (first == "minimax") for first in claims_times.PLAYERS
             for second in claims_times.PLAYERS}  # fmt: skip
    visited(monkeypatch, found | {pair: few})
    assert claims_times.more_extended().holds is holds


@pytest.mark.parametrize(("ising", "holds"), [(0, True), (100, True), (101, False), (5000, False)])
def test_any_second_player_is_given_a_tenth_of_a_percent(
    monkeypatch: Patch, ising: int, holds: bool
) -> None:
    visited(monkeypatch, {("minimax", "minimax"): 100_000.0, ("ising", "minimax"): ising})
    assert claims_times.any_second(percent=100.0).holds is holds


@pytest.mark.parametrize(("ising", "holds"), [(56, False), (57, True), (76, True), (77, False)])
def test_a_third_less_is_told_within_a_tenth(monkeypatch: Patch, ising: int, holds: bool) -> None:
    visited(monkeypatch, {("minimax", "minimax"): 100.0, ("minimax", "ising"): ising})
    assert claims_times.third_less().holds is holds


def test_positions_visited_are_those_of_the_searches_of_a_game() -> None:
    tree, nodes = solve(GRID), search_nodes(GRID)
    table = policy_table(program_minimax(GRID), tree)
    state, looked = 0, [0, 0]
    while not tree.finished[state]:
        looked[tree.ply[state] % 2] += int(nodes[state])
        state = int(tree.children[state, table[state].argmax()])
    assert claims_times.positions_visited("minimax", "minimax") == sum(looked)
    assert claims_times.positions_visited("random", "ising") == 0
    replies = tree.children[0][tree.children[0] >= 0]
    assert claims_times.positions_visited("random", "minimax") > nodes[replies].mean()
    assert claims_times.positions_visited("minimax", "random") > nodes[0]


def test_the_program_adds_up_all_walks_twice_per_candidate_and_once_before() -> None:
    """Sixteen walks on 3x3: three from each corner, one from each edge."""
    assert [claims_times.walks_added(GRID, empty) for empty in (0, 1, 8)] == [16, 48, 272]


@pytest.mark.parametrize(("power", "holds"), [(2.9, True), (3.1, False)])
@pytest.mark.parametrize("board", ["10x10", "4x4", "7x7x7", "5x5x5"])
def test_one_step_like_the_cube_of_the_cells_is_too_steep(
    monkeypatch: Patch, board: str, power: float, holds: bool
) -> None:
    """On squares and on cubes; whatever our own times are."""

    def walks(grid: Grid, empty: int) -> float:
        smaller = Grid(grid.n - 1, grid.d).cells
        steep = (grid.cells / smaller) ** power
        return float(steep if grid.name == board else grid.n < Grid.parse(board).n or steep)

    monkeypatch.setattr(claims_times, "walks_added", walks)
    monkeypatch.setattr(claims_times, "read_table", lambda name: None)
    assert claims_times.polynomial().holds is holds


@pytest.mark.parametrize(("minimax", "holds"), [(48, False), (49, True), (71, True), (72, False)])
def test_roughly_sixty_is_within_a_fifth(minimax: int, holds: bool) -> None:
    assert claims_times.sixty_times(ising=1, minimax=minimax).holds is holds


@pytest.mark.parametrize(("few", "holds"), [(49, True), (50, False), (100, False)])
def test_half_the_positions_is_no_significant_reduction(
    monkeypatch: Patch, few: int, holds: bool
) -> None:
    monkeypatch.setattr(
        claims_times, "alpha_beta", lambda *_, prune: Some(nodes=few if prune else 100)
    )
    assert claims_times.pruned().holds is holds

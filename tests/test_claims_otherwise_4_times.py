"""What answers a claim of document 4 about times and searches, on other data than the stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from types import SimpleNamespace as Some

import numpy as np
import pytest

from ttt_lib.evidence.claims import declared, judge
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import Outcome, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.ising import claims_times
from ttt_lib.ising.alpha_beta import program_minimax, search_nodes

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


@pytest.mark.parametrize(
    ("ising", "holds"), [(0, True), (100, True), (101, None), (99_999, None), (100_000, False)]
)
def test_any_second_player_is_given_a_tenth_of_a_percent_or_any_saving(
    monkeypatch: Patch, ising: int, holds: bool
) -> None:
    none = {(first, second): 5000.0 * (first == "minimax") for first in claims_times.PLAYERS
            for second in claims_times.PLAYERS}  # fmt: skip
    visited(monkeypatch, none | {("minimax", "minimax"): 1e5, ("ising", "minimax"): ising})
    found = claims_times.any_second(percent=100.0)
    assert found.holds is holds
    assert "the printed share (within 0.1 percentage points) " in found.reason
    assert f"is second {'holds' if ising < 100_000 else 'does not hold'}: with" in found.reason
    assert f"points) {'holds' if holds else 'does not hold'} with minimax second" in found.reason


@pytest.mark.parametrize("second", ["random", "ising"])
def test_ising_must_save_time_with_every_second_player(monkeypatch: Patch, second: str) -> None:
    found = {(first, other): 5000.0 * (first == "minimax") for first in claims_times.PLAYERS
             for other in claims_times.PLAYERS}  # fmt: skip
    visited(monkeypatch, found)
    assert claims_times.any_second(percent=100.0).holds is True
    visited(monkeypatch, found | {("ising", second): 5000.0})
    assert claims_times.any_second(percent=100.0).holds is False


@pytest.mark.parametrize(
    ("ising", "verdict"),
    [(64, "differs"), (66, "reproduced"), (74, "reproduced"), (76, "differs")],
)
def test_a_third_less_is_what_rounds_to_it(monkeypatch: Patch, ising: int, verdict: str) -> None:
    searched(monkeypatch, ising, (ising, 100.0 - ising))
    row = judge([declared("ising-third-less")])[0]
    assert (row.verdict, row.ours) == (verdict, pytest.approx(1 - ising / 100))


@pytest.mark.parametrize(("ising", "times"), [(50, "0.3"), (80, "1.3"), (90, "3.0")])
def test_how_much_dearer_positions_would_make_it_a_third(
    monkeypatch: Patch, ising: int, times: str
) -> None:
    """Of 90 + 3 x 10 a quarter, which rounds to 0.3, is 3 x 10."""
    searched(monkeypatch, ising, (ising, 100.0 - ising))
    reason = claims_times.third_less().reason
    assert f"The first visits {ising} in both pairings" in reason
    assert f"the {100 - ising} positions that a second minimax player visits" in reason
    assert f"cost {times} times as much" in reason


def test_the_first_may_visit_fewer_beside_ising(monkeypatch: Patch) -> None:
    """Of 100 + 2 x 10 a quarter is the 30 that it visits less."""
    searched(monkeypatch, 90, (100, 10))
    reason = claims_times.third_less().reason
    assert "The first visits 90 beside Ising, 100 beside minimax" in reason
    assert "cost 2.0 times as much" in reason


def searched(monkeypatch: Patch, few: float, both: tuple[float, float]) -> None:
    """What minimax visits moving first against Ising, and what both visit against each other."""
    found = {("minimax", "ising"): (few, 0.0), ("minimax", "minimax"): both}
    monkeypatch.setattr(claims_times, "visited_by", lambda *pair: found[pair])


def test_each_side_visits_what_its_own_moves_ask_for() -> None:
    """Minimax moving first plays alike against both, and visits as much."""
    first, second = claims_times.visited_by("minimax", "minimax")
    assert claims_times.visited_by("minimax", "ising") == (first, 0)
    assert claims_times.positions_visited("minimax", "minimax") == first + second > first
    random, late = claims_times.visited_by("random", "minimax")
    assert random == 0 < late < first


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


@pytest.mark.parametrize(("power", "holds"), [(4.9, True), (5.1, False)])
@pytest.mark.parametrize(
    ("small", "large"),
    [((9, 2), (10, 2)), ((3, 2), (4, 2)), ((6, 3), (7, 3)), ((4, 3), (5, 3)), ((3, 4), (3, 5)),
     ((3, 2), (3, 3)), ((2, 5), (2, 6)), ((2, 2), (2, 3))],
)  # fmt: skip
def test_one_step_beyond_the_fifth_power_of_the_cells_is_too_steep(
    monkeypatch: Patch, small: tuple[int, int], large: tuple[int, int], power: float, holds: bool
) -> None:
    """On squares, on cubes and from dimension to dimension; whatever our own times are."""
    steep = (Grid(*large).cells / Grid(*small).cells) ** power

    def walks(grid: Grid, empty: int) -> float:
        return steep if grid.cells >= Grid(*large).cells else 1.0

    monkeypatch.setattr(claims_times, "walks_added", walks)
    monkeypatch.setattr(claims_times, "read_table", lambda name: None)
    monkeypatch.setattr(claims_times, "GROWING", {"two boards": (small, large)})
    assert claims_times.polynomial().holds is holds


@pytest.mark.parametrize("count", ["limits_passed", "corners_searched"])
def test_what_is_gone_through_besides_must_not_be_steeper(monkeypatch: Patch, count: str) -> None:
    monkeypatch.setattr(claims_times, count, lambda grid, empty: float(grid.cells) ** 5.1)
    assert claims_times.polynomial().holds is False


def test_corners_are_looked_up_among_those_found_for_each_border_cell() -> None:
    """Of 3x3: 1 + 2 + 3 look-ups for each of 8 border cells, in 2 x 9 + 1 sums of a first move."""
    assert claims_times.corners_searched(GRID, 9) == 8 * 6 * 19
    assert claims_times.corners_searched(Grid(2, 3), 0) == 8 * 28
    assert "(powers 1.6 to 4.1, directions.cpp" in claims_times.polynomial().reason


@pytest.mark.parametrize(
    ("first", "second", "ising", "other", "holds"),
    [(530, 440, "9-1-0", "9-1-0", True), (529, 440, "9-1-0", "9-1-0", False),
     (530, 439, "9-1-0", "9-1-0", False), (530, 440, "8-2-0", "8-2-0", True),
     (530, 440, "8-1-1", "9-0-1", False), (530, 440, "8-1-1", "9-1-0", None),
     (530, 440, "9-1-0", "8-1-1", None)],
)  # fmt: skip
def test_competitive_is_a_tenth_of_the_work_for_as_many_points(
    monkeypatch: Patch, first: float, second: float, ising: str, other: str, holds: bool | None
) -> None:
    """It adds up 19 + 15 + 11 + 7 + 1 boards as first player; minimax scores nine of ten points."""
    visited(monkeypatch, {("minimax", "random"): first, ("random", "minimax"): second})
    results = {("ising", "random"): ising, ("random", "ising"): other}

    def replay(first: str, second: str) -> Outcome:
        shares = results.get((first, second), "8-2-0").split("-")
        found = Outcome(*(Fraction(int(n), 10) for n in shares))
        return found if second == "random" else found.reversed()

    monkeypatch.setattr(claims_times, "replay", replay)
    found = claims_times.competitive()
    assert found.holds is holds
    assert "as first player it adds up the board at most 53 times" in found.found
    assert "0.900 of the points as first and 0.900 as second player (minimax)" in found.reason


def test_a_sum_is_priced_by_the_mean_time_of_as_many_as_a_game_has_on_average() -> None:
    """Of at most 17 + 13 + 9 + 5: random play often loses before Ising's last turns."""
    tree = solve(GRID)
    ising = policy_table(claims_times.contestant("ising", second=True), tree)
    chance, sums = {0: 1.0}, 0.0
    for ply in range(GRID.cells):
        later: dict[int, float] = {}
        for state, here in chance.items():
            if tree.finished[state]:
                continue
            weights = tree.boards[state] == 0 if ply % 2 == 0 else ising[state]
            sums += here * (2 * (GRID.cells - ply) + 1) * (ply % 2)
            for move in np.flatnonzero(weights):
                after = int(tree.children[state, move])
                later[after] = later.get(after, 0) + here * weights[move] / weights.sum()
        chance = later
    assert claims_times.mean_sums() == pytest.approx(sums)
    price = (0.05 / sums) / (3.375 / claims_times.positions_visited("random", "minimax"))
    told = f"with {sums:.1f} sums on average, one costs {price:.1f}. How"
    assert told in claims_times.competitive().reason


@pytest.mark.parametrize(("without", "verdict"), [(9, "adopted"), (10, "differs")])
def test_a_step_is_read_if_without_it_the_search_visits_otherwise(
    monkeypatch: Patch, without: int, verdict: str
) -> None:
    monkeypatch.setattr(
        claims_times, "alpha_beta", lambda grid, board, step: Some(nodes=10 if step else without)
    )
    assert judge([declared("ising-search-step")])[0].verdict == verdict


def test_limit_numbers_are_those_at_both_ends_of_every_axis() -> None:
    """3x3 has 1 + 3 at either end; each of 9 cells is asked in 2 x 9 + 1 sums of a first move."""
    assert claims_times.limits_passed(GRID, 9) == 8 * 9 * 19
    assert claims_times.limits_passed(Grid(4, 3), 0) == 2 * (1 + 4 + 16) * 64


def test_walks_are_counted_as_sides_grow_and_as_dimensions_do() -> None:
    found = claims_times.polynomial().found
    assert found.endswith(
        "1.3 to 1.4 on squares to 10^2, 1.4 to 1.6 on cubes to 7^3, 2.3 to 2.5 on 3^2 to 3^5, "
        "3.0 to 3.1 on 2^2 to 2^6"
    )


@pytest.mark.parametrize(
    ("minimax", "holds", "tens"),
    [(47, False, 50), (48, None, 50), (53, None, 50), (54, True, 50), (66, True, 70),
     (67, None, 70), (72, None, 70), (73, False, 70)],
)  # fmt: skip
def test_roughly_sixty_is_within_a_tenth_and_within_a_fifth(
    minimax: int, holds: bool | None, tens: int
) -> None:
    found = claims_times.sixty_times(ising=1, minimax=minimax)
    assert found.holds is holds
    assert f"to tens it would be {tens}." in found.reason
    near = ["no", "yes"]
    assert found.reason.endswith(
        f"within 1/10 {near[54 <= minimax <= 66]}, within 1/5 {near[48 <= minimax <= 72]}."
    )


def test_a_share_of_times_is_set_beside_what_the_printed_times_make_of_it(
    monkeypatch: Patch,
) -> None:
    """Minimax as first player searches ten times as much as the printed 3.375 s take."""
    visited(monkeypatch, {("random", "minimax"): 100, ("minimax", "random"): 1000})
    found = claims_times.share_of_time("3x3 I v R", "3x3 M v R", 99.9)
    assert found.holds is None
    assert found.reason.endswith(
        "If 100 positions take the printed 3.375 s, the 1,000 of minimax first take 33.8 s; 99.9% "
        "less is 34 ms, while Ising's printed 50 ms as second player would be 99.85% less."
    )


@pytest.mark.parametrize(("few", "holds"), [(49, True), (50, False), (100, False)])
def test_half_the_positions_is_no_significant_reduction(
    monkeypatch: Patch, few: int, holds: bool
) -> None:
    monkeypatch.setattr(
        claims_times, "alpha_beta", lambda *_, prune: Some(nodes=few if prune else 100)
    )
    assert claims_times.pruned().holds is holds


@pytest.mark.parametrize(
    ("counted", "bound", "holds"),
    [(2**9, 2.0, True), (2**9, 2.5, True), (3**9, 2.0, False), (2**9, 1.5, False)],
)
def test_exponential_growth_has_a_base_per_cell_that_does_not_fall(
    monkeypatch: Patch, counted: int, bound: float, holds: bool
) -> None:
    monkeypatch.setattr(claims_times, "_from_the_start", lambda *, prune: counted)
    monkeypatch.setattr(claims_times, "plays_at_least", lambda grid: bound**grid.cells)
    found = claims_times.exponential()
    assert found.holds is holds
    told = ", ".join(f"{bound:.1f}^{n * n} on {n}x{n}" for n in (4, 5, 6))
    assert found.found.endswith(f"and at least {told}")


@pytest.mark.parametrize("size", ["2x2", "3x3"])
def test_fewer_plays_are_promised_than_there_are(size: str) -> None:
    """Of 2x2 all 12 orders of two cells, of 3x3 fewer than are counted one by one."""
    grid = Grid.parse(size)
    layers = [Counter(_orders(grid, k)) for k in range(1, grid.cells + 1)]
    assert 0 < claims_times.plays_at_least(grid) <= max(layer["open"] for layer in layers)


def _orders(grid: Grid, k: int) -> Iterator[str]:
    """Of each order of k cells, whether it leaves all lines open before its last stone."""
    for cells in permutations(range(grid.cells), k):
        sides = [set(cells[:-1][side::2]) for side in (0, 1)]
        full = any(set(line) <= side for line in grid.lines.tolist() for side in sides)
        yield "full" if full else "open"


@pytest.mark.parametrize(("bound", "holds"), [(0.9, False), (1.1, True)])
def test_a_year_is_too_long(monkeypatch: Patch, bound: float, holds: bool) -> None:
    """3x3 is printed to take 1200 s; 4x4 has so many years' worth of grids, the cube far more."""
    year = 365 * 24 * 3600 / 1200
    monkeypatch.setattr(claims_times, "_from_the_start", lambda *, prune: 100)
    monkeypatch.setattr(claims_times, "plays_at_least",
                        lambda grid: (bound if grid.d == 2 else 50) * 100 * year)  # fmt: skip
    found = claims_times.only_small_boards("ising-network-time")
    assert found.holds is holds
    assert found.found.endswith(f"{bound:,.0f} years on 4x4 and 50 years on 3x3x3")


@pytest.mark.parametrize(("small", "verdict"), [(9, "adopted"), (10, "differs")])
def test_values_are_read_if_smaller_ones_make_another_search(
    monkeypatch: Patch, small: int, verdict: str
) -> None:
    search = claims_times.alpha_beta

    def other(grid: Grid, board: object, **how: int) -> Some:
        found = search(grid, board, **how)
        return Some(value=found.value, nodes=small if how.get("step") == 10_000 else 10)

    monkeypatch.setattr(claims_times, "alpha_beta", other)
    assert judge([declared("ising-search-values")])[0].verdict == verdict


def test_other_values_of_finished_grids_differ(monkeypatch: Patch) -> None:
    search = claims_times.alpha_beta
    monkeypatch.setattr(claims_times, "alpha_beta", lambda grid, board, **how: Some(
        value=search(grid, board).value // 2, nodes=len(how) and how["step"]))  # fmt: skip
    row = judge([declared("ising-search-values")])[0]
    assert (row.ours, row.verdict) == ("50000 0 -50000", "differs")

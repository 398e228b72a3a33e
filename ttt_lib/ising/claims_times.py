"""Our value of what document 4 says about times, and how many positions its searches visit.

Our programs are other algorithms than the document's, and on 5x5x5x5 ours plays another game, so
no time of ours is judged beside a printed one.  Where counting what the document's own search
visits decides a sentence about times, it is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import comb, perm

import numpy as np

from ttt_lib.evidence.answers import Finding, Setting, Value, agreed
from ttt_lib.evidence.claims import declared
from ttt_lib.evidence.rounding import round_up
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.exact import Outcome, policy_table, reached
from ttt_lib.game.gametree import solve
from ttt_lib.ising.alpha_beta import STEP, alpha_beta, search_nodes, visited_until
from ttt_lib.ising.claims import GRID, contestant, replay
from ttt_lib.ising.energy import program_energy

CUBE = Grid(3, 3)
PLAYERS = {"random": "random play", "minimax": "minimax", "ising": "Ising"}
TIMES = 2
"""How many times as much is significantly more."""
STEEP = 5
"""A power of the cells that no step may reach; the steepest count falls towards the fourth."""
SMALL = Fraction(1, 10)
"""The part of minimax's work that a highly competitive player needs at most."""
GROWING = {
    "squares to 10^2": tuple((n, 2) for n in range(3, 11)),
    "cubes to 7^3": tuple((n, 3) for n in range(3, 8)),
    "3^2 to 3^5": tuple((3, d) for d in range(2, 6)),
    "2^2 to 2^6": tuple((2, d) for d in range(2, 7)),
}
"""Boards (cells per side, dimension) on which walks are counted, growing in either."""
ROUGHLY = (Fraction(1, 10), Fraction(1, 5))
"""By what part "roughly" may be off, by a strict and by a wide reading."""
MARGIN = 0.1
"""Percentage points that a share of time may be off."""
HOLDS = {True: "holds", False: "does not hold"}


# ------------------------------------------------------------------ what is visited


def positions_visited(first: str, second: str) -> float:
    """Mean number of positions that the program's minimax visits per game of 3x3."""
    return sum(visited_by(first, second))


@cache
def visited_by(first: str, second: str) -> tuple[float, float]:
    """Mean numbers of positions that the first and the second player visit per game of 3x3.

    Parameters
    ----------
    first, second : str
        ``random``, ``minimax`` or ``ising``; only minimax searches.
    """
    one, two = _by_side(first, second, search_nodes(GRID))
    return one * (first == "minimax"), two * (second == "minimax")


def _by_side(first: str, second: str, work: Floats | Ints) -> tuple[float, float]:
    """Mean work of either player's turns in a game of 3x3, given what each state asks for."""
    tree = solve(GRID)
    tables = (
        policy_table(contestant(name, second=place == 1), tree)
        for place, name in enumerate((first, second))
    )
    done = reached(tree, *tables) * work
    one, two = (float(done[~tree.finished & (tree.ply % 2 == turn)].sum()) for turn in (0, 1))
    return one, two


def walks_added(grid: Grid, empty: int) -> int:
    """Walks that the program adds up for a move: all, once as it is, then twice per empty cell."""
    return len(program_energy(grid).walks) * (2 * empty + 1)


def sums_in_move(empty: int) -> int:
    """How often the program adds up the board for a move: of the last cell only as it is."""
    return 2 * empty + 1 if empty > 1 else 1


def sums_in_game(*, second: bool) -> int:
    """How often at most the program adds up the board in a game of 3x3."""
    return sum(map(sums_in_move, range(GRID.cells - second, 0, -2)))


def mean_sums() -> float:
    """How often the second player's program adds up the board in a game against random play."""
    sums = [sums_in_move(GRID.cells - int(ply)) for ply in solve(GRID).ply]
    return _by_side("random", "ising", np.array(sums))[1]


def competitive() -> Finding:
    """Whether Ising plays no worse than minimax for a small part of its work.

    Against random play: on either side it must add up the board at most a tenth as often as minimax
    visits positions, and score no less (a win 1, a draw 1/2), on either side or over both.  If
    these readings disagree, there is no answer.
    """
    work = [
        (sums_in_game(second=False), positions_visited("minimax", "random")),
        (sums_in_game(second=True), positions_visited("random", "minimax")),
    ]
    points = {
        name: (_points(replay(name, "random")), _points(replay("random", name).reversed()))
        for name in ("ising", "minimax")
    }
    small = all(sums <= SMALL * visited for sums, visited in work)
    text = "; ".join(
        f"as {who} player it adds up the board at most {sums} times in a game, minimax visits "
        f"{visited:,.0f} positions"
        for who, (sums, visited) in zip(("first", "second"), work, strict=True)
    )
    told = " and ".join(
        f"{float(first):.3f} of the points as first and {float(second):.3f} as second player "
        f"({'Ising' if name == 'ising' else 'minimax'})"
        for name, (first, second) in points.items()
    )
    slow, quick = (float(declared(f"ising-{name}-time").published) for name in ("minimax", "ising"))
    average = mean_sums()
    price = quick / average / (slow / work[1][1])
    limit = min(float(SMALL) * visited / sums for sums, visited in work)
    pooled = sum(points["ising"]) >= sum(points["minimax"])
    alike = all(ours >= best for ours, best in zip(*points.values(), strict=True))
    why = (
        f"Counted, not timed: the sums are at most {float(SMALL):.0%} of the work if one costs no "
        f"more than {limit:.0f} positions; by the printed times of second players ({quick:g} s and "
        f"{slow:g} s per game), with {average:.1f} sums on average, one costs {price:.1f}. "
        "How well a *highly competitive* player plays is open. That it scores no less than minimax "
        f"against random play {'holds' if pooled else 'fails'} over both sides together and "
        f"{'holds' if alike else 'fails'} asked of each side: {told}. In losses it is not "
        "level (`ising-not-perfect`)."
    )
    return Finding(agreed({small and pooled, small and alike}), text, why)


def _points(outcome: Outcome) -> Fraction:
    """What a result is worth on average, a win 1 and a draw 1/2."""
    return Fraction(outcome.win + Fraction(outcome.draw) / 2)


def search_step() -> Setting:
    """What the program's search takes off a value per ply, and whether its count depends on it."""
    with_step, without = (
        alpha_beta(GRID, GRID.initial()[0], step=step).nodes for step in (STEP, 0)
    )
    text = (
        f"without it the search visits {without:,} positions on the empty board, not {with_step:,}"
    )
    return Setting(STEP, with_step != without, text)


SMALLER = 1000
"""How many times smaller the search's values are tried."""


def search_values() -> Setting:
    """What the program's search values a win, a draw and a loss of O at, and whether it matters.

    Values so many times smaller are the same as a step so many times as large.
    """
    tree = solve(GRID)
    ends = [tree.boards[tree.finished & (tree.winner == winner)][0] for winner in (-1, 0, 1)]
    value = " ".join(str(alpha_beta(GRID, board).value) for board in ends)
    usual, small = (
        alpha_beta(GRID, GRID.initial()[0], step=step).nodes for step in (STEP, SMALLER * STEP)
    )
    text = (
        f"with values {SMALLER:,} times smaller the search visits {small:,} positions on the empty "
        f"board, not {usual:,}"
    )
    return Setting(value, small != usual, text)


def pruned() -> Finding:
    """Positions that the program's search visits from the empty board, with and without pruning."""
    few, all_ = (_from_the_start(prune=prune) for prune in (True, False))
    return Finding(few < all_ / 2, f"{few:,} positions instead of {all_:,} on the empty 3x3 board")


def _from_the_start(*, prune: bool) -> int:
    return alpha_beta(GRID, GRID.initial()[0], prune=prune).nodes


def plays_at_least(grid: Grid) -> float:
    """A lower bound of the plays of one length, whichever it is, that no line ends before.

    Of all orders of k cells those are left out in which one side's stones fill a line, once for
    each line.
    """
    bounds = []
    for k in range(1, grid.cells + 1):
        full = sum(
            Fraction(comb(grid.cells - grid.n, stones - grid.n), comb(grid.cells, stones))
            for stones in (k - k // 2, k // 2) if stones >= grid.n
        )  # fmt: skip
        bounds.append(perm(grid.cells, k) * (1 - len(grid.lines) * full))
    return float(max(bounds))


SQUARES = (Grid(4), Grid(5), Grid(6))
"""Squares whose plays are not counted one by one."""


def exponential() -> Finding:
    """Whether plain minimax visits more than a power of the cells: at least a fixed base to them.

    On squares, from 3x3 on, the base per cell must not fall.
    """
    counts = {GRID: float(_from_the_start(prune=False))}
    counts |= {grid: plays_at_least(grid) for grid in SQUARES}
    bases = [count ** (1 / grid.cells) for grid, count in counts.items()]
    counted, *told = (
        f"{base:.1f}^{grid.cells} on {grid.name}" for base, grid in zip(bases, counts, strict=True)
    )
    text = (
        f"plain minimax visits {counts[GRID]:,.0f} positions, {counted}, and at least "
        f"{', '.join(told)}"
    )
    return Finding(bases == sorted(bases), text)


BEYOND = (Grid(4), Grid(3, 3))
"""The smallest boards beyond 3x3."""
DAYS = 365
"""What takes longer is not feasible."""


def only_small_boards(printed_row: str) -> Finding:
    """Whether listing all plays takes more than a year on the boards that follow 3x3.

    Parameters
    ----------
    printed_row : str
        Name of the row with the printed seconds of 3x3.
    """
    seconds, grids = float(declared(printed_row).published), _from_the_start(prune=False)
    years = {
        grid.name: plays_at_least(grid) / grids * seconds / (DAYS * 24 * 3600) for grid in BEYOND
    }
    told = " and ".join(f"{float(f'{t:.1g}'):,.0f} years on {size}" for size, t in years.items())
    text = (
        f"at the speed of its {seconds:,.0f} s for the {grids:,} grids of 3x3, listing them all "
        f"would take at least {told}"
    )
    return Finding(min(years.values()) > 1, text)


def more_extended() -> Finding:
    """Whether minimax as first player visits far more than random play there, whoever is second."""
    pairs = {
        name: (positions_visited("minimax", second), positions_visited("random", second))
        for second, name in PLAYERS.items()
    }
    text = "; ".join(
        f"with {name} second {many:,.0f} positions per game instead of {few:,.0f}"
        for name, (many, few) in pairs.items()
    )
    return Finding(all(many > TIMES * few for many, few in pairs.values()), text)


def any_second(percent: float) -> Finding:
    """Whether Ising saves what minimax visits as first player, whoever is second.

    That may mean that it saves some of it, or the printed share.  If these readings disagree, there
    is no answer.
    """
    pairs = {
        second: (positions_visited("ising", second), positions_visited("minimax", second))
        for second in PLAYERS
    }
    saves = all(few < many for few, many in pairs.values())
    no_other = not any(few for second, (few, _) in pairs.items() if second != "minimax")
    text, saved = _fewer(*pairs["minimax"])
    share = saves and 100 * saved >= percent - MARGIN
    why = (
        f"'It' is open. That Ising first saves time whoever is second {HOLDS[saves]}: with minimax "
        f"second the search visits {saved:.1%} fewer positions"
        f"{', with the others none is needed' * no_other}. "
        f"That it saves the printed share (within {MARGIN} percentage points) {HOLDS[share]} with "
        "minimax second, who still has to search, even if Ising's own moves cost nothing. The "
        "document prints neither time; counting what its own search visits decides."
    )
    found = f"with minimax as second player {text}"
    return Finding(agreed({saves, share}), found, why)


ABOUT_A_THIRD = Fraction(1, 4)
"""The least part that rounds to 0.3, "about a third" with one digit."""


def third_less() -> Value:
    """By what part fewer positions minimax visits as first player, with Ising instead of itself."""
    (few, _), (first, second) = (visited_by("minimax", other) for other in ("ising", "minimax"))
    text, saved = _fewer(few, first + second)
    dearer = (few / float(1 - ABOUT_A_THIRD) - first) / second
    both = "in both pairings" if few == first else f"beside Ising, {first:,.0f} beside minimax"
    why = (
        f"The document prints neither time, so positions are counted: {text}. That takes each "
        "position to cost as much as any other and Ising's own moves to cost nothing; if they cost "
        "something, less is saved. 'About a third' is read as rounding to 0.3, "
        f"{float(ABOUT_A_THIRD):g} or more. The first visits {few:,.0f} {both}, so for that each "
        f"of the {second:,.0f} positions that a second minimax player visits would have to cost "
        f"{dearer:.1f} times as much as one that the first visits."
    )
    return Value(saved, why)


def _fewer(few: float, many: float) -> tuple[str, float]:
    """In words how much less is visited, and the share that is saved."""
    saved = 1 - few / many
    return f"{few:,.0f} positions per game instead of {many:,.0f}: {saved:.1%} fewer", saved


def out_of_minutes(minutes: int, printed_row: str) -> Finding:
    """Whether the program's search for a move on 3x3x3 outlasts the minutes, at its speed on 3x3.

    Parameters
    ----------
    printed_row : str
        Name of the row with the printed seconds of a game of random play against minimax.
    """
    seconds = float(declared(printed_row).published)
    in_a_game = positions_visited("random", "minimax")
    speed = in_a_game / seconds
    most = round(60 * minutes * speed)
    empty = CUBE.initial()[0]
    centre = empty.copy()
    centre[CUBE.cells // 2] = 1
    visited = [visited_until(CUBE, board, most) for board in (empty, centre)]
    told = [f"{'' if count < most else 'more than '}{count:,}" for count in visited]
    return Finding(
        min(visited) == most,
        f"its search visits {told[0]} positions on the empty board, {told[1]} with the centre "
        f"taken; in {minutes} minutes, at its speed on 3x3, it visits {most:,}",
        f"Counted, not timed: {in_a_game:,.0f} positions in a 3x3 game that is said to take "
        f"{seconds:g} s are {speed:,.0f} per second, and on 3x3x3 its test for a win has "
        "more to look at.",
    )


# ------------------------------------------------------------------ times


@cache
def _times() -> dict[str, float]:
    table = read_table("ising_times.csv")
    return dict(zip(table["what"], table["seconds"], strict=True))


def network_time() -> Finding:
    """Our time for the network of 3x3, and how many grids each program writes down."""
    grids, states = _from_the_start(prune=False), len(solve(GRID))
    return Finding(
        None,
        f"ours: {_times()['3x3 network as CSV']:.2g} s for {states:,} different grids; the "
        f"document's program first lists all {grids:,}, repeated ones included",
    )


def ising_time() -> Finding:
    """Our time for a game of random play against Ising, and what the program adds up in it."""
    walks = len(program_energy(GRID).walks)
    return Finding(
        None,
        f"ours: {_times()['3x3 R v I']:.2g} s, looking at each of {walks} walks only once, for "
        f"all moves together; the program adds up {walks_added(GRID, 8):,} for its first move",
    )


def minimax_time() -> Finding:
    """Our time for a game of random play against minimax, and how many positions both visit."""
    return Finding(
        None,
        f"ours: {_times()['3x3 R v M']:.2g} s; it visits the positions that the program does, "
        f"{positions_visited('random', 'minimax'):,.0f} per game, but looks at a list of "
        f"{len(GRID.lines)} lines in each",
    )


def five_to_the_four() -> Finding:
    """Our time for a 5x5x5x5 game of Ising against itself, and what either program adds up."""
    grid = Grid(5, 4)
    most = int(np.bincount(grid.lines.ravel()).max())
    return Finding(
        None,
        f"ours: {_times()['5x5x5x5 Ising v Ising']:.2g} s; a stone of ours changes at most {most} "
        f"lines, the program adds up {walks_added(grid, grid.cells):,} walks for its first move",
    )


def share_of_time(what: str, of: str, percent: float) -> Finding:
    """One stored time as a share of another, beside one that the document computes from its own.

    Not testable: it prints neither of the two times.  What it would make of them, at the speed of
    its search in the printed times, is told.

    Parameters
    ----------
    percent : float
        The printed saving.
    """
    slow, quick = (float(declared(f"ising-{name}-time").published) for name in ("minimax", "ising"))
    searched, first = (
        positions_visited(*pair) for pair in (("random", "minimax"), ("minimax", "random"))
    )
    seconds = slow * first / searched
    why = (
        "The document prints neither of the two times, so there is no arithmetic to check, and a "
        f"share of times depends on how fast each player is written. If {searched:,.0f} positions "
        f"take the printed {slow:g} s, the {first:,.0f} of minimax first take {seconds:.1f} s; "
        f"{percent}% less is {1000 * seconds * (1 - percent / 100):.0f} ms, while Ising's printed "
        f"{1000 * quick:.0f} ms as second player would be {1 - quick / seconds:.2%} less."
    )
    return Finding(None, f"ours: a share of {_times()[what] / _times()[of]:.4f}", why)


def almost_instantaneous(printed_row: str) -> Finding:
    """Seconds of an Ising first player's game against minimax, at the document's own speed.

    Not testable: the document doesn't say how long "almost instantaneous" may last.

    Parameters
    ----------
    printed_row : str
        Name of the row with the printed seconds of a game of random play against minimax.
    """
    slow, quick = (positions_visited(first, "minimax") for first in ("random", "ising"))
    printed_seconds = float(declared(printed_row).published)
    return Finding(
        None,
        f"no search with random or Ising play second; with minimax second {quick:,.0f} positions "
        f"per game, {slow:,.0f} in a game that is said to take {printed_seconds:g} s: about "
        f"{printed_seconds * quick / slow:.1f} s",
    )


def reduction() -> Finding:
    """98.51% follows from 50 and 3375 milliseconds, up to their rounding."""
    low, printed, high = (100 * (1 - ms / 3375) for ms in (50.5, 50, 49.5))
    return Finding(
        low <= 98.51 <= high,
        f"between {low:.3f}% and {high:.3f}%",
        f"The printed times give {printed:.2f}%; the bounds are what the rounding of 50 ms leaves "
        "open.",
    )


def sixty_times(ising: int, minimax: int) -> Finding:
    """The ratio of two published times in milliseconds, against "roughly 60" in two readings."""
    ratio = Fraction(minimax, ising)
    near = {limit: abs(ratio / 60 - 1) <= limit for limit in ROUGHLY}
    tenths = 10 * round(ratio / 10)
    within = ", ".join(
        f"within {limit} {'yes' if is_near else 'no'}" for limit, is_near in near.items()
    )
    why = (
        f"The ratio of the two printed times; to tens it would be {tenths}. 'Roughly' is open, "
        f"and read as off by at most these parts of 60: {within}."
    )
    return Finding(agreed(set(near.values())), f"{float(ratio)} times", why)


def polynomial() -> Finding:
    """Whether the walks that the program adds up grow like powers of the cells."""
    grids = {what: [Grid(*board) for board in boards] for what, boards in GROWING.items()}
    powers = {what: _powers(growing, walks_added) for what, growing in grids.items()}
    told = ", ".join(f"{low:.1f} to {high:.1f} on {of}" for of, (low, high) in powers.items())
    text = f"walks that the program adds up for a first move grow like powers of the cells: {told}"
    spans = {
        what: [_powers(of, count) for of in grids.values()]
        for what, count in (("limits", limits_passed), ("corners", corners_searched))
    }
    limits, corners = (
        f"{min(low for low, _ in span):.1f} to {max(high for _, high in span):.1f}"
        for span in spans.values()
    )
    counted = (walks_added, limits_passed, corners_searched)
    most = max(
        count(grid, grid.cells) / grid.cells**4
        for of in grids.values() for grid in of for count in counted
    )  # fmt: skip
    why = (
        "Counted, not timed: the program adds up the whole board anew for every move that it "
        "weighs. Read as staying below a fixed power of the cells. Walks are not all that takes "
        "time: before each sum the program "
        f"goes through lists of limit numbers for every cell (powers {limits}) and looks up all "
        f"corners for every cell of the border (powers {corners}, directions.cpp, commit 054af29). "
        f"None of these counts is more than {round_up(most, 2):.2f} times the fourth power of the "
        "cells; corners come nearest, on boards with two cells per side, where their power falls "
        "towards the fourth. "
        "In the number of dimensions the cells themselves grow exponentially. Its alpha-beta "
        f"visits {_from_the_start(prune=True):,} positions for a first move on 3x3."
    )
    found = [*powers.values(), *(pair for span in spans.values() for pair in span)]
    return Finding(max(high for _, high in found) < STEEP, text, why)


def limits_passed(grid: Grid, empty: int) -> int:
    """Limit numbers that the program goes through for a move: all, for each cell, in every sum."""
    limits = 2 * (grid.cells - 1) // (grid.n - 1)
    return limits * grid.cells * (2 * empty + 1)


def corners_searched(grid: Grid, empty: int) -> int:
    """Corners that the program compares with for a move: in every sum, for each border cell.

    It collects them anew each time, and looks every new one up among those that it has.
    """
    corners = 2**grid.d
    border = grid.cells - int((grid.n - 2) ** grid.d)
    pairs = int(corners * (corners - 1) // 2)
    return border * pairs * (2 * empty + 1)


def _powers(grids: Sequence[Grid], count: Callable[[Grid, int], int]) -> tuple[float, float]:
    """The least and the greatest power of the cells with which a count grows to the next board."""
    cells, counts = zip(*((grid.cells, count(grid, grid.cells)) for grid in grids), strict=True)
    powers = np.diff(np.log(counts)) / np.diff(np.log(cells))
    return float(powers.min()), float(powers.max())

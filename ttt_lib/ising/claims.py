"""Our value of every number and checkable sentence of document 4.

``data/claims/4_ising_bias.toml`` names these functions.  Whatever concerns 3x3
is exact; larger boards come from stored games of the replayed program.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import networkx as nx
import numpy as np

from ttt_lib.evidence.claims import Chance, Count, Draws, Finding, Value
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid, line_count
from ttt_lib.game.exact import Outcome, exact_match, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Agent, minimax, random_agent
from ttt_lib.ising import curve
from ttt_lib.ising.energy import energy_of
from ttt_lib.ising.exhibits import PUBLISHED, agent, exact, recognised_lines, stuck
from ttt_lib.ising.network import centre_wins, check_proof, program_minimax, search_nodes
from ttt_lib.ising.players import ising, two_ply
from ttt_lib.ising.sweep import fit_minimum, steps, with_intervals
from ttt_lib.ising.walks import directions, inward, line_starts

GRID = Grid(3)
FIRST_B, SECOND_B = 0.647, 0.8


# ------------------------------------------------------------------ boards and lines


def line_formula() -> Finding:
    """The line count against enumeration, 3^2 to 5^4."""
    boards = [Grid(n, d) for d in (2, 3, 4) for n in (3, 4, 5)]
    agree = [len(grid.lines) == line_count(grid.n, grid.d) for grid in boards]
    return Finding(all(agree), f"{sum(agree)} of {len(agree)} boards from 3^2 to 5^4 agree")


def cells_per_line() -> Finding:
    """The ratio of cells to lines on the boards the document plays."""
    sizes = ("3x3", "4x4", "5x5", "6x6", "3x3x3", "4x4x4", "5x5x5", "5x5x5x5")
    grids = [Grid.parse(size) for size in sizes]
    ratios = [grid.cells / len(grid.lines) for grid in grids]
    inside = sum(1 <= ratio <= 2 for ratio in ratios)
    found = f"{inside} of {len(sizes)} boards played, from {min(ratios):.2f} to {max(ratios):.2f}"
    return Finding(inside > len(sizes) / 2, found)


def full_line() -> Finding:
    """Whether n! c^n = (n + 1)!, exactly, for n = 3 to 6."""
    energies = [energy_of("equation", Grid(n)) for n in (3, 4, 5, 6)]
    holds = []
    for energy in energies:
        n = energy.grid.n
        coefficient, power = energy.term((1,) * n)
        ours = energy.root.polynomial([0] * power + [coefficient])
        holds.append(ours == energy.root.polynomial([int(np.prod(range(1, n + 2)))]))
    return Finding(all(holds), "equal for n = 3 to 6")


def kept_directions(cell: str, *, ends: bool) -> Value:
    """Directions that a cell of 3x3x3 keeps: on the board, or along whole lines only."""
    grid = Grid(3, 3)
    place = {"face": (1, 1, 2), "inside": (1, 1, 1)}[cell]
    index = int(np.ravel_multi_index(place, (3, 3, 3)))
    if ends:
        return Value(sum(start == index for start, _ in line_starts(grid)))
    return Value(sum(inward(grid, place, step) for step in directions(3)))


def win_test() -> Finding:
    """How many true lines the program's win test recognises."""
    grids = [Grid(3), Grid(3, 3), Grid(4), Grid(5), Grid(6), Grid(4, 3), Grid(5, 3)]
    shares = {grid.name: (recognised_lines(grid), len(grid.lines)) for grid in grids}
    text = ", ".join(f"{size} {found} of {all_}" for size, (found, all_) in shares.items())
    return Finding(all(found == all_ for found, all_ in shares.values()), text)


def two_cells() -> Finding:
    """On 2^d boards any two cells make a line."""
    joined = [line_count(2, d) == 2 ** (d - 1) * (2**d - 1) for d in range(1, 7)]
    return Finding(all(joined), "every pair of cells is a line for d = 1 to 6")


def pairing(n: int) -> bool:
    """Whether every line of n x n can be given two cells of its own: then both can draw."""
    graph: nx.Graph[str] = nx.Graph()
    for line, cells in enumerate(Grid(n).lines.tolist()):
        graph.add_edges_from((f"line {line} {copy}", f"cell {c}") for c in cells for copy in (0, 1))
    lines = [node for node in graph if node.startswith("line")]
    matched = nx.bipartite.maximum_matching(graph, top_nodes=lines)
    return all(line in matched for line in lines)


def both_can_draw() -> Finding:
    """Both can draw on n x n, n >= 5: a pairing strategy found by matching."""
    found = [n for n in (5, 6, 7, 8) if pairing(n)]
    text = f"pairing strategies found for n = {', '.join(map(str, found))}"
    return Finding(found == [5, 6, 7, 8], text)


def centre_proof() -> Finding:
    """3x3x3 is a first-player win: a proof by threats, checked move by move."""
    grid = Grid(3, 3)
    proof = centre_wins(grid)
    holds = proof is not None and check_proof(grid, grid.initial()[0], proof)
    positions = proof.positions if proof else 0
    return Finding(holds, f"centre first wins: {positions} positions with X to move prove it")


def condition() -> Finding:
    """Where the program's "must exceed" condition leaves it without a move on 3x3."""
    tree = solve(GRID)
    running = tree.boards[~tree.finished]
    caught = running[stuck(GRID, running, SECOND_B, 0.8)]
    several = int(((caught == 0).sum(axis=1) > 1).sum())
    return Finding(several == 0, f"{several} positions with more than one empty cell")


# ------------------------------------------------------------------ the 3x3 tables


@cache
def _player(name: str, *, second: bool) -> Agent:
    bias = SECOND_B if second else FIRST_B
    makers = {
        "random": lambda: random_agent(GRID),
        "minimax": lambda: program_minimax(GRID),
        "ising": lambda: agent(PUBLISHED, GRID, bias),
    }
    return makers[name]()


@cache
def replay(first: str, second: str, b: float | None = None) -> Outcome:
    """Exact chances of the program's 3x3 match as it books it, from the first player's side."""
    o = _player(second, second=True) if b is None else agent(PUBLISHED, GRID, b)
    return exact(_player(first, second=False), o, solve(GRID))


def table(first: str, second: str, result: str) -> Chance:
    """The exact chance behind one entry of the published 3x3 tables."""
    return Chance(getattr(replay(first, second), result))


def copied_losses() -> Finding:
    """Whether the rows of the three published tables add up to 100 games."""
    published = {"random": (34, 41, 41), "minimax": (0, 16, 16), "ising": (0, 12, 12)}
    sums = ", ".join(f"{name} {sum(row)}" for name, row in published.items())
    return Finding(False, f"wins, draws and losses of a random first player: {sums}")


def second_bias() -> Finding:
    """Which b fits the 10,000-game line better: the b stated, or the program's .8."""
    counts = np.array([42, 1381, 8577])
    fits = [
        float(counts @ np.log([float(p) for p in replay("random", "ising", b)]))
        for b in (FIRST_B, SECOND_B)
    ]
    ratio = (fits[1] - fits[0]) / np.log(10)
    return Finding(fits[0] >= fits[1], f"b = 0.8 fits it 10^{ratio:.1f} times better")


def against_random(result: str, b: float = SECOND_B) -> Chance:
    """The 10,000-game line: exact chance of the Ising player as second."""
    return Chance(getattr(replay("random", "ising", b).reversed(), result))


def minimax_second(result: str) -> Chance:
    """The 1000-game line of the program's minimax as second."""
    return Chance(getattr(replay("random", "minimax").reversed(), result))


def never_wins_always() -> Finding:
    """Whether some opponent beats the second Ising player, at any b."""
    results = [worst.worst for _, worst in curve.worst_pieces(energy_of("published", GRID), -1)]
    lost = sum(worst < 0 for worst in results)
    return Finding(lost > 0, f"it can be beaten at every b ({lost} of {len(results)} pieces)")


def wins_more() -> Finding:
    """Whether Ising beats random play more often than minimax does, as second player."""
    ours, theirs = replay("random", "ising").loss, replay("random", "minimax").loss
    uniform = exact_match(random_agent(GRID), minimax(GRID), solve(GRID)).loss
    shares = {"Ising": ours, "the program's minimax": theirs, "uniform minimax": uniform}
    text = ", ".join(f"{name} {float(share):.4f}" for name, share in shares.items())
    return Finding(ours > max(theirs, uniform), text)


def sampling_spread(games: int, points: float) -> Finding:
    """The spread of a share in percentage points over repeated samples."""
    chance = float(replay("random", "ising").loss)
    spread = 100 * (chance * (1 - chance) / games) ** 0.5
    return Finding(0.5 < spread / points < 2, f"standard deviation {spread:.2f} points")


def deeper() -> Finding:
    """Whether two plies do better than one as second player against random play."""
    one, two = (
        exact_match(random_agent(GRID), player(GRID, FIRST_B, "published"), solve(GRID))
        for player in (ising, two_ply)
    )
    text = f"losses {one.win} to {two.win}, wins {float(one.loss):.3f} to {float(two.loss):.3f}"
    return Finding(two.loss > one.loss and two.win < one.win, text)


# ------------------------------------------------------------------ the bias


def lost_in_thousand(b: float = 0.647) -> Chance:
    """The chance behind "about 6 games of 1000"."""
    return Chance(curve.at(curve.named("published", "o", "random"), b).outcome.loss)


def weak_wins() -> Value:
    """Wins and draws in percent on the plateau that holds b = 0.647."""
    piece = curve.at(curve.named("published", "o", "random"), 0.647)
    return Value(100 * (1 - piece.outcome.loss))


def improves_until() -> Finding:
    """The last b at which losing becomes rarer."""
    pieces = curve.named("published", "o", "random")
    least = min(piece.outcome.loss for piece in pieces)
    first = next(piece for piece in pieces if piece.outcome.loss == least)
    start = float(first.start)
    text = f"the losses fall for the last time at b = {start:.4f} = {first.start.text}"
    return Finding(abs(start - 0.4) < 0.1, text)


def discrete() -> Finding:
    """Whether the result is a continuous function of b."""
    counts = {name: len(curve.named(name, "o", "random")) for name in ("equation", "published")}
    text = ", ".join(f"{name}: {count} constant pieces" for name, count in counts.items())
    return Finding(max(counts.values()) <= 1, text)


def is_optimal(b: float = 0.647) -> Finding:
    """Whether b = 0.647 is better than its neighbours."""
    piece = curve.at(curve.named("published", "o", "random"), b)
    low, high = float(piece.start), float(piece.end)
    text = f"every b from {low:.4f} to {high:.4f} plays alike: loss {piece.outcome.loss}"
    return Finding(piece.is_point, text)


def parabola(step: float = 0.001) -> Value:
    """Where a parabola through the exact step function is lowest, b printed one step too high."""
    pieces = curve.named("published", "o", "random")
    played = steps(step)[:-1]
    lost = np.array([float(curve.at(pieces, b).outcome.loss) for b in played])
    return Value(fit_minimum(played + step, lost, 2))


@cache
def _fits(sweep: str, column: str) -> tuple[float, ...]:
    table = read_table("ising_program_fits.csv")
    values = table.loc[table["sweep"] == sweep, column].dropna()
    return tuple(float(value) for value in values)


def replays(sweep: str, column: str) -> Draws:
    """What repeated replays of a published sweep give."""
    return Draws(_fits(sweep, column))


def best_of_fit(sweep: str, b: float, near: float, column: str = "fit_minimum") -> Finding:
    """Whether the minimum of the fit lies near b in repeated replays."""
    values = _fits(sweep, column)
    close = sum(abs(value - b) <= near for value in values)
    ends = f"{min(values):.2f} to {max(values):.2f}"
    text = f"minimum from {ends}, {close} of {len(values)} within {near}"
    return Finding(close > len(values) / 2, text)


def zeros(sweep: str, *, some: bool) -> Finding:
    """At how many b no game was lost, in repeated replays."""
    values = _fits(sweep, "zeros")
    without = sum(value == 0 for value in values)
    text = f"{without} of {len(values)} replays have no b without a loss"
    return Finding((without < len(values) / 2) == some, text)


def halved() -> Finding:
    """Mean losses on 6x6 against 5x5, in repeated replays."""
    small, large = (np.mean(_fits(sweep, "mean")) for sweep in ("5x5", "6x6"))
    return Finding(bool(large < small / 2), f"{large:.1f} against {small:.1f} of 100 games")


def worse_beyond(size: str = "3x3x3", b: float = 0.6) -> Finding:
    """Whether more games are lost for b above a value than just below it (true rules)."""
    table = read_table("ising_sweeps.csv").query("board == @size and energy == 'published'")
    below = table[(table["b"] > b - 0.2) & (table["b"] <= b)]
    above = table[table["b"] > b]
    shares = [part["win"].sum() / part["games"].sum() for part in (below, above)]
    text = f"lost {shares[0]:.4%} just below, {shares[1]:.4%} above b = {b}"
    return Finding(bool(shares[1] > shares[0]), text)


def cube_unlost() -> Count:
    """4x4x4: lost games in the replays of the published sweep."""
    lost = sum(10 * value for value in _fits("4x4x4", "mean"))
    return Count(round(lost), 100 * len(_fits("4x4x4", "mean")))


def depends_on_n() -> Finding:
    """Whether, by true rules, no b is among the best on every board."""
    table = read_table("ising_sweeps.csv").query("energy == 'equation'")
    rows = with_intervals(table, "win")
    good = []
    for _, board in rows.groupby("board"):
        limit = board["high"].min()
        good.append(set(board.loc[board["low"] <= limit, "b"].round(2)))
    shared = sorted(set.intersection(*good))
    text = f"{len(shared)} of 101 values of b lose no more than the best on every board"
    return Finding(not shared, text + (f", e.g. b = {shared[0]} to {shared[-1]}" if shared else ""))


# ------------------------------------------------------------------ larger boards


def program(board: str, players: str, result: str) -> Count:
    """The published program's games as it books them, from the first player's side."""
    table = read_table("ising_program_games.csv")
    row = table.query("board == @board and players == @players").iloc[0]
    return Count(int(row[result]), int(row["games"]))


def unknown(found: str) -> Finding:
    """A statement that no computation here can test."""
    return Finding(None, found)


# ------------------------------------------------------------------ times


@cache
def _times() -> dict[str, float]:
    table = read_table("ising_times.csv")
    return dict(zip(table["what"], table["seconds"], strict=True))


def seconds(what: str) -> Value:
    """A stored time."""
    return Value(_times()[what])


def share_of_time(what: str, of: str) -> Value:
    """One stored time as a share of another."""
    return Value(_times()[what] / _times()[of])


def reduction() -> Finding:
    """98.51 % follows from 50 and 3375 milliseconds, up to their rounding."""
    low, high = (100 * (1 - ms / 3375) for ms in (50.5, 49.5))
    return Finding(low <= 98.51 <= high, f"between {low:.3f} % and {high:.3f} %")


def sixty_times() -> Finding:
    """The ratio of the two published times, against "roughly 60"."""
    ratio = Fraction(3375, 50)
    return Finding(abs(ratio / 60 - 1) < Fraction(1, 5), f"{float(ratio)} times")


def third_less() -> Finding:
    """Positions the program's minimax looks at in a game against Ising and against itself."""
    tree, nodes = solve(GRID), search_nodes(GRID)
    weights = policy_table(program_minimax(GRID), tree)
    state, looked = 0, [0, 0]
    while not tree.finished[state]:
        looked[int(tree.ply[state]) % 2] += int(nodes[state])
        state = int(tree.children[state, weights[state].argmax()])
    share = looked[0] / sum(looked)
    return Finding(
        abs(share - 2 / 3) < 0.1, f"the first player's search alone is {share:.0%} of both"
    )


def five_to_the_four() -> Value:
    """Seconds for a 5x5x5x5 game of Ising against itself."""
    return Value(_times()["5x5x5x5 Ising v Ising"])

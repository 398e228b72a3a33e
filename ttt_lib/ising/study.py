"""Small tables of document 4 that the notebook shows; each is a few exact matches."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd

from ttt_lib.evidence.rounding import round_down, round_up
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Floats, Grid, Ints, line_count, notation
from ttt_lib.game.draw import Board
from ttt_lib.game.exact import Outcome, misplayed
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import random_agent
from ttt_lib.game.response import reachable
from ttt_lib.ising import curve
from ttt_lib.ising import program as published
from ttt_lib.ising.curve import UNIT, Span
from ttt_lib.ising.energy import Energy, energy_of, power_energy, reading
from ttt_lib.ising.meaning import FROM_ZERO, fewest_losses, ratio, second_player, signed_sum, steps
from ttt_lib.ising.players import two_ply

GRID = Grid(3)


def lines_seen(sizes: Sequence[str]) -> pd.DataFrame:
    """Cells, lines, the formula, and how many lines the program's win test recognises."""
    rows = []
    for size in sizes:
        grid = Grid.parse(size)
        counted = line_count(grid.n, grid.d)
        rows.append([size, grid.cells, len(grid.lines), counted, published.recognised_lines(grid)])
    return pd.DataFrame(rows, columns=["board", "cells", "lines", "formula", "seen by the program"])


def false_wins(size: str, count: int) -> list[Board]:
    """Boards on which the program's win test sees a win of X where there is no line."""
    grid = Grid.parse(size)
    pictures = []
    for cells in published.false_wins(grid)[:count]:
        board = grid.initial()[0]
        board[list(cells)] = 1
        board[np.flatnonzero(board == 0)[1 - grid.n :]] = -1
        pictures.append(Board(notation(board), size, marks=cells))
    return pictures


def _summary(energy: Energy, b: float, span: Span = UNIT) -> list[object]:
    pieces = curve.curve(energy, -1, random_agent(GRID), span)
    here, best = curve.at(pieces, b).outcome, fewest_losses(pieces)
    return [len(pieces), *map(str, here), str(best.outcome.loss), round(float(best.start), 4)]


def readings(b: float = 0.647) -> pd.DataFrame:
    """Seven readings of one formula, as second player against random play on 3x3, exactly."""
    energies = {name: energy_of(name, GRID) for name in ("equation", "published")}
    energies |= {
        name: reading(name, GRID)
        for name in ("position", "others", "nonempty", "from two", "literal")
    }
    rows = [[name, *_summary(energy, b)] for name, energy in energies.items()]
    columns = ["energy", "pieces", "win", "draw", "loss", "least loss", "from b"]
    return pd.DataFrame(rows, columns=columns)


def potentials(bases: Sequence[int | Fraction] = (2, 3, 4, 8), b: float = 0.647) -> pd.DataFrame:
    """The potential base^k and k! c^k, as second player against random play on 3x3, b in 0..4."""
    energies = {"k! c^k": energy_of("equation", GRID)}
    energies |= {f"{base}^k": power_energy(GRID, Fraction(base)) for base in bases}
    rows = []
    for name, energy in energies.items():
        w = steps(energy)
        rows.append([name, *_summary(energy, b, FROM_ZERO), round(float(w[1] / (w[2] - w[1])), 4)])
    columns = ["weight", "pieces", "win", "draw", "loss", "least loss", "from b", "w1/(w2 - w1)"]
    return pd.DataFrame(rows, columns=columns)


TRIED = (0, 0.01, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.647, 0.9)


def deeper(biases: Sequence[float] = TRIED) -> pd.DataFrame:
    """The two-ply version as second player on 3x3: exact chances and the worst case."""
    rows = []
    for b in biases:
        outcome, worst = second_player(two_ply(GRID, b))
        rows.append([b, *map(str, outcome), WORST[worst]])
    return pd.DataFrame(rows, columns=["b", "win", "draw", "loss", "worst case"])


WORST = {-1: "can lose", 0: "never loses", 1: "always wins"}
"""The worst result of a second player in words."""


def mistakes(energy: Energy, b: float) -> pd.DataFrame:
    """Where the second player throws away a draw or a win, up to symmetry.

    Returns
    -------
    DataFrame
        Columns board, before, after (minimax values for O), moves: the worst
        of its chosen moves.
    """
    tree, slots = curve.tables(energy, -1)
    slot = next(s for s in slots if not s.point and float(s.at) < b < float(s.end))
    own = (tree.ply % 2 == 1)[:, None]
    table = np.where(own, slot.weights, tree.legal)
    wrong = np.intersect1d(misplayed(tree, table), np.flatnonzero(reachable(tree, table, -1)))
    rows = []
    for state in wrong[tree.ply[wrong] % 2 == 1]:
        chosen = np.flatnonzero(slot.weights[state])
        worth = -tree.value[tree.children[state, chosen]]
        bad = chosen[worth == worth.min()].tolist()
        rows.append([notation(tree.boards[state]), -int(tree.value[state]), int(worth.min()), bad])
    return pd.DataFrame(rows, columns=["board", "before", "after", "moves"])


def same_play(name: str, b: float) -> tuple[float, float]:
    """The interval of b around one value in which the second player plays alike.

    Its tables are compared on the positions that some opponent can reach.
    """
    tree, slots = curve.tables(energy_of(name, GRID), -1)
    spans = [slot for slot in slots if not slot.point]
    here = next(i for i, slot in enumerate(spans) if float(slot.at) < b < float(slot.end))
    plays = [_play(tree, slot.weights) for slot in spans]
    first = last = here
    while first > 0 and plays[first - 1] == plays[here]:
        first -= 1
    while last + 1 < len(spans) and plays[last + 1] == plays[here]:
        last += 1
    return float(spans[first].at), float(spans[last].end)


def _play(tree: GameTree, weights: Ints) -> bytes:
    rows = reachable(tree, weights, -1)
    return rows.tobytes() + weights[rows].tobytes()


def best_by_board() -> pd.DataFrame:
    """By true rules and the text's energy: the b that lose least to random play as second player.

    Exact on 3x3 and 4x4.  Elsewhere a sampled b is left out only if it loses more than another by
    exact intervals that hold for all b of its board together, so that with 95% confidence none of
    the best is left out.
    """
    exact = ("3x3", "4x4")
    table = read_table("ising_sweeps.csv").query("energy == 'equation' and board not in @exact")
    rows = [_exact_best(size) for size in exact]
    rows += [_sampled_best(str(size), part) for size, part in table.groupby("board", sort=False)]
    columns = ["board", "may lose least from b", "to b", "fewest losses", "how known"]
    return pd.DataFrame(rows, columns=columns)


Result = tuple[Fraction, Fraction]
"""Losses and wins."""
Row = tuple[float, float, Result]
"""A piece of a curve: where it begins and ends, and its result."""


def fewest_then_most(results: Sequence[Result]) -> Result:
    """The fewest losses, and with them the most wins."""
    return min(results, key=lambda result: (result[0], -result[1]))


def exact_curves() -> dict[str, list[Row]]:
    """The text's player as second player against random play, by b, where it is exact."""
    small = curve.named("equation", "o", "random")
    stored = read_table("ising_curve_4x4.csv").query("side == 'o'")
    large = stored[["from", "to", "loss", "win"]].itertuples(index=False)
    return {
        "3x3": [(float(p.start), float(p.end), (p.outcome.loss, p.outcome.win)) for p in small],
        "4x4": [(start, end, (Fraction(loss), Fraction(win))) for start, end, loss, win in large],
    }


def best_stretch(rows: Sequence[Row], *, wins: bool) -> tuple[float, float]:
    """Where the values of b with the fewest losses begin and end; with wins, the best of these."""
    best = fewest_then_most([result for *_, result in rows])
    ends = [
        (start, end)
        for start, end, result in rows
        if (result == best if wins else result[0] == best[0])
    ]
    return min(start for start, _ in ends), max(end for _, end in ends)


def _exact_best(size: str) -> list[object]:
    """The ends of the best stretch are rounded inwards, so that what is told belongs to it."""
    rows = exact_curves()[size]
    low, high = best_stretch(rows, wins=False)
    least, _ = fewest_then_most([result for *_, result in rows])
    inside = round_up(low, 6), round_down(high, 6)
    return [size, *inside, f"{float(least):.4%}", "exactly"]


def _sampled_best(size: str, part: pd.DataFrame) -> list[object]:
    kept, most = _may_lose_least(part)
    how = f"{part['games'].min():,} games per b"
    return [size, kept.min(), kept.max(), f"at most {round_up(most, 6):.4%}", how]


def _may_lose_least(part: pd.DataFrame) -> tuple[Floats, float]:
    """The sampled b that no other b is known to beat, and an upper limit of the fewest losses."""
    from scipy.stats import binomtest  # slow to import

    level = 1 - (1 - 0.95) / len(part)  # for the intervals to hold together at 95%
    tests = (binomtest(*row) for row in part[["win", "games"]].itertuples(index=False))
    low, high = np.array([test.proportion_ci(level, "exact") for test in tests]).T
    return part["b"].to_numpy()[low <= high.min()], float(high.min())


def polynomial(coefficients: Sequence[int]) -> str:
    """A polynomial in c as text, such as ``2c² − c``, highest power first."""
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    powers = ["", "c", *(f"c{str(k).translate(raised)}" for k in range(2, len(coefficients)))]
    terms = zip(reversed(coefficients), reversed(powers[: len(coefficients)]), strict=True)
    return signed_sum(terms).replace("-", "−")


def jumps(name: str) -> pd.DataFrame:
    """The jumps of the second player's exact curve against random play, in steps w_k."""
    energy = energy_of(name, GRID)
    pieces = [p for p in curve.named(name, "o", "random") if not p.is_point]
    rows = [
        [
            ratio(energy, after.start),
            float(after.start),
            *(str(piece.outcome.loss) for piece in (before, after)),
        ]
        for before, after in pairwise(pieces)
    ]
    return pd.DataFrame(rows, columns=["jump at b =", "value", "lost before", "lost after"])


def redone() -> pd.DataFrame:
    """The document's pairings on larger boards: its program replayed, and by true rules."""
    program = read_table("ising_program_games.csv").assign(rules="its program")
    true = read_table("ising_boards.csv").query("energy in ('equation', 'published')")
    true = true.assign(rules="true rules, " + true["energy"])
    wanted = program[["board", "players"]].drop_duplicates()
    both = pd.concat([program, true.merge(wanted)], ignore_index=True)
    shares = both[["win", "draw", "loss"]].div(both["games"], axis=0).mul(100).round(2)
    found = both[["board", "players", "rules"]].join(shares)
    return found.sort_values(["board", "players"], kind="stable", ignore_index=True)


def curve_table(name: str, side: str, opponent: str) -> pd.DataFrame:
    """A whole exact curve as a table."""
    rows = [[p.interval, *map(str, p.outcome)] for p in curve.named(name, side, opponent)]
    return pd.DataFrame(rows, columns=["b", "win", "draw", "loss"])


def percent(outcome: Outcome) -> str:
    """An exact outcome in percent, win / draw / loss."""
    return " / ".join(f"{100 * float(share):.2f}" for share in outcome)

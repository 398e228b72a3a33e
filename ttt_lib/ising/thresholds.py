"""From which b on the player never loses on n x n boards: proofs for whole stretches of b.

The search of :mod:`ttt_lib.game.worst_counted` carries with every state the stretch of b for which
it can be reached, and splits it where the player's choice changes.  States that are reached for
several stretches keep their hull, which is conservative: a proof that nothing is lost holds for
every b of the stretch, and a loss found for a hull is re-examined on both halves.

The law in n (:func:`ttt_lib.ising.meaning.threshold`) was found for the energy, whose steps grow by
unequal factors, the last by the largest.  With base^k all factors are equal, and for the bases that
were tried from 2 on a second condition decides: see :func:`block_edge`.  For 3/2 and 6/5 neither
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ttt_lib.evidence.parallel import resumable
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid
from ttt_lib.game.budget import Meter, OutOfNodesError
from ttt_lib.game.worst_counted import answer
from ttt_lib.game.worst_forms import Question
from ttt_lib.ising.energy import Energy, energy_of, power_energy
from ttt_lib.ising.meaning import steps, threshold
from ttt_lib.ising.players import ising
from ttt_lib.ising.surd import Surd

NARROW = 1e-7
"""A stretch this short is not split again."""

EXACT = 1e-13
"""Relative width of a tie in a proof: just above the rounding of floats."""

NODES = 30_000_000
"""Maximum number of positions visited per stretch."""

BEAM = 4000
"""Positions per layer that a beam search for a loss at one b keeps."""

ABOVE = 1e-10
"""How far above the threshold a proof begins, in b."""

COLUMNS = ["board", "side", "from", "to", "verdict", "positions"]
"""Columns of the stored table."""

LARGE = 1e6
"""A b beyond all crossings: from there on, the other's lines decide and own ones break ties."""


def question(energy: Energy, side: int, low: float, high: float) -> Question:
    """Whether an energy's player loses to some opponent for some b in [low, high]."""
    gain = np.diff(energy.weights)
    return Question(energy.grid, gain, gain, low, high, side, tolerance=EXACT)


def text_energy(size: str) -> Energy:
    """The energy that the document's text defines, for a board such as ``4x4``."""
    return energy_of("equation", Grid.parse(size))


def stretch(size: str, side: int, low: float, high: float, nodes: int = NODES) -> list[list[Any]]:
    """Settle a stretch of b: rows of low, high, verdict and positions visited.

    Verdicts are ``never loses`` for all b of the row, ``can lose`` for some b of a narrow one,
    and ``open`` if the budget was too small.
    """
    asked = question(text_energy(size), side, low, high)
    if low == high:
        found = answer(replace(asked, width=BEAM), Meter(nodes))
        if found.found:
            return [[low, high, "can lose", found.states]]
    try:
        found = answer(asked, Meter(nodes))
    except OutOfNodesError:
        return [[low, high, "open", nodes]]
    if not found.found:
        return [[low, high, "never loses", found.states]]
    if high - low <= NARROW * high:
        return [[low, high, "can lose", found.states]]
    middle = (low * high) ** 0.5
    return stretch(size, side, low, middle, nodes) + stretch(size, side, middle, high, nodes)


POINTS = {"4x4": 0.1909411, "5x5": 0.1623788, "6x6": 0.1384927}
"""Where the second player can lose: the largest seven-digit b below the law."""

GAMES = {
    ("6x6", 0.13849): (
        1, 10, 17, 30, 27, 20, 5, 18, 25, 22, 21, 34, 16, 32, 31, 8, 3, 2, 29, 26, 14, 6, 35, 11,
        15, 9, 7, 0, 13, 12, 19,
    ),
}  # fmt: skip
"""Games that the second player loses, by board and b, found by a beam search.

Checking a game requires no search.
"""


def stretches() -> list[tuple[str, int, float, float]]:
    """What is asked: one b below the threshold, and every b above it for both sides."""
    jobs = [(size, -1, b, b) for size, b in POINTS.items()]
    for size in POINTS:
        start = float(threshold(Grid.parse(size).n)) + ABOVE
        jobs += [(size, side, start, LARGE) for side in (-1, 1)]
    return jobs


QUBIC = (0, 22, 42, 12, 63, 21, 23, 3, 60, 38, 51, 6, 54, 9)
"""A shortest game that the first player loses on 4x4x4 at b = 0.647, found by ``ttt worst``."""


def game(size: str, side: int, b: float, moves: Sequence[int] | None = None) -> list[list[Any]]:
    """Check a game, a stored one by default, with a result as from :func:`stretch` for its b.

    Raises
    ------
    ValueError
        If the agent would not play it, or doesn't lose it.
    """
    moves = GAMES[size, b] if moves is None else moves
    grid = Grid.parse(size)
    player, boards = ising(grid, b), grid.initial()
    assert player.weights is not None
    for ply, move in enumerate(moves):
        own = (ply % 2 == 0) == (side == 1)
        if own and not player.weights(boards)[0, move]:
            raise ValueError(f"ising:b={b} doesn't play {move} at ply {ply} on {size}")
        boards = grid.play(boards, np.array([move]))
    if grid.winner(boards)[0] != -side:
        raise ValueError(f"ising:b={b} doesn't lose that game on {size}")
    return [[b, b, "can lose", len(moves)]]


def make_law(path: Path | None = None) -> pd.DataFrame:
    """Settle every stretch of :func:`stretches`; takes about 15 minutes on one core.

    Parameters
    ----------
    path : Path or None
        A file that keeps what is done, so that a killed run goes on where it stopped.
    """
    games = [[size, -1, *game(size, -1, b)[0]] for size, b in GAMES]
    rows = [settled(stretches(), path), pd.DataFrame(games, columns=COLUMNS)]
    return pd.concat(rows, ignore_index=True)


def settled(jobs: list[tuple[str, int, float, float]], path: Path | None = None) -> pd.DataFrame:
    """The rows of some stretches, in the stored form."""
    found = resumable(stretch, jobs, path, about="stretches of b")
    rows = [[job[0], job[1], *row] for job, part in zip(jobs, found, strict=True) for row in part]
    return pd.DataFrame(rows, columns=COLUMNS)


def summary(edges: tuple[int, ...] = (4, 5, 6, 7, 8, 9, 10)) -> pd.DataFrame:
    """The conjectured threshold of every n x n, and what is proven about it.

    Returns
    -------
    DataFrame
        Columns n, ratio, edge (its value), loses (a b that loses, if known) and safe (from
        where on it is proven that none loses, if known).
    """
    found = read_table("ising_law.csv").query("side == -1")
    rows = []
    for n in edges:
        mine = found.query("board == @n_n", local_dict={"n_n": f"{n}x{n}"})
        loses = mine.loc[mine["verdict"] == "can lose", "to"].max()
        safe = mine.loc[mine["verdict"] == "never loses", "from"].min()
        rows.append([n, f"w{n - 3}/w{n - 2}", float(threshold(n)), loses, safe])
    return pd.DataFrame(rows, columns=["n", "ratio", "edge", "loses", "safe"])


def all_safe(size: str, side: int) -> int:
    """Positions visited in a gapless proof that a side never loses for any b above its threshold.

    Raises
    ------
    ValueError
        If the stored stretches leave a gap, or one of them is not a proof.
    """
    found = read_table("ising_law.csv").query("board == @size and side == @side")
    found = found[found["from"] < found["to"]].sort_values("from", kind="stable")
    begin = float(threshold(Grid.parse(size).n)) + ABOVE
    ends = [begin, *found["to"]]
    gapless = np.allclose(found["from"], ends[:-1], rtol=1e-11) and ends[-1] >= LARGE
    if not gapless or set(found["verdict"]) != {"never loses"}:
        raise ValueError(f"no proof for {size}, side {side}: some stretch of b is missing or open")
    return int(found["positions"].sum())


# ------------------------------------------------------------------ 3x3x3


def cube_window() -> tuple[Surd, Surd]:
    """The values of b between which the first player beats every opponent on 3x3x3.

    The ends were found by bisection and are quotients of sums of steps; :func:`cube_result` proves
    the stretch between them, and that the player can lose at either end.
    """
    w0, w1, w2 = steps(energy_of("equation", Grid(3, 3)))
    return (w0 + w1) / (w2 - w1 - w1 - w0), (w2 - w1 - w0) / (w0 + w1 + w2)


def cube_result(low: float, high: float | None = None) -> str:
    """What the worst opponent reaches on 3x3x3 against the first player, for one b or a stretch.

    Returns
    -------
    str
        ``wins``, ``draws`` or ``loses``, from the player's side; the worst over a stretch of b.
    """
    asked = question(text_energy("3x3x3"), 1, low, low if high is None else high)
    for goal, result in ((-1, "loses"), (0, "draws")):
        if answer(replace(asked, goal=goal), Meter(NODES)).found:
            return result
    return "wins"


def cube_results(tried: int = 100) -> tuple[str, set[str]]:
    """The player's worst result for all b within :func:`cube_window`, and for some b outside.

    Half of those tried lie below the window, half above, the nearest at relative distance 1e-9.
    """
    low, high = map(float, cube_window())
    below = np.geomspace(1e-6, low * (1 - 1e-9), tried // 2)
    above = np.geomspace(high * (1 + 1e-9), LARGE, tried - tried // 2)
    inside = cube_result(low * (1 + 1e-9), high * (1 - 1e-9))
    return inside, {cube_result(float(b)) for b in (*below, *above)}


# ---------------------------------------------------------------------------- potentials base^k

NEAR = 1e-9
"""How far from an edge a player is tried, relative to it."""


def block_edge(energy: Energy) -> Surd:
    """w_(n-2) / (w_(n-1) - w_2): above it, blocking a line of n - 1 stones comes first.

    Below it the player prefers a cell where a line of its own grows to n - 1 stones and one with
    two stones of the other's is spoiled: that is worth w_(n-2) + b w_2, the block b w_(n-1).
    """
    w, n = steps(energy), energy.grid.n
    return w[n - 2] / (w[n - 1] - w[2])


def loses(energy: Energy, low: float, high: float | None = None) -> bool:
    """Whether the second player loses to some opponent at one b, or for some b of a stretch.

    False is a proof for every b of the stretch.  A stretch is answered by hulls, so True
    proves a loss only for a single b.
    """
    asked = question(energy, -1, low, low if high is None else high)
    if high is None and answer(replace(asked, width=BEAM), Meter(NODES)).found:
        return True
    return bool(answer(asked, Meter(NODES)).found)


def potential_edges(
    sizes: Sequence[str] = ("4x4", "5x5"), bases: Sequence[int] = (2, 3, 4, 8)
) -> pd.DataFrame:
    """What the law would say of every potential, its :func:`block_edge`, and what play says.

    Returns
    -------
    DataFrame
        Columns board, base, law (1 / base) and edge as Fractions, and two truth values:
        ``loses below`` (at a b just below the edge) and ``safe above`` (at every b from just above
        it to ``LARGE``, beyond which nothing changes).
    """
    rows = []
    for size in sizes:
        for base in bases:
            energy = power_energy(Grid.parse(size), Fraction(base))
            edge = block_edge(energy)
            below, above = float(edge) * (1 - NEAR), float(edge) * (1 + NEAR)
            safe = not loses(energy, above, LARGE)
            exact = Fraction(edge.coefficients[0])
            rows.append([size, base, Fraction(1, base), exact, loses(energy, below), safe])
    return pd.DataFrame(rows, columns=["board", "base", "law", "edge", "loses below", "safe above"])

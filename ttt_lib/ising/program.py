"""The published program's departures from its own text, each with its own switch.

The document's tables and curves come from a program, and the program differs
from the text in a handful of places.  Here every difference is a field of
:class:`Program`, so that its effect can be seen in isolation:

stepping     energies walk u, 2u, 4u, ... (from n = 4 on they leave the line)
diagonals    energies miss the diagonals that don't join two corners (from d = 3 on)
gaps         energies stop at the first empty cell after the start
win_test     the win test steps the same way, and requires exactly n stones
draw_first   a full board is declared a draw before lines are checked
second_b     as second player it plays this b, whatever was requested
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ttt_lib.game.board import Boards, Grid, Ints, Mask
from ttt_lib.game.exact import Outcome, exact_values, policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_scores
from ttt_lib.ising.energy import Energy, directions, inward, padded, powers, program_energy, walk
from ttt_lib.ising.kernels import play_walks
from ttt_lib.ising.players import scores
from ttt_lib.ising.tables import RANDOM, Player, Rules, incidence, true_rules


@dataclass(frozen=True)
class Program:
    """Which departures are switched on; with all of them it is the published program."""

    stepping: bool = True
    diagonals: bool = True
    gaps: bool = True
    win_test: bool = True
    draw_first: bool = True
    second_b: float | None = 0.8

    def energy(self, grid: Grid) -> Energy:
        """Its energy on a board."""
        return program_energy(
            grid, stepping=self.stepping, diagonals=self.diagonals, gaps=self.gaps
        )

    def rules(self, grid: Grid) -> Rules:
        """When its games end."""
        rules = program_rules(grid) if self.win_test else true_rules(grid)
        return rules._replace(draw_first=self.draw_first)


PUBLISHED = Program()
REPAIRED = Program(False, False, False, False, False, None)
SWEEP = replace(PUBLISHED, second_b=None)
"""The program of the bias sweeps, which plays the b it was given."""


@cache
@read_only
def program_rules(grid: Grid) -> Rules:
    """The program's win test: from every cell in every direction that stays on the board.

    It steps u, 2u, 4u, ..., follows own stones, and calls it a win if it has
    counted exactly n of them.
    """
    rows = tuple(
        walk(grid, cell, step, doubling=True)
        for cell, place in enumerate(grid.coordinates.tolist())
        for step in directions(grid.d)
        if inward(grid, place, step)
    )
    table = padded(rows)
    return Rules(table, *incidence(table, grid.cells)[:2], grid.n, False)


def program_winner(grid: Grid, boards: Boards, player: int) -> Mask:
    """Whether the program's win test finds a win of a player (+1 or -1), shape (B,)."""
    rules = program_rules(grid)
    own = np.ascontiguousarray((boards == player).T)  # cells first, since gathering rows is fast
    still = np.ones((len(rules.cells), len(boards)), dtype=np.bool_)
    run = np.zeros(still.shape, dtype=np.int32)
    for cells in rules.cells.T:
        still &= own[cells] & (cells >= 0)[:, None]
        run += still
    return np.asarray((run == rules.length).any(axis=0))


def recognised_lines(grid: Grid) -> int:
    """How many of the true lines, alone on the board, the program's win test recognises."""
    boards = np.zeros((len(grid.lines), grid.cells), dtype=np.int8)
    boards[np.arange(len(boards))[:, None], grid.lines] = 1
    return int(program_winner(grid, boards, 1).sum())


def false_wins(grid: Grid) -> list[tuple[int, ...]]:
    """Sets of n cells that are not lines but that the program's win test accepts as a win."""
    rules = program_rules(grid)
    lines = {tuple(sorted(line)) for line in grid.lines.tolist()}
    starts = {tuple(sorted(row[: grid.n])) for row in rules.cells.tolist() if row[grid.n - 1] >= 0}
    rows = sorted(starts - lines)
    boards = np.zeros((len(rows), grid.cells), dtype=np.int8)
    for board, cells in zip(boards, rows, strict=True):
        board[list(cells)] = 1
    found = program_winner(grid, boards, 1) if rows else np.zeros(0, dtype=np.bool_)
    return [row for row, wins in zip(rows, found, strict=True) if wins]


def simulate(
    program: Program,
    grid: Grid,
    players: str,
    b: float,
    games: int,
    *,
    rng: np.random.Generator | int,
) -> Ints:
    """Play the program's games.

    Parameters
    ----------
    players : str
        ``R`` (random) or ``I`` (Ising) for the first and the second player, e.g. ``RI``.
    b : float
        The requested bias.

    Returns
    -------
    ndarray of int64, shape (3,)
        First player's wins, draws, second player's wins, as the program scores them.

    Raises
    ------
    ValueError
        If players is not one of RI, IR and II.
    """
    if players not in ("RI", "IR", "II"):
        raise ValueError(f"unknown players {players!r}: RI, IR or II")
    energy = program.energy(grid)
    second = b if program.second_b is None else program.second_b
    x = Player(energy, b) if players[0] == "I" else RANDOM
    o = Player(energy, second) if players[1] == "I" else RANDOM
    return play_walks(x, o, program.rules(grid), games, rng=rng)


def agent(program: Program, grid: Grid, b: float) -> Agent:
    """The program's Ising player as an agent of the true game."""
    symmetric = not program.stepping or grid.n <= 3
    return from_scores(f"program b={b}", grid, scores(program.energy(grid), b), symmetric=symmetric)


def scored(tree: GameTree) -> GameTree:
    """The game as the program scores it: a line on the last cell counts as a draw."""
    return replace(
        tree, winner=np.where(tree.ply == tree.grid.cells, 0, tree.winner).astype(np.int8)
    )


def exact(x: Agent, o: Agent, tree: GameTree) -> Outcome:
    """Exact chances of a match as the program scores it, from X's side."""
    return exact_values(scored(tree), policy_table(x, tree), policy_table(o, tree))[0]


def stuck(grid: Grid, boards: Boards, b: float, factor: float) -> Mask:
    """Where the program's condition leaves it no move, shape (B,).

    It only takes moves whose game energy exceeds ``factor`` times the mover's
    energy before the move; otherwise it falls back on code that the document
    does not show.
    """
    energy = program_energy(grid)
    mine = boards * grid.to_move(boards)[:, None]
    counts = [powers(energy, sign * mine) for sign in (1, -1)]
    c = float(energy.root.polynomial([0, 1]))
    own, other = (count @ c ** np.arange(count.shape[1]) for count in counts)
    best = scores(energy, b)(boards).max(axis=1) + own + b * other
    return np.asarray(best <= factor * own)

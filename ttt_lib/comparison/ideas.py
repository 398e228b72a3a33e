"""What single ideas are worth: ever larger look-up tables, and formulas that count lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ttt_lib.comparison.matrix import GRID, PERFECT, RANDOM, soundness, table
from ttt_lib.game.board import Boards, Floats, Grid, Ints, Mask
from ttt_lib.game.exact import check_side, outcome_as, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Agent, from_evaluator, move_scores
from ttt_lib.game.response import Soundness
from ttt_lib.game.worst import worst
from ttt_lib.ising.players import potential
from ttt_lib.ntuple.network import Network, Patterns
from ttt_lib.ntuple.optimum import design_matrix
from ttt_lib.ntuple.players import table_of
from ttt_lib.ntuple.training import positions, train
from ttt_lib.spectral import degrees

ROUNDED = 9
"""Decimals of a fitted value that count; beyond them least squares leaves rounding errors."""

BASES = (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0)
BIASES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.647, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)

MAX_MOVES = 3_000_000
"""Largest number of moves of one ply that :func:`every_game` follows."""


# ---------------------------------------------------------------------------- tables


@cache
def ladder() -> pd.DataFrame:
    """Players that sum look-up tables over ever larger groups of cells, on 3x3.

    Each approximates the minimax value of all boards as well as its tables allow, looks one
    ply ahead, recognises finished games, and chooses uniformly among ties.

    Returns
    -------
    DataFrame
        Columns reads, numbers (after sharing by symmetry), independent (of these, on the boards
        that occur), taught, worst_x, worst_o, misplayed, against_random, against_perfect
        (Fractions).
    """
    rows = [
        _step("nothing", 0, 0, "", table("lookahead:depth=1")),
        _fitted(1),
        _fitted(2),
        _fitted("lines"),
        _trained_lines(),
        _fitted(3),
        _fitted(4),
        _fitted(5),
        _step("all nine cells", _classes(), _classes(), "look-up", table(PERFECT)),
    ]
    return pd.DataFrame(rows)


def _fitted(degree: degrees.Degree) -> dict[str, Any]:
    fitted = degrees.fit(degree, sided=True)

    def rounded(after: Boards) -> Floats:
        return np.asarray(fitted(after).round(ROUNDED))

    one_ply = from_evaluator("one ply", GRID, rounded, symmetric=True)
    words = {1: "single cells", 2: "pairs", "lines": "lines"}
    reads = words.get(degree, f"all groups of {degree}")
    weights = policy_table(one_ply, solve(GRID))
    return _step(reads, fitted.size, fitted.rank, "least squares", weights)


def _trained_lines() -> dict[str, Any]:
    """Document 3's network with weights shared by symmetry."""
    patterns = Patterns(GRID, sharing="symmetric")
    weights = table_of(train(patterns).network, solve(GRID))
    rank = int(np.linalg.matrix_rank(design_matrix(patterns)))
    return _step("lines", patterns.parameters, rank, "tanh, step by step", weights)


def straight_lines() -> Soundness:
    """The same tables fitted by least squares to the values themselves, without a tanh."""
    patterns = Patterns(GRID, sharing="symmetric")
    values = positions(patterns).targets
    fitted = np.linalg.lstsq(design_matrix(patterns), values, rcond=1e-10)[0]
    straight = Network(patterns, np.asarray(fitted, dtype=np.float64))
    return soundness(table_of(straight, solve(GRID)))


def _classes() -> int:
    """Classes of symmetric boards after a move: the entries of one table over all cells."""
    return len(np.unique(GRID.canonical_codes(solve(GRID).boards[1:])))


def _step(reads: str, numbers: int, rank: int, taught: str, weights: Ints) -> dict[str, Any]:
    return {
        "reads": reads,
        "numbers": numbers,
        "independent": rank,
        "taught": taught,
        **soundness(weights)._asdict(),
        "against_random": margin(weights, table(RANDOM)),
        "against_perfect": margin(weights, table(PERFECT)),
    }


def margin(weights: Ints, other: Ints) -> Fraction:
    """Mean result of two games, one on each side, exactly."""
    first, second = (outcome_as(solve(GRID), side, weights, other) for side in (1, -1))
    return (first.expected + second.expected) / 2


def resists(depth: int) -> Ints:
    """Look-ahead that does not give up: where every move loses, it plays as with two plies.

    Plain look-ahead values all moves equally there; two plies still block an immediate threat.

    Returns
    -------
    ndarray of int64, shape (S, 9)
        Its table on 3x3.
    """
    tree = solve(GRID)
    running = ~tree.finished
    scores = move_scores(GRID, lambda after: np.zeros(len(after)), depth)(tree.boards[running])
    lost = np.zeros(len(tree), dtype=np.bool_)
    lost[running] = scores.max(axis=1) < 0
    return np.where(lost[:, None], table("lookahead:depth=2"), table(f"lookahead:depth={depth}"))


# ---------------------------------------------------------------------------- formulas


@dataclass(frozen=True)
class Games:
    """Everything that can happen when one side follows a policy and the other plays arbitrarily.

    Attributes
    ----------
    positions : int
        Positions that occur after the empty board; symmetric ones are counted once if the agent
        plays them alike.
    worst, best : int
        Worst and best result from the policy's side.
    longest : int
        Plies of the longest game.
    """

    positions: int
    worst: int
    best: int
    longest: int


def every_game(agent: Agent, side: int) -> Games:
    """Follow an agent against every opponent, on any board small enough.

    Even where the whole game is too large to enumerate, the games of one player with few choices
    may still be few.

    Parameters
    ----------
    agent : Agent
        It must state its weights.
    side : int
        +1 if the agent is X, -1 if it is O.

    Raises
    ------
    ValueError
        If the agent can't state its weights or doesn't play an n^d board, side is neither +1
        nor -1, or more than ``MAX_MOVES`` moves of one ply would have to be followed.
    """
    grid = agent.game
    if agent.weights is None or not isinstance(grid, Grid):
        raise ValueError(f"{agent.name} can't be followed: it needs weights on an n^d board")
    check_side(side)
    boards, positions, results, ply = grid.initial(), 0, set[int](), 0
    while len(boards):
        own = ply % 2 == (side < 0)
        allowed = agent.weights(boards) > 0 if own else grid.legal(boards)
        if allowed.sum() > MAX_MOVES:
            raise ValueError(f"{agent.name} can't be followed: too many moves at ply {ply + 1}")
        boards = _after(grid, boards, allowed, agent.symmetric)
        over = grid.finished(boards)
        results |= set((side * grid.winner(boards[over])).tolist())
        boards, positions, ply = boards[~over], positions + len(boards), ply + 1
    return Games(positions, min(results), max(results), ply)


def _after(grid: Grid, boards: Boards, allowed: Mask, symmetric: bool) -> Boards:
    """The distinct boards after all allowed moves; if ``symmetric``, one for all its images."""
    state, move = np.nonzero(allowed)
    after = grid.place(boards[state], move)
    codes = grid.canonical_codes(after) if symmetric else grid.codes(after)
    return after[np.unique(codes, return_index=True)[1]]


def step_ratios(weights: Floats) -> Floats:
    """What each further stone on a line adds, as a multiple of what the one before it added.

    Parameters
    ----------
    weights : ndarray of float64, shape (n + 1,)
        What a line with 0, 1, ..., n own stones weighs.
    """
    steps = np.diff(weights)
    return np.asarray(steps[1:] / steps[:-1])


@cache
def formulas_3x3(bases: Sequence[float] = BASES, biases: Sequence[float] = BIASES) -> pd.DataFrame:
    """The potential on 3x3 over base and b: verdicts, and the chance of losing to Random.

    Returns
    -------
    DataFrame
        Columns base, b, worst_x, worst_o, misplayed, loss_x, loss_o (Fractions).
    """
    tree, rows = solve(GRID), []
    for base in bases:
        for b in biases:
            weights = policy_table(potential(GRID, base, b), tree)
            losses = (outcome_as(tree, side, weights, table(RANDOM)).loss for side in (1, -1))
            rows.append([base, b, *soundness(weights), *losses])
    columns = ["base", "b", "worst_x", "worst_o", "misplayed", "loss_x", "loss_o"]
    return pd.DataFrame(rows, columns=columns)


def formula_games(
    grid: Grid, side: int, bases: Sequence[float] = BASES, biases: Sequence[float] = BIASES
) -> pd.DataFrame:
    """The worst result of the potential on a larger board over base and b.

    Returns
    -------
    DataFrame
        Columns board, side (x or o), base, b, worst.
    """
    name, rows = "x" if side == 1 else "o", []
    for base in bases:
        for b in biases:
            found = worst(potential(grid, base, b), side)
            rows.append([grid.name, name, base, b, found.worst])
    return pd.DataFrame(rows, columns=["board", "side", "base", "b", "worst"])

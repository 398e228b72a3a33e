"""Random games of Ultimate: results by rules, cells left by ply, what symmetry saves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
import pandas as pd

from ttt_lib.ultimate.board import kernels, symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import State, States
from ttt_lib.ultimate.board.rules import RULES
from ttt_lib.ultimate.studies import cost

ENDGAME = 15
RANDOM_GAMES = 200_000
ALL_UP_TO, SOME_UP_TO, SAMPLED_GAMES = 4, 8, 4000
LATE_MIDGAME = (16, 22)
"""Playable cells of the midgames that we can still solve in no time."""


@cache
def results(games: int = RANDOM_GAMES) -> pd.DataFrame:
    """Shares of X wins, draws and O wins in random games, and their mean length, by rules."""
    rows = {}
    for rules in RULES:
        ends = _records(rules, games)[1]
        x, o, draws = ends.sum(axis=0) / games
        plies = (ends.sum(axis=1) * np.arange(82)).sum() / games
        rows[rules] = {"X wins": x, "draw": draws, "O wins": o, "plies": plies}
    return pd.DataFrame(rows).T


@cache
def plies() -> pd.DataFrame:
    """Means over running random games of the standard rules, one row per ply.

    Returns
    -------
    DataFrame
        Columns running (share of games), moves, free (share of free moves), playable and empty
        (cells), endgame (share with at most 15 playable cells).
    """
    sums = _records("standard", RANDOM_GAMES)[0].astype(float)
    sums = sums[sums[:, 0] > 0]
    means = sums / sums[:, :1]
    return pd.DataFrame(
        {
            "running": sums[:, 0] / RANDOM_GAMES,
            "moves": means[:, 1],
            "free": means[:, 2],
            "playable": means[:, 3],
            "empty": 81.0 - np.arange(len(sums)),
            "endgame": means[:, 4],
        }
    )


@cache
def _records(rules: str, games: int) -> tuple[np.ndarray, np.ndarray]:
    game, bits = Ultimate(rules), np.uint64(kernels.seed(0))
    found: tuple[np.ndarray, np.ndarray]
    found = kernels.records(game.initial()[0], games, game.code, bits)
    return found


@cache
def endgame_shares() -> Mapping[str, float]:
    """Share of random games with a position of at most 15 empty cells, playable or of all 81."""
    ends = _records("standard", RANDOM_GAMES)[1].sum(axis=1)
    seen = np.zeros(20_000, dtype=np.bool_)
    for states, rows in _walk(len(seen), rng=1):
        seen[rows] |= playable(states) <= ENDGAME
    late = float(ends[81 - ENDGAME + 1 :].sum() / RANDOM_GAMES)
    return MappingProxyType({"playable": float(seen.mean()), "all 81": late})


def choices(first: int, last: int) -> pd.DataFrame:
    """How many moves there are, and whether the move is free, in states of random games.

    Parameters
    ----------
    first, last : int
        The plies, both included.

    Returns
    -------
    DataFrame
        Columns moves, free; one row per running state.
    """
    states = np.concatenate([here for here, _ in _walk(2000, rng=3)[first : last + 1]])
    free = states[:, kernels.FORCED] == kernels.FREE
    return pd.DataFrame({"moves": Ultimate().legal(states).sum(axis=1), "free": free})


def _walk(games: int, rng: np.random.Generator | int) -> list[tuple[States, np.ndarray]]:
    """Running states of random games, with the games they belong to, ply by ply."""
    game, rng = Ultimate(), np.random.default_rng(rng)
    states, rows, found = game.initial(games), np.arange(games), []
    while len(states):
        found.append((states, rows))
        mask = game.legal(states)
        moves = (mask * (1 + rng.random(mask.shape))).argmax(axis=1)
        states = game.play(states, moves)
        running = ~game.finished(states)
        states, rows = states[running], rows[running]
    return found


@cache
def symmetry_saving() -> pd.DataFrame:
    """Ratio of different positions to those different up to symmetry, by ply.

    Up to ``ALL_UP_TO`` all positions are counted, and up to ``SOME_UP_TO`` those of random games.
    """
    rows = [_saving(ply, "all positions", states) for ply, states in enumerate(_levels(ALL_UP_TO))]
    sampled = _walk(SAMPLED_GAMES, rng=2)
    rows += [_saving(ply, "random games", sampled[ply][0]) for ply in range(1, SOME_UP_TO + 1)]
    return pd.DataFrame(rows)


def _saving(ply: int, kind: str, states: States) -> dict[str, object]:
    different = np.unique(states, axis=0)
    classes = len(np.unique(symmetry.canonical(different), axis=0))
    return {
        "ply": ply,
        "kind": kind,
        "positions": len(different),
        "classes": classes,
        "saving": len(different) / classes,
    }


def _levels(depth: int) -> list[States]:
    """All positions after 0, 1, ..., ``depth`` moves."""
    game, levels = Ultimate(), [Ultimate().initial()]
    for _ in range(depth):
        state, move = np.nonzero(game.legal(levels[-1]))
        levels.append(np.unique(game.play(levels[-1][state], move), axis=0))
    return levels


def random_endgames(cells: int, count: int, *, rng: int = 0) -> States:
    """Running states of random games with at most ``cells`` playable cells."""
    states = cost.sample_states(1500, rng=rng)
    return states[playable(states) <= cells][:count]


def first_endgames(count: int, *, games: int = 4000, rng: np.random.Generator | int = 4) -> States:
    """First running states of at most ``ENDGAME`` playable cells of random games that have one."""
    found: dict[int, State] = {}
    for states, rows in _walk(games, rng):
        few = playable(states) <= ENDGAME
        for row, state in zip(rows[few].tolist(), states[few], strict=True):
            found.setdefault(row, state)
    return np.array([found[row] for row in sorted(found)[:count]])


def late_midgames() -> States:
    """Running states of random games in the document's midgame, few enough cells to be solved."""
    states, (least, most) = cost.sample_states(3000, rng=1), LATE_MIDGAME
    cells = playable(states)
    return states[(least <= cells) & (cells <= most)][:200]

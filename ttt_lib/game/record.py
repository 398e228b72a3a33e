"""The exact record of a 3x3 player: both sides, against the random and the perfect player."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pandas as pd

from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import Outcome, misplayed, outcome_as, policy_table, worst_case
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, minimax, random_agent

OPPONENTS = ("random", "minimax", "first")
TIES = {"minimax": "uniform", "first": "first"}
SIDES = {"x": 1, "o": -1}


@dataclass(frozen=True)
class Record:
    """Exact results of a player on 3x3.

    Attributes
    ----------
    matches : dict
        Outcome from the player's side by (side, opponent): side ``x`` or ``o``, opponent
        ``random``, ``minimax`` (uniform over value-optimal moves) or ``first`` (the lowest).
    worst : dict
        Worst result that some opponent reaches, by side.
    misplayed : int
        Running states where it may lose minimax value.
    """

    matches: dict[tuple[str, str], Outcome]
    worst: dict[str, int]
    misplayed: int


@cache
@read_only
def opponent_table(name: str) -> Ints:
    """Policy table of one of ``OPPONENTS``."""
    grid = Grid(3)
    agent = random_agent(grid) if name == "random" else minimax(grid, TIES[name])
    return policy_table(agent, solve(grid))


def record(agent: Agent, opponents: tuple[str, ...] = OPPONENTS) -> Record:
    """Play out a 3x3 agent exactly.

    Raises
    ------
    ValueError
        If the agent can't state its weights or plays another game.
    """
    tree = solve(Grid(3))
    table = policy_table(agent, tree)
    matches = {}
    for name in opponents:
        for side, sign in SIDES.items():
            matches[side, name] = outcome_as(tree, sign, table, opponent_table(name))
    worst = {side: worst_case(tree, table, sign).worst for side, sign in SIDES.items()}
    return Record(matches, worst, len(misplayed(tree, table)))


def as_table(records: dict[str, Record], opponent: str = "random") -> pd.DataFrame:
    """Records side by side against one opponent, a row per player: chances as text, 4 decimals."""
    rows = []
    for found in records.values():
        row: dict[str, str] = {}
        for side in ("x", "o"):
            for result, chance in found.matches[side, opponent]._asdict().items():
                row[f"{result} as {side.upper()}"] = f"{float(chance):.4f}"
        rows.append({**row, "states misplayed": found.misplayed})
    return pd.DataFrame(rows, index=pd.Index(list(records), name="player"))

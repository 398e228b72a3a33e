"""A part of each long run of the comparison, recomputed for comparison with the stored one."""

from __future__ import annotations

import pandas as pd

from ttt_lib.comparison import runs as stored
from ttt_lib.comparison.ideas import formula_games
from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import float_values
from ttt_lib.game.gametree import solve


def exact_4x4() -> Sample:
    """One of the pairs on 4x4."""
    table, x, o = store.read_table("arena_4x4.csv"), "ising", "random"
    chances = [stored._chances(stored._table_4x4(name)) for name in (x, o)]
    found = [[x, o, *float_values(solve(Grid(4)), *chances)[0].round(12)]]
    kept = table[(table.x == x) & (table.o == o)]
    return Sample(pd.DataFrame(found, columns=table.columns), kept, 1 / len(table))


def verdicts_4x4() -> Sample:
    """One player's worst results and misplayed states."""
    table = store.read_table("arena_4x4_verdicts.csv")
    found = pd.DataFrame([stored._verdict_4x4("ising", solve(Grid(4)))])
    return Sample(found, table[table.player == "ising"], 1 / len(table))


def formulas() -> Sample:
    """One base and one b on every board."""
    table, boards = store.read_table("arena_formulas.csv"), ((Grid(4), 1), (Grid(4), -1))
    base, b = table.base.max(), table.b.max()
    found = pd.concat([formula_games(grid, side, [base], [b]) for grid, side in boards])
    kept = table[(table.base == base) & (table.b == b) & (table.board == "4x4")]
    return Sample(found, kept, len(kept) / len(table))


def games() -> Sample:
    """A thousand games of one pair."""
    table, wanted = store.read_table("arena_games.csv"), ("3x3x3", "random", "potential")
    place = stored.fixtures().index(wanted)
    found = pd.DataFrame([[*wanted, stored.GAMES, *stored.play(place)]], columns=table.columns)
    return Sample(found, table.iloc[[place]])

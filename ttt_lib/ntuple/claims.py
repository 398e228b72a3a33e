"""What the ledger asks of document 3: exact chances, enumerations and spreads over seeds."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence.claims import Chance, Draws, Finding, Value
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import Outcome, misplayed
from ttt_lib.game.policy import winning_cells
from ttt_lib.game.response import reachable, verdict
from ttt_lib.ntuple import analysis
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.optimum import design_matrix
from ttt_lib.ntuple.players import trained

SEEDS = range(20)
"""Networks whose play is enumerated."""

THREE_X = 13
"""XXX as a number in base 3."""

BLOCK = 100
"""Games between two printed rows of the document's match tables."""


# ------------------------------------------------------------------ definition


def positions() -> Value:
    """Number of reachable 3x3 positions."""
    return Value(len(analysis.tree3()), "Every state that play can reach was listed.")


def windows(edge: int, height: int, width: int) -> Value:
    """How many height x width rectangles a square board of ``edge`` cells holds."""
    return Value((edge - height + 1) * (edge - width + 1), "Counted by the possible corners.")


def fillings(cells: int, sides: int = 1) -> Value:
    """States of a group of cells, doubled if the side to move counts."""
    return Value(sides * 3**cells, "Three states a cell.")


def lines() -> Value:
    """Number of lines of the 3x3 board."""
    return Value(len(Grid(3).lines), "Three rows, three columns, two diagonals.")


def two_in_a_row(side: int) -> Finding:
    """What two X and a gap in a line mean, with X (+1) or O (-1) to move."""
    tree = analysis.tree3()
    gaps, own = (winning_cells(tree.grid, tree.boards, np.full(len(tree), s)) for s in (1, -1))
    threat = gaps.any(axis=1) & ~tree.finished & (tree.ply % 2 == (0 if side == 1 else 1))
    if side == 1:
        return Finding(
            bool((tree.value[threat] == 1).all()),
            f"won in all {threat.sum()} such positions",
            "Every reachable position with such a line was looked up.",
        )
    forced = threat & ~own.any(axis=1)
    lost = tree.value[tree.children] == 1
    holds = bool((lost | gaps | ~tree.legal)[forced].all())
    return Finding(
        holds,
        f"every other move loses in all {forced.sum()} positions without O O _",
        "Every reachable position with such a line was looked up.",
    )


def side_to_move() -> Finding:
    """Whether the tables need the side to move."""
    table = variants()
    without, with_it = table.loc["no side to move"], table.loc["document"]
    return Finding(
        bool(without.never_loses == 0 and with_it.never_loses == with_it.seeds),
        f"without it {without.seeds - without.never_loses} of {without.seeds} seeds can lose, "
        f"and the error is {without.error / with_it.error:.1f} times as large",
        "The same training with 27 instead of 54 entries a table.",
    )


def two_networks() -> Finding:
    """Whether doubled tables are as good as one network a side."""
    matrix = design_matrix(Patterns(Grid(3)))
    moves_x = (analysis.tree3().ply % 2 == 0).astype(float)
    ranks = [rank(m) for m in (matrix, np.column_stack([matrix, moves_x]))]
    return Finding(
        ranks[0] == ranks[1],
        f"rank {ranks[0]} either way",
        "A second bias, all that two networks would add, is a sum of entries that are there.",
    )


def rank(matrix: NDArray[np.float64]) -> int:
    """Rank of a matrix of small whole numbers (of its Gram matrix, which is smaller)."""
    return int(np.linalg.matrix_rank(matrix.T @ matrix, hermitian=True))


def winning_chance() -> Finding:
    """Whether (value + 1) / 2 is a chance of winning: near 0 where nobody wins."""
    tree, network = analysis.tree3(), trained(Grid(3), 0)
    drawn = tree.value == 0
    read = (network.predict(tree.boards[drawn]).mean() + 1) / 2
    return Finding(
        bool(read < 0.25),
        f"the {drawn.sum()} drawn positions, which nobody wins, read {read:.2f} on average",
        "A draw is taught as 0, so the number is X's expected points (a draw 1/2) under perfect "
        "play, not a chance of winning.",
    )


def complete_lines() -> Finding:
    """Whether XXX has one of the largest weights of every table."""
    places = [
        1 + int((network.table(t) > network.table(t)[1, THREE_X]).sum())
        for network in (trained(Grid(3), seed) for seed in SEEDS)
        for t in range(8)
    ]
    return Finding(
        max(places) <= 3,
        f"the largest of 54 entries in {places.count(1)} of {len(places)} tables, "
        f"place {max(places)} at worst",
        "'Relatively big' read as among the three largest; seeds 0 to 19. Only O to move sees XXX.",
    )


# ------------------------------------------------------------------ training


@cache
def epochs() -> pd.DataFrame:
    """The stored error and verdict after each epoch, seeds 0 to 99."""
    return read_table("ntuple_epochs.csv")


@cache
def variants() -> pd.DataFrame:
    """The stored variants of the tables, by name."""
    return read_table("ntuple_variants.csv").set_index("variant")


def mean_squared_error(epoch: int) -> Draws:
    """The mean squared error after an epoch, one draw a seed."""
    table = epochs()
    errors = table[table.epoch == epoch].error.tolist()
    return Draws(
        errors, reason=f"The median of {len(errors)} seeds, shuffled every epoch, from zero."
    )


def steady_from() -> pd.Series:
    """For every seed the first epoch from which on it never loses again, up to the last one."""
    table = epochs()
    loses = table[(table.worst_x < 0) | (table.worst_o < 0)]
    return (loses.groupby("seed").epoch.max() + 1).reindex(table.seed.unique(), fill_value=1)


def settings_work() -> Finding:
    """Whether rate 0.01 and 100 epochs suffice."""
    start, last = steady_from(), int(epochs().epoch.max())
    good = int((start <= last).sum())
    return Finding(
        good == len(start),
        f"{good} of {len(start)} seeds never lose after {last} epochs; "
        f"all of them from epoch {start.max()} on",
        "Every opponent was enumerated after every epoch.",
    )


def few_seconds() -> Finding:
    """Whether training takes a few seconds."""
    return Finding(
        None,
        "depends on the machine: `ttt bench` measures ours beside a plain C++ loop",
        "The document names no machine, so its time can't be compared.",
    )


# ------------------------------------------------------------------ play


@cache
def tables() -> list[analysis.Ints]:
    """How the networks of seeds 0 to 19 play."""
    return [analysis.network_table(seed) for seed in SEEDS]


@cache
def chance(player: str, opponent: str) -> Outcome:
    """Exact chances with alternating sides; for ``network`` they must agree over all seeds.

    Raises
    ------
    ValueError
        If networks of different seeds differ.
    """
    other = analysis.opponent(opponent)
    own = tables() if player == "network" else [analysis.opponent(player)]
    found = {analysis.play(table, other).both for table in own}
    if len(found) > 1:
        raise ValueError(f"networks of different seeds differ against {opponent}")
    return found.pop()


def wins(player: str, opponent: str) -> Chance:
    """The exact chance of a win behind the last row of a match table."""
    exact = chance(player, opponent)
    seeds = " The same for every seed 0 to 19." if player == "network" else ""
    return Chance(exact.win, f"Exactly {exact.win}, {float(exact.win):.4f} a game.{seeds}")


def increments(rows: str) -> Finding:
    """Whether the wins of ten blocks of games scatter as those of one chance do.

    Parameters
    ----------
    rows : str
        The cumulative wins as printed.
    """
    from scipy.stats import chi2

    counts = np.diff([0, *map(int, rows.split())])
    share = counts.mean() / BLOCK
    statistic = ((counts - counts.mean()) ** 2).sum() / (BLOCK * share * (1 - share))
    p_value = float(chi2.sf(statistic, len(counts) - 1))
    return Finding(
        bool(p_value >= 0.01),
        f"chi-square {statistic:.1f} on {len(counts) - 1} degrees of freedom, p = {p_value:.2f}",
        "The increments, tested against their own mean; the last row tests the mean itself.",
    )


def no_losses(player: str, opponent: str) -> Finding:
    """Whether the column of losses can hold nothing but zeros."""
    exact = chance(player, opponent)
    return Finding(exact.loss == 0, f"chance of a loss {exact.loss}", "Exact, so in every row.")


def no_wins(player: str, opponent: str) -> Finding:
    """Whether the column of wins can hold nothing but zeros."""
    exact = chance(player, opponent)
    return Finding(exact.win == 0, f"chance of a win {exact.win}", "Exact, so in every row.")


def rest_drawn(won: str, drawn: str) -> Finding:
    """Whether wins and draws of every printed row add up to the games played."""
    sums = [sum(pair) for pair in zip(*(map(int, r.split()) for r in (won, drawn)), strict=True)]
    holds = sums == [BLOCK * (row + 1) for row in range(len(sums))]
    return Finding(holds, "games less wins in each row" if holds else f"sums {sums}",
                   "Without losses this column holds no further information.")  # fmt: skip


def never_loses() -> Finding:
    """Whether some opponent can beat a network of seeds 0 to 19."""
    found = [verdict(analysis.tree3(), table) for table in tables()]
    good = sum(verdict.never_loses for verdict in found)
    return Finding(
        good == len(found),
        f"true of {good} of {len(found)} seeds against every opponent, on both sides",
        f"By enumeration; all {len(steady_from())} stored seeds keep to it from epoch "
        f"{steady_from().max()} on.",
    )


def perfect_player() -> Finding:
    """Whether one ply suffices never to give value away in its own games."""
    tree = analysis.tree3()
    wrong = [misplayed(tree, table) for table in tables()]
    seen = [reachable(tree, t, 1) | reachable(tree, t, -1) for t in tables()]
    on_path = sum(int(paths[rows].sum()) for paths, rows in zip(seen, wrong, strict=True))
    sizes = [len(rows) for rows in wrong]
    return Finding(
        on_path == 0,
        f"no value given away in any position of its own games, seeds 0 to {len(sizes) - 1}",
        f"Set down elsewhere, it misplays {min(sizes)} to {max(sizes)} of the "
        f"{(~tree.finished).sum()} positions: perfect where it goes, not everywhere.",
    )


def beats_inferior() -> Finding:
    """Whether it wins games against Random and the three-ply player."""
    shares = {name: float(chance("network", name).win) for name in ("random", "ply 3")}
    text = ", ".join(f"{share:.3f} against {name}" for name, share in shares.items())
    return Finding(
        min(shares.values()) > 0, f"chance of a win: {text}", "Exact, sides alternating."
    )


def beats_random_more() -> Finding:
    """Whether it wins more often against Random than the perfect player does."""
    ours, perfect = (chance(name, "random").win for name in ("network", "perfect"))
    return Finding(
        ours > perfect,
        f"{float(ours):.4f} against {float(perfect):.4f}, exactly {ours} and {perfect}",
        "Exact, sides alternating; all seeds alike.",
    )


def takes_centre() -> Finding:
    """Whether it takes the centre whenever its first move can."""
    tree = analysis.tree3()
    states = [0, *(int(c) for c in tree.children[0] if tree.boards[c, 4] == 0)]
    kept = sum(bool((t[s] > 0)[4] and t[s].sum() == 1) for t in tables() for s in states)
    total = len(states) * len(tables())
    return Finding(kept == total, f"in {kept} of {total} first moves where it is free",
                   "As X, and as O after each of eight openings, seeds 0 to 19.")  # fmt: skip


def openings_drawn() -> Finding:
    """Whether every first move keeps the draw, so that the perfect player picks any."""
    tree = analysis.tree3()
    kept = int((tree.value[tree.children[0]] == 0).sum())
    alike = np.unique(analysis.opponent("perfect")[0])
    return Finding(
        kept == 9 and len(alike) == 1,
        f"{kept} of 9 first moves are draws",
        "By minimax; its weights on the nine moves are equal.",
    )


def most_losing_replies() -> Finding:
    """Whether its moves maximise the opponent's losing replies."""
    found = [analysis.traps(table, side) for table in tables()[:1] for side in (1, -1)]
    text = "; ".join(
        f"as {name} in {t.most} of {t.choices} choices ({t.by_chance:.1f} by chance)"
        for name, t in zip("XO", found, strict=True)
    )
    return Finding(
        all(t.most == t.choices for t in found),
        text,
        "Drawn positions of its own games in which safe moves differ by the replies that lose; "
        "seed 0.",
    )


def share_of_gain(side: int, plies: int) -> Fraction:
    """Share of the gain over the perfect player that the first plies of one side explain."""
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    steps = analysis.ladder(network, perfect, side)
    total = sum(
        (ends[-1] - ends[0]) for ends in (analysis.ladder(network, perfect, s) for s in (1, -1))
    )
    return (steps[plies] - steps[0]) / total


def because_of_opening() -> Finding:
    """Whether X's first move explains most of the gain over the perfect player."""
    opening, reply = share_of_gain(1, 1), share_of_gain(-1, 2)
    openings = analysis.wins_by_opening(analysis.network_table(0))
    return Finding(
        opening > Fraction(1, 2),
        f"X's first move brings {float(opening):.0%} of the gain, "
        f"O's first reply {float(reply):.0%}",
        "The centre matters, but as O's answer to an opening on an edge. As X's own opening it is "
        f"worth {openings[4]} against Random, less than a corner with {openings[0]}.",
    )

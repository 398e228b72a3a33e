"""Our side of the ledger of document 3: exact chances, enumerations and spreads over seeds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from ttt_lib.evidence.answers import Distribution, Finding, Runs, Setting, Value, agreed
from ttt_lib.evidence.claims import declared
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.exact import Outcome, misplayed, table_of_values
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import winning_cells
from ttt_lib.game.response import reachable, soundness, worst_result
from ttt_lib.ntuple import analysis, move_order, training
from ttt_lib.ntuple.network import Network, Patterns, squash
from ttt_lib.ntuple.optimum import design_matrix
from ttt_lib.ntuple.players import table_of, trained
from ttt_lib.ntuple.training import EPOCHS, RATE, train

SEEDS = range(20)
"""Seeds of the networks whose play is enumerated."""

THREE_X = 13
"""XXX as a number in base 3."""

BLOCK = 100
"""Games between two printed rows of the document's match tables."""

GAMES = 1000
"""Games of each match, half of them on either side."""

LAST_TABLES = (("network", "ply 3"), ("network", "perfect"))
"""Matches whose losses one revision of the document's program would have printed as draws."""


# ------------------------------------------------------------------ definition


def positions() -> Value:
    """Number of reachable 3x3 positions."""
    text = "Every state that play can reach was listed. It is printed twice, and both prints agree."
    return Value(len(analysis.tree3()), text)


def windows(edge: int, size: int) -> Value:
    """How many squares of ``size`` cells per side a square board holds."""
    board = np.arange(edge**2).reshape(edge, edge)
    found = np.lib.stride_tricks.sliding_window_view(board, (size, size))
    squares = {tuple(square.ravel()) for row in found for square in row}
    return Value(len(squares), "All squares of neighbouring cells were listed.")


def fillings(cells: int) -> Value:
    """States of a group of cells."""
    return Value(len(list(product("xo.", repeat=cells))), "All were listed, three states per cell.")


def lines() -> Value:
    """Lines of the 3x3 board by direction: across, down, diagonal, anti-diagonal."""
    steps = np.diff(Grid(3).lines, axis=1)[:, 0]
    counts = [int((steps == step).sum()) for step in (1, 3, 4, 2)]
    return Value(" ".join(map(str, counts)), "Every line of the board was listed.")


def table_shape() -> Setting:
    """Tables, and entries per table, of the network as built, and whether the side doubles them."""
    built, instead = (
        f"{len(of.tuples)} {of.sizes[0]}"
        for of in (Patterns(Grid(3)), Patterns(Grid(3), side=False))
    )
    text = f"counted in the network as built; without the side to move, it has {instead}"
    return Setting(built, built != instead, text)


def coding_read() -> Setting:
    """The digits of an empty cell, X and O in our tables, and whether a network depends on them."""
    grid, boards = Grid(3), analysis.tree3().boards
    lone = np.outer([0, 1, -1], np.arange(grid.cells) == 0).astype(np.int8)
    digits = Patterns(grid, ((0,),), side=False).entry_of(0, lone)
    network, exchanged = trained(grid, SEEDS[0]), np.array([0, 2, 1])[np.indices((3, 3, 3))]
    read_so = np.ravel_multi_index(tuple(exchanged), (3, 3, 3)).ravel()
    tables = network.weights[:-1].reshape(-1, len(read_so))[:, read_so]
    other = Network(network.patterns, np.append(tables, network.weights[-1]))
    changed = int((~np.isclose(other.predict(boards), network.predict(boards))).sum())
    return Setting(
        " ".join(map(str, digits)),
        changed > 0,
        f"read with 2 for X and 1 for O, the tables of seed {SEEDS[0]} give {changed} of "
        f"{len(boards)} positions another value",
        "The digits only name the entries, so training itself is the same with any three.",
    )


def side_read() -> Setting:
    """What the side to move adds to an index, and whether the training is another without it."""
    grid, patterns = Grid(3), Patterns(Grid(3))
    stones = np.eye(grid.cells, dtype=np.int8)  # one of X, so that O is to move
    added = {
        int(patterns.entry_of(t, stones[[cell]])[0] - patterns.entry_of(t, grid.initial())[0])
        for t, cells in enumerate(patterns.tuples)
        for cell in set(range(grid.cells)) - set(cells)
    }
    kept, without = (
        float(train(one, rng=SEEDS[0], epochs=1).errors[0])
        for one in (patterns, Patterns(grid, side=False))
    )
    return Setting(
        " ".join(map(str, sorted(added))),
        kept != without,
        f"if nothing is added, the first epoch leaves an error of {without:.3f}, not {kept:.3f} "
        f"(seed {SEEDS[0]})",
    )


def activation_read() -> Setting:
    """Which function our training applies to the sum, and whether it learns otherwise without."""
    ours = train(rng=SEEDS[0], epochs=1).network.weights
    by_tanh = _first_epoch(np.tanh, lambda value: 1 - value**2)
    bare = _first_epoch(lambda total: total, lambda total: 1.0)
    return Setting(
        "tanh" if np.allclose(ours, by_tanh) else "another",
        not np.allclose(ours, bare),
        "with the sum itself instead, the first epoch leaves weights that differ by up to "
        f"{np.abs(ours - bare).max():.2f} (seed {SEEDS[0]})",
        "The epoch was computed again, position by position, with tanh and without.",
    )


def _first_epoch(activation: Callable[[float], float], slope: Callable[[float], float]) -> Floats:
    """The weights after one pass over the positions, by the document's update, shape (P + 1,)."""
    features, targets = training.positions(Patterns(Grid(3)))
    weights = np.zeros(int(features.max()) + 1)
    for position in np.random.default_rng(SEEDS[0]).permutation(len(targets)):
        picked = features[position]
        value = activation(float(weights[picked].sum()))
        weights[picked] += RATE * (targets[position] - value) * slope(value)
    return weights


def values_known() -> Finding:
    """Whether every position has a value, and one that follows from those of its moves."""
    tree = analysis.tree3()
    after = np.where(tree.children >= 0, tree.value[tree.children], 0)
    to_x = np.where(tree.children >= 0, after, -2).max(axis=1)
    to_o = np.where(tree.children >= 0, after, 2).min(axis=1)
    follows = np.where(tree.finished, tree.winner, np.where(tree.ply % 2 == 0, to_x, to_o))
    known = int((tree.value == follows).sum())
    won, drawn, lost = (int((tree.value == value).sum()) for value in (1, 0, -1))
    return Finding(
        known == len(tree),
        f"{known} of {len(tree)} reachable positions have a value that follows from their moves: "
        f"X wins {won}, draws {drawn} and loses {lost}",
        f"Worked back from the {tree.finished.sum()} finished positions, each the best of its "
        "moves for the side to move; the value of the empty board is that of the game.",
    )


def two_is_good() -> Finding:
    """Whether two X and a gap on a line are good for X: by results, and beside having none."""
    tree = analysis.tree3()
    gaps = winning_cells(tree.grid, tree.boards, np.ones(len(tree), dtype=np.int64)).any(axis=1)
    shown, others = gaps & ~tree.finished, ~gaps & ~tree.finished
    sides = [tree.ply % 2 == 0, tree.ply % 2 == 1]
    means = [
        [float(tree.value[of & on].mean()) for of in (shown, others)]
        for on in (tree.ply >= 0, *sides, *(tree.ply == ply for ply in np.unique(tree.ply[shown])))
    ]
    both, x, o = (f"{with_it:.2f} against {without:.2f}" for with_it, without in means[:3])
    better = [with_it > without for with_it, without in means]
    won, lost = (tree.value[shown] == 1).sum(), (tree.value[shown] == -1).sum()
    by_o = tree.value[shown & sides[1]]
    return Finding(
        agreed({bool(won > lost), *better[:3]}),
        f"X wins {won} and loses {lost} of the {shown.sum()} unfinished positions that show two "
        "X's and a gap (best play)",
        "*Advantageous* is read as more wins than losses under perfect play, whoever is to move, "
        "as the sentence leaves this open, and as a higher mean value than without it: "
        f"{both}, with X to move {x}, with O to move {o}. With O to move alone X wins "
        f"{(by_o == 1).sum()} and loses {(by_o == -1).sum()} of {len(by_o)}; on this the next "
        f"sentences turn. By the number of stones the mean is higher in {sum(better[3:])} of "
        f"{len(better[3:])} cases. *Quite* is not judged.",
    )


def two_in_a_row(side: int) -> Finding:
    """What two X and a gap on a line mean, with X (+1) or O (-1) to move."""
    tree = analysis.tree3()
    gaps, own = (winning_cells(tree.grid, tree.boards, np.full(len(tree), s)) for s in (1, -1))
    threat = gaps.any(axis=1) & ~tree.finished & (tree.grid.to_move(tree.boards) == side)
    if side == 1:
        won = int((tree.value[threat] == 1).sum())
        return Finding(
            won == threat.sum(),
            f"with X to move, X wins {won} of {threat.sum()} such positions",
            "Every reachable position with such a line was looked up.",
        )
    forced = threat & ~own.any(axis=1)
    lost, spared = tree.value[tree.children] == 1, threat & ~forced
    must = (lost | gaps | ~tree.legal)[forced].all(axis=1)
    return Finding(
        bool(must.all() and (tree.value[spared] == -1).all()),
        "with O to move, every move but the block loses in "
        f"{must.sum()} of {forced.sum()} such positions without O O _",
        "Every reachable position with such a line was looked up. In "
        f"{(tree.value[forced] == 1).sum()} of these positions X wins whatever O does. Of the "
        f"{spared.sum()} others, which have O O _, too, O wins {(tree.value[spared] == -1).sum()}.",
    )


def side_to_move() -> Finding:
    """Whether values are learned less accurately without the side to move, by any seed."""
    table = variants()
    without, with_it = table.loc["no side to move"], table.loc["document"]
    worse = without.error_least > with_it.error_most
    better = without.error_most < with_it.error_least
    spared = (
        " Yet trained for the order of moves in the positions that the player meets, tables "
        "without it never lose (notebook 03)."
    )
    return Finding(
        True if worse else False if better else None,
        f"without it the error is {without.error_least:.4f} to {without.error_most:.4f} over "
        f"{without.seeds} seeds, with it {with_it.error_least:.4f} to {with_it.error_most:.4f}",
        "Tic-tac-toe only: of the other games nothing was tried, and *very crucial* is not judged. "
        "The same training with 27 instead of 54 entries per table. In play, "
        f"{without.seeds - without.never_loses} of {without.seeds} such tables can lose, and "
        f"{with_it.seeds - with_it.never_loses} of {with_it.seeds} with it."
        + spared
        * blind_tables_never_lose(),
        tested=True,
    )


@cache
def blind_tables_never_lose() -> bool:
    """Whether weights without the side to move, chosen for the order of moves, never lose."""
    tree, patterns = analysis.tree3(), Patterns(Grid(3), side=False)
    player = move_order.as_network(patterns, move_order.safe_order(patterns))
    return soundness(tree, table_of(player, tree)).never_loses


def two_networks() -> Finding:
    """Whether doubled tables are as good as one network per side."""
    matrix = design_matrix(Patterns(Grid(3)))
    moves_x = (analysis.tree3().ply % 2 == 0).astype(float)
    ranks = [rank(m) for m in (matrix, np.column_stack([matrix, moves_x]))]
    return Finding(
        ranks[0] == ranks[1],
        f"rank {ranks[0]} with one network, {ranks[1]} with two"
        if ranks[0] != ranks[1]
        else f"rank {ranks[0]} either way",
        "A second bias, all that two networks would add, is a sum of entries that are there.",
    )


def rank(matrix: NDArray[np.float64]) -> int:
    """Rank of a matrix of small integers (via its Gram matrix, which is smaller)."""
    return int(np.linalg.matrix_rank(matrix.T @ matrix, hermitian=True))


NEAR_ONE, SURELY = 0.9, (0.95, 0.99)
"""An output near one end of the range, and limits of the share that must be what the end means."""


def ends_of_range() -> Finding:
    """Whether -1 is the code of a loss and +1 that of a win, and what outputs near them mean.

    Where these readings, or the limits of the second, disagree, it is not testable.
    """
    tree, targets = analysis.tree3(), training.positions(Patterns(Grid(3))).targets
    codes = all(set(targets[tree.value == side]) == {side} for side in (-1, 1))
    outputs = [trained(Grid(3), seed).predict(tree.boards) for seed in SEEDS]
    lost, won = (
        [tree.value[side * output > NEAR_ONE] * side for output in outputs] for side in (-1, 1)
    )
    shares = [[float((ends == 1).mean()) for ends in of] for of in (lost, won)]
    worst = np.min(shares, axis=0)  # of each seed; no share of none
    meant = [int((worst > limit).sum()) for limit in SURELY]
    (some, least), (most, nearly_all) = zip(meant, SURELY, strict=True)
    drawn = all((ends >= 0).all() for ends in (*lost, *won))
    return Finding(
        agreed({codes, *(many == len(worst) for many in meant)}),
        f"{spread(shares[0], '.1%')} of outputs below -{NEAR_ONE} are losses, "
        f"{spread(shares[1], '.1%')} of those above {NEAR_ONE} are wins",
        f"If -1 and +1 are the codes of loss and win, it "
        f"{'holds by the way the network is trained' if codes else 'fails'}. If outputs near them "
        f"are to be losses and wins, the limit is ours: at either end more than {least:.0%} are so "
        f"for {some} of {len(worst)} seeds, and more than {nearly_all:.0%} for {most} of "
        f"{len(worst)}. The others there are {'' if drawn else 'not all '}draws. (All "
        f"positions, under perfect play; seeds {SEEDS[0]} to {SEEDS[-1]}.)",
    )


def minus_for_o() -> Setting:
    """Whether it matters to our player as O that it takes the minus of the network's output."""
    turned, plain = _worst_by_sign(-1)
    return Setting(
        "minus",
        turned != plain,
        f"as O {sum(worst < 0 for worst in turned)} of {len(turned)} seeds can lose with it, "
        f"{sum(worst < 0 for worst in plain)} without",
        ENUMERATED,
    )


ENUMERATED = "Every opponent was enumerated; finished games count with their result either way."


def _worst_by_sign(side: int) -> tuple[list[int], list[int]]:
    """The worst result as X (1) or O (-1), seed by seed: as we play, and with the other sign."""
    tree, ours, turned = analysis.tree3(), [], []
    left = ~tree.finished & (tree.ply % 2 == (side == 1))  # boards that this side has just left
    for seed, table in zip(SEEDS, tables(), strict=True):
        output = trained(Grid(3), seed).predict(tree.boards)
        wrong = table_of_values(tree, np.where(left, -output, output))
        ours.append(worst_result(tree, table, side))
        turned.append(worst_result(tree, wrong, side))
    return ours, turned


def perspective_read() -> Setting:
    """What a win of X and one of O are taught as, and whether it matters that X reads it so."""
    tree, targets = analysis.tree3(), training.positions(Patterns(Grid(3))).targets
    taught = [np.unique(targets[tree.winner == side]) for side in (1, -1)]
    ours, turned = _worst_by_sign(1)
    return Setting(
        " ".join(f"{value:g}" for value in np.concatenate(taught)),
        ours != turned,
        f"as X {sum(worst < 0 for worst in ours)} of {len(ours)} seeds can lose; if it read "
        f"the output as for O, {sum(worst < 0 for worst in turned)} could",
        f"As O it takes the minus (`ntuple-minus`). {ENUMERATED}",
    )


def winning_chance() -> Finding:
    """Whether (output + 1) / 2 is a probability of winning, with draws as half wins and without.

    The document doesn't say which it means: where the two readings disagree, it is not testable.
    """
    tree = analysis.tree3()
    reads = [(trained(Grid(3), seed).predict(tree.boards) + 1) / 2 for seed in SEEDS]
    truths = ((tree.value + 1) / 2, tree.value == 1)
    points, wins = ([off_by(read, truth) for read in reads] for truth in truths)
    single = [float(np.abs(read - truths[0]).max()) for read in reads]
    holds = {max(points) < NEAR, max(wins) < NEAR}
    drawn = tree.value == 0
    read = float(np.mean([read[drawn] for read in reads]))
    return Finding(
        agreed(holds),
        f"in the worst of {BINS} bins of readings the mean is off by {spread(points, '.3f')} "
        f"as expected points, a draw counted as half, and by {spread(wins)} as the chance of a win "
        f"alone: the {drawn.sum()} drawn positions, which nobody wins, read {read:.2f} on average",
        f"Seeds {SEEDS[0]} to {SEEDS[-1]}, all positions under perfect play, in {BINS} bins by "
        f"what they read: a reading holds if the mean in every bin is off by less than {NEAR}; "
        f"with {1 / BINS}, the width of a bin, {sum(gap >= 1 / BINS for gap in points)} of "
        f"{len(points)} seeds fail as expected points, too. Single positions are off by up to "
        f"{spread(single)} as expected points. The document doesn't say whether a draw counts as "
        "half a win, as in a win rate, or not.",
    )


BINS = 10
"""Equal parts of the range from 0 to 1, by which a chance is compared with what comes of it."""

NEAR = 0.2
"""How far off a chance may be in a bin, on average over its positions: two bins."""


def off_by(read: Floats, truth: NDArray[Any]) -> float:
    """The largest difference between the mean reading and the mean truth in a bin of readings."""
    bins = np.minimum((read * BINS).astype(np.int64), BINS - 1)
    counts, gaps = np.bincount(bins), np.bincount(bins, read - truth)
    return float(np.abs(gaps[counts > 0] / counts[counts > 0]).max())


def spread(values: list[float], form: str = ".2f") -> str:
    """The least and the largest of several values, or the only one."""
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least} to {most}"


def full_lines() -> Finding:
    """Whether every position with XXX has value 1."""
    tree = analysis.tree3()
    full = tree.winner == 1
    ones = int((tree.value[full] == 1).sum())
    return Finding(
        ones == full.sum(),
        f"{ones} of {full.sum()} positions with XXX have value 1",
        "Every reachable position with such a line was looked up.",
    )


def derivative() -> Finding:
    """Whether 1 - y^2 is the slope of the activation that our training uses, y = tanh(x)."""
    points, step = np.linspace(-3, 3, 61), 1e-5
    y, low, high = (
        np.array([squash(float(x)) for x in points + shift]) for shift in (0, -step, step)
    )
    gap = float(np.abs((high - low) / (2 * step) - (1 - y**2)).max())
    return Finding(
        gap < 1e-8,
        f"difference quotients of tanh at {len(points)} points from {points[0]:g} to "
        f"{points[-1]:g} differ from it by at most {gap:.0e}",
        "By the quotient rule: tanh is sinh/cosh, and cosh^2 - sinh^2 = 1.",
    )


def complete_lines() -> Finding:
    """Whether XXX has one of the largest weights of most tables (*likely*)."""
    places = [
        1 + int((network.table(t) > network.table(t)[1, THREE_X]).sum())
        for network in (trained(Grid(3), seed) for seed in SEEDS)
        for t in range(8)
    ]
    among = sum(place <= 3 for place in places)
    return Finding(
        among > len(places) / 2,
        f"the largest of 54 entries in {places.count(1)} of {len(places)} tables, "
        f"place {max(places)} at worst",
        "'Relatively big' read as among the three largest, as in "
        f"{among} of them, and *likely* as in most; seeds 0 to 19. Only O to move sees XXX. These "
        "are the weights that training from zeros finds; other weights give every position the "
        "same value (notebook 03).",
    )


# ------------------------------------------------------------------ training


@cache
def epochs() -> pd.DataFrame:
    """The stored error and verdict after each epoch, seeds 0 to 99."""
    return read_table("ntuple_epochs.csv")


@cache
def variants() -> pd.DataFrame:
    """Variants of the tables, by name: over the stored trainings, and at the least error found."""
    starts = read_table("ntuple_starts.csv")
    runs = starts[starts["start"].str.startswith("trained")].groupby("variant", sort=False)
    least = starts.sort_values("error", kind="stable").groupby("variant").first()
    return runs.agg(
        parameters=("parameters", "first"),
        error=("error_start", "mean"),
        error_least=("error_start", "min"),
        error_most=("error_start", "max"),
        never_loses=("never_loses_start", "sum"),
        seeds=("start", "count"),
        misplayed=("misplayed_start", "mean"),
    ).join(least[["error", "never_loses", "misplayed"]].add_prefix("optimum_"))


def curve() -> Runs:
    """The errors at the printed epochs of every training, to be judged as one curve."""
    table = read_table("ntuple_curves.csv").drop(columns="seed")
    fixed = read_table("ntuple_orders.csv").query("epoch == 5")
    below = [int((table["epoch_5"] < error).sum()) for error in fixed.error]
    regular, drawn = (
        [count for count, of in zip(below, fixed.kind, strict=True) if of == kind]
        for kind in ("regular", "random")
    )
    return Runs(
        table.to_numpy().tolist(),
        ["linear"] * table.shape[1],
        [(0.0, 1.0)] * table.shape[1],
        reason=f"Beside {len(table)} seeds (the interval: 95% of them), shuffled as the program "
        "does; the pseudocode does not. If the order never changes, the error after 5 epochs is "
        f"larger than that of at least {min(regular)} seeds in each of {len(regular)} regular "
        f"orders tried, and in {sum(count >= min(regular) for count in drawn)} of {len(drawn)} "
        "random ones.",
    )


def decreasing() -> Finding:
    """Whether the error of the listing, which never shuffles, falls from each pass to the next.

    Beside it, whether that of the program, which does, ends lower and how often it rises.
    """
    kept = read_table("ntuple_orders.csv").pivot(
        index=["kind", "order"], columns="epoch", values="error"
    )
    falling = int((np.diff(kept) < 0).all(axis=1).sum())
    kinds = kept.index.get_level_values("kind").value_counts()
    seeds = read_table("ntuple_curves.csv").drop(columns="seed").to_numpy()
    lower = int((seeds[:, -1] < seeds[:, 0]).sum())
    rises = int((np.diff(seeds) > 0).any(axis=1).sum())
    printed = np.diff(np.array(str(declared("ntuple-mse").published).split(), dtype=float))
    so_it_does = ", and so it does in the published run" * bool((printed > 0).any())
    return Finding(
        falling == len(kept),
        f"in {falling} of {len(kept)} orders that never change, as in the pseudocode, it falls "
        f"from each of the {kept.shape[1]} passes to the next",
        f"{kinds['regular']} regular orders and {kinds['random']} random ones. The program "
        f"shuffles: there the error ends below its first printed value for {lower} of "
        f"{len(seeds)} seeds, but between printed epochs it rises at least once for {rises} of "
        f"them{so_it_does}.",
    )


def rate_read() -> Setting:
    """Whether the learning rate changes the training."""
    rates = (RATE, 2 * RATE)
    found = [float(train(rng=SEEDS[0], epochs=1, rate=rate).errors[0]) for rate in rates]
    text = (
        f"with twice the rate the first epoch leaves an error of {found[1]:.3f}, "
        f"not {found[0]:.3f} (seed {SEEDS[0]})"
    )
    return Setting(RATE, found[0] != found[1], text)


def epochs_read() -> Setting:
    """Whether the number of epochs changes the training."""
    whole, half = (
        float(train(rng=SEEDS[0], epochs=epochs).errors[-1]) for epochs in (EPOCHS, EPOCHS // 2)
    )
    text = f"after half of them the error is {half:.4f} instead of {whole:.4f} (seed {SEEDS[0]})"
    return Setting(EPOCHS, whole != half, text)


def steady_from() -> pd.Series:
    """For every seed, the first epoch from which on the network never loses, up to the last one."""
    table = epochs()
    loses = table[(table.worst_x < 0) | (table.worst_o < 0)]
    return (loses.groupby("seed").epoch.max() + 1).reindex(table.seed.unique(), fill_value=1)


def settings_work() -> Finding:
    """Whether rate 0.01 and 100 epochs suffice."""
    start, last = steady_from(), int(epochs().epoch.max())
    good = int((start <= last).sum())
    wrong, tree = epochs().query("epoch == @last").misplayed, analysis.tree3()
    return Finding(
        good == len(start),
        f"{good} of {len(start)} seeds never lose after {last} epochs; "
        f"all of them from epoch {start.max()} on",
        "*Work* is read as what the document trains for: a bot that can't lose with a search of "
        "one move. All replies of every opponent were tried after every epoch. (Of all "
        f"{(~tree.finished).sum()} positions, most of which its own games do not reach, it still "
        f"misplays {wrong.min()} to {wrong.max()}.)",
    )


def two_ways_to_train() -> Finding:
    """Whether temporal differences and labels both make networks that nobody beats (*could be*).

    With a table for every line, after the last games or epoch that are stored.
    """
    rows = read_table("ntuple_self_play.csv").query("sharing == 'none'")
    last = rows[rows["games"] == rows["games"].max()]
    safe = last.groupby("way", sort=False)["never_loses"].sum()
    start, passes = steady_from(), int(epochs()["epoch"].max())
    taught = int((start <= passes).sum())
    told = "; ".join(f"{way} {count}" for way, count in safe.items())
    return Finding(
        True if safe.sum() and taught else None,
        f"nobody can beat {safe.sum()} of {len(last)} networks after {last['games'].max():,} games "
        f"of TD(0) against themselves, and {taught} of {len(start)} after {passes} epochs of "
        "labels",
        "*Could be* is read as that one network at least of each kind can't be beaten; every "
        f"opponent was enumerated. Of {last['seed'].nunique()} seeds each, by step size and "
        f"weights: {told}. Of reinforcement learning only TD(0) was tried.",
        tested=True,
    )


# ------------------------------------------------------------------ play


@cache
@read_only
def tables() -> list[Ints]:
    """How the networks of seeds 0 to 19 play."""
    return [analysis.network_table(seed) for seed in SEEDS]


@cache
def sides(player: str, opponent: str) -> analysis.Match:
    """Exact chances on either side; for ``network`` they must agree across all seeds.

    Raises
    ------
    ValueError
        If networks of different seeds differ.
    """
    other = analysis.opponent(opponent)
    own = tables() if player == "network" else [analysis.opponent(player)]
    found = {analysis.play(table, other) for table in own}
    if len(found) > 1:
        raise ValueError(f"networks of different seeds differ against {opponent}")
    return found.pop()


def chance(player: str, opponent: str) -> Outcome:
    """Exact chances with alternating sides (see :func:`sides` for what it raises)."""
    return sides(player, opponent).both


def distribution_of_wins(player: str, opponent: str, each: int) -> Floats:
    """The exact distribution of the number of wins in a match with alternating sides.

    It is the sum of two binomials, one for each side, and so a little narrower than the binomial
    of the mean chance.

    Parameters
    ----------
    each : int
        Games on either side.

    Returns
    -------
    ndarray of float, shape (2 * each + 1,)
        Chances of no win, one win, and so on.
    """
    match = sides(player, opponent)
    counts = np.arange(each + 1)
    first, second = (binom.pmf(counts, each, float(s.win)) for s in (match.first, match.second))
    return np.asarray(np.convolve(first, second), dtype=np.float64)


def match(player: str, opponent: str, rows: str = "") -> Distribution:
    """The exact distribution of the wins in the last row of a match table.

    Parameters
    ----------
    rows : str
        The table as printed: wins, losses and draws, row after row.

    Raises
    ------
    ValueError
        If the rows can't be running totals of one match, or if a loss is possible, so that the
        wins alone do not tell the match.
    """
    on = sides(player, opponent)
    if on.both.loss:
        raise ValueError(f"{player} can lose to {opponent}, so wins alone tell too little")
    exact = f"{float(on.both.win):.4f} wins per game, no loss, and the rest draws"
    seeds = f" The same for every seed {SEEDS[0]} to {SEEDS[-1]}." if player == "network" else ""
    x, o = (GAMES * float(side.win) for side in (on.first, on.second))
    two = (
        " The number of wins is the sum of two binomial counts, one for each side; of "
        f"{GAMES} games as X {x:.1f} wins would be expected, as O {o:.1f}."
    )
    return Distribution(
        range(GAMES + 1),
        distribution_of_wins(player, opponent, GAMES // 2).tolist(),
        f"Exact, sides alternating as in its program: {exact}.{seeds}"
        + two * (on.first != on.second)
        + (counted(rows, on.both) if rows else "")
        + FAULTY * ((player, opponent) in LAST_TABLES),
    )


FAULTY = (
    " One revision of its program (commit 24adbb7) would have printed a loss here as a draw, and "
    "we can't tell which one printed the list."
)


def counted(rows: str, exact: Outcome) -> str:
    """What to say about the rows of a match table, which are running totals of one match.

    Raises
    ------
    ValueError
        If a row doesn't add ``BLOCK`` games, or adds a result that can't happen.
    """
    table = np.array(rows.split(), dtype=int).reshape(-1, 3)
    blocks = np.diff(table, axis=0, prepend=0)
    impossible = [exact.win == 0, exact.loss == 0, exact.draw == 0]
    for row, block in enumerate(blocks, start=1):
        if block.sum() != BLOCK or block.min() < 0 or block[impossible].any():
            raise ValueError(f"row {row} of the table adds {block.tolist()}")
    return (
        f" The printed table counts this one match in {len(blocks)} rows, which add up; the last "
        "is tested."
    )


def never_loses() -> Finding:
    """Whether the perfect player can beat a network of seeds 0 to 19, and whether anybody can."""
    perfect = analysis.opponent("perfect")
    held = [analysis.play(table, perfect).both.loss == 0 for table in tables()]
    beaten = sum(not soundness(analysis.tree3(), table).never_loses for table in tables())
    nobody = "Nor against anybody, on either side"
    somebody = f"But somebody can beat {beaten} of them"
    return Finding(
        all(held),
        f"its chance of losing is 0, on either side, for {sum(held)} of {len(held)} seeds",
        f"{somebody if beaten else nobody}: every opponent was enumerated; all "
        f"{len(steady_from())} stored seeds keep to it from epoch {steady_from().max()} on.",
    )


def perfect_player() -> Finding:
    """Whether training makes one ply suffice to never lose value in its own games.

    By one sentence it can, by the other it does: with one seed at least, and with all.
    """
    tree = analysis.tree3()
    wrong = [misplayed(tree, table) for table in tables()]
    seen = [reachable(tree, t, 1) | reachable(tree, t, -1) for t in tables()]
    perfect = [not paths[rows].any() for paths, rows in zip(seen, wrong, strict=True)]
    sizes = [len(rows) for rows in wrong]
    return Finding(
        agreed({any(perfect), all(perfect)}),
        f"{sum(perfect)} of {len(perfect)} seeds give no value away in any position of their own "
        "games",
        "*Can* is read as with one seed at least, *is sufficient* as with all, and *perfect* as "
        "the document tests it, by its own games. Placed elsewhere, it misplays "
        f"{min(sizes)} to {max(sizes)} of the {(~tree.finished).sum()} positions: perfect where "
        "its games go, not everywhere.",
    )


def beats_inferior() -> Finding:
    """Whether it wins more games against Random and the three-ply player than it loses."""
    won, _, drew = declared("ntuple-network-ply3").quote.split()[-3:]
    as_x, as_o = (
        float(side.win)
        for side in (sides("network", "ply 3").first, sides("network", "ply 3").second)
    )
    found = {name: chance("network", name) for name in ("random", "ply 3")}
    text = ", ".join(f"{float(one.win):.3f} to {one.loss} against {n}" for n, one in found.items())
    return Finding(
        all(one.win > one.loss for one in found.values()),
        f"probabilities of win and loss: {text}",
        "Exact, sides alternating as in its program. *Wins* is read as more wins than losses, as "
        f"in its own table with {won} wins and {drew} draws: it wins {as_x:.1%} of its games "
        f"against ply 3 as X and {as_o:.1%} as O.",
    )


def beats_random_more() -> Finding:
    """Whether it wins more often against Random than the perfect player does."""
    ours, perfect = (chance(name, "random").win for name in ("network", "perfect"))
    return Finding(
        ours > perfect,
        f"{float(ours):.4f} against {float(perfect):.4f}, exactly {ours} and {perfect}",
        "Exact, sides alternating as in its program; all seeds alike.",
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
    """Whether every first move keeps the draw."""
    tree = analysis.tree3()
    kept = int((tree.value[tree.children[0]] == 0).sum())
    return Finding(
        kept == 9,
        f"{kept} of 9 first moves are draws",
        "By minimax. That it then picks one at random is what its program does (cpu.h, commit "
        "24adbb7: where no move wins, any of those with the best score, alike), and our perfect "
        "player, too.",
    )


def centre_maximises_replies() -> Finding:
    """Whether choosing the centre leaves the opponent the most losing replies, or chances to lose.

    The first are counted, the others are Random's, with the later moves of either player.
    """
    tree = analysis.tree3()
    replies = tree.children[tree.children[0]]
    losing = ((tree.value[replies] == 1) & (replies >= 0)).sum(axis=1)
    x, o = (analysis.traps(tables()[0], side) for side in (1, -1))
    wins = [analysis.wins_by_opening(t) for t in (tables()[0], analysis.opponent("perfect"))]
    network, perfect = (
        f"{float(after[4]):.3f} and a corner {float(after[0]):.3f}" for after in wins
    )
    to_edges = len(set(o.missed) & set(tree.children[0, 1::2].tolist()))
    opening = (
        "the exception is its opening"
        if list(x.missed) == [0]
        else (f"its opening is {'not ' * (0 in x.missed)}among them")
    )
    return Finding(
        agreed({bool(losing[4] == losing.max()), *(after[4] == max(after) for after in wins)}),
        f"after X's opening in the centre {losing[4]} of 8 replies lose, in a corner {losing[0]}",
        "By minimax. Where its safe moves differ in this, in drawn positions of its own games, "
        f"the network of seed 0 takes one that leaves the most as X in {x.most} of {x.choices} "
        f"cases ({x.by_chance:.1f} by chance; {opening}) and as O in "
        f"{o.most} of {o.choices} cases ({o.by_chance:.1f} by chance; {to_edges} of the others are "
        "replies to an opening on an edge). Counted as Random's chance of losing, the centre gives "
        f"{network} with the network's later moves, {perfect} with the perfect player's. "
        "(O's replies to an edge, where the two counts part: notebook 03.)",
    )


@cache
def gains() -> dict[int, Fraction]:
    """What each move of the network adds to the perfect player's wins against Random, by ply."""
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    return {
        ply: share / 2
        for side in (1, -1)
        for ply, share in analysis.shares_of_gain(network, perfect, side).items()
    }


LITTLE = Fraction(1, 10)
"""Less than this share of a chance is a slight difference."""


def opening_costs() -> Finding:
    """Whether Random fails less often if the perfect player does not always open in the centre."""
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    added = analysis.gains_by_order(network, perfect, 1)[0]
    fails = analysis.play(perfect, analysis.opponent("random")).first.win
    gain, by_ply = added[frozenset()], gains()
    lead = 2 * sum(by_ply.values())
    as_x = 2 * sum(share for ply, share in by_ply.items() if ply % 2 == 0)
    orders = [float(share / lead) for share in added.values()]
    return Finding(
        bool(0 < gain < LITTLE * (fails + gain)),
        f"as O Random fails in {float(fails):.4f} of the games instead of "
        f"{float(fails + gain):.4f} after the opening in the centre",
        "Perfect play after the opening. *Slightly* is read as by less than "
        f"{float(LITTLE):.0%} of itself. Of the network's whole lead the difference is "
        f"{float(gain / lead):.1%}, of its lead as X {float(gain / as_x):.1%}. If the network's "
        "moves as X take the place of the perfect player's one after another, what its opening "
        f"adds depends on the order: {min(orders):.1%} to {max(orders):.1%} of the whole lead, on "
        f"average over all orders (its Shapley value) {float(2 * by_ply[0] / lead):.1%}.",
    )


def because_of_centre() -> Finding:
    """Whether the first moves, which take the centre, explain most of the gain, in any order.

    The first moves are X's opening alone, or O's first reply, too.
    """
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    first = [
        list(analysis.gains_by_order(network, perfect, side)[ply].values())
        for side, ply in ((1, 0), (-1, 1))
    ]
    total = 2 * sum(gains().values())
    least, most = (float(sum(map(end, first)) / total) for end in (min, max))
    low, high = (float(end(first[0]) / total) for end in (min, max))
    opening, reply = (float(2 * gains()[ply] / total) for ply in (0, 1))
    return Finding(
        agreed({share > 0.5 for share in (least, most, low, high)}),
        f"its first moves bring {least:.0%} to {most:.0%} of the extra wins, X's opening alone "
        f"{low:.0%} to {high:.0%}",
        "It depends on the order in which its moves take the place of the perfect player's, and on "
        "what *always* covers: X's opening, of which the next sentences speak, or O's first reply, "
        "too, which after an opening on an edge the perfect player leaves to chance. On average "
        f"over all orders (Shapley values, seed 0) it is {opening + reply:.1%}: {opening:.1%} as X "
        f"and {reply:.1%} as O.",
    )

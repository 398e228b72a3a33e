"""Figures of notebook 03."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from ttt_lib.evidence.claims import declared, load
from ttt_lib.evidence.documents import published_elsewhere
from ttt_lib.evidence.figures import (
    BLUE,
    DARK,
    DRAW_COLOUR,
    GREEN,
    INK,
    ORANGE,
    PUBLISHED_COLOUR,
    WIDTH,
    Drawing,
    bare,
    true_minus,
)
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.ntuple import analysis, claims
from ttt_lib.ntuple.network import Network, Patterns
from ttt_lib.ntuple.optimum import plainest
from ttt_lib.ntuple.runs import PRINTED
from ttt_lib.ntuple.training import RATE, positions, sgd_epoch, train

STONES = LinearSegmentedColormap.from_list("stones", [O_COLOUR, "white", X_COLOUR])
"""Blue is good for X and orange for O, as their stones are."""

ORDERS = {"by ply": (":", DARK), "sorted": ("--", ORANGE), "depth-first": ("-.", GREEN)}


def _printed(name: str, errors: str) -> pd.Series[float]:
    """A published curve, every fifth epoch, as a column of that name."""
    values = list(map(float, errors.split()))
    return pd.Series(values, range(PRINTED, PRINTED * len(values) + 1, PRINTED), name=name)


def mse_curve() -> Drawing:
    """Both published error curves, the band of a hundred seeds, and three regular orders, kept."""
    errors = claims.epochs().pivot(index="epoch", columns="seed", values="error")
    data = errors.quantile([0.025, 0.5, 0.975], axis=1).T
    data.columns = pd.Index(["low", "median", "high"])
    fixed = read_table("ntuple_orders.csv").query("kind == 'regular'")
    fixed = fixed.pivot(index="epoch", columns="order", values="error")
    data = data.join(fixed).join(_printed("published", str(declared("ntuple-mse").published)))
    data = data.join(_printed("second", published_elsewhere(3)["errors"].iloc[0]))
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.1), width_ratios=(1, 1.25))
    _curves(left, data[data.index <= 30])
    relative = data.div(data["median"], axis=0).sub(1).mul(100)
    _curves(right, relative)
    left.set(
        ylabel="mean squared error",
        xlabel="epoch",
        title="The first thirty epochs",
        ylim=(0.06, 0.21),
    )
    right.set(
        ylabel="difference from the median, %", xlabel="epoch", title="All hundred, magnified",
        ylim=(-1, 4.2),
    )  # fmt: skip
    left.legend(fontsize=7.5, loc="upper right")
    return Drawing(figure, data.reset_index())


def _curves(axes: Axes, data: pd.DataFrame) -> None:
    axes.fill_between(data.index, data["low"], data["high"], color=BLUE, alpha=0.25, lw=0,
                      label="shuffled, 95 of 100 seeds")  # fmt: skip
    axes.plot(data.index, data["median"], color=BLUE, lw=1, label="shuffled, median")
    for name, (dashes, colour) in ORDERS.items():
        axes.plot(data.index, data[name], dashes, color=colour, lw=1.1, label=f"always {name}")
    dots: dict[str, Any] = {"marker": "o", "ls": "", "color": PUBLISHED_COLOUR}
    axes.plot(data.index, data["published"], ms=3, label="published", **dots)
    axes.plot(data.index, data["second"], ms=6, mfc="none", mew=0.8, label="second output",
              **dots)  # fmt: skip


def perfect_play() -> Drawing:
    """How many of a hundred seeds never lose, and how many states they misplay, by epoch."""
    table = claims.epochs()
    never = (table.worst_x >= 0) & (table.worst_o >= 0)
    groups = table.assign(never=never).groupby("epoch")
    data = groups.agg(
        never_lose=("never", "sum"),
        low=("misplayed", "min"),
        mean=("misplayed", "mean"),
        high=("misplayed", "max"),
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.7), width_ratios=(1, 1.4))
    first = data[data.index <= 10]
    left.bar(first.index, first.never_lose, color=BLUE, width=0.75)
    for epoch, count in first.never_lose[first.never_lose < 100].items():
        left.text(float(str(epoch)), count + 2, str(count), ha="center", fontsize=8)
    left.set(
        xlabel="epoch", ylabel="seeds that never lose, of 100", ylim=(0, 112), xticks=range(1, 11)
    )
    left.grid(axis="x", visible=False)
    right.fill_between(data.index, data.low, data.high, color=ORANGE, alpha=0.25, lw=0)
    right.plot(data.index, data["mean"], color=ORANGE)
    best = claims.variants().optimum_misplayed["document"]
    right.axhline(best, color="black", lw=0.9, ls="--")
    right.text(99, best - 8, f"{best} at the least error found", ha="right", va="top", fontsize=8)
    right.set(xlabel="epoch", ylabel="positions misplayed, of 4520", ylim=(0, None))
    return Drawing(figure, data.reset_index())


def match_tables() -> Drawing:
    """The three published final rows that are subject to chance, in their exact distributions."""
    matches = [claim for claim in load() if claim.ours.endswith("ntuple.claims:match")]
    rows = [claim for claim in matches if claim.args["opponent"] != "perfect"]
    figure, axes = plt.subplots(1, 3, figsize=(WIDTH, 2.5), sharey=True)
    tables, further = [], published_elsewhere(3).iloc[0]
    for panel, claim in zip(axes, rows, strict=True):
        player, other = claim.args["player"], claim.args["opponent"]
        games = claims.GAMES
        middle = round(games * claims.chance(player, other).win)
        wins = np.arange(middle - 48, middle + 49)
        mass = claims.distribution_of_wins(player, other, games // 2)[wins]
        panel.bar(wins, mass, width=1, color=BLUE, alpha=0.55, lw=0)
        count, second = (
            int(str(printed).split("-")[0])
            for printed in (claim.published, further[f"{player} v {other}"])
        )
        panel.plot([count, count], [0, 0.056], color=PUBLISHED_COLOUR)
        label = {"color": PUBLISHED_COLOUR, "ha": "center", "fontsize": 8}
        panel.text(count, 0.057, f"published {count}", **label)
        panel.plot([second, second], [0, 0.046], color=PUBLISHED_COLOUR, lw=0.9, ls="--")
        panel.set(title=f"{player} v {other}", xlabel=f"wins of {games}", ylim=(0, 0.062))
        panel.grid(axis="x", visible=False)
        tables.append(pd.DataFrame({"match": f"{player} v {other}", "wins": wins, "chance": mass}))
    axes[0].set_ylabel("probability")
    return Drawing(figure, pd.concat(tables, ignore_index=True))


def extra_wins() -> Drawing:
    """Winning chance against Random when network and perfect player share a game, by hand-over."""
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.9))
    rows = []
    for panel, (side, name) in zip(axes, ((1, "X"), (-1, "O")), strict=True):
        best = float(analysis.best_against_random(side, safe=True).win)
        for ending, colour, marker, label in (
            (False, BLUE, "o", "network opens, then perfect"),
            (True, ORANGE, "s", "perfect opens, then network"),
        ):
            ladder = [float(c) for c in analysis.ladder(network, perfect, side, ending=ending)]
            moves = [ladder[0], *ladder[1 if side == 1 else 2 :: 2]]
            panel.plot(range(len(moves)), moves, marker + "-", color=colour, ms=4, label=label)
            rows += [(name, label, k, chance) for k, chance in enumerate(moves)]
        panel.axhline(best, color="black", lw=0.9, ls="--")
        panel.annotate(
            "best possible without ever losing",
            (0, best),
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=7.5,
            va="bottom",
        )
        low = panel.get_ylim()[0]
        panel.set(xlabel="own moves before the hand-over", title=f"as {name}")
        panel.set_ylim(low, best + 0.12 * (best - low))
        rows.append((name, "best", -1, best))
    axes[0].set_ylabel("probability of beating Random")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return Drawing(figure, pd.DataFrame(rows, columns=["side", "line", "moves", "win"]))


MOMENTS = (1, 10, 100, 1000)
"""Positions of the first epoch after which a table is drawn; then whole epochs."""
LATER = (1, 10, 100)


def filling() -> Drawing:
    """One table during training: the diagonal's 54 weights, from one position to 100 epochs."""
    lines = Patterns(Grid(3))
    diagonal = 6
    data = positions(lines)
    order = np.random.default_rng(0).permutation(len(data.targets))
    shots = {}
    for count in MOMENTS:
        weights = np.zeros(lines.parameters + 1)
        sgd_epoch(data.features, data.targets, order[:count], weights, RATE)
        shots[f"{count} position{'s' if count > 1 else ''}"] = weights
    run = train(lines, rng=0)
    for epoch in LATER:
        shots[f"{epoch} epoch{'s' if epoch > 1 else ''}"] = run.history[epoch - 1]
    codes = sorted(range(27), key=_by_sum)
    patterns = [_word(c) for c in codes]
    tables = {name: Network(lines, weights).table(diagonal) for name, weights in shots.items()}
    figure, axes = plt.subplots(2, 1, figsize=(WIDTH, 4.0), sharex=True)
    rows = []
    for place, (panel, side) in enumerate(zip(axes, "XO", strict=True)):
        values = np.array([table[place][codes] for table in tables.values()])
        _filled(panel, values, list(tables), f"{side} to move")
        rows += [
            (side, when, pattern, weight)
            for when, line in zip(tables, values, strict=True)
            for pattern, weight in zip(patterns, line, strict=True)
        ]
    axes[1].set_xticks(range(27), patterns, rotation=90, family="monospace", fontsize=8)
    colours = axes[0].collections[0]
    bar = figure.colorbar(colours, ax=axes, aspect=40, pad=0.015, ticks=(-1, 0, 1), extend="both")
    bar.set_label("weight", fontsize=8)
    found = pd.DataFrame(rows, columns=["to_move", "after", "pattern", "weight"])
    return Drawing(figure, found.round(9))


def _filled(axes: Axes, values: Any, names: list[str], title: str) -> None:
    """Rows of weights on the colour scale of the stones; grey where a weight was never updated."""
    axes.set_facecolor("#D9D9D9")
    axes.pcolormesh(
        np.arange(28) - 0.5,
        np.arange(len(values) + 1) - 0.5,
        np.ma.masked_equal(values, 0),
        cmap=STONES,
        vmin=-1.5,
        vmax=1.5,
        edgecolors="white",
        linewidth=0.5,
    )
    down, across = np.nonzero(values < -0.25)
    axes.plot(across, down, "_", ms=4, mew=0.7, color="black")  # O's, without colour
    axes.invert_yaxis()
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_title(title, fontsize=9)
    bare(axes)


def look_up_tables() -> Drawing:
    """A whole network in one picture: 18 patterns, three kinds of line, both sides to move."""
    patterns = Patterns(Grid(3), sharing="symmetric")
    network = plainest(train(patterns, rng=0).network)
    kinds = {"edge": 0, "middle": 1, "diagonal": 6}
    codes = sorted((c for c in range(27) if _digits(c) <= _digits(c)[::-1]), key=_by_sum)
    columns = {
        f"{kind}, {side} to move": network.table(t)[place, codes]
        for place, side in enumerate("XO")
        for kind, t in kinds.items()
    }
    data = pd.DataFrame({"pattern": [_word(c) for c in codes], **columns})
    used = np.bincount(
        patterns.features(analysis.tree3().boards).ravel(), minlength=patterns.parameters + 1
    )
    seen = np.array([
        [used[patterns.shared[patterns.entries(t)].reshape(2, 27)[place, c]] > 0
         for place in range(2) for t in kinds.values()] for c in codes
    ])  # fmt: skip
    figure, axes = plt.subplots(figsize=(WIDTH, 5.4))
    _heat(axes, data, seen)
    # Training sums thousands of values of tanh; nine decimals are safe against rounding.
    return Drawing(figure, data.round(9))


def _digits(code: int) -> tuple[int, int, int]:
    return code // 9, code // 3 % 3, code % 3


def _word(code: int) -> str:
    return "".join(".xo"[digit] for digit in _digits(code))


def _by_sum(code: int) -> tuple[int, tuple[int, int, int]]:
    """Sort key: X stones minus O stones, largest first; then the digits."""
    return -sum({0: 0, 1: 1, 2: -1}[digit] for digit in _digits(code)), _digits(code)


def _heat(axes: Axes, data: pd.DataFrame, seen: Any) -> None:
    weights = np.where(seen, data.iloc[:, 1:].to_numpy(float), np.nan)
    axes.imshow(weights, cmap=STONES, vmin=-4.5, vmax=4.5, aspect="auto")
    for (row, column), weight in np.ndenumerate(weights):
        digits = "+.2f" if abs(weight) >= 0.005 else "+.1g"
        number = true_minus(f"{weight:{digits}}") if weight else "0"
        text = "never" if np.isnan(weight) else number
        shade = DARK if np.isnan(weight) else "white" if abs(weight) > 3 else "black"
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color=shade)
    for row, pattern in enumerate(data.pattern):
        _pattern(axes, row, pattern)
    axes.set(xlim=(-1.35, 5.5), xticks=range(6), yticks=[])
    axes.set_xticklabels([name.replace(", ", "\n") for name in data.columns[1:]], fontsize=8)
    axes.xaxis.tick_top()
    bare(axes)
    axes.axvline(2.5, color="white", lw=5)


def _pattern(axes: Axes, row: int, pattern: str) -> None:
    """Draw three cells with their stones."""
    for place, symbol in enumerate(pattern):
        x = -1.2 + 0.26 * place
        axes.plot(x, row, "s", ms=12, mfc="white", mec="#777", mew=0.6)
        if symbol != ".":
            mark = ("x", X_COLOUR) if symbol == "x" else ("o", O_COLOUR)
            axes.plot(x, row, mark[0], ms=6, mew=1.8, mfc="none", mec=mark[1])


def self_play() -> Drawing:
    """How many of 20 seeds never lose, by the games of self-play, for four ways of learning."""
    table = read_table("ntuple_self_play.csv")
    data = table.groupby(["sharing", "way", "games"], as_index=False).agg(
        never_lose=("never_loses", "sum"), misplayed=("misplayed", "mean")
    )
    ways = {
        "constant": (DRAW_COLOUR, ":", "constant step"),
        "constant, averaged": (INK, "-.", "constant step, averaged weights"),
        "falling": (ORANGE, "--", "falling step"),
        "falling, averaged": (BLUE, "-", "falling step, averaged weights"),
    }
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.2), sharey=True)
    titles = {"none": "a table for every line", "symmetric": "shared by symmetry"}
    for panel, (sharing, title) in zip(axes, titles.items(), strict=True):
        for way, (colour, dashes, label) in ways.items():
            part = data[(data.sharing == sharing) & (data.way == way)]
            panel.plot(part.games, part.never_lose, dashes, color=colour, label=label)
        panel.set(xscale="log", title=title, xlabel="games of self-play")
    axes[0].set_ylabel("seeds that never lose, of 20")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return Drawing(figure, data)

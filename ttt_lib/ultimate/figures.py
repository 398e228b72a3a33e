"""Figures of notebook 05: random games, a network's input, symmetry, how far the solver sees."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ttt_lib.evidence import store
from ttt_lib.evidence.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PUBLISHED_COLOUR,
    WIDTH,
    Drawing,
    whiskers,
)
from ttt_lib.ultimate.studies import (
    endgames,
    gpu_training,
    matches,
    random_games,
    resnet_against_tables,
    walkthrough,
)


def phases() -> Drawing:
    """Legal moves and cells left, by ply of random games."""
    table = random_games.plies().query("running > 0.01")
    figure, panels = plt.subplot_mosaic(
        [["moves", "cells"], ["free", "cells"]], figsize=(WIDTH, 3.2)
    )
    moves, free, right = (panels[name] for name in ("moves", "free", "cells"))
    moves.plot(table.index, table["moves"], color=BLUE)
    moves.set(ylabel="legal moves, mean", ylim=(0, 85), title="The first move is the freest")
    free.plot(table.index, 100 * table["free"], color=ORANGE, ls="--")
    free.set(xlabel="ply", ylabel="free moves, %", ylim=(0, 105))
    free.sharex(moves)
    moves.tick_params(labelbottom=False)
    right.plot(table.index, table["empty"], color=GREY, label="empty cells of all 81")
    right.plot(table.index, table["playable"], color=GREEN, ls="--", label="playable cells, mean")
    right.axhline(random_games.ENDGAME, color="black", lw=0.8, ls=":")
    right.text(1, random_games.ENDGAME + 1.5, f"{random_games.ENDGAME} cells", fontsize=8)
    right.set(xlabel="ply", ylabel="cells", ylim=(0, 85), title="Many empty cells are out of play")
    right.legend()
    return Drawing(figure, table.reset_index(names="ply"))


def input_planes() -> Drawing:
    """The seven planes of a position that leaves none of them empty."""
    found, names = walkthrough.full_planes(rng=7), walkthrough.PLANE_NAMES
    figure, panels = plt.subplots(1, len(found), figsize=(WIDTH, 1.2))
    for axes, plane, name in zip(panels, found, names, strict=True):
        axes.imshow(plane, cmap="Greys", vmin=0, vmax=1.4)
        for line in (2.5, 5.5):
            axes.axhline(line, color=BLUE, lw=0.7)
            axes.axvline(line, color=BLUE, lw=0.7)
        axes.set(xticks=[], yticks=[])
        axes.set_title(name, fontsize=8)
        axes.grid(visible=False)
        axes.spines[:].set_visible(True)
    counts = found.sum(axis=(1, 2)).astype(int)
    return Drawing(figure, pd.DataFrame({"plane": names, "cells": counts}))


def symmetry_saving() -> Drawing:
    """How many positions share a canonical form, by ply."""
    table = random_games.symmetry_saving()
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    marks = {"all positions": (BLUE, "o", "-"), "random games": (ORANGE, "s", "--")}
    for kind, rows in table.groupby("kind"):
        colour, mark, line = marks[str(kind)]
        axes.plot(rows["ply"], rows["saving"], color=colour, marker=mark, ms=5, ls=line, label=kind)
    axes.axhline(8, color=PUBLISHED_COLOUR, lw=0.8, ls=":")
    axes.text(8, 7.6, "as published: 8", fontsize=8, ha="right", color=PUBLISHED_COLOUR)
    axes.set(xlabel="ply", ylabel="positions per class", ylim=(0, 8.6))
    axes.legend(loc="center right")
    return Drawing(figure, table)


def solver_reach() -> Drawing:
    """Distribution of the solver's time by playable cells."""
    table = store.read_table("ultimate_solver.csv")
    figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.85, table["limit"].nunique()))
    dashes = cycle(("-", "--", ":", "-."))
    curves = []
    for colour, line, (limit, rows) in zip(shades, dashes, table.groupby("limit"), strict=False):
        times = np.sort(rows.loc[rows["result"] != 9, "milliseconds"])
        share = 100 * np.arange(1, len(times) + 1) / len(rows)
        axes.step(times, share, where="post", color=colour, ls=line, label=f"{limit}")
        curves.append(pd.DataFrame({"limit": limit, "ms": times, "solved within, %": share}))
    axes.axhline(99, color="black", lw=0.8, ls=":")
    data = pd.concat(curves, ignore_index=True)
    # Whole powers of ten: the layout, to its last digit, depends on where the last label stands.
    powers = np.log10(data["ms"])
    ends = np.floor(powers.min()), np.ceil(powers.max())
    axes.set(xscale="log", xlim=tuple(10.0**end for end in ends))
    axes.set(xlabel="processor time, ms", ylabel="solved within that time, %")
    axes.legend(title="playable cells\nat most", loc="lower right")
    return Drawing(figure, data)


def move_order() -> Drawing:
    """Nodes of other settings relative to ours, position by position."""
    table = _node_ratios()
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    names = ["symmetric keys", "no table", "lowest index", "centre, corners, edges"]
    limits = sorted(table["limit"].unique())
    looks = dict(zip(limits, (("#5B9BC8", "o"), (BLUE, "s"), ("#003A5D", "D")), strict=True))
    for shift, limit in enumerate(limits):
        rows = table[table["limit"] == limit].set_index("variant").loc[names]
        places, (colour, mark) = np.arange(len(names)) + 0.26 * (1 - shift), looks[limit]
        axes.errorbar(
            rows["nodes"], places, xerr=whiskers(rows, "nodes"),
            fmt=mark, color=colour, ms=5, capsize=2, elinewidth=0.9, label=f"{limit}",
        )  # fmt: skip
        for place, nodes, high in zip(places, rows["nodes"], rows["high"], strict=True):
            axes.text(max(high, nodes * 1.05) * 1.06, place, f"{nodes:#.2g}", va="center",
                      fontsize=7.5)  # fmt: skip
    axes.set_yticks(range(len(names)), names)
    axes.set(xscale="log", xlim=(0.8, 20), xlabel="nodes, as multiples of ours")
    axes.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axes.minorticks_off()
    axes.axvline(1, color="black", lw=0.8, zorder=0)
    axes.legend(title="playable cells\nat most", loc="lower right")
    return Drawing(figure, table)


def _node_ratios() -> pd.DataFrame:
    """Geometric mean of nodes relative to ours, with its bounds, by limit and variant."""
    table, rows = store.read_table("ultimate_variants.csv"), []
    for limit, part in table.groupby("limit"):
        nodes = part.pivot(index="number", columns="variant", values="nodes")
        for name in nodes.columns.drop("ours"):
            mean, low, high = endgames.mean_ratio(nodes[name], nodes["ours"])
            rows.append((limit, name, len(nodes), mean, low, high))
    return pd.DataFrame(rows, columns=["limit", "variant", "positions", "nodes", "low", "high"])


LOOKS: dict[str, dict[str, Any]] = {
    "table net": {"color": BLUE, "marker": "o", "ls": "-", "ms": 4},
    "residual net": {"color": ORANGE, "marker": "s", "ls": "--", "ms": 4},
}
"""Colour, mark and line of a kind of network."""

BARS: dict[str, Any] = {"capsize": 2, "elinewidth": 0.7, "alpha": 0.8}
"""How the intervals of networks are drawn."""


def networks() -> Drawing:
    """Strength of both networks by processor time of training."""
    table = matches.read(resnet_against_tables.FILE)
    opponents = sorted(table["opponent"].unique())
    figure, panels = plt.subplots(1, len(opponents), figsize=(WIDTH, 3.0), sharey=True)
    for axes, opponent in zip(panels, opponents, strict=True):
        rows = table[table["opponent"] == opponent]
        for name, runs in rows.groupby("network"):
            line_per_seed(axes, runs, "cpu_minutes", **LOOKS[str(name)], **BARS)
        axes.axhline(0.5, color="black", lw=0.8, ls=":")
        axes.set(xlabel="CPU-minutes of training", title=f"against UCT {opponent:,}")
        axes.set(ylim=(-0.03, 1.03))
    panels[0].set_ylabel("score")
    for name, look in LOOKS.items():
        panels[1].plot([], [], label=name, **look)
    panels[1].legend(loc="center right", bbox_to_anchor=(1, 0.42))
    return Drawing(figure, table)


def gpu() -> Drawing:
    """Strength of a residual network on a GPU and of a table net, by minutes of training."""
    figure, axes = plt.subplots(figsize=(WIDTH, 2.9))
    runs = {name: gpu_training.along(name) for name in gpu_training.RUNS}
    for name, rows in runs.items():
        line_per_seed(axes, rows, "minutes", label=name, **LOOKS[name], **BARS)
    axes.axhline(0.5, color="black", lw=0.8, ls=":")
    axes.set_ylabel(f"score against {gpu_training.ALONG.opponent}")
    axes.set(xlabel="minutes of training", xlim=0, ylim=(-0.03, 1.03))
    axes.legend(loc="lower right")
    return Drawing(figure, pd.concat(runs.values()))


def line_per_seed(
    axes: Axes, runs: pd.DataFrame, x: str, y: str = "score", label: str | None = None, **style: Any
) -> None:
    """A line with intervals for every seed; the first one bears the label."""
    for number, (_, run) in enumerate(runs.groupby("seed")):
        shown = None if number else label
        axes.errorbar(run[x], run[y], whiskers(run, y), label=shown, **style)

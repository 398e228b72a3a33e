"""Figures of notebook 05: worth of parts, cost of faults, reach of a network, yardstick, Gumbel."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ttt_lib.evidence import store
from ttt_lib.evidence.figures import BLUE, DARK, GREEN, GREY, ORANGE, WIDTH, Drawing, whiskers
from ttt_lib.game.stats import Interval, score_interval
from ttt_lib.ultimate.figures import line_per_seed
from ttt_lib.ultimate.studies import ablations as ablation_study
from ttt_lib.ultimate.studies import curves as learning
from ttt_lib.ultimate.studies import fault_costs, matches
from ttt_lib.ultimate.studies import gumbel as gumbel_study
from ttt_lib.ultimate.studies import hybrid as hybrid_study
from ttt_lib.ultimate.studies import rating as rating_study
from ttt_lib.ultimate.studies import strength as strength_study
from ttt_lib.ultimate.studies import yardstick_scores as scores
from ttt_lib.ultimate.studies.strength import uct_name
from ttt_lib.ultimate.studies.yardstick import read as endgames


def ablations() -> Drawing:
    """Effect of every change: seeds as dots, mean and interval over seeds."""
    table, effects = store.read_table(ablation_study.FILE), ablation_study.effects().iloc[::-1]
    uct, full = (
        table.pivot(index="seed", columns="variant", values=f"{rival}_score")
        for rival in ("uct", "full")
    )
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 4.2), sharey=True)
    _effects(axes[0], effects, "uct", uct.sub(uct[ablation_study.FULL], axis=0))
    _effects(axes[1], effects, "full", full - 0.5)
    axes[0].set_yticks(range(len(effects)), effects.index)
    axes[0].set(title="against UCT 1,000", xlabel="difference in score")
    axes[1].set(title="against the unchanged run", xlabel="score less 0.5")
    return Drawing(figure, effects.iloc[::-1].reset_index(names="variant"))


def _effects(axes: Axes, effects: pd.DataFrame, name: str, seeds: pd.DataFrame) -> None:
    places = np.arange(len(effects))
    for place, variant in zip(places, effects.index, strict=True):
        values = seeds[variant]
        axes.plot(values, np.full(len(values), place - 0.25), "o", color=GREY, ms=3, alpha=0.7)
    low, high = effects[f"{name}_low"], effects[f"{name}_high"]
    clear = (low > 0) | (high < 0)
    for place, left, right, mean, is_clear in zip(
        places, low, high, effects[name], clear, strict=True
    ):
        colour = ORANGE if is_clear else BLUE
        axes.plot([left, right], [place, place], color=colour, lw=1.4)
        axes.plot(mean, place, "D", color=colour, ms=5, mfc=colour if is_clear else "white")
    axes.axvline(0, color="black", lw=0.8)
    axes.grid(axis="y", alpha=0)


def exhibits() -> Drawing:
    """The wrong sign, and leaves in batches."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.8), width_ratios=(1.15, 1))
    sign, batches = fault_costs.read(fault_costs.SIGN), _batches()
    marks = {
        "score against random": (BLUE, "o", "score against random play"),
        "wins in one missed": (ORANGE, "s", "wins in one missed"),
        "losses in one not blocked": (GREY, "^", "losses in one not blocked"),
    }
    places, table = np.arange(len(sign))[::-1], store.read_table(fault_costs.FILE)
    for shift, (name, (colour, mark, label)) in zip((0.2, 0, -0.2), marks.items(), strict=True):
        measured = table[table["quantity"] == name].set_index("setting").loc[sign.index]
        ends = pd.DataFrame(map(widest, measured["value"], measured["n"]), measured.index)
        reach = np.clip(whiskers(measured.join(ends), "value"), 0, None)
        left.errorbar(
            100 * sign[name], places + shift, xerr=100 * reach,
            fmt=mark, color=colour, ms=5, elinewidth=1, label=label,
        )  # fmt: skip
    names = [
        name.replace(", ", ",\n").replace("ours", "the search\nwe play with") for name in sign.index
    ]
    left.set_yticks(places, names)
    left.set(xlim=(-4, 104), title="The sign of a value", ylim=(-0.6, len(sign) - 0.4))
    left.set_xlabel("score, or share of positions, %")
    for loss, colour, mark, line, label in (
        (True, BLUE, "o", "-", "with virtual loss"),
        (False, ORANGE, "s", "--", "without virtual loss"),
    ):  # fmt: skip
        apart = 1.03 if loss else 1 / 1.03
        rows = batches[(batches["virtual_loss"] == loss) | (batches["batch"] == 1)]
        right.errorbar(
            apart * rows["batch"], rows["score"],
            yerr=whiskers(rows),
            color=colour, marker=mark, ls=line, ms=4, capsize=2, label=label,
        )  # fmt: skip
        for batch, low, nodes in rows[["batch", "low", "nodes"]].itertuples(index=False):
            if not loss and batch > 1:
                right.annotate(
                    f"{nodes:.0f}", (apart * batch, low), (0, -9), textcoords="offset points",
                    fontsize=7, ha="center",
                )  # fmt: skip
    right.set(xscale="log", xlabel="leaves in a batch", ylim=(0, 1))
    right.set_ylabel("score against UCT 1,000")
    right.set_xticks(fault_costs.BATCHES, [str(batch) for batch in fault_costs.BATCHES])
    right.minorticks_off()
    right.set_title("200 simulations in batches")
    for axes in (left, right):
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14))
    return Drawing(figure, pd.concat([sign.reset_index(), batches]))


def _batches() -> pd.DataFrame:
    """The exhibit of batches with intervals of its scores."""
    table = store.read_table(fault_costs.FILE).query("exhibit == @fault_costs.BATCH")
    rows = []
    for setting, part in table.groupby("setting", sort=False):
        numbers, games = part.set_index("quantity")["value"], int(part["n"].iloc[-1])
        batch = 1 if setting == "one by one" else int(str(setting).split(",")[0])
        score = float(numbers["score against UCT 1,000"])
        rows.append(
            {"batch": batch, "virtual_loss": "virtual" in str(setting),
             "nodes": numbers["different nodes"], "score": score,
             **widest(score, games)._asdict()}
        )  # fmt: skip
    return pd.DataFrame(rows).sort_values(["virtual_loss", "batch"])


def widest(score: float, games: int) -> Interval:
    """95% interval of a mean score of independent games, as if none were drawn."""
    return score_interval(score * games, score * games, games)


def strength() -> Drawing:
    """Score by simulations, one line per opponent; points are shifted a little for clarity."""
    table = strength_study.summary()
    figure, axes = plt.subplots(figsize=(WIDTH, 3.8))
    names = list(table["opponent"].unique())
    shades = [*plt.get_cmap("viridis")(np.linspace(0.85, 0, len(names)))]
    for number, (colour, mark, name) in enumerate(zip(shades, "osD^vP", names, strict=False)):
        rows = table[table["opponent"] == name]
        spiel = name == strength_study.OPENSPIEL
        axes.errorbar(
            rows["simulations"] * 1.025 ** (number - len(names) / 2), rows["score"],
            yerr=whiskers(rows),
            color=ORANGE if spiel else colour, marker="*" if spiel else mark,
            ms=8 if spiel else 4.5, capsize=2, elinewidth=1, label=name,
            ls="-" if len(rows) > 2 else "none",
        )  # fmt: skip
    axes.axhline(0.5, color="black", lw=0.8, ls=":")
    axes.set(xscale="log", ylim=(0.45, 1.02), xlabel="simulations per move", ylabel="score")
    axes.set_xticks(strength_study.SIMULATIONS, [f"{n:,}" for n in strength_study.SIMULATIONS])
    axes.minorticks_off()
    figure.legend(loc="outside upper center", ncols=3)
    return Drawing(figure, table)


def rating() -> Drawing:
    """Rating of all players, by processor time per move and by processor time of training."""
    rated, times = rating_study.read().table, rating_study.milliseconds()
    table = rated.join(times).reset_index(names="player")
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.8), sharey=True)
    series = {
        "UCT, random playouts": ([uct_name(n) for n in rating_study.ITERATIONS], GREY, "o"),
        "table nets": ([rating_study.net_name(n) for n in strength_study.SIMULATIONS], BLUE, "s"),
        "random play": ([strength_study.RANDOM], "black", "v"),
        "OpenSpiel's MCTSBot": ([strength_study.OPENSPIEL], GREY, "*"),
        "the table nets' teacher": ([rating_study.TEACHER], "black", "x"),
        "table nets, Gumbel root": ([rating_study.GUMBEL], GREEN, "D"),
        "table nets and solver": ([rating_study.HYBRID], ORANGE, "P"),
    }
    players = table.set_index("player")
    near = left.inset_axes((0.61, 0.14, 0.37, 0.31))
    for label, (names, colour, mark) in series.items():
        rows = players.loc[names]
        for axes in (left, near):
            axes.errorbar(
                rows["ms"], rows["rating"],
                yerr=whiskers(rows, "rating"),
                color=colour, marker=mark, ms=5, capsize=2, elinewidth=1, label=label,
                ls="-" if len(rows) > 1 else "none",
            )  # fmt: skip
    close = [rating_study.TEACHER, rating_study.GUMBEL, rating_study.HYBRID]
    _close_up(near, players.loc[[*close, rating_study.net_name(200)]])
    (x, right_end), (y, top) = near.get_xlim(), near.get_ylim()
    left.indicate_inset((x, y, right_end - x, top - y), edgecolor="black", alpha=0.6, lw=0.6)
    left.set(xscale="log", xlabel="processor time per move, ms", ylabel="Elo rating")
    left.set_title("By time to think")
    _training(right)
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return Drawing(figure, table)


def _close_up(axes: Axes, rows: pd.DataFrame) -> None:
    """Limits and ticks of the inset around players that lie too close to be told apart."""
    axes.set(xscale="log", xlim=(rows["ms"].min() / 1.2, rows["ms"].max() * 1.2))
    axes.set_ylim(rows["low"].min() - 15, rows["high"].max() + 15)
    axes.set_xticks([0.15, 0.25], ["0.15 ms", "0.25"])
    axes.minorticks_off()
    axes.tick_params(labelsize=7)
    axes.spines[:].set_visible(True)


def _training(axes: Axes) -> None:
    """Ratings in the course of training, beside those of some fixed players."""
    for kind, label, colour, mark, line in (
        ("table net", "table net, quick", BLUE, "s", "-"),
        ("table net (short run)", "table net, short run", BLUE, "o", "-."),
        ("residual net (short run)", "residual net, short run", ORANGE, "^", "-"),
    ):
        line_per_seed(
            axes, rating_study.by_training(kind), "cpu_minutes", "rating", label, color=colour,
            marker=mark, ms=3, lw=0.9, ls=line, elinewidth=0.7, alpha=0.8,
        )  # fmt: skip
    rated = rating_study.read().table["rating"]
    for name in (*map(uct_name, (100, 1000, 10_000)), rating_study.net_name(200)):
        axes.axhline(rated[name], color="black", lw=0.6, ls=":")
        label = name.replace("net, 200", "stored nets")
        axes.annotate(
            label, (1.02, rated[name]), xycoords=("axes fraction", "data"), fontsize=7,
            va="center",
        )  # fmt: skip
    axes.set(xlabel="CPU-minutes of training", title="By time to learn")
    axes.set_xlim(left=-0.3)
    axes.legend(loc="lower right", fontsize=8)


def curves() -> Drawing:
    """Score by CPU-minute of training: seeds as thin lines with intervals, and their median."""
    table = learning.summary()
    figure, axes = plt.subplots(figsize=(WIDTH, 3.6))
    looks = ((BLUE, "o", "-"), (ORANGE, "s", "--"))
    for (opponent, runs), (colour, mark, line) in zip(
        table.groupby("opponent"), looks, strict=True
    ):
        line_per_seed(
            axes, runs, "cpu_minutes", color=colour, marker=mark, ms=3, lw=0.6, elinewidth=0.6,
            alpha=0.6,
        )  # fmt: skip
        middle = runs.groupby("iteration")[["cpu_minutes", "score"]].median()
        name = f"UCT {opponent:,}"
        axes.plot(middle["cpu_minutes"], middle["score"], color=colour, ls=line, lw=2.2, label=name)
    axes.axhline(0.5, color="black", lw=0.8, ls=":")
    axes.set(xlabel="CPU-minutes of training from zero", ylabel="score", ylim=(0, 1.02))
    axes.set_xlim(left=0)
    axes.legend(title="against", loc="lower right")
    return Drawing(figure, table)


def hybrid() -> Drawing:
    """What the solver is worth in play, and what it costs, by threshold and simulations."""
    table = matches.read(hybrid_study.FILE).query(
        "opponent == @hybrid_study.NET and shallow == 0 and budget == simulations"
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.2))
    shades = plt.get_cmap("viridis")(np.linspace(0.75, 0, len(hybrid_study.SIMULATIONS)))
    for place, simulations in enumerate(hybrid_study.SIMULATIONS):
        part = table[table["simulations"] == simulations]
        x = part["cells"] + 0.4 * (place - 1)
        style = {"color": shades[place], "marker": "osD"[place]}
        left.errorbar(
            x, part["score"], whiskers(part), label=f"{simulations} simulations", capsize=2, **style
        )
        right.plot(x, part["time_ratio"], **style)
    left.axhline(0.5, color=GREY, lw=0.8)
    left.set(ylabel="score against the net alone", title="What it is worth")
    right.set(ylabel="time, as multiples of the net's", yscale="log", title="What it costs")
    right.set_yticks([1, 1.5, 2, 3, 4], ["1", "1.5", "2", "3", "4"])
    right.minorticks_off()
    for axes in (left, right):
        axes.set(xlabel="playable cells from which it solves", xticks=hybrid_study.CELLS)
    left.legend(loc="upper left")
    left.set_ylim(top=table["high"].max() + 0.03)  # room for the legend
    columns = ["simulations", "cells", "games", "score", "low", "high", "time_ratio"]
    return Drawing(figure, table[columns].reset_index(drop=True))


# ---------------------------------------------------------------------------- the yardstick

WHO = {
    "uct": ("UCT", GREY, "o", "-"),
    "uct without proofs": ("UCT without proofs", GREY, "o", ":"),
    "net": ("table nets", BLUE, "s", "-"),
    "self-play net": ("self-play network alone", GREEN, "^", "-"),
    "net without proofs": ("table nets without proofs", BLUE, "s", ":"),
}
"""Label, colour, marker and line of each player; markers of those without proofs are hollow."""


def yardstick() -> Drawing:
    """Share of optimal moves by simulations, and by playable cells."""
    table = scores.summary()
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(WIDTH, 3.6), sharey=True, width_ratios=[1.7, 1]
    )
    for player, (label, colour, mark, line) in WHO.items():
        rows = table[table.index.get_level_values("player") == player].droplevel("player")
        face = colour if line == "-" else "white"
        _with_bars(left, rows, label, color=colour, marker=mark, ls=line, mfc=face)
    flat = {"policy alone": scores.line("policy alone", 0)["share"], "random": endgames().chance}
    for name, share in flat.items():
        left.axhline(100 * share, color=DARK, lw=0.8, ls="--")
        left.text(1.35e5, 100 * share + 0.6, name, fontsize=8, color=DARK, ha="right")
    left.set(
        xscale="log", xlim=(1.5, 1.5e5), xlabel="simulations per move", ylabel="optimal moves, %"
    )
    left.set_title("Search on the yardstick")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    cells = [
        _by_cells(right, player, simulations, apart)
        for player, simulations, apart in (("uct", 10_000, -0.12), ("net", 200, 0.12))
    ]
    right.set(xlabel="playable cells", title="Two of them by cells")
    right.legend(loc="lower left", fontsize=8)
    rows = table.reset_index()
    sampled = rows[rows["player"].isin([*WHO, "policy alone"])].assign(panel="left")
    random = pd.DataFrame([{"player": "random", "share": flat["random"], "panel": "left"}])
    data = [sampled, random, *(c.assign(panel="right") for c in cells)]
    return Drawing(figure, pd.concat(data, ignore_index=True))


def _with_bars(axes: Axes, rows: pd.DataFrame, label: str, **style: Any) -> None:
    """A line with 95% intervals of shares in percent."""
    percent = 100 * rows[["share", "low", "high"]]
    axes.errorbar(
        rows.index, percent["share"], whiskers(percent, "share"),
        label=label, ms=4, lw=1.2, elinewidth=0.9, **style,
    )  # fmt: skip


def _by_cells(axes: Axes, player: str, simulations: int, apart: float) -> pd.DataFrame:
    """Draw a player's shares by playable cells, and return them."""
    rows = pd.DataFrame(
        {
            "player": player, "simulations": simulations, "cells": cells, "n": s.n,
            "share": s.share, "low": s.interval.low, "high": s.interval.high,
        }
        for cells, s in scores.by_cells(player, simulations).items()
    )  # fmt: skip
    label, colour, mark, line = WHO[player]
    places = rows.set_index(rows["cells"] + apart)
    _with_bars(axes, places, f"{label}, {simulations:,}", color=colour, marker=mark, ls=line)
    return rows


ROOTS = {
    "PUCT": ("PUCT", GREY, "o"),
    "published": ("Gumbel, with noise", BLUE, "s"),
    "no noise": ("Gumbel, no noise", ORANGE, "D"),
    "no noise, scale 0.1": ("Gumbel, no noise, scale 0.1", GREEN, "^"),
}
"""Label, colour and marker of each root."""


def gumbel() -> Drawing:
    """Gumbel roots by simulations: score against PUCT, and target on optimal moves."""
    table = gumbel_study.summary()
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4))
    places = np.arange(len(gumbel_study.SIMULATIONS))
    for shift, (root, (label, colour, mark)) in enumerate(ROOTS.items()):
        rows = table[table.index.get_level_values("root") == root]
        right.plot(places, 100 * rows["target"], color=colour, marker=mark, ms=4, label=label)
        if root != gumbel_study.PUCT:
            ends = {"score_low": "low", "score_high": "high"}
            scores_of = rows[["score", *ends]].rename(columns=ends)
            left.errorbar(
                places + 0.12 * (shift - 2), scores_of["score"], whiskers(scores_of),
                color=colour, marker=mark, ms=4, lw=0, elinewidth=1,
            )  # fmt: skip
    left.axhline(0.5, color="black", lw=0.8, ls=":")
    left.set(title="Score against a PUCT root", ylabel="score")
    right.set(title="What would be learned", ylabel="target on optimal moves, %", ylim=(55, 100))
    right.legend(loc="lower right", fontsize=8)
    for axes in (left, right):
        axes.set_xticks(places, [str(n) for n in gumbel_study.SIMULATIONS])
        axes.set_xlabel("simulations per move")
    return Drawing(figure, table.reset_index())

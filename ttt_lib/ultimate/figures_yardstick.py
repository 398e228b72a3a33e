"""Pictures of notebook 05 on the endgame yardstick and on Gumbel roots."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ttt_lib.evidence.figures import BLUE, DARK, GREEN, GREY, ORANGE, WIDTH, Drawing, whiskers
from ttt_lib.ultimate.studies import gumbel as gumbel_study
from ttt_lib.ultimate.studies import yardstick_scores as scores
from ttt_lib.ultimate.studies.yardstick import read as endgames

WHO = {
    "uct": ("UCT", GREY, "o", "-"),
    "uct without proofs": ("UCT without proofs", GREY, "o", ":"),
    "net": ("table nets", BLUE, "s", "-"),
    "self-play net": ("self-play alone", GREEN, "^", "-"),
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
    left.set(xscale="log", xlim=(1.5, 1.5e5), xlabel="simulations per move", ylabel="optimal, %")
    left.set_title("Search on the yardstick")
    left.legend(loc="lower right", bbox_to_anchor=(1.02, 0.07), fontsize=8)
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
            percent = 100 * rows[["score", *ends]].rename(columns=ends)
            left.errorbar(
                places + 0.12 * (shift - 2), percent["score"], whiskers(percent),
                color=colour, marker=mark, ms=4, lw=0, elinewidth=1,
            )  # fmt: skip
    left.axhline(50, color="black", lw=0.8, ls=":")
    left.set(title="Score against a PUCT root", ylabel="score, %")
    right.set(title="What would be learned", ylabel="target on optimal moves, %", ylim=(55, 100))
    right.legend(loc="lower right", fontsize=8)
    for axes in (left, right):
        axes.set_xticks(places, [str(n) for n in gumbel_study.SIMULATIONS])
        axes.set_xlabel("simulations per move")
    return Drawing(figure, table.reset_index())

"""Figures of what b is: the window of sane play, and the law in n."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
from matplotlib import pyplot as plt

from ttt_lib.evidence.figures import BLUE, COLUMN, DRAW_COLOUR, ORANGE, WIDTH, Drawing
from ttt_lib.ising import law as proofs
from ttt_lib.ising import meaning
from ttt_lib.ising.figures import WHOSE

COUNTS = (0, 1, 10, 100, 1000)
"""Ticks for numbers of positions."""


def windows() -> Drawing:
    """How many wins and blocks a player on 3x3 passes over, for every b, with both energies."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.8), sharey=True)
    rows = []
    for ax, name in zip(axes, ("equation", "published"), strict=True):
        table = _passed(name)
        ends = [*table["from"], table["to"].iloc[-1]]
        for column, colour, line in (("blocks", BLUE, "--"), ("wins", ORANGE, "-")):
            label = f"{column} passed over"
            ax.stairs(table[column], ends, color=colour, ls=line, lw=1.4, label=label)
        low, high = map(float, meaning.window(name))
        ax.axvspan(low, high, color=DRAW_COLOUR, alpha=0.3, linewidth=0)
        ax.axvline(0.647, color="k", linewidth=0.8, linestyle=":")
        ax.text(0.66, 300, "0.647", fontsize=8)
        ax.text(
            (low + high) / 2, 2, f"{low:.4f} to {high:.4f}", fontsize=8, rotation=90, ha="center"
        )
        ax.set(xlabel="bias $b$", xlim=(0, 1.5), title=WHOSE[name])
        ax.set_yscale("symlog", linthresh=1)
        ax.set(xticks=(0, 0.5, 1, 1.5), yticks=COUNTS, yticklabels=map(str, COUNTS))
        rows.append(table.assign(energy=name))
    axes[0].set_ylabel("positions")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, handlelength=3)
    return Drawing(figure, pd.concat(rows, ignore_index=True))


def _passed(name: str) -> pd.DataFrame:
    """Both sides' faults between all crossings, from b = 0 on."""
    sides = [[h for h in meaning.habits(name, side) if not h.slot.point] for side in (1, -1)]
    ends = sorted({float(h.slot.at) for side in sides for h in side} | {float(meaning.WIDE[1])})
    rows = []
    for low, high in pairwise(ends):
        middle = (low + high) / 2
        if high > 0:
            rows.append([max(low, 0.0), high, *meaning.passed_at(name, middle)])
    return pd.DataFrame(rows, columns=["from", "to", "wins", "blocks"])


def law() -> Drawing:
    """From which b on the second player never loses on n x n, conjectured and proven."""
    figure, ax = plt.subplots(figsize=(COLUMN, 3.2))
    table = proofs.summary()
    numbers = table["n"]
    ax.plot(numbers, table["edge"], "o-", color=BLUE, ms=4, lw=1.2, label="the ratio")
    ax.plot(numbers - 0.16, table["loses"], "v", color=ORANGE, label="a b that can lose")
    ax.plot(numbers + 0.16, table["safe"], "^", color="k", label="never loses from here on")
    place = (numbers.iloc[3], table["edge"].iloc[3])
    ax.annotate("$w_{n-3}/w_{n-2}$", place, (5, 5), textcoords="offset points", fontsize=11.5)
    ax.set(xlabel="cells per side, n", ylabel="bias $b$", xticks=list(numbers))
    ax.legend(fontsize=8)
    return Drawing(figure, table)

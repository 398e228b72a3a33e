"""Figures of document 4 on what b is, and on boards larger than 3x3."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from ttt_lib.evidence.figures import (
    BLUE,
    COLUMN,
    DARK,
    DRAW_COLOUR,
    ORANGE,
    PUBLISHED_COLOUR,
    RESULT_COLOURS,
    WIDTH,
    Drawing,
    area,
    result_patches,
    whiskers,
)
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid
from ttt_lib.game.stats import with_intervals
from ttt_lib.ising import meaning, thresholds
from ttt_lib.ising.claims_bias import digitised
from ttt_lib.ising.diagonals import LOWER, UPPER, edges, shares_between
from ttt_lib.ising.energy import energy_of
from ttt_lib.ising.figures import ENERGY_COLOURS, LINES, WHOSE
from ttt_lib.ising.meaning import steps, threshold
from ttt_lib.ising.program import PUBLISHED, REPAIRED, simulate
from ttt_lib.ising.runs import BOARDS, PROGRAM_SWEEPS

LOST = (0, 0.01, 0.1, 1, 10, 100)
"""Ticks for shares of lost games, in percent."""

PUBLISHED_SWEEPS = ("3x3", "3x3x3", "4x4", "5x5", "6x6")
"""Coarse sweeps whose points were read off the published figures."""

FLAWS = {
    "none (repaired)": REPAIRED,
    "stepping": replace(REPAIRED, stepping=True),
    "diagonals": replace(REPAIRED, diagonals=True),
    "gaps": replace(REPAIRED, gaps=True),
    "draw first": replace(REPAIRED, draw_first=True),
    "win test": replace(REPAIRED, win_test=True),
    "stepping + win test": replace(REPAIRED, stepping=True, win_test=True),
    "all (published)": replace(PUBLISHED, second_b=None),
}
"""Each departure of the program by itself, and all together, at the requested b."""


def true_rules() -> Drawing:
    """Games that a second Ising player loses to random play, over b, by true rules."""
    table = with_intervals(read_table("ising_sweeps.csv"), "win")
    figure, axes = plt.subplots(2, 4, figsize=(WIDTH, 4.4), sharex=True, sharey=True)
    looks: dict[str, dict[str, Any]] = {
        "equation": {"marker": "o", "ms": 1.9, "mew": 0, "zorder": 3},
        "published": {"marker": "+", "ms": 3.2, "mew": 0.6},
    }
    text, program = (ENERGY_COLOURS[name] for name in looks)
    bands: dict[str, dict[str, Any]] = {  # one as an outline: where both lie, both are seen
        "equation": {"facecolor": "none", "edgecolor": text, "linewidth": 0.5},
        "published": {"color": program, "alpha": 0.25, "linewidth": 0},
    }
    for ax, size in zip(axes.flat, BOARDS, strict=False):
        for name, colour in ENERGY_COLOURS.items():
            part = table.query("board == @size and energy == @name")
            look = {**looks[name], "color": colour, "label": WHOSE[name], "ls": "none"}
            ax.plot(part["b"], 100 * part["share"], **look)
            low, high = 100 * part["low"], 100 * part["high"]
            ax.fill_between(part["b"], low, high, step="mid", **bands[name])
        ax.axvline(0.647, color="k", linewidth=0.7, linestyle=":", label="$b = 0.647$")
        if size in thresholds.POINTS:
            _mark(ax, Grid.parse(size).n)
        ax.set_title(size, loc="center")
        ax.set_yscale("symlog", linthresh=0.01, linscale=0.5)
        ax.set(xlim=(0, 1), ylim=(-0.002, 100), yticks=LOST, yticklabels=[f"{y:g}" for y in LOST])
        ax.set_xlabel("bias $b$", fontsize=8)
        ax.tick_params(labelsize=7.5, labelbottom=True)
    axes[0, 0].set_ylabel("lost (%)")
    axes[1, 0].set_ylabel("lost (%)")
    axes[1, 3].set_axis_off()
    handles = axes[0, 1].get_legend_handles_labels()
    axes[1, 3].legend(*handles, loc="center", fontsize=8, markerscale=2)
    return Drawing(figure, table)


def _mark(ax: Axes, n: int) -> None:
    """The b above which the player never loses, by exhaustive play, with its ratio of steps."""
    at, ratio = float(threshold(n)), f"$w_{n - 3}/w_{n - 2}$"
    ax.axvline(
        at, color="k", linewidth=0.8, linestyle="--", label="the text's is proven\nsafe above"
    )
    ax.text(at + 0.02, 0.99, ratio, fontsize=9, va="top", transform=ax.get_xaxis_transform())


def wins() -> Drawing:
    """Games that a second Ising player wins against random play, over b, by true rules."""
    table = with_intervals(read_table("ising_sweeps.csv"), "loss")
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 2.6), sharex=True, sharey=True)
    for ax, size in zip(axes, ("3x3", "4x4", "5x5", "6x6"), strict=True):
        for name, colour in ENERGY_COLOURS.items():
            part = table.query("board == @size and energy == @name")
            line = {"drawstyle": "steps-mid", "linewidth": 1.1, "linestyle": LINES[name]}
            ax.plot(part["b"], 100 * part["share"], color=colour, label=WHOSE[name], **line)
            low, high = 100 * part["low"], 100 * part["high"]
            ax.fill_between(part["b"], low, high, color=colour, alpha=0.3, linewidth=0, step="mid")
        ax.axvline(0.647, color="k", linewidth=0.7, linestyle=":")
        w = steps(energy_of("equation", Grid.parse(size)))
        ax.axvline(float(w[1] / w[2]), color="k", linewidth=0.7, linestyle=(0, (1, 1)))
        ax.text(float(w[1] / w[2]) + 0.02, 52, "$w_1/w_2$", fontsize=9)
        ax.text(0.66, 52, "0.647", fontsize=8)
        ax.set_title(size, loc="center")
        ax.set_xlabel("bias $b$")
        ax.set(xlim=(0, 1), ylim=(50, 100))
    axes[0].set_ylabel("won (%)")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, handlelength=3)
    return Drawing(figure, table)


def curve_4x4() -> Drawing:
    """The exact result on 4x4 for every b, as second and as first player."""
    table = read_table("ising_curve_4x4.csv")
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.7), sharey=True)
    for ax, side, name in zip(axes, "ox", ("second", "first"), strict=True):
        part = table[(table["side"] == side) & (table["from"] < table["to"])]
        x = part[["from", "to"]].to_numpy().ravel()
        looks = (("draw", DRAW_COLOUR, "-"), ("loss", RESULT_COLOURS["loss"], "--"))
        for result, colour, line in looks:
            share = [100 * float(Fraction(value)) for value in part[result]]
            ax.plot(x, np.repeat(share, 2), color=colour, ls=line, label=result)
        ax.set(xlabel="bias $b$", xlim=(0, 1), ylim=(0, 9), title=f"Ising {name}")
    axes[0].set_ylabel("share of games (%)")
    axes[0].legend()
    return Drawing(figure, table)


FLAW_GAMES = 20_000
"""Games at each bar of :func:`flaws`."""


def flaws(games: int = FLAW_GAMES) -> Drawing:
    """The effect of each departure of the program, by itself, on its published shares."""
    boards = ("4x4", "5x5", "6x6", "4x4x4")
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 3.1), sharey=True)
    rows = []
    for ax, size in zip(axes, boards, strict=True):
        for place, (name, program) in enumerate(FLAWS.items()):
            counts = simulate(program, Grid.parse(size), "RI", 0.647, games, rng=0)
            shares = [float(count) / games for count in counts]
            rows.append([size, name, *shares])
            left = 0.0
            for share, result in zip(shares[::-1], ("win", "draw", "loss"), strict=True):
                ax.barh(place, 100 * share, left=left, height=0.75, **area(result))
                left += 100 * share
        ax.set_title(size, loc="center")
        ax.set(xlim=(0, 100), xlabel="games (%)", xticks=(0, 50, 100))
        ax.grid(visible=False)
    axes[0].set_yticks(range(len(FLAWS)), list(FLAWS))
    axes[0].invert_yaxis()
    patches = result_patches(("Ising wins", "draws", "random wins"))
    figure.legend(handles=patches, loc="outside lower center", ncols=3)
    columns = ["board", "flaw", "random_wins", "draws", "ising_wins"]
    return Drawing(figure, pd.DataFrame(rows, columns=columns))


def program_fits() -> Drawing:
    """A replay of each published sweep with the fit of the published degree."""
    table = read_table("ising_program_sweeps.csv")
    names = [name for name in PROGRAM_SWEEPS if name != "3x3 fine"]
    figure, axes = plt.subplots(2, 3, figsize=(WIDTH, 4.1), sharex=True)
    for ax, name in zip(axes.flat, names, strict=True):
        size, _, games, degree = PROGRAM_SWEEPS[name]
        part = table.query("sweep == @name")
        x, y = part["printed"].to_numpy(), part["lost"].to_numpy()
        ax.plot(x, y, "o", markersize=2.4, color=DRAW_COLOUR, label="replay")
        if name in PUBLISHED_SWEEPS:
            look = {"ls": "", "color": PUBLISHED_COLOUR, "label": "published"}
            ax.plot(*digitised(size), marker="x", markersize=2.6, **look)
        fitted = np.polynomial.Polynomial.fit(x, y, degree)(x)
        ax.plot(x, fitted, color=ORANGE, label="fit to the replay")
        if y.any():  # a fit to no losses at all has no lowest point
            ax.plot(x[fitted.argmin()], fitted.min(), "v", color="k", markersize=5)
        ax.set_title(f"{size}, degree {degree}", loc="center")
        low = min(0.0, float(fitted.min()))
        ax.set(xlim=(0, 1.12), ylim=(low - 0.08 * y.max() - 0.2, max(3, y.max() * 1.15)))
        ax.set_ylabel(f"lost of {games}", fontsize=8)
    for ax in axes[1]:
        ax.set_xlabel("bias $b$, as printed")
    handles = axes[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3, fontsize=8, markerscale=1.6)
    return Drawing(figure, table)


MARKS = {
    "win": ("^", RESULT_COLOURS["win"], RESULT_COLOURS["win"]),
    "draw": ("o", DARK, "white"),
    "loss": ("v", RESULT_COLOURS["loss"], "none"),  # seen over a filled mark at the same place
}
"""Marker of a result, its colour and that of its face."""


def self_play() -> Drawing:
    """Ising against itself on four boards, over b, by true rules."""
    table = read_table("ising_self_play.csv").query("energy == 'equation'")
    large = read_table("ising_large.csv").query("players == 'II'")
    table = pd.concat([table, large])
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 2.8), sharey=True)
    for ax, size in zip(axes, ("4x4", "4x4x4", "5x5x5", "5x5x5x5"), strict=True):
        part = table.query("board == @size")
        for result, (marker, colour, face) in MARKS.items():
            percent = 100 * with_intervals(part, result)[["share", "low", "high"]]
            bars = np.clip(whiskers(percent, "share"), 0, None)
            look = {"fmt": marker, "color": colour, "mfc": face, "mew": 0.7, "ms": 3.2, "lw": 0.8}
            ax.errorbar(part["b"], percent["share"], bars, label=result, **look)
        ax.axvline(0.647, color="k", linewidth=0.7, linestyle=":")
        ax.set_title(size, loc="center")
        ax.set(xlim=(-0.04, 1.04), ylim=(-4, 104), xlabel="bias $b$")
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes[0].set_ylabel("games of the first player (%)")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3)
    return Drawing(figure, table)


def cost() -> Drawing:
    """Processor seconds per game against the number of cells, with the document's own times."""
    table = read_table("ising_cost.csv")
    figure, ax = plt.subplots(figsize=(WIDTH, 3.4))
    cells = np.array([9.0, 700.0])
    pairs = (("RI", BLUE, "random first"), ("II", "k", "Ising first"))
    for players, colour, name in pairs:
        part = table[table["players"] == players]
        for d, marker in {2: "o", 3: "s", 4: "^"}.items():
            points = part.query("d == @d")
            seconds = points["seconds_per_game"]
            look = {"color": colour, "ms": 4.5, "mfc": "white" if players == "RI" else colour}
            ax.loglog(points["cells"], seconds, marker, label=f"{name}, d = {d}", **look)
        squares = part.query("d == 2")
        slope, level = np.polyfit(np.log(squares["cells"]), np.log(squares["seconds_per_game"]), 1)
        ax.loglog(cells, np.exp(level) * cells**slope, color=colour, linewidth=0.8)
        end = np.exp(level) * 720**slope
        ax.text(720, end, f"cells$^{{{slope:.2f}}}$", color=colour, va="center")
    look = {"color": PUBLISHED_COLOUR, "linewidth": 0.8, "label": "the document"}
    ax.loglog([9, 625], [0.05, 1800], "D--", **look)
    ax.set(xlabel="cells", ylabel="seconds per game", xlim=(7, 1500))
    ax.legend(loc="upper left", fontsize=7.5, ncols=2)
    return Drawing(figure, table)


# ---------------------------------------------------------------------------- what b is

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


def diagonals() -> Drawing:
    """For which b nobody beats the second player on 3x3, by what a diagonal counts."""
    figure, ax = plt.subplots(figsize=(COLUMN, 3.2))
    table = read_table("ising_diagonals.csv").query("energy == 'equation'")
    share = table.diagonal.map(lambda text: float(Fraction(text)))
    shown, safe = share <= 1, table["from"].notna()
    ax.axhspan(-0.09, 0, color=DRAW_COLOUR, alpha=0.3, lw=0)  # below the axis of b
    none = share[shown & ~safe]
    ax.plot(none, 0 * none - 0.045, "x", color=ORANGE, label="no safe b")
    ax.vlines(share[safe], table["from"][safe], table["to"][safe], BLUE, lw=4, label="never loses")
    found = np.linspace(*shares_between(), 200)
    formulas = pd.DataFrame(
        [{form: float(at) for form, at in edges(Fraction(d)).items()} for d in found]
    )
    low, high = (formulas[list(forms)] for forms in (LOWER, UPPER))
    ax.fill_between(found, low.max(axis=1), high.min(axis=1), color=BLUE, alpha=0.15, lw=0)
    ax.plot((0, 1), (1, 0), color=DARK, lw=0.9, ls="--")
    ax.text(0.61, 0.45, "from $b = 1 - d$ on O may\nfall into the corner trap", fontsize=8)
    ax.axhline(0.647, color="k", linewidth=0.8, linestyle=":")
    ax.text(0.61, 0.66, "the document's 0.647", fontsize=8)
    ax.set(
        xlabel="what a diagonal counts, $d$", ylabel="bias $b$", xlim=(0, 1.03), ylim=(-0.09, 0.75)
    )
    ax.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 0.12))
    return Drawing(figure, table)


def law() -> Drawing:
    """Above which b the second player never loses on n x n, conjectured and proven."""
    figure, ax = plt.subplots(figsize=(COLUMN, 3.2))
    table = thresholds.summary()
    numbers = table["n"]
    ax.plot(numbers, table["edge"], "o-", color=BLUE, ms=4, lw=1.2, label="the ratio")
    ax.plot(numbers - 0.16, table["loses"], "v", color=ORANGE, label="it can lose at this b")
    ax.plot(numbers + 0.16, table["safe"], "^", color="k", label="it never loses from here on")
    place = (numbers.iloc[3], table["edge"].iloc[3])
    ax.annotate("$w_{n-3}/w_{n-2}$", place, (5, 5), textcoords="offset points", fontsize=11.5)
    ax.set(xlabel="cells per side, n", ylabel="bias $b$", xticks=list(numbers))
    ax.legend(fontsize=8)
    return Drawing(figure, table)

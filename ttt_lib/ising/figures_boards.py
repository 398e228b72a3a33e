"""Figures of document 4 on boards larger than 3x3."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from ttt_lib.evidence.figures import DRAW_COLOUR, WIDTH, Drawing
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Grid
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.ising.exhibits import PUBLISHED, REPAIRED, Program, simulate
from ttt_lib.ising.runs import BOARDS, PROGRAM_SWEEPS
from ttt_lib.ising.sweep import with_intervals

COLOURS = {"equation": X_COLOUR, "published": O_COLOUR}
FLAWS = {
    "none (repaired)": REPAIRED,
    "stepping": replace(REPAIRED, stepping=True),
    "diagonals": replace(REPAIRED, diagonals=True),
    "gaps": replace(REPAIRED, gaps=True),
    "draw first": replace(REPAIRED, draw_first=True),
    "win test": replace(REPAIRED, win_test=True),
    "all (published)": replace(PUBLISHED, second_b=None),
}
"""Each departure of the program by itself, and all together, at the b asked for."""


def true_rules() -> Drawing:
    """Games a second Ising player loses to random play, over b, by true rules."""
    table = with_intervals(read_table("ising_sweeps.csv"), "win")
    figure, axes = plt.subplots(2, 4, figsize=(WIDTH, 3.9), sharex=True)
    for ax, size in zip(axes.flat, BOARDS, strict=False):
        for name, colour in COLOURS.items():
            part = table.query("board == @size and energy == @name")
            ax.plot(part["b"], 100 * part["share"], color=colour, label=name, linewidth=1.2)
            low, high = 100 * part["low"], 100 * part["high"]
            ax.fill_between(part["b"], low, high, color=colour, alpha=0.25, linewidth=0)
        ax.axvline(0.647, color="k", linewidth=0.7, linestyle=":")
        ax.set_title(size, loc="center")
        ax.set_ylim(0, _top(table.query("board == @size")))
        ax.set_xlim(0, 1)
        ax.tick_params(labelsize=7.5, labelbottom=True)
    axes[0, 0].set_ylabel("lost (%)")
    axes[1, 0].set_ylabel("lost (%)")
    _legend_panel(axes[1, 3], axes[0, 0])
    return Drawing(figure, table)


def _top(part: pd.DataFrame) -> float:
    """Upper end of an axis that shows the late losses as well as a few early ones."""
    late = 100 * part.loc[part["b"] >= 0.2, "share"].max()
    return float(max(0.05, 3 * late))


def _legend_panel(empty: Axes, source: Axes) -> None:
    empty.set_axis_off()
    empty.legend(*source.get_legend_handles_labels(), loc="center")


def wins() -> Drawing:
    """Games a second Ising player wins against random play, over b, by true rules."""
    table = with_intervals(read_table("ising_sweeps.csv"), "loss")
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 2.3), sharex=True, sharey=True)
    for ax, size in zip(axes, ("3x3", "4x4", "5x5", "6x6"), strict=True):
        for name, colour in COLOURS.items():
            part = table.query("board == @size and energy == @name")
            ax.plot(part["b"], 100 * part["share"], color=colour, label=name, linewidth=1.2)
        ax.axvline(0.647, color="k", linewidth=0.7, linestyle=":")
        ax.set_title(size, loc="center")
        ax.set_xlabel("bias $b$")
        ax.set(xlim=(0, 1), ylim=(50, 100))
    axes[0].set_ylabel("won (%)")
    axes[0].legend(loc="lower center", fontsize=8)
    return Drawing(figure, table)


def curve_4x4() -> Drawing:
    """The exact result on 4x4 for every b, as second and as first player."""
    table = read_table("ising_curve_4x4.csv")
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.7), sharey=True)
    for ax, side, name in zip(axes, "ox", ("second", "first"), strict=True):
        part = table[(table["side"] == side) & (table["from"] < table["to"])]
        x = part[["from", "to"]].to_numpy().ravel()
        for result, colour in (("draw", DRAW_COLOUR), ("loss", O_COLOUR)):
            share = [100 * float(Fraction(value)) for value in part[result]]
            ax.plot(x, np.repeat(share, 2), color=colour, label=result)
        ax.set(xlabel="bias $b$", xlim=(0, 1), ylim=(0, 9), title=f"Ising {name}")
    axes[0].set_ylabel("share of games (%)")
    axes[0].legend()
    return Drawing(figure, table)


def flaws(games: int = 20_000) -> Drawing:
    """What each departure of the program does by itself to its published shares."""
    boards = ("4x4", "5x5", "6x6", "4x4x4")
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 2.7), sharey=True)
    rows = []
    for ax, size in zip(axes, boards, strict=True):
        for place, (name, program) in enumerate(FLAWS.items()):
            shares = flaw_shares(program, size, games)
            rows.append([size, name, *shares])
            left = 0.0
            for share, colour in zip(shares[::-1], (X_COLOUR, DRAW_COLOUR, O_COLOUR), strict=True):
                ax.barh(place, 100 * share, left=left, color=colour, height=0.75)
                left += 100 * share
        ax.set_title(size, loc="center")
        ax.set(xlim=(0, 100), xlabel="games (%)", xticks=(0, 50, 100))
        ax.grid(visible=False)
    axes[0].set_yticks(range(len(FLAWS)), list(FLAWS))
    axes[0].invert_yaxis()
    columns = ["board", "flaw", "random_wins", "draws", "ising_wins"]
    return Drawing(figure, pd.DataFrame(rows, columns=columns))


def flaw_shares(program: Program, size: str, games: int, b: float = 0.647) -> list[float]:
    """Shares of random wins, draws and Ising wins, random first."""
    counts = simulate(program, Grid.parse(size), "RI", b, games, rng=0)
    return [float(count) / games for count in counts]


def program_fits() -> Drawing:
    """A replay of each published sweep with the fit of the degree that was drawn."""
    table = read_table("ising_program_sweeps.csv")
    names = [name for name in PROGRAM_SWEEPS if name != "3x3 fine"]
    figure, axes = plt.subplots(2, 3, figsize=(WIDTH, 3.8), sharex=True)
    for ax, name in zip(axes.flat, names, strict=True):
        size, _, games, degree = PROGRAM_SWEEPS[name]
        part = table.query("sweep == @name")
        x, y = part["printed"].to_numpy(), part["lost"].to_numpy()
        ax.plot(x, y, "o", markersize=2.4, color=DRAW_COLOUR)
        fitted = np.polynomial.Polynomial.fit(x, y, degree)(x)
        ax.plot(x, fitted, color=O_COLOUR)
        ax.plot(x[fitted.argmin()], fitted.min(), "v", color="k", markersize=5)
        ax.set_title(f"{size}, degree {degree}", loc="center")
        ax.set(xlim=(0, 1.02), ylim=(-0.6, max(3, y.max() * 1.1)))
        ax.set_ylabel(f"lost of {games}", fontsize=8)
    for ax in axes[1]:
        ax.set_xlabel("bias $b$, as printed")
    return Drawing(figure, table)


def self_play() -> Drawing:
    """Ising against itself on four boards, over b, by true rules."""
    table = read_table("ising_self_play.csv").query("energy == 'equation'")
    large = read_table("ising_large.csv").query("players == 'II'")
    table = pd.concat([table, large])
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 2.5), sharey=True)
    for ax, size in zip(axes, ("4x4", "4x4x4", "5x5x5", "5x5x5x5"), strict=True):
        part = table.query("board == @size")
        for result, colour in (("win", X_COLOUR), ("draw", DRAW_COLOUR), ("loss", O_COLOUR)):
            share = 100 * part[result] / part["games"]
            ax.plot(part["b"], share, color=colour, label=result, linewidth=1.3)
        ax.axvline(0.647, color="k", linewidth=0.7, linestyle=":")
        ax.set_title(size, loc="center")
        ax.set(xlim=(0, 1), ylim=(-3, 103), xlabel="bias $b$")
    axes[0].set_ylabel("first player (%)")
    axes[0].legend(fontsize=8, loc="center right")
    return Drawing(figure, table)


def cost() -> Drawing:
    """Processor seconds a game against the number of cells, with the document's own times."""
    table = read_table("ising_cost.csv")
    figure, ax = plt.subplots(figsize=(WIDTH, 3.4))
    cells = np.array([9.0, 700.0])
    pairs = (("RI", X_COLOUR, "random first"), ("II", "k", "Ising first"))
    for players, colour, name in pairs:
        part = table[table["players"] == players]
        for d, marker in {2: "o", 3: "s", 4: "^"}.items():
            points = part.query("d == @d")
            seconds = points["seconds_per_game"]
            label = f"{name}, d = {d}"
            ax.loglog(points["cells"], seconds, marker, color=colour, markersize=4.5, label=label)
        slope, level = np.polyfit(np.log(part["cells"]), np.log(part["seconds_per_game"]), 1)
        ax.loglog(cells, np.exp(level) * cells**slope, color=colour, linewidth=0.8)
        end = np.exp(level) * 720**slope
        ax.text(720, end, f"cells$^{{{slope:.2f}}}$", color=colour, va="center")
    ax.loglog([9, 625], [0.05, 1800], "D", color=O_COLOUR, label="as the document states")
    ax.set(xlabel="cells", ylabel="seconds a game", xlim=(7, 1500))
    ax.legend(loc="upper left", fontsize=7.5, ncols=2)
    return Drawing(figure, table)

"""Figures of document 4 on 3x3 and on geometry; the larger boards have their own module."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle as Box

from ttt_lib.evidence.claims import declared
from ttt_lib.evidence.figures import (
    BLUE,
    DARK,
    DRAW_COLOUR,
    ORANGE,
    RESULT_COLOURS,
    WIDTH,
    Drawing,
    area,
    bare,
    result_patches,
)
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Floats, Grid, parse
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.ising import curve
from ttt_lib.ising.claims import replay
from ttt_lib.ising.claims_bias import CHOSEN
from ttt_lib.ising.curve import Piece
from ttt_lib.ising.diagonals import margins
from ttt_lib.ising.energy import directions, energy_of, inward
from ttt_lib.ising.meaning import scored_curve, steps
from ttt_lib.ising.plane import Rectangle, plane, prove
from ttt_lib.ising.players import scores
from ttt_lib.ising.state_graph import graph

ENERGY_COLOURS = {"equation": BLUE, "published": ORANGE}
NAMES = {"random": "Random", "minimax": "Minimax", "ising": "Ising"}
"""Names of the players in figures."""
SHOWN_D, SHOWN_B = (0.08, 12.0), (0.05, 200.0)
"""What is drawn of the plane."""
TICKS = (0.1, 1, 10, 100)


def haircut() -> Drawing:
    """Directions that cells of a 3x3x3 board keep, in 3-D."""
    cells = {"inside": (1, 1, 1), "corner": (2, 0, 2), "edge": (2, 0, 1), "face": (2, 1, 1)}
    figure = plt.figure(figsize=(WIDTH, 1.95))
    rows = []
    for place, (name, cell) in enumerate(cells.items(), start=1):
        axes: Any = figure.add_subplot(1, 4, place, projection="3d")
        rows += _hair(axes, name, cell)
    return Drawing(figure, pd.DataFrame(rows, columns=["cell", "dx", "dy", "dz", "whole_line"]))


def _hair(axes: Any, name: str, cell: tuple[int, ...]) -> list[list[Any]]:
    grid, rows = Grid(3, 3), []
    for step in directions(3):
        if inward(grid, cell, step):
            whole = inward(grid, cell, [2 * s for s in step])
            reach = 1.85 if whole else 0.85
            axes.quiver(
                *cell,
                *(reach * s for s in step),
                color=BLUE if whole else DRAW_COLOUR,
                linewidth=1.5 if whole else 0.8,
                arrow_length_ratio=0.2 / reach,
            )
            rows.append([name, *step, whole])
    others = [other for other in product(range(3), repeat=3) if other != cell]
    axes.scatter(*np.array(others).T, s=4, color="#bbbbbb")
    axes.scatter(*cell, s=34, color=ORANGE)
    for corner in product((0, 2), repeat=3):
        for axis in (axis for axis in range(3) if corner[axis] == 0):
            ends = np.array([corner, corner])
            ends[1, axis] = 2
            axes.plot(*ends.T, color="#cccccc", linewidth=0.7)
    kept, lines = len(rows), sum(bool(row[-1]) for row in rows)
    axes.set_title(f"{name}: {kept} kept,\n{lines} along a whole line", fontsize=8.5, loc="center")
    axes.set_axis_off()
    axes.set_box_aspect((1, 1, 1), zoom=1.12)
    axes.set(xlim=(-0.1, 2.1), ylim=(-0.1, 2.1), zlim=(-0.1, 2.1))
    axes.view_init(elev=22, azim=-58)
    return rows


def heatmap() -> Drawing:
    """Own and other energy of every move in one position, and their sum at two values of b."""
    board = parse("x...o...x", Grid(3))[None]
    energy = energy_of("equation", Grid(3))
    own = scores(energy, 0.0)(board)[0]
    other = np.where(board[0] == 0, scores(energy, 1.0)(board)[0], 0.0)
    own = np.where(board[0] == 0, own, np.nan)
    other = other - own
    panels = {
        "own gain $P$": own,
        "opponent's gain $Q$": other,
        "$P + 0.1\\,Q$": own + 0.1 * other,
        "$P + 0.647\\,Q$": own + 0.647 * other,
    }
    figure, axes = plt.subplots(1, 4, figsize=(WIDTH, 1.85))
    for ax, (name, values) in zip(axes, panels.items(), strict=True):
        _board_heat(ax, board[0], values, name)
    table = pd.DataFrame({"cell": range(9), "own": own, "other": other})
    return Drawing(figure, table)


def _board_heat(ax: Axes, board: Any, values: Any, name: str) -> None:
    shown = np.where(np.isfinite(values), values, np.nan).reshape(3, 3)
    ax.imshow(shown, cmap="Blues", vmin=0, vmax=np.nanmax(shown) * 1.6)
    best = np.nanmax(shown)
    for cell, (row, column) in enumerate(np.ndindex(3, 3)):
        if board[cell]:
            symbol, colour = ("X", X_COLOUR) if board[cell] > 0 else ("O", O_COLOUR)
            ax.text(column, row, symbol, ha="center", va="center", color=colour, fontsize=15)
        else:
            ax.text(column, row, f"{shown[row, column]:.2f}", ha="center", va="center", fontsize=8)
            if shown[row, column] > best - 1e-9:
                corner = (column - 0.47, row - 0.47)
                ax.add_patch(Box(corner, 0.94, 0.94, fill=False, edgecolor="k", linewidth=1.6))
    ax.set_title(name, loc="center")
    bare(ax)
    ax.set(xticks=[], yticks=[])
    for line in (0.5, 1.5):
        ax.axhline(line, color="white", linewidth=2, zorder=0.5)
        ax.axvline(line, color="white", linewidth=2, zorder=0.5)


def wedges() -> Drawing:
    """The document's wedges, redrawn: exact chances inside, printed wins and draws outside."""
    names = ("random", "minimax", "ising")
    figure, axes = plt.subplots(3, 3, figsize=(WIDTH, 5.9))
    stored = read_table("ising_times.csv")
    times = dict(zip(stored["what"], stored["seconds"], strict=True))
    rows = []
    for (row, second), (column, first) in product(enumerate(names), enumerate(names)):
        exact = [float(value) for value in replay(first, second)]
        counts = str(declared(f"ising-table-{first}-{second}").published).split("-")
        printed = [int(count) / 100 for count in counts]
        rows.append([first, second, *exact, *printed])
        _rings(axes[row, column], exact, printed)
        shares = " / ".join(f"{100 * p:.1f}" for p in exact)
        spent = 1000 * times[f"3x3 {first[0].upper()} v {second[0].upper()}"]
        axes[row, column].set_xlabel(f"{shares}\n{spent:#.2g} ms per game", fontsize=8)
        if row == 0:
            axes[row, column].set_title(f"{NAMES[first]} first", loc="center")
        if column == 0:
            axes[row, column].set_ylabel(f"{NAMES[second]} second", fontsize=10)
    patches = result_patches([f"first player's {name}" for name in ("wins", "draws", "losses")])
    title = "disc: exact probabilities; ring: 100 games, wins and draws as printed"
    figure.legend(handles=patches, loc="outside lower center", ncols=3, title=title)
    columns = ["first", "second", *RESULT_COLOURS, *(f"printed_{r}" for r in RESULT_COLOURS)]
    return Drawing(figure, pd.DataFrame(rows, columns=columns))


def _rings(ax: Axes, exact: list[float], printed: list[float]) -> None:
    for all_shares, radius, width in ((exact, 0.68, 0.68), (printed, 1.0, 0.26)):
        edges = {"width": width, "edgecolor": "white", "linewidth": 0.8 * (max(all_shares) < 1)}
        # A wedge of no size would be drawn as a line.
        kept = [(p, area(r)) for p, r in zip(all_shares, RESULT_COLOURS, strict=True) if p > 0]
        styles = [style for _, style in kept]
        ax.pie(
            [share for share, _ in kept],
            radius=radius,
            colors=[style["facecolor"] for style in styles],
            hatch=[style["hatch"] for style in styles],
            startangle=90,
            counterclock=False,
            wedgeprops=edges,
        )
    ax.set_frame_on(False)


def steps_of(pieces: tuple[Piece, ...], result: str) -> tuple[Floats, Floats]:
    """Points of a step curve through the intervals of a curve: values of b, shares of a result."""
    spans = [piece for piece in pieces if not piece.is_point]
    x = [float(end) for piece in spans for end in (piece.start, piece.end)]
    y = [float(getattr(piece.outcome, result)) for piece in spans for _ in (0, 1)]
    return np.array(x), np.array(y)


LINES = {"equation": "-", "published": "--"}
"""Line styles that distinguish the two energies without colour."""

WHOSE = {"equation": "the text's energy", "published": "the program's energy"}
"""What legends call the two energies."""


def exact_curve() -> Drawing:
    """The exact losing chance of a second Ising player against random play, for every b."""
    figure, (whole, late) = plt.subplots(1, 2, figsize=(WIDTH, 3.1), width_ratios=(1, 1))
    rows = []
    for name, colour in ENERGY_COLOURS.items():
        pieces = curve.named(name, "o", "random")
        b, lost = steps_of(pieces, "loss")
        for ax in (whole, late):
            ax.plot(b, 100 * lost, color=colour, ls=LINES[name], label=WHOSE[name])
            points = [(float(p.start), 100 * float(p.outcome.loss)) for p in pieces if p.is_point]
            ax.plot(*np.array(points).T, "o", markersize=2.8, color=colour)
        rows += [[name, float(p.start), float(p.end), float(p.outcome.loss)] for p in pieces]
    whole.set(xlabel="bias $b$", ylabel="games lost (%)", xlim=(-0.01, 0.4), ylim=(0, 17))
    late.set(xlabel="bias $b$", xlim=(0, 1.01), ylim=(0, 2.2))
    late.axvline(0.647, color="k", linewidth=0.9, linestyle=":")
    late.text(0.66, 1.45, "$b = 0.647$", fontsize=8)
    clear = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for start, text in ((1, "$w_1/w_2$"), (2, "$w_1/(w_2 - w_1)$")):
        step = steps(energy_of("equation", Grid(3)))
        at_b = float(step[1] / (step[2] if start == 1 else step[2] - step[1]))
        late.axvline(at_b, color=BLUE, linewidth=0.7, linestyle=(0, (1, 1)))
        place: Any = {"xytext": (0.42, 2.33 - 0.25 * start), "va": "center", "color": BLUE}
        place["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        arrow = {"arrowstyle": "-", "lw": 0.6, "color": BLUE}
        late.annotate(text, (at_b, 2.33 - 0.25 * start), fontsize=9, arrowprops=arrow, **place)
    late.text(0.97, 0.66, "the program's energy", fontsize=8, ha="right", va="bottom", bbox=clear)
    late.text(0.97, 0.35, "the text's energy", fontsize=8, ha="right", va="top", bbox=clear)
    whole.set_title("small b")
    late.set_title("all b, losses below 2%")
    whole.legend()
    return Drawing(figure, pd.DataFrame(rows, columns=["energy", "from", "to", "loss"]))


def all_curves() -> Drawing:
    """Exact results over b for both sides and three opponents, both energies."""
    figure, axes = plt.subplots(4, 3, figsize=(WIDTH, 6.2), sharex=True, sharey=True)
    rows = []
    pairs = [(name, side) for name in ENERGY_COLOURS for side in "xo"]
    opponents = ("random", "minimax", "ising")
    for (row, (name, side)), (column, other) in product(enumerate(pairs), enumerate(opponents)):
        pieces = curve.named(name, side, other)
        _stack(axes[row, column], pieces)
        rows += [
            [name, side, other, float(p.start), float(p.end), *map(float, p.outcome)]
            for p in pieces
        ]
        if row == 0:
            whom = "itself" if other == "ising" else other
            axes[row, column].set_title(f"against {whom}", loc="center")
        if column == 0:
            axes[row, column].set_ylabel(f"{WHOSE[name]},\nas {side.upper()}", fontsize=8)
        if row == 3:
            axes[row, column].set_xlabel("bias $b$")
    figure.legend(handles=result_patches(), loc="outside lower center", ncols=3)
    figure.supylabel("share of games", fontsize=9)
    columns = ["energy", "side", "opponent", "from", "to", "win", "draw", "loss"]
    return Drawing(figure, pd.DataFrame(rows, columns=columns))


def _stack(ax: Axes, pieces: tuple[Piece, ...]) -> None:
    x, win = steps_of(pieces, "win")
    draw = win + steps_of(pieces, "draw")[1]
    ax.fill_between(x, 0, win, **area("win"))
    ax.fill_between(x, win, draw, **area("draw"))
    ax.fill_between(x, draw, 1, **area("loss"))
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    ax.grid(visible=False)


def fit() -> Drawing:
    """A replay of the published sweep with its polynomial fits, over the exact curve."""
    table = read_table("ising_program_sweeps.csv").query("sweep == '3x3 fine'")
    x, y = table["printed"].to_numpy(), table["lost"].to_numpy()
    figure, ax = plt.subplots(figsize=(WIDTH, 3.3))
    ax.plot(x, y, ".", markersize=2.6, color=DRAW_COLOUR, label="replay, 1000 games each")
    series = {"replay": (x, y)}
    grid = np.linspace(0, 1, 500)
    for degree, style, colour in ((11, "-.", "black"), (2, "--", ORANGE)):
        values = np.polynomial.Polynomial.fit(x, y, degree)(grid)
        # The last digits of least squares differ from one processor to the next.
        series[f"degree {degree}"] = grid, values.round(6)
        ax.plot(grid, values, style, color=colour, lw=1.4, label=f"polynomial of degree {degree}")
        if degree == 2:
            ax.plot(grid[values.argmin()], values.min(), "v", color="k", markersize=5)
    exact_x, exact_y = steps_of(scored_curve(), "loss")
    series["exact"] = exact_x + 0.001, 1000 * exact_y
    ax.plot(*series["exact"], color=BLUE, label="exact, as the program scores")
    ax.axhline(0, color="k", linewidth=0.6)
    ax.plot([0.647, 0.647], [-12, 80], color="k", linewidth=0.9, linestyle=":")
    ax.text(0.655, 70, "$b = 0.647$", fontsize=8)
    ax.set(xlabel="bias $b$, as printed", ylabel="games lost of 1000", ylim=(-12, 175), xlim=(0, 1))
    ax.legend()
    rows = [pd.DataFrame({"series": s, "printed": b, "lost": k}) for s, (b, k) in series.items()]
    return Drawing(figure, pd.concat(rows, ignore_index=True))


def network() -> Drawing:
    """The network of 3x3 up to symmetry, layer by layer."""
    import networkx as nx

    net = graph(Grid(3), canonical=True)
    layers: dict[int, list[str]] = {}
    for name, data in net.nodes(data=True):
        layers.setdefault(data["ply"], []).append(name)
    place = _places(layers)
    figure, ax = plt.subplots(figsize=(WIDTH, 6.2))
    edges = nx.draw_networkx_edges(net, place, ax=ax, arrows=False, width=0.15, alpha=0.3)
    edges.set_zorder(0)
    for (value, ended), (marker, face, edge, label) in NODES.items():
        nodes = [
            place[n]
            for n, d in net.nodes(data=True)
            if d["value"] == value and (net.out_degree(n) == 0) == ended
        ]
        across, down = np.array(nodes).T
        style: dict[str, Any] = {"facecolors": face, "edgecolors": edge, "label": label}
        ax.scatter(across, down, s=11, linewidths=0.7, marker=marker, **style)
    for ply, names in layers.items():
        middle = float(np.mean([place[name][1] for name in names]))
        ax.text(-1.06, middle, f"{ply}", ha="right", va="center", fontsize=8)
        ax.text(1.04, middle, f"{len(names)}", ha="left", va="center", fontsize=8)
    ax.text(-1.06, 0.8, "stones", ha="right", fontsize=8)
    ax.text(1.04, 0.8, "states", ha="left", fontsize=8)
    ax.set_axis_off()
    depths = [y for _, y in place.values()]
    ax.set(xlim=(-1.18, 1.18), ylim=(min(depths) - 0.5, 1.3))
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    rows = [[n, d["ply"], d["value"], d["winner"]] for n, d in net.nodes(data=True)]
    return Drawing(figure, pd.DataFrame(rows, columns=["board", "ply", "value", "winner"]))


NODES = {
    (1, False): ("^", X_COLOUR, X_COLOUR, "X can force a win"),
    (0, False): ("o", "white", DARK, "neither can"),
    (-1, False): ("v", O_COLOUR, O_COLOUR, "O can force a win"),
    (1, True): ("^", X_COLOUR, "black", "X has won"),
    (0, True): ("s", "white", "black", "full board, drawn"),
    (-1, True): ("v", O_COLOUR, "black", "O has won"),
}
"""Marker, its face and edge colours, and name of a state, by value and whether the game is over."""

PER_LINE = 60
"""States per line; a larger layer takes several lines."""


def _places(layers: dict[int, list[str]]) -> dict[str, tuple[float, float]]:
    """Where each state is drawn: from -1 to 1 across, and line by line down."""
    place, down = {}, 0.0
    for names in layers.values():
        lines = -(-len(names) // PER_LINE)
        across = np.linspace(-1, 1, len(names) + 2)[1:-1]
        for k, name in enumerate(names):
            place[name] = (float(across[k]), -down - 0.55 * (k % lines))
        down += 1.6 + 0.55 * (lines - 1)
    return place


def rectangles() -> Drawing:
    """Where nobody beats the second player on 3x3, and the rectangles that prove it."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.4), sharey=True)
    rows = []
    for ax, (name, colour) in zip(axes, ENERGY_COLOURS.items(), strict=True):
        parts = list(prove(plane(name, -1)))
        for part in parts:
            ax.add_patch(_box(part))
        _island(ax, name, colour)
        ax.plot(1, CHOSEN, "o", color="k", ms=4)
        place = {"xytext": (7, -3), "textcoords": "offset points", "fontsize": 8}
        ax.annotate("the document", (1, CHOSEN), **place)
        ax.set_title(WHOSE[name], fontsize=10)
        ax.set(xscale="log", yscale="log", xlim=SHOWN_D, ylim=SHOWN_B)
        ax.set(xticks=TICKS[:3], xticklabels=TICKS[:3], yticks=TICKS, yticklabels=TICKS)
        ax.set_xlabel("what a diagonal counts, $d$")
        ax.grid(visible=False)
        rows += [(name, *part.d, *part.b, part.found) for part in parts]
    axes[0].set_ylabel("bias $b$")
    table = pd.DataFrame(rows, columns=["energy", "d_from", "d_to", "b_from", "b_to", "found"])
    return Drawing(figure, table)


def _box(part: Rectangle) -> Box:
    """A rectangle's outline, cut off where nothing is drawn."""
    (left, right), (low, high) = (
        np.clip(ends, *shown) for ends, shown in ((part.d, SHOWN_D), (part.b, SHOWN_B))
    )
    return Box((left, low), right - left, high - low, fill=False, ec=DARK, lw=0.4)


def _island(ax: Axes, name: str, colour: str) -> None:
    """Where all conditions of an energy hold."""
    d, b = np.meshgrid(np.geomspace(*SHOWN_D, 800), np.geomspace(*SHOWN_B, 800))
    values = [k + kd * d + kb * b + kdb * d * b for k, kd, kb, kdb in margins(name).tolist()]
    ax.contourf(d, b, np.min(values, axis=0), levels=[0, np.inf], colors=[colour], alpha=0.8)

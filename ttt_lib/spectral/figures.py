"""Figures of notebook 02."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.figures import (
    BLUE,
    COLUMN,
    GREY,
    ORANGE,
    RESULT_COLOURS,
    WIDTH,
    Drawing,
    area,
    bare,
    result_patches,
    true_minus,
)
from ttt_lib.game.board import Floats, Grid, parse
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import random_agent, safety
from ttt_lib.game.record import record
from ttt_lib.game.stats import mean_interval
from ttt_lib.spectral import degrees, fidelity
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.handcrafted import analytical, hybrid
from ttt_lib.spectral.interpret import score_grid
from ttt_lib.spectral.labels import mover_chances
from ttt_lib.spectral.policy import spectral, trained

GRID = Grid(3)
KINDS = {False: "standard", True: "symmetric"}


def _map(axes: Axes, values: Floats, limit: float, title: str) -> None:
    """A square of numbers on a diverging colour scale, without grid lines."""
    axes.imshow(values, cmap="PuOr_r", vmin=-limit, vmax=limit)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            ink = "white" if abs(value) > 0.62 * limit else "black"
            axes.text(column, row, _number(value), ha="center", va="center", color=ink)
    axes.set_title(title)
    bare(axes)


def _number(value: float) -> str:
    """Two decimals, with a true minus sign, and none before a zero."""
    return true_minus(f"{round(value, 2) + 0.0:.2f}")


def waves() -> Drawing:
    """The nine cosine waves of a 3x3 board: how each coefficient weights the cells."""
    basis = dct_features(np.eye(9, dtype=np.int8), GRID)[:, :9].T.reshape(3, 3, 3, 3)
    figure, grid = plt.subplots(3, 3, figsize=(COLUMN, 4.6))
    along = (np.arange(240) + 0.5) / 80  # across the board, in cells
    rows = []
    for (u, v), axes in np.ndenumerate(grid):
        down, across = (np.cos(np.pi * k * along / 3) for k in (u, v))
        scale = [1.0 if k == 0 else np.sqrt(2) for k in (u, v)]
        wave = np.outer(down, across) * scale[0] * scale[1] / 3
        axes.imshow(wave, cmap="PuOr_r", vmin=-0.75, vmax=0.75, extent=(-0.5, 2.5, 2.5, -0.5))
        for (row, column), value in np.ndenumerate(basis[u, v]):
            ink = axes.text(column, row, _number(value), ha="center", va="center", fontsize=8)
            ink.set_path_effects([withStroke(linewidth=2, foreground="white")])
            rows.append({"u": u, "v": v, "row": row, "column": column, "value": value})
        axes.set_title(f"u={u}, v={v}", fontsize=9)
        bare(axes)
        axes.set(xticks=[], yticks=[], xlim=(-0.5, 2.5), ylim=(2.5, -0.5))
        for line in (0.5, 1.5):
            axes.axhline(line, color="white", lw=1)
            axes.axvline(line, color="white", lw=1)
    return Drawing(figure, pd.DataFrame(rows).round(9))


def weight_maps() -> Drawing:
    """The weights by frequency, and transformed back to cells, standard and symmetric."""
    figure, grid = plt.subplots(2, 4, figsize=(WIDTH, 3.6))
    rows: list[dict[str, Any]] = []
    for column, (symmetric, channel) in enumerate((s, c) for s in (False, True) for c in (0, 1)):
        model = trained(GRID, symmetric=symmetric)
        by_frequency = model.weights.reshape(2, 3, 3)[channel]
        by_cell = model.cells[channel]
        name = f"{'XO'[channel]}, {KINDS[symmetric]}"
        _map(grid[0, column], by_frequency, 0.21, name)
        _map(grid[1, column], by_cell, 0.18, "")
        grid[0, column].set_xticks(range(3), [f"v={v}" for v in range(3)])
        grid[0, column].set_yticks(range(3), [f"u={u}" for u in range(3)] if column == 0 else [])
        grid[1, column].set(xticks=[], yticks=[])
        for (u, v), weight in np.ndenumerate(by_frequency):
            head = {"features": KINDS[symmetric], "channel": "XO"[channel], "row_or_u": u}
            rows.append({**head, "column_or_v": v, "weight": weight, "cell": by_cell[u, v]})
    grid[0, 0].set_ylabel("weight of frequency")
    grid[1, 0].set_ylabel("weight of cell")
    return Drawing(figure, pd.DataFrame(rows).round(9))


def priority_lists() -> Drawing:
    """The lists of cells that the models play, and the best possible lists."""
    best = store.read_table("spectral_orderings.csv").set_index(["side", "safety"])["best_list"]
    lists = {
        "learned, standard": trained(GRID).priorities()[0],
        "learned, symmetric": trained(GRID, symmetric=True).priorities()[0],
        "best list as X": np.array(best["x", "no"].split(), dtype=int),
        "best list as O": np.array(best["o", "no"].split(), dtype=int),
    }
    figure, panels = plt.subplots(1, 4, figsize=(WIDTH, 1.9))
    rows = []
    for axes, (name, order) in zip(panels, lists.items(), strict=True):
        places = np.empty(9)
        places[order] = np.arange(1, 10)
        _ranks(axes, places.reshape(3, 3), name)
        rows += [{"list": name, "place": k + 1, "cell": int(c)} for k, c in enumerate(order)]
    return Drawing(figure, pd.DataFrame(rows))


def _ranks(axes: Axes, places: Floats, title: str) -> None:
    axes.imshow(places, cmap="Blues_r", vmin=-1, vmax=12)
    for (row, column), place in np.ndenumerate(places):
        ink = "white" if place < 3 else "black"
        axes.text(column, row, f"{place:.0f}", ha="center", va="center", color=ink, fontsize=13)
    axes.set_title(title)
    bare(axes)
    axes.set(xticks=[], yticks=[])


STATES = {
    "X to move": ".........",
    "O to move": "....x....",
    "X can win": "x.o.x.o..",
    "O must block": "x...x.o..",
}


def heatmaps() -> Drawing:
    """Exact winning chance by cell on four boards, and the scores of two linear models."""
    tree = solve(GRID)
    truth, models = mover_chances(tree), (trained(GRID), trained(GRID, labels="probability"))
    figure, panels = plt.subplots(3, 4, figsize=(WIDTH, 5.0))
    rows = []
    for column, (name, text) in enumerate(STATES.items()):
        board = parse(text, GRID)
        state = int(tree.index(board[None])[0])
        layers = [truth[state], *(score_grid(model, board).ravel() for model in models)]
        for row, (values, limit) in enumerate(zip(layers, (1, 0.6, 0.8), strict=True)):
            _positions(panels[row, column], values, board, limit)
            panels[row, column].set_title(name if row == 0 else "")
        for cell in range(9):
            values = [layer[cell] for layer in layers]
            columns = ("exact", "score_01", "score_probability")
            rows.append({"board": text, "cell": cell, **dict(zip(columns, values, strict=True))})
    for axes, label in zip(
        panels[:, 0], ("exact P(win)", "0/1 labels", "P(win) labels"), strict=True
    ):
        axes.set_ylabel(label)
    return Drawing(figure, pd.DataFrame(rows).round(9))


def _positions(axes: Axes, values: Floats, board: NDArray[np.int8], limit: float) -> None:
    """Numbers on the free cells (the best one framed), stones on the others."""
    axes.imshow(values.reshape(3, 3), cmap="Greens", vmin=0, vmax=limit)
    best = np.nanmax(values)
    for cell, value in enumerate(values):
        row, column = divmod(cell, 3)
        stone = {1: "X", -1: "O", 0: _number(value)}[int(board[cell])]
        ink = {1: X_COLOUR, -1: O_COLOUR, 0: "white" if value > 0.72 * limit else "black"}
        size = 9 if board[cell] == 0 else 14
        style = {"ha": "center", "va": "center", "fontsize": size, "color": ink[int(board[cell])]}
        axes.text(column, row, stone, **style)  # type: ignore[arg-type]
        if value >= best - 1e-9:
            frame = Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fill=False, lw=1.8, ec="k")
            axes.add_patch(frame)
    bare(axes)
    axes.set(xticks=[], yticks=[])


def reliability() -> Drawing:
    """Mean exact chance against score for three models."""
    maps = {
        "0/1 labels": fidelity.heatmaps(trained(GRID)),
        "P(win) labels": fidelity.heatmaps(trained(GRID, labels="probability")),
    }
    maps["P(win), one line per depth"] = fidelity.calibrate_by_depth(maps["P(win) labels"])
    figure, axes = plt.subplots(figsize=(COLUMN, 3.6))
    axes.plot([0, 1], [0, 1], color="#888888", lw=1, ls="--", label="perfectly calibrated")
    tables = []
    looks = (("o", GREY), ("s", BLUE), ("D", ORANGE))
    for (marker, colour), (name, found) in zip(looks, maps.items(), strict=True):
        curve = fidelity.reliability(found)
        axes.plot(curve["score"], curve["truth"], marker=marker, ms=4, color=colour, label=name)
        tables.append(curve.assign(model=name))
    axes.set(xlabel="score of the move", ylabel="exact P(win) under random play")
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.legend(loc="lower right", fontsize=8)
    return Drawing(figure, pd.concat(tables, ignore_index=True))


def _bars(axes: Axes, table: pd.DataFrame, names: Sequence[str]) -> None:
    """Horizontal bars of win, draw and loss shares, the first row on top."""
    left = np.zeros(len(table))
    places = np.arange(len(table))[::-1]
    for result, colour in RESULT_COLOURS.items():
        widths = table[result].to_numpy()
        axes.barh(places, widths, left=left, height=0.72, **area(result))
        ink = {"color": "white" if result == "win" else "black", "fontsize": 7}
        ground = {"facecolor": "white" if result == "loss" else colour, "ec": "none", "pad": 0.3}
        for place, start, width in zip(places, left, widths, strict=True):
            if width >= 0.1:
                text = f"{width:.3f}"[1:] if width < 1 else "1"
                middle = {"ha": "center", "va": "center", "bbox": ground}
                axes.text(start + width / 2, place, text, **ink, **middle)  # type: ignore[arg-type]
        left += widths
    axes.set_yticks(places, names)
    axes.set(xlim=(0, 1))
    axes.grid(visible=False)


@cache
def players() -> dict[str, Any]:
    """The players of document 2 that are compared on 3x3."""
    return {
        "random": random_agent(GRID),
        "random + rule": safety(random_agent(GRID)),
        "standard, no rule": spectral(GRID, safety="no"),
        "symmetric, no rule": spectral(GRID, symmetric="yes", safety="no"),
        "standard + rule": spectral(GRID),
        "symmetric + rule": spectral(GRID, symmetric="yes"),
        "analytical": analytical(GRID),
        "hybrid": hybrid(GRID),
    }


def strength() -> Drawing:
    """Exact results of the players on both sides against the random and the perfect player."""
    figure, panels = plt.subplots(2, 2, figsize=(WIDTH, 4.6), sharex=True, sharey=True)
    records = {name: record(agent, ("random", "minimax")) for name, agent in players().items()}
    tables = []
    for row, opponent in enumerate(("random", "minimax")):
        for column, side in enumerate("xo"):
            shares = [r.matches[side, opponent]._asdict() for r in records.values()]
            table = pd.DataFrame(shares).astype(float)
            axes = panels[row, column]
            _bars(axes, table, list(records))
            who = {"random": "random play", "minimax": "the perfect player"}[opponent]
            axes.set_title(f"as {side.upper()}, against {who}")
            head = {"player": list(records), "side": side, "opponent": opponent}
            tables.append(table.assign(**head))
    for axes in panels[1]:
        axes.set_xlabel("exact probability")
    figure.legend(handles=result_patches(), loc="outside lower center", ncols=3)
    return Drawing(figure, pd.concat(tables, ignore_index=True))


SEARCH_ROWS = {
    "spectral:symmetric=no,safety=yes": "standard + rule",
    "spectral:symmetric=yes,safety=yes": "symmetric + rule",
    "safety+random": "random + rule",
    "spectral:symmetric=no,safety=no": "standard, no rule",
    "spectral:symmetric=yes,safety=no": "symmetric, no rule",
}


def tree_search() -> Drawing:
    """Results on 4x4 against tree search, with the right and with the wrong sign."""
    games = store.read_table("spectral_games.csv")
    games = games[(games["board"] == "4x4") & games["player"].isin(SEARCH_ROWS)]
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 2.6), sharey=True)
    titles = {"uct@150": "a search that works", "uct@150, wrong sign": "the sign reversed"}
    tables = []
    for axes, (opponent, title) in zip(panels, titles.items(), strict=True):
        rows = games[games["opponent"] == opponent]
        shares = [rows[result] / rows["games"] for result in RESULT_COLOURS]
        trainings = pd.concat(shares, axis=1, keys=RESULT_COLOURS).groupby(rows["player"])
        means, reach = trainings.mean().loc[list(SEARCH_ROWS)], _reach(trainings)
        _bars(axes, means, list(SEARCH_ROWS.values()))
        _ends(axes, means, reach.loc[list(SEARCH_ROWS)])
        axes.set(title=title, xlabel="share of games")
        tables.append(means.join(reach.add_suffix(" +-")).reset_index().assign(opponent=opponent))
    figure.legend(handles=result_patches(), loc="outside lower center", ncols=3)
    return Drawing(figure, pd.concat(tables, ignore_index=True))


def _reach(groups: pd.api.typing.DataFrameGroupBy[Any, Any]) -> pd.DataFrame:
    """Half-width of the 95% t interval of a mean over training runs; none where all are alike."""

    def half(shares: pd.Series[float]) -> float:
        return float(np.ptp(mean_interval(shares))) / 2 or np.nan

    return pd.DataFrame(groups.agg(half))


def _ends(axes: Axes, means: pd.DataFrame, reach: pd.DataFrame) -> None:
    """Intervals of wins, at the right end of their bars, and of losses, at the left end."""
    places = np.arange(len(means))[::-1] - 0.26  # below the numbers in the bars
    for result, at in (("win", means["win"]), ("loss", 1 - means["loss"])):
        axes.errorbar(
            at, places, xerr=reach[result], fmt="none", ecolor="black", elinewidth=0.9, capsize=2
        )


DEGREES: tuple[degrees.Degree, ...] = (1, 2, "lines", 3, 4)


@cache
def degree_table() -> pd.DataFrame:
    """Explained variance and exact strength of polynomials, by degree and inputs."""
    targets: tuple[degrees.Target, ...] = ("minimax", "random")
    cases = product(targets, (False, True), DEGREES)
    return pd.DataFrame(_degree_row(degree, sided, target) for target, sided, degree in cases)


def _degree_row(degree: degrees.Degree, sided: bool, target: Any) -> dict[str, Any]:
    found = degrees.fit(degree, sided=sided, target=target)
    played = record(degrees.player(found), ("random", "minimax"))
    return {
        "target": target,
        "side to move": "yes" if sided else "no",
        "degree": str(degree),
        "coefficients": found.size,
        "R2": found.r2,
        "states misplayed": played.misplayed,
        "loss as X, random": float(played.matches["x", "random"].loss),
        "loss as O, random": float(played.matches["o", "random"].loss),
        "loss as X, perfect": float(played.matches["x", "minimax"].loss),
        "loss as O, perfect": float(played.matches["o", "minimax"].loss),
        "never loses": played.worst["x"] >= 0 and played.worst["o"] >= 0,
    }


def degree_spectrum() -> Drawing:
    """How much of the value each degree explains, and how strong a player of that degree is."""
    table = degree_table()
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.0))
    places = range(len(DEGREES))
    styles = {("minimax", "no"): ("o-", BLUE), ("minimax", "yes"): ("o--", BLUE)}
    styles |= {("random", "no"): ("s-", ORANGE), ("random", "yes"): ("s--", ORANGE)}
    for (target, sided), (line, colour) in styles.items():
        rows = table[(table["target"] == target) & (table["side to move"] == sided)]
        word = {"minimax": "perfect play", "random": "random play"}[target]
        label = f"{word}, {'one for each side' if sided == 'yes' else 'one polynomial'}"
        look: dict[str, Any] = {"color": colour, "ms": 4.5, "label": label, "clip_on": False}
        if sided == "yes":
            look["mfc"] = "white"
        left.plot(places, rows["R2"], line, **look)
        right.plot(places, rows["states misplayed"] / 4520, line, **look)
    for axes in (left, right):
        axes.set_xticks(places, ["1", "2", "8 lines\n(of 3)", "3", "4"])
        axes.set(xlabel="degree: stones in a product", ylim=(0, None))
    left.set(ylabel="share of variance explained")
    right.set(ylabel="share of states misplayed")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return Drawing(figure, table)

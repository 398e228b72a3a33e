"""Figures of notebook 01."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from ttt_lib.evidence import store
from ttt_lib.evidence.documents import published_elsewhere
from ttt_lib.evidence.figures import (
    AMBER,
    BLUE,
    COLUMN,
    DRAW_COLOUR,
    GREEN,
    INK,
    ORANGE,
    PUBLISHED_COLOUR,
    WIDTH,
    Drawing,
    whiskers,
)
from ttt_lib.game.board import Floats
from ttt_lib.game.policy import lookahead
from ttt_lib.game.stats import with_intervals
from ttt_lib.playout_mlp import ceilings, study
from ttt_lib.playout_mlp.claims import published_run
from ttt_lib.playout_mlp.data import GRID, PLAYOUTS
from ttt_lib.playout_mlp.lost_games import losses
from ttt_lib.playout_mlp.model import stored_nets

EMPTIES = (8, 6, 4, 2, 0)
EXACT_COLOUR = INK
NET_COLOUR = GREEN
ROWS_COLOUR, PLAYOUTS_COLOUR = AMBER, BLUE
"""Networks on test rows under the split by rows, and under that by playouts."""


def seeds() -> pd.DataFrame:
    """The stored table of seeds."""
    return store.read_table("playout_mlp_seeds.csv")


def _axes(*shape: int, height: float = 3.2, **options: Any) -> tuple[Any, Any]:
    return plt.subplots(*shape, figsize=(WIDTH, height), **options)


def accuracy_by_empties() -> Drawing:
    """Accuracy by number of empty cells: ceiling, majority class, and the networks."""
    people, table = ceilings.population(), seeds()
    data = pd.DataFrame(
        {
            "empty": EMPTIES,
            "ceiling": [float(v) for v in ceilings.by_empties(people, ceilings.ceiling).values()],
            "majority": [float(v) for v in ceilings.by_empties(people, ceilings.majority).values()],
            **_spread(table, "population_accuracy_{}", "net"),
            **_spread(table, "accuracy_{}", "test"),
        }
    )
    figure, axis = plt.subplots(figsize=(COLUMN, 3.2))
    places = np.arange(len(EMPTIES))
    axis.plot(places, data.ceiling, "s-", ms=4, color=EXACT_COLOUR, label="ceiling (exact)")
    axis.plot(places, data.majority, ":", color=DRAW_COLOUR, label="always “x wins” (exact)")
    for name, colour, marker, shift, text in (
        ("net", NET_COLOUR, "o", -0.16, "network, all boards by visits"),
        ("test", ROWS_COLOUR, "D", 0.16, "network, its own test rows"),
    ):
        errors = [
            data[f"{name}_mid"] - data[f"{name}_low"],
            data[f"{name}_high"] - data[f"{name}_mid"],
        ]
        look: dict[str, Any] = {"fmt": marker, "ms": 4, "color": colour, "label": text}
        axis.errorbar(places + shift, data[f"{name}_mid"], errors, **look)
    axis.set_xticks(places, [str(count) for count in EMPTIES])
    axis.set(xlabel="empty cells", ylabel="accuracy (share of boards)", ylim=(0.42, 1.02))
    axis.margins(x=0.08)
    axis.legend(loc="upper left", fontsize=8)
    return Drawing(figure, data)


def _spread(table: pd.DataFrame, column: str, name: str) -> dict[str, list[float]]:
    """Median and central 95% of the seeds, for each number of empty cells."""
    parts = [table[column.format(count)].quantile([0.025, 0.5, 0.975]) for count in EMPTIES]
    low, mid, high = np.array(parts).T
    return {f"{name}_low": list(low), f"{name}_mid": list(mid), f"{name}_high": list(high)}


def published_among_seeds() -> Drawing:
    """The published accuracies among those of the seeds, with their ceilings."""
    table, people = seeds(), ceilings.population()
    columns = ("accuracy", "late_accuracy")
    data = table[["seed", *columns]]
    tops = (float(ceilings.ceiling(people)), float(ceilings.ceiling(ceilings.late(people))))
    figure, axes = _axes(1, 2, height=3.3)
    further = []
    for axis, column, top in zip(axes, columns, tops, strict=True):
        value = published_run()[column]
        _stack(axis, np.asarray(table[column]), (top, value))
        axis.axvline(top, color=EXACT_COLOUR, ls="--", label=f"ceiling {top:.3f}")
        axis.axvline(value, color=PUBLISHED_COLOUR, label=f"published {value:.3f}")
        further.append(_further(axis, column))
        axis.set(xlabel="test accuracy", ylim=(0, 9.6), yticks=range(0, 9, 2))
        axis.set_title(TITLES[column], pad=22)
        look: dict[str, Any] = {"ncols": 2, "columnspacing": 1.2, "handlelength": 1.4}
        axis.legend(loc="lower left", bbox_to_anchor=(-0.03, 1), **look)
    axes[0].set_ylabel("seeds")
    marks = [
        axes[0].plot([], [], marker, ls="", color=colour, markerfacecolor=face, label=label)[0]
        for marker, colour, face, label in MARKS
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3)
    return Drawing(figure, pd.concat([data, *further], ignore_index=True))


def _further(axis: Any, column: str) -> pd.DataFrame:
    """Diamonds for the other published runs, hollow for those with more than 1000 playouts."""
    runs = published_elsewhere(1)[["playouts", column.replace("_", " ")]]
    runs.columns = pd.Index(["playouts", column])
    runs = runs[runs[column] != ""].astype(float)
    for playouts, value in runs.to_numpy():
        face = PUBLISHED_COLOUR if playouts == PLAYOUTS else "white"
        axis.plot([value], [9.0], "D", ms=5, color=PUBLISHED_COLOUR, markerfacecolor=face)
    return runs


MARKS = (
    ("o", ROWS_COLOUR, ROWS_COLOUR, "one seed"),
    ("D", PUBLISHED_COLOUR, PUBLISHED_COLOUR, "another published run"),
    ("D", PUBLISHED_COLOUR, "white", "one with more playouts"),
)

TITLES = {"accuracy": "all boards", "late_accuracy": "at most two empty cells"}


CLEAR = 0.0012
"""How far a dot keeps away from a line."""


def _stack(axis: Any, values: Floats, lines: Sequence[float]) -> None:
    """One dot per value, stacked in bins at the mean of each, on the same side of every line."""
    bins = pd.DataFrame({"value": values, "bin": np.round(values / 0.005)})
    for number, line in enumerate(lines):
        bins[f"side {number}"] = values >= line
    for _, part in bins.groupby([name for name in bins if name != "value"]):
        middle = part["value"].mean()
        for line in lines:  # no dot may hide on a line
            if abs(middle - line) < CLEAR:
                middle = line + CLEAR if part["value"].iloc[0] >= line else line - CLEAR
        x = np.full(len(part), middle)
        axis.plot(x, np.arange(len(part)) + 1, "o", ms=4.5, color=ROWS_COLOUR)


def leak() -> Drawing:
    """Test accuracy by rows, by playouts and on all boards, compared with the best possible."""
    table = seeds()
    kinds = {
        "accuracy": ("network, split by rows", ROWS_COLOUR),
        "grouped_accuracy": ("network, split by playouts", PLAYOUTS_COLOUR),
        "population_accuracy": ("network, all boards by visits", NET_COLOUR),
        "oracle_accuracy": ("best function, split by rows", EXACT_COLOUR),
    }
    figure, axis = _axes(height=2.6)
    # Fixed vertical offsets, so that dots don't hide each other.
    fan = 0.5 * (np.arange(len(table)) * 0.618 % 1 - 0.5)
    for place, (column, (_, colour)) in enumerate(kinds.items()):
        axis.plot(table[column], place + fan, "o", ms=3.5, alpha=0.6, color=colour)
        mean = table[column].mean()
        axis.plot([mean, mean], [place - 0.38, place + 0.38], color=colour, lw=3, zorder=3)
    top = float(ceilings.ceiling(ceilings.population()))
    axis.axvline(top, color=EXACT_COLOUR, ls="--", lw=1)
    axis.annotate(
        "exact ceiling",
        (top, -0.75),
        xytext=(-3, 0),
        textcoords="offset points",
        ha="right",
        fontsize=8,
    )
    axis.axvline(published_run()["accuracy"], color=PUBLISHED_COLOUR, lw=1)
    axis.annotate(
        "published",
        (published_run()["accuracy"], 3.75),
        xytext=(3, 0),
        textcoords="offset points",
        fontsize=8,
        color=PUBLISHED_COLOUR,
    )
    axis.set_yticks(range(len(kinds)), [text for text, _ in kinds.values()])
    axis.set(xlabel="accuracy", ylim=(4.0, -1.0))
    return Drawing(figure, table[["seed", *kinds]])


def boards() -> Drawing:
    """Published chances on the four example boards, compared with the seeds' and the exact ones."""
    table = seeds()
    rows = [
        {
            "board": place + 1,
            "outcome": key,
            **_quantiles(table[f"p{place + 1}_{key}"]),
            "published": published_run()[f"p{place + 1}_{key}"],
            "exact": float(study.exact_chances(text)[column]),
        }
        for place, text in enumerate(study.EXAMPLES)
        for column, key in enumerate("xdo")
    ]
    data = pd.DataFrame(rows)
    figure, axes = _axes(1, 4, height=2.5, sharey=True)
    for axis, text, (place, part) in zip(axes, study.EXAMPLES, data.groupby("board"), strict=True):
        _compare(axis, part, ["x wins", "draw", "o wins"])
        axis.set_title(f"{place}:  {_rows(text)}", fontsize=9)
    axes[0].set_ylabel("probability of the outcome")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return Drawing(figure, data)


def _rows(text: str) -> str:
    """The three rows of a board, as a title."""
    return " / ".join(text[start : start + 3] for start in (0, 3, 6))


def _quantiles(values: Any) -> dict[str, float]:
    low, mid, high = np.quantile(values, [0.025, 0.5, 0.975])
    return {"low": low, "median": mid, "high": high}


def _compare(axis: Any, part: pd.DataFrame, labels: list[str]) -> None:
    """Bars of the seeds' central 95%, the published values and the exact ones."""
    places = np.arange(len(part))
    axis.errorbar(
        places, part["median"], whiskers(part, "median"), fmt="o", ms=5, mec="white", mew=0.7,
        color=NET_COLOUR, ecolor="#74C9B1", elinewidth=3, label="networks of 40 seeds",
    )  # fmt: skip
    axis.plot(places, part.exact, "_", ms=13, mew=2.2, color=EXACT_COLOUR, label="exact")
    axis.plot(places + 0.2, part.published, "D", ms=4.5, color=PUBLISHED_COLOUR, label="published")
    axis.set_xticks(places, labels)
    axis.margins(x=0.15)


def utilities() -> Drawing:
    """Published utilities of moves, compared with the seeds' and the exact ones."""
    table = seeds()
    rows = [
        {
            "board": text,
            "cell": cell,
            **_quantiles(table[f"u{place}_{cell}"]),
            "published": published_run()[f"u{place}_{cell}"],
            "exact": float(study.exact_expected(text[:cell] + "x" + text[cell + 1 :])),
        }
        for place, text in enumerate(study.TABLES, start=1)
        for cell in range(len(text))
        if text[cell] == "."
    ]
    data = pd.DataFrame(rows)
    figure, axes = _axes(1, 3, height=2.8, sharey=True, width_ratios=(9, 6, 6))
    for axis, text in zip(axes, study.TABLES, strict=True):
        part = data[data.board == text]
        _compare(axis, part, [str(cell) for cell in part.cell])
        axis.axhline(0, color=DRAW_COLOUR, lw=0.8)
        title = _rows(text) if text.strip(".") else "empty board"
        axis.set(title=title, xlabel="cell that x takes")
    axes[0].set_ylabel("expected outcome for x")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return Drawing(figure, data)


def calibration() -> Drawing:
    """Predicted against exact expected outcome: one network by board, twenty networks in bins."""
    people, networks = ceilings.population(), stored_nets()
    data = pd.DataFrame(
        {
            "empty": people.empties,
            "visits": people.weights / people.weights.sum(),
            "exact": people.expected,
            # The summation order of a matrix product, hence its last digits, vary by processor.
            "predicted": networks[0].expected(people.boards).round(9),
        }
    )
    figure, axes = _axes(1, 2, height=3.2, sharex=True, sharey=True)
    axes[0].scatter(
        data.predicted, data.exact, s=500 * data.visits**0.5, alpha=0.4, lw=0,
        color=NET_COLOUR, rasterized=True,
    )  # fmt: skip
    bins = _bins(np.array([net.expected(people.boards) for net in networks]), people)
    axes[1].fill_between(bins.predicted, bins.low, bins.high, color=NET_COLOUR, alpha=0.25, lw=0)
    axes[1].plot(bins.predicted, bins.exact, "o-", ms=4, color=NET_COLOUR)
    for axis in axes:
        axis.plot([-1, 1], [-1, 1], "--", lw=1, color=EXACT_COLOUR)
        axis.set(xlabel="predicted expected outcome for x", aspect="equal")
    axes[0].set(ylabel="exact expected outcome for x", title="every board, seed 0")
    axes[1].set(title="bins, 20 networks")
    panels = [data.assign(panel="left"), bins.assign(panel="right")]
    return Drawing(figure, pd.concat(panels, ignore_index=True))


EDGES = np.linspace(-1, 1, 11)
"""Ends of the bins of a prediction."""


def _bins(predicted: Any, people: ceilings.Population) -> pd.DataFrame:
    """What each bin holds: medians over networks, and their central 95%; of (networks, boards)."""
    means = [[_binned(p, of, people) for of in (p, people.expected)] for p in predicted]
    low, mid, high = np.quantile(means, [0.025, 0.5, 0.975], axis=0)
    columns = {"predicted": mid[0], "exact": mid[1], "low": low[1], "high": high[1]}
    # As above: the last digits of predictions vary by processor.
    return pd.DataFrame(columns).round(9)


def _binned(predicted: Any, quantity: Any, people: ceilings.Population) -> Any:
    """Mean of a quantity over the boards whose prediction falls into each bin, by visits."""
    bins = np.clip(np.digitize(predicted, EDGES) - 1, 0, len(EDGES) - 2)
    weights = np.bincount(bins, people.weights, len(EDGES) - 1)
    sums = np.bincount(bins, people.weights * quantity, len(EDGES) - 1)
    return sums / np.where(weights > 0, weights, np.nan)


def strength_by_depth() -> Drawing:
    """Chance of losing to a random player, by depth of search, on both sides."""
    data = _losses()
    figure, axes = _axes(1, 2, height=3.0, sharey=True)
    for axis, side, title in zip(axes, "xo", ("playing x", "playing o"), strict=True):
        part = data[data.side == side]
        for name, (colour, marker, shift, tied, text) in KINDS.items():
            mine = part[part["values"] == name].sort_values("depth", kind="stable")
            # Above the axis, and the one with bars above the others, so that zeros show.
            spread = whiskers(mine, "mean") if (mine.low < mine.high).any() else None
            look: dict[str, Any] = {"color": colour, "label": text, "clip_on": False} | tied
            look["zorder"] = 3 if spread is None else 4
            axis.errorbar(mine.depth + shift, mine["mean"], spread, marker=marker, ms=4, **look)
        axis.set(title=title, xlabel="depth of search (plies)", xticks=range(1, 10))
        # A square-root scale keeps both the large values and the zeros legible.
        axis.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
        axis.set(ylim=(0, 0.45))
        axis.set_yticks([float(text) for text in LOSSES], LOSSES)
    axes[0].set_ylabel("probability of losing\nto random play")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return Drawing(figure, data)


CHANCE: dict[str, Any] = {"linestyle": "-"}
INDEX: dict[str, Any] = {"linestyle": "--", "mfc": "white"}
"""Looks of players that break ties at random (solid) and by the lowest index (dashed, hollow)."""

KINDS = {
    "lookahead": (DRAW_COLOUR, "v", -0.24, CHANCE, "no evaluation (ties at random)"),
    "net x": (NET_COLOUR, "o", -0.08, INDEX, "network, 20 seeds (ties by lowest index)"),
    "exact, ties uniform": (EXACT_COLOUR, "s", 0.24, CHANCE, "exact expectation (ties at random)"),
    "exact, ties first": (EXACT_COLOUR, "D", 0.08, INDEX, "the same (ties by lowest index)"),
}

LOSSES = ("0", "0.005", "0.02", "0.05", "0.1", "0.2", "0.4")


def _losses() -> pd.DataFrame:
    """Mean and range of the chance of losing to random."""
    stored = store.read_table("playout_mlp_strength.csv")
    stored = stored[(stored.opponent == "random") & stored["values"].isin(KINDS)]
    stored = stored.assign(chance=[float(Fraction(text)) for text in stored.loss])
    keys = ["values", "depth", "side"]
    found = stored.groupby(keys).chance.agg(low="min", mean="mean", high="max").reset_index()
    plain = [
        ("lookahead", depth, side, *[lost] * 3)
        for depth in range(1, 10)
        for side, lost in zip("xo", losses(lookahead(GRID, depth)), strict=True)
    ]
    return pd.concat([found, pd.DataFrame(plain, columns=found.columns)], ignore_index=True)


def monte_carlo() -> Drawing:
    """Chance of losing, by playouts per move: Pure Monte Carlo and tree search, two opponents."""
    data = with_intervals(store.read_table("playout_mlp_games.csv"), "loss")
    figure, axes = _axes(2, 2, height=4.8, sharex=True)
    for row, opponent in zip(axes, ("random", "minimax"), strict=True):
        for axis, side in zip(row, "xo", strict=True):
            _by_playouts(axis, data[(data.opponent == opponent) & (data.side == side)])
            axis.set_title(f"playing {side} against {RIVALS[opponent]}")
        row[0].set_ylabel("share of games lost")
    for axis in axes[1]:
        axis.set_xlabel("playouts per free cell")
    handles = axes[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2)
    return Drawing(figure, data.drop(columns="share"))


def _by_playouts(axis: Any, data: pd.DataFrame) -> None:
    """The shares of lost games of all players on one side against one opponent."""
    for kind, (label, colour, style) in PLAYERS.items():
        mine = data[data.player == kind]
        look: dict[str, Any] = {"fmt": style, "ms": 4, "color": colour, "label": label}
        axis.errorbar(mine.playouts, mine.share, whiskers(mine, "share"), **look)
    axis.set(xscale="log", ylim=(-0.03 * float(data.high.max()), None))
    axis.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    axis.minorticks_off()


RIVALS = {"random": "random play", "minimax": "perfect play"}

PLAYERS = {
    "pmc random": ("Pure Monte Carlo, uniform playouts", BLUE, "o-"),
    "pmc mlp": ("Pure Monte Carlo, the network's playouts", BLUE, "s--"),
    "uct random": ("tree search, uniform playouts", ORANGE, "^-"),
    "uct mlp": ("tree search, the network's playouts", ORANGE, "v--"),
}

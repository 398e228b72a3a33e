"""The figures of notebook 06."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ttt_lib.comparison import ideas
from ttt_lib.comparison.matrix import PERFECT, PLAYERS, alike, distinct, matrix, pairs, standing
from ttt_lib.comparison.results import EXACT, all_pairs, strength_and_cost
from ttt_lib.evidence.documents import of_player
from ttt_lib.evidence.figures import (
    BLUE,
    DARK,
    INK,
    ORANGE,
    RESULT_COLOURS,
    WIDTH,
    Drawing,
    bare,
    true_minus,
)
from ttt_lib.evidence.store import read_table
from ttt_lib.game.board import Floats
from ttt_lib.game.draw import O_COLOUR, X_COLOUR

SHORT = (
    ("minimax:ties=uniform", "minimax"),
    ("minimax:ties=", "minimax, "),
    ("lookahead:depth=", "look-ahead "),
    (":depth=", ", depth "),
    ("spectral:symmetric=yes,safety=no", "spectral symmetric, no rule"),
    ("spectral:symmetric=yes", "spectral symmetric"),
    ("spectral:safety=no", "spectral, no rule"),
    (":labels=mc", ""),
    (":energy=published", ", published"),
    (":iterations=", " "),
    (":playouts=", " "),
    (":base=", ", base "),
    (":b=", ", b = "),
    ("safety+", "rule + "),
)
"""How names are shortened in figures, in this order."""

NOBODY = ("no document", "#666666")

MARKERS = {
    "no document": "o", "document 1": "s", "document 2": "D", "document 3": "^", "document 4": "v",
}  # fmt: skip
"""What distinguishes the documents without colour; any other has ``OTHER_MARKER``."""

OTHER_MARKER = "P"

CELL: dict[str, Any] = {"fontsize": 6.5, "ha": "right", "va": "center"}
"""Text options for a number next to a matrix."""


def label(name: str) -> str:
    """A player's name, shortened for a figure."""
    for long, short in SHORT:
        name = name.replace(long, short)
    return name


def document_style(name: str) -> tuple[str, str]:
    """Whose idea a player is, and its colour; the safety rule counts as the player it wraps."""
    document = of_player(name)
    return (f"document {document.number}", document.colour) if document else NOBODY


def _heat(axes: Axes, values: Floats, names: Sequence[str]) -> AxesImage:
    """Expected results from X's side: X in rows, O in columns."""
    colours = LinearSegmentedColormap.from_list("result", [O_COLOUR, "#F7F7F7", X_COLOUR])
    image = axes.imshow(values, cmap=colours, vmin=-1, vmax=1)
    down, across = np.nonzero(np.asarray(values, dtype=np.float64) < -0.05)
    axes.plot(across, down, "_", ms=3.2, mew=0.7, color="black")  # below zero, without colour
    words = [label(name) for name in names]
    axes.set_xticks(range(len(names)), words, rotation=90, fontsize=6.5)
    axes.set_yticks(range(len(names)), words, fontsize=6.5)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.text(-0.8, -0.9, "X in rows, O in columns", fontsize=6.5, ha="right", va="bottom")
    bare(axes)
    return image


def readable(colour: str) -> str:
    """A colour, darkened until text in it is readable on white (contrast 4.5, WCAG 2)."""
    shade = np.array(to_rgb(colour))
    while contrast_on_white(shade) < 4.5:
        shade = shade * 0.97
    return str(to_hex(tuple(shade)))


def contrast_on_white(shade: Floats) -> float:
    """The WCAG 2 contrast ratio on white of a colour with components in [0, 1], shape (3,)."""
    linear = np.where(shade <= 0.04045, shade / 12.92, ((shade + 0.055) / 1.055) ** 2.4)
    return float(1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05))


def _numbered(name: str) -> str:
    """A player's short name with the number of its document, which colour alone would not tell."""
    document = of_player(name)
    return f"{label(name)} [{document.number}]" if document else label(name)


def _colour_names(axes: Axes, names: Sequence[str]) -> None:
    """Write each name in the colour of its document."""
    for tick, name in zip(axes.get_yticklabels(), names, strict=True):
        tick.set_color(readable(document_style(name)[1]))


def _key(figure: Figure, image: AxesImage, panels: Sequence[Axes], names: Sequence[str]) -> None:
    """The key below a matrix: the colours of its cells, and those of the names."""
    bar = figure.colorbar(image, ax=panels, location="bottom", shrink=0.4, aspect=36, pad=0.02)
    bar.set_ticks([-1, 0, 1], labels=["O wins (\N{MINUS SIGN})", "even", "X wins"], fontsize=7)
    bar.outline.set_visible(False)
    kinds = dict([*sorted({document_style(name) for name in names} - {NOBODY}), NOBODY])
    patches = [Patch(color=readable(colour), label=kind) for kind, colour in kinds.items()]
    figure.legend(handles=patches, loc="outside lower center", ncol=len(patches), fontsize=7,
                  handlelength=1.0)  # fmt: skip


def all_players() -> Drawing:
    """The exact matrix of 3x3, from the best player to the weakest."""
    found = matrix()
    table = standing(distinct(found))
    ranked = found.only(list(table.index))
    groups = {group[0]: len(group) - 1 for group in alike(found)}
    figure, axes = plt.subplots(figsize=(WIDTH, 5.9))
    image = _heat(axes, ranked.as_x.astype(np.float64), ranked.names)
    words = [label(n) + f" (+{groups[n]})" * (groups[n] > 0) for n in ranked.names]
    axes.set_yticks(range(len(words)), words)
    _colour_names(axes, ranked.names)
    edge = len(table)
    columns = (table.score.astype(np.float64), table.misplayed, table.worst_x, table.worst_o)
    for place, (score, wrong, *worst) in enumerate(zip(*columns, strict=True)):
        axes.text(edge + 1.9, place, true_minus(f"{score:+.2f}"), **CELL)
        axes.text(edge + 4.4, place, str(wrong), **CELL)
        for at, result in zip((6.0, 7.2), worst, strict=True):
            face = "black" if result >= 0 else "none"
            axes.plot(edge + at, place, "o", ms=3.4, mec="black", mfc=face, mew=0.6)
    for place, name in enumerate(ranked.names):
        document = document_style(name)[0].removeprefix("document ")
        axes.text(edge + 8.6, place, document if document.isdigit() else "", **CELL)
    heads = {1.2: "score", 3.8: "misplayed", 6.0: "unbeatable as X", 7.2: "unbeatable as O",
             8.4: "document"}  # fmt: skip
    for at, word in heads.items():
        axes.text(edge + at, -0.9, word, fontsize=6.5, rotation=90, ha="center", va="bottom")
    axes.set_xlim(-0.5, edge + 8.9)
    _key(figure, image, [axes], ranked.names)
    return Drawing(figure, pairs(found))


def two_yardsticks() -> Drawing:
    """Results against random play and against perfect play, exact."""
    table = standing(distinct(matrix()))
    figure, axes = plt.subplots(figsize=(WIDTH, 3.9))
    data = table[["against_random", "against_perfect"]].astype(np.float64)
    never = (table.worst_x >= 0) & (table.worst_o >= 0)
    crowd = axes.inset_axes((0.25, 0.4, 0.42, 0.56), xlim=(0.857, 0.956), ylim=(-0.28, 0.035))
    for panel, places, size in ((axes, NOTED, 7.5), (crowd, CROWDED, 7)):
        for name, (x, y) in zip(data.index, data.to_numpy(), strict=True):
            _dot(panel, str(name), x, y, filled=bool(never[name]))
        for name, (dx, dy, side) in places.items():
            x, y = data.loc[name]
            text = ",\n".join(map(label, data.index[(data == data.loc[name]).all(axis=1)]))
            panel.annotate(text, (x, y), (dx, dy), textcoords="offset points", fontsize=size,
                           ha=side, va="center")  # fmt: skip
    crowd.set(xticks=[], yticks=[])
    crowd.spines[:].set_visible(True)
    lines = axes.indicate_inset(inset_ax=crowd, edgecolor=DARK).connectors
    assert lines is not None
    lines[2].set_visible(False)  # the lower one would cross names
    floor = float(data.against_perfect["random"])
    axes.axhline(floor, color="black", lw=0.8, ls=":")
    axes.text(0.02, floor + 0.02, "what Random gets", fontsize=7.5, va="bottom")
    axes.set(xlabel="result against Random, both sides", ylim=(-1.1, 0.1), xlim=(-0.03, 1.06))
    axes.set_ylabel("result against minimax, both sides")
    _legend(axes, "center left")
    return Drawing(figure, data.reset_index(names="player").assign(never_loses=never.to_numpy()))


NOTED = {
    "ising:b=0": (0, 10, "center"),
    "potential:b=0.5": (-7, 0, "right"),
    "mlp": (-7, 0, "right"),
    "lookahead:depth=5": (7, 1, "left"),
    "lookahead:depth=3": (7, -3, "left"),
    "lookahead:depth=1": (7, 7, "left"),
    "safety+mlp": (-7, 0, "right"),
    "spectral:symmetric=yes,safety=no": (0, -10, "center"),
    "spectral:safety=no": (-7, 0, "right"),
}
"""Where the labels of the notable players go, in points from the dot."""

CROWDED = {
    PERFECT: (7, 0, "left"),
    "minimax:ties=first": (-4, 9, "left"),
    "ntuple": (7, 0, "left"),
    "potential:base=3": (4, -9, "right"),
    "ising": (7, 0, "left"),
    "ising:energy=published": (4, -9, "right"),
    "spectral": (3, 9, "left"),
    "spectral:symmetric=yes": (-7, 0, "right"),
    "mlp:depth=2": (-7, 0, "right"),
    "analytical": (7, 0, "left"),
    "safety+potential": (-7, -2, "right"),
    "potential": (7, 0, "left"),
    "ntuple:depth=2": (-7, 0, "right"),
    "mlp:depth=3": (-7, 0, "right"),
}
"""The same for the upper right corner, enlarged."""


def _dot(axes: Axes, name: str, x: float, y: float, *, filled: bool) -> None:
    document, colour = document_style(name)
    marker, face = MARKERS.get(document, OTHER_MARKER), colour if filled else "white"
    axes.plot(x, y, marker, ms=5.5, mec=colour, mfc=face, mew=1.3)


def _legend(axes: Axes, place: Literal["center left", "lower right"]) -> None:
    kinds = dict([NOBODY, *sorted({document_style(name) for name in PLAYERS} - {NOBODY})])
    dots = [
        Line2D(
            [],
            [],
            marker=MARKERS.get(name, OTHER_MARKER),
            ls="",
            color=colour,
            mfc="white",
            mew=1.3,
            label=name,
        )
        for name, colour in kinds.items()
    ]
    dots.append(Line2D([], [], marker="o", ls="", color="black", label="filled: never loses"))
    axes.legend(handles=dots, loc=place, fontsize=7.5)


def strength_for_cost() -> Drawing:
    """Strength of the players against the cost of a move."""
    data = strength_and_cost()
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 3.5), sharex=True)
    for axes, opponent in zip(panels, ("random", "perfect"), strict=True):
        result = data[f"against_{opponent}"]
        points = dict(zip(data.player, zip(data.cost, result, strict=True), strict=True))
        for name, safe in zip(data.player, data.never_loses, strict=True):
            _dot(axes, name, *points[name], filled=safe)
        for name, (dx, dy, side) in (COSTLY | MOVED.get(opponent, {})).items():
            axes.annotate(label(name), points[name], (dx, dy), textcoords="offset points",
                          ha=side, va="center", fontsize=7)  # fmt: skip
        axes.set(xscale="log", xlabel="cost of a move, random = 1")
        axes.set_title(f"against {opponent} play")
        axes.margins(x=0.1, y=0.08)  # room for the labels of the best
    panels[0].set_ylabel("result, both sides")
    _legend(panels[0], "lower right")
    return Drawing(figure, data)


COSTLY = {
    "ising": (0, 9, "center"),
    "ntuple": (0, 9, "center"),
    "mlp": (7, 0, "left"),
    "lookahead:depth=5": (7, -1, "left"),
    "uct:iterations=1000": (0, 11, "center"),
    "uct:iterations=150": (-6, 1, "right"),
    "pmc:playouts=100": (6, 0, "left"),
    "lookahead:depth=6": (7, -1, "left"),
    "lookahead:depth=1": (7, 0, "left"),
}
"""Where labels go, as in ``NOTED``."""

MOVED = {
    "perfect": {"lookahead:depth=6": (0, 9, "center"), "uct:iterations=150": (0, 9, "center")},
    "random": {"uct:iterations=150": (0, 9, "center"), "pmc:playouts=100": (6, -3, "left")},
}
"""Labels that go elsewhere against one opponent: there another dot is in the way."""


def larger_boards() -> Drawing:
    """The matrices of 4x4 and 3x3x3: exact where available, the rest from games."""
    data = all_pairs()
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 4.7), width_ratios=(15, 11))
    for axes, board in zip(panels, ("4x4", "3x3x3"), strict=True):
        here = data[data.board == board]
        square = here.pivot(index="x", columns="o", values="expected")
        margins = (square.mean(axis=1) - square.mean(axis=0)).round(9)
        order = margins.sort_values(ascending=False, kind="stable").index
        image = _heat(axes, square.loc[order, order].to_numpy(), list(order))
        sure = here.pivot(index="x", columns="o", values="games").loc[order, order] == EXACT
        down, across = np.nonzero(sure.to_numpy())
        axes.plot(across - 0.3, down - 0.3, "s", ms=1.5, color="black")
        axes.set_yticks(range(len(order)), [_numbered(name) for name in order])
        _colour_names(axes, list(order))
        axes.annotate(board, (0.5, 0), (0, -9), xycoords="axes fraction", ha="center", va="top",
                      textcoords="offset points", fontsize=9)  # fmt: skip
    _key(figure, image, list(panels), list(data.x.unique()))
    return Drawing(figure, data)


KINDS = ("can be beaten on both sides", "only as O", "on no side", "as X wins against anybody")
SHADES = (RESULT_COLOURS["loss"], "#F3C9A5", "#9CC7E4", RESULT_COLOURS["win"])
"""On which sides somebody can beat a player: as colours of results, and tints chosen by eye."""


def beatable(kind: int) -> dict[str, Any]:
    """How a bar of one of the ``KINDS`` is filled: without colour hatched, dotted, or plain."""
    hatch, edge = {0: ("/////", "white"), 1: ("....", SHADES[0])}.get(kind, ("", "white"))
    return {"facecolor": SHADES[kind], "hatch": hatch, "edgecolor": edge, "lw": 0}


def tables_ladder() -> Drawing:
    """Ever larger look-up tables on 3x3: states misplayed, and exact results."""
    data = ideas.ladder()
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.3), sharex=True)
    places = np.arange(len(data))
    never = (data.worst_x >= 0) & (data.worst_o >= 0)
    kinds = np.where(never, 2, np.where(data.worst_x >= 0, 1, 0))
    for place, count, kind in zip(places, data.misplayed, kinds, strict=True):
        left.bar(place, count, width=0.7, **beatable(kind))
    sides = ("on both sides", "only as O", "on no side")
    patches = [Patch(**beatable(kind), label=sides[kind]) for kind in (2, 1, 0)]
    left.legend(handles=patches, title="can be beaten", fontsize=7.5, title_fontsize=7.5)
    for place, count in zip(places, data.misplayed, strict=True):
        left.text(place, count + (20 if count else 45), str(count), ha="center", fontsize=7.5)
    for place, kind in zip(places[data.misplayed == 0], kinds[data.misplayed == 0], strict=True):
        left.plot(place, 0, "s", ms=6, color=SHADES[kind], clip_on=False, zorder=3)
    taught = data.taught.str.startswith("tanh")
    words = [
        f"{reads}{' (tanh)' * curved}, {numbers}"
        for reads, curved, numbers in zip(data.reads, taught, data.numbers, strict=True)
    ]
    for axes in (left, right):
        axes.set_xticks(places, words, rotation=60, ha="right", fontsize=7.5)
        axes.grid(axis="x", visible=False)
    left.set(title="states misplayed, of 4520", ylim=(0, 1450))
    for column, colour, line in (("random", BLUE, "o-"), ("perfect", ORANGE, "s--")):
        values = data[f"against_{column}"].astype(np.float64)
        right.plot(places, values, line, color=colour, ms=4, label=f"against {column} play")
    right.set(title="exact result, both sides", ylim=(-1.05, 1.05))
    right.legend(fontsize=7.5, loc="lower right")
    floats = {f"against_{c}": data[f"against_{c}"].map(str) for c in ("random", "perfect")}
    return Drawing(figure, data.assign(**floats))


def formula_map() -> Drawing:
    """Which formulas never lose, over base and b, on three boards."""
    data = formula_kinds()
    figure, panels = plt.subplots(1, 3, figsize=(WIDTH, 3.1), sharey=True)
    for axes, (board, here) in zip(panels, data.groupby("board", sort=False), strict=True):
        square = here.pivot(index="base", columns="b", values="kind").sort_index(ascending=False)
        axes.imshow(square, cmap=ListedColormap(SHADES), vmin=0, vmax=3, aspect="auto")
        axes.set_xticks(range(0, len(ideas.BIASES), 2), ideas.BIASES[::2], rotation=90)
        axes.set_yticks(range(len(ideas.BASES)), [f"{base:g}" for base in ideas.BASES[::-1]])
        axes.tick_params(labelsize=7, length=0)
        axes.grid(visible=False)
        axes.set_title(str(board))
        axes.set_xlabel("bias $b$")
        kinds = square.to_numpy()
        for kind, colour in ((2, INK), (3, "white")):
            down, across = np.nonzero(kinds == kind)
            axes.plot(across, down, "+", ms=2.6, mew=0.5, color=colour, ls="none")
        row, column = ideas.BASES[::-1].index(6.0), ideas.BIASES.index(0.647)
        axes.plot(column, row, "*", color="white", mec="black", ms=9)
        axes.plot(ideas.BIASES.index(1.0), ideas.BASES[::-1].index(2.0), "D", color="white",
                  mec="black", ms=4.5)  # fmt: skip
    panels[0].set_ylabel("base")
    patches = [Patch(color=shade, label=kind) for shade, kind in zip(SHADES, KINDS, strict=True)]
    figure.legend(handles=patches, loc="outside lower center", ncol=4, fontsize=7.5)
    return Drawing(figure, data)


def formula_kinds() -> pd.DataFrame:
    """For each board, base and b, the index in ``KINDS`` of what enumeration found."""
    small = ideas.formulas_3x3().assign(board="3x3")[["board", "base", "b", "worst_x", "worst_o"]]
    stored = read_table("arena_formulas.csv")
    wide = stored.pivot(index=["board", "base", "b"], columns="side", values="worst").reset_index()
    wide = wide.rename(columns={"x": "worst_x", "o": "worst_o"}).sort_values(
        ["board", "base", "b"], ascending=[False, True, True]
    )
    data = pd.concat([small, wide], ignore_index=True)
    as_o = data.worst_o.fillna(-1)
    kind = np.select(
        [data.worst_x == 1, (data.worst_x >= 0) & (as_o >= 0), data.worst_x >= 0], [3, 2, 1], 0
    )
    return data.assign(kind=kind)

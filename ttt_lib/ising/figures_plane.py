"""The figure of all weights of a diagonal and all biases at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle as Box

from ttt_lib.evidence.figures import DARK, WIDTH, Drawing
from ttt_lib.ising.claims_bias import CHOSEN
from ttt_lib.ising.diagonals import margins
from ttt_lib.ising.figures import ENERGY_COLOURS, WHOSE
from ttt_lib.ising.plane import Rectangle, plane, prove

SHOWN_D, SHOWN_B = (0.08, 12.0), (0.05, 200.0)
"""What is drawn of the plane."""
TICKS = (0.1, 1, 10, 100)


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

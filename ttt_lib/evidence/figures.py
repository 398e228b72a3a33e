"""Figures: one style, saved so that the same data give the same bytes.

A figure is declared in ``figures/manifest.toml`` with the function that draws
it; the function returns the figure and the table behind it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ttt_lib.evidence import store
from ttt_lib.evidence.command import did_you_mean
from ttt_lib.game.draw import O_COLOUR, X_COLOUR

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, COLUMN = 6.3, 4.2
"""Widths in inches at which figures are drawn, for the width of a page and of a column."""

BLUE, ORANGE, GREEN, AMBER = "#0072B2", "#D55E00", "#009E73", "#E69F00"
MAGENTA, GREY, DARK, INK = "#CC3377", "#8A8A8A", "#555555", "#222222"
"""Colours of series (those of the first line are Okabe and Ito's).

Stones, and what is good for X or O, have X_COLOUR and O_COLOUR of ``game/draw.py``.
"""

DRAW_COLOUR = GREY
PUBLISHED_COLOUR = MAGENTA
"""What a document, or its repository, has printed."""

RESULT_COLOURS = {"win": X_COLOUR, "draw": "#CFCFCF", "loss": O_COLOUR}
"""Areas of results. Without colour: dark, light, and hatched (see ``area``)."""

STYLE: dict[str, Any] = {
    "figure.figsize": (WIDTH, 3.4),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "hatch.linewidth": 0.5,
    "savefig.dpi": 160,
    "svg.hashsalt": "ttt_lib",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}
"""Metadata that keep each format free of dates."""


class Drawing(NamedTuple):
    """A figure and the data behind it."""

    figure: Figure
    data: pd.DataFrame


def bare(axes: Axes) -> None:
    """Leave out grid, frame and tick marks, around a picture made of cells."""
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def area(result: str) -> dict[str, Any]:
    """How an area that stands for a result is filled: ``win``, ``draw``, or ``loss``, hatched."""
    hatch = "/////" if result == "loss" else ""
    return {"facecolor": RESULT_COLOURS[result], "hatch": hatch, "edgecolor": "white", "lw": 0}


def true_minus(number: str) -> str:
    """A number as text, with a minus sign for the hyphen."""
    return number.replace("-", "\N{MINUS SIGN}")


def whiskers(rows: pd.DataFrame, name: str = "score") -> tuple[pd.Series, pd.Series]:
    """Distances of columns ``low`` and ``high`` from another one, as ``errorbar`` takes them."""
    return rows[name] - rows["low"], rows["high"] - rows[name]


def result_patches(words: Sequence[str] = ("win", "draw", "loss")) -> list[Any]:
    """What a legend shows for the three areas."""
    from matplotlib.patches import Patch

    return [Patch(**area(key), label=word) for key, word in zip(RESULT_COLOURS, words, strict=True)]


@dataclass(frozen=True)
class Entry:
    """A declared figure.

    Attributes
    ----------
    name : str
        File name without ending; starts with the notebook's number, if one shows it.
    notebook, function, data : str
        Where it is shown (a notebook, or ``README``), ``"module:function"`` that draws it, what
        it is drawn from.
    seed, n : str
        Seeds and sample size, or "exact".
    caption, alt : str
        The caption, and the text for those who can't see the picture.
    width : str
        How wide it is printed: ``page``, or ``column``.
    """

    name: str
    notebook: str
    function: str
    data: str
    seed: str
    n: str
    caption: str
    alt: str
    width: str = "page"


def folder() -> Path:
    """Folder of the figures."""
    return store.root() / "figures"


@cache
def manifest() -> dict[str, Entry]:
    """The declared figures by name.

    Raises
    ------
    ValueError
        If the manifest is no TOML, or an entry lacks a field or has an unknown one.
    """
    path = folder() / "manifest.toml"
    try:
        return {name: Entry(name=name, **entry) for name, entry in store.read_toml(path).items()}
    except TypeError as error:
        raise ValueError(f"{path} can't be read: {error}") from error


def entry(name: str) -> Entry:
    """The declaration of one figure.

    Raises
    ------
    ValueError
        If there is no such figure.
    """
    if name not in manifest():
        known = ", ".join(manifest())
        raise ValueError(f"unknown figure {name!r}: {known}{did_you_mean(name, manifest())}")
    return manifest()[name]


def describe(name: str) -> str:
    """What a declared figure shows, then where it is, what draws it from what, and its alt text."""
    it = entry(name)
    return "\n  ".join(
        [
            f"{name}: {it.caption}",
            f"notebook {it.notebook}; {it.function}; data: {it.data}; seed: {it.seed}; n: {it.n}",
            f"printed as wide as a {it.width}",
            f"alt: {it.alt}",
        ]
    )


def draw(name: str) -> Drawing:
    """Draw a declared figure in the common style."""
    import matplotlib.style as mpl_style

    function: Callable[[], Drawing] = store.resolve(entry(name).function)
    with mpl_style.context(["default", "petroff6", STYLE]):
        return function()


def render(drawing: Drawing, kind: str) -> bytes:
    """The bytes of a figure as ``svg``, ``pdf`` or ``png``, free of dates and random ids.

    Raises
    ------
    ValueError
        If the kind is none of these.
    """
    if kind not in METADATA:
        raise ValueError(f"unknown kind of figure {kind!r}: {', '.join(METADATA)}")
    import matplotlib.style as mpl_style

    stream = io.BytesIO()
    with mpl_style.context(["default", STYLE]):
        drawing.figure.savefig(stream, format=kind, metadata=METADATA[kind])
    return stream.getvalue()


def build(names: Sequence[str] | None, destination: Path) -> list[Path]:
    """Draw figures, then write SVG, PDF and the CSV behind each below ``destination``.

    Raises
    ------
    ValueError
        If a name is unknown, or a figure's data are missing or damaged.
    """
    from matplotlib import pyplot as plt

    files = dict[Path, bytes]()
    for wanted in [entry(name) for name in (names or manifest())]:
        drawing = _drawn(wanted)
        for kind in ("svg", "pdf"):
            files[destination / f"{wanted.name}.{kind}"] = render(drawing, kind)
        files[destination / f"{wanted.name}.csv"] = store.csv_text(drawing.data).encode()
        plt.close(drawing.figure)
    for path, content in files.items():
        store.write_atomic(path, content)
    return list(files)


def check_sources(names: Iterable[str]) -> None:
    """Refuse to draw from stored files that are not what their checksums say.

    Raises
    ------
    ValueError
        If the manifest names such a file as the source of one of the figures.
    """
    changed = store.changed()
    for name in names:
        told = [file for file in changed if file in entry(name).data]
        if told:
            raise ValueError(
                f"figure {name} is not drawn: not as SHA256SUMS in {store.data_dir()} has "
                f"them: {', '.join(told)}"
            )


def _drawn(wanted: Entry) -> Drawing:
    """Draw a figure, or say which stored files are not what their checksums say, if any are."""
    try:
        return draw(wanted.name)
    except Exception as error:
        changed = store.changed()
        if not changed:
            raise
        told = str(error) if isinstance(error, ValueError) else repr(error)
        raise ValueError(
            f"figure {wanted.name} can't be drawn ({told}); not as SHA256SUMS in "
            f"{store.data_dir()} has them: {', '.join(changed)}"
        ) from error


def show(name: str) -> None:
    """Show a declared figure and its caption in a notebook."""
    from IPython.display import Image, Markdown, display
    from matplotlib import pyplot as plt

    drawing = draw(name)
    image = Image(  # type: ignore[no-untyped-call]
        render(drawing, "png"),
        width=round(100 * drawing.figure.get_figwidth()),
        alt=entry(name).alt,
    )
    plt.close(drawing.figure)
    display(image, Markdown(f"*Figure {name}.* {entry(name).caption}"))  # type: ignore[no-untyped-call]

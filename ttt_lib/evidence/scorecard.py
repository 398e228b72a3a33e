"""The scorecard: how many published numbers met which fate, as text, table and picture.

Everything here reads judged claims (:func:`ttt_lib.evidence.claims.load_results`) and judges none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ttt_lib.evidence import claims
from ttt_lib.evidence.figures import WIDTH, Drawing
from ttt_lib.evidence.notebook import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLES = {
    1: "Learn to Score a Tic-Tac-Toe Board",
    2: "Pattern-Driven Spectral Policies",
    3: "N-Tuple Network",
    4: "Ising player",
    5: "Ultimate AlphaZero + DTW",
}
"""Short names of the documents, for labels."""

LOOKS = {
    "reproduced": ("#08306B", "", "white"),
    "within sampling error": ("#6BAED6", "", "black"),
    "differs": ("#FDD49E", "", "black"),
    "refuted": ("#D55E00", "////", "black"),
    "not testable": ("#FFFFFF", "....", "black"),
}
"""Ground, hatching and ink of each verdict; the grounds differ in grey as well."""


NUMBER = re.compile(r"(?<![\w.])(?:(?<!\d)-)?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
"""A number in text, with its sign unless a digit stands before it (as in 2023-24)."""


def counts(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Count the verdicts of each document.

    Returns
    -------
    DataFrame
        One row a document that has claims (index ``document``), one column a verdict.
    """
    table = pd.DataFrame(rows, columns=["document", "verdict"])
    found = pd.crosstab(table["document"], table["verdict"])
    return found.reindex(columns=pd.Index(claims.VERDICTS, name="verdict"), fill_value=0)


def link(row: dict[str, Any]) -> str:
    """The notebook section that tells about a claim, as a path from the project's folder."""
    stem, _, heading = str(row.get("section", "")).partition("#")
    return f"notebooks/{stem}.ipynb#{heading}" if stem else ""


def line(row: dict[str, Any]) -> str:
    """The fate of one published number: values and verdict, then why, then where to read on."""
    return (
        f"{row['id']}: {row['quantity']} ({row['where']}): published {short(row['published'])}, "
        f"ours {short(row['ours'])}: {row['verdict']}\n  {row['reason']}\n  {link(row)}"
    )


def find(rows: Sequence[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """The claims that mention a number or words.

    A number is found as a whole (``0.85`` is not in ``10.85`` or ``0.851``), with or without
    trailing zeros and commas; ``85%`` is ``0.85`` as well; words are found anywhere, in capitals
    or not.
    """
    wanted = _values(text)
    return [row for row in rows if _mentions(row, text.lower(), wanted)]


def _mentions(row: dict[str, Any], text: str, wanted: set[float]) -> bool:
    if wanted:
        said = f"{row['quantity']} {row['published']}".replace(",", "")
        return not wanted.isdisjoint(map(float, NUMBER.findall(said)))
    shown = (str(row[key]) for key in ("id", "where", "quantity", "published", "verdict", "reason"))
    return any(text in part.lower() for part in shown)


def _values(text: str) -> set[float]:
    try:
        value = float(text.replace(",", "").rstrip(" %"))
    except ValueError:
        return set()
    return {value, round(value / 100, 12)} if text.endswith("%") else {value}


def as_markdown(rows: Sequence[Mapping[str, Any]], page: str = "") -> str:
    """The scorecard as a Markdown table with a row of sums.

    Parameters
    ----------
    page : str
        Where a document's name leads, its number in braces: ``document_{}.md``; nowhere if empty.
    """
    table = counts(rows)
    head = ["document", *claims.VERDICTS, "all"]
    body = [
        [_linked(f"{document} {TITLES[document]}", page.format(document)), *numbers, numbers.sum()]
        for document, numbers in zip(table.index, table.to_numpy(), strict=True)
    ]
    sums = table.to_numpy().sum(axis=0)
    return markdown_table(head, [*body, ["**all**", *sums, sums.sum()]])


def _linked(text: str, place: str) -> str:
    return f"[{text}]({place})" if place else text


def markdown_table(head: Sequence[Any], body: Sequence[Sequence[Any]], texts: int = 1) -> str:
    """A Markdown table; its first columns are ``texts``, the others are numbers."""
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    lines = [head, rule, *body]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in lines)


def picture() -> Drawing:
    """Stacked bars, one a document: its published numbers by verdict."""
    from matplotlib import pyplot as plt

    table = counts(claims.load_results())
    figure, ax = plt.subplots(figsize=(WIDTH, 0.55 * len(table) + 1.1))
    starts = table.cumsum(axis=1) - table
    for verdict in claims.VERDICTS:
        _bars(ax, verdict, table[verdict].tolist(), starts[verdict].tolist())
    ax.set_yticks(range(len(table)), [f"{n}  {TITLES[n]}" for n in table.index])
    ax.invert_yaxis()
    ax.set_xlabel("published numbers and checkable sentences")
    ax.margins(x=0.03)
    ax.grid(axis="y", visible=False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=len(LOOKS), fontsize=8, columnspacing=1.2)
    return Drawing(figure, table.reset_index().melt("document", value_name="claims"))


def _bars(ax: Axes, verdict: str, widths: Sequence[int], starts: Sequence[int]) -> None:
    ground, hatch, ink = LOOKS[verdict]
    bars = ax.barh(range(len(widths)), widths, left=starts, height=0.62, label=verdict,
                   color=ground, edgecolor="#333333", linewidth=0.6, hatch=hatch)  # fmt: skip
    labels = [str(width) if width >= 3 else "" for width in widths]
    for text in ax.bar_label(bars, labels, label_type="center", fontsize=8, color=ink):
        if hatch:
            text.set_bbox({"facecolor": ground, "edgecolor": "none", "pad": 0.8})

"""The scorecard: how many published results have which verdict, as text, table and picture.

Everything here reads judged claims (:func:`ttt_lib.evidence.claims.load_results`) and judges none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ttt_lib.evidence import claims
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.figures import WIDTH, Drawing
from ttt_lib.evidence.rounding import format_range, format_value, numbers_of
from ttt_lib.evidence.verdicts import VERDICTS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def tally(rows: Sequence[Mapping[str, Any]]) -> dict[int, list[int]]:
    """How many published results of each document have each verdict, in the order of VERDICTS."""
    found = Counter((row["document"], row["verdict"]) for row in rows)
    there = sorted({document for document, _ in found})
    return {document: [found[document, v] for v in VERDICTS] for document in there}


def as_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per document, and one for all: how many published results have which verdict."""
    widths = [len(verdict) + 3 for verdict in VERDICTS]
    head = "".join(f"{v:>{w}}" for v, w in zip(VERDICTS, widths, strict=True))
    lines = [f"{'document':<8}{head}{'all':>6}"]
    sums = Counter(row["verdict"] for row in rows)
    for document, numbers in [*tally(rows).items(), ("all", [sums[v] for v in VERDICTS])]:
        cells = "".join(f"{n:>{w}}" for n, w in zip(numbers, widths, strict=True))
        lines.append(f"{document:<8}{cells}{sum(numbers):>6}")
    return "\n".join(lines)


def counts(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Count the verdicts of each document.

    Returns
    -------
    DataFrame
        One row per document that has claims (index ``document``), one column per verdict.
    """
    import pandas as pd

    verdicts = pd.Index([*VERDICTS], name="verdict")
    table = pd.DataFrame.from_dict(tally(rows), orient="index", columns=verdicts)
    return table.rename_axis("document")


def link(row: dict[str, Any]) -> str:
    """The notebook section that discusses a claim, as a path from the project's folder."""
    stem, _, heading = str(row.get("section", "")).partition("#")
    return f"notebooks/{stem}.ipynb#{heading}" if stem else ""


def line(row: dict[str, Any]) -> str:
    """One published result: values and verdict, the words judged, why, where it is discussed.

    What was published is told once where it is the very words judged.
    """
    quote, ours = row.get("quote"), f"ours {our_value(row)}"
    same = quote and row["published"] == quote
    values = ours if same else f"published {format_value(row['published'])}, {ours}"
    passing = f"; {would_pass(row)} would have passed" if row.get("accepts") else ""
    quoted = f'  "{quote}"\n' if quote else ""
    return (
        f"{row['id']}: {row['quantity']} ({row['where']}): {values}: {row['verdict']}{passing}\n"
        f"{quoted}  {row['reason']}\n  {link(row)}"
    )


def our_value(row: Mapping[str, Any]) -> str:
    """Our value for reading, also in the unit of the published one where they differ."""
    ours, counted = format_value(row["ours"]), in_published_unit(row)
    return ours if counted == ours else f"{ours} (in the published unit: {counted})"


def in_published_unit(row: Mapping[str, Any]) -> str:
    """Our value in the unit of the published one: where that is a count of games, so are chances.

    Examples
    --------
    >>> row = {"kind": "sampled", "n": 1000, "published": "490-310-200"}
    >>> in_published_unit(row | {"ours": "win 1/2, draw 0.3, loss 1/5"})
    '500-300-200'
    """
    ours, whole = row["ours"], re.fullmatch(r"[\d, -]+", str(row["published"]))
    told = re.fullmatch(r"win (\S+), draw (\S+), loss (\S+)", str(ours))
    chance = re.fullmatch(r"\d+/\d+|[01]", ours) if isinstance(ours, str) else 0 <= ours <= 1
    if not (row["kind"] == "sampled" and row["n"] and whole and (told or chance)):
        return format_value(ours)
    counts = [float(row["n"] * Fraction(chance)) for chance in (told.groups() if told else [ours])]
    decimals = 0 if all(f"{count:.1f}".endswith(".0") for count in counts) else 1
    return "-".join(f"{count:.{decimals}f}" for count in counts)


def would_pass(row: Mapping[str, Any]) -> str:
    """The published values that would have passed, for reading; empty if nothing was tested."""
    if not row.get("accepts"):
        return ""
    low, high = row["accepts"]
    if high is None:
        return f"{format_value(low)} or more"
    return format_range(low, high)


def find(rows: Sequence[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """The claims that mention a number or words: in what is judged, either value, or the reason.

    A number is found as a whole (``0.85`` is not in ``10.85`` or ``0.851``), with or without
    trailing zeros and commas; ``85%`` is ``0.85`` as well; a decimal of four digits or more also
    finds what rounds to it, shares as percentages, too (``67.91``: ``0.67913``).  A fraction is
    found as a whole, words anywhere, whatever their case.

    Raises
    ------
    ValueError
        If the text is empty.
    """
    if not text.strip():
        raise ValueError("nothing to find: name a number or words")
    return [row for row in rows if _mentions(row, text)]


JUDGED = ("quantity", "published", "quote", "ours", "reason")
"""Where numbers are looked for; words also where a row tells of its place and verdict."""


def _mentions(row: dict[str, Any], text: str) -> bool:
    shown = [str(row.get(key, "")) for key in JUDGED] + [our_value(row)]
    if wanted := _values(text):
        said = set[float]().union(*map(numbers_of, shown))
        return not wanted.isdisjoint(said) or any(_rounds(number, text) for number in said)
    if re.fullmatch(r"\d+/\d+", text.strip()):
        return any(re.search(rf"(?<![\d/.]){text.strip()}(?![\d/])", part) for part in shown)
    shown += [str(row[key]) for key in ("id", "where", "verdict")]
    return any(text.lower() in part.lower() for part in shown)


def _rounds(number: float, text: str) -> bool:
    """Whether a number, or its percentage, rounds to a decimal of four digits or more; ties do."""
    plain = _plain(text)
    exact = "." not in plain or len(re.sub(r"\D", "", plain).lstrip("0")) < 4
    scales = (1, 100) if 0 < abs(number) < 1 else (1,)
    half = 0.5 * 10.0 ** int(Decimal(plain).as_tuple().exponent)
    most = half * (1 + 1e-9)  # a tie is seldom one in binary
    return not exact and any(abs(scale * number - float(plain)) <= most for scale in scales)


def _plain(text: str) -> str:
    """A number without what only readers need."""
    return text.strip().replace(",", "").replace("−", "-").rstrip(" %")


def _values(text: str) -> set[float]:
    plain = _plain(text)
    try:
        value = float(plain)
    except ValueError:
        return set()
    if "_" in plain or not math.isfinite(value):  # numbers to Python, words to a reader
        return set()
    return {value, round(value / 100, 12)} if text.rstrip().endswith("%") else {value}


def as_markdown(rows: Sequence[Mapping[str, Any]], page: str = "") -> str:
    """The scorecard as a Markdown table with a row of sums.

    Parameters
    ----------
    page : str
        Link target of a document's name, ``{}`` for its number: ``document_{}.md``; empty: none.
    """
    table = counts(rows)
    head = ["document", *VERDICTS, "all"]
    names = [f"{document} {documents()[document].title}" for document in table.index]
    if page:
        pages = map(page.format, table.index)
        names = [f"[{name}]({place})" for name, place in zip(names, pages, strict=True)]
    numbers = table.to_numpy()
    body = [[name, *row, row.sum()] for name, row in zip(names, numbers, strict=True)]
    sums = numbers.sum(axis=0)
    return markdown_table(head, [*body, ["**all**", *sums, sums.sum()]])


def markdown_table(head: Sequence[Any], body: Sequence[Sequence[Any]], texts: int = 1) -> str:
    """A Markdown table; the first ``texts`` columns are text, the others are numbers."""
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    lines = [head, rule, *body]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in lines)


def picture() -> Drawing:
    """Stacked bars, one per document: its published results by verdict."""
    from matplotlib import pyplot as plt

    table = counts(claims.load_results())
    figure, ax = plt.subplots(figsize=(WIDTH, 0.55 * len(table) + 1.3))
    starts = table.cumsum(axis=1) - table
    for verdict in VERDICTS:
        _bars(ax, verdict, table[verdict].tolist(), starts[verdict].tolist())
    ax.set_yticks(range(len(table)), [f"{n}  {documents()[n].title}" for n in table.index])
    ax.invert_yaxis()
    ax.set_xlabel("number of published results and checkable sentences")
    ax.margins(x=0.03)
    ax.grid(axis="y", visible=False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=4, fontsize=8, columnspacing=1.2)
    return Drawing(figure, table.reset_index().melt("document", value_name="claims"))


def _bars(ax: Axes, verdict: str, widths: Sequence[int], starts: Sequence[int]) -> None:
    ground, hatch, ink, *_ = VERDICTS[verdict]
    bars = ax.barh(range(len(widths)), widths, left=starts, height=0.62, label=verdict,
                   color=ground, edgecolor="#333333", linewidth=0.6, hatch=hatch)  # fmt: skip
    labels = [str(width) if width >= 3 else "" for width in widths]
    for text in ax.bar_label(bars, labels, label_type="center", fontsize=8, color=ink):
        if hatch:
            text.set_bbox({"facecolor": ground, "edgecolor": "none", "pad": 0.8})

"""Pages of the book that are computed: the ledger, the figures, the library, the players."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ttt_lib.evidence import claims, figures, scorecard, store
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.rounding import format_range
from ttt_lib.people import theme
from ttt_lib.people.book import lessons, players

Page = tuple[str, str]
"""Path below the book's folder, and text."""

Row = Mapping[str, Any]


def generated() -> Iterator[Page]:
    """Every computed page."""
    yield from ledger()
    yield "figures/index.md", gallery()
    yield from library()
    for lesson in lessons.load():
        yield f"lessons/lesson_{lesson.number}.md", lessons.book_page(lesson)
    yield "_static/theme.css", theme.book()
    yield "_static/claims.js", f"const CLAIMS = {json.dumps(claims_data())};\n"
    yield "_static/players.js", f"const PLAYERS = {json.dumps(players.exported())};\n"
    yield "_static/cell_lists.js", f"const CELL_LISTS = {json.dumps(players.cell_lists())};\n"
    yield (
        "_static/ultimate_net.js",
        f"const ULTIMATE_NET = {json.dumps(players.ultimate_net())};\n",
    )


# ---------------------------------------------------------------------------- the ledger


def ledger() -> Iterator[Page]:
    """The scorecard, and one page per document with every claim."""
    functions = {claim.id: claim.ours for claim in claims.load()}
    rows = claims.load_results()
    documents = sorted({row["document"] for row in rows})
    for document in documents:
        mine = [row for row in rows if row["document"] == document]
        yield f"claims/document_{document}.md", document_page(document, mine, functions)
    yield "claims/index.md", overview(rows, documents)


def overview(rows: Sequence[Row], documents: Sequence[int]) -> str:
    """How many published numbers of each document have which verdict."""
    entry = figures.manifest()["scorecard"]
    picture = [
        f"::::{{figure}} ../figures/{entry.name}.svg",
        f":alt: {one_line(entry.alt)}",
        "::::",
    ]
    lines = ["# Every published number", "", SCORECARD_INTRO, "", *picture, ""]
    lines += [scorecard.as_markdown(rows, page="document_{}.md"), ""]
    lines += ["## Find one", "", '<div class="ledger-search"></div>', ""]
    return "\n".join([*lines, toctree([f"document_{d}" for d in documents], ":hidden:"), ""])


SCORECARD_INTRO = """\
Each row of the ledger is a result or a sentence that a document prints. Code computes our value
and the verdict: *reproduced*, *within sampling error*, *undecided* (a sample too small to tell, or
a comparison that came out for neither side), *adopted* (a setting that we use as published, and
shown to be read), *differs*, *refuted*, or *not testable*; [how verdicts are
found](../verdicts.md) says by which tests. Follow a document to its claims; each quotes the
words it judges, and leads to the section of the notebook that discusses it and to the function that
computes our value."""


def claims_data() -> list[dict[str, Any]]:
    """The ledger for the script that finds numbers and words in it."""
    return [
        {
            "id": row["id"],
            "d": row["document"],
            "w": one_line(row["where"]),
            "q": one_line(row["quantity"]),
            "p": one_line(row["published"]),
            "o": one_line(scorecard.our_value(row)),
            "x": one_line(row["ours"]) if isinstance(row["ours"], float) else "",
            "v": row["verdict"],
            "r": one_line(row["reason"]),
            "t": one_line(row["quote"]) if row["quote"] != row["published"] else "",
        }
        for row in claims.load_results()
    ]


def toctree(entries: Sequence[str], option: str) -> str:
    """A table of contents for the side bar."""
    return "\n".join(["```{toctree}", option, "", *entries, "```"])


def document_page(document: int, rows: Sequence[Row], functions: Mapping[str, str]) -> str:
    """Every claim of a document under the notebook section that discusses it."""
    lines = [f"# Claims of document {document}: {documents()[document].title}", ""]
    # Sections may recur in the ledger's order: one table each, in order of first mention.
    order = list(dict.fromkeys(row["section"] for row in rows))
    ranked = sorted(rows, key=lambda row: order.index(row["section"]))
    for section, group in groupby(ranked, key=lambda row: str(row["section"])):
        notebook, _, anchor = section.partition("#")
        lines += [f"## {title_of(notebook, anchor)}", ""]
        lines += [f"Discussed in [](../{notebook}.ipynb#{anchor}).", ""]
        lines += ["::::{list-table}", ":header-rows: 1", ":class: ledger"]
        lines += [":widths: 25 11 16 16 24 8", ""]
        lines += table_row(["claim", "published", "ours", "verdict", "why", "code"])
        for row in group:
            lines += table_row(claim_cells(row, functions[row["id"]]))
        lines += ["::::", ""]
    return "\n".join(lines)


def claim_cells(row: Row, function: str) -> list[str]:
    """The cells of one claim."""
    quantity, place = escape_markdown(row["quantity"]), escape_markdown(row["where"])
    where = f'<span id="{row["id"]}"></span>{quantity} ({place})'
    if row["quote"] and row["quote"] != row["published"]:
        where += f": “{escape_markdown(row['quote'])}”"
    where += f' <a class="here" href="#{row["id"]}" aria-label="link to this claim">#</a>'
    published = with_code(row["published"]) + (f" of {row['n']}" if row["n"] else "")
    ours = with_code(scorecard.our_value(row))
    if row["interval"]:
        ours += f" ({format_range(*row['interval'])})"
    if row["p_value"] is not None:
        ours += f", p = {row['p_value']:.2g}; passes: {escape_markdown(scorecard.would_pass(row))}"
    module, _, name = function.partition(":")
    code = f"{{py:func}}`{name} <{module}.{name}>`"
    verdict = f'<span class="verdict {row["verdict"].replace(" ", "-")}">{row["verdict"]}</span>'
    return [where, published, ours, verdict, with_code(row["reason"]), code]


def with_code(text: Any) -> str:
    """Text on one line in which Markdown finds code between backticks, and nothing else."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:
        return escape_markdown(text)
    return "".join(f"`{part}`" if k % 2 else escaped(part) for k, part in enumerate(parts))


def escape_markdown(text: Any) -> str:
    """Text on one line in which Markdown finds nothing to interpret."""
    return escaped(one_line(text))


def escaped(line: str) -> str:
    """A line, or a part of one, with a backslash before each sign that Markdown would interpret."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|$~^" else c for c in line)


def one_line(text: Any) -> str:
    """Text on one line."""
    return " ".join(str(text).split())


def table_row(cells: Sequence[str]) -> list[str]:
    """A row of a list-table."""
    first, *rest = [f"- {cell}" for cell in cells]
    return [f"* {first}", *(f"  {cell}" for cell in rest)]


def title_of(notebook: str, anchor: str) -> str:
    """The heading behind an anchor of a stored notebook; the anchor if either isn't there yet."""
    path = store.root() / "notebooks" / f"{notebook}.ipynb"
    if not path.exists():
        return anchor
    for cell in store.cells(path):
        for line in "".join(cell["source"]).splitlines() if cell["cell_type"] == "markdown" else ():
            if line.startswith("#") and slug(line) == anchor:
                return line.lstrip("#").strip()
    return anchor


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and the book make it."""
    kept = "".join(c for c in heading.lstrip("#").strip().lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def before_notebook(name: str) -> str:
    """The line under a notebook's title: the file itself, and how to run it."""
    link = f'<a href="_static/notebooks/{name}.ipynb" download>Download this notebook</a>'
    return f"{link} · [run it yourself](using.md) · code that only serves the text is folded"


def after_notebook(name: str) -> str:
    """The lines under a notebook: where its claims and figures are."""
    mine = (row for row in claims.load_results() if row["section"].partition("#")[0] == name)
    documents = sorted({row["document"] for row in mine})
    lines = ["---", "**In this book**", ""]
    lines += [
        f"- [Every claim of document {d}](claims/document_{d}.md), with the code behind it"
        for d in documents
    ]
    if any(entry.notebook == name for entry in figures.manifest().values()):
        lines += [f"- [The figures of this notebook](figures/index.md#{slug(name)})"]
    return "\n".join([*lines, "- [The library](api/index.md)"])


# ---------------------------------------------------------------------------- the figures


def gallery() -> str:
    """Every figure with its caption, alt text, data and code, notebook by notebook."""
    lines = ["# Figures", "", "Each figure as `make figures` draws it, with the numbers behind it."]
    numbers = figure_numbers()
    place = {name: k for k, name in enumerate(numbers)}
    entries = sorted(figures.manifest().values(), key=lambda e: (e.notebook, place.get(e.name, 0)))
    for notebook, group in groupby(entries, key=lambda entry: entry.notebook):
        lines += ["", f"## {heading_of(notebook)[0]}", ""]
        for entry in group:
            lines += [*figure(entry, numbers.get(entry.name, "")), ""]
    return "\n".join(lines)


def heading_of(notebook: str) -> tuple[str, str]:
    """Heading and page of the figures of a notebook; the README's one is shown with the ledger."""
    return ("The scorecard", "claims/index") if notebook == "README" else (notebook, notebook)


def figure_numbers() -> dict[str, str]:
    """The number of each figure: that of its notebook, and its place in it."""
    numbers: dict[str, str] = {}
    for path in store.notebooks(store.root()):
        cells = store.cells(path)
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        shown = dict.fromkeys(re.findall(r'figure\("(\w+)"', code))
        own = [name for name, entry in figures.manifest().items() if entry.notebook == path.stem]
        order = [*(name for name in shown if name in own), *(n for n in own if n not in shown)]
        numbers |= {name: f"{int(path.stem[:2])}.{k}" for k, name in enumerate(order, 1)}
    return numbers


WHAT_IF = {
    "02_priority_lists": "[Move a cell through the list](lists.md).",
    "03_perfect_play": "[Play against it after as many epochs as you like](play.md).",
    "04_exact_curve": "[Move b and play against it](play.md).",
}
"""Figures that ask what if, and the page whose slider answers."""


def figure_anchor(name: str) -> str:
    """The anchor of a figure in the gallery."""
    return f"figure-{name.replace('_', '-')}"


def figure(entry: figures.Entry, number: str) -> list[str]:
    """One figure of the gallery."""
    module, _, name = entry.function.partition(":")
    page = heading_of(entry.notebook)[1]
    links = (
        f"Discussed in {{doc}}`../{page}`; data: {escape_markdown(entry.data)}; "
        f"n: {escape_markdown(entry.n)}; seed: {escape_markdown(entry.seed)}; "
        f"drawn by {{py:func}}`{name} <{module}.{name}>`; "
        f"{{download}}`numbers <{entry.name}.csv>`."
    )
    return [
        f"::::{{figure}} {entry.name}.svg",
        f":alt: {one_line(entry.alt)}",
        f":name: {figure_anchor(entry.name)}",
        "",
        f"**Figure {number}.** {entry.caption}" if number else entry.caption,
        "",
        links,
        "::::",
    ]


# ---------------------------------------------------------------------------- the library


def library() -> Iterator[Page]:
    """One page for each module at the top of the library, one for each room."""
    folder = store.root() / "ttt_lib"
    modules = [p.stem for p in sorted(folder.glob("*.py")) if not p.stem.startswith("_")]
    rooms = [p.parent for p in sorted(folder.glob("*/**/__init__.py"))]
    for name in modules:
        yield f"api/{name}.md", module_page(f"ttt_lib.{name}")
    for room in rooms:
        parts = [p.stem for p in sorted(room.glob("*.py")) if not p.stem.startswith("_")]
        yield f"api/{dotted(room)}.md", module_page(f"ttt_lib.{dotted(room)}", parts)
    names = [*modules, *(dotted(room) for room in rooms)]
    yield "api/index.md", "\n".join([API_INTRO, "", toctree(sorted(names), ":maxdepth: 1"), ""])


def dotted(room: Path) -> str:
    """The name of a room below ``ttt_lib``, such as ``ultimate.board``."""
    return ".".join(room.relative_to(store.root() / "ttt_lib").parts)


API_INTRO = """\
# The library

What `import ttt_lib` offers, from its docstrings. Shapes, units and errors stand with each
function; *[source]* shows the code. Imports run one way: `game` at the bottom, then `evidence`,
the packages of the documents side by side, `catalog`, `comparison`, `people`, and `cli` on top."""


def module_page(name: str, parts: Sequence[str] = ()) -> str:
    """A module's documentation, and that of the modules inside it."""
    # What a room offers by its own name is documented where it is defined.
    own = automodule(name, "no-members") if parts else automodule(name)
    lines = [f"# {name.removeprefix('ttt_lib.')}", "", own]
    for part in parts:
        lines += ["", f"## {part}", "", automodule(f"{name}.{part}")]
    return "\n".join([*lines, ""])


def automodule(name: str, *options: str) -> str:
    """Ask Sphinx for the docstrings of a module."""
    lines = [f".. automodule:: {name}", *(f"   :{option}:" for option in options)]
    return "\n".join(["```{eval-rst}", *lines, "```"])

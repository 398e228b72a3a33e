"""Slides and handouts from Markdown: pages that open from a file, without a network.

Between paragraphs a text may hold fenced blocks of its own:

``boards``
    one board per line, ``xoxo.x.o. | caption | numbers``; the last word numbers the free cells;
    81 characters are nine boards, one after the other;
``ultimate``
    a position of Ultimate in one line, decided sub-boards marked and those to play in shaded,
    unless ``unshaded`` follows;
``figure``
    the name of a figure of this compendium;
``answer``
    ``NOTEBOOK | words``: the sentence with these words that the stored notebook printed;
``lines``
    a number of empty lines to write on.

``{{name}}`` is a number of :mod:`~ttt_lib.people.book.lesson_facts`.  In slides ``---`` begins a
new one, ``...`` waits for a key, and what follows ``Notes:`` is for the speaker (key S).  The
slides are shown by reveal.js (El Hattab and others), which the package sphinx-revealjs brings.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import isqrt
from pathlib import Path
from string import Template
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ttt_lib.evidence import figures, store
from ttt_lib.game.draw import Board
from ttt_lib.people import theme
from ttt_lib.people.book.lesson_facts import filled, sentence
from ttt_lib.people.formulas import folder_of, mathjax
from ttt_lib.ultimate.board.draw import UltimateBoard

WIDTH, HEIGHT = 1280, 720
"""Size of a slide in CSS pixels."""

REVEAL = ("dist/reveal.js", "dist/reveal.css", "dist/reset.css", "plugin/notes/notes.js", "LICENSE")
"""The files of reveal.js that a deck needs."""


# ---------------------------------------------------------------------------- Markdown


def html_of(text: str) -> str:
    """A text in Markdown as HTML, with its numbers filled in."""
    together = re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", filled(text))
    return str(_markdown().render(together))


def _markdown() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": True, "typographer": True}).enable(
        ["table", "replacements", "smartquotes"]
    )
    md.use(dollarmath_plugin, renderer=_formula)
    md.add_render_rule("fence", _fence)
    return md


def _formula(source: str, options: dict[str, Any]) -> str:
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return left + escape(source) + right


def _fence(_: Any, tokens: Sequence[Any], place: int, *__: Any) -> str:
    kind, content = tokens[place].info.strip(), tokens[place].content.strip()
    if kind in BLOCKS:
        return BLOCKS[kind](content)
    return f"<pre><code>{escape(tokens[place].content)}</code></pre>\n"


def _boards(content: str) -> str:
    shown = [_board(*(part.strip() for part in line.split("|"))) for line in content.splitlines()]
    return f'<div class="boards">{"".join(shown)}</div>\n'


def _board(text: str, caption: str = "", numbers: str = "") -> str:
    n, size = isqrt(len(text)), "3x3x3x3" if len(text) == 81 else ""
    labels = [str(cell) for cell in range(n * n)] if numbers else ()
    words = f"board {', '.join(text[n * row : n * (row + 1)] for row in range(n))}"
    picture = Board(text, size or f"{n}x{n}", labels=labels, title=words)._repr_svg_()
    under = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{picture}{under}</figure>"


UNSHADED = " unshaded"
"""After a position: the class is asked where one may play."""


def _ultimate(content: str) -> str:
    text = content.removesuffix(UNSHADED)
    picture = UltimateBoard(text, width=420)._repr_svg_()
    if text != content:
        picture = re.sub('fill="[^"]*" fill-opacity="0.3"', 'fill="none"', picture)
    return f'<div class="boards"><figure>{picture}</figure></div>\n'


def _figure(content: str) -> str:
    known = figures.manifest().get(content)
    if known is None:
        raise ValueError(f"no figure is called {content!r}")
    alt = escape(" ".join(known.alt.split()))
    return f'<figure class="wide"><img src="figures/{content}.svg" alt="{alt}"></figure>\n'


def _answer(content: str) -> str:
    notebook, words = (part.strip() for part in content.split("|"))
    said = _markdown().render(sentence(notebook, words))
    return f"<blockquote>{said}<footer>computed in notebook {notebook[:2]}</footer></blockquote>\n"


def _lines(content: str) -> str:
    return f'<div class="lines">{"<p></p>" * int(content)}</div>\n'


BLOCKS: dict[str, Callable[[str], str]] = {
    "boards": _boards,
    "ultimate": _ultimate,
    "figure": _figure,
    "answer": _answer,
    "lines": _lines,
}
"""What a fenced block becomes, by its first word."""


# ---------------------------------------------------------------------------- pages


def slide(text: str) -> str:
    """One slide with its steps and its notes."""
    shown, _, notes = text.partition("\nNotes:")
    first, *later = re.split(r"^\.\.\.$", shown.strip(), flags=re.MULTILINE)
    steps = "".join(f'<div class="fragment">{html_of(part)}</div>' for part in later)
    aside = f'<aside class="notes">{html_of(notes)}</aside>' if notes else ""
    return f"<section>{html_of(first)}{steps}{aside}</section>\n"


def deck(title: str, text: str) -> str:
    """The page of a lesson's slides."""
    sections = "".join(slide(part) for part in re.split(r"^---$", text, flags=re.MULTILINE))
    return _page(title, "slides", f'<div class="reveal"><div class="slides">{sections}</div></div>')


def handout(title: str, text: str) -> str:
    """A page to print on one sheet of A4."""
    return _page(title, "handout", f"<main>{html_of(text)}</main>")


def _page(title: str, kind: str, body: str) -> str:
    here = Path(__file__).parent
    head, foot = ("", "") if kind == "handout" else (HEAD, FOOT)
    if r"\(" in body or r"\[" in body:
        foot = MATHJAX + foot
    return PAGE.substitute(
        title=escape(title),
        head=head,
        style=theme.rule(":root", theme.LIGHT) + (here / f"{kind}.css").read_text(encoding="utf-8"),
        body=body,
        foot=Template(foot).substitute(width=WIDTH, height=HEIGHT),
    )


PAGE = Template(
    """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<link rel="icon" href="data:,">
$head<style>
$style</style>
</head>
<body>
$body
$foot</body>
</html>
"""
)
HEAD = """\
<link rel="stylesheet" href="reveal/reset.css">
<link rel="stylesheet" href="reveal/reveal.css">
"""
MATHJAX = """\
<script>MathJax = {options: {enableMenu: false}, svg: {fontCache: "global"}}</script>
<script src="mathjax.js"></script>
"""
FOOT = """\
<script src="reveal/reveal.js"></script>
<script src="reveal/notes.js"></script>
<script>Reveal.initialize({width: $width, height: $height, margin: 0, hash: true, center: false,
  slideNumber: "c/t", transition: "none", pdfSeparateFragments: false,
  plugins: [RevealNotes]});</script>
"""


def needed(pages: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """What pages load: the name beside them, and the file it is a copy of."""
    together = "".join(pages)
    for name in sorted(set(re.findall(r'src="(figures/[^"]+)"', together))):
        yield name, store.root() / name
    if "reveal/" in together:
        files = folder_of("sphinx_revealjs") / "_static" / "revealjs"
        yield from ((f"reveal/{Path(name).name}", files / name) for name in REVEAL)
    if "mathjax.js" in together:
        yield "mathjax.js", mathjax()


def write(folder: Path, pages: dict[str, str]) -> None:
    """Write pages by name into a folder, with all that they load."""
    for name, text in pages.items():
        store.write_atomic(folder / name, text)
    for name, source in needed(list(pages.values())):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)

"""The book: a static site from the stored notebooks, read without a kernel and without a network.

``make book`` runs ``python -m ttt_lib.people.book.site``.  It lays the notebooks, the pages of
``notebooks/book/`` and those of :mod:`ttt_lib.people.book.pages` into one folder and hands it to
Sphinx.  No notebook is executed; a warning is an error.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ttt_lib.evidence import store
from ttt_lib.evidence.command import Parser, folder_named, run_command
from ttt_lib.people.book import lessons, pages, slides

PAGES = "notebooks/book"
LEFT_OUT = ("_build", "__pycache__", "conf.py", "paper.md", "paper.bib")
"""What lies beside the pages but is not one of them: build products, settings, and the paper."""


def with_alt_text(cell: dict[str, Any]) -> dict[str, Any]:
    """A code cell whose pictures keep, in the book, the alt text that stands in their metadata."""
    alts = [
        picture["alt"]
        for output in cell.get("outputs", [])
        for picture in output.get("metadata", {}).values()
        if isinstance(picture, dict) and "alt" in picture
    ]
    if not alts:
        return cell
    options = {"mystnb": {"image": {"alt": " ".join(alts)}}}
    return cell | {"metadata": cell["metadata"] | options}


DRAWS = ("say", "figure", "boards", "notebook.boards", "HTML")
"""Calls of a cell whose picture or sentence matters more than its code."""

LONG = 10
"""Lines above which a cell that draws or tells is folded, wherever in it the call stands."""


def folded(cell: dict[str, Any]) -> dict[str, Any]:
    """A code cell, collapsed in the book if it defines nothing and draws or tells something.

    A short one is collapsed only if that is the last thing it does.
    """
    source = "".join(cell["source"]).strip()
    if cell["cell_type"] != "code" or "\n" not in source or source.startswith("%"):
        return cell
    body = ast.parse(source).body
    if any(isinstance(part, ast.FunctionDef | ast.ClassDef) for part in body):
        return cell
    looked_at = body if source.count("\n") >= LONG else body[-1:]
    calls = (node for part in looked_at for node in ast.walk(part) if isinstance(node, ast.Call))
    if not any(ast.unparse(call.func) in DRAWS for call in calls):
        return cell
    tags = [*cell["metadata"].get("tags", []), "hide-input"]
    return cell | {"metadata": cell["metadata"] | {"tags": tags}}


def numbered(cell: dict[str, Any], numbers: Mapping[str, str]) -> dict[str, Any]:
    """A cell whose captions and sentences name a figure by its number, which leads to the gallery.

    Links of text cells to pages of the book lead, in the book, to the page beside the notebook.
    """

    def link(found: re.Match[str]) -> str:
        name, end = found.groups()
        place = f"figures/index.md#{pages.figure_anchor(name)}"
        return f"[Figure {numbers[name]}]({place}){end}" if name in numbers else found[0]

    def caption(text: str) -> str:
        sliders = [pages.WHAT_IF.get(name, "") for name in CAPTION.findall(text)]
        return " ".join([FIGURE.sub(link, text), *filter(None, sliders)])

    if cell["cell_type"] == "markdown":
        text = FIGURE.sub(link, "".join(cell["source"]))
        return cell | {"source": text.replace("](book/", "](")}
    outputs = [
        output | {"data": {**data, "text/markdown": caption("".join(text))}}
        if (text := (data := output.get("data", {})).get("text/markdown"))
        else output
        for output in cell.get("outputs", [])
    ]
    return cell | {"outputs": outputs} if outputs else cell


CAPTION = re.compile(r"\*Figure (\w+)\.\*")
"""The beginning of a figure's caption."""

FIGURE = re.compile(r"\*Figure (\w+)(\.?)\*")
"""A figure that a caption or a sentence names."""


def page_of(notebook: Mapping[str, Any], name: str, numbers: Mapping[str, str]) -> dict[str, Any]:
    """A notebook as the book shows it: described, numbered, folded, and with links around it."""
    title, *cells = [numbered(folded(with_alt_text(c)), numbers) for c in notebook["cells"]]
    top = _markdown("to-run", pages.before_notebook(name))
    end = _markdown("in-this-book", pages.after_notebook(name))
    return {**notebook, "cells": [title, top, *cells, end]}


def _markdown(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def rebase_links(text: str) -> str:
    """A page's text with the book's links: there notebooks and figures lie beside it.

    The README's scorecard has a page of its own.
    """
    text = text.replace("](../../README.md#the-scorecard)", "](claims/index.md)")
    return re.sub(r"(\]\(|^\[[^\]]+\]: )(?:\.\./)+", r"\1", text, flags=re.MULTILINE)


OWN = ".sources-of-the-book"
"""Marks a folder that may be emptied."""


def check_free(out: Path) -> None:
    """Refuse a folder whose pages are not the book's.

    Raises
    ------
    ValueError
        If they are not.
    """
    if (out / "html").exists() and not (out / "source" / OWN).exists():
        raise ValueError(f"{out / 'html'} is not the book's: remove it, or choose another --out")


def assemble(folder: Path) -> None:
    """Lay all sources of the book into a folder, which is emptied first.

    Raises
    ------
    ValueError
        If the folder holds something else.
    """
    root, mark = store.root(), folder / OWN
    if folder.exists() and not mark.exists():
        raise ValueError(f"{folder} is not the book's: remove it, or choose another --out")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / PAGES, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    mark.touch()
    numbers = pages.figure_numbers()
    for path in store.notebooks(root):
        text = path.read_text(encoding="utf-8")
        page = page_of(json.loads(text), path.stem, numbers)
        store.write_atomic(folder / path.name, json.dumps(page))
        store.write_atomic(folder / "_static/notebooks" / path.name, text)  # to be downloaded
    for path in sorted((root / "notebooks/exercises").glob("*.md")):
        store.write_atomic(folder / "exercises" / path.name, path.read_bytes())
    for path in sorted(folder.glob("*.md")):
        store.write_atomic(path, rebase_links(path.read_text(encoding="utf-8")))
    for name, text in pages.generated():
        store.write_atomic(folder / name, text)
    slides.write(folder / "_static/lessons", lessons.pages())
    for path in sorted((root / "figures").glob("*.*")):
        if path.suffix in (".svg", ".csv"):
            shutil.copy(path, folder / "figures" / path.name)


def sphinx(folder: Path, out: Path) -> int:
    """Run Sphinx on assembled sources; returns its exit status, 0 if there was no warning."""
    command = [
        sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going",
        "--nitpicky", "--fresh-env", "--write-all", "--quiet",
        "--conf-dir", str(store.root() / PAGES), "--doctree-dir", str(out / "doctrees"),
        str(folder), str(out / "html"),
    ]  # fmt: skip
    return subprocess.run(command, env=environment(), check=False).returncode


def environment() -> dict[str, str]:
    """The environment of Sphinx: as here, but the library it documents is the checkout at hand.

    Without its compiler numba leaves functions as they are, with their signatures.
    """
    path = os.pathsep.join([str(store.root()), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}


def build(options: argparse.Namespace) -> int:
    """Build the book; returns the exit status."""
    store.checkout("to build the book")
    check_free(options.out)
    assemble(options.out / "source")
    status = sphinx(options.out / "source", options.out)
    if status == 0:
        print(f"The book: {options.out / 'html' / 'index.html'}")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = Parser(prog="python -m ttt_lib.people.book.site", description=__doc__)
    about = f"folder ({PAGES}/_build)"
    parser.add_argument(
        "--out", type=folder_named, default=store.root() / PAGES / "_build", help=about
    )
    return run_command(parser, build, arguments)


if __name__ == "__main__":
    sys.exit(main())

"""The book: a static site from the stored notebooks, read without a kernel and without a network.

``make book`` runs ``python -m ttt_lib.people.book``.  It lays the notebooks, the pages of
``notebooks/book/`` and those of :mod:`ttt_lib.people.book_pages` into one folder and hands it to
Sphinx.  No notebook is executed; a warning is an error.
"""

from __future__ import annotations

import argparse
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
from ttt_lib.people import book_pages

PAGES = "notebooks/book"
LEFT_OUT = ("_build", "__pycache__", "conf.py", "paper.md", "paper.bib")
"""What lies beside the pages and is none: build products, settings, and the paper."""


def sources(root: Path) -> list[Path]:
    """The numbered notebooks, in reading order."""
    return sorted((root / "notebooks").glob("[0-9]*.ipynb"))


def described(cell: dict[str, Any]) -> dict[str, Any]:
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


def page_of(notebook: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A notebook as the book shows it: alt texts in place, and links to its claims and figures."""
    cells = [described(cell) for cell in notebook["cells"]]
    end = {
        "cell_type": "markdown",
        "id": "in-this-book",
        "metadata": {},
        "source": book_pages.after_notebook(name),
    }
    return {**notebook, "cells": [*cells, end]}


def moved_up(text: str) -> str:
    """A page's text with links as the book needs them: there the notebooks lie beside the page."""
    return re.sub(r"(\]\(|^\[[^\]]+\]: )\.\./", r"\1", text, flags=re.MULTILINE)


def assemble(folder: Path) -> None:
    """Lay all sources of the book into a folder, which is emptied first."""
    root = store.root()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / PAGES, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for path in sources(root):
        page = page_of(json.loads(path.read_text(encoding="utf-8")), path.stem)
        store.write_atomic(folder / path.name, json.dumps(page))
    for path in sorted((root / "notebooks/exercises").glob("*.md")):
        store.write_atomic(folder / "exercises" / path.name, path.read_bytes())
    for path in sorted(folder.glob("*.md")):
        store.write_atomic(path, moved_up(path.read_text(encoding="utf-8")))
    for name, text in book_pages.generated():
        store.write_atomic(folder / name, text)
    _copy_figures(folder)


def _copy_figures(folder: Path) -> None:
    for path in sorted((store.root() / "figures").glob("*.*")):
        if path.suffix in (".svg", ".csv"):
            shutil.copy(path, folder / "figures" / path.name)


def sphinx(folder: Path, out: Path, arguments: Sequence[str] = ()) -> int:
    """Run Sphinx on assembled sources; returns its exit status, 0 if there was no warning."""
    command = [
        sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going",
        "--nitpicky", "--fresh-env", "--write-all", "--quiet",
        "--conf-dir", str(store.root() / PAGES), "--doctree-dir", str(out / "doctrees"),
        *arguments, str(folder), str(out / "html"),
    ]  # fmt: skip
    return subprocess.run(command, env=environment(), check=False).returncode


def environment() -> dict[str, str]:
    """What Sphinx runs in: as here, but the library to describe is the checkout at hand.

    Without its compiler numba leaves functions as they are, with their signatures.
    """
    path = os.pathsep.join([str(store.root()), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the book; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ttt_lib.people.book", description=__doc__)
    parser.add_argument("--out", type=Path, default=store.root() / PAGES / "_build")
    options = parser.parse_args(arguments)
    store.checkout("to build the book")
    assemble(options.out / "source")
    status = sphinx(options.out / "source", options.out)
    if status == 0:
        print(f"The book: {options.out / 'html' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())

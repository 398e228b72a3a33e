"""The book: a static site from the stored notebooks, read without a kernel and without a network.

``make book`` runs ``python -m ttt_lib.book``.  It lays the notebooks, the pages of
``notebooks/book/`` and those of :mod:`ttt_lib.book_pages` into one folder and hands it to
Sphinx.  No notebook is executed; a warning is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ttt_lib import book_pages, store

PAGES = "notebooks/book"
LEFT_OUT = ("_build", "__pycache__", "conf.py", "paper.md", "paper.bib")
"""What lies beside the pages and is none: build products, settings, and the paper."""


def sources(root: Path, only: Sequence[str] = ()) -> list[Path]:
    """The numbered notebooks, in reading order, or those of the given names.

    Raises
    ------
    ValueError
        If a name is no notebook's.
    """
    found = {path.stem: path for path in sorted((root / "notebooks").glob("[0-9]*.ipynb"))}
    unknown = sorted(set(only) - set(found))
    if unknown:
        raise ValueError(f"no notebook {unknown[0]!r}: {', '.join(found)}")
    return [path for name, path in found.items() if not only or name in only]


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


def assemble(folder: Path, only: Sequence[str] = ()) -> None:
    """Lay all sources of the book into an empty folder.

    Parameters
    ----------
    folder : Path
        Emptied first.
    only : sequence of str
        Notebooks to take; all if empty.  Claims and figures of the others are left out.
    """
    root = store.root()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / PAGES, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    chosen = sources(root, only)
    for path in chosen:
        page = page_of(json.loads(path.read_text(encoding="utf-8")), path.stem)
        store.write_atomic(folder / path.name, json.dumps(page))
    exercises = root / "notebooks/exercises/README.md"
    if exercises.exists():
        store.write_atomic(folder / "exercises.md", exercises.read_text(encoding="utf-8"))
    for name, text in book_pages.generated([path.stem for path in chosen]):
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
        "--nitpicky", "--quiet", "--conf-dir", str(store.root() / PAGES),
        "--doctree-dir", str(out / "doctrees"), *arguments, str(folder), str(out / "html"),
    ]  # fmt: skip
    return subprocess.run(command, env=dict(environment()), check=False).returncode


def environment() -> Iterator[tuple[str, str]]:
    """This process's environment, and the checkout at hand as the library to describe.

    Without its compiler numba leaves functions as they are, with their signatures.
    """
    path = os.pathsep.join([str(store.root()), os.environ.get("PYTHONPATH", "")])
    yield from (os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}).items()


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the book; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ttt_lib.book", description=__doc__)
    parser.add_argument("--out", type=Path, default=store.root() / PAGES / "_build")
    parser.add_argument("--only", nargs="+", default=(), metavar="NOTEBOOK")
    options = parser.parse_args(arguments)
    try:
        assemble(options.out / "source", options.only)
    except ValueError as error:
        parser.error(str(error))
    status = sphinx(options.out / "source", options.out)
    if status == 0:
        print(f"The book: {options.out / 'html' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())

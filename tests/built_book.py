"""The book as ``make book`` builds it, once for all processes that test it, and a window on it."""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BUILD = (sys.executable, "-m", "ttt_lib.people.book.site", "--out")


def build(out: Path) -> str:
    """Build the book in a folder; returns why it was not built, or nothing."""
    done = subprocess.run(
        [*BUILD, str(out)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return f"the book was not built:\n{done.stdout}" if done.returncode else ""


def built_once(shared: Path, build: Callable[[Path], str] = build) -> Path:
    """The book of a folder that processes share: the first one builds it, others wait for it.

    Where it can't be built, the test of each fails with the same message.  The system takes the
    lock from a process that ends, whatever its end; the next one then builds in a folder of its
    own, since Sphinx may still write where the other had begun.
    """
    told = shared / "book.json"
    with (shared / "book.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            out = Path(mkdtemp(prefix="book-", dir=shared))
            (out / "told").write_text(json.dumps({"out": str(out), "failed": build(out)}))
            (out / "told").replace(told)  # so that it is there whole or not at all
    found = json.loads(told.read_text())
    if found["failed"]:
        pytest.fail(found["failed"], pytrace=False)
    return Path(found["out"]) / "html"


SET = "() => !document.querySelector('.math') || document.querySelector('mjx-container svg')"
"""Formulas, if there are any, are set."""


class Watched:
    """A page, with the requests that it made and the errors it met."""

    def __init__(self, context: Any, html: Path) -> None:
        self.html, self.asked, self.errors = html, list[str](), list[str]()
        context.route(re.compile(r"^(?!file:|data:)"), self._refuse)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def forget(self) -> None:
        """Begin another test, which no late word of the page before may reach."""
        self.page.goto("about:blank")
        self.asked.clear()
        self.errors.clear()

    def _refuse(self, route: Any) -> None:
        self.asked.append(route.request.url)
        route.abort()

    def open(self, name: str) -> Any:
        """A page loaded anew: another place in the same file alone would load nothing."""
        file, _, place = name.partition("#")
        self.page.goto("about:blank")
        self.page.goto((self.html / file).as_uri() + (f"#{place}" if place else ""))
        self.page.wait_for_function(SET)  # not "networkidle": a busy machine may miss that event
        return self.page

"""A course of nbgrader in a temporary folder, with its database, and one way to run its steps."""

from __future__ import annotations

import io
import logging
import math
import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import unquote

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

SECONDS = 30
"""Longest time of one cell of a submission."""

TOTAL_SECONDS = 180
"""Longest time of all cells of a submission together."""


@dataclass(frozen=True)
class Course:
    """An nbgrader course in a folder: one assignment per notebook, of the same name.

    Attributes
    ----------
    folder : Path
        Holds ``source``, ``release``, ``submitted``, ``autograded``, ``feedback`` and the database.
    seconds, total : float
        Longest time of one cell, and of all cells of a submission.
    sandboxed : bool
        Whether submissions run in a sandbox.
    cache : Path or None
        Gets what the first run compiles, if it does not exist yet; copied for later ones.
    """

    folder: Path
    seconds: float = SECONDS
    total: float = TOTAL_SECONDS
    sandboxed: bool = True
    cache: Path | None = None

    @property
    def database(self) -> str:
        """The address of the grade book."""
        return f"sqlite:///{self.folder / 'gradebook.db'}"

    def run(self, step: str, notebook: str, student: str = "*") -> None:
        """Run ``GenerateAssignment``, ``Autograde`` or ``GenerateFeedback`` on one notebook.

        Raises
        ------
        ValueError
            If it fails, with nbgrader's last message.
        """
        from nbgrader import api, converters
        from nbgrader.coursedir import CourseDirectory

        config, words = self._config(), io.StringIO()
        log = logging.Logger("teach", logging.ERROR)
        log.addHandler(logging.StreamHandler(words))
        place = CourseDirectory(config=config, assignment_id=notebook, student_id=student)
        # nbgrader would start a program to ask for this, for every new grade book.
        known = mock.patch.object(api, "get_alembic_version", revision)
        try:
            with known, warnings.catch_warnings(action="ignore"):  # SQLAlchemy's, about queries
                getattr(converters, step)(coursedir=place, config=config, log=log).start()
        except Exception as error:
            raise ValueError(_last_error(words.getvalue()) or str(error)) from error

    def copy(self, notebook: str, folder: Path) -> Course:
        """The same course in another folder, with one notebook as released and no submission."""
        for part in ("source", "release"):
            shutil.copytree(self.folder / part / notebook, folder / part / notebook)
        shutil.copyfile(self.folder / "gradebook.db", folder / "gradebook.db")
        return replace(self, folder=folder)

    def _config(self) -> Any:
        from traitlets.config import Config

        from ttt_lib.people.grading import execution

        config = Config()
        config.CourseDirectory.root = str(self.folder)
        config.CourseDirectory.db_url = self.database
        config.Autograde.autograde_preprocessors = execution.AUTOGRADE
        config.Run.extra_arguments = ["--log-level=ERROR"]
        config.Run.timeout, config.Run.total = math.ceil(self.seconds), self.total
        config.Run.sandboxed, config.Run.cache = self.sandboxed, str(self.cache or "")
        config.Run.fills = self.cache is not None and not self.cache.is_dir()
        config.HTMLExporter.sanitize_html = True  # of outputs; nbgrader's page forgets the text
        config.HTMLExporter.filters = {"markdown2html": harmless_html}
        return config


@pass_context
def harmless_html(page: Mapping[str, Any], markdown: str) -> str:
    """A student's Markdown as HTML that runs nothing: tags are shown, not obeyed.

    Pictures come from the cell that the page is at.
    """
    pictures = page.get("cell", {}).get("attachments", {})
    how = {"escape": True, "allow_harmful_protocols": False, "attachments": pictures}
    renderer = Harmless(REPEATED * len(markdown), **how)
    return str(MarkdownWithMath(renderer=renderer).render(markdown))


PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Forms of pictures in which nothing can be run."""

REPEATED = 10
"""How many times the length of a cell's text its page may repeat addresses and titles of links."""


class Harmless(IPythonRenderer):
    """HTML of Markdown in which a picture that can't be shown is no error.

    What a link or a picture holds is on the page once, and again while there is room.  So a page
    grows with what was handed in, however often something long is mentioned by a short name.

    Parameters
    ----------
    room : int
        Characters of addresses (for pictures of a cell, their data) and titles that are repeated.
    **about
        As for nbconvert's renderer.
    """

    def __init__(self, room: int, **about: Any) -> None:
        super().__init__(**about)
        self.room, self.shown = room, set[str]()

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture; one of the cell's own that is missing or of another form, in words."""
        prefix, own, quoted = url.partition("attachment:")
        name = text
        if own and not prefix:
            name = escape(unquote(quoted)[:80])  # it may be mentioned often, too
            found = self.attachments.get(unquote(quoted), {})
            form = next((form for form in PICTURES if form in found), None)
            if form is None:
                return f"[a picture that is not shown: {name}]"
            url = f"data:{form};base64,{found[form]}"
        if not self._fits(url, title or ""):
            return f"[the picture above: {name}]"
        return str(super().image(text, url, title))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link; its text alone if there is no room for another of the same."""
        return str(super().link(text, url, title)) if self._fits(url, title or "") else text

    def block_mermaidjs(self, code: str) -> str:
        """A diagram's code as it was typed; nbconvert would put tags in it into the page."""
        return str(self.block_code(code))

    def _fits(self, *parts: str) -> bool:
        """Whether there is room for an address and a title; the first time there always is."""
        again = sum(len(part) for part in parts if part in self.shown)
        if again > self.room:
            return False
        self.room -= again
        self.shown.update(parts)
        return True


@cache
def revision() -> str:
    """The version of grade books that nbgrader makes, as it writes it into a new one."""
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR

    return str(ScriptDirectory(ALEMBIC_DIR).get_current_head())


def _last_error(log: str) -> str:
    """The line of a log that names the exception, if there was one."""
    lines = log.splitlines()
    named = [line for line in lines if re.match(r"[A-Za-z][\w.]*:", line)]
    return named[-1] if named else ""


@contextmanager
def course(**limits: Any) -> Iterator[Course]:
    """A course in a temporary folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="ttt-teach-") as folder, environment():
        yield Course(Path(folder).resolve(), **limits)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stop what takes longer, in processor time of this process, even within one pattern's search.

    Raises
    ------
    TimeoutError
        Then, and again after the same time if that was caught.
    """

    def stop(*_: Any) -> None:
        raise TimeoutError(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def environment() -> Any:
    """The variables of a course while it lasts.

    nbgrader calls a command of this environment by its bare name, and it takes any line on stderr
    for a failed check, so kernels print no warnings.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return mock.patch.dict(os.environ, PATH=path, PYTHONWARNINGS="ignore", TQDM_DISABLE="1")

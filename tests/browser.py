"""A Chromium for tests that look at pages; where there is none they are skipped, with a reason."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium() -> str:
    """Path of a Chromium: the variable ``TTT_CHROMIUM``, or the first one found on ``PATH``.

    Without one the test is skipped, or fails where ``TTT_REQUIRE_BROWSER`` is 1.
    """
    found = [os.environ.get("TTT_CHROMIUM", ""), *(shutil.which(name) or "" for name in NAMES)]
    path = next(filter(None, found), None)
    if path is not None:
        return path
    reason = f"no Chromium: set TTT_CHROMIUM or install one of {', '.join(NAMES)}"
    if os.environ.get("TTT_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def browser() -> Iterator[Any]:
    """A headless browser of playwright that runs this Chromium."""
    path = chromium()
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()

"""Settings that all tests share."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pytest
from built_book import built_once
from hypothesis import settings

from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import GameTree, solve

if TYPE_CHECKING:
    from ttt_lib.ultimate.network.tablenet import Tables
    from ttt_lib.ultimate.studies.yardstick import Yardstick

mpl.use("Agg")

# Machines differ in speed and a failure must repeat: no deadline, and the same examples each time.
settings.register_profile("ttt", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("ttt")


LONGEST = (
    "05_alphazero_lite", "test_book", "test_grading", "test_figures", "test_play_browser",
    "test_teach", "test_provenance", "test_ledger_5", "test_book_play", "04_ising_bias",
    "test_end_exercises", "test_ledger", "01_playout_mlp", "test_variants", "test_spectral",
    "test_ising", "test_ultimate_solver",
)  # fmt: skip
"""Files that take a quarter of a minute and more, the longest first, so that no worker waits at
the end; what compiles the same kernels as another file comes after it, and so does what needs the
book, which test_book builds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; tests of a file stay together and in order.

    Of notebooks, the pictures are compared too, to the byte, which nbval does not do by itself.
    """
    for notebook in {item.parent for item in items if hasattr(item.parent, "skip_compare")}:
        kinds = notebook.skip_compare  # type: ignore[union-attr]
        notebook.skip_compare = tuple(kind for kind in kinds if kind != "image/png")  # type: ignore[union-attr]
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """What all modules hold, a million objects, stays: no search for garbage need look at it.

    And the search is rarer than for each 700 new objects: fractions are many, and no garbage.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        gc.enable()


@pytest.fixture(scope="session")
def tree() -> GameTree:
    """All states of 3x3."""
    return solve(Grid(3))


@pytest.fixture(scope="session")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of the book, built once for all workers of a run."""
    pytest.importorskip("sphinx_book_theme")
    if built := os.environ.get("TTT_BOOK"):  # while one works on the tests: a book built before
        return Path(built) / "html"
    own = tmp_path_factory.getbasetemp()  # of xdist's workers, side by side in the run's folder
    return built_once(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture(scope="session")
def measure() -> Yardstick:
    """The stored endgames of Ultimate, read once: each row is checked against the rules."""
    from ttt_lib.ultimate.studies import yardstick

    return yardstick.read()


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The stored table net of Ultimate, compiled for search."""
    from ttt_lib.ultimate.players import stored_tables

    return stored_tables()


# ---------------------------------------------------------------------------- a browser

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium: the variable ``TTT_CHROMIUM``, or the first one found on ``PATH``.

    Without it or playwright the test is skipped, or fails where ``TTT_REQUIRE_BROWSER`` is 1.
    """
    found = os.environ.get("TTT_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found and find_spec("playwright"):
        return found
    reason = (
        "playwright is not installed: make env"
        if found
        else f"no browser: TTT_CHROMIUM is not set, and there is none of {', '.join(BROWSERS)}"
    )
    if os.environ.get("TTT_REQUIRE_BROWSER") == "1":
        pytest.fail(f"TTT_REQUIRE_BROWSER is 1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="module")  # playwright holds an event loop that tests elsewhere need
def browser(chromium: str) -> Iterator[Any]:
    """A headless Chromium, by playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=list(BROWSER_FLAGS))
        yield running
        running.close()

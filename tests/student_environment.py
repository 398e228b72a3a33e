"""What a student installs: how large it is, and how soon the first cell of an exercise has run.

    python tests/student_environment.py

It builds the wheel, installs it with the extra ``student`` into a fresh environment by pip, opens
each exercise that needs no more in JupyterLab, in a headless Chromium, and runs its first cell.
Needs a package index or a folder of packages, as ``make env`` does.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from conftest import BROWSER_FLAGS, BROWSERS

from ttt_lib.people.grading import teach

ROOT = Path(__file__).parents[1]
EXERCISES = [name for name in teach.masters() if not name.startswith("03")]
"""Number 3 needs numba as well."""
LIMIT_MB, LIMIT_SECONDS = 400, 15
IDLE = "() => /Idle/.test(document.querySelector('#jp-main-statusbar')?.textContent || '')"
FAILED = '[data-mime-type*="stderr"], [data-mime-type*="error"]'
RAN = "() => [...document.querySelectorAll('.jp-InputPrompt')].some(p => p.textContent == '[1]:')"


def install(folder: Path) -> Path:
    """A fresh environment with the wheel and its extra; returns its Python."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = (folder / "dist").glob("*.whl")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env/bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    pins = ["-c", ROOT / "constraints.txt"]
    subprocess.run([*pip, *pins, f"{wheel}[student]"], check=True, env=plain())
    return python


def plain() -> dict[str, str]:
    """The variables of this process without those that lend its packages to another Python."""
    hidden = (
        "PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE",
    )  # fmt: skip
    return {name: value for name, value in os.environ.items() if name not in hidden}


def megabytes(folder: Path) -> float:
    """Size of all files, in units of 10**6 bytes."""
    return sum(p.lstat().st_size for p in folder.rglob("*") if not p.is_dir()) / 1e6


@contextmanager
def lab(python: Path, folder: Path) -> Iterator[str]:
    """JupyterLab of that environment in a folder; the address of its page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    with subprocess.Popen(command, env=plain(), stderr=subprocess.DEVNULL) as server:
        try:
            wait_until_open(port)
            yield f"http://127.0.0.1:{port}/lab/workspaces"
        finally:
            server.terminate()


def wait_until_open(port: int) -> None:
    """Return when somebody answers at a port."""
    for _ in range(240):
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.25)
    raise TimeoutError("JupyterLab did not start")


def run_first_cell(page: Any, notebook: Path) -> None:
    """Run an opened exercise up to its first code cell, and wait for the result."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    first = [cell["cell_type"] for cell in cells].index("code")
    page.wait_for_function(IDLE, timeout=120_000)
    page.locator(".jp-Notebook .jp-MarkdownCell").first.click()
    for _ in range(first + 1):
        page.keyboard.press("Shift+Enter")
    page.wait_for_function(RAN, timeout=120_000)


def seconds_to_first_cell(browser: Any, address: str, notebook: Path) -> float:
    """From opening the page to the result of its first code cell."""
    page = browser.new_context().new_page()
    begun = time.perf_counter()
    page.goto(f"{address}/{notebook.stem}/tree/{notebook.name}")  # in a workspace of its own
    run_first_cell(page, notebook)
    taken = time.perf_counter() - begun
    assert page.locator(FAILED).count() == 0
    page.context.close()
    return taken


def main() -> int:
    """Print the figures; 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, help="of an environment that is there already")
    there = parser.parse_args().python
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(which, BROWSERS)))
    with tempfile.TemporaryDirectory() as where, sync_playwright() as playwright:
        folder = Path(where)
        python = there or install(folder)
        teach.build(folder / "student", EXERCISES)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(BROWSER_FLAGS))
        with lab(python, folder / "student") as address:
            times = []
            for name in EXERCISES:
                times.append(
                    seconds_to_first_cell(browser, address, folder / f"student/{name}.ipynb")
                )
                sys.stdout.write(f"{name}: first cell after {times[-1]:.1f} s\n")
                sys.stdout.flush()
        size = megabytes(python.parents[1])  # with the byte code that Python has made by now
        sys.stdout.write(f"environment: {size:.0f} MB\n")
    return int(size >= LIMIT_MB or max(times) >= LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())

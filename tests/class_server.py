"""A class server as a student sees it: seconds from its page to the first cell, and their cost.

    python tests/class_server.py --folder ~/ttt-class

The folder is one that ``notebooks/exercises/README.md`` says how to make; students' names and work
are kept apart in a copy.  For each exercise a new student opens its page in a headless Chromium,
logs in, waits for a server and runs the first cell; then some students do so at the same time.
Browsers run on this machine, too, so a class of many is measured as slower than it is; processor
time doesn't depend on what else runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import psutil
from conftest import BROWSER_FLAGS, BROWSERS
from student_environment import FAILED, LIMIT_SECONDS, plain, run_first_cell, wait_until_open

CONFIG = Path(__file__).parents[1] / "notebooks/exercises/class_server/jupyterhub_config.py"
PASSWORD = "for this trial only"


def laid_out(folder: Path, built: Path, names: list[str]) -> None:
    """A class's folder with the shipped configuration and another one's programs."""
    for part in ("env", "node_modules", "released"):
        (folder / part).symlink_to(built / part)
    shutil.copy(CONFIG, folder)
    (folder / "students.txt").write_text("\n".join(names), encoding="utf-8")


@contextmanager
def hub(folder: Path) -> Iterator[psutil.Process]:
    """The server, while it answers."""
    command = [folder / "env/bin/jupyterhub"]
    environment = plain() | {"CLASS_PASSWORD": PASSWORD}
    with (
        (folder / "log.txt").open("w") as log,
        subprocess.Popen(command, cwd=folder, env=environment, stderr=log, stdout=log) as server,
    ):
        try:
            wait_until_open(8000)
            yield psutil.Process(server.pid)
        finally:
            server.terminate()  # the servers of all students end with it


def visit(name: str, notebook: Path) -> float:
    """Seconds from opening the server's page to the result of an exercise's first cell."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(BROWSER_FLAGS))
        page = browser.new_page()
        begun = time.perf_counter()
        page.goto(f"http://127.0.0.1:8000/hub/user-redirect/lab/tree/{notebook.name}")
        page.fill("#username_input", name)
        page.fill("#password_input", PASSWORD)
        page.click("#login_submit")
        run_first_cell(page, notebook)
        taken = time.perf_counter() - begun
        assert page.locator(FAILED).count() == 0
        browser.close()
    return taken


def used(server: psutil.Process) -> list[tuple[float, float]]:
    """Megabytes (PSS) and processor seconds of each student's server, kernel included."""
    return [
        (
            sum(process.memory_full_info().pss for process in family) / 1e6,
            sum(sum(process.cpu_times()[:2]) for process in family),
        )
        for first in server.children()
        if first.name() == "bwrap"
        for family in [[first, *first.children(recursive=True)]]
    ]


def browsers() -> float:
    """Processor seconds of all browsers that have been closed."""
    times = os.times()
    return times.children_user + times.children_system


def say(text: str) -> None:
    """Write a line with the load of the machine."""
    sys.stdout.write(f"{text}, load {os.getloadavg()[0]:.1f}\n")
    sys.stdout.flush()


def main() -> int:
    """Print the figures; 1 if a first cell took longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="of a class")
    parser.add_argument("--together", type=int, default=8, help="students at the same time (8)")
    chosen = parser.parse_args()
    notebooks = sorted(chosen.folder.resolve().glob("released/*.ipynb"))
    alone = [f"alone{number}" for number in range(len(notebooks))]
    crowd = [f"crowd{number}" for number in range(chosen.together)]
    times = []
    with tempfile.TemporaryDirectory() as where:
        laid_out(Path(where), chosen.folder.resolve(), [*alone, *crowd])
        with hub(Path(where)) as server:
            for name, notebook in zip(alone, notebooks, strict=True):
                before = browsers()
                times.append(visit(name, notebook))
                seconds = f"{used(server)[-1][1]:.1f} s on the server, {browsers() - before:.1f} s"
                say(f"{notebook.stem}: {times[-1]:.1f} s; processor {seconds} in the browser")
        with hub(Path(where)) as server, ThreadPoolExecutor(len(crowd)) as students:
            together = sorted(students.map(visit, crowd, cycle(notebooks)))
            for (megabytes, seconds), name in zip(used(server), crowd, strict=True):
                say(f"{name}: {megabytes:.0f} MB, processor {seconds:.1f} s on the server")
        say(f"{len(crowd)} at once: {together[0]:.1f} to {together[-1]:.1f} s")
    return int(max(times) >= LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())

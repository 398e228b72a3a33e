"""A class at the page of ``make play``: visits that play, reload, play on and leave.

    make load                          # 30 visits, three at a time
    make load ARGS="--visits 60 --together 6"

Every answer is timed in Chromium, from the click to the moment when the person may move again or
the game is over.  The memory is that of the server and all its kernels, added up process by
process, so what they share counts several times.  The exit status is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import psutil
from conftest import BROWSER_FLAGS, BROWSERS

from ttt_lib.evidence.command import at_least
from ttt_lib.people.play.session import BOARDS

ROOT = Path(__file__).resolve().parents[1]
MOST_MEMORY, MEDIAN, GOODBYE = 6e9, 1.0, 10.0
"""The targets: bytes of memory, seconds of the median answer, seconds until a kernel is gone."""

MOVES = 3
"""Moves before the reload, and again after it."""

PATIENCE = 60_000
"""Milliseconds for anything to appear."""

ASK = """count => {
  const line = document.querySelector('.ttt-status p');
  const stones = document.querySelectorAll('.ttt-cell.ttt-x, .ttt-cell.ttt-o').length;
  return line?.className === 'over' || (line?.className === 'yours' && stones > count);
}"""
"""There are more stones than before and the person may move, or the game is over."""


@dataclass
class Seen:
    """What was measured so far."""

    answers: list[float] = field(default_factory=list)
    openings: list[float] = field(default_factory=list)
    goodbyes: list[float] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    memory: int = 0
    processes: int = 0


async def visit(browser: Any, address: str, board: str, seen: Seen) -> None:
    """Open the page, play, reload, play on and leave."""
    context = await browser.new_context()
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    kernels = []
    for enter in (lambda: page.goto(address), page.reload):
        begun = time.monotonic()
        await enter()
        await ready(page, -1)
        seen.openings.append(time.monotonic() - begun)
        kernels.append(await page.evaluate("window.tttKernel"))
        # After the reload the address brings the game back.
        await page.get_by_label("Board", exact=True).select_option(label=board)
        await page.wait_for_selector(f".ttt-board.ttt-{board}")
        await ready(page, -1)
        await play(page, seen)
    begun = time.monotonic()
    await page.goto("about:blank")
    await context.close()
    for kernel in kernels:
        while await asyncio.to_thread(alive, address, kernel):
            await asyncio.sleep(0.2)
    seen.goodbyes.append(time.monotonic() - begun)


async def ready(page: Any, stones: int) -> None:
    """Wait until the person may move and there are more stones than that, or the game is over.

    Raises
    ------
    TimeoutError
        With what the page says.
    """
    try:
        await page.wait_for_function(ASK, arg=stones)
    except Exception as error:
        line = page.locator(".ttt-status")
        words = await line.inner_text() if await line.count() else "nothing"
        raise TimeoutError(f"a page is stuck and says {words!r}") from error


async def play(page: Any, seen: Seen) -> None:
    """Make some moves, each on the first open cell."""
    for _ in range(MOVES):
        if await page.locator(".ttt-status .over").count():
            return
        stones = await page.locator(":is(.ttt-x, .ttt-o).ttt-cell").count()
        begun = time.monotonic()
        await page.locator(".ttt-cell.ttt-open").first.click()
        await ready(page, stones + 1)
        seen.answers.append(time.monotonic() - begun)


def alive(address: str, kernel: str) -> bool:
    """Whether the server still knows a kernel."""
    try:
        urlopen(f"{address}api/kernels/{kernel}", timeout=30).close()
    except URLError as error:
        if getattr(error, "code", None) == 404:
            return False
        raise
    return True


async def watch(server: int, seen: Seen) -> None:
    """Keep the largest memory of a process and all its descendants."""
    while True:
        parent, total = psutil.Process(server), 0
        family = [parent, *parent.children(recursive=True)]
        for process in family:
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        seen.memory = max(seen.memory, total)
        seen.processes = max(seen.processes, len(family))
        await asyncio.sleep(0.25)


async def crowd(chromium: str, address: str, server: int, visits: int, together: int) -> Seen:
    """All visits, so many at a time; the boards take turns."""
    from playwright.async_api import Error, async_playwright

    seen, places = Seen(), asyncio.Semaphore(together)

    async def one(number: int) -> None:
        async with places:
            try:
                await visit(browser, address, BOARDS[number % len(BOARDS)], seen)
            except (TimeoutError, Error) as error:
                told = str(error).splitlines()[0]
                seen.stuck.append(f"{BOARDS[number % len(BOARDS)]}: {told}")
            sys.stderr.write(f"\r{len(seen.goodbyes)} of {visits} visits ")

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=list(BROWSER_FLAGS)
        )
        watching = asyncio.create_task(watch(server, seen))
        with suppress(asyncio.CancelledError):  # Ctrl+C: report what was measured until then
            async with asyncio.TaskGroup() as group:
                for number in range(visits):
                    group.create_task(one(number))
        watching.cancel()
        await browser.close()
    sys.stderr.write("\n")
    return seen


def report(seen: Seen) -> bool:
    """Write down what was measured; whether all targets are met."""
    median, last = statistics.median(seen.answers), max(seen.goodbyes)
    slow = statistics.quantiles(seen.answers, n=20)[-1]
    sys.stdout.write("".join(f"{line}\n" for line in seen.stuck))
    sys.stdout.write(
        f"visits       {len(seen.goodbyes)} to their end\n"
        f"answers      {median:.2f} s at the median, {slow:.2f} s at 95%, "
        f"{max(seen.answers):.2f} s at most ({len(seen.answers)} moves)\n"
        f"opening      {statistics.median(seen.openings):.1f} s at the median, "
        f"{max(seen.openings):.1f} s at most\n"
        f"memory       {seen.memory / 1e9:.2f} GB at most, in {seen.processes} processes\n"
        f"kernels end  {statistics.median(seen.goodbyes):.1f} s after the page is closed, "
        f"{last:.1f} s at most\n"
    )
    return not seen.stuck and median < MEDIAN and seen.memory < MOST_MEMORY and last < GOODBYE


def serve(port: int, log: Any) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers."""
    command = [sys.executable, "-m", "ttt_lib.people.play.server", "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    for attempt in count():
        if server.poll() is not None or attempt == 600:
            server.kill()
            log.seek(0)
            sys.exit(f"the server does not start: {log.read().decode()[-2000:]}")
        try:
            urlopen(f"http://127.0.0.1:{port}/voila/static/voila.js", timeout=5).close()
            return server
        except URLError as error:
            if hasattr(error, "code"):
                return server
            time.sleep(0.1)
    raise AssertionError


def main(argv: Sequence[str] | None = None) -> int:
    """Serve, let the visitors in, and report."""
    parser = argparse.ArgumentParser(prog="play_load", description=__doc__.split("\n")[0])
    parser.add_argument("--visits", type=at_least(1), default=30)
    parser.add_argument("--together", type=at_least(1), default=3, help="how many at a time")
    parser.add_argument("--port", type=at_least(1), default=8899)
    options = parser.parse_args(argv)
    chromium = os.environ.get("TTT_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), "")
    if not chromium:
        parser.error("no browser: set TTT_CHROMIUM to the path of a Chromium")
    with tempfile.TemporaryFile() as log:
        server = serve(options.port, log)
        try:
            seen = asyncio.run(
                crowd(chromium, f"http://127.0.0.1:{options.port}/", server.pid,
                      options.visits, options.together)
            )  # fmt: skip
        finally:
            server.terminate()
            server.wait(timeout=60)
    return 0 if report(seen) else 1


if __name__ == "__main__":
    sys.exit(main())

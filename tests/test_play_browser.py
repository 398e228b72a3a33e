"""The page of ``make play`` in a real browser: Voila serves it, headless Chromium plays on it.

The fixture ``browser`` of conftest.py finds the Chromium, or says why there is none.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pytest

from ttt_lib import catalog
from ttt_lib.people import page as play_page
from ttt_lib.people import session as person
from ttt_lib.people.session import Session

ROOT = Path(__file__).parents[1]
RANDOM = "random – throws dice (very easy)"
PATIENCE = 60_000
"""Milliseconds for anything to appear; it usually takes a fraction of a second."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where Voila serves the page."""
    pytest.importorskip("voila")
    port, log = free_port(), tmp_path_factory.mktemp("voila") / "log"
    command = [sys.executable, "-m", "ttt_lib.people.page", "--port", str(port)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
        try:
            wait_for(f"http://127.0.0.1:{port}/voila/static/voila.js", server, log)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(timeout=30)
    assert b"Play at http://127.0.0.1" in log.read_bytes()


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers, whatever it says."""
    until = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < until and server.poll() is None:
        try:
            urlopen(url, timeout=5).close()
        except URLError as error:
            if not hasattr(error, "code"):
                time.sleep(0.1)
                continue
        return
    pytest.fail(f"Voila does not answer: {log.read_text()[-2000:]}")


class Visitor:
    """Somebody with the page open."""

    def __init__(self, browser: Any, address: str, **window: Any) -> None:
        from playwright.sync_api import expect

        self.context = browser.new_context(**window)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        self.expect = expect
        self.kernels: list[str] = []
        self.answers: list[str] = []
        self.page.on("response", lambda response: self.answers.append(response.url))
        self.page.goto(address)
        self.status("Your move")

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def status(self, words: str | re.Pattern[str]) -> None:
        self.expect(self.page.locator(".ttt-status")).to_contain_text(words)

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=True).select_option(label=option)

    def begins(self, act: Callable[[], None]) -> None:
        """Do something that begins a game, and wait for it: the status line counts games."""
        line = self.page.locator(".ttt-status p")
        before = line.get_attribute("data-game")
        act()
        self.expect(line).not_to_have_attribute("data-game", before)

    def against(self, name: str, board: str = "3x3") -> None:
        """Begin a game against an agent by its name."""
        if self.page.get_by_label("Board", exact=True).input_value() != board:
            self.play_on(board)
        self.choose("Opponent", "another, by its name …")
        self.type("Name", "")
        self.begins(lambda: self.type("Name", name))
        self.expect(self.page.locator(f".ttt-board.ttt-{board}")).to_be_visible()
        self.expect(self.stones("x")).to_have_count(0)

    def play_on(self, board: str) -> None:
        """Change the board against `random`, which gets ready at once on any."""
        opponent = self.page.get_by_label("Opponent", exact=True)
        if opponent.input_value() != RANDOM:
            self.begins(lambda: self.choose("Opponent", RANDOM))
        self.begins(lambda: self.choose("Board", board))
        cells = catalog.game_of(board).moves
        self.expect(self.page.locator(f".ttt-{board} .ttt-cell")).to_have_count(cells)

    def move(self, number: int) -> None:
        """Play a cell, and wait until the agent has answered or the game is over."""
        stones = self.stones("o").count()
        self.cell(number).click()
        over = self.page.locator(".ttt-status .over")
        self.expect(over.or_(self.stones("o").nth(stones)).first).to_be_visible()

    def type(self, label: str, text: str) -> None:
        box = self.page.get_by_label(label, exact=True)
        box.fill(text)
        box.press("Enter")

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def cell(self, number: int) -> Any:
        """A cell, found by the name that a screen reader says."""
        return self.page.get_by_role("button", name=re.compile(rf"^cell {number}[,:]"))

    def stones(self, side: str) -> Any:
        return self.page.locator(f".ttt-cell.ttt-{side}")

    def board(self) -> str:
        """The stones on the board in the order of the page."""
        names = self.page.locator(".ttt-cell").evaluate_all("all => all.map(c => c.title)")
        return "".join(
            {": X": "x", ": O": "o"}.get(name.split(" (")[0][-3:], ".") for name in names
        )


@pytest.fixture(scope="module")
def visitor(browser: Any, address: str) -> Iterator[Visitor]:
    with Visitor(browser, address, viewport={"width": 1280, "height": 900}) as one:
        yield one


def first_game() -> Session:
    """Lowest cells against `minimax:ties=first`, without a page."""
    session = person.start(person.opponent("minimax:ties=first", "3x3"))
    while not session.finished:
        if session.yours:
            session = person.play(session, session.legal[0])
        session = person.answer(session)
    return session


def test_a_game_to_its_end_and_back(visitor: Visitor) -> None:
    wanted = first_game()
    board = "".join(".xo"[stone] for stone in person.scene(wanted).stones)
    visitor.against("minimax:ties=first")
    for move in wanted.moves[::2]:
        visitor.move(move)
    visitor.status(wanted.verdict)
    assert visitor.board() == board
    visitor.expect(visitor.page.locator(".ttt-line")).to_have_count(3)
    visitor.cell(board.index(".")).click(force=True)
    visitor.status("the game is over: begin a new one, or undo")
    visitor.button("Undo")
    visitor.status("Your move")
    visitor.expect(visitor.stones("x")).to_have_count(board.count("x") - 1)
    visitor.begins(lambda: visitor.button("New game"))
    visitor.expect(visitor.stones("x")).to_have_count(0)
    visitor.button("Undo")
    visitor.status("no move of yours to take back")


def test_scores_on_the_cells_exact_chances_and_a_hint(visitor: Visitor) -> None:
    visitor.against("ising")
    truth = visitor.page.locator(".ttt-truth")
    visitor.expect(truth).to_contain_text("4/945")
    visitor.move(4)
    visitor.expect(visitor.page.locator(".ttt-pick").first).to_be_visible()
    visitor.status("It played")
    visitor.choose("On the cells", "the exact results")
    visitor.expect(visitor.page.locator(".ttt-open").first).to_contain_text("draw")
    visitor.button("Hint")
    visitor.status("against ising you win")
    visitor.expect(visitor.page.locator(".ttt-hint")).to_have_count(1)
    visitor.choose("On the cells", "what it thought before its last move")


def test_bad_names_and_bad_cells_change_nothing(visitor: Visitor) -> None:
    visitor.against("minimax:ties=first")
    visitor.move(4)
    before = visitor.board()
    for name, line in (
        ("minmax", "unknown agent 'minmax': random, minimax"),
        ("<b>x</b>", "unknown agent '<b>x</b>'"),
        ("uct:iterations=99999999", "would take too long: at most"),
        ("alphazero", "can't play 3x3"),
    ):
        visitor.type("Name", name)
        visitor.status(line)
        assert visitor.page.locator(".ttt-status p").count() == 1
        assert visitor.page.locator(".ttt-status b").count() == 0
    visitor.cell(4).click(force=True)
    visitor.status("cell 4 is taken")
    for typed, line in (("99", "there is no cell 99"), ("five", "'five' is no cell")):
        visitor.type("Play cell", typed)
        visitor.status(line)
        visitor.expect(visitor.page.get_by_label("Play cell", exact=True)).to_have_value("")
    assert visitor.board() == before
    visitor.page.locator(".ttt-open").last.click()
    visitor.expect(visitor.stones("x")).to_have_count(2)


def test_playing_by_keyboard(visitor: Visitor) -> None:
    visitor.against("minimax:ties=first")
    visitor.cell(0).focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"):
        visitor.page.keyboard.press(key)
    visitor.expect(visitor.cell(4)).to_be_focused()
    visitor.page.keyboard.press("ArrowUp")
    visitor.page.keyboard.press("ArrowUp")
    visitor.expect(visitor.cell(1)).to_be_focused()
    visitor.page.keyboard.press("Enter")
    visitor.expect(visitor.cell(1)).to_have_accessible_name("cell 1: X")
    visitor.expect(visitor.stones("o")).to_have_count(1)
    visitor.status("Your move")
    visitor.type("Play cell", "8")
    visitor.expect(visitor.cell(8)).to_have_accessible_name("cell 8: X")
    visitor.expect(visitor.cell(8)).to_have_attribute("aria-disabled", "true")
    assert visitor.page.locator(".ttt-status").get_attribute("role") == "status"


def test_ultimate(visitor: Visitor) -> None:
    visitor.play_on("ultimate")
    visitor.expect(visitor.page.locator(".ttt-target")).to_have_count(9)
    visitor.move(40)
    visitor.status("Your move, in sub-board")
    visitor.expect(visitor.page.locator(".ttt-target")).to_have_count(1)
    visitor.expect(visitor.cell(40)).to_have_accessible_name("cell 40, sub-board 4: X")
    assert visitor.page.locator(".ttt-block").nth(4).locator(".ttt-o").count() == 1, "sent there"
    visitor.page.locator(".ttt-cell.ttt-shut").first.click(force=True)
    visitor.status("is not open: play in sub-board")


def test_the_agent_begins_on_a_cube(visitor: Visitor) -> None:
    visitor.begins(lambda: visitor.choose("You play", "O, it begins"))
    visitor.play_on("3x3x3")
    visitor.expect(visitor.stones("x")).to_have_count(1)
    visitor.status("you are O")
    visitor.expect(visitor.page.locator(".ttt-block")).to_have_count(3)
    visitor.begins(lambda: visitor.choose("You play", "X, I begin"))
    visitor.expect(visitor.stones("x")).to_have_count(0)


def test_two_visitors_do_not_share_a_game(visitor: Visitor, browser: Any, address: str) -> None:
    visitor.against("minimax:ties=first")
    visitor.move(8)
    mine = visitor.board()
    with Visitor(browser, address, viewport={"width": 390, "height": 844}) as other:
        assert other.board() == "." * 9
        other.move(4)
        assert other.board()[4] == "x"
        assert visitor.board() == mine
        visitor.button("Undo")
        visitor.expect(visitor.stones("x")).to_have_count(0)
        other.expect(other.stones("x")).to_have_count(1)
        assert_fits(other)
        for board in person.BOARDS[1:]:
            other.play_on(board)
            assert_fits(other)


def assert_fits(visitor: Visitor) -> None:
    """Nothing is wider than the window: neither the page nor a cell."""
    window = visitor.page.viewport_size["width"]
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= window
    edges = visitor.page.locator(".ttt-cell").evaluate_all(
        "all => all.map(c => [c.getBoundingClientRect().left, c.getBoundingClientRect().right])"
    )
    assert np.min(edges) >= 0
    assert np.max(edges) <= window


def test_nothing_is_fetched_from_elsewhere(visitor: Visitor, address: str) -> None:
    local = (address, "data:", "blob:")
    assert [url for url in visitor.answers if not url.startswith(local)] == []
    assert len(visitor.answers) > 5


# ---------------------------------------------------------------------------- without a browser


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--port", "0"], "a port is a number in 1..65535, not 0"),
        (["--port", "x"], "invalid int value: 'x'"),
    ],
)
def kernels(visitor: Visitor) -> list[int]:
    """What the server says when a page asks for each kernel that was ever begun."""
    asked = "ids => Promise.all(ids.map(id => fetch('api/kernels/' + id).then(r => r.status)))"
    found = visitor.page.evaluate(asked, visitor.kernels)
    return [int(status) for status in found]


def test_a_closed_or_reloaded_page_frees_its_kernel(
    visitor: Visitor, browser: Any, address: str
) -> None:
    with Visitor(browser, address) as guest:
        ids = [guest.page.evaluate("window.tttKernel")]
        guest.page.reload()
        guest.status(re.compile("Your move"))
        ids.append(guest.page.evaluate("window.tttKernel"))
        visitor.kernels = ids
        assert len(set(ids)) == 2
        assert kernels(visitor)[1] == 200
        guest.page.goto("about:blank")  # the test's own end gives a page no time to say goodbye
    until = time.monotonic() + 30
    while kernels(visitor) != [404, 404] and time.monotonic() < until:
        time.sleep(0.5)
    assert kernels(visitor) == [404, 404]


def test_a_lost_connection_is_told_in_one_line(browser: Any, address: str) -> None:
    with Visitor(browser, address) as guest:
        guest.page.route("**/api/kernels/*", lambda route: route.fulfill(status=404))
        lost = guest.page.locator(".ttt-lost")
        guest.expect(lost).to_contain_text("The connection is lost")
        assert lost.get_by_role("button", name="Reload").count() == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--port", "0"], "a port is a number in 1..65535, not 0"),
        (["--port", "x"], "invalid int value: 'x'"),
    ],
)
def test_a_bad_port_is_one_line(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        play_page.main(arguments)
    assert error.value.code == 2
    shown = capsys.readouterr().err
    assert line in shown
    assert shown.count("\n") == 1


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert "can't be had" in play_page.refusal(server.getsockname()[1], "127.0.0.1")
    assert play_page.refusal(free_port(), "127.0.0.1") == ""

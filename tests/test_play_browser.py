"""The page of ``make play`` in a real browser: Voila serves it, headless Chromium plays on it.

The fixture ``browser`` of conftest.py finds the Chromium, or says why there is none.
"""

from __future__ import annotations

import asyncio
import errno
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pytest
from conftest import PHONE

from ttt_lib import catalog
from ttt_lib.people.play import server as play_page
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text
from ttt_lib.people.play.session import Session

ROOT = Path(__file__).parents[1]
RANDOM = "Random player – very easy"
PATIENCE = 60_000
"""Milliseconds for anything to appear; it usually takes a fraction of a second."""


SERVE = """
import sys
from ttt_lib.people.play import server
server.WARM = ""  # other tests need the cores, and test_play.py lets every opponent move
sys.exit(server.main(sys.argv[1:]))
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where Voila serves the page."""
    pytest.importorskip("voila")
    port, log = free_port(), tmp_path_factory.mktemp("voila") / "log"
    net = ROOT / "data" / "ultimate_teacher.safetensors"
    command = [sys.executable, "-c", SERVE, "--port", str(port), "--net", str(net)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output)
        try:
            wait_for(f"http://127.0.0.1:{port}/voila/static/voila.js", server, log)
            yield f"http://127.0.0.1:{port}/"
            assert b"Kernel is running" not in log.read_bytes()
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
    """Somebody with the page open, in a window of their own or in another tab of a window."""

    def __init__(self, place: Any, address: str, says: str = "Your move", **window: Any) -> None:
        from playwright.sync_api import expect

        self.page = place.new_page(**window)
        self.page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        self.expect = expect
        self.kernels: list[str] = []
        self.answers: list[str] = []
        self.page.on("response", lambda response: self.answers.append(response.url))
        self.page.goto(address)
        self.status(says)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()

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
        """Change the board against `random`, which is ready at once on any."""
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
        return "".join({": X": "x", ": O": "o"}.get(name[-3:], ".") for name in names)


@pytest.fixture(scope="module")
def visitor(browser: Any, address: str) -> Iterator[Visitor]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with Visitor(context, address) as one:
        yield one
    context.close()


@pytest.fixture(scope="module")
def guest(browser: Any, address: str) -> Iterator[Visitor]:
    """Somebody else, on a phone: each page that is opened starts a kernel, which takes seconds."""
    with Visitor(browser, address, viewport=PHONE) as other:
        yield other


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
    visitor.status(text.ending(wanted))
    assert visitor.board() == board
    visitor.expect(visitor.page.locator(".ttt-line")).to_have_count(3)
    visitor.page.evaluate("document.activeElement.blur()")
    for _ in wanted.moves:
        visitor.page.keyboard.press("ArrowLeft")
    visitor.status("The beginning")
    visitor.expect(visitor.stones("x")).to_have_count(0)
    visitor.button("Forward")
    visitor.status(re.compile(r"Move 1 of \d: X played cell 0; it cost"))
    visitor.expect(visitor.stones("x")).to_have_count(1)
    for _ in wanted.moves:
        visitor.button("Forward")
    visitor.status(text.ending(wanted))
    visitor.cell(board.index(".")).click(force=True)
    visitor.status("the game is over: begin a new one, or undo")
    visitor.button("Undo")
    visitor.status("Your move")
    visitor.expect(visitor.stones("x")).to_have_count(board.count("x") - 1)
    visitor.begins(lambda: visitor.button("New game"))
    visitor.expect(visitor.stones("x")).to_have_count(0)
    visitor.button("Undo")
    visitor.status("no move of yours to take back")


def test_a_network_that_the_server_offers(visitor: Visitor) -> None:
    visitor.play_on("ultimate")
    offered = "Network ultimate_teacher – not measured"
    visitor.begins(lambda: visitor.choose("Opponent", offered))
    visitor.move(40)
    about = visitor.page.locator(".ttt-about")
    visitor.expect(about).to_contain_text("a network of whoever serves this page")
    visitor.expect(about).to_contain_text("alphazero:net=ultimate_teacher.safetensors")
    visitor.expect(about).not_to_contain_text("examines it")


def test_a_row_of_the_review_shows_that_move(visitor: Visitor) -> None:
    wanted = first_game()
    visitor.against("minimax:ties=first")
    for move in wanted.moves[::2]:
        visitor.move(move)
    rows = visitor.page.locator(".ttt-ply")
    visitor.expect(rows).to_have_count(len(wanted.moves[::2]))
    rows.nth(1).click()
    visitor.status(f"Move 3 of {len(wanted.moves)}: X played cell {wanted.moves[2]}")
    visitor.expect(visitor.stones("x")).to_have_count(2)
    rows.nth(0).focus()
    visitor.page.keyboard.press("Enter")
    visitor.status(f"Move 1 of {len(wanted.moves)}: X played cell {wanted.moves[0]}")
    visitor.expect(rows.nth(0)).to_be_focused()
    visitor.page.keyboard.press("ArrowRight")
    visitor.status(f"Move 2 of {len(wanted.moves)}: O played")


def test_a_link_brings_somebody_else_to_the_position(
    visitor: Visitor, browser: Any, address: str
) -> None:
    visitor.against("minimax:ties=first")
    visitor.move(4)
    visitor.page.wait_for_function("/moves=4,\\d$/.test(location.search)")
    link = visitor.page.locator(".ttt-link")
    assert link.evaluate("one => one.href") == visitor.page.url
    with Visitor(browser, visitor.page.url) as other:
        other.expect(other.stones("o")).to_have_count(1)
        assert other.board() == visitor.board()
        other.page.reload()
        other.status("Your move")
        other.expect(other.stones("o")).to_have_count(1)
        assert other.board() == visitor.board()
    wrong = f"{address}?moves=4,4"
    with Visitor(visitor.page.context, wrong, "The link can't be opened") as other:
        other.status("move 2, cell 4, is not legal there")
        other.expect(other.stones("x")).to_have_count(0)
        other.move(4)


def test_the_opponent_is_introduced(visitor: Visitor) -> None:
    visitor.play_on("ultimate")
    about = visitor.page.locator(".ttt-about")
    visitor.expect(about).to_contain_text("Takes any open cell. Difficulty: very easy.")
    visitor.expect(about).to_contain_text("sends your opponent to the sub-board")


def test_a_tree_search_shows_its_visits(visitor: Visitor) -> None:
    for board in ("4x4", "3x3x3"):
        visitor.against("uct:iterations=300", board)
        visitor.choose("On the cells", "what it thought before its last move")
        visitor.move(5)
        visitor.expect(visitor.page.locator(".ttt-truth")).to_contain_text("visits of uct")
        visitor.expect(visitor.page.locator(".ttt-its .ttt-open").first).to_have_text(
            re.compile(r"\d+\s+\d+")
        )
    visitor.choose("On the cells", "your exact chance, where it is known")


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
    visitor.status("against the Ising player you win")
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


def test_one_tab_stop_digits_and_letters(visitor: Visitor) -> None:
    visitor.against("minimax:ties=first")
    press, stops = visitor.page.keyboard.press, visitor.page.locator(".ttt-cell[tabindex='0']")
    visitor.expect(stops).to_have_count(1)
    visitor.cell(0).focus()
    press("End")
    visitor.expect(visitor.cell(8)).to_be_focused()
    visitor.expect(stops).to_have_accessible_name(re.compile("^cell 8[,:]"))
    press("Tab")
    visitor.expect(visitor.page.locator(".ttt-cell:focus")).to_have_count(0)
    visitor.page.evaluate("document.activeElement.blur()")
    press("4")
    visitor.expect(visitor.cell(4)).to_have_accessible_name("cell 4: X")
    visitor.expect(visitor.stones("o")).to_have_count(1)
    press("h")
    visitor.status("Hint: cell")
    press("u")
    visitor.expect(visitor.stones("x")).to_have_count(0)
    visitor.begins(lambda: press("N"))
    visitor.play_on("4x4")
    visitor.page.evaluate("document.activeElement.blur()")
    for key in ("1", "2", "Enter"):
        press(key)
    visitor.expect(visitor.cell(12)).to_have_accessible_name("cell 12: X")
    visitor.page.get_by_label("Play cell", exact=True).press("n")
    visitor.expect(visitor.stones("x")).to_have_count(1)


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


def test_two_visitors_do_not_share_a_game(visitor: Visitor, guest: Visitor) -> None:
    visitor.against("minimax:ties=first")
    guest.against("ising")
    visitor.move(8)
    mine = visitor.board()
    assert guest.board() == "." * 9
    guest.move(4)
    assert guest.board()[4] == "x"
    assert visitor.board() == mine
    visitor.button("Undo")
    visitor.expect(visitor.stones("x")).to_have_count(0)
    guest.expect(guest.stones("x")).to_have_count(1)
    assert_fits(guest)
    for board in person.BOARDS[1:]:
        guest.play_on(board)
        assert_fits(guest)


PLACES = """names => names.map(name => document.querySelector(name).getBoundingClientRect())
  .map(box => [box.top, box.bottom, box.right - box.left])"""


def test_on_a_phone_the_board_and_its_buttons_are_on_the_first_screen(guest: Visitor) -> None:
    below = [".ttt-status", ".ttt-board", ".ttt-key-n", ".ttt-about", ".ttt-key"]
    for board in person.BOARDS:
        if guest.page.get_by_label("Board", exact=True).input_value() != board:
            guest.play_on(board)
        places = np.array(guest.page.evaluate(PLACES, below))
        assert (places[1:, 0] >= places[:-1, 1]).all(), "one below the other"
        assert places[2, 1] <= PHONE["height"], "New game"
        assert places[1, 2] >= 0.8 * PHONE["width"]


ASK = """axe.run(document, {resultTypes: ['violations'],
  rules: {'label-content-name-mismatch': {enabled: true}}}).then(found => found.violations)"""
COLOURS = """all => all.map(cell => [getComputedStyle(cell).backgroundColor,
  getComputedStyle(cell).color, getComputedStyle(cell, '::first-line').color])"""


def complaints(page: Any) -> Iterator[tuple[str, str, str]]:
    """What axe, which the page has loaded, finds in it as it is, in light and in dark colours."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(500)  # transitions of colour end
        ground = page.locator(".ttt").evaluate("one => getComputedStyle(one).backgroundColor")
        assert (contrast(ground, "rgb(0, 0, 0)") < 3) == (scheme == "dark")
        for fault in page.evaluate(ASK):
            if fault["impact"] != "minor":
                yield scheme, fault["id"], fault["nodes"][0]["html"][:200]


def test_axe_finds_nothing_serious_or_moderate(guest: Visitor) -> None:
    axe = pytest.importorskip("axe_playwright_python.base").AXE_FILE_PATH.read_text()
    found = dict[Any, list[Any]]()
    guest.against("ising")

    def move() -> None:
        title = guest.page.locator(".ttt-open").first.get_attribute("title")
        guest.move(int(title.split()[1][:-1]))

    guest.page.evaluate(axe)
    for board in ("3x3", "ultimate"):
        if board != "3x3":
            guest.play_on(board)
        for wish in (
            "what it thought before its last move",
            "your exact chance, where it is known",
        ):
            guest.choose("On the cells", wish)
            move()
            found[board, wish] = list(complaints(guest.page))
        if board == "3x3":
            while guest.page.locator(".ttt-status .over").count() == 0:
                move()
                guest.page.locator(".ttt-status :is(.yours, .over)").wait_for()
            guest.page.locator(".ttt-ply").first.wait_for()
            found["review"] = list(complaints(guest.page))
    assert len(found) == 5
    assert not any(found.values()), found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cells_of_every_shade_can_be_read(visitor: Visitor, scheme: str) -> None:
    """What axe can't see: the number is the first line, in a colour of its own."""
    visitor.page.emulate_media(color_scheme=scheme)
    visitor.against("ising")
    cells = visitor.page.locator(".ttt-cell")
    for its in ("", "ttt-its"):
        shades = "".join(f"<button class='jupyter-button ttt-cell ttt-s{n}'>" for n in range(1, 6))
        html = f"<div class='ttt'><div class='ttt-board {its}'>{shades}</div></div>"
        visitor.page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", html)
        visitor.page.wait_for_timeout(300)
        last = visitor.page.locator("body > .ttt").last
        found = last.locator(".ttt-cell").evaluate_all(COLOURS)
        last.evaluate("one => one.remove()")
        assert len({ground for ground, *_ in found}) == 5
        for ground, *inks in found:
            assert min(contrast(ground, ink) for ink in inks) >= 4.5
    visitor.expect(cells).to_have_count(9)
    visitor.page.emulate_media(color_scheme="light")


def contrast(one: str, other: str) -> float:
    """The ratio of two opaque colours, as WCAG 2 defines it."""
    light = []
    for colour in (one, other):
        share = np.array([int(part) for part in re.findall(r"\d+", colour)]) / 255
        assert len(share) == 3, f"{colour} is not opaque"
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        light.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(light) / min(light)


def assert_fits(visitor: Visitor) -> None:
    """Nothing is wider than the window: neither the page nor a cell."""
    window = visitor.page.viewport_size["width"]
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= window
    edges = visitor.page.locator(".ttt-cell").evaluate_all(
        "all => all.map(c => [c.getBoundingClientRect().left, c.getBoundingClientRect().right])"
    )
    assert np.min(edges) >= 0
    assert np.max(edges) <= window


WORDS_CUT = """() => [...document.querySelectorAll(".ttt-choices select")].flatMap((box) => {
  const look = getComputedStyle(box), pen = document.createElement("canvas").getContext("2d");
  const room = box.clientWidth - parseFloat(look.paddingLeft) - parseFloat(look.paddingRight);
  pen.font = look.font;
  return [...box.options].map((one) => one.label).filter((it) => pen.measureText(it).width > room);
})"""
"""The options that are wider than their box, without the room for its arrow."""


def test_every_choice_is_shown_whole_on_a_desktop(visitor: Visitor) -> None:
    assert visitor.page.locator(".ttt-choices select").count() == 4
    assert visitor.page.evaluate(WORDS_CUT) == []


def test_nothing_is_fetched_from_elsewhere(visitor: Visitor, address: str) -> None:
    local = (address, "data:", "blob:")
    assert [url for url in visitor.answers if not url.startswith(local)] == []
    assert len(visitor.answers) > 5


# ---------------------------------------------------------------------------- without a browser


def kernels(visitor: Visitor) -> list[int]:
    """What the server says when a page asks for each kernel that was ever begun."""
    asked = "ids => Promise.all(ids.map(id => fetch('api/kernels/' + id).then(r => r.status)))"
    found = visitor.page.evaluate(asked, visitor.kernels)
    return [int(status) for status in found]


def test_a_closed_or_reloaded_page_frees_its_kernel(visitor: Visitor, address: str) -> None:
    with Visitor(visitor.page.context, address) as guest:
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


def test_a_lost_connection_is_told_in_one_line(guest: Visitor) -> None:
    """The guest's last test: the page doesn't ask again."""
    guest.page.route("**/api/kernels/*", lambda route: route.fulfill(status=404))
    lost = guest.page.locator(".ttt-lost")
    guest.expect(lost).to_contain_text("The connection is lost")
    assert lost.get_by_role("button", name="Reload").count() == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--port", "0"], "a port is a number in 1..65535, not 0"),
        (["--address", " "], "the page needs an address, such as 127.0.0.1"),
        (["--port", "x"], "a port is a whole number, not 'x'"),
    ],
)
def test_a_bad_port_is_one_line(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = play_page.main(arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    assert status == 2
    shown = capsys.readouterr().err
    assert line in shown
    assert shown.count("\n") == 1


def test_it_is_a_command() -> None:
    command = [sys.executable, "-m", "ttt_lib.people.play.server", "--help"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Serve the board as a page." in ended.stdout


def test_a_board_that_comes_late_is_waited_for() -> None:
    """By default output that comes four seconds after its cell is dropped, the board and all."""
    executor = pytest.importorskip("voila.execute").VoilaExecutor
    from nbformat.v4 import new_notebook
    from traitlets.config import Config

    config = Config(play_page.settings(8866, "127.0.0.1"))
    assert executor(new_notebook()).iopub_timeout < 10
    assert executor(new_notebook(), config=config).iopub_timeout == play_page.PATIENCE >= 60


def test_an_idle_kernel_is_ended_while_its_page_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through what jupyter_server asks of a kernel now and then, by names that may change."""
    managers = pytest.importorskip("jupyter_server.services.kernels.kernelmanager")
    from traitlets.config import Config

    idle = timedelta(seconds=2 * play_page.IDLE)
    kernel = SimpleNamespace(last_activity=datetime.now(UTC) - idle, execution_state="idle",
                             kernel_name="python3",
                             kernel_spec=SimpleNamespace(metadata={}))  # fmt: skip
    manager = managers.AsyncMappingKernelManager(
        config=Config(play_page.settings(8866, "127.0.0.1"))
    )
    manager._kernels["one"], manager._kernel_connections["one"] = kernel, 1
    ended: list[str] = []

    async def shutdown(name: str, **_: Any) -> None:
        ended.append(name)

    monkeypatch.setattr(manager, "shutdown_kernel", shutdown)
    with ThreadPoolExecutor(1) as thread:  # the browser's own loop runs in this one
        thread.submit(lambda: asyncio.run(manager.cull_kernel_if_idle("one"))).result()
    assert ended == ["one"]


def test_a_port_that_is_reserved_for_the_system_asks_for_another_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Below 1024 most systems let only their own services listen; the address is not at fault."""

    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket, "create_server", refuse)
    told = play_page.refusal(80, "127.0.0.1")
    assert told.startswith("127.0.0.1:80 can't be had (")
    assert told.endswith("choose another port, 8867 say")


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert "can't be had" in play_page.refusal(server.getsockname()[1], "127.0.0.1")
    assert play_page.refusal(free_port(), "127.0.0.1") == ""

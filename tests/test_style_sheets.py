"""What style sheets tell a reader: words and signs, colours of results, marks on cells.

Each test asks a browser how it shows the class names that the library and its scripts write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import DESKTOP, PHONE
from matplotlib.colors import to_rgb

from ttt_lib.evidence import claims, figures
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game.exact import Outcome
from ttt_lib.people import theme
from ttt_lib.people.book import pages
from ttt_lib.people.play import insight, text, widget

STATIC = Path(__file__).parents[1] / "notebooks/book/_static"
BOOK = f"<style>{theme.book()}{(STATIC / 'book.css').read_text('utf-8')}</style>"
THEMES = {"light": theme.LIGHT, "dark": theme.DARK}
SHADES = range(1, insight.SHADES + 1)
LOOK = """([selector, pseudo, names]) => {
  const style = getComputedStyle(document.querySelector(selector), pseudo || null);
  return Object.fromEntries(names.map((name) => [name, style[name]]));
}"""
NAMES = (
    *("content", "color", "stroke", "backgroundColor", "backgroundImage", "boxShadow", "transform"),
    *("outlineStyle", "borderStyle", "borderColor", "borderRadius", "borderLeftStyle"),
    *("borderLeftColor", "borderBottomColor", "width", "height"),
    *(f"border{side}Width" for side in ("Top", "Left", "Right", "Bottom")),
)
"""Properties that are asked for: all of them would take a while."""


@dataclass
class Sheet:
    """A page with a style sheet, and the colours of its theme."""

    page: Any
    colours: dict[str, str]

    def show(self, html: str) -> None:
        self.page.evaluate("html => { document.querySelector('main').innerHTML = html; }", html)

    def look(self, selector: str, pseudo: str = "") -> dict[str, str]:
        """The computed style of the first such element, or of what stands before or after it."""
        found: dict[str, str] = self.page.evaluate(LOOK, [selector, pseudo, NAMES])
        return found


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page(viewport=DESKTOP, reduced_motion="reduce")  # colours change at once
    yield page
    page.close()


@pytest.fixture(params=THEMES)
def book(page: Any, request: pytest.FixtureRequest) -> Sheet:
    """The book's style sheet, around what stands in a playing page."""
    html = f'<!DOCTYPE html><html data-theme="{request.param}">{BOOK}<main class="play"></main>'
    page.set_content(html)
    return Sheet(page, THEMES[request.param])


@pytest.fixture(params=THEMES)
def board(page: Any, request: pytest.FixtureRequest) -> Sheet:
    """The style sheet of the widget, in JupyterLab."""
    is_light = str(request.param == "light").lower()
    page.set_content(
        f'<!DOCTYPE html><body data-jp-theme-light="{is_light}">{widget._style()}'
        '<main class="ttt"></main>'
    )
    return Sheet(page, THEMES[request.param])


def channels(colour: str) -> np.ndarray:
    """Red, green and blue in 0..1 of an opaque colour as a browser or Python writes it."""
    if colour.startswith("#"):
        return np.array(to_rgb(colour))
    found = np.array([float(part) for part in re.findall(r"[\d.]+", colour)])
    assert len(found) == 3, f"{colour} is not opaque"
    return found / (255 if colour.startswith("rgb") else 1)


def same(one: str, other: str) -> bool:
    return bool(np.allclose(channels(one), channels(other), atol=0.002))


def leaning(colour: str, towards: str) -> float:
    """How far a colour leans from grey towards another: negative if away from it."""
    one, other = (found - found.mean() for found in map(channels, (colour, towards)))
    return float(one @ other / np.linalg.norm(other))


def pixels(length: str) -> float:
    return float(length.removesuffix("px"))


def rising(values: list[float]) -> bool:
    return values[0] > 0 and all(np.diff(values) > 0)


# ---------------------------------------------------------------------------- both boards


@pytest.mark.parametrize("name", theme.LIGHT)
def test_a_colour_keeps_its_hue_in_the_dark(name: str) -> None:
    closest = max(theme.LIGHT, key=lambda other: leaning(theme.DARK[name], theme.LIGHT[other]))
    assert closest == name


def assert_bar(sheet: Sheet, where: str) -> None:
    """A win is green, a draw plain and grey, a loss hatched."""
    win, draw, loss = (sheet.look(f"{where} .{result}") for result in ("win", "draw", "loss"))
    assert same(win["backgroundColor"], sheet.colours["good"])
    assert abs(leaning(draw["backgroundColor"], sheet.colours["good"])) < 0.05
    assert win["backgroundImage"] == draw["backgroundImage"] == "none"
    assert loss["backgroundImage"].startswith("repeating-linear-gradient(45deg")


def test_bars_of_the_book(book: Sheet) -> None:
    script = (STATIC / "three.js").read_text("utf-8")
    [bar] = re.findall(r'`(<span class="bar".*?)`', script)
    book.show(re.sub(r"\$\{.*?\}", "33", bar))
    assert_bar(book, ".bar")


def test_bars_of_the_widget(board: Sheet) -> None:
    row = text._row("", Outcome(*[Fraction(1, 3)] * 3))
    board.show(f'<div class="ttt-truth"><table>{row}</table></div>')
    assert_bar(board, ".ttt-truth .bar")


# ---------------------------------------------------------------------------- the book


def test_the_greener_a_cell_of_the_book_the_higher_its_shade(book: Sheet) -> None:
    book.show("".join(f'<button class="s{shade}"></button>' for shade in SHADES))
    grounds = [book.look(f".s{shade}")["backgroundColor"] for shade in SHADES]
    assert rising([leaning(ground, book.colours["good"]) for ground in grounds])


def test_marks_on_cells_of_the_book(book: Sheet) -> None:
    """A solid frame is the last move, a dashed one a hint; the frame of a sub-board says where."""
    book.show(
        '<div class="grid"><button></button><button class="last"></button>'
        '<button class="hint"></button></div><div class="sub"></div><div class="sub target"></div>'
        + "".join(f'<button class="{side}"><svg></svg></button>' for side in "xo")
    )
    plain, last, hint = map(book.look, (".grid button", ".last", ".hint"))
    assert (plain["boxShadow"], plain["outlineStyle"]) == ("none", "none")
    assert re.fullmatch(r"rgb\(.*\) 0px 0px 0px [1-9][\d.]*px inset", last["boxShadow"])
    assert last["outlineStyle"] == "none"
    assert (hint["boxShadow"], hint["outlineStyle"]) == ("none", "dashed")
    assert book.look(".sub")["borderColor"] == "rgba(0, 0, 0, 0)"
    assert same(book.look(".sub.target")["borderColor"], book.colours["good"])
    for side in "xo":
        assert same(book.look(f".{side} svg")["stroke"], book.colours[side])


@pytest.mark.parametrize("side", ["x", "o"])
def test_a_sub_board_of_the_book_says_who_won_it(book: Sheet, side: str) -> None:
    book.show(f'<div class="sub won-{side}"></div>')
    mark = book.look(".sub", "::after")
    assert mark["content"] == f'"{side.upper()}"'
    assert same(mark["color"], book.colours[side])


def ledger_row() -> dict[str, Any]:
    return claims.load_results()[0]


def test_verdicts_have_the_colour_of_agreement_or_of_none(page: Any) -> None:
    agree, disagree = {"reproduced", "within sampling error"}, {"differs", "refuted"}
    sheet, row = Sheet(page, theme.LIGHT), ledger_row()
    for verdict in VERDICTS:
        shown = pages.claim_cells({**row, "verdict": verdict}, "module:name")[3]
        page.set_content(BOOK + shown)
        mark = sheet.look(".verdict")
        assert same(mark["borderLeftColor"], figures.BLUE) == (verdict in agree)
        assert same(mark["borderLeftColor"], figures.ORANGE) == (verdict in disagree)
        assert (mark["borderLeftStyle"] == "double") == (verdict in disagree)


def test_cells_of_the_ledger_bear_their_column(page: Any) -> None:
    """Verdict and reason speak for themselves; the others look alike without the table's head."""
    row = ledger_row()
    lines = pages.document_page(row["document"], [row], {row["id"]: "module:name"})
    columns = re.findall(r"^(?:\*| ) - (.*)$", lines, re.MULTILINE)[:6]
    assert columns[3:5] == ["verdict", "why"]
    page.set_content(f'{BOOK}<table class="ledger"><tr>{"<td></td>" * len(columns)}</tr></table>')
    labels = [f'"{c.capitalize()}: "' if c in ("published", "ours", "code") else "none"
              for c in columns]  # fmt: skip
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        cells = [f"td:nth-child({place})" for place, _ in enumerate(columns, 1)]
        assert [Sheet(page, {}).look(cell, "::before")["content"] for cell in cells] == labels
        left = [page.locator(cell).bounding_box()["x"] for cell in cells]
        beside = [True, True, True, size == PHONE, True, True]  # the verdict, where there is room
        assert [x == left[0] for x in left] == beside


def test_columns_of_sentences_are_wide_on_a_phone(page: Any) -> None:
    """In a notebook's table of claims; tables of numbers stay narrow."""
    tables = {"claims": ("", "ours", "verdict", "why"), "numbers": ("", "ours", "win", "loss")}
    html = "".join(
        f'<table id="{name}" class="dataframe"><thead><tr>'
        f"{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead>"
        f"<tbody><tr>{'<td>0</td>' * len(heads)}</tr></tbody></table>"
        for name, heads in tables.items()
    )
    script = (STATIC / "page.js").read_text("utf-8")
    page.set_viewport_size(PHONE)
    page.set_content(f'{BOOK}<div class="cell_output">{html}</div><script>{script}</script>')
    wide = {
        name: page.eval_on_selector_all(f"#{name} td", "all => all.map(td => td.offsetWidth > 200)")
        for name in tables
    }
    assert wide == {"claims": [False, True, False, True], "numbers": [False] * 4}
    page.set_viewport_size(DESKTOP)


def test_columns_of_numbers_are_set_right(page: Any) -> None:
    rows = [
        ("2", "0.50", "1/2", "x", "−3", "", "1.2.3", "1,000"),
        ("10", "12%", "1", "3", "", "", "4", "–"),
    ]
    html = "".join(
        f"<tr><th>3</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    heads = "".join(f"<th>{head}</th>" for head in ("", *"abcdefgh"))
    script = (STATIC / "page.js").read_text("utf-8")
    page.set_content(
        f'{BOOK}<div class="cell_output"><table class="dataframe"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{html}</tbody></table></div><script>{script}</script>"
    )
    looks = "rows => rows.map(row => [...row.cells].map(cell => getComputedStyle(cell).textAlign))"
    right = [False, True, True, False, False, True, False, False, True]
    assert (
        page.eval_on_selector_all("tr", looks)
        == [["right" if one else "left" for one in right]] * 3
    )
    page.set_content(
        f'{BOOK}<div class="cell_output"><table class="dataframe"><tbody><tr><td rowspan="2">1</td>'
        '<td>2</td></tr><tr><td>3</td></tr></tbody></table><table class="dataframe"><tbody></tbody>'
        f"</table></div><script>{script}</script>"
    )
    assert not page.query_selector(".number")


def test_numbers_beside_grouped_labels_are_set_right(page: Any) -> None:
    """As pandas writes them, with its own styles; names of groups and labels stay on the left."""
    groups = pd.MultiIndex.from_product([["x", "o"], ["win", "why"]], names=["side", ""])
    labels = pd.MultiIndex.from_product([["a", "b"], [1, 10]], names=["kind", "n"])
    table = pd.DataFrame([[1, "so", 2, "3a"], [10, "no", 20, "4"]] * 2, labels, groups)
    script = (STATIC / "page.js").read_text("utf-8")
    page.set_content(
        f'{BOOK}<div class="cell_output">{table._repr_html_()}</div><script>{script}</script>'
    )
    right = page.eval_on_selector_all(
        ":is(th, td)",
        """cells => cells.filter(cell => getComputedStyle(cell).textAlign != "left")
            .map(cell => cell.textContent)""",
    )
    below = ["", ""]  # beside the names of the labels: pandas' last line of headings
    assert right == ["win", "win", *below, *("1", "2", "10", "20") * 2]


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_only_long_words_of_code_are_cut(page: Any, size: Any) -> None:
    """A browser may break a line after a hyphen; an option is one word, with the comma after it."""
    page.set_viewport_size(size)
    words = ("--lam", "-l" * 99)
    option, long = (f"<code><span class='pre'>{word}</span></code>" for word in words)
    texts = [f"<p>{'a ' * n}{option}<i>,</i></p>" for n in range(200)]
    script = (STATIC / "page.js").read_text("utf-8")
    page.set_content(f"{BOOK}{''.join(texts)}<p>{long}</p><script>{script}</script>")
    *heights, last = page.eval_on_selector_all(".pre", "all => all.map(one => one.offsetHeight)")
    assert {*heights} == {min(heights)}
    assert last > min(heights)
    tops = "all => all.map(i => i.offsetTop - i.previousElementSibling.offsetTop)"
    assert max(page.eval_on_selector_all("i", tops)) < min(heights)
    wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= window
    page.set_viewport_size(DESKTOP)


def test_an_answer_is_ticked_if_right_and_crossed_if_not(page: Any) -> None:
    answers = "".join(f'<button data-right="{right}"></button>' for right in (0, 1))
    script = (STATIC / "quiz.js").read_text("utf-8")
    page.set_content(
        f'{BOOK}<div class="quiz"><div class="question">{answers}<p class="why"></p></div>'
        f'<p class="tally"></p></div><script>{script}</script>'
    )
    sheet = Sheet(page, theme.LIGHT)
    for right, sign, colour in (("0", "✗", figures.ORANGE), ("1", "✓", figures.GREEN)):
        answer = f'[data-right="{right}"]'
        assert sheet.look(answer, "::after")["content"] == "none"
        page.click(answer)
        assert sign in sheet.look(answer, "::after")["content"]
        bar = sheet.look(answer)["boxShadow"].partition(")")[0]
        assert same(bar, colour)
        border = sheet.look(".question")["borderLeftColor"]
        assert same(border, figures.GREEN) == (right == "1")


# ---------------------------------------------------------------------------- the widget


def cells(*classes: str) -> str:
    """Cells of the widget, each with one more class."""
    return "".join(f'<button class="jupyter-button ttt-cell {name}"></button>' for name in classes)


def test_shades_of_the_widget(board: Sheet) -> None:
    """The greener, the better for you; orange is the opponent's view."""
    shades = cells(*(f"ttt-s{shade}" for shade in SHADES))
    for kind, name in (("", "good"), ("ttt-its", "o")):
        board.show(f'<div class="{kind}">{shades}</div>')
        grounds = [board.look(f".ttt-s{shade}")["backgroundColor"] for shade in SHADES]
        assert rising([leaning(ground, board.colours[name]) for ground in grounds])


def widths(look: dict[str, str]) -> list[float]:
    """Widths of the four borders, the lower one last."""
    return [pixels(look[f"border{side}Width"]) for side in ("Top", "Left", "Right", "Bottom")]


def test_a_bar_below_marks_the_best(board: Sheet) -> None:
    board.show(cells("ttt-open", "ttt-pick"))
    *frame, below = widths(board.look(".ttt-pick"))
    assert [*frame, frame[0]] == widths(board.look(".ttt-open"))
    assert below > 3 * frame[0]
    assert same(board.look(".ttt-pick")["borderBottomColor"], board.colours["good"])
    board.show(f'<div class="ttt-its">{cells("ttt-pick")}</div>')
    assert same(board.look(".ttt-pick")["borderBottomColor"], board.colours["o"])


def test_frames_of_the_widget(board: Sheet) -> None:
    """A thick frame is the last move, a dashed one a hint; a winning line has a frame around."""
    board.show(cells("ttt-open", "ttt-x ttt-last", "ttt-hint", "ttt-x ttt-line"))
    ink = board.look("main")["color"]
    names = ("ttt-open", "ttt-last", "ttt-hint", "ttt-line")
    plain, last, hint, line = (board.look(f".{name}") for name in names)
    assert all(np.array(widths(last)) > widths(plain))
    assert (last["borderStyle"], last["borderColor"]) == ("solid", ink)
    assert widths(hint) == widths(line) == widths(plain)
    assert [look["outlineStyle"] for look in (plain, last, hint, line)] == [
        "none", "none", "dashed", "none",
    ]  # fmt: skip
    assert [look["boxShadow"] for look in (plain, last, hint)] == ["none"] * 3
    assert line["boxShadow"].startswith(ink)


def test_frames_of_sub_boards_and_of_the_status(board: Sheet) -> None:
    """Where one may move is framed like the line that says it is one's turn."""
    board.show(
        '<div class="ttt-block"></div><div class="ttt-block ttt-target"></div>'
        '<div class="ttt-block ttt-on-line"></div><div class="ttt-status">'
        '<p class="busy"></p><p class="yours"></p><p class="over"></p><p class="wrong"></p></div>'
    )
    names = ("ttt-block", "ttt-target", "ttt-on-line", "busy", "yours", "over", "wrong")
    frames = {name: board.look(f".{name}")["borderLeftColor"] for name in names}
    assert frames["ttt-block"] == "rgba(0, 0, 0, 0)"
    assert frames["ttt-on-line"] == frames["over"] == board.look("main")["color"]
    for name in ("ttt-target", "yours"):
        assert same(frames[name], board.colours["good"])
    assert max(leaning(frames[n], board.colours["good"]) for n in ("busy", "wrong")) < 0.05


@pytest.mark.parametrize("place", ["ttt-block ttt-won-", "jupyter-button ttt-cell ttt-"])
def test_x_is_a_cross_and_o_a_ring(board: Sheet, place: str) -> None:
    board.show("".join(f'<div class="{place}{side}" id="{side}"></div>' for side in "xo"))
    slopes = []
    for stroke in (board.look("#x", pseudo) for pseudo in ("::before", "::after")):
        assert stroke["content"] == '""'
        assert same(stroke["backgroundColor"], board.colours["x"])
        assert pixels(stroke["width"]) > 3 * pixels(stroke["height"]) > 0
        across, down = map(float, stroke["transform"].removeprefix("matrix(").split(", ")[:2])
        slopes.append(down / across)
    assert slopes == pytest.approx([1, -1], abs=1e-4)
    ring = board.look("#o", "::before")
    assert (ring["content"], ring["borderRadius"]) == ('""', "50%")
    assert min(widths(ring)) > 0
    assert same(ring["borderColor"], board.colours["o"])
    assert board.look("#o", "::after")["content"] == "none"

"""Pictures of boards: well-formed, complete, readable in grey, and refused where they'd lie."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ttt_lib.evidence import figures
from ttt_lib.game import draw as svg
from ttt_lib.game.draw import Board
from ttt_lib.people import theme

NAMESPACE = "{http://www.w3.org/2000/svg}"


def parts(picture: str, tag: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(picture).findall(NAMESPACE + tag)


@pytest.mark.parametrize(
    ("text", "size"),
    [("xx.oo....", "3x3"), ("x" + "." * 26, "3x3x3"), ("." * 81, "3x3x3x3"), ("...", "3")],
)
def test_every_cell_and_stone_is_drawn_once(text: str, size: str) -> None:
    picture = Board(text, size)._repr_svg_()
    corners = {(cell.get("x"), cell.get("y")) for cell in parts(picture, "rect")}
    assert len(corners) == len(text)
    assert len(parts(picture, "path")) == text.count("x")
    assert len(parts(picture, "circle")) == text.count("o")


def test_cells_lie_inside_and_do_not_overlap() -> None:
    picture = svg.draw(Board("." * 81, "3x3x3x3"))
    width, height = (
        float(ElementTree.fromstring(picture).get(k) or 0) for k in ("width", "height")
    )
    places = [(float(c.get("x") or 0), float(c.get("y") or 0)) for c in parts(picture, "rect")]
    assert all(
        x > 0 and x + svg.CELL < width and y > 0 and y + svg.CELL < height for x, y in places
    )
    for i, (x, y) in enumerate(places):
        for u, v in places[:i]:
            assert abs(x - u) >= svg.CELL or abs(y - v) >= svg.CELL


def test_rows_run_right_and_then_down() -> None:
    cells = [(c.get("x"), c.get("y")) for c in parts(svg.draw(Board(".........")), "rect")]
    assert cells[0] == ("1", "1")
    assert cells[1] == (str(1 + svg.CELL), "1")
    assert cells[3] == ("1", str(1 + svg.CELL))


def test_labels_shades_marks_and_title() -> None:
    board = Board(
        "x........",
        labels=["", *map(str, range(1, 9))],
        shades=[0, *[0.5] * 8],
        marks=[2],
        title='<1 & "2"',
    )
    picture = svg.draw(board)
    assert [t.text for t in parts(picture, "text")] == [str(i) for i in range(1, 9)]
    cells = parts(picture, "rect")
    assert [c.get("stroke-width") for c in cells].count("3") == 1
    assert cells[2].get("stroke-width") == "3"
    assert cells[0].get("fill-opacity") == "0.000"
    assert cells[1].get("fill-opacity") != "0.000"
    root = ElementTree.fromstring(picture)
    assert root.get("aria-label") == '<1 & "2"' == parts(picture, "title")[0].text
    assert root.get("role") == "img"


@pytest.mark.parametrize(("labels", "size"), [("1 -1/6", 11), ("1 0.995", 9), ("60.7% 1", 9)])
def test_a_long_label_makes_the_letters_of_its_board_smaller(labels: str, size: int) -> None:
    picture = svg.draw(Board("." * 9, labels=labels.split() * 4 + [""]))
    assert {text.get("font-size") for text in parts(picture, "text")} == {str(size)}


def test_without_a_title_the_text_alternative_is_the_notation() -> None:
    assert ElementTree.fromstring(svg.draw(Board("x........"))).get("aria-label") == (
        "3x3 board x........"
    )


def test_board_of_cells() -> None:
    cells = np.array([1, 0, 0, 0, -1, 0, 0, 0, 0], dtype=np.int8)
    board = Board.of(cells)
    assert board == Board("x...o....")
    assert board.cells.tolist() == cells.tolist()
    assert repr(board) == "Board(text='x...o....', size='3x3')"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": "x"}, "9 characters"),
        ({"text": "xx......."}, "2 x and 0 o"),
        ({"text": ".........", "size": "4x4"}, "16 characters"),
        ({"text": ".........", "size": "3x2"}, "board size"),
        ({"text": ".........", "labels": ["a"]}, "labels: 1 given for 9 cells"),
        ({"text": ".........", "shades": [0.1] * 8}, "shades: 8 given for 9 cells"),
        ({"text": ".........", "shades": [2.0] * 9}, r"0\.\.1"),
        ({"text": ".........", "shades": [float("nan")] * 9}, r"0\.\.1"),
        ({"text": ".........", "marks": [9]}, r"0\.\.8"),
        ({"text": ".........", "marks": [-1]}, r"0\.\.8"),
    ],
)
def test_what_is_no_picture(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Board(**arguments)  # type: ignore[arg-type]


def test_row_of_boards() -> None:
    html = svg.row_of([Board("........."), Board("x........")], ["a < b"])
    assert html.count("<svg") == html.count("<figure") == html.count("<figcaption") == 2
    assert "a &lt; b" in html
    with pytest.raises(ValueError, match="captions"):
        svg.row_of([Board(".........")], ["one", "two"])


ROOT = Path(__file__).parents[1]


def typed(colour: str, *suffixes: str) -> list[str]:
    """The files of the library, and styles and scripts of the book, that spell a colour."""
    files = [*(ROOT / "ttt_lib").rglob("*.*"), *(ROOT / "notebooks").rglob("*.*s")]
    wanted = [p for p in files if p.suffix in suffixes and "_build" not in p.parts]
    return sorted(
        f"{p.parent.name}/{p.name}"
        for p in wanted
        if colour.lower() in p.read_text("utf-8").lower()
    )


def test_the_colours_of_x_and_o_are_typed_once() -> None:
    # The palette of figures and the marks of verdicts may have the same blue and orange.
    others = {"_static/book.css", "evidence/figures.py"}
    for colour in (svg.X_COLOUR, svg.O_COLOUR):
        assert set(typed(colour, ".py", ".css", ".js")) - others == {"game/draw.py"}
    for name in ("x", "o"):
        assert typed(theme.DARK[name], ".py", ".css", ".js") == ["people/theme.py"]


def test_the_grounds_of_x_and_o_are_mixed_from_their_colours() -> None:
    style = (ROOT / "ttt_lib/people/play/play.css").read_text("utf-8")
    for name in ("x", "o"):
        [ground] = re.findall(
            rf"^\.ttt \.ttt-{name}\.jupyter-button \{{ background: (.*); \}}$", style, re.MULTILINE
        )
        assert ground.count(f"color-mix(in srgb, var(--{name})") == 2
        assert "#" not in ground


SERIES = {
    name: value
    for name, value in vars(figures).items()
    if isinstance(value, str) and value.startswith("#")
    if name not in ("DRAW_COLOUR", "X_COLOUR", "O_COLOUR")
}
BOARDS_TOO = {
    "BLUE": ["game/draw.py"],
    "ORANGE": ["game/draw.py"],
    "GREEN": ["game/draw.py", "play/trap.py"],
}
"""Colours of series that pictures of boards may have as well, for reasons of their own."""


@pytest.mark.parametrize("name", SERIES)
def test_the_colours_of_series_are_typed_once(name: str) -> None:
    boards = set(BOARDS_TOO.get(name, []))
    assert set(typed(SERIES[name], ".py")) - boards == {"evidence/figures.py"}


COLOURED_BY_X = {
    "comparison/figures.py", "game/draw.py", "ising/figures.py", "ntuple/figures.py",
    "people/theme.py", "play/trap.py", "spectral/figures.py", "the_game/figures.py",
}  # fmt: skip
"""Files that draw stones, or what is good for X or O."""


def test_only_what_belongs_to_x_or_o_has_their_colour() -> None:
    """A new file here is to draw stones: series take their colours from the palette."""
    assert set(typed("X_COLOUR", ".py")) - {"evidence/figures.py"} == COLOURED_BY_X

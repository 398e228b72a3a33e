"""Figures that stay true: the same data give the same bytes, and the stored data are today's."""

from __future__ import annotations

import io
import json
import re
import runpy
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfFile
from matplotlib.colors import to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle, Wedge

from ttt_lib.comparison import figures as comparison_figures
from ttt_lib.comparison import ideas
from ttt_lib.evidence import claims, figures, store
from ttt_lib.ising import figures as ising_figures
from ttt_lib.ising import figures_boards, thresholds
from ttt_lib.ntuple import figures as ntuple_figures


def sketch() -> figures.Drawing:
    """Lines, markers, clipping and text: all that matplotlib gives random ids to."""
    figure, axes = plt.subplots()
    table = pd.DataFrame({"x": np.arange(5), "y": np.arange(5) ** 2 / 3})
    axes.plot(table["x"], table["y"], marker="o", label="y")
    axes.fill_between(table["x"], table["y"], alpha=0.2, hatch="/")
    axes.legend()
    return figures.Drawing(figure, table)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "manifest.toml").write_text(
        '["00_sketch"]\nnotebook="00_n"\nfunction="drawn_here:sketch"\ndata="d"\nseed="none"\n'
        'n="exact"\ncaption="c"\nalt="a"\n'
    )
    module = ModuleType("drawn_here")
    vars(module)["sketch"] = sketch
    monkeypatch.setitem(sys.modules, "drawn_here", module)
    monkeypatch.setattr(figures, "folder", lambda: tmp_path)
    figures.manifest.cache_clear()
    yield tmp_path
    figures.manifest.cache_clear()


# ---------------------------------------------------------------------------- building


def test_two_builds_give_the_same_bytes(project: Path) -> None:
    one, two = (figures.build(None, project / name) for name in ("one", "two"))
    assert [path.name for path in one] == ["00_sketch.svg", "00_sketch.pdf", "00_sketch.csv"]
    for first, second in zip(one, two, strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name
        assert first.stat().st_size > 20
    assert not plt.get_fignums(), "figures are closed"


def test_other_settings_of_the_user_change_nothing(project: Path) -> None:
    [expected, *_] = figures.build(None, project / "one")
    with plt.rc_context({"axes.facecolor": "black", "font.size": 20, "svg.hashsalt": "other"}):
        [found, *_] = figures.build(None, project / "two")
        assert plt.rcParams["font.size"] == 20, "and theirs are left alone"
    assert found.read_bytes() == expected.read_bytes()


def test_the_table_behind_a_figure_is_written(project: Path) -> None:
    *_, path = figures.build(["00_sketch"], project / "out")
    assert pd.read_csv(path)["y"].to_numpy() == pytest.approx(np.arange(5) ** 2 / 3, rel=1e-11)


def test_svg_has_neither_date_nor_raster(project: Path) -> None:
    drawing = figures.draw("00_sketch")
    svg = figures.render(drawing, "svg").decode()
    assert "<dc:date>" not in svg
    assert "<image" not in svg
    assert b"CreationDate" not in figures.render(drawing, "pdf")
    assert figures.render(drawing, "png").startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="'gif': svg, pdf, png"):
        figures.render(drawing, "gif")
    plt.close(drawing.figure)


def test_the_figure_that_is_shown_is_the_one_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside another one, which is declared first."""
    path, shown = project / "manifest.toml", list[Any]()
    entry = path.read_text()
    other = entry.replace("00_sketch", "00_other").replace(":sketch", ":other")
    path.write_text(
        other.replace('alt="a"', 'alt="b"').replace('caption="c"', 'caption="d"') + entry
    )
    vars(sys.modules["drawn_here"])["other"] = lambda: figures.Drawing(
        plt.figure(), pd.DataFrame({"x": [1]})
    )
    monkeypatch.setattr("IPython.display.display", lambda *items: shown.extend(items))
    figures.show("00_sketch")
    image, caption = shown
    assert not plt.get_fignums(), "figures are closed"
    drawing = figures.draw("00_sketch")
    plt.close(drawing.figure)
    assert image.data == figures.render(drawing, "png")
    assert image.alt == "a"
    assert caption.data == "*Figure 00_sketch.* c"


def test_unknown_figure_writes_nothing(project: Path) -> None:
    with pytest.raises(ValueError, match="unknown figure 'no': 00_sketch"):
        figures.build(["00_sketch", "no"], project / "out")
    assert not (project / "out").exists()


def test_a_figure_that_fails_leaves_all_as_they_were(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, made = figures._drawn, list[str]()

    def once(wanted: figures.Entry) -> figures.Drawing:
        if made:
            raise ValueError("nothing to draw")
        made.append(wanted.name)
        return drawn(wanted)

    monkeypatch.setattr(figures, "_drawn", once)
    with pytest.raises(ValueError, match="nothing to draw"):
        figures.build(["00_sketch", "00_sketch"], project / "out")
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    "error",
    [
        KeyError("score"),
        IndexError("row 0"),
        AttributeError("no opponent"),
        ValueError("no text"),
        NameError("name 'side' is not defined"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_damaged_data_are_told_with_the_figure(
    error: Exception, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> figures.Drawing:
        raise error

    monkeypatch.setattr(sys.modules["drawn_here"], "sketch", fail)
    monkeypatch.setattr(store, "changed", lambda: ["a.csv", "b.csv"])
    told = r"figure 00_sketch can't be drawn \(.*SHA256SUMS in .* has them: a\.csv, b\.csv$"
    with pytest.raises(ValueError, match=told):
        figures.build(None, project / "out")
    monkeypatch.setattr(store, "changed", list)  # then the fault is the program's
    with pytest.raises(type(error), match=re.escape(str(error))):
        figures.build(None, project / "out")
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    ("damaged", "refused"),
    [(["ising_law.csv"], True), (["ultimate_rating.csv"], False), ([], False)],
)
def test_no_figure_is_drawn_from_a_damaged_file(
    damaged: list[str], *, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if it can be read: a table that is cut short would give another figure."""
    monkeypatch.setattr(store, "changed", lambda: damaged)
    if refused:
        with pytest.raises(ValueError, match=r"figure 04_law is not drawn: .* has them: ising_law"):
            figures.check_sources(["04_wins", "04_law"])
    else:
        figures.check_sources(["04_wins", "04_law"])


@pytest.mark.parametrize("text", ['["00_sket', '["00_sketch"]\nnotebook="00_n"\n', "a = 3\n"])
def test_a_damaged_manifest_is_named(text: str, project: Path) -> None:
    (project / "manifest.toml").write_text(text)
    with pytest.raises(ValueError, match=r"manifest\.toml can't be read: "):
        figures.manifest()


# ---------------------------------------------------------------------------- what is committed

ENTRIES = list(figures.manifest().values())
every_figure = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


@every_figure
def test_declaration_is_complete(entry: figures.Entry) -> None:
    for field in fields(entry):
        value = getattr(entry, field.name)
        assert isinstance(value, str)
        assert value.strip(), field.name
    assert entry.notebook == "README" or entry.name[:2] == entry.notebook[:2]
    assert entry.notebook == "README" or entry.name[:2].isdigit()
    assert len(entry.alt.split()) >= 8, "the text says what is to be seen"
    assert entry.caption.endswith(".")
    assert entry.alt != entry.caption


def test_nothing_undeclared_lies_beside_the_figures() -> None:
    stems = {path.stem for path in figures.folder().iterdir() if path.suffix != ".toml"}
    assert stems <= {entry.name for entry in ENTRIES}


@every_figure
def test_figure_is_stored_and_its_data_are_todays(entry: figures.Entry) -> None:
    files = {kind: figures.folder() / f"{entry.name}.{kind}" for kind in ("svg", "pdf", "csv")}
    assert all(path.stat().st_size > 20 for path in files.values())
    assert files["pdf"].read_bytes().startswith(b"%PDF")
    assert b"<svg" in files["svg"].read_bytes()[:1000]
    claims.declared.cache_clear()
    with opened_data() as files_read:
        drawing = figures.draw(entry.name)
    plt.close(drawing.figure)
    assert {source for source in map(source_of, files_read) if source not in entry.data} == set()
    assert alike_in_grey(drawing) == []
    drawn = drawing.figure.get_figwidth()
    assert drawn == {"page": figures.WIDTH, "column": figures.COLUMN}[entry.width]
    stored = pd.read_csv(files["csv"])
    # Through text, as the stored one went: the same types, the same 12 digits.
    fresh = pd.read_csv(io.StringIO(store.csv_text(drawing.data)))
    pd.testing.assert_frame_equal(stored, fresh, rtol=1e-9, atol=1e-12)
    assert figures.render(drawing, "svg") == files["svg"].read_bytes(), "drawn otherwise"
    pdf, whole = files["pdf"].read_bytes(), entry in ENTRIES[::9]  # to embed fonts takes long
    with nullcontext() if whole else no_fonts():
        printed = figures.render(drawing, "pdf")
    wanted = unpacked(pdf) if whole else without_fonts(unpacked(pdf))
    assert unpacked(printed) == wanted, "drawn otherwise"


WATCHED: list[set[str]] = []
"""Where the names of opened files go; nowhere, while no one watches."""


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if WATCHED and event == "open" and isinstance(arguments[0], str | Path):
        WATCHED[-1].add(str(arguments[0]))


sys.addaudithook(watch)  # stays for good: Python has no way to remove one


@contextmanager
def opened_data() -> Iterator[set[str]]:
    """Collects the paths below ``data/`` of the files that are opened, as ``/`` separates them.

    Weights are read by compiled code, which tells nobody.
    """
    found, below = set[str](), store.data_dir()
    WATCHED.append(set())
    try:
        yield found
    finally:
        opened = map(Path, WATCHED.pop())
        found |= {p.relative_to(below).as_posix() for p in opened if p.is_relative_to(below)}


def source_of(file: str) -> str:
    """What the manifest of figures must name, if a figure is drawn from that file of ``data/``."""
    if file.startswith("claims/") and file.endswith(".toml"):
        return "the claims of document"  # all five are read for one claim
    return f"data/{file}"


def test_a_file_that_is_opened_is_noticed() -> None:
    with opened_data() as found:
        store.read_table("ntuple_epochs.csv")
    assert found == {"ntuple_epochs.csv"}
    store.read_table("ntuple_starts.csv")
    assert found == {"ntuple_epochs.csv"}
    assert source_of("ntuple_epochs.csv") == "data/ntuple_epochs.csv"


def grey(colour: Any) -> float:
    """How light a colour is, from 0 to 1 (parts weighed as WCAG 2 does, without its gamma)."""
    return float(np.dot(to_rgb(colour), [0.2126, 0.7152, 0.0722]))


def alike_in_grey(drawing: figures.Drawing) -> list[tuple[str, str]]:
    """Pairs of lines of one legend with the same dashes, markers and width, and nearly one grey."""
    found = []
    for axes in drawing.figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        lines: list[tuple[str, Any]] = [
            (label, handle[0] if isinstance(handle, ErrorbarContainer) else handle)
            for handle, label in zip(handles, labels, strict=True)
        ]
        for (one, a), (other, b) in combinations(lines, 2):
            if isinstance(a, Line2D) and isinstance(b, Line2D) and one != other:
                looks = [(*marks(line), line.get_linewidth()) for line in (a, b)]
                if looks[0] == looks[1] and abs(grey(a.get_color()) - grey(b.get_color())) < 0.2:
                    found.append((one, other))
    return found


def marks(line: Line2D) -> tuple[str, str, bool]:
    """Dashes, marker, and whether the marker is hollow."""
    face: Any = line.get_markerfacecolor()
    hollow = isinstance(face, str) and face in ("none", "white")
    dashes = line.is_dashed() and str(line._dash_pattern)  # type: ignore[attr-defined]
    return f"{line.get_linestyle()} {dashes}", str(line.get_marker()), hollow


def test_two_lines_that_differ_in_colour_only_are_found() -> None:
    figure, axes = plt.subplots()
    axes.plot([0, 1], color=figures.BLUE, label="a")
    axes.plot([1, 0], color=figures.ORANGE, label="b")
    axes.plot([1, 1], "--", color=figures.ORANGE, label="c")
    axes.plot([1, 2], color="black", label="d")
    axes.errorbar([0, 1], [1, 0], 0.1, color=figures.GREY, label="e")
    plt.close(figure)
    pairs = alike_in_grey(figures.Drawing(figure, pd.DataFrame()))
    assert ("a", "b") in pairs
    assert ("b", "e") in pairs
    assert not {"c", "d"} & {name for pair in pairs for name in pair}


STREAMS = re.compile(rb"stream\r?\n(.*?)\nendstream", re.DOTALL)


def unpacked(pdf: bytes) -> list[bytes]:
    """What the streams of a PDF hold, however the system's zlib packs it."""
    found = []
    for stream in STREAMS.findall(pdf):
        try:
            found.append(zlib.decompress(stream))
        except zlib.error:  # not packed
            found.append(stream)
    return found


@contextmanager
def no_fonts() -> Iterator[None]:
    """Refer to fonts in PDFs, but embed none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PdfFile, "embedTTF", lambda *_: None)
        yield


FONT_FILE = b"\x00\x01\x00\x00\x00"
"""How an embedded font begins; the streams of its glyphs and its characters follow."""


def without_fonts(streams: list[bytes]) -> list[bytes]:
    """The streams of a PDF but for those of embedded fonts, three each."""
    begins = [at for at, stream in enumerate(streams) if stream.startswith(FONT_FILE)]
    skipped = {at + step for at in begins for step in range(3)}
    return [stream for at, stream in enumerate(streams) if at not in skipped]


def test_streams_of_fonts_are_told_from_others() -> None:
    font = [FONT_FILE + b"12", b"glyphs", b"characters"]
    assert without_fonts([b"page", *font, *font, b"image"]) == [b"page", b"image"]
    assert without_fonts([b"page"]) == [b"page"]


def texts(pdf: bytes) -> list[float]:
    """Sizes of all text that a PDF prints, subscripts too, in points of the page as drawn."""
    streams = STREAMS.findall(pdf)
    content = next(zlib.decompress(one) for one in streams if b" Tf" in zlib.decompress(one))
    return [float(size) for size in re.findall(rb"/F\d+ ([\d.]+) Tf", content)]


PRINTED = {"page": 17.0, "column": 8.5}
"""Widths in centimetres at which figures are printed."""

SMALLEST = 6.0
"""The smallest text in a printed figure, in points."""


def smallest(pdf: bytes, width: str) -> float:
    """The smallest text in points, when a PDF is printed at a width of ``PRINTED``."""
    [drawn] = re.findall(rb"/MediaBox \[ *0 0 ([\d.]+)", pdf)
    return min(texts(pdf)) * PRINTED[width] / 2.54 / (float(drawn) / 72)


@pytest.mark.parametrize(("size", "label"), [(8.0, "x"), (9.0, "$w_1$")])
def test_the_smallest_text_is_found_subscripts_too(size: float, label: str) -> None:
    figure, axes = plt.subplots(figsize=(figures.COLUMN, 3))
    axes.set_axis_off()
    axes.text(0.5, 0.5, label, fontsize=size)
    axes.text(0.5, 0.7, "larger", fontsize=20)
    pdf = figures.render(figures.Drawing(figure, pd.DataFrame()), "pdf")
    plt.close(figure)
    assert min(texts(pdf)) == pytest.approx(size * (0.7 if "_" in label else 1))
    assert smallest(pdf, "page") == pytest.approx(2 * smallest(pdf, "column"))


@every_figure
def test_the_smallest_text_can_be_read_in_print(entry: figures.Entry) -> None:
    """At the width of a page or of a column, as declared, and it is drawn for that width."""
    pdf = (figures.folder() / f"{entry.name}.pdf").read_bytes()
    assert smallest(pdf, entry.width) >= SMALLEST


def test_results_are_told_apart_without_colour() -> None:
    shade = {result: grey(colour) for result, colour in figures.RESULT_COLOURS.items()}
    assert shade["draw"] - max(shade["win"], shade["loss"]) > 0.3
    assert [bool(figures.area(result)["hatch"]) for result in figures.RESULT_COLOURS] == [
        False,
        False,
        True,
    ]


# ---------------------------------------------------------------------------- in a browser

CUT_OFF = """() => {
  const root = document.documentElement, frame = root.getBoundingClientRect();
  return [...root.querySelectorAll("text, g[id^=text_]")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && Math.max(frame.left - box.left, box.right - frame.right,
                                 frame.top - box.top, box.bottom - frame.bottom) > 1;
  }).map((text) => text.textContent.trim() || text.id);
}"""
"""Texts of the picture shown that reach beyond its edges, by more than a pixel."""


def test_whiskers_reach_down_to_low_and_up_to_high() -> None:
    rows = pd.DataFrame({"score": [0.5], "low": [0.4], "high": [0.8]})
    down, up = figures.whiskers(rows)
    assert (down[0], up[0]) == pytest.approx((0.1, 0.3))


def test_a_legend_of_results_names_the_colours_of_the_areas() -> None:
    shown = {patch.get_label(): patch.get_facecolor() for patch in figures.result_patches()}
    drawn = {key: Patch(**figures.area(key)).get_facecolor() for key in ("win", "draw", "loss")}
    assert shown == drawn


def test_no_text_is_cut_off_at_the_edge(browser: Any, tmp_path: Path) -> None:
    page = browser.new_page()
    broken = tmp_path / "broken.svg"
    broken.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">'
        '<text x="70" y="50">states</text></svg>'
    )
    page.goto(broken.as_uri())
    assert page.evaluate(CUT_OFF) == ["states"]
    for name in figures.manifest():
        page.goto((figures.folder() / f"{name}.svg").as_uri())
        assert page.evaluate(CUT_OFF) == [], name


# ---------------------------------------------------------------------------- words on a picture


def lines_of(axes: Axes) -> dict[str, list[float]]:
    """What stands in the legend of some axes, with the heights of that series."""
    handles, labels = axes.get_legend_handles_labels()
    return {
        label: np.asarray(line.get_ydata(), float).tolist()
        for line, label in zip(handles, labels, strict=True)
    }


def test_the_law_names_what_loses_and_what_is_safe() -> None:
    table = thresholds.summary()
    drawn = lines_of(figures_boards.law().figure.axes[0])
    names = {
        "edge": "the ratio",
        "loses": "it can lose at this b",
        "safe": "it never loses from here on",
    }
    assert set(drawn) == set(names.values())
    for column, name in names.items():
        assert drawn[name] == pytest.approx(table[column].to_numpy(), nan_ok=True)


def test_each_side_of_the_4x4_curve_stands_under_its_name() -> None:
    table = store.read_table("ising_curve_4x4.csv").query("`from` < `to`")
    for axes in figures_boards.curve_4x4().figure.axes:
        side = {"Ising first": "x", "Ising second": "o"}[axes.get_title()]
        lines = {str(line.get_label()): line for line in axes.lines}
        for result in ("draw", "loss"):
            wanted = table[table["side"] == side][result].map(Fraction).astype(float) * 100
            assert lines[result].get_ydata()[::2] == pytest.approx(wanted.to_numpy())


@pytest.mark.parametrize(
    ("module", "name"), [(figures_boards, "MARKS"), (comparison_figures, "SHADES")]
)
def test_marks_and_shades_of_results_have_their_colours(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made anew after a change of colours, these tables hold the new ones and no old one."""
    changed = {"win": "#7700AA", "loss": "#00AA77"}
    old = {result: figures.RESULT_COLOURS[result] for result in changed}
    for result, colour in changed.items():
        monkeypatch.setitem(figures.RESULT_COLOURS, result, colour)
    made = str(runpy.run_path(str(module.__file__))[name])
    assert [colour in made for colour in changed.values()] == [True, True]
    assert [colour in made for colour in old.values()] == [False, False]


def test_wedges_are_the_shares_of_results_that_occur() -> None:
    drawing = ising_figures.wedges()
    for axes, row in zip(drawing.figure.axes, drawing.data.to_dict("records"), strict=True):
        shares = [(result, row[before + result]) for before in ("", "printed_")
                  for result in figures.RESULT_COLOURS]  # fmt: skip
        wedges = [patch for patch in axes.patches if isinstance(patch, Wedge)]
        wanted = [(to_rgb(figures.RESULT_COLOURS[r]), share) for r, share in shares if share > 0]
        assert [to_rgb(wedge.get_facecolor()) for wedge in wedges] == [c for c, _ in wanted]
        angles = [(wedge.theta2 - wedge.theta1) / 360 for wedge in wedges]
        assert angles == pytest.approx([share for _, share in wanted], abs=1e-6)


def test_the_ladder_of_tables_names_who_can_be_beaten() -> None:
    data = ideas.ladder()
    axes = comparison_figures.tables_ladder().figure.axes[0]
    colours = {p.get_facecolor(): p.get_label() for p in axes.get_legend().get_patches()}
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    lost = 2 - (data.worst_x >= 0).astype(int) - (data.worst_o >= 0)
    found = [colours[bar.get_facecolor()] for bar in bars]
    assert found == [("on no side", "only as O", "on both sides")[n] for n in lost]
    assert (data.worst_x[lost == 1] >= 0).all()


def test_zero_in_the_look_up_tables_is_exact() -> None:
    """Small weights are printed with a sign, and there are as many zeros as among those picked."""
    drawing = ntuple_figures.look_up_tables()
    texts = [text.get_text() for text in drawing.figure.axes[0].texts]
    never, zeros = texts.count("never"), texts.count("0")
    assert never + zeros == (drawing.data.iloc[:, 1:] == 0).to_numpy().sum()
    signed = [text for text in texts if text not in ("0", "never")]
    assert all(re.fullmatch(r"[+\N{MINUS SIGN}]\d\.(\d\d|0+[1-9])", text) for text in signed)


def test_rings_of_the_second_output_leave_the_published_dots_to_be_seen() -> None:
    for axes in ntuple_figures.mse_curve().figure.axes:
        lines = {line.get_label(): line for line in axes.lines}
        ring, dot = lines["second output"], lines["published"]
        assert ring.get_markerfacecolor() == "none"
        assert ring.get_markersize() - ring.get_markeredgewidth() > dot.get_markersize()


NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("0*.ipynb"))


def shown(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Of each cell that shows figures: their names, and the alt texts stored in its outputs."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        names = re.findall(r'^figure\("(\w+)"', "".join(cell["source"]), re.MULTILINE)
        about = [kind for o in cell.get("outputs", []) for kind in o.get("metadata", {}).values()]
        if names:
            yield names, [kind["alt"] for kind in about if "alt" in kind]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_alt_texts_stored_in_a_notebook_are_those_of_its_figures(path: Path) -> None:
    found = list(shown(path))
    assert found
    for names, alts in found:
        assert alts == [figures.entry(name).alt for name in names]

"""The book: built once without a warning, then read in a browser that has no network."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize
from urllib.parse import unquote

import numpy as np
import pytest
import torch
from scipy.stats import binom

from ttt_lib import catalog
from ttt_lib.evidence import claims, figures, sampling, store
from ttt_lib.evidence.claims import Chance
from ttt_lib.evidence.reproduce import notebooks
from ttt_lib.game.exact import exact_match, exact_values, policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import choose, random_agent, safety
from ttt_lib.people import book, book_pages, book_players
from ttt_lib.spectral.record import record
from ttt_lib.spectral.theory import list_agent
from ttt_lib.ultimate.board import rules
from ttt_lib.ultimate.board.game import pack
from ttt_lib.ultimate.learn.checkpoint import load_net
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import table_agent

ROOT = Path(__file__).parents[1]
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book as ``make book`` builds it, in a folder of this test's own."""
    pytest.importorskip("sphinx_book_theme")
    if built := os.environ.get("TTT_BOOK"):  # while one works on the tests: a book built before
        return Path(built) / "html"
    out = tmp_path_factory.mktemp("book")
    assert book.main(["--out", str(out)]) == 0
    return out / "html"


COLOURED = re.compile(r'<span(?: class="[^"<>]*")?>|</span>')
"""Words of code in colour: most tags of the book, and none of them has an id."""


class Page(HTMLParser):
    """The ids, links and pictures of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids, self.links, self.pictures = set[str](), list[str](), list[dict[str, Any]]()
        self.feed(COLOURED.sub("", path.read_text(encoding="utf-8")))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {found["id"] or ""} if "id" in found else set()
        if tag == "a" and found.get("href"):
            self.links.append(found["href"] or "")
        if tag == "img":
            self.pictures.append(found)


@pytest.fixture(scope="module")
def pages(html: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in html.rglob("*.html") if "_static" not in path.parts}


# ---------------------------------------------------------------------------- sources


def test_a_slug_is_the_anchor_that_claims_name() -> None:
    assert book_pages.slug("## How good can it be?") == "how-good-can-it-be"
    assert book_pages.slug("# 4x4: `b`, fitted") == "4x4-b-fitted"


def test_text_of_documents_is_not_taken_for_markup() -> None:
    assert book_pages.escape_markdown("a*b_c|d [e](f)\n <g>") == r"a\*b\_c\|d \[e\](f) \<g\>"


def test_links_move_up_with_the_page() -> None:
    text = "[a](../00_the_game.ipynb#b) [c](scale.md) `../x`\n[d]: ../LICENSE"
    assert book.rebase_links(text) == "[a](00_the_game.ipynb#b) [c](scale.md) `../x`\n[d]: LICENSE"


def test_a_temperature_is_whole_weights_that_divide_the_unit() -> None:
    weights = book_players.apportioned(np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1e-9]]))
    assert weights.tolist() == [[84, 84, 84, 0], [252, 0, 0, 0]]
    assert 2520 % book_players.TOTAL == 0
    hottest = book_players.tables("playouts")[-1][1]
    assert set(hottest.sum(axis=1)) == {0, 252}


def test_a_knob_turns_the_player_of_the_catalog(tree: GameTree) -> None:
    ising = dict(book_players.tables("ising"))
    label = book_players.FAMILIES[0].start
    low, high = (float(end) for end in list(ising)[label].split(" < b < "))
    assert low < 0.647 < high
    for name, weights in (("ising", list(ising.values())[label]), ("ising:b=0", ising["b = 0"])):
        assert np.array_equal(weights, policy_table(catalog.agent(name), tree))
    trained = book_players.tables("ntuple")[-1]
    assert trained[0] == "100 epochs"
    assert np.array_equal(trained[1], policy_table(catalog.agent("ntuple"), tree))


def test_the_paper_cites_what_its_bibliography_has() -> None:
    folder = ROOT / book.PAGES
    cited = set(re.findall(r"@([a-z]\w*)", (folder / "paper.md").read_text()))
    entries = re.findall(r"^@\w+\{(\w+),", (folder / "paper.bib").read_text(), re.MULTILINE)
    assert cited == set(entries)
    assert len(entries) == len(cited)


def test_a_cell_that_only_draws_or_tells_is_folded() -> None:
    def tags(source: str) -> list[str]:
        cell = {"cell_type": "code", "metadata": {}, "source": source}
        return list(book.folded(cell)["metadata"].get("tags", []))

    assert tags('n = 3\nassert n == 3\nsay(f"**{n}**")') == ["hide-input"]
    assert tags('boards = [1]\nnotebook.boards(boards, "x")') == ["hide-input"]
    assert tags('figure("01_calibration")') == []  # one line: nothing to gain
    assert tags("def f():\n    return 1\n\nsay(f())") == []
    assert tags("rows = f()\nrows.round(3)") == []
    assert tags("# nothing yet\n# but a plan") == []


def test_figures_are_numbered_in_the_order_of_their_notebook() -> None:
    numbers = book_pages.figure_numbers()
    assert set(numbers) == {n for n, e in figures.manifest().items() if e.notebook != "README"}
    assert len(set(numbers.values())) == len(numbers)
    source = (ROOT / "notebooks/04_ising_bias.ipynb").read_text(encoding="utf-8")
    shown = re.findall(r'figure\(\\"(04_\w+)\\"', source)
    assert [numbers[name] for name in shown] == [f"4.{k + 1}" for k in range(len(shown))]


def citations(notebook: Path) -> list[tuple[str, str]]:
    """Surname of the first author and year of each work under the heading *References*."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    [last] = [text for text in texts if "## References" in text]
    lines = re.findall(r"^[-*] (.*)$", last.partition("## References")[2], re.MULTILINE)
    works = [line for line in lines if re.search(r"\d{4}", line) and "repository" not in line]
    return [
        (re.findall(r"^(?:\S+\. )*([\w']+)", w)[0], re.findall(r"\b(\d{4})\b", w)[0]) for w in works
    ]


def test_every_work_that_a_notebook_cites_is_on_the_page_of_references() -> None:
    text = (ROOT / book.PAGES / "references.bib").read_text(encoding="utf-8")
    plain = re.sub(r"\{\\.\s?(\w)\}", r"\1", text)  # {\'o} is o
    entries = plain.split("\n@")
    found = [citation for path in notebooks(ROOT) for citation in citations(path)]
    assert len(found) > 40
    missing = []
    for name, year in found:
        bare = "".join(c for c in normalize("NFD", name) if not combining(c))
        dated = [e for e in entries if bare in e.partition("title")[0] and year in e]
        missing += [] if dated else [(name, year)]
    assert missing == []


def test_the_example_of_the_page_on_scale_runs() -> None:
    text = (ROOT / book.PAGES / "scale.md").read_text()
    *_, example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    space: dict[str, Any] = {}
    exec(example.replace("1000", "4").replace(', about="matches"', ""), space)
    assert [result.games for result in space["results"]] == [4, 4]


# ---------------------------------------------------------------------------- the built pages


def test_every_internal_link_leads_somewhere(html: Path, pages: dict[Path, Page]) -> None:
    @cache
    def place(folder: Path, target: str) -> tuple[Path, bool]:
        there = (folder / unquote(target)).resolve()
        return there, there.exists()

    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or link == "#":
                continue
            there, exists = place(path.parent, target) if target else (path, True)
            known = pages[there].ids if there in pages else set()
            if not exists or (anchor and there in pages and unquote(anchor) not in known):
                broken.append((path.relative_to(html), link))
    assert broken == []


def test_every_claim_leads_to_its_section_and_its_code(html: Path, pages: dict[Path, Page]) -> None:
    functions = {claim.id: claim.ours.replace(":", ".") for claim in claims.load()}
    for row in claims.load_results():
        page = pages[html / f"claims/document_{row['document']}.html"]
        notebook, _, anchor = row["section"].partition("#")
        assert row["id"] in page.ids
        # "What 0.647 means" has two anchors, what-0647-means and Sphinx's own what-0-647-means.
        place = f"../{notebook}.html#{anchor}".replace("-", "")
        assert place in [link.replace("-", "") for link in page.links]
        assert any(link.endswith(f"#{functions[row['id']]}") for link in page.links)
        assert anchor in pages[html / f"{notebook}.html"].ids


def test_functions_show_their_source(html: Path, pages: dict[Path, Page]) -> None:
    links = pages[html / "api/game.html"].links
    assert "../_modules/ttt_lib/game/gametree.html#solve" in links
    assert "solve" in pages[html / "_modules/ttt_lib/game/gametree.html"].ids


def test_every_module_is_documented(pages: dict[Path, Page]) -> None:
    ids = set().union(*(page.ids for page in pages.values()))
    parts = [path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("ttt_lib/**/*.py")]
    modules = [".".join(part.parts) for part in parts if not part.name.startswith("_")]
    assert [name for name in modules if f"module-{name}" not in ids] == []


def test_every_figure_is_there_with_caption_and_alt_text(
    html: Path, pages: dict[Path, Page]
) -> None:
    shown = pages[html / "figures/index.html"].pictures
    alts = {Path(unquote(picture["src"])).stem: picture["alt"] for picture in shown}
    assert alts == {e.name: " ".join(e.alt.split()) for e in figures.manifest().values()}
    text = " ".join(re.sub("<[^>]+>", "", (html / "figures/index.html").read_text()).split())
    for entry in figures.manifest().values():
        assert entry.caption.split(".")[0].replace("'", "’")[:20] in text or "*" in entry.caption


def test_pictures_in_notebooks_keep_their_alt_text(html: Path, pages: dict[Path, Page]) -> None:
    for path in notebooks(ROOT):
        for picture in pages[html / f"{path.stem}.html"].pictures:
            assert len(picture.get("alt") or "") > 20, (path.stem, picture)


def test_each_notebook_can_be_downloaded_as_it_is(html: Path, pages: dict[Path, Page]) -> None:
    for path in notebooks(ROOT):
        [link] = [to for to in pages[html / f"{path.stem}.html"].links if to.endswith(".ipynb")]
        assert (html / link).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("address", ["", "https://github.com/someone/ttt"])
def test_buttons_lead_to_the_sources_only_where_they_are_known(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One notebook is built with the book's settings: Binder and the repository, or neither."""
    pytest.importorskip("sphinx_book_theme")
    source = tmp_path / "source"
    (source / "_static").mkdir(parents=True)
    (source / "index.md").write_text("# Book\n\n```{toctree}\n06_arena\n```\n")
    (source / "references.bib").write_text("")
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# The arena"}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (source / "06_arena.ipynb").write_text(json.dumps(notebook))
    monkeypatch.setenv("TTT_REPOSITORY", address)
    assert book.sphinx(source, tmp_path) == 0
    links = Page(tmp_path / "html/06_arena.html").links
    away = [link for link in links if link.startswith("http") and "sphinx" not in link]
    binder = "/v2/gh/someone/ttt/"
    assert bool(address) == any(link.startswith(address) for link in away if address)
    assert bool(address) == any(
        binder in link and "notebooks/06_arena.ipynb" in link for link in away
    )
    assert address or away == []


def test_captions_lead_to_the_numbered_figure(html: Path) -> None:
    number = book_pages.figure_numbers()["04_fit"]
    text = (html / "04_ising_bias.html").read_text(encoding="utf-8")
    [place] = re.findall(rf'href="([^"]+)"><span[^>]*>Figure {number}</span>', text)
    assert place == "figures/index.html#figure-04-fit"
    assert f"Figure {number}." in (html / "figures/index.html").read_text(encoding="utf-8")


def test_figures_that_ask_what_if_lead_to_a_slider(html: Path, pages: dict[Path, Page]) -> None:
    for name, text in book_pages.WHAT_IF.items():
        [target] = re.findall(r"\]\((\w+)\.md\)", text)
        told = html / f"{figures.manifest()[name].notebook}.html"
        assert f"{target}.html" in pages[told].links
        assert 'type="range"' in (html / f"{target}.html").read_text(encoding="utf-8")


def test_the_search_index_knows_the_words(html: Path) -> None:
    text = (html / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    documents, terms = index["docnames"], index["terms"]
    found = terms["plateau"]
    places = [found] if isinstance(found, int) else found
    assert "04_ising_bias" in [documents[place] for place in places]
    assert {"backward", "canon", "ridg"} <= set(terms)
    assert "ttt_lib.game.gametree" in index["objects"]


# ---------------------------------------------------------------------------- in a browser


SET = "() => !document.querySelector('.math') || document.querySelector('mjx-container svg')"
"""Formulas, if there are any, are set."""


class Watched:
    """A page, with the requests that it made and the errors it met."""

    def __init__(self, context: Any, html: Path) -> None:
        self.html, self.asked, self.errors = html, list[str](), list[str]()
        context.route(re.compile(r"^(?!file:|data:)"), self._refuse)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def forget(self) -> None:
        """Begin another test, which no late word of the page before may reach."""
        self.page.goto("about:blank")
        self.asked.clear()
        self.errors.clear()

    def _refuse(self, route: Any) -> None:
        self.asked.append(route.request.url)
        route.abort()

    def open(self, name: str) -> Any:
        """A page loaded anew: another place in the same file alone would load nothing."""
        file, _, place = name.partition("#")
        self.page.goto("about:blank")
        self.page.goto((self.html / file).as_uri() + (f"#{place}" if place else ""))
        self.page.wait_for_function(SET)  # not "networkidle": a busy machine may miss that event
        return self.page


@pytest.fixture(scope="module", params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def window(browser: Any, html: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """One window for all tests of a size: the pages keep nothing from visit to visit."""
    context = browser.new_context(viewport=request.param)
    yield Watched(context, html)
    context.close()


@pytest.fixture
def watched(window: Watched) -> Watched:
    window.forget()
    return window


def test_the_watch_sees_a_request(watched: Watched) -> None:
    page = watched.open("index.html")
    page.evaluate("fetch('https://example.org/x').catch(() => 0)")
    assert watched.asked == ["https://example.org/x"]


SHOWN = (*(path.stem for path in notebooks(ROOT)), "index", "claims/index",
         "claims/document_1", "figures/index", "api/index", "api/ntuple", "scale",
         "jose_checklist", "play", "lists", "play_ultimate", "lessons", "lessons/lesson_1",
         "search")  # fmt: skip
AXE_PAGES = ("index", "01_playout_mlp", "claims/document_1", "figures/index", "play", "lists",
             "play_ultimate", "verdicts", "references", "search", "exercises/instructor_guide",
             "lessons", "lessons/lesson_1")  # fmt: skip
NAMED = """() => [...document.querySelectorAll('.play button')].every(
    (button) => button.textContent || button.ariaLabel)"""
"""The boards of the playing pages are drawn."""
STILL = "*, *::before, *::after { transition: none !important; animation: none !important }"
"""A colour on its way to another is neither."""
ALIKE = """(alike) => {
    const seen = new Set();
    const look = (element) => element.tagName + '.' + element.getAttribute('class');
    for (const part of document.querySelectorAll(alike)) {
        if (!part.isConnected) continue;  // gone with the part that it stood in
        const all = [part.parentElement.parentElement, part.parentElement, part,
                     ...part.querySelectorAll('*')];
        const key = all.map(look).join(' ') + (part.tagName === 'TR' ? part.rowIndex % 2 : '');
        if (!seen.has(key)) seen.add(key);
        else if (part.tagName === 'SPAN') part.replaceWith(part.textContent);
        else part.remove();
    }
}"""
"""Leave one of all parts that have the same colours: axe computes each anew, of thousands."""
WORDS = ".highlight span[class]"
PARTS = "article :is(tr, li, p, figure, svg rect, svg text)"
ASK = """(rules) => axe.run(document, {resultTypes: ['violations'], ...rules})
    .then((found) => found.violations)"""
BUT_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
CONTRAST = {"runOnly": ["color-contrast"]}
WIDTHS = "[document.documentElement.scrollWidth, window.innerWidth]"


@dataclass
class Tour:
    """What was found on a tour of the pages: those that are too wide, and axe's complaints."""

    watched: Watched
    wide: list[tuple[str, str]] = field(default_factory=list)
    faults: list[tuple[str, str, str, str]] = field(default_factory=list)

    def measure(self, name: str, screen: str) -> None:
        """Compare the page that is open with the window, as it is now."""
        width, window = self.watched.page.evaluate(WIDTHS)
        self.wide += [(name, screen)] if width > window else []

    def ask(self, name: str, screen: str, rules: dict[str, Any]) -> None:
        """Ask axe about the page that is open, as it now looks."""
        self.faults += [
            (name, screen, fault["id"], fault["nodes"][0]["html"][:120])
            for fault in self.watched.page.evaluate(ASK, rules)
            if fault["impact"] != "minor"
        ]


def show(page: Any, theme: str, size: dict[str, int]) -> str:
    """Change theme and size of the window; returns their names."""
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size(size)
    page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
    return f"{'phone' if size is PHONE else 'desktop'}, {theme}"


@pytest.fixture(scope="module")
def tour(browser: Any, html: Path) -> Iterator[Tour]:
    """Every page that is shown or given to axe, opened once: on a phone, then enlarged and dark."""
    axe = pytest.importorskip("axe_playwright_python.base").AXE_FILE_PATH.read_text()
    context = browser.new_context(viewport=PHONE, color_scheme="light")
    found = Tour(Watched(context, html))
    for name in dict.fromkeys([*SHOWN, *AXE_PAGES]):
        found.watched.page.set_viewport_size(PHONE)
        found.watched.page.emulate_media(color_scheme="light")
        page, asked = found.watched.open(f"{name}.html"), name in AXE_PAGES
        if asked:
            page.wait_for_function(NAMED)
            page.add_style_tag(content=STILL)
            page.evaluate(axe)
            page.evaluate(ALIKE, WORDS)
        for theme, size in (("light", PHONE), ("dark", DESKTOP)):
            screen = show(page, theme, size)
            found.measure(name, screen)
            if asked:
                found.ask(name, screen, BUT_CONTRAST)
        if asked:
            page.evaluate(ALIKE, PARTS)
            found.ask(name, screen, CONTRAST)
            found.ask(name, show(page, "light", PHONE), CONTRAST)
    yield found
    context.close()


def test_no_page_asks_for_anything_elsewhere_or_is_wider_than_the_screen(tour: Tour) -> None:
    assert tour.wide == []
    assert tour.watched.asked == []
    assert tour.watched.errors == []


def test_axe_finds_nothing_serious_or_moderate(tour: Tour) -> None:
    assert tour.faults == []


def test_a_picture_is_enlarged_by_click_and_key(watched: Watched) -> None:
    page = watched.open("01_playout_mlp.html")
    small = page.locator("article a:has(img.zooms)").first
    for act in (small.click, lambda: small.press("Enter")):
        act()
        page.wait_for_function("document.querySelector('dialog.large img').naturalWidth > 0")
        page.locator("dialog.large[open] img").wait_for(state="visible")
        assert page.evaluate("document.querySelector('dialog.large img').src").endswith(".svg")
        page.keyboard.press("Escape")
        page.locator("dialog.large").wait_for(state="hidden")


def test_formulas_are_set(watched: Watched) -> None:
    page = watched.open("01_playout_mlp.html")
    page.wait_for_selector("mjx-container svg", state="attached")
    assert page.locator("mjx-container").count() == page.locator(".math").count() > 0
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0


def test_search_answers(watched: Watched) -> None:
    page = watched.open("search.html?q=plateau".partition("?")[0])
    page.goto((watched.html / "search.html").as_uri() + "?q=plateau")
    page.wait_for_selector("#search-results li")
    assert "04_ising_bias.html" in page.inner_html("#search-results")
    assert watched.asked == []


def test_search_finds_a_published_number(watched: Watched) -> None:
    page = watched.open("index.html")
    page.goto((watched.html / "search.html").as_uri() + "?q=85.77")
    page.wait_for_selector(".ledger-found li")
    found = page.inner_text(".ledger-found")
    assert "811/945" in found
    page.click(".ledger-found a >> nth=0")
    row = page.url.partition("#")[2]
    assert "85.77" in page.locator(f"tr:has(#{row})").inner_text()
    assert watched.asked == []


def test_the_ledger_is_filtered(watched: Watched) -> None:
    page = watched.open("claims/index.html")
    box = page.locator(".ledger-search")
    for number in ("85.77", "85.77%", "0.8577", "0.647"):
        box.locator("input").fill(number)
        assert box.locator("li").count() > 0, number
    box.locator("input").fill("")
    box.locator("select").nth(1).select_option("refuted")
    rows = [row for row in claims.load_results() if row["verdict"] == "refuted"]
    assert box.locator("li").count() == len(rows)
    box.locator("select").nth(0).select_option("3")
    assert box.locator("li").count() == sum(row["document"] == 3 for row in rows)
    assert watched.errors == []


# ---------------------------------------------------------------------------- the playing pages


@pytest.fixture(scope="module")
def table(browser: Any, html: Path) -> Iterator[Watched]:
    """The window in which all games are played, one after the other."""
    context = browser.new_context()
    yield Watched(context, html)
    context.close()


@pytest.fixture
def playing(table: Watched) -> Iterator[Watched]:
    table.forget()
    yield table
    assert table.asked == []
    assert table.errors == []


def test_exact_matches_in_the_page_are_those_of_the_library(
    playing: Watched, tree: GameTree
) -> None:
    page = playing.open("play.html")
    rng, families = np.random.default_rng(5), book_players.FAMILIES
    pairs = [(("ising", 31), ("random", 0)), (("playouts", 3), ("ntuple", 12))]
    for family in families:  # each as X and as O, its knob somewhere
        settings = [len(book_players.tables(f.name)) for f in families]
        mine = (family.name, int(rng.integers(settings[families.index(family)])))
        k = int(rng.integers(len(families)))
        other = (families[k].name, int(rng.integers(settings[k])))
        pairs += [(mine, other), (other, mine)]
    for x, o in pairs:
        tables = [book_players.tables(name)[k][1] for name, k in (x, o)]
        outcome = exact_values(tree, *tables)[0]
        assert page.evaluate("([x, o]) => TTT.match(x, o)", [x, o]) == list(map(str, outcome))


def holds(label: str, b: float) -> bool:
    low, high = map(float, label.split(" < b < "))
    return low < b < high


def test_the_slider_moves_the_board_and_the_fractions(playing: Watched) -> None:
    parts = ("matches", "board", "setting")
    labels = [label for label, _ in book_players.tables("ising-program")]
    [k] = [k for k, label in enumerate(labels) if "<" in label and holds(label, 0.8)]
    page = playing.open(f"play.html#p=ising-program&k={k}&s=x&m=")
    # Document 4's 85.77 %, from the exact table
    assert "811/945" in page.inner_text('[data-part="matches"]')
    page = playing.open("play.html#p=ising&k=25&s=x&m=")
    page.focus('[data-part="slider"]')
    seen = []
    for _ in range(8):
        seen.append([page.inner_text(f'[data-part="{part}"]') for part in parts])
        page.keyboard.press("ArrowLeft")
    matches, boards, settings = (set(column) for column in zip(*seen, strict=True))
    assert len(settings) == 8
    assert len(matches) > 2
    assert len(boards) > 1  # the trap closes at b = 0.2226


def test_hints_lead_into_the_trap_and_the_review_says_so(playing: Watched) -> None:
    """Perfect play only draws against this player; who knows it wins every game."""
    page = playing.open("play.html#p=ising&k=31&s=x&m=")
    assert "both play perfectly" in page.inner_text('[data-part="chances"]')
    for game in range(3):
        while page.locator('.three [aria-disabled="false"]').count():
            page.keyboard.press("h")
            page.click(".three .hint")
        assert page.inner_text('[data-part="status"]') == "You win."
        assert "nothing" in page.inner_text('[data-part="review"]')
        assert page.inner_text('[data-part="score"]').startswith(f"Score: {game + 1} won")
        if game < 2:
            page.keyboard.press("n")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text('[data-part="status"]').startswith("Move ")
    link = page.url
    again = page.context.new_page()
    again.goto(link)
    assert again.get_attribute(".three", "data-moves") == page.get_attribute(".three", "data-moves")
    again.close()


def test_a_mistake_is_where_the_game_turned(playing: Watched) -> None:
    page = playing.open("play.html#p=minimax&k=0&s=o&m=")
    while page.locator('.three [aria-disabled="false"]').count():
        free = page.locator('.three [aria-disabled="false"]')
        labels = free.locator(".label").all_inner_texts()
        free.nth(labels.index("loss") if "loss" in labels else 0).click()
    assert page.inner_text('[data-part="status"]') == "It wins."
    assert "1 (here it turned)" in page.inner_text('[data-part="review"]')


@pytest.mark.parametrize(
    ("link", "line"),
    [
        ("play.html#p=nobody&m=4", "there is no player nobody"),
        ("play.html#p=ising&k=999999", "a setting is a number in 0.."),
        ("play.html#p=ising&k=-1", "a setting is a number in 0.."),
        ("play.html#s=z", "a side is x or o"),
        ("play.html#p=random&m=4,4", "move 2, 4, is not legal there"),
        ("play.html#p=random&m=4,<b>", "move 2, <b>, is not legal there"),
        ("play.html#p=random&m=4,,5", "move 2, nothing, is not legal there"),
        ("play.html#p=random&m=0,3,1,4,2,5", "move 6, 5, is not legal there"),
        ("play_ultimate.html#s=x&m=40,0", "move 2, 0, is not legal there"),
        ("play_ultimate.html#s=x&m=forty", "move 1, forty, is not legal there"),
        ("play_ultimate.html#s=q", "a side is x or o"),
    ],
)
def test_a_link_that_is_wrong_is_told_in_one_line(playing: Watched, link: str, line: str) -> None:
    page = playing.open(link)
    told = page.locator('.play [data-part="status"]', has_text="The link can't be opened")
    told.wait_for()
    assert line in told.inner_text()
    assert "\n" not in told.inner_text().strip()
    page.wait_for_function("document.querySelector('.play').dataset.moves === ''")
    page.locator('.play [aria-disabled="false"]').first.click()
    told.wait_for(state="detached")


def board_of(page: Any) -> str:
    return str(page.get_attribute(".three", "data-board"))


@pytest.mark.parametrize("side", ["x", "o"])
def test_the_perfect_player_never_loses(playing: Watched, side: str) -> None:
    page = playing.open(f"play.html#p=minimax&k=1&s={side}&m=")
    rng, results = np.random.default_rng(7), []
    for _ in range(20):
        while page.locator('.three [aria-disabled="false"]').count():
            free = [i for i, cell in enumerate(board_of(page)) if cell == "."]
            page.keyboard.press(str(rng.choice(free)))
        results.append(page.inner_text('[data-part="status"]'))
        page.keyboard.press("n")
    assert set(results) <= {"It wins.", "A draw."}
    assert results.count("It wins.") > 8


def test_the_page_is_played_by_keyboard_at_once(playing: Watched) -> None:
    page = playing.open("play.html#p=random&k=0&s=x&m=")
    page.keyboard.press("4")
    assert board_of(page)[4] == "x"
    assert board_of(page).count("o") == 1
    page.keyboard.press("4")  # taken: nothing happens
    assert board_of(page).count("x") == 1
    page.keyboard.press("u")
    assert board_of(page) == "........."
    assert page.locator('.three .grid [tabindex="0"]').count() == 1
    page.locator('.three .grid [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert "row 2 column 2" in page.evaluate("document.activeElement.ariaLabel")
    page.keyboard.press("Enter")
    assert board_of(page)[4] == "x"


def test_the_power_of_a_verdict_in_the_page_is_that_of_the_library(playing: Watched) -> None:
    page = playing.open("verdicts.html")
    for games, ours, level in product((10, 30, 100, 1000), (0.5, 0.27, 0.99), (0.01, 0.001)):
        low, high, _ = sampling.test(Chance(ours), 0, games).accepts(level)
        asked = [games, ours, level]
        assert page.evaluate("([n, p, a]) => POWER.accepts(n, p, a)", asked) == [low, high], asked
        told = page.evaluate("([n, p, a]) => POWER.rejected(n, p, a, 0.6)", asked)
        passed = binom.cdf(high, games, 0.6) - binom.cdf(low - 1, games, 0.6)
        assert told == pytest.approx(1 - passed, abs=1e-9)
    told = page.locator('.power [data-part="told"]')
    assert "at least 0.68" in told.inner_text()
    seen = set()
    for name, key in (("games", "ArrowRight"), ("chance", "ArrowLeft")):
        page.focus(f'.power [data-part="{name}"]')
        page.keyboard.press(key)
        seen.add(told.inner_text())
    page.select_option('.power [data-part="level"]', "0.001")
    assert len({*seen, told.inner_text()}) == 3


# ---------------------------------------------------------------------------- lists of cells


def test_lists_in_the_page_play_as_in_the_library(playing: Watched, tree: GameTree) -> None:
    """Random lists and the stored ones: exact results, with and without the rule, on both sides."""
    page = playing.open("lists.html")
    grid, rng = tree.grid, np.random.default_rng(2)
    orders = [row["order"] for row in book_players.cell_lists()[:3]]
    for order in [*orders, *(rng.permutation(9).tolist() for _ in range(5))]:
        for side, rule in product((1, -1), (False, True)):
            plain = list_agent(order, order)
            agent = safety(plain) if rule else plain
            asked = [order, side, rule]
            found = page.evaluate(RESULT, asked)
            pair = (agent, random_agent(grid)) if side == 1 else (random_agent(grid), agent)
            exact = exact_match(*pair, tree)
            assert found["chance"] == list(map(str, exact if side == 1 else exact.reversed()))
            worst = record(agent).worst["x" if side == 1 else "o"]
            assert found["best"] == [str(int(worst == result)) for result in (1, 0, -1)], asked


RESULT = """([order, side, rule]) => {
  const found = LISTS.result(order, side, rule);
  return {chance: found.chance.map(String), best: found.best.map(String)};
}"""


def test_a_list_meets_a_threat_and_the_sliders_move_it(playing: Watched) -> None:
    page = playing.open("lists.html")
    told = page.locator('.lists [data-part="told"]', has_text="and O can win at 7")
    told.wait_for()
    assert page.get_attribute(".lists", "data-board") == "x...x.o.o"  # notebook 02's threat
    assert page.locator(".lists .grid .cell").nth(7).inner_text().split() == ["7", "9"]
    before = page.inner_text('.lists [data-part="results"]')
    page.focus('.lists [data-part="place"]')
    for _ in range(6):  # from the ninth place to the third, the first of which the cell is free
        page.keyboard.press("ArrowLeft")
    page.locator('.lists [data-part="told"]', has_text="takes cell 7 and stops").wait_for()
    assert page.get_attribute(".lists", "data-taken") == "7"
    assert page.inner_text('.lists [data-part="results"]') != before
    page.focus('.lists [data-part="threat"]')
    page.keyboard.press("ArrowLeft")
    page.locator('.lists [data-part="threat-told"]', has_text="threatens: 6").wait_for()
    page.select_option('.lists [data-part="list"]', index=6)
    page.locator('.lists [data-part="threat-told"]', has_text="X threatens: 6").wait_for()
    page.select_option('.lists [data-part="rule"]', "yes")
    page.locator('.lists [data-part="told"]', has_text="stops the line").wait_for()


def test_no_list_stops_every_threat(playing: Watched) -> None:
    """Each of two cells is threatened once while the other is free, so either order misses one."""
    page = playing.open("lists.html")
    for side in (1, -1):
        alone = page.evaluate(
            """side => [[0, 1], [1, 0]].map(([cell, other]) => LISTS.threats(side).filter(
                 (one) => one.cell === cell && TTT.TREE.boards[one.row][other] === 0).length)""",
            side,
        )
        assert min(alone) > 0
    lists = store.read_table("spectral_orderings.csv").query("safety == 'no'")
    assert lists["never_lose"].sum() == 0


# ---------------------------------------------------------------------------- Ultimate in the page


def asked(page: Any, question: str, **rest: Any) -> dict[str, Any]:
    """What the page's worker answers."""
    found = page.evaluate(
        "([ask, rest]) => document.querySelector('.ultimate').ask(ask, rest)", [question, rest]
    )
    assert isinstance(found, dict)
    return found


def random_ultimate(seed: int, plies: int) -> tuple[list[int], Any]:
    """Moves of a random game, up to so many plies, and the position."""
    rng, position, moves = np.random.default_rng(seed), rules.start(), list[int]()
    while rules.legal_moves(position) and len(moves) < plies:
        moves.append(int(rng.choice(rules.legal_moves(position))))
        position = rules.play(position, moves[-1])
    return moves, position


def test_rules_in_the_page_are_those_of_the_library(playing: Watched) -> None:
    page = playing.open("play_ultimate.html")
    assert asked(page, "perft", moves=[], depth=5)["leaves"] == 473_256
    for seed in range(40):
        moves, position = random_ultimate(seed, 81 if seed % 4 else 20)
        found = asked(page, "legal", moves=moves)
        assert found["legal"] == sorted(rules.legal_moves(position))
        assert found["state"] == [int(word) for word in pack(position)][:24]


def test_the_network_in_the_page_is_that_of_the_library(playing: Watched) -> None:
    page, net = playing.open("play_ultimate.html"), load_net()[0]
    for seed in range(40):
        moves, position = random_ultimate(seed, 2 * seed)
        if not rules.legal_moves(position):
            continue
        found = asked(page, "evaluate", moves=moves)
        with torch.no_grad():
            logits, values = net(*tablenet.inputs(pack(position)[None]))
        assert found["value"] == pytest.approx(float(values[0]), abs=1e-4)
        by_move = tablenet.by_move(logits)[0]
        wanted = {str(move): float(by_move[move]) for move in rules.legal_moves(position)}
        assert found["logits"] == pytest.approx(wanted, abs=1e-3)


def test_the_search_in_the_page_is_quick_and_takes_a_win(playing: Watched) -> None:
    page = playing.open("play_ultimate.html")
    asked(page, "think", moves=[], simulations=2000)
    found = asked(page, "think", moves=[40], simulations=5000)
    assert found["done"] / found["seconds"] > 1000
    for seed in range(30):  # one ply before the end of a won game: the win is found and proven
        moves, position = random_ultimate(seed, 81)
        if rules.result(position) in (1, -1):
            found = asked(page, "think", moves=moves[:-1], simulations=500)
            assert (found["low"], found["high"]) == (1, 1)
            last = asked(page, "legal", moves=[*moves[:-1], found["move"]])
            assert last["result"] == (1 if len(moves) % 2 else 2)


def test_the_player_in_the_page_is_that_of_the_library(playing: Watched) -> None:
    """The page's arithmetic is not rounded to tables, so some searches take another turn."""
    page = playing.open("play_ultimate.html")
    ours, same, asked_for = table_agent(stored_tables(), 300), 0, 0
    for seed in range(40):
        moves, position = random_ultimate(seed, seed)
        if rules.legal_moves(position):
            state = pack(position)[None]
            found = asked(page, "think", moves=moves, simulations=300)
            same += found["move"] == choose(ours, state, np.random.default_rng(0))[0]
            asked_for += 1
    assert same >= 0.8 * asked_for


def test_a_whole_game_of_ultimate_offline(playing: Watched) -> None:
    page = playing.open("play_ultimate.html")
    page.select_option('[data-part="level"]', "100")
    rng = np.random.default_rng(3)
    for _ in range(50):
        page.wait_for_selector('.ultimate[data-busy="false"]')
        if page.get_attribute(".ultimate", "data-result") != "0":
            break
        free = page.locator('.ultimate [aria-disabled="false"]')
        free.nth(int(rng.integers(free.count()))).click()
    played = [int(move) for move in page.get_attribute(".ultimate", "data-moves").split()]
    position = rules.start()
    for move in played:
        assert move in rules.legal_moves(position)
        position = rules.play(position, move)
    assert not rules.legal_moves(position)
    assert page.inner_text('[data-part="status"]').startswith("It wins.")
    page.keyboard.press("u")
    page.wait_for_selector('.ultimate[data-busy="false"]')
    assert len(page.get_attribute(".ultimate", "data-moves").split()) in (
        len(played) - 1,
        len(played) - 2,
    )


def test_levels_of_the_ultimate_page_say_what_they_are() -> None:
    text = (ROOT / book.PAGES / "play_ultimate.md").read_text(encoding="utf-8")
    options = re.findall(r'<option value="(\d+)"[^>]*>([^<]*)</option>', text)
    levels = [(int(value), words) for value, words in options if int(value) > 0]
    assert len(levels) > 3
    for value, words in levels:
        assert words.split()[0] == f"{value:,}", words

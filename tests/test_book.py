"""The book: built once without a warning, then read in a browser that has no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from math import factorial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from ttt_lib.evidence import claims, figures
from ttt_lib.game.gametree import GameTree
from ttt_lib.people import book, book_pages

ROOT = Path(__file__).parents[1]
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book as ``make book`` builds it, in a folder of this test's own."""
    pytest.importorskip("sphinx_book_theme")
    out = tmp_path_factory.mktemp("book")
    assert book.main(["--out", str(out)]) == 0
    return out / "html"


class Page(HTMLParser):
    """The ids, links and pictures of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids, self.links, self.pictures = set[str](), list[str](), list[dict[str, Any]]()
        self.feed(path.read_text(encoding="utf-8"))

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
    assert book_pages.plain("a*b_c|d [e](f)\n <g>") == r"a\*b\_c\|d \[e\](f) \<g\>"


def test_links_move_up_with_the_page() -> None:
    text = "[a](../00_the_game.ipynb#b) [c](scale.md) `../x`\n[d]: ../LICENSE"
    assert book.moved_up(text) == "[a](00_the_game.ipynb#b) [c](scale.md) `../x`\n[d]: LICENSE"


def test_the_table_of_the_playing_page_is_the_enumerated_game(tree: GameTree) -> None:
    table = book_pages.perfect_table()
    assert len(table) == len(tree)
    value, distance, wins, draws = table["........."]
    assert (value, distance, factorial(9)) == (0, 9, wins + draws + tree.random_play[0, 2])
    row = int(np.flatnonzero((tree.value == 1) & (tree.ply == 5))[0])
    board = "".join(".xo"[cell] for cell in tree.boards[row])
    assert table[board][:2] == [1, tree.distance[row]]


def test_the_script_is_small() -> None:
    assert len((ROOT / book.PAGES / "_static/perfect.js").read_text().splitlines()) < 100


def test_the_paper_cites_what_its_bibliography_has() -> None:
    folder = ROOT / book.PAGES
    cited = set(re.findall(r"@([a-z]\w*)", (folder / "paper.md").read_text()))
    entries = re.findall(r"^@\w+\{(\w+),", (folder / "paper.bib").read_text(), re.MULTILINE)
    assert cited == set(entries)
    assert len(entries) == len(cited)


def test_the_example_of_the_page_on_scale_runs() -> None:
    text = (ROOT / book.PAGES / "scale.md").read_text()
    *_, example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    space: dict[str, Any] = {}
    exec(example.replace("1000", "4").replace(', about="matches"', ""), space)
    assert [result.games for result in space["results"]] == [4, 4]


# ---------------------------------------------------------------------------- the built pages


def test_every_internal_link_leads_somewhere(html: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or link == "#":
                continue
            there = (path.parent / unquote(target)).resolve() if target else path
            known = pages[there].ids if there in pages else set()
            if not there.exists() or (anchor and there in pages and unquote(anchor) not in known):
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
    links = pages[html / "api/gametree.html"].links
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
    for path in book.sources(ROOT):
        for picture in pages[html / f"{path.stem}.html"].pictures:
            assert len(picture.get("alt") or "") > 20, (path.stem, picture)


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


class Watched:
    """A page, with the requests that it made and the errors it met."""

    def __init__(self, context: Any, html: Path) -> None:
        self.html, self.asked, self.errors = html, list[str](), list[str]()
        context.route(re.compile(r"^(?!file:|data:)"), self._refuse)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _refuse(self, route: Any) -> None:
        self.asked.append(route.request.url)
        route.abort()

    def open(self, name: str) -> Any:
        self.page.goto((self.html / name).as_uri())
        return self.page


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def watched(browser: Any, html: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    context = browser.new_context(viewport=request.param)
    yield Watched(context, html)
    context.close()


def test_the_watch_sees_a_request(watched: Watched) -> None:
    page = watched.open("index.html")
    page.evaluate("fetch('https://example.org/x').catch(() => 0)")
    assert watched.asked == ["https://example.org/x"]


def test_no_page_asks_for_anything_elsewhere_or_is_wider_than_the_screen(watched: Watched) -> None:
    notebooks = [f"{path.stem}.html" for path in book.sources(ROOT)]
    others = ["index", "claims/index", "claims/document_1", "figures/index", "api/index",
              "api/ntuple", "scale", "jose_checklist", "play_perfect", "search"]  # fmt: skip
    for name in [*notebooks, *(f"{other}.html" for other in others)]:
        page = watched.open(name)
        page.wait_for_load_state("networkidle")
        width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert width[0] <= width[1], name
    assert watched.asked == []
    assert watched.errors == []


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


# ---------------------------------------------------------------------------- the playing page


def board_of(page: Any) -> str:
    return str(page.get_attribute(".perfect", "data-board"))


def lines_of(board: str, stone: str) -> bool:
    lines = ("012", "345", "678", "036", "147", "258", "048", "246")
    return any(all(board[int(cell)] == stone for cell in line) for line in lines)


@pytest.mark.parametrize("side", ["x", "o"])
def test_the_perfect_player_never_loses(browser: Any, html: Path, side: str) -> None:
    page = Watched(browser.new_context(), html).open("play_perfect.html")
    rng, results = np.random.default_rng(7), []
    for _ in range(60):
        page.click(f'[data-part="{side}"]')
        while page.locator('.perfect [aria-disabled="false"]').count():
            free = [i for i, cell in enumerate(board_of(page)) if cell == "."]
            page.locator('[data-part="board"] button').nth(int(rng.choice(free))).click()
        board = board_of(page)
        assert not lines_of(board, side)
        assert page.inner_text('[data-part="status"]')
        results.append(lines_of(board, "xo".replace(side, "")))
    # Against chance it wins most games, and some end without a winner.
    assert sum(results) > 30


def test_every_reply_keeps_the_value(browser: Any, html: Path) -> None:
    """The script's best moves, on every board: exactly those that win soonest or lose latest."""
    page = Watched(browser.new_context(), html).open("play_perfect.html")
    moves = page.evaluate(
        "Object.fromEntries(Object.keys(PERFECT).filter((b) => !over(b)).map((b) => [b, best(b)]))"
    )
    table = book_pages.perfect_table()
    for board, found in moves.items():
        stone, sign = ("x", 1) if board.count(".") % 2 else ("o", -1)
        after = {i: table[board[:i] + stone + board[i + 1 :]] for i in range(9) if board[i] == "."}
        worth = {i: (sign * v, -sign * v * d) for i, (v, d, _, _) in after.items()}
        assert found == [i for i in after if worth[i] == max(worth.values())], board
    assert len(moves) == 4520


def test_the_page_is_played_by_keyboard(browser: Any, html: Path) -> None:
    page = Watched(browser.new_context(), html).open("play_perfect.html")
    page.check('[data-part="hints"]')
    first = page.locator('[data-part="board"] button').first
    assert first.get_attribute("aria-label") == "row 1 column 1, empty, draws"
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.ariaLabel").startswith("row 2 column 2")
    page.keyboard.press("Enter")
    assert board_of(page)[4] == "x"
    assert board_of(page).count("o") == 1
    page.keyboard.press("5")  # taken: nothing happens
    assert board_of(page).count("x") == 1
    page.click('[data-part="undo"]')
    assert board_of(page) == "........."
    assert "X wins 737/1260 (58.5 %)" in page.inner_text('[data-part="truth"]')

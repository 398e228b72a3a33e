"""The book: built without a warning, then read in a browser that has no network."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize
from urllib.parse import unquote

import ledger_searches
import numpy as np
import pytest
from built_book import Watched
from conftest import DESKTOP, PHONE

from ttt_lib import catalog
from ttt_lib.evidence import claims, figures, store
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.scorecard import find, our_value
from ttt_lib.evidence.store import notebooks
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import winning_cells
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.players import table_of
from ttt_lib.ntuple.training import train
from ttt_lib.people.book import pages as book_pages
from ttt_lib.people.book import players, site
from ttt_lib.spectral.linear_limits import list_agent
from ttt_lib.ultimate.learn.checkpoint import load_net
from ttt_lib.ultimate.search import tree_search

ROOT = Path(__file__).parents[1]


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


def names_of_pages(html: Path) -> list[str]:
    """All pages by their addresses without suffix; the library's source code is left out.

    So are templates that the theme leaves among its files.
    """
    paths = sorted(path.relative_to(html) for path in html.rglob("*.html"))
    pages = (path for path in paths if not path.match("_static/*webpack-macros.html"))
    return [path.with_suffix("").as_posix() for path in pages if path.parts[0] != "_modules"]


# ---------------------------------------------------------------------------- sources


def test_a_slug_is_the_anchor_that_claims_name() -> None:
    assert book_pages.slug("## How good can it be?") == "how-good-can-it-be"
    assert book_pages.slug("# 4x4: `b`, fitted") == "4x4-b-fitted"


def test_text_of_documents_is_not_taken_for_markup() -> None:
    assert book_pages.escape_markdown("a*b_c|d [e](f)\n <g>") == r"a\*b\_c\|d \[e\](f) \<g\>"


def test_code_in_reasons_of_ours_is_set_as_code() -> None:
    assert book_pages.with_code("`a_b` and\n c*d") == r"`a_b` and c\*d"
    assert book_pages.with_code("a ` b_c") == book_pages.escape_markdown("a ` b_c") == r"a \` b\_c"


def test_links_move_up_with_the_page() -> None:
    text = (
        "[a](../00_the_game.ipynb#b) [c](scale.md) [](../../figures/e.svg) `../x`\n[d]: ../LICENSE"
    )
    assert site.rebase_links(text) == (
        "[a](00_the_game.ipynb#b) [c](scale.md) [](figures/e.svg) `../x`\n[d]: LICENSE"
    )
    assert site.rebase_links("[a](../../README.md#the-scorecard)") == "[a](claims/index.md)"


def test_links_of_pages_read_in_the_repository_lead_to_files_or_to_pages_made_for_the_book() -> (
    None
):
    made = {name for name, _ in book_pages.generated()}
    for page in sorted((ROOT / site.PAGES).glob("*.md")):
        links = re.findall(r"\]\(([^)#: ]+)[^):]*\)", page.read_text(encoding="utf-8"))
        astray = [to for to in links if to not in made and not (page.parent / to).exists()]
        assert not astray, (page.name, astray)


def test_a_temperature_is_whole_weights_that_divide_the_unit() -> None:
    weights = players.apportioned(np.array([[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1e-9]]))
    assert weights.tolist() == [[84, 84, 84, 0], [252, 0, 0, 0]]
    assert 2520 % players.TOTAL == 0
    hottest = players.tables("playouts")[-1][1]
    assert set(hottest.sum(axis=1)) == {0, 252}


def test_a_parameter_turns_the_player_of_the_catalog(tree: GameTree) -> None:
    ising = dict(players.tables("ising"))
    label = players.FAMILIES[0].start
    low, high = (float(end) for end in list(ising)[label].split(" < b < "))
    assert low < 0.647 < high
    for name, weights in (("ising", list(ising.values())[label]), ("ising:b=0", ising["b = 0"])):
        assert np.array_equal(weights, policy_table(catalog.agent(name), tree))
    trained = players.tables("ntuple")[-1]
    assert trained[0] == "100 epochs"
    assert np.array_equal(trained[1], policy_table(catalog.agent("ntuple"), tree))


def weights_of(setting: list[str] | tuple[str, str, str], before: Any) -> Any:
    """The weights of an exported setting as a table, shape (S, 9)."""
    _, kind, text = setting
    data = base64.b64decode(text)
    if kind == "sums":
        return np.frombuffer(data, np.uint8).reshape(-1, 9)
    words = np.frombuffer(data, "<u2")
    if kind == "more":
        places, changed = words.reshape(-1, 2).T
        words = (before @ (1 << np.arange(9))).astype("<u2")
        words[places] = changed
    return words[:, None] >> np.arange(9) & 1


PLIES = {f"{k} pl{'ies' if k > 1 else 'y'}": k for k in range(1, 10)}
LEARNED = {"win chances": "optimal", "expected results": "value", "minimax": "minimax"}
RULES = {"": "yes", ", without the safety rule": "no"}
CALLED = {
    "spectral": {
        f"{told}{rule}": f"spectral:labels={labels},safety={safety}"
        for told, labels in LEARNED.items()
        for rule, safety in RULES.items()
    },
    "mlp": {label: f"mlp:depth={k}" for label, k in PLIES.items() if k < 7},
    "lookahead": {label: f"lookahead:depth={k}" for label, k in PLIES.items()},
    "hand-crafted": {name: name for name in ("analytical", "hybrid", "potential")},
    "safety": {"safety+random": "safety+random"},
    "minimax": {
        "the quickest": "minimax:ties=quick",
        "any": "minimax:ties=uniform",
        "the first": "minimax:ties=first",
    },
    "random": {"random": "random"},
}
"""By family, what its parameter says and which agent of the catalog that is."""


def test_a_label_of_the_playing_page_is_the_agent_that_it_names(
    tree: GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tuple(family for family in players.FAMILIES if family.name in CALLED)
    monkeypatch.setattr(players, "FAMILIES", named)
    families = {family["name"]: family for family in players.exported()}
    for name, called in CALLED.items():
        settings, weights = families[name]["settings"], None
        [family] = [family for family in named if family.name == name]
        for part in ("title", "about", "level", "parameter", "start"):
            assert families[name][part] == getattr(family, part)
        assert {label for label, *_ in settings} == set(called)
        for setting in settings:
            weights = weights_of(setting, weights)
            table = policy_table(catalog.agent(called[setting[0]]), tree)
            assert np.array_equal(weights, table[~tree.finished]), (name, setting[0])


def test_the_warmer_the_more_careless_is_a_player_of_chance_games(tree: GameTree) -> None:
    """At temperature 0 each win is taken; the hotter, the less weight the best moves get."""
    best, *warm = (table[~tree.finished] for _, table in players.tables("playouts"))
    side = np.where(tree.ply[~tree.finished] % 2 == 0, 1, -1).astype(np.int8)
    wins = winning_cells(tree.grid, tree.boards[~tree.finished], side)
    assert (best[wins] > 0).all()
    kept = [(table * (best > 0)).sum() for table in warm]
    assert kept == sorted(kept, reverse=True)
    heats = [float(label.split()[1]) for label, _ in players.tables("playouts")]
    assert heats == sorted(heats)


def test_so_many_epochs_are_so_long_a_training(tree: GameTree) -> None:
    patterns, tables = Patterns(tree.grid), dict(players.tables("ntuple"))
    for epochs, label in ((1, "1 epoch"), (3, "3 epochs")):
        network = train(patterns, epochs=epochs, rng=0).network
        assert np.array_equal(tables[label], table_of(network, tree))


def test_a_list_of_cells_plays_as_its_title_says(tree: GameTree) -> None:
    orders = {one["title"]: (one["side"], one["order"]) for one in players.cell_lists()}
    running = ~tree.finished
    for features, symmetric in (("standard", "no"), ("symmetric", "yes")):
        table = policy_table(catalog.agent(f"spectral:symmetric={symmetric},safety=no"), tree)
        for name, side in (("X", 1), ("O", -1)):
            told, order = orders[f"learned, {features} features, playing {name}"]
            assert told == side
            mine = running & (tree.ply % 2 == (side == -1))
            list_table = policy_table(list_agent(order, order), tree)
            assert np.array_equal(list_table[mine], table[mine]), (features, name)
    stored = store.read_table("spectral_orderings.csv").set_index(["side", "safety"]).best_list
    for name in "XO":  # the page applies no safety rule
        _, order = orders[f"the best against random play, playing {name}"]
        assert " ".join(map(str, order)) == stored[name.lower(), "no"]


def test_the_page_of_ultimate_is_given_each_setting_by_its_name() -> None:
    """The arrays, too: one that is another's has another size, or other numbers."""
    net: Any = load_net()[0]
    found, weights = players.ultimate_net(), net.state_dict()
    settings = {
        "c": tree_search.C_PUCT,
        "fpu": tree_search.FPU,
        "enough": tree_search.ENOUGH,
        "doubt": tree_search.DOUBT,
    }
    assert len(set(settings.values())) == len(settings)
    assert found["search"] == settings
    sizes = {"parts": "parts", "rows": "rows", "channels": "channels", "layer": "value"}
    assert found["sizes"] == {short: getattr(net.config, name) for short, name in sizes.items()}
    data = np.frombuffer(base64.b64decode(found["data"]), "<f4")
    alike = {"globe": "globe.weight", "forced": "forced", "free": "free", "place": "place"}
    alike |= {f"{name}{end}": f"{name}.{end}" for name in ("meta", "layer", "last", "cells")
              for end in ("weight", "bias")}  # fmt: skip
    for short, name in alike.items():
        start, length = found["arrays"][short]
        assert np.array_equal(data[start : start + length], weights[name].numpy().ravel()), name


# ---------------------------------------------------------------------------- tables of claims


def plain(text: str) -> str:
    """Text in which Markdown's signs were escaped."""
    return re.sub(r"\\(.)", r"\1", text)


def rows_of(page: str) -> Iterator[dict[str, str]]:
    """The rows of the list-tables of a page: each cell by its head."""
    for table in page.split("{list-table}")[1:]:
        rows = re.findall(r"^\* - .*(?:\n  - .*)*", table, re.MULTILINE)
        heads, *cells = ([line[4:] for line in row.splitlines()] for row in rows)
        yield from (dict(zip(heads, row, strict=True)) for row in cells)


def test_the_tables_of_claims_have_each_value_under_its_head(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        book_pages, "title_of", lambda notebook, anchor: anchor
    )  # reads no notebook
    pages = [text for name, text in book_pages.ledger() if "document_" in name]
    shown = {
        re.findall('id="(.*?)"', row["claim"])[0]: row for text in pages for row in rows_of(text)
    }
    stored = {row["id"]: row for row in claims.load_results()}
    functions = {claim.id: claim.ours.replace(":", ".") for claim in claims.load()}
    assert shown.keys() == stored.keys()
    assert sum(str(row["published"]) != str(row["ours"]) for row in stored.values()) > 100
    for name, row in stored.items():
        cells, of = {head: plain(cell) for head, cell in shown[name].items()}, row["n"]
        published, ours = (
            " ".join(str(value).split()) for value in (row["published"], our_value(row))
        )
        assert cells["published"] == (f"{published} of {of}" if of else published), name
        more = cells["ours"].removeprefix(ours)
        assert cells["ours"].startswith(ours), name
        ends = re.match(r" \((\S+) to (\S+)\)", more)
        told = [float(end) for end in ends.groups()] if ends else None
        assert told == (row["interval"] and pytest.approx(row["interval"], rel=1e-3)), name
        p_values = [float(p) for p in re.findall(r", p = ([^;]+); passes: ", more)]
        assert p_values == ([] if row["p_value"] is None else [pytest.approx(row["p_value"], 0.05)])
        assert re.sub("<.*?>", "", cells["verdict"]) == row["verdict"]
        assert cells["why"] == " ".join(row["reason"].split())
        assert cells["code"].endswith(f"<{functions[name]}>`")


def test_the_search_in_the_ledger_is_given_each_value_by_its_name() -> None:
    names = {"p": "published", "v": "verdict", "d": "document", "w": "where", "q": "quantity"}
    stored = {row["id"]: row for row in claims.load_results()}
    given = {row["id"]: row for row in book_pages.claims_data()}
    assert given.keys() == stored.keys()
    for name, row in stored.items():
        for short, long in ({"r": "reason"} | names).items():
            assert str(given[name][short]) == " ".join(str(row[long]).split()), (name, long)
        assert given[name]["o"] == " ".join(our_value(row).split())
        exact = row["ours"] if isinstance(row["ours"], float) else ""
        assert given[name]["x"] == str(exact), "more digits than are shown"
    script = (ROOT / site.PAGES / "_static/find.js").read_text(encoding="utf-8")
    assert "published ${row.p}, ours ${row.o}" in script


def test_the_gallery_tells_data_games_seed_and_page_of_each_figure() -> None:
    told, pattern = (
        {},
        r"`\.\./(\S+)`; data: (.*); n: (.*); seed: (.*); drawn by.*<(\S+)>`; \{download",
    )
    for block in book_pages.gallery().split("::::{figure} ")[1:]:
        told[block.partition(".svg")[0]] = [plain(p) for p in re.findall(pattern, block)[0]]
    wanted = {}
    for name, entry in figures.manifest().items():
        page = "claims/index" if entry.notebook == "README" else entry.notebook
        parts = (page, entry.data, entry.n, entry.seed, entry.function.replace(":", "."))
        wanted[name] = [" ".join(str(part).split()) for part in parts]
    assert told == wanted


def test_a_notebook_leads_to_the_claims_and_figures_that_it_discusses() -> None:
    rows = claims.load_results()
    for path in notebooks(ROOT):
        text = book_pages.after_notebook(path.stem)
        found = re.findall(r"\(claims/document_(\d)\.md\)", text)
        mine = {str(row["document"]) for row in rows if row["section"].startswith(f"{path.stem}#")}
        assert found == sorted(mine), path.stem
        drawn = any(entry.notebook == path.stem for entry in figures.manifest().values())
        assert ("The figures of this notebook" in text) == drawn


def test_the_paper_cites_what_its_bibliography_has() -> None:
    folder = ROOT / site.PAGES
    cited = set(re.findall(r"@([a-z]\w*)", (folder / "paper.md").read_text()))
    entries = re.findall(r"^@\w+\{(\w+),", (folder / "paper.bib").read_text(), re.MULTILINE)
    assert cited == set(entries)
    assert len(entries) == len(cited)


def test_a_cell_that_only_draws_or_tells_is_folded() -> None:
    def tags(source: str) -> list[str]:
        cell = {"cell_type": "code", "metadata": {}, "source": source}
        return list(site.folded(cell)["metadata"].get("tags", []))

    assert tags('n = 3\nassert n == 3\nsay(f"**{n}**")') == ["hide-input"]
    assert tags('boards = [1]\nnotebook.boards(boards, "x")') == ["hide-input"]
    assert tags('figure("01_calibration")') == []  # one line: nothing to gain
    assert tags("def f():\n    return 1\n\nsay(f())") == []
    assert tags('for n in (3, 4):\n    say(f"{n}")') == ["hide-input"]
    assert tags("rows = f()\nrows.round(3)") == []
    for lines, found in ((site.LONG - 2, []), (site.LONG - 1, ["hide-input"])):  # and two more
        assert tags("n = 3\n" * lines + 'say(f"{n}")\nrows.round(3)') == found
    assert tags("n = 3\n" * site.LONG + "rows.round(3)") == []
    assert tags("# nothing yet\n# but a plan") == []


def test_figures_are_numbered_in_the_order_of_their_notebook() -> None:
    numbers = book_pages.figure_numbers()
    assert set(numbers) == {n for n, e in figures.manifest().items() if e.notebook != "README"}
    assert len(set(numbers.values())) == len(numbers)
    source = (ROOT / "notebooks/04_ising_bias.ipynb").read_text(encoding="utf-8")
    shown = re.findall(r'figure\(\\"(04_\w+)\\"', source)
    assert [numbers[name] for name in shown] == [f"4.{k + 1}" for k in range(len(shown))]


def test_text_names_a_figure_by_its_number_and_leads_to_pages_of_the_book() -> None:
    """In the notebook itself a figure goes by its name, and the pages lie in a folder."""
    text = "(*Figure 04_fit* and *Figure 04_fits*; see [verdicts](book/verdicts.md))"
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [text]}
    found = site.numbered(cell, {"04_fit": "4.6"})["source"]
    linked = "[Figure 4.6](figures/index.md#figure-04-fit)"
    assert found == f"({linked} and *Figure 04_fits*; see [verdicts](verdicts.md))"


def test_every_figure_that_a_text_cell_names_is_one() -> None:
    for path in sorted((ROOT / "notebooks").glob("0*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        named = re.findall(r"\b0\d_[a-z]\w+", re.sub(r"`[^`]*`|\]\([^)]*\)", "", text))
        assert {*named} <= {*figures.manifest()}, path.name
        assert len(named) == len(site.FIGURE.findall(text)), path.name


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
    text = (ROOT / site.PAGES / "references.bib").read_text(encoding="utf-8")
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


def test_the_documents_are_listed_by_their_numbers() -> None:
    """In the order of the file, not by author, since one has none that is known."""
    page, file = ((ROOT / site.PAGES / f"references.{end}").read_text() for end in ("md", "bib"))
    assert ':filter: key % "document"\n:list: enumerated\n:style: unsrt\n' in page
    named = re.findall(r"^@misc\{document(\d),$", file, re.MULTILINE)
    assert named == list(map(str, documents()))


def test_the_example_of_the_page_on_scale_runs() -> None:
    text = (ROOT / site.PAGES / "scale.md").read_text()
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


def test_each_quote_and_reason_is_shown_sign_by_sign(html: Path) -> None:
    """No sign of a command, a board or a program is set as another one."""
    shown = {}
    for path in (html / "claims").glob("document_*.html"):
        text = re.sub(r"<!--.*?-->|<[^>]+>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        shown[path.stem] = " ".join(unescape(text).split())
    for row in claims.load_results():
        for text in (row["quote"], row["published"], our_value(row), row["reason"]):
            words = " ".join(str(text).split())
            found = shown[f"document_{row['document']}"]
            assert words in found or words.replace("`", "") in found, row["id"]


def test_the_books_folder_must_hold_nothing_but_the_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages of somebody else stay as they are; the book's own are replaced."""
    built: list[Path] = []
    monkeypatch.setattr(site, "sphinx", lambda folder, out: built.append(out) or 0)
    monkeypatch.setattr(site, "assemble", lambda folder: None)
    page = tmp_path / "html/index.html"
    page.parent.mkdir()
    page.write_text("mine")
    assert site.main(["--out", str(tmp_path)]) == 2
    assert "is not the book's" in capsys.readouterr().err
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / site.OWN).touch()
    assert site.main(["--out", str(tmp_path)]) == 0
    assert built == [tmp_path]


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
        assert entry.caption.split(".")[0][:20] in text or "*" in entry.caption


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
    assert site.sphinx(source, tmp_path) == 0
    links = Page(tmp_path / "html/06_arena.html").links
    away = [link for link in links if link.startswith("http") and "sphinx" not in link]
    binder = "/v2/gh/someone/ttt/"
    assert bool(address) == any(link.startswith(address) for link in away if address)
    assert bool(address) == any(
        binder in link and "notebooks/06_arena.ipynb" in link for link in away
    )
    assert address or away == []


def test_a_browser_asks_no_page_for_an_icon_that_is_not_there(html: Path) -> None:
    """Without a link to one it asks for favicon.ico at the top of the site."""
    for path in (html / f"{name}.html" for name in names_of_pages(html)):
        head = path.read_text(encoding="utf-8").partition("</head>")[0]
        [icon] = re.findall(r'<link rel="icon" href="([^"]+)"', head)
        assert icon == "data:," or (path.parent / icon).is_file(), path
    drawn = (html / "_static/icon.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"#\w+", drawn)) == {X_COLOUR, O_COLOUR}


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
    """What was found on a tour of the pages: which there are, which are too wide, and axe's say."""

    watched: Watched
    seen: set[str] = field(default_factory=set)
    wide: list[tuple[str, str]] = field(default_factory=list)
    faults: list[tuple[str, str, str, str]] = field(default_factory=list)

    def measure(self, name: str, screen: str) -> None:
        """Compare the page that is open with the window, as it is now."""
        width, window = self.watched.page.evaluate(WIDTHS)
        self.wide += [(name, screen)] if width > window else []
        self.seen.add(name)

    def ask(self, name: str, screen: str, rules: dict[str, Any]) -> None:
        """Ask axe about the page that is open, as it now looks."""
        self.faults += [
            (name, screen, fault["id"], fault["nodes"][0]["html"][:120])
            for fault in self.watched.page.evaluate(ASK, rules)
            if fault["impact"] != "minor"
        ]


def show(page: Any, theme: str, size: dict[str, int]) -> str:
    """Change theme and size of the window; returns their names.  Slides and handouts are light."""
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size(size)
    page.wait_for_function(f"(document.documentElement.dataset.theme ?? '{theme}') === '{theme}'")
    return f"{'phone' if size is PHONE else 'desktop'}, {theme}"


@pytest.fixture(scope="module")
def tour(browser: Any, html: Path) -> Iterator[Tour]:
    """Every page but listings of code, opened once: on a phone, then enlarged and dark."""
    axe = pytest.importorskip("axe_playwright_python.base").AXE_FILE_PATH.read_text()
    context = browser.new_context(viewport=PHONE, color_scheme="light")
    found = Tour(Watched(context, html))
    for name in names_of_pages(html):
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
    assert tour.seen > {*AXE_PAGES, "genindex", "api/ultimate", "_static/lessons/handout_6"}
    assert tour.wide == []
    assert tour.watched.asked == []
    assert tour.watched.errors == []


def test_axe_finds_nothing_serious_or_moderate(tour: Tour) -> None:
    assert tour.faults == []


FITTING = ("claims/index", "mutants", "using", "checked", "exercises/README")
CUT_OFF = """() => [...document.querySelectorAll(
    '.pst-scrollable-table-container, .highlight-bash pre, .highlight-console pre')]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.innerText)"""


def test_tables_and_commands_are_shown_whole_on_a_desktop(browser: Any, html: Path) -> None:
    page = browser.new_page(viewport=DESKTOP)
    for name in FITTING:
        page.goto((html / f"{name}.html").as_uri())
        assert page.evaluate(CUT_OFF) == [], name
    page.close()


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
    assert "published 8577-1381-42, ours win 811/945" in found
    page.click(".ledger-found a >> nth=0")
    row = page.url.partition("#")[2]
    assert "85.77" in page.locator(f"tr:has(#{row})").inner_text()
    assert watched.asked == []


FINISHED = "/finished|did not match/.test(document.querySelector('.search-summary')?.textContent)"


@pytest.mark.parametrize(
    ("text", "ledger", "unmatched"), [("0.647", 1, False), ("75257/77760", 0, True)]
)
def test_search_says_that_nothing_matched_only_where_nothing_did(
    watched: Watched, text: str, ledger: int, unmatched: bool
) -> None:
    """A number is in the ledger alone: no index of words has any."""
    page = watched.open("index.html")
    page.goto((watched.html / "search.html").as_uri() + f"?q={text}")
    page.wait_for_function(FINISHED)
    page.wait_for_function("typeof CLAIMS !== 'undefined'")
    assert page.locator(".ledger-found").count() == ledger
    assert page.get_by_text("did not match any documents").is_visible() is unmatched


def test_the_books_search_finds_what_the_command_finds(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what no row of the ledger has today."""
    empty = claims.load_results()[0] | dict.fromkeys(("quantity", "quote", "published", "ours"), "")
    rows = [
        empty | {"id": f"example-{number}", "reason": said}
        for number, (said, *_) in enumerate(ledger_searches.EXAMPLES)
    ]
    monkeypatch.setattr(claims, "load_results", lambda: rows)
    page = watched.open("claims/index.html")
    page.wait_for_function("typeof CLAIMS !== 'undefined'")
    page.evaluate("rows => void CLAIMS.splice(0, CLAIMS.length, ...rows)", book_pages.claims_data())
    for (_, text, found), row in zip(ledger_searches.EXAMPLES, rows, strict=True):
        page.locator(".ledger-search input").fill(text)
        links = page.locator(".ledger-search li a").evaluate_all(
            "all => all.map(a => a.hash.slice(1))"
        )
        assert links == [one["id"] for one in find(rows, text)], text
        assert (row["id"] in links) is found, text
    assert watched.errors == []


def test_the_ledger_is_filtered(watched: Watched) -> None:
    page = watched.open("claims/index.html")
    box = page.locator(".ledger-search")
    for text in (*ledger_searches.NUMBERS, *dict(ledger_searches.README)):
        box.locator("input").fill(text)
        links = box.locator("li a").evaluate_all("all => all.map(a => a.hash.slice(1))")
        wanted = [row["id"] for row in find(claims.load_results(), text)]
        # The page also takes words that do not stand side by side.
        assert links == wanted if re.search(r"\d", text) else {*links} >= {*wanted}, text
    box.locator("input").fill("")
    box.locator("select").nth(1).select_option("refuted")
    rows = [row for row in claims.load_results() if row["verdict"] == "refuted"]
    assert box.locator("li").count() == len(rows)
    box.locator("select").nth(0).select_option("3")
    assert box.locator("li").count() == sum(row["document"] == 3 for row in rows)
    assert watched.errors == []

"""The computed parts of README.md and data/README.md are today's, and its examples are true."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from ttt_lib import __version__, cli
from ttt_lib.catalog import AGENTS
from ttt_lib.evidence import bench, claims, crate, provenance, readme, store
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game import policy

ROOT = Path(__file__).parents[1]
TEXT = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in readme.PAGES)

# ---------------------------------------------------------------------------- computed parts


@pytest.mark.parametrize("name", readme.BLOCKS)
def test_readme_holds_every_block_once(name: str) -> None:
    assert len(re.findall(f"<!-- {name}:begin -->\n", TEXT)) == 1
    assert len(re.findall(f"<!-- {name}:end -->\n", TEXT)) == 1


def test_readme_is_current() -> None:
    assert readme.refresh(TEXT) == TEXT, "run make reproduce"


def test_readme_quotes_the_ledger() -> None:
    """Checked against the file, past the function that wrote it."""
    block = TEXT.split("<!-- scorecard:begin -->")[1].split("<!-- scorecard:end -->")[0]
    rows = [line.strip("| ").split(" | ") for line in block.strip().splitlines()[2:]]
    stored = claims.load_results()
    for name, *numbers, everything in rows[:-1]:
        mine = [one["verdict"] for one in stored if one["document"] == int(name.split()[0])]
        assert [int(number) for number in numbers] == [mine.count(v) for v in VERDICTS]
        assert int(everything) == len(mine)
    assert int(rows[-1][-1]) == len(stored)


def test_readme_quotes_the_benchmark() -> None:
    block = TEXT.split("<!-- performance:begin -->")[1].split("<!-- performance:end -->")[0]
    ratios = {one["name"]: one["ratio"] for one in bench.read()["rows"]}
    rows = [line.strip("| ").split(" | ") for line in block.strip().splitlines()[2:-2]]
    assert [row[0] for row in rows] == list(readme.QUOTED)
    for name, _, ratio, _ in rows:
        said = float(ratio.removesuffix("×").replace(",", ""))
        assert said == pytest.approx(ratios[name], rel=0.05)


def test_a_changed_number_is_noticed_and_only_blocks_are_touched() -> None:
    text = "before 7\n<!-- scorecard:begin -->\nold\n<!-- scorecard:end -->\nafter 7\n"
    fresh = readme.refresh(text)
    assert fresh.startswith("before 7\n<!-- scorecard:begin -->\n| document |")
    assert fresh.endswith("<!-- scorecard:end -->\nafter 7\n")
    assert readme.refresh(fresh) == fresh
    assert readme.refresh(re.sub(r"\| \d+ \|", "| 999 |", fresh, count=1)) == fresh
    assert readme.refresh("no markers") == "no markers"


def test_a_missing_row_of_the_benchmark_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readme, "QUOTED", ("no such row",))
    with pytest.raises(ValueError, match="no row 'no such row' in the stored benchmark: exact"):
        readme.performance()


def test_a_reference_that_was_not_measured_has_no_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    """As without a C++ compiler."""
    found = bench.read()
    [row] = [one for one in found["rows"] if one["name"] == readme.QUOTED[0]]
    row |= {"reference_rate": None, "ratio": None}
    monkeypatch.setattr(bench, "read", lambda: found)
    told = [line.split(" | ") for line in readme.performance().splitlines()[2:4]]
    assert [cells[2] == "-" for cells in told] == [True, False]


def test_write_leaves_a_project_without_readme_alone(tmp_path: Path) -> None:
    readme.write(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out" / "README.md").exists()
    (tmp_path / "README.md").write_text("text")
    readme.write(tmp_path, tmp_path / "out")
    assert (tmp_path / "out" / "README.md").read_text() == "text"


# ---------------------------------------------------------------------------- data dictionary


def test_data_dictionary_is_current() -> None:
    stored = (store.data_dir() / "README.md").read_text(encoding="utf-8")
    assert stored == readme.dictionary(), "run make reproduce"


@pytest.mark.parametrize("one", store.manifest(), ids=lambda one: one.file)
def test_data_dictionary_tells_of_every_file(one: store.Stored) -> None:
    [entry] = re.findall(
        rf"^## {re.escape(one.file)}\n(.*?)(?=^## |\Z)", readme.dictionary(), re.M | re.S
    )
    for part in (one.about[1:], one.source, one.licence, one.command):
        assert part in entry
    if one.file.endswith(".csv"):
        assert f"`{(store.data_dir() / one.file).read_text().split(',')[0]}`" in entry


# ---------------------------------------------------------------------------- examples

EXAMPLES = re.findall(r"^\$ ttt (.*?)\n(.*?)(?=^\$|^```)", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_examples_print_what_is_shown(
    command: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(shlex.split(command, comments=True)) == 0
    assert capsys.readouterr().out == shown


def test_examples_were_found() -> None:
    assert len(EXAMPLES) >= 2


LINES = re.findall(r"^ttt (.*)$", TEXT.replace("\\\n", ""), re.MULTILINE)


@pytest.mark.parametrize("line", LINES)
def test_commands_are_understood(line: str) -> None:
    """Parsed, not run: some take minutes."""
    arguments = shlex.split(line, comments=True)
    assert cli.parser().parse_args(arguments).run


@pytest.mark.parametrize("path", re.findall(r"^      (\w+(?:\.py|/))  ", TEXT, re.MULTILINE))
def test_the_map_names_what_is_there(path: str) -> None:
    assert (ROOT / "ttt_lib" / path).exists()


def missing(tree: str) -> list[str]:
    """Files and folders that an entry of the map names and that are neither below nor beside it."""
    entries = re.findall(r"^ {4,6}(\S+)  +(.*(?:\n {8,}.*)*)", tree, re.MULTILINE)
    named = re.compile(r"[\w*./]*\w[\w*]*(?:\.[a-z]+\b|/)")
    return [
        name
        for place, told in entries
        for name in named.findall(f"{place} {told}")
        if not any(any(folder.glob(name.rstrip("/"))) for folder in around(place))
    ]


def around(place: str) -> list[Path]:
    """The top, the library, and the folder of an entry with those below."""
    bases = [ROOT, ROOT / "ttt_lib"]
    below = [path for base in bases for path in (base / place, *(base / place).rglob("*"))]
    return [*bases, *(path for path in below if path.is_dir())]


def test_every_file_that_the_map_names_is_there() -> None:
    [tree] = re.findall(r"^    ttt_lib/\n.*?(?=\n\n)", TEXT, re.MULTILINE | re.DOTALL)
    assert missing(tree) == []
    for name in ("table.py", "linear_limits.py", "manifest.toml", "learn/", "find.js"):
        wrong = f"mis{name}"
        assert missing(re.sub(rf"(?<![\w/]){re.escape(name)}", wrong, tree, count=1)) == [wrong]


@pytest.mark.parametrize(
    "package",
    [
        "game",
        "evidence",
        "spectral",
        "ising",
        "ultimate/studies",
        "comparison",
        "people/play",
        "people/grading",
        "people/book",
    ],
)
def test_a_large_package_lists_its_modules(package: str) -> None:
    """A part of a module, such as ``worst_kernels``, goes by that module's name."""
    told = ast.get_docstring(ast.parse((ROOT / "ttt_lib" / package / "__init__.py").read_text()))
    named = set(re.findall(r"``(\w+)``", told or ""))
    modules = {path.stem for path in (ROOT / "ttt_lib" / package).glob("*.py")} - {"__init__"}
    assert len(named) >= 5
    assert named <= modules
    assert {name for name in modules - named if name.partition("_")[0] not in named} == set()


def test_the_readme_says_where_players_and_long_runs_are() -> None:
    """Of every document, by the catalog and by the manifest of stored files."""
    [told] = re.findall(r"Every document's package has.*?(?=\n\n)", TEXT, re.DOTALL)
    assert {"`claims`", "`figures`", "`bench`"} <= set(re.findall(r"`\w+`", told))
    players = modules_told(told, "players")
    runs = modules_told(told, "runs")
    for one in documents().values():
        room = ROOT / "ttt_lib" / one.room
        assert (room / "claims.py").exists()
        assert (room / "figures.py").exists()
        makers = [place for name in one.players for place in factories(name)]
        assert within(one.room, makers) == players.get(one.number, {"players"})
        made = within(one.room, [entry.made_by for entry in provenance.long_runs()])
        assert made in (set(), runs.get(one.number, {"runs"}))  # a document may have none


def modules_told(text: str, usual: str) -> dict[int, set[str]]:
    """What stands in brackets after a usual module: documents that have others, and which."""
    [brackets] = re.findall(rf"`{usual}` \(([^)]*)\)", text)
    parts = re.findall(r"document\s+(\d):\s([^;]*)", brackets)
    return {int(number): set(re.findall(r"`(\w+)/?`", names)) for number, names in parts}


def factories(name: str) -> list[str]:
    """The functions that build an agent."""
    found = AGENTS[name].factory
    return [found] if isinstance(found, str) else list(found.values())


def within(room: str, places: list[str]) -> set[str]:
    """The modules or folders of a room among ``module:function``."""
    parts = [place.partition(":")[0].split(".") for place in places]
    return {names[2] for names in parts if names[1] == room}


def test_files_that_the_readme_names_exist() -> None:
    named = re.findall(r"`((?:data|figures|notebooks|tests)/[\w./]+|[A-Z]+\.\w+)`", TEXT)
    readme_alone = (ROOT / "README.md").read_text(encoding="utf-8")
    named += re.findall(r"\]\(([\w./]+)\)", readme_alone)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_table_of_where_to_look_names_what_is_there() -> None:
    """Files below ``ttt_lib/`` or at the top, and constants in them."""
    [table] = re.findall(r"^\| to \| open.*?(?=\n\n)", TEXT, re.MULTILINE | re.DOTALL)
    files = re.findall(r"`([\w/]+(?:/|\.(?:py|toml|md)))`", table)
    assert len(files) > 9
    assert [
        f for f in files if not (ROOT / f).exists() and not (ROOT / "ttt_lib" / f).exists()
    ] == []
    constants = re.findall(r"`([A-Z]+)` (?:in|of) `([\w/]+\.py)`", table)
    assert [name for name, _ in constants] == ["AGENTS", "GAMES", "SHADES", "PLAYOUTS"]
    assert "`Game` in `game/policy.py`" in table
    assert hasattr(policy, "Game")
    others = [("X_COLOUR", "game/draw.py"), ("C_PUCT", "ultimate/search/tree_search.py")]
    for name, file in [*constants, *others]:
        source = (ROOT / "ttt_lib" / file).read_text(encoding="utf-8")
        assert re.search(rf"^{name}\b.* = ", source, re.MULTILINE)


# ---------------------------------------------------------------------------- credit

SOURCES = ("Hahsler", "Pattern-Driven Spectral Policies", "jdermont", "Rao-mi", "seanp2cmu")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("file", ["README.md", "LICENSE", "CITATION.cff"])
def test_every_source_is_credited(file: str, source: str) -> None:
    assert source in (ROOT / file).read_text(encoding="utf-8")


def test_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited), "what the format requires"
    assert cited["version"] == __version__
    assert len(cited["references"]) == len(documents())
    released = f"## {__version__} - {cited['date-released']}"
    assert released in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_work_has_one_title() -> None:
    """With its subtitle where it is cited or described; the book and ``ttt`` go without."""
    whole = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["title"]
    short, _, _ = whole.partition(":")
    book = ROOT / "notebooks" / "book"
    heads = [path.read_text(encoding="utf-8").splitlines()[0]
             for path in (ROOT / "README.md", book / "index.md")]  # fmt: skip
    assert heads == [f"# {whole}", f"# {short}"]
    assert whole == crate.NAME
    assert yaml.safe_load((ROOT / crate.CODECHECK).read_text())["paper"]["title"] == whole
    assert f'project = "{short}"' in (book / "conf.py").read_text(encoding="utf-8")
    assert cli.parser().description == f"{short}."


def test_licences_agree_wherever_they_are_stated() -> None:
    """Ours in six files, a document's in the table of documents, the citation and LICENSE."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packed = json.loads((ROOT / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    [whole] = [part for part in packed if part["@id"] == "./"]
    code, _, words = project["license"].partition(" AND ")
    assert cited["license"] == code, "a list in this file would let the reader choose"
    assert whole["license"].endswith(f"/{words}")
    assert re.search(rf"- Code [^:]*:\s+the {code} License", text)
    assert "(CC BY 4.0)" in text.partition("- Text, figures and data")[2].partition("\n\n")[0]
    for name, told in {
        "README.md": "Code MIT; text, figures and data CC BY 4.0",
        "CONTRIBUTING.md": "code is under the MIT License, text, figures and data under CC BY 4.0",
        "CITATION.cff": "Code is under the MIT License; text, figures and data are under CC BY 4.0",
    }.items():
        assert told in " ".join((ROOT / name).read_text(encoding="utf-8").split())
    for document, one in zip(documents().values(), cited["references"], strict=True):
        stated = re.sub(r"^CC-(BY(?:-[A-Z]+)*)-", r"CC \1 ", one.get("license", ""))
        assert (stated or one["notes"].partition("; ")[2]) == document.licence

"""Rules of the house: who may import whom, and nothing that nobody uses."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

from ttt_lib.evidence import store
from ttt_lib.evidence.documents import documents

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "ttt_lib"

FLOORS = (
    {"game"},
    {"evidence"},
    {"the_game", *(one.room for one in documents().values())},
    {"catalog"},
    {"comparison"},
    {"people"},
    {"cli"},
    {"__init__", "__main__"},
)
"""From the ground up: a room imports from rooms further down, and from itself."""

UP = {("cli", "__init__"): "the version"}
"""Steps up or sideways that are meant, with the reason."""


TOLD = {"README.md": "Imports go one way",
        "ttt_lib/__init__.py": "From the ground up",
        "ttt_lib/people/book/pages.py": "Imports run one way"}  # fmt: skip
"""Where the floors are told to people, and how the sentence begins."""


@pytest.mark.parametrize(("file", "begins"), TOLD.items())
def test_floors_are_told_from_the_ground_up(file: str, begins: str) -> None:
    told = (ROOT / file).read_text(encoding="utf-8").partition(begins)[2].partition(".\n")[0]
    told = told.replace("the command line", "`cli`")
    rooms = [min(floor) for floor in FLOORS if len(floor) == 1]
    named = re.findall(r"`~?(?:ttt_lib\.)?(\w+)`", told)
    assert [name for name in named if name in rooms] == rooms


ULTIMATE = (
    {"board", "config"},
    {"solver", "network"},
    {"search"},
    {"learn"},
    {"players"},
    {"studies"},
    {"cli", "bench", "claims", "figures"},
)
"""The floors of the largest room, by a part's first word."""


def name_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {name_of(path): path.read_text() for path in LIBRARY.rglob("*.py")}


@cache
def tree_of(module: str) -> ast.Module:
    """A module of the library, parsed."""
    return ast.parse(SOURCES[module])


def trees() -> dict[str, ast.Module]:
    """Every module of the library, parsed."""
    return {name: tree_of(name) for name in SOURCES}


@cache
def nodes(tree: ast.Module) -> list[ast.AST]:
    """All parts of a module."""
    return list(ast.walk(tree))


def room_of(module: str) -> str:
    """The room a module lies in; modules at the top are rooms of their own."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def imported(tree: ast.Module) -> set[str]:
    """The names of the library's modules that a module imports, wherever it does."""
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ttt_lib"):
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in SOURCES else str(node.module) for name in whole}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("ttt_lib")}
    return found


def test_every_room_has_its_floor() -> None:
    rooms = {room_of(name) for name in trees()}
    assert rooms == set().union(*FLOORS)


def test_imports_point_down() -> None:
    floor = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
    wrong = set()
    for name, tree in trees().items():
        for other in imported(tree):
            a, b = room_of(name), room_of(other)
            if a != b and floor[b] >= floor[a] and (a, b) not in UP:
                wrong.add(f"{name} imports {other}")
    assert sorted(wrong) == []


def part_of(module: str) -> str:
    """The first word of a module's part in the largest room: claims for ``claims_network``, too."""
    parts = module.removeprefix("ttt_lib.ultimate").split(".")
    return parts[1].partition("_")[0] if len(parts) > 1 else ""


def test_imports_in_the_largest_room_point_down() -> None:
    floor = {part: level for level, parts in enumerate(ULTIMATE) for part in parts}
    parts = {name: part_of(name) for name in SOURCES if name.startswith("ttt_lib.ultimate.")}
    assert set(parts.values()) == set(floor)
    wrong = {
        f"{name} imports {other}"
        for name, part in parts.items()
        for other in imported(tree_of(name))
        if other in parts and parts[other] != part and floor[parts[other]] >= floor[part]
    }
    assert sorted(wrong) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    """But for the steps up that are meant, and wherever in a file the import stands."""
    graph = {
        name: {o for o in imported(tree) - {name} if (room_of(name), room_of(o)) not in UP}
        for name, tree in trees().items()
    }
    TopologicalSorter(graph).prepare()  # raises a CycleError that names the circle


WRITTEN = re.compile(r"from (ttt_lib[\w.]*) import (\w+(?:, \w+)*)")
"""An import as a line of text: in scripts that are strings, pages, notebooks and exercises too."""


def defined(module: str) -> set[str]:
    """What can be imported from a module: names at its top, and modules of a package."""
    names = {node.id for node in nodes(tree_of(module)) if isinstance(node, ast.Name)}
    names |= {getattr(node, "name", "") for node in tree_of(module).body}
    names |= {a.asname or a.name for n in tree_of(module).body
              if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names}  # fmt: skip
    return names | {name.rpartition(".")[2] for name in SOURCES if name.startswith(f"{module}.")}


@pytest.mark.parametrize("folder", ["tests", "ttt_lib", "notebooks"])
def test_imports_in_texts_can_be_made(folder: str) -> None:
    """A name that moved is moved in strings and in pages, which no type checker reads."""
    found = [
        (path, *written.groups())
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in (".py", ".md", ".ipynb", ".toml") and "_build" not in path.parts
        if path.name != "add_a_document.md"  # a test follows that recipe
        for written in WRITTEN.finditer(path.read_text("utf-8"))
    ]
    assert len(found) > 20
    wrong = [
        f"{path.name}: {module} has no {name}"
        for path, module, names in found
        for name in names.split(", ")
        if module not in SOURCES or name not in defined(module)
    ]
    assert wrong == []


def test_meant_exceptions_are_needed() -> None:
    steps = {
        (room_of(name), room_of(other)) for name, t in trees().items() for other in imported(t)
    }
    assert sorted(set(UP) - steps) == []


def test_the_largest_room_says_what_is_in_it() -> None:
    parts = {part_of(name) for name in SOURCES if name.startswith("ttt_lib.ultimate.")}
    told = set(re.findall(r"``([a-z]+)\w*``", ast.get_docstring(tree_of("ttt_lib.ultimate")) or ""))
    assert {"board", "claims", "players"} <= parts
    assert sorted(parts - told) == []


@pytest.mark.parametrize("part", ["board", "learn", "network", "search", "solver", "studies"])
def test_each_of_its_packages_says_what_is_in_it(part: str) -> None:
    package = f"ttt_lib.ultimate.{part}"
    told = re.findall(r"``(\w+)``", ast.get_docstring(tree_of(package)) or "")
    modules = [name.split(".")[-1] for name in SOURCES if name.startswith(f"{package}.")]
    missing = [m for m in modules if m not in told and m.rsplit("_", 1)[0] not in told]
    assert sorted(missing) == []
    assert sorted(set(told) - set(modules)) == []


@pytest.mark.parametrize("number", list(documents()))
def test_a_room_does_not_name_another_document(number: int) -> None:
    own = documents()[number].room
    others = [one.room for one in documents().values() if one.room != own]
    pattern = re.compile(rf"ttt_lib[./]({'|'.join(others)})\b")
    told = [p for p in (LIBRARY / own).rglob("*.py") if pattern.search(p.read_text())]
    assert told == []


# ---------------------------------------------------------------------------- nothing unused


READ = ("ttt_lib/**/*.js", "notebooks/**/*.ipynb", "notebooks/**/*.md", "notebooks/**/*.py",
        "data/**/*.toml", "figures/*.toml", "*.toml", "README.md")  # fmt: skip


def references(node: ast.AST) -> Counter[str]:
    """How often code uses each name; what a docstring says of it is no use."""
    parts, found = list(ast.walk(node)), Counter[str]()
    told = {id(n.value) for n in parts if isinstance(n, ast.Expr)}
    for inner in parts:
        match inner:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found[name] += 1
            case ast.Constant(value=str(text)) if id(inner) not in told:
                found.update(re.findall(r"\w+", text))
    return found


def mentions() -> Counter[str]:
    """How often each word stands in notebooks, pages and manifests."""
    files = (path for pattern in READ for path in ROOT.glob(pattern) if path.is_file())
    texts = (path.read_text(encoding="utf-8") for path in files if "_build" not in path.parts)
    return Counter(word for text in texts for word in re.findall(r"\w+", text))


def declared(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Functions, classes and constants at the top of a module, except names of Python's own."""
    for node in tree.body:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
            ) if name.strip("_") and not name.startswith("__"):
                yield name, node


def methods(tree: ast.Module, known: set[str]) -> Iterator[tuple[str, ast.stmt]]:
    """What stands in classes on known bases; methods of others may be called by those."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} <= known:
            yield from declared(ast.Module(node.body, []))


def test_nothing_is_used_by_nobody() -> None:
    """Code elsewhere uses it, itself apart; or, unless it is private, a notebook or a manifest."""
    everywhere, outside, dead = Counter[str](), mentions(), set()
    known = {"NamedTuple", "Protocol"}
    for tree in trees().values():
        everywhere.update(references(tree))
        known |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for module, tree in trees().items():
        for name, node in chain(declared(tree), methods(tree, known)):
            used = everywhere[name] - references(node)[name]
            if used + (0 if name.startswith("_") else outside[name]) < 1:
                dead.add(f"{module}.{name}")
    assert sorted(dead) == []


# ---------------------------------------------------------------------------- one of each

ONCE = {
    "best_response": "ttt_lib.game.response",
    "frontier": "ttt_lib.game.response",
    "reachable": "ttt_lib.game.response",
    "worst_result": "ttt_lib.game.response",
    "worst_case": "ttt_lib.game.exact",
    "paths_to": "ttt_lib.game.gametree",
    "wilson": "ttt_lib.game.stats",
    "mean_interval": "ttt_lib.game.stats",
    "exact_values": "ttt_lib.game.exact",
    "outcome_as": "ttt_lib.game.exact",
}
"""Tools of the game that stand once; a room that wants one imports it."""


def test_core_tools_stand_once() -> None:
    places = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in ONCE:
                places[node.name].append(name)
    assert places == {tool: [place] for tool, place in ONCE.items()}


CHANGED_IN_PLACE = {
    "ttt_lib.game.budget.Meter", "ttt_lib.evidence.dependencies.Module",
    "ttt_lib.ultimate.search.hybrid.Hybrid", "ttt_lib.ultimate.studies.plain_search.Node",
}  # fmt: skip
"""A running count, a collection, the table of one game, the statistics of a node."""


def test_text_is_read_and_written_as_utf_8() -> None:
    """Whatever the encoding of the reader's machine."""
    calls = [
        (module, node)
        for module, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    texts = [
        (module, call)
        for module, call in calls
        if call.func.attr in ("read_text", "write_text")
        or (call.func.attr == "open" and not _binary(call))
    ]
    assert len(texts) > 20
    assert [(m, c.lineno) for m, c in texts if "encoding" not in {k.arg for k in c.keywords}] == []


def _binary(call: ast.Call) -> bool:
    """Whether it opens no text: bytes, a file of the system's, or an archive."""
    modes = [part.value for part in call.args if isinstance(part, ast.Constant)]
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    whose = owner.id if isinstance(owner, ast.Name) else ""
    return whose in ("os", "webbrowser", "tarfile") or any("b" in str(mode) for mode in modes)


def test_dataclasses_are_frozen_but_for_a_few() -> None:
    loose = {
        f"{module}.{node.name}"
        for module, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    }
    assert loose == CHANGED_IN_PLACE


# ---------------------------------------------------------------------------- random numbers

NAMED_BY_SEED = {
    "playout_mlp.data.split_games", "playout_mlp.data.split_rows", "playout_mlp.model.train",
    "playout_mlp.model.train_regressor", "spectral.alternatives.train_network",
    "spectral.claims._held_out", "spectral.runs.moved_model", "spectral.seeded_replay.picks",
}  # fmt: skip
"""What draws from a ``seed``: trainings, splits and runs, which that number names."""

DRAWS = re.compile(r"\b(default_rng|SeedSequence|Random|random_state)[(=]seed\b")


def test_what_draws_takes_its_random_numbers_as_rng() -> None:
    functions = {
        f"{module.removeprefix('ttt_lib.')}.{node.name}": node
        for module, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.FunctionDef) and "seed" in arguments(node)
    }
    assert {n for n, f in functions.items() if DRAWS.search(ast.unparse(f))} == NAMED_BY_SEED


# ---------------------------------------------------------------------------- kernels

SECTION = "Arguments of the kernels\n---"
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)
DTYPE = re.compile(r"u?int(8|16|32|64)|float(32|64)|bool|Generator")
AS_IN = re.compile(r"arguments are those of :func:`([\w.]+)\.(\w+)`")


@cache
def kernels(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """A module's compiled functions, wherever they are defined."""
    functions = (node for node in nodes(tree) if isinstance(node, ast.FunctionDef))
    return {f.name: f for f in functions if any("njit" in ast.unparse(d) for d in f.decorator_list)}


def arguments(kernel: ast.FunctionDef) -> set[str]:
    return {arg.arg for arg in ast.walk(kernel.args) if isinstance(arg, ast.arg)}


@cache
def named_tuples() -> set[str]:
    classes = (c for tree in trees().values() for c in nodes(tree) if isinstance(c, ast.ClassDef))
    return {c.name for c in classes if "NamedTuple" in map(ast.unparse, c.bases)}


def typed(text: str) -> set[str]:
    """Names in lines such as ``cell, side : int64`` that tell a dtype or a named tuple."""
    return {
        name
        for names, kind in ENTRY.findall(text)
        if any(DTYPE.fullmatch(word) or word in named_tuples() for word in re.findall(r"\w+", kind))
        for name in names.split(", ")
    }


def section(module: str) -> str:
    """A module's list of its kernels' arguments, the last part of its docstring."""
    return (ast.get_docstring(tree_of(module)) or "").partition(SECTION)[2]


def listed(module: str) -> set[str]:
    """Arguments that a module's list describes, or the lists it refers to."""
    others = re.findall(r":mod:`([\w.]+)`", section(module))
    return typed(section(module)).union(*map(listed, others))


def parameters(kernel: ast.FunctionDef) -> str:
    return (ast.get_docstring(kernel) or "").partition("Returns\n---")[0]


def without_type(module: str, kernel: ast.FunctionDef) -> set[str]:
    """Arguments of a kernel that are neither annotated nor described."""
    bare = {
        arg.arg for arg in ast.walk(kernel.args) if isinstance(arg, ast.arg) and not arg.annotation
    }
    missing = bare - typed(parameters(kernel)) - listed(module)
    for other, name in AS_IN.findall(parameters(kernel)):
        same = kernels(tree_of(other))[name]
        missing -= arguments(same) - without_type(other, same)
    return missing


KERNELS = [(m, k) for m, text in SOURCES.items() if "njit" in text for k in kernels(tree_of(m))]


@pytest.mark.parametrize(("module", "name"), KERNELS, ids=[f"{m[8:]}.{k}" for m, k in KERNELS])
def test_every_argument_of_a_kernel_has_a_type(module: str, name: str) -> None:
    assert sorted(without_type(module, kernels(tree_of(module))[name])) == []


def test_no_type_is_told_of_an_argument_that_is_gone() -> None:
    """Of a kernel's own docstring, and of a module's list."""
    gone = set()
    for module, tree in trees().items():
        found = kernels(tree).values()
        gone |= {
            (module, name) for name in typed(section(module)).difference(*map(arguments, found))
        }
        gone |= {(k.name, name) for k in found for name in typed(parameters(k)) - arguments(k)}
    assert sorted(gone) == []


# ---------------------------------------------------------------------------- stored files


@pytest.mark.parametrize("entry", store.manifest(), ids=lambda entry: entry.file)
def test_a_stored_file_says_what_makes_it(entry: store.Stored) -> None:
    """``data/ising_law.csv`` is made by a function ``make_law`` in its document's room."""
    module, _, function = entry.made_by.partition(":")
    room = module.split(".")[1]
    stem, kind = entry.file.removeprefix(f"{PREFIXES.get(room, room)}_").split(".", 1)
    known = {f"make_{stem}", f"make_{stem}_{kind}", f"make_{kind.removesuffix('.json')}"}
    assert function in known


PREFIXES = {"comparison": "arena"}
"""Where the files of a room don't begin with the room's name."""


# ---------------------------------------------------------------------------- order of rows


def notebook_trees() -> Iterator[tuple[str, ast.Module]]:
    """The code of every notebook that is stored, cell by cell."""
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield from ((path.stem, ast.parse(code)) for code in codes if "%" not in code[:1])


def leaves_ties_open(call: ast.Call) -> bool:
    """Whether a ``sort_values`` is by one key and not stable."""
    keys = call.args[0] if call.args else None
    several = isinstance(keys, ast.List | ast.Tuple) and len(keys.elts) > 1
    stable = any(isinstance(k.value, ast.Constant) and k.value.value == "stable"
                 for k in call.keywords if k.arg == "kind")  # fmt: skip
    return not (several or stable)


def test_rows_of_equal_keys_keep_their_order() -> None:
    """A fast sort leaves ties in an order of the processor's vector instructions."""
    found = [
        f"{name}: {ast.unparse(node)}"
        for name, tree in [*trees().items(), *notebook_trees()]
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sort_values"
        and leaves_ties_open(node)
    ]
    assert found == []

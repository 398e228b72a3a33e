"""What nbval does not see: rules for a stored notebook, each a function of the parsed file.

nbval passes a cell that never ran and ignores a mistyped marker.  Each rule here
takes the notebook as a mapping (parsed JSON) and returns its complaints, an empty list when all is
well.  `CHECKS` lists them all.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Notebook = Mapping[str, Any]
Cell = Mapping[str, Any]
Check = Callable[[Notebook], list[str]]

# nbval also knows NBVAL_RAISES_EXCEPTION, but a run that stops there can't be reproduced.
MARKERS = frozenset({"# NBVAL_IGNORE_OUTPUT", "# NBVAL_CHECK_OUTPUT", "# NBVAL_SKIP"})
ALLOWED_MAGICS: frozenset[str] = frozenset()
MAX_CELL_LINES = 40
MIN_WORDS_PER_LINE = 10
MAX_FIRST_NAMES = 10
MAX_BYTES = 3_000_000
HIDDEN = "remove-cell"
"""The tag of a cell that the book leaves out."""

MARKER_LIKE = re.compile(r"nbval|pytest_validate", re.IGNORECASE)
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{4,}")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/])/(?:home|Users|root|tmp|private|var|usr|opt|mnt|media|srv|work\w*)/[\w.-]+"
    r"|\b[A-Z]:\\\\?\w+"
)
WORD = re.compile(r"[^\W\d_][\w'’-]*")
NOT_PROSE = re.compile(r"```.*?```|\$\$.*?\$\$|\]\([^)]*\)|<[^>]+>", re.DOTALL)


# ---------------------------------------------------------------------------- reading


def text(value: str | list[str]) -> str:
    """Join a notebook's multi-line string, which JSON stores whole or as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def code_cells(notebook: Notebook) -> list[tuple[int, Cell]]:
    """List the code cells that hold code, each with its place in the notebook, counted from 1."""
    return [
        (place, cell)
        for place, cell in enumerate(notebook["cells"], start=1)
        if cell["cell_type"] == "code" and text(cell["source"]).strip()
    ]


def outputs(notebook: Notebook) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every stored output with the place of its cell."""
    for place, cell in code_cells(notebook):
        for output in cell["outputs"]:
            yield place, output


def output_texts(output: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an output shows as text: a stream, or data of any textual type."""
    if "text" in output:
        yield text(output["text"])
    for kind, value in output.get("data", {}).items():
        if kind not in ("image/png", "image/jpeg"):
            yield text(value) if isinstance(value, str | list) else json.dumps(value)


def code_lines(source: str) -> list[str]:
    """List the lines of code: neither blank nor a comment."""
    return [
        line for line in source.splitlines() if line.strip() and not line.strip().startswith("#")
    ]


def parse(source: str) -> ast.Module | None:
    """Parse a cell's source; None where it is not plain Python."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


# ---------------------------------------------------------------------------- running


def executed_in_order(notebook: Notebook) -> list[str]:
    """Every code cell ran once, from top to bottom, in a fresh kernel."""
    return [
        f"cell {place}: execution count {cell['execution_count']}, should be {expected}"
        for expected, (place, cell) in enumerate(code_cells(notebook), start=1)
        if cell["execution_count"] != expected
    ]


def outputs_stored(notebook: Notebook) -> list[str]:
    """A cell that ends in a value, or prints, has an output."""
    return [
        f"cell {place}: shows something, but no output is stored (a call for its effect: `_ = ...`)"
        for place, cell in code_cells(notebook)
        if shows(text(cell["source"])) and not cell["outputs"]
    ]


def sentences_filled_in(notebook: Notebook) -> list[str]:
    """No sentence that code shows has a brace outside code and mathematics: an f is missing."""
    said = [
        (place, re.sub(r"`[^`]*`|\$[^$]*\$", "", text(output["data"]["text/markdown"])))
        for place, output in outputs(notebook)
        if "text/markdown" in output.get("data", {})
    ]
    return [
        f"cell {place}: the output shows {found!r}"
        for place, shown in said
        for found in re.findall(r"\{[^{}]*\}?", shown)
    ]


def shows(source: str) -> bool:
    """Tell whether a cell ends in an expression, or prints outside a definition."""
    tree = parse(source)
    if tree is None or not tree.body:
        return False
    return isinstance(tree.body[-1], ast.Expr) or any(map(prints, tree.body))


def prints(node: ast.AST) -> bool:
    """Tell whether running this statement calls ``print``; defining a function that does is not."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        return True
    return any(map(prints, ast.iter_child_nodes(node)))


def no_errors(notebook: Notebook) -> list[str]:
    """No cell ended in an exception: a notebook that shows one catches it."""
    return [
        f"cell {place}: {output['ename']}: {output['evalue']}"
        for place, output in outputs(notebook)
        if output["output_type"] == "error"
    ]


def no_stderr(notebook: Notebook) -> list[str]:
    """No warnings, no progress bars."""
    return [
        f"cell {place}: writes to stderr: {text(output['text'])[:60]!r}"
        for place, output in outputs(notebook)
        if output.get("name") == "stderr"
    ]


# ---------------------------------------------------------------------------- repeating


def known_markers(notebook: Notebook) -> list[str]:
    """Whatever looks like an nbval marker is one: nbval ignores the others without a word."""
    lines = [
        (place, line)
        for place, cell in code_cells(notebook)
        for line in text(cell["source"]).splitlines()
        if MARKER_LIKE.search(line) and line not in MARKERS
    ]
    tags = [
        (place, tag)
        for place, cell in code_cells(notebook)
        for tag in cell.get("metadata", {}).get("tags", [])
        if MARKER_LIKE.search(tag)
    ]
    return [f"cell {place}: {found!r} is not a marker line" for place, found in lines + tags]


def no_magics(notebook: Notebook) -> list[str]:
    """Cells are plain Python: an unknown magic passes in nbval even when it fails."""
    return [
        f"cell {place}: not plain Python; allowed magics: {', '.join(ALLOWED_MAGICS) or 'none'}"
        for place, cell in code_cells(notebook)
        if parse(without_allowed_magics(text(cell["source"]))) is None
        or "get_ipython" in text(cell["source"])
    ]


def without_allowed_magics(source: str) -> str:
    """Drop the lines that are an allowed magic."""
    lines = source.splitlines()
    return "\n".join(line for line in lines if (line.split() or [""])[0] not in ALLOWED_MAGICS)


def no_addresses(notebook: Notebook) -> list[str]:
    """No output holds a memory address, which differs from run to run."""
    return [
        f"cell {place}: output holds a memory address: {found.group()!r}"
        for place, output in outputs(notebook)
        for shown in output_texts(output)
        if (found := ADDRESS.search(shown))
    ]


def no_machine_paths(notebook: Notebook) -> list[str]:
    """Neither text, code nor outputs name a place on somebody's machine."""
    sources = [
        (place, text(cell["source"])) for place, cell in enumerate(notebook["cells"], start=1)
    ]
    shown = [(place, part) for place, output in outputs(notebook) for part in output_texts(output)]
    return [
        f"cell {place}: names a path of one machine: {found.group()!r}"
        for place, part in sources + shown
        if (found := MACHINE_PATH.search(part))
    ]


def stable_metadata(notebook: Notebook) -> list[str]:
    """The kernel is python3, no patch version of Python shows, and every cell has an id."""
    metadata = notebook["metadata"]
    ids = [cell.get("id") for cell in notebook["cells"]]
    complaints = {
        "the kernel should be python3": metadata.get("kernelspec", {}).get("name") != "python3",
        "language_info should be the name alone": metadata.get("language_info")
        != {"name": "python"},
        "widget state is stored": "widgets" in metadata,
        "cell ids are missing or repeat": None in ids or len(set(ids)) < len(ids),
    }
    return [complaint for complaint, wrong in complaints.items() if wrong]


# ---------------------------------------------------------------------------- reading well


def starts_with_title(notebook: Notebook) -> list[str]:
    """The first cell is text and opens with the title."""
    first = notebook["cells"][0] if notebook["cells"] else {"cell_type": "none", "source": ""}
    if first["cell_type"] == "markdown" and text(first["source"]).startswith("# "):
        return []
    return ["the first cell should open with a title: # ..."]


def short_cells(notebook: Notebook) -> list[str]:
    """No code cell is longer than a screen."""
    return [
        f"cell {place}: {lines} lines, at most {MAX_CELL_LINES}"
        for place, cell in code_cells(notebook)
        if (lines := len(text(cell["source"]).splitlines())) > MAX_CELL_LINES
    ]


def few_first_names(notebook: Notebook) -> list[str]:
    """The first code cell imports what a reader can remember; the rest comes where it is used."""
    first = next((text(cell["source"]) for _, cell in code_cells(notebook)), "")
    tree = parse(first) or ast.Module([], [])
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = sum(len(node.names) for node in imports)
    if names <= MAX_FIRST_NAMES:
        return []
    return [f"the first code cell imports {names} names, at most {MAX_FIRST_NAMES}"]


def enough_prose(notebook: Notebook) -> list[str]:
    """The notebook explains: so many written words for each line of code one sees."""
    seen = [cell for _, cell in code_cells(notebook) if not hidden(cell)]
    prose = [text(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    words = sum(len(WORD.findall(NOT_PROSE.sub(" ", part))) for part in prose)
    lines = sum(len(code_lines(text(cell["source"]))) for cell in seen)
    if words >= MIN_WORDS_PER_LINE * lines:
        return []
    return [f"{words} words for {lines} lines of code, at least {MIN_WORDS_PER_LINE} a line"]


def hidden(cell: Cell) -> bool:
    """Tell whether the book leaves a cell out."""
    return HIDDEN in cell.get("metadata", {}).get("tags", [])


def hidden_cells_only_check(notebook: Notebook) -> list[str]:
    """A cell that no reader sees asserts, and prints nothing; no later cell needs a name of it."""
    cells = list(code_cells(notebook))
    return [
        f"cell {place}: hidden, and more than assertions"
        for number, (place, cell) in enumerate(cells)
        if hidden(cell)
        and (cell["outputs"] or not only_checks(cell) or bound(cell) & needed(cells[number + 1 :]))
    ]


def only_checks(cell: Cell) -> bool:
    """Tell whether a cell asserts, with nothing but names and loops to help it."""
    body = getattr(parse(text(cell["source"])), "body", [])
    helps = ast.Assert | ast.Assign | ast.For | ast.ImportFrom
    asserts = any(isinstance(node, ast.Assert) for part in body for node in ast.walk(part))
    return asserts and all(isinstance(node, helps) for node in body)


def bound(cell: Cell) -> set[str]:
    """The names that a cell binds."""
    nodes = list(ast.walk(parse(text(cell["source"])) or ast.Module([], [])))
    imported = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return imported | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def needed(cells: Iterable[tuple[int, Cell]]) -> set[str]:
    """The names that visible cells read and don't bind themselves."""
    wanted: set[str] = set()
    for _, cell in reversed([pair for pair in cells if not hidden(pair[1])]):
        nodes = ast.walk(parse(text(cell["source"])) or ast.Module([], []))
        read = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)}
        wanted = (wanted | read) - bound(cell)
    return wanted


def small(notebook: Notebook) -> list[str]:
    """The stored notebook opens quickly, also in a browser."""
    size = len(json.dumps(notebook))
    return [f"{size} bytes, at most {MAX_BYTES}"] if size > MAX_BYTES else []


CHECKS: tuple[Check, ...] = (
    executed_in_order,
    outputs_stored,
    no_errors,
    no_stderr,
    sentences_filled_in,
    known_markers,
    no_magics,
    no_addresses,
    no_machine_paths,
    stable_metadata,
    starts_with_title,
    short_cells,
    few_first_names,
    enough_prose,
    hidden_cells_only_check,
    small,
)

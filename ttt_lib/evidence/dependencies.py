"""Dependencies of a function: every definition of the library that it can reach by name.

A definition is a function, class or constant at the top of a module.  It is compared without
docstrings, annotations, comments and layout, and without the names of modules, of definitions and
of local variables, so that moving and renaming change nothing.  What is imported from other
libraries counts by its name there.  Names in strings such as
``"ttt_lib.game.board:Grid"`` count, and so do names of stored files, with ``{...}`` in them too.

What this can't see: a method renamed on its own looks like another one; a function that is only
ever found by a name computed at run time is missed.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

PACKAGE = "ttt_lib"
SPELLED = re.compile(rf"{PACKAGE}(?:\.\w+)+:\w+")
NAMED = re.compile(r"[a-z]\w{3}.*\\?\.")
"""A pattern that names a file: letters first, an ending last."""

MASK = "definition"
"""What stands for the name of a definition of the library."""

Key = tuple[str, str]
"""Module and name; a name ``"*"`` is all of a module."""


@dataclass
class Module:
    """The top level of a parsed module.

    Attributes
    ----------
    definitions : dict
        Statements that define each name.
    imports : dict
        What a local name stands for: a module and, unless it is a module itself, a name in it.
    loose : list
        Other statements, which run whenever the module is used.
    """

    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    loose: list[ast.stmt] = field(default_factory=list)


@dataclass(frozen=True)
class Definition:
    """A definition as it is compared: its text, what it refers to, strings that may name files."""

    text: str
    refers: tuple[Key, ...]
    strings: frozenset[str]


# ---------------------------------------------------------------------------- modules


def path_of(module: str) -> Path | None:
    """The file of a module of the library; None if there is none."""
    root = Path(__file__).resolve().parents[1].parent
    base = root.joinpath(*module.split("."))
    found = [path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()]
    return found[0] if found else None


@cache
def module(name: str) -> Module:
    """Parse a module of the library; an empty one if there is none of that name."""
    path = path_of(name) if name.split(".")[0] == PACKAGE else None
    return parse(name, path.read_text(encoding="utf-8")) if path else Module()


def parse(name: str, source: str) -> Module:
    """Sort the statements of a module's source."""
    tree, found = ast.parse(source), Module()
    for node in _import_statements(tree, source):
        found.imports |= dict(_imported(name, node))
    for statement in tree.body[ast.get_docstring(tree) is not None :]:
        names = list(_defined(statement))
        for one in names:
            found.definitions.setdefault(one, []).append(statement)
        if not names and not isinstance(statement, ast.Import | ast.ImportFrom):
            found.loose.append(statement)
    return found


def _import_statements(tree: ast.Module, source: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those at the top level and nested ones; statements without the word are not searched."""
    lines = source.split("\n")
    for statement in tree.body:
        if any("import" in line for line in lines[statement.lineno - 1 : statement.end_lineno]):
            for node in ast.walk(statement):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield node


def _imported(
    here: str, node: ast.Import | ast.ImportFrom
) -> Iterator[tuple[str, tuple[str, str | None]]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            place = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or place, (place, None)
    else:
        base = node.module or ""
        if node.level:
            base = ".".join([*here.split(".")[: -node.level], *filter(None, [base])])
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            is_module = base.split(".")[0] == PACKAGE and path_of(whole) is not None
            yield alias.asname or alias.name, (whole, None) if is_module else (base, alias.name)


def _defined(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
            yield statement.name
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.If() | ast.Try():
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id
                elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                    yield node.name


# ---------------------------------------------------------------------------- one definition


def resolve(place: str, name: str) -> Key | None:
    """Where a name of a module is defined within the library; None for anything else."""
    here = module(place)
    if name in here.definitions:
        return place, name
    there, inner = here.imports.get(name, ("", None))
    if there.split(".")[0] != PACKAGE:
        return None
    return (there, "*") if inner is None else resolve(there, inner)


class _Normal(ast.NodeTransformer):
    """Drop what doesn't compute; mask what only names."""

    def __init__(self, place: str) -> None:
        self.place, self.refers, self.strings = place, list[Key](), set[str]()
        self.known = dict[str, str]()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Mask its local variables within it only: elsewhere the name may be a definition's."""
        node.returns = None
        outer, names = self.known, dict.fromkeys([*self.known, *_locals(node)])
        self.known = {name: f"v{number}" for number, name in enumerate(names)}
        bare = self._bare(node)
        self.known = outer
        return bare

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._bare(node)

    def _bare(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """Keep it, unless it only imports for annotations."""
        typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if typing else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if text else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.known:
            return ast.Name(self.known[node.id], node.ctx)
        key = resolve(self.place, node.id)
        if key is None and (outside := module(self.place).imports.get(node.id)):
            return ast.Name(".".join(filter(None, outside)), node.ctx)
        return self._masked(key, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = self._module(node.value)
        if owner is None:
            return self.generic_visit(node)
        return self._masked(resolve(owner, node.attr) or (owner, "*"), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            if SPELLED.fullmatch(node.value):
                place, _, name = node.value.partition(":")
                return self._masked(resolve(place, name), node)
            self.strings.add(re.sub(r"\\\{\w*\\\}", ".*", re.escape(node.value)))
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.strings.add(
            "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*"
                for part in node.values
            )
        )
        return self.generic_visit(node)

    def _module(self, node: ast.expr) -> str | None:
        """The module of the library that an expression such as ``package.module`` names."""
        match node:
            case ast.Name(id=name) if name not in self.known:
                key = resolve(self.place, name)
                return key[0] if key and key[1] == "*" else None
            case ast.Attribute(value=value, attr=attr):
                owner = self._module(value)
                whole = f"{owner}.{attr}"
                return whole if owner and path_of(whole) else None
        return None

    def _masked(self, key: Key | None, node: ast.expr) -> ast.AST:
        if key is None:
            return node
        self.refers.append(key)
        return ast.Name(MASK, ast.Load())


def _locals(function: ast.FunctionDef) -> list[str]:
    """Names that a function and those within it give values to, in order; no parameters."""
    nodes = list(ast.walk(function))
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return [name for name in dict.fromkeys(stored) if name not in parameters]


@cache
def _compared(place: str, statement: ast.stmt) -> Definition:
    """A statement of a module as it is compared; its text is empty if it computes nothing."""
    copied = ast.parse(ast.unparse(statement)).body[0]
    normal = _Normal(place)
    if isinstance(copied, ast.FunctionDef | ast.ClassDef):
        copied.name = MASK
    kept = normal.visit(copied)
    text = ast.dump(kept) if kept else ""
    return Definition(text, tuple(normal.refers), frozenset(normal.strings))


def _rank(statement: ast.stmt, name: str) -> str:
    """Which of the names that a statement defines this one is; empty if it defines one alone."""
    names = list(dict.fromkeys(_defined(statement)))
    return str(names.index(name)) if len(names) > 1 and name in names else ""


@cache
def definition(key: Key) -> Definition:
    """A definition as it is compared; of ``"*"`` the loose statements, referring to all others."""
    place, name = key
    here = module(place)
    statements = here.loose if name == "*" else [*here.definitions.get(name, []), *here.loose]
    parts = [_compared(place, statement) for statement in statements]
    ranks = [_rank(statement, name) for statement in statements]
    refers = [other for part in parts for other in part.refers]
    if name == "*":
        refers += [(place, other) for other in here.definitions]
    return Definition(
        "\n".join(rank + it.text for rank, it in zip(ranks, parts, strict=True) if it.text),
        tuple(other for other in refers if other != key),
        frozenset().union(*(part.strings for part in parts)),
    )


# ---------------------------------------------------------------------------- all dependencies


def digest(parts: Iterable[str]) -> str:
    """A short fingerprint of texts, in this order."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def reached(start: Key) -> frozenset[Key]:
    """All definitions that one depends on, itself included."""
    found, waiting = {start}, [start]
    while waiting:
        fresh = set(definition(waiting.pop()).refers) - found
        found |= fresh
        waiting += fresh
    return frozenset(found)


@cache
def _own(key: Key) -> str:
    """A definition's fingerprint with those of what it refers to, one step deep."""
    it = definition(key)
    return digest([it.text, *(digest([definition(k).text]) for k in it.refers)])


@dataclass(frozen=True)
class Dependencies:
    """What a function depends on: definitions and stored files.

    Attributes
    ----------
    code : str
        Fingerprint of all definitions.
    modules : dict
        Fingerprint of the definitions of each module that are among them.
    files : tuple of str
        Stored files that it may read.
    """

    code: str
    modules: dict[str, str]
    files: tuple[str, ...]


def dependencies(name: str, files: Sequence[str] = ()) -> Dependencies:
    """What a function ``"module:function"`` depends on; ``files`` are those it might read.

    Raises
    ------
    ValueError
        If the library has no such function.
    """
    place, _, function = name.partition(":")
    start = resolve(place, function)
    if start is None:
        raise ValueError(f"no definition {name!r} in the library")
    keys = reached(start)
    by_module: dict[str, list[str]] = {}
    for key in keys:
        by_module.setdefault(key[0], []).append(_own(key))
    strings = frozenset().union(*(definition(key).strings for key in keys))
    patterns = [re.compile(text) for text in strings if NAMED.match(text)]
    return Dependencies(
        digest(sorted(map(_own, keys))),
        {place: digest(sorted(found)) for place, found in sorted(by_module.items())},
        tuple(file for file in files if any(p.fullmatch(file) for p in patterns)),
    )

"""What locked cells define, kept for further checks, whatever other cells do to it.

It lives in the kernel that runs a submission (:mod:`ttt_lib.people.grading.execution`), which calls
:meth:`LockedNames.keep` after every cell.
"""

from __future__ import annotations

import builtins
import re
import types
import warnings
from collections.abc import Callable, Collection
from copy import deepcopy
from symtable import SymbolTable, symtable
from typing import Any

MAGIC = re.compile(r"^[^\S\n]*(?:(?:\w[\w., ]*=[^\S\n]*)?[%!?].*|[\w.]+\?+[^\S\n]*)$", re.MULTILINE)
"""A line for the notebook's own program, which is no Python: ``%time``, ``x = !ls``, ``rows?``."""


BUILT_IN = {name for name in dir(builtins) if not name.startswith("_")}
"""Names of Python's own, which a notebook may give another meaning, as in ``sum = 0``."""


class LockedNames:
    """The names of locked cells.

    Parameters
    ----------
    space : dict
        The names of the notebook.
    locked : collection of str
        Sources of the locked cells.
    """

    def __init__(self, space: dict[str, Any], locked: Collection[str]) -> None:
        self.space, self.locked = space, locked
        self.defined: dict[str, Any] = {}
        self.as_left: dict[str, Any] = {}
        self.taken = set[str]()

    def keep(self, result: Any) -> None:
        """Remember names if the cell that has run is locked (IPython's event *post_run_cell*)."""
        source = result.info.raw_cell
        if source in self.locked:
            names = [name for name in bound(source) if name in self.space]
            self.defined |= {name: _copied(self.space[name]) for name in names}
            self.as_left = {name: self.space[name] for name in self.defined if name in self.space}
            self.taken = BUILT_IN & self.space.keys()

    def check(self, check: Callable[[], Any]) -> Any:
        """What a further check returns, seeing the names as locked cells have defined them.

        Answers see them as the last visible check did: an answer may have redefined one for itself.
        So with Python's own names, ``sum`` for example; the check itself sees all of these.
        """
        self.space.update(self.as_left)
        later = {name: self.space.pop(name) for name in BUILT_IN & self.space.keys() - self.taken}
        own = {name: getattr(builtins, name) for name in self.taken}
        try:
            return types.FunctionType(check.__code__, self.space | own | self.defined)()
        finally:
            self.space.update(later)


def _copied(value: Any) -> Any:
    """A copy that no answer can change; what can't be copied, such as a module, is itself."""
    try:
        return deepcopy(value)
    except (TypeError, RuntimeError):
        return value


def bound(source: str) -> list[str]:
    """The names that a cell defines in Python; none if, magics aside, it is more than that."""
    found = [one for table in _tables(source)[:1] for one in table.get_symbols()]
    return [one.get_name() for one in found if one.is_assigned() or one.is_imported()]


def used(source: str) -> set[str]:
    """The names of the notebook that a cell uses, also within functions; none as :func:`bound`."""
    found = [one for table in _tables(source) for one in table.get_symbols()]
    return {one.get_name() for one in found if one.is_referenced() and one.is_global()}


def _tables(source: str) -> list[SymbolTable]:
    """The names of a cell, and of all functions in it, outermost first; none if it's no Python."""
    # A line of Python may begin with %, too.
    found = _table(source) or _table(MAGIC.sub("", source))
    for table in found:  # grows meanwhile
        found += table.get_children()
    return found


def _table(source: str) -> list[SymbolTable]:
    """The names of a cell outside of functions; none if it is no Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return [symtable(source, "cell", "exec")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []

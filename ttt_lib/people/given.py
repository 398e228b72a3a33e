"""What locked cells define, kept for further checks against cells that rebind a name.

It lives in the kernel that runs a submission (:mod:`ttt_lib.people.execution`), which calls
:meth:`Given.keep` after every cell.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection
from symtable import symtable
from typing import Any


class Given:
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
        self.first: dict[str, Any] = {}
        self.last: dict[str, Any] = {}

    def keep(self, result: Any) -> None:
        """Remember names if the cell that has run is locked (IPython's event *post_run_cell*)."""
        source = result.info.raw_cell
        if source in self.locked:
            names = [name for name in bound(source) if name in self.space]
            self.first |= {name: self.space[name] for name in names}
            self.last = {name: self.space[name] for name in self.first if name in self.space}

    def check(self, check: Callable[[], Any]) -> Any:
        """What a further check returns, seeing the names as locked cells have defined them.

        Answers see them as the last visible check did: an answer may have redefined one for itself.
        """
        self.space.update(self.last)
        seen = {**self.space, **self.first, "globals": lambda: self.space}
        return types.FunctionType(check.__code__, seen)()


def bound(source: str) -> list[str]:
    """The names that a cell defines; none if it is more than Python (a magic of IPython)."""
    try:
        found = symtable(source, "cell", "exec").get_symbols()
    except SyntaxError:
        return []
    return [one.get_name() for one in found if one.is_assigned() or one.is_imported()]

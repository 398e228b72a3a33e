"""Repair a submission before it is graded: cells copied, split, merged, moved, stripped or deleted.

What was repaired is reported in words that a student knows.  nbgrader itself refuses a notebook in
which a ``grade_id`` occurs twice, with a message about something else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Any

from nbgrader.utils import is_grade, is_solution

DEFINED = re.compile(r"^(?:def|class) +(\w+)|^(\w+) *=(?!=)", re.MULTILINE)
"""A name that a cell defines; cells that don't parse may define some, too."""


def repair(notebook: Any, released: Any) -> list[str]:
    """Put back, in place, what nbgrader needs and a student's program or hand has changed.

    Parameters
    ----------
    notebook, released : NotebookNode
        What came back, and what was handed out.

    Returns
    -------
    list of str
        What a student should know of it.
    """
    wanted = by_grade_id(released)
    said = list(_with_metadata(notebook, wanted))
    _fresh_ids(notebook)
    said += _single(notebook, wanted)
    said += _changed(notebook, wanted)
    return said + _complete(notebook, wanted, _unused(notebook, wanted))


def grade_id(cell: Any) -> str:
    """The name that nbgrader knows a cell by, or nothing."""
    found = cell.get("metadata", {}).get("nbgrader", {})
    return str(found.get("grade_id", "")) if isinstance(found, dict) else ""


def by_grade_id(notebook: Any) -> dict[str, Any]:
    """The cells that nbgrader knows, by name."""
    return {grade_id(cell): cell for cell in notebook.cells if grade_id(cell)}


def grade_ids(notebook: Any, wanted: dict[str, Any]) -> list[str]:
    """The ``grade_id`` of the released cell that each cell of a submission is, or nothing.

    A cell that has lost it is known by its cell id; in a notebook without any, as some programs
    remove all metadata and perhaps the ids, a cell that is no solution is known by its text.
    """
    stripped = not any(map(grade_id, notebook.cells))
    texts = {c.source: name for name, c in wanted.items() if stripped and not is_solution(c)}
    clues = ((grade_id(c), c.get("id"), texts.get(c.source)) for c in notebook.cells)
    return [next((name for name in names if name in wanted), "") for names in clues]


def is_read_only(cell: Any) -> bool:
    """Whether nbgrader's cell is only given, neither a solution nor a check."""
    return not (is_solution(cell) or is_grade(cell))


def _with_metadata(notebook: Any, wanted: dict[str, Any]) -> Iterator[str]:
    """Restore nbgrader's metadata of cells that are known; remove what was never handed out."""
    for cell, name in zip(notebook.cells, grade_ids(notebook, wanted), strict=True):
        cell.metadata.pop("nbgrader", None)
        if name:
            given = wanted[name]
            cell.metadata["nbgrader"] = dict(given.metadata["nbgrader"])
            if cell.cell_type != given.cell_type and is_solution(given):
                yield f"cell {name!r} was turned into {cell.cell_type}: turned back"


def _fresh_ids(notebook: Any) -> None:
    """Give cells that share an id a new one."""
    seen = set()
    for cell in notebook.cells:
        if cell.get("id") in seen:
            cell["id"] = secrets.token_hex(4)
        seen.add(cell.get("id"))


def _single(notebook: Any, wanted: dict[str, Any]) -> list[str]:
    """Keep one cell per name: of answers, the last that somebody has written in; of checks, one."""
    said = []
    for name, given in wanted.items():
        copies = [cell for cell in notebook.cells if grade_id(cell) == name]
        if len(copies) < 2:
            continue
        written = [cell for cell in copies if cell.source.strip() not in ("", given.source.strip())]
        kept = (written or copies)[-1]
        for cell in copies:
            if cell is not kept and is_solution(given) and cell in written:
                del cell.metadata["nbgrader"]  # stays as a cell of the student's own
            elif cell is not kept:
                notebook.cells.remove(cell)
        if is_solution(given):
            which = "the last one that you wrote in counts" if written else "one is left"
            said.append(f"cell {name!r} was there {len(copies)} times: {which}")
    return said


def _changed(notebook: Any, wanted: dict[str, Any]) -> Iterator[str]:
    """Tell of cells that are only given, such as tools, and come back otherwise."""
    for cell in notebook.cells:
        given = wanted.get(grade_id(cell))
        if given and is_read_only(given) and cell.source.split() != given.source.split():
            yield (
                f"cell {grade_id(cell)!r} was changed: put back as handed out; "
                "put imports of your own into cells of your own"
            )


def _unused(notebook: Any, wanted: dict[str, Any]) -> set[str]:
    """Take out answers as they were handed out where a cell above defines the same."""
    gone = set()
    for name, given in wanted.items():
        own = _own(notebook, given)
        for place, cell in enumerate(notebook.cells):
            stub = grade_id(cell) == name and cell.source.strip() == given.source.strip()
            if stub and own and own[0] < place:
                gone.add(name)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in gone]
    return gone


def _complete(notebook: Any, wanted: dict[str, Any], unused: set[str]) -> list[str]:
    """Put every cell of nbgrader's after its predecessor; what is gone comes back as handed out."""
    place, said = 0, []
    for name, given in wanted.items():
        names = [grade_id(cell) for cell in notebook.cells]
        if name not in names:
            own = _own(notebook, given)
            notebook.cells.insert(min([place, *own]), given)
            place = max([place, *(one + 1 for one in own)]) + 1  # its checks go behind all of them
            if is_solution(given):
                which = "; your own cell counts" if own else ""
                what = "left" if name in unused else "deleted: put back"
                said.append(f"cell {name!r} was {what} as handed out{which}")
            continue
        if names.index(name) < place:
            notebook.cells.insert(place - 1, notebook.cells.pop(names.index(name)))
            said.append(f"cell {name!r} stood before cells it builds on: moved behind them")
        place = [grade_id(cell) for cell in notebook.cells].index(name) + 1
    return said


def _own(notebook: Any, given: Any) -> list[int]:
    """Places of a student's own cells that define what a deleted answer should.

    The answer goes before them, as what is handed out would define the same names again.
    """
    wanted = _defined(given) if is_solution(given) else set()
    cells = enumerate(notebook.cells)
    return [place for place, cell in cells if not grade_id(cell) and wanted & _defined(cell)]


def _defined(cell: Any) -> set[str]:
    """The names that a cell of code defines outside of functions and classes."""
    found = DEFINED.findall(cell.source) if cell.cell_type == "code" else ()
    return {function or variable for function, variable in found}

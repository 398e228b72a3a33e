"""Which typical mistakes are named to a student: none where an earlier slip may be the reason.

A function that is right answers as a typical mistake does if it calls an earlier function that is
wrong.  Only a right answer could tell the two apart inside the kernel, where a student would find
it; so this is decided outside, after the notebook has run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from nbformat import NotebookNode
from nbgrader.utils import is_grade

from ttt_lib.people.grading.locked_cells import bound, used
from ttt_lib.people.grading.marking import NAMED

TASK = re.compile(r'Marking\("(\w+)"')
"""Where a check says which function it is about."""


def clear(cells: Iterable[NotebookNode]) -> None:
    """Take the mistake out of what a check printed if its task builds on one that lost points.

    A task builds on the tasks that its function names, and on those of all else that it names, in
    cells before.

    Parameters
    ----------
    cells : iterable of NotebookNode
        Of a notebook that has run; outputs of checks are changed.
    """
    code = [cell for cell in cells if cell.cell_type == "code"]
    tasks = {*map(_task, code)} - {""}
    below: dict[str, set[str]] = {}  # tasks alone: all names of many cells would fill the memory
    slipped = set[str]()
    for cell in code:
        if task := _task(cell):
            if slipped & below.get(task, set()):
                _unname(cell)
            if any(out.output_type in ("stream", "error") for out in cell.get("outputs", ())):
                slipped.add(task)
        else:
            names = used(cell.source)
            needed = (names & tasks).union(*(below.get(name, ()) for name in names))
            below |= dict.fromkeys(bound(cell.source), needed)


def _task(cell: NotebookNode) -> str:
    """The function that a cell checks; empty if it is no check of one."""
    found = TASK.search(cell.source) if is_grade(cell) else None
    return found[1] if found else ""


def _unname(cell: NotebookNode) -> None:
    """Cut off the line that names a mistake, however many pieces the kernel sent it in."""
    said = [out for out in cell.outputs if out.output_type == "stream"]
    if said:
        said[0].text = "".join(out.text for out in said).partition(NAMED)[0]
        cell.outputs = [out for out in cell.outputs if not any(out is one for one in said[1:])]

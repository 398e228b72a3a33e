"""nbgrader's step that runs a submission, with five things added.

The kernel is in a sandbox (:mod:`ttt_lib.people.grading.sandbox`); what went wrong is written into
the cells in words, and the checks before it keep their points; further checks see what locked cells
define, even if another cell took its name (:mod:`ttt_lib.people.grading.locked_cells`); no mistake
is named where an earlier one may be the reason (:mod:`ttt_lib.people.grading.slips`); and after the
last cell come *canaries*, checks that must fail, some of them also after each check that gives
points.  One that passes shows that the submission has made checks pass whatever they say: then no
check counts.

An nbgrader course of your own uses it by one line of its ``nbgrader_config.py``, after an import::

    c.Autograde.autograde_preprocessors = ttt_lib.people.grading.execution.AUTOGRADE
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader import preprocessors as steps
from nbgrader.utils import is_grade, is_locked
from traitlets import Bool, Float, Integer, Unicode

from ttt_lib.people.grading import slips
from ttt_lib.people.grading.sandbox import SandboxedKernel, Watch

STOPPED = "StoppedByGrader"
"""Name of the error in cells whose points were lost to something other than their code."""

TIMED_OUT = "CellTimeoutError"
"""What nbgrader calls the error in a cell that did not end in time."""

TOO_LONG = "stopped at the time limit of a cell"

PARTLY = "run only in part"
"""How the notice begins of a submission whose kernel was stopped, or ended, on the way."""

NOT_RUN = "could not be run"
"""How the reason begins where the machine failed before any cell of the submission was run."""

SOME = 3
"""Canaries after each check that gives points: all of them would take as long as the submission."""

TAMPERED = "a check that must fail has passed: the notebook changes how checks work"
START = """type(get_ipython()).ask_exit = lambda self: None
from ttt_lib.people.grading.locked_cells import LockedNames
get_ipython().locked_names = LockedNames(globals(), {locked!r})
get_ipython().events.register("post_run_cell", get_ipython().locked_names.keep)
del LockedNames"""
"""What a kernel runs first: it keeps what locked cells define, and ``exit()`` does nothing, as it
would end the kernel some cells later, at the cost of their points."""

CALL = re.compile(r"^_check\(\)$", re.MULTILINE)
APART = "get_ipython().locked_names.check(_check)"
"""The call that replaces ``_check()`` of the masters when a check is graded."""

SHOWN = 20_000
"""Characters of output that are kept of a cell."""

TEXTS = ("text/plain",)
"""Forms of output that are kept; pages of feedback run no program of a student."""


class Run(steps.Execute):  # type: ignore[misc]
    """Run a submission cell by cell; see the module.

    Attributes
    ----------
    sandboxed : bool
        Whether kernels run in a sandbox.
    total : float
        Longest time of all cells together in seconds; of one it is ``timeout``.
    output_limit : int
        Characters that may be written before the kernel is stopped.
    cache : str
        A folder with compiled functions of numba, for kernels in a sandbox.
    fills : bool
        Whether kernels add to it; for masters only.
    """

    sandboxed = Bool(True).tag(config=True)
    total = Float(180.0).tag(config=True)
    output_limit = Integer(10_000_000).tag(config=True)
    cache = Unicode("").tag(config=True)
    fills = Bool(False).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, Any]:
        """Run all cells, and the canaries; never raise because of what a cell does."""
        if self.sandboxed:
            given = {"cache": Path(self.cache) if self.cache else None, "fills_cache": self.fills}
            self.kernel_manager_class = type("Kernel", (SandboxedKernel,), given)
        self.end, self.written, self.answered = time.monotonic() + self.total, 0, set[int]()
        self.at = -1
        self.watch: Watch | None = None
        self.timeout_func = self._left
        reason = cheated = ""
        try:
            cheated = TAMPERED if self._all(nb, resources, km) else ""
        except Exception as error:
            reason = self._reason(error)
            cheated = reason if len(self.answered) == len(nb.cells) else ""
        self.nb.metadata.setdefault("language_info", {"name": "python"})
        self.nb.metadata["ended"] = reason if self.at >= 0 else ""
        _tell(nb, self.answered, reason or "the cell was not run", only_unanswered=True)
        for cell in nb.cells:
            _refuse(cell)
        slips.clear(nb.cells)
        if cheated:
            _tell(nb, self.answered, cheated, only_unanswered=False)
        return nb, self.resources

    def _all(self, nb: NotebookNode, resources: Any, km: Any) -> str:
        """Run everything; return the canary that survived, if one did, and stop there."""
        steps_of_client(self, nb, km)
        self._check_assign_resources(resources)
        with self.setup_kernel():
            self.watch = getattr(self.km, "watch", None)
            try:
                self.wait_for_reply(self.kc.kernel_info())
                start = START.format(locked=locked(nb.cells))
                self.wait_for_reply(self.kc.execute(start, silent=True, store_history=False))
                for self.at, cell in enumerate(nb.cells):
                    self.preprocess_cell(cell, self.resources, self.at)
                    gives = cell.cell_type == "code" and _points(cell)
                    if gives and (survivor := self._survivor(SOME)):
                        return survivor
                    self.answered.add(self.at)
                return self._survivor()
            finally:
                if self.watch:
                    self.watch.stop()  # one that does not obey would get five seconds more

    def _survivor(self, count: int | None = None) -> str:
        """The first canary that passes, of all or of ``count`` drawn at random; they have time."""
        texts, end = canaries(), self.end
        drawn = secrets.SystemRandom().sample(texts, count) if count else texts
        self.end = max(end, time.monotonic() + 5)
        try:
            return next((text for text in drawn if not self._fails(text)), "")
        finally:
            self.end = end

    def _fails(self, text: str) -> bool:
        cell = NotebookNode(cell_type="code", source=text, metadata=NotebookNode(), outputs=[])
        self.nb.cells.append(cell)  # the client expects it there
        try:
            self.execute_cell(cell, len(self.nb.cells) - 1, store_history=False)
        finally:
            self.nb.cells.pop()
        sums = [o.data.get("text/plain") for o in cell.outputs if o.output_type == "execute_result"]
        return sums == ["0"] or any(output.output_type == "error" for output in cell.outputs)

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> Any:
        """Run a cell; one that gives points sees what locked cells define as they define it."""
        shown, cell.source = cell.source, as_run(cell)
        try:
            return super().preprocess_cell(cell, resources, index)
        finally:
            cell.source = shown

    def _left(self, cell: NotebookNode) -> float:
        return max(0.1, min(float(self.timeout or 30), self.end - time.monotonic()))

    def _reason(self, error: Exception) -> str:
        if self.at < 0:
            return f"{NOT_RUN}: no kernel: {error}"
        if excess := self._flood() or (self.watch.reason if self.watch else ""):
            return f"stopped in cell {self.at + 1}: {excess}"
        if isinstance(error, DeadKernelError):
            ended = f"cell {self.at + 1} ended the program that runs the notebook"
            return f"{ended}, or used up its processor time"
        if isinstance(error, CellTimeoutError):
            return f"cell {self.at + 1} took too long and did not stop, or wrote too much at once"
        return f"could not go on in cell {self.at + 1}: {type(error).__name__}"

    def _flood(self) -> str:
        """That too much was written; empty if it was not."""
        most = f"more than {self.output_limit // 1_000_000} MB of output"
        return most if self.written > self.output_limit else ""

    async def _async_check_alive(self) -> None:
        if self.kc is None:  # the client does not stop asking when what it is told is refused
            raise DeadKernelError("the kernel has been stopped")
        await super()._async_check_alive()

    def process_message(self, msg: Any, cell: NotebookNode, cell_index: int) -> Any:
        """Take a message of the kernel; keep little of what it prints, and stop a flood."""
        size = len(str(msg["content"])) if msg["msg_type"] != "status" else 0
        self.written += size
        if flood := self._flood():
            if self.watch:
                self.watch.kill(flood)
            raise DeadKernelError(flood)
        if msg["msg_type"] == "stream":
            msg["content"]["name"] = "stdout"  # nbgrader takes text on stderr for a failed check
        kept = sum(len(str(output)) for output in cell.get("outputs", ()))
        if msg["msg_type"] in ("stream", "display_data") and kept + size > SHOWN:
            return None
        if msg["msg_type"].startswith(("comm", "update_display", "clear_output")):
            return None
        if "data" in msg["content"]:
            data = msg["content"]["data"]
            msg["content"]["data"] = {form: str(data[form]) for form in TEXTS if form in data}
        return super().process_message(msg, cell, cell_index)


def locked(cells: Iterable[NotebookNode]) -> list[str]:
    """Sources of the locked cells of code, but for checks that give points.

    Those tell right answers, so the kernel gets each when it is run.
    """
    code = (cell for cell in cells if cell.cell_type == "code")
    return [cell.source for cell in code if is_locked(cell) and not _points(cell)]


def as_run(cell: NotebookNode) -> str:
    """The source of a cell as the kernel gets it."""
    return CALL.sub(APART, cell.source) if _points(cell) else str(cell.source)


def _points(cell: NotebookNode) -> float:
    """What a cell is worth."""
    return float(cell.metadata.get("nbgrader", {}).get("points") or 0)


def steps_of_client(client: Any, nb: NotebookNode, km: Any) -> None:
    """What nbconvert does before it runs a notebook."""
    from nbclient import NotebookClient

    NotebookClient.__init__(client, nb, km)
    client.reset_execution_trackers()


MARKED = """def _check():
    from ttt_lib.people.grading.marking import Marking, near

    mark = Marking("{task}", {{"{task}": lambda: {one}}})
    with mark.item({one}, "{about}"):
        assert near(mark.ask(), {one} + 1)
    return mark.points()


"""
"""A sum that must be 0."""


def canaries() -> list[str]:
    """Checks that must fail, in the forms that checks have.

    Nobody can foresee their numbers, nor the names of the task and of the item.
    """
    one = secrets.randbelow(10**6) + 2
    task, about = (f"a{secrets.token_hex(8)}" for _ in range(2))
    return [
        f"assert {one} == {one + 1}",
        f"import numpy as _numpy\nassert _numpy.isclose({one}, {2 * one})",
        f"import numpy as _numpy\nassert _numpy.allclose([{one}], [{2 * one}])",
        f"assert abs({one} - {3 * one}) < 1",
        f"assert all([{one} < 0])",
        f"assert not any([{one} > 0])",
        f"assert sum([{one}, 1]) == {one}",
        f"assert len([{one}]) == 2",
        f"assert isinstance('{one}', int)",
        MARKED.format(one=one, task=task, about=about) + APART,
    ]


def _refuse(cell: NotebookNode) -> None:
    """Give no points for an invalid sum; nbgrader would give all of them."""
    if cell.cell_type != "code" or "mark.points(" not in cell.source:
        return
    sums = [out for out in cell.get("outputs", ()) if out.output_type == "execute_result"]
    if not any(out.output_type == "error" for out in cell.outputs) and not (
        len(sums) == 1 and _is_sum(sums[0].data.get("text/plain", ""), _points(cell))
    ):
        _tell_cell(cell, "the check answered no number of points", cell.outputs)


def _is_sum(text: str, most: float) -> bool:
    return bool(re.fullmatch(r"\d{1,3}(\.\d{1,3})?", text)) and float(text) <= most


def _tell_cell(cell: NotebookNode, reason: str, kept: list[NotebookNode]) -> None:
    error = NotebookNode(output_type="error", ename=STOPPED, evalue=reason, traceback=[reason])
    cell.outputs = [error, *kept]  # nbgrader takes the first that says something


def _tell(nb: NotebookNode, answered: set[int], reason: str, *, only_unanswered: bool) -> None:
    """Put an error into graded cells of code, so that nbgrader gives them no points."""
    for index, cell in enumerate(nb.cells):
        graded = cell.cell_type == "code" and is_grade(cell)
        if graded and not (only_unanswered and index in answered):
            _tell_cell(cell, reason, cell.outputs if index in answered else [])


def stopped(nb: NotebookNode) -> dict[str, str]:
    """The reason by graded cell that did not end in time, or lost points to more than its code."""
    return {
        cell.metadata.nbgrader.grade_id: TOO_LONG if output.ename == TIMED_OUT else output.evalue
        for cell in nb.cells
        if is_grade(cell)
        for output in reversed(cell.get("outputs", ()))  # the first counts
        if output.output_type == "error" and output.ename in (STOPPED, TIMED_OUT)
    }


def unfinished(nb: NotebookNode) -> list[str]:
    """What to say of a run that ended before the notebook did."""
    return [f"{PARTLY}: {reason}"] if (reason := nb.metadata.get("ended")) else []


def overrun(nb: NotebookNode) -> list[str]:
    """What to say of cells without points, such as answers, that did not end in time."""
    return [
        f"cell {_name(cell) or _first_line(cell)!r} was {TOO_LONG}"
        for cell in nb.cells
        if not is_grade(cell)
        and any(output.get("ename") == TIMED_OUT for output in cell.get("outputs", ()))
    ]


def _name(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _first_line(cell: NotebookNode) -> str:
    return str(cell.source).strip().partition("\n")[0][:40]


AUTOGRADE = [
    Run,
    steps.IgnorePattern,
    steps.LimitOutput,
    steps.SaveAutoGrades,
    steps.AssignLatePenalties,
    steps.CheckCellMetadata,
]
"""nbgrader's steps of grading, with ours."""

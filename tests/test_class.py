"""The class of sixty: what its trial hands in, and that it sees a mark that is not as expected."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import class_of_sixty as trial
import nbformat
import pandas as pd
import psutil
import pytest
from exercise_scores import automatic

from ttt_lib.people.grading import teach

NAME = "04_ising_bias"
MOST = sum(automatic(nbformat.read(teach.masters()[NAME], as_version=4)).values())


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> list[trial.Submission]:
    return list(trial.submissions(NAME, tmp_path_factory.mktemp("class")))


def test_sixty_students_right_wrong_hostile_and_empty(handed_in: list[trial.Submission]) -> None:
    assert len({one.student for one in handed_in}) == len(handed_in) == trial.CLASS
    right = [one for one in handed_in if one.kind.startswith("right")]
    assert len(right) == trial.RIGHT
    assert {one.points for one in right} == {MOST}
    wrong = [one for one in handed_in if 0 < one.points < MOST]
    known = {f"{m.task}: {m.why}" for m in trial.MISTAKES if m.notebook == NAME}
    assert {one.kind for one in wrong} == known
    nothing = [one.kind for one in handed_in if one.points == 0]
    assert len(nothing) == len(trial.HOSTILE) + 5
    assert len({one.text for one in right}) == len(right), "each has a variant and a route"


def test_a_mark_that_is_not_as_expected_is_told(
    handed_in: list[trial.Submission], tmp_path: Path
) -> None:
    rows = [(one.student, one.points, one.remark) for one in handed_in]
    table = pd.DataFrame(rows, columns=["student", "points", "remark"])
    table.to_csv(tmp_path / "grades.csv", index=False)
    assert list(trial.differing(handed_in, tmp_path)) == []
    table.loc[20, "points"] += 1
    table.loc[0, "remark"] = ""
    table.to_csv(tmp_path / "grades.csv", index=False)
    told = list(trial.differing(handed_in, tmp_path))
    assert len(told) == 2
    assert told[0].startswith("s01 (loops and catches): no remark")
    assert told[1].startswith("s21 ")


def test_memory_of_all_processes_is_watched() -> None:
    size = 2 * 10**8
    holds = f"held = b'x' * {size}; input()"  # a process below the one that is watched
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {holds!r}])"
    until = time.monotonic() + 60
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        with trial.watched(psutil.Process(process.pid)) as peak:
            while peak() < size and time.monotonic() < until:
                time.sleep(0.05)
        process.communicate(b"\n")
    assert size <= peak() < 2 * size

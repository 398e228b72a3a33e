"""`make reproduce` changes everything or nothing: tried on a small project with stand-in rooms."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from ttt_lib.evidence import claims, provenance, reproduce, staging, store

SOURCE = "import os\nprint(open(os.environ['TTT_DATA'] + '/claims.json').read())"


def write_notebook(path: Path, *sources: str) -> None:
    cells = [nbformat.v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(sources)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file below `root` with its content."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


class Project:
    """A small project, and stand-ins for the rooms that make its files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.verdicts = {"a": "reproduced", "b": "differs"}
        for name in ("data", "figures", "notebooks"):
            (root / name).mkdir()
        (root / "data" / "kept.csv").write_text("kept")
        (root / "data" / "claims.json").write_text(json.dumps(self.rows()))
        for name in ("one", "scorecard"):
            (root / "figures" / f"{name}.svg").write_text("old")
        (root / "README.md").write_text("old")
        write_notebook(root / "notebooks" / "00_first.ipynb", SOURCE)

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"id": name, "document": 1, "quantity": f"claim {name}", "verdict": verdict}
            for name, verdict in self.verdicts.items()
        ]

    def results_path(self) -> Path:
        return Path(os.environ.get("TTT_DATA", self.root / "data")) / "claims.json"

    def rebuild(self, names: None, destination: Path, *, quick_only: bool = True) -> list[Path]:
        (destination / "new.csv").write_text("quick" if quick_only else "long")
        return [destination / "new.csv"]

    def build(self, names: list[str], destination: Path) -> list[Path]:
        """Draw what is in use: a picture of verdicts shows them as they are when it is drawn."""
        destination.mkdir(exist_ok=True)
        content = {"one": "new", "scorecard": self.results_path().read_text()}
        for name in names:
            (destination / f"{name}.svg").write_text(content[name])
        return [destination / f"{name}.svg" for name in names]

    def write_readme(self, root: Path, destination: Path) -> None:
        assert root == self.root
        (destination / "README.md").write_text(self.results_path().read_text())

    def write_crate(self, roots: list[Path], destination: Path) -> None:
        assert roots == [destination, self.root], "what is made anew comes first"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = Project(tmp_path)
    rooms: dict[str, Callable[..., Any]] = {
        "store.root": lambda: tmp_path,
        "provenance.rebuild": project.rebuild,
        "store.data_dir": lambda: project.results_path().parent,
        "store.manifest": lambda: [SimpleNamespace(file="kept.csv")],
        "store.checksums": "\n".join,
        "store.write_atomic": lambda path, data: path.write_text(data),
        "reproduce.judged": lambda document: project.rows() if document == 1 else [],
        "reproduce.WORKERS": 1,
        "claims.load_results": lambda: json.loads(project.results_path().read_text()),
        "claims.results_path": project.results_path,
        "claims.to_json": json.dumps,
        "scorecard.as_text": lambda rows: f"{len(rows)} claims",
        "figures.build": project.build,
        "figures.manifest": lambda: {
            "one": SimpleNamespace(data="new.csv"),
            "scorecard": SimpleNamespace(data="claims.json"),
        },
        "readme.write": project.write_readme,
        "crate.write": project.write_crate,
    }
    for name, stand_in in rooms.items():
        monkeypatch.setattr(f"ttt_lib.evidence.{name}", stand_in)
    for variable in ("TTT_DATA", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    return project


def copy_instead_of_running(source: Path, destination: Path) -> None:
    destination.parent.mkdir(exist_ok=True)
    destination.write_text('{"cells": []}')


# ---------------------------------------------------------------------------- the whole


def test_success_replaces_what_changed(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(snapshot(project.root))
    project.verdicts["new claim"] = "refuted"
    assert reproduce.main(["--accept"]) == 0
    after = snapshot(project.root)
    assert set(after) == before | {"data/new.csv", "data/SHA256SUMS"}
    assert after["figures/one.svg"] == b"new"
    for name in ("README.md", "figures/scorecard.svg"):
        assert after[name] == after["data/claims.json"]
    assert after["data/new.csv"] == b"quick"
    assert b"refuted" in after["notebooks/00_first.ipynb"]  # notebooks see the new claims
    shown = capsys.readouterr().out
    assert "3 claims" in shown
    assert "7 files changed" in shown
    assert "  data/new.csv: new\n" in shown
    assert "  figures/one.svg: picture\n" in shown


def test_a_changed_file_is_named_and_writes_nothing(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No verdict is another, and still nobody is told that all is well."""
    monkeypatch.setattr(reproduce, "execute", copy_instead_of_running)
    (project.root / "data" / "new.csv").write_text("quack")
    before = snapshot(project.root)
    assert reproduce.main([]) == 1
    shown = capsys.readouterr().out
    assert "data/new.csv: text (2 lines)" in shown
    assert shown.endswith("Nothing was written. If this is right: make reproduce ARGS=--accept\n")
    assert snapshot(project.root) == before


@pytest.mark.parametrize(
    ("full", "documents", "command"),
    [
        (False, None, "make reproduce ARGS=--accept"),
        (True, None, 'make reproduce ARGS="--full --accept"'),
        (False, [2, 4], 'make reproduce ARGS="--claims 2 4 --accept"'),
        (False, claims.DOCUMENTS, 'make reproduce ARGS="--claims --accept"'),
    ],
)
def test_what_is_accepted_is_what_was_run(
    full: bool, documents: Sequence[int] | None, command: str
) -> None:
    assert reproduce.accepting(full, documents) == command


def test_claims_alone(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """The ledger and what counts it, and the names of the notebooks that show a changed claim."""
    assert reproduce.main(["--accept"]) == 0
    before = snapshot(project.root)
    project.verdicts["b"] = "refuted"
    capsys.readouterr()
    assert reproduce.main(["--claims", "1"]) == 1
    shown = capsys.readouterr().out
    assert "need make reproduce: 00_first.ipynb" in shown
    assert 'If this is right: make reproduce ARGS="--claims 1 --accept"\n' in shown
    assert snapshot(project.root) == before
    assert reproduce.main(["--claims", "--accept"]) == 0
    after = snapshot(project.root)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"README.md", "data/claims.json", "figures/scorecard.svg"}
    assert reproduce.main(["--claims", "2"]) == 0, "document 1 is left as it is"


def test_second_run_changes_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce.main(["--accept"])
    before = {path: path.stat().st_mtime_ns for path in project.root.rglob("*.*")}
    capsys.readouterr()
    assert reproduce.main([]) == 0
    assert "Every file came out as it was." in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in project.root.rglob("*.*")} == before


def test_changed_verdict_is_named_and_writes_nothing(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproduce, "execute", copy_instead_of_running)
    before = snapshot(project.root)
    project.verdicts["b"] = "refuted"
    assert reproduce.main([]) == 1
    assert "b: differs -> refuted" in capsys.readouterr().out
    assert snapshot(project.root) == before


def test_changed_verdict_can_be_accepted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "execute", copy_instead_of_running)
    project.verdicts["b"] = "refuted"
    assert reproduce.main(["--accept"]) == 0
    assert b"refuted" in snapshot(project.root)["data/claims.json"]


def test_full_asks_for_the_long_runs(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reproduce, "execute", copy_instead_of_running)
    monkeypatch.setattr("ttt_lib.evidence.store.without_gpu", lambda: ["a.csv", "b.csv"])
    assert reproduce.main(["--full"]) == 1
    assert 'If this is right: make reproduce ARGS="--full --accept"\n' in capsys.readouterr().out
    assert reproduce.main(["--full", "--accept"]) == 0
    assert snapshot(project.root)["data/new.csv"] == b"long"
    assert "for want of a GPU these stay as they are: a.csv, b.csv" in capsys.readouterr().err
    assert reproduce.main(["--accept"]) == 0
    assert "GPU" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "step", ["provenance.rebuild", "reproduce.judged", "reproduce.execute", "figures.build"]
)
def test_error_in_any_step_leaves_all_files(
    project: Project,
    step: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(reproduce, "execute", copy_instead_of_running)
    monkeypatch.setattr(f"ttt_lib.evidence.{step}", fail)
    before = snapshot(project.root)
    assert reproduce.main([]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == "python -m ttt_lib.evidence.reproduce: disk full"
    assert snapshot(project.root) == before
    assert "TTT_DATA" not in os.environ


def test_interruption_leaves_all_files(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "execute", copy_instead_of_running)
    monkeypatch.setattr("ttt_lib.evidence.figures.build", interrupt)
    before = snapshot(project.root)
    assert reproduce.main([]) == 130
    assert snapshot(project.root) == before
    assert "Interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["notebooks/00_first.ipynb", "figures/one.svg"])
def test_an_edit_made_meanwhile_is_not_undone(
    project: Project,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And what was made is not lost: it may have taken hours."""

    def edit(source: Path, destination: Path) -> None:
        copy_instead_of_running(source, destination)
        (project.root / name).write_text("edited")

    monkeypatch.setattr(reproduce, "execute", edit)
    before = snapshot(project.root)
    assert reproduce.main(["--accept"]) == 2
    [folder] = project.root.glob(".staging-*")
    assert capsys.readouterr().err.splitlines()[-1] == (
        "python -m ttt_lib.evidence.reproduce: edited while it ran, so nothing was written: "
        f"{name}; what was made is kept in {folder}"
    )
    assert (folder / "data/new.csv").read_text() == "quick"
    shutil.rmtree(folder)
    assert snapshot(project.root) == before | {name: b"edited"}


def test_an_edit_of_an_input_is_no_obstacle(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edit(source: Path, destination: Path) -> None:
        copy_instead_of_running(source, destination)
        (project.root / "data" / "kept.csv").write_text("edited")

    monkeypatch.setattr(reproduce, "execute", edit)
    assert reproduce.main(["--accept"]) == 0
    assert snapshot(project.root)["data/kept.csv"] == b"edited"


def test_named_data_files_alone(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(project.root)
    assert reproduce.main(["--data", "kept.csv"]) == 0
    added = {"data/new.csv": b"quick", "data/SHA256SUMS": b"kept.csv"}
    added["README.md"] = before["data/claims.json"]
    assert snapshot(project.root) == before | added
    assert "3 files changed" in capsys.readouterr().out


def test_a_data_file_that_is_made_stays_whatever_fails_after_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(roots: object, destination: object) -> None:
        raise FileNotFoundError("a figure that is declared and not drawn yet")

    monkeypatch.setattr("ttt_lib.evidence.crate.write", lost)
    before = snapshot(project.root)
    assert reproduce.main(["--data", "kept.csv"]) == 2
    assert snapshot(project.root) == before | {"data/new.csv": b"quick"}


def test_unknown_data_file_exits_2(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(project.root)
    assert reproduce.main(["--data", "other.csv"]) == 2
    assert "no data file 'other.csv'; there are kept.csv" in capsys.readouterr().err
    assert snapshot(project.root) == before


@pytest.mark.parametrize("part", [["--claims", "3"], ["--claims"], ["--data", "table.csv"]])
def test_everything_and_a_part_are_not_asked_for_at_once(
    project: Project, capsys: pytest.CaptureFixture[str], part: list[str]
) -> None:
    assert reproduce.main(["--full", *part]) == 2
    assert "--full is everything" in capsys.readouterr().err


@pytest.mark.parametrize("blocked", [set(), {signal.SIGTERM}, {signal.SIGINT, signal.SIGUSR1}])
def test_what_the_caller_had_blocked_stays_blocked(
    tmp_path: Path, blocked: set[signal.Signals]
) -> None:
    before = signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        staging.publish(tmp_path, tmp_path, {}, [])
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == blocked
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_no_signal_ends_it_between_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, root = tmp_path / "folder", tmp_path / "root"
    for name in ("a.csv", "b.csv"):
        for place in (folder, root):
            (place / "data").mkdir(parents=True, exist_ok=True)
            (place / "data" / name).write_text(place.name)
    blocked, rename = [], Path.replace

    def watched(self: Path, target: Path) -> Path:
        blocked.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    paths = [Path("data/a.csv"), Path("data/b.csv")]
    staging.publish(folder, root, staging.contents(root), paths)
    assert [(root / path).read_text() for path in paths] == ["folder", "folder"]
    assert blocked == 2 * [{signal.SIGINT, signal.SIGTERM}]


@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGINT])
def test_signal_removes_the_staging_folder(tmp_path: Path, kill: signal.Signals) -> None:
    """A real process, which hangs in its first step."""
    Project(tmp_path)
    script = (
        "import signal, time; from pathlib import Path\n"
        "from ttt_lib.evidence import provenance, reproduce, store\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job\n"
        f"store.root = lambda: Path({str(tmp_path)!r})\n"
        "provenance.rebuild = lambda *_, **__: time.sleep(60)\n"
        "reproduce.claims.load_results = list\n"
        "raise SystemExit(reproduce.main([]))"
    )
    before = snapshot(tmp_path)
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as process:
        wait_for(lambda: list(tmp_path.glob(".staging-*/data/kept.csv")))
        process.send_signal(kill)
        process.communicate(timeout=30)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[kill]
    assert snapshot(tmp_path) == before
    assert not list(tmp_path.glob(".staging-*"))


def wait_for(ready: Callable[[], object], seconds: float = 60) -> None:
    """Wait until `ready` says so."""
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.05)


# ---------------------------------------------------------------------------- two at once


LONG = """["{name}"]
about = "a"
source = "b"
licence = "c"
quick = false
made_by = "ttt_lib.evidence.store:csv_text"
unchecked = "it is made up"
"""


class Runs:
    """A project with two long runs; while one is made, something else may happen."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.meanwhile: Callable[[], object] = lambda: None
        self.made = 0
        data = root / "data"
        data.mkdir()
        (data / "manifest.toml").write_text(
            "".join(LONG.format(name=n) for n in ("a.csv", "b.csv"))
        )
        for name in ("a.csv", "b.csv"):
            (data / name).write_text("old")

    def maker(self) -> str:
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        self.made += 1
        return f"run {self.made}"

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.root.glob("data/*.csv")}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    runs = Runs(tmp_path)
    monkeypatch.delenv("TTT_DATA", raising=False)
    monkeypatch.setattr(store, "root", lambda: tmp_path)
    monkeypatch.setattr(store, "resolve", lambda name: runs.maker)
    monkeypatch.setattr(reproduce.readme, "write", lambda root, folder: None)
    monkeypatch.setattr(reproduce.crate, "write", lambda roots, folder: None)
    return runs


def test_two_runs_at_once_are_both_put_in_place(runs: Runs) -> None:
    """Each with its record: the one that ends first has changed the records meanwhile."""
    runs.meanwhile = lambda: reproduce.main(["--data", "b.csv"])
    assert reproduce.main(["--data", "a.csv"]) == 0
    assert runs.files() == {"a.csv": "run 2", "b.csv": "run 1"}
    assert [one.state for one in provenance.statuses()] == ["current", "current"]
    assert not list(runs.root.glob(".staging-*"))
    sums = (runs.root / "data/SHA256SUMS").read_text()
    assert sums == store.checksums(["a.csv", "b.csv"])


def test_a_confirmation_meanwhile_is_kept(runs: Runs) -> None:
    assert reproduce.main(["--data", "b.csv"]) == 0
    was = provenance.records()["b.csv"]

    def confirm() -> None:
        with pytest.MonkeyPatch.context() as patch:  # what another process would see
            patch.delenv("TTT_DATA")
            provenance.put("b.csv", was | {"checked": provenance.seen(was)})

    runs.meanwhile = confirm
    assert reproduce.main(["--data", "a.csv"]) == 0
    assert "checked" in provenance.records()["b.csv"]
    assert provenance.records()["a.csv"]["sha256"] == provenance.sha256("a.csv")


@pytest.mark.parametrize("hit", ["a.csv", "provenance.json"])
def test_a_run_that_cannot_be_put_in_place_is_kept(
    hit: str, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody edited the file itself meanwhile, or broke the records."""
    assert reproduce.main(["--data", "b.csv"]) == 0
    runs.meanwhile = lambda: (runs.root / "data" / hit).write_text("edited")
    assert reproduce.main(["--data", "a.csv"]) == 2
    [folder] = runs.root.glob(".staging-*")
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert told.endswith(f"; what was made is kept in {folder}\n")
    assert hit in told
    assert (folder / "data/a.csv").read_text() == "run 2"
    assert (runs.root / "data" / hit).read_text() == "edited"


def test_a_folder_is_changed_by_one_at_a_time(tmp_path: Path) -> None:
    order = []

    def other() -> None:
        with staging.exclusive(tmp_path):
            order.append("other")

    with ThreadPoolExecutor() as pool:
        with staging.exclusive(tmp_path):
            waiting = pool.submit(other)
            time.sleep(0.2)
            order.append("first")
        waiting.result(timeout=20)
    assert order == ["first", "other"]


def test_who_finds_a_folder_in_use_may_be_told_so_instead(tmp_path: Path) -> None:
    told = pytest.raises(ValueError, match=r"^busy$")
    with staging.exclusive(tmp_path), told, staging.exclusive(tmp_path, "busy"):
        raise AssertionError("entered")
    with staging.exclusive(tmp_path, "busy"):
        pass


def test_without_locks_a_folder_is_changed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, and on systems that know no locks of folders."""
    with staging.exclusive(tmp_path), monkeypatch.context() as patch:
        patch.setitem(sys.modules, "fcntl", None)
        with staging.exclusive(tmp_path, "busy"):
            pass
    with staging.exclusive(tmp_path / "missing", "busy"):
        pass


# ---------------------------------------------------------------------------- one notebook


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "00_x.ipynb"
    loop = "import sys\nfor i in range(50):\n    print(i)\n    sys.stdout.flush()"
    write_notebook(source, loop, "2 ** 64")
    for name in ("one", "two"):
        reproduce.execute(source, tmp_path / name / "out.ipynb")
    one, two = ((tmp_path / name / "out.ipynb").read_bytes() for name in ("one", "two"))
    assert one == two
    notebook = json.loads(one)
    assert notebook["metadata"] == reproduce.stable_metadata()
    assert [cell["execution_count"] for cell in notebook["cells"]] == [1, 2]
    assert len(notebook["cells"][0]["outputs"]) == 1
    assert "metadata" not in notebook["cells"][0]["outputs"][0]
    assert notebook["cells"][1]["outputs"][0]["data"]["text/plain"] == ["18446744073709551616"]


def test_widgets_are_stored_as_text(tmp_path: Path) -> None:
    source = tmp_path / "00_x.ipynb"
    write_notebook(source, "import ipywidgets\nipywidgets.IntSlider(value=3)")
    reproduce.execute(source, source)
    notebook = json.loads(source.read_bytes())
    assert "widgets" not in notebook["metadata"]
    assert list(notebook["cells"][0]["outputs"][0]["data"]) == ["text/plain"]


def test_failing_notebook_is_named_and_not_written(project: Project) -> None:
    write_notebook(project.root / "notebooks" / "01_second.ipynb", "1 / 0")
    before = snapshot(project.root)
    with pytest.raises(CellExecutionError, match="division by zero") as caught:
        reproduce.main([])
    assert caught.value.__notes__ == ["while running 01_second.ipynb"]
    assert snapshot(project.root) == before


def test_kernel_shows_no_bars_and_keeps_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    environment = reproduce.kernel_environment()
    assert environment["TQDM_DISABLE"] == "1"
    assert "MPLBACKEND" not in environment
    assert environment["PATH"] == os.environ["PATH"]


# ---------------------------------------------------------------------------- small steps


def test_the_longest_first_and_everything_once() -> None:
    root, folder = reproduce.store.root(), Path("out")
    sources = [what for _, what, _ in reproduce.readings(root, folder)]
    assert sorted(sources) == store.notebooks(root)
    assert sources[0].name.startswith("05")
    [[_, judged, _]] = reproduce.drawings(folder, of_verdicts=True)
    assert judged == ["scorecard"]
    others = reproduce.drawings(folder, of_verdicts=False)
    drawn = [name for _, names, _ in others for name in names]
    assert sorted([*drawn, *judged]) == sorted(reproduce.figures.manifest())


def test_a_documents_claims_are_judged_apart_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their correction for many tests is their own."""
    asked: list[Any] = []
    known = [SimpleNamespace(id=name, document=int(name[0])) for name in ("1a", "2a", "1b")]
    monkeypatch.setattr(reproduce.claims, "load", lambda: known)
    monkeypatch.setattr(reproduce.claims, "judge", lambda mine: asked.extend(mine) or [])
    assert reproduce.judged(1) == []
    assert [claim.id for claim in asked] == ["1a", "1b"]


def test_changed_verdicts_ignores_new_claims_and_reports_lost_ones() -> None:
    before = [{"id": "a", "verdict": "reproduced"}, {"id": "b", "verdict": "differs"}]
    after = [{"id": "a", "verdict": "reproduced"}, {"id": "c", "verdict": "refuted"}]
    assert reproduce.changed_verdicts(before, after) == ["b: differs -> no longer there"]


def test_unknown_option_exits_2() -> None:
    with pytest.raises(SystemExit) as caught:
        reproduce.main(["--fast"])
    assert caught.value.code == 2


@pytest.mark.parametrize("moved", [{"verdict": "refuted"}, {"ours": "8"}])
@pytest.mark.parametrize(
    ("output", "named"),
    [("id a-claim", True), ("wins of O", True), ("neither", False), ("another", False)],
)
def test_notebooks_that_show_a_changed_claim_are_named(
    tmp_path: Path, output: str, named: bool, moved: dict[str, str]
) -> None:
    """By its name or by its quantity; not for a claim that is what it was."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    cells = [{"cell_type": "code", "outputs": [{"text": output}]}, {"cell_type": "markdown"}]
    (folder / "01_a.ipynb").write_text(json.dumps({"cells": cells}))
    before = [
        {"id": "a-claim", "quantity": "wins of O", "ours": "7", "verdict": "reproduced"},
        {"id": "another", "quantity": "neither", "verdict": "reproduced"},
    ]
    after = [before[0] | moved, before[1]]
    assert reproduce.stale_notebooks(tmp_path, before, after) == ["01_a.ipynb"] * named

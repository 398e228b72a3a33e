"""A small notebook under both conditions: what should not matter is noticed where it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from ttt_lib.evidence import reproduce, robustness
from ttt_lib.evidence.robustness import CONDITIONS

needs_namespaces = pytest.mark.skipif(
    subprocess.run(
        [sys.executable, "-c", "from ttt_lib.evidence import robustness; robustness.cut_network()"],
        capture_output=True,
    ).returncode
    != 0,
    reason="the system allows no namespaces",
)

STURDY = "from ttt_lib.game.board import Grid\nimport numpy as np\nGrid(3), np.arange(3) / 7"
LEAKS = {
    "hash seed": "print(hash('x'))",
    "time zone": "import time\nprint(time.tzname)",
    "threads": "import os\nprint(os.environ['OMP_NUM_THREADS'])",
    "folder": "from pathlib import Path\nprint(Path.cwd().name == 'home')",
    "network": "import socket\nprint(socket.if_nameindex() == [(1, 'lo')])",
}


def test_conditions_differ_in_everything() -> None:
    one, two = (vars(condition) for condition in CONDITIONS)
    assert [name for name in one if one[name] == two[name]] == []


@needs_namespaces
def test_what_depends_on_conditions_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "home" / "00_small.ipynb"
    source.parent.mkdir()
    cells = [nbformat.v4.new_code_cell(code, id=f"c{place}") for place, code in
             enumerate([STURDY, *LEAKS.values()])]  # fmt: skip
    nbformat.write(nbformat.v4.new_notebook(cells=cells), source)
    fresh = []
    for condition in CONDITIONS:
        folder = tmp_path / condition.name
        folder.mkdir()
        fresh.append(robustness.run(source, condition, folder))
    found = robustness.differences(*fresh)
    has_other_interfaces = len(fresh_interfaces()) > 1
    expected = [f"cell {2 + place}" for place, leak in enumerate(LEAKS)
                if leak != "network" or has_other_interfaces]  # fmt: skip
    assert found == expected, "all cells but the first, which is sturdy"
    assert robustness.differences(fresh[0], fresh[0]) == []


def fresh_interfaces() -> list[tuple[int, str]]:
    import socket

    return socket.if_nameindex()


def test_a_difference_in_no_cell_is_told_all_the_same(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell("1", id=name) for name in "ab"]
    stored = tmp_path / "stored.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), stored)
    for place, (found, about) in enumerate([(cells, {"x": 1}), (cells[:1], {})]):
        fresh = tmp_path / f"fresh_{place}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=found, metadata=about), fresh)
        assert robustness.differences(stored, fresh) == ["the notebook around its cells"]


@needs_namespaces
def test_network_is_cut_but_for_the_loopback() -> None:
    code = (
        "import socket; from ttt_lib.evidence import robustness; robustness.cut_network()\n"
        "with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "    socket.create_connection(server.getsockname(), timeout=5).close()\n"
        "try:\n    socket.create_connection(('192.0.2.1', 80), timeout=5)\n"
        "except OSError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[Errno 101] Network is unreachable\n", "")


def test_a_failing_notebook_is_named(tmp_path: Path) -> None:
    source = tmp_path / "00_bad.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]), source)
    (tmp_path / "out").mkdir()
    with pytest.raises(RuntimeError, match=r"(?s)00_bad.ipynb at home: .*ZeroDivisionError"):
        robustness.run(source, CONDITIONS[0], tmp_path / "out")


def test_status_tells_of_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "00_x.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", id="a")]), source)

    def run(source: Path, condition: robustness.Condition, folder: Path) -> Path:
        code = "1" if condition.name == "at home" else "2"
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code, id="a")])
        nbformat.write(notebook, folder / source.name)
        return folder / source.name

    monkeypatch.setattr(robustness, "run", run)
    assert robustness.main([str(source)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "00_x                    at home   the same bytes",
        "00_x                    abroad    cell 1",
    ]
    monkeypatch.setattr(robustness, "CONDITIONS", CONDITIONS[:1])
    assert robustness.main([str(source)]) == 0


@pytest.mark.skipif(
    not os.access(reproduce.store.root(), os.W_OK), reason="the checkout is read-only already"
)
@needs_namespaces
def test_checkout_is_read_only_but_for_the_environment(tmp_path: Path, capfd: object) -> None:
    status = robustness.read_only(["sh", "-c", f"touch {tmp_path}/written"], tmp_path)
    assert (status, (tmp_path / "written").exists()) == (0, True)
    assert robustness.read_only(["touch", "README.md"], tmp_path) != 0
    statuses = [robustness.main(["--read-only", str(tmp_path), one]) for one in ("true", "false")]
    assert statuses == [0, 1]
    assert not (reproduce.store.root() / "written").exists()

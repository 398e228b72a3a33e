"""The package as ``pip install`` leaves it: built once, installed, then asked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def built(kind: str, source: Path, out: Path) -> Path:
    """Build a distribution without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=240)
    [path] = out.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from the unpacked sdist, so that both are tried."""
    folder = tmp_path_factory.mktemp("dist")
    with tarfile.open(built("sdist", ROOT, folder / "sdist")) as archive:
        if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on; later ones warn without it
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder / "source")
    [source] = (folder / "source").iterdir()
    return built("wheel", source, folder / "wheel")


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel, and the packages it needs from the one that runs this."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    # A folder named in a .pth file lends its packages; editable installs in it stay unseen.
    (packages / "needed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    with ZipFile(wheel) as archive:
        archive.extractall(packages)
    return folder


def ask(
    fresh: Path, *arguments: str, folder: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run ``ttt`` there, with nothing of this checkout in sight."""
    hidden = ("PYTHONPATH", "TTT_DATA", "VIRTUAL_ENV", "PYTHONHOME")
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | more
    command = [str(fresh / "bin/python"), "-m", "ttt_lib", *arguments]
    return subprocess.run(
        command, cwd=folder or fresh, env=environment, capture_output=True, text=True, timeout=240
    )


def test_the_wheel_holds_data_and_figures(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    shared = ["data/claims/results.json", "data/ultimate_table.safetensors"]
    shared += ["figures/manifest.toml", "figures/scorecard.svg", "notebooks/play.ipynb"]
    assert {f"ttt_lib/_share/{name}" for name in shared} <= names
    code = {str(p.relative_to(ROOT)) for p in (ROOT / "ttt_lib").rglob("*.py")}
    assert code <= names


def test_the_wheel_holds_no_masters(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert [name for name in names if "exercises" in name or "masters" in name] == []


def test_students_install_few_packages(wheel: Path) -> None:
    archive = ZipFile(wheel)
    [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
    lines = re.findall(r"^Requires-Dist: (.*)$", archive.read(metadata).decode(), re.MULTILINE)
    asked = [Requirement(line) for line in lines]
    of_student = {
        one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": "student"})
    }
    assert of_student == {"argcomplete", "numpy", "scipy", "ipykernel", "jupyterlab"}


BLOCK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {heavy!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""
HEAVY = {"joblib", "matplotlib", "networkx", "numba", "pandas", "safetensors", "seaborn", "sklearn",
         "torch", "tqdm"}  # fmt: skip


def test_what_students_installed_answers_or_says_what_is_missing(
    fresh: Path, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLOCK.format(heavy=HEAVY))
    found = ask(fresh, "exact", "minimax", "random", PYTHONPATH=str(tmp_path))
    assert (found.returncode, found.stderr) == (0, "")
    assert "75257/77760" in found.stdout
    refused = ask(fresh, "perft", "--depth", "2", PYTHONPATH=str(tmp_path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "ttt: this needs numba: pip install 'ttt-lib[full]'\n"
    player = ask(fresh, "exact", "ntuple", "random", PYTHONPATH=str(tmp_path))
    assert (player.returncode, player.stdout) == (2, "")
    assert player.stderr == refused.stderr


def test_answers_are_those_of_the_checkout(fresh: Path) -> None:
    asked = ["claims", "--find", "85.77%"]
    here = subprocess.run(
        [sys.executable, "-m", "ttt_lib", *asked], cwd=ROOT, capture_output=True, text=True
    )
    there = ask(fresh, *asked)
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, "")
    assert "811/945" in there.stdout


def test_stored_weights_are_found(fresh: Path) -> None:
    found = ask(fresh, "exact", "minimax", "mlp:seed=3", "--json")
    assert (found.returncode, found.stderr) == (0, "")
    assert '"win"' in found.stdout


@pytest.mark.parametrize(
    ("arguments", "more", "line"),
    [
        (["figures", "01_calibration"], {}, "to redraw figures takes a checkout"),
        (["claims"], {"TTT_DATA": "/no/such/folder"}, "TTT_DATA names no folder: /no/such/folder"),
    ],
)
def test_what_it_cannot_do_is_refused_in_one_line(
    fresh: Path, arguments: list[str], more: dict[str, str], line: str
) -> None:
    found = ask(fresh, *arguments, **more)
    assert (found.returncode, found.stdout) == (2, "")
    assert line in found.stderr
    assert found.stderr.count("\n") == 1

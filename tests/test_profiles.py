"""Other processors, imitated: that the variables bite, and that a difference is told."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from ttt_lib.evidence import claims, profiles, reproduce, staging, store

LOOK = """
import json
import numba
from numba.core import config
from ttt_lib.evidence import profiles

@numba.njit("void(f8[::1], f8[::1])")
def add(a, b):
    for i in range(len(a)):
        a[i] += b[i]

[code] = add.inspect_asm().values()
registers = [name for name in ("ymm", "zmm") if name in code]
cpu = [config.CPU_NAME, config.CPU_FEATURES]
print(json.dumps([profiles.native(), profiles.found(), cpu, registers]))
"""


@pytest.mark.parametrize("name", profiles.runnable())
def test_code_runs_as_on_that_processor(name: str) -> None:
    """A variable that is misspelt changes nothing, and says nothing.

    What numba compiles for shows in its registers: those of 256 bits (ymm) need AVX, those of 512
    (zmm) AVX-512.  Whether LLVM uses these where it may is its own choice.
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOOK],
        env=profiles.environment(name),
        capture_output=True,
        text=True,
    )
    kernel, features, cpu, registers = json.loads(done.stdout or done.stderr)
    wanted = profiles.PROFILES[name]
    kernels = {wanted["OPENBLAS_CORETYPE"]}
    if name == "zen":  # numpy's build of OpenBLAS leaves Zen's own out: Haswell's serve
        kernels.add("Haswell")
    assert kernel in kernels
    assert not set(features) & set(wanted.get("NPY_DISABLE_CPU_FEATURES", "").split())
    assert cpu == [wanted["NUMBA_CPU_NAME"], wanted["NUMBA_CPU_FEATURES"]]
    assert ("ymm" in registers) == (name != "nehalem")
    assert name == "skylakex" or "zmm" not in registers


@pytest.mark.parametrize(
    ("features", "names"),
    [
        (profiles.WIDE, ["zen", "haswell", "skylakex", "nehalem"]),
        (profiles.FUSED, ["zen", "haswell", "nehalem"]),
        ("", ["nehalem"]),
    ],
)
def test_what_has_a_feature_can_do_without_it(
    features: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = [*profiles.FUSED.split(), *features.split()] if features else []
    monkeypatch.setattr(profiles, "found", lambda: here)
    monkeypatch.setattr(profiles.platform, "machine", lambda: "x86_64")
    assert profiles.runnable() == names


def test_another_kind_of_processor_imitates_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(profiles.platform, "machine", lambda: "arm64")
    assert profiles.runnable() == []
    for arguments in ([], ["--unlike", "--quick"]):
        assert profiles.main(arguments) == 0
        assert capsys.readouterr().out.startswith("arm64 can't imitate other processors")
    assert profiles.main(["nehalem"]) == 2
    assert "can't imitate 'nehalem' here: none" in capsys.readouterr().err


def printed(look: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", look],
        env={**environment, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_the_c_library_is_told_to_do_without_fused_steps() -> None:
    """On a processor that has them, the two tanh of the C library differ in some last bits."""
    look = "import math; print(hash(tuple(math.tanh(k / 977) for k in range(5000))))"
    told = [printed(look, profiles.environment(name)) for name in ("nehalem", "skylakex")]
    assert all(told)
    if {"haswell", "zen"} & set(profiles.runnable()) and sys.platform == "linux":
        assert told[0] != told[1]


def test_torch_is_told_to_do_without_wide_vectors() -> None:
    look = "import torch; print(torch.backends.cpu.get_cpu_capability())"
    assert printed(look, profiles.environment("nehalem")) == "DEFAULT\n"


SELF_PLAY = """
from ttt_lib.game.board import Grid
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.runs import SELF_PLAY
from ttt_lib.ntuple.selfplay import SelfPlay
game = SelfPlay(Patterns(Grid(3)), SELF_PLAY, rng=0)
game.play(3000)
print(hash(game.network.weights.tobytes()))
"""


needs_profiles = pytest.mark.skipif(not profiles.runnable(), reason="the processor is no x86")


@needs_profiles
def test_self_play_learns_the_same_tables_without_fused_steps() -> None:
    """It takes no function of the C library, and numba fuses nothing that is written apart."""
    names = {"nehalem", profiles.runnable()[0]}
    learned = {printed(SELF_PLAY, profiles.environment(name)) for name in names}
    assert len(learned) == 1
    assert learned != {""}


def test_a_profile_leaves_no_variable_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "generic")
    monkeypatch.setenv("KEPT", "1")
    found = profiles.environment("skylakex")
    assert "ATEN_CPU_CAPABILITY" not in found
    assert found["KEPT"] == "1"
    assert found["OPENBLAS_CORETYPE"] == "SkylakeX"


def test_the_profile_of_a_test_run_is_not_this_processor() -> None:
    kernel = profiles.PROFILES[profiles.unlike()]["OPENBLAS_CORETYPE"]
    assert kernel != profiles.native() or not profiles.found()


def test_a_new_notebook_is_taken_for_one_that_computes(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    for name in ("00_a", "03_b", "04_c", "07_d"):
        (tmp_path / "notebooks" / f"{name}.ipynb").touch()
    assert profiles.computing(tmp_path) == ("03_b", "07_d")


def test_notebooks_that_train_or_fit_compute() -> None:
    numbered = [name[:2] for name in profiles.computing(store.root()) if name[:2].isdigit()]
    assert numbered == ["01", "02", "03", "05"]


@needs_profiles
def test_the_status_of_what_is_imitated_is_its_own() -> None:
    for status in (0, 3):
        command = [sys.executable, "-c", f"raise SystemExit({status})"]
        assert profiles.imitate(profiles.runnable()[0], command) == status


@pytest.mark.parametrize(("amounts", "status"), [({}, 0), ({"figures/a.svg": "one line"}, 1)])
def test_a_quick_run_fails_if_a_file_comes_out_otherwise(
    amounts: dict[str, str], status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Any] = []

    def rebuild(root: Path, folder: Path, chosen: tuple[str, ...]) -> list[Any]:
        made.append((root, folder, chosen))
        return []

    monkeypatch.setattr(claims, "load_results", list)
    monkeypatch.setattr(staging, "contents", lambda root: {"of": root})
    monkeypatch.setattr(staging, "staged", lambda root: nullcontext(tmp_path))
    monkeypatch.setattr(reproduce, "rebuild", rebuild)
    monkeypatch.setattr(reproduce, "differences", lambda *given: made.append(given) or amounts)
    monkeypatch.setattr(reproduce, "report", lambda *_: "")
    monkeypatch.setattr(reproduce, "changed_verdicts", lambda *_: {})
    assert profiles.rebuild_quickly() == status
    root = store.root()
    assert made == [(root, tmp_path, profiles.computing(root)), (tmp_path, {"of": root})]


@pytest.mark.parametrize(
    ("quick", "tests", "modules"),
    [
        (True, False, [["ttt_lib.evidence.profiles", "--here"]]),
        (False, False, [["ttt_lib.evidence.reproduce"]]),
        (False, True, [["ttt_lib.evidence.reproduce"], ["pytest", "-q", "tests"]]),
    ],
)
def test_what_runs_under_a_profile(quick: bool, tests: bool, modules: list[list[str]]) -> None:
    wanted = [[sys.executable, "-m", *module] for module in modules]
    assert profiles.commands(quick, tests) == wanted


def test_a_difference_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(profiles, "runnable", lambda: ["zen", "nehalem"])
    ran = []

    def imitate(name: str, command: list[str]) -> int:
        ran.append((name, command[2]))
        return int(name == "zen" and "pytest" in command)

    monkeypatch.setattr(profiles, "imitate", imitate)
    assert profiles.main(["--tests"]) == 1
    assert ran == [(name, module) for name in ("zen", "nehalem")
                   for module in ("ttt_lib.evidence.reproduce", "pytest")]  # fmt: skip
    assert capsys.readouterr().out.splitlines()[-2:] == ["Not the same:", "zen: pytest -q tests"]
    assert profiles.main(["nehalem", "--quick"]) == 0
    assert ran[-1] == ("nehalem", "ttt_lib.evidence.profiles")
    assert profiles.main(["skylakex"]) == 2

"""The Makefile: every target is listed, and leaves a checkout alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import LONGEST

ROOT = Path(__file__).parents[1]
TARGETS = [
    "help",
    "env",
    "shell",
    "ttt",
    "reproduce",
    "test",
    "lint",
    "lab",
    "play",
    "load",
    "exercises",
    "slides",
    "grade",
    "figures",
    "full",
    "status",
    "review",
    "book",
    "bench",
    "profiles",
    "robust",
    "mutants",
    "constraints",
    "clean",
]
OWN_VARIABLES = re.compile(r"MAKE|MFLAGS|TTT_|EXTRAS$|WORKERS$|ARGS$|PYTHON|.*CACHE|MPL|IPYTHON")


def run_make(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run make without the variables of a make around this test."""
    environment = {k: v for k, v in os.environ.items() if not OWN_VARIABLES.match(k)}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def make(*arguments: str, cwd: Path = ROOT) -> str:
    """What make prints."""
    done = run_make(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_lists_every_target_and_is_the_default() -> None:
    listed = re.findall(r"^  make (\w+)", make("help"), flags=re.MULTILINE)
    assert listed == TARGETS
    assert make() == make("help")


@pytest.mark.parametrize("target", TARGETS)
def test_target_has_a_plan(target: str) -> None:
    assert make("-n", target).strip()


@pytest.mark.parametrize(("folder", "variables"), [("a b", ()), ("a", ("TTT_ENV=a b",))])
def test_a_path_with_a_space_is_refused(
    folder: str, variables: tuple[str, ...], tmp_path: Path
) -> None:
    """Before anything is made: make would take it for two."""
    (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path / folder)
    done = run_make("env", *variables, cwd=tmp_path / folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "make needs paths without spaces" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == [folder, "Makefile"]


def test_the_tests_are_all_tests_and_the_outputs_of_all_notebooks() -> None:
    lines = make("-n", "test").replace("\\\n", " ").splitlines()
    [command] = [line.split() for line in lines if "/pytest" in line and "--nbval" in line]
    numbered = {f"notebooks/{path.name}" for path in ROOT.glob("notebooks/[0-9]*.ipynb")}
    assert {"--nbval", "--nbval-current-env", "tests", *numbered} <= set(command)


@pytest.mark.parametrize(
    ("target", "commands"),
    [
        ("reproduce", ["-m ttt_lib.evidence.reproduce"]),
        ("full", ["-m ttt_lib.evidence.reproduce --full --accept"]),
        ("lint", ["check .", "format --check .", "--strict ttt_lib"]),
        (
            "robust",
            ["-m ttt_lib.evidence.robustness", "-m ttt_lib.evidence.profiles --tests",
             "-m ttt_lib.evidence.robustness --read-only E make test TTT_ENV=E"],
        ),
    ],
)  # fmt: skip
def test_what_a_target_runs(target: str, commands: list[str], tmp_path: Path) -> None:
    environment = str(tmp_path)
    (tmp_path / "installed-notebooks,test,docs,teach,scale").touch()
    plan = make("-n", target, f"TTT_ENV={environment}").replace(environment, "E").replace('"', "")
    ran = [line.partition(" ")[2] for line in plan.splitlines() if line.startswith("E/bin/")]
    assert [line.strip() for line in ran] == commands


def test_a_fresh_clone_is_linted_tested_and_made_as_on_another_processor() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    phases = re.findall("^phase (.*)$", script, re.MULTILINE)
    assert phases == ["env", "lint", "test", 'profiles ARGS="--unlike --quick"']


def test_files_named_as_the_longest_exist() -> None:
    there = [*ROOT.glob("tests/*.py"), *ROOT.glob("notebooks/*.ipynb")]
    assert set(LONGEST) <= {path.stem for path in there}


@pytest.mark.parametrize(
    "target", ["reproduce", "test", "lint", "play", "figures", "book", "bench", "robust"]
)
def test_target_makes_the_environment_first(target: str, tmp_path: Path) -> None:
    plan = make("-n", target, f"TTT_ENV={tmp_path}/env")
    assert plan.index("-m venv") < plan.rindex(f"{tmp_path}/env/bin/")


def test_kernels_are_compiled_where_notebooks_are_installed(tmp_path: Path) -> None:
    """And the bytecode of the tests, where these are."""
    plans = [
        make("-n", "env", f"TTT_ENV={tmp_path}/env", f"EXTRAS={e}")
        for e in ("notebooks", "test", "lock")
    ]
    assert ["-m ttt_lib.people.warmup" in plan for plan in plans] == [True, False, False]
    assert ["--collect-only" in plan for plan in plans] == [False, True, False]


def test_environment_is_made_once(tmp_path: Path) -> None:
    (tmp_path / "installed-notebooks,test,docs,teach,scale").touch()
    assert "-m venv" not in make("-n", "lint", f"TTT_ENV={tmp_path}")


@pytest.mark.parametrize(("target", "asked"), [("shell", "ttt 1 2"), ("ttt", "1 2")])
def test_the_command_is_found(
    target: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the shell that make opens, and by make itself."""
    (tmp_path / "installed-notebooks,test,docs,teach,scale").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ttt").write_text('#!/bin/sh\necho "asked $*"\n')
    (tmp_path / "bin/ttt").chmod(0o755)
    (tmp_path / "sh").write_text(f"#!/bin/sh\n{asked if target == 'shell' else ''}\n")
    (tmp_path / "sh").chmod(0o755)
    monkeypatch.setenv("SHELL", str(tmp_path / "sh"))
    shown = make(target, f"TTT_ENV={tmp_path}", "ARGS=1 2")
    assert shown == "asked 1 2\n"


def test_works_from_another_folder(tmp_path: Path) -> None:
    plan = make("-C", str(ROOT), "-n", "lint", "TTT_ENV=elsewhere", cwd=tmp_path)
    assert f'"{ROOT}/elsewhere/bin/ruff" check .' in plan


def test_clean_removes_only_what_make_made(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)  # a reproduce may be running in the checkout itself
    folder = tmp_path / "env"
    for path in (folder, tmp_path / ".staging-x", tmp_path / "data"):
        path.mkdir()
    make("clean", f"TTT_ENV={folder}", cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Makefile", "data", "env"]
    (folder / "pyvenv.cfg").touch()
    make("clean", f"TTT_ENV={folder}", cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Makefile", "data"]


def test_an_edit_starts_a_new_cache_of_kernels(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    source = tmp_path / "ttt_lib" / "kernels.py"
    source.parent.mkdir()
    source.write_text("a = 1")
    first, again = cache_of_kernels(tmp_path), cache_of_kernels(tmp_path)
    source.write_text("a = 2")
    assert first == again != cache_of_kernels(tmp_path)


def cache_of_kernels(folder: Path) -> str:
    """Return the place of the cache that make hands to its commands."""
    shown = make("--eval", "show: ; @echo $$NUMBA_CACHE_DIR", "show", cwd=folder)
    assert shown.startswith(f"{folder}/.venv/cache/numba-")
    return shown


def test_an_old_python_is_refused(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'Python 3.11 or newer is needed' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(AssertionError, match=r"Python 3\.11 or newer"):
        make("env", f"PYTHON={python}", f"TTT_ENV={tmp_path}/env")

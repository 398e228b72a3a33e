"""One set of pins: pyproject.toml, constraints.txt, environment.yml and what is installed agree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PIN_LINES = [
    line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")
]
PIN = re.compile(r"[a-z0-9-]+==[0-9][0-9a-z.]*( ; [a-z_]+ .+|( ; \(.+))?")
INSTALLED_EXTRAS = frozenset({"notebooks", "test", "docs", "teach", "scale"})


@cache
def pins() -> dict[str, list[Requirement]]:
    """Group the pins by package: some have one for each range of Python versions."""
    grouped: dict[str, list[Requirement]] = {}
    for pin in map(Requirement, PIN_LINES):
        grouped.setdefault(pin.name, []).append(pin)
    return grouped


def pinned_version(name: str) -> str | None:
    """Return the version that is pinned for the running Python, None where none applies."""
    applying = [p for p in pins().get(name, []) if p.marker is None or p.marker.evaluate()]
    assert len(applying) <= 1, f"{name} is pinned twice"
    return next(iter(applying[0].specifier)).version if applying else None


def pip_lines() -> list[str]:
    """Return what environment.yml hands to pip."""
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    [lines] = [entry["pip"] for entry in dependencies if isinstance(entry, dict)]
    return list(lines)


def requested(name: str, extras: frozenset[str], seen: set[tuple[str, str]]) -> set[str]:
    """Collect the names of all installed packages that `name` with `extras` asks for, in turn."""
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        environments = [{"extra": extra} for extra in extras | {""}]
        marker = requirement.marker
        if marker is not None and not any(marker.evaluate(e) for e in environments):
            continue
        key = (canonicalize_name(requirement.name), ",".join(sorted(requirement.extras)))
        if key not in seen:
            seen.add(key)
            requested(requirement.name, frozenset(requirement.extras), seen)
    return {package for package, _ in seen}


# ---------------------------------------------------------------------------- the pins


def test_pins_are_exact_and_portable() -> None:
    assert [line for line in PIN_LINES if not PIN.fullmatch(line)] == []


@pytest.mark.parametrize(
    "bad", ["torch==2.13.0+cpu", "numpy>=2", "numpy==2.4.*", "-e .", "a==1 --hash=x"]
)
def test_pin_pattern_refuses(bad: str) -> None:
    assert not PIN.fullmatch(bad)


def test_header_names_no_registry() -> None:
    assert "://" not in (ROOT / "constraints.txt").read_text()


@pytest.mark.parametrize("extra", ["core", *sorted(set(EXTRAS) - {"all"})])
def test_constraints_cover_every_dependency(extra: str) -> None:
    for line in PROJECT["dependencies"] if extra == "core" else EXTRAS[extra]:
        requirement = Requirement(line)
        if requirement.name == "ttt-lib":  # another extra, whose own lines are compared
            continue
        candidates = pins()[canonicalize_name(requirement.name)]
        versions = [next(iter(pin.specifier)).version for pin in candidates]
        assert list(requirement.specifier.filter(versions)) == versions


def test_all_means_every_extra() -> None:
    [line] = EXTRAS["all"]
    assert Requirement(line).extras == set(EXTRAS) - {"all"}


# ---------------------------------------------------------------------------- conda and Binder


def test_environment_file_is_thin() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    named = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    assert environment["channels"] == ["conda-forge"]
    assert [re.split("[=<>]", entry)[0] for entry in named] == ["python", "pip"]


def test_environment_file_asks_for_a_python_that_the_project_allows() -> None:
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    name, _, asked_for = dependencies[0].partition("=")
    assert name == "python"
    assert asked_for in SpecifierSet(PROJECT["requires-python"])
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"--python-version (\S+)", makefile) == [asked_for], "pinned for another"


def test_environment_file_and_makefile_install_the_same(dry_make: str) -> None:
    commands = re.findall(r'install .*?(-c constraints\.txt) (-e) "(\S+)"', dry_make)
    assert commands == [("-c constraints.txt", "-e", pip_lines()[1].removeprefix("-e "))] * 2
    assert pip_lines()[0] == "-c constraints.txt"


@pytest.fixture
def dry_make(tmp_path: Path) -> str:
    """Return the commands that would make an environment."""
    command = ["make", "--no-print-directory", "-n", "env", f"TTT_ENV={tmp_path / 'env'}"]
    environment = {"PATH": "/usr/bin:/bin"}  # none of the variables of a make around this test
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def installs(lines: list[str], report: Path) -> list[str]:
    """What pip would install for some of its lines, offline; uv, where it is, answers sooner."""
    words = [word for line in lines for word in line.split()]
    offline = ["--dry-run", "--no-index", "--no-build-isolation"]
    uv = Path(sys.executable).with_name("uv")
    if uv.exists():
        command = [str(uv), "--no-config", "--no-cache", "pip", "install", "--offline"]
        where = ["--python", sys.executable]
    else:
        command = [sys.executable, "-m", "pip", "--isolated", "install"]
        where = ["--disable-pip-version-check", "--report", str(report)]
    settings = {k: v for k, v in os.environ.items() if not k.startswith("UV_")}
    done = subprocess.run(
        [*command, *offline, *where, *words], cwd=ROOT, env=settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    if uv.exists():
        return re.findall(r"^ \+ ([\w-]+)", done.stderr, re.MULTILINE)
    return [item["metadata"]["name"] for item in json.loads(report.read_text())["install"]]


def test_environment_file_asks_for_what_is_installed(tmp_path: Path) -> None:
    """Nothing but the project itself is left to install."""
    assert installs(pip_lines(), tmp_path / "report.json") == ["ttt-lib"]


# ---------------------------------------------------------------------------- what is installed


def test_installed_versions_are_the_pinned_ones() -> None:
    packages = requested("ttt-lib", INSTALLED_EXTRAS, set()) - {"ttt-lib"}
    installed = {name: Version(version(name)).public for name in packages}
    assert len(installed) > 100
    assert installed == {name: pinned_version(name) for name in packages}


def test_environment_file_asks_for_the_extras_compared_here() -> None:
    assert (
        Requirement(pip_lines()[1].removeprefix("-e .").join(["x", ""])).extras == INSTALLED_EXTRAS
    )

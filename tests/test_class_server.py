"""The class server's configuration: what students get, and what their servers can't see."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from class_server import CONFIG
from confined import needs_sandbox
from traitlets.config.loader import PyFileConfigLoader

from ttt_lib.people.grading import teach

ROOT = Path(__file__).parents[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of two with two exercises, one of which is Ben's own variant."""
    monkeypatch.setenv("CLASS_PASSWORD", "enough for a test")
    (tmp_path / "released/ben").mkdir(parents=True)
    (tmp_path / "released/a.ipynb").write_text("for all")
    (tmp_path / "released/ben/a.ipynb").write_text("Ben's")
    (tmp_path / "students.txt").write_text("ada\nben\n")
    (tmp_path / CONFIG.name).write_bytes(CONFIG.read_bytes())
    return tmp_path


def started(folder: Path, name: str) -> tuple[Any, list[str]]:
    """The configuration, and the command that a student's server is started by."""
    config = PyFileConfigLoader(CONFIG.name, path=str(folder)).load_config()
    spawner = SimpleNamespace(user=SimpleNamespace(name=name), cmd=[])
    config.Spawner.pre_spawn_hook(spawner)
    return config, spawner.cmd


def test_only_listed_students_and_only_from_this_machine(folder: Path) -> None:
    config, _ = started(folder, "ada")
    assert config.Authenticator.allowed_users == {"ada", "ben"}
    assert "admin_users" not in config.Authenticator
    assert not config.Authenticator.allow_all
    assert not config.FirstUseAuthenticator.create_users
    assert config.JupyterHub.bind_url.startswith("http://127.0.0.1:")


def test_students_get_what_is_released_and_keep_what_they_have(folder: Path) -> None:
    started(folder, "ada")
    started(folder, "ben")
    work = folder / "work"
    assert {str(p.relative_to(work)): p.read_text() for p in work.rglob("*.*")} == {
        "ada/a.ipynb": "for all",
        "ben/a.ipynb": "Ben's",
    }
    (work / "ada/a.ipynb").write_text("Ada's answer")
    (work / "ben/a.ipynb").unlink()
    (work / "ben/a.ipynb").symlink_to(folder / "outside")
    started(folder, "ada")
    started(folder, "ben")
    assert (work / "ada/a.ipynb").read_text() == "Ada's answer"
    assert not (folder / "outside").exists()


@needs_sandbox
def test_servers_see_nothing_but_their_own_folder(folder: Path) -> None:
    _, command = started(folder, "ada")
    started(folder, "ben")
    hidden = [
        *(folder / "work/ben", folder / "released", folder / "students.txt", folder / CONFIG.name),
        *teach.masters().values(),
    ]
    own = folder / "work/ada/a.ipynb"
    assert all(path.exists() for path in [own, *hidden])
    program = (
        "import pathlib, sys\n"
        "print([p for p in sys.argv[1:] if pathlib.Path(p).exists()])\n"
        "pathlib.Path(sys.argv[1]).write_text('changed')\n"
        "try: pathlib.Path(sys.prefix, 'mine').write_text('')\n"
        "except OSError: print('read-only')\n"
    )
    asked = [*command[:-1], sys.executable, "-c", program, str(own), *map(str, hidden)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"['{own}']", "read-only"], done.stderr
    assert own.read_text() == "changed"
    assert command[-1].endswith("jupyterhub-singleuser")


def test_commands_of_the_readme_name_what_there_is() -> None:
    text = (CONFIG.parents[1] / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## A class server")[2].partition("\n## ")[0]
    commands = "\n".join(re.findall(r"```console\n(.*?)```", section, re.DOTALL))
    named = set(re.findall(r"notebooks/[\w./]+|tests/[\w./]+\.py", section))
    made = {"notebooks/exercises/student"}  # by make exercises
    assert str(CONFIG.relative_to(ROOT)) in named
    assert made <= named
    assert [path for path in named - made if not (ROOT / path).exists()] == []
    parts = re.findall(r'here / "([\w.]+)', CONFIG.read_text(encoding="utf-8"))
    assert [p for p in {*parts, CONFIG.name, "env"} - {"work"} if p not in commands] == [
        "node_modules"  # by npm
    ]

"""What a program in the sandbox sees and may use, asked from inside, and what is left of it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import pytest
from confined import needs_sandbox

from ttt_lib.people.grading import sandbox, teach

LIMITS = sandbox.Limits(
    seconds=31, memory=32 * sandbox.MIB, address_space=8192 * sandbox.MIB, processes=33, disk=34_000
)

PROBE = """
import json, os, resource, socket, sys

def listed(place):
    return sorted(os.listdir(place)) if os.path.isdir(place) else None

def writable(place):
    name = os.path.join(place, "of mine")
    try:
        open(name, "w").close()
        os.remove(name)
    except OSError:
        return False
    return True

names = ("CPU", "AS", "NPROC", "FSIZE", "CORE")
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
folders, places = json.loads(sys.argv[1])
print(json.dumps({
    "limits": {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names},
    "users": os.getresuid(),
    "groups": [*os.getresgid(), *os.getgroups()],
    "rights": int(status["CapEff"], 16) | int(status["CapPrm"], 16),
    "new rights": status["NoNewPrivs"].strip() == "0",
    "namespaces": {name: os.readlink("/proc/self/ns/" + name) for name in listed("/proc/self/ns")},
    "processes": [int(name) for name in os.listdir("/proc") if name.isdigit()],
    "interfaces": [name for _, name in socket.if_nameindex()],
    "listed": {folder: listed(folder) for folder in folders},
    "writable": [place for place in places if writable(place)],
    "folder": os.getcwd(),
    "variables": dict(os.environ),
}))
"""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
"""What everybody may read of the system; under /etc, where passwords lie, one file."""


# ---------------------------------------------------------------------------- asked from inside


def run(code: str, scratch: Path, *arguments: str) -> str:
    """What a program in the sandbox prints."""
    command = sandbox.confine([sys.executable, "-c", code, *arguments], scratch, LIMITS)
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout


def seen() -> list[Path]:
    """Every folder or file that may be read, by its path."""
    python = [sys.base_prefix, sys.prefix, str(sandbox.LIBRARY), *sandbox.compiled()]
    packages = [place for place in sys.path if place.endswith("-packages")]
    return [Path(place) for place in (*SYSTEM, *python, *packages) if Path(place).exists()]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch").resolve()


@pytest.fixture(scope="module")
def inside(scratch: Path) -> Any:
    """What the probe finds."""
    above = sorted({str(folder) for place in (*seen(), scratch) for folder in place.parents})
    places = ["/", "/dev", "/dev/shm", "/proc", *map(str, seen()), str(sandbox.CACHES)]
    with mock.patch.dict(os.environ, OF_THE_GRADER="secret"):
        return json.loads(run(PROBE, scratch, json.dumps([above, [*places, str(scratch)]])))


@needs_sandbox
def test_each_resource_has_the_limit_of_the_submission(inside: Any) -> None:
    limits = inside["limits"]
    processes = limits.pop("NPROC")
    assert limits == {"CPU": [31, 31], "AS": 2 * [8 << 30], "FSIZE": 2 * [34_000], "CORE": [0, 0]}
    if sandbox.as_root():
        assert processes == [33, 33]  # others' processes outside count, too
    else:
        assert processes[0] == processes[1] > 33


@needs_sandbox
def test_a_program_has_no_rights_and_no_group_but_its_own(inside: Any) -> None:
    assert inside["rights"] == 0
    assert not inside["new rights"]
    assert len(set(inside["users"])) == 1
    if sandbox.as_root():
        (user,) = set(inside["users"])
        assert user >= 60_000
        assert inside["groups"] == 3 * [user]


@needs_sandbox
def test_a_program_shares_neither_processes_nor_network_nor_messages_nor_host(inside: Any) -> None:
    for name in ("ipc", "mnt", "net", "pid", "uts"):
        assert inside["namespaces"][name] != str(Path(f"/proc/self/ns/{name}").readlink()), name
    assert max(inside["processes"]) < 10
    assert inside["interfaces"] == ["lo"]


@needs_sandbox
def test_nothing_is_listed_that_does_not_lead_to_what_may_be_read(
    inside: Any, scratch: Path
) -> None:
    lead = {*seen(), *map(Path, ("/dev", "/proc")), scratch}
    for folder, names in inside["listed"].items():
        if any(Path(folder).is_relative_to(place) for place in lead):
            continue
        expected = {
            place.relative_to(folder).parts[0] for place in lead if place.is_relative_to(folder)
        }
        assert set(names) == expected, folder


@needs_sandbox
def test_only_its_own_folder_can_be_written(inside: Any, scratch: Path) -> None:
    assert inside["writable"] == ["/dev/shm", str(scratch)]
    assert inside["folder"] == inside["variables"]["HOME"] == str(scratch)


@needs_sandbox
def test_nothing_of_the_grader_is_among_the_variables(inside: Any, scratch: Path) -> None:
    variables = inside["variables"]
    assert "OF_THE_GRADER" not in variables
    variables.pop("PWD", None)
    variables.pop("LC_CTYPE", None)  # Python's own
    assert variables["PATH"].split(":") == [str(Path(sys.executable).parent), "/usr/bin", "/bin"]
    assert variables == sandbox.variables(scratch)


def test_what_is_mounted_is_read_only_but_for_the_scratch_folder(tmp_path: Path) -> None:
    """Also what bubblewrap makes itself, where a user without rights owns it."""
    words = sandbox.mounts(tmp_path)
    pairs = list(pairwise(words))
    shown = [target for word, target in pairs if word == "--remount-ro"]
    made = [target for word, target in pairs if word in ("--dev", "--tmpfs")]
    assert shown == [*made[-1:], *made[:-1], "/"]
    assert {source for word, source in pairs if word == "--bind"} == {str(tmp_path)}


KILLED = """
import subprocess, sys, time
from pathlib import Path
from ttt_lib.people.grading import sandbox

child = subprocess.Popen(sandbox.confine(["/bin/sleep", "600"], Path(sys.argv[1])))
print(child.pid, flush=True)
time.sleep(600)
"""


def is_asleep(process: psutil.Process) -> bool:
    """Whether it is the program that sleeps; those of bubblewrap may end while one looks."""
    with suppress(psutil.Error):
        return "sleep" in "".join(process.cmdline()[:1])
    return False


def has_ended(process: psutil.Process) -> bool:
    """Also if nobody has collected its exit status."""
    with suppress(psutil.NoSuchProcess):
        return process.status() == psutil.STATUS_ZOMBIE
    return True


class Looking(sandbox.Watch):
    """While it looks, and finds nothing, a reason comes from elsewhere."""

    def excess(self) -> str:
        self.kill("too much output")
        return ""

    def stop(self) -> None:
        self.done.set()


def test_a_reason_that_comes_while_the_watch_looks_is_kept(tmp_path: Path) -> None:
    watch = Looking(os.getpid(), tmp_path, LIMITS)
    watch.run()
    assert watch.reason == "too much output"


@needs_sandbox
def test_it_ends_when_the_grader_is_killed(tmp_path: Path) -> None:
    words, until = [sys.executable, "-c", KILLED, str(tmp_path)], time.monotonic() + 60
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        family = [psutil.Process(int(grader.stdout.readline()))]
        while not any(map(is_asleep, family)):
            assert time.monotonic() < until
            family = [family[0], *family[0].children(recursive=True)]
        grader.kill()
    while not all(map(has_ended, family)):
        assert time.monotonic() < until
        time.sleep(0.05)


# ---------------------------------------------------------------------------- what is visible


def test_masters_are_not_among_what_is_visible() -> None:
    shown = [Path(place) for place in sandbox.visible()]
    for path in (*teach.masters().values(), Path(__file__)):
        assert not any(path.is_relative_to(place) for place in shown)


def test_byte_code_that_is_shown_is_that_of_what_is_visible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in (sandbox.LIBRARY, Path(__file__).parent):
        (tmp_path / str(source)[1:]).mkdir(parents=True)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    assert sandbox.compiled() == [str(tmp_path) + str(sandbox.LIBRARY)]
    assert sandbox.variables(tmp_path)["PYTHONPYCACHEPREFIX"] == str(tmp_path)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    assert sandbox.compiled() == []
    assert "PYTHONPYCACHEPREFIX" not in sandbox.variables(tmp_path)


HIDDEN = """
import os, sys, tempfile
from pathlib import Path
from ttt_lib.people.grading import sandbox

if os.geteuid() == 0:  # root may list any folder
    os.setgid(60_000)
    os.setuid(60_000)
for deep in (False, True):
    scratch = Path(tempfile.mkdtemp())
    watch = sandbox.Watch(os.getpid(), scratch, sandbox.LIMITS)
    assert watch.excess() == ""
    os.chdir(scratch)
    for _ in range(2000 if deep else 1):
        os.mkdir("of mine")
        os.chdir("of mine")
    Path("large").touch()
    os.chdir("/")
    if not deep:
        (scratch / "of mine").chmod(0o300)
    print(watch.excess())
    sandbox.remove(scratch)
    assert not scratch.exists()
"""


def test_a_folder_that_cannot_be_listed_is_told_and_does_not_stay() -> None:
    """One without the right to, and one whose path is too long."""
    words = [sys.executable, "-B", "-c", HIDDEN]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == 2 * ["a folder that can't be read"], done.stderr


def test_deleted_files_that_are_held_open_count_once(tmp_path: Path) -> None:
    family = 2 * [psutil.Process()]
    before_ = sandbox._deleted(family)
    with (tmp_path / "f").open("wb", 0) as file, os.fdopen(os.dup(file.fileno()), "wb"):
        file.write(bytes(10**6))
        assert sandbox._deleted(family) == before_, "it has a name"
        (tmp_path / "f").unlink()
        assert 10**6 <= sandbox._deleted(family) - before_ < 2 * 10**6


# ---------------------------------------------------------------------------- what is left


@pytest.mark.parametrize("fills", [False, True])
def test_of_a_kernel_nothing_stays_but_what_trusted_code_compiled(
    tmp_path: Path, *, fills: bool
) -> None:
    kernel = sandbox.SandboxedKernel()
    kernel.cache, kernel.fills_cache = tmp_path / "cache", fills
    (kernel.scratch / "numba").mkdir()
    (kernel.scratch / "numba" / "compiled").write_text("code")
    asyncio.run(kernel._async_cleanup_resources())
    assert not kernel.scratch.exists()
    assert [path.name for path in tmp_path.rglob("compiled")] == fills * ["compiled"]

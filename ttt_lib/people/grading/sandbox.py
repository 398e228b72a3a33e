"""Kernels for strangers' notebooks: no network, no files but their own, limits on all they use.

A kernel runs under `bubblewrap <https://github.com/containers/bubblewrap>`_ in namespaces of its
own.  It sees the system's programs, this Python and ``ttt_lib``, all read-only and with their byte
code, and one scratch folder.  The grader stays outside and talks to it through sockets in that
folder, so checks with points are sent only when they are run, and what the kernel answers is data.
Memory, processes and files are also watched from outside, because limits of the system count each
process by itself.  The watch sees what processes hold: not shared memory that none has attached,
nor deleted files that are only mapped.
"""

from __future__ import annotations

import functools
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import zmq
from jupyter_client.manager import AsyncKernelManager

from ttt_lib.people.grading import confined

LIBRARY = Path(confined.__file__).resolve().parents[2]
CACHES = Path(sys.prefix) / "cache"
"""Where ``make`` keeps caches of all kinds, a history of the grader's commands among them."""
MIB = 1024**2


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Its output is limited by :class:`ttt_lib.people.grading.execution.Run`.

    Attributes
    ----------
    seconds : int
        Processor time of a process.
    memory : int
        Bytes in memory of all processes together, but for what is mapped from files.
    address_space : int
        Bytes that a process may reserve; compilers reserve more than they use.
    processes : int
        Processes and threads.
    disk : int
        Bytes in the scratch folder, and in deleted files that a process still holds open.
    """

    seconds: int = 300
    memory: int = 1000 * MIB
    address_space: int = 4096 * MIB
    processes: int = 64
    disk: int = 100 * MIB


LIMITS = Limits()


class NoSandboxError(ValueError):
    """The system offers no sandbox."""


# ---------------------------------------------------------------------------- what is seen


def visible() -> list[str]:
    """Folders that a submission may read: the system's, this Python's and the library's."""
    system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache"]
    packages = [place for place in sys.path if place.endswith("-packages")]
    wanted = [*system, sys.base_prefix, sys.prefix, *packages, str(LIBRARY)]
    return [place for place in dict.fromkeys(wanted) if Path(place).exists()]


def compiled() -> list[str]:
    """Folders with Python's byte code of what is visible, where it is kept apart from its source.

    No other byte code is shown: it would tell what else the grader has run.
    """
    if sys.pycache_prefix is None:
        return []
    prefix = Path(sys.pycache_prefix).absolute()
    kept = [prefix / place.lstrip("/") for place in visible()]
    return [str(place) for place in kept if place.is_dir()]


def parents(places: Sequence[str]) -> list[str]:
    """The folders above some places, the outer ones first."""
    above = {str(folder) for place in places for folder in list(Path(place).parents)[:-1]}
    return sorted(folder for folder in above if not folder.startswith("/usr"))


def mounts(scratch: Path) -> list[str]:
    """Arguments of bubblewrap for the files: all read-only but the scratch folder."""
    hidden = [str(CACHES)] if CACHES.is_dir() else []
    found = folders([*visible(), str(scratch)])
    for place in visible():
        if Path(place).is_symlink() and not place.startswith(sys.prefix):
            found += ["--symlink", str(Path(place).readlink()), place]
        else:
            found += ["--ro-bind", place, place]
    for folder in hidden:
        found += ["--perms", "0755", "--tmpfs", folder]
    found += folders(compiled())
    for place in compiled():
        found += ["--ro-bind", place, place]
    found += ["--dev", "/dev", "--proc", "/proc", "--bind", str(scratch), str(scratch)]
    found += ["--bind", str(scratch), "/dev/shm"]
    return found + [word for place in ("/dev", *hidden, "/") for word in ("--remount-ro", place)]


def folders(places: Sequence[str]) -> list[str]:
    """Arguments of bubblewrap that make the folders above some places."""
    return [word for name in parents(places) for word in ("--perms", "0755", "--dir", name)]


def variables(scratch: Path) -> dict[str, str]:
    """The environment of a submission; from the grader's, only threads, language and time zone."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.endswith("_NUM_THREADS") or name in ("LANG", "LC_ALL", "TZ")
    }
    if compiled():
        kept["PYTHONPYCACHEPREFIX"] = str(Path(str(sys.pycache_prefix)).absolute())
    return kept | {
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "IPYTHONDIR": str(scratch / "ipython"),
        "NUMBA_CACHE_DIR": str(scratch / "numba"),
        "MPLCONFIGDIR": str(scratch / "matplotlib"),
        "MPLBACKEND": "Agg",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "PYTHONPATH": str(LIBRARY.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",
        "TQDM_DISABLE": "1",
        "NBGRADER_EXECUTION": "autograde",
    }


# ---------------------------------------------------------------------------- bubblewrap


def namespaces(*, root: bool) -> list[str]:
    """Arguments of bubblewrap for what is cut off.

    Root mounts as itself and changes to a user without rights afterwards; others need a namespace
    of users.
    """
    shared = ["--die-with-parent", "--unshare-ipc", "--unshare-pid", "--unshare-net"]
    rights = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*shared, "--unshare-uts", *(rights if root else ["--unshare-user"])]


def outer(scratch: Path, *, root: bool) -> list[str]:
    """The command that everything in the sandbox begins with.

    Raises
    ------
    NoSandboxError
        If bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise NoSandboxError("no sandbox: the program bwrap (package bubblewrap) is missing")
    given = [item for pair in variables(scratch).items() for item in ("--setenv", *pair)]
    return [program, *namespaces(root=root), *mounts(scratch), "--clearenv", *given, "--"]


@functools.cache
def as_root() -> bool:
    """Whether the sandbox is entered as root.

    Raises
    ------
    NoSandboxError
        If neither way works here, with bubblewrap's last message.
    """
    said = ""
    for root in (True, False) if os.geteuid() == 0 else (False,):
        with tempfile.TemporaryDirectory() as folder:
            command = [*outer(Path(folder).resolve(), root=root), "/bin/true"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return root
        said = done.stderr.strip() or said
    raise NoSandboxError(f"no sandbox: {said.splitlines()[-1] if said else 'bwrap fails'}")


def confine(command: Sequence[str], scratch: Path, limits: Limits = LIMITS) -> list[str]:
    """The command that runs another one in the sandbox, in its scratch folder.

    Raises
    ------
    NoSandboxError
        If there is none.
    """
    root = as_root()
    user = owner(scratch) if root else 0
    shown = [user, limits.seconds, limits.address_space, spare(limits, user), limits.disk]
    inner = [sys.executable, "-I", confined.__file__, *map(str, shown)]
    return [*outer(scratch, root=root), *inner, *command]


def owner(scratch: Path) -> int:
    """Give the scratch folder to a user who owns nothing else; return the user's number."""
    user = 60_000 + os.getpid() % 5000
    for path in [scratch, *scratch.rglob("*")]:
        os.chown(path, user, user, follow_symlinks=False)
    return user


def spare(limits: Limits, user: int) -> int:
    """The limit of processes: the system counts those that a user has outside, too."""
    if user:
        return limits.processes
    seen = [process.info for process in psutil.process_iter(["uids", "num_threads"])]
    own = [info for info in seen if info["uids"] and info["uids"].real == os.getuid()]
    return limits.processes + sum(info["num_threads"] or 0 for info in own)


# ---------------------------------------------------------------------------- watching


class Watch(threading.Thread):
    """Kills a process with all its children as soon as they use more than allowed.

    Attributes
    ----------
    reason : str
        Why it was killed; empty if it was not.
    """

    PAUSE = 0.15

    def __init__(self, pid: int, scratch: Path, limits: Limits) -> None:
        super().__init__(daemon=True, name="watch")
        self.process, self.scratch, self.limits = psutil.Process(pid), scratch, limits
        self.reason = ""
        self.done = threading.Event()

    def run(self) -> None:
        """Look every now and then."""
        while not self.done.wait(self.PAUSE):
            with suppress(psutil.Error, OSError):
                if found := self.excess():  # meanwhile a reason may have come from elsewhere
                    self.kill(found)

    def excess(self) -> str:
        """What exceeds its limit; empty if nothing does."""
        family = self.process.children(recursive=True)
        if self._too_large(family):
            return f"more than {self.limits.memory // MIB} MB of memory"
        if len(family) > self.limits.processes:
            return f"more than {self.limits.processes} processes"
        try:
            used = _named(self.scratch) + _deleted(family)
        except OSError:
            return "a folder that can't be read"
        return f"more than {self.limits.disk // MIB} MB of files" if used > self.limits.disk else ""

    def _too_large(self, family: Sequence[psutil.Process]) -> bool:
        """Whether they use too much memory; shares take longer to find, and are seldom needed."""
        return all(
            sum(used(process) for process in family) > self.limits.memory
            for used in (_resident, _share)
        )

    def kill(self, reason: str) -> None:
        """End it for a reason, also one found elsewhere; the first is kept."""
        self.reason = self.reason or reason
        self.stop()

    def stop(self) -> None:
        """End it: with bubblewrap's first process all others in the namespace end."""
        with suppress(psutil.Error):
            for process in [*self.process.children(recursive=True), self.process]:
                with suppress(psutil.Error):
                    process.kill()
        self.done.set()


def _resident(process: psutil.Process) -> int:
    """Bytes of anonymous and shared memory; what several processes share counts for each."""
    return _memory(process, "status", ("RssAnon", "RssShmem"))


def _share(process: psutil.Process) -> int:
    """The same, but of what several processes share only a part each, so that it counts once."""
    with suppress(PermissionError):  # to see this of other users' processes takes rights
        if found := _memory(process, "smaps_rollup", ("Pss_Anon", "Pss_Shmem")):
            return found
    return _resident(process)


def _memory(process: psutil.Process, file: str, names: Sequence[str]) -> int:
    """The sum of some lines of a file under ``/proc/PID``; 0 of a process that has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        lines = Path(f"/proc/{process.pid}/{file}").read_text(encoding="ascii", errors="replace")
        pairs = (line.partition(":")[::2] for line in lines.splitlines())
        return sum(int(size.split()[0]) * 1024 for name, size in pairs if name in names)
    return 0


def _named(folder: Path) -> int:
    """Bytes on disk of all that lies below a folder, however deep.

    Raises
    ------
    OSError
        If a folder can't be listed.
    """
    used, waiting = 0, [str(folder)]
    while waiting:
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                used += _size(entry)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return used


def _size(entry: os.DirEntry[str]) -> int:
    with suppress(OSError):
        return entry.stat(follow_symlinks=False).st_blocks * 512
    return 0


def _deleted(family: Sequence[psutil.Process]) -> int:
    """Bytes on disk of files without a name that processes hold open, each file once."""
    found = dict[tuple[int, int], int]()
    for process in family:
        with suppress(OSError), os.scandir(f"/proc/{process.pid}/fd") as entries:
            for entry in entries:
                with suppress(OSError):
                    it = entry.stat()
                    if stat.S_ISREG(it.st_mode) and it.st_nlink == 0:
                        found[it.st_dev, it.st_ino] = it.st_blocks * 512
    return sum(found.values())


def remove(folder: Path) -> None:
    """Remove a folder, and what lies in it as deep or as forbidden as a stranger can make it."""
    for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        subprocess.run([*command, "--", str(folder)], stderr=subprocess.DEVNULL, check=False)


# ---------------------------------------------------------------------------- kernels


class SandboxedKernel(AsyncKernelManager):
    """Jupyter's manager of a kernel, with the kernel in a sandbox.

    Attributes
    ----------
    limits : Limits
        What the kernel may use.
    watch : Watch or None
        Looks at it while it runs.
    cache : Path or None
        A folder with numba's compiled functions; the kernel gets a copy of its own.
    fills_cache : bool
        Whether that folder gets what this kernel compiles; for trusted code.
    """

    limits: Limits = LIMITS
    watch: Watch | None = None
    cache: Path | None = None
    fills_cache: bool = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="ttt-")).resolve()
        options |= {
            "transport": "ipc",
            "ip": str(self.scratch / "k"),
            "connection_file": str(self.scratch / "k.json"),
        }
        super().__init__(*arguments, **options)

    def client(self, **options: Any) -> Any:
        """A client that takes no single message larger than a kernel can print, for lack of memory.

        To print a text it must hold it three times.  But memory that nobody has written to costs
        it nothing and, sent as a message, would fill the grader's.
        """
        client = super().client(**options)
        client.context.setsockopt(zmq.MAXMSGSIZE, self.limits.memory // 3)
        return client

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        """The command of the kernel, run in the sandbox."""
        command = super().format_kernel_cmd(extra_arguments)
        if self.cache and self.cache.is_dir():
            shutil.copytree(self.cache, self.scratch / "numba", dirs_exist_ok=True)
        return confine([sys.executable, *command[1:]], self.scratch, self.limits)

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        options |= {**quiet, "stderr": subprocess.DEVNULL, "cwd": "/"}
        assert self.kernel_spec is not None
        self.kernel_spec.interrupt_mode = "message"  # signals would reach bubblewrap, too
        await super()._async_launch_kernel(kernel_cmd, **options)
        self.watch = Watch(self.provisioner.pid, self.scratch, self.limits)  # type: ignore[union-attr]
        self.watch.start()

    _launch_kernel = _async_launch_kernel

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        if self.watch:
            self.watch.stop()
        await super()._async_cleanup_resources(restart)
        if self.cache and self.fills_cache and (self.scratch / "numba").is_dir():
            shutil.copytree(self.scratch / "numba", self.cache, dirs_exist_ok=True)
        remove(self.scratch)

    cleanup_resources = _async_cleanup_resources

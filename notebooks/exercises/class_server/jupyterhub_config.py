"""A class server: students open a page, log in and run the exercises; they install nothing.

Copy this file into a folder of its own, beside ``env/`` (the wheel with its extra ``student``, and
JupyterHub), ``node_modules/``, ``released/`` (what ``make exercises`` wrote) and ``students.txt``
(one name per line), and start ``env/bin/jupyterhub`` there, on Linux, as a user without rights.
``notebooks/exercises/README.md`` has the commands, and says what is protected and what is not.
"""

import os
import shutil
import sys
from pathlib import Path

from ttt_lib.people.grading import sandbox

c = get_config()  # noqa: F821  (JupyterHub defines it)
here, programs = Path(__file__).resolve().parent, Path(sys.prefix) / "bin"
memory, idle = 2 * 10**9, 3600  # bytes that each process of a student may use; seconds

c.JupyterHub.bind_url = "http://127.0.0.1:8000"  # --url https://:8443 is for more than a trial
c.ConfigurableHTTPProxy.command = str(here / "node_modules/.bin/configurable-http-proxy")

# Who may log in.  One password for all is for a trial: with it anybody can log in as anybody.
# Without it the password of a student's first login becomes the student's own.  A school's PAM,
# LDAP, LTI or OAuth is better than either: see JupyterHub's documentation on authenticators.
password = os.environ.get("CLASS_PASSWORD")
c.JupyterHub.authenticator_class = "shared-password" if password else "firstuse"
c.SharedPasswordAuthenticator.user_password = password
c.FirstUseAuthenticator.create_users = False
c.Authenticator.allow_all = False
c.Authenticator.allowed_users = set((here / "students.txt").read_text(encoding="utf-8").split())


def released_to(name: str) -> Path:
    """The folder with a student's variants, or that with the notebooks for all."""
    own = here / "released" / name
    return own if own.is_dir() else here / "released"


def prepare(spawner):  # type: ignore[no-untyped-def]
    """Copy in what a student does not have yet, and confine the student's server to its folder."""
    folder = here / "work" / spawner.user.name
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in released_to(spawner.user.name).glob("*.ipynb"):
        if not os.path.lexists(folder / notebook.name):  # never write through a student's link
            shutil.copy(notebook, folder)
    spawner.cmd = [*confined(folder), str(programs / "jupyterhub-singleuser")]


def confined(folder: Path) -> list[str]:
    """What a server is started by: bubblewrap, as for grading, but with a network for the page."""
    cut_off = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    as_user = ["--uid", "1000", "--gid", "1000"]
    limits = ["prlimit", f"--data={memory}", f"--fsize={sandbox.LIMITS.disk}", "--core=0"]
    return ["bwrap", "--die-with-parent", *cut_off, *as_user, *sandbox.mounts(folder), *limits]


# SimpleLocalProcessSpawner needs no account of the system for each student.  By itself it protects
# nobody from anybody; here bubblewrap does.
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(here / "work" / "{username}")
c.Spawner.pre_spawn_hook = prepare
c.Spawner.env_keep = ["LANG", "LC_ALL"]
c.Spawner.environment = {
    "PATH": f"{programs}:/usr/bin:/bin",
    "JUPYTER_RUNTIME_DIR": "/dev/shm/.runtime",  # the student's folder: a socket's path is short
    "TMPDIR": "/dev/shm",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
c.Spawner.args = [
    "--KernelManager.transport=ipc",  # others could listen to ports
    f"--MappingKernelManager.cull_idle_timeout={idle}",
    "--LabApp.core_mode=True",  # no extensions, hence no look for their builds
    "--LanguageServerManager.autodetect=False",
    f"--ServerApp.shutdown_no_activity_timeout={idle}",
]

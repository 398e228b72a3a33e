"""Give up rights and set limits, then become another program; run inside a sandbox, by its path.

    python confined.py UID CPU_SECONDS MEMORY_BYTES PROCESSES FILE_BYTES PROGRAM ARGUMENT ...

It imports nothing but the standard library: what it starts is not trusted, and neither is its
working directory.
"""

import os
import resource
import sys


def main() -> None:
    """Set the limits, change to the user (0: no change), and run the program."""
    user, seconds, memory, processes, size = map(int, sys.argv[1:6])
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, size),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    os.chdir(os.environ["HOME"])  # not before: root without its rights may not enter
    os.execv(sys.argv[6], sys.argv[6:])


if __name__ == "__main__":
    main()

"""The same outputs on other processors: ``make profiles``.

What computes looks at the processor and picks its code: OpenBLAS a matrix kernel, numpy a width of
vectors, the C library one of several tanh, torch and numba their instructions.  Each can be told
by a variable to pick as if on another processor.  A profile is a set of these variables; under
each, everything is rebuilt and compared with what is stored, byte by byte.

Known to differ: Ultimate's stored runs made by self-play, since they learned in single precision
(without vector instructions even a network's first weights have other last digits).
What this can't show: another architecture (ARM), another system (macOS, Windows), and processors
newer than the one at hand.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ttt_lib.evidence import store
from ttt_lib.evidence.command import Parser, run_command

WIDE = "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
FUSED = "X86_V3 FMA3 AVX2"
"""numpy's names (2.4 and earlier) of what Intel has had since 2017, and since 2013 (AMD: 2015)."""

AVX2 = {
    "NPY_DISABLE_CPU_FEATURES": WIDE,
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
}


def compiled_for(name: str) -> dict[str, str]:
    """What numba compiles for: LLVM's name of a processor, with none of the features found here."""
    return {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}


PROFILES: Mapping[str, Mapping[str, str]] = {
    "zen": {"OPENBLAS_CORETYPE": "Zen", **compiled_for("x86-64-v3"), **AVX2},
    "haswell": {"OPENBLAS_CORETYPE": "Haswell", **compiled_for("haswell"), **AVX2},
    "skylakex": {"OPENBLAS_CORETYPE": "SkylakeX", **compiled_for("x86-64-v4")},
    "nehalem": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": f"{WIDE} {FUSED}",
        **compiled_for("generic"),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
    },
}
"""Variables by profile: AMD and Intel with AVX2, Intel with AVX-512, and 2008's, without FMA."""

NEEDS = {"zen": FUSED, "haswell": FUSED, "skylakex": "X86_V4 AVX512_SKX", "nehalem": ""}
"""Features of which the processor at hand must have at least one to run a profile's code."""

COUNTING = ("00", "04", "06")
"""Notebooks that read tables or count in whole numbers; all others train or fit as they run."""

WORKERS = 2
"""Processes that rebuild at the same time."""


def computing(root: Path) -> tuple[str, ...]:
    """Names of the notebooks below a folder whose numbers may depend on the processor."""
    names = (path.stem for path in store.notebooks(root))
    return tuple(name for name in names if not name.startswith(COUNTING))


def found() -> list[str]:
    """List the features of this processor that numpy has code for, beyond what it always needs."""
    import numpy as np

    config: Mapping[str, Mapping[str, list[str]]] = np.show_config(mode="dicts")  # type: ignore[assignment]
    return config["SIMD Extensions"].get("found", [])


def runnable() -> list[str]:
    """List the profiles that this processor can imitate: none if it is not an x86."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return []
    here = set(found())
    return [name for name, needs in NEEDS.items() if not needs or here & set(needs.split())]


def native() -> str:
    """Return OpenBLAS's name of the processor at hand."""
    import numpy as np
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    np.ones((2, 2)) @ np.ones((2, 2))  # loads it
    kernels = [info["architecture"] for info in threadpool_info() if "architecture" in info]
    return str(kernels[0]) if kernels else "unknown"


def unlike() -> str:
    """Return a profile unlike the processor at hand: without FMA if it has FMA, else with.

    Its own name is no guide: a processor without AVX2 may call itself Sandybridge.
    """
    return "nehalem" if set(found()) & set(FUSED.split()) else runnable()[0]


# ---------------------------------------------------------------------------- under a profile


def environment(name: str) -> dict[str, str]:
    """Return the environment of this process, changed as a profile needs it.

    numpy refuses to switch off what it does not have, so only what is there is named, or was
    before this process's own profile switched it off.
    """
    ours = {variable for profile in PROFILES.values() for variable in profile}
    kept = {key: value for key, value in os.environ.items() if key not in ours}
    wanted = dict(PROFILES[name])
    there = {*found(), *os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()}
    off = [f for f in wanted.pop("NPY_DISABLE_CPU_FEATURES", "").split() if f in there]
    return {**kept, **wanted, **({"NPY_DISABLE_CPU_FEATURES": " ".join(off)} if off else {})}


def imitate(name: str, command: Sequence[str]) -> int:
    """Run a command under a profile; return its exit status."""
    print(f"== as on {name}: {' '.join(command[1:])}", flush=True)
    return subprocess.run(command, env=environment(name), cwd=store.root()).returncode


def rebuild_quickly() -> int:
    """Make all figures, the quick data, all verdicts and the computing notebooks, and compare.

    Returns
    -------
    int
        1 if a file differs from the stored one, else 0; nothing is written.
    """
    from joblib import parallel_config

    from ttt_lib.evidence import claims, reproduce
    from ttt_lib.evidence.staging import contents, staged

    root = store.root()
    before, rows = contents(root), claims.load_results()
    with staged(root) as folder, parallel_config(backend="loky", n_jobs=WORKERS):
        fresh = reproduce.rebuild(root, folder, chosen=computing(root))
        amounts = reproduce.differences(folder, before)
    if amounts:
        print(reproduce.report(amounts, reproduce.changed_verdicts(rows, fresh)))
    return int(bool(amounts))


# ---------------------------------------------------------------------------- command line


def commands(quick: bool, tests: bool) -> list[list[str]]:
    """What is run under each profile."""
    module = "ttt_lib.evidence.profiles" if quick else "ttt_lib.evidence.reproduce"
    made = [[sys.executable, "-m", module, *(["--here"] if quick else [])]]
    return made + [[sys.executable, "-m", "pytest", "-q", "tests"]] * tests


def parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(prog="python -m ttt_lib.evidence.profiles", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PROFILES)}; else all there are")
    parser.add_argument("--unlike", action="store_true", help="the one unlike this processor")
    parser.add_argument("--quick", action="store_true", help="figures, quick data, verdicts, "
                        "notebooks that compute")  # fmt: skip
    parser.add_argument("--tests", action="store_true", help="run the tests as well")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser


def compare(options: argparse.Namespace) -> int:
    """Do what the options ask for; return the exit status: 1 if anything differs.

    Raises
    ------
    ValueError
        If a processor can't be imitated here, or there is no checkout.
    """
    store.checkout("to run everything as on other processors")
    if not runnable() and not options.names:
        print(f"{platform.machine()} can't imitate other processors: all profiles are of x86")
        return 0
    unknown = sorted(set(options.names) - set(runnable()))
    if unknown:
        raise ValueError(f"can't imitate {unknown[0]!r} here: {', '.join(runnable()) or 'none'}")
    if options.here:
        return rebuild_quickly()
    names = [unlike()] if options.unlike else options.names or runnable()
    print(f"this processor: {native()}")
    failed = [
        f"{name}: {' '.join(command[2:])}"
        for name in names
        for command in commands(options.quick, options.tests)
        if imitate(name, command)
    ]
    print("\n".join(["Not the same:", *failed] if failed else ["The same under every profile."]))
    return int(bool(failed))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command(parser(), compare, arguments)


if __name__ == "__main__":
    sys.exit(main())

"""Every output with its command and checksum, for others to check: an RO-Crate and a codecheck.yml.

``ro-crate-metadata.json`` (https://w3id.org/ro/crate) is written by the library ``rocrate``;
``codecheck.yml`` follows https://codecheck.org.uk/spec/config/1.0/.  Both list the same outputs:
stored data, the ledger, figures and executed notebooks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ttt_lib.evidence import figures, store
from ttt_lib.evidence.command import Parser, run_command

CRATE, CODECHECK = "ro-crate-metadata.json", "codecheck.yml"
NAME = "Five ways to teach a machine Tic-Tac-Toe: a compendium of reproductions"
FORMATS = {
    ".csv": "text/csv",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".safetensors": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
    "": "text/plain",
}
BESIDE = ("SHA256SUMS", "provenance.json", "README.md")
"""Files of ``data/`` that describe the others."""


@dataclass(frozen=True)
class Output:
    """An output: its path from the project's folder, what it is, and the command that makes it."""

    path: str
    about: str
    command: str


def outputs(root: Path) -> list[Output]:
    """List all outputs, by path."""
    data = [Output(f"data/{one.file}", one.about, one.command) for one in store.manifest()]
    about = "every published number, our value and its verdict"
    ledger = Output("data/claims/results.json", about, "make reproduce ARGS=--claims")
    beside = [Output(f"data/{n}", "about the stored files", "make reproduce") for n in BESIDE]
    drawn = [
        Output(f"figures/{name}.{kind}", entry.caption, f"ttt figures {name}")
        for name, entry in figures.manifest().items()
        for kind in ("csv", "pdf", "svg")
    ]
    books = [
        Output(f"notebooks/{path.name}", _title(path), "make reproduce")
        for path in store.notebooks(root)
    ]
    return sorted([*data, ledger, *beside, *drawn, *books], key=lambda one: one.path)


def _title(path: Path) -> str:
    cells = store.cells(path)
    return "".join(cells[0]["source"]).splitlines()[0].lstrip("# ") if cells else path.stem


def made(roots: Sequence[Path]) -> list[tuple[Output, Path]]:
    """The outputs, each with its file, without the figures that are declared but not drawn yet.

    Parameters
    ----------
    roots : sequence of Path
        As of :func:`place`.
    """
    found = [(one, place(one.path, roots)) for one in outputs(roots[-1])]
    drawn = {path.stem for _, path in found if path.exists()}
    return [(o, p) for o, p in found if p.stem in drawn or not o.path.startswith("figures/")]


def place(path: str, roots: Sequence[Path]) -> Path:
    """Path of a file in the first of some folders that holds it; in the last one if none does."""
    return next((root / path for root in roots if (root / path).exists()), roots[-1] / path)


def metadata(roots: Sequence[Path], released: str) -> str:
    """The text of the RO-Crate: each output with its checksum, each command with its outputs."""
    from rocrate.model.softwareapplication import SoftwareApplication
    from rocrate.rocrate import ROCrate

    crate = ROCrate()
    crate.name, crate.description = NAME, "Outputs, what makes them, and their checksums."
    crate.datePublished = datetime.fromisoformat(released).replace(tzinfo=UTC)
    crate.license = "https://spdx.org/licenses/CC-BY-4.0"
    about = {"name": "ttt_lib", "url": "./ttt_lib/"}
    tool = crate.add(SoftwareApplication(crate, "#ttt_lib", about))
    by_command: dict[str, list[Any]] = {}
    for one, path in made(roots):
        facts = {
            "name": one.path,
            "description": one.about,
            "encodingFormat": FORMATS[path.suffix],
            "contentSize": str(path.stat().st_size),
            "sha256": store.sha256(path),
        }
        file = crate.add_file(dest_path=one.path, properties=facts)
        by_command.setdefault(one.command, []).append(file)
    for number, (command, files) in enumerate(by_command.items()):
        about = {"@id": f"#action-{number}", "@type": "CreateAction", "name": command}
        action = crate.add_jsonld(about)
        action["instrument"], action["result"] = tool, files
        crate.root_dataset.append_to("mentions", action)
    return json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False) + "\n"


def codecheck(roots: Sequence[Path]) -> str:
    """The text of ``codecheck.yml``: the manifest of outputs; nobody has checked them yet."""
    head = [
        "---",
        "version: https://codecheck.org.uk/spec/config/1.0/",
        "paper:",
        f'  title: "{NAME}"',
        "  authors:",
        '    - name: "The compendium\'s authors"',
        "manifest:",
    ]
    for one, path in made(roots):
        comment = f"{one.command}; sha256 {store.sha256(path)}"
        head += [f"  - file: {one.path}", f"    comment: {json.dumps(comment)}"]
    return "\n".join([*head, "codechecker: []", ""])


def released(root: Path) -> str:
    """The release date that ``CITATION.cff`` states."""
    lines = (root / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    [date] = [line.partition(":")[2].strip() for line in lines if line.startswith("date-released")]
    return date


def write(roots: Sequence[Path], destination: Path) -> None:
    """Write both files; an output is looked for in these folders, one after the other."""
    store.write_atomic(destination / CRATE, metadata(roots, released(store.root())))
    store.write_atomic(destination / CODECHECK, codecheck(roots))


def write_all() -> None:
    """Write both files of the checkout."""
    root = store.checkout("to list every output")
    write([root], root)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write both files of the checkout; return the exit status."""
    parser = Parser(prog="python -m ttt_lib.evidence.crate", description=__doc__)
    return run_command(parser, lambda _: write_all(), arguments)


if __name__ == "__main__":
    sys.exit(main())

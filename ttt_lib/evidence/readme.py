"""The computed parts of ``README.md`` and ``data/README.md``; ``make reproduce`` refreshes them.

In the README a computed part stands between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; the
data dictionary is computed as a whole.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

from ttt_lib.evidence import bench, claims, scorecard, store
from ttt_lib.evidence.documents import documents

SHOWN = 6
"""Columns of a long table that the data dictionary names; the others it only counts."""


THE_GAME = "What is exactly true of the game, and how can a match be computed instead of played?"
THE_ARENA = "Who is the best player, what does a move cost, and what is each idea worth?"
"""What the notebooks without a document ask."""

QUOTED = (
    "exact match in fractions",
    "random playouts, 3x3",
    "N-tuple training, one update per position",
    "Ising: random v Ising, 3x3, equation",
    "Ising: Ising v Ising, 5x5x5x5, equation",
    "random playouts, Ultimate",
    "perft, every leaf played",
    "UCT, Ultimate, empty board",
    "UCT, Ultimate, after 6 to 36 plies",
    "PUCT with the table net",
    "look-up in the solver's table",
)
"""Rows of the stored benchmark that the README shows; ``ttt bench`` prints them all."""

# ---------------------------------------------------------------------------- README.md


def performance() -> str:
    """Some rows of the stored benchmark as Markdown: ratios to a reference of the same run.

    Raises
    ------
    ValueError
        If the benchmark lacks one of the rows.
    """
    found = bench.read()
    rows = {row["name"]: row for row in found["rows"]}
    missing = [name for name in QUOTED if name not in rows]
    if missing:
        raise ValueError(f"no row {missing[0]!r} in the stored benchmark: {', '.join(rows)}")
    body = [
        [
            row["name"],
            row["reference"],
            "-" if row["ratio"] is None else f"{_short(row['ratio'])}×",  # no reference here
            f"{_short(row['rate'])} {row['unit']}",
        ]
        for row in map(rows.__getitem__, QUOTED)
    ]
    head = ["what", "compared with", "speed", "rate here"]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    note = f"One core, {found['machine']}, {versions}."
    return f"{scorecard.markdown_table(head, body, texts=2)}\n\n{note}"


def _short(value: float) -> str:
    """Two significant digits, with thousands separators."""
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:.2g}"


def notebooks() -> str:
    """The notebooks as a Markdown table: which document each reproduces, and what it asks."""
    body = [
        ["`00_the_game`", "", THE_GAME],
        *(
            [f"`{one.notebook}`", f"{one.source} ({one.licence})", one.question]
            for one in documents().values()
        ),
        ["`06_arena`", "1 to 4", THE_ARENA],
    ]
    return scorecard.markdown_table(["notebook", "document", "question"], sorted(body), texts=3)


BLOCKS: dict[str, Callable[[], str]] = {
    "scorecard": lambda: scorecard.as_markdown(claims.load_results()),
    "notebooks": notebooks,
    "performance": performance,
}
"""The computed parts of the README."""


def refresh(text: str) -> str:
    """Recompute every part of a README that has markers; the rest stays as it is."""
    for name, make in BLOCKS.items():
        block = re.compile(rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
        if block.search(text):
            made = make()
            text = block.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", text)  # type: ignore[misc]
    return text


PAGES = ("README.md", "notebooks/book/using.md")
"""Where computed parts stand."""


def write(root: Path, folder: Path) -> None:
    """Write the pages with computed parts, from those in `root`, and ``data/README.md``."""
    for page in PAGES:
        if (root / page).exists():
            store.write_atomic(folder / page, refresh((root / page).read_text(encoding="utf-8")))
    store.write_atomic(folder / "data" / "README.md", dictionary())


# ---------------------------------------------------------------------------- data/README.md

HEAD = """# What is in this folder

Made from `manifest.toml` by `make reproduce`; edit that file, not this one.

- Every file below is declared in `manifest.toml` and has a checksum in `SHA256SUMS`
  (`cd data && sha256sum -c SHA256SUMS`).
- *quick* files are rebuilt by `make reproduce`, *long runs* by `make full`. The command
  `python -m ttt_lib.evidence.reproduce --data FILE ...` makes the named ones of either kind.
- `provenance.json` records how each long run was made (`make status`).
- Two files were read off published sources by hand, and their commands only copy them:
  `ising_published_sweeps_digitised.json` and `published_elsewhere.csv`.
- Tables are CSV in UTF-8 with one header line and at most 12 significant digits
  (`probabilities.csv` 15; `published_elsewhere.csv` as published). Fractions are text such as
  `757/3402`. `.safetensors` files hold the weights of networks.
- Where neither player chooses its moves at random, an opening that came twice in a match is one
  pair in the columns `pairs_*`, while `games` counts all its games.
- `claims/*.toml` are the published numbers, typed from the documents with the place where each
  stands; `claims/results.json` holds their verdicts.
"""


def dictionary() -> str:
    """The data dictionary: what each stored file is, its columns, origin, licence and maker."""
    return "\n".join([HEAD, *map(_entry, sorted(store.manifest(), key=lambda one: one.file))])


def _entry(one: store.Stored) -> str:
    facts = {
        "columns": _columns(store.data_dir() / one.file),
        "measured, different in each run": ", ".join(f"`{name}`" for name in one.times),
        "source": one.source,
        "licence": one.licence,
        "made by": f"`{one.command}` ({'quick' if one.quick else 'a long run'}; `{one.made_by}`)",
    }
    lines = [f"- {name}: {fact}" for name, fact in facts.items() if fact]
    return "\n".join([f"## {one.file}\n", f"{one.about[0].upper()}{one.about[1:]}.\n", *lines, ""])


def _columns(path: Path) -> str:
    if path.suffix != ".csv" or not path.exists():
        return ""
    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN + 6 else ""
    shown = names[:SHOWN] if more else names
    return ", ".join(f"`{name}`" for name in shown) + more

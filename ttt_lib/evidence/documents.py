"""The documents: their table, ``ttt_lib/documents.toml``, and what their repositories add.

The table is the one place that lists them.  The ledger judges what a document prints; its
repository often shows the same experiment again, in another version or another file, and nobody
chose those runs for a document: they are facts to set beside our runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ttt_lib.evidence import store

if TYPE_CHECKING:
    import pandas as pd

TABLE = Path(__file__).parents[1] / "documents.toml"


@dataclass(frozen=True)
class Document:
    """One reproduced document.

    Attributes
    ----------
    number : int
        Its number in the ledger.
    title, source, licence, question : str
        A short title for labels, author and work (Markdown), licence, and what its notebook asks.
    room, notebook : str
        Folder below ``ttt_lib/``, and the notebook's name without suffix.
    players : tuple of str
        Catalogue names of the players that are its idea.
    colour : str
        Its colour wherever players of several documents share a figure.
    """

    number: int
    title: str
    source: str
    licence: str
    room: str
    notebook: str
    question: str
    players: tuple[str, ...]
    colour: str


@cache
def documents() -> dict[int, Document]:
    """Every document by its number, in order.

    Raises
    ------
    ValueError
        If the table is no TOML or lacks a field, or two documents share a number, room or notebook.
    """
    try:
        entries = store.read_toml(TABLE)["document"]
        found = [Document(**entry | {"players": tuple(entry["players"])}) for entry in entries]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{TABLE} can't be read: {error!r}") from error
    for name in ("number", "room", "notebook"):
        if len({getattr(one, name) for one in found}) < len(found):
            raise ValueError(f"two documents share a {name} in {TABLE.name}")
    return {one.number: one for one in sorted(found, key=lambda one: one.number)}


def of_player(name: str) -> Document | None:
    """The document whose idea a player is, by its name in the catalog, with or without options."""
    bare = name.removeprefix("safety+").partition(":")[0]
    return next((one for one in documents().values() if bare in one.players), None)


# ---------------------------------------------------------------------------- published elsewhere

ELSEWHERE = "published_elsewhere.csv"


def published_elsewhere(document: int) -> pd.DataFrame:
    """Further published runs of a document, one row each and one column per quantity, as text.

    Returns
    -------
    DataFrame
        Indexed by run in order of the file; columns source, commit (empty where we noted none),
        playouts (document 1) and the quantities that its runs print (empty where one does not).
    """
    table = store.read_table(ELSEWHERE).astype({"published": str})
    table = table[table["document"] == document]
    wide = table.pivot(index="run", columns="quantity", values="published").fillna("")
    heads = table.drop_duplicates("run").set_index("run")[["source", "commit", "playouts"]]
    heads = heads.assign(commit=heads["commit"].fillna("")).dropna(axis="columns", how="all")
    return heads.join(wide[table["quantity"].unique()])


def make_published_elsewhere() -> str:
    """The file as it is: it was transcribed from repositories, and no program can remake it."""
    return (store.data_dir() / ELSEWHERE).read_text(encoding="utf-8")

"""The table of documents, ``ttt_lib/documents.toml``: the one place that lists them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ttt_lib.evidence import store

TABLE = Path(__file__).parents[1] / "documents.toml"


@dataclass(frozen=True)
class Document:
    """One reproduced document.

    Attributes
    ----------
    number : int
        Its number in the ledger.
    title, source, licence, question : str
        A short title for labels, author and work, the licence, and what its notebook asks.
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

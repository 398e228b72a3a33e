"""Further published runs of the documents' own repositories: facts to set beside our runs.

The ledger judges what a document prints.  Its repository often shows the same experiment again,
in another version or another file, and nobody chose those runs for a document.
"""

from __future__ import annotations

import pandas as pd

from ttt_lib.evidence import store

FILE = "published_elsewhere.csv"


def published_elsewhere(document: int) -> pd.DataFrame:
    """The further runs of a document, one row each and one column per quantity, as text.

    Returns
    -------
    DataFrame
        Indexed by run in order of the file; columns source, commit (empty where we noted none),
        playouts (document 1) and the quantities that its runs print (empty where one does not).
    """
    table = store.read_table(FILE).astype({"published": str})
    table = table[table["document"] == document]
    wide = table.pivot(index="run", columns="quantity", values="published").fillna("")
    heads = table.drop_duplicates("run").set_index("run")[["source", "commit", "playouts"]]
    heads = heads.assign(commit=heads["commit"].fillna("")).dropna(axis="columns", how="all")
    return heads.join(wide[table["quantity"].unique()])


def make_published_elsewhere() -> str:
    """The file as it is: it was transcribed from repositories, and no program can remake it."""
    return (store.data_dir() / FILE).read_text(encoding="utf-8")

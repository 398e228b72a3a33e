"""What notebooks say and show: computed sentences, claim tables, figures, rows of boards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ttt_lib.evidence import claims, scorecard
from ttt_lib.evidence.figures import show as figure
from ttt_lib.evidence.rounding import format_range, format_value
from ttt_lib.game.draw import Picture, row_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["boards", "claims_table", "figure", "say"]


def say(text: str) -> None:
    """Show a Markdown sentence, so that the numbers in it come from the run."""
    from IPython.display import Markdown, display

    display(Markdown(with_minus_signs(text)))  # type: ignore[no-untyped-call]


def with_minus_signs(text: str) -> str:
    """The text with true minus signs before numbers, but for code, formulas, links and tags."""
    kept = r"(`+[^`]*`+|\$[^$]*\$|\]\([^)]*\)|<[^>]*>)"
    parts = re.split(kept, text)
    parts[::2] = [re.sub(r"(?<![\w/.-])-(?=\.?\d)", "−", prose) for prose in parts[::2]]
    return "".join(parts)


def plain(text: str) -> str:
    """A text of the ledger without Markdown's marks, for the cells of a table."""
    return re.sub(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])", r"“\1”", text.replace("`", ""))


def boards(pictures: Sequence[Picture], captions: Sequence[str] = ()) -> None:
    """Show boards side by side, a caption under each."""
    from IPython.display import HTML, display

    display(HTML(row_of(pictures, captions)))  # type: ignore[no-untyped-call]


def claims_table(document: int, *prefixes: str) -> pd.DataFrame:
    """The stored verdicts on a document's claims, or on those whose id has one of the prefixes.

    Returns
    -------
    DataFrame
        Columns claim, published, ours, ours in its unit (that of the published value), interval,
        passes (the published values that would have passed), verdict, why; without Markdown's
        marks, which a table would show as they are.
    """
    import pandas as pd

    wanted = [
        row
        for row in claims.load_results()
        if row["document"] == document and (not prefixes or row["id"].startswith(prefixes))
    ]
    rows = [
        {
            "claim": row["quantity"],
            "published": format_value(row["published"]).replace("`", ""),
            "ours": format_value(row["ours"]).replace("`", ""),
            "ours in its unit": scorecard.in_published_unit(row),
            "interval": format_range(*row["interval"]) if row["interval"] else "",
            "passes": scorecard.would_pass(row),
            "verdict": row["verdict"],
            "why": plain(row["reason"]),
        }
        for row in wanted
    ]
    return pd.DataFrame(rows, index=pd.Index([row["id"] for row in wanted], name="id"))

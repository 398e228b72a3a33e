"""The ledger judged afresh, one document at a time, beside the stored one."""

from __future__ import annotations

import json
from dataclasses import asdict
from html.parser import HTMLParser
from typing import Any

from ttt_lib.evidence import claims

ABSENT = "absent"


def fresh(document: int) -> list[dict[str, Any]]:
    """The rows of a document, obtained and judged today, as ``results.json`` would hold them."""
    rows = claims.judge([one for one in claims.load() if one.document == document])
    judged: list[dict[str, Any]] = json.loads(claims.to_json(asdict(row) for row in rows))["claims"]
    return judged


def stored(document: int) -> list[dict[str, Any]]:
    """The rows of a document as they are stored."""
    return [row for row in claims.load_results() if row["document"] == document]


def differences(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> list[str]:
    """Name every field of every row in which two ledgers differ; missing rows too."""
    left, right = ({row["id"]: row for row in rows} for rows in (ours, theirs))
    lost = [f"{name}: in one ledger only" for name in left.keys() ^ right.keys()]
    changed = [
        f"{name}: {key} {left[name].get(key, ABSENT)!r}, stored {right[name].get(key, ABSENT)!r}"
        for name in left.keys() & right.keys()
        for key in left[name].keys() | right[name].keys()
        if left[name].get(key, ABSENT) != right[name].get(key, ABSENT)
    ]
    return sorted(lost + changed)


class _Rows(HTMLParser):
    """The rows of all tables, each a list of the texts of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def shown(html: str) -> list[dict[str, str]]:
    """The rows of a table of claims, as a notebook shows it; none if the table is another."""
    parser = _Rows()
    parser.feed(html)
    head = [*next(iter(parser.rows), [])]
    names = {place: name for place, name in enumerate(head) if name}
    for row in parser.rows[1:3]:  # a named index: its name stands in a second head row
        names |= {place: name for place, name in enumerate(row) if name in ("id", "claim")}
    if not {"claim", "verdict"} <= set(names.values()):
        return []
    body = [row for row in parser.rows[1:] if len(row) == len(head) and any(row[1:])]
    return [{name: row[place] for place, name in names.items()} for row in body]

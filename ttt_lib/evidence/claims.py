"""The ledger: every published number, our value, and a verdict that code computes.

A claim is declared in ``data/claims/*.toml`` with the function that obtains our
value.  What that function answers (:mod:`ttt_lib.evidence.answers`) says how the
published number is judged: a number is compared, a sentence holds or not, a sample
is tested (:mod:`ttt_lib.evidence.significance`), a setting is shown to be read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_lib.evidence import store
from ttt_lib.evidence.answers import ANSWERS, Finding, Ours, Setting, Value
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.rounding import agrees

if TYPE_CHECKING:
    from ttt_lib.evidence.significance import Tested

SIGNIFICANCE = 0.01
BLUNT = 0.5
"""A test that accepts a larger share of the quantity's range decides nothing."""

KINDS = tuple(ANSWERS)
DOCUMENTS = tuple(documents())
CONTRACT = (
    "id", "document", "where", "quantity", "published", "ours", "interval", "verdict", "reason",
    "kind", "n", "p_value", "accepts", "quote",
)  # fmt: skip
"""Fields that ``ttt claims --json`` prints of a row."""


@dataclass(frozen=True)
class Claim:
    """One published result or checkable sentence.

    Attributes
    ----------
    id, document, where, quantity
        Name, number of the document, place in it, and what is claimed.
    kind : str
        One of ``KINDS``.
    ours : str
        ``"module:function"`` that obtains our value; called with ``args``.
    quote : str
        The words of the document that are judged; they contain the published value.
    published : int, float, str or bool
        The value as printed; write a decimal as text to keep its digits, a match as
        ``"29-1-0"``, several numbers of one run separated by spaces.  By default the quote.
    n : int or None
        Published sample size; counts and matches are out of n.
    reason : str
        One sentence on why the verdict is what it is; the function may give a better one.
    section : str
        Notebook and heading, e.g. ``01_playout_mlp#how-good-can-it-be``.
    machine : str
        The machine that the document names beside a time; empty if it names none.
    """

    id: str
    document: int
    where: str
    quantity: str
    kind: str
    ours: str
    quote: str = ""
    published: int | float | str | bool = ""
    args: dict[str, Any] = field(default_factory=dict)
    n: int | None = None
    reason: str = ""
    section: str = ""
    machine: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"claim {self.id}: unknown kind {self.kind!r}: {', '.join(KINDS)}")
        if self.document not in DOCUMENTS:
            raise ValueError(f"claim {self.id}: document {self.document} is none of {DOCUMENTS}")
        if self.published == "":
            if not self.quote:
                raise ValueError(f"claim {self.id}: neither a published value nor a quote")
            object.__setattr__(self, "published", self.quote)


@dataclass(frozen=True)
class Row:
    """A judged claim, as the command line prints it.

    Attributes
    ----------
    interval : [float, float] or None
        Where 95 of 100 published values would lie (of a match its wins, or the result that the
        reason names; of several numbers of one run, its distance from our runs).
    accepts : [float or None, float or None] or None
        The published values, in the same unit, that would have passed: every sampled row has it.
    """

    id: str
    document: int
    where: str
    quantity: str
    published: int | float | str | bool
    ours: int | float | str | bool | None
    interval: list[float] | None
    verdict: str
    reason: str
    kind: str
    n: int | None
    p_value: float | None
    accepts: list[float | None] | None
    quote: str
    section: str


def load(folder: Path | None = None) -> list[Claim]:
    """Read all declared claims, in order of document.

    Raises
    ------
    ValueError
        If a file is no TOML, two claims share an id, or one has an unknown kind or field or lacks
        one.
    """
    folder = folder or store.data_dir() / "claims"
    claims = []
    for path in sorted(folder.glob("*.toml")):
        table = store.read_toml(path)
        try:
            claims += [_claim(table["document"], entry) for entry in table["claim"]]
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path.name}: {error}") from error
    doubled = [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]
    if doubled:
        raise ValueError(f"two claims are called {doubled[0]!r}")
    return claims


def _claim(document: int, entry: Any) -> Claim:
    if not isinstance(entry, dict):
        raise TypeError("each claim begins with [[claim]]")
    try:
        return Claim(document=document, **entry)
    except TypeError as error:
        raise TypeError(f"claim {entry.get('id', 'without id')}: {error}") from error


@cache
def declared(name: str) -> Claim:
    """The declared claim of this id.

    Raises
    ------
    ValueError
        If there is none.
    """
    for claim in load():
        if claim.id == name:
            return claim
    raise ValueError(f"no claim is called {name!r}")


def judge(claims: Sequence[Claim]) -> list[Row]:
    """Obtain our value of every claim and judge it; Holm's correction runs within a document.

    Raises
    ------
    ValueError
        If a claim has no value of ours, or one that it can't be compared with; the message begins
        with the claim's id.
    """
    judged = [_judge_named(claim) for claim in claims]
    return [row for document in DOCUMENTS for row in _correct(judged, document)]


def _judge_named(claim: Claim) -> Judged:
    """Judge a claim; whatever is wrong is told with its id."""
    try:
        return _judge_one(claim, answer(claim))
    except ValueError as error:
        raise ValueError(f"claim {claim.id}: {error}") from error


def answer(claim: Claim) -> Ours:
    """Call the function behind a claim; ``"@published"`` and ``"@quote"`` are the claim's own."""
    own = {"@published": claim.published, "@quote": claim.quote}
    args = {k: own.get(v, v) if isinstance(v, str) else v for k, v in claim.args.items()}
    ours: Ours = store.resolve(claim.ours)(**args)
    return ours


Judged = tuple[Row, "Tested | None"]
"""A row, and the test that is still to give its verdict."""


def unknown(found: str) -> Finding:
    """A statement that cannot be tested by computation here."""
    return Finding(None, found)


def _judge_one(claim: Claim, ours: Ours) -> Judged:
    from ttt_lib.evidence import significance  # needs numpy, reading verdicts doesn't

    if not isinstance(ours, ANSWERS[claim.kind]):
        raise ValueError(f"kind {claim.kind} can't be a {type(ours).__name__}")
    known: dict[str, Any] = {one.name: getattr(claim, one.name, None) for one in fields(Row)}
    known |= {"ours": None, "verdict": "", "reason": ours.reason or claim.reason}
    row = Row(**known)
    if isinstance(ours, Finding):
        return _found(row, claim, ours), None
    if isinstance(ours, Value):
        return _valued(row, claim, ours.value), None
    if isinstance(ours, Setting):
        return _adopted(row, ours), None
    test = significance.test(ours, claim.published, claim.n)
    reason = " ".join(filter(None, (row.reason, test.note)))
    row = replace(row, ours=test.ours, interval=test.interval, p_value=test.p_value, reason=reason)
    return row, test


def _found(row: Row, claim: Claim, ours: Finding) -> Row:
    open_ = "undecided" if ours.tested else "not testable"
    verdict = {True: "reproduced", False: "refuted", None: open_}[ours.holds]
    if row.kind in NOT_TESTABLE:
        return _not_testable(replace(row, ours=ours.found), claim)
    return replace(row, ours=ours.found, verdict=verdict)


def _valued(row: Row, claim: Claim, value: Any) -> Row:
    row = replace(row, ours=_plain(value))
    if row.kind in NOT_TESTABLE:
        return _not_testable(row, claim)
    same = _same(row.published, value)
    return replace(row, verdict="reproduced" if same else "differs")


NOT_TESTABLE = {
    "timing": "The document names no machine, so its time can't be compared.",
    "illustration": "An example that explains, not a result.",
}
"""Why claims of these kinds are not judged."""


def _not_testable(row: Row, claim: Claim) -> Row:
    """A row that is not judged: its kind says why, unless the document names its machine."""
    of_kind = "" if claim.machine else NOT_TESTABLE[row.kind]
    reason = " ".join(filter(None, (of_kind, row.reason)))
    return replace(row, verdict="not testable", reason=reason)


def _adopted(row: Row, ours: Setting) -> Row:
    reason = " ".join(filter(None, (f"{ours.found[:1].upper()}{ours.found[1:]}.", row.reason)))
    verdict = "adopted" if _same(row.published, ours.value) and ours.read else "differs"
    return replace(row, ours=_plain(ours.value), verdict=verdict, reason=reason)


def _same(published: Any, ours: Any) -> bool:
    """Whether words are the same, or a number rounds to the published digits."""
    if isinstance(ours, str | bool):
        return bool(ours == published)
    return agrees(str(published), ours)


def _plain(value: Any) -> int | float | str | bool:
    if isinstance(value, Fraction):
        return str(value)
    return value.item() if hasattr(value, "item") else value  # type: ignore[no-any-return]


def _correct(judged: Sequence[Judged], document: int) -> list[Row]:
    """Turn the p-values of one document's sampled rows into verdicts."""
    from ttt_lib.evidence import significance  # needs numpy, reading verdicts doesn't

    mine = [(row, test) for row, test in judged if row.document == document]
    tests = [test for _, test in mine if test]
    own = iter(significance.levels([test.p_value for test in tests], SIGNIFICANCE))
    return [_decided(row, test, next(own)) if test else row for row, test in mine]


def _decided(row: Row, test: Tested, level: float) -> Row:
    """The verdict of a sampled row at its own level, with all that would have passed there."""
    low, high, share = test.accepts(level)
    found = [_verdict(one, level) for _, one in test.readings] or [_verdict(test, level)]
    if test.readings:
        note = _readings(test, level, Counter(found))
    else:
        note = _blunt(share, joint=test.joint) * (found == ["undecided"])
    reason = " ".join(filter(None, (row.reason, note)))
    return replace(row, accepts=[low, high], verdict=_together(found), reason=reason)


def _verdict(test: Tested, level: float) -> str:
    """The verdict of one test."""
    if test.p_value < level:
        return "differs"
    if test.sure:
        return "reproduced"
    return "within sampling error" if test.accepts(level).share <= BLUNT else "undecided"


def _blunt(share: float, *, joint: bool) -> str:
    """How much would have passed a test that can't tell."""
    if joint:
        return (
            f"With the other numbers as printed, {share:.0%} of what each alone could be would "
            "have passed, on average."
        )
    return f"{share:.0%} of all that it could be would have passed."


def _together(found: Sequence[str]) -> str:
    """The verdict of all readings: if they disagree it is open, by a test or by the words."""
    if "undecided" in found:
        return "undecided"
    if "differs" in found:
        return "differs" if len(set(found)) == 1 else "not testable"
    return max(found)  # one that is left to chance outweighs one that is sure


def _readings(test: Tested, level: float, found: Counter[str]) -> str:
    """What would have passed in each reading, and how many of them can't tell or reject."""
    texts = []
    for name, one in test.readings:
        low, high, share = one.accepts(level)
        texts.append(f"{name} {low:g} to {high:g} {one.result} ({share:.0%})")
    unsure, against = found["undecided"], found["differs"]
    clear = f"{unsure} can't tell" if unsure else "all can tell"
    rejected = f", and {against} reject{'s' * (against == 1)} it" * bool(against)
    return (
        f"{texts[0][:1].upper()}{texts[0][1:]} would have passed; {', '.join(texts[1:])}: of these "
        f"{len(texts)} readings {clear}{rejected}."
    )


def results_path() -> Path:
    """Where the judged claims are stored."""
    return store.data_dir() / "claims" / "results.json"


def load_results() -> list[dict[str, Any]]:
    """The stored rows; empty before the first ``make reproduce``.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    path = results_path()
    if not path.exists():
        return []
    stored = store.read_json(path, _are_rows, f"claims with {', '.join(CONTRACT)}")
    rows: list[dict[str, Any]] = stored["claims"]
    return rows


def _are_rows(stored: Any) -> bool:
    """Whether it has claims, each with the fields of a row."""
    rows = stored.get("claims") if isinstance(stored, dict) else None
    return isinstance(rows, list) and all(
        isinstance(row, dict) and set(CONTRACT) <= row.keys() for row in rows
    )


def to_json(rows: Iterable[dict[str, Any]]) -> str:
    """The text of ``results.json``; floats carry 10 significant digits."""
    rounded = [{key: _rounded(value) for key, value in row.items()} for row in rows]
    return json.dumps({"claims": rounded}, indent=1, ensure_ascii=False) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value

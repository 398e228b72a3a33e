"""The ledger: every published number, our value, and a verdict that code computes.

A claim is declared in ``data/claims/*.toml`` with the function that obtains our
value.  What that function returns says how the published number is judged: a
number or sentence is compared, a chance or a sample is tested.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.game.stats import wilson

SIGNIFICANCE = 0.01
TIMING_FACTOR = 3.0
"""Times on other machines count as reproduced within this factor."""

VERDICTS = ("reproduced", "within sampling error", "differs", "refuted", "not testable")
KINDS = ("exact", "sampled", "statement", "timing")
DOCUMENTS = range(1, 6)
SCALES = ("linear", "logit", "fisher")


@dataclass(frozen=True)
class Claim:
    """One published number or checkable sentence.

    Attributes
    ----------
    id, document, where, quantity
        Name, number of the document (1 to 5), place in it, and what is claimed.
    published : int, float, str or bool
        The value as printed; write a decimal as text to keep its digits.
    kind : str
        One of ``KINDS``.
    ours : str
        ``"module:function"`` that obtains our value; called with ``args``.
    n : int or None
        Published sample size; a published count of a sampled claim is out of n.
    reason : str
        One sentence why the verdict is what it is; the function may give a better one.
    section : str
        Notebook and heading, e.g. ``01_playout_mlp#how-good-can-it-be``.
    """

    id: str
    document: int
    where: str
    quantity: str
    published: int | float | str | bool
    kind: str
    ours: str
    args: dict[str, Any] = field(default_factory=dict)
    n: int | None = None
    reason: str = ""
    section: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"claim {self.id}: unknown kind {self.kind!r}: {', '.join(KINDS)}")
        if self.document not in DOCUMENTS:
            raise ValueError(f"claim {self.id}: document {self.document} is none of 1 to 5")


@dataclass(frozen=True)
class Value:
    """Our value of an exact quantity or a stored time (seconds)."""

    value: Fraction | float | int | str | bool
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """Our judgement of a statement: whether it holds (None: can't be tested), and what we found."""

    holds: bool | None
    found: str
    reason: str = ""


@dataclass(frozen=True)
class Chance:
    """The exact chance behind a published count of n."""

    chance: Fraction | float
    reason: str = ""


@dataclass(frozen=True)
class Count:
    """Our own count of successes, where the chance can only be estimated."""

    count: int
    total: int
    reason: str = ""


@dataclass(frozen=True)
class Draws:
    """Independent repetitions (one a seed) of the published quantity.

    Attributes
    ----------
    scale : str
        ``"linear"``, ``"logit"`` for shares in (0, 1), ``"fisher"`` for values in (-1, 1):
        where the draws are closest to normal.
    """

    values: Sequence[float]
    scale: str = "linear"
    reason: str = ""


@dataclass(frozen=True)
class Law:
    """The exact law of a published whole number: its possible values and their chances."""

    values: Sequence[int]
    chances: Sequence[float]
    reason: str = ""


Ours = Value | Finding | Chance | Count | Draws | Law

ANSWERS: dict[str, tuple[type, ...]] = {
    "exact": (Value,),
    "sampled": (Chance, Count, Draws, Law),
    "statement": (Finding,),
    "timing": (Value, Finding),
}
"""What the function of a claim of each kind may return."""


@dataclass(frozen=True)
class Row:
    """A judged claim, as the command line prints it."""

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
    section: str


def load(folder: Path | None = None) -> list[Claim]:
    """Read all declared claims, in order of document.

    Raises
    ------
    ValueError
        If two claims share an id, or one has an unknown kind or field or lacks one.
    """
    folder = folder or store.data_dir() / "claims"
    claims = []
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text())
        try:
            claims += [Claim(document=table["document"], **entry) for entry in table["claim"]]
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path.name}: {error}") from error
    doubled = [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]
    if doubled:
        raise ValueError(f"two claims are called {doubled[0]!r}")
    return claims


def judge(claims: Sequence[Claim], *, progress: bool = False) -> list[Row]:
    """Obtain our value of every claim and judge it; Holm's correction runs within a document."""
    bar = tqdm(claims, desc="claims", disable=not progress, unit="claim")
    rows = [_judge_one(claim, store.resolve(claim.ours)(**claim.args)) for claim in bar]
    return [row for document in DOCUMENTS for row in _correct(rows, document)]


def compute(progress: bool = False) -> list[dict[str, Any]]:
    """Judge all declared claims; rows as JSON objects."""
    return [asdict(row) for row in judge(load(), progress=progress)]


def _judge_one(claim: Claim, ours: Ours) -> Row:
    if not isinstance(ours, ANSWERS[claim.kind]):
        raise ValueError(f"claim {claim.id}: kind {claim.kind} can't be a {type(ours).__name__}")
    row = Row(
        id=claim.id,
        document=claim.document,
        where=claim.where,
        quantity=claim.quantity,
        published=claim.published,
        ours=None,
        interval=None,
        verdict="",
        reason=ours.reason or claim.reason,
        kind=claim.kind,
        n=claim.n,
        p_value=None,
        section=claim.section,
    )
    if isinstance(ours, Finding):
        verdict = {True: "reproduced", False: "refuted", None: "not testable"}[ours.holds]
        return replace(row, ours=ours.found, verdict=verdict)
    if isinstance(ours, Value):
        return replace(row, ours=_plain(ours.value), verdict=_compare(claim, ours.value))
    if isinstance(ours, Draws):
        return _judge_draws(row, ours)
    if isinstance(ours, Law):
        return _judge_law(row, ours)
    return _judge_count(row, ours)


def _plain(value: Any) -> int | float | str | bool:
    if isinstance(value, Fraction):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[no-any-return]


def _compare(claim: Claim, ours: Any) -> str:
    if claim.kind == "timing":
        ratio = float(ours) / float(claim.published)
        return "reproduced" if 1 / TIMING_FACTOR <= ratio <= TIMING_FACTOR else "differs"
    if isinstance(ours, (str, bool)):
        return "reproduced" if ours == claim.published else "differs"
    return "reproduced" if agrees(str(claim.published), ours) else "differs"


def agrees(published: str, ours: Fraction | float | int) -> bool:
    """Whether our value rounds to the published one at its number of decimals.

    Raises
    ------
    ValueError
        If the published text is no decimal number.
    """
    try:
        half = Fraction(Decimal(1).scaleb(int(Decimal(published).as_tuple().exponent))) / 2
    except (InvalidOperation, ValueError):
        raise ValueError(f"published {published!r} is no number to compare ours with") from None
    return abs(Fraction(ours) - Fraction(published)) <= half


def _judge_count(row: Row, ours: Chance | Count) -> Row:
    from scipy.stats import binomtest, fisher_exact

    if row.n is None:
        raise ValueError(f"claim {row.id}: a published count needs its n")
    count = _whole(row)
    if not 0 <= count <= row.n:
        raise ValueError(f"claim {row.id}: published {count} is no count out of {row.n}")
    if isinstance(ours, Chance):
        p_value = binomtest(count, row.n, float(ours.chance)).pvalue
        return replace(row, ours=_plain(ours.chance), p_value=float(p_value))
    table = [[count, row.n - count], [ours.count, ours.total - ours.count]]
    interval = list(wilson(ours.count, ours.total))
    p_value = fisher_exact(table).pvalue
    return replace(row, ours=ours.count / ours.total, interval=interval, p_value=float(p_value))


def _whole(row: Row) -> int:
    if float(row.published) != int(float(row.published)):
        raise ValueError(f"claim {row.id}: published {row.published} must be a whole number")
    return int(float(row.published))


def _judge_draws(row: Row, ours: Draws) -> Row:
    """Place the published value among our draws by a t prediction interval."""
    from scipy.stats import t

    draws = np.asarray(ours.values, dtype=float)
    if len(draws) < 2 or not np.isfinite(draws).all():
        raise ValueError(f"claim {row.id}: draws must be at least two finite numbers")
    values = _rescale(draws, ours.scale)
    published = float(_rescale(np.array([float(row.published)]), ours.scale)[0])
    spread = values.std(ddof=1) * math.sqrt(1 + 1 / len(values))
    step = t(len(values) - 1)
    p_value = (
        2 * step.sf(abs(published - values.mean()) / spread)
        if spread
        else float(agrees(str(row.published), float(draws[0])))
    )
    ends = values.mean() + spread * step.ppf([0.025, 0.975])
    interval = [float(end) for end in _unscale(ends, ours.scale)]
    return replace(
        row, ours=float(np.median(ours.values)), interval=interval, p_value=float(p_value)
    )


def _judge_law(row: Row, ours: Law) -> Row:
    """Two-sided: the chance of a value at most as likely as the published one."""
    values, chances = np.asarray(ours.values), np.asarray(ours.chances)
    likely = float(chances[values == _whole(row)].sum())
    p_value = float(chances[chances <= likely * (1 + 1e-7)].sum())
    ends = values[np.searchsorted(chances.cumsum(), [0.025, 0.975])]
    mean = float(values @ chances)
    return replace(row, ours=mean, interval=[float(end) for end in ends], p_value=min(p_value, 1.0))


def _rescale(values: Any, scale: str) -> Any:
    """Map to a scale without bounds; values at a bound are moved in by 1e-6."""
    if scale not in SCALES:
        raise ValueError(f"unknown scale {scale!r}: {', '.join(SCALES)}")
    if scale == "logit":
        inside = np.clip(values, 1e-6, 1 - 1e-6)
        return np.log(inside / (1 - inside))
    return np.arctanh(np.clip(values, -1 + 1e-6, 1 - 1e-6)) if scale == "fisher" else values


def _unscale(values: Any, scale: str) -> Any:
    if scale == "logit":
        return 1 / (1 + np.exp(-values))
    return np.tanh(values) if scale == "fisher" else values


def _correct(rows: Sequence[Row], document: int) -> list[Row]:
    """Turn the p-values of one document's sampled rows into verdicts."""
    mine = [row for row in rows if row.document == document]
    tested = [row for row in mine if row.p_value is not None]
    adjusted = dict(
        zip(
            [row.id for row in tested],
            holm([float(row.p_value or 0) for row in tested]),
            strict=True,
        )
    )
    return [
        replace(row, verdict=_sampled_verdict(adjusted[row.id])) if row.id in adjusted else row
        for row in mine
    ]


def _sampled_verdict(adjusted: float) -> str:
    return "differs" if adjusted < SIGNIFICANCE else "within sampling error"


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p-values (Holm, 1979)."""
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values, dtype=float)[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(steps) else steps
    return [float(p) for p in adjusted]


def results_path() -> Path:
    """Where the judged claims are stored."""
    return store.data_dir() / "claims" / "results.json"


def load_results() -> list[dict[str, Any]]:
    """The stored rows; empty before the first ``make reproduce``."""
    path = results_path()
    return json.loads(path.read_text())["claims"] if path.exists() else []


def to_json(rows: Iterable[dict[str, Any]]) -> str:
    """The text of ``results.json``; floats carry 10 significant digits."""
    rounded = [{key: _rounded(value) for key, value in row.items()} for row in rows]
    return json.dumps({"claims": rounded}, indent=1, ensure_ascii=False) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def scorecard(rows: Sequence[dict[str, Any]]) -> str:
    """One line a document: how many of its published numbers met which fate."""
    head = f"{'document':<10}" + "".join(f"{verdict:>23}" for verdict in VERDICTS) + f"{'all':>6}"
    lines = [head]
    for document in sorted({row["document"] for row in rows}):
        counts = Counter(row["verdict"] for row in rows if row["document"] == document)
        cells = "".join(f"{counts[verdict]:>23}" for verdict in VERDICTS)
        lines.append(f"{document:<10}{cells}{sum(counts.values()):>6}")
    return "\n".join(lines)

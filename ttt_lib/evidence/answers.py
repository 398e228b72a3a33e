"""What the function behind a claim may answer, and thereby how the claim is judged.

A :class:`Value` is compared, a :class:`Finding` holds or not, a :class:`Setting` is shown to be
read; the other answers are distributions or samples that the published numbers are tested against
(:mod:`ttt_lib.evidence.significance`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

Number = Fraction | float | int
Span = tuple[float, float]
"""The least and the greatest value that a quantity can have."""


@dataclass(frozen=True)
class Value:
    """Our value of an exact quantity or a time, or what stands beside an illustration."""

    value: Number | str | bool
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """Our judgement of a statement: whether it holds, and what we found.

    Attributes
    ----------
    holds : bool or None
        None if it can't be tested, or was tested without a result.
    tested : bool
        Whether there was a test: then None is *undecided* instead of *not testable*.
    """

    holds: bool | None
    found: str
    reason: str = ""
    tested: bool = False


@dataclass(frozen=True)
class Setting:
    """A setting that our run took over from the document.

    Attributes
    ----------
    value : number, str or bool
        The setting of our run.
    read : bool
        Whether changing the setting changed the run.
    found : str
        What was changed, and what became of the run.
    """

    value: Number | str | bool
    read: bool
    found: str
    reason: str = ""


@dataclass(frozen=True)
class Chance:
    """The exact chance behind a published count of n."""

    chance: Number
    reason: str = ""


@dataclass(frozen=True)
class Count:
    """Our own count of successes, where the chance can only be estimated."""

    count: int
    total: int
    reason: str = ""


@dataclass(frozen=True)
class Chances:
    """The exact chances of win, draw and loss behind a published match, ``29-1-0``.

    Attributes
    ----------
    chances : (win, draw, loss), or a sequence of such
        If there are several training runs, each is equally likely to have played the match.
    as_o : as ``chances``, or None
        If sides alternate, the chances as O, and ``chances`` are those as X, who begins: of an
        odd number of games one more is played as X.
    readings : sequence of (str, Chances)
        All readings of a match that the document leaves open, by their names, this one first, all
        tested at its level; the row is undecided if any of them can't tell, and not testable if
        they disagree.
    """

    chances: Sequence[Number] | Sequence[Sequence[Number]]
    reason: str = ""
    as_o: Sequence[Number] | Sequence[Sequence[Number]] | None = None
    readings: Sequence[tuple[str, Chances]] = ()


@dataclass(frozen=True)
class Counts:
    """Our own matches, where chances can only be estimated.

    Attributes
    ----------
    groups : sequence of (win, draw, loss)
        One match per training if games of one training resemble each other, as the published
        games come from one training too; a single match otherwise.
    against : str
        Whom our matches were played against, where the row doesn't say.
    beside : (str, sequence of (win, draw, loss)) or None
        Other matches of ours, which are shown beside these and not tested.
    """

    groups: Sequence[Sequence[int]]
    reason: str = ""
    against: str = ""
    beside: tuple[str, Sequence[Sequence[int]]] | None = None


@dataclass(frozen=True)
class Distribution:
    """The exact distribution of a published whole number: its possible values and their chances.

    Attributes
    ----------
    step : Fraction
        What one step of ``values`` is worth as published: 1/1000 where thousandths are printed.
    """

    values: Sequence[int]
    chances: Sequence[float]
    reason: str = ""
    step: Fraction = Fraction(1)


@dataclass(frozen=True)
class Repeats:
    """Independent repetitions (one per seed) of the published quantity.

    Attributes
    ----------
    scale : str
        ``"linear"``, ``"logit"`` for shares in (0, 1), ``"fisher"`` for values in (-1, 1):
        the scale on which the draws are closest to normal.
    span : (float, float) or None
        Range of the quantity; None: (0, 1) or (-1, 1) if the scale says so, else unbounded.
    """

    values: Sequence[float]
    scale: str = "linear"
    reason: str = ""
    span: Span | None = None


@dataclass(frozen=True)
class Runs:
    """Independent runs (one per seed) of several published numbers that belong to one run.

    Attributes
    ----------
    values : sequence of sequences of float, shape (runs, numbers)
    scales : sequence of str
        Of each number, as in :class:`Repeats`.
    spans : sequence of (float, float)
        Range of each number.
    ranks : bool
        Whether to judge by the rank of the published run's distance, or by a t test on the
        logarithms of the distances, which needs fewer runs.
    """

    values: Sequence[Sequence[float]]
    scales: Sequence[str]
    spans: Sequence[Span]
    ranks: bool = True
    reason: str = ""


Sampled = Chance | Count | Chances | Counts | Distribution | Repeats | Runs
Ours = Value | Finding | Setting | Sampled

ANSWERS: dict[str, tuple[type, ...]] = {
    "exact": (Value,),
    "statement": (Finding,),
    "adopted": (Setting,),
    "sampled": (Chance, Count, Chances, Counts, Distribution, Repeats, Runs),
    "timing": (Value, Finding),
    "illustration": (Value, Finding),
}
"""What the function of a claim of each kind may return."""


def agreed(answers: Collection[bool | None]) -> bool | None:
    """What all readings of a sentence give; None if they disagree."""
    return next(iter(answers)) if len(answers) == 1 else None

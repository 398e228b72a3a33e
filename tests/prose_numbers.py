"""Find the numbers that prose states, and look for what they stand on.

A number in a sentence is *traced* if the same notebook shows or asserts it: it is, or rounds from,
a number in an output, an assertion or another literal of a code cell of the same section (for the
opening, and sections without code, of all), or the ledger of claims.  Short numbers are found
anywhere by chance, so for them only the ledger's rows for the same section count.

What this can't see: "half", and number words up to ten before other nouns than those of `COUNTED`;
numbers inside formulas and code; whether a traced number is the *right* one of those nearby (a test
measures how often a changed number is noticed).
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import notebook_guard as guard

from ttt_lib.people.book.pages import slug

# ---------------------------------------------------------------------------- what is no result

_LIST = r" \d+(?:(?:, | and | to | or )\d+)*\b"

NO_RESULTS = {
    "a comment": r"<!--.*?-->",
    "code": r"```.*?```|`[^`\n]+`",
    "a formula (but not a value that it gives)": r"\$\$.*?\$\$|\$(?:(?!\d\.\d)[^$\n])+\$",
    "the place of a link": r"\]\([^)]*\)|<?https?://[^\s>)]+",
    "markup": r"</?\w[^>]*>",
    "a list number": r"^ *\d+\. ",
    "a product written out, a factorial": r"\b\d+(?:/\d+)?(?: · \d+(?:/\d+)?)+|\b\d+!",
    "a time to read": r"\*\*Minutes:\*\*[^.]*|(?:[Aa]bout )?\S+ minutes (?:to read|of reading)",
    "a notebook": r"(?:\*\*|\b)0\d(?:_\w+|\*\*| to 0\d)",
    "a numbered thing": rf"\b(?:[Nn]otebook|[Dd]ocument|[Ee]xercise|[Ff]igure|[Bb]oard)s?{_LIST}",
    "a place on a board": rf"\b(?:(?:[Cc]ell|[Mm]ove|[Rr]ow|[Cc]olumn|corner)s?|play|took){_LIST}",
    "a ply, depth or seed": rf"\b(?:[Pp]ly|[Pp]lies|[Dd]epths?|[Ss]eeds?|[Dd]egrees?){_LIST}",
    "the size of a board": r"\b\d+(?: ?[x×] ?\d+)+\b",
    "a year in brackets": r"\((?:[^()\d]*\b)?(?:19|20)\d\d(?:-\d\d)?(?:, [^()]*)?\)"
    r"|; [^()]*? (?:19|20)\d\d(?: on \d+)?\)",
    "a year after a name": r"\b(?:[A-Z][\w'’-]+,? )(?:19|20)\d\d\b",
    "a result of a game": r"(?<!\w)[+−±-]1\b|\b1, 0 (?:or|and) [−-]1\b|\b0/1\b",
    "a licence": r"\b(?:CC BY(?:-SA)?|Apache-?|MIT|CC-BY-) ?\d\.\d\b",
    "a name": r"\b(?:D4|TD\(0\)|\d-tuples?|Python 3(?:\.\d+)?|In \[\d+\])",
    "the level of an interval": r"\b9[59] ?% (?:Wilson )?(?:confidence )?intervals?",
}
"""Patterns of numbers that define, name or place something, by what they are."""

NO_RESULT = re.compile("|".join(f"(?:{p})" for p in NO_RESULTS.values()), re.DOTALL | re.MULTILINE)
SILENT_SECTIONS = ("references",)
"""Sections that report nothing of ours."""


@cache
def masked(text: str) -> str:
    """Blank out what is no result, keeping every place."""
    return NO_RESULT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


# ---------------------------------------------------------------------------- numbers in text


@dataclass(frozen=True)
class Number:
    """A number as stated.

    Attributes
    ----------
    text : str
        As it stands.
    value, slack : float
        Its value, and how far the exact one may lie from it.
    place : int
        Where it starts.
    percent : bool
        Whether a percent sign follows.
    """

    text: str
    value: float
    slack: float
    place: int
    percent: bool = False

    @property
    def short(self) -> bool:
        """Whether chance would find it in any long text: an integer below 100, or two digits."""
        digits = re.sub(r"\D", "", self.text).strip("0")
        if "/" in self.text:
            return False
        if not digits:
            return self.value < 100
        return len(digits) < 3 and self.value < 1000


FRACTION = re.compile(r"(?<![\w.,/])(\d+)(?:/| in | games in )(\d+)(?![\w/]|\.\d)")
DIGITS = re.compile(
    r"(?<![\w.,/])[−-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:(?<=\d)\.\d+|(?<=\d)|\.\d+)(?:e-?\d+)?(?![\w]|\.\d)"
)
UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
PARTS = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
         "tenth": 10, "twelfth": 12, "twentieth": 20, "hundredth": 100}  # fmt: skip
SMALL = {word: value for value, word in enumerate(UNITS.split(), start=1)} | {
    word: 20 + 10 * place for place, word in enumerate(TENS.split())
}
_SMALL = f"(?:{'|'.join(sorted(SMALL, key=len, reverse=True))})"
_SMALL = rf"{_SMALL}(?:-{_SMALL})?"
_SCALE = f"(?:{'|'.join(SCALES)})"
WORDS = re.compile(
    rf"\b((?:an?|{_SMALL})(?:(?:[ -]{_SCALE})+(?: and {_SMALL})?)?)\b"
    rf"(?:[ -]({'|'.join(PARTS)})s?\b)?",
    re.IGNORECASE,
)
PERCENT = re.compile(r" ?%| per ?cent")
COUNTED = re.compile(
    r"[ -](?:(?:or|to|and) \w+ )?(?:per ?cent|times|as many|games|wins|losses|draws|seeds|networks|"
    r"runs|states|positions|boards|playouts|plies|epochs|minutes|seconds|orders of magnitude)\b"
)
"""What makes a number word up to ten a result."""
HEDGE = re.compile(
    r"\b(?:about|some|nearly|almost|roughly|around|over|under|below|above|at least|at most|up to|"
    r"close to|(?:more|less|fewer|later) than)(?: an?)? ?$",
    re.IGNORECASE,
)
"""Words before a number that allow it to be off by a tenth."""


@cache
def numbers(text: str) -> tuple[Number, ...]:
    """Find every number of a text, in digits or in words above ten, by place."""
    rest = FRACTION.sub(lambda match: " " * len(match.group()), text)
    found = [*_fractions(text), *_in_digits(rest), *_in_words(text)]
    return tuple(sorted(found, key=lambda number: number.place))


def _fractions(text: str) -> Iterator[Number]:
    for match in FRACTION.finditer(text):
        if int(match.group(2)):
            value = int(match.group(1)) / int(match.group(2))
            yield Number(match.group(), value, 1e-10, match.start())


def _in_digits(text: str) -> Iterator[Number]:
    for match in DIGITS.finditer(text):
        shown = match.group()
        value = float(shown.replace(",", "").replace("−", "-"))
        decimals = len(shown.partition(".")[2]) if "e" not in shown else 0
        percent = PERCENT.match(text, match.end()) is not None
        slack = 0.5 * 10.0**-decimals if decimals or percent else 0.0
        slack = max(slack, _hedged(text, match.start(), value))
        yield Number(shown, value, slack, match.start(), percent)


def _hedged(text: str, place: int, value: float) -> float:
    rounded = float(f"{value:.1e}") == value  # "about 5,500", unlike "one pass over 5,478"
    hedge = rounded and HEDGE.search(text[max(0, place - 20) : place])
    return 0.1 * abs(value) if hedge else 0.0


def _in_words(text: str) -> Iterator[Number]:
    for match in WORDS.finditer(text):
        value, scale = _words_value(match.group(1).lower())
        slack = 0.5 * scale if scale >= 10**6 else 0.0
        if part := match.group(2):
            value, slack = value / PARTS[part.lower()], 0.005
        elif value < 2 or (value <= 10 and not COUNTED.match(text, match.end())):
            continue
        slack = max(slack, _hedged(text, match.start(), value))
        yield Number(match.group(), value, slack, match.start())


def _words_value(words: str) -> tuple[float, int]:
    """The value of number words, and their last scale."""
    value, scale = 0.0, 1
    for word in re.split(r"[ -]", words.replace(" and ", " ")):
        if word in SCALES:
            scale = SCALES[word]
            value *= scale
        else:
            value += SMALL.get(word, 1)
    return value, scale


# ---------------------------------------------------------------------------- what they stand on


@dataclass
class Evidence:
    """Numbers that something computed stands behind."""

    values: set[float] = field(default_factory=set)

    def add_text(self, text: str) -> None:
        """Take every number of a text, fractions also as quotients."""
        self.values |= values_in_text(text)

    def add_code(self, source: str, *, texts: bool = True) -> None:
        """Take every literal of a cell, quotients of literals and fractions too; texts if asked."""
        self.values |= values_in_code(source, texts)

    def holds(self, number: Number) -> bool:
        """Whether one of the values is the number, or rounds to it; a percentage also as share."""
        near = number.slack * (1 + 1e-9) + 1e-12
        units = (1, 100) if number.percent else (1,)
        return any(
            abs(unit * value - number.value) <= near or abs(unit * value + number.value) <= near
            for unit in units
            for value in self.values
        )


@cache  # the same cells are asked again for each of the thousand wrong numbers that a test tries
def values_in_text(text: str) -> frozenset[float]:
    """Every number of a text, fractions also as quotients."""
    text = text.replace("−", "-")
    values = {number.value for number in _in_words(text)}
    for top, below in re.findall(r"(?<![\w.])(\d+)/(\d+)(?![\w.])", text):
        values |= {float(top), float(below), int(top) / int(below) if int(below) else 0.0}
    for found in re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", text):
        values.add(float(found.rstrip(",").replace(",", "")))
    return frozenset(values)


@cache
def values_in_code(source: str, texts: bool) -> frozenset[float]:
    """Every literal of a cell, quotients of literals and fractions too; texts if asked."""
    values: set[float] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as value):
                values.add(float(value))
            case ast.Constant(value=str() as text) if texts:
                values |= values_in_text(text)
            case ast.BinOp(
                left=ast.Constant(value=int() as a),
                op=operator,
                right=ast.Constant(value=int() as b),
            ):
                values |= _combined(a, operator, b)
            case ast.Call(
                func=ast.Name(id="Fraction"),
                args=[ast.Constant(value=int() as a), ast.Constant(value=int() as b)],
            ):
                values.add(a / b)
    return frozenset(values)


def _combined(a: int, operator: ast.operator, b: int) -> set[float]:
    if isinstance(operator, ast.Div) and b:
        return {a / b}
    if isinstance(operator, ast.Pow) and 0 <= b < 64:
        return {float(a**b)}
    return {float(a * b)} if isinstance(operator, ast.Mult) else set()


@dataclass(frozen=True)
class Piece:
    """A piece of a notebook: a code cell, or the part of a text cell within one section."""

    place: int
    section: str
    cell: Mapping[str, Any]
    text: str


def pieces(cells: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """Cut a notebook at its headings of level 1 and 2; a section is named by its anchor."""
    found, section = [], ""
    for place, cell in enumerate(cells, start=1):
        source = guard.text(cell["source"])
        if cell["cell_type"] != "markdown":
            found.append(Piece(place, section, cell, source))
            continue
        for part in re.split(r"(?=^##? )", source, flags=re.MULTILINE):
            if part.startswith("#"):
                section = slug(part.splitlines()[0])
            found.append(Piece(place, section, cell, part))
    return found


def evidence(cells: Iterable[Mapping[str, Any]], *, said: bool = True) -> Evidence:
    """What the code cells among these show and assert, with or without what they say in words."""
    found = Evidence()
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        found.add_code(guard.text(cell["source"]), texts=said)
        for output in cell["outputs"]:
            if said or "text/markdown" not in output.get("data", {}):
                for shown in guard.output_texts(output):
                    found.add_text(without_tags(shown))
    return found


@cache
def without_tags(html: str) -> str:
    """The text of a page."""
    return re.sub(r"<[^>]+>", " ", html)


@cache
def typed(source: str) -> str:
    """The words that a cell's calls of ``say`` hold, without what is computed into them."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    said = [call for call in calls if ast.unparse(call.func).split(".")[-1] == "say"]
    return "\n".join("".join(map(_typed, call.args)) for call in said)


def _typed(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(_typed, values))
        case ast.BinOp(left=left, right=right):
            return _typed(left) + _typed(right)
    return "..."


def of_ledger(rows: Iterable[Mapping[str, Any]]) -> Evidence:
    """What the ledger says, published or ours."""
    found = Evidence()
    for row in rows:
        for key in ("quantity", "published", "ours", "interval", "n", "reason", "quote"):
            found.add_text(json.dumps(row[key]))
        if row["n"] and row["kind"] == "sampled":
            counts = str(row["published"]).split("-") if row["n"] > 1 else []
            found.values |= {float(count) / row["n"] for count in counts if count}
    return found


# ---------------------------------------------------------------------------- a notebook's prose


@dataclass(frozen=True)
class Stated:
    """A number in prose with the words around it, and whether it is traced."""

    where: str
    number: Number
    piece: str
    context: str
    traced: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.number.text!r} in ...{self.context}..."


def stated(
    where: str, text: str, near: Sequence[Evidence], far: Sequence[Evidence]
) -> list[Stated]:
    """List the numbers of a text; short ones are looked for in `near`, long ones in `far` too."""
    shown = masked(text)
    return [
        Stated(where, number, text, _context(text, number), any(e.holds(number) for e in pool))
        for number in numbers(shown)
        for pool in [near if number.short else [*near, *far]]
    ]


def _context(text: str, number: Number) -> str:
    start = max(0, number.place - 40)
    return " ".join(text[start : number.place + len(number.text) + 40].split())


def of_notebook(
    name: str,
    notebook: Mapping[str, Any],
    ledger: Sequence[Mapping[str, Any]],
    place: int | None = None,
) -> list[Stated]:
    """List every number that a notebook's prose states; `ledger` holds its document's claims.

    Prose is text cells, and what is typed into ``say``; for the latter only code and tables count.
    With a place, the numbers of that cell only.
    """
    parts = pieces(notebook["cells"])
    sections = {section: _Section(section, parts, ledger) for section in {p.section for p in parts}}
    rows, found = of_ledger(ledger), []
    for part in parts:
        own, where = sections[part.section], f"{name} cell {part.place}"
        if place not in (None, part.place):
            continue
        if part.cell["cell_type"] == "code":
            found += stated(f"{where} says", typed(part.text), [own.counted, own.rows], [rows])
        elif part.section not in SILENT_SECTIONS:
            alone = part.section == parts[0].section or not own.shown.values
            everywhere = [one.shown for one in sections.values()] if alone else []
            near = [*everywhere, rows] if alone else [own.shown, own.rows]
            found += stated(where, part.text, near, [rows])
    return found


class _Section:
    """What a section shows, what of it is not in words, and its rows of the ledger."""

    def __init__(
        self, name: str, parts: Sequence[Piece], ledger: Sequence[Mapping[str, Any]]
    ) -> None:
        self.name, self.ledger = name, ledger
        self.cells = [part.cell for part in parts if part.section == name]

    @cached_property
    def shown(self) -> Evidence:
        return evidence(self.cells)

    @cached_property
    def counted(self) -> Evidence:
        return evidence(self.cells, said=False)

    @cached_property
    def rows(self) -> Evidence:
        return of_ledger(r for r in self.ledger if str(r["section"]).endswith(f"#{self.name}"))


# ---------------------------------------------------------------------------- figures and README


def of_figure(entry: Any, table: str, ledger: Iterable[Mapping[str, Any]]) -> list[Stated]:
    """List the numbers of a figure's caption and alt text; `table` is the CSV behind it."""
    pool = [of_table(table), of_ledger(ledger)]
    return [
        one
        for kind, text in (("caption", entry.caption), ("alt", entry.alt))
        for one in stated(f"{entry.name} {kind}", text, pool, [])
    ]


def of_table(table: str) -> Evidence:
    """What a CSV holds: fields, sums of columns, and how often each value occurs in a column."""
    found = Evidence()
    head, *lines = csv.reader(io.StringIO(table))
    found.values.add(float(len(lines)))
    for name, *column in zip(head, *lines, strict=True):
        found.add_text(" ".join([name, *column]))
        counts = Counter(column)
        found.values |= {float(len(counts)), *map(float, counts.values())}
        with suppress(ValueError):
            found.values.add(sum(map(float, column)))
    return found

"""Slides, handouts and questions: complete, with computed numbers, and shown by a browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest

from ttt_lib.evidence import claims, significance
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.gametree import solve
from ttt_lib.game.reference import LINES
from ttt_lib.ntuple.network import Patterns
from ttt_lib.people.book import lesson_facts, lessons, slides
from ttt_lib.people.book.lessons import Choice, Lesson, Question
from ttt_lib.people.grading import teach

ROOT = Path(__file__).parents[1]
TEXTS = sorted((ROOT / lessons.FOLDER).glob("*.md"))
LESSONS = lessons.load()


# ---------------------------------------------------------------------------- complete


def test_lessons_are_those_of_the_plan() -> None:
    guide = (ROOT / "notebooks/exercises/instructor_guide.md").read_text(encoding="utf-8")
    plan = re.findall(r"^### Lesson (\d) · (.*?) \(notebook (\d\d)", guide, re.MULTILINE)
    mine = [(str(one.number), one.title, one.notebook[:2]) for one in LESSONS]
    assert [(n, title.replace('"', ""), book) for n, title, book in plan] == [
        (n, title.replace("“", "").replace("”", ""), book) for n, title, book in mine
    ]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: str(one.number))
def test_minutes_of_the_slides_are_those_of_the_plan(lesson: Lesson) -> None:
    guide = (ROOT / "notebooks/exercises/instructor_guide.md").read_text(encoding="utf-8")
    part = guide.split(f"### Lesson {lesson.number} ·")[1].split("\n##")[0]
    planned = [int(n) for row in re.findall(r"^\| (\d+)–(\d+) \|", part, re.MULTILINE) for n in row]
    shown = re.findall(r'class="when">(?:minutes )?(\d+)–(\d+)<', lesson.text("slides"))
    ends = [int(n) for pair in shown for n in pair]
    assert ends[0] == 0
    assert ends[-1] == 90
    assert ends[1:-1:2] == ends[2::2], "a part begins where the one before ends"
    assert set(ends) <= set(planned)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: str(one.number))
def test_tasks_and_sections_come_in_the_minutes_that_the_plan_gives_them(lesson: Lesson) -> None:
    guide = (ROOT / "notebooks/exercises/instructor_guide.md").read_text(encoding="utf-8")
    part = guide.split(f"### Lesson {lesson.number} ·")[1].split("\n##")[0]
    plan = re.findall(r"^\| (\d+)–(\d+) \| (.*) \|$", part, re.MULTILINE)
    begin = end = 0
    for text in re.split(r"^---$", lesson.text("slides"), flags=re.MULTILINE):
        if found := re.search(r'class="when">(?:minutes )?(\d+)–(\d+)<', text):
            begin, end = int(found[1]), int(found[2])
        now = " ".join(row for low, high, row in plan if int(low) < end and int(high) > begin)
        title = re.findall(r"^## (.*)$", text, re.MULTILINE)
        named = [one for one in title if f"*{one}*" in part]
        assert [one for one in named if f"*{one}*" not in now] == []
        shown, _, _ = text.partition("\nNotes:")
        for task in re.findall(r"\*\*Task (\d)", shown):
            assert re.search(rf"\b[Tt]asks? [^.]*\b{task}\b", now), (title, task)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: str(one.number))
def test_slides_lead_through_bet_and_tasks_with_notes(lesson: Lesson) -> None:
    text = lesson.text("slides")
    shown = re.split(r"^---$", text, flags=re.MULTILINE)
    assert "## The bet" in shown[1]
    assert all("\nNotes:\n" in one for one in shown)
    assert set(re.findall(r"[Tt]ask (\d)", text)) >= set("12345")
    assert "```figure" in text
    assert "Homework" in shown[-1]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: str(one.number))
def test_questions_have_one_right_answer_and_reasons(lesson: Lesson) -> None:
    assert len(lesson.questions) == 5
    for question in lesson.questions:
        texts = [lesson_facts.filled(choice.text) for choice in question.choices]
        assert len(set(texts)) == len(texts) >= 3, texts
        assert sum(choice.right for choice in question.choices) == 1
        assert all(len(choice.why) >= 20 for choice in question.choices)


def test_right_answers_stand_at_no_fixed_place() -> None:
    """As the book shows them: of those among four, none stands at one place more than half."""
    asked = [lessons.in_order(question) for one in LESSONS for question in one.questions]
    places = [[c.right for c in shown].index(True) for shown in asked if len(shown) == 4]
    often = [places.count(place) for place in range(4)]
    assert sum(often) > 20
    assert min(often) >= 3
    assert max(often) <= len(places) // 2


def test_right_answers_are_not_told_by_their_length() -> None:
    """Of those in words, the right one is the longest about as often as by chance."""
    asked = [question for one in LESSONS for question in one.questions]
    told = [{lesson_facts.filled(c.text): c.right for c in q.choices} for q in asked]
    words = [texts for texts in told if min(map(len, texts)) > 14]
    longest = [texts[max(texts, key=len)] for texts in words]
    assert len(words) > 15
    assert sum(longest) <= len(words) // 2


def test_bad_questions_are_refused() -> None:
    right, wrong = Choice("a", "because", right=True), Choice("b", "why not")
    good = Question("?", (right, wrong))
    with pytest.raises(ValueError, match="one answer has to be right"):
        Question("?", (right, right))
    with pytest.raises(ValueError, match="one answer has to be right"):
        Question("?", (wrong, wrong))
    with pytest.raises(ValueError, match="needs a reason"):
        Question("?", (right, Choice("b", "")))
    with pytest.raises(ValueError, match="lesson 1 has 4 questions"):
        Lesson(1, "t", "n", "s", (good,) * 4)


# ---------------------------------------------------------------------------- numbers


SETTINGS = {
    *("0.647", "0.1", "0.2", "0.3", "0.5", "0.05", "0.95", "0.9", "1000", "100", "200", "90", "50"),
    *(
        "20",
        "30",
        "40",
        "80",
        "64",
        "29",
        "27",
        "5%",
        "10",
        "0.004",
        "0.03",
        "0.04",
        "0.6",
        "0.99",
    ),
}
"""Numbers that a text sets, or quotes from the question at hand; all others are computed."""

NO_NUMBER = re.compile(
    r"\{\{\w+\}\}|```.*?```|`[^`]*`|<svg.*?</svg>|<p class=\"when\">.*?</p>|<[^>]*>"
    r"|\$\$.*?\$\$|\$[^$\n]*\$"
    r"|\d+/\d+|\dx\d|(?:exercise|notebook|[Tt]ask|[Ll]esson)s? \d+",
    re.DOTALL,
)


def typed(text: str) -> set[str]:
    """Numbers above twelve, and all with a point, that somebody typed."""
    found = re.findall(r"\d[\d,]*(?:\.\d+)?", NO_NUMBER.sub(" ", text))
    return {n for n in found if "." in n or int(n.replace(",", "")) > 12}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_no_result_is_typed_into_slides_and_handouts(path: Path) -> None:
    assert len(TEXTS) == 12
    assert typed(path.read_text(encoding="utf-8")) <= SETTINGS


def test_no_result_is_typed_into_a_right_answer_or_a_reason() -> None:
    for lesson in LESSONS:
        for question in lesson.questions:
            right = [choice.text for choice in question.choices if choice.right]
            told = [question.ask, *right, *(choice.why for choice in question.choices)]
            assert typed(" ".join(told)) <= SETTINGS, question.ask


def test_a_typed_result_is_noticed() -> None:
    assert typed("{{ceiling}} and `0.7`, on 3x3, in task 4 of exercise 13") == set()
    assert typed("It reaches 0.674 in 4520 states") == {"0.674", "4520"}


def test_every_number_is_used_and_known() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in TEXTS)
    texts += (ROOT / lessons.FOLDER / "lessons.toml").read_text(encoding="utf-8")
    used = set(lesson_facts.FIELD.findall(texts)) - {"name"}
    assert used == set(lesson_facts.facts())
    with pytest.raises(ValueError, match="no number is called 'nought'"):
        lesson_facts.filled("{{nought}}")


@pytest.mark.parametrize(("games", "blunt"), [(7, False), (6, True)])
def test_a_lesson_is_undecided_where_the_ledger_is(games: int, blunt: bool) -> None:
    """Of a chance of 9 in 10, four of eight counts would pass, or four of seven."""
    assert lesson_facts.undecided(games, Fraction(9, 10)) is blunt


def test_numbers_agree_with_another_route() -> None:
    known, tree = lesson_facts.facts(), solve(Grid(3))
    [row] = tree.index(np.array([lesson_facts.THREE_LEFT]))
    assert Fraction(known["three_left_chance"]) == win_chance_of(tree, int(row))
    cells = np.flatnonzero(tree.legal[row])
    assert known["three_left_cells"] == "{}, {} and {}".format(*cells)
    chances = [win_chance_of(tree, int(child)) for child in tree.children[row][cells]]
    assert known["three_left_after"] == "{}, {} and {}".format(*chances)
    assert float(known["ceiling"]) == round(31877 / 47277, 3), "as notebook 01 prints it"
    with (ROOT / "data/playout_mlp_seeds.csv").open(encoding="utf-8") as lines:
        apart = [float(row["grouped_accuracy"]) for row in csv.DictReader(lines)]
    assert len(apart) == int(known["seeds"])
    [corner] = tree.index(np.array([lesson_facts.CORNER]))
    fails = 1 - win_chance_of(tree, int(corner))
    assert known["row_fails"] == f"{fails.numerator} of {fails.denominator}"
    steps = [0.1 * (1 - 0.6) * (1 - 0.6**2), 0.1 * (-1 - 0.99) * (1 - 0.99**2)]
    told = [known[f"step_{kind}"].replace("−", "-") for kind in ("unsure", "sure")]
    assert told == [f"{one:.4f}" for one in steps]
    assert known["seeds_above_grouped"] == str(sum(one > 31877 / 47277 for one in apart))
    for level in (5, 1):  # no win of n games has the chance 1/4^n, and is the rarest count
        rare = [n for n in range(1, 9) if level * 4**n > 100]
        assert known[f"can_fail_{level}"] == str(rare[0])
    none_of_ten = sum(comb(10, k) * 0.05**k * 0.95 ** (10 - k) for k in range(1))
    assert known["any_of_ten"] == f"{100 * (1 - none_of_ten):.0f}%"
    assert known["holm_rejected"] == {1: "One", 3: "Three"}[step_down([0.004, 0.03, 0.04], 0.05)]
    board = lesson_facts.TWO_STONES
    put = {cell: (*board[:cell], 1, *board[cell + 1 :]) for cell in (1, 2)}
    assert known["energy_x"] == str(energy(board, 1))
    assert known["energy_o"] == str(energy(board, -1))
    assert known["gain_edge"] == str(energy(put[1], 1) - energy(board, 1))
    assert known["gain_corner"] == str(energy(put[2], 1) - energy(board, 1))
    for n in (3, 4, 5):  # corner to centre: the cells of a triangle that symmetries can't exchange
        half = (n + 1) // 2
        assert known[f"kinds_{n}"] == str(half + len(list(combinations(range(half), 2))))


def test_the_endings_of_lesson_1_are_counted_in_the_tree() -> None:
    known, tree = lesson_facts.facts(), solve(Grid(3))
    [state] = tree.index(np.array([lesson_facts.THREE_LEFT]))

    def ways(state: int) -> list[int]:
        below = [int(child) for child in tree.children[state] if child >= 0]
        last = [int(tree.winner[state])] if tree.finished[state] else []
        return last + [end for child in below for end in ways(child)]

    ends = ways(int(state))
    told = {name: known[f"three_left_{name}"] for name in ("count", "wins", "endings")}
    wins = ends.count(1)
    assert told == {
        "count": str(len(ends)), "wins": str(wins), "endings": str(Fraction(wins, len(ends)))
    }  # fmt: skip
    [row] = [row for row in claims.load_results() if row["id"] == "mlp-accuracy"]
    assert float(known["published_accuracy"]) == pytest.approx(float(row["published"]), abs=5e-4)


def test_the_entries_of_lesson_3_are_those_of_its_tables() -> None:
    """The first row of the board in each of them, looked up as the network does."""
    known, patterns = lesson_facts.facts(), Patterns(Grid(3))
    first = patterns.tuples.index((0, 1, 2))

    def entry(line: str, side: str) -> str:
        lead = line.count("x") - line.count("o") - (side == "o")
        rest = "o" * max(lead, 0) + "x" * max(-lead, 0)  # elsewhere, so that it is that side's turn
        board = parse((line + rest).ljust(9, "."), Grid(3))
        return str(patterns.entry_of(first, board[None])[0])

    assert known["entry_o"] == entry("x.o", "o")
    assert known["entry_x"] == entry("x.o", "x")
    assert known["entry_backwards"] == entry("o.x", "o")
    missing = [entry(line, side) for line in (".xx", "oo.") for side in "xo"]
    assert known["missing_entries"] == "{} and {}, {} and {}".format(*missing)


def test_the_curve_of_lesson_4_is_that_of_its_figure() -> None:
    known = lesson_facts.facts()
    rows = pd.read_csv(ROOT / "figures/04_exact_curve.csv")
    text, program = (rows[rows.energy == name] for name in ("equation", "published"))
    [plateau], [other] = (
        list(curve[(curve["from"] < 0.647) & (curve.to > 0.647)].itertuples())
        for curve in (text, program)
    )
    assert float(Fraction(known["plateau_loss"])) == pytest.approx(plateau.loss)
    assert known["plateau_loss_percent"] == f"{100 * plateau.loss:.2f}%"
    assert float(Fraction(known["program_plateau_loss"])) == pytest.approx(other.loss)
    assert float(known["program_plateau_from"]) == pytest.approx(other[2], abs=1e-4)
    assert known["loss_at_zero"] == f"{100 * text.loss.iloc[0]:.1f}%"
    b = Fraction(known["crossing"])
    assert 9 + 3 * b == 6 + 9 * b, "there the two moves are worth the same"
    below, beyond = Fraction(known["crossing_below"]), Fraction(known["crossing_beyond"])
    assert 6 + 9 * below == 7 + 4 * below < 9 + 3 * below, "there the first move is better"
    assert 9 + 3 * beyond == 7 + 4 * beyond
    assert beyond > 1


def test_numbers_that_notebooks_printed_are_not_taken_for_each_other() -> None:
    """Of two that a notebook prints in one sentence, which is the larger is known."""
    known, tree = lesson_facts.facts(), solve(Grid(3))
    assert int(known["to_move"]) == (~tree.finished).sum() > int(known["own_positions"])
    assert int(known["misplayed"]) > int(known["own_misplayed"]) == 0
    assert int(known["numbers"]) > int(known["independent"])
    rates = [int(known[name].rstrip("%")) for name in ("wrong_sign", "right_sign")]
    assert rates == sorted(rates)
    sure, truth = float(known["sure"].rstrip("%")) / 100, Fraction(known["sure_truth"])
    assert truth < sure, "the network is too sure"


def test_the_numbers_of_lesson_6_by_scipy() -> None:
    known = lesson_facts.facts()
    p_values = [binomtest(n, 100, 1 / 3).pvalue for n in range(101)]
    assert known["forty_p"] == f"{p_values[40]:.2f}"
    fine = [n for n, p in enumerate(p_values) if p > 0.05]
    assert (known["forty_low"], known["forty_high"]) == (str(fine[0]), str(fine[-1]))
    assert known["one_of_one_p"] == f"{binomtest(1, 1, 3 / 4).pvalue:g}"
    coins = [binom.pmf(n, 10, 0.5) for n in range(11) if binomtest(n, 10).pvalue <= 0.05]
    assert known["coin_rejected"] == f"{100 * sum(coins):.1f}%"
    assert known["any_of_ten_coins"] == f"{100 * (1 - (1 - sum(coins)) ** 10):.0f}%"
    assert known["no_loss_in_ten"] == f"{100 * 0.9**10:.0f}%"


def test_how_many_games_are_enough_by_scipy() -> None:
    known = lesson_facts.facts()
    for level in (5, 1):
        enough = [games for games in range(1, 100) if power(games, level / 100) >= 0.8]
        from_on = int(known[f"power_{level}"])
        assert enough[-(100 - from_on) :] == [*range(from_on, 100)]
        assert from_on - 1 not in enough
        if level == 5:
            assert known["power_first_5"] == str(enough[0])


def power(games: int, alpha: float) -> float:
    """The chance that 1/2 is rejected if each game is won with a chance of 3/4."""
    wins = np.arange(games + 1)
    twice_the_tail = 2 * binom.cdf(np.minimum(wins, games - wins), games, 0.5)
    return float(binom.pmf(wins, games, 0.75)[twice_the_tail < alpha].sum())


def test_the_numbers_of_lesson_5_by_hand() -> None:
    """Three moves with means 1/2, -1 and 0 for the chooser, who is the other side of the totals."""
    known = lesson_facts.facts()
    bonus = [0.5 * 5**0.5 / 5, 0.3 * 5**0.5 / 2, 0.2 * 5**0.5]
    right = [mean + more for mean, more in zip((0.5, -1.0, 0.0), bonus, strict=True)]
    wrong = [mean + more for mean, more in zip((-0.5, 1.0, 0.0), bonus, strict=True)]
    assert known["puct_scores"] == ", ".join(f"{one:.2f}" for one in right).replace("-", "−")
    assert right[0] == max(right)
    assert known["puct_choice"] == "a"
    assert wrong[1] == max(wrong)
    assert known["puct_wrong"] == "b"
    told = [known[f] for f in ("child_score", "parent_score", "parent_forgot", "parent_twice")]
    assert told == ["−98", "97", "98", "96"]
    assert [known["child_won"], known["parent_lost"]] == ["97", "−96"]
    late = [known[f"late_{move}"] for move in ("now", "soon", "lost")]
    assert late == ["99", "97", "−98"], "a win at once and one in 3 plies, a loss in 2"


def test_missed_wins_of_lesson_5_are_those_of_the_network_that_is_named() -> None:
    with (ROOT / "data/ultimate_exhibits.csv").open(encoding="utf-8") as lines:
        rows = {row["setting"]: row["value"] for row in csv.DictReader(lines)
                if row["quantity"] == "wins in one missed"}  # fmt: skip
    for kind in ("new", "trained"):
        share = float(rows[f"wrong sign, {kind} network"])
        assert lesson_facts.facts()[f"missed_{kind}"] == f"{100 * share:.0f}%"


def test_there_are_as_many_lines_to_write_on_as_asked_for() -> None:
    assert slides.html_of("```lines\n3\n```").count("<p></p>") == 3


def test_every_board_of_a_block_is_drawn() -> None:
    shown = slides._boards("xo.......|before\nxo..x....|after|numbers")
    assert re.findall(r"<title>board (.*?)</title>", shown) == ["xo., ..., ...", "xo., .x., ..."]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", shown) == ["before", "after"]


def test_a_position_is_shaded_where_one_may_play_unless_the_slide_asks() -> None:
    shaded = slides._ultimate(lesson_facts.LATE)
    unshaded = slides._ultimate(f"{lesson_facts.LATE} unshaded")
    assert [shown.count('fill-opacity="0.3"') for shown in (shaded, unshaded)] == [1, 0]


def test_a_board_with_numbers_names_its_empty_cells_as_the_questions_do() -> None:
    shown = slides._boards("xo.......|before\nxo..x....|after|numbers")
    plain, numbered = (
        [text for text in re.findall(r"<text.*?>(.*?)</text>", part) if text]
        for part in shown.split("<figure>")[1:]
    )
    assert plain == []
    assert numbered == ["2", "3", "5", "6", "7", "8"]


def test_a_quoted_sentence_names_its_notebook() -> None:
    shown = slides.html_of("```answer\n05_alphazero_lite | right sign scores\n```")
    assert re.findall(r"<footer>(.*?)</footer>", shown) == ["computed in notebook 05"]


def test_a_figure_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="no figure is called '01_none'"):
        slides.html_of("```figure\n01_none\n```")


def energy(board: tuple[int, ...], side: int) -> int:
    """Sum of 3**k over the lines with k stones of a side and none of the other's."""
    lines = [[board[cell] for cell in line] for line in LINES]
    return sum(3 ** line.count(side) for line in lines if -side not in line)


def win_chance_of(tree: Any, row: int) -> Fraction:
    """X's chance under random play, from the tree of all states."""
    if tree.finished[row]:
        return Fraction(int(tree.winner[row]) == 1)
    below = [int(child) for child in tree.children[row] if child >= 0]
    return sum((win_chance_of(tree, child) for child in below), Fraction(0)) / len(below)


def step_down(p_values: list[float], alpha: float) -> int:
    """How many Holm's method rejects, by its definition."""
    for rank, p_value in enumerate(sorted(p_values)):
        if p_value > alpha / (len(p_values) - rank):
            return rank
    return len(p_values)


@pytest.mark.parametrize(("rejected", "word"), [(0, "None"), (1, "One"), (2, "Two"), (3, "Three")])
def test_what_holms_method_rejects_is_counted_in_words(
    monkeypatch: pytest.MonkeyPatch, rejected: int, word: str
) -> None:
    monkeypatch.setattr(significance, "holm", lambda p_values: [0.05] * rejected + [0.06])
    assert lesson_facts._court()["holm_rejected"] == word


def test_sentences_are_those_that_notebooks_printed() -> None:
    said = lesson_facts.sentence("01_playout_mlp", "No function of the board")
    stored = (ROOT / "notebooks/01_playout_mlp.ipynb").read_text(encoding="utf-8")
    assert json.dumps(said)[1:-1] in stored or json.dumps(said, ensure_ascii=False)[1:-1] in stored
    with pytest.raises(ValueError, match="0 sentences"):
        lesson_facts.sentence("01_playout_mlp", "The moon is made of")
    with pytest.raises(ValueError, match="says nothing like"):
        lesson_facts.printed("01_playout_mlp", r"moons: (\d+)")


def test_claims_of_lesson_6_are_those_of_its_exercise() -> None:
    cells = json.loads(teach.masters()["06_arena"].read_text(encoding="utf-8"))["cells"]
    source = next(s for s in ("".join(c["source"]) for c in cells) if "CLAIMS = [" in s)
    space: dict[str, Any] = {}
    exec(source, space)
    rows = [f"| {name} | {count} of {n} | {chance} |" for name, count, n, chance in space["CLAIMS"]]
    sheet, shown = (LESSONS[5].text(kind) for kind in ("handout", "slides"))
    assert [row for row in rows if row not in sheet] == []
    on_slide = [line for line in shown.splitlines() if re.match(r"\| .* \| \d+ of \d+ \|", line)]
    assert len(on_slide) == 5
    assert set(on_slide) <= set(rows)


# ---------------------------------------------------------------------------- pages


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Slides and handouts as ``make slides`` builds them, and the questions on a plain page."""
    out = tmp_path_factory.mktemp("lessons")
    assert lessons.main(["--out", str(out)]) == 0
    script = (ROOT / "notebooks/book/_static/quiz.js").read_text(encoding="utf-8")
    raw = "".join(
        re.search(r"```\{raw\} html\n(.*?)\n<script", lessons.book_page(one), re.DOTALL)[1]  # type: ignore[index]
        for one in LESSONS
    )
    (out / "quiz.html").write_text(f"<!DOCTYPE html><body>{raw}<script>{script}</script>")
    return out


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert lessons.main(["--out", str(tmp_path / "file/below")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_pages_load_nothing_from_elsewhere(built: Path) -> None:
    for path in built.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'(?:src|<link[^>]*href)="(?!data:)([^"]+)"', text)
        assert [name for name in loaded if not (built / name).is_file()] == []
        assert not re.search(r'(?:src|href)="https?:', text)


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page of a slide's size that reaches files only, and what goes wrong on it."""
    context = browser.new_context(viewport={"width": slides.WIDTH, "height": slides.HEIGHT})
    wrong: list[str] = []
    context.route(re.compile(r"^(?!file:|data:|blob:)"), lambda route: route.abort())
    context.on("request", lambda r: wrong.append(r.url) if r.url.startswith("http") else None)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page, wrong
    context.close()


@pytest.fixture
def offline(window: tuple[Any, list[str]]) -> tuple[Any, list[str]]:
    """The page, empty, and nothing wrong yet."""
    page, wrong = window
    page.goto("about:blank")
    wrong.clear()
    return page, wrong


READY = """() => window.Reveal && Reveal.isReady() && [...document.images].every(i => i.complete)
    && (!window.MathJax || document.querySelector('mjx-container svg'))"""
OVER = """() => {
  const found = [], total = Reveal.getTotalSlides();
  for (let i = 0; i < total; i++) {
    Reveal.slide(i, 0, 99);
    for (const part of Reveal.getCurrentSlide().querySelectorAll('*')) {
      const box = part.getBoundingClientRect();
      if (!part.closest('aside') && box.width && box.height
          && (box.right > innerWidth || box.bottom > innerHeight - 15 || box.left < 0))
        found.push([i + 1, part.tagName, Math.round(box.right), Math.round(box.bottom)]);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("number", range(1, 7))
def test_slides_open_offline_and_fit(
    offline: tuple[Any, list[str]], built: Path, number: int
) -> None:
    page, wrong = offline
    page.goto((built / f"lesson_{number}.html").as_uri())
    page.wait_for_function(READY)
    assert page.evaluate("[...document.images].filter(i => !i.naturalWidth || !i.alt).length") == 0
    assert page.evaluate(OVER) == []
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    page.evaluate("Reveal.slide(0)")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("Reveal.getIndices().h === 1")
    page.wait_for_function("Reveal.getCurrentSlide().textContent.includes('The bet')")
    assert wrong == []


def test_the_check_of_size_sees_a_slide_that_is_too_long(
    offline: tuple[Any, list[str]], tmp_path: Path
) -> None:
    long = slides.deck("t", "\n---\n".join(["# one", "## two\n\n" + "- line\n" * 14]))
    slides.write(tmp_path, {"deck.html": long})
    page, _ = offline
    page.goto((tmp_path / "deck.html").as_uri())
    page.wait_for_function(READY)
    assert {row[0] for row in page.evaluate(OVER)} == {2}


def test_handouts_are_one_sheet_of_a4(offline: tuple[Any, list[str]], built: Path) -> None:
    page, wrong = offline
    for number in range(1, 7):
        page.goto((built / f"handout_{number}.html").as_uri())
        sheet = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1, number
        width, height = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", sheet).groups()  # type: ignore[union-attr]
        assert (round(float(width)), round(float(height))) == (595, 842)
        assert page.locator(".boards svg, .lines, .blank, td:empty").count() > 5
    assert wrong == []


def test_questions_answer_by_click_and_key(offline: tuple[Any, list[str]], built: Path) -> None:
    page, wrong = offline
    page.goto((built / "quiz.html").as_uri())
    assert page.locator(".quiz").count() == len(LESSONS)
    for quiz, lesson in zip(page.locator(".quiz").all(), LESSONS, strict=True):
        for place, asked in enumerate(lesson.questions):
            question, count = quiz.locator(".question").nth(place), len(asked.choices)
            texts = question.locator("button").all_inner_texts()
            assert texts == [lesson_facts.filled(c.text) for c in lessons.in_order(asked)]
            [right] = [n for n, c in enumerate(lessons.in_order(asked)) if c.right]
            button, slip = (question.locator("button").nth(n % count) for n in (right, right + 1))
            if place == 0:  # a slip first: it is explained, and counts against the first try
                slip.click()
                question.locator(".why", has_text="Not so.").wait_for()
            if place % 2:
                button.click()
            else:
                button.focus()
                page.keyboard.press("Enter" if place else "Space")
            question.locator(".why", has_text="Right.").wait_for()
            assert question.get_attribute("class") == "question solved"
        quiz.locator(".tally", has_text="4 of 5 right at the first try, 0 to go.").wait_for()
    assert wrong == []


INSIDE = """() => [...document.querySelectorAll('.pdf-page')].every(sheet =>
  [...sheet.querySelectorAll('section > :not(aside)')].every(part =>
    part.getBoundingClientRect().bottom <= sheet.getBoundingClientRect().bottom - 15))"""


def test_slides_print_one_to_a_page(offline: tuple[Any, list[str]], built: Path) -> None:
    page, wrong = offline
    count = len(LESSONS[0].text("slides").split("\n---\n"))
    page.goto(f"{(built / 'lesson_1.html').as_uri()}?print-pdf")
    page.wait_for_function(f"document.querySelectorAll('.pdf-page').length === {count}")
    page.wait_for_function(READY)
    assert page.evaluate(INSIDE)
    sheets = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheets)) == count
    assert wrong == []


def test_axe_finds_nothing_serious_or_moderate(offline: tuple[Any, list[str]], built: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.base").AXE_FILE_PATH.read_text()
    page, found = offline[0], []
    for path in [*built.glob("lesson_*.html"), *built.glob("handout_*.html")]:
        page.goto(path.as_uri())
        if path.stem.startswith("lesson"):
            page.wait_for_function(READY)
        page.evaluate(axe)
        faults = page.evaluate("axe.run({resultTypes: ['violations']}).then(all => all.violations)")
        found += [(path.stem, one["id"]) for one in faults if one["impact"] != "minor"]
    assert found == []

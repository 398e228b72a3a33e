"""What tasks and their model answers say, built from the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from math import comb, factorial
from typing import Any

import nbformat
import numpy as np
from exercise_scores import MISTAKES
from scipy.stats import binom, binomtest

from result_words.playout_mlp import seeds
from result_words.the_game import after_best_reply
from result_words.tools import (
    GRID,
    GUIDE,
    MASTERS,
    ROOT,
    SLIDES,
    TREE,
    capital,
    code_of,
    drawn,
    ledger,
    listed,
    met,
    piece,
    raw,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib import Grid
from ttt_lib.comparison.matrix import table
from ttt_lib.game import response
from ttt_lib.game.board import Boards, parse
from ttt_lib.game.exact import policy_table
from ttt_lib.game.policy import winning_cells
from ttt_lib.game.stats import wilson
from ttt_lib.ising import curve
from ttt_lib.ising.claims_bias import parabola as parabola_at
from ttt_lib.ising.sweep import fit_minimum
from ttt_lib.ntuple.claims import rank
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.optimum import design_matrix
from ttt_lib.people.book import lesson_facts, lessons
from ttt_lib.people.grading import variants
from ttt_lib.playout_mlp import ceilings
from ttt_lib.spectral.handcrafted import line_features
from ttt_lib.spectral.linear_limits import list_agent
from ttt_lib.ultimate import config

# ---------------------------------------------------------------------------- exercises


def unlost(chance: float, games: int) -> float:
    """With what probability none of so many games is lost."""
    return (1 - chance) ** games


@says(f"{MASTERS}/end_exercises.md")
def proofs() -> Iterator[str]:
    """Counts in the table of answers, and words beside printed numbers."""
    at = [int((TREE.ply == ply).sum()) for ply in (2, 4)]
    yield f"one stone of each kind: 9 · 8 = {at[0]}."
    yield f"9 · 8 · 7 · 6 / (2! · 2!) = {at[1]}."
    lines = {frozenset(line.tolist()) for line in Grid(2).lines}
    kept = [
        p for p in permutations(range(4)) if {frozenset(p[c] for c in x) for x in lines} == lines
    ]
    yield f"{len(kept)}: every permutation of the four cells maps lines to lines"
    x, o = (ceilings.majority(ceilings.population(side)) for side in "xo")
    yield f"the commonest outcome alone is right *{way(o < x, 'less', 'more')}* often there"
    solved = stored("ultimate_solver.csv")
    first = [
        int(solved[~((solved.result != 9) & (solved.nodes <= n))].playable.min())
        for n in (5_000, 50_000, 500_000, 5_000_000)
    ]
    gains = sorted({b - a for a, b in pairwise(first)})
    yield f"a factor of ten buys {listed(map(word, gains), 'or')} cells"
    wins = stored("ntuple_4x4_matches.csv").set_index(["network", "opponent"]).win
    one, two = (wins[f"lines, by symmetry{more}", "random"] for more in ("", ", 2 plies"))
    yield f"two plies win *{way(two < one, 'less', 'more')}* often, **{two}** instead of **{one}**"


@says(f"{MASTERS}/rubric.md")
def rubric() -> Iterator[str]:
    yield f"0.98^100 is about {100 * unlost(0.02, 100):.0f}%"
    one, two = games_to_reject()
    yield f"about {one} games ({two} with the two-sided p-value of task 2)"
    lowest = f"{text_minimum():.2f} with those of task 5, at {exact_minima()} with the program's"
    yield f"shown by fitting the exact steps (lowest at {lowest}, by true rules or as it scores and"
    [(points, changes, basis)] = re.findall(
        r"^\| \| (\d) \| (.*?): another list, still a list; (\w+):",
        raw(f"{MASTERS}/rubric.md"),
        re.MULTILINE,
    )
    each = Fraction(int(points), len([*changes.split(", "), basis]))
    yield f"({part(each)} a point each)"
    end = float(piece("equation", 0.647).end)
    yield so("any b on the plateau below 1 is the same player", end == 1)


def games_to_reject() -> tuple[int, int]:
    """Games without a loss that reject one in ten at 1%: one-sided, and by the p-value."""
    one = next(n for n in range(1, 99) if binom.pmf(0, n, 0.1) < 0.01)
    after = (n for n in range(99, 0, -1) if binomtest(0, n, 0.1).pvalue >= 0.01)
    return one, next(after) + 1


@says(f"{MASTERS}/00_the_game.ipynb")
def one_program_in() -> Iterator[str]:
    passes = unlost(0.02, 100)
    one_in = word(round(1 / passes))
    yield f"0.98^100 is about {100 * passes:.0f}%, so one such program in {one_in} passes"


@says(f"{MASTERS}/02_spectral_dct.ipynb")
def products() -> Iterator[str]:
    wins, blocks = len(GRID.lines), GRID.n * len(GRID.lines)
    yield f'"Three of mine" ({wins} products, one per line) makes a win visible'
    yield f"({blocks}, {word(GRID.n)} per line) a block: {wins + blocks} for either side"
    sums = line_features(GRID.initial(), GRID).shape[1]
    yield f"notebook 02 uses {word(sums)} sums over lines"


@says(f"{MASTERS}/04_ising_bias.ipynb")
def plateau() -> Iterator[str]:
    """Least loss and where it begins, the sentence to publish."""
    at = piece("equation", 0.647)
    lost = at.outcome.loss
    yield (
        f"the player loses least, {lost.numerator} of {lost.denominator} games, for every b above "
        f"{float(at.start):.4f} (up to 1)"
    )
    below = [p for p in curve.named("equation", "o", "random") if float(p.end) <= float(at.start)]
    more = way(all(p.outcome.loss > lost for p in below), "more", "as much")
    losses = [p.outcome.loss for p in curve.named("equation", "o", "random")]
    beaten = so("at every b it can be beaten", min(losses) > 0)
    yield f"below it loses {more}, and {beaten}"


@says(f"{MASTERS}/06_arena.ipynb")
def many_tests() -> Iterator[str]:
    one, two = games_to_reject()
    yield f"0.9^10, about {100 * unlost(0.1, 10):.0f}%"
    yield f"falls below 0.01 at n = {one}"
    yield f"to which counts on the other side add, at n = {two}"
    alarm = 1 - unlost(0.05, 10)
    yield f"at 5% each, at least one fails with a probability of about {100 * alarm:.0f}%"


@says(GUIDE)
def guide() -> Iterator[str]:
    """Points that a person gives, lessons, and false alarms."""
    rows = re.findall(r"^\| (`open-\w+`)? ?\| (\d) \|", raw(f"{MASTERS}/rubric.md"), re.MULTILINE)
    points: list[int] = []
    for name, worth in rows:
        points = [*points, 0] if name else points
        points[-1] += int(worth)
    graded = sorted({20 - read for read in points})
    yield f"Code grades {listed(graded, 'or')} of 20 points"
    alarm = 100 * (1 - unlost(0.05, 10))
    yield f"Of {word(10)} true claims, at least one fails with a probability of up to {alarm:.0f}%"
    plans = raw(GUIDE).split("\n### Lesson ")[1:]
    rows = [re.findall(r"^\| (\d+)–(\d+) \| (.*) \|$", plan, re.MULTILINE) for plan in plans]
    [minutes] = {int(plan[-1][1]) for plan in rows}
    yield f"{capital(len(lessons.load()))} lessons of {minutes} minutes, one for each of the"
    kept = (
        ("The bet", "Read together", "Task 1", "Task 3"),
        ("The bet", "Task 1", "Task 5"),
        ("The bet", "Task 1", "Task 2", "vote again"),
        ("The bet", "Task 1,", "Task 5", "0.647 come from"),
        ("The bet", "Task 1", "Back to the bet"),
        ("The bet", "task 2", "Task 5"),
    )
    short = [
        sum(length(plan, part) for part in parts) for plan, parts in zip(rows, kept, strict=True)
    ]
    assert max(short) < 45
    yield "In 45 minutes do these parts, set the homework, and leave the rest to it: in lesson 1"
    told = ("tasks 1 and 3 ({} minutes)", "tasks 1 and 5 ({});", "the second vote ({})",
            "comes from ({})", "the last discussion ({})", "tasks 2 and 5 ({})")  # fmt: skip
    for text, spent in zip(told, short, strict=True):
        yield text.format(spent)


def length(plan: list[tuple[str, str, str]], part: str) -> int:
    """How many minutes the row with certain words takes in the plan of a lesson."""
    [minutes] = [int(end) - int(start) for start, end, text in plan if part in text]
    return minutes


def three_lines() -> list[tuple[int, int]]:
    """The worths P + bQ of the moves on slide 4."""
    rows = re.findall(r"^\| [\w ]+ \| (\d+) \| (\d+) \|$", raw(SLIDES), re.MULTILINE)
    return [(int(p), int(q)) for p, q in rows]


@says("notebooks/exercises/lessons/handout_4.md")
def moves_as_lines() -> Iterator[str]:
    yield f"The moves are worth {listed(f'{p} + {q}b' for p, q in three_lines())}. Draw them."


@says(SLIDES)
def third_line() -> Iterator[str]:
    worths = np.array([[p + q * b for b in np.linspace(0, 1, 1001)] for p, q in three_lines()])
    under = (worths[2] < worths[:2].max(axis=0)).all()
    yield f"The third line is {way(under, 'never', 'sometimes')} on top."
    state = int(TREE.index(parse("x...o...x", GRID)[None])[0])
    corner, edge = TREE.value[TREE.children[state][[2, 1]]]
    loses, holds = (way(value == 1, "loses", "holds") for value in (corner, edge))
    yield f"A corner for o {loses} to a fork; an edge {holds}."


# ---------------------------------------------------------------------------- model answers


def ways(x: Any, o: Any) -> int:
    """How many games two tables of 3x3 can play, the first as X."""
    tables, count = (x > 0, o > 0), np.ones(len(TREE), dtype=np.int64)
    for state in np.flatnonzero(~TREE.finished)[::-1]:
        count[state] = count[TREE.children[state][tables[TREE.ply[state] % 2][state]]].sum()
    return int(count[0])


@cache
def without_dice() -> int:
    """How many games two players without dice can play, each on both sides."""
    one = table("minimax:ties=first")
    two = policy_table(list_agent(range(9), range(9)), TREE)
    return ways(one, two) + ways(two, one)


@says(f"{MASTERS}/00_the_game.ipynb")
def best_replies() -> Iterator[str]:
    """Perfect play and the best reply to Random."""
    apart = len(set(after_best_reply())) > 1 and (TREE.value[TREE.children[0]] == 0).all()
    yield so("goes wrong after some of them more often than after others", apart)
    best = response.response_outcome(TREE, table("random"), -1)
    brings = best.loss > 0 and best.expected > -met("random", "minimax:ties=uniform").expected
    yield so("it may even lose where that costs less than it brings", brings)


@says(f"{MASTERS}/01_playout_mlp.ipynb")
def luck() -> Iterator[str]:
    """A finite test set."""
    yield f"some {word(round(seeds().test_rows.mean() / 100))} hundred rows, in clusters"
    spread = float(lesson_facts.facts()["luck"])
    yield so("scatter by a couple of percent", round(100 * spread) == 2)
    ceiling = float(ceilings.ceiling(ceilings.population()))
    often = (seeds().oracle_accuracy > ceiling).mean() > 1 / 3
    yield so("the best judge exceeds its own expectation often", often)
    published = lesson_facts.facts()["published_accuracy"]
    above = ceiling < float(published)
    yield so(f"reports a test accuracy of {published}. A friend compares it with the", above)


@says(f"{MASTERS}/02_spectral_dct.ipynb")
def symmetries_and_lists() -> Iterator[str]:
    yield f"A square has {word(len(GRID.symmetries))} symmetries."
    yield f"finds the highest accuracy of all {factorial(9):,} lists"


@says(f"{MASTERS}/02_spectral_dct.ipynb")
def waves_and_scores() -> Iterator[str]:
    """Lengths and half periods of waves, and two boards that no list plays right."""
    rows = np.array(waves_of_a_row())
    yield so("so every wave has length 1.", np.allclose((rows**2).sum(axis=1), 1))
    yield f"the squares of wave 0 average {averages()}, which is why its factor"
    shown, cells = witness()
    wins = winning_cells(GRID, shown, np.ones(len(shown), dtype=np.int8))[:, cells]
    crossed = (wins == np.eye(len(shown), dtype=bool)).all() and not shown[:, cells].any()
    yield so(f"{capital(len(shown))} boards and one list", crossed)


def witness() -> tuple[Boards, list[int]]:
    """The two boards of the model solution, and its two cells."""
    code = source("02_spectral_dct")
    [texts] = re.findall(r'^first, second = "(.{9})", "(.{9})"$', code, re.MULTILINE)
    [cells] = re.findall(r"^a, b = (\d), (\d)$", code, re.MULTILINE)
    return np.stack([parse(text, GRID) for text in texts]), [*map(int, cells)]


@says(f"{MASTERS}/03_ntuple_network.ipynb")
def never_loses() -> Iterator[str]:
    """What no loss shows, and what was enumerated."""
    low, high = wilson(0, 1000)
    yield f"also leaves an {way(low == 0 < high, 'upper', 'lower')} limit for the probability"
    last = stored("ntuple_epochs.csv").query("epoch == 100")
    safe = len(last) == 100 and (last[["worst_x", "worst_o"]] >= 0).all(axis=None)
    yield so("trains a hundred such networks, proves that none of them can be beaten", safe)
    known = lesson_facts.facts()
    yield so("The network of notebook 03 can't be beaten by anybody", safe)
    yield so("and yet misplays dozens of positions", int(known["misplayed"]) > 24)
    way_only = known["own_misplayed"] == "0"
    yield so("The misplayed positions can't arise once the program has made the moves", way_only)
    yield f"{capital(len(Patterns(GRID).tuples))} small tables, one for each line"
    matrix = design_matrix(Patterns(GRID))
    spare = rank(matrix) < matrix.shape[1]
    yield so("Two networks with different numbers can value every board alike", spare)


@says(f"{MASTERS}/04_ising_bias.ipynb")
def parabola() -> Iterator[str]:
    """Where 0.647 lies, and where parabolas are lowest."""
    at = piece("equation", 0.647)
    least = min(p.outcome.loss for p in curve.named("equation", "o", "random"))
    one = at.outcome.loss == least and float(at.start) < 0.647 and float(at.end) == 1
    yield so("lies on the plateau of task 5; every $b$ there below 1 is the same player", one)
    fits = stored("ising_program_fits.csv").query("sweep == '3x3 fine'").quadratic_minimum
    near = [abs(at - 0.647) < 0.0015 for at in (exact_minimum(), fits.mean())]
    yield so(
        f"at the same thousand values, is lowest at {exact_minima()}, by true rules or", near[0]
    )
    yield f"the energy of the text, at {text_minimum():.2f}."
    lowest = (piece("published", 0.647), exact_minimum()), (at, text_minimum())
    far = all(float(p.start) + 0.1 < b < float(p.end) - 0.1 for p, b in lowest)
    yield so("All these points lie far inside a plateau, where the losses are level;", far)
    yield so("and a parabola through it would still be lowest near 0.647", all(near))


def text_minimum() -> float:
    """Where a parabola through the exact steps of the text's energy is lowest."""
    tried = np.arange(1, 1001) / 1000
    lost = np.array([float(piece("equation", b).outcome.loss) for b in tried])
    return fit_minimum(tried, lost, 2)


def exact_minima() -> str:
    """Where parabolas through the exact steps are lowest, by rules of scoring and ways to print."""
    choices = product((False, True), repeat=2)
    at = [parabola_at(scored=scored, shifted=shifted) for scored, shifted in choices]
    return f"{min(at):.3f} to {max(at):.3f}"


def exact_minimum() -> float:
    """Where a parabola through the exact steps is lowest, as notebook 04 prints it."""
    [lowest] = told("04_ising_bias", r"the consistent choice, at \*\*([\d.]+)\*\*")
    return lowest


@says(f"{MASTERS}/05_alphazero_lite.ipynb")
def fifty_to_fifty() -> Iterator[str]:
    """Games between players without dice, and the phases of document 5."""
    games = without_dice()
    yield f"there are {word(games)} games, one per side, repeated {word(100 // games)} times"
    yield f"repeated {word(100 // games)} times; n is {games}."
    yield f"where a position has at most {config.DTWConfig().endgame_threshold} empty cells"
    yield f"any earlier position with at most {config.DTWConfig().midgame_threshold};"


@says(f"{MASTERS}/06_arena.ipynb")
def counts_on_trial() -> Iterator[str]:
    """The ledger, and the counts that it judges."""
    yield so("The ledger judges several hundred numbers", 200 <= len(ledger()) < 1000)
    found = [ledger()[f"dct-{k}-random"] for k in ("on", "3-sym")]
    chances = [re.findall(r"\d+/\d+", row["ours"])[:2] for row in found]
    mine = [str(p) for *_, p in claims_of_exercise()][:3]
    text = (
        "The first three counts are document 2's, beside the chances that this compendium computes"
    )
    yield so(text, mine == [*chances[0], chances[1][0]])


@says(f"{MASTERS}/04_ising_bias.ipynb")
def published_sweep() -> Iterator[str]:
    """The size of the document's fine sweep, and what it chose."""
    rows = stored("ising_program_sweeps.csv").query("sweep == '3x3 fine'")
    values, games = rows.printed.nunique(), rows.games.sum()
    sizes = values == 1e3 and games == 1e6
    yield so("The document plays a million games at a thousand values of $b$", sizes)
    yield f"at which no game was lost: $b = {ledger()['ising-choice']['published']}$"


@says(f"{MASTERS}/06_arena.ipynb")
def court() -> Iterator[str]:
    """The counts of the exercise, and those that its text speaks of."""
    rows = claims_of_exercise()
    yield f"# Judge {word(len(rows))} counts"
    _, wins, games, _ = rows[0]
    yield f'Somebody reports "{wins} wins of {games} games".'
    name, lost, games, chance = next(row for row in rows if "never loses" in row[0])
    one = f"{word(chance.numerator)} in {word(chance.denominator)}"
    yield f'One of the {word(len(rows))} claims says "{name}", {lost} of {games}, where the chance'
    yield f"where the chance of a loss is {one}."
    yield f"How many games without a loss would it take to reject {one} at"
    prints = "no judge can expect more than" in source("01_playout_mlp")
    yield so("such as the ceiling that exercise 1 prints", prints)


def claims_of_exercise() -> list[tuple[Any, ...]]:
    """The claims of exercise 6: what was counted, how often, of how many, with which chance."""
    rows = re.findall(r'\("(.+)", (\d+), (\d+), Fraction\((\d+), (\d+)\)\)', source("06_arena"))
    return [(name, int(k), int(n), Fraction(int(p), int(q))) for name, k, n, p, q in rows]


def source(name: str) -> str:
    """The code of a master."""
    return code_of(ROOT / MASTERS / f"{name}.ipynb")


@says(f"{MASTERS}/mistakes.toml")
def mistakes() -> Iterator[str]:
    """What two of the mistakes say about themselves."""
    yield so('"not transposed: energy is kept all the same"', untransposed())
    right = {p: all(twice_one_side(k, p) for k in range(13)) for p in (0.2, 0.5, 0.7)}
    only = right == {p: p == 0.5 for p in right}
    yield so("twice one side, which is right for even chances only", only)


def mistaken(task: str, why: str, **given: Any) -> Any:
    """What a wrong answer to a task makes, with what the master offers to it."""
    [code] = [m.code for m in MISTAKES if m.task == task and m.why.startswith(why)]
    space = {"Fraction": Fraction, "factorial": factorial, "comb": comb, "np": np, **given}
    exec(code, space)
    return space[task.replace("-", "_")]


@says(f"{MASTERS}/mistakes.toml")
def mistakes_of_the_first_three() -> Iterator[str]:
    """What wrong answers on games, rows and waves make, from their code."""
    free = {"free": lambda text: [cell for cell, mark in enumerate(text) if mark == "."]}
    alike, board = [1] * GRID.cells, "x" + "." * (GRID.cells - 1)
    chance = mistaken("weighted", "divides", **free)(alike, board)[1]
    yield f"divides by the weights of all {word(1 / chance)} cells, those of taken ones included"
    left = mistaken("weighted", "whole-number", **free)(alike, board)
    yield so("whole-number division, which leaves nothing", not any(left.values()))
    cycle = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    found = mistaken("cycles", "each cycle", permutations=permutations)(cycle)
    once = sorted(first for first, *_ in found) == [0, 1, 2]
    yield so(f"each cycle {word(len(found))} times, once from every player in it", once)
    plies = range(5, GRID.cells + 1)
    [more] = {mistaken("rows", "half of the plies")(n) - n // 2 for n in plies}
    yield f"half of the plies, {word(more)} more"
    [last] = [n for n in plies if mistaken("rows", "takes every game")(n) == (n + 1) // 2]
    yield f"takes every game to last {word(last)} moves"
    waves = (mistaken("basis", "wave 0 gets")(GRID.n) ** 2).sum(axis=1)
    yield so('"wave 0 gets the factor of the others"', waves[0] > 1.5 and np.allclose(waves[1:], 1))


@says(f"{MASTERS}/mistakes.toml")
def mistakes_on_tables_and_b() -> Iterator[str]:
    """What wrong answers on tables and energies make, from their code."""
    cells = [(1, 0, 0), (-1, 0, 0), (0, 0, 0)]
    x, o, _ = (mistaken("entry", "X counts two")(line, 1) for line in cells)
    yield f"X counts {word(x / 9)}, O {word(o / 9)}"
    yield f'"O counts {mistaken("entry", "O counts")(cells[1], 1) // 9}"'
    mine, theirs = (mistaken("entry", "adds 27")(cells[2], side) for side in (1, -1))
    yield so(f"adds {mine} where X is to move", mine > theirs == 0)
    lines = Patterns(GRID)
    yield f"adds all weights, not the {word(len(lines.tuples))} picked ones"
    zeros = np.zeros((len(lines.tuples), lines.sizes[0]))
    added, bias = mistaken("disguise", "adds to all")(zeros, 0)
    changed = word((added > 0).all(axis=1).sum())
    yield so(f"adds to all {changed} tables, takes away once", bias == -added.max())
    edges = [
        n
        for n in range(2, 6)
        if np.isclose(mistaken("weight", "c for boards")(1, 0, n), (n + 1) ** (1 / n))
    ]
    yield f"c for boards of {listed(map(word, edges))} only"
    found = [mistaken("best", "relative, but")(worths) for worths in ([2, 1], [-1, -2])]
    yield so("relative, but wrong below zero", found[0] == [0] != found[1])
    yield so("divides by zero for parallel lines", parallel_lines_raise())


def parallel_lines_raise() -> bool:
    try:
        mistaken("crossings", "divides by zero")([(Fraction(1), 1), (Fraction(2), 1)])
    except ZeroDivisionError:
        return True
    return False


@says(f"{MASTERS}/mistakes.toml")
def mistakes_on_moves_and_counts() -> Iterator[str]:
    """What wrong answers of exercises 5 and 6 make, from their code."""
    same = {
        p: mistaken("chance", "as if wins")(1, 2, p) == 2 * p * (1 - p)
        for p in (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
    }
    [code] = [m.code for m in MISTAKES if m.why.startswith("every open sub-board")]
    [cells] = re.findall(r"left = (\d) \* sum\(", code)
    yield f"every open sub-board counts {word(int(cells))} cells"
    with np.errstate(invalid="ignore"):
        tried = mistaken("puct", "divides by zero")([0.5, 0.5], [1, 0], [1, 0], 1)
    none = list(np.isnan(tried)) == [False, True]
    yield so("divides by zero where a move was never tried", none)
    even = [p for p, right in same.items() if right] == [Fraction(1, 2)]
    yield so("as if wins and losses had the same chance", even)
    hundredths = {"p_value": lambda count, n, p: count / n}
    low, _ = mistaken("accepts", "half of alpha for", **hundredths)(100, 0, Fraction(1, 10))
    yield so("half of alpha for a p-value that has two sides already", Fraction(low, 10) == 1 / 2)
    ways_out = hundredths | {"accepts": lambda n, p, alpha: (0, n)}
    judge = mistaken("verdict", "five per cent", **ways_out)
    limits = [next(k for k in range(101) if judge(k, 100, 0, a) != "differs") for a in (0.01, 0.1)]
    [limit] = set(limits)
    yield f"{word(limit)} per cent, whatever alpha is"
    half = hundredths | {"accepts": lambda n, p, alpha: (1, (n + 1) // 2)}
    taken = mistaken("verdict", "exactly half", **half)(99, 99, 0, 0.05) == "undecided"
    yield so("exactly half is taken for more than half", taken)


def untransposed() -> bool:
    """Whether a transform without the transposition is another one and keeps the energy."""
    waves, grid = np.array(waves_of_a_row()), np.arange(9.0).reshape(3, 3) ** 2
    right, wrong = waves @ grid @ waves.T, waves @ grid @ waves
    return bool(np.isclose((wrong**2).sum(), (grid**2).sum()) and not np.allclose(right, wrong))


def twice_one_side(count: int, p: float) -> bool:
    """Whether twice the smaller side is the two-sided p-value of a count of 12."""
    side = min(binom.cdf(count, 12, p), binom.sf(count - 1, 12, p))
    return bool(np.isclose(min(1, 2 * side), binomtest(count, 12, p).pvalue))


@says(f"{MASTERS}/variants.toml")
def values() -> Iterator[str]:
    """Why these numbers may differ from student to student, and others may not."""
    text = raw(f"{MASTERS}/variants.toml")
    shares = [Fraction(int(a), int(b)) for a, b in re.findall(r'best = "(\d+), (\d+)"', text)]
    exactly = len(shares) > 1 and all(Fraction(float(share)) == share for share in shares)
    yield so("# shares that a float holds exactly", exactly)
    bases = [int(base) for base in re.findall(r"\{ base = (\d+) \}", text)]
    takes = {
        base: all(base**k == base ** (k + 1) - base**k for k in range(3)) for base in (2, *bases)
    }
    [other] = [base for base, same in takes.items() if same and base not in bases]
    yield f"not {other}: then what a stone takes from the other side is what it would have gained"


@says(f"{MASTERS}/variants.toml")
def lines_and_moves() -> Iterator[str]:
    """What a check says beside a parameter."""
    centre, corner = (sum(cell in line for line in GRID.lines) for cell in (4, 0))
    text = f'"the centre lies on {word(centre)} lines; each rises from 1 to «base»"'
    yield f"«{centre} * base - {centre}», {text}"
    yield f'«{corner} * base - {corner}», "a corner'
    x, o = (GRID.cells + 1) // 2, GRID.cells // 2
    yield f'rows(9) == «{o} + add», "in a game of {word(x + o)} moves «who»'
    yield so("same for all, so that one rubric serves; so is whatever", same_for_all())


@cache
def same_for_all() -> bool:
    """Whether no parameter changes an open question."""
    return all(
        not {cell.id for cell in cells} & set(parameter.places)
        for name, cells in open_tasks().items()
        for parameter in variants.parameters(ROOT / MASTERS, name)
    )


def open_tasks() -> dict[str, list[Any]]:
    """The cells of each exercise from its last task on, which a person reads."""
    found = {}
    for path in sorted((ROOT / MASTERS).glob("0*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        heads = [k for k, cell in enumerate(cells) if cell.source.startswith("## 6. ")]
        found[path.stem] = cells[heads[0] :]
    return found


@says(f"{MASTERS}/variants.toml")
def shares_in_words() -> Iterator[str]:
    """Numbers beside their words, and counts of which exactly a share passes."""
    text = raw(f"{MASTERS}/variants.toml")
    for count, least in re.findall(r"count = (\d+), word = \S+, least = ([\d.]+)", text):
        yield f'count = {count}, word = "{word(int(count))}", least = {least} }}'
    for share, low, high in re.findall(r'share = "([\d.]+)", low = (\S+), high = (\S+),', text):
        yield f'share = "{share}", low = {low}, high = {high}, words = "{part(Fraction(share))}" }}'
    rows = re.findall(r'a = (\d), b = "(.*?)", .*count = (\d+), n = (\d+), p = (\d)', text)
    for a, b, count, n, p in rows:
        share = Fraction(int(b.partition(" * ")[0]) if "*" in b else 1, int(a))
        passed = sum(binomtest(k, int(n), 1 / int(p)).pvalue >= 0.05 for k in range(int(n) + 1))
        inside = binomtest(int(count), int(n), 1 / int(p)).pvalue >= 0.05
        named = f'a = {a}, b = "{b}", share = "{part(share)}", count = {count}, n = {n}'
        yield so(named, Fraction(passed, int(n) + 1) == share and inside)


def part(share: Fraction) -> str:
    """A fraction in words."""
    names = {2: "half", 4: "quarter", 5: "fifth", 7: "seventh"}
    above, name = share.numerator, names[share.denominator]
    if above == 1:
        return name if share.denominator == 2 else f"a {name}"
    return f"{word(above)} {name}s"


def averages() -> str:
    """What the squares of a cosine average over the cells: of wave 0, and of all others alike."""
    found = [
        {round(float((np.cos(np.pi * k * (np.arange(n) + 0.5) / n) ** 2).mean()), 9)
         for k in range(first, end)}
        for n in (3, 4, 7) for first, end in ((0, 1), (1, n))
    ]  # fmt: skip
    [constant] = set.union(*found[::2])
    [other] = set.union(*found[1::2])
    return f"{constant:g} over the cells, those of every other wave {Fraction(other)}"


def waves_of_a_row() -> list[list[float]]:
    """The three waves of a row of three cells, from the table behind a figure."""
    value = drawn("02_waves").set_index(["u", "v", "row", "column"]).value
    return [[3**0.5 * value[0, wave, 0, cell] for cell in range(3)] for wave in range(3)]

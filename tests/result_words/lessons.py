"""What slides, handouts and the plan of the lessons say, built from the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from exercise_scores import MISTAKES, UNNAMED
from scipy.stats import binom, binomtest

from result_words.end_exercises import one_entry_each, threats, whole
from result_words.exercises import (
    averages,
    claims_of_exercise,
    exact_minimum,
    same_for_all,
    source,
    unlost,
    untransposed,
    waves_of_a_row,
    without_dice,
)
from result_words.pages import masters
from result_words.playout_mlp import seeds
from result_words.tools import (
    GRID,
    GUIDE,
    KINDS,
    LESSONS,
    MASTERS,
    ORDINALS,
    ROOT,
    SLIDES,
    TREE,
    capital,
    cells_of,
    counted,
    drawn,
    listed,
    margin,
    markdown,
    met,
    piece,
    raw,
    says,
    so,
    stored,
    way,
    word,
)
from ttt_lib import Grid
from ttt_lib.comparison.matrix import table
from ttt_lib.evidence import claims, significance
from ttt_lib.evidence.answers import Chance
from ttt_lib.game import response
from ttt_lib.game.board import parse
from ttt_lib.game.exact import exact_values, misplayed, policy_table
from ttt_lib.game.policy import from_scores, winning_cells
from ttt_lib.ising import curve, meaning
from ttt_lib.ising.energy import energy_of, gains, power_energy
from ttt_lib.ntuple.network import Patterns
from ttt_lib.people.book import lesson_facts
from ttt_lib.people.grading import course, grade, sandbox, variants
from ttt_lib.people.grading.execution import Run
from ttt_lib.playout_mlp import ceilings
from ttt_lib.spectral.linear_limits import list_agent
from ttt_lib.ultimate.board import notation
from ttt_lib.ultimate.solver import plain

README = "notebooks/exercises/README.md"


def kinds_among(n: int, cells: Iterable[int]) -> list[int]:
    """The first cell of each kind among some cells of n x n."""
    return sorted({int(Grid(n).symmetries[:, cell].min()) for cell in cells})


def border(n: int) -> list[int]:
    return [c for c in range(n * n) if {c // n, c % n} & {0, n - 1}]


def centres(n: int) -> int:
    """Cells that every symmetry leaves in place."""
    return int((Grid(n).symmetries == np.arange(n * n)).all(axis=0).sum())


@says(f"{LESSONS}/slides_1.md")
def first_lesson() -> Iterator[str]:
    """Labels, endings, the best guess, and networks below the constant answer."""
    last = parse("x..ox..ox", GRID)[None]
    label = {1: "x wins", -1: "o wins", 0: "a draw"}[int(GRID.winner(last)[0])]
    rows = re.findall(r"^(\S{9}) \| row (\d): ", raw(f"{LESSONS}/slides_1.md"), re.MULTILINE)
    for board, number in rows:
        yield f"{board} | row {number}: {label}"
    boards = [tuple(parse(board, GRID).tolist()) for board, _ in rows]
    likeliest = all(lesson_facts.win_chance(board) > Fraction(1, 2) for board in boards)
    same = word(len(boards))
    yield so(f'none, since "x wins" is the likeliest result in all {same};', likeliest)
    yield f"but in row {boards.index(lesson_facts.CORNER) + 1} the label fails in {{{{row_fails}}}}"
    known = lesson_facts.facts()
    differ = known["three_left_chance"] != known["three_left_endings"]
    yield f"**{way(differ, 'No', 'Yes')}: {{{{three_left_chance}}}}.**"
    counts = [int(n) for n in re.findall(r"(\d+) times \|", raw(f"{LESSONS}/slides_1.md"))]
    yield f"The best guess is right in {max(counts)} of {sum(counts)} cases."
    ceiling, published = float(known["ceiling"]), float(known["published_accuracy"])
    yield f"lies **{way(published > ceiling, 'above', 'below')}** the ceiling of {{{{ceiling}}}}"
    yield so("No function of the board can expect even the published accuracy", ceiling < published)
    constant = drawn("01_accuracy_by_empties").set_index("empty").majority[6]
    worse = (seeds().population_accuracy_6 < constant).all()
    yield so('With six empty cells all networks do worse than the constant "x wins"', worse)
    lucky = (seeds().accuracy_6 > constant).any()
    yield so("on their own few test rows some do better by luck", worse and lucky)


def taken() -> str:
    """Which number a player takes that scores each free cell by one."""

    def scores(boards: Any) -> Any:
        return np.where(GRID.legal(boards), np.arange(9.0), -np.inf)

    [chosen] = np.flatnonzero(policy_table(from_scores("numbers", GRID, scores), TREE)[0])
    return way(chosen == 8, "largest", "smallest")


@says(f"{LESSONS}/slides_2.md")
def second_lesson() -> Iterator[str]:
    """Waves by hand, a check that is passed by a wrong transform, and kinds of cells."""
    signs = [
        [way(v > 0.1, "+", way(v < -0.1, "−", "0")) for v in wave] for wave in waves_of_a_row()
    ]
    for name, row in zip(("0 constant", "1 falling", "2 valley"), signs, strict=True):
        yield f"| {name} | {' | '.join(row)} |"
    flat, falling, valley = (", ".join(roots(wave)) for wave in waves_of_a_row())
    yield f"By hand: wave 0 is {flat.split(', ')[0]} in each cell; wave 1 is {falling}; wave 2"
    yield f"wave 2 is {valley}."
    waves = drawn("02_waves").groupby(["u", "v"])
    yield f"{capital(len(waves))} waves for {word(waves.size().max())} cells: nothing lost"
    yield f"you **must** take the free cell with the {taken()} number."
    yield so("Leave out a transposition: still orthonormal, still the same energy", untransposed())
    yield f"3x3: {', '.join(KINDS[cell] for cell in kinds_among(3, range(9)))}."
    yield so("4x4 has no centre cell.", centres(4) == 0)
    yield f"On 5x5 the border alone has {word(len(kinds_among(5, border(5))))} kinds"
    yield f"Average over the {word(len(GRID.symmetries))} symmetries"
    yield so("find two boards that no list can play **both** correctly", no_list_plays_both())
    yield f"## The {word(drawn('02_priority_lists')['list'].nunique())} lists"


def no_list_plays_both() -> bool:
    """Whether each of the exercise's two boards has one win, on a cell that is free in both."""
    [pair] = re.findall(r'first, second = "(.{9})", "(.{9})"', source("02_spectral_dct"))
    boards = [parse(text, GRID) for text in pair]
    wins = [threats(GRID, board[None], 1) for board in boards]
    free = all(board[cell] == 0 for board in boards for [cell] in wins)
    return free and wins[0] != wins[1]


def roots(wave: list[float]) -> list[str]:
    """Numbers of a wave as multiples of one over a root."""
    under = round(1 / min(v**2 for v in wave if abs(v) > 1e-6))
    times = [round(v * under**0.5) for v in wave]
    return [f"{'−' * (m < 0)}{abs(m)}/√{under}" if m else "0" for m in times]


@says(f"{LESSONS}/slides_3.md")
def third_lesson() -> Iterator[str]:
    """Entries, steps, views, and what is reached."""
    known = lesson_facts.facts()
    yield f"| {int(known['entry_o']) - int(known['entry_x'])} more: {{{{entry_o}}}} |"
    o_moves = ~TREE.finished & (TREE.ply % 2 == 1)
    gap = winning_cells(GRID, TREE.boards, np.full(len(TREE), -1, dtype=np.int8)).any(axis=1)
    won = (TREE.value[o_moves & gap] == -1).all()
    yield so("two noughts and a gap are a win for O to move", won)
    steps = [np.ptp(np.array(divmod(line, 3)), axis=1).tolist() for line in GRID.lines]
    counts = [steps.count(step) for step in ([0, 2], [2, 0], [2, 2])]
    rows, columns, diagonals = map(word, counts)
    yield f"{rows.capitalize()} rows, {columns} columns, {diagonals} diagonals."
    yield so("Every board picks exactly one entry of each table", one_entry_each())
    [changed] = re.findall(r"values = \[\n  \{ count = (\d+)", raw(f"{MASTERS}/variants.toml"))
    yield f"Change at least {word(int(changed))} weights, and keep **every** value"
    wrong, unsure = ((t - v) * (1 - v**2) for t, v in ((-1, 0.99), (1, 0.6)))
    yield so("A board that is confidently wrong moves slowly.", abs(wrong) < abs(unsure) / 5)
    left, right = (int(TREE.index(parse(b, GRID)[None])[0]) for b in ("xx.oo....", "xx.oo...x"))
    after = [TREE.value[TREE.children[s][TREE.legal[s]]] for s in (left, right)]
    ends = [
        way(TREE.value[s] == v.max() > v.min(), "largest", "smallest")
        for s, v in zip((left, right), after, strict=True)
    ]
    yield f"On the left X takes the {ends[0]} value, on the right O the {ends[1]}."
    yield so("it never reaches a position that it misplays", known["own_misplayed"] == "0")
    errors = misplayed(TREE, table("ntuple"))
    mine, chosen = np.where(TREE.ply % 2, -1, 1)[errors], table("ntuple")[errors] > 0
    ended = np.where(chosen, TREE.value[TREE.children[errors]] * mine[:, None], 1).min(axis=1)
    some = 0 < (ended == -1).sum() < len(errors)
    yield so("Some of them would lose, if the positions arose", some)
    rows = drawn("03_perfect_play")
    unbeaten = rows.never_lose
    still = unbeaten.iloc[0] < 100 == unbeaten.iloc[10:].min() and rows.low.min() > 0
    yield so(
        "stop being beatable during training, and how many positions they misplay even then", still
    )


@says(SLIDES)
def fourth_lesson() -> Iterator[str]:
    """The document's sweep, and what more games would have changed."""
    sweep = stored("ising_program_sweeps.csv").query("sweep == '3x3 fine'")
    thousands = set(sweep.games) == {len(sweep)} == {1000}
    yield so("plays a thousand games at each of a thousand values of b", thousands)
    lost = float(piece("published", 0.647).outcome.loss)
    gone = len(sweep) * unlost(lost, 100 * 1000) < 0.01 < unlost(lost, 1000) * len(sweep)
    yield so("And the lucky dot would have gone.", gone)
    fits = stored("ising_program_fits.csv").query("sweep == '3x3 fine'").quadratic_minimum
    near = abs(fits - exact_minimum()).max() < 0.01
    yield so("the parabola would have its minimum in nearly the same place", near)
    yield f"handed in: {way(near, 'hardly anything', 'much')}."
    yield so("The exact curve gives nearly the same minimum as the sampled one.", near)
    one = piece("published", 0.647)
    pieces = curve.named("published", "o", "random")
    above, last = pieces[pieces.index(one) : -1], pieces[-1]
    level = {p.outcome.loss for p in above} == {one.outcome.loss} and float(last.start) == 1
    yield so("at every b above {{program_plateau_from}} and below 1", level)
    ends = [(p.start, p.end) for p in curve.named("equation", "o", "random")]
    known = lesson_facts.facts()
    _, step_1, step_2 = map(float, meaning.steps(energy_of("equation", GRID)))
    assert [known["step_1"], known["step_2"]] == [f"{step_1:.2f}", f"{step_2:.2f}"]
    at = [step_1 / step_2, step_1 / (step_2 - step_1)]
    lines = [float(known[name]) for name in ("step_ratio", "plateau_from")]
    text = "so the two dotted lines on the left of the right panel stand at {{step_ratio}} and"
    yield so(text, np.allclose(lines, at, atol=5e-4))
    less = float(known["text_loss"]) < float(known["program_loss"])
    yield so("the loss with the program's energy; with the text's it is {{text_loss}}", less)
    points = way(any(start == end for start, end in ends), "with", "without")
    yield f"Exact, not sampled: steps, {points} single points between them."
    more = piece("equation", 0.0).outcome.loss > piece("equation", 0.647).outcome.loss
    yield so("Below the plateau it is another player: at b = 0 it loses {{loss_at_zero}}", more)


@says(f"{LESSONS}/slides_5.md")
def fifth_lesson() -> Iterator[str]:
    """Distances, faults, signs, and players without dice."""
    known = lesson_facts.facts()
    mine, other = (
        100 - int(known["parent_score"]),
        100 + int(known["child_score"].replace("−", "-")),
    )
    yield f"you lose in {word(other)} plies, so I win in {word(mine)}."
    faults = stored("ultimate_faults.csv").set_index("fault")
    key, bound, turned = (faults.loc[name] for name in faults.index[:3])
    yield so("The first spoils results, though rarely;", 0 < key.result < 0.01 * key.positions)
    yield so("the second above all distances;", bound.distance > 10 * max(bound.result, bound.move))
    shown = "; ".join(f"{r.result}, {r.distance}, {r.move}" for r in (key, bound, turned))
    text = "Of {{fault_positions}} positions, wrong in result, distance and move: {{fault_rows}}."
    yield so(text, shown == known["fault_rows"] and str(key.positions) == known["fault_positions"])
    hundred = turned.move >= 100 and turned.result == turned.distance == 0
    yield so("the third moves by the hundred, while every value stays right", hundred)
    signs = drawn("05_exhibits").set_index("setting")
    right, wrong = (signs.loc[f"{sign} sign, new network"] for sign in ("right", "wrong"))
    loses = wrong["score against random"] < 0.5 < right["score against random"]
    yield so("With the reversed sign it loses to a player that moves at random", loses)
    nearly = wrong["wins in one missed"] > 0.9
    yield so("and misses nearly every win in one ({{missed_new}}; with the trained", nearly)
    games = without_dice()
    yield f"both players are deterministic, so there are {word(games)} games, one per side."


@says(f"{LESSONS}/slides_6.md")
def sixth_lesson() -> Iterator[str]:
    """Counts of wins and heads, what a game could show, and a circle that was found."""
    claims_here = claims_of_exercise()
    yield f"{capital(len(claims_here))} claims. Does the count fit"
    yield f"{capital(comb(3, 2))} orders, each p·p·(1−p)."
    any_of_ten = f"{100 * (1 - unlost(0.05, 10)):.0f}%"
    at_least = any_of_ten == lesson_facts.facts()["any_of_ten"]
    yield so("at least one rejects with a probability of about **{{any_of_ten}}**", at_least)
    chances = binom.pmf(range(11), 10, 0.5)
    rare = np.flatnonzero(chances <= chances[3] * (1 + 1e-9))
    yield f"Draw the {word(len(chances))} bars."
    yield f"{rare[0]} to {rare[rare < 5][-1]} and {rare[rare > 5][0]} to {rare[-1]}. Together"
    same = abs(chances[rare].sum() - float(lesson_facts.facts()["three_heads_p"])) < 0.005
    yield so("Together {{three_heads_p}}. Warn of", same)
    heads = [n for n in range(11) if binomtest(n, 10, 0.5).pvalue <= 0.05]
    yield f"rejected at 5% only with {listed(heads, 'or')} heads"
    less = chances[heads].sum() < 0.9 * 0.05
    yield so("that is with a probability of {{coin_rejected}}, not 5%.", less)
    yield f"**{way(nothing_rejected(), 'None', 'Some')}.** A test that nothing can fail shows"
    known = lesson_facts.facts()
    games = [int(known[f"can_fail_{level}"]) for level in (5, 1)]
    fails = [
        [won for won in range(n + 1) if binomtest(won, n, 0.75).pvalue < level]
        for n, level in zip(games, (0.05, 0.01), strict=True)
    ]
    yield so("{{can_fail_1}} at 1%: no win)", fails == [[0], [0]])
    yield f"Every published result of the {word(len(claims.DOCUMENTS))} documents"
    orders = [whole([cells]) for cells in re.findall(r'"[A-D]": \[(.+?)\]', source("00_the_game"))]
    tables = [policy_table(list_agent(order, order), TREE) for order in orders]
    ends = [[exact_values(TREE, a, b)[0].expected for b in tables] for a in tables]
    beats = [(a, b) for a in range(4) for b in range(4) if ends[a][b] > ends[b][a]]
    circles = [(a, b, c) for a, b in beats for c in range(4) if {(b, c), (c, a)} <= set(beats)]
    yield so("whoever did task 5 of exercise 0 has found one", circles)
    half = way(claims.BLUNT == 0.5, "more than half", "some")
    yield f"**undecided**: it is not, but {half} of all counts would have passed"
    rare = int(known["cycles"]) / int(known["triples"].replace(",", "")) < 0.01
    yield so("{{cycles}} of {{triples}} triples: rare, but there.", rare)
    three = ("lookahead:depth=3", "potential:b=0.5", "safety+mlp")
    ahead = [
        margin(one, other) > 0 for one, other in zip(three, three[1:] + three[:1], strict=True)
    ]
    yield f"{way(all(ahead) or not any(ahead), 'It depends on whom you ask', 'The first')}."


@says(f"{LESSONS}/handout_5.md")
def late_losses() -> Iterator[str]:
    lost_in = 100 + int(lesson_facts.facts()["child_score"].replace("−", "-"))
    yield f"| lost in {lost_in} plies | {{{{child_score}}}} |"
    won_in = int(re.findall(r"won in (\d+) plies", raw(f"{LESSONS}/handout_5.md"))[0])
    yield so(f"| won in {won_in} plies |", lost_in % 2 == 0 and won_in % 2)


@says(f"{LESSONS}/handout_6.md")
def claims_to_judge() -> Iterator[str]:
    """The rows of the sheet: those of the exercise, the first three as published."""
    level = re.findall(r"verdict\(count, n, p, ([\d.]+)\)", source("06_arena"))
    yield so("| p-value | verdict at {{level}} |", {*map(float, level)} == {claims.SIGNIFICANCE})
    rows = claims_of_exercise()
    for name, count, of, chance in rows:
        yield f"| {name} | {count} of {of} | {chance} | | | |"
    published = [counted(f"dct-3-{kind}random") for kind in ("", "sym-")]
    same = [count for _, count, *_ in rows[:3]] == [*published[0][:2], published[1][0]]
    yield so("Does the published count fit the exact chance of one game", same)


@says(f"{LESSONS}/slides_6.md")
def claims_to_bet_on() -> Iterator[str]:
    """The rows of the slide, and how many others the sheet has."""
    rows = {name: (count, of, chance) for name, count, of, chance in claims_of_exercise()}
    names = re.findall(r"^\| (.*?) \| \d+ of \d+ \|", raw(f"{LESSONS}/slides_6.md"), re.MULTILINE)
    for name in names:
        yield "| {} | {} of {} | {} |".format(name, *rows[name])
    yield f"The other {word(len(rows) - len(names))} are on the handout."


def nothing_rejected() -> bool:
    """Whether no count of one game with a chance of 3/4 is rejected at 5%."""
    return all(binomtest(count, 1, 0.75).pvalue >= 0.05 for count in (0, 1))


@says(f"{LESSONS}/lessons.toml")
def questions_on_boards() -> Iterator[str]:
    """Lessons 1 to 3."""
    waves = drawn("02_waves").groupby(["u", "v"])
    yield f"The basis has {word(len(waves))} waves for {word(waves.size().max())} cells, and the"
    moves = list(range(1, 7 + 1, 2))
    yield f"x moves at plies {listed(moves)}. All of these rows share one label"
    board = lesson_facts.THREE_LEFT
    wins, free = threats(GRID, np.array([board], dtype=np.int8), 1), board.count(0)
    yield f"The immediate win is one ending, but a {ORDINALS[free]} of all games take it"
    yield f"{capital(len(wins))} wins at once; average what each of them leads to"
    yield f"a random player goes there only one time in {word(free)}"
    later = [(*board[:c], 1, *board[c + 1 :]) for c in range(9) if board[c] == 0 and c not in wins]
    some = all(lesson_facts.win_chance(after) > 0 for after in later)
    yield so("X may still win later if it plays elsewhere now", some)
    likeliest = Fraction(lesson_facts.facts()["sure_truth"]) > Fraction(1, 2)
    yield so("It still names the likeliest outcome.", likeliest)
    beaten = stored("spectral_orderings.csv").query("safety == 'no'").never_lose.eq(0).all()
    yield so("That list can be beaten, too.", beaten)
    yield so("Leave out a transposition, or use another orthonormal basis", untransposed())
    inner = [cell for cell in range(16) if cell not in border(4)]
    rest = len(kinds_among(4, border(4))), len(kinds_among(4, inner))
    yield so("corners, the rest of the border and the inner square on 4x4", rest == (2, 1))
    yield f"on 5x5 the border alone has {word(len(kinds_among(5, border(5))))} kinds"
    no_more = centres(4) == 0 and len(kinds_among(4, range(16))) == len(kinds_among(3, range(9)))
    yield so("4x4 has no centre cell and no more kinds than 3x3", no_more)
    apart = len(kinds_among(3, border(3))) == 2
    yield so("Corners and edges of the border are not exchanged by any symmetry", apart)
    yield f"{capital(len(Patterns(GRID).tuples))} look-up tables learn to play without a loss"


@says(f"{LESSONS}/lessons.toml")
def questions_on_b_and_counts() -> Iterator[str]:
    """Lessons 4 to 6."""
    text = raw(f"{LESSONS}/lessons.toml")
    found = re.search(r"One move is worth (\d+) \+ (\d+)b, another (\d+) \+ (\d+)b", text)
    assert found
    p, q, other, steep = map(int, found.groups())
    crosses = p > other and p + q < other + steep
    yield so(
        "Below, the first move is better, above the second, and at the crossing they tie", crosses
    )
    yield so("The second line is steeper, so it gets ahead at some b.", steep > q)
    pieces = curve.named("published", "o", "random")
    losses = [p.outcome.loss for p in curve.named("equation", "o", "random")]
    yield f"Nothing is trained here, and {way(min(losses) > 0, 'no', 'some')} b removes that loss."
    singles = any(p.start == p.end for p in pieces)
    yield so(
        "with the energy of the document's text it has {{pieces}} pieces, single points included",
        singles,
    )
    yield so("So single points belong to the curve.", singles)
    limitless = 0.01 * (10**6) ** 0.5 > 2  # results differ by 2 at most
    yield so("So the bonus of a move that waits grows without limit", limitless)
    sweep = stored("ising_program_sweeps.csv").query("sweep == '3x3 fine'")
    million = sweep.games.sum() == 10**6
    yield so("A document finds 0.647 from a million games", million)
    found = re.search(r"Three p-values, ([\d.]+), ([\d.]+) and ([\d.]+), are corrected", text)
    assert found
    least, middle, largest = map(float, found.groups())
    yield so("The smallest has to be below a third of 5%, and it is.", least < 0.05 / 3)
    yield so("The second p-value is above its limit, and there the method stops", middle > 0.05 / 2)
    yield so(
        "Two: the first and the last are below their limits", least < 0.05 / 3 and largest < 0.05
    )
    yield so("Three: all are below 0.05", largest < 0.05)
    passed = way(nothing_rejected(), "would have passed", "could fail")
    yield f"Won or lost, it {passed}."
    low, high = (int(lesson_facts.facts()[f"forty_{end}"]) for end in ("low", "high"))
    most = high - low + 1 < 101 / 2
    yield so("Most counts from 0 to 100 would have been rejected.", most)


@says(GUIDE)
def promises() -> Iterator[str]:
    """Short solutions, a limit of time, and who does best against a weak player."""
    names = [path.stem for path in masters()]
    found = [re.findall(r"BEGIN SOLUTION\n(.*?)### END", source(n), re.DOTALL) for n in names]
    longest = max(len(code.split("\n")) - 1 for some in found for code in some)
    yield so("each solution is at most a dozen lines", longest <= 12)
    most = f"{course.SECONDS} seconds per cell and {course.TOTAL_SECONDS} per submission"
    yield f"apart from the limits of {most}"
    boards = {(m.task, m.why) for m in MISTAKES if m.task == "witness"}
    numbers = ("split", "global random numbers")
    apart = boards | {numbers} == UNNAMED
    named = f"apart from those of {place_of('witness')}, which is no function"
    yield so(f"{named}, and the {numbers[1]} of {place_of(numbers[0])}: there only the item", apart)
    tasks = re.findall(r"^## \d\. ", markdown(ROOT / MASTERS / "00_the_game.ipynb"), re.MULTILINE)
    yield f"tasks 1 and 2 at least, all {word(len(tasks))} if they have a week."
    yield f"You must always take the free cell with the {taken()} number."
    best = response.response_outcome(TREE, table("random"), -1).expected
    more = way(best > -met("random", "minimax:ties=uniform").expected, "more", "less")
    yield f"against a known weaker one the best response gets {more}."
    yield so(
        "Ask for a wrong transform that keeps the energy (leave out a transposition)",
        untransposed(),
    )


def place_of(task: str) -> str:
    """The exercise that has a task, and its number there."""
    [path] = [path for path in masters() if f'"id": "{task}"' in path.read_text(encoding="utf-8")]
    ids, heads = zip(*((c["id"], "".join(c["source"])) for c in cells_of(path)), strict=True)
    above = [re.match(r"## (\d)\. ", head) for head in heads[: ids.index(task)]]
    number = [found[1] for found in above if found][-1]
    return f"exercise {int(path.stem[:2])}, task {number}"


@says("notebooks/exercises/hints.md")
def boards_after_o() -> Iterator[str]:
    """Whose moves lead to the boards that the hint names."""
    odd = (ceilings.population("o").empties % 2 == 1).all()
    named = '`ceilings.population("o")` and `ceilings.ceiling`'
    text = "say beforehand whether fewer or more empty cells are left after"
    yield f"{named}; {text} {way(odd, 'o', 'x')}'s moves."


@says("notebooks/exercises/hints.md")
def a_small_board() -> Iterator[str]:
    pairs = set(map(frozenset, combinations(range(4), 2)))
    lines = {frozenset(line) for line in Grid(2).lines.tolist()}
    yield so("On 2x2 all pairs of cells are lines", lines == pairs)


@says(README)
def what_varies() -> Iterator[str]:
    """How many versions a class gets, and what differs in exercise 6."""
    test = raw("tests/test_variants.py")
    [(students, versions)] = re.findall(r"range\((\d+)\)\]\n    assert len\(.*\) > (\d+)", test)
    yield f"A test checks that {students} names yield more than {versions} different versions"
    varied = {place for p in variants.parameters(ROOT / MASTERS, "06_arena") for place in p.places}
    tasks = {mistake.task for mistake in MISTAKES if mistake.notebook == "06_arena"}
    most = way(2 * len(tasks - varied) > len(tasks), "most", "some")
    yield f"Where a task asks for a general function ({most} of `06_arena`), variants differ in"
    yield so("the open question is the same for all, so that one rubric serves", same_for_all())


@says(README)
def limits() -> Iterator[str]:
    """What a submission and a student's server may use, as the programs have it."""
    own, output = sandbox.LIMITS, Run.output_limit.default_value
    memory, disk = own.memory / 1e9, own.disk // sandbox.MIB
    yield f"at most {own.processes} processes, {memory:.0f} GB of memory, {disk} MB of files"
    yield f"{output // 10**6} MB of output and, for each process, {own.seconds} s of processor time"
    yield f"Outputs don't count towards the {grade.MAX_BYTES // 10**6} MB of a submission"
    seconds = f"{course.SECONDS} and {course.TOTAL_SECONDS}"
    yield f"`--seconds` and `--total` limit a cell and a submission ({seconds})"
    server = raw("notebooks/exercises/class_server/jupyterhub_config.py")
    [(units, power, idle)] = re.findall(r"memory, idle = (\d+) \* 10\*\*(\d), (\d+)", server)
    assert "--fsize={sandbox.LIMITS.disk}" in server
    room = int(units) * 10 ** (int(power) - 9)
    yield f"A process gets at most {room} GB of memory and {disk} MB for a file"
    hour = way(int(idle) == 3600, "an hour", "some time")
    yield f"kernels and servers that nobody uses end after {hour}"
    [size] = re.findall(r"^CLASS, RIGHT = (\d+)", raw("tests/class_of_sixty.py"), re.MULTILINE)
    yield f"{capital(int(size))} submissions (right, wrong, hostile and empty ones"
    pattern = r'startswith\("(\d+)"\)\]\)\ndef test_students_need_numpy_and_scipy_only'
    [number] = re.findall(pattern, raw("tests/test_teach.py"))
    yield f"No exercise except number {int(number)} needs more; a test runs the imports of all"


@says(f"{LESSONS}/slides_1.md")
def rows_of_a_game() -> Iterator[str]:
    """How many boards after a move of x a game has."""
    rows = {plies: len(range(1, plies + 1, 2)) for plies in (5, 8)}
    rounded = all(len(range(1, n + 1, 2)) == (n + 1) // 2 for n in range(10))
    yield so("A game of n plies gives half of n rows, rounded up", rounded)
    yield f"{rows[5]} for 5 plies, {rows[8]} for 8."


@says(f"{LESSONS}/slides_2.md")
def key_to_the_second_handout() -> Iterator[str]:
    """What the waves are divided by, and the coefficients of x, empty, o."""
    waves = waves_of_a_row()
    under = [f"√{round(1 / min(v**2 for v in wave if abs(v) > 1e-6))}" for wave in waves]
    yield f"On the handout: divided by {listed(under)};"
    row = np.array([1, 0, -1])
    found = np.array(waves) @ row
    squares = [round(float(one) ** 2, 4) for one in found]
    roots_of = ["0" if not square else f"√{square:g}" for square in squares]
    yield f"the row x, empty, o has the coefficients {listed(roots_of)}, and {sum(squares):g} is"
    yield so("is the sum of their squares, as before", sum(squares) == row @ row)
    yield f"the squares of wave 0 average {averages()}."


@says(f"{LESSONS}/slides_3.md")
def key_to_the_third_handout() -> Iterator[str]:
    """Entries, steps and targets of its boards."""
    sheet = raw(f"{LESSONS}/handout_3.md")
    [board] = re.findall(r"^(\S{9}) \| X to move \| numbers", sheet, re.MULTILINE)
    digits = np.array([".xo".index(stone) for stone in board])
    rows, columns, diagonals = (
        listed([int(digits[list(line)] @ [9, 3, 1]) for line in lines])
        for lines in (GRID.lines[:3], GRID.lines[3:6], GRID.lines[6:])
    )
    known = lesson_facts.facts()
    kinds = [known[f"sheet_{kind}"] for kind in ("rows", "columns", "diagonals")]
    same = [rows, columns, diagonals] == kinds
    yield so("The entries of the rows are {{sheet_rows}}, those of the columns", same)
    yield so("{{sheet_columns}}, those of the diagonals {{sheet_diagonals}}.", same)
    yield "The steps on the handout are {{step_unsure}} and {{step_sure}}"
    times = round((1 + 0.99) / (1 - 0.6))
    yield f"although the second error is {word(times)} times as large"
    states = re.findall(r"^(\S{9}) \| [XO] to move: target", sheet, re.MULTILINE)
    best = []
    for state in states:
        number = int(TREE.index(parse(state, GRID)[None])[0])
        best.append(str(int(TREE.value[number])).replace("-", "−"))
    ends = [winning_cells(GRID, *_turn(state)).any() for state in states[:2]]
    yield so(f"Each can win at once, so on the handout the targets are {best[0]} and {best[1]}",
             all(ends))  # fmt: skip
    yield f"the third board is drawn by its last move: {best[2]}."
    assert states[2].count(".") == 1


def _turn(state: str) -> tuple[Any, Any]:
    """A board as a batch, and who is to move there."""
    boards = parse(state, GRID)[None]
    return boards, GRID.to_move(boards)


@says(SLIDES)
def key_to_the_fourth_handout() -> Iterator[str]:
    """What a corner and an edge would gain each side, and what they are worth."""
    energy = power_energy(GRID, Fraction(3))
    worth = {}
    for one in gains(energy, (1, 0, 0, 0, -1, 0, 0, 0, 1), -1):
        own, other = (sum(n * 3**k for k, n in enumerate(part)) for part in (one.own, one.other))
        worth[one.move] = (own, other, own, own + other)
    corner, edge = worth[2], worth[1]
    assert all(worth[cell] == (corner if cell in (2, 6) else edge) for cell in worth)
    yield (
        "A corner gains {} and would gain the other side {}, so it is worth {} at b = 0 and "
        "{{{{corner_at_one}}}} at b = 1".format(*corner)
    )
    yield "an edge gains {} and would gain the other side {}: {} and {}.".format(*edge)
    yield so("At b = 0 all moves tie", corner[2] == edge[2])
    state = int(TREE.index(parse("x...o...x", GRID)[None])[0])
    lost = all(TREE.value[TREE.children[state][cell]] == 1 for cell in (2, 6))
    yield so("at b = 1 the corners, which lose, look best", lost and corner[3] > edge[3])


@says(f"{LESSONS}/slides_5.md")
def three_cells_left() -> Iterator[str]:
    """What the three moves of the slide are worth, and what a free choice holds."""
    [text] = re.findall(r"^(\S{81} [xo] .) unshaded$", raw(f"{LESSONS}/slides_5.md"), re.MULTILINE)
    position = notation.parse(text)
    assert text == lesson_facts.LATE
    scores = {}
    for move in plain.legal_moves(position):
        result, plies = plain.solve(plain.play(position, move))
        assert plies is not None
        scores[move] = -result * (100 - plies - 1)
    upper_left, upper_middle, lower_right = sorted(scores)
    assert (upper_left, upper_middle, lower_right) == (30, 31, 50)  # all in the middle sub-board
    assert [scores[m] for m in (upper_middle, lower_right, upper_left)] == (
        lesson_facts.late_scores()
    )
    yield so("Its upper middle cell wins at once: {{late_now}}.", scores[upper_middle] == 99)
    empty = text.split()[0].count(".")
    yield f"Of its {word(empty)} empty cells only {word(len(scores))}."
    won = word(100 - scores[lower_right])
    yield f"After the lower right one O wins in {won} plies: {{{{late_soon}}}}."
    lost = scores[upper_left] == 2 - 100
    yield so("After the upper left one X wins at the next move: {{late_lost}}.", lost)


@says(f"{LESSONS}/slides_6.md")
def key_to_the_sixth_handout() -> Iterator[str]:
    """The p-values of its rows, and their verdicts at 1%."""
    rows = claims_of_exercise()
    tests = [significance.test(Chance(chance), count, of) for _, count, of, chance in rows]
    assert [(count, of, chance) for _, count, of, chance in rows] == list(lesson_facts.SHEET)
    shown = lesson_facts.facts()["sheet_p_values"].replace(" and ", ", ").split(", ")
    close = [abs(float(p) - one.p_value) <= 0.005 for p, one in zip(shown, tests, strict=True)]
    yield so("The p-values of the handout, from above: {{sheet_p_values}}.", all(close))
    passing = [
        np.mean([significance.test(Chance(chance), k, of).p_value >= 0.01 for k in range(of + 1)])
        for *_, of, chance in rows
    ]
    differ = [i for i, one in enumerate(tests) if one.p_value < claims.SIGNIFICANCE]
    yield f"The {' and the '.join(ORDINALS[i + 1] for i in differ)} differ;"
    blunt = [
        f"{count} of {of}"
        for i, (_, count, of, _) in enumerate(rows)
        if i not in differ and passing[i] > claims.BLUNT
    ]
    same = listed(blunt) == lesson_facts.facts()["sheet_undecided"]
    yield so("{{sheet_undecided}} are undecided; the others are within sampling error.", same)
    smaller = lesson_facts.powerful(0.05)
    gap = lesson_facts.from_on(smaller) > smaller[0]
    yield so("and falls below again, because the counts are whole numbers", gap)
    half = way(claims.BLUNT == 0.5, "half", "some")
    yield f"**within sampling error**: it is not, and at most {half} of all counts would have"

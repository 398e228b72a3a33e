"""What the answers for teachers say, built from the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from math import comb, factorial, perm
from typing import Any

import numpy as np

from result_words.tools import (
    ANSWERS,
    GRID,
    NOTEBOOKS,
    ORDINALS,
    TREE,
    capital,
    drawn,
    listed,
    markdown,
    raw,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib import Grid, agent, solve
from ttt_lib.comparison.matrix import table
from ttt_lib.game.board import parse
from ttt_lib.game.exact import policy_table, random_outcome
from ttt_lib.game.policy import winning_cells
from ttt_lib.ising import curve
from ttt_lib.ising.energy import energy_of, factorial_term, position_term
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.training import positions
from ttt_lib.playout_mlp import ceilings
from ttt_lib.playout_mlp.model import stored_nets
from ttt_lib.spectral.features import raw_features
from ttt_lib.spectral.labels import exact_rows
from ttt_lib.ultimate.board import notation, rules


def part_of(answer: str) -> str:
    """An answer: its code, what that prints, and the text."""
    return raw(ANSWERS).split(f"\n### {answer}\n")[1].split("\n##")[0]


@cache
def printed(answer: str) -> list[list[str]]:
    """What the code of an answer prints, line by line in words; another test runs the code."""
    shown = re.findall(r"^```text\n(.*?)^```", part_of(answer), re.MULTILINE | re.DOTALL)
    return [line.split() for line in "".join(shown).splitlines()]


def whole(words: Iterable[str]) -> list[int]:
    """The whole numbers in some words."""
    return [int(number) for number in re.findall(r"-?\d+", " ".join(words))]


def bold(parts: Iterable[Any]) -> str:
    return listed(f"**{part}**" for part in parts)


def board_after(grid: Grid, moves: Iterable[int]) -> Any:
    board = grid.initial()
    for cell in moves:
        board = grid.play(board, np.array([cell]))
    return board


def threats(grid: Grid, board: Any, side: int) -> list[int]:
    """Where a side could complete a line."""
    return np.flatnonzero(winning_cells(grid, board, np.array([side], dtype=np.int8))[0]).tolist()


def line_in(answer: str) -> list[int]:
    """The line of play that the code of an answer follows."""
    return whole(re.findall(r"line = .*?(\[.*?\])\n", part_of(answer))[:1])


@cache
def full_boards_of_4x4() -> Any:
    """The full boards of 4x4, eight stones each."""
    boards = np.full((comb(16, 8), 16), -1, dtype=np.int8)
    for board, cells in zip(boards, combinations(range(16), 8), strict=True):
        board[list(cells)] = 1
    return boards


@cache
def draws_of_4x4() -> Any:
    """Those on which nobody has a line."""
    boards = full_boards_of_4x4()
    return boards[Grid(4).winner(boards) == 0]


@says(ANSWERS)
def short_proofs() -> Iterator[str]:
    """What proofs of a few lines say, by going through the cases."""
    four = (TREE.ply == 4).sum()
    yield so(f"{four}. No game has ended by then.", not TREE.finished[TREE.ply <= 4].any())
    xs = (draws_of_4x4() == 1).sum(axis=0)
    yield so("among draws cell c is as often X's as O's", (2 * xs == len(draws_of_4x4())).all())
    after = {random_outcome(TREE, int(state)).draw for state in TREE.children[0]}
    yield so("leads out of the set of boards, and the argument fails", len(after) > 1)
    deep = policy_table(agent("lookahead:depth=9"), TREE)
    same = (deep == table("minimax:ties=uniform")).all()
    yield f"The tables are {way(same, 'equal', 'different')}: with {word(GRID.cells)} plies"
    small = solve(Grid(2))
    [end] = set(small.ply[small.finished])
    yield f"so X wins with its {ORDINALS[(end + 1) // 2]} stone, at ply {end}."


@says(ANSWERS)
def more_short_proofs() -> Iterator[str]:
    """Further sentences of the same proofs, and how many exercises there are."""
    tasks = [markdown(path).partition("## Exercises")[2] for path in NOTEBOOKS]
    of = sum(len(re.findall(r"^\d+\. ", text, re.MULTILINE)) for text in tasks)
    proven, run = (
        re.findall(pattern, raw(ANSWERS), re.MULTILINE)
        for pattern in (r"^\| (\d\d\.\d) \|", r"^### (\d\d\.\d)$")
    )
    complete = len({*proven, *run}) == len(proven) + len(run) == of
    yield so(f"those of the {of} whose answer is a proof of a few lines", complete)
    apart = (TREE.ply == 2).sum() == perm(GRID.cells, 2)
    yield so("At ply 2 each order of moves gives its own board", apart)
    draws = draws_of_4x4()
    kept = set(map(bytes, draws)) == set(map(bytes, -draws))
    yield so("Exchanging the colours maps draws to draws", kept)
    one, two = ((draws == side).sum(axis=0) for side in (1, -1))
    half = (one == two).all() and (one + two == len(draws)).all()
    yield so("and P(draw, c is X's) = P(draw)/2", half)
    mine = ((full_boards_of_4x4() == 1).mean(axis=0) == 1 / 2).all()
    yield so("As c is X's in half of all boards", mine)
    yield so("and both choose evenly among the best", evenly_among_the_best())
    lines = {frozenset(line.tolist()) for line in Grid(2).lines}
    pairs = set(map(frozenset, combinations(range(4), 2)))
    yield so(f"because all pairs are lines; 4! = {factorial(4)}.", lines == pairs)
    yield so("Every position reads exactly one entry of each table", one_entry_each())


def evenly_among_the_best() -> bool:
    """Whether minimax gives all best moves the same weight, and others none."""
    weights, running = table("minimax:ties=uniform"), ~TREE.finished
    worth = GRID.to_move(TREE.boards)[:, None] * TREE.value[TREE.children]
    worth = np.where(TREE.legal, worth, -2)
    best = worth == worth.max(axis=1, keepdims=True)
    same = weights == best * weights.max(axis=1, keepdims=True)
    return bool(same[running].all() and (weights[running].max(axis=1) > 0).all())


@cache
def one_entry_each() -> bool:
    """Whether every position reads its first number in the first line's table, and so on."""
    lines = Patterns(GRID)
    read = positions(lines).features[:, :-1]
    tables = np.searchsorted(lines.starts, read, side="right") - 1
    return bool((tables == np.arange(len(lines.tuples))).all())


@says(ANSWERS)
def answers_of_the_game() -> Iterator[str]:
    """00.1 and 00.5: beginnings counted in two ways, and what a frontier offers."""
    alike = [count for _, count, other in printed("00.1") if count == other]
    ply, count, other = printed("00.1")[len(alike)]
    yield f"One, two and three moves give {bold(alike)} beginnings by either definition"
    yield f"{word(int(ply))} give **{count}** if one symmetry must carry the whole game, and"
    yield f"and **{other}** if the boards are compared after every move"
    yield f"and a {ORDINALS[int(ply) - 1]} move at the earliest"
    careful, *_, daring, [best], rival = printed("00.5")
    none = way(careful[2] == rival[3] == "0", "none", "some")
    yield f"the response as O wins **{careful[0]}** of its games and loses {none}, while minimax"
    yield so(f"wins only **{rival[1]}**.", Fraction(rival[1]) < Fraction(careful[0]))
    yield f"can win **{daring[0]}**; counting win minus loss, the best is **{best}**"


@says(ANSWERS)
def answers_on_playouts() -> Iterator[str]:
    """01.1 to 01.4: ceilings, what closes the gap, and draws thrown away."""
    (_, _, x, x_alone), (_, _, o, o_alone) = printed("01.1")
    yield so(
        f"Yes, slightly: **{o}** after O's moves against **{x}**", 0 < float(o) - float(x) < 0.05
    )
    yield so(
        f"(**{o_alone}** against **{x_alone}**), so the board itself says more", o_alone < x_alone
    )
    stones = [9 - ceilings.population(side).empties for side in "ox"]
    few, many = ([word(some.min()), word(some.max())] for some in stones)
    yield f"O's boards hold {' to '.join(few)} stones, X's {' to '.join(many)}"
    _, penalty, playouts = printed("01.2")
    (closed, beaten), (more, others) = (
        (row[-9].strip(","), row[-3]) for row in (penalty, playouts)
    )
    yield so("The playouts, by far.", float(more) > 2 * float(closed))
    yield f"The penalty closes **{closed}** of the gap"
    yield f"ten times the playouts **{more}**"
    yield f"with a penalty **{beaten}** beat the best of all forty stored ones, of those with more"
    yield f"of those with more playouts **{others}**"
    [count, _], [text, _, greedy], *scores = printed("01.4")
    expected = {cell: score for cell, score, _ in scores}
    [held] = [cell for cell, _, value in scores if value == "0"]
    yield f"There are **{count}** such boards."
    chosen = greedy.strip("[]")
    yield f"still prefers cell {chosen} (**{expected[chosen]}** against **{expected[held]}**"
    yield f"Only cell {held} holds the draw."
    board = parse(text, GRID)
    [threat] = threats(GRID, board[None], 1)
    middle = {threat, *np.flatnonzero(board == 1).tolist()} == {1, 4, 7}
    yield so(f"X threatens to complete the middle column at cell {threat}.", middle)


@says(ANSWERS)
def answers_on_a_mean_of_networks() -> Iterator[str]:
    """01.5: what a mean of forecasts says, and how often it is right."""
    alone, mean, sure, sure_mean, losses = printed("01.5")
    yield so("Over all boards nearly all of it.", float(mean[5]) < 0.1 * float(alone[5]))
    yield f"states **{alone[3]}** for its likeliest outcome and is right in **{alone[4]}** of cases"
    yield f"a difference of **{alone[5]}**; for the mean of twenty it is **{mean[5]}**"
    down = way(losses[2] > losses[3], "falls", "rises")
    start, end, best = (float(losses[k]) for k in (2, 3, 5))
    near = so("not far from the best", end - best < (start - best) / 3)
    yield f"the log loss {down} from **{losses[2]}** to **{losses[3]}**, {near}"
    yield f"the best possible **{losses[5]}**"
    much, little = (way(float(row[5]) > 0, "much", "little") for row in (sure, sure_mean))
    yield f"one network claims too {much} (**{sure[5]}**), the mean too {little}"
    yield f"the mean too {little} (**{sure_mean[5]}**)"
    fewer = way(sure_mean[2] < sure[2], "fewer", "more")
    yield f"of {fewer} boards (**{sure_mean[2]}** of them instead of **{sure[2]}**)"


@says(ANSWERS)
def more_answers_on_playouts() -> Iterator[str]:
    """01.2 to 01.5: passes, a win that Random overlooks, and where forecasts are sure."""
    found = re.findall(r"reached\(seed, ([\d_]+).*?max_iter=(\d+)\)", part_of("01.2"))
    (few, passes), (many, fewer) = (map(int, pair) for pair in found)
    yield f"({passes} passes, and {fewer} passes over {word(many / few)} times the rows)"
    [_, _], [text, _, greedy], *scores = printed("01.4")
    [held] = [int(cell) for cell, _, value in scores if value == "0"]
    state, chosen = int(TREE.index(parse(text, GRID)[None])[0]), int(greedy.strip("[]"))
    [threat] = threats(GRID, TREE.boards[state][None], 1)
    after, other = TREE.children[state][[chosen, held]]
    replies = np.flatnonzero(TREE.legal[after])
    often = 1 - Fraction(1, len(replies))
    yield so("because a random X often overlooks its win", often > Fraction(1, 2))
    left = [for_o(int(TREE.children[after][cell])) for cell in replies if cell != threat]
    better = sum(left) / len(left) > for_o(int(other))
    yield so(f"and cell {chosen} leaves O better placed if it does", better)
    _, _, sure, sure_mean, _ = printed("01.5")
    turns = float(sure[5]) > 0 > float(sure_mean[5])
    limit = f"{100 * float(sure[0]):.0f}% or more"
    yield so(f"Where the forecast says {limit}, the sign even changes", turns)
    agreed = float(sure_mean[4]) > float(sure_mean[3])
    safer = f"{word(len(stored_nets()))} agree are safer than their average says"
    yield so(f"the cases on which all {safer}", agreed)


def for_o(state: int) -> Fraction:
    """What O can expect of a state if both move at random."""
    return -random_outcome(TREE, state).expected


@says(ANSWERS)
def more_answers_on_features() -> Iterator[str]:
    """02.1 and 02.3: every move labelled 1, and pairs of frequencies and of cells."""
    alone, given = (stones_that_reach_one(intercept=given) for given in (False, True))
    ranks = np.ptp(alone[:9]) > 0.001 < np.ptp(alone[9:18])
    text = "the model without an intercept needs its stones to reach 1 and ranks the cells"
    yield so(f"if every move is labelled 1, {text}", ranks)
    tied = abs(given[:18]).max() < 1e-9 and abs(given[18] - 1) < 1e-9
    yield so("while the intercept alone fits perfectly and leaves all cells tied", tied)
    waves = [(u, v) for u in range(GRID.n) for v in range(GRID.n)]
    even = [(u, v) for u, v in waves if (u + v) % 2 == 0]
    (some, _), [free], *_ = (whole(row) for row in printed("02.3"))
    pairs = f"{word(len(even))} pairs of frequencies on each axis, {len(even)} · {len(even)}."
    yield so(f"so both sums must be even: {pairs}", len(even) ** 2 == some)
    products = [(one, two) for one in even for two in even]
    own = word(sum(one == two for one, two in products))
    yield f"{own} products are their own partners, which leaves ({some} + 5)/2"
    cells = [(x, o) for x in range(GRID.cells) for o in range(GRID.cells)]
    orbits = {min((int(p[x]), int(p[o])) for p in GRID.symmetries) for x, o in cells}
    many = len(orbits) == free == len({frozenset(pair) for pair in products})
    yield so("as many as there are orbits of ordered pairs of cells", many)


def stones_that_reach_one(*, intercept: bool) -> Any:
    """Weights of stones, and of an intercept without a penalty, if every move is labelled 1."""
    stones = raw_features(exact_rows(GRID, "optimal").after, GRID).astype(float)
    given = np.hstack([stones, np.ones((len(stones), int(intercept)))])
    gram = given.T @ given
    gram[np.diag_indices(stones.shape[1])] += 0.001
    return np.linalg.solve(gram, given.sum(axis=0))


@says(ANSWERS)
def answers_on_features() -> Iterator[str]:
    """02.1 to 02.3: intercepts, one product, products of waves."""
    *library, ones = printed("02.1")
    changes = {name: change for name, change, *_ in library}
    yield f"(`optimal`) by up to **{changes['optimal']}**, for the minimax value by up to"
    yield f"by up to **{changes['minimax']}**."
    [same] = {row[2] for row in library}
    yield f"each of the {word(len(library))} labels of the library the lists stay the **{same}**"
    yield so("a finding and not a theorem, as the last row shows", ones[-2:] == ["other", "lists"])
    rows = {row[0]: row for row in printed("02.2")}
    moves = re.findall(r"(\d): '(.{9})'", " ".join(rows["2"]))
    own, theirs = sorted((cell for cell, _ in moves), key=lambda c: dict(moves)[c][4], reverse=True)
    yield f"With corner 2 there are **{rows['2'][3]}** such sets, and X, to move, takes cell"
    yield f"takes cell **{own}** if it holds the centre and cell **{theirs}** if O does"
    still = [corner for corner, row in rows.items() if row[2] == "0"]
    yield f"With corners {listed(still)} nothing happens: **{rows[still[0]][2]}** moves change"
    places = drawn("02_priority_lists").set_index(["list", "place"]).cell
    yield f"Corner {places['learned, standard', 2]} follows the centre in the list anyway"
    yield f"for corner 8 the weight, **{rows['8'][1]}**, is too small"
    (some, _), [free], [rank], (mixed, classes) = (whole(row) for row in printed("02.3"))
    yield f"**{some}**. A mirror image"
    yield f"which leaves ({some} + 5)/2 = **{free}** different ones, all independent"
    yield f"{capital(free - rank)} of those orbits have X and O on one cell"
    yield so(f"there the rank is **{rank}**, exactly the classes", rank == mixed)
    yield f"(**{classes}** in all up to degree two"


@says(ANSWERS)
def answers_on_a_wrong_sign_and_lists() -> Iterator[str]:
    """02.4 and 02.5: a test of one position, and why edges are better."""
    rows = printed("02.4")
    found = {(row[0], row[1]): row[-1] for row in rows if row[2] == "wins:"}
    sound, wrong = (found[name, "150"] for name in ("uct", "wrong_sign_uct"))
    yield f"the sound search **{sound}** does so in twenty searches"
    yield f"the search with the wrong sign **{wrong}**"
    [free] = {text.count(".") for text in re.findall(r'parse\("(.{25})", five\)', raw(ANSWERS))}
    yield f"with **50** iterations and {free} free cells even the sound search succeeds only"
    yield f"succeeds only **{found['uct', '50']}**"
    noticed = [row[-1] for row in rows if row[0] == "more"] == ["True", "False"]
    yield so("though a match against Random notices as well", noticed)
    rows = printed("02.5")
    lists = {
        "".join(order[:3]): (order[10], order[12], games[6], games[-2], games[-1], paired[-1])
        for order, games, paired in zip(rows[::3], rows[1::3], rows[2::3], strict=True)
    }
    edges, corners, top = lists["417"], lists["408"], lists["021"]
    through = {untouched(line) for line in GRID.lines.tolist() if 4 in line}
    [games] = map(int, re.findall(r"games\[0\] = (\d+)", part_of("02.5")))
    every = so(edges[2], {int(games * chance) for chance in through} == {int(edges[2])})
    text = f"stone 3 completes it in **{every}** of {games} games, when O has hit neither end"
    yield f"Whatever the line through the centre, {text}"
    yield f"in **{edges[4]}** games if X began with edges, and in **{corners[4]}** if it began with"
    every = f"and **{edges[1]}** and **{corners[1]}** of all"
    fewer = int(edges[5]) < int(edges[1]) and int(corners[5]) < int(corners[1])
    yield so(f"it wins **{edges[5]}** and **{corners[5]}** of these, {every}", fewer)
    yield so(
        f"X has fewer pairs, too (**{edges[3]}** against **{corners[3]}**)", edges[3] < corners[3]
    )
    yield so(f"**{edges[0]}** wins against **{corners[0]}**.", edges[0] > corners[0])
    yield so(f"wins more games still, **{top[0]}**, but loses **{top[1]}**", top[0] > edges[0])
    apart = [word(sum(c in line and 4 not in line for line in GRID.lines)) for c in (1, 0)]
    yield f"an edge lies on {apart[0]} line that avoids the centre, a corner on {apart[1]}"
    deny = int(edges[4]) < int(corners[4]) and edges[2] == corners[2]
    yield so("because they deny O more, not because they win sooner", deny)


def untouched(line: list[int]) -> Fraction:
    """How likely Random as O hits no end of a line that X fills, centre first."""
    ends = [cell for cell in line if cell != 4]
    free = [cell for cell in range(GRID.cells) if cell != 4]
    replies = [(first, second) for first in free for second in free
               if second not in (first, ends[first == ends[0]])]  # fmt: skip
    return Fraction(sum(not {*pair} & {*ends} for pair in replies), len(replies))


@says(ANSWERS)
def answers_on_tables() -> Iterator[str]:
    """03.1 to 03.4: rows, a bias and lines left out, and targets that decay."""
    *running, every = map(whole, printed("03.1"))
    [(*worst, left)] = {tuple(row) for row in running}
    yield so(f"with each of {word(len(running))} seeds it never loses", worst == [0, 0])
    yield f"it misplays **{left}** states instead of **{every[-1]}**"
    same, *both = printed("03.2")
    yield so("no value changes. So the bias adds nothing to what the", same[-1] == "True")
    (learned, *its), (held, *others) = ((row[-4], *whole(row[-3:])) for row in both)
    yield so("and neither player can be beaten", its[:2] == others[:2] == [0, 0])
    yield f"error of **{held}** instead of **{learned}** and misplays"
    yield f"and misplays **{others[2]}** states instead of **{its[2]}**"
    yield so("takes another course, but hardly", abs(float(held) - float(learned)) < 0.001)
    rows = printed("03.3")
    gone = {row[2]: whole(row[3:]) for row in rows if row[0] == "without"}
    safe = [whole(row) for row in rows if row[0] == "of"]  # sets, cells of lines left out, seeds
    left = [len(Grid(3).lines) - (len(row) - 3) // 3 for row in safe]
    six = f"{word(min(left))} tables never lose (**{gone['diagonals'][2]}** states are misplayed)"
    yield so(f"The diagonals can go: {six}", gone["diagonals"][:2] == [0, 0])
    ends = [gone["middles"][:2], gone["edges"][:2]]
    yield so(
        "column O can be beaten; without the edges both sides can", ends == [[0, -1], [-1, -1]]
    )
    yield f"All sets can be tried, **{safe[0][0]}** up to symmetry"
    both = safe[0][1:-2] == [0, 4, 8, 2, 4, 6] and safe[1][1:-2] == [2, 4, 6]
    always = all(row[-2:] == [5, 5] for row in safe)
    only = both and always and len(safe) == 2
    yield so("only these six, and these six with one diagonal, never lose, at five seeds each; "
             "every other set can lose at all five", only)  # fmt: skip
    yield f"So {word(min(left))} is the smallest number for tables trained in this way"
    (_, x, o, _), slight, (_, x_late, o_late, late) = printed("03.4")
    nothing = slight[1:3] == [x, o]
    yield so(f"changes nothing against Random: **{x}** of the games are won as X and", nothing)
    yield f"are won as X and **{o}** as O, for targets"
    up = way(o_late > o, "rise", "fall")
    yield f"With 0.8 the wins as O {up} to **{o_late}** and only **{late}** states are misplayed"
    yield so("As X nothing changes: it", x_late == x)
    pattern = r"probability (\d+)/(\d+), the centre only with (\d+)/(\d+)"
    a, b, c, d = told("03_ntuple_network", pattern)
    yield f"it goes on opening in the {way(x == f'{c / d:.4f}', 'centre', 'corner')}, where"
    yield f"a corner would win {way(a / b > c / d, 'more', 'less')} often"


@says(ANSWERS)
def answers_on_tables_and_play() -> Iterator[str]:
    """03.5 and 03.6: learning from random moves, and two proportions."""
    rows = [whole(row[2:]) for row in printed("03.5")]
    (greedy, first), (every, other) = ((part[-1], part[0][2:]) for part in (rows[:3], rows[3:]))
    safe, of = way(every[1] == 0, "none", "some"), word(len(first))
    none = all(row[1] == 0 for row in rows[3:])
    yield so("The players never become safe: after 50,000 games", none)
    only = printed("03.5")[0][:2]
    yield f"where all **{greedy[1]}** are if only {' '.join(only)} are learned from"
    yield f"after 50,000 games {safe} of {of} seeds is unbeatable, where all **{greedy[1]}** are"
    alike = abs(sum(other) / sum(first) - 1) < 0.1 and max(every[2:]) < np.median(greedy[2:])
    yield so("about as many at first, end lower all the same", alike)
    yield f"**{min(every[2:])}** to **{max(every[2:])}** states instead of"
    yield f"instead of **{min(greedy[2:])}** to **{max(greedy[2:])}**."
    few, many, _ = printed("03.6")
    low, high = (end.strip("[],") for end in few[4:6])
    yield f"**{few[2]}** wins of a thousand instead of **{few[1]}**"
    told_apart = float(low) > 0 and float(few[-1]) < 0.05
    yield so("Yes, against UCT with 150 playouts: **", told_apart)
    often = way(int(few[2]) > int(few[1]), "more", "less")
    yield f'with 150 playouts this network wins {often} often with two plies than with one"'
    yield f"a difference of **{few[3]}** with a 95% interval from **{low}** to **{high}**"
    yield f"Fisher's exact test gives p = **{few[-1]}**"
    nothing = float(many[-1]) > 0.5
    yield so(f"**{many[2]}** win instead of **{many[1]}** says nothing", nothing)


@says(ANSWERS)
def answers_on_b() -> Iterator[str]:
    """04.1 to 04.3: negative b, steps, and where polynomials are lowest."""
    edge, corner, falls, *shown = printed("04.1")
    rows = [re.fullmatch(r"(\S+) \[(.+)\] (\S+)", " ".join(row)) for row in shown]
    lost = {row[1]: row[3] for row in rows if row}
    kinds = {row[1]: {int(cell) % 2 for cell in row[2].split()} for row in rows if row}
    split = all(kinds[b] == {int(float(b) < 0)} for b in kinds)
    (_, own, w_1), (_, own_corner, w_2) = (_coefficients(row) for row in (edge, corner))
    proven = own == own_corner == w_1 == [0, -1, 2, 0] and w_2 == [2 * n for n in w_1]
    text = "For every negative b O plays an edge in the trap, for every positive b a corner."
    yield so(text, split and proven)
    yield so("the other's gain is 2 w1 in a corner and w1 on an edge", proven)
    yield so("so an edge is worth -b w1 more", proven)
    yield f"it loses **{lost['-0.5']}** of its games to Random at b = -0.5 and **{lost['-2']}** at"
    yield f"instead of **{lost['0.647']}** at 0.647"
    least = falls[8].rstrip(",")
    high = float(least) > 30 * float(lost["0.647"])
    yield so("The price is high, because a negative b", high)
    never = falls[-1] == "True" and least == lost["-0.01"]
    yield so(f"as b goes from -4 to 0, and stays at **{least}** or more", never)
    [(w0, w1, w2, ratio)] = printed("04.2")
    yield f"c the cube root of 4: **{w0}**, **{w1}** and **{w2}**"
    yield f"equal at b = w1/(w2 - w1) = **{ratio}**"
    *fits, (*_, from_b, _) = printed("04.3")
    at = {degree: b for degree, b, _ in fits}
    yield so(f"lowest at the end of the interval, b = **{at['3']}**, degree 2", float(at["3"]) == 1)
    yield f"degree 2 at **{at['2']}** and degree 11 at **{at['11']}**"
    yield f"all {word(sum(float(least) < 0 for *_, least in fits))} fall below zero"
    losses = [piece.outcome.loss for piece in curve.named("equation", "o", "random")]
    falls = losses == sorted(losses, reverse=True) and len(set(losses)) > 2
    yield so(f"The true curve falls in steps and is level from **{from_b}** on", falls)
    yield so("so it has no single minimum", losses.count(min(losses)) > 1)


def _coefficients(row: list[str]) -> tuple[str, list[int], list[int]]:
    """A cell, and the coefficients of its own and of the other's gain."""
    _, cell, rest = " ".join(row).split(" ", 2)
    own, other = re.findall(r"\((.*?)\)", rest)
    return cell, whole([own]), whole([other])


@says(ANSWERS)
def boards_on_which_readings_differ() -> Iterator[str]:
    """04.4: a reading that depends on the place, and what it loses."""
    [of, _], *rows, one, other = printed("04.4")
    differ = [int(row[1]) for row in rows]
    yield f"At each of {word(len(rows))} values of b the two readings differ in"
    yield f"differ in **{min(differ)}** to **{max(differ)}** of the **{of}** boards"
    board = parse(one[0], GRID)
    yield f"In the one shown X (cells {listed(np.flatnonzero(board == 1))}) threatens"
    (stop, block, centre), (second, weak, strong) = ((r[2], r[3], r[5]) for r in (one, other))
    better = float(block) > float(centre) and stop == second
    yield so(f"stops it at cell {stop[0]} (**{block}** against **{centre}**)", better)
    lost = TREE.value[TREE.children[TREE.index(board[None])[0]][int(one[4][0])]] == 1
    text = f"(**{strong}** against **{weak}**) and {way(lost, 'loses', 'holds')}"
    yield so(f"while `position` takes the centre {text}", float(strong) > float(weak))


@says(ANSWERS)
def weights_by_place() -> Iterator[str]:
    """04.4: what lines weigh in both readings."""
    lone, two, gap, full = (1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)
    here = [position_term(p)[0] + position_term(p[::-1])[0] for p in (lone, two, gap, full)]
    there = [2 * factorial_term(p)[0] for p in (lone, two, gap, full)]
    yield f"a lone stone weighs {here[0]}c wherever it lies (the equation: {there[0]}c)"
    yield f"two neighbours {here[1]}c² and two with a gap {here[2]}c² (the equation: {there[1]}c²)"
    yield so(f"but a full line {here[3]}c³ in both readings", here[3] == there[3])
    c = float(energy_of("equation", GRID).root.polynomial([0, 1]))
    old, near, apart = (
        (last * c**2 - second * c) / first
        for first, second, last in (
            (there[0], there[1], there[3]),
            (here[0], here[1], here[3]),
            (here[0], here[2], here[3]),
        )
    )
    text = "loses weight against first stones, and most where the two stones are neighbours"
    yield so(f"So the last step, and with it a block, {text}", near < apart < old)


@says(ANSWERS)
def a_forced_loss_on_4x4() -> Iterator[str]:
    """04.6: the plies at which moves are forced, and the one that loses."""
    rows = printed("04.6")
    replies = {int(row[0]): len(whole(row[4:])) for row in rows if row[1] == "plays"}
    forced = next(ply for ply in replies if max(replies[p] for p in replies if p >= ply) == 1)
    yield f"From ply **{forced}** on each move of O is forced"
    line = line_in("04.6")
    counts = [threats(Grid(4), board_after(Grid(4), line[:k]), 1) for k in range(len(line))]
    ply, both = next((ply, cells) for ply, cells in enumerate(counts, 1) if len(cells) > 1)
    yield f"At ply **{ply}** X threatens cells {listed(both)} at once"
    none = not threats(Grid(4), board_after(Grid(4), line[: ply - 1]), -1)
    searched = {int(row[2]): whole(row[5:]) for row in rows if "lost;" in row}
    yield so(f"cells {listed(both)} at once, and no move holds", none and not searched[ply])
    wrong = min(searched)
    held = [f"**{cell}**" for cell in searched[wrong]]
    lost = f"that of ply **{wrong}**: cell {line[wrong - 1]} loses"
    yield f"{lost}, {listed(held, 'or')} hold the draw"


@says(ANSWERS)
def answers_on_ultimate() -> Iterator[str]:
    """05.1 to 05.3: classes of first moves, and what a solver reaches."""
    images = [[(p[s], p[c]) for p in GRID.symmetries] for s in (4, 0, 1) for c in range(9)]
    found = [len({min(map(tuple, i)) for i in images[k : k + 9]}) for k in (0, 9, 18)]
    yield f"In the centre sub-board there are {found[0]} classes"
    fixing = [sum(int(p[board]) == board for p in GRID.symmetries) - 1 for board in (0, 1)]
    one = f"A corner sub-board is fixed by {word(fixing[0])} reflection only"
    yield f"{one}, which leaves {found[1]} classes of its nine cells"
    yield so("and so is an edge sub-board", fixing[1] == fixing[0])
    yield f"sub-board; {' + '.join(map(str, found))}."
    (games, *_), _, lost, drew = printed("05.2")
    (result, distance, move), other = whole(lost), whole(drew)
    none, more = after_the_only_move(" ".join(printed("05.2")[1]), move)
    text = way(more, "X owns more sub-boards", "O owns more sub-boards")
    yield so(f"O must play cell {move}: nobody then has a line, {text}", none)
    yield f"In **{games}** of 500 random games"
    yield f"the solver says **{result}** at distance **{distance}**"
    yield f"Under `standard` the same move {way(other[0] == 0, 'draws', 'loses')}"
    *rows, thirty, more = printed("05.3")
    first = [row[3] for row in rows]
    budgets = [int(row[0]) for row in rows]
    [ratio] = {b / a for a, b in pairwise(budgets)}
    moves = f"from **{first[0]}** cells with {budgets[0]:,} nodes to {bold(first[1:])}"
    yield f"{moves} with {word(ratio)} times as many each"
    limits = sorted(stored("ultimate_solver.csv").limit.unique())
    yield f"the shares are for limits of {listed(limits)} cells"
    yield f"With **{rows[-1][0]}** nodes **{rows[-1][-1]}** of the positions at 30 are solved"
    yield f"of eight at 30 cells a million nodes solve **{thirty[3]}**, of eight at 35 only"
    yield so(f"of eight at 35 only **{more[3]}**.", int(more[3]) < int(thirty[3]))


def after_the_only_move(text: str, move: int) -> tuple[bool, bool]:
    """Whether the only legal move leaves nobody a line, and X more sub-boards than O."""
    position = notation.parse(text, "codingame")
    owners = rules.play(position, move).owners
    line = rules.has_line(owners, 1) or rules.has_line(owners, -1)
    return rules.legal_moves(position) == [move] and not line, sum(owners) > 0


@says(ANSWERS)
def answers_on_sub_boards() -> Iterator[str]:
    """05.4: what each sub-board adds to the value."""
    (of, _), *rows, ends = printed("05.4")
    means, spreads = ([row[k].rstrip(",") for row in rows] for k in (1, 3))
    corners, edges = (sorted(means[k] for k in some) for some in ((0, 2, 6, 8), (1, 3, 5, 7)))
    yield f"value changes by **{means[4]}** on average, and it is the largest change in"
    yield f"the largest change in **{rows[4][-1]}** of **{of}** positions"
    order = means[4] > corners[-1] and corners[0] > edges[-1]
    yield so(f"Corners follow (**{corners[0]}** to **{corners[-1]}**)", order)
    yield f"edges come last (**{edges[0]}** to **{edges[-1]}**)"
    through = [sum(cell in line for line in GRID.lines) for cell in (4, 0, 1)]
    lines = through == sorted(through, reverse=True)
    yield so("in the order of the lines through each", order and lines)
    ratios = [float(s) / float(m) for s, m in zip(spreads, means, strict=True)]
    yield so("The spread is about as large as the mean", 0.75 < min(ratios) <= max(ratios) < 1.25)
    still, decided = ends[1].rstrip(","), ends[3]
    twice = float(decided) > 2 * float(still)
    yield so(f"more than twice as much as open ones, **{decided}** against **{still}**", twice)
    tells = way(float(decided) > float(still), "more", "less")
    yield f"who owns a sub-board tells {tells} about the end than the stones in it"


@says(ANSWERS)
def answers_on_search_and_seeds() -> Iterator[str]:
    """05.5 to 05.7: a move that a small search misses, a further seed, and costs."""
    _, small, large, *steps = printed("05.5")
    plies = [
        way(row[-1][0] == sign, row[-1][1:], "no") for row, sign in ((small, "-"), (large, "+"))
    ]
    yield f"Fifty simulations play cell **{small[3]}**, which loses in **{plies[0]}** plies"
    yield f"two hundred play **{large[3]}**, which wins in **{plies[1]}**"
    seen = [whole(row)[-1] for row in steps if "never" not in row]
    missed = whole(next(row for row in steps if "never" in row))[-1]
    yield f"the refutation, **{seen[0]}**, and at the best reply to it, **{seen[1]}**, but not"
    guess = so("it knows no more there than the network's guess", missed == whole(steps[-1])[-1])
    yield f"but not at the move after that, **{missed}**: {guess}"
    uct, uct_seed, full, full_seed = printed("05.6")
    falls = [row[-1].removeprefix("-") for row in (uct, full)]
    seeds = word(len(uct) - 3)
    yield f"With the {seeds} stored seeds the score against UCT falls by **{falls[0]}** on average"
    yield f"the score against the unchanged run by **{falls[1]}**"
    (low, high), others = ((row[3], row[5]) for row in (uct_seed, full_seed))
    yield f"at **{low}** to **{high}** and **{others[0]}** to **{others[1]}**"
    text = "so a fall of a tenth against UCT contradicts nothing, nor would a very small gain"
    yield so(text, float(low) < -0.1 < 0.01 < float(high))
    long, short = printed("05.7")
    less = float(short[1]) / float(long[1])
    yield so(f"From **{long[1]}** to **{short[1]}**, not to half", 0.5 < less < 1)
    yield f"learning is **{short[3]}** of the work instead of **{long[3]}**"


@says(ANSWERS)
def answers_on_the_arena() -> Iterator[str]:
    """06.1 to 06.4: who changes an order, circles, two rules and many formulas."""
    most, second, *_, none = printed("06.1")
    (one, pairs), (two, less) = ((row[1].strip("')"), whole(row[:1])[0]) for row in (most, second))
    yield f"{one}`, with **{pairs}** pairs; then `{two}` with **{less}**"
    yield f"Adding **{none[2]}** of the **{none[4]}** changes nothing"
    [(players, _, circles, *_)] = printed("06.2")
    yield f"among **{players}** different players there are **{circles}**"
    (differ, wins, threatened), rule, ahead = printed("06.3")
    kinds = whole([wins, threatened])
    yield so(f"in **{differ}** states, of {word(len(kinds))} kinds only", sum(kinds) == int(differ))
    first, lost = what_they_play()
    text = "the rule takes the win of lowest index and look-ahead any of them (the result is the"
    yield so(f"**{wins}** with more than one win at hand, where {text} same)", first)
    text = "where the rule stops one and look-ahead, which sees that all is lost, moves anywhere"
    yield so(f"**{threatened}** with two threats and no win, {text}", lost)
    matters = float(rule[3]) < float(ahead[3])
    text = f"**{rule[3]}** of the games are lost as X instead of **{ahead[3]}**"
    yield so(f"Against Random the second kind matters: {text}", matters and first)
    [(formulas, *_, safe)] = printed("06.4")
    yield f"No: of **{formulas}** formulas **{safe}** are safe as O"
    yield so("and no other could be", safe == "0")


def what_they_play() -> tuple[bool, bool]:
    """Where rule and look-ahead differ: with several wins, and with several threats.

    Whether one takes the first win and the other any; and whether all is lost, one stops a threat
    and the other moves anywhere.
    """
    rule, ahead = (table(name) > 0 for name in ("safety+random", "lookahead:depth=2"))
    differ, side = (rule != ahead).any(axis=1), GRID.to_move(TREE.boards)
    wins, stops = (winning_cells(GRID, TREE.boards, one) for one in (side, -side))
    won, lost = (differ & some for some in (wins.any(axis=1), ~wins.any(axis=1)))
    lowest = wins & (wins.cumsum(axis=1) == 1)
    first = (rule == lowest)[won].all() and (ahead == wins)[won].all()
    one = (rule.sum(axis=1) == 1)[lost].all() and not (rule & ~stops)[lost].any()
    anywhere = (ahead == TREE.legal)[lost].all() and (TREE.value == -side)[lost].all()
    return bool(first), bool(one and anywhere)


@says(ANSWERS)
def answers_on_players() -> Iterator[str]:
    """06.5 to 06.7: a weight for the centre, a lost game, and a student's player."""
    rows = printed("06.5")
    apart, *others = {row[4].rstrip(",") for row in rows}
    trap = parse("x...o...x", GRID)
    through = [[trap[line].sum() for line in GRID.lines.tolist() if {cell, 4} <= {*line}]
               for cell in (2, 1)]  # fmt: skip
    text = "a corner and an edge each add a second stone to one line through the centre"
    yield so(f"{text}, and d multiplies both alike", through == [[-1], [-1]])
    same = so("and is the same for every d", not others)
    yield f"the difference, **{apart}**, comes from the lines that don't pass the centre {same}"
    yield so("beaten as O at each d tried", all(row[-1] == "-1" for row in rows))
    line, cube = line_in("06.6"), Grid(3, 3)
    yield f"After **{printed('06.6')[0][0]}** plies"
    yield f"against an opponent that opens in corner {line[0]}. With"
    [only] = threats(cube, board_after(cube, line[:5]), 1)
    own = threats(cube, board_after(cube, line[:6]), -1)
    yield f"With {line[4]} X threatens {only} only, but O plays {line[5]}, which makes"
    yield f"which makes {word(len(own))} threats of its own, and X wins"
    yield so("That no shorter game is lost was found by", not lost_at_ply_five(cube))
    rows = printed("06.7")
    means, places, of = ([row[k].rstrip(",") for row in rows[::2]] for k in (2, 4, 6))
    worst = [whole(row)[1] for row in rows[1::2]]
    yield so(f"place **{places[0]}** of **{of[0]}**, and O can be beaten", worst[0] == -1)
    rises = way(int(places[1]) < int(places[0]), "rises", "falls")
    yield f"plays an edge in the corner trap and {rises} to place **{places[1]}**"
    games = [" ".join(row[3:]) for row in rows[1::2]]
    yield f"`worst` returns the {way(games[0] == games[1], 'same', 'another')} losing game"
    lost = whole([games[1]])
    yield f"X takes {lost[0]} and {lost[2]}, O the far corner {lost[3]}"
    yield so(f"O never loses again (`worst_o` is **{worst[2]}**)", worst[2] >= 0)
    below = way(int(places[2]) > max(map(int, places[:2])), "below", "above")
    text = f"falls to place **{places[2]}** (**{means[2]}** instead of **{means[1]}**)"
    yield so(f"{text}, {below} both that can be beaten", worst[:2] == [-1, -1])


def lost_at_ply_five(cube: Grid) -> bool:
    """Whether X can complete a line with its third stone against the player of 06.6."""
    [name] = re.findall(r'agent\("(potential:.*?)", "3x3x3"\)', part_of("06.6"))
    player, boards = agent(name, "3x3x3"), cube.initial()
    for ply in range(4):
        chosen = cube.legal(boards) if ply % 2 == 0 else player.weights(boards) > 0
        rows, cells = np.nonzero(chosen)
        boards = cube.play(boards[rows], cells)
    return bool(winning_cells(cube, boards, np.ones(len(boards), dtype=np.int8)).any())

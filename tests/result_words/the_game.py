"""What notebook 00 and its figures say, built from exact code and stored tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import chain, pairwise, permutations, product
from math import prod
from typing import Any

import numpy as np

from result_words.ntuple import tables_and_prints
from result_words.tools import (
    GRID,
    KINDS,
    ORDINALS,
    TREE,
    arena,
    capital,
    drawn,
    ledger,
    listed,
    met,
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
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game import response
from ttt_lib.game.board import parse
from ttt_lib.game.exact import exact_values, policy_table, random_outcome, worst_case
from ttt_lib.game.gametree import MAX_CANONICAL_CELLS
from ttt_lib.game.pairing import pairing
from ttt_lib.people.book import lesson_facts
from ttt_lib.playout_mlp.players import exact_agent
from ttt_lib.the_game import facts
from ttt_lib.the_game.facts import draw_criteria, first_move_kinds, line_symmetries


def ranked_kinds(chances: Iterable[Any]) -> list[str]:
    """The kinds of cells by their numbers, the largest first."""
    of = list(chances)
    return [KINDS[cell] for cell in sorted(KINDS, key=lambda cell: -of[cell])]


@cache
def after_best_reply() -> list[Fraction]:
    """How often X wins by each first move against Random, playing its best."""
    reply = response.best_response(TREE, table("random"), side=1)
    values = exact_values(TREE, reply, table("random"))
    return [values[int(state)].win for state in TREE.children[0]]


@says("notebooks/00_the_game.ipynb")
def first_moves() -> Iterator[str]:
    """Who opens how, at random and at one's best."""
    openings = facts.first_moves(TREE)
    random = [random_outcome(TREE, int(state)).win for state in TREE.children[0]]
    (best, second, _), (later, then, _) = map(ranked_kinds, (random, after_best_reply()))
    held = {m: (TREE.value[TREE.children[TREE.children[0][m]]] == 0) for m in KINDS}
    held = {m: np.flatnonzero(same & TREE.legal[TREE.children[0][m]]) for m, same in held.items()}
    lost = (TREE.value[TREE.children[0]] < 0).sum()
    yield f"By symmetry there are only {word(len(openings))} kinds of cell"
    yield f"So the {best} is the best first move"
    changed = so("The first two have changed places", (later, then) == (second, best))
    yield (
        f"**If X continues well, a {later} is its best opening against Random.** {changed}: under "
        f"random play the {best} led"
    )
    yield f"a bad first move loses. {way(lost == 0, 'None', 'Some')} does."
    yield f"Against a corner there is exactly {word(len(held[0]))}: the {KINDS[int(held[0][0])]}."
    digits = len(str(random_outcome(TREE, 0).win.denominator))
    yield f"a fraction with a {word(digits)}-digit denominator"


@says("notebooks/00_the_game.ipynb")
def games_and_states() -> Iterator[str]:
    """Counts of games and states, and what they are shares of."""
    games = facts.games_by_length(TREE)
    share = games.x_wins.sum() / games.games.sum()
    yield f"X wins a little {way(0.5 < share < 0.55, 'more', 'less')} than half of the games"
    shortest = games.iloc[0]
    yield so("Short games are favoured, and X owns the shortest", shortest.x_wins == shortest.games)
    yield f"A square has {word(len(GRID.symmetries))} such **symmetries**"
    yield f"enumeration, which here ends at {word(MAX_CANONICAL_CELLS)} cells"
    classes = drawn("00_all_positions")
    yield f"{way((classes.value != 0).mean() > 0.5, 'Most', 'Little')} of it is coloured"
    [large] = told("00_the_game", r"Games: \*\*([\d,]+)\*\*")
    yield f"{capital(large // 10**12)} trillion games, and still exact"
    both = [draw_criteria(Grid(n)) for n in (3, 4)]
    silent = not any(size.weights or size.pairs for size in both)
    perfect = stored("arena_4x4_soundness.csv").set_index("player").loc["minimax"]
    even = TREE.value[0] == perfect.worst_x == perfect.worst_o == 0
    yield so("On 3x3 and 4x4 both fail and the value is a draw all the same", silent and even)


def beginnings(plies: int) -> tuple[int, int]:
    """Sequences of moves up to one symmetry, and up to symmetry after every move."""

    def board(moves: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        sides = (moves[::2], moves[1::2])
        return min(tuple(tuple(sorted(p[list(s)])) for s in sides) for p in GRID.symmetries)

    seen = cache(board)
    orders = list(permutations(range(9), plies))
    whole = {min(tuple(p[list(moves)]) for p in GRID.symmetries) for moves in orders}
    paths = {tuple(seen(moves[: k + 1]) for k in range(plies)) for moves in orders}
    return len(whole), len(paths)


@says("notebooks/00_the_game.ipynb")
def shortest_and_largest() -> Iterator[str]:
    """The game that is shown, and the value of 4x4x4 in the notebook's table."""
    [shown] = re.findall(r"game = \(([\d, ]+)\)\\n", raw("notebooks/00_the_game.ipynb"))
    moves = [int(cell) for cell in shown.split(",")]
    least = facts.games_by_length(TREE).plies.min()
    yield so("no game is shorter than this one", len(moves) == least)
    [(known, who)] = re.findall(
        r"4x4x4 .* (\w+) wins \((\w+) 1980\)", tables_and_prints("00_the_game")
    )
    yield (
        f"and on 4x4x4 it took a long dialogue between {who} and a computer of the seventies to "
        f"show that {known} wins there, too."
    )


@says("notebooks/00_the_game.ipynb")
def two_definitions() -> Iterator[str]:
    """Where two ways to count games part."""
    ply = next(k for k in range(1, 9) if len(set(beginnings(k))) == 2)
    yield f'The two definitions of "essentially different" diverged at the {ORDINALS[ply]} move'


@says("notebooks/00_the_game.ipynb")
def who_can_be_beaten() -> Iterator[str]:
    """Worst cases of players that look ahead, and of one that trusts random play."""
    deep = range(4, 7)
    weak = [word(d) for d in deep if not arena().never_loses[f"lookahead:depth={d}"]]
    yield f"A look-ahead player of {' or '.join(weak)} plies can."
    judge = policy_table(exact_agent(1), TREE)
    worst = worst_case(TREE, judge, -1)
    fast = worst.worst == -1 and len(worst.line) == facts.games_by_length(TREE).plies.min()
    yield so("**It loses, as fast as a game can be lost.** At its second move it does not", fast)


@says("notebooks/00_the_game.ipynb")
def larger_and_smaller() -> Iterator[str]:
    """Classes, two counts of games, and what the first moves share."""
    classes = len(drawn("00_all_positions"))
    yield so("More than an eighth, because some boards are symmetric", 8 * classes > len(TREE))
    games, paths = told(
        "00_the_game", r"first definition gives \*\*([\d,]+)\*\* games, the second \*\*([\d,]+)"
    )
    yield f"The second is {way(paths < games, 'smaller', 'larger')}, because a board forgets"
    draws = facts.first_moves(TREE).draw
    yield so("random play; on 3x3 this is not so", draws.nunique() > 1)
    four = re.findall(r"(\d)\D+ on 4x4", lesson_facts._outputs("00_the_game"))[-1]
    yield so("On 4x4 every first move has the same probability of a draw", four == "1")
    cube = draw_criteria(Grid(8, 3)).pairs
    yield so("A cube with eight cells along each edge is large enough for the same argument", cube)


@says("notebooks/00_the_game.ipynb")
def against_random() -> Iterator[str]:
    """The best score against Random, and where there is something to trade for it."""
    x, o = (response.frontier(TREE, table("random"), side) for side in (1, -1))
    free = len(x) == 1 and x[0].loss == 0
    yield so("As X it costs nothing; as O there is a choice", free and len(o) > 1)
    yield so("For X there is nothing to trade: its frontier is a single point", len(x) == 1)
    perfect = met("minimax:ties=uniform", "random").win
    yield so("Against Random it is not: since Random makes mistakes", x[0].win > perfect)


@says("notebooks/00_the_game.ipynb")
def symmetries_and_lines() -> Iterator[str]:
    """What symmetries leave in place, how likely games are, and two counts of lines."""
    kept = max(int((p == np.arange(GRID.cells)).sum()) for p in GRID.symmetries[1:])
    shortest, longest = (facts.games_by_length(TREE).plies.agg(end) for end in ("min", "max"))
    yield so(f"it leaves at most {word(kept)} cells in place, and no game is that short",
             shortest > kept)  # fmt: skip
    games = drawn("00_games_and_chances").set_index("plies")
    each = games.filter(like="_chance").sum(axis=1) / games.games
    ratio, factors = each[shortest] / each[longest], range(int(longest - shortest), 0, -1)
    less = way(each[longest] < each[shortest], "less", "more")
    text = f"is {' · '.join(map(str, factors))} times {less} likely"
    yield so(text, abs(max(ratio, 1 / ratio) - np.prod(factors)) < 1e-6)
    safe = [arena().never_loses[name] for name in arena().index if name.startswith("minimax")]
    can = way(all(safe), "can't", "can")
    yield f"`minimax` {can} be beaten, whoever sits opposite"
    sizes = [Grid(n, d) for n, d in ((2, 2), (3, 2), (4, 2), (5, 2), (3, 3), (4, 3), (3, 4))]
    count = all(2 * len(g.lines) == (g.n + 2) ** g.d - g.n**g.d for g in sizes)
    yield so("along each of d axes has $((n+2)^d-n^d)/2$ lines", count)
    proved = all(draw_criteria(g).weights == (len(g.lines) < 2 ** (g.n - 1)) for g in sizes)
    yield so(
        "so fewer than $2^{n-1}$ lines weigh less than one half together",
        proved,
    )
    cube = stored("arena_formulas.csv").query("board == '3x3x3' and side == 'x'").worst
    yield f"on 3x3x3 X {way(cube.max() == 1, 'wins', 'draws')} by taking the centre"


@says("notebooks/00_the_game.ipynb")
def last_moves() -> Iterator[str]:
    """The smallest example, with three free cells, and the pass that goes on from it."""
    state = int(TREE.index(parse("xoxoox...", GRID)[None])[0])
    [best] = np.flatnonzero(table("minimax")[state])
    spot = way(ends(int(TREE.children[state][best])) == [1], "on the spot", "later")
    yield f"`minimax` puts all its weight on cell {best}, which wins {spot}"
    chances = table("random")[state]
    for cell in np.flatnonzero(chances)[::-1]:
        child = int(TREE.children[state][cell])
        share = Fraction(int(chances[cell]), int(chances.sum()))
        left = word(TREE.legal[child].sum())
        told_so = {
            (1,): "X has won;",
            (0, 1): f"O has {left} cells left; one lets X win, the other leads to a draw;",
            (-1, 0): f"one of O's {left} moves completes a line, and the other leads to a draw.",
        }
        part = f"{word(share.numerator)} {ORDINALS[share.denominator]}"
        yield f"* cell {cell} ({part}): {told_so[tuple(ends(child))]}"
    states = len(table("random"))
    yield f"it is a table: one row for each of the {states} states"
    known = exact_values(TREE, table("random"), table("random"))[0].win
    summed = abs(drawn("00_games_and_chances").x_wins_chance.sum() - float(known)) < 1e-6
    yield so(f"One pass over {states} states does the work of summing over all games", summed)


def ends(state: int) -> list[int]:
    """The results that a game can have from a state on."""
    if TREE.finished[state]:
        return [int(TREE.value[state])]
    below = TREE.children[state][TREE.legal[state]]
    return sorted({result for child in below for result in ends(int(child))})


@says("notebooks/00_the_game.ipynb")
def alike_or_not() -> Iterator[str]:
    """Games that a half turn confuses, cells of 4x4 that no turn does, and two counts."""
    [turn] = [p for p in GRID.symmetries if (p == np.arange(GRID.cells)[::-1]).all()]
    yield f"But a half turn swaps the corners 0 and {turn[0]}, and X took 0 *first*"
    carried = any((p[[0, 4, 8, 1]] == [0, 4, 8, 7]).all() for p in GRID.symmetries)
    yield f"{way(carried, 'a', 'no')} symmetry carries one sequence of moves into the other"
    four = Grid(4)
    square = [kind for kind in first_move_kinds(four, four.symmetries) if kind[0] in (0, 5)]
    joined = sorted(chain(*square)) in first_move_kinds(four, line_symmetries(four))
    yield so("A corner (cell 0) and a central cell (cell 5) are worth *exactly* the same",
             joined and len(square) == 2)  # fmt: skip
    states = {ply: int((TREE.ply == ply).sum()) for ply in (2, 4)}
    orders = {ply: prod(range(9, 9 - ply, -1)) for ply in states}
    text = f"it is {way(states[4] < orders[4] / 2, 'far', 'a little')} smaller than 9 · 8 · 7 · 6"
    yield so(f"the number of states at ply 2 is 9 · 8, but at ply 4 {text}", states[2] == orders[2])


@says("notebooks/00_the_game.ipynb")
def ledgers() -> Iterator[str]:
    """Which documents have a ledger, and the verdicts in it."""
    of = sorted({row["document"] for row in ledger().values()})
    every = so("Each of", of == [*range(of[0], of[-1] + 1)])
    yield f"{every} {of[0]:02} to {of[-1]:02} has a ledger of *claims*"
    given = {row["verdict"] for row in ledger().values()}
    names = ", ".join(name for name in VERDICTS if name in given)
    yield f"and a verdict — {names}.".replace(
        "adopted", "adopted (a setting that we use as published)"
    )


@says("notebooks/00_the_game.ipynb")
def proofs_from_lines() -> Iterator[str]:
    """How lines are counted, and why O can hold 5x5."""
    sizes = [Grid(n, d) for n, d in ((2, 2), (3, 2), (4, 2), (3, 3), (4, 3))]
    yield so("rises or falls, which makes $(n+2)^d$ combinations; $n^d$ of these never move, and "
             "the others count each line twice", all(map(twice_each, sizes)))  # fmt: skip
    yield so("**This picture is a proof** that 5x5 is a draw", paired(Grid(5)))


def paired(grid: Grid) -> bool:
    """Whether each line has two cells of its own."""
    pairs = pairing(grid)
    if pairs is None or len(np.unique(pairs)) < 2 * len(grid.lines):
        return False
    return all(set(pair) <= set(line) for pair, line in zip(pairs, grid.lines, strict=True))


def twice_each(grid: Grid) -> bool:
    """Whether ways to stay, rise or fall on each axis give each line twice, and each cell once."""
    steps = [[place] * grid.n for place in range(grid.n)]
    steps += [[*range(grid.n)], [*range(grid.n)][::-1]]
    ways = [*product(steps, repeat=grid.d)]
    cells = np.arange(grid.cells).reshape((grid.n,) * grid.d)
    found = Counter(frozenset(cells[axes].tolist()) for axes in ways)
    single = sum(count for line, count in found.items() if len(line) == 1)
    twice = {line for line, count in found.items() if count == 2 and len(line) == grid.n}
    return (
        len(ways) == (grid.n + 2) ** grid.d
        and single == grid.n**grid.d
        and single + 2 * len(twice) == len(ways)
        and twice == {frozenset(line.tolist()) for line in grid.lines}
    )


@says("notebooks/00_the_game.ipynb")
def how_often_the_first_player_wins() -> Iterator[str]:
    """The closing answer."""
    chance = random_outcome(TREE, 0).win
    yield f"If both choose at random, in {chance.numerator} of {chance.denominator} games, exactly."
    yield so("If both play perfectly, never: the game is a draw.", TREE.value[0] == 0)
    wins = drawn("00_against_random").set_index("player").win
    perfect = wins[wins.index.str.startswith("minimax")]
    text = "perfect play is not what wins most often against random moves"
    yield so(text, perfect.max() < wins.max())


@says("figures/00_against_random")
def frontier() -> Iterator[str]:
    careful, *others = response.frontier(TREE, table("random"), side=-1)
    win = careful.win
    text = f"to win more than {win.numerator} games in {win.denominator}, a player must"
    yield so(text, careful.loss == 0 < min(end.loss for end in others))
    last = others[-1]
    ends = f"rises from {win} without losses to {last.win} with {last.loss} losses"
    yield so(f"The frontier {ends}", careful.loss == 0)
    perfect = drawn("00_against_random").query("player.str.startswith('minimax')")
    below = (perfect.win < float(win) - 0.1).all() and (perfect.loss == 0).all()
    yield so("among moves of equal value, lie far below it", below)
    wins = listed(f"{share:.2f}" for share in perfect.win)
    yield f"two minimax players lie at zero losses and {wins} wins"
    line = drawn("00_against_random").query("player == 'best reply'")[["win", "loss"]].to_numpy()
    [(_, low), *_, (high, _)] = line
    slopes = [0.0, *((b - a)[0] / (b - a)[1] for a, b in pairwise(line))]
    found = {price: response.response_outcome(TREE, table("random"), -1, (1, 0, -Fraction(price)))
             for price in slopes}  # fmt: skip
    above = [price for price, best in found.items()
             if best.win - price * best.loss > max(line @ (1, -price)) + 1e-9]  # fmt: skip
    assert low == 0 < high
    yield f"{way(above, 'Some', 'No')} policy lies above the orange line"


@says("figures/00_games_and_chances")
def lengths_of_games() -> Iterator[str]:
    """What games of each length weigh, counted and under random play."""
    rows = drawn("00_games_and_chances").set_index("plies")
    share, chance = (rows.filter(like=end).sum(axis=1) for end in ("_share", "_chance"))
    half = so("half of them", abs(share.iloc[-1] - 0.5) < 0.01)
    yield f"When all games count the same, {half} last {word(share.index[-1])} plies"
    more = share.index[chance > share]
    assert [*more] == [*share.index[: len(more)]]
    x = [rows[f"x_wins_{kind}"].sum() for kind in ("share", "chance")]
    yield (
        f"games of {word(more[0])} to {word(more[-1])} plies weigh more, longer ones less, and X's "
        f"share of wins {way(x[1] > x[0], 'rises', 'falls')}"
    )
    each = chance / rows.games
    times, (short, long) = each.iloc[0] / each.iloc[-1], each.index[[0, -1]]
    yield (
        f"any one game of {word(short)} plies is {times:.0f} times as likely as any one of "
        f"{word(long)}"
    )


@says("figures/00_all_positions")
def positions() -> Iterator[str]:
    boards = drawn("00_all_positions")
    most = (boards.value != 0).mean() > 0.5
    yield so("In most positions one side has won or can force a win.", most)
    yield f"All {len(boards)} positions of Tic-Tac-Toe"
    yield f"A poster of {len(boards)} small boards in {word(boards.ply.nunique())} groups by ply"
    orange = ((boards.ply == GRID.cells) & (boards.value == -1)).sum()
    yield f"{word(orange)} full board is orange"
    by = boards.groupby("ply").value
    grey = listed(["The empty board", f"all {word(by.size()[1])} first moves"])
    yield so(f"{grey} are grey", not by.get_group(0).any() and not by.get_group(1).any())
    blue = (by.get_group(2) == 1).sum()
    yield f"of the {word(by.size()[2])} boards at ply 2 {word(blue)} are blue"


@says("figures/00_sampling")
def intervals() -> Iterator[str]:
    """How the intervals shrink, and how many of them hold the exact chance."""
    rows, chance = drawn("00_sampling"), random_outcome(TREE, 0).win
    left, right = (rows[rows.panel == side] for side in ("left", "right"))
    held = right.low.le(float(chance)) & right.high.ge(float(chance))
    most = way(held.all(), "all", way(held.mean() > 0.9, "nearly all", "not nearly all"))
    yield f"{word(len(right))} intervals, {most} of which cross the line"
    width = left.set_index("games").eval("high - low").sort_index()
    shrink = way((width.diff().dropna() < 0).all(), "narrower", "wider")
    few = way(held.all(), "none", "now and then one")
    yield f"The more games, the {shrink} the interval; {few} misses"
    ends = f"from {width.index[0]} to {width.index[-1]:,} games"
    exact = f"a line at {chance.numerator}/{chance.denominator}, about {float(chance):.3f}"
    yield f"error bars shrink {ends} around {exact}"


@says("figures/00_by_ply")
def states_by_ply() -> Iterator[str]:
    rows = drawn("00_by_ply")
    small, large = (rows[rows.board == size].set_index("ply").states for size in ("3x3", "4x4"))
    top = large.nlargest(2).sort_index()
    millions = {word(round(count / 1e6)) for count in top}
    yield f"rise to {small.max()} at ply {small.idxmax()} and fall to {small.iloc[-1]} at ply 9"
    yield f"rise to about {listed(millions)} million at plies {listed(top.index)}"
    rows = drawn("00_by_ply")
    merged = rows.states / rows.classes
    times = word(round(rows.states.sum() / rows.classes.sum()))
    side = way(rows.states.sum() > rows.classes.sum(), "lower", "higher")
    parallel = merged[rows.states > 100].between(5, 8).all()
    yield so(f"The classes run below in parallel, about {times} times {side}", parallel)
    most = word(int(np.ceil(merged.max())))
    yield so(f"Symmetry merges up to {most} states into one class", merged.max() <= 8)


@says("figures/00_drawn_paths")
def drawn_paths() -> Iterator[str]:
    """Lines below the three first moves, and the full boards."""
    rows = drawn("00_drawn_paths").set_index("board")
    lines = {
        kind: len(str(rows.moves[min(notations(cell), key=rows.index.tolist().index)]).split())
        for cell, kind in KINDS.items()
    }
    last = (rows.ply == 9).sum()
    yield f"A graph of {len(rows)} boards in {word(rows.ply.nunique())} rows"
    single = lines["corner"] == lines["centre"] == 1
    yield so("under the corner and under the centre there is a single line", single)
    yield f"under the edge there are {word(lines['edge'])}; in the last row {word(last)} full"
    held = (TREE.value[TREE.children[TREE.children[0][0]]] == 0)[TREE.legal[TREE.children[0][0]]]
    yield so("After the corner opening a single reply holds the draw", held.sum() == 1)
    values = TREE.value[TREE.index(np.stack([parse(board, GRID) for board in rows.index]))]
    yield so("two players who make no mistake, with one board for each class", kept_drawn(rows))
    yield so("A line is a move that keeps the draw", not values.any())
    centre = TREE.children[0][4]
    replies = np.flatnonzero((TREE.value[TREE.children[centre]] == 0) & TREE.legal[centre])
    yield so("the one line below the centre opening stands for all four corners",
             replies.tolist() == [0, 2, 6, 8])  # fmt: skip
    yield f"The {word((rows.ply == 1).sum())} first moves are at the top"


def kept_drawn(rows: Any) -> bool:
    """Whether the boards of a picture are all that two perfect players can reach."""
    layer = {0}
    counts = [1]
    for _ in range(GRID.cells):
        layer = {
            int(after)
            for state in layer
            for after in TREE.children[state][TREE.legal[state]]
            if TREE.value[after] == 0
        }
        images = {min(map(tuple, TREE.boards[s][GRID.symmetries].tolist())) for s in layer}
        counts.append(len(images))
    return counts == rows.groupby("ply").size().tolist()


def notations(cell: int) -> list[str]:
    """The images of the board with one X that the figure may show."""
    places = {int(np.flatnonzero(p == cell)[0]) for p in GRID.symmetries}
    texts = ["." * place + "x" + "." * (8 - place) for place in places]
    return [text for text in texts if text in set(drawn("00_drawn_paths").board)]


@says("figures/00_last_plies")
def last_plies() -> Iterator[str]:
    root = drawn("00_last_plies").iloc[0]
    below = drawn("00_last_plies").query("parent == 0")
    chances = {Fraction(str(chance)) for chance in below.chance}
    values, ways = listed([root.win, root.draw, root.loss]), word(len(below))
    yield f"has {ways} branches of probability {listed(chances)}; its values are {values}"

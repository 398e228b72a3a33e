"""What notebook 06, its figures and the scorecard say, built from the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, hypot
from typing import Any

import numpy as np

from result_words.ntuple import made_safe, variants
from result_words.tools import (
    GRID,
    KINDS,
    ORDINALS,
    TREE,
    arena,
    capital,
    drawn,
    listed,
    margin,
    met,
    misplays,
    safe_as_x,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib import Grid, agent
from ttt_lib.comparison import figures
from ttt_lib.comparison.matrix import soundness, table
from ttt_lib.comparison.results import all_pairs, both_sides
from ttt_lib.game.board import parse
from ttt_lib.game.exact import misplayed, outcome_as, policy_table
from ttt_lib.game.policy import TOLERANCE
from ttt_lib.game.response import reachable
from ttt_lib.game.stats import games_interval
from ttt_lib.ising import claims_bias, diagonals
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.players import table_of
from ttt_lib.ntuple.training import train
from ttt_lib.playout_mlp.players import monte_carlo_limit, uniform_chances
from ttt_lib.the_game.facts import draw_criteria


@says("notebooks/06_arena.ipynb")
def circle() -> Iterator[str]:
    """The three who beat each other, and who has the better of each match."""
    search, formula, learned = three = "lookahead:depth=3", "potential:b=0.5", "safety+mlp"
    pairs = [*pairwise(three), (learned, search)]
    assert all(margin(one, other) > 0 for one, other in pairs)
    share = met(learned, formula).win
    every = way(met(formula, learned).win == 1, "every game", "some games")
    yield (
        f"As X the formula wins {every} against the network, which as X wins only "
        f"{word(share.numerator)} of {word(share.denominator)} against the formula"
    )
    each = all(met(a, b).expected > 0 for a in three for b in three if a != b)
    yield f"X has the better of {way(each, 'every single', 'nearly every')} match"
    never = way(met(learned, search).loss == 0, "never", "seldom")
    yield f"And the network as X {never} loses to search"


@says("notebooks/06_arena.ipynb")
def looking_ahead() -> Iterator[str]:
    """Deeper and weaker, at some depths."""
    three, four = (f"lookahead:depth={d}" for d in (3, 4))
    weaker = arena().against_random[four] < arena().against_random[three]
    fewer = way(misplays(four) < misplays(three), "fewer", "more")
    yield (
        f"From three plies to four the look-ahead player misplays {fewer} positions and gets "
        f"*{way(weaker, 'weaker', 'stronger')}* against Random"
    )
    one, *pairs, six = (arena().against_perfect[f"lookahead:depth={d}"] for d in range(1, 7))
    second = one < pairs[0] == pairs[1] < pairs[2] == pairs[3] < six
    yield so("against the perfect player only every second ply helps", second)
    enough = next(d for d in range(1, 7) if arena().never_loses[f"lookahead:depth={d}"])
    alike = same_results(f"lookahead:depth={enough}", "minimax:ties=uniform")
    yield so(f"{capital(enough)} plies of look-ahead are enough for perfect play", alike)
    weak, strong = "ising", "minimax:ties=uniform"
    more = arena().against_random[weak] > arena().against_random[strong]
    assert not arena().never_loses[weak]
    yield f"The one that *can* lose earns {way(more, 'more', 'less')} from a weak opponent than"


@says("notebooks/06_arena.ipynb")
def ladder() -> Iterator[str]:
    """Tables of growing size."""
    rows = drawn("06_tables_ladder").set_index("reads")
    triples, fours = rows.loc["all groups of 3"], rows.loc["all groups of 4"]
    lines = rows[rows.taught == "least squares"].loc["lines"]
    cost = word(round(triples.numbers / lines.numbers))
    yield f"cost about {cost} times as many numbers"
    assert fours.misplayed == 0
    less = Fraction(fours.against_random) < Fraction(triples.against_random)
    yield f"perfect in every state, and against Random it does *{way(less, 'worse', 'better')}*"
    boards = rows.numbers["all nine cells"]
    large = rows.loc[["all groups of 4", "all groups of 5"]]
    more = way((large.numbers > boards).all(), "more", "fewer")
    yield f"groups of four and five have {more} numbers than there are boards to tell apart"
    fewer = way((large.independent < boards).all(), "fewer", "more")
    yield f"{fewer} of them are *independent* than there are boards"
    straight, curved = rows.loc["lines"].set_index("taught").worst_o
    least = variants().optimum_never_loses["symmetric"]
    yield so("the same network can't be beaten either", least and straight == -1 < curved == 0)


@says("notebooks/06_arena.ipynb")
def formulas() -> Iterator[str]:
    """The formula on 4x4 and on 3x3x3."""
    four = stored("arena_4x4_soundness.csv").set_index("player")
    ising, tables = four.loc["ising"], four.loc["ntuple"]
    held = ising.worst_x == ising.worst_o == 0
    fewer = way(ising.misplayed < tables.misplayed, "fewer", "more")
    beaten = not arena().never_loses["ising"]
    yield (
        f"which can be beaten on 3x3, is {way(beaten and held, 'unbeatable', 'beaten too')} on "
        f"4x4, and misplays {fewer} positions than tables"
    )
    rows = stored("arena_formulas.csv").query("board == '3x3x3' and worst == 1")
    yield so("On 3x3x3 only the higher bases of the grid win, those", rows.base.min() >= 5)
    yield f"must count more than the other's, $b$ {way(rows.b.max() < 1, 'below', 'above')} 1"
    replies = word(GRID.cells - 1)
    yield f"A hundred playouts for each candidate make {replies} hundred for O's first move"
    held = four.worst_x["minimax"] == four.worst_o["minimax"] == 0
    yield so("The perfect player is no weaker than before: nobody wins against it", held)
    [two] = stored("arena_formulas.csv").query("board == '3x3x3' and base == 2 and b == 1").worst
    yield f"the potential with base 2, {way(two < 0, 'can', 'cannot')} lose the same won game"


@says("notebooks/06_arena.ipynb")
def map_of_formulas() -> Iterator[str]:
    """Where formulas are safe on 4x4, and where they win as X on 3x3x3."""
    four, cube = (safe_region(board) for board in ("4x4", "3x3x3"))
    lowest = four.idxmax(axis=1)[four.any(axis=1)]
    trade = lowest.is_monotonic_decreasing and lowest.nunique() > 1
    yield so("the higher the base, the smaller $b$ may be, and a low base needs a large $b$", trade)
    yield f"4x4 asks for {way(four.sum().sum() > cube.sum().sum(), 'less', 'more')}:"
    yield so("$b$ below 1, but not too small", not cube[cube.columns.min()].any())
    inside = neighbours(four, 6, 0.647).all()
    yield so("whatever its physics, lies well inside the safe region of 4x4.", inside)
    energy = "at b = 0.647, as first player and whoever it meets" in claims_bias.robust().found
    yield so("On 3x3x3 it wins, as base 6 does (the star)", energy and cube.loc[6, 0.647])
    yield so("and base 5 with the same $b$ does not.", not cube.loc[5, 0.647])
    outside = not (four.loc[2, 1] or cube.loc[2, 1])
    yield so("Base 2 with $b = 1$ lies outside of both regions", outside)
    one = variants().loc["one table"]
    lighter = diagonals.player(diagonals.by_distance(GRID), 0.647)
    beaten_all_the_same = soundness(policy_table(lighter, TREE)).worst_o == -1
    half = stored("ising_diagonals.csv").set_index(["energy", "diagonal"]).loc[("equation", "1/2")]
    yield so("the Ising formula itself cannot be beaten for a whole range of $b$ (notebook 04, *One"
             " more number*), to which the document's own does not belong",
             half["from"] < half["to"] < 0.647 and beaten_all_the_same)  # fmt: skip
    least = way(one.optimum_never_loses, "but not", "and even")
    yield so("whose entries record *where* on a line the stones are, can be beaten as trained "
             f"(below), {least} at its least error", one.never_loses == 0)  # fmt: skip
    yield so("for it, too, there are weights that nobody beats", made_safe("one table"))
    corner = int(TREE.index(parse("x........", GRID)[None])[0])
    [held] = np.flatnonzero((TREE.value[TREE.children[corner]] == 0) & TREE.legal[corner])
    yield f"Only the {KINDS[int(held)]} holds the draw"
    answers = TREE.children[int(TREE.index(parse("x...o...x", GRID)[None])[0])]
    lost, safe = TREE.value[answers[[2, 6]]] == 1, TREE.value[answers[[1, 3, 5, 7]]] == 0
    yield so("and O must take an edge: a corner loses", lost.all() and safe.all())


@cache
def safe_region(board: str) -> Any:
    """Whether nobody beats a formula, or as X on 3x3x3 it beats anybody, by base and b."""
    rows = drawn("06_formula_map").query("board == @board")
    safe = rows.worst_x == 1 if board == "3x3x3" else rows[["worst_x", "worst_o"]].min(axis=1) == 0
    return rows.assign(safe=safe).pivot(index="base", columns="b", values="safe")


def neighbours(region: Any, base: float, b: float) -> Any:
    """The values around a place of a region."""
    down, across = region.index.get_loc(base), region.columns.get_loc(b)
    return region.to_numpy()[down - 1 : down + 2, across - 1 : across + 2]


@says("notebooks/06_arena.ipynb")
def three_players() -> Iterator[str]:
    """Ising, Random and the perfect player."""
    perfect, ising = "minimax:ties=uniform", "ising"
    nearly = 0.95 < met(ising, "random").win < 1 and met(ising, perfect).draw == 1
    yield so("Ising as X beats Random nearly always and draws with the perfect player", nearly)
    loses = met("random", ising).win > 0 and met(perfect, ising).win > 0
    yield so("as O it sometimes loses, even to Random", loses)
    quick = same_results("minimax:ties=quick", perfect)
    yield so("gets the same results as one that does not, against anybody", quick)
    names = {"ntuple": "ntuple", "ising": ising, "minimax": perfect}
    ruled = all(same_results(f"safety+{name}", plain) for name, plain in names.items())
    yield so("the safety rule changes no result of `ntuple`, `ising` or perfect play", ruled)
    unbeaten = [name for name in ranked() if arena().never_loses[name]]
    place, others = ORDINALS[ranked().index(perfect) + 1], word(len(unbeaten) - 1)
    yield f"perfect player come {place}, before {others} others that nobody can beat either"
    drew = all(met(x, o).draw == 1 for x in unbeaten for o in unbeaten)
    text = "the players that nobody on the list beats draw all their matches against one another"
    yield so(text, drew)


def same_results(one: str, other: str) -> bool:
    """Whether two players get the same results from everybody."""
    names = dict.fromkeys(drawn("06_all_players").x)
    return all(met(one, n) == met(other, n) and met(n, one) == met(n, other) for n in names)


def ranked() -> list[str]:
    """The different players by their scores, the best first."""
    return sorted(different(), key=mean_margin, reverse=True)


@cache
def mean_margin(name: str) -> Fraction:
    """The score: the mean margin against all other different players."""
    others = [other for other in different() if other != name]
    return sum((margin(name, other) for other in others), Fraction()) / len(others)


@says("notebooks/06_arena.ipynb")
def upper_half() -> Iterator[str]:
    """Who can be beaten, who closes the cycle, and who loses nearly every game."""
    names = ranked()
    upper = all(map(safe_as_x, names[: len(names) // 2]))
    every = way(upper, "everybody", "not everybody")
    yield f"In the upper half {every} is safe as X; hardly anybody is as O"
    yield so("(as X none of these eight can be beaten)", all(map(safe_as_x, names[:8])))
    filled = [name for name in names if all(met(x, name).win == 0 for x in names)]
    yield so("the last column of dots is almost empty", 0 < len(filled) < len(names) / 5)
    perfect, floor = arena().against_perfect, arena().against_perfect["random"]
    worse = [n for n in names if arena().against_random[n] > 0 and perfect[n] < floor]
    lose = max(perfect[worse]) < -0.95
    yield so(f"These {word(len(worse))} lose nearly every game to the perfect player", lose)
    three, four = (mean_margin(f"lookahead:depth={d}") for d in (3, 4))
    yield so("gets *weaker* against Random and on average", four < three)
    before, after = told("06_arena", r"misplays \*\*(\d+)\*\* of .*\s.*misplays \*\*(\d+)")
    yield f"The second ply repairs {way(after < before / 2, 'most', 'some')} of them"
    text = "and brings a few of its own, all on one board and its images"
    yield so(f"{text}: the reply to an opening on an edge", new_mistakes() == {1, 3, 5, 7})
    circles, players = told("06_arena", r"There are (\d+) such cycles among the (\d+) players")
    triples = players * (players - 1) * (players - 2) / 6
    yield so("nearly all triples are transitive", 0 < circles < triples / 100)
    formula, learned = "potential:b=0.5", "safety+mlp"
    beats = [
        name
        for name in different()
        if margin(name, formula) > 0 and margin(formula, learned) > 0 < margin(learned, name)
    ]
    rule, two = "safety+random", "lookahead:depth=2"
    assert len(beats) == circles > 1
    alike = all(margin(rule, name) == margin(two, name) for name in (formula, learned))
    yield so(f"`{rule}` wins or blocks at once, which is nearly all that `{two}` sees, and has the "
             "same margins against both", alike and {rule, two} < {*beats})  # fmt: skip
    short, long = (f"lookahead:depth={depth}" for depth in (1, 5))
    broken = margin(long, learned) > 0 and not {short, long} & {*beats}
    yield so(f"`{short}` does not close it, and `{long}` breaks it by beating", broken)
    more = all(met(one, formula).expected > met(formula, one).expected for one in beats)
    text = f"makes {way(more, 'more', 'less')} of moving first than the formula does"
    yield f"The third player, whichever of the {word(circles)} it is, {text}"


def new_mistakes() -> set[int]:
    """The openings that two plies answer wrongly and one does not, if all new mistakes are such."""
    one, two = (set(misplayed(TREE, table(f"ntuple{depth}"))) for depth in ("", ":depth=2"))
    boards = TREE.boards[sorted(two - one)]
    return {int(np.flatnonzero(b)[0]) if np.abs(b).sum() == 1 else -1 for b in boards}


@says("notebooks/06_arena.ipynb")
def those_who_roll_dice() -> Iterator[str]:
    """Games out of a thousand."""
    games = stored("arena_games.csv").set_index(["board", "x", "o"]).sort_index()
    lost = games.win.loc[("3x3", "minimax")]
    plain, tree = lost["pmc:playouts=100"], lost["uct:iterations=1000"]
    yield so("Pure Monte Carlo as O loses so many games to the perfect player", plain > 400)
    better = way(10 * tree < plain, "better", "similar")
    yield f"Tree search, which steers its thousand playouts, asks a {better} one"
    ising = games.loc["3x3x3"].loc[["ising", "ising:energy=published"]]
    won = ising.games.eq(1_000).all() and (ising.win == ising.games).all()
    yield so("A thousand games per cell, all won.", won)
    each = games.games.eq(1_000).all()
    yield so("what is not marked exact comes from a thousand games per cell", each)
    yield so("and are measured by games, a thousand on each side", each)
    rows = drawn("06_tables_ladder").set_index("reads")
    yield so("They make the player safe as O", rows.worst_o["all groups of 3"] == 0)
    lines = rows.loc["lines"].set_index("taught").worst_o
    flat, curved = (way(lines[how] < 0, "can", "cannot") for how in FITS)
    yield f"The player of the straight least-squares fit {flat} be beaten as O; the one whose sums"
    yield f"trained step by step, {curved}."
    shared = rows.loc["lines"].set_index("taught").misplayed[FITS[1]]
    least = variants().optimum_misplayed
    equal = least["document"] == least["symmetric"]
    assert 0 < shared - misplays("ntuple") < 10
    text = (
        "fewer at this seed; at some others it misplays more, and at the least error both misplay"
    )
    yield so(f"{text} equally many", equal and separate_misplays_more())
    few = lost["uct:iterations=150"] / 1000
    endless = monte_carlo_limit(uniform_chances(), ties="uniform")
    forever = outcome_as(TREE, -1, policy_table(endless, TREE), table("minimax")).loss
    about = abs(few - forever) < 1.96 * (few * (1 - few) / 1000) ** 0.5
    yield so("the shorter tree search loses about as many games as Pure Monte Carlo would with "
             "infinitely many playouts", about)  # fmt: skip


def separate_misplays_more() -> bool:
    """Whether document 3's separate tables misplay more than shared ones at one of few seeds."""
    kinds = (Patterns(GRID), Patterns(GRID, sharing="symmetric"))
    return any(
        soundness(table_of(train(kinds[0], rng=seed).network, TREE)).misplayed
        > soundness(table_of(train(kinds[1], rng=seed).network, TREE)).misplayed
        for seed in range(4)
    )


@says("notebooks/06_arena.ipynb")
def who_is_best() -> Iterator[str]:
    """What the closing answer sums up."""
    never, cost, perfect = arena().never_loses, arena().cost, "minimax:ties=uniform"
    text = "On 3x3 nobody beats perfect play or document 3's network, and against one another they"
    yield so(f"{text} draw", never[perfect] and never["ntuple"] and margin(perfect, "ntuple") == 0)
    more = margin("ising", "random") > margin(perfect, "random") and not never["ising"]
    yield so("a player that can lose may earn more from a weak opponent", more)
    many = cost["lookahead:depth=5"] > 10 * cost["ising"]
    yield so("looking ahead costs many times as much", many)
    fewer = misplays("ntuple:depth=2") < misplays("ntuple")
    errs = fewer and not never["ntuple:depth=2"]
    yield so("where a player errs counts for more than how often", errs)


@says("notebooks/06_arena.ipynb")
def invited() -> Iterator[str]:
    """Who has the larger margins on 4x4 against weak players, and against three that err less."""
    square = both_sides("4x4")
    weakest = ["random", "ising:b=0", "ising:energy=published"]
    gain = square[weakest] - square.loc["minimax", weakest]
    ahead = gain.loc[["ising", "potential", "potential:base=3"]]
    text = "the formulas ahead of it have larger margins than it has"
    yield so(text, (ahead > 0).all(axis=None))
    rollers = [name for name in gain.index if name.startswith(("uct", "pmc"))]
    text = "safe or nearly so; those ahead of it have one"
    yield so(text, (gain.loc[rollers] > 0).all(axis=None))
    tables = (gain.loc["ntuple"] > 0).tolist() == [True, True, False]
    yield so("(except the tables, against the energy as published)", tables)
    less = ["lookahead:depth=3", "safety+random", "spectral:labels=mc"]
    most = (square[less].idxmax() == "minimax").all()
    yield so("nobody's margin was larger than its own", most)
    short, long = (f"uct:iterations={n}" for n in (150, 1000))
    weak = ["pmc:playouts=100", short]
    better = square.loc[[long, "ising"], weak] > square.loc["minimax", weak]
    yield so("against Pure Monte Carlo and the short tree search, the long tree search and Ising "
             "measured better than the perfect player", better.all(axis=None))  # fmt: skip
    pairs = all_pairs().query("board == '4x4'").set_index(["x", "o"]).sort_index()
    spectral = less[-1]
    halves = [
        hypot(
            *((pairs.high - pairs.low)[pair] / 4 for pair in ((name, spectral), (spectral, name)))
        )
        for name in ("minimax", "potential")
    ]
    lead = square.loc["minimax", spectral] - square.loc["potential", spectral]
    yield so(
        "(against `spectral` its lead over the potential is within sampling error); a likely",
        0 < lead < hypot(*halves) and square[spectral].nlargest(2).index[1] == "potential",
    )


FITS = ("least squares", "tanh, step by step")
"""The two ways to fit tables of lines."""


def changing(name: str) -> float:
    """How often the result of a player as X changes between neighbouring opponents.

    Among those that are not beaten by nearly everybody: the first seven tenths of the ranking.
    """
    order = ranked()[: len(ranked()) * 7 // 10]
    return float(np.mean([met(name, a) != met(name, b) for a, b in pairwise(order)]))


@says("notebooks/06_arena.ipynb")
def copies_and_theorem() -> Iterator[str]:
    """Players with the same results but other tables, and where the theorem is silent."""
    known = dict.fromkeys(drawn("06_all_players").x)
    same = [
        (first, name)
        for first in different()
        for name in known
        if name not in different() and same_results(first, name)
    ]
    apart = sum(not np.array_equal(table(first), table(name)) for first, name in same)
    assert len(same) == len(known) - len(different())
    yield so("Some names share *all* their results, most of them although their tables differ",
             2 * apart > len(same))  # fmt: skip
    rest = [name for name in ranked()[1:] if arena().never_loses[name]]
    changes = {name: changing(name) for name in (ranked()[0], *rest)}
    own = changes.pop(ranked()[0])
    yield so("where the others' colours hardly change, its own change from column to column",
             max(changes.values()) < 0.1 < 0.5 < own)  # fmt: skip
    sizes = [Grid(n, d) for n, d in ((3, 2), (4, 2), (5, 2), (3, 3), (4, 3), (8, 3))]
    half = Fraction(1, 2)
    proved = [Fraction(len(g.lines), 2**g.n) < half for g in sizes]
    stated = proved == [draw_criteria(g).weights for g in sizes]
    yield f"divided by $2^n$ ($n$ cells on a line) is {way(stated, 'below', 'above')} one half."
    small = not any(proved[sizes.index(Grid(n, d))] for n, d in ((3, 2), (4, 2), (3, 3)))
    yield so("and it does not reach the small ones", small)


@says("notebooks/06_arena.ipynb")
def paths_and_boards() -> Iterator[str]:
    """Mistakes beside a player's own paths, boards that players know, and a forced win."""
    weights = table("ntuple")
    wrong = np.zeros(len(TREE), dtype=bool)
    wrong[misplayed(TREE, weights)] = True
    met_x, met_o = (reachable(TREE, weights, side) for side in (1, -1))
    own = (met_x & (TREE.ply % 2 == 0)) | (met_o & (TREE.ply % 2 == 1))
    never = wrong.any() and not (wrong & own).any()
    yield so("The mistakes of the one-ply player lie on paths that its own moves never take", never)
    small = all(plays(name, 3) and not plays(name, 4) for name in ("mlp", "spectral"))
    grows = plays("spectral:labels=mc", 4)
    text = "The network of document 1 and the cosine labels of document 2 know 3x3 only"
    yield so(f"{text} (`spectral` learns from Monte Carlo labels instead)", small and grows)
    rows = stored("ntuple_4x4_exact.csv").groupby("seed").misplayed.first()
    ours = stored("arena_4x4_soundness.csv").set_index("player").misplayed["ntuple"]
    yield f"retrained on 4x4 by self-play, with {word((rows == ours).sum())} seed"
    wins = stored("arena_formulas.csv").query("board == '3x3x3' and side == 'x'").worst.max() == 1
    yield so("On 3x3x3 the first player can force a win", wins)
    yield so("compared with a relative tolerance of one in a billion", TOLERANCE == 1e-9)


def plays(name: str, n: int) -> bool:
    """Whether a player can be had for the board of n x n."""
    try:
        agent(name, Grid(n).name)
    except ValueError:
        return False
    return True


@says("notebooks/06_arena.ipynb")
def exact_on_4x4() -> Iterator[str]:
    """Whose matches on 4x4 are exact, and how many games the others played.

    The perfect player isn't asked: it would have to solve the board.
    """
    judged, pairs = stored("arena_4x4_soundness.csv"), stored("arena_4x4.csv")
    asked = {*judged.player} - {"minimax"}
    alike = {name for name in asked if agent(name, Grid(4).name).symmetric} | {"minimax"}
    known = {*zip(pairs.x, pairs.o, strict=True)} == {(x, o) for x in alike for o in alike}
    yield so("For players that treat mirror images alike the matches are exact", known)
    games = stored("arena_games.csv").query("board == '4x4'")
    others = len(games) == len(judged) ** 2 - len(pairs) and (games.games == 1000).all()
    yield so("the others are measured by a thousand games each.", others)


@says("figures/06_strength_for_cost")
def cheap() -> Iterator[str]:
    """What the Ising player costs, and whether much more buys less."""
    cost, strong = arena().cost["ising"], arena().against_random
    times = f"less than {word(int(cost) + 1)} times"
    yield f"comes close to the best, at {times} the cost of random play."
    deep = "lookahead:depth=5"
    less = way(strong[deep] < strong["ising"], "less", "more")
    far = way(arena().cost[deep] > 10 * cost, "far more", "more")
    yield f"Ising, at {times} the cost of random play, reaches nearly"
    yield f"look-ahead to five plies costs {far} and reaches {less}"
    perfect = arena().against_perfect
    close = strong.max() - strong["ising"] < 0.05 and perfect.max() - perfect["ising"] < 0.05
    yield so("By both yardsticks the Ising player comes close to the best", close)
    yield so("reaches nearly the highest results of all", close)


@says("figures/06_strength_for_cost")
def uncertain() -> Iterator[str]:
    """Games behind the points of tree search and Pure Monte Carlo, and their intervals."""
    games = stored("arena_games.csv").query("board == '3x3'").set_index(["x", "o"])
    reach = []
    for player in ("uct:iterations=150", "uct:iterations=1000", "pmc:playouts=100"):
        for other in ("random", "minimax"):
            x, o = games.loc[(player, other)], games.loc[(other, player)]
            ends = games_interval(x.win, x.draw, x.games), games_interval(o.loss, o.draw, o.games)
            # The mean result is the sum of both scores less one.
            reach.append(hypot(*((end.high - end.low) / 2 for end in ends)))
    [each] = games.games.unique()
    yield f"Tree search and Pure Monte Carlo played {2 * each:,} games for each point"
    yield f"intervals that reach at most {ceil(1000 * max(reach)) / 1000} to either side"


@says("figures/06_all_players")
def everybody() -> Iterator[str]:
    names = different()
    known = {
        "minimax:ties=uniform": ("perfect play", "minimax"),
        "minimax:ties=first": ("perfect play", "its variant first"),
        "ntuple": ("the N-tuple network", "ntuple"),
    }
    safe = [known.get(n, (n, n)) for n in names if arena().never_loses[n]]
    yield f"Only {listed(dict.fromkeys(kind for kind, _ in safe))} cannot be beaten on either side"
    yield f"Only {listed(name for _, name in safe)} have filled dots on both sides"
    yield f"A square heat map of {len(names)} players."
    order = ranked()
    half = len(order) // 2
    upper = all(map(safe_as_x, order[:half]))
    yield f"{way(upper, 'all', 'most')} players above the middle have one as X"
    results = np.array([[float(met(x, o).expected) for o in order] for x in order])
    pale = abs(results[:half, :half]).mean() < 0.25
    sides = results[:, -half // 2 :].mean() > 0.5 and results[-half // 2 :, :half].mean() < -0.5
    text = "The upper left is pale, the right side blue and the lower left orange"
    yield so(text, pale and sides)


@cache
def different() -> list[str]:
    """The first name of each group of players that get the same results from everybody."""
    rows = drawn("06_all_players")
    told = rows.win + " " + rows.draw + " " + rows.loss
    square = told.groupby([rows.x, rows.o], sort=False).first().unstack()
    names = list(dict.fromkeys(rows.x))
    keys = {name: (*square.loc[name, names], *square.loc[names, name]) for name in reversed(names)}
    first = {key: name for name, key in keys.items()}
    return [name for name in names if name in first.values()]


def beside(results: Any, one: str, other: str) -> bool:
    """Whether two players' points lie close to each other, and no lower or higher."""
    apart = (results.loc[one] - results.loc[other]).abs()
    return bool(apart.against_random < 0.04 and apart.against_perfect < 1e-9)


@says("figures/06_two_yardsticks")
def yardsticks() -> Iterator[str]:
    rows = drawn("06_two_yardsticks").set_index("player")
    floor = rows.against_perfect["random"]
    worse = rows[(rows.against_random > 0) & (rows.against_perfect < floor)]
    yield f"{word(len(worse))} players that beat Random lie below the dotted line of Random itself"
    most = rows.against_random.between(0.7, 0.95).mean() > 0.5
    yield so("Against Random most players reach 0.7 to 0.95", most)
    easy, hard = (
        rows[yardstick].quantile(0.75) - rows[yardstick].quantile(0.25)
        for yardstick in ("against_random", "against_perfect")
    )
    yield so("Most players look alike against a random opponent, and differ against a perfect one",
             easy < hard / 2)  # fmt: skip
    results = rows[["against_random", "against_perfect"]]
    same = results.loc["ising"].equals(results.loc["hybrid"])
    others = results[~results.duplicated(keep=False)]
    yield so("there Ising and hybrid have the same results", same and len(others) == len(rows) - 2)
    named = results.loc[[*figures.NOTED, *figures.CROWDED, "random"]]
    bare = results[~results.apply(tuple, axis=1).isin(named.apply(tuple, axis=1))]
    four, two, rule = "lookahead:depth=4", "lookahead:depth=2", "safety+random"
    yield so(
        "Circles without a name are look-ahead 4, beside look-ahead 5, and rule + random and "
        "look-ahead 2, beside look-ahead 3",
        set(bare.index) == {four, two, rule}
        and beside(results, four, "lookahead:depth=5")
        and beside(results, two, "lookahead:depth=3")
        and beside(results, rule, "lookahead:depth=3"),
    )
    itself = abs(float(margin("random", "minimax:ties=uniform")) - floor) < 1e-9
    yield so("The dotted line is what Random itself gets against minimax", itself)
    ends = rows.against_perfect.min() == -1 and rows.against_perfect.max() == 0
    yield so("against minimax they spread from minus one to zero", ends)


@says("figures/06_formula_map")
def safe_formulas() -> Iterator[str]:
    rows = drawn("06_formula_map")
    safe = ((rows.worst_x >= 0) & (rows.worst_o >= 0)).groupby(rows.board).sum()
    none, many = way(safe["3x3"] == 0, "no", "some"), way(safe["4x4"] > 50, "many", "few")
    yield f"On 3x3 {none} formula is safe on both sides; on 4x4 {many} are."
    yield f"On 3x3 {way(safe['3x3'] == 0, 'none', 'one')} is safe on both sides, on 4x4"
    wins = (rows[rows.board == "3x3x3"].worst_x == 1).any()
    yield so("On 3x3x3 X can always win, so every formula can be beaten as O", wins)
    four, cube = safe_region("4x4"), safe_region("3x3x3")
    corner = four.iloc[-6:, -6:].all(axis=None) and not four.iloc[:3, :3].any(axis=None)
    yield so("on 4x4 a large corner of high base and high b never loses", corner)
    bases, places = (np.flatnonzero(cube.any(axis=axis)) for axis in (1, 0))
    middle = 0 < places.min() < places.max() < len(cube.columns) - 1
    rim = cube.loc[6, 0.647] and not neighbours(cube, 6, 0.647).all()
    yield so(
        "on 3x3x3 a region of high base and middle b, with the star at its rim, always wins as X",
        bases.min() > len(cube) / 2 and middle and rim,
    )


@says("figures/06_larger_boards")
def drawn_games() -> Iterator[str]:
    games = stored("arena_games.csv")
    draws = games[games.board == "3x3x3"].draw.sum()
    rows = drawn("06_larger_boards").set_index(["board", "x", "o"])
    [each] = rows.games[rows.games > 0].unique()
    yield f"the others are means of {each} games, whose 95% intervals"
    rows = rows.expected
    four, cube = (rows[board].unstack("o") for board in ("4x4", "3x3x3"))
    means = (four.mean(axis=1) - four.mean()).sort_values()
    better = means.index[len(means) // 2 :]
    pale = (abs(four.loc[better, better]) < 0.05).mean(axis=None) > 0.5
    good = so("On 4x4 good players draw", pale)
    yield f"{good}; on 3x3x3 {way(draws == 0, 'no', 'some')} game is drawn"
    yield so("On 4x4 most cells among the better players are pale, draws", pale)
    yield so("on 3x3x3 few cells are pale", (abs(cube) < 0.1).mean(axis=None) < 0.2)
    won = (cube.loc[["ising", "ising:energy=published"]] == 1).all(axis=None)
    yield so("the rows of the Ising player with either energy are blue throughout", won)


@says("figures/06_tables_ladder")
def bars() -> Iterator[str]:
    rows = drawn("06_tables_ladder")
    steps = rows.misplayed.diff()
    once = so("except for one small rise", (steps > 0).sum() == 1 and steps.max() < 20)
    yield f"Bars fall, {once}, from {rows.misplayed.iloc[0]} to {rows.misplayed.iloc[-1]}."
    perfect = [float(Fraction(text)) for text in rows.against_perfect]
    jump = max(perfect[:3]) < -0.8 and min(perfect[3:]) > -0.1
    yield so("stays near minus one up to pairs and then jumps to zero", jump)
    safe = rows[["worst_x", "worst_o"]] >= 0
    both, orange = safe.all(axis=1), ~safe.any(axis=1)
    colours = "".join(np.select([both, orange], ["b", "o"], "p"))
    text = "Those up to pairs are orange, lines pale orange, lines with tanh, triples and larger"
    yield so(f"{text} groups light blue", colours == "ooop" + "b" * (len(rows) - 4))
    sides = way((safe.worst_x & ~safe.worst_o)[~both & ~orange].all(), "as O only", "as X only")
    neither = (~safe.worst_x & ~safe.worst_o)[orange].all()
    yield so(f"light blue: nobody can beat it; pale orange: it can be beaten {sides}; orange: on "
             "both sides", neither)  # fmt: skip
    random = [Fraction(text) for text in rows.against_random]
    three = rows.reads.tolist().index("all groups of 3")
    peak = max(random) == random[three] == random[three - 1] > max(random[three + 1 :])
    yield so("peaks at lines and triples and falls for the larger groups", peak)
    text = "The big improvement comes with tables of whole lines"
    yield so(text, jump and rows.reads[3] == "lines")

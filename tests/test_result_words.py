"""Words and numbers that state a result are built from the evidence, and must stand in the text.

A function below belongs to a file: from stored tables, the ledger or exact code it builds phrases
as they should stand there.  A changed word isn't found, and changed evidence builds other words.
A phrase without a number is built by comparing (``so``): it isn't found where it doesn't hold.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from math import ceil, factorial, floor, log10
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import prose_numbers as prose
import pytest
from scipy.stats import binom, binomtest

from ttt_lib import Grid, solve
from ttt_lib.comparison.matrix import table, verdict
from ttt_lib.evidence import claims, figures
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.elsewhere import published_elsewhere
from ttt_lib.evidence.store import read_table
from ttt_lib.game import response
from ttt_lib.game.board import parse
from ttt_lib.game.exact import Outcome, exact_values, policy_table, worst_case
from ttt_lib.game.gametree import MAX_CANONICAL_CELLS
from ttt_lib.game.stats import wilson
from ttt_lib.ising import curve
from ttt_lib.ntuple.network import Patterns
from ttt_lib.people import insight, lesson_facts, lessons, trap
from ttt_lib.playout_mlp import exact
from ttt_lib.playout_mlp.players import exact_agent
from ttt_lib.the_game import facts
from ttt_lib.the_game.lines import draw_criteria
from ttt_lib.ultimate.learn import config
from ttt_lib.ultimate.studies import (
    cost,
    endgames,
    eviction,
    exhibits,
    gumbel,
    matches,
    random_games,
)

ROOT = Path(__file__).parents[1]
GRID = Grid(3)
TREE = solve(GRID)
KINDS = {4: "centre", 0: "corner", 1: "edge"}
"""The three kinds of cells, by one cell of each."""
ENERGIES = ("equation", "published")
"""The energy of document 4's text, and that of its program."""
MASTERS = "notebooks/exercises/masters"
GUIDE = "notebooks/exercises/instructor_guide.md"
SLIDES = "notebooks/exercises/lessons/slides_4.md"
WORKS = ROOT / "notebooks/book/references.bib"

# ---------------------------------------------------------------------------- texts


@cache
def text_of(file: str) -> str:
    """The text of a file in one line; of a notebook its text cells, of a figure caption and alt."""
    if file.startswith("figures/"):
        entry = figures.manifest()[file.removeprefix("figures/")]
        return f"{entry.caption} | {entry.alt}"
    text = markdown(ROOT / file) if file.endswith(".ipynb") else raw(file)
    return " ".join(text.split())


def markdown(path: Path) -> str:
    """The text cells of a notebook, line by line."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def raw(file: str) -> str:
    """The text of a file as it is."""
    return (ROOT / file).read_text(encoding="utf-8")


def astray(phrases: Iterable[str], text: str) -> list[str]:
    """The phrases that don't stand exactly once in a text."""
    return [phrase for phrase in phrases if text.count(phrase) != 1]


# ---------------------------------------------------------------------------- words

SMALL = {value: name for name, value in prose.SMALL.items()} | {0: "no"}
ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def word(number: float) -> str:
    """A whole number below a hundred in words."""
    value = int(number)
    assert value == number
    tens, units = value - value % 10, value % 10
    return SMALL[value] if value in SMALL else f"{SMALL[tens]}-{SMALL[units]}"


def capital(number: float) -> str:
    """The same at the beginning of a sentence."""
    return word(number).capitalize()


def listed(parts: Iterable[Any], last: str = "and") -> str:
    """Some things in a row: 1, 3 and 4."""
    *most, end = map(str, parts)
    return f"{', '.join(most)} {last} {end}" if most else end


def so(phrase: str, holds: object) -> str:
    """A phrase if it holds, else words that stand nowhere."""
    return phrase if holds else f"(not so:) {phrase}"


def way(condition: object, one: str, other: str) -> str:
    """One of two words."""
    return one if condition else other


# ---------------------------------------------------------------------------- evidence


def stored(file: str) -> Any:
    """A stored table."""
    return read_table(file)


@cache
def drawn(name: str) -> Any:
    """The table behind a figure."""
    return pd.read_csv(ROOT / "figures" / f"{name}.csv", keep_default_na=False, na_values=[""])


@cache
def ledger() -> dict[str, dict[str, Any]]:
    """The stored rows of the ledger, by their names."""
    return {row["id"]: row for row in claims.load_results()}


def counted(claim: str) -> list[int]:
    """The published counts of a claim."""
    return [int(count) for count in re.findall(r"\d+", str(ledger()[claim]["published"]))]


def told(notebook: str, pattern: str) -> list[float]:
    """The numbers in the groups of a pattern, in what a stored notebook printed."""
    found = re.search(pattern, lesson_facts._outputs(notebook))
    assert found, f"{notebook} prints nothing like {pattern}"
    return [float(group.replace(",", "")) for group in found.groups()]


@cache
def piece(name: str, b: float) -> curve.Piece:
    """A piece of the exact curve of b, as second player against random play on 3x3."""
    return curve.at(curve.named(name, "o", "random"), b)


@cache
def all_met() -> dict[tuple[str, str], Outcome]:
    """The exact results of all players of notebook 06, from X's side."""
    rows = drawn("06_all_players").itertuples(index=False)
    return {(x, o): Outcome(*map(Fraction, map(str, result))) for x, o, *result in rows}


def met(x: str, o: str) -> Outcome:
    return all_met()[x, o]


def margin(one: str, other: str) -> Fraction:
    """The mean result of two games, one on each side."""
    return (met(one, other).expected - met(other, one).expected) / 2


@cache
def arena() -> Any:
    """Cost and strength of the players of notebook 06."""
    return drawn("06_strength_for_cost").set_index("player")


def misplays(name: str) -> int:
    return verdict(table(name)).misplayed


def safe_as_x(name: str) -> bool:
    """Whether nobody can beat the player as X."""
    return arena().never_loses[name] or verdict(table(name)).worst_x == 0


# ---------------------------------------------------------------------------- the table of phrases

Phrases = Callable[[], Iterator[str]]
SAID: list[tuple[str, Phrases]] = []
"""Files, and what builds the phrases that they should hold."""


def says(file: str) -> Callable[[Phrases], Phrases]:
    """Enter a function as one that builds phrases of a file."""

    def entered(phrases: Phrases) -> Phrases:
        SAID.append((file, phrases))
        return phrases

    return entered


@cache
def built(place: int) -> tuple[str, ...]:
    """The phrases of an entry."""
    return tuple(SAID[place][1]())


# ---------------------------------------------------------------------------- 00: the game


def kind_of_best(chances: Iterable[Any]) -> str:
    """Which kind of cell has the largest number."""
    return KINDS[int(np.argmax(list(chances)))]


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
    random = [facts.random_outcome(TREE, int(state)).win for state in TREE.children[0]]
    best, later = kind_of_best(random), kind_of_best(after_best_reply())
    held = {m: (TREE.value[TREE.children[TREE.children[0][m]]] == 0) for m in KINDS}
    held = {m: np.flatnonzero(same & TREE.legal[TREE.children[0][m]]) for m, same in held.items()}
    lost = (TREE.value[TREE.children[0]] < 0).sum()
    yield f"Of the nine cells only {word(len(openings))} are different"
    yield f"So the {best} is the best first move"
    yield f"**The {later}.** The first two have changed places: under random play the {best} led"
    yield f"a bad first move loses. {way(lost == 0, 'None', 'Some')} does."
    yield f"Against a corner there is exactly {word(len(held[0]))}: the {KINDS[int(held[0][0])]}."
    digits = len(str(facts.random_outcome(TREE, 0).win.denominator))
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
    yield so("On 3x3 and 4x4 both fail and the value is a draw all the same", silent)


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


@says("figures/00_against_random")
def frontier() -> Iterator[str]:
    careful = response.frontier(TREE, table("random"), side=-1)[0].win
    yield f"to win more than {careful.numerator} games in {careful.denominator}, a player must"


@says("figures/00_all_positions")
def positions() -> Iterator[str]:
    boards = drawn("00_all_positions")
    yield f"All {len(boards)} positions of Tic-Tac-Toe"
    yield f"A poster of {len(boards)} small boards in {word(boards.ply.nunique())} groups by ply"


@says("figures/00_by_ply")
def states_by_ply() -> Iterator[str]:
    rows = drawn("00_by_ply")
    small, large = (rows[rows.board == size].set_index("ply").states for size in ("3x3", "4x4"))
    top = large.nlargest(2).sort_index()
    millions = {word(round(count / 1e6)) for count in top}
    yield f"rise to {small.max()} at ply {small.idxmax()} and fall to {small.iloc[-1]} at ply 9"
    yield f"rise to about {listed(millions)} million at plies {listed(top.index)}"


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


# ---------------------------------------------------------------------------- 01: playouts


@cache
def seeds() -> Any:
    return stored("playout_mlp_seeds.csv")


@cache
def strength() -> Any:
    """Exact results of the players of document 1 against random play."""
    rows = stored("playout_mlp_strength.csv")
    rows = rows[rows.opponent == "random"]
    return rows.assign(lost=[float(Fraction(text)) for text in rows.loss])


def unbeatable(values: str) -> list[int]:
    """The depths at which nobody beats the player, on either side."""
    rows = strength()[strength()["values"] == values]
    return [int(d) for d, part in rows.groupby("depth") if (part.worst >= 0).all()]


@says("notebooks/01_playout_mlp.ipynb")
def ceilings() -> Iterator[str]:
    """The best that any function can do, and what was published."""
    people = exact.population()
    published = float(ledger()["mlp-accuracy"]["published"])
    side = way(published > exact.ceiling(people), "above", "below")
    yield f'The accuracy that "is not great" lies *{side}* what the best possible function can'
    boards = int((people.empties == 6).sum())
    each = round(1000 / boards)
    yield f"there are {boards} of these boards, each occurs some {word(each)} times in a thousand"
    rows = sorted(exact.moves_of_x())
    yield f"One playout gives {word(rows[0])} to {word(rows[-1])} rows"
    fair = seeds().population_accuracy - float(exact.ceiling(people))
    apart = (seeds().grouped_accuracy - seeds().grouped_oracle_accuracy) - fair
    least = ceil(abs(apart.mean()) / apart.sem())
    yield f"the two shortfalls differ by less than {word(max(2, least))} standard errors"


@says("notebooks/01_playout_mlp.ipynb")
def runs() -> Iterator[str]:
    """Seeds, mistakes, and runs printed elsewhere."""
    yield f"repeat it {word(len(seeds()))} times"
    first = seeds().iloc[0]
    wrong = ["count_od", "count_ox", "count_do", "count_dx", "count_xo", "count_xd"]
    to_x = first[["count_xo", "count_xd"]].sum() / first[wrong].sum()
    yield f"{way(to_x > 0.5, 'More', 'Less')} than half of the mistakes are rows that the network"
    others = published_elsewhere(1)
    accuracy = others.accuracy.astype(float)
    more = int((others.playouts.astype(int) > 1000).sum())
    yield f"{word(len(others))} more runs of the same network can be read in them"
    yield f"{capital(more)} of them use more playouts than the thousand"
    inside = accuracy.between(seeds().accuracy.min(), seeds().accuracy.max())
    yield f"{way(inside.all(), 'All', 'Not all')} {word(len(others))} lie well within the range"
    drawn_openings = int((TREE.value[TREE.children[0]] == 0).sum())
    yield f"between perfect players all {word(drawn_openings)} first moves draw"


@says("notebooks/01_playout_mlp.ipynb")
def forecasts() -> Iterator[str]:
    """How far the networks come from quoting shares to the best forecast."""
    people, middle = exact.population(), seeds()[["log_loss", "brier", "regressor_rmse"]].median()
    shares = exact.class_shares(people)
    best = [
        exact.log_loss_floor(people),
        float(exact.brier_floor(people)),
        exact.rmse_floor(people),
    ]
    flat = exact.rmse(people, shares[:, 0] - shares[:, 2])
    base = [exact.log_loss(people, shares), exact.brier(people, shares), np.hypot(best[2], flat)]
    gained = (np.array(base) - middle) / (np.array(base) - best)
    yield f"the networks cover less than {word(ceil(10 * gained.max()))} tenths of it"
    half = way(gained["regressor_rmse"] < 0.5, "less", "more")
    yield f"and it removes {half} than half of the rest"


@says("notebooks/01_playout_mlp.ipynb")
def depths() -> Iterator[str]:
    """Which depths are safe."""
    safe = unbeatable("exact, ties uniform")
    between = [d for d in range(safe[0] + 1, 10) if d not in safe]
    after = between[-1] + 1
    yield (
        f"Depth {word(safe[0])} is safe, {word(between[0])} to {word(between[-1])} are not, and "
        f"only from {word(after)} plies on"
    )
    also = way(4 in unbeatable("exact, ties first"), "safe as well", "not safe")
    yield f"with the lowest index instead of a random choice, depth four is {also}"
    nets = strength().query("values == 'net x' and depth == 4").groupby("seed").worst.min() >= 0
    yield so(
        "At depth four a few networks are safe on both sides and most are not",
        0 < nets.mean() < 0.25,
    )
    limits = strength()[strength()["values"].str.startswith("pmc limit")]
    heat = limits["values"].str.partition("T=")[2].astype(float)
    best = limits[limits.side == "o"].lost.groupby(heat).mean().idxmin()
    yield f"while the best players are those at T = {best:g}"


@says("notebooks/01_playout_mlp.ipynb")
def guided() -> Iterator[str]:
    """Games with uniform playouts and with the network's."""
    games = stored("playout_mlp_games.csv")
    lost = games.pivot(index=["side", "opponent", "playouts"], columns="player", values="loss")
    fewer = lost["pmc mlp"] < lost["pmc random"]
    x = fewer["x"]["minimax"]
    good, bad = x.index[x], x.index[~x]
    yield (
        f"As x against perfect play it does so up to {good.max()} playouts per move; at "
        f"{listed(bad)} it is the other way round"
    )
    always = way(fewer["o"].all(), "every budget, against both opponents", "some budgets")
    yield f"loses fewer games with the network's playouts at {always}"
    tree_worse = (
        lost["uct mlp"]["o"]["minimax"].iloc[-1] > lost["uct random"]["o"]["minimax"].iloc[-1]
    )
    yield f"the network's playouts make it {way(tree_worse, 'worse', 'better')} at this budget"


@says("figures/01_strength_by_depth")
def depths_in_the_figure() -> Iterator[str]:
    rows = strength()[strength()["values"] == "exact, ties uniform"]
    o = rows[rows.side == "o"].set_index("depth").lost
    lost, held = o.index[o > 0], o.index[(o == 0) & (o.index <= 6)]
    never = way((rows[rows.side == "x"].lost == 0).all(), "never lose at any depth", "lose")
    yield f"As x the exact values {never}; as o they lose at depths {listed(lost)} but not at " + (
        listed(held)
    )


@says("figures/01_leak")
def leak() -> Iterator[str]:
    mean = seeds().mean(numeric_only=True)
    grouped, whole = mean.grouped_accuracy, mean.population_accuracy
    assert f"{grouped:.3f}" == f"{whole:.3f}"
    ceiling = float(exact.ceiling(exact.population()))
    published = float(ledger()["mlp-accuracy"]["published"])
    yield (
        f"Split by rows centres near {mean.accuracy:.2f}, split by playouts and all boards near "
        f"{whole:.3f}, the best function near {mean.oracle_accuracy:.3f}; the ceiling is "
        f"{ceiling:.3f} and the published value {published:.3f}."
    )


@says("figures/01_accuracy_by_empties")
def below_the_ceiling() -> Iterator[str]:
    rows = drawn("01_accuracy_by_empties").set_index("empty").sort_index(ascending=False)
    below = [word(e) for e in rows.index[rows.net_mid < rows.ceiling - 1e-9]]
    yield f"On boards with {listed(below, 'or')} empty cells the networks stay below the ceiling"
    low, high = rows.ceiling[8], rows.ceiling[0]
    yield f"The ceiling rises from {low:.2f} at eight empty cells to {high:g}"


@says("figures/01_monte_carlo")
def searches() -> Iterator[str]:
    wide = drawn("01_monte_carlo").pivot(
        index=["side", "opponent", "playouts"], columns="player", values="loss"
    )
    pairs = [(wide[f"uct {kind}"], wide[f"pmc {kind}"]) for kind in ("random", "mlp")]
    never_more = all((tree <= plain).all() for tree, plain in pairs)
    yield f"Tree search loses {way(never_more, 'no', 'some')} more games than Pure Monte Carlo"


# ---------------------------------------------------------------------------- 02: cosines


@cache
def transfer(rule: str) -> Any:
    """Mean wins of a hundred games on the next size."""
    rows = stored("spectral_transfer.csv")
    return rows[rows.safety == rule].groupby(["from", "player"]).win.mean().unstack()


@says("notebooks/02_spectral_dct.ipynb")
def linear() -> Iterator[str]:
    """What a linear policy wins and loses."""
    bars = drawn("02_tree_search").set_index(["opponent", "player"])
    bare = bars.loss["uct@150"]["spectral:symmetric=no,safety=no"]
    yield f"the bare model loses almost {word(ceil(10 * bare))} games in ten"
    measures, kinds, sizes = compared()
    yield (
        f"so the ledger counts {word(measures)} measures, for {word(kinds)} kinds of labels and "
        f"{word(sizes)} sizes of network"
    )
    wins = [
        float(re.findall(r"[\d.]+", ledger()[f"dct-4-{k}random"]["ours"])[0]) for k in ("", "sym-")
    ]
    yield f"the symmetric ones win {way(wins[1] > wins[0], 'more', 'less')}."
    yield f"There are {word(factorial(3))} such orders, and ties within a kind"
    best = stored("spectral_orderings.csv").query("side == 'x' and safety == 'no'").best_list
    yield f"The best list as X without the rule begins {listed_cells(best.iloc[0].split()[:3])}."


UPPER, MIDDLE = "upper left|upper edge|upper right", "left edge|centre|right edge"
CELLS = f"{UPPER}|{MIDDLE}|lower left|lower edge|lower right".split("|")
"""The cells of 3x3 in words, in order."""


def listed_cells(cells: Iterable[str]) -> str:
    return ", ".join(CELLS[int(cell)] for cell in cells)


def compared() -> tuple[int, int, int]:
    """Measures, kinds of labels and sizes of network in the comparison of document 2."""
    runs = stored("spectral_networks.csv").query("hidden > 0")
    kinds, sizes = runs.labels.nunique(), runs.hidden.nunique()
    [_, total] = re.findall(r"\d+", ledger()["dct-networks"]["ours"])[:2]
    return int(total) // (kinds * sizes), kinds, sizes


@says("notebooks/02_spectral_dct.ipynb")
def carried() -> Iterator[str]:
    """Weights carried to the next size, beside others."""
    bare, ruled = transfer("no"), transfer("yes")
    better = (bare.carried > bare["random weights"]).all()
    yield f"they win {way(better, 'more', 'less')} than random weights of the same kind"
    plan = bare["first free"] > bare[["carried", "trained there"]].max(axis=1)
    yield f"in index order, wins {way(plan.all(), 'more', 'less')} than either without the rule"
    ahead = ruled["first free"] - ruled[["carried", "trained there"]].max(axis=1)
    words = {size: way(lead > 10, "far more", "about as much") for size, lead in ahead.items()}
    yield f"With the rule it wins {words['3x3']} on 4x4, and {words['4x4']} on 5x5"


@says("figures/02_degree_spectrum")
def degrees() -> Iterator[str]:
    rows = drawn("02_degree_spectrum").rename(columns={"states misplayed": "misplayed"})
    share = rows.misplayed / 4520
    one, two, lines = (rows.degree == name for name in ("1", "2", "lines"))
    assert rows.R2[one].round(1).eq(0.2).all()
    yield so("between 0.2 and 0.3 at degree 2", rows.R2[two].between(0.2, 0.3).all())
    least = rows.R2[lines].min()
    yield f"to about {least:.1f} and more with the eight lines"
    yield f"misplayed states is about {share[one].max():.1f} at degree 1"
    yield f"about {share[two].mean():.1f} at degree 2"
    yield so("falls below 0.05 with the eight lines", share[lines].max() < 0.05)


@says("figures/02_tree_search")
def tree_search() -> Iterator[str]:
    bars = drawn("02_tree_search").set_index("opponent")
    wrong = bars.loc["uct@150, wrong sign"]
    tenth = word(int(10 * wrong[wrong.player != "safety+random"].win.min()))
    only = bars.loc["uct@150"].win.max() < 0.1
    yield so(f"wins more than {tenth} games in ten, but only against the search with its", only)


@says("figures/02_priority_lists")
def lists() -> Iterator[str]:
    rows = drawn("02_priority_lists").set_index(["list", "place"]).cell.unstack("place")
    [start] = rows[1].unique()
    [second] = {CELLS[c] for name, c in rows[2].items() if str(name).startswith("learned")}
    best = CELLS[rows[2][next(name for name in rows.index if "as X" in str(name))]]
    yield f"All put the {CELLS[start]} first."
    corner = second.replace("upper left", "top left corner")
    yield f"The learned lists continue with the {corner}, the best list as X with the {best}."


@says("figures/02_strength")
def strength_of_lists() -> Iterator[str]:
    """Against the perfect player, without the rule and with it."""
    rows = drawn("02_strength").set_index(["opponent", "side", "player"]).loc["minimax"]
    o, x = rows.loc["o"], rows.loc["x"]
    least = o.loss.idxmin()
    yield f"also draw every game as X, and {least} loses the fewest as O"
    plain = ["random", "spectral, no rule", "symmetric, no rule"]
    mostly = (x.loss[plain] > 0.5).all() and (o.loss[plain] > 0.5).all()
    yield so("Without the rule, random play and the learned lists lose most games", mostly)
    ruled = ["spectral + rule", "symmetric + rule"]
    drew = (x.draw[ruled] == 1).all() and (o.loss[ruled] > 0).all()
    yield so("with it the learned lists draw every game as X and lose some as O", drew)


@says("figures/02_waves")
def waves() -> Iterator[str]:
    rows = drawn("02_waves").set_index(["u", "v", "row", "column"]).value
    high = rows.loc[2, 2]
    yield (
        f"u=2, v=2 is {high[1, 1]:.2f} in the centre, {high[0, 0]:.2f} in the corners and "
        f"{high[0, 1]:.2f} on the edges"
    )
    ends = rows.loc[0, 1]
    yield f"falls from {ends[0, 0]:.2f} on the left to {ends[0, 2]:.2f} on the right"


# ---------------------------------------------------------------------------- 03: look-up tables


@cache
def safe_seeds() -> Any:
    """How many of the seeds of self-play nobody beats, by sharing, way and games."""
    rows = stored("ntuple_self_play.csv")
    return rows.groupby(["sharing", "way", "games"]).never_loses.sum()


@cache
def variants() -> Any:
    return stored("ntuple_variants.csv").set_index("variant")


@says("notebooks/03_ntuple_network.ipynb")
def self_play() -> Iterator[str]:
    """Seeds that nobody beats."""
    count, of = safe_seeds(), stored("ntuple_self_play.csv").seed.nunique()
    end = count["symmetric"]["constant, averaged"][1_000_000]
    yield f"in the end for all but {word(end)} of {word(of)} seeds"
    late = count["none"]["constant, averaged"]
    steady = late[late.index >= 100_000].min()
    yield f"that mean is perfect in all {word(steady)} seeds at every late check"
    last = stored("ntuple_self_play.csv").query("way == 'falling, averaged'")
    last = last[last.games == last.games.max()].groupby("sharing").misplayed.mean()
    times = last / variants().misplayed["document"]
    low, high = (word(n) for n in (int(times.min()), ceil(times.max())))
    yield f"it misplays {low} to {high} times as many positions as the network that was taught"


@says("notebooks/03_ntuple_network.ipynb")
def training() -> Iterator[str]:
    """Orders of the positions, epochs, and the published curve."""
    orders = stored("ntuple_orders.csv").pivot(index="order", columns="epoch", values="error")
    ours = stored("ntuple_epochs.csv").pivot(index="epoch", columns="seed", values="error")
    behind = orders[5].min() > ours.loc[5].max()
    yield (
        f"Five epochs in, every fixed order is {way(behind, 'behind', 'among')} all hundred "
        f"shuffled runs, the {orders[5].idxmax()} order most of all"
    )
    late = orders[100] / ours.loc[100].median() - 1
    yield f"only the order {listed(late.index[late > 0.01])} remains more than a percent behind"
    printed = [float(e) for e in str(ledger()["ntuple-mse"]["published"]).split()]
    rises = sum(later > before for before, later in pairwise(printed))
    times = {1: "once", 2: "twice"}.get(rises, f"{rises} times")
    yield f"may rise from one row to the next, as it does {times}"
    refuted = [r for r in ledger().values() if r["document"] == 3 and r["verdict"] == "refuted"]
    yield f"{capital(len(refuted))} passing remarks do not hold"


@says("notebooks/03_ntuple_network.ipynb")
def way_and_map() -> Iterator[str]:
    """Misplayed positions, replies, shares."""
    [left] = told("03_ntuple_network", r"Only (\d+) positions are misplayed")
    optimum = variants().optimum_misplayed["document"]
    yield so(f"dozens of misplayed positions become {word(left)}", optimum > 24)
    yield f"with shared tables the minimum is {word(left)} misplayed positions"
    replies = TREE.children[TREE.children[0][1]]
    held = int(((TREE.value[replies] == 0) & TREE.legal[TREE.children[0][1]]).sum())
    yield f"After an opening on an edge {word(held)} replies keep the draw"
    squares, shared = variants().loc["lines and squares"], variants().loc["symmetric"]
    quarter = squares.error < 0.75 * shared.error and squares.misplayed > 0.9 * shared.misplayed
    yield so("by more than a quarter, the number of misplayed positions hardly at all", quarter)
    epochs = stored("ntuple_epochs.csv")
    labels, play = epochs.seed.nunique(), stored("ntuple_self_play.csv").seed.nunique()
    large = stored("ntuple_4x4_exact.csv").seed.nunique()
    assert labels == 100
    yield f"a hundred for training with labels, {word(play)} for self-play, {word(large)} on 4x4"


@says("notebooks/03_ntuple_network.ipynb")
def four_by_four() -> Iterator[str]:
    """Matches of the networks on 4x4."""
    games = stored("ntuple_4x4_matches.csv").set_index(["network", "opponent"])
    lines = games[games.index.get_level_values("network").str.startswith("lines")]
    yield f"shared or not, {way(lines.loss.sum() == 0, 'not one', 'a')} game is lost"
    weak = [games.loc[name].loss for name in ("2-tuples, by symmetry", "random")]
    fewer = all(lost["uct:iterations=5000"] < lost["uct:iterations=1000"] for lost in weak)
    yield f"UCT wins {way(fewer, 'fewer', 'more')} with five thousand than with one thousand"
    plain, shared = Patterns(Grid(4)), Patterns(Grid(4), sharing="symmetric")
    yield (
        f"{word(len(plain.tuples))} tables of {plain.sizes[0]} entries, or {shared.parameters} "
        "weights when shared by symmetry"
    )


@says("figures/03_perfect_play")
def quick_learners() -> Iterator[str]:
    rows = drawn("03_perfect_play").set_index("epoch")
    first, most = int(rows.index[rows.never_lose == 100].min()), rows.never_lose.max()
    yield f"After {word(first)} epochs nobody beats any of the seeds, though all still give value"
    yield f"rises from {rows.never_lose[1]} to {most} of 100 seeds within {word(first)} epochs"
    yield f"falls quickly and then stays near {word(round(rows['mean'][50:].mean(), -1))}"


@says("figures/03_self_play")
def self_play_in_the_figure() -> Iterator[str]:
    count = safe_seeds()["symmetric"]
    steady = count["falling, averaged"]
    kept = sorted(set(steady[steady.index >= 100_000]))
    yield f"a falling step {listed(kept, 'or')} of 20 seeds stay perfect"
    yield f"averaging ends at {word(count['constant, averaged'].iloc[-1])}."


@says("figures/03_extra_wins")
def extra_wins() -> Iterator[str]:
    rows = drawn("03_extra_wins")
    opens = rows[(rows.side == "O") & rows.line.str.startswith("network opens")]
    step = int(opens.sort_values("moves").win.diff().fillna(0).to_numpy().argmax())
    yield f"As O the largest step is the {ORDINALS[step]} reply of the network"


# ---------------------------------------------------------------------------- 04: Ising


@says("notebooks/04_ising_bias.ipynb")
def counts() -> Iterator[str]:
    """Published counts, as they stand in the ledger, and what became of them."""
    games = counted("ising-ten-thousand")
    shares = [f"{count / sum(games):.2%}".replace("%", " %") for count in games]
    won, drew, lost = shares
    yield (
        f"{sum(games):,} games of random play against a second Ising player: {won} won, {drew} "
        f"drawn, {lost} lost"
    )
    [qubic], [five, *_], [mean] = map(
        counted, ("ising-qubic-self", "ising-five-self", "ising-five-mean")
    )
    yield (
        f"{qubic} first-player wins of 1000 on 4x4x4, {five} of 100 on 5x5x5, about {mean} lost "
        "games of 100 on 5x5"
    )
    pairs = [row for name, row in ledger().items() if name.startswith("ising-table-")]
    fine = all(row["verdict"] in ("reproduced", "within sampling error") for row in pairs)
    yield so(f"All {word(len(pairs))} pictures are within sampling error of the fractions", fine)
    [seconds] = counted("ising-network-time")
    yield f"writes them to a file, which took it about {word(seconds / 60)} minutes"
    six, five_by_five = map(float, re.findall(r"\d+\.\d", ledger()["ising-six-halved"]["ours"]))
    yield f"and 6x6 loses {way(six < five_by_five / 2, 'less', 'more')} than half as much"


@says("notebooks/04_ising_bias.ipynb")
def bias() -> Iterator[str]:
    """What holds at 0.647, on the plateau and at b = 1."""
    lost = piece("published", 0.647).outcome.loss
    yield f"It counted about {word(round(1000 * lost))} lost games of a thousand beyond"
    text, program = ([piece(n, b).outcome for b in (0.647, 1)] for n in ("equation", "published"))
    yield (
        f"the text's player wins {way(text[1].win < text[0].win, 'less', 'more')} often but loses "
        f"{way(text[1].loss == text[0].loss, 'no', 'some')} more, and the program's loses "
        f"{way(program[0].loss < program[1].loss < program[0].loss + 0.001, 'hardly', 'far')} more"
    )
    near, far = (0.647 - high for _, high in windows())
    text = "lies outside it: just so for the text's energy, by more for the program's"
    yield so(f"The chosen 0.647 {text}", 0 < near < 0.02 < 3 * near < far)
    beaten = re.findall(r"\d+", ledger()["ising-not-perfect"]["ours"])
    every = so("with either energy it can lose at every", beaten[0] == beaten[1])
    yield f"As second player, no: {every} $b$ in [0, 1]."
    passed = int(re.findall(r"equation (\d+)", ledger()["ising-prefers-to-block"]["ours"])[0])
    yield so("prefers a block to a win in hundreds of positions", 200 <= passed < 1000)


def windows() -> list[tuple[float, float]]:
    """Where the player takes every win and makes every block, from the table behind the figure."""
    rows = drawn("04_windows")
    clean = rows[(rows.wins == 0) & (rows.blocks == 0)].groupby("energy")
    return [(clean.get_group(n)["from"].min(), clean.get_group(n)["to"].max()) for n in ENERGIES]


@says("notebooks/04_ising_bias.ipynb")
def larger_boards() -> Iterator[str]:
    """Sweeps, proofs and deeper players on larger boards."""
    rows = stored("ising_sweeps.csv")
    [games] = rows.games.unique()
    boards = word(rows.board.nunique())
    yield (
        f"{games:,} games at each of {rows.b.nunique()} values of $b$, {boards} boards, "
        f"{way(rows.energy.nunique() == 2, 'both energies', 'one energy')}"
    )
    law = stored("ising_law.csv")
    proven = law[(law.verdict == "never loses") & (law.side == -1)]
    yield f"$w_{{n-3}}/w_{{n-2}}$, proven on {listed(proven.board)}: it falls with $n$"
    wins = rows.query("energy == 'equation' and board == '6x6' and win > 0").b.max()
    edge = proven.set_index("board")["from"]["6x6"]
    yield f"on 6x6 its last sampled win comes well {way(wins < edge - 0.02, 'below', 'above')} the"
    deep = stored("ising_deeper.csv").set_index(["board", "first", "second"]).win
    four, five = (deep[f"{n}x{n}", "two", "random"] for n in (4, 5))
    often = {True: "never did"}.get(five == 0, "did")
    seldom = way(four < 200, "seldom", "often")
    yield f"moving first, {seldom} beats random play, and on 5x5 {often}"
    true, scored = drawn("04_wedges").iloc[0], facts.random_outcome(TREE, 0)
    last = float(scored.win) - true.win
    yield f"on the very last cell in more than a {ORDINALS[ceil(1 / last)]} of all games"


@says("figures/04_exact_curve")
def least_losses() -> Iterator[str]:
    """Where the plateaus begin, and that nothing lies below."""
    starts, lowest = [], []
    for name in ENERGIES:
        pieces = curve.named(name, "o", "random")
        least = min(p.outcome.loss for p in pieces)
        starts.append(next(float(p.start) for p in pieces if p.outcome.loss == least))
        lowest.append(least)
    yield f"From {starts[0]:.4f} (text) and {starts[1]:.4f} (program) on, no further game is saved"
    yield (
        f"the text's energy stays at {100 * float(lowest[0]):.2f} percent, the program's at "
        f"{100 * float(lowest[1]):.2f} percent"
    )


@says("figures/04_true_rules")
def no_more_games() -> Iterator[str]:
    """By board beyond small b: the text's energy against the program's."""
    rows = stored("ising_sweeps.csv").query("players == 'RI' and b >= 0.25")
    lost = rows.pivot_table(index="board", columns="energy", values="win", aggfunc="sum")
    more = way((lost.equation <= lost.published).all(), "no more", "more")
    yield f"Beyond small b the text's energy loses {more} games than the program's"


@says("figures/04_haircut")
def directions() -> Iterator[str]:
    rows = drawn("04_haircut")
    kept, lines = rows.groupby("cell").size(), rows.groupby("cell").whole_line.sum()
    face, inside = counted("ising-face-directions"), counted("ising-inside-directions")
    yield (
        f"counts {face[0]} for a face and {inside[0]} inside; the true counts are {kept['face']} "
        f"and {kept['inside']}"
    )
    yield f"from an edge cell {kept['edge']}, {word(lines['edge'])} of them blue"
    yield f"from a face cell {kept['face']}, {word(lines['face'])} of them blue"
    yield f"from a corner {kept['corner']}, {way(lines['corner'] == kept['corner'], 'all', 'some')}"


@says("figures/04_network")
def layers() -> Iterator[str]:
    sizes = drawn("04_network").groupby("ply").size()
    yield f"joined by thin lines, {listed(sizes)} states from top to bottom"
    yield f"{capital(len(sizes))} layers of small symbols"


@says("figures/04_cost")
def old_times() -> Iterator[str]:
    """The document's times beside ours, in orders of magnitude."""
    ours = drawn("04_cost").query("players == 'II'").set_index("board").seconds_per_game
    stated = {"3x3": "ising-ising-time", "5x5x5x5": "ising-five-four-time"}
    apart = sorted(
        round(log10(float(ledger()[claim]["published"]) / ours[board]))
        for board, claim in stated.items()
    )
    yield f"lie {word(apart[0])} to {word(apart[1])} orders of magnitude higher"


@says("figures/04_windows")
def outside_the_window() -> Iterator[str]:
    out = all(not low <= 0.647 <= high for low, high in windows())
    yield f"The published 0.647 lies {way(out, 'outside', 'inside')}."


@says("figures/04_curve_4x4")
def four_by_four_exactly() -> Iterator[str]:
    rows = stored("ising_curve_4x4.csv")
    last = rows[rows["from"] < rows["to"]].groupby("side").tail(1).set_index("side")
    draws = [word(round(100 * float(Fraction(last.draw[side])))) for side in "ox"]
    yield f"to {draws[0]} percent as second and {draws[1]} percent as first player"
    second = rows[rows.side == "o"]
    start = second[second.loss == "0"]["from"].min()
    yield f"losses vanish at {start:.2f}"


@says("figures/04_program_fits")
def replays() -> Iterator[str]:
    rows = drawn("04_program_fits").groupby("sweep").lost.mean()
    five, six = (round(rows[next(s for s in rows.index if n in s)]) for n in ("5x5", "6x6"))
    yield f"5x5 scatters around {five} and 6x6 around {six} of 100"


# ---------------------------------------------------------------------------- 05: Ultimate


@says("notebooks/05_alphazero_lite.ipynb")
def ultimate() -> Iterator[str]:
    """The rules and the solver, counted."""
    shortest, longest = told(
        "05_alphazero_lite", r"shortest game takes (\d+) plies, the longest \*\*(\d+)"
    )
    yield f"At most {longest:g} moves, at least {shortest:g}: optimal strategies and bounds"
    classes = drawn("05_symmetry").query("ply == 1 and kind == 'all positions'").classes
    yield f"Why are there {word(classes.iloc[0])} classes of first moves"
    yield f"$3^9 + 3$, or {3**9 + 3:,}, cases"
    yield f"makes 81 times 9, less the {word(81 * 9 - 720)} first moves that do so"
    faults = stored("ultimate_faults.csv").set_index("fault")
    moves = faults.loc["move not turned back"]
    hundred = moves.move >= 100 and moves.result == moves.distance == 0
    yield so("wrong by the hundred, and yet the values stay right", hundred)
    runs = stored("ultimate_ablations.csv").groupby("variant")[["uct_score", "full_score"]].mean()
    best = (runs.drop(index="nothing changed").idxmax() == "all phases alike").all()
    yield so(f"the mean is even the highest of the {word(len(runs) - 1)}", best)
    high = gumbel.summary()["score_high"]
    noisy, plain = (high[root][high[root] < 0.5].index for root in ("published", "no noise"))
    few = {16, 32, 64} == set(noisy)
    yield so("with few simulations Gumbel roots as published, with noise, fell behind PUCT", few)
    yield f"without noise they did so with {' and '.join(map(str, plain))} alone"


DOCUMENT_5 = "05_alphazero_lite"
ULTIMATE = f"notebooks/{DOCUMENT_5}.ipynb"


def met_in(file: str) -> Any:
    """Stored matches, with scores and their intervals."""
    return matches.stored(file)


@says(ULTIMATE)
def random_play() -> Iterator[str]:
    """Who wins at random, and how many choices there are."""
    results = random_games.results(20_000)
    first = (results["X wins"] > results["O wins"]).all()
    yield so(f"X wins more often under all {word(len(results))} rules", first)
    rows = drawn("05_phases").set_index("ply")
    choices = sorted(set(rows.moves[1:46].round()))
    fewer = way(choices[-1] < 16, "fewer", "more")
    yield (
        f"a player has {listed(map(word, choices), 'or')} choices for a long time, {fewer} than on "
        "the empty 4 x 4 board"
    )
    norm = rows.free[60:].min() > 0.5
    yield so("rare at first and then take over", rows.free[1:21].max() < 0.05 and norm)
    yield so("In the longest games free moves are the norm", norm)
    played, counted = told(DOCUMENT_5, r"\*\*(\d+)%\*\* of random games.*?\*\*([\d.]+)%")
    often = played > 50 and counted < 25
    yield so("one whose solver gets to work in most games, and one whose solver seldom does", often)
    six, kept = told(DOCUMENT_5, r"\*\*([\d,]+)\*\* sequences, and ([\d,]+) under keep-playing")
    plies = 2 * GRID.n - 1
    apart = six > kept
    yield so(f"The two rules diverge only at the {ORDINALS[plies + 1]} move", apart)
    yield f"it takes X {word(GRID.n)} stones in one sub-board, {word(plies)} plies, to win"


@says(ULTIMATE)
def solver() -> Iterator[str]:
    """How far it sees, what makes it quick, and what its table should keep."""
    modest = drawn("05_solver").query("limit <= 25").solved.min() == 1
    yield so("So the document's threshold is modest", modest)
    fixed = "centre, corners, edges"
    mean, _, high = endgames.node_ratio(fixed, "lowest index", 15)
    little = 0.8 < mean < high < 1
    yield so("prune on the typical position, as the document says, if only a little", little)
    nodes = drawn("05_order").query("limit == 20").set_index("variant").nodes
    yield so("on the hardest it may do harm", nodes[fixed] > nodes["lowest index"])
    better = endgames.node_ratio(fixed, "ours", 15)[1] > 1.5
    yield so("Ordering by threats does far better", better)
    yield f"the one that lies on {word(sum(4 in line for line in GRID.lines))} lines of sub-boards"
    most = drawn("05_symmetry").query("kind == 'all positions'").saving.max()
    yield f"the count of *all* positions does shrink nearly {word(ceil(most))}fold"
    size = float(ledger()["alphazero-hot-cache-size"]["published"])
    evicted = stored("ultimate_solver.csv").entries.max() > size
    yield f"{way(evicted, 'much', 'hardly anything')} would be evicted at the published size"


@says(ULTIMATE)
def full_tables() -> Iterator[str]:
    """Which entry to evict, in small tables and in larger ones."""
    nodes = eviction.ratios().unstack("evicted")
    small, large = nodes.index[[0, -1]]
    lru, work = "least recently used", "least work"
    apart = nodes.high[work] < nodes.low[lru]
    over = ~apart & (nodes.low[work] < nodes.high[lru])
    yield so("**In small tables it pays to keep what took work;", apart[small])
    yield so("in the largest of these the two rules are alike.**", over[large])
    text = "In the smallest the intervals lie apart, in the largest they overlap."
    yield so(text, apart[small] and over[large])
    kept = way(ledger()["ultimate-lru"]["ours"] == "least work", "more", "less")
    yield f"Ours keeps what took {kept} work"


@says(ULTIMATE)
def broken_solvers() -> Iterator[str]:
    faults = stored("ultimate_faults.csv").set_index("fault")
    key, bounds = faults.loc["key without forced sub-board"], faults.loc["bounds stored as exact"]
    rarely = 0 < key.result < 0.02 * key.positions and 0 < key.distance < 0.02 * key.positions
    yield so("give wrong *results* and distances, though rarely", rarely)
    first = bounds.distance > 10 * max(bounds.result, bounds.move)
    yield so("Bounds taken for values give wrong *distances* first", first)
    delays = stored("ultimate_delays.csv")
    [longest] = told(DOCUMENT_5, r"the longest \*\*(\d+)")
    sooner = delays.forced.any() or delays.plies.max() < longest - 2
    yield f"{way(sooner, 'some', 'no')} play forces the win sooner"


@says(ULTIMATE)
def sizes_of_networks() -> Iterator[str]:
    """Networks, and the document's schedule."""
    wide, teacher = (config.config(name).network.body for name in ("large", "lite"))
    times = {2: "twice", 4: "four times"}[wide // teacher]
    yield f"The *stored* net is {times} as wide, began with the teacher's games"
    yield f"trained a net {times} as wide; at first"
    [minutes] = told(DOCUMENT_5, r"which had been trained for (\d+) CPU-minutes")
    yield so("trained for about an hour", 50 < minutes < 75)
    stages = pd.DataFrame(config.PUBLISHED_STAGES)
    rising = stages.simulations.is_monotonic_increasing and stages.games.is_monotonic_increasing
    falling = stages.temperature.is_monotonic_decreasing and stages.temperature.nunique() > 1
    text = "grows with the run: more simulations, more games, and a falling temperature"
    yield so(text, rising and falling)
    bill = cost.published_cost()
    yield so("A move takes hundreds of evaluations", 100 <= stages.simulations.min() < 1000)
    yield so("and training many thousands of games", bill["games"] > 10_000)
    weights = dict(config.PUBLISHED_WEIGHTS)
    [transition] = re.findall(r"turn at (\d+)", ledger()["alphazero-transition"]["ours"])
    most, least = (end(weights, key=weights.__getitem__) for end in (max, min))
    phases = (most, least) == (int(transition), min(weights))
    yield so("what it calls *transition* counts most, the last moves least", phases)
    shorter = bill["samples"] / bill["games"] < drawn("05_phases").running.sum()
    yield f"somewhat {way(shorter, 'shorter', 'longer')} games than random play has"


@says(ULTIMATE)
def searches_with_faults() -> Iterator[str]:
    """Leaves in batches, and openings, as stored."""
    rows = drawn("05_exhibits").dropna(subset=["batch"])
    lossy, none = (rows[rows.virtual_loss == loss].set_index("batch") for loss in (True, False))
    largest, alone = rows.batch.max(), none.nodes[1]
    yield so("Without virtual loss the tree hardly grows", none.nodes.drop(1).max() < alone / 4)
    less = way(lossy.score[8] > none.score[8], "less", "more")
    yield f"by the means a batch of eight loses {less}"
    level = lossy.low[largest] < none.high[largest]
    yield so("In the largest batches no gain in play is seen from virtual loss", level)
    yield so("although it still fills the tree", lossy.nodes.min() > alone / 2)
    openings = exhibits.stored(exhibits.OPENINGS)
    yield so("sampling alone hardly leaves its main line", openings["ply 12"]["neither"] < 0.25)
    tried = openings["legal moves tried"][["neither", "noise", "noise and random openings"]]
    yield so("add moves that it would never have tried", tried.is_monotonic_increasing)
    played = exhibits.stored(exhibits.TEMPERATURE)["best move, as played"]
    effect = way(played.nunique() == 1, "no effect", "an effect")
    yield f"the falling temperature has {effect} on its games"
    ratio, found, proven = exhibits.stored(exhibits.SHALLOW).iloc[0]
    same = 0.8 < ratio < 1.25 and 0.8 < found / proven < 1.25
    yield so("in about the same time the tree search proves about as many wins by itself", same)


@says(ULTIMATE)
def solving_or_evaluating() -> Iterator[str]:
    """Milliseconds of a complete search and of an evaluation."""
    solving = stored("ultimate_solver.csv").query("limit == 15").milliseconds
    speed = stored("ultimate_cost.csv").set_index("network")
    published, tables = 1000 / speed.alone[["30 x 512", "table net"]]
    quicker = way(solving.max() < published, "quicker", "slower")
    yield f"is {quicker} than one evaluation of its network on the same core"
    work = 2 * speed.multiplications["30 x 512"]
    processor = 1000 * work / (cost.USED * cost.PEAK)
    typical, hard = solving.median(), solving.quantile(0.99)
    between = typical < processor < hard
    yield so("longer than a typical search and less than a hard one", between)
    quickest = 5 * tables < min(typical, processor)
    yield so("our tables answer far more quickly than either", quickest)


@says(ULTIMATE)
def strong_player() -> Iterator[str]:
    """How strong, by matches, by the yardstick and by what is new."""
    rows = drawn("05_strength").set_index(["opponent", "simulations"])
    row = rows.loc[("UCT 100,000", 200)]
    yield so("So one simulation with the network is worth many random playouts", row.low > 0.5)
    [minutes] = told(DOCUMENT_5, r"all training of the player (\d+)")
    yield f"in less than {word(ceil(minutes / 60))} hours of one core"
    best = rows.loc[("UCT 100,000", 2000)]
    small = best.low > 0.5 and best.time_ratio < 0.1
    yield so("tree search with random playouts that we tried, in a small fraction of its", small)
    new, random = of_kind(".*iteration 0"), rated().loc["random"]
    yield so("Even with random weights it beats random play", new.low.min() > random.high)
    share = right_moves()
    alone, least = share["policy alone"].min(), share["uct"].min()
    yield f"is already worth {way(alone > least, 'more', 'less')} than a small search with random"
    gains = [share[name] - share[f"{name} without proofs"] for name in ("uct", "net")]
    uct, net = (gain.dropna() for gain in gains)
    proofs = uct.min() > 0.03 and net.max() < 0.01
    text = "proofs help tree search with random playouts, while the network's search hardly needs"
    yield so(text, proofs)
    others = stored("ultimate_seeds.csv").seed.nunique() - 1
    yield f"The same recipe was run with {word(others)} more seeds"


@says(ULTIMATE)
def worth_of_the_solver() -> Iterator[str]:
    """With as many simulations, and with as much time."""
    even = drawn("05_hybrid").pivot(index="simulations", columns="cells")
    ahead = (even.low > 0.5).mean()
    text = "helps a little from 25 cells on, hardly from 20, and not visibly from 15"
    yield so(text, ahead[25] == 1 and 0 < ahead[20] < 0.5 and ahead[15] == 0)
    rows = met_in("ultimate_hybrid.csv").query("opponent == 'net alone'")
    timed = rows[rows.budget > rows.simulations]
    behind = (timed.high < 0.5).all() and (timed.time_ratio > 1).all()
    yield so(f"it was behind in all {word(len(timed))} of our matches", behind)
    published = rows[rows.shallow > 0].iloc[0]
    level = published.low < 0.5 < published.high and 1.5 < published.time_ratio < 2
    yield so("about level with the net alone, for nearly twice the time", level)
    fewest = (even.score.idxmax() == even.index.min()).all()
    yield so("its mean gain is largest with the fewest simulations", fewest)
    both = all(
        (even[what].diff(axis=1).iloc[:, 1:] > 0).all(axis=None) for what in ("score", "time_ratio")
    )
    yield so("solving earlier brings more and costs more", both)
    [hits] = re.findall(r"^([\d.]+)%", ledger()["alphazero-cache-hits"]["ours"])
    yield so("found little in the few games that we tried", float(hits) < 10)


@says(ULTIMATE)
def worth_of_the_parts() -> Iterator[str]:
    """Changes of the training one by one, and symmetry."""
    rows, runs = effects(), stored("ultimate_ablations.csv")
    only = list(rows.index[clear(rows)]) == ["no turned samples"]
    yield so("**Symmetry is the one part whose worth shows.**", only)
    yield so("only the samples turned by symmetry show their worth", only)
    saved = drawn("05_order").query("variant == 'symmetric keys'").entries.min() < 0.95
    helps = rows.uct.idxmin() == rows.full.idxmin() == "no turned samples"
    text = "saves nothing where it was meant to and helps most where the document does not"
    yield so(text, helps and not saved)
    seeds = word(runs.seed.nunique())
    solved = clear(rows.loc[["endgames relabelled", "endgames cut off"]]).any()
    yield so(f"makes no difference that {seeds} seeds could show", not solved)
    yield so("though its interval includes zero", not clear(rows)["all phases alike"])
    yield f"These intervals hold for all {word(len(rows))} changes at once"
    unchanged = runs[runs.variant == "nothing changed"].uct_score
    by_chance = (rows.uct.abs() < unchanged.std()).mean() > 0.5
    yield so("Seeds differ by more than most parts do", by_chance)
    curves = word(stored("ultimate_curves.csv").seed.nunique()).capitalize()
    yield f"{curves} seeds for the curves and for the stored network's recipe, {seeds} very short"
    found = re.findall(r"([\d.]+)", ledger()["alphazero-transition"]["ours"])
    here, games, there = int(found[0]), int(found[1]), int(found[-1])
    (_, top), (bottom, _) = (wilson(round(share * games / 100), games) for share in (here, there))
    yield so(
        "a neighbouring band holds a few more, and the intervals overlap",
        here < there and bottom < top,
    )


@says(ULTIMATE)
def tables_or_residual() -> Iterator[str]:
    rows = drawn("05_networks")
    ends = rows[rows.iteration == rows.groupby("network").iteration.transform("max")]
    scores = ends.groupby(["network", "opponent"]).score
    low, high = scores.min()["table net"], scores.max()["residual net"]
    yield so("With every seed the tables win", (low > high).all())
    text = "learns far more in a few minutes than a residual one on a small computer"
    yield so(text, low[1_000] > 2 * high[1_000])
    times = rows.groupby(["network", "seed"]).cpu_minutes.max()
    more = way(times["residual net"].min() > times["table net"].max(), "more", "less")
    yield f"and for {more} CPU time than a net of tables"


@says(ULTIMATE)
def ladder_of_ratings() -> Iterator[str]:
    """Who can be told apart, and by what."""
    rows = rated()
    ours, self_play = rows.loc["net, 200"], rows.loc["self-play net, 200"]
    others = rows.loc[["hybrid, 200", "Gumbel, 200", "self-play net, 200"]]
    alike = (others.low < ours.high).all() and (ours.low < others.high).all()
    yield so("By these intervals alone, the player can't be told apart from the same nets", alike)
    played = met_in("ultimate_rating.csv").set_index(["player", "opponent"])
    own = played.loc[("net, 200", "self-play net, 200")]
    yield so("where only their own match shows a difference", own.low > 0.5)
    times = word(100_000 / 200 / 100)
    above = ours.low > rows.high["UCT 100,000"]
    yield so(f"but it lies above UCT with {times} hundred times as many", above)
    start, late, end = (
        of_kind(rf"table net \d, iteration {at}").sort_index().reset_index() for at in (16, 64, 80)
    )
    gained = (start.high < end.low).all() and (end.low < late.high).all()
    yield so("gains much within its minutes, and over its last iterations no more than", gained)
    yield so("still add to that", self_play.low > end.high.max())


@says(ULTIMATE)
def settings_of_play() -> Iterator[str]:
    """Other settings of the search against ours, and wide nets against narrow ones."""
    rows = met_in("ultimate_rating.csv").set_index("player")
    own, uct = (rows[rows.opponent == name] for name in ("net, 200", "UCT 5,000"))
    single = own.index.str.match(r"net, 200, (c|FPU)")
    level = ((own.low < 0.5) & (own.high > 0.5))[single].all()
    both = uct[uct.index.str.match(r"net, 200(, c|, FPU|$)")]
    level = level and both.low.max() < both.high.min()
    yield so("no change of $c$ or FPU alone makes a clear difference", level)
    secure, training = own.loc["net, 200, most visited"], own.loc["net, 200, as in training"]
    few = secure.high < 0.5 and 0.02 < 0.5 - secure.score < 0.06
    yield so("The secure choice is worth a few points of a hundred against the same net", few)
    yield so(
        "plays with the settings of training loses more than that", training.score < secure.score
    )
    nets = met_in("ultimate_width.csv").set_index(["network", "opponent"])
    even, longer = nets.loc[("wide", "narrow")], nets.loc[("wide", "narrow, more simulations")]
    yield so("the wide net is ahead with most seeds", (even.low > 0.5).mean() > 0.5)
    slower = (longer.ms / longer.opponent_ms).mean()
    still = (longer.low > 0.5).mean() > 0.5 and 1 < slower < 1.1
    yield so("and still so when the narrow one may think for nearly as long", still)
    wide, narrow = (nets.loc[(name, "UCT")].set_index("seed") for name in ("wide", "narrow"))
    yield so("against UCT the difference hardly shows", (wide.low < narrow.high).all())


@says("figures/05_symmetry")
def savings() -> Iterator[str]:
    rows = drawn("05_symmetry").query("kind == 'all positions'").set_index("ply").saving
    plies = word(rows.index.max())
    yield f"rises from {rows[0]:g} to nearly {ceil(rows.iloc[-1])} in {plies} moves"
    games = drawn("05_symmetry").query("kind == 'random games'").set_index("ply").saving
    ended = games.index[games < 1.05].min()
    stays = way((games[games.index >= ended] < 1.05).all(), "stays there", "rises again")
    least = f"{games[ended]:.0f} by ply {ended}"
    yield f"falls from {games[2]:.0f} at ply 2 to about {least} and {stays}"


@says("figures/05_order")
def orders() -> Iterator[str]:
    nodes = drawn("05_order").set_index(["variant", "limit"]).nodes
    fixed = [nodes["centre, corners, edges"], nodes["lowest index"]]
    [at15] = {word(round(order[15])) for order in fixed}
    ends = sorted(order[20] for order in fixed)
    yield f"in fixed orders about {at15} times at 15 cells and {ends[0]:.1f} or {ends[1]:.1f} times"
    none = nodes["no table"]
    yield f"takes {none.min():.1f} to {none.max():.1f} times the nodes"
    saved = way(nodes["symmetric keys"].min() > 0.95, "nothing", "something")
    yield f"symmetric keys save {saved}"


@cache
def effects() -> Any:
    """What changing one part of the training does, by change."""
    return drawn("05_ablations").set_index("variant")


def clear(rows: Any) -> Any:
    """Which changes have an interval without zero, by either measure."""
    above, below = rows[["uct_low", "full_low"]] > 0, rows[["uct_high", "full_high"]] < 0
    return above.any(axis=1) | below.any(axis=1)


@says("figures/05_ablations")
def one_part_at_a_time() -> Iterator[str]:
    rows = effects()
    turned, others = rows.loc["no turned samples"], rows.drop(index="no turned samples")
    quarter = abs(turned.uct + 0.25) < 0.03 and abs(turned.full + 0.25) < 0.03
    yield so("the score falls by about a quarter in both panels", quarter)
    yield so("the intervals of all other changes include zero", not clear(others).any())
    yield f"95 % for all {word(len(rows))} changes at once"


@says("figures/05_curves")
def short_trainings() -> Iterator[str]:
    rows = drawn("05_curves")
    start, end = (rows[rows.iteration == at] for at in (rows.iteration.min(), rows.iteration.max()))
    medians = [part.groupby("opponent").score.median() for part in (start, end)]
    early = start.cpu_minutes.max() < 1 and medians[0].min() > 0.5
    yield so("Within the first minute both medians are above one half", early)
    yield so("The one against UCT 1,000 comes close to 1", medians[1][1_000] > 0.95)
    many = rows[rows.opponent == 10_000]
    best = many.loc[many.groupby("seed").score.idxmax()].set_index("seed").cpu_minutes
    more = (best - many.groupby("seed").cpu_minutes.min()).round()
    last = end[end.opponent == 10_000].score
    yield (
        f"the seeds go on rising for {listed(map(word, sorted(set(more))), 'or')} minutes more and "
        f"end at {last.min():.2f} to {last.max():.2f}"
    )
    yield f"the medians of {word(len(last))} seeds"


@says("figures/05_exhibits")
def faults_of_search() -> Iterator[str]:
    """A wrong sign, and leaves chosen in batches."""
    rows = drawn("05_exhibits").set_index("setting")
    sign, batches = rows[rows.index.notna()], rows[rows.index.isna()]
    wrong = sign.index.str.startswith("wrong")
    missed, won = sign["wins in one missed"], sign["score against random"]
    beaten = missed[wrong].min() > 0.5 > won[wrong].max()
    yield so("with the wrong sign most wins in one are missed and random play wins", beaten)
    yield so("with the right sign hardly any is missed", missed[~wrong].max() < 0.05)
    lossy, none = (
        batches[batches.virtual_loss == loss].set_index("batch").score for loss in (True, False)
    )
    falls = lossy.is_monotonic_decreasing and none.is_monotonic_decreasing
    yield so("the score against UCT falls as batches grow", falls)
    saved = (lossy - none).dropna() / (none[1] - none.drop(1))
    few, some, many = map(int, saved.index)
    yield so(
        f"virtual loss saves most of the loss at {few} leaves, less at {some} and next to nothing "
        f"at {many}",
        saved[few] > 0.5 > saved[some] > 0.1 > saved[many],
    )


@says("figures/05_gumbel")
def gumbel_roots() -> Iterator[str]:
    """Where Gumbel roots are clearly behind PUCT, and what would be learned."""
    rows = drawn("05_gumbel").set_index(["root", "simulations"])
    behind = rows.score_high.dropna() < 0.5
    noisy, plain = behind["published"], behind["no noise"]
    yield f"behind PUCT at {listed(plain.index[noisy & plain])} simulations"
    yield f"not clearly behind from {plain.index[~plain].min()} simulations on, with noise they"
    yield f"with noise they are behind up to {noisy.index[noisy].max()}; a small scale"
    small = rows.score_high["no noise, scale 0.1"]
    yield so("a small scale is far behind at every budget", small.max() < 0.45)
    target = rows.target
    larger = all((target[root] > target["PUCT"]).all() for root in ("published", "no noise"))
    yield so("the improved policy puts a larger share on optimal moves than visits do", larger)


@says("figures/05_hybrid")
def solver_in_play() -> Iterator[str]:
    """What the solver adds with as many simulations, and what it costs."""
    rows = drawn("05_hybrid").pivot(index="simulations", columns="cells")
    score, time = rows.score, rows.time_ratio
    points = (100 * (score - 0.5)).round()
    late, early = ([word(n) for n in sorted(set(points[cells]))] for cells in (20, 25))
    rest = way((points[15] == 0).all(), "next to nothing", "some")
    yield (
        f"adds {early[0]} to {early[-1]} points of a hundred when it solves from 25 cells on, "
        f"{listed(late, 'or')} from 20, and {rest} from 15"
    )
    fewer = all(score[cells].is_monotonic_decreasing for cells in (20, 25))
    yield so("From 20 and 25 cells on the mean is higher the fewer the simulations", fewer)
    yield so("Scores rise with the threshold", (score.diff(axis=1).iloc[:, 1:] > 0).all(axis=None))
    few, most = score[25].iloc[0], score[25].iloc[-1]
    yield (
        f"from {score[15].mean():.2f} at 15 cells to {most:.2f} with {score.index[-1]} and "
        f"{few:.2f} with {score.index[0]} simulations at 25"
    )
    within = time[[15, 20]].max(axis=None) < 1.5
    yield so("Time stays within one and a half times the net's up to 20 cells", within)
    least, greatest = (word(round(end)) for end in (time[25].min(), time[25].max()))
    where = way(time[25].is_monotonic_decreasing, "few", "many")
    yield f"grows {least}- to {greatest}fold at 25, most where simulations are {where}"


def spread(scores: Any) -> str:
    """The least and the greatest, rounded outwards."""
    low, high = (round(float(end), 6) * 100 for end in (scores.min(), scores.max()))
    return f"{floor(low) / 100:.2f} to {ceil(high) / 100:.2f}"


@says("figures/05_networks")
def two_networks() -> Iterator[str]:
    """Scores of tables and of a residual network before, during and after training."""
    rows = drawn("05_networks")
    new = rows[rows.iteration == 0].groupby("opponent").score
    yield f"score {new.min()[100]:.1f} to {new.max()[100]:.1f} against 100 playouts"
    yield so("100 playouts and next to nothing against 1,000", new.max()[1_000] < 0.05)
    tables, residual = (rows[rows.network == name] for name in ("table net", "residual net"))
    first = tables[tables.iteration == tables.iteration[tables.iteration > 0].min()]
    stops = [first, *(part[part.iteration == part.iteration.max()] for part in (tables, residual))]
    texts = [[spread(s.score[s.opponent == n]) for n in (100, 1_000)] for s in stops]
    early, late, other = map(listed, texts)
    half, five = (stop.cpu_minutes.mean() for stop in (first, stops[-1]))
    yield f"After {half:.1f} minutes the table net scores {early}, at the end {late}"
    yield f"the residual network, after {five:.0f} minutes, {other}"


@says("figures/05_phases")
def random_games_by_ply() -> Iterator[str]:
    rows = drawn("05_phases").set_index("ply")
    moves = rows.moves.round()
    about = sorted(set(moves[1:51]))
    assert moves[51:].is_monotonic_decreasing
    yield f"Legal moves fall from {moves[0]:.0f} to about {word(moves[1])} at once"
    yield f"stay at {listed(map(word, about), 'or')} until ply 50, and dwindle"
    late = rows.free[1:21].max() < 0.05 and rows.free[60:].min() > 0.5
    yield so("free moves become common late", late)
    apart = (rows["empty"] - rows.playable)[:50]
    yield so("fall ever further below the count of all empty cells", apart.is_monotonic_increasing)


@says("figures/05_planes")
def planes() -> Iterator[str]:
    cells = drawn("05_planes").set_index("plane").cells
    whole = (cells[["won", "lost", "drawn"]] % 9 == 0).sum()
    yield f"{capital(len(cells))} small grids side by side"
    yield f"the next {word(whole)} whole sub-boards"
    last = list(cells.index).index("last move") + 1
    yield so(f"the {ORDINALS[last]} a single cell", cells["last move"] == 1)
    yield so("the last one sub-board", cells.iloc[-1] == 9)


@says("figures/05_solver")
def times_to_solve() -> Iterator[str]:
    rows = drawn("05_solver").set_index("limit")
    yield f"{capital(len(rows))} cumulative curves over logarithmic time"
    quick, slow = rows["median ms"].iloc[0], rows["most ms"].iloc[-1]
    tens = 0.02 < quick < 0.1 and slow > 1000
    yield so(
        f"from tens of microseconds at {rows.index[0]} cells to more than a second for the hardest "
        f"positions of {rows.index[-1]} cells",
        tens,
    )
    yield so("nodes cuts off the hardest", rows.solved.iloc[-1] < 1)


@cache
def rated() -> Any:
    """Ratings and times of the players of document 5."""
    return drawn("05_rating").set_index("player")


def of_kind(pattern: str) -> Any:
    """Ratings of the players whose whole names match, from the weakest."""
    return rated()[rated().index.str.fullmatch(pattern)].sort_values("rating")


@says("figures/05_rating")
def ratings() -> Iterator[str]:
    """By time per move, and during training."""
    nets, uct = of_kind(r"net, [\d,]+"), of_kind(r"UCT [\d,]+")
    longest, enough = uct.iloc[-1], nets[nets.rating >= uct.rating.max()].ms.min()
    yield so(
        "reach the rating of the longest tree search in a small fraction of its time",
        50 * enough < longest.ms,
    )
    (few, *_, many), (quick, *_, slow) = (rows.index.str.split().str[-1] for rows in (uct, nets))
    yield (
        f"UCT rises from {uct.rating.min()} points with {few} iterations to {uct.rating.max()} "
        f"with {many}, which takes it {uct.ms.min():.2f} to {uct.ms.max():.1f} milliseconds"
    )
    yield (
        f"the table nets from {nets.rating.min()} with {quick} simulations to {nets.rating.max()} "
        f"with {slow}, in {nets.ms.min():.1f} to {nets.ms.max():.1f} milliseconds; random play "
        f"lies at {rated().rating['random']}."
    )


@says("figures/05_rating")
def ratings_in_training() -> Iterator[str]:
    """Ends of the trainings, between whom they lie."""
    ends, short = of_kind(r"table net \d, iteration 80"), of_kind(r"table net .short.* 56")
    rating, minutes = rated().rating, ceil(drawn("05_curves").cpu_minutes.max())
    between = ends.rating.between(rating["UCT 10,000"], rating["net, 200"], inclusive="neither")
    yield so(
        f"after {minutes} minutes the {word(len(ends))} table nets lie between UCT 10,000 and the "
        "stored nets with 200 simulations",
        between.all(),
    )
    times = drawn("05_networks").groupby(["network", "seed"]).cpu_minutes.max()
    spent = times["table net"]
    below = short.rating.between(rating["UCT 1,000"], rating["UCT 10,000"], inclusive="neither")
    yield so(
        "the tables lie between UCT 1,000 and UCT 10,000 after "
        f"{floor(spent.min())} to {ceil(spent.max())} minutes",
        below.all(),
    )
    near = of_kind("residual.*").rating.between(rating["UCT 30"], rating["UCT 300"])
    last = times["residual net"].mean()
    yield so(f"residual networks stay near UCT 100 for {last:.0f} minutes", near.all())


@says("figures/05_strength")
def by_simulations() -> Iterator[str]:
    score = drawn("05_strength").set_index(["opponent", "simulations"]).score
    strong, strongest = score["UCT 10,000"], score["UCT 100,000"]
    dips = word((strong.diff() < 0).sum())
    yield (
        f"the score rises, but for {dips} small dip, from {strong.iloc[0]:.2f} with 25 simulations "
        f"to {strong.iloc[-1]:.2f} with 2,000"
    )
    yield f"it is {strongest[200]:.2f} with 200 and {strongest[2000]:.2f} with 2,000"
    weaker = score.drop(["UCT 10,000", "UCT 100,000"], level="opponent")
    yield so("against weaker opponents it is above 0.9 throughout", weaker.min() > 0.9)


@cache
def right_moves() -> Any:
    """Shares of optimal moves on the yardstick, by player and simulations."""
    return drawn("05_yardstick").set_index(["player", "simulations"]).share


@says("figures/05_yardstick")
def more_simulations() -> Iterator[str]:
    """How the curves rise, and fall with the number of cells."""
    share = right_moves()
    rising = all(part.is_monotonic_increasing for _, part in share.groupby("player"))
    yield so("all curves rise with simulations", rising)
    net, uct, alone = share["net"], share["uct"], share["self-play net"]
    far = all(10 * net.index[net >= right].min() < n for n, right in uct.items())
    taught = (net[alone.index] > alone).all()
    yield so(
        "the table nets need far fewer of them than UCT for the same share, and fewer still where "
        "the solver has taught one of them",
        far and taught,
    )
    rows = stored("ultimate_yardstick_scores.csv").set_index(["player", "simulations"])
    rows = rows.assign(share=rows.optimal / (rows.optimal + rows.one + rows.two))
    ends = [
        part.sort_values("cells").share
        for part in (rows.loc[("net", 200)], rows.loc[("uct", 10_000)])
    ]
    (high, *_, low), (other, *_, least) = ends
    yield f"the net from {high:.2f} to {low:.2f}, UCT from {other:.2f} to {least:.2f}"
    falls = all(part[:4].min() > part[-4:].max() for part in ends)
    yield so("on the whole both fall as the number of playable cells grows", falls)


@says("figures/scorecard")
def longest_parts() -> Iterator[str]:
    rows = drawn("scorecard").pivot(index="document", columns="verdict", values="claims")
    named = list(dict.fromkeys(drawn("scorecard").verdict))
    yield f"{capital(len(rows))} horizontal stacked bars, one per document"
    yield f"split into {listed(named)}."
    others = rows.drop(columns="reproduced").max(axis=1)
    near = (rows.reproduced > 0.9 * others).all()
    yield so("In each, reproduced is the longest part or nearly so", near)


# ---------------------------------------------------------------------------- 06: the arena


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
    perfect = [arena().against_perfect[f"lookahead:depth={d}"] for d in (2, 3, 4, 5)]
    second = perfect[0] == perfect[1] < perfect[2] == perfect[3]
    yield so("against the perfect player only every second ply helps", second)
    enough = next(d for d in range(1, 7) if arena().never_loses[f"lookahead:depth={d}"])
    yield f"{capital(enough)} plies of look-ahead are enough for perfect play"
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
    yield f"groups of four have {way(fours.numbers > boards, 'more', 'fewer')} numbers than there"


@says("notebooks/06_arena.ipynb")
def formulas() -> Iterator[str]:
    """The formula on 4x4 and on 3x3x3."""
    four = stored("arena_4x4_verdicts.csv").set_index("player")
    ising, tables = four.loc["ising"], four.loc["ntuple"]
    held = ising.worst_x == ising.worst_o == 0
    fewer = way(ising.misplayed < tables.misplayed, "fewer", "more")
    beaten = not arena().never_loses["ising"]
    yield (
        f"which can be beaten on 3x3, is {way(beaten and held, 'unbeatable', 'beaten too')} on "
        f"4x4, and misplays {fewer} positions than tables"
    )
    rows = stored("arena_formulas.csv").query("board == '3x3x3' and worst == 1")
    yield so("On 3x3x3 only a high base wins, so that", rows.base.min() >= 5)
    yield f"must count more than the other's, $b$ {way(rows.b.max() < 1, 'below', 'above')} 1"
    cells = 100 * 9
    hundreds = word(cells / 100)
    yield f"A hundred playouts per move are {hundreds} hundred on the empty board"
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
    yield so("the higher the base, the smaller $b$ may be, and the reverse", trade)
    yield so("$b$ below 1, but not too small", not cube[cube.columns.min()].any())
    inside = neighbours(four, 6, 0.647).all() and not neighbours(cube, 6, 0.647).all()
    yield so(
        "lies well inside the safe region of 4x4 and just inside that of 3x3x3",
        inside and cube.loc[6, 0.647],
    )
    yield so("and base 2 with $b = 1$ outside of both", not (four.loc[2, 1] or cube.loc[2, 1]))
    one, kinds = variants().loc["one table"], variants().loc["symmetric"]
    weak = one.never_loses == 0 and kinds.never_loses == kinds.seeds
    text = "one shared table, as trained, can be beaten, while a table for each kind of line cannot"
    yield so(text, weak)
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
    yield so("those whom nobody in the list beats draw all matches among themselves", drew)


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
    """Who can be beaten, and how one loses who never blocks."""
    names = ranked()
    upper = all(map(safe_as_x, names[: len(names) // 2]))
    every = way(upper, "everybody", "not everybody")
    yield f"In the upper half {every} is safe as X"
    filled = [name for name in names if all(met(x, name).win == 0 for x in names)]
    yield so("the last column of dots is almost empty", 0 < len(filled) < len(names) / 5)
    plan = arena().against_perfect["ising:b=0"] < -0.95
    yield so("A player with a plan that never blocks loses nearly every game", plan)
    three, four = (mean_margin(f"lookahead:depth={d}") for d in (3, 4))
    yield so("gets *weaker* against Random and in the mean", four < three)
    before, after = told("06_arena", r"misplays \*\*(\d+)\*\* of .*\s.*misplays \*\*(\d+)")
    yield f"The second ply repairs {way(after < before / 2, 'most', 'some')} of them"
    circles, players = told("06_arena", r"There are (\d+) such cycles among the (\d+) players")
    triples = players * (players - 1) * (players - 2) / 6
    yield so("nearly all triples are in order", 0 < circles < triples / 100)
    search, formula = "lookahead:depth=3", "potential:b=0.5"
    more = way(met(search, formula).expected > met(formula, search).expected, "more", "less")
    yield f"Search makes {more} of moving first than the formula does"


@says("notebooks/06_arena.ipynb")
def those_who_roll_dice() -> Iterator[str]:
    """Games out of a thousand."""
    games = stored("arena_games.csv").set_index(["board", "x", "o"]).sort_index()
    lost = games.win.loc[("3x3", "minimax")]
    plain, tree = lost["pmc:playouts=100"], lost["uct:iterations=1000"]
    yield so("as O, Pure Monte Carlo loses to the perfect player", plain > 100)
    yield f"steers its playouts asks a {way(10 * tree < plain, 'better', 'similar')} one"
    ising = games.loc["3x3x3"].loc[["ising", "ising:energy=published"]]
    won = ising.games.eq(1_000).all() and (ising.win == ising.games).all()
    yield so("A thousand games per cell, all won.", won)
    rows = drawn("06_tables_ladder").set_index("reads")
    yield so("They make the player safe as O", rows.worst_o["all groups of 3"] == 0)
    lines = rows.loc["lines"].set_index("taught").worst_o
    flat, curved = (way(end < 0, "can", "cannot") for end in (lines.iloc[0], lines.iloc[1]))
    yield f"The player of the straight least-squares fit {flat} be beaten as O; the one whose sums"
    yield f"trained step by step, {curved}."


@says("figures/06_strength_for_cost")
def cheap() -> Iterator[str]:
    """What the Ising player costs, and whether much more buys less."""
    cost, strong = arena().cost["ising"], arena().against_random
    times = {2: "twice", 3: "three times"}[int(cost)]
    assert cost - int(cost) < 0.25
    yield f"comes close to the best, at little more than {times} the cost of random play."
    deep = "lookahead:depth=5"
    less = way(strong[deep] < strong["ising"], "less", "more")
    far = way(arena().cost[deep] > 10 * cost, "far more", "more")
    yield f"Ising, at little more than {times} the cost of random play, reaches nearly"
    yield f"look-ahead to five plies costs {far} and reaches {less}"
    perfect = arena().against_perfect
    close = strong.max() - strong["ising"] < 0.05 and perfect.max() - perfect["ising"] < 0.05
    yield so("By both yardsticks the Ising player comes close to the best", close)
    yield so("reaches nearly the highest results of all", close)


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


@says("figures/06_two_yardsticks")
def yardsticks() -> Iterator[str]:
    rows = drawn("06_two_yardsticks").set_index("player")
    floor = rows.against_perfect["random"]
    worse = rows[(rows.against_random > 0) & (rows.against_perfect < floor)]
    yield f"{word(len(worse))} players that beat Random lie below the dotted line of Random itself"
    most = rows.against_random.between(0.7, 0.95).mean() > 0.5
    yield so("Against Random most players reach 0.7 to 0.95", most)
    ends = rows.against_perfect.min() == -1 and rows.against_perfect.max() == 0
    yield so("against minimax they spread from minus one to zero", ends)


@says("figures/06_formula_map")
def safe_formulas() -> Iterator[str]:
    rows = drawn("06_formula_map")
    safe = ((rows.worst_x >= 0) & (rows.worst_o >= 0)).groupby(rows.board).sum()
    none, many = way(safe["3x3"] == 0, "no", "some"), way(safe["4x4"] > 50, "many", "few")
    yield f"On 3x3 {none} formula is safe on both sides; on 4x4 {many} are."
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
    yield f"On 4x4 good players draw; on 3x3x3 {way(draws == 0, 'no', 'some')} game is drawn"
    rows = drawn("06_larger_boards").set_index(["board", "x", "o"]).expected
    four, cube = (rows[board].unstack("o") for board in ("4x4", "3x3x3"))
    means = (four.mean(axis=1) - four.mean()).sort_values()
    better = means.index[len(means) // 2 :]
    pale = (abs(four.loc[better, better]) < 0.05).mean(axis=None) > 0.5
    yield so("On 4x4 most cells among the better players are pale, draws", pale)
    yield so("on 3x3x3 few cells are pale", (abs(cube) < 0.1).mean(axis=None) < 0.2)
    won = (cube.loc[["ising", "ising:energy=published"]] == 1).all(axis=None)
    yield so("the rows of the Ising player with either energy are blue throughout", won)


@says("figures/06_tables_ladder")
def bars() -> Iterator[str]:
    rows = drawn("06_tables_ladder")
    yield f"Bars fall from {rows.misplayed.iloc[0]} to {rows.misplayed.iloc[-1]}."
    perfect = [float(Fraction(text)) for text in rows.against_perfect]
    jump = max(perfect[:3]) < -0.8 and min(perfect[3:]) > -0.1
    yield so("stays near minus one up to pairs and then jumps to zero", jump)
    safe = rows[["worst_x", "worst_o"]] >= 0
    both, orange = safe.all(axis=1), ~safe.any(axis=1)
    colours = "".join(np.select([both, orange], ["b", "o"], "g"))
    text = "Those up to pairs are orange, lines grey, lines with tanh, triples and larger groups"
    yield so(f"{text} blue", colours == "ooog" + "b" * (len(rows) - 4))
    random = [Fraction(text) for text in rows.against_random]
    three = rows.reads.tolist().index("all groups of 3")
    peak = max(random) == random[three] == random[three - 1] > max(random[three + 1 :])
    yield so("peaks at lines and triples and falls for the larger groups", peak)
    yield so("The step comes with tables of whole lines", jump and rows.reads[3] == "lines")


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
    x, o = (exact.majority(exact.population(side)) for side in "xo")
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
    yield f"0.98^100 is about {100 * unlost(0.02, 100):.0f} %"
    one, two = games_to_reject()
    yield f"about {one} games ({two} with the two-sided p-value of task 2)"


def games_to_reject() -> tuple[int, int]:
    """Games without a loss that reject one in ten at 1 %: one-sided, and by the p-value."""
    one = next(n for n in range(1, 99) if binom.pmf(0, n, 0.1) < 0.01)
    after = (n for n in range(99, 0, -1) if binomtest(0, n, 0.1).pvalue >= 0.01)
    return one, next(after) + 1


@says(f"{MASTERS}/00_the_game.ipynb")
def one_program_in() -> Iterator[str]:
    passes = unlost(0.02, 100)
    one_in = word(round(1 / passes))
    yield f"0.98^100 is about {100 * passes:.0f} %, so one such program in {one_in} passes"


@says(f"{MASTERS}/02_spectral_dct.ipynb")
def products() -> Iterator[str]:
    wins, blocks = len(GRID.lines), GRID.n * len(GRID.lines)
    yield f'"Three of mine" ({wins} products, one per line) makes a win visible'
    yield f"({blocks}, {word(GRID.n)} per line) a block: {wins + blocks} for either side"


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
    yield f"below it loses {more}, and at every b it can be beaten"


@says(f"{MASTERS}/06_arena.ipynb")
def many_tests() -> Iterator[str]:
    one, two = games_to_reject()
    yield f"0.9^10, about {100 * unlost(0.1, 10):.0f} %"
    yield f"falls below 0.01 at n = {one}"
    yield f"to which counts on the other side add, at n = {two}"
    alarm = 1 - unlost(0.05, 10)
    yield f"at 5 % each, at least one fails with a probability of about {100 * alarm:.0f} %"


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
    yield f"with a probability of {100 * (1 - unlost(0.05, 10)):.0f} %."
    plan = re.findall(r"^\| \d+–(\d+) \| Open|^\| \d+–(\d+) \| Exchange", raw(GUIDE), re.MULTILINE)
    [minutes] = {int(a or b) for a, b in plan}
    yield f"{capital(len(lessons.load()))} lessons of {minutes} minutes, one for each of the"


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


# ---------------------------------------------------------------------------- the book


@says("notebooks/book/verdicts.md")
def levels() -> Iterator[str]:
    """Levels, and what they add up to."""
    level, of = claims.SIGNIFICANCE, len(claims.DOCUMENTS)
    short = f"{level:.2f}".removeprefix("0")
    together = f"{of * level:.2f}".removeprefix("0")
    yield (
        f"its samples *differs* would be at most {short}, as far as the tests are exact; for all "
        f"{word(of)} documents together, at most {together}."
    )
    yield f"## {capital(len(claims.VERDICTS))} verdicts"
    yield f"Tests are two-sided (one-sided for distances) at {short}."
    rows = claims.load()
    sentences = sum(row.kind == "statement" for row in rows) / len(rows)
    yield f"{way(0.5 < sentences < 0.6, 'More', 'Less')} than half of the rows are sentences."
    yield f"depends on the machine, may be off by a factor of {word(claims.FACTOR)}"


@says("notebooks/book/paper.md")
def paper() -> Iterator[str]:
    """How many documents, lessons and tasks."""
    taught, of = len(lessons.load()), len(documents())
    yield f"for teachers who need one lesson or {word(taught)}."
    yield f"a guide plans {word(taught)} lessons of 90 minutes"
    yield f"{capital(of)} public documents each teach a machine"
    yield f'"{capital(of)} ways to teach a machine Tic-Tac-Toe'
    tasks = {len(re.findall(r"^## (\d)\. ", markdown(p), re.MULTILINE)) for p in masters()}
    yield f"companion exercise of {listed(map(word, tasks))} graded tasks"


def masters() -> list[Path]:
    return sorted((ROOT / MASTERS).glob("0*.ipynb"))


@says("notebooks/book/lessons.md")
def lesson_page() -> Iterator[str]:
    found = tomllib.loads(raw("notebooks/exercises/lessons/lessons.toml"))["lesson"]
    [asked] = {len(lesson["questions"]) for lesson in found}
    yield f"{capital(len(found))} lessons of 90 minutes, each with slides to show"
    yield f"a handout of one page to print, and {word(asked)} questions"


@says("notebooks/book/glossary.md")
def glossary() -> Iterator[str]:
    yield f"with the finished ones there are {len(TREE)} on 3x3"
    never = way(TREE.value[0] == 0, "win, draw or loss", "win or loss")
    yield f"seen from X's side: {never}."


@says("notebooks/book/lists.md")
def all_lists() -> Iterator[str]:
    rows = stored("spectral_orderings.csv").set_index("safety")
    beaten = way(rows.never_lose["no"].sum() == 0, "every list", "not every list")
    yield f"No list of the {factorial(9):,} stops every threat, and {beaten} without the rule can"


@says("notebooks/book/checked.md")
def checked() -> Iterator[str]:
    yield f"are only checked to within a factor of {word(claims.FACTOR)}"


# ---------------------------------------------------------------------------- the page to play on


@says("ttt_lib/people/trap.py")
def trap_words() -> Iterator[str]:
    word_of = {1: "a win", 0: "a draw", -1: "a loss"}[int(TREE.value[0])]
    yield f'"Against perfect play", "it would be {word_of}."'


@says("ttt_lib/people/text.py")
def key() -> Iterator[str]:
    """What the colours mean: the shade grows with the chance, and its green with the shade."""
    shades = insight._shades(np.array([-1.0, -0.4, 0.1, 0.7, 1.0]))
    rising = list(shades) == sorted(set(shades))
    style = raw("ttt_lib/people/play.css")
    found = re.findall(r"\.ttt \.ttt-cell\.ttt-s(\d)\S* \{ background: light-dark\(#(\w{6})", style)
    colours = [[int(code[k : k + 2], 16) for k in (0, 2, 4)] for _, code in sorted(found)]
    greens = [green - (red + blue) / 2 for red, green, blue in colours]
    assert len(greens) == insight.SHADES
    better = rising and greens == sorted(greens) and greens[0] > 0
    yield f"the greener, the {way(better, 'better', 'worse')} for you"


@says("ttt_lib/people/session.py")
def opponents() -> Iterator[str]:
    best = {1: "win", 0: "hold the draw", -1: "only lose"}[int(TREE.value[0])]
    beaten = way(arena().never_loses["minimax:ties=quick"], "cannot", "can")
    yield f'"Knows every result: you can {best} at best.", "{beaten} be beaten"'
    yield f"Adds up {word(len(Patterns(GRID).tuples))} small tables, one per line"


@says("ttt_lib/people/book_players.py")
def introductions() -> Iterator[str]:
    perfect = arena().against_perfect
    deeper = way(perfect["mlp:depth=3"] < perfect["mlp:depth=2"], "not always", "always")
    yield f"Deeper is {deeper} safer."
    safe = way(arena().never_loses["ntuple"], "never", "seldom")
    yield f"Trained enough, it {safe} loses."
    yield so('("Never loses: you can only hold the draw.", "cannot', TREE.value[0] == 0)


# ---------------------------------------------------------------------------- README and data


@says("README.md")
def readme() -> Iterator[str]:
    """The picture, and counts of documents and lessons."""
    positions, of = trap.game(), len(documents())
    turns = all(insight_wins(session) for session in positions[:-1])
    yield f"A game in {word(len(positions))} pictures, X against document 4's player"
    every = way(turns and positions[-1].result == 1, "at every turn, and wins", "sometimes")
    yield f"X finds a winning move {every}."
    yield f"{capital(of)} public documents each teach a machine to play"
    gains = [met(x, "random").win - met("minimax:ties=uniform", "random").win for x in ("ntuple",)]
    yield f"why do they win {way(min(gains) > 0, 'more', 'less')} often than perfect play does?"
    yield f"`make slides`: {word(len(lessons.load()))} lessons to show"
    yield f"add a {ORDINALS[of + 1]} document"
    yield f"On all {len(TREE)} states of 3x3 it is a table"


def insight_wins(session: Any) -> bool:
    return "win" in trap.marks(session).labels


@says("data/README.md")
def sizes_of_tables() -> Iterator[str]:
    """How many players, games, boards and seeds the stored tables hold."""
    small, judged = stored("arena_4x4.csv"), stored("arena_4x4_verdicts.csv")
    yield f"of all ordered pairs of {word(small.x.nunique())} players"
    yield f"{capital(len(judged))} players of 4x4"
    boards = stored("ising_boards.csv")
    [games] = boards.games.unique()
    yield f"with themselves, {word(boards.board.nunique())} boards, true rules, {games:,} games"
    large = stored("ising_large.csv").query("players == 'II'")
    [each] = large.games.unique()
    yield f"against itself at {word(large.b.nunique())} values of b, {each} games per row"
    own = stored("ising_self_play.csv")
    step = np.diff(np.sort(own.b.unique())).min()
    yield f"against itself, b from {own.b.min():g} to {own.b.max():g} in steps of {step:.2f}"
    fits = stored("ising_program_fits.csv")
    yield f"What {fits.replay.nunique()} replays of each published sweep would have concluded"
    [replayed] = stored("ising_program_games.csv").games.unique()
    yield f"scored as it scores them, {replayed:,} games per row"


@says("data/README.md")
def seeds_of_tables() -> Iterator[str]:
    """Seeds and trainings of the stored tables."""
    curves, epochs = stored("ntuple_curves.csv"), stored("ntuple_epochs.csv")
    yield f"after every fifth epoch, seeds {curves.seed.min()} to {curves.seed.max()}."
    yield f"each of {epochs.epoch.max()} epochs, seeds {epochs.seed.min()} to {epochs.seed.max()}."
    orders = stored("ntuple_orders.csv").order.nunique()
    yield f"after each epoch for {word(orders)} orders that are the same in every epoch"
    yield f"{len(seeds())} repetitions of document 1, one row per seed"
    games = stored("playout_mlp_games.csv").games
    yield f"with network playouts, {games.iloc[0]} games per row"
    kept = stored("spectral_kept.csv")
    per = kept.match.nunique()
    yield f"{word(per)} matches of each of {kept.seed.nunique()} trainings"
    yield f"fixed lists of cells as players of 3x3, over all {factorial(9):,} of them"
    networks = stored("spectral_networks.csv").query("hidden > 0").seed.nunique()
    yield f"accuracy and exact strength, {networks} seeds."


# ---------------------------------------------------------------------------- years


def dated() -> dict[str, str]:
    """Years of the cited works by their keys."""
    text = WORKS.read_text(encoding="utf-8")
    return dict(re.findall(r"@\w+\{(\w+),[^@]*?year = \{(\d{4})\}", text))


def test_a_key_of_a_work_ends_with_its_year() -> None:
    known = {key: year for key, year in dated().items() if not key.startswith("document")}
    assert len(known) > 30
    assert [key for key, year in known.items() if not key.endswith(year)] == []


CITED = re.compile(
    r"([A-Z][a-z]+)(?:, [A-Z]\w+)*(?: and [A-Z][\wéü]+| et al\.| and others)?,? \(?(\d{4})\b"
)


def cited(text: str) -> set[tuple[str, str]]:
    """First surname and year of citations in running text: Brier (1950), (Nau, 1983)."""
    return {(name.lower(), year) for name, year in CITED.findall(text)}


def unknown(text: str) -> set[tuple[str, str]]:
    """Citations whose author wrote a work of our list, but none of that year."""
    keys = set(dated())
    names = {re.sub(r"\d+$", "", key) for key in keys}
    return {(n, y) for n, y in cited(text) if n in names and n + y not in keys}


NOTEBOOKS = sorted((ROOT / "notebooks").glob("0*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_years_in_running_text_are_those_of_the_works(path: Path) -> None:
    text = markdown(path).partition("## References")[0]
    assert unknown(text) == set()
    for name, year in cited(text):
        if name + year in dated():
            assert unknown(text.replace(year, str(int(year) + 1)))


# ---------------------------------------------------------------------------- the tests

NAMES = [f"{Path(file).name}: {phrases.__name__}" for file, phrases in SAID]
PLACES = range(len(SAID))


@pytest.mark.parametrize("place", PLACES, ids=NAMES)
def test_what_the_evidence_says_stands_in_the_text(place: int) -> None:
    assert built(place)
    assert astray(built(place), text_of(SAID[place][0])) == []


@pytest.mark.parametrize("place", PLACES, ids=NAMES)
def test_a_changed_word_is_noticed(place: int) -> None:
    """Each word of each phrase in turn becomes another one in a copy of the text."""
    text = text_of(SAID[place][0])
    for phrase in built(place):
        for found in re.finditer(r"\w+", phrase):
            wrong = f"{phrase[: found.start()]}elsewise{phrase[found.end() :]}"
            assert astray([phrase], text.replace(phrase, wrong)) == [phrase]


def test_what_does_not_hold_is_built_otherwise() -> None:
    assert so("never loses", 1 > 0) == "never loses"
    assert astray([so("never loses", 1 < 0)], "It never loses.")
    assert (word(0), word(5), word(42)) == ("no", "five", "forty-two")
    assert listed([1, 3, 4]) == "1, 3 and 4"


def test_other_evidence_builds_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    more = safe_seeds() + 1
    monkeypatch.setattr(sys.modules[__name__], "safe_seeds", lambda: more)
    missing = astray(self_play(), text_of("notebooks/03_ntuple_network.ipynb"))
    assert missing[0] == "in the end for all but two of twenty seeds"


def test_phrases_are_many_and_of_many_files() -> None:
    assert sum(len(built(place)) for place in PLACES) >= 150
    assert len({file for file, _ in SAID}) >= 40

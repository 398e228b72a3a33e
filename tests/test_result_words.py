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
from math import ceil, factorial, log10
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
from ttt_lib.game.policy import random_agent, winning_cells
from ttt_lib.ising import curve, meaning, study
from ttt_lib.ising.energy import energy_of, gains, power_energy
from ttt_lib.ntuple.network import Patterns
from ttt_lib.people import insight, lesson_facts, lessons, trap
from ttt_lib.playout_mlp import exact
from ttt_lib.playout_mlp.players import exact_agent
from ttt_lib.the_game import facts
from ttt_lib.the_game.lines import draw_criteria
from ttt_lib.ultimate.studies import gumbel

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
def met(x: str, o: str) -> Outcome:
    """The exact result of two players of notebook 06, from X's side."""
    rows = drawn("06_all_players").set_index(["x", "o"])
    return Outcome(*(Fraction(str(text)) for text in rows.loc[(x, o)]))


def margin(one: str, other: str) -> Fraction:
    """The mean result of two games, one on each side."""
    return (met(one, other).expected - met(other, one).expected) / 2


@cache
def arena() -> Any:
    """Cost and strength of the players of notebook 06."""
    return drawn("06_strength_for_cost").set_index("player")


def misplays(name: str) -> int:
    return verdict(table(name)).misplayed


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
    steps = rows.groupby(["target", "side to move"], sort=False)[["R2", "misplayed"]].diff().abs()
    largest = steps.groupby([rows.target, rows["side to move"]]).idxmax().to_numpy().ravel()
    yield so("The largest step comes with the eight lines", set(largest) <= set(rows.index[lines]))
    yield so("(at degree 1 all four agree)", rows.misplayed[one].nunique() == 1)


@says("figures/02_heatmaps")
def orders_of_cells() -> Iterator[str]:
    """Whether each board ranks its free cells as the empty board does, and where X or O wins."""
    rows = drawn("02_heatmaps")
    wide = rows.pivot(index="board", columns="cell").round(9)

    def alike(kind: str) -> bool:
        chances = wide[kind]
        order = chances.loc["." * 9].sort_values(ascending=False, kind="stable").index
        return all((np.diff(row.dropna()) <= 0).all() for _, row in chances[order].iterrows())

    same = alike("score_01") and alike("score_probability")
    exact = way(alike("exact"), "do too", "do not")
    yield so(f"ranks cells alike on every board; the exact probabilities {exact}", same)
    boards = np.stack([parse(board, GRID) for board in wide.index])
    sides = np.where(boards.sum(axis=1) == 0, 1, -1).astype(np.int8)
    completes = winning_cells(GRID, boards, sides)
    assert completes.any()
    certain = ((wide["exact"] == 1) == completes).all(axis=None)
    yield so("The exact probabilities jump to 1 where a line can be completed", certain)


@says("figures/02_reliability")
def reliability() -> Iterator[str]:
    """How far the scores of each model lie from the chances."""
    rows = drawn("02_reliability").set_index("model")
    hard, soft, calibrated = (rows.loc[name] for name in rows.index.unique())
    yield so("scores that say hardly anything about probabilities", np.ptp(hard.truth) < 0.1)
    yield f"The curve of 0/1 labels is flat near {np.average(hard.truth, weights=hard.moves):.2f}"
    gaps = [model.truth - model.score for model in (soft, calibrated)]
    zigzag = all((np.diff(np.sign(gap)) != 0).sum() > 2 for gap in gaps)
    near, nearer = (gap.abs().mean() for gap in gaps)
    yield so("the other two zigzag around the dashed diagonal", zigzag)
    closer = way(nearer < near, "closer", "farther away")
    yield so(f"the calibrated one a little {closer}", abs(near - nearer) < 0.02)


@says("figures/02_weight_maps")
def weights_of_cells() -> Iterator[str]:
    """Which cells and which frequencies have weight."""
    rows = drawn("02_weight_maps").assign(cell=lambda t: t.cell.round(9))
    ranked = rows.groupby(["features", "channel"]).cell
    first = {int(np.argmax(cells)) for _, cells in ranked}
    where = KINDS[first.pop()] if len(first) == 1 else "no cell"
    yield f"By cell, the {where} counts most in all {word(len(ranked))}"
    standard = rows[rows.features == "standard"]
    second = {
        int(np.argsort(-cells.to_numpy())[1]) for _, cells in standard.groupby("channel").cell
    }
    yield f"standard weights also favour the {' or '.join(CELLS[c] for c in second)}"
    yield so("Standard weights are spread over all frequencies", (standard.weight != 0).all())
    symmetric = rows[(rows.features == "symmetric") & (rows.weight.abs() > 1e-9)]
    even = ((symmetric.row_or_u % 2 == 0) & (symmetric.column_or_v % 2 == 0)).all()
    yield f"symmetric ones only over {way(even, 'even', 'some')} u and v"


@says("figures/02_tree_search")
def tree_search() -> Iterator[str]:
    bars = drawn("02_tree_search").set_index("opponent")
    wrong = bars.loc["uct@150, wrong sign"]
    tenth = word(int(10 * wrong[wrong.player != "safety+random"].win.min()))
    only = bars.loc["uct@150"].win.max() < 0.1
    yield so(f"wins more than {tenth} games in ten, but only against the search with its", only)
    right = bars.loc["uct@150"].set_index("player")
    bare = right.index.str.endswith("safety=no")
    yield so("nearly all games with the rule are draws", right.draw[~bare].min() > 0.95)
    almost = {word(ceil(10 * lost)) for lost in right.loss[bare]}
    yield f"almost {listed(almost)} in ten without it are lost"
    yield f"more than {word(int(10 * wrong.win.min()))} in ten are won"


@says("figures/02_priority_lists")
def lists() -> Iterator[str]:
    rows = drawn("02_priority_lists").set_index(["list", "place"]).cell.unstack("place")
    [start] = rows[1].unique()
    [second] = {CELLS[c] for name, c in rows[2].items() if str(name).startswith("learned")}
    best = CELLS[rows[2][next(name for name in rows.index if "as X" in str(name))]]
    yield f"All put the {CELLS[start]} first."
    corner = second.replace("upper left", "top left corner")
    yield f"The learned lists continue with the {corner}, the best list as X with the {best}."
    found = stored("spectral_orderings.csv").query("safety == 'no'").set_index("side").best_list
    drawn_lists = {side: rows.loc[f"best list as {side.upper()}"] for side in "xo"}
    margin = all([*map(int, found[side].split())] == [*drawn_lists[side]] for side in "xo")
    yield so("The two lists on the right have the largest margin of wins over losses", margin)
    weights = drawn("02_weight_maps").groupby(["features", "channel"]).cell
    orders = {key: tuple(np.argsort(-cells.round(9), kind="stable")) for key, cells in weights}
    alike = all(
        orders[kind, "X"] == orders[kind, "O"] == tuple(rows.loc[f"learned, {kind}"])
        for kind in ("standard", "symmetric")
    )
    yield so("each of the learned lists is the same for X as for O", alike)


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
    lines = ["analytical", "hybrid"]
    most = min(x.draw[lines].min(), o.draw[lines].min()) > 0.5
    yield so("which count lines and have no rule either, draw most", most)
    yield f"Exact results on 3x3 of {word(len(x))} players, on both sides"


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
    [flat] = set(rows.loc[0, 0])
    yield f"u=0, v=0 is one {ORDINALS[round(1 / flat)]} everywhere"


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
    yield so(
        f"After {word(first)} epochs nobody beats any of the seeds, though all still give value",
        rows.low[first] > 0,
    )
    yield f"rises from {rows.never_lose[1]} to {most} of 100 seeds within {word(first)} epochs"
    yield f"falls quickly and then stays near {word(round(rows['mean'][50:].mean(), -1))}"


@says("figures/03_self_play")
def self_play_in_the_figure() -> Iterator[str]:
    count = safe_seeds()["symmetric"]
    steady = count["falling, averaged"]
    kept = sorted(set(steady[steady.index >= 100_000]))
    yield f"a falling step {listed(kept, 'or')} of 20 seeds stay perfect"
    yield f"averaging ends at {word(count['constant, averaged'].iloc[-1])}."
    checks = safe_seeds().unstack("games")
    late = checks.loc[:, 100_000:]
    jumps = late.diff(axis=1).abs().mean(axis=1).unstack("way")
    ways = ("constant", "falling")
    steadier = all((jumps[f"{step}, averaged"] < jumps[step]).all() for step in ways)
    yield so("fluctuate between perfect and imperfect; averaged weights are steadier", steadier)
    end = late.iloc[:, -1]["symmetric"]
    need = end["constant, averaged"] < end["constant"] < end["falling, averaged"]
    yield so("Averaged weights are steadier; with shared tables they need a falling step as", need)
    yield f"by enumeration at each of {checks.shape[1]} checks"


@says("figures/03_extra_wins")
def extra_wins() -> Iterator[str]:
    rows = drawn("03_extra_wins")
    opens = rows[(rows.side == "O") & rows.line.str.startswith("network opens")]
    step = int(opens.sort_values("moves").win.diff().fillna(0).to_numpy().argmax())
    yield f"As O the largest step is the {ORDINALS[step]} reply of the network"
    x = rows[rows.side == "X"].set_index(["line", "moves"]).win
    then, first = x["network opens, then perfect"], x["perfect opens, then network"]
    only = then[1] > then[0] and first[0] == first[1]
    yield so("as X the first move brings a gain only if the perfect player goes on", only)


@says("figures/03_filling")
def filling() -> Iterator[str]:
    """When the weights of a table move, and which become the largest."""
    rows = drawn("03_filling")
    columns, times = rows.pattern.nunique(), rows.after.nunique()
    yield f"{capital(rows.to_move.nunique())} strips of {columns} columns and {word(times)} rows"
    yield f"its {rows.groupby('after').size().iloc[0]} weights after one position"
    after = rows.set_index("after").weight
    grey, faint = after["1 position"] == 0, after["1000 positions"].abs()
    yield so("At the top nearly everything is grey", grey.mean() > 0.9)
    moved = (faint > 0).mean() > 0.9 and faint.max() < 0.25
    yield so("after a thousand positions nearly everything is faintly coloured", moved)
    end = rows[rows.after == "100 epochs"].set_index(["to_move", "pattern"]).weight
    deepest = [set(end[side].mul(sign).nlargest(3).index) for side, sign in (("X", 1), ("O", -1))]
    pairs = [{f".{s}{s}", f"{s}.{s}", f"{s}{s}."} for s in "xo"]
    x, o = (f"{way(deepest == pairs, 'deep', 'pale')} {colour}" for colour in ("blue", "orange"))
    yield f"X's open pairs are {x} with X to move, and O's open pairs {o} with O to move"


@says("figures/03_look_up_tables")
def strongest_colours() -> Iterator[str]:
    """Which patterns have the largest weights on each kind of line."""
    rows = drawn("03_look_up_tables").set_index("pattern").abs()
    yield f"A table of {len(rows)} three-cell patterns by {word(len(rows.columns))} columns"
    largest = {
        kind: rows.filter(like=kind).max(axis=1).nlargest(2).index for kind in KINDS_OF_LINES
    }
    full = [kind for kind, patterns in largest.items() if set(patterns) == {"xxx", "ooo"}]
    pairs = [kind for kind, patterns in largest.items() if set(patterns) == {".xx", ".oo"}]
    yield so(
        f"three stones in a row have the strongest colours, but on the {listed(pairs)} pairs do",
        full == ["edge", "middle"],
    )


KINDS_OF_LINES = ("edge", "middle", "diagonal")
"""Lines of 3x3 that no symmetry turns into each other."""


@says("figures/03_match_tables")
def ordinary_counts() -> Iterator[str]:
    """How far the published wins lie from the middle of their distributions."""
    ids = ("ntuple-perfect-random", "ntuple-network-random", "ntuple-network-ply3")
    tables = drawn("03_match_tables").groupby("match", sort=False)
    far = []
    for claim, (_, table_of) in zip(ids, tables, strict=True):
        mean = np.average(table_of.wins, weights=table_of.chance)
        spread = np.sqrt(np.average((table_of.wins - mean) ** 2, weights=table_of.chance))
        far.append(abs(counted(claim)[0] - mean) / spread)
    ordinary = max(far) < 2
    yield so("The published counts are ordinary ones", ordinary)
    bars = f"{capital(len(far))} bell-shaped bar charts"
    yield so(f"{bars}, each with the published count marked close to its middle", ordinary)


@says("figures/03_mse_curve")
def shuffled_training() -> Iterator[str]:
    """The published errors beside the band of the seeds and the orders that never change."""
    rows = drawn("03_mse_curve").set_index("epoch")
    known = rows.dropna(subset=["published"])
    inside = known.published.between(known.low, known.high).all()
    fixed = ["by ply", "depth-first", "solved first", "sorted"]
    above = (rows[fixed].loc[:5].min(axis=1) > rows.high.loc[:5]).all()
    yield so("The published errors are those of shuffled training", inside and above)
    yield so("The published dots lie inside the narrow band of shuffled trainings", inside)
    yield so("the orders that never change lie above it in the first epochs", above)


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
def faithful() -> Iterator[str]:
    """How the document's counts fare beside a replay of its program."""
    rows = {n: r for n, r in ledger().items() if r["document"] == 4 and r["kind"] == "sampled"}
    fine = {n: r["verdict"] in ("reproduced", "within sampling error") for n, r in rows.items()}
    almost = 0.9 < np.mean(list(fine.values())) < 1
    yield so("almost every count agrees with what its program must give", almost)
    large = ("ising-cube", "ising-qubic", "ising-five")
    replayed = all(agrees for name, agrees in fine.items() if name.startswith(large))
    yield so("None of the counts differs from the replay by more than sampling error", replayed)
    [qubic], [won, _, lost] = counted("ising-qubic-self"), counted("ising-five-self")
    yield f"The document found {qubic / 10:.0f} % first-player wins on 4x4x4"
    yield so("almost a coin toss on 5x5x5", abs(won - lost) < 10)
    random = drawn("04_wedges").query("first == 'random'")
    sums = random.printed_win + 2 * random.printed_draw
    yield so("these games add up to more or less than a hundred", sums.max() > 1 > sums.min())


@says("notebooks/04_ising_bias.ipynb")
def times() -> Iterator[str]:
    """What is fast here, and what a search saves."""
    file = stored("ising_times.csv").set_index("what").seconds["3x3 network as CSV"]
    yield so("With arrays instead of nested vectors it is a fraction of a second", file < 1)
    row = ledger()["ising-any-second"]
    [saved] = re.findall(r"([\d.]+)% fewer", row["ours"])
    far = 100 - float(saved) > 100 * (100 - float(row["published"]))
    yield so("so the saving there is far from the stated one", far)


@says("notebooks/04_ising_bias.ipynb")
def staircase() -> Iterator[str]:
    """Where the plateau begins and the window lies, in steps by which a line gains weight."""
    text, program = (piece(name, 0.647) for name in ENERGIES)
    before = [p for p in curve.named("published", "o", "random") if p.start < program.start]
    last = min(p.outcome.loss for p in before) > program.outcome.loss
    yield so("the last step that saves games is the start of the plateau", last)
    both = zip((text, program), windows(), strict=True)
    inside = all(float(p.start) < low < high < float(p.end) for p, (low, high) in both)
    yield so("so it never gets into the positions where 0.647 passes over one", inside)
    low, high = too_small_and_too_large()
    yield so("Too small a $b$ passes over blocks, too large a one passes over wins:", low and high)
    _, w1, w2 = map(float, meaning.steps(energy_of("equation", GRID)))
    after = [p for p in curve.named("equation", "o", "random") if p.start > text.start]
    level = {p.outcome.loss for p in after} == {text.outcome.loss}
    begins = np.isclose(float(text.start), w1 / (w2 - w1))
    yield so(
        "On 3x3 all values from $w_1/(w_2 - w_1)$ to 1 lose equally little as second player",
        level and begins,
    )
    ends = (w1 / (w2 - 2 * w1), 1 - 2 * w1 / w2)
    yield so(
        "between $w_1/(w_2 - 2w_1)$ and $1 - 2w_1/w_2$ the player takes every win and stops every",
        np.allclose(windows()[0], ends),
    )
    best = min(p.outcome.loss for p in curve.named("published", "o", "random"))
    yield so(
        "The published 0.647 lies on the plateau of the program, an optimal value among many",
        program.outcome.loss == best and not program.is_point,
    )


def too_small_and_too_large() -> tuple[bool, bool]:
    """Whether below the windows only blocks are passed over, and above them only wins."""
    below, above = [], []
    for name, (low, high) in zip(ENERGIES, windows(), strict=True):
        rows = drawn("04_windows")
        rows = rows[rows.energy == name]
        small, large = rows[rows.to <= low], rows[rows["from"] >= high]
        below += [(small.wins == 0).all(), (small.blocks > 0).all()]
        above += [(large.blocks == 0).all(), (large.wins > 0).all()]
    return all(below), all(above)


@says("notebooks/04_ising_bias.ipynb")
def smallest_example() -> Iterator[str]:
    """Corner, centre, opposite corner, with both energies; and who is beaten how."""
    rows = drawn("04_energies").set_index("cell")
    own = way(rows.own.nunique() == 1, "the same everywhere", "larger in places")
    times = {1: "as large", 2: "twice as large"}[round(rows.other[2] / rows.other[1])]
    yield f"With the text's energy $P$ is {own}. $Q$ is {times} in the corners."
    looks = worths("published", "x...o...x", 0.647)
    edge = way(looks[1] > looks[2], "an edge looks better", "an edge looks worse")
    yield f"so {edge} to it there than a corner"
    lucky = ledger()["ising-statistical"]["ours"].count("win of X") == 2
    yield so("the second player can be beaten, at both biases that the document plays", lucky)
    mistakes = word(len(study.mistakes(energy_of("equation", GRID), 0.647)))
    yield f"the text's player makes exactly {mistakes} mistake, up to symmetry"
    pattern = r"{}, as first player: \*\*never loses above b = ([\d.]+)"
    safe = [told("04_ising_bias", pattern.format(name))[0] for name in ENERGIES]
    yield so("Is there any $b$ that never loses? As first player, yes.", max(safe) < 1)


def worths(energy: str, board: str, b: float) -> dict[int, float]:
    """What each move of O is worth to an energy in a position."""
    found = energy_of(energy, GRID)
    value = found.root.polynomial
    return {
        gain.move: float(value(gain.own)) + b * float(value(gain.other))
        for gain in gains(found, parse(board, GRID).tolist(), -1)
    }


@says("notebooks/04_ising_bias.ipynb")
def parabolas() -> Iterator[str]:
    """Where fits are lowest."""
    pattern = r"at ([\d.]+) by true rules, at ([\d.]+) as the program scores.* at \*\*([\d.]+)\*\*"
    lowest = told("04_ising_bias", pattern)
    third = len(set(lowest)) == 3 and max(lowest) - min(lowest) < 0.01
    yield so("Two details of the program matter in the third digit", third)
    points = drawn("04_fit")
    parabola = np.polynomial.Polynomial.fit(points.printed, points.lost, 2)
    under = way(parabola(points.printed).min() < 0, "below zero", "above zero")
    yield f"Look also at where the parabola goes: {under}, to fewer than no games lost"
    fits = stored("ising_program_fits.csv").groupby("sweep")
    mean = fits.mean(numeric_only=True)
    near = abs(mean.quadratic_minimum["4x4"] - 0.647) < 0.05
    yield so("the parabola of 4x4 is lowest near the chosen value", near)
    worse = mean.late_mean["5x5"] >= mean["mean"]["5x5"] and fits.zeros.max()["5x5"] == 0
    yield so("5x5 does not improve with $b$ and has no $b$ without a loss", worse)


def flaws() -> Any:
    """Shares of results of the repaired program with some of its departures, by their names."""
    return drawn("04_flaws").set_index(["flaw", "board"]).sort_index()


def apart(flaw: str, other: str = "all (published)") -> Any:
    """How far the shares with a departure lie from other ones, by board."""
    return (flaws().loc[flaw] - flaws().loc[other]).abs().sum(axis=1)


ALONE = ("stepping", "diagonals", "gaps", "draw first", "win test")
PAIR = "stepping + win test"
"""Departures of the program, and two of them together."""


@says("notebooks/04_ising_bias.ipynb")
def departures() -> Iterator[str]:
    """What each departure of the program does by itself."""
    squares, none = ["4x4", "5x5", "6x6"], "none (repaired)"
    little = all(apart(flaw, none).max() < 0.01 for flaw in ("diagonals", "draw first"))
    yield so("the diagonals and the draw-first rule change nothing or next to nothing", little)
    more = (flaws().loc["gaps"] - flaws().loc[none]).draws
    some = more[squares].between(0.01, 0.1).all() and more["4x4x4"] == 0
    yield so("gaps make a few more draws on squares", some)
    fewer = (flaws().loc["stepping"].ising_wins < flaws().loc[none].ising_wins).all()
    yield f"the doubled step leaves the game sound but {way(fewer, 'weakens', 'helps')} the player"
    far = pd.DataFrame({flaw: apart(flaw)[squares] for flaw in ALONE})
    nearest = (far.idxmin(axis=1) == "win test").all()
    yield so("it comes nearest to the published numbers on squares", nearest)
    none_gives = min(apart(flaw).min() for flaw in (*ALONE, PAIR)) > 0.01
    yield so(
        "no departure gives the published numbers by itself, nor does the pair of stepping and win",
        none_gives,
    )


@says("notebooks/04_ising_bias.ipynb")
def law_in_n() -> Iterator[str]:
    """Boards with a proof, the ratios, and where the conjecture begins."""
    rows = drawn("04_law").set_index("n")
    proven = rows[rows.safe.notna()]
    edges = [f"{n}x{n} it is ${r.replace('w', 'w_')}$" for n, r in proven.ratio.items()]
    yield f"On {', on '.join(edges)}.".replace("it is", "the edge is", 1)
    boards = listed(f"{n}x{n}" for n in proven.index)
    yield f"and prove, for {boards}, above which $b$"
    last = max(proven.index)
    yield f"From {last + 1}x{last + 1} on the law is a conjecture."
    yield f"From {last + 1}x{last + 1} on the law in $n$ is a conjecture."
    yield f"that is what the search shows up to {last}x{last}, position by position"
    yield f"and stand only for squares from 3x3 to {last}x{last}"
    [power] = {round(log10(gap)) for gap in proven.safe - proven.edge}
    yield f"A proof begins $10^{{{power}}}$ above the ratio"
    changes = way(proven.edge.is_monotonic_decreasing, "does change", "does not change")
    yield f"So on squares the smallest safe $b$ {changes} with the size of the board"
    scaled = rows.edge * rows.index * (rows.index + 1) ** (1 / rows.index)
    yield so("For the chosen $c$ this falls like $1/(nc)$", scaled.between(1, 1.2).all())


def safe_draws(side: str) -> list[float]:
    """Shares of draws on 4x4 for growing b, from where no game is lost to random play."""
    rows = stored("ising_curve_4x4.csv")
    kept = rows[(rows.side == side) & (rows.loss == "0") & (rows["from"] < rows.to)]
    return [float(Fraction(draw)) for draw in kept.draw]


def mostly_up(values: list[float]) -> bool:
    """Whether most steps go up, though not all, and none is large."""
    steps = np.diff(values)
    return bool(0.8 < (steps > 0).mean() < 1 and abs(steps).max() < 0.03)


@says("notebooks/04_ising_bias.ipynb")
def without_a_loss() -> Iterator[str]:
    """Where losing ends, and what a larger b then costs."""
    yield so("on the whole, whoever defends more wins less", mostly_up(safe_draws("o")))
    rows = stored("ising_curve_4x4.csv").query("side == 'o' and loss == '0'")
    four, three = rows["from"].min(), float(piece("equation", 0.647).start)
    yield so("where a range begins changes with the board", four != three)
    edge = drawn("04_law").set_index("n").edge[4]
    yield so("it stops winning just where everybody does", np.isclose(four, edge))


@says("notebooks/04_ising_bias.ipynb")
def other_weights() -> Iterator[str]:
    """Two plies, and other bases."""
    pattern = r"b = ([\d.]+): losses \S+ to (\S+), wins (\S+) to ([\d/]+)"
    rows = re.findall(pattern, ledger()["ising-deeper"]["ours"])
    two = {float(b): (Fraction(loss), Fraction(win)) for b, loss, _, win in rows}
    one = piece("equation", 0.647).outcome
    lowered = two[0.1][0] == 0 and two[0.1][1] > one.win > two[0.647][1]
    yield so("can make the player more effective, if $b$ is lowered with it", lowered)
    curves = {base: potential(base) for base in (2, 3, 4, 8)}
    same = [base for base, pieces in curves.items() if curve.at(pieces, 0.647).outcome == one]
    [flat] = set(curves) - set(same)
    yield f"At $b = 0.647$ the bases {listed(same)} give exactly the result of $k!\\,c^k$"
    least = min(p.outcome.loss for p in curves[flat])
    begins = next(float(p.start) for p in curves[flat] if p.outcome.loss == least)
    yield f"base {flat} is too flat, as its plateau begins only at $b = {begins:g}$"


def potential(base: int) -> list[curve.Piece]:
    """The exact curve of the weights base^k, as second player against random play on 3x3."""
    return curve.curve(power_energy(GRID, Fraction(base)), -1, random_agent(GRID))


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
    rows = drawn("04_exact_curve").groupby("energy").loss
    high, low = rows.first(), rows.min().max()
    at = [f"{100 * high[name]:.0f}" for name in ENERGIES]
    yield so(f"fall in steps, from {listed(at)} percent at b = 0 to below 1 percent", low < 0.01)


@says("figures/04_true_rules")
def no_more_games() -> Iterator[str]:
    """By board beyond small b: the text's energy against the program's."""
    rows = stored("ising_sweeps.csv").query("players == 'RI' and b >= 0.25")
    lost = rows.pivot_table(index="board", columns="energy", values="win", aggfunc="sum")
    more = way((lost.equation <= lost.published).all(), "no more", "more")
    yield f"Beyond small b the text's energy loses {more} games than the program's"
    also = way((lost.equation < lost.published).all(), "more", "no more")
    yield f"the program's energy loses {also}."
    three, cube = (rows.query("board == @n and energy == 'equation'") for n in ("3x3", "3x3x3"))
    yield f"the text's energy loses about {lost_to_x(three).mean():.1f} percent on 3x3"
    others = lost.equation.drop(["3x3", "3x3x3"])
    nothing = way((others == 0).all(), "nothing", "little")
    yield f"and {nothing} on the other boards but 3x3x3"
    last, rises = lost_to_x(cube).iloc[-1], lost_to_x(cube).iloc[-1] > 2 * lost_to_x(cube).min()
    yield so(f"where its losses rise again to {last:.1f} percent", rises)
    law = stored("ising_law.csv").query("verdict == 'never loses' and side == -1")
    yield f"the least b from which no opponent wins, proven on {listed(law.board)}"


def lost_to_x(rows: Any) -> Any:
    """Games that O loses, in percent."""
    return 100 * rows.win / rows.games


@says("figures/04_wins")
def wins_over_b() -> Iterator[str]:
    """On each square, whether a larger b goes with fewer wins, and how fast they fall."""
    rows = stored("ising_sweeps.csv").query("board in ('3x3', '4x4', '5x5', '6x6')")
    won = rows.assign(share=rows.loss / rows.games).set_index(["energy", "board"])
    slopes = {
        key: float(np.polyfit(part.b, part.share, 1)[0])
        for key, part in won.groupby(["energy", "board"])
    }
    fewer = way(max(slopes.values()) < 0, "fewer", "more")
    yield f"on the whole, the larger b, the {fewer} games it wins"
    text, program = (pd.Series(slopes).loc[name] for name in ENERGIES)
    slowly = text.max() < 0 and text.min() > -0.1
    faster = way((program < text).all(), "faster", "more slowly")
    yield so(
        f"shares of wins fall slowly with b for the text's energy and {faster} for the program's",
        slowly,
    )


@says("figures/04_all_curves")
def all_curves() -> Iterator[str]:
    """Where the curves are level, and games of a player against itself."""
    rows = drawn("04_all_curves").query("`from` < to")
    curves = rows.groupby(["energy", "side", "opponent"])
    level = rows[(rows.to > 0.35) & (rows["from"] < 0.98)]
    shares = level.groupby(["energy", "side", "opponent"])[["win", "draw", "loss"]]
    still = (shares.max() - shares.min()).max().max() < 0.03
    yield so("Beyond small b and short of b = 1 hardly anything changes", still)
    yield f"{capital(len(curves))} stacked area charts"
    late = level.groupby("opponent")[["win", "draw"]].min()
    yield so("Against random mostly wins", late.win["random"] > 0.5)
    yield so("against minimax mostly draws after small b", late.draw["minimax"] > 0.5)
    own = rows.query("opponent == 'ising' and side == 'x'").set_index("energy")
    text, half = own.loc["equation"], own.loc["published"].query("win == draw == 0.5").iloc[0]
    yield f"draws for the text's energy beyond b = {text[text.draw == 1]['from'].min():.2f}"
    yield (
        f"between {half['from']:.2f} and {half.to:.2f} the program's wins half of its games as X "
        "and draws the others"
    )


@says("figures/04_energies")
def corner_looks_best() -> Iterator[str]:
    """Own and other's gain after corner, centre, opposite corner; and what a corner is worth."""
    rows = drawn("04_energies").set_index("cell").dropna()
    yield f"In P all free cells are {way(rows.own.nunique() == 1, 'alike', 'different')}"
    best = rows.index[rows.other == rows.other.max()]
    yield f"in Q, and in both sums, the {word(len(best))} corners are worth most"
    state = int(TREE.index(parse("x...o...x", GRID)[None])[0])
    loses = way(all(TREE.value[TREE.children[state][best]] == 1), "loses", "holds")
    kind = way(set(best) <= {0, 2, 6, 8}, "corner", "edge")
    yield f"At every b > 0 a {kind} looks best, and a {kind} {loses}."


@says("figures/04_fit")
def fitted() -> Iterator[str]:
    """Losses over b beside the parabola."""
    rows = drawn("04_fit").set_index("printed").lost
    parabola = np.polynomial.Polynomial.fit(rows.index, rows, 2)
    level = rows.loc[0.35:]
    high, low = round(rows.iloc[0], -1), round(level.mean())
    yield f"falling from {high} at b = 0 to about {low} from b = 0.35 on"
    lowest = rows.index[parabola(rows.index).argmin()]
    long = level.loc[: lowest - 0.1].mean() < level.mean() + 1
    yield so("The parabola is lowest where the losses have long been level", long)
    far = parabola(0) < 0.75 * rows.iloc[0]
    place = way(parabola(0.2) > rows.loc[0.18:0.22].max(), "above", "below")
    zero = way(parabola(0.65) < 0, "below", "above")
    yield so(
        f"the parabola lies far below the points at b = 0, {place} them at 0.2 and {zero} zero",
        far,
    )


@says("figures/04_flaws")
def departures_in_the_figure() -> Iterator[str]:
    """What each departure costs or adds."""
    bars, none = flaws(), flaws().loc["none (repaired)"]
    yield f"{capital(bars.index.unique('flaw').size)} bars each"
    gives = min(apart(flaw).min() for flaw in (*ALONE, PAIR)) > 0.01
    yield so("Neither a single departure nor the pair gives what all together give", gives)
    little = all(apart(f, "none (repaired)").max() < 0.01 for f in ("diagonals", "draw first"))
    yield so("diagonals and draw first change the repaired program little", little)
    added = (bars.loc["gaps"] - none).draws
    yield so("gaps add some draws on squares", (added.drop("4x4x4") > 0).all())
    costs = (none - bars.loc["stepping"]).ising_wins
    most = sorted(costs.nlargest(2).index)
    yield so(f"stepping costs wins, most on {listed(most)}", costs.min() > 0)
    draws = bars.loc["win test"].draws.drop("4x4x4")
    yield so("the win test turns most games on squares into draws", draws.min() > 0.5)


@says("figures/04_self_play")
def against_itself() -> Iterator[str]:
    rows = drawn("04_self_play").query("b >= 0.25").set_index("board")
    draws = rows.draw / rows.games
    yield so(
        "Beyond small b the first player draws on 4x4 and nearly always on 5x5x5, but not on 4x4x4",
        draws["4x4"].min() == 1 and draws["5x5x5"].min() > 0.95 and draws["4x4x4"].min() < 0.5,
    )


@says("figures/04_wedges")
def wedges() -> Iterator[str]:
    rows = drawn("04_wedges")
    gaps = [(rows[what] - rows[f"printed_{what}"]).abs().max() for what in ("win", "draw", "loss")]
    yield so(f"disc and outer ring agree closely in all {word(len(rows))}", max(gaps) < 0.1)


@says("figures/04_law")
def falling_edge() -> Iterator[str]:
    rows = drawn("04_law").set_index("n")
    first, last, proven = rows.edge.iloc[0], rows.edge.iloc[-1], rows.index[rows.safe.notna()]
    yield f"Line chart over n from {rows.index[0]} to {rows.index[-1]}"
    yield so(
        f"the ratio falls from about {first:.2f} to below {ceil(10 * last) / 10}", first > last
    )
    low, high = min(proven), max(proven)
    yield f"from {low}x{low} to {high}x{high} two triangles stand beside the circle"


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
    rows = drawn("04_network").assign(decided=lambda states: states.value != 0)
    decided = rows.groupby("ply").decided.mean()
    yield so(
        "from top to bottom; first circles only", decided.loc[:1].max() == 0 < decided.loc[2:].min()
    )
    begin = next(ply for ply in decided.index if decided.loc[ply:].min() > 0.75)
    fifths = {word(round(5 * share)) for share in decided.loc[begin:]}
    yield f"from the {ORDINALS[begin + 1]} layer on about {listed(fifths)} in five are triangles"
    last = rows[rows.decided & (rows.ply == rows.ply.max())].value
    yield f"in the last all of these are {way((last == 1).all(), 'X', 'O')}'s."


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
    rows = drawn("04_cost").groupby("players").seconds_per_game.agg(["min", "max"])
    random, own = rows.loc["RI"], rows.loc["II"]
    few = random["min"] < 1e-6 < random["max"] < 5e-6
    yield so("rise from a fraction of a microsecond to a few microseconds", few)
    yield so("they rise to a fraction of a millisecond", 1e-4 < own["max"] < 1e-3)


@says("figures/04_windows")
def outside_the_window() -> Iterator[str]:
    out = all(not low <= 0.647 <= high for low, high in windows())
    yield f"The published 0.647 lies {way(out, 'outside', 'inside')}."
    low, high = too_small_and_too_large()
    yield so("blocks passed over fall to none at the start of a grey window", low)
    yield so("wins passed over rise from none at its end, for both energies", high)


@says("figures/04_curve_4x4")
def four_by_four_exactly() -> Iterator[str]:
    rows = stored("ising_curve_4x4.csv")
    last = rows[rows["from"] < rows["to"]].groupby("side").tail(1).set_index("side")
    draws = [word(round(100 * float(Fraction(last.draw[side])))) for side in "ox"]
    yield f"to {draws[0]} percent as second and {draws[1]} percent as first player"
    second = rows[rows.side == "o"]
    start = second[second.loss == "0"]["from"].min()
    yield f"losses vanish at {start:.2f}"
    both = all(mostly_up(safe_draws(side)) for side in "ox")
    yield so("after which draws change in small steps, mostly upwards", both)
    never = rows[rows["from"] > start].loss
    yield so(
        "Beyond b = 0.1909 it never loses to any opponent, on either side", (never == "0").all()
    )


@says("figures/04_program_fits")
def replays() -> Iterator[str]:
    rows = drawn("04_program_fits").groupby("sweep").lost.mean()
    five, six = (round(rows[next(s for s in rows.index if n in s)]) for n in ("5x5", "6x6"))
    yield f"5x5 scatters around {five} and 6x6 around {six} of 100"
    lost = drawn("04_program_fits").set_index("sweep")
    late = lost[lost.printed > 0.4].groupby("sweep").lost.mean()
    yield so(
        "3x3 falls to almost zero and 3x3x3 lies close to it", max(rows["3x3x3"], late["3x3"]) < 1
    )
    first = round(lost.loc["4x4"].lost[:5].mean(), -1)
    yield f"4x4 falls from {word(first)} to about {word(round(late['4x4']))}"
    yield f"4x4x4 is {way(lost.loc['4x4x4'].lost.max() == 0, 'all', 'almost all')} zeros"


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


@says("figures/05_symmetry")
def savings() -> Iterator[str]:
    rows = drawn("05_symmetry").query("kind == 'all positions'").set_index("ply").saving
    plies = word(rows.index.max())
    yield f"rises from {rows[0]:g} to nearly {ceil(rows.iloc[-1])} in {plies} moves"


@says("figures/05_order")
def orders() -> Iterator[str]:
    nodes = drawn("05_order").set_index(["variant", "limit"]).nodes
    fixed = [nodes["centre, corners, edges"], nodes["lowest index"]]
    [at15] = {word(round(order[15])) for order in fixed}
    ends = sorted(order[20] for order in fixed)
    yield f"in fixed orders about {at15} times at 15 cells and {ends[0]:.1f} or {ends[1]:.1f} times"
    none = nodes["no table"]
    yield f"takes {none.min():.1f} to {none.max():.1f} times the nodes"


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


@says("figures/06_formula_map")
def safe_formulas() -> Iterator[str]:
    rows = drawn("06_formula_map")
    safe = ((rows.worst_x >= 0) & (rows.worst_o >= 0)).groupby(rows.board).sum()
    none, many = way(safe["3x3"] == 0, "no", "some"), way(safe["4x4"] > 50, "many", "few")
    yield f"On 3x3 {none} formula is safe on both sides; on 4x4 {many} are."


@says("figures/06_larger_boards")
def drawn_games() -> Iterator[str]:
    games = stored("arena_games.csv")
    draws = games[games.board == "3x3x3"].draw.sum()
    yield f"On 4x4 good players draw; on 3x3x3 {way(draws == 0, 'no', 'some')} game is drawn"


@says("figures/06_tables_ladder")
def bars() -> Iterator[str]:
    rows = drawn("06_tables_ladder")
    yield f"Bars fall from {rows.misplayed.iloc[0]} to {rows.misplayed.iloc[-1]}."
    perfect = [float(Fraction(text)) for text in rows.against_perfect]
    jump = max(perfect[:3]) < -0.8 and min(perfect[3:]) > -0.1
    yield so("stays near minus one up to pairs and then jumps to zero", jump)


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

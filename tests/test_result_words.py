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
from importlib.metadata import distributions, version
from importlib.util import find_spec
from itertools import combinations, pairwise, permutations
from math import ceil, comb, factorial, floor, log10
from os import getpid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import prose_numbers as prose
import pytest
from scipy.stats import binom, binomtest

from ttt_lib import Grid, agent, solve
from ttt_lib.comparison.matrix import table, verdict
from ttt_lib.evidence import claims, figures, profiles
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.elsewhere import published_elsewhere
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.store import read_table
from ttt_lib.game import response
from ttt_lib.game.board import parse
from ttt_lib.game.exact import Outcome, exact_values, policy_table, worst_case
from ttt_lib.game.gametree import MAX_CANONICAL_CELLS
from ttt_lib.game.policy import random_agent, winning_cells
from ttt_lib.game.stats import wilson
from ttt_lib.ising import curve, meaning, study
from ttt_lib.ising.energy import energy_of, factorial_term, gains, position_term, power_energy
from ttt_lib.ntuple.network import Patterns
from ttt_lib.people import book_players, course, insight, lesson_facts, lessons, trap
from ttt_lib.people.session import OPPONENTS
from ttt_lib.playout_mlp import exact
from ttt_lib.playout_mlp.players import exact_agent
from ttt_lib.spectral.theory import list_agent
from ttt_lib.the_game import facts
from ttt_lib.the_game.lines import draw_criteria
from ttt_lib.ultimate.learn import config, selfplay
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
LESSONS = "notebooks/exercises/lessons"
SLIDES = f"{LESSONS}/slides_4.md"
ANSWERS = f"{MASTERS}/end_exercises.md"
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


def header_number(file: str, name: str) -> float:
    """A number in the header of a stored network."""
    pattern = rf'\\"{name}\\": ([\d.]+)'
    [found] = re.findall(pattern.encode(), (ROOT / "data" / file).read_bytes()[:20_000])
    return float(found)


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
    yield so("As X it costs nothing; as O there is a choice", len(x) == 1 < len(o))
    yield so("For X there is nothing to trade: its frontier is a single point", len(x) == 1)
    perfect = met("minimax:ties=uniform", "random").win
    yield so("Against Random it is not: since Random makes mistakes", x[0].win > perfect)


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
def guesses() -> Iterator[str]:
    """What the likeliest outcome is, and how likely."""
    openings = [facts.random_outcome(TREE, int(state)) for state in TREE.children[0]]
    likeliest = all(one.win > max(one.draw, one.loss) for one in openings)
    yield so('the best guess is "x wins" wherever the stone is', likeliest)
    majority = facts.random_outcome(TREE, 0).win > Fraction(1, 2)
    yield so("x wins the majority of random games", majority)
    ceiling = drawn("01_accuracy_by_empties").set_index("empty").ceiling
    yield so("the label is little better than a coin toss", 0.5 < ceiling[6] < 0.6)


@says("notebooks/01_playout_mlp.ipynb")
def flattered() -> Iterator[str]:
    """What the leak is worth, and to whom."""
    mean = seeds().mean(numeric_only=True)
    rows = mean.oracle_accuracy - mean.accuracy
    yield so("Tested the lesson's way, it seems closer. That is the leak",
             rows < mean.grouped_oracle_accuracy - mean.grouped_accuracy)  # fmt: skip
    [whole] = told("01_playout_mlp", r"flatters a network by \*\*([\d.]+)")
    [late] = told("01_playout_mlp", r"the estimate is larger: \*\*([\d.]+)")
    yield f"headline number is flattered too, and by {way(late > whole, 'more', 'less')}"
    gain, error = told("01_playout_mlp", r"gains ([\d.]+) ± ([\d.]+) from the leak")
    yield f"its gain is {way(gain < error, 'smaller', 'larger')} than the uncertainty of that gain"
    below = seeds().population_accuracy.max() < exact.ceiling(exact.population())
    yield so("a narrow cluster well below the ceiling", below)
    others = published_elsewhere(1).astype({"playouts": float, "accuracy": float})
    more = others.accuracy[others.playouts > 1000]
    gained = more.mean() - seeds().accuracy.mean()
    none = gained < 2 * seeds().accuracy.std() / len(more) ** 0.5
    yield so(f"The {word(len(more))} with more playouts show no clear gain", none)


@says("notebooks/01_playout_mlp.ipynb")
def remarks() -> Iterator[str]:
    """Remarks and advice of the lesson that hold."""
    names = ("mlp-x-will-win", "mlp-o-will-win", "mlp-draw-at-7", "mlp-bad-for-x")
    held = sum(ledger()[name]["verdict"] == "reproduced" for name in names)
    yield f"The other {word(held)} remarks hold"
    advice = [ledger()[f"mlp-{name}"] for name in ("centre", "avoid-loss", "play-to-win")]
    sound = sum(row["verdict"] == "reproduced" for row in advice)
    strict = sum("any other move o wins" in row["ours"] for row in advice)
    yield f"All {word(sound)} pieces of advice are sound, {word(strict)} of them in the strongest"
    found, of = told("01_playout_mlp", r"\*\*(\d+) of (\d+)\*\* where x must play 7")
    few = way(found < 2 * of / 3, "many", "few")
    yield f"finds the move that avoids the loss; {few} of ours do not"
    ends = [told("01_playout_mlp", rf"surest of {side} .*? expects ([-+\d.]+) .*?\*\*([-+\d.]+)")
            for side in "ox"]  # fmt: skip
    over = all(abs(expected) > abs(true) for expected, true in ends)
    yield so("the networks are **overconfident** at both ends", over)


@cache
def mean_lost() -> Any:
    """Mean chance of losing to random play, by values, depth and side."""
    return strength().groupby(["values", "depth", "side"]).lost.mean()


@says("notebooks/01_playout_mlp.ipynb")
def horizons() -> Iterator[str]:
    """Networks asked about other boards, beside no network, and playouts at some temperatures."""
    net, both, ends = (mean_lost()[f"net {kind}"] for kind in ("x", "both", "x, ends too"))
    more = (ends > net[ends.index]).all()
    yield f"the networks lose {way(more, 'more', 'less')} on average, because a network that"
    yield so("and as o it is hardly better", 0.95 < both[1, "o"] / net[1, "o"] < 1)
    blind = drawn("01_strength_by_depth").set_index(["values", "depth", "side"]).loc["lookahead"]
    fewer = (net < blind["median"][net.index]).all()
    deepest = word(net.index.get_level_values("depth").max())
    yield so("it cuts the mean losses to random play at depths one to "
             f"{deepest}, on both sides", fewer)  # fmt: skip
    uniform = mean_lost()["exact, ties uniform", 1]
    mild, sharp = (mean_lost()[f"pmc limit, T={heat}", 1, "o"] for heat in (1.0, 0.05))
    yield so("As o, gentle guidance cuts the losses, and sharp guidance is worse than none",
             mild < uniform["o"] < sharp)  # fmt: skip
    yield so("as x uniform playouts already lose nothing", uniform["x"] == 0)
    better = [int(n) for n in re.findall(r"\d+", ledger()["mlp-playouts-pmc"]["ours"])]
    yield so("make Pure Monte Carlo better in most of these matches", 2 * better[1] > better[0])
    of, up, down = map(int, re.findall(r"\d+", ledger()["mlp-playouts-uct"]["ours"])[:3])
    yield so("most of its matches show no clear difference, and of the others more get worse than",
             up < down < up + down < of / 2)  # fmt: skip


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


@says("notebooks/02_spectral_dct.ipynb")
def rule() -> Iterator[str]:
    """What the safety rule is worth."""
    bars = drawn("02_tree_search").set_index(["opponent", "player"]).draw["uct@150"]
    ruled = bars[[not name.endswith("safety=no") for name in bars.index]]
    yield so("the rule holds nearly every game to a draw, with or without a model behind it",
             "safety+random" in ruled and ruled.min() > 0.95)  # fmt: skip
    greedy = re.findall(r"([\d.]+) \(([\d.]+)\)", ledger()["dct-beats-greedy"]["ours"])
    won, lost = greedy[-1]
    yield f"as O the bare policy loses {way(lost > won, 'more', 'less')} than it wins"
    wins = drawn("02_strength").set_index(["opponent", "player", "side"]).win["random"]
    kinds = ("spectral", "symmetric")
    fewer = all((wins[f"{kind}, no rule"] < wins[f"{kind} + rule"]).all() for kind in kinds)
    yield so("Switching the rule off costs wins as well, on both sides and with both kinds", fewer)
    ours = float(ledger()["dct-heat-single"]["ours"].split()[0])
    more = 100 * ours - float(ledger()["dct-heat-single"]["published"])
    yield f"where our symmetric features give a little {way(0 < more < 1, 'more', 'less')}."


@says("notebooks/02_spectral_dct.ipynb")
def networks() -> Iterator[str]:
    """The linear model beside networks with the same labels."""
    rows = stored("spectral_networks.csv").groupby(["labels", "hidden"]).mean(numeric_only=True)
    nets = rows.drop(index=0, level="hidden")
    lead = nets.sub(rows.xs(0, level="hidden"), level="labels")
    ahead = (lead[["tie_aware", "x_random_win", "o_random_win"]] > 0).all(axis=None)
    ahead = ahead and (lead.misplayed < 0).all()
    yield so("Without the rule the networks are ahead in accuracy, in states misplayed and in wins",
             ahead)  # fmt: skip
    less = (lead.safe_o_minimax_loss > 0).all()
    yield f"the *linear* model loses {way(less, 'less', 'more')} often, whatever the labels"
    bare, ruled = transfer("no"), transfer("yes")
    apart = max((wins.carried - wins["trained there"]).abs().max() for wins in (bare, ruled))
    yield so("and about as much as weights trained on the board itself", apart < 6)


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
def tables() -> Iterator[str]:
    """Other sets of tables, and the least error of any."""
    error = variants().error
    faster = (error[["by kind", "symmetric"]] < error["document"]).all()
    yield f"Shared weights learn {way(faster, 'faster', 'slower')}: a position now teaches"
    single = variants().loc["one table"]
    worse = single.error > error["document"] and single.never_loses == 0
    yield so("A single table for all lines is one step too far", worse)
    starts = stored("ntuple_optimum.csv").groupby("variant").error
    least = starts.min()
    same = max(starts.max()) - min(least) < 1e-8
    yield so("at this optimum sharing by symmetry adds no error", same)
    half = starts.count()
    yield so("half of the starts used shared tables and half did not", half.nunique() == 1)
    last = stored("ntuple_epochs.csv").query("epoch == 100").misplayed
    yield so("There are dozens, even after the last epoch", last.between(24, 100).all())
    differ = [r for r in ledger().values() if r["document"] == 3 and r["verdict"] == "differs"]
    yield f"{way(differ, 'some', 'none')} of the numbers that it measured is out of line with ours"
    wins = drawn("03_extra_wins").query("line == 'network opens, then perfect'")
    gained = wins.groupby("side").win.agg(lambda win: win.iloc[-1] - win.iloc[0])
    yield so("as X there is little to gain, as O a lot", 4 * gained["X"] < gained["O"])
    [share] = re.findall(r"it is ([\d.]+)%", ledger()["ntuple-because"]["reason"])
    yield so("Just over half of the lead goes to the two moves", 50 < float(share) < 55)
    weights = Patterns(Grid(4), sharing="symmetric").parameters
    yield so("fewer than three hundred numbers", weights < 300)


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
    end = float(piece("equation", 0.647).end)
    yield so("any b on the plateau below 1 is the same player", end == 1)


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


# ---------------------------------------------------------------------------- answers for teachers


@cache
def printed(answer: str) -> list[list[str]]:
    """What the code of an answer prints, line by line in words; another test runs the code."""
    part = raw(ANSWERS).split(f"\n### {answer}\n")[1].split("\n##")[0]
    shown = re.findall(r"^```text\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
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
    part = raw(ANSWERS).split(f"\n### {answer}\n")[1].split("\n##")[0]
    return whole(re.findall(r"line = .*?(\[.*?\])\n", part)[:1])


@cache
def draws_of_4x4() -> Any:
    """The full boards of 4x4, eight stones each, on which nobody has a line."""
    boards = np.full((comb(16, 8), 16), -1, dtype=np.int8)
    for board, cells in zip(boards, combinations(range(16), 8), strict=True):
        board[list(cells)] = 1
    return boards[Grid(4).winner(boards) == 0]


@says(ANSWERS)
def short_proofs() -> Iterator[str]:
    """What proofs of a few lines say, by going through the cases."""
    yield so("756. No game has ended by then.", not TREE.finished[TREE.ply <= 4].any())
    xs = (draws_of_4x4() == 1).sum(axis=0)
    yield so("among draws cell c is as often X's as O's", (2 * xs == len(draws_of_4x4())).all())
    after = {facts.random_outcome(TREE, int(state)).draw for state in TREE.children[0]}
    yield so("leads out of the set of boards, and the argument fails", len(after) > 1)
    deep = policy_table(agent("lookahead:depth=9"), TREE)
    same = (deep == table("minimax:ties=uniform")).all()
    yield f"The tables are {way(same, 'equal', 'different')}: with {word(GRID.cells)} plies"
    small = solve(Grid(2))
    [end] = set(small.ply[small.finished])
    yield f"so X wins with its {ORDINALS[(end + 1) // 2]} stone, at ply {end}."


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
    stones = [9 - exact.population(side).empties for side in "ox"]
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
    [threat] = threats(GRID, parse(text, GRID)[None], 1)
    yield so(f"X threatens to complete the middle column at cell {threat}.", threat % 3 == 1)


@says(ANSWERS)
def answers_on_a_mean_of_networks() -> Iterator[str]:
    """01.5: what a mean of forecasts says, and how often it is right."""
    alone, mean, sure, sure_mean, losses = printed("01.5")
    yield so("Over all boards nearly all of it.", float(mean[5]) < 0.1 * float(alone[5]))
    yield f"states **{alone[3]}** for its likeliest outcome and is right in **{alone[4]}** of cases"
    yield f"a difference of **{alone[5]}**; for the mean of twenty it is **{mean[5]}**"
    down = way(losses[2] > losses[3], "falls", "rises")
    yield f"the log loss {down} from **{losses[2]}** to **{losses[3]}**, not far from the best"
    yield f"the best possible **{losses[5]}**"
    much, little = (way(float(row[5]) > 0, "much", "little") for row in (sure, sure_mean))
    yield f"one network claims too {much} (**{sure[5]}**), the mean too {little}"
    yield f"the mean too {little} (**{sure_mean[5]}**)"
    fewer = way(sure_mean[2] < sure[2], "fewer", "more")
    yield f"of {fewer} boards (**{sure_mean[2]}** of them instead of **{sure[2]}**)"


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
    yield f"which leaves ({some} + 5)/2 = **{free}** independent ones"
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
        "".join(order[:3]): (order[10], order[12], games[6], games[-2], games[-1])
        for order, games in zip(rows[::2], rows[1::2], strict=True)
    }
    edges, corners, top = lists["417"], lists["408"], lists["021"]
    yield f"stone 3 completes it in **{so(edges[2], edges[2] == corners[2])}** of 384 games"
    yield f"in **{edges[4]}** games if X began with edges, and in **{corners[4]}** if it began with"
    yield f"it goes on to win **{edges[1]}** and **{corners[1]}**"
    yield so(
        f"X has fewer pairs, too (**{edges[3]}** against **{corners[3]}**)", edges[3] < corners[3]
    )
    yield so(f"**{edges[0]}** wins against **{corners[0]}**.", edges[0] > corners[0])
    yield so(f"wins more games still, **{top[0]}**, but loses **{top[1]}**", top[0] > edges[0])
    apart = [word(sum(c in line and 4 not in line for line in GRID.lines)) for c in (1, 0)]
    yield f"an edge lies on {apart[0]} line that avoids the centre, a corner on {apart[1]}"
    deny = int(edges[4]) < int(corners[4]) and edges[2] == corners[2]
    yield so("because they deny O more, not because they win sooner", deny)


@says(ANSWERS)
def answers_on_tables() -> Iterator[str]:
    """03.1 to 03.4: rows and lines left out, and targets that decay."""
    *running, every = map(whole, printed("03.1"))
    [(*worst, left)] = {tuple(row) for row in running}
    yield so(f"with each of {word(len(running))} seeds it never loses", worst == [0, 0])
    yield f"it misplays **{left}** states instead of **{every[-1]}**"
    rows = printed("03.3")
    gone = {row[2]: whole(row[3:]) for row in rows if row[0] == "without"}
    more = [whole(row)[3:] for row in rows if row[0] == "nor"]
    six = f"{word(len(more))} tables never lose (**{gone['diagonals'][2]}** states are misplayed)"
    yield so(f"The diagonals can go: {six}", gone["diagonals"][:2] == [0, 0])
    ends = [gone["middles"][:2], gone["edges"][:2]]
    yield so(
        "column O can be beaten; without the edges both sides can", ends == [[0, -1], [-1, -1]]
    )
    yield so("no single line can be left out", all(min(pair) < 0 for pair in more))
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
    yield f"after 50,000 games {safe} of {of} seeds is unbeatable, where all **{greedy[1]}** are"
    alike = abs(sum(other) / sum(first) - 1) < 0.1 and max(every[2:]) < np.median(greedy[2:])
    yield so("about as many at first, end lower all the same", alike)
    yield f"**{min(every[2:])}** to **{max(every[2:])}** states instead of"
    yield f"instead of **{min(greedy[2:])}** to **{max(greedy[2:])}**."
    few, many, _ = printed("03.6")
    low, high = (end.strip("[],") for end in few[4:6])
    yield f"**{few[2]}** wins of a thousand instead of **{few[1]}**"
    yield f"a difference of **{few[3]}** with a 95 % interval from **{low}** to **{high}**"
    yield f"Fisher's exact test gives p = **{few[-1]}**"
    nothing = float(many[-1]) > 0.5
    yield so(f"**{many[2]}** win instead of **{many[1]}** says nothing", nothing)


@says(ANSWERS)
def answers_on_b() -> Iterator[str]:
    """04.1 to 04.3: negative b, steps, and where polynomials are lowest."""
    rows = [re.fullmatch(r"(\S+) \[(.+)\] (\S+)", " ".join(row)) for row in printed("04.1")]
    lost = {row[1]: row[3] for row in rows if row}
    kinds = {row[1]: {int(cell) % 2 for cell in row[2].split()} for row in rows if row}
    first = next(b for b in kinds if float(b) > 0)
    split = all(kinds[b] == {int(float(b) < 0)} for b in kinds)
    yield so(f"At every negative b tried O plays an edge in the trap, and from {first} on", split)
    yield f"it loses **{lost['-0.01']}** of its games to Random at b = -0.01, **{lost['-0.5']}** at"
    yield f"at -0.5 and **{lost['-2']}** at -2, instead of **{lost['0.647']}** at 0.647"
    [(w0, w1, w2, ratio)] = printed("04.2")
    yield f"c the cube root of 4: **{w0}**, **{w1}** and **{w2}**"
    yield f"equal at b = w1/(w2 - w1) = **{ratio}**"
    *fits, (*_, from_b, _) = printed("04.3")
    at = {degree: b for degree, b, _ in fits}
    yield so(f"lowest at the end of the interval, b = **{at['3']}**, degree 2", float(at["3"]) == 1)
    yield f"degree 2 at **{at['2']}** and degree 11 at **{at['11']}**"
    yield f"all {word(sum(float(least) < 0 for *_, least in fits))} fall below zero"
    yield f"is level from **{from_b}** on"


@says(ANSWERS)
def answers_on_other_energies() -> Iterator[str]:
    """04.4 and 04.6: a reading that depends on the place, and a game that is lost."""
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
    lone, two, gap, full = (1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)
    here = [position_term(p)[0] + position_term(p[::-1])[0] for p in (lone, two, gap, full)]
    there = [2 * factorial_term(p)[0] for p in (lone, two, gap, full)]
    yield f"a lone stone weighs {here[0]}c wherever it lies (the equation: {there[0]}c)"
    yield f"two neighbours {here[1]}c² and two with a gap {here[2]}c² (the equation: {there[1]}c²)"
    yield so(f"but a full line {here[3]}c³ in both readings", here[3] == there[3])
    rows = printed("04.6")
    replies = {int(row[0]): len(whole(row[4:])) for row in rows if row[1] == "plays"}
    forced = next(ply for ply in replies if max(replies[p] for p in replies if p >= ply) == 1)
    yield f"From ply **{forced}** on each move of O is forced"
    line = line_in("04.6")
    counts = [threats(Grid(4), board_after(Grid(4), line[:k]), 1) for k in range(len(line))]
    ply, both = next((ply, cells) for ply, cells in enumerate(counts, 1) if len(cells) > 1)
    yield f"at ply **{ply}** X threatens cells {listed(both)} at once"


@says(ANSWERS)
def answers_on_ultimate() -> Iterator[str]:
    """05.1 to 05.3: classes of first moves, and what a solver reaches."""
    images = [[(p[s], p[c]) for p in GRID.symmetries] for s in (4, 0, 1) for c in range(9)]
    found = [len({min(map(tuple, i)) for i in images[k : k + 9]}) for k in (0, 9, 18)]
    yield f"In the centre sub-board there are {found[0]} classes"
    yield f"which leaves {found[1]} classes of its nine cells"
    yield f"sub-board; {' + '.join(map(str, found))}."
    (games, *_), _, lost, drew = printed("05.2")
    (result, distance, move), other = whole(lost), whole(drew)
    yield f"In **{games}** of 500 random games"
    yield f"O must play cell {move}: nobody then has a line"
    yield f"the solver says **{result}** at distance **{distance}**"
    yield f"Under `standard` the same move {way(other[0] == 0, 'draws', 'loses')}"
    *rows, thirty, more = printed("05.3")
    first = [row[3] for row in rows]
    yield f"from **{first[0]}** cells with 5,000 nodes to {bold(first[1:])}"
    yield f"With **{rows[-1][0]}** nodes **{rows[-1][-1]}** of the positions at 30 are solved"
    yield f"of eight at 30 cells a million nodes solve **{thirty[3]}**, of eight at 35 only"
    yield so(f"of eight at 35 only **{more[3]}**.", int(more[3]) < int(thirty[3]))


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
    yield so("in the order of the lines through each", through == sorted(through, reverse=True))
    ratios = [float(s) / float(m) for s, m in zip(spreads, means, strict=True)]
    yield so("The spread is about as large as the mean", 0.75 < min(ratios) <= max(ratios) < 1.25)
    still, decided = ends[1].rstrip(","), ends[3]
    twice = float(decided) > 2 * float(still)
    yield so(f"more than twice as much as open ones, **{decided}** against **{still}**", twice)


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
    yield f"but not at the move after that, **{missed}**"
    uct, uct_seed, full, full_seed = printed("05.6")
    falls = [row[-1].removeprefix("-") for row in (uct, full)]
    yield f"the score against UCT falls by **{falls[0]}** on average"
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
    yield f"**{wins}** with more than one win at hand"
    yield f"**{threatened}** with two threats and no win"
    yield f"**{rule[3]}** of the games are lost as X instead of **{ahead[3]}**"
    [(formulas, *_, safe)] = printed("06.4")
    yield f"No: of **{formulas}** formulas **{safe}** are safe as O"


@says(ANSWERS)
def answers_on_players() -> Iterator[str]:
    """06.5 to 06.7: a weight for the centre, a lost game, and a student's player."""
    rows = printed("06.5")
    [apart] = {row[4].rstrip(",") for row in rows}
    yield f"the difference, **{apart}**, comes from the lines"
    yield so("beaten as O at each d tried", all(row[-1] == "-1" for row in rows))
    line, cube = line_in("06.6"), Grid(3, 3)
    yield f"After **{printed('06.6')[0][0]}** plies"
    yield f"against an opponent that opens in corner {line[0]}. With"
    [only] = threats(cube, board_after(cube, line[:5]), 1)
    own = threats(cube, board_after(cube, line[:6]), -1)
    yield f"With {line[4]} X threatens {only} only, but O plays {line[5]}, which makes"
    yield f"which makes {word(len(own))} threats of its own, and X wins"
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
    yield f"falls to place **{places[2]}** (**{means[2]}** instead of **{means[1]}**), {below} both"


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
    ceiling = float(exact.ceiling(exact.population()))
    often = (seeds().oracle_accuracy > ceiling).mean() > 1 / 3
    yield so("the best judge exceeds its own expectation often", often)
    published = lesson_facts.facts()["published_accuracy"]
    lower = way(ceiling < float(published), "lower", "higher")
    yield f"a test accuracy of {published}; the ceiling that you computed is {lower}"


@says(f"{MASTERS}/02_spectral_dct.ipynb")
def symmetries_and_lists() -> Iterator[str]:
    yield f"A square has {word(len(GRID.symmetries))} symmetries."
    yield f"finds the best of all {factorial(9):,} lists"


@says(f"{MASTERS}/03_ntuple_network.ipynb")
def never_loses() -> Iterator[str]:
    """What no loss shows, and what was enumerated."""
    low, high = wilson(0, 1000)
    yield f"also leaves an {way(low == 0 < high, 'upper', 'lower')} limit for the probability"
    last = stored("ntuple_epochs.csv").query("epoch == 100")
    safe = len(last) == 100 and (last[["worst_x", "worst_o"]] >= 0).all(axis=None)
    yield so("trains a hundred such networks, proves that none of them can be beaten", safe)
    known = lesson_facts.facts()
    yield so("and yet misplays dozens of positions", int(known["misplayed"]) > 24)
    way_only = known["own_misplayed"] == "0"
    yield so("The misplayed positions can't arise once the program has made the moves", way_only)
    yield f"{capital(len(Patterns(GRID).tuples))} small tables, one for each line"


@says(f"{MASTERS}/04_ising_bias.ipynb")
def parabola() -> Iterator[str]:
    """Where 0.647 lies, and where parabolas are lowest."""
    at = piece("equation", 0.647)
    least = min(p.outcome.loss for p in curve.named("equation", "o", "random"))
    one = at.outcome.loss == least and float(at.start) < 0.647 and float(at.end) == 1
    yield so("lies on the plateau; every $b$ there below 1 is the same player in all", one)
    fits = stored("ising_program_fits.csv").query("sweep == '3x3 fine'").quadratic_minimum
    near = [abs(at - 0.647) < 0.0015 for at in (exact_minimum(), fits.mean())]
    yield so("at the same thousand values, is lowest next to it", near[0])
    yield so("and a parabola through it would still be lowest near 0.647", all(near))


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
    found = [ledger()[f"dct-3-{k}random"] for k in ("", "sym-")]
    chances = [re.findall(r"\d+/\d+", row["ours"])[:2] for row in found]
    mine = [str(p) for *_, p in claims_of_exercise()][:3]
    text = (
        "The first three counts are document 2's, beside the chances that this compendium computes"
    )
    yield so(text, mine == [*chances[0], chances[1][0]])


def claims_of_exercise() -> list[tuple[Any, ...]]:
    """The claims of exercise 6: what was counted, how often, of how many, with which chance."""
    rows = re.findall(r'\("(.+)", (\d+), (\d+), Fraction\((\d+), (\d+)\)\)', source("06_arena"))
    return [(name, int(k), int(n), Fraction(int(p), int(q))) for name, k, n, p, q in rows]


def source(name: str) -> str:
    """The code of a master."""
    cells = json.loads(raw(f"{MASTERS}/{name}.ipynb"))["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


@says(f"{MASTERS}/mistakes.toml")
def mistakes() -> Iterator[str]:
    """What two of the mistakes say about themselves."""
    yield so('"not transposed: energy is kept all the same"', untransposed())
    right = {p: all(twice_one_side(k, p) for k in range(13)) for p in (0.2, 0.5, 0.7)}
    only = right == {p: p == 0.5 for p in right}
    yield so("twice one side, which is right for even chances only", only)


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


# ---------------------------------------------------------------------------- lessons


def waves_of_a_row() -> list[list[float]]:
    """The three waves of a row of three cells, from the table behind a figure."""
    value = drawn("02_waves").set_index(["u", "v", "row", "column"]).value
    return [[3**0.5 * value[0, wave, 0, cell] for cell in range(3)] for wave in range(3)]


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
    yield so("x..ox..ox | row 3: x wins", GRID.winner(last)[0] == 1)
    known = lesson_facts.facts()
    differ = known["three_left_chance"] != known["three_left_endings"]
    yield f"**{way(differ, 'No', 'Yes')}: {{{{three_left_chance}}}}.**"
    counts = [int(n) for n in re.findall(r"(\d+) times \|", raw(f"{LESSONS}/slides_1.md"))]
    yield f"The best guess is right in {max(counts)} of {sum(counts)} cases."
    ceiling, published = float(known["ceiling"]), float(known["published_accuracy"])
    yield f"lies **{way(published > ceiling, 'above', 'below')}** the ceiling of {{{{ceiling}}}}"
    yield so("No function of the board can be right much more often.", ceiling < published + 0.01)
    constant = drawn("01_accuracy_by_empties").set_index("empty").majority[6]
    worse = (seeds().population_accuracy_6 < constant).all()
    yield so('With six empty cells all networks do worse than the constant "x wins"', worse)


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
    yield so("Leave out a transposition: still orthonormal, still the same energy", untransposed())
    yield f"3x3: {', '.join(KINDS[cell] for cell in kinds_among(3, range(9)))}."
    yield so("4x4 has no centre cell.", centres(4) == 0)
    yield f"On 5x5 the border alone has {word(len(kinds_among(5, border(5))))} kinds"
    yield f"Average over the {word(len(GRID.symmetries))} symmetries"
    yield f"## The {word(drawn('02_priority_lists')['list'].nunique())} lists"


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
    rows = drawn("03_perfect_play")
    still = rows.never_lose.iloc[-1] == 100 and rows.low.min() > 0
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
    yield f"**{way(near, 'Hardly anything', 'Much')}.**"
    other = piece("equation", 0.0).outcome != piece("equation", 0.647).outcome
    yield so("Below the plateau it is another player", other)


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
    yield so("the second distances first;", bound.distance > 10 * max(bound.result, bound.move))
    hundred = turned.move >= 100 and turned.result == turned.distance == 0
    yield so("the third moves by the hundred, while every value stays right", hundred)
    signs = drawn("05_exhibits").set_index("setting")
    right, wrong = (signs.loc[f"{sign} sign, new network"] for sign in ("right", "wrong"))
    loses = wrong["score against random"] < 0.5 < right["score against random"]
    yield so("With the reversed sign it loses to a player that moves at random", loses)
    yield so("and misses nearly every win in one", wrong["wins in one missed"] > 0.9)
    games = without_dice()
    yield f"**{capital(games)}.** One for each side, repeated {word(100 // games)} times."


@says(f"{LESSONS}/slides_6.md")
def sixth_lesson() -> Iterator[str]:
    """Counts of wins and heads, what a game could show, and a circle that was found."""
    claims_here = claims_of_exercise()
    yield f"{capital(len(claims_here))} claims. Does the count fit"
    yield f"{capital(comb(3, 2))} orders, each p·p·(1−p)."
    chances = binom.pmf(range(11), 10, 0.5)
    rare = np.flatnonzero(chances <= chances[3] * (1 + 1e-9))
    yield f"Draw the {word(len(chances))} bars."
    yield f"{rare[0]} to {rare[rare < 5][-1]} and {rare[rare > 5][0]} to {rare[-1]}. Warn of"
    heads = [n for n in range(11) if binomtest(n, 10, 0.5).pvalue <= 0.05]
    yield f"rejected at 5 % only with {listed(heads, 'or')} heads"
    yield f"**{way(nothing_rejected(), 'None', 'Some')}.** A test that nothing could fail shows"
    yield f"Every published result of the {word(len(claims.DOCUMENTS))} documents"
    orders = [whole([cells]) for cells in re.findall(r'"[A-D]": \[(.+?)\]', source("00_the_game"))]
    tables = [policy_table(list_agent(order, order), TREE) for order in orders]
    ends = [[exact_values(TREE, a, b)[0].expected for b in tables] for a in tables]
    beats = [(a, b) for a in range(4) for b in range(4) if ends[a][b] > ends[b][a]]
    circles = [(a, b, c) for a, b in beats for c in range(4) if {(b, c), (c, a)} <= set(beats)]
    yield so("whoever did task 5 of exercise 0 has found one", circles)


def nothing_rejected() -> bool:
    """Whether no count of one game with a chance of 3/4 is rejected at 5 %."""
    return all(binomtest(count, 1, 0.75).pvalue >= 0.05 for count in (0, 1))


@says(f"{LESSONS}/lessons.toml")
def questions_on_boards() -> Iterator[str]:
    """Lessons 1 to 3."""
    published = float(lesson_facts.facts()["published_accuracy"])
    yield so("is right two times out of three", abs(published - 2 / 3) < 0.02)
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
    one = piece("equation", 0.647)
    yield so("every b between {{plateau_from}} and 1 is the same player", float(one.end) == 1)
    losses = [p.outcome.loss for p in curve.named("equation", "o", "random")]
    yield f"Nothing is trained here, and {way(min(losses) > 0, 'no', 'some')} b removes that loss."
    fits = stored("ising_program_fits.csv").query("sweep == '3x3 fine'").quadratic_minimum
    near = abs(fits - exact_minimum()).max() < 0.01
    yield so("The exact curve gives nearly the same minimum as the sampled one.", near)
    games = without_dice()
    yield f"one game per side, repeated {word(100 // games)} times."
    found = re.search(r"Three p-values, ([\d.]+), ([\d.]+) and ([\d.]+), are corrected", text)
    assert found
    least, middle, largest = map(float, found.groups())
    yield so("The smallest has to be below a third of 5 %, and it is.", least < 0.05 / 3)
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
    yield f"apart from {course.SECONDS} seconds per cell"
    best = response.response_outcome(TREE, table("random"), -1).expected
    more = way(best > -met("random", "minimax:ties=uniform").expected, "more", "less")
    yield f"against a known weaker one the best response gets {more}."
    yield so(
        "Ask for a wrong transform that keeps the energy (leave out a transposition)",
        untransposed(),
    )


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


@says("notebooks/book/paper.md")
def need() -> Iterator[str]:
    """What was published, and what is wrong with some of it."""
    share = 100 * float(ledger()["mlp-accuracy"]["published"])
    yield f'"never loses", "{share:.0f} % accuracy" or "b = {ledger()["ising-choice"]["published"]}'
    rows = ledger().values()
    complete = all(row["verdict"] in claims.VERDICTS and row["reason"] for row in rows)
    yield so("gives every number they print a computed verdict, explains each verdict", complete)
    verdicts = {row["verdict"] for row in rows}
    mean = seeds().mean(numeric_only=True)
    leaks = mean.accuracy > mean.grouped_accuracy + seeds().accuracy.sem()
    faulty = ledger()["ising-second-b"]["verdict"] in ("differs", "refuted")
    wrong = {"within sampling error", "refuted"} <= verdicts and leaks and faulty
    yield so("contains sampling error, leaks between training and test data, programs that differ",
             wrong)  # fmt: skip


@says("notebooks/book/lessons.md")
def lesson_page() -> Iterator[str]:
    found = tomllib.loads(raw("notebooks/exercises/lessons/lessons.toml"))["lesson"]
    [asked] = {len(lesson["questions"]) for lesson in found}
    yield f"{capital(len(found))} lessons of 90 minutes, each with slides to show"
    yield f"a handout of one page to print, and {word(asked)} questions"
    week, weeks = re.split(r"^## Five weeks", raw("notebooks/book/lessons.md"), flags=re.MULTILINE)
    days = len(re.findall(r"^\| \d \| ", week, re.MULTILINE))
    yield f"## One week: {word(days)} meetings of 90 minutes"
    yield f"## {capital(len(re.findall(r'^. [0-9] . ', weeks, re.MULTILINE)))} weeks: one lesson a"
    given = re.findall(r"^\| \d \| Lesson (\d)", week, re.MULTILINE)
    rest = [k for k in range(1, len(found) + 1) if str(k) not in given]
    yield f"Lessons {listed(rest)}, and the other tasks of exercise 0, are for those who want more"


@says("notebooks/book/glossary.md")
def glossary() -> Iterator[str]:
    yield f"with the finished ones there are {len(TREE)} on 3x3"
    never = way(TREE.value[0] == 0, "win, draw or loss", "win or loss")
    yield f"seen from X's side: {never}."


@says("notebooks/book/glossary.md")
def words_of_the_glossary() -> Iterator[str]:
    """Tables and verdicts."""
    tables, lines = len(Patterns(GRID).tuples), len(GRID.lines)
    yield so("A sum of look-up tables, one for each line.", tables == lines)
    yield f"{listed(claims.VERDICTS, 'or').capitalize()}: computed by"


@says("notebooks/book/scale.md")
def tasks() -> Iterator[str]:
    """Where tasks run, how large they are, and what happens when workers die."""
    here = set(run_parallel(getpid, [(), ()])) == {getpid()}
    yield so("By default they run one after the other, in this process", here)
    yield f"the training of one seed, {selfplay.CHUNK} games of self-play"
    test = raw("tests/test_scale.py")
    [workers] = re.findall(r"n_workers=(\d)", test)
    killed = word(test.count("os.kill("))
    yield f"{word(int(workers))} worker processes, {killed} of them killed (SIGKILL)"


@says("notebooks/book/scale.md")
def deaths() -> Iterator[str]:
    """A task is tried once more than it may fail, by dask's own settings."""
    found = find_spec("distributed")
    assert found is not None
    assert found.origin is not None
    settings = Path(found.origin).with_name("distributed.yaml").read_text(encoding="utf-8")
    [retries] = re.findall(r"allowed-failures: (\d+)", settings)
    yield f"gives up on it after {word(int(retries) + 1)} deaths"


@says("notebooks/book/play.md")
def traps() -> Iterator[str]:
    """In how many default players X finds a certain win at the first move."""
    wins = [len(openings_that_win(name)) > 0 for name in DEFAULTS]
    assert len(wins) == len(book_players.FAMILIES)
    most = way(2 * sum(wins) > len(wins), "most", "some")
    yield f"With {most} players' default settings some cell says *win* when you play X"
    fixed = [name for name in DEFAULTS if (table_of(name) > 0).sum(axis=1).max() == 1]
    caught = sum(len(openings_that_win(name)) > 0 for name in fixed)
    yield so("prefers the same move can often be led into a trap", 2 * caught > len(fixed))


DEFAULTS = (
    "ising", "ising:energy=published,b=0", "ntuple", "spectral", "mlp:depth=1", "playouts",
    "lookahead:depth=3", "analytical", "safety+random", "minimax:ties=quick", "random",
)  # fmt: skip
"""The players of the page at their default settings, in its order."""


@cache
def table_of(name: str) -> Any:
    """The weights of a player of the page on every state."""
    if name in set(arena().index):
        return table(name)
    player = exact_agent(1) if name == "playouts" else agent(name)
    return policy_table(player, TREE)


@cache
def openings_that_win(name: str) -> list[int]:
    """First moves after which X, playing its best, wins for certain."""
    theirs = table_of(name)
    values = exact_values(TREE, response.best_response(TREE, theirs, side=1), theirs)
    return [move for move, state in enumerate(TREE.children[0]) if values[int(state)].win == 1]


@says("notebooks/play.ipynb")
def certain_wins() -> Iterator[str]:
    """Whom X beats for certain if it knows how they play."""
    known = [name for name in OPPONENTS["3x3"] if name in set(arena().index)]
    good = [name for name in known if OPPONENTS["3x3"][name].level == "medium"]
    beaten = [name for name in good if openings_that_win(name)]
    yield so(
        "Against many good players it says *win, with certainty*", len(beaten) == len(good) > 2
    )


@says("notebooks/book/play_ultimate.md")
def longer_searches() -> Iterator[str]:
    rows = stored("ultimate_rating.csv")
    plain = r"net, [\d,]+"
    steps = rows[rows.player.str.fullmatch(plain) & rows.opponent.str.fullmatch(plain)]
    stronger = way((steps.win > steps.loss).all(), "stronger", "no stronger")
    yield f"A longer search makes it {stronger}, as far as notebook 05 measured it"


@says("notebooks/book/using.md")
def taught_by_another() -> Iterator[str]:
    taught = header_number("ultimate_table.safetensors", "taught")
    yield so("from one run, which began with the games of another", taught > 0)


@says("notebooks/book/index.md")
def index() -> Iterator[str]:
    of = len(documents())
    yield f"# Tic-Tac-Toe, {word(of)} ways"
    yield f"{capital(of)} public documents each teach a machine"
    yield f"A game in {word(len(trap.game()))} pictures, X against document 4's player"


@says("notebooks/book/jose_checklist.md")
def checklist() -> Iterator[str]:
    """Lessons, minutes and licences."""
    yield f"has a plan for {word(len(lessons.load()))} lessons of 90 minutes"
    pattern = r"\*\*(?:Minutes|Time):\*\* *(?:about )?(\d+)"
    minutes = [int(re.findall(pattern, markdown(path))[0]) for path in masters()]
    yield f"each exercise states {min(minutes)} to {max(minutes)} minutes"
    of = [one.licence for one in documents().values()]
    silent = sum("not stated" in licence or "no licence" in licence for licence in of)
    yield f"{capital(silent)} of them state no licence"
    yield f"One small game, {word(len(of))} ideas"
    yield f"which of {word(len(of))} charming claims about the same small game are true"


@says("notebooks/book/lists.md")
def all_lists() -> Iterator[str]:
    rows = stored("spectral_orderings.csv").set_index("safety")
    beaten = way(rows.never_lose["no"].sum() == 0, "every list", "not every list")
    yield f"No list of the {factorial(9):,} stops every threat, and {beaten} without the rule can"


@says("notebooks/book/checked.md")
def checked() -> Iterator[str]:
    yield f"are only checked to within a factor of {word(claims.FACTOR)}"


@cache
def records() -> dict[str, dict[str, Any]]:
    """The records of the stored long runs."""
    found: dict[str, dict[str, Any]] = json.loads(raw("data/provenance.json"))
    return found


def took(file: str) -> float:
    """Minutes that a stored run took."""
    return float(records()[file]["made"]["seconds"]) / 60


@says("notebooks/book/checked.md")
def stored_runs() -> Iterator[str]:
    """How long runs took, where they ran, and what has been recomputed."""
    timed = [took(file) for file, one in records().items() if one["made"]["seconds"]]
    hours = sum(minutes > 60 for minutes in timed) > 1
    yield so("Some results take minutes to hours", hours and min(timed) < 60)
    old = [one for one in records().values() if not one["made"]["versions"]]
    assert not any(one["made"]["seconds"] for one in old)
    again = sum(bool(one.get("checked")) for one in old)
    most = way(2 * again > len(old), "most", "some")
    yield f"have no versions and no time; a part of {most} of these has been recomputed since"
    made = " ".join(str(one["made"]["processor"]) for one in records().values())
    both = made.count("Intel") > 0 < made.count("AMD")
    yield so("The stored outputs come from Intel with AVX-512, some long runs from AMD", both)


@says("notebooks/book/checked.md")
def processors() -> Iterator[str]:
    names = [f"`{name}`" for name in ("haswell", "zen", "skylakex", "nehalem")]
    assert {name.strip("`") for name in names} == set(profiles.PROFILES)
    yield f"had come out identical as {listed(names)}"
    yield f"The test suite passed under each of the {word(len(names))} profiles, too"
    checkers = re.findall(r"^codechecker: (.*)", raw("codecheck.yml"), re.MULTILINE)
    yield so("its list of checkers is empty", checkers == ["[]"])


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


@says("notebooks/book/_static/three.js")
def rows_of_the_page() -> Iterator[str]:
    """Each label of an exact result, from what is solved for it."""
    script = text_of("notebooks/book/_static/three.js")
    mine = dict(re.findall(r"(\w+): mine\((\S+?)\),", script))
    known = {'"best"': "you know it through and through", "CHANCE": "you play by chance"}
    for name, own in mine.items():
        yield f'line("{known[own]}", outcome(known.{name}, row, state.side))'
    [both] = re.findall(r"(\w+) = solve\(\"best\", \"best\"\)", script)
    yield f'line("both play perfectly", outcome({both}, row, state.side))'
    player = r"(its|CHANCE|table.*?1\))"
    for name, x, o in re.findall(rf"(\w+): solve\({player}, {player}\)", script):
        foe = way("CHANCE" in (x, o), "chance", "perfect play")
        side, sign = ("X", 1) if x == "its" else ("O", -1)
        yield f'line("as {side} against {foe}", outcome(known.{name}, 0, {sign}))'


@says("notebooks/book/_static/lists.js")
def rows_of_the_lists() -> Iterator[str]:
    script = text_of("notebooks/book/_static/lists.js")
    labels = {"uniform()": "against chance", '"best"': "against the best reply"}
    for name, foe in re.findall(r"(\w+): against\((uniform\(\)|\"best\")\)", script):
        yield f'line("{labels[foe]}", found.{name})'


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
    spectral = [table_of(f"spectral:labels={kind}") for kind in ("optimal", "value", "minimax")]
    single = all((weights > 0).sum(axis=1).max() == 1 for weights in spectral)
    yield so("It always takes the same move: lead it.", single)
    heats = [weights for _, weights in book_players.tables("playouts")]
    lost = [exact_values(TREE, weights, table("random"))[0].loss for weights in heats]
    yield f"The warmer, the {way(lost == sorted(lost), 'more', 'less')} careless."
    made = next(one for one in book_players.FAMILIES if one.name == "hand-made")
    yield f"Counts lines as people do, by {word(sum(1 for _ in made.settings(TREE)))} recipes."


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


@says("README.md")
def installation() -> Iterator[str]:
    """The version of Python, and the room of an environment without CUDA."""
    needed = tomllib.loads(raw("pyproject.toml"))["project"]["requires-python"]
    yield f"You need Python {needed.removeprefix('>=')} or newer"
    if version("torch").endswith("+cpu"):
        files = (file for one in distributions() for file in one.files or [])
        yield f"some {round(sum(file.size or 0 for file in files) / 1e9)} GB of disk"


@says("CHANGELOG.md")
def found_out() -> Iterator[str]:
    """Results that the changes tell, as they are today."""
    plies = told("05_alphazero_lite", r"shortest game takes (\d+) plies, the longest \*\*(\d+)")
    yield f"against every reply of O ({plies[0]:g} to {plies[1]:g} plies)"
    delays = stored("ultimate_delays.csv")
    none = not delays.forced.any() and delays.plies.max() == plies[1] - 2
    yield so("a search that finds no win forced sooner", none)
    [soonest] = told("04_ising_bias", r"finds how soon: in (\d+) plies")
    yield f"as first player on 4x4x4, in {soonest:g} plies at the earliest"
    [shared] = told("03_ntuple_network", r"At least \*\*(\d+)\*\* positions must be")
    [apart] = told("03_ntuple_network", r"But \*\*(\d+)\*\* misplayed position")
    yield f"must misplay at least {shared:g} positions and separate tables at least {apart:g};"
    law = stored("ising_law.csv").query("verdict == 'never loses' and side == -1")
    yield f"proofs that on {listed(law.board)} the player never loses"
    few, of = re.findall(r"\d+", ledger()["dct-guide-high"]["ours"])[:2]
    yield f"weights of high frequencies ({few} of {of} are)"
    perfect = safe_seeds()["symmetric"]["constant, averaged"][1_000_000]
    yield f"a constant step {word(perfect)} averaged seed of twenty, instead of none, ends perfect"
    ahead = [wins["first free"]["4x4"] > wins["trained there"]["4x4"]
             for wins in map(transfer, ("no", "yes"))]  # fmt: skip
    yield so("on 5x5 the rows filled in order win more than the learned list, rule or not",
             all(ahead))  # fmt: skip
    yield f"judged by one count of {word(compared()[0])} measures"
    games = drawn("06_larger_boards").query("board == '4x4'")
    mean = games.groupby("x").expected.mean() - games.groupby("o").expected.mean()
    place = int((mean > mean["ntuple"]).sum()) + 1
    yield f"formerly first by mean margin, are {ORDINALS[place]}, still unbeatable"


@says("CHANGELOG.md")
def counted_and_judged() -> Iterator[str]:
    """Verdicts of rows, numbers of lessons, games and exercises."""
    verdict_of = {name: row["verdict"] for name, row in ledger().items()}
    pairs = ("ising-second-degree", "ising-qubic-cause"), ("ising-cube-robust", "ising-five-cause")
    for one, other in pairs:
        assert verdict_of[one] == verdict_of[other]
        yield f"`{one}` and `{other}` ({verdict_of[one]})"
    for name in ("ultimate-lru", "ultimate-clone-twice", "alphazero-temperature-explores"):
        yield f"`{name}` ({verdict_of[name]})"
    changed = [f"`alphazero-{name}`" for name in ("blocks", "channels", "reduction")]
    [verdict] = {verdict_of[name.strip("`")] for name in changed}
    yield f"Verdicts changed: {listed(changed)} are {verdict}"
    yield f"{capital(len(claims.VERDICTS))} verdicts instead of five"
    tasks = [re.findall(r"^\d+\. ", markdown(path).partition("## Exercises")[2], re.MULTILINE)
             for path in NOTEBOOKS]  # fmt: skip
    yield f"all {sum(map(len, tasks))} exercises at the ends of the notebooks"
    yield f"questions with explanations for each of {word(len(lessons.load()))} lessons"
    [games] = stored("ultimate_rating.csv").games.unique()
    yield f"a ladder of matches of {games} games each"
    hybrid = stored("ultimate_hybrid.csv").query("budget > simulations and opponent == 'net alone'")
    yield so("where it gains nothing", (hybrid.win <= hybrid.loss).all())
    nodes = stored("ultimate_eviction.csv").pivot_table("nodes", ["entries", "number"], "evicted")
    ratio = np.log(nodes["least recently used"] / nodes["least work"]).groupby("entries").mean()
    few, *_, many = np.exp(ratio.dropna())
    yield so("with few entries the least recently used rule, as published, takes more nodes than",
             few > 1.1)  # fmt: skip
    yield so("ours; with many it takes as few.", abs(many - 1) < 0.02)
    rows = claims.load()
    sentences = Fraction(sum(row.kind == "statement" for row in rows), len(rows))
    yield so("more than half of the claims, not two thirds, are sentences",
             Fraction(1, 2) < sentences < Fraction(3, 5))  # fmt: skip
    seed = stored("ultimate_curves.csv").groupby("seed").cpu_minutes.max().mean()
    yield f"takes {word(round(seed))} minutes"
    one, other = (header_number(f"ultimate_{name}.safetensors", "parts")
                  for name in ("table", "teacher"))  # fmt: skip
    yield so("The stored player is twice as wide as its teacher", one == 2 * other)


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
def games_of_tables() -> Iterator[str]:
    """Games per row of some more tables, boards, sides and steps."""
    [each] = stored("arena_games.csv").games.unique()
    yield f"{each} games of every ordered pair of players on 4x4 and 3x3x3"
    sides = stored("arena_formulas.csv").groupby("board").side.unique()
    both = len(sides["4x4"]) == 2 and [*sides["3x3x3"]] == ["x"]
    yield so("4x4 on both sides, 3x3x3 as X", both)
    deeper = stored("ising_deeper.csv")
    [each] = deeper.games.unique()
    boards = way("3x3" in set(deeper.board), "3x3 and larger boards", "larger boards")
    yield f"against the one-ply version on {boards}, {each} games per row"
    sweeps = stored("ising_sweeps.csv")
    [each], step = sweeps.games.unique(), np.diff(np.sort(sweeps.b.unique())).min()
    boards = word(sweeps.board.nunique())
    yield (
        f"in steps of {step:.2f}, both energies, {boards} boards, true rules, {each:,} games per "
        "row; win is"
    )
    [each] = stored("ntuple_4x4_matches.csv").games.unique()
    yield f"4x4 N-tuple networks in {each} games each against random play"
    games = stored("spectral_games.csv").query("player.str.startswith('spectral')")
    [each] = games.games.unique()
    yield f"one row of {each} games for each of {games.seed.nunique()} trainings"
    [each] = stored("spectral_transfer.csv").games.unique()
    yield f"random symmetric weights and none; one row of {each} games per seed"


@says("data/README.md")
def ultimate_tables() -> Iterator[str]:
    """Players, seeds, games and positions of the tables of Ultimate."""
    gumbel_games = stored("ultimate_gumbel.csv").games
    yield f"by simulations: {gumbel_games.max()} paired games each"
    rating = stored("ultimate_rating.csv")
    names = {*rating.player, *rating.opponent}
    levels = sum(re.fullmatch(r"net, [\d,]+", name) is not None for name in names)
    yield f"the stored table net at {word(levels)} numbers of simulations"
    strong = stored("ultimate_strength.csv")
    low, high = strong.simulations.min(), strong.simulations.max()
    yield f"The stored table net at {low} to {high:,} simulations per move against random play"
    curves = stored("ultimate_curves.csv")
    opponents = [f"{number:,}" for number in sorted(curves.opponent.unique())]
    seeds_of = word(curves.seed.nunique())
    yield f"{seeds_of} training seeds: games against UCT with {listed(opponents)} iterations"
    for name, words in (("networks", "small residual network and table net"),
                        ("width", "trained for about the same time")):  # fmt: skip
        yield f"{words}, {word(stored(f'ultimate_{name}.csv').seed.nunique())} seeds"
    more = stored("ultimate_seeds.csv").seed.nunique() - 1
    yield f"The stored table net and {word(more)} more trained as it was"
    ends = stored("ultimate_yardstick.csv")
    kept = ends[ends.status == "kept"].cells
    yield f"with {kept.min()} to {kept.max()} playable cells, one per game of {ends.game.nunique()}"
    sampling = stored("ultimate_sampling.csv")
    yield f"from windows of {word(sampling.window.nunique())} sizes, {word(sampling.way.nunique())}"
    faults = stored("ultimate_faults.csv").query("fault != 'none'")
    yield f"Answers made wrong by {word(len(faults))} faults"
    orders = stored("ultimate_orders.csv")
    [cells] = orders.limit.unique()
    yield f"{word(orders.variant.nunique())} move orders, on the first positions of at most {cells}"


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


# ---------------------------------------------------------------------------- how long runs take


def about(said: float, file: str) -> bool:
    """Whether a stored run took about so many minutes."""
    return 2 / 3 < took(file) / said < 3 / 2


@says("ttt_lib/ising/runs.py")
def time_of_a_game() -> Iterator[str]:
    long = float(ledger()["ising-five-four-time"]["published"]) >= 60 * 30
    yield so("took the document's program over half an hour per game", long)


STUDIES = "ttt_lib/ultimate/studies"


@says(f"{STUDIES}/seeds.py")
def time_of_seeds() -> Iterator[str]:
    yield so("some 70 minutes of processor time", about(70, "ultimate_seeds.csv"))


@says(f"{STUDIES}/width.py")
def time_of_width() -> Iterator[str]:
    yield so("their matches; an hour of processor time", about(60, "ultimate_width.csv"))
    spent = stored("ultimate_width.csv").cpu_minutes.mean()
    yield so("Runs of about nine CPU-minutes each", round(spent) == 9)


@says(f"{STUDIES}/networks.py")
def time_of_networks() -> Iterator[str]:
    yield so("of both networks; some 30 CPU-minutes", about(30, "ultimate_networks.csv"))
    rows = stored("ultimate_networks.csv")
    spent = rows.groupby(["network", "seed"]).cpu_minutes.max().groupby("network").mean()
    table, residual = spent["table net"], round(spent["residual net"])
    yield f"Runs of about {round(2 * table) / 2:g} and {residual} CPU-minutes"


@says(f"{STUDIES}/ablations.py")
def time_of_ablations() -> Iterator[str]:
    rows = stored("ultimate_ablations.csv")
    of, each = rows.variant.nunique(), rows.seed.nunique()
    spent = so("some 20 CPU-minutes", about(20, "ultimate_ablations.csv"))
    yield f"{word(of)} variants, {word(each)} seeds; {spent}"
    yield so("A run takes a quarter of a minute", 0.2 < rows.cpu_minutes.median() < 0.3)


@says(f"{STUDIES}/curves.py")
def time_of_curves() -> Iterator[str]:
    rows = stored("ultimate_curves.csv")
    share = rows.groupby("seed").cpu_minutes.max().sum() / took("ultimate_curves.csv")
    yield so("About twenty CPU-minutes", about(20, "ultimate_curves.csv"))
    yield f"{way(share > 0.5, 'more', 'less')} than half of them for the training"


@says(f"{STUDIES}/exhibits.py")
def time_of_exhibits() -> Iterator[str]:
    yield so("with the stored network; some seven CPU-minutes", about(7, "ultimate_exhibits.csv"))


@says(f"{STUDIES}/rating.py")
def time_of_rating() -> Iterator[str]:
    yield so("match by match; some 20 minutes", about(20, "ultimate_rating.csv"))


@says(f"{STUDIES}/strength.py")
def time_of_strength() -> Iterator[str]:
    yield so("the stored networks; about seven CPU-minutes", about(7, "ultimate_strength.csv"))


@says(f"{STUDIES}/delays.py")
def time_of_delays() -> Iterator[str]:
    yield so("Make the stored table anew; some two CPU-minutes", about(2, "ultimate_delays.csv"))


@says("ttt_lib/ultimate/training.py")
def time_of_training() -> Iterator[str]:
    """The networks of self-play, and the one for endgames."""
    table, teacher = (
        took("ultimate_table.safetensors"),
        header_number("ultimate_teacher.safetensors", "cpu_minutes"),
    )
    both = about(30, "ultimate_table.safetensors") and 50 < teacher < 75
    yield so("trained anew; half an hour or an hour of one core", both and table < teacher)
    yield so("two hours of processor time", about(120, "ultimate_endgame.safetensors"))


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


def test_a_changed_a_missing_and_a_doubled_phrase_are_noticed() -> None:
    assert astray(["loses less", "wins"], "It wins and loses less.") == []
    assert astray(["loses less", "wins"], "It wins and loses more.") == ["loses less"]
    assert astray(["wins"], "It wins what it wins.") == ["wins"]


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

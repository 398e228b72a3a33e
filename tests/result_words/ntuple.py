"""What notebook 03 and its figures say of document 3, built from the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from result_words.tools import (
    GRID,
    KINDS,
    ORDINALS,
    ROOT,
    TREE,
    capital,
    cells_of,
    counted,
    drawn,
    ledger,
    listed,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib import Grid
from ttt_lib.comparison.matrix import table
from ttt_lib.game.exact import exact_values
from ttt_lib.game.policy import winning_cells
from ttt_lib.ntuple import claims, optimum, runs
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.players import table_of, trained
from ttt_lib.ntuple.training import RATE, positions, sgd_epoch, train


@cache
def safe_seeds() -> Any:
    """How many of the seeds of self-play nobody beats, by sharing, way and games."""
    rows = stored("ntuple_self_play.csv")
    return rows.groupby(["sharing", "way", "games"]).never_loses.sum()


@cache
def variants() -> Any:
    return claims.variants()


@says("notebooks/03_ntuple_network.ipynb")
def best_possible() -> Iterator[str]:
    """How many positions tables shared by symmetry must misplay."""
    [least] = told("03_ntuple_network", r"symmetry misplay at least (\d+) positions")
    yield f"**at least {word(int(least))} positions are misplayed, whatever the weights.**"
    yield f"dozens of misplayed positions become {word(int(least))}"


@says("notebooks/03_ntuple_network.ipynb")
def self_play() -> Iterator[str]:
    """Seeds that nobody beats."""
    count, of = safe_seeds(), stored("ntuple_self_play.csv").seed.nunique()
    end = count["symmetric"]["constant, averaged"][1_000_000]
    yield f"in the end for all but {word(end)} of {word(of)} seeds"
    late = count["none"]["constant, averaged"]
    steady = late[late.index >= 100_000].min()
    yield f"that mean is unbeatable in all {word(steady)} seeds at every late check"
    rows = stored("ntuple_self_play.csv").query("sharing == 'symmetric' and games >= 100_000")
    often = rows.groupby("way").never_loses.mean()
    most = often["constant"] > 0.5 > often["constant, averaged"]
    yield so("a mean of players most of which are unbeatable need not be unbeatable.", most)
    last = stored("ntuple_self_play.csv").query("way == 'falling, averaged'")
    last = last[last.games == last.games.max()].groupby("sharing").misplayed.mean()
    times = last / variants().misplayed["document"]
    low, high = (word(n) for n in (int(times.min()), ceil(times.max())))
    many = f"misplays on average {low} to {high} times as many positions"
    yield f"it {many} as the network that was taught"
    ended = stored("ntuple_self_play.csv").query("games == games.max()")
    ended = ended.groupby(["sharing", "way"])[["misplayed", "never_loses"]].mean().unstack("way")
    mean = ended.misplayed
    fewer = mean["falling, averaged"] * 0.9 < mean["constant, averaged"]
    fewer &= mean["constant, averaged"] < mean["falling, averaged"]
    beaten = ended.never_loses["constant, averaged"]["symmetric"] < 0.1
    yield so("With a constant step it misplays somewhat fewer, but with shared tables it can then "
             "nearly always be beaten", fewer.all() and beaten)  # fmt: skip


def published_errors() -> list[float]:
    """The printed errors, by epoch."""
    return [float(e) for e in str(ledger()["ntuple-mse"]["published"]).split()]


def rises_of_the_curve() -> int:
    """How often a printed error is above the one before."""
    return sum(later > before for before, later in pairwise(published_errors()))


@says("notebooks/03_ntuple_network.ipynb")
def regular_orders_lag() -> Iterator[str]:
    """How far training in a regular order of the positions is behind shuffled runs."""
    kept = stored("ntuple_orders.csv").query("kind == 'regular'")
    orders = kept.pivot(index="order", columns="epoch", values="error")
    ours = stored("ntuple_epochs.csv").pivot(index="epoch", columns="seed", values="error")
    seeds = stored("ntuple_curves.csv").drop(columns="seed")
    behind = orders[5] > seeds.epoch_5.max()
    yield (
        f"Five epochs in, {word(behind.sum())} of the {word(len(orders))} regular orders are "
        f"behind all shuffled runs of the ledger, "
        f"the {orders[5].idxmax()} order most of all"
    )
    level = orders[5][~behind] / seeds.epoch_5.max()
    yield so("and the fourth is level with the slowest of them", level.between(0.999, 1).all())
    late = orders[100] / ours.loc[100].median() - 1
    yield f"only the order {listed(late.index[late > 0.01])} remains more than a percent behind"
    printed = published_errors()
    lags = orders[5].min() > printed[0]
    off = (orders[100] / printed[-1] - 1).abs()
    ends = off["by ply"] > 0.01 > 10 * off.drop("by ply").max()
    yield so("would have lagged behind the curve at its start and, unless the order was by ply, "
             "have matched its end", lags and ends)  # fmt: skip


@says("notebooks/03_ntuple_network.ipynb")
def orders_that_never_change() -> Iterator[str]:
    """What a regular order costs, and what an order costs that never changes."""
    seeds = stored("ntuple_curves.csv").drop(columns="seed")
    printed, rises = published_errors(), rises_of_the_curve()
    every = stored("ntuple_orders.csv").pivot(index=["kind", "order"], columns="epoch")["error"]
    irregular = every.loc["random"][5].max() < seeds.epoch_5.max() < printed[0] * 1.04
    steady = (every[range(5, 105, 5)].diff(axis=1).iloc[:, 1:] < 0).all(axis=None)
    moved = irregular and steady and rises > 0
    late = every[100] / seeds.epoch_100.median() - 1
    last = (
        late.loc["regular"].min() > 0
        and 0 < late.loc["random"].median() < late.loc["regular"].max()
    )
    some = (late.loc["random"] > 0).mean() > 0.9 and late.max() < 0.02
    start = every.loc["regular"][5].min() > every.loc["random"][5].max()
    costs = start and last and some
    yield so("So at the start it is the regularity that costs; at the end, orders that never "
             "change are a little behind, whether random or regular.", costs)  # fmt: skip
    yield so(
        "an irregular order that changed from epoch to epoch, as it does in the program", moved
    )


@says("notebooks/03_ntuple_network.ipynb")
def the_published_curve_rises() -> Iterator[str]:
    """How often the published error rises."""
    rises = rises_of_the_curve()
    times = {1: "once", 2: "twice"}.get(rises, f"{rises} times")
    yield f"may rise from one row to the next, as it does {times}"


@says("notebooks/03_ntuple_network.ipynb")
def passing_remarks() -> Iterator[str]:
    """How many sentences of the document do not hold, or hold in one reading."""
    said = [r for r in ledger().values() if r["document"] == 3 and r["kind"] == "statement"]
    wrong, open_ = (sum(r["verdict"] == name for r in said) for name in ("refuted", "not testable"))
    many = "does" if wrong == 1 else "do"
    yield (
        f"{capital(wrong)} passing remark{'s' * (wrong != 1)} {many} not hold, and whether "
        f"{word(open_)} others hold depends on how they are read; each of "
        f"these {word(wrong + open_)} explains"
    )
    rest = [r for r in ledger().values() if r["document"] == 3 and r not in said]
    [other] = [r for r in rest if r["verdict"] == "not testable"]
    time = so("is the training time", other["id"] == "ntuple-seconds")
    yield f"The {ORDINALS[open_ + 1]} row that is *not testable* {time}"


@says("notebooks/03_ntuple_network.ipynb")
def two_with_a_gap() -> Iterator[str]:
    """What an open line of two X's is worth, by the side to move, in every running position."""
    running = ~TREE.finished
    boards, ply, value = TREE.boards[running], TREE.ply[running], TREE.value[running]
    side = np.ones(len(boards), dtype=np.int8)
    gaps, own = (winning_cells(GRID, boards, sign * side) for sign in (1, -1))
    verdict = ledger()["ntuple-xx"]["verdict"]
    yield so("two X's with a gap, an advantage for X.", verdict == "reproduced")
    won = set(value[gaps.any(axis=1) & (ply % 2 == 0)]) == {1}
    yield f"With X to move the game is {way(won, 'won', 'not won')};"
    forced = gaps.any(axis=1) & ~own.any(axis=1) & (ply % 2 == 1)
    elsewhere = TREE.legal[running][forced] & ~gaps[forced]
    lost = set(TREE.value[TREE.children[running][forced][elsewhere]]) == {1}
    yield so("with O to move, O must fill the gap unless it can win at once", lost)


@says("notebooks/03_ntuple_network.ipynb")
def way_and_map() -> Iterator[str]:
    """Misplayed positions, replies, shares."""
    [left] = told("03_ntuple_network", r"Only (\d+) positions are misplayed")
    optimum = variants().optimum_misplayed["document"]
    yield so(f"dozens of misplayed positions become {word(left)}", optimum > 24)
    [bound] = told("03_ntuple_network", r"symmetry misplay at least (\d+) positions")
    least = so(word(left), bound == left)
    yield f"with tables shared by symmetry the minimum is {least} misplayed positions"
    replies = TREE.children[TREE.children[0][1]]
    held = int(((TREE.value[replies] == 0) & TREE.legal[TREE.children[0][1]]).sum())
    [chosen] = np.flatnonzero(table("ntuple")[TREE.children[0][1]])
    others = so("picks any of them", (table("minimax")[TREE.children[0][1]] > 0).sum() == held)
    yield (
        f"After an opening on an edge {word(held)} replies keep the draw; the perfect player "
        f"{others}, the network always the {KINDS[int(chosen)]}."
    )
    squares, shared = variants().loc["lines and squares"], variants().loc["symmetric"]
    few = 0.9 * shared.misplayed < squares.misplayed < shared.misplayed
    quarter = squares.error < 0.75 * shared.error and few
    more = squares.optimum_misplayed > shared.optimum_misplayed
    yield so("by more than a quarter, the number of misplayed positions far less", quarter)
    yield f"and at the least error found it {way(more, 'even rises', 'falls, too')}"
    yield so("**A lower error need not mean fewer mistakes**", quarter and more)
    epochs = stored("ntuple_epochs.csv")
    labels, play = epochs.seed.nunique(), stored("ntuple_self_play.csv").seed.nunique()
    large = stored("ntuple_4x4_exact.csv").seed.nunique()
    assert labels == 100
    yield f"a hundred of the article's network and {word(large)} on 4x4, none of which can lose"
    end = stored("ntuple_self_play.csv").query("games == games.max()")
    yield so(f"and {word(play)} for self-play, where many can", end.never_loses.mean() < 0.75)


@says("notebooks/03_ntuple_network.ipynb")
def tables() -> Iterator[str]:
    """Other sets of tables, and the least error of any."""
    error = variants().error
    faster = (error[["by kind", "symmetric"]] < error["document"]).all()
    yield f"Shared weights learn {way(faster, 'faster', 'slower')}. A likely reason is"
    bare = variants().loc[["one table", "no side to move"]]
    lose = not (bare.never_loses.any() or bare.optimum_never_loses.any())
    text = "A single table for all lines loses at every seed, and at the least error found"
    yield so(f"{text}; so do tables without the side to move", lose)
    yield so("the linear program, asked only for the right order in the positions that the player "
             "meets, finds tables that never lose", all(map(made_safe, bare.index)))  # fmt: skip
    ends = stored("ntuple_starts.csv")
    starts = ends[ends.variant.isin(["document", "symmetric"])].groupby("variant").error
    yield so("at this optimum sharing by symmetry adds no error", len(set(starts.min())) == 1)
    half = starts.count()["symmetric"] == starts.count()["document"]
    yield so("half of the starts used shared tables and half did not", half)
    rise = ends[ends.error > ends.variant.map(ends.groupby("variant").error.min()) + 1e-6]
    squared = rise.variant == "lines and squares"
    only = squared.any() and set(rise[~squared].start.str.split().str[0]) == {"random"}
    yield so("From zeros and from trained tables, minimisation ends at one and the same error for "
             "each set of tables over lines; from random tables, and with squares, it can end "
             "higher.", only)  # fmt: skip
    last = stored("ntuple_epochs.csv").query("epoch == 100").misplayed
    yield so("There are dozens, even after the last epoch", last.between(24, 100).all())
    differ = [r for r in ledger().values() if r["document"] == 3 and r["verdict"] == "differs"]
    yield f"{way(differ, 'some', 'none')} of the numbers that it measured is out of line with ours"
    wins = drawn("03_extra_wins").query("line == 'network opens, then perfect'")
    gained = wins.groupby("side").win.agg(lambda win: win.iloc[-1] - win.iloc[0])
    yield so("As X there is little to gain, as O a lot.", 4 * gained["X"] < gained["O"])
    [share] = re.findall(r"it is ([\d.]+)%", ledger()["ntuple-because"]["reason"])
    yield so("Just over half of the lead goes to the two moves", 50 < float(share) < 55)
    [most] = re.findall(r"opening alone -?\d+% to (\d+)%", ledger()["ntuple-because"]["ours"])
    yield so("X's opening alone, of which the article goes on to speak, gets little in any order.",
             int(most) < 20)  # fmt: skip
    weights = Patterns(Grid(4), sharing="symmetric").parameters
    yield so("fewer than three hundred numbers", weights < 300)


def made_safe(variant: str) -> bool:
    """Whether notebook 03 found weights for these tables that nobody beats, as many as stored."""
    names = {"one table": "one table for all", "no side to move": "tables without the side to move"}
    pattern = rf"{names[variant]}.* \((\d+) weights\) can be made unbeatable"
    [weights] = told("03_ntuple_network", pattern)
    return bool(weights == variants().parameters[variant])


@says("notebooks/03_ntuple_network.ipynb")
def x_between_two_os() -> Iterator[str]:
    """O X O on the diagonal 0-4-8 with X to move: its weight, and who wins."""
    o_x_o = (TREE.boards[:, [0, 4, 8]] == [-1, 1, -1]).all(axis=1) & (TREE.ply % 2 == 0)
    values = TREE.value[o_x_o & ~TREE.finished]
    edge = (TREE.boards[:, :3] == [-1, 1, -1]).all(axis=1) & (TREE.ply % 2 == 0)
    others = TREE.value[edge & ~TREE.finished]
    rows = drawn("03_filling").query("after == '100 epochs' and to_move == 'X'")
    weight = rows.set_index("pattern").weight
    out = weight["oxo"] > 0.75 * weight[[".xx", "x.x", "xx."]].max()
    yield so("So does an X between two O's, although nobody can win that line any more.", out)
    text = "in every unfinished position that shows it on a diagonal with X to move, X wins"
    yield so(text, len(values) > 0 and (values == 1).all())
    yield so("X wins (on an edge not in all)", (others == 1).mean() < 1)
    least = drawn("03_look_up_tables").set_index("pattern")["diagonal, X to move"]["oxo"]
    yield so("it weighs less than half as much with X to move", least < weight["oxo"] / 2)
    other = drawn("03_filling").query("after == '100 epochs' and to_move == 'O'")
    no_less = other.set_index("pattern").weight["oxo"] >= weight["oxo"]
    shown = (TREE.boards[:, [0, 4, 8]] == [-1, 1, -1]).all(axis=1) & (TREE.ply % 2 == 1)
    lost = -1 in TREE.value[shown & ~TREE.finished]
    yield so("With O to move it weighs no less, although O wins some of those positions.",
             no_less and lost)  # fmt: skip


@says("notebooks/03_ntuple_network.ipynb")
def a_perfect_game() -> Iterator[str]:
    """The closing answer."""
    row, proven = (
        ledger()["ntuple-never-loses"],
        told("03_ntuple_network", r"there are (\d+) cases"),
    )
    hundred = row["verdict"] == "reproduced" and "all 100 stored seeds keep to it" in row["reason"]
    yield so(
        "each of the hundred networks that we trained in the article's way never loses", hundred
    )
    last = stored("ntuple_epochs.csv").query("epoch == 100").misplayed
    dozens = last.min() > 24 and proven[0] > 0
    yield so("each of them misplays dozens, and no eight tables play every position", dozens)


@says("notebooks/03_ntuple_network.ipynb")
def four_by_four() -> Iterator[str]:
    """Matches of the networks on 4x4."""
    games = stored("ntuple_4x4_matches.csv").set_index(["network", "opponent"])
    lines = games[games.index.get_level_values("network").str.startswith("lines")]
    yield f"shared or not, {way(lines.loss.sum() == 0, 'not one', 'a')} game is lost"
    pairs = games.loc["2-tuples, by symmetry"].loss
    yield so("trained the same way, loses games to every opponent", pairs.min() > 0)
    weak = [games.loc[name].loss for name in ("2-tuples, by symmetry", "random")]
    fewer = all(lost["uct:iterations=5000"] < lost["uct:iterations=1000"] for lost in weak)
    yield f"UCT wins {way(fewer, 'fewer', 'more')} with five thousand than with one thousand"
    plain, shared = Patterns(Grid(4)), Patterns(Grid(4), sharing="symmetric")
    yield (
        f"{word(len(plain.tuples))} tables of {plain.sizes[0]} entries, or {shared.parameters} "
        "weights when shared by symmetry"
    )


@says("notebooks/03_ntuple_network.ipynb")
def larger_board() -> Iterator[str]:
    """What self-play found on 4x4, how that is known, and how it was set."""
    games = stored("ntuple_4x4_matches.csv").set_index(["network", "opponent"])
    weak = [games.loc[name] for name in ("2-tuples, by symmetry", "random")]
    fewer = all(
        lost.loss["uct:iterations=5000"] < lost.loss["uct:iterations=1000"] for lost in weak
    )
    yield so("More playouts do not always win more games: against 2-tuples and against random "
             "play", fewer)  # fmt: skip
    proof, sizes = stored("ntuple_4x4_exact.csv"), drawn("00_by_ply").set_index("board").classes
    yield so("and 4x4 has few enough of those to visit them all",
             set(proof.states) == {sizes["4x4"].sum()})  # fmt: skip
    yield so("self-play found tables that never lose a game on 4x4",
             (proof[["worst_x", "worst_o"]] >= 0).all(axis=None))  # fmt: skip
    yield f"with each of the {word(proof.seed.nunique())} stored seeds"
    one, two = (games.loc[f"lines, by symmetry{more}"].win for more in ("", ", 2 plies"))
    searched = one.index[one.index.str.startswith("uct")][0]
    more = way(two[searched] > one[searched], "more", "fewer")
    yield f"Searching two plies deep, the 4x4 network won {more} games against weak tree search"
    small, large = (
        f"{board.rate}, halved after {board.half:,} games, {board.epsilon}"
        for board in (runs.SELF_PLAY, runs.SELF_PLAY_4X4)
    )
    yield f"(3x3: {small}; 4x4: {large})"


@says("notebooks/03_ntuple_network.ipynb")
def single_steps() -> Iterator[str]:
    """What one position moves, and what the value of a drawn one reads as."""
    data = positions(Patterns(GRID))
    weights = np.zeros(Patterns(GRID).parameters + 1)
    won = np.flatnonzero(data.targets == 1)[:1]
    sgd_epoch(data.features, data.targets, won, weights, RATE)
    moved, picked = np.flatnonzero(weights), data.features[won[0]]
    yield so("A weight that the position did not pick has derivative 0 and stays the same.",
             set(moved) == set(picked))  # fmt: skip
    [step], many = set(weights[moved]), word(len(moved))
    yield (
        f"At the first showing each of {many} numbers moves by the learning rate {step:g}, so the "
        f"sum moves {many} times as far"
    )
    [read] = told("03_ntuple_network", r"drawn positions read \*\*([\d.]+)\*\*")
    [taught] = set(data.targets[TREE.value == 0])
    half = so("it should read one half", (taught + 1) / 2 == 1 / 2 and abs(read - 1 / 2) < 0.02)
    yield f"A drawn position was taught as {taught:g}, so {half}, though nobody wins it"


@says("notebooks/03_ntuple_network.ipynb")
def a_chance_of_winning() -> Iterator[str]:
    """How far the networks' outputs are from chances of a win, and from expected points."""
    points, wins = (
        max(claims.off_by((trained(GRID, seed).predict(TREE.boards) + 1) / 2, truth)
            for seed in range(3))
        for truth in ((TREE.value + 1) / 2, TREE.value == 1)
    )  # fmt: skip
    yield so("As the chance of a win alone the number is far off", wins > 0.4)
    yield so("it comes close **on average**, over positions of about the same reading, to the "
             "*expected points* of X under perfect play", points < 0.12)  # fmt: skip
    verdict = ledger()["ntuple-probability"]["verdict"]
    yield f"the ledger has the numbers of both readings and calls the sentence *{verdict}*"


@says("notebooks/03_ntuple_network.ipynb")
def numbers_of_tables() -> Iterator[str]:
    """Sizes of tables, what squares change, and the training runs by self-play."""
    hundreds = word(len(stored("ntuple_curves.csv")) / 100)
    yield f"compare the published errors with {hundreds} hundred such runs"
    yield f"What if every line keeps its own table, {Patterns(GRID).parameters} weights in all?"
    [cases] = told("03_ntuple_network", r"there are (\d+) cases, each refuted")
    yield f"There are {word(cases)} ways to choose the good moves"
    squares, lines = (runs.VARIANTS[name].tuples for name in ("lines and squares", "symmetric"))
    last = way(variants().index[-1] == "lines and squares", "last", "other")
    error = variants().error
    falls = way(error["lines and squares"] < error["symmetric"], "falls", "rises")
    yield (
        f"The {last} row of the table above adds the {word(len(squares) - len(lines))} 2x2 "
        f"squares: the error {falls}"
    )
    rows = stored("ntuple_self_play.csv")
    text = so("up to a million games", rows.games.max() == 1e6)
    yield (
        f"We stored {word(rows.seed.nunique())} seeds, checked by enumeration at intervals {text}, "
        f"in {word(rows.way.nunique())} ways"
    )


@cache
def tables_and_prints(name: str) -> str:
    """What the cells of a notebook print and the tables that they show."""
    cells = cells_of(ROOT / f"notebooks/{name}.ipynb")
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    texts = (o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs)
    return "\n".join("".join(text) for text in texts)


def shown(pattern: str, notebook: str = "03_ntuple_network") -> list[tuple[float, ...]]:
    """The numbers in the groups of a pattern, for every place where a notebook shows it."""
    found = re.findall(pattern, tables_and_prints(notebook))
    assert found, f"{notebook} shows nothing like {pattern}"
    return [tuple(map(float, groups)) for groups in found]


def losing_replies(state: int) -> int:
    """Moves of X after which O wins."""
    return int((TREE.value[TREE.children[state][TREE.legal[state]]] == -1).sum())


@says("notebooks/03_ntuple_network.ipynb")
def wins_against_random() -> Iterator[str]:
    """Who beats Random more often, as published and exactly, and where."""
    network, perfect = (counted(f"ntuple-{who}-random")[0] for who in ("network", "perfect"))
    more = way(network > perfect, "more", "less")
    yield f"and even beats a random player {more} often than a perfect one does"
    wins = drawn("03_extra_wins").set_index(["side", "line", "moves"]).win
    ladders = [wins[side]["network opens, then perfect"] for side in "XO"]
    gained = [wins_of.iloc[-1] - wins_of.iloc[0] for wins_of in ladders]
    more = way(min(gained) > 0, "more", "less")
    yield f"The network beats Random {more} often than the perfect player does."
    first = wins["X"]["perfect opens, then network"]
    yield so("If the network opened at random, it would win just as often.", first[0] == first[1])
    verdict = ledger()["ntuple-replies"]["verdict"]
    yield so("As X's opening the centre does not, whether one reads that as Random's chance of "
             "losing, as above, or counts moves.", verdict == "refuted")  # fmt: skip
    values = exact_values(TREE, table("random"), table("minimax:ties=uniform"))
    edge = TREE.children[0][1]
    held = (TREE.value[TREE.children[edge]] == 0) & TREE.legal[edge]
    chances = {int(c): values[int(TREE.children[edge][c])].loss for c in np.flatnonzero(held)}
    more = way(chances[4] > sum(chances.values()) / len(chances), "more", "less")
    yield f"but later Random goes wrong {more} often"
    centre, beside = (losing_replies(int(TREE.children[edge][cell])) for cell in (4, 0))
    fewer = way(centre < beside, "fewer", "more")
    yield f"After the centre, {fewer} of Random's next moves lose than after a reply in a corner"
    none = losing_replies(int(TREE.children[edge][7])) == 0 and min(chances, key=chances.get) == 7
    fourth = so(f"The {ORDINALS[len(chances)]} safe reply, the opposite edge, is the worst", none)
    yield f"{fourth} by either count: none of Random's next moves loses, and O wins least."
    most, cases, lot = told(
        "03_ntuple_network",
        r"As O, the network .*? in \*\*(\d+) of (\d+)\*\* cases.*? in ([\d.]+) of them on average",
    )
    yield so("As O it finds such moves hardly more often than a player who picks a safe move",
             0 < most - lot < cases / 20)  # fmt: skip


@says("notebooks/03_ntuple_network.ipynb")
def weights() -> Iterator[str]:
    """Weights that surprise, the bias, the simplest tables, and the proof."""
    [weighed] = shown(r"\.xx, O to move" + 3 * r" +(-?[\d.]+)")
    sign = way(max(weighed) < 0, "negative", "positive")
    yield f"But two X's and a gap have a *{sign}* weight?"
    matrix = optimum.design_matrix(Patterns(GRID))
    full, bare = claims.rank(matrix), claims.rank(matrix[:, :-1])
    yield f"without it there are {way(full == bare, 'still', 'only')} {bare} independent numbers."
    pairs = drawn("03_look_up_tables").set_index("pattern").loc[[".xx", "x.x"]]
    x, o = (pairs.filter(like=f"{side} to move") for side in "XO")
    yield so("With X to move, two X's and an empty cell weigh heavily on every line",
             x.to_numpy().min() > 1)  # fmt: skip
    little = o.abs().to_numpy().max() < x.to_numpy().min() / 3
    yield so("With O to move they are worth next to nothing", little)
    first, second, third = np.array(shown(r"edge \S+" + 3 * r" +(-?\d+)")).T
    turned, times = (second == -first).all(), set(third / second)
    [factor] = times if len(times) == 1 else [0]
    multiple = {2: "twice", 0.5: "half"}.get(factor, f"{factor} times")
    yield so(f"is the first with all signs reversed, the third is {multiple} the second", turned)
    [least] = told("03_ntuple_network", r"every line (\d+) misplayed position is enough")
    yield f"with a table for every line it is {word(least)}, and no training"


@says("notebooks/03_ntuple_network.ipynb")
def epochs_enough() -> Iterator[str]:
    """When nobody beats a seed any more, and the band of the errors."""
    seeds = drawn("03_perfect_play").set_index("epoch").never_lose
    needed = seeds.index[seeds < 100].max() + 1
    yield so("So many epochs are far more than needed.", seeds.index.max() == 100 >= 10 * needed)
    errors = stored("ntuple_epochs.csv").query("epoch >= 10").groupby("epoch").error
    low, middle, high = (errors.quantile(share) for share in (0.025, 0.5, 0.975))
    narrow = ((high - low) < 0.1 * middle).all()
    lopsided = (high - middle).sum() > 1.5 * (middle - low).sum()
    yield so("The band is narrow and lopsided.", narrow and lopsided)
    yield so("whatever the direction, near a minimum the error mostly rises", lopsided)


@says("notebooks/03_ntuple_network.ipynb")
def errors_and_opponents() -> Iterator[str]:
    """What a hundred epochs leave, and the longest search that was met on 4x4."""
    yield f"A hundred epochs leave an error of {train(rng=0).errors[99]:.3f}."
    searches = stored("ntuple_4x4_matches.csv").opponent.str.extract(r"uct:iterations=(\d+)")[0]
    thousands = searches.dropna().astype(int).max() / 1000
    yield f"against tree search (UCT) with up to {word(thousands)} thousand playouts per move"


@says("notebooks/03_ntuple_network.ipynb")
def single_precision() -> Iterator[str]:
    """The same training in double and in single precision."""
    double, single = train(rng=0), train(rng=0, dtype=np.float32)
    apart = np.abs(np.array(single.errors) / np.array(double.errors) - 1).max()
    yield f"The errors agree to {word(int(-np.log10(apart)))} digits"
    moves = [table_of(run.network, TREE) for run in (double, single)]
    yield so("the choice of move does not change in a single position", np.array_equal(*moves))


@says("figures/03_perfect_play")
def quick_learners() -> Iterator[str]:
    rows = drawn("03_perfect_play").set_index("epoch")
    first, most = int(rows.index[rows.never_lose == 100].min()), rows.never_lose.max()
    late = rows.loc[first:]
    yield so(
        f"After {word(first)} epochs nobody beats any of the seeds, though all still give value",
        late.never_lose.min() == 100 and late.low.min() > 0,
    )
    yield f"rises from {rows.never_lose[1]} to {most} of 100 seeds within {word(first)} epochs"
    mean = rows["mean"]
    quickly = mean[1] - mean[15] > 0.8 * (mean[1] - mean[100])
    yield so(f"falls quickly to about {round(mean[15], -1):.0f} by epoch 15", quickly)
    low, high = (f"{end:.0f}" for end in (mean[60:].min(), mean[60:].max()))
    slowly = mean[15:].diff().abs().max() < 1.5 and mean[60] < mean[15] - 10
    yield so(f"then slowly to between {low} and {high}.", slowly)


@says("figures/03_self_play")
def self_play_in_the_figure() -> Iterator[str]:
    count = safe_seeds()["symmetric"]
    steady = count["falling, averaged"]
    kept = sorted(set(steady[steady.index >= 100_000]))
    found = f"stay unbeatable in {listed(kept, 'or')} of 20 seeds"
    yield f"a falling step averaged weights {found}"
    yield f"averaging ends at {word(count['constant, averaged'].iloc[-1])}."
    checks = safe_seeds().unstack("games")
    late = checks.loc[:, 100_000:]
    jumps = late.diff(axis=1).abs().mean(axis=1).unstack("way")
    ways = ("constant", "falling")
    steadier = all((jumps[f"{step}, averaged"] < jumps[step]).all() for step in ways)
    yield so("fluctuate between unbeatable and beatable; averaged weights are steadier", steadier)
    end = late.iloc[:, -1]["symmetric"]
    need = end["constant, averaged"] < end["constant"] < end["falling, averaged"]
    yield so(
        "Averaged weights are steadier; with tables shared by symmetry they need a falling step as",
        need,
    )
    yield f"by enumeration at each of {checks.shape[1]} checks"


@says("figures/03_extra_wins")
def extra_wins() -> Iterator[str]:
    rows = drawn("03_extra_wins")
    o = rows[(rows.side == "O") & (rows.moves >= 0)].pivot(index="moves", columns="line")
    step = o.win.diff().abs().idxmax().map(ORDINALS.__getitem__)
    yield (
        f"As O the largest step is the {step['network opens, then perfect']} reply where the "
        f"network opens, the {step['perfect opens, then network']} where the perfect player does"
    )
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
    for claim, (_, part) in zip(ids, tables, strict=True):
        mean = np.average(part.wins, weights=part.chance)
        spread = np.sqrt(np.average((part.wins - mean) ** 2, weights=part.chance))
        far.append(abs(counted(claim)[0] - mean) / spread)
    ordinary = max(far) < 2
    yield so("The published counts are ordinary ones", ordinary)
    halves = {ledger()[claim]["n"] // 2 for claim in ids}
    yield f"(the sum of two binomials, {listed(halves)} games on each side)"
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
    yield so("The published errors lie among those of shuffled training", inside)
    yield so("The published dots lie inside the narrow band of shuffled training runs", inside)
    yield so("the regular orders, kept throughout, lie above it in the first epochs", above)

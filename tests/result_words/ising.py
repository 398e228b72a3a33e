"""What notebook 04 and its figures say of document 4, built from the evidence."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, log10
from typing import Any

import numpy as np
import pandas as pd

from result_words.tools import (
    ENERGIES,
    GRID,
    ORDINALS,
    TREE,
    capital,
    counted,
    drawn,
    ledger,
    listed,
    piece,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib import worst
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.exact import random_outcome
from ttt_lib.game.policy import random_agent
from ttt_lib.game.stats import wilson
from ttt_lib.ising import (
    claims,
    claims_bias,
    claims_times,
    curve,
    diagonals,
    figures_boards,
    meaning,
    plane,
    runs,
    study,
    thresholds,
)
from ttt_lib.ising.energy import energy_of, gains, power_energy, reading
from ttt_lib.ising.players import ising
from ttt_lib.ising.program import false_wins
from ttt_lib.ising.thresholds import block_edge


@says("notebooks/04_ising_bias.ipynb")
def counts() -> Iterator[str]:
    """Published counts, as they stand in the ledger, and what became of them."""
    games = counted("ising-ten-thousand")
    shares = [f"{count / sum(games):.2%}" for count in games]
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
    [games] = {re.findall(r"\d+ games", row["quantity"])[0] for row in pairs}
    text = f"All {word(len(pairs))} pictures, of {games} each, are within"
    yield so(f"{text} sampling error of the fractions.", fine)
    [seconds] = counted("ising-network-time")
    yield f"and builds a network from it, which took about {word(seconds / 60)} minutes in all"
    six, five_by_five = map(float, re.findall(r"\d+\.\d", ledger()["ising-six-halved"]["ours"]))
    yield f"6x6 loses {way(six < five_by_five / 2, 'less', 'more')} than half as much as 5x5."


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
    text = "lies outside it: only just for the text's energy, by more for the program's"
    yield so(f"The chosen 0.647 {text}", 0 < near < 0.02 < 3 * near < far)
    beaten = re.findall(r"\d+", ledger()["ising-not-perfect"]["ours"])
    every = so("with either energy it can lose at every", beaten[0] == beaten[1])
    yield f"As second player, no: {every} $b$ in [0, 1]."
    found = [meaning.blocks_instead(name, 1.0) for name in ENERGIES]
    sure = [(always, both - always - maybe) for always, maybe, both in found]
    more = way(all(100 < block < win < block + 20 for block, win in sure), "a few", "not a few")
    yield (
        "with either energy it blocks for certain in more than a hundred of these positions, is "
        f"sure to win in only {more} more, and leaves the others to chance"
    )
    far = [meaning.blocks_instead(name, claims_bias.MOST) for name in ENERGIES]
    text = f"At $b = {claims_bias.MOST}$ both players block wherever they must choose."
    yield so(text, all(always == both for always, _, both in far))
    (given, tossed), (away, _) = (
        [sum(meaning.after_blocks(n, 1.0, sure=sure)[1:]) for sure in (True, False)]
        for n in ENERGIES
    )
    yield so(
        "but after a block the win may be gone: with the program's energy even after some sure "
        "blocks, with the text's only where chance decides between win and block",
        given == 0 < min(tossed, away),
    )


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
    yield f"The document found {qubic / 10:.0f}% first-player wins on 4x4x4"
    yield so("almost a coin toss on 5x5x5", abs(won - lost) < 10)
    random = drawn("04_wedges").query("first == 'random'")
    sums = random.printed_win + 2 * random.printed_draw
    yield so("these games add up to more or less than a hundred", sums.max() > 1 > sums.min())


@says("notebooks/04_ising_bias.ipynb")
def times() -> Iterator[str]:
    """What is fast here, and what a search saves."""
    file = stored("ising_times.csv").set_index("what").seconds["3x3 network as CSV"]
    yield so(
        "With arrays instead of nested vectors the listing takes a fraction of a second", file < 1
    )
    row = ledger()["ising-any-second"]
    [saved] = re.findall(r"([\d.]+)% fewer", row["ours"])
    far = 100 - float(saved) > 100 * (100 - float(row["published"]))
    yield so("so the saving there is far from the stated one", far)
    share = so("If this share is meant for all, it is not so with minimax second", far)
    yield f"{share}, who still has to search"
    third = claims_times.third_less().value
    yield (
        "that an Ising second player then saves about a third of the time is "
        f"{way(round(third, 1) == 0.3, 'right', 'not borne out')} if positions cost alike: it "
        f"saves {third:.0%} of the positions"
    )


@says("notebooks/04_ising_bias.ipynb")
def staircase() -> Iterator[str]:
    """Where the plateau begins and the window lies, in steps by which a line gains weight."""
    text, program = (piece(name, 0.647) for name in ENERGIES)
    before = [p for p in curve.named("published", "o", "random") if p.start < program.start]
    least = min(p.outcome.loss for p in curve.named("published", "o", "random"))
    last = min(p.outcome.loss for p in before) > program.outcome.loss == least
    earlier = so("a little earlier", 0.3 < float(program.start) < 0.4)
    yield so(f"the last step that saves games is the start of the plateau, {earlier}", last)
    both = zip((text, program), windows(), strict=True)
    inside = all(float(p.start) < low < high < float(p.end) for p, (low, high) in both)
    met = [meaning.passed_at(name, 0.647, own_games=True) for name in ENERGIES]
    yield so(
        "the player never gets into a position where 0.647 passes over a win", met == 2 * [(0, 0)]
    )
    passes = meaning.passed_at("published", claims.SECOND_B, own_games=True)[0] > 0
    large = passes and claims.SECOND_B > 0.647
    where = "(With the program's energy and the larger $b$ that the program gives its second player"
    yield so(f"{where} it does;", large)
    assert inside
    low, high = too_small_and_too_large()
    yield so("Too small a $b$ passes over blocks, too large a one passes over wins:", low and high)
    _, w1, w2 = map(float, meaning.steps(energy_of("equation", GRID)))
    after = [p for p in curve.named("equation", "o", "random") if p.start > text.start]
    level = {p.outcome.loss for p in after} == {text.outcome.loss}
    begins = np.isclose(float(text.start), w1 / (w2 - w1))
    yield so(
        "On 3x3 all values between $w_1/(w_2 - w_1)$ and 1 lose equally little as second player",
        level and begins,
    )
    ends = (w1 / (w2 - 2 * w1), 1 - 2 * w1 / w2)
    yield so(
        "between $w_1/(w_2 - 2w_1)$ and $1 - 2w_1/w_2$ the player takes every win and stops every",
        np.allclose(windows()[0], ends),
    )
    yield so(
        "The document's value lies on the plateau of the program, an optimal value among many",
        program.outcome.loss == least and not program.is_point,
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


def pairs_of(texts: list[tuple[str, str]]) -> list[tuple[Fraction, ...]]:
    """Pairs of fractions that a finding tells."""
    return [tuple(map(Fraction, pair)) for pair in texts]


@says("notebooks/04_ising_bias.ipynb")
def smallest_example() -> Iterator[str]:
    """Corner, centre, opposite corner, with both energies; and who is beaten how."""
    rows = drawn("04_energies").set_index("cell")
    own = way(rows.own.nunique() == 1, "the same everywhere", "larger in places")
    corners, edges = rows.other[[2, 6]], rows.other[[1, 3, 5, 7]]
    twice = np.allclose(corners, 2 * edges.max()) and np.allclose(edges, edges.max())
    times = way(twice, "twice as large", "not twice as large")
    yield f"With the text's energy $P$ is {own}. $Q$ is {times} in the corners."
    root = energy_of("equation", GRID).root
    cube = way(root.degree == 3, "cube", "other")
    yield f"Since $c$ is the {cube} root of {word(root.radicand)}, gains are polynomials in $c$"
    looks = worths("published", "x...o...x", 0.647)
    edge = way(looks[1] > looks[2], "an edge looks better", "an edge looks worse")
    yield f"so {edge} to it there than a corner"
    luck = claims.ties_decide([0.647, 0.8]).found
    beaten = "the second player can be beaten, with either energy and at both biases that the"
    yield so(beaten, "some opponent beats it in 4 of 4 cases" in luck)
    found = re.findall(r"lost: (\S+)(?: instead of (\S+?)| either way)\)", luck)
    pairs = [(best, usual or best) for best, usual in found]
    program, text = (pairs_of(pairs[:2]), pairs_of(pairs[2:]))
    most = all(0 < best < usual / 2 for best, usual in program)
    yield so("Most of the program's few losses to random play, though not all, are due to it", most)
    parts = re.findall(r"player ([\d.]+)%(?: instead of ([\d.]+)%| either way)", luck)
    shares = [(float(best), float(usual or best)) for best, usual in parts]
    hardly = len(shares) == 4 and all(0.9 * usual < best <= usual for best, usual in shares)
    yield so("with the luckiest choices it would win hardly more often", hardly)
    alike = all(best == usual for best, usual in text)
    yield so("the text's player loses as much however its ties are broken", alike)
    mistakes = word(len(study.mistakes(energy_of("equation", GRID), 0.647)))
    yield (
        "In the positions that its own games as second player can reach, the text's player makes "
        f"exactly {mistakes} mistake on its plateau, up to symmetry"
    )
    pattern = r"With the {} energy the first player never loses above b = (\d\.\d+)"
    safe = [told("04_ising_bias", pattern.format(whose))[0] for whose in ("text's", "program's")]
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
def lowest_points_of_parabolas() -> Iterator[str]:
    """Where fits are lowest."""
    pattern = r"at ([\d.]+) by true rules, at ([\d.]+) as the program scores.* at \*\*([\d.]+)\*\*"
    lowest = told("04_ising_bias", pattern)
    third = len(set(lowest)) == 3 and max(lowest) - min(lowest) < 0.01
    yield so("Two details of the program matter in the third digit", third)
    points = drawn("04_fit").query("series == 'replay'")
    parabola = np.polynomial.Polynomial.fit(points.printed, points.lost, 2)
    under = way(parabola(points.printed).min() < 0, "below zero", "above zero")
    yield f"Look also at where the parabola goes: {under}, to fewer than no games lost"
    fits = stored("ising_program_fits.csv").groupby("sweep")
    mean = fits.mean(numeric_only=True)
    near = abs(mean.quadratic_minimum["4x4"] - 0.647) < 0.05
    yield so("The parabola of 4x4 is lowest near the chosen value", near)
    first = fits.quadratic_minimum.get_group("5x5") == 0.01
    yield so("nearly every replay of it has the lowest point of its parabola at the first $b$",
             len(first) > first.sum() > 0.9 * len(first))  # fmt: skip
    worse = mean.late_mean["5x5"] >= mean["mean"]["5x5"] and fits.zeros.max()["5x5"] == 0
    yield so("5x5 does not improve with $b$ and has no $b$ without a loss;", worse)


@says("notebooks/04_ising_bias.ipynb")
def boards_like_3x3() -> Iterator[str]:
    """On which boards the losses lie as on 3x3, and where the points cannot tell."""
    alike = [claims_bias.like_classic(size, alike=True).holds for size in claims_bias.COMPARED]
    yield so(
        "on 4x4 the losses lie at small $b$, as on 3x3 (the test can't tell how small: a curve "
        "half or twice as wide would pass, and so would a plain exponential), on 5x5 and 6x6 they "
        "do not.",
        alike[1:] == [True, False, False] and all(other_shapes_pass()),
    )
    hardly = claims_bias.digitised("3x3x3")[1].mean() < 1
    text = f"with 3x3x3, too, where {way(hardly, 'hardly a game was', 'games were')} lost"
    yield so(
        f"Whether 4x4 agrees {text}, the points can't tell.",
        claims_bias.like_points("4x4", "3x3x3").holds is None,
    )
    yield so(
        "But 3x3x3, which the document calls similar, is undecided by these points",
        alike[0] is None,
    )


@says("notebooks/04_ising_bias.ipynb")
def when_boards_are_alike() -> Iterator[str]:
    """The rule by which a board counts as alike or unlike."""
    rule = r"True if low (.) expected / (\d) else False if high (.) expected / (\d) else None"
    [(over, of, under, again)] = re.findall(rule, inspect.getsource(claims_bias._follows))
    share = so("half", of == again == "2")
    above, below = (way(sign == ">", "above", "below") for sign in (over, under))
    yield (
        f"a board counts as *alike* if its interval lies {above} {share} of what a curve of the "
        "same shape would give (less than 1, since its points scatter, too), as *unlike* if it "
        f"lies {below}"
    )


@says("notebooks/04_ising_bias.ipynb")
def losses_on_3x3x3() -> Iterator[str]:
    """How the losses on 3x3x3 by true rules run beside those on 3x3."""
    first = so("go along with those of 3x3 at first", goes_along(0, claims_bias.UNTIL))
    rise = so(
        "but rise towards $b = 1$", cube_losses()[0.81:0.9].mean() < cube_losses()[0.91:].mean()
    )
    yield f"by true rules its losses {first}, {rise}"


def cube_losses() -> Any:
    """What the program's player loses on 3x3x3 by true rules, by b."""
    rows = stored("ising_sweeps.csv").query("energy == 'published' and players == 'RI'")
    return lost_to_x(rows[rows.board == "3x3x3"].set_index("b"))


def goes_along(low: float, high: float) -> bool:
    """Whether between two b the program's losses on 3x3x3 and on 3x3 follow each other."""
    cube = cube_losses().loc[low:high]
    square = [float(curve.at(meaning.scored_curve(), b).outcome.loss) for b in cube.index]
    return bool(np.corrcoef(cube, square)[0, 1] > 0.8)


@says("notebooks/04_ising_bias.ipynb")
def turns_and_random_play() -> Iterator[str]:
    """Who is better off moving first, how wins scatter, and how often random play wins."""
    told = ledger()["ising-first-better"]["ours"]
    pairings = re.findall(r"in (\d+) of (\d+) pairings, more often in (\d+)", told)[0]
    less, of, more = map(int, pairings)
    [(worse, board)] = re.findall(r"worse off on (\d+): (\w+) ", told)
    yield so(
        "each player loses at most as often moving first as moving second against the same "
        f"opponent, less often in {word(less)} of {word(of)} pairings",
        more == 0,
    )
    off = so(f"by the program's own rules on {board} its player is worse off", worse == "1")
    yield f"{off} moving first"
    lost = ledger()["ising-minimax-thousand"]["ours"]
    yield so("The replayed minimax never loses", lost.endswith("loss 0"))
    spread = [
        float(x) for x in re.findall(r"([\d.]+) points", ledger()["ising-spread-thousand"]["ours"])
    ]
    yield so(
        "In a thousand games against random play a second player's wins would scatter by a "
        "little over one percentage point",
        all(1 < points < 1.3 for points in spread),
    )
    square, *cubes = re.findall(
        r"wins (\S+) of its games|([\d,]+) of 100,000", ledger()["ising-random-effective"]["ours"]
    )
    cube, qubic = (int(count.replace(",", "")) / 1000 for _, count in cubes)
    ends = {"3x3": 100 * float(Fraction(square[0])), "3x3x3": cube}
    half = all(0.35 < share / qubic < 0.65 for share in ends.values())
    yield so(
        "Random play, moving first, wins about one game of a hundred on 4x4x4, and half as many on "
        f"{listed(ends)}",
        half and round(qubic) == 1,
    )
    lost = cube_losses()
    below, above, next_to = (lost[a:b].mean() for a, b in ((0.41, 0.6), (0.61, 1), (0.61, 0.7)))
    large = so("does lose more often at large $b$", above > 2 * below)
    just = way(next_to < 1.05 * below, "not yet just above", "also just above")
    named = f"{just} the value from which the document says it does"
    yield f"the program's player {large}, though {named} (`ising-cube-beyond`)"


def other_shapes_pass() -> Iterator[bool]:
    """Whether the points of 4x4 pass for other falling curves, by the rule for that of 3x3."""
    b, lost = claims_bias.digitised("4x4")
    step = claims_bias.COARSE
    widths = [claims_bias.classic(np.minimum((b - step) / k + step, 1)) for k in (0.5, 2)]
    for shape in (*widths, np.exp(-10 * b)):
        low, _ = claims_bias._correlation(shape, lost / 100)
        yield low > claims_bias._expected_correlation(shape, lost.mean()) / 2


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
    added = listed(map(word, sorted({round(100 * share) for share in more[squares]})), "or")
    yield so(f"gaps turn {added} more of a hundred games on squares into draws", more["4x4x4"] == 0)
    fewer = (flaws().loc["stepping"].ising_wins < flaws().loc[none].ising_wins).all()
    yield f"the doubled step leaves the game sound but {way(fewer, 'weakens', 'helps')} the player"
    far = pd.DataFrame({flaw: apart(flaw)[squares] for flaw in ALONE})
    nearest = (far.idxmin(axis=1) == "win test").all()
    text = "it comes nearest to the whole program's shares of wins, draws and losses on squares."
    yield so(text, nearest)
    none_gives = min(apart(flaw).min() for flaw in (*ALONE, PAIR)) > 0.01
    yield so(
        "No departure, nor the pair of stepping and win test, gives all shares of the program on "
        "any of these boards",
        none_gives,
    )


@says("notebooks/04_ising_bias.ipynb")
def lost_by_the_win_test() -> Iterator[str]:
    """Games lost on squares, all that the document prints of them: the win test's share alone."""
    alone, whole = (100 * flaws().random_wins.loc[flaw] for flaw in ("win test", "all (published)"))
    [mean] = counted("ising-five-mean")
    gives = round(alone["5x5"]) == round(whole["5x5"]) == mean
    yield so(f"the win test by itself gives the {mean}% of 5x5", gives)
    yield so("but far too many on 4x4", alone["4x4"] > 5 * whole["4x4"])
    twice = 2 * whole["6x6"] < alone["6x6"] < 3 * whole["6x6"]
    yield so("and more than twice as many as the whole program on 6x6.", twice)


@says("notebooks/04_ising_bias.ipynb")
def game_below_the_edge() -> Iterator[str]:
    """The one move of the lost game on 6x6 that a larger b changes, and what it chooses between."""
    [(b, moves)] = [(b, moves) for (size, b), moves in thresholds.GAMES.items() if size == "6x6"]
    grid = Grid(6)
    w = [float(step) for step in meaning.steps(energy_of("equation", grid))]
    below, above = ising(grid, b), ising(grid, 1.0001 * w[3] / w[4])
    boards, turns = grid.initial(), {}
    for ply, cell in enumerate(moves, start=1):
        best = [set(np.flatnonzero(one.weights(boards)[0])) for one in (below, above)]
        if ply % 2 == 0 and best[0] != best[1]:
            turns[ply] = [set_of(open_lines(boards[0], cells)) for cells in best]
        boards = grid.play(boards, np.array([cell]))
        if ply - 1 in turns:
            threats = {c for line in grid.lines for c in line if missing(boards[0], line, 1) == [c]}
    [(ply, [(own, stopped), (none, both)])] = turns.items()
    assert (len(own), len(stopped), none) == (1, 1, ())
    assert set(both) == set(stopped)
    assert (own[0], both[0]) == (3, 4), "the steps of the formula"
    yield (
        f"At ply {ply} O may stop {word(len(both))} lines of X's that hold {word(both[0])} stones "
        f"each, or stop one of them and extend a line of its own that holds {word(own[0])}: "
        f"$2b\\,w_{both[0]}$ against $w_{own[0]} + b\\,w_{both[0]}$."
    )
    second = b * w[4] < w[3]
    yield so("Below $w_3/w_4$ it takes the second, and X has a fork.", second and len(threats) > 1)


Stones = tuple[tuple[int, ...], tuple[int, ...]]
"""Of the lines through a cell: own stones of those open to O, X's stones of those open to X."""


def open_lines(board: Any, cells: set[int]) -> list[Stones]:
    """What O's move on each of some cells of 6x6 extends, and what it stops."""
    found = []
    for cell in cells:
        lines = [board[list(line)] for line in Grid(6).lines if cell in line]
        own = sorted(int((line == -1).sum()) for line in lines if not (line == 1).any())
        stopped = sorted(int((line == 1).sum()) for line in lines if not (line == -1).any())
        found.append((tuple(own), tuple(stopped)))
    return found


def set_of(found: list[Stones]) -> Stones:
    """What equally good moves have in common; they must have all in common."""
    [one] = set(found)
    return one


def missing(board: Any, line: Any, side: int) -> list[int]:
    """The empty cells of a line that holds no stone of the other side."""
    stones = board[list(line)]
    return [c for c, s in zip(line, stones, strict=True) if s == 0] if -side not in stones else []


@says("notebooks/04_ising_bias.ipynb")
def law_in_n() -> Iterator[str]:
    """Boards with a proof, the ratios, and where the conjecture begins."""
    rows = drawn("04_law").set_index("n")
    proven = rows[rows.safe.notna()]
    exactly, five, six = (f"${r.replace('w', 'w_')}$" for r in proven.ratio)
    last = stored("ising_curve_4x4.csv").query("side == 'o' and loss != '0'").iloc[-1]
    ends = last.to_form == meaning.threshold(4).text and last.to == last["from"]
    yield so(f"On 4x4 the edge is {exactly} exactly, as we saw", ends)
    yield f"on 5x5 it is {five} and on 6x6 {six}, to the precision of our search"
    boards = listed(f"{n}x{n}" for n in proven.index)
    yield f"and prove, for {boards}, above which $b$"
    last = max(proven.index)
    yield f"From {last + 1}x{last + 1} on the law is a conjecture."
    yield f"From {last + 1}x{last + 1} on the law in $n$ is a conjecture."
    yield f"that is what the search shows up to {last}x{last}, position by position"
    yield f"and hold only for squares from 3x3 to {last}x{last}"
    [power] = {round(log10(gap)) for gap in proven.safe - proven.edge}
    yield f"A proof begins $10^{{{power}}}$ above the ratio"
    changes = way(proven.edge.is_monotonic_decreasing, "does change", "does not change")
    edge = f"So on {boards}, with the text's energy, the edge above which every $b$ is safe"
    yield f"{edge} {changes} with the size of the board"
    lower = [float(block_edge(energy_of("equation", Grid(n)))) for n in proven.index]
    yield so(
        f"With the factorial this edge lies below $w_{{n-3}}/w_{{n-2}}$ on {boards}",
        (lower < proven.edge).all(),
    )
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
    yield so(
        "on the whole, the more the player defends, the less it wins", mostly_up(safe_draws("o"))
    )
    rows = stored("ising_curve_4x4.csv").query("side == 'o' and loss == '0'")
    most = rows.loc[rows.win.map(Fraction).idxmax()]
    yield f"as second player for $b$ between {most['from']:.4f} and {most.to:.4f}"
    four, three = rows["from"].min(), float(piece("equation", 0.647).start)
    yield so("just above the edge", four <= most["from"] < four + 0.001)
    yield so("where a range begins changes with the board", four != three)
    edge = drawn("04_law").set_index("n").edge[4]
    yield so("it stops winning just where everybody does", np.isclose(four, edge))


@says("notebooks/04_ising_bias.ipynb")
def other_weights() -> Iterator[str]:
    """Two plies, and other bases."""
    pairs = {
        name: {b: claims_bias.one_and_two(name, b) for b in sorted(claims_bias.DEEPER)}
        for name in ENERGIES
    }
    (_, low), (one, high) = (pairs["equation"][b] for b in (0.1, 0.647))
    lowered = low.loss == 0 and low.win > one.win > high.win
    few = so("with a few plies more at its own $b$", claims_bias.deeper().holds is True)
    lower = so("with one ply more if $b$ is lowered with it", lowered)
    expected = "can make the player more effective, as the document expects (`ising-deeper`)"
    yield f"{expected}: {few}, {lower}"
    below = {name: lower_losses(pairs[name]) for name in ENERGIES}
    far = so("far lower", 2 * below["published"] < below["equation"])
    timid = all(two.win < one.win for of in pairs.values() for one, two in of.values())
    rarer = way(timid, "less", "not less")
    yield (
        f"two plies lose less often only below some $b$, which is {far} with the program's energy "
        f"than with the text's, and with either they win {rarer} often at every $b$ tried from "
        f"{min(claims_bias.DEEPER):.2f} on. ({small_b_wins_more()}.)"
    )
    table = stored("ising_deeper.csv").set_index(["board", "first", "second"])[["win", "loss"]]
    cubes = [table.loc[(size, "two", "random")].win / 1000 for size in ("3x3x3", "4x4x4")]
    yield so("On the cubes it beats random play in nearly every game", min(cubes) > 0.97)
    ahead, behind = table.loc[("4x4x4", "two", "one")], table.loc[("4x4x4", "one", "two")]
    weaker = ahead.win < ahead.loss and behind.loss < behind.win
    yield so("on either side it loses to one ply more often than it wins", weaker)
    yield f"but on 4x4x4 it is the {way(weaker, 'weaker', 'stronger')} of the two"
    curves = {base: potential(base) for base in (2, 3, 4, 8)}
    same = [base for base, pieces in curves.items() if curve.at(pieces, 0.647).outcome == one]
    [flat] = set(curves) - set(same)
    yield f"At $b = 0.647$ the bases {listed(same)} give exactly the result of $k!\\,c^k$"
    spans = [p for p in curves[flat] if not p.is_point]
    best = min(spans, key=lambda p: p.outcome.loss)
    assert best.start == spans[spans.index(best) - 1].end
    twice = so("and loses twice as much", best.outcome.loss == 2 * one.loss)
    begins = f"its plateau begins only above $b = {float(best.start):g}$"
    yield f"base {flat} is too flat: {begins} {twice}."


def small_b_wins_more() -> str:
    """Whether two plies win more often at the b of the table below the ledger's."""
    tried = [float(b) for b in study.deeper().b if b < min(claims_bias.DEEPER)]
    pairs = [claims_bias.one_and_two(name, b) for name in ENERGIES for b in tried]
    more = all(two.win > one.win for one, two in pairs)
    one, two = claims_bias.one_and_two("published", claims_bias.BETWEEN)
    between = so(
        "with the program's they also do so at a $b$ between two of those that we tried",
        two.win > one.win,
    )
    return so(f"At smaller ones they win more often; {between}", bool(tried) and more)


def lower_losses(pairs: dict[float, list[Any]]) -> float:
    """The largest b at which two plies lose less often, if they do so at all smaller ones tried."""
    fewer = [two.loss < one.loss for one, two in pairs.values()]
    assert fewer == sorted(fewer, reverse=True)
    return list(pairs)[sum(fewer) - 1]


def potential(base: int) -> list[curve.Piece]:
    """The exact curve of the weights base^k, as second player against random play on 3x3."""
    energy = power_energy(GRID, Fraction(base))
    return curve.curve(energy, -1, random_agent(GRID), meaning.FROM_ZERO)


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
    below = law[law.verdict == "can lose"].groupby("board").to.max()
    start, ratio = proven.set_index("board")["from"], drawn("04_law").edge[: len(proven)]
    above, under = start.to_numpy() - ratio, ratio - below[proven.board].to_numpy()
    yield so(f"on {listed(proven.board[1:])} every value from $10^{{-10}}$ above "
             "$w_{n-3}/w_{n-2}$ on is proven safe",
             (above < 1.5e-10).all() and (above > 0).all())  # fmt: skip
    yield so("a value within $10^{-7}$ below it with which the player can lose",
             under.between(0, 1e-7).all())  # fmt: skip
    four = stored("ising_curve_4x4.csv").query("side == 'o'")
    lossy = (four.loss != "0") == (four.to <= four.to[four.loss != "0"].max())
    yield so("On 4x4 every value above $w_1/w_2$ is safe as second player, and no other "
             "non-negative value is; on", lossy.all() and set(proven.board) >= {"4x4"})  # fmt: skip
    yield so("This ratio falls with $n$", drawn("04_law").edge.is_monotonic_decreasing)
    wins = rows.query("energy == 'equation' and board == '6x6' and win > 0").b.max()
    edge = proven.set_index("board")["from"]["6x6"]
    yield f"on 6x6 its last sampled win comes well {way(wins < edge - 0.02, 'below', 'above')} the"
    deep = stored("ising_deeper.csv").set_index(["board", "first", "second"]).win
    four, five = (deep[f"{n}x{n}", "two", "random"] for n in (4, 5))
    often = {True: "never did"}.get(five == 0, "did")
    seldom = way(four < 200, "seldom", "often")
    yield f"moving first, {seldom} beats random play, and on 5x5 {often}"
    true, scored = drawn("04_wedges").iloc[0], random_outcome(TREE, 0)
    last = float(scored.win) - true.win
    yield f"on the very last cell in more than a {ORDINALS[ceil(1 / last)]} of all games"


LARGER = ("4x4", "5x5", "6x6", "4x4x4", "5x5x5")
"""Boards of more than three cells per side on which the document's program played many games."""


@says("notebooks/04_ising_bias.ipynb")
def what_the_program_sees() -> Iterator[str]:
    """From which size on the program's win test sees no line, but wins that are none."""
    rows = study.lines_seen(("3x3", "3x3x3", *LARGER))
    rows["n"] = [Grid.parse(size).n for size in rows.board]
    seen, first = rows["seen by the program"], rows.n[rows["seen by the program"] == 0].min()
    small = (seen == rows.lines)[rows.n < first].all()
    wins = min(len(false_wins(Grid.parse(size))) for size in LARGER)
    others = (seen == 0)[rows.n >= first].all() and wins > 0
    text = f"about boards with $n \\geq {first}$: its games there are won by other patterns"
    yield so(text, small and others)
    yield so(f"On boards with {word(first - 1)} cells per side the difference does not show", small)


@says("notebooks/04_ising_bias.ipynb")
def a_corner_at_every_b() -> Iterator[str]:
    """Own gains alike, the other's largest in the corners: whatever b > 0 is, a corner is best."""
    rows = drawn("04_energies").set_index("cell").dropna()
    best = set(rows.index[rows.other == rows.other.max()])
    corner = rows.own.nunique() == 1 and best <= {0, 2, 6, 8}
    yield so("So **at every $b > 0$ O takes a corner**", corner)


@says("notebooks/04_ising_bias.ipynb")
def sizes_of_sweeps() -> Iterator[str]:
    """Games and values of b of the document's sweeps, as replayed, and the degrees of its fits."""
    rows = stored("ising_program_sweeps.csv").groupby("sweep")
    games, values = rows.games.first(), rows.printed.nunique()
    degree = {name: word(sweep[3]) for name, sweep in runs.PROGRAM_SWEEPS.items()}
    fine, few = "3x3 fine", "4x4x4"
    coarse = [name for name in runs.PROGRAM_SWEEPS if name not in (fine, few)]
    [many], [of], [fit] = {*games[coarse]}, {*values[coarse]}, {degree[name] for name in coarse}
    yield (
        f"have {many} games at each of {of} values of $b$, with fits of degree {fit}; on {few} "
        f"they have {games[few]} games at each of {values[few]} values, with a fit of degree "
        f"{degree[few]}."
    )
    replays = word(stored("ising_program_fits.csv").replay.nunique())
    alike = all(games[name] == sweep[2] for name, sweep in runs.PROGRAM_SWEEPS.items())
    same = so("with the document's numbers of games and of values of $b$.", alike)
    yield f"summarises {replays} replays of each sweep, {same}"
    [each] = stored("ising_deeper.csv").games.unique()
    yield so("all with $b = 0.647$: a thousand games per row and board", each == 1000)


@says("notebooks/04_ising_bias.ipynb")
def reading_of_the_law() -> Iterator[str]:
    """Which line comes before which, above and below the edge."""
    rows = drawn("04_law").set_index("n")
    needs, less, parted = set(), set(), []
    for n, row in rows[rows.safe.notna()].iterrows():
        own, other = (int(k) for k in re.findall(r"\d+", row.ratio))
        needs.add(n - other)
        less.add(other - own)
        w = list(map(float, meaning.steps(energy_of("equation", Grid(n)))))
        parted.append(row.loses * w[other] < w[own] < row.safe * w[other])
    [short], [behind] = needs, less
    yield so(
        f"would rather block a line on which the opponent needs {word(short)} more stones than "
        f"extend a line of its own that holds {word(behind)} stone fewer",
        all(parted),
    )
    ratios = {
        base: {round(float(b / a), 9) for a, b in pairwise(potential_steps(base))}
        for base in (2, 3, 4, 8)
    }
    same = all(found == {base} for base, found in ratios.items())
    text = "Consecutive steps of these weights all have the same ratio"
    yield so(f"{text}, so the law would become $b^* = 1/\\lambda$", same)


def potential_steps(base: int) -> list[Any]:
    """The steps of the weights base^k on 5x5."""
    return list(meaning.steps(power_energy(Grid(5), Fraction(base))))


@says("notebooks/04_ising_bias.ipynb")
def draws_by_enumeration() -> Iterator[str]:
    """The values of 3x3 and of 4x4: with perfect play nobody loses on either side."""
    four = stored("arena_4x4_soundness.csv").set_index("player").loc["minimax"]
    drawn_boards = TREE.value[0] == 0 and four.worst_x == four.worst_o == 0
    yield so("3x3 and 4x4 are draws, by enumeration", drawn_boards)


@says("notebooks/04_ising_bias.ipynb")
def all_pairs_at_once() -> Iterator[str]:
    """What the margins of the program's conditions, and X in the centre, say of b and d up to 1."""
    pairs = np.random.default_rng(0).uniform((0.01, 0.01), (5, 5), (2000, 2)).tolist()
    held = np.array([diagonals.conditions(d, b, "published") for d, b in pairs]).all(axis=1)
    d, b = np.array(pairs).T
    text = "with the program's energy the second player can be beaten at every $b$ from 0 to 1"
    yield so(text, held.any() and not held[b <= 1].any() and not held[d <= 1].any())
    first, second = diagonals.margins("published")[:2]
    one = float(meaning.steps(energy_of("published", GRID))[1])
    product = np.allclose(first + second, 2 * one * np.array([1, -1, -1, 1]))
    yield so("their sum is $2w_1(b - 1)(d - 1)$", product)
    found = plane.plane("published", -1)
    [row] = [w for w, r in zip(found.worth, found.rows, strict=True)
             if found.tree.boards[r].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]]  # fmt: skip
    place = found.curve[row[0], row[1]]
    curve = [float(a) for a in found.curves[place]]
    yield so("A corner is then worth $2w_1 b\\,(d - 1)$ more than an edge", curve == [0, 0, 1, -1])
    edge = parse(".o..x....", GRID)
    yield so("an edge loses", int(TREE.value[TREE.index(edge[None])[0]]) == 1)


@says("figures/04_rectangles")
def two_islands() -> Iterator[str]:
    """Where the conditions of both energies hold, on a fine grid."""
    d, b = np.meshgrid(np.geomspace(0.05, 12, 1200), np.geomspace(0.05, 200, 1200))
    terms = [np.ones_like(d), d, b, d * b]
    light, heavy = ((np.tensordot(diagonals.margins(e), terms, 1) > 0).all(0) for e in ENERGIES)
    held = d[light].max() < 1 and 0.49 < b[light].max() < 0.51
    yield so("at weights below one and b up to about one half", held)
    ends = d[heavy].min(), d[heavy].max(), b[heavy].min()
    near = np.allclose(ends, (1.6, 4.5, 1), rtol=0.02)
    yield so("at weights from 1.6 to 4.5 and b above 1", near)
    apart = not (light | heavy)[(d > 0.8) & (d < 1.5)].any()
    yield so("The document's weight lies between two islands", apart)


def safe_with_lighter_diagonals() -> Any:
    """The ranges of b in which nobody beats the text's player as O, by what a diagonal counts."""
    rows = stored("ising_diagonals.csv").query("energy == 'equation'").dropna(subset="from")
    return rows.set_index(rows.diagonal.map(lambda share: float(Fraction(share))))


@says("notebooks/04_ising_bias.ipynb")
def one_more_number() -> Iterator[str]:
    """What lighter diagonals do on 3x3."""
    safe = safe_with_lighter_diagonals()
    widest = (safe.to - safe["from"]).idxmax() == 0.5
    yield so("The range is widest near $d = \\tfrac12$.", widest)
    zero, one, _ = map(float, meaning.steps(energy_of("equation", GRID)))
    jumps = [float(p.start) for p in curve.named("equation", "o", "random")]
    low = zero / (one - zero)
    old = np.isclose(jumps, low).any() and np.isclose(safe["from"].min(), low)
    yield so(
        "The ranges' lower end is an old acquaintance, one of the jumps of the exact curve", old
    )
    heavy = safe["from"][safe.index > 0.6]
    grows = heavy.is_monotonic_increasing and heavy.min() > low
    yield so("For the heaviest diagonals in the first table a larger $b$ is needed", grows)
    trap = (safe.to_form == "1 - d") == (safe.index >= 0.5)
    yield so("The upper end is the corner trap from about $d = \\tfrac12$ on", trap.all())
    least, most = diagonals.shares_between()
    between = [least < 2 ** (-power / 2) < most for power in (1, 2, 3)]
    yield so("but $1/r$ and $1/r^3$ leave a range as well", all(between))
    cube = [worst(f"ising:b={b}", "x", "3x3x3").worst for b in (0.25, 1 / 3, 0.4)]
    yield so("On 3x3x3 they win for certain only at the largest.", cube == [-1, -1, 1])
    half = safe.loc[0.5]
    second = study.deeper((0.1, 0.2))["worst case"].tolist() == 2 * [study.WORST[0]]
    yield so("A second ply cures that at a small $b$, and so do lines that count unequally", second)
    both = np.isclose([half["from"], half.to], [low, 0.5]).all()
    text = "and every value between $w_0/(w_1 - w_0)$ and $1/2$ is safe, on both sides."
    yield so(f"let a diagonal count half as much as a row or a column, {text}", both)


@says("README.md")
def one_more_number_in_short() -> Iterator[str]:
    """The range of b in which the text's player is safe with diagonals at half weight."""
    half = safe_with_lighter_diagonals().loc[0.5]
    end = Fraction(half.to).limit_denominator(9)
    yield f"at any b between {half['from']:.4f} and {end}."


@says("figures/04_diagonals")
def lighter_diagonals() -> Iterator[str]:
    """Where the bars of the figure stand."""
    rows, safe = stored("ising_diagonals.csv"), safe_with_lighter_diagonals()
    shares = rows.diagonal.drop_duplicates().map(lambda share: float(Fraction(share)))
    yield so("The range is widest near d = 1/2", (safe.to - safe["from"]).idxmax() == 0.5)
    yield so("it is gone before d = 1, the document's own rule", safe.index.max() < 0.9)
    yield so("the bars start at about 0.2", safe["from"].between(0.2, 0.22).all())
    below, above = (shares < safe.index.min()).any(), (shares > safe.index.max()).any()
    text = f"are missing below {safe.index.min():g} and above {safe.index.max():g}."
    yield so(text, below and above)
    count = word(len(diagonals.CONDITIONS["equation"]))
    yield f"shaded is where the {count} conditions of the text hold"
    none = (shares > 1).any() and max(safe.index.max(), diagonals.shares_between()[1]) < 1
    yield so("No weight of 1 or more leaves a safe b (proven for all b from 0 on).", none)


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
    edges = pd.Series({f"{n}x{n}": edge for n, edge in drawn("04_law").set_index("n").edge.items()})
    just = (law.set_index("board")["from"] - edges[law.board]).between(0, 1e-9).all()
    line = "at every b above a dashed line (the proofs begin 10⁻¹⁰ above it) no opponent beats"
    text = f"{line} the text's player, proven on"
    yield so(f"{text} {listed(law.board)}", just)


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
    bands = drawn("04_wins").query("board in ('3x3', '4x4', '5x5', '6x6')")
    widest, [games] = ceil(100 * (bands.high - bands.low).max()), bands.games.unique()
    yield f"Bands, at most {word(widest)} percentage point wide, are 95% Wilson"
    yield f"intervals of {games:,} games"
    text, program = (pd.Series(slopes).loc[name] for name in ENERGIES)
    edge = drawn("04_law").set_index("n").ratio
    alone = [n for n, ratio in edge.items() if ratio == "w1/w2"]
    yield f"which is the edge of safety on {listed(f'{n}x{n}' for n in alone)} only"
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
    beyond = text[text.draw < 1].to.max()
    yield f"draws for the text's energy beyond b = {beyond:.2f}"
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
    sums = rows.own.nunique() == 1 and {*best} <= {0, 2, 6, 8}
    yield so(f"in Q, and in both sums, the {word(len(best))} corners are worth most", sums)
    state = int(TREE.index(parse("x...o...x", GRID)[None])[0])
    loses = way(all(TREE.value[TREE.children[state][best]] == 1), "loses", "holds")
    kind = way(set(best) <= {0, 2, 6, 8}, "corner", "edge")
    yield f"At every b > 0 a {kind} looks best, and a {kind} {loses}."


@says("figures/04_fit")
def fitted() -> Iterator[str]:
    """Losses over b beside the parabola."""
    rows = drawn("04_fit").query("series == 'replay'").set_index("printed").lost
    parabola = np.polynomial.Polynomial.fit(rows.index, rows, 2)
    level = rows.loc[0.35:]
    high, low = round(rows.iloc[0] / 10) * 10, round(level.mean())
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
    curves = drawn("04_fit").set_index("series")
    wave = curves.loc["degree 11"].set_index("printed").lost
    turns = (np.diff(np.sign(np.diff(wave))) != 0).sum()
    yield so("The degree 11 polynomial follows it with waves", turns > 5)
    steps = curves.loc["exact"].drop_duplicates("printed", keep="last").set_index("printed").lost
    there = steps.reindex(steps.index.union(rows.index)).ffill()[rows.index]
    off = ((rows - there) / there**0.5).groupby(there).mean()
    yield so("the exact steps run through the points", off.abs().max() < 1)


@says("figures/04_flaws")
def departures_in_the_figure() -> Iterator[str]:
    """What each departure costs or adds."""
    bars, none = flaws(), flaws().loc["none (repaired)"]
    yield f"{capital(bars.index.unique('flaw').size)} bars each"
    gives = min(apart(flaw).min() for flaw in (*ALONE, PAIR)) > 0.01
    yield so("Neither a single departure nor the pair gives what all together give", gives)
    games = figures_boards.FLAW_GAMES
    shares = bars.to_numpy().ravel().tolist()
    ends = [wilson(round(share * games), games) for share in shares]
    reach = max(max(e.high - s, s - e.low) for e, s in zip(ends, shares, strict=True))
    most = ceil(1000 * reach) / 10
    yield f"{games:,} games per bar; the 95% intervals reach at most {most} points"
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
        "Beyond small b the first player draws on 4x4 and nearly always on 5x5x5",
        draws["4x4"].min() == 1 and draws["5x5x5"].min() > 0.95,
    )
    shares = rows[["win", "draw", "loss"]].div(rows.games, axis=0)
    common = shares.loc["4x4x4"][["win", "loss"]].min().min() > 0.1
    yield so("on 4x4x4 wins and losses stay common", common)
    cube = drawn("04_self_play").query("board == '4x4x4'").set_index("b")
    share = (cube.draw / cube.games).sort_index()
    yield so("and draws rise from none;", share.iloc[0] < 0.005 and share.iloc[-1] > 0.1)


@says("figures/04_self_play")
def draws_against_itself() -> Iterator[str]:
    """From where on games are drawn, board by board."""
    rows = drawn("04_self_play").set_index(["board", "b"])
    draws = rows.draw / rows.games
    square, cube, large = draws["4x4"], draws["5x5x5"], draws["5x5x5x5"]
    last = square.index[square < 1].max()
    yield f"On 4x4 all games are draws from {square.index[square.index > last].min():.2f} on"
    nearly = cube[:0.18].max() < 0.6 < 0.9 < cube[0.22:].min()
    yield so("on 5x5x5 nearly all beyond about 0.2", nearly)
    none = large.index[large > 0].min()
    text = f"draws rise from none below {none:g} to {100 * large[1.0]:.0f} percent at b = 1"
    yield so(text, large.is_monotonic_increasing)
    qubic, often = draws["4x4x4"], large.index[large > 0.5].min()
    only = so("on 4x4x4 most games are drawn only at b = 1", [*qubic.index[qubic > 0.5]] == [1])
    yield f"{only}, on 5x5x5x5 from b = {often:g} on."


@says("figures/04_wedges")
def wedges() -> Iterator[str]:
    rows = drawn("04_wedges")
    gaps = [(rows[what] - rows[f"printed_{what}"]).abs().max() for what in ("win", "draw", "loss")]
    yield so(f"disc and outer ring agree closely in all {word(len(rows))}", max(gaps) < 0.1)
    given = [row["verdict"] for name, row in ledger().items() if name.startswith("ising-table-")]
    ordinary = {*given} <= {"reproduced", "within sampling error"} and len(given) == len(rows)
    yield so("The printed counts are what the exact probabilities lead one to expect", ordinary)
    fast = drawn("04_cost").query("board == '3x3'").seconds_per_game.max()
    spent = stored("ising_times.csv").set_index("what").seconds
    both = spent["3x3 R v I"] / spent["3x3 R v R"]
    text = "Random against Ising takes hardly longer than Random against Random"
    yield so(f"{text}, so with these two the times are mostly overhead", both < 1.25)
    text = "(compiled, Random and Ising take under a microsecond)"
    yield so(text, fast < 1e-6)


@says("notebooks/04_ising_bias.ipynb")
def factors_from_two() -> Iterator[str]:
    """A reading that jumps elsewhere and ends on the same plateau."""
    rows = study.readings().set_index("energy")
    same = rows.loc["from two"].tolist() == rows.loc["equation"].tolist()
    energies = energy_of("equation", GRID), reading("from two", GRID)
    jumps = [
        {float(piece.start) for piece in curve.curve(one, -1, random_agent(GRID), curve.UNIT)}
        for one in energies
    ]
    text = "(its row is that of the text's energy, though its curve jumps elsewhere)"
    yield so(text, same and len(jumps[0] ^ jumps[1]) > 4)


@says("figures/04_law")
def falling_edge() -> Iterator[str]:
    rows = drawn("04_law").set_index("n")
    first, last, proven = rows.edge.iloc[0], rows.edge.iloc[-1], rows.index[rows.safe.notna()]
    yield f"Line chart over n from {rows.index[0]} to {rows.index[-1]}"
    yield so(
        f"the ratio falls from about {first:.2f} to below {ceil(10 * last) / 10}",
        rows.edge.is_monotonic_decreasing,
    )
    low, high = min(proven), max(proven)
    yield f"from {low}x{low} to {high}x{high} two triangles stand beside the circle"
    near = (rows[["loses", "safe"]].sub(rows.edge, axis=0)).abs().max().max() < 0.001
    yield f"beside the circle, {way(near, 'at its height', 'above and below it')}."


@says("figures/04_haircut")
def directions() -> Iterator[str]:
    rows = drawn("04_haircut")
    kept, lines = rows.groupby("cell").size(), rows.groupby("cell").whole_line.sum()
    face, inside = counted("ising-face-directions"), counted("ising-inside-directions")
    yield (
        f"counts {face[0]} for a face and {inside[0]} inside; the true counts are {kept['face']} "
        f"and {kept['inside']}"
    )
    grey = way(lines["inside"] == 0, "all", "most")
    yield f"From an inside cell {kept['inside']} arrows leave, {grey} grey"
    yield f"from an edge cell {kept['edge']}, {word(lines['edge'])} of them blue"
    yield f"from a face cell {kept['face']}, {word(lines['face'])} of them blue"
    yield f"from a corner {kept['corner']}, {way(lines['corner'] == kept['corner'], 'all', 'some')}"


@says("figures/04_network")
def layers() -> Iterator[str]:
    sizes = drawn("04_network").groupby("ply").size()
    yield f"joined by thin lines, {listed(sizes)} states from top to bottom"
    yield f"{capital(len(sizes))} layers of small symbols"
    rows = drawn("04_network").assign(decided=lambda states: states.value != 0)
    most = so("Most states of 3x3 are won for somebody under best play", rows.decided.mean() > 0.5)
    for_x, for_o = ((rows.value == side).sum() for side in (1, -1))
    yield f"{most}: {for_x} of {len(rows)} for X, {for_o} for O."
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
    yield f"compiled without optimisation, lie {way(apart[0] >= 2, 'far above', 'near')} ours"
    high = f"{word(apart[0])} to {word(apart[1])} orders of magnitude"
    yield f"The document's two times lie {high} above those of two Ising players"
    rows = drawn("04_cost").groupby("players").seconds_per_game.agg(["min", "max"])
    random, own = rows.loc["RI"], rows.loc["II"]
    few = random["min"] < 1e-6 < random["max"] < 5e-6
    yield so("rise from a fraction of a microsecond to a few microseconds", few)
    yield so("they rise to a fraction of a millisecond", 1e-4 < own["max"] < 1e-3)


@says("figures/04_windows")
def outside_the_window() -> Iterator[str]:
    out = all(not low <= 0.647 <= high for low, high in windows())
    met = [meaning.passed_at(name, 0.647, own_games=True) for name in ENERGIES]
    none = so("the player meets none of these positions in its own games", met == 2 * [(0, 0)])
    yield f"The document's 0.647 lies {way(out, 'outside', 'inside')}; with it {none}."
    low, high = too_small_and_too_large()
    yield so("blocks passed over fall to none at the start of a grey window", low)
    yield so("wins passed over rise from none at its end, for both energies", high)


@says("figures/04_curve_4x4")
def four_by_four_exactly() -> Iterator[str]:
    rows = stored("ising_curve_4x4.csv")
    last = rows[rows["from"] < rows["to"]].groupby("side").tail(1).set_index("side")
    draws = [word(round(100 * float(Fraction(last.draw[side])))) for side in "ox"]
    second = rows[rows.side == "o"]
    start = second[second.loss == "0"]["from"].min()
    yield f"losses vanish at {start:.2f};"
    both = all(mostly_up(safe_draws(side)) for side in "ox")
    share = second[second["from"] < second["to"]].set_index("from").draw.map(Fraction).astype(float)
    steps = share.diff()
    jump, before = steps.idxmax(), 100 * share.shift()
    yield (
        f"as second player draws jump from about {before[jump]:.0f} to {100 * share[jump]:.0f} "
        f"percent at {jump:.2f}"
    )
    smaller = steps[steps.index > jump].abs().max() < steps[jump] / 2
    yield so("then change in smaller steps, mostly upwards, to", both and smaller)
    yield f"to {draws[0]} percent ({draws[1]} as first player) below b = 1"
    law = stored("ising_law.csv").query("board == '4x4' and verdict == 'never loses'")
    proven = {*law.side} == {1, -1} and np.isclose(law["from"], start).all()
    yield so(f"Beyond b = {start:.4f} it never loses to any opponent, on either side", proven)


@says("figures/04_program_fits")
def replays() -> Iterator[str]:
    rows = drawn("04_program_fits").groupby("sweep").lost.mean()
    five, six = (round(rows[next(s for s in rows.index if n in s)]) for n in ("5x5", "6x6"))
    yield f"5x5 scatters around {five} and 6x6 around {six} of 100"
    lost = drawn("04_program_fits").set_index("sweep")
    lowest = stored("ising_program_fits.csv").set_index("sweep").fit_minimum
    level = [name for name, part in lost.lost.groupby("sweep") if (part == 0).mean() > 0.5]
    yield so("A fitted curve has one lowest point even where most values of b lose no game",
             level and lowest[level].notna().all())  # fmt: skip
    late = lost[lost.printed > 0.4].groupby("sweep").lost.mean()
    yield so(
        "3x3 falls to almost zero and 3x3x3 lies close to it", max(rows["3x3x3"], late["3x3"]) < 1
    )
    first = round(lost.loc["4x4"].lost[:5].mean(), -1)
    yield f"4x4 falls from {word(first)} to about {word(round(late['4x4']))}"
    yield f"4x4x4 is {way(lost.loc['4x4x4'].lost.max() == 0, 'all', 'almost all')} zeros"

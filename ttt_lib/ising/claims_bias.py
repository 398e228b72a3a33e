"""Our value of what document 4 says about its bias b: how it was found, the fits, other boards."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from statistics import NormalDist

import numpy as np
import pandas as pd

from ttt_lib.evidence import significance
from ttt_lib.evidence.answers import Count, Distribution, Finding, Repeats, Setting, Value, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE, declared
from ttt_lib.evidence.rounding import agrees, listed, round_down, round_up
from ttt_lib.evidence.store import data_dir, read_table
from ttt_lib.game.board import Boards, Floats, Grid, Ints
from ttt_lib.game.exact import Outcome
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_scores, lookahead, random_agent
from ttt_lib.game.worst import worst
from ttt_lib.ising import curve, meaning
from ttt_lib.ising.claims import GRID, WORDS, both_can_draw
from ttt_lib.ising.claims_times import HOLDS, visited_by
from ttt_lib.ising.curve import Piece, Span
from ttt_lib.ising.energy import ENERGIES, energy_of
from ttt_lib.ising.players import ising, scores, two_ply
from ttt_lib.ising.program import PUBLISHED, SWEEP, simulate
from ttt_lib.ising.runs import PROGRAM_SWEEPS, REPLAYS, replay_rngs
from ttt_lib.ising.study import best_stretch, exact_curves, fewest_then_most
from ttt_lib.ising.sweep import bias_grid, fit_minimum, program_biases, program_sweep

CHOSEN = 0.647
COARSE = 0.01
"""Step of the document's sweeps of 100 games."""
WHOSE = {"equation": "text", "published": "program"}
"""Where each energy is from."""


# ------------------------------------------------------------------ the way to b


def own_alone() -> Finding:
    """Whether the mover's own energy alone is too one-sided: it must fail to stop opposing wins."""
    tries = [_first_try(energy, 0) for energy in ENERGIES]
    least = [plateau(energy).outcome.loss for energy in ENERGIES]
    partial = {
        bool(found and o.loss > low) for (found, _, o), low in zip(tries, least, strict=True)
    }
    return Finding(
        agreed(partial),
        _lets_win(tries),
        "*Too partial* is read as: it may miss such a block, and it loses more than with "
        f"b = {CHOSEN} ({' and '.join(map(str, least))}). It stops a win only where its own best "
        "move happens to do so.",
    )


def both_after_own() -> Finding:
    """Whether the second try leaves lines open to the other, and is worse than the first."""
    first, second = ([_first_try(energy, place) for energy in ENERGIES] for place in (0, 1))
    worse = {
        bool(b[0] > a[0] and b[-1].loss > a[-1].loss) for a, b in zip(first, second, strict=True)
    }
    before = " and ".join(str(found) for found, *_ in first)
    won = " and ".join(str(outcome.win) for *_, outcome in second)
    raised, single = {meaning.raised_by_blocks(energy) for energy in ENERGIES}, second[0][1]
    why = (
        "Both energies are negative, and the player wants their sum low: a block takes away energy "
        f"of the other's and in {' and '.join(map(str, sorted(raised)))} of the {single} positions "
        f"raises the sum{', so most blocks are avoided' * (2 * min(raised) > single)}. How bad a "
        "player must be to be unsuitable is not said."
    )
    found = f"{_lets_win(second)}; with the first sum: {before}; it still wins {won}"
    return Finding(agreed(worse), found, why)


def _first_try(energy: str, place: int) -> tuple[int, int, Outcome]:
    """In how many positions a try may miss the only block, of how many; its result as O.

    The opponent plays at random, by true rules.
    """
    player = list(meaning.first_tries(energy).values())[place]
    return *meaning.lets_win(player), meaning.second_player(player)[0]


def _lets_win(tries: Sequence[tuple[int, int, Outcome]]) -> str:
    found = " and ".join(str(count) for count, *_ in tries)
    losses = " and ".join(str(outcome.loss) for *_, outcome in tries)
    return (
        f"with the text's energy and the program's it loses {losses} to random play as second "
        f"player, by true rules, and may let the opponent win at once in {found} of the "
        f"{tries[0][1]} positions, either side to move, in which it has no win and the opponent "
        "threatens one on a single cell"
    )


def _however_often(choices: Iterable[tuple[int, int, int]]) -> bool | None:
    """Whether players block in some choices, in most and in all; None if these readings disagree.

    Each entry counts choices between a win and a block: those in which a player blocks whatever it
    draws, those that chance decides, and all.
    """
    shares = [Fraction(blocks, of) for blocks, _, of in choices]
    return agreed({min(shares) > 0, min(shares) > Fraction(1, 2), min(shares) == 1})


def prefers_to_block() -> Finding:
    """Whether the player with b = 1 blocks where it could win: in some cases, in most, in all.

    Told with it are the choices that it can meet in its own games as second player.
    """
    found = [meaning.blocks_instead(name, 1.0) for name in ENERGIES]
    always, maybe, both = (list(map(str, counts)) for counts in zip(*found, strict=True))
    sure = [str(of - block - chance) for block, chance, of in found]
    text = (
        f"of the {both[0]} positions in which it can win or block, and no winning cell also "
        "blocks, the text's and the program's player block for certain in "
        f"{' and '.join(always)}, by chance in {' and '.join(maybe)}, and are sure to win in "
        f"{' and '.join(sure)}"
    )
    met = [meaning.blocks_met(name, 1.0) for name in ENERGIES]
    own = ", ".join(
        f"the {WHOSE[name]}'s player surely blocks in {block} of {of} and leaves {chance} to chance"
        for name, (block, chance, of) in zip(ENERGIES, met, strict=True)
    )
    met_with_both = "and there are" if all(block for block, *_ in found) else "but there are not"
    why = (
        "Counted over all positions, of both sides, that leave the choice between a win and a "
        "block, where no winning cell also blocks. 'It happens that' may mean that with either "
        f"energy there are such cases, {met_with_both}; or it may "
        "introduce a rule, which needs most or all. Of the choices that it can meet as second "
        f"player, {own}."
    )
    return Finding(_however_often(found), text, why)


def equal_is_losing() -> Finding:
    """Whether b = 1 loses clearly more than b = 0.647 does, or by a block in place of a win.

    Such a block, even one that chance decides, may lose the game, or only give the win away.  If
    these readings, or the two energies, disagree, there is no answer.
    """
    pairs = {
        name: [curve.at(curve.named(name, "o", "random"), b).outcome.loss for b in (CHOSEN, 1.0)]
        for name in ENERGIES
    }
    text = ", ".join(
        f"the {WHOSE[name]}'s player {a} at {CHOSEN} and {b} at 1" for name, (a, b) in pairs.items()
    )
    sure, chance = (
        {name: meaning.after_blocks(name, 1.0, sure=sure) for name in ENERGIES}
        for sure in (True, False)
    )
    readings: list[list[bool]] = [[b > 2 * a for a, b in pairs.values()], [], []]
    for name in ENERGIES:
        _, drawn, lost = (one + other for one, other in zip(sure[name], chance[name], strict=True))
        readings[1].append(lost > 0)
        readings[2].append(drawn + lost > 0)
    why = (
        "Read as losing more than twice as often, as a block that loses, and as a block that gives "
        "the win away, where it could win at once (counted in positions, with perfect play after "
        f"the block). After a sure block by {_left(sure)}; where chance decides between win and "
        f"block, after the block by {_left(chance)}. {_which_hold(readings)}"
    )
    answers = {holds for reading in readings for holds in reading}
    return Finding(agreed(answers), f"lost to random play, by true rules: {text}", why)


def _left(blocks: Mapping[str, tuple[int, int, int]]) -> str:
    """What blocks leave of a win, by energy."""
    return ", by ".join(
        f"the {WHOSE[name]}'s player {won} positions are still won, {drawn} drawn and {lost} lost"
        for name, (won, drawn, lost) in blocks.items()
    )


def _which_hold(readings: Sequence[Sequence[bool]]) -> str:
    """With how many of the energies each of three readings holds, in a sentence."""
    one, two, three = (WITH_HOW_MANY[any(reading), all(reading)] for reading in readings)
    return (
        f"The first reading holds with {one} of the energies, the second with {two}, the third "
        f"with {three}."
    )


WITH_HOW_MANY = {(True, True): "both", (True, False): "one", (False, False): "neither"}
"""With how many of two energies something holds, by whether it does with any and with all."""


@cache
def _beyond(low: int, high: int) -> dict[str, list[Piece]]:
    span: Span = (Fraction(low), Fraction(high))
    opponent = random_agent(GRID)
    return {name: curve.curve(energy_of(name, GRID), -1, opponent, span) for name in ENERGIES}


def negative_b() -> Finding:
    """Whether every b < 0 loses more than b = 0.647."""
    rows = _beyond(-1, 0)
    least = {
        name: min(p.outcome.loss for p in pieces if float(p.start) < 0)
        for name, pieces in rows.items()
    }
    worse = all(loss > plateau(name).outcome.loss for name, loss in least.items())
    text = ", ".join(
        f"the {WHOSE[name]}'s player at least {round_down(loss, 3):.1%}"
        for name, loss in least.items()
    )
    return Finding(worse, f"lost to random play, by true rules, for -1 ≤ b < 0: {text}")


MOST = 100
"""A large b: on 3x3 no larger one plays otherwise, with either energy."""
BESIDE_ONE = (0.999, 1.001)
"""A b just below 1 and one just above: between them either player changes at 1 alone."""


def large_b() -> Finding:
    """Whether b > 1 makes blocks of wins: in some choices, in most, in all; just above 1 and far.

    Told with it are the same counts for smaller b, and the results against random play.
    """
    below, above = BESIDE_ONE
    found = {
        who: [meaning.blocks_instead(name, b) for b in (CHOSEN, below, above, MOST)]
        for name, who in WHOSE.items()
    }
    text = (
        f"blocks and wins for certain, of {found['text'][0][-1]} choices between the two (no "
        f"winning cell also blocks), at b = {CHOSEN}, just below 1, just above 1 and at {MOST}: "
    ) + "; ".join(f"the {who}'s player {_told_choices(rows)}" for who, rows in found.items())
    results = "; ".join(f"the {who}'s {_beyond_one(name)}" for name, who in WHOSE.items())
    holds = _however_often(row for rows in found.values() for row in rows[2:])
    why = (
        "'More important' may mean that the player blocks in some of these choices, in most or in "
        f"all, just above 1 and at b = {MOST}; "
        f"{_where_it_holds(found) if holds is None else 'these readings agree'}. As second player "
        f"against random play, by true rules: {results}."
    )
    return Finding(holds, text, why)


def _where_it_holds(found: Mapping[str, Sequence[tuple[int, int, int]]]) -> str:
    """Which readings hold of every player, both just above 1 and far beyond, and which don't."""
    beyond = [row for rows in found.values() for row in rows[2:]]
    least, of = min(blocks for blocks, _, _ in beyond), beyond[0][-1]
    words = {"some": least > 0, "most": 2 * least > of, "all": least == of}
    hold, fail = ([word for word, holds in words.items() if holds is way] for way in (True, False))
    all_far = all(rows[-1][0] == of for rows in found.values())
    far = f"in {' and in '.join(fail)} at b = {MOST}, but not just above 1"
    return f"it holds in {' and in '.join(hold)} of them (at least {least} of {of}), " + (
        far if all_far else f"but not in {' nor in '.join(fail)}"
    )


def _told_choices(rows: Iterable[tuple[int, int, int]]) -> str:
    return ", ".join(f"{blocks} and {of - blocks - chance}" for blocks, chance, of in rows)


def _beyond_one(name: str) -> str:
    """Wins and losses against random play with the chosen b, and over all b from 1 to MOST."""
    outcomes = [piece.outcome for piece in _beyond(1, MOST)[name] if float(piece.end) > 1]
    won, lost = ([outcome[result] for outcome in outcomes] for result in (0, 2))
    here = plateau(name).outcome
    losses = f"{min(lost)}" if min(lost) == max(lost) else f"{min(lost)} to {max(lost)}"
    lost_too = (
        f"{losses} either way"
        if losses == f"{here.loss}"
        else f"{here.loss} at {CHOSEN} and {losses} beyond 1"
    )
    return (
        f"wins {float(here.win):.1%} at b = {CHOSEN}, {float(min(won)):.1%} to "
        f"{float(max(won)):.1%} beyond 1, and loses {lost_too}"
    )


# ------------------------------------------------------------------ the exact curve


@cache
def plateau(name: str = "published") -> Piece:
    """The piece of the second player's curve against random play that holds 0.647."""
    return curve.at(curve.named(name, "o", "random"), CHOSEN)


def weak_wins(percent: str) -> Finding:
    """Whether the printed share of wins and draws follows from the printed number of losses."""
    lost, of = int(declared("ising-six-of-thousand").published), 1000
    share = Fraction(100 * (of - lost), of)
    return Finding(agrees(percent, share), f"{of} - {lost} of {of} are {float(share):g}%")


AROUND = (0.05, 0.1)
"""How far from a printed b "around" may reach: half a printed digit, and a whole one."""


def improves_until() -> Finding:
    """Whether the last b at which losses become rarer is around 0.4, within either limit.

    The document's sweep is that of its program, scored by it; the text's energy is given, too.
    """
    text = _first_least(curve.named("equation", "o", "random"))
    scored = meaning.scored_curve()
    program = _first_least(scored)
    found = (
        f"the losses are first as few as anywhere at b = {program:.4f} with the program's energy, "
        f"as it scores its games, at {text:.4f} with the text's, by true rules"
    )
    near = {limit: abs(program - 0.4) <= limit for limit in AROUND}
    within = ", ".join(
        f"within {limit} {'yes' if is_near else 'no'}" for limit, is_near in near.items()
    )
    why = (
        "Read as the least b at which losses are as few as anywhere"
        f"{' (they never rise on the way there)' * _falls(scored)}. 'Around' is open; the sweep "
        "that is described is the program's, and whether its b is near 0.4 depends on the limit: "
        f"{within}."
    )
    return Finding(agreed(set(near.values())), found, why)


def _falls(pieces: Sequence[Piece]) -> bool:
    """Whether the losses never rise before they are as few as anywhere."""
    losses = [piece.outcome.loss for piece in pieces]
    way = losses[: losses.index(min(losses)) + 1]
    return way == sorted(way, reverse=True)


def _first_least(pieces: Sequence[Piece]) -> float:
    """The least b at which the losses are as few as anywhere."""
    return float(min(pieces, key=lambda piece: piece.outcome.loss).start)


def discrete() -> Finding:
    """Whether the result is a continuous function of b."""
    text, program = (curve.named(name, "o", "random") for name in ENERGIES)
    curves = {
        "the text's energy, by true rules": text,
        "the program's, by true rules": program,
        "the program's, as it scores its games": meaning.scored_curve(),
    }
    told = "; ".join(
        f"{name}: {sum(not piece.is_point for piece in pieces)} stretches with one result each, "
        f"and {sum(piece.is_point for piece in pieces[1:-1])} single values of b between them that "
        "have their own"
        for name, pieces in curves.items()
    )
    return Finding(max(map(len, curves.values())) <= 1, told)


def is_optimal() -> Finding:
    """Whether no b loses less often than 0.647, and none that loses as rarely wins more."""
    pieces, here = curve.named("published", "o", "random"), plateau()
    rank = fewest_then_most([(piece.outcome.loss, piece.outcome.win) for piece in pieces])
    low, high = float(here.start), float(here.end)
    text = (
        "with the program's energy, by true rules, every b between "
        f"{low:.4f} and {high:.4f} loses {here.outcome.loss}, wins {here.outcome.win}"
    )
    return Finding((here.outcome.loss, here.outcome.win) == rank, text)


DEEPER = (*(float(b) for b in bias_grid(0.05)[1:]), CHOSEN)
"""Values of b at which two plies are set beside one."""
BETWEEN = 0.165
"""A value between these, at which they differ otherwise."""
LEVELS = range(2, 5)
"""How many plies "a few levels" more may see, the player's own move included: up to three more."""


def deeper(biases: Sequence[float] = DEEPER) -> Finding:
    """Whether some deeper player loses less often than Ising and wins at least as often.

    With either energy, as second player against random play, exactly and by true rules, with the
    same b as the player that it is set beside.  Deeper is a look-ahead (:func:`look_ahead`) with
    the document's b, or the best reply (two plies) at any b.
    """
    replies = {name: [one_and_two(name, b) for b in biases] for name in WHOSE}
    first = {name: next(filter(partial(_is_deeper, name), LEVELS), None) for name in WHOSE}
    text = "; ".join(_told_ahead(name, depth) for name, depth in first.items())
    better = {name: first[name] is not None or any(_better(*pair) for pair in pairs)
              for name, pairs in replies.items()}  # fmt: skip
    return Finding(agreed(set(better.values())), text, _why_deeper(replies, first.values()))


def _better(one: Outcome, other: Outcome) -> bool:
    """Whether the other result is better: less often lost, and won at least as often."""
    return other.loss < one.loss and other.win >= one.win


def _is_deeper(name: str, depth: int) -> bool:
    return _better(*one_and_ahead(name, depth))


def _told_ahead(name: str, depth: int | None) -> str:
    """What the first look-ahead that is better gains, if there is one."""
    if depth is None:
        found = f"no look-ahead of {LEVELS[0]} to {LEVELS[-1]} plies loses less and wins as much"
    else:
        one, far = one_and_ahead(name, depth)
        wins = "as often" if far.win == one.win else f"{far.win} instead of {one.win}"
        found = (
            f"a look-ahead of {depth} plies loses {far.loss} instead of {one.loss} and wins {wins}"
        )
    return f"with the {WHOSE[name]}'s energy and b = {CHOSEN} {found}"


def _why_deeper(
    replies: Mapping[str, Sequence[Sequence[Outcome]]], depths: Iterable[int | None]
) -> str:
    """How the sentence is read, what the best reply alone gives, and what a look-ahead costs."""
    fewer = _by_energy(replies, lambda one, two: two.loss < one.loss)
    more = _by_energy(replies, lambda one, two: two.win > one.win)
    between = (
        f" (at b = {BETWEEN}, between them, it does both with the program's energy)"
        * _better(*one_and_two("published", BETWEEN))
    )
    cost, depth = "", max(filter(None, depths), default=None)
    if depth is not None:
        most, usual = positions_ahead(depth), visited_by("random", "minimax")[1]
        cost = (
            f" Perhaps still faster: {depth} plies are at most {most:,} positions in a game, and "
            f"minimax visits {usual:,.0f}."
        )
    return (
        "A sentence with 'possible': it holds if some way to look deeper, by at most "
        f"{LEVELS[-1] - 1} plies more, loses less and wins no less, as second player against "
        "random play, exactly and by true rules. This one looks for forced wins and losses and "
        "leaves equal moves to the energy. It need not help: looking just at the best reply with "
        "the same b for both loses less often at "
        f"{fewer} of {len(replies['equation'])} b and wins more often at {more}{between}.{cost}"
    )


def _by_energy(
    pairs: Mapping[str, Sequence[Sequence[Outcome]]], is_so: Callable[[Outcome, Outcome], bool]
) -> str:
    """How many of the pairs of each energy are so, in words."""
    counts = {name: sum(is_so(*pair) for pair in of) for name, of in pairs.items()}
    return " and ".join(f"{count or 'none'} ({WHOSE[name]})" for name, count in counts.items())


def look_ahead(depth: int, name: str) -> Agent:
    """Play a move of best value some plies ahead on 3x3, of these one of largest game energy."""
    ahead, energy = lookahead(GRID, depth), scores(energy_of(name, GRID), CHOSEN)

    def chosen(boards: Boards) -> Floats:
        assert ahead.weights is not None
        return np.where(ahead.weights(boards) > 0, energy(boards), -np.inf)

    return from_scores(f"look-ahead of {depth}, b={CHOSEN}", GRID, chosen, symmetric=True)


def positions_ahead(depth: int) -> int:
    """The most positions that a second player on 3x3 looks at in a game, so many plies ahead."""
    free = range(GRID.cells - 1, 0, -2)
    return sum(math.perm(cells, plies) for cells in free for plies in range(1, depth + 1))


@cache
def one_and_ahead(name: str, depth: int) -> list[Outcome]:
    """Exact results as second player against random play, of Ising and of a look-ahead."""
    players = ising(GRID, CHOSEN, name), look_ahead(depth, name)
    return [meaning.second_player(player)[0] for player in players]


def one_and_two(name: str, b: float) -> list[Outcome]:
    """Exact results as second player against random play, with one ply and with two."""
    return [meaning.second_player(player(GRID, b, name))[0] for player in (ising, two_ply)]


# ------------------------------------------------------------------ 0.647


def parabola(*, scored: bool = True, shifted: bool = True, step: float = 0.001) -> float:
    """Where a parabola through the exact step function of the sweep is lowest.

    Parameters
    ----------
    scored : bool
        Whether a line on the last cell counts as a draw, as in the program's arena.
    shifted : bool
        Whether b is printed one step above the b that was played, as the program does.
    """
    pieces = meaning.scored_curve() if scored else curve.named("published", "o", "random")
    played = bias_grid(step)[:-1]
    lost = np.array([float(curve.at(pieces, b).outcome.loss) for b in played])
    return fit_minimum(played + step * shifted, lost, 2)


@cache
def _fits(sweep: str, column: str) -> tuple[float, ...]:
    table = read_table("ising_program_fits.csv")
    values = table.loc[table["sweep"] == sweep, column].dropna()
    return tuple(float(value) for value in values)


def mean_lost(sweep: str) -> Repeats:
    """Games lost of 100 in repeated replays of a published sweep, and by its own points."""
    _, lost = digitised(sweep)
    why = (
        "Replays of its program; by true rules hardly any game is lost. The "
        f"{len(lost)} points that can be read off its own figure, each to within one game, have a "
        f"mean of {lost.mean():.1f}."
    )
    return Repeats(_fits(sweep, "mean"), reason=why, span=(0.0, 100.0))


def mean_beyond(start: float, sweep: str) -> Value:
    """Lost games of 1000, mean of the exact chances over the b of the program's sweep from a b on.

    The replays of the sweep, in games played, stand in the reason.
    """
    biases = [b for b in bias_grid(0.001)[:-1] if b >= start]
    lost = [curve.at(meaning.scored_curve(), b).outcome.loss for b in biases]
    played = _fits(sweep, "late_mean")
    why = (
        f"A mean of exact chances over {len(biases)} values of b, as the program scores its games; "
        "'about' is read as rounding to it. "
        f"{len(played)} replays of the sweep, with 1000 games at each b, give {min(played):.2f} to "
        f"{max(played):.2f}, {np.mean(played):.2f} on average, from a printed b of {start:g} on."
    )
    return Value(float(1000 * sum(lost) / len(lost)), why)


@cache
@read_only
def dots_without_a_loss() -> Floats:
    """Probability of no loss in 1000 games at each b of the fine sweep, in order of the dots.

    The losses are binomial with the exact chance of the program's curve.  Dots are printed one
    step above the b played.
    """
    return np.asarray((1 - _scored(bias_grid(0.001)[:-1])) ** 1000)


@cache
def chances_of_choice() -> tuple[float, ...]:
    """The probability that the document's rule chooses b = 0.001, ..., 1, if it can choose any.

    The rule takes the dot without a lost game that is nearest to the minimum of the parabola
    (the smaller b if two tie).  The dots are those of :func:`dots_without_a_loss`; the minimum is
    that of one of the forty replays, each equally likely.
    """
    free = dots_without_a_loss()
    places, sums = np.arange(1, len(free) + 1), np.zeros(len(free))
    for lowest in _fits("3x3 fine", "quadratic_minimum"):
        order = np.argsort(np.abs(places - round(1000 * lowest)), kind="stable")
        sums[order] += free[order] * np.cumprod([1.0, *(1 - free[order])])[:-1]
    return tuple(sums / sums.sum())


def near_lowest() -> tuple[float, float, float]:
    """Where parabolas of replays are lowest, from and to, and how likely the rule chooses there."""
    lowest = [round(1000 * value) for value in _fits("3x3 fine", "quadratic_minimum")]
    low, high = min(lowest), max(lowest)
    return low / 1000, high / 1000, float(sum(chances_of_choice()[low - 1 : high]))


def parabola_alone() -> float:
    """The p-value of the chosen b as the lowest point of the parabola itself, beside replays."""
    lowest = Repeats(_fits("3x3 fine", "quadratic_minimum"), span=(0.0, 1.0))
    return significance.test(lowest, CHOSEN, None).p_value


def choice() -> Distribution:
    """The distribution of the chosen b, and why no test of a single choice can tell much.

    Told with it is the other reading, by which the parabola's own lowest point is chosen.
    """
    chances = np.array(chances_of_choice())
    allowed, tried = (len(_fits("3x3 fine", one)) for one in ("chosen", "quadratic_minimum"))
    some = 1 - float(np.prod(1 - dots_without_a_loss()))
    fewest = int((np.sort(chances)[::-1].cumsum() < 1 - SIGNIFICANCE).sum()) + 1
    low, high, near = near_lowest()
    p = parabola_alone()
    dots = [round(1000 * lowest) - 1 for lowest in _fits("3x3 fine", "quadratic_minimum")]
    return Distribution(
        range(1, len(chances) + 1),
        chances.tolist(),
        f"The words allow two readings. If {CHOSEN} is where the parabola itself is lowest, it "
        f"{'agrees' if p >= SIGNIFICANCE else 'does not agree'} with the replays ({low} to {high} "
        f"in {tried}; p = {p:.2f}); the author's plotting program (b_testing_graphics.py, commit "
        "db9e8d30) marks this dot and prints how many games were lost there, but it has no loss, "
        f"as the rule asks, with probability {dots_without_a_loss()[dots].mean():.1%} only. If it "
        "is the dot without a loss that is nearest to there, no test of this number can decide: at "
        f"level {SIGNIFICANCE} it must accept {1 - SIGNIFICANCE:.0%} of the rule's own "
        "distribution, and even the smallest set of values with that much probability holds "
        f"{fewest} of {len(chances)}. Some dot of the sweep with step 0.001, the only one that can "
        f"give three digits, has no loss with probability {some:.0%} (in {allowed} of {tried} "
        "replays). The chosen one lies where the replays' parabolas are lowest with probability "
        f"{near:.1%}.",
        Fraction(1, 1000),
    )


def best_of_fit(sweep: str, b: float, limits: Sequence[float]) -> Finding:
    """Whether the minimum of the fit lies near b in most replays of a sweep, within every limit."""
    values = _fits(sweep, "fit_minimum")
    close = {limit: sum(abs(value - b) <= limit for value in values) for limit in limits}
    within = ", ".join(f"{count} within {limit}" for limit, count in close.items())
    text = (
        f"minimum from {min(values):.2f} to {max(values):.2f} in {len(values)} replays: {within}; "
        f"the parabola of the figure's own points is lowest at {figures_parabola(sweep)[0]:.3f}"
    )
    return Finding(agreed({count > len(values) / 2 for count in close.values()}), text)


def sweep_settings(sweeps: Sequence[str]) -> Setting:
    """Step of b and games at each b of our replays of some published sweeps, as they are stored."""
    table = read_table("ising_program_sweeps.csv")
    shown = {_step_and_games(table[table["sweep"] == sweep]) for sweep in sweeps}
    value = "; ".join(f"{step:g} {games}" for step, games in sorted(shown))
    size, step, games, _ = PROGRAM_SWEEPS[sweeps[0]]
    tried = [len(program_sweep(size, one, 1, rng=0)) for one in (step, 5 * step)]
    played = [_played(size, one) for one in (games, games // 5)]
    text = (
        f"with a step five times as wide a replay of {size} tries {tried[1]} values of b instead "
        f"of {tried[0]}; for a fifth of the games it plays {played[1]} at each instead of "
        f"{played[0]}"
    )
    read = tried[0] != tried[1] and played[0] != played[1]
    return Setting(value, read, text, f"Stored replays with it: {', '.join(sweeps)}.")


def sweep_range(low: float, high: float) -> Finding:
    """Whether the program's sweeps play both ends of the range of b, or only values from it.

    If these readings disagree, there is no answer.
    """
    steps = sorted({step for _, step, _, _ in PROGRAM_SWEEPS.values()})
    played = [program_biases(step) for step in steps]
    ends = [f"{of[0]:g} to {of[-1]:g}" for of in played]
    text = "; ".join(
        f"with step {step:g} it plays b = {of}" for step, of in zip(steps, ends, strict=True)
    )
    both = all(np.allclose(of[[0, -1]], (low, high)) for of in played)
    within = all(low - 1e-9 <= of.min() and of.max() <= high + 1e-9 for of in played)
    dots = np.concatenate([digitised(size)[0] for size in ("3x3", *COMPARED)])
    why = (
        f"That every sweep tries both ends {HOLDS[both]}, that the range is the one from which b "
        f"is taken {HOLDS[within]}. The program (b_testing.cpp, commit 599fb5d2) stops when b "
        "reaches 1, unless rounding lets it play 1, too. It prints each b one step above the one "
        f"that it played: the figures' dots, from {dots.min():g} to {dots.max():g}, show b = "
        f"{dots.min() - COARSE:g} to {dots.max() - COARSE:g}."
    )
    return Finding(agreed({both, within}), text, why)


def fit_degrees() -> Setting:
    """The degrees of the fits that our replays of the sweeps draw, from the highest."""
    degrees = sorted({degree for *_, degree in PROGRAM_SWEEPS.values()}, reverse=True)
    rows = read_table("ising_program_sweeps.csv").query("sweep == '3x3 fine'")
    b, lost = rows["printed"].to_numpy(), rows["lost"].to_numpy()
    misfits = [float((lost - _fitted(b, lost, degree)).std()) for degree in degrees]
    told = ", ".join(
        f"{misfit:.2f} off that of degree {degree}"
        for misfit, degree in zip(misfits, degrees, strict=True)
    ).replace("off that", "games off its fit", 1)
    text = f"a replay of the sweep with step 0.001 lies {told} (root mean square)"
    own = PROGRAM_SWEEPS["4x4"][-1]
    why = f"The file of 4x4 is named 1, but its figure is titled degree {own}, which we take."
    return Setting(" ".join(map(str, degrees)), len(set(misfits)) == len(degrees), text, why)


def _fitted(b: Floats, lost: Floats, degree: int) -> Floats:
    return np.asarray(np.polynomial.Polynomial.fit(b, lost, degree)(b))


def coarse_beside_fine() -> Finding:
    """Whether the coarse sweep of 3x3 shows how the losses run less well than the fine one.

    It does if it leaves more than twice as much open: of its points' variance, by chance; and of
    the exact curve's, by the polynomial drawn.  If these readings disagree, there is no answer.
    """
    (fine, coarse), (curved, straight) = (
        [left(sweep) for sweep in ("3x3 fine", "3x3")] for left in (_chance, _unexplained)
    )
    text = (
        f"chance makes up {fine:.1%} (fine) and {coarse:.1%} (coarse) of how the points vary; the "
        f"polynomials drawn leave {curved:.1%} and {straight:.1%} of the exact curve unexplained"
    )
    _, _, games, degree = PROGRAM_SWEEPS["3x3"]
    b, lost = digitised("3x3")
    why = (
        "The ability may be that of the points or that of the fits; in both the coarse sweep is "
        "read as worse if it leaves more than twice as much open, in exact chances. In the points "
        f"that lies in the number of games, {games} instead of {PROGRAM_SWEEPS['3x3 fine'][2]}, in "
        f"the fits in the degree: one of degree {degree} through the fine sweep would leave "
        f"{_unexplained('3x3 fine', degree):.1%}. The published coarse points still follow the "
        f"curve (correlation {np.corrcoef(classic(b), lost)[0, 1]:.2f})."
    )
    return Finding(agreed({coarse > 2 * fine, straight > 2 * curved}), text, why)


def _chance(sweep: str) -> float:
    """What part of the variance of a sweep's points is expected to be the noise of its games."""
    _, step, games, _ = PROGRAM_SWEEPS[sweep]
    lost = _scored(bias_grid(step)[:-1])
    noise = float((lost * (1 - lost)).mean()) / games
    return noise / (noise + float(lost.var()))


def _unexplained(sweep: str, degree: int | None = None) -> float:
    """What part of the exact curve's variance a sweep's fit would leave, without any noise."""
    _, step, _, drawn = PROGRAM_SWEEPS[sweep]
    played = bias_grid(step)[:-1]
    lost = _scored(played)
    return float((lost - _fitted(played, lost, degree or drawn)).var() / lost.var())


def _step_and_games(rows: pd.DataFrame) -> tuple[float, int]:
    """The step between neighbouring b of a stored sweep, and the games at each b."""
    [games] = rows["games"].unique()
    return round(float(rows["b"].diff().median()), 6), int(games)


def _played(size: str, games: int) -> int:
    """How many games the replay of a sweep plays at b = 0."""
    return int(simulate(SWEEP, Grid.parse(size), "RI", 0.0, games, rng=0).sum())


def parabola_of_figure(size: str, printed: str) -> Finding:
    """Whether a figure's own parabola is lowest at the printed b, and replays give such a b."""
    replayed = _fits(size, "quadratic_minimum")
    low, high = min(replayed), max(replayed)
    lowest, opens_up = figures_parabola(size)
    text = (
        f"the parabola through the {len(digitised(size)[0])} points read off its figure is lowest "
        f"at {lowest:.3f}, "
        f"those of {len(replayed)} replays at {low:.2f} to {high:.2f}"
    )
    return Finding(opens_up and agrees(printed, lowest) and low <= float(printed) <= high, text)


def figures_parabola(size: str) -> tuple[float, bool]:
    """Where a parabola through a figure's points has its end, and whether that is its lowest."""
    fit = np.polynomial.Polynomial.fit(*digitised(size), 2)
    return float(fit.deriv().roots()[0]), bool(fit.deriv(2)(0.0) > 0)


# ------------------------------------------------------------------ boards beyond 3x3


def zeros(sweep: str, *, some: bool) -> Finding:
    """At how many b no game was lost, in repeated replays."""
    values = _fits(sweep, "zeros")
    without = sum(value == 0 for value in values)
    text = f"{without} of {len(values)} replays have no b without a loss"
    games, lost = _losses_by_true_rules(sweep)
    points = digitised(sweep)[1]
    why = (
        "Judged on its program. From four cells per side on, the cells that the program's test "
        "takes for a win are no line (`ising-win-test`). In the published figure the lowest of the "
        f"{len(points)} points that can be read off is {points.min():g}. By true rules its player "
        f"would lose none of 100 games at about {((1 - lost) ** 100).mean():.0%} of the values of "
        f"b; in {games:,} games it loses some at {(lost > 0).mean():.0%} of them."
    )
    return Finding((without < len(values) / 2) == some, text, why)


def _losses_by_true_rules(size: str, energy: str = "published") -> tuple[int, pd.Series[float]]:
    """Games at each b, and by b what an energy loses to random play by true rules."""
    table = read_table("ising_sweeps.csv").query("energy == @energy and players == 'RI'")
    rows = table[table["board"] == size].set_index("b")
    return int(rows["games"].min()), rows["win"] / rows["games"]


HIGH = (0.1, 0.2)
"""From which part of the games on losses may be called quite high."""


def quite_high(sweep: str, beside: Sequence[str]) -> Finding:
    """Whether many games are lost, beside other boards and by limits of ours, in the replays' mean.

    Beside others: more than twice as many as on any of them.  If these readings disagree, there is
    no answer.
    """
    lost, others = _mean_share(sweep), {size: _mean_share(size) for size in beside}
    readings = {f"more than {limit:.0%} of the games": lost > limit for limit in HIGH}
    readings["more than twice as many as on any other board"] = lost > 2 * max(others.values())
    told = ", ".join(f"{share:.1%} on {size}" for size, share in others.items())
    why = "; ".join(f"{what}, it {HOLDS[holds]}" for what, holds in readings.items())
    return Finding(
        agreed(set(readings.values())),
        f"{lost:.1%} of the games in the mean of the replays; {told}",
        f"'Quite high' is open. Read as {why}.",
    )


def _mean_share(sweep: str) -> float:
    """The share of games lost over all b, in the mean of a sweep's replays."""
    _, _, games, _ = PROGRAM_SWEEPS[sweep]
    return float(np.mean(_fits(sweep, "mean"))) / games


def halved() -> Finding:
    """Mean losses on 6x6 against 5x5, in repeated replays."""
    small, large = (np.mean(_fits(sweep, "mean")) for sweep in ("5x5", "6x6"))
    return Finding(bool(large < small / 2), f"{large:.1f} against {small:.1f} of 100 games")


def worse_beyond(percent: int, size: str = "3x3x3") -> Finding:
    """Whether more games are lost for b above a value than in the fifth below it (true rules).

    Read as all b above together, and as from there on, that is, in the next tenth already.

    Parameters
    ----------
    percent : int
        The value, in hundredths.
    """
    table = read_table("ising_sweeps.csv").query("board == @size and energy == 'published'")
    lost = table.set_index((table["b"] * 100).round().astype(int))[["win", "games"]]
    fifths = [lost.loc[low + 1 : low + 20] for low in range(0, 100, 20)]
    below, above = lost.loc[percent - 19 : percent], lost.loc[percent + 1 :]
    least = _share(below) <= min(_share(fifth) for fifth in fifths if len(fifth))
    tenths = {low: lost.loc[low + 1 : low + 10] for low in range(percent, 100, 10)}
    told = ", ".join(
        f"{(low + 1) / 100:.2f} to {low / 100 + 0.1:.2f}: {_share(rows):.4%}"
        for low, rows in tenths.items()
    )
    more = {low: _more(rows, below) for low, rows in tenths.items()}
    worse = [f"{(low + 1) / 100:.2f}" for low, is_more in more.items() if is_more]
    together, at_once = _more(above, below), _at_once(tenths[percent], below)
    said = {True: "it holds", False: "it does not", None: "these games can't tell"}
    return Finding(
        agreed({together, at_once}),
        f"lost {_share(below):.4%} from b = {percent / 100 - 0.19:.2f} to {percent / 100:.2f}, "
        f"{_share(tenths[percent]):.4%} in the next tenth, {_share(above):.4%} in all above",
        f"Read as all b above {percent / 100:.1f} together beside the fifth below"
        f"{', where least is lost' * least}, {said[together]}; read as from {percent / 100:.1f} "
        f"on, {said[at_once]} (if not more, it must lose less than {MUCH - 1:.0%} more, a limit of "
        f"ours; at most {round_up(_at_most(tenths[percent], below) - 1, 3):.1%}, one-sided at "
        f"{SIGNIFICANCE}). By tenths ({told}) the first to lose more than that fifth beyond "
        f"sampling error begins at {next(iter(worse), 'none')}. Taken together, it would "
        f"hold for {', '.join(_likewise(lost, percent)) or 'no other tenth'}. The program's energy "
        f"by true rules, 40,000 games at every b. {_by_the_figure(percent, size)}",
        tested=None in (together, at_once),
    )


def _likewise(lost: pd.DataFrame, percent: int) -> list[str]:
    """Above which other tenths more is lost, all taken together, than in the fifth below."""
    splits = {low: (lost.loc[low + 1 :], lost.loc[low - 19 : low]) for low in range(20, 100, 10)}
    return [
        f"{low / 100:.1f}"
        for low, (above, below) in splits.items()
        if low != percent and len(above) and len(below) and _more(above, below)
    ]


MUCH = 1.1
"""Where less than this factor is lost, games are lost no more often."""


def _at_once(next_to: pd.DataFrame, below: pd.DataFrame) -> bool | None:
    """Whether more games are lost just above; no if at most a little more can be."""
    more = _more(next_to, below)
    return False if more is None and _at_most(next_to, below) < MUCH else more


def _at_most(some: pd.DataFrame, others: pd.DataFrame) -> float:
    """By what factor some games can be lost more often than others, one-sided."""
    # The error of the logarithm of a ratio of two shares, as small as these are.
    error = math.sqrt(sum(1 / max(rows["win"].sum(), 1) for rows in (some, others)))
    reach = math.exp(NormalDist().inv_cdf(1 - SIGNIFICANCE) * error)
    return _share(some) / _share(others) * reach


def _by_the_figure(percent: int, size: str) -> str:
    """What the published points alone say of the losses above a printed b and below it."""
    from scipy.stats import fisher_exact  # slow to import

    b, lost = digitised(size)
    place = np.rint(100 * b)
    above, fifth, below = (
        lost[(low < place) & (place <= high)].astype(int)
        for low, high in ((percent, 100), (percent - 20, percent), (0, percent))
    )
    counts = [[of.sum(), 100 * len(of) - of.sum()] for of in (above, fifth)]
    p = float(fisher_exact(counts).pvalue)
    return (
        f"The published points alone could {'not ' * (p >= SIGNIFICANCE)}tell: by the printed b "
        f"{above.sum()} games lost in {len(above)} dots above, {fifth.sum()} in {len(fifth)} in "
        f"the fifth below (p = {p:.2f}), {below.sum()} in all {len(below)} up to "
        f"{percent / 100:.1f}."
    )


def _share(lost: pd.DataFrame) -> float:
    """The share of games lost of those played."""
    return float(lost["win"].sum() / lost["games"].sum())


def _more(one: pd.DataFrame, other: pd.DataFrame) -> bool | None:
    """Whether more games are lost in one than in the other; None if chance explains it."""
    lost, games = (
        np.array([rows[name].sum() for rows in (one, other)]) for name in ("win", "games")
    )
    return bool(_share(one) > _share(other)) if _depends(lost, games) else None


def cube_unlost() -> Count:
    """4x4x4: lost games in the replays of the published sweep."""
    _, step, games, _ = PROGRAM_SWEEPS["4x4x4"]
    values, means = len(program_biases(step)), _fits("4x4x4", "mean")
    why = (
        f"Replays of its program, {games} games at each b. Its loop (b_testing.cpp, commit "
        f"599fb5d2) adds {step} again and again; rounding leaves the sum of {round(1 / step)} "
        f"steps just below 1, so it plays {values} values of b, not {round(1 / step)}."
    )
    return Count(round(values * sum(means)), values * games * len(means), why)


def cube_is_different() -> Finding:
    """Whether losses on 4x4x4 change with b otherwise than on 3x3: replays against exact chances.

    As the program scores its games.  At each b the games lost are tested by the chance of 3x3
    (binomial, two-sided); with Bonferroni's correction, the smallest p-value decides.
    """
    from scipy.stats import binomtest  # slow to import

    _, step, games, _ = PROGRAM_SWEEPS["4x4x4"]
    chances = _scored(np.minimum(program_biases(step), 1.0))
    lost, played = _lost_in_replays("4x4x4"), games * REPLAYS
    tests = [binomtest(int(k), played, p).pvalue for k, p in zip(lost, chances, strict=True)]
    p_value = min(1.0, len(tests) * min(tests))
    expected = chances * played
    text = (
        f"of {played} replayed games at each b, from 0 to 1, it loses {_row(lost)}; the exact "
        f"chances of 3x3 would make it {_row(expected.round().astype(int))}"
    )
    none = float(np.prod((1 - chances) ** games))
    surely = "below 0.0001" if p_value < 1e-4 else f"= {p_value:.1g}"
    why = (
        f"At {(lost < expected).sum()} of the {len(lost)} values of b fewer games are lost than "
        f"that, at {(lost > expected).sum()} more (p {surely}). The document's own "
        f"{games * len(lost)} games could not tell: with the chances of 3x3 none of them is lost "
        f"with probability {none:.3f}."
    )
    return Finding(True if p_value < SIGNIFICANCE else None, text, why, tested=True)


def _row(counts: Ints) -> str:
    return listed(map(str, counts))


def _lost_in_replays(sweep: str) -> Ints:
    """Games lost at each b in all stored replays of a sweep, which are made again."""
    size, step, games, _ = PROGRAM_SWEEPS[sweep]
    tables = [program_sweep(size, step, games, rng=rng) for rng in replay_rngs(sweep)]
    return np.asarray(sum(table["lost"].to_numpy() for table in tables))


@cache
@read_only
def digitised(size: str) -> tuple[np.ndarray, np.ndarray]:
    """The points read off a published figure: printed b, games lost of 100."""
    path = data_dir() / "ising_published_sweeps_digitised.json"
    table = json.loads(path.read_text(encoding="utf-8"))[size]
    points = [(float(b), lost) for b, lost in table.items() if lost is not None]
    return np.array([b for b, _ in points]), np.array([lost for _, lost in points], dtype=float)


COMPARED = ("3x3x3", "4x4", "5x5", "6x6")
"""Boards whose losses the document compares with those of 3x3."""
UNTIL = 0.6
"""The b beyond which the document itself sees 3x3x3 become less effective."""


def like_classic(size: str, *, alike: bool, beside: Sequence[str] = ()) -> Finding:
    """Whether the published points of a board follow the exact curve of 3x3, or whether they don't.

    Their correlation with it gets an interval (:func:`_correlation`).  They follow it if the
    interval lies above half of what a curve of this shape would give at the board's own mean, with
    the noise of 100 games per point; they don't if it lies below; else the points can't tell.  With
    other boards, ``beside``, the points of each are asked the same (:func:`like_points`), and all
    must give the answer.
    """
    b, lost = digitised(size)
    shape = classic(b)
    (low, high), expected = (
        _correlation(shape, lost / 100),
        _expected_correlation(shape, lost.mean()),
    )
    follows = _follows(low, high, expected)
    text = (
        f"correlation with the exact 3x3 curve {np.corrcoef(shape, lost)[0, 1]:+.3f} "
        f"[{low:+.3f}, {high:+.3f}]; a curve of that shape would give {expected:.3f}"
    )
    others = [like_points(size, other) for other in beside]
    answers = {follows, *(other.holds for other in others)}
    holds = False if (not alike) in answers else True if answers == {alike} else None
    return Finding(holds, "; ".join([text, *(other.found for other in others)]), tested=True)


def _follows(low: float, high: float, expected: float) -> bool | None:
    """Whether points follow a shape, by the rule of `like_classic`; None if they can't tell."""
    return True if low > expected / 2 else False if high < expected / 2 else None


def cube_like_classic(figures: int = 1000, *, rng: np.random.Generator | int = 0) -> Finding:
    """:func:`like_classic` for 3x3x3, and what such a figure could tell of games by true rules."""
    games, lost = _losses_by_true_rules("3x3x3")
    small = pd.Series(_scored(lost.index.to_numpy()), lost.index)
    whole, until = (small[:b].corr(lost[:b]) for b in (1.0, UNTIL))
    rises = lost[UNTIL + COARSE / 2 :].mean() > lost[UNTIL - 0.2 + COARSE / 2 : UNTIL].mean()
    b, _ = digitised("3x3x3")
    played = lost.to_numpy()[np.rint((b - COARSE) / COARSE).astype(int)]
    drawn = np.random.default_rng(rng).binomial(100, played, (figures, len(b)))
    shape = classic(b)
    answers = [
        _follows(*_correlation(shape, one / 100), _expected_correlation(shape, one.mean()))
        for one in drawn
    ]
    undecided = answers.count(None)
    why = (
        f"{declared('ising-cube-similar').reason} If the program's player's chances are those of "
        f"our {games:,} games at each b by true rules, such a figure can "
        f"{'hardly ' * (2 * undecided > figures)}decide: {undecided:,} of {figures:,} simulated "
        f"ones leave it open. In those games the losses correlate by {whole:.2f} with the 3x3 "
        f"curve over all b, and by {until:.2f} up to b = {UNTIL}; beyond, on 3x3x3, they "
        f"{'rise' if rises else 'do not rise'}, taken together (`ising-cube-beyond`)."
    )
    return replace(like_classic("3x3x3", alike=True), reason=why)


DRAWN = ("5x5", "6x6")
"""Boards with graphs on which, as the document quotes, each player can force a draw."""


def otherwise_where_drawn() -> Finding:
    """Whether each player can force a draw on larger squares, and their graphs look otherwise."""
    parts = [both_can_draw().holds, *(like_classic(size, alike=False).holds for size in DRAWN)]
    graphs = " and ".join(
        f"that of {size} {OTHERWISE[unlike]}" for size, unlike in zip(DRAWN, parts[1:], strict=True)
    )
    holds = False if False in parts else True if all(parts) else None
    drawn = f"each player can force a draw for n >= 5: {'yes' if parts[0] else 'not shown'}"
    return Finding(holds, f"{drawn}; beside the exact 3x3 curve {graphs}", tested=True)


def draw_is_the_reason() -> Finding:
    """Whether the draws explain that 5x5 and 6x6 behave otherwise: an open word, read in two ways.

    The draws alone can't if 3x3 is a draw, too.  That other boards may behave otherwise is no more
    than that they are other games: a reading that holds by its wording, so that nothing refutes it.
    """
    alike = " and ".join(f"{_as_on_3x3(size)} on {size}" for size in DRAWN)
    text = " and ".join(_as_on_3x3(size, "equation") for size in DRAWN)
    value = int(solve(GRID).value[0])
    role = "can't be the reason, as 3x3 is one, too" if value == 0 else "may be the reason"
    found = (
        f"3x3 is a {WORDS[value]} under best play, too; by true rules the losses of the program's "
        f"player at each b correlate by {alike} with those on 3x3 (the text's player's "
        f"by {text}; simultaneous {1 - SIGNIFICANCE:.0%} intervals)"
    )
    why = (
        "'Therefore' may rest on the draws alone, or on all that goes before: another board is "
        f"another game. The draws alone {role}; the graphs are of games by the program's own win "
        "test. That another game may behave otherwise is so, and how surprising that is can't be "
        "computed; so no result could refute the sentence."
    )
    return Finding(agreed({value != 0, True}), found, why)


OTHERWISE = {True: "looks otherwise", False: "looks alike", None: "may do either"}
"""How a graph compares, by whether it is unlike."""


def _as_on_3x3(size: str, energy: str = "published") -> str:
    """The correlation of a player's losses with those on 3x3, b by b, by true rules, in words."""
    (games, here), (most, there) = (_losses_by_true_rules(name, energy) for name in (size, "3x3"))
    low, high = _correlation(here.to_numpy(), there.to_numpy(), (games, most))
    return f"{here.corr(there):+.2f} [{low:+.2f}, {high:+.2f}]"


EARLY = 0.2
"""Up to this printed b most of the losses on 3x3 lie."""


def almost_random(size: str) -> Finding:
    """Whether the points of a published figure vary as chance alone would make them.

    That may mean that their spread is no larger than that of games with one chance for all b, or
    that they don't follow the exact curve of 3x3 either way.  If these readings disagree, there is
    no answer.
    """
    b, lost = digitised(size)
    spread, chance, p_value = _beside_chance(lost)
    low, high = _correlation(classic(b), lost / 100)
    text = (
        f"the {len(lost)} points spread by {spread:.2f} games, by {chance:.2f} if every b had the "
        f"same chance (p = {p_value:.2f}); their correlation with the exact 3x3 curve lies in "
        f"[{low:+.3f}, {high:+.3f}]; on average {lost[b > EARLY].mean():.2f} games are lost above "
        f"a printed b of {EARLY}, {lost[b <= EARLY].mean():.2f} up to it"
    )
    return Finding(agreed({p_value >= SIGNIFICANCE, low <= 0 <= high}), text)


def _beside_chance(lost: np.ndarray) -> tuple[float, float, float]:
    """The spread of games lost of 100, that of one chance for all, and how likely more would be."""
    from scipy.stats import chi2  # slow to import

    expected = lost.mean() * (1 - lost.mean() / 100)
    sum_ = ((lost - lost.mean()) ** 2).sum()
    p_value = chi2.sf(sum_ / expected, len(lost) - 1)
    return float(lost.std(ddof=1)), float(np.sqrt(expected)), float(p_value)


def like_points(size: str, other: str) -> Finding:
    """Whether the published points of one board follow those of another, by the same rule.

    Both scatter: if the losses of both had the shape of 3x3, their correlation would be about the
    product of those that either would have with it.  The interval has the level of the four.
    """
    here, there = (pd.Series(lost, b) for b, lost in map(digitised, (size, other)))
    x, y = pd.concat([here, there], axis=1, join="inner").to_numpy().T
    low, high = _correlation(x / 100, y / 100, (100, 100))
    one, two = (
        _expected_correlation(classic(part.index.to_numpy()), part.mean()) for part in (here, there)
    )
    expected = one * two
    text = (
        f"with the points of {other} {np.corrcoef(x, y)[0, 1]:+.3f} [{low:+.3f}, {high:+.3f}] over "
        f"{len(x)} b; an equal shape would give {expected:.3f}"
    )
    return Finding(_follows(low, high, expected), text, tested=True)


def classic(b: np.ndarray) -> np.ndarray:
    """The exact losses on 3x3 as the program scores them; each b is printed a step too high."""
    return _scored(np.maximum(b - COARSE, 0.0))


def _scored(biases: np.ndarray) -> np.ndarray:
    """What the program's player loses on 3x3 to random play at each b, as the program scores it."""
    return np.array([float(curve.at(meaning.scored_curve(), b).outcome.loss) for b in biases])


def _correlation(
    x: np.ndarray, y: np.ndarray, games: tuple[float, float] = (math.inf, 100)
) -> tuple[float, float]:
    """The ends of the interval of a correlation, for all compared boards at the ledger's level.

    The values of b are no sample, so it is by the chance of the games alone (delta method); where
    none was lost, half a game in one more (Jeffreys) keeps the chance above zero.

    Parameters
    ----------
    x, y : ndarray of float, shape (n,)
        Shares lost, by b.
    games : tuple of float
        At each b, for ``x`` and for ``y``; without end if its shares are exact.
    """
    lost, n = np.stack([x, y]), np.array(games)[:, None]
    apart = lost - lost.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(apart, axis=1, keepdims=True)
    unit = apart / lengths
    middle = float(unit[0] @ unit[1])
    slopes = (unit[::-1] - middle * unit) / lengths
    chances = (lost + 0.5 / n) / (1 + 1 / n)
    variance = float((slopes**2 * chances * (1 - chances) / n).sum())
    z = NormalDist().inv_cdf(1 - SIGNIFICANCE / len(COMPARED) / 2)
    reach = z * math.sqrt(variance)
    return max(middle - reach, -1.0), min(middle + reach, 1.0)


def _expected_correlation(shape: np.ndarray, mean: float) -> float:
    """The correlation of a shape with games lost of 100 whose chances are that shape, scaled."""
    lost = shape / shape.mean() * mean
    signal, noise = lost.var(), (lost * (1 - lost / 100)).mean()
    return float(np.sqrt(signal / (signal + noise)))


def depends_on_n(said: str = "perhaps suggests") -> Finding:
    """Whether the best values of b on 3x3 and on 4x4, both exact, have none in common.

    Best are those with the fewest losses, or of these the ones with the most wins.  If the two
    readings disagree, there is no answer.  Where the parabolas of the program's own games are
    lowest is told, on 5x5, too.

    Parameters
    ----------
    said : str
        How sure of it the document is where the row quotes it.
    """
    rows, apart, told = exact_curves(), set(), []
    for what, wins in (
        ("with the text's energy, b with the fewest losses", False),
        ("of these, b with the most wins", True),
    ):
        best = {size: best_stretch(pieces, wins=wins) for size, pieces in rows.items()}
        starts, ends = zip(*best.values(), strict=True)
        low, high = max(starts), min(ends)
        apart.add(low >= high)
        text = ", ".join(f"{size} {start:.4f} to {end:.4f}" for size, (start, end) in best.items())
        common = "none" if low >= high else f"{low:.4f} to {high:.4f}"
        told.append(f"{what}: {text}, in common {common}")
    lowest = {size: _fits(size, "quadratic_minimum") for size in ("3x3", "5x5")}
    parabolas = ", ".join(
        f"at b = {min(found):.2f} to {max(found):.2f} in {len(found)} replays of {size}"
        for size, found in lowest.items()
    )
    told.append(f"parabolas through the program's own games are lowest {parabolas}")
    return Finding(agreed(apart), "; ".join(told), f"{_why_depends()} {_how_sure(said)}")


def depends_on_dimension() -> Finding:
    """Whether b "possibly" depends on the dimension, "but not necessarily": read in two ways.

    Word by word nothing refutes that.  That 3x3 and 3x3x3 are compatible holds if the parabolas of
    the program's own games are lowest at the same b in some replays.
    """
    square, cube = (_fits(size, "quadratic_minimum") for size in ("3x3", "3x3x3"))
    meet = max(min(square), min(cube)) <= min(max(square), max(cube))
    told = ", ".join(
        f"{min(found):.2f} to {max(found):.2f} in {len(found)} replays of {size}"
        for size, found in (("3x3", square), ("3x3x3", cube))
    )
    why = (
        "No result could refute that something is possible but not necessary. The compatibility "
        f"that it goes by, read as parabolas that are lowest at the same b, {HOLDS[meet]}; whether "
        "3x3x3 is *similar* and its minimum *not far* are rows of their own (`ising-cube-similar`, "
        "`ising-cube-minimum`)."
    )
    return Finding(agreed({True, meet}), f"parabolas are lowest at b = {told}", why)


def function_of_n() -> Finding:
    """:func:`depends_on_n` where the document concludes it from games of Ising against itself."""
    found = depends_on_n("highly probable")
    why = (
        f"What is meant is the best b (`ising-depends-on-n`). {found.reason} Its own ground here, "
        "games of Ising against itself on 4x4x4 and 5x5x5, is judged in `ising-qubic-cause` and "
        "`ising-five-cause`."
    )
    return replace(found, reason=why)


def _why_depends() -> str:
    """How the sentence is read, and what the document's own measure says of three boards."""
    small, square, large = (_fits(size, "quadratic_minimum") for size in ("3x3", "4x4", "5x5"))
    alike = max(min(small), min(square)) <= min(max(small), max(square))
    worst_place = max(meaning.scored_curve(), key=lambda piece: piece.outcome.loss)
    near = min(large) <= float(worst_place.end) + AROUND[0]
    return (
        "Optimal may be the b that loses least, as the document counts lost games, or among these "
        "the one that wins most, as in `ising-optimal`; it depends on n if 3x3 and 4x4 have no "
        "best b in common. The text's player, second, against random play, exactly and by true "
        "rules. By the document's own measure, the lowest point of a parabola through the "
        f"program's games, 3x3 and 4x4 {'agree' if alike else 'disagree'} (4x4: {min(square):.2f} "
        f"to {max(square):.2f}), but 5x5 is lowest near b = {0 if near else min(large):g}"
        f"{', where most games are lost on 3x3' * near}."
    )


HOW_SURE = {"perhaps suggests": "ising-depends-on-n", "highly probable": "ising-function-of-n"}
"""In which rows the document says how sure it is that b depends on n."""


def _how_sure(said: str) -> str:
    """The document's word for how sure it is, and the one that it has elsewhere."""
    elsewhere = ", ".join(f"'{word}' (`{row}`)" for word, row in HOW_SURE.items() if word != said)
    return f"The document says '{said}' here, elsewhere {elsewhere}."


def left_out(size: str, degree: int) -> np.ndarray:
    """Leave-one-out errors of a polynomial fit to the published points.

    A residual of a least-squares fit becomes 1 / (1 - h) times as large when its own point, of
    leverage h, is left out.
    """
    b, lost = digitised(size)
    basis, _ = np.linalg.qr(np.polynomial.legendre.legvander(2 * b - 1, degree))
    return np.asarray((lost - basis @ (basis.T @ lost)) / (1 - (basis**2).sum(axis=1)))


CLEARLY = 3
"""Standard errors from which on one degree predicts clearly better than another."""


def second_degree(most: int = 11) -> Finding:
    """Whether higher degrees predict left-out points clearly worse, or one of them clearly better.

    ``most`` is the degree that the document itself takes where it has more games.
    """
    found = {size: _gains(size, most) for size in COMPARED}
    best = {size: max(gains) for size, gains in found.items()}
    told = ", ".join(
        f"{size} {best[size]:+.1f} (degree {most} {gains[-1]:+.1f})"
        for size, gains in found.items()
    )
    text = f"gain of the best degree from 3 to {most} over degree 2, in standard errors: {told}"
    worse = max(best.values()) < -CLEARLY
    holds = False if max(best.values()) > CLEARLY else worse or None
    return Finding(holds, text, _why_degree(found, holds), tested=True)


def _why_degree(found: Mapping[str, Sequence[float]], holds: bool | None) -> str:
    """Which degrees are clearly better and worse than two, and what the best of all would do."""
    better, worse = (
        " and ".join(
            f"{_listed([degree for degree, gain in enumerate(gains, 3) if sign * gain > CLEARLY])} "
            f"on {size}"
            for size, gains in found.items()
            if max(sign * gain for gain in gains) > CLEARLY
        )
        for sign in (1, -1)
    )
    size = max(found, key=lambda name: max(found[name]))
    degree = 3 + int(np.argmax(found[size]))
    b, lost = digitised(size)
    lowest = fit_minimum(b, lost, degree)
    return (
        "Leave-one-out cross-validation on the published points. Clearly better than degree two: "
        f"{better or 'no higher degree on any board'}; clearly worse: {worse or 'none'}"
        f"{', so the points do not decide' if holds is None else ''}. They could have spoken "
        "against the sentence, but hardly for it: even if the chances were exactly quadratic, some "
        f"higher degree would nearly always do about as well. On {size}, where a higher degree "
        f"comes closest to being better (degree {degree}), it would move the minimum to "
        f"{lowest:.2f}"
        f"{', the end of the range' if lowest in (b.min(), b.max()) else ''}."
    )


def _listed(degrees: Sequence[int]) -> str:
    """Degrees in words: the first and the last if none between is missing."""
    whole = len(degrees) > 2 and degrees[-1] - degrees[0] == len(degrees) - 1
    return f"{degrees[0]} to {degrees[-1]}" if whole else ", ".join(map(str, degrees))


def _gains(size: str, most: int) -> list[float]:
    """Mean gain in squared error of each higher degree, in standard errors."""
    errors = [left_out(size, degree) ** 2 for degree in range(2, most + 1)]
    gains = [errors[0] - other for other in errors[1:]]
    return [float(gain.mean() / (gain.std(ddof=1) / np.sqrt(len(gain)))) for gain in gains]


def self_play(size: str, energy: str = "published") -> pd.DataFrame:
    """Ising against itself by true rules: games, win, draw, loss of the first player, by b."""
    table = read_table("ising_self_play.csv").query("board == @size and energy == @energy")
    return table.set_index("b")[["games", "win", "draw", "loss"]]


ENDS = {1: "wins", 0: "draws", -1: "loses"}


@cache
def cube_worst(energy: str, b: float) -> int:
    """What the worst opponent reaches on 3x3x3 against the first player, by exhaustive play."""
    return worst(ising(Grid(3, 3), b, energy), 1).worst


def robust() -> Finding:
    """Whether the program's player with the chosen b, first on 3x3x3, beats every opponent."""
    ours, text = (cube_worst(energy, CHOSEN) for energy in ("published", "equation"))
    other = "as does the text's" if text == ours else f"the text's {ENDS[text]}"
    found = (
        f"at b = {CHOSEN}, as first player and whoever it meets, the program's player "
        f"{ENDS[ours]}, {other}"
    )
    return Finding(ours == 1, found)


def games_tell() -> Finding:
    """Whether games of a player against itself on 3x3x3 are evidence that it is robust.

    They are, in part, if players that can be beaten fail to win them all.  Such a player may be the
    program's at another b, or the text's; if these readings disagree, there is no answer.
    """
    names = {"published": "program", "equation": "text"}
    told = []
    for energy, name in names.items():
        beaten, winning = _beaten_but_winning(energy)
        won = "all" if winning == beaten > 0 else winning
        told.append(
            f"at {beaten} of them the {name}'s player can be beaten as first player, and at {won} "
            "of these it wins every game against itself"
        )
    games, tried = self_play("3x3x3")["games"].min(), len(self_play("3x3x3"))
    text = f"by true rules, of {tried} values of b with {games:,} games each: {'; '.join(told)}"
    answers = {fails_if_beatable(energy) for energy in names}
    why = (
        "Winning all games is evidence of robustness, in part, if players that can be beaten do "
        "not win all of theirs. Compared with the program's player at other b, "
        f"{_tell('published')}; compared with the text's player, {_tell('equation')}."
        f"{' Which comparison is meant is open.' * (agreed(answers) is None)} Whether the "
        "program's player is robust is another row (`ising-cube-robust`)."
    )
    return Finding(agreed(answers), text, why)


def _tell(energy: str) -> str:
    """What games of a player that can be beaten say about those that are all won."""
    beaten, winning = _beaten_but_winning(energy)
    if not beaten:
        return "which nobody beats, there is nothing to compare"
    if winning == beaten:
        return "which wins all of its games wherever it can be beaten, the games tell nothing"
    rarely = "most" if 2 * winning < beaten else "some"
    return (
        f"which at {rarely} of the b where it can be beaten does not win them all, they tell "
        "something"
    )


def fails_if_beatable(energy: str) -> bool | None:
    """Whether on 3x3x3 a player does not always win against itself at some b where it is beaten.

    None if nobody beats it at any b.
    """
    beaten, winning = _beaten_but_winning(energy)
    return winning < beaten if beaten else None


def _beaten_but_winning(energy: str) -> tuple[int, int]:
    """At how many b the first player can be beaten, and at how many of these it yet wins."""
    table = self_play("3x3x3", energy)
    beaten = table[[cube_worst(energy, float(b)) < 1 for b in table.index]]
    return len(beaten), int((beaten["win"] == beaten["games"]).sum())


OWN_GAMES = 200
"""Games at each b under the program's own rules."""


def cause_on_qubic() -> Finding:
    """Whether b is the cause of the first player's few wins on 4x4x4.

    In two readings: the share of wins changes with b, beyond sampling error; and with some b the
    first player wins every game, as best play does.  Each with the program's energy under its own
    rules, by which the document's games were played, and with either energy by true ones.  If any
    of these disagree, there is no answer.
    """
    tables = [self_play("4x4x4", energy) for energy in ("published", "equation")]
    biases = tables[0].index
    own = own_results("4x4x4", tuple(map(float, biases)))[..., 0]
    won = [pd.Series(row, biases) for row in own] + [table["win"] for table in tables]
    games = 2 * [pd.Series(OWN_GAMES, biases)] + [table["games"] for table in tables]
    theirs, same, program, text = (_span(w / of) for w, of in zip(won, games, strict=True))
    told = (
        f"the least and the greatest share of games that the first player wins at {len(biases)} "
        f"values of b are, under the program's own win test ({OWN_GAMES} games at each), {theirs} "
        f"if the second keeps its own b of 0.8, and {same} if both have the same b; by true rules "
        f"({games[-1].min():,} games at each) {program} with the program's energy, and {text} with "
        "the text's"
    )
    depends = {_depends(*pair) for pair in zip(won, games, strict=True)}
    mends = {bool((w == of).any()) for w, of in zip(won, games, strict=True)}
    return Finding(agreed(depends | mends), told)


def _span(share: pd.Series[float]) -> str:
    """The least and the greatest share."""
    return f"{share.min():.1%} to {share.max():.1%}"


def _depends(won: pd.Series[int] | Ints, games: pd.Series[int] | Ints) -> bool:
    """Whether the shares of games won at several b differ beyond sampling error."""
    from scipy.stats import chi2_contingency  # slow to import

    return float(chi2_contingency(np.array([won, games - won])).pvalue) < SIGNIFICANCE


def cause_on_five() -> Finding:
    """Whether some b makes draws of most games on 5x5x5.

    With the program's energy under its own rules, by which the document's games were played, and by
    true ones; and with the text's energy by true ones.  If these disagree, there is no answer.
    """
    table, ours = _draws("published"), _draws("equation")
    own = own_results("5x5x5", tuple(map(float, table.index)))[..., 1] / OWN_GAMES
    most = [float(own.max()), float(table.max())]
    highest = [f"{round_up(share, 3):.1%}" for share in most]
    lowest = round_down(ours[ours.index >= 0.2].min(), 3)
    text = (
        f"with the program's energy, at any of {len(table)} values of b, at most {highest[0]} of "
        f"the games are drawn under the program's own win test, at most {highest[1]} by true "
        f"rules; with the text's, by true rules, none below b = {ours[ours > 0].index.min():g} and "
        f"at least {lowest:.1%} from b = 0.2 on"
    )
    answers = {share > 0.5 for share in (*most, float(ours.max()))}
    return Finding(agreed(answers), text)


@cache
@read_only
def own_results(size: str, biases: tuple[float, ...]) -> Ints:
    """Ising against itself as the program plays and scores it, at several b.

    Returns
    -------
    ndarray of int64, shape (2, number of biases, 3)
        Wins, draws and losses of the first player in ``OWN_GAMES`` games; first with a second
        player that has its own b of 0.8, as in the program's matches, then with the same b for
        both, as in its sweeps.
    """
    grid = Grid.parse(size)
    return np.array([
        [simulate(program, grid, "II", b, OWN_GAMES, rng=place) for place, b in enumerate(biases)]
        for program in (PUBLISHED, SWEEP)
    ])  # fmt: skip


def _draws(energy: str) -> pd.Series[float]:
    """Share of drawn games on 5x5x5, by b."""
    table = self_play("5x5x5", energy)
    return table["draw"] / table["games"]

"""Our side of the document's matches: exact on 3x3, counted on larger boards.

Sentences on how the policy plays are judged with the safety rule, which is the document's default,
and the row tells the case without it; sentences on what was learned are judged without it; a
sentence on patterns that leaves open which it means is judged both ways.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from ttt_lib.evidence import significance
from ttt_lib.evidence.answers import Chances, Counts, Finding, Setting, Value, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE, declared
from ttt_lib.evidence.rounding import round_up
from ttt_lib.game.board import Boards, Floats, Grid, Mask
from ttt_lib.game.exact import Outcome, exact_match, policy_table, reached
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import (
    from_evaluator,
    lookahead,
    minimax,
    random_agent,
    safety,
    uct,
    winning_cells,
)
from ttt_lib.game.record import Record, opponent_table, record
from ttt_lib.spectral.claims import (
    ARCHIVED,
    GRID,
    PATTERNS,
    SEEDS,
    in_both_places,
    in_most,
    printed,
    table,
)
from ttt_lib.spectral.claims_settings import QUICK
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.labels import exact_rows
from ttt_lib.spectral.policy import Model, player, spectral, trained
from ttt_lib.spectral.runs import MATCHES

PRINTED_GAMES = 30
"""Games of each printed 3x3 match (`dct-3-random` and its like)."""


@cache
def exact_record(symmetric: str = "no", careful: str = "yes") -> Record:
    """The exact record of the 3x3 agent with these options."""
    return record(spectral(GRID, symmetric, careful))


# ---------------------------------------------------------------------------- games on 3x3


def chances(
    printed: str, opponent: str = "random", symmetric: str = "no", careful: str = "yes"
) -> Chances:
    """Exact chances as X on 3x3; also tells the printed match's p-value with alternating sides."""
    found = exact_record(symmetric, careful).matches
    as_x, as_o = found["x", opponent], found["o", opponent]
    return Chances(
        (as_x.win, as_x.draw, as_x.loss),
        "Exact chances as X, the only side that `spectral_policy_3x3.py` plays against random "
        f"play ({ARCHIVED}); as O it would win "
        f"{float(as_o.win):.3f} and lose {float(as_o.loss):.3f}. With alternating sides the "
        f"printed match would have p = {p_value(_on_both_sides(as_x, as_o), printed):.2g}.",
    )


def p_value(ours: Chances | Counts, printed: str) -> float:
    """How probable a printed match such as ``29-1-0`` is if its games are like ours."""
    return significance.test(ours, printed, sum(map(int, printed.split("-")))).p_value


def _on_both_sides(as_x: Outcome, as_o: Outcome) -> Chances:
    return Chances(tuple(as_x), as_o=tuple(as_o))


def chances_by_program(careful: str) -> tuple[tuple[str, Chances], ...]:
    """Exact chances against random play on 3x3, by program and its labels."""
    found = exact_record(careful=careful).matches
    as_x, as_o = found["x", "random"], found["o", "random"]
    return (
        ("as X", Chances([*as_x])),
        ("with alternating sides", _on_both_sides(as_x, as_o)),
        ("with sampled labels", by_seed(careful)),
    )


def repeated(games: int, symmetric: str = "no", careful: str = "yes") -> Value:
    """Results of ``games`` games, sides alternating, against the perfect lowest-index player."""
    found = exact_record(symmetric, careful).matches
    lots = drawn_by_lot(careful).matches if symmetric == "yes" else found
    x, o = found["x", "first"], found["o", "first"]
    same = symmetric == "yes" and all(found[s, "first"] == lots[s, "first"] for s in "xo")
    counts = [games // 2 * (getattr(x, r) + getattr(o, r)) for r in ("win", "draw", "loss")]
    varied = [(found[s, "minimax"].loss, lots[s, "minimax"].loss, s.upper()) for s in "ox"]
    lost = " and ".join(
        f"{'every game' if loss == 1 else f'{loss} of the games'} as {side}"
        + f" ({lot} if any of equal moves is as likely)" * (lot != loss)
        for loss, lot, side in varied
        if loss or lot
    )
    p = max(_chance_if_varied(one, counts) for one in (found, lots))
    decides = (
        "so the document's own number decides, not the copy"
        if p < SIGNIFICANCE
        else "that alone would not decide, but the document prints the seed, and neither player of "
        "the copy draws lots"
    )
    return Value(
        "-".join(map(str, counts)),
        f"Both players of `spectral_policy_3x3.py` ({ARCHIVED}) are deterministic: two games, "
        f"repeated. {'Which of equal moves it takes does not change these games. ' * same}"
        "Against a perfect player that varies among its best moves it loses "
        f"{lost or 'no game'}, and this result would have a probability of {plain(p)}: {decides}.",
    )


def _chance_if_varied(
    found: Mapping[tuple[str, str], Outcome], counts: Sequence[Fraction]
) -> float:
    """How probable a result is against a perfect player that draws lots: it never loses."""
    win, draw, loss = map(int, counts)
    games = (win + draw + loss) // 2
    x, o = (
        stats.binom.pmf(range(games + 1), games, float(found[side, "minimax"].draw))
        for side in "xo"
    )
    return 0.0 if win else float(np.convolve(x, o)[draw])


LEAST = 1e-6
"""P-values are told as below this if all of them are."""


def plain(p: float) -> str:
    """A p-value of one digit, without an exponent."""
    return np.format_float_positional(float(f"{p:.1g}"), trim="-")


def in_row(p_values: Sequence[float]) -> str:
    """Some p-values after the letter p."""
    if max(p_values) < LEAST:
        return f"below {plain(LEAST)} each"
    return f"= {', '.join(map(plain, p_values))}"


@cache
def drawn_by_lot(careful: str = "yes") -> Record:
    """The record of the agent with symmetric features if any of equal moves is as likely."""
    model = trained(GRID, symmetric=True)
    agent = from_evaluator("ties at random", GRID, model, ends=False, ties="uniform")
    return record(safety(agent) if careful == "yes" else agent)


def perfect_games_read() -> Setting:
    """How many games our repeated match against the perfect player has, and with twice as many."""
    games = int(declared("dct-3-perfect").args["games"])
    ours, more = (str(repeated(count).value) for count in (games, 2 * games))
    totals = [sum(map(int, counts.split("-"))) for counts in (ours, more)]
    return Setting(
        str(totals[0]),
        totals[1] == 2 * totals[0],
        f"our match has the results {ours}, with twice as many games {more}",
        "Two games, one from each side, repeated: both players are deterministic.",
    )


@cache
def by_seed(careful: str = "yes") -> Chances:
    """Exact chances against random play, sides alternating, of 20 models on sampled labels."""
    states, playouts = QUICK["samples"], QUICK["rollouts"]
    agents = (
        spectral(GRID, "no", careful, "mc", samples=states, rollouts=playouts, seed=seed)
        for seed in range(SEEDS)
    )
    found = [record(agent, ("random",)).matches for agent in agents]
    as_x, as_o = (tuple(tuple(map(float, one[side, "random"])) for one in found) for side in "xo")
    return Chances(as_x, as_o=as_o)


def chances_sampled_labels() -> Chances:
    """The same, as a ledger entry."""
    return replace(
        by_seed(),
        reason=f"Exact chances of {SEEDS} models, one of them at random, each trained on "
        f"{QUICK['samples']} states with {QUICK['rollouts']} playouts per move as in the "
        "document's command for a "
        f"quick run; sides alternate, as in `spectral_policy_nxn.py` ({ARCHIVED}).",
    )


def beats_random() -> Finding:
    """Whether it wins more games against random play than it loses, on both sides.

    By the model of exact labels and by every training on sampled ones, with the rule and without.
    """
    ruled, bare = (
        [exact_record(careful=careful).matches[side, "random"] for side in ("x", "o")]
        for careful in RULE
    )
    found = _beats(ruled, bare, "")
    sampled = [_trainings_that_beat_random(careful, "x", "o") for careful in RULE]
    as_x, together = (_trainings_that_beat_random(RULE[1], sides) for sides in ("x", "xo"))
    readings = {
        "exact labels, with the rule": _ahead(ruled),
        "exact labels, without the rule": _ahead(bare),
        "sampled labels, with the rule": sampled[0] == SEEDS,
        "sampled labels, without the rule": sampled[1] == SEEDS,
    }
    return replace(
        found,
        holds=agreed(set(readings.values())),
        reason=f"{found.reason}*Always* is read as by every training, too. Trained on sampled "
        f"labels, so do {sampled[0]} of {SEEDS} training runs with the rule and {sampled[1]} "
        f"without. Without it {as_x} win more than they lose as X, the only side that "
        f"`spectral_policy_3x3.py` ({ARCHIVED}) plays against random play, and {together} over "
        f"both sides together. {_disagree(readings)} Not every game is won.",
    )


def _disagree(readings: Mapping[str, bool]) -> str:
    """Which of some readings fail, where the others hold."""
    failing = [name for name, holds in readings.items() if not holds]
    if len(failing) in {0, len(readings)}:
        return f"All these readings {'fail' if failing else 'hold'}."
    fail = f"{len(failing)} of these {len(readings)} readings fail{'s' * (len(failing) == 1)}"
    return f"{fail} ({'; '.join(failing)}) and the others hold: they disagree."


@cache
def _trainings_that_beat_random(careful: str, *matches: str) -> int:
    """How many training runs on sampled labels win more than they lose, in each of the matches.

    A match is its sides: "x", "o", or "xo" for both together.
    """
    records = (
        record(spectral(GRID, "no", careful, "mc", seed=seed), ("random",)).matches
        for seed in range(SEEDS)
    )
    return sum(
        all(
            sum(one[side, "random"].win - one[side, "random"].loss for side in sides) > 0
            for sides in matches
        )
        for one in records
    )


def beats_greedy() -> Finding:
    """The same against a player that wins at once if it can."""
    ruled, bare = (greedy_matches(careful) for careful in ("yes", "no"))
    alone = rule_alone()
    rule = (
        " It is the hand-crafted rule that beats it as O, not what was learned: random moves with "
        f"the rule win {float(alone.win):.3f} and lose {float(alone.loss):.3f} there."
    )
    return _beats(
        ruled,
        bare,
        "On 3x3, with standard features and exact labels. Greedy wins at once if it can, else "
        "moves at random." + rule * (bare[1].win <= bare[1].loss and alone.win > alone.loss),
    )


@cache
def rule_alone() -> Outcome:
    """Exact result as O against the greedy player of random moves with the safety rule."""
    return exact_match(lookahead(GRID, 1), safety(random_agent(GRID)), solve(GRID)).reversed()


@cache
def greedy_matches(careful: str) -> list[Outcome]:
    """Exact results as X and as O against the greedy player."""
    agent, greedy, tree = spectral(GRID, safety=careful), lookahead(GRID, 1), solve(GRID)
    return [exact_match(agent, greedy, tree), exact_match(greedy, agent, tree).reversed()]


def _beats(ruled: list[Outcome], bare: list[Outcome], note: str) -> Finding:
    """Whether outcomes as X and as O are in its favour, with the safety rule and without."""

    def told(outcomes: list[Outcome]) -> str:
        return " and ".join(f"{float(one.win):.3f} ({float(one.loss):.3f})" for one in outcomes)

    return Finding(
        agreed({_ahead(ruled), _ahead(bare)}),
        f"wins (and losses) as X and O: {told(ruled)}; without the safety rule {told(bare)}",
        f"Read as winning more games than it loses, on both sides. {PATTERNS} {note}",
    )


def _ahead(outcomes: list[Outcome]) -> bool:
    """Whether every match has more wins than losses."""
    return all(one.win > one.loss for one in outcomes)


def trained_without_rules() -> Finding:
    """Whether all that is learned comes from the labelled rows; and who decides most moves.

    As a document's player plays by default, the hand-crafted safety rule comes first.
    """
    rows, tree = exact_rows(GRID, "optimal"), solve(GRID)
    waves = dct_features(rows.after, GRID)
    direct = np.linalg.solve(
        waves.T @ waves + 0.001 * np.eye(waves.shape[1]), waves.T @ rows.target
    )
    learned, ruled = player(Model(GRID, np.asarray(direct, dtype=np.float64))), spectral(GRID)
    same = [
        np.array_equal(policy_table(agent, tree), policy_table(whole, tree))
        for agent, whole in ((learned, spectral(GRID, safety="no")), (safety(learned), ruled))
    ]
    bare, full = (
        exact_record(careful=careful).matches["o", "minimax"].loss for careful in ("no", "yes")
    )
    random = exact_match(minimax(GRID), safety(random_agent(GRID)), tree).win
    running = tree.boards[~tree.finished]
    ruled_by = int(_forced(running).sum())
    shares = {name: [_ruled_moves(side, name) for side in "xo"] for name in OPPONENTS}
    played = [
        f"{x:.3f} as X and {o:.3f} as O against {OPPONENTS[name]}"
        for name, (x, o) in shares.items()
    ]
    by_state = ruled_by < len(running) / 2
    by_move = {share < 0.5 for pair in shares.values() for share in pair}
    half = {-1: "less than half", 0: "half", 1: "more than half"}[
        int(np.sign(2 * ruled_by - len(running)))
    ]
    often = [
        f"as {side.upper()} against {OPPONENTS[name]}"
        for name, pair in shares.items()
        for side, share in zip("xo", pair, strict=True)
        if share >= 0.5
    ]
    either = (
        f" By how often the rule speaks, the readings disagree: it decides {half} of the states, "
        f"but {_of_the_moves(often, only=not by_state)}."
    )
    return Finding(
        agreed({all(same), by_state, *by_move}),
        f"the formula of ridge regression on {len(rows.after)} labelled moves gives every move of "
        f"the policy; the safety rule, which is laid over it by default, decides in {ruled_by} of "
        f"{len(running)} states, {half}; of "
        f"the moves in its own games it decides {', '.join(played)}",
        "What is learned comes from data alone; the hand-crafted rule that is asked first does "
        "not, and the document, which calls that rule optional, leaves open which it means."
        f"{either * (by_move != {by_state})} As O it loses to the perfect player {float(full):.3f} "
        f"of the games with the rule and {float(bare):.3f} without; random moves with the rule "
        f"{float(random):.3f}.",
    )


def _of_the_moves(often: Sequence[str], *, only: bool) -> str:
    """Where the rule decides half of the moves or more."""
    if not often:
        return "always less than half of the moves played"
    return f"at least half of the moves played {'only ' * only}{' and '.join(often)}"


def _ruled_moves(side: str, opponent: str) -> float:
    """The share of a player's own moves that the safety rule decides, in its games as one side."""
    tree = solve(GRID)
    tables = [policy_table(spectral(GRID), tree), opponent_table(opponent)]
    met = reached(tree, *(tables if side == "x" else tables[::-1]))
    own = (tree.ply % 2 == "xo".index(side)) & ~tree.finished
    return float(met[own][_forced(tree.boards[own])].sum() / met[own].sum())


def _forced(boards: Boards) -> Mask:
    """Whether either side could complete a line, so that the safety rule decides, shape (B,)."""
    either = [
        winning_cells(GRID, boards, np.full(len(boards), side, dtype=np.int8)) for side in (1, -1)
    ]
    return np.asarray(np.any(either, axis=(0, 2)))


def symmetry_changes_little() -> Finding:
    """Exact results with and without symmetry averaging, with the safety rule and without.

    Every share must differ by no more than its standard error in matches as long as the printed.
    """
    ruled, bare = (_symmetry_gaps(careful) for careful in RULE)
    name, gap, error = max(ruled, key=lambda one: one[1])
    pairs = {
        side: [float(exact_record(kind, "no").matches[side, "random"].win) for kind in KINDS]
        for side in "xo"
    }
    told = " and ".join(
        f"as {side.upper()} {one:.3f} and {other:.3f}" for side, (one, other) in pairs.items()
    )
    more = "; ".join(name.partition(",")[0] for name, gap, error in bare if gap > error)
    little = [all(gap <= limit for _, gap, limit in some) for some in (ruled, bare)]
    first, second = ("holds" if answer else "fails" for answer in little)
    return Finding(
        agreed({*little}),
        "with the rule the shares of wins, draws and losses on either side, against random and "
        f"perfect play, differ by at most {round_up(gap, 3):.3f} ({name}); the standard error of "
        f"that difference in {PRINTED_GAMES} games each is {error:.3f}",
        "The sentence does not say whether with the safety rule or without. Little is read as no "
        f"more than the standard error, in {PRINTED_GAMES} games each, for every share of results: "
        f"it {first} with the rule and {second} without. Without it the wins against random play "
        f"are {told}"
        + f"; more than little change {more}" * bool(more)
        + f". The two printed accuracies change by {_accuracies()}.",
    )


def _accuracies() -> str:
    """By how much two printed accuracies change with symmetry averaging."""
    pairs = [
        [Decimal(printed(f"{accuracy}-{kind}")) for kind in KINDS.values()]
        for accuracy in ("cv", "tie")
    ]
    return " and ".join(f"{other - one:+}" for one, other in pairs)


def _symmetry_gaps(careful: str) -> list[tuple[str, float, float]]:
    """Every share of results: its name, its change by averaging, and the change's printed error."""
    found = []
    standard, averaged = (exact_record(kind, careful).matches for kind in KINDS)
    for (side, (other, name)), end in product(
        product("xo", OPPONENTS.items()), ("win", "draw", "loss")
    ):
        pair = [float(getattr(matches[side, other], end)) for matches in (standard, averaged)]
        error = math.sqrt(sum(share * (1 - share) for share in pair) / PRINTED_GAMES)
        text = f"{ENDS[end]} as {side.upper()} against {name}, {pair[0]:.3f} and {pair[1]:.3f}"
        found.append((text, abs(pair[0] - pair[1]), error))
    return found


ENDS = {"win": "wins", "draw": "draws", "loss": "losses"}


class Case(NamedTuple):
    """The results of one setting with the safety rule, and without.

    Attributes
    ----------
    draws : tuple of float
        The change in the share of draws by the rule, training by training; empty if exact.
    """

    name: str
    on: Outcome
    off: Outcome
    draws: tuple[float, ...] = ()

    @property
    def drawn_more(self) -> float:
        """By how much the rule raises the share of draws."""
        return float(self.on.draw - self.off.draw)


KINDS = {"no": "standard", "yes": "symmetric"}
"""Kinds of features, by the option that chooses them."""


def with_and_without() -> list[Case]:
    """The document's settings with the safety rule and without: 3x3 exactly, 4x4 by our games."""
    found = []
    for symmetric, kind in KINDS.items():
        on, off = (exact_record(symmetric, careful).matches for careful in ("yes", "no"))
        for side, (other, name) in product("xo", OPPONENTS.items()):
            setting = f"3x3, {kind}, as {side.upper()} against {name}"
            found.append(Case(setting, on[side, other], off[side, other]))
        for other, name in (("random", "random play"), ("uct@150", "search")):
            players = (f"spectral:symmetric={symmetric},safety={careful}" for careful in RULE)
            ruled, bare = (matches(player, other) for player in players)
            change = _changed_draws(ruled, bare)
            setting = f"4x4, {kind}, against {name}"
            found.append(Case(setting, _shares(ruled), _shares(bare), change))
    return found


OPPONENTS = {"random": "random play", "minimax": "perfect play"}
RULE = ("yes", "no")
"""Whether the safety rule is on: first with it, then without."""


def _shares(rows: pd.DataFrame) -> Outcome:
    """Shares of wins, draws and losses over all training runs."""
    total = int(rows["games"].sum())
    win, draw, loss = (Fraction(int(rows[end].sum()), total) for end in ("win", "draw", "loss"))
    return Outcome(win, draw, loss)


def _changed_draws(on: pd.DataFrame, off: pd.DataFrame) -> tuple[float, ...]:
    """By how much the rule raises the share of draws, training by training."""
    ruled, bare = (rows.set_index("seed") for rows in (on, off))
    change = ruled["draw"] / ruled["games"] - bare["draw"] / bare["games"]
    return tuple(change.sort_index())


def safety_costs_wins() -> Finding:
    """Whether switching the safety rule off increases wins in most settings (*often*)."""
    cases = [one for one in with_and_without() if max(one.on.win, one.off.win) > 0]
    gains = [float(one.off.win - one.on.win) for one in cases]
    more = sum(gain > 0 for gain in gains)
    return Finding(
        more > len(cases) / 2,
        f"more wins without the rule in {more} of {len(cases)} settings in which it wins any game, "
        f"with or without the rule; wins change by {min(gains):+.3f} to {max(gains):+.3f}",
        f"*Often* is read as in most of them. {SETTINGS} {_against_its_own()} Nor is it counted "
        "against itself on 3x3, where, "
        f"as X, {'; '.join(map(_against_itself, KINDS))}.",
    )


def _against_itself(symmetric: str) -> str:
    """How a player's game against itself on 3x3 ends, with the rule and without."""
    ruled, bare = (
        _told(exact_match(one, one, solve(GRID)))
        for one in (spectral(GRID, symmetric, careful) for careful in RULE)
    )
    told = (
        f"{ruled} either way" if ruled == bare else f"{ruled} with the rule and {bare} without it"
    )
    return f"the {KINDS[symmetric]} player {told}"


def _told(found: Outcome) -> str:
    """How an exact match ends for X."""
    certain = {found.win: "wins", found.draw: "draws", found.loss: "loses"}.get(Fraction(1))
    return certain or f"wins {float(found.win):.3f} and loses {float(found.loss):.3f}"


SETTINGS = (
    "Settings: 3x3, exactly, on either side against random and perfect play, and 4x4, by our "
    "games, against random play and a search of 150 iterations that works; with both kinds of "
    "features."
)


def _against_its_own() -> str:
    """What the rule changes against the document's own search, which is no search that works."""
    (won, lost), (bare_won, bare_lost) = (
        [_shares_kept("no", rule)[end] for end in (0, 2)] for rule in RULE
    )
    return (
        "Not counted: against the document's own search, rebuilt, standard features win "
        f"{won:.3f} with the rule and {bare_won:.3f} without, and lose {lost:.3f} and "
        f"{bare_lost:.3f}."
    )


def _shares_kept(symmetric: str, careful: str) -> Floats:
    """Shares of wins, draws and losses against that search with 150 iterations."""
    counts = np.sum(kept_matches(150, symmetric, careful), axis=0)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def safety_is_a_trade_off() -> Finding:
    """Whether switching the safety rule off buys wins with losses in most settings.

    Of those in which anything can be won.
    """
    cases = [one for one in with_and_without() if max(one.on.win, one.off.win) > 0]
    wins, losses = (
        [getattr(one.off, end) > getattr(one.on, end) for one in cases] for end in ("win", "loss")
    )
    both = sum(more and worse for more, worse in zip(wins, losses, strict=True))
    return Finding(
        both > len(cases) / 2,
        f"of {len(cases)} settings in which some game can be won, with or without the rule, "
        f"switching it off brings more wins in {sum(wins)}, more losses in {sum(losses)}, and both "
        f"in {both}",
        "A trade-off is read as the document goes on to describe it: without the rule more wins, "
        f"and more losses for them, in most settings. {SETTINGS} {_against_its_own()}",
    )


def safety_off_loses() -> Finding:
    """Whether switching the safety rule off increases losses in some setting (*can*)."""
    cases = with_and_without()
    rises = [float(one.off.loss - one.on.loss) for one in cases]
    return Finding(
        max(rises) > 0,
        f"more losses without the rule in {sum(rise > 0 for rise in rises)} of {len(cases)} "
        f"settings; losses change by {min(rises):+.3f} to {max(rises):+.3f}",
        f"*Can* is read as in one of them at least. {SETTINGS}",
    )


def safety_draws() -> Finding:
    """Whether the safety rule leads to more draws in most settings, beyond chance."""
    cases = with_and_without()
    changes = _surely_changed(cases)
    rises, falls = changes.count(1), changes.count(-1)
    weak = [change for one, change in zip(cases, changes, strict=True) if "random" in one.name]
    told = "; ".join(
        f"{one.name} {float(one.off.draw):.3f} to {float(one.on.draw):.3f}"
        + " (perhaps by chance)" * (change == 0)
        for one, change in zip(cases, changes, strict=True)
        if one.drawn_more < 0
    )
    answers = {in_most(changes), in_most(weak)}
    unsure = told.count("perhaps by chance")
    these = f"fewer, {unsure} of them perhaps by chance" if unsure else "fewer"
    return Finding(
        agreed(answers),
        f"of {len(cases)} settings the rule brings more draws in {rises} ({weak.count(1)} of "
        f"the {len(weak)} against random play), fewer in {falls}, and in "
        f"{len(cases) - rises - falls} neither beyond chance" + f"; {these}: {told}" * bool(told),
        "High is read as higher than without the rule in most settings; it is refuted if lower in "
        "most; and the same of those against random play alone, since elsewhere hardly anything "
        "can be won, so that draws are the losses avoided. On 3x3 every difference counts, as it "
        "is exact; on 4x4 one beyond chance "
        f"(paired t tests over the training runs, Holm). {SETTINGS} {_draw_rates(cases)}",
        tested=None in answers,
    )


def _draw_rates(cases: Sequence[Case]) -> str:
    """How high the rates of draws with the rule are by themselves, by kinds of opponents."""
    weak = [float(one.on.draw) for one in cases if "random" in one.name]
    strong = [float(one.on.draw) for one in cases if "random" not in one.name]
    told = f"{min(weak):.2f} to {max(weak):.2f} against random play"
    if strong:
        told += f", {min(strong):.2f} to {max(strong):.2f} against perfect play and search"
    return f"By itself the rate with the rule is {told}."


def _surely_changed(cases: Sequence[Case]) -> list[int]:
    """Whether the rule brings more draws (1), fewer (-1) or can't be told from chance (0)."""
    played = [one for one in cases if one.draws]
    found = [float(stats.ttest_1samp(one.draws, 0).pvalue) for one in played]
    p_values = iter(significance.holm([1.0 if math.isnan(p) else p for p in found]))
    sure = [next(p_values) < SIGNIFICANCE if one.draws else True for one in cases]
    return [int(np.sign(one.drawn_more)) * told for one, told in zip(cases, sure, strict=True)]


def safety_spares_losses() -> Finding:
    """Whether the safety rule leads to fewer losses and fewer misplayed states in every setting."""
    cases = with_and_without()
    fewer = sum(one.on.loss < one.off.loss for one in cases)
    misplayed = [[exact_record(kind, careful).misplayed for careful in RULE] for kind in KINDS]
    told = ", ".join(
        f"{off} to {on} ({kind})" for (on, off), kind in zip(misplayed, KINDS.values(), strict=True)
    )
    lost = exact_record().matches["o", "minimax"].loss
    return Finding(
        fewer == len(cases) and all(on < off for on, off in misplayed),
        f"fewer losses with the rule in {fewer} of {len(cases)} settings; states misplayed on 3x3, "
        f"rule off to rule on: {told}",
        f"Avoids is read as has fewer, in every setting; not all are avoided: as O on 3x3 it still "
        f"loses {lost} of its games to the perfect player. {SETTINGS}",
    )


# ---------------------------------------------------------------------------- larger boards


def matches(player: str, opponent: str) -> pd.DataFrame:
    """The stored matches on 4x4 of a player against an opponent, one row per training."""
    rows = table("spectral_games.csv")
    mine = (rows["player"] == player) & (rows["opponent"] == opponent) & (rows["board"] == "4x4")
    return rows[mine]


def triples(rows: pd.DataFrame) -> list[list[int]]:
    """Wins, draws and losses of each row."""
    found: list[list[int]] = rows[["win", "draw", "loss"]].to_numpy().tolist()
    return found


FOUR, ANY = "spectral_policy_4x4.py", "spectral_policy_nxn.py"
"""The document's programs for 4x4 and for every size."""

UNTOLD = (
    " The document does not say on what its quick check was trained; ours, here and in {other}, on "
    "400 states with 6 playouts per move, as its other matches on 4x4."
)
"""What the two rows of one quick check say of it."""


def against_search(
    opponent: str,
    printed: str,
    symmetric: str = "no",
    careful: str = "yes",
    again: str = "",
    quick: bool = False,
) -> Counts:
    """Our own matches against the document's own search on 4x4, rebuilt, training by training.

    What was printed came out of a program, so it is compared with that program's search; beside
    it stands what a search that works gives.

    Parameters
    ----------
    quick : bool
        Whether the published match is one of the quick check's.
    """
    kept = kept_matches(int(opponent.partition("@")[2]), symmetric, careful)
    sound = triples(matches(f"spectral:symmetric={symmetric},safety={careful}", opponent))
    played = sum(kept[0]) // MATCHES
    reason = (
        "The result of a program, so compared with its own search: that of "
        f"`{ANY if quick else FOUR}` ({ARCHIVED}), rebuilt, in {MATCHES} matches of {played} games "
        f"for each of {len(kept)} models. It credits results to the wrong player and keeps its "
        "statistics from game to game, so the match says nothing about strength against a sound "
        f"tree search: {_soundly(sound, printed)}" + UNTOLD.format(other="dct-n4-random") * quick
    )
    return Counts(
        kept,
        f"{reason} {in_both_places(printed, again)}" if again else reason,
        against="against the program's own search, rebuilt",
        beside=("against a UCT that works", sound),
    )


def _soundly(sound: list[list[int]], printed: str) -> str:
    """What a search that works makes of the same player, and of the printed match."""
    text = "-".join(str(sum(ends)) for ends in zip(*sound, strict=True))
    return (
        f"against one, in {sum(sound[0])} games for each of {len(sound)} training runs, ours "
        f"win, draw and lose {text}, where the printed match has p = "
        f"{p_value(Counts(sound), printed):.2g}."
    )


def kept_matches(iterations: int, symmetric: str, careful: str) -> list[list[int]]:
    """Wins, draws and losses against the document's own search, training by training."""
    rows = table("spectral_kept.csv")
    case = (rows["symmetric"] == symmetric) & (rows["safety"] == careful)
    mine = rows[case & (rows["iterations"] == iterations)]
    return triples(mine.groupby("seed")[["win", "draw", "loss"]].sum())


def against_random(player: str, quick: bool = False) -> Counts:
    """Our own matches against random play on 4x4, training by training.

    Parameters
    ----------
    quick : bool
        Whether the published match is one of the quick check's.
    """
    mine = matches(player, "random")
    wins = mine["win"]
    return Counts(
        triples(mine),
        f"100 games on alternating sides, as `{ANY if quick else FOUR}` plays "
        f"({ARCHIVED}), for each of {len(mine)} training runs, which win {wins.min()} to "
        f"{wins.max()}; the published games are those of one training."
        + (UNTOLD.format(other="dct-n4-mcts") + _larger_check(wins.mean()) if quick else ""),
    )


def _larger_check(wins: float) -> str:
    """How many games the quick check wins with the numbers of the document's command for N = 4."""
    states, playouts = printed("samples-n4").split()
    rows = matches("quick check", "random")
    chance = p_value(Counts(triples(rows)), printed("n4-random"))
    return (
        f" With the {states} states and {playouts} playouts of the document's command for `{ANY}` "
        f"with N = 4 they win {rows['win'].mean():.1f} of 100 on average, with these {wins:.1f}; "
        f"with the former the printed match would have p = {chance:.2g}."
    )


ALIKE = 0.05
"""The level that is usual elsewhere: here to reject less is to be stricter with the sentence."""


def modes_alike(wins: list[int], of: list[int]) -> Finding:
    """Whether chance explains the published differences between the modes, by Fisher's test.

    Parameters
    ----------
    wins, of : list of int
        Wins with standard and with symmetric features, opponent by opponent, and the number of
        games of each pair.
    """
    pairs = list(zip(wins[::2], wins[1::2], of, strict=True))
    p_values = [stats.fisher_exact([[a, n - a], [b, n - b]]).pvalue for a, b, n in pairs]
    texts = [
        f"{a} and {b} wins of {n}: p = {p:.2f}"
        for (a, b, n), p in zip(pairs, p_values, strict=True)
    ]
    ours = [matches(f"spectral:symmetric={s},safety=yes", "random")["win"] for s in ("no", "yes")]
    trainings = stats.mannwhitneyu(*ours).pvalue
    return Finding(
        bool(min(p_values) > ALIKE),
        "; ".join(texts),
        f"Read as p-values above {ALIKE}, the usual level. Games of one training are alike, so "
        "that chance explains even more than these p-values say. "
        f"Our {len(ours[0])} training runs per mode win {ours[0].mean():.1f} and "
        f"{ours[1].mean():.1f} of 100 games against random play: training by training "
        f"p = {trainings:.2g} (rank test).",
    )


@cache
def sound_search(iterations: int, games: int = 100) -> MatchResult:
    """Games of UCT, a search that works, against random play on 4x4."""
    grid = Grid(4)
    return match(uct(grid, iterations), random_agent(grid), games, rng=0)


def search_scores(iterations: int) -> Floats:
    """Scores of the document's search against random play, match by match: it has a memory.

    Returns
    -------
    ndarray of float64, shape (matches,)
    """
    rows = table("spectral_search.csv")
    mine = rows[rows["iterations"] == iterations]
    return np.asarray((mine["win"] + mine["draw"] / 2) / mine["games"], dtype=np.float64)


class Trend(NamedTuple):
    """How the score of a search goes with its number of iterations, by ranks over all matches."""

    correlation: float
    p_value: float
    matches: int
    fewest: int
    first: float
    most: int
    last: float


def search_trend(least: int = 0) -> Trend:
    """The rank correlation (Spearman) of the document's search's scores with its iterations.

    Parameters
    ----------
    least : int
        Only matches with at least so many iterations.
    """
    counts = table("spectral_search.csv")["iterations"]
    budgets = sorted(counts[counts >= least].unique().tolist())
    scores = [search_scores(count) for count in budgets]
    found = stats.spearmanr(np.repeat(budgets, [len(s) for s in scores]), np.concatenate(scores))
    (fewest, *_, most), (first, *_, last) = budgets, [float(s.mean()) for s in scores]
    matches = sum(len(s) for s in scores)
    return Trend(float(found.statistic), float(found.pvalue), matches, fewest, first, most, last)


def more_iterations_are_stronger(usual: int = 150, many: int = 1500) -> Finding:
    """Scores against random play with the document's 150 iterations and with ten times as many.

    By a search that works, which is what its text names, and by the copy of its program, of which
    other budgets are stored, too.  The copy alone decides nothing: its answer counts only where
    the text's own search gives it, too.
    """
    sound = [sound_scores(count) for count in (usual, many)]
    working, p_working = _by_ranks(*sound)
    copied, later = search_trend(), search_trend(usual)
    own = copied.correlation > 0 if copied.p_value < SIGNIFICANCE else None
    words = {True: "more", False: "less", None: "not clearly more or less"}
    return Finding(
        agreed({own, working}),
        f"against random play on 4x4 a search that works scores {sound[0].mean():.3f} with {usual} "
        f"iterations, {sound[1].mean():.3f} with {many:,} in {len(sound[0])} games (rank test, "
        f"p = {p_working:.2g}): {words[working]}",
        "The sentence is about an option of a program that does not come with the document. The "
        f"search of its programs ({ARCHIVED}) credits results to the wrong side and scores "
        f"{copied.first:.3f} with {copied.fewest} iterations and {copied.last:.3f} with "
        f"{copied.most:,} (rank correlation with their number {copied.correlation:+.2f} over "
        f"{copied.matches} matches, p = {copied.p_value:.2g}; from {usual} on "
        f"{later.correlation:+.2f} over {later.matches}, p = {later.p_value:.2g}): {words[own]}. "
        "Such a copy alone decides nothing: the sentence would be reproduced or refuted only if "
        "UCT, which the text names, and the copy gave one answer.",
        tested=own is working is None,
    )


@cache
@read_only
def sound_scores(iterations: int, games: int = 400) -> Floats:
    """Points of UCT, a search that works, against random play on 4x4, game by game."""
    found = sound_search(iterations, games)
    return np.repeat([1.0, 0.5, 0.0], [found.win, found.draw, found.loss])


def _by_ranks(before: Floats, after: Floats) -> tuple[bool | None, float]:
    """Whether scores of matches rise beyond chance, or fall (False); and the p-value."""
    p_value = float(stats.mannwhitneyu(before, after).pvalue)
    return (bool(after.mean() > before.mean()) if p_value < SIGNIFICANCE else None), p_value


class PrintedMatch(NamedTuple):
    """A match that the document prints, and who played it."""

    printed: str
    symmetric: str
    careful: str
    iterations: int

    @property
    def player(self) -> str:
        """The document's player, as the stored matches call it."""
        return f"spectral:symmetric={self.symmetric},safety={self.careful}"

    def chance(self, ours: Counts) -> float:
        """How probable the printed match is if its games are like ours: the p-value."""
        return p_value(ours, self.printed)


def printed_against_search() -> list[PrintedMatch]:
    """The four matches against its search that the document prints."""
    found = [declared(f"dct-{name}") for name in ("4-mcts", "4-sym-mcts", "off-mcts", "n4-mcts")]
    return [
        PrintedMatch(
            str(one.published),
            one.args.get("symmetric", "no"),
            one.args.get("careful", "yes"),
            int(one.args["opponent"].partition("@")[2]),
        )
        for one in found
    ]


CONSTANTS = (0.5, 1.0, 1.414, 2.0, 4.0)
"""Exploration constants that a UCT might have; the document names none."""


def against_uct(match_: PrintedMatch, c: float, games: int = 100) -> Counts:
    """Games of the same player against UCT with an exploration constant: one training run."""
    grid = Grid(4)
    agent = spectral(grid, match_.symmetric, match_.careful, "mc")
    found = match(agent, uct(grid, match_.iterations, c), games, rng=0)
    return Counts([[found.win, found.draw, found.loss]])


def search_is_uct() -> Finding:
    """Whether the opponent is UCT: plays as it does, by the printed matches, or is written so.

    Our players do against random play what the document prints of its own; so if its opponent
    played as UCT does, its matches would resemble ours against UCT, and if it were no search at
    all, ours against random play.  How its program is written is known from a copy of unknown
    origin only; but if it plays as UCT does, the sentence holds either way.
    """
    printed = printed_against_search()
    alike = _players_alike()
    found = [_rejected([one.chance(against_uct(one, c)) for one in printed]) for c in CONSTANTS]
    stored = [Counts(triples(matches(one.player, f"uct@{one.iterations}"))) for one in printed]
    p_values = [one.chance(ours) for one, ours in zip(printed, stored, strict=True)]
    idle = [one.chance(Counts(triples(matches(one.player, "random")))) for one in printed]
    least, fits = min(*found, _rejected(p_values)), min(alike) >= SIGNIFICANCE
    plays = (False if least else True if _rejected(idle) else None) if fits else None
    verb = {False: "fails", True: "holds", None: "stays open"}[plays]
    return Finding(
        plays or None,
        "if its opponent were UCT, the matches that it prints "
        f"({', '.join(one.printed for one in printed)}) would have p "
        f"{in_row(p_values)}; if it moved at random, p {in_row(idle)}",
        "*A minimal UCT implementation* may mean that it plays as UCT does, or that it is written "
        f"as UCT, faults included. The first {verb} by the document's own numbers: its matches "
        f"with random play {'fit' if fits else 'do not fit'} our players (p = "
        f"{', '.join(f'{p:.2g}' for p in alike)}), but {_how_many(least, len(printed))} rejected "
        "against UCT with each of the exploration constants "
        f"{', '.join(f'{c:g}' for c in CONSTANTS)} ({SIGNIFICANCE:g}, Holm). The second depends on "
        f"a program that does not come with the document. {ARCHIVED.capitalize()}, is "
        "written as UCT but credits each result to the wrong side: it scores "
        f"{float(search_scores(150).mean()):.3f} against random play, where UCT scores "
        f"{sound_search(150).score:.3f}. Such a copy can't settle a row. That the search is "
        "minimal is not judged.",
    )


def _how_many(rejected: int, of: int) -> str:
    """So many of the printed matches with its search, and the verb."""
    if not rejected:
        return f"not always one of its {of} matches with its search is"
    many = f"all {of}" if rejected == of else f"at least {rejected} of the {of}"
    return f"{many} matches with its search are"


def _players_alike() -> list[float]:
    """How probable the printed matches with random play are for our players on 4x4."""
    found = [declared(f"dct-{name}") for name in ("4-random", "4-sym-random", "n4-random")]
    return [p_value(against_random(one.args["player"]), str(one.published)) for one in found]


def _rejected(p_values: Sequence[float]) -> int:
    """How many tests reject, by Holm's procedure."""
    return sum(p < SIGNIFICANCE for p in significance.holm(p_values))


def competitive_with_search(modes: Sequence[str] = ("no",), ruled: bool = False) -> Finding:
    """Points per game against UCT with 150 iterations on 4x4, with the safety rule and without.

    An even score is 1/2; random play's points against the same search mark the lower end.

    Parameters
    ----------
    modes : sequence of {"no", "yes"}
        Kinds of features: whether they are averaged over the symmetries.
    ruled : bool
        Whether the sentence sums up matches with the rule; else it speaks of the player, which is
        judged as the document plays it by default: with the rule, too.
    """
    scores = [
        [points(matches(f"spectral:symmetric={mode},safety={rule}", "uct@150")) for mode in modes]
        for rule in RULE
    ]
    row = matches("uct", "random").iloc[0]
    lowest = (row["loss"] + row["draw"] / 2) / row["games"]
    near = [all(0.5 - score < score - lowest for score in some) for some in scores]
    kept = (_shares_kept(mode, "yes") for mode in modes)
    own = [float(win + draw / 2) for win, draw, _ in kept]
    with_rule, without, replayed = (_by_mode(some, modes) for some in (*scores, own))
    played = "as the matches that it sums up are played" if ruled else "the player's default"
    bare = "holds, too" if near[1] else "fails"
    return Finding(
        near[0],
        f"points per game (even: 0.5): {with_rule}; without the safety rule {without}",
        f"Read as nearer to an even score than to the {lowest:.3f} of random play, against a "
        f"search that works. Judged with the rule, {played}; without the rule it {bare}. "
        f"Against the document's own search, rebuilt, it is {replayed} with the rule, but that "
        "search loses even to random play, which scores "
        f"{1 - float(search_scores(150).mean()):.3f} against it. The rule holds the draws, not the "
        "model: random moves under it score "
        f"{points(matches('safety+random', 'uct@150')):.3f}.",
    )


def competitive() -> Finding:
    """The same against light tree search, and at least an even score against random play.

    The latter on 3x3, exactly, on either side, and on 4x4 by our games.
    """
    searched, (ruled, bare) = competitive_with_search(), map(_against_random, RULE)
    x, o, larger = (f"{score:.3f}" for score in ruled)
    without = ", ".join(f"{score:.3f}" for score in bare)
    return replace(
        searched,
        holds=bool(searched.holds and min(ruled) >= 0.5),
        found=f"{searched.found}; against random play on 3x3 as X {x}, as O {o}, on 4x4 {larger} "
        f"(without the rule {without})",
        reason=f"{searched.reason} Against random play it is read as at least an even score, and "
        f"without the rule {'holds, too' if min(bare) >= 0.5 else 'fails'}.",
    )


def _against_random(careful: str) -> list[float]:
    """Points per game of standard features against random play: 3x3 as X, as O, and 4x4."""
    found = exact_record(careful=careful).matches
    exact = [float(one.win + one.draw / 2) for one in (found["x", "random"], found["o", "random"])]
    return [*exact, points(matches(f"spectral:symmetric=no,safety={careful}", "random"))]


def _by_mode(scores: Sequence[float], modes: Sequence[str]) -> str:
    """Scores, each with its kind of features."""
    pairs = zip(scores, modes, strict=True)
    return ", ".join(f"{score:.3f} ({KINDS[mode]})" for score, mode in pairs)


def points(rows: pd.DataFrame) -> float:
    """Points per game of all matches: a draw is half a point."""
    return float((rows["win"].sum() + rows["draw"].sum() / 2) / rows["games"].sum())


def transfers() -> Finding:
    """Whether weights transferred from N to N + 1 win more than random ones of the same kind.

    Judged without the safety rule, as it is the weights that are transferred.
    """
    texts, p_values, means, ahead = _carried("no")
    ruled = [re.sub(r" \(.*?\)", "", text) for text in _carried("yes")[0]]
    index = " and ".join(f"{wins:.0f}" for wins in means)
    better = True if max(p_values) < SIGNIFICANCE / 2 else None
    return Finding(
        agreed({better, all(ahead)}),
        "; ".join(texts),
        "Symmetric weights, equal cells by index, no safety rule, sides alternating. To be worth "
        "something is read as to win more than random weights (one-sided rank tests over the "
        f"models, each at {SIGNIFICANCE / 2:g}), and as to win more on average than no weights "
        f"at all, the lowest index, which fills rows and wins {index}. The basis itself exists "
        f"for every N. With the rule {'; '.join(ruled)}.",
        tested=better is None and all(ahead),
    )


def generalizes() -> Finding:
    """Whether what is learned on larger boards is worth something there, in three readings.

    It wins more games against random play than it loses, more than random weights of the same
    kind, and more than no weights at all; without the safety rule.
    """
    texts, p_values, means, ahead = _carried("no", "trained there")
    rows = table("spectral_transfer.csv").query("safety == 'no' and player == 'trained there'")
    results = rows.groupby("board")[["win", "loss"]].mean()
    wins = bool((results["win"] > results["loss"]).all())
    clear = [name for name, p in zip(results.index, p_values, strict=True) if p < SIGNIFICANCE / 2]
    better = True if len(clear) == len(results) else None
    lost = " and ".join(f"{loss:.0f}" for loss in results["loss"])
    index = " and ".join(f"{won:.0f}" for won in means)
    agree = wins is all(ahead)
    told = " The readings disagree." * (not agree)
    ruled = [re.sub(r" \(.*?\)", "", text) for text in _carried("yes", "trained there")[0]]
    return Finding(
        agreed({wins, better, all(ahead)}),
        f"{'; '.join(texts)}; they lose {lost}",
        "That its steps can be taken on every N is so by the way they are defined. Whether the "
        "player that they make is worth something is tested on 4x4 and 5x5 only, with symmetric "
        "weights and no safety rule, in three ways. It wins "
        f"{'more' if wins else 'no more'} games against random play than it loses; clearly more "
        f"than random weights on {' and '.join(clear) or 'neither board'}"
        f"{' only' * (len(clear) == 1)} (one-sided rank tests, each at {SIGNIFICANCE / 2:g}); and "
        f"{'' if all(ahead) else 'no '}more on average than no weights at all, the lowest index, "
        f"which wins {index}.{told} With the rule {'; '.join(ruled)}.",
        tested=better is None and agree,
    )


def _carried(
    careful: str, player: str = "carried"
) -> tuple[list[str], list[float], list[float], list[bool]]:
    """Learned weights beside random ones, by board: texts, p-values, wins of the lowest index.

    And whether the learned weights win more than that.
    """
    words = {"carried": "carried weights", "trained there": "weights trained there"}[player]
    rows, texts, p_values, mine = table("spectral_transfer.csv"), [], [], []
    rows = rows[rows["safety"] == careful]
    for board in ("4x4", "5x5"):
        wins = rows[rows["board"] == board].groupby("player")["win"]
        own, drawn = (wins.get_group(name).to_numpy() for name in (player, "random weights"))
        p_values.append(float(stats.mannwhitneyu(own, drawn, alternative="greater").pvalue))
        mine.append(own.mean())
        texts.append(
            f"{board}: {words} win {own.mean():.0f} of 100 games, random ones "
            f"{drawn.mean():.0f} ({drawn.min()} to {drawn.max()}), p = {plain(p_values[-1])}"
        )
    free = rows[rows["player"] == "first free"].groupby("board")["win"].mean()
    ahead = [bool(own > none) for own, none in zip(mine, free, strict=True)]
    return texts, p_values, free.tolist(), ahead

"""Our side of the printed matches that a replay with the document's seed can compute.

Where an option of the command is missing, or rounding decides, the match is tested as a sample,
and its reason gives the replays of all readings, those that fit and those that don't.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import pandas as pd

from ttt_lib.evidence import significance
from ttt_lib.evidence.answers import Chances, Counts, Finding, Value, agreed
from ttt_lib.evidence.claims import declared
from ttt_lib.spectral.claims import ARCHIVED, table
from ttt_lib.spectral.claims_games import (
    ANY,
    FOUR,
    against_random,
    against_search,
    chances,
    chances_by_program,
    chances_sampled_labels,
)
from ttt_lib.spectral.seeded_replay import (
    ON_4X4,
    QUICK_3,
    QUICK_4,
    SEED,
    by_order,
    exact_labels,
    printed_matches,
    sampled_labels,
)

THREE = "spectral_policy_3x3.py"

PROGRAMS = {"dct-3-random": THREE, "dct-4-random": FOUR, "dct-4-mcts": FOUR}
"""Rows with all options in print and no ties, and the programs that their results come from."""

SAMPLES: dict[str, Callable[..., Chances | Counts]] = {
    "chances": chances,
    "chances_sampled_labels": chances_sampled_labels,
    "against_random": against_random,
    "against_search": against_search,
}


def replayed(match: str, sample: str, **args: Any) -> Value:
    """A printed match computed with its seed.

    Parameters
    ----------
    match : str
        The claim.
    sample : str
        The function that answers for the match as a sample, with its arguments: for the reason.
    """
    claim, ours = declared(match), printed_matches()[match]
    found = SAMPLES[sample](**args)
    tested, alike = significance.test(found, claim.published, claim.n), as_printed()
    exactly = f", by our exact chances ({tested.ours})" * isinstance(found, Chances)
    reason = found.reason.replace(f" ({ARCHIVED})", "")
    return Value(
        ours,
        f"`{PROGRAMS[match]}` ({ARCHIVED}) replayed with the document's seed, {SEED}: the same "
        f"random choices in the same order. Of the seeds from 0 to {len(alike) - 1}, "
        f"{alike[match].sum()} give the printed result. As a sample, without the seed{exactly}, "
        f"the printed match has p = {tested.p_value:.2g}. {reason}",
    )


@cache
def as_printed() -> pd.DataFrame:
    """Whether each stored seed gives each printed result, by seed and claim: bool."""
    rows = table("spectral_replays.csv").set_index("seed")
    return rows == pd.Series({match: declared(str(match)).published for match in rows})


def by_chance(*matches: str) -> float:
    """How often seeds give all of these printed results, if they are independent of each other."""
    return float(as_printed()[[*matches]].mean().to_numpy().prod())


class Readings(NamedTuple):
    """What is open about a printed match, and what a replay gives in each way to read it.

    Attributes
    ----------
    why : str
        Empty if the sample's own reason says it.
    in_orders : bool
        Whether the orders of summation are told, too.
    """

    why: str
    results: dict[str, Callable[[], str]]
    in_orders: bool = False


def _trained_on(which: int) -> dict[str, Callable[[], str]]:
    """A quick check with all numbers of states and playouts that the document has.

    Parameters
    ----------
    which : {0, 1, 2}
        The check for N = 3, that for N = 4 against random play, that against the search.
    """
    run = QUICK_4 if which else QUICK_3
    return {
        f"on {states} states with {playouts} playouts": partial(
            _one_of, which == 2, run._replace(states=states, playouts=playouts)
        )
        for states, playouts in ((QUICK_3.states, QUICK_3.playouts), (400, 6), (600, 8))
    }


def _one_of(search: bool, run: Any) -> str:
    return sampled_labels(run)[search]


def _by_any_program(careful: str) -> dict[str, Callable[[], str]]:
    """A match of ten games on 3x3, by either program."""
    run = QUICK_3._replace(careful=careful == "yes")
    exact = partial(exact_labels, 10, careful=careful)
    return {
        f"by `{THREE}`": exact,
        f"by `{ANY}` with labels `optimal`": partial(exact, alternate=True),
        f"by `{ANY}` with sampled labels, as for its quick check": partial(_one_of, False, run),
    }


TIES = (
    "Symmetric cells score exactly alike, and the program leaves the choice to the rounding of its "
    "machine."
)
CHECK = "On what the quick check was trained is not told with its result."
PROGRAM = "The document does not say which of its programs played."
INDEX = "if the lowest index is taken"
AVERAGED = ON_4X4._replace(symmetric=True)

OPEN = {
    "dct-3-sym-random": Readings(TIES, {INDEX: partial(exact_labels, 30, symmetric="yes")}),
    "dct-4-sym-random": Readings(TIES, {INDEX: partial(_one_of, False, AVERAGED)}),
    "dct-4-sym-mcts": Readings(TIES, {INDEX: partial(_one_of, True, AVERAGED)}, in_orders=True),
    "dct-n3-random": Readings(CHECK, _trained_on(0)),
    "dct-n4-random": Readings("", _trained_on(1)),
    "dct-n4-mcts": Readings("", _trained_on(2)),
    "dct-on-random": Readings(PROGRAM, _by_any_program("yes")),
    "dct-off-random": Readings(PROGRAM, _by_any_program("no")),
    "dct-off-mcts": Readings(
        "Its choices depend on how many games against random play came before, which is not told "
        f"({ON_4X4.games} are printed for its other matches on 4x4).",
        {
            f"after {games} games": partial(
                _one_of, True, ON_4X4._replace(games=games, careful=False)
            )
            for games in (0, 10, 20, 25, 50, 100)
        },
    ),
}
"""All other matches that depend on chance."""


ORDERS = 60
"""In how many orders a score is summed where rounding decides."""


@cache
def summed() -> tuple[tuple[str, str], ...]:
    """Both matches of symmetric features on 4x4, in each of ``ORDERS`` orders."""
    return by_order(AVERAGED, ORDERS)


@cache
def results(match: str) -> tuple[tuple[str, str], ...]:
    """The ways to read a match of ``OPEN``, and what a replay gives in each."""
    found = [(said, result()) for said, result in OPEN[match].results.items()]
    if OPEN[match].in_orders:
        counts = Counter(searched for _, searched in summed())
        found += [
            (f"in {count} of {ORDERS} orders of summation", result)
            for result, count in sorted(counts.items())
        ]
    return tuple(found)


def both_as_printed() -> str:
    """How many orders of summation give both printed matches of symmetric features on 4x4."""
    random, search = (str(declared(f"dct-4-sym-{name}").published) for name in ("random", "mcts"))
    count = summed().count((random, search))
    return (
        f"{count or 'None'} of these {ORDERS} orders give{'s' * (count == 1)} this match as "
        f"printed and the printed {random} against random play, too."
    )


def with_readings(match: str, sample: str, **args: Any) -> Chances | Counts:
    """The answer for a match as a sample, with its replays in the reason.

    Parameters
    ----------
    match : str
        The claim.
    sample : str
        The function that answers, with its arguments.
    """
    found = SAMPLES[sample](**args)
    told = "; ".join(f"{result} {said}" for said, result in results(match))
    found = replace(
        found,
        reason=" ".join(filter(None, (found.reason, OPEN[match].why)))
        + f" Replayed with the document's seed, {SEED}: {told}.",
    )
    if OPEN[match].in_orders:
        return replace(found, reason=f"{found.reason} {both_as_printed()}")
    if OPEN[match].why == PROGRAM and isinstance(found, Chances):
        readings = chances_by_program(args.get("careful", "yes"))
        return replace(found, reason=f"{found.reason} {_by_three(match)}", readings=readings)
    return found


def _by_three(match: str) -> str:
    """Whether the program that plays the perfect player, too, gives a match when it is replayed."""
    gives = dict(results(match))[f"by `{THREE}`"] == declared(match).published
    return (
        f"By its list of files only `{THREE}` has the perfect player that stands beside this "
        f"match; its replay {'gives it' if gives else 'does not give it'}."
    )


def readings() -> pd.DataFrame:
    """Every match of ``OPEN``: as printed, and the ways to read it that fit and that don't.

    Returns
    -------
    DataFrame
        With columns ``printed``, ``as printed`` and ``otherwise``, by claim.
    """
    rows = {}
    for match, found in ((match, results(match)) for match in OPEN):
        printed = str(declared(match).published)
        fits = [said for said, result in found if result == printed]
        rest = [f"{result} {said}" for said, result in found if result != printed]
        rows[match] = {
            "printed": printed,
            "as printed": "; ".join(fits) or "-",
            "otherwise": "; ".join(rest) or "-",
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def combinations_to_choose_from() -> int:
    """How many combinations of readings the seven matches of a stored replay were chosen from.

    The quick checks have one training, read in three ways; so have the ten games on 3x3.
    """
    return len([*product(results("dct-n4-random"), results("dct-off-random"))])


def selections_to_choose_from() -> int:
    """How many sets of as many matches there are among those that leave no tie to rounding."""
    free = len(PROGRAMS) + sum(one.why != TIES for one in OPEN.values())
    return math.comb(free, as_printed().shape[1])


# ---------------------------------------------------------------------------- other seeds


@cache
def wins_by_seed() -> pd.DataFrame:
    """The wins of each stored replay, by seed and claim: int."""
    rows = table("spectral_replays.csv").set_index("seed")
    return pd.DataFrame({match: rows[match].str.split("-").str[0].astype(int) for match in rows})


def printed_wins(match: str) -> int:
    """The wins of a match as the document prints it."""
    return int(str(declared(match).published).split("-")[0])


TAILS = (0.05, 0.1)
"""What share of seeds must have a result as rare as the printed ones: two limits of ours."""


def representative() -> Finding:
    """Whether other seeds often have a match as rare as the rarest of those that are printed.

    A match is as rare as the share of seeds that win as little, or as much, if these are fewer.
    """
    wins = wins_by_seed()
    found = {
        str(match): [
            int(ends.sum())
            for own in [printed_wins(str(match))]
            for ends in (wins[match] <= own, wins[match] >= own)
        ]
        for match in wins
    }
    odd = min(found, key=lambda name: min(found[name]))
    few, some = found[odd]
    ends = [wins.rank(method="max", ascending=up) for up in (True, False)]
    rarest = pd.concat(ends, axis=1).min(axis=1)
    share = float((rarest <= min(few, some)).mean())
    told = ", ".join(
        f"{low / len(wins):.0%} and {high / len(wins):.0%} ({declared(name).published})"
        for name, (low, high) in found.items()
    )
    said = [f"{'more' if share > tail else 'not more'} than {tail:.0%}" for tail in TAILS]
    reading = f" It is replayed in the reading that fits (`{odd}`)." * (odd in OPEN)
    return Finding(
        agreed({share > tail for tail in TAILS}),
        f"share of {len(wins)} seeds that win at most as many games as printed, and at least as "
        f"many: {told}",
        "Judged by the matches that other seeds replay, all together: the rarest is "
        f"{declared(odd).published} ({min(few, some) / len(wins):.0%} win as "
        f"{'little' if few < some else 'much'}), and {share:.0%} of the seeds have one at least as "
        f"rare, {' and '.join(said)}, two limits of ours.{reading}",
    )


SLIGHTLY = 1
"""Wins of ten games by which a number that varies slightly may change: our limit."""

MOST_RUNS = 0.9
"""The share of runs in which it has to change by no more."""


def varies_slightly() -> Finding:
    """Whether ten games on 3x3 without the rule change a little with other seeds, by two limits."""
    match = "dct-off-random"
    wins, own = wins_by_seed()[match], printed_wins(match)
    near, wider = (float(((wins - own).abs() <= by).mean()) for by in (SLIGHTLY, SLIGHTLY + 1))
    answers = near >= MOST_RUNS, wider > 1 / 2
    first, second = ("holds" if answer else "fails" for answer in answers)
    return Finding(
        agreed({*answers}),
        f"safety OFF against random play on 3x3, printed {declared(match).published}: with "
        f"{len(wins)} seeds {wins.min()} to {wins.max()} wins, {near:.0%} within {SLIGHTLY} of the "
        f"printed and {wider:.0%} within {SLIGHTLY + 1}",
        "With the same seed, as the document says of reproducibility (`dct-no-randomness`), "
        "nothing varies, which the sentence allows; so other seeds decide. The limit is open: as "
        f"by at most {SLIGHTLY} win of ten in {MOST_RUNS:.0%} of the runs it {first}, as by at "
        f"most {SLIGHTLY + 1} in most runs it {second}. Of the block's results on 3x3 this varies "
        "most; those against perfect play never do.",
    )

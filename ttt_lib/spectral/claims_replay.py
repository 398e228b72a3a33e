"""Our side of the printed matches that a replay with the document's seed computes.

Where a setting is missing, or rounding decides, the match is tested as a sample, and its reason
says what a replay tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from ttt_lib.evidence import sampling
from ttt_lib.evidence.answers import Chances, Counts, Value
from ttt_lib.evidence.claims import declared
from ttt_lib.spectral.claims import ARCHIVED, table
from ttt_lib.spectral.claims_games import (
    ANY,
    FOUR,
    against_random,
    against_search,
    chances,
    chances_sampled_labels,
)
from ttt_lib.spectral.replay import (
    LARGER,
    QUICK,
    QUICK_LARGER,
    SEED,
    exact_labels,
    printed_matches,
    sampled_labels,
)

THREE = "spectral_policy_3x3.py"

PROGRAMS = {
    "dct-3-random": THREE,
    "dct-4-random": FOUR,
    "dct-4-mcts": FOUR,
    "dct-n3-random": ANY,
}
"""Rows with all settings in print and no ties, and the programs that the results come from."""

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
    p_value = sampling.test(found, claim.published, claim.n).p_value
    return Value(
        ours,
        f"`{PROGRAMS[match]}` ({ARCHIVED}) replayed with the document's seed, {SEED}: the same "
        f"random draws in the same order. {_rarity(match)} As a sample, without the seed, the "
        f"printed match has p = {p_value:.2g}. {found.reason}",
    )


def _rarity(match: str) -> str:
    """Of how many seeds the replay prints this result, and all results together."""
    alike = _as_printed()
    every = alike.index[alike.all(axis=1)].tolist()
    seeds = " and ".join(map(str, every)) or "none"
    return (
        f"Of the seeds from 0 to {len(alike) - 1}, {alike[match].sum()} give the printed result; "
        f"all {alike.shape[1]} results that we can replay come out as printed with {seeds} only."
    )


@cache
def _as_printed() -> pd.DataFrame:
    """Whether each seed gives each printed result, by seed and claim: bool."""
    rows = table("spectral_replays.csv").set_index("seed")
    return rows == pd.Series({match: declared(str(match)).published for match in rows})


def told_beside(note: str, sample: str, **args: Any) -> Chances | Counts:
    """The answer for a match as a sample, with what a replay tells in its reason.

    Parameters
    ----------
    note : str
        Which replay: a key of ``NOTES``.
    sample : str
        The function that answers, with its arguments.
    """
    found = SAMPLES[sample](**args)
    return replace(found, reason=f"{found.reason} {NOTES[note]()}")


@cache
def _quick_larger() -> str:
    """The quick check for N = 4 with all numbers of states and playouts that the document has."""
    told = [
        f"{' and '.join(sampled_labels(QUICK_LARGER._replace(states=states, playouts=playouts)))} "
        f"on {states} states with {playouts}"
        for states, playouts in ((QUICK.states, QUICK.playouts), (400, 6), (600, 8))
    ]
    return (
        f"Replayed with the document's seed, {SEED}, `{ANY}` gives against random play and "
        f"against its search {', '.join(told)}; the first are the numbers of the quick run for "
        "N = 3."
    )


@cache
def _safety() -> str:
    """The matches on 3x3 with the rule and without, by either program."""
    exact = [exact_labels(10, careful=careful) for careful in ("yes", "no")]
    quick = [sampled_labels(QUICK._replace(careful=careful))[0] for careful in (True, False)]
    return (
        "The document does not say which of its programs played. Replayed with its seed, "
        f"{SEED}, `{THREE}` gives {exact[0]} with the rule and {exact[1]} without, `{ANY}` "
        f"(trained as for its quick check) {quick[0]} and {quick[1]}."
    )


@cache
def _ties_on_3x3() -> str:
    """The match on 3x3 with symmetric features."""
    return _by_index(exact_labels(30, symmetric="yes"))


@cache
def _ties_on_4x4() -> str:
    """The matches on 4x4 with symmetric features."""
    return _by_index(" and ".join(sampled_labels(LARGER._replace(symmetric=True))))


def _by_index(results: str) -> str:
    """What a replay gives that takes the lowest of equal cells, as rounding can't be replayed."""
    return (
        "Symmetric cells score exactly alike, and the program leaves the choice to the rounding of "
        f"its machine. Replayed with the document's seed, {SEED}, and the lowest index instead it "
        f"gives {results}."
    )


@cache
def _memory() -> str:
    """The match without the rule, whose draws depend on the games played before it."""
    before = (0, 10, 20, 25, 50, 100)
    runs = [LARGER._replace(games=games, careful=False) for games in before]
    ours = [sampled_labels(run)[1] for run in runs]
    pairs = list(zip(before, ours, strict=True))
    told = [
        f"{result} after {', '.join(str(games) for games, one in pairs if one == result)}"
        for result in dict.fromkeys(ours)
    ]
    return (
        f"Replayed with the document's seed, {SEED}, the result depends on how many games against "
        f"random play come before, which is not told: {'; '.join(told)}."
    )


NOTES = {
    "quick larger": _quick_larger,
    "safety": _safety,
    "ties on 3x3": _ties_on_3x3,
    "ties on 4x4": _ties_on_4x4,
    "memory": _memory,
}

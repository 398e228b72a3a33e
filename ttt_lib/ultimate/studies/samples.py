"""A part of each long run of document 5, recomputed to compare with what is stored."""

from __future__ import annotations

import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.ultimate.studies import (
    delays,
    endgames,
    equal_time,
    hybrid,
    transition,
    uct_constant,
    yardstick,
    yardstick_scores,
)
from ttt_lib.ultimate.studies.matches import PAIRS
from ttt_lib.ultimate.studies.rating import FILE as RATING
from ttt_lib.ultimate.studies.rating import ladder, net_name
from ttt_lib.ultimate.studies.rating import play as play_rated
from ttt_lib.ultimate.studies.strength import TABLE as STRENGTH
from ttt_lib.ultimate.studies.strength import plan, play


def solver() -> Sample:
    """The positions of the first three games."""
    found = endgames.time_solver(3, endgames.LIMITS)
    table = store.read_table("ultimate_solver.csv")
    return Sample(found, table.iloc[: len(found)], 3 / endgames.GAMES)


def variants() -> Sample:
    """The positions of the first three games, without a table and with symmetric keys."""
    names = ("symmetric keys", "no table")
    found, table = endgames.make_variants(3, names), store.read_table("ultimate_variants.csv")
    same = table.variant.isin(names) & (table.number <= found.number.max())
    return Sample(found, table[same], 3 / 120)


def bounds() -> Sample:
    """The bounds of at most 35 plies, for a corner and an edge."""
    table, most = delays.read(), 35
    plies = [bound for bound in delays.PLIES if bound <= most]
    found = pd.DataFrame([delays.ask(kind, bound) for kind in delays.LASTS for bound in plies])
    return Sample(found, table[table.plies <= most], len(found) / len(table))


def yardstick_positions() -> Sample:
    """The first games: position, status and the outcome of every move."""
    found = yardstick.make_yardstick(6)
    table = store.read_table(yardstick.FILE)
    return Sample(found, table.iloc[: len(found)], 6 / len(table))


def scores() -> Sample:
    """Three fast players, in all positions."""
    table = store.read_table(yardstick_scores.FILE)
    measure, asked = yardstick.read(), yardstick_scores.players()
    found, names = [], [("random", 0), ("policy alone", 0), ("net", 25)]
    for who in names:
        regrets = measure.regrets(measure.ask(asked[who], rng=0))
        found += yardstick_scores.rows(*who, regrets, regrets, measure.cells)
    kept = table[[who in names for who in zip(table.player, table.simulations, strict=True)]]
    columns = ["player", "simulations", "cells", "optimal", "one", "two"]
    return Sample(pd.DataFrame(found)[columns], kept[columns])


def rating() -> Sample:
    """The matches of UCT with 10 iterations against random play, and of the two quickest nets."""
    matches = [ladder()[0], (net_name(50), net_name(25))]
    columns = ["player", "opponent", "games", "win", "draw", "loss", *PAIRS]
    table = store.read_table(RATING).set_index(["player", "opponent"]).loc[matches].reset_index()
    return Sample(pd.DataFrame([play_rated(*m) for m in matches])[columns], table[columns])


def strength() -> Sample:
    """The match against random play at the fewest simulations."""
    table, first = store.read_table(STRENGTH), plan()[0]
    found = pd.DataFrame([play(first)])
    columns = ["simulations", "opponent", "games", "win", "draw", "loss"]
    same = (table.opponent == first.opponent) & (table.simulations == first.simulations)
    return Sample(found[columns], table[same][columns])


def with_solver() -> Sample:
    """The quickest match of the hybrid against the net alone."""
    found = pd.DataFrame([hybrid.against_net(50, 15, 50, hybrid.GAMES)])
    return Sample(found, store.read_table(hybrid.FILE).iloc[:1])


def equal_times() -> Sample:
    """The match against the most simulations, with the last seed."""
    table, rows = store.read_table(equal_time.TABLE), len(equal_time.RIVALS) * len(equal_time.SEEDS)
    found = pd.DataFrame([equal_time.play(equal_time.RIVALS[-1], equal_time.SEEDS[-1])])
    return Sample(found, table.iloc[-1:], 1 / rows)


def uct_constants() -> Sample:
    """The last opening for tuning with the largest constant, and the table's last."""
    table, last = store.read_table(uct_constant.TABLE), uct_constant.CONSTANTS[-1]
    tuned = table[table.c == last].iloc[-1:]
    jobs = [(last, uct_constant.USUAL, uct_constant.TUNING[-1]),
            (None, uct_constant.USUAL, uct_constant.REPORT[-1])]  # fmt: skip
    found = pd.DataFrame([uct_constant.play(*job) for job in jobs])
    return Sample(found, pd.concat([tuned, table.iloc[-1:]]), len(jobs) / len(table))


def transitions() -> Sample:
    """The first games."""
    games = 40
    table = store.read_table(transition.TABLE)
    found = transition.make_transition(games)
    return Sample(found, table.iloc[:games], games / len(table))

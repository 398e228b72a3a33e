"""What the faults cost, measured with the stored network: one long table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import timed
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, choose, random_agent
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import empty, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.replay_buffer import Samples, phase_weights, weights_of
from ttt_lib.ultimate.learn.trainer import play_settings
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search import puct_table
from ttt_lib.ultimate.search.puct_table import TableSearch, table_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import OPENING_PLIES
from ttt_lib.ultimate.studies.ablations import BASE
from ttt_lib.ultimate.studies.endgames import uct_games
from ttt_lib.ultimate.studies.plain_search import (
    GAME,
    SearchVariant,
    blunders,
    chances,
    grow,
    plain_agent,
    untrained,
    wins,
)

FILE = "ultimate_exhibits.csv"
SIMULATIONS = 200
SIGN, BATCH, TEMPERATURE, OPENINGS, PHASES, SHALLOW = (
    "sign", "batches", "temperature", "openings", "phases", "shallow search",
)  # fmt: skip
BATCHES = (1, 8, 16, 32)
PUBLISHED_TEMPERATURES = (1.0, 0.65, 0.3)

Row = dict[str, Any]


def row(exhibit: str, setting: str, quantity: str, value: float, n: int) -> Row:
    """One measured number; ``n`` is the number of games, positions or moves behind it."""
    return {"exhibit": exhibit, "setting": setting, "quantity": quantity, "value": value, "n": n}


def table(tables: Tables, scale: float = 1.0) -> pd.DataFrame:
    """Measure every exhibit; ``scale`` multiplies the games and positions.

    Returns
    -------
    DataFrame
        Columns exhibit, setting, quantity, value, n.
    """
    parts: tuple[Callable[[Tables, float], Iterator[Row]], ...] = (
        sign_rows, batch_rows, temperature_rows, opening_rows, phase_rows, shallow_rows,
    )  # fmt: skip
    bar = tqdm(parts, unit="exhibit")
    return pd.DataFrame([found for part in bar for found in part(tables, scale)])


def make_exhibits() -> pd.DataFrame:
    """Regenerate the stored table, with the stored network; some seven CPU-minutes."""
    return table(stored_tables())


def read(exhibit: str) -> pd.DataFrame:
    """One exhibit of the stored table, as :func:`wide` arranges it."""
    return wide(store.read_table(FILE), exhibit)


def wide(found: pd.DataFrame, exhibit: str) -> pd.DataFrame:
    """One exhibit with settings as rows and quantities as columns, in the order of the table."""
    chosen = found[found["exhibit"] == exhibit]
    numbers = chosen.pivot(index="setting", columns="quantity", values="value")
    return numbers.loc[chosen["setting"].unique(), chosen["quantity"].unique()]


def round_to_even(games: float) -> int:
    """The nearest even number of games, so that they can be paired."""
    return 2 * max(1, round(games / 2))


def sign_rows(tables: Tables, scale: float) -> Iterator[Row]:
    """The wrong sign: scores, wins in one that are missed, losses in one that are not blocked."""
    trained = puct_table.evaluator(tables)
    players: dict[str, Agent] = {
        f"{name} sign, {net} network": plain_agent(evaluator, SIMULATIONS, SearchVariant(sign=sign))
        for net, evaluator in (("new", untrained), ("trained", trained))
        for name, sign in (("right", 1), ("wrong", -1))
    }
    players["ours"] = table_agent(tables, SIMULATIONS)
    winning, threatened = tasks(max(2, round(200 * scale)))
    for name, agent in players.items():
        for rival, other in (("random", random_agent(GAME)), ("UCT 100", uct(GAME, 100))):
            games = round_to_even(60 * scale)
            score = match(agent, other, games, rng=0, openings=OPENING_PLIES).score
            yield row(SIGN, name, f"score against {rival}", score, games)
        rng = np.random.default_rng(0)
        missed = [choose(agent, state[None], rng)[0] not in wins(state) for state in winning]
        given = [choose(agent, state[None], rng)[0] in blunders(state) for state in threatened]
        yield row(SIGN, name, "wins in one missed", float(np.mean(missed)), len(missed))
        yield row(SIGN, name, "losses in one not blocked", float(np.mean(given)), len(given))


def tasks(count: int) -> tuple[list[States], list[States]]:
    """States with a win in one; states without, where some but not all moves allow one."""
    winning: list[States] = []
    threatened: list[States] = []
    for states in uct_games(20 * count, rng=7, simulations=50):
        late = states[playable(states) <= 40]
        won = [state for state in late if wins(state)]
        open_ = [state for state in late if not wins(state)]
        winning += won[:1]
        threatened += [s for s in open_ if 0 < len(blunders(s)) < GAME.legal(s[None]).sum()][:1]
        if min(len(winning), len(threatened)) >= count:
            break
    return winning[:count], threatened[:count]


def batch_rows(tables: Tables, scale: float) -> Iterator[Row]:
    """Leaves in batches: different nodes that 200 simulations reach, and scores."""
    evaluator = puct_table.evaluator(tables)
    states = np.concatenate(list(uct_games(max(1, round(10 * scale)), rng=8, simulations=50)))
    states = states[playable(states) > 20][::5]
    for batch in BATCHES:
        for loss in (False, True)[: 1 + (batch > 1)]:
            variant = SearchVariant(batch=batch, virtual_loss=loss)
            kind = "virtual loss" if loss else "none"
            name = f"{batch}, {kind}" if batch > 1 else "one by one"
            nodes = [grow(state, evaluator, SIMULATIONS, variant)[1] for state in states]
            yield row(BATCH, name, "different nodes", float(np.mean(nodes)), len(states))
            games = round_to_even(400 * scale)
            score = match(
                plain_agent(evaluator, SIMULATIONS, variant),
                uct(GAME, 1000),
                games,
                openings=OPENING_PLIES,
            ).score
            yield row(BATCH, name, "score against UCT 1,000", score, games)


def games_played(tables: Tables, count: int, **changes: Any) -> Samples:
    """Self-play in which every move is searched fully and recorded."""
    stage = BASE.training.stages[0]
    settings = play_settings(BASE, stage)._replace(share=1.0, **changes)
    return self_play(tables, count, settings, rng=3)


def temperature_rows(tables: Tables, scale: float) -> Iterator[Row]:
    """How often the most visited move is drawn: as the schedule says, and as the program draws."""
    visits = games_played(tables, max(1, round(100 * scale))).visits.astype(float)
    for temperature in PUBLISHED_TEMPERATURES:
        for unheeded, how in ((False, "as scheduled"), (True, "as played")):
            best = chances(visits, temperature, unheeded=unheeded).max(axis=1).mean()
            name = f"temperature {temperature:g}"
            yield row(TEMPERATURE, name, f"best move, {how}", float(best), len(visits))


def opening_rows(tables: Tables, scale: float) -> Iterator[Row]:
    """Share of legal moves that searches try, and different positions per self-play game, by ply.

    Positions are counted up to symmetry, over the games that were searched at that ply.
    """
    games = max(2, round(400 * scale))
    settings = {
        "noise and random openings": {"noise": 0.25, "opening": 6},
        "noise": {"noise": 0.25, "opening": 0},
        "neither": {"noise": 0.0, "opening": 0},
        "neither, temperature 0.3": {"noise": 0.0, "opening": 0, "temperature": 0.3},
    }
    for name, changes in settings.items():
        states, visits, _ = games_played(tables, games, **changes)
        tried = (visits > 0).sum() / GAME.legal(states).sum()
        yield row(OPENINGS, name, "legal moves tried", float(tried), len(states))
        stones = np.bitwise_count(states[:, :18]).sum(axis=1)
        for ply in (2, 4, 8, 12):
            here = symmetry.canonical(states[stones == ply])
            share = len(np.unique(here, axis=0)) / max(len(here), 1)
            yield row(OPENINGS, name, f"ply {ply}", share, len(here))


def phase_rows(tables: Tables, scale: float) -> Iterator[Row]:
    """Share of self-play positions whose weight changes if all empty cells are counted."""
    states = games_played(tables, max(1, round(100 * scale))).states
    right = phase_weights(states)
    wrong = right != weights_of(empty(states))
    yield row(PHASES, "all empty cells counted", "wrong weight", float(wrong.mean()), len(states))


def shallow_rows(tables: Tables, scale: float) -> Iterator[Row]:
    """The document's shallow search at 16 to 45 cells beside tree search of the same positions."""
    solver = DTWSolver()
    states = games_played(tables, max(1, round(60 * scale)), opening=6).states
    states = states[(playable(states) > 15) & (playable(states) <= 45)][::7]
    solver.get_best_winning_move(states[0])  # compiles
    found, spent = 0, 0.0
    for state in states:
        solver.table.clear()
        seconds, move = timed(partial(solver.get_best_winning_move, state))
        found, spent = found + (move is not None), spent + seconds
    searching, proven = timed(
        lambda: sum(TableSearch(GAME, s, tables).run(SIMULATIONS).proven == 1 for s in states)
    )
    ratio = spent / searching
    name = "depth 8 at 16 to 45 cells"
    yield row(SHALLOW, name, "time, in searches of 200 simulations", ratio, len(states))
    yield row(SHALLOW, name, "wins found", found / len(states), len(states))
    yield row(SHALLOW, name, "wins proven by 200 simulations", proven / len(states), len(states))

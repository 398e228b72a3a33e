"""What answers the claims of document 5, on other data: verdicts could have come out otherwise."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from claim_answers import Claim, Parts, Patch, always, answer, checks_of, in_turn, made

from ttt_lib.evidence.claims import declared
from ttt_lib.ultimate import (
    claims,
    claims_network,
    claims_settings,
    claims_training,
    config,
    players,
)
from ttt_lib.ultimate.board import rules, symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import FORCED, States
from ttt_lib.ultimate.config import NetworkConfig, TrainingConfig
from ttt_lib.ultimate.learn.networks import evaluator_of
from ttt_lib.ultimate.learn.replay_buffer import phase_weights
from ttt_lib.ultimate.network.resnet import AlphaZeroNet, planes
from ttt_lib.ultimate.players import AlphaZeroAgent, stored_tables
from ttt_lib.ultimate.search.hybrid import QUICK, SOLVED, Hybrid
from ttt_lib.ultimate.solver import table
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver, Solution
from ttt_lib.ultimate.studies import (
    agents,
    cost,
    endgames,
    eviction,
    gpu_cost,
    matches,
    plain_search,
    random_games,
)

GAME, NET = Ultimate(), AlphaZeroNet(NetworkConfig(1, 4, 2))
FIRST = GAME.play(GAME.initial(), np.array([0]))
"""After a move in the corner: 1, 2, 9, 10, 11, 18, 19 and 20 are legal."""


def at_first(answer: object, later: Callable[..., Any]) -> Callable[..., Any]:
    """Another answer the first time, and only then."""
    answers = chain([always(answer)], repeat(later))
    return lambda *given: next(answers)(*given)


def times(**columns: float) -> Callable[[], pd.DataFrame]:
    row = {"positions": 9.0, "solved": 1.0, "median ms": 1.0, "p99 ms": 1.0} | columns
    return always(pd.DataFrame([row, row], index=[15, 20]))


def evicting(lru: float, work: float) -> Callable[..., Any]:
    """Nodes with two rules of eviction and two sizes of table, alike in the larger one."""
    names = [
        (size, rule) for size in (7000, 8000) for rule in ("least recently used", "least work")
    ]
    rows = [(mean, mean - 0.01, mean + 0.01) for mean in (lru, work, 1.0, 1.0)]
    index = pd.MultiIndex.from_tuples(names)
    return always(pd.DataFrame(rows, index=index, columns=["mean", "low", "high"]))


TOTALS = 2, {(size, rule): 1.0 for size in (7000, 8000)
             for rule in ("least recently used", "least work")}  # fmt: skip
"""Endgames, and their nodes together by size of table and rule."""


def numbers(*cells: int) -> Parts:
    """States that are numbers, each that of its playable cells."""
    return {"playable": np.asarray, "cost.sample_states": always(np.array(cells))}


def training(**changes: Any) -> Parts:
    return {"TrainingConfig": always(replace(TrainingConfig(), **changes))}


def near_the_end(net: int, uct: int, asked: int = 100) -> pd.DataFrame:
    """Scores in which both players made so many optimal moves; other rows favour the other one."""
    rows = [
        (player, simulations, cells, right, asked - right, 0)
        for player, optimal in (("net", net), ("uct", uct))
        for simulations, cells, right in (
            (100, 20, optimal), (100, 25, optimal), (100, 26, asked - optimal),
            (100, 19, asked - optimal), (200, 22, asked - optimal),
        )
    ]  # fmt: skip
    columns = ["player", "simulations", "cells", "optimal", "one", "two"]
    return pd.DataFrame(rows, columns=columns)


SAMPLED = cache(cost.sample_states)
FAULTS = ["positions", "result", "distance", "move"]
PLY = always(pd.DataFrame({"plies": {"standard": 1.0}}))
SAVING = always(pd.DataFrame({"kind": ["all positions"] * 5 + ["a few", "random games"],
                              "ply": [0, 1, 2, 3, 4, 1, 4], "saving": 2.0}))  # fmt: skip


def value_head(last: torch.nn.Module, outputs: int = 1) -> Parts:
    """Networks whose value heads end in this function, with so many outputs."""

    def net(_: object) -> AlphaZeroNet:
        made = AlphaZeroNet(NetworkConfig(1, 4, 2))
        made.value[-1] = last
        return made

    return {"AlphaZeroNet": net, "_published_net": always(net(0)),
            "_heads": always((0, torch.zeros(2 * outputs)))}  # fmt: skip


VALUE, POLICY = "Conv 1×1 → FC → FC →", "Conv 1×1 → FC →"


def policy_head(outputs: int, bare: bool) -> Parts:
    """A head with so many outputs, of which the search gets the softmax, or what they are."""

    def evaluator(net: AlphaZeroNet) -> Callable[..., Any]:
        def logits(states: States) -> tuple[Any, None]:
            return net(torch.from_numpy(planes(states)))[0].detach().numpy(), None

        return logits if bare else evaluator_of(net)

    return {"_heads": always((torch.zeros(2, outputs), None)), "evaluator_of": evaluator}


def missing(change: float, searched: int, *, unknown: bool = True) -> Parts:
    """An endgame that the table knows and one that it doesn't, whose value a look-up changes."""
    it = SimpleNamespace(searched=5, calculate_dtw=always(None),
                         lookup_cache=lambda state: None if state and unknown else 1)  # fmt: skip

    def wrapped(states: object) -> tuple[None, Any]:
        it.searched += searched
        return None, np.array([1, 0.5 + change])

    return {"DTWSolver": always(it), "random_endgames": always(np.arange(2)),
            "evaluator_of": always(always((None, np.array([0.2, 0.5])))),
            "stored_tables": always(None), "with_lookup": always(wrapped)}  # fmt: skip


def caching(tables: int, asked: int) -> Parts:
    """A run whose self-play fills so many tables, with two entries each, and looks up so many."""

    class Solver:
        table = SimpleNamespace(used=(1, 1))

        def lookup_cache(self, state: int) -> None: ...

    def run(endgame: str) -> None:
        for _ in range(tables):
            claims_settings.selfplay.DTWSolver()
        for state in range(asked):
            Solver().lookup_cache(state)

    return {"DTWSolver": Solver, "_run": SimpleNamespace(__wrapped__=run)}


def expanding(change: Callable[[Any], None]) -> Parts:
    """A search that expands as ours does, and then changes what it has expanded."""

    def expand(node: Any, priors: Any) -> None:
        plain_search.expand(node, priors)
        change(node)

    return {"plain_search": SimpleNamespace(Node=plain_search.Node, expand=expand)}


def shared(node: Any) -> None:
    """All children are one board, and the parent's."""
    for child in node.children.values():
        node.state[:] = child.state
        child.state = node.state


def moved(node: Any) -> None:
    """The parent's board has made the first move, too."""
    node.state[:] = next(iter(node.children.values())).state


def solver(said: Any = (1, 3, 0), **parts: Any) -> Parts:
    """A solver that says the same of the one position there is."""
    result = {"calculate_result": always(said[0])} if len(said) == 3 else {}
    found = made(calculate_dtw=always(Solution(*said)), **result, **parts)
    return {"DTWSolver": found, "random_endgames": always([0])}


def wrong_answers(*wrong: int) -> Callable[..., Any]:
    """So many results, distances and moves are wrong when the solver is sound."""
    rows = [[9, *wrong], [9, 5, 6, 7]]
    return always(pd.DataFrame(rows, ["none", "turned"], FAULTS))


def judged(*truth: int | None, said: Any = (1, 3, 0), left: Any = (-1, 2)) -> Parts:
    """What a solver says, a win in three plies, and what a search of every position sees.

    Left is what that search sees after the solver's move.
    """
    return {**solver(said), "random_endgames": always(np.array([0])),
            "Ultimate": made(play=lambda states, moves: states + 1 + moves),
            "layers.solve": {0: truth, 1: left, 8: (1, 1)}.get}  # fmt: skip


def itself() -> Parts:
    """A game in which the readable position is the packed one."""
    return {"GAME": SimpleNamespace(unpack=lambda state: state)}


def sees_no_win(*truth: int) -> Parts:
    """A solver that finds no win, and what a search of every line sees."""
    return {**solver(get_best_winning_move=always(None)), **itself(), "plain.solve": always(truth)}


def excluding(*results: int) -> Parts:
    """A solver that excludes so many of eight moves, whose results these are."""
    truth = in_turn(*(Solution(result, 1, 0) for result in results))
    found = in_turn(*[(0, 1)] * len(results), *[None] * (8 - len(results)))
    return {"DTWSolver": made(get_best_winning_move=found, calculate_dtw=truth),
            "late_midgames": always(FIRST)}  # fmt: skip


def recalled(*found: Any, truth: tuple[Any, ...] = (1, 3, 0), before: Any = None) -> Parts:
    """What the solver knows of endgames before it has solved each of them, and after that."""
    answers = chain.from_iterable((before, one and Solution(*one)) for one in found)
    known = made(calculate_dtw=always(Solution(*truth)), lookup_cache=lambda _: next(answers),
                 table=made(clear=always(None))())  # fmt: skip
    return {"DTWSolver": known, "random_endgames": always([0] * len(found))}


def answering(*found: Any, won: int = 0) -> Parts:
    """What the solver answers where there is no win, after so many endgames that are won."""
    states = range(won + len(found))
    parts = made(calculate_result=lambda state: 1 if state < won else 0,
                 get_best_winning_move=[*[(0, 1)] * won, *found].__getitem__)  # fmt: skip
    return {"DTWSolver": parts, "random_endgames": always(states)}


def looking_up(asked: int, own: int, earlier: int) -> Parts:
    """Look-ups, and those answered by the same game and by earlier ones."""
    return {"count_lookups": always(SimpleNamespace(asked=asked, own=own, earlier=earlier))}


def looked_up(*values: float, searched: int = 0, asked: bool = False) -> Parts:
    """Of a win, a draw and a loss the solver has forgotten the loss.

    Evaluating searches so many nodes; asking the table itself does, too, if so told.
    """
    truth = [Solution(1, 3, 0), Solution(0, None, 0), Solution(-1, 2, 0)]

    def look(state: int) -> Solution | None:
        found.searched += searched * asked
        return [*truth[:2], None][state]

    found = SimpleNamespace(searched=5, calculate_dtw=truth.__getitem__, lookup_cache=look)

    def evaluate(states: object) -> tuple[None, Any]:
        found.searched += searched
        return None, np.array(values)

    return {"DTWSolver": always(found), "with_lookup": always(evaluate),
            "random_endgames": always(np.arange(1 if asked else 3))}  # fmt: skip


def choosing(*moves: int) -> Parts:
    """An agent that plays these moves, and whose own chances favour the move 20."""
    chances = np.eye(GAME.moves)[20] + np.eye(GAME.moves)[1] / 2
    return agent(select_action=in_turn(*moves), get_action_probs=always(chances))


def by_sub_boards() -> Any:
    """The game, if a move were 9 sub-board + cell instead of 9 row + column."""
    code = [rules.MOVE_OF[move // 9][move % 9] for move in range(81)]
    return SimpleNamespace(
        unpack=GAME.unpack, legal=lambda states: GAME.legal(states)[:, code],
        play=lambda states, moves: GAME.play(states, np.array(code)[moves]),
    )  # fmt: skip


def sharing(saved: float, different: int, classes: int) -> Parts:
    """By what symmetry divides the entries of one search, and endgames with and without it."""
    row = {"entries": 1 / saved, "milliseconds": 1.0}
    return {"endgames.variant": always(row), "random_games.symmetry_saving": SAVING,
            "_met": always((different, classes))}  # fmt: skip


Bounds = tuple[float, float]


def ratios(mean: Bounds, total: Bounds, other: tuple[Bounds, Bounds] | None = None) -> Parts:
    """Bounds of the mean of ratios of nodes, and of the ratio of their sums; in random games."""
    there = other or (mean, total)

    def told(k: int) -> Callable[..., tuple[float, ...]]:
        def ratio(name: str, beside: str, limit: int, file: str = "") -> tuple[float, ...]:
            return (1.0, *(there if file == endgames.RANDOM_ORDERS else (mean, total))[k])

        return ratio

    return {"endgames.node_ratio": told(0), "endgames.total_ratio": told(1)}


def deep(*said: Any, truth: tuple[int, int] = (1, 3)) -> Parts:
    """Of each endgame, a number, what the solver says or raises, beside one of ten cells."""
    found = dict(enumerate(said))

    def solve(state: int) -> Any:
        if found[state] is None:
            raise BudgetExceededError
        return Solution(*found[state], 0)

    return {"DTWSolver": made(is_endgame=lambda state: found[state] != "beyond",
                              calculate_dtw=solve),
            "cost.sample_states": always(np.array([*found, 99])), "plain.solve": always(truth),
            "playable": lambda states: np.where(states == 99, 10, 9), "empty": np.asarray,
            "Ultimate": made(unpack=always(0))}  # fmt: skip


def phases(weight: float, *cells: int) -> Parts:
    """Positions of so many cells; those in transition have this weight."""
    weigh = lambda cells: np.where(  # noqa: E731
        (cells > 25) & (cells < 30), weight, np.where(cells < 10, 0.4, 1.0)
    )
    return {**numbers(*cells), "phase_weights": weigh}


def agent(**methods: Callable[..., Any]) -> Parts:
    """An agent that is asked about the same board each time."""
    boards = lambda count, **_: np.repeat(FIRST, count, axis=0)  # noqa: E731
    return {"AlphaZeroAgent": made(**methods), "cost.sample_states": boards,
            "stored_tables": always(NET)}  # fmt: skip


def trained(learned: tuple[int, int], loaded: tuple[int, int]) -> Parts:
    """A trainer of two weights, 0 at first."""
    weights = dict.fromkeys("ab", torch.tensor(0))

    def become(values: tuple[int, int]) -> None:
        weights.update(zip("ab", map(torch.tensor, values), strict=True))

    trainer = SimpleNamespace(
        save=always(None), net=SimpleNamespace(state_dict=lambda: weights),
        train_iteration=lambda **_: become(learned), load=lambda _: become(loaded),
    )  # fmt: skip
    return {"_tiny_run": lambda: nullcontext((trainer, Path()))}


def holding(samples: int, different: int = 9) -> Parts:
    """A trainer after iterations of three and four samples; one more would be another position."""
    states = np.minimum(np.arange(9), different - 1)[:, None]
    replay = SimpleNamespace(size=3, samples=SimpleNamespace(states=states))
    trainer = SimpleNamespace(
        log=[{"samples": 3.0}, {"samples": 4.0}],
        replay=replay,
        train_iteration=lambda **_: setattr(replay, "size", samples),
    )
    return {"_tiny_run": lambda: nullcontext((trainer, Path()))}


def counted(*cells: int) -> Parts:
    """Positions in which one cell more counts where there are 29, and ten where there are 5."""
    return {**numbers(*cells), "empty": lambda cells: cells + (cells == 29) + 10 * (cells == 5)}


def turning(*cells: int, surer: tuple[int, ...] = ()) -> Parts:
    """Games that are decided at so many cells; where 0.7 isn't called sure, at others if given."""
    return {
        "transition.decided": lambda sure: np.array(cells if sure == 0.7 or not surer else surer)
    }


def near_wins(*won: tuple[int, int]) -> Parts:
    """States are a result and a distance; two of six are near wins, and some are won in time."""
    states = [(1, 4), (1, 5), (1, 6), (0, None), (-1, 4), (-1, 5)]
    found = made(calculate_dtw=lambda state: Solution(*state, 0))
    return {"_late_states": always(states), "DTWSolver": found,
            "_played_out": lambda game, solver, state, rng=None: (
                state in won, [1, 3, 1] if rng else [1, 1, 1])}  # fmt: skip


def shallow(found: Any, truth: Any) -> Parts:
    """What is found in each late midgame, and what is true."""
    both = made(get_best_winning_move=always(found), calculate_dtw=always(Solution(*truth, 0)))
    return {"late_midgames": always([0] * 60), "DTWSolver": both}


def shallow_at_first(found: tuple[int, int]) -> Parts:
    """The first of 60 wins in eight plies is found so, and all others are found rightly."""
    both = made(get_best_winning_move=in_turn(found, *[(0, 8)] * 59),
                calculate_dtw=always(Solution(1, 8, 0)))  # fmt: skip
    return {"late_midgames": always([0] * 60), "DTWSolver": both}


def look_up(rate: float, batched: float = 10.0) -> Parts:
    """So many look-ups a second, ten evaluations on a core, and so many in batches on a GPU."""
    rows = [{"name": n, "rate": rate} for n in ("a", "look-up in the solver's table", "z")]
    return {"bench.read": always({"rows": rows}), "cost.stored_rate": always(10.0),
            "gpu_cost.best": always(batched)}  # fmt: skip


def favourite(other: int, right: int) -> Parts:
    """A search that visits one move a hundred times; nothing in one state.  One move is right."""

    def search(game: object, state: int, tables: object) -> Any:
        return made(run=made(visits=[100, other] if state else [0, 0]))()

    choices = np.arange(12), np.tile(np.arange(2) == right, (12, 1))
    return {"TableSearch": search, "_choices": always(choices), "stored_tables": always(NET)}


def moving(*steps: tuple[int, int]) -> Parts:
    """In so many of 40 endgames each step makes a right move likelier, or less likely."""
    shares, now = [np.full(40, 0.5)], np.full(40, 0.5)
    for up, down in steps:
        now = now + 0.1 * np.repeat([1, -1, 0], [up, down, 40 - up - down])
        shares.append(now)
    drawn = in_turn(*(np.stack([one, 1 - one], axis=1) for one in shares))
    choices = np.arange(1, 41), np.tile([True, False], (40, 1))
    return {**favourite(1, 0), "_choices": always(choices), "chances": drawn}


def near_endgames(near: str, far: str, fewer: str) -> Parts:
    """Which near and far wins the agent plays at once, and which near ones by a lower limit."""
    played = [[mark == "1" for mark in marks] for marks in (near, far, fewer)]
    usual, other = (played[0], played[1]), (played[2], played[1])
    return {"_won_at_once": lambda limit, by: usual if by == limit else other}


def opening(*found: int) -> Parts:
    """So many openings of each network at each temperature."""
    return {"_openings": in_turn(*found), "Trainer": made(tables=NET),
            "stored_tables": always(NET)}  # fmt: skip


def heeding(*names: str) -> Parts:
    """A run that depends on these parts of its stage."""
    return {"_run": lambda stages: [getattr(stages[0], name) for name in names]}


LESS, OPEN, MORE = (0.8, 0.99), (0.8, 1.2), (1.01, 1.2)
"""Bounds of a ratio that lies below 1, may lie on either side, or lies above."""

VERDICTS: list[tuple[Claim, Callable[..., Parts], list[tuple[Any, ...]]]] = [
    (claims.rules_counted,
     lambda more: {"perft": always([1, 81, 720, 6336, 55080, 473256, 4020960 + more])},
     [(-1, False), (0, True), (1, False)]),
    (claims.endgame_solved, lambda solved: {"endgames.solver_times": times(solved=solved)},
     [(1.0, True), (0.99, False)]),
    (claims.endgame_reached,
     lambda some, all_, by_uct: {
         "random_games.endgame_shares": always({"playable": some, "all 81": all_}),
         "endgames.solver_times": times(positions=by_uct)},
     [(0.49, 0.5, 150, (None, False)), (0.51, 0.51, 151, (None, False))]),
    (claims.symmetry_memory, sharing,
     [(3.9, 8, 2, False), (4, 8, 2, False), (4.1, 9, 2, True), (4.1, 8, 2, None),
      (3.9, 9, 2, None)]),
    (claims.place_order, ratios,
     [((0.8, 0.99), (0.8, 0.99), True), ((0.8, 1.0), (0.8, 0.99), None),
      ((0.8, 0.99), (0.8, 1.0), None), ((0.8, 0.99), (1.01, 1.2), None),
      ((1.01, 1.2), (1.0, 1.2), None), ((1.0, 1.2), (1.01, 1.2), None),
      ((1.01, 1.2), (1.01, 1.2), False)]),
    (claims.place_order, partial(ratios, LESS, LESS),
     [((LESS, LESS), True), ((LESS, OPEN), None), ((OPEN, LESS), None), ((MORE, MORE), None)]),
    (claims.place_order, partial(ratios, OPEN, LESS), [((LESS, LESS), None)]),
    (claims.perfect_play, lambda *wrong: {"endgames.faults": wrong_answers(*wrong), **judged(1, 3)},
     [(0, 0, 0, True), (1, 0, 0, False), (0, 1, 0, False), (0, 0, 1, False)]),
    (claims.perfect_play,
     lambda *truth: {"endgames.faults": wrong_answers(0, 0, 0), **judged(*truth)},
     [(1, 3, True), (1, 4, False), (-1, 3, False), (0, None, False)]),
    (claims.perfect_play,
     lambda said, *left: {"endgames.faults": wrong_answers(0, 0, 0),
                          **judged(*said[:2], said=said, left=left)},
     [((1, 3, 0), -1, 2, True), ((1, 3, 0), -1, 4, False), ((1, 3, 0), 0, None, False),
      ((1, 3, 7), -1, 2, False), ((0, None, 0), 0, None, True), ((0, None, 0), 1, 2, False),
      ((-1, 4, 0), 1, 3, True), ((-1, 4, 0), 1, 1, False)]),
    (claims.lookup_cost,
     lambda empty, full: {"places_read": lambda it, key: range(full if any(it.used) else empty)},
     [(2, 2, True), (3, 3, True), (3, 2, True), (2, 3, False), (4, 4, False), (4, 3, False)]),
    (partial(claims.near_wins_are_won, 5, 3), near_wins,
     [((1, 4), (1, 5), True), ((1, 4), False), ((1, 5), False)]),
    (partial(claims.near_wins_are_won, 5, 3),
     lambda *won: {**near_wins(), "_played_out": in_turn(*((it, [1]) for it in won))},
     [(*[True] * 8, True), (*[True] * 6, False, True, False),
      (*[True] * 7, False, False)]),
    (partial(claims.near_wins_are_won, 5, 3),
     lambda *falls: {**near_wins(), "_played_out": in_turn(
         *((True, given) for fall in falls for given in ([1, 2], fall)))},
     [([1], [1, 1, 1], [1], [1], True), ([1], [1, 2], [1], [1], False)]),
    (claims.shallow_wins, shallow,
     [((0, 8), (1, 8), True), ((0, 7), (1, 8), False), ((0, 9), (1, 8), False),
      (None, (1, 8), False), (None, (1, 9), True), ((0, 9), (1, 9), False),
      (None, (-1, 8), True), ((0, 8), (-1, 8), False), (None, (0, None), True)]),
    (claims.shallow_wins, shallow_at_first, [((0, 8), True), ((0, 7), False)]),
    (claims_network.value_output, value_head,
     [(torch.nn.Tanh(), (f"{VALUE} 1 output (tanh)", True)),
      (torch.nn.Tanh(), 3, (f"{VALUE} 3 output (tanh)", True)),
      (torch.nn.Sigmoid(), (f"{VALUE} 1 output", False)),
      (torch.nn.Identity(), (f"{VALUE} 1 output", False))]),
    (claims_network.value_output,
     lambda last: {**value_head(torch.nn.Identity()), "_published_net": always(
         value_head(last)["_published_net"]())},
     [(torch.nn.Tanh(), (f"{VALUE} 1 output (tanh)", False))]),
    (claims_network.policy_outputs, policy_head,
     [(81, False, (f"{POLICY} 81 outputs (softmax)", True)),
      (82, False, (f"{POLICY} 82 outputs (softmax)", False)),
      (81, True, (f"{POLICY} 81 outputs", False))]),
    (claims_network.missed_lookups, missing,
     [(0, 0, True), (0.1, 0, False), (0, 1, False)]),
    (claims_network.missed_lookups, lambda: missing(0, 0, unknown=False), [(False,)]),
    (partial(claims_network.second_copy, 3), expanding,
     [(always(None), True), (shared, False), (moved, False),
      (lambda node: node.children.popitem(), False)]),
    (claims_network.search_in_the_tree,
     lambda mean, alone: {"gpu_cost.best": always(1e4), "_published_milliseconds": always(alone),
                          "endgames.mean_milliseconds": always(mean)},
     [(0.000995, 0.1, False), (0.001005, 0.1, None), (0.995, 0.1, None), (1.005, 0.1, True),
      (1.005, 0.2, None), (0.000995, 0.01, None)]),
    (claims_training.mixed_precision,
     lambda saved: {"gpu_cost.gib": lambda batch, amp: 1.0 if amp else saved},
     [(1.49, False), (1.51, True), (2.49, True), (2.51, False)]),
    (claims_network.lookup_overhead,
     lambda rate, searched: {**look_up(rate), **looked_up(searched=searched, asked=True)},
     [(1000, 1, False), (1000, 0, True), (1, 1, False), (1, 0, True)]),
    (claims_network.lookup_is_exact, looked_up,
     [(1, 0, 0, True), (1, 1, 0, False), (1, -1, 0, False), (1, 0, 0.5, False)]),
    (claims_network.lookup_is_exact, lambda nodes: looked_up(1, 0, 0, searched=nodes),
     [(-1, False), (1, False)]),
    (claims_network.excluded_moves_lose, excluding,
     [(1, 1, True), (1, True), (1, 0, False), (1, -1, False), (*[1] * 7, True),
      (*[1] * 8, False), (False,)]),
    (claims_network.lookups_that_hit, looking_up,
     [(9, 1, 0, None), (9, 1, 1, None), (9, 0, 1, None), (9, 0, 0, False)]),
    (claims_network.strong_is_stronger,
     lambda low, high: {"agents.read": always(pd.DataFrame(
         [[2000, 0.5, low, high], [2000, 0.9, 0.9, 0.9], [2000, 0.1, 0.1, 0.1]],
         index=agents.PLAYERS, columns=["games", "score", "low", "high"]))},
     [(0.51, 0.6, True), (0.5, 0.6, None), (0.4, 0.5, None), (0.4, 0.49, False)]),
    (claims_network.actions, choosing,
     [(20, 20, True), (1, 1, False), (20, 1, False), (1, 20, False), (0, 0, False),
      (80, 80, False), (20, 1, *[20] * 22, False), (*[20] * 22, 1, 1, False)]),
    (claims_network.actions,
     lambda game: {**choosing(20), "GAME": by_sub_boards() if game == "sub-boards" else GAME},
     [("grid", True), ("sub-boards", False)]),
    (claims_network.actions,
     lambda likeliest: agent(select_action=always(20),
                             get_action_probs=always(np.eye(GAME.moves)[20] * likeliest)),
     [(1, True), (0, False)]),
    (claims_network.action_chances,
     lambda *chances: agent(get_action_probs=always(np.array([*chances, *[0] * 78]))),
     [(0, 0.5, 0.5, True), (0, 0.5, 0.4, False), (0, 0.5, 0.6, False), (0.5, 0.5, 0, False),
      (0, 1, 1e-8, False)]),
    (claims_network.action_chances,
     lambda *moves: agent(get_action_probs=in_turn(*np.eye(GAME.moves)[list(moves)])),
     [(*[1] * 12, True), (0, *[1] * 11, False)]),
    (claims_network.solver_answers,
     lambda result, distance, *came: {**solver((result, distance, 0)), "_played_out": always(came),
                                      "layers.solve": always((result, distance)),
                                      "_lands": always(True)},
     [(1, 3, 3, 1, True), (1, 3, 3, 0, False), (-1, 3, 3, 0, False), (1, 3, 4, 1, False),
      (1, 3, 2, 1, False), (0, None, 7, 0, True), (0, None, 7, 1, False), (1, None, 3, 1, False),
      (-1, None, 4, -1, False), (0, 7, 7, 0, False)]),
    (claims_network.solver_answers,
     lambda move, *cell: {**solver((1, 3, move)), "_played_out": always((3, 1)),
                          "layers.solve": always((1, 3)),
                          "_lands": lambda state, *place: place == (20, *cell)},
     [(20, 2, 2, True), (20, 2, 1, False), (21, 2, 3, False), (None, 0, 0, False)]),
    # It may end as said because the solver plays both sides.
    (claims_network.solver_answers,
     lambda *truth: {**solver((1, 3, 0)), "_played_out": always((3, 1)), "_lands": always(True),
                     "layers.solve": always(truth)},
     [(1, 3, True), (1, 1, False), (-1, 3, False), (0, None, False)]),
    (partial(claims_network.endgame_is_told, 3),
     lambda limit: {"cost.sample_states": always([14, 15, 16]), **itself(), "rules.playable": int,
                    **solver(is_endgame=lambda state: state <= limit, endgame_threshold=15)},
     [(14, False), (15, True), (16, False)]),
    (claims_network.winning_moves,
     lambda truth, found, after=(-1, 2): {
         **solver(get_best_winning_move=always(found)), **itself(),
         "plain.solve": {0: truth, "after": after}.get, "rules.play": always("after")},
     [((1, 3), (0, 3), True), ((1, 3), (0, 2), False), ((1, 3), (0, 4), False),
      ((1, 3), (0, 3), (-1, 4), False), ((1, 1), (0, 1), (0, None), True),
      ((1, 3), None, False), ((-1, 4), None, True), ((-1, 4), (0, 4), False),
      ((-1, 3), (0, 3), False), ((0, None), None, True)]),
    (claims_network.cache_remembers, recalled,
     [((1, 3, 0), True), ((1, 3, 5), False), (None, False), ((0, 3, 0), False),
      ((1, 4, 0), False), ((1, 3, 0), None, False), ((1, 3, 0), (1, 3, 0), True)]),
    (claims_network.cache_remembers, lambda *found: recalled(*found, truth=(1, 1, 0)),
     [((1, 1, 0), None, True), (None, None, False), ((1, 1, 0), (1, 1, 5), False)]),
    (claims_network.cache_remembers, lambda before: recalled((1, 3, 0), before=before),
     [(None, True), ((1, 3, 0), False)]),
    (claims_network.trainer_interface, trained,
     [((1, 0), (0, 0), True), ((0, 0), (0, 0), False), ((1, 0), (1, 0), False)]),
    (claims_network.data_persists, holding, [(6, False), (7, True), (8, False)]),
    (claims_network.data_persists, partial(holding, 7),
     [(5, True), (4, True), (3, False), (2, False)]),
    (claims_training.phase_table,
     lambda *last: {"PRINTED": (*claims_training.PRINTED[:-1], last),
                    "cost.sample_states": SAMPLED},
     [(0, 9, 0.4, True), (1, 9, 0.4, False), (0, 8, 0.4, False), (0, 10, 0.4, False),
      (0, 9, 0.5, False)]),
    (claims_training.phase_table,
     lambda times: {"phase_weights": lambda states: times * phase_weights(states),
                    "cost.sample_states": SAMPLED},
     [(1.0, True), (0.5, False), (2.0, False)]),
    (claims_training.endgames_beyond_the_threshold,
     lambda *cells: {**numbers(*cells), "empty": np.asarray},
     [(3, 10, 15, 20, True), (3, 10, 16, 20, False), (*[10] * 99, 16, False)]),
    (claims_training.endgames_beyond_the_threshold,
     lambda more: {**numbers(3, 10, 14), "empty": lambda cells: cells + more},
     [(1, True), (2, None)]),
    (claims_training.shallow_near_the_end,
     lambda low, high: {"DTWConfig": made(endgame_threshold=low, midgame_threshold=high),
                        **numbers(15, 20, 22, 25, 46), "empty": np.asarray},
     [(15, 45, True), (19, 25, True), (20, 45, False), (15, 24, False)]),
    (claims_training.deep_endgames_solved, deep,
     [((1, 3), (1, 3), True), ((1, 3), None, False), ((1, 3), "beyond", False),
      ((1, 3), (1, 4), False), ((0, 3), (1, 3), False), (None, (1, 3), False)]),
    (claims_training.deep_endgames_solved, lambda *truth: deep((1, 3), truth=truth),
     [(1, 3, True), (1, 5, False), (-1, 3, False)]),
    (claims_training.transition_decides, turning,
     [(*[26] * 30, *[25] * 9, True), (*[26] * 20, *[29] * 10, *[30] * 9, (True, True)),
      (26, 29, 29, 25, 25, 30, 30, (None, True)), (29, 30, 33, (None, True)),
      (*[26] * 9, *[25] * 30, False), (*[26] * 9, *[30] * 30, (False, True)),
      (*[26] * 9, *[25] * 21, (False, True)), (*[26] * 10, *[25] * 20, (None, True)),
      (*[26] * 40, *[25] * 70, 18, 14, 10, (None, False))]),
    (claims_training.transition_decides,
     lambda *surer: turning(*[26] * 30, *[25] * 9, surer=surer),
     [(*[26] * 30, 25, True), (26, 26, 25, (None, True)), (*[25] * 30, (None, False)),
      (26, 25, 25, (None, True))]),
    (claims_training.transition_decides, lambda *surer: turning(*[25] * 30, surer=surer),
     [(*[25] * 30, False), (*[30] * 30, False), (26, (None, False))]),
    (partial(claims.result_is_kept, 2),
     lambda anew: {"result": rules.result if anew == "by the rules" else always(anew)},
     [("by the rules", True), (None, False), (0, False)]),
    (partial(claims.result_is_kept, 2),
     lambda first: {"result": at_first(first, rules.result)}, [(None, True), (0, False)]),
    (claims_training.weights_focus, phases,
     [(1.2, 26, 29, 25, 30, None), (1.2, 26, 29, 50, 60, 81, None), (1.0, 26, 29, 25, 30, False),
      (0.4, 26, 29, 25, 30, False), (0.9, 26, 5, 5, 50, True), (0.9, 26, 50, 50, 60, False)]),
    (claims_training.temperature_explores, opening,
     [(9, 8, 1, 2, None), (9, 9, 2, 1, False), (8, 9, 2, 1, False)]),
    (claims_settings.eviction,
     lambda lru: {"ratios": evicting(lru, 1.22), "total_ratios": always(TOTALS)},
     [(1.43, True), (1.22, False)]),
    (claims_training.temperature_is_precise, favourite,
     [(12, 0, True), (99, 0, True), (100, 0, False), (12, 1, False)]),
    (claims_training.temperature_is_precise, moving,
     [((20, 2), (20, 2), True), ((20, 2), (6, 4), None), ((6, 4), (20, 2), None),
      ((20, 2), (2, 20), False), ((2, 20), (20, 2), False), ((20, 2), (0, 0), False),
      ((8, 0), (7, 0), None), ((8, 0), (8, 0), True)]),
    (claims_training.sampling_is_constant,
     lambda choice, sums: {"replay_sampling.growth": always(
         {"numpy choice": choice, "cumulative sums": sums, "rejection": 1.5})},
     [(1.99, 1.99, True), (2.0, 2.0, False), (2.01, 2.01, False), (2.0, 1.99, False),
      (1.99, 2.0, True)]),
    (claims_training.window_slides,
     lambda size: {**training(replay_buffer_size=size), "random_games.results": PLY},
     [(48_419, True), (48_420, False), (48_421, False)]),
    (claims_training.guidance_near_the_end,
     lambda net, uct: {"store.read_table": always(near_the_end(net, uct))},
     [(80, 40, True), (40, 80, False), (60, 55, None), (55, 60, None)]),
    (partial(claims_settings.training, "lr", 0.02),
     lambda shift: {"_run": lambda **changes: shift * bool(changes)},
     [(-1, True), (0, False), (1, True)]),
    (partial(claims_settings.phase_weight, 2),
     lambda sign, place: {
         "_run": lambda phase_weights=config.PUBLISHED_WEIGHTS: sign * phase_weights[place][1]},
     [(1, 1, False), (1, 2, True), (-1, 2, True), (1, 3, False)]),
    (partial(claims_settings.stage, 2), heeding,
     [("simulations", "games", "temperature", True), ("simulations", "games", False),
      ("simulations", "temperature", False), ("games", "temperature", False)]),
    (partial(claims_settings.stage, 0),
     lambda most: {**heeding("simulations", "games", "temperature"), "Config": always(
         config.Config(training=replace(TrainingConfig(), num_simulations=most)))},
     [(200, True), (199, False)]),
    (claims_settings.mixed_precision,
     lambda gpu, cpu: {"_losses": lambda amp, device: amp * (gpu if device == "cuda" else cpu)},
     [(-1, 0, True), (1, 0, True), (0, 0, False), (1, 1, False), (0, 1, False)]),
    (partial(claims_settings.agent, "c_puct", 2.0),
     lambda gap: {"_gap": always(gap), "stored_tables": always(NET)},
     [(0, False), (1e-9, True)]),
    (claims_settings.strong_temperature,
     lambda gap: {"_gap": always(gap)}, [(0, False), (1e-9, True)]),
    (partial(claims_settings.simulations_of, True),
     lambda gap: {"_gap": always(gap), "create_strong_agent": made(num_simulations=2),
                  "_changed": always(None)},
     [(0, False), (1e-9, True)]),
    (partial(claims_settings.hybrid, "midgame_threshold", 16),
     lambda name, sign: {"_ways": lambda dtw: {SOLVED: sign * getattr(dtw, name)}},
     [("midgame_threshold", 1, True), ("midgame_threshold", -1, True),
      ("shallow_depth", 1, False), ("endgame_threshold", 1, False)]),
    (claims_settings.self_play_solver,
     lambda read: {"_run": lambda dtw, endgame: dtw if endgame == read else None},
     [("relabel", True), ("play", False)]),
    (claims_settings.near_win_limit, near_endgames,
     [("11", "0", "10", True), ("11", "0", "11", False), ("10", "0", "00", False),
      ("11", "1", "10", False), ("11", "", "10", False)]),
    (claims_settings.cached_in_self_play, caching,
     [(1, 1, ("caches DTW results in transposition table", True)),
      (1, 0, ("a table for labels alone", True)), (2, 1, ("a table for labels alone", True)),
      (0, 1, ("a table for labels alone", False))]),
]  # fmt: skip
"""What answers, what it is given, and in each case the verdict, or whether a setting is read."""


test_the_verdict_follows_what_is_given = checks_of(
    (getattr(row[0], "func", row[0]).__name__, *row) for row in VERDICTS
)


WORDS: list[tuple[Claim, Parts, str]] = [
    (claims.perfect_play,
     {"endgames.faults": always(pd.DataFrame(
         [[9, 5, 6, 7], [9, 0, 0, 0], [9, 1, 2, 3]], ["key", "none", "turned"], FAULTS))},
     ("wrong with key: 5 results, 6 distances, 7 moves; turned: 1 result, 2 distances, 3 moves")),
    (claims.perfect_play,
     {"endgames.faults": always(pd.DataFrame([[9, 1, 0, 2]], ["none"], FAULTS))},
     "sound, it agrees with itself on 7 of 9; "),
    (claims_network.lookup_is_exact, looked_up(1, 1, 0),
     ("2 of 3 solved endgames found again, 1 with their exact value; of the other 1, 0 are won at "
      "once")),
    (claims_network.cache_remembers, recalled((1, 1, 0), None, (1, 1, 5), truth=(1, 1, 0)),
     "0 of 3 known before a search, 2 after it, 1 with its answer; of the other 1, 1 are won at"),
    (claims_network.cache_remembers, recalled((1, 3, 0), None),
     "0 of 2 known before a search, 1 after it, all with its answer; of the other 1, 0 are won at"),
    (claims_network.lookups_that_hit, looking_up(40, 10, 3),
     ("at temperature 0.3, 25.0% of 40 look-ups hit what the same game had solved, and 3 more "
      "what earlier games had: leaves with at most 15 playable cells, in 40 games each of 100 "
      "simulations per move with symmetric keys")),
    (claims_network.excluded_moves_lose, excluding(1, 0),
     ("1 of 2 excluded moves lose, in 1 midgames of 16 to 22 playable cells where another move "
      "remains; the 0 where none does are left out")),
    (claims_network.excluded_moves_lose, excluding(*[1] * 8),
     ("0 of 0 excluded moves lose, in 0 midgames of 16 to 22 playable cells where another move "
      "remains; the 1 where none does")),
    (claims_settings.near_win_limit, near_endgames("110", "01", "100"),
     ("our agent plays wins within 5 plies at once: 2 of 3, and 1 of 2 later ones; with 3 instead, "
      "1")),
    (claims_network.solver_answers,
     {**solver((1, 3, 0)), "_played_out": always((3, 1)), "_lands": always(False),
      "layers.solve": always((1, 3))},
     "0 of 1 endgames end as said"),
    (claims_training.window_slides,
     {**training(replay_buffer_size=10**9), "random_games.results": PLY},
     ("48,420 games make more samples than the window of 1,000,000,000 holds if they last more "
      "than 20652.6 plies on average; random ones last 1.0")),
    (claims_network.value_output, value_head(torch.nn.Tanh(), 4),
     "the network as built has 4 value per position; "),
    (claims_network.value_output, value_head(torch.nn.Tanh()),
     "gives values in [-1.00, 1.00], and other ones without the function at its end"),
    (claims_network.value_output, value_head(torch.nn.Identity()), "and the same ones without"),
    (claims_network.winning_moves, sees_no_win(1, 3),
     "0 of 1 endgames of at most 8 cells, 1 of them won"),
    (claims_network.winning_moves, sees_no_win(-1, 4),
     "1 of 1 endgames of at most 8 cells, 0 of them won"),
    (claims.perfect_play, {"endgames.faults": wrong_answers(0, 0, 0), **judged(0, None)},
     "position that can follow agrees on result, distance and move in 0 of 1 endgames"),
    (claims_training.phase_table, {"PRINTED": ((9, 81, 1.0), (0, 9, 1.0)),
                                   "cost.sample_states": SAMPLED},
     "2 phases, and 81 of 82 numbers of cells"),
    (claims_training.phases_miscounted, counted(26, 29, 5, 35, 60, 61, 62, 63),
     "25% of positions get another phase and 25% another weight; of those"),
    (claims_training.phases_miscounted, counted(26, 26, 29, 40, 49),
     "of those in transition 33% are missed"),
    (claims_training.endgames_beyond_the_threshold,
     {**numbers(3, 10, 15, 16, 19, 40), "empty": lambda cells: cells + (cells < 19)},
     ("in random games 50% of 4 positions of that phase have more than 15 playable cells. If "
      "phase and threshold both count all empty cells, 75% of 4 have more than 15; if the phase "
      "counts all and the threshold only playable ones, 2 of 4. Ours solves all of 282")),
    (claims_training.endgames_beyond_the_threshold,
     {**numbers(10), "empty": np.asarray, "endgames.solver_times": times(solved=8 / 9)},
     "Ours solves 8 of 9 positions of at most 20 playable cells from UCT games, 99% within 1 ms"),
    (claims_training.shallow_near_the_end,
     {**numbers(14, 15, 20), "empty": lambda cells: cells + 5},
     ("20 to 25 cells lie between the thresholds 15 and 45 (counted by all cells in the phase and "
      "by playable ones in the thresholds, 1 of 2 such positions of random games would be")),
    (claims_training.transition_decides, turning(26, 29, 25, 30, 33),
     "40% to 40% of decided games (0% to 0% of all) turn at 26 to 29 cells"),
    (claims_training.transition_decides, turning(*[26] * 10, *[25] * 20, surer=(26, 25, 25, 25)),
     "25% to 33% of decided games (0% to 0% of all) turn at 26 to 29 cells, depending on what"),
    (claims_training.transition_decides, turning(*[26] * 400, *[25] * 400, surer=(25,) * 800),
     "0% to 50% of decided games (0% to 10% of all) turn at 26 to 29 cells, depending on what"),
    (claims_training.temperature_is_precise, moving((20, 2), (6, 4)),
     ("a right move in 40 of 40 endgames (in the others the search proved a move): 0.500 at 1.0, "
      "0.545 at 0.65, 0.550 at 0.3; by endgame 20 up and 2 down, then 6 up and 4 down")),
    (claims_training.temperature_is_precise, favourite(12, 0), "in 11 of 12 endgames"),
    (partial(claims_settings.training, "lr", 0.02), {"_run": always(0)},
     "small runs with 0.02 and with 0.002 come out alike"),
    (partial(claims_settings.training, "lr", 0.02), {"_run": lambda **changes: len(changes)},
     "small runs with 0.02 and with 0.002 come out differently"),
    (partial(claims_settings.phase_weight, 2), {"_run": always(0)},
     "three times the weight from 30 to 39 empty cells end alike"),
    (partial(claims_settings.phase_weight, 2), {"_run": lambda **changes: len(changes)},
     "three times the weight from 30 to 39 empty cells end differently"),
    (claims.symmetry_memory, sharing(1 / 0.24, 90, 80), "0.240 times as many entries"),
    (claims.symmetry_memory, sharing(1.0, 90, 80), "are 90 different endgames, 80 up to symmetry"),
    (claims_network.actions, choosing(20, 20, 1, 1, 0, 0, *[20] * 18),
     ("the same move twice, likeliest by the player's own chances, on 10 of 12 boards; its stone "
      "at that row and column, sending the opponent on, on 11")),
    (claims_training.deep_endgames_solved, deep((1, 3), None, (1, 4)),
     ("2 of 3 endgames of at most 9 playable cells (3 of at most 9 empty ones) solved in at most "
      "100,000 nodes; a search of every line agrees in 1 of 3")),
    (claims_training.weights_focus, phases(1.2, 26, 60, 61, 62),
     "the transition gets 28.6% of the samples instead of 25.0%, and most, 71.4%, have 50 to 81"),
    (claims.near_wins_are_won, near_wins((1, 4)),
     "75 of 150 won within the distance, 150 of them in more than one ply"),
    (partial(claims.near_wins_are_won, 5, 2),
     {**near_wins(), "_played_out": in_turn(
         (True, [1]), (True, [1]), (True, [1, 1, 1]), (True, [1, 2]))},
     ("2 of 2 won within the distance, 1 of them in more than one ply; 1 won in just as many plies "
      "if the opponent")),
    (claims.place_order, {"endgames.node_ratio": always((0.5, 0.4, 0.6)),
                          "endgames.total_ratio": always((1.5, 1.4, 1.6))},
     "0.50 times the nodes of lowest index [0.40, 0.60] over"),
    (claims.place_order, ratios(LESS, OPEN, (MORE, LESS)),
     ("; 1.00 times the nodes of lowest index [1.01, 1.20] over 3,000 positions of at most 15 "
      "cells from random games (fewer nodes on 1,313, as many on 855, more on 832; in the sum "
      "over")),
    (claims.place_order, {"endgames.node_ratio": always((0.5, 0.4, 0.6)),
                          "endgames.total_ratio": always((1.5, 1.4, 1.6))},
     "in the sum over them, which the hardest dominate, 1.50 [1.40, 1.60]"),
    (claims.place_order,
     {"endgames.node_ratio": lambda _, other, __, file="": (len(other), 2, 3),
      "endgames.total_ratio": lambda _, other, __, file="": (len(other) / 10, 0.4, 0.6)},
     ("likewise 6.00 [2.00, 3.00] (sum: 0.60 [0.40, 0.60]) against a random order, and 22.00 "
      "[2.00, 3.00] (sum: 2.20 [0.40, 0.60]) against edges, corners, centre")),
    (claims.shallow_wins, shallow((0, 7), (1, 8)),
     ("0 of 60 positions of 16 to 22 playable cells judged as by complete search: 60 are won "
      "within 8 plies, 0 later, 0 not")),
    (claims.shallow_wins, shallow(None, (1, 9)), "0 are won within 8 plies, 60 later, 0 not"),
    (claims.shallow_wins, shallow(None, (0, None)), "0 are won within 8 plies, 0 later, 60 not"),
    (claims_network.lookup_overhead, look_up(500),
     ("it searches no nodes and takes 2000.0 microseconds when called from Python (2% of an "
      "evaluation on a core, 2% of")),
    (partial(claims_settings.hybrid, "endgame_threshold", 18),
     {"_ways": lambda dtw: {SOLVED: dtw.endgame_threshold}, "_states": always(FIRST)},
     ("1 positions 15 are solved and in 0 the shallow search finds a win; with 18 instead of 15, "
      "18 are")),
    (partial(claims_settings.hybrid, "shallow_depth", 2),
     {"_ways": lambda dtw: {QUICK: dtw.shallow_depth}, "_states": always(FIRST)},
     ("of 1 positions 0 are solved and in 8 the shallow search finds a win; with 2 instead of 8, "
      "0 are")),
    (claims_network.second_copy,
     {**look_up(500), "endgames.copies": always({"by hand": 2.0})},
     ("expansions; a copy by hand takes 2.0 microseconds, 0.002% of an evaluation on a core, "
      "0.002% of one")),
    (partial(claims_network.second_copy, 3), expanding(moved),
     " children are right, and their parents as before in 0 of 3 expansions; "),
    (claims_settings.cached_in_self_play, caching(3, 2),
     "6 entries are kept in 3 tables, one for the games of each task, and the search looks up 2"),
    (claims_training.weights_focus,
     {**phases(3.0, 26, 29, 25, 30),
      "ablations.effects": always(pd.DataFrame(
          [[0.1, -0.1, 0.2]], ["all phases alike"], ["full", "full_low", "full_high"]))},
     ("75.0% of the samples instead of 50.0%, and most, 75.0%, have 26 to 29 cells; trained "
      "without weights, a network scores 0.60 [")),
    (claims_training.temperature_explores, opening(4, 3, 2, 1),
     "at 1.0 and at 0.3: 4 and 3 before training, 2 and 1 with the stored network"),
    (claims_settings.eviction, {"ratios": evicting(1.5, 1.25), "total_ratios": always(TOTALS)},
     ("7,000 entries takes 1.50 [1.49, 1.51] times the nodes with LRU, 1.25 [1.24, 1.26] "
      "with least work; with 8,000 entries 1.00 [0.99, 1.01] and 1.00 [0.99, 1.01]")),
    (partial(claims_settings.agent, "c_puct", 2.0),
     {"_gap": always(0.0), "stored_tables": always(NET)},
     "with 2.0 instead, the moves' probabilities stay the same"),
]  # fmt: skip
"""What answers, what it is given, and some of its words."""


def test_the_tiny_run_plays_two_different_games() -> None:
    """One game fills 81 cells, so more different positions than that are of two."""
    with claims_network._tiny_run() as (trainer, _):
        assert claims_network._different(trainer.replay) > 81


@pytest.mark.parametrize(("claim", "given", "words"), WORDS)
def test_words_follow_what_is_given(
    monkeypatch: Patch, claim: Claim, given: Parts, words: str
) -> None:
    assert words in answer(monkeypatch, claim, given).found


# ---------------------------------------------------------------------------- rules, table, solver


def test_symmetries_are_counted_once(monkeypatch: Patch) -> None:
    monkeypatch.setattr(symmetry, "PLACES", symmetry.PLACES[[0, 0, 3]])
    found = claims.group_order(20)
    assert found.value == 2
    assert found.reason.startswith("Of 4 ways to turn")


def sent_nowhere(position: rules.Position, move: int) -> rules.Position:
    """The move, after which the opponent may play anywhere."""
    return replace(rules.play(position, move), forced=rules.FREE)


def sent_to(board: int) -> Callable[[rules.Position, int], rules.Position]:
    """The move, which sends the opponent to one sub-board, wherever it was."""
    return lambda position, move: rules.send(rules.play(position, move), board)


def test_only_turns_that_the_rules_go_along_with_are_symmetries(monkeypatch: Patch) -> None:
    """Without the sending rule the sub-boards turn alone; sent to 0, they keep 0 in its place."""
    assert claims.group_order(20).value == 8
    assert "all of these turn both alike" in claims.group_order(20).reason
    for play, value in ((sent_nowhere, 64), (sent_to(4), 64), (sent_to(0), 16)):
        monkeypatch.setattr(claims, "play", play)
        assert claims.group_order(20).value == value
    monkeypatch.setattr(claims, "play", lambda board, _: board)
    assert claims.group_order(20).value == 64


def test_other_places_are_no_symmetries(monkeypatch: Patch) -> None:
    """Exchanging the first two places breaks lines of three."""
    swapped = np.array([np.arange(9), [1, 0, *range(2, 9)]])
    monkeypatch.setattr(symmetry, "PLACES", swapped)
    assert claims.group_order(200).value == 1


@pytest.mark.parametrize("part", ["legal_moves", "result"])
def test_each_part_of_the_rules_has_to_turn(monkeypatch: Patch, part: str) -> None:
    """The upper left corner counts for nothing, or for X's win."""
    other = {
        "legal_moves": lambda board: [m for m in rules.legal_moves(board) if m],
        "result": lambda board: 1 if board.cells[0] else rules.result(board),
    }[part]
    monkeypatch.setattr(claims, part, other)
    assert claims.group_order(60).value < 8


def test_an_answer_takes_as_many_bytes_as_its_parts_need(monkeypatch: Patch) -> None:
    found = claims.bytes_of_an_entry()
    assert found.value == 3
    assert "Result, distance and move take 14.3 bits: 3 bytes if each" in found.reason
    for cases, value in (((3, 256, 82), 3), ((3, 257, 82), 4), ((3, 82), 2)):
        monkeypatch.setattr(claims, "ANSWER", cases)
        assert claims.bytes_of_an_entry().value == value


def test_endgames_are_met_once_however_they_are_turned(monkeypatch: Patch) -> None:
    late = random_games.random_endgames(15, 5)
    turned = np.concatenate([late, late, *(symmetry.transform(late, k) for k in (1, 2))])
    early = cost.sample_states(50)
    states = np.concatenate([turned, early[playable(early) > 15]])
    monkeypatch.setattr(cost, "sample_states", always(states))
    assert claims._met(15) == (15, 5)


def test_places_that_a_look_up_reads() -> None:
    it, key = table.Table(1024, 1024), 5 + (3 << 40)
    assert claims.places_read(it, key) == {(0, 5), (1, 10), (1, 11)}
    table.store(it.hot, it.cold, np.uint64(key), table.pack(1, table.EXACT, 2, 3))
    assert claims.places_read(it, key) == {(0, 5)}


def test_the_rule_of_eviction_is_what_the_table_does(monkeypatch: Patch) -> None:
    assert claims_settings.eviction().value == "least work"
    made = eviction.LeastRecentlyUsed(3)
    asked = SimpleNamespace(
        Table=lambda *_: SimpleNamespace(
            hot=made.hot, cold=made.cold,
            get=lambda key: int(eviction.probe_lru(made.hot, made.cold, np.uint64(key))) or None),
        store=eviction.store_lru, pack=table.pack, EXACT=table.EXACT,
    )  # fmt: skip
    monkeypatch.setattr(claims_settings, "table", asked)
    assert claims_settings.eviction().value == "LRU"


def test_openings_are_counted_after_so_many_plies() -> None:
    net = stored_tables()
    assert claims_training._openings(net, 5, 1, 1e-3) == 1
    new = claims_training.Trainer(config.LITE, seed=0).tables
    assert claims_training._openings(new, 60, 3, 1.0) > claims_training._openings(new, 60, 3, 1e-3)


def test_an_order_that_can_not_be_told_from_another_is_undecided(monkeypatch: Patch) -> None:
    monkeypatch.setattr(endgames, "node_ratio", lambda *_: (1.0, 0.9, 1.1))
    monkeypatch.setattr(endgames, "node_counts", lambda *_: (5, 6, 7))
    found = claims.place_order()
    assert (found.holds, found.tested) == (None, True)
    assert "fewer nodes on 5, as many on 6, more on 7" in found.found


def test_the_rule_of_places_is_better_than_edges_first_or_a_random_order_by_both_measures() -> None:
    """As the row's reason says."""
    reason = declared("ultimate-move-order").reason
    for file in (endgames.ORDERS, endgames.RANDOM_ORDERS):
        for other in (endgames.EDGES_FIRST, endgames.AT_RANDOM):
            for ratio in (endgames.node_ratio, endgames.total_ratio):
                assert ratio(claims.PLACES, other, 15, file)[2] < 1
        fewer, same, more = endgames.node_counts(claims.PLACES, "lowest index", 15, file)
        assert fewer < same + more
        assert endgames.node_ratio(claims.PLACES, "lowest index", 15, file)[2] < 1
        low, high = endgames.total_ratio(claims.PLACES, "lowest index", 15, file)[1:]
        assert low < 1 < high
    assert "Against a random order, or edges first, it is better by both measures." in reason
    assert "the rule is better in both kinds of games; in the sum over positions" in reason
    assert "the two can't be told apart in either. On most positions our solver" in reason


def test_positions_are_counted_by_who_takes_fewer_nodes(monkeypatch: Patch) -> None:
    nodes = pd.DataFrame({"ours": [1, 2, 3, 4, 5, 6], "theirs": [2, 2, 2, 4, 5, 7]})
    monkeypatch.setattr(endgames, "_nodes", lambda *_: nodes)
    assert endgames.node_counts("ours", "theirs", 15) == (2, 3, 1)


def test_a_result_is_found_anew_from_the_cells_alone(monkeypatch: Patch) -> None:
    """A state that forgot who won its sub-boards, as they are unpacked, changes nothing."""

    class Forgetting(Ultimate):
        def unpack(self, state: Any) -> rules.Position:
            return replace(super().unpack(state), owners=(0,) * 9)

    monkeypatch.setattr(claims, "Ultimate", Forgetting)
    assert claims.result_is_kept(2).holds


def test_late_states_begin_with_fifteen_cells() -> None:
    cells = playable(claims._late_states(GAME, np.random.default_rng(1)))
    assert cells.tolist() == [15, 14, 13, 12, 9, 5]


@pytest.mark.parametrize(
    ("plies", "winner", "side", "wins"),
    [(3, 1, 1, True), (3, -1, -1, True), (3, -1, 1, False), (3, 1, -1, False), (3, 0, 1, False),
     (4, 1, 1, False)],
)  # fmt: skip
def test_a_win_in_time_is_ones_own(plies: int, winner: int, side: int, wins: bool) -> None:
    """A state counts plies; the only legal move is 1, and the solver plays 7."""
    moves: list[int] = []

    def play(batch: Any, move: Any) -> Any:
        moves.append(int(move[0]))
        return batch + 1

    game: Any = SimpleNamespace(
        to_move=always([side]), legal=always(np.array([[False, True]])), play=play,
        finished=lambda batch: [batch[0, 0] >= plies], winner=always([winner]),
    )  # fmt: skip
    near: Any = SimpleNamespace(
        calculate_dtw=lambda state: Solution(1, [3, 2, 2, 0][int(state[0])], 7)
    )
    rng = np.random.default_rng(0)
    assert claims._played_out(game, near, np.array([0]), rng) == (wins, [1, 0, 2])
    assert moves == [7, 1, 7]


# ---------------------------------------------------------------------------- network, search


@pytest.mark.parametrize("shape", [(30, 512, 16), (1, 16, 2)])
def test_a_network_that_ignores_its_settings_does_not_read_them(
    monkeypatch: Patch, shape: tuple[int, int, int]
) -> None:
    settings = claims_network.blocks, claims_network.channels, claims_network.reduction
    assert all(setting().read for setting in settings)
    fixed = NetworkConfig(*shape)
    monkeypatch.setattr(claims_network, "AlphaZeroNet", lambda config: AlphaZeroNet(fixed))
    assert not any(setting().read for setting in settings)


@pytest.mark.parametrize("kind", ["cpu", "meta"])
def test_a_trainer_that_stays_on_one_device_does_not_read_where_it_is_told_to_be(
    monkeypatch: Patch, kind: str
) -> None:
    assert claims_network.device().read
    trainer = claims_network.Trainer
    monkeypatch.setattr(
        claims_network,
        "Trainer",
        lambda config, seed, device: trainer(config, seed=seed, device=kind),
    )
    found = claims_network.device()
    assert (found.value, found.read) == ("cuda", False)
    assert "not always on the device" in found.found


def test_scores_of_networks_trained_on_a_gpu_are_told_from_the_first_to_the_last(
    monkeypatch: Patch,
) -> None:
    rows = [(1, 1.0, 0.1), (1, 5.0, 0.3), (1, 9.6, 0.2), (2, 1.0, 0.5), (2, 9.0, 0.4)]
    table = pd.DataFrame(rows, columns=["seed", "minutes", "score"])
    monkeypatch.setattr(claims_network.gpu_training, "along", lambda network: table)
    assert claims_network._on_a_gpu().endswith(
        "and after 10 minutes, by seed: 0.100, then 0.200; 0.500, then 0.400."
    )


def test_a_network_that_nothing_was_timed_with_does_not_read_its_settings(
    monkeypatch: Patch,
) -> None:
    other = gpu_cost.read().query("network != @gpu_cost.PUBLISHED")
    monkeypatch.setattr(gpu_cost, "read", always(other))
    settings = claims_network.blocks, claims_network.channels, claims_network.reduction
    assert not any(setting().read for setting in settings)


def test_a_setting_is_the_published_one_only_if_a_recorded_training_has_it(
    monkeypatch: Patch,
) -> None:
    monkeypatch.setattr(claims_settings, "_run", lambda **changes: len(changes))
    batch = partial(claims_settings.training, "batch_size", 16)
    first, weight = partial(claims_settings.stage, 0), partial(claims_settings.phase_weight, 3)
    found = batch(), first(), weight()
    assert [one.value for one in found] == [1024, "256, 1000, 1.0", 1.2]
    assert "no recorded training has the published value; ours" in found[0].found
    assert "`large`" in found[2].found
    large = config.LARGE.training
    weighed = replace(config.LARGE, training=replace(large, phase_weights=((30, 1.0), (0, 0.5))))
    monkeypatch.setattr(claims_settings, "RECORDED", (weighed,))
    monkeypatch.setattr(claims_settings, "LARGE", weighed)
    assert weight().value is None
    monkeypatch.setattr(claims_settings, "RECORDED", (config.Config("made"),))
    assert [one().value for one in (batch, first, weight)] == [4096, "200, 83, 1.0", 1.2]
    assert batch().found.endswith("runs that have it (by the names of our configurations): `made`")


def filled(made: Any, move: int) -> Any:
    """The planes with a move as the last one."""
    made.reshape(len(made), -1, 81)[:, 5, move] = 1
    return made


def test_planes_are_compared_with_what_the_document_lists(monkeypatch: Patch) -> None:
    assert claims_network.last_move_shown(1).value == "nothing"
    listed = claims_network._listed
    with monkeypatch.context() as other:
        other.setattr(claims_network, "planes", lambda states: filled(planes(states), 80))
        assert claims_network.last_move_shown(1).value == "something else"
        other.setattr(claims_network, "_listed", lambda position, _: listed(position, 80))
        assert claims_network.last_move_shown(1).value == "Last move position"
    for one, two in ((0, 1), (2, 3), (4, 6)):
        order = list(range(7))
        order[one], order[two] = two, one
        monkeypatch.setattr(claims_network, "planes", lambda s, order=order: planes(s)[:, order])
        shown = [str(n) for n in (0, 1, 2, 3, 4, 6) if n not in (one, two)]
        assert f"channels {', '.join(shown)} show" in claims_network.last_move_shown(3).found


def test_a_move_lands_where_row_and_column_say(monkeypatch: Patch) -> None:
    """In the first game to its end: each move at its place, and at no other."""
    rng, state, places = np.random.default_rng(0), GAME.initial(), 0
    while not GAME.finished(state)[0]:
        move = int(rng.choice(np.flatnonzero(GAME.legal(state)[0])))
        assert claims_network._lands(state[0], move, *divmod(move, 9))
        assert not claims_network._lands(state[0], move, *divmod((move + 1) % 81, 9))
        state, places = GAME.play(state, np.array([move])), places + 1
    assert places > 30
    assert not claims_network._lands(FIRST[0], 80, 8, 8)


def test_a_move_that_sends_elsewhere_does_not_land(monkeypatch: Patch) -> None:
    def play(states: Any, moves: Any) -> Any:
        after = GAME.play(states, moves)
        after[:, FORCED] = 5
        return after

    other = SimpleNamespace(legal=GAME.legal, play=play)
    monkeypatch.setattr(claims_network, "GAME", other)
    assert [claims_network._lands(FIRST[0], move, *divmod(move, 9)) for move in (11, 20)] == [
        True, False,
    ]  # fmt: skip


def test_planes_are_those_of_the_network_as_built(monkeypatch: Patch) -> None:
    found = claims_network.input_planes()
    assert (found.value, found.read) == (7, True)
    with monkeypatch.context() as other:
        other.setattr(claims_network, "planes", lambda states: planes(states, np.zeros(
            len(states), dtype=np.int64)))  # fmt: skip
        assert claims_network.input_planes().found.endswith("is filled, for 7 of the 7")
        other.setattr(claims_network, "_heeded", always(6))
        assert claims_network.input_planes().found.endswith("for 6 of the 7")
        assert not claims_network.input_planes().read
        other.setattr(claims_network, "planes", lambda states: planes(states)[:, :6])
        assert not claims_network.input_planes().read


@pytest.mark.parametrize("left", [6, 5])
def test_the_solver_takes_the_printed_arguments(monkeypatch: Patch, left: int) -> None:
    names = claims_network.ARGUMENTS[:left]
    taken = SimpleNamespace(parameters=dict.fromkeys(names))
    monkeypatch.setattr(claims_network, "inspect", SimpleNamespace(signature=always(taken)))
    found = claims_network.name_of_the_solver()
    assert found.value == "DTWSolver"
    assert f"takes {left} of the 6 printed arguments" in found.reason
    monkeypatch.setattr(claims_network, "DTWSolver", type("DTWCalculator", (), {}))
    assert claims_network.name_of_the_solver().value == "DTWCalculator"


def test_an_agent_is_given_its_solver_by_the_documents_name() -> None:
    assert "dtw_calculator" in inspect.signature(AlphaZeroAgent).parameters
    assert set(claims_network.ARGUMENTS) <= set(inspect.signature(DTWSolver).parameters)


def test_late_midgames_have_the_cells_that_are_told() -> None:
    states = random_games.late_midgames()
    cells = playable(states)
    assert (len(cells), cells.min(), cells.max()) == (200, *random_games.LATE_MIDGAME)


@pytest.mark.parametrize(("falls", "told"), [([1, 3, 1], True), ([1, 0, 2], False)])
def test_a_distance_is_said_to_fall_only_if_it_always_did(
    monkeypatch: Patch, falls: list[int], told: bool
) -> None:
    parts = {**near_wins(), "_played_out": always((True, falls))}
    found = answer(monkeypatch, partial(claims.near_wins_are_won, 5, 2), parts)
    assert ("fell by at least one with every ply, in 2 of 6 by more" in found.reason) is told
    assert ("fell" in found.reason) is told
    assert found.holds is False  # against the longest defence it has to fall by one


@pytest.mark.parametrize(("saved", "told"), [(1.0, True), (5.0, False)])
def test_the_cause_of_small_savings_is_told_only_of_small_ones(
    monkeypatch: Patch, saved: float, told: bool
) -> None:
    found = answer(monkeypatch, claims.symmetry_memory, sharing(saved, round(9 * saved), 9))
    assert found.reason.startswith("Two positions") is told
    assert found.reason.endswith("any factor above 4 pass.")


def test_random_endgames_reach_the_threshold() -> None:
    cells = playable(random_games.random_endgames(15, 50))
    assert (len(cells), cells.max()) == (50, 15)


# ---------------------------------------------------------------------------- training


def test_right_moves_keep_the_exact_result_and_others_do_not() -> None:
    solver = claims_training.DTWSolver()
    asked, right = claims_training._choices(GAME, solver, 5)
    assert len(asked) == len(right) == 5
    for state, good in zip(asked, right, strict=True):
        legal = np.flatnonzero(GAME.legal(state[None])[0])
        after = GAME.play(np.repeat(state[None], len(legal), axis=0), legal)
        kept = [-solver.calculate_dtw(one).result == solver.calculate_dtw(state).result
                for one in after]  # fmt: skip
        assert good[legal].tolist() == kept
        assert 0 < sum(kept) < len(kept)


def test_phases_begin_where_the_table_says() -> None:
    cells = np.array([0, 9, 10, 19, 20, 25, 26, 29, 30, 39, 40, 49, 50, 81])
    assert claims_training.phase_of(cells).tolist() == [k for k in range(7) for _ in range(2)]


def test_empty_cells_are_those_without_a_stone() -> None:
    states = cost.sample_states(50)
    expected = [GAME.unpack(state).cells.count(0) for state in states]
    assert claims_training.empty(states).tolist() == expected


@pytest.mark.parametrize(
    ("surer", "said"),
    [((26,) * 30 + (25,), ("at 0.9, the transition has most, 96.8% (83.8% to 99.4%) of 31 decided "
      "games (more than an average band's 50.0%).")),
     ((26, 25, 25), ("at 0.9, 33.3% (6.1% to 79.2%) of 3 decided games (not clearly other than an "
      "average band's 50.0%) against 66.7% (20.8% to 93.9%) at 22 to 25 cells: the intervals "
      "overlap.")),
     ((30,) * 50, ("at 0.9, 0.0% (0.0% to 7.1%) of 50 decided games (less than an average band's "
      "100.0%) against 100.0% (92.9% to 100.0%) at 30 to 33 cells: the intervals are apart."))],
)  # fmt: skip
def test_the_reason_says_what_comes_out_if_something_else_is_called_sure(
    monkeypatch: Patch, surer: tuple[int, ...], said: str
) -> None:
    parts = turning(*[26] * 30, 25, surer=surer)
    found = answer(monkeypatch, claims_training.transition_decides, parts)
    assert found.holds == (True if "has most" in said else None)
    assert "at 0.7, the transition has most, 96.8% (83.8% to 99.4%)" in found.reason
    assert said.replace("0.9", "0.5").removesuffix(".") in found.reason
    assert found.reason.endswith(said)


# ---------------------------------------------------------------------------- settings


def test_agents_differ_by_their_largest_gap(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims_settings, "_positions", always([0, 1]))
    one: Any = SimpleNamespace(get_action_probs=lambda position: np.full(4, 0.25))
    two: Any = SimpleNamespace(get_action_probs=[[0.25] * 4, [0, 0.375, 0.375, 0.25]].__getitem__)
    assert claims_settings._gap(one, two) == claims_settings._gap(two, one) == 0.25


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.5])
def test_the_strong_agent_is_cooler_or_said_not_to_be(
    monkeypatch: Patch, temperature: float
) -> None:
    made = AlphaZeroAgent(NET, 2, 1.0, temperature)
    monkeypatch.setattr(claims_settings, "create_strong_agent", always(made))
    value = claims_settings.strong_temperature().value
    assert (value == "lower temperature") == (temperature < 1.0)


def test_half_as_many_simulations_change_nothing_else() -> None:
    half = claims_settings._changed(AlphaZeroAgent(NET, 10, 2.0, 0.5), num_simulations=5)
    assert (half.num_simulations, half.c_puct, half.temperature) == (5, 2.0, 0.5)


def test_runs_are_compared_by_all_samples_and_their_last_losses(monkeypatch: Patch) -> None:
    names = ("samples", "policy_loss", "value_loss")
    log = [
        dict(zip(names, row, strict=True)) for row in ((1, 0.5, 0.6), (2, 0.3, 0.4), (4, 0.1, 0.2))
    ]

    def trained(trainer: Any, folder: Path) -> None:
        trainer.log = log
        trainer.save_net(folder / "net.safetensors")

    monkeypatch.setattr(claims_settings, "train", trained)
    assert claims_settings._run.__wrapped__() == (7, 0.1, 0.2, 1)


def test_a_trainer_that_ignores_mixed_precision_does_not_read_it(monkeypatch: Patch) -> None:
    assert claims_settings.mixed_precision().read
    real = claims_settings.Trainer

    def ignoring(found: config.Config, *, seed: int) -> Any:
        return real(claims_settings.with_changes(found, use_amp=False), seed=seed)

    monkeypatch.setattr(claims_settings, "Trainer", ignoring)
    assert not claims_settings.mixed_precision().read


@pytest.mark.parametrize(
    ("endgames", "value"),
    [(["play"], "MCTS"), (["play", "relabel"], "MCTS; the solver relabels")],
)
def test_what_plays_in_self_play_is_read_off_the_recorded_trainings(
    monkeypatch: Patch, endgames: list[str], value: str
) -> None:
    runs = [config.Config(training=replace(TrainingConfig(), endgame=one)) for one in endgames]
    monkeypatch.setattr(claims_settings, "RECORDED", runs)
    assert claims_settings.self_play_solver().value == value


def test_the_solver_relabels_in_most_recorded_trainings_and_chooses_moves_in_none() -> None:
    """As the row's reason says: the other ones don't ask it, as `published` doesn't."""
    ways = [run.training.endgame for run in claims_settings.RECORDED]
    assert set(ways) == {"play", "relabel"}
    assert 2 * ways.count("relabel") > len(ways)
    assert (config.Config().name, config.Config().training.endgame) == ("published", "play")
    assert claims_settings.LARGE.training.endgame == "relabel"


def test_by_default_the_hybrid_solves_from_twenty_cells_and_makes_no_shallow_search() -> None:
    """As the reasons say; the match with the published settings reads all three."""
    given = inspect.signature(players.alphazero).parameters
    assert (given["solver"].default, given["shallow"].default) == (20, 0)


def test_the_match_with_the_published_settings_reads_all_three() -> None:
    rows = matches.read("ultimate_hybrid.csv").query("player == 'published settings'")
    read = Hybrid(GAME, always(0), int(rows.cells.item()), int(rows.shallow.item()))
    named = ("threshold", "midgame", "depth")
    published = [declared(f"alphazero-solver-{name}").published for name in named]
    assert [read.cells, read.midgame, read.shallow] == published
    assert config.LARGE.dtw.endgame_threshold == config.LITE.dtw.endgame_threshold == published[0]


@pytest.mark.parametrize("number", [1, 2])
def test_of_the_settings_of_the_first_stages_the_temperature_alone_agrees(number: int) -> None:
    row = declared(f"alphazero-stage-{number}")
    ours = str(claims_settings.stage(**row.args).value).split(", ")
    same = [one == other for one, other in zip(str(row.published).split(", "), ours, strict=True)]
    assert same == [False, False, True]
    assert row.reason.startswith("Of the three, the temperature agrees.")


def test_the_hybrid_is_built_from_the_settings_of_the_solver() -> None:
    player = claims_settings._hybrid(config.DTWConfig(12, 33, 5))
    solver = player.solver
    found = (solver.endgame_threshold, solver.midgame_threshold, solver.shallow_depth)
    assert (player.shallow, *found) == (5, 12, 33, 5)


@pytest.mark.parametrize("name", ["endgame_threshold", "midgame_threshold", "shallow_depth"])
def test_another_configured_solver_is_another_setting(monkeypatch: Patch, name: str) -> None:
    dtw = replace(config.DTWConfig(), **{name: 20})
    monkeypatch.setattr(claims_settings, "Config", always(config.Config(dtw=dtw)))
    monkeypatch.setattr(claims_settings, "_ways", always({}))
    assert claims_settings.hybrid(name, 30).value == 20


@pytest.mark.parametrize("limit", [1, 5, 9])
def test_the_agents_limit_of_near_wins_is_seen_in_its_play(monkeypatch: Patch, limit: int) -> None:
    """What it plays at once ends there; another limit of the agent shows, and as another value."""
    states = cost.sample_states(600, rng=5)
    monkeypatch.setattr(cost, "sample_states", always(states))
    assert [set(played) for played in claims_settings._won_at_once(limit, limit)] == [
        {True}, {False} if limit < 9 else set(),
    ]  # fmt: skip
    monkeypatch.setattr(players, "QUICK_WIN", limit)
    assert claims_settings.near_win_limit().value == limit


FORMS: list[tuple[Callable[..., Any], Callable[..., Parts], list[tuple[Any, ...]]]] = [
    (claims_network.form_of_moves, lambda move: solver((1, 3, move)),
     [(20, "9 row + column", "a tuple in 0 of 1 endgames"),
      ((2, 2), "(row, col) tuple", "a tuple in 1 of 1 endgames")]),
    (claims_network.distance_of_draws, lambda distance: solver((0, distance, 0)),
     [(None, "none for a draw", "in 0 of 1 drawn"), (7, "moves to outcome", "in 1 of 1 drawn")]),
    (claims_network.no_win_unpacks, answering,
     [(None, "None", "in 0 of the 1 others"), (None, (None, 9.0), "None", "in 1 of the 2 others"),
      ((None, 9.0), "move, distance", "in 1 of the 1 others"),
      ((1, 2, 3), "None", "in 0 of the 1 others")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "given", "case"),
    [(claim, given, case) for claim, given, cases in FORMS for case in cases],
)
def test_what_an_interface_gives_is_named(
    monkeypatch: Patch, claim: Callable[..., Any], given: Callable[..., Parts],
    case: tuple[Any, ...],
) -> None:  # fmt: skip
    *data, value, words = case
    found = answer(monkeypatch, claim, given(*data))
    assert found.value == value
    assert words in found.reason


def test_won_endgames_are_left_out_where_no_win_is_asked_for(monkeypatch: Patch) -> None:
    found = answer(monkeypatch, claims_network.no_win_unpacks, answering(None, won=3))
    assert "can take our answer in 3 of 4 endgames" in found.reason
    assert "0 of the 1 others" in found.reason


@pytest.mark.parametrize("way", ["play", "relabel"])
@pytest.mark.parametrize(("times", "value"), [(0, "never"), (1, 20), (2, 10)])
def test_saved_tables_are_counted(monkeypatch: Patch, times: int, value: object, way: str) -> None:
    def run(num_iterations: int, endgame: str) -> None:
        assert num_iterations == 20  # so that the document's interval, 10, could be found
        for _ in range(times * (endgame == way)):
            table.Table(1, 1).save(Path(), {})

    monkeypatch.setattr(claims_settings, "_run", SimpleNamespace(__wrapped__=run))
    found = claims_settings.cache_interval()
    assert (found.value, found.read) == (value, times > 0)
    asked, relabelled = (times * (way == one) for one in ("play", "relabel"))
    assert f"a solver's table is saved {asked} times if self-play asks no solver" in found.found
    assert found.found.endswith(f"and {relabelled} times if a solver relabels endgames")


@pytest.mark.parametrize(
    ("mean", "alone", "cheapest", "told"),
    [(0.05, 150.0, 0.064,
      ("not: a", "takes on average less time than one evaluation of the published network, on a c",
       "about 800 times as long as one evaluation in large batches, and less time than one eval")),
     (0.5, 0.2, 0.1,
      ("not: a", "about 2 times as long as one evaluation of the published network on a core of",
       "kind, and about 5 times as long as one evaluation in large", "about 5,000 times")),
     (0.25, 0.25, 0.1,
      ("not: a", "takes on average about as long as one evaluation of the published network on a c",
       "kind, and about 2 times as long as one evaluation in large", "about 1,000 times")),
     (1.0, 10.0, 0.05,
      ("would: a", "takes on average less time than one evaluation of the published network on a c",
       "kind, and about 20 times as long as one evaluation in large", "about 100 times"))],
)  # fmt: skip
def test_what_a_solver_in_the_tree_would_cost_is_told(
    monkeypatch: Patch, mean: float, alone: float, cheapest: float, told: tuple[str, ...]
) -> None:
    parts = {"gpu_cost.best": always(1e3 / cheapest), "_published_milliseconds": always(alone),
             "endgames.mean_milliseconds": always(mean)}  # fmt: skip
    reason = answer(monkeypatch, claims_network.search_in_the_tree, parts).reason
    assert all(words in reason for words in told)


def test_most_recorded_runs_relabel_and_the_published_one_does_not() -> None:
    """As the reason of ``alphazero-cache-interval`` says."""
    ways = [run.training.endgame for run in claims_settings.RECORDED]
    assert ways.count("relabel") > len(ways) / 2
    assert config.Config().training.endgame == "play"


@pytest.mark.parametrize(
    ("found", "truth", "value", "told"),
    [((None, None), (1, 1, 0), "None for a win in one", "knows 0 of 2 endgames; the other 2 are "),
     ((None, (1, 1, 0)), (1, 1, 0), "None for a win in one", "knows 1 of 2 endgames; of the"),
     (((1, 1, 0),), (1, 1, 0), "result, distance, best_move", "knows 1 of 1 endgames; of the"),
     ((None,), (1, 3, 0), "no win in one was met", "of the other 1, 0 are won at once")],
)  # fmt: skip
def test_what_is_kept_of_positions_that_are_won_at_once(
    monkeypatch: Patch, found: tuple[Any, ...], truth: tuple[int, ...], value: str, told: str
) -> None:
    parts = recalled(*found, truth=truth)
    answered = answer(monkeypatch, claims_network.kept_if_won_at_once, parts)
    assert answered.value == value
    assert told in answered.reason


def test_positions_are_of_the_midgame() -> None:
    cells = playable(claims_settings._states())
    assert (len(cells), cells.min(), cells.max()) == (120, 10, 50)


@pytest.mark.parametrize("tier", ["hot", "cold"])
def test_the_hybrids_table_has_the_size_that_is_told(tier: str) -> None:
    found = claims_settings.table_size(tier)
    player = Hybrid(GAME, always(None), 15)
    assert (found.value, found.read) == (len(getattr(player.solver.table, tier)), True)


@pytest.mark.parametrize("tier", ["hot", "cold"])
@pytest.mark.parametrize(("fewest", "more"), [((75, 50), "25.0%"), ((60, 40), "0.0%")])
def test_what_another_size_of_table_would_change_is_counted(
    tier: str, fewest: tuple[int, int], more: str, monkeypatch: Patch
) -> None:
    usual = {"hot": 4096, "cold": 65536}
    few = usual | {tier: 1024}
    nodes = {(4096, 65536): (60, 40), (65536, 1 << 20): (50, 30), (*few.values(),): fewest}
    monkeypatch.setattr(claims_settings, "_nodes", lambda hot, cold: nodes[hot, cold])
    found = claims_settings.table_size(tier)
    assert found.read is (more != "0.0%")
    assert "2 endgames of 20 cells take 20.0% fewer nodes" in found.found
    assert f"with 1,024 in this one {more} more" in found.found


@pytest.mark.parametrize(
    ("takes", "value"), [((str, Path), "./model/model.pth"), (Path, "a pathlib.Path")]
)
def test_what_save_takes_is_tried(monkeypatch: Patch, takes: Any, value: str) -> None:
    def save(path: object) -> None:
        if not isinstance(path, takes):
            raise AttributeError

    run = always(nullcontext((SimpleNamespace(save=save), Path("model"))))
    monkeypatch.setattr(claims_network, "_tiny_run", run)
    assert claims_network.path_of_a_checkpoint().value == value

"""What notebook 05 shows about learning: table rows, one search, one game, a minute of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest

from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import Agent, random_agent
from ttt_lib.ultimate.board.draw import UltimateBoard
from ttt_lib.ultimate.board.kernels import FORCED, FREE, States
from ttt_lib.ultimate.board.rules import MOVES
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import planes
from ttt_lib.ultimate.network.tablenet import CASES, Tables
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies import OPENING_PLIES, curves, strength
from ttt_lib.ultimate.studies.matches import PAIRS
from ttt_lib.ultimate.studies.plain_search import GAME, Node, grow
from ttt_lib.ultimate.studies.yardstick import ILLEGAL, Yardstick

PLANE_NAMES = ("own stones", "opponent's", "won", "lost", "drawn", "last move", "allowed")
"""The document's seven planes, from the view of the side to move."""

WIDE = 264
"""Width of a board when two are shown side by side."""

RIVALS: dict[str, Agent] = {
    "random": random_agent(GAME),
    "UCT 100": uct(GAME, 100),
    "UCT 1,000": uct(GAME, 1000),
}
"""Opponents that the network plays while the reader waits."""


# ---------------------------------------------------------------------------- the network


def value_rows(tables: Tables, state: States) -> pd.DataFrame:
    """The rows that a table net adds up for one position: one row per part, R columns."""
    case, meta = tablenet.cases(state[None])
    width, forced = len(tables.weights) // len(tables.bias), int(state[FORCED])
    rows = tables.rows.reshape(-1, width)
    places = [board * CASES + int(case[0, board]) for board in range(9)]
    places += [18 * CASES if forced == FREE else (9 + forced) * CASES + int(case[0, forced])]
    places += [18 * CASES + 1 + int(meta[0])]
    names = [*(f"sub-board {board}" for board in range(9)), "where to play", "meta-board"]
    return pd.DataFrame(rows[places] / tablenet.ROW_UNIT, index=names)


def full_planes(*, rng: int) -> NDArray[np.float32]:
    """The planes, shape (7, 9, 9), of the first position of random games that uses them all.

    One sub-board is forced there, so that the last plane doesn't cover the whole board.
    """
    draw = np.random.default_rng(rng)
    while True:
        state, last = GAME.initial(), -1
        while not GAME.finished(state)[0]:
            found: NDArray[np.float32] = planes(state, np.array([last]))[0]
            if found.any(axis=(1, 2)).all() and found[6].sum() == 9:
                return found
            last = int(draw.choice(np.flatnonzero(GAME.legal(state)[0])))
            state = GAME.play(state, np.array([last]))


# ---------------------------------------------------------------------------- one search


def picture(state: States, labels: Mapping[int, str]) -> UltimateBoard:
    """A running state with a short text for some of its moves."""
    texts = [labels.get(move, "") for move in range(MOVES)]
    return UltimateBoard(GAME.write_state(state), labels=texts, width=WIDE)


def outcomes(measure: Yardstick, row: int) -> dict[int, str]:
    """What each move of a position leads to: ``+7`` wins in seven plies, ``=`` draws."""
    signs, found = {1: "+", 0: "=", -1: "-"}, measure.results[row]
    return {
        int(move): f"{signs[int(found[move])]}{measure.distances[row, move] or ''}"
        for move in np.flatnonzero(found != ILLEGAL)
    }


def moves(measure: Yardstick, row: int, root: Node) -> pd.DataFrame:
    """Each move of a position: its exact result, and what policy and search make of it."""
    truth, children = outcomes(measure, row), root.children
    rows = {
        move: {
            "exact": truth[move], "policy": round(child.prior, 2), "visits": child.visits,
            "value": f"{child.mean:+.2f}" if child.visits else "",
        }
        for move, child in children.items()
    }  # fmt: skip
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("move")
    return table.sort_values("policy", ascending=False, kind="stable")


def corrected(measure: Yardstick, evaluator: Evaluator, simulations: int, most: int = 9) -> int:
    """The first position of at most ``most`` moves where the policy errs and a search does not.

    Raises
    ------
    ValueError
        If there is none.
    """
    for row in np.flatnonzero((measure.results != ILLEGAL).sum(axis=1) <= most).tolist():
        children = grow(measure.states[row], evaluator, simulations)[0].children
        guess = max(children, key=lambda move: children[move].prior)
        choice = max(children, key=lambda move: children[move].visits)
        best = measure.results[row].max()
        if measure.results[row, guess] < measure.results[row, choice] == best:
            return int(row)
    raise ValueError(f"no position of at most {most} moves is corrected by {simulations}")


def tree_text(node: Node, *, depth: int = 3, least: int = 3, name: str = "root") -> str:
    """A search tree as lines of text: moves with at least ``least`` visits, most visited first.

    A value is the mean for the player who makes the move.
    """
    value = f"   value {node.mean:+.2f}" if name != "root" else ""
    line = f"{name:<16}{node.visits:>5} visits{value}\n"
    if depth == 0:
        return line
    moves = sorted(node.children, key=lambda move: -node.children[move].visits)
    indent = " " * (len(name) - len(name.lstrip()) + 2)
    return line + "".join(
        tree_text(node.children[m], depth=depth - 1, least=least, name=f"{indent}move {m}")
        for m in moves
        if node.children[m].visits >= least
    )


# ---------------------------------------------------------------------------- learning


def sample_boards(samples: Samples, plies: Sequence[int]) -> tuple[list[UltimateBoard], list[str]]:
    """Pictures of some plies of a game with what is learned from them: shares of moves, values."""
    boards, captions = [], []
    for ply in plies:
        visits = samples.visits[ply].astype(float)
        shares = 100 * visits / visits.sum()
        labels = {int(move): f"{shares[move]:.0f}" for move in np.flatnonzero(shares >= 0.5)}
        boards.append(picture(samples.states[ply], labels))
        side = "X" if GAME.to_move(samples.states[[ply]])[0] > 0 else "O"
        captions.append(f"ply {ply}, {side} to move: value {samples.values[ply]:+.2f} for {side}")
    return boards, captions


def measured(tables: Tables, *, simulations: int = 200, games: int = 100) -> dict[str, MatchResult]:
    """Matches of a table net with ``RIVALS`` from paired openings."""
    ours = table_agent(tables, simulations)
    return {
        name: match(ours, rival, games, rng=0, openings=OPENING_PLIES)
        for name, rival in RIVALS.items()
    }


def standing(low: float, high: float) -> str:
    """Where the interval of a score lies: ``ahead``, ``behind``, or ``about level``."""
    return "ahead" if low > 0.5 else "behind" if high < 0.5 else "about level"


def unequal_pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Pairs of games won and lost in each match, and the two-sided p-value of a sign test.

    Pairs that end level are left out; where all do, p is 1.
    """
    ahead, behind = (rows[list(names)].sum(axis=1) for names in (PAIRS[3:], PAIRS[:2]))
    counted = zip(ahead, behind, strict=True)
    p = [
        binomtest(int(won), int(won + lost)).pvalue if won + lost else 1.0 for won, lost in counted
    ]
    return pd.DataFrame({"won": ahead, "lost": behind, "p": p})


def with_interval(found: MatchResult) -> str:
    """The score of a match with its 95% interval, as text."""
    low, high = found.score_interval
    return f"{found.score:.2f} ({low:.2f} to {high:.2f})"


def strengths(simulations: Sequence[int]) -> pd.DataFrame:
    """The stored strength table, one row per opponent, one column per number of simulations."""
    table = strength.summary()
    chosen = table[table["simulations"].isin(simulations)]
    texts = [
        f"{score:.2f} ({low:.2f} to {high:.2f})"
        for score, low, high in chosen[["score", "low", "high"]].to_numpy()
    ]
    wide = chosen.assign(text=texts).pivot(index="opponent", columns="simulations", values="text")
    return wide.reindex(chosen["opponent"].unique()).fillna("")


def reached(targets: Sequence[tuple[float, int, float]]) -> pd.DataFrame:
    """Median scores over seeds after some CPU-minutes, beside our targets.

    Parameters
    ----------
    targets : sequence of (CPU-minutes, UCT playouts, score)
    """
    return pd.DataFrame(
        [
            {
                "within CPU-minutes": minutes, "UCT playouts": f"{playouts:,}", "aim": aim,
                "median score": round(float(curves.at(minutes, playouts)), 3),
                "reached": "yes" if curves.at(minutes, playouts) >= aim else "no",
            }
            for minutes, playouts, aim in targets
        ]
    )  # fmt: skip

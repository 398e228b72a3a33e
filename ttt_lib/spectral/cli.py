"""The command ``ttt spectral``: train the document's policy, judge it, show what it learned."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid, notation, parse
from ttt_lib.game.gametree import solve
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, minimax, random_agent, uct
from ttt_lib.game.record import record
from ttt_lib.spectral.features import MAX_EDGE
from ttt_lib.spectral.interpret import score_grid, weight_table
from ttt_lib.spectral.labels import Rows, mover_chances, training_rows
from ttt_lib.spectral.policy import Model, chosen, cross_validate, good_of, spectral, trained

SIZES = range(3, MAX_EDGE + 1)
MAX_COUNT = 1_000_000
"""Largest number of states, playouts or games: minutes to hours."""

DEFAULTS = {"samples": 400, "rollouts": 6, "mcts_iters": 150}
"""Numbers that only some labels and games read, so that they must not be given for others."""

Found = dict[str, Any]


def settle(options: argparse.Namespace) -> argparse.Namespace:
    """Fill in the defaults that depend on other flags, and check the numbers.

    Raises
    ------
    ValueError
        If a number is out of range, a flag does not fit the board or has no effect, or there is no
        move to show.
    """
    settled = argparse.Namespace(**vars(options))
    settled.labels = options.labels or ("mc" if options.n else "optimal")
    settled.n = 3 if options.n is None else options.n
    if settled.n not in SIZES:
        raise ValueError(f"--n must be {SIZES.start} to {SIZES.stop - 1}, not {settled.n}")
    if settled.games_perfect is None:
        settled.games_perfect = 30 if settled.n == 3 else 0
    if settled.games_perfect and settled.n > 3:
        raise ValueError("--games-perfect needs --n 3: the perfect player is known there only")
    _without_effect(settled)
    for name, default in DEFAULTS.items():
        if getattr(settled, name) is None:
            setattr(settled, name, default)
    _in_range(settled)
    if settled.games_mcts and not settled.mcts_iters:
        raise ValueError("--games-mcts needs --mcts-iters of at least 1")
    if settled.show is not None:
        running(settled.show, Grid(settled.n))
    return settled


def _without_effect(settled: argparse.Namespace) -> None:
    """Refuse numbers that would not be read."""
    for name in ("samples", "rollouts"):
        if getattr(settled, name) is not None and settled.labels != "mc":
            raise ValueError(f"--{name} needs --labels mc: no other labels are sampled")
    if settled.mcts_iters is not None and not settled.games_mcts:
        raise ValueError("--mcts-iters needs --games-mcts: there is no game against tree search")


def _in_range(settled: argparse.Namespace) -> None:
    """Refuse numbers that are negative or too large."""
    for name in ("games_random", "games_perfect", "games_mcts", "mcts_iters", "seed"):
        if getattr(settled, name) < 0:
            flag = name.replace("_", "-")
            raise ValueError(f"--{flag} can't be negative: {getattr(settled, name)}")
    for name in (*DEFAULTS, "games_random", "games_perfect", "games_mcts"):
        if getattr(settled, name) > MAX_COUNT:
            raise ValueError(f"--{name.replace('_', '-')} must be at most {MAX_COUNT:,}")


def study(options: argparse.Namespace) -> Found:
    """Everything that the command reports, as a JSON object.

    Raises
    ------
    ValueError
        As :func:`settle`, or if the labels or the penalty do not fit.
    """
    options = settle(options)
    grid = Grid(options.n)
    sampled = {name: getattr(options, name) for name in ("samples", "rollouts", "seed")}
    rows = training_rows(grid, options.labels, **sampled)
    choice = {"labels": options.labels, "lam": options.lam, **sampled}
    model = trained(grid, symmetric=options.sym_avg, **choice)
    names = {True: "yes", False: "no"}
    safe = names[not options.no_safety]
    agent = spectral(grid, names[options.sym_avg], safe, **choice)
    request = {"n": options.n, "symmetric": options.sym_avg, "safety": not options.no_safety}
    return {
        **request,
        **choice,
        "states": len(rows.states),
        "rows": len(rows.after),
        **learned(rows, model, options.seed),
        "exact": exact(agent) if options.n == 3 else None,
        "matches": matches(agent, options),
        "self_play": self_play(agent) if options.self_play else None,
        **({} if options.show is None else {"shown": shown(model, options.show)}),
    }


def learned(rows: Rows, model: Model, rng: np.random.Generator | int) -> Found:
    """Accuracy on the training states and on held-out ones, weights, and lists of cells."""
    hits = chosen(rows.table(model(rows.after))) & good_of(rows)
    enough = len(rows.states) >= 5
    held_out = cross_validate(rows, symmetric=model.symmetric, rng=rng) if enough else {}
    return {
        "accuracy": float(hits.any(axis=1).mean()),
        "cross_validation": {f"{lam:g}": accuracy for lam, accuracy in held_out.items()},
        "weights": model.weights.tolist(),
        "priorities": dict(zip("xo", model.priorities().tolist(), strict=True)),
    }


def running(text: str, grid: Grid) -> NDArray[np.int8]:
    """The board of a running game, shape (cells,).

    Raises
    ------
    ValueError
        If the board is not of this size, or its game is over.
    """
    board = parse(text, grid)
    if grid.finished(board[None])[0]:
        raise ValueError(f"--show: the game {text} is over, there is no move to score")
    return board


def shown(model: Model, text: str) -> Found:
    """The scores of the moves on a board, and on 3x3 the mover's exact winning chance after each.

    Raises
    ------
    ValueError
        As :func:`running`.
    """
    board = running(text, model.grid)
    grids = {"scores": score_grid(model, board)}
    if model.grid.n == 3:
        tree = solve(model.grid)
        grids["chances"] = mover_chances(tree)[tree.index(board[None])[0]].reshape(3, 3)
    lists = {name: [[None if np.isnan(v) else float(v) for v in row] for row in grid]
             for name, grid in grids.items()}  # fmt: skip
    return {"board": text, **lists}


def exact(agent: Agent) -> Found:
    """Exact results on 3x3 as fractions, from the agent's side."""
    found: Found = {"random": {}, "minimax": {}}
    for (side, name), outcome in record(agent, tuple(found)).matches.items():
        found[name][side] = {result: str(chance) for result, chance in outcome._asdict().items()}
    return found


def matches(agent: Agent, options: argparse.Namespace) -> Found:
    """Simulated games with alternating sides and 95% Wilson intervals."""
    grid = Grid(options.n)
    wanted: list[tuple[str, int, Callable[[], Agent]]] = [
        ("random", options.games_random, lambda: random_agent(grid)),
        ("minimax", options.games_perfect, lambda: minimax(grid)),
        (
            f"uct:iterations={options.mcts_iters}",
            options.games_mcts,
            lambda: uct(grid, options.mcts_iters),
        ),
    ]
    progress = sys.stderr.isatty()
    return {
        name: match(agent, build(), games, rng=options.seed, progress=progress).as_dict()
        for name, games, build in wanted
        if games
    }


def self_play(agent: Agent) -> Found:
    """The only game that the agent plays against itself: it draws no random numbers."""
    game, rng = agent.game, np.random.default_rng(0)
    state, moves = game.initial(), []
    while not game.finished(state)[0]:
        moves.append(int(agent.policy(state, rng)[0].argmax()))
        state = game.play(state, np.array(moves[-1:]))
    return {"moves": moves, "board": notation(state[0]), "winner": int(game.winner(state)[0])}


# ---------------------------------------------------------------------------- as text


def as_text(found: Found) -> str:
    """The report as readable text."""
    parts = [_head(found), _accuracy(found), _lists(found), _weights(found)]
    parts += [_shown(found["shown"])] if "shown" in found else []
    parts += [_exact(found)] if found["exact"] else []
    parts += [_matches(found)] if found["matches"] else []
    if found["self_play"]:
        word = {1: "X wins", -1: "O wins", 0: "a draw"}[found["self_play"]["winner"]]
        parts.append(f"with itself: moves {_words(found['self_play']['moves'])}: {word}")
    return "\n\n".join(parts)


def _words(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def _head(found: Found) -> str:
    symmetric = "symmetric" if found["symmetric"] else "standard"
    rule = "with" if found["safety"] else "without"
    return (
        f"{found['n']}x{found['n']}, {symmetric} features, labels {found['labels']}, {rule} safety "
        f"rule, lambda {found['lam']:g}, seed {found['seed']}: {found['rows']} moves of "
        f"{found['states']} states"
    )


def _accuracy(found: Found) -> str:
    lines = [f"training accuracy {found['accuracy']:.4f}"]
    pairs = found["cross_validation"].items()
    lines += [f"  held out, lambda {lam:<8}{value:.4f}" for lam, value in pairs]
    return "\n".join(lines)


def _lists(found: Found) -> str:
    lists = found["priorities"].items()
    return "\n".join(
        f"{side.upper()} takes the first free cell of {_words(o)}" for side, o in lists
    )


def _weights(found: Found) -> str:
    model = Model(Grid(found["n"]), np.array(found["weights"]), found["symmetric"])
    rows = weight_table(model).head(8).itertuples()
    return "largest weights\n" + "\n".join(
        f"  {row.channel} u={row.u} v={row.v}  {row.weight:+.4f}" for row in rows
    )


def _shown(found: Found) -> str:
    names = {"scores": "scores", "chances": "exact chance to win under random play"}
    return "\n".join(
        f"{name} of the moves on {found['board']}\n"
        + "\n".join("  " + "".join(_cell(value) for value in row) for row in found[key])
        for key, name in names.items()
        if key in found
    )


def _cell(value: float | None) -> str:
    return f"{'.':>8}" if value is None else f"{value:8.3f}"


def _exact(found: Found) -> str:
    return "exact\n" + "\n".join(
        f"  {side.upper()} against {name:<8} win {o['win']}  draw {o['draw']}  loss {o['loss']}"
        for name, sides in found["exact"].items()
        for side, o in sides.items()
    )


def _matches(found: Found) -> str:
    return "games, alternating sides\n" + "\n".join(
        f"  {name:<20} win {m['win']}  draw {m['draw']}  loss {m['loss']}  "
        f"(win share {m['intervals']['win'].low:.3f} to {m['intervals']['win'].high:.3f})"
        for name, m in found["matches"].items()
    )

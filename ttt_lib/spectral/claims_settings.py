"""Settings and flags of document 2's commands, and which of them our runs and `ttt` take over."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ttt_lib.evidence.answers import Finding, Setting
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Agent, winning_cells
from ttt_lib.spectral.alternatives import moves_made
from ttt_lib.spectral.claims import GRID, SEEDS, table
from ttt_lib.spectral.cli import matches, settle
from ttt_lib.spectral.flags import add_arguments
from ttt_lib.spectral.labels import sample_states
from ttt_lib.spectral.policy import spectral, trained
from ttt_lib.spectral.runs import moved_model, quick_checked


def sampling_read() -> Setting:
    """Whether the numbers of samples and rollouts affect the player of our matches on 4x4."""
    return _sampling_read(spectral(Grid(4), "no", "yes", "mc"), samples=400, rollouts=6)


QUICK: dict[str, Any] = {"samples": 200, "rollouts": 6}
"""What our quick check on 3x3 is trained on, as by the document's command for a quick run."""


def quick_sampling_read() -> Setting:
    """The same for the quick check on 3x3."""
    ours, fewer, shorter = (
        trained(GRID, labels="mc", **{**QUICK, **other}).weights
        for other in ({}, {"samples": 100}, {"rollouts": 3})
    )
    read = not np.allclose(ours, fewer) and not np.allclose(ours, shorter)
    shown = " ".join(map(str, QUICK.values()))
    return Setting(shown, read, "half the samples, or half the rollouts, give other weights")


def larger_sampling_read() -> Setting:
    """The same for the stored check on 4x4 with the numbers of the document's command."""
    return _sampling_read(quick_checked(0), samples=600, rollouts=8)


def _sampling_read(player: Agent, samples: int, rollouts: int) -> Setting:
    """Whether a player of 4x4 is the one trained with these numbers, and another with half."""
    boards = sample_states(Grid(4), 1000, rng=0)

    def moves(agent: Agent) -> Ints:
        chosen = agent.policy(boards, np.random.default_rng(0)).argmax(axis=1)
        return np.asarray(chosen, dtype=np.int64)

    same, fewer, shorter = (
        np.array_equal(
            moves(player),
            moves(spectral(Grid(4), "no", "yes", "mc", samples=some, rollouts=played)),
        )
        for some, played in (
            (samples, rollouts),
            (samples // 2, rollouts),
            (samples, rollouts // 2),
        )
    )
    shown = f"{samples} {rollouts}" if same else "others"
    text = "half the samples, or half the rollouts, lead to other moves"
    return Setting(shown, not fewer and not shorter, text)


def largest_sampling_read() -> Setting:
    """The numbers of samples and rollouts of our training on 5x5, and whether they are read."""
    grid, given = Grid(5), {"samples": 400, "rollouts": 6}
    ours = moved_model("trained there", Grid(4), grid, 0).weights
    same, fewer, longer = (
        trained(grid, symmetric=True, labels="mc", **{**given, **other}).weights
        for other in ({}, {"samples": 300}, {"rollouts": 12})
    )
    read = not np.allclose(ours, fewer) and not np.allclose(ours, longer)
    shown = " ".join(map(str, given.values())) if np.array_equal(ours, same) else "others"
    text = "with 300 samples, or with 12 rollouts, our training on 5x5 gives other weights"
    return Setting(shown, read, text)


RULE_IN_WORDS = "check any immediate winning move; if none, block any opponent immediate win"
"""The safety rule as the document puts it."""


def safety_read() -> Setting:
    """Whether our player follows the safety rule in all 3x3 states, and moves otherwise without."""
    tree = solve(GRID)
    running, side = ~tree.finished, GRID.to_move(tree.boards)
    wins, blocks = (winning_cells(GRID, tree.boards, sign * side) for sign in (1, -1))
    ruled, bare = (policy_table(spectral(GRID, safety=on), tree) > 0 for on in ("yes", "no"))
    forced = np.where(wins.any(axis=1, keepdims=True), wins, blocks)
    allowed = np.where(forced.any(axis=1, keepdims=True), forced, bare)
    follows = int((ruled <= allowed)[running].all(axis=1).sum())
    changed = int((ruled != bare)[running].any(axis=1).sum())
    return Setting(
        RULE_IN_WORDS if follows == running.sum() else "another rule",
        changed > 0,
        f"with it the player takes another move in {changed} of {running.sum()} states of 3x3",
        f"In {follows} of the {running.sum()} it wins where it can, else blocks where it must, "
        "else takes the move of the highest score.",
    )


def seed_read() -> Setting:
    """The seed of ``ttt spectral`` where none is given, and whether it changes sampled labels."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    seed = int(parser.parse_args([]).seed)
    ours, other = (trained(GRID, labels="mc", seed=one).weights for one in (seed, seed + 1))
    return Setting(
        seed,
        not np.allclose(ours, other),
        f"with seed {seed + 1} instead, labels sampled by `ttt spectral` give other weights",
        "The default of `ttt spectral`, and the seed of the replays. Where the ledger judges a "
        f"random result as a sample and has no exact chances, {SEEDS} other seeds stand beside it.",
    )


def iterations_read() -> Setting:
    """The iterations of the searches in our matches on 4x4, and whether they change the search."""
    sizes = sorted({int(n) for n in table("spectral_kept.csv")["iterations"]}, reverse=True)
    made = [moves_made(Grid(4), size, rng=0) for size in sizes]
    return Setting(
        " ".join(map(str, sizes)),
        len(set(made)) == len(made) > 1,
        f"a search from the empty board makes {' and '.join(map(str, made))} moves with them",
    )


def games_recorded(
    board: str, player: str, against: Sequence[str], file: str = "spectral_games.csv"
) -> Setting:
    """How many games each of our stored matches has, opponent by opponent; 0 where we store none.

    Parameters
    ----------
    player, against : str, sequence of str
        How the name of our player begins; names of its opponents, without ``@iterations``.
    file : str
        The stored table of matches.
    """
    rows = table(file)
    mine = rows[(rows["board"] == board) & rows["player"].str.startswith(player)]
    found = [mine[mine["opponent"].str.match(f"{other}(@\\d+)?$")] for other in against]
    sizes = [sorted({int(n) for n in part["games"]}) or [0] for part in found]
    whole = [(part[["win", "draw", "loss"]].sum(axis=1) == part["games"]).all() for part in found]
    told = " and ".join(
        f"{_numbers(size)} against {other}" for size, other in zip(sizes, against, strict=True)
    )
    text = (
        f"games of each of this player's matches on {board} that we store, replays of printed "
        f"matches apart: {told}"
    )
    if all(size == [0] for size in sizes):
        words = {"random": "random play", "uct": "UCT"}
        names = " or ".join(words.get(other, other) for other in against)
        text = (
            "apart from replays of printed matches we store no match of this player on "
            f"{board} against {names}"
        )
    read = all(whole) and min(map(min, sizes)) > 0
    return Setting(" ".join(map(_numbers, sizes)), read, text)


def _numbers(found: Sequence[int]) -> str:
    return "/".join(map(str, found))


EXAMPLE = (
    "--n 4 --sym-avg --samples 400 --rollouts 6 --games-random 50"
    " --games-mcts 20 --mcts-iters 150 --seed 42"
)
"""The document's command for 4x4, which notebook 02 runs with `ttt spectral`."""


def games_of_the_example() -> Setting:
    """How many games `ttt spectral` plays by that command, and by one with half of them."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    options = settle(parser.parse_args(EXAMPLE.split()))
    half = argparse.Namespace(**vars(options))
    half.games_random, half.games_mcts = options.games_random // 2, options.games_mcts // 2
    agent = spectral(Grid(4), "yes", "yes", "mc", seed=options.seed)
    ours, fewer = (_played(agent, one) for one in (options, half))
    return Setting(
        " ".join(map(str, ours)),
        all(2 * few == many for few, many in zip(fewer, ours, strict=True)),
        f"with half of them `ttt spectral` plays {' and '.join(map(str, fewer))} games",
        "The command is run in notebook 02. The ledger's matches on 4x4 have more games.",
    )


def _played(agent: Agent, options: argparse.Namespace) -> list[int]:
    """How many games are counted in each match of a command."""
    found = matches(agent, options).values()
    return [one["win"] + one["draw"] + one["loss"] for one in found]


def iterations_recorded(board: str) -> Setting:
    """The iterations of the searches in our stored matches on a board."""
    rows = pd.concat([table(f"spectral_{name}.csv") for name in ("games", "transfer")])
    found = rows[rows["board"] == board]["opponent"].str.extract(r"@(\d+)$")[0].dropna()
    sizes = sorted({int(n) for n in found})
    told = f"those of {', '.join(map(str, sizes))}" if sizes else "none against a search"
    value = " ".join(map(str, sizes)) or "no search"
    return Setting(value, bool(sizes), f"matches on {board} that we store: {told}")


def flags_taken(flags: list[str]) -> Finding:
    """Which of the flags that the document's scripts are said to take `ttt spectral` takes.

    Of the scripts themselves, which do not come with the document, that says nothing.

    Parameters
    ----------
    flags : list of str
        As on the command line: ``--sym-avg``, ``--seed=42``.
    """
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    _, refused = parser.parse_known_args(flags)
    texts = [
        f"{'does not take' if flag in refused else 'takes'} `{flag.partition('=')[0]}`"
        for flag in flags
    ]
    return Finding(None, f"`ttt spectral` {', '.join(texts)}")

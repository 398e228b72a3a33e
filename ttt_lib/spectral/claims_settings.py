"""Settings and flags of document 2's commands, and which of them our runs and `ttt` take over."""

from __future__ import annotations

import argparse

import numpy as np

from ttt_lib.evidence.claims import Finding, Setting
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.policy import Agent
from ttt_lib.spectral.claims import GRID, SEEDS, table
from ttt_lib.spectral.exhibits import moves_made
from ttt_lib.spectral.flags import add_arguments
from ttt_lib.spectral.labels import sample_states
from ttt_lib.spectral.policy import spectral, trained
from ttt_lib.spectral.runs import moved_model, quick_checked


def sampling_read() -> Setting:
    """Whether the numbers of samples and rollouts affect the player of our matches on 4x4."""
    return _sampling_read(spectral(Grid(4), "no", "yes", "mc"), samples=400, rollouts=6)


QUICK = {"samples": 200, "rollouts": 6}
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
    """The numbers of samples and rollouts of our trainings on 5x5, and whether they are read."""
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
        f"The default of `ttt spectral`. Where the ledger judges a random result, {SEEDS} other "
        "seeds stand beside it, since one seed is one sample.",
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

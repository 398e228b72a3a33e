"""The flags of ``ttt spectral``, apart from the command so that reading them loads nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ttt_lib.spectral import LABELS


def add_arguments(
    command: argparse.ArgumentParser,
    whole: Callable[[str], int] = int,
    number: Callable[[str], float] = float,
) -> None:
    """Declare the flags; ``cli.settle`` fills in what depends on other flags.

    ``whole`` and ``number`` read numbers, as for all commands.
    """
    numbers: list[tuple[str, int | None, str]] = [
        ("--n", None, "cells along an edge, 3 to 8 (default 3)"),
        ("--samples", None, "training states for labels mc (default 400)"),
        ("--rollouts", None, "playouts per move for labels mc (default 6)"),
        ("--games-random", 50, "games against random play (default 50)"),
        ("--games-perfect", None, "games against the perfect player, 3x3 only (default 30 there)"),
        ("--games-mcts", 0, "games against tree search (default 0)"),
        ("--mcts-iters", None, "playouts per move of the tree search (default 150)"),
        ("--seed", 42, "seed of labels, folds and games (default 42)"),
    ]
    for flag, default, about in numbers:
        command.add_argument(flag, type=whole, default=default, help=about)
    about = "optimal where --n is left out, as in the document's 3x3 script; else mc"
    command.add_argument("--labels", choices=LABELS, help=f"what is learned (default: {about})")
    command.add_argument("--lam", type=number, default=0.001, help="ridge penalty (default 0.001)")
    command.add_argument("--sym-avg", action="store_true", help="average over the symmetries")
    command.add_argument("--no-safety", action="store_true", help="don't win or block first")
    command.add_argument("--self-play", action="store_true", help="show a game with itself")
    about = (
        "show the scores of the moves on this board, as a grid; on 3x3 their chances to win, too; "
        "a board is written row by row, as in x...o.... (x, o, or . for a free cell)"
    )
    command.add_argument("--show", metavar="BOARD", help=about)

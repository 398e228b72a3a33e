"""The figures of notebook 00: the game and its exact facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from fractions import Fraction
from itertools import pairwise
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb
from numpy.typing import NDArray

from ttt_lib.evidence.figures import (
    BLUE,
    COLUMN,
    DARK,
    GREEN,
    INK,
    ORANGE,
    WIDTH,
    Drawing,
    area,
    result_patches,
    whiskers,
)
from ttt_lib.game import response
from ttt_lib.game.board import Grid, notation, parse
from ttt_lib.game.draw import O_COLOUR, X_COLOUR
from ttt_lib.game.exact import exact_match, exact_values, policy_table
from ttt_lib.game.gametree import GameTree, enumerate_states, solve
from ttt_lib.game.match import play_games
from ttt_lib.game.policy import minimax, random_agent
from ttt_lib.game.stats import wilson
from ttt_lib.the_game import facts

RESULTS = {"x_wins": "win", "draws": "draw", "o_wins": "loss"}
"""Columns of results, and what each means for X."""

WINNERS = ("X wins", "draw", "O wins")


def tint(colour: str, share: float) -> str:
    """A colour mixed with white."""
    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


LIGHT = {"x": tint(X_COLOUR, 0.35), "draw": "#EDEDED", "o": tint(O_COLOUR, 0.17)}
"""Background colours of boards; O's also has a frame, which marks it without colour."""

KIND = {1: "x", 0: "draw", -1: "o"}
LAST_PLIES = "xoxoox..."
PER_ROW = 28
GAP_ACROSS, GAP_DOWN = 4.4, 9.5
SAMPLES = (10, 30, 100, 300, 1000, 3000, 10000)
MATCHES = 40


# ---------------------------------------------------------------------------- small boards


def _draw_boards(ax: Axes, boards: pd.DataFrame, size: float) -> None:
    """Draw 3x3 boards at (left, top) in units of a cell; stones of ``size`` points."""
    places = [
        (left + cell % 3, top + cell // 3, symbol)
        for left, top, text in boards[["left", "top", "board"]].itertuples(index=False)
        for cell, symbol in enumerate(text)
        if symbol != "."
    ]
    for symbol, marker, colour, face in (
        ("x", "x", X_COLOUR, X_COLOUR),
        ("o", "o", O_COLOUR, "none"),
    ):
        across, down = np.array([p[:2] for p in places if p[2] == symbol]).T + 0.5
        ax.scatter(
            across,
            down,
            s=size**2,
            marker=marker,
            edgecolors=None if marker == "x" else colour,
            facecolors=face,
            linewidths=size / 4.5,
            zorder=3,
        )


def _grounds(ax: Axes, boards: pd.DataFrame, colours: Sequence[str]) -> None:
    """Draw a coloured square behind each board."""
    corner = np.array([(-0.2, -0.2), (3.2, -0.2), (3.2, 3.2), (-0.2, 3.2)])
    squares = boards[["left", "top"]].to_numpy()[:, None] + corner
    edges = [O_COLOUR if colour == LIGHT["o"] else "none" for colour in colours]
    ax.add_collection(PolyCollection(squares, facecolors=colours, edgecolors=edges, linewidths=0.7))


def _hashes(ax: Axes, boards: pd.DataFrame, width: float = 0.8, colour: str = DARK) -> None:
    """Draw the four grid lines of each board."""
    strokes = [((1, 0), (1, 3)), ((2, 0), (2, 3)), ((0, 1), (3, 1)), ((0, 2), (3, 2))]
    lines = boards[["left", "top"]].to_numpy()[:, None, None] + np.array(strokes)
    ax.add_collection(LineCollection(lines.reshape(-1, 2, 2), colors=colour, linewidths=width))


def _canvas(ax: Axes) -> None:
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.axis("off")


# ---------------------------------------------------------------------------- all positions


def all_positions() -> Drawing:
    """Every 3x3 position up to symmetry, ply by ply; the background shows who wins."""
    tree = enumerate_states(Grid(3), canonical=True)
    table = pd.DataFrame(
        {
            "board": [notation(board) for board in tree.boards],
            "ply": tree.ply,
            "value": tree.value,
            "finished": tree.finished,
        }
    ).sort_values(["ply", "value", "finished", "board"], ascending=[True, False, False, True])
    table = _placed(table.reset_index(drop=True))
    figure, ax = plt.subplots(figsize=(WIDTH, 8.3))
    _grounds(ax, table, [LIGHT[KIND[v]] for v in table["value"]])
    _hashes(ax, table, 0.5, "white")
    _draw_boards(ax, table, 2.8)
    _ground_key(ax, 24.0, -0.4)
    for ply, top in table.groupby("ply")["top"].min().items():
        ax.text(-2, top + 1.5, str(ply), ha="right", va="center", fontsize=8)
    ax.text(-2, -2.6, "ply", ha="right", va="center", fontsize=8)
    ax.set(xlim=(-5, 4 * PER_ROW - 0.5), ylim=(-4, table["top"].max() + 4))
    _canvas(ax)
    return Drawing(figure, table)


def _ground_key(ax: Axes, left: float, top: float) -> None:
    """The key to the background colours, in a row."""
    words = {
        "x": "X can force a win", "draw": "neither can", "o": "O can force a win",
    }  # fmt: skip
    boards = pd.DataFrame({"left": left + 27 * np.arange(3), "top": top})
    _grounds(ax, boards, [LIGHT[kind] for kind in words])
    for at, text in zip(boards["left"], words.values(), strict=True):
        ax.text(at + 4.2, top + 1.5, text, va="center", fontsize=8)


def _placed(table: pd.DataFrame) -> pd.DataFrame:
    """Add the place of each board: rows of ``PER_ROW``, a new row for each ply."""
    within = table.groupby("ply").cumcount()
    rows = -(-table.groupby("ply").size() // PER_ROW)
    first = (4 * rows + 2).cumsum().shift(fill_value=0)
    top = table["ply"].map(first) + 4 * (within // PER_ROW)
    return table.assign(left=4 * (within % PER_ROW), top=top)


# ---------------------------------------------------------------------------- perfect games


def drawn_paths() -> Drawing:
    """Every position that two perfect players can reach, up to symmetry, with every move."""
    tree = enumerate_states(Grid(3), canonical=True)
    layers = drawn_layers(tree)
    place = {
        state: (GAP_ACROSS * (rank - (len(layer) - 1) / 2), GAP_DOWN * ply)
        for ply, layer in enumerate(layers)
        for rank, state in enumerate(layer)
    }
    table = pd.DataFrame(
        [
            (state, int(tree.ply[state]), notation(tree.boards[state]), *at)
            for state, at in place.items()
        ],
        columns=["state", "ply", "board", "left", "top"],
    )
    moves = [
        (state, after) for state in place for after in drawn_moves(tree, state) if after in place
    ]
    table["moves"] = [" ".join(str(b) for a, b in moves if a == state) for state in table["state"]]
    figure, ax = plt.subplots(figsize=(WIDTH, 5.3))
    ends = [
        ((place[a][0] + 1.5, place[a][1] + 3.3), (place[b][0] + 1.5, place[b][1] - 0.3))
        for a, b in moves
    ]
    ax.add_collection(LineCollection(ends, colors="#9A9A9A", linewidths=0.6, zorder=0))
    bold = [ends[moves.index(pair)] for pair in pairwise(_one_path(tree, layers))]
    ax.add_collection(LineCollection(bold, colors=INK, linewidths=1.8, zorder=1))
    _grounds(ax, table, [LIGHT["draw"]] * len(table))
    _hashes(ax, table, 0.35)
    _draw_boards(ax, table, 3.2)
    edge = min(left for left, _ in place.values())
    for ply in range(len(layers)):
        ax.text(edge - 1.5, GAP_DOWN * ply + 1.5, str(ply), ha="right", va="center", fontsize=8)
    ax.text(edge - 1.5, -2.2, "ply", ha="right", va="center", fontsize=8)
    ax.set(xlim=(edge - 5, -edge + 3.5), ylim=(-4, GAP_DOWN * (len(layers) - 1) + 4))
    _canvas(ax)
    return Drawing(figure, table)


def drawn_moves(tree: GameTree, state: int) -> list[int]:
    """Rows of the positions after the moves that keep a drawn position a draw, each once."""
    after = {int(row) for row in tree.children[state] if row >= 0}
    return sorted(row for row in after if tree.value[row] == 0)


def drawn_layers(tree: GameTree) -> list[list[int]]:
    """Drawn positions reached from drawn positions, ply by ply, ordered so that few lines cross."""
    layers = [[0]]
    while after := sorted({row for state in layers[-1] for row in drawn_moves(tree, state)}):
        layers.append(after)
    joined: dict[int, set[int]] = {state: set() for layer in layers for state in layer}
    for state in list(joined):
        for row in drawn_moves(tree, state):
            joined[state].add(row)
            joined[row].add(state)
    for _ in range(20):
        for fixed, moved in [*pairwise(layers), *pairwise(layers[::-1])]:
            middle = {row: _mean_place(fixed, joined[row]) for row in moved}
            moved.sort(key=middle.__getitem__)
    return layers


def _mean_place(layer: Sequence[int], joined: Set[int]) -> float:
    """Mean place, from 0 to 1, of the positions of a layer that are joined to one."""
    places = [rank for rank, state in enumerate(layer) if state in joined]
    return sum(places) / len(places) / len(layer)


def _one_path(tree: GameTree, layers: Sequence[Sequence[int]]) -> list[int]:
    """A game of two perfect players: the corner first, then always the lowest row."""
    path = [0, int(tree.children[0][0])]
    while len(path) < len(layers):
        path.append(drawn_moves(tree, path[-1])[0])
    return path


# ---------------------------------------------------------------------------- counts


def states_by_ply() -> Drawing:
    """States and classes by ply on 3x3 and 4x4."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.8))
    tables = []
    for ax, n in zip(axes, (3, 4), strict=True):
        table = facts.states_by_ply(solve(Grid(n)))
        for column, marker, colour in (("states", "s", DARK), ("classes", "D", GREEN)):
            ax.plot(table["ply"], table[column], marker=marker, ms=4, color=colour, label=column)
        ax.set(yscale="log", xlabel="ply (stones on the board)", title=f"{n}x{n}")
        tables.append(table.assign(board=f"{n}x{n}"))
    axes[0].set_ylabel("number of positions")
    axes[0].legend(loc="lower center")
    return Drawing(figure, pd.concat(tables, ignore_index=True))


def games_and_chances() -> Drawing:
    """Games by length and winner: each game counted once, and with its chance."""
    table = _length_table(solve(Grid(3)))
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 2.8), sharey=True)
    titles = {"share": "games count equally", "chance": "random play"}
    for ax, (kind, title) in zip(axes, titles.items(), strict=True):
        bottom = np.zeros(len(table))
        for column, result in RESULTS.items():
            height = table[f"{column}_{kind}"].to_numpy()
            ax.bar(table["plies"], height, 0.8, bottom, **area(result))
            bottom += height
        total = table[f"x_wins_{kind}"].sum()
        ax.set(title=f"{title}: X wins {total:.1%}", xlabel="length of the game (plies)")
        ax.set_ylim(0, 0.55)
        ax.tick_params(labelleft=True)
    axes[0].set_ylabel("share of all games")
    axes[1].set_ylabel("probability")
    axes[0].legend(handles=result_patches(WINNERS), loc="upper left")
    return Drawing(figure, table)


def _length_table(tree: GameTree) -> pd.DataFrame:
    """Games by length with their shares, and their chances under random play."""
    table = facts.games_by_length(tree)
    cells = tree.grid.cells
    chance = np.array([factorial(cells - k) / factorial(cells) for k in table["plies"]])
    for column in RESULTS:
        table[f"{column}_share"] = table[column] / table["games"].sum()
        table[f"{column}_chance"] = table[column] * chance
    return table


# ---------------------------------------------------------------------------- the product rule


class Node(NamedTuple):
    """A board in the picture of a tree: its place, its parent's row, its exact chances."""

    board: str
    left: float
    top: float
    parent: int
    chance: str
    ended: str
    win: str
    draw: str
    loss: str


def last_plies() -> Drawing:
    """The last plies of one game: a chance on every branch, exact chances at every board."""
    nodes = _subtree(solve(Grid(3)), LAST_PLIES)
    figure, ax = plt.subplots(figsize=(WIDTH, 4.6))
    for node in nodes:
        if node.parent >= 0:
            _branch(ax, nodes[node.parent], node)
        label = f"{node.win}  {node.draw}  {node.loss}"
        ax.text(node.left + 1.5, node.top + 3.8, label, ha="center", va="center", fontsize=8)
    table = pd.DataFrame(nodes)
    _grounds(ax, table, [LIGHT.get(node.ended, "#FFFFFF") for node in nodes])
    _hashes(ax, table)
    _draw_boards(ax, table, 5.5)
    ax.text(-1, 1.2, "branches: chance of the move\nboards: X wins, draw, O wins", fontsize=8)
    ax.set(xlim=(-1, 36), ylim=(-1, table["top"].max() + 4.5))
    _canvas(ax)
    return Drawing(figure, table)


def _branch(ax: Axes, above: Node, node: Node) -> None:
    """Draw the line from one board to the next with the chance of the move on it."""
    across, down = (above.left + 1.5, node.left + 1.5), (above.top + 4.4, node.top - 0.3)
    ax.plot(across, down, color="#999999", lw=1, zorder=0)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    middle = (sum(across) / 2, sum(down) / 2)
    ax.text(*middle, node.chance, fontsize=8, ha="center", va="center", bbox=box)


def _subtree(tree: GameTree, root: str) -> list[Node]:
    """The games from a board under random play, each board after its parent."""
    table = policy_table(random_agent(tree.grid), tree)
    values = exact_values(tree, table, table)
    nodes: dict[int, Node] = {}

    def add(state: int, parent: int, chance: str, left: float, top: float) -> float:
        """Add a board and all below it; return where the next one may be placed."""
        here, moves = len(nodes), tree.children[state][tree.legal[state]]
        ended = KIND[int(tree.winner[state])] if not len(moves) else ""
        chances = map(str, values[state])
        nodes[here] = Node(notation(tree.boards[state]), left, top, parent, chance, ended, *chances)
        share, right = str(Fraction(1, max(len(moves), 1))), left
        for child in moves:
            right = add(int(child), here, share, right, top + 7.6)
        if len(moves):
            nodes[here] = nodes[here]._replace(left=(left + right - 7.5) / 2)
        return max(right, left + 7.5)

    add(int(tree.index(parse(root, tree.grid)[None])[0]), -1, "", 0.0, 0.0)
    return list(nodes.values())


# ---------------------------------------------------------------------------- matches


def sampling() -> Drawing:
    """Simulated matches and their Wilson intervals, compared with the exact chance."""
    player = random_agent(Grid(3))
    exact = exact_match(player, player, solve(Grid(3))).win
    won = play_games(player, player, max(SAMPLES), rng=0) == 1
    longer = _estimates([won[:games] for games in SAMPLES], float(exact))
    apart = _estimates(won[: MATCHES * 200].reshape(MATCHES, 200), float(exact))
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.8), sharey=True)
    _intervals(left, longer["games"], longer)
    _intervals(right, apart.index + 1, apart)
    for ax in (left, right):
        ax.axhline(float(exact), color="#333333", lw=1, label=f"exact: {exact}")
        ax.tick_params(labelleft=True)
    left.legend(loc="upper right")
    left.set(xscale="log", xlabel="number of games", ylabel="share won by X", ylim=(0.3, 0.95))
    right.set(xlabel="number of the match (200 games each)")
    return Drawing(figure, pd.concat([longer.assign(panel="left"), apart.assign(panel="right")]))


def _estimates(matches: Iterable[NDArray[np.bool_]], exact: float) -> pd.DataFrame:
    """One row per match: games, share won, its Wilson interval, and whether it covers the truth."""
    rows = [
        {"games": len(won), "share": won.mean(), **wilson(int(won.sum()), len(won))._asdict()}
        for won in matches
    ]
    table = pd.DataFrame(rows)
    return table.assign(holds=(table["low"] <= exact) & (exact <= table["high"]))


def _intervals(ax: Axes, places: Any, table: pd.DataFrame) -> None:
    """Draw estimates with their intervals; those that miss differ in colour and shape."""
    for holds, marker, colour in ((True, "o", BLUE), (False, "D", ORANGE)):
        some = table[table["holds"] == holds]
        ends = whiskers(some, "share")
        at = np.asarray(places)[table["holds"] == holds]
        ax.errorbar(at, some["share"], ends, fmt=marker, ms=3, lw=1, color=colour, capsize=1.5)


def against_random() -> Drawing:
    """How often O can win against Random, and how often it must then lose."""
    tree = solve(Grid(3))
    random = random_agent(tree.grid)
    corners = response.frontier(tree, policy_table(random, tree), -1)
    perfect = {
        f"minimax, {ties}": exact_match(random, minimax(tree.grid, ties), tree).reversed()
        for ties in ("uniform", "first")
    }
    figure, ax = plt.subplots(figsize=(COLUMN, 3.0))
    across, up = [float(c.loss) for c in corners], [float(c.win) for c in corners]
    ax.plot(across, up, "o-", color=ORANGE, label="best replies")
    for corner, place in zip(corners, zip(across, up, strict=True), strict=True):
        ax.annotate(str(corner.win), place, (3, -12), textcoords="offset points")
    for (name, found), marker in zip(perfect.items(), "sD", strict=True):
        ax.plot(float(found.loss), float(found.win), marker, color="#333333", label=name)
    ax.set(xlabel="probability that O loses", ylabel="probability that O wins")
    ax.set(xlim=(-0.0005, 0.0199), xticks=np.arange(5) / 200)
    ax.legend(loc="center right")
    rows = [("best reply", *c) for c in corners] + [(name, *o) for name, o in perfect.items()]
    table = pd.DataFrame(rows, columns=["player", "win", "draw", "loss"])
    return Drawing(figure, table.astype({"win": float, "draw": float, "loss": float}))

"""Change one operator, comparison or branch at a time; the tests of its module should notice.

Mutants are made by cosmic-ray (https://github.com/sixty-north/cosmic-ray); this file draws a sample
of them, runs each in a copy of the checkout, and writes the table.  Mutants that change nothing but
annotations or docstrings are not counted.  A mutant is *noticed* if a test fails, or runs out of
time.  Each result is recorded at once, so a run that was stopped goes on, and one with more mutants
tries only the new ones.  Where a module or its tests have changed since, all are tried again; till
then the page shows what was recorded.  Of a fresh sample only what was missed is.

Tests that miss a mutant are improved, so the sample they were improved on flatters them.  A sample
of another seed is *fresh*: its first try shows what the tests are worth on mutants nobody has seen.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "notebooks" / "book" / "mutants.md"
RECORD = ROOT / "tests" / "mutants.jsonl"
LIBRARY = ROOT / "ttt_lib"
LOG = "pytest.log"
"""In the copy: what the last tests printed."""

CORE: dict[str, tuple[str, ...]] = {
    "game/board.py": ("test_board.py",),
    "game/gametree.py": ("test_gametree.py",),
    "game/policy.py": ("test_policy.py",),
    "spectral/rational.py": ("test_rational.py",),
    "game/exact.py": ("test_match.py",),
    "game/match.py": ("test_match.py",),
    "game/response.py": ("test_response.py",),
    "game/stats.py": ("test_significance.py", "test_match.py"),
    "game/search.py": ("test_search.py",),
    "game/worst.py": ("test_worst.py",),
    "evidence/claims.py": ("test_claims.py", "test_significance.py"),
    "evidence/significance.py": ("test_significance.py", "test_claims.py"),
    "ultimate/board/rules.py": ("test_ultimate_rules.py",),
    "ultimate/solver/solver.py": ("test_ultimate_solver.py",),
    "ultimate/learn/replay_buffer.py": ("test_alphazero_training.py",),
    "ultimate/learn/selfplay_batch.py": ("test_alphazero_training.py", "test_ultimate_resnet.py"),
}
"""The core: board, game tree, agents, matches, statistics, rules, solver, what networks learn from;
each module with the tests that should notice."""

LEDGER, OTHERWISE = "test_ledger.py::test_stored_rows_are_todays", "test_claims_otherwise"
CLAIMS: dict[str, tuple[str, ...]] = {
    "playout_mlp/claims.py": (f"{OTHERWISE}_1.py", f"{LEDGER}[1]"),
    "spectral/claims.py": (f"{OTHERWISE}_2.py", f"{LEDGER}[2]"),
    "spectral/claims_games.py": (f"{OTHERWISE}_2_games.py", f"{LEDGER}[2]"),
    "spectral/claims_guide.py": (f"{OTHERWISE}_2_guide.py", f"{LEDGER}[2]"),
    "spectral/claims_settings.py": (f"{OTHERWISE}_2.py", f"{LEDGER}[2]"),
    "spectral/claims_replay.py": ("test_spectral_replay.py",),
    "ntuple/claims.py": (f"{OTHERWISE}_3.py", f"{LEDGER}[3]"),
    "ising/claims.py": (f"{OTHERWISE}_4.py", f"{LEDGER}[4]"),
    "ising/claims_bias.py": (f"{OTHERWISE}_4_bias.py", f"{LEDGER}[4]"),
    "ising/claims_listings.py": (f"{OTHERWISE}_4.py", f"{LEDGER}[4]"),
    "ising/claims_times.py": (f"{OTHERWISE}_4_times.py", f"{LEDGER}[4]"),
    "ultimate/claims.py": ("test_claims_otherwise_5.py", "test_ledger_5.py"),
    "ultimate/claims_network.py": ("test_claims_otherwise_5.py", "test_ledger_5.py"),
    "ultimate/claims_settings.py": ("test_claims_otherwise_5.py", "test_ledger_5.py"),
    "ultimate/claims_training.py": ("test_claims_otherwise_5.py", "test_ledger_5.py"),
}
"""Functions that answer claims; a test that judges them afresh should notice."""

ROOMS: dict[str, tuple[str, str]] = {
    "playout_mlp": (f"{LEDGER}[1]", "ceilings data model players study"),
    "spectral": (f"{LEDGER}[2]", ("alternatives cell_orders degrees features fidelity "
                                  "handcrafted interpret labels linear_limits policy "
                                  "ridge rounding seeded_replay")),
    "ntuple": (f"{LEDGER}[3]", "analysis move_order network optimum selfplay training"),
    "ising": (f"{LEDGER}[4]", ("alpha_beta curve energy forced_win meaning program "
                               "state_graph study surd sweep tables thresholds")),
}  # fmt: skip
"""Of each document that is played on n^d boards: the test that judges it, and its methods."""

PART = "test_provenance.py::test_a_part_of_the_run_comes_out_as_stored"
STALE = "test_provenance.py::test_no_run_depends_on_other_code_than_todays"
"""What fails after any change of code that a stored run depends on: not counted as noticing."""


def parts(source: str) -> list[str]:
    """The tests that recompute a part of the long runs that a package or module makes."""
    manifest = tomllib.loads((ROOT / "data" / "manifest.toml").read_text(encoding="utf-8"))
    return [f"{PART}[{file}]" for file, one in manifest.items()
            if "check" in one and one["made_by"].startswith(f"ttt_lib.{source}")]  # fmt: skip


FROZEN = "test_architecture.py::test_dataclasses_are_frozen_but_for_a_few"
ELSEWHERE = {
    "ising/thresholds.py": ("test_worst.py", "test_siblings.py"),
    "ising/program.py": (FROZEN,),
}
"""Tests of a module that stand apart from those of its room."""

METHODS: dict[str, tuple[str, ...]] = {
    f"{room}/{name}.py": (
        f"test_{room}.py", *ELSEWHERE.get(f"{room}/{name}.py", ()), judged, *parts(room)
    )
    for room, (judged, names) in ROOMS.items()
    for name in names.split()
} | {
    "spectral/seeded_replay.py": ("test_spectral_replay.py", *parts("spectral.runs:make_replays")),
    "ising/diagonals.py": ("test_diagonals.py", *parts("ising.diagonals")),
    "ising/plane.py": ("test_plane.py",),
    "comparison/ideas.py": ("test_comparison.py", *parts("comparison")),
    "comparison/matrix.py": ("test_comparison.py", *parts("comparison")),
    "comparison/results.py": ("test_comparison.py", *parts("comparison")),
    "the_game/facts.py": ("test_facts.py",),
    "ultimate/board/game.py": ("test_ultimate_rules.py", "test_ultimate_search.py"),
    "ultimate/board/notation.py": ("test_ultimate_rules.py", "test_ultimate_search.py"),
    "ultimate/board/symmetry.py": ("test_ultimate_rules.py", "test_ultimate_solver.py"),
    "ultimate/network/tablenet.py": (
        "test_ultimate_selfplay.py", "test_alphazero_search.py", "test_alphazero_training.py",
    ),
    "ultimate/search/gumbel.py": ("test_ultimate_gumbel.py",),
    "ultimate/search/hybrid.py": ("test_ultimate_hybrid.py",),
    "ultimate/network/tablenet_kernels.py": ("test_ultimate_search.py", "test_alphazero_search.py"),
    "ultimate/search/tree_search.py": ("test_ultimate_search.py", "test_alphazero_search.py"),
    "ultimate/learn/fine_tuning.py": (
        "test_ultimate_endgame_net.py", *parts("ultimate.learn.fine_tuning"),
    ),
    "ultimate/learn/selfplay.py": (
        "test_ultimate_selfplay.py", "test_alphazero_search.py", "test_alphazero_training.py",
    ),
    "ultimate/solver/table.py": ("test_ultimate_solver.py",),
    **{
        f"ultimate/studies/{name}.py": (*tests, *parts(f"ultimate.studies.{name}"))
        for name, *tests in (
            ("agents", "test_ultimate_agents.py"),
            ("endgames", "test_ultimate_solver.py", "test_claims_otherwise_5.py"),
            ("eviction", "test_ultimate_eviction.py"),
            ("lookups", "test_ultimate_lookups.py"),
            ("rating", "test_ultimate_rating.py"),
            ("yardstick", "test_ultimate_yardstick.py"),
        )
    },
}  # fmt: skip
"""What the claims depend on: the methods of each document, the comparison, facts of the game."""

IMPROVED_ON = 0
"""Seed of the sample that is tried again whenever tests were improved; others are fresh."""

GROUPS = {"the core": CORE, "the claims": CLAIMS, "what the claims depend on": METHODS}
TESTS = CORE | CLAIMS | METHODS

COPIED = ("ttt_lib", "tests", "notebooks", "data", "figures", "pyproject.toml", "README.md",
          "CITATION.cff")  # fmt: skip
SLOW = "not declared and not openspiel"
"""Tests that are left out: they look at stored files, or take long."""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    ("game/board.py", "ReplaceComparisonOperator_Gt_GtE",
     "if self.d >= 64 or self.cells > MAX_CELLS or line_count(self.n, self.d) > MAX_LINES:"):
        "a board of 64 dimensions has too many cells anyway",
    ("game/board.py", "ReplaceComparisonOperator_Eq_LtE",
     "x_wins, o_wins = (sums == self.n).any(axis=1), (sums <= -self.n).any(axis=1)"):
        "a line holds no more stones than cells",
    ("game/exact.py", "NumberReplacer",
     "horizon = tree.grid.cells + 2"):
        "any horizon beyond the longest game ranks endings alike",
    ("ising/state_graph.py", "ReplaceComparisonOperator_GtE_Gt",
     "unique, first = np.unique(after[after > 0], return_index=True)"):
        "state 0 is the empty board, to which no move leads",
    ("game/gametree.py", "NumberReplacer",
     "for ply in range(self.grid.cells - 1, - 2, -1):"):
        "there is no layer before the first",
    ("game/gametree.py", "NumberReplacer",
     "self.legal[rows], side * score[self.children[rows]], -self._horizon - 0"):
        "every running state has a legal move, and none is worse than losing at once",
    ("game/gametree.py", "ReplaceUnaryOperator_USub_Invert",
     "for ply in range(self.grid.cells, ~1, -1):"):
        "there is no layer before the first",
    ("game/policy.py", "RemoveDecorator",
     "def moves(self) -> int:"):
        "a protocol is read by the type checker only",
    ("game/search.py", "ReplaceBinaryOperator_Mul_Div",
     "/,"):
        "the star that makes what follows keyword-only becomes a slash; callers name it anyway",
    ("game/worst.py", "ReplaceComparisonOperator_Eq_Gt",
     "for last in range(2 * grid.n - (side > 1), grid.cells + 1, 2):"):
        "a search among games that are a ply longer finds the shortest as well",
    ("game/worst.py", "ReplaceFalseWithTrue",
     "self._bar.set_description(about, refresh=True)"):
        "the bar of progress is only drawn once more",
    ("game/worst.py", "NumberReplacer",
     "if grid.cells > 34:"):
        "both ways to drop duplicates do for 34 cells",
    ("game/exact.py", "NumberReplacer",
     "dtype = np.int64 if denominators[0] < 2** 61 else object"):
        "numbers in between are computed as Python's own whole numbers",
    ("game/gametree.py", "ReplaceBinaryOperator_Sub_BitOr",
     "self.legal[rows], side * score[self.children[rows]], -self._horizon | 1"):
        "no move of one's own loses at once",
    ("game/gametree.py", "ReplaceBinaryOperator_Add_BitXor",
     "counts[rows] = after ^ ended * factorial(self.grid.cells - ply)"):
        "one of the two is 0: a game that has ended does not go on",
    ("game/match.py", "ReplaceBinaryOperator_Add_RShift",
     "return _mixed(prints, seats.astype(np.int64) >> 1)"):
        "two sides remain two numbers",
    ("playout_mlp/claims.py", "ReplaceComparisonOperator_Eq_GtE",
     '"x": (game.winner >= 1).sum(),'):
        "no winner is more than 1",
    ("playout_mlp/claims.py", "NumberReplacer",
     "return Value(str(np.flatnonzero(board[ -1] == 0).tolist()))"):
        "there is one board",
    ("playout_mlp/claims.py", "NumberReplacer",
     "near = (Fraction(round(float(digits) * rows), rows) for rows in range( 2, LARGEST))"):
        "of one row all are right or none",
    ("playout_mlp/claims.py", "NumberReplacer",
     'f"next best {Fraction(scores[0]).limit_denominator( 999)}",'):
        "the denominator is below either limit",
    ("spectral/claims_settings.py", "ReplaceBinaryOperator_Add_BitXor",
     "f\"with seed {seed ^ 1} instead, labels sampled by `ttt spectral` give other weights\","):
        "the default seed is even",
    ("spectral/claims_settings.py", "ReplaceComparisonOperator_Eq_GtE",
     "len(set(made)) >= len(made) > 1,"):
        "no more than all can differ",
    ("ntuple/claims.py", "ReplaceBinaryOperator_BitOr_RShift",
     "holds = bool((lost | gaps >> ~tree.legal)[forced].all())"):
        "where no move is, the table of children names the last state, which X has won",
    ("ntuple/claims.py", "ReplaceComparisonOperator_Eq_LtE",
     "impossible = [exact.win == 0, exact.loss == 0, exact.draw <= 0]"):
        "no chance is negative",
    ("spectral/claims.py", "ReplaceTrueWithFalse",
     "each = [moves / size for moves, size in zip(made, sizes, strict=False)]"):
        "there is one number for each size",
    ("spectral/claims.py", "ReplaceComparisonOperator_Eq_LtE",
     """f"trained on {'0/1 labels' if labels <= 'optimal' else 'probabilities'} MSE \""""):
        "of the two kinds of labels only that one comes first",
    ("spectral/claims.py", "ReplaceComparisonOperator_LtE_Lt",
     "won, level = int((gap > 1e-9).sum()), int((gap.abs() < 1e-9).sum())"):
        "gaps are zero or far larger",
    ("spectral/claims_games.py", "ReplaceComparisonOperator_Eq_GtE",
     '+ " (perhaps by chance)" * (change >= 0)'):
        "only settings in which draws fall are listed",
    ("ultimate/board/rules.py", "ReplaceComparisonOperator_Eq_Is",
     "return any(all(cells[place] is side for place in line) for line in LINES)"):
        "Python has one object for each small whole number",
    ("ultimate/solver/solver.py", "NumberReplacer",
     "HOT_SIZE, COLD_SIZE = 2 << 14, 1 << 20"):
        "the size of a table of positions changes times, not results",
    ("ultimate/solver/solver.py", "ReplaceBinaryOperator_LShift_BitXor",
     "HOT_SIZE, COLD_SIZE = 1 << 14, 1 ^ 20"):
        "the size of a table of positions changes times, not results",
    ("ultimate/solver/solver.py", "NumberReplacer",
     "score = self._search(state, - 2, 1, self._work(nodes))"):
        "a wider window finds the same",
    ("ultimate/learn/selfplay_batch.py", "ReplaceBinaryOperator_BitAnd_Mul",
     "rows = np.flatnonzero((wanted > ply) * ~game.finished(states))"):
        "of truth values the product is the conjunction",
    ("ultimate/learn/selfplay_batch.py", "ReplaceComparisonOperator_NotEq_IsNot",
     "if settings.endgame is not PLAY:"):
        "Python has one object for each small whole number",
    ("ising/claims_listings.py", "ReplaceComparisonOperator_NotEq_Lt",
     """here["1"] = (i == j) * (i < EMPTY) * (j != EMPTY)"""):
        "no state has a larger number",
    ("ising/claims_listings.py", "ReplaceComparisonOperator_NotEq_IsNot",
     """here["1"] = (i == j) * (i != EMPTY) * (j is not EMPTY)"""):
        "CPython has one object for each small number",
    ("ising/claims_listings.py", "ReplaceComparisonOperator_Eq_GtE",
     "return Finding(ahead >= len(old) and not behind and not same, text)"):
        "no more than all moves can be found",
    ("ising/claims_times.py", "ReplaceBinaryOperator_Mul_Pow",
     "chances[tree.children[state, move]] += chances[state] ** weights[move] / weights.sum()"):
        "the weights of all three players are 0 or 1",
    ("ultimate/claims.py", "NumberReplacer",
     "while not game.finished(state)[ -1]:"):
        "there is one game",
    ("ultimate/claims_settings.py", "ReplaceComparisonOperator_Gt_NotEq",
     ("return Setting(value, gap != 0, "
      """f"with {other} instead, the moves' probabilities {_how(gap)}")""")):
        "the largest difference in size is not negative",
    ("game/board.py", "NumberReplacer",
     "MAX_LINES = 99999"):
        "no board of at most MAX_CELLS cells has 100,000 lines; only the message differs",
    ("game/board.py", "NumberReplacer",
     "MAX_TABLE = 10000001"):
        "a table of a board's symmetries has an even number of entries",
    ("ultimate/claims.py", "NumberReplacer",
     "rng, found = np.random.default_rng( 1), cost.sample_states(positions, rng=6)"):
        "with other random moves the same turns keep the rules",
    ("ultimate/claims.py", "ReplaceBinaryOperator_Div_FloorDiv",
     "share = sum(full.used) // (2 * size)"):
        "of ten times as many positions as places, none is left free",
    ("ultimate/claims_network.py", "NumberReplacer",
     "torch.manual_seed( -1)"):
        "with other weights the same planes change the answers",
    ("ultimate/claims_network.py", "NumberReplacer",
     "shallow, full = DTWSolver(endgame_threshold= 1, shallow_depth=depth - 1), DTWSolver()"):
        "a win with one cell left is found by a shallow search as well",
    ("ultimate/claims_network.py", "NumberReplacer",
     "again = agent.select_action(board, temperature=0, rng= 2)"):
        "at temperature 0 nothing is drawn",
    ("ultimate/claims_settings.py", "NumberReplacer",
     "TableConfig( 5, 4, 4, 4, 4, 1),"):
        "in a net of another small size a changed setting shows as well",
    ("ultimate/claims_settings.py", "NumberReplacer",
     "TableConfig(4, 4, 4, 4, 5, 1),"):
        "in a net of another small size a changed setting shows as well",
    ("ultimate/claims_settings.py", "NumberReplacer",
     "TableConfig( 3, 4, 4, 4, 4, 1),"):
        "in a net of another small size a changed setting shows as well",
    ("game/board.py", "ReplaceComparisonOperator_Eq_LtE",
     "for side, moved_last in ((1, x == o + 1), (-1, x <= o)):"):
        "there are never fewer X than O here",
    ("game/gametree.py", "ReplaceComparisonOperator_NotEq_Gt",
     "return np.asarray(1 + (np.diff(images, axis=0) > 0).sum(axis=0), dtype=np.int64)"):
        "the images are sorted",
    ("game/exact.py", "ReplaceComparisonOperator_Eq_GtE",
     "if after.dtype >= object:"):
        "no type of numbers holds all objects",
    ("game/worst.py", "ReplaceBinaryOperator_Sub_Mul",
     "last = grid.cells if line is None else len(line) * 1"):
        "allowing a game as long as the beam's finds one that is no longer",
    ("ultimate/solver/solver.py", "NumberReplacer",
     "NODES = 199999999"):
        "the budget decides when a search gives up, not what it finds",
    ("ultimate/learn/replay_buffer.py", "ReplaceBinaryOperator_Mod_Sub",
     "self.begin = (self.begin + count) - self.capacity"):
        "places are counted round the window in any case",
    ("ultimate/learn/selfplay_batch.py", "ReplaceComparisonOperator_NotEq_Gt",
     "if settings.endgame > PLAY:"):
        "playing on is the first of the three ways, number 0",
    ("spectral/claims.py", "ReplaceComparisonOperator_Eq_GtE",
     "None if of_all >= of_classes == len(fits) else of_all == len(fits),"):
        "no more than all can agree",
    ("spectral/claims_guide.py", "NumberReplacer",
     ("found = [_by_mean_and_gradient(w[ 1], w[1]) "
      "for w in (hypothetical(), trained(GRID).weights)]")):
        "the mean is the same for every move",
    ("spectral/claims_guide.py", "NumberReplacer",
     "waves = [times(times(basis(), grid), basis().T).reshape(- 2, 9) for grid in grids]"):
        "any negative length stands for the one that fits",
    ("spectral/handcrafted.py", "NumberReplacer",
     "own[-1], own[-2], other[-2], other[-1] = 9999.0, 10.0, -100.0, 0.0"):
        "on boards of up to 8x8 a completed line outweighs the rest in any case",
    ("spectral/interpret.py", "NumberReplacer",
     "legal = np.flatnonzero(model.grid.legal(board[None])[ -1])"):
        "there is one board",
    ("ising/sweep.py", "ReplaceBinaryOperator_Mul_Div",
     "size: str, step: float, games: int, /, rng: np.random.Generator | int"):
        "the star that makes what follows keyword-only becomes a slash; callers name it anyway",
    ("ntuple/analysis.py", "ReplaceBinaryOperator_Add_BitOr",
     "for count in range(len(plies) | 1)"):
        "either side moves at four of the plies before the last",
    ("ultimate/claims_settings.py", "NumberReplacer",
     "row = Trainer(config, seed= 2).train_iteration()"):
        "with other games the same settings change the losses",
    ("ultimate/studies/eviction.py", "RemoveDecorator",
     "def _negamax() -> Any:"):
        "compiled again, the search is the same",
    ("ultimate/solver/solver.py", "ReplaceBinaryOperator_Mul_Div",
     "self, position: Position | State, /, nodes: int | None = None"):
        "the star that makes what follows keyword-only becomes a slash; callers name it anyway",
    ("spectral/rounding.py", "ReplaceBinaryOperator_Div_Mul",
     "return rows, (total * len(images)).reshape(len(rows.after), -1)"):
        "the features are 64 times as large; a power of 2 scales products and sums exactly",
    ("spectral/degrees.py", "NumberReplacer",
     "for colours in product((1, - 2), repeat=k)"):
        "any number but 1 stands for O here",
    ("spectral/degrees.py", "ReplaceComparisonOperator_Eq_GtE",
     "stones = (boards >= 1) @ bits | (boards == -1) @ bits << GRID.cells"):
        "no stone is more than 1",
    ("ultimate/board/game.py", "ReplaceBinaryOperator_Add_BitOr",
     "owners = tuple(bit(state[META], b) - bit(state[META | 1], b) for b in range(9))"):
        "META is even",
    ("ultimate/search/tree_search.py", "ReplaceBinaryOperator_Mul_Mod",
     "self.forest = trees.allocate(len(states), 2 % trees.MOST)"):
        "every step makes the room it needs first",
    ("ultimate/search/tree_search.py", "ReplaceBinaryOperator_Add_Mul",
     "needed = int(self.forest.used.max()) * trees.MOST"):
        "81 times the nodes in use is enough but for a bare tree, which begins with room for 162",
    ("ultimate/search/gumbel.py", "ReplaceBinaryOperator_Add_BitOr",
     "forest = trees.allocate(1, 2 * MOST + (simulations // 2 | 1) * MOST)"):
        "there is room to spare: only the first moves of a game are as many as are allowed for",
    ("ultimate/search/gumbel.py", "NumberReplacer",
     "forest, -1, state, tables, simulations, considered, gumbels, VISIT, scale, c, fpu,"):
        "there is one tree",
    ("spectral/claims_replay.py", "ReplaceComparisonOperator_Eq_GtE",
     "_one_of, which >= 2, run._replace(states=states, playouts=playouts)"):
        "the checks are numbered 0 to 2",
    ("spectral/seeded_replay.py", "NumberReplacer",
     "search_games: int = -1"):
        "of a negative number of games none is played, as of 0",
    ("ultimate/studies/agents.py", "ReplaceComparisonOperator_Eq_GtE",
     "more = standard if name >= TEMPERATURE else strong"):
        "of the three names that one comes last",
    ("ultimate/studies/agents.py", "ReplaceComparisonOperator_Eq_LtE",
     "cooler = standard if name <= SIMULATIONS else strong"):
        "of the three names that one comes first",
    ("ultimate/studies/lookups.py", "NumberReplacer",
     "while not game.finished(state)[ -1]:"):
        "there is one game",
    ("ultimate/studies/lookups.py", "NumberReplacer",
     "win = quick_win(solver, state[ -1])"):
        "there is one state",
    ("ultimate/studies/lookups.py", "NumberReplacer",
     "solver.roots = {state[ -1].tobytes()}"):
        "there is one state",
    ("ultimate/studies/lookups.py", "NumberReplacer",
     "weights = visits if visits.any() else game.legal(state)[ -1]"):
        "there is one state",
    ("ultimate/studies/lookups.py", "ReplaceBinaryOperator_Mul_Div",
     ("def calculate_dtw(self, position: Position | State, /, "
      "nodes: int | None = None) -> Solution:")):
        "the star that makes what follows keyword-only becomes a slash; callers name it anyway",
    ("ising/plane.py", "ReplaceComparisonOperator_Eq_Is",
     "return (1.0 if high is inf else high / (1 + high)) - low / (1 + low)"):
        "the end of a rectangle without end is this very object",
    ("ising/plane.py", "ReplaceTrueWithFalse",
     "for a, d in zip(gains(straight, state, side), gains(diagonal, state, side), strict=False):"):
        "both have a gain for each move of the state",
    ("ising/plane.py", "NumberReplacer",
     "root = terms[ -1][1][0].root"):
        "all terms are written in the same root",
}  # fmt: skip
"""Why a mutant computes what the module does, by module, operator and changed line."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Mutant:
    """A change of a module: which of an operator's places, and what it gives."""

    module: str
    operator: str
    place: int
    source: str
    line: int
    text: str


# ---------------------------------------------------------------------------- making them


def mutants(module: str, source: str) -> Iterator[tuple[str, int]]:
    """List all mutants of a module as operator and place."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    tree = get_ast(source)
    nodes = list(ast_nodes(tree))
    for name in sorted(name for name in operator_names() if "Variable" not in name):
        kind = get_operator(name)
        for arguments in (dict(one.operator_args or {}) for one in kind.examples()[:1] or ()):
            operator = kind(**arguments)
            count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
            yield from ((name, place) for place in range(count))


def mutated(source: str, name: str, place: int) -> str | None:
    """A module's source with one mutation."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    kind = get_operator(name)
    arguments = dict(kind.examples()[0].operator_args or {})
    changed: str | None = mutate_code(source, kind(**arguments), place)
    return changed


def bare(source: str) -> str:
    """What a source computes: its tree without annotations and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                node.returns = None
            case ast.arg() | ast.AnnAssign():
                node.annotation = ast.Constant(None)
            case ast.Expr(value=ast.Constant(value=str())):
                node.value = ast.Constant(None)
    return ast.dump(tree)


def kernel_lines(source: str) -> set[int]:
    """Lines of functions that numba compiles, and of the constants they read.

    It keeps callers in other files as they were.
    """
    tree = ast.parse(source)
    kernels = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any("njit" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    read = {node.id for one in kernels for node in ast.walk(one) if isinstance(node, ast.Name)}
    constants = [
        node
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in read
                for n in ast.walk(node))
    ]  # fmt: skip
    return {
        line
        for node in (*kernels, *constants)
        for line in range(_begin(node), (node.end_lineno or 0) + 1)
    }


def _begin(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    return min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))


def sample(module: str, count: int, seed: int) -> list[Mutant]:
    """Draw so many mutants of a module that compute something else."""
    source = (ROOT / "ttt_lib" / module).read_text(encoding="utf-8")
    compiled = kernel_lines(source)
    everything = list(mutants(module, source))
    random.Random(f"{seed} {module}").shuffle(everything)
    found: list[Mutant] = []
    for name, place in everything:
        if len(found) == count:
            break
        changed = mutated(source, name, place)
        try:
            if changed is None or bare(changed) == bare(source):
                continue
        except SyntaxError:
            continue
        if changed.count("@njit") < source.count("@njit"):
            continue
        pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
        line, text = next((n, b) for n, (a, b) in enumerate(pairs, start=1) if a != b)
        if line in compiled:
            continue
        found.append(Mutant(module, name.partition("/")[2], place, changed, line, text.strip()))
    return found


# ---------------------------------------------------------------------------- running them


def notices(folder: Path, tests: Sequence[str], seconds: float = 600) -> bool:
    """Whether one of the tests fails in a copy of the checkout, in a process of its own."""
    process = multiprocessing.get_context("fork").Process(target=_run, args=(folder, tests))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode != 0


def _run(folder: Path, tests: Sequence[str]) -> None:
    import pytest
    from numba.core import config

    config.reload_config()  # where compiled kernels lie: numba was imported before that was set
    os.chdir(folder)
    sys.path[:] = [str(folder), *(p for p in sys.path if Path(p).resolve() != ROOT)]
    sys.dont_write_bytecode = True
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", SLOW]
    os._exit(int(pytest.main([*options, *(f"tests/{name}" for name in tests)])))


def preload() -> None:
    """Import what all tests import, once; nothing of the library itself."""
    for name in ("matplotlib", "numba", "pandas", "pytest", "scipy.stats", "joblib", "torch"):
        __import__(name)


def state_of(module: str) -> str:
    """What a result hangs on: a digest of the module and its tests."""
    files = [ROOT / "ttt_lib" / module]
    files += [ROOT / "tests" / name.partition("::")[0] for name in TESTS[module]]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def lines_recorded() -> list[Row]:
    """All results, in the order in which they were obtained."""
    lines = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
    return [json.loads(line) for line in lines]


def recorded() -> dict[tuple[str, str, int], Row]:
    """The results, by module, operator and place.

    Of the sample that tests were improved on, those of each module's last state.  Of a fresh sample
    the first try, with ``since``: whether the last one noticed it.
    """
    rows = lines_recorded()
    last = {row["module"]: row["state"] for row in rows if not fresh(row)}
    found: dict[tuple[str, str, int], Row] = {}
    for row in rows:
        key = (row["module"], row["operator"], row["place"])
        if fresh(row):
            stale = row.get("stale", False)
            found[key] = {**found.get(key, row), "since": row["noticed"], "stale": stale}
        elif row["state"] == last[row["module"]]:
            found[key] = row
    return found


def measure(module: str, count: int, seed: int) -> None:
    """Try one module's mutants in a copy of the checkout, and record each.

    Raises
    ------
    RuntimeError
        If its tests fail without any mutant.
    """
    state = state_of(module)  # now, since the copy is made now
    known = {
        (row["operator"], row["place"], row["text"]): row["noticed"] or row["state"] == state
        for row in lines_recorded()
        if row["module"] == module and (row["state"] == state or fresh(row))
    }
    drawn = sample(module, count, seed)
    left = [m for m in drawn if not known.get((m.operator, m.place, m.text))]
    if not left:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "checkout"
        folder.mkdir()
        os.environ["NUMBA_CACHE_DIR"] = str(Path(name) / "numba")
        os.environ["PYTHONPATH"] = str(folder)
        for part in COPIED:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        for _ in range(2):  # the first compiles kernels
            start = time.monotonic()
            if notices(folder, (*TESTS[module], STALE)):
                raise RuntimeError(f"tests of {module} fail as it is: {(folder / LOG).read_text()}")
        limit = 20 + 5 * (time.monotonic() - start)
        for mutant in left:
            (folder / "ttt_lib" / module).write_text(mutant.source, encoding="utf-8")
            noticed = notices(folder, TESTS[module], limit)
            record(mutant, state, seed, noticed, not noticed and notices(folder, (STALE,), limit))


def record(mutant: Mutant, state: str, seed: int, noticed: bool, stale: bool) -> None:
    """Add a result to the record: whether tests notice, and if not, whether a run is stale."""
    row = {"module": mutant.module, "operator": mutant.operator, "place": mutant.place,
           "line": mutant.line, "text": mutant.text, "state": state, "seed": seed,
           "noticed": noticed, **({"stale": True} if stale else {})}  # fmt: skip
    with RECORD.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stderr.write("." if noticed else f"\nnot noticed: {mutant.module}:{mutant.line} "
                     f"{mutant.operator}: {mutant.text}\n")  # fmt: skip
    sys.stderr.flush()


# ---------------------------------------------------------------------------- the table


def reason(row: Row) -> str | None:
    """Why a mutant computes the same, if it does."""
    return EQUIVALENT.get((row["module"], row["operator"], row["text"]))


def score(rows: Sequence[Row]) -> tuple[int, int]:
    """How many were noticed, of how many that compute something else."""
    told = [row for row in rows if row["noticed"] or not reason(row)]
    return sum(row["noticed"] for row in told), len(told)


def summary(rows: Sequence[Row]) -> str:
    """The score, of a fresh sample with its share and 95% interval."""
    from scipy.stats import binomtest

    noticed, tried = score(rows)
    if not all(map(fresh, rows)):
        return f"{noticed} of {tried}"
    found = binomtest(noticed, tried).proportion_ci()
    share, low, high = (f"{100 * x:.0f}%" for x in (noticed / tried, found.low, found.high))
    return f"{noticed} of {tried} ({share}; 95% interval {low} to {high})"


def fresh(row: Row) -> bool:
    """Whether no test was improved on the sample that the mutant was drawn in."""
    return bool(row["seed"] != IMPROVED_ON)


def scores(rows: Sequence[Row]) -> list[str]:
    """The score of the fresh sample, and of the one that tests were improved on, as sentences."""
    new, seen = ([row for row in rows if fresh(row) is kind] for kind in (True, False))
    lines = [f"**Noticed, of the fresh sample: {summary(new)}.**"] if new else []
    more = sum(row["since"] and not row["noticed"] for row in new)
    lines += [f"Improved since, the tests notice {more} more."] if more else []
    return lines + (
        [f"Of the sample that tests were improved on: {summary(seen)}."] if seen else []
    )


def table(modules: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Score by module, as lines of Markdown."""
    lines = [
        "| module | fresh: tried | noticed | improved on: tried | noticed | equivalent |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for module in modules:
        mine = [row for row in rows if row["module"] == module]
        if mine:
            new, seen = (score([r for r in mine if fresh(r) is kind]) for kind in (True, False))
            alike = len(mine) - new[1] - seen[1]
            lines.append(f"| `{module}` | {new[1]} | {new[0]} | {seen[1]} | {seen[0]} | {alike} |")
    return lines


def page(rows: Sequence[Row]) -> str:
    """The book's page: score by module, and each survivor."""
    tried = Counter(row["module"] for row in rows)
    least, most = min(tried.values()), max(tried.values())
    every = sum(not path.stem.startswith("_") for path in LIBRARY.rglob("*.py"))
    lines = [
        "# Would the tests notice a wrong line of code?",
        "",
        "Made by `make mutants ARGS=--write`. A *mutant* is the library with one operator,",
        "comparison, constant or branch changed; the tests of its module should fail. cosmic-ray",
        f"generates them; {least} to {most} per module were drawn at random for the two samples",
        "together, equivalent ones included, whatever the module's size. Mutants of annotations,",
        "docstrings, compiled kernels and the constants that these read are left out. A test",
        "that runs out of time counts as noticing; the interval is that of the pooled sample.",
        "Kernels are compared with readable versions; mutants of some of these readable versions",
        "are tried. Tests that missed a mutant of one sample were improved and tried on that",
        "sample again. The other sample is fresh: it was drawn afterwards, and its score is that",
        "of the first try. Mutants of either sample that turned out to be equivalent (they compute",
        "the same) are not counted. A failure of the test that fails whenever code behind a stored",
        "run changes does not count as noticing. Lines and code are those of the day on which a",
        "mutant was tried; the library has changed since.",
        "",
        f"Of the library's {every} modules {every - len(TESTS)} were not chosen: the command line,",
        "figures, the book and what classes use, most of `evidence` (what rebuilds, records and",
        "compares results), most of what makes the stored long runs, modules that hold mostly",
        "compiled kernels, benchmarks, and some players and methods.",
        "",
        *scores(rows),
    ]
    for name, modules in GROUPS.items():
        mine = [row for row in rows if row["module"] in modules]
        if mine:
            title = f"## {name.capitalize()}"
            lines += ["", title, "", *scores(mine), "", *table(list(modules), mine)]
    untried = [module for module in TESTS if not any(row["module"] == module for row in rows)]
    if untried:
        lines += ["", f"Not tried yet: {', '.join(f'`{module}`' for module in untried)}."]
    survived = [row for row in rows if not row.get("since", row["noticed"])]
    alike = [f"{told(row)}: {reason(row)}" for row in survived if reason(row)]
    missed, stale = (
        [told(row) for row in survived if not reason(row) and bool(row.get("stale")) is kind]
        for kind in (False, True)
    )
    nothing = ["None of these."]
    lines += ["", "## Not noticed", "", *(missed or nothing)]
    lines += [
        "",
        "## Noticed only because a stored run depends on the code",
        "",
        *(stale or nothing),
    ]
    lines += ["", "## Equivalent", "", *(alike or nothing)]
    return "\n".join([*lines, ""])


def told(row: Row) -> str:
    """One mutant in a list."""
    ticks = "``" if "`" in row["text"] else "`"
    return (
        f"- `{row['module']}`, line {row['line']}, {row['operator']}: {ticks}{row['text']}{ticks}"
    )


def results() -> list[Row]:
    """The recorded results, in the order of the modules and lines."""
    rank = {module: place for place, module in enumerate(TESTS)}
    rows = [row for row in recorded().values() if row["module"] in rank]
    return sorted(rows, key=lambda r: (rank[r["module"]], r["line"], r["operator"], r["place"]))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=20,
                        help="mutants of each module (default 20; 0 tries none)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--modules", nargs="+", choices=TESTS, default=list(TESTS),
                        metavar="MODULE", help="which to try (default all)")  # fmt: skip
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"write {PAGE.name} of the book, with all that is recorded",
    )
    options = parser.parse_args()
    if options.each:
        preload()
        fork = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(options.workers, fork) as pool:
            tasks = [pool.submit(measure, m, options.each, options.seed) for m in options.modules]
            for task in as_completed(tasks):
                task.result()
    text = page(results())  # of all modules, whichever were tried now
    sys.stdout.write(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

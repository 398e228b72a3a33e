"""Typical mistakes in the exercises: code that a student might hand in, and the points it loses.

Each stands in the place of the right solution of one task while all other tasks are solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True)
class Mistake:
    """A wrong solution.

    Attributes
    ----------
    notebook, task : str
        The master, and the ``grade_id`` of the solution cell that this code replaces.
    why : str
        The misconception, in a few words.
    code : str
        The whole cell.
    loses : tuple of str
        The checks that must fail; all others must pass.
    """

    notebook: str
    task: str
    why: str
    code: str
    loses: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.notebook[:2]}-{self.task}: {self.why}"


def slip(notebook: str, task: str, why: str, code: str, *loses: str) -> Mistake:
    """A mistake; unless named, it loses the further checks and passes those that students see."""
    checks = loses or (f"{task}-more",)
    return Mistake(notebook, task, why, dedent(code).strip(), checks)


PLAYOUT, SPECTRAL, NTUPLE = "01_playout_mlp", "02_spectral_dct", "03_ntuple_network"
ISING, ULTIMATE = "04_ising_bias", "05_alphazero_lite"

MISTAKES = (
    # ------------------------------------------------------------------ 01
    slip(
        PLAYOUT,
        "rows",
        "half of the plies, one more",
        """
        def rows(plies):
            return plies // 2 + 1
        """,
    ),
    slip(
        PLAYOUT,
        "rows",
        "counts o's moves",
        """
        def rows(plies):
            return plies // 2
        """,
        "rows-check",
        "rows-more",
    ),
    slip(
        PLAYOUT,
        "chances",
        "counts endings instead of averaging over moves",
        """
        def endings(text):
            end = result(text)
            if end is not None:
                return [end]
            return [e for cell in free(text) for e in endings(after(text, cell))]


        def chances(text):
            ends = endings(text)
            return tuple(Fraction(ends.count(k), len(ends)) for k in (1, 0, -1))
        """,
    ),
    slip(
        PLAYOUT,
        "chances",
        "a draw, 0, is read as not ended",
        """
        def chances(text):
            if result(text):
                return tuple(Fraction(int(result(text) == k)) for k in (1, 0, -1))
            below = [chances(after(text, cell)) for cell in free(text)]
            return tuple(sum(column) / len(below) for column in zip(*below))
        """,
        "chances-check",
        "chances-more",
    ),
    slip(
        PLAYOUT,
        "ceiling",
        "every board counts alike",
        """
        def ceiling(weights):
            return sum(Fraction(max(row), sum(row)) for row in weights) / len(weights)
        """,
    ),
    slip(
        PLAYOUT,
        "ceiling",
        "one guess for all boards",
        """
        def ceiling(weights):
            sums = [sum(column) for column in zip(*weights)]
            return Fraction(max(sums), sum(sums))
        """,
    ),
    slip(
        PLAYOUT,
        "split",
        "deals out rows, not games",
        """
        def split(games, share, rng):
            mask = np.zeros(len(games), dtype=bool)
            mask[rng.permutation(len(games))[: round(share * len(games))]] = True
            return mask
        """,
    ),
    slip(
        PLAYOUT,
        "split",
        "takes the first rows",
        """
        def split(games, share, rng):
            return np.arange(len(games)) < share * len(games)
        """,
    ),
    slip(
        PLAYOUT,
        "split",
        "global random numbers",
        """
        def split(games, share, rng):
            names = np.unique(games)
            chosen = np.random.permutation(names)[: round(share * len(names))]
            return np.isin(games, chosen)
        """,
    ),
    slip(
        PLAYOUT,
        "best-cell",
        "o maximises x's value",
        """
        def best_cell(text, value):
            return max(free(text), key=lambda cell: value(after(text, cell)))
        """,
    ),
    slip(
        PLAYOUT,
        "best-cell",
        "the last of equal cells",
        """
        def best_cell(text, value):
            sign = 1 if text.count("x") == text.count("o") else -1
            return max(free(text), key=lambda cell: (sign * value(after(text, cell)), cell))
        """,
    ),
    # ------------------------------------------------------------------ 02
    slip(
        SPECTRAL,
        "basis",
        "wave 0 gets the factor of the others",
        """
        def basis(n):
            wave, place = np.mgrid[:n, :n]
            return np.sqrt(2 / n) * np.cos(np.pi * wave * (2 * place + 1) / (2 * n))
        """,
    ),
    slip(
        SPECTRAL,
        "basis",
        "whole steps instead of half ones",
        """
        def basis(n):
            wave, place = np.mgrid[:n, :n]
            rows = np.sqrt(2 / n) * np.cos(np.pi * wave * place / (n - 1))
            rows[0] = np.sqrt(1 / n)
            return rows
        """,
    ),
    slip(
        SPECTRAL,
        "spectrum",
        "not transposed: energy is kept all the same",
        """
        def spectrum(grid, B):
            return B @ grid @ B
        """,
    ),
    slip(
        SPECTRAL,
        "spectrum",
        "one direction only",
        """
        def spectrum(grid, B):
            return B @ grid
        """,
    ),
    slip(
        SPECTRAL,
        "ridge",
        "the penalty on every entry, not on the diagonal",
        """
        def ridge(features, targets, lam):
            return np.linalg.solve(features.T @ features + lam, features.T @ targets)
        """,
    ),
    slip(
        SPECTRAL,
        "ridge",
        "lambda squared",
        """
        def ridge(features, targets, lam):
            gram = features.T @ features + lam**2 * np.eye(features.shape[1])
            return np.linalg.solve(gram, features.T @ targets)
        """,
    ),
    slip(
        SPECTRAL,
        "averaged",
        "some of the symmetries",
        """
        def averaged(cells, grid):
            return np.mean([cells[p] for p in grid.symmetries[:4]], axis=0)
        """,
    ),
    slip(
        SPECTRAL,
        "averaged",
        "a sum, not a mean",
        """
        def averaged(cells, grid):
            return np.sum([cells[p] for p in grid.symmetries], axis=0)
        """,
        "averaged-check",
        "averaged-more",
    ),
    slip(
        SPECTRAL,
        "witness",
        "a block in place of a win",
        """
        first, second = "xx.oo....", "oo..x..x."
        a, b = 2, 6
        """,
    ),
    slip(
        SPECTRAL,
        "witness",
        "o is to move",
        """
        first, second = "xx.oo...x", "xx.oo...."
        a, b = 2, 5
        """,
        "witness-check",
        "witness-more",
    ),
    # ------------------------------------------------------------------ 03
    slip(
        NTUPLE,
        "entry",
        "the last cell counts most",
        """
        def entry(line, side):
            digits = [int(stone) % 3 for stone in line]
            return digits[0] + 3 * digits[1] + 9 * digits[2] + 27 * (side == -1)
        """,
    ),
    slip(
        NTUPLE,
        "entry",
        "O counts -1",
        """
        def entry(line, side):
            return 9 * line[0] + 3 * line[1] + line[2] + 27 * (side == -1)
        """,
    ),
    slip(
        NTUPLE,
        "entry",
        "forgets the side to move",
        """
        def entry(line, side):
            digits = [int(stone) % 3 for stone in line]
            return 9 * digits[0] + 3 * digits[1] + digits[2]
        """,
    ),
    slip(
        NTUPLE,
        "value",
        "forgets the bias",
        """
        def value(weights, bias, board):
            return np.tanh(weights[np.arange(8), entries(board)].sum())
        """,
    ),
    slip(
        NTUPLE,
        "value",
        "a mean of squashed weights",
        """
        def value(weights, bias, board):
            return np.tanh(bias + weights[np.arange(8), entries(board)]).mean()
        """,
    ),
    slip(
        NTUPLE,
        "step",
        "without the derivative of tanh",
        """
        def step(weights, bias, board, target, alpha):
            picked = np.arange(8), entries(board)
            delta = alpha * (target - np.tanh(bias + weights[picked].sum()))
            weights = weights.copy()
            weights[picked] += delta
            return weights, bias + delta
        """,
    ),
    slip(
        NTUPLE,
        "step",
        "the bias stays",
        """
        def step(weights, bias, board, target, alpha):
            picked = np.arange(8), entries(board)
            v = np.tanh(bias + weights[picked].sum())
            weights = weights.copy()
            weights[picked] += alpha * (target - v) * (1 - v**2)
            return weights, bias
        """,
    ),
    slip(
        NTUPLE,
        "step",
        "uphill",
        """
        def step(weights, bias, board, target, alpha):
            picked = np.arange(8), entries(board)
            v = np.tanh(bias + weights[picked].sum())
            delta = alpha * (v - target) * (1 - v**2)
            weights = weights.copy()
            weights[picked] += delta
            return weights, bias + delta
        """,
        "step-check",
        "step-more",
    ),
    slip(
        NTUPLE,
        "target",
        "O maximises X's value",
        """
        def target(board, value):
            batch = board[None]
            if GRID.finished(batch)[0]:
                return int(GRID.winner(batch)[0])
            moves = np.flatnonzero(GRID.legal(batch)[0])
            return max(value(GRID.play(batch, np.array([move]))[0]) for move in moves)
        """,
    ),
    slip(
        NTUPLE,
        "target",
        "a draw, 0, is read as not ended",
        """
        def target(board, value):
            batch = board[None]
            if GRID.winner(batch)[0]:
                return int(GRID.winner(batch)[0])
            moves = np.flatnonzero(board == 0)
            best = max if GRID.to_move(batch)[0] == 1 else min
            return best(value(GRID.play(batch, np.array([move]))[0]) for move in moves)
        """,
    ),
    slip(
        NTUPLE,
        "disguise",
        "adds to all eight tables, takes away once",
        """
        def disguise(weights, bias):
            return weights + 0.5, bias - 0.5
        """,
    ),
    slip(
        NTUPLE,
        "disguise",
        "scales everything",
        """
        def disguise(weights, bias):
            return 2 * weights, 2 * bias
        """,
    ),
    # ------------------------------------------------------------------ 04
    slip(
        ISING,
        "weight",
        "an empty line weighs nothing",
        """
        def weight(own, other, n):
            return 0 if other or not own else factorial(own) * (n + 1) ** (own / n)
        """,
    ),
    slip(
        ISING,
        "weight",
        "c for boards of three only",
        """
        def weight(own, other, n):
            return 0 if other else factorial(own) * 4 ** (own / 3)
        """,
    ),
    slip(
        ISING,
        "weight",
        "c is n + 1, not its root",
        """
        def weight(own, other, n):
            return 0 if other else factorial(own) * (n + 1) ** own
        """,
        "weight-check",
        "weight-more",
    ),
    slip(
        ISING,
        "worth",
        "what my stone takes from the other",
        """
        def energy(cells, player):
            patterns = [[player * int(cells[i]) for i in line] for line in LINES]
            return sum(3 ** sum(pattern) for pattern in patterns if -1 not in pattern)


        def worth(board, cell, side, b):
            after = list(board)
            after[cell] = side
            taken = energy(board, -side) - energy(after, -side)
            return energy(after, side) - energy(board, side) + b * taken
        """,
    ),
    slip(
        ISING,
        "worth",
        "blocked lines count",
        """
        def worth(board, cell, side, b):
            def gain(player):
                lines = [line for line in LINES if cell in line]
                return sum(2 * 3 ** sum(int(board[i] == player) for i in line) for line in lines)

            return gain(side) + b * gain(-side)
        """,
    ),
    slip(
        ISING,
        "worth",
        "b as a whole number",
        """
        def worth(board, cell, side, b):
            def gain(player):
                lines = [[player * board[i] for i in line] for line in LINES if cell in line]
                return sum(2 * 3 ** int(sum(line)) for line in lines if -1 not in line)

            return gain(side) + int(b) * gain(-side)
        """,
    ),
    slip(
        ISING,
        "best",
        "equal means the same float",
        """
        def best(worths):
            return [i for i, worth in enumerate(worths) if worth == max(worths)]
        """,
    ),
    slip(
        ISING,
        "best",
        "an absolute difference",
        """
        def best(worths):
            return [i for i, worth in enumerate(worths) if worth >= max(worths) - 1e-9]
        """,
    ),
    slip(
        ISING,
        "best",
        "relative, but wrong below zero",
        """
        def best(worths):
            return [i for i, worth in enumerate(worths) if worth >= max(worths) * (1 - 1e-9)]
        """,
    ),
    slip(
        ISING,
        "best",
        "the first one",
        """
        def best(worths):
            return [worths.index(max(worths))]
        """,
        "best-check",
        "best-more",
    ),
    slip(
        ISING,
        "crossings",
        "also crossings below the best move",
        """
        def crossings(moves):
            pairs = [(m, n) for m in moves for n in moves if m[1] != n[1]]
            cuts = {(m[0] - n[0]) / (n[1] - m[1]) for m, n in pairs}
            return sorted(b for b in cuts if 0 < b < 1)
        """,
    ),
    slip(
        ISING,
        "crossings",
        "ends included",
        """
        def crossings(moves):
            lines = set(moves)
            cuts = {(p - r) / (s - q) for p, q in lines for r, s in lines if s != q}

            def on_top(b):
                heights = [p + b * q for p, q in lines]
                return heights.count(max(heights))

            return sorted(b for b in cuts if 0 <= b <= 1 and on_top(b) > 1)
        """,
    ),
    slip(
        ISING,
        "crossings",
        "divides by zero for parallel lines",
        """
        def crossings(moves):
            cuts = {(m[0] - n[0]) / (n[1] - m[1]) for m in moves for n in moves if m != n}
            return sorted(b for b in cuts if 0 < b < 1)
        """,
        "crossings-check",
        "crossings-more",
    ),
    slip(
        ISING,
        "plateau",
        "the longest piece, not the longest run",
        """
        def plateau(pieces):
            least = min(loss for _, _, loss in pieces)
            found = [(start, end) for start, end, loss in pieces if loss == least]
            return (*max(found, key=lambda piece: piece[1] - piece[0]), least)
        """,
    ),
    slip(
        ISING,
        "plateau",
        "single points are dropped",
        """
        def plateau(pieces):
            wide = [piece for piece in pieces if piece[0] < piece[1]]
            least = min(loss for _, _, loss in wide)
            runs = []
            for start, end, loss in wide:
                if loss == least and runs and runs[-1][1] == start:
                    runs[-1] = (runs[-1][0], end)
                elif loss == least:
                    runs.append((start, end))
            return (*max(runs, key=lambda run: run[1] - run[0]), least)
        """,
    ),
    slip(
        ISING,
        "plateau",
        "from the first to the last",
        """
        def plateau(pieces):
            least = min(loss for _, _, loss in pieces)
            found = [(start, end) for start, end, loss in pieces if loss == least]
            return found[0][0], found[-1][1], least
        """,
    ),
    # ------------------------------------------------------------------ 05
    slip(
        ULTIMATE,
        "legal",
        "plays on in a closed sub-board",
        """
        def legal(boards, sent):
            if any(holds_line(owners(boards), stone) for stone in "xo"):
                return []
            where = range(9) if sent is None or "." not in boards[sent] else [sent]
            return [(b, c) for b in where for c in range(9) if boards[b][c] == "."]


        def owners(boards):
            won = [[s for s in "xo" if holds_line(cells, s)] for cells in boards]
            return [found[0] if found else "." for found in won]
        """,
    ),
    slip(
        ULTIMATE,
        "legal",
        "a full sub-board is not closed",
        """
        def legal(boards, sent):
            won = [[s for s in "xo" if holds_line(cells, s)] for cells in boards]
            owners = [found[0] if found else "." for found in won]
            if any(holds_line(owners, stone) for stone in "xo"):
                return []
            still = [b for b in range(9) if owners[b] == "."]
            where = [sent] if sent in still else still
            return [(b, c) for b in where for c in range(9) if boards[b][c] == "."]
        """,
    ),
    slip(
        ULTIMATE,
        "legal",
        "goes on when the game is over",
        """
        def legal(boards, sent):
            won = [any(holds_line(cells, s) for s in "xo") for cells in boards]
            still = [b for b in range(9) if not won[b] and "." in boards[b]]
            where = [sent] if sent in still else still
            return [(b, c) for b in where for c in range(9) if boards[b][c] == "."]
        """,
    ),
    slip(
        ULTIMATE,
        "puct",
        "the other side's view",
        """
        def puct(priors, visits, totals, c):
            priors, visits, totals = map(np.asarray, (priors, visits, totals))
            means = totals / np.maximum(visits, 1)
            return means + c * priors * np.sqrt(visits.sum()) / (1 + visits)
        """,
    ),
    slip(
        ULTIMATE,
        "puct",
        "nothing divided by nothing",
        """
        def puct(priors, visits, totals, c):
            priors, visits, totals = map(np.asarray, (priors, visits, totals))
            return -totals / visits + c * priors * np.sqrt(visits.sum()) / (1 + visits)
        """,
        "puct-check",
        "puct-more",
    ),
    slip(
        ULTIMATE,
        "puct",
        "sums instead of means",
        """
        def puct(priors, visits, totals, c):
            priors, visits, totals = map(np.asarray, (priors, visits, totals))
            return -totals + c * priors * np.sqrt(visits.sum()) / (1 + visits)
        """,
    ),
    slip(
        ULTIMATE,
        "back-up",
        "one sign for both players",
        """
        def back_up(path, value):
            for node in path:
                node["visits"] += 1
                node["total"] += value
        """,
    ),
    slip(
        ULTIMATE,
        "back-up",
        "alternates from the root",
        """
        def back_up(path, value):
            for node in path:
                node["visits"] += 1
                node["total"] += value
                value = -value
        """,
    ),
    slip(
        ULTIMATE,
        "score",
        "a late win is as good as a quick one",
        """
        def score(position):
            end = rules.result(position)
            if end is not None:
                return 100 * end * position.side
            moves = rules.legal_moves(position)
            return max(-score(rules.play(position, move)) for move in moves)
        """,
    ),
    slip(
        ULTIMATE,
        "score",
        "the score grows with the distance",
        """
        def score(position):
            end = rules.result(position)
            if end is not None:
                return 100 * end * position.side
            below = [score(rules.play(position, m)) for m in rules.legal_moves(position)]
            return max(-s - (s > 0) + (s < 0) for s in below)
        """,
        "score-check",
        "score-more",
    ),
    slip(
        ULTIMATE,
        "score",
        "a draw, 0, is read as not ended",
        """
        def score(position):
            if rules.result(position):
                return 100 * rules.result(position) * position.side
            below = [score(rules.play(position, m)) for m in rules.legal_moves(position)]
            return max(-s + (s > 0) - (s < 0) for s in below)
        """,
        "score-check",
        "score-more",
    ),
    slip(
        ULTIMATE,
        "phase",
        "all empty cells count",
        """
        def phase(boards):
            left = "".join(boards).count(".")
            return "endgame" if left <= 15 else "midgame" if left <= 45 else "opening"
        """,
    ),
    slip(
        ULTIMATE,
        "phase",
        "fewer than, not at most",
        """
        def phase(boards):
            still = [b for b in boards if not any(holds_line(b, stone) for stone in "xo")]
            left = "".join(still).count(".")
            return "endgame" if left < 15 else "midgame" if left < 45 else "opening"
        """,
    ),
)

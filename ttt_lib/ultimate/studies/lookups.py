"""How often leaves of a search are found among the endgames that earlier moves and games solved."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import State
from ttt_lib.ultimate.board.rules import Position
from ttt_lib.ultimate.learn.networks import evaluator_of
from ttt_lib.ultimate.learn.selfplay_batch import drawn
from ttt_lib.ultimate.players import quick_win, stored_tables, with_lookup
from ttt_lib.ultimate.search.tree_search import PuctSearch, RootView
from ttt_lib.ultimate.solver.solver import DTWSolver, Solution


class Lookups(DTWSolver):
    """A solver for many games that counts what look-ups in its table find.

    Its own table holds what earlier games left, that of a second solver what the present game has
    solved; as in the document, the eight images of a position share one entry.

    Attributes
    ----------
    asked, own, earlier : int
        Look-ups; those answered from the present game's table; and those answered only from what
        earlier games left.
    roots : set of bytes
        States that don't count.
    """

    asked = own = earlier = 0
    roots: Collection[bytes] = ()

    def __init__(self) -> None:
        super().__init__(symmetric=True)
        self._present, self._solved = DTWSolver(symmetric=True), list[Position | State]()

    def begin_game(self) -> None:
        """What was solved up to now belongs to earlier games."""
        for position in self._solved:
            super().calculate_dtw(position)
        self._solved.clear()
        self._present.table.clear()

    def calculate_dtw(self, position: Position | State, *, nodes: int | None = None) -> Solution:
        """As the solver's own."""
        self._solved.append(position)
        return self._present.calculate_dtw(position, nodes=nodes)

    def lookup_cache(self, position: Position | State) -> Solution | None:
        """As the solver's own."""
        own = self._present.lookup_cache(position)
        found = super().lookup_cache(position) if own is None else own
        if self._state(position).tobytes() not in self.roots:
            self.asked, self.own = self.asked + 1, self.own + (own is not None)
            self.earlier += own is None and found is not None
        return found


def count_lookups(games: int, simulations: int, temperature: float) -> Lookups:
    """A solver that has counted look-ups of leaves, after so many games of self-play.

    As published: an endgame at the root is solved before it is searched, a win within
    ``QUICK_WIN`` plies is played at once, and so is a win that the search sees before it visits
    anything; other moves are drawn by visits^(1 / temperature).  Leaves are looked up among these
    solutions, of all games so far, and never searched.

    Raises
    ------
    ValueError
        If the number of simulations is out of range.
    """
    game, solver, rng = Ultimate(), Lookups(), np.random.default_rng(0)
    look = with_lookup(evaluator_of(stored_tables()), solver)
    for _ in range(games):
        solver.begin_game()
        state = game.initial()
        while not game.finished(state)[0]:
            solver.roots = {state[0].tobytes()}
            win = quick_win(solver, state[0])
            if win is None:
                [root] = PuctSearch(game, state, look).run(simulations)
                move = _drawn(root, temperature, rng)
            else:
                move = np.array([win], dtype=np.intp)
            state = game.play(state, move)
    return solver


def _drawn(root: RootView, temperature: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """A move drawn by visits, or the best one where a proof left none to count; shape (1,)."""
    if root.visits.any():
        return drawn(root.visits[None], temperature, rng)
    return np.array([root.scores.argmax()], dtype=np.intp)

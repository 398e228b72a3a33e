"""Look-ups of leaves are counted, roots apart, game by game."""

from __future__ import annotations

from itertools import islice, pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import State
from ttt_lib.ultimate.board.symmetry import transform
from ttt_lib.ultimate.search.tree_search import PuctSearch, RootView
from ttt_lib.ultimate.solver.solver import DTWSolver, Solution
from ttt_lib.ultimate.studies import cost, lookups
from ttt_lib.ultimate.studies.lookups import Lookups, count_lookups


def test_look_ups_of_roots_are_not_counted() -> None:
    solver, state = Lookups(), cost.sample_states(1)[0]
    solver.lookup_cache(state)
    solver.roots = {state.tobytes()}
    solver.lookup_cache(state)
    assert (solver.asked, solver.own, solver.earlier) == (1, 0, 0)


def test_what_an_earlier_game_has_solved_is_told_apart() -> None:
    solver, state = Lookups(), _endgame()
    solver.calculate_dtw(state)
    solver.lookup_cache(state)
    assert (solver.asked, solver.own, solver.earlier) == (1, 1, 0)
    solver.begin_game()
    solver.lookup_cache(state)
    assert (solver.asked, solver.own, solver.earlier) == (2, 1, 1)
    solver.calculate_dtw(state)
    solver.lookup_cache(state)
    assert (solver.asked, solver.own, solver.earlier) == (3, 2, 1)


@pytest.mark.parametrize("symmetry", range(1, 8))
def test_an_image_of_a_solved_position_is_found(symmetry: int) -> None:
    solver, state = Lookups(), _endgame()
    [image] = transform(state[None], symmetry)
    assert image.tolist() != state.tolist()
    solver.calculate_dtw(state)
    solver.lookup_cache(image)
    assert (solver.own, solver.earlier) == (1, 0)
    solver.begin_game()
    solver.lookup_cache(image)
    assert (solver.own, solver.earlier) == (1, 1)


def _endgame() -> State:
    """One that a solver keeps."""
    return next(
        state
        for state in cost.sample_states(200)
        if DTWSolver().is_endgame(state) and not _won_at_once(state)
    )


def _won_at_once(state: State) -> bool:
    """Such a position needs no entry."""
    return DTWSolver().calculate_dtw(state).distance in (0, 1)


def test_hits_are_counted_game_by_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look-up of a position that is itself searched; each game is announced before it begins."""
    roots: set[bytes] = set()
    looked_up: list[bool] = []
    begun: list[int] = []
    look_up = Lookups.lookup_cache

    class Search(PuctSearch):
        def run(self, simulations: int) -> list[RootView]:
            roots.clear()
            roots.update(state.tobytes() for state in self.states)
            return super().run(simulations)

    def note(solver: Lookups, state: State) -> Solution | None:
        found = look_up(solver, state)
        if state.tobytes() not in roots:
            looked_up.append(found is not None)
        return found

    monkeypatch.setattr(lookups, "PuctSearch", Search)
    monkeypatch.setattr(Lookups, "lookup_cache", note)
    monkeypatch.setattr(Lookups, "begin_game", lambda solver: begun.append(solver.asked))
    found = count_lookups(3, 10, 1.0)
    assert found.asked == len(looked_up)
    assert found.own + found.earlier == sum(looked_up) > 0
    assert len(begun) == 3
    assert begun == sorted(set(begun))


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_moves_are_drawn_by_visits(monkeypatch: pytest.MonkeyPatch, temperature: float) -> None:
    """The first twenty of a game, which come before its endgame."""
    found = []

    class Search(PuctSearch):
        def run(self, simulations: int) -> list[RootView]:
            roots = super().run(simulations)
            found.append((self.states, roots[0].visits))
            return roots

    monkeypatch.setattr(lookups, "PuctSearch", Search)
    count_lookups(1, 10, temperature)
    game, rng = Ultimate(), np.random.default_rng(0)
    for (state, visits), (after, _) in islice(pairwise(found), 20):
        weights = visits ** (1 / temperature)
        move = rng.choice(81, p=weights / weights.sum())
        assert game.play(state, np.array([move])).tolist() == after.tolist()


def test_a_win_at_once_is_played_though_the_search_visits_nothing() -> None:
    root = SimpleNamespace(visits=np.zeros(81, np.int64), scores=np.eye(81)[7])
    for seed in range(3):
        assert lookups._drawn(root, 1.0, np.random.default_rng(seed)).tolist() == [7]  # type: ignore[arg-type]

"""Agents of document 5 under its names, and ``alphazero`` for the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ttt_lib.evidence.store import data_dir, present
from ttt_lib.evidence.weights import check_types
from ttt_lib.game.board import Floats
from ttt_lib.game.policy import Agent, best_moves, choose, from_moves
from ttt_lib.ultimate.board.game import Ultimate, pack, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.board.rules import MOVES, Position
from ttt_lib.ultimate.config import ENDGAME_CELLS
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.learn.networks import (
    Playable,
    check_device,
    evaluator_of,
    load_playable,
    network_agent,
)
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import AlphaZeroNet
from ttt_lib.ultimate.network.tablenet import TableNet, Tables, compile_tables
from ttt_lib.ultimate.search.hybrid import Hybrid
from ttt_lib.ultimate.search.puct_table import TableSearch, table_agent
from ttt_lib.ultimate.search.tree_search import (
    C_PUCT,
    FPU,
    MAX_SIMULATIONS,
    PuctSearch,
    RootView,
    check_player,
)
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver

Network = Tables | TableNet | AlphaZeroNet

STORED = "stored"
"""The name of the stored networks, instead of a checkpoint's file."""

QUICK_WIN = 5
"""A win within so many plies is played without a search, once the solver knows it."""


@lru_cache(maxsize=4)
def stored_tables(path: Path | None = None) -> Tables:
    """The compiled tables of a checkpoint, that below ``data/`` by default.

    Raises
    ------
    ValueError
        If it is missing or damaged, or holds no table net.
    """
    with torch.random.fork_rng(devices=[]):  # a net draws weights before it takes the stored ones
        net, _ = checkpoint.load_net(path)
    if not isinstance(net, TableNet):
        raise ValueError("this checkpoint holds a residual network, not a table net")
    return compile_tables(net)


def in_endgame(states: States) -> NDArray[np.bool_]:
    """Whether few enough cells are playable for the network of endgames; shape (B,)."""
    return playable(states) <= ENDGAME_CELLS


def by_phase(middle: Agent, endgame: Agent) -> Agent:
    """Ask one player until the endgame begins, and the other one from then on.

    Raises
    ------
    ValueError
        If they play different games.
    """
    if middle.game != endgame.game:
        raise ValueError("the players of both phases must play the same game")

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        late, found = in_endgame(states), np.empty(len(states), dtype=np.intp)
        for rows, agent in ((~late, middle), (late, endgame)):
            if rows.any():
                found[rows] = choose(agent, states[rows], rng)
        return found

    both = middle.deterministic and endgame.deterministic
    return from_moves(middle.name, middle.game, moves, deterministic=both)


def stored_agent(simulations: int, game: Ultimate | None = None, **settings: Any) -> Agent:
    """The stored networks without the solver: that of games, and that of endgames.

    Parameters
    ----------
    game : Ultimate or None
        Standard rules by default.
    **settings
        As for :func:`~ttt_lib.ultimate.search.puct_table.table_agent`.

    Raises
    ------
    ValueError
        If simulations < 2, a setting is out of range, table nets don't know the rules, or a stored
        network can't be read.
    """
    game = game or Ultimate()
    middle = table_agent(stored_tables(), simulations, game, **settings)
    settings = endgame_search(game) | settings
    return by_phase(middle, table_agent(endgame_tables(game), simulations, game, **settings))


def endgame_tables(game: Ultimate) -> Tables:
    """The stored endgame network; under other rules than it was taught, that for games."""
    if game.rules != "standard":
        return stored_tables()
    return stored_tables(data_dir() / checkpoint.ENDGAME)


ENDGAME_SEARCH = {"c": 1.25, "fpu": 0.5}
"""How the network of endgames searches: the best of a dozen settings on 1,181 endgames of UCT
games, none of which is used to report its strength."""


def endgame_search(game: Ultimate) -> dict[str, Any]:
    """Settings of the search once the network of endgames is asked; none under other rules."""
    return ENDGAME_SEARCH if game.rules == "standard" else {}


SOLVER = 20
"""Playable cells up to which ``alphazero`` solves by default, for certainty at little cost."""


def alphazero(
    game: Ultimate,
    simulations: int = 100,
    net: str = STORED,
    solver: int = SOLVER,
    shallow: int = 0,
    *,
    device: str = "cpu",
) -> Agent:
    """Play what looks best by PUCT, and endgames perfectly.

    Parameters
    ----------
    simulations : int
        At least 2: the first values the root alone.
    net : str
        ``stored``, which changes networks where endgames begin, or the file of any checkpoint.
    solver : int
        Playable cells up to which a position is solved; 0 for the net alone.
    shallow : int
        Plies of the document's shallow search in the midgame, 0 for none, see
        :class:`~ttt_lib.ultimate.search.hybrid.Hybrid`.
    device : str
        Where a residual network is.

    Raises
    ------
    ValueError
        If a number is out of range, the rules are not for the net, or the checkpoint can't be
        read.
    """
    network, settings = load_network(net), dict[str, Any]()
    if net == STORED:
        late: Playable = endgame_tables(game)
        settings, alone = endgame_search(game), stored_agent(simulations, game)
    else:
        late, alone = network, network_agent(network, simulations, game, device=device)

    def search(state: NDArray[np.uint16]) -> RootView:
        asked, how = (late, settings) if in_endgame(state[None])[0] else (network, {})
        if isinstance(asked, Tables):
            return TableSearch(game, state, asked, **how).run(simulations)
        evaluate = evaluator_of(asked, device=device)
        return PuctSearch(game, state[None], evaluate, c=C_PUCT, fpu=FPU).run(simulations)[0]

    hybrid = Hybrid(game, search, solver, shallow)

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        return np.array([hybrid.move(state) for state in states], dtype=np.intp)

    def scores(states: States) -> Floats:
        return np.array([_rated(search(state)) for state in states]).reshape(len(states), MOVES)

    if not (solver or shallow):
        return replace(alone, scores=scores)
    name = f"alphazero:simulations={simulations}"
    return from_moves(name, game, moves, scores=scores, deterministic=True)


def _rated(found: RootView) -> Floats:
    """Visits, corrected by what is proven; it plays by values, or what the solver says."""
    return found.scores - 2e12 * (found.proven == -1)  # no lost move is proven good


DEVICES = ("cpu", "cuda")
"""Kinds of devices that networks are for; PyTorch knows others, on which they fail."""


def check_typed_device(device: str) -> None:
    """Check the name of a device that somebody typed.

    Raises
    ------
    ValueError
        If it is of another kind, or isn't there.
    """
    if device.partition(":")[0] not in DEVICES:
        raise ValueError(f"no device {device!r}: {' or '.join(DEVICES)}")
    check_device(device)


NET = "net.safetensors"
"""The network in the folder of a training."""


def check_typed_file(path: Path) -> None:
    """Check a checkpoint's file that somebody typed.

    Raises
    ------
    ValueError
        If it is missing or a folder, or holds numbers that can't be read.
    """
    if path.is_dir():
        inside = f": its network is {path / NET}" if (path / NET).is_file() else ""
        raise ValueError(f"{path} is a folder, not a checkpoint's file{inside}")
    if not path.exists():
        place = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise ValueError(f"there is no file {path}{place}")
    check_types(path)


def check_stored() -> None:
    """Check that the stored networks are there.

    Raises
    ------
    ValueError
        If one is missing.
    """
    for file in (checkpoint.STORED, checkpoint.ENDGAME):
        present(file)


RANGES = {"simulations": (2, MAX_SIMULATIONS), "solver": (0, MOVES), "shallow": (0, MOVES)}
"""Least and largest value of the numbers among the options of ``alphazero``."""


def check_typed(options: Mapping[str, Any]) -> None:
    """Check the numbers, file and device among the options of ``alphazero`` that somebody typed.

    Raises
    ------
    ValueError
        If a number is out of range, the device isn't there, or no file is named, or one that
        :func:`check_typed_file` rejects, or a stored network is missing.
    """
    for option, (least, most) in RANGES.items():
        if not least <= options[option] <= most:
            told = f"{least}..{most:,}, not {options[option]:,}"
            raise ValueError(f"option {option} of alphazero must be in {told}")
    check_typed_device(options["device"])
    if not options["net"]:
        raise ValueError(f"net= names no file: net={STORED}, or a checkpoint's file")
    if options["net"] == STORED:
        check_stored()
    else:
        check_typed_file(Path(options["net"]))


def load_network(net: str) -> Playable:
    """The network of a name: ``stored``, or a checkpoint's file.

    Raises
    ------
    ValueError
        If it can't be read.
    """
    if net == STORED:
        return stored_tables()
    return _playable(Path(net))


def _playable(path: Path) -> Playable:
    with torch.random.fork_rng(devices=[]):
        return load_playable(path)


def with_lookup(evaluate: Evaluator, solver: DTWSolver) -> Evaluator:
    """Take the solver's word for the value of endgames that its table knows; never search them."""

    def batch(states: States) -> tuple[Floats, Floats]:
        priors, values = evaluate(states)
        for row in np.flatnonzero(playable(states) <= solver.endgame_threshold):
            if (known := solver.lookup_cache(states[row])) is not None:
                values[row] = known.result
        return priors, values

    return batch


class AlphaZeroAgent:
    """The document's agent, under standard rules: search with a network and, if given, the solver.

    Parameters
    ----------
    network : Tables, TableNet or AlphaZeroNet
        As it is now: what it learns later doesn't reach the agent.
    temperature : float
        Moves are drawn by visits^(1 / temperature); 0 for the best one.
    dtw_calculator : DTWSolver or None
        Its wins within ``QUICK_WIN`` plies are played at once, and what its table knows goes
        before what the network thinks.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    def __init__(
        self,
        network: Network,
        num_simulations: int = 100,
        c_puct: float = 1.0,
        temperature: float = 1.0,
        dtw_calculator: DTWSolver | None = None,
    ) -> None:
        check_player(num_simulations, c_puct)
        _check_temperature(temperature)
        self.network = compile_tables(network) if isinstance(network, TableNet) else network
        self.num_simulations, self.c_puct, self.temperature = num_simulations, c_puct, temperature
        self.dtw_calculator, self.game = dtw_calculator, Ultimate()
        self._evaluator = evaluator_of(self.network)
        if dtw_calculator is not None:
            self._evaluator = with_lookup(self._evaluator, dtw_calculator)

    def _search(self, state: NDArray[np.uint16]) -> RootView:
        if isinstance(self.network, Tables) and self.dtw_calculator is None:
            search = TableSearch(self.game, state, self.network, c=self.c_puct, fpu=FPU)
            return search.run(self.num_simulations)
        batch = PuctSearch(self.game, state[None], self._evaluator, c=self.c_puct, fpu=FPU)
        return batch.run(self.num_simulations)[0]

    def get_action_probs(self, board: Position, temperature: float | None = None) -> Floats:
        """Chances of the moves, shape (81,).

        Raises
        ------
        ValueError
            If the game is over or the temperature is negative.
        """
        temperature = self.temperature if temperature is None else temperature
        _check_temperature(temperature)
        solver = self.dtw_calculator
        if solver is not None and (win := quick_win(solver, board)) is not None:
            return np.asarray(np.eye(MOVES)[win])
        found = self._search(pack(board))
        if temperature == 0 or found.proven is not None or not found.visits.any():
            return np.asarray(best_moves(found.scores[None], "first")[0], dtype=np.float64)
        weights = (found.visits / found.visits.max()) ** (1 / temperature)
        return np.asarray(weights / weights.sum())

    def select_action(
        self,
        board: Position,
        temperature: float | None = None,
        *,
        rng: np.random.Generator | int = 0,
    ) -> int:
        """Draw a move, 9 row + column, as :meth:`get_action_probs` says."""
        chances = self.get_action_probs(board, temperature)
        return int(np.random.default_rng(rng).choice(MOVES, p=chances))


def quick_win(solver: DTWSolver, board: Position | NDArray[np.uint16]) -> int | None:
    """The move that wins an endgame within ``QUICK_WIN`` plies; None also beyond the budget."""
    if not solver.is_endgame(board):
        return None
    try:
        result, distance, move = solver.calculate_dtw(board)
    except BudgetExceededError:
        return None
    return move if result == 1 and distance is not None and distance <= QUICK_WIN else None


def _check_temperature(temperature: float) -> None:
    if not 0 <= temperature < np.inf:
        raise ValueError(f"a temperature must be a finite number >= 0, not {temperature}")


def create_prediction_agent(model_path: str | Path | None = None) -> AlphaZeroAgent:
    """The document's standard agent: 400 simulations; the stored table net by default."""
    return AlphaZeroAgent(_network_in(model_path), 400)


def create_strong_agent(model_path: str | Path | None = None) -> AlphaZeroAgent:
    """The document's strong agent: 800 simulations and a lower temperature."""
    return AlphaZeroAgent(_network_in(model_path), 800, temperature=0.5)


def _network_in(model_path: str | Path | None) -> Playable:
    if model_path is None:
        return stored_tables()
    path = Path(model_path)
    check_types(path)
    return _playable(path)

"""Settings of networks, training and the endgame solver: the published ones, and small ones.

``CONFIGS`` holds ``published`` (document 5's defaults), ``large`` (the stored
table net, half an hour), ``lite`` (its teacher, an hour), ``quick`` and
``notebook`` (some minutes, one minute), and ``resnet`` (the document's network,
small enough for a CPU).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any


def _check(owner: str, **limits: tuple[float, float, float]) -> None:
    """Reject the first value outside its closed interval; each is (value, low, high)."""
    for name, (value, low, high) in limits.items():
        if not low <= value <= high:
            above = f"at least {low:g}" if high == INF else f"in [{low:g}, {high:g}]"
            raise ValueError(f"{owner}: {name} must be {above}, not {value}")


INF = float("inf")


@dataclass(frozen=True)
class NetworkConfig:
    """The document's residual network.

    Attributes
    ----------
    num_res_blocks, num_channels : int
        Depth and width.
    reduction : int
        Squeeze-and-excitation has num_channels / reduction hidden units.
    """

    num_res_blocks: int = 30
    num_channels: int = 512
    reduction: int = 16

    def __post_init__(self) -> None:
        _check(
            "network", num_res_blocks=(self.num_res_blocks, 0, 200),
            num_channels=(self.num_channels, 1, 4096),
            reduction=(self.reduction, 1, self.num_channels),
        )  # fmt: skip


@dataclass(frozen=True)
class TableConfig:
    """Our table net, see :mod:`ttt_lib.ultimate.network.tablenet`.

    Attributes
    ----------
    body, parts : int
        Widths of the two layers that read one sub-board.
    over : int
        Width of the two layers that read the meta-board.
    rows : int
        Numbers in a row of the value tables, a multiple of 4.
    value : int
        Width of the layer above their sum.
    channels : int
        Length of the two embedding vectors (of a cell, and of the rest of the board) whose dot
        product is a move's logit.
    """

    body: int = 128
    parts: int = 64
    over: int = 64
    rows: int = 64
    value: int = 32
    channels: int = 8

    def __post_init__(self) -> None:
        _check(
            "table net", body=(self.body, 1, 1024), parts=(self.parts, 1, 512),
            over=(self.over, 1, 512), rows=(self.rows, 4, 512), value=(self.value, 1, 512),
            channels=(self.channels, 1, 16),
        )  # fmt: skip
        if self.rows % 4:
            raise ValueError(f"table net: rows must be a multiple of 4, not {self.rows}")


@dataclass(frozen=True)
class DTWConfig:
    """The endgame solver's thresholds (playable empty cells), depth (plies) and table sizes.

    Training reads ``endgame_threshold`` alone: the solver of self-play has a small table of its own
    and never searches a midgame.  The hybrid player reads the other threshold and the depth.
    Nothing reads the sizes; they are kept because stored networks were written with them.
    """

    endgame_threshold: int = 15
    midgame_threshold: int = 45
    shallow_depth: int = 8
    hot_cache_size: int = 5_000_000
    cold_cache_size: int = 20_000_000

    def __post_init__(self) -> None:
        _check(
            "solver", endgame_threshold=(self.endgame_threshold, 0, 81),
            midgame_threshold=(self.midgame_threshold, self.endgame_threshold, 81),
            shallow_depth=(self.shallow_depth, 1, 81),
            hot_cache_size=(self.hot_cache_size, 1, INF),
            cold_cache_size=(self.cold_cache_size, 1, INF),
        )  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """One stage of the schedule: valid until the share ``until`` of the iterations is done."""

    until: float
    simulations: int
    games: int
    temperature: float

    def __post_init__(self) -> None:
        _check(
            "schedule", until=(self.until, 1e-9, 1), simulations=(self.simulations, 1, INF),
            games=(self.games, 1, INF), temperature=(self.temperature, 0.01, 100),
        )  # fmt: skip


PUBLISHED_STAGES = (
    Stage(0.2, 200, 83, 1.0),
    Stage(0.5, 380, 133, 1.0),
    Stage(0.8, 560, 183, 0.65),
    Stage(1.0, 800, 250, 0.3),
)

PUBLISHED_WEIGHTS = ((50, 1.0), (40, 1.0), (30, 1.0), (26, 1.2), (20, 1.0), (10, 0.6), (0, 0.4))
"""Minimum empty cells of each phase, and its weight; from the opening to the last moves."""


ENDGAMES = ("play", "relabel", "adjudicate")
"""What endgames of self-play teach: how they ended, what the solver says about them, or nothing,
because the solver's verdict ends the game there."""

ENDGAME_CELLS = 26
"""Playable cells up to which the endgame network is used."""


@dataclass(frozen=True)
class TrainingConfig:
    """What one training run does.

    Attributes
    ----------
    num_iterations : int
        Iterations of self-play and learning.
    num_self_play_games, num_simulations : int
        Games per iteration and simulations per move at full strength; ``stages`` lead up
        to these, and none exceeds them.
    num_train_epochs : int
        Weighted batches drawn per iteration: the document's "epoch" is one batch.
    batch_size : int
    lr : float
        Learning rate at the start; it falls along a cosine to a hundredth of that.
    weight_decay : float
    use_amp : bool
        Mixed precision, on a GPU only.
    double : bool
        Learn in double precision: rounding differences between processors then stay too small
        to change a game, and the same seed learns the same everywhere.  For table nets only,
        which are rounded again when compiled; learning takes twice as long.
    replay_buffer_size : int
        Positions in the sliding window.
    save_interval : int
        Iterations between stored networks; a run to resume is stored after each iteration.
    c_puct : float
        Exploration constant.
    stages : tuple of Stage
        The adaptive schedule.
    phase_weights : tuple of (int, float)
        Minimum empty cells of each phase and its weight.
    augment : bool
        Whether each sample is shown in a random one of its eight symmetries.
    full_share, fast_simulations : float, int
        Playout-cap randomisation (Wu, 2019): this share of the moves is searched fully
        and learned from, the others quickly; a share of 1 searches all fully.
    noise : float
        Share of Dirichlet(1) noise in the priors of fully searched roots.
    opening_plies : int
        Each game begins with between 0 and this many random moves.
    value_mix : float
        Share of the search's own value in the value target; the rest is the game's result.
    fpu : float
        How much worse than its parent an untried move is assumed to be.
    endgame : str
        ``play``, ``relabel`` or ``adjudicate``, see ``ENDGAMES``; the two that ask the solver
        also take its verdict on a game's first endgame as the result of the moves before it.
    q_scale : float
        0 to learn the root's visits, else the improved policy of Gumbel AlphaZero with this
        factor of sigma(Q); table nets only.
    restarts : tuple of int
        Iterations by which the learning rate has reached its minimum, to continue from where
        the cosine of the whole run then is.
    taught : int
        Number of first iterations with games of
        :data:`~ttt_lib.ultimate.learn.checkpoint.TEACHER`, so that a new network begins with
        what a trained one knows.
    """

    num_iterations: int = 300
    num_self_play_games: int = 250
    num_simulations: int = 800
    num_train_epochs: int = 40
    batch_size: int = 4096
    lr: float = 0.002
    weight_decay: float = 1e-4
    use_amp: bool = True
    double: bool = False
    replay_buffer_size: int = 1_000_000
    save_interval: int = 20
    c_puct: float = 1.0
    stages: tuple[Stage, ...] = PUBLISHED_STAGES
    phase_weights: tuple[tuple[int, float], ...] = PUBLISHED_WEIGHTS
    augment: bool = False
    full_share: float = 1.0
    fast_simulations: int = 1
    noise: float = 0.0
    opening_plies: int = 0
    value_mix: float = 0.0
    fpu: float = 0.0
    endgame: str = "play"
    q_scale: float = 0.0
    restarts: tuple[int, ...] = ()
    taught: int = 0

    def __post_init__(self) -> None:
        _check(
            "training", num_iterations=(self.num_iterations, 1, INF),
            num_self_play_games=(self.num_self_play_games, 1, INF),
            num_simulations=(self.num_simulations, 1, INF),
            num_train_epochs=(self.num_train_epochs, 1, INF),
            batch_size=(self.batch_size, 1, INF), lr=(self.lr, 0, 10),
            weight_decay=(self.weight_decay, 0, 10),
            replay_buffer_size=(self.replay_buffer_size, 1, INF),
            save_interval=(self.save_interval, 1, INF), c_puct=(self.c_puct, 0, 1000),
            full_share=(self.full_share, 1e-9, 1),
            fast_simulations=(self.fast_simulations, 1, INF), noise=(self.noise, 0, 1),
            opening_plies=(self.opening_plies, 0, 16), value_mix=(self.value_mix, 0, 1),
            fpu=(self.fpu, 0, 2), q_scale=(self.q_scale, 0, 100),
            taught=(self.taught, 0, self.num_iterations),
        )  # fmt: skip
        ends = [stage.until for stage in self.stages]
        if ends != sorted(set(ends)) or ends[-1:] != [1.0]:
            raise ValueError(f"schedule: stages must rise to 1.0, not end at {ends}")
        if any(a >= b for a, b in pairwise((0, *self.restarts))):
            raise ValueError(f"restarts must rise from 1, not {self.restarts}")
        if self.endgame not in ENDGAMES:
            raise ValueError(f"endgame must be {', '.join(ENDGAMES)}, not {self.endgame!r}")
        _check_phases(self.phase_weights)

    def stage(self, iteration: int) -> Stage:
        """What the schedule says for an iteration, counted from 0.

        Raises
        ------
        ValueError
            If there is no such iteration.
        """
        if not 0 <= iteration < self.num_iterations:
            raise ValueError(f"iterations are 0 to {self.num_iterations - 1}, not {iteration}")
        progress = iteration / self.num_iterations
        found = next(stage for stage in self.stages if progress < stage.until)
        return replace(
            found,
            simulations=min(found.simulations, self.num_simulations),
            games=min(found.games, self.num_self_play_games),
        )


def _check_phases(weights: tuple[tuple[int, float], ...]) -> None:
    starts = [start for start, _ in weights]
    if not starts or starts[-1] != 0 or any(a <= b for a, b in pairwise(starts)):
        raise ValueError(f"phase weights: fewest cells must fall to 0, not {starts}")
    if any(weight <= 0 for _, weight in weights):
        raise ValueError("phase weights: every weight must be positive")


@dataclass(frozen=True)
class Config:
    """A whole run: its name, its training, its network and its solver."""

    name: str = "published"
    training: TrainingConfig = field(default_factory=TrainingConfig)
    network: NetworkConfig | TableConfig = field(default_factory=NetworkConfig)
    dtw: DTWConfig = field(default_factory=DTWConfig)

    def __post_init__(self) -> None:
        if self.training.q_scale and isinstance(self.network, NetworkConfig):
            raise ValueError("improved policies (q_scale) are for table nets: 0 for a residual one")
        if self.training.double and isinstance(self.network, NetworkConfig):
            raise ValueError("double precision is for table nets, whose tables are rounded")

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Config:
        """Read what :meth:`as_dict` wrote.

        Raises
        ------
        ValueError
            If a part is missing or unknown, or a value is out of range.
        """
        try:
            training = dict(found["training"])
            training["stages"] = tuple(Stage(**stage) for stage in training["stages"])
            training["phase_weights"] = tuple(
                (int(cells), float(weight)) for cells, weight in training["phase_weights"]
            )
            training["restarts"] = tuple(int(at) for at in training["restarts"])
            kind = TableConfig if "rows" in found["network"] else NetworkConfig
            return cls(
                str(found["name"]), TrainingConfig(**training), kind(**found["network"]),
                DTWConfig(**found["dtw"]),
            )  # fmt: skip
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a configuration: {error}") from None


LITE = Config(
    "lite",
    TrainingConfig(
        num_iterations=700, num_self_play_games=1000, num_simulations=256, num_train_epochs=80,
        batch_size=1024, lr=0.004, use_amp=False, replay_buffer_size=400_000, save_interval=10,
        c_puct=1.5, augment=True, full_share=0.3, fast_simulations=24, noise=0.25,
        opening_plies=6, value_mix=0.5, fpu=0.2, endgame="relabel", q_scale=1.0, restarts=(220,),
        stages=(
            Stage(22 / 700, 64, 1000, 1.0), Stage(110 / 700, 128, 1000, 1.0),
            Stage(490 / 700, 192, 1000, 1.0), Stage(1.0, 256, 1000, 1.0),
        ),
    ),
    TableConfig(),
    DTWConfig(hot_cache_size=1 << 14, cold_cache_size=1 << 20),
)  # fmt: skip
"""The teacher's configuration: about an hour of processor time.

A run of 220 iterations that was extended to 700 because it was still learning:
hence the restart.
"""

LARGE = replace(
    LITE,
    name="large",
    training=replace(
        LITE.training, num_iterations=300, stages=(Stage(1.0, 256, 1000, 1.0),), restarts=(),
        taught=30,
    ),
    network=TableConfig(body=256, parts=128, over=128, rows=128, channels=16),
)  # fmt: skip
"""The stored network's: wider throughout than ``lite``, whose games it learned from at first."""

STEADY = (Stage(0.1, 64, 1000, 1.0), Stage(1.0, 96, 1000, 1.0))
"""Few simulations and many games; even fewer simulations while the network knows nothing."""

QUICK = replace(
    LITE,
    name="quick",
    training=replace(
        LITE.training, num_iterations=80, num_simulations=96, stages=STEADY, restarts=()
    ),
)
"""As ``lite``, in a tenth of its time."""

NOTEBOOK = replace(
    QUICK,
    name="notebook",
    training=replace(
        QUICK.training, num_iterations=20, num_self_play_games=300, num_train_epochs=60,
        stages=(Stage(1.0, 64, 300, 1.0),), num_simulations=64, save_interval=5, double=True,
    ),
)  # fmt: skip
"""As ``quick``, in a minute, and the same on every processor."""

RESNET = Config(
    "resnet",
    replace(
        QUICK.training, num_iterations=20, num_self_play_games=64, num_train_epochs=24,
        batch_size=256, stages=(Stage(0.1, 64, 64, 1.0), Stage(1.0, 96, 64, 1.0)),
        save_interval=5, endgame="play", q_scale=0.0,
    ),
    NetworkConfig(num_res_blocks=4, num_channels=32),
)  # fmt: skip
"""With a small residual network, and fewer games than ``quick``, since each takes so much longer;
the number of draws per sample is the same to within a third."""

CONFIGS = {config.name: config for config in (Config(), LITE, LARGE, QUICK, NOTEBOOK, RESNET)}


def config(name: str) -> Config:
    """One of ``CONFIGS`` by name.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    if name not in CONFIGS:
        raise ValueError(f"unknown configuration {name!r}: {', '.join(CONFIGS)}")
    return CONFIGS[name]

"""Training that is killed, or finds no room: the last good checkpoint loads and the run goes on.

Real processes are killed with SIGKILL, in the middle of an iteration and in the
middle of a checkpoint; what they do then must be what an undisturbed run does.
They are forked by a process that has imported the slow libraries once.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np
import pytest
import torch
from trainings import command

from ttt_lib import cli
from ttt_lib.ultimate import cli_training
from ttt_lib.ultimate.config import CONFIGS, LITE, Config, NetworkConfig, Stage, TableConfig
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.learn.networks import load_playable
from ttt_lib.ultimate.learn.trainer import Trainer, train

LAST, SEED, WAIT = 5, 11, 120.0

TABLES = Config(
    "tiny-tables",
    replace(
        LITE.training, num_iterations=LAST, num_train_epochs=3, batch_size=32,
        replay_buffer_size=120, stages=(Stage(1.0, 8, 4, 1.0),), fast_simulations=4,
        endgame="play", q_scale=0.0,
    ),
    TableConfig(body=8, parts=4, over=4, rows=8, value=4, channels=2),
)  # fmt: skip
RESIDUAL = replace(TABLES, name="tiny-residual", network=NetworkConfig(1, 4, 2))
EVERY_OTHER = replace(TABLES, training=replace(TABLES.training, save_interval=2))
CASES = {config.name: config for config in (TABLES, RESIDUAL)}

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["ttt_lib.cli", "ttt_lib.ultimate.cli_training", "torch._dynamo"])

SLOW_LEARNING = """
learn = Trainer.learn
def slowly(self, *given):
    if self.iteration >= 2:
        time.sleep(1.0)
    return learn(self, *given)
Trainer.learn = slowly
"""

STUCK_WRITE = """
write = Path.write_bytes
def half(self, data):
    if "run.safetensors" in self.name and self.parent.joinpath("run.safetensors").exists():
        with self.open("wb") as file:
            file.write(data[: len(data) // 2])
            file.flush()
            time.sleep(600)
    return write(self, data)
Path.write_bytes = half
"""

WAITING = """
def wait(self, *given):
    Path({mark!r}).touch()
    time.sleep(600)
Trainer.play = wait
"""

STUCK_LOG = """
write = Path.write_bytes
def stuck(self, data):
    if "log.csv" in self.name and data.count(b"\\n") == 1 + {at}:
        self.parent.joinpath("stuck").touch()
        time.sleep(600)
    return write(self, data)
Path.write_bytes = stuck
"""

SMALL_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
"""


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, config in CASES.items():
        monkeypatch.setitem(CONFIGS, name, config)
    monkeypatch.setattr(cli_training, "outlook", lambda trainer: "it takes a second to find out")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a whole run of each configuration."""
    done: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in done:
            done[name] = tmp_path_factory.mktemp(name)
            train(Trainer(CASES[name], seed=SEED), done[name])
        return done[name]

    return of


class Started(NamedTuple):
    """A process at work, and what it writes to stderr."""

    process: multiprocessing.process.BaseProcess
    said: TextIO


@contextmanager
def started(patch: str, *arguments: str) -> Iterator[Started]:
    """``ttt ultimate train`` with the tiny settings and a patch, in a process of its own."""
    reader, writer = FORKED.Pipe(duplex=False)
    given = ["ultimate", "train", "--games", "0", *arguments]
    process = FORKED.Process(target=command, args=(CASES, patch, given, writer))
    process.start()
    writer.close()
    with reader, os.fdopen(os.dup(reader.fileno())) as said:
        yield Started(process, said)
        process.kill()
        process.join()


def until(ready: Callable[[], bool], at_work: Started) -> None:
    """Wait until something has happened, or fail."""
    end = time.monotonic() + WAIT
    while not ready():
        assert at_work.process.exitcode is None, at_work.said.read()
        assert time.monotonic() < end, "it didn't happen in time"
        time.sleep(0.02)


def kill(at_work: Started) -> None:
    at_work.process.kill()
    at_work.process.join()
    assert at_work.process.exitcode == -signal.SIGKILL


def iteration_of(path: Path) -> int:
    return int(checkpoint.read(path)[1]["iteration"])


def go_on(folder: Path) -> int:
    return cli.main(["ultimate", "train", "--resume", "--games", "0", "--out", str(folder)])


def same_run(one: Path, other: Path) -> bool:
    """Whether two runs ended alike: every weight, every sample, every row of the log."""
    (a, about_a), (b, about_b) = (checkpoint.read(p / "run.safetensors") for p in (one, other))
    logs = [
        [{k: v for k, v in row.items() if k != "cpu_minutes"} for row in about["log"]]
        for about in (about_a, about_b)
    ]
    return (
        about_a["iteration"] == about_b["iteration"] == LAST
        and logs[0] == logs[1]
        and set(a) == set(b)
        and all(torch.equal(a[name], b[name]) for name in a)
    )


# ---------------------------------------------------------------------------- kill -9


@pytest.mark.parametrize("name", CASES)
def test_killed_within_an_iteration(
    name: str, undisturbed: Callable[[str], Path], tmp_path: Path
) -> None:
    given = "--config", name, "--seed", str(SEED), "--out", str(tmp_path)
    with started(SLOW_LEARNING, *given) as at_work:
        assert any(line.startswith(f"2/{LAST} ") for line in at_work.said)
        kill(at_work)  # the third iteration takes a second at least
    assert iteration_of(tmp_path / "run.safetensors") == 2, "at most the running one is lost"
    assert go_on(tmp_path) == 0
    assert same_run(tmp_path, undisturbed(name))


def test_killed_within_a_checkpoint(undisturbed: Callable[[str], Path], tmp_path: Path) -> None:
    given = "--config", TABLES.name, "--seed", str(SEED), "--out", str(tmp_path)
    whole, halves = tmp_path / "run.safetensors", lambda: tmp_path.glob(".run*.part")
    with started(STUCK_WRITE, *given) as at_work:
        until(lambda: whole.exists() and any(p.stat().st_size > 100 for p in halves()), at_work)
        kill(at_work)
    [half] = tmp_path.glob(".run*.part")
    with pytest.raises(ValueError, match="damaged"):
        checkpoint.read(half)
    assert iteration_of(tmp_path / "run.safetensors") == 1, "the one before is whole"
    assert go_on(tmp_path) == 0
    assert not half.exists()
    assert same_run(tmp_path, undisturbed(TABLES.name))


def test_the_comparison_can_fail(undisturbed: Callable[[str], Path], tmp_path: Path) -> None:
    train(Trainer(TABLES, seed=SEED + 1), tmp_path)
    assert not same_run(tmp_path, undisturbed(TABLES.name))


# ---------------------------------------------------------------------------- Ctrl-C


@pytest.mark.parametrize("more", [[], ["--resume"]])
@pytest.mark.parametrize("iterations", [1, 3])
def test_interrupted(
    iterations: int, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """What is saved and how to go on is told, within its first iteration and later."""
    folder, learn, left = tmp_path / "a run", Trainer.learn, iterations

    def stop(self: Trainer, *given: object) -> object:
        nonlocal left
        if (left := left - 1) == 0:
            raise KeyboardInterrupt
        return learn(self, *given)

    if more:
        folder.mkdir()
        begun(folder)
    monkeypatch.setattr(Trainer, "learn", stop)
    given = ["--config", TABLES.name, "--games", "0", "--out", str(folder), *more]
    assert cli.main(["ultimate", "train", *given]) == 130
    saved = iterations - 1 + len(more)
    told = capsys.readouterr().err.splitlines()[-1]
    if saved:
        again = f"ttt ultimate train --out '{folder}' --resume"
        assert (
            told
            == f"ttt: stopped after iteration {saved}; go on with: {again} (and your other options)"
        )
        assert iteration_of(folder / "run.safetensors") == saved
    else:
        assert told == "ttt: stopped before anything was saved; the same command begins again"


@pytest.mark.parametrize("there", [False, True])
def test_nothing_to_go_on_with(
    there: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "empty"
    if there:
        folder.mkdir()
    assert go_on(folder) == 2
    told = f"ttt: {folder} holds no run to go on with: without --resume one begins\n"
    assert capsys.readouterr().err == told
    assert folder.exists() == there


# ---------------------------------------------------------------------------- no room


def begun(folder: Path, iterations: int = 1) -> Path:
    """A run that has come so far."""
    trainer = Trainer(TABLES, seed=SEED)
    for _ in range(iterations):
        trainer.train_iteration()
    trainer.save(folder / "run.safetensors")
    return folder / "run.safetensors"


def test_file_too_large(undisturbed: Callable[[str], Path], tmp_path: Path) -> None:
    """The window grows, and so do checkpoints: a limit on file size stops the next one half way."""
    path = begun(tmp_path)
    before = path.read_bytes()
    given = "--resume", "--out", str(tmp_path)
    with started(SMALL_FILES.format(limit=len(before)), *given) as (process, said):
        process.join(WAIT)
        assert process.exitcode is not None, "it goes on and on"
        err = said.read()
    assert process.exitcode == 2, err
    assert err.count("\n") == 1
    assert f"{path} was not written: File too large" in err
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name], "nothing half written is left"
    assert go_on(tmp_path) == 0
    assert same_run(tmp_path, undisturbed(TABLES.name))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB in memory, where mounting is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount command here")
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    found = subprocess.run(mount, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"mounting a small disk is not allowed here: {found.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk(
    small_disk: Path,
    undisturbed: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = begun(small_disk)
    before, ballast = path.read_bytes(), small_disk / "ballast"
    space = shutil.disk_usage(small_disk).free
    assert len(before) < space
    ballast.write_bytes(bytes(space - len(before) // 2))
    assert go_on(small_disk) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert path.read_bytes() == before
    ballast.unlink()
    shutil.copytree(small_disk, tmp_path / "roomy")
    assert go_on(tmp_path / "roomy") == 0
    assert same_run(tmp_path / "roomy", undisturbed(TABLES.name))


@pytest.mark.parametrize("victim", ["run.safetensors", "log.csv", "net.safetensors"])
def test_failing_writer(
    victim: str,
    undisturbed: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whichever file finds no room: exit 2, one line, and the run goes on from where it was."""
    begun(tmp_path, 3)
    write = Path.write_bytes

    def no_room(self: Path, data: bytes) -> int:
        if victim in self.name:
            write(self, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        return write(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", no_room)
        assert go_on(tmp_path) == 2
    err = capsys.readouterr().err.splitlines()
    assert "No space left on device" in err[-1]
    assert all("min left" in line for line in err[:-1])
    assert go_on(tmp_path) == 0
    assert same_run(tmp_path, undisturbed(TABLES.name))


# ---------------------------------------------------------------------------- one run per folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_where_a_training_is_at_work_is_refused(
    resume: bool, undisturbed: Callable[[str], Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Before its first checkpoint, too, and what the other one is writing stays."""
    given = "--config", TABLES.name, "--seed", str(SEED), "--out", str(tmp_path)
    half = tmp_path / ".run.safetensors.1.part"
    if resume:
        begun(tmp_path)
        given = "--resume", "--out", str(tmp_path)
    half.write_bytes(b"half")
    with started(WAITING.format(mark=str(tmp_path / "at work")), *given) as at_work:
        until(lambda: (tmp_path / "at work").exists(), at_work)
        half.write_bytes(b"half")
        before = contents(tmp_path)
        for more in ([], ["--resume"]):
            train_it = ["ultimate", "train", "--games", "0", "--out", str(tmp_path), *more]
            assert cli.main(train_it) == 2
            err = capsys.readouterr().err
            assert f"a training is at work in {tmp_path}" in err
            assert err.count("\n") == 1
        assert contents(tmp_path) == before
        kill(at_work)
    if resume:
        assert go_on(tmp_path) == 0
        assert same_run(tmp_path, undisturbed(TABLES.name))


@pytest.mark.parametrize(
    "file", ["run.safetensors", "net.safetensors", "log.csv", "history/0003.safetensors"]
)
def test_a_new_training_overwrites_nothing(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_bytes(b"days of work")
    assert cli.main(["ultimate", "train", "--config", TABLES.name, "--out", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "another --out" in err
    assert err.count("\n") == 1
    assert contents(tmp_path) == {file: b"days of work"}


def test_a_resumed_run_keeps_its_seed(
    undisturbed: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = begun(tmp_path)
    before = path.read_bytes()
    resume = ["ultimate", "train", "--resume", "--games", "0", "--out", str(tmp_path), "--seed"]
    assert cli.main([*resume, "0"]) == 2
    err = capsys.readouterr().err
    assert f"{tmp_path} holds a run of seed {SEED}, not of seed 0" in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before
    assert cli.main([*resume, str(SEED)]) == 0
    assert same_run(tmp_path, undisturbed(TABLES.name))


# ---------------------------------------------------------------------------- gaps


@pytest.mark.parametrize("at", [2, 3, LAST])
def test_a_kill_just_after_a_checkpoint_leaves_no_gap(
    at: int, undisturbed: Callable[[str], Path], tmp_path: Path
) -> None:
    """What follows ``run.safetensors`` in an iteration is written when the run goes on."""
    given = "--config", TABLES.name, "--seed", str(SEED), "--history", "1", "--out", str(tmp_path)
    with started(STUCK_LOG.format(at=at), *given) as at_work:
        until(lambda: (tmp_path / "stuck").exists(), at_work)
        kill(at_work)
    assert iteration_of(tmp_path / "run.safetensors") == at
    names = [f"{number:04}.safetensors" for number in range(1, LAST + 1)]
    assert not (tmp_path / "history" / names[at - 1]).exists()
    resume = ["ultimate", "train", "--resume", "--games", "0", "--out", str(tmp_path)]
    assert cli.main([*resume, "--history", "1"]) == 0
    assert sorted(path.name for path in (tmp_path / "history").iterdir()) == names
    assert [iteration_of(tmp_path / "history" / name) for name in names] == [*range(1, LAST + 1)]
    whole = undisturbed(TABLES.name)
    lines, wanted = ((folder / "log.csv").read_text().splitlines() for folder in (tmp_path, whole))
    assert (lines[0], len(lines)) == (wanted[0], 1 + LAST)
    assert same_run(tmp_path, whole)


def test_the_network_to_play_with_is_caught_up(tmp_path: Path) -> None:
    trainer = Trainer(EVERY_OTHER, seed=SEED)
    for _ in range(2):
        trainer.train_iteration()
    trainer.save(tmp_path / "run.safetensors")
    with started(
        WAITING.format(mark=str(tmp_path / "at work")), "--resume", "--out", str(tmp_path)
    ) as at_work:
        until(lambda: (tmp_path / "at work").exists(), at_work)
        kill(at_work)
    assert iteration_of(tmp_path / "net.safetensors") == 2


# ---------------------------------------------------------------------------- divergence


def test_weights_that_are_no_numbers_replace_no_checkpoint(
    undisturbed: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    begun(tmp_path, 2)
    learn = Trainer.learn

    def diverging(self: Trainer, rng: np.random.Generator) -> tuple[float, float]:
        found = learn(self, rng)
        if self.iteration == 3:
            with torch.no_grad():
                next(self.net.parameters()).fill_(torch.nan)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "learn", lambda self, rng, epochs=None: diverging(self, rng))
        assert go_on(tmp_path) == 2
    assert "iteration 4: weights that are no finite numbers" in capsys.readouterr().err
    assert iteration_of(tmp_path / "run.safetensors") == 3
    assert go_on(tmp_path) == 0
    assert same_run(tmp_path, undisturbed(TABLES.name))


# ---------------------------------------------------------------------------- what is refused


class Bomb:
    """Unpickling it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return (Path.touch, (self.path,))


def test_a_pickle_is_never_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark, path = tmp_path / "exploded", tmp_path / "run.safetensors"
    for write in (lambda: path.write_bytes(pickle.dumps(Bomb(mark))),
                  lambda: torch.save(Bomb(mark), path)):  # fmt: skip
        write()
        for load in (Trainer.resume, checkpoint.load_net, load_playable):
            with pytest.raises(ValueError, match="damaged or no safetensors file"):
                load(path)
        assert go_on(tmp_path) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert not mark.exists()
    pickle.loads(pickle.dumps(Bomb(mark)))
    assert mark.exists(), "the bomb works"


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_truncated_runs_are_refused(
    share: float, undisturbed: Callable[[str], Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    data = (undisturbed(TABLES.name) / "run.safetensors").read_bytes()
    (tmp_path / "run.safetensors").write_bytes(data[: int(share * len(data))])
    assert go_on(tmp_path) == 2
    err = capsys.readouterr().err
    assert "run.safetensors is damaged" in err
    assert err.count("\n") == 1


def test_another_architecture_is_refused(
    undisturbed: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The weights of one network under the header of the other."""
    for weights, header in ((TABLES, RESIDUAL), (RESIDUAL, TABLES)):
        tensors, _ = checkpoint.read(undisturbed(weights.name) / "run.safetensors")
        _, about = checkpoint.read(undisturbed(header.name) / "run.safetensors")
        checkpoint.write(tmp_path / "run.safetensors", tensors, about)
        assert go_on(tmp_path) == 2
        err = capsys.readouterr().err
        assert "run.safetensors belongs to another architecture" in err
        assert err.count("\n") == 1

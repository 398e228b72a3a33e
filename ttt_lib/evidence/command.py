"""How every command begins and ends: its options are read, and what is wrong is told in one line.

``ttt`` and each ``python -m ttt_lib...`` hand their parser and their work to :func:`run_command`.
In Python's development mode (``python -X dev -m ...``) an error keeps its traceback.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TextIO

from ttt_lib.evidence import store

INTERRUPTED, BROKEN_PIPE = 128 + 2, 128 + 13
"""Exit status after Ctrl-C, and where the reader closed the pipe, as the shell reports them."""


def folder_named(text: str) -> Path:
    """The type of an option that names a folder.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is empty, which would be the current folder, or the checkout itself.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("names no folder")
    if Path(text).resolve() == store.root():
        raise argparse.ArgumentTypeError("is the folder of this project: name one of its own")
    return Path(text)


def at_least(least: int) -> Callable[[str], int]:
    """The type of an option that is a whole number, ``least`` or more.

    Raises
    ------
    argparse.ArgumentTypeError
        When it reads anything else.
    """

    def read(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]+", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"wants a whole number from {least} on, not {text!r}")
        return int(text)

    return read


WORDY = ("--find", "--position", "--verdict")
"""Options whose value may be several words."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose help is output like any other.

    Options are not abbreviated: a mistyped one would go to another.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.allow_abbrev = False

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write at once, for what can't be written to be told as with a command's results."""
        if file is sys.stderr:
            _say(message)
        else:
            (file or sys.stdout).write(message)
            (file or sys.stdout).flush()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Let the command that was chosen tell what it can't read, under its own name."""
        found, rest = super().parse_known_args(args, namespace)
        if rest and not self._subparsers:
            given = sys.argv[1:] if args is None else list(args)
            place = given.index(rest[0]) if rest[0] in given else 0
            before = given[:place][-2:-1]  # a value's first word stands between
            spaces = not rest[0].startswith("-") and any(word in WORDY for word in before)
            hint = "; a value of several words goes in quotation marks" * spaces
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and what may have been meant, and exit with status 2."""
        hint = _meant(message)
        if message.startswith("unrecognized arguments"):
            command = f"{self.prog} COMMAND" if self._subparsers else self.prog
            hint = f"; '{command} --help' lists what there is"
        self.exit(2, f"{self.prog}: {_in_one_line(message)}{hint}\n")


def _in_one_line(message: str) -> str:
    return " ".join(message.split())


def _meant(message: str) -> str:
    """The choice that a mistyped one may have meant; empty if nothing comes close."""
    found = re.search(r"invalid choice: '(.+)' \(choose from (.+)\)", message)
    return did_you_mean(found[1], re.findall(r"[\w-]+", found[2])) if found else ""


def did_you_mean(typed: str, known: Collection[str]) -> str:
    """What a message adds about the known word that comes close; empty if none does."""
    begun = [word for word in known if typed and word.startswith(typed)]
    close = get_close_matches(typed, list(known), 1) or begun[: len(begun) == 1]
    return f"; did you mean {close[0]}?" if close else ""


FAULTS = (ValueError, OverflowError, ModuleNotFoundError, OSError, MemoryError, RuntimeError)
"""What bad input, or a machine that lacks something, raises; of the last kind only some."""


def _unforeseen(error: Exception) -> bool:
    """Whether it is a fault of the program: its traceback is wanted."""
    return isinstance(error, RuntimeError) and NO_CACHE not in str(error)


NO_CACHE = "cannot cache function"
"""How numba words that it finds no folder that it can write to."""


def run_command(
    parser: argparse.ArgumentParser,
    work: Callable[[argparse.Namespace], int | None],
    arguments: Sequence[str] | None = None,
) -> int:
    """Read the options and do the work with them.

    Parameters
    ----------
    parser : ArgumentParser
        Reads the options; its name stands before a message.
    work : callable
        Takes the options; returns the exit status, or None for 0.
    arguments : sequence of str or None
        What to read; None: what the process was given.

    Returns
    -------
    int
        The work's exit status; 2 if its input was bad, which one line on stderr tells; 130 after
        Ctrl-C; 141 if the reader of the output has gone.
    """
    if sys.stderr is None:  # closed by the caller: the work goes on, its messages are lost
        sys.stderr = _nowhere()
    if sys.stdout is None:
        return _told(parser, "there is no standard output to write to")
    try:
        with stops_training(), keeps_interrupts():
            status = int(work(parser.parse_args(arguments)) or 0)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _empty()
        return BROKEN_PIPE
    except FAULTS as error:
        if sys.flags.dev_mode or _unforeseen(error):
            raise
        written = _empty()
        return _told(parser, _fault(error, "" if written else "standard output"))


def _empty() -> bool:
    """Empty the buffer of the output, which would fail when Python exits; whether it went out."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def _told(parser: argparse.ArgumentParser, message: str) -> int:
    """Say in one line what is wrong; returns the exit status."""
    _say(f"{parser.prog}: {_in_one_line(message)}\n")
    return 2


def _say(message: str) -> None:
    try:
        sys.stderr.write(message)
        sys.stderr.flush()
    except OSError:  # a full disk takes no message, nor when Python exits; the status still tells
        sys.stderr = _nowhere()


def _nowhere() -> TextIO:
    """A stream for messages that nobody can take."""
    return Path(os.devnull).open("w", encoding="utf-8")


def _fault(error: Exception, place: str) -> str:
    """What is wrong, in words for those who gave the input; place: where, if no file is named."""
    if isinstance(error, UnicodeEncodeError):
        return f"this output needs UTF-8, not {error.encoding}: set PYTHONIOENCODING=utf-8"
    if isinstance(error, OverflowError):
        return "a number among the options is too large to compute with"
    if isinstance(error, ModuleNotFoundError):
        if (error.name or "").startswith("ttt_lib."):  # numba unpickles names of another version
            return "compiled code of another version is stored: delete *.nbi and *.nbc (make clean)"
        return f"this needs {error.name}: pip install 'ttt-lib[full]'"
    if isinstance(error, OSError):
        return _system_fault(error, place)
    if isinstance(error, RuntimeError):
        return "compiled code can't be stored here: NUMBA_CACHE_DIR must name a writable folder"
    if isinstance(error, MemoryError):
        asked = re.match(r"Unable to allocate ([\d.]+ \w+)", str(error))
        return f"out of memory{f': it would take {asked[1]} at once' if asked else ''}"
    return str(error)


def _system_fault(error: OSError, place: str) -> str:
    if isinstance(error, shutil.Error):  # it lists every file that wasn't copied
        return f"a folder can't be copied: {error.args[0][0][2]}"
    named = place if error.filename is None else _file_meant(str(error.filename))
    told = error.strerror or str(error)
    return f"{named}: {told}" if named else told


def _file_meant(path: str) -> str:
    """The file that was to be written, for the name of its half-written copy beside it."""
    return re.sub(r"(^|[/\\])\.([^/\\]+)\.\d+\.part$", r"\1\2", path)


SWALLOWED = "Training interrupted by user"
"""How scikit-learn's networks warn of a Ctrl-C; then they return what they have learned so far."""


@contextmanager
def stops_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process at once, even in a compiled call; nothing is lost.

    Where Ctrl-C is ignored, as in a shell script's background jobs, it stays so.
    """
    with _on_interrupt(signal.SIG_DFL):
        yield


@contextmanager
def starts_workers() -> Iterator[None]:
    """Let processes that are started meanwhile ignore Ctrl-C: who started them ends them.

    Else each would print a traceback of whatever it was importing.  One that comes meanwhile is
    lost, so nothing that takes long belongs here.
    """
    with _on_interrupt(signal.SIG_IGN):
        yield


@contextmanager
def _on_interrupt(what: signal.Handlers) -> Iterator[None]:
    """Another answer to Ctrl-C meanwhile; processes started meanwhile keep it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, what)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def keeps_interrupts() -> Iterator[None]:
    """Repeat a Ctrl-C that came where Python can't raise it, such as in a finalizer."""
    before, repeated = sys.unraisablehook, list[threading.Timer]()

    def repeat(fault: sys.UnraisableHookArgs) -> None:
        if isinstance(fault.exc_value, KeyboardInterrupt):
            again = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
            again.start()  # not at once: it would be lost here
            repeated.append(again)
        else:
            before(fault)

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = before
        for again in repeated:
            again.join()  # it must not come when nobody catches it any more


@contextmanager
def stops_training() -> Iterator[None]:
    """Let Ctrl-C stop whatever trains a network, instead of going on with one half trained."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=SWALLOWED)
        try:
            yield
        except UserWarning as warning:
            if SWALLOWED in str(warning):
                raise KeyboardInterrupt from None
            raise

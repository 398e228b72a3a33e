"""What Ctrl-C does where it would not do enough: in compiled calls, and while scikit-learn fits."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

SWALLOWED = "Training interrupted by user"
"""How scikit-learn's networks warn of a Ctrl-C; then they return what they have learned so far."""


@contextmanager
def stops_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process at once, even in a compiled call; nothing is lost.

    Where Ctrl-C is ignored, as in a shell script's background jobs, it stays so.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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

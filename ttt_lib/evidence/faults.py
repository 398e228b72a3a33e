"""Faults made on purpose: a function of exact code with one of its parts replaced.

The exact code has no switch that breaks it.  A study that shows what a fault costs writes the
faulty part, a few lines, and puts it in the place of the sound one here; all the rest is the code
that every sound answer comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def with_parts(function: Callable[..., Any], **parts: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of a function that calls other parts, named as the sound ones in its module.

    A compiled kernel gives a compiled kernel.  It is not stored on disk, where it would take the
    place of the sound one, so that its first call takes seconds.  A function that calls itself
    calls the new one.

    Parameters
    ----------
    function : callable
        A function at the top of a module, compiled or not; it stays as it is.
    **parts : callable
        Replacements, by the names of the module's functions that they replace.

    Raises
    ------
    ValueError
        If the function's code doesn't use a part of that name.
    """
    plain = getattr(function, "py_func", function)
    missing = sorted(parts.keys() - set(plain.__code__.co_names))
    if missing:
        raise ValueError(f"{plain.__name__} has no part {', '.join(missing)}")
    names = {**plain.__globals__, **parts}
    made: Callable[..., Any] = FunctionType(
        plain.__code__, names, plain.__name__, plain.__defaults__
    )
    made.__kwdefaults__ = plain.__kwdefaults__
    if plain is not function:
        from numba import njit

        made = njit(made)
    names[plain.__name__] = made
    return made

"""Results that are computed once per process, however their arguments are written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from functools import _Wrapped

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> _Wrapped[P, T, P, T]:
    """As :func:`functools.cache`, which tells calls apart by how they are written.

    ``f(1)``, ``f(n=1)`` and, if 2 is the default of m, ``f(1, m=2)`` share one result here.
    """
    form, kept = signature(function), cache(function)

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        given = form.bind(*args, **options)
        given.apply_defaults()
        return kept(*given.args, **given.kwargs)

    return call

"""Results kept for the whole process: computed once, and their arrays can't be written to.

Who asks twice gets the same arrays twice, so writing into them would falsify all later results.
The columns of a DataFrame can still be written to: copy it first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from functools import _Wrapped

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> _Wrapped[P, T, P, T]:
    """As :func:`functools.cache` of :func:`read_only`; but that tells calls apart by their form.

    ``f(1)``, ``f(n=1)`` and, if 2 is the default of m, ``f(1, m=2)`` share one result here.
    """
    form, kept = signature(function), cache(read_only(function))

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        given = form.bind(*args, **options)
        given.apply_defaults()
        return kept(*given.args, **given.kwargs)

    return call


def read_only(function: Callable[P, T]) -> Callable[P, T]:
    """Make the arrays of a function's results read-only; stands below ``cache`` and its like.

    Also those within tuples, lists, mappings and dataclasses.
    """

    @wraps(function)
    def frozen(*args: P.args, **kwargs: P.kwargs) -> T:
        result = function(*args, **kwargs)
        _freeze(result)
        return result

    return frozen


def _freeze(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple | list):
        for part in value:
            _freeze(part)
    elif isinstance(value, Mapping):
        _freeze(list(value.values()))
    elif is_dataclass(value):
        _freeze([getattr(value, field.name) for field in fields(value)])

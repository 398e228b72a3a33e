"""Results kept for the whole process: their arrays can't be written to.

Who asks twice gets the same arrays twice, so writing into them would falsify all later results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")


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

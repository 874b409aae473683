# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What a caller gives, as numbers, whole numbers and texts, or an exception that names the argument."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Mapping, Union

import numpy as np
from numpy.typing import ArrayLike

from .bracket import Floats

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    Scalar = Union[float, np.floating[Any], np.integer[Any], Decimal, Fraction]  #: one number
    Numbers = Union[Scalar, ArrayLike]  #: one or an array of them
else:
    Scalar = Numbers = float

NO_NUMBERS = (str, bytes, bytearray, bool, np.bool_, complex, np.complexfloating, np.datetime64, np.timedelta64)
MOST_THREADS = 1024


def shown(value: Any) -> str:
    """Its repr, for messages; not the whole of a long one."""
    try:
        text = repr(value)
    except Exception:  # of whoever wrote it
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


def numbers(name: str, values: Numbers) -> Floats:
    """Doubles, or an exception that names the argument. Flags, texts, None and masked entries are no numbers."""
    if values is None or isinstance(values, NO_NUMBERS):
        raise TypeError(f"{name}: {shown(values)} is not a number")
    masked = sys.modules.get("numpy.ma")
    if masked is not None and masked.is_masked(values):
        raise TypeError(f"{name}: has entries that are masked")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = np.array([_number(one) for one in array.ravel()], dtype=np.float64).reshape(array.shape)
        elif array.dtype.kind not in "fiu":
            raise TypeError(f"of type {array.dtype}")
        return np.asarray(array, dtype=np.float64)
    except MemoryError:
        raise MemoryError(f"{name}: does not fit into the memory") from None
    except OverflowError:
        raise ValueError(f"{name}: {shown(values)} is outside the range of doubles") from None
    except Exception as error:
        raise TypeError(f"{name}: {shown(values)} is neither a number nor an array of numbers") from error


def _number(value: Any) -> float:
    if value is None or isinstance(value, NO_NUMBERS):
        raise TypeError("not a number")
    return float(value)


def number(name: str, value: Any) -> float:
    """One number."""
    array = numbers(name, value)
    if array.ndim > 0:
        raise TypeError(f"{name}: {shown(value)} is an array")
    return float(array)


def whole(name: str, value: Any, least: int, end: int) -> int:
    """A whole number in [least, end)."""
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    found = int(value) if integer else number(name, value)
    if not (least <= found < end and found == int(found)):
        raise ValueError(f"{name}: {shown(value)} is no whole number in [{least}, {end})")
    return int(found)


def threads_of(value: Any) -> int:
    """A number of threads; 0 is all of them."""
    return whole("threads", value, 0, MOST_THREADS + 1)


def word(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: {shown(value)} is no text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {value!a} has half a character") from None
    return str(value)


def rounded(value: float, digits: int, up: bool = True) -> str:
    """So many digits, the last one to the side on which what is said holds."""
    text = f"{value:.{digits}g}"
    if not np.isfinite(value) or (float(text) >= value if up else float(text) <= value):
        return text
    step = 10.0 ** (int(f"{value:.{digits}e}".partition("e")[2]) - digits + 1)
    return f"{float(text) + (step if up else -step):.{digits}g}"


def flat(name: str, array: Floats) -> Floats:
    """The entries in one contiguous row."""
    try:
        return np.ascontiguousarray(array).ravel()
    except MemoryError:
        raise MemoryError(f"{name}: {array.shape} does not fit into the memory") from None


def spread(of: Mapping[str, Floats]) -> list[Floats]:
    """All in one shape, or a ValueError that names those which do not fit."""
    try:
        return list(np.broadcast_arrays(*of.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in of.items() if array.ndim)
        raise ValueError(f"shapes do not fit each other: {shapes}") from None

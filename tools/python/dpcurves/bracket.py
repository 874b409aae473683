# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Answers: intervals that hold the truth."""

from __future__ import annotations

import decimal
import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Union

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Bracket:
    """An interval that holds the truth.

    ``float(bracket)`` is the end that may be promised: the upper one of epsilon, delta, Renyi divergences and chances of
    an attack, the lower one of a type II error. Comparisons with numbers, ``numpy`` and formats read that end, and
    ``f"{bracket:.2f}"`` rounds it to its side.
    """

    lower: float
    upper: float
    method: str = ""  #: how both ends were proved, in the words of the command line
    theorem: str = ""  #: id of the theorem in the catalogue
    direction: str = ""  #: remove or add, where one of them decided
    promise: str = "upper"

    def __repr__(self) -> str:
        words = [f"{name}={getattr(self, name)!r}" for name in ("method", "theorem", "direction") if getattr(self, name)]
        return f"Bracket({', '.join([f'lower={self.lower!r}', f'upper={self.upper!r}', *words])})"

    def __float__(self) -> float:
        return self.upper if self.promise == "upper" else self.lower

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(float(self), dtype=dtype)

    def __format__(self, form: str) -> str:
        value = float(self)
        precision = re.search(r"\.[0-9]+(?=[eEfFgG%]?$)", form)
        if precision is None or not np.isfinite(value):
            return format(value, form) if form else str(self)
        with decimal.localcontext() as context:
            context.rounding = decimal.ROUND_CEILING if self.promise == "upper" else decimal.ROUND_FLOOR
            return format(decimal.Decimal(value), form)

    def __round__(self, digits: int = 0) -> float:
        return float(format(self, f".{digits}f"))

    def __lt__(self, other: Any) -> bool:
        return float(self) < other if is_real(other) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return float(self) <= other if is_real(other) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return float(self) > other if is_real(other) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return float(self) >= other if is_real(other) else NotImplemented

    @property
    def relative_width(self) -> float:
        """Width over the larger magnitude of the ends."""
        size = max(abs(self.lower), abs(self.upper))
        if self.lower == self.upper:
            return 0.0
        return (self.upper - self.lower) / size if np.isfinite(size) else float("inf")

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))


def is_real(value: Any) -> bool:
    """Whether a bracket can be compared with it: a number or another bracket."""
    return isinstance(value, (int, float, np.integer, np.floating, Bracket)) and not isinstance(value, bool)


@dataclass(frozen=True, eq=False)
class Brackets:
    """An array of brackets: two arrays of one shape. ``numpy.asarray`` gives the ends that may be promised.

    ``method``, ``theorem`` and ``direction`` are those of all entries, with ``; `` between them.
    """

    lower: Floats
    upper: Floats
    method: str = ""
    theorem: str = ""
    direction: str = ""
    promise: str = field(default="upper", repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of both arrays."""
        return self.lower.shape

    def __len__(self) -> int:
        return len(self.lower)

    def __iter__(self) -> Iterator[Bracket | Brackets]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Brackets):
            return NotImplemented
        words = [(one.method, one.theorem, one.direction, one.promise) for one in (self, other)]
        ends = ((self.lower, other.lower), (self.upper, other.upper))
        return words[0] == words[1] and all(np.array_equal(*pair) for pair in ends)

    def __getitem__(self, index: Any) -> Bracket | Brackets:
        lower, upper = self.lower[index], self.upper[index]
        words = (self.method, self.theorem, self.direction, self.promise)
        return Bracket(float(lower), float(upper), *words) if np.ndim(lower) == 0 else Brackets(lower, upper, *words)

    def __float__(self) -> float:
        if self.lower.size != 1:
            raise TypeError(f"{self.lower.size} brackets are no number")
        return float(np.asarray(self).item())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        promised = self.upper if self.promise == "upper" else self.lower
        return np.array(promised, dtype=dtype)


Answer = Union[Bracket, Brackets]

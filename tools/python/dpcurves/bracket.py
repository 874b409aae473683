# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Answers: intervals that hold the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Union

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Bracket:
    """An interval that holds the truth.

    ``float(bracket)`` is the end that may be promised: the upper one of epsilon, delta, Renyi divergences and chances of
    an attack, the lower one of a type II error.
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


@dataclass(frozen=True)
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

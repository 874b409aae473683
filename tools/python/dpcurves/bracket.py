# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Answers: intervals that hold the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence, Union

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
    method: str = ""
    theorem: str = ""
    direction: str = ""
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

    def complement(self) -> Bracket:
        """1 minus it; what may be promised is the other end."""
        other = "lower" if self.promise == "upper" else "upper"
        return Bracket(1.0 - self.upper, 1.0 - self.lower, self.method, self.theorem, self.direction, other)

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))


@dataclass(frozen=True)
class Brackets:
    """An array of brackets: two arrays of one shape. ``numpy.asarray`` gives the ends that may be promised."""

    lower: Floats
    upper: Floats
    theorem: str = ""
    promise: str = field(default="upper", repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of both arrays."""
        return self.lower.shape

    def complement(self) -> Brackets:
        """1 minus them; what may be promised are the other ends."""
        other = "lower" if self.promise == "upper" else "upper"
        return Brackets(1.0 - self.upper, 1.0 - self.lower, self.theorem, other)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, index: Any) -> Bracket | Brackets:
        lower, upper = self.lower[index], self.upper[index]
        if np.ndim(lower) == 0:
            return Bracket(float(lower), float(upper), "", self.theorem, "", self.promise)
        return Brackets(lower, upper, self.theorem, self.promise)

    def __float__(self) -> float:
        if self.lower.size != 1:
            raise TypeError(f"{self.lower.size} brackets are no number")
        return float(np.asarray(self).item())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        promised = self.upper if self.promise == "upper" else self.lower
        return np.array(promised, dtype=dtype)


def pick(found: Sequence[Union[Bracket, Brackets]], promise: str) -> Union[Bracket, Brackets]:
    """The best of several answers to one question, entry by entry."""
    if len(found) == 1:
        return found[0]
    best = np.argmax if promise == "lower" else np.argmin
    ends = np.stack([np.asarray(one.lower if promise == "lower" else one.upper) for one in found])
    if ends.ndim == 1:
        return found[int(best(ends))]
    place = best(ends, axis=0)[np.newaxis]
    lower, upper = (np.stack([np.asarray(getattr(one, end)) for one in found]) for end in ("lower", "upper"))
    names = {found[i].theorem for i in np.unique(place)}
    return Brackets(
        np.take_along_axis(lower, place, 0)[0],
        np.take_along_axis(upper, place, 0)[0],
        names.pop() if len(names) == 1 else "",
        promise,
    )

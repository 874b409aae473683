# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""One theorem applied to one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .bracket import Bracket, Brackets, Floats


@dataclass(frozen=True)
class Violation:
    """A hypothesis of a theorem that the run does not meet."""

    assumption: str
    found: str
    remedy: str


def numbers(name: str, values: ArrayLike) -> Floats:
    """Doubles, or a TypeError that names the argument."""
    if isinstance(values, (str, bytes)) or values is None:
        raise TypeError(f"{name}: {values!r} is not a number")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {values!r} is neither a number nor an array of numbers") from error
    return array


def flat(array: Floats) -> Floats:
    """The entries in one contiguous row."""
    return np.ascontiguousarray(array).ravel()


def spread(of: Mapping[str, Floats]) -> list[Floats]:
    """All in one shape, or a ValueError that names those which do not fit."""
    try:
        return list(np.broadcast_arrays(*of.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in of.items() if array.ndim)
        raise ValueError(f"shapes do not fit each other: {shapes}") from None


class Guarantee:
    """A theorem that speaks of the run; ask its curve if ``applies``."""

    def __init__(self, native: _native.Guarantee) -> None:
        self._native = native

    def __repr__(self) -> str:
        state = "applies" if self.applies else "does not apply"
        return f"Guarantee({self.theorem!r}: {self.title}; {state})"

    @property
    def theorem(self) -> str:
        """Id in the catalogue."""
        return self._native.theorem

    @property
    def title(self) -> str:
        """A few words."""
        return self._native.title

    @property
    def applies(self) -> bool:
        """Whether its hypotheses hold."""
        return self._native.applies

    @property
    def certified(self) -> bool:
        """False for approximations, which are never the answer."""
        return self._native.certified

    @property
    def promised(self) -> bool:
        """Whether it applies, is certified, and rests on nothing that nobody has said."""
        return self._native.promised

    @property
    def unsaid(self) -> list[Violation]:
        """Hypotheses that nobody has said to hold, each with how to say it."""
        return [Violation(*one) for one in self._native.unsaid]

    @property
    def assumed(self) -> list[str]:
        """Hypotheses that the run does not settle."""
        return self._native.assumed

    @property
    def adjacency(self) -> str:
        """What neighbouring data sets are; empty where the theorem does not say."""
        return self._native.adjacency

    @property
    def note(self) -> str:
        """What a reader should know."""
        return self._native.note

    @property
    def violations(self) -> list[Violation]:
        """Hypotheses that fail, each with what would have to change."""
        return [Violation(*one) for one in self._native.violations]

    @overload
    def epsilon(self, delta: float, *, threads: int = ...) -> Bracket: ...
    @overload
    def epsilon(self, delta: ArrayLike, *, threads: int = ...) -> Bracket | Brackets: ...
    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Bracket | Brackets:
        """The least epsilon for delta in (0, 1). More than 64 share their work: their last digits may be others."""
        at = numbers("delta", delta)
        return self._brackets(at, self._native.epsilon(flat(at), threads))

    @overload
    def delta(self, epsilon: float, *, threads: int = ...) -> Bracket: ...
    @overload
    def delta(self, epsilon: ArrayLike, *, threads: int = ...) -> Bracket | Brackets: ...
    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Bracket | Brackets:
        """The least delta for any real epsilon. More than 64 share their work: their last digits may be others."""
        at = numbers("epsilon", epsilon)
        return self._brackets(at, self._native.delta(flat(at), threads))

    def tradeoff(self, type_one_error: ArrayLike) -> Bracket | Brackets:
        """The least type II error of a test at each type I error in [0, 1]."""
        return self._pair(numbers("type_one_error", type_one_error), self._native.tradeoff, "lower")

    def renyi(self, order: ArrayLike) -> Bracket | Brackets:
        """The Renyi divergence of each order above 1."""
        return self._pair(numbers("order", order), self._native.renyi, "upper")

    def measure(self, name: str, at: ArrayLike, prior: ArrayLike = 0.5) -> Bracket | Brackets:
        """A measure of attacks by its name: tpr, advantage, bayes_error, precision, auc, reconstruction, ..."""
        where, priors = spread({"at": numbers("at", at), "prior": numbers("prior", prior)})
        lower, upper = np.empty(where.size), np.empty(where.size)
        direction = _native.attack(self._native, name, flat(where), flat(priors), lower, upper, 0)
        promise = "lower" if name == "bayes_error" else "upper"
        if where.ndim == 0:
            return Bracket(float(lower[0]), float(upper[0]), "", self.theorem, direction, promise)
        return Brackets(lower.reshape(where.shape), upper.reshape(where.shape), self.theorem, promise)

    def mu(self) -> Bracket | None:
        """The GDP parameter, where there is one."""
        found = self._native.mu()
        return None if found is None else Bracket(*found, theorem=self.theorem)

    def _brackets(self, at: Floats, found: list[tuple[float, float, str, str]]) -> Bracket | Brackets:
        if at.ndim == 0:
            lower, upper, method, direction = found[0]
            return Bracket(lower, upper, method, self.theorem, direction)
        lower_ends = np.array([one[0] for one in found], dtype=np.float64).reshape(at.shape)
        upper_ends = np.array([one[1] for one in found], dtype=np.float64).reshape(at.shape)
        return Brackets(lower_ends, upper_ends, self.theorem)

    def _pair(self, at: Floats, ask: Callable[[Floats, Floats, Floats], None], promise: str) -> Bracket | Brackets:
        lower, upper = np.empty(at.size), np.empty(at.size)
        ask(flat(at), lower, upper)
        if at.ndim == 0:
            return Bracket(float(lower[0]), float(upper[0]), "", self.theorem, "", promise)
        return Brackets(lower.reshape(at.shape), upper.reshape(at.shape), self.theorem, promise)

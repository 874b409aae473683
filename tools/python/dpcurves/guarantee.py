# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""One theorem applied to one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .arguments import Numbers, Scalar, flat, numbers, spread, threads_of, word
from .bracket import Answer, Bracket, Brackets, Floats

HALF = np.full((), 0.5)


@dataclass(frozen=True)
class Violation:
    """A hypothesis of a theorem that the run does not meet."""

    assumption: str
    found: str
    remedy: str


def promise_of(quantity: str) -> str:
    """The end that may be promised: errors of an attack are at least the lower one."""
    return "lower" if quantity in ("tradeoff", "bayes_error") else "upper"


def shaped(quantity: str, shape: tuple[int, ...], lower: Floats, upper: Floats, words: tuple[str, str, str]) -> Answer:
    """Both ends as a bracket, or as brackets of that shape."""
    theorem, method, direction = words
    promise = promise_of(quantity)
    if shape == ():
        return Bracket(float(lower[0]), float(upper[0]), method, theorem, direction, promise)
    return Brackets(lower.reshape(shape), upper.reshape(shape), method, theorem, direction, promise)


def answered(
    guarantees: Sequence[Guarantee], quantity: str, at: Floats, prior: Floats = HALF, threads: Any = 0
) -> Any:
    """The best of their answers at each entry."""
    where, chance = spread({"what is asked": at, "prior": prior})
    asked = (flat("what is asked", where), flat("prior", chance))
    lower, upper = np.empty(where.size), np.empty(where.size)
    natives = [one._native for one in guarantees]
    words = _native.ask(natives, quantity, *asked, lower, upper, threads_of(threads))
    return shaped(quantity, where.shape, lower, upper, words)


class Guarantee:
    """A theorem that speaks of the run; ask its curve if ``applies``.

    Numbers give a ``Bracket``, arrays ``Brackets``.
    """

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
    def upper_only(self) -> bool:
        """Whether only the end that may be promised is known: the other one always holds."""
        return self._native.upper_only

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
    def epsilon(self, delta: Scalar, *, threads: int = ...) -> Bracket: ...
    @overload
    def epsilon(self, delta: ArrayLike, *, threads: int = ...) -> Brackets: ...
    def epsilon(self, delta: Numbers, *, threads: int = 0) -> Any:
        """The least epsilon for delta in [0, 1]. More than 64 share their work: their last digits may be others."""
        return self._answered("epsilon", numbers("delta", delta), threads=threads)

    @overload
    def delta(self, epsilon: Scalar, *, threads: int = ...) -> Bracket: ...
    @overload
    def delta(self, epsilon: ArrayLike, *, threads: int = ...) -> Brackets: ...
    def delta(self, epsilon: Numbers, *, threads: int = 0) -> Any:
        """The least delta for any real epsilon. More than 64 share their work: their last digits may be others."""
        return self._answered("delta", numbers("epsilon", epsilon), threads=threads)

    @overload
    def tradeoff(self, type_one_error: Scalar) -> Bracket: ...
    @overload
    def tradeoff(self, type_one_error: ArrayLike) -> Brackets: ...
    def tradeoff(self, type_one_error: Numbers) -> Any:
        """The least type II error of a test at each type I error in [0, 1]."""
        return self._answered("tradeoff", numbers("type_one_error", type_one_error))

    @overload
    def renyi(self, order: Scalar) -> Bracket: ...
    @overload
    def renyi(self, order: ArrayLike) -> Brackets: ...
    def renyi(self, order: Numbers) -> Any:
        """The Renyi divergence of each order above 1."""
        return self._answered("renyi", numbers("order", order))

    @overload
    def measure(self, name: str, at: Scalar, prior: Scalar = ...) -> Bracket: ...
    @overload
    def measure(self, name: str, at: ArrayLike, prior: ArrayLike = ...) -> Brackets: ...
    def measure(self, name: str, at: Numbers, prior: Numbers = 0.5) -> Any:
        """A measure of attacks by its name: tpr, advantage, bayes_error, precision, auc, reconstruction, ..."""
        return self._answered(word("name", name), numbers("at", at), numbers("prior", prior))

    def mu(self) -> Bracket | None:
        """The GDP parameter, where there is one."""
        found: Bracket | None = self._answered("mu", np.zeros(())) if self._native.has_mu else None
        return found

    def _answered(self, quantity: str, at: Floats, prior: Floats = HALF, threads: Any = 0) -> Any:
        return answered([self], quantity, at, prior, threads)

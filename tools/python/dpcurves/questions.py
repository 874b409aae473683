# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked of anything that has a guarantee."""

from __future__ import annotations

from typing import Any, Callable, Generic, Mapping, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .arguments import Numbers, Scalar, flat, numbers, spread
from .bracket import Answer, Brackets, Floats
from .guarantee import HALF, Guarantee, answered, shaped

One = TypeVar("One", bound=Answer, covariant=True)


class Questions(Generic[One]):
    """A run that can be asked in whichever form: the best of its theorems answers.

    Numbers give ``One``: a ``Bracket``, or ``Brackets`` where parameters of the run are arrays. Arrays give ``Brackets``;
    they broadcast against array parameters of the run.
    """

    def _promised(self, quantity: str, at: float) -> list[Guarantee]:
        """The theorems that may be promised, at least one. ``at`` counts where epsilon or delta is asked for."""
        raise NotImplementedError

    @property
    def _swept(self) -> bool:
        """Whether parameters are arrays."""
        return False

    def _sweep(self, quantity: str, at: Floats, prior: Floats, threads: Any) -> Brackets:
        """The answer for every entry of the parameters, of what is asked and of the prior."""
        raise NotImplementedError

    def _chooses(self, quantity: str) -> bool:
        """Whether theorems are others for each entry of what is asked."""
        return False

    @overload
    def epsilon(self, delta: Scalar, *, threads: int = ...) -> One: ...
    @overload
    def epsilon(self, delta: ArrayLike, *, threads: int = ...) -> Brackets: ...
    def epsilon(self, delta: Numbers, *, threads: int = 0) -> Any:
        """The least epsilon for delta in [0, 1]."""
        return self._ask("epsilon", numbers("delta", delta), threads=threads)

    @overload
    def delta(self, epsilon: Scalar, *, threads: int = ...) -> One: ...
    @overload
    def delta(self, epsilon: ArrayLike, *, threads: int = ...) -> Brackets: ...
    def delta(self, epsilon: Numbers, *, threads: int = 0) -> Any:
        """The least delta for any real epsilon."""
        return self._ask("delta", numbers("epsilon", epsilon), threads=threads)

    @overload
    def tradeoff(self, type_one_error: Scalar) -> One: ...
    @overload
    def tradeoff(self, type_one_error: ArrayLike) -> Brackets: ...
    def tradeoff(self, type_one_error: Numbers) -> Any:
        """The least type II error of a test at each type I error in [0, 1]."""
        return self._ask("tradeoff", numbers("type_one_error", type_one_error))

    @overload
    def renyi(self, order: Scalar) -> One: ...
    @overload
    def renyi(self, order: ArrayLike) -> Brackets: ...
    def renyi(self, order: Numbers) -> Any:
        """The Renyi divergence of each order above 1."""
        return self._ask("renyi", numbers("order", order))

    @overload
    def tpr(self, fpr: Scalar) -> One: ...
    @overload
    def tpr(self, fpr: ArrayLike) -> Brackets: ...
    def tpr(self, fpr: Numbers) -> Any:
        """The largest true positive rate of any membership attack at each false positive rate."""
        return self._measure("tpr", fpr=fpr)

    def advantage(self) -> One:
        """The largest difference of true and false positive rate of any membership attack."""
        found: One = self._measure("advantage")
        return found

    @overload
    def bayes_error(self, prior: Scalar = ...) -> One: ...
    @overload
    def bayes_error(self, prior: ArrayLike = ...) -> Brackets: ...
    def bayes_error(self, prior: Numbers = 0.5) -> Any:
        """The least error of a guess whether the record is present, which it is with chance ``prior``."""
        return self._measure("bayes_error", prior=prior)

    @overload
    def precision(self, fpr: Scalar, prior: Scalar = ...) -> One: ...
    @overload
    def precision(self, fpr: ArrayLike, prior: ArrayLike = ...) -> Brackets: ...
    def precision(self, fpr: Numbers, prior: Numbers = 0.5) -> Any:
        """The largest share of present records among those accused, at a false positive rate."""
        return self._measure("precision", fpr=fpr, prior=prior)

    def auc(self) -> One:
        """The largest area under the curve of true positive rates."""
        found: One = self._measure("auc")
        return found

    @overload
    def reconstruction(self, baseline: Scalar) -> One: ...
    @overload
    def reconstruction(self, baseline: ArrayLike) -> Brackets: ...
    def reconstruction(self, baseline: Numbers) -> Any:
        """The largest success of a guess at a record that succeeds with chance ``baseline`` without the run."""
        return self._measure("reconstruction", baseline=baseline)

    @overload
    def posterior_odds(self, odds: Scalar) -> One: ...
    @overload
    def posterior_odds(self, odds: ArrayLike) -> Brackets: ...
    def posterior_odds(self, odds: Numbers) -> Any:
        """The chance that the odds of presence rise by a factor exp(odds) or more, along the run with the record."""
        return self._measure("posterior_odds", odds=odds)

    def mu(self) -> One | None:
        """The GDP parameter, where a theorem has one."""
        if not self._swept and not any(one._native.has_mu for one in self._promised("mu", 0.0)):
            return None
        found: One = self._ask("mu", np.zeros(()))
        return found

    def plot_tradeoff(self, ax: Any = None, label: str | None = None, points: int = 201) -> Any:
        """The promised trade-off function by matplotlib: steps on the safe side. Returns the axes."""
        from .plots import plot_tradeoff

        return plot_tradeoff(self, ax=ax, label=label, points=points)

    def _measure(self, name: str, prior: Numbers = 0.5, **threshold: Numbers) -> Any:
        asked = {key: within(key, value) for key, value in (*threshold.items(), ("prior", prior))}
        *at, chance = spread(asked)
        return self._ask(name, at[0] if at else np.zeros_like(chance), chance)

    def _ask(self, quantity: str, at: Floats, prior: Floats = HALF, threads: Any = 0) -> Any:
        if self._swept or (self._chooses(quantity) and at.ndim > 0):
            return self._sweep(quantity, at, prior, threads)
        return answered(self._promised(quantity, float(at) if at.ndim == 0 else 0.0), quantity, at, prior, threads)


RANGES = {"fpr": (0.0, 1.0, "[0, 1]"), "prior": (0.0, 1.0, "(0, 1)"), "baseline": (0.0, 1.0, "(0, 1)"), "odds": (-700.0, 700.0, "[-700, 700]")}


def within(name: str, values: Numbers) -> Floats:
    """Numbers in the range of an argument."""
    found = numbers(name, values)
    least, most, words = RANGES[name]
    inside = (found >= least) & (found <= most) if words.startswith("[") else (found > least) & (found < most)
    if not np.all(inside):
        raise _native.DomainError(f"{name} = {float(found[~inside].flat[0]):g} is outside {words}")
    return found


def promised(of: list[Guarantee]) -> list[Guarantee]:
    """Those of a run that may be promised; a DomainError that says what is missing if there are none."""
    return [Guarantee(one) for one in _native.promised([one._native for one in of])]


def swept(
    quantity: str,
    parameters: Mapping[str, Floats],
    at: Floats,
    prior: Floats,
    ask: Callable[..., tuple[str, str, str]],
) -> Any:
    """Broadcasts parameters, what is asked and the prior to columns, of which ``ask`` fills both ends."""
    *columns, where, chance = spread({**parameters, "what is asked": at, "prior": prior})
    table = {name: flat(name, column) for name, column in zip(parameters, columns)}
    asked = (flat("what is asked", where), flat("prior", chance))
    lower, upper = np.empty(where.size), np.empty(where.size)
    words = ask(table, *asked, lower, upper)
    return shaped(quantity, where.shape, lower, upper, words)

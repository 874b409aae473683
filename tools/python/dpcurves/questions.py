# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked of anything that has a guarantee."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Union

import numpy as np
from numpy.typing import ArrayLike

from .bracket import Bracket, Brackets, Floats, pick
from .guarantee import Guarantee, flat, numbers, spread

Answer = Union[Bracket, Brackets]
HALF = np.full((), 0.5)


class Questions:
    """A run that can be asked in whichever form: the best of its theorems answers.

    Numbers give a ``Bracket``, arrays ``Brackets``; arrays broadcast against array parameters of the run.
    """

    def _promised(self) -> list[Guarantee]:
        """The theorems that may be promised, at least one."""
        raise NotImplementedError

    @property
    def _swept(self) -> bool:
        """Whether parameters are arrays."""
        return False

    def _sweep(self, quantity: str, at: Floats, prior: Floats = HALF, threads: int = 0) -> Brackets:
        """The answer for every entry of the parameters, of what is asked and of the prior."""
        raise NotImplementedError

    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Answer:
        """The least epsilon for delta in (0, 1)."""
        raise NotImplementedError

    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Answer:
        """The least delta for any real epsilon."""
        raise NotImplementedError

    def tradeoff(self, type_one_error: ArrayLike) -> Answer:
        """The least type II error of a test at each type I error in [0, 1]."""
        at = numbers("type_one_error", type_one_error)
        return self._ask("tradeoff", at, lambda g: g.tradeoff(at))

    def renyi(self, order: ArrayLike) -> Answer:
        """The Renyi divergence of each order above 1."""
        at = numbers("order", order)
        return self._ask("renyi", at, lambda g: g.renyi(at))

    def tpr(self, fpr: ArrayLike) -> Answer:
        """The largest true positive rate of any membership attack at each false positive rate."""
        return self.tradeoff(fpr).complement()

    def advantage(self) -> Answer:
        """The largest difference of true and false positive rate of any membership attack."""
        return self.delta(0.0)

    def bayes_error(self, prior: ArrayLike = 0.5) -> Answer:
        """The least error of a guess whether the record is present, which it is with chance ``prior``."""
        return self._measure("bayes_error", prior=prior)

    def precision(self, fpr: ArrayLike, prior: ArrayLike = 0.5) -> Answer:
        """The largest share of present records among those accused, at a false positive rate."""
        return self._measure("precision", fpr=fpr, prior=prior)

    def auc(self) -> Answer:
        """The largest area under the curve of true positive rates."""
        return self._measure("auc")

    def reconstruction(self, baseline: ArrayLike) -> Answer:
        """The largest success of a guess at a record that succeeds with chance ``baseline`` without the run."""
        return self._measure("reconstruction", baseline=baseline)

    def posterior_odds(self, odds: ArrayLike) -> Answer:
        """The chance that the odds of presence rise by a factor exp(odds) or more, along the run with the record."""
        return self._measure("posterior_odds", odds=odds)

    def mu(self) -> Answer | None:
        """The GDP parameter, where a theorem has one."""
        if self._swept:
            return self._sweep("mu", np.zeros(()))
        found = [one for one in (g.mu() for g in self._promised()) if one is not None]
        return min(found, key=lambda one: one.upper) if found else None

    def plot_tradeoff(self, ax: Any = None, label: str | None = None, points: int = 201) -> Any:
        """The promised trade-off function by matplotlib: steps on the safe side. Returns the axes."""
        from .plots import plot_tradeoff

        return plot_tradeoff(self, ax=ax, label=label, points=points)

    def _measure(self, name: str, prior: ArrayLike = 0.5, **threshold: ArrayLike) -> Answer:
        asked = {key: numbers(key, value) for key, value in (*threshold.items(), ("prior", prior))}
        *at, chance = spread(asked)
        where = at[0] if at else np.zeros_like(chance)
        return self._ask(name, where, lambda g: g.measure(name, where, chance), chance)

    def _ask(self, quantity: str, at: Floats, ask: Callable[[Guarantee], Answer], prior: Floats = HALF) -> Answer:
        if self._swept:
            return self._sweep(quantity, at, prior)
        return pick([ask(g) for g in self._promised()], promise_of(quantity))


def promise_of(quantity: str) -> str:
    """The end that may be promised: errors of an attack are at least the lower one."""
    return "lower" if quantity in ("tradeoff", "bayes_error") else "upper"


def swept(
    quantity: str,
    parameters: Mapping[str, Floats],
    at: Floats,
    prior: Floats,
    ask: Callable[..., object],
) -> Brackets:
    """Broadcasts parameters, what is asked and the prior to columns, of which ``ask`` fills both ends."""
    *columns, where, chance = spread({**parameters, "what is asked": at, "prior": prior})
    lower, upper = np.empty(where.size), np.empty(where.size)
    ask({name: flat(column) for name, column in zip(parameters, columns)}, flat(where), flat(chance), lower, upper)
    return Brackets(lower.reshape(where.shape), upper.reshape(where.shape), "", promise_of(quantity))

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked of anything that has a guarantee."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Union

import numpy as np
from numpy.typing import ArrayLike

from .bracket import Bracket, Brackets, pick
from .guarantee import Guarantee, numbers

Answer = Union[Bracket, Brackets]


class Questions:
    """A run that can be asked in whichever form: the best of its theorems answers.

    Numbers give a ``Bracket``, arrays ``Brackets``; arrays broadcast against array parameters of the run.
    """

    def _promised(self) -> list[Guarantee]:
        """The theorems that may be promised, at least one."""
        raise NotImplementedError

    def _cells(self) -> tuple[tuple[int, ...], Iterator[Questions]] | None:
        """Shape and runs where parameters are arrays."""
        return None

    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Answer:
        """The least epsilon for delta in (0, 1)."""
        raise NotImplementedError

    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Answer:
        """The least delta for any real epsilon."""
        raise NotImplementedError

    def tradeoff(self, type_one_error: ArrayLike) -> Answer:
        """The least type II error of a test at each type I error in [0, 1]."""
        return self._ask(numbers("type_one_error", type_one_error), lambda g, at: g.tradeoff(at), "lower")

    def renyi(self, order: ArrayLike) -> Answer:
        """The Renyi divergence of each order above 1."""
        return self._ask(numbers("order", order), lambda g, at: g.renyi(at))

    def tpr(self, fpr: ArrayLike) -> Answer:
        """The largest true positive rate of any membership attack at each false positive rate."""
        return self.tradeoff(fpr).complement()

    def advantage(self) -> Answer:
        """The largest difference of true and false positive rate of any membership attack."""
        return self.delta(0.0)

    def bayes_error(self, prior: ArrayLike = 0.5) -> Answer:
        """The least error of a guess whether the record is present, which it is with chance ``prior``."""
        return self._measure("bayes_error", 0.0, prior)

    def precision(self, fpr: ArrayLike, prior: float = 0.5) -> Answer:
        """The largest share of present records among those accused, at a false positive rate."""
        return self._measure("precision", numbers("fpr", fpr), prior)

    def auc(self) -> Answer:
        """The largest area under the curve of true positive rates."""
        return self._measure("auc", 0.0)

    def reconstruction(self, baseline: ArrayLike) -> Answer:
        """The largest success of a guess at a record that succeeds with chance ``baseline`` without the run."""
        return self._measure("reconstruction", numbers("baseline", baseline))

    def posterior_odds(self, odds: ArrayLike) -> Answer:
        """The chance that the odds of presence rise by a factor exp(odds) or more, along the run with the record."""
        return self._measure("posterior_odds", numbers("odds", odds))

    def mu(self) -> Bracket | None:
        """The GDP parameter, where a theorem has one."""
        found = [one for one in (g.mu() for g in self._promised()) if one is not None]
        return min(found, key=lambda one: one.upper) if found else None

    def plot_tradeoff(self, ax: Any = None, label: str | None = None, points: int = 201) -> Any:
        """The promised trade-off function by matplotlib: steps on the safe side. Returns the axes."""
        from .plots import plot_tradeoff

        return plot_tradeoff(self, ax=ax, label=label, points=points)

    def _measure(self, name: str, at: ArrayLike, prior: ArrayLike = 0.5) -> Answer:
        promise = "lower" if name == "bayes_error" else "upper"
        chance = numbers("prior", prior)
        where = np.broadcast_to(np.asarray(at, dtype=np.float64), np.broadcast_shapes(np.shape(at), chance.shape))
        if chance.ndim and self._cells() is not None:
            raise TypeError("prior: is an array, and so are parameters of the run")
        return self._ask(where, lambda g, x: g.measure(name, x, chance), promise)

    def _ask(self, at: Any, ask: Callable[[Guarantee, Any], Answer], promise: str = "upper") -> Answer:
        cells = self._cells()
        if cells is None:
            return pick([ask(g, at) for g in self._promised()], promise)
        shape, runs = cells
        whole = np.broadcast_shapes(shape, np.shape(at))
        lower, upper = np.empty(whole), np.empty(whole)
        places = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), whole)
        spread = np.broadcast_to(at, whole)
        for number, run in enumerate(runs):
            here = places == number
            found = pick([ask(g, np.ascontiguousarray(spread[here])) for g in run._promised()], promise)
            lower[here], upper[here] = found.lower, found.upper
        return Brackets(lower, upper, "", promise)

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import flat, numbers, whole
from .bracket import Floats

MOST_POINTS = 10**5


def axes_of(ax: Any) -> Any:
    """The axes given, or new ones; the line of a guess, if they are empty."""
    if ax is None:
        import matplotlib.pyplot as plt  # type: ignore[import-not-found,import-untyped,unused-ignore]

        ax = plt.subplots()[1]
    if not ax.lines:
        ax.plot([0, 1], [1, 0], color="0.6", linestyle=":", linewidth=1, label="guess")
        ax.set(xlabel="type I error", ylabel="type II error", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def plot_tradeoff(run: Any, ax: Any = None, label: str | None = None, points: int = 201) -> Any:
    """What is promised of the type II error: a step is the value at its right end, which is the lower one.

    ``points`` of the steps are equally wide, as many about equally high.
    """
    if run._swept:
        raise TypeError("plot_tradeoff: parameters of the run are arrays; draw one run after the other")
    even = np.linspace(0.0, 1.0, whole("points", points, 2, MOST_POINTS + 1))
    beta = run.tradeoff(even).lower
    steep = np.setdiff1d(np.clip(beta, 0.0, 1.0), even)
    alpha, beta = np.append(even, steep), np.append(beta, run.tradeoff(steep).lower)
    order = np.argsort(alpha)
    axes = axes_of(ax)
    axes.step(alpha[order], beta[order], where="pre", label=label or "promised")
    axes.legend(loc="upper right")
    return axes


def plot_draws(under_p: Floats, under_q: Floats, ax: Any = None, label: str = "simulated", points: int = 201) -> Any:
    """Observed errors of the threshold tests between two samples: reject for large values."""
    samples = {"under_p": under_p, "under_q": under_q}
    first, second = (np.sort(flat(name, numbers(name, sample))) for name, sample in samples.items())
    for name, sample in zip(samples, (first, second)):
        if sample.size == 0 or np.isnan(sample).any():
            raise ValueError(f"{name}: is empty or has nan among its draws")
    even = np.linspace(0.0, 1.0, whole("points", points, 2, MOST_POINTS + 1))
    thresholds = np.union1d(np.quantile(first, even), np.quantile(second, even))
    alpha = 1.0 - np.searchsorted(first, thresholds, side="right") / first.size
    beta = np.searchsorted(second, thresholds, side="right") / second.size
    axes = axes_of(ax)
    axes.plot(alpha, beta, linestyle="--", label=label)
    axes.legend(loc="upper right")
    return axes

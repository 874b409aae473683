# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bracket import Floats


def axes_of(ax: Any) -> Any:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return plt.subplots()[1]


def plot_tradeoff(run: Any, ax: Any = None, label: str | None = None, points: int = 201) -> Any:
    """What is promised of the type II error: a step is the value at its right end, which is the lower one."""
    axes = axes_of(ax)
    alpha = np.linspace(0.0, 1.0, points)
    axes.step(alpha, run.tradeoff(alpha).lower, where="pre", label=label or "promised")
    axes.set(xlabel="type I error", ylabel="type II error", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    return axes


def plot_draws(under_p: Floats, under_q: Floats, ax: Any = None, label: str = "simulated", points: int = 201) -> Any:
    """Observed errors of the threshold tests between two samples: reject for large values."""
    axes = axes_of(ax)
    thresholds = np.quantile(under_p, np.linspace(0.0, 1.0, points))
    alpha = [float(np.mean(under_p > t)) for t in thresholds]
    beta = [float(np.mean(under_q <= t)) for t in thresholds]
    axes.plot(alpha, beta, label=label)
    axes.set(xlabel="type I error", ylabel="type II error", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    return axes

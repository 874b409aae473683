# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of noisy descent on two neighbouring data sets."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _native
from .arguments import number, shown, threads_of, whole, word
from .bracket import Floats


MOST_RECORDS = 10**7  # a gradient each
MOST_PATHS = 10**8  # of one call: memory


class Pair(NamedTuple):
    """Last iterates on either data set, a value per run."""

    first: Floats
    second: Floats

    def plot_tradeoff(self, ax: Any = None, label: str = "simulated", points: int = 201) -> Any:
        """Errors of the threshold tests between them by matplotlib, beside a bound on the same axes. Returns the axes."""
        from .plots import plot_draws

        return plot_draws(self.first, self.second, ax=ax, label=label, points=points)


def noisy_descent(
    *,
    step_size: float,
    noise: float,
    steps: int,
    records: int = 2,
    sensitivity: float = 1.0,
    batches: str = "full",
    batch_size: int = 0,
    strong_convexity: float = 1.0,
    tanh_weight: float = 0.0,
    diameter: float = 0.0,
    paths: int = 100000,
    seed: int = 1,
    threads: int = 0,
    shard: Sequence[int] = (0, 1),
) -> Pair:
    """Last iterates of x <- x - step_size (mean gradient of the batch + noise N(0, 1)), in one dimension.

    Gradients are m x + w tanh x; that of the last record differs by ``sensitivity`` between the data sets, the hardest
    pair known. ``batches`` is full, cyclic (a partition in fixed order) or subset (random). ``shard=(i, n)`` gives
    part i of n: parts put together are the whole, and nothing depends on the number of threads.
    """
    try:
        part, parts = (whole("shard", one, 0, 2**31) for one in shard)
    except (TypeError, ValueError):
        part, parts = 1, 0
    if not part < parts:
        raise ValueError(f"shard: {shown(shard)} is not (i, n) with 0 <= i < n")
    paths, steps = whole("paths", paths, 1, 2**31), whole("steps", steps, 1, 2**31)
    records, batch_size = whole("records", records, 1, MOST_RECORDS + 1), whole("batch_size", batch_size, 0, 2**31)
    seed, threads = whole("seed", seed, 0, 2**64), threads_of(threads)
    reals = dict(
        step_size=step_size, noise=noise, sensitivity=sensitivity, diameter=diameter,
        strong_convexity=strong_convexity, tanh_weight=tanh_weight,
    )  # fmt: skip
    given = {name: number(name, value) for name, value in reals.items()}
    for name, value in given.items():
        if not np.isfinite(value):
            raise ValueError(f"{name}: {value} is not finite")
    diameter = given["diameter"]
    if not diameter >= 0.0:
        raise ValueError(f"diameter: {diameter} is outside [0, inf)")
    batches = word("batches", batches)
    begin, end = part * paths // parts, (part + 1) * paths // parts
    if end - begin > MOST_PATHS:
        raise ValueError(f"paths: {end - begin} are more than {MOST_PATHS} at once; ask for shards")
    boxed = diameter > 0.0
    found = []
    for sign, first in ((1.0, begin), (-1.0, paths + begin)):
        drifts = np.zeros(records)
        drifts[-1] = (0.5 * sign if boxed else min(sign, 0.0)) * given["sensitivity"]
        iterates = np.empty(end - begin)
        if iterates.size:
            _native.final_iterates(
                batches, batch_size, given["step_size"], given["noise"], steps, diameter, given["strong_convexity"],
                given["tanh_weight"], drifts, seed, first, threads, iterates,
            )  # fmt: skip
        found.append(iterates)
    return Pair(*found)

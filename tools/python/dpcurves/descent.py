# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of noisy descent on two neighbouring data sets."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from . import _native
from .bracket import Floats


class Pair(NamedTuple):
    """Last iterates on either data set, a value per run."""

    first: Floats
    second: Floats


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
    part, parts = (int(one) for one in shard)
    if not 0 <= part < parts:
        raise ValueError(f"shard: {tuple(shard)} is not (i, n) with 0 <= i < n")
    sizes = {"paths": paths, "records": records, "steps": steps}
    others = {"batch_size": (batch_size, 2**31), "threads": (threads, 1025), "seed": (seed, 2**64)}
    for name, (value, end) in {**{key: (one, 2**31) for key, one in sizes.items()}, **others}.items():
        if not isinstance(value, (int, np.integer)) or not int(name in sizes) <= value < end:
            raise ValueError(f"{name}: {value!r} is no whole number in [{int(name in sizes)}, {end})")
    begin, end = part * paths // parts, (part + 1) * paths // parts
    boxed = diameter > 0.0
    found = []
    for sign, first in ((1.0, begin), (-1.0, paths + begin)):
        drifts = np.zeros(records)
        drifts[-1] = 0.5 * sign * sensitivity if boxed else min(sign, 0.0) * sensitivity
        iterates = np.empty(end - begin)
        if iterates.size:
            _native.final_iterates(
                batches, batch_size, step_size, noise, steps, diameter, strong_convexity, tanh_weight, drifts,
                seed, first, threads, iterates,
            )  # fmt: skip
        found.append(iterates)
    return Pair(*found)

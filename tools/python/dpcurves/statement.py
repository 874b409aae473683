# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""A run in words for a model card."""

from __future__ import annotations

from typing import Any

from . import _native
from .arguments import number, rounded
from .bracket import Bracket
from .dp_sgd import DpSgd


def statement(run: DpSgd[Any], delta: float) -> str:
    """What was run, what is guaranteed against which neighbours, and what that means for an attack."""
    if not isinstance(run, DpSgd):
        raise TypeError("run: is no DpSgd")
    steps = ", then ".join(f"{t:g} steps at sampling rate {q:.6g} and noise multiplier {z:g}" for z, q, t in run.rows())
    unsampled = [f"{one.count:g} sums over all records at noise multiplier {one.noise_multiplier:g}" for one in run.unsampled]
    epsilon: Bracket = run.epsilon(number("delta", delta))
    guarantee = next(one for one in run.guarantees() if one.theorem == epsilon.theorem)
    owner = run.sizes().get("group_size", 1.0)
    who = f"groups of {owner:g} records, " if owner > 1.0 else ""
    lines = [
        f"DP-SGD, {run.sampling} sampling: {', beside '.join([steps, *unsampled])}; every iterate may be released.",
        f"({rounded(epsilon.upper, 6)}, {delta:g})-differentially private for {who}neighbours by "
        f"{guarantee.adjacency or run.adjacency or 'the usual adjacency of the sampling'}, proved ({guarantee.theorem}).",
        f"At a false positive rate of 1% no membership attack finds more than {rounded(float(run.tpr(0.01)), 4)} of the "
        f"members; none has an advantage above {rounded(float(run.advantage()), 4)}.",
    ]
    if run.sampling == "poisson" and owner == 1.0:
        lines += once_per_epoch(run, delta)
    lines += [f"Assumed: {one}." for one in guarantee.assumed]
    return "\n".join(lines)


def once_per_epoch(run: DpSgd[Any], delta: float) -> list[str]:
    """What holds where the loop goes through the data in place of sampling."""
    try:
        epsilon = DpSgd(phases=run.rows(), unsampled=run.unsampled, sampling="cyclic").epsilon(delta)
    except _native.DomainError:  # a rate of 0
        return []
    return [
        "A loop that shuffles or goes through the data in order does not sample: with each record once per epoch it is "
        f"({rounded(epsilon.upper, 6)}, {delta:g})-differentially private for neighbours by zero-out ({epsilon.theorem})."
    ]


# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""A run in words for a model card."""

from __future__ import annotations

from .dp_sgd import DpSgd


def statement(run: DpSgd, delta: float) -> str:
    """What was run, what is guaranteed against which neighbours, and what that means for an attack."""
    epsilon, guarantee = run.epsilon(delta), run.guarantee
    steps = ", then ".join(f"{t:g} steps at sampling rate {q:.6g} and noise multiplier {z:g}" for z, q, t in run.rows())
    lines = [
        f"DP-SGD, {run.sampling} sampling: {steps}; every iterate may be released.",
        f"({float(epsilon):.6g}, {delta:g})-differentially private for neighbours by "
        f"{guarantee.adjacency or run.adjacency or 'the usual adjacency of the sampling'}, proved ({guarantee.theorem}).",
        f"At a false positive rate of 1% no membership attack finds more than {float(run.tpr(0.01)):.4g} of the members; "
        f"none has an advantage above {float(run.advantage()):.4g}.",
    ]
    lines += [f"Assumed: {one}." for one in guarantee.assumed]
    return "\n".join(lines)

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The parameter at which a run just meets its budget."""

from __future__ import annotations

from . import _native
from .dp_sgd import DpSgd

SOLVABLE = ("noise_multiplier", "sampling_rate", "steps")


def calibrate(run: DpSgd, *, target_epsilon: float, target_delta: float, solve_for: str = "noise_multiplier") -> float:
    """The value of ``solve_for`` at which the run is (target_epsilon, target_delta)-DP, on the safe side.

    The value that the run has for it is not used. Infinite where no number of steps is too many.
    """
    if solve_for not in SOLVABLE:
        raise ValueError(f"solve_for: {solve_for!r} is not one of {', '.join(SOLVABLE)}")
    z, q, t = run.scalars()
    found = _native.calibrate_dp_sgd(
        solve_for, z, q, t, float(target_epsilon), float(target_delta), run.sampling, run.adjacency or ""
    )
    if found is None:
        raise _native.DomainError(f"no {solve_for} meets epsilon {target_epsilon} at delta {target_delta}")
    return float(found)

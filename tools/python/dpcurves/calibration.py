# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The parameter at which a run just meets its budget."""

from __future__ import annotations

import difflib
from typing import Any

from . import _native
from .algorithms import Algorithm, options_of
from .arguments import number, shown, word
from .dp_sgd import ALIASES, DpSgd
from .report import ask

SOLVABLE = ("noise_multiplier", "sampling_rate", "steps", "epochs", "batch_size")


def calibrate(
    run: DpSgd[Any] | Algorithm[Any],
    *,
    target_epsilon: float | None = None,
    target_delta: float | None = None,
    solve_for: str = "noise_multiplier",
    **limits: float,
) -> float:
    """The value of ``solve_for`` at which the run is (target_epsilon, target_delta)-DP, on the safe side.

    The value that the run has for it is not used: ``epochs`` and ``batch_size`` of a DpSgd stand for its steps and
    sampling rate. In place of epsilon and delta: a limit on attacks, ``advantage``,
    ``tpr`` with ``fpr``, ``bayes_accuracy``, ``precision``, ``reconstruction`` with ``baseline``, ``auc``, ``gdp_mu``.
    Infinite where no number of steps is too many.
    """
    solve_for = word("solve_for", solve_for)
    solve_for = ALIASES.get(solve_for, solve_for) if isinstance(run, DpSgd) else solve_for
    for name, target in (("target_epsilon", target_epsilon), ("target_delta", target_delta)):
        if target is not None:
            number(name, target)
    if isinstance(run, DpSgd):
        if solve_for not in SOLVABLE:
            near = difflib.get_close_matches(solve_for, SOLVABLE, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"solve_for: {solve_for!r} is not one of {', '.join(SOLVABLE)}{hint}")
        if not limits and (target_epsilon is None or target_delta is None):
            raise TypeError("target_epsilon, target_delta: both are needed, or a limit on attacks")
        batches = solve_for in ("epochs", "batch_size")
        given: dict[str, object] = {**run.without(solve_for)} if batches else dict(zip(SOLVABLE, run.scalars()))
        given.update(sampling=run.sampling, adjacency=run.adjacency, accuracy=run.accuracy, **run.sizes())
        given.pop(solve_for, None)
        if run.sampling == "none":  # every step uses all records
            given.pop("sampling_rate", None)
        name = "dp-sgd"
    elif isinstance(run, Algorithm):
        name = run.name
        unknown = options_of(name).get(solve_for)
        given = {k: v for k, v in run.parameters.items() if unknown is None or options_of(name)[k] is not unknown}
    else:
        raise TypeError(f"run: {shown(run)} is neither a DpSgd nor an Algorithm")
    report = ask(
        f"calibrate {name}",
        solve_for=solve_for.replace("_", "-"),
        epsilon=target_epsilon,
        delta=target_delta,
        **limits,
        **given,
    )
    value = report.get("value", report.get("results", [{}])[0].get("value") if "results" in report else None)
    if value is None:
        raise _native.DomainError(f"{solve_for}: nothing meets the target")
    return float("inf") if value == "unlimited" else float(value)

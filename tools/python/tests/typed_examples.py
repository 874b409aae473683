# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What type checkers know of the package: for mypy --strict, which test_package.py runs; nobody runs this."""

from decimal import Decimal
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import dpcurves
from dpcurves import Bracket, Brackets

array: NDArray[np.float64] = np.array([1e-5, 1e-6])

# Of one run: numbers give a bracket, arrays brackets.
run = dpcurves.DpSgd(1.1, sampling_rate=256 / 60000, steps=14063)
assert_type(run, dpcurves.DpSgd[Bracket])
assert_type(run.epsilon(1e-5), Bracket)
assert_type(run.epsilon(np.float32(1e-5)), Bracket)
assert_type(run.epsilon(Decimal("1e-5")), Bracket)
assert_type(run.epsilon(array, threads=2), Brackets)
assert_type(run.epsilon([1e-5, 1e-6]), Brackets)
assert_type(run.delta(1), Bracket)
assert_type(run.tradeoff(0.1), Bracket)
assert_type(run.tradeoff(array), Brackets)
assert_type(run.renyi(2.0), Bracket)
assert_type(run.renyi(array), Brackets)
assert_type(run.tpr(0.01), Bracket)
assert_type(run.tpr(array), Brackets)
assert_type(run.advantage(), Bracket)
assert_type(run.auc(), Bracket)
assert_type(run.bayes_error(), Bracket)
assert_type(run.bayes_error(array), Brackets)
assert_type(run.precision(0.01, prior=0.2), Bracket)
assert_type(run.precision(array, prior=0.2), Brackets)
assert_type(run.precision(0.01, prior=array), Brackets)
assert_type(run.reconstruction(0.1), Bracket)
assert_type(run.posterior_odds(1.0), Bracket)
assert_type(run.mu(), Optional[Bracket])
assert_type(run.guarantee.epsilon(1e-5), Bracket)
assert_type(run.guarantee.epsilon(array), Brackets)
assert_type(run.guarantee.mu(), Optional[Bracket])
assert_type(float(run.epsilon(1e-5)), float)

# Of arrays of parameters every answer is an array.
runs = dpcurves.DpSgd(np.array([0.9, 1.3]), sample_rate=0.01, steps=1000)
assert_type(runs, dpcurves.DpSgd[Brackets])
assert_type(runs.epsilon(1e-5), Brackets)
assert_type(runs.advantage(), Brackets)
assert_type(runs.mu(), Optional[Brackets])
assert_type(runs.epsilon(1e-5)[0], "Bracket | Brackets")

# Algorithms know their options, arrays among them.
cgd = dpcurves.NoisyCgd(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=200, contraction=0.9998)
assert_type(cgd, dpcurves.NoisyCgd[Bracket])
assert_type(cgd.mu(), Optional[Bracket])
swept = dpcurves.NoisyCgd(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=[100, 200], contraction=0.9998)
assert_type(swept, dpcurves.NoisyCgd[Brackets])
assert_type(swept.tpr(0.1), Brackets)

# Calculators know their inputs; one whose name is not known to a checker takes any.
assert_type(dpcurves.calculators["shifted-interpolation/gdp-delta"](mu=1.0, eps=2.0), "dict[str, Any]")
for name in dpcurves.calculators:
    assert_type(dpcurves.calculators[name], dpcurves.Calculator)

# Runs of other tools, reports and claims.
assert_type(dpcurves.from_opacus_history([(1.1, 0.01, 1000)]).epsilon(1e-5), Bracket)
assert_type(dpcurves.PrivacyAccountant().get_epsilon(1e-5), float)
assert_type(dpcurves.calibrate(run, target_epsilon=3, target_delta=1e-5), float)
assert_type(dpcurves.ask("privacy gaussian", noise_multiplier=1, compositions=2, delta=1e-5), dpcurves.Report)
assert_type(dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=3).first, NDArray[np.float64])
assert_type(dpcurves.validate(lambda s: 1.0, lambda s: 0.5), dpcurves.Validation)
assert_type(dpcurves.statement(run, 1e-5), str)

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
from test_dp_sgd import program

import dpcurves

CGD = dict(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=200, contraction=0.9998)
SGD = dict(records=60000, batch_size=250, sensitivity=2.0, noise=0.004, step_size=0.05, strong_convexity=0.002, smoothness=1, steps=500)


@pytest.mark.parametrize(
    "made, words",
    [
        (dpcurves.NoisyCgd(**CGD), ["noisy-cgd", "--effective-sensitivity", 0.6667, "--batches-per-epoch", 40, "--epochs", 200, "--contraction", 0.9998]),
        (dpcurves.Correlated(noise_multiplier=2.0, steps=50, sampling_rate=0.1, lambda_=0.5), ["correlated", "--noise-multiplier", 2, "--steps", 50, "--sampling-rate", 0.1, "--lambda", 0.5]),
        (dpcurves.Gaussian(noise_multiplier=1.5, compositions=2), ["gaussian", "--noise-multiplier", 1.5, "--compositions", 2]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_numbers_are_those_of_the_command_line(made, words):
    answer = program("privacy", *words, "--delta", 1e-5)["results"][0]
    found = made.epsilon(1e-5)
    assert [found.lower, found.upper] == [answer["epsilon"][end] for end in ("lower", "upper")]
    assert found.theorem == answer["theorem"]


def test_arrays_of_parameters_equal_single_runs():
    found = dpcurves.NoisyCgd(**dict(CGD, epochs=[[100], [200]])).epsilon([1e-5, 1e-6, 1e-7])
    assert found.shape == (2, 3)
    for i, epochs in enumerate((100, 200)):
        for k, delta in enumerate((1e-5, 1e-6, 1e-7)):
            assert found.upper[i, k] == dpcurves.NoisyCgd(**dict(CGD, epochs=epochs)).epsilon(delta).upper
    beta = dpcurves.NoisyCgd(**dict(CGD, epochs=[100, 200])).tradeoff([0.1, 0.2])
    assert beta.lower[1] == dpcurves.NoisyCgd(**CGD).tradeoff(0.2).lower


def test_an_attacker_is_bounded_in_every_form():
    run = dpcurves.NoisyCgd(**CGD)
    assert float(run.advantage()) == pytest.approx(run.delta(0.0).upper, rel=1e-9)
    assert float(run.bayes_error()) == pytest.approx((1.0 - float(run.advantage())) / 2.0, rel=1e-9)
    assert float(run.tpr(0.1)) == pytest.approx(1.0 - float(run.tradeoff(0.1)), rel=1e-9)
    assert float(run.reconstruction(0.1)) == pytest.approx(float(run.tpr(0.1)), rel=1e-9)
    rate = float(run.tpr(0.01))
    assert float(run.precision(0.01, prior=0.5)) == pytest.approx(rate / (rate + 0.01), rel=1e-9)
    swept = dpcurves.DpSgd([0.8, 1.2], 0.01, 100)
    assert swept.advantage().upper[1] == dpcurves.DpSgd(1.2, 0.01, 100).advantage().upper


@pytest.mark.parametrize("ask", [lambda run: run.tpr(0.1), lambda run: run.renyi(3.0), lambda run: run.auc(), lambda run: run.mu()])
def test_every_form_takes_arrays_of_parameters(ask):
    found, single = ask(dpcurves.NoisyCgd(**dict(CGD, epochs=[100, 200]))), ask(dpcurves.NoisyCgd(**CGD))
    assert (found.lower[1], found.upper[1], found.promise) == (single.lower, single.upper, single.promise)


def test_what_nobody_has_said_in_arrays_is_a_warning_too():
    parameters = dict(records=60000, batch_size=250, sensitivity=2.0, noise=[0.0043, 0.005], epochs=60)
    with pytest.warns(dpcurves.HypothesisWarning, match="not used"):
        dpcurves.NoisyCgd(**parameters).epsilon(1e-5)


def test_what_nobody_has_said_is_not_used_and_is_a_warning():
    parameters = dict(records=60000, batch_size=250, sensitivity=2.0, noise=0.0043, epochs=60)
    with pytest.warns(dpcurves.HypothesisWarning, match="not used"):
        unsaid = dpcurves.NoisyCgd(**parameters).epsilon(1e-5)
    said = dpcurves.NoisyCgd(**parameters, convex=True).epsilon(1e-5)
    assert said.upper < unsaid.upper / 10
    listed = dpcurves.NoisyCgd(**parameters).guarantees()
    assert any(one.applies and not one.promised and one.unsaid[0].remedy for one in listed)


def test_calibration_of_algorithms_and_to_attacks():
    epochs = dpcurves.calibrate(dpcurves.NoisyCgd(**CGD), target_epsilon=3, target_delta=1e-5, solve_for="epochs")
    at = [float(dpcurves.NoisyCgd(**dict(CGD, epochs=n)).epsilon(1e-5)) for n in (epochs, epochs + 1)]
    assert at[0] <= 3 < at[1]
    noise = dpcurves.calibrate(dpcurves.DpSgd(1.0, 0.01, 1000), advantage=0.1)
    assert 0.099 < float(dpcurves.DpSgd(noise, 0.01, 1000).advantage()) <= 0.1 * (1 + 1e-9)


@pytest.mark.parametrize(
    "parameters, error, words",
    [
        (dict(CGD, epoch=3), TypeError, "did you mean 'epochs'"),
        (dict(CGD, epochs=-1), ValueError, "epochs"),
        (dict(CGD, epochs="many"), ValueError, "epochs"),
        (dict(CGD, epochs=None), TypeError, "epochs"),
        (dict(CGD, epochs=object()), TypeError, "epochs"),
        (dict(CGD, epochs=[100, float("nan")]), ValueError, "epochs"),
        (dict(CGD, epochs=[["x"]]), TypeError, "epochs"),
    ],
)
def test_errors_name_the_argument(parameters, error, words):
    with pytest.raises(error, match=words):
        dpcurves.NoisyCgd(**parameters).epsilon(1e-5)


def test_signatures_and_help_come_from_the_options():
    import inspect

    assert "contraction" in inspect.signature(dpcurves.NoisyCgd).parameters
    assert "contraction" in dpcurves.NoisyCgd.__doc__
    assert np.ndim(dpcurves.NoisyCgd(**CGD).epsilon(np.float64(1e-5)).upper) == 0

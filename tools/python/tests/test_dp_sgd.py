# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import subprocess

import numpy as np
import pytest

import dpcurves

RUN = dict(noise_multiplier=1.1, sampling_rate=256 / 60000, steps=14063)


def program(*words):
    path = os.environ.get("DPCURVES_PROGRAM")
    if not path:
        pytest.skip("DPCURVES_PROGRAM does not name the program dpcurves")
    text = subprocess.run([path, *map(str, words), "--format", "json"], check=True, capture_output=True, text=True)
    return json.loads(text.stdout)


def test_numbers_are_those_of_the_command_line():
    answer = program(
        "privacy", "dp-sgd", "--noise-multiplier", 1.1, "--sampling-rate", 256 / 60000, "--steps", 14063,
        "--delta", 1e-5,
    )
    found = dpcurves.DpSgd(**RUN).epsilon(1e-5)
    assert [found.lower, found.upper] == [answer["results"][0]["epsilon"][end] for end in ("lower", "upper")]
    assert found.theorem == answer["results"][0]["theorem"]


def test_float_is_the_end_that_may_be_promised():
    run = dpcurves.DpSgd(**RUN)
    epsilon, beta = run.epsilon(1e-5), run.tradeoff(0.1)
    assert float(epsilon) == epsilon.upper
    assert float(beta) == beta.lower
    assert run.tpr(0.1).upper == pytest.approx(1.0 - beta.lower, rel=1e-8)
    assert run.delta(float(epsilon)).lower <= 1e-5
    assert 0.0 < float(run.advantage()) < 1.0


def test_epochs_records_and_aliases_say_the_same():
    one = dpcurves.DpSgd(1.1, records=60000, batch_size=256, epochs=60)
    other = dpcurves.DpSgd(sigma=1.1, sample_rate=256 / 60000, num_steps=14063, max_grad_norm=1.0)
    assert one.scalars()[2] == 14063
    assert one.epsilon(1e-5) == other.epsilon(1e-5)


def test_arrays_broadcast_and_equal_single_answers():
    noise = np.array([[0.9], [1.3]])
    delta = np.array([1e-5, 1e-6, 1e-7])
    found = dpcurves.DpSgd(noise, 0.01, 1000).epsilon(delta)
    assert found.shape == (2, 3)
    assert np.asarray(found).dtype == np.float64
    for i in range(2):
        for k in range(3):
            single = dpcurves.DpSgd(noise[i, 0], 0.01, 1000).epsilon(delta[k])
            assert (found.lower[i, k], found.upper[i, k]) == (single.lower, single.upper)
    assert found[0, 1].upper == found.upper[0, 1]


def test_many_deltas_share_their_work_and_are_proved_all_the_same():
    run = dpcurves.DpSgd(1.1, 0.01, 10000)
    delta = np.logspace(-12, -1, 700)
    found = run.epsilon(delta, threads=1)
    assert np.all(found.upper - found.lower <= 1.1e-9 * found.upper)
    assert np.array_equal(found.lower, run.epsilon(delta, threads=2).lower)
    for i in (0, 1, 350, 698, 699):
        single = run.epsilon(delta[i])
        assert single.lower <= found.upper[i] and found.lower[i] <= single.upper
    large = run.epsilon(np.linspace(0.3, 0.999999, 40))
    assert large.upper[-1] == 0.0 and large.upper[0] > 0.0
    assert np.all(run.delta(found.upper[::70]).lower <= delta[::70] * (1 + 1e-9))


def test_threads_do_not_change_bits():
    run = dpcurves.DpSgd(np.linspace(0.8, 2.0, 12), 0.01, 1000)
    one, two = run.epsilon(1e-5, threads=1), run.epsilon(1e-5, threads=2)
    assert np.array_equal(one.lower, two.lower) and np.array_equal(one.upper, two.upper)


def test_calibration_meets_the_target_and_no_less_noise_does():
    noise = dpcurves.calibrate(dpcurves.DpSgd(1.0, 0.01, 1000), target_epsilon=3, target_delta=1e-5)
    assert float(dpcurves.DpSgd(noise, 0.01, 1000).epsilon(1e-5)) <= 3 * (1 + 1e-9)
    assert dpcurves.DpSgd(noise * (1 - 1e-5), 0.01, 1000).epsilon(1e-5).lower > 3
    with pytest.raises(ValueError, match="solve_for"):
        dpcurves.calibrate(dpcurves.DpSgd(1.0, 0.01, 1000), target_epsilon=3, target_delta=1e-5, solve_for="clip")


@pytest.mark.parametrize("solve_for", ["noise_multiplier", "sampling_rate", "steps"])
def test_calibration_has_the_bits_of_the_command_line(solve_for):
    given = {"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000}
    found = dpcurves.calibrate(dpcurves.DpSgd(**given), target_epsilon=3, target_delta=1e-5, solve_for=solve_for)
    options = [f"--{key.replace('_', '-')}={value}" for key, value in given.items() if key != solve_for]
    wanted = ["calibrate", "dp-sgd", "--solve-for", solve_for.replace("_", "-"), "--epsilon", 3, "--delta", 1e-5]
    assert found == program(*wanted, *options)["value"]


@pytest.mark.parametrize("solve_for, other", [("epochs", {"steps": 3}), ("batch_size", {"sampling_rate": 0.1})])
def test_calibration_of_epochs_and_batches_has_the_bits_of_the_command_line(solve_for, other):
    given = {"noise_multiplier": 1.1, "records": 60000, "batch_size": 256, "epochs": 60}
    found = dpcurves.calibrate(dpcurves.DpSgd(**given), target_epsilon=3, target_delta=1e-5, solve_for=solve_for)
    options = [f"--{key.replace('_', '-')}={value}" for key, value in given.items() if key != solve_for]
    wanted = ["calibrate", "dp-sgd", "--solve-for", solve_for.replace("_", "-"), "--epsilon", 3, "--delta", 1e-5]
    assert found == program(*wanted, *options)["value"]
    del given[solve_for]
    instead = dpcurves.DpSgd(**{**given, **other} if solve_for == "epochs" else {**given, **other, "epochs": 60})
    assert dpcurves.calibrate(instead, target_epsilon=3, target_delta=1e-5, solve_for=solve_for) == found


def test_names_of_other_libraries_are_solved_for():
    run = dpcurves.DpSgd(sigma=1.0, sample_rate=0.01, num_steps=1000)
    noise, same = (dpcurves.calibrate(run, target_epsilon=3, target_delta=1e-5, solve_for=x) for x in ("sigma", "noise_multiplier"))
    assert noise == same


def test_errors_name_the_argument_and_no_function_of_the_library():
    with pytest.raises(dpcurves.DomainError, match="^delta = -1 is outside") as error:
        dpcurves.DpSgd(1.0, 0.01, 100).epsilon(-1.0)
    assert "::" not in str(error.value)


def test_guarantees_say_what_fails_and_what_would_have_to_change():
    run = dpcurves.DpSgd(1.0, 0.01, 100, sampling="fixed-size", adjacency="add-or-remove")
    first = run.guarantees()[0]
    assert not first.applies
    assert "zero-out" in first.violations[0].remedy
    for asked in (run, dpcurves.DpSgd([1.0, 2.0], 0.01, 100, sampling="fixed-size", adjacency="add-or-remove")):
        with pytest.raises(dpcurves.DomainError, match="(?s)no theorem applies.*change to: .*zero-out"):
            asked.epsilon(1e-5)


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        (dict(RUN, steps="many"), TypeError, "steps"),
        (dict(RUN, noise_multipler=1), TypeError, "did you mean 'noise_multiplier'"),
        (dict(RUN, sample_rate=0.1), TypeError, "given too"),
        (dict(sampling_rate=0.1, steps=1), TypeError, "noise_multiplier is missing"),
        (dict(RUN, clip=-1), ValueError, "clip"),
        (dict(RUN, clip="large"), TypeError, "clip"),
        (dict(RUN, cycle=3), ValueError, "cycle: has a meaning only with sampling='cyclic-poisson'"),
        (dict(RUN, sampling="b-min-sep"), TypeError, "separation: is missing"),
        (dict(noise_multiplier=1, steps=3, records=5, batch_size=9), ValueError, "batch_size"),
    ],
)
def test_errors_name_the_argument(arguments, error, words):
    with pytest.raises(error, match=words):
        dpcurves.DpSgd(**arguments)


def test_delta_0_is_the_largest_loss_and_delta_1_allows_everything():
    assert dpcurves.DpSgd(**RUN).epsilon(0.0).upper == float("inf")
    assert dpcurves.DpSgd(**RUN).epsilon([1.0]).upper == 0.0
    pure = dpcurves.ask("privacy noisy-gd", effective_sensitivity=0.5, steps=3, delta=0)["results"][0]
    found = dpcurves.NoisyGd(effective_sensitivity=0.5, steps=3).epsilon(0)
    assert (found.upper, found.method) == (pure["epsilon"]["upper"], pure["method"])


@pytest.mark.parametrize("delta", [-1e-5, 1.0 + 1e-15, float("nan"), [1e-5, -1.0]])
def test_delta_outside_its_domain_is_refused(delta):
    with pytest.raises(dpcurves.DomainError, match="delta"):
        dpcurves.DpSgd(**RUN).epsilon(delta)


@pytest.mark.parametrize("name, value", [("noise_multiplier", -1.0), ("sampling_rate", 1.5), ("steps", float("nan"))])
def test_parameters_outside_their_domain_are_refused(name, value):
    with pytest.raises(dpcurves.DomainError, match=name):
        dpcurves.DpSgd(**dict(RUN, **{name: value})).epsilon(1e-5)
    with pytest.raises(dpcurves.DomainError, match=name):
        dpcurves.DpSgd(**dict(RUN, **{name: [value]})).epsilon(1e-5)


@pytest.mark.parametrize("delta", ["1e-5", None, object(), {"a": 1}])
def test_what_is_no_number_is_a_type_error(delta):
    with pytest.raises(TypeError, match="delta"):
        dpcurves.DpSgd(**RUN).epsilon(delta)


SAMPLERS = [
    dict(sampling="random-allocation", sampling_rate=0.01, steps=100, uses_per_round=3),
    dict(sampling="truncated-poisson", records=1000, batch_size=7, steps=20, largest_batch=12),
    dict(sampling="with-replacement", records=1000, batch_size=7, steps=20),
    dict(sampling="cyclic-poisson", sampling_rate=0.1, steps=20, cycle=4),
    dict(sampling="b-min-sep", sampling_rate=0.01, steps=100, separation=5),
    dict(sampling="fixed-size", records=1000, batch_size=7, steps=20, adjacency="replace-one"),
    dict(sampling="poisson", records=60000, batch_size=77, epochs=3),
    dict(sampling="shuffled", records=1000, batch_size=300, epochs=10),
    dict(sampling="none", records=1000, epochs=10),
    dict(sampling="poisson", sampling_rate=0.01, steps=20, group_size=2),
]


@pytest.mark.parametrize("parameters", SAMPLERS, ids=lambda one: one["sampling"])
def test_every_sampler_has_the_bits_of_the_command_line_alone_and_in_arrays(parameters):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in parameters.items()]
    answer = program("privacy", "dp-sgd", "--noise-multiplier", 2, *options, "--delta", 1e-5)["results"][0]
    found = dpcurves.DpSgd(2.0, **parameters).epsilon(1e-5)
    assert [found.lower, found.upper] == [answer["epsilon"][end] for end in ("lower", "upper")]
    swept = dpcurves.DpSgd([2.0, 3.0], **parameters).epsilon(1e-5)
    assert (swept.lower[0], swept.upper[0]) == (found.lower, found.upper)


@pytest.mark.parametrize("uses", [1, 2])
@pytest.mark.parametrize(
    "ask",
    [
        lambda run: run.tradeoff(0.1), lambda run: run.tpr(0.01), lambda run: run.renyi(4.0), lambda run: run.advantage(),
        lambda run: run.bayes_error(0.3), lambda run: run.precision(0.01, prior=0.2), lambda run: run.auc(),
        lambda run: run.reconstruction(0.1), lambda run: run.posterior_odds(1.0), lambda run: run.mu(),
    ],
    ids=["tradeoff", "tpr", "renyi", "advantage", "bayes_error", "precision", "auc", "reconstruction", "posterior_odds", "mu"],
)  # fmt: skip
def test_every_form_takes_arrays_of_parameters(ask, uses, request):
    if uses == 2 and "auc" in request.node.name:
        pytest.skip("a thousand questions, of a run whose answers take milliseconds")
    found = ask(dpcurves.DpSgd([2.0, 3.0], 0.1, 10, sampling="random-allocation", uses_per_round=[[1], [uses]]))
    single = ask(dpcurves.DpSgd(3.0, 0.1, 10, sampling="random-allocation", uses_per_round=uses))
    assert found.shape == (2, 2)
    assert (found.lower[1, 1], found.upper[1, 1], found.promise) == (single.lower, single.upper, single.promise)


def test_trade_off_functions_of_many_runs_share_their_work():
    alpha = np.linspace(0.0, 1.0, 7)
    found = dpcurves.DpSgd(np.array([0.9, 1.3]), 0.01, 1000).tradeoff(alpha[:, None])
    assert found.shape == (7, 2)
    assert np.array_equal(found.lower[:, 1], dpcurves.DpSgd(1.3, 0.01, 1000).tradeoff(alpha).lower)
    with pytest.raises(dpcurves.DomainError, match="noise_multiplier = nan"):
        dpcurves.DpSgd([1.0, float("nan")], 0.01, 1000).tradeoff(0.1)


def test_calibration_knows_the_sizes_of_the_sampling():
    run = dpcurves.DpSgd(1.0, 0.01, 100, sampling="random-allocation", uses_per_round=3)
    noise = dpcurves.calibrate(run, target_epsilon=1, target_delta=1e-5)
    met = dpcurves.DpSgd(noise, 0.01, 100, sampling="random-allocation", uses_per_round=3)
    assert 0.9 < float(met.epsilon(1e-5)) <= 1 + 1e-9


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"noise_multiplier \(3,\), steps \(2,\)"):
        dpcurves.DpSgd(np.ones(3), 0.01, [1, 2]).epsilon(1e-5)
    with pytest.raises(ValueError, match=r"fpr \(3,\), prior \(2,\)"):
        dpcurves.DpSgd(1.0, 0.01, 10).precision(np.full(3, 0.1), prior=[0.1, 0.2])


def test_empty_arrays_have_empty_answers():
    assert dpcurves.DpSgd(**RUN).epsilon([]).shape == (0,)

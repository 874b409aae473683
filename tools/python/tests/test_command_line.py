# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to ask gives what the command line gives: no sampler, adjacency, group or size is forgotten on the way."""

import itertools

import numpy as np
import pytest

import dpcurves

SIZES = {
    "random-allocation": [{}, {"uses_per_round": 2}],
    "cyclic-poisson": [{"cycle": 4}],
    "truncated-poisson": [{"largest_batch": 12}],
    "b-min-sep": [{"separation": 3}],
}
SAMPLERS = [
    "poisson", "fixed-size", "with-replacement", "balls-in-bins", "random-allocation", "shuffled", "cyclic",
    "cyclic-poisson", "truncated-poisson", "b-min-sep", "none",
]  # fmt: skip
ADJACENCIES = [None, "add-or-remove", "add", "remove", "replace-one", "zero-out"]
CASES = [
    (sampler, adjacency, group, sizes)
    for sampler, adjacency, group in itertools.product(SAMPLERS, ADJACENCIES, (None, 2))
    for sizes in SIZES.get(sampler, [{}])
]


def settings(sampler, adjacency, group, sizes):
    batches = {} if sampler == "none" else {"batch_size": 8}
    more = {"adjacency": adjacency, "group_size": group}
    given = {"noise_multiplier": 2.0, "records": 200, "steps": 50, **batches, **sizes}
    return {**given, "sampling": sampler, **{key: value for key, value in more.items() if value is not None}}


def answer_of(work):
    """An answer, or that it was refused."""
    try:
        return work()
    except (dpcurves.DomainError, dpcurves.UsageError, dpcurves.ConvergenceError):
        return "refused"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(str(x) for x in case[:3]))
def test_dp_sgd(case):
    given = settings(*case)
    report = answer_of(lambda: dpcurves.ask("privacy dp-sgd", **given, delta=1e-5)["results"][0])
    alone = answer_of(lambda: dpcurves.DpSgd(**given).epsilon(1e-5))
    array = answer_of(lambda: dpcurves.DpSgd(**{**given, "noise_multiplier": [2.0]}).epsilon(1e-5))
    if report == "refused":
        assert alone == array == "refused"
        return
    wanted = (report["epsilon"]["lower"] or 0.0, report["epsilon"]["upper"])
    assert (alone.lower, alone.upper, alone.theorem) == (*wanted, report["theorem"])
    assert (array.lower[0], array.upper[0], array.theorem) == (*wanted, report["theorem"])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_epochs(sampler):
    for sizes in SIZES.get(sampler, [{}]):
        given = settings(sampler, None, None, sizes)
        given["epochs"] = 3
        del given["steps"]
        wanted = dpcurves.ask("privacy dp-sgd", **given, delta=1e-5)["results"][0]["epsilon"]
        assert dpcurves.DpSgd(**given).epsilon(1e-5).upper == wanted["upper"]


@pytest.mark.parametrize("sampler", ["poisson", "random-allocation", "cyclic-poisson", "b-min-sep", "none"])
def test_calibration(sampler):
    given = settings(sampler, None, None, SIZES.get(sampler, [{}])[-1])
    target = {"epsilon": 1.0, "delta": 1e-5}
    wanted = dpcurves.ask("calibrate dp-sgd", **{**given, "noise_multiplier": None}, solve_for="noise-multiplier", **target)
    found = dpcurves.calibrate(dpcurves.DpSgd(**given), target_epsilon=1.0, target_delta=1e-5)
    assert found == wanted["value"]


def test_long_sweeps_have_the_bits_of_the_command_line():
    noise = np.linspace(0.9, 1.1, 101)
    text = ",".join(map(repr, noise.tolist()))
    report = dpcurves.ask("privacy dp-sgd", sampling_rate=0.01, steps=2000, delta=1e-5, sweep=f"noise-multiplier={text}")
    for order in (1, -1):
        found = dpcurves.DpSgd(noise[::order], 0.01, 2000).epsilon(1e-5)
        wanted = [[one["epsilon"][end] for one in report["results"]] for end in ("lower", "upper")]
        assert found.theorem == "accountant/poisson-subsampled-gaussian" and found.direction == "remove"
        if order == 1:
            assert [found.lower.tolist(), found.upper.tolist()] == wanted
        else:  # other neighbours
            assert np.all(found.lower[::-1] <= wanted[1]) and np.all(wanted[0] <= found.upper[::-1])
    shuffled = np.random.default_rng(1).permutation(noise)
    assert np.all(np.diff(dpcurves.DpSgd(shuffled, 0.01, 2000).epsilon(1e-5).upper[np.argsort(shuffled)]) < 0.0)


@pytest.mark.filterwarnings("ignore")
def test_adapters_are_told_the_neighbours():
    event = {
        "module_name": "dp_accounting.dp_event", "class_name": "PoissonSampledDpEvent", "sampling_probability": 0.01,
        "event": {"module_name": "dp_accounting.dp_event", "class_name": "GaussianDpEvent", "noise_multiplier": 1.1},
    }  # fmt: skip
    one = dpcurves.PrivacyAccountant("ADD_OR_REMOVE_ONE").compose(event, 100).get_epsilon(1e-5)
    other = dpcurves.PrivacyAccountant("REPLACE_ONE").compose(event, 100).get_epsilon(1e-5)
    assert one == dpcurves.DpSgd(1.1, 0.01, 100).epsilon(1e-5).upper < other
    history = dpcurves.from_opacus_history([(1.1, 0.01, 100)], adjacency="replace-one")
    assert history.epsilon(1e-5).upper == dpcurves.DpSgd(1.1, 0.01, 100, adjacency="replace-one").epsilon(1e-5).upper

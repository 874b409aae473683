# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Every answer says its theorem and how it was proved, in the words of the command line."""

import pytest

import dpcurves

SGD = dict(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)
GAUSSIAN = dict(noise_multiplier=1.5, compositions=2)
CGD = dict(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=200, contraction=0.9998)
RUNS = [
    ("dp-sgd", dpcurves.DpSgd, SGD),
    ("gaussian", dpcurves.Gaussian, GAUSSIAN),
    ("noisy-cgd", dpcurves.NoisyCgd, CGD),
]
every_run = pytest.mark.parametrize("name, kind, given", RUNS, ids=[one[0] for one in RUNS])


def ends(record):
    return (record["lower"], record["upper"])


@every_run
def test_epsilon_and_delta(name, kind, given):
    run = kind(**given)
    for found, asked, at in ((run.epsilon(1e-5), "epsilon", {"delta": 1e-5}), (run.delta(1.0), "delta", {"epsilon": 1.0})):
        wanted = dpcurves.ask(f"privacy {name}", **given, **at)["results"][0]
        assert (found.lower, found.upper) == ends(wanted[asked])
        assert (found.method, found.theorem) == (wanted["method"], wanted["theorem"])
        assert found.direction == wanted.get("direction", "")


@every_run
@pytest.mark.parametrize("form, at", [("tradeoff", 0.25), ("renyi", 8.0)])
def test_trade_off_functions_and_renyi_divergences(name, kind, given, form, at):
    found = getattr(kind(**given), form)(at)
    wanted = dpcurves.ask(f"curve {form} {name}", **given, **{"from": at, "to": 2 * at, "points": 2, "spacing": "linear"})
    assert (found.lower, found.upper) == tuple(wanted["results"][end][0] for end in ("lower", "upper"))
    assert found.method == wanted["method"] != ""
    assert found.theorem == kind(**given).epsilon(1e-5).theorem


@every_run
def test_the_gdp_parameter(name, kind, given):
    found, wanted = kind(**given).mu(), dpcurves.ask(f"privacy {name}", **given)["results"][0]
    assert (found.lower, found.upper) == ends(wanted["mu"])
    assert (found.method, found.theorem) == (wanted["method"], wanted["theorem"]) and found.method == "closed form"


@every_run
@pytest.mark.parametrize(
    "ask, measure, at",
    [
        (lambda run: run.tpr(0.01), "tpr", {"fpr": 0.01}),
        (lambda run: run.advantage(), "advantage", {}),
        (lambda run: run.bayes_error(0.3), "bayes-error", {"prior": 0.3}),
        (lambda run: run.precision(0.01, prior=0.2), "precision", {"fpr": 0.01, "prior": 0.2}),
        (lambda run: run.auc(), "auc", {}),
        (lambda run: run.reconstruction(0.1), "reconstruction", {"baseline": 0.1}),
        (lambda run: run.posterior_odds(1.0), "posterior", {"odds": 1.0}),
    ],
)
def test_attacks(name, kind, given, ask, measure, at):
    found = ask(kind(**given))
    wanted = dpcurves.ask(f"attack {name}", **given, **at, measure=measure)["results"][0]
    assert (found.lower, found.upper, found.promise) == (*ends(wanted["value"]), wanted["promise"])
    assert (found.method, found.theorem) == (wanted["method"], wanted["theorem"]) and found.method
    assert found.direction == (wanted["direction"] or "")


def test_arrays_have_the_words_of_their_entries():
    found = dpcurves.DpSgd([1.1, 1.2], 0.01, 1000).epsilon(1e-5)
    assert (found.method, found.theorem, found.direction) == (
        "contour", "accountant/poisson-subsampled-gaussian", "remove",
    )  # fmt: skip
    assert found[0] == dpcurves.DpSgd(1.1, 0.01, 1000).epsilon(1e-5)
    assert dpcurves.DpSgd(**SGD).tradeoff([0.1, 0.2]).method == dpcurves.DpSgd(**SGD).tradeoff(0.1).method


def test_what_is_bounded_from_one_side_says_so():
    event = {
        "module_name": "dp_accounting.dp_event", "class_name": "EpsilonDeltaDpEvent", "epsilon": 0.5, "delta": 1e-6,
    }  # fmt: skip
    run = dpcurves.from_dp_event(event)
    assert run.guarantee.upper_only
    assert run.epsilon(1e-5).lower == 0.0 < run.epsilon(1e-5).upper
    assert run.tradeoff(0.25).upper == pytest.approx(0.75) and run.tradeoff(0.25).lower < 0.75
    assert run.tpr(0.01).lower == 0.0 and run.bayes_error(0.3).upper == 0.3

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import importlib
import json
import pathlib
import re
import sys
import types

import numpy as np
import pytest

import dpcurves

TRANSCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "data" / "transcripts"
SGD = {
    "module_name": "dp_accounting.dp_event", "class_name": "PoissonSampledDpEvent", "sampling_probability": 0.01,
    "event": {"module_name": "dp_accounting.dp_event", "class_name": "GaussianDpEvent", "noise_multiplier": 1.1},
}


def test_events_as_text_and_as_objects_of_json():
    text = (TRANSCRIPTS / "dp-event-01-dpsgd.json").read_text()
    wanted = dpcurves.DpSgd(1.1, 0.01, 1000).epsilon(1e-5)
    for event in (text, json.loads(text)):
        found = dpcurves.from_dp_event(event)
        assert (found.epsilon(1e-5).lower, found.epsilon(1e-5).upper) == (wanted.lower, wanted.upper)
        assert found.assumed and found.parts[0]["theorem"].startswith("accountant/")
    assert float(found.advantage()) == float(dpcurves.DpSgd(1.1, 0.01, 1000).advantage())


def test_an_accountant_composes():
    accountant = dpcurves.PrivacyAccountant()
    assert accountant.get_epsilon(1e-5) == 0.0
    accountant.compose(SGD, 400).compose(SGD, 600)
    assert accountant.get_epsilon(1e-5) == dpcurves.DpSgd(1.1, 0.01, 1000).epsilon(1e-5).upper
    assert accountant.get_delta(2.0) == dpcurves.DpSgd(1.1, 0.01, 1000).delta(2.0).upper
    broken = {"module_name": "dp_accounting.dp_event", "class_name": "UnsupportedDpEvent"}
    assert accountant.supports(SGD) and not accountant.supports(broken)
    with pytest.raises(dpcurves.DomainError):
        accountant.compose(broken)
    assert accountant.get_delta(2.0) > 0.0  # as before
    with pytest.raises(ValueError, match="neighboring_relation"):
        dpcurves.PrivacyAccountant("BOTH")


def test_objects_of_dp_accounting():
    events = pytest.importorskip("dp_accounting").dp_event
    event = events.SelfComposedDpEvent(events.PoissonSampledDpEvent(0.01, events.GaussianDpEvent(1.1)), 1000)
    wanted = dpcurves.DpSgd(1.1, 0.01, 1000).epsilon(1e-5)
    assert dpcurves.from_dp_event(event).epsilon(1e-5).upper == wanted.upper
    assert dpcurves.PrivacyAccountant().compose(event).get_epsilon(1e-5) == wanted.upper


def test_the_history_of_opacus():
    with pytest.warns(dpcurves.HypothesisWarning, match="SAMPLER-UNKNOWN"):
        found = dpcurves.from_opacus_history([(1.1, 0.01, 1000), (1.0, 0.02, 100)])
    phases = [dpcurves.Phase(1.1, 0.01, 1000), dpcurves.Phase(1.0, 0.02, 100)]
    assert found.epsilon(1e-5).upper == dpcurves.DpSgd(phases=phases).epsilon(1e-5).upper


def test_a_statement_says_what_was_run_and_what_is_promised():
    run = dpcurves.DpSgd(1.1, 0.01, 1000)
    words = dpcurves.statement(run, 1e-5)
    assert "1000 steps" in words and "add-or-remove" in words and "1.51537, 1e-05" in words
    said = float(re.search(r"\(([0-9.]+), 1e-05\)", words)[1])
    assert run.epsilon(1e-5).upper <= said <= run.epsilon(1e-5).upper * (1 + 1e-5)
    once = dpcurves.DpSgd(1.1, 0.01, 1000, sampling="cyclic").epsilon(1e-5).upper
    assert once <= float(re.search(r"once per epoch it is \(([0-9.]+), 1e-05\)", words)[1]) <= once * (1 + 1e-5)
    assert "once per epoch" not in dpcurves.statement(dpcurves.DpSgd(1.1, 0.01, 1000, sampling="shuffled"), 1e-5)
    other = dpcurves.statement(dpcurves.DpSgd(phases=[(1.1, 0.01, 1000)], unsampled=[(5.0, 2)], group_size=1), 1e-5)
    assert "2 sums over all records at noise multiplier 5" in other


@pytest.mark.parametrize("event", ["", "{", "3", None, 3, [], {}, {"class_name": 4}, "[" * 100000])
def test_what_is_no_event_is_refused(event):
    with pytest.raises((ValueError, TypeError)):
        dpcurves.from_dp_event(event)


def test_an_accountant_of_opacus():
    pytest.importorskip("opacus")
    import dpcurves.opacus
    from opacus.accountants import create_accountant

    dpcurves.opacus.register()
    dpcurves.opacus.register()
    accountant = create_accountant("dpcurves")
    for _ in range(10):
        accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    assert len(accountant) == 11
    other = create_accountant("dpcurves")
    other.load_state_dict(accountant.state_dict())
    phases = [dpcurves.Phase(1.1, 0.01, 10), dpcurves.Phase(1.0, 0.01, 1)]
    assert other.get_epsilon(1e-5) == dpcurves.DpSgd(phases=phases).epsilon(1e-5).upper


def test_the_accountant_counts_on_the_interface_of_opacus(monkeypatch):
    class IAccountant:
        """What Opacus gives: a history of (noise multiplier, sample rate, steps)."""

        def __init__(self):
            self.history = []

    known = {}
    interface = types.ModuleType("opacus.accountants")
    interface.IAccountant = IAccountant
    interface.register_accountant = lambda name, kind, force=False: known.update({name: kind})
    monkeypatch.setitem(sys.modules, "opacus", types.ModuleType("opacus"))
    monkeypatch.setitem(sys.modules, "opacus.accountants", interface)
    monkeypatch.delitem(sys.modules, "dpcurves.opacus", raising=False)
    adapter = importlib.import_module("dpcurves.opacus")
    adapter.register()
    accountant = known["dpcurves"]()
    assert accountant.get_epsilon(1e-5) == 0.0 and len(accountant) == 0
    for _ in range(10):
        accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    phases = [dpcurves.Phase(1.1, 0.01, 10), dpcurves.Phase(1.0, 0.01, 1)]
    assert len(accountant) == 11 and accountant.history == [(1.1, 0.01, 10), (1.0, 0.01, 1)]
    assert accountant.get_epsilon(1e-5) == dpcurves.DpSgd(phases=phases).epsilon(1e-5).upper
    monkeypatch.delitem(sys.modules, "dpcurves.opacus")


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from dpcurves.plots import plot_draws

    run = dpcurves.NoisyGd(sensitivity=1.0, records=2, noise=1.0, step_size=0.1, steps=10, strong_convexity=1.0, smoothness=1.0)
    axes = run.plot_tradeoff(label="bound")
    plot_draws(*dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=10, paths=10000), ax=axes)
    guess, bound, draws = axes.get_lines()
    assert [one.get_label() for one in (guess, bound, draws)] == ["guess", "bound", "simulated"]
    alpha, beta = bound.get_xdata(), bound.get_ydata()
    assert beta[0] == 1.0 and beta[-1] == 0.0 and len(draws.get_xdata()) > 100
    assert np.all(np.diff(alpha) > 0.0) and np.diff(alpha).max() < 0.006 and np.diff(beta).min() > -0.006  # steps one does not see
    assert np.all(beta <= run.tradeoff(alpha).upper)
    with pytest.raises(TypeError, match="one run after the other"):
        dpcurves.DpSgd([1.0, 2.0], 0.01, 10).plot_tradeoff()
    for points in (1, "many"):
        with pytest.raises((TypeError, ValueError), match="points"):
            run.plot_tradeoff(points=points)
    for bad in ("a", [], [np.nan]):
        with pytest.raises((TypeError, ValueError), match="under_q"):
            plot_draws([1.0], bad)

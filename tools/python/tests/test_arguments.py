# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What callers give: numbers in every form, and all else as an exception that names the argument."""

import array
import contextlib
import decimal
import fractions
import threading

import numpy as np
import pytest

import dpcurves

RUN = dict(noise_multiplier=1.0, sampling_rate=0.1, steps=10)
CGD = dict(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=200, contraction=0.9998)
DESCENT = dict(step_size=0.1, noise=1.0, steps=3, paths=100)
GDP = "shifted-interpolation/gdp-delta"


class Nasty:
    """Says of itself nothing but errors."""

    def __repr__(self):
        raise RuntimeError("no repr")

    def __float__(self):
        raise RuntimeError("no float")


class Loop:
    def tolist(self):
        return self


NO_NUMBERS = [
    None, "x", "1e-5", b"1", True, np.True_, 1j, np.complex64(1), object(), {"a": 1}, {1.0}, [1.0, None], ["1"], [[1.0], [1.0, 2.0]],
    np.array(["a"]), np.array([True]), np.array([1j]), np.datetime64("2020-01-01"), np.array(["2020"], dtype="M8[Y]"),
    np.ma.masked_array([0.1, 0.2], mask=[True, False]), (x for x in [1.0]), lambda: 1, Nasty(), [Nasty()], np.zeros(2, dtype="f8,f8"),
]  # fmt: skip
OUTSIDE = [float("nan"), -1.0, -np.inf, np.array([-0.5]), [0.1, float("nan")], decimal.Decimal("NaN"), -fractions.Fraction(1, 3)]


@pytest.fixture(scope="module")
def run():
    return dpcurves.DpSgd(**RUN)


# The argument of each call, and the call.
CALLS = {
    "delta": lambda run, x: run.epsilon(x),
    "epsilon": lambda run, x: run.delta(x),
    "type_one_error": lambda run, x: run.tradeoff(x),
    "order": lambda run, x: run.renyi(x),
    "fpr": lambda run, x: run.tpr(x),
    "prior": lambda run, x: run.bayes_error(x),
    "baseline": lambda run, x: run.reconstruction(x),
    "odds": lambda run, x: run.posterior_odds(x),
    "noise_multiplier": lambda run, x: dpcurves.DpSgd(x, 0.1, 10).epsilon(1e-5),
    "sampling_rate": lambda run, x: dpcurves.DpSgd(1.0, x, 10).epsilon(1e-5),
    "steps": lambda run, x: dpcurves.DpSgd(1.0, 0.1, x).epsilon(1e-5),
    "epochs": lambda run, x: dpcurves.DpSgd(1.0, 0.1, epochs=x).epsilon(1e-5),
    "records": lambda run, x: dpcurves.DpSgd(1.0, records=x, batch_size=2, steps=10).epsilon(1e-5),
    "batch_size": lambda run, x: dpcurves.DpSgd(1.0, records=10, batch_size=x, steps=10).epsilon(1e-5),
    "group_size": lambda run, x: dpcurves.DpSgd(**RUN, group_size=x).epsilon(1e-5),
    "uses_per_round": lambda run, x: dpcurves.DpSgd(**RUN, sampling="random-allocation", uses_per_round=x).epsilon(1e-5),
    "cycle": lambda run, x: dpcurves.DpSgd(**RUN, sampling="cyclic-poisson", cycle=x).epsilon(1e-5),
    "separation": lambda run, x: dpcurves.DpSgd(**RUN, sampling="b-min-sep", separation=x).epsilon(1e-5),
    "clip": lambda run, x: dpcurves.DpSgd(**RUN, clip=x).epsilon(1e-5),
    "effective_sensitivity": lambda run, x: dpcurves.NoisyCgd(**{**CGD, "effective_sensitivity": x}).epsilon(1e-5),
}
SINGLE = {
    "accuracy": lambda run, x: dpcurves.DpSgd(**RUN, accuracy=x).epsilon(1e-5),
    "threads": lambda run, x: run.epsilon(1e-5, threads=x),
    "phases|noise_multiplier": lambda run, x: dpcurves.DpSgd(phases=[(x, 0.1, 10)]).epsilon(1e-5),
    "unsampled|count": lambda run, x: dpcurves.DpSgd(**RUN, unsampled=[(1.0, x)]).epsilon(1e-5),
    "history": lambda run, x: dpcurves.from_opacus_history([(1.1, 0.1, x)]),
    "count": lambda run, x: dpcurves.PrivacyAccountant().compose("{}", x),
    "step_size": lambda run, x: dpcurves.noisy_descent(**{**DESCENT, "step_size": x}),
    "noise": lambda run, x: dpcurves.noisy_descent(**{**DESCENT, "noise": x}),
    "paths": lambda run, x: dpcurves.noisy_descent(**{**DESCENT, "paths": x}),
    "seed": lambda run, x: dpcurves.noisy_descent(**DESCENT, seed=x),
    "diameter": lambda run, x: dpcurves.noisy_descent(**DESCENT, diameter=x),
    "shard": lambda run, x: dpcurves.noisy_descent(**DESCENT, shard=(x, 2)),
    "target_epsilon|epsilon": lambda run, x: dpcurves.calibrate(run, target_epsilon=x, target_delta=1e-5),
    "target_delta|delta": lambda run, x: dpcurves.calibrate(run, target_epsilon=1.0, target_delta=x),
    "claim": lambda run, x: dpcurves.validate(lambda s: x, lambda s: 1.0),
    "control": lambda run, x: dpcurves.validate(lambda s: 2.0, lambda s: 1.0, lambda s: x if x is not None else "x"),
    "experiment": lambda run, x: dpcurves.validate(lambda s: 1.0, lambda s: x),
    "delta ": lambda run, x: dpcurves.statement(run, x),
    "mu": lambda run, x: dpcurves.calculators[GDP](mu=x, eps=1.0),
}
EVERYWHERE = {**CALLS, **SINGLE}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("bad", NO_NUMBERS, ids=lambda one: type(one).__name__)
def test_what_is_no_number_is_refused_by_name(name, bad, run):
    if bad is None and name in ("epochs", "records", "batch_size", "group_size", "uses_per_round", "clip"):
        pytest.skip("not given")
    if isinstance(bad, str) and bad == "1e-5" and name == "effective_sensitivity":
        pytest.skip("a number as command lines have it")
    if name == "mu" and isinstance(bad, np.ma.MaskedArray):
        pytest.skip("a list")
    with pytest.raises((TypeError, ValueError), match=name.strip()):
        EVERYWHERE[name](run, bad)


@pytest.mark.parametrize("size", [-1, 0, 2.5, 2001, float("nan")])
def test_groups_have_a_size(size):
    for given in (dict(RUN), dict(RUN, noise_multiplier=0.0), dict(RUN, noise_multiplier=[1.0])):
        with pytest.raises(dpcurves.DomainError, match="group_size"):
            dpcurves.DpSgd(**given, group_size=size).epsilon(1e-5)


SIGNED = ("epsilon", "odds", "claim", "control", "experiment")  # may be negative


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("bad", OUTSIDE, ids=repr)
def test_what_is_outside_the_domain_is_refused_by_name(name, bad, run):
    if name in SIGNED and not np.isnan(np.asarray(bad, dtype=float)).any():
        pytest.skip("may be negative")
    with pytest.raises((TypeError, ValueError), match=name.strip()):
        EVERYWHERE[name](run, bad)


NUMBERS = [
    1, np.int8(1), np.uint64(1), np.float16(1.0), np.float32(1.0), np.longdouble(1.0), decimal.Decimal(1),
    fractions.Fraction(1), np.array(1.0), np.array(1, dtype=">i4"),
]  # fmt: skip


@pytest.mark.parametrize("one", NUMBERS, ids=lambda one: type(one).__name__)
def test_a_number_may_have_any_type(one, run):
    assert run.delta(one) == run.delta(1.0)
    assert dpcurves.DpSgd(one, 0.1, 10).epsilon(1e-5) == run.epsilon(1e-5)
    assert dpcurves.calculators[GDP](mu=one, eps=1.0) == dpcurves.calculators[GDP](mu=1.0, eps=1.0)
    assert dpcurves.NoisyCgd(**{**CGD, "effective_sensitivity": one}).mu() == dpcurves.NoisyCgd(
        **{**CGD, "effective_sensitivity": 1.0}
    ).mu()
    assert dpcurves.noisy_descent(**{**DESCENT, "step_size": one, "paths": 10}).first.shape == (10,)


def arrays():
    values = np.array([0.5, 1.0, 2.0])
    read_only = values.copy()
    read_only.flags.writeable = False
    yield "list", values.tolist()
    yield "tuple", tuple(values)
    yield "read only", read_only
    yield "with gaps", np.repeat(values, 2)[::2]
    yield "backwards", values[::-1].copy()[::-1]
    yield "column", np.asfortranarray(np.vstack([values, values]))[0]
    yield "big endian", values.astype(">f8")
    yield "halves", values.astype(np.float16)
    yield "objects", values.astype(object)
    yield "decimals", [decimal.Decimal("0.5"), fractions.Fraction(1), 2]
    yield "buffer", array.array("d", values)
    yield "memory", memoryview(array.array("d", values))
    with contextlib.suppress(ImportError):
        import pandas

        yield "series", pandas.Series(values, index=[5, 3, 1])
        yield "nullable", pandas.Series(values, dtype="Float64")


@pytest.mark.parametrize("kind, values", list(arrays()), ids=lambda one: one if isinstance(one, str) else "")
def test_arrays_may_have_any_form(kind, values, run):
    wanted = run.delta(np.array([0.5, 1.0, 2.0]))
    found = run.delta(values)
    assert np.array_equal(found.lower, wanted.lower) and np.array_equal(found.upper, wanted.upper)
    swept = dpcurves.DpSgd(values, 0.1, 10).advantage()
    assert swept.upper[1] == run.advantage().upper
    found = dpcurves.NoisyCgd(**{**CGD, "effective_sensitivity": values}).epsilon(1e-5)
    assert found.upper[1] == dpcurves.NoisyCgd(**{**CGD, "effective_sensitivity": 1.0}).epsilon(1e-5).upper


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_arrays_without_entries_have_answers_without_entries(shape, run):
    none = np.zeros(shape)
    for found in (run.epsilon(none), run.tradeoff(none), run.tpr(none), run.renyi(none), run.precision(none),
                  dpcurves.DpSgd(none, 0.1, 10).epsilon(1e-5), dpcurves.DpSgd(none, 0.1, 10).auc()):  # fmt: skip
        assert found.shape == shape


def test_huge_arrays_are_refused(run):
    huge = np.broadcast_to(0.1, (2**40,))
    for name, work in {"what is asked": lambda: run.epsilon(huge), "noise_multiplier": lambda: dpcurves.DpSgd(huge, 0.1, 10).epsilon(1e-5)}.items():
        with pytest.raises(MemoryError, match=name):
            work()
    with pytest.raises(ValueError, match="paths"):
        dpcurves.noisy_descent(**{**DESCENT, "paths": 2**31 - 1})
    with pytest.raises(ValueError, match="records"):
        dpcurves.noisy_descent(**DESCENT, records=2**31 - 1)
    with pytest.raises((ValueError, TypeError), match="mu"):
        dpcurves.calculators[GDP](mu=10**400, eps=1.0)
    with pytest.raises(ValueError, match="steps"):
        dpcurves.DpSgd(1.0, 0.1, 10**400)


@pytest.mark.parametrize(
    "name, work",
    [
        ("sampling", lambda: dpcurves.DpSgd(**RUN, sampling=3)),
        ("sampling", lambda: dpcurves.DpSgd(**RUN, sampling="poison").epsilon(1e-5)),
        ("sampling", lambda: dpcurves.DpSgd([1.0], 0.1, 10, sampling="poison").epsilon(1e-5)),
        ("adjacency", lambda: dpcurves.DpSgd(**RUN, adjacency=b"add")),
        ("adjacency", lambda: dpcurves.DpSgd(**RUN, adjacency="both").epsilon(1e-5)),
        ("adjacency", lambda: dpcurves.from_opacus_history([(1.0, 0.1, 1)], adjacency="both")),
        ("sampling_rate", lambda: dpcurves.DpSgd(1.0, 0.1, 10, sampling="none")),
        ("batch_size", lambda: dpcurves.DpSgd(1.0, 0.1, 10, batch_size=3, records=10)),
        ("records", lambda: dpcurves.DpSgd(1.0, 0.1, 10, sampling="truncated-poisson", largest_batch=3)),
        ("phases", lambda: dpcurves.DpSgd(phases=3)),
        ("count", lambda: dpcurves.PrivacyAccountant().compose("{}", 2.5)),
        ("event", lambda: dpcurves.PrivacyAccountant().compose("{")),
        ("event", lambda: dpcurves.from_dp_event({"a": object()})),
        ("text", lambda: dpcurves.Transcript(3)),
        ("records", lambda: dpcurves.Transcript("{}", records="x")),
        ("history", lambda: dpcurves.from_opacus_history([(1.1, 0.1, 2.5)])),
        ("neighboring_relation", lambda: dpcurves.PrivacyAccountant(["x"])),
        ("question", lambda: dpcurves.ask(3)),
        ("process", lambda: dpcurves.simulate(3)),
        ("problem", lambda: dpcurves.risk(None)),
        ("theorem", lambda: dpcurves.ask("privacy gaussian", theorem="\ud800")),
        ("epochs", lambda: dpcurves.ask("privacy noisy-cgd", epochs=b"3")),
        ("shards", lambda: dpcurves.merge(["text"])),
        ("index", lambda: dpcurves.shard("simulate noisy-gd", "x", 2)),
        ("count", lambda: dpcurves.shard("simulate noisy-gd", 1, 0)),
        ("run", lambda: dpcurves.calibrate("x", target_epsilon=1, target_delta=1e-5)),
        ("run", lambda: dpcurves.statement("x", 1e-5)),
        ("solve_for", lambda: dpcurves.calibrate(dpcurves.DpSgd(**RUN), target_epsilon=1, target_delta=1e-5, solve_for=3)),
        ("claim", lambda: dpcurves.validate(3, lambda s: 1.0)),
        ("experiment", lambda: dpcurves.validate(lambda s: 1.0, None)),
        ("experiment", lambda: dpcurves.validate(lambda s: 1.0, lambda s: ("x", "y"))),
        ("type_one_errors", lambda: dpcurves.validate(lambda s: 1.0, lambda s: 1.0, type_one_errors=[2.0])),
        ("batches", lambda: dpcurves.noisy_descent(**DESCENT, batches=3)),
        ("mu", lambda: dpcurves.calculators[GDP](mu=object(), eps=1.0)),
        ("mu", lambda: dpcurves.calculators[GDP](mu="\ud800", eps=1.0)),
        ("mu", lambda: dpcurves.calculators[GDP](mu=Loop(), eps=1.0)),
        ("name", lambda: dpcurves.DpSgd(**RUN).guarantee.measure(3, 0.1)),
        ("measure", lambda: dpcurves.DpSgd(**RUN).guarantee.measure("luck", 0.1)),
    ],
)  # fmt: skip
def test_every_other_argument_is_named_too(name, work):
    with pytest.raises((TypeError, ValueError), match=name):
        work()


def test_a_run_may_be_asked_by_many_threads_at_once():
    runs = [
        dpcurves.DpSgd(1.0, 0.01, 500), dpcurves.DpSgd(2.0, 0.1, 10, sampling="random-allocation", uses_per_round=2),
        dpcurves.DpSgd(2.0, records=200, batch_size=8, steps=50, sampling="with-replacement"), dpcurves.NoisyCgd(**CGD),
    ]  # fmt: skip
    questions = [lambda r: r.epsilon(1e-5), lambda r: r.tradeoff(0.1), lambda r: r.tpr(0.01), lambda r: r.delta(0.5)]
    wanted = [[ask(run) for ask in questions] for run in runs]
    failures = []

    def work(first):
        for i in range(16):
            run, ask = (first + i) % 4, (first + i // 4) % 4
            if questions[ask](runs[run]) != wanted[run][ask]:
                failures.append((run, ask))

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures

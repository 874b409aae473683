# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import contextlib

import numpy as np
import pytest

import dpcurves

BAD = [None, "x", b"x", float("nan"), -1.0, float("inf"), [], [[1.0]], [-1.0], {"a": 1}, object(), np.zeros((2, 0)), 1e308, 2**70, True, 1j]


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def everything_with(bad):
    run = dpcurves.DpSgd(1.0, steps=10, sampling="none")
    for work in (
        lambda: dpcurves.DpSgd(bad, 1.0, 10).epsilon(1e-5),
        lambda: dpcurves.DpSgd(1.0, bad, 10).epsilon(1e-5),
        lambda: dpcurves.DpSgd(1.0, 1.0, 10, sampling=bad).epsilon(1e-5),
        lambda: dpcurves.DpSgd(1.0, 1.0, 10, phases=[bad]).epsilon(1e-5),
        lambda: run.epsilon(bad),
        lambda: run.epsilon(1e-5, threads=bad),
        lambda: run.renyi(bad),
        lambda: run.tradeoff(bad),
        lambda: run.reconstruction(bad) if np.size(bad) < 1 else None,
        lambda: dpcurves.NoisyCgd(epochs=bad, effective_sensitivity=1.0, batches_per_epoch=2, contraction=0.9).epsilon(1e-5),
        lambda: dpcurves.ask("privacy noisy-cgd", epochs=bad),
        lambda: dpcurves.ask(bad),
        lambda: dpcurves.calculators["shifted-interpolation/gdp-delta"](mu=bad, eps=1.0),
        lambda: dpcurves.calculators[bad],
        lambda: dpcurves.from_dp_event(bad),
        lambda: dpcurves.from_opacus_history(bad),
        lambda: dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=bad, paths=10),
        lambda: dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=2, paths=10, seed=bad),
        lambda: dpcurves.validate(lambda s: bad, lambda s: 1.0),
        lambda: dpcurves.validate(lambda s: 1.0, lambda s: bad),
        lambda: dpcurves.calibrate(bad, target_epsilon=1, target_delta=1e-5),
    ):
        with contextlib.suppress(Exception):  # an exception, and not the end of the process
            work()


def everything_right():
    run = dpcurves.DpSgd(1.0, steps=10, sampling="none")
    run.epsilon(1e-5)
    run.tradeoff([0.0, 0.5, 1.0])
    run.tpr(0.01)
    dpcurves.DpSgd(np.array([1.0, 2.0]), 1.0, 10, sampling="none").epsilon(np.array([[1e-5], [1e-6]]))
    dpcurves.calculators["shifted-interpolation/gdp-delta"](mu=1.0, eps=1.0)
    dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=2, paths=10)
    dpcurves.from_opacus_history([(1.1, 1.0, 3)]).delta(1.0)


RIGHT = 8  # calls of everything_right


def grown(work, times):
    """Bytes that `times` calls leave behind, after as many as fill what is kept."""
    for _ in range(max(1, times // 10)):
        work()
    before = resident()
    for _ in range(times):
        work()
    return resident() - before


@pytest.mark.filterwarnings("ignore")
def test_two_thousand_wrong_calls_neither_crash_nor_leak():
    assert grown(lambda: [everything_with(bad) for bad in BAD], 10) < 20e6  # 21 calls for each of 16


@pytest.mark.filterwarnings("ignore")
def test_two_thousand_right_calls_do_not_leak():
    assert grown(everything_right, 2000 // RIGHT) < 5e6


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError):
        dpcurves.DpSgd([1.0, 2.0], [0.1, 0.2, 0.3], 10).epsilon(1e-5)
    with pytest.raises((ValueError, MemoryError)):
        dpcurves.DpSgd(np.broadcast_to(1.0, (2**40,)), np.broadcast_to(0.1, (2**20, 1)), 10).epsilon(1e-5)
    with pytest.raises(TypeError):
        dpcurves.DpSgd(1.0, 0.01, 10).epsilon(np.array(["a"]))


@pytest.mark.parametrize("phases", [[None], 3, ["abc"], [(1.0, 0.1)], [(1.0, 0.1, None)], [dpcurves.Phase(1.0, 0.1, [1, 2])]])
def test_phases_that_are_none_are_refused_by_name(phases):
    with pytest.raises(TypeError, match="phases|iterable"):
        dpcurves.DpSgd(phases=phases)


def test_phases_may_be_plain_tuples():
    assert dpcurves.DpSgd(phases=[(1.0, 1.0, 10)]).epsilon(1e-5) == dpcurves.DpSgd(1.0, 1.0, 10).epsilon(1e-5)

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of every part of the module, right and wrong ones: what test_memory.py runs under valgrind, within seconds."""

import contextlib
import signal

import numpy as np

import dpcurves


def good():
    run = dpcurves.DpSgd(1.0, steps=10, sampling="none")
    run.epsilon(1e-5)
    run.tradeoff(np.array([0.0, 0.5, 1.0]))
    run.guarantees()
    run.advantage()
    dpcurves.DpSgd(np.array([1.0, 2.0]), 1.0, 10, sampling="none").epsilon(np.array([[1e-5], [1e-6]]), threads=2)
    dpcurves.DpSgd(np.zeros((2, 0)) + 1.0, 1.0, 10).epsilon(1e-5)
    dpcurves.calculators["shifted-interpolation/gdp-delta"](mu=1.0, eps=1.0)
    dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=2, paths=10)
    dpcurves.ask("privacy gaussian", noise_multiplier=1, compositions=2, delta=1e-5).text()
    dpcurves.from_opacus_history([(1.1, 1.0, 3)]).delta(1.0)
    dpcurves.merge([dpcurves.shard("simulate noisy-gd", 1, 1, noise=1, step_size=0.1, steps=3, paths=2000)])


def bad():
    run = dpcurves.DpSgd(1.0, steps=10, sampling="none")
    huge = np.broadcast_to(1.0, (2**40,))
    for work in (
        lambda: run.epsilon("x"),
        lambda: run.epsilon(float("nan")),
        lambda: run.epsilon(np.array(["a"])),
        lambda: run.tradeoff(-1.0),
        lambda: run.renyi(None),
        lambda: run.epsilon(1e-5, threads=-1),
        lambda: dpcurves.DpSgd([1.0, 2.0], [0.1, 0.2, 0.3], 10).epsilon(1e-5),
        lambda: dpcurves.DpSgd(huge, np.broadcast_to(0.1, (2**20, 1)), 10).epsilon(1e-5),
        lambda: dpcurves.DpSgd(-1.0, 0.1, 10).epsilon(1e-5),
        lambda: dpcurves.DpSgd(1.0, 1.0, 10, phases=[None]).epsilon(1e-5),
        lambda: dpcurves.ask("privacy noisy-cgd", epochs=None),
        lambda: dpcurves.ask("privacy nothing"),
        lambda: dpcurves.calculators["shifted-interpolation/gdp-delta"](mu="x", eps=1.0),
        lambda: dpcurves.calculators["nothing"],
        lambda: dpcurves.from_dp_event({"a": 1}),
        lambda: dpcurves.from_opacus_history([(1.1, 2.0)]),
        lambda: dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=-1, paths=10),
        lambda: dpcurves.merge([b"dpcurves shard 1\n"]),
    ):
        with contextlib.suppress(ValueError, TypeError, KeyError, OSError, MemoryError):
            work()
            raise SystemExit("a wrong call was answered")


def interrupted():
    """Ctrl-C while threads work."""
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        dpcurves.noisy_descent(step_size=0.1, noise=1.0, steps=1000, paths=10**7, threads=2)
        raise SystemExit("Ctrl-C was not obeyed")


if __name__ == "__main__":
    good()
    bad()
    interrupted()
    print("done")

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import dpcurves

RUN = dict(step_size=0.1, noise=1.0, records=4, batch_size=2)


def descent(setting):
    return dpcurves.noisy_descent(batches="cyclic", steps=20, paths=200000, seed=setting.seed, **RUN)


def theorem(setting, factor=1.0):
    run = dpcurves.NoisyCgd(sensitivity=1.0, epochs=10, strong_convexity=1.0, smoothness=1.0, **RUN)
    return factor * run.mu().upper


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_theorem_4_5_holds_and_a_wrong_constant_is_refuted(seed):
    found = dpcurves.validate(theorem, descent, lambda s: theorem(s, 0.8), seed=seed)
    assert found.verdict == "holds" and found.controlled
    assert 0.8 < found.resolution <= 1.0
    assert dpcurves.validate(lambda s: theorem(s, 0.8), descent, seed=seed).verdict == "refuted"


def test_a_control_too_far_from_the_data_does_not_count():
    found = dpcurves.validate(theorem, descent, lambda s: theorem(s, 0.999))
    assert found.verdict == "holds" and not found.controlled
    assert "sees too little" in str(found)


def test_exact_values_and_settings():
    found = dpcurves.validate(
        claim=lambda s: s.x**2, experiment=lambda s: 0.99 * s.x**2, control=lambda s: 0.98 * s.x**2,
        settings=[{"x": 1.0}, {"x": 3.0}],
    )
    assert (found.verdict, found.controlled, found.broken, found.control_broken) == ("holds", True, (0, 2), (2, 2))
    assert found.resolution == pytest.approx(0.99)


def test_trade_off_functions_are_claims_too():
    assert dpcurves.validate(lambda s: lambda a: 1.0 - a, descent).verdict == "refuted"
    assert dpcurves.validate(lambda s: lambda a: 0.0, descent).verdict == "holds"


def test_a_run_is_a_claim():
    run = dpcurves.NoisyCgd(sensitivity=1.0, epochs=10, strong_convexity=1.0, smoothness=1.0, **RUN)
    ways = (lambda s: run, lambda s: run.tradeoff, lambda s: run.mu())
    found = [dpcurves.validate(claim, descent) for claim in ways]
    assert [one.verdict for one in found] == ["holds"] * 3
    assert found[0] == found[1] and found[2].resolution == pytest.approx(found[0].resolution)


@pytest.mark.parametrize("settings", [{"x": 1.0}, [3], 3, "x"])
def test_settings_are_dictionaries(settings):
    with pytest.raises(TypeError, match="settings"):
        dpcurves.validate(lambda s: 1.0, lambda s: 1.0, settings=settings)


def test_an_error_in_a_claim_is_raised():
    with pytest.raises(ZeroDivisionError):
        dpcurves.validate(lambda s: lambda a: 1 / 0, descent)
    with pytest.raises(ValueError, match="100 draws"):
        dpcurves.validate(theorem, lambda s: (np.zeros(3), np.zeros(3)))
    with pytest.raises(ValueError):
        dpcurves.validate(theorem, lambda s: (np.full(1000, np.nan), np.zeros(1000)))


def test_shards_put_together_are_the_whole_and_threads_do_not_matter():
    setting = dict(steps=10, paths=1001, seed=5, **RUN)
    whole = dpcurves.noisy_descent(**setting, batches="subset", threads=1)
    parts = [dpcurves.noisy_descent(**setting, batches="subset", threads=2, shard=(i, 3)) for i in range(3)]
    for k in range(2):
        assert np.array_equal(whole[k], np.concatenate([part[k] for part in parts]))
    assert whole.first.shape == (1001,) and abs(np.corrcoef(whole.first, whole.second)[0, 1]) < 0.2


@pytest.mark.parametrize(
    "change, words", [({"shard": (3, 3)}, "shard"), ({"paths": 0}, "paths"), ({"steps": 2.5}, "steps"),
                      ({"batches": "all"}, "batches"), ({"noise": -1.0}, "noise"), ({"seed": -1}, "seed"), ({"threads": -1}, "threads")],
)
def test_bad_input(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        dpcurves.noisy_descent(**{**dict(steps=3, paths=100), **RUN, **change})

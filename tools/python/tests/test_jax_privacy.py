# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of jax_privacy search for, bound or account, at their tolerance.

Numbers of theirs are what google-deepmind/jax_privacy at 8967688c26d4 (2026-08-20) finds in double precision, with
dp_accounting 0.6.0. Their equalities are data/reference/jax-privacy.json.
"""
import math

import pytest

import dpcurves

ROUNDING = 1e-9


def loss(strategy, **options):
    """Sensitivity times error of the best strategy found, for the running sums."""
    row = dpcurves.ask("calibrate correlated", strategy=strategy, solve_for="noise-multiplier", epsilon=1, delta=1e-6,
                       **options)["results"][0]
    kind = "largest_noise" if options.get("minimise") == "maximum" else "mean_noise"
    return row["sensitivity"]["upper"] * row[kind] / row["noise_multiplier"]["upper"], row


@pytest.mark.parametrize("bands, theirs", [(1, 8.5), (2, 5.211676966726574), (5, 3.502677937229446),
                                           (6, 3.350965670827105), (10, 3.115808693716259), (11, 3.0943681128601823),
                                           (15, 3.0645261942217643), (16, 3.0639986726678057)])
def test_banded_matrices_are_as_good_as_theirs(bands, theirs):
    # test_toeplitz_more_bands_is_better; their loss is the square
    ours, _ = loss("band-mf", steps=16, bands=bands, participation="single")
    assert ours * ours == pytest.approx(theirs, rel=1e-7)
    assert ours * ours <= theirs * (1 + ROUNDING)


@pytest.mark.parametrize("steps, buffers, theirs, allowed", [
    (10, 1, 1.7986032377821566, 1.04), (100, 2, 2.5365228923321026, 1.03), (100, 3, 2.531485909598642, 1.03),
    (1000, 2, 3.321261737650118, 1.04), (1000, 3, 3.2699178059413008, 1.03), (10000, 3, 4.033251607167601, 1.03),
    (100000, 4, 4.757683566612029, 1.03)])
def test_buffers_are_as_good_as_theirs(steps, buffers, theirs, allowed):
    # test_optimize_single_participation_near_optimal, with what their search finds
    ours, _ = loss("blt", steps=steps, buffers=buffers, participation="single", minimise="maximum")
    assert ours <= allowed * (1 + math.log(steps) / math.pi)
    assert ours <= theirs * (1 + 1e-6)


@pytest.mark.parametrize("epsilon, bands, deviation, error", [
    (20, 10, 1.0219323823578632, 8.681873898575267), (0.1, 1, 41.58493369289734, 50.5)])
def test_bands_of_amplified_matrices(epsilon, bands, deviation, error):
    # test_large_epsilon and test_small_epsilon: 1000 records, batches of 100, 100 steps; theirs calibrates by Renyi
    row = dpcurves.ask("calibrate correlated", strategy="band-mf-sampled", steps=100, epochs=10,
                       solve_for="noise-multiplier", epsilon=epsilon, delta=1e-6)["results"][0]
    assert row["parameters"]["bands"] == bands
    assert 0.85 * deviation * math.sqrt(error) < row["mean_noise"] < deviation * math.sqrt(error)


def sensitivity(coefficients, separation, most):
    found = dpcurves.calculators["kan-correlated-noise/participation-sensitivity"](
        T=6, coefficients=coefficients, participation="min-separation", b=separation, k=6 if most is None else most)
    return found["sensitivity"]["lower"], found["sensitivity"]["upper"]


@pytest.mark.parametrize("coefficients, bounds", [
    ([1, 2, 1], [2.449489742783178, 4.47213595499958, 8.602325267042627, 2.449489742783178, 4, 4.58257569495584]),
    ([1, -0.5, 0.3], [1.1575836902790226, 1.9949937343260005, 4.026164427839479, 1.1575836902790226,
                      1.8110770276274835, 2.2649503305812253]),
    ([1, -0.5], [1.118033988749895, 1.8708286933869707, 3.5, 1.118033988749895, 1.5811388300841898,
                 1.9364916731037085]),
    ([1, 0.5, 0.8], [1.374772708486752, 2.3623022622035435, 4.94064773081425, 1.374772708486752, 2.3194827009486407,
                     2.8687976575562106])])
def test_other_coefficients_are_between_the_truth_and_their_bound(coefficients, bounds):
    # test_sensitivity_squared_upper_bound and _projection_is_majorant
    pairs = [(b, k) for b in (1, 2) for k in (1, 2, None)]
    for (separation, most), bound in zip(pairs, bounds):
        lower, upper = sensitivity(coefficients, separation, most)
        assert lower <= upper <= bound * (1 + 1e-7), (separation, most)


DELTA = 1e-6


@pytest.mark.parametrize("run, theirs, slack", [
    (dict(sampling_rate=0.01, steps=128), 1.0153275529824157, 1e-3),
    (dict(sampling="cyclic-poisson", cycle=16, sampling_rate=0.01, steps=128), 0.5668263477476041, 1e-3),
    # their pair for a full batch is that of a replaced record, which is not needed
    (dict(sampling="truncated-poisson", batch_size=10, records=1000, largest_batch=16, steps=128), 5.104836713498554,
     4.0),
    (dict(sampling_rate=0.01, steps=128), 1.5478685371688872, 0.6),  # Renyi
    # Renyi; their noise is over the distance of two batches, ours over the clipping norm
    (dict(sampling="fixed-size", adjacency="replace-one", batch_size=16, records=1000, steps=128, noise_multiplier=2),
     2.646102451989932, 1.5)])
def test_epsilons_are_below_theirs(run, theirs, slack):
    # accounting_test.test_get_epsilon at noise multiplier 1 and delta 1e-6; the grid of their losses has 1e-3
    ours = dpcurves.ask("privacy dp-sgd", **{"noise_multiplier": 1, **run}, delta=DELTA)["results"][0]["epsilon"]
    assert ours["upper"] <= theirs
    assert theirs - slack <= ours["upper"]

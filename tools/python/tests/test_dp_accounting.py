# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""PrivacyAccountant against what the tests of dp_accounting 0.6 expect of its own accountants, at their tolerances."""

import math

import pytest

import dpcurves

pytestmark = pytest.mark.filterwarnings("ignore")
dp_accounting = pytest.importorskip("dp_accounting")
pld = pytest.importorskip("dp_accounting.pld")
rdp = pytest.importorskip("dp_accounting.rdp")
events = dp_accounting.dp_event
Neighbours = dp_accounting.NeighboringRelation
ADD, REPLACE, SPECIAL = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE, Neighbours.REPLACE_SPECIAL
ALL = [ADD, REPLACE, SPECIAL]


def composed(parts, neighbours=ADD):
    accountant = dpcurves.PrivacyAccountant(neighbours)
    for event, count in parts:
        accountant.compose(event, count)
    return accountant


SAMPLED = events.PoissonSampledDpEvent(0.2, events.GaussianDpEvent(0.5))
NUMBERS = {  # parts, epsilon, delta, tolerance of delta, tolerance of epsilon
    "gaussian": ([(events.GaussianDpEvent(math.sqrt(3)), 1), (events.GaussianDpEvent(math.sqrt(3)), 2)], 1, 0.126936, 1e-3, 1e-3),
    "poisson": ([(SAMPLED, 1), (SAMPLED, 2)], 1, 0.15594, 1e-3, 1e-3),
    "self-composed": ([(events.SelfComposedDpEvent(SAMPLED, 3), 1)], 1, 0.15594, 1e-3, 1e-3),
    "laplace": ([(events.LaplaceDpEvent(1), 3), (events.LaplaceDpEvent(2), 2)], 4, 1e-14, 1e-6, 1e-6),
    "mixtures": (
        [(events.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0, 2.0], [0.2, 0.6, 0.2]), 3),
         (events.MixtureOfGaussiansDpEvent(2.0, [0.0, 2.0, 3.0], [0.33, 0.34, 0.33]), 2)], 17.193115, 1e-6, 1e-12, 1e-6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    parts, epsilon, delta, of_delta, of_epsilon = NUMBERS[name]
    accountant = composed(parts)
    assert accountant.get_delta(epsilon) == pytest.approx(delta, abs=of_delta, rel=0)
    assert accountant.get_epsilon(delta) == pytest.approx(epsilon, abs=of_epsilon, rel=0)


def test_discrete_laplace():
    accountant = composed([(events.DiscreteLaplaceDpEvent(1, 1), 3), (events.DiscreteLaplaceDpEvent(0.5, 1), 2)])
    assert accountant.get_delta(4) == pytest.approx(0.0, abs=1e-6)
    assert accountant.get_epsilon(0.0) == pytest.approx(4, abs=1e-6)


@pytest.mark.parametrize(
    "neighbours, noise, buckets, epsilon",
    [(REPLACE, 4 / (3 + math.exp(1)), 4, 1.0), (SPECIAL, (4 - math.exp(1)) / 3, 4, 2.0), (SPECIAL, math.exp(-1), 2, 1.5)],
)
def test_randomized_response(neighbours, noise, buckets, epsilon):
    """Of a special record nothing is said but that it responds: it counts as any other, and epsilon is larger than 1."""
    accountant = composed([(events.RandomizedResponseDpEvent(noise, buckets), 1)], neighbours)
    assert accountant.get_delta(epsilon) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("neighbours", ALL)
@pytest.mark.parametrize("event", [None, events.NoOpDpEvent()], ids=["nothing", "no-op"])
def test_nothing_costs_nothing(neighbours, event):
    accountant = composed([] if event is None else [(event, 1)], neighbours)
    assert [accountant.get_epsilon(delta) for delta in (1e-12, 0, 1)] == [0.0] * 3
    assert [accountant.get_delta(epsilon) for epsilon in (1e-12, 0, math.inf)] == [0.0] * 3


@pytest.mark.parametrize("neighbours", ALL)
@pytest.mark.parametrize(
    "event",
    [events.NonPrivateDpEvent(), events.ComposedDpEvent([events.NoOpDpEvent(), events.NonPrivateDpEvent()]),
     events.SelfComposedDpEvent(events.NonPrivateDpEvent(), 10)], ids=["plain", "composed", "self-composed"],
)  # fmt: skip
def test_what_is_not_private(neighbours, event):
    accountant = composed([(event, 1)], neighbours)
    assert accountant.supports(event)
    assert [accountant.get_epsilon(delta) for delta in (0.99, 0)] == [math.inf] * 2
    assert [accountant.get_delta(epsilon) for epsilon in (100, 0)] == [1.0] * 2


@pytest.mark.parametrize(
    "event",
    [events.GaussianDpEvent(0), events.LaplaceDpEvent(0), events.DiscreteLaplaceDpEvent(0, 1)],
    ids=lambda event: type(event).__name__,
)
def test_no_noise(event):
    accountant = composed([(event, 1)])
    assert accountant.get_delta(1.0) == 1.0 and accountant.get_epsilon(0.01) == math.inf


@pytest.mark.parametrize(
    "event",
    [events.PoissonSampledDpEvent(0.1, events.GaussianDpEvent(0)), events.PoissonSampledDpEvent(0.1, events.LaplaceDpEvent(1)),
     events.MixtureOfGaussiansDpEvent(0, [1, 2], [0.5, 0.5])], ids=lambda event: type(event).__name__,
)  # fmt: skip
def test_what_is_refused_is_refused_in_words(event):
    """There answered; here only Gaussian noise may be sampled, and there has to be some."""
    assert not dpcurves.PrivacyAccountant().supports(event)
    with pytest.raises(dpcurves.DomainError, match="without noise|only GaussianDpEvent can be sampled"):
        dpcurves.PrivacyAccountant().compose(event)


@pytest.mark.parametrize(
    "event",
    [events.PoissonSampledDpEvent(0, events.GaussianDpEvent(1)), events.PoissonSampledDpEvent(0, events.LaplaceDpEvent(1)),
     events.PoissonSampledDpEvent(0, events.GaussianDpEvent(0)), events.MixtureOfGaussiansDpEvent(1, [0], [1.0])],
    ids=lambda event: type(event).__name__,
)  # fmt: skip
def test_what_no_record_is_in(event):
    accountant = composed([(event, 1)])
    assert accountant.get_delta(0) == 0.0 and accountant.get_epsilon(0) == 0.0


@pytest.mark.parametrize("neighbours", ALL)
def test_gaussian_steps_are_supported_for_all_neighbours(neighbours):
    gaussian, sampled = events.GaussianDpEvent(1.0), events.PoissonSampledDpEvent(0.1, events.GaussianDpEvent(1.0))
    for event in (gaussian, events.SelfComposedDpEvent(gaussian, 6), events.ComposedDpEvent([gaussian, events.GaussianDpEvent(2.0)]),
                  sampled, events.ComposedDpEvent([sampled, events.GaussianDpEvent(2.0)])):  # fmt: skip
        assert dpcurves.PrivacyAccountant(neighbours).supports(event)


UNKNOWN = [events.UnsupportedDpEvent(), events.SelfComposedDpEvent(events.UnsupportedDpEvent(), 10),
           events.TruncatedSubsampledGaussianDpEvent(4, 0.5, 2, 1.0)]  # fmt: skip


@pytest.mark.parametrize("event", UNKNOWN, ids=lambda event: type(event).__name__)
def test_what_nobody_knows_is_refused(event):
    for neighbours in ALL:
        accountant = dpcurves.PrivacyAccountant(neighbours)
        assert not accountant.supports(event)
        with pytest.raises(dpcurves.DomainError, match="UnsupportedDpEvent|TruncatedSubsampledGaussianDpEvent"):
            accountant.compose(event)


@pytest.mark.parametrize("count", [0, -1, 2.5])
def test_counts_are_whole_and_positive(count):
    with pytest.raises(ValueError, match="count"):
        dpcurves.PrivacyAccountant().compose(events.GaussianDpEvent(1.0), count)


@pytest.mark.parametrize("neighbours", ALL)
@pytest.mark.parametrize("noise, rate, steps", [(1.1, 0.01, 1000), (0.8, 0.1, 50), (4.0, 0.2, 200)])
def test_between_the_bounds_of_its_accountants(neighbours, noise, rate, steps):
    event = events.SelfComposedDpEvent(events.PoissonSampledDpEvent(rate, events.GaussianDpEvent(noise)), steps)
    ours = composed([(event, 1)], neighbours).get_epsilon(1e-5)
    theirs = pld.PLDAccountant(neighbours).compose(event).get_epsilon(1e-5)
    assert ours <= theirs * (1 + 1e-6) and theirs <= ours * 1.01
    if neighbours is ADD:
        assert ours <= rdp.RdpAccountant(neighboring_relation=neighbours).compose(event).get_epsilon(1e-5)


def test_the_ledger_is_what_was_composed():
    accountant = composed([(events.GaussianDpEvent(1.0), 1), (SAMPLED, 3)])
    again = dpcurves.PrivacyAccountant().compose(accountant.ledger)
    assert again.get_epsilon(1e-5) == accountant.get_epsilon(1e-5)

#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Reference table of random_allocation_curve in accounting/random_allocation.hpp: delta of one epoch of 1 to 3 steps.

The last lognormal variable is integrated in closed form (a call or a put on one lognormal variable), the others by
tanh-sinh quadrature in z, split where the strike that is left vanishes.
"""
from itertools import product

from mpmath import erfc, exp, log, mp, mpf, pi, quad, sqrt

from reference_table import write

mp.dps = 22


def tail(x):
    return erfc(x / sqrt(2)) / 2


def call(mu, strike):
    if strike <= 0:
        return 1 - strike
    d = log(strike) / mu
    return tail(d - mu / 2) - strike * tail(d + mu / 2)


def put(mu, strike):
    if strike <= 0:
        return mpf(0)
    d = log(strike) / mu
    return strike * tail(-d - mu / 2) - tail(-d + mu / 2)


def value(mu, steps, strike, remove):
    """E (X_1 + ... + X_steps - strike)_+, or of its negative part."""
    if steps == 1:
        return (call if remove else put)(mu, strike)
    if strike <= 0:
        return steps - strike if remove else mpf(0)
    ends = [mpf(-10), 10 + (mu if remove else 0)]
    kink = log(strike) / mu + mu / 2
    if ends[0] < kink < ends[1]:
        ends.insert(1, kink)
    if not remove:
        ends = ends[:2]
    ends = [ends[0]] + [x for a, b in zip(ends, ends[1:]) for x in ((a + b) / 2, b)]
    return quad(lambda z: exp(-z * z / 2) / sqrt(2 * pi) * value(mu, steps - 1, strike - exp(mu * z - mu * mu / 2), remove),
                ends, maxdegree=7 if steps == 2 else 5)


def delta(mu, steps, epsilon, remove):
    strike = steps * exp(epsilon if remove else -epsilon)
    return value(mu, steps, strike, remove) / steps * (1 if remove else exp(epsilon))


rows = []
for steps, mu, scale, remove in product((1, 2, 3), ("0.0625", "0.5", "1", "3"), (0.25, 1.0, 3.5), (True, False)):
    # epsilon in units that reach from delta about 0.1 to 1e-10 and below.
    epsilon = mpf(round(1024 * float(mu) * scale / steps ** 0.5 * (1 if remove else 0.7))) / 1024
    if steps == 3 and (scale != 1.0 or mu in ("0.0625", "1")):  # minutes each
        continue
    exact = delta(mpf(mu), steps, epsilon, remove)
    if exact > mpf("1e-18"):
        rows.append((mu, steps, epsilon, 0.0 if remove else 1.0, exact))
write("accounting/random_allocation.csv", __file__,
      "E (L - e^eps)_+ (direction 0, remove) and E (1 - e^eps L)_+ (direction 1, add), L the mean of `steps` independent "
      "exp(mu z - mu^2 / 2)", ("mu", "steps", "epsilon", "direction", "delta"), rows, 4)

#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Mean and variances of the risk for isotropic features: the moment equations as integrals, 30 digits."""
import random

from mpmath import exp, expm1, mp, mpf, quad

from reference_table import write

mp.dps = 30
random.seed(3)


def moments(lam, gamma, labels, sigma, y0, d, t):
    lam, gamma, labels, sigma, y0, d, t = map(mpf, (lam, gamma, labels, sigma, y0, d, t))
    c, k, g2 = lam * labels + sigma**2, 2 * gamma * lam - gamma**2 * lam**2, gamma**2
    y = lambda u: y0 * exp(-k * u) + g2 * c * (u if k == 0 else -expm1(-k * u) / k)
    pieces = [t * mpf(i) / 8 for i in range(9)] if t <= 20 else [0, t / 2] + [t - t / 2**i for i in range(2, 14)] + [t]
    driven = lambda rate, f: quad(lambda u: exp(-rate * (t - u)) * f(u), pieces)
    sde = driven(2 * k - 4 * g2 * lam**2 / d, lambda u: 4 * g2 / d * (lam**2 * y(u)**2 + c * y(u)))
    sgd = driven(2 * k, lambda u: g2 / d * (2 * (2 - gamma * lam)**2 * lam**2 * y(u)**2
                                            + (2 - 2 * gamma * lam)**2 * lam * y(u) * labels
                                            + 2 * g2 * lam**2 * labels**2 + 4 * sigma**2 * y(u)))
    v = driven(2 * gamma * lam, lambda u: g2 / d * (lam**2 * y(u) + c))
    linear = 2 * d * v**2 + 4 * v * y0 * exp(-2 * gamma * lam * t)
    return lam * y(t) / 2 + labels / 2, lam**2 / 4 * sde, lam**2 / 4 * linear, lam**2 / 4 * sgd


rows = []
for lam, gamma, labels, sigma, y0, d, t in [
        (1.0, 0.8, 0.25, 0.0, 1.0, 100.0, 1.5), (1.0, 2.0, 0.25, 0.5, 1.0, 50.0, 3.0), (1.0, 2.25, 0.1, 0.5, 1.0, 50.0, 6.0),
        (2.0, 0.5, 0.1, 0.7, 3.0, 400.0, 200.0), (2.0, 0.5, 0.0, 0.0, 3.0, 40.0, 12.0), (1.0, 0.5, 0.1, 0.0, 0.0, 10.0, 2.0),
        (1.0, 1.0, 0.25, 1.0, 1.0, 1e6, 1e-3), (1.0, 1.0, 0.25, 30.0, 1e6, 1e4, 2.0), (1e-3, 50.0, 1e-5, 1.5, 3784.0, 1e3, 1.5),
        (1.0, 1.0, 0.0, 1e-4, 1e-6, 300.0, 5.0), (0.5, 4.0 - 2.0**-30, 0.3, 1.0, 2.0, 100.0, 7.0)]:
    rows.append((lam, gamma, labels, sigma, y0, d, t, *moments(lam, gamma, labels, sigma, y0, d, t)))
for _ in range(25):
    lam = 10 ** random.uniform(-2, 1)
    case = (lam, random.uniform(0.02, 2.3) / lam, random.choice([0.0, 0.1, 2.0]), random.choice([0.0, 0.3, 3.0]),
            10 ** random.uniform(-3, 3), float(random.choice([3, 50, 1000, 10**6])), 10 ** random.uniform(-2, 1) )
    rows.append((*case, *moments(*case)))
write("homogenized/risk_fluctuation.csv", __file__, "moment equations of |x - xtilde|^2, variation of constants",
      ["eigenvalue", "gamma", "label_noise", "noise", "squared_error", "dimension", "time", "mean", "variance_hsgd",
       "variance_linear", "variance_sgd"], rows, 7)

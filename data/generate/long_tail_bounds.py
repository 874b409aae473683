#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Orthant probabilities, fair binomial tails and chords against which lib/dpcurves/bounds/long_tail_*.cpp is held."""
from mpmath import ceil, erfc, exp, expm1, floor, log, loggamma, mp, mpf, npdf, pi, quad, sqrt

from reference_table import write

mp.dps = 30


def cdf(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def log_orthant(m, kappa2):
    """log of the integral of phi(z) Phi(sqrt((kappa2 - 1)/m) z)^m, by Gauss-Legendre on panels that double in length
    away from the peak."""
    if kappa2 == 1:
        return -m * log(mpf(2))
    s = sqrt((mpf(kappa2) - 1) / m)
    g = lambda z: -z * z / 2 + m * log(cdf(s * z))
    hazard = lambda x: npdf(x) / cdf(x)
    low, high = mpf(0), (1 + sqrt(2 * log(mpf(kappa2)))) / s
    for _ in range(110):
        z = (low + high) / 2
        low, high = (z, high) if m * s * hazard(s * z) > z else (low, z)
    peak = g(z)
    h = hazard(s * z)
    first = min(1 / sqrt(1 + m * s * s * h * (h + s * z)), 1 / s) / 4
    total = mpf(0)
    for sign in (1, -1):
        a, b = mpf(0), first
        while True:
            total += quad(lambda t: exp(g(z + sign * t) - peak), [a, b], maxdegree=6)
            if g(z + sign * b) - peak < -70:
                break
            a, b = b, 2 * b
    return peak + log(total) - log(2 * pi) / 2


def fair_cdf(k, n):
    if k < 0:
        return mpf(0)
    if k >= n:
        return mpf(1)
    term = exp(loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1) - n * log(mpf(2)))
    total = mpf(0)
    while k >= 0:
        total += term
        term = term * k / (n - k + 1)
        k -= 1
        if term < total * mpf(10) ** -30:
            break
    return total


def half_activation(m, f):
    return fair_cdf(int(ceil(mpf(f) * m * (1 - mpf(10) ** -12))) - 1, m)


def sign_fraction(d, t):
    threshold = mpf(t) * d * (1 - mpf(10) ** -12)
    k = int(floor(mpf(d) / 2 - threshold))
    while mpf(d) / 2 - k < threshold:
        k -= 1
    return min(mpf(1), 2 * fair_cdf(k, d))


def chord(t, x):
    with mp.workdps(900):
        return log(1 + mpf(t) * expm1(mpf(x)))


orthants = [(m, k) for m in (1, 2, 3, 7, 50, 200, 10 ** 4, 10 ** 6, 10 ** 9)
            for k in (1.0, 1.0 + 2 ** -40, 1.5, 2.0, 20.0, 1e3, 1e5, 1e8, 1e12)]
write("bounds/long_tail_orthant.csv", __file__, "log integral of phi(z) Phi(sqrt((kappa2 - 1)/m) z)^m",
      ["entries", "condition_squared", "log_probability"],
      [(float(m), k, log_orthant(m, k)) for m, k in orthants], 2)
mp.dps = 40
write("bounds/long_tail_half_activation.csv", __file__, "P(Binomial(m, 1/2) < f m (1 - 1e-12))",
      ["filters", "fraction", "below"],
      [(float(m), f, half_activation(m, f)) for m, f in
       [(m, f) for m in (1, 2, 3, 4, 5, 10, 20, 30, 100, 500, 1000) for f in (0.1, 0.25, 0.3, 0.4, 0.45)] +
       [(12345, 0.4321), (10 ** 5, 0.25), (10 ** 6, 0.499), (10 ** 6, 0.49), (10 ** 6, 0.4999), (10 ** 9, 0.4999),
        (10 ** 9, 0.49999)]], 2)
write("bounds/long_tail_sign_fraction.csv", __file__, "P(|Binomial(d, 1/2) - d/2| >= t d (1 - 1e-12))",
      ["dimension", "t", "outside"],
      [(float(d), t, sign_fraction(d, t)) for d, t in
       [(1, .5), (2, .5), (3, 1 / 6), (3, .5), (4, .25), (5, .1), (7, 1 / 14), (10, .3), (20, .05), (100, .1),
        (1001, 1e-12), (1000, 1e-20), (10 ** 6, .001), (10 ** 6, .002), (10 ** 6, .01), (10 ** 9, 1e-5),
        (10 ** 9, 1e-4)]], 2)
write("bounds/long_tail_chord.csv", __file__, "log(1 + t (exp(x) - 1))", ["t", "x", "value"],
      [(t, x, chord(t, x)) for t in (1e-300, 1e-12, 0.3, 0.5, 0.7, 0.99, 1 - 1e-10, 1 - 2.0 ** -53)
       for x in (-800.0, -50.0, -5.0, -1.0, -0.6, -1e-3, -1e-12, 1e-12, 1e-3, 0.5, 5.0, 30.0, 680.0, 699.9, 700.0,
                 750.0, 1e5)], 2)

#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Reference tables of the risks of noisy least squares.

homogenized/risk_trajectory.csv: the variance equation of Theorem 4.2 by extrapolation of the midpoint rule, with an
agreement of two step lengths below 1e-18, or by the matrix exponential where the step is constant. homogenized/risk_isotropic.csv: the closed form for Sigma = lambda I.
"""
from mpmath import cos, exp, expm, expm1, matrix, mp, mpf, pi, sin

from reference_table import write

mp.dps = 32

SMALL = dict(lam=("2", "1", "0.3"), x0=("1", "-0.5", "0.8"), xt=("0.3", "0.7", "-0.4"), e2="0.09", delta="0.1",
             sigma="0.6", d="3")
STIFF = dict(SMALL, lam=("2000", "1", "0.01"), d="2000")
DIVERGENT = dict(SMALL, delta="0", d="2")


def numbers(model):
    lam, x0, xt = ([mpf(float(v)) for v in model[k]] for k in ("lam", "x0", "xt"))
    return (lam, x0, xt, mpf(float(model["e2"])), mpf(float(model["delta"])), mpf(float(model["sigma"])),
            mpf(float(model["d"])))


def flow(model, big):
    """m and P_gf at Gamma = big."""
    lam, x0, xt, e2, delta, sigma, d = numbers(model)
    m = [exp(-(l + delta) * big) * x + l * -expm1(-(l + delta) * big) / (l + delta) * y
         for l, x, y in zip(lam, x0, xt)]
    return m, sum(l * (a - y) ** 2 for l, a, y in zip(lam, m, xt)) / 2 + e2 / 2


def row(case, t, model, big, v):
    lam, x0, xt, e2, delta, sigma, d = numbers(model)
    m, gf = flow(model, big)
    risk = gf + sum(l * s for l, s in zip(lam, v)) / 2
    return (case, t, risk, risk + delta / 2 * (sum(a * a for a in m) + sum(v))) + tuple(v)


def extrapolated(slope, t, v, length, columns=14):
    """One step of Gragg's method: even powers of 1/n are removed in turn."""
    table = []
    for k in range(1, columns + 1):
        n = 2 * k
        h = length / n
        before, now = v, [a + h * b for a, b in zip(v, slope(t, v))]
        for i in range(1, n):
            before, now = now, [a + 2 * h * b for a, b in zip(before, slope(t + i * h, now))]
        last = [(a + b + h * c) / 2 for a, b, c in zip(now, before, slope(t + length, now))]
        row = [last]
        for j in range(1, k):
            ratio = (mpf(k) / (k - j)) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[-1], table[-1][j - 1])])
        table.append(row)
    return table[-1][-1]


def advance(slope, begin, end, v):
    """From begin to end with steps of at most 0.15, and again with half of them."""
    results = []
    for factor in (1, 2):
        n = factor * max(1, int(mp.ceil((end - begin) / mpf("0.15"))))
        state = v
        for i in range(n):
            state = extrapolated(slope, begin + (end - begin) * i / n, state, (end - begin) / n)
        results.append(state)
    assert all(abs(a - b) < mpf("1e-18") * (abs(b) + mpf("1e-9")) for a, b in zip(*results)), (begin, end, results)
    return results[1]


def by_extrapolation(case, model, pieces, times):
    """pieces: (begin, end, gamma(t), Gamma(t)) with Gamma counted from 0."""
    lam, x0, xt, e2, delta, sigma, d = numbers(model)
    v, rows = [mpf(0)] * 3, []
    for begin, end, rate, big in pieces:
        def slope(t, v):
            gf = flow(model, big(t))[1]
            risk = gf + sum(l * s for l, s in zip(lam, v)) / 2
            g = rate(t)
            return [-2 * g * (l + delta) * s + g * g / d * (2 * risk * l + sigma ** 2) for l, s in zip(lam, v)]
        now = mpf(begin)
        for t in sorted(set(times) | {end}):
            if begin < t <= end:
                v = advance(slope, now, mpf(t), v)
                now = mpf(t)
                if t in times:
                    rows.append(row(case, t, model, big(now), v))
    return rows


def constant(case, model, gamma, times):
    """States v (3), exp(-2 a Gamma) (3), exp(-a Gamma) (3), 1."""
    lam, x0, xt, e2, delta, sigma, d = numbers(model)
    g = mpf(gamma)
    a = matrix(10, 10)
    for i in range(3):
        ar = lam[i] + delta
        a[i, i] += -2 * g * ar
        a[3 + i, 3 + i] = -2 * g * ar
        a[6 + i, 6 + i] = -g * ar
        a[i, 9] += g * g / d * sigma ** 2
        for j in range(3):
            al = lam[j] + delta
            big_a, big_b = x0[j] - lam[j] / al * xt[j], -delta / al * xt[j]
            c = g * g / d * 2 * lam[i]
            a[i, j] += c * lam[j] / 2
            a[i, 3 + j] += c * lam[j] * big_a ** 2 / 2
            a[i, 6 + j] += c * lam[j] * big_a * big_b
            a[i, 9] += c * lam[j] * big_b ** 2 / 2
        a[i, 9] += g * g / d * 2 * lam[i] * e2 / 2
    start = matrix([0] * 3 + [1] * 7)
    rows = []
    for t in times:
        state = expm(a * mpf(t), method="taylor") * start
        rows.append(row(case, t, model, g * mpf(t), [state[i] for i in range(3)]))
    return rows


def isotropic(lam, delta, sigma, gamma, e2, n0, dot, nt, t):
    lam, delta, sigma, gamma, e2, n0, dot, nt, t = map(mpf, (lam, delta, sigma, gamma, e2, n0, dot, nt, t))
    ar = lam + delta
    kappa, omega = 2 * gamma * ar, 2 * gamma * ar - gamma ** 2 * lam ** 2
    a2 = lam / 2 * (n0 - 2 * lam / ar * dot + (lam / ar) ** 2 * nt)
    a1 = -lam * delta / ar * (dot - lam / ar * nt)
    a0 = lam * (delta / ar) ** 2 * nt / 2 + e2 / 2
    c0 = kappa * a0 + sigma ** 2 * gamma ** 2 * lam / 2
    f0 = t if omega == 0 else -expm1(-omega * t) / omega
    rest = omega - kappa / 2
    f1 = exp(-kappa * t / 2) * (t if rest == 0 else -expm1(-rest * t) / rest)
    return (a0 + a1 + a2) * exp(-omega * t) + c0 * f0 + kappa / 2 * a1 * f1


def main():
    g9, g8, c2, c3, ex = mpf(0.9), mpf(0.8), mpf(2), mpf(3), mpf(0.8)
    last, tenth = mpf(0.05), mpf(0.1)
    times = (0.01, 0.5, 1.0, 3.0)

    def cosine(first, final, begin, length, before):
        return (lambda t: final + (first - final) * (1 + cos(pi * (t - begin) / length)) / 2,
                lambda t: before + final * (t - begin) + (first - final) * (
                    (t - begin) + length / pi * sin(pi * (t - begin) / length)) / 2)

    rows = constant(0, SMALL, 0.7, times)
    rows += by_extrapolation(1, SMALL, [(0, 3, lambda t: g9 / (1 + c2 * t), lambda t: g9 * mp.log(1 + c2 * t) / c2)], times)
    rows += by_extrapolation(2, SMALL, [(0, 3, lambda t: g9 / mp.sqrt(1 + c3 * t),
                                  lambda t: g9 * 2 * (mp.sqrt(1 + c3 * t) - 1) / c3)], times)
    rows += by_extrapolation(3, SMALL, [(0, 3, lambda t: g9 * exp(-ex * t), lambda t: -g9 * expm1(-ex * t) / ex)], times)
    rows += by_extrapolation(4, SMALL, [(0, 3) + cosine(g9, last, 0, c3, 0)], times)
    rows += by_extrapolation(5, SMALL, [(0, 3) + cosine(g9, mpf(0), 0, c3, 0)], times)
    ramp = (0, 0.5, lambda t: g8 * 2 * t, lambda t: g8 * t * t)
    rows += by_extrapolation(6, SMALL, [ramp, (0.5, 2) + cosine(g8, tenth, mpf(0.5), mpf(1.5), g8 / 4)],
                      (0.01, 0.5, 1.0, 2.0))
    # a table through (0, 0.2), (1, 1.2), (2, 0)
    one = mpf(1)
    rows += by_extrapolation(7, SMALL, [(0, 1, lambda t: mpf(0.2) + (mpf(1.2) - mpf(0.2)) * t,
                                  lambda t: mpf(0.2) * t + (mpf(1.2) - mpf(0.2)) * t * t / 2),
                                 (1, 2, lambda t: mpf(1.2) * (2 - t),
                                  lambda t: mpf(0.2) + (mpf(1.2) - mpf(0.2)) / 2 + mpf(1.2) * (
                                      (t - one) - (t - one) ** 2 / 2))], (0.01, 0.5, 1.0, 2.0))
    # steps 0.9, 0, 0.4 with breaks 0.3, 1.1
    w1 = mpf(0.9) * mpf(0.3)
    rows += by_extrapolation(8, SMALL, [(0, 0.3, lambda t: mpf(0.9), lambda t: mpf(0.9) * t),
                                 (0.3, 1.1, lambda t: mpf(0), lambda t: w1),
                                 (1.1, 3, lambda t: mpf(0.4), lambda t: w1 + mpf(0.4) * (t - mpf(1.1)))],
                      (0.01, 0.3, 0.7, 1.1, 3.0))
    rows += constant(9, STIFF, 0.01, (1e-3, 0.1, 3.0, 50.0))
    rows += constant(10, DIVERGENT, 2.5, (0.1, 2.0, 20.0))
    write("homogenized/risk_trajectory.csv", __file__,
          "v' = -2 gamma alpha v + (gamma^2/d)(2 P lambda + sigma^2), P = P_gf + sum lambda v/2",
          ("case", "t", "risk", "regularised", "v1", "v2", "v3"), rows, 2)

    rows = []
    for lam, delta in ((1.0, 0.0), (1.0, 0.25), (8.333333333333333e-05, 0.1), (30.0, 1e-6)):
        for gamma in (1e-9, 0.5, 1.25, 1.25 * (1 + 2.0 ** -30), 2.0, 2.6, 50.0):
            for t in (0.0, 1e-6, 1.5, 40.0, 2e4):
                for sigma, e2, n0, dot, nt in ((0.5, 0.09, 1.0, 0.2, 0.5), (0.0, 0.0, 1e6, 0.0, 0.0),
                                               (100.0, 0.0, 0.0, 0.0, 3.0)):
                    given = (lam, delta, sigma, gamma, e2, n0, dot, nt, t)
                    value = isotropic(*given)
                    omega = 2 * mpf(gamma) * (mpf(lam) + mpf(delta)) - (mpf(gamma) * mpf(lam)) ** 2
                    if abs(omega) * t < 600:
                        rows.append(given + (value,))
    write("homogenized/risk_isotropic.csv", __file__,
          "P_0 exp(-omega t) + c_0 f_0 + (kappa/2) A_1 f_1",
          ("eigenvalue", "regularisation", "noise", "rate", "label_noise", "norm2_x0", "dot", "norm2_xtilde", "t",
           "risk"), rows, 9)


if __name__ == "__main__":
    main()

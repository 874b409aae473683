# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Renyi divergences of neighbouring HSGD runs from dense covariances of the whole chain, in 60 digits.

The risk in the noise is held at a constant P, so that the variances are elementary; three eigenvalues, constant step.
The chain x_u -> x_t is affine with Gaussian noise, and a jump x -> C x + c + noise acts at s: the laws of the stacked
releases and of their average follow by multiplying matrices, without any of the formulas under test.
"""
import random

from mpmath import eye, exp, expm1, inf, log, matrix, mp, mpf, zeros

import reference_table

mp.dps = 60
D = 3


def cholesky_log_det(m):
    """log det, or None unless positive definite."""
    try:
        factor = mp.cholesky(m)
    except ValueError:
        return None
    return 2 * sum(log(factor[i, i]) for i in range(m.rows))


def renyi(order, mean1, cov1, mean2, cov2):
    mixed = order * cov2 + (1 - order) * cov1
    log_det = cholesky_log_det(mixed)
    if log_det is None:
        return inf
    gap = mean1 - mean2
    quad = (gap.T * mp.lu_solve(mixed, gap))[0]
    return order * quad / 2 + ((1 - order) * cholesky_log_det(cov1) + order * cholesky_log_det(cov2) - log_det) / (
        2 * (order - 1))


def diag(entries):
    m = zeros(len(entries))
    for i, x in enumerate(entries):
        m[i, i] = x
    return m


def chain(p, record):
    """Mean and covariance of the iterates stacked over the release times, the record used at s."""
    rate = [l + p["delta"] for l in p["lam"]]
    eta = p["gamma"] / p["dim"]
    a, b = record
    mean, cov = matrix(p["x0"]), zeros(D)
    blocks, now, jumped = [], mpf(0), False  # blocks: [mean, cross-covariances with the present state]
    stacked = []

    def advance(to):
        nonlocal mean, cov, now
        tau = p["gamma"] * (to - now)
        phi = diag([exp(-r * tau) for r in rate])
        pull = matrix([l * (-expm1(-r * tau) / r) * x for l, r, x in zip(p["lam"], rate, p["xtilde"])])
        fresh = diag([p["gamma"] / p["dim"] * (2 * p["P"] * l + p["sigma"]**2) * (-expm1(-2 * r * tau) / (2 * r))
                      for l, r in zip(p["lam"], rate)])
        mean, cov, now = phi * mean + pull, phi * cov * phi + fresh, to
        for release in stacked:
            release["cross"] = release["cross"] * phi
    def jump():
        nonlocal mean, cov
        av = matrix(a)
        c = eye(D) - eta * (av * av.T + p["delta"] * eye(D))
        mean = c * mean + eta * b * av
        cov = c * cov * c.T + eta**2 * p["sigma"]**2 * eye(D)
        for release in stacked:
            release["cross"] = release["cross"] * c.T
    for t in p["times"]:
        if not jumped and p["s"] <= t:
            advance(p["s"])
            jump()
            jumped = True
        advance(t)
        for release in stacked:
            release["with"].append(release["cross"].copy())
        stacked.append({"mean": mean.copy(), "cross": cov.copy(), "with": [cov.copy()]})
    n = D * len(stacked)
    big_mean, big = matrix(n, 1), zeros(n)
    for i, release in enumerate(stacked):
        for r in range(D):
            big_mean[D * i + r] = release["mean"][r]
            for k, block in enumerate(release["with"]):
                for c in range(D):
                    big[D * i + r, D * (i + k) + c] = block[r, c]
                    big[D * (i + k) + c, D * i + r] = block[r, c]
    return big_mean, big


def pick(mean, cov, weights):
    n = len(weights) * D
    m = zeros(D, n)
    for j, w in enumerate(weights):
        for i in range(D):
            m[i, D * j + i] = w
    return m * mean, m * cov * m.T


def order_limit(cov1, cov2):
    """Supremum of the orders with order cov2 + (1 - order) cov1 > 0, infinity above 1e8."""
    factor = mp.cholesky(cov1)
    inverse = mp.inverse(factor)
    least = min(mp.eigsy(inverse * (cov2 - cov1) * inverse.T, eigvals_only=True))
    return inf if least > -mpf("1e-8") else -1 / least


def row(q):
    p = {k: [mpf(x) for x in v] if isinstance(v, list) else mpf(v) for k, v in q.items()}
    laws = [chain(p, (p["a1"], p["b1"])), chain(p, (p["a2"], p["b2"]))]
    out = []
    first = next(j for j, t in enumerate(p["times"]) if t >= p["s"])
    last = [mpf(j == first) for j in range(len(p["times"]))]
    mean = [mpf(1) / len(p["times"])] * len(p["times"])
    for weights in (last, None, mean):
        (m1, c1), (m2, c2) = laws if weights is None else [pick(*law, weights) for law in laws]
        out += [renyi(p["alpha"], m1, c1, m2, c2), renyi(p["alpha"], m2, c2, m1, c1)]
        if weights is last:
            limits = [order_limit(c1, c2), order_limit(c2, c1)]
    out += limits
    out = [mpf("1e300") if x == inf else x for x in out]  # stands for infinity
    flat = q["lam"] + q["x0"] + q["xtilde"] + [q[k] for k in ("P", "delta", "sigma", "dim", "gamma", "s")]
    return tuple(flat + q["times"] + q["a1"] + [q["b1"]] + q["a2"] + [q["b2"], q["alpha"]] + out)


def draw(rng):
    def vector(scale):
        return [round(rng.gauss(0, scale), 3) for _ in range(D)]
    return {"lam": [round(rng.uniform(0.1, 3), 3) for _ in range(D)], "x0": vector(1), "xtilde": vector(0.7),
            "P": round(rng.uniform(0.05, 2), 3), "delta": rng.choice([0.0, 0.1, 0.5]),
            "sigma": rng.choice([0.3, 0.6, 1.0, 3.0]), "dim": rng.choice([10.0, 20.0, 100.0]),
            "gamma": rng.choice([0.3, 0.7, 1.5]), "s": rng.choice([0.1, 0.35, 0.7, 0.95]), "times": [0.3, 0.5, 1.1],
            "a1": vector(0.8), "b1": round(rng.gauss(0, 1), 3), "a2": vector(0.8), "b2": round(rng.gauss(0, 1), 3),
            "alpha": rng.choice([1.001, 1.5, 2.0, 4.0, 8.0])}


def settings():
    rng = random.Random(4)
    for _ in range(60):
        yield draw(rng)
    extremes = [
        {"sigma": 1e-4}, {"sigma": 100.0}, {"dim": 1e6, "gamma": 1.0}, {"gamma": 1e-3}, {"lam": [0.0, 1.0, 2.0],
                                                                                         "delta": 0.1},
        {"lam": [1e-6, 1.0, 400.0]}, {"s": 0.0}, {"s": 0.3}, {"s": 1.1}, {"s": 0.30000000001}, {"lam": [1.0, 1.0, 1.0]},
        {"dim": 1.0, "gamma": 1.0, "delta": 1.0}, {"dim": 1.0, "gamma": 1.0, "delta": 2.5}, {"P": 0.0},
    ]
    for change in extremes:
        for _ in range(3):
            yield {**draw(rng), **change}
    for _ in range(3):
        q = draw(rng)
        yield {**q, "a2": [2 * x for x in q["a1"]]}  # parallel
        yield {**q, "a2": list(q["a1"])}  # label only
        yield {**q, "a2": [x + 1e-6 for x in q["a1"]], "b2": q["b1"]}  # almost equal
        yield {**q, "a1": [0.0] * D}


names = ([f"{v}_{i}" for v in ("lambda", "x0", "xtilde") for i in range(D)] +
         ["risk", "delta", "sigma", "dim", "gamma", "s", "t_0", "t_1", "t_2"] + [f"first_{i}" for i in range(D)] +
         ["first_label"] + [f"second_{i}" for i in range(D)] + ["second_label", "renyi_order"])
results = ["last_12", "last_21", "joint_12", "joint_21", "average_12", "average_21", "limit_12", "limit_21"]
rows = [row(q) for q in settings() if all(l + q["delta"] > 0 for l in q["lam"])]
reference_table.write("homogenized/neighbouring_laws.csv", __file__,
                      "Renyi divergence of dense stacked covariances; last: first release at or after s; 1e300: infinite",
                      names + results, rows, len(names))
print(len(rows))

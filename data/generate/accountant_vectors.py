#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Test vectors of the accountant's calculators: data/reference/accountant.json.

The epsilons are those of data/reference/accounting/dp_sgd_truths.csv, computed with 50 digits by inversion; here they
only get the names that people use. GDP parameters and closed forms are added with mpmath. Trade-off functions: closed
forms of the normal law, of one sampled step by the point where its likelihood ratio decides, and of compositions as the
largest 1 - delta(log x) - x a, delta by the inversion of the moment function on a line, numpy and scipy.
"""
import csv
import json
import pathlib

import mpmath as mp
import numpy as np
import scipy.optimize

mp.mp.dps = 40
ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = {"1": ("poisson", "remove"), "2": ("poisson", "add"), "3": ("poisson", "replace-one")}


def gaussian_delta(epsilon, mu):
    return mp.ncdf(-epsilon / mu + mu / 2) - mp.exp(epsilon) * mp.ncdf(-epsilon / mu - mu / 2)


def run(sampling, adjacency, noise, rate, steps):
    return {"sampling": sampling, "adjacency": adjacency,
            "phases": [{"noise_multiplier": noise, "sampling_rate": rate, "steps": steps}]}


def densities(pair, rate, mu):
    """Both laws of a step, as (weight, mean) of normal components."""
    sampled, other = [(1 - rate, 0.0), (rate, mu)], [(1.0, 0.0)]
    return {"remove": (sampled, other), "add": (other, sampled),
            "replace-one": (sampled, [(1 - rate, 0.0), (rate, -mu)])}[pair]


def one_step(pair, rate, mu, a):
    """f(a) of one step: its likelihood ratio is monotone in x, falling for `add`."""
    p, q = densities(pair, rate, mu)
    falls = pair == "add"

    def beyond(law, x):
        return mp.fsum(w * (mp.ncdf(x - m) if falls else mp.ncdf(m - x)) for w, m in law)
    low, high = mp.mpf(-80), mp.mpf(80)
    for _ in range(200):
        x = (low + high) / 2
        if (beyond(q, x) > a) == falls:
            high = x
        else:
            low = x
    return 1 - beyond(p, x)


class Composition:
    """Steps of one kind: delta(e) = (1/2 pi) int M(c + iy)^T e^{-(c+iy) e} / ((c+iy)(c+iy+1)) dy, M(z) = E_P (p/q)^z.

    Trapezoidal sums, which are exact here but for roundings: the integrands are analytic and fall as a normal law.
    """

    def __init__(self, pair, rate, mu, steps, orders=4000):
        self.steps, self.orders = steps, orders
        x = np.arange(-14.0 - mu, 14.0 + 20.0 * mu, 0.01)
        p, q = densities(pair, rate, mu)
        log_p, log_q = (np.log(sum(w * np.exp(m * x - m * m / 2) for w, m in law)) for law in (p, q))
        self.loss = log_p - log_q
        self.weight = np.exp(log_p - x * x / 2) * 0.01 / np.sqrt(2 * np.pi)
        self.tables = {}

    def cumulant(self, c):
        return self.steps * np.log(np.sum(self.weight * np.exp(c * self.loss)))

    def delta(self, epsilon):
        found = scipy.optimize.minimize_scalar(lambda u: self.cumulant(np.exp(u)) - np.exp(u) * epsilon - u
                                               - np.log1p(np.exp(u)), bounds=(-6, 6), method="bounded")
        c = round(float(np.exp(found.x)), 3) + 0.01
        if c not in self.tables:
            step = 1e-3 * c
            second = (self.cumulant(c + step) - 2 * self.cumulant(c) + self.cumulant(c - step)) / step**2
            y = np.arange(self.orders) * (12.0 * np.sqrt(1 / second + c * c) / self.orders * 4)
            f = self.weight * np.exp(c * self.loss)
            moment = np.array([np.sum(f * np.exp(1j * t * self.loss)) for t in y])
            self.tables[c] = (y, moment**self.steps)
        y, power = self.tables[c]
        z = c + 1j * y
        terms = (power * np.exp(-z * epsilon) / (z * (z + 1))).real
        return float((np.sum(terms) - terms[0] / 2) * (y[1] - y[0]) / np.pi)

    def type_two_error(self, a):
        best = scipy.optimize.minimize_scalar(lambda e: self.delta(e) + np.exp(e) * a, bounds=(-3, min(20, -np.log(a))),
                                              method="bounded", options={"xatol": 1e-9})
        return 1 - float(best.fun)


def main():
    rows = list(csv.DictReader((ROOT / "data/reference/accounting/dp_sgd_truths.csv").open()))
    vectors = []

    def add(calculator, inputs, outputs, source, rel):
        vectors.append({"id": f"accountant/{len(vectors)}", "calculator": f"accountant/{calculator}", "source": source,
                        "inputs": inputs, "outputs": outputs, "tolerance": {"rel": rel}})

    source = "inversion with 50 digits, data/reference/accounting/dp_sgd_truths.csv"
    zeroed = {}
    for row in rows:
        rate, mu, count, delta = (float(row[k]) for k in ("sampling_rate", "mu", "count", "delta"))
        epsilon = float(mp.mpf(row["epsilon"]))
        if row["pair"] in NAMES:
            sampling, adjacency = NAMES[row["pair"]]
            inputs = run(sampling, adjacency, 1 / mu, rate, count)
        elif row["pair"] == "0":
            inputs = run("fixed-size", "replace-one", 2 / mu, rate, count)
        else:
            key = (rate, mu, count, delta)
            zeroed.setdefault(key, []).append(epsilon)
            if len(zeroed[key]) < 2:
                continue
            epsilon = max(zeroed[key])
            inputs = run("fixed-size", "zero-out", 1 / mu, rate, count)
        add("epsilon", {**inputs, "delta": delta}, {"epsilon": epsilon}, source, 1e-6)

    closed = "closed form, mpmath 40 digits"
    for sampling, adjacency, factor in (("none", "add-or-remove", 1), ("none", "replace-one", 2),
                                        ("shuffled", "zero-out", 1), ("cyclic", "replace-one", 2)):
        inputs = run(sampling, adjacency, 4.0, 1.0 if sampling == "none" else 0.125, 64)
        mu = mp.sqrt(64 if sampling == "none" else 8) * factor / 4
        add("delta", {**inputs, "epsilon": 1.5}, {"delta": float(gaussian_delta(mp.mpf(1.5), mu))}, closed, 1e-11)
        add("renyi", {**inputs, "order": 7}, {"renyi": float(mp.mpf(7) * mu**2 / 2)}, closed, 1e-13)
    for adjacency in ("add-or-remove", "replace-one"):
        add("mu", {**run("poisson", adjacency, 2.0, 0.05, 100), "delta_floor": 1e-6}, {"mu": 5.0},
            "sqrt(T)/Z: docs/theory/accountant/gdp.md", 1e-13)
    for noise, steps, adjacency in ((4.0, 16, "add-or-remove"), (0.7, 1, "replace-one"), (30.0, 900, "zero-out")):
        mu = mp.sqrt(steps) * (2 if adjacency == "replace-one" else 1) / mp.mpf(noise)
        for a in (1e-12, 1e-3, 0.25, 0.9):
            f = mp.ncdf(-mu - mp.sqrt(2) * mp.erfinv(2 * mp.mpf(a) - 1))
            add("tradeoff", {**run("none", adjacency, noise, 1.0, steps), "alpha": a},
                {"f": float(f), "f_upper": float(f)}, closed, 1e-11)
    for noise, rate in ((1.0, 0.3), (0.5, 0.01), (3.0, 0.9)):
        for adjacency in ("remove", "add", "replace-one"):
            for a in (1e-4, 0.05, 0.6):
                f = float(one_step(adjacency, rate, 1 / noise, mp.mpf(a)))
                add("tradeoff", {**run("poisson", adjacency, noise, rate, 1), "alpha": a}, {"f": f, "f_upper": f},
                    "the point where the likelihood ratio of one step decides, mpmath 40 digits", 2e-7)
    for noise, rate, steps in ((1.0, 0.3, 10), (1.0, 0.01, 1000), (2.0, 0.05, 400)):
        for adjacency in ("remove", "add", "replace-one"):
            steps_of = Composition(adjacency, rate, 1 / noise, steps)
            for a in (1e-3, 0.1):
                f = steps_of.type_two_error(a)
                add("tradeoff", {**run("poisson", adjacency, noise, rate, steps), "alpha": a}, {"f": f, "f_upper": f},
                    "largest 1 - delta - x a, delta by inversion of the moment function, numpy", 2e-6)
    text = "[\n" + ",\n".join(" " + json.dumps(v) for v in vectors) + "\n]\n"
    (ROOT / "data/reference/accountant.json").write_text(text)
    print(len(vectors), "vectors")


if __name__ == "__main__":
    main()

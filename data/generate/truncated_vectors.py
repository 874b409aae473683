#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Test vectors of Poisson batches cut at a largest size, by the others that are kept: data/reference/truncated.json.

The laws of each label are written down from counts that are enumerated, and delta is the contour integral of the
moments to the power of the steps, in numpy, trapezoidal sums on either axis; one step is integrated directly by mpmath.
"""
import json
import pathlib
from math import comb

import mpmath as mp
import numpy as np

TARGET = pathlib.Path(__file__).resolve().parents[2] / "data/reference/truncated.json"
TAU = 2.0 * np.pi


def binomial(n, p, k):
    return comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else 0.0


def kept(n, k, p, largest):
    """P(m of the others and x of the owner's are kept), by enumeration of who is drawn."""
    law = {}
    for others in range(n - k + 1):
        for own in range(k + 1):
            chance = binomial(n - k, p, others) * binomial(k, p, own)
            if others + own <= largest:
                law[others, own] = law.get((others, own), 0.0) + chance
                continue
            for x in range(max(0, largest - others), min(own, largest) + 1):
                m = largest - x
                share = comb(own, x) * comb(others, m) / comb(own + others, largest)
                law[m, x] = law.get((m, x), 0.0) + chance * share
    return law


def labels(n, k, p, largest, adjacency, share=1.0):
    """For each label the masses of the means of either law."""
    law = kept(n, k, p, largest)
    without = {m: binomial(n - k, p, m) for m in range(largest)}
    without[largest] = sum(binomial(n - k, p, m) for m in range(largest, n - k + 1))
    pairs = []
    for m, chance in without.items():
        alternative = {}
        for (at, x), mass in law.items():
            if at != m:
                continue
            displaced = max(0.0, mass - chance * binomial(k, p, x)) if share < 1.0 and m + x == largest and x else 0.0
            alternative[float(x)] = alternative.get(float(x), 0.0) + mass - (1.0 - share) * displaced
        if share < 1.0 and m == largest:  # one record: the rest beside the batch with the displaced one
            rest = (1.0 - share) * (law[largest - 1, 1] - without[largest - 1] * p)
            alternative[2.0] = alternative.get(2.0, 0.0) + rest
        if adjacency == "presence":
            null = {0.0: chance}
        elif adjacency == "zero-out":
            null = {0.0: sum(alternative.values())}
        else:
            null = {-x: mass for x, mass in alternative.items()}
        pairs.append((alternative, null))
    return pairs


def shares(n, p, largest, mu):
    """Those of least mean square of the ratio, of least mean variance given the label, and half way between; one
    record is added or removed. Both are parabolas in the share, seen at three points. In 1024ths."""
    def least(values):
        second = 2.0 * (values[0] - 2.0 * values[1] + values[2])
        first = values[2] - values[0] - second
        return -first / (2.0 * second)
    squares, variances = [], []
    for share in (0.0, 0.5, 1.0):
        square, variance = 0.0, 0.0
        for alternative, null in labels(n, 1, p, largest, "presence", share):
            part = sum(a * b * np.exp(x * y * mu * mu) for x, a in alternative.items()
                       for y, b in alternative.items()) / null[0.0]
            square += part
            variance += part - sum(alternative.values()) ** 2 / null[0.0]
        squares.append(square)
        variances.append(variance)
    found = [least(squares), least(variances)]
    rounded = [np.floor(1024.0 * s) / 1024.0 for s in (found[0], 0.5 * (found[0] + found[1]), found[1])]
    return [float(s) for s in rounded if 0.0 < s < 1.0]


def attained(n, k, p, largest, adjacency):
    """All other gradients 0: how many of the owner's are kept."""
    alternative = {}
    for (_, x), mass in kept(n, k, p, largest).items():
        alternative[float(x)] = alternative.get(float(x), 0.0) + mass
    null = {-x: mass for x, mass in alternative.items()} if adjacency == "replace-one" else {0.0: 1.0}
    return [(alternative, null)]


def delta_of_one_step(pairs, mu, epsilon):
    mp.mp.dps = 30
    a = mp.exp(epsilon)
    total = mp.mpf(0)
    for alternative, null in pairs:
        def excess(x):
            def density(law):
                return mp.fsum(mass * mp.npdf(x - mean * mu) for mean, mass in law.items() if mass > 0)
            return density(alternative) - a * density(null)
        grid = [mp.mpf(i) / 8 for i in range(-14 * 8, 22 * 8)]
        values = [excess(x) for x in grid]
        cuts = [grid[0]]
        for left, right, f, g in zip(grid, grid[1:], values, values[1:]):
            if f * g < 0:
                cuts.append(mp.findroot(excess, (left, right), solver="anderson", tol=1e-28))
        cuts.append(grid[-1])
        for left, right in zip(cuts, cuts[1:]):
            if excess((left + right) / 2) > 0:
                total += mp.fsum(mass * (mp.ncdf(right - mean * mu) - mp.ncdf(left - mean * mu))
                                 for mean, mass in alternative.items())
                total -= a * mp.fsum(mass * (mp.ncdf(right - mean * mu) - mp.ncdf(left - mean * mu))
                                     for mean, mass in null.items())
    return float(total)


class Moments:
    """M(z) of one step, on nodes so fine that the trapezoidal sum has all digits."""

    def __init__(self, pairs, mu, reverse):
        x = np.arange(-24.0, 36.0, 1.0 / 64.0)
        self.weight, self.loss = [], []
        for alternative, null in pairs:
            logs = []
            for law in (null, alternative) if reverse else (alternative, null):
                parts = [np.log(mass) - 0.5 * (x - mean * mu) ** 2 for mean, mass in law.items() if mass > 0.0]
                logs.append(np.logaddexp.reduce(parts) - 0.5 * np.log(TAU))
            self.weight.append(logs[0] + np.log(1.0 / 64.0))
            self.loss.append(logs[0] - logs[1])
        self.weight, self.loss = np.concatenate(self.weight), np.concatenate(self.loss)

    def log_at(self, c):
        return np.logaddexp.reduce(self.weight + c * self.loss)

    def __call__(self, z):
        top = self.log_at(z.real[0])
        scaled = np.exp(self.weight + z.real[0] * self.loss - top)
        return np.array([np.sum(scaled * np.exp(1j * y * self.loss)) for y in z.imag]), top


def delta_of_steps(pairs, mu, epsilon, steps, reverse):
    moments = Moments(pairs, mu, reverse)
    orders = np.exp(np.linspace(np.log(0.05), np.log(60.0), 400))
    heights = [steps * moments.log_at(c) - c * epsilon - np.log(c * (c + 1.0)) for c in orders]
    c = float(orders[int(np.argmin(heights))])
    h = 2.0 * np.pi * c / 45.0
    total, j = 0.0, 0
    while True:
        z = c + 1j * h * np.arange(j, j + 256)
        value, top = moments(z)
        log_value = steps * np.log(value) + steps * top - z * epsilon - np.log(z) - np.log(z + 1.0)
        terms = np.exp(log_value)
        if j == 0:
            terms[0] *= 0.5
        total += float(np.sum(terms.real))
        j += 256
        if np.max(np.abs(terms[-16:])) < 1e-12 * abs(total) or j > 40000:
            break
    return total * h / np.pi


def main():
    vectors = []

    def add(n, k, p, largest, noise, steps, adjacency, epsilon):
        mu = 1.0 / noise
        reverse = adjacency == "add"
        kind = "presence" if adjacency in ("add", "remove") else adjacency
        candidates = [labels(n, k, p, largest, kind)]
        if k == 1 and kind == "presence":
            candidates += [labels(n, k, p, largest, kind, share) for share in shares(n, p, largest, mu)]

        def delta(pairs):
            if steps == 1:
                turned = [(null, alternative) for alternative, null in pairs] if reverse else pairs
                return delta_of_one_step(turned, mu, epsilon)
            return delta_of_steps(pairs, mu, epsilon, steps, reverse)

        upper, lower = min(map(delta, candidates)), delta(attained(n, k, p, largest, kind))
        if kind == "zero-out":  # the larger of both directions
            turned = [[(b, a) for a, b in pairs] for pairs in (*candidates, attained(n, k, p, largest, kind))]
            other = [delta_of_one_step(pairs, mu, epsilon) if steps == 1
                     else delta_of_steps([(b, a) for a, b in pairs], mu, epsilon, steps, True) for pairs in turned]
            upper, lower = max(upper, other[0]), max(lower, other[1])
        inputs = {"sampling": "truncated-poisson", "adjacency": adjacency, "group_size": k, "records": n,
                  "largest_batch": largest, "epsilon": epsilon,
                  "phases": [{"noise_multiplier": noise, "sampling_rate": p, "steps": steps}]}
        vectors.append({"id": f"truncated/{len(vectors)}", "calculator": "accountant/truncated-by-others",
                        "source": "counts enumerated; one step integrated by mpmath with 30 digits, several by the "
                                  "contour integral of the moments in numpy",
                        "inputs": inputs, "outputs": {"delta": upper, "delta_lower": lower},
                        "tolerance": {"rel": 2e-6}})
        print(inputs, upper, lower, flush=True)

    add(4, 1, 0.5, 2, 1.0, 1, "remove", 0.5)
    add(4, 1, 0.5, 2, 1.0, 1, "add", 0.25)
    add(4, 2, 0.5, 2, 1.0, 1, "remove", 0.5)
    add(20, 1, 0.2, 5, 1.0, 5, "remove", 1.0)
    add(20, 1, 0.2, 5, 1.0, 5, "add", 0.5)
    add(60, 1, 0.1, 8, 2.0, 200, "remove", 2.0)
    add(60, 2, 0.1, 8, 2.0, 200, "remove", 4.0)
    add(60, 2, 0.1, 8, 2.0, 200, "add", 4.0)
    add(60, 2, 0.1, 8, 2.0, 200, "replace-one", 8.0)
    add(60, 3, 0.1, 8, 2.0, 50, "zero-out", 3.0)
    add(30, 2, 0.1, 5, 1.0, 1, "zero-out", 1.0)
    add(30, 2, 0.1, 5, 1.0, 1, "replace-one", 1.0)
    TARGET.write_text(json.dumps(vectors, indent=1) + "\n")


main()

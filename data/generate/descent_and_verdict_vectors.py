#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Test vectors of data/reference/descent-and-verdict.json.

The bound of a descent step in exact fractions; it is held against real steps of least squares with noise, whose loss
it has to exceed. The verdicts in exact decimals, by their table: docs/guide/referee.md.
"""
import decimal
import fractions
import json
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parents[2]
decimal.getcontext().prec = 60


def descent_bound(given):
    v = {k: fractions.Fraction(x) for k, x in given.items()}
    return float(4 * v["LS_star"] + fractions.Fraction(3, 2) * (v["dist_before_sq"] - v["dist_after_sq"]) / v["eta"] +
                 6 * v["eta"] * (v["D_sq"] + v["c_priv"]**2 * v["Z_sq"]) - 3 * v["cross"])


def real_step(seed):
    """One noisy step of w from half the mean of (x_i w - y_i)^2 in one dimension: linear, so that H = 0."""
    draw = random.Random(seed)
    xs, ys = ([draw.gauss(0, 1) for _ in range(8)] for _ in range(2))
    w, star, noise, z = draw.gauss(0, 2), draw.gauss(0, 1), draw.choice([0.0, 0.3, 2.0]), draw.gauss(0, 1)

    def loss(at):
        return sum((x * at - y)**2 for x, y in zip(xs, ys)) / 16

    def gradient(at, of):
        return sum(xs[i] * (xs[i] * at - ys[i]) for i in of) / len(of)
    # a square loss is beta-smooth in the prediction with beta = 1, and its gradient bound holds times |x|^2
    beta = max(x * x for x in xs)
    eta = draw.choice([0.01, 0.05]) / beta
    batch = [draw.randrange(8) for _ in range(3)]
    off = gradient(w, batch) - gradient(w, range(8))
    after = w - eta * (gradient(w, batch) + noise * z)
    given = {"eta": eta, "c_priv": noise, "LS_star": loss(star), "dist_before_sq": (w - star)**2,
             "dist_after_sq": (after - star)**2, "D_sq": off * off, "Z_sq": z * z,
             "cross": (off + noise * z) * (w - star), "beta": beta}
    assert loss(w) <= descent_bound({k: v for k, v in given.items() if k != "beta"})
    return given


def verdict(claimed, lower, upper, digits=None, exact=True, loose=0.01):
    c, lo, up = (decimal.Decimal(x) for x in (claimed, lower, upper))
    ratio = float(c / up)
    if c >= up:
        return ("correct" if c <= (1 + decimal.Decimal(loose)) * up else "loose"), ratio
    if c >= lo:
        return "undecided", ratio
    if not exact:
        return "not comparable", ratio
    if digits is not None and c > 0:
        unit = decimal.Decimal(10)**(c.adjusted() - digits + 1)
        if lo - c <= unit / 2:
            return "rounded down", ratio
    return "too small", ratio


def main():
    vectors = []

    def add(calculator, inputs, outputs, source, rel):
        vectors.append({"id": f"descent-and-verdict/{len(vectors)}", "calculator": calculator, "source": source,
                        "inputs": inputs, "outputs": outputs, "tolerance": {"rel": rel}})

    for seed in range(6):
        given = real_step(seed)
        add("kan-correlated-noise/descent-step-bound", given,
            {"value": descent_bound({k: v for k, v in given.items() if k != "beta"})},
            "Lemma D.11 in exact fractions, along a step of noisy least squares whose loss it exceeds", 1e-12)
    for claimed, lower, upper, more in (
            (6.6, 6.7670440, 6.7670441, {}), (6.8, 6.7670440, 6.7670441, {}), (74.9, 2.2399657, 2.2399658, {}),
            (6.77, 6.7670440, 6.7670441, {"digits": 3}), (6.76, 6.7670440, 6.7670441, {"digits": 3}),
            (6.765, 6.7670440, 6.7670441, {"digits": 4}), (7.0, 6.7670440, 6.7670441, {"loose": 0.05}),
            (2.39, 2.5, 54.7, {}), (2.6, 2.5, 54.7, {}), (2.39, 2.5, 54.7, {"exact": False}),
            (54.7, 2.5, 54.7, {}), (9.66, 9.6649, 9.665, {"digits": 3}), (9.66, 9.6651, 9.6652, {"digits": 3}),
            (1e-300, 2e-300, 3e-300, {}), (0.0, 0.25, 0.5, {"digits": 1})):
        word, ratio = verdict(claimed, lower, upper, **more)
        add("referee/verdict", {"claimed": claimed, "lower": lower, "upper": upper, **more},
            {"verdict": word, "ratio": ratio}, "the table of verdicts in decimals of 60 digits", 1e-14)
    text = "[\n" + ",\n".join(" " + json.dumps(v) for v in vectors) + "\n]\n"
    (ROOT / "data/reference/descent-and-verdict.json").write_text(text)
    print(len(vectors), "vectors")


if __name__ == "__main__":
    main()

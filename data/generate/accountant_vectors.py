#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Test vectors of the accountant's calculators: data/reference/accountant.json.

The epsilons are those of data/reference/accounting/dp_sgd_truths.csv, computed with 50 digits by inversion; here they
only get the names that people use. GDP parameters and closed forms are added with mpmath.
"""
import csv
import json
import pathlib

import mpmath as mp

mp.mp.dps = 40
ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = {"1": ("poisson", "remove"), "2": ("poisson", "add"), "3": ("poisson", "replace-one")}


def gaussian_delta(epsilon, mu):
    return mp.ncdf(-epsilon / mu + mu / 2) - mp.exp(epsilon) * mp.ncdf(-epsilon / mu - mu / 2)


def run(sampling, adjacency, noise, rate, steps):
    return {"sampling": sampling, "adjacency": adjacency,
            "phases": [{"noise_multiplier": noise, "sampling_rate": rate, "steps": steps}]}


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
    text = "[\n" + ",\n".join(" " + json.dumps(v) for v in vectors) + "\n]\n"
    (ROOT / "data/reference/accountant.json").write_text(text)
    print(len(vectors), "vectors")


if __name__ == "__main__":
    main()

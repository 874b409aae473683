#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Test vectors of the mechanisms beside the Gaussian step: data/reference/mechanisms.json.

Deltas of one release are sums over what it publishes, with 40 digits; compositions of finite ones are sums over all
outcomes.
"""
import itertools
import json
import pathlib

import mpmath as mp

mp.mp.dps = 40
TARGET = pathlib.Path(__file__).resolve().parents[2] / "data/reference/mechanisms.json"
vectors = []


def positive(value):
    return value if value > 0 else mp.mpf(0)


def add(component, epsilon, delta, rel=1e-9, direction="both"):
    delta = float(delta)
    vectors.append({"id": f"mechanisms/{len(vectors)}", "calculator": "accountant/mechanisms",
                    "source": "sums over the outcomes, mpmath 40 digits",
                    "inputs": {"components": [component], "epsilon": epsilon, "direction": direction},
                    "outputs": {"delta": delta, "delta_lower": delta}, "tolerance": {"rel": rel, "abs": 1e-300}})


def discrete(law, shift, epsilon, reach):
    x = mp.exp(epsilon)
    return mp.fsum(positive(law(k) - x * law(k - shift)) for k in range(-reach, reach + shift + 1))


def main():
    for epsilon, at, categories in ((1, 0.5, 2), (1, -0.5, 2), (2.5, 1, 10), (0, 0.1, 2), (50, 49, 2), (700, 20, 3)):
        e, x = mp.exp(epsilon), mp.exp(mp.mpf(at))
        yes, no = e / (e + categories - 1), 1 / (e + categories - 1)
        add({"kind": "randomized-response", "epsilon": epsilon, "categories": categories}, at,
            positive(yes - x * no) + positive(no - x * yes) + (categories - 2) * positive(no - x * no))
    for scale, at in ((0.125, 4), (1, 0.5), (1, 1.5), (16, 0.03125)):
        add({"kind": "laplace", "noise": scale}, at, positive(-mp.expm1((at - 1 / mp.mpf(scale)) / 2)))
    for scale, shift, at in ((1, 1, 0.5), (3, 2, 0.25), (0.5, 5, 7), (20, 1, -0.01)):
        a = mp.exp(-1 / mp.mpf(scale))
        add({"kind": "discrete-laplace", "noise": scale, "sensitivity": shift}, at,
            discrete(lambda k: (1 - a) / (1 + a) * a ** abs(k), shift, mp.mpf(at), int(100 * scale) + 100))
    for scale, shift, at in ((1, 1, 1), (4, 2, 0.5), (0.5, 1, 3), (6, 1, 0)):
        def weight(k):
            return mp.exp(-mp.mpf(k) ** 2 / (2 * mp.mpf(scale) ** 2))
        total = mp.fsum(weight(k) for k in range(-int(20 * scale) - 20, int(20 * scale) + 21))
        add({"kind": "discrete-gaussian", "noise": scale, "sensitivity": shift}, at,
            discrete(weight, shift, mp.mpf(at), int(20 * scale) + 20) / total, 1e-8)
    for epsilon, delta, at in ((1, 1e-6, 0.5), (1, 0, 1.5), (0, 0.25, 0.5), (50, 0.25, 49), (3, 1, 1), (700, 0, 10)):
        e, x = mp.exp(epsilon), mp.exp(mp.mpf(at))
        component = {"kind": "approximate", "epsilon": epsilon, "delta": delta} if delta else {"kind": "pure",
                                                                                                "epsilon": epsilon}
        add(component, at, delta + (1 - mp.mpf(delta)) * positive((e - x) / (1 + e)))
    # three answers; a record that is seen with a chance; hidden by nothing; not asked
    e = mp.exp(mp.mpf(0.5))
    p = [e / (1 + e), 1 / (1 + e)]
    add({"kind": "randomized-response", "epsilon": 0.5, "count": 3}, 1,
        mp.fsum(positive(p[a] * p[b] * p[c] - mp.e * p[1 - a] * p[1 - b] * p[1 - c])
                for a, b, c in itertools.product((0, 1), repeat=3)))
    x = 1 + (mp.exp(mp.mpf(0.25)) - 1) / mp.mpf(0.125)
    add({"kind": "laplace", "noise": 0.25, "sampling_rate": 0.125}, 0.25,
        mp.mpf(0.125) * positive(-mp.expm1((mp.log(x) - 4) / 2)), direction="remove")
    add({"kind": "laplace", "noise": 0.25, "sampling_rate": 0}, 0.25, 0)
    add({"kind": "gaussian", "noise": 0}, 3, 1)
    add({"kind": "gaussian", "noise": 1, "count": 0}, 0, 0)
    mu = mp.mpf(1.5)
    add({"kind": "gdp", "mu": 1.5}, 1, mp.ncdf(-1 / mu + mu / 2) - mp.e * mp.ncdf(-1 / mu - mu / 2), 1e-7)
    add({"kind": "losses", "losses": [1, 0, -1], "masses": [0.5, 0.25, 0.125]}, 0.5,
        mp.mpf(0.125) + mp.mpf(0.5) * (1 - mp.exp(mp.mpf(-0.5))), direction="remove")
    # noise 0: a record is seen in one of five batches, or in none
    seen = 1 - mp.mpf(0.875) ** 5
    vectors.append({"id": f"mechanisms/{len(vectors)}", "calculator": "accountant/delta", "source": "closed form",
                    "inputs": {"sampling": "poisson", "adjacency": "remove", "epsilon": 1,
                               "phases": [{"noise_multiplier": 0, "sampling_rate": 0.125, "steps": 5}]},
                    "outputs": {"delta": float(seen), "delta_lower": float(seen)}, "tolerance": {"rel": 1e-12}})
    TARGET.write_text("[\n" + ",\n".join(json.dumps(v) for v in vectors) + "\n]\n")
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()

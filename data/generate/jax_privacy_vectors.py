#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the tests of jax_privacy for strategies of correlated noise: data/reference/jax-privacy.json.

    PYTHONPATH=CHECKOUT python data/generate/jax_privacy_vectors.py

CHECKOUT holds google-deepmind/jax_privacy at the commit below, which has more than version 2.0.0 of the registry.

Every vector is one comparison of a test of its folder tests/matrix_factorization, by name: its own function at the
inputs of the test, in double precision, with the test's tolerance for squares (halved for their roots). What its tests
bound or search for, and its accounting, is in tools/python/tests/test_jax_privacy.py.
"""
import json
import math
import pathlib

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

from jax_privacy.matrix_factorization import (  # noqa: E402
    banded, buffered_toeplitz as blt, dense, sensitivity as sens, streaming_matrix, toeplitz)

VERSION = "at 8967688c26d4 (2026-08-20)"
TARGET = pathlib.Path(__file__).resolve().parents[2] / "data/reference/jax-privacy.json"
NAMED = [("single", [7.3], 3), ("full", [1, 0.5, 0.2], 3), ("longer", [1, 0.7, 2.0], 4),
         ("negative", [1, 0.0, -0.2], 5), ("n=25", list(np.linspace(1, 0.001, num=25)), 25),
         ("no n", list(np.linspace(0.5, 2.0, num=11)), 11)]
BUFFERS = [([0.99], [0.1]), ([0.9, 0.5, 0.001], [0.1, 0.2, 0.5]), ([0.001], [0.5]), ([1.0], [0.001]),
           ([1.0, 1 - 1e-9, 0.99, 0.1], [1e-6, 1e-5, 1e-3, 1e-2]),
           ([0.99999999, 0.77422499, 0.54944999, 0.32467499, 0.09989999],
            [0.00999262, 0.00999992, 0.00999996, 0.00999997, 0.00999998]),
           ([0.9, 0.9 - 1e-6], [0.1, 0.1]), ([0.9, 0.9 - 1e-11], [0.1, 0.1]), ([1 - 1e-11, 0.8], [0.1, 0.1])]

vectors = []


def add(calculator, test, inputs, outputs, rel, absolute=0.0):
    vectors.append({"id": f"jax-privacy/{len(vectors)}", "calculator": f"kan-correlated-noise/{calculator}",
                    "source": f"jax_privacy {VERSION}, {test}", "inputs": inputs, "outputs": outputs,
                    "tolerance": {"rel": rel, **({"abs": absolute} if absolute else {})}})


def rule(steps, separation, most):
    """Minimum separation with as many participations as fit, or `most`."""
    return {"T": steps, "participation": "min-separation", "b": separation, "k": steps if most is None else most}


def root(square):
    return math.sqrt(float(square))


def both(square):
    return {"sensitivity": {"lower": root(square), "upper": root(square)}}


def numbers(values):
    return [float(v) for v in values]


def toeplitz_sensitivities():
    test = "toeplitz_test.test_sensitivity_squared_"
    for n in (1, 2, 3, 5, 11):
        for k in (1, 4, 11):
            for name, coefficients in (("identity", [1.0]), ("tri", [1.0] * n)):
                square = toeplitz.minsep_sensitivity_squared(coefficients, n=n, min_sep=1, max_participations=k)
                add("participation-sensitivity", test + name, {**rule(n, 1, k), "coefficients": coefficients},
                    {**both(square), "exact": True}, 0.5e-7)
    for n, epochs in ((1, 1), (2, 1), (2, 2), (10, 1), (10, 5), (10, 10)):
        for bands in (2, 13, 10, 11):
            c = np.linspace(1.0, 0.001, num=bands)
            matrix = toeplitz.materialize_lower_triangular(c, n=n)
            expected = sens.fixed_epoch_sensitivity(matrix, epochs) ** 2
            for kind in ("cyclic", "min-separation"):
                add("participation-sensitivity", test + "fixed_epoch",
                    {**rule(n, n // epochs, epochs), "participation": kind, "coefficients": numbers(c)},
                    both(expected), 0.5e-7, 0.5e-6)
    for n in (1, 5, 50):
        for k in (1, 2, 5, 50):
            c = np.sqrt(np.linspace(1.0, 0.001, num=n))
            matrix = np.asarray(toeplitz.materialize_lower_triangular(c))
            add("participation-sensitivity", test + "min_sep_one", {**rule(n, 1, k), "coefficients": numbers(c)},
                both(np.linalg.norm(np.sum(matrix[:, :k], axis=1)) ** 2), 0.5e-10)


def matrix_sensitivities():
    """Of matrices by their rows. A column and its negative are the same to a sensitivity: the diagonal is positive."""
    def rows(matrix):
        m = np.asarray(matrix, dtype=float)
        m = m * np.where(np.diag(m) < 0, -1.0, 1.0)
        return [numbers(m[t, :t + 1]) for t in range(len(m))]

    def one(test, matrix, separation, most, value, kind="min-separation"):
        r = rows(matrix)
        add("participation-sensitivity", f"sensitivity_test.{test}",
            {**rule(len(r), separation, most), "participation": kind, "rows": r}, both(float(value) ** 2), 1e-7, 1e-5)

    plain = np.array([[1.0, 0, 0, 0], [2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 3, -6]])
    one("test_single_participation_sensitivity", plain, 1, 1, sens.single_participation_sensitivity(plain), "single")
    one("test_single_participation_sensitivity", plain[:3, :3], 1, 1,
        sens.single_participation_sensitivity(plain[:3, :3]), "single")
    one("test_single_participation_sensitivity", [[3]], 1, 1,
        sens.single_participation_sensitivity(np.array([[3]])), "single")
    cut = np.array([[1.0, 0, 0, 0], [2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, -6]])
    one("test_banded", cut, 2, 1, sens.get_sensitivity_banded(cut, min_sep=2, max_participations=1))
    for separation in (2, 3):
        one("test_banded", cut, separation, None, sens.get_sensitivity_banded(cut, min_sep=separation))
    for n in (1, 2, 5, 10):
        one("test_min_sep_n", np.tri(n), n, None, sens.get_sensitivity_banded(np.tri(n), min_sep=n))
    for epochs in (1, 2, 4, 8, 16):
        one("test_identity", np.eye(16), 16 // epochs, epochs,
            sens.fixed_epoch_sensitivity(np.eye(16), epochs=epochs), "cyclic")
    drawn = np.asarray(jax.random.normal(jax.random.PRNGKey(321), (6, 6))) * np.tri(6)
    one("test_single_participation", drawn, 6, 1, sens.fixed_epoch_sensitivity(drawn, epochs=1), "cyclic")
    drawn = np.abs(np.asarray(jax.random.normal(jax.random.PRNGKey(456), (16, 16)))) * np.tri(16)
    one("test_full_participation", drawn, 1, 16, sens.fixed_epoch_sensitivity(drawn, epochs=16), "cyclic")
    normalised = banded.ColumnNormalizedBanded.default(32, bands=4)
    for most in (None, 6):
        r = rows(normalised.materialize())
        add("participation-sensitivity", "banded_test.test_minsep_sensitivity_squared",
            {**rule(32, 4, most), "rows": r},
            {**both(banded.minsep_sensitivity_squared(normalised, 4, most)), "column_norms": [1.0] * 32}, 1e-14)


def errors():
    test = "toeplitz_test.test_per_query_error"
    for name, c, n in NAMED:
        for workload in (None, [1.0], [1, 0.9, 0.5, 0.1], list(np.linspace(0.99, 0.1, num=n + 5))):
            sums = None if workload is None else np.array(workload)
            per_query = np.asarray(
                toeplitz.per_query_error(strategy_coef=np.array(c, dtype=float), n=n, workload_coef=sums))
            inputs = {"T": n, "strategy": "toeplitz", "coefficients": numbers(c)}
            if workload is not None:
                inputs["workload"] = numbers(workload[:n])
            add("strategy-error", f"{test} ({name})", inputs,
                {"mean": root(per_query.mean()), "maximum": root(per_query.max()), "last": root(per_query[-1])}, 0.5e-7)
    for n in range(1, 9):
        c = [1.0, 0.4, 0.3, 0.1]
        square = toeplitz.sensitivity_squared(np.array(c), n)
        mean = toeplitz.loss(strategy_coef=np.array(c), n=n) / square
        add("strategy-error", "toeplitz_test.test_mean_loss", {"T": n, "strategy": "toeplitz", "coefficients": c},
            {**both(square), "mean": root(mean)}, 0.5e-7)
    for n in (1, 2, 10, 100):
        c = toeplitz.optimal_max_error_strategy_coefs(n)
        square = toeplitz.sensitivity_squared(c, n)
        add("strategy-error", "toeplitz_test.test_fhu_coefs", {"T": n, "strategy": "bsr", "p": n},
            {**both(square), "maximum": root(toeplitz.per_query_error(strategy_coef=c, n=n).max())}, 1e-6)
    identity = banded.per_query_error(banded.ColumnNormalizedBanded.default(9, 1), streaming_matrix.prefix_sum())
    add("strategy-error", "banded_test.test_implicit_error", {"T": 9, "strategy": "identity"},
        {"mean": root(identity.mean())}, 1e-14)
    small = dense.per_query_error(strategy_matrix=np.array([[1, 0], [0.5, 1]]), workload_matrix=np.tri(2))
    add("strategy-error", "dense_test.test_error", {"T": 2, "strategy": "toeplitz", "coefficients": [1, 0.5]},
        {"mean": root(small.mean()), "maximum": root(small.max())}, 0.5e-6)


def banded_inverses():
    n, bands = 128, 8
    noising = toeplitz.banded_inverse_square_root_noising_coefs(bands)
    decay = toeplitz.multiply(np.ones(n), 0.9 ** np.arange(n), n=n)
    for k in (1, 2, 4, 8, 16):
        square = toeplitz.compute_banded_inverse_sensitivity_squared(
            n=n, noising_coef=noising, min_sep=n // k, max_participations=k)
        for workload in (None, decay):
            per_query = np.asarray(toeplitz.per_query_error(noising_coef=noising, n=n, workload_coef=workload))
            inputs = {**rule(n, n // k, k), "strategy": "bisr", "p": bands}
            if workload is not None:
                inputs["workload"] = numbers(workload)
            add("strategy-error", "toeplitz_test.test_banded_inverse_sensitivity_squared_matches_toeplitz", inputs,
                {**both(square), "mean": root(per_query.mean())}, 0.5e-7, 0.5e-6)


def buffers():
    for theta, omega in BUFFERS:
        matrix = blt.BufferedToeplitz.build(buf_decay=theta, output_scale=omega)
        for n in (1, 2, 10):
            add("strategy-error", "buffered_toeplitz_test.test_sensitivity",
                {"T": n, "strategy": "blt", "theta": theta, "omega": omega},
                both(blt.sensitivity_squared(matrix, n)), 0.5e-7, 0.5e-7)
        for n in (1, 7, 50):
            square = float(toeplitz.sensitivity_squared(matrix.toeplitz_coefs(n)))
            add("strategy-error", "buffered_toeplitz_test.test_max_iter_loss",
                {"T": n, "strategy": "blt", "theta": theta, "omega": omega},
                {"maximum": root(float(blt.max_loss(matrix, n)) / square)}, 0.5e-7, 0.5e-7)
    matrix = blt.get_init_blt(num_buffers=2)
    for n in (1, 2, 11, 100):
        for separation in (1, 2, 10, 11):
            for most in (1, 2, None):
                c = matrix.toeplitz_coefs(n)
                square = toeplitz.minsep_sensitivity_squared(c, min_sep=separation, n=n, max_participations=most)
                function = blt.LossFn.build_min_sep(n=n, min_sep=separation, max_participations=most, error="max")
                loss = function.loss(matrix)
                add("strategy-error", "buffered_toeplitz_test.test_min_sep_loss",
                    {**rule(n, separation, most), "strategy": "blt", "theta": numbers(matrix.buf_decay),
                     "omega": numbers(matrix.output_scale)},
                    {**both(square), "maximum": root(float(loss) / float(square))}, 0.5e-7, 0.5e-7)


def main():
    toeplitz_sensitivities()
    matrix_sensitivities()
    errors()
    banded_inverses()
    buffers()
    TARGET.write_text("[\n" + ",\n".join(json.dumps(v) for v in vectors) + "\n]\n")
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()

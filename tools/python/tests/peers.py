# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Accountants of other packages on one set of settings in one run: the section "Peers" of docs/benchmarks.md.

    python tools/python/tests/peers.py [PACKAGE...]

A package that is not installed is left out and named. Processor time is the least of three, with nothing kept between
them; the error is against our bracket, whose ends agree to ten digits.
"""

import importlib.metadata
import importlib.util
import pathlib
import platform
import sys
import time

import dpcurves
import numpy as np

SETTINGS = [  # noise multiplier, sampling rate, steps, delta
    (1.1, 256 / 60000, 14063, 1e-5),
    (0.8, 0.001, 10000, 1e-6),
    (2.0, 0.02, 1000, 1e-7),
    (5.0, 0.1, 500, 1e-5),
]


def ours(z, q, t, delta):
    return float(dpcurves.DpSgd(z, q, t).epsilon(delta))


def dp_accounting(kind):
    from dp_accounting import dp_event, pld, rdp

    accountant = {"PLD": pld.PLDAccountant, "RDP": rdp.RdpAccountant}[kind]

    def epsilon(z, q, t, delta):
        step = dp_event.PoissonSampledDpEvent(q, dp_event.GaussianDpEvent(z))
        return accountant().compose(dp_event.SelfComposedDpEvent(step, t)).get_epsilon(delta)

    return epsilon


def prv(z, q, t, delta):
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    mechanism = PoissonSubsampledGaussianMechanism(sampling_probability=q, noise_multiplier=z)
    found = PRVAccountant(
        prvs=mechanism, max_self_compositions=t, eps_error=0.01, delta_error=delta / 1000
    ).compute_epsilon(delta=delta, num_self_compositions=t)
    return found[2]


def riskcal(z, q, t, delta):
    from riskcal.accountants import CTDAccountant

    accountant = CTDAccountant()
    accountant.history = [(z, q, t)]
    return accountant.get_epsilon(delta=delta)


def opake():
    # Its Python layer cannot be imported before 3.13 (a dataclass with weakref_slot, which has one already). What it
    # computes with is a compiled module beside that, which is loaded by its file.
    package = importlib.util.find_spec("opake.api.accounting.core")
    file = next(pathlib.Path(package.submodule_search_locations[0]).glob("opake_accounting*.so"))
    spec = importlib.util.spec_from_file_location("opake_accounting", file)
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    grid = native.DiscretizationConfig()

    def epsilon(z, q, t, delta):
        return native.poisson_pld(native.gaussian_pld(z, grid), q).self_compose(t).epsilon_at(delta)

    return epsilon


def opacus(kind):
    import opacus.accountants as accountants

    def epsilon(z, q, t, delta):
        accountant = {"RDP": accountants.RDPAccountant, "PRV": accountants.PRVAccountant}[kind]()
        accountant.history = [(z, q, t)]
        return accountant.get_epsilon(delta)

    return epsilon


PEERS = [
    ("dpcurves", "upper end", lambda: ours),
    ("dp-accounting", "PLD", lambda: dp_accounting("PLD")),
    ("dp-accounting", "RDP", lambda: dp_accounting("RDP")),
    ("prv-accountant", "upper end, error 0.01", lambda: prv),
    ("riskcal", "CTD", lambda: riskcal),
    ("opake-accounting", "PLD, grid 1e-4", opake),
    ("opacus", "PRV", lambda: opacus("PRV")),
    ("opacus", "RDP", lambda: opacus("RDP")),
]


def measured(epsilon, setting):
    least, value = float("inf"), 0.0
    for _ in range(3):
        begin = time.process_time()
        value = epsilon(*setting)
        least = min(least, time.process_time() - begin)
    return f"{value:.6g} ({value / ours(*setting) - 1:+.1e})", f"{1e3 * least:.3g} ms"


def version(package):
    return dpcurves.__version__ if package == "dpcurves" else importlib.metadata.version(package)


def many(count, ask):
    """Processor time, in milliseconds, of each of `count` epsilons in one array call."""
    begin = time.process_time()
    ask()
    return 1e3 * (time.process_time() - begin) / count


def main(only):
    head = "| accountant | " + " | ".join(f"Z {z:g}, q {q:.4g}, T {t}, delta {d:g}" for z, q, t, d in SETTINGS) + " |"
    rows, absent = [], []
    for package, kind, make in PEERS:
        if only and package not in only and package != "dpcurves":
            continue
        try:
            epsilon = make()
            cells = [" in ".join(measured(epsilon, setting)) for setting in SETTINGS]
        except ImportError as error:
            absent.append(f"{package} ({error})")
            continue
        rows.append(f"| {package} {version(package)}, {kind} | " + " | ".join(cells) + " |")
    step = dp_accounting("PLD")
    begin = time.process_time()
    step(1.1, 0.01, 10000, 1e-5)
    scalar = 1e3 * (time.process_time() - begin)
    array = many(10000, lambda: dpcurves.DpSgd(1.1, 0.01, 10000).epsilon(np.logspace(-10, -2, 10000)))
    steps = many(10000, lambda: dpcurves.DpSgd(1.1, 0.01, np.arange(1, 10001)).epsilon(1e-5))
    noises = many(500, lambda: dpcurves.DpSgd(np.linspace(0.8, 3.0, 500), 0.01, 10000).epsilon(1e-5))
    text = [
        "## Peers",
        "",
        f"Epsilon, its relative distance from our upper end, and the processor time of one answer, the least of three; "
        f"Python {platform.python_version()}, one run of `python tools/python/tests/peers.py`. A negative distance is less "
        "than the true epsilon.",
        "",
        head,
        "|---|" + "---|" * len(SETTINGS),
        *rows,
        "",
        f"Epsilons of one array call, each, in processor time (Z 1.1, q 0.01, T 10,000): 10,000 deltas {array:.2g} ms; "
        f"10,000 numbers of steps from 1 to 10,000 {steps:.2g} ms; 500 noise multipliers {noises:.2g} ms. One epsilon "
        f"by dp-accounting's PLD accountant: {scalar:.3g} ms, {scalar / array:.0f}, {scalar / steps:.0f} and "
        f"{scalar / noises:.0f} times as much.",
    ]
    if absent:
        text += ["", f"Not measured, because they cannot be imported here: {'; '.join(sorted(set(absent)))}."]
    page = pathlib.Path(__file__).resolve().parents[3] / "docs" / "benchmarks.md"
    before = page.read_text().split("\n## Peers\n")[0].rstrip()
    page.write_text(before + "\n\n" + "\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main(sys.argv[1:])

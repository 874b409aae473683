# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import os
import pathlib
import re
import signal
import threading
import time

import numpy as np
import pytest
from test_dp_sgd import program

import dpcurves

CGD = dict(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=200, contraction=0.9998)


def test_the_report_is_what_the_program_prints():
    report = dpcurves.ask("privacy noisy-cgd", **CGD, delta=[1e-5, 1e-6])
    words = [text for name, value in CGD.items() for text in (f"--{name.replace('_', '-')}", value)]
    printed = program("privacy", "noisy-cgd", *words, "--delta", "1e-5,1e-6")
    assert report["results"] == printed["results"]
    assert report["inputs"] == printed["inputs"]
    assert report.exit_code == 0
    assert "theorem-4.5" in report.text()
    assert report.arrays()["epsilon.upper"][0] == printed["results"][0]["epsilon"]["upper"]
    assert "<table>" in report._repr_html_() and "theorem-4.5" in report._repr_html_()
    said = [float(x) for x in re.findall(r"<td>\u2264 ([0-9.]+)</td>", report._repr_html_())]
    wanted = [row[name]["upper"] for row in printed["results"] for name in ("epsilon", "mu")]
    assert all(upper <= x <= upper * (1 + 1e-7) for x, upper in zip(said, wanted)) and len(said) == 4


def test_an_option_may_have_the_name_of_a_parameter():
    problem = str(pathlib.Path(__file__).resolve().parents[3] / "data" / "examples" / "least-squares.json")
    report = dpcurves.risk("noisy-least-squares", problem=problem, iterations=[0, 100])
    trajectory = report.arrays()
    assert trajectory["curve.iteration"].tolist() == [0.0, 100.0]
    assert trajectory["curve.risk"].tolist() == report["results"]["curve"]["risk"]
    assert trajectory["plateau"].tolist() == [report["results"]["plateau"]] * 2
    assert report._repr_html_().count("<tr>") == 3


def test_a_table_has_what_is_said_and_not_how_it_was_asked():
    table = dpcurves.ask("attack gaussian", noise_multiplier=1, compositions=2)._repr_html_()
    assert "schema" not in table and "<td>advantage</td>" in table and "gini \u2264" in table
    bayes = dpcurves.ask("attack gaussian", noise_multiplier=1, compositions=2, prior=0.5)._repr_html_()
    assert "<td>\u2265 0.23975006</td>" in bayes and "<td>\u2264 0.76024994</td>" in bayes  # error and accuracy
    found = dpcurves.ask("calibrate dp-sgd", sampling_rate=0.01, steps=100, solve_for="noise-multiplier", epsilon=1, delta=1e-5)
    assert "inputs" not in found._repr_html_() and f"{found['value']:.8g}" in found._repr_html_()


def test_tables_of_curves_simulations_and_lists():
    curve = dpcurves.ask("curve tradeoff gaussian", noise_multiplier=1, compositions=1, points=3)
    assert "<th>lower</th><th>upper</th>" in curve._repr_html_() and "\u2264" not in curve._repr_html_()
    drawn = dpcurves.simulate("noisy-gd", noise=1.0, step_size=0.4, steps=5, paths=2000)
    first = drawn.rows[0]
    assert f"<td>{first['type_one_error.estimate']:.8g} (" in drawn._repr_html_() and "estimate" not in drawn._repr_html_()
    listed = dpcurves.ask("theorem list", paper="noisy-hsgd")
    assert listed.rows == listed["results"] and "noisy-hsgd/theorem-4.5" in listed._repr_html_()


@pytest.mark.parametrize("value", [1.00000001, 2.3816897265642183, 9.99999999, 123456789.5, 1e-300, 0.0, 1.0, float("inf"), -1.23456789])
@pytest.mark.parametrize("up", [True, False])
def test_what_is_said_is_rounded_to_its_side(value, up):
    from dpcurves.arguments import rounded

    said = float(rounded(value, 6, up))
    assert (said >= value) if up else (said <= value)
    assert said == pytest.approx(value, rel=2e-5)


def test_pandas_where_it_is_there():
    pandas = pytest.importorskip("pandas")
    frame = dpcurves.ask("privacy noisy-cgd", **CGD, delta=[1e-5, 1e-6]).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["delta"]) == [1e-5, 1e-6]


def test_simulations_are_arrays_and_depend_on_the_seed_alone():
    setting = dict(noise=1.0, step_size=0.4, steps=5, paths=2000)
    one, two = (dpcurves.simulate("noisy-gd", seed=3, threads=t, **setting) for t in (1, 2))
    assert one["results"] == two["results"]
    assert one.arrays()["type_one_error.estimate"].shape == (5,)
    assert dpcurves.simulate("noisy-gd", seed=4, **setting)["results"] != one["results"]


@pytest.mark.parametrize(
    "question, options, error, words",
    [
        ("privacy noisy-cgdd", {}, ValueError, "noisy-cgd"),
        ("privacy noisy-cgd", {"epochs": -1}, ValueError, "epochs: -1"),
        ("privacy noisy-cgd", {"batch_sizes": 1}, ValueError, "batch_size"),
        ("privacy noisy-cgd", {"epochs": float("nan")}, ValueError, "epochs"),
        ("privacy noisy-cgd", {"epochs": object()}, TypeError, "epochs"),
        ("privacy noisy-cgd", {"delta": []}, ValueError, "delta"),
        ("privacy noisy-cgd", {"output": "x"}, TypeError, "output"),
        ("privacy", {}, ValueError, "needs one of noisy-gd"),
        ("help privacy", {}, ValueError, "in words"),
        ("validate", {}, ValueError, "validate"),
        ("", {}, ValueError, "question"),
        ("--version", {}, ValueError, "question"),
        (3, {}, TypeError, "question"),
    ],
)
def test_errors_name_the_argument(question, options, error, words):
    with pytest.raises(error, match=words):
        dpcurves.ask(question, **options)


def interrupted(work):
    """Seconds of processor time from Ctrl-C, given after a second, to the end of the work: a busy machine is no delay."""
    begin = []

    def interrupt():
        begin.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    try:
        threading.Timer(1.0, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, usual)
    return time.process_time() - begin[0]


def test_ctrl_c_ends_arrays_simulations_and_commands():
    many = dpcurves.DpSgd(np.linspace(0.8, 3.0, 100000), 0.01, 1000)
    assert interrupted(lambda: many.epsilon(1e-5)) < 2.0
    assert interrupted(lambda: many.tpr(0.01)) < 2.0
    one = dpcurves.DpSgd(0.7, 0.001, 100000)
    assert interrupted(lambda: one.tradeoff(np.linspace(0.0, 1.0, 500000))) < 3.0
    chain = dict(noise=1.0, step_size=0.01, steps=10**4)
    assert interrupted(lambda: dpcurves.noisy_descent(**chain, paths=10**6)) < 2.0
    assert interrupted(lambda: dpcurves.simulate("noisy-gd", **chain, paths=10**6)) < 2.0
    assert dpcurves.ask("privacy noisy-cgd", **CGD, delta=1e-5).exit_code == 0


def test_other_threads_run_while_one_computes():
    counted = []
    done = threading.Event()

    def count():
        while not done.is_set():
            counted.append(1)
            time.sleep(0.005)

    other = threading.Thread(target=count)
    other.start()
    dpcurves.DpSgd(np.linspace(0.8, 3.0, 60), 0.01, 1000).epsilon(1e-5)
    done.set()
    other.join()
    assert len(counted) > 5

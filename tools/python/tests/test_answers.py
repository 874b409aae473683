# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What people do with answers and runs once they have them."""

import copy
import json
import multiprocessing
import pathlib
import pickle
import traceback

import numpy as np
import pytest

import dpcurves

RUN = dict(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)
CGD = dict(effective_sensitivity=0.6667, batches_per_epoch=40, epochs=200, contraction=0.9998)


@pytest.mark.parametrize("form", [".0f", ".2f", ".3e", ".4g", ".1%", "+.3f", ">12.3f", ".2F", ".10f"])
@pytest.mark.parametrize("value", [2.381689, 0.9999999, 1e-7, 123456.789, 2.5, -0.123456])
@pytest.mark.parametrize("promise", ["upper", "lower"])
def test_formats_round_to_the_side_of_the_promise(value, form, promise):
    said = format(dpcurves.Bracket(value, value, promise=promise), form)
    number = float(said.strip(" %")) / (100.0 if "%" in said else 1.0)
    assert number >= value if promise == "upper" else number <= value
    nearest = float(format(value, form).strip(" %")) / (100.0 if "%" in said else 1.0)
    unit = 10.0 ** -int(form.strip("+>fFeg%").split(".")[1]) * (abs(value) * 11 if form[-1] in "eg" else 1.0)
    assert abs(number - nearest) <= 1.001 * unit + 1e-15 * abs(value)


def test_formats_without_digits_infinities_and_texts():
    epsilon = dpcurves.DpSgd(**RUN).epsilon(1e-5)
    assert f"{epsilon}" == str(epsilon) and f"{epsilon:g}" == f"{epsilon.upper:g}"
    assert f"{dpcurves.Bracket(np.inf, np.inf):.2f}" == "inf"
    assert round(epsilon, 2) == 1.52 > epsilon.upper
    assert round(dpcurves.Bracket(0.239, 0.24, promise="lower"), 1) == 0.2


def test_comparisons_and_numpy_read_the_promised_end():
    one, two = (dpcurves.DpSgd(**RUN).epsilon(delta) for delta in (1e-5, 1e-7))
    assert one < two and one <= one.upper and two > 1 and two >= np.float64(two.upper) and not one < one.upper
    assert max(one, two) is two and not 0 > one
    assert np.array([one, two]).tolist() == [one.upper, two.upper] and np.sqrt(one) == np.sqrt(one.upper)
    with pytest.raises(TypeError):
        one < "1"
    beta = dpcurves.DpSgd(**RUN).tradeoff(0.1)
    assert np.asarray(beta) == beta.lower and beta > np.nextafter(beta.lower, 0.0)


def test_brackets_are_a_sequence_and_a_column():
    run = dpcurves.DpSgd(**RUN)
    found, same, other = (run.epsilon([1e-5, delta]) for delta in (1e-6, 1e-6, 1e-7))
    assert found == same and found != other and found != 3
    assert [one.upper for one in found] == found.upper.tolist()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"z": [1.0, 2.0]}).assign(e=lambda d: dpcurves.DpSgd(d.z, 0.01, 100).epsilon(1e-5))
    assert frame["e"].dtype == np.float64 and frame["e"][0] > frame["e"][1]


def epsilons(run):
    return run.epsilon(1e-5)


def made():
    yield dpcurves.DpSgd(**RUN)
    yield dpcurves.DpSgd(phases=[{"noise_multiplier": 1.1, "sampling_rate": 0.01, "steps": 10}, (1.0, 0.02, 5)])
    yield dpcurves.NoisyCgd(**CGD)
    yield dpcurves.from_opacus_history([(1.1, 0.01, 10)], adjacency="add-or-remove")
    yield dpcurves.PrivacyAccountant().compose({"module_name": "dp_accounting.dp_event", "class_name": "GaussianDpEvent",
                                                "noise_multiplier": 1.0}).run  # fmt: skip


@pytest.mark.filterwarnings("ignore::dpcurves.HypothesisWarning")
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_runs_are_copied_also_after_they_were_asked(way):
    for run in made():
        epsilon = run.epsilon(1e-5)
        assert way(run).epsilon(1e-5) == epsilon and way(epsilon) == epsilon
        assert [one.theorem for one in way(run).guarantees()] == [one.theorem for one in run.guarantees()]


@pytest.mark.filterwarnings("ignore")  # of forks beside threads
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_answer_the_same(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    dpcurves.DpSgd(np.linspace(0.8, 3.0, 100), 0.01, 100).epsilon(1e-5)  # threads have run
    runs = list(made())
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(epsilons, runs) == [epsilons(run) for run in runs]


def test_errors_are_those_of_the_package():
    with pytest.raises(dpcurves.DomainError) as raised:
        dpcurves.DpSgd(1.1, 2.0, 10).epsilon(1e-5)
    assert "dpcurves.DomainError: sampling_rate" in "".join(traceback.format_exception_only(raised.type, raised.value))
    assert pickle.loads(pickle.dumps(raised.value)).args == raised.value.args


def test_a_run_looks_as_it_was_typed():
    assert repr(dpcurves.DpSgd(1.1, 0.01, 100)) == "DpSgd(noise_multiplier=1.1, sampling_rate=0.01, steps=100, sampling='poisson')"
    assert "steps=[10, 20]" in repr(dpcurves.DpSgd(1.1, 0.01, [10, 20]))
    assert repr(dpcurves.from_dp_event('{"module_name": "dp_accounting.dp_event", "class_name": "NoOpDpEvent"}')).startswith("<Transcript of ")
    assert repr(dpcurves.PrivacyAccountant()) == "<PrivacyAccountant, add-or-remove: nothing composed>"


MATRIX = [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.25, 0.5, 1.0]]


@pytest.mark.parametrize("strategy", [MATRIX, np.array(MATRIX), np.array(MATRIX, order="F"), [1.0, 0.5, 0.25], np.array([1.0, 0.5, 0.25])])
def test_a_matrix_in_memory_is_as_one_in_a_file(strategy, tmp_path):
    file = tmp_path / "strategy.csv"
    file.write_text("1,0,0\n.5,1,0\n.25,.5,1\n" if np.ndim(strategy) == 2 else "1,.5,.25\n")
    rest = dict(noise_multiplier=4.0, sampling_rate=0.01, steps=3)
    wanted = dpcurves.Correlated(**rest, strategy=file).epsilon(1e-5)
    run = dpcurves.Correlated(**rest, strategy=strategy)
    assert run.epsilon(1e-5) == wanted
    for way in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        assert way(run).epsilon(1e-5) == wanted
    asked = dpcurves.ask("privacy correlated", **rest, strategy=np.atleast_2d(strategy), delta=1e-5)
    assert asked["results"][0]["epsilon"]["upper"] == wanted.upper
    assert pickle.loads(pickle.dumps(asked)).text() == asked.text() and "correlated, delta" in asked.text()


def test_a_dictionary_is_as_a_file_with_it():
    cgd = dict(sensitivity=1, records=100, batch_size=10, noise=1, step_size=0.1, epochs=10, smoothness=1, strong_convexity=1)
    report = dpcurves.ask("privacy noisy-cgd", **cgd, delta=1e-5)
    again = dpcurves.NoisyCgd(run=report["run"])
    assert again.epsilon(1e-5).upper == report["results"][0]["epsilon"]["upper"]
    file = pathlib.Path(__file__).resolve().parents[3] / "data" / "examples" / "least-squares.json"
    problem = json.loads(file.read_text())
    wanted = dpcurves.risk("noisy-least-squares", problem=file, iterations=[0, 10])["results"]
    problem["records"] = file.parent / "least-squares-records.csv"  # what it names is not beside it any more
    assert dpcurves.risk("noisy-least-squares", problem=problem, iterations=[0, 10])["results"] == wanted
    with pytest.raises(ValueError, match="wrong"):
        dpcurves.risk("noisy-least-squares", problem={"wrong": 1}, iterations=[0])
    with pytest.raises(TypeError, match="problem.dim"):
        dpcurves.risk("noisy-least-squares", problem={**problem, "dim": object()}, iterations=[0])


def test_components_are_tuples_or_texts():
    wanted = dpcurves.Composition(component=["1000:0.01:1", "10:0.1:0.3"]).epsilon(1e-5)
    assert dpcurves.Composition(component=[(1000, 0.01, 1), (10, 0.1, 0.3)]).epsilon(1e-5) == wanted
    assert dpcurves.Composition(component=(1000, 0.01, 1)).epsilon(1e-5) == dpcurves.Composition(component="1000:0.01:1").epsilon(1e-5)

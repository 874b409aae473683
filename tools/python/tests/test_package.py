# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import pathlib
import re
import subprocess
import sys

import pytest

import dpcurves

HERE = pathlib.Path(__file__).resolve().parent


def test_the_version_is_that_of_the_project():
    text = (pathlib.Path(__file__).resolve().parents[3] / "CMakeLists.txt").read_text()
    assert dpcurves.__version__ == re.search(r"project\(dpcurves VERSION ([0-9.]+)", text)[1]


def test_import_takes_less_than_a_fifth_of_a_second():
    code = "import numpy, time; t = time.process_time(); import dpcurves; print(time.process_time() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) for _ in range(3)]
    assert min(times) < 0.2


@pytest.mark.parametrize("name", ["_native.pyi", "tables.pyi"])
def test_the_stubs_are_what_the_script_writes(name, tmp_path):
    subprocess.run([sys.executable, str(HERE.parent / "stubs.py"), str(tmp_path)], check=True, cwd=tmp_path)
    kept = HERE.parent / "dpcurves" / name
    assert (tmp_path / name).read_text() == kept.read_text(), "python tools/python/stubs.py tools/python/dpcurves"


def test_the_stubs_are_those_of_the_modules(tmp_path):
    pytest.importorskip("mypy.stubtest")
    allowed = tmp_path / "allowed"  # classes of pybind11 have a metaclass of its own, and refuse to be made
    allowed.write_text("dpcurves._native.Guarantee\ndpcurves._native.Guarantee.__init__\ndpcurves._native.Trials\n"
                       r"dpcurves\.tables\..*\.__signature__" "\n")
    command = [sys.executable, "-m", "mypy.stubtest", "dpcurves._native", "dpcurves.tables", "--allowlist", str(allowed)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def strictly(tmp_path, *files):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "mypy"), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    return done.returncode, done.stdout + done.stderr


def test_numbers_give_a_bracket_and_arrays_brackets_to_type_checkers(tmp_path):
    code, words = strictly(tmp_path, HERE / "typed_examples.py")
    assert code == 0, words
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import dpcurves\n"
        "x: dpcurves.Bracket = dpcurves.DpSgd(1.1, 0.01, 10).epsilon([1e-5])\n"
        "dpcurves.NoisyCgd(epoch=3)\n"
        'dpcurves.calculators["shifted-interpolation/gdp-delta"](mu=1.0)\n'
    )
    code, words = strictly(tmp_path, wrong)
    assert code == 1 and [f"wrong.py:{line}:" in words for line in (2, 3, 4)] == [True] * 3, words


def blocks(page):
    """The Python on a page, as one program."""
    found = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return "\n".join(block for block in found if "opacus" not in block)


def test_the_page_runs(tmp_path):
    program = tmp_path / "page.py"
    program.write_text(blocks(HERE.parents[2] / "docs" / "guide" / "python.md"))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Bracket(lower=2.38168972" in done.stdout and "refuted" in done.stdout and "holds" in done.stdout


def test_everything_public_has_words():
    for name in dpcurves.__all__:
        assert name == "__version__" or getattr(dpcurves, name).__doc__ or name == "calculators", name


@pytest.mark.parametrize("name", ["_native.pyi", "tables.pyi", "py.typed"])
def test_types_are_shipped(name):
    assert (pathlib.Path(dpcurves.__file__).parent / name).exists()

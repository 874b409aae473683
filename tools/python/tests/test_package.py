# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import pathlib
import re
import subprocess
import sys

import pytest

import dpcurves


def test_the_version_is_that_of_the_project():
    text = (pathlib.Path(__file__).resolve().parents[3] / "CMakeLists.txt").read_text()
    assert dpcurves.__version__ == re.search(r"project\(dpcurves VERSION ([0-9.]+)", text)[1]


def test_import_takes_less_than_a_fifth_of_a_second():
    code = "import numpy, time; t = time.process_time(); import dpcurves; print(time.process_time() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) for _ in range(3)]
    assert min(times) < 0.2


def test_the_stubs_name_what_the_module_has():
    from dpcurves import _native

    stub = (pathlib.Path(dpcurves.__file__).parent / "_native.pyi").read_text()
    named = set(re.findall(r"^(?:def|class) (\w+)", stub, re.MULTILINE)) | {"__version__"}
    has = {name for name in dir(_native) if not name.startswith("__")} | {"__version__"}
    assert named == has
    for kind in ("Guarantee", "Trials"):
        body = re.search(rf"^class {kind}:\n((?:    .*\n|\n)+)", stub, re.MULTILINE)[1]
        members = set(re.findall(r"^    (?:def )?(\w+)[(:]", body, re.MULTILINE))
        assert members == {name for name in dir(getattr(_native, kind)) if not name.startswith("_")}


def test_the_stubs_are_those_of_the_module(tmp_path):
    pytest.importorskip("mypy.stubtest")
    allowed = tmp_path / "allowed"  # classes of pybind11 have a metaclass of its own, and refuse to be made
    allowed.write_text("dpcurves._native.Guarantee\ndpcurves._native.Guarantee.__init__\ndpcurves._native.Trials\n")
    command = [sys.executable, "-m", "mypy.stubtest", "dpcurves._native", "--allowlist", str(allowed)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_has_words():
    for name in dpcurves.__all__:
        assert name == "__version__" or getattr(dpcurves, name).__doc__ or name == "calculators", name


@pytest.mark.parametrize("name", ["_native.pyi", "py.typed"])
def test_types_are_shipped(name):
    assert (pathlib.Path(dpcurves.__file__).parent / name).exists()

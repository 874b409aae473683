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
    assert named - {"Answers", "Floats"} == has
    for kind in ("Guarantee", "Trials"):
        body = re.search(rf"^class {kind}:\n((?:    .*\n|\n)+)", stub, re.MULTILINE)[1]
        members = set(re.findall(r"^    (?:def )?(\w+)[(:]", body, re.MULTILINE))
        assert members == {name for name in dir(getattr(_native, kind)) if not name.startswith("_")}


def test_everything_public_has_words():
    for name in dpcurves.__all__:
        assert name == "__version__" or getattr(dpcurves, name).__doc__ or name == "calculators", name


@pytest.mark.parametrize("name", ["_native.pyi", "py.typed"])
def test_types_are_shipped(name):
    assert (pathlib.Path(dpcurves.__file__).parent / name).exists()

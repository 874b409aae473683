# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The module under valgrind's memcheck: every kind of call, wrong ones and an interrupted one among them."""

import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

import pytest

CALLS = pathlib.Path(__file__).with_name("memory_calls.py")


def frames(error):
    return [(frame.findtext("fn") or "?", frame.findtext("obj") or "") for frame in error.iter("frame")]


def is_wrong(error):
    """Reads and writes outside of what was allocated, but for the loader's of paths. The interpreter and numpy branch on
    memory that is not set, as their authors know: of such only what has a frame of the module counts. What is never
    freed is the matter of test_leaks.py."""
    kind, stack = error.findtext("kind"), frames(error)
    if kind.startswith("Leak_") or any("/ld-linux" in where for _, where in stack[:3]):
        return False
    return not kind.startswith("Uninit") or any("/dpcurves/_native" in where for _, where in stack[:12])


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_memcheck_finds_nothing(tmp_path):
    log = tmp_path / "log.xml"
    command = ["valgrind", "--xml=yes", f"--xml-file={log}", sys.executable, "-W", "ignore", str(CALLS)]
    done = subprocess.run(command, env={**os.environ, "PYTHONMALLOC": "malloc"}, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and done.stdout.strip() == "done", done.stderr
    errors = [error for error in tree.parse(log).getroot().iter("error") if is_wrong(error)]
    assert not errors, "\n".join(f"{e.findtext('kind')}: {frames(e)[:6]}" for e in errors[:5])

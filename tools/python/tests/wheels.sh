#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# A wheel for each Python, installed where nothing else is, and its tests: for releases, and after a change of what the
# package needs. The library is compiled once.
#
#   sh wheels.sh WORK_FOLDER PYTHON...
#
# PYBIND11=2.10.4 in the environment builds with that version in place of the current one. Tests of other tools are
# skipped where these cannot be installed for a Python.
set -eu
work=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
mkdir -p "$work"
constraints=$work/constraints.txt
echo "${PYBIND11:+pybind11==$PYBIND11}" >"$constraints"
for python; do
  tag=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv=$work/$tag
  rm -rf "$venv" "$work/wheels-$tag"
  "$python" -m venv "$venv"
  pip="$venv/bin/python -m pip --disable-pip-version-check -q"
  PIP_CONSTRAINT=$constraints $pip wheel --no-deps --config-settings=build-dir="$work/build" -w "$work/wheels-$tag" "$root"
  $pip install "$work/wheels-$tag"/*.whl pytest mypy
  for peer in pandas matplotlib dp-accounting; do
    $pip install --only-binary :all: "$peer" || echo "Python $tag: tests of $peer are skipped: not installed"
  done
  (cd "$work" && "$venv/bin/python" -m pytest -q -p no:cacheprovider "$here")
  echo "Python $tag: $("$venv/bin/python" -c 'import dpcurves; print(dpcurves.DpSgd(1.1, 256 / 60000, 14063).epsilon(1e-5))')"
done

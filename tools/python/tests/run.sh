#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# The tests of the package for Python, in a virtual environment of their own: types by mypy, behaviour by pytest.
#
#   sh run.sh PYTHON MODULE PROGRAM WORK_FOLDER
#
# MODULE is the extension module, PROGRAM the program dpcurves, whose numbers must be the same.
set -eu
python=$1 module=$2 program=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$work"
[ -x "$work/venv/bin/python" ] || "$python" -m venv "$work/venv"
if ! "$work/venv/bin/python" -c "import mypy, numpy, pytest" 2>/dev/null; then
  if ! "$work/venv/bin/python" -m pip install -q --disable-pip-version-check mypy numpy pytest; then
    echo "skipped: the package registry is not reachable"
    exit 0
  fi
fi
rm -rf "$work/package"
mkdir -p "$work/package"
cp -r "$here/../dpcurves" "$work/package/dpcurves"
cp "$module" "$work/package/dpcurves/"
export PYTHONPATH="$work/package" DPCURVES_PROGRAM="$program" PYTHONDONTWRITEBYTECODE=1
"$work/venv/bin/python" -m mypy --strict --cache-dir "$work/mypy" "$work/package/dpcurves"
exec "$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$here"

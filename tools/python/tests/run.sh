#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# The tests of the package for Python, in a virtual environment of their own: types by mypy, behaviour by pytest.
#
#   sh run.sh PYTHON MODULE PROGRAM WORK_FOLDER
#
# MODULE is the extension module, PROGRAM the program dpcurves, whose numbers must be the same. Tests of other tools are
# skipped where these cannot be installed; Opacus is not installed here, because it needs torch.
set -eu
python=$1 module=$2 program=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$work"
[ -x "$work/venv/bin/python" ] || "$python" -m venv "$work/venv"
install() {
  "$work/venv/bin/python" -m pip install -q --disable-pip-version-check "$@"
}
if ! "$work/venv/bin/python" -c "import mypy, numpy, pytest" 2>/dev/null; then
  if ! install mypy numpy pytest; then
    echo "skipped: the package registry is not reachable"
    exit 0
  fi
fi
if ! "$work/venv/bin/python" -c "import dp_accounting, matplotlib, pandas" 2>/dev/null; then
  install dp-accounting matplotlib pandas || echo "tests of dp-accounting, matplotlib and pandas are skipped: not installed"
fi
if ! "$work/venv/bin/python" -c "import distributed" 2>/dev/null; then
  install dask distributed || echo "the test of the Dask example is skipped: not installed"
fi
rm -rf "$work/package"
mkdir -p "$work/package"
cp -r "$here/../dpcurves" "$work/package/dpcurves"
cp "$module" "$work/package/dpcurves/"
export PYTHONPATH="$work/package" DPCURVES_PROGRAM="$program" PYTHONDONTWRITEBYTECODE=1
"$work/venv/bin/python" -m mypy --strict --cache-dir "$work/mypy" "$work/package/dpcurves"
exec "$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$here"

#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Which wrong theorems would the validation notice? Runs it once and mutates, in every comparison, what the theorem's
# function returned: sharpened by 0.9, 0.7, 0.5 and 0.25, dropped, and with its sign flipped.
#
#   sh tools/mutants.sh [PROGRAM [RESULT.json]]   PROGRAM: build/release/tools/dpcurves; RESULT: a run that is there
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$root/build/release/tools/dpcurves}
result=${2:-}
if [ -z "$result" ]; then
  result=$(mktemp)
  trap 'rm -f "$result"' EXIT
  "$program" validate --quiet --format json --output "$result" || echo "some cases are not as expected" >&2
fi
python3 "$root/validation/mutants.py" "$result"

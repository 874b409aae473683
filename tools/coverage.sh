#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Which lines of lib/dpcurves the tests in lib/tests run: a table by folder, every file with its uncovered lines in
# build/coverage/lines.txt, and an error below 95 % of the lines. Needs gcovr besides the packages of
# tools/packages.sh. Takes about half an hour on two cores; JOBS=1 leaves one of them free. Threads may spoil the count
# of a branch, which no line depends on: gcovr is told to go on.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
folders=$(cd lib/dpcurves && for folder in */; do echo "${folder%/}"; done)

cmake --preset coverage >/dev/null
cmake --build build/coverage -j"$jobs" --target $(printf 'test_%s ' $folders)
find build/coverage -name '*.gcda' -delete
for folder in $folders; do
  echo "test_$folder"
  build/coverage/lib/tests/"$folder"/test_"$folder"
done
gcovr --root . --filter lib/dpcurves/ --gcov-executable gcov-12 -j"$jobs" \
  --gcov-ignore-parse-errors build/coverage/lib/dpcurves \
  --csv build/coverage/lines.csv --txt build/coverage/lines.txt
awk -F, 'NR > 1 { split($1, part, "/"); total[part[3]] += $2; covered[part[3]] += $3; lines += $2; run += $3 }
  END { for (folder in total)
          printf "%-14s %6d lines %6.1f %%\n", folder, total[folder], 100 * covered[folder] / total[folder] | "sort"
        close("sort")
        printf "%-14s %6d lines %6.1f %%\n", "lib/dpcurves", lines, 100 * run / lines
        exit !(run >= 0.95 * lines) }' build/coverage/lines.csv

#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Feeds random bytes to the readers of JSON, TOML, CSV and IDX files, of transcripts, claims and scores, to the accountant
# and to the fields of every calculator, SECONDS each (default 600), starting from
# lib/tests/fuzz/seeds and what earlier runs found in build/fuzz. Ends with an error at the first finding and keeps it
# in build/fuzz/findings. Needs the packages of "sh tools/packages.sh fuzz".
#
#   sh tools/fuzz.sh [SECONDS [FORMAT...]]
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -eq 0 ] || shift
formats=${*:-json toml csv idx composition fields transcript claims scores}

cmake --preset fuzz >/dev/null
for format in $formats; do
  cmake --build build/fuzz --target "fuzz_$format"
done
mkdir -p build/fuzz/findings
for format in $formats; do
  corpus=build/fuzz/corpus-$format
  mkdir -p "$corpus"
  # Sanitizers make a question 12 to 27 times dearer: 2 s of the accountant without them.
  limit=10
  [ "$format" != composition ] || limit=60
  echo "$format: $seconds s"
  build/fuzz/lib/tests/fuzz/fuzz_"$format" -max_total_time="$seconds" -timeout="$limit" -rss_limit_mb=2000 -max_len=4096 \
    -dict=lib/tests/fuzz/dictionaries/"$format".dict -artifact_prefix=build/fuzz/findings/"$format"- \
    -print_final_stats=1 -verbosity=0 "$corpus" lib/tests/fuzz/seeds/"$format"
done
echo "no finding in $seconds seconds for each of: $formats"

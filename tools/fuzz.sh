#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Feeds random bytes to the readers of JSON, TOML, CSV and IDX, SECONDS each (default 600), starting from the files
# in data/ and tiny images and labels. Ends with an error at the first finding and keeps it in build/fuzz/findings.
# Needs clang-16 and libclang-rt-16-dev besides the packages of tools/packages.sh.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}

cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target fuzz_json fuzz_toml fuzz_csv fuzz_idx
mkdir -p build/fuzz/findings build/fuzz/corpus-idx
printf '\0\0\010\003\0\0\0\002\0\0\0\001\0\0\0\002\0\001\002\003' > build/fuzz/corpus-idx/images
printf '\0\0\010\001\0\0\0\002\0\001' > build/fuzz/corpus-idx/labels
for format in json toml csv idx; do
  corpus=build/fuzz/corpus-$format
  mkdir -p "$corpus"
  find data -name "*.$format" -size -20k -exec cp {} "$corpus" \;
  build/fuzz/lib/tests/fuzz/fuzz_$format -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2000 -max_len=8192 \
    -artifact_prefix=build/fuzz/findings/ -print_final_stats=1 -verbosity=0 "$corpus"
done
echo "no finding in $seconds seconds for each of JSON, TOML, CSV and IDX"

#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Everything that must hold before a change lands: packages, a release build with warnings as errors, every header
# alone, unit tests, install and consume, reference vectors, the ci profile of the validation, and its report in a
# browser. The last lines are ctest's own summary.
set -eu
cd "$(dirname "$0")/.."

sh tools/packages.sh tests
# From nothing sources are compiled together, unless a compiler cache knows them one by one.
if [ ! -f build/release/CMakeCache.txt ]; then
  known="$(ccache --print-stats 2>/dev/null | awk '$1 == "files_in_cache" { print $2 }')"
  [ "${known:-0}" -gt 500 ] || set -- -DDPCURVES_TOGETHER=ON
fi
cmake --preset release "$@" >/dev/null
cmake --build --preset release
cmake --build --preset release --target all_verify_interface_header_sets
exec ctest --preset release

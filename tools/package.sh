#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# sh package.sh BUILD OUTPUT: the Debian package of the programs in the folder OUTPUT, built in BUILD. Nothing that is not
# installed with them is built.
set -eu
[ $# -eq 2 ] || { echo "usage: sh package.sh BUILD OUTPUT" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
build=$1 output=$2
mkdir -p "$output"
output=$(cd "$output" && pwd)
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON -DDPCURVES_MPI=OFF >/dev/null
cmake --build "$build" --target dpcurves dpcurves-validate dpcurves-verify --parallel "$(nproc)"
cd "$build"
cpack -G DEB -D CPACK_COMPONENTS_ALL=runtime -B "$output"
rm -rf "$output/_CPack_Packages"

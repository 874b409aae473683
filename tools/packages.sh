#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Installs the Debian packages that dpcurves is built from, where they are missing. Needs root only if one is.
# With the word "tests" also the browser in which the report of the validation is tested (65 MB to load), the reader of
# the headers' comments (45 MB), what the package for Python is built and tested with, valgrind among it, and Open MPI;
# with the word "fuzz" the compiler of tools/fuzz.sh.
set -eu

packages="cmake ninja-build g++ pkg-config ccache libboost-dev libeigen3-dev libgsl-dev libfftw3-dev \
libtomlplusplus-dev libmuparser-dev libnlopt-dev libnlopt-cxx-dev catch2 libcli11-dev nlohmann-json3-dev librandom123-dev \
libbenchmark-dev libflint-dev libflint-arb-dev gnuplot-nox"
[ "${1:-}" != tests ] || packages="$packages chromium-headless-shell doxygen pybind11-dev python3-dev python3-venv \
openmpi-bin libopenmpi-dev valgrind"
[ "${1:-}" != fuzz ] || packages="$packages clang-16 libclang-rt-16-dev"

missing=""
for package in $packages; do
  case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)" in
    *"ok installed") ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "these packages are missing, and installing them needs root:$missing" >&2; exit 1; }
  as_root="sudo"
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null

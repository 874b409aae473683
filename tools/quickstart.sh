#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# From a fresh Debian 12 to the first answer: installs the packages, builds the program, and runs the main job: the
# privacy budget of noisy cyclic gradient descent on the logistic regression of the shifted-interpolation paper,
# every theorem side by side, and a picture of the trade-off curves. The program is compiled for a short build: privacy
# questions take as long as with the preset release, a long simulation 1.6 times as long; the digits are the same.
set -eu
cd "$(dirname "$0")/.."

sh tools/packages.sh
cmake -S . -B build/quickstart -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DDPCURVES_TOGETHER=ON >/dev/null
cmake --build build/quickstart --target dpcurves
dpcurves=build/quickstart/tools/dpcurves

setting="--sensitivity 10 --batch-size 1500 --noise 0.01 --batches-per-epoch 40 --epochs 200 --contraction 0.9998"
echo
# shellcheck disable=SC2086  # a list of words
$dpcurves privacy noisy-cgd $setting --delta 1e-5
# shellcheck disable=SC2086
$dpcurves curve tradeoff noisy-cgd $setting --plot build/quickstart/tradeoff.svg --output build/quickstart/tradeoff.csv
echo "The trade-off curves are in build/quickstart/tradeoff.svg, their numbers in build/quickstart/tradeoff.csv."

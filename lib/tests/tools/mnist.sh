#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# sh mnist.sh DPCURVES small|full: Table 2 on MNIST, fetched where it is not there; 77 (skipped) where it cannot be. On
# the small part the accuracies must be those of a trained model, on the whole set those that the paper prints.
set -eu
cd "$(dirname "$0")/../../.."
sh data/fetch.sh mnist || exit 77
case $2 in
  small)
    "$1" reproduce shifted-interpolation/table-2 --data data/sets/mnist/small --repetitions 2 --quiet --format csv |
      awk -F, '/^(50|100|200),/ { rows++; if ($2 == "training" ? $6 < 91 : $6 < 85) bad = 1; print }
               END { exit bad || rows != 6 }'
    ;;
  full)
    "$1" reproduce shifted-interpolation/table-2 --data data/sets/mnist --quiet | tee /dev/stderr |
      grep -q "^6 of 6 published numbers agree"
    ;;
esac

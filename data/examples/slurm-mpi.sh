#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# The nightly validation on 64 ranks of one Slurm job:
#   sbatch data/examples/slurm-mpi.sh
# A job that ran out of time goes on with the shards in nightly-shards when it is submitted again.
#SBATCH --job-name=dpcurves
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
set -eu
# shellcheck disable=SC2086  # CASES is a list of words; empty: all cases
mpirun dpcurves-mpi --directory nightly-shards validate ${CASES:-} --profile nightly --seed "${SEED:-7}" \
  --format json --output nightly.json

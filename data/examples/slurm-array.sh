#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# One shard per task of a Slurm array, no MPI:
#   sbatch data/examples/slurm-array.sh
# and, when all tasks have ended, in the same folder:
#   dpcurves merge shards/*.shard
# Tasks that failed can be repeated: sbatch --array=4,17 data/examples/slurm-array.sh
#SBATCH --job-name=dpcurves
#SBATCH --array=1-64
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
set -eu
mkdir -p shards
shards=${SHARDS:-64}
dpcurves simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths "${RUNS:-10000000}" --seed 7 \
  --threads 1 --quiet --shard "$SLURM_ARRAY_TASK_ID/$shards" --output "shards/$SLURM_ARRAY_TASK_ID.shard"

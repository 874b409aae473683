#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# sh mpi.sh DPCURVES DPCURVES-MPI MPIRUN: 2 and 3 ranks print the bytes of one process; a job whose rank was killed, and
# one that was killed as a whole, go on with the shards that are there.
set -eu
source=$(cd "$(dirname "$0")" && pwd)/mpi.sh
program=$1 mpi=$2 mpirun=$(command -v "$3")
folder=$(mktemp -d "${TMPDIR:-/tmp}/dpcurves-mpi-$$-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

ranks() { # NUMBER DIRECTORY ARGUMENTS...
  number=$1 place=$2
  shift 2
  "$mpirun" --oversubscribe -n "$number" "$mpi" --directory "$place" "$@"
}
fail() {
  echo "FAILED: $1"
  exit 1
}

ask="simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 20000"
# shellcheck disable=SC2086  # words
{
  "$program" $ask --quiet > whole
  for n in 2 3; do
    ranks $n "s$n" $ask --quiet > answer
    cmp whole answer || fail "$n ranks print something else"
  done
}

timeless() { grep -v '^ *"\(seconds\|wall_seconds\|date\)":' "$1"; }
check="validate attack noisy-hsgd --format json --seed 3"
# shellcheck disable=SC2086
{
  "$program" $check --quiet > whole
  for n in 2 3; do
    ranks $n "v$n" $check --quiet > answer
    timeless whole > a
    timeless answer > b
    cmp a b || fail "$n ranks find something else"
  done
}

# A question of some seconds in 40 tasks.
long="simulate noisy-gd --noise 1 --step-size 0.1 --steps 3000 --paths 20480"
# shellcheck disable=SC2086
"$program" $long --quiet > whole
finished() { find "$1" -name '*.shard' 2>/dev/null | wc -l; }
# A killed rank ends the job, a killed mpirun too: what was finished is there, and is not computed again.
for victim in rank job; do
  place=killed-$victim
  # shellcheck disable=SC2086
  "$mpirun" --oversubscribe -n 2 "$mpi" --directory "$place" --shards 40 $long --quiet > partial 2> words &
  job=$!
  tries=0
  while [ "$(finished "$place")" -lt 3 ] && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  case $victim in
    rank) kill -KILL "$(pgrep -P "$job" | tail -n 1)" ;;
    job) kill -KILL $(pgrep -P "$job") "$job" ;;
  esac
  if wait "$job"; then fail "the job with a killed $victim says that all is well"; fi
  there=$(finished "$place")
  [ "$there" -ge 3 ] && [ "$there" -lt 40 ] || fail "$there shards after the end of the $victim"
  # shellcheck disable=SC2086
  ranks 2 "$place" $long > answer 2> words
  grep -q "40 shards on 2 ranks, $there of them in $place" words || fail "the job did not go on: $(cat words)"
  cmp whole answer || fail "the answer after a killed $victim"
done

# shellcheck disable=SC2086
if ranks 2 s2 $check > answer 2> words; then fail "shards of another question were used"; fi
grep -q "another question" words || fail "another question: $(cat words)"
if ranks 2 wrong simulate noisy-gd --noise 1 --step-size 0.1 > answer 2> words; then fail "a wrong command"; fi
grep -q -- "--steps: is required" words || fail "a wrong command: $(cat words)"
[ "$(grep -c -- "--steps: is required" words)" = 1 ] || fail "every rank complains"

# The scripts for batch systems, as a batch system runs them.
examples=$(dirname "$source")/../../../data/examples
PATH=$(dirname "$program"):$(dirname "$mpi"):$(dirname "$mpirun"):$PATH
export PATH
for i in 1 2 3; do
  SLURM_ARRAY_TASK_ID=$i SHARDS=3 RUNS=20000 sh "$examples/slurm-array.sh"
done
dpcurves merge shards/*.shard --quiet > answer
dpcurves simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 20000 --seed 7 --quiet > whole
cmp whole answer || fail "the array of shards"
CASES=attack sh "$examples/slurm-mpi.sh" 2> words || fail "the script for MPI: $(cat words)"
grep -q '"profile": "nightly"' nightly.json || fail "the script for MPI wrote no answer"
echo "all as one process"

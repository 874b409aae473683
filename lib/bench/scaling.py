#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Wall and processor time of dpcurves-mpi on 1, 2 and 4 ranks: validation cases, and one large simulation.

    python3 lib/bench/scaling.py BUILD [--quick | --nightly]     # BUILD/tools/mpi/dpcurves-mpi

Five minutes on two idle cores; with --nightly 40, for the whole nightly profile in place of 106 cases.

Prints the table of docs/benchmarks.md ("Many machines") and ends with 1 where ranks print other bytes than one process.
The efficiency is the wall time of one rank over that of n, and over n or the cores, whichever are fewer.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

RANKS = (1, 2, 4)
CASES = {
    "validation, 106 cases": (
        "validate noisy-hsgd attack audit kan-correlated-noise dp-glm-networks/figure-5 long-tail-memorization/figure-1 "
        "long-tail-memorization/figure-3 --seed 7 --format json"
    )
}
NIGHTLY = {"validation, nightly profile": "validate --profile nightly --seed 1 --format json"}
PAIRS = {"simulation, 200,000 pairs of 3,000 steps": "simulate noisy-gd --noise 1 --step-size 0.1 --steps 3000 --paths 200000"}
QUICK = {
    "validation, attack": "validate attack --seed 7 --format json",
    "simulation, 20,000 pairs of 300 steps": "simulate noisy-gd --noise 1 --step-size 0.1 --steps 300 --paths 20000",
}


def answer(text):
    """What is printed, without what is the clock's."""
    if not text.startswith("{"):
        return text
    found = json.loads(text)
    for key in ("wall_seconds", "date"):
        found.pop(key, None)
    for case in found["cases"]:
        case.pop("seconds", None)
    return json.dumps(found)


def measured(mpi, ranks, question):
    """Wall seconds, processor seconds and the answer."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dpcurves-scaling-") as folder:
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), str(mpi)]
        command += ["--directory", folder + "/shards", *question.split(), "--quiet"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, used, answer(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small questions: a test of this script")
    size.add_argument("--nightly", action="store_true", help="the whole nightly profile in place of 106 cases")
    asked = parser.parse_args()
    mpi = asked.build.resolve() / "tools/mpi/dpcurves-mpi"
    if not mpi.exists() or shutil.which("mpirun") is None:
        print("dpcurves-mpi or mpirun is missing: nothing was measured")
        return 77
    cores = len(os.sched_getaffinity(0))
    print(f"| on {cores} cores | ranks | wall | processor | efficiency |\n|---|---|---|---|---|")
    same = True
    questions = QUICK if asked.quick else {**(NIGHTLY if asked.nightly else CASES), **PAIRS}
    for name, question in questions.items():
        first = None
        for ranks in RANKS:
            wall, used, text = measured(mpi, ranks, question)
            first = first or (wall, text)
            same = same and text == first[1]
            print(f"| {name} | {ranks} | {wall:.3g} s | {used:.3g} s | {first[0] / wall / min(ranks, cores):.0%} |", flush=True)
    if not same:
        print("FAILED: the ranks do not print the same")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())

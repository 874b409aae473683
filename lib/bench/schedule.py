#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""A schedule on paper: measured task times handed out in order to 1 to 1000 workers, as dpcurves-mpi does.

    dpcurves merge --list SHARDS/*.shard | python3 lib/bench/schedule.py   # a shard is a task
    python3 lib/bench/schedule.py validation/results/last.json             # a case is a task

Prints a row of a Markdown table per number of workers: the time of the last worker, the efficiency (work over workers
times that time), and what the longest task alone would allow.
"""
import heapq
import json
import re
import sys

WORKERS = (1, 4, 16, 64, 256, 1000)


def makespan(seconds, workers):
    """When the last task ends, if each goes to the first worker that is free."""
    free = [0.0] * workers
    for one in seconds:
        heapq.heapreplace(free, free[0] + one)
    return max(free)


def main():
    if len(sys.argv) == 2:
        with open(sys.argv[1], encoding="utf-8") as file:
            seconds = [case["seconds"] for case in json.load(file)["cases"]]
    else:
        lines = [re.search(r" (\d+)/\d+ of .*, ([0-9.e+-]+) s$", line) for line in sys.stdin]
        seconds = [float(found[2]) for found in sorted((f for f in lines if f), key=lambda f: int(f[1]))]
    total, longest = sum(seconds), max(seconds)
    print(f"{len(seconds)} tasks, {total:.4g} s of work, the longest {longest:.4g} s\n")
    print("| workers | time | efficiency | at most, for the longest task |\n|---|---|---|---|")
    for workers in WORKERS:
        span = makespan(seconds, workers)
        print(f"| {workers} | {span:.4g} s | {total / workers / span:.0%} | {min(1, total / workers / longest):.0%} |")


if __name__ == "__main__":
    main()

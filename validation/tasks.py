#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps what the tasks of a nightly validation took, so that the next one hands them out longest first.

    mpirun -n 2 dpcurves-mpi --directory DIR --shards 1000 validate --profile nightly --seed 7 --output nightly.txt
    dpcurves merge --list DIR/*.shard | python3 validation/tasks.py > tasks.csv
    mv tasks.csv validation/results/nightly-tasks.csv

A shard must hold one task at most: more shards than tasks. Which task it holds follows from the table that the program
was built with, as in runner.cpp (the largest expected seconds first, else the order of the cases), so this is run before
the table is replaced. `--schedule` prints the kept tasks as lines of merge --list, for lib/bench/schedule.py.
"""
import json
import re
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
HEAD = """# Processor seconds of the parts of each case in a nightly run, validation/tasks.py; a case has so many parts.
"""


def kept():
    """Case to the seconds of its parts."""
    with open(RESULTS / "nightly-tasks.csv", encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    return {name: [float(one) for one in seconds.split()] for name, seconds in rows}


def tasks(table, cases):
    """(case, part, expected seconds) in the order in which they are handed out."""
    average = sum(map(sum, table.values())) / len(table)
    pieces = [(name, part, seconds) for name in cases for part, seconds in enumerate(table.get(name, [average]))]
    return sorted(pieces, key=lambda piece: -piece[2])


def main():
    with open(RESULTS / "last.json", encoding="utf-8") as file:
        cases = [case["id"] for case in json.load(file)["cases"]]
    pieces = tasks(kept(), cases)
    if sys.argv[1:] == ["--schedule"]:
        for number, (name, part, seconds) in enumerate(pieces, 1):
            print(f"{name} {part + 1}: {number}/{len(pieces)} of the nightly run, {seconds} s")
        return
    found = [re.search(r" (\d+)/(\d+) of .*, ([0-9.e+-]+) s$", line) for line in sys.stdin]
    seconds = {int(one[1]): one[3] for one in found if one}
    shards = {int(one[2]) for one in found if one}
    if len(shards) != 1 or shards.pop() < len(pieces) or len(seconds) < len(pieces):
        sys.exit(f"validation/tasks.py: {len(pieces)} tasks need as many shards of one run, and more of them than that")
    table = {}
    for number, (name, part, _) in enumerate(pieces, 1):
        table.setdefault(name, {})[part] = seconds[number]
    print(HEAD, end="")
    for name in cases:
        print(f"{name},{' '.join(table[name][part] for part in sorted(table[name]))}")


if __name__ == "__main__":
    main()

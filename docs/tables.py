#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The table of epsilons of docs/guide/samplers.md, held to what the program answers.

    python3 docs/tables.py DPCURVES

A cell with one number has both ends within a unit of its last digit, one with two has each within that; a cell in words
is a question that no theorem answers. Exit code 1, and the cell, where that is not so, or where a row is not known here.
"""
import json
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "guide" / "samplers.md"
ADJACENCIES = ("add-or-remove", "zero-out", "replace-one")
NUMBER = re.compile(r"\d+\.\d+")
FOUR = ", 4 records of one owner"
GROUP = "--group-size 4"
FIXED = "--sampling fixed-size --batch-size 100 --records 10000"
CYCLE = "--sampling cyclic-poisson --cycle 10 --sampling-rate 0.1"
CUT = "--sampling truncated-poisson --largest-batch 120 --sampling-rate 0.01 --records 10000"
# The options of each row, and the theorem where it is not the best that the command finds.
ROWS = {
    "poisson": ("--sampling-rate 0.01", None),
    "poisson" + FOUR: (f"--sampling-rate 0.01 {GROUP}", None),
    "fixed-size": (FIXED, None),
    "fixed-size" + FOUR: (f"{FIXED} {GROUP}", None),
    "with-replacement": ("--sampling with-replacement --batch-size 100 --records 10000", None),
    "cyclic-poisson": (CYCLE, None),
    "cyclic-poisson" + FOUR: (f"{CYCLE} {GROUP}", None),
    "truncated-poisson": (CUT, "accountant/truncated-poisson"),
    "the same, by the others that are kept": (CUT, "accountant/truncated-by-others"),
    "truncated-poisson" + FOUR: (f"{CUT} {GROUP}", "accountant/truncated-poisson"),
    "none": ("--sampling none", None),
    "random-allocation, 1 of 100": ("--sampling random-allocation --sampling-rate 0.01", None),
    "random-allocation, 5 of 100 (q = 0.05)": (
        "--sampling random-allocation --uses-per-round 5 --sampling-rate 0.05", None),
    "balls-in-bins": ("--sampling balls-in-bins --sampling-rate 0.01", None),
    "shuffled": ("--sampling shuffled --sampling-rate 0.01", "accountant/shuffled"),
    "b-min-sep, b = 10, q = 0.01": ("--sampling b-min-sep --separation 10 --sampling-rate 0.01", None),
}


def rows():
    """Names and cells of the first table of the page."""
    lines = PAGE.read_text().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("| sampler |")) + 2
    for line in lines[first:]:
        if not line.startswith("|"):
            return
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        yield name.replace("`", ""), cells


def ends(program, options, theorem, adjacency):
    """Both ends of epsilon, or None where no theorem applies."""
    question = f"privacy dp-sgd --noise-multiplier 2 --steps 1000 --delta 1e-5 --format json {options}"
    done = subprocess.run([program, *question.split(), "--adjacency", adjacency], capture_output=True, text=True)
    if done.returncode == 3:
        return None
    if done.returncode:
        sys.exit(f"dpcurves {question}: {done.stderr}")
    result = json.loads(done.stdout)["results"][0]
    if theorem:
        result = next((one for one in result["all"] if one["theorem"] == theorem and one["applies"]), None)
    return result and (result["epsilon"]["lower"], result["epsilon"]["upper"])


def wrong(cell, found):
    """Whether a cell does not say what was found."""
    shown = NUMBER.findall(cell)
    if not shown or not found:
        return bool(shown) or bool(found)
    pairs = zip((shown[0], shown[-1]), found)
    return any(abs(float(text) - value) > 10.0 ** -len(text.split(".")[1]) for text, value in pairs)


def main(program):
    table = list(rows())
    failed = sorted({name for name, _ in table} ^ set(ROWS))
    for name in failed:
        print(f"{PAGE.name}: the row {name} is in one of the page and this file alone")
    for name, cells in table:
        for cell, adjacency in zip(cells, ADJACENCIES):
            if name in ROWS and wrong(cell, found := ends(program, *ROWS[name], adjacency)):
                print(f"{PAGE.name}: {name}, {adjacency}: {cell} is shown, and {found} found")
                failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

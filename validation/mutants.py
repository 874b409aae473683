#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Mutates what the theorems' functions returned and counts which mutants the comparisons of a run notice.

    python3 validation/mutants.py RESULT.json

A mutant replaces the claimed value c of every comparison of the claim. It is noticed where the same interval refutes
it: the interval of `value <= c` lies above the mutated c, that of `value >= c` below, or c is farther from the value
than an equality allows. In a case with an experiment, comparisons of formulas with each other do not count.
"""
import json
import math
import sys

FACTORS = {"0.9": 0.9, "0.7": 0.7, "0.5": 0.5, "0.25": 0.25, "dropped": 0.0, "flipped": -1.0}


def value(number):
    """null is NaN; infinities are texts."""
    return math.nan if number is None else float(number)


def noticed(comparison, factor):
    if "relation" not in comparison:
        return False
    claimed, (low, high) = value(comparison["claimed"]), map(value, comparison["interval"])
    if comparison["relation"] == ">=":
        if claimed <= 0.0:
            return False
        return factor > 0.0 and high < claimed / factor  # sharpened: larger; without it nothing is claimed
    mutant = factor * claimed
    if comparison["relation"] == "<=":
        return claimed > 0.0 and low > mutant
    return claimed != 0.0 and abs(value(comparison["value"]) - mutant) > value(comparison["allowance"])


def counted(case):
    """The comparisons that carry the claim, on the case's basis."""
    by = case["monte_carlo"]["by"]
    for group in case["groups"]:
        if group["role"] == "claim":
            yield from (one for one in group["listed"] if by == "formula" or one["by"] != "formula")


def mutants(case):
    """Name of a mutant -> whether it is noticed."""
    comparisons = list(counted(case))
    return {name: any(noticed(one, factor) for one in comparisons) for name, factor in FACTORS.items()}


def judged(case):
    kinds = ("/theorem", "/corollary", "/proposition", "/lemma")
    return any(kind in case["id"] for kind in kinds) and case["verdict"] in ("holds", "vacuous")


def table(cases):
    """A line per paper: how many of its mutants are noticed, by kind."""
    papers = {}
    for case in filter(judged, cases):
        papers.setdefault(case["id"].split("/")[0], []).append(mutants(case))
    lines = ["| paper | items | " + " | ".join(FACTORS) + " | all |", "|---" * (len(FACTORS) + 3) + "|"]
    for paper, found in papers.items():
        shares = [sum(one[name] for one in found) for name in FACTORS]
        lines.append(f"| {paper} | {len(found)} | " + " | ".join(str(share) for share in shares)
                     + f" | {sum(shares)} of {len(FACTORS) * len(found)} |")
    return lines


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    for case in filter(judged, cases):
        missed = [name for name, seen in mutants(case).items() if not seen]
        if missed:
            print(f"{case['id']} ({case['verdict']}): not noticed: {', '.join(missed)}")
    print("\n".join([""] + table(cases)))


if __name__ == "__main__":
    main()

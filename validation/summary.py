#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/validation.md from the kept result of the last nightly run.

    dpcurves validate --profile nightly --format json --output validation/results/nightly.json
    python3 validation/summary.py
"""
import collections
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULT = ROOT / "validation/results/nightly.json"


def good(case):
    return case["verdict"] == case["expected"] and case["control"] == "refuted"


def main():
    run = json.loads(RESULT.read_text())
    cases = run["cases"]
    papers = {}
    for case in cases:
        papers.setdefault(case["id"].split("/")[0], []).append(case)
    unexpected = [case for case in cases if not good(case)]
    covered = run["catalogue"]
    again = len(run.get("again", []))
    after_mending = f" ({again} of them [run again](#run-again) after they were mended)" if again else ""
    lines = [
        "# The last nightly validation",
        "",
        f"{run['date']}, version {run['version']}, seed {run['seed']}: **{len(cases) - len(unexpected)} of "
        f"{len(cases)} cases as expected**{after_mending}, every one with a control, a deliberately wrong claim that the same "
        f"comparison must refute. {sum(c['comparisons'] for c in cases)} comparisons, {run['intervals']} of them exact "
        f"intervals; the chance that a run of true claims is refuted anywhere is below "
        f"{run['false_alarm_probability']:.1e}. {run['wall_seconds'] / 60:.0f} minutes on a shared machine with 2 cores.",
        "",
        "The nightly profile is the ci profile with more paths, larger problems and a seed of its own. Repeat it, or one "
        "case of it, by",
        "",
        "```",
        f"dpcurves validate --profile nightly --seed {run['seed']} [ID ...]",
        "```",
        "",
        "This page is written by `python3 validation/summary.py` from `validation/results/nightly.json`. What the words "
        "mean, and how the report with pictures is made, is in [the validation report](guide/validation.md).",
        "",
        "| paper | cases | hold | refuted as printed | not as expected | comparisons | seconds of work |",
        "|---|---|---|---|---|---|---|",
    ]
    for paper, mine in papers.items():
        verdicts = collections.Counter(case["verdict"] for case in mine)
        lines.append(f"| {paper} | {len(mine)} | {verdicts['holds']} | {verdicts['refuted']} | "
                     f"{sum(not good(case) for case in mine)} | {sum(c['comparisons'] for c in mine)} | "
                     f"{sum(c['seconds'] for c in mine):.0f} |")
    lines += ["", f"The catalogue has {covered['entries']} items: {covered['with_case']} have a case (one may serve "
              f"several), {covered['not_computable']} have none, and say why (`dpcurves theorem show ID`).", ""]
    if unexpected:
        lines += ["## Not as expected", ""]
        for case in unexpected:
            lines.append(f"- `{case['id']}`: {case['verdict']}, expected {case['expected']}, control {case['control']}"
                         + (f"; {case['error']}" if "error" in case else ""))
            lines += [f"  - {line}" for line in case.get("broken", [])]
        lines.append("")
    if run.get("again"):
        lines += ["## Run again", "", "These cases were not as expected at first. They were mended and run again with the same "
                  "seed; the other cases are as the first run left them.", ""]
        for case in run["again"]:
            lines += [f"- `{case['id']}`: {case['mended']}", *(f"  - was {line}" for line in case["broken"])]
        lines.append("")
    lines += ["## Refuted as printed", "", "What the print claims and a run shows to be false; the corrected form is in "
              "[errata](errata.md) and holds in a case or comparison of its own.", ""]
    lines += [f"- `{case['id']}`: {case['claim']}" for case in cases if case["verdict"] == "refuted"]
    lines += ["", "## Every case", "", "| case | verdict | comparisons | seconds |", "|---|---|---|---|"]
    lines += [f"| `{case['id']}` | {case['verdict']} | {case['comparisons']} | {case['seconds']:.1f} |" for case in cases]
    (ROOT / "docs/validation.md").write_text("\n".join(lines) + "\n")


main()

#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the result of a run, a line per case, and writes docs/validation.md from the kept one.

    dpcurves validate --profile nightly --format json --output run.json
    python3 validation/summary.py [run.json]
"""
import collections
import json
import pathlib
import sys

import mutants

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULT = ROOT / "validation/results/last.json"


BARS = "▁▂▃▄▅▆▇█"


def number(value, digits=2):
    """Three significant digits; "–" for nothing."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def bar(resolution):
    return "" if resolution is None else BARS[min(7, int(8 * resolution))] + " "


def theorem(case):
    return any(kind in case["id"] for kind in ("/theorem", "/corollary", "/proposition"))


def tried(case):
    """Resolution by an experiment, or None."""
    by_experiment = case["monte_carlo"]["by"] != "formula" and case["verdict"] != "vacuous"
    return case["resolution"] if by_experiment else None


def verdict(case):
    if case["as_printed"] and case["as_repaired"]:
        return f"{case['as_printed']}, repaired {case['as_repaired']}"
    return case["as_printed"] or f"{case['as_repaired']} as repaired"


def experiment(case):
    monte_carlo = case["monte_carlo"]
    return f"{monte_carlo['runs']} runs" if monte_carlo["runs"] else monte_carlo["by"]


def controls(case):
    groups = [group for group in case["groups"] if group["role"] == "claim"]
    return ", ".join(f"{group['control']['broken']} of {group['control']['comparisons']}" for group in groups)


def factor_two(case):
    """Whether the claim sharpened by a factor 2 is refuted; if not, how far the best attack stays behind."""
    if case["verdict"] == "vacuous" or (case["verdict"] == "refuted" and case["as_repaired"] != "holds"):
        return case["verdict"]
    if mutants.mutants(case)["0.5"]:
        return "noticed"
    gap = case["gap"] and case["gap"]["least"]
    if gap is None or gap == "inf":
        return "no scale"
    return f"loose: the best attack reaches {1.0 / gap:.2g}" if gap > 0 else "no scale"


def table(cases):
    lines = ["| item | verdict | resolution | gap | a factor 2 | by | control broken |", "|---|---|---|---|---|---|---|"]
    for case in cases:
        gap = case["gap"]
        lines.append(f"| `{case['id']}` | {verdict(case)} | {bar(tried(case))}{number(tried(case))} | "
                     f"{number(gap['least'], 3) if gap else '–'} | {factor_two(case)} | {experiment(case)} | {controls(case)} |")
    return lines


def keep(run):
    """A line per case, so that the next run differs where it differs."""
    head = {key: value for key, value in run.items() if key != "cases"}
    cases = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in run["cases"])
    RESULT.write_text(json.dumps(head, ensure_ascii=False)[:-1] + ', "cases": [\n' + cases + "\n]}\n")


def main():
    if len(sys.argv) > 1:
        keep(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    run = json.loads(RESULT.read_text())
    cases = run["cases"]
    papers = {}
    for case in cases:
        papers.setdefault(case["id"].split("/")[0], []).append(case)
    unexpected = [case for case in cases if not case["good"]]
    covered = run["catalogue"]
    nightly = run["profile"] == "nightly"
    lines = [
        "# The last nightly validation" if nightly else "# The last validation that was kept",
        "",
        f"{run['date']}, version {run['version']}, profile {run['profile']}, seed {run['seed']}: "
        f"**{len(cases) - len(unexpected)} of {len(cases)} cases as expected**; in each, every part of the claim has a "
        f"control, a false claim near it that the same comparison must refute. {run['sentence']} "
        f"{run['wall_seconds']:.0f} seconds on two cores.",
        "",
        "Repeat it, or one case of it, by",
        "",
        "```",
        f"dpcurves validate --profile {run['profile']} --seed {run['seed']} [ID ...]",
        "```",
        "",
        "This page is written by `python3 validation/summary.py` from `validation/results/last.json`. What the words "
        "mean is in [the validation report](guide/validation.md#what-the-words-mean): the resolution is the largest "
        "factor by which a claim could be sharpened before the same data refute it; *vacuous* is a bound beyond what "
        "holds without the theorem at every size that can be run.",
        "",
        "| paper | cases | hold | refuted as printed | vacuous | not as expected | theorems, corollaries, propositions "
        "| of them with an experiment | with resolution 0.5 and more |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for paper, mine in papers.items():
        verdicts = collections.Counter(case["verdict"] for case in mine)
        main_items = [case for case in mine if theorem(case)]
        lines.append(f"| {paper} | {len(mine)} | {verdicts['holds']} | {verdicts['refuted']} | {verdicts['vacuous']} | "
                     f"{sum(not case['good'] for case in mine)} | {len(main_items)} | "
                     f"{sum(case['monte_carlo']['by'] != 'formula' for case in main_items)} | "
                     f"{sum((tried(case) or 0) >= 0.5 for case in main_items)} |")
    lines += ["", f"The catalogue has {covered['entries']} items: {covered['with_case']} have a case (one may serve "
              f"several), {covered['not_computable']} have none, and say why (`dpcurves theorem show ID`).", ""]
    if unexpected:
        lines += ["## Not as expected", ""]
        lines += [f"- `{case['id']}`: {case['failure']}" for case in unexpected] + [""]
    if run.get("again"):
        lines += ["## Run again", "", "These cases were not as expected at first. They were mended and run again with the same "
                  "seed; the other cases are as the first run left them.", ""]
        for case in run["again"]:
            lines += [f"- `{case['id']}`: {case['mended']}", *(f"  - was {line}" for line in case["broken"])]
        lines.append("")
    lines += ["## Refuted as printed", "", "What the print claims and a run, or the proof in [errata](errata.md), shows to "
              "be false. Where the case tries the repaired form, its verdict is that of the repaired form.", ""]
    for case in cases:
        if case["as_printed"] == "refuted" or case["as_repaired"]:
            shown = "refuted by this run" if case["as_printed"] == "refuted" else "see errata"
            repaired = f", repaired: {case['as_repaired']}" if case["as_repaired"] else ""
            lines.append(f"- `{case['id']}`: {shown}{repaired}. {case['claim']}")
    lines += ["", "## Vacuous", ""]
    for case in cases:
        if case["verdict"] == "vacuous":
            why = case["vacuous"]
            lines.append(f"- `{case['id']}`: the bound is {number(why['bound'], 3)} where {number(why['trivial'], 3)} holds "
                         f"without it; it speaks {why['speaks']}.")
    lines += ["", "## Mutants", "", "Of what the functions of theorems, corollaries, propositions and lemmas returned, a "
              "share, nothing, or the negative was claimed instead in every comparison: how many of these wrong theorems "
              "the same data refute (`sh tools/mutants.sh`).", "", *mutants.table(cases)]
    lines += ["", "## Theorems, corollaries and propositions", "", *table([case for case in cases if theorem(case)]),
              "", "## Everything else", "", *table([case for case in cases if not theorem(case)])]
    (ROOT / "docs/validation.md").write_text("\n".join(lines) + "\n")


main()

#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every benchmark once, keeps the JSON in lib/bench/results and writes docs/benchmarks.md from it.

    cmake --preset release && cmake --build --preset release
    python3 lib/bench/run.py [PROGRAM ...]      # only these, for example kan; the table uses kept results for the rest

A speed claim is a ratio of two times of one run of one program, so that the machine's mood cancels.
"""
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "lib/bench/results"

# (program, what is claimed, the naive method's name, the name of ours, the ratio that the project promises or None)
CLAIMS = [
    ("accounting", "delta of 1,000 Poisson steps: contour against t-fold convolution",
     "direct_convolution/1000/iterations:1", "contour/poisson/1000", 100),
    ("accounting", "delta of 10,000 Poisson steps: contour against t-fold convolution",
     "direct_convolution/10000/iterations:1", "contour/poisson/10000", 1000),
    ("accounting", "the same, 1,000 steps of a fixed batch size", "direct_convolution/1000/iterations:1",
     "contour/fixed_size/1000", None),
    ("accounting", "the same, 10,000 steps of a fixed batch size", "direct_convolution/10000/iterations:1",
     "contour/fixed_size/10000", None),
    ("accounting", "cost against the number of steps: 1,000 Poisson steps against 1,000,000", "contour/poisson/1000",
     "contour/poisson/1000000", None),
    ("renyi_loss", "one pair of neighbouring HSGD laws, d = 1000: low rank against dense matrices",
     "one_pair_dense/1000", "one_pair_low_rank/1000", 1000),
    ("risk", "Volterra risk, 1,000 eigenvalues: collocation against trapezoids with 400 steps (less accurate)",
     "trapezoid/1000/400", "collocation/1000", 100),
    ("kan", "training step of a KAN, per-example clipping: against all gradients of the batch formed",
     "step_by_example<Formed::all>/512", "step_by_structure/512", 10),
    ("kan", "the same, against one gradient formed after the other in the same matrix",
     "step_by_example<Formed::one_by_one>/512", "step_by_structure/512", None),
    ("patch", "80 private steps of the two-layer network, batches of 50: against one gradient formed after the other",
     "reduced_run_forming_gradients", "reduced_run", None),
    ("patch", "80 private steps with 100 examples in 10,000 dimensions: in the span of the data against step by step",
     "wide_run/step_by_step", "wide_run/in_the_span", None),
    ("patch", "matrix product with the same bits everywhere, against Eigen for any x86-64", "product/eigen_baseline",
     "product/own", None),
    ("network", "clipped gradient sum, three layers of width 256, batch 256, 784 inputs: against all gradients formed",
     "sum_of_all_gradients/784/iterations:20", "sum_by_structure/784", 10),
    ("network", "the same, against one gradient formed after the other in the same vector", "sum_by_example/784",
     "sum_by_structure/784", None),
    ("glm", "gradient of a Moreau envelope: the fewest inner steps that are accurate enough against a root",
     ("literal", "reaching_over_root"), None, None),
    ("glm", "the same: the inner steps that Lemma 6 prescribes at n = 1e4 (extrapolated from 2e5 of them)",
     ("literal", "prescribed_over_root"), None, 1e4),
    ("simulate", "simulated SGD on fresh records, d = 1000: the arithmetic limit (its normals and products) against it",
     "normals/limit of SGD on fresh records/1000", "fresh_records/1000", 0.7),
    ("simulate", "simulated SGD on one data set, d = 1000: the same", "normals/limit of SGD on one data set/1000",
     "one_data_set/1000", 0.7),
    ("softmax", "epoch of softmax regression, 60,000 x 784 with 19 % of the features not zero: against all gradients "
     "formed", "all_formed/19", "without_forming/19", 10),
    ("softmax", "the same, no feature zero", "all_formed/100", "without_forming/100", None),
    ("opacus", "the epoch with 19 %, in double precision: against Opacus in single precision", "opacus",
     "without_forming/19", 5),
    ("opacus", "the same, against its ghost clipping", "opacus, ghost clipping", "without_forming/19", None),
    ("accounting", "epsilon of DP-SGD: 1,000 steps against 1,000,000", "dp_sgd_epsilon/1/1000",
     "dp_sgd_epsilon/1/1000000", 0.5),
    ("accounting", "epsilons of 1,000 numbers of steps: contours alone against shared ones",
     "epsilons_of_steps/alone/1000/iterations:1", "epsilons_of_steps/shared/1000/iterations:1", None),
]

# (program, what, the benchmark, its operations or None for the time of one call, asked: seconds or operations a second)
LIMITS = [
    ("accounting", "trade-off function of 1,000 fixed-size steps at 1,000 points", "tradeoff_of_1000_points/1000", None, 0.5),
    ("accounting", "the same, 1,000,000 steps", "tradeoff_of_1000_points/1000000", None, 0.5),
    ("accounting", "epsilons of 10,000 numbers of steps, one direction", "epsilons_of_steps/shared/10000/iterations:1", None,
     10.0),
    ("interpolation", "shift problem, 1,000,000 steps", "solve_constant_contraction/1000000", None, 0.2),
    ("random", "normal numbers a second and core, best instruction set", "normals/avx512/4096", 4096, 150e6),
    ("random", "normal numbers a second and core, AVX2", "normals/avx2/4096", 4096, 150e6),
    ("random", "normal numbers a second and core, any x86-64 (two lanes)", "normals/sse2/4096", 4096, None),
    ("risk", "risk of noisy SGD, 1,000 eigenvalues, 100 steps", "collocation_steps/100", None, 0.02),
    ("risk", "risk of noisy SGD, 1,000,000 distinct eigenvalues", "collocation/1000000", None, 2.0),
    ("renyi_loss", "Renyi loss of one pair, d = 1000", "one_pair_low_rank/1000", None, 50e-6),
    ("renyi_loss", "loss curve: 3 releases, 10 orders, 50 times, d = 1000", "whole_loss_curve/1000/iterations:1", None, 2.0),
    ("patch", "80 private steps of the two-layer network (K = 5, d = 200, m = 20, n = 100)", "reduced_run", None, 0.06),
    ("patch", "one run of the full-size heat map, d = 1000 (of 60)", "full_size_run", None, None),
    ("glm", "records a second of phased SGD, d = 5, in one pass", "phased_pass/5", 1 << 17, None),
]

# (what, the words of the command, asked: seconds of wall time, asked: megabytes)
COMMANDS = [
    ("1,000,000 subsampled steps at delta = 1e-12", "privacy composition --component 1000000:0.001:1 --delta 1e-12",
     0.05, 100),
    ("DP-SGD, q = .01, 1,000 steps", "privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000 --delta 1e-5",
     0.1, 200),
    ("DP-SGD, q = .01, 1,000,000 steps",
     "privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000000 --delta 1e-5", 0.1, 200),
    ("DP-SGD, q = 1e-5, 1,000,000 steps, delta = 1e-12",
     "privacy dp-sgd --noise-multiplier 1 --sampling-rate 1e-5 --steps 1000000 --delta 1e-12", None, 200),
    ("risk of noisy SGD, 20 eigenvalues", "risk noisy-least-squares --problem data/examples/least-squares-figure-2a.json "
     "--iterations 0,100,1500", None, None),
]


def runs(names):
    folder = ROOT / "build/release/lib/bench"
    for program in sorted(folder.glob("bench_*")):
        name = program.name.removeprefix("bench_")
        if names and name not in names:
            continue
        print("running", program.name, flush=True)
        out = RESULTS / f"{name}.json"
        fresh = out.with_suffix(".new")
        subprocess.run([program, f"--benchmark_out={fresh}", "--benchmark_out_format=json"], check=True,
                       stdout=subprocess.DEVNULL)
        data = json.loads(fresh.read_text())
        for key in ("host_name", "executable"):
            data["context"].pop(key, None)
        out.write_text(json.dumps(data, indent=1) + "\n")
        fresh.unlink()


def results():
    return {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}


def seconds(benchmark):
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[benchmark["time_unit"]]
    return benchmark["cpu_time"] * unit


def shown(time):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if time >= size:
            return f"{time / size:.3g} {unit}"
    return f"{time:.3g} s"


def whole_process(words):
    """Least wall time of five runs in seconds, and the largest memory in megabytes."""
    best, memory = float("inf"), 0.0
    for _ in range(5):
        start = time.monotonic()
        child = subprocess.Popen([ROOT / "build/release/tools/dpcurves", *words.split(), "--quiet"], cwd=ROOT,
                                 stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        best = min(best, time.monotonic() - start)
        memory = max(memory, usage.ru_maxrss / 1024)
        if status != 0:
            raise SystemExit(f"dpcurves {words} failed")
    return {"what": words, "seconds": best, "megabytes": memory}


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def named(kept, program):
    return {b["name"]: b for b in kept[program]["benchmarks"] if b.get("run_type") != "aggregate"}


def benchmark(kept, program, name):
    found = named(kept, program)
    if name not in found:
        raise SystemExit(f"bench_{program} has no {name}; it has {sorted(found)}")
    return found[name]


def row(kept, program, cells, kept_promise, what):
    if not kept_promise:
        print(f"NOT KEPT: {what}", file=sys.stderr)
    date = (kept[program]["context"].get("date") or "")[:10]
    return f"| {what} | {' | '.join(cells)} | `bench_{program}` {date} |"


def claims(kept):
    lines = ["| what | naive | dpcurves | ratio | promised | run of |", "|---|---|---|---|---|---|"]
    for program, what, slow, fast, promised in CLAIMS:
        if isinstance(slow, tuple):  # a ratio that the program has formed
            ratio, times = benchmark(kept, program, slow[0])[slow[1]], ["", ""]
        else:
            pair = [seconds(benchmark(kept, program, name)) for name in (slow, fast)]
            ratio, times = pair[0] / pair[1], [shown(t) for t in pair]
        lines.append(row(kept, program, [*times, f"{ratio:.3g}", '' if promised is None else f'{promised:g}'],
                         promised is None or ratio >= promised, what))
    return lines


def limits(kept):
    lines = ["| what | measured | asked | run of |", "|---|---|---|---|"]
    for program, what, name, operations, asked in LIMITS:
        time_of_one = seconds(benchmark(kept, program, name))
        if operations:
            rate = operations / time_of_one
            cells, good = [f"{rate / 1e6:.0f} million", f"{asked / 1e6:.0f} million" if asked else ""], not asked or rate >= asked
        else:
            cells, good = [shown(time_of_one), shown(asked) if asked else ""], not asked or time_of_one <= asked
        lines.append(row(kept, program, cells, good, what))
    return lines


def commands(measured):
    lines = ["| what | wall time | asked | memory | asked |", "|---|---|---|---|---|"]
    for (what, words, most_seconds, most_memory), run in zip(COMMANDS, measured["runs"]):
        if run["what"] != words:
            raise SystemExit("lib/bench/results/processes.json is of other commands: run again without arguments")
        if run["seconds"] > (most_seconds or 1e9) or run["megabytes"] > (most_memory or 1e9):
            print(f"NOT KEPT: {what}", file=sys.stderr)
        lines.append(f"| {what} | {shown(run['seconds'])} | {shown(most_seconds) if most_seconds else ''} | "
                     f"{run['megabytes']:.0f} MB | {f'{most_memory} MB' if most_memory else ''} |")
    lines += ["", f"Of {measured['date']}, the least of five runs:", "", "```"]
    return [*lines, *(f"dpcurves {words}" for _, words, _, _ in COMMANDS), "```"]


def main():
    names = sys.argv[1:]
    runs(names)
    processes = RESULTS / "processes.json"
    if not names or "processes" in names:
        measured = {"date": datetime.date.today().isoformat(), "runs": [whole_process(words) for _, words, _, _ in COMMANDS]}
        processes.write_text(json.dumps(measured, indent=1) + "\n")
    kept = results()
    measured = kept.pop("processes")
    cores = max(data["context"]["num_cpus"] for data in kept.values())
    lines = [
        "# Benchmarks",
        "",
        f"Written by `python3 lib/bench/run.py` on {cores} cores of a shared machine ({processor()}), release build, "
        "processor time of one thread. Read the ratios: both sides of one come from the same run of the same program. "
        "The JSON of every program is kept in `lib/bench/results`.",
        "",
        "## Claims",
        "",
        *claims(kept),
        "",
        "## Limits in time",
        "",
        *limits(kept),
        "",
        "## Whole processes",
        "",
        *commands(measured),
        "",
        "## Everything that was measured",
        "",
    ]
    for program, data in kept.items():
        lines += [f"**bench_{program}**", "", "| benchmark | time |", "|---|---|"]
        lines += [f"| `{b['name']}` | {shown(seconds(b))} |" for b in data["benchmarks"]
                  if b.get("run_type") != "aggregate" and "cpu_time" in b]
        lines.append("")
    page = ROOT / "docs/benchmarks.md"
    rest = page.read_text().partition("\n## Many machines\n")  # and Peers, by tools/python/tests/peers.py
    page.write_text("\n".join(lines).rstrip() + "\n" + "".join(rest[1:]))


main()

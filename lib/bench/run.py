#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every benchmark once, keeps the JSON in lib/bench/results and writes docs/benchmarks.md from it.

    cmake --preset release && cmake --build --preset release
    python3 lib/bench/run.py [PROGRAM ...]      # only these, for example kan; the table uses kept results for the rest

A speed claim is a ratio of two times of one run of one program, so that the machine's mood cancels.
"""
import json
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "lib/bench/results"

# (program, what is claimed, the naive method's name, the name of ours, the ratio that the project promises or None)
CLAIMS = [
    ("accounting", "delta of 1,000 subsampled steps: contour against t-fold convolution",
     "direct_convolution/1000/iterations:1", "contour/1000", 100),
    ("accounting", "delta of 10,000 subsampled steps: contour against t-fold convolution",
     "direct_convolution/10000/iterations:1", "contour/10000", 1000),
    ("accounting", "cost against the number of steps: 1,000 steps against 1,000,000", "contour/1000",
     "contour/1000000", None),
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


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    runs(sys.argv[1:])
    kept = results()
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
        "| what | naive | dpcurves | ratio | promised | run of |",
        "|---|---|---|---|---|---|",
    ]
    for program, what, slow, fast, promised in CLAIMS:
        times = {b["name"]: seconds(b) for b in kept[program]["benchmarks"] if b.get("run_type") != "aggregate"}
        missing = [name for name in (slow, fast) if name not in times]
        if missing:
            raise SystemExit(f"bench_{program} has no {missing}; it has {sorted(times)}")
        ratio = times[slow] / times[fast]
        if promised and ratio < promised:
            print(f"NOT KEPT: {what}: {ratio:.3g} < {promised}", file=sys.stderr)
        date = (kept[program]["context"].get("date") or "")[:10]
        lines.append(f"| {what} | {shown(times[slow])} | {shown(times[fast])} | {ratio:.3g} | "
                     f"{'' if promised is None else f'{promised}'} | `bench_{program}` {date} |")
    lines += ["", "## Everything that was measured", ""]
    for program, data in kept.items():
        lines += [f"**bench_{program}**", "", "| benchmark | time |", "|---|---|"]
        lines += [f"| `{b['name']}` | {shown(seconds(b))} |" for b in data["benchmarks"]
                  if b.get("run_type") != "aggregate" and "cpu_time" in b]
        lines.append("")
    (ROOT / "docs/benchmarks.md").write_text("\n".join(lines).rstrip() + "\n")


main()

#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""One epoch of softmax regression with clipped gradients by Opacus, beside that of bench_softmax in the same minute.

    pip install opacus
    python3 lib/bench/bench_opacus.py BENCH_SOFTMAX      # keeps lib/bench/results/opacus.json; then run.py writes the page

60,000 x 784 and a bias, ten classes, batches of 1500 in a fixed order, clip 5, noise: single precision and one thread,
the least processor time of three epochs after one that is not counted. Opacus forms the gradients of a batch; its
"ghost" mode forms their norms and runs backwards twice.
"""
import datetime
import json
import pathlib
import subprocess
import sys
import time
import warnings

import numpy
import opacus
import torch

warnings.filterwarnings("ignore")  # of torch about hooks
RESULTS = pathlib.Path(__file__).resolve().parent / "results"
EXAMPLES, BATCH, INPUTS, CLASSES, CLIP = 60000, 1500, 784, 10, 5.0


def epoch_time(ghost: bool, features, labels) -> float:
    model = torch.nn.Linear(INPUTS, CLASSES)
    order = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features, labels), batch_size=BATCH)
    loss = torch.nn.CrossEntropyLoss()
    made = opacus.PrivacyEngine().make_private(
        module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.05), data_loader=order, criterion=loss,
        noise_multiplier=1.5, max_grad_norm=CLIP, poisson_sampling=False, grad_sample_mode="ghost" if ghost else "hooks")
    model, optimizer = made[0], made[1]
    loss = made[2] if ghost else loss
    best = float("inf")
    for turn in range(4):
        start = time.process_time()
        for begin in range(0, EXAMPLES, BATCH):  # slices: what a data loader costs is not counted
            optimizer.zero_grad()
            loss(model(features[begin:begin + BATCH]), labels[begin:begin + BATCH]).backward()
            optimizer.step()
        if turn > 0:
            best = min(best, time.process_time() - start)
    return best


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random = numpy.random.default_rng(1)
    pixels = random.random((EXAMPLES, INPUTS)) * 0.8 * (random.random((EXAMPLES, INPUTS)) < 0.19)
    features = torch.tensor(pixels, dtype=torch.float32)
    labels = torch.arange(EXAMPLES) % CLASSES
    own = json.loads(subprocess.run([sys.argv[1], "--benchmark_filter=without_forming", "--benchmark_format=json"],
                                    check=True, capture_output=True, text=True).stdout)
    found = [{"name": name, "cpu_time": 1e3 * epoch_time(ghost, features, labels), "time_unit": "ms"}
             for name, ghost in (("opacus", False), ("opacus, ghost clipping", True))]
    found += [{key: run[key] for key in ("name", "cpu_time", "time_unit")} for run in own["benchmarks"]]
    context = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
               "num_cpus": own["context"]["num_cpus"], "opacus": opacus.__version__, "torch": torch.__version__}
    (RESULTS / "opacus.json").write_text(json.dumps({"context": context, "benchmarks": found}, indent=1) + "\n")


main()

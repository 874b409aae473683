#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the pictures of docs/plots from the current program, or says which of them are not what it draws.

    python3 docs/plots/draw.py PROGRAM [NAME...]
    python3 docs/plots/draw.py PROGRAM --check [--report FOLDER] [NAME...]
    python3 docs/plots/draw.py PROGRAM --nightly [FOLDER]

PROGRAM is dpcurves; NAME is a picture without .svg, all if none is given, but those of the nightly profile with --nightly
or by name only, and those of full size by name only. Pictures of validation cases are taken from FOLDER, a report of the profile with seed 7 at night, or from
a report that is made for it (minutes, at night a quarter of an hour). --check draws into a folder of its
own, compares, and ends with 1 where a picture is stale: where anything but a place differs, or a place by more than half a
unit of the drawing. Without gnuplot it ends with 77: nothing was compared.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

REPRODUCED = {  # docs/plots/NAME.svg: reproduce ID
    "accountant-figure-1": "accountant/figure-1",
    "accountant-figure-2": "accountant/figure-2",
    "accountant-figure-3": "accountant/figure-3",
    "reproduced-kan-figure-1": "kan-correlated-noise/figure-1",
    **{f"reproduced-figure-{k}": f"shifted-interpolation/figure-{k}" for k in (1, 2, 4, 6, 7, 8, 9, 10)},
    **{f"reproduced-dp-glm-networks-figure-{k}": f"dp-glm-networks/figure-{k}" for k in range(1, 6)},
    **{f"reproduced-long-tail-figure-{k}": f"long-tail-memorization/figure-{k}" for k in range(1, 5)},
    **{f"reproduced-noisy-hsgd-figure-{k}": f"noisy-hsgd/figure-{k}" for k in ("2a", "2b", "3a")},
}
COMMANDS = {  # docs/plots/NAME.svg: the command without --plot
    "accountant-gdp": (
        "attack dp-sgd --batch-size 256 --records 60000 --steps 14063 --mu-delta-floor 1e-15 "
        "--sweep noise-multiplier=0.7:2.3:0.2"
    ),
    "attack": "attack dp-sgd --noise-multiplier 1.1 --batch-size 256 --records 60000 --steps 14063",
    "attack-measures": "attack dp-sgd --batch-size 256 --records 60000 --steps 1000 --sweep noise-multiplier=0.6:2.2:0.2",
    "audit": "audit multi-run data/examples/multi-run-scores.csv --thresholds all --run data/examples/audit-run.toml",
    "dp-glm-networks-lemma-3": "risk glm --link tanh --norm 1 --true-norm 1.5 --cosine 0.3 --sweep cosine",
    "dp-glm-networks-theorem-1": "risk glm --records 65536 --epsilon 1 --delta 1e-5 --rank 10 --sweep records",
    "dp-glm-networks-theorem-1-epsilon": "risk glm --records 65536 --epsilon 1 --delta 1e-5 --rank 10 --sweep epsilon",
    "dp-glm-networks-theorem-13": "risk ntk --width 256 --steps 4000 --records 60000",
    "dp-glm-networks-theorem-2": "risk glm --records 65536 --epsilon 0.2 --delta 1e-5 --rank 2000 --sweep rank",
    "long-tail-memorization-theorem-3": (
        "risk long-tail --records 500 --dimension 1000 --class-records 100 --clipping-factor 0.05 --own-frobenius 400 "
        "--cross-frobenius 8 --frobenius 25 --operator-norm 20 --noise 5e-4 --tail-level 2 --largest-tail-level 3"
    ),
    "noisy-hsgd-renyi-loss": (
        "privacy noisy-least-squares --problem data/examples/noisy-least-squares.json --release last "
        "--renyi-order 1.5 --iterations 1,2,3,5,8,12,20,30,45,60"
    ),
    "noisy-hsgd-risk": "risk noisy-least-squares --problem data/examples/least-squares-figure-2a.json --noise 1,1.25,1.5",
    "samplers-positions": (
        "curve profile dp-sgd --sampling balls-in-bins --noise-multiplier 1 --sampling-rate 0.01 --steps 1000"
    ),
    "samplers-truncated": (
        "privacy dp-sgd --sampling truncated-poisson --adjacency zero-out --noise-multiplier 2 --sampling-rate 0.01 "
        "--records 10000 --steps 1000 --delta 1e-5 --sweep largest-batch=104:152:4"
    ),
    "three-questions": (
        "curve tradeoff noisy-cgd --sensitivity 10 --batch-size 1500 --noise 0.01 --batches-per-epoch 40 --epochs 200 "
        "--contraction 0.9998"
    ),
}
COMMANDS["readme-tradeoff"] = COMMANDS["three-questions"]
REPORTED = {  # docs/plots/NAME.svg: another name in the report
    "dp-glm-networks-degrees": "dp-glm-networks-remark-12",
    "dp-glm-networks-kernel": "dp-glm-networks-lemma-22",
    "dp-glm-networks-oracle": "dp-glm-networks-algorithm-4",
}
NIGHTLY = {  # docs/plots/NAME.svg: its name in a report of the nightly profile
    **{name: name for name in ("accountant-random-allocation", "accountant-random-allocation-2", "accountant-random-allocation-3")},
    "dp-glm-networks-simulation-records": "dp-glm-networks-theorem-1",
    "dp-glm-networks-simulation-epsilon": "dp-glm-networks-theorem-1-2",
    "dp-glm-networks-simulation-dimension": "dp-glm-networks-theorem-2",
    **{f"kan-correlated-noise-theorem-{k}": f"kan-correlated-noise-theorem-{k}" for k in ("4.1", "e.1", "f.12")},
}
NIGHT = (
    "validate --profile nightly --seed 7 accountant/random-allocation dp-glm-networks/theorem-1 dp-glm-networks/theorem-2 "
    "kan-correlated-noise/theorem-4.1 kan-correlated-noise/theorem-e.1 kan-correlated-noise/theorem-f.12"
)
FULL_SIZE = {  # docs/plots/NAME.svg: reproduce, minutes each, on images that sh data/fetch.sh mnist gets; drawn by name only
    "full-dp-glm-networks-figure-3": "dp-glm-networks/figure-3 --data data/sets/mnist --full-size --repetitions 3",
    "full-dp-glm-networks-figure-5": "dp-glm-networks/figure-5 --data data/sets/mnist --full-size --repetitions 3",
    "full-long-tail-figure-1": "long-tail-memorization/figure-1 --full-size --repetitions 3",
    "full-long-tail-figure-2": "long-tail-memorization/figure-2 --data data/sets/mnist --full-size --repetitions 2",
    "full-long-tail-figure-3": "long-tail-memorization/figure-3 --full-size",
}
SCRIPTS = {"house": "house.py"}  # with a script of its own, beside this one


def run(program: str, arguments: list, name: str) -> None:
    done = subprocess.run([program, *arguments, "--quiet"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: a verdict, which has its picture
        raise SystemExit(f"{name}: dpcurves {' '.join(arguments)}: {done.stderr.strip()}")


def draw(program: str, name: str, report: pathlib.Path, night: pathlib.Path, into: pathlib.Path) -> None:
    """Draws one picture, with what else the program writes beside it."""
    if name in FULL_SIZE:
        run(program, ["reproduce", *FULL_SIZE[name].split(), "--plot", str(into / f"{name}.svg")], name)
    elif name in REPRODUCED:
        run(program, ["reproduce", REPRODUCED[name], "--plot", str(into / f"{name}.svg")], name)
    elif name in COMMANDS:
        run(program, [*COMMANDS[name].split(), "--plot", str(into / f"{name}.svg")], name)
    else:
        found = night / f"{NIGHTLY[name]}.svg" if name in NIGHTLY else report / f"{REPORTED.get(name, name)}.svg"
        if not found.exists():
            raise SystemExit(f"{name}: is neither in docs/plots/draw.py nor a picture of the report in {found.parent}")
        shutil.copyfile(found, into / f"{name}.svg")


PLACE = re.compile(rb"(?<=\sd=')[^']*|(?<=translate\()[^)]*")
NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def same(drawn: bytes, kept: bytes) -> bool:
    """Whether two pictures show the same: all alike but for places, which may differ by half a unit of the drawing."""
    if PLACE.sub(b"", drawn) != PLACE.sub(b"", kept):
        return False
    for a, b in zip(PLACE.findall(drawn), PLACE.findall(kept)):
        if NUMBER.sub(b"", a) != NUMBER.sub(b"", b):
            return False
        if any(abs(float(x) - float(y)) > 0.5 for x, y in zip(NUMBER.findall(a), NUMBER.findall(b))):
            return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--report", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--nightly", metavar="FOLDER", nargs="?", const="", help="these too; FOLDER if it is there")
    asked = parser.parse_intermixed_args()
    if shutil.which("gnuplot") is None:
        print("gnuplot is missing: nothing was compared")
        return 77
    program = str(pathlib.Path(asked.program).resolve())
    there = {path.stem for path in HERE.glob("*.svg")}
    names = sorted(set(asked.names) or there - set(SCRIPTS) - set(FULL_SIZE) - (set(NIGHTLY) if asked.nightly is None else set()))
    with tempfile.TemporaryDirectory(prefix="dpcurves-plots-") as temporary:
        folder = pathlib.Path(temporary)
        report = asked.report or folder / "report"
        night = pathlib.Path(asked.nightly) if asked.nightly else folder / "night"
        if not asked.report and any(name not in {**FULL_SIZE, **REPRODUCED, **COMMANDS, **NIGHTLY} for name in names):
            run(program, ["validate", "--report", str(report)], "report")
        if not asked.nightly and any(name in NIGHTLY for name in names):
            run(program, [*NIGHT.split(), "--report", str(night)], "report of the night")
        stale = []
        for name in names:
            draw(program, name, report, night, folder)
            drawn, kept = folder / f"{name}.svg", HERE / f"{name}.svg"
            if kept.exists() and same(drawn.read_bytes(), kept.read_bytes()):
                continue
            stale.append(name)
            if not asked.check:
                shutil.copyfile(drawn, kept)
    words = "stale" if asked.check else "drawn anew"
    print(f"{len(names)} pictures, {len(stale)} {words}" + "".join(f"\n  {name}" for name in stale))
    return 1 if asked.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

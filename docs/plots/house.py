#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Draws house.svg, the folders of lib/dpcurves and their dependencies, from the includes as they stand.

An arrow A -> B says that A includes B; arrows that follow from others are left out, so that the order can be seen.
Run it from anywhere: python3 docs/plots/house.py
"""
import collections
import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = {
    "core": "errors, intervals, checks",
    "numerics": "quadrature, roots, FFT",
    "rigorous": "ball arithmetic",
    "random": "counter-based streams",
    "io": "files, CSV, pictures",
    "inference": "from samples to verdicts",
    "tradeoff": "trade-off functions",
    "divergence": "Rényi, hockey stick",
    "mechanism": "what is run",
    "models": "what is trained",
    "simulate": "reference simulators",
    "accounting": "certified composition",
    "attack": "what an attacker can do",
    "transcripts": "what other tools wrote",
    "interpolation": "last-iterate theorems",
    "correlated": "matrix mechanisms",
    "homogenized": "risk and law of HSGD",
    "bounds": "risk bounds",
    "calculators": "every function by its name",
    "catalogue": "every theorem, once",
    "queries": "questions in, reports out",
    "validation": "theorem against simulation; sees everything below",
    "tools": "the program dpcurves; sees everything below",
}
# Rows from the ground up, each name with its column.
ROWS = [
    {"core": 2},
    {"io": 0, "numerics": 1.33, "rigorous": 2.67, "random": 4},
    {"catalogue": 0, "mechanism": 1, "tradeoff": 2, "divergence": 3, "models": 4},
    {"accounting": 1.5, "inference": 2.75, "simulate": 4},
    {"transcripts": 0, "attack": 1, "interpolation": 2, "correlated": 3, "homogenized": 4},
    {"bounds": 3},
    {"calculators": 2},
    {"queries": 1},
]
ROOF = ["validation", "tools"]  # they include everything: drawn as wide as the house, without arrows
WIDTH, HEIGHT, GAP_Y, PAGE = 168, 50, 46, 980


def edges():
    found = collections.defaultdict(set)
    places = {folder.name: folder for folder in (ROOT / "lib/dpcurves").iterdir() if folder.is_dir()}
    places["validation"] = ROOT / "validation"
    places["tools"] = ROOT / "tools"
    for name, place in places.items():
        for file in place.rglob("*.[hc]pp"):
            for target in re.findall(r"#include <dpcurves/([a-z_]+)/", file.read_text()):
                if target != name:
                    found[name].add(target)
            if name == "tools" and re.search(r'#include "validation/', file.read_text()):
                found[name].add("validation")
    return found, {name: len(list(place.rglob("*.hpp"))) for name, place in places.items()}


def reduced(graph):
    def reach(node, skip):
        seen, todo = set(), [n for n in graph[node] if n != skip]
        while todo:
            other = todo.pop()
            if other not in seen:
                seen.add(other)
                todo.extend(graph[other])
        return seen

    return {a: {b for b in graph[a] if b not in reach(a, b)} for a in list(graph)}


def main():
    graph, headers = edges()
    missing = set(headers) - {name for row in [*ROWS, ROOF] for name in row}
    if missing:
        raise SystemExit(f"house.py has no row for {sorted(missing)}")
    place = {}
    for level, row in enumerate(ROWS):
        y = 20 + (len(ROWS) - 1 - level) * (HEIGHT + GAP_Y) + len(ROOF) * (HEIGHT + 10) + 14
        gap = (PAGE - 40 - 5 * WIDTH) / 4
        for name, column in row.items():
            place[name] = (20 + column * (WIDTH + gap), y)
    height = 54 + len(ROWS) * HEIGHT + (len(ROWS) - 1) * GAP_Y + len(ROOF) * (HEIGHT + 10)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PAGE} {height}" font-family="sans-serif">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#667"/></marker></defs>',
        f'<rect width="{PAGE}" height="{height}" fill="#fff"/>',
    ]
    for a, targets in sorted(reduced(graph).items()):
        if a in ROOF:
            continue
        for b in sorted(targets):
            (xa, ya), (xb, yb) = place[a], place[b]
            # Leave and arrive where the line to the other box points, so that arrows fan out.
            lean = max(-1.0, min(1.0, (xb - xa) / PAGE * 2))
            x1, x2 = xa + WIDTH / 2 + lean * WIDTH * 0.4, xb + WIDTH / 2 - lean * WIDTH * 0.4
            y1, y2 = ya + HEIGHT, yb - 1
            bend = (y2 - y1) * 0.5
            out.append(f'<path d="M{x1:.1f} {y1} C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2}" '
                       'fill="none" stroke="#667" stroke-width="1.2" marker-end="url(#tip)"/>')
    for k, name in enumerate(reversed(ROOF)):
        place[name] = (20, 20 + k * (HEIGHT + 10))
    for name, (x, y) in place.items():
        width = PAGE - 40 if name in ROOF else WIDTH
        fill = {"simulate": "#fde7c8", "validation": "#d8ecd3", "tools": "#d8ecd3"}.get(name, "#e3ebf7")
        out.append(f'<rect x="{x:.1f}" y="{y}" width="{width}" height="{HEIGHT}" rx="7" fill="{fill}" stroke="#567"/>')
        out.append(f'<text x="{x + width / 2:.1f}" y="{y + 21}" font-size="15" font-weight="bold" fill="#123" '
                   f'text-anchor="middle">{name}</text>')
        out.append(f'<text x="{x + width / 2:.1f}" y="{y + 39}" font-size="12" fill="#345" '
                   f'text-anchor="middle">{html.escape(WORDS[name])}</text>')
    out.append("</svg>")
    (ROOT / "docs/plots/house.svg").write_text("\n".join(out) + "\n")


main()

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import ast
import contextlib
import io
import json
import pathlib
import re

import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "notebooks"
NEEDS = {"opacus": ["opacus", "torch"]}


NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def shown(source, name, names):
    """What a cell prints, and the repr of its last expression."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        value = eval(compile(last, name, "eval"), names) if last else None
    return printed.getvalue() + ("" if value is None else repr(value))


def kept(cell):
    """The same as the notebook keeps it."""
    outputs = [one.get("text") or one.get("data", {}).get("text/plain", []) for one in cell["outputs"]
               if one["output_type"] in ("stream", "execute_result")]  # fmt: skip
    return "".join("".join(lines) for lines in outputs)


def cells(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run(path, monkeypatch):
    for module in NEEDS.get(path.stem, []):
        pytest.importorskip(module)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    names: dict = {}
    for cell in cells(path):
        now, before = shown("".join(cell["source"]), path.name, names), kept(cell)
        if path.stem != "opacus":  # whose numbers are those of a version of torch, on images that may not be there
            assert [w.strip() for w in NUMBER.split(now)] == [w.strip() for w in NUMBER.split(before)]
            numbers = [[float(x) for x in NUMBER.findall(text)] for text in (now, before)]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)
    if path.stem == "bound-against-simulation":
        assert names["dpcurves"].validate(lambda s: 0.8 * names["cgd"].mu().upper, names["descent"]).verdict == "refuted"


def test_pictures_and_verdicts_are_kept():
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) == 3
    outputs = json.dumps([cell["outputs"] for cell in cells(NOTEBOOKS / "bound-against-simulation.ipynb")])
    assert "image/png" in outputs and "refuted" in outputs and "holds" in outputs

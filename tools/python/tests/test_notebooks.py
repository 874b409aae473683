# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
import json
import pathlib

import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "notebooks"
NEEDS = {"opacus": ["opacus", "torch"]}


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
        exec(compile("".join(cell["source"]), path.name, "exec"), names)
    if path.stem == "bound-against-simulation":
        assert names["dpcurves"].validate(lambda s: 0.8 * names["cgd"].mu().upper, names["descent"]).verdict == "refuted"


def test_pictures_and_verdicts_are_kept():
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) == 3
    kept = json.dumps([cell["outputs"] for cell in cells(NOTEBOOKS / "bound-against-simulation.ipynb")])
    assert "image/png" in kept and "refuted" in kept and "holds" in kept

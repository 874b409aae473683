# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line reads from files and Python has in memory."""

from __future__ import annotations

import json
import math
import pathlib
import tempfile
from typing import Any, Mapping

import numpy as np

from .arguments import numbers


class Files:
    """Files that live as long as whoever asks of them."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def path_of(self, name: str, value: Any) -> str | None:
        """A file with a dictionary, as JSON, or with a matrix, as CSV; nothing for other values."""
        if isinstance(value, Mapping):
            return self._write(f"{name}.json", json.dumps(plain(name, value)))
        if getattr(value, "ndim", 0) == 2 or is_nested(value):
            matrix = numbers(name, value)
            return self._write(f"{name}.csv", "".join(",".join(map(repr, row)) + "\n" for row in matrix.tolist()))
        return None

    def _write(self, name: str, text: str) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="dpcurves-")
        file = pathlib.Path(self._folder.name) / name
        file.write_text(text)
        return str(file)


def is_nested(value: Any) -> bool:
    """A list of lists of numbers."""
    rows = isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(row, (list, tuple, np.ndarray)) for row in value)
    return rows and not any(isinstance(one, str) for row in value for one in row)


def plain(name: str, value: Any) -> Any:
    """What JSON has: infinities are texts, arrays are lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(f"{name}.{key}", one) for key, one in value.items()}
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(name, one) for one in value]
    if hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{name}: is of type {type(value).__name__}, which a file has not")

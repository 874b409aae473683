# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Every question of the command line, answered as data."""

from __future__ import annotations

import html
import json
import pathlib
import tempfile
from typing import Any, Iterable, Iterator, Mapping, Optional

import numpy as np

from . import _native
from .algorithms import named, texts
from .arguments import rounded, threads_of, whole, word
from .arguments import shown as in_short
from .files import Files

FORM = ("schema", "version", "wall_seconds", "seed", "promise")  # of the data, not of the answer
REFUSED = {
    "output": "write what the Report holds",
    "time_limit": "Ctrl-C ends the work",
    "config": "give the options themselves",
    "shard": "dpcurves.shard computes one",
}


class Report(Mapping[str, Any]):
    """An answer: the JSON of the command line as a mapping, infinities as floats. A list is its ``results``."""

    def __init__(
        self,
        question: str,
        arguments: list[str],
        code: int,
        data: dict[str, Any],
        text: Optional[str] = None,
        files: Optional[Files] = None,
    ) -> None:
        self.question = question
        self.exit_code = code  # 0; 1: refuted; 3: refused; 4: undecided
        self._arguments = arguments
        self._data = data
        self._text = text
        self._files = files  # of the question, which text() asks again

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_text": self.text(), "_files": None}

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"<Report of {self.question!r}: {', '.join(self)}>"

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The answer in words, as a terminal shows it; the question is asked again, but not of merged shards."""
        if self._text is not None:
            return self._text
        with named(self.question):
            return _native.command([*self._arguments, "--format=text"])[1]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The results, a flat dictionary each: ``epsilon.upper`` is a key."""
        results = self._data.get("results", self._data)
        return [flattened(one) for one in (results if isinstance(results, list) else [results])]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of the results that hold numbers; a trajectory is a column of its own: ``curve.risk``."""
        rows = self.rows
        if len(rows) == 1 and (columns := trajectories(rows[0])):
            return {key: np.array(column, dtype=np.float64) for key, column in columns.items()}
        keys = [key for key in rows[0] if all(is_number(row.get(key)) for row in rows)] if rows else []
        return {key: np.array([row[key] for row in rows], dtype=np.float64) for key in keys}

    def to_pandas(self) -> Any:
        """The results as a DataFrame, a line for each point of a trajectory; pandas has to be installed."""
        import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return pandas.DataFrame(self._lines())

    def _lines(self) -> list[dict[str, Any]]:
        """The rows, or the points of the trajectory that a single row is."""
        rows = self.rows
        columns = trajectories(rows[0]) if len(rows) == 1 else {}
        return [dict(zip(columns, point)) for point in zip(*columns.values())] or rows

    def _repr_html_(self) -> str:
        lines_of_results, about = self._lines(), {}
        if len(self.rows) == 1 and len(lines_of_results) > 1:  # a trajectory: what is the same along it is said once
            lists = [key for key, value in self.rows[0].items() if isinstance(value, list)]
            about = cells_of({key: value for key, value in self.rows[0].items() if key not in lists})
            lines_of_results = [{key: row[key] for key in lists if key in row} for row in lines_of_results]
        rows = [cells_of(row) for row in lines_of_results]
        keys = list(dict.fromkeys(key for row in rows for key in row))
        seldom = [key for key in keys if 2 * sum(key in row for row in rows) < len(rows)]  # these share a column
        keys = [key for key in keys if key not in seldom]
        lines = [[row.get(key, "") for key in keys] for row in rows]
        for line, row in zip(lines, rows):
            line += ["; ".join(f"{key} {row[key]}" for key in seldom if key in row)] if seldom else []
        head = "".join(f"<th>{html.escape(key)}</th>" for key in keys + ["beside"] * bool(seldom))
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
        beside = "".join(f"{html.escape(key)} {html.escape(cell)}; " for key, cell in about.items()).removesuffix("; ")
        asked = f"<p><code>{html.escape(self.question)}</code></p>" + (f"<p>{beside}</p>" if beside else "")
        return f"{asked}<table><tr>{head}</tr>{body}</table>"


def trajectories(row: Mapping[str, Any]) -> dict[str, list[float]]:
    """The lists of numbers of a row with its numbers beside each entry; nothing unless they have one length."""
    lists = {key: value for key, value in row.items() if isinstance(value, list) and value and all(map(is_number, value))}
    lengths = {len(value) for value in lists.values()}
    if len(lists) < 2 or len(lengths) != 1:
        return {}
    (length,) = lengths
    return {key: lists.get(key, [value] * length) for key, value in row.items() if key in lists or is_number(value)}


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def simple(value: Any) -> bool:
    return isinstance(value, (str, int, float))


def shown(value: Any) -> str:
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def cells_of(row: Mapping[str, Any]) -> dict[str, str]:
    """What a row says, in words: of a bracket the end that may be promised, of an estimate its interval, rounded to their
    sides. Not what was asked."""
    cells: dict[str, str] = {}
    for key, value in row.items():
        name, _, end = key.rpartition(".")
        if key in FORM or key.startswith(("inputs.", "run.", "setting.")) or not simple(value):
            continue
        if end not in ("lower", "upper") or not is_number(value):
            if not (end == "estimate" and f"{name}.lower" in row):
                cells[key] = shown(value)
        elif not name:  # of a curve both ends
            cells[key] = rounded(value, 8, end == "upper")
        elif f"{name}.estimate" in row:  # of a simulation the interval
            ends = (rounded(row[f"{name}.{one}"], 5, one == "upper") for one in ("lower", "upper"))
            cells[name] = f"{shown(row[f'{name}.estimate'])} ({' to '.join(ends)})"
        elif end == (row.get("promise", "upper") if name == "value" else "upper"):
            sign = "\N{LESS-THAN OR EQUAL TO}" if end == "upper" else "\N{GREATER-THAN OR EQUAL TO}"
            cells[name] = f"{sign} {rounded(value, 8, end == 'upper')}"
    return cells


def flattened(data: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            flat.update(flattened(value, f"{before}{key}."))
        else:
            flat[before + key] = value
    return flat


def numeric(value: Any) -> Any:
    """Infinities, which JSON lacks, back from their texts."""
    if isinstance(value, dict):
        return {key: numeric(one) for key, one in value.items()}
    if isinstance(value, list):
        return [numeric(one) for one in value]
    return float(value) if value in ("inf", "-inf") else value


def ask(question: str, /, **options: Any) -> Report:
    """``ask("privacy noisy-cgd", epochs=200, delta=1e-5, ...)``: a command line with its options, answered in process.

    Options are those of the command line with underscores; True is a flag, a list is a list; a dictionary or a matrix
    stands for a file with it. Ctrl-C ends the work.
    """
    files = Files()
    arguments = arguments_of(question, options, files)
    with named(question):
        code, text = _native.command([*arguments, "--format=json"])
    try:
        found = numeric(json.loads(text))
    except ValueError:
        raise _native.UsageError(f"{question}: answers in words, not as data") from None
    return Report(question, arguments, code, found if isinstance(found, dict) else {"results": found}, files=files)


def arguments_of(question: str, options: Mapping[str, Any], files: Files) -> list[str]:
    """The words of a command line; what it would read from files is written to them."""
    arguments = word("question", question).split()
    if not arguments or arguments[0].startswith("-"):
        raise ValueError(f"question: {question!r} names no command")
    for name, value in options.items():
        if name in REFUSED:
            raise TypeError(f"{name}: is not for ask(); {REFUSED[name]}")
        if value is None or value is False:
            continue
        option = "--" + name.rstrip("_").replace("_", "-")  # lambda_ is --lambda
        if value is True:
            arguments.append(option)
            continue
        path = files.path_of(name, value)
        given = texts(name, value) if path is None else [path]
        if not given:
            raise ValueError(f"{name}: is an empty list")
        arguments += [f"{option}={text}" for text in given]
    arguments.append("--quiet")
    return arguments


def shard(question: str, index: int, count: int, /, **options: Any) -> bytes:
    """Share ``index`` of ``count``, from 1 on, of the runs of ``ask(question, ...)``: for another process to merge.

    ``shard("simulate noisy-gd", 2, 3, noise=1, step_size=0.1, steps=30, paths=10**6)`` is the file that ``--shard 2/3``
    writes. ``merge`` makes the answer of all.
    """
    files = Files()
    arguments = arguments_of(question, options, files)
    with tempfile.TemporaryDirectory(prefix="dpcurves-") as folder, named(question):
        file = pathlib.Path(folder) / "shard"
        index, count = whole("index", index, 1, 2**31), whole("count", count, 1, 2**31)
        _native.command([*arguments, f"--shard={index}/{count}", f"--output={file}"])
        return file.read_bytes()


def merge(shards: Iterable[bytes], *, threads: int = 0) -> Report:
    """The answer to the question of all its shards, in any order: the bits of one process."""
    with tempfile.TemporaryDirectory(prefix="dpcurves-") as folder, named("merge"):
        arguments = ["merge", "--quiet", f"--threads={threads_of(threads)}"]
        for place, content in enumerate(shards):
            if not isinstance(content, (bytes, bytearray, memoryview)):
                raise TypeError(f"shards: {in_short(content)} is not bytes of shard()")
            file = pathlib.Path(folder) / f"{place}.shard"
            file.write_bytes(content)
            arguments.append(str(file))
        if not arguments[3:]:
            raise ValueError("shards: there is none")
        code, data = _native.command([*arguments, "--format=json"])
        text = _native.command([*arguments, "--format=text"])[1]
    return Report("merge", arguments, code, numeric(json.loads(data)), text)


def simulate(process: str, /, *, seed: int = 1, threads: int = 0, **options: Any) -> Report:
    """``ask("simulate PROCESS", ...)``; ``arrays()`` of it are the columns."""
    return ask(f"simulate {word('process', process)}", seed=seed, threads=threads, **options)


def risk(problem: str, /, **options: Any) -> Report:
    """``ask("risk PROBLEM", ...)``; ``arrays()`` of it are the columns."""
    return ask(f"risk {word('problem', problem)}", **options)

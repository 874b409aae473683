# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The algorithms of ``dpcurves privacy``: last iterates, correlated noise, phased SGD and mechanisms."""

from __future__ import annotations

import difflib
import functools
import keyword
import math
import re
import sys
import warnings
from typing import Any, Mapping

import numpy as np

from . import _native
from .arguments import number, numbers, shown, threads_of, word
from .bracket import Brackets, Floats
from .files import Files
from .guarantee import Guarantee
from .questions import One, Questions, swept


class HypothesisWarning(UserWarning):
    """A theorem that would say more rests on what nobody has said."""


def texts(name: str, value: Any) -> list[str]:
    """What the command line would have: one text, or one for each entry of a list."""
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes)):  # arrays and scalars of numpy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in texts(name, one)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, int):
        return [str(value)]
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return [word(name, str(value))]
    try:
        found = number(name, value)
    except TypeError:
        raise TypeError(f"{name}: {shown(value)} is neither a number, a text nor a list of them") from None
    if math.isnan(found):
        raise ValueError(f"{name}: nan is no number")
    return [repr(found)]


def is_array(value: Any) -> bool:
    """Whether it has entries."""
    if isinstance(value, (str, bytes)):
        return False
    return bool(value.ndim > 0) if hasattr(value, "ndim") else hasattr(value, "__len__")


def argument_of(option: str) -> str:
    """The option as an argument of Python: ``batch_size``, ``lambda_``."""
    return option.replace("-", "_") + ("_" if keyword.iskeyword(option) else "")


@functools.lru_cache(maxsize=None)
def options_of(algorithm: str) -> Mapping[str, Mapping[str, Any]]:
    """The options of an algorithm by their names and aliases, with underscores."""
    table: dict[str, Mapping[str, Any]] = {}
    for option in _native.algorithm_options(algorithm):
        for name in (option["name"], *option["aliases"]):
            table[argument_of(name)] = option
    return table


class Algorithm(Questions[One]):
    """An algorithm at its parameters; ``help(dpcurves.NoisyCgd)`` lists them.

    Parameters that are numbers may be arrays, which broadcast against each other and against what is asked.
    """

    name = ""

    def __init__(self, **parameters: Any) -> None:
        if not self.name:
            raise TypeError("Algorithm: use one of its kinds, for example NoisyCgd")
        known = options_of(self.name)
        self._texts: dict[str, list[str]] = {}
        self._arrays: dict[str, Floats] = {}
        self._files = Files()
        for key, value in parameters.items():
            option = known.get(key)
            if option is None:
                near = difflib.get_close_matches(key, list(known), 1)
                raise TypeError(
                    f"{type(self).__name__}: there is no {key!r}" + (f"; did you mean {near[0]!r}?" if near else "")
                )
            name = option["name"]
            if name in self._texts or name in self._arrays:
                raise TypeError(f"{key}: is {name.replace('-', '_')}, which is given too")
            if value is None:
                raise TypeError(f"{key}: None is not a value")
            if option["kind"] in ("number", "count") and is_array(value):
                self._arrays[name] = numbers(key, value)
            else:
                self._texts[name] = self._texts_of(key, value, option["kind"])
        self.parameters = dict(parameters)
        self._warned = False

    def _texts_of(self, key: str, value: Any, kind: str) -> list[str]:
        """As ``texts``; matrices and dictionaries become files, and tuples that repeat an option have colons."""
        if kind == "texts" and isinstance(value, (list, tuple)):
            return [":".join(texts(key, one)) for one in ([value] if isinstance(value, tuple) else value)]
        if kind == "text":
            numeric = is_array(value) and not isinstance(value, Mapping)
            path = self._files.path_of(key, np.atleast_2d(numbers(key, value)) if numeric else value)
            if path is not None:
                return [path]
        return texts(key, value)

    def __reduce__(self) -> Any:
        return _remade, (type(self).__name__, self.parameters)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"

    def guarantees(self, *, delta: float | None = None, epsilon: float | None = None) -> list[Guarantee]:
        """Every theorem about it, applicable or not; free parameters are chosen for that delta (1e-5) or epsilon."""
        if self._arrays:
            raise TypeError("guarantees: parameters are arrays; ask epsilon or delta of them")
        if delta is not None and epsilon is not None:
            raise TypeError("epsilon: delta is given too")
        quantity, at = ("epsilon", 1e-5 if delta is None else number("delta", delta))
        if epsilon is not None:
            quantity, at = ("delta", number("epsilon", epsilon))
        with named(self.name):
            found = _native.algorithm_guarantees(self.name, self._texts, quantity, at)
        return [Guarantee(one) for one in found]

    @property
    def _swept(self) -> bool:
        return bool(self._arrays)

    def _chooses(self, quantity: str) -> bool:
        return quantity in ("epsilon", "delta")

    def _sweep(self, quantity: str, at: Floats, prior: Floats, threads: Any) -> Brackets:
        def ask(columns: Mapping[str, Floats], *of: Any) -> tuple[str, str, str]:
            with named(self.name):
                question = (quantity, self._texts, columns, *of, threads_of(threads))
                words, unsaid = _native.algorithm_sweep(self.name, *question)
            self._warn(unsaid)
            return words

        found: Brackets = swept(quantity, self._arrays, at, prior, ask)
        return found

    def _promised(self, quantity: str, at: float) -> list[Guarantee]:
        with named(self.name):
            found, unsaid = _native.algorithm_promised(self.name, self._texts, quantity, at)
        self._warn(unsaid)
        return [Guarantee(one) for one in found]

    def _warn(self, unsaid: set[str]) -> None:
        if unsaid and not self._warned:
            self._warned = True
            words = "not said, and not used: " + "; ".join(sorted(unsaid))
            warnings.warn(words, HypothesisWarning, stacklevel=outside())


def _remade(kind: str, parameters: Mapping[str, Any]) -> Algorithm[Any]:
    """An algorithm at its parameters, with files of its own."""
    from . import tables

    made: Algorithm[Any] = getattr(tables, kind)(**parameters)
    return made


def outside() -> int:
    """How many calls up the package was called: where a warning belongs."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "dpcurves":
        frame, depth = frame.f_back, depth + 1
    return depth


class named:  # noqa: N801 - a context
    """Errors name the argument as Python does: ``batch_size``, not ``--batch-size``."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, (_native.UsageError, _native.DomainError, _native.ConvergenceError, _native.DataError)):
            words = re.sub(r"--([a-z][a-z0-9-]*)", lambda m: m[1].replace("-", "_"), str(error))
            words = words.split("\nRun with help")[0].split("\nRun with --help")[0]
            raise type(error)(f"{self.what}: {words}") from None

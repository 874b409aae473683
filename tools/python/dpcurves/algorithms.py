# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The algorithms of ``dpcurves privacy``: last iterates, correlated noise, phased SGD and mechanisms."""

from __future__ import annotations

import difflib
import functools
import inspect
import keyword
import math
import re
import warnings
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .bracket import Brackets, Floats, pick
from .guarantee import Guarantee, numbers
from .questions import HALF, Answer, Questions, swept


class HypothesisWarning(UserWarning):
    """A theorem that would say more rests on what nobody has said."""


def texts(name: str, value: Any) -> list[str]:
    """What the command line would have: one text, or one for each entry of a list."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [text for one in value for text in texts(name, one)]
    if isinstance(value, (bool, np.bool_)):
        return ["true" if value else "false"]
    if isinstance(value, (int, np.integer)):
        return [str(int(value))]
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            raise ValueError(f"{name}: nan is no number")
        return [repr(number)]
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return [str(value)]
    raise TypeError(f"{name}: {value!r} is neither a number, a text nor a list of them")


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


class Algorithm(Questions):
    """An algorithm at its parameters; ``help(dpcurves.NoisyCgd)`` lists them.

    Parameters that are numbers may be arrays, which broadcast against each other and against what is asked.
    """

    name = ""

    def __init__(self, **parameters: Any) -> None:
        if not self.name:
            raise TypeError("Algorithm: use one of its kinds, for example NoisyCgd")
        known = options_of(self.name)
        self._texts: dict[str, list[str]] = {}
        self._arrays: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {}
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
            if option["kind"] in ("number", "count") and np.ndim(value) > 0:
                self._arrays[name] = numbers(key, value)
            else:
                self._texts[name] = texts(key, value)
        self.parameters = dict(parameters)
        self._warned = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"

    def guarantees(self, *, delta: float | None = None, epsilon: float | None = None) -> list[Guarantee]:
        """Every theorem about it, applicable or not; free parameters are chosen for that delta (1e-5) or epsilon."""
        if self._arrays:
            raise TypeError("guarantees: parameters are arrays; ask epsilon or delta of them")
        quantity, at = ("delta", epsilon) if epsilon is not None else ("epsilon", 1e-5 if delta is None else delta)
        with named(self.name):
            found = _native.algorithm_guarantees(self.name, self._texts, quantity, float(at))
        return [Guarantee(one) for one in found]

    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Answer:
        """The least epsilon for delta in (0, 1)."""
        return self._solve("epsilon", numbers("delta", delta), threads)

    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Answer:
        """The least delta for epsilon of at least 0."""
        return self._solve("delta", numbers("epsilon", epsilon), threads)

    def _solve(self, quantity: str, at: Any, threads: int) -> Answer:
        if not self._swept and at.ndim == 0:
            target = {"delta" if quantity == "epsilon" else "epsilon": float(at)}
            some = self._of(self.guarantees(**target))
            return pick([getattr(one, quantity)(float(at)) for one in some], "upper")
        return self._sweep(quantity, at, threads=threads)

    @property
    def _swept(self) -> bool:
        return bool(self._arrays)

    def _sweep(self, quantity: str, at: Floats, prior: Floats = HALF, threads: int = 0) -> Brackets:
        def ask(columns: Mapping[str, Floats], *of: Any) -> None:
            question: Sequence[Any] = (quantity, self._texts, columns, *of, threads)
            with named(self.name):
                self._warn(_native.algorithm_sweep(self.name, *question))

        return swept(quantity, self._arrays, at, prior, ask)

    def _promised(self) -> list[Guarantee]:
        targets: list[dict[str, float]] = [{}]
        if _native.algorithm_chooses(self.name):  # where total variation, rates of a percent and tiny ones are decided
            targets = [{"epsilon": 0.0}, {"delta": 1e-3}, {"delta": 1e-8}]
        return self._of([one for target in targets for one in self.guarantees(**target)])

    def _of(self, all_of_them: list[Guarantee]) -> list[Guarantee]:
        found = [one for one in all_of_them if one.promised]
        if not found:
            reasons = [f"{g.theorem}: {v.assumption}; {v.remedy}" for g in all_of_them for v in g.violations + g.unsaid]
            raise _native.DomainError("no theorem applies:\n  " + "\n  ".join(reasons))
        self._warn({f"{one.theorem}: {one.unsaid[0].assumption}" for one in all_of_them if one.applies and one.unsaid})
        return found

    def _warn(self, unsaid: set[str]) -> None:
        if unsaid and not self._warned:
            self._warned = True
            warnings.warn("not said, and not used: " + "; ".join(sorted(unsaid)), HypothesisWarning, stacklevel=5)


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


def _kind(class_name: str, name: str) -> type[Algorithm]:
    made: type[Algorithm] = type(class_name, (Algorithm,), {"name": name, "__module__": __name__})
    lines = [_native.algorithm_summary(name), ""]
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for option in _native.algorithm_options(name):
        key = argument_of(option["name"])
        domain = f", {option['range']}" if option["range"] else ""
        lines.append(f"{key}: {option['help']} ({option['kind']}{domain})")
        parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=...))
    made.__doc__ = "\n".join(lines)
    made.__signature__ = inspect.Signature(parameters[1:])  # type: ignore[attr-defined]
    return made


NoisyGd = _kind("NoisyGd", "noisy-gd")
NoisyCgd = _kind("NoisyCgd", "noisy-cgd")
NoisySgd = _kind("NoisySgd", "noisy-sgd")
Gaussian = _kind("Gaussian", "gaussian")
Composition = _kind("Composition", "composition")
Correlated = _kind("Correlated", "correlated")
PhasedSgd = _kind("PhasedSgd", "phased-sgd")
ExponentialMechanism = _kind("ExponentialMechanism", "exponential-mechanism")
Langevin = _kind("Langevin", "langevin")

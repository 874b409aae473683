# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Claims of your own, held to simulations by the rules of ``dpcurves validate``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _native
from .arguments import flat, number, numbers, shown, whole
from .bracket import Floats
from .tables import calculators


class Setting(dict[str, Any]):
    """Parameters by name or attribute."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the setting has no {name}") from None


@dataclass(frozen=True)
class Validation:
    """What came out: ``verdict`` is holds, refuted or undecided."""

    verdict: str
    controlled: bool  #: the control is refuted by the same data
    resolution: float | None  #: the largest factor by which the claim, sharpened, is refuted: 1 is attained
    gap: tuple[float, float] | None  #: bound over measured value, least and median
    runs: int
    miss: float  #: the chance that a true claim is refuted
    broken: tuple[int, int]  #: comparisons that fail, of how many
    control_broken: tuple[int, int]
    claim: list[str] = field(repr=False)  #: a line per comparison
    control: list[str] = field(repr=False)

    def __str__(self) -> str:
        words = [f"{self.verdict}: {self.broken[0]} of {self.broken[1]} comparisons broken"]
        if self.resolution is not None:
            words.append(f"resolution {self.resolution:.3g}")
        if self.gap is not None:
            words.append(f"gap {self.gap[0]:.3g} (median {self.gap[1]:.3g})")
        words.append(f"{self.runs} runs, a true claim is refuted with chance {self.miss:.2g}")
        words.append(f"control broken {self.control_broken[0]} of {self.control_broken[1]}")
        if self.control_broken[1] and not self.controlled:
            words.append("the control stands: the experiment sees too little")
        return "\n".join(["; ".join(words), *("  " + line for line in self.claim)])


def validate(
    claim: Callable[[Setting], Any],
    experiment: Callable[[Setting], Any],
    control: Callable[[Setting], Any] | None = None,
    settings: Sequence[Mapping[str, Any]] = ({},),
    *,
    seed: int = 1,
    type_one_errors: Sequence[float] = (0.01, 0.05, 0.1, 0.25, 0.4),
) -> Validation:
    """Tries to refute a claim at each setting.

    experiment(setting) gives two arrays, draws of a statistic under either data set, or a number, an exact value.
    claim(setting) is the bound: for draws a run, a trade-off function or a number mu for that of mu-GDP, for an exact
    value a number that it may not pass. control(setting) is a wrong claim near it, which the same data must refute. A setting
    has what ``settings`` says and ``seed``.
    """
    for name, function in (("claim", claim), ("experiment", experiment), ("control", control)):
        if not callable(function) and (function is not None or name != "control"):
            raise TypeError(f"{name}: {shown(function)} is no function of a setting")
    errors = [number("type_one_errors", one) for one in type_one_errors]
    if not errors or not all(0.0 < one < 1.0 for one in errors):
        raise ValueError(f"type_one_errors: {shown(type_one_errors)} are no numbers in (0, 1)")
    whole("seed", seed, 0, 2**64)
    every: list[Any] = list(settings) if hasattr(settings, "__iter__") and not isinstance(settings, Mapping) else [None]
    if not all(isinstance(one, Mapping) for one in every):
        raise TypeError(f"settings: {shown(settings)} is no list of dictionaries")
    trials = _native.Trials()
    for place, parameters in enumerate(every):
        setting = Setting(parameters)
        setting.setdefault("seed", seed)
        what = ", ".join(f"{key} {value}" for key, value in setting.items() if key != "seed") or f"setting {place}"
        found = experiment(setting)
        wrong = control(setting) if control is not None else None
        if not hasattr(found, "__len__") or getattr(found, "ndim", 1) == 0:
            value, bound = known("experiment", found), known("claim", claim(setting))
            trials.exact(what, value, bound, None if wrong is None else known("control", wrong))
            continue
        under_p, under_q = draws(found)
        promise = curve("claim", claim(setting))
        trials.samples(what, under_p, under_q, errors, promise, None if wrong is None else curve("control", wrong))
    return Validation(**trials.judgement())


def known(name: str, value: Any) -> float:
    """One number, which is known."""
    found = number(name, value)
    if np.isnan(found):
        raise ValueError(f"{name}: gave nan")
    return found


def draws(found: Any) -> tuple[Floats, Floats]:
    """Two samples of a statistic."""
    try:
        under_p, under_q = found
    except (TypeError, ValueError):
        raise TypeError(f"experiment: gave {shown(found)}, which is neither a number nor two arrays") from None
    first, second = (flat("experiment", numbers("experiment", one)) for one in (under_p, under_q))
    if min(first.size, second.size) < 100:
        raise ValueError("experiment: gave fewer than 100 draws of a data set")
    if np.isnan(first).any() or np.isnan(second).any():
        raise ValueError("experiment: gave nan among its draws")
    return first, second


def curve(name: str, claim: Any) -> Callable[[float], float]:
    """A trade-off function, that of a run, or that of mu-GDP for a number mu."""
    claim = getattr(claim, "tradeoff", claim)
    if callable(claim):
        return lambda alpha: known(name, claim(alpha))
    mu = known(name, claim)
    gaussian = calculators["shifted-interpolation/gdp-tradeoff"]
    return lambda alpha: float(gaussian(mu=mu, alpha=alpha)["f"])

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of algorithms and the calculators, with the parameters of the library's tables.

What editors and type checkers know of them is in ``tables.pyi``, which ``tools/python/stubs.py`` writes.
"""

from __future__ import annotations

import inspect

from . import _native
from .algorithms import Algorithm, argument_of
from .calculators import Calculators

KINDS = {
    "NoisyGd": "noisy-gd",
    "NoisyCgd": "noisy-cgd",
    "NoisySgd": "noisy-sgd",
    "Gaussian": "gaussian",
    "Composition": "composition",
    "Correlated": "correlated",
    "PhasedSgd": "phased-sgd",
    "ExponentialMechanism": "exponential-mechanism",
    "Langevin": "langevin",
}


def _words_of(name: str) -> str:
    """The summary of an algorithm, and a line for each of its options."""
    lines = [_native.algorithm_summary(name), ""]
    for option in _native.algorithm_options(name):
        domain = f", {option['range']}" if option["range"] else ""
        lines.append(f"{argument_of(option['name'])}: {option['help']} ({option['kind']}{domain})")
    return "\n".join(lines)


def _signature_of(name: str) -> inspect.Signature:
    """Its options as arguments."""
    options = (argument_of(option["name"]) for option in _native.algorithm_options(name))
    return inspect.Signature([inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=...) for one in options])


def _kind(class_name: str) -> type:
    name = KINDS[class_name]
    about = {"name": name, "__module__": __name__, "__doc__": _words_of(name), "__signature__": _signature_of(name)}
    return type(class_name, (Algorithm,), about)


class _Calculators(Calculators):
    """All of them by their names."""


NoisyGd, NoisyCgd, NoisySgd, Gaussian, Composition, Correlated, PhasedSgd, ExponentialMechanism, Langevin = map(_kind, KINDS)
calculators = _Calculators()

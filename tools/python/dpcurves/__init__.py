# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Theorems about differentially private SGD as functions.

    >>> import dpcurves
    >>> run = dpcurves.DpSgd(noise_multiplier=1.1, sampling_rate=256 / 60000, steps=14063)
    >>> run.epsilon(1e-5)
    Bracket(lower=2.38168..., upper=2.38168..., method='contour', theorem='accountant/poisson-subsampled-gaussian', direction='remove')

Every answer is a bracket that holds the truth; its float is the end that may be promised.
"""

from ._native import (
    ContradictionError,
    ConvergenceError,
    DataError,
    DomainError,
    UsageError,
    __version__,
)
from .bracket import Bracket, Brackets
from .calculators import Calculator, calculators
from .calibration import calibrate
from .dp_sgd import DpSgd, Phase, Unsampled
from .guarantee import Guarantee, Violation

__all__ = [
    "Bracket",
    "Brackets",
    "Calculator",
    "ContradictionError",
    "ConvergenceError",
    "DataError",
    "DomainError",
    "DpSgd",
    "Guarantee",
    "Phase",
    "Unsampled",
    "UsageError",
    "Violation",
    "__version__",
    "calculators",
    "calibrate",
]

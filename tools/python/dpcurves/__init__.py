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
from .accountant import PrivacyAccountant, Transcript, from_dp_event, from_opacus_history
from .algorithms import Algorithm, HypothesisWarning
from .bracket import Bracket, Brackets
from .calculators import Calculator
from .calibration import calibrate
from .descent import Pair, noisy_descent
from .dp_sgd import DpSgd, Phase, Unsampled
from .guarantee import Guarantee, Violation
from .report import Report, ask, merge, risk, shard, simulate
from .statement import statement
from .tables import (
    Composition,
    Correlated,
    ExponentialMechanism,
    Gaussian,
    Langevin,
    NoisyCgd,
    NoisyGd,
    NoisySgd,
    PhasedSgd,
    calculators,
)
from .validation import Setting, Validation, validate

for _error in (ContradictionError, ConvergenceError, DataError, DomainError, UsageError):
    _error.__module__ = __name__  # where a traceback and a pickle look for it

__all__ = [
    "Algorithm",
    "Bracket",
    "Brackets",
    "Calculator",
    "Composition",
    "ContradictionError",
    "ConvergenceError",
    "Correlated",
    "DataError",
    "DomainError",
    "DpSgd",
    "ExponentialMechanism",
    "Gaussian",
    "Guarantee",
    "HypothesisWarning",
    "Langevin",
    "NoisyCgd",
    "NoisyGd",
    "NoisySgd",
    "Pair",
    "Phase",
    "PhasedSgd",
    "PrivacyAccountant",
    "Report",
    "Setting",
    "Transcript",
    "Unsampled",
    "UsageError",
    "Validation",
    "Violation",
    "__version__",
    "ask",
    "calculators",
    "calibrate",
    "from_dp_event",
    "from_opacus_history",
    "merge",
    "noisy_descent",
    "risk",
    "shard",
    "simulate",
    "statement",
    "validate",
]

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

__version__: str

class DomainError(ValueError): ...
class UsageError(ValueError): ...
class DataError(OSError): ...
class ConvergenceError(ArithmeticError): ...
class ContradictionError(ArithmeticError): ...

Answers = list[tuple[float, float, str, str]]
Floats = NDArray[np.float64]

class Guarantee:
    theorem: str
    title: str
    assumed: list[str]
    certified: bool
    note: str
    applies: bool
    violations: list[tuple[str, str, str]]
    def epsilon(self, delta: Floats, threads: int) -> Answers: ...
    def delta(self, epsilon: Floats, threads: int) -> Answers: ...
    def tradeoff(self, type_one_errors: Floats, lower: Floats, upper: Floats) -> None: ...
    def renyi(self, orders: Floats, lower: Floats, upper: Floats) -> None: ...
    def mu(self) -> tuple[float, float] | None: ...

def dp_sgd_guarantees(
    phases: Sequence[tuple[float, float, float]],
    unsampled: Sequence[tuple[float, float]],
    sampling: str,
    adjacency: str,
    uses_per_round: float,
    accuracy: float,
    verify: bool,
) -> list[Guarantee]: ...
def dp_sgd_sweep(
    quantity: str,
    of: Sequence[Floats],
    lower: Floats,
    upper: Floats,
    sampling: str,
    adjacency: str,
    accuracy: float,
    threads: int,
) -> None: ...
def calibrate_dp_sgd(
    solve_for: str,
    noise_multiplier: float,
    sampling_rate: float,
    steps: float,
    epsilon: float,
    delta: float,
    sampling: str,
    adjacency: str,
) -> float | None: ...
def calculator_names() -> list[str]: ...
def calculator_summary(name: str) -> str: ...
def calculator_theorems(name: str) -> list[str]: ...
def calculator_schema(name: str) -> list[dict[str, Any]]: ...
def evaluate(name: str, inputs: dict[str, Any]) -> dict[str, Any]: ...

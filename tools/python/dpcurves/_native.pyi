# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any, Callable, Mapping, Sequence

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
    promised: bool
    adjacency: str
    unsaid: list[tuple[str, str, str]]
    violations: list[tuple[str, str, str]]
    def epsilon(self, delta: Floats, threads: int) -> Answers: ...
    def delta(self, epsilon: Floats, threads: int) -> Answers: ...
    def tradeoff(self, type_one_errors: Floats, lower: Floats, upper: Floats) -> None: ...
    def renyi(self, orders: Floats, lower: Floats, upper: Floats) -> None: ...
    def mu(self) -> tuple[float, float] | None: ...

def dp_sgd_guarantees(
    phases: Sequence[tuple[float, float, float]],
    unsampled: Sequence[tuple[float, float]],
    sizes: Mapping[str, float],
    sampling: str,
    adjacency: str,
    accuracy: float,
    verify: bool,
) -> list[Guarantee]: ...
def dp_sgd_sweep(
    quantity: str,
    columns: Mapping[str, Floats],
    at: Floats,
    prior: Floats,
    lower: Floats,
    upper: Floats,
    sampling: str,
    adjacency: str,
    accuracy: float,
    threads: int,
) -> None: ...
def sampling_rate_of(batch_size: float, records: float) -> float: ...
def steps_of_epochs(sampling: str, epochs: float, batch_size: float, records: float) -> float: ...
def calculator_names() -> list[str]: ...
def calculator_summary(name: str) -> str: ...
def calculator_theorems(name: str) -> list[str]: ...
def calculator_schema(name: str) -> list[dict[str, Any]]: ...
def evaluate(name: str, inputs: dict[str, Any]) -> dict[str, Any]: ...
def attack(
    guarantee: Guarantee, measure: str, at: Floats, prior: Floats, lower: Floats, upper: Floats, threads: int
) -> str: ...
def command(arguments: Sequence[str]) -> tuple[int, str]: ...
def algorithm_names() -> list[str]: ...
def algorithm_summary(name: str) -> str: ...
def algorithm_chooses(name: str) -> bool: ...
def algorithm_options(name: str) -> list[dict[str, Any]]: ...
def algorithm_guarantees(name: str, options: Mapping[str, Sequence[str]], quantity: str, at: float) -> list[Guarantee]: ...
def algorithm_sweep(
    name: str,
    quantity: str,
    fixed: Mapping[str, Sequence[str]],
    columns: Mapping[str, Floats],
    at: Floats,
    prior: Floats,
    lower: Floats,
    upper: Floats,
    threads: int,
) -> set[str]: ...
def read_transcript(
    text: str,
    reader: str,
    adjacency: str,
    sampling: str,
    records: float | None,
    batch_size: float | None,
    delta: float | None,
) -> tuple[dict[str, Any], Guarantee]: ...
def final_iterates(
    batches: str,
    batch_size: int,
    step_size: float,
    noise: float,
    steps: int,
    diameter: float,
    curvature: float,
    tanh_weight: float,
    drifts: Floats,
    seed: int,
    first_path: int,
    threads: int,
    iterates: Floats,
) -> None: ...

class Trials:
    def samples(
        self,
        what: str,
        under_p: Floats,
        under_q: Floats,
        type_one_errors: Sequence[float],
        claim: Callable[[float], float],
        control: Callable[[float], float] | None,
    ) -> None: ...
    def exact(self, what: str, value: float, claim: float, control: float | None) -> None: ...
    def judgement(self) -> dict[str, Any]: ...

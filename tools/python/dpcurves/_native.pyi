# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Written by tools/python/stubs.py.
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]

__version__: str

class ContradictionError(ArithmeticError): ...
class ConvergenceError(ArithmeticError): ...
class DataError(OSError): ...
class DomainError(ValueError): ...
class Guarantee:
    @property
    def adjacency(self) -> str: ...
    @property
    def applies(self) -> bool: ...
    @property
    def assumed(self) -> list[str]: ...
    @property
    def certified(self) -> bool: ...
    @property
    def dominated(self) -> bool: ...
    @property
    def has_mu(self) -> bool: ...
    @property
    def note(self) -> str: ...
    @property
    def promised(self) -> bool: ...
    @property
    def theorem(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unsaid(self) -> list[tuple[str, str, str]]: ...
    @property
    def upper_only(self) -> bool: ...
    @property
    def violations(self) -> list[tuple[str, str, str]]: ...
class Trials:
    def exact(self, what: str, value: float, claim: float, control: float | None) -> None: ...
    def judgement(self) -> dict[str, Any]: ...
    def samples(
        self,
        what: str,
        under_p: _Floats,
        under_q: _Floats,
        type_one_errors: Sequence[float],
        claim: Callable[[float], float],
        control: Callable[[float], float] | None,
    ) -> None: ...
class UsageError(ValueError): ...
def algorithm_guarantees(
    name: str,
    options: Mapping[str, Sequence[str]],
    quantity: str,
    at: float,
) -> list[Guarantee]: ...
def algorithm_names() -> list[str]: ...
def algorithm_options(name: str) -> list[dict[str, Any]]: ...
def algorithm_promised(
    name: str,
    options: Mapping[str, Sequence[str]],
    quantity: str,
    at: float,
) -> tuple[list[Guarantee], set[str]]: ...
def algorithm_summary(name: str) -> str: ...
def algorithm_sweep(
    name: str,
    quantity: str,
    fixed: Mapping[str, Sequence[str]],
    columns: Mapping[str, _Floats],
    at: _Floats,
    prior: _Floats,
    lower: _Floats,
    upper: _Floats,
    threads: int,
) -> tuple[tuple[str, str, str], set[str]]: ...
def ask(
    guarantees: Sequence[Guarantee],
    quantity: str,
    at: _Floats,
    prior: _Floats,
    lower: _Floats,
    upper: _Floats,
    threads: int,
) -> tuple[str, str, str]: ...
def calculator_names() -> list[str]: ...
def calculator_schema(name: str) -> list[dict[str, Any]]: ...
def calculator_summary(name: str) -> str: ...
def calculator_theorems(name: str) -> list[str]: ...
def command(arguments: Sequence[str]) -> tuple[int, str]: ...
def dp_sgd_guarantees(
    phases: Sequence[Sequence[float]],
    unsampled: Sequence[Sequence[float]],
    sizes: Mapping[str, float],
    sampling: str,
    adjacency: str,
    accuracy: float,
    verify: bool,
) -> list[Guarantee]: ...
def dp_sgd_sweep(
    quantity: str,
    columns: Mapping[str, _Floats],
    at: _Floats,
    prior: _Floats,
    lower: _Floats,
    upper: _Floats,
    sampling: str,
    adjacency: str,
    accuracy: float,
    verify: bool,
    threads: int,
) -> tuple[str, str, str]: ...
def evaluate(name: str, inputs: dict[str, Any]) -> dict[str, Any]: ...
def final_iterates(
    batches: str,
    batch_size: int,
    step_size: float,
    noise: float,
    steps: int,
    diameter: float,
    curvature: float,
    tanh_weight: float,
    drifts: _Floats,
    seed: int,
    first_path: int,
    threads: int,
    iterates: _Floats,
) -> None: ...
def promised(guarantees: Sequence[Guarantee]) -> list[Guarantee]: ...
def read_transcript(
    text: str,
    reader: str,
    adjacency: str,
    sampling: str,
    records: float | None,
    batch_size: float | None,
    delta: float | None,
) -> tuple[dict[str, Any], Guarantee]: ...
def sampling_rate_of(batch_size: float, records: float) -> float: ...
def steps_of_epochs(sampling: str, epochs: float, batch_size: float, records: float) -> float: ...

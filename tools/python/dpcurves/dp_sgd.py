# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""DP-SGD as a run that can be asked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Iterable, Iterator, Sequence, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .bracket import Bracket, Brackets, Floats
from .guarantee import Guarantee, flat, numbers
from .questions import Questions

ALIASES = {
    "sample_rate": "sampling_rate",
    "sampling_probability": "sampling_rate",
    "sigma": "noise_multiplier",
    "num_steps": "steps",
    "max_grad_norm": "clip",
    "sampler": "sampling",
}


@dataclass(frozen=True)
class Phase:
    """Steps of one kind."""

    noise_multiplier: float
    sampling_rate: float
    steps: float


@dataclass(frozen=True)
class Unsampled:
    """Sums over all records that are released too."""

    noise_multiplier: float
    count: float = 1


_Part = TypeVar("_Part", Phase, Unsampled)


def _each(kind: type[_Part], name: str, given: Iterable[Any]) -> tuple[_Part, ...]:
    """Parts of a run, also as plain tuples of their numbers."""
    parts = []
    for one in given:
        if not isinstance(one, kind):
            try:
                one = kind(*one)
            except TypeError:
                raise TypeError(f"{name}: {one!r} is no {kind.__name__}") from None
        for field in fields(kind):
            if numbers(f"{name}: {field.name}", getattr(one, field.name)).ndim > 0:
                raise TypeError(f"{name}: {field.name}: is an array")
        parts.append(one)
    return tuple(parts)


class DpSgd(Questions):
    """DP-SGD: clipped gradients summed over random batches, noise in every step, all steps released.

    Parameters are numbers, or arrays that broadcast against each other and against what is asked.

    noise_multiplier: standard deviation of the noise on the sum over the clipping norm, in (0, inf)
    sampling_rate: chance that a step uses a record, in [0, 1]; or ``records`` and ``batch_size``
    steps: number of steps; or ``epochs``, with records and batch size or with the sampling rate
    sampling: poisson, fixed-size, shuffled, cyclic, random-allocation, none
    adjacency: add-or-remove, add, remove, replace-one, zero-out; the usual one of the sampling if not given
    clip: the clipping norm; it does not change the answer, because noise is measured in units of it
    """

    def __init__(
        self,
        noise_multiplier: ArrayLike | None = None,
        sampling_rate: ArrayLike | None = None,
        steps: ArrayLike | None = None,
        *,
        epochs: ArrayLike | None = None,
        records: ArrayLike | None = None,
        batch_size: ArrayLike | None = None,
        phases: Sequence[Phase] = (),
        unsampled: Sequence[Unsampled] = (),
        sampling: str = "poisson",
        adjacency: str | None = None,
        uses_per_round: int = 1,
        clip: float | None = None,
        accuracy: float = 1e-9,
        verify: bool = False,
        **others: Any,
    ) -> None:
        given: dict[str, Any] = {
            "noise_multiplier": noise_multiplier,
            "sampling_rate": sampling_rate,
            "steps": steps,
            "clip": clip,
        }
        for name, value in others.items():
            target = ALIASES.get(name)
            if target is None:
                raise TypeError(f"DpSgd: there is no {name!r}{_suggestion(name)}")
            if target == "sampling":
                sampling = value
                continue
            if given[target] is not None:
                raise TypeError(f"{name}: is {target}, which is given too")
            given[target] = value
        if given["clip"] is not None and not float(given["clip"]) > 0.0:
            raise ValueError(f"clip: {given['clip']} is outside (0, inf)")
        self.sampling = sampling
        self.adjacency = adjacency
        self.uses_per_round = uses_per_round
        self.accuracy = accuracy
        self.verify = verify
        self.unsampled = _each(Unsampled, "unsampled", unsampled)
        self.phases = _each(Phase, "phases", phases)
        self.records = records
        rate = given["sampling_rate"]
        if rate is None and batch_size is not None and records is not None:
            size, total = numbers("batch_size", batch_size), numbers("records", records)
            if np.any(size > total):
                raise ValueError("batch_size: is larger than records")
            rate = size / total
        if rate is None and sampling == "none":
            rate = 1.0
        count = given["steps"]
        if count is None and epochs is not None:
            if rate is None:
                raise TypeError("epochs: needs sampling_rate, or records and batch_size")
            count = np.ceil(numbers("epochs", epochs) / numbers("sampling_rate", rate) * (1.0 - 1e-12))
        elif count is not None and epochs is not None:
            raise TypeError("epochs: steps are given too")
        missing = [
            name
            for name, value in (("noise_multiplier", given["noise_multiplier"]), ("sampling_rate", rate), ("steps", count))
            if value is None
        ]
        if missing and not (phases and len(missing) == 3):
            raise TypeError(f"DpSgd: {missing[0]} is missing")
        self._main: tuple[Floats, Floats, Floats] | None = None
        if not missing:
            self._main = (
                numbers("noise_multiplier", given["noise_multiplier"]),
                numbers("sampling_rate", rate),
                numbers("steps", count),
            )
        self._known: list[Guarantee] | None = None

    def __repr__(self) -> str:
        parts = []
        if self._main is not None:
            names = ("noise_multiplier", "sampling_rate", "steps")
            parts = [f"{name}={value.tolist()!r}" for name, value in zip(names, self._main)]
        parts += [repr(one) for one in (*self.phases, *self.unsampled)]
        parts.append(f"sampling={self.sampling!r}")
        if self.adjacency:
            parts.append(f"adjacency={self.adjacency!r}")
        return f"DpSgd({', '.join(parts)})"

    def guarantees(self) -> list[Guarantee]:
        """Every theorem that speaks of the run; those that do not apply say why and what would have to change."""
        if self._known is None:
            unsampled = [(u.noise_multiplier, u.count) for u in self.unsampled]
            found = _native.dp_sgd_guarantees(
                self.rows(), unsampled, self.sampling, self.adjacency or "", self.uses_per_round, self.accuracy, self.verify
            )
            self._known = [Guarantee(one) for one in found]
        return self._known

    def rows(self) -> list[tuple[float, float, float]]:
        """Noise multiplier, sampling rate and steps of each phase."""
        phases = [(p.noise_multiplier, p.sampling_rate, p.steps) for p in self.phases]
        if self._main is not None:
            if self._swept:
                raise TypeError("guarantees: the parameters are arrays; ask epsilon or delta of them")
            z, q, t = (float(part) for part in self._main)
            phases.insert(0, (z, q, t))
        return phases

    def scalars(self) -> tuple[float, float, float]:
        """Noise multiplier, sampling rate and steps of a run of one phase."""
        if self._main is None or self.phases or self.unsampled or self._swept:
            raise TypeError("the run is not a single phase with numbers as parameters")
        z, q, t = (float(part) for part in self._main)
        return z, q, t

    @property
    def guarantee(self) -> Guarantee:
        """The theorem whose answers ``epsilon`` and the others give."""
        return self.guarantees()[0]

    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Bracket | Brackets:
        """The least epsilon for delta in (0, 1)."""
        if self._swept:
            return self._sweep("epsilon", numbers("delta", delta), threads)
        return self.guarantee.epsilon(delta, threads=threads)

    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Bracket | Brackets:
        """The least delta for any real epsilon."""
        if self._swept:
            return self._sweep("delta", numbers("epsilon", epsilon), threads)
        return self.guarantee.delta(epsilon, threads=threads)

    def _promised(self) -> list[Guarantee]:
        return [self.guarantee]

    def _cells(self) -> tuple[tuple[int, ...], Iterator[Questions]] | None:
        if not self._swept:
            return None
        assert self._main is not None
        columns = np.broadcast_arrays(*self._main)
        runs = (
            DpSgd(z, q, t, sampling=self.sampling, adjacency=self.adjacency, accuracy=self.accuracy)
            for z, q, t in zip(*(column.ravel() for column in columns))
        )
        return columns[0].shape, runs

    @property
    def _swept(self) -> bool:
        return self._main is not None and any(part.ndim for part in self._main)

    def _sweep(self, quantity: str, at: Floats, threads: int) -> Bracket | Brackets:
        if self.phases or self.unsampled:
            raise TypeError("phases and unsampled releases do not go with arrays of parameters")
        assert self._main is not None
        columns = np.broadcast_arrays(*self._main, at)
        shape, size = columns[0].shape, columns[0].size
        lower, upper = np.empty(size), np.empty(size)
        _native.dp_sgd_sweep(
            quantity,
            [flat(column) for column in columns],
            lower,
            upper,
            self.sampling,
            self.adjacency or "",
            self.accuracy,
            threads,
        )
        return Brackets(lower.reshape(shape), upper.reshape(shape))


def _suggestion(name: str) -> str:
    import difflib

    known = ["noise_multiplier", "sampling_rate", "steps", "epochs", "records", "batch_size", "phases", "unsampled"]
    known += ["sampling", "adjacency", "uses_per_round", "clip", "accuracy", "verify", *ALIASES]
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""



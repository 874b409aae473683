# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""DP-SGD as a run that can be asked."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import Any, Callable, Iterable, Sequence, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .bracket import Bracket, Brackets, Floats
from .guarantee import Guarantee, flat, numbers, spread
from .questions import HALF, Questions, swept

ALIASES = {
    "sample_rate": "sampling_rate",
    "sampling_probability": "sampling_rate",
    "sigma": "noise_multiplier",
    "num_steps": "steps",
    "max_grad_norm": "clip",
    "sampler": "sampling",
}
SIZES_OF = {
    "uses_per_round": "random-allocation",
    "cycle": "cyclic-poisson",
    "largest_batch": "truncated-poisson",
    "separation": "b-min-sep",
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
    sampling: poisson, fixed-size, with-replacement, balls-in-bins, random-allocation, shuffled, cyclic, cyclic-poisson,
        truncated-poisson, b-min-sep, none
    adjacency: add-or-remove, add, remove, replace-one, zero-out; the usual one of the sampling if not given
    uses_per_round, cycle, largest_batch, separation: of random-allocation, cyclic-poisson, truncated-poisson, b-min-sep
    group_size: records of one owner that are protected together
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
        uses_per_round: ArrayLike | None = None,
        cycle: ArrayLike | None = None,
        largest_batch: ArrayLike | None = None,
        separation: ArrayLike | None = None,
        group_size: ArrayLike | None = None,
        clip: ArrayLike | None = None,
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
        if given["clip"] is not None and not np.all(numbers("clip", given["clip"]) > 0.0):
            raise ValueError(f"clip: {given['clip']} is outside (0, inf)")
        self.sampling = sampling
        self.adjacency = adjacency
        self.accuracy = accuracy
        self.verify = verify
        self.unsampled = _each(Unsampled, "unsampled", unsampled)
        self.phases = _each(Phase, "phases", phases)
        sizes = dict(uses_per_round=uses_per_round, cycle=cycle, largest_batch=largest_batch, separation=separation)
        for name, sampler in SIZES_OF.items():
            if sizes[name] is not None and sampling != sampler:
                raise ValueError(f"{name}: has a meaning only with sampling={sampler!r}")
            if sizes[name] is None and sampling == sampler and name != "uses_per_round":
                raise TypeError(f"{name}: is missing, with sampling={sampler!r}")
        sizes.update(records=records, group_size=group_size)
        self._sizes = {name: numbers(name, value) for name, value in sizes.items() if value is not None}
        rate = given["sampling_rate"]
        batch = None if batch_size is None else numbers("batch_size", batch_size)
        if rate is None and batch is not None and records is not None:
            size, total = spread({"batch_size": batch, "records": self._sizes["records"]})
            if np.any(size > total):
                raise ValueError("batch_size: is larger than records")
            rate = _each_entry(_native.sampling_rate_of, size, total)
        if rate is None and sampling == "none":
            rate = 1.0
        count = given["steps"]
        if count is None and epochs is not None:
            if rate is None:
                raise TypeError("epochs: needs sampling_rate, or records and batch_size")
            if given["sampling_rate"] is None and batch is not None:
                ratio = {"batch_size": batch, "records": self._sizes["records"]}
            else:  # a rate is rounded: no step more for that
                upwards = np.minimum(numbers("sampling_rate", rate) * (1.0 + 1e-12), 1.0)
                ratio = {"sampling_rate": upwards, "records": np.ones(())}
            of_epochs = functools.partial(_native.steps_of_epochs, sampling)
            count = _each_entry(of_epochs, *spread({"epochs": numbers("epochs", epochs), **ratio}))
        elif count is not None and epochs is not None:
            raise TypeError("epochs: steps are given too")
        missing = [
            name
            for name, value in (("noise_multiplier", given["noise_multiplier"]), ("sampling_rate", rate), ("steps", count))
            if value is None
        ]
        if missing and not (phases and len(missing) == 3):
            raise TypeError(f"DpSgd: {missing[0]} is missing")
        self._main: dict[str, Floats] = {}
        if not missing:
            main = dict(noise_multiplier=given["noise_multiplier"], sampling_rate=rate, steps=count)
            self._main = {name: numbers(name, value) for name, value in main.items()}
        self._known: list[Guarantee] | None = None

    def __repr__(self) -> str:
        parts = [f"{name}={value.tolist()!r}" for name, value in {**self._main, **self._sizes}.items()]
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
                self.rows(), unsampled, self.sizes(), self.sampling, self.adjacency or "", self.accuracy, self.verify
            )
            self._known = [Guarantee(one) for one in found]
        return self._known

    def rows(self) -> list[tuple[float, float, float]]:
        """Noise multiplier, sampling rate and steps of each phase."""
        phases = [(p.noise_multiplier, p.sampling_rate, p.steps) for p in self.phases]
        if self._swept:
            raise TypeError("guarantees: the parameters are arrays; ask epsilon or delta of them")
        if self._main:
            z, q, t = (float(part) for part in self._main.values())
            phases.insert(0, (z, q, t))
        return phases

    def sizes(self) -> dict[str, float]:
        """What else the answer may depend on: records, uses per round, ..., as far as they are given."""
        return {name: float(value) for name, value in self._sizes.items()}

    def scalars(self) -> tuple[float, float, float]:
        """Noise multiplier, sampling rate and steps of a run of one phase."""
        if not self._main or self.phases or self.unsampled or self._swept:
            raise TypeError("the run is not a single phase with numbers as parameters")
        z, q, t = (float(part) for part in self._main.values())
        return z, q, t

    @property
    def guarantee(self) -> Guarantee:
        """The theorem whose answers ``epsilon`` and the others give."""
        return self.guarantees()[0]

    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Bracket | Brackets:
        """The least epsilon for delta in (0, 1)."""
        if self._swept:
            return self._sweep("epsilon", numbers("delta", delta), threads=threads)
        return self.guarantee.epsilon(delta, threads=threads)

    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Bracket | Brackets:
        """The least delta for any real epsilon."""
        if self._swept:
            return self._sweep("delta", numbers("epsilon", epsilon), threads=threads)
        return self.guarantee.delta(epsilon, threads=threads)

    def _promised(self) -> list[Guarantee]:
        return [self.guarantee]

    @property
    def _swept(self) -> bool:
        return any(part.ndim for part in (*self._main.values(), *self._sizes.values()))

    def _sweep(self, quantity: str, at: Floats, prior: Floats = HALF, threads: int = 0) -> Brackets:
        if self.phases or self.unsampled:
            raise TypeError("phases and unsampled releases do not go with arrays of parameters")
        kind: Sequence[Any] = (self.sampling, self.adjacency or "", self.accuracy, threads)
        parameters = {**self._main, **self._sizes}

        def ask(*of: Any) -> None:
            _native.dp_sgd_sweep(quantity, *of, *kind)

        return swept(quantity, parameters, at, prior, ask)


def _each_entry(function: Callable[..., float], *of: Floats) -> Floats:
    """The function of each entry of arrays of one shape."""
    found = [function(*(float(x) for x in entries)) for entries in zip(*(flat(array) for array in of))]
    return np.array(found, dtype=np.float64).reshape(of[0].shape)


def _suggestion(name: str) -> str:
    import difflib

    known = ["noise_multiplier", "sampling_rate", "steps", "epochs", "records", "batch_size", "phases", "unsampled"]
    known += ["sampling", "adjacency", "group_size", "clip", "accuracy", "verify", *SIZES_OF, *ALIASES]
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""

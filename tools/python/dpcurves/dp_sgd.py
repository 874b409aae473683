# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""DP-SGD as a run that can be asked."""

from __future__ import annotations

import difflib
import functools
from dataclasses import dataclass, fields
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from .arguments import Numbers, Scalar, number, numbers, shown, spread, threads_of, word
from .bracket import Bracket, Brackets, Floats
from .guarantee import Guarantee
from .questions import One, Questions, promised, swept

ALIASES = {
    "sample_rate": "sampling_rate",
    "sampling_probability": "sampling_rate",
    "sigma": "noise_multiplier",
    "num_steps": "steps",
    "max_grad_norm": "clip",
    "sampler": "sampling",
    "uses": "uses_per_round",
    "min_separation": "separation",
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
    """Parts of a run, also as plain tuples of their numbers, or dictionaries."""
    try:
        every = list(given)
    except TypeError:
        raise TypeError(f"{name}: {shown(given)} is no list of parts") from None
    parts = []
    for one in every:
        if not isinstance(one, kind):
            try:
                one = kind(**one) if isinstance(one, Mapping) else kind(*one)
            except TypeError:
                raise TypeError(f"{name}: {shown(one)} is no {kind.__name__}") from None
        parts.append(kind(*(number(f"{name}: {field.name}", getattr(one, field.name)) for field in fields(kind))))
    return tuple(parts)


class DpSgd(Questions[One]):
    """DP-SGD: clipped gradients summed over random batches, noise in every step, all steps released.

    Parameters are numbers, or arrays that broadcast against each other and against what is asked.

    noise_multiplier: standard deviation of the noise on the sum over the clipping norm, in [0, inf)
    sampling_rate: chance that a step uses a record, in [0, 1]; or ``records`` and ``batch_size``
    steps: number of steps; or ``epochs``, with records and batch size or with the sampling rate
    sampling: poisson, fixed-size, with-replacement, balls-in-bins, random-allocation, shuffled, cyclic, cyclic-poisson,
        truncated-poisson, b-min-sep, none
    adjacency: add-or-remove, add, remove, replace-one, zero-out; the usual one of the sampling if not given
    uses_per_round, cycle, largest_batch, separation: of random-allocation, cyclic-poisson, truncated-poisson, b-min-sep
    group_size: records of one owner that are protected together
    clip: the clipping norm; it does not change the answer, because noise is measured in units of it
    """

    @overload
    def __init__(
        self: DpSgd[Bracket],
        noise_multiplier: Scalar | None = ...,
        sampling_rate: Scalar | None = ...,
        steps: Scalar | None = ...,
        *,
        epochs: Scalar | None = ...,
        records: Scalar | None = ...,
        batch_size: Scalar | None = ...,
        phases: Iterable[Phase | Sequence[float] | Mapping[str, float]] = ...,
        unsampled: Iterable[Unsampled | Sequence[float] | Mapping[str, float]] = ...,
        sampling: str = ...,
        adjacency: str | None = ...,
        uses_per_round: Scalar | None = ...,
        cycle: Scalar | None = ...,
        largest_batch: Scalar | None = ...,
        separation: Scalar | None = ...,
        group_size: Scalar | None = ...,
        clip: Scalar | None = ...,
        accuracy: float = ...,
        verify: bool = ...,
        **others: Scalar | str,
    ) -> None: ...
    @overload
    def __init__(
        self: DpSgd[Brackets],
        noise_multiplier: ArrayLike | None = ...,
        sampling_rate: ArrayLike | None = ...,
        steps: ArrayLike | None = ...,
        *,
        epochs: ArrayLike | None = ...,
        records: ArrayLike | None = ...,
        batch_size: ArrayLike | None = ...,
        sampling: str = ...,
        adjacency: str | None = ...,
        uses_per_round: ArrayLike | None = ...,
        cycle: ArrayLike | None = ...,
        largest_batch: ArrayLike | None = ...,
        separation: ArrayLike | None = ...,
        group_size: ArrayLike | None = ...,
        clip: ArrayLike | None = ...,
        accuracy: float = ...,
        **others: Any,
    ) -> None: ...
    def __init__(
        self,
        noise_multiplier: Numbers | None = None,
        sampling_rate: Numbers | None = None,
        steps: Numbers | None = None,
        *,
        epochs: Numbers | None = None,
        records: Numbers | None = None,
        batch_size: Numbers | None = None,
        phases: Iterable[Any] = (),
        unsampled: Iterable[Any] = (),
        sampling: str = "poisson",
        adjacency: str | None = None,
        uses_per_round: Numbers | None = None,
        cycle: Numbers | None = None,
        largest_batch: Numbers | None = None,
        separation: Numbers | None = None,
        group_size: Numbers | None = None,
        clip: Numbers | None = None,
        accuracy: float = 1e-9,
        verify: bool = False,
        **others: Any,
    ) -> None:
        given: dict[str, Any] = dict(
            noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps, epochs=epochs, records=records,
            batch_size=batch_size, uses_per_round=uses_per_round, cycle=cycle, largest_batch=largest_batch,
            separation=separation, group_size=group_size, clip=clip,
        )  # fmt: skip
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
        found = {name: numbers(name, value) for name, value in given.items() if value is not None}
        self.sampling = word("sampling", sampling)
        self.adjacency = None if adjacency is None else word("adjacency", adjacency)
        self.accuracy = number("accuracy", accuracy)
        self.verify = bool(verify)
        self.unsampled = _each(Unsampled, "unsampled", unsampled)
        self.phases = _each(Phase, "phases", phases)
        for name in ("clip", "epochs"):
            if not np.all(found.get(name, np.ones(())) > 0.0):
                raise _native.DomainError(f"{name}: {shown(given[name])} is outside (0, inf)")
        if not 0.0 < self.accuracy < 1.0:
            raise ValueError(f"accuracy: {shown(accuracy)} is outside (0, 1)")
        _check_sizes(self.sampling, found)
        self._typed = {name: value for name, value in found.items() if name != "clip"}
        self._sizes = {name: found[name] for name in (*SIZES_OF, "records", "group_size") if name in found}
        main = dict(
            noise_multiplier=found.get("noise_multiplier"),
            sampling_rate=_rate(self.sampling, found),
            steps=_steps(self.sampling, found),
        )
        missing = [name for name, value in main.items() if value is None]
        rate_alone = self.sampling == "none" and missing == ["noise_multiplier", "steps"]
        if missing and not (self.phases and (len(missing) == 3 or rate_alone)):
            raise TypeError(f"DpSgd: {missing[0]} is missing")
        self._main: dict[str, Floats] = {}
        if not missing:
            self._main = {name: value for name, value in main.items() if value is not None}
        self._known: list[Guarantee] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}  # theorems are found anew where it is copied to

    def __repr__(self) -> str:
        parts = [f"{name}={_short(value)!r}" for name, value in {**self._main, **self._sizes}.items()]
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

    def without(self, name: str) -> dict[str, float]:
        """A run of one phase as it was typed, but for a parameter and what stands in place of it."""
        self.scalars()
        other = {"epochs": ("steps",), "batch_size": ("sampling_rate",)}[name]
        return {key: float(value) for key, value in self._typed.items() if key not in (name, *other)}

    def scalars(self) -> tuple[float, float, float]:
        """Noise multiplier, sampling rate and steps of a run of one phase."""
        if not self._main or self.phases or self.unsampled or self._swept:
            raise TypeError("the run is not a single phase with numbers as parameters")
        z, q, t = (float(part) for part in self._main.values())
        return z, q, t

    @property
    def guarantee(self) -> Guarantee:
        """The first of them: the theorem that composes the steps."""
        return self.guarantees()[0]

    def _promised(self, quantity: str, at: float) -> list[Guarantee]:
        return promised(self.guarantees())

    @property
    def _swept(self) -> bool:
        return any(part.ndim for part in (*self._main.values(), *self._sizes.values()))

    def _sweep(self, quantity: str, at: Floats, prior: Floats, threads: Any) -> Brackets:
        if self.phases or self.unsampled:
            raise TypeError("phases and unsampled releases do not go with arrays of parameters")
        kind: Sequence[Any] = (self.sampling, self.adjacency or "", self.accuracy, self.verify, threads_of(threads))
        parameters = {**self._main, **self._sizes}

        def ask(*of: Any) -> tuple[str, str, str]:
            return _native.dp_sgd_sweep(quantity, *of, *kind)

        found: Brackets = swept(quantity, parameters, at, prior, ask)
        return found


def _check_sizes(sampling: str, found: Mapping[str, Floats]) -> None:
    """What a sampling needs and what has no meaning for it."""
    for name, sampler in SIZES_OF.items():
        if name in found and sampling != sampler:
            raise ValueError(f"{name}: has a meaning only with sampling={sampler!r}")
        if name not in found and sampling == sampler and name != "uses_per_round":
            raise TypeError(f"{name}: is missing, with sampling={sampler!r}")
    if sampling == "truncated-poisson" and "records" not in found:
        raise TypeError("records: is missing, with sampling='truncated-poisson'")
    for name in ("sampling_rate", "batch_size"):
        if sampling == "none" and not np.all(found.get(name, np.ones(())) == 1.0):
            raise ValueError(f"{name}: has no meaning with sampling='none', where every step uses all records")
    if "sampling_rate" in found and "batch_size" in found:
        raise TypeError("batch_size: sampling_rate is given too")
    if "steps" in found and "epochs" in found:
        raise TypeError("epochs: steps are given too")


def _rate(sampling: str, found: Mapping[str, Floats]) -> Floats | None:
    """The sampling rate, or that of batches of so many records."""
    if "sampling_rate" in found:
        return found["sampling_rate"]
    if sampling == "none":
        return np.ones(())
    if "batch_size" in found and "records" in found:
        size, total = spread({"batch_size": found["batch_size"], "records": found["records"]})
        if np.any(size > total):
            raise ValueError("batch_size: is larger than records")
        return _each_entry(_native.sampling_rate_of, size, total)
    return None


def _steps(sampling: str, found: Mapping[str, Floats]) -> Floats | None:
    """The number of steps, or that of so many epochs."""
    if "epochs" not in found:
        return found.get("steps")
    if "sampling_rate" in found or sampling == "none":  # a rate is rounded: no step more for that
        rate = found.get("sampling_rate", np.ones(()))
        ratio = {"sampling_rate": np.minimum(rate * (1.0 + 1e-12), 1.0), "records": np.ones(())}
    elif "batch_size" in found and "records" in found:
        ratio = {"batch_size": found["batch_size"], "records": found["records"]}
    else:
        raise TypeError("epochs: needs sampling_rate, or records and batch_size")
    of_epochs = functools.partial(_native.steps_of_epochs, sampling)
    return _each_entry(of_epochs, *spread({"epochs": found["epochs"], **ratio}))


def _each_entry(function: Callable[..., float], *of: Floats) -> Floats:
    """The function of each entry of arrays of one shape."""
    found = [function(*(float(x) for x in entries)) for entries in zip(*(array.ravel() for array in of))]
    return np.array(found, dtype=np.float64).reshape(of[0].shape)


def _short(value: Floats) -> Any:
    """A parameter as it was typed: whole numbers without a point."""
    whole_numbers = value.size > 0 and np.all(np.abs(value) < 1e15) and np.all(value == np.floor(value))
    return (value.astype(np.int64) if whole_numbers else value).tolist()


def _suggestion(name: str) -> str:
    known = ["noise_multiplier", "sampling_rate", "steps", "epochs", "records", "batch_size", "phases", "unsampled"]
    known += ["sampling", "adjacency", "group_size", "clip", "accuracy", "verify", *SIZES_OF, *ALIASES]
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as dp_accounting and Opacus describe them."""

from __future__ import annotations

import json
import warnings
from typing import Any, Sequence

from . import _native
from .algorithms import HypothesisWarning, outside
from .arguments import number, shown, whole, word
from .bracket import Bracket
from .guarantee import Guarantee
from .questions import Questions, promised


class Transcript(Questions[Bracket]):
    """What another tool wrote about a run, read part by part."""

    def __init__(
        self,
        text: str,
        reader: str = "",
        *,
        adjacency: str | None = None,
        sampling: str | None = None,
        records: float | None = None,
        batch_size: float | None = None,
        delta: float | None = None,
    ) -> None:
        names = (word("reader", reader), word("adjacency", adjacency or ""), word("sampling", sampling or ""))
        sizes = {"records": records, "batch_size": batch_size, "delta": delta}
        given = (None if value is None else number(name, value) for name, value in sizes.items())
        self._read: tuple[Any, ...] = (word("text", text), *names, *given)
        read, native = _native.read_transcript(*self._read)
        self.parts: list[dict[str, Any]] = read["parts"]
        self.assumed: list[str] = read["assumed"]
        self.findings: list[dict[str, Any]] = read["findings"]
        self.guarantee = Guarantee(native)
        for one in self.findings:
            words = f"{one.get('id', '')}: {one.get('message', one)}"
            warnings.warn(words, HypothesisWarning, stacklevel=outside())

    def __repr__(self) -> str:
        return f"<Transcript of {len(self.parts)} part{'s' * (len(self.parts) != 1)}: {self.guarantee.theorem}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "guarantee": None}

    def __setstate__(self, state: dict[str, Any]) -> None:  # reads again, without the warnings
        self.__dict__.update(state)
        self.guarantee = Guarantee(_native.read_transcript(*self._read)[1])

    def _promised(self, quantity: str, at: float) -> list[Guarantee]:
        return promised([self.guarantee])

    def guarantees(self) -> list[Guarantee]:
        """The theorem of the whole."""
        return [self.guarantee]


def as_tree(event: Any) -> Any:
    """An event of dp_accounting as the object that its JSON would be."""
    fields = getattr(type(event), "__attrs_attrs__", None)
    if fields is None:
        if isinstance(event, (list, tuple)):
            return [as_tree(one) for one in event]
        if hasattr(event, "item"):
            return event.item()
        return event
    tree = {"module_name": type(event).__module__, "class_name": type(event).__name__}
    return {**tree, **{one.name: as_tree(getattr(event, one.name)) for one in fields}}


def from_dp_event(event: Any, *, adjacency: str | None = None, delta: float | None = None) -> Transcript:
    """A run from a tree of dp_accounting: an event, its JSON text, or what ``json.loads`` made of that."""
    return Transcript(text_of(event), "dp-event", adjacency=adjacency, delta=delta)


def text_of(event: Any) -> str:
    """The JSON of an event."""
    try:
        return event if isinstance(event, str) else json.dumps(as_tree(event))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"event: {shown(event)} is no tree of events: {error}") from None


def from_opacus_history(
    history: Sequence[tuple[float, float, int]], *, adjacency: str | None = None, delta: float | None = None
) -> Transcript:
    """A run from the history of an accountant of Opacus: (noise multiplier, sample rate, steps) each."""
    try:
        rows = [
            [number("noise_multiplier", z), number("sample_rate", q), whole("steps", t, 0, 10**15 + 1)] for z, q, t in history
        ]
    except (TypeError, ValueError) as error:
        raise type(error)(f"history: {error}") from None
    return Transcript(json.dumps({"history": rows, "mechanism": "rdp"}), "opacus", adjacency=adjacency, delta=delta)


ADJACENCIES = {
    "ADD_OR_REMOVE_ONE": "add-or-remove",
    "REPLACE_ONE": "replace-one",
    "REPLACE_SPECIAL": "zero-out",
}


class PrivacyAccountant:
    """The methods of an accountant of dp_accounting, with both ends proved: answers are upper ends."""

    def __init__(self, neighboring_relation: Any = "ADD_OR_REMOVE_ONE") -> None:
        name = getattr(neighboring_relation, "name", neighboring_relation)
        if not isinstance(name, str) or name not in ADJACENCIES:
            raise ValueError(f"neighboring_relation: {shown(name)} is not one of {', '.join(ADJACENCIES)}")
        self.neighboring_relation = neighboring_relation
        self._adjacency = ADJACENCIES[name]
        self._events: list[Any] = []
        self._run: Transcript | None = None

    def __repr__(self) -> str:
        return f"<PrivacyAccountant, {self._adjacency}: {self._run or 'nothing composed'}>"

    def supports(self, event: Any) -> bool:
        """Whether a theorem covers every part of it."""
        try:
            return from_dp_event(event, adjacency=self._adjacency).guarantee.applies
        except (_native.DomainError, _native.UsageError):
            return False

    def compose(self, event: Any, count: int = 1) -> PrivacyAccountant:
        """Adds an event, ``count`` times."""
        count = whole("count", count, 1, 10**15 + 1)
        try:
            tree = json.loads(text_of(event))
        except ValueError as error:
            raise ValueError(f"event: is no JSON: {error}") from None
        if count != 1:
            tree = {"module_name": MODULE, "class_name": "SelfComposedDpEvent", "event": tree, "count": count}
        events = [*self._events, tree]
        self._run = Transcript(json.dumps(composed(events)), "dp-event", adjacency=self._adjacency)
        self._events = events  # not if it throws
        return self

    @property
    def ledger(self) -> dict[str, Any]:
        """What was composed so far, as the JSON of an event."""
        return composed(self._events)

    @property
    def run(self) -> Transcript:
        """Everything composed so far."""
        if self._run is None:
            raise ValueError("nothing is composed yet")
        return self._run

    def get_epsilon(self, target_delta: float) -> float:
        """The least epsilon that may be promised."""
        return float(self.run.epsilon(target_delta)) if self._run is not None else 0.0

    def get_delta(self, target_epsilon: float) -> float:
        """The least delta that may be promised."""
        return float(self.run.delta(target_epsilon)) if self._run is not None else 0.0


MODULE = "dp_accounting.dp_event"


def composed(events: list[Any]) -> dict[str, Any]:
    """One event after the other, as an event."""
    return {"module_name": MODULE, "class_name": "ComposedDpEvent", "events": list(events)}

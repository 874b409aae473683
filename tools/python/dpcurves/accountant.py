# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as dp_accounting and Opacus describe them."""

from __future__ import annotations

import json
import warnings
from typing import Any, Sequence

from numpy.typing import ArrayLike

from . import _native
from .algorithms import HypothesisWarning
from .guarantee import Guarantee
from .questions import Answer, Questions


class Transcript(Questions):
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
        read, native = _native.read_transcript(text, reader, adjacency or "", sampling or "", records, batch_size, delta)
        self.parts: list[dict[str, Any]] = read["parts"]
        self.assumed: list[str] = read["assumed"]
        self.findings: list[dict[str, Any]] = read["findings"]
        self.guarantee = Guarantee(native)
        for one in self.findings:
            warnings.warn(f"{one.get('id', '')}: {one.get('message', one)}", HypothesisWarning, stacklevel=3)

    def _promised(self) -> list[Guarantee]:
        return [self.guarantee]

    def guarantees(self) -> list[Guarantee]:
        """The theorem of the whole."""
        return [self.guarantee]

    def epsilon(self, delta: ArrayLike, *, threads: int = 0) -> Answer:
        """The least epsilon for delta in (0, 1)."""
        return self.guarantee.epsilon(delta, threads=threads)

    def delta(self, epsilon: ArrayLike, *, threads: int = 0) -> Answer:
        """The least delta for any real epsilon."""
        return self.guarantee.delta(epsilon, threads=threads)


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
    text = event if isinstance(event, str) else json.dumps(as_tree(event))
    return Transcript(text, "dp-event", adjacency=adjacency, delta=delta)


def from_opacus_history(
    history: Sequence[tuple[float, float, int]], *, adjacency: str | None = None, delta: float | None = None
) -> Transcript:
    """A run from the history of an accountant of Opacus: (noise multiplier, sample rate, steps) each."""
    rows = [[float(z), float(q), int(t)] for z, q, t in history]
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
        if name not in ADJACENCIES:
            raise ValueError(f"neighboring_relation: {name!r} is not one of {', '.join(ADJACENCIES)}")
        self.neighboring_relation = neighboring_relation
        self._adjacency = ADJACENCIES[name]
        self._events: list[Any] = []
        self._run: Transcript | None = None

    def supports(self, event: Any) -> bool:
        """Whether a theorem covers every part of it."""
        try:
            return from_dp_event(event, adjacency=self._adjacency).guarantee.applies
        except (_native.DomainError, _native.UsageError):
            return False

    def compose(self, event: Any, count: int = 1) -> PrivacyAccountant:
        """Adds an event, ``count`` times."""
        if not count >= 0:
            raise ValueError(f"count: {count} is outside [0, inf)")
        tree = json.loads(event) if isinstance(event, str) else as_tree(event)
        if count != 1:
            tree = {"module_name": MODULE, "class_name": "SelfComposedDpEvent", "event": tree, "count": int(count)}
        events = [*self._events, tree]
        whole = {"module_name": MODULE, "class_name": "ComposedDpEvent", "events": events}
        self._run = Transcript(json.dumps(whole), "dp-event", adjacency=self._adjacency)  # keeps nothing if it throws
        self._events = events
        return self

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

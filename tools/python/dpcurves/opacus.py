# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
"""An accountant for Opacus from 1.6 on: ``dpcurves.opacus.register()``, then ``PrivacyEngine(accountant="dpcurves")``."""

from __future__ import annotations

from typing import Any

from opacus.accountants import IAccountant, register_accountant  # type: ignore[import-not-found,import-untyped,unused-ignore]

from .bracket import Bracket
from .dp_sgd import DpSgd, Phase


class Accountant(IAccountant):  # type: ignore[misc,unused-ignore]
    """Counts steps as Opacus does; epsilon is the upper end of a proved bracket.

    Steps are those of Poisson batches, which ``PrivacyEngine`` draws unless it is told ``poisson_sampling=False``: it says
    nothing of that to an accountant. What other batches cost is what ``DpSgd(phases=accountant.history,
    sampling="shuffled")`` says.
    """

    def __init__(self) -> None:
        super().__init__()

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """One more step; a neighbour of the same kind is counted with it."""
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            noise, rate, steps = self.history.pop()
            self.history.append((noise, rate, steps + 1))
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    @property
    def run(self) -> DpSgd[Bracket]:
        """The steps so far, for whatever else is asked of them."""
        return DpSgd(phases=[Phase(*one) for one in self.history])

    def get_epsilon(self, delta: float, **_: Any) -> float:
        """The least epsilon that may be promised."""
        return float(self.run.epsilon(delta)) if self.history else 0.0

    def __len__(self) -> int:
        return int(sum(steps for _, _, steps in self.history))

    @classmethod
    def mechanism(cls) -> str:
        """Its name in the registry."""
        return "dpcurves"


def register() -> None:
    """Makes it known to ``PrivacyEngine``; a second call changes nothing."""
    register_accountant("dpcurves", Accountant, force=True)

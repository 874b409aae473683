# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Written by tools/python/stubs.py.
from os import PathLike
from typing import Any, Literal, Sequence, overload

from numpy.typing import ArrayLike

from .algorithms import Algorithm
from .arguments import Scalar
from .bracket import Bracket, Brackets
from .calculators import Calculator, Calculators
from .questions import One

KINDS: dict[str, str]

class NoisyGd(Algorithm[One]):
    @overload
    def __init__(
        self: NoisyGd[Bracket],
        *,
        steps: Scalar | str = ...,
        sensitivity: Scalar | str = ...,
        noise: Scalar | str = ...,
        records: Scalar | str = ...,
        clip: Scalar | str = ...,
        max_grad_norm: Scalar | str = ...,
        noise_multiplier: Scalar | str = ...,
        effective_sensitivity: Scalar | str = ...,
        step_size: Scalar | str = ...,
        strong_convexity: Scalar | str = ...,
        smoothness: Scalar | str = ...,
        contraction: Scalar | str = ...,
        one_minus_contraction: Scalar | str = ...,
        diameter: Scalar | str = ...,
        convex: bool = ...,
        release: str | PathLike[str] = ...,
        run: str | PathLike[str] = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: NoisyGd[Brackets],
        *,
        steps: ArrayLike | str = ...,
        sensitivity: ArrayLike | str = ...,
        noise: ArrayLike | str = ...,
        records: ArrayLike | str = ...,
        clip: ArrayLike | str = ...,
        max_grad_norm: ArrayLike | str = ...,
        noise_multiplier: ArrayLike | str = ...,
        effective_sensitivity: ArrayLike | str = ...,
        step_size: ArrayLike | str = ...,
        strong_convexity: ArrayLike | str = ...,
        smoothness: ArrayLike | str = ...,
        contraction: ArrayLike | str = ...,
        one_minus_contraction: ArrayLike | str = ...,
        diameter: ArrayLike | str = ...,
        convex: bool = ...,
        release: str | PathLike[str] = ...,
        run: str | PathLike[str] = ...,
    ) -> None: ...
class NoisyCgd(Algorithm[One]):
    @overload
    def __init__(
        self: NoisyCgd[Bracket],
        *,
        epochs: Scalar | str = ...,
        batch_size: Scalar | str = ...,
        batches_per_epoch: Scalar | str = ...,
        sensitivity: Scalar | str = ...,
        noise: Scalar | str = ...,
        records: Scalar | str = ...,
        clip: Scalar | str = ...,
        max_grad_norm: Scalar | str = ...,
        noise_multiplier: Scalar | str = ...,
        effective_sensitivity: Scalar | str = ...,
        step_size: Scalar | str = ...,
        strong_convexity: Scalar | str = ...,
        smoothness: Scalar | str = ...,
        contraction: Scalar | str = ...,
        one_minus_contraction: Scalar | str = ...,
        diameter: Scalar | str = ...,
        convex: bool = ...,
        release: str | PathLike[str] = ...,
        run: str | PathLike[str] = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: NoisyCgd[Brackets],
        *,
        epochs: ArrayLike | str = ...,
        batch_size: ArrayLike | str = ...,
        batches_per_epoch: ArrayLike | str = ...,
        sensitivity: ArrayLike | str = ...,
        noise: ArrayLike | str = ...,
        records: ArrayLike | str = ...,
        clip: ArrayLike | str = ...,
        max_grad_norm: ArrayLike | str = ...,
        noise_multiplier: ArrayLike | str = ...,
        effective_sensitivity: ArrayLike | str = ...,
        step_size: ArrayLike | str = ...,
        strong_convexity: ArrayLike | str = ...,
        smoothness: ArrayLike | str = ...,
        contraction: ArrayLike | str = ...,
        one_minus_contraction: ArrayLike | str = ...,
        diameter: ArrayLike | str = ...,
        convex: bool = ...,
        release: str | PathLike[str] = ...,
        run: str | PathLike[str] = ...,
    ) -> None: ...
class NoisySgd(Algorithm[One]):
    @overload
    def __init__(
        self: NoisySgd[Bracket],
        *,
        steps: Scalar | str = ...,
        batch_size: Scalar | str = ...,
        sampling_rate: Scalar | str = ...,
        horizon: Scalar | str = ...,
        verify: bool = ...,
        sensitivity: Scalar | str = ...,
        noise: Scalar | str = ...,
        records: Scalar | str = ...,
        clip: Scalar | str = ...,
        max_grad_norm: Scalar | str = ...,
        noise_multiplier: Scalar | str = ...,
        effective_sensitivity: Scalar | str = ...,
        step_size: Scalar | str = ...,
        strong_convexity: Scalar | str = ...,
        smoothness: Scalar | str = ...,
        contraction: Scalar | str = ...,
        one_minus_contraction: Scalar | str = ...,
        diameter: Scalar | str = ...,
        convex: bool = ...,
        release: str | PathLike[str] = ...,
        run: str | PathLike[str] = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: NoisySgd[Brackets],
        *,
        steps: ArrayLike | str = ...,
        batch_size: ArrayLike | str = ...,
        sampling_rate: ArrayLike | str = ...,
        horizon: ArrayLike | str = ...,
        verify: bool = ...,
        sensitivity: ArrayLike | str = ...,
        noise: ArrayLike | str = ...,
        records: ArrayLike | str = ...,
        clip: ArrayLike | str = ...,
        max_grad_norm: ArrayLike | str = ...,
        noise_multiplier: ArrayLike | str = ...,
        effective_sensitivity: ArrayLike | str = ...,
        step_size: ArrayLike | str = ...,
        strong_convexity: ArrayLike | str = ...,
        smoothness: ArrayLike | str = ...,
        contraction: ArrayLike | str = ...,
        one_minus_contraction: ArrayLike | str = ...,
        diameter: ArrayLike | str = ...,
        convex: bool = ...,
        release: str | PathLike[str] = ...,
        run: str | PathLike[str] = ...,
    ) -> None: ...
class Gaussian(Algorithm[One]):
    @overload
    def __init__(
        self: Gaussian[Bracket],
        *,
        noise_multiplier: Scalar | str = ...,
        sigma: Scalar | str = ...,
        compositions: Scalar | str = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: Gaussian[Brackets],
        *,
        noise_multiplier: ArrayLike | str = ...,
        sigma: ArrayLike | str = ...,
        compositions: ArrayLike | str = ...,
    ) -> None: ...
class Composition(Algorithm[One]):
    @overload
    def __init__(
        self: Composition[Bracket],
        *,
        component: str | Sequence[str] = ...,
        losses: str | Sequence[str] = ...,
        gaussian: Scalar | str = ...,
        repetitions: Scalar | str = ...,
        accuracy: Scalar | str = ...,
        verify: bool = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: Composition[Brackets],
        *,
        component: str | Sequence[str] = ...,
        losses: str | Sequence[str] = ...,
        gaussian: ArrayLike | str = ...,
        repetitions: ArrayLike | str = ...,
        accuracy: ArrayLike | str = ...,
        verify: bool = ...,
    ) -> None: ...
class Correlated(Algorithm[One]):
    @overload
    def __init__(
        self: Correlated[Bracket],
        *,
        noise_multiplier: Scalar | str = ...,
        sigma: Scalar | str = ...,
        steps: Scalar | str = ...,
        lambda_: Scalar | str = ...,
        strategy: str | PathLike[str] = ...,
        sampling_rate: Scalar | str = ...,
        sample_rate: Scalar | str = ...,
        sampling_probability: Scalar | str = ...,
        batch_size: Scalar | str = ...,
        records: Scalar | str = ...,
        sampling: str | PathLike[str] = ...,
        adjacency: str | PathLike[str] = ...,
        method: str | PathLike[str] = ...,
        standard_error: Scalar | str = ...,
        draws: Scalar | str = ...,
        run: str | PathLike[str] = ...,
        participation: str | PathLike[str] = ...,
        epochs: Scalar | str = ...,
        separation: Scalar | str = ...,
        participations: Scalar | str = ...,
        bands: Scalar | str = ...,
        buffers: Scalar | str = ...,
        groups: Scalar | str = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: Correlated[Brackets],
        *,
        noise_multiplier: ArrayLike | str = ...,
        sigma: ArrayLike | str = ...,
        steps: ArrayLike | str = ...,
        lambda_: ArrayLike | str = ...,
        strategy: str | PathLike[str] = ...,
        sampling_rate: ArrayLike | str = ...,
        sample_rate: ArrayLike | str = ...,
        sampling_probability: ArrayLike | str = ...,
        batch_size: ArrayLike | str = ...,
        records: ArrayLike | str = ...,
        sampling: str | PathLike[str] = ...,
        adjacency: str | PathLike[str] = ...,
        method: str | PathLike[str] = ...,
        standard_error: ArrayLike | str = ...,
        draws: ArrayLike | str = ...,
        run: str | PathLike[str] = ...,
        participation: str | PathLike[str] = ...,
        epochs: ArrayLike | str = ...,
        separation: ArrayLike | str = ...,
        participations: ArrayLike | str = ...,
        bands: ArrayLike | str = ...,
        buffers: ArrayLike | str = ...,
        groups: ArrayLike | str = ...,
    ) -> None: ...
class PhasedSgd(Algorithm[One]):
    @overload
    def __init__(
        self: PhasedSgd[Bracket],
        *,
        claimed_epsilon: Scalar | str = ...,
        claimed_delta: Scalar | str = ...,
        variant: str | PathLike[str] = ...,
        algorithm: str | PathLike[str] = ...,
        noise: str | PathLike[str] = ...,
        records: Scalar | str = ...,
        projected_dimension: Scalar | str = ...,
        renormalise: bool = ...,
        dimension: Scalar | str = ...,
        step_size: Scalar | str = ...,
        lipschitz: Scalar | str = ...,
        smoothing: Scalar | str = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: PhasedSgd[Brackets],
        *,
        claimed_epsilon: ArrayLike | str = ...,
        claimed_delta: ArrayLike | str = ...,
        variant: str | PathLike[str] = ...,
        algorithm: str | PathLike[str] = ...,
        noise: str | PathLike[str] = ...,
        records: ArrayLike | str = ...,
        projected_dimension: ArrayLike | str = ...,
        renormalise: bool = ...,
        dimension: ArrayLike | str = ...,
        step_size: ArrayLike | str = ...,
        lipschitz: ArrayLike | str = ...,
        smoothing: ArrayLike | str = ...,
    ) -> None: ...
class ExponentialMechanism(Algorithm[One]):
    @overload
    def __init__(
        self: ExponentialMechanism[Bracket],
        *,
        lipschitz_of_difference: Scalar | str = ...,
        strong_convexity: Scalar | str = ...,
        lipschitz: Scalar | str = ...,
        diameter: Scalar | str = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: ExponentialMechanism[Brackets],
        *,
        lipschitz_of_difference: ArrayLike | str = ...,
        strong_convexity: ArrayLike | str = ...,
        lipschitz: ArrayLike | str = ...,
        diameter: ArrayLike | str = ...,
    ) -> None: ...
class Langevin(Algorithm[One]):
    @overload
    def __init__(
        self: Langevin[Bracket],
        *,
        step_size: Scalar | str = ...,
        steps: Scalar | str = ...,
        lipschitz_of_difference: Scalar | str = ...,
        strong_convexity: Scalar | str = ...,
        smoothness: Scalar | str = ...,
        lipschitz: Scalar | str = ...,
        diameter: Scalar | str = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: Langevin[Brackets],
        *,
        step_size: ArrayLike | str = ...,
        steps: ArrayLike | str = ...,
        lipschitz_of_difference: ArrayLike | str = ...,
        strong_convexity: ArrayLike | str = ...,
        smoothness: ArrayLike | str = ...,
        lipschitz: ArrayLike | str = ...,
        diameter: ArrayLike | str = ...,
    ) -> None: ...
class _AccountantAdaptiveClipping(Calculator):
    def __call__(self, *, count_noise: Scalar, groups: Scalar | None = ..., shift: Scalar | None = ..., noise_multiplier: Scalar, target: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantAllocationBounds(Calculator):
    def __call__(self, *, chosen: Scalar, positions: Scalar, epochs: Scalar | None = ..., noise_multiplier: Scalar, rate: Scalar, epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantAllocationMoment(Calculator):
    def __call__(self, *, chosen: Scalar, positions: Scalar, epochs: Scalar | None = ..., noise_multiplier: Scalar, order: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantAllocationTest(Calculator):
    def __call__(self, *, chosen: Scalar, positions: Scalar, epochs: Scalar | None = ..., noise_multiplier: Scalar, rate: Scalar, epsilon: Scalar, direction: str | None = ..., threshold: Scalar | None = ..., replaced: bool | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantBMinSepTest(Calculator):
    def __call__(self, *, steps: Scalar, sampling_rate: Scalar, separation: Scalar, warm_start: bool | None = ..., noise_multiplier: Scalar, rate: Scalar, epsilon: Scalar, direction: str | None = ..., threshold: Scalar | None = ..., replaced: bool | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantDelta(Calculator):
    def __call__(self, *, sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]], unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantEpsilon(Calculator):
    def __call__(self, *, sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]], unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantMechanisms(Calculator):
    def __call__(self, *, components: Sequence[dict[str, Any]], direction: str | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantMixture(Calculator):
    def __call__(self, *, steps: Sequence[dict[str, Any]], direction: str | None = ..., epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantMu(Calculator):
    def __call__(self, *, sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]], unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., delta_floor: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantMultiplicity(Calculator):
    def __call__(self, *, sampling: str, noise_multiplier: Scalar, batch_size: Scalar, records: Scalar, group_size: Scalar | None = ..., steps: Scalar, adjacency: str, others: Scalar | None = ..., epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantOnePosition(Calculator):
    def __call__(self, *, positions: Scalar, mean: Scalar, null_mean: Scalar | None = ..., epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantRenyi(Calculator):
    def __call__(self, *, sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]], unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., order: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantSchedule(Calculator):
    def __call__(self, *, parts: Sequence[dict[str, Any]], adjacency: str | None = ..., group_size: Scalar | None = ..., epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantShuffledBound(Calculator):
    def __call__(self, *, noise_multiplier: Scalar, batches: Scalar, epochs: Scalar | None = ..., epsilon: Scalar, adjacency: str | None = ..., reshuffle: bool | None = ..., log_inverse_rate: Scalar, hidden: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantShuffledMax(Calculator):
    def __call__(self, *, noise_multiplier: Scalar, batches: Scalar, epochs: Scalar | None = ..., epsilon: Scalar, adjacency: str | None = ..., reshuffle: bool | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantTradeoff(Calculator):
    def __call__(self, *, sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]], unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantTruncatedByOthers(Calculator):
    def __call__(self, *, sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]], unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AccountantTruncation(Calculator):
    def __call__(self, *, records: Scalar, sampling_rate: Scalar, largest_batch: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackAdvantage(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackAuc(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackBayesError(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., prior: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackCalibrate(Calculator):
    def __call__(self, *, measure: Literal['advantage', 'tpr', 'bayes-accuracy', 'precision', 'reconstruction', 'auc', 'gdp-mu'], target: Scalar, fpr: Scalar | None = ..., baseline: Scalar | None = ..., delta_floor: Scalar | None = ..., prior: Scalar | None = ..., steps: Scalar, sampling_rate: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackCandidates(Calculator):
    def __call__(self, *, mu: Scalar, candidates: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackGdp(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., delta_floor: Scalar | None = ..., fpr_floor: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackPosterior(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., odds_epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackPrecision(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., prior: Scalar, fpr: Scalar | None = ..., recall: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackReconstruction(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., baseline: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AttackTpr(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., fpr: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AuditMultiRun(Calculator):
    def __call__(self, *, true_positives: Scalar, canaries_in: Scalar, false_positives: Scalar, canaries_out: Scalar, significance: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AuditOneRunEpsilon(Calculator):
    def __call__(self, *, canaries: Scalar, guesses: Scalar, correct: Scalar, significance: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _AuditOneRunFdpPValue(Calculator):
    def __call__(self, *, mu: Scalar | None = ..., epsilon: Scalar | None = ..., delta: Scalar | None = ..., sampling: Literal['poisson', 'fixed-size', 'with-replacement', 'balls-in-bins', 'random-allocation', 'shuffled', 'cyclic', 'cyclic-poisson', 'truncated-poisson', 'b-min-sep', 'weighted', 'none'] | None = ..., adjacency: str | None = ..., uses_per_round: Scalar | None = ..., phases: Sequence[dict[str, Any]] | None = ..., unsampled: Sequence[dict[str, Any]] | None = ..., group_size: Scalar | None = ..., records: Scalar | None = ..., cycle: Scalar | None = ..., largest_batch: Scalar | None = ..., separation: Scalar | None = ..., adaptive_clipping: dict[str, Any] | None = ..., canaries: Scalar, guesses: Scalar, correct: Scalar, one_sided: bool | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AuditOneRunMu(Calculator):
    def __call__(self, *, canaries: Scalar, guesses: Scalar, correct: Scalar, significance: Scalar, one_sided: bool | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _AuditOneRunPValue(Calculator):
    def __call__(self, *, canaries: Scalar, guesses: Scalar, correct: Scalar, epsilon: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksAlg8Noise(Calculator):
    def __call__(self, *, B: Scalar, d: Scalar, norm_w: Scalar, batch: Scalar, eps: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksAlg8OneStep(Calculator):
    def __call__(self, *, d: Scalar, norm_w: Scalar, norm_v: Scalar, cos: Scalar, label_noise_var: Scalar, eta: Scalar, batch: Scalar, sigma: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksBatchTail(Calculator):
    def __call__(self, *, n: Scalar, q: Scalar, a: Scalar, T: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksDpsgdAccounting(Calculator):
    def __call__(self, *, q: Scalar, noise_multiplier: Scalar, T: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksFeatureMapRelu(Calculator):
    def __call__(self, *, degree: Scalar, activation: Literal['relu'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksFeatureMapSigmoid(Calculator):
    def __call__(self, *, degree: Scalar, activation: Literal['sigmoid'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksGaussianClassic(Calculator):
    def __call__(self, *, sensitivity: Scalar, eps: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksGaussianNormTail(Calculator):
    def __call__(self, *, dim: Scalar, sigma: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksGdpDelta(Calculator):
    def __call__(self, *, mu: Scalar, eps: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksGdpMu(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksInitMoments(Calculator):
    def __call__(self, *, m: Scalar, L: Scalar, d: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksJlInnerProduct(Calculator):
    def __call__(self, *, norm_u: Scalar, norm_v: Scalar, cos: Scalar, m: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksJlPrivacyEvent(Calculator):
    def __call__(self, *, m: Scalar, n: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksMoreauProx(Calculator):
    def __call__(self, *, link: Literal['sigmoid', 'tanh', 'relu', 'identity', 'probit', 'erf', 'arctan', 'hardtanh', 'sign'], slope: Scalar, y: Scalar, beta: Scalar, m: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksNoiseValidRange(Calculator):
    def __call__(self, *, algorithm: Literal['alg2', 'alg3', 'alg5', 'alg6', 'alg7', 'classic'], delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksNtkLimit(Calculator):
    def __call__(self, *, rho: Scalar, L: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksOracleSteps(Calculator):
    def __call__(self, *, B: Scalar, gamma: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPhaseNoise(Calculator):
    def __call__(self, *, B: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, n: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPhaseSchedule(Calculator):
    def __call__(self, *, n: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPhasedIdentityExact(Calculator):
    def __call__(self, *, n: Scalar, d: Scalar, eta: Scalar, tau_over_eta: Scalar, noise_var: Scalar, D2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPrivacyAlg2(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar, algorithm: Literal['alg2'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPrivacyAlg3(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar, algorithm: Literal['alg3'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPrivacyAlg5(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar, algorithm: Literal['alg5'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPrivacyAlg6(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar, algorithm: Literal['alg6'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPrivacyAlg7(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar, algorithm: Literal['alg7'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksPrivacyAlg8Literal(Calculator):
    def __call__(self, *, d: Scalar, eps_claimed: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRdpSubsampled(Calculator):
    def __call__(self, *, q: Scalar, sigma: Scalar, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRiskErfGaussian(Calculator):
    def __call__(self, *, norm_w: Scalar, norm_wstar: Scalar, cos: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRiskReluGaussian(Calculator):
    def __call__(self, *, norm_w: Scalar, norm_wstar: Scalar, cos: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRiskSigmoidGaussian(Calculator):
    def __call__(self, *, norm_w: Scalar, norm_wstar: Scalar, cos: Scalar, link: Literal['sigmoid'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRiskSigmoidSphere(Calculator):
    def __call__(self, *, norm_w: Scalar, norm_wstar: Scalar, cos: Scalar, d: Scalar, link: Literal['sigmoid'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRiskTanhGaussian(Calculator):
    def __call__(self, *, norm_w: Scalar, norm_wstar: Scalar, cos: Scalar, link: Literal['tanh'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksRiskTanhSphere(Calculator):
    def __call__(self, *, norm_w: Scalar, norm_wstar: Scalar, cos: Scalar, d: Scalar, link: Literal['tanh'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksSelection(Calculator):
    def __call__(self, *, n: Scalar, eps: Scalar, theta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm1Bound(Calculator):
    def __call__(self, *, n: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, B: Scalar, G: Scalar, theta: Scalar, D2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm13Terms(Calculator):
    def __call__(self, *, S: Scalar, L: Scalar, R: Scalar, m: Scalar, T: Scalar, C: Scalar, n: Scalar, d: Scalar, eps: Scalar, delta: Scalar, xi: Scalar, gamma: Scalar, gamma1: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm2Bound(Calculator):
    def __call__(self, *, n: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, B: Scalar, G: Scalar, m: Scalar, W: Scalar, D2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm4Bound(Calculator):
    def __call__(self, *, n: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, B: Scalar, G: Scalar, theta: Scalar, D2: Scalar, beta: Scalar, gam: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm5Bound(Calculator):
    def __call__(self, *, n: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, B: Scalar, G: Scalar, m: Scalar, W: Scalar, D2: Scalar, beta: Scalar, gam: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm6Bound(Calculator):
    def __call__(self, *, n: Scalar, m: Scalar, T: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, B: Scalar, W: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _DpGlmNetworksThm8Bound(Calculator):
    def __call__(self, *, n: Scalar, eta: Scalar, eps: Scalar, delta: Scalar, G: Scalar, W: Scalar, D2: Scalar, Mn: Scalar, m: Scalar | None = ..., theta: Scalar | None = ..., variant: Literal['alg2', 'alg3']) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseBsplineConstants(Calculator):
    def __call__(self, *, p: Scalar, degree: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseCorollary53Plan(Calculator):
    def __call__(self, *, n: Scalar, d: Scalar, gamma: Scalar, epsilon: Scalar, delta: Scalar, rho: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseCorollary55Plan(Calculator):
    def __call__(self, *, n: Scalar, d: Scalar, gamma: Scalar, epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseCorollary56Plan(Calculator):
    def __call__(self, *, n: Scalar, gamma: Scalar, B: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseCumulativeNoiseVariance(Calculator): ...
class _KanCorrelatedNoiseCurvatureConstants(Calculator):
    def __call__(self, *, Bsigma1: Scalar, Bsigma2: Scalar, Bb: Scalar, Bb1: Scalar, Bb2: Scalar, p: Scalar, m: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseCyclicPoissonDelta(Calculator):
    def __call__(self, *, T: Scalar, coefficients: ArrayLike, b: Scalar, q: Scalar, kappa: Scalar, epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseDescentStepBound(Calculator):
    def __call__(self, *, eta: Scalar, c_priv: Scalar, LS_star: Scalar, dist_before_sq: Scalar, dist_after_sq: Scalar, D_sq: Scalar, Z_sq: Scalar, cross: Scalar, H: Scalar | None = ..., R_star: Scalar | None = ..., beta: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseDominatingPairDelta(Calculator): ...
class _KanCorrelatedNoiseDominatingPairOneStep(Calculator):
    def __call__(self, *, r: Scalar, kappa: Scalar, epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseDominatingPairRenyi(Calculator): ...
class _KanCorrelatedNoiseDominatingPairTwoSteps(Calculator): ...
class _KanCorrelatedNoiseEncodedSensitivity(Calculator): ...
class _KanCorrelatedNoiseFixedSizeIndependentDelta(Calculator):
    def __call__(self, *, r: Scalar, T: Scalar, kappa: Scalar, epsilon: Scalar, adjacency: Literal['zero-out', 'replace-one', 'replacement'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseFixedSizeIndependentOneStep(Calculator):
    def __call__(self, *, r: Scalar, kappa: Scalar, epsilon: Scalar, adjacency: Literal['zero-out', 'replace-one', 'replacement'] | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseFixedSizeOneStep(Calculator):
    def __call__(self, *, r: Scalar, kappa: Scalar, epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseFixedSizePairDelta(Calculator): ...
class _KanCorrelatedNoiseFreedmanBound(Calculator):
    def __call__(self, *, v: Scalar, L: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseGaussianRdp(Calculator):
    def __call__(self, *, alpha: Scalar, Delta: Scalar, sigma: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseGdpDelta(Calculator):
    def __call__(self, *, mu: Scalar, epsilon: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseHighProbabilityConstants(Calculator): ...
class _KanCorrelatedNoiseIndependentNoiseBound(Calculator):
    def __call__(self, *, D: Scalar, T: Scalar, B: Scalar, eta: Scalar, G: Scalar, c_priv: Scalar, R_star: Scalar, delta: Scalar, LS_star: Scalar, dist0_sq: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseIndependentNoiseRate(Calculator):
    def __call__(self, *, gamma: Scalar, eta: Scalar, T: Scalar, B: Scalar, kappa: Scalar, m: Scalar, d: Scalar, n: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseKanNetwork(Calculator):
    def __call__(self, *, d: Scalar, m: Scalar, p: Scalar, s: Scalar, act: Literal['tanh', 'sigmoid']) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseNoiseMultiplierClosedForm(Calculator): ...
class _KanCorrelatedNoiseNonPrivateRate(Calculator):
    def __call__(self, *, gamma: Scalar, eta: Scalar, T: Scalar, B: Scalar, n: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseNtkMargin(Calculator):
    def __call__(self, *, rows: Any) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseOptimisationBound(Calculator): ...
class _KanCorrelatedNoiseOptimisationRate(Calculator): ...
class _KanCorrelatedNoiseParticipationSensitivity(Calculator):
    def __call__(self, *, T: Scalar, participation: str | None = ..., b: Scalar | None = ..., k: Scalar | None = ..., coefficients: ArrayLike | None = ..., rows: Any = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoisePopulationBound(Calculator):
    def __call__(self, *, n: Scalar, T: Scalar, eta: Scalar, G: Scalar, R_star: Scalar, m: Scalar, p: Scalar, Bb: Scalar, A: Scalar, delta_opt: Scalar, delta_stab: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseQuadraticStationaryVariance(Calculator): ...
class _KanCorrelatedNoiseRdpNoiseMultiplier(Calculator):
    def __call__(self, *, q: Scalar, T: Scalar, epsilon: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseRdpSubsampledWor(Calculator):
    def __call__(self, *, q: Scalar, alpha: Scalar, kappa: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseRdpSubsampledWorEpsilon(Calculator):
    def __call__(self, *, q: Scalar, T: Scalar, kappa: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseSameBatchCalibration(Calculator): ...
class _KanCorrelatedNoiseSameBatchDelta(Calculator): ...
class _KanCorrelatedNoiseSameBatchEnumeration(Calculator): ...
class _KanCorrelatedNoiseSameBatchMean(Calculator): ...
class _KanCorrelatedNoiseSecondLayerNormBounds(Calculator):
    def __call__(self, *, p: Scalar, m: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseSegmentFactor(Calculator):
    def __call__(self, *, k: Scalar, D: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseStabilityBound(Calculator):
    def __call__(self, *, n: Scalar, B: Scalar, T: Scalar, eta: Scalar, G: Scalar, H: Scalar, Bb: Scalar, p: Scalar, R_star: Scalar, delta_f: Scalar, delta_mb: Scalar, A: Scalar, sum_expected_loss: Scalar, delta_stab: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseStrategyError(Calculator): ...
class _KanCorrelatedNoiseTreeAggregation(Calculator):
    def __call__(self, *, T: Scalar, participation: str | None = ..., b: Scalar | None = ..., k: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _KanCorrelatedNoiseWithoutReplacementVariance(Calculator):
    def __call__(self, *, n: Scalar, B: Scalar, mean_sq_dev: Scalar, G: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationActivationSampleSize(Calculator):
    def __call__(self, *, K: Scalar, m: Scalar, n: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationAffineContractionIterate(Calculator):
    def __call__(self, *, r: Scalar, b: Scalar, T: Scalar, a0: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationBilinearTailRadius(Calculator):
    def __call__(self, *, frob: Scalar, op: Scalar, sigma_p: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationClipMultiplierLowerBound(Calculator):
    def __call__(self, *, C: Scalar, m: Scalar, u_norm: Scalar, xi_norm2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationClippingFactorLambda(Calculator):
    def __call__(self, *, C: Scalar, u_norm: Scalar, frob_A: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationCondition1Report(Calculator):
    def __call__(self, *, K: Scalar, d: Scalar, e0: Scalar, lam: Scalar, u_norm: Scalar, n: Scalar, m: Scalar, B: Scalar, T: Scalar, delta: Scalar, eta: Scalar, C: Scalar, sigma_n: Scalar, sigma0: Scalar, c1: Scalar | None = ..., c2: Scalar | None = ..., c: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationCovarianceInfluenceScores(Calculator):
    def __call__(self, *, X: Any, ddof: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationDpsgdStep(Calculator):
    def __call__(self, *, W: Any, u_norm: Scalar, X: Any, y: ArrayLike, C: Scalar, eta: Scalar, N: Any) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationForwardLossGradnormClip(Calculator):
    def __call__(self, *, W: Any, u_norm: Scalar, signal_axis_equals_label: bool, xi: ArrayLike, y: Scalar, C: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationFullbatchNoiseMultiplier(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar, T: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationGaussianMinSingularLower(Calculator):
    def __call__(self, *, m: Scalar, n: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationGaussianProjectionRadius(Calculator):
    def __call__(self, *, sigma_n: Scalar, u_norm: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationGdpDeltaOfEps(Calculator):
    def __call__(self, *, eps: Scalar, mu: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationGlyphImage(Calculator):
    def __call__(self, *, digit: Scalar, f: Scalar, Z: Any, s: ArrayLike, size: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationGradientNormBound(Calculator):
    def __call__(self, *, m: Scalar, residual: Scalar, u_norm: Scalar, xi_norm2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationHalfActivationTail(Calculator):
    def __call__(self, *, m: Scalar, frac: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationHalfNormalMeanTail(Calculator):
    def __call__(self, *, n: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationInitNoiseRadius(Calculator):
    def __call__(self, *, K: Scalar, m: Scalar, n: Scalar, delta: Scalar, frob_A: Scalar, op_A: Scalar, sigma0: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationInitSignalRadius(Calculator):
    def __call__(self, *, K: Scalar, m: Scalar, delta: Scalar, u_norm: Scalar, sigma0: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationLemma10Chord(Calculator):
    def __call__(self, *, t: Scalar, a: Scalar, x: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationLongTailNoiseNorm(Calculator):
    def __call__(self, *, d: Scalar, L: Scalar, delta: Scalar, op_A: Scalar, frob_A: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationNegativeFractionBound(Calculator):
    def __call__(self, *, m: Scalar, kappa2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationNoiseCrossRadius(Calculator):
    def __call__(self, *, n: Scalar, frob: Scalar, op: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationNoiseNormBand(Calculator):
    def __call__(self, *, n: Scalar, trace: Scalar, frob: Scalar, op: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationOneFactorOrthantProbability(Calculator):
    def __call__(self, *, m: Scalar, kappa2: Scalar, M: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationOrthantProbabilityBound(Calculator):
    def __call__(self, *, m: Scalar, M: Scalar, kappa2: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationPaleyZygmundLower(Calculator):
    def __call__(self, *, t: Scalar, fourth_moment: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationQuadraticFormRadii(Calculator):
    def __call__(self, *, trace: Scalar, frob: Scalar, op: Scalar, sigma_p: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationRemark4GeneralBound(Calculator):
    def __call__(self, *, n_k: Scalar, Lambda: Scalar, u_norm: Scalar, n: Scalar, delta: Scalar, classes_nj_Fkj: Sequence[dict[str, Any]], frob_A: Scalar, c1: Scalar | None = ..., eps: Scalar, delta_dp: Scalar, T: Scalar, C: Scalar, constant: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationRemark4SigmaN(Calculator):
    def __call__(self, *, C: Scalar, T: Scalar, delta_dp: Scalar, n: Scalar, eps: Scalar, constant: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationResidualRatio(Calculator):
    def __call__(self, *, F: Any, y: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSignFractionTwoSided(Calculator):
    def __call__(self, *, d: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSnrNcr(Calculator):
    def __call__(self, *, n_k: Scalar, n_j: Scalar, u_norm: Scalar, F_kk: Scalar, F_kj: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSoftmaxCrossEntropy(Calculator):
    def __call__(self, *, F: ArrayLike, y: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSpikeFromNcr(Calculator):
    def __call__(self, *, ncr: Scalar, K: Scalar, d: Scalar, e0: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSpikedCovarianceNorms(Calculator):
    def __call__(self, *, K: Scalar, d: Scalar, e0: Scalar, lam: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSubgaussianMaxRadius(Calculator):
    def __call__(self, *, n: Scalar, sigma_p: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationSyntheticDpsgdExperiment(Calculator):
    def __call__(self, *, K: Scalar, d: Scalar, m: Scalar, n: Scalar, B: Scalar, T: Scalar, C: Scalar, eta: Scalar, u_norm: Scalar, ncr: Scalar, z: Scalar, eps: Scalar | None = ..., delta: Scalar | None = ..., init: Literal['uniform(-1/sqrt(d),1/sqrt(d))'] | None = ..., zeta: Literal['gaussian', 'uniform'] | None = ..., seeds: Scalar, n_test: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationThm1NoiseMemorization(Calculator):
    def __call__(self, *, eta: Scalar, Lambda: Scalar, n: Scalar, m: Scalar, T: Scalar, sum_1_minus_logit: Scalar, xi_norm2: Scalar, xi_norm: Scalar, sigma_n: Scalar, frob_A: Scalar, delta: Scalar, c1: Scalar | None = ..., c2: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationThm2TrainingLoss(Calculator):
    def __call__(self, *, eta: Scalar, Lambda: Scalar, T: Scalar, n_k: Scalar, n: Scalar, m: Scalar, d: Scalar, u_norm: Scalar, sigma_n: Scalar, frob_A: Scalar, loss0: Scalar, c1: Scalar | None = ..., c2: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationThm3GeneralBound(Calculator):
    def __call__(self, *, n_k: Scalar, Lambda: Scalar, u_norm: Scalar, n: Scalar, sigma_n: Scalar, delta: Scalar, classes_nj_Fkj: Sequence[dict[str, Any]], frob_A: Scalar, c1: Scalar | None = ..., C1: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationThm3GeneralBoundScaleConsistent(Calculator):
    def __call__(self, *, n_k: Scalar, h: Scalar, u_norm: Scalar, n: Scalar, sigma_n: Scalar, delta: Scalar, classes_nj_Fkj: Sequence[dict[str, Any]], frob_A: Scalar, c1: Scalar | None = ..., m: Scalar, T: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _LongTailMemorizationThm3LongTailBound(Calculator):
    def __call__(self, *, n_k: Scalar, Lambda: Scalar, F_kk: Scalar, n: Scalar, sigma_n: Scalar, d: Scalar, L: Scalar, op_A: Scalar, classes_nj_Fkj: Sequence[dict[str, Any]], frob_A: Scalar, c2: Scalar | None = ..., C2: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdDoobStep(Calculator):
    def __call__(self, *, lambda_: ArrayLike, hessian: ArrayLike, linear: ArrayLike, v: ArrayLike, xtilde: ArrayLike, gamma: Scalar, dim: Scalar, delta: Scalar, sigma: Scalar, E_xi2: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdDpNoiseShare(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, t: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdEquivalenceBounds(Calculator):
    def __call__(self, *, q_C2_norm: Scalar, c0: Scalar, c_star: Scalar, sigma: Scalar, n: Scalar, dim: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdKernelEnclosure(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., dim: Scalar, delta: Scalar, nodes: Scalar, tau: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdMixtureRdp(Calculator):
    def __call__(self, *, divergences: ArrayLike, weights: ArrayLike, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdPairScore(Calculator):
    def __call__(self, *, a: ArrayLike, b: Scalar, a_prime: ArrayLike, b_prime: Scalar, reference: ArrayLike, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpAverageRelease(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, T: Scalar, alpha: Scalar, pairs: Sequence[dict[str, Any]], release_times: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpContractiveOnePass(Calculator):
    def __call__(self, *, eta: Scalar, mu: Scalar, sensitivity: Scalar, sigma: Scalar, n: Scalar, alpha: Scalar, iteration: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpJointRelease(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, T: Scalar, alpha: Scalar, pairs: Sequence[dict[str, Any]], release_times: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpLastIterate(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, T: Scalar, alpha: Scalar, pairs: Sequence[dict[str, Any]], t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpLastIterateIsotropicReduced(Calculator):
    def __call__(self, *, lambda_: Scalar, delta: Scalar, eta: Scalar, dim: Scalar, n: Scalar, E_xi2: Scalar, alpha: Scalar, norm2_x0: Scalar, dot_x0_xtilde: Scalar, norm2_xtilde: Scalar, pair: dict[str, Any], iterations: ArrayLike, sigmas: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpOrderLimit(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, a: ArrayLike, b: Scalar, a_prime: ArrayLike, b_prime: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpSgdConditional(Calculator):
    def __call__(self, *, A: Any, b: ArrayLike, index: Scalar, a_prime: ArrayLike, b_prime: Scalar, x0: ArrayLike, eta: Scalar, delta: Scalar, sigma: Scalar, k: Scalar, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRdpToApproxDp(Calculator):
    def __call__(self, *, rdp: Sequence[dict[str, Any]], delta_dp: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRenyiGaussian(Calculator):
    def __call__(self, *, mean1: ArrayLike, cov1: Any, mean2: ArrayLike, cov2: Any, alphas: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRenyiJointAvg(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, a: ArrayLike, b: Scalar, a_prime: ArrayLike, b_prime: Scalar, s: Scalar, release_times: ArrayLike, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRenyiLast(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, a: ArrayLike, b: Scalar, a_prime: ArrayLike, b_prime: Scalar, s: Scalar, release_times: ArrayLike, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRenyiLastLimit(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, a: ArrayLike, b: Scalar, a_prime: ArrayLike, b_prime: Scalar, s: Scalar, release_times: ArrayLike, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRiskFluctuationIsotropic(Calculator):
    def __call__(self, *, lambda_: Scalar, gamma: Scalar, E_xi2: Scalar, sigma: Scalar, norm2_error0: Scalar, dim: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRiskIsotropicConstant(Calculator):
    def __call__(self, *, lambda_: Scalar, delta: Scalar, sigma: Scalar, gamma: Scalar, E_xi2: Scalar, norm2_x0: Scalar, dot_x0_xtilde: Scalar, norm2_xtilde: Scalar, t: Scalar, dim: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRiskSgdExactMean(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, gamma: Scalar, n: Scalar, kurtosis: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRiskStationary(Calculator):
    def __call__(self, *, lambda_: ArrayLike, delta: Scalar, sigma: Scalar, gamma: Scalar, E_xi2: Scalar, xtilde: ArrayLike, dim: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRiskTrajectory(Calculator):
    def __call__(self, *, lambda_: Any = ..., spectrum: Any = ..., x0: Any = ..., xtilde: Any = ..., E_xi2: Scalar, delta: Scalar, sigma: Scalar, dim: Scalar, schedule: Any, t: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _NoisyHsgdRiskTrajectoryBlocks(Calculator):
    def __call__(self, *, eigenvalues: ArrayLike, multiplicity: ArrayLike, block_norm2_x0: ArrayLike, block_dot_x0_xtilde: ArrayLike, block_norm2_xtilde: ArrayLike, E_xi2: Scalar, delta: Scalar, eta: Scalar, dim: Scalar, iterations: ArrayLike, sigmas: ArrayLike) -> dict[str, Any]: ...  # type: ignore[override]
class _RefereeVerdict(Calculator):
    def __call__(self, *, claimed: Scalar, lower: Scalar, upper: Scalar, digits: Scalar | None = ..., exact: bool | None = ..., loose: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationComposeDelta(Calculator):
    def __call__(self, *, gaussian_mu: Scalar, components: Sequence[dict[str, Any]], eps: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationComposeEpsilon(Calculator):
    def __call__(self, *, gaussian_mu: Scalar, components: Sequence[dict[str, Any]], delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationConstrainedLowerBound(Calculator):
    def __call__(self, *, step_sensitivity: Scalar, D: Scalar, iterate_noise_std: Scalar, epochs: Scalar, l: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationExponentialMechanismConvex(Calculator):
    def __call__(self, *, L: Scalar, D: Scalar, eta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationExponentialMechanismThreshold(Calculator): ...
class _ShiftedInterpolationGdpDelta(Calculator):
    def __call__(self, *, mu: Scalar, eps: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationGdpEpsilon(Calculator):
    def __call__(self, *, mu: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationGdpMu(Calculator):
    def __call__(self, *, eps: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationGdpTradeoff(Calculator):
    def __call__(self, *, mu: Scalar, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationLangevinGdp(Calculator):
    def __call__(self, *, L: Scalar, m: Scalar, eta: Scalar, t: Scalar, M: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationLogisticRegressionTable(Calculator): ...
class _ShiftedInterpolationLowerBoundConstants(Calculator):
    def __call__(self, *, c1_squared: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyCgdConstrained(Calculator):
    def __call__(self, *, L_over_b: Scalar, eta: Scalar, D: Scalar, sigma: Scalar, l: Scalar, E: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyCgdConstrainedPlateau(Calculator):
    def __call__(self, *, L_over_b: Scalar, D: Scalar, sigma: Scalar, l: Scalar, eta_list: ArrayLike | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyCgdStronglyConvex(Calculator):
    def __call__(self, *, kappa: Scalar, c: Scalar | None = ..., one_minus_c: Scalar | None = ..., l: Scalar, E: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyGdConstrained(Calculator):
    def __call__(self, *, L_over_n: Scalar, eta: Scalar, D: Scalar, sigma: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyGdConstrainedPlateau(Calculator):
    def __call__(self, *, L_over_n: Scalar, eta: Scalar, D: Scalar, sigma: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyGdConstrainedStronglyConvex(Calculator):
    def __call__(self, *, L_over_n: Scalar, eta: Scalar, D: Scalar, sigma: Scalar, t: Scalar, c: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyGdFigure1(Calculator):
    def __call__(self, *, c: Scalar, kappa: Scalar, t: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisyGdStronglyConvex(Calculator):
    def __call__(self, *, kappa: Scalar, c: Scalar | None = ..., one_minus_c: Scalar | None = ..., t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisySgdConstrained(Calculator):
    def __call__(self, *, kappa: Scalar, p: Scalar, D: Scalar, eta: Scalar, sigma: Scalar, N: Scalar, split_alpha: Scalar | None = ..., eps: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisySgdHorizonConstrained(Calculator):
    def __call__(self, *, kappa: Scalar, p: Scalar, eta: Scalar, D: Scalar, sigma: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisySgdHorizonStronglyConvex(Calculator):
    def __call__(self, *, kappa: Scalar, p: Scalar, c: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisySgdOneProcess(Calculator):
    def __call__(self, *, kappa: Scalar, p: Scalar, c: Scalar, N: Scalar, t: Scalar | None = ..., split_alpha: Scalar | None = ..., eps: Scalar, D_over_eta_sigma: Scalar | None = ...) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationNoisySgdStronglyConvex(Calculator):
    def __call__(self, *, kappa: Scalar, p: Scalar, c: Scalar, N: Scalar, t: Scalar | None = ..., split_alpha: Scalar | None = ..., eps: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationRdpToApproximateDp(Calculator):
    def __call__(self, *, rho: Scalar, delta: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationShiftProblem(Calculator):
    def __call__(self, *, c: ArrayLike, s: ArrayLike, z_start: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationSolveEpochs(Calculator):
    def __call__(self, *, kappa: Scalar, c: Scalar, l: Scalar, eps: Scalar, delta: Scalar, theorem: Literal['4.5']) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationSolveSteps(Calculator):
    def __call__(self, *, kappa: Scalar, c: Scalar, eps: Scalar, delta: Scalar, theorem: Literal['4.2']) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationSubsampledGaussianClt(Calculator):
    def __call__(self, *, p: Scalar, mu: Scalar, t: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationSubsampledGaussianDelta(Calculator):
    def __call__(self, *, p: Scalar, mu: Scalar, eps: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _ShiftedInterpolationSubsampledGaussianTradeoff(Calculator):
    def __call__(self, *, p: Scalar, mu: Scalar, alpha: Scalar) -> dict[str, Any]: ...  # type: ignore[override]
class _Calculators(Calculators):
    @overload
    def __getitem__(self, name: Literal["accountant/adaptive-clipping"]) -> _AccountantAdaptiveClipping: ...
    @overload
    def __getitem__(self, name: Literal["accountant/allocation-bounds"]) -> _AccountantAllocationBounds: ...
    @overload
    def __getitem__(self, name: Literal["accountant/allocation-moment"]) -> _AccountantAllocationMoment: ...
    @overload
    def __getitem__(self, name: Literal["accountant/allocation-test"]) -> _AccountantAllocationTest: ...
    @overload
    def __getitem__(self, name: Literal["accountant/b-min-sep-test"]) -> _AccountantBMinSepTest: ...
    @overload
    def __getitem__(self, name: Literal["accountant/delta"]) -> _AccountantDelta: ...
    @overload
    def __getitem__(self, name: Literal["accountant/epsilon"]) -> _AccountantEpsilon: ...
    @overload
    def __getitem__(self, name: Literal["accountant/mechanisms"]) -> _AccountantMechanisms: ...
    @overload
    def __getitem__(self, name: Literal["accountant/mixture"]) -> _AccountantMixture: ...
    @overload
    def __getitem__(self, name: Literal["accountant/mu"]) -> _AccountantMu: ...
    @overload
    def __getitem__(self, name: Literal["accountant/multiplicity"]) -> _AccountantMultiplicity: ...
    @overload
    def __getitem__(self, name: Literal["accountant/one-position"]) -> _AccountantOnePosition: ...
    @overload
    def __getitem__(self, name: Literal["accountant/renyi"]) -> _AccountantRenyi: ...
    @overload
    def __getitem__(self, name: Literal["accountant/schedule"]) -> _AccountantSchedule: ...
    @overload
    def __getitem__(self, name: Literal["accountant/shuffled-bound"]) -> _AccountantShuffledBound: ...
    @overload
    def __getitem__(self, name: Literal["accountant/shuffled-max"]) -> _AccountantShuffledMax: ...
    @overload
    def __getitem__(self, name: Literal["accountant/tradeoff"]) -> _AccountantTradeoff: ...
    @overload
    def __getitem__(self, name: Literal["accountant/truncated-by-others"]) -> _AccountantTruncatedByOthers: ...
    @overload
    def __getitem__(self, name: Literal["accountant/truncation"]) -> _AccountantTruncation: ...
    @overload
    def __getitem__(self, name: Literal["attack/advantage"]) -> _AttackAdvantage: ...
    @overload
    def __getitem__(self, name: Literal["attack/auc"]) -> _AttackAuc: ...
    @overload
    def __getitem__(self, name: Literal["attack/bayes-error"]) -> _AttackBayesError: ...
    @overload
    def __getitem__(self, name: Literal["attack/calibrate"]) -> _AttackCalibrate: ...
    @overload
    def __getitem__(self, name: Literal["attack/candidates"]) -> _AttackCandidates: ...
    @overload
    def __getitem__(self, name: Literal["attack/gdp"]) -> _AttackGdp: ...
    @overload
    def __getitem__(self, name: Literal["attack/posterior"]) -> _AttackPosterior: ...
    @overload
    def __getitem__(self, name: Literal["attack/precision"]) -> _AttackPrecision: ...
    @overload
    def __getitem__(self, name: Literal["attack/reconstruction"]) -> _AttackReconstruction: ...
    @overload
    def __getitem__(self, name: Literal["attack/tpr"]) -> _AttackTpr: ...
    @overload
    def __getitem__(self, name: Literal["audit/multi-run"]) -> _AuditMultiRun: ...
    @overload
    def __getitem__(self, name: Literal["audit/one-run-epsilon"]) -> _AuditOneRunEpsilon: ...
    @overload
    def __getitem__(self, name: Literal["audit/one-run-fdp-p-value"]) -> _AuditOneRunFdpPValue: ...
    @overload
    def __getitem__(self, name: Literal["audit/one-run-mu"]) -> _AuditOneRunMu: ...
    @overload
    def __getitem__(self, name: Literal["audit/one-run-p-value"]) -> _AuditOneRunPValue: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/alg8-noise"]) -> _DpGlmNetworksAlg8Noise: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/alg8-one-step"]) -> _DpGlmNetworksAlg8OneStep: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/batch-tail"]) -> _DpGlmNetworksBatchTail: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/dpsgd-accounting"]) -> _DpGlmNetworksDpsgdAccounting: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/feature-map-relu"]) -> _DpGlmNetworksFeatureMapRelu: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/feature-map-sigmoid"]) -> _DpGlmNetworksFeatureMapSigmoid: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/gaussian-classic"]) -> _DpGlmNetworksGaussianClassic: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/gaussian-norm-tail"]) -> _DpGlmNetworksGaussianNormTail: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/gdp-delta"]) -> _DpGlmNetworksGdpDelta: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/gdp-mu"]) -> _DpGlmNetworksGdpMu: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/init-moments"]) -> _DpGlmNetworksInitMoments: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/jl-inner-product"]) -> _DpGlmNetworksJlInnerProduct: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/jl-privacy-event"]) -> _DpGlmNetworksJlPrivacyEvent: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/moreau-prox"]) -> _DpGlmNetworksMoreauProx: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/noise-valid-range"]) -> _DpGlmNetworksNoiseValidRange: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/ntk-limit"]) -> _DpGlmNetworksNtkLimit: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/oracle-steps"]) -> _DpGlmNetworksOracleSteps: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/phase-noise"]) -> _DpGlmNetworksPhaseNoise: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/phase-schedule"]) -> _DpGlmNetworksPhaseSchedule: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/phased-identity-exact"]) -> _DpGlmNetworksPhasedIdentityExact: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/privacy-alg2"]) -> _DpGlmNetworksPrivacyAlg2: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/privacy-alg3"]) -> _DpGlmNetworksPrivacyAlg3: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/privacy-alg5"]) -> _DpGlmNetworksPrivacyAlg5: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/privacy-alg6"]) -> _DpGlmNetworksPrivacyAlg6: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/privacy-alg7"]) -> _DpGlmNetworksPrivacyAlg7: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/privacy-alg8-literal"]) -> _DpGlmNetworksPrivacyAlg8Literal: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/rdp-subsampled"]) -> _DpGlmNetworksRdpSubsampled: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/risk-erf-gaussian"]) -> _DpGlmNetworksRiskErfGaussian: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/risk-relu-gaussian"]) -> _DpGlmNetworksRiskReluGaussian: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/risk-sigmoid-gaussian"]) -> _DpGlmNetworksRiskSigmoidGaussian: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/risk-sigmoid-sphere"]) -> _DpGlmNetworksRiskSigmoidSphere: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/risk-tanh-gaussian"]) -> _DpGlmNetworksRiskTanhGaussian: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/risk-tanh-sphere"]) -> _DpGlmNetworksRiskTanhSphere: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/selection"]) -> _DpGlmNetworksSelection: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm1-bound"]) -> _DpGlmNetworksThm1Bound: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm13-terms"]) -> _DpGlmNetworksThm13Terms: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm2-bound"]) -> _DpGlmNetworksThm2Bound: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm4-bound"]) -> _DpGlmNetworksThm4Bound: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm5-bound"]) -> _DpGlmNetworksThm5Bound: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm6-bound"]) -> _DpGlmNetworksThm6Bound: ...
    @overload
    def __getitem__(self, name: Literal["dp-glm-networks/thm8-bound"]) -> _DpGlmNetworksThm8Bound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/bspline-constants"]) -> _KanCorrelatedNoiseBsplineConstants: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/corollary-5-3-plan"]) -> _KanCorrelatedNoiseCorollary53Plan: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/corollary-5-5-plan"]) -> _KanCorrelatedNoiseCorollary55Plan: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/corollary-5-6-plan"]) -> _KanCorrelatedNoiseCorollary56Plan: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/cumulative-noise-variance"]) -> _KanCorrelatedNoiseCumulativeNoiseVariance: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/curvature-constants"]) -> _KanCorrelatedNoiseCurvatureConstants: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/cyclic-poisson-delta"]) -> _KanCorrelatedNoiseCyclicPoissonDelta: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/descent-step-bound"]) -> _KanCorrelatedNoiseDescentStepBound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/dominating-pair-delta"]) -> _KanCorrelatedNoiseDominatingPairDelta: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/dominating-pair-one-step"]) -> _KanCorrelatedNoiseDominatingPairOneStep: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/dominating-pair-renyi"]) -> _KanCorrelatedNoiseDominatingPairRenyi: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/dominating-pair-two-steps"]) -> _KanCorrelatedNoiseDominatingPairTwoSteps: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/encoded-sensitivity"]) -> _KanCorrelatedNoiseEncodedSensitivity: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/fixed-size-independent-delta"]) -> _KanCorrelatedNoiseFixedSizeIndependentDelta: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/fixed-size-independent-one-step"]) -> _KanCorrelatedNoiseFixedSizeIndependentOneStep: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/fixed-size-one-step"]) -> _KanCorrelatedNoiseFixedSizeOneStep: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/fixed-size-pair-delta"]) -> _KanCorrelatedNoiseFixedSizePairDelta: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/freedman-bound"]) -> _KanCorrelatedNoiseFreedmanBound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/gaussian-rdp"]) -> _KanCorrelatedNoiseGaussianRdp: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/gdp-delta"]) -> _KanCorrelatedNoiseGdpDelta: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/high-probability-constants"]) -> _KanCorrelatedNoiseHighProbabilityConstants: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/independent-noise-bound"]) -> _KanCorrelatedNoiseIndependentNoiseBound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/independent-noise-rate"]) -> _KanCorrelatedNoiseIndependentNoiseRate: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/kan-network"]) -> _KanCorrelatedNoiseKanNetwork: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/noise-multiplier-closed-form"]) -> _KanCorrelatedNoiseNoiseMultiplierClosedForm: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/non-private-rate"]) -> _KanCorrelatedNoiseNonPrivateRate: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/ntk-margin"]) -> _KanCorrelatedNoiseNtkMargin: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/optimisation-bound"]) -> _KanCorrelatedNoiseOptimisationBound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/optimisation-rate"]) -> _KanCorrelatedNoiseOptimisationRate: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/participation-sensitivity"]) -> _KanCorrelatedNoiseParticipationSensitivity: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/population-bound"]) -> _KanCorrelatedNoisePopulationBound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/quadratic-stationary-variance"]) -> _KanCorrelatedNoiseQuadraticStationaryVariance: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/rdp-noise-multiplier"]) -> _KanCorrelatedNoiseRdpNoiseMultiplier: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/rdp-subsampled-wor"]) -> _KanCorrelatedNoiseRdpSubsampledWor: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/rdp-subsampled-wor-epsilon"]) -> _KanCorrelatedNoiseRdpSubsampledWorEpsilon: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/same-batch-calibration"]) -> _KanCorrelatedNoiseSameBatchCalibration: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/same-batch-delta"]) -> _KanCorrelatedNoiseSameBatchDelta: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/same-batch-enumeration"]) -> _KanCorrelatedNoiseSameBatchEnumeration: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/same-batch-mean"]) -> _KanCorrelatedNoiseSameBatchMean: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/second-layer-norm-bounds"]) -> _KanCorrelatedNoiseSecondLayerNormBounds: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/segment-factor"]) -> _KanCorrelatedNoiseSegmentFactor: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/stability-bound"]) -> _KanCorrelatedNoiseStabilityBound: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/strategy-error"]) -> _KanCorrelatedNoiseStrategyError: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/tree-aggregation"]) -> _KanCorrelatedNoiseTreeAggregation: ...
    @overload
    def __getitem__(self, name: Literal["kan-correlated-noise/without-replacement-variance"]) -> _KanCorrelatedNoiseWithoutReplacementVariance: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/activation-sample-size"]) -> _LongTailMemorizationActivationSampleSize: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/affine-contraction-iterate"]) -> _LongTailMemorizationAffineContractionIterate: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/bilinear-tail-radius"]) -> _LongTailMemorizationBilinearTailRadius: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/clip-multiplier-lower-bound"]) -> _LongTailMemorizationClipMultiplierLowerBound: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/clipping-factor-lambda"]) -> _LongTailMemorizationClippingFactorLambda: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/condition1-report"]) -> _LongTailMemorizationCondition1Report: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/covariance-influence-scores"]) -> _LongTailMemorizationCovarianceInfluenceScores: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/dpsgd-step"]) -> _LongTailMemorizationDpsgdStep: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/forward-loss-gradnorm-clip"]) -> _LongTailMemorizationForwardLossGradnormClip: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/fullbatch-noise-multiplier"]) -> _LongTailMemorizationFullbatchNoiseMultiplier: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/gaussian-min-singular-lower"]) -> _LongTailMemorizationGaussianMinSingularLower: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/gaussian-projection-radius"]) -> _LongTailMemorizationGaussianProjectionRadius: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/gdp-delta-of-eps"]) -> _LongTailMemorizationGdpDeltaOfEps: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/glyph-image"]) -> _LongTailMemorizationGlyphImage: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/gradient-norm-bound"]) -> _LongTailMemorizationGradientNormBound: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/half-activation-tail"]) -> _LongTailMemorizationHalfActivationTail: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/half-normal-mean-tail"]) -> _LongTailMemorizationHalfNormalMeanTail: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/init-noise-radius"]) -> _LongTailMemorizationInitNoiseRadius: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/init-signal-radius"]) -> _LongTailMemorizationInitSignalRadius: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/lemma10-chord"]) -> _LongTailMemorizationLemma10Chord: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/long-tail-noise-norm"]) -> _LongTailMemorizationLongTailNoiseNorm: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/negative-fraction-bound"]) -> _LongTailMemorizationNegativeFractionBound: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/noise-cross-radius"]) -> _LongTailMemorizationNoiseCrossRadius: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/noise-norm-band"]) -> _LongTailMemorizationNoiseNormBand: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/one-factor-orthant-probability"]) -> _LongTailMemorizationOneFactorOrthantProbability: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/orthant-probability-bound"]) -> _LongTailMemorizationOrthantProbabilityBound: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/paley-zygmund-lower"]) -> _LongTailMemorizationPaleyZygmundLower: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/quadratic-form-radii"]) -> _LongTailMemorizationQuadraticFormRadii: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/remark4-general-bound"]) -> _LongTailMemorizationRemark4GeneralBound: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/remark4-sigma-n"]) -> _LongTailMemorizationRemark4SigmaN: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/residual-ratio"]) -> _LongTailMemorizationResidualRatio: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/sign-fraction-two-sided"]) -> _LongTailMemorizationSignFractionTwoSided: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/snr-ncr"]) -> _LongTailMemorizationSnrNcr: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/softmax-cross-entropy"]) -> _LongTailMemorizationSoftmaxCrossEntropy: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/spike-from-ncr"]) -> _LongTailMemorizationSpikeFromNcr: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/spiked-covariance-norms"]) -> _LongTailMemorizationSpikedCovarianceNorms: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/subgaussian-max-radius"]) -> _LongTailMemorizationSubgaussianMaxRadius: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/synthetic-dpsgd-experiment"]) -> _LongTailMemorizationSyntheticDpsgdExperiment: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/thm1-noise-memorization"]) -> _LongTailMemorizationThm1NoiseMemorization: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/thm2-training-loss"]) -> _LongTailMemorizationThm2TrainingLoss: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/thm3-general-bound"]) -> _LongTailMemorizationThm3GeneralBound: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/thm3-general-bound-scale-consistent"]) -> _LongTailMemorizationThm3GeneralBoundScaleConsistent: ...
    @overload
    def __getitem__(self, name: Literal["long-tail-memorization/thm3-long-tail-bound"]) -> _LongTailMemorizationThm3LongTailBound: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/doob-step"]) -> _NoisyHsgdDoobStep: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/dp-noise-share"]) -> _NoisyHsgdDpNoiseShare: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/equivalence-bounds"]) -> _NoisyHsgdEquivalenceBounds: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/kernel-enclosure"]) -> _NoisyHsgdKernelEnclosure: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/mixture-rdp"]) -> _NoisyHsgdMixtureRdp: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/pair-score"]) -> _NoisyHsgdPairScore: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-average-release"]) -> _NoisyHsgdRdpAverageRelease: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-contractive-one-pass"]) -> _NoisyHsgdRdpContractiveOnePass: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-joint-release"]) -> _NoisyHsgdRdpJointRelease: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-last-iterate"]) -> _NoisyHsgdRdpLastIterate: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-last-iterate-isotropic-reduced"]) -> _NoisyHsgdRdpLastIterateIsotropicReduced: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-order-limit"]) -> _NoisyHsgdRdpOrderLimit: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-sgd-conditional"]) -> _NoisyHsgdRdpSgdConditional: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/rdp-to-approx-dp"]) -> _NoisyHsgdRdpToApproxDp: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/renyi-gaussian"]) -> _NoisyHsgdRenyiGaussian: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/renyi-joint-avg"]) -> _NoisyHsgdRenyiJointAvg: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/renyi-last"]) -> _NoisyHsgdRenyiLast: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/renyi-last-limit"]) -> _NoisyHsgdRenyiLastLimit: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/risk-fluctuation-isotropic"]) -> _NoisyHsgdRiskFluctuationIsotropic: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/risk-isotropic-constant"]) -> _NoisyHsgdRiskIsotropicConstant: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/risk-sgd-exact-mean"]) -> _NoisyHsgdRiskSgdExactMean: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/risk-stationary"]) -> _NoisyHsgdRiskStationary: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/risk-trajectory"]) -> _NoisyHsgdRiskTrajectory: ...
    @overload
    def __getitem__(self, name: Literal["noisy-hsgd/risk-trajectory-blocks"]) -> _NoisyHsgdRiskTrajectoryBlocks: ...
    @overload
    def __getitem__(self, name: Literal["referee/verdict"]) -> _RefereeVerdict: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/compose-delta"]) -> _ShiftedInterpolationComposeDelta: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/compose-epsilon"]) -> _ShiftedInterpolationComposeEpsilon: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/constrained-lower-bound"]) -> _ShiftedInterpolationConstrainedLowerBound: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/exponential-mechanism-convex"]) -> _ShiftedInterpolationExponentialMechanismConvex: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/exponential-mechanism-threshold"]) -> _ShiftedInterpolationExponentialMechanismThreshold: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/gdp-delta"]) -> _ShiftedInterpolationGdpDelta: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/gdp-epsilon"]) -> _ShiftedInterpolationGdpEpsilon: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/gdp-mu"]) -> _ShiftedInterpolationGdpMu: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/gdp-tradeoff"]) -> _ShiftedInterpolationGdpTradeoff: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/langevin-gdp"]) -> _ShiftedInterpolationLangevinGdp: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/logistic-regression-table"]) -> _ShiftedInterpolationLogisticRegressionTable: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/lower-bound-constants"]) -> _ShiftedInterpolationLowerBoundConstants: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-cgd-constrained"]) -> _ShiftedInterpolationNoisyCgdConstrained: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-cgd-constrained-plateau"]) -> _ShiftedInterpolationNoisyCgdConstrainedPlateau: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-cgd-strongly-convex"]) -> _ShiftedInterpolationNoisyCgdStronglyConvex: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-gd-constrained"]) -> _ShiftedInterpolationNoisyGdConstrained: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-gd-constrained-plateau"]) -> _ShiftedInterpolationNoisyGdConstrainedPlateau: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-gd-constrained-strongly-convex"]) -> _ShiftedInterpolationNoisyGdConstrainedStronglyConvex: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-gd-figure-1"]) -> _ShiftedInterpolationNoisyGdFigure1: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-gd-strongly-convex"]) -> _ShiftedInterpolationNoisyGdStronglyConvex: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-sgd-constrained"]) -> _ShiftedInterpolationNoisySgdConstrained: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-sgd-horizon-constrained"]) -> _ShiftedInterpolationNoisySgdHorizonConstrained: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-sgd-horizon-strongly-convex"]) -> _ShiftedInterpolationNoisySgdHorizonStronglyConvex: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-sgd-one-process"]) -> _ShiftedInterpolationNoisySgdOneProcess: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/noisy-sgd-strongly-convex"]) -> _ShiftedInterpolationNoisySgdStronglyConvex: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/rdp-to-approximate-dp"]) -> _ShiftedInterpolationRdpToApproximateDp: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/shift-problem"]) -> _ShiftedInterpolationShiftProblem: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/solve-epochs"]) -> _ShiftedInterpolationSolveEpochs: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/solve-steps"]) -> _ShiftedInterpolationSolveSteps: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/subsampled-gaussian-clt"]) -> _ShiftedInterpolationSubsampledGaussianClt: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/subsampled-gaussian-delta"]) -> _ShiftedInterpolationSubsampledGaussianDelta: ...
    @overload
    def __getitem__(self, name: Literal["shifted-interpolation/subsampled-gaussian-tradeoff"]) -> _ShiftedInterpolationSubsampledGaussianTradeoff: ...
    @overload
    def __getitem__(self, name: str) -> Calculator: ...
calculators: _Calculators

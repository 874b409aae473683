// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Renyi (moments) accountant of DP-SGD: divergences of the steps add, and the sum is converted to
/// (epsilon, delta) at the best order.
///
/// It is looser than the composed profile (composition.hpp) and proved all the same: every end used is an upper end, of
/// ball arithmetic. Orders are chosen by estimates.
/// A Composition lists the steps; here they are the pairs of Poisson sampling (subsampled_renyi.hpp), for which the
/// directions "remove" and "add" differ, and not the symmetrised pairs C_p(G(mu)), whose curve is accounting::renyi.
///
/// Source: Abadi et al., "Deep learning with differential privacy" (2016), section 3; Mironov, "Renyi differential
/// privacy" (2017), Proposition 1; the conversions are those of divergence/conversion.hpp.
#pragma once

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/divergence/conversion.hpp>

namespace dpcurves::accounting {

/// D_order of all steps together under Poisson sampling: the sum over the steps plus order gaussian_mu^2 / 2.
/// \param composition  as for profile_at, with every mu of a sampled step in [0, 100].
/// \param order        as for poisson_renyi.
/// \throws DomainError outside. Accuracy: relative width 1e-15 where poisson_renyi is three doubles wide. Cost: one
/// poisson_renyi for each different (sampling_rate, mu); counts cost nothing.
[[nodiscard]] Enclosure poisson_renyi(const Composition& composition, double order, Direction direction);

/// The upper end of the above as a function of the order; infinite for orders above 1e12. Remembers the orders asked
/// for and may be called from several threads.
/// \throws DomainError  at once for a composition outside its domain.
[[nodiscard]] divergence::RenyiCurve poisson_renyi_curve(const Composition& composition, Direction direction);

/// The upper end of renyi(composition, order) for a replaced record under Poisson sampling; other steps may be there
/// too. Remembers the orders asked for and may be called from several threads.
/// \throws DomainError  as renyi. Cost: 200 estimates and three proved divergences for an epsilon: 25 ms for mu <= 1.
[[nodiscard]] divergence::RenyiCurve replaced_renyi_curve(const Composition& composition);

/// An upper bound for the same steps with batches of a fixed size (fixed_size_renyi_bound), data sets that differ in
/// the value of one record; `mu` of each step is that function's. Orders between integers follow from the convexity of
/// (order - 1) D_order; orders above 1e4 get order mu^2 / 2, the bound without sampling.
/// \throws DomainError  at once for a composition outside its domain.
[[nodiscard]] divergence::RenyiCurve fixed_size_renyi_curve(const Composition& composition);

/// The smallest epsilon that the Renyi curve of one direction gives at `delta`, with its conversion and order.
/// \param delta  in (0, 1). \throws DomainError outside.
/// Cost: about 200 estimates of the divergence and three proved ones: 10 ms for each different step with mu <= 1.
[[nodiscard]] divergence::Conversion epsilon_by_renyi(const Composition& composition, double delta,
                                                      Direction direction);

/// Both directions.
struct RenyiEpsilon {
  divergence::Conversion remove;  ///< D(with the record || without it)
  divergence::Conversion add;     ///< D(without the record || with it)

  /// Data sets that differ by one record, whichever has it: the larger epsilon.
  [[nodiscard]] const divergence::Conversion& add_or_remove() const {
    return remove.epsilon >= add.epsilon ? remove : add;
  }
};
/// Both directions of the function above. Domain and errors as there, cost twice as much.
[[nodiscard]] RenyiEpsilon epsilon_by_renyi(const Composition& composition, double delta);

/// The logarithm of the smallest delta at an epsilon >= 0, by divergence::log_delta_of_renyi.
[[nodiscard]] double log_delta_by_renyi(const Composition& composition, double epsilon, Direction direction);

/// The guarantee that a Renyi curve alone gives: epsilon and delta by the best conversion, which `method` names with
/// its order; trade-off functions by their tangents. Ends are those of the bound at the order that was found.
/// Cost: about 200 evaluations of the curve for each epsilon or delta, 200 times that for each type II error.
/// \param curve  upper bounds of the divergence at every order > 1.
[[nodiscard]] CurvePtr renyi_bound_curve(divergence::RenyiCurve curve);

}  // namespace dpcurves::accounting

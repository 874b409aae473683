// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Compositions of a few steps on a lattice of losses, between a law above and a law below. Internal.
///
/// Each step's likelihood ratio is cut into the cells between neighbouring lattice points e^{k h}. The law above moves
/// the mass of a cell to its ends, the law below joins cells so that their mean is a lattice point; both orders are
/// kept by composition (ratio_law.hpp). Powers by Fourier transform, under the alternative for losses above 0 and under
/// the null for those below, with a bound of their roundings in the 2-norm. The gap between the two laws is of the
/// order of T h^2, and where most losses are smaller than h, of T h.
///
/// Source: Doroshenko et al., "Connect the dots" (2022), for the law above; docs/theory/accountant/lattice.md.
#pragma once

#include <cstddef>
#include <memory>

#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// Both ends of profile and trade-off function of one composition, at any number of points.
class LatticeProfile {
 public:
  /// \param points  of the lattice, a power of 2. Cost: about 1 us a point and distinct step.
  explicit LatticeProfile(const proof::Problem& problem, std::size_t points = std::size_t{1} << 19U);
  ~LatticeProfile();

  /// delta at any finite epsilon. Cost: a few operations.
  [[nodiscard]] Enclosure delta(double epsilon) const;
  /// epsilon at a delta in (0, 1), at least 0.
  [[nodiscard]] Enclosure epsilon(double delta) const;
  /// The trade-off function. \param type_one_error  in [0, 1]. Cost: a bisection.
  [[nodiscard]] Enclosure tradeoff(double type_one_error) const;

 private:
  struct End;
  std::unique_ptr<const End> above_, below_;
};

}  // namespace dpcurves::accounting::detail

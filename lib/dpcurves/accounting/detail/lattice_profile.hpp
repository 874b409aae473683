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
#include <vector>

#include <dpcurves/accounting/detail/lattice_laws.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// Both ends of profile and trade-off function of one composition, at any number of points.
class LatticeProfile {
 public:
  /// \param points  of the lattice, a power of 2. Cost: about 1 us a point and distinct step.
  explicit LatticeProfile(const proof::Problem& problem, std::size_t points = std::size_t{1} << 19U);
  /// A lattice with relative digits of delta near one epsilon > 0, however small delta is there: of the laws tilted by
  /// e^{c loss}, c the saddle point. It answers no trade-off function, and nothing below epsilon 0.
  /// \param log_delta  about the logarithm of delta there, an upper bound: what is rarer by e^{-20} is cut off.
  [[nodiscard]] static LatticeProfile far_down(const proof::Problem& problem, double epsilon, double log_delta,
                                               std::size_t points = std::size_t{1} << 19U);
  /// Sums without a loss of at least `from` are left to Chernoff's bound, on a lattice tilted by e^{order loss}: it
  /// answers thresholds from `lowest` on. `from` 0: all sums are on the lattice.
  struct Jumps {
    double order = 0.0, from = 0.0, lowest = 0.0;
  };
  /// The losses of the copies of one step, about: where they are, with the logarithms of their masses.
  struct Losses {
    double count = 1.0;
    std::vector<LossNode> nodes;
  };
  /// Where rare large losses hide the saddle point of a threshold, as far as that helps. \param order  of the tilt.
  /// \param log_delta  about the logarithm of delta there.
  [[nodiscard]] static Jumps jumps(const std::vector<Losses>& steps, double gaussian_mu, double epsilon, double order,
                                   double log_delta);
  /// Of laws on one lattice: near 0, or where it is far down with its digits near one epsilon >= 0.
  [[nodiscard]] static LatticeProfile of_laws(const std::vector<LatticeLaws>& laws, const Lattice& lattice,
                                              double epsilon, std::size_t points);
  [[nodiscard]] static LatticeProfile of_laws(const std::vector<LatticeLaws>& laws, const Lattice& lattice,
                                              double epsilon, std::size_t points, const Jumps& jumps);
  LatticeProfile(LatticeProfile&&) noexcept;  ///< Moves; nothing may be asked of what is left.
  ~LatticeProfile();

  /// delta at any finite epsilon. Cost: a few operations.
  [[nodiscard]] Enclosure delta(double epsilon) const;
  /// epsilon at a delta in (0, 1), at least 0.
  [[nodiscard]] Enclosure epsilon(double delta) const;
  /// The trade-off function. \param type_one_error  in [0, 1]. Cost: a bisection.
  [[nodiscard]] Enclosure tradeoff(double type_one_error) const;

 private:
  // The smallest epsilon >= 0 that is answered.
  [[nodiscard]] double lowest() const;
  struct Depth {
    double epsilon = 0.0;   // where the digits are
    double order = 0.0;     // of the tilt
    double reach = 9.0;     // standard deviations of the largest losses
    double widest = 0.0;    // loss of one step
    double jump = 0.0;      // losses from here on are large, and sums without one are only bounded; 0 for none
    double lowest = 0.0;    // threshold for which that was chosen
    proof::Problem seen{};  // without the losses that are too rare to count
  };
  static Depth near(const proof::Problem& problem);
  struct End;
  LatticeProfile(const proof::Problem& problem, Depth depth, std::size_t points);
  LatticeProfile(const std::vector<LatticeLaws>& laws, const Depth& depth, double h, std::size_t points);
  std::unique_ptr<const End> above_, below_;
};

}  // namespace dpcurves::accounting::detail

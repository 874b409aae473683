// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The order in which a composition's methods are asked: closed forms and contours of about a second, then lattices
/// where these left a wide bracket, then the contours that take longer. Every bracket is true; the answer is what they
/// have in common. Internal. Effort is counted in work, never in time.
#pragma once

#include <cstddef>
#include <memory>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/accounting/proof/profile.hpp>

namespace dpcurves::accounting::detail {

/// A DomainError that names the value of a composition that is outside its range.
void check(const Composition& composition);

/// One composition, with its contours and lattices once they have been asked for.
class Answers {
 public:
  /// \param composition  checked by the caller.
  explicit Answers(const Composition& composition) : profile_(composition) {}

  /// delta at any epsilon but NaN. \param spare  digits that new contours get beyond those wanted, see Profile::delta.
  [[nodiscard]] DeltaBound delta(double epsilon, const Accuracy& accuracy, double spare = 0.0);
  /// epsilon at a delta in (0, 1).
  [[nodiscard]] EpsilonBound epsilon(double delta, const Accuracy& accuracy);

  /// The contours.
  [[nodiscard]] proof::Profile& profile() { return profile_; }
  /// Whether a lattice can say anything: with more steps or larger losses its windows and roundings are too large.
  [[nodiscard]] bool lattice_serves() const;
  /// The lattice near epsilon 0; null where none reaches.
  [[nodiscard]] const LatticeProfile* lattice();

 private:
  struct Held;
  /// Whether a contour of another question may answer.
  [[nodiscard]] bool contours_may_serve(const Accuracy& accuracy) const;
  [[nodiscard]] const LatticeProfile* far_down(double epsilon, double delta, std::size_t points);
  void narrow_delta(double epsilon, std::size_t points, Held& held);
  void narrow_epsilon(double delta, std::size_t points, Held& held);
  template <class Narrow, class Contours>
  void narrow(Held& held, const Narrow& with_lattice, const Contours& dear);

  proof::Profile profile_;
  std::unique_ptr<const LatticeProfile> near_, far_;
  bool asked_ = false;  // for the first of them
};

/// What `method` says of an answer from a lattice.
constexpr const char* by_lattice = "lattice";

}  // namespace dpcurves::accounting::detail

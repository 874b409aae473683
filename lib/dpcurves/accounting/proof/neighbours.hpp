// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A contour for steps of other rates and noises near those that it was made for. Internal.
///
/// The moments at its nodes and above it are integrated anew. Those in its discs move by at most |z (z + 1)| times what
/// real moments move, over x (x + 1), x = Re z, where a record is added to or removed from Poisson batches; they are
/// integrated anew where that is too much, and for other steps. Proofs: docs/theory/accountant/proof.md, Lemma 12.
#pragma once

#include <memory>
#include <vector>

#include <dpcurves/accounting/proof/inversion.hpp>

namespace dpcurves::accounting::proof {

/// The contours of neighbours.
class Neighbours {
 public:
  /// Whether its steps are served: laws that are not cut off, of an upright contour.
  [[nodiscard]] static bool served(const Inversion& contour);
  /// Needs nothing of the contour afterwards.
  explicit Neighbours(const Inversion& contour);
  /// Of steps like those of the contour, whose rates and noises have moved.
  /// \throws ConvergenceError  where a path serves no longer. Cost: a tenth of a new contour with its plan, a quarter
  /// where the lemma does not speak.
  [[nodiscard]] std::shared_ptr<const ContourParts> at(const Problem& problem);

 private:
  [[nodiscard]] StepMoment moment(const Step& step, std::size_t kind) const;
  /// log of E at the real orders, at least; nothing where the lemma does not speak. \param moments  gets those of now.
  [[nodiscard]] std::vector<double> moved(std::size_t kind, const Step& now, const StepMoment& moment,
                                          std::vector<rigorous::Real>& moments);
  /// Logarithms of about what each disc adds to the error, as the moves are measured from.
  [[nodiscard]] std::vector<double> shares_of(const Problem& problem) const;
  /// At least what |M| e^{-Re(t) m} moves on a disc.
  [[nodiscard]] double moved_in(const Disc& disc, double mean, const std::vector<double>& log_e) const;

  Plan plan_;
  std::vector<double> orders_;  // rising, about Re z of all discs
  // Where moves are measured from: the contour itself, or the last neighbour of which a disc was integrated anew.
  std::shared_ptr<const ContourParts> parts_;
  std::vector<Step> steps_;
  std::vector<std::vector<rigorous::Real>> real_moments_;  // there, of each kind of step; empty until they are needed
  std::vector<std::vector<double>> grown_;  // what moves have added to the discs since they were integrated
};

}  // namespace dpcurves::accounting::proof

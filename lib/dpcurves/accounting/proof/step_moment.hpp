// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The moment of one kind of step: its atom and the integrals of its pieces, along paths that are given. Internal.
#pragma once

#include <vector>

#include <dpcurves/accounting/proof/moment.hpp>

namespace dpcurves::accounting::proof {

/// M(z) at nodes, in discs and on rays; an atom is a node of loss 0.
class StepMoment {
 public:
  /// \param paths  one for each piece. \param reference, digits  as of Integral. \param mean  loss, any number; near
  /// the mean of the tilted law discs are best.
  StepMoment(const Step& step, const std::vector<Path>& paths, double reference, double mean, double digits);

  /// \param quick  in doubles, where that can be.
  [[nodiscard]] rigorous::Complex at(const rigorous::Complex& z, bool quick) const;
  /// On a disc: at least log |M(z)| e^{-Re(z - z0) mean} for |z - z0| <= radius; and about log |M(z0)|.
  struct OnDisc {
    double most, middle;
  };
  /// \param re, im  of z0.
  [[nodiscard]] OnDisc on_disc(double re, double im, double radius) const;
  /// At least log |M(z + i w)| for all w >= 0.
  [[nodiscard]] rigorous::Real log_beyond(const rigorous::Complex& z) const;
  /// Nodes from balls; false if they are.
  bool refine();
  [[nodiscard]] long nodes() const;

 private:
  std::vector<Integral> integrals_;
  rigorous::Real atom_;
  double scaled_atom_, reference_, mean_;  // the first: over e^{reference}
};

}  // namespace dpcurves::accounting::proof

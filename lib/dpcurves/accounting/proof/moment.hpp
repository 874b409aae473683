// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The moment function of one step at complex arguments: balls at points, upper bounds on discs and beyond. Internal.
///
/// Every integral is a midpoint sum along an analytic path (piece.hpp). Its error is at most
///   (N_up / (e^{2 pi up / h} - 1) + N_down / (e^{2 pi down / h} - 1)) + ends,
/// N the integral of the modulus along the displaced path, bounded from above by rectangles; proof:
/// docs/theory/accountant/proof.md. The same sum of moduli, with the geometric mean of N_up and N_down, bounds |M| on
/// the whole ray above a point.
#pragma once

#include <vector>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

/// One integral along one path, for every z.
class Integral {
 public:
  /// \param digits  nodes whose contribution is below e^{-digits} of e^{reference} are left out, and their sum counted
  /// as error. \throws ConvergenceError  if the path leaves the domain of the piece.
  Integral(const Piece& piece, const Path& path, double reference, double digits);

  /// A ball with the integral of base e^{z l}.
  [[nodiscard]] rigorous::Complex at(const rigorous::Complex& z) const;
  /// At least |integral of base e^{(z + t) (l)}| e^{-Re(t) m} for |t| <= radius. \param z  exact.
  [[nodiscard]] rigorous::Real bound(const rigorous::Complex& z, double radius, double m) const;
  /// At least |integral| at z + i w for all w >= 0.
  [[nodiscard]] rigorous::Real beyond(const rigorous::Complex& z) const;
  [[nodiscard]] long nodes() const { return static_cast<long>(loss_.size()); }

 private:
  struct Box {  // outward in doubles: of the loss and of log |base| + log h
    double re_low, re_high, im_low, im_high, base_high;
  };
  [[nodiscard]] Box box(const rigorous::Complex& s) const;
  [[nodiscard]] rigorous::Real error(const rigorous::Real& x, const rigorous::Real& y, bool geometric) const;
  [[nodiscard]] rigorous::Real ends(const rigorous::Real& x, const rigorous::Real& y, bool geometric) const;
  [[nodiscard]] rigorous::Real decay(const rigorous::Real& x, const rigorous::Real& y, bool right) const;

  Piece piece_;
  Path path_;
  double reference_, digits_;
  std::vector<rigorous::Complex> loss_, weight_;  // of the nodes
  std::vector<Box> here_, up_, down_;             // of the cells: on the path (nodes alone), and on the displaced lines
  std::vector<Box> outside_;                      // of the path beyond its nodes
  std::vector<Box> caps_;
  rigorous::Real front_left_, front_right_;       // Re x where the decay of phi takes over
  rigorous::Real turn_left_, turn_right_;         // Im l is at least this beyond
  rigorous::Real factor_up_, factor_down_;  // 1 / (e^{2 pi up / h} - 1)
};

/// A sum of terms e^v, rounded up.
class UpperSum {
 public:
  UpperSum();
  ~UpperSum();
  UpperSum(const UpperSum&) = delete;
  UpperSum& operator=(const UpperSum&) = delete;
  /// Adds factor e^v. \param v  rounded up by the caller; NaN counts as infinity. \param factor  >= 0.
  void add(double v, double factor = 1.0);
  [[nodiscard]] rigorous::Real value() const;

 private:
  mag_t sum_, term_, factor_;
};

}  // namespace dpcurves::accounting::proof

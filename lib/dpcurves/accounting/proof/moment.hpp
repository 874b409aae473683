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

  /// A ball with the integral of base e^{z l}. \param quick  in doubles, a relative 1e-14 wide, if that can be.
  [[nodiscard]] rigorous::Complex at(const rigorous::Complex& z, bool quick = false) const;
  /// Around z: |integral of base e^{(z + t) l}| e^{-Re(t) m} <= |zeroth| + |t| |first| + |t|^2 second / 2 + error for
  /// |t| <= radius; the zeroth and first of several integrals may be added before moduli are taken.
  struct Expansion {
    rigorous::Complex zeroth, first;
    rigorous::Real second, error;
  };
  /// \param z  exact. \param m  of any loss; near the mean the first is small.
  [[nodiscard]] Expansion expand(const rigorous::Complex& z, double radius, double m) const;
  /// At least |integral| at z + i w for all w >= 0.
  [[nodiscard]] rigorous::Real beyond(const rigorous::Complex& z) const;
  /// The sums over the nodes of base e^{z l} or, `less_one`, of base (e^{z l} - 1), where next to nothing cancels if z l
  /// is small, at z = c + i k h for k = 0, ..., last. Without the error of the quadrature. Accuracy: some 2^-98 k of the
  /// sum of moduli. Cost: 8 ns for each node and k. \throws ConvergenceError  beyond the range of doubles.
  [[nodiscard]] std::vector<rigorous::Complex> row(double c, double h, long last, bool less_one) const;
  /// The error of the quadrature at every order x + i y with 0 <= y <= most_y. \param x  exact.
  [[nodiscard]] rigorous::Real quadrature_error(double x, double most_y) const;
  [[nodiscard]] long nodes() const { return static_cast<long>(loss_.size()); }

 private:
  struct Box {  // outward in doubles: of the loss and of log |base| + log h
    double re_low, re_high, im_low, im_high, base_high;
  };
  /// Boxes as columns, for sums of exponentials.
  struct Boxes {
    std::vector<double> re_low, re_high, im_low, im_high, base_high;
    void add(const Box& b);
    [[nodiscard]] std::size_t size() const { return re_low.size(); }
  };
  /// Nodes in doubles: loss and log weight, and what their roundings and radii may change.
  struct Nodes {
    std::vector<double> loss_re, loss_im, log_re, log_im, loss_error, log_error;
  };
  /// S_0, S_1 and S_2 of the proof, over e^{reference}.
  struct Sums {
    double re = 0.0, im = 0.0, error = 0.0, moved_re = 0.0, moved_im = 0.0, moved_error = 0.0, second = 0.0;
    double size = 0.0, moved_size = 0.0;  // sums of moduli
  };
  [[nodiscard]] Sums sums(double x, double y, double radius, double m) const;
  [[nodiscard]] bool nearly_unseen(const Box& b, double top, double farthest, double log_unseen) const;
  /// At least the sum of e^{base + Re(z l)} over e^{reference}, in doubles. \param other  not null: of the geometric
  /// means.
  [[nodiscard]] double total(const Boxes& boxes, const Boxes* other, double x_low, double x_high, double y_low,
                             double y_high) const;
  [[nodiscard]] Box box(const Evaluation& evaluation, const rigorous::Complex& s) const;
  [[nodiscard]] rigorous::Real error(const rigorous::Real& x, const rigorous::Real& y, bool geometric) const;
  [[nodiscard]] rigorous::Real ends(const rigorous::Real& x, const rigorous::Real& y, bool geometric) const;
  [[nodiscard]] rigorous::Real decay(const rigorous::Real& x, const rigorous::Real& y, bool right) const;
  [[nodiscard]] rigorous::Real left_of_half(const rigorous::Real& x, const rigorous::Real& y) const;
  [[nodiscard]] rigorous::Real up_the_slope(const rigorous::Real& x, const rigorous::Real& y) const;
  [[nodiscard]] rigorous::Real beyond_by_cells(const rigorous::Complex& z) const;
  void set_top(const rigorous::Real& s);
  [[nodiscard]] bool turns_one_way() const;

  Piece piece_;
  Path path_;
  double reference_, digits_;
  std::vector<rigorous::Complex> loss_, weight_;  // of the nodes
  std::vector<Box> here_;                         // of the nodes
  Nodes nodes_;
  Boxes up_, down_;  // of the cells on the displaced lines
  Boxes outside_;    // of the path beyond its nodes
  std::vector<Box> caps_;
  rigorous::Real front_left_, front_right_;  // Re x where the decay of phi takes over; not used where the law is cut
  struct Top {                               // where a slope goes on for ever, all beyond is bounded there
    PathPoint at;
    rigorous::Real along, up_least, up_most;  // |Re dx/ds| and |Im dx/ds| from there on
    rigorous::Real off_a, off_n;              // by how much d log r / dx is not m mu or 0, at most
  } top_;
  rigorous::Real turn_left_, turn_right_;   // Im l is at least this beyond
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

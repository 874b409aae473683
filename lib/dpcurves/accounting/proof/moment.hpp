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

#include <array>
#include <vector>

#include <dpcurves/accounting/proof/cells.hpp>
#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

/// One integral along one path, for every z.
class Integral {
 public:
  /// \param digits  nodes whose contribution is below e^{-digits} of e^{reference} are left out, and their sum counted
  /// as error. \throws ConvergenceError  if the path leaves the domain of the piece.
  Integral(const Piece& piece, const Path& path, double reference, double digits);

  /// A ball with the integral of base e^{z l}. \param quick  in doubles, if that can be: with an error of some 1e-14
  /// (after refine() 2e-15) of the integral of |base| min(|z l|, |e^{z l}|).
  [[nodiscard]] rigorous::Complex at(const rigorous::Complex& z, bool quick = false) const;
  /// Around z = x + i y, over e^{reference}: |integral of base e^{(z + t) l}| e^{-Re(t) m} <= |zeroth| + |t| |first| +
  /// |t|^2 second / 2 + error for |t| <= radius; the zeroth and first of several integrals may be added before moduli
  /// are taken. In doubles, second and error rounded up.
  struct Expansion {
    double zeroth_re = 0.0, zeroth_im = 0.0, first_re = 0.0, first_im = 0.0, second = 0.0, error = 0.0;
  };
  /// \param m  of any loss; near the mean the first is small.
  [[nodiscard]] Expansion expand(double x, double y, double radius, double m) const;
  /// At least |integral| at z + i w for all w >= 0.
  [[nodiscard]] rigorous::Real beyond(const rigorous::Complex& z) const;
  /// The sums over the nodes of base e^{z l} or, `less_one`, of base (e^{z l} - 1), where next to nothing cancels if z
  /// l is small, at z = c + i k h for k = 0, ..., last. Without the error of the quadrature. Accuracy: some 2^-98 k of
  /// the sum of moduli. Cost: 3 ns for each node and k. \throws ConvergenceError  beyond the range of doubles.
  [[nodiscard]] std::vector<rigorous::Complex> row(double c, double h, long last, bool less_one) const;
  /// The error of the quadrature at every order x + i y with 0 <= y <= most_y. \param x  exact.
  [[nodiscard]] rigorous::Real quadrature_error(double x, double most_y) const;
  /// Nodes from balls in place of those from doubles: the error of at() in doubles falls to a fifth. False if they are.
  bool refine();
  [[nodiscard]] long nodes() const { return path_.count; }

 private:
  /// Orders between ends, of imaginary parts >= 0.
  struct Orders {
    double x_low, x_high, y_low, y_high;
    Orders(const rigorous::Real& x, const rigorous::Real& y);
    /// Less than radius away.
    Orders(double x, double y, double radius);
  };
  /// At least the logarithm of something and a factor of it.
  struct Size {
    double log_value, factor;
  };
  /// Boxes as columns, for sums of exponentials; log |base| with that of the length of the cell.
  struct Boxes {
    std::vector<double> re_low, re_high, im_low, im_high, base_high;
    void add(const Box& b);
    /// Of a box: at least log |base e^{z l}|, with the length of the cell.
    [[nodiscard]] double exponent_at(std::size_t j, const Orders& z) const;
    [[nodiscard]] std::size_t size() const { return re_low.size(); }
  };
  /// Nodes in doubles: loss and log weight, and what their roundings and radii may change.
  struct Nodes {
    std::vector<double> loss_re, loss_im, log_re, log_im, loss_error, log_error;
    std::vector<double> re, im, error;  // of the weight over e^{reference}
    /// The sum of the moduli of the parts of w + z l - reference, |z| <= order.
    [[nodiscard]] double size(std::size_t j, double order, double reference) const;
    /// What that exponent and its exponential may be off by together, relatively to e^. \param parts  size().
    [[nodiscard]] double off(std::size_t j, double order, double parts) const;
  };
  /// S_0, S_1 and S_2 of the proof, over e^{reference}.
  struct Sums {
    double re = 0.0, im = 0.0, error = 0.0, moved_re = 0.0, moved_im = 0.0, moved_error = 0.0, second = 0.0;
    double size = 0.0, moved_size = 0.0;  // sums of moduli
  };
  [[nodiscard]] Sums sums(double x, double y, double radius, double m) const;
  /// The nodes in doubles; false where cells do not serve. The mass is what doubles add up to.
  [[nodiscard]] bool fill_plainly(const Cells& cells);
  void fill_from_balls();
  void add_node(const PlainNode& node, double radius);
  void set_mass();
  /// Losses and weights in balls, once they are needed, at the precision of that time. One thread at a time.
  void balls(std::vector<rigorous::Complex>* log_bases = nullptr) const;
  /// The sum over the nodes of weight (e^{z l} - 1) over e^{reference}: re, im and error.
  [[nodiscard]] Sums less_one(double x, double y) const;
  [[nodiscard]] bool nearly_unseen(std::size_t j, double top, double farthest, double log_unseen) const;
  /// At least the sum of e^{base + Re(z l)} over e^{scale}, in doubles. \param other  not null: of the geometric
  /// means.
  [[nodiscard]] double total(const Boxes& boxes, const Boxes* other, const Orders& z, double scale) const;
  [[nodiscard]] Box box(const Evaluation& evaluation, const rigorous::Complex& s) const;
  struct Boxing;
  template <class Ball>
  [[nodiscard]] Box box_over(const Boxing& by, double left, double right, double low, double high,
                             const Ball& ball) const;
  /// All that is known of the integrand off its nodes. \param cells  null: there are none.
  void set_boxes(const Cells* cells);
  /// On the line at that height.
  void add_line(const Boxing& by, double height, Boxes& out);
  void add_caps(const Boxing& by);
  /// On the path beyond its nodes, until phi decides; where it ends.
  [[nodiscard]] rigorous::Real add_beyond(const Boxing& by, int direction, double until);
  /// Straight to the real line, where a law is cut off.
  void come_down(const Boxing& by, const rigorous::Real& from, double to);
  /// At least Im l beyond a front: arg (1 - q + v) grows with |v| for fixed arg v in (0, pi), so that it is what the
  /// mixture that moves to this side has there.
  [[nodiscard]] rigorous::Real turn(const rigorous::Real& at, int sign) const;
  /// The strip must hold no branch point: log r is analytic where |Im u| < pi or |v| > 1 - q.
  void require_strip() const;
  /// Of the quadrature, over e^{scale}.
  [[nodiscard]] double error(const Orders& z, bool geometric, double scale) const;
  [[nodiscard]] double ends(const Orders& z, bool geometric, double scale) const;
  /// The largest exponent of what error() adds up.
  [[nodiscard]] double largest(const Orders& z) const;
  /// At least what lies beyond one of the ends.
  [[nodiscard]] std::array<Size, 2> beyond_ends(const Orders& z) const;
  /// What lies beyond an end of a path that is not cut off there: numbers of the end, rounded to the safe side.
  struct Decay {
    struct Factor {  // r^e of a mixture, m != 0
      double mean = 0.0, log_low = 0.0, log_high = 0.0, log_least = 0.0, share_low = 0.0, share_high = 0.0;
    };
    double log_front = 0.0, rate = 0.0, turn = 0.0;
    Factor alternative{}, null{};
    bool right = true;
    [[nodiscard]] Size at(const Orders& z) const;
  };
  [[nodiscard]] Decay decay_of(const rigorous::Real& front, const rigorous::Real& turn, bool right) const;
  void set_left_of_half();
  [[nodiscard]] Size left_of_half(const Orders& z) const;
  [[nodiscard]] Size up_the_slope(const Orders& z) const;
  [[nodiscard]] rigorous::Real beyond_by_cells(const rigorous::Complex& z) const;
  void set_top(const rigorous::Real& s);
  [[nodiscard]] bool turns_one_way() const;

  Piece piece_;
  Path path_;
  double reference_, digits_;
  mutable std::vector<rigorous::Complex> loss_, weight_;  // of the nodes; empty until balls() is asked for
  Nodes nodes_;
  rigorous::Complex mass_;  // the sum of the weights
  Boxes here_;              // of the nodes
  bool plain_ = false;      // nodes are from doubles
  Boxes up_, down_;         // of the cells on the displaced lines
  Boxes outside_;           // of the path beyond its nodes
  Boxes caps_, mirrored_caps_;
  Decay left_, right_;
  double half_front_ = 0.0, half_growth_ = 0.0;  // left of a half at most e^{front + growth |z|}
  struct Top {                                   // where a slope goes on for ever, all beyond is bounded there
    PathPoint at;
    rigorous::Real along, up_least, up_most;  // |Re dx/ds| and |Im dx/ds| from there on
    rigorous::Real off_a, off_n;              // by how much d log r / dx is not m mu or 0, at most
  } top_;
  double factor_up_ = 0.0, factor_down_ = 0.0;  // 1 / (e^{2 pi up / h} - 1), rounded up
  rigorous::Real unit_;                         // e^{reference}
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

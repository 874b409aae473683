// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Losses and densities of a piece over cells of a path, in doubles rounded outward. Internal.
///
/// r = a + v e^{i t} with v = q e^{m mu x - m^2 mu^2 / 2} of the real part x alone and the angle t = m mu y of the
/// imaginary part alone. |r|^2 = a^2 + 2 a v cos t + v^2 is convex in v and monotone in t, arg r for 0 <= t <= pi
/// monotone in v and in t first up, then down: the extremes over a rectangle are at corners, at v = -a cos t and at
/// the angle where arg r is asin(v / a). On the path of a half, x0 + scale log(1 + e^{s + i t}) with |t| < pi/2, Re x
/// and |dx/ds| grow with s, the first falls with |t| and the second grows, Im x grows with t and moves away from 0 with
/// s: a rectangle of s + i t is inside one of x.
///
/// Trusted: IEEE arithmetic, and that exp, log, log1p, cos, sin, atan2 and asin of the C library are off by less than
/// four units of 2^-53.
#pragma once

#include <optional>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

/// Over a cell: ends of the loss, and the largest log |base|.
struct Box {
  double re_low, re_high, im_low, im_high, base_high;
};

/// A node: the loss, log base dx/ds, and what each may be off by, real and imaginary part together.
struct PlainNode {
  double loss_re, loss_im, log_re, log_im, loss_error, log_error;
};

/// The boxes of a path without a slope.
class Cells {
 public:
  Cells(const Piece& piece, const Path& path);
  [[nodiscard]] static bool serve(const Path& path) { return path.slope == 0.0; }
  /// Of s + i t for s and t between ends; t counts from the path. The base is that of dx/ds. Nothing where a branch
  /// point is near or an angle may pass pi. Cost: 0.3 us, of a half 0.7.
  [[nodiscard]] std::optional<Box> over(double s_low, double s_high, double t_low, double t_high) const;
  /// At a real s, off by at most `error`. Nothing where over() has nothing, or of a part. Cost: 0.1 us, of a half 0.2.
  [[nodiscard]] std::optional<PlainNode> node(double s, double error) const;

 private:
  struct Mixture {
    int m = 0;
    double mean = 0.0, shift = 0.0, a = 1.0, q = 0.0, log_q = 0.0;  // log_q: of the factor of e^u
    bool from_top = false;
  };
  struct Part {
    double re_low, re_high, im_low, im_high;
  };
  struct Corner {
    double log_modulus, angle, log_error, angle_error,
        modulus;  // the last: about |r| over the larger of its parts or 1
  };
  [[nodiscard]] static Mixture mixture(const Piece& piece, int m);
  /// \param error  of x and of t over |mean|.
  [[nodiscard]] static Corner corner(const Mixture& r, double x, double t, double error = 0.0);
  /// A rectangle of x, and the largest log |dx/ds|.
  struct Place {
    double x_low, x_high, y_low, y_high, log_speed;
  };
  [[nodiscard]] static std::optional<Part> part(const Mixture& r, const Place& at);
  [[nodiscard]] std::optional<Place> place(double s_low, double s_high, double t_low, double t_high) const;

  Piece piece_;
  Mixture alternative_, null_;
  bool half_;
  double lift_, scale_, begin_;  // of the path; begin: x0 of a half
};

}  // namespace dpcurves::accounting::proof

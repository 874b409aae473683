// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Upper bounds of |exp(K(c + i w) - K(c))| for all w beyond some end: the truncation certificate. Internal.
#pragma once

#include <map>
#include <vector>

#include <dpcurves/accounting/few_steps/moment_grid.hpp>
#include <dpcurves/accounting/few_steps/transform.hpp>

namespace dpcurves::accounting::detail {

/// Bounds |exp(K(z) - K(c))| along one line Re z = c: first without values of M, then with as few of them as are
/// needed.
class LineBound {
 public:
  /// `c` in (-1/2, inf), not 0. \throws TimeUp past the deadline, here and in all that follows.
  LineBound(const Transform& transform, double c, const Deadline& deadline);

  /// K(c), the logarithm of the moment generating function at the real point of the line.
  [[nodiscard]] double log_moment() const { return log_moment_; }

  /// Sum over the parts of count * v / atom, where |M - atom| <= v = variation / w.
  [[nodiscard]] double jumps(double w) const;

  /// Where a bound begins to hold, and what it rests on.
  struct Tail {
    double end = 0.0;       ///< the bound holds from here on
    double analytic = 0.0;  ///< from here on no value of M is needed for it
    double beyond = 0.0;    ///< the integral over w > analytic with kernel 1/w, in units of the bound
  };
  /// Where log |exp(K(z) - K(c))| <= log_size for good.
  /// \throws ConvergenceError  if that is beyond `longest`, or the deadline passes.
  [[nodiscard]] Tail tail(double log_size, double longest);

 private:
  // |M(c + iw)| / M(c) <= still + variation / w, for any cut between what is taken whole and what is integrated by
  // parts.
  struct Cut {
    double still;
    double variation;
  };
  struct Line {
    const Part* part;
    double log_moment;                        // log M(c)
    double log_atom;                          // log of atom / M(c)
    std::vector<Cut> cuts;                    // the first one has only the atom as its still part
    double longest;                           // bound on the losses that matter
    std::map<int, MomentGrid<double>> grids;  // by the power of 2 above the frequency
    std::map<int, int> tier;                  // how far and how fine each of them is
  };
  /// M'(c + iw) and M(c + iw) over M(c), of the losses below some size; `mass` is M(c)'s share of them, and what is
  /// above is at most 1 - mass.
  struct Piece {
    double mass = 0.0;
    double re = 0.0;  // M - mass
    double im = 0.0;
    double slope_re = 0.0;
    double slope_im = 0.0;
    double square = 0.0;  // E loss^2
  };
  struct Point {  // of one line
    std::vector<Piece> pieces;
    double error;
    double slope_error;
  };
  struct Tier {
    double reach;
    double target;
  };

  /// Sum over the parts of count * log(still + variation / w), at the best cuts or at the first one.
  [[nodiscard]] double analytic_bound(double w, bool every_cut) const;
  /// The frequency from which analytic_bound stays below log_size.
  [[nodiscard]] double analytic_end(double log_size, bool every_cut, double start) const;
  [[nodiscard]] static std::vector<Cut> cuts_of(const LossLaw& law, double c, double log_moment);
  [[nodiscard]] static std::vector<Tier> tiers(const Line& line, double w);
  [[nodiscard]] Point evaluate(Line& line, double w) const;
  /// Finer grids at w, where there are finer ones.
  [[nodiscard]] bool refine(double w);
  [[nodiscard]] double bound_over(const std::vector<Point>& points, double w, double h) const;

  Deadline deadline_;
  double gaussian_square_;
  double c_;
  double log_moment_ = 0.0;
  double second_ = 0.0;
  std::vector<Line> lines_;
};

}  // namespace dpcurves::accounting::detail

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Shift problems with a closed-form optimum, and the optimal sequences.
///
/// Each function returns the optimal (or, where said, a feasible) sum of squared shifts of the problem in
/// shift_problem.hpp with constant contraction c and step sensitivity s, rounded to nearest.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Lemmas C.6, C.8, C.10
/// and C.11; constrained strongly convex: shifted-interpolation/derived-3; single batch position and constrained
/// cyclic: the minorant of two chords of shifted-interpolation/derived-1.
///
/// Domain of all: s >= 0 and diameter >= 0 finite, counts integers >= 1 that may be infinite where said.
/// Accuracy: sums are the middles of balls that are a double wide, the sequences and horizons relative 2e-15. Cost:
/// about 5 us.
/// \throws DomainError  for values outside the domain.
#pragma once

#include <vector>

#include <dpcurves/interpolation/contraction.hpp>

namespace dpcurves::interpolation {

/// Shifts, distances and interpolation weights of an optimum; one entry per step.
struct ShiftSequences {
  std::vector<double> a;       ///< shifts paid, >= 0
  std::vector<double> z;       ///< distances left, the last 0
  std::vector<double> lambda;  ///< a / (a + z), in [0, 1]
};

/// Lemma C.6: constant c and s, start at distance 0, t steps (may be infinite): s^2 tanh(th/2)/tanh(h/2), c = e^-h.
[[nodiscard]] double strongly_convex_optimum(const Contraction& contraction, double s, double t);
/// The sequences of Lemma C.6, t finite and at most 1e8.
[[nodiscard]] ShiftSequences strongly_convex_sequences(const Contraction& contraction, double s, double t);

/// Lemma C.8: c = 1, start at distance D, n steps: n (s + D/n)^2.
[[nodiscard]] double convex_diameter_optimum(double s, double diameter, double n);
/// The sequences of Lemma C.8, n at most 1e8.
[[nodiscard]] ShiftSequences convex_diameter_sequences(double s, double diameter, double n);

/// Constant c and s, start at distance D, n steps; Lemma C.8 for c = 1.
[[nodiscard]] double constrained_optimum(const Contraction& contraction, double s, double diameter, double n);
/// The real horizon n that minimises constrained_optimum; infinite if D >= s/(1 - c), where a diameter never helps.
[[nodiscard]] double constrained_horizon(const Contraction& contraction, double s, double diameter);
/// The minimum over real n: (1 + c) D (2 s - (1 - c) D); s^2 (1 + c)/(1 - c) if D >= s/(1 - c).
[[nodiscard]] double constrained_infimum(const Contraction& contraction, double s, double diameter);

/// Lemma C.10: cyclic batches, the differing batch last of l, from distance 0 to just before the last differing
/// step of E epochs (may be infinite). The whole problem costs s^2 more.
[[nodiscard]] double cyclic_optimum_before_last(const Contraction& contraction, double s, double l, double E);

/// Lemma C.11 as used by Theorem 4.6: c = 1, distance D one step before a differing step, n epochs remain:
/// (D + s n)^2/(l n). Feasible for every n >= 1.
[[nodiscard]] double cyclic_convex_feasible(double s, double diameter, double l, double n);

/// Cyclic batches with the differing one at `position` 1..l, from distance 0 over all l E steps (E may be infinite):
/// the exact optimum, one chord or two.
[[nodiscard]] double cyclic_optimum(const Contraction& contraction, double s, double l, double E, double position);

/// Cyclic batches with the differing one last, started at distance D right after a differing step, n epochs
/// remaining (l n >= 2, n may be infinite).
struct CyclicConstrained {
  double before_last = 0.0;  ///< one chord up to the last differing step, which then costs s^2 by itself
  double whole = 0.0;        ///< the optimum: that sum, or one chord over all steps where it is smaller
  bool feasible = true;      ///< n = 1, or D >= s c^l T_(l-1)/T_l with T_j the sum of c^(2i), i < j (c = 1:
                             ///< D >= s (l - 1)/l). Otherwise both values are too small, and n = 1 is the best start.
};
/// \param diameter  D >= 0. \param l  batches per epoch. \param n  epochs that remain.
[[nodiscard]] CyclicConstrained cyclic_constrained(const Contraction& contraction, double s, double diameter, double l,
                                                   double n);
/// The real n that minimises `before_last`: (2 - l)/l plus the one that minimises one chord over all steps, which is
/// log(1 - D (1 - c^l)/s)/(l log c), for c = 1 D/s; infinite where the diameter never helps.
[[nodiscard]] double cyclic_constrained_horizon(const Contraction& contraction, double s, double diameter, double l);
/// The least `whole` over the starts: integers 1 <= n <= E - 1 and the start at step 0 with distance 0. E may be
/// infinite. Where n is the best, `remaining_epochs` is n, otherwise E.
struct CyclicBest {
  double optimum = 0.0;           ///< the sum of squared shifts
  double remaining_epochs = 0.0;  ///< epochs from the start of the interpolation to the end
  bool uses_diameter = false;     ///< false: the start at step 0 is the best
};
/// Cost: a few evaluations of `whole`.
[[nodiscard]] CyclicBest cyclic_constrained_best(const Contraction& contraction, double s, double diameter, double l,
                                                 double E);

}  // namespace dpcurves::interpolation

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The law of a statistic that adds up over the steps, on a lattice: what additive_test.hpp rests on. Internal.
///
/// Source: docs/theory/accountant/positions.md.
#pragma once

#include <utility>
#include <vector>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/accounting/detail/geometric_weights.hpp>
#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// Log moment, mean and variance of one step's statistic under a tilt: where to look, no part of a guarantee.
struct StepLaw {
  double log_moment = 0.0;  ///< of the untilted law
  double mean = 0.0;        ///< tilted
  double variance = 0.0;    ///< tilted
};

/// The statistic in cells of one height, index k standing for k times the height, with the masses of its laws.
struct CutStatistic {
  double height = 1.0;             ///< of a cell
  long first = 0;                  ///< index of the first mass
  std::vector<double> null{};      ///< under N(0, 1)
  std::vector<double> shifted{};   ///< under N(mu, 1)
  std::vector<double> opposite{};  ///< under N(-mu, 1), where a record is replaced
};

/// log(1 - q + q e^{mu x - mu^2/2}), or that at x less that at -x where a record is replaced.
class Statistic {
 public:
  /// \param mu  > 0. \param rate  q in (0, 1).
  Statistic(double mu, double rate, bool replaced) : mu_(mu), rate_(rate), replaced_(replaced) {}

  /// The statistic of one output.
  [[nodiscard]] double value(double x) const { return replaced_ ? ratio(x) - ratio(-x) : ratio(x); }
  /// The x of a value; -infinity below the range.
  [[nodiscard]] double inverse(double y) const;
  [[nodiscard]] double least() const;  ///< of the values that matter
  [[nodiscard]] double most() const;   ///< of the same
  /// Those at the nodes of a trapezoidal rule, which serve all tilts.
  [[nodiscard]] std::vector<double> values() const;
  /// Moments by that rule under e^{c value}. \param values  values(). \param shifted  of a step with the record.
  [[nodiscard]] StepLaw tilted(const std::vector<double>& values, double c, bool shifted) const;
  /// Edges are the doubles that are computed, so that all laws have the same cells.
  [[nodiscard]] CutStatistic cut(double height) const;

 private:
  [[nodiscard]] double ratio(double x) const;
  [[nodiscard]] double step() const;  // of the rule

  double mu_;
  double rate_;
  bool replaced_;
};

/// How many steps are shifted, as weights.
struct Counts {
  double steps;                ///< all
  double fewest;               ///< the number that weight[0] stands for
  std::vector<double> weight;  ///< at most 1 together
};

/// The counts of a test, without those of negligible weight.
[[nodiscard]] Counts trimmed(const AdditiveTest& test);

/// The tilt of the first law of the pair where its Chernoff bound at `target` is best, and the spread of the sum there.
struct Saddle {
  double c;          ///< of the first law; the second has one more
  double deviation;  ///< of the sum
};
/// \param target  the loss that the test is about.
[[nodiscard]] Saddle saddle(const Statistic& statistic, const Counts& counts, double target, Direction direction);

/// The law of the sum over the steps on a window of indices, under an exponential tilt: the probability of index s is
/// e^{log_moment - tilt s} (tilted_s +- rounding), with what lies outside the window wrapped into it.
class SumLaw {
 public:
  /// \param used    masses of a step with the record. \param length  of the window.
  SumLaw(const CutStatistic& cells, const std::vector<double>& used, const Counts& counts, double tilt,
         std::size_t length);

  [[nodiscard]] long first() const { return first_; }                                    ///< index
  [[nodiscard]] long end() const { return first_ + static_cast<long>(tilted_.size()); }  ///< one past the last
  [[nodiscard]] Enclosure tail(long s, bool up) const;     ///< of indices >= s, or <= s: both ends
  [[nodiscard]] std::vector<double> tails(bool up) const;  ///< of all indices, without the errors
  /// What takes the tilt away again, of the indices from first() on.
  [[nodiscard]] GeometricWeights weights_of_window() const {
    return {log_moment_ - tilt_ * static_cast<double>(first_), -tilt_};
  }
  [[nodiscard]] double noise() const;  ///< about what the tail from an index on may be off by, over its weight

 private:
  struct Tilted {
    double log_moment;
    double mean;
    std::vector<double> mass;  // together 1
  };
  // The index whose tilted weight is 1, and the weights of all.
  static std::pair<double, GeometricWeights> tilts(std::size_t size, long first, double tilt);
  static double log_moment_of(const std::vector<double>& mass, long first, double tilt);
  static Tilted tilt_masses(const std::vector<double>& mass, long first, double tilt);
  static double mixed(const Counts& counts, double null, double shifted, std::vector<double>* weights);
  void transform(const Tilted& null, const Tilted& shifted, const Counts& counts, const std::vector<double>& weight,
                 double middle, long first, std::size_t length);

  double tilt_;
  double log_moment_ = 0.0;
  long first_ = 0;
  std::vector<double> tilted_;
  double rounding_ = 0.0;
  double relative_ = 0.0;
  double log_above_ = 0.0;
  double log_below_ = 0.0;
};

/// Lower ends by the best of the tests at `factors` times test.rate; 0 where epsilon is below 0 or above 700.
[[nodiscard]] LowerEnd lower_end(AdditiveTest test, std::vector<double> factors);

}  // namespace dpcurves::accounting::detail

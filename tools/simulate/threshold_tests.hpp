// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Threshold tests between draws of two neighbours, held to the trade-off function that a theorem or a claim allows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/io/plot.hpp>

#include "support/claim.hpp"
#include "support/options.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {

/// What the draws try to break.
struct Bound {
  std::string name;    ///< the id of the theorem, or the claim as typed
  std::string legend;  ///< the same in a picture
  std::function<std::vector<double>(std::span<const double>)> least_type_two_errors;
  std::optional<Enclosure> mu{};  ///< the least for which the bound is mu-GDP, where it is known
  std::optional<double> delta{};  ///< of a claimed epsilon

  /// The name, with the delta that belongs to it.
  [[nodiscard]] std::string words() const;
};

/// The lower ends of a theorem's curve.
[[nodiscard]] Bound bound_of(const accounting::Guarantee& theorem, accounting::CurvePtr curve);

/// Where and how the tests are made.
struct Testing {
  std::vector<double> type_one_errors{0.01, 0.05, 0.1, 0.25, 0.4};
  double miss = 1e-6;  ///< of one interval
};

/// What a typed claim allows.
[[nodiscard]] Bound bound_of_claim(const Claim& claim);

/// The one that promises the least epsilon at delta. \throws DomainError  where none applies.
[[nodiscard]] const accounting::Guarantee& best_guarantee(const std::vector<accounting::Guarantee>& guarantees,
                                                          double delta);
/// \param id  as it is, or shortened: "4.9". \throws UsageError, DomainError  where there is none, or it does not
/// apply.
[[nodiscard]] const accounting::Guarantee& guarantee_named(const std::vector<accounting::Guarantee>& guarantees,
                                                           const std::string& id);

/// --type-one-errors and --miss.
[[nodiscard]] Testing testing_of(const Values& values);

/// The options that say so, with --paths and --plot. \param paths  help of --paths.
[[nodiscard]] std::vector<Option> testing_options(const std::string& paths);

/// Draws of a statistic: `count` of them from path `first` on, under the null or the alternative.
using Draw = std::function<std::vector<double>(bool null, std::size_t count, std::uint32_t first, unsigned threads)>;

/// Threshold tests between draws of two laws, which are counted and not kept: the last loop of a simulation. A pilot
/// under the null places the thresholds.
[[nodiscard]] std::vector<inference::TradeoffPoint> tests_of_draws(const Draw& draw, std::size_t paths,
                                                                   const Common& common, const Testing& testing);

/// Threshold tests against the bound.
struct Tests {
  std::vector<inference::TradeoffPoint> points;
  std::vector<double> bounds{};  ///< least type II errors at the observed type I errors
  std::vector<bool> broken{};
  std::vector<std::string> rejected{};  ///< the values that a test rejects, "" where it has a threshold; or empty
  double miss = 0.0;                    ///< of one interval
  bool refuted = false;
  /// The largest factor of mu, at the type I error of a test, with which the bound would be refuted; 1 if it is.
  double resolution = 0.0;
};

/// One call of the bound for all points: a composition shares its work between them.
[[nodiscard]] Tests tested(std::vector<inference::TradeoffPoint> points, const Bound& bound, double miss);

/// What the tests are of, and whether they refute it. \param theorem  it is that of one, not a claim.
[[nodiscard]] std::string title_of(const std::string& process, bool theorem, const Tests& tests);

/// The bound below its curve, the tests with their intervals, and the line of perfect privacy.
[[nodiscard]] io::Plot picture(const std::string& title, const Bound& bound,
                               const std::vector<inference::TradeoffPoint>& points);

/// The table of the tests and the verdict. \param theorem  the bound is that of one, not a claim.
[[nodiscard]] Simulation report_of(const std::string& heading, const Bound& bound, bool theorem, const Tests& tests);

}  // namespace dpcurves::tools

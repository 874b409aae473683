// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/threshold_tests.hpp"

#include <algorithm>
#include <utility>

#include <dpcurves/core/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/json_record.hpp"
#include "support/means.hpp"
#include "validation/resolution.hpp"

namespace dpcurves::tools {
namespace {

using inference::TradeoffPoint;

double observed_type_one_error(const TradeoffPoint& point) {
  return static_cast<double>(point.false_positives) / static_cast<double>(point.trials_p);
}

double observed_type_two_error(const TradeoffPoint& point) {
  return static_cast<double>(point.false_negatives) / static_cast<double>(point.trials_q);
}

}  // namespace

Bound bound_of(std::string theorem, accounting::CurvePtr curve) {
  const auto mu = curve->mu();
  return {std::move(theorem),
          [curve = std::move(curve)](std::span<const double> type_one_errors) {
            std::vector<double> least;
            for (const Enclosure& value : curve->type_two_errors(type_one_errors)) {
              least.push_back(value.lower);
            }
            return least;
          },
          mu};
}

Testing testing_of(const Values& values) {
  const Testing usual;
  return {values.numbers_or("type-one-errors", usual.type_one_errors), values.number_or("miss", usual.miss)};
}

io::Plot picture(const std::string& title, const Bound& bound, const std::vector<TradeoffPoint>& points) {
  constexpr int resolution = 400;
  std::vector<double> grid;
  for (int i = 0; i <= resolution; ++i) {
    const double part = static_cast<double>(i) / resolution;
    grid.push_back(part * part);  // denser near 0, where the curve is steep
  }
  const auto tests =
      io::points("simulation", all_of(points, observed_type_one_error), all_of(points, observed_type_two_error),
                 all_of(points, [](const TradeoffPoint& at) { return at.type_two_error.lower; }),
                 all_of(points, [](const TradeoffPoint& at) { return at.type_two_error.upper; }));
  // Steps below the curve: a chord between two of its points would show more privacy than is guaranteed.
  return {title,
          {"type I error", false, 0.0, 1.0},
          {"type II error", false, 0.0, 1.0},
          io::Legend::automatic,
          {io::steps(bound.name, grid, bound.least_type_two_errors(grid), io::Side::below), tests,
           io::dashed("perfect privacy", {0.0, 1.0}, {1.0, 0.0})}};
}

Tests tested(std::vector<TradeoffPoint> points, const Bound& bound, double miss) {
  Tests tests;
  tests.points = std::move(points);
  std::vector<double> at;
  for (const TradeoffPoint& point : tests.points) {
    at.push_back(observed_type_one_error(point));
    at.push_back(std::min(point.type_one_error.upper, 1.0));
  }
  const auto allowed = bound.least_type_two_errors(at);
  for (std::size_t i = 0; i < tests.points.size(); ++i) {
    const TradeoffPoint& point = tests.points[i];
    const double least = allowed[2 * i + 1];
    tests.bounds.push_back(allowed[2 * i]);
    tests.broken.push_back(inference::refuted(point, [least](double) { return least; }));
    tests.refuted = tests.refuted || tests.broken.back();
    const double claimed = tradeoff::mu_of_point(at[2 * i + 1], std::clamp(least, 0.0, 1.0));
    const Enclosure mu = point.effective_mu_interval;
    const auto measured =
        validation::Measurement::at_most(point.effective_mu.value, claimed).interval(mu.lower, mu.upper, 2.0 * miss);
    tests.resolution = std::max(tests.resolution, validation::resolution(measured).value_or(0.0));
  }
  return tests;
}

Simulation report_of(const std::string& heading, const Bound& bound, bool theorem, const Tests& tests, double miss) {
  Results results({{"threshold"},
                   {"type_one_error"},
                   {"type_two_error"},
                   {"", "type_one_error", "type I error", 4},
                   {"", "type_two_error", "type II error", 5},
                   {"", "type_two_error_lower"},
                   {"", "type_two_error_upper"},
                   {"", "", "interval"},
                   {"effective_mu", "effective_mu", "mu", 5},
                   {"standard_error", "standard_error", "+-", 2},
                   {"guarantee", "guarantee", "bound", 5},
                   {"refuted"},
                   {"", "", " "}});
  for (std::size_t row = 0; row < tests.points.size(); ++row) {
    const TradeoffPoint& point = tests.points[row];
    const double a = observed_type_one_error(point), b = observed_type_two_error(point), least = tests.bounds[row];
    const bool broken = tests.broken[row];
    const Enclosure one = point.type_one_error, two = point.type_two_error;
    results.add({point.threshold, Json{{"estimate", a}, {"lower", one.lower}, {"upper", one.upper}},
                 Json{{"estimate", b}, {"lower", two.lower}, {"upper", two.upper}}, a, b, two.lower, two.upper,
                 "[" + rounded(two.lower, 5) + ", " + rounded(two.upper, 5) + "]", point.effective_mu.value,
                 point.effective_mu.error, least, broken, broken ? "REFUTED" : "holds"});
  }
  Simulation found = results.found(heading, {{"theorem", theorem ? Json(bound.name) : Json(nullptr)},
                                             {"claim", theorem ? Json(nullptr) : Json(bound.name)},
                                             {"mu", bound.mu ? ends(*bound.mu) : Json(nullptr)},
                                             {"refuted", tests.refuted},
                                             {"verdict", tests.refuted ? "refuted" : "holds"},
                                             {"resolution", number(tests.resolution)}});
  found.refuted = tests.refuted;
  found.text += (theorem ? "guarantee: " : "claim: ") + bound.name +
                (bound.mu ? ", mu <= " + rounded(bound.mu->upper, 8) : std::string()) +
                "; the bound is the least type II error that it allows\n";
  found.text += tests.refuted ? "verdict: refuted\n"
                              : "verdict: holds; resolution " + rounded(tests.resolution, 3) +
                                    ": with mu that many times as large it would be refuted\n";
  found.text += "intervals are exact; each misses with probability " + shortest(miss) + "\n";
  return found;
}

}  // namespace dpcurves::tools

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/threshold_tests.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/json_record.hpp"
#include "support/means.hpp"
#include "validation/resolution.hpp"

namespace dpcurves::tools {
namespace {

using accounting::Guarantee;
using inference::TradeoffPoint;

double observed_type_one_error(const TradeoffPoint& point) {
  return static_cast<double>(point.false_positives) / static_cast<double>(point.trials_p);
}

double observed_type_two_error(const TradeoffPoint& point) {
  return static_cast<double>(point.false_negatives) / static_cast<double>(point.trials_q);
}

/// The first few of a list of values.
std::string named_values(const std::string& values) {
  constexpr std::size_t most = 24;
  const auto end = values.size() <= most ? values.size() : values.rfind(',', most);
  return end >= values.size() ? values : values.substr(0, end) + ", ...";
}

/// How many draws are no less than each threshold.
std::vector<std::uint64_t> above(const std::vector<double>& thresholds, const std::vector<double>& draws) {
  std::vector<std::uint64_t> counts;
  for (const double threshold : thresholds) {
    counts.push_back(static_cast<std::uint64_t>(
        std::count_if(draws.begin(), draws.end(), [&](double x) { return !(x < threshold); })));
  }
  return counts;
}

}  // namespace

const Guarantee& best_guarantee(const std::vector<Guarantee>& guarantees, double delta) {
  const Guarantee* best = nullptr;
  double least = 0.0;
  for (const Guarantee& guarantee : guarantees) {
    if (guarantee.promised()) {
      const double epsilon = guarantee.curve->epsilon(delta).value.upper;
      if (best == nullptr || epsilon < least) {
        best = &guarantee;
        least = epsilon;
      }
    }
  }
  if (best == nullptr) {
    throw DomainError("no theorem applies to this setting");
  }
  return *best;
}

const Guarantee& guarantee_named(const std::vector<Guarantee>& guarantees, const std::string& id) {
  std::string known;
  for (const Guarantee& guarantee : guarantees) {
    if (catalogue::means(id, guarantee.theorem)) {
      if (guarantee.applies()) {
        return guarantee;
      }
      throw DomainError("--theorem: " + guarantee.theorem + " does not apply: " + describe(guarantee.violations));
    }
    known += (known.empty() ? "" : ", ") + guarantee.theorem;
  }
  throw UsageError("--theorem: " + id + " does not speak of this algorithm; there are " + known);
}

std::vector<Option> testing_options(const std::string& paths) {
  const char* answer = "What is tested";
  const Testing usual;
  std::vector<std::string> errors;
  std::transform(usual.type_one_errors.begin(), usual.type_one_errors.end(), std::back_inserter(errors), shortest);
  return {{"paths", OptionKind::count, "[100, 100000000]", paths, answer},
          {"type-one-errors", OptionKind::numbers, "(0, 1) = " + joined(errors, ","), "where to test", answer},
          {"miss", OptionKind::number, "(0, 1) = " + shortest(usual.miss), "chance that one interval misses", answer},
          queries::plot_option("draw", answer)};
}

std::vector<TradeoffPoint> tests_of_draws(const Draw& draw, std::size_t paths, const Common& common,
                                          const Testing& testing) {
  constexpr std::uint32_t pilot_from = 0x80000000U, alternative_from = 0x40000000U;
  constexpr std::size_t pilot_paths = 2000;
  const auto thresholds =
      inference::pilot_thresholds(draw(true, pilot_paths, pilot_from, common.threads), testing.type_one_errors);
  struct Counts {  // of draws above each threshold
    std::vector<std::uint64_t> null, alternative;
  };
  constexpr std::size_t block = 500;
  std::vector<Counts> counts((paths + block - 1) / block);
  last_loop(
      common, "simulating", counts.size(),
      [&](std::size_t i) {
        const auto first = static_cast<std::uint32_t>(i * block);
        const std::size_t count = std::min(block, paths - i * block);
        counts[i] = {above(thresholds, draw(true, count, first, 1)),
                     above(thresholds, draw(false, count, alternative_from + first, 1))};
      },
      [&](std::size_t i, Archive& archive) { archive(counts[i].null, counts[i].alternative); });
  std::vector<inference::TradeoffPoint> points;
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    std::uint64_t false_positives = 0, positives = 0;
    for (const Counts& one : counts) {
      false_positives += one.null[k];
      positives += one.alternative[k];
    }
    points.push_back(inference::tradeoff_point(false_positives, paths, paths - positives, paths, testing.miss));
    points.back().threshold = thresholds[k];
  }
  return points;
}

Bound bound_of(const Guarantee& theorem, accounting::CurvePtr curve) {
  const auto mu = curve->mu();
  return {theorem.theorem, queries::legend_of(theorem.title, theorem.theorem),
          [curve = std::move(curve)](std::span<const double> type_one_errors) {
            return mapped(curve->type_two_errors(type_one_errors), [&](const Enclosure& value) { return value.lower; });
          },
          mu};
}

Bound bound_of_claim(const Claim& claim) {
  Bound bound{claim.text, claim.text, [claim](std::span<const double> type_one_errors) {
                return mapped(type_one_errors, [&](double a) { return claim.type_two_error(a); });
              }};
  if (claim.kind == Claim::Kind::mu) {
    bound.mu = Enclosure{claim.value, claim.value};
  } else {
    bound.delta = claim.delta;
    bound.legend = bound.words();
  }
  return bound;
}

std::string Bound::words() const { return name + (delta ? ", delta = " + shortest(*delta) : ""); }

Testing testing_of(const Values& values) { return {values.numbers("type-one-errors"), values.number("miss")}; }

std::string title_of(const std::string& process, bool theorem, const Tests& tests) {
  return process + ": simulated tests " + (tests.refuted ? "refute " : "against ") +
         (theorem ? "the guarantee" : "the claim");
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
          {io::steps(bound.legend, grid, bound.least_type_two_errors(grid), io::Side::below), tests,
           io::dashed("perfect privacy", {0.0, 1.0}, {1.0, 0.0})}};
}

Tests tested(std::vector<TradeoffPoint> points, const Bound& bound, double miss) {
  Tests tests{.points = std::move(points), .miss = miss};
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

Simulation report_of(const std::string& heading, const Bound& bound, bool theorem, const Tests& tests) {
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
                   {"", "", "verdict"}});
  constexpr double rounding = 1e-12;  // of a mu near 0
  for (std::size_t row = 0; row < tests.points.size(); ++row) {
    const TradeoffPoint& point = tests.points[row];
    const double a = observed_type_one_error(point), b = observed_type_two_error(point), least = tests.bounds[row];
    const bool broken = tests.broken[row];
    const Enclosure one = point.type_one_error, two = point.type_two_error;
    const double mu = point.effective_mu.value;
    const bool seen = !std::isnan(mu);  // not where a test never errs, or always
    const std::string rejected = row < tests.rejected.size() ? tests.rejected[row] : "";
    results.add({point.threshold, Json{{"estimate", a}, {"lower", one.lower}, {"upper", one.upper}},
                 Json{{"estimate", b}, {"lower", two.lower}, {"upper", two.upper}}, a, b, two.lower, two.upper,
                 "[" + rounded_down(two.lower, 5) + ", " + rounded_up(two.upper, 5) + "]",
                 seen ? Json(std::abs(mu) < rounding ? 0.0 : mu) : Json(nullptr),
                 seen ? Json(point.effective_mu.error) : Json(nullptr), least, broken,
                 (broken ? "REFUTED" : "holds") + (rejected.empty() ? "" : ", rejecting " + named_values(rejected))});
    if (!rejected.empty()) {
      results.add_keys({{"rejected", rejected}});
    }
  }
  Simulation found = results.found(heading, {{"theorem", theorem ? Json(bound.name) : Json(nullptr)},
                                             {"claim", theorem ? Json(nullptr) : Json(bound.name)},
                                             {"mu", bound.mu ? ends(*bound.mu) : Json(nullptr)},
                                             {"refuted", tests.refuted},
                                             {"verdict", tests.refuted ? "refuted" : "holds"},
                                             {"resolution", number(tests.resolution)}});
  found.refuted = tests.refuted;
  found.text += (theorem ? "guarantee: " : "claim: ") + bound.words() +
                (bound.mu ? ", mu <= " + rounded_up(bound.mu->upper, 8) : std::string()) +
                "; the bound is the least type II error that it allows\n";
  found.text += tests.refuted ? "verdict: refuted\n"
                : tests.resolution > 0.0
                    ? "verdict: holds; resolution " + rounded(tests.resolution, 3) +
                          (bound.mu ? ": with mu that many times as large it would be refuted\n"
                                    : ": with that many times its mu at every point it would be refuted\n")
                    : "verdict: holds; resolution 0: no smaller mu would be refuted by so few runs\n";
  found.text += "intervals are exact; each misses with probability " + shortest(tests.miss) + "\n";
  return found;
}

}  // namespace dpcurves::tools

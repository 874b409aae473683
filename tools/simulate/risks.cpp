// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the simulations of private learning share: options, runs side by side, and rows of risks beside their bounds.
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/io/plot.hpp>

#include "simulate/glm.hpp"
#include "support/means.hpp"

namespace dpcurves::tools {
namespace {

using bounds::PhasedSetting;
using models::PhasedAlgorithm;

}  // namespace

bool projects(const std::string& algorithm) {
  return algorithm == "projected" || algorithm == "projected-smoothed" || algorithm == "fast-projected-smoothed";
}

PhasedAlgorithm kind_of(const std::string& algorithm) {
  const bool smoothed = algorithm.find("smoothed") != std::string::npos;
  return projects(algorithm) ? (smoothed ? PhasedAlgorithm::projected_smoothed : PhasedAlgorithm::projected)
                             : (smoothed ? PhasedAlgorithm::smoothed : PhasedAlgorithm::plain);
}

double projected_dimension(const Values& values, const PhasedSetting& s) {
  const double least =
      values.flag("renormalise")
          ? 1.0
          : bounds::johnson_lindenstrauss_event(1.0, static_cast<double>(s.records), s.delta).least_dimension;
  return values.has("projected-dimension") ? values.number("projected-dimension")
                                           : bounds::projected_plan(s, least).setting.projected_dimension;
}

void note_once(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
    notes.push_back(note);
  }
}

void note_privacy(std::vector<std::string>& notes, const std::string& algorithm, const PhasedSetting& s,
                  bool renormalised) {
  const auto kind = kind_of(algorithm);
  for (const auto& violation : bounds::verdict(kind, s).violations) {
    note_once(notes, algorithm + ": privacy asks for " + violation.assumption + "; here " + violation.found);
  }
  if (projects(algorithm) && !renormalised) {
    const auto event =
        bounds::johnson_lindenstrauss_event(s.projected_dimension, static_cast<double>(s.records), s.delta);
    if (!event.enough) {
      note_once(notes, algorithm + ": m = " + shortest(s.projected_dimension) +
                           " is too small for privacy at n = " + std::to_string(s.records) + "; at least " +
                           shortest(event.least_dimension) + ", or --renormalise");
    }
  }
}

std::vector<Option> risk_simulation_options(const std::string& records) {
  return {{"records", OptionKind::numbers, "[2, 1000000000] = " + records, "n, a list"},
          {"epsilon", OptionKind::number, "(0, inf] = 1", "of the printed noise; inf: no noise"},
          {"delta", OptionKind::number, "(0, 1) = 1e-5", "of the printed noise"},
          {"parameter-norm", OptionKind::number, "[0, inf) = 1", "W = |w*|"},
          {"paths", OptionKind::count, "[2, 10000000] = 24", "runs per row", run_group},
          queries::plot_option("draw", run_group)};
}

inference::Moments measure(std::size_t paths, const Common& common, const std::string& label,
                           const std::function<double(std::uint32_t path)>& one) {
  std::vector<double> sample(paths);
  ProgressBar bar(label, common);
  shared_for(
      paths, common.threads, [&](std::size_t path) { sample[path] = one(static_cast<std::uint32_t>(path)); },
      [&](std::size_t path, Archive& archive) { archive(sample[path]); }, bar.follow());
  return inference::moments(sample);
}

Simulation report_risks(const std::string& process, const std::string& quantity, const std::vector<MeasuredRisk>& rows,
                        const std::vector<std::string>& notes, const Asked& asked) {
  Sharing::last_loop_done();
  bool refuted = false, any_claimed = false;
  Results results({{"algorithm", "algorithm"},
                   {"records", "records", "records"},
                   {"", "", "algorithm"},
                   {"risk", "risk", quantity, 4},
                   {"standard_error", "standard_error", "+-", 2},
                   {"lower", "lower"},
                   {"upper", "upper"},
                   {"bound", "bound"},
                   {"", "", "bound"},
                   {"theorem"},
                   {"", "", "theorem"},
                   {"refuted"},
                   {"", "", "verdict"}});
  for (const auto& row : rows) {
    const double low = row.risk.mean - 2.0 * row.risk.mean_error, high = row.risk.mean + 2.0 * row.risk.mean_error;
    const bool claimed = !std::isnan(row.bound);
    const bool above = claimed && row.risk.mean - inference::standard_errors * row.risk.mean_error > row.bound;
    refuted = refuted || above;
    any_claimed = any_claimed || claimed;
    results.add({row.algorithm, row.records, row.algorithm, row.risk.mean, row.risk.mean_error, low, high, row.bound,
                 claimed ? rounded(row.bound, 5) : "-", row.theorem.empty() ? Json(nullptr) : Json(row.theorem),
                 row.theorem.substr(row.theorem.find('/') + 1), above,
                 std::isnan(row.risk.mean) ? "no result" : (claimed ? (above ? "REFUTED" : "holds") : "")});
    results.add_keys(row.details);
  }
  io::Plot plot{process + ": " + quantity, {"records n", true}, {quantity, true}};
  int colour = 0;
  std::vector<std::string> done;
  for (const auto& first : rows) {
    if (std::find(done.begin(), done.end(), first.algorithm) != done.end()) {
      continue;
    }
    done.push_back(first.algorithm);
    io::Series means = io::points(first.algorithm, {}, {});
    std::vector<double> bound;
    for (const auto& row : rows) {
      if (row.algorithm == first.algorithm) {
        add_mean(means, row.records, row.risk);
        means.lower.back() = std::max(means.lower.back(), 0.05 * row.risk.mean);
        bound.push_back(row.bound);
      }
    }
    io::Series bounds = io::line("bound, " + first.algorithm, means.x, bound);
    means.colour = bounds.colour = colour++;
    plot.series.push_back(std::move(means));
    if (!std::isnan(bound.front())) {
      plot.series.push_back(std::move(bounds));
    }
  }
  Simulation found = results.found(process + ", " + shortest(asked.values.number("paths")) + " runs per row, seed " +
                                       std::to_string(asked.common.seed),
                                   {{"quantity", quantity}, {"notes", notes}, {"refuted", refuted}});
  for (const auto& note : notes) {
    found.text += note + "\n";
  }
  if (any_claimed) {
    found.text +=
        "bounds are on the mean over records, noise and projections; a row is refuted if its mean lies 6.5 "
        "standard errors above\n";
  }
  found.refuted = refuted;
  found.plot = std::move(plot);
  return found;
}

}  // namespace dpcurves::tools

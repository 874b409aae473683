// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Mechanisms whose privacy is a composition: the Gaussian mechanism, and mixtures of subsampled Gaussians.
#include <cmath>
#include <limits>
#include <sstream>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/algorithm.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Composition;
using accounting::Guarantee;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Guarantee> gaussian_guarantees(const Values& values, const Target& /*target*/) {
  const double mu = std::sqrt(values.number("compositions")) / values.number("noise-multiplier");
  Guarantee guarantee;
  guarantee.theorem = "shifted-interpolation/lemma-a.2";
  guarantee.title = "composition of Gaussian mechanisms";
  guarantee.assumed = {"each record moves each released sum by at most the clipping norm (add or remove one record)"};
  if (std::isinf(mu)) {
    guarantee.violations = {{"a finite number of compositions", "unlimited", "a number of compositions"}};
  } else {
    constexpr double rounding = 4.5e-16;  // a square root and a division
    guarantee.curve = accounting::gaussian_curve(outward(exactly(mu), rounding));
  }
  return {guarantee};
}

/// "COUNT:SAMPLING_RATE:MU"
accounting::SubsampledGaussian read_component(const std::string& text) {
  std::istringstream stream(text);
  std::vector<double> parts;
  for (std::string part; std::getline(stream, part, ':');) {
    double value = 0.0;
    if (!read_number(part, value)) {
      throw UsageError("--component: \"" + part + "\" in \"" + text +
                       "\" is not a number; write COUNT:SAMPLING_RATE:MU");
    }
    parts.push_back(value);
  }
  if (parts.size() != 3) {
    throw UsageError("--component: \"" + text + "\" is not of the form COUNT:SAMPLING_RATE:MU");
  }
  if (!(parts[0] >= 0.0 && parts[0] <= 1e15 && parts[0] == std::floor(parts[0]))) {
    throw UsageError("--component: the count in \"" + text + "\" is outside the whole numbers [0, 1e15]");
  }
  if (!Range("[0, 1]").contains(parts[1])) {
    throw UsageError("--component: the sampling rate in \"" + text + "\" is outside [0, 1]");
  }
  if (!Range("[0, inf)").contains(parts[2])) {
    throw UsageError("--component: mu in \"" + text + "\" is outside [0, inf)");
  }
  return {parts[1], parts[2], parts[0]};
}

std::vector<Guarantee> composition_guarantees(const Values& values, const Target& target) {
  const double repetitions = values.number_or("repetitions", 1.0);
  Composition composition;
  composition.gaussian_mu = values.number_or("gaussian", 0.0) * std::sqrt(repetitions);
  for (const auto& text : values.texts("component")) {
    composition.components.push_back(read_component(text));
    composition.components.back().count *= repetitions;
  }
  if (composition.components.empty() && !values.has("gaussian")) {
    throw UsageError("--component: give at least one, or --gaussian");
  }
  Guarantee exact;
  exact.theorem = "shifted-interpolation/derived-6";
  exact.title = "certified composition";
  exact.assumed = {"each component is the symmetrised subsampled Gaussian C_p(G(mu))"};
  Guarantee limit;
  limit.theorem = "shifted-interpolation/lemma-a.5";
  limit.title = "central limit";
  limit.certified = false;
  constexpr double largest_count = 1e15;
  bool countable = true;
  for (const auto& component : composition.components) {
    countable = countable && component.count <= largest_count;
  }
  if (!countable || std::isinf(composition.gaussian_mu)) {
    exact.violations = limit.violations = {
        {"at most 1e15 steps of one kind", "more, or unlimited", "a number of steps of at most 1e15"}};
    return {exact, limit};
  }
  accounting::Accuracy accuracy;
  accuracy.relative = target.accuracy.value_or(values.number_or("accuracy", accuracy.relative));
  accuracy.verify = values.flag("verify");
  exact.curve = accounting::composition_curve(composition, accuracy);
  double mu = composition.gaussian_mu;
  for (const auto& component : composition.components) {
    mu = std::hypot(mu, accounting::central_limit(component.sampling_rate, component.mu, component.count).mu_clt);
  }
  if (std::isfinite(mu)) {
    limit.curve = accounting::gaussian_curve(exactly(mu));
  } else {
    limit.violations = {{"a finite limit", "mu overflows", "a smaller mu or fewer steps"}};
  }
  return {exact, limit};
}

}  // namespace

std::vector<Algorithm> mechanism_algorithms() {
  Algorithm gaussian;
  gaussian.name = "gaussian";
  gaussian.summary = "the Gaussian mechanism, composed";
  gaussian.example = "--noise-multiplier 10 --compositions 100";
  gaussian.calibration_example = "noise-multiplier --compositions 100";
  gaussian.options = {
      {"noise-multiplier", OptionKind::number, "(0, inf)", "noise standard deviation over the clipping norm", "Required",
       {"sigma"}},
      {"compositions", OptionKind::count, "[1, inf]", "how often the mechanism is used, or unlimited",
       "Required"}};
  gaussian.unknowns = {{"noise-multiplier", false, true, 0.0, infinity, {}},
                       {"compositions", true, false, 1.0, infinity, {}}};
  gaussian.guarantees = gaussian_guarantees;

  Algorithm composition;
  composition.name = "composition";
  composition.summary = "any mixture of Gaussian and subsampled Gaussian mechanisms";
  composition.example = "--component 2000:0.01:0.5 --component 1:0.01:0.7 --gaussian 0.1";
  composition.calibration_example = "repetitions --component 100:0.01:0.5";
  composition.options = {
      {"component", OptionKind::texts, "", "COUNT:SAMPLING_RATE:MU, repeatable; symmetrised C_p(G(mu))",
       "Required (one of them)"},
      {"gaussian", OptionKind::number, "[0, inf)", "mu of one more Gaussian mechanism", "Required (one of them)"},
      {"repetitions", OptionKind::count, "[1, inf]", "how often all of it is done, default 1"},
      {"accuracy", OptionKind::number, "(0, 1)", "wanted relative width of the bracket, default 1e-6"},
      {"verify", OptionKind::flag, "", "compute by the independent second method too"}};
  composition.unknowns = {{"repetitions", true, false, 1.0, infinity, {}},
                          {"gaussian", false, false, 0.0, infinity, {}}};
  composition.guarantees = composition_guarantees;
  return {gaussian, composition};
}

}  // namespace dpcurves::queries

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/descent.hpp>

namespace dpcurves::interpolation {
namespace {

bool agree(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

void require_agreement(double a, double b, const std::string& first, const std::string& second) {
  if (!agree(a, b)) {
    throw DomainError(first + " = " + shortest(a) + " contradicts " + second + " = " + shortest(b));
  }
}

double needed(const std::optional<double>& value, const char* name, const char* why) {
  if (!value) {
    throw DomainError(std::string(name) + " is needed " + why);
  }
  return *value;
}

void require_ranges(const DescentParameters& given) {
  const auto positive = [](const std::optional<double>& value, const char* name) {
    if (value) {
      require_domain(*value > 0.0 && std::isfinite(*value), name, *value, "(0, inf)");
    }
  };
  const auto nonnegative = [](const std::optional<double>& value, const char* name) {
    if (value) {
      require_domain(*value >= 0.0 && std::isfinite(*value), name, *value, "[0, inf)");
    }
  };
  positive(given.sensitivity, "sensitivity");
  positive(given.noise, "noise");
  positive(given.step_size, "step_size");
  positive(given.smoothness, "smoothness");
  nonnegative(given.effective_sensitivity, "effective_sensitivity");
  nonnegative(given.strong_convexity, "strong_convexity");
  if (given.diameter) {
    require_domain(*given.diameter >= 0.0, "diameter", *given.diameter, "[0, inf]");
  }
  if (given.batch_size) {
    require_domain(*given.batch_size >= 1.0 && std::floor(*given.batch_size) == *given.batch_size, "batch_size",
                   *given.batch_size, "{1, 2, ...}");
  }
}

/// Nobody has said what the last assumption says, unless `convex` does.
void unsaid(const DescentParameters& given, NoisyDescent& descent, const char* remedy) {
  if (!given.convex) {
    descent.unsaid.push_back({"convex losses and a step size at most 2/(m + M)", "nothing was said of it", remedy});
  }
}

/// From m, M and eta, whichever are there.
void contraction_from_curvature(const DescentParameters& given, NoisyDescent& descent) {
  if (!given.strong_convexity && !given.smoothness) {
    return;
  }
  const double eta = needed(given.step_size, "step_size", "with strong_convexity or smoothness");
  const double m = given.strong_convexity.value_or(0.0);
  if (!given.smoothness) {
    if (eta * m > 1.0) {
      descent.violated.push_back({"step size at most 2/(m + M), hence at most 1/m",
                                  "step size " + shortest(eta) + " > 1/m = " + shortest(1.0 / m),
                                  "a step size of at most " + shortest(1.0 / m)});
      return;
    }
    descent.assumed.push_back("every loss is " + shortest(m) + "-strongly convex");
    descent.assumed.push_back("every loss is M-smooth with step size at most 2/(m + M)");
    unsaid(given, descent, "the smoothness M of the losses");
    descent.contraction = Contraction::complement(eta * m);
    return;
  }
  const double M = *given.smoothness;
  if (m > M) {
    descent.violated.push_back({"strong convexity m at most smoothness M",
                                "m = " + shortest(m) + " > M = " + shortest(M),
                                "m at most M: every m-strongly convex, M-smooth loss has it"});
    return;
  }
  const double slack = std::fma(-eta, M, 2.0);
  if (slack < 0.0) {
    descent.violated.push_back({"step size at most 2/M", "step size " + shortest(eta) + " > 2/M = " + shortest(2.0 / M),
                                "a step size of at most " + shortest(2.0 / M)});
    return;
  }
  if (!given.strong_convexity) {
    unsaid(given, descent, "the strong convexity m of the losses, 0 for none");
  }
  descent.assumed.push_back(m > 0.0 ? "every loss is " + shortest(m) + "-strongly convex and " + shortest(M) + "-smooth"
                                    : "every loss is convex and " + shortest(M) + "-smooth");
  descent.contraction = Contraction::complement(std::min({eta * m, slack, 1.0}));
}

}  // namespace

NoisyDescent make_descent(const DescentParameters& given) {
  require_ranges(given);
  NoisyDescent descent;
  if (given.effective_sensitivity) {
    descent.effective_sensitivity = *given.effective_sensitivity;
    if (given.sensitivity && given.batch_size && given.noise) {
      require_agreement(descent.effective_sensitivity, *given.sensitivity / (*given.batch_size * *given.noise),
                        "effective_sensitivity", "sensitivity / (batch_size noise)");
    }
  } else {
    constexpr auto why = "where effective_sensitivity is not given";
    descent.effective_sensitivity = needed(given.sensitivity, "sensitivity", why) /
                                    (needed(given.batch_size, "batch_size", why) * needed(given.noise, "noise", why));
  }
  descent.all_released = given.all_released;
  contraction_from_curvature(given, descent);
  if (given.contraction && given.one_minus_contraction) {
    require_agreement(1.0 - *given.contraction, *given.one_minus_contraction, "1 - contraction",
                      "one_minus_contraction");
  }
  if (given.contraction || given.one_minus_contraction) {
    const Contraction direct = given.one_minus_contraction ? Contraction::complement(*given.one_minus_contraction)
                                                           : Contraction::factor(*given.contraction);
    if (descent.contraction) {
      // c itself is the coarser of the two numbers when it is near 1
      const bool same = agree(direct.one_minus_c(), descent.contraction->one_minus_c()) ||
                        (given.contraction && std::abs(direct.c() - descent.contraction->c()) <= 2e-16);
      if (!same) {
        require_agreement(direct.one_minus_c(), descent.contraction->one_minus_c(), "one_minus_contraction",
                          "min(step_size strong_convexity, 2 - step_size smoothness)");
      }
    } else if (descent.violated.empty()) {
      descent.contraction = direct;
      descent.assumed.push_back("every step without its noise is " + shortest(direct.c()) + "-Lipschitz");
    }
  }
  if (given.contraction || given.one_minus_contraction) {
    descent.unsaid.clear();  // a step that does not expand is all that is needed
  } else if (!descent.contraction && descent.violated.empty()) {
    unsaid(given, descent, "the strong convexity m and smoothness M of the losses, or the contraction c of a step");
  }
  if (given.diameter && std::isfinite(*given.diameter)) {
    constexpr auto why = "with a diameter";
    descent.diameter =
        *given.diameter / (needed(given.step_size, "step_size", why) * needed(given.noise, "noise", why));
    descent.assumed.push_back("every iterate is projected on a closed convex set of diameter " +
                              shortest(*given.diameter));
  }
  return descent;
}

void require_descent(const NoisyDescent& descent) {
  require_domain(descent.effective_sensitivity >= 0.0 && std::isfinite(descent.effective_sensitivity),
                 "effective_sensitivity", descent.effective_sensitivity, "[0, inf)");
  require_domain(descent.diameter >= 0.0, "diameter", descent.diameter, "[0, inf]");
}

void require_steps(double count, const char* name) {
  require_domain(count >= 1.0 && (std::isinf(count) || std::floor(count) == count), name, count, "{1, 2, ..., inf}");
}

std::vector<Violation> contraction_violations(const NoisyDescent& descent, bool known) {
  std::vector<Violation> violations = descent.violated;
  if (known && !descent.contraction && violations.empty()) {
    violations.push_back({"a known contraction of the gradient step (strongly convex and smooth losses)",
                          "neither strong convexity nor a contraction is given",
                          "strong convexity m and smoothness M with the step size, or the contraction c; an L2 "
                          "penalty of m/2 makes convex losses strongly convex"});
  }
  return violations;
}

void need_diameter(const NoisyDescent& descent, std::vector<Violation>& violations) {
  if (std::isinf(descent.diameter)) {
    violations.push_back({"iterates projected on a convex set of finite diameter", "no diameter is given",
                          "a projection of every iterate on a ball, and its diameter D"});
  }
}

void need_finite(double count, const char* what, std::vector<Violation>& violations) {
  if (std::isinf(count)) {
    violations.push_back(
        {std::string("finitely many ") + what, std::string("unlimited ") + what, "a number instead of unlimited"});
  }
}

double diameter_in_steps(const NoisyDescent& descent) {
  if (descent.diameter == 0.0) {
    return 0.0;
  }
  const double steps = descent.diameter / descent.effective_sensitivity;
  const double nearest = std::round(steps);
  constexpr double slack = 16.0 * 0x1p-53;
  return std::abs(steps - nearest) <= slack * nearest ? nearest : steps;
}

}  // namespace dpcurves::interpolation

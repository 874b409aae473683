// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Sampling: the exponential mechanism and Langevin Monte Carlo.

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/interpolation/guarantees.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>

namespace dpcurves::queries {
namespace {

const Option difference_option{"lipschitz-of-difference", OptionKind::number, "[0, inf)",
                               "Lipschitz constant of F - F', with --strong-convexity", "Strongly convex"};
const Option each_option{"lipschitz", OptionKind::number, "[0, inf)",
                         "Lipschitz constant of F and of F' each, with --diameter", "Convex in a bounded set"};
const Option convexity_option{"strong-convexity", OptionKind::number, "(0, inf)", "m of F and F'", "Strongly convex"};
const Option diameter_option{"diameter", OptionKind::number, "[0, inf)", "diameter D of the set",
                             "Convex in a bounded set"};

/// True for the strongly convex form; the options of the other form must be absent.
bool strongly_convex(const Values& values) {
  const bool difference = exactly_one(values, {"lipschitz-of-difference", "lipschitz"}) == "lipschitz-of-difference";
  exclude(values, "lipschitz-of-difference", "diameter");
  exclude(values, "lipschitz", "strong-convexity");
  return difference;
}

std::vector<accounting::Guarantee> exponential_mechanism(const Values& values, const Target& /*target*/) {
  if (strongly_convex(values)) {
    return interpolation::exponential_mechanism_strongly_convex_guarantees(values.number("lipschitz-of-difference"),
                                                                           values.number("strong-convexity"));
  }
  return interpolation::exponential_mechanism_convex_guarantees(values.number("lipschitz"), values.number("diameter"));
}

std::vector<accounting::Guarantee> langevin(const Values& values, const Target& /*target*/) {
  const double steps = values.number_or("steps", infinity);
  exclude(values, "lipschitz", "smoothness");  // a bounded set needs no smoothness
  if (strongly_convex(values)) {
    return interpolation::langevin_guarantees(
        interpolation::Langevin{values.number("lipschitz-of-difference"), values.number("strong-convexity"),
                                values.number("step-size"), steps, values.maybe("smoothness")});
  }
  return interpolation::langevin_guarantees(interpolation::ProjectedLangevin{
      values.number("lipschitz"), values.number("diameter"), values.number("step-size"), steps});
}

}  // namespace

std::vector<Algorithm> sampling_algorithms() {
  const Unknown difference{"lipschitz-of-difference", false, false, 0.0, infinity, {}};
  const Unknown each{"lipschitz", false, false, 0.0, infinity, {}};
  const Unknown convexity{"strong-convexity", false, true, 0.0, infinity, {}};
  const Unknown diameter{"diameter", false, false, 0.0, infinity, {}};

  Algorithm mechanism;
  mechanism.name = "exponential-mechanism";
  mechanism.summary = "one exact sample from exp(-F)";
  mechanism.example = "--lipschitz 0.5 --diameter 1";
  mechanism.calibration_example = "lipschitz --diameter 1";
  mechanism.options = {difference_option, convexity_option, each_option, diameter_option};
  mechanism.unknowns = {difference, convexity, each, diameter};
  mechanism.guarantees = exponential_mechanism;

  Algorithm sampler{
      .name = "langevin",
      .summary = "Langevin Monte Carlo, last iterate",
      .example = "--lipschitz-of-difference 1 --strong-convexity 1 --smoothness 2 --step-size 0.1 --steps 50",
      .calibration_example = "lipschitz-of-difference --strong-convexity 1 --smoothness 2 --step-size 0.1",
      .options = {{"step-size", OptionKind::number, "(0, inf)", "step size eta"},
                  {"steps", OptionKind::count, "[1, inf]", "number of steps, default unlimited"},
                  difference_option,
                  convexity_option,
                  {"smoothness", OptionKind::number, "(0, inf)", "M, to check the step size", "Strongly convex"},
                  each_option,
                  diameter_option},
      .unknowns = {{"steps", true, false, 1.0, infinity, {}}, difference, each, diameter},
      .guarantees = langevin};
  return {mechanism, sampler};
}

}  // namespace dpcurves::queries

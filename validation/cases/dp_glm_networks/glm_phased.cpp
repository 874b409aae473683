// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Phased SGD against its exact law and its risk bounds.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/runs.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

using bounds::PhasedSetting;
using models::LinkKind;
using models::PhasedAlgorithm;
using simulate::FeatureLaw;

/// Labels -1 and 1 of a tanh link, w* = length e_1 (or spread evenly over the rank).
simulate::GlmLaw tanh_law(std::size_t d, std::size_t rank, double length, double slope = 1.0) {
  simulate::GlmLaw law{.dimension = d, .rank = rank, .link = models::make_link(LinkKind::tanh, slope)};
  law.parameter.assign(d, 0.0);
  const std::size_t used = rank == 0 ? d : rank;
  std::fill_n(law.parameter.begin(), used, length / std::sqrt(static_cast<double>(used)));
  law.labels = simulate::LabelLaw::two_point;
  return law;
}

/// Squared risk of w above w*, over fresh records: unbiased, so that the mean over runs is.
double fresh_risk(const simulate::GlmLaw& law, std::span<const double> w, std::uint64_t seed, std::uint32_t path) {
  simulate::DrawnRecords fresh(law, 128, seed + 1, path);
  return simulate::mean_squared_differences(fresh, law.link, w, law.parameter).front();
}

struct Simulated {
  inference::Moments risk;
};

void below(Trial& trial, const Simulated& seen, double bound, const std::string& what) {
  mean_below(trial, seen.risk, bound, what + ": risk");
}

Simulated simulate_runs(std::size_t runs, const std::function<double(std::uint32_t path)>& one) {
  const auto risk = [&](std::size_t run) { return one(static_cast<std::uint32_t>(run)); };
  return {inference::moments(values_of_runs(runs, 1, risk))};
}

PhasedSetting setting_of(std::uint64_t records, double epsilon, double rank, double start_squared) {
  PhasedSetting s{.records = records,
                  .epsilon = epsilon,
                  .rank = rank,
                  .parameter_norm = std::sqrt(start_squared),
                  .start_squared = start_squared};
  s.step_size = bounds::best_private_step_size(s, false);
  return s;
}

simulate::PhasedSgd process(const models::Link& link, const PhasedSetting& s, PhasedAlgorithm algorithm) {
  return simulate::PhasedSgd{
      .link = link,
      .step_size = s.step_size,
      .noise_per_step = models::printed_noise_per_step(algorithm, s.label_bound, s.epsilon, s.delta)};
}

// --- risk bounds ----------------------------------------------------------------------------------------------------

/// Hard-tanh, features and labels +-1, w* = 1, and a start `distance` away on its wrong side. Gradients are 2 B all the
/// way, and where the first phase would just cover it, the bound's terms of start and steps are attained; they hide the
/// noise. Found by a scan over n, step size and distance; for the risk, which cannot exceed 4 B^2, no instance of the
/// scan reaches more than half of the bound, and none with noise more than 0.43.
PhasedSetting wrong_side(std::uint64_t records, double step_size, double distance) {
  return PhasedSetting{.records = records, .step_size = step_size, .start_squared = distance * distance};
}

/// Surrogate excess, or risk, of runs from there. A projection takes the start with it.
Simulated wrong_side_runs(const PhasedSetting& s, PhasedAlgorithm algorithm, std::size_t runs, std::uint64_t seed,
                          bool surrogate) {
  simulate::GlmLaw law{.dimension = 1, .link = models::make_link(LinkKind::hard_tanh), .parameter = {1.0}};
  auto run = process(law.link, s, algorithm);
  if (algorithm == PhasedAlgorithm::smoothed || algorithm == PhasedAlgorithm::projected_smoothed) {
    run.slope = simulate::envelope_slope(law.link, s.smoothing);
  }
  run.start = {1.0 - std::sqrt(s.start_squared)};
  return simulate_runs(runs, [&](std::uint32_t path) {
    simulate::DrawnRecords records(law, s.records, seed, path);
    double w = 0.0;
    if (algorithm == PhasedAlgorithm::plain || algorithm == PhasedAlgorithm::smoothed) {
      w = simulate::phased_sgd(run, records, seed, path).front();
    } else {
      auto map = models::JohnsonLindenstrauss::gaussian(static_cast<std::size_t>(s.projected_dimension), 1, seed, path);
      auto projected = run;
      projected.start.resize(map.target());
      map.apply(run.start, projected.start);
      w = simulate::projected_phased_sgd(projected, records, map, seed, path).front();
    }
    const double step = law.link.value(w) - 1.0;
    return surrogate ? law.link.bregman(w, 1.0) : step * step;
  });
}

/// Private runs from the wrong side.
Simulated private_wrong_side(const Setting& setting, std::string_view id, PhasedAlgorithm algorithm,
                             const PhasedSetting& s) {
  return wrong_side_runs(s, algorithm, setting.size(120, 1000), seed_of(setting, id, 99), true);
}

/// Their surrogate excess against a share of the bound.
void wrong_side_below(Trial& trial, const Simulated& seen, PhasedAlgorithm algorithm, const PhasedSetting& s,
                      double share) {
  mean_below(trial, seen.risk, share * bounds::bound_of(algorithm, s).surrogate,
             "n " + std::to_string(s.records) + ", epsilon 1, " + shortest(std::sqrt(s.start_squared)) +
                 " on the wrong side: surrogate excess");
}

/// Features of rank theta in two more dimensions.
Simulated theorem_1_cell(const PhasedSetting& s, std::size_t runs, std::uint64_t seed) {
  const auto rank = static_cast<std::size_t>(s.rank);
  const auto law = tanh_law(rank + 2, rank, s.parameter_norm);
  const auto run = process(law.link, s, PhasedAlgorithm::plain);
  return simulate_runs(runs, [&](std::uint32_t path) {
    simulate::DrawnRecords records(law, s.records, seed, path);
    return fresh_risk(law, simulate::phased_sgd(run, records, seed, path), seed, path);
  });
}

void theorem_1(const Setting& setting, Trial& trial, bool broken) {
  trial.group("private");
  const double factor = broken ? 0.4 : 1.0;
  std::uint64_t cell = 0;
  for (const std::uint64_t n : {std::uint64_t{256}, std::uint64_t{1024}, std::uint64_t{4096}}) {
    for (const double epsilon : {0.5, 1.0, 4.0}) {
      for (const double theta : {2.0, 5.0, 20.0}) {
        const auto s = setting_of(n, epsilon, theta, 1.0);
        const auto seen =
            theorem_1_cell(s, setting.size(16, 400), seed_of(setting, "dp-glm-networks/theorem-1", cell++));
        below(trial, seen, factor * bounds::phased_bound(s).risk,
              "n " + std::to_string(n) + ", epsilon " + shortest(epsilon) + ", theta " + shortest(theta));
      }
    }
  }
  const auto far = wrong_side(1024, 0.35, 100.0);
  wrong_side_below(trial, private_wrong_side(setting, "dp-glm-networks/theorem-1", PhasedAlgorithm::plain, far),
                   PhasedAlgorithm::plain, far, broken ? 0.7 : 1.0);
  trial.group("noise-free");
  trial.by_exact_law();
  // Without noise everything is deterministic; the root of the risk is the link's step, the surrogate its integral.
  const auto free = [](std::uint64_t n, double step_size, double distance) {
    auto s = wrong_side(n, step_size, distance);
    s.epsilon = infinity;
    return s;
  };
  const auto long_way = free(7, 8.0, 14.25), start_only = free(2, 4.0, 2.0);
  trial.at_most(wrong_side_runs(long_way, PhasedAlgorithm::plain, 1, 1, true).risk.mean,
                (broken ? 0.7 : 1.0) * bounds::phased_bound(long_way).surrogate,
                "surrogate excess, hard-tanh, n = 7, eta = 8, distance 14.25, no noise");
  trial.at_most(wrong_side_runs(start_only, PhasedAlgorithm::plain, 1, 1, false).risk.mean,
                factor * bounds::phased_bound(start_only).risk,
                "risk, hard-tanh, n = 2, eta = 4, distance 2, no noise");
}

/// The largest error that a gradient of the envelope may have, always away from w*: towards larger |<w, x>|.
simulate::Slope adversarial(const models::Link& link, double smoothing, double error) {
  return [=, exact = simulate::envelope_slope(link, smoothing)](double u, double y) {
    return exact(u, y) + (u > 0.0 ? -error : error);
  };
}

/// Risk of the spiked design at dimension d, with the projection to m (or without, m = 0), `smoothed` with the oracle's
/// worst errors.
Simulated spiked(std::size_t d, std::size_t m, const PhasedSetting& s, std::size_t runs, std::uint64_t seed,
                 bool smoothed) {
  auto law = tanh_law(d, 0, 1.0);
  law.features = FeatureLaw::spiked;
  law.parameter.assign(d, 0.0);
  law.parameter[0] = 1.5;
  const auto algorithm = m == 0 ? (smoothed ? PhasedAlgorithm::smoothed : PhasedAlgorithm::plain)
                                : (smoothed ? PhasedAlgorithm::projected_smoothed : PhasedAlgorithm::projected);
  auto run = process(law.link, s, algorithm);
  if (smoothed) {
    run.slope = adversarial(law.link, s.smoothing, s.oracle_error);
  }
  return simulate_runs(runs, [&](std::uint32_t path) {
    simulate::DrawnRecords records(law, s.records, seed, path);
    if (m == 0) {
      return fresh_risk(law, simulate::phased_sgd(run, records, seed, path), seed, path);
    }
    auto map = models::JohnsonLindenstrauss::gaussian(m, d, seed, path);
    return fresh_risk(law, simulate::projected_phased_sgd(run, records, map, seed, path), seed, path);
  });
}

PhasedSetting spiked_setting(std::uint64_t n, double m) {
  PhasedSetting s{.records = n, .projected_dimension = m, .parameter_norm = 1.5, .start_squared = 2.25};
  s.step_size = bounds::best_private_step_size(s, true);
  return s;
}

/// E tanh(<w*, x>)^2 of the spiked design: what w = 0 risks.
double zero_model() { return std::tanh(1.2) * std::tanh(1.2); }

/// At a power of two at which the bound is below the risk of w = 0.
void projected(const Setting& setting, Outcome& outcome, std::string_view id, bool smoothed) {
  for (const std::size_t d : setting.nightly ? std::vector<std::size_t>{64, 128} : std::vector<std::size_t>{64}) {
    auto s = spiked_setting(smoothed ? 1U << 15 : 1U << 14, 16.0);
    s.smoothing = 64.0;
    const auto bound = smoothed ? bounds::projected_smoothed_bound(s) : bounds::projected_bound(s);
    const auto seen = spiked(d, 16, s, setting.size(120, 800), seed_of(setting, id, d), smoothed);
    const std::string where = "d = " + std::to_string(d);
    below(outcome.claim, seen, bound.risk, where);
    below(outcome.control, seen, (smoothed ? 0.002 : 0.004) * bound.risk, where);
    outcome.claim.setup("against w = 0");
    outcome.claim.at_most(bound.risk, zero_model(), where + ", the bound against the risk of w = 0");
    outcome.claim.group("claim");
  }
  auto far = wrong_side(8192, 0.03125, 78.0);
  far.projected_dimension = 32.0;  // rows longer than 2 have a chance below delta/2
  far.smoothing = 64.0;
  const auto algorithm = smoothed ? PhasedAlgorithm::projected_smoothed : PhasedAlgorithm::projected;
  const auto seen = private_wrong_side(setting, id, algorithm, far);
  wrong_side_below(outcome.claim, seen, algorithm, far, 1.0);
  wrong_side_below(outcome.control, seen, algorithm, far, 0.6);
  outcome.claim.setup("privacy");
  outcome.claim.require(bounds::verdict(algorithm, far).applies(), "the step condition, epsilon and delta");
}

/// Runs with the worst errors of the oracle at an n at which the bound is below the risk of w = 0; the attack of
/// Theorem 1 on envelopes; the bias of smoothing.
void theorem_4(const Setting& setting, Outcome& outcome) {
  const std::string_view id = "dp-glm-networks/theorem-4";
  auto far = wrong_side(4096, 0.125, 150.0);
  far.smoothing = 64.0;
  const auto attack = private_wrong_side(setting, id, PhasedAlgorithm::smoothed, far);
  wrong_side_below(outcome.claim, attack, PhasedAlgorithm::smoothed, far, 1.0);
  wrong_side_below(outcome.control, attack, PhasedAlgorithm::smoothed, far, 0.75);
  PhasedSetting s = setting_of(4096, 1.0, 3.0, 2.25);
  s.step_size = 0.022;
  s.smoothing = 64.0;
  s.oracle_error = 1.0 / (4096.0 * std::log(4096.0));
  const auto bound = bounds::smoothed_bound(s).risk;
  const auto seen = spiked(3, 0, s, setting.size(120, 800), seed_of(setting, id, 3), true);
  below(outcome.claim, seen, bound, "worst errors of the oracle, d = 3, n = 4096");
  below(outcome.control, seen, 0.012 * bound, "worst errors of the oracle, d = 3, n = 4096");
  // The bias of smoothing by itself: from w* on, without noise, towards the minimiser of the smoothed risk.
  outcome.claim.by_exact_law();
  const auto law = tanh_law(1, 0, 0.05, 20.0);
  PhasedSetting biased{.records = 1 << 16,
                       .step_size = 4e-4,
                       .epsilon = infinity,
                       .lipschitz = 20.0,
                       .start_squared = 0.0,
                       .smoothing = 1.0};
  auto run = process(law.link, biased, PhasedAlgorithm::smoothed);
  run.start = law.parameter;
  run.slope = simulate::envelope_slope(law.link, biased.smoothing);
  simulate::DrawnRecords records(law, biased.records, seed_of(setting, id), 0);
  const double w = simulate::phased_sgd(run, records, setting.seed, 0).front();
  const double difference = law.link.value(w) - law.link.value(0.05);
  const auto whole = bounds::smoothed_bound(biased);
  const std::string where = "risk at " + rounded(w, 4) + " where smoothing with beta = 1 leads";
  outcome.claim.at_most(difference * difference, whole.risk, where);
  outcome.control.at_most(difference * difference, whole.risk - 2.0 * biased.lipschitz * whole.smoothing, where);
  outcome.claim.setup("hypotheses");
  outcome.claim.at_most(bound, zero_model(), "the bound against the risk of w = 0");
  outcome.claim.require(bounds::verdict(PhasedAlgorithm::smoothed, far).applies() &&
                            bounds::verdict(PhasedAlgorithm::smoothed, s).applies(),
                        "the step condition, epsilon and delta");
}

/// Regret of the mean of one phase of 64 steps against a comparator, with a small step: the start counts most.
void one_phase(const Setting& setting, Trial& trial, std::string_view id, bool project, bool smoothed, bool broken) {
  const auto law = tanh_law(6, 0, 1.0);
  constexpr double eta = 0.01, steps = 64.0, error = 1e-3, beta = 8.0;
  const std::uint64_t seed = seed_of(setting, id);
  const auto seen = simulate_runs(setting.size(240, 2000), [&](std::uint32_t path) {
    auto map = models::JohnsonLindenstrauss::gaussian(24, 6, seed, path);
    simulate::DrawnRecords base(law, 128, seed, path), fresh_base(law, 256, seed + 1, path);
    simulate::MappedRecords mapped(base, map), fresh_mapped(fresh_base, map);
    simulate::RecordSource& records = project ? static_cast<simulate::RecordSource&>(mapped) : base;
    simulate::RecordSource& fresh = project ? static_cast<simulate::RecordSource&>(fresh_mapped) : fresh_base;
    std::vector<double> comparator = law.parameter, mean;
    if (project) {
      comparator.resize(24);
      map.apply(law.parameter, comparator);
    }
    simulate::PhasedSgd run{.link = law.link, .step_size = 4.0 * eta};
    if (smoothed) {
      run.slope = adversarial(law.link, beta, error);
    }
    run.observe = [&](int phase, std::span<const double> m, std::span<const double>) {
      if (phase == 1) {
        mean.assign(m.begin(), m.end());
      }
    };
    (void)simulate::phased_sgd(run, records, seed, path);
    const std::size_t d = records.dimension();
    std::vector<double> x(256 * d), y(256);
    fresh.read(0, x, y);
    double regret = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double a =
          std::inner_product(mean.begin(), mean.end(), x.begin() + static_cast<std::ptrdiff_t>(i * d), 0.0);
      const double b =
          std::inner_product(comparator.begin(), comparator.end(), x.begin() + static_cast<std::ptrdiff_t>(i * d), 0.0);
      regret +=
          smoothed ? models::moreau_envelope(law.link, y[i], beta, a) - models::moreau_envelope(law.link, y[i], beta, b)
                   : models::surrogate_loss(law.link, a, y[i]) - models::surrogate_loss(law.link, b, y[i]);
    }
    return regret / 256.0;
  });
  const double start = broken ? 0.0 : 1.0 / (2.0 * eta * steps);  // |w_0 - w*|^2 = 1, also on average over Phi
  const double largest = 2.0 + (smoothed ? error : 0.0);
  const double oracle = smoothed ? error * (1.0 + eta * (steps - 1.0) * largest / 2.0) : 0.0;
  below(trial, seen, start + oracle + 0.5 * eta * largest * largest, "regret of the mean of 64 steps of size 0.01");
}

/// Bound and simulation of Algorithm 2 against `x`.
io::Plot bound_picture(const std::string& title, io::Axis axis, const std::vector<double>& x,
                       const std::vector<PhasedSetting>& settings, std::size_t runs, std::uint64_t seed) {
  std::vector<double> bound, trivial, mean, low, high;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto seen = theorem_1_cell(settings[i], runs, seed + i);
    bound.push_back(bounds::phased_bound(settings[i]).risk);
    trivial.push_back(4.0);
    mean.push_back(seen.risk.mean);
    low.push_back(std::max(seen.risk.mean - 2.0 * seen.risk.mean_error, 1e-6));
    high.push_back(seen.risk.mean + 2.0 * seen.risk.mean_error);
  }
  return io::Plot{.title = title,
                  .x = std::move(axis),
                  .y = {"risk above the best", true, {}, 200.0},
                  .series = {io::line("Theorem 1, explicit", x, bound),
                             io::points("simulation, 2 standard errors", x, mean, low, high),
                             io::dashed("no link can be worse: 4 B^2", x, trivial)}};
}

std::vector<Figure> theorem_1_pictures(const Setting& setting) {
  const std::uint64_t seed = seed_of(setting, "dp-glm-networks/theorem-1", 1000);
  const std::size_t runs = setting.size(12, 200);
  std::vector<double> n, epsilon;
  std::vector<PhasedSetting> over_n, over_epsilon;
  for (int k = 6; k <= (setting.nightly ? 16 : 12); ++k) {
    n.push_back(std::ldexp(1.0, k));
    over_n.push_back(setting_of(std::uint64_t{1} << k, 1.0, 5.0, 1.0));
  }
  for (int k = 0; k <= 8; ++k) {
    epsilon.push_back(0.05 * std::pow(2.0, k));
    over_epsilon.push_back(setting_of(1024, epsilon.back(), 5.0, 1.0));
  }
  std::vector<Figure> figures;
  figures.push_back(
      {"bound and simulation against n", bound_picture("Phased SGD, tanh, theta = 5, epsilon = 1, delta = 1e-5",
                                                       {"records n", true, {}, {}}, n, over_n, runs, seed)});
  figures.push_back({"bound and simulation against epsilon",
                     bound_picture("Phased SGD, tanh, theta = 5, n = 1024, delta = 1e-5", {"epsilon", true, {}, {}},
                                   epsilon, over_epsilon, runs, seed + 100)});
  return figures;
}

io::Plot dimension_picture(const Setting& setting) {
  io::Plot plot{.title = "Spiked design, n = 1024, epsilon = 1: projecting makes the risk free of d",
                .x = {"dimension d", true, {}, {}},
                .y = {"risk above the best", false, 0.0, {}},
                .legend = io::Legend::bottom_right};
  std::vector<double> d;
  std::vector<double> zero;
  for (std::size_t k = 3; k <= setting.size(7, 10); ++k) {
    d.push_back(std::ldexp(1.0, static_cast<int>(k)));
    zero.push_back(zero_model());
  }
  for (const std::size_t m : {0U, 4U}) {
    std::vector<double> mean, low, high;
    for (const double size : d) {
      auto s = spiked_setting(1024, 4.0);
      if (m == 0) {
        s.rank = size;
        s.step_size = bounds::best_private_step_size(s, false);
      }
      const auto seen = spiked(static_cast<std::size_t>(size), m, s, setting.size(12, 200),
                               seed_of(setting, "dp-glm-networks/theorem-2", 1000 + m), false);
      mean.push_back(seen.risk.mean);
      low.push_back(seen.risk.mean - 2.0 * seen.risk.mean_error);
      high.push_back(seen.risk.mean + 2.0 * seen.risk.mean_error);
    }
    plot.series.push_back(io::points(m == 0 ? "Algorithm 2" : "Algorithm 3, m = 4", d, mean, low, high));
  }
  plot.series.push_back(io::dashed("w = 0", d, zero));
  return plot;
}

Case with_figures(Case base, std::function<std::vector<Figure>(const Setting&)> draw) {
  base.run = [run = base.run, draw = std::move(draw)](const Setting& setting, Outcome& outcome) {
    run(setting, outcome);
    outcome.figures = draw(setting);
  };
  return base;
}

}  // namespace

std::vector<Case> glm_phased_cases() {
  const auto phase = [](const char* id, const char* claim, bool project, bool smoothed) {
    return compared(id, claim, "240 (nightly 2000) runs of 64 steps of size 0.01, tanh, regret on fresh records",
                    "the term of the start dropped", [=](const Setting& setting, Trial& trial, bool broken) {
                      one_phase(setting, trial, id, project, smoothed, broken);
                    });
  };
  const auto spikes = [](const char* id, const char* claim, bool smoothed) {
    return Case{id, claim,
                std::string("spiked design in 64 dimensions (nightly also 128), m = 16, n = 2^") +
                    (smoothed ? "15" : "14") +
                    ", 120 (nightly 800) runs, each with its own projection; the attack: hard-tanh in one dimension, "
                    "from 78 on the wrong side of w*, m = 32, n = 2^13, epsilon = 1, surrogate excess of 120 (nightly "
                    "1000) runs",
                std::string(smoothed ? "1/500" : "1/250") + " of the bound; 0.6 of it for the attack",
                [=](const Setting& setting, Outcome& outcome) { projected(setting, outcome, id, smoothed); }};
  };
  return {
      with_figures(
          compared("dp-glm-networks/theorem-1", "the squared risk of Algorithm 2 is below the explicit bound",
                   "tanh with labels -1 and 1: grid of n 256 to 4096, epsilon 0.5 to 4, theta 2 to 20, 16 (nightly "
                   "400) runs per cell with the best private step. The attack: hard-tanh in one dimension from far on "
                   "the wrong side of w*, surrogate excess of 120 (nightly 1000) private runs with n = 1024 and of one "
                   "without noise; the risk of one without noise, which reaches half of its bound",
                   "0.4 of the bound; for the attack's surrogate excess 0.7", theorem_1),
          theorem_1_pictures),
      with_figures(
          spikes("dp-glm-networks/theorem-2", "the squared risk of Algorithm 3 is below the explicit bound, whatever d",
                 false),
          [](const Setting& setting) {
            return std::vector<Figure>{{"Algorithms 2 and 3 against the dimension", dimension_picture(setting)}};
          }),
      Case{"dp-glm-networks/theorem-4",
           "the squared risk of Algorithm 5 is below the explicit bound with worst errors of the oracle",
           "the attack: hard-tanh in one dimension, from 150 on the wrong side of w*, n = 2^12, epsilon = 1, "
           "beta = 64, surrogate excess of 120 (nightly 1000) runs; the spiked design in three dimensions with worst "
           "errors of the oracle at the same n, where the bound is below the risk of w = 0, 120 (nightly 800) runs; "
           "the bias of smoothing by itself, tanh(20 u), beta = 1",
           "0.75 of the bound for the attack, 0.012 for the risk; the bound without the bias 2 B^2/beta", theorem_4},
      spikes("dp-glm-networks/theorem-5", "the squared risk of Algorithm 6 is below the explicit bound, whatever d",
             true),
      phase("dp-glm-networks/lemma-8", "regret of one phase <= D2/(2 eta n) + 2 B^2 eta", false, false),
      phase("dp-glm-networks/lemma-9", "the same after a projection, on average over it", true, false),
      phase("dp-glm-networks/lemma-10",
            "the same for envelopes with errors gamma: gamma (sqrt(D2) + eta (n - 1) La/2) + eta La^2/2", false, true)};
}

}  // namespace dpcurves::validation::dp_glm_networks

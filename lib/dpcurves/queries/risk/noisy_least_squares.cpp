// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk noisy-least-squares: the Volterra risk of one-pass noisy SGD on least squares.
#include <algorithm>
#include <cmath>
#include <optional>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/risk_enclosure.hpp>
#include <dpcurves/homogenized/detail/risk_stationary.hpp>
#include <dpcurves/homogenized/detail/variance_ode.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

using homogenized::RiskTrajectory;
using models::LeastSquares;

/// gamma of a schedule that never changes.
std::optional<double> constant_rate(const LeastSquares& problem) {
  const auto pieces = problem.schedule.pieces();
  const bool constant = pieces.size() == 1 && std::isinf(pieces[0].end) && pieces[0].least_rate > 0.0 &&
                        pieces[0].least_rate == pieces[0].greatest_rate;
  return constant ? std::optional(pieces[0].least_rate) : std::nullopt;
}

/// Times t of the curve: those asked for, else 0 and at most 41 whole iterations spaced logarithmically.
std::vector<double> curve_times(const Values& values, const LeastSquares& problem) {
  exclude(values, "times", "iterations");
  std::vector<double> times = values.numbers("times");
  for (const double k : values.numbers("iterations")) {
    times.push_back(k / problem.dimension);
  }
  if (times.empty()) {
    const double last = std::min(1.5, problem.schedule.end());
    constexpr int points = 40;
    constexpr double rounding = 1e-12;  // of t d, which is whole where t is one of an iteration
    const double first = std::min(1.0 / problem.dimension, last);
    times.push_back(0.0);
    for (int i = 0; i <= points; ++i) {
      const double t = i == points ? last : first * std::pow(last / first, static_cast<double>(i) / points);
      times.push_back(std::max(first, std::floor(t * problem.dimension * (1.0 + rounding)) / problem.dimension));
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.back() > problem.schedule.end()) {
    throw DomainError("--times: " + shortest(times.back()) + " is beyond the end of the schedule, " +
                      shortest(problem.schedule.end()));
  }
  return times;
}

/// The last time at which the risk leaves [1 - share, 1 + share] times its plateau.
std::optional<double> settles(const LeastSquares& problem, double plateau, double share) {
  const auto outside = [&](const RiskTrajectory& solved, double t) {
    return std::abs(solved.population_risk(t).value / plateau - 1.0) > share;
  };
  constexpr int doublings = 60;
  double horizon = 1.0;
  for (int i = 0; i < doublings; ++i, horizon *= 2.0) {
    const RiskTrajectory solved(problem, horizon);
    // Settled well before the end: the risk then approaches its plateau monotonically in its slowest mode.
    if (std::abs(solved.population_risk(horizon).value / plateau - 1.0) > 0.01 * share) {
      continue;
    }
    constexpr int points = 4000;
    double inside = horizon;
    for (int k = points - 1; k >= 0; --k) {
      const double t = horizon * k / points;
      if (outside(solved, t)) {
        double low = t;
        while (inside - low > 1e-12 * inside) {
          const double middle = 0.5 * (low + inside);
          if (middle == low || middle == inside) {
            break;
          }
          (outside(solved, middle) ? low : inside) = middle;
        }
        return inside;
      }
      inside = t;
    }
    return 0.0;
  }
  return std::nullopt;
}

/// Stability and plateau, for a step that stays the same.
void add_limits(RiskReport& report, const Values& values, const LeastSquares& problem) {
  const double largest = homogenized::largest_stable_rate(problem);
  report.facts.push_back({"largest_stable_step", "largest stable step (constant eta)", largest / problem.dimension});
  const auto rate = constant_rate(problem);
  if (!rate) {
    if (values.has("target-plateau")) {
      throw UsageError("--target-plateau: the schedule is not constant; --target-risk asks for the last time");
    }
    report.notes.emplace_back(
        "the step varies: there is no plateau; the largest stable step is that of a constant one");
    return;
  }
  const auto limit = homogenized::stationary_risk(problem, *rate);
  report.facts.push_back({"kernel_norm", "kernel norm (stable below 1)", limit.kernel_norm});
  report.facts.push_back({"plateau", "plateau of the population risk", limit.population_risk});
  report.facts.push_back({"regularised_plateau", "plateau of the regularised risk", limit.regularised_risk});
  if (!std::isfinite(limit.population_risk)) {
    report.notes.push_back("the step " + shortest(*rate / problem.dimension) +
                           " is not below the largest stable one: the risk grows without bound");
    if (values.has("target-plateau")) {
      throw DomainError("--target-plateau: there is no plateau at an unstable step");
    }
    return;
  }
  const double share = values.number("within");
  if (limit.population_risk > 0.0) {
    const auto time = settles(problem, limit.population_risk, share);
    report.facts.push_back({"settles_at_iteration",
                            "within " + rounded(100.0 * share, 4) + "% of the plateau from iteration",
                            time ? Value{*time * problem.dimension} : Value{}});
  }
  if (const auto target = values.maybe("target-plateau")) {
    report.facts.push_back({"noise_for_target_plateau", "noise for the plateau " + shortest(*target),
                            homogenized::noise_for_plateau(problem, *rate, *target)});
  }
}

io::Plot risk_picture(const LeastSquares& problem, const RiskTrajectory& solved, const std::vector<double>& noises,
                      const std::vector<double>& times) {
  io::Plot plot{.title = "Expected population risk of noisy SGD on least squares",
                .x = {"iteration", true, {}, {}},
                .y = {"population risk", true, {}, {}},
                .legend = io::Legend::bottom_left};
  const double last = times.back();
  if (!(last > 0.0)) {
    return plot;  // one point is no curve
  }
  const double first = std::max(last * 1e-4, std::min(1.0 / problem.dimension, last / 10.0));
  std::vector<double> x;
  std::vector<double> t;
  constexpr int points = 200;
  for (int i = 0; i <= points; ++i) {
    t.push_back(i == points ? last : first * std::pow(last / first, static_cast<double>(i) / points));
    x.push_back(t.back() * problem.dimension);
  }
  for (const double noise : noises) {
    std::vector<double> y = mapped(t, [&](double time) { return solved.population_risk(time, noise).value; });
    plot.series.push_back(io::line("noise " + shortest(noise), x, y));
  }
  std::vector<double> flow = mapped(t, [&](double time) { return solved.gradient_flow_risk(time); });
  plot.series.push_back(io::dashed("gradient flow", x, flow));
  return plot;
}

/// Odeint on the variances against the solution: the largest relative difference.
double largest_difference(const LeastSquares& problem, const RiskTrajectory& solved, const std::vector<double>& times) {
  const auto other = homogenized::population_risk_by_ode(problem, times, 1e-11);
  double worst = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    worst = std::max(worst, std::abs(other[k] / solved.population_risk(times[k]).value - 1.0));
  }
  return worst;
}

void add_bounds(std::vector<io::Column>& columns, const homogenized::RiskEnclosure& risk,
                const std::vector<double>& times) {
  io::Column lower{"lower", {}}, upper{"upper", {}};
  for (const double t : times) {
    const Enclosure bounds = risk.population_risk(t);
    lower.values.push_back(bounds.lower);
    upper.values.push_back(bounds.upper);
  }
  columns.push_back(std::move(lower));
  columns.push_back(std::move(upper));
}

/// What --explain tells: the curve, the plateau, and why the curve is no bound for one run.
std::vector<Considered> considered_facts(const LeastSquares& problem) {
  using enum Considered::Standing;
  std::vector<Considered> list{{"noisy-hsgd/theorem-4.2",
                                "the expected risk solves a linear Volterra equation",
                                chosen,
                                "the curve, each value with its error",
                                {{},
                                 {"fresh records: one pass, none used twice",
                                  "the risk of the diffusion limit; that of SGD itself differs by O(1/d)"}}}};
  Considered plateau{
      "noisy-hsgd/theorem-4.2", "its limit for a constant step: plateau and kernel norm", applies, "", {}};
  const auto rate = constant_rate(problem);
  const double largest = homogenized::largest_stable_rate(problem);
  if (!rate) {
    plateau.verdict.violations.push_back(
        {"a constant step", "the schedule varies", "--step-size, in place of the schedule"});
  } else if (!(*rate < largest)) {
    plateau.verdict.violations.push_back(
        {"a step below the largest stable one",
         shortest(*rate / problem.dimension) + " >= " + rounded(largest / problem.dimension, 6),
         "a step below " + rounded(largest / problem.dimension, 6)});
  }
  plateau.standing = plateau.verdict.applies() ? applies : ruled_out;
  list.push_back(plateau);
  list.push_back({"noisy-hsgd/corollary-4.1",
                  "the risk of a single run stays near the curve, as a rate",
                  ruled_out,
                  "",
                  {{{"a hypothesis on the features: their quadratic forms concentrate (missing in the paper, which is "
                     "false without it)",
                     "a spectrum does not settle it",
                     "independent coordinates with bounded moments; then see `dpcurves simulate "
                     "noisy-sgd-least-squares` for the spread of single runs"}}}});
  return list;
}

RiskReport least_squares_report(const Values& values, unsigned threads) {
  LeastSquares problem = read_problem_file(values.text("problem")).problem;
  if (const auto step = values.maybe("step-size")) {
    problem.schedule = models::Schedule::constant(*step * problem.dimension);
  }
  std::vector<double> noises = values.numbers("noise");
  if (noises.empty()) {
    noises = {problem.noise};
  }
  problem.noise = noises.front();
  const std::vector<double> times = curve_times(values, problem);
  homogenized::TrajectoryOptions options{.tolerance = values.number("tolerance"), .threads = threads};
  const RiskTrajectory solved(problem, times.back(), options);

  RiskReport result;
  result.heading = "expected risk of one-pass noisy SGD on least squares, Theorem 4.2 of Lin et al.; " +
                   std::to_string(problem.spectrum.size()) + " eigenvalues, d = " + shortest(problem.dimension);
  std::vector<io::Column> columns{{"iteration", {}}, {"t", {}}, {"gradient_flow", {}}, {"regularised", {}}};
  const auto suffix = [&](std::size_t k) { return noises.size() > 1 ? "_noise_" + shortest(noises[k]) : ""; };
  for (const double t : times) {
    columns[0].values.push_back(t * problem.dimension);
    columns[1].values.push_back(t);
    columns[2].values.push_back(solved.gradient_flow_risk(t));
    columns[3].values.push_back(solved.regularised_risk(t).value);
  }
  for (std::size_t k = 0; k < noises.size(); ++k) {
    io::Column risk{"risk" + suffix(k), {}};
    io::Column error{"risk" + suffix(k) + "_error", {}};
    for (const double t : times) {
      const Estimate value = solved.population_risk(t, noises[k]);
      risk.values.push_back(value.value);
      error.values.push_back(value.error);
    }
    columns.push_back(std::move(risk));
    columns.push_back(std::move(error));
  }
  if (const auto nodes = values.maybe("enclose")) {
    add_bounds(columns, homogenized::RiskEnclosure(problem, times.back(), static_cast<int>(*nodes), options), times);
    result.notes.emplace_back(
        "lower and upper bound the risk (of the first noise) whatever the compression of the "
        "spectrum leaves out; the error of the solver is added");
  }
  result.curve = io::Columns(std::move(columns));
  const bool asked = values.has("times") || values.has("iterations");
  for (std::size_t i = asked ? 0 : times.size() - 1; i < times.size(); ++i) {
    const std::string iteration = shortest(times[i] * problem.dimension);
    result.points.push_back(
        {"risk_at_" + iteration, "population risk at iteration " + iteration, solved.population_risk(times[i]).value});
  }
  add_limits(result, values, problem);
  if (const auto target = values.maybe("target-risk")) {
    const double last = times.back(), least = solved.population_risk(last, 0.0).value;
    if (!(*target >= least) || !(solved.noise_response(last).value > 0.0)) {
      throw DomainError("--target-risk: " + shortest(*target) + " is not reached at iteration " +
                        shortest(last * problem.dimension) + ": without noise the risk is " + rounded(least, 8));
    }
    result.facts.push_back(
        {"noise_for_target_risk",
         "noise for risk " + shortest(*target) + " at iteration " + shortest(times.back() * problem.dimension),
         homogenized::noise_for_risk(solved, times.back(), *target)});
  }
  if (values.flag("verify")) {
    const double difference = largest_difference(problem, solved, times);
    constexpr double allowed = 1e-7;
    if (!(difference <= allowed)) {
      throw ContradictionError("risk noisy-least-squares: collocation and Runge-Kutta differ by the factor 1 + " +
                               rounded(difference, 3));
    }
    result.facts.push_back(
        {"verified_difference", "largest relative difference to a Runge-Kutta solution", difference});
  }
  const double share = times.back() > 0.0 ? homogenized::least_noise_share(solved, times.back()) : 1.0;
  result.facts.push_back({"least_noise_share", "least share of the added noise in a variance", share});
  result.facts.push_back({"steps", "steps of the solver", static_cast<double>(solved.steps())});
  result.facts.push_back({"kernel_terms", "terms of the kernel", static_cast<double>(solved.kernel_terms())});
  if (std::isfinite(solved.diverges_at())) {
    result.notes.push_back("the risk exceeds the range of doubles from iteration " +
                           rounded(solved.diverges_at() * problem.dimension, 6) + " on");
  }
  if (noises.size() > 1) {
    result.notes.push_back("regularised risk, plateau and shares are those of the first noise, " + shortest(noises[0]));
  }
  result.notes.emplace_back(
      "the expectation over data, noise and order; a single run fluctuates by about d^(-1/2), more if few directions "
      "carry the risk");
  result.considered = considered_facts(problem);
  result.plot = risk_picture(problem, solved, noises, times);
  return result;
}

}  // namespace

RiskProblem noisy_least_squares_risk() {
  return {
      "noisy-least-squares",
      "one-pass noisy SGD on regularised least squares: the Volterra equation of its diffusion limit",
      {"--problem data/examples/least-squares-figure-2a.json --plot risk.svg",
       "--problem data/examples/least-squares-figure-2a.json --noise 1,1.25,1.5 --iterations 0,100,1500",
       "--problem data/examples/least-squares-figure-2a.json --target-plateau 0.015",
       "--problem data/examples/least-squares.json --times 0.5,1,2 --verify --format csv"},
      {{"problem", OptionKind::text, "", "JSON: spectrum, x0, xtilde, E_xi2, delta, sigma, dim, schedule"},
       {"times", OptionKind::numbers, "[0, inf)", "times t = iteration/d, comma-separated"},
       {"iterations", OptionKind::numbers, "[0, inf)", "iterations, in place of times"},
       {"noise", OptionKind::numbers, "[0, inf)", "noise per coordinate of a gradient, in place of the file's; a list"},
       {"step-size", OptionKind::number, "(0, inf)", "constant step eta, in place of the file's schedule"},
       {"target-risk", OptionKind::number, "(0, inf)", "find the noise with this risk at the last time", "Questions"},
       {"target-plateau", OptionKind::number, "(0, inf)", "find the noise with this plateau (constant step)",
        "Questions"},
       {"within", OptionKind::number, "(0, 1) = 0.05", "from when on the risk is this close to its plateau",
        "Questions"},
       {"tolerance", OptionKind::number, "[1e-13, 0.1] = 1e-12", "wanted relative error", "Accuracy"},
       {"enclose", OptionKind::count, "[1, 1000]", "bounds of the risk from this many nodes for the spectrum",
        "Accuracy"},
       {"verify", OptionKind::flag, "", "solve again by Runge-Kutta; exit 4 if they differ", "Accuracy"}},
      least_squares_report};
}

}  // namespace dpcurves::queries

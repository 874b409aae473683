// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/variance_ode.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>

namespace dpcurves::homogenized {
namespace {

using State = std::vector<double>;
namespace odeint = boost::numeric::odeint;

constexpr std::size_t most_steps = 10'000'000;

/// v' = -2 gamma alpha v + (gamma^2/d)(2 P lambda + sigma^2).
class VarianceEquation {
 public:
  explicit VarianceEquation(const models::LeastSquares& problem) : problem_(problem), flow_(problem) {}

  [[nodiscard]] double risk(const State& v, double t) const {
    const Eigen::Map<const Eigen::ArrayXd> variance(v.data(), static_cast<Eigen::Index>(v.size()));
    const auto& spectrum = problem_.spectrum;
    return flow_.population_risk(problem_.schedule.integral(t)) +
           0.5 * (spectrum.multiplicity() * spectrum.eigenvalues() * variance).sum();
  }

  void operator()(const State& v, State& slope, double t) const {
    // Stages that fall on the end of a piece belong to the piece before it.
    const double time = std::clamp(t, begin_, end_);
    const double rate = time >= end_ ? problem_.schedule.rate_before(end_) : problem_.schedule.rate(time);
    const double own = risk(v, time);
    const double scale = rate * rate / problem_.dimension;
    const double noise2 = problem_.noise * problem_.noise;
    for (std::size_t b = 0; b < v.size(); ++b) {
      const auto i = static_cast<Eigen::Index>(b);
      slope[b] =
          -2.0 * rate * flow_.rates()[i] * v[b] + scale * (2.0 * own * problem_.spectrum.eigenvalues()[i] + noise2);
    }
  }

  void enter(double begin, double end) {
    begin_ = begin;
    end_ = end;
  }

 private:
  const models::LeastSquares& problem_;
  GradientFlow flow_;
  double begin_ = 0.0;
  double end_ = 0.0;
};

}  // namespace

std::vector<double> population_risk_by_ode(const models::LeastSquares& problem, std::span<const double> times,
                                           double tolerance) {
  require_domain(tolerance >= 1e-14 && tolerance < 1.0, "tolerance", tolerance, "[1e-14, 1)");
  VarianceEquation equation(problem);
  // Variances are of the size of their source, which shrinks with d: so must the absolute tolerance.
  const double largest =
      (2.0 * equation.risk(State(static_cast<std::size_t>(problem.spectrum.block_count()), 0.0), 0.0) *
           problem.spectrum.largest() +
       problem.noise * problem.noise) /
      problem.dimension;
  const double absolute = std::max(tolerance * largest, 1e-300);
  State v(static_cast<std::size_t>(problem.spectrum.block_count()), 0.0);
  std::vector<double> stops(times.begin(), times.end());
  for (const double kink : problem.schedule.kinks()) {
    if (!times.empty() && kink < times.back()) {
      stops.push_back(kink);
    }
  }
  std::sort(stops.begin(), stops.end());
  std::vector<double> risks;
  double t = 0.0;
  std::size_t steps = 0;
  std::size_t wanted = 0;
  for (const double stop : stops) {
    require_domain(stop >= t && stop <= problem.schedule.end(), "time", stop, "[the time before, end of the schedule]");
    if (stop > t) {
      equation.enter(t, stop);
      auto stepper = odeint::make_controlled(absolute, tolerance, odeint::runge_kutta_dopri5<State>());
      double step = (stop - t) / 64.0;
      while (t < stop) {
        if (++steps > most_steps) {
          throw ConvergenceError(
              "population_risk_by_ode: more than ten million steps; the problem is too stiff for it");
        }
        step = std::min(step, stop - t);
        const bool last = step == stop - t;
        if (stepper.try_step(std::ref(equation), v, t, step) == odeint::success && last) {
          t = stop;
        }
      }
    }
    while (wanted < times.size() && times[wanted] == stop) {
      risks.push_back(equation.risk(v, stop));
      ++wanted;
    }
  }
  return risks;
}

}  // namespace dpcurves::homogenized

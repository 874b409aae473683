// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/hsgd.hpp>

namespace dpcurves::simulate {
namespace {

using random::Purpose;

constexpr std::size_t paths_per_piece = 16;

/// -expm1(-z x)/x: the integral of exp(-x u) over [0, z].
double decayed(double x, double z) { return x == 0.0 ? z : -std::expm1(-x * z) / x; }

/// The coefficients of a step: X <- keep X + pull + sqrt(2 P lambda + sigma^2) shake Z.
class StepCoefficients {
 public:
  StepCoefficients(const models::LeastSquares& problem, Eigen::ArrayXd eigenvalues)
      : problem_(problem),
        eigenvalues_(std::move(eigenvalues)),
        keep(eigenvalues_.size()),
        pull(keep.size()),
        shake(keep.size()) {}

  void prepare(double begin, double step) {
    const double grown = problem_.schedule.integral(begin + step) - problem_.schedule.integral(begin);
    const double rate = problem_.schedule.rate(begin + 0.5 * step);
    // On a uniform grid under a constant rate the increments of Gamma differ by rounding alone.
    if (std::abs(grown - grown_) <= 1e-13 * problem_.schedule.integral(begin + step) && rate == rate_) {
      return;
    }
    grown_ = grown;
    rate_ = rate;
    for (Eigen::Index i = 0; i < keep.size(); ++i) {
      const double pace = eigenvalues_[i] + problem_.regularisation;
      keep[i] = std::exp(-pace * grown);
      pull[i] = eigenvalues_[i] * decayed(pace, grown) * problem_.xtilde[i];
      shake[i] = std::sqrt(rate * decayed(2.0 * pace, grown) / problem_.dimension);
    }
  }

 private:
  const models::LeastSquares& problem_;
  Eigen::ArrayXd eigenvalues_;
  double grown_ = -1.0, rate_ = -1.0;

 public:
  Eigen::ArrayXd keep, pull, shake;
};

void check(const std::vector<std::size_t>& observed, std::size_t steps, const Paths& paths) {
  for (std::size_t i = 0; i < observed.size(); ++i) {
    require_domain(observed[i] <= steps && (i == 0 || observed[i] > observed[i - 1]), "observed step",
                   static_cast<double>(observed[i]), "ascending, at most the steps");
  }
  require_domain(paths.first + paths.count <= (std::size_t{1} << 32U), "number of paths",
                 static_cast<double>(paths.first + paths.count), "[0, 2^32]");
}

}  // namespace

void hsgd(const models::LeastSquares& problem, double horizon, std::size_t steps,
          const std::vector<std::size_t>& observed, const Paths& paths, const IterateObserver& observe) {
  models::require_valid(problem);
  require_domain(problem.has_coordinates(), "coordinates of x0", 0.0, "those of the spectrum");
  require_domain(horizon > 0.0 && horizon <= problem.schedule.end() && std::isfinite(horizon), "horizon", horizon,
                 "(0, end of the schedule]");
  require_domain(steps >= 1, "steps", static_cast<double>(steps), "[1, inf)");
  check(observed, steps, paths);
  const Eigen::ArrayXd eigenvalues = problem.spectrum.per_coordinate(problem.spectrum.eigenvalues());
  const auto d = static_cast<std::size_t>(eigenvalues.size());
  const std::size_t stride = d + d % 2;
  const double step = horizon / static_cast<double>(steps);
  const double own_noise = problem.noise * problem.noise, floor = 0.5 * problem.label_noise;
  const std::size_t last = observed.empty() ? 0 : observed.back();
  const auto run_piece = [&](std::size_t piece) {
    const std::size_t begin = piece * paths_per_piece, end = std::min(paths.count, begin + paths_per_piece);
    std::vector<Eigen::ArrayXd> states(end - begin, problem.x0);
    StepCoefficients coefficients(problem, eigenvalues);
    Eigen::ArrayXd noise(eigenvalues.size());
    std::size_t next = 0;
    for (std::size_t k = 0;; ++k) {
      if (next < observed.size() && observed[next] == k) {
        for (std::size_t path = begin; path < end; ++path) {
          observe({path, 0, next}, {states[path - begin].data(), d});
        }
        ++next;
      }
      if (k == last) {
        return;
      }
      const double time = static_cast<double>(k) * step;
      coefficients.prepare(time, std::min(step, horizon - time));
      for (std::size_t path = begin; path < end; ++path) {
        Eigen::ArrayXd& x = states[path - begin];
        random::normals({noise.data(), d}, paths.seed, Purpose::noise, static_cast<std::uint32_t>(paths.first + path),
                        k * stride);
        const double risk = 0.5 * (eigenvalues * (x - problem.xtilde).square()).sum() + floor;
        x = coefficients.keep * x + coefficients.pull +
            (2.0 * risk * eigenvalues + own_noise).sqrt() * coefficients.shake * noise;
      }
    }
  };
  for_pieces(paths, paths_per_piece, run_piece);
}

void linear_hsgd(const LinearLaw& law, const std::optional<Jump>& jump, const Paths& paths,
                 const IterateObserver& observe) {
  const std::size_t times = law.integrals.size(), d = law.rates.size();
  require_domain(law.means.size() == times && law.variances.size() == times, "times of the law",
                 static_cast<double>(law.means.size()), "one mean and one variance per time");
  for (std::size_t j = 0; j < times; ++j) {
    require_domain(law.means[j].size() == d && law.variances[j].size() == d, "coordinates of the law",
                   static_cast<double>(law.means[j].size()), "those of the rates");
    require_domain(j == 0 ? law.integrals[j] >= 0.0 : law.integrals[j] >= law.integrals[j - 1], "Gamma",
                   law.integrals[j], "not decreasing, from 0");
  }
  if (jump) {
    require_domain(jump->at < times, "time of the jump", static_cast<double>(jump->at), "an index into the times");
    require_domain(jump->features.size() == d, "coordinates of the jump", static_cast<double>(jump->features.size()),
                   "those of the rates");
  }
  check({}, 0, paths);
  // X_j = keep (X_{j-1} - m_{j-1}) + m_j + spread Z; at the first time the law itself.
  std::vector<std::vector<double>> keep(times, std::vector<double>(d)), spread = keep;
  for (std::size_t j = 0; j < times; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      keep[j][i] = j == 0 ? 0.0 : std::exp(-law.rates[i] * (law.integrals[j] - law.integrals[j - 1]));
      const double kept = j == 0 ? 0.0 : keep[j][i] * keep[j][i] * law.variances[j - 1][i];
      spread[j][i] = std::sqrt(std::max(0.0, law.variances[j][i] - kept));
    }
  }
  const std::size_t stride = d + d % 2;
  const auto run_piece = [&](std::size_t piece) {
    std::vector<double> x(d), noise(d);
    const std::size_t end = std::min(paths.count, (piece + 1) * paths_per_piece);
    for (std::size_t path = piece * paths_per_piece; path < end; ++path) {
      const auto number = static_cast<std::uint32_t>(paths.first + path);
      for (std::size_t j = 0; j < times; ++j) {
        random::normals(noise, paths.seed, Purpose::noise, number, j * stride);
        for (std::size_t i = 0; i < d; ++i) {
          const double from = j == 0 ? 0.0 : x[i] - law.means[j - 1][i];
          x[i] = law.means[j][i] + keep[j][i] * from + spread[j][i] * noise[i];
        }
        if (jump && jump->at == j) {
          random::normals(noise, paths.seed, Purpose::sampling, number, 0);
          const double along = jump->step_size * (dot(jump->features, x) - jump->label);
          const double stay = 1.0 - jump->step_size * jump->regularisation;
          for (std::size_t i = 0; i < d; ++i) {
            x[i] = stay * x[i] - along * jump->features[i] + jump->step_size * jump->noise * noise[i];
          }
        }
        observe({path, 0, j}, x);
      }
    }
  };
  for_pieces(paths, paths_per_piece, run_piece);
}

}  // namespace dpcurves::simulate

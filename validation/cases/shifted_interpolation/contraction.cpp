// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/descent.hpp>
#include <dpcurves/models/projection.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

/// f(x) = m |x|^2/2 + (M - m) h(direction . x): a quadratic with eigenvalues m and M, or a regularised logistic loss.
struct RidgeLoss {
  double strong_convexity = 0.0;
  double smoothness = 0.0;
  Vector direction;
  bool logistic = false;

  [[nodiscard]] Vector gradient(const Vector& x) const {
    const double u = dot(direction, x);
    const double link = logistic ? 4.0 / (1.0 + std::exp(-u)) : u;  // both of slope at most 1
    Vector result = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      result[i] = strong_convexity * x[i] + (smoothness - strong_convexity) * link * direction[i];
    }
    return result;
  }
};

/// The largest |step(x) - step(y)| / |x - y| over random pairs, half of them near each other, and over pairs along
/// and across the direction of largest curvature.
double largest_ratio(const RidgeLoss& loss, double step_size, std::size_t pairs, Draws& draws) {
  const std::size_t d = loss.direction.size();
  double largest = 0.0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Vector x = draws.normals(d);
    Vector displacement = draws.normals(d);
    if (i % 3 == 1) {
      displacement = loss.direction;
    } else if (i % 3 == 2) {
      displacement = sum(displacement, -dot(displacement, loss.direction), loss.direction);
    }
    const Vector y = sum(x, i % 2 == 0 ? 1e-3 : 3.0, displacement);
    const Vector step_x = sum(x, -step_size, loss.gradient(x)), step_y = sum(y, -step_size, loss.gradient(y));
    largest = std::max(largest, distance(step_x, step_y) / distance(x, y));
  }
  return largest;
}

double claimed_contraction(double m, double M, double step_size) {
  interpolation::DescentParameters parameters{
      .noise = 1.0, .effective_sensitivity = 1.0, .step_size = step_size, .strong_convexity = m, .smoothness = M};
  return interpolation::make_descent(parameters).contraction.value().c();
}

void gradient_step_case(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/lemma-2.8");
  const std::size_t losses = setting.size(40, 400), pairs = 300, dimension = 6;
  outcome.claim.by_exact_law();
  const auto compare = [](Trial& trial, double ratio, double bound, const std::string& what) {
    trial.at_most(ratio, bound * (1.0 + 1e-11), what + ", largest ratio of distances after and before a step");
  };
  for (std::size_t k = 0; k < losses; ++k) {
    const double M = draws.uniform(0.5, 4.0), m = k % 4 == 0 ? 0.0 : draws.uniform(0.0, M);
    const double step_size = draws.uniform(0.05, 1.999) / M;
    const RidgeLoss loss{m, M, unit(draws.normals(dimension)), k % 2 == 1};
    const double ratio = largest_ratio(loss, step_size, pairs, draws);
    const double c = claimed_contraction(m, M, step_size);
    const std::string what = std::string(loss.logistic ? "logistic" : "quadratic") + ", m = " + rounded(m, 3) +
                             ", M = " + rounded(M, 3) + ", eta = " + rounded(step_size, 3);
    compare(outcome.claim, ratio, c, what);
    if (!loss.logistic) {
      outcome.claim.close(ratio, c, 1e-9, what + ", the factor is attained");
      const double beyond = largest_ratio(loss, 2.1 / M, pairs, draws);
      compare(outcome.control, beyond, 1.0, what + " but eta = 2.1/M");
    }
  }
}

void projection_case(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/lemma-2.9");
  const std::size_t pairs = setting.size(4000, 100000);
  outcome.claim.by_exact_law();
  const auto onto = [](const models::Projection& set) {
    return [set](Vector x) {
      set.apply(x);
      return x;
    };
  };
  const auto compare = [&](Trial& trial, const std::function<Vector(Vector)>& project, const std::string& set) {
    double largest = 0.0;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t d = 1 + i % 8;
      const Vector x = sum(Vector(d, 0.0), 1.5, draws.normals(d));
      const Vector y = sum(x, i % 2 == 0 ? 1e-2 : 1.0, draws.normals(d));
      largest = std::max(largest, distance(project(x), project(y)) / distance(x, y));
    }
    trial.at_most(largest, 1.0 + 1e-12, "largest ratio of distances after and before projection onto the " + set);
  };
  compare(outcome.claim, onto(models::Projection::box(0.5)), "box");
  compare(outcome.claim, onto(models::Projection::ball(1.0)), "ball");
  compare(outcome.claim, onto(models::Projection::simplex(1.0)), "simplex");
  compare(outcome.control, unit, "sphere, which is not convex");
}

/// The gradient of log(1 + exp(-label theta . x)), clipped to the norm `clip`, plus a regulariser.
Vector clipped_gradient(const Vector& theta, const Vector& x, double clip, double regulariser) {
  const double weight = -1.0 / (1.0 + std::exp(dot(theta, x)));
  const double length = std::abs(weight) * norm(x);
  const double factor = weight * std::min(1.0, clip / length);
  return sum(sum(Vector(theta.size(), 0.0), regulariser, theta), factor, x);
}

void sensitivity_case(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/definition-2.10");
  const std::size_t trials = setting.size(20000, 400000), dimension = 4;
  const double clip = 0.7;
  double largest = 0.0;
  for (std::size_t k = 0; k < trials; ++k) {
    const Vector theta = sum(Vector(dimension, 0.0), 3.0, draws.normals(dimension));
    const Vector x = sum(Vector(dimension, 0.0), 4.0, draws.normals(dimension));
    // Every other neighbour is the opposite example turned a little, which comes close to the largest difference.
    const Vector other = k % 2 == 0 ? sum(Vector(dimension, 0.0), 4.0, draws.normals(dimension))
                                    : sum(sum(Vector(dimension, 0.0), -1.0, x), 1e-3, draws.normals(dimension));
    largest =
        std::max(largest, distance(clipped_gradient(theta, x, clip, 0.05), clipped_gradient(theta, other, clip, 0.05)));
  }
  outcome.claim.by_exact_law();
  const auto compare = [&](Trial& trial, double sensitivity, const std::string& what) {
    trial.at_most(largest, sensitivity * (1.0 + 1e-12), "largest difference of two gradients, " + what);
  };
  compare(outcome.claim, 2.0 * clip, "L = 2 x 0.7");
  outcome.claim.close(largest, 2.0 * clip, 1e-6, "opposite examples reach L");
  compare(outcome.control, clip, "L = 0.7");
}

}  // namespace

std::vector<Case> contraction_cases() {
  return {
      {"shifted-interpolation/lemma-2.8",
       "A gradient step x - eta grad f(x) with f m-strongly convex and M-smooth and eta at most 2/M is c-Lipschitz "
       "with c = max(|1 - eta m|, |1 - eta M|).",
       "40 random quadratics and regularised logistic losses in 6 dimensions (nightly 400), 300 pairs of points each; "
       "the largest ratio of distances is compared with c, which the quadratics attain.",
       "The step does not expand for eta = 2.1/M either.", gradient_step_case},
      {"shifted-interpolation/lemma-2.9", "Projection onto a closed convex set is 1-Lipschitz.",
       "4000 pairs of points (nightly 100,000) in 1 to 8 dimensions projected onto a box, a ball and the simplex.",
       "The same for the sphere, which is not convex.", projection_case},
      {"shifted-interpolation/definition-2.10",
       "Gradients clipped to norm L/2, with a common regulariser added, have sensitivity L, and no smaller number.",
       "20,000 pairs of logistic losses (nightly 400,000) in 4 dimensions, half of them nearly opposite examples; the "
       "largest norm of a difference of gradients is compared with L.",
       "The clipping norm itself is the sensitivity.", sensitivity_case},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation

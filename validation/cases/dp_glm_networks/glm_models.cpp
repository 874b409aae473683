// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Surrogate losses, Moreau envelopes, random projections, and networks as functions of monomials.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/models/johnson_lindenstrauss.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/models/polynomial_features.hpp>
#include <dpcurves/simulate/glm_records.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

using models::LinkKind;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> scaled(std::vector<double> x, double factor) {
  for (double& value : x) {
    value *= factor;
  }
  return x;
}

/// Uniform in direction, length at most 1.
std::vector<double> in_ball(Draws& draws, std::size_t d) {
  auto x = draws.normals(d);
  return scaled(x, draws.uniform(0.5, 1.0) / std::sqrt(dot(x, x)));
}

void definition_6(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(setting.size(4000, 200000));
  const std::size_t runs = setting.size(4000, 200000);
  const std::vector<double> u{1.0, 0.0}, v{0.3, std::sqrt(0.91)};
  for (const std::size_t m : {5U, 50U}) {
    std::vector<double> pu(m), pv(m), products;
    for (std::size_t run = 0; run < runs; ++run) {
      auto phi = models::JohnsonLindenstrauss::gaussian(m, 2, seed_of(setting, "dp-glm-networks/definition-6", m),
                                                        static_cast<std::uint32_t>(run), false, broken ? 1.0 : 0.0);
      phi.apply(u, pu);
      phi.apply(v, pv);
      products.push_back(dot(pu, pv));
    }
    const auto exact = models::inner_product_moments(1.0, 1.0, 0.3, static_cast<double>(m));
    const auto seen = inference::moments(products);
    const std::string where = " of <Phi u, Phi v>, m = " + std::to_string(m);
    within_errors(trial, seen.mean, seen.mean_error, exact.mean, "mean" + where);
    within_errors(trial, seen.variance, seen.variance_error, exact.variance, "variance" + where);
  }
}

void lemma_2(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "dp-glm-networks/lemma-2");
  for (const LinkKind kind :
       {LinkKind::sigmoid, LinkKind::tanh, LinkKind::relu, LinkKind::identity, LinkKind::hard_tanh, LinkKind::erf}) {
    const auto link = models::make_link(kind);
    const double smooth = link.lipschitz() * (broken ? 0.5 : 1.0);
    double convexity = 0.0, smoothness = 0.0, lipschitz = 0.0;
    for (std::size_t i = 0; i < setting.size(2000, 100000); ++i) {
      const auto x = in_ball(draws, 3);
      const auto w = scaled(draws.normals(3), 0.5), v = scaled(draws.normals(3), 0.5);
      const double y = draws.uniform(-1.0, 1.0), a = dot(w, x), b = dot(v, x), size = std::sqrt(dot(x, x));
      const double at_a = models::surrogate_slope(link, a, y), at_b = models::surrogate_slope(link, b, y);
      const double above = models::surrogate_loss(link, b, y) - models::surrogate_loss(link, a, y) - at_a * (b - a);
      convexity = std::max(convexity, -above);
      std::vector<double> difference(3);
      std::transform(w.begin(), w.end(), v.begin(), difference.begin(), std::minus<>());
      smoothness = std::max(smoothness, std::abs(at_a - at_b) * size / std::sqrt(dot(difference, difference)));
      lipschitz = std::max(lipschitz, std::abs(at_a) * size);
    }
    const std::string where = ", " + models::to_string(kind);
    trial.at_most(convexity, 1e-15, "how far a tangent lies above the loss" + where);
    trial.at_most(smoothness, smooth, "Lipschitz constant of gradients on sampled pairs" + where);
    if (std::isfinite(link.bound())) {
      trial.at_most(lipschitz, 2.0, "largest gradient" + where);
    }
  }
}

void lemma_4(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "dp-glm-networks/lemma-4");
  for (const LinkKind kind : {LinkKind::tanh, LinkKind::hard_tanh, LinkKind::sign}) {
    for (const double beta : {0.5, 2.0, 20.0}) {
      const auto link = models::make_link(kind);
      double steepest = 0.0, smoothness = 0.0, gap = 0.0, below = 0.0;
      for (std::size_t i = 0; i < setting.size(1000, 40000); ++i) {
        const double m = draws.uniform(-12.0, 12.0), h = draws.uniform(-0.5, 0.5);
        const double slope = models::prox(link, -1.0, beta, m).slope,
                     next = models::prox(link, -1.0, beta, m + h).slope;
        steepest = std::max(steepest, std::abs(slope));
        smoothness = std::max(smoothness, (next - slope) / h);
        below = std::max(below, -(next - slope) * h);
        gap = std::max(gap, models::moreau_gap(link, -1.0, beta, m));
      }
      const std::string where = ", " + models::to_string(kind) + ", beta " + shortest(beta);
      trial.at_most(below, 1e-15, "how far the derivative falls" + where);
      trial.at_most(smoothness, beta * (1.0 + 1e-9), "Lipschitz constant of the derivative" + where);
      trial.at_most(steepest, broken ? 1.0 : 2.0, "derivative of the envelope against that of the loss" + where);
      trial.at_most(gap, 2.0 / beta * (1.0 + 1e-12), "gap against G^2/(2 beta)" + where);
    }
  }
}

void lemma_5(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "dp-glm-networks/lemma-5");
  for (const LinkKind kind : {LinkKind::tanh, LinkKind::hard_tanh, LinkKind::sign}) {
    for (const double beta : {0.5, 2.0, 20.0}) {
      double gap = models::moreau_gap(models::make_link(kind), -1.0, beta, 20.0);
      for (std::size_t i = 0; i < setting.size(1000, 40000); ++i) {
        gap = std::max(gap, models::moreau_gap(models::make_link(kind), draws.uniform(-1.0, 1.0), beta,
                                               draws.uniform(-10.0, 10.0)));
      }
      trial.at_most(gap, 2.0 / beta * (broken ? 0.9 : 1.0 + 1e-12),
                    "gap, " + models::to_string(kind) + ", beta " + shortest(beta));
    }
  }
}

void lemma_6(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  const struct {
    LinkKind kind;
    double slope;
  } links[] = {{LinkKind::tanh, 1.0}, {LinkKind::hard_tanh, 1.0}, {LinkKind::tanh, 50.0}, {LinkKind::sign, 1.0}};
  for (const auto& [kind, slope] : links) {
    const auto link = models::make_link(kind, slope);
    for (const double gamma : {0.5, setting.nightly ? 0.02 : 0.2}) {
      double worst = 0.0;
      const double steps = std::max(1.0, models::oracle_steps(1.0, gamma) / (broken ? 100.0 : 1.0));
      for (const double beta : {0.5, 5.0, 50.0}) {
        for (const double m : {-2.0, -0.1, 0.003, 0.3, 1.1}) {
          for (const double y : {-1.0, 0.3}) {
            const double found = models::oracle_slope(link, y, 1.0, beta, m, static_cast<std::uint64_t>(steps));
            worst = std::max(worst, std::abs(found - models::prox(link, y, beta, m).slope));
          }
        }
      }
      trial.at_most(worst, gamma,
                    "error after " + shortest(std::floor(steps)) + " steps, " + models::to_string(kind) + ", slope " +
                        shortest(slope));
    }
  }
}

/// How the error of the oracle falls.
void algorithm_4(const Setting&, Trial& trial, bool broken) {
  trial.by_exact_law();
  const auto check = [&](LinkKind kind, double m, double low, double high) {
    const auto link = models::make_link(kind);
    std::vector<double> steps{10, 100, 1000, 10000}, errors;
    for (const double t : steps) {
      errors.push_back(std::abs(models::oracle_slope(link, 0.3, 1.0, 1.0, m, static_cast<std::uint64_t>(t)) -
                                models::prox(link, 0.3, 1.0, m).slope));
    }
    slope_within(trial, steps, errors, broken ? -0.6 : low, broken ? -0.4 : high,
                 "error against steps, " + models::to_string(kind));
  };
  check(LinkKind::tanh, 0.9, -2.3, -1.7);
  check(LinkKind::sign, 0.05, -1.3, -0.7);
}

void lemma_16(const Setting& setting, Trial& trial, bool broken) {
  const double ratio = std::numbers::pi + std::hypot(1.0, std::numbers::pi);
  double before = models::sigmoid_polynomial(1).log10_error;
  for (std::size_t degree = 3; degree <= setting.size(25, 99); degree += 2) {
    const auto p = models::sigmoid_polynomial(degree);
    const double per_degree = std::pow(10.0, 0.5 * (before - p.log10_error));
    const std::string where = " at degree " + std::to_string(degree);
    trial.close(per_degree, broken ? std::exp(1.0) : ratio, 0.05, "fall of the error per degree" + where);
    trial.at_most(p.coefficient_norm, 0.5594089855, "|b|" + where);
    before = p.log10_error;
  }
}

void lemma_17(const Setting&, Trial& trial, bool broken) {
  for (const std::size_t degree : {1U, 2U, 3U, 6U, 10U, 16U}) {
    auto p = models::relu_polynomial(degree);
    if (broken) {
      p.coefficients.back() = 0.0;
    }
    double worst = 0.0;
    constexpr int points = 2000;
    for (int i = -points; i <= points; ++i) {
      const double t = static_cast<double>(i) / points;
      double value = 0.0;
      for (std::size_t j = p.coefficients.size(); j-- > 0;) {
        value = value * t + p.coefficients[j];
      }
      worst = std::max(worst, std::abs(std::max(t, 0.0) - value));
    }
    trial.close(worst, p.error, 1e-10, "largest error at degree " + std::to_string(degree));
  }
}

void remark_12(const Setting&, Trial& trial, bool broken) {
  std::vector<double> degrees, sigmoid, relu;
  for (std::size_t degree = 33; degree <= 57; degree += 8) {
    degrees.push_back(static_cast<double>(degree + 1));
    sigmoid.push_back(models::sigmoid_polynomial(degree).weight);
    relu.push_back(models::relu_polynomial(degree).weight);
  }
  slope_within(trial, degrees, broken ? relu : sigmoid, 0.49, 0.51, "W/sqrt(k) of the sigmoid against degree + 1");
  for (std::size_t i = 1; i < degrees.size(); ++i) {
    const auto& weights = broken ? sigmoid : relu;
    trial.close(std::pow(weights[i] / weights[i - 1], 0.125), 1.0 + std::numbers::sqrt2, 0.08,
                "growth of W per degree of the ReLU, degree " + shortest(degrees[i]));
  }
}

void definition_7(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "dp-glm-networks/definition-7");
  constexpr std::size_t d = 3, units = 4;
  for (const bool relu : {false, true}) {
    for (const std::size_t degree : {1U, 3U, 6U}) {
      const auto p = relu ? models::relu_polynomial(degree) : models::sigmoid_polynomial(degree);
      const models::PolynomialFeatures psi(d, degree);
      double misfit = 0.0, length = 0.0;
      for (std::size_t network = 0; network < setting.size(10, 200); ++network) {
        // The first has all units alike, where the misfits of the units add up.
        std::vector<std::vector<double>> directions(units);
        std::vector<double> outer(units, 0.5), w(psi.size(), 0.0);
        for (std::size_t t = 0; t < units; ++t) {
          directions[t] = network == 0 ? std::vector{1.0, 0.0, 0.0} : draws.normals(d);
          directions[t] = scaled(directions[t], 1.0 / std::sqrt(dot(directions[t], directions[t])));
          if (network > 0) {
            outer[t] = draws.normal();
          }
        }
        outer = scaled(outer, 1.0 / std::sqrt(dot(outer, outer)));
        for (std::size_t t = 0; t < units; ++t) {
          const auto unit = psi.unit(directions[t], p.coefficients);
          for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] += outer[t] * unit[i];
          }
        }
        length = std::max(length, std::sqrt(dot(w, w)));
        std::vector<double> features(psi.size());
        for (std::size_t point = 0; point < 100; ++point) {
          auto x = in_ball(draws, d);
          if (point < 2) {  // where a polynomial is worst: at an end, or at the kink
            x = {point == 0 ? 1.0 : 0.0, 0.0, 0.0};
          } else if (point < 22) {
            x = scaled(directions[0], static_cast<double>(point) / 21.0);
          }
          psi.evaluate(x, features);
          double f = 0.0;
          for (std::size_t t = 0; t < units; ++t) {
            const double u = dot(directions[t], x);
            f += outer[t] * (relu ? std::max(u, 0.0) : 1.0 / (1.0 + std::exp(-u)));
          }
          misfit = std::max(misfit, std::abs(f - dot(w, features)));
        }
      }
      const std::string where = std::string(relu ? ", ReLU" : ", sigmoid") + ", degree " + std::to_string(degree);
      trial.at_most(misfit, (broken ? 0.6 : 1.0) * 2.0 * p.error * (1.0 + 1e-9) + 1e-15, "misfit against M" + where);
      trial.at_most(length, 2.0 * p.weight * (1.0 + 1e-12), "|w*| against W" + where);
    }
  }
}

/// What the checks of Assumptions 1 and 3 find in laws with one fault each.
void assumptions(Trial& trial, bool mapped, bool broken) {
  simulate::GlmLaw law{.dimension = 3,
                       .link = models::make_link(mapped ? LinkKind::sigmoid : LinkKind::tanh),
                       .parameter = {0.6, 0.0, 0.8},
                       .labels = simulate::LabelLaw::two_point};
  const models::PolynomialFeatures psi(3, 2);
  const auto count = [&](const simulate::GlmLaw& of, const simulate::GlmAssumption& asked) {
    simulate::DrawnRecords records(of, 200, 1, 0);
    simulate::MappedRecords features(records, psi);
    return simulate::violations(asked, of.link, of.parameter,
                                mapped ? static_cast<simulate::RecordSource&>(features) : records, 200)
        .size();
  };
  const simulate::GlmAssumption asked{1.0, mapped ? 0.25 : 1.0, 1.0, 1.0 + 1e-12};
  auto clean = law;
  if (broken) {
    clean.features = simulate::FeatureLaw::wide_sphere;
  }
  trial.require(count(clean, asked) == 0, "a law that keeps every clause has no violation");
  auto one = asked;
  one.parameter_norm = 0.9;
  trial.require(count(law, one) == 1, "|w*| above W is found");
  one = asked;
  one.lipschitz *= 0.9;
  trial.require(count(law, one) == 1, "a link steeper than G is found");
  one = asked;
  one.label_bound = 0.9;
  trial.require(count(law, one) == 2, "a link and labels above B are found");
  auto wide = law;
  wide.features = simulate::FeatureLaw::wide_sphere;
  trial.require(count(wide, asked) == 1, "features outside the unit ball are found");
}

/// Measured error of the oracle against its steps, beside what Lemma 6 proves.
io::Plot oracle_picture() {
  io::Plot plot{.title = "Error of the gradient oracle, B = 1, beta = 1, label 0.3",
                .x = {"steps T", true, {}, {}},
                .y = {"error of the derivative", true, 1e-10, {}},
                .legend = io::Legend::bottom_left};
  std::vector<double> steps, proved;
  for (int k = 0; k <= 14; ++k) {
    steps.push_back(std::ldexp(1.0, k));
    proved.push_back(models::oracle_error_bound(1.0, steps.back()));
  }
  const struct {
    const char* name;
    models::Link link;
    double at;
  } rows[] = {{"tanh", models::make_link(LinkKind::tanh), 0.9},
              {"tanh(50 u)", models::make_link(LinkKind::tanh, 50.0), 0.02},
              {"sign", models::make_link(LinkKind::sign), 0.05}};
  plot.series.push_back(io::line("proved, 12 B/sqrt(T + 1)", steps, proved));
  for (const auto& row : rows) {
    std::vector<double> errors = mapped(steps, [&](double t) {
      return std::abs(models::oracle_slope(row.link, 0.3, 1.0, 1.0, row.at, static_cast<std::uint64_t>(t)) -
                      models::prox(row.link, 0.3, 1.0, row.at).slope);
    });
    plot.series.push_back(io::points(row.name, steps, errors));
  }
  return plot;
}

/// Errors of the polynomials and the parameter norms they need, against the degree.
io::Plot degree_picture() {
  io::Plot plot{.title = "Polynomials near the hidden activation on [-1, 1]",
                .x = {"degree", false, {}, {}},
                .y = {"error alpha0, and W/sqrt(k)", true, 1e-16, 1e8},
                .legend = io::Legend::bottom_left};
  for (const bool relu : {false, true}) {
    std::vector<double> degrees, errors, weights;
    for (std::size_t degree = 1; degree <= 20; ++degree) {
      const auto p = relu ? models::relu_polynomial(degree) : models::sigmoid_polynomial(degree);
      degrees.push_back(static_cast<double>(degree));
      errors.push_back(p.error);
      weights.push_back(p.weight);
    }
    const std::string name = relu ? "ReLU" : "sigmoid";
    plot.series.push_back(io::points(name + ": error", degrees, errors));
    plot.series.back().colour = relu ? 1 : 0;
    plot.series.push_back(io::line(name + ": W/sqrt(k)", degrees, weights));
    plot.series.back().colour = relu ? 1 : 0;
  }
  return plot;
}

Case drawn(Case base, const char* title, io::Plot (*draw)()) {
  base.run = [run = base.run, title, draw](const Setting& setting, Outcome& outcome) {
    run(setting, outcome);
    outcome.figures = {{title, draw()}};
  };
  return base;
}

}  // namespace

std::vector<Case> glm_model_cases() {
  return {
      compared("dp-glm-networks/definition-6", "<Phi u, Phi v> has mean <u, v> and variance (|u|^2 |v|^2 + <u, v>^2)/m",
               "4000 (nightly 2e5) Gaussian maps to 5 and 50 dimensions, cosine 0.3", "entries without 1/sqrt(m)",
               definition_6),
      compared("dp-glm-networks/definition-7",
               "sup |f - <w*, psi>| <= sqrt(k) alpha0 and |w*| <= sqrt(k) sqrt(D + 1) |b|",
               "ten (nightly 200) networks of four units, degrees 1, 3 and 6, points of the ball and the worst ones",
               "0.6 of the misfit", definition_7),
      compared("dp-glm-networks/assumption-1", "every clause is checked by itself", "laws with one fault each",
               "features too long",
               [](const Setting&, Trial& trial, bool broken) { assumptions(trial, false, broken); }),
      compared("dp-glm-networks/assumption-3", "every clause is checked by itself on mapped features, and |psi| <= 1",
               "laws with one fault each behind monomials of degree 2", "features too long",
               [](const Setting&, Trial& trial, bool broken) { assumptions(trial, true, broken); }),
      compared("dp-glm-networks/lemma-2", "the surrogate loss is convex, G-smooth and 2B-Lipschitz",
               "pairs of points at 2000 (nightly 1e5) records, six links", "G/2 in place of G", lemma_2),
      compared("dp-glm-networks/lemma-4",
               "the envelope is convex, beta-smooth, as Lipschitz as the loss, and within G^2/(2 beta)",
               "random points, label -1, three links, beta 0.5 to 20", "half the Lipschitz constant", lemma_4),
      compared("dp-glm-networks/lemma-5", "the envelope of the surrogate is within 2 B^2/beta",
               "random points and labels, three links", "nine tenths of the gap", lemma_5),
      compared("dp-glm-networks/lemma-6", "144 B^2/gamma^2 steps of the oracle reach gamma",
               "the literal iteration against the proximal point, four links, beta 0.5 to 50, gamma 0.5 and 0.2 "
               "(nightly 0.02)",
               "a hundredth of the steps", lemma_6),
      drawn(compared("dp-glm-networks/algorithm-4",
                     "the oracle's error falls like 1/T^2 for a smooth link and like 1/T for the sign link",
                     "the literal iteration with 10 to 1e4 steps against the proximal point",
                     "1/sqrt(T), what Lemma 6 proves", algorithm_4),
            "error of the oracle against its steps", oracle_picture),
      compared("dp-glm-networks/lemma-16",
               "the sigmoid's error falls 6.44-fold per degree while |b| stays below 0.5595",
               "interpolants up to degree 25 (nightly 99) in extended precision", "e-fold per degree", lemma_16),
      compared("dp-glm-networks/lemma-17", "the ReLU's error is 1/(pi (2 floor(D/2) + 1))",
               "truncated series on a grid, degrees 1 to 16", "the last coefficient dropped", lemma_17),
      drawn(compared("dp-glm-networks/remark-12",
                     "W grows like sqrt(D + 1) for the sigmoid and like (1 + sqrt 2)^D for the ReLU",
                     "degrees 33 to 57 in extended precision", "the activations exchanged", remark_12),
            "errors and norms against the degree", degree_picture)};
}

}  // namespace dpcurves::validation::dp_glm_networks

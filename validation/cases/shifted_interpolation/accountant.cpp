// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Many subsampled steps: the certified accountant (derived-6) and the central limit (Lemmas A.5 and A.11).
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/detail/rate_fit.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/function.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/finite_pair.hpp"
#include "validation/runs.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using accounting::Composition;

/// mu of the central limit of a composition.
double limit_mu(const Composition& composition) {
  double square = composition.gaussian_mu * composition.gaussian_mu;
  for (const auto& c : composition.components) {
    const double mu = accounting::central_limit(c.sampling_rate, c.mu, c.count).mu_clt;
    square += mu * mu;
  }
  return std::sqrt(square);
}

// derived-6 ----------------------------------------------------------------------------------------------------------

struct Reference {
  Composition composition;
  double epsilon, delta, accuracy;  // accuracy: of the printed delta, relative
  double width = 1e-6;              // relative width that the interval must keep; 2: any
};

/// 34-digit contour inversion, two contours each.
const std::vector<Reference>& references() {
  static const std::vector<Reference> values{
      {{0.0, {{0.025, 2.0 / 3.0, 2000.0}}}, 1.0, 0.1297960997697617, 1e-14},
      {{0.0, {{0.025, 2.0 / 3.0, 2000.0}}}, 4.44, 9.922175937093627e-6, 1e-14},
      {{0.0, {{0.025, 2.0 / 3.0, 2000.0}}}, 15.0, 2.3947e-44, 3e-5},
      {{0.0, {{0.01, 1.0, 1000.0}}}, 1.0, 0.009905437799565351, 1e-14},
      {{0.0, {{0.01, 1.0, 1000.0}}}, 6.0, 3.212287850578591e-18, 1e-9},
      {{0.0, {{0.001, 1.0, 1e6}}}, 4.0, 0.030084022937354675, 1e-14},
      {{0.0, {{0.0001, 2.0, 1e6}}}, 3.0, 0.0018072887710598282, 1e-14},
      {{0.10540925533894598, {{0.01, 0.4714045207910317, 2000.0}}}, 1.0, 2.0802692668649707e-5, 1e-14},
      {{0.0, {{1e-5, 1.0, 1e6}}}, 0.0366, 1.007496956472216e-4, 1e-14},
      {{0.0, {{1e-5, 1.0, 1e6}}}, 0.1, 7.299929748649174e-12, 1e-14, 1e-4},
      {{0.0, {{1e-5, 1.0, 1e6}}}, 0.15, 4.52244e-20, 2e-6, 2.0}};
  return values;
}

std::string name_of(const Reference& r) {
  const auto& c = r.composition.components.front();
  return "p = " + rounded(c.sampling_rate, 3) + ", mu = " + rounded(c.mu, 3) + ", t = " + rounded(c.count, 7) +
         (r.composition.gaussian_mu > 0.0 ? ", G(" + rounded(r.composition.gaussian_mu, 3) + ")" : "") +
         ", epsilon = " + rounded(r.epsilon, 4);
}

/// log(1 + p (e^(mu x - mu^2/2) - 1)).
double loss_at(double x, double p, double mu) { return std::log1p(p * std::expm1(mu * x - 0.5 * mu * mu)); }

/// The loss of one step of C_p(G(mu)) under Q. By Proposition D.4 it is l(x) with density
/// (1 - p) phi(x) + p phi(x - mu) and -l(x) with density phi(x) for x >= mu/2, and 0 otherwise.
double step_loss(double normal, bool chosen, double p, double mu) {
  if (normal <= -0.5 * mu) {
    return -loss_at(-normal, p, mu);
  }
  const double x = normal + (chosen ? mu : 0.0);
  return x > 0.5 * mu ? loss_at(x, p, mu) : 0.0;
}

/// Sums of losses under Q; under P the law is that of their negatives.
std::vector<double> drawn_losses(const Setting& setting, std::uint32_t number, const Composition& composition,
                                 std::size_t count) {
  std::vector<double> sums(count, 0.0);
  const double g = composition.gaussian_mu;
  const auto& c = composition.components.front();
  auto first = normal_sample(setting, number, count);
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = g * first[i] + 0.5 * g * g;
  }
  for (std::uint32_t step = 1; step <= static_cast<std::uint32_t>(c.count); ++step) {
    const auto normal = normal_sample(setting, number + step, count);
    const auto choice = uniform_sample(setting, number + step, count);
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] += step_loss(normal[i], choice[i] < c.sampling_rate, c.sampling_rate, c.mu);
    }
  }
  return sums;
}

/// How many of the drawn losses of Q, and of P, exceed each epsilon.
struct Exceedances {
  std::uint64_t power = 0, error = 0;
};

Exceedances exceedances(const std::vector<double>& losses, double epsilon) {
  const auto count = [&](double sign) {
    return static_cast<std::uint64_t>(
        std::count_if(losses.begin(), losses.end(), [&](double y) { return sign * y > epsilon; }));
  };
  return {count(1.0), count(-1.0)};
}

accounting::ProfilePoint central_limit_point(const Composition& composition, double epsilon) {
  const double mu = limit_mu(composition);
  return accounting::ProfilePoint{.delta = exactly(tradeoff::delta_of_epsilon(epsilon, mu)),
                                  .type_one_error = exactly(numerics::normal_upper_tail(epsilon / mu + 0.5 * mu)),
                                  .power = exactly(numerics::normal_upper_tail(epsilon / mu - 0.5 * mu))};
}

bool meet(const Enclosure& a, const Enclosure& b) { return a.lower <= b.upper && b.lower <= a.upper; }

/// The accountant's profile of a composition at the epsilons x beside that of the central limit.
io::Plot profile_picture(const Composition& shown, const std::vector<double>& x, const std::vector<double>& exact) {
  io::Plot plot;
  plot.title = "C_p(G(mu))^t, p = 0.01, mu = 1, t = 1000";
  plot.x = {.label = "epsilon", .lowest = 0.0, .highest = 8.0};
  plot.y = {.label = "delta", .logarithmic = true, .lowest = 1e-30, .highest = 1.0};
  plot.legend = io::Legend::bottom_left;
  std::vector<double> limit;
  for (const double epsilon : x) {
    limit.push_back(tradeoff::delta_of_epsilon(epsilon, limit_mu(shown)));
  }
  plot.series = {io::line("accountant", x, exact), io::dashed("central limit (not a guarantee)", x, limit),
                 io::points("34-digit values", {1.0, 6.0}, {0.009905437799565351, 3.212287850578591e-18})};
  return plot;
}

Case derived_6() {
  return {
      "shifted-interpolation/derived-6",
      "The accountant's intervals hold the profile, the type I error and the power of "
      "G(g) tensor C_p(G(mu))^t, for any t, and are narrow.",
      "11 profiles in 34-digit arithmetic from 0.13 down to 2e-44, among them rare jumps (p = 1e-5, t = 1e6): "
      "contained, relative width 1e-6 but for the two rarest jumps (1e-4, and 0 as the lower end allowed); 2e5 sums of "
      "12 sampled losses at 6 epsilons, exact intervals.",
      "The central limit in the place of the accountant.", [](const Setting& setting, Outcome& outcome) {
        const Composition sampled{0.4, {{0.2, 1.0, 12.0}}};
        const std::vector<double> epsilons{-0.5, 0.0, 0.5, 1.0, 2.0, 3.5};
        const std::size_t runs = setting.size(200000, 4000000);
        std::vector<std::pair<Composition, double>> asked;
        for (const Reference& r : references()) {
          asked.emplace_back(r.composition, r.epsilon);
        }
        for (const double epsilon : epsilons) {
          asked.emplace_back(sampled, epsilon);
        }
        const Composition shown{0.0, {{0.01, 1.0, 1000.0}}};
        const std::vector<double> x = even_grid(33, 0.0, 8.0);
        std::vector<double> exact(x.size());  // of the picture
        // A piece is a question to the accountant, of which the references ask for delta only; the first is the
        // draws, the second the picture.
        std::vector<accounting::ProfilePoint> proved(asked.size());
        std::vector<Exceedances> drawn(epsilons.size());
        Sharing::next_loop_needs_no_stand_in();
        shared_for(
            asked.size() + 2, 1,
            [&](std::size_t piece) {
              if (piece == 0) {
                const auto losses = drawn_losses(setting, 0xD600, sampled, runs);
                std::transform(epsilons.begin(), epsilons.end(), drawn.begin(),
                               [&](double epsilon) { return exceedances(losses, epsilon); });
              } else if (piece == 1) {
                const auto points = accounting::deltas_at(shown, x);
                std::transform(points.begin(), points.end(), exact.begin(),
                               [](const auto& point) { return point.delta.upper; });
              } else if (piece - 2 < references().size()) {
                const Reference& r = references()[piece - 2];
                proved[piece - 2].delta = delta_at(r.composition, r.epsilon, {0.5 * std::min(r.width, 1.0)}).delta;
              } else {
                proved[piece - 2] = profile_at(asked[piece - 2].first, asked[piece - 2].second);
              }
            },
            [&](std::size_t piece, Archive& archive) {
              if (piece == 0) {
                archive(std::span(drawn));
              } else if (piece == 1) {
                archive(exact);
              } else {
                auto& point = proved[piece - 2];
                archive(point.delta, point.type_one_error, point.power);
              }
            });
        Sharing::last_loop_done();
        const auto check = [&](Trial& trial, const std::vector<accounting::ProfilePoint>& points) {
          std::size_t next = 0;
          for (const Reference& r : references()) {
            const Enclosure delta = points[next++].delta;
            trial.require(delta.lower <= r.delta * (1.0 + r.accuracy) && r.delta * (1.0 - r.accuracy) <= delta.upper &&
                              delta.relative_width() <= r.width,
                          name_of(r) + ": " + rounded(r.delta, 16) + " in [" + rounded(delta.lower, 16) + ", " +
                              rounded(delta.upper, 16) + "]");
          }
          for (std::size_t i = 0; i < epsilons.size(); ++i) {
            const double epsilon = epsilons[i];
            const auto& point = points[next++];
            const Enclosure power = inference::clopper_pearson(std::min(drawn[i].power, runs), runs, miss_per_interval);
            const Enclosure error = inference::clopper_pearson(std::min(drawn[i].error, runs), runs, miss_per_interval);
            const std::string at = "sampled losses, epsilon = " + rounded(epsilon, 2) + ": ";
            const auto meets = [&](const Enclosure& seen, const Enclosure& claimed, const std::string& what) {
              trial.require(meet(seen, claimed), at + what,
                            "in [" + rounded(seen.lower, 6) + ", " + rounded(seen.upper, 6) + "], accountant " +
                                rounded(claimed.middle(), 8),
                            Measurement::within(seen.middle(), claimed.middle(), 0.5 * seen.width())
                                .interval(seen.lower, seen.upper));
            };
            meets(power, point.power, "power");
            meets(error, point.type_one_error, "type I error");
          }
        };
        std::vector<accounting::ProfilePoint> limits;
        for (const auto& [composition, epsilon] : asked) {
          limits.push_back(central_limit_point(composition, epsilon));
        }
        check(outcome.claim, proved);
        check(outcome.control, limits);
        const io::Plot plot = profile_picture(shown, x, exact);
        outcome.figures.push_back({plot.title, plot});
      }};
}

// Lemma A.5 ----------------------------------------------------------------------------------------------------------

Composition many_steps(double gaussian_mu, double mu, double count) {
  return {gaussian_mu, {{1.0 / std::sqrt(count), mu, count}}};
}

Case lemma_a_5() {
  return {"shifted-interpolation/lemma-a.5",
          "C_p(G(mu))^t converges to G(p sqrt(2 t B(mu))), B(mu) = e^(mu^2) Phi(3 mu/2) + 3 Phi(-mu/2) - 2, when "
          "p sqrt(t) stays: the error of delta falls like t^(-1/2).",
          "p sqrt(t) = 1, mu = 0.5, 1, 1.5, t = 1e2 to 1e6, epsilon = 1: the error falls at each step, slope from t = "
          "1e3 in -0.5 +- 0.15, and less than 0.01 remains; the values of the certified accountant.",
          "The parameter p sqrt(t (e^(mu^2) - 1)) of the one-sided pair.", [](const Setting&, Outcome& outcome) {
            const std::vector<double> counts{1e2, 1e3, 1e4, 1e5, 1e6}, mus{0.5, 1.0, 1.5};
            const double epsilon = 1.0;
            Sharing::next_loop_needs_no_stand_in();
            const auto asked = values_of_runs(mus.size() * counts.size(), 1, [&](std::size_t i) {
              const Composition steps = many_steps(0.0, mus[i / counts.size()], counts[i % counts.size()]);
              return accounting::delta_at(steps, epsilon).delta.middle();
            });
            Sharing::last_loop_done();
            std::vector<std::vector<double>> exact;
            for (std::size_t k = 0; k < mus.size(); ++k) {
              const auto first = asked.begin() + static_cast<std::ptrdiff_t>(k * counts.size());
              exact.emplace_back(first, first + static_cast<std::ptrdiff_t>(counts.size()));
            }
            const auto limit_of = [&](double mu, bool one_sided) {
              const auto limit = accounting::central_limit(0.001, mu, 1e6);
              return tradeoff::delta_of_epsilon(epsilon, one_sided ? limit.mu_clt_one_sided : limit.mu_clt);
            };
            const auto check = [&](Trial& trial, bool one_sided) {
              for (std::size_t k = 0; k < mus.size(); ++k) {
                const double limit = limit_of(mus[k], one_sided);
                std::vector<double> size;
                std::string errors;
                for (const double delta : exact[k]) {
                  size.push_back(std::abs(delta - limit));
                  errors += " " + rounded(delta - limit, 4);
                }
                const auto fit = inference::fit_rate(std::span(counts).subspan(1), std::span(size).subspan(1));
                const std::string name = "mu = " + rounded(mus[k], 2) + ", errors" + errors;
                trial.require(std::abs(fit.slope.value + 0.5) <= 0.15, name + ": slope " + rounded(fit.slope.value, 4));
                trial.require(std::is_sorted(size.rbegin(), size.rend()), name + ": falling");
                trial.at_most(size.back(), 0.01, name + ": the last");
              }
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, false);
            check(outcome.control, true);
            io::Plot plot;
            plot.title = "Central limit at p sqrt(t) = 1, epsilon = 1: error of delta";
            plot.x = {.label = "steps t", .logarithmic = true, .lowest = {}, .highest = {}};
            plot.y = {.label = "|delta - limit|", .logarithmic = true, .lowest = 1e-5, .highest = 1.0};
            plot.legend = io::Legend::outside;
            for (std::size_t k = 0; k < mus.size(); ++k) {
              for (const bool one_sided : {false, true}) {
                std::vector<double> size;
                for (const double delta : exact[k]) {
                  size.push_back(std::abs(delta - limit_of(mus[k], one_sided)));
                }
                auto series = one_sided ? io::dashed(k == 0 ? "limit of one side" : "", counts, size)
                                        : io::points("mu = " + rounded(mus[k], 2), counts, size);
                series.colour = static_cast<int>(k);
                plot.series.push_back(series);
              }
            }
            plot.series.push_back(io::line("slope -1/2", {1e2, 1e6}, {0.05, 0.0005}));
            outcome.figures.push_back({plot.title + " (dashed: one-sided constant)", plot});
          }};
}

// Lemma A.11 ---------------------------------------------------------------------------------------------------------

struct LimitClaim {
  std::function<double(const tradeoff::TradeoffFunction&, double, double)> with_failure;  // (f, delta, a)
  std::function<double(double, double)> composed;  // mu of the limit from those of its two parts
};

Case lemma_a_11() {
  return {"shifted-interpolation/lemma-a.11",
          "If g_n converges to g, liminf f tensor g_n >= f tensor g; its engine is "
          "f tensor max(0, 1 - d - a) = (1 - d) f(a/(1 - d)) on [0, 1 - d], 0 after.",
          "The identity for 60 random polygons and 4 values of d by products of laws at 101 type I errors; "
          "G(1) tensor C_p(G(1))^t with p sqrt(t) = 1, t = 1e2 to 1e6, at epsilon = 0.5, 1, 2: the distance from "
          "G(sqrt(1 + mu_CLT^2)) falls and ends below 0.002.",
          "(1 - d) f(a), and 1 + mu_CLT as the limit.", [](const Setting& setting, Outcome& outcome) {
            const std::vector<double> counts{1e2, 1e3, 1e4, 1e5, 1e6}, epsilons{0.5, 1.0, 2.0};
            Sharing::next_loop_needs_no_stand_in();
            const auto asked = values_of_runs(counts.size() * epsilons.size(), 1, [&](std::size_t i) {
              const Composition steps = many_steps(1.0, 1.0, counts[i / epsilons.size()]);
              return accounting::delta_at(steps, epsilons[i % epsilons.size()]).delta.middle();
            });
            Sharing::last_loop_done();
            std::vector<std::vector<double>> exact(epsilons.size());
            for (std::size_t i = 0; i < asked.size(); ++i) {
              exact[i % epsilons.size()].push_back(asked[i]);
            }
            const double mu_clt = accounting::central_limit(0.001, 1.0, 1e6).mu_clt;
            const auto check = [&](Trial& trial, const LimitClaim& claim) {
              auto words = words_of(setting, 0xAB0);
              LargestError identity(1e-3);
              for (std::size_t k = 0; k < setting.size(60, 600); ++k) {
                const FinitePair pair{random_law(words, 8), random_law(words, 8)};
                tradeoff::Table table;
                for (const CurvePoint& v : FiniteTradeoff(pair).vertices()) {
                  table.push_back({v.type_one_error, v.type_two_error});
                }
                table.front() = {0.0, 1.0};
                table.back() = {1.0, 0.0};
                const auto f = tradeoff::tabulated_function(table);
                for (const double d : {0.5, 0.1, 0.01, 1e-4}) {
                  const FiniteTradeoff both(product(pair, {{1.0 - d, d, 0.0}, {1.0 - d, 0.0, d}}));
                  for (const double a : even_grid(101)) {
                    identity.see(claim.with_failure(f, d, a), both(a), a);
                  }
                }
              }
              identity.require(trial, 1e-10, "composition with a failure of probability d");
              for (std::size_t k = 0; k < epsilons.size(); ++k) {
                const double limit = tradeoff::delta_of_epsilon(epsilons[k], claim.composed(1.0, mu_clt));
                std::vector<double> size;
                std::string errors;
                for (const double delta : exact[k]) {
                  size.push_back(std::abs(delta - limit));
                  errors += " " + rounded(delta - limit, 3);
                }
                trial.require(std::is_sorted(size.rbegin(), size.rend()) && size.back() < 0.002,
                              "epsilon = " + rounded(epsilons[k], 2) + ", distance from the limit:" + errors);
              }
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, {[](const tradeoff::TradeoffFunction& f, double d, double a) {
                                    return tradeoff::with_failure(f, d)(a);
                                  },
                                  [](double a, double b) { return std::hypot(a, b); }});
            check(outcome.control,
                  {[](const tradeoff::TradeoffFunction& f, double d, double a) { return (1.0 - d) * f(a); },
                   [](double a, double b) { return a + b; }});
          }};
}

}  // namespace

std::vector<Case> accountant_cases() { return {derived_6(), lemma_a_5(), lemma_a_11()}; }

}  // namespace dpcurves::validation::shifted_interpolation

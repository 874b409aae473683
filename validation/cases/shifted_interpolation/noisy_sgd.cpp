// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <dpcurves/core/share.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "validation/cases/shifted_interpolation/sgd_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/runs.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

constexpr std::array<double, 3> epsilons{0.5, 1.0, 2.0};
constexpr std::array<double, 3> small_epsilons{0.1, 0.3, 0.5};

void composition(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.8";
  // One step, all gradients of the family of extremal pairs: exact laws against C_p(G(kappa)).
  const SgdExample one{0.0, 0.0, 0.4, 1.0, 1.0, 0.1, 1};
  constexpr std::array<double, 5> shares{0.0, 0.25, 0.5, 0.75, 1.0};
  constexpr std::array<double, 4> one_step_epsilons{0.05, 0.5, 1.0, 2.0};
  std::array<std::array<double, 4>, 5> deltas{};
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      shares.size(), 1,
      [&](std::size_t i) {
        Descent d = one.descent();
        d.first = -(1.0 - shares[i]) * d.second;
        d.second *= shares[i];
        const auto laws = exact_laws(subsampled_chains(d, one.rate), 1);
        std::transform(one_step_epsilons.begin(), one_step_epsilons.end(), deltas[i].begin(),
                       [&](double epsilon) { return std::max(laws.delta(epsilon), laws.delta_reverse(epsilon)); });
      },
      [&](std::size_t i, Archive& archive) { archive(deltas[i]); });
  for (std::size_t k = 0; k < one_step_epsilons.size(); ++k) {
    const double epsilon = one_step_epsilons[k];
    double largest = 0.0;
    for (const auto& of_share : deltas) {
      largest = std::max(largest, of_share[k]);
    }
    const auto compare = [&](Trial& trial, double rate) {
      trial.close(largest, tradeoff::subsampled_gaussian_delta(epsilon, rate, 1.0), 1e-5,
                  "one step, p = 0.1, kappa = 1: largest delta(" + shortest(epsilon) + ") of five pairs of losses");
    };
    outcome.claim.by_exact_law();
    compare(outcome.claim, 0.1);
    compare(outcome.control, 0.09);
  }
  const auto single = one.simulated_tests(setting, id, setting.size(400000, 8000000), {0.005, 0.02, 0.1, 0.25});
  const auto claim = [](double a) { return tradeoff::subsampled_gaussian(a, 0.1, 1.0); };
  check_points(outcome.claim, single, claim, true, "one simulated step, p = 0.1, kappa = 1");
  check_points(
      outcome.control, single, [](double a) { return tradeoff::subsampled_gaussian(a, 0.08, 1.0); }, true,
      "one simulated step against p = 0.08");

  for (const std::size_t t : {std::size_t{60}, std::size_t{200}}) {
    for (const double bend : {0.0, 1.5}) {
      const SgdExample e = contracting(bend, t);
      laws_within(outcome.claim, e.laws(), sgd_composition(SgdBound::composition, e.setting()), epsilons, e.text());
    }
  }
  const SgdExample linear{0.0, 0.0, 0.4, 1.0, 1.0, 0.1, 60};
  const SgdExample slow{0.125, 0.0, 0.4, 1.0, 1.0, 0.1, 60};
  const Composition bound = sgd_composition(SgdBound::composition, linear.setting());
  laws_within(outcome.claim, slow.laws(), bound, epsilons, slow.text());
  points_above(outcome.claim,
               linear.simulated_tests(setting, id + "/linear", setting.size(20000, 2000000), {0.02, 0.2}),
               lower_tradeoff(bound), "simulated, " + linear.text());

  outcome.claim.group("many steps");
  outcome.control.group("many steps");
  const SgdExample all = remembering_all();
  const auto all_laws = all.laws();
  const Composition all_bound = sgd_composition(SgdBound::composition, all.setting());
  factor_within(outcome.claim, all_laws, all_bound, 0.2, std::array{0.5, 0.9, 0.95, 0.97, 0.98}, all.text());
  laws_within(outcome.control, all_laws, scaled(all_bound, 0.9), std::array{0.2}, all.text() + ", 0.9 of every mu");

  auto tests = tradeoff_plot("One step of noisy SGD: p = 0.1, kappa = 1",
                             {io::dashed("Theorem 4.8: C_p(G(1))", {}, {}), drawn("simulated tests", single),
                              io::dashed("G(1), no amplification", {}, {})});
  for (const double a : even_grid(201)) {
    tests.series[0].x.push_back(a);
    tests.series[0].y.push_back(claim(a));
    tests.series[2].x.push_back(a);
    tests.series[2].y.push_back(tradeoff::subsampled_gaussian(a, 1.0, 1.0));
  }
  outcome.figures.push_back(
      {"Bound and simulation of one step, intervals at a chance of 1e-10 each", std::move(tests)});
}

void two_process(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.9";
  const auto parameters = [&](Trial& trial, const SgdExample& e, std::size_t n) {
    const auto nd = static_cast<double>(n);
    const double printed = 2.0 * std::numbers::sqrt2 * e.kappa *
                           (std::pow(e.c(), nd + 1.0) - std::pow(e.c(), static_cast<double>(e.steps))) / (1.0 - e.c());
    trial.require(printed >= 0.0, e.text() + ", N = " + std::to_string(n) + ": the parameter of the Gaussian factor " +
                                      rounded(printed, 6) + " is not negative");
    if (printed >= 0.0) {
      const double calculated = sgd_composition(SgdBound::two_process, e.setting(), nd).gaussian_mu;
      trial.close(1.0 + calculated, 1.0 + printed, 1e-12, "the calculator's parameter");
    }
  };
  const SgdExample short_run = contracting(0.0, 20);
  outcome.claim.setup("parameters");
  for (std::size_t n = 0; n < 20; ++n) {
    parameters(outcome.claim, short_run, n);
  }
  Trial printed;
  parameters(printed, short_run, 20);  // tau = 0, which the printed range includes
  outcome.printed = printed;
  outcome.claim.group("claim");

  std::vector<std::pair<std::string, MeasuredLaws>> laws_200;
  const std::vector<double> horizons{5.0, 12.0, 18.0};
  for (const std::size_t t : {std::size_t{20}, std::size_t{200}}) {
    for (const double bend : {0.0, 1.5}) {
      const SgdExample e = contracting(bend, t);
      const auto laws = e.laws();
      std::vector<WordedClaim> at_horizons;
      for (const double n : horizons) {
        if (n < static_cast<double>(t) - 2.0) {  // beyond, hardly a Gaussian factor is left
          at_horizons.push_back(
              {sgd_composition(SgdBound::two_process, e.setting(), n), e.text() + ", N = " + shortest(n)});
        }
      }
      laws_within(outcome.claim, laws, at_horizons, epsilons);
      if (t == 200) {
        laws_200.emplace_back(bend == 0.0 ? "exact law, quadratic" : "exact law, 0.5 x + 1.5 tanh x", laws);
      }
    }
  }
  const SgdExample far = remembering(0.0);
  const auto laws = far.laws();
  std::vector<WordedClaim> of_far;
  for (const double n : {0.0, 30.0}) {
    of_far.push_back({sgd_composition(SgdBound::two_process, far.setting(), n), far.text() + ", N = " + shortest(n)});
  }
  laws_within(outcome.claim, laws, of_far, small_epsilons);
  hard_runs(outcome, sgd_composition(SgdBound::two_process, remembering_all().setting(), 99.0), ", N = 99",
            sgd_composition(SgdBound::two_process, telling().setting(), 4.0), ", N = 4");
  outcome.claim.group("Gaussian factor");
  outcome.control.group("Gaussian factor");
  // Nine of ten steps show the record; what is left where the last does not is the Gaussian factor's.
  const SgdExample often{7.0, 0.0, 0.1, 4.0, 1.0, 0.9, 6};
  const auto often_laws = often.laws();
  const Composition often_bound = sgd_composition(SgdBound::two_process, often.setting(), 0.0);
  laws_within(outcome.claim, often_laws, often_bound, epsilons, often.text() + ", N = 0");
  laws_within(outcome.control, often_laws, without_gaussian(often_bound), epsilons,
              often.text() + ", N = 0, without the Gaussian factor");
  // One batch of all records: G(mu) with mu the root of a sum of squares, of which the first belongs to the start.
  SgdExample full = remembering(0.0);
  full.rate = 1.0;
  const auto full_laws = full.laws();
  for (const double n : {0.0, 10.0, 30.0}) {
    laws_within(outcome.claim, full_laws, sgd_composition(SgdBound::two_process, full.setting(), n), small_epsilons,
                full.text() + ", N = " + shortest(n));
  }
  laws_within(outcome.control, full_laws, without_gaussian(sgd_composition(SgdBound::two_process, full.setting(), 0.0)),
              small_epsilons, full.text() + ", N = 0, without the Gaussian factor");
  outcome.claim.group("claim");

  const SgdExample e = contracting(0.0, 200);
  outcome.figures.push_back(
      {"Profiles of noisy SGD on strongly convex losses: bounds and exact laws",
       profile_plot(
           "Noisy SGD: c = 0.8, kappa = 1, p = 0.1, t = 200",
           {{"Theorem 4.8", [&] { return sgd_composition(SgdBound::composition, e.setting()); }},
            {"Theorem 4.9, best of N = 5, 12, 18", [&] { return best_of(SgdBound::two_process, e, horizons, 1.0); }},
            {"one process, N = 12", [&] { return sgd_composition(SgdBound::one_process, e.setting(), 12.0); }}},
           laws_200)});
  const auto tests = short_run.simulated_tests(setting, id, setting.size(60000, 4000000), {0.02, 0.2});
  Sharing::last_loop_done();
  points_above(outcome.claim, tests, lower_tradeoff(best_of(SgdBound::two_process, short_run, {5.0, 12.0}, 1.0)),
               "simulated, " + short_run.text());
}

void constrained(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.10";
  const SgdExample mild{0.0, 0.0, 0.1, 1.0 / 3.0, 3.0, 0.2, 300, 1.0};
  const SgdExample strong{0.0, 0.0, 0.05, 0.5, 1.0, 0.5, 400, 1.0};
  const auto mild_laws = mild.laws(), strong_laws = strong.laws();
  constexpr std::array<double, 2> mild_epsilons{0.05, 0.1};
  for (const double n : {20.0, 60.0, 150.0, 300.0}) {
    laws_within(outcome.claim, mild_laws, sgd_composition(SgdBound::constrained, mild.setting(), n), mild_epsilons,
                mild.text() + ", N = " + shortest(n));
    laws_within(outcome.claim, strong_laws, sgd_composition(SgdBound::constrained, strong.setting(), n), epsilons,
                strong.text() + ", N = " + shortest(n));
  }
  laws_within(outcome.claim, strong_laws, sgd_composition(SgdBound::constrained, strong.setting(), 50.0, 3.0), epsilons,
              strong.text() + ", N = 50, alpha = 3");
  // Every step differs, and opposite drifts pin both chains to their walls: the whole bound at its best horizon.
  const SgdExample full{0.0, 0.0, 0.1, 1.0 / 1.1, 1.1, 1.0, 60, 1.0};
  const auto full_laws = full.laws();
  constexpr std::array<double, 2> full_epsilons{0.5, 1.0};
  for (const double n : {2.0, 5.0, 10.0}) {
    laws_within(outcome.claim, full_laws, sgd_composition(SgdBound::constrained, full.setting(), n), full_epsilons,
                full.text() + ", N = " + shortest(n));
  }
  const SgdExample half{0.0, 0.0, 0.1, 0.2, 1.0, 0.5, 400, 2.0};
  const auto half_laws = half.laws();
  factor_within(outcome.claim, half_laws, sgd_composition(SgdBound::constrained, half.setting(), 100.0), 1.0,
                std::array{0.15, 0.25, 0.28, 0.295, 0.31}, half.text() + ", N = 100");
  laws_within(outcome.control, full_laws, scaled(sgd_composition(SgdBound::constrained, full.setting(), 5.0), 0.55),
              full_epsilons, full.text() + ", N = 5, 0.55 of every mu");
  const auto tests = mild.simulated_tests(setting, id, setting.size(10000, 500000), {0.3, 0.5});
  // The horizon and split of a long run: p = 0.01, L/b = 0.5, sigma = 3, eta = 0.1, D = 1 at epsilon = 1.
  const SgdExample long_run{0.0, 0.0, 0.1, 0.5 / 3.0, 3.0, 0.01, 5000, 1.0};
  const std::vector<std::pair<double, double>> measured{{400.0, 7.19e-6},  {700.0, 9.02e-7},  {750.0, 8.335e-7},
                                                        {808.0, 8.085e-7}, {900.0, 8.569e-7}, {2000.0, 2.08e-5}};
  std::vector<std::pair<Composition, double>> of_long_run;
  for (const auto& [n, known] : measured) {
    of_long_run.emplace_back(sgd_composition(SgdBound::constrained, long_run.setting(), n, std::numbers::sqrt2), 1.0);
  }
  of_long_run.emplace_back(sgd_composition(SgdBound::constrained, long_run.setting(), 808.0, std::sqrt(10.0)), 1.0);
  const auto long_deltas = shared_deltas(of_long_run);

  io::Plot plot{.title = "Noisy SGD on [-1/2, 1/2]: eta = 0.1, sigma = 3, kappa = 1/3, p = 0.2",
                .x = {"steps t", true, 1.0, 1e4},
                .y = {"delta(0.1)", true, 1e-3, 1.0},
                .legend = io::Legend::bottom_right};
  SgdExample run = mild;
  const std::vector<double> steps = geometric_integers(60, 10000, 25);
  std::vector<std::pair<Composition, double>> composed, constrained;
  for (const double t : steps) {
    run.steps = static_cast<std::size_t>(t);
    composed.emplace_back(sgd_composition(SgdBound::composition, run.setting()), 0.1);
    constrained.emplace_back(sgd_composition(SgdBound::constrained, run.setting(), 20.0), 0.1);
  }
  const auto compose = shared_deltas(composed), bound = shared_deltas(constrained);
  const std::vector<double> exact_at{1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 100.0, 300.0, 1000.0};
  Sharing::next_loop_needs_no_stand_in();
  const auto exact = values_of_runs(exact_at.size(), 1, [&](std::size_t i) {
    SgdExample of_steps = mild;
    of_steps.steps = static_cast<std::size_t>(exact_at[i]);
    return of_steps.laws().delta(0.1);
  });
  Sharing::last_loop_done();
  points_above(outcome.claim, tests, lower_tradeoff(best_of(SgdBound::constrained, mild, {20.0, 60.0, 150.0}, 0.1)),
               "simulated, " + mild.text());
  outcome.claim.setup("horizons");
  outcome.claim.by_formula();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    outcome.claim.close(long_deltas[i], measured[i].second, 2e-3,
                        "long run, N = " + shortest(measured[i].first) + ", delta(1)");
  }
  outcome.claim.at_most(5e-5, long_deltas.back(), "the split sqrt(10) of the figures is worse here");
  plot.series = {io::line("Theorem 4.8", steps, compose), io::line("Theorem 4.10, N = 20", steps, bound),
                 io::points("exact law, opposite drifts", exact_at, exact)};
  outcome.figures.push_back({"A bounded domain stops the privacy loss of noisy SGD", std::move(plot)});
}

void free_shifts(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/theorem-c.13");
  SgdExample e = remembering(0.0);
  e.steps = 30;
  const auto laws = e.laws();
  const auto& descent = e.setting().descent;
  std::vector<WordedClaim> random_shifts;
  for (std::size_t k = 0; k < setting.size(6, 60); ++k) {
    std::vector<double> shifts(e.steps - 1);
    const double level = draws.uniform();
    for (double& a : shifts) {  // few distinct values: each is a mechanism of its own in the accounting
      a = e.kappa * (draws.uniform() < level ? 1.0 : 0.25 * static_cast<double>(draws.below(4)));
    }
    const double split = draws.uniform(1.1, 3.0);
    random_shifts.push_back({sgd_composition_of_shifts(descent, e.rate, shifts, split),
                             e.text() + ", random shifts, alpha = " + rounded(split, 3)});
  }
  laws_within(outcome.claim, laws, random_shifts, small_epsilons);
  const auto all_shifts = [](const SgdExample& run) {
    return sgd_composition_of_shifts(run.setting().descent, run.rate, std::vector<double>(run.steps - 1, run.kappa));
  };
  hard_runs(outcome, all_shifts(remembering_all()), ", all shifts kappa", all_shifts(telling()), ", all shifts kappa");
  outcome.claim.setup("parameters of Theorem 4.9");
  constexpr std::array<std::size_t, 4> lasts{0, 4, 15, 22};
  std::vector<std::pair<Composition, double>> free_and_fixed;
  for (const std::size_t n : lasts) {
    std::vector<double> tail(e.steps - 1, 0.0);
    std::fill(tail.end() - static_cast<std::ptrdiff_t>(n), tail.end(), e.kappa);
    free_and_fixed.emplace_back(sgd_composition_of_shifts(descent, e.rate, tail), 0.5);
    free_and_fixed.emplace_back(sgd_composition(SgdBound::two_process, e.setting(), static_cast<double>(n)), 0.5);
  }
  const auto deltas = shared_deltas(free_and_fixed);
  for (std::size_t i = 0; i < lasts.size(); ++i) {
    outcome.claim.close(
        1.0 + free_and_fixed[2 * i].first.gaussian_mu, 1.0 + free_and_fixed[2 * i + 1].first.gaussian_mu, 1e-12,
        "shifts kappa in the last " + std::to_string(lasts[i]) + " steps, the parameter of Theorem 4.9");
    outcome.claim.close(deltas[2 * i], deltas[2 * i + 1], 1e-5, "and its delta(0.5)");
  }
}

void one_process(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/derived-4";
  for (const double bend : {0.0, 1.5}) {
    const SgdExample e = contracting(bend, 60);
    const auto laws = e.laws();
    for (const double n : {4.0, 10.0, 14.0}) {
      laws_within(outcome.claim, laws, sgd_composition(SgdBound::one_process, e.setting(), n),
                  std::array{0.1, 0.5, 1.0}, e.text() + ", N = " + shortest(n));
    }
  }
  const SgdExample far = remembering(0.0);
  const auto laws = far.laws();
  for (const double n : {1.0, 40.0}) {
    laws_within(outcome.claim, laws, sgd_composition(SgdBound::one_process, far.setting(), n), small_epsilons,
                far.text() + ", N = " + shortest(n));
  }
  hard_runs(outcome, sgd_composition(SgdBound::one_process, remembering_all().setting(), 100.0, 50.0),
            ", N = 100, alpha = 50", sgd_composition(SgdBound::one_process, telling().setting(), 5.0, 50.0),
            ", N = 5, alpha = 50");
  SgdExample slow{0.5, 0.0, 0.02, 0.1, 1.0, 0.01, 1};  // c = 0.99
  NoisySgd any = slow.setting();
  any.steps = std::numeric_limits<double>::infinity();
  const auto of_any = shared_deltas(std::vector<std::pair<Composition, double>>{
      {sgd_composition(SgdBound::one_process, any, 600.0, 4.0), 0.5},
      {sgd_composition(SgdBound::two_process, any, 747.0, std::numbers::sqrt2), 0.5}});
  const SgdExample hard = contracting(1.5, 60);
  const auto tests = hard.simulated_tests(setting, id, setting.size(20000, 1000000), {0.02, 0.2});
  Sharing::last_loop_done();
  outcome.claim.setup("parameters");
  const SgdExample box{0.0, 0.0, 0.1, 1.0 / 3.0, 3.0, 0.2, 300, 1.0};
  for (const double n : {5.0, 100.0, 290.0}) {
    const auto one = sgd_composition(SgdBound::one_process, box.setting(), n, 2.0);
    const auto paper = sgd_composition(SgdBound::constrained, box.setting(), n, 2.0);
    outcome.claim.close(one.gaussian_mu, paper.gaussian_mu, 1e-12,
                        "c = 1 with diameter, N = " + shortest(n) + ", the parameter of Theorem 4.10");
  }
  outcome.claim.close(of_any[0], 8.31e-21, 2e-3,
                      "kappa = 0.1, p = 0.01, c = 0.99, any t, N = 600, alpha = 4: delta(0.5)");
  outcome.claim.at_most(of_any[0], of_any[1], "and Theorem 4.9 at N = 747");
  outcome.claim.group("claim");
  points_above(outcome.claim, tests, lower_tradeoff(sgd_composition(SgdBound::one_process, hard.setting(), 10.0)),
               "simulated, " + hard.text());
}

}  // namespace

std::vector<Case> noisy_sgd_cases() {
  return {
      {"shifted-interpolation/theorem-4.8",
       "t steps of noisy SGD on b of n records are C_p(G(kappa))^t-DP, p = b/n, for any losses; for one step no better "
       "bound holds.",
       "One step, p = 0.1, kappa = 1: exact laws of five pairs of losses attain the profile, and 400,000 simulated "
       "pairs (nightly 8,000,000) lie on the curve; t = 60, 200: exact laws of quadratics, tanh and linear losses "
       "below.",
       "The sampling rate 0.09, for the simulation 0.08; many steps: every mu times 0.9.", composition},
      {"shifted-interpolation/theorem-4.9",
       "For c-Lipschitz steps and N = 0, ..., t - 1, noisy SGD is f-DP with f = G(2 sqrt(2) kappa (c^(N+1) - c^t)/(1 - "
       "c)) tensor C_p(G(2 sqrt(2) kappa)) tensor C_p(G(2 kappa))^N.",
       "Exact laws (p = 0.1, kappa = 1, c = 0.8, t = 20, 200; p = 0.2, kappa = 0.5, c = 0.95, t = 100) of quadratics "
       "and of 0.5 x + 1.5 tanh x below the profile in both directions; 60,000 simulated pairs (nightly 4,000,000). "
       "Two attacks. Nearly linear losses, kappa = 0.14, p = 0.2, t = 100, N = 99, reach almost half of every mu; with "
       "half of every mu the claim at N = t - 1 is weaker than Theorem 4.8, so that no instance reaches more there. "
       "Telling steps, kappa = 7, p = 0.01, t = 5, N = 4, nearly attain the profile, where a factor of kappa shows "
       "little. The Gaussian factor: kappa = 4, p = 0.9, c = 0.3, N = 0, and full batches. As printed: N = t, which "
       "the range of tau includes, has a negative Gaussian parameter.",
       "0.45 of every mu for the first attack, 0.75 of the sampling rate for the second; without the Gaussian factor.",
       two_process},
      {"shifted-interpolation/theorem-4.10",
       "For convex losses on a set of diameter D and N = 1, ..., t, noisy SGD is f-DP with f = "
       "G(sqrt(2) D/(eta sigma sqrt(N))) tensor C_p(G(2 sqrt(2) kappa))^N.",
       "Exact laws of opposite drifts in a box (t = 300, 400) below the profile for N = 20 to 300; 10,000 simulated "
       "pairs (nightly 500,000); certified delta(1) of a long run at six horizons. Half batches in a box of diameter 2 "
       "(t = 400); full batches with drifts that hold both runs at their walls (t = 60).",
       "0.55 of every mu.", constrained},
      {"shifted-interpolation/theorem-c.13",
       "Every choice of shifts 0 <= a_k <= kappa gives a valid bound; kappa in the last N steps gives Theorem 4.9.",
       "The exact law of a quadratic (p = 0.2, kappa = 0.5, c = 0.95, t = 30) below the profile of 6 random sequences "
       "and splits (nightly 60); nearly linear losses (kappa = 0.14, p = 0.2, t = 100) with all shifts kappa, which "
       "reach almost half of every mu, and telling steps (kappa = 7, p = 0.01, t = 5), which nearly attain the "
       "profile; the parameters of Theorem 4.9 for N = 0, 4, 15, 22.",
       "0.45 of every mu; 0.75 of the sampling rate for telling steps.", free_shifts},
      {"shifted-interpolation/derived-4",
       "With distance z = min(D, kappa (1 - c^(t-N))/(1 - c)) at the start of the interpolation, noisy SGD is f-DP "
       "with f = G(alpha z c^N sqrt((1 - c^2)/(1 - c^(2N)))) tensor C_p(G(2 beta kappa))^N.",
       "Exact laws of quadratics and 0.5 x + 1.5 tanh x below the profile (c = 0.8, t = 60; c = 0.95, t = 100); "
       "equality with Theorem 4.10 for c = 1; 20,000 simulated pairs (nightly 1,000,000); nearly linear losses (kappa "
       "= 0.1, p = 0.2, t = 100) at N = t, which reach almost half of every mu, and telling steps (kappa = 7, p = "
       "0.01, t = 5), which nearly attain the profile.",
       "0.45 of every mu; 0.75 of the sampling rate for telling steps.", one_process},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation

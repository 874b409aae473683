// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Audits by many runs and by one: reference vectors, exact coverage, and the tests that look better and are not valid.
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/audit_verdict.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/multi_run.hpp>
#include <dpcurves/inference/one_run.hpp>
#include <dpcurves/inference/simultaneous.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::inference;

namespace {

/// P(Binomial(n, p) = k).
double binomial(int k, int n, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

double at_least(int k, int n, double p) {
  double sum = 0.0;
  for (int i = n; i >= k; --i) {
    sum += binomial(i, n, p);
  }
  return sum;
}

/// The chance of v or more right guesses for (epsilon, 0)-DP with c guesses.
double right_chance(double epsilon) { return 1.0 / (1.0 + std::exp(-epsilon)); }

}  // namespace

TEST_CASE("the reference vectors of audits hold", "[inference][vectors]") {
  using Json = nlohmann::json;
  using Numbers = std::map<std::string, double>;
  const auto counts = [](const Json& in) { return OneRun{in.at("canaries"), in.at("guesses"), in.at("correct")}; };
  const auto sides = [](const Json& in) {
    return in.at("one_sided").get<bool>() ? Guesses::one_sided : Guesses::two_sided;
  };
  const std::map<std::string, std::function<Numbers(const Json&)>> calculators{
      {"audit/multi-run",
       [](const Json& in) {
         const MultiRunBounds b =
             multi_run({in.at("true_positives"), in.at("canaries_in"), in.at("false_positives"), in.at("canaries_out")},
                       in.at("significance"), in.at("delta"));
         return Numbers{{"true_positive_rate_lower", b.true_positive_rate_lower},
                        {"false_positive_rate_upper", b.false_positive_rate_upper},
                        {"epsilon_lower", b.epsilon_lower},
                        {"mu_lower", b.mu_lower}};
       }},
      {"audit/one-run-p-value",
       [&](const Json& in) {
         return Numbers{{"p_value", approximate_dp_p_value(counts(in), in.at("epsilon"), in.at("delta"))}};
       }},
      {"audit/one-run-epsilon",
       [&](const Json& in) {
         return Numbers{{"epsilon_lower", one_run_epsilon(counts(in), in.at("significance"), in.at("delta"))}};
       }},
      {"audit/one-run-fdp-p-value",
       [&](const Json& in) {
         const LeastRate least = in.contains("mu") ? gaussian_least_rate(in.at("mu"))
                                                   : approximate_dp_least_rate(in.at("epsilon"), in.at("delta"));
         return Numbers{{"p_value", fdp_p_value(counts(in), least, sides(in))}};
       }},
      {"audit/one-run-mu", [&](const Json& in) {
         return Numbers{{"mu_lower", one_run_mu(counts(in), in.at("significance"), sides(in))}};
       }}};
  int checked = 0;
  for (const Json& vector : Json::parse(test::source_file("data/reference/attack-risk.json"))) {
    const auto calculator = calculators.find(vector.at("calculator").get<std::string>());
    if (calculator == calculators.end()) {
      continue;
    }
    const Numbers got = calculator->second(vector.at("inputs"));
    for (const auto& [key, want] : vector.at("outputs").items()) {
      CAPTURE(vector.at("id").get<std::string>(), key, want.get<double>(), got.at(key));
      CHECK(test::relative_error(got.at(key), want.get<double>()) <= vector.at("tolerance").at("rel").get<double>());
      ++checked;
    }
  }
  CHECK(checked >= 39);
}

TEST_CASE("many runs: the bound misses with probability at most the significance, by the exact sum",
          "[inference][coverage]") {
  constexpr int runs = 24;
  const double significance = GENERATE(0.05, 0.2), power = GENERATE(0.3, 0.9), delta = 0.01;
  const double epsilon = 1.2, rate = (power - delta) * std::exp(-epsilon);
  const double mu = numerics::normal_upper_quantile(rate) - numerics::normal_upper_quantile(power);
  double missed_epsilon = 0.0, missed_mu = 0.0;
  for (int tp = 0; tp <= runs; ++tp) {
    for (int fp = 0; fp <= runs; ++fp) {
      const MultiRunBounds b =
          multi_run({static_cast<std::uint64_t>(tp), runs, static_cast<std::uint64_t>(fp), runs}, significance, delta);
      const double chance = binomial(tp, runs, power) * binomial(fp, runs, rate);
      missed_epsilon += b.epsilon_lower > epsilon ? chance : 0.0;
      missed_mu += b.mu_lower > mu ? chance : 0.0;
      REQUIRE(b.epsilon_lower <= b.ceiling);
    }
  }
  CAPTURE(missed_epsilon, missed_mu);
  CHECK(missed_epsilon <= significance);
  CHECK(missed_mu <= significance);
}

TEST_CASE("a perfect attack is limited by the number of runs", "[inference]") {
  const MultiRunBounds b = multi_run({1000, 1000, 0, 1000}, 0.05, 0.0);
  CHECK(b.epsilon_lower == b.ceiling);
  CHECK(b.ceiling == Approx(5.6006).epsilon(1e-5));
  CHECK(multi_run({0, 10, 10, 10}, 0.05, 0.0).epsilon_lower == 0.0);
  CHECK(multi_run({5, 10, 5, 10}, 0.05, 1.0).epsilon_lower == 0.0);
}

TEST_CASE("ties count as in, and a pilot is not counted again", "[inference]") {
  const std::vector<double> in{0.0, 5.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0};
  const std::vector<double> out{0.0, 1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const MultiRun counts = counts_at(in, out, 2.0);
  CHECK(counts.true_positives == 8);
  CHECK(counts.false_positives == 1);
  const MultiRunBounds split = split_audit(in, out, 0.05, 0.0, 0.2);
  // Two scores each tell nothing: the threshold is 0, and the other eight reach it.
  CHECK(split.true_positive_rate_lower == Approx(std::pow(0.025, 1.0 / 8.0)));
  CHECK_THROWS_AS(split_audit(in, out, 0.05, 0.0, 0.01), DomainError);
  CHECK_THROWS_AS(count_above(std::vector<double>{std::nan("")}, 1.0), DomainError);
}

TEST_CASE("the recursion over order statistics is exact for one and two, and for random bounds", "[inference][bands]") {
  const double eta = GENERATE(0.01, 0.2);
  CHECK(band_coverage(1, eta) == Approx(1.0 - eta).margin(2e-10));
  // U_(1) <= b1 and U_(2) <= b2.
  const double b1 = 1.0 - std::sqrt(eta), b2 = std::sqrt(1.0 - eta);
  CHECK(band_coverage(2, eta) == Approx(b2 * b2 - (b2 - b1) * (b2 - b1)).margin(2e-10));
  CHECK(band_coverage(2, eta) <= b2 * b2 - (b2 - b1) * (b2 - b1));
  CHECK(band_coverage(300, eta) >= 1.0 - 300.0 * eta);
  CHECK(band_coverage(300, eta) < 1.0 - eta);
}

TEST_CASE("the simultaneous level attains its coverage, and single levels do not", "[inference][bands]") {
  const std::uint64_t size = GENERATE(2U, 50U, 1000U);
  const double miss = 0.05, eta = simultaneous_eta(size, miss);
  CAPTURE(size, eta);
  CHECK(band_coverage(size, eta) >= 1.0 - miss);
  CHECK(band_coverage(size, eta) < 1.0 - miss + 1e-6);
  CHECK(eta > miss / static_cast<double>(size));
  CHECK(band_coverage(size, miss) < 1.0 - miss);
}

TEST_CASE("all thresholds at once lie between the union bound and one fixed threshold", "[inference][bands]") {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  std::vector<double> in(150), out(150);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = 2.0 + normal(generator);
    out[i] = normal(generator);
  }
  const SimultaneousAudit all = simultaneous_audit(in, out, 0.05, 0.0);
  const MultiRunBounds fixed = multi_run(counts_at(in, out, all.epsilon_threshold), 0.05, 0.0);
  const MultiRunBounds united = multi_run(counts_at(in, out, all.epsilon_threshold), 0.05 / 150.0, 0.0);
  CHECK(all.by_epsilon.epsilon_lower < fixed.epsilon_lower);
  CHECK(all.by_epsilon.epsilon_lower > united.epsilon_lower);
  CHECK(all.by_mu.mu_lower > 0.5);
  CHECK(all.by_mu.mu_lower < 2.0);
  CHECK(all.by_epsilon.epsilon_lower >= all.by_mu.epsilon_lower);
}

TEST_CASE("one run: independent answers of pure privacy are exactly the null", "[inference][coverage]") {
  const double epsilon = GENERATE(0.0, 0.7, 2.0);
  constexpr int guesses = 40;
  for (const int correct : {1, 20, 33, 40}) {
    const OneRun counts{100, guesses, static_cast<std::uint64_t>(correct)};
    CHECK(approximate_dp_p_value(counts, epsilon, 0.0) ==
          Approx(at_least(correct, guesses, right_chance(epsilon))).epsilon(1e-10));
    CHECK(approximate_dp_p_value(counts, epsilon, 0.0) >=
          at_least(correct, guesses, right_chance(epsilon)) * (1 - 1e-12));
  }
  double missed = 0.0;
  for (int v = 0; v <= guesses; ++v) {
    missed += one_run_epsilon({100, guesses, static_cast<std::uint64_t>(v)}, 0.05, 0.0) > epsilon
                  ? binomial(v, guesses, right_chance(epsilon))
                  : 0.0;
  }
  CHECK(missed <= 0.05);
  CHECK(missed > 0.005);
}

TEST_CASE("the leak counts i right guesses from v - 1 down: one further down is too small", "[inference][pitfall]") {
  // By the definition, all i; and the sum of a port that starts at v, which gives .2337.
  const int c = 10, v = 9;
  const double epsilon = 0.5, delta = 0.05, q = right_chance(epsilon);
  double right = 0.0, ported = 0.0;
  for (int i = 1; i <= v; ++i) {
    right = std::max(right, (at_least(v - i, c, q) - at_least(v, c, q)) / i);
    ported = std::max(ported, (at_least(v - i + 1, c, q) - at_least(v + 1, c, q)) / i);
  }
  const double p = approximate_dp_p_value({10, 10, 9}, epsilon, delta);
  CHECK(p == Approx(std::min(1.0, at_least(v, c, q) + 2.0 * 10 * delta * right)).epsilon(1e-9));
  CHECK(p == Approx(0.2705).epsilon(1e-3));
  CHECK(at_least(v, c, q) + 2.0 * 10 * delta * ported < 0.9 * p);
  // All means, also where v lies below the mode.
  for (const int correct : {2, 5, 12, 19}) {
    const double e = 0.8, r = right_chance(e);
    double mean = 0.0;
    for (int i = 1; i <= correct; ++i) {
      mean = std::max(mean, (at_least(correct - i, 20, r) - at_least(correct, 20, r)) / i);
    }
    const double want = std::min(1.0, at_least(correct, 20, r) + 2.0 * 30 * 1e-3 * mean);
    CHECK(approximate_dp_p_value({30, 20, static_cast<std::uint64_t>(correct)}, e, 1e-3) == Approx(want).epsilon(1e-9));
  }
}

TEST_CASE("revealing everything with probability delta attains the f-DP bound", "[inference]") {
  // All 12 right: with probability .05 by the leak, else by 12 fair guesses.
  const double truth = 0.05 + 0.95 * std::pow(0.5, 12);
  const double p = fdp_p_value({12, 12, 12}, approximate_dp_least_rate(0.0, 0.05), Guesses::two_sided);
  CHECK(p == Approx(truth).epsilon(1e-8));
  CHECK(p >= truth * (1.0 - 1e-12));
}

TEST_CASE("the recursion is the optimum of the linear programme", "[inference][accuracy]") {
  double worst = 0.0;
  int rows = 0;
  for (const auto& row : test::reference_table("inference/one_run_programme.csv")) {
    const OneRun counts{static_cast<std::uint64_t>(row.at("canaries")), static_cast<std::uint64_t>(row.at("guesses")),
                        static_cast<std::uint64_t>(row.at("correct"))};
    const double p =
        fdp_p_value(counts, approximate_dp_least_rate(row.at("epsilon"), row.at("delta")), Guesses::two_sided);
    CAPTURE(counts.canaries, counts.guesses, counts.correct, row.at("epsilon"), row.at("delta"), p, row.at("p_value"));
    CHECK(p >= row.at("p_value") - 1e-8);
    CHECK(p <= row.at("p_value") + 1e-8);
    worst = std::max(worst, std::abs(p - row.at("p_value")));
    ++rows;
  }
  CAPTURE(worst);
  CHECK(rows == 200);
}

TEST_CASE("one-sided guesses are sharper, and p rises with privacy loss and falls with right guesses", "[inference]") {
  const OneRun counts{1000, 100, 90};
  const double one = fdp_p_value(counts, gaussian_least_rate(1.0), Guesses::one_sided);
  CHECK(one == Approx(0.582068738756791).epsilon(1e-6));
  CHECK(fdp_p_value(counts, gaussian_least_rate(1.0), Guesses::two_sided) == 1.0);
  double before = 0.0;
  for (const double mu : {0.0, 0.2, 0.5, 0.8, 1.2}) {
    const double p = fdp_p_value(counts, gaussian_least_rate(mu), Guesses::one_sided);
    CHECK(p >= before);
    CHECK(fdp_rejected(counts, gaussian_least_rate(mu), Guesses::one_sided, 0.05) == (p <= 0.05));
    before = p;
  }
  CHECK(fdp_p_value({1000, 100, 95}, gaussian_least_rate(1.0), Guesses::one_sided) < one);
  CHECK(one_run_mu({1000, 100, 50}, 0.05, Guesses::one_sided) == 0.0);
}

TEST_CASE("tests against independent copies reject a mechanism that keeps its promise", "[inference][pitfall]") {
  // With a public chance w all 1000 coins are answered by RR(1), else none: 1-GDP for every coin.
  const double w = 0.79608, wrong = 1.0 / (1.0 + std::exp(1.0));
  for (double s = 0.0; s < 1.0; s += 0.01) {
    const double delta = w * (std::exp(1.0) - std::exp(s)) / (1.0 + std::exp(1.0));
    const double gaussian = numerics::normal_cdf(0.5 - s) - std::exp(s) * numerics::normal_cdf(-0.5 - s);
    CHECK(delta <= gaussian);
  }
  const double truth = w * (1.0 - at_least(285, 1000, wrong)),
               product = 1.0 - at_least(285, 1000, numerics::normal_cdf(-0.5));
  CHECK(product < 0.05);
  CHECK(truth > 0.68);  // so often the product test would report mu > 1
  CHECK(fdp_p_value({1000, 1000, 716}, gaussian_least_rate(1.0), Guesses::two_sided) >= truth);
  CHECK(fdp_p_value({1000, 1000, 716}, gaussian_least_rate(1.0), Guesses::two_sided) == Approx(0.873).epsilon(1e-3));
}

TEST_CASE("the verdict names what the ends decide", "[inference]") {
  CHECK(audit_verdict(false, false, 1.6, 4.4) == AuditVerdict::loose);
  CHECK(audit_verdict(false, false, 2.3, 4.4) == AuditVerdict::consistent);
  CHECK(audit_verdict(false, true, 4.4, 4.4) == AuditVerdict::undecided);
  CHECK(audit_verdict(true, true, 5.0, 4.4) == AuditVerdict::broken);
  CHECK(name(AuditVerdict::broken) == "BROKEN");
  CHECK_THROWS_AS(audit_verdict(true, false, 1.0, 1.0), DomainError);
  CHECK(coins_look_fair(590, 1000));
  CHECK_FALSE(coins_look_fair(700, 1000));
}

TEST_CASE("audits refuse what they cannot count", "[inference][errors]") {
  CHECK_THROWS_WITH(multi_run({11, 10, 0, 10}, 0.05, 0.0), Catch::Contains("true_positives = 11"));
  CHECK_THROWS_AS(multi_run({1, 10, 0, 10}, 0.5, 0.0), DomainError);
  CHECK_THROWS_AS(approximate_dp_p_value({10, 11, 3}, 1.0, 0.0), DomainError);
  CHECK_THROWS_AS(approximate_dp_p_value({10, 5, 6}, 1.0, 0.0), DomainError);
  CHECK_THROWS_AS(one_run_epsilon({10, 5, 5}, 0.0, 0.0), DomainError);
  CHECK_THROWS_AS(gaussian_least_rate(-1.0), DomainError);
  CHECK_THROWS_AS(band_coverage(0, 0.1), DomainError);
  CHECK_THROWS_AS(simultaneous_eta(10, 1.0), DomainError);
}

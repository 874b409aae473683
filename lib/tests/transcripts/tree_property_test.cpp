// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Random trees, and what composes beside steps: the profiles of one step by quadrature, and neighbouring wrong
// formulas.
#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/transcripts/transcript.hpp>

using namespace dpcurves;

namespace {

std::string node(const std::string& name, const std::string& fields) {
  return "{\"module_name\":\"dp_accounting.dp_event\",\"class_name\":\"" + name + "\"" +
         (fields.empty() ? "" : "," + fields) + "}";
}

/// A random tree; `mirrored` writes the events of each composition in the other order.
std::string tree(std::mt19937_64& random, int depth, bool mirrored, double noise_scale) {
  const auto kind = random() % (depth > 0 ? 5 : 3);
  const auto noise = [&] { return std::to_string((1.0 + static_cast<double>(random() % 8)) * noise_scale); };
  switch (kind) {
    case 0:
      return node("GaussianDpEvent", "\"noise_multiplier\":" + noise());
    case 1: {
      const std::string rate = std::to_string(0.001 * static_cast<double>(1 + random() % 5));
      return node("PoissonSampledDpEvent", "\"sampling_probability\":" + rate + ",\"event\":" +
                                               node("GaussianDpEvent", "\"noise_multiplier\":" + noise()));
    }
    case 2:
      return node("NoOpDpEvent", "");
    case 3: {
      const auto count = std::to_string(random() % 5);
      return node("SelfComposedDpEvent",
                  "\"event\":" + tree(random, depth - 1, mirrored, noise_scale) + ",\"count\":" + count);
    }
    default: {
      const std::string a = tree(random, depth - 1, mirrored, noise_scale);
      const std::string b = tree(random, depth - 1, mirrored, noise_scale);
      return node("ComposedDpEvent", "\"events\":[" + (mirrored ? b + "," + a : a + "," + b) + "]");
    }
  }
}

/// Steps and sums by kind, in no order.
std::vector<std::vector<double>> contents(const mechanism::Run& run) {
  std::vector<std::vector<double>> list;
  const auto add = [&](double rate, double noise, double count) {
    for (auto& one : list) {
      if (one[0] == rate && one[1] == noise) {
        one[2] += count;
        return;
      }
    }
    list.push_back({rate, noise, count});
  };
  for (const auto& phase : run.phases) {
    add(*phase.sampling_rate, *phase.noise_multiplier, phase.steps);
  }
  for (const auto& release : run.releases) {
    add(1.0, release.noise_multiplier, release.count);
  }
  std::sort(list.begin(), list.end());
  return list;
}

/// delta of one Poisson step with k releases on one sample, by the trapezoidal rule over the sufficient statistic of
/// each release: the plane for k = 2.
double plane_delta(double rate, double z1, double z2, double epsilon) {
  const double h = 0.02;
  double sum = 0.0;
  for (double x = -9.0; x <= 9.0 + 1.0 / z1; x += h) {
    for (double y = -9.0; y <= 9.0 + 1.0 / z2; y += h) {
      const double base = std::exp(-0.5 * (x * x + y * y)) / (2.0 * 3.14159265358979323846);
      const double ratio = std::exp(x / z1 - 0.5 / z1 / z1 + y / z2 - 0.5 / z2 / z2);
      sum += std::max(0.0, base * (1.0 - rate + rate * ratio - std::exp(epsilon))) * h * h;
    }
  }
  return sum;
}

double remove_delta(double rate, double mu, double epsilon, double count = 1.0) {
  accounting::Composition steps;
  steps.components = {{rate, mu, count, accounting::Pair::poisson_remove}};
  return accounting::delta_at(steps, epsilon).delta.middle();
}

}  // namespace

TEST_CASE("10000 random trees flatten to the same steps in either order", "[transcripts][property]") {
  for (unsigned seed = 0; seed < 10000; ++seed) {
    std::mt19937_64 first(seed);
    std::mt19937_64 second(seed);
    const auto a = transcripts::read_dp_event(tree(first, 5, false, 1.0), {});
    const auto b = transcripts::read_dp_event(tree(second, 5, true, 1.0), {});
    CAPTURE(seed);
    REQUIRE(contents(a.run) == contents(b.run));
  }
}

TEST_CASE("epsilon does not fall with a count or a rate", "[transcripts][property]") {
  const auto epsilon = [](const std::string& rate, const std::string& count) {
    const auto one = node("SelfComposedDpEvent",
                          "\"event\":" +
                              node("PoissonSampledDpEvent", "\"sampling_probability\":" + rate + ",\"event\":" +
                                                                node("GaussianDpEvent", "\"noise_multiplier\":1.3")) +
                              ",\"count\":" + count);
    return transcripts::guarantee(transcripts::read_dp_event(one, {})).curve->epsilon(1e-6).value;
  };
  CHECK(epsilon("0.01", "100").upper < epsilon("0.01", "200").lower);
  CHECK(epsilon("0.01", "100").upper < epsilon("0.02", "100").lower);
}

TEST_CASE("two Gaussians on one sample are one with 1/Z^2 the sum, not 1/Z", "[transcripts][merged][control]") {
  const double rate = 0.1;
  const double z1 = 1.5;
  const double z2 = 2.5;
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    const double plane = plane_delta(rate, z1, z2, epsilon);
    CHECK(remove_delta(rate, std::sqrt(1.0 / z1 / z1 + 1.0 / z2 / z2), epsilon) == Approx(plane).epsilon(1e-4));
    CHECK(remove_delta(rate, 1.0 / z1 + 1.0 / z2, epsilon) > 1.2 * plane);
  }
}

TEST_CASE("an outer sample around a run is not a product of rates", "[transcripts][control]") {
  // With probability .9 nothing, else the run: exactly q delta(log((e^s - 1 + q) / q)).
  const double outer = 0.1;
  for (const auto& [s, known] : {std::pair(0.1, 9.93e-7), std::pair(0.05, 3.85e-5)}) {
    const double exact = outer * remove_delta(0.01, 1.0, std::log((std::exp(s) - 1.0 + outer) / outer), 100.0);
    CHECK(exact == Approx(known).epsilon(0.01));
    CHECK(exact > 2.2 * remove_delta(0.001, 1.0, s, 100.0));
  }
}

TEST_CASE("a claim composes with steps as randomised response with a failure does", "[accounting][claims]") {
  accounting::Composition steps;
  steps.components = {{0.1, 1.0, 1.0, accounting::Pair::poisson_remove}};
  const auto rest = accounting::composition_curve(steps);
  const double e = 0.4;
  const double d = 1e-3;
  const auto curve = accounting::claimed_curve(rest, {{e, d, 1.0}});
  // The pair in full: what fails is seen, each answer of the response shifts the loss by +-e.
  const double p = std::exp(e) / (1.0 + std::exp(e));
  for (const double s : {-0.5, 0.0, 0.3, 0.9, 2.0}) {
    const double exact =
        d + (1.0 - d) * (p * rest->delta(s - e).value.upper + (1.0 - p) * rest->delta(s + e).value.upper);
    CHECK(curve->delta(s).value.upper == Approx(exact).epsilon(1e-8));  // the accountant is asked for 1e-9
    CHECK(curve->delta(s).value.lower <= curve->delta(s).value.upper);
    CHECK(curve->delta(s).value.upper > exact - 0.5 * d);  // dropping d would be seen
  }
  CHECK(curve->epsilon(1e-2).value.upper < rest->epsilon(1e-2 - d).value.upper + e);  // adding epsilons is larger
  CHECK(std::isinf(curve->epsilon(d).value.upper));
}

TEST_CASE("claims commute, and many of them are still a bound", "[accounting][claims]") {
  const auto nothing = accounting::gaussian_curve(exactly(0.0));
  const auto ab = accounting::claimed_curve(nothing, {{0.1, 0.0, 3.0}, {0.2, 1e-6, 2.0}});
  const auto ba = accounting::claimed_curve(nothing, {{0.2, 1e-6, 2.0}, {0.1, 0.0, 3.0}});
  CHECK(ab->epsilon(1e-3).value.upper == Approx(ba->epsilon(1e-3).value.upper).epsilon(1e-9));
  // k responses with small e are nearly Gaussian with mu = e sqrt(k).
  const auto many = accounting::claimed_curve(nothing, {{0.01, 0.0, 10000.0}});
  CHECK(many->epsilon(1e-5).value.upper == Approx(4.3763845).epsilon(1e-7));  // dp_accounting: in [4.376384, 4.376385]
  CHECK(many->epsilon(1e-5).value.lower <= many->epsilon(1e-5).value.upper);
  // Beside steps only the terms that can be seen are asked for: else minutes.
  accounting::Composition steps;
  steps.components = {{0.01, 1.0, 500.0, accounting::Pair::poisson_remove}};
  const auto beside = accounting::claimed_curve(accounting::composition_curve(steps), {{0.1, 1e-8, 30.0}});
  CHECK(beside->epsilon(1e-5).value.upper == Approx(2.52993359067).epsilon(1e-9));
  const auto one = accounting::claimed_curve(nothing, {{0.7, 0.0, 1.0}});
  for (const double s : {0.0, 0.2, 0.69}) {
    CHECK(one->delta(s).value.upper == Approx(accounting::pure_curve(0.7)->delta(s).value.upper).epsilon(1e-12));
  }
}

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <set>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

namespace {

GlmLaw law_of(std::size_t d) {
  GlmLaw law;
  law.dimension = d;
  law.link = models::make_link(models::LinkKind::tanh);
  law.parameter.assign(d, 0.4);
  law.labels = LabelLaw::two_point;
  return law;
}

PhasedSgd setting_of(double step, double noise) {
  PhasedSgd setting;
  setting.link = models::make_link(models::LinkKind::tanh);
  setting.step_size = step;
  setting.noise_per_step = noise;
  return setting;
}

/// Zero records, any number of them, that watches who reads what.
class Watched final : public RecordSource {
 public:
  Watched(std::size_t d, std::uint64_t n) : dimension_(d), records_(n) {}
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::uint64_t records() const override { return records_; }
  void read(std::uint64_t first, std::span<double> features, std::span<double> labels) override {
    in_order = in_order && first == next;
    next = first + labels.size();
    largest = std::max(largest, features.size());
    std::fill(features.begin(), features.end(), 0.0);
    std::fill(labels.begin(), labels.end(), 0.0);
    buffers.insert(features.data());
  }
  bool in_order = true;
  std::uint64_t next = 0;
  std::size_t largest = 0;
  std::set<const double*> buffers;

 private:
  std::size_t dimension_;
  std::uint64_t records_;
};

}  // namespace

TEST_CASE("phased SGD is the algorithm written out", "[simulate]") {
  constexpr std::size_t n = 100, d = 3;
  DrawnRecords records(law_of(d), n, 11, 2);
  const double eta = 1.5, c = 0.7;
  std::vector<double> x(n * d), y(n);
  records.read(0, x, y);
  std::vector<double> w{0.1, 0.0, -0.2};
  auto setting = setting_of(eta, c);
  setting.start = w;
  std::size_t used = 0;
  std::vector<double> noise(4 * 6);  // d rounded up to an even number per phase
  random::normals(noise, 11, random::Purpose::noise, 2, 0);
  const std::size_t sizes[] = {50, 25, 12, 6, 3, 1};
  for (std::size_t i = 0; i < 6; ++i) {
    const double step = eta / std::pow(4.0, static_cast<double>(i + 1));
    std::vector<double> mean(d, 0.0);
    for (std::size_t t = 0; t < sizes[i]; ++t, ++used) {
      double u = 0.0;
      for (std::size_t j = 0; j < d; ++j) {
        mean[j] += w[j] / static_cast<double>(sizes[i]);
        u += w[j] * x[used * d + j];
      }
      for (std::size_t j = 0; j < d; ++j) {
        w[j] -= step * (std::tanh(u) - y[used]) * x[used * d + j];
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      w[j] = mean[j] + c * step * noise[i * 4 + j];
    }
  }
  CHECK(used == 97);  // three records stay unused
  const auto found = phased_sgd(setting, records, 11, 2);
  for (std::size_t j = 0; j < d; ++j) {
    CHECK(found[j] == Approx(w[j]).epsilon(1e-12));
  }
}

TEST_CASE("a pass reads every record once, in order, through one buffer of 64 rows", "[simulate]") {
  for (const std::uint64_t n : {1000U, 100000U, 3000000U}) {
    Watched records(4, n);
    (void)phased_sgd(setting_of(1.0, 1.0), records, 1, 0);
    CHECK(records.in_order);
    CHECK(records.next < n);
    CHECK(records.next > n - 24);      // n minus the bits of n
    CHECK(records.largest == 64 * 4);  // whatever n is
    CHECK(records.buffers.size() == 1);
  }
}

TEST_CASE("the printed number of phases ends in a mean of nothing unless n is a power of two", "[simulate]") {
  DrawnRecords odd(law_of(2), 1000, 3, 0), even(law_of(2), 1024, 3, 0);
  auto setting = setting_of(1.0, 0.5);
  const auto right = phased_sgd(setting, even, 1, 0);
  CHECK(std::isfinite(phased_sgd(setting, odd, 1, 0)[0]));
  setting.printed_phases = true;
  CHECK(std::isnan(phased_sgd(setting, odd, 1, 0)[0]));
  CHECK(phased_sgd(setting, even, 1, 0) == right);
}

TEST_CASE("Algorithm 5 with a stiff envelope is Algorithm 2, with a soft one it is not", "[simulate]") {
  DrawnRecords records(law_of(3), 500, 3, 0);
  auto setting = setting_of(1.0, 0.5);
  const auto plain = phased_sgd(setting, records, 1, 0);
  setting.slope = envelope_slope(setting.link, 1e9);
  CHECK(phased_sgd(setting, records, 1, 0)[0] == Approx(plain[0]).epsilon(1e-7));
  setting.slope = envelope_slope(setting.link, 1.0);
  const auto soft = phased_sgd(setting, records, 1, 0);
  CHECK(std::abs(soft[0] - plain[0]) > 1e-3);
  // The paper's oracle within its error: 12 B/sqrt(T + 1) in every gradient.
  setting.slope = oracle_slope(setting.link, 1.0, 1.0, 20000);
  CHECK(phased_sgd(setting, records, 1, 0)[0] == Approx(soft[0]).margin(1e-4));
}

TEST_CASE("Algorithm 3 with an orthogonal map is Algorithm 2 in other coordinates", "[simulate]") {
  DrawnRecords records(law_of(8), 2000, 3, 0);
  auto map = models::JohnsonLindenstrauss::hadamard(8, 8, 2, 0);
  const auto setting = setting_of(1.0, 0.0);
  const auto plain = phased_sgd(setting, records, 1, 0), turned = projected_phased_sgd(setting, records, map, 1, 0);
  for (std::size_t j = 0; j < 8; ++j) {
    CHECK(turned[j] == Approx(plain[j]).epsilon(1e-12));
  }
}

TEST_CASE("phased SGD refuses settings that make no sense", "[simulate][errors]") {
  DrawnRecords records(law_of(2), 100, 3, 0), one(law_of(2), 1, 3, 0);
  CHECK_THROWS_WITH(phased_sgd(setting_of(0.0, 1.0), records, 1, 0), Catch::Contains("step_size = 0"));
  CHECK_THROWS_WITH(phased_sgd(setting_of(1.0, -1.0), records, 1, 0), Catch::Contains("noise_per_step = -1"));
  CHECK_THROWS_WITH(phased_sgd(setting_of(1.0, 1.0), one, 1, 0), Catch::Contains("records = 1"));
  auto setting = setting_of(1.0, 1.0);
  setting.start = {1.0};
  CHECK_THROWS_AS(phased_sgd(setting, records, 1, 0), DomainError);
}

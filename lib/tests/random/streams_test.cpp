// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/random/detail/philox.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using random::Purpose;

namespace {

std::vector<double> normals(std::size_t count, std::uint64_t seed = 1, Purpose purpose = Purpose::noise,
                            std::uint32_t path = 0, std::uint64_t first = 0) {
  std::vector<double> out(count);
  random::normals(out, seed, purpose, path, first);
  return out;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

double phi(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// Largest distance between the empirical distribution of `sample` and `law`.
template <class Law>
double kolmogorov_distance(std::vector<double> sample, const Law& law) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = law(sample[i]), rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1.0) / n - p});
  }
  return distance;
}

/// Massart's form of the Dvoretzky-Kiefer-Wolfowitz bound, valid for every n: exceeded with probability <= 1e-9.
double kolmogorov_bound(std::size_t n) { return std::sqrt(std::log(2.0 / 1e-9) / (2.0 * static_cast<double>(n))); }

}  // namespace

TEST_CASE("all instruction sets give the same bits", "[random][streams]") {
  for (const std::size_t count : std::vector<std::size_t>{0, 1, 2, 3, 7, 16, 17, 100003}) {
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 33U) - 6}) {
      std::vector<double> baseline(count), other(count);
      random::normals(baseline, 0x123456789abcdefULL, Purpose::data, 77, first, random::InstructionSet::sse2);
      for (const auto set : random::instruction_sets()) {
        random::normals(other, 0x123456789abcdefULL, Purpose::data, 77, first, set);
        CHECK(same_bits(baseline, other));
      }
    }
  }
}

TEST_CASE("normals keep their bits for ever", "[random][streams]") {
  // Printed once by the SSE2 variant; the exact transform is tested below.
  const auto z = normals(4, 11, Purpose::noise, 3, 0);
  CHECK(z ==
        std::vector<double>{0x1.ed1d53042a26fp-2, 0x1.36da4eed42663p-2, -0x1.5b281a66861ap-1, 0x1.465fda4e6e63ap-2});
}

TEST_CASE("normals are the exact Box-Muller transform to the stated accuracy", "[random][streams][accuracy]") {
  test::Worst worst;
  const std::uint64_t seed = 99;
  constexpr std::uint32_t blocks = 400000;
  const auto z = normals(2 * blocks, seed, Purpose::noise, 5);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const auto w = random::philox({block, 0, 5, 1}, {99, 0});
    const std::uint64_t first = w[0] | std::uint64_t{w[1]} << 32U, second = w[2] | std::uint64_t{w[3]} << 32U;
    const long double u = (static_cast<long double>(first >> 12U) + 0.5L) * 0x1p-52L;
    const long double y = (static_cast<long double>(second >> 12U) + 0.5L) * 0x1p-52L - 0.5L;
    const long double radius = std::sqrt(-2.0L * std::log(u));
    const long double angle = std::numbers::pi_v<long double> / 2.0L * (y + static_cast<long double>(second & 3U));
    const long double scale = 1.0L + radius;
    worst.see(static_cast<double>(std::abs(z[2 * block] - radius * std::cos(angle)) / scale), block);
    worst.see(static_cast<double>(std::abs(z[2 * block + 1] - radius * std::sin(angle)) / scale), block);
  }
  CAPTURE(worst.at, shortest(worst.error));
  CHECK(worst.error < 2.5e-16);  // the number in the header comment
}

TEST_CASE("a piece of a stream is the stream's piece", "[random][streams][property]") {
  const auto whole = normals(101, 3, Purpose::noise, 9);
  std::vector<double> uniform(101);
  random::uniforms(uniform, 3, Purpose::noise, 9, 0);
  for (const std::size_t cut : std::vector<std::size_t>{0, 1, 2, 50, 51, 100, 101}) {
    auto pieces = normals(cut, 3, Purpose::noise, 9);
    const auto rest = normals(101 - cut, 3, Purpose::noise, 9, cut);
    pieces.insert(pieces.end(), rest.begin(), rest.end());
    CHECK(same_bits(whole, pieces));
    std::vector<double> part(101 - cut);
    random::uniforms(part, 3, Purpose::noise, 9, cut);
    CHECK(std::equal(part.begin(), part.end(), uniform.begin() + static_cast<std::ptrdiff_t>(cut)));
  }
}

TEST_CASE("normals and uniforms follow their laws", "[random][streams][statistics]") {
  constexpr std::size_t n = 1'000'000;
  const auto z = normals(n, 20240601);
  CHECK(kolmogorov_distance(z, phi) < kolmogorov_bound(n));
  std::vector<double> u(n);
  random::uniforms(u, 20240601, Purpose::sampling, 0, 0);
  CHECK(kolmogorov_distance(u, [](double x) { return x; }) < kolmogorov_bound(n));
  CHECK(*std::min_element(u.begin(), u.end()) > 0.0);
  CHECK(*std::max_element(u.begin(), u.end()) < 1.0);

  // Moments 1 to 6 against k standard errors: E z^k and E z^2k of a normal are products of odd numbers.
  const auto moment = [](int k) {
    return k % 2 == 1 ? 0.0
           : k == 0   ? 1.0
                      : std::tgamma(k + 1.0) / (std::pow(2.0, 0.5 * k) * std::tgamma(0.5 * k + 1.0));
  };
  for (int k = 1; k <= 6; ++k) {
    double sum = 0.0;
    for (const double x : z) {
      sum += std::pow(x, k);
    }
    const double error = std::sqrt((moment(2 * k) - moment(k) * moment(k)) / static_cast<double>(n));
    CAPTURE(k);
    CHECK(std::abs(sum / static_cast<double>(n) - moment(k)) < 5.5 * error);
  }
}

TEST_CASE("paths, purposes, seeds and the two halves of a pair are uncorrelated", "[random][streams][statistics]") {
  constexpr std::size_t n = 400'000;
  const auto base = normals(n, 8, Purpose::noise, 0);
  const auto correlation = [&](const std::vector<double>& other) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += base[i] * other[i];
    }
    return std::abs(sum) / std::sqrt(static_cast<double>(n));
  };
  CHECK(correlation(normals(n, 8, Purpose::noise, 1)) < 5.5);
  CHECK(correlation(normals(n, 8, Purpose::sampling, 0)) < 5.5);
  CHECK(correlation(normals(n, 9, Purpose::noise, 0)) < 5.5);
  CHECK(correlation(normals(n, 8 + (std::uint64_t{1} << 32U), Purpose::noise, 0)) < 5.5);
  CHECK(correlation(normals(n, 8, Purpose::noise, 0, 1)) < 5.5);  // neighbours in the stream
  // One number of each of many paths is a sample too.
  std::vector<double> across(200'000);
  for (std::uint32_t path = 0; path < across.size(); ++path) {
    across[path] = normals(1, 8, Purpose::noise, path)[0];
  }
  CHECK(kolmogorov_distance(across, phi) < kolmogorov_bound(across.size()));
}

TEST_CASE("integers below n are uniform", "[random][streams][statistics]") {
  random::Words words(5, Purpose::sampling, 0, 0);
  constexpr std::uint64_t n = 7;
  constexpr int draws = 700'000;
  std::array<int, n> counts{};
  for (int i = 0; i < draws; ++i) {
    ++counts[words.below(n)];
  }
  for (const int count : counts) {
    CHECK(std::abs(count - draws / 7) < 5.5 * std::sqrt(draws / 7.0 * 6.0 / 7.0));
  }
  CHECK(words.below(1) == 0);
  CHECK_THROWS_AS(words.below(0), DomainError);
  // A range that rejects nearly half of the words: the upper and the lower part stay equally likely.
  constexpr std::uint64_t large = (std::uint64_t{1} << 63U) + 1;
  int upper = 0;
  for (int i = 0; i < 100'000; ++i) {
    upper += words.below(large) >= large / 2 ? 1 : 0;
  }
  CHECK(std::abs(upper - 50'000) < 5.5 * std::sqrt(25'000.0));
}

TEST_CASE("every subset is equally likely", "[random][streams][statistics]") {
  // chi-square with 9 degrees of freedom over the ten pairs of five: above 60 with probability 1.4e-9
  std::array<int, 32> counts{};
  constexpr int draws = 200'000;
  for (std::uint32_t path = 0; path < draws; ++path) {
    random::Words words(21, Purpose::sampling, path, 0);
    std::array<std::uint32_t, 2> pair{};
    random::subset(pair, 5, words);
    REQUIRE(pair[0] != pair[1]);
    ++counts[(1U << pair[0]) | (1U << pair[1])];
  }
  double chi_square = 0.0;
  int sets = 0;
  for (const int count : counts) {
    if (count > 0) {
      ++sets;
      chi_square += std::pow(count - draws / 10.0, 2) / (draws / 10.0);
    }
  }
  CHECK(sets == 10);
  CHECK(chi_square < 60.0);
}

TEST_CASE("subsets of every size hold distinct numbers in range", "[random][streams]") {
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 5, 32, 33, 200, 5000, 9999, 10000}) {
    random::Words words(1, Purpose::sampling, 0, 0);
    std::vector<std::uint32_t> chosen(size);
    random::subset(chosen, 10000, words);
    CHECK(std::set<std::uint32_t>(chosen.begin(), chosen.end()).size() == size);
    CHECK(std::all_of(chosen.begin(), chosen.end(), [](std::uint32_t i) { return i < 10000; }));
  }
  std::vector<std::uint32_t> too_many(3);
  random::Words words(1, Purpose::sampling, 0, 0);
  CHECK_THROWS_AS(random::subset(too_many, 2, words), DomainError);
}

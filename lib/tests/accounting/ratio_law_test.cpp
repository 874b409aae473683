// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The roundings that laws of a likelihood ratio claim, beside balls and sums in extended doubles, at thresholds where
// cutting into cells loses nothing: between neighbouring edges of the cells (r - x)_+ is linear for x at an edge.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/detail/allocation_law.hpp>
#include <dpcurves/accounting/detail/block_product.hpp>
#include <dpcurves/accounting/detail/loss_sums.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "../support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::accounting::detail;
using accounting::Direction;
using rigorous::Real;

namespace {

using Wide = long double;

// E (L - x)_+ and E (x - L)_+ as a law claims them, with all its errors.
struct Parts {
  Wide over, under;
};
Parts claimed(const RatioLaw& law, Side side, Wide x) {
  const Wide sign = side == Side::above ? 1.0L : -1.0L, moved = std::exp(sign * static_cast<Wide>(law.ratio_error)),
             grown = std::exp(sign * static_cast<Wide>(law.mass_error));
  Parts parts{law.infinite, law.zero * x};
  for (std::size_t i = 0; i < law.ratio.size(); ++i) {
    const Wide r = law.ratio[i];
    parts.over += law.mass[i] * std::max(0.0L, r * moved - x);
    parts.under += law.mass[i] * std::max(0.0L, x - r / moved);
  }
  return {parts.over * grown, parts.under * grown};
}

// The same of the ratio of two normal laws, in balls.
struct Ends {
  Enclosure over, under;
};
Ends exact(double mu, double x) {
  const rigorous::Precision precision(128);
  const Real m(mu), at = log(Real(x)) / m + m / Real(2);
  return {(rigorous::normal_tail(at - m) - Real(x) * rigorous::normal_tail(at)).enclosure(),
          (Real(x) * rigorous::normal_tail(-at) - rigorous::normal_tail(m - at)).enclosure()};
}

// Of the mean of two independent ratios with these laws, by all pairs.
Parts of_pairs(const RatioLaw& a, Wide share, const RatioLaw& b, Wide other, Wide x) {
  Parts parts{share * a.infinite + other * b.infinite, 0.0L};
  for (std::size_t i = 0; i < a.ratio.size(); ++i) {
    const Wide left = a.mass[i] + (i == 0 ? a.zero : 0.0);
    for (std::size_t j = 0; j < b.ratio.size(); ++j) {
      const Wide mass = left * (b.mass[j] + (j == 0 ? b.zero : 0.0));
      const Wide gap = share * a.ratio[i] + other * b.ratio[j] - x;
      (gap > 0.0L ? parts.over : parts.under) += mass * std::abs(gap);
    }
  }
  parts.under += (a.zero + b.zero) * x;
  return parts;
}

// The errors that a law adds to those of what it was made of.
RatioLaw added(RatioLaw law, double mass_error, double ratio_error) {
  law.mass_error -= mass_error;
  law.ratio_error -= ratio_error;
  return law;
}

}  // namespace

TEST_CASE("cells of one ratio: no rounding is larger than is claimed, in balls", "[accounting][allocation][ratio]") {
  std::vector<double> u(3);
  int seen = 0;  // a law that claimed no error would be found out
  for (std::uint32_t trial = 0; trial < 24; ++trial) {
    random::uniforms(u, 11, random::Purpose::data, trial, 0);
    const double mu = 1e-4 * std::pow(2e5, u[0]);
    const Resolution resolution{static_cast<std::size_t>(200.0 + 1800.0 * u[1]), 5.0 + 32.0 * u[2]};
    const RatioLaws laws = gaussian_ratio(mu, resolution);
    const std::vector<double>& edges = laws.above.ratio;
    const double lost = 2.0 * laws.above.infinite + edges.back() * laws.above.mass.back();
    int short_of = 0, wide = 0, beyond = 0;
    for (std::size_t k = 1; k + 1 < edges.size(); k += 1 + edges.size() / 40) {
      const Ends want = exact(mu, edges[k]);
      const Parts above = claimed(laws.above, Side::above, edges[k]),
                  below = claimed(laws.below, Side::below, edges[k]);
      short_of += above.over < want.over.lower || above.under < want.under.lower ? 1 : 0;
      beyond += below.over > want.over.upper || below.under > want.under.upper ? 1 : 0;
      RatioLaw bare = laws.below;
      bare.mass_error = bare.ratio_error = 0.0;
      seen += claimed(bare, Side::below, edges[k]).over > want.over.upper ? 1 : 0;
      // Claims are at most a hundred times what roundings of this size may come to.
      const double size = 4.0 * (laws.above.mass_error + laws.above.ratio_error * (1.0 + edges[k] / want.over.upper));
      wide += above.over > want.over.upper * (1.0 + size) + lost ? 1 : 0;
    }
    CAPTURE(mu, resolution.cells, resolution.reach, laws.above.mass_error, laws.above.ratio_error);
    CHECK(short_of == 0);
    CHECK(beyond == 0);
    CHECK(wide == 0);
    CHECK(laws.above.mass_error < 1e-12);
  }
  CHECK(seen > 0);
}

TEST_CASE("means of two ratios: no rounding is larger than is claimed, by all pairs",
          "[accounting][allocation][ratio]") {
  for (const double mu : {1e-3, 0.3, 2.0, 8.0}) {
    const Resolution resolution{240, 9.0};
    const RatioLaws one = gaussian_ratio(mu, resolution);
    RatioLaws law = one;
    double count = 1.0;
    for (const double more : {1.0, 1.0, 3.0, 6.0, 12.0, 1.0, 24.0}) {  // 2 to 49 steps
      const bool twice = more == count && count > 1.0;
      const RatioLaws& other = twice ? law : one;
      const double n = twice ? count : 1.0;
      const RatioLaws next = twice ? mean_ratio(law, resolution) : mean_ratio(law, count, one, 1.0, resolution);
      for (const Side side : {Side::above, Side::below}) {
        const bool up = side == Side::above;
        const RatioLaw &a = up ? law.above : law.below, &b = up ? other.above : other.below,
                       &made = up ? next.above : next.below;
        const RatioLaw step = added(made, a.mass_error + b.mass_error, std::max(a.ratio_error, b.ratio_error));
        const std::vector<double>& edges = next.above.ratio;
        int outside = 0;
        for (std::size_t k = 1; up && k + 1 < edges.size(); k += 1 + edges.size() / 16) {
          const Parts want = of_pairs(a, Wide(count) / Wide(count + n), b, Wide(n) / Wide(count + n), edges[k]);
          const Parts got = claimed(step, side, edges[k]);
          outside += got.over < want.over || got.under < want.under ? 1 : 0;
          // and by no more than twice the claim, where the claim is not for the lowest and highest cells
          const Wide size = 8.0L * (step.mass_error + step.ratio_error * (1.0L + edges[k] / want.over));
          outside += got.over > want.over * (1.0L + size) + 1e-300L ? 1 : 0;
        }
        for (std::size_t k = 1; !up && k + 1 < made.ratio.size(); k += 1 + made.ratio.size() / 16) {
          const Wide x = 0.5L * (Wide(made.ratio[k]) + Wide(made.ratio[k + 1]));  // Jensen: at any threshold
          const Parts want = of_pairs(a, Wide(count) / Wide(count + n), b, Wide(n) / Wide(count + n), x);
          const Parts got = claimed(step, side, x);
          outside += got.over > want.over || got.under > want.under ? 1 : 0;
        }
        CAPTURE(mu, count, n, up, step.mass_error, step.ratio_error);
        CHECK(outside == 0);
        CHECK(step.mass_error < 1e-11);
      }
      law = next;
      count += n;
    }
  }
}

// (A + 1)/2 exceeds x where A exceeds 2x - 1.
TEST_CASE("a mean of a law of many atoms has as few as the resolution, and holds the mean",
          "[accounting][allocation][ratio]") {
  const RatioLaw still{{1.0}, {1.0}};
  for (const double mu : {1e-4, 0.3, 2.0}) {
    const Resolution resolution{2010, 9.0};
    const RatioLaws many = gaussian_ratio(mu, {30 * resolution.cells, resolution.reach});
    const RatioLaws made = mean_ratio(many, 1.0, {still, still}, 1.0, resolution);
    CHECK(made.above.ratio.size() < 2 * resolution.cells);
    CHECK(made.below.ratio.size() < 2 * resolution.cells);
    for (const double z : {-6.0, -2.0, 0.0, 2.0, 6.0}) {
      const double x = std::exp(mu * z - 0.5 * mu * mu);
      const Ends want = exact(mu, x);
      const Parts above = claimed(made.above, Side::above, 0.5 * (1.0 + x)),
                  below = claimed(made.below, Side::below, 0.5 * (1.0 + x));
      CAPTURE(mu, z, want.over.lower, static_cast<double>(above.over), static_cast<double>(below.over));
      CHECK(2.0L * above.over >= want.over.lower);
      CHECK(2.0L * below.over <= want.over.upper);
      CHECK(2.0L * above.under >= want.under.lower);
      CHECK(2.0L * below.under <= want.under.upper);
      CHECK(above.over - below.over < 1e-3L * above.over);
    }
  }
}

TEST_CASE("masses moved to a lattice: no rounding is larger than is claimed", "[accounting][allocation][ratio]") {
  const RatioLaws laws = gaussian_ratio(0.7, {300, 8.0});
  for (const double step : {1e-3, 3e-2, 0.4}) {
    const RatioLattice lattice{RatioLattice::Kind::logarithmic, step};
    for (const Side side : {Side::above, Side::below}) {
      const bool up = side == Side::above;
      RatioLaw from = up ? laws.above : laws.below;
      const long first = lattice.below(from.ratio.front()), last = lattice.below(from.ratio.back()) + 1;
      const LatticeMasses moved = on_lattice(from, side, lattice, first, last);
      int outside = 0;
      for (long k = first + 1; k < last; k += 1 + (last - first) / 50) {
        // Both at exact points of the lattice: there the law above loses nothing, the law below is below anywhere.
        const Wide x = std::exp(static_cast<Wide>(step) * static_cast<Wide>(k));
        Parts want{from.infinite, from.zero * x}, got{moved.infinite, moved.zero * x};
        const Wide shift = std::exp((up ? 1.0L : -1.0L) * moved.ratio_error);
        for (std::size_t i = 0; i < from.ratio.size(); ++i) {
          want.over += from.mass[i] * std::max(0.0L, from.ratio[i] - x);
          want.under += from.mass[i] * std::max(0.0L, x - from.ratio[i]);
        }
        for (std::size_t i = 0; i < moved.mass.size(); ++i) {
          const Wide r = std::exp(static_cast<Wide>(step) * static_cast<Wide>(first + static_cast<long>(i)));
          got.over += moved.mass[i] * std::max(0.0L, r * shift - x);
          got.under += moved.mass[i] * std::max(0.0L, x - r / shift);
        }
        const Wide grown = std::exp((up ? 1.0L : -1.0L) * moved.mass_error);
        const bool over = up ? got.over * grown >= want.over : got.over * grown <= want.over;
        const bool under = up ? got.under * grown >= want.under : got.under * grown <= want.under;
        outside += over && under ? 0 : 1;
        outside += up && got.over > want.over * (1.0L + 1e-10L) + 1e-14L ? 1 : 0;
      }
      CAPTURE(step, up, moved.mass_error, moved.ratio_error);
      CHECK(outside == 0);
    }
  }
}

TEST_CASE("laws of many steps hold the moments of the ratio", "[accounting][allocation][ratio]") {
  // E L^2 = 1 + v / t, E L^3 = 1 + 3 v / t + (v^3 + 3 v^2) / t^2, v = e^{mu^2} - 1
  for (const double mu : {0.05, 0.5, 1.0}) {
    for (const double t : {1000.0, 30000.0}) {
      const RatioLaws laws = allocation_laws(mu, t, {1000, 12.0});
      const auto moment = [](const RatioLaw& law, Side side, int power) {
        const double sign = side == Side::above ? 1.0 : -1.0;
        double sum = 0.0;
        for (std::size_t i = 0; i < law.ratio.size(); ++i) {
          sum += law.mass[i] * std::pow(law.ratio[i] * std::exp(sign * law.ratio_error), power);
        }
        return sum * std::exp(sign * law.mass_error);
      };
      const double v = std::expm1(mu * mu), second = 1.0 + v / t,
                   third = 1.0 + 3.0 * v / t + (v * v * v + 3.0 * v * v) / (t * t);
      CAPTURE(mu, t, laws.above.mass_error, laws.above.ratio_error);
      CHECK(moment(laws.above, Side::above, 2) >= second);
      CHECK(moment(laws.above, Side::above, 3) >= third);
      CHECK(moment(laws.below, Side::below, 2) <= second);
      CHECK(moment(laws.below, Side::below, 3) <= third);
      CHECK(moment(laws.above, Side::above, 2) < second + 3e-3 * v / t + 4.0 * laws.above.mass_error);
    }
  }
}

TEST_CASE("products of ratios of two normal laws hold the Gaussian mechanism", "[accounting][allocation][ratio]") {
  for (const double mu : {0.02, 0.5, 3.0}) {
    for (const double count : {1.0, 2.0, 7.0, 500.0, 40000.0}) {
      const double all = mu * std::sqrt(count);
      if (all > 12.0) {
        continue;
      }
      const Enclosure whole = around(all, 4e-16 * all);
      for (const Direction direction : {Direction::remove, Direction::add}) {
        BlockProduct product({gaussian_ratio(mu, {2000, 11.0})}, {count}, direction, 11.0, false);
        for (const double away : {0.0, 0.5, 2.0, 4.0, 6.0}) {
          const double epsilon = all * (0.5 * all + away);
          const Enclosure got = product.delta(epsilon), want = tradeoff::delta_enclosure(epsilon, whole);
          CAPTURE(mu, count, epsilon, got.lower, got.upper, want.lower, want.upper);
          CHECK(got.lower <= want.upper);
          CHECK(got.upper >= want.lower);
          CHECK(got.upper - got.lower < 0.02 * want.upper);
        }
      }
    }
  }
}

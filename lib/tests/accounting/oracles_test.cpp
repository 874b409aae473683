// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Compositions against what owes nothing to the inversion: direct convolution, published values, more digits.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

enum class Rounding { up, down };

// The privacy loss under the alternative on multiples of a spacing, every loss rounded in one direction: delta and
// the power are then bounded from that side, and P(loss < -epsilon), the type I error by symmetry, from the other.
class RoundedLoss {
 public:
  RoundedLoss(double p, double mu, double spacing, Rounding rounding) : spacing_(spacing), rounding_(rounding) {
    const double reach = 12.0;
    const int half = static_cast<int>(reach / spacing);
    const double atom = tradeoff::privacy_loss_atom(p, mu);
    const bool up = rounding == Rounding::up;
    // P(a < loss <= b) rounded up to b, P(a <= loss < b) rounded down to a: the atom at 0 stays where it is.
    const auto below = [&](double loss) {
      return tradeoff::privacy_loss_cdf(loss, p, mu) - (!up && loss == 0.0 ? atom : 0.0);
    };
    const auto above = [&](double loss) {
      return tradeoff::privacy_loss_upper_tail(loss, p, mu) + (!up && loss == 0.0 ? atom : 0.0);
    };
    first_ = up ? -half + 1 : -half;
    for (int k = -half; k < half; ++k) {
      const double a = spacing * k;
      const double b = spacing * (k + 1);
      mass_.push_back(std::max(k >= 0 ? above(a) - above(b) : below(b) - below(a), 0.0));
    }
    (up ? infinite_ : mass_.back()) += above(reach);
    if (up) {
      mass_.front() += below(-reach);
    } else {
      dropped_ += below(-reach);
    }
    trim();
  }

  // Twice as many steps.
  void square() {
    std::vector<double> sum(2 * mass_.size() - 1, 0.0);
    for (std::size_t i = 0; i < mass_.size(); ++i) {
      const double factor = mass_[i];
      double* const to = sum.data() + i;
      for (std::size_t j = 0; j < mass_.size(); ++j) {
        to[j] += factor * mass_[j];
      }
    }
    mass_ = std::move(sum);
    first_ *= 2;
    infinite_ *= 2.0;
    dropped_ *= 2.0;
    trim();
  }

  [[nodiscard]] double delta(double epsilon) const {
    return infinite_ + total([&](double loss) { return loss > epsilon ? -std::expm1(epsilon - loss) : 0.0; });
  }
  [[nodiscard]] double power(double epsilon) const {
    return infinite_ + total([&](double loss) { return loss > epsilon ? 1.0 : 0.0; });
  }
  [[nodiscard]] double type_one_error(double epsilon) const {
    return dropped_ + total([&](double loss) { return loss < -epsilon ? 1.0 : 0.0; });
  }

 private:
  template <class Function>
  [[nodiscard]] double total(const Function& function) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < mass_.size(); ++k) {
      sum += mass_[k] * function(spacing_ * (first_ + static_cast<int>(k)));
    }
    return sum;
  }

  // Ends of mass below 1e-14 move in the direction of the rounding.
  void trim() {
    const double negligible = 1e-14;
    double top = 0.0;
    while (top + mass_.back() < negligible) {
      top += mass_.back();
      mass_.pop_back();
    }
    double bottom = 0.0;
    std::size_t skip = 0;
    while (bottom + mass_[skip] < negligible) {
      bottom += mass_[skip++];
    }
    mass_.erase(mass_.begin(), mass_.begin() + static_cast<std::ptrdiff_t>(skip));
    first_ += static_cast<int>(skip);
    if (rounding_ == Rounding::up) {
      infinite_ += top;
      mass_.front() += bottom;
    } else {
      mass_.back() += top;
      dropped_ += bottom;
    }
  }

  double spacing_;
  Rounding rounding_;
  int first_ = 0;
  std::vector<double> mass_;
  double infinite_ = 0.0;  // at most this much at +infinity
  double dropped_ = 0.0;   // at most this much at -infinity
};

bool meet(const Enclosure& a, const Enclosure& b) { return a.lower <= b.upper && b.lower <= a.upper; }

// The differences of distribution functions lose some digits: 1e-12 of a tail, a cell being 1e-4 of it or more.
Enclosure oracle(double lower, double upper) { return outward({lower, upper}, 1e-7); }

}  // namespace

TEST_CASE("certified brackets meet those of direct convolution", "[accounting][oracle]") {
  const double spacing = 1.0 / 1024;
  Accuracy accuracy;
  accuracy.relative = 1e-3;
  for (const auto& [p, mu] : {std::pair{0.2, 1.0}, std::pair{0.05, 2.0}}) {
    RoundedLoss up(p, mu, spacing, Rounding::up);
    RoundedLoss down(p, mu, spacing, Rounding::down);
    for (int steps = 2; steps <= 32; steps *= 2) {
      up.square();
      down.square();
      for (const double epsilon : {0.7, 2.0}) {
        const ProfilePoint point = profile_at({0.0, {{p, mu, static_cast<double>(steps)}}}, epsilon, accuracy);
        const Enclosure delta = oracle(down.delta(epsilon), up.delta(epsilon));
        const Enclosure power = oracle(down.power(epsilon), up.power(epsilon));
        const Enclosure type_one_error = oracle(up.type_one_error(epsilon), down.type_one_error(epsilon));
        CAPTURE(p, mu, steps, epsilon, delta.lower, delta.upper, point.delta.lower, point.delta.upper, point.method);
        CHECK(meet(point.delta, delta));
        CHECK(meet(point.power, power));
        CHECK(meet(point.type_one_error, type_one_error));
        CHECK(delta.relative_width() < 0.05);
        CHECK(power.relative_width() < 0.05);
        CHECK(type_one_error.relative_width() < 0.05);
        if (steps == 4) {  // narrow enough to tell one step more
          const ProfilePoint more = profile_at({0.0, {{p, mu, steps + 1.0}}}, epsilon, accuracy);
          CHECK_FALSE(meet(more.delta, delta));
        }
      }
    }
  }
}

namespace {

// Half a unit of the last of `digits` significant digits.
bool prints_as(const Enclosure& bracket, double printed, int digits) {
  const double half = 0.5 * std::pow(10.0, std::floor(std::log10(printed)) + 1 - digits) * (1 + 1e-9);
  return bracket.lower >= printed - half && bracket.upper <= printed + half;
}

struct Printed {
  double steps;
  double delta;
  int digits;
};

// Last iterate of noisy stochastic gradient descent on convex losses in a set of diameter D, N steps unrolled, noise
// of the last ones split 1/alpha^2 + 1/beta^2 = 1: p = .01, L/b = .5, sigma = 3, step size .1, D = 1.
Composition convex_descent(double steps, double split) {
  const double beta = 1.0 / std::sqrt(1.0 - 1.0 / (split * split));
  const double kappa = 0.5 / 3.0;
  return {split * 1.0 / (0.1 * 3.0 * std::sqrt(steps)), {{0.01, 2.0 * beta * kappa, steps}}};
}

// The same for strongly convex losses after infinitely many steps: kappa = .1, p = .01, c = .99, equal split.
Composition strongly_convex_descent(double steps) {
  const double both = 2.0 * std::numbers::sqrt2 * 0.1;
  return {both * std::pow(0.99, steps + 1.0) / 0.01, {{0.01, both, 1}, {0.01, 0.2, steps}}};
}

}  // namespace

TEST_CASE("noisy descent in a bounded set has the delta of the prototype at every horizon", "[accounting][accuracy]") {
  for (const auto& [split, rows] :
       {std::pair{std::numbers::sqrt2, std::vector<Printed>{{400, 7.19e-6, 3},
                                                            {700, 9.02e-7, 3},
                                                            {750, 8.335e-7, 4},
                                                            {808, 8.085e-7, 4},
                                                            {900, 8.569e-7, 4},
                                                            {1000, 1.016e-6, 4},
                                                            {1500, 4.55e-6, 3},
                                                            {2000, 2.08e-5, 3}}},
        std::pair{
            2.0,
            std::vector<Printed>{
                {400, 3.1e-4, 2}, {700, 1.93e-5, 3}, {1000, 4.28e-6, 3}, {1500, 2.21e-6, 3}, {2000, 3.46e-6, 3}}}}) {
    for (const Printed& row : rows) {
      const ProfilePoint point = profile_at(convex_descent(row.steps, split), 1.0);
      CAPTURE(split, row.steps, row.delta, point.delta.lower, point.delta.upper, point.method);
      CHECK(prints_as(point.delta, row.delta, row.digits));
      CHECK(point.delta.relative_width() < 1e-6);
    }
  }
  for (const double steps : {400.0, 700.0, 1000.0, 1500.0, 2000.0}) {
    CHECK(profile_at(convex_descent(steps, std::sqrt(10.0)), 1.0).delta.lower > 5e-5);
  }
}

TEST_CASE("noisy descent on strongly convex losses has the delta of the prototype", "[accounting][accuracy]") {
  for (const Printed& row : std::vector<Printed>{{100, 1.0, 2},
                                                 {200, 0.923, 3},
                                                 {300, 0.385, 3},
                                                 {400, 0.0538, 3},
                                                 {500, 3.27e-4, 3},
                                                 {700, 8.6e-18, 2},
                                                 {747, 2.4e-18, 2},
                                                 {850, 2.5e-17, 2},
                                                 {1000, 2.5e-15, 2},
                                                 {1300, 1.45e-12, 3}}) {
    const ProfilePoint point = profile_at(strongly_convex_descent(row.steps), 0.5);
    CAPTURE(row.steps, row.delta, point.delta.lower, point.delta.upper, point.method);
    CHECK(prints_as(point.delta, row.delta, row.digits));
    CHECK(point.delta.relative_width() < 1e-6);
  }
  for (const Printed& row :
       std::vector<Printed>{{3000, 7.8e-21, 2}, {4000, 1.7e-16, 2}, {5000, 7.5e-14, 2}, {20000, 1.66e-5, 3}}) {
    const ProfilePoint point = profile_at({0.0, {{0.01, 0.1, row.steps}}}, 0.5);
    CAPTURE(row.steps, row.delta, point.delta.lower, point.delta.upper, point.method);
    CHECK(prints_as(point.delta, row.delta, row.digits));
    CHECK(point.delta.relative_width() < 1e-6);
  }
}

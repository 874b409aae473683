// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Boxes of cells in doubles against balls at points inside them, and contours of neighbours against contours of their
// own.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/proof/cells.hpp>
#include <dpcurves/accounting/proof/neighbours.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using namespace dpcurves::accounting::proof;
using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

namespace {

class Numbers {
 public:
  explicit Numbers(unsigned seed) : words_(seed) {}
  double in(double low, double high) {
    return low + (high - low) * (static_cast<double>(words_()) + 0.5) / 4294967296.0;
  }

 private:
  std::mt19937 words_;
};

/// Ends of a quantity over points of a cell.
struct Seen {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void add(const Real& v) {
    low = std::min(low, v.middle());
    high = std::max(high, v.middle());
  }
};

/// How far [low, high] sticks out beyond what was seen, in units of the range that was seen and of a rounding.
double excess(const Seen& seen, double low, double high, double size) {
  return std::max(seen.low - low, high - seen.high) / (seen.high - seen.low + 1e-11 * size);
}

/// A piece of some pair and a horizontal path, of all sizes.
struct Laid {
  Pair pair;
  Piece piece;
  Path path;
};

Laid laid(Numbers& numbers, int trial) {
  Laid out{static_cast<Pair>(trial % 6), {}, {}};
  const Step step =
      step_of({std::pow(10.0, numbers.in(-7.0, -0.05)), std::pow(10.0, numbers.in(-2.0, 0.9)), 10.0, out.pair});
  Piece& piece = out.piece = step.pieces[static_cast<std::size_t>(trial / 6) % step.pieces.size()];
  piece.from_top = out.pair == Pair::poisson_add && trial % 4 == 0;
  out.path.d = numbers.in(0.0, 1.0) * (piece.half ? 1.3 : 2.5 / (piece.steepest() * piece.mu));
  out.path.scale = numbers.in(0.1, 2.0) * std::min(1.0, piece.highest() / piece.mu);
  if (trial % 5 == 0) {
    piece.part = trial % 10 == 0 ? Piece::Part::bulk : Piece::Part::rare;
    piece.middle = numbers.in(-8.0, 12.0);
    piece.blur = std::pow(10.0, numbers.in(-0.7, 0.5));
  }
  return out;
}

Composition steps(Pair pair, double rate, double mu, double count) { return {0.0, {{rate, mu, count, pair}}}; }

}  // namespace

TEST_CASE("boxes hold losses and densities at every point of a cell, and are hardly larger", "[accounting][proof]") {
  Numbers numbers(17);
  int served = 0;
  std::vector<double> found;
  for (int trial = 0; trial < 4000; ++trial) {
    const auto [pair, piece, path] = laid(numbers, trial);
    const double s = piece.half ? numbers.in(-9.0, 6.0) : numbers.in(-12.0, 12.0 + 2.0 * piece.mu),
                 width = numbers.in(0.0, 0.1);
    const double t = numbers.in(-1.0, 1.0) * path.d, high = trial % 3 == 0 ? numbers.in(0.0, 0.1) : 0.0;
    const auto box = Cells(piece, path).over(s, s + width, t, t + high);
    if (!box) {
      continue;
    }
    ++served;
    const Precision precision(128);
    Seen re, im, base;
    for (int i = 0; i < 9; ++i) {
      const double x = s + width * (i % 3) / 2.0, y = t + high * (i / 3) / 2.0;
      const PathPoint at = evaluate(piece, path, Complex(Real(x), Real(y)));
      re.add(at.loss.re());
      im.add(at.loss.im());
      base.add(at.log_base.re() + rigorous::log(rigorous::abs(share(piece, at.x))));
    }
    CAPTURE(static_cast<int>(pair), piece.q, piece.mu, piece.a, piece.n, piece.from_top, path.d, path.scale, s, width,
            t, high);
    REQUIRE(re.low >= box->re_low);
    REQUIRE(re.high <= box->re_high);
    REQUIRE(im.low >= box->im_low);
    REQUIRE(im.high <= box->im_high);
    REQUIRE(base.high <= box->base_high);
    if (high == 0.0 && piece.part == Piece::Part::whole) {
      const double size = 1.0 + std::abs(re.high) + std::abs(base.high);
      found.push_back(
          std::max({excess(re, box->re_low, box->re_high, size), excess(im, box->im_low, box->im_high, size),
                    (box->base_high - base.high) / (base.high - base.low + 1e-11 * size)}));
    }
  }
  CHECK(served > 3000);
  std::sort(found.begin(), found.end());
  CAPTURE(found[found.size() / 2], found.back());
  CHECK(found[found.size() / 2] < 0.5);
}

TEST_CASE("boxes are refused near a branch point and beyond half a turn", "[accounting][proof]") {
  const Piece piece = step_of({0.3, 1.0, 10.0, Pair::poisson_remove}).pieces[0];
  Path path;
  path.d = std::numbers::pi;
  CHECK_FALSE(Cells(piece, path).over(0.0, 0.1, 0.0, 0.0));
  path.d = 3.1415;  // r = 0 where q e^{x - 1/2} = 1 - q
  const double zero = 0.5 + std::log(0.7 / 0.3);
  CHECK_FALSE(Cells(piece, path).over(zero - 0.05, zero + 0.05, 0.0, 0.0));
  CHECK(Cells(piece, path).over(zero - 2.0, zero - 1.9, 0.0, 0.0));
  path.slope = 0.5;
  CHECK_FALSE(Cells::serve(path));
}

TEST_CASE("e^z - 1 of small numbers in doubles keeps its promise", "[rigorous][proof]") {
  Numbers numbers(23);
  std::vector<double> x, y;
  for (int i = 0; i < 20000; ++i) {
    const double size = rigorous::largest_small * std::pow(10.0, numbers.in(-12.0, 0.0)), share = numbers.in(-1.0, 1.0);
    x.push_back(size * share);
    y.push_back((i % 2 == 0 ? 1.0 : -1.0) * size * (1.0 - std::abs(share)));
  }
  std::vector<double> re(x.size()), im(x.size()), narrow_re(x), narrow_im(y);
  rigorous::exponentials_less_one(x.size(), x.data(), y.data(), re.data(), im.data());
  rigorous::exponentials_less_one(x.size(), narrow_re.data(), narrow_im.data(), narrow_re.data(), narrow_im.data(),
                                  rigorous::Width::two);
  double worst = 0.0;
  const Precision precision(128);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Complex z(Real(x[i]), Real(y[i]));
    const Real off = rigorous::abs(Complex(Real(re[i]), Real(im[i])) - rigorous::expm1(z));
    worst = std::max(worst, (off / rigorous::abs(z)).upper());
    REQUIRE(narrow_re[i] == re[i]);
    REQUIRE(narrow_im[i] == im[i]);
  }
  CHECK(worst < rigorous::less_one_error);
  CHECK(worst > 0.1 * rigorous::less_one_error);
}

TEST_CASE("moments in doubles keep their promise at every order of a contour", "[accounting][proof]") {
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add, Pair::symmetrised, Pair::fixed_size_remove}) {
    for (const auto& [rate, mu, count, epsilon] :
         {std::array{0.004, 0.9, 1e4, 2.0}, std::array{0.3, 0.5, 300.0, 1.5}, std::array{1e-4, 1.0, 1e6, 0.3}}) {
      Profile profile(steps(pair, rate, mu, count));
      (void)profile.delta(Real(epsilon), false, 1e-9);
      if (profile.last() == nullptr || profile.last()->plan().bend != 0.0) {
        continue;
      }
      const Plan& plan = profile.last()->plan();
      const Precision precision(plan.bits);
      for (std::size_t k = 0; k < plan.paths[0].size(); ++k) {
        Integral integral(profile.last()->problem().steps[0].pieces[k], plan.paths[0][k], plan.reference[0],
                          plan.digits);
        const auto check = [&](double most) {
          for (const Complex& z : *profile.last()->parts()->z) {
            const Complex whole = integral.at(z), quick = integral.at(z, true);
            CAPTURE(static_cast<int>(pair), rate, count, k, whole.re().text(), quick.re().text());
            CHECK(overlap(whole.re(), quick.re()));
            CHECK(overlap(whole.im(), quick.im()));
            CHECK(quick.re().radius() < most);
          }
        };
        check(1e-12);
        CHECK(integral.refine());  // nodes from balls
        check(1e-13);
        CHECK_FALSE(integral.refine());
      }
    }
  }
}

TEST_CASE("nodes in doubles keep their promise", "[accounting][proof]") {
  Numbers numbers(31);
  const Precision precision(128);
  int served = 0;
  std::vector<double> errors;
  for (int trial = 0; trial < 6000; ++trial) {
    const auto [pair, piece, path] = laid(numbers, trial);
    const double s = piece.half ? numbers.in(-9.0, 6.0) : numbers.in(-12.0, 12.0 + 2.0 * piece.mu);
    const auto node = Cells(piece, path).node(s, 0.0), near = Cells(piece, path).node(s + 1e-9, 2e-9);
    if (!node || !near) {
      continue;
    }
    ++served;
    const PathPoint at = evaluate(piece, path, Complex(Real(s)));
    const auto off = [](const Complex& exact, double re, double im) {
      return (rigorous::abs(exact.re() - Real(re)) + rigorous::abs(exact.im() - Real(im))).lower();
    };
    CAPTURE(static_cast<int>(pair), piece.q, piece.mu, piece.a, piece.n, piece.from_top, path.d, path.scale, s);
    REQUIRE(off(at.loss, node->loss_re, node->loss_im) <= node->loss_error);
    REQUIRE(off(at.log_base, node->log_re, node->log_im) <= node->log_error);
    REQUIRE(off(at.loss, near->loss_re, near->loss_im) <= near->loss_error);
    REQUIRE(off(at.log_base, near->log_re, near->log_im) <= near->log_error);
    errors.push_back(node->loss_error / (std::abs(node->loss_re) + std::abs(node->loss_im) + piece.q));
  }
  CHECK(served > 4000);
  std::sort(errors.begin(), errors.end());
  CAPTURE(errors[errors.size() / 2], errors.back());
  CHECK(errors[errors.size() / 2] < 1e-14);
}

TEST_CASE("a contour of a neighbour proves the delta that a contour of its own proves", "[accounting][proof]") {
  Numbers numbers(5);
  double widest = 0.0;
  int served = 0;
  const std::array pairs{Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one, Pair::symmetrised};
  for (int trial = 0; trial < 32; ++trial) {
    const Pair pair = pairs[static_cast<std::size_t>(trial) % pairs.size()];
    const double rate = std::pow(10.0, numbers.in(-3.0, -0.5)), mu = numbers.in(0.3, 1.2);
    const double count = std::floor(std::pow(10.0, numbers.in(3.0, 5.0)) / (1.0 + 100.0 * rate));
    const double target = std::pow(10.0, numbers.in(-12.0, -3.0));
    Profile profile(steps(pair, rate, mu, count));
    const Real epsilon = profile.epsilon(Real(target), false, 1e-9).upper;
    if (!epsilon.positive() || profile.last() == nullptr || !Neighbours::served(*profile.last())) {
      continue;
    }
    Neighbours neighbours(*profile.last());
    // the last: rate and noise move in two ways
    for (const auto& [of_rate, of_mu] : {std::pair{1.0, 1.0}, std::pair{1.0001, 1.0}, std::pair{1.0, 1.01},
                                         std::pair{0.99, 0.995}, std::pair{1.01, 0.995}}) {
      Profile other(steps(pair, rate * of_rate, mu * of_mu, count));
      const Real at(other.epsilon(Real(target), false, 1e-9).upper.upper());
      const Real value = neighbours.at(other.problem())->composed({count}).quick(at.middle());
      const Real own = other.delta(at, false, 1e-12);
      CAPTURE(static_cast<int>(pair), rate, mu, count, target, of_rate, of_mu, value.text(), own.text());
      CHECK(overlap(value, own));
      widest = std::max(widest, value.radius() / value.middle());
      ++served;
    }
  }
  CHECK(served > 60);
  CHECK(widest < 1e-5);
}

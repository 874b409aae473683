// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums over the nodes of an integral in doubles, with proved errors.
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/accounting/proof/exponent.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Real;

/// Neumaier's sum: off by two units of the sum, and by units of units of the moduli.
class CompensatedSum {
 public:
  void add(double v) {
    const double sum = sum_ + v;
    rest_ += std::abs(sum_) >= std::abs(v) ? (sum_ - sum) + v : (v - sum) + sum_;
    sum_ = sum;
  }
  [[nodiscard]] double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0.0, rest_ = 0.0;
};

}  // namespace

// An exponent w + z l in doubles is off by a few roundings of its parts and by the radii of the balls: by d, say, and
// its exponential by a factor between e^{-d} and e^d, e^d - 1 <= d (1 + d) for d <= 1.
Integral::Sums Integral::sums(double x, double y, double radius, double m) const {
  constexpr std::size_t block = 128;
  std::array<double, block> re{}, im{}, off{}, away{}, far{};
  Sums all;
  bool finite = true;
  const double order = std::abs(x) + std::abs(y);
  const Nodes& nodes = nodes_;
  for (std::size_t from = 0; from < nodes.loss_re.size(); from += block) {
    const std::size_t n = std::min(block, nodes.loss_re.size() - from);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes.loss_re[j], li = nodes.loss_im[j];
      const double size = std::abs(nodes.log_re[j]) + std::abs(nodes.log_im[j]) + std::abs(reference_) +
                          order * (std::abs(lr) + std::abs(li));
      const double v = nodes.log_re[j] + x * lr - y * li - reference_, turn = nodes.log_im[j] + x * li + y * lr;
      const bool reduced = std::abs(turn) <= rigorous::largest_angle;
      const double d =
          1e-15 * size + nodes.log_error[j] + order * nodes.loss_error[j] + 2.0 * rigorous::exponential_error;
      finite = finite && v <= 650.0;
      re[i] = v;
      im[i] = reduced ? turn : 0.0;
      off[i] = reduced && d < 1.0 ? d * (1.0 + d) : reduced ? HUGE_VAL : 3.0;
      const double gap = std::max(std::abs(lr - m), 0.0);
      away[i] = (gap + std::abs(li)) * (1.0 + 1e-15) + 4e-16 * (std::abs(lr) + std::abs(m)) + nodes.loss_error[j];
      const double reach =
          std::sqrt(gap * gap + li * li) * (1.0 + 1e-14) + 4e-16 * (std::abs(lr) + std::abs(m)) + nodes.loss_error[j];
      far[i] = v + radius * reach + d + 1e-15 * (std::abs(v) + size + radius * reach);
      finite = finite && far[i] <= 650.0;
    }
    if (!finite) {
      all.error = all.moved_error = all.second = HUGE_VAL;
      return all;
    }
    std::array<double, block> size{};
    rigorous::exponentials(n, re.data(), size.data());
    rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    if (radius > 0.0) {
      rigorous::exponentials(n, far.data(), far.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes.loss_re[j] - m, li = nodes.loss_im[j];
      all.re += re[i];
      all.im += im[i];
      all.error += size[i] * off[i];
      if (radius > 0.0) {
        all.moved_re += re[i] * lr - im[i] * li;
        all.moved_im += re[i] * li + im[i] * lr;
        all.moved_error += size[i] * away[i] * (off[i] + 2e-15);
        all.second += far[i] * away[i] * away[i];
      }
      all.size += size[i];
      all.moved_size += size[i] * away[i];
    }
  }
  // Each of the n additions adds at most a unit of 2^-53 of all moduli.
  const double additions = 1.2e-16 * static_cast<double>(nodes.loss_re.size() + 8);
  all.error = (all.error + additions * all.size) * (1.0 + 1e-10);
  all.moved_error = (all.moved_error + additions * all.moved_size) * (1.0 + 1e-10);
  all.second *= 1.0 + 1e-10;
  return all;
}

void Integral::set_leading() {
  constexpr double unseen = 1e-18;
  const auto loss = [&](std::size_t j) { return weights_.loss_size[j] + nodes_.loss_error[j]; };
  double all = 0.0;
  for (std::size_t j = 0; j < weights_.size.size(); ++j) {
    all += weights_.size[j] * loss(j);
  }
  for (std::size_t j = 0; j < weights_.size.size(); ++j) {
    const double sum = weights_.leading_sum + (weights_.size[j] + weights_.error[j]) * loss(j) * (1.0 + 1e-12);
    if (!(sum < unseen * all)) {
      break;
    }
    weights_.leading_sum = sum;
    weights_.leading_loss = std::max(weights_.leading_loss, loss(j) * (1.0 + 1e-12));
    weights_.leading = j + 1;
  }
}

// t = z l is off by three roundings of |z| |l| and what z and l are off by, d in all. Where |t| <= 1/2, e^t - 1 is t
// times a polynomial by Horner's scheme: u = 2^-53; a product is off by 2.9 u of its modulus, each level by u and a
// quarter of 5 u and of the level before, the whole by less than 8 u |t|; d counts e^{1/2} times. Elsewhere the
// difference is off by the error of e^t and one more rounding. Blocks are short, because along a half losses grow
// exponentially.
Complex Integral::less_one(const Complex& z) const { return weighted(z, true); }

Complex Integral::sum(const Complex& z) const { return weighted(z, false); }

Complex Integral::weighted(const Complex& z, bool less_one) const {
  constexpr std::size_t block = 16;
  constexpr double rounding = 1.2e-16, most = 1e15, near = 0.5;
  constexpr int degree = 16;                               // 0.5^16 / 17! < 1e-19
  constexpr double smallest = 1e-270, underflow = 1e-290;  // what exponentials of e^{-745} and less may have been
  std::array<double, block> re{}, im{}, size{}, away{};
  const double x = z.re().middle(), y = z.im().middle(), order = modulus(x, y);
  const double z_error = z.re().radius() + z.im().radius() + rounding * order;
  const std::size_t count = nodes_.loss_re.size();
  CompensatedSum sum_re, sum_im;
  double error = 0.0, moduli = 0.0;
  bool served = order <= most;
  std::size_t first = 0;
  if (less_one && weights_.leading > 0 && order * weights_.leading_loss <= near) {
    first = weights_.leading;
    error = 1.7 * order * weights_.leading_sum;
  }
  for (std::size_t from = first; from < count && served; from += block) {
    const std::size_t n = std::min(block, count - from);
    double farthest = 0.0, angle = 0.0, highest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes_.loss_re[j], li = nodes_.loss_im[j], l = weights_.loss_size[j];
      re[i] = x * lr - y * li;
      im[i] = x * li + y * lr;
      size[i] = order * l;
      away[i] = order * (3.0 * rounding * l + nodes_.loss_error[j]) + z_error * l;
      farthest = std::max(farthest, size[i]);
      angle = std::max(angle, std::abs(im[i]));
      highest = std::max(highest, re[i]);
    }
    if (less_one && farthest <= near) {
      for (std::size_t i = 0; i < n; ++i) {
        double pr = 1.0, pi = 0.0;
        for (int k = degree; k > 1; --k) {
          const double inverse = 1.0 / k, a = re[i] * pr - im[i] * pi, b = re[i] * pi + im[i] * pr;
          pr = 1.0 + a * inverse;
          pi = b * inverse;
        }
        const double tr = re[i], ti = im[i];
        re[i] = tr * pr - ti * pi;
        im[i] = tr * pi + ti * pr;
        away[i] = 8.0 * rounding * size[i] + 1.7 * away[i];
        size[i] *= 1.3;
      }
    } else if (highest <= 650.0) {
      std::array<bool, block> turned{};  // too far for doubles: nothing is known but the modulus
      for (std::size_t i = 0; angle > rigorous::largest_angle && i < n; ++i) {
        turned[i] = !(std::abs(im[i]) <= rigorous::largest_angle);
        im[i] = turned[i] ? 0.0 : im[i];
      }
      for (std::size_t i = 0; i < n; ++i) {  // far off is allowed only where nothing is seen
        served = served && (away[i] < 1.0 || re[i] + away[i] < -700.0);
      }
      rigorous::exponentials(n, re.data(), size.data());
      rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
      for (std::size_t i = 0; i < n; ++i) {
        away[i] = size[i] *
                  (2.0 * rigorous::exponential_error + (away[i] < 1.0 && !turned[i] ? away[i] * (1.0 + away[i]) : 3.0));
        if (less_one) {
          re[i] -= 1.0;
          away[i] += rounding * (size[i] + 1.0);
          size[i] += 1.0;
        }
      }
    } else {
      served = false;
      break;
    }
    double part_re[4]{}, part_im[4]{};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double wr = weights_.re[j], wi = weights_.im[j], w = weights_.size[j];
      part_re[i % 4] += wr * re[i] - wi * im[i];
      part_im[i % 4] += wr * im[i] + wi * re[i];
      error += w * away[i] + (weights_.error[j] + 3.0 * rounding * w) * size[i];
      moduli += w * size[i];
    }
    sum_re.add((part_re[0] + part_re[1]) + (part_re[2] + part_re[3]));
    sum_im.add((part_im[0] + part_im[1]) + (part_im[2] + part_im[3]));
  }
  constexpr double additions = 9.0 * rounding;  // six of a block, three for the compensated sum of blocks
  error = (error + additions * moduli) * (1.0 + 1e-10) + (less_one ? 0.0 : underflow);
  served = served && (less_one || moduli > smallest);
  if (!served || !(error < HUGE_VAL)) {
    throw ConvergenceError("no proof: the order is too large for doubles");
  }
  return {widened(Real(sum_re.value()), Real(error)), widened(Real(sum_im.value()), Real(error))};
}

}  // namespace dpcurves::accounting::proof

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums over the nodes of an integral in doubles and in two doubles, with proved errors.
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/accounting/proof/exponent.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>
#include <dpcurves/rigorous/two_doubles.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

/// A sum of doubles with what its additions lose, each exactly (Knuth): off by a unit of 2^-53 of it, and of n terms by
/// (n 2^-53)^2 of their moduli.
struct Compensated {
  double sum = 0.0, lost = 0.0;
  void add(double v) {
    const double next = sum + v, back = next - sum;
    lost += (sum - (next - back)) + (v - back);
    sum = next;
  }
};

}  // namespace

double Integral::Nodes::size(std::size_t j, double order, double reference) const {
  return std::abs(log_re[j]) + std::abs(log_im[j]) + std::abs(reference) +
         order * (std::abs(loss_re[j]) + std::abs(loss_im[j]));
}

double Integral::Nodes::off(std::size_t j, double order, double parts) const {
  return 1e-15 * parts + log_error[j] + order * loss_error[j] + 2.0 * rigorous::exponential_error;
}

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
      const double size = nodes.size(j, order, reference_), d = nodes.off(j, order, size);
      const double v = nodes.log_re[j] + x * lr - y * li - reference_, turn = nodes.log_im[j] + x * li + y * lr;
      const bool reduced = std::abs(turn) <= rigorous::largest_angle;
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

// Where |z l| is small nothing cancels: t = z l is off by less than a unit of 2^-53 of |z| |l| for each of three
// roundings and by what l is off, e^t - 1 by |e^t| times that and less_one_error |t|, 9 units, and its product with the
// weight by 2.24 units of 1.14 |t|: all below 16. Elsewhere as in sums(), less the weight.
Integral::Sums Integral::less_one(double x, double y) const {
  constexpr std::size_t block = 128;
  constexpr double unit = 1.2e-16;
  std::array<double, block> re{}, im{}, turn_re{}, turn_im{}, small_re{}, small_im{}, size{}, off{};
  Sums all;
  Compensated sum_re, sum_im;
  const double order = std::abs(x) + std::abs(y);
  const Nodes& nodes = nodes_;
  for (std::size_t from = 0; from < nodes.loss_re.size(); from += block) {
    const std::size_t n = std::min(block, nodes.loss_re.size() - from);
    bool any_large = false;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      turn_re[i] = x * nodes.loss_re[j] - y * nodes.loss_im[j];
      turn_im[i] = x * nodes.loss_im[j] + y * nodes.loss_re[j];
      any_large = any_large || !(std::abs(turn_re[i]) + std::abs(turn_im[i]) <= rigorous::largest_small);
    }
    rigorous::exponentials_less_one(n, turn_re.data(), turn_im.data(), small_re.data(), small_im.data());
    if (any_large) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = from + i;
        const double d = nodes.off(j, order, nodes.size(j, order, reference_));
        const double turn = nodes.log_im[j] + turn_im[i];
        const bool reduced = std::abs(turn) <= rigorous::largest_angle;
        re[i] = nodes.log_re[j] + turn_re[i] - reference_;
        im[i] = reduced ? turn : 0.0;
        off[i] = reduced && d < 1.0 ? d * (1.0 + d) : reduced ? HUGE_VAL : 3.0;
        off[i] = re[i] <= 650.0 ? off[i] : HUGE_VAL;
        re[i] = std::min(re[i], 650.0);
      }
      rigorous::exponentials(n, re.data(), size.data());
      rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double weight = std::abs(nodes.re[j]) + std::abs(nodes.im[j]);
      if (std::abs(turn_re[i]) + std::abs(turn_im[i]) <= rigorous::largest_small) {
        const double most = order * (std::abs(nodes.loss_re[j]) + std::abs(nodes.loss_im[j])) + 1e-300;
        sum_re.add(small_re[i] * nodes.re[j] - small_im[i] * nodes.im[j]);
        sum_im.add(small_re[i] * nodes.im[j] + small_im[i] * nodes.re[j]);
        all.error += weight * (1.3 * order * nodes.loss_error[j] + 16.0 * unit * most) + 1.3 * nodes.error[j] * most;
        all.size += 1.2 * weight * most;
      } else {
        sum_re.add(re[i] - nodes.re[j]);
        sum_im.add(im[i] - nodes.im[j]);
        all.error += size[i] * (off[i] + unit) + nodes.error[j] + unit * weight;
        all.size += size[i] + weight;
      }
    }
  }
  all.re = sum_re.sum + sum_re.lost;
  all.im = sum_im.sum + sum_im.lost;
  const double additions = unit * static_cast<double>(nodes.loss_re.size());
  all.error += unit * (std::abs(all.re) + std::abs(all.im)) + additions * additions * all.size;
  all.error = all.error * (1.0 + 1e-10) + 1e-290;
  return all;
}

// A guess, a factor of e to the safe side, that spares most nodes the proof. \param farthest  order; 0 for e^{z l}
// itself.
bool Integral::nearly_unseen(std::size_t j, double top, double farthest, double log_unseen) const {
  double log_most = top - reference_;
  if (farthest > 0.0) {
    const double loss = std::abs(nodes_.loss_re[j]) + std::abs(nodes_.loss_im[j]);
    log_most = std::max(top, here_.base_high[j]) - reference_ +
               std::log(0.5 * farthest * loss);  // a sum of parts, not a modulus
  }
  return !(log_most > log_unseen + 1.0);
}

// With x_k = w (e^{z_k l} - 1) and E = e^{i h l}, x_{k+1} = x_k E + w (E - 1): nothing cancels where z l is small.
std::vector<Complex> Integral::row(double c, double h, long last, bool less_one) const {
  constexpr slong bits = 128;
  constexpr double unseen = 1e-38;  // of e^{reference}
  const Precision precision(bits);
  balls();
  const Real shrink = rigorous::exp(-Real(reference_));
  const Complex turn{Real(), Real(h)}, order{Real(c)};
  const Orders at_c(c, 0.0, 0.0);
  const double farthest = (std::abs(c) + h * static_cast<double>(last)) * (1.0 + 1e-14);
  rigorous::Sequences all;
  double dropped = 0.0;
  for (std::size_t j = 0; j < loss_.size(); ++j) {
    const double top = here_.exponent_at(j, at_c);
    if (here_.im_low[j] >= 0.0 && nearly_unseen(j, top, less_one ? farthest : 0.0, std::log(unseen))) {
      const Precision low(box_bits);
      const Real grown = rigorous::exp(Real(top));
      double most = (grown * shrink).upper();  // of |w e^{z l}|, where Im l >= 0
      if (less_one) {                          // |e^t - 1| <= |t| max(1, e^{Re t})
        const Real loss = rigorous::modulus(loss_[j]), still = rigorous::exp(Real(here_.base_high[j]));
        most = (Real(farthest) * loss * rigorous::max(grown, still) * shrink).upper();
      }
      if (most < unseen) {
        dropped += most;
        continue;
      }
    }
    const Complex weight = weight_[j] * Complex(shrink), first = order * loss_[j];
    all.first.push_back(rigorous::two_doubles(weight * (less_one ? rigorous::expm1(first) : rigorous::exp(first))));
    if (last == 0) {  // no step is made
      all.ratio.emplace_back();
      all.shift.emplace_back();
      all.limit.emplace_back();
      continue;
    }
    const Complex grown = rigorous::expm1(turn * loss_[j]);
    all.ratio.push_back(rigorous::two_doubles(grown + Complex(Real(1))));
    all.shift.push_back(less_one ? rigorous::two_doubles(weight * grown) : rigorous::TwoDoubles{});
    all.limit.push_back(less_one ? rigorous::two_doubles(-weight) : rigorous::TwoDoubles{});
  }
  const Complex unit(rigorous::exp(Real(reference_)));
  std::vector<Complex> out;
  for (rigorous::TwoDoubles& sum : rigorous::sums(all, last)) {
    sum.error += dropped * (1.0 + 1e-10);
    if (!(sum.error < HUGE_VAL)) {
      throw ConvergenceError("no proof: the order is too large for doubles");
    }
    out.push_back(rigorous::ball_of(sum) * unit);
  }
  return out;
}

}  // namespace dpcurves::accounting::proof

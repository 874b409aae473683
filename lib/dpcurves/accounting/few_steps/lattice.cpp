// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <dpcurves/accounting/few_steps/engine.hpp>
#include <dpcurves/accounting/few_steps/lattice.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/fft.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double mass_accuracy = 1e-14;  // of one mass: quadrature of a smooth positive function, and rounding

// Integral over [a, b] of f(t) null(t), in pieces over which the null and the loss are smooth.
template <class F>
double integrate_mass(const HalfLaw& half, double a, double b, const F& f) {
  const double piece = std::min(0.5, 0.7 / half.steepness());
  const auto rule = numerics::gauss_legendre(b - a < 0.05 * piece ? 5 : 10);
  const double pieces = std::ceil((b - a) / piece);
  if (!(pieces < 1e7)) {
    throw ConvergenceError("a cell of the lattice is too wide for its density");
  }
  const auto count = static_cast<int>(pieces);
  double total = 0.0;
  for (int i = 0; i < count; ++i) {
    const double low = a + (b - a) * i / count;
    const double reach = 0.5 * (b - a) / count;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      const double t = low + reach * (1.0 + rule.nodes[k]);
      total += reach * rule.weights[k] * half.null_density(t) * f(t);
    }
  }
  return total;
}

// One step's law on the points k step + offset, |k| <= count.
struct StepLaw {
  std::vector<double> mass;  // under the alternative, of k at index k + count
  double offset = 0.0;
  double infinite = 0.0;  // mass under the alternative at infinity
};

double raised(double mass, double exponent) { return mass > 0.0 ? std::exp(std::log(mass) + exponent) : 0.0; }

// Beyond the last point that matters: of the tails of a normal law nothing is left there, or the half ends.
double last_of(const HalfLaw& half) { return std::min(half.steepness() + 40.0, half.end()); }
double position(const HalfLaw& half, double loss) { return std::min(half.inverse(std::max(loss, 0.0)), last_of(half)); }

// The loss of everything that a lattice of this step cannot tell from 0: near 0 losses crowd where the chance of being
// sampled is small, all of them on one side of 0.
double crowd(const LossLaw& law, double step) {
  if (law.symmetric()) {
    return 0.0;
  }
  const double right = position(law.right(), 0.5 * step);
  const double left = position(law.left(), 0.5 * step);
  const double null = law.right().null_beyond(right) + law.left().alternative_beyond(left);
  const double alternative = law.right().alternative_beyond(right) + law.left().null_beyond(left);
  const double more = law.left().alternative_beyond(left) - law.left().null_beyond(left) +
                      (law.right().null_beyond(right) - law.right().alternative_beyond(right));
  const double crowding = 1.0 - null > 1e-3 && 1.0 - alternative > 1e-3 ? std::log1p(more / (1.0 - null)) : 0.0;
  return std::clamp(crowding, -0.4 * step, 0.4 * step);
}

// A loss between two points goes to both, so that the masses under both laws are kept.
StepLaw pessimistic(const LossLaw& law, double step, std::size_t count, const Deadline& deadline) {
  StepLaw result{std::vector<double>(2 * count + 1, 0.0), crowd(law, step), 0.0};
  const double whole = std::expm1(step);
  const auto reach = static_cast<long>(count);
  const auto at = [&](long k) { return step * static_cast<double>(k) + result.offset; };
  const auto mass = [&](long k) -> double& { return result.mass[static_cast<std::size_t>(k + reach)]; };
  {
    const HalfLaw& half = law.right();
    double begin = 0.0;
    for (long k = result.offset > 0.0 ? -1 : 0; k < reach; ++k) {
      if (k % 64 == 0) {
        deadline.check();
      }
      const double low = at(k);
      const double high = at(k + 1);
      const double end = std::max(begin, position(half, high));
      const double up = integrate_mass(
          half, begin, end, [&](double t) { return std::clamp(std::expm1(half.loss(t) - low) / whole, 0.0, 1.0); });
      const double down = integrate_mass(half, begin, end, [&](double t) {
        return std::clamp(-std::expm1(half.loss(t) - high) * std::exp(step) / whole, 0.0, 1.0);
      });
      mass(k + 1) += raised(up, high);
      mass(k) += raised(down, low);
      begin = end;
    }
    // Beyond: the null's mass stays at the last point, and what the alternative has more goes to infinity.
    if (begin < half.end()) {
      mass(reach) += raised(half.null_beyond(begin), at(reach));
    }
    result.infinite = std::min(1.0, half.alternative_beyond(begin) * (1.0 + 1e-12));
  }
  const HalfLaw& half = law.left();  // its null is the pair's alternative
  double begin = 0.0;
  for (long k = result.offset < 0.0 ? 1 : 0; k > -reach; --k) {
    if (k % 64 == 0) {
      deadline.check();
    }
    const double high = at(k);
    const double low = at(k - 1);
    const double end = std::max(begin, position(half, -low));
    mass(k) += integrate_mass(half, begin, end, [&](double t) {
      return std::clamp(-std::expm1(low + half.loss(t)) * std::exp(step) / whole, 0.0, std::exp(step));
    });
    mass(k - 1) += integrate_mass(
        half, begin, end, [&](double t) { return std::clamp(std::expm1(high + half.loss(t)) / whole, 0.0, 1.0); });
    begin = end;
  }
  mass(-reach) += half.null_beyond(begin);
  const long low = result.offset > 0.0 ? -1 : 0;  // the atom at 0 lies between this point and the next
  mass(low) += law.atom() * std::expm1(at(low + 1)) / whole;
  mass(low + 1) += law.atom() * -std::expm1(at(low)) * std::exp(step) / whole;
  return result;
}

// Cells of the loss with a likelihood ratio of exactly a point, cut from the far tail inward; null masses at index k.
std::vector<double> cells(const HalfLaw& half, double step, double offset, std::size_t count,
                          const Deadline& deadline) {
  std::vector<double> result(count + 1, 0.0);
  const auto point = [&](std::size_t k) { return step * static_cast<double>(k) + offset; };
  double upper = position(half, point(count));  // cut above the cell in hand, as t
  for (std::size_t k = count; k >= 1; --k) {
    if (k % 64 == 0) {
      deadline.check();
    }
    const double at = point(k);
    const double middle = position(half, at);
    const double lowest = position(half, point(k - 1));
    const double surplus =
        upper > middle ? integrate_mass(half, middle, upper, [&](double t) { return std::expm1(half.loss(t) - at); })
                       : 0.0;
    const auto deficit = [&](double t) {
      return integrate_mass(half, t, middle, [&](double v) { return -std::expm1(half.loss(v) - at); });
    };
    double cut = middle;
    if (surplus > 0.0) {
      // The deficit falls from `lowest` to `middle`; the cut stays on the side where it is at most the surplus.
      double low = lowest;
      double high = middle;
      if (deficit(lowest) <= surplus) {
        high = lowest;
      } else {
        // Near the middle the deficit is quadratic; from there on Newton.
        double t = middle - std::sqrt(2.0 * surplus / (half.null_density(middle) * half.slope(middle)));
        if (!(t > low && t < high)) {
          t = 0.5 * (low + high);
        }
        for (int i = 0; i < 60 && high - low > 1e-13 * (high + 1e-300); ++i) {
          const double miss = deficit(t) - surplus;
          (miss > 0.0 ? low : high) = t;
          if (miss <= 0.0 && miss > -1e-12 * surplus) {
            break;
          }
          const double rate = half.null_density(t) * std::expm1(half.loss(t) - at);  // d deficit / dt, negative
          double next = t - (miss + 5e-13 * surplus) / rate;
          if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
          }
          t = next;
        }
      }
      cut = high;
    }
    result[k] = integrate_mass(half, cut, upper, [](double) { return 1.0; });
    upper = cut;
  }
  return result;
}

StepLaw optimistic(const LossLaw& law, double step, std::size_t count, const Deadline& deadline) {
  StepLaw result{std::vector<double>(2 * count + 1, 0.0), crowd(law, step), 0.0};
  const auto at = [&](std::size_t k) { return step * static_cast<double>(k); };
  for (int pass = 0;; ++pass) {
    const std::vector<double> right = cells(law.right(), step, result.offset, count, deadline);
    const std::vector<double> left = law.symmetric() ? right : cells(law.left(), step, -result.offset, count, deadline);
    // What is in no cell is one more cell, of loss log(alternative / null) >= offset; so that it is, a little of the
    // smallest positive losses is merged into it where needed.
    double alternative = 0.0;  // of the cells
    double excess = 0.0;       // of the null over the alternative, of what is in no cell
    double sizes = 0.0;
    if (!law.symmetric()) {  // losses below the last point: their mass is dropped, as if they were without end
      const double last = position(law.left(), at(count) - result.offset);
      alternative = law.left().null_beyond(last);
      excess = -(law.left().alternative_beyond(last) - law.left().null_beyond(last));
    }
    for (std::size_t k = 1; k <= count; ++k) {
      alternative += raised(right[k], at(k) + result.offset) + left[k];
      excess += right[k] * std::expm1(at(k) + result.offset) - left[k] * std::expm1(at(k) - result.offset);
      sizes += right[k] * std::expm1(at(k) + result.offset) + left[k] * std::expm1(at(k) - result.offset);
    }
    const double rest = std::max(0.0, 1.0 - alternative);
    const double offset = law.symmetric() || rest < 1e-3 ? 0.0 : -std::log1p(excess / rest);
    const double moved = std::abs(offset - result.offset);
    if (!law.symmetric() && pass < 3 && moved > 1e-7 * step && std::abs(offset) < 0.45 * step) {
      result.offset = offset;
      continue;
    }
    double lacking = law.symmetric() ? 0.0 : excess - rest * std::expm1(-result.offset) + 1e-14 * sizes;
    result.mass[count] = rest;
    for (std::size_t k = 1; k <= count; ++k) {
      double null = right[k];
      if (lacking > 0.0) {
        const double gain = std::expm1(at(k));  // per null mass
        const double moves = std::min(null, lacking / gain * (1.0 + 1e-12));
        null -= moves;
        lacking -= moves * gain;
        result.mass[count] += raised(moves, at(k) + result.offset);
      }
      result.mass[count + k] = raised(null, at(k) + result.offset);
      result.mass[count - k] = left[k];
    }
    return result;
  }
}

StepLaw step_law(const LossLaw& law, LatticeSum::Side side, double step, std::size_t count, const Deadline& deadline) {
  return side == LatticeSum::Side::pessimistic ? pessimistic(law, step, count, deadline)
                                               : optimistic(law, step, count, deadline);
}

// log of the sum of mass e^{tilt k step}, and its derivative.
struct Moments {
  double value = 0.0;
  double first = 0.0;
};

Moments moments(const StepLaw& law, double step, double tilt) {
  const auto count = static_cast<long>(law.mass.size() / 2);
  const double scale = std::max(0.0, std::abs(tilt) * step * static_cast<double>(count) - 600.0);
  double total = 0.0;
  double first = 0.0;
  for (long k = -count; k <= count; ++k) {
    const double y = step * static_cast<double>(k);
    const double part = law.mass[static_cast<std::size_t>(k + count)] * std::exp(tilt * y - scale);
    total += part;
    first += y * part;
  }
  return {scale + std::log(total), first / total};
}

}  // namespace

LatticeSum::LatticeSum(const Transform& transform, Side side, double step, std::size_t length, double tilt,
                       double reach, const Deadline& deadline)
    : side_(side), step_(step), tilt_(tilt) {
  std::vector<Part> parts = transform.parts();
  if (transform.gaussian_mu() > 0.0) {
    parts.push_back({LossLaw(Pair::symmetrised, 1.0, transform.gaussian_mu()), 1.0});
  }
  const auto count = static_cast<std::size_t>(std::clamp(std::ceil(reach / step), 1.0, 0.5 * double(length) - 1.0));
  std::vector<StepLaw> laws;
  double mean = 0.0;
  double infinite = 0.0;  // -log of the probability that no part is infinite
  double total_count = 0.0;
  for (const Part& part : parts) {
    laws.push_back(step_law(part.law, side, step, count, deadline));
    const Moments m = moments(laws.back(), step, tilt);
    log_moment_ += part.count * m.value;
    mean += part.count * m.first;
    infinite += part.count * -std::log1p(-laws.back().infinite);
    total_count += part.count;
    shift_ += part.count * laws.back().offset;
  }
  const auto cumulant = [&](double at) {
    double total = 0.0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      total += parts[j].count * moments(laws[j], step, at).value;
    }
    return total;
  };

  numerics::RealFft fft(length);
  std::vector<std::complex<double>> product(length / 2 + 1, 1.0);
  std::vector<double> logs(length / 2 + 1, 0.0);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const std::span<double> values = fft.values();
    std::fill(values.begin(), values.end(), 0.0);
    const double log_m = moments(laws[j], step, tilt).value;
    const std::vector<double>& mass = laws[j].mass;
    values[0] = mass[count] * std::exp(-log_m);
    for (std::size_t k = 1; k <= count; ++k) {
      const double y = step * static_cast<double>(k);
      values[k % length] += mass[count + k] * std::exp(tilt * y - log_m);
      values[length - k] += mass[count - k] * std::exp(-tilt * y - log_m);
    }
    deadline.check();
    fft.forward();
    for (std::size_t k = 0; k < product.size(); ++k) {
      const std::complex<double> f = fft.spectrum()[k];
      const double modulus = std::abs(f);
      const double size = modulus > 0.0 ? std::pow(std::min(modulus, 1.0), parts[j].count) : 0.0;
      product[k] *= std::polar(size, parts[j].count * std::arg(f));
    }
  }
  double spread = 0.0;
  for (std::size_t k = 0; k < product.size(); ++k) {
    spread += std::abs(product[k]) * (k == 0 || k + 1 == product.size() ? 1.0 : 2.0);
    fft.spectrum()[k] = product[k];
  }
  spread /= static_cast<double>(length);
  fft.inverse();
  // Each transform errs by a few u log2 N relative to the largest entry, and the power multiplies that by the count.
  rounding_ = 8.0 * unit * std::log2(static_cast<double>(length)) * (1.0 + total_count * spread);
  relative_ = total_count * 3.0 * mass_accuracy + 1e-12;
  constexpr double most_cells = 1e15;  // whole numbers of cells must be exact
  if (!(std::abs(mean / step) < most_cells)) {
    throw ConvergenceError("the lattice would need more than 1e15 cells to reach its mean");
  }
  first_ = std::lround(mean / step) - static_cast<long>(length / 2);
  mass_.resize(length);
  for (std::size_t i = 0; i < length; ++i) {
    const long index = first_ + static_cast<long>(i);
    const long cyclic = ((index % static_cast<long>(length)) + static_cast<long>(length)) % static_cast<long>(length);
    mass_[i] = fft.values()[static_cast<std::size_t>(cyclic)];
  }
  // Wrap-around. The window ends where Chernoff bounds say that little lies beyond.
  const double high = step * static_cast<double>(first_ + static_cast<long>(length));
  const double low = step * static_cast<double>(first_ - 1);
  const double width = static_cast<double>(length) * step;
  double above = 0.0;       // log P(sum >= high) under the alternative
  double outside_up = 0.0;  // logs of tilted mass outside
  double outside_down = 0.0;
  deadline.check();
  for (const double factor : {20.0, 40.0, 80.0, 160.0, 320.0}) {
    const double move = 2.0 * factor / width;
    const double up = cumulant(tilt + move);
    above = std::min(above, up - (tilt + move) * high);
    outside_up = std::min(outside_up, up - log_moment_ - move * high);
    outside_down = std::min(outside_down, cumulant(tilt - move) - log_moment_ + move * low);
  }
  if (side == Side::pessimistic) {
    beyond_ = -std::expm1(-infinite) + std::exp(above);
  } else {
    beyond_ = std::exp(outside_up) + std::exp(outside_down);
  }
  accumulate();
}

void LatticeSum::accumulate() {
  // With D_i = sum over k >= i of m_k e^{-tilt (y_k - y_i)} (1 - e^{-(y_k - y_i)}) and A_i the same without the last
  // factor: D_{i-1} = e^{-tilt h} ((1 - e^{-h}) A_i + e^{-h} D_i). Every term is positive.
  const std::size_t count = mass_.size();
  tail_.assign(count + 1, {});
  const double damp = std::exp(-tilt_ * step_);
  const double fall = std::exp(-step_);
  const double rise = -std::expm1(-step_);
  for (std::size_t i = count; i-- > 0;) {
    const Tail& next = tail_[i + 1];
    Tail& here = tail_[i];
    here.excess = damp * (rise * next.all + fall * next.excess);
    here.all = mass_[i] + damp * next.all;
    here.error_excess = damp * (rise * next.error_all + fall * next.error_excess);
    here.error_all = rounding_ + damp * next.error_all;
  }
  mass_.clear();
  mass_.shrink_to_fit();
}

double LatticeSum::delta(double threshold) const {
  const double epsilon = threshold - shift_;
  const double position = std::floor(epsilon / step_) + 1.0 - static_cast<double>(first_);
  const double scale = std::exp(log_moment_ - tilt_ * epsilon);
  if (side_ == Side::pessimistic && position < 0.0) {
    return 1.0;  // of points between the threshold and the window nothing is known
  }
  double total = 0.0;
  double error = 0.0;
  if (position < static_cast<double>(tail_.size())) {
    // Of points below the window the lower end needs nothing.
    const auto i = static_cast<std::size_t>(std::max(position, 0.0));
    const double ahead = step_ * static_cast<double>(first_ + static_cast<long>(i)) - epsilon;
    const double damp = std::exp(-tilt_ * ahead);
    total = damp * (-std::expm1(-ahead) * tail_[i].all + std::exp(-ahead) * tail_[i].excess);
    error = damp * (-std::expm1(-ahead) * tail_[i].error_all + std::exp(-ahead) * tail_[i].error_excess);
    error += 1e-13 * std::abs(total);
  }
  if (side_ == Side::pessimistic) {
    return std::min(1.0, (std::max(total, 0.0) * (1.0 + relative_) + error) * scale * (1.0 + 1e-13) + beyond_);
  }
  return std::max(0.0, (total * (1.0 - relative_) - error - beyond_) * scale * (1.0 - 1e-13));
}

LatticePair::LatticePair(const Transform& transform, double epsilon, double relative, std::size_t points,
                         const Deadline& deadline)
    : epsilon_(epsilon) {
  const double tilt = transform.saddle_right(epsilon);
  const double log_value = transform.log_estimate(tilt, epsilon);
  const double log_target = log_value - 30.0;
  double reach = 0.0;
  for (const Part& part : transform.parts()) {
    // Where count times the alternative's mass beyond is below the target.
    const double tail = std::sqrt(2.0 * std::max(0.0, std::log(part.count) - log_target));
    const HalfLaw& half = part.law.right();
    reach = std::max(reach, half.loss(std::min(0.5 * half.separation() + tail, half.end())));
    if (!part.law.symmetric()) {  // so far to the left nothing is left of what is tilted
      const HalfLaw& left = part.law.left();
      reach = std::max(reach, std::min(-log_target / tilt, left.loss(0.5 * left.separation() + tail)));
    }
  }
  if (transform.gaussian_mu() > 0.0) {
    const double g = transform.gaussian_mu();
    reach = std::max(reach, g * (g / 2 + std::sqrt(-2.0 * log_target)));
  }
  double log_rest = std::numeric_limits<double>::infinity();
  for (const double other : transform.beyond(tilt)) {  // sum beyond which the alternative has next to nothing
    log_rest = std::min(log_rest, (transform.cumulant(other).value - log_target) / other);
  }
  const double window = 2.2 * std::max({reach, epsilon + log_rest, period_for(transform, tilt, epsilon, log_target)});
  if (!(window < 1e5 * (1.0 + epsilon))) {
    throw ConvergenceError("the privacy loss is too wide for a lattice");
  }
  for (std::size_t length = std::min<std::size_t>(points, std::size_t{1} << 14U);; length *= 4) {
    length = std::min(length, points);
    const double step = window / static_cast<double>(length);
    try {
      LatticeSum upper(transform, LatticeSum::Side::pessimistic, step, length, tilt, reach, deadline);
      LatticeSum lower(transform, LatticeSum::Side::optimistic, step, length, tilt, reach, deadline);
      upper_.clear();
      upper_.push_back(std::move(upper));
      lower_.clear();
      lower_.push_back(std::move(lower));
    } catch (const TimeUp&) {
      if (upper_.empty()) {
        throw;
      }
      return;
    }
    if (length >= points || delta(epsilon).relative_width() < relative || deadline.seconds_left() < 1.0) {
      return;
    }
  }
}

Enclosure LatticePair::delta(double epsilon) const {
  return intersection({0.0, 1.0}, {lower_.back().delta(epsilon), upper_.back().delta(epsilon)});
}

}  // namespace dpcurves::accounting::detail

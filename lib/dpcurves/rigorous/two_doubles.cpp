// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/rigorous/two_doubles.hpp>

namespace dpcurves::rigorous {
namespace {

constexpr double step_error = 0x1p-98, tiny = 1e-300;
constexpr std::size_t lanes = 64;  // sequences at once: their numbers stay in the nearest cache
constexpr int between = 16;        // steps, a power of two, until it is asked again whether they have reached the limit

struct Pair {
  double high, low;
};

/// The sum, exactly.
[[gnu::always_inline]] inline Pair two_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// A double as two of half as many bits.
struct Halves {
  double whole, top, rest;
  explicit Halves(double a) : whole(a) {
    constexpr double splitter = 134217729.0;  // 2^27 + 1
    const double c = splitter * a;
    top = c - (c - a);
    rest = a - top;
  }
  Halves(double a, double its_top, double its_rest) : whole(a), top(its_top), rest(its_rest) {}
};

/// The product, exactly: by Dekker's splitting, or at once where the machine rounds a b + c only once. Both parts are
/// the same where nothing is below the range of doubles.
template <bool fused>
[[gnu::always_inline]] inline Pair two_product(const Halves& a, const Halves& b) {
  const double p = a.whole * b.whole;
  if constexpr (fused) {
    return {p, __builtin_fma(a.whole, b.whole, -p)};
  }
  return {p, ((a.top * b.top - p) + a.top * b.rest + a.rest * b.top) + a.rest * b.rest};
}

/// p + q + c in two doubles, of products with low parts.
[[gnu::always_inline]] inline Pair three_sum(const Pair& p, const Pair& q, const Pair& c) {
  const Pair s = two_sum(p.high, q.high), t = two_sum(s.high, c.high);
  const double low = (s.low + t.low) + ((p.low + q.low) + c.low);
  const double high = t.high + low;
  return {high, (t.high - high) + low};
}

/// A real number of two doubles, the first of them in halves.
struct Factor {
  Halves high;
  double low;
};

/// a b in two doubles.
template <bool fused>
[[gnu::always_inline]] inline Pair product(const Factor& a, const Factor& b) {
  const Pair p = two_product<fused>(a.high, b.high);
  return {p.high, p.low + (a.high.whole * b.low + a.low * b.high.whole)};
}

struct ComplexPair {
  Pair re, im;
};

/// x a + b, without the error.
template <bool fused>
[[gnu::always_inline]] inline ComplexPair times_plus(const Factor& x_re, const Factor& x_im, const Factor& a_re,
                                                     const Factor& a_im, const Pair& b_re, const Pair& b_im) {
  const Pair rr = product<fused>(x_re, a_re), ii = product<fused>(x_im, a_im), ri = product<fused>(x_re, a_im),
             ir = product<fused>(x_im, a_re);
  return {three_sum(rr, {-ii.high, -ii.low}, b_re), three_sum(ri, ir, b_im)};
}

inline void step(const TwoDoubles& a, const TwoDoubles& b, TwoDoubles& x) {
  const ComplexPair next =
      times_plus<false>({Halves(x.re), x.re_low}, {Halves(x.im), x.im_low}, {Halves(a.re), a.re_low},
                        {Halves(a.im), a.im_low}, {b.re, b.re_low}, {b.im, b.im_low});
  x.re = next.re.high;
  x.re_low = next.re.low;
  x.im = next.im.high;
  x.im_low = next.im.low;
}

inline double size(const TwoDoubles& v) { return std::abs(v.re) + std::abs(v.im); }

/// At least the modulus.
double modulus_of(const TwoDoubles& v) { return std::sqrt(v.re * v.re + v.im * v.im) * (1.0 + 1e-15) + v.error + tiny; }

using Lanes = std::array<double, lanes>;

struct Totals {
  Pair re{0.0, 0.0}, im{0.0, 0.0};
  double error = 0.0, modulus = 0.0;
};

void add(Pair more, double& high, double& low) {
  const Pair s = two_sum(high, more.high);
  high = s.high;
  low += s.low + more.low;
}

/// Of the moduli, what sums lose: low parts grow by 2^-52 of these with each addition, and are rounded in each.
constexpr double additions_of(std::size_t terms) {
  return 0x1p-104 * static_cast<double>(terms) * static_cast<double>(terms);
}

/// Some sequences, a column for each part.
struct Block {
  Lanes re{}, re_low{}, im{}, im_low{}, error{};
  Lanes ratio_re{}, ratio_re_top{}, ratio_re_rest{}, ratio_re_low{};
  Lanes ratio_im{}, ratio_im_top{}, ratio_im_rest{}, ratio_im_low{};
  Lanes shift_re{}, shift_re_low{}, shift_im{}, shift_im_low{};
  Lanes modulus{}, ratio_error{}, own_error{};  // of the ratio; what a step adds beside what x does
  Lanes gap{}, shrinks{};  // at least what x was from its limit when it was last asked, and what that falls by
  Totals limit;

  void set(std::size_t i, const TwoDoubles& x, const TwoDoubles& a, const TwoDoubles& b, const TwoDoubles& end) {
    re[i] = x.re;
    re_low[i] = x.re_low;
    im[i] = x.im;
    im_low[i] = x.im_low;
    error[i] = x.error;
    const Halves ar(a.re), ai(a.im);
    ratio_re[i] = ar.whole;
    ratio_re_top[i] = ar.top;
    ratio_re_rest[i] = ar.rest;
    ratio_re_low[i] = a.re_low;
    ratio_im[i] = ai.whole;
    ratio_im_top[i] = ai.top;
    ratio_im_rest[i] = ai.rest;
    ratio_im_low[i] = a.im_low;
    shift_re[i] = b.re;
    shift_re_low[i] = b.re_low;
    shift_im[i] = b.im;
    shift_im_low[i] = b.im_low;
    modulus[i] = modulus_of(a);
    ratio_error[i] = a.error + step_error * size(a);
    own_error[i] = b.error + step_error * size(b) + tiny;
    gap[i] = modulus_of(x) + modulus_of(end);
    shrinks[i] = modulus[i];
    for (int doubled = 1; doubled < between; doubled *= 2) {
      shrinks[i] *= shrinks[i];
    }
    add({end.re, end.re_low}, limit.re.high, limit.re.low);
    add({end.im, end.im_low}, limit.im.high, limit.im.low);
    limit.modulus += size(end);
    limit.error += end.error + additions_of(lanes) * size(end);
  }

  /// At least the distance of all x from their limits, `between` steps after the last time, while none moves away.
  double to_limit() {
    double sum = 0.0;
    for (std::size_t i = 0; i < lanes; ++i) {
      sum += shrinks[i] <= 1.0 ? gap[i] *= shrinks[i] : HUGE_VAL;
    }
    return sum * (1.0 + 1e-6);  // of what is rounded in a billion steps
  }

  template <bool fused>
  [[gnu::always_inline]] void advance() {
    for (std::size_t i = 0; i < lanes; ++i) {
      error[i] = error[i] * modulus[i] + (std::abs(re[i]) + std::abs(im[i])) * ratio_error[i] + own_error[i];
      const ComplexPair next = times_plus<fused>({Halves(re[i]), re_low[i]}, {Halves(im[i]), im_low[i]},
                                                 {{ratio_re[i], ratio_re_top[i], ratio_re_rest[i]}, ratio_re_low[i]},
                                                 {{ratio_im[i], ratio_im_top[i], ratio_im_rest[i]}, ratio_im_low[i]},
                                                 {shift_re[i], shift_re_low[i]}, {shift_im[i], shift_im_low[i]});
      re[i] = next.re.high;
      re_low[i] = next.re.low;
      im[i] = next.im.high;
      im_low[i] = next.im.low;
    }
  }
};

/// Sums of the lanes of a block, in columns of eight.
class Columns {
 public:
  [[gnu::always_inline]] explicit Columns(const Block& block) {
    for (std::size_t from = 0; from < lanes; from += width) {
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t j = from + i;
        add(i, {block.re[j], block.re_low[j]}, {block.im[j], block.im_low[j]}, block.error[j],
            std::abs(block.re[j]) + std::abs(block.im[j]));
      }
    }
    for (std::size_t half = width / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t j = i + half;
        add(i, {re_[j], re_low_[j]}, {im_[j], im_low_[j]}, error_[j], modulus_[j]);
      }
    }
  }
  [[nodiscard]] Totals totals() const { return {{re_[0], re_low_[0]}, {im_[0], im_low_[0]}, error_[0], modulus_[0]}; }

 private:
  static constexpr std::size_t width = 8;
  using Row = std::array<double, width>;

  [[gnu::always_inline]] void add(std::size_t i, const Pair& re, const Pair& im, double error, double modulus) {
    const Pair r = two_sum(re_[i], re.high), m = two_sum(im_[i], im.high);
    re_[i] = r.high;
    re_low_[i] += r.low + re.low;
    im_[i] = m.high;
    im_low_[i] += m.low + im.low;
    error_[i] += error;
    modulus_[i] += modulus;
  }

  Row re_{}, re_low_{}, im_{}, im_low_{}, error_{}, modulus_{};
};

// On four lanes at once, and on what every machine has: the same bits.
[[gnu::target("avx2,fma")]] void advance_wide(Block& block) { block.advance<true>(); }
[[gnu::target("avx2")]] Totals totals_wide(const Block& block) { return Columns(block).totals(); }
void advance_narrow(Block& block) { block.advance<false>(); }
Totals totals_narrow(const Block& block) { return Columns(block).totals(); }

}  // namespace

TwoDoubles two_doubles(const Complex& z) {
  TwoDoubles v;
  const auto part = [&](arb_srcptr x, double& high, double& low) {
    arf_t rest;
    arf_init(rest);
    high = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    arf_set_d(rest, high);
    arf_sub(rest, arb_midref(x), rest, 128, ARF_RND_NEAR);
    low = arf_get_d(rest, ARF_RND_NEAR);
    arf_clear(rest);
    v.error += mag_get_d(arb_radref(x)) + 0x1p-104 * std::abs(high) + tiny;
  };
  part(acb_realref(z.get()), v.re, v.re_low);
  part(acb_imagref(z.get()), v.im, v.im_low);
  v.error *= 1.0 + 1e-15;
  if (!std::isfinite(v.re) || !std::isfinite(v.im) || std::isnan(v.error)) {
    v = {0.0, 0.0, 0.0, 0.0, HUGE_VAL};
  }
  return v;
}

Complex ball_of(const TwoDoubles& v) {
  const Precision precision(std::max<slong>(128, Precision::bits()));
  const auto part = [&](double high, double low) { return widened(Real(high) + Real(low), Real(v.error)); };
  return {part(v.re, v.re_low), part(v.im, v.im_low)};
}

std::vector<TwoDoubles> sums(const Sequences& all, long last, Width width) {
  constexpr double died_out = 1e-40;
  std::vector<TwoDoubles> out(static_cast<std::size_t>(last) + 1);
  std::vector<double> moduli(out.size());
  const std::size_t count = all.first.size();
  const bool wide = width == Width::four;
  const auto advance = wide ? advance_wide : advance_narrow;
  const auto totals = wide ? totals_wide : totals_narrow;
  for (std::size_t from = 0; from < count; from += lanes) {
    Block block;
    for (std::size_t i = 0; i < std::min(lanes, count - from); ++i) {
      block.set(i, all.first[from + i], all.ratio[from + i], all.shift[from + i], all.limit[from + i]);
    }
    Totals here;
    bool reached = false;
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (!reached && k > 0 && k % between == 0) {
        if (const double off = block.to_limit(); off < died_out) {
          reached = true;
          here = block.limit;
          here.error += off;
        }
      }
      if (!reached) {
        if (k > 0) {
          advance(block);
        }
        here = totals(block);
      }
      TwoDoubles& sum = out[k];
      add(here.re, sum.re, sum.re_low);
      add(here.im, sum.im, sum.im_low);
      sum.error += here.error;
      moduli[k] += here.modulus;
    }
  }
  const double additions = additions_of(count / lanes + 16);  // of eight, three and the blocks
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].error = (out[k].error + additions * moduli[k]) * (1.0 + 1e-6);
    if (!std::isfinite(out[k].re) || !std::isfinite(out[k].im) || std::isnan(out[k].error)) {
      out[k] = {0.0, 0.0, 0.0, 0.0, HUGE_VAL};
    }
  }
  return out;
}

TwoDoubles polynomial(std::span<const TwoDoubles> coefficients, const TwoDoubles& w, TwoDoubles* derivative) {
  TwoDoubles sum, slope;
  const double modulus = modulus_of(w);
  for (std::size_t k = coefficients.size(); k-- > 0;) {
    const TwoDoubles& v = coefficients[k];
    if (derivative != nullptr) {
      step(w, sum, slope);
    }
    sum.error =
        sum.error * modulus + size(sum) * (w.error + step_error * size(w)) + v.error + step_error * size(v) + tiny;
    step(w, v, sum);
  }
  sum.error *= 1.0 + 1e-6;
  if (!std::isfinite(sum.re) || !std::isfinite(sum.im) || std::isnan(sum.error)) {
    sum = {0.0, 0.0, 0.0, 0.0, HUGE_VAL};
  }
  if (derivative != nullptr) {
    *derivative = slope;
  }
  return sum;
}

}  // namespace dpcurves::rigorous

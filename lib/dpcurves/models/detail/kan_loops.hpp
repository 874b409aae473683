// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The loops of kan_kernels.hpp for one instruction set. Every file that includes this is compiled for another one; only
// arithmetic on plain memory is in here, so that no function of the standard library is compiled for a machine that may
// not be there. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models::kernels {

/// One chunk of a batch. Entries of coordinate c start at c * records and lie in the order of the spans.
struct Chunk {
  std::size_t records = 0;                  ///< at most `chunk`
  std::size_t coordinates = 0;              ///< d
  std::size_t order = 0;                    ///< splines that are not zero at a point
  std::size_t width = 0;                    ///< splines of a coordinate
  const std::uint32_t* begin = nullptr;     ///< shape (coordinates x (spans + 1))
  const std::uint32_t* position = nullptr;  ///< shape (coordinates x records): place within the chunk
  const double* offsets = nullptr;          ///< shape (coordinates x records)
  const double* coefficients = nullptr;     ///< shape (order splines x order powers)
};

/// The three loops for one instruction set; blocks of units meet chunks of records.
struct Loops {
  void (*multiply)(const Chunk&, const double* columns, double* out);  ///< overwrites out
  /// Adds to columns; s becomes weight s.
  void (*accumulate)(const Chunk&, const double* weights, double* s, double* columns);
  /// Cells become derivatives; outputs and squares are added to.
  void (*respond)(const Units&, const double* pieces, std::size_t records, double* cells, std::size_t stride,
                  double* outputs, double* squares);
};
extern const Loops baseline_loops;  ///< for any x86-64
extern const Loops avx2_loops;      ///< needs AVX2 and FMA
extern const Loops avx512_loops;    ///< needs AVX-512F

namespace {

constexpr std::size_t cubic = 4;       // values per coordinate of cubic splines, the case worth its own loop
constexpr std::size_t few_spans = 16;  // up to here a lane's piece is selected, beyond it is looked up
constexpr std::size_t most_powers = 16;

/// A register: its lanes, and a * b + c (fused where the machine can).
template <class Doubles, class Integers>
struct Machine {
  static constexpr std::size_t width = sizeof(Doubles) / sizeof(double);

  static Doubles load(const double* from) {
    Doubles to;
    std::memcpy(&to, from, sizeof to);
    return to;
  }
  static void store(double* to, const Doubles& from) { std::memcpy(to, &from, sizeof from); }
  static Doubles of(double x) { return Doubles{} + x; }

  // Polynomials of a span: by symmetry spline 3 - k has the coefficients of spline k with the signs of odd powers.

  struct Cubic {
    Doubles p0, p1, p2, p3;
  };

  static Cubic polynomial(const double* coefficients, const double* columns) {
    const Doubles first = load(columns), second = load(columns + lanes), third = load(columns + 2 * lanes),
                  fourth = load(columns + 3 * lanes);
    const Doubles outer = first + fourth, inner = second + third, outer_odd = first - fourth,
                  inner_odd = second - third;
    const double* c = coefficients;
    return {fma(outer, of(c[0]), inner * c[4]), fma(outer_odd, of(c[1]), inner_odd * c[5]),
            fma(outer, of(c[2]), inner * c[6]), fma(outer_odd, of(c[3]), inner_odd * c[7])};
  }

  static void add_moments(const double* coefficients, const Cubic& p, double* columns) {
    const double* c = coefficients;
    const Doubles outer = fma(p.p0, of(c[0]), p.p2 * c[2]), inner = fma(p.p0, of(c[4]), p.p2 * c[6]);
    const Doubles outer_odd = fma(p.p1, of(c[1]), p.p3 * c[3]), inner_odd = fma(p.p1, of(c[5]), p.p3 * c[7]);
    store(columns, load(columns) + (outer + outer_odd));
    store(columns + lanes, load(columns + lanes) + (inner + inner_odd));
    store(columns + 2 * lanes, load(columns + 2 * lanes) + (inner - inner_odd));
    store(columns + 3 * lanes, load(columns + 3 * lanes) + (outer - outer_odd));
  }

  // --- W h ------------------------------------------------------------------------------------------------------

  /// The polynomials of one span stay in registers while its records pass.
  static void multiply_span(const Chunk& chunk, std::size_t begin, std::size_t end, const double* columns,
                            double* out) {
    for (std::size_t part = 0; part < lanes; part += 2 * width) {
      const Cubic p = polynomial(chunk.coefficients, columns + part);
      const Cubic q = polynomial(chunk.coefficients, columns + part + width);
      for (std::size_t k = begin; k < end; ++k) {
        double* to = out + chunk.position[k] * lanes + part;
        const Doubles t = of(chunk.offsets[k]);
        store(to, load(to) + fma(fma(fma(p.p3, t, p.p2), t, p.p1), t, p.p0));
        store(to + width, load(to + width) + fma(fma(fma(q.p3, t, q.p2), t, q.p1), t, q.p0));
      }
    }
  }

  static void multiply_any_degree(const Chunk& chunk, std::size_t begin, std::size_t end, const double* columns,
                                  double* out) {
    double polynomials[most_powers * lanes] = {};
    for (std::size_t spline = 0; spline < chunk.order; ++spline) {
      for (std::size_t i = 0; i < chunk.order * lanes; ++i) {
        polynomials[i] += chunk.coefficients[spline * chunk.order + i / lanes] * columns[spline * lanes + i % lanes];
      }
    }
    for (std::size_t k = begin; k < end; ++k) {
      double value[lanes] = {};
      for (std::size_t power = chunk.order; power-- > 0;) {
        for (std::size_t l = 0; l < lanes; ++l) {
          value[l] = value[l] * chunk.offsets[k] + polynomials[power * lanes + l];
        }
      }
      for (std::size_t l = 0; l < lanes; ++l) {
        out[chunk.position[k] * lanes + l] += value[l];
      }
    }
  }

  static void multiply(const Chunk& chunk, const double* columns, double* out) {
    std::memset(out, 0, chunk.records * lanes * sizeof(double));
    const std::size_t spans = chunk.width - chunk.order + 1;
    for (std::size_t c = 0; c < chunk.coordinates; ++c) {
      for (std::size_t span = 0; span < spans; ++span) {
        const std::uint32_t* begin = chunk.begin + c * (spans + 1) + span;
        if (begin[0] < begin[1]) {
          const auto of_span = chunk.order == cubic ? multiply_span : multiply_any_degree;
          of_span(chunk, c * chunk.records + begin[0], c * chunk.records + begin[1],
                  columns + (c * chunk.width + span) * lanes, out);
        }
      }
    }
  }

  // --- s h' -----------------------------------------------------------------------------------------------------

  /// The moments sum s t^k of one span, in registers over its records.
  static void accumulate_span(const Chunk& chunk, std::size_t begin, std::size_t end, const double* s,
                              double* columns) {
    for (std::size_t part = 0; part < lanes; part += 2 * width) {
      Cubic p{}, q{};
      for (std::size_t k = begin; k < end; ++k) {
        const double* from = s + chunk.position[k] * lanes + part;
        const Doubles t = of(chunk.offsets[k]);
        Doubles x = load(from), y = load(from + width);
        p.p0 += x;
        q.p0 += y;
        x *= t;
        y *= t;
        p.p1 += x;
        q.p1 += y;
        x *= t;
        y *= t;
        p.p2 += x;
        q.p2 += y;
        p.p3 = fma(x, t, p.p3);
        q.p3 = fma(y, t, q.p3);
      }
      add_moments(chunk.coefficients, p, columns + part);
      add_moments(chunk.coefficients, q, columns + part + width);
    }
  }

  static void accumulate_any_degree(const Chunk& chunk, std::size_t begin, std::size_t end, const double* s,
                                    double* columns) {
    double moments[most_powers * lanes] = {};
    for (std::size_t k = begin; k < end; ++k) {
      double power = 1.0;
      for (std::size_t i = 0; i < chunk.order; ++i, power *= chunk.offsets[k]) {
        for (std::size_t l = 0; l < lanes; ++l) {
          moments[i * lanes + l] += power * s[chunk.position[k] * lanes + l];
        }
      }
    }
    for (std::size_t spline = 0; spline < chunk.order; ++spline) {
      for (std::size_t i = 0; i < chunk.order * lanes; ++i) {
        columns[spline * lanes + i % lanes] += chunk.coefficients[spline * chunk.order + i / lanes] * moments[i];
      }
    }
  }

  static void accumulate(const Chunk& chunk, const double* weights, double* s, double* columns) {
    for (std::size_t i = 0; i < chunk.records; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) {
        s[i * lanes + l] *= weights[i];
      }
    }
    const std::size_t spans = chunk.width - chunk.order + 1;
    for (std::size_t c = 0; c < chunk.coordinates; ++c) {
      for (std::size_t span = 0; span < spans; ++span) {
        const std::uint32_t* begin = chunk.begin + c * (spans + 1) + span;
        if (begin[0] < begin[1]) {
          const auto of_span = chunk.order == cubic ? accumulate_span : accumulate_any_degree;
          of_span(chunk, c * chunk.records + begin[0], c * chunk.records + begin[1], s,
                  columns + (c * chunk.width + span) * lanes);
        }
      }
    }
  }

  // --- units ----------------------------------------------------------------------------------------------------

  struct Activated {
    Doubles value, slope;
  };

  /// sigma(a) and sigma'(a). With x = -2a (tanh) or -a, exp(x) = 2^n N(r)/N(-r) is never formed: one division serves.
  static Activated activate(const Units& units, const Doubles& cells) {
    constexpr double most = 700.0;      // 2^n and its reciprocal are normal numbers
    constexpr double shift = 0x1.8p52;  // rounds to a whole number, which the low bits then hold
    constexpr double log2_high = 0x1.62e42fefa0000p-1, log2_low = 0x1.cf79abc9e3b39p-40;
    const double inward = units.inward * (units.hyperbolic ? -2.0 : -1.0);
    const double high = units.hyperbolic ? 1.0 : 0.5, middle = units.hyperbolic ? 0.0 : 0.5;
    Doubles x = inward * cells;
    x = x > of(most) ? of(most) : x;
    x = x < of(-most) ? of(-most) : x;
    const Doubles shifted = fma(x, of(0x1.71547652b82fep0), of(shift));
    const Doubles n = shifted - shift;
    const Doubles r = fma(n, of(-log2_low), fma(n, of(-log2_high), x));  // |r| <= 0.347
    const Doubles q = r * r;
    // Pade of order (6, 6): the error is below 2e-19.
    const Doubles even = fma(fma(fma(q, of(1.0 / 665280.0), of(1.0 / 792.0)), q, of(5.0 / 44.0)), q, of(1.0));
    const Doubles odd = fma(fma(q, of(1.0 / 15840.0), of(1.0 / 66.0)), q, of(0.5)) * r;
    Integers bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    Doubles power;
    std::memcpy(&power, &bits, sizeof power);
    const Doubles up = (even + odd) * power, down = even - odd;
    const Doubles inverse = 1.0 / (up + down);
    return {fma((down - up) * inverse, of(high), of(middle)),
            (up * inverse) * (down * inverse) * (units.hyperbolic ? 4.0 : 1.0)};
  }

  /// Cubic pieces of few spans: each lane's piece is selected span by span. \param fixed  the number of spans, or 0.
  template <std::size_t fixed>
  static void respond_selecting(const Units& units, const double* pieces, std::size_t records, double* block,
                                std::size_t stride, double* outputs, double* squares) {
    constexpr double shift = 0x1.8p52, inside = 1.0 - 0x1p-45;  // both ends of [-1, 1] round into their spans
    const double scale = units.inverse_spacing;
    const std::size_t spans = fixed > 0 ? fixed : units.spans;
    for (std::size_t i = 0; i < records; ++i) {
      for (std::size_t part = 0; part < lanes; part += width) {
        double* cells = block + i * stride + part;
        const auto at = activate(units, load(cells));
        const Doubles position = fma(at.value, of(scale), of(scale - 0.5));
        const Doubles span = fma(position, of(inside), of(shift)) - shift;
        const Doubles t = position - span;
        const double* piece = pieces + part;
        Doubles c0 = load(piece), c1 = load(piece + lanes), c2 = load(piece + 2 * lanes), c3 = load(piece + 3 * lanes);
        double here = 0.0;
        for (std::size_t k = 1; k < spans; ++k) {
          piece += cubic * lanes;
          here += 1.0;
          const auto beyond = span >= of(here);
          c0 = beyond ? load(piece) : c0;
          c1 = beyond ? load(piece + lanes) : c1;
          c2 = beyond ? load(piece + 2 * lanes) : c2;
          c3 = beyond ? load(piece + 3 * lanes) : c3;
        }
        const Doubles derivative = at.slope * (fma(fma(3.0 * c3, t, 2.0 * c2), t, c1) * scale);
        store(cells, derivative);
        double* output = outputs + i * sums + part % sums;
        double* square = squares + i * sums + part % sums;
        store(output, load(output) + fma(fma(fma(c3, t, c2), t, c1), t, c0));
        store(square, fma(derivative, derivative, load(square)));
      }
    }
  }

  /// Pieces of any degree and number.
  static void respond_looking_up(const Units& units, const double* pieces, std::size_t records, double* block,
                                 std::size_t stride, double* outputs, double* squares) {
    const double scale = units.inverse_spacing;
    for (std::size_t i = 0; i < records; ++i) {
      for (std::size_t part = 0; part < lanes; part += width) {
        double* cells = block + i * stride + part;
        const auto at = activate(units, load(cells));
        for (std::size_t l = 0; l < width; ++l) {
          const double position = (at.value[l] + 1.0) * scale;
          std::size_t span = position > 0.0 ? static_cast<std::size_t>(position) : 0U;
          span = span < units.spans ? span : units.spans - 1;
          const double t = position - static_cast<double>(span) - 0.5;
          const double* piece = pieces + span * units.powers * lanes + part + l;
          double value = 0.0;
          double derivative = 0.0;
          for (std::size_t power = units.powers; power-- > 0;) {
            derivative = derivative * t + value;
            value = value * t + piece[power * lanes];
          }
          cells[l] = at.slope[l] * (derivative * scale);
          outputs[i * sums + (part + l) % sums] += value;
          squares[i * sums + (part + l) % sums] += cells[l] * cells[l];
        }
      }
    }
  }

  static void respond(const Units& units, const double* pieces, std::size_t records, double* cells, std::size_t stride,
                      double* outputs, double* squares) {
    const auto loop = units.powers != cubic || units.spans > few_spans ? respond_looking_up
                      : units.spans == 2                               ? respond_selecting<2>
                      : units.spans == 5                               ? respond_selecting<5>
                                                                       : respond_selecting<0>;
    loop(units, pieces, records, cells, stride, outputs, squares);
  }

  static constexpr Loops loops{multiply, accumulate, respond};
};

}  // namespace
}  // namespace dpcurves::models::kernels

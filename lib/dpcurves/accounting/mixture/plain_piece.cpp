// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Pieces in doubles, for planning.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <dpcurves/accounting/mixture/plain_piece.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {

PlainPiece::PlainPiece(const Piece& piece)
    : log_weight_(std::log(piece.weight.middle())), from_(piece.from), least_(infinity), largest_(-infinity) {
  const auto terms = [&](const Mixture& m) {
    std::vector<Term> out;
    for (const Component& c : m) {
      out.push_back({std::log(c.weight.middle()), c.mean.middle()});
    }
    return out;
  };
  alternative_ = terms(piece.alternative);
  null_ = terms(piece.null);
  for (const auto& t : alternative_) {
    least_ = std::min(least_, t.mean);
    largest_ = std::max(largest_, t.mean);
  }
}

template <class Number>
Number PlainPiece::log_sum(const std::vector<Term>& terms, Number x) {
  constexpr double unseen = 45.0;  // logarithms below the largest term
  const auto size = [at = std::real(x)](const Term& t) { return t.log_weight + t.mean * (at - 0.5 * t.mean); };
  double most = -infinity;
  const Term* top = &terms.front();
  for (const Term& t : terms) {
    if (const double here = size(t); here > most) {
      most = here;
      top = &t;
    }
  }
  Number rest = 0.0;
  for (const Term& t : terms) {
    if (&t != top && size(t) > most - unseen) {
      rest += std::exp(t.log_weight - top->log_weight + (t.mean - top->mean) * (x - 0.5 * (t.mean + top->mean)));
    }
  }
  const Number lead = top->log_weight + top->mean * x - 0.5 * top->mean * top->mean;
  if constexpr (std::is_same_v<Number, double>) {
    return lead + std::log1p(rest);
  } else {
    if (std::abs(rest) < 0.5) {
      const double re = rest.real(), im = rest.imag();
      return lead + Complex(0.5 * std::log1p(re * (2.0 + re) + im * im), std::atan2(im, 1.0 + re));
    }
    return lead + std::log(1.0 + rest);
  }
}

template double PlainPiece::log_sum(const std::vector<Term>&, double);
template PlainPiece::Complex PlainPiece::log_sum(const std::vector<Term>&, Complex);

double PlainPiece::log_tail(double x, bool right) const {
  double total = 0.0;
  for (const Term& t : alternative_) {
    const double d = right ? x - t.mean : t.mean - x;
    total += std::exp(log_weight_ + t.log_weight) * (d < 37.0 ? 0.5 * std::erfc(d / 1.4142135623730951) : 0.0);
  }
  return total > 0.0 ? std::log(total) : -infinity;
}

}  // namespace dpcurves::accounting::mixture

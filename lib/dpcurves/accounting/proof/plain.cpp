// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::proof {
namespace {

Plain expm1_plain(Plain z) {
  const double s = std::sin(0.5 * z.imag());
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2.0 * s * s, std::exp(z.real()) * std::sin(z.imag())};
}

/// An angle less whole turns, good enough to plan with.
double reduced(double angle) {
  constexpr double turn = 6.283185307179586, round_by = 6755399441055744.0;  // 1.5 * 2^52: rounds to an integer
  return angle - turn * ((angle / turn + round_by) - round_by);
}

/// Sums of w e^{z l} and of its multiples, over e^{scale}.
struct Moments {
  Plain zeroth, first;  // first: of l - m
  double second = 0.0;  // of |l - m|^2 e^{radius |l - m|} and moduli
};

Moments moments(const PlainIntegral& nodes, Plain z, double scale, double m, double radius) {
  constexpr std::size_t block = 128;
  constexpr double negligible = -50.0;
  std::array<double, block> re{}, im{}, far{};
  Moments sum;
  for (std::size_t from = 0; from < nodes.size(); from += block) {
    const std::size_t n = std::min(block, nodes.size() - from);
    double top = -HUGE_VAL;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes.loss_re[j], li = nodes.loss_im[j];
      re[i] = std::min(nodes.log_re[j] + z.real() * lr - z.imag() * li - scale, 600.0);
      im[i] = reduced(nodes.log_im[j] + z.real() * li + z.imag() * lr);
      const double away = std::sqrt((lr - m) * (lr - m) + li * li);
      far[i] = std::min(re[i] + radius * away, 600.0);
      top = std::max(top, far[i]);
    }
    if (top < negligible) {
      continue;
    }
    rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    if (radius > 0.0) {
      rigorous::exponentials(n, far.data(), far.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const Plain e(re[i], im[i]), away(nodes.loss_re[j] - m, nodes.loss_im[j]);
      sum.zeroth += e;
      if (radius > 0.0) {
        sum.first +=
            Plain(e.real() * away.real() - e.imag() * away.imag(), e.real() * away.imag() + e.imag() * away.real());
        sum.second += far[i] * std::norm(away);
      }
    }
  }
  return sum;
}

/// log M at complex z. \param at_zero  as a difference to M(0) = 1, for sums that serve the order 0 too.
Plain log_moment(const Step& step, const std::vector<PlainIntegral>& integrals, Plain z, bool at_zero) {
  double top = at_zero ? 0.0 : -600.0;
  for (const PlainIntegral& i : integrals) {
    for (std::size_t j = 0; j < i.size(); ++j) {
      top = std::max(top, i.height(j, z));
    }
  }
  Plain sum = 0.0;
  if (at_zero && top < 30.0) {
    constexpr double few = 1e10;  // steps for which the rounding of a sum of exponentials does not matter
    for (const PlainIntegral& i : integrals) {
      if (step.count < few) {
        sum += moments(i, z, 0.0, 0.0, 0.0).zeroth - i.mass;
        continue;
      }
      for (std::size_t j = 0; j < i.size(); ++j) {
        if (i.log_re[j] > -90.0 || i.height(j, z) > -90.0) {
          const Plain e = z * i.loss(j);
          sum += e.real() < 30.0 ? std::exp(i.log_weight(j)) * expm1_plain(e) : std::exp(i.log_weight(j) + e);
        }
      }
    }
    if (std::abs(sum) < 0.5) {
      const double re = sum.real(), im = sum.imag();
      return {0.5 * std::log1p(re * (2.0 + re) + im * im), std::atan2(im, 1.0 + re)};
    }
    return std::log(1.0 + sum);
  }
  for (const PlainIntegral& i : integrals) {
    sum += moments(i, z, top, 0.0, 0.0).zeroth;
  }
  sum += step.approximate_atom() * std::exp(std::min(700.0, -top));
  return std::log(sum) + top;
}

}  // namespace

double log_add(double a, double b) {
  const double top = std::max(a, b);
  return top == -std::numeric_limits<double>::infinity() ? top : top + std::log(std::exp(a - top) + std::exp(b - top));
}

Sketch::Sketch(const Problem& problem, const Plan& plan) : c_(plan.c) {
  const Contour contour(problem, plan);
  std::vector<Plain> logs;
  scale_ = -std::numeric_limits<double>::infinity();
  for (long k = 0; k <= plan.n; ++k) {
    const Plain t(static_cast<double>(k) * plan.h, 0.0);
    z_.push_back(contour.at(t));
    logs.push_back(contour.log_integrand(t, plan.epsilon) + z_.back() * plan.epsilon +
                   std::log(plan.h / 3.14159265358979324 * (k == 0 ? 0.5 : 1.0)));
    scale_ = std::max(scale_, (logs.back() - (z_.back() - c_) * plan.epsilon).real());
  }
  for (const Plain v : logs) {
    value_.push_back(v - scale_);
  }
}

Rough Sketch::at(double epsilon) const {
  Plain sum, moved;
  for (std::size_t k = 0; k < z_.size(); ++k) {
    const Plain e = std::exp(value_[k] - (z_[k] - c_) * epsilon);
    sum += e;
    moved += e * z_[k];
  }
  return {scale_ - c_ * epsilon + std::log(std::abs(sum.real())), -moved.real() / sum.real()};
}

PlainIntegral::PlainIntegral(const Piece& piece, const Path& path) {
  const double log_h = std::log(path.h);
  PlainEvaluation at_point(piece, path);
  for (std::vector<double>* row : {&loss_re, &loss_im, &log_re, &log_im}) {
    row->reserve(static_cast<std::size_t>(path.count));
  }
  for (long j = 0; j < path.count; ++j) {
    const PlainPoint p = at_point(Plain(path.first + (static_cast<double>(j) + 0.5) * path.h, 0.0));
    loss_re.push_back(p.loss.real());
    loss_im.push_back(p.loss.imag());
    log_re.push_back(p.log_base.real() + log_h);
    log_im.push_back(p.log_base.imag());
  }
  mass = moments(*this, 0.0, 0.0, 0.0, 0.0).zeroth;
  Piece law = piece;
  law.half = false;
  for (const double x : {piece.left, piece.right}) {
    if (std::isfinite(x)) {
      const PlainPoint p = evaluate(law, Path{}, Plain(x, 0.0));
      edges.emplace_back(p.loss.real(), p.log_base.real() + 0.5 * path.d * path.d);
    }
  }
}

double PlainIntegral::edge(double re, double radius, double scale) const {
  double total = 0.0;
  for (const auto& [loss, log_density] : edges) {
    total += std::exp(std::min(700.0, log_density + re * loss + radius * std::abs(loss) - scale));
  }
  return total;
}

Contour::Contour(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    std::vector<PlainIntegral> integrals;
    for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
      integrals.emplace_back(problem.steps[i].pieces[k], plan.paths[i][k]);
    }
    integrals_.push_back(std::move(integrals));
  }
}

Plain Contour::at(Plain t) const {
  return plan_.c + plan_.scale * (plan_.bend * (std::cosh(t) - 1.0) + Plain(0.0, 1.0) * std::sinh(t));
}

Plain Contour::speed(Plain t) const { return plan_.scale * (std::cosh(t) - Plain(0.0, plan_.bend) * std::sinh(t)); }

Plain Contour::cumulant_at(Plain z) const {
  Plain k = 0.5 * problem_.gaussian_mu * problem_.gaussian_mu * z * (z + 1.0);
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    k += problem_.steps[i].count * log_moment(problem_.steps[i], integrals_[i], z, plan_.bend == 0.0);
  }
  return k;
}
double Contour::log_ray(double t, double epsilon) const {
  const Plain z = at(t);
  double total = 0.5 * problem_.gaussian_mu * problem_.gaussian_mu * (z * (z + 1.0)).real() - z.real() * epsilon -
                 std::log(3.14159 * z.imag());
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    double sum = problem_.steps[i].approximate_atom();
    for (const PlainIntegral& nodes : integrals_[i]) {
      sum += nodes.edge(z.real(), 0.0, 0.0);
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        sum += std::exp(nodes.height(j, z));
      }
    }
    total += problem_.steps[i].count * std::log(sum);
  }
  return total;
}

Plain Contour::log_integrand(Plain t, double epsilon) const {
  const Plain z = at(t);
  const Plain turn = speed(t);
  return cumulant_at(z) - z * epsilon - std::log(z * (z + 1.0)) + std::log(turn);
}

double Contour::log_disc(Plain t, double h, double epsilon) const {
  const Plain z = at(t);
  const Plain turn = speed(t);
  const double r = 0.5 * h * std::abs(turn);
  const double g2 = problem_.gaussian_mu * problem_.gaussian_mu;
  double total = 0.5 * g2 * (z * (z + 1.0)).real() + r * g2 * std::abs(z - plan_.c) + 0.5 * g2 * r * r;
  double shift = g2 * (plan_.c + 0.5) - epsilon;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const double m = plan_.mean[i], reference = plan_.reference[i] + (z.real() - plan_.c) * m;
    const double atom = problem_.steps[i].approximate_atom();
    shift += problem_.steps[i].count * m;
    double edges = 0.0;
    Plain s0 = atom * std::exp(-reference), s1 = -m * s0;
    double s2 = std::abs(s1) * std::abs(m) * std::exp(std::min(r * std::abs(m), 600.0));
    for (const PlainIntegral& integral : integrals_[i]) {
      const Moments sum = moments(integral, z, reference, m, r);
      s0 += sum.zeroth;
      s1 += sum.first;
      s2 += sum.second;
      edges += integral.edge(z.real(), r, reference);
    }
    // s0 is 1 + something small for a step of a long composition; doubles are good enough for T up to 1e12
    const double size = std::abs(s0) + r * std::abs(s1) + 0.5 * r * r * s2 + edges;
    total += problem_.steps[i].count * (std::log(size) + reference);
  }
  return total - z.real() * epsilon + r * std::abs(shift) - std::log(std::abs(z * (z + 1.0))) +
         std::log(std::abs(turn));
}

}  // namespace dpcurves::accounting::proof

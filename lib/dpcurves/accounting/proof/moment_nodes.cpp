// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The nodes of an integral: doubles with what they may be off by, or balls.
#include <cmath>

#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Real;

}  // namespace

void Integral::add_node(const PlainNode& node, double radius) {
  const double log_h = std::log(path_.h), turn = node.loss_im - node.loss_error;
  const double log_off = node.log_error + 4e-16 * std::abs(log_h) + 2.3e-16 * std::abs(node.log_re + log_h);
  here_.add({node.loss_re - node.loss_error, node.loss_re + node.loss_error,
             turns_one_way() ? std::max(0.0, turn) : turn, node.loss_im + node.loss_error,
             node.log_re + log_h + log_off});
  if (!std::isfinite(node.loss_re) || !std::isfinite(node.loss_im) || !std::isfinite(node.loss_error) ||
      std::isnan(here_.base_high.back())) {
    throw ConvergenceError("no proof: a node outside the domain");
  }
  nodes_.loss_re.push_back(node.loss_re);
  nodes_.loss_im.push_back(node.loss_im);
  nodes_.loss_error.push_back(node.loss_error);
  nodes_.log_re.push_back(node.log_re + log_h);
  nodes_.log_im.push_back(node.log_im);
  nodes_.log_error.push_back(log_off);
  nodes_.error.push_back(radius);
}

// The weights are exponentials in doubles; their sum is the mass of the piece but for the error of the quadrature at
// the order 0, or what doubles add up to.
bool Integral::fill_plainly(const Cells& cells) {
  std::vector<PlainNode> all;
  for (long j = 0; j < path_.count; ++j) {
    // Paths have short numbers: most places are doubles.
    const double k = static_cast<double>(j) + 0.5, far = path_.h * k, s = path_.first + far, back = s - far;
    const double off = std::abs(std::fma(path_.h, k, -far)) + std::abs((path_.first - back) + (far - (s - back)));
    const auto node = cells.node(s, off);
    if (!node || !(std::abs(node->log_im) <= rigorous::largest_angle)) {
      return false;
    }
    all.push_back(*node);
  }
  const std::size_t count = all.size();
  nodes_.re.resize(count);
  nodes_.im.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    add_node(all[k], 0.0);
    nodes_.re[k] = nodes_.log_re[k] - reference_;
    nodes_.im[k] = nodes_.log_im[k];
    if (!(nodes_.re[k] <= 650.0)) {
      return false;
    }
  }
  rigorous::polar_exponentials(count, nodes_.re.data(), nodes_.im.data(), nodes_.re.data(), nodes_.im.data());
  double re = 0.0, im = 0.0, moduli = 0.0, off = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double size = std::abs(nodes_.re[k]) + std::abs(nodes_.im[k]);
    nodes_.error[k] =
        1.5 * size * (nodes_.log_error[k] + 2e-16 * std::abs(reference_) + rigorous::exponential_error) + 1e-300;
    re += nodes_.re[k];
    im += nodes_.im[k];
    moduli += size;
    off += nodes_.error[k];
  }
  off = (off + 1.2e-16 * static_cast<double>(count) * moduli) * (1.0 + 1e-10);
  mass_ = Complex(widened(Real(re), Real(off)) * unit_, widened(Real(im), Real(off)) * unit_);
  return true;
}

void Integral::balls(std::vector<Complex>* log_bases) const {
  if (!loss_.empty() && log_bases == nullptr) {
    return;
  }
  loss_.clear();
  weight_.clear();
  const Real h(path_.h);
  const Evaluation node(piece_, path_);
  for (long j = 0; j < path_.count; ++j) {
    PathPoint p = node(Complex(Real(path_.first) + h * (Real(j) + Real(0.5))));
    p.log_base = piece_.part == Piece::Part::whole ? p.log_base : p.log_base + rigorous::log(share(piece_, p.x));
    loss_.push_back(p.loss);
    weight_.push_back(rigorous::exp(p.log_base) * Complex(h));
    if (log_bases != nullptr) {
      log_bases->push_back(p.log_base);
    }
  }
}

void Integral::fill_from_balls() {
  here_ = {};
  nodes_ = {};
  mass_ = {};
  std::vector<Complex> log_bases;
  balls(&log_bases);
  const Complex shrink(rigorous::exp(-Real(reference_)));
  const auto spread = [](const Real& v) { return v.radius() + 1.2e-16 * std::abs(v.middle()); };
  for (std::size_t k = 0; k < loss_.size(); ++k) {
    const Complex over = weight_[k] * shrink, &loss = loss_[k], &base = log_bases[k];
    mass_ = mass_ + weight_[k];
    add_node({loss.re().middle(), loss.im().middle(), base.re().middle(), base.im().middle(),
              spread(loss.re()) + spread(loss.im()), spread(base.re()) + spread(base.im())},
             spread(over.re()) + spread(over.im()));
    nodes_.re.push_back(over.re().middle());
    nodes_.im.push_back(over.im().middle());
  }
}

// The law's mass, but for the error of the quadrature at the order 0, where that is closer than a sum in doubles.
void Integral::set_mass() {
  const double off = error(Orders(0.0, 0.0, 0.0), false, reference_);
  if (!(2.0 * off * unit_.upper() < mass_.re().radius())) {
    return;
  }
  Real mass(1);
  if (piece_.half) {
    mass = piece_.beyond(rigorous::scaled(Real(piece_.a + piece_.n) * Real(piece_.mu), -1));
  } else if (piece_.cut()) {
    mass = piece_.beyond(Real(piece_.left));
  }
  if (piece_.cut()) {
    mass = mass - piece_.beyond(Real(piece_.right));
  }
  mass_ = Complex(mass);
  acb_add_error_arb(mass_.get(), rigorous::upper_end(Real(off) * unit_).get());
}

bool Integral::refine() {
  if (!plain_) {
    return false;
  }
  plain_ = false;
  fill_from_balls();
  return true;
}

}  // namespace dpcurves::accounting::proof

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/proof/step_moment.hpp>

namespace dpcurves::accounting::proof {

using rigorous::Complex;
using rigorous::Real;

StepMoment::StepMoment(const Step& step, const std::vector<Path>& paths, double reference, double mean, double digits)
    : atom_(step.atom()),
      scaled_atom_((atom_ * rigorous::exp(-Real(reference))).middle()),
      reference_(reference),
      mean_(mean) {
  for (std::size_t k = 0; k < step.pieces.size(); ++k) {
    integrals_.emplace_back(step.pieces[k], paths[k], reference, digits);
  }
}

Complex StepMoment::at(const Complex& z, bool quick) const {
  Complex sum(atom_);
  for (const Integral& integral : integrals_) {
    sum = sum + integral.at(z, quick);
  }
  return sum;
}

StepMoment::OnDisc StepMoment::on_disc(double re, double im, double radius) const {
  const double move = std::abs(mean_) * radius;
  Integral::Expansion sum{scaled_atom_,
                          0.0,
                          -scaled_atom_ * mean_,
                          0.0,
                          scaled_atom_ * mean_ * mean_ * std::exp(std::min(700.0, move)) * (1.0 + 1e-14),
                          scaled_atom_ * 1e-15 * (1.0 + move)};
  double size = scaled_atom_ * (1.0 + move);
  for (const Integral& integral : integrals_) {
    const Integral::Expansion e = integral.expand(re, std::abs(im), radius, mean_);
    sum.zeroth_re += e.zeroth_re;
    sum.zeroth_im += e.zeroth_im;
    sum.first_re += e.first_re;
    sum.first_im += e.first_im;
    sum.second += e.second;
    sum.error += e.error;
    size += std::abs(e.zeroth_re) + std::abs(e.zeroth_im) + radius * (std::abs(e.first_re) + std::abs(e.first_im));
  }
  const double zeroth = std::hypot(sum.zeroth_re, sum.zeroth_im);
  const double most = (zeroth + radius * std::hypot(sum.first_re, sum.first_im) + 0.5 * radius * radius * sum.second +
                       sum.error + 1e-15 * size) *
                      (1.0 + 1e-15);
  const double log_most = std::log(most);
  return {std::isnan(log_most) ? HUGE_VAL : reference_ + log_most + 3e-16 * (std::abs(reference_) + std::abs(log_most)),
          reference_ + std::log(zeroth)};
}

Real StepMoment::log_beyond(const Complex& z) const {
  Real sum = atom_;
  for (const Integral& integral : integrals_) {
    sum += integral.beyond(z);
  }
  return rigorous::log(rigorous::upper_end(sum));
}

bool StepMoment::refine() {
  bool better = false;
  for (Integral& integral : integrals_) {
    better = integral.refine() || better;
  }
  return better;
}

long StepMoment::nodes() const {
  long total = 0;
  for (const Integral& integral : integrals_) {
    total += integral.nodes();
  }
  return total;
}

}  // namespace dpcurves::accounting::proof

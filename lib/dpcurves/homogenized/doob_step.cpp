// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/doob_step.hpp>

namespace dpcurves::homogenized {

using Eigen::ArrayXd;

DoobStep doob_step(const DoobSetting& s) {
  const auto size = static_cast<double>(s.eigenvalues.size());
  for (const ArrayXd* other : {&s.hessian, &s.linear, &s.error, &s.xtilde}) {
    require_domain(other->size() == s.eigenvalues.size(), "number of entries", static_cast<double>(other->size()),
                   "{number of eigenvalues}");
    require_domain(other->isFinite().all(), "entries", size, "finite numbers");
  }
  require_domain(size >= 1.0, "number of eigenvalues", size, "[1, inf)");
  require_domain((s.eigenvalues >= 0.0).all() && s.eigenvalues.isFinite().all(), "eigenvalue", s.eigenvalues.minCoeff(),
                 "[0, inf)");
  require_domain(s.dimension > 0.0, "dimension", s.dimension, "(0, inf)");
  for (const auto& [value, name] : {std::pair{s.rate, "rate"},
                                    {s.regularisation, "regularisation"},
                                    {s.noise, "noise"},
                                    {s.label_noise, "label_noise"}}) {
    require_domain(value >= 0.0 && std::isfinite(value), name, value, "[0, inf)");
  }
  const double d = s.dimension;
  const double gamma2 = s.rate * s.rate;
  const ArrayXd& h = s.hessian;
  const ArrayXd x = s.error + s.xtilde;
  const ArrayXd sigma_v = s.eigenvalues * s.error;
  const double risk = (s.error * sigma_v).sum() + s.label_noise;  // v'Sigma v + E[w^2] = 2 P
  DoobStep step;
  const ArrayXd gradient = h * s.error + s.linear;
  step.leading = -s.rate / d * (gradient * (sigma_v + s.regularisation * x)).sum() +
                 0.5 * gamma2 / (d * d) * ((s.eigenvalues * h).sum() * risk + s.noise * s.noise * h.sum());
  const ArrayXd shrink = s.regularisation / d * x;                        // u of the lemma
  const ArrayXd pull = sigma_v / d;                                       // E[Delta]
  const double kurtosis = 2.0 * (sigma_v * h * sigma_v).sum() / (d * d);  // of Gaussian features
  step.remainder = 0.5 * gamma2 * ((shrink * h * shrink).sum() + 2.0 * (shrink * h * pull).sum() + kurtosis);
  step.mean_increment = step.leading + step.remainder;
  step.remainder_printed_form = step.remainder + 0.5 * gamma2 * (pull * h * pull).sum();
  return step;
}

}  // namespace dpcurves::homogenized

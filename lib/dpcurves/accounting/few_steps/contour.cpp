// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <numbers>

#include <dpcurves/accounting/few_steps/contour_impl.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {

template <>
Rule<double> gauss_rule<double>(int points) {
  const numerics::GaussRule rule = numerics::gauss_legendre(points);
  return {rule.nodes, rule.weights};
}

template <>
double pi_of<double>() {
  return std::numbers::pi;
}

template class Contour<double>;

}  // namespace dpcurves::accounting::detail

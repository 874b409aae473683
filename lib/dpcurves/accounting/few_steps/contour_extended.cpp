// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The same contour in 50 and 100 decimal digits, in a file of its own because it compiles slowly.
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <dpcurves/accounting/few_steps/engine.hpp>
#include <dpcurves/accounting/few_steps/extended.hpp>

namespace dpcurves::accounting::detail {
namespace {

template <unsigned digits>
using Extended =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<digits>, boost::multiprecision::et_off>;

}  // namespace

template <>
Rule<Extended<50>> gauss_rule<Extended<50>>(int points) {
  return extended_rule<Extended<50>>(points);
}
template <>
Rule<Extended<100>> gauss_rule<Extended<100>>(int points) {
  return extended_rule<Extended<100>>(points);
}

template <>
Extended<50> pi_of<Extended<50>>() {
  return boost::math::constants::pi<Extended<50>>();
}
template <>
Extended<100> pi_of<Extended<100>>() {
  return boost::math::constants::pi<Extended<100>>();
}

std::unique_ptr<ExtendedContour> extended_contour(const Transform& transform, const ContourPlan& plan, int digits,
                                                  const Deadline& deadline) {
  if (digits <= 31) {
    return quad_contour(transform, plan, deadline);
  }
  if (digits <= 48) {
    return std::make_unique<ContourIn<Extended<50>>>(transform, plan, deadline);
  }
  if (digits <= 98) {
    return std::make_unique<ContourIn<Extended<100>>>(transform, plan, deadline);
  }
  throw ConvergenceError("more than 98 digits would be needed");
}

}  // namespace dpcurves::accounting::detail

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Lists and sums of one expression, for the loops that do nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace dpcurves {

/// f(x) for each x of a range, in its order.
template <class Range, class F>
  requires(!std::is_arithmetic_v<std::remove_cvref_t<Range>>)
[[nodiscard]] auto mapped(Range&& range, F&& f) {
  std::vector<std::remove_cvref_t<decltype(f(*std::begin(range)))>> result;
  if constexpr (requires { std::size(range); }) {
    result.reserve(std::size(range));
  }
  for (auto&& x : range) {
    result.push_back(f(x));
  }
  return result;
}
template <class T, class F>
[[nodiscard]] auto mapped(std::initializer_list<T> list, F&& f) {
  return mapped<const std::initializer_list<T>&>(list, std::forward<F>(f));
}

/// f(i) for each i from 0 to count - 1.
template <class F>
[[nodiscard]] auto mapped(std::size_t count, F&& f) {
  std::vector<std::remove_cvref_t<decltype(f(count))>> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(f(i));
  }
  return result;
}

/// 0 + f(x) + ... over a range, from its first on.
template <class Range, class F = std::identity>
  requires(!std::is_arithmetic_v<std::remove_cvref_t<Range>>)
[[nodiscard]] double sum_over(Range&& range, F&& f = {}) {
  double sum = 0.0;
  for (auto&& x : range) {
    sum += f(x);
  }
  return sum;
}
/// The same over i from 0 to count - 1.
template <class F>
[[nodiscard]] double sum_over(std::size_t count, F&& f) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += f(i);
  }
  return sum;
}

}  // namespace dpcurves

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The numbers that a field may have: an interval, written once as text and then both checked and shown.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace dpcurves {

/// An interval such as "[0, inf)" or "(0, 1]", of all numbers or of the whole ones. Brackets include an end,
/// parentheses do not. NaN is in none.
class Domain {
 public:
  /// Every number but NaN.
  constexpr Domain() = default;
  /// Two ends with ", " between them; a mistake in the text does not compile.
  consteval Domain(const char* text, bool whole = false) : text_(text), whole_(whole) {
    lower_open_ = *text++ == '(';
    lower_ = number(text);
    upper_ = number(text += 2);
    upper_open_ = *text == ')';
    if (!(lower_ <= upper_)) {
      throw "not an interval";
    }
  }
  /// O(1).
  [[nodiscard]] constexpr bool contains(double x) const {
    return (lower_open_ ? x > lower_ : x >= lower_) && (upper_open_ ? x < upper_ : x <= upper_) &&
           (!whole_ || is_whole(x));
  }
  /// "(0, inf)"
  [[nodiscard]] constexpr const char* interval() const { return text_; }
  /// The interval, or "{1, 2, ...}" and "{1, ..., 9}" for whole numbers.
  [[nodiscard]] std::string text() const;
  /// Whether only whole numbers and infinity belong to it.
  [[nodiscard]] constexpr bool whole() const { return whole_; }
  /// Whether everything but NaN belongs to it.
  [[nodiscard]] constexpr bool everything() const { return *text_ == '\0'; }
  [[nodiscard]] constexpr double lower() const { return lower_; }          ///< the lower end
  [[nodiscard]] constexpr double upper() const { return upper_; }          ///< the upper end
  [[nodiscard]] constexpr bool lower_open() const { return lower_open_; }  ///< the lower end is not in it
  [[nodiscard]] constexpr bool upper_open() const { return upper_open_; }  ///< the upper end is not in it

 private:
  static constexpr bool is_whole(double x) {
    constexpr double all_whole = 9007199254740992.0;  // from 2^53 on
    return !(x < all_whole && x > -all_whole) || static_cast<double>(static_cast<std::int64_t>(x)) == x;
  }
  /// Reads a number and moves behind it. Exact to the last digit for the short numbers that domains have.
  static consteval double number(const char*& text) {
    const bool negative = *text == '-';
    text += negative ? 1 : 0;
    if (*text == 'i') {
      text += 3;
      return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    long double digits = 0.0L;
    int places = 0;
    for (bool fraction = false; (*text >= '0' && *text <= '9') || *text == '.'; ++text) {
      if (*text == '.') {
        fraction = true;
      } else {
        digits = 10.0L * digits + (*text - '0');
        places += fraction ? 1 : 0;
      }
    }
    int exponent = 0;
    if (*text == 'e') {
      const bool down = *++text == '-';
      for (text += down ? 1 : 0; *text >= '0' && *text <= '9'; ++text) {
        exponent = 10 * exponent + (*text - '0');
      }
      exponent = down ? -exponent : exponent;
    }
    long double power = 1.0L;
    for (int i = exponent - places; i != 0; i += i < 0 ? 1 : -1) {
      power *= 10.0L;
    }
    digits = exponent < places ? digits / power : digits * power;
    return static_cast<double>(negative ? -digits : digits);
  }

  const char* text_ = "";
  double lower_ = -std::numeric_limits<double>::infinity();
  double upper_ = std::numeric_limits<double>::infinity();
  bool lower_open_ = false;
  bool upper_open_ = false;
  bool whole_ = false;
};

/// The whole numbers of an interval.
consteval Domain whole(const char* text) { return {text, true}; }

}  // namespace dpcurves

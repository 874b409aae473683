// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The exceptions of the library and the check that throws the commonest of them.
///
/// Few kinds, told apart by what the caller can do: mend the argument, mend the file, or ask for less accuracy.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dpcurves {

/// Base of every exception that the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument lies outside the domain written in the function's header comment.
class DomainError : public Error {
 public:
  using Error::Error;
  /// "RECORD: FIELD = VALUE is outside DOMAIN", or "FIELD: VALUE is outside DOMAIN" without a record.
  DomainError(std::string record, std::string field, double value, std::string domain);

  [[nodiscard]] const std::string& record() const { return record_; }  ///< the function or the calculator
  [[nodiscard]] const std::string& field() const { return field_; }    ///< "others[1].records"; "" if not one field
  [[nodiscard]] double value() const { return value_; }                ///< that the field had
  [[nodiscard]] const std::string& domain() const { return domain_; }  ///< "(0, inf)"

 private:
  std::string record_, field_, domain_;
  double value_ = 0.0;
};

/// A record lacks a field, has an unknown one or one of the wrong type, or contradicts itself.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A file or its contents cannot be used.
class DataError : public Error {
 public:
  using Error::Error;
};

/// An iteration ended before it reached the accuracy it was asked for.
class ConvergenceError : public Error {
 public:
  using Error::Error;
};

/// Two independent methods contradict each other: neither result may be used.
class ContradictionError : public Error {
 public:
  using Error::Error;
};

/// Throws DomainError unless `holds`.
///
/// Write the condition that must hold: NaN then fails it by itself. The message names the function, the argument,
/// its value and the domain: `double f(double): mu = -2 is outside [0, inf)`.
void require_domain(bool holds, std::string_view argument, double value, std::string_view domain,
                    std::source_location where = std::source_location::current());

}  // namespace dpcurves

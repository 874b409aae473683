// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/field.hpp>

namespace dpcurves {

DomainError::DomainError(std::string record, std::string field, double value, std::string domain)
    : Error((record.empty() ? field + ": " : record + ": " + field + " = ") + shortest(value) + " is outside " +
            domain),
      record_(std::move(record)),
      field_(std::move(field)),
      domain_(std::move(domain)),
      value_(value) {}

void require_domain(bool holds, std::string_view argument, double value, std::string_view domain,
                    std::source_location where) {
  if (!holds) {
    throw DomainError(where.function_name(), std::string(argument), value, std::string(domain));
  }
}

namespace detail {

void refuse(const std::source_location& where, const std::string& field, double value, const Domain& domain) {
  throw DomainError(where.function_name(), field, value, domain.text());
}

}  // namespace detail
}  // namespace dpcurves

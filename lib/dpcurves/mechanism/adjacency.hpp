// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Which data sets are neighbours.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include <dpcurves/mechanism/sampler.hpp>

namespace dpcurves::mechanism {

/// Ordered pairs: `remove` compares the run with the record to the run without it.
enum class Adjacency {
  add_or_remove,  ///< one has one record more; both orders
  add,            ///< the run without the record against the run with it
  remove,         ///< the run with the record against the run without it
  replace_one,    ///< they differ in the value of one record
  zero_out        ///< in one of them one record has gradient 0 throughout; both orders
};

/// Their names.
constexpr std::array<std::pair<Adjacency, std::string_view>, 5> enumerators(Adjacency /*type*/) {
  return {{{Adjacency::add_or_remove, "add-or-remove"},
           {Adjacency::add, "add"},
           {Adjacency::remove, "remove"},
           {Adjacency::replace_one, "replace-one"},
           {Adjacency::zero_out, "zero-out"}}};
}

[[nodiscard]] std::string_view name(Adjacency adjacency);  ///< "add-or-remove"
/// Underscores and dashes are the same. \throws DomainError  for a name that is not one of the above.
[[nodiscard]] Adjacency adjacency_of(std::string_view name);
/// What is meant when no adjacency is given: zero_out where the batches have a fixed size, else add_or_remove.
[[nodiscard]] Adjacency usual_adjacency(Sampler sampler);

}  // namespace dpcurves::mechanism

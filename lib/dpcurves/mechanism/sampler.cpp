// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/names.hpp>
#include <dpcurves/mechanism/adjacency.hpp>
#include <dpcurves/mechanism/sampler.hpp>

namespace dpcurves::mechanism {

std::string_view name(Sampler sampler) { return name_in(enumerators(sampler), sampler); }
std::string_view name(Adjacency adjacency) { return name_in(enumerators(adjacency), adjacency); }
Sampler sampler_of(std::string_view name) { return value_in(enumerators(Sampler{}), name, "sampling"); }
Adjacency adjacency_of(std::string_view name) { return value_in(enumerators(Adjacency{}), name, "adjacency"); }

Adjacency usual_adjacency(Sampler sampler) {
  return sampler == Sampler::fixed_size || in_epochs(sampler) ? Adjacency::zero_out : Adjacency::add_or_remove;
}

}  // namespace dpcurves::mechanism

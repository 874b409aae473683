// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/names.hpp>
#include <dpcurves/core/detail/rounding.hpp>
#include <dpcurves/core/error.hpp>
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

double sampling_rate_of(double batch_size, double records) {
  require_domain(records > 0.0 && std::isfinite(records), "records", records, "(0, inf)");
  require_domain(batch_size > 0.0 && batch_size <= records, "batch_size", batch_size, "(0, records]");
  return std::min(1.0, ratio_up(batch_size, records));
}

double steps_of_epoch(double sampling_rate) {
  constexpr double rounding = 1e-15;  // of the rate
  return std::floor((1.0 + rounding) / sampling_rate);
}

double uses_of_a_record(double sampling_rate, double steps) {
  require_domain(sampling_rate > 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "(0, 1]");
  require_domain(steps >= 0.0, "steps", steps, "[0, inf]");
  return std::ceil(steps / steps_of_epoch(sampling_rate));
}

}  // namespace dpcurves::mechanism

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A training step allocates nothing: this program counts what it asks of the C library, by new, by Eigen, or itself.
// The address sanitizer has an allocator of its own; there is no such count under it, and no test.
#if !defined(__SANITIZE_ADDRESS__)

#include <atomic>
#include <cstddef>

#include <dpcurves/simulate/dp_sgd.hpp>
#include <dpcurves/simulate/network_training.hpp>

#include "support/support.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t unit, std::size_t size);

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t unit, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(unit, size);
}
}

using namespace dpcurves;

TEST_CASE("a training step of a KAN allocates nothing", "[simulate][dp-sgd]") {
  const auto sampling = GENERATE(simulate::BatchSampling::fixed_size, simulate::BatchSampling::poisson);
  models::BallData law;
  law.records = 100;
  models::KanLosses model(models::KanNetwork::draw({4, 40, 5, 3, models::Activation::tanh}, 1, 0),
                          models::ball_data(law, 1, 0));
  simulate::DpSgd setting;
  setting.sampling = sampling;
  setting.batch_size = 20;
  setting.clip = 0.1;
  setting.noise_multiplier = 1.0;
  setting.correlation = 0.5;
  setting.radius = 1.0;
  simulate::DpSgdRun run(setting, model, models::draw_first_layer(model.network().shape(), 1, 0), 1, 0);
  std::vector<double> gradient(model.dimension());
  model.clipped_sum(models::all_records(model), run.iterate(), 1.0, gradient);  // room for the largest batch
  run.step();
  const std::size_t before = allocations;
  for (int t = 0; t < 50; ++t) {
    run.step();
  }
  CHECK(allocations == before);
  const std::vector<double> seen(3);  // the count counts
  CHECK(allocations == before + 1);
}

TEST_CASE("the clipped sum of a deep network allocates nothing once its largest batch has been seen",
          "[simulate][network]") {
  models::TeacherData law;
  law.inputs = 30;
  law.records = 300;
  models::NetworkLosses model({30, 70, 4}, models::teacher_data(law, 1, 0));
  const auto w = models::initial_network(model.shape(), 1, 0);
  std::vector<double> gradient(model.shape().parameters());
  const auto all = models::all_records(model);
  model.clipped_sum(all, w, 1.0, gradient);
  const std::size_t before = allocations;
  for (const std::size_t size : {300U, 1U, 0U, 257U, 16U}) {
    model.clipped_sum(std::span(all).first(size), w, 1.0, gradient);
  }
  CHECK(allocations == before);
}

#endif

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A training step allocates nothing: this program counts its allocations.
#include <atomic>
#include <cstdlib>
#include <new>

#include <dpcurves/simulate/dp_sgd.hpp>

#include "support/support.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* room = std::malloc(size == 0 ? 1 : size)) {
    return room;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*may fail*/) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size, std::align_val_t line) {
  const auto unit = static_cast<std::size_t>(line);
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* room = std::aligned_alloc(unit, (size / unit + 1) * unit)) {
    return room;
  }
  throw std::bad_alloc();
}
void operator delete(void* room, std::align_val_t) noexcept { std::free(room); }
void operator delete(void* room, std::size_t, std::align_val_t) noexcept { std::free(room); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* room) noexcept { std::free(room); }
void operator delete[](void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }
void operator delete[](void* room, std::size_t) noexcept { std::free(room); }

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
}

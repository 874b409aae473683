// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/phase_schedule.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using bounds::GlmMechanism;
using models::PhasedAlgorithm;

TEST_CASE("the printed noise has the privacy of 60-digit values", "[bounds][glm_privacy]") {
  struct Row {
    GlmMechanism mechanism;
    double epsilon, delta, mu, log10_delta, epsilon_at_target, excess;
  };
  using enum GlmMechanism;
  const auto row =
      GENERATE(Row{algorithm_2, 1.0, 1e-300, 0.0190239866550812597, -605.344528661590635, 0.701068888577626704,
                   1.42586485196951852},
               Row{algorithm_2, 1e-9, 1e-5, 1.47359166987203732e-10, -21.9203575987208904, 0.0, 170111.819584330258},
               Row{algorithm_2, 1.0, 0.9999, 49.9987499635424668, 0.0, 1062.95234182000466, 0.16034789716768185},
               Row{algorithm_3, 1.0, 0.999, 0.600128242957921997, -1.72156978716656317, 0.0, 3.2838453125221812},
               Row{algorithm_7, 30.0, 1e-12, 3.98591170226477387, -8.19455009821152357, 35.7931015146735734,
                   0.865300460305542869},
               Row{algorithm_2, 700.0, 1e-3, 133.167906585568818, 0.0, 9277.37688329573188, 0.258915460055392696},
               Row{algorithm_3, 1e6, 1e-10, 102664.863505254157, 0.0, 5270701026.92693159, 0.0137122093649316655},
               Row{algorithm_7, 1e-3, 1e-200, 0.000032925741676478896, -208.148703223194419, 0.000980258518068504078,
                   1.02011617508737509});
  const auto got = bounds::printed_privacy(row.mechanism, row.epsilon, row.delta);
  CAPTURE(row.epsilon, row.delta);
  CHECK(test::relative_error(got.mu, row.mu) < 1e-14);
  CHECK(std::abs(got.log_delta_at_epsilon / std::numbers::ln10 - row.log10_delta) <
        1e-13 * std::abs(row.log10_delta) + 1e-15);
  CHECK(test::relative_error(got.noise_excess, row.excess) < 1e-12);
  if (row.epsilon_at_target == 0.0) {
    CHECK(got.epsilon_at_target == 0.0);
  } else {
    CHECK(test::relative_error(got.epsilon_at_target, row.epsilon_at_target) < 1e-12);
    CHECK(bounds::promised_epsilon(row.mechanism, row.epsilon, row.delta).contains(row.epsilon_at_target));
  }
}

TEST_CASE("the strength of a phase is its sensitivity over its noise", "[bounds][glm_privacy]") {
  struct Row {
    GlmMechanism mechanism;
    PhasedAlgorithm algorithm;
    double sensitivity;  // in units of B eta_i
  };
  const auto row = GENERATE(Row{GlmMechanism::algorithm_2, PhasedAlgorithm::plain, 4.0},
                            Row{GlmMechanism::algorithm_3, PhasedAlgorithm::projected, 8.0},
                            Row{GlmMechanism::algorithm_5, PhasedAlgorithm::smoothed, 5.0},
                            Row{GlmMechanism::algorithm_6, PhasedAlgorithm::projected_smoothed, 10.0});
  const double noise = models::printed_noise_per_step(row.algorithm, 3.0, 0.7, 1e-7);
  CHECK(bounds::printed_mu(row.mechanism, 0.7, 1e-7) == Approx(3.0 * row.sensitivity / noise).epsilon(1e-14));
}

TEST_CASE("printed noises stop being private where 60-digit values say", "[bounds][glm_privacy]") {
  struct Row {
    GlmMechanism mechanism;
    double delta, epsilon;
  };
  using enum GlmMechanism;
  const auto row = GENERATE(Row{algorithm_2, 0.5, 6.39547689014925363}, Row{algorithm_2, 1e-5, 36.0873362113155592},
                            Row{algorithm_2, 1e-300, 1633.65389244097755}, Row{algorithm_3, 0.5, 9.02914348878838033},
                            Row{algorithm_3, 1e-300, 1635.27945644789584}, Row{algorithm_7, 0.1, 5.53117072772599499},
                            Row{algorithm_7, 1e-300, 17.8333662411326459}, Row{classic, 0.5, 4.46540615801328119},
                            Row{classic, 1e-5, 8.41977130153634072}, Row{classic, 1e-300, 18.2356608317709346});
  CAPTURE(row.delta);
  const double got = bounds::largest_valid_epsilon(row.mechanism, row.delta);
  CHECK(test::relative_error(got, row.epsilon) < 1e-12);
  CHECK(bounds::printed_privacy(row.mechanism, 0.999 * got, row.delta).noise_excess > 1.0);
  CHECK(bounds::printed_privacy(row.mechanism, 1.001 * got, row.delta).noise_excess < 1.0);
}

TEST_CASE("the projection event agrees with 50-digit tails", "[bounds][glm_privacy]") {
  struct Row {
    double m, n, log_failure;
  };
  const auto row = GENERATE(Row{1, 10, -0.692141880323716095}, Row{1000, 1e6, -798.163216930289069},
                            Row{31, 100, -23.8180253153685836}, Row{29, 100, -22.173143668642051},
                            Row{30, 100, -22.9958275631126705}, Row{100000, 1e12, -80665.0783734090347});
  CAPTURE(row.m);
  const auto event = bounds::johnson_lindenstrauss_event(row.m, row.n, 1e-3);
  CHECK(std::abs(event.log_union_failure - row.log_failure) < 1e-12 + 1e-15 * std::abs(row.log_failure));
}

TEST_CASE("the smallest projection is the first that is enough", "[bounds][glm_privacy]") {
  struct Row {
    double n, delta, exact, chernoff;
  };
  const auto row =
      GENERATE(Row{1000, 1e-5, 20, 24}, Row{1e6, 1e-12, 48, 53}, Row{100, 1e-3, 12, 16}, Row{65536, 1e-5, 25, 29});
  const auto event = bounds::johnson_lindenstrauss_event(row.exact, row.n, row.delta);
  CHECK(event.least_dimension == row.exact);
  CHECK(event.enough);
  CHECK_FALSE(bounds::johnson_lindenstrauss_event(row.exact - 1.0, row.n, row.delta).enough);
  CHECK(event.chernoff_dimension == row.chernoff);
}

TEST_CASE("Algorithm 8 needs sqrt(d) times its printed noise", "[bounds][glm_privacy]") {
  bounds::BatchNoiseSetting setting;
  setting.label_bound = 2.0;
  setting.feature_bound = std::sqrt(5.0);
  setting.parameter_norm = 0.8;
  setting.batch = 500.0;
  const double printed = bounds::printed_batch_noise_variance(setting), right = bounds::batch_noise_variance(setting);
  CHECK(right == Approx(5.0 * printed).epsilon(1e-14));
  // Replacing a record moves the mean gradient by at most 2 Rx (Rx |w| + B)/m, the classic mechanism for eps = 1.
  const double sensitivity = 2.0 * std::sqrt(5.0) * (std::sqrt(5.0) * 0.8 + 2.0) / 500.0;
  CHECK(sensitivity / std::sqrt(right) == Approx(bounds::printed_mu(GlmMechanism::classic, 1.0, 1e-5)).epsilon(1e-14));
  CHECK(sensitivity / std::sqrt(printed) == Approx(bounds::algorithm_8_printed_mu(5.0, 1.0, 1e-5)).epsilon(1e-14));
}

TEST_CASE("the moves of a phase and of projected descent against their printed noise", "[bounds][glm_privacy]") {
  CHECK(bounds::delta_target(GlmMechanism::algorithm_2, 1e-5) == 1e-5);
  CHECK(bounds::delta_target(GlmMechanism::algorithm_3, 1e-5) == 0.5e-5);
  CHECK(bounds::delta_target(GlmMechanism::classic, 1e-5) == 1e-5);
  CHECK(bounds::phase_sensitivity(3.0, 0.1, 1) == 0.0);  // the mean of one iterate is the start
  CHECK(bounds::phase_sensitivity(3.0, 0.1, 4) == Approx(0.9).epsilon(1e-15));
  CHECK_THROWS_WITH(bounds::phase_sensitivity(3.0, 0.1, 0), Catch::Contains("phase_records = 0"));
  // T Gaussians of sensitivity 4 (4W + B)/n compose to the mu that is printed for Algorithm 7.
  const double radius = 1.5, label = 2.0, steps = GENERATE(1.0, 50.0), records = 300.0, epsilon = 0.4, delta = 1e-6;
  const double variance = bounds::projected_descent_variance(label, radius, steps, records, epsilon, delta);
  const double sensitivity = 4.0 * (4.0 * radius + label) / records;
  CHECK(sensitivity * std::sqrt(steps / variance) ==
        Approx(bounds::printed_mu(GlmMechanism::algorithm_7, epsilon, delta)).epsilon(1e-13));
  CHECK_THROWS_WITH(bounds::projected_descent_variance(label, -1.0, steps, records, epsilon, delta),
                    Catch::Contains("radius = -1"));
}

TEST_CASE("privacy names the argument that is outside", "[bounds][glm_privacy]") {
  CHECK_THROWS_WITH(bounds::printed_mu(GlmMechanism::classic, -1.0, 0.1), Catch::Contains("epsilon = -1"));
  CHECK_THROWS_WITH(bounds::largest_valid_epsilon(GlmMechanism::classic, 0.6), Catch::Contains("(0, 0.5]"));
  CHECK_THROWS_WITH(bounds::log_projection_failure(0.0), Catch::Contains("projected_dimension"));
  CHECK_THROWS_AS(bounds::algorithm_8_printed_mu(std::nan(""), 1.0, 0.1), DomainError);
}

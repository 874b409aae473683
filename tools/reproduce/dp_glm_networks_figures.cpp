// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Figures of "Differentially Private Non-convex Learning for Multi-layer Neural Networks" on a stand-in: the paper
// shows curves of networks on MNIST without numbers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/models/detail/binary_images.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/queries/detail/sweep.hpp>

#include "reproduce.hpp"
#include "reproduce/resume.hpp"
#include "support/means.hpp"
#include "validation/cases/dp_glm_networks/network_stand_in.hpp"
#include "validation/cases/dp_glm_networks/network_support.hpp"

namespace dpcurves::tools::reproduce {
namespace {

using validation::dp_glm_networks::calibrated_run;
using validation::dp_glm_networks::run_stand_in_once;
using validation::dp_glm_networks::StandIn;

constexpr std::size_t network_seeds = 6;
constexpr std::uint64_t network_seed = 1;

const char* const stand_in =
    "Stand-in: the paper gives no numbers (MNIST, 60,000 images, batch size, loss and noise calibration not stated). "
    "Records of the unit sphere of R^20, labels by a fixed tanh network, 5 % flipped, logistic loss, three layers, "
    "Poisson batches divided by their expected size, delta = 1/n^2. Noise from the certified accountant, not from "
    "Renyi divergences. Means over 6 seeds; intervals are two standard errors; settings share seeds.";

/// A mean test loss with its interval: an entry and a point. \param first  losses that it is compared with.
void add_losses(Reproduced& result, io::Series& sweep, double at, const std::vector<double>& losses,
                std::vector<std::string> labels, const std::vector<double>& first) {
  const auto found = inference::moments(losses);
  std::string remark = "+- " + rounded(found.mean_error, 2);
  if (losses != first && first.size() == losses.size()) {
    const auto difference = inference::paired(losses, first);
    remark += "; to the first " + std::string(difference.mean >= 0.0 ? "+" : "") + rounded(difference.mean, 3) +
              " +- " + rounded(difference.mean_error, 2);
  }
  result.add(std::move(labels), found.mean, remark);
  add_mean(sweep, at, found);
}

io::Plot plot_of(std::string title, std::string x, std::vector<io::Series> sweeps, bool logarithmic_loss = false) {
  double least = infinity, most = 0.0;
  for (const io::Series& sweep : sweeps) {
    for (const double loss : sweep.y) {
      least = std::min(least, loss);
      most = std::max(most, loss);
    }
  }
  const bool logarithmic = logarithmic_loss || queries::grows_by_factors(least, most);
  return {std::move(title), {std::move(x), true}, {"test loss", logarithmic}, io::Legend::top_left, std::move(sweeps)};
}

/// Where records come from: the sphere, or the images of a folder.
struct StandInSource {
  std::string note = stand_in;
  std::string name = "stand-in";  ///< in titles
  std::size_t test_records = 2000, inputs = 20;
  OnData on{};  ///< repetitions, seed, threads, and what is kept
  std::function<models::BinaryData(bool test, std::size_t records, std::uint32_t path)> data{};
};

StandInSource sphere() {
  StandInSource source;
  source.on.repetitions = network_seeds;
  source.on.seed = network_seed;
  return source;
}

/// Images in place of the sphere, at sizes that two cores pay for or, at full size, those of the paper.
StandInSource source_of(const OnData& question) {
  const auto images =
      std::make_shared<const queries::ImageFolder>(queries::read_image_folder("--data", question.folder));
  StandInSource source;
  source.note = (question.full_size ? "as printed, but for what the paper does not say: images of " + question.folder +
                                          ", three layers, delta = 1/n^2 and the sizes below"
                                    : "differs by its sizes, which two cores pay for: images of " + question.folder +
                                          ", three layers, delta = 1/n^2; the paper trains width 256 on 60,000 images "
                                          "for 200 epochs (--full-size)") +
                ". Not said there: the classes (here odd against even), the scale of the pixels (the unit sphere), the "
                "loss (logistic), the batches (Poisson, divided by their expected size), the noise (from the certified "
                "accountant). The paper prints curves and no numbers. Means over " +
                std::to_string(question.repetitions) +
                " seeds; intervals are two standard errors; settings share seeds.";
  source.name = "images of " + question.folder;
  source.on = question;
  source.test_records = std::min<std::size_t>(2000, images->test.images.labels.size());
  source.inputs = static_cast<std::size_t>(images->train.images.images.cols());
  source.data = [images](bool test, std::size_t records, std::uint32_t path) {
    if (!test && records > images->train.images.labels.size()) {
      throw DataError("--data: the figure needs " + std::to_string(records) + " images to train on, there are " +
                      std::to_string(images->train.images.labels.size()));
    }
    return test ? models::binary_images(images->test.images, 0, records)
                : models::binary_images(images->train.images, path * records, records);
  };
  return source;
}

/// Test losses of the repetitions. \param labels  of the setting within its figure.
std::vector<double> losses_of(StandIn setting, const StandInSource& source, const std::vector<std::string>& labels) {
  setting.data = source.data;
  setting.inputs = source.inputs;
  setting.test_records = source.test_records;
  std::string name;
  for (const auto& label : labels) {
    name += (name.empty() ? "" : " ") + label;
  }
  const auto run = calibrated_run(setting);
  std::vector<double> losses(source.on.repetitions);
  resumable_for(
      losses.size(), source.on, name,
      [&](std::size_t i) { losses[i] = run_stand_in_once(setting, run, i, source.on.seed).test.loss; },
      [&](std::size_t i, Archive& archive) { archive(losses[i]); });
  return losses;
}

Reproduced network_figure_1(const StandInSource& source) {
  Reproduced result{{"width", "radius"}};
  result.notes.emplace_back(
      "Stand-in: 200 records of the unit sphere of R^10. The least mean logistic loss of f_ntk within |W_l - W_l0|_F "
      "<= R/sqrt m, enclosed by a duality gap below 1e-3 (accelerated projected gradients on inner products of "
      "gradients; the paper runs projected SGD). Means over 6 starts. Decreasing in the radius and towards 0; "
      "decreasing in the width from radius 0.1 on: below that the random outputs of the start decide, which the paper "
      "does not show. The caption calls it the term of Theorem 8; it is the second term of (7).");
  const bool full = source.on.full_size;
  const std::size_t records = full ? 1000 : 200, repetitions = source.on.repetitions;
  io::Plot plot{"Least mean loss of tangent features (" + source.name + ")\n" + std::to_string(records) +
                    " records, three layers of width m; means of " + std::to_string(repetitions) +
                    " starts, two standard errors",
                {"R/sqrt m", false, 0.0, 2.0},
                {"mean loss", true},
                io::Legend::bottom_left};
  if (source.data) {
    result.notes = {source.note,
                    std::to_string(records) +
                        " images of each start, not 60,000: the least loss is enclosed by a duality gap below 1e-3 on "
                        "inner products of all pairs of gradients, where the paper runs 200 epochs of projected SGD."};
  }
  std::vector<double> radii{0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9};
  if (!full) {
    radii.insert(radii.begin(), {0.02, 0.05});
  }
  const std::vector<std::size_t> widths =
      full ? std::vector<std::size_t>{200, 500, 2000} : std::vector<std::size_t>{32, 128, 512};
  for (const std::size_t width : widths) {
    std::vector<std::vector<double>> found(radii.size(), std::vector<double>(repetitions));
    const auto fit = [&](std::size_t path) {
      const models::NetworkShape shape{source.data ? source.inputs : 10, width, 3};
      const auto number = static_cast<std::uint32_t>(path);
      const models::TangentModel model(
          shape,
          source.data ? source.data(false, records, number)
                      : validation::dp_glm_networks::sphere_data(10, records, network_seed, number),
          models::initial_network(shape, source.on.seed, number));
      for (std::size_t k = 0; k < radii.size(); ++k) {
        found[k][path] = model.fit(radii[k], 1e-3).mean_loss.upper;
      }
    };
    resumable_for(repetitions, source.on, std::to_string(width), fit, [&](std::size_t path, Archive& archive) {
      for (auto& of_radius : found) {
        archive(of_radius[path]);
      }
    });
    io::Series& sweep = plot.series.emplace_back(io::points("m = " + std::to_string(width), {}, {}));
    for (std::size_t k = 0; k < radii.size(); ++k) {
      add_losses(result, sweep, radii[k], found[k], {std::to_string(width), shortest(radii[k])}, found[k]);
      sweep.lower.back() = std::max(sweep.lower.back(), 1e-4);
    }
  }
  result.plot = std::move(plot);
  return result;
}

Reproduced network_figure_2(const StandInSource& source) {
  Reproduced result{{"step size", "C"}};
  const bool full = source.on.full_size;
  result.notes.push_back(source.note);
  result.notes.emplace_back(full
                                ? "n = 60,000, m = 256, 200 epochs, eta = 0.01, epsilon = 1 as printed; M = 600."
                                : "n = 4000, m = 64, T = 200, M = 200. What does not reproduce: the flat curve over C "
                                  "in [1, 64] at one setting. With the theorem's step, in proportion to 1/C, the curve "
                                  "is flat below the gradient norm sqrt(m (L + 1)/2) = 11.3 and rises above it, where "
                                  "nothing is clipped and the steps are merely small. With a fixed step of 0.01 it is "
                                  "flat only from about that norm to 64, poor for small C, and explodes for large C.");
  StandIn setting;
  setting.records = 4000;
  setting.run.batch_size = 200.0;
  setting.run.steps = 200;
  std::vector<io::Series> sweeps{io::points("step in proportion to 1/C", {}, {}), io::points("step 0.01", {}, {})};
  if (full) {
    setting.records = 60000;
    setting.width = 256;
    setting.run.batch_size = 600.0;
    setting.run.steps = 200 * 100;
    sweeps.erase(sweeps.begin());
  }
  std::vector<double> first;
  for (std::size_t k = full ? 1 : 0; k < 2; ++k) {
    for (const double clip : {0.25, 1.0, 4.0, 8.0, 16.0, 64.0, 256.0}) {
      setting.run.clip = clip;
      setting.run.step_size = k == 0 ? 4.0 * std::sqrt(3.0) * 2.0 / (clip * std::sqrt(64.0 * 200.0)) : 0.01;
      const std::vector<std::string> labels{k == 0 ? "~ 1/C" : "0.01", shortest(clip)};
      const auto losses = losses_of(setting, source, labels);
      first = clip == 0.25 ? losses : first;
      add_losses(result, sweeps[full ? 0 : k], clip, losses, labels, first);
    }
  }
  result.plot = plot_of("Test loss against the clip norm at epsilon = 1 (" + source.name +
                            ")\nn = " + std::to_string(setting.records) + ", width = " + std::to_string(setting.width) +
                            ", T = " + std::to_string(setting.run.steps) + ", three layers; means of " +
                            std::to_string(source.on.repetitions) + " runs, two standard errors",
                        "clip norm C", sweeps, true);
  return result;
}

/// What a figure sweeps, and how a setting takes its value.
struct Axis {
  const char *column, *title, *label;
  void (*set)(StandIn&, double);
};

/// The line below the title: what is the same at both ends of a sweep.
std::string setting_line(StandIn setting, const Axis& axis, const std::vector<double>& at, std::size_t runs) {
  axis.set(setting, at.front());
  const StandIn first = setting;
  axis.set(setting, at.back());
  std::string line = "\n";
  const auto add = [&](const char* letter, double value, double other) {
    line += value == other ? std::string(letter) + " = " + shortest(value) + ", " : "";
  };
  add("n", static_cast<double>(first.records), static_cast<double>(setting.records));
  add("width", static_cast<double>(first.width), static_cast<double>(setting.width));
  add("T", static_cast<double>(first.run.steps), static_cast<double>(setting.run.steps));
  add("C", first.run.clip, setting.run.clip);
  add("step size", first.run.step_size, setting.run.step_size);
  return line + "three layers; means of " + std::to_string(runs) + " runs, two standard errors";
}

/// One sweep, private and not.
Reproduced sweep_of(const StandInSource& source, const Axis& axis, StandIn setting, const std::vector<double>& at,
                    const std::string& note) {
  Reproduced result{{"epsilon", axis.column}};
  result.notes = {source.note, (source.data && !source.on.full_size ? "On the stand-in: " : "") + note};
  std::vector<io::Series> sweeps;
  std::vector<double> first;
  for (const double epsilon : {1.0, infinity}) {
    setting.epsilon = epsilon;
    sweeps.push_back(io::points(std::isinf(epsilon) ? "not private" : "epsilon = " + shortest(epsilon), {}, {}));
    for (const double value : at) {
      axis.set(setting, value);
      const std::vector<std::string> labels{shortest(epsilon), shortest(value)};
      const auto losses = losses_of(setting, source, labels);
      first = value == at.front() ? losses : first;
      add_losses(result, sweeps.back(), value, losses, labels, first);
    }
  }
  result.plot = plot_of(
      std::string(axis.title) + " (" + source.name + ")" + setting_line(setting, axis, at, source.on.repetitions),
      axis.label, sweeps);
  return result;
}

/// What Figures 3 to 5 share: as two cores pay for it, and as printed. What a sweep sets may be left out.
StandIn shared_setting(bool printed, std::size_t records, double batch_size, std::size_t steps) {
  StandIn setting;
  setting.records = records;
  setting.run.batch_size = batch_size;
  setting.run.steps = steps;
  setting.run.clip = printed ? 20.0 : 4.0;
  setting.run.step_size = printed ? 0.01 : 0.05;
  setting.width = printed ? 256 : setting.width;
  return setting;
}

Reproduced network_figure_3(const StandInSource& source) {
  const Axis width{"width", "Test loss against the width", "width m",
                   [](StandIn& s, double m) { s.width = static_cast<std::size_t>(m); }};
  if (source.on.full_size) {
    return sweep_of(source, width, shared_setting(true, 5000, 250.0, 200 * 20), {8, 32, 128, 512},
                    "n = 5000, 200 epochs, eta = 0.01, C = 20 as printed; M = 250.");
  }
  return sweep_of(source, width, shared_setting(false, 400, 40.0, 100), {2, 4, 8, 16, 32, 64, 128, 192},
                  "n = 400, T = 100, M = 40, step 0.05, C = 4. The U-shape reproduces at a fixed step: the noise has a "
                  "coordinate for every weight. Without privacy wider stays better in this range.");
}

Reproduced network_figure_4(const StandInSource& source) {
  const Axis steps{"T", "Test loss against the steps", "steps T",
                   [](StandIn& s, double t) { s.run.steps = static_cast<std::size_t>(t); }};
  if (source.on.full_size) {
    return sweep_of(source, steps, shared_setting(true, 60000, 600.0, 0), {80, 400, 2000, 10000},
                    "n = 60,000, m = 256, eta = 0.01, C = 20 as printed; M = 600, averaged iterates.");
  }
  return sweep_of(source, steps, shared_setting(false, 2000, 100.0, 0), {5, 20, 80, 320, 1280},
                  "n = 2000, m = 64, M = 100, step 0.05, C = 4, averaged iterates. The U-shape reproduces at a fixed "
                  "step; the upturn comes later for the average than for the last iterate. Without privacy there is "
                  "none.");
}

Reproduced network_figure_5(const StandInSource& source) {
  Axis records{"n", "Test loss against the records", "records n", [](StandIn& s, double n) {
                 s.records = static_cast<std::size_t>(n);
                 s.run.batch_size = n / 20.0;
                 s.run.steps = static_cast<std::size_t>(5.0 * std::pow(n, 0.4));
               }};
  if (source.on.full_size) {
    records.set = [](StandIn& s, double n) {
      s.records = static_cast<std::size_t>(n);
      s.run.batch_size = n / 20.0;
      s.run.steps = static_cast<std::size_t>(50.0 * std::pow(n, 0.4));
      s.width = static_cast<std::size_t>(std::lround(0.5 * std::pow(n, 0.25)));
    };
    auto printed =
        sweep_of(source, records, shared_setting(true, 0, 0.0, 0), {1000, 4000, 15000, 60000},
                 "T = 50 n^0.4, C = 20, eta = 0.01 as printed; m = n^0.25/2, a garbled \"n^{14}/2\"; M = n/20.");
    printed.plot->legend = io::Legend::automatic;
    return printed;
  }
  auto result = sweep_of(source, records, shared_setting(false, 0, 0.0, 0), {500, 1000, 2000, 4000, 8000},
                         "m = 64, T = 5 n^0.4, M = n/20, step 0.05, C = 4 (the paper: T = 50 n^0.4 and a garbled "
                         "width, read as n^0.25/2). The private curve approaches the other one.");
  result.plot->legend = io::Legend::top_right;
  return result;
}

}  // namespace

std::vector<Reproduction> dp_glm_networks_figures() {
  const auto figure = [](const char* id, const char* title, Reproduced (*run)(const StandInSource&)) {
    return Reproduction{std::string("dp-glm-networks/") + id,
                        title,
                        [run] { return run(sphere()); },
                        [run](const OnData& on) { return run(source_of(on)); },
                        ", on a stand-in",
                        Reproduction::Takes::data_and_full_size};
  };
  return {figure("figure-1", "tangent-feature approximation error against radius and width", network_figure_1),
          figure("figure-2", "test loss against the clip norm, two step-size rules", network_figure_2),
          figure("figure-3", "test loss against the width", network_figure_3),
          figure("figure-4", "test loss against the iterations", network_figure_4),
          figure("figure-5", "private and non-private test loss against the records", network_figure_5)};
}

}  // namespace dpcurves::tools::reproduce

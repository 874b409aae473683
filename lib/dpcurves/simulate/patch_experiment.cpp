// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/cross_entropy.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/simulate/detail/patch_span.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

namespace dpcurves::simulate {
namespace {

double mean(std::span<const double> values) {
  const double sum = sum_over(values);
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const double mx = mean(x), my = mean(y);
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

models::PatchCnn training_model(const PatchExperiment& experiment, std::uint64_t seed, std::uint32_t path) {
  return {models::draw_patches(experiment.law, experiment.train, seed, path, models::DataPart::train),
          experiment.filters};
}

std::vector<double> train(const PatchExperiment& experiment, PatchMode mode, models::PatchCnn& model,
                          std::uint64_t seed, std::uint32_t path) {
  const auto setting = in_mode(experiment.sgd, mode, experiment.clip, experiment.noise_multiplier);
  const auto start = uniform_start(model, seed, path);
  return span_pays(setting, model) ? train_in_span(setting, model, start, seed, path)
                                   : train_patches(setting, model, start, seed, path);
}

}  // namespace

PatchExperiment reduced_experiment(double signal, double ratio, models::NoiseLaw law) {
  PatchExperiment experiment;
  experiment.law = {{5.0, 200.0, 0.5, 0.5}, signal, law};
  experiment.law.noise.spike = models::spike_of_ratio(ratio, experiment.law.noise);
  return experiment;
}

PatchExperiment printed_experiment(double signal, double ratio, models::NoiseLaw law) {
  PatchExperiment experiment;
  experiment.law = {{5.0, 1000.0, 0.5, 0.5}, signal, law};
  experiment.law.noise.spike = models::spike_of_ratio(ratio, experiment.law.noise);
  experiment.filters = 100;
  experiment.train = 500;
  experiment.noise_multiplier = 2.2577;
  experiment.sgd.batch_size = 256;
  experiment.sgd.steps = 40;
  experiment.sgd.step_size = 5.0;
  return experiment;
}

MemorisationMargins margins(const models::PatchResponses& responses, std::span<const std::uint32_t> labels) {
  MemorisationMargins sum;
  const std::size_t classes = responses.classes;
  const double others = 1.0 / static_cast<double>(classes - 1);
  for (std::size_t i = 0; i < responses.examples(); ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      const double signal = responses.signal_parts[i * classes + k];
      const double noise = responses.scores[i * classes + k] - signal, weight = k == labels[i] ? 1.0 : -others;
      sum.noise += weight * noise;
      sum.signal += weight * signal;
    }
  }
  const auto count = static_cast<double>(responses.examples());
  return {sum.noise / count, sum.signal / count};
}

LargestProducts largest_products(models::PatchCnn& model, std::span<const double> weights) {
  const std::size_t m = model.filters(), width = model.width(), n = model.records();
  std::vector<double> noise(m, 0.0), signal(m, 0.0);
  const auto products = model.noise_products(models::all_records(model), weights);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < m; ++r) {
      noise[r] += products[i * width + model.data().labels[i] * m + r];
    }
  }
  const auto signals = model.signal_products(weights);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t label = model.data().labels[i];
    for (std::size_t r = 0; r < m; ++r) {
      signal[r] += signals[label * width + label * m + r];
    }
  }
  const auto count = static_cast<double>(n);
  return {*std::max_element(noise.begin(), noise.end()) / count,
          *std::max_element(signal.begin(), signal.end()) / count};
}

Activations activations(models::PatchCnn& model, std::span<const double> before, std::span<const double> after) {
  const auto all = models::all_records(model);
  const auto first = model.noise_products(all, before);
  const std::vector<double> kept(first.begin(), first.end());
  const auto second = model.noise_products(all, after);
  Activations result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t r = 0; r < model.filters(); ++r) {
      const std::size_t at = i * model.width() + model.data().labels[i] * model.filters() + r;
      result.active += kept[at] > 0.0 ? 1U : 0U;
      result.switched_off += kept[at] > 0.0 && !(second[at] > 0.0) ? 1U : 0U;
    }
  }
  return result;
}

PatchOutcome outcome_of(models::PatchCnn& model, models::PatchCnn& test, std::span<const double> weights, double clip) {
  const auto on_train = model.responses(weights), on_test = test.responses(weights);
  PatchOutcome outcome{.test_accuracy = models::accuracy(on_test, test.data().labels),
                       .train_accuracy = models::accuracy(on_train, model.data().labels),
                       .train_loss = mean(on_train.losses),
                       .train_margins = margins(on_train, model.data().labels),
                       .test_margins = margins(on_test, test.data().labels)};
  const auto clipped = std::count_if(on_train.gradient_norms.begin(), on_train.gradient_norms.end(),
                                     [&](double norm) { return norm > clip; });
  outcome.clipped = static_cast<double>(clipped) / static_cast<double>(model.records());
  return outcome;
}

std::vector<PatchOutcome> patch_trial(const PatchExperiment& experiment, std::span<const PatchMode> modes,
                                      std::uint64_t seed, std::uint32_t path) {
  auto model = training_model(experiment, seed, path);
  models::PatchCnn test(models::draw_patches(experiment.law, experiment.test, seed, path, models::DataPart::test),
                        experiment.filters);
  std::vector<PatchOutcome> outcomes;
  for (const PatchMode mode : modes) {
    const auto weights = train(experiment, mode, model, seed, path);
    outcomes.push_back(outcome_of(model, test, weights, experiment.clip));
  }
  return outcomes;
}

TailOutcome tail_trial(const PatchExperiment& experiment, std::span<const PatchMode> modes,
                       std::span<const double> levels, std::size_t draws, models::TailFilter reading,
                       std::uint64_t seed, std::uint32_t path) {
  auto model = training_model(experiment, seed, path);
  models::PatchCnn fresh(models::draw_patches(experiment.law, draws, seed, path, models::DataPart::fresh),
                         experiment.filters);
  const auto clean = train(experiment, PatchMode::clean, model, seed, path);
  const auto reached = models::tail_levels(
      fresh.data(), experiment.law,
      Eigen::Map<const models::RowMatrix>(clean.data(), static_cast<Eigen::Index>(fresh.data().dimension()),
                                          static_cast<Eigen::Index>(fresh.width())),
      reading);
  std::vector<std::vector<std::uint32_t>> chosen;
  TailOutcome outcome;
  outcome.draws = draws;
  for (const double level : levels) {
    chosen.emplace_back();
    for (std::uint32_t i = 0; i < draws; ++i) {
      if (reached[i] >= level) {
        chosen.back().push_back(i);
      }
    }
    outcome.accepted.push_back(chosen.back().size());
  }
  for (const PatchMode mode : modes) {
    const auto weights = mode == PatchMode::clean ? clean : train(experiment, mode, model, seed, path);
    const auto found = fresh.responses(weights);
    outcome.overall.push_back(models::accuracy(found, fresh.data().labels));
    outcome.tail.emplace_back();
    for (const auto& examples : chosen) {
      outcome.tail.back().push_back(examples.empty() ? std::nan("")
                                                     : models::accuracy(found, fresh.data().labels, examples));
    }
  }
  return outcome;
}

void add_outcome(ImageTrial& trial, std::span<const char> right, std::span<const double> scores,
                 std::span<const std::uint32_t> labels, std::size_t classes) {
  require_domain(right.size() == labels.size(), "number of predictions", static_cast<double>(right.size()),
                 "that of the labels");
  require_domain(scores.size() == labels.size(), "number of scores", static_cast<double>(scores.size()),
                 "that of the labels");
  struct Count {
    double right = 0.0, all = 0.0;
    [[nodiscard]] double share() const { return right / all; }
  };
  const auto on = [&](double share, bool highest) {
    Count count;
    for (const std::uint32_t i : models::extreme_examples(scores, labels, classes, share, highest)) {
      count.right += right[i];
      count.all += 1.0;
    }
    return count;
  };
  ImageOutcome outcome{.all = on(1.0, true).share(),
                       .top = {on(0.1, true).share(), on(0.3, true).share()},
                       .bottom = {on(0.1, false).share(), on(0.3, false).share()}};
  trial.outcomes.push_back(outcome);
  trial.deciles.emplace_back();
  Count seen;
  for (int decile = 1; decile <= 10; ++decile) {  // from typical to atypical
    const Count up_to = on(0.1 * decile, false);
    trial.deciles.back().push_back((up_to.right - seen.right) / (up_to.all - seen.all));
    seen = up_to;
  }
}

ImageTrial image_trial(const ImageExperiment& experiment, const models::LabelledImages& train,
                       const models::LabelledImages& test, std::span<const double> scores,
                       std::span<const double> noise_multipliers, std::uint64_t seed, std::uint32_t path) {
  const std::size_t classes = train.classes;
  require_domain(test.classes == classes, "classes of the test images", static_cast<double>(test.classes),
                 "{" + std::to_string(classes) + "}, the classes of the training images");
  require_domain(test.images.cols() == train.images.cols(), "pixels of a test image",
                 static_cast<double>(test.images.cols()),
                 "{" + std::to_string(train.images.cols()) + "}, the pixels of a training image");
  require_domain(scores.size() == test.labels.size(), "number of scores", static_cast<double>(scores.size()),
                 "that of the test images");
  for (const auto* part : {&train, &test}) {
    for (std::size_t i = 0; i < part->labels.size(); ++i) {
      require_domain(part->labels[i] == i % classes, "label", part->labels[i], "that of balanced classes in turn");
    }
  }
  const std::size_t per_class = test.labels.size() / classes;
  require_domain(test.labels.size() % classes == 0 && per_class >= 10, "number of test images",
                 static_cast<double>(test.labels.size()), "[10 K, inf), a multiple of K");
  const Eigen::RowVectorXd centre = train.images.colwise().mean();
  models::PatchCnn model(models::image_patches(train.images, train.labels, classes, centre), experiment.filters);
  models::PatchCnn shown(models::image_patches(test.images, test.labels, classes, centre), experiment.filters);
  const auto start = uniform_start(model, seed, path);
  ImageTrial trial;
  for (const double z : noise_multipliers) {
    const auto setting = in_mode(experiment.sgd, z > 0.0 ? PatchMode::dp : PatchMode::clean, experiment.clip, z);
    const auto found = shown.responses(train_patches(setting, model, start, seed, path));
    std::vector<char> right;
    for (std::uint32_t i = 0; i < test.labels.size(); ++i) {
      right.push_back(models::predicted_class(found.score(i)) == test.labels[i] ? 1 : 0);
    }
    add_outcome(trial, right, scores, test.labels, classes);
  }
  return trial;
}

GlyphTrial glyph_trial(const GlyphExperiment& experiment, std::span<const double> noise_multipliers,
                       std::uint64_t seed) {
  constexpr std::size_t digits = 10;
  auto train = models::draw_glyphs(experiment.train, seed, models::GlyphPart::train);
  auto test = models::draw_glyphs(experiment.test, seed, models::GlyphPart::test);
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, digits);
  GlyphTrial trial;
  for (std::size_t k = 0; k < digits; ++k) {
    std::vector<double> own_scores, own_strengths;
    for (std::size_t i = k; i < scores.size(); i += digits) {  // labels are i mod 10
      own_scores.push_back(scores[i]);
      own_strengths.push_back(test.strengths[i]);
    }
    trial.correlation += correlation(own_scores, own_strengths) / static_cast<double>(digits);
  }
  static_cast<ImageTrial&>(trial) =
      image_trial(experiment.network, {digits, std::move(train.images), std::move(train.labels)},
                  {digits, std::move(test.images), std::move(test.labels)}, scores, noise_multipliers, seed, 0);
  return trial;
}

}  // namespace dpcurves::simulate

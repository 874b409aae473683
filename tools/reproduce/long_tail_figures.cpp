// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The figures of Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of
// Long-Tailed Data". The paper prints no numbers; its synthetic experiments are reduced unless --full-size is given,
// glyphs stand in for its images unless --data is.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/models/lenet.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/simulate/detail/lenet_training.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

#include "reproduce.hpp"
#include "reproduce/resume.hpp"
#include "simulate/influence.hpp"
#include "simulate/long_tail.hpp"
#include "validation/cases/dp_glm_networks/network_stand_in.hpp"

namespace dpcurves::tools::reproduce {
namespace {

using inference::moments;
using simulate::PatchMode;
using simulate::printed_experiment;
using simulate::reduced_experiment;

constexpr std::uint64_t seed = 1;
constexpr PatchMode modes[] = {PatchMode::clean, PatchMode::dp};
const std::vector<std::string> mode_names{"clean", "private"};

const char* const printed_sizes =
    "K = 5, d = 1000, m = 100, n = 500, 500 test samples, B = 256, 20 epochs of 2 batches, C = 1, epsilon = 8 at delta "
    "= 1e-5 (z = 2.2577 by the Renyi accountant of Poisson batches; batches are shuffled, so epsilon is nominal) as "
    "printed. Differs by eta = 5: at the printed 0.002 plain steps learn no signal";

/// The mean of trials.
void add_trials(Reproduced& result, std::vector<std::string> labels, const inference::Moments& found) {
  result.add(std::move(labels), found.mean, "sd of a trial " + rounded(std::sqrt(found.variance), 2));
}

// ------------------------------------------------------------------------------------------------- figure 1

/// \param question  at full size; null: the reduced experiment.
Reproduced heat_maps(const OnData* question) {
  const std::size_t trials = question ? question->repetitions : 4;
  const std::vector<double> signals{0.0, 0.5, 1.0, 2.0, 3.8};
  const std::vector<double> ratios =
      question ? std::vector{1.0, 10.0, 100.0, 1400.0} : std::vector{1.0, 3.0, 10.0, 30.0};
  const OnData reduced;
  const OnData& asked = question ? *question : reduced;
  const std::vector<std::pair<std::string, models::NoiseLaw>> laws{{"Gaussian", models::NoiseLaw::gaussian},
                                                                   {"uniform", models::NoiseLaw::uniform}};
  const std::size_t cells = laws.size() * signals.size() * ratios.size();
  std::vector<std::vector<double>> found(2 * cells, std::vector<double>(trials));
  // Trials come one after the other, so that a piece of --resume is the same for any number of them.
  const auto train = [&](std::size_t piece) {
    const std::size_t cell = piece % cells, trial = piece / cells;
    const auto& law = laws[cell / (signals.size() * ratios.size())];
    const double signal = signals[cell / ratios.size() % signals.size()], ratio = ratios[cell % ratios.size()];
    const auto experiment =
        question ? printed_experiment(signal, ratio, law.second) : reduced_experiment(signal, ratio, law.second);
    const std::size_t path = question ? piece : cell * trials + trial;
    const auto outcomes = simulate::patch_trial(experiment, modes, asked.seed, static_cast<std::uint32_t>(path));
    for (std::size_t mode = 0; mode < 2; ++mode) {
      found[2 * cell + mode][trial] = outcomes[mode].test_accuracy;
    }
  };
  resumable_for(cells * trials, asked, "cells", train, [&](std::size_t piece, Archive& archive) {
    for (std::size_t mode = 0; mode < 2; ++mode) {
      archive(found[2 * (piece % cells) + mode][piece / cells]);
    }
  });
  Reproduced result{{"zeta", "|u|", "NCR", "training"}};
  for (std::size_t law = 0; law < laws.size(); ++law) {
    for (std::size_t mode = 0; mode < 2; ++mode) {
      const auto cell = [&](std::size_t i, std::size_t j) {
        const auto accuracy = moments(found[2 * ((law * signals.size() + i) * ratios.size() + j) + mode]);
        add_trials(result, {laws[law].first, shortest(signals[i]), shortest(ratios[j]), mode_names[mode]}, accuracy);
        return accuracy.mean;
      };
      result.rasters.push_back(
          heat_map("accuracy, " + laws[law].first + ", " + mode_names[mode], signals, ratios, cell));
    }
  }
  result.rasters_per_row = 2;
  if (question) {
    result.notes = {"Sizes as printed: " + std::string(printed_sizes) + ". Mean of " + std::to_string(trials) +
                    " trials; the paper prints a heat map without numbers and does not say how many."};
    return result;
  }
  result.notes = {
      "Reduced: K = 5, d = 200, m = 20, n = 100, B = 50, T = 80, C = 1, eta = 0.5, z = 2.9997 (epsilon = 8 by the "
      "Renyi accountant of Poisson batches; batches are shuffled, so epsilon is nominal), mean of 4 trials; "
      "--full-size runs the paper's sizes.",
      "Reproduced: accuracy rises with |u| and with NCR in clean training; at |u| near 0 a large NCR alone suffices; "
      "private training is near-optimal at large |u| and worse everywhere below.",
      "Not reproduced: that privacy destroys accuracy at low |u| whatever NCR. At NCR = 30 the private network reaches "
      "0.89 without any signal; at the paper's sizes and a rate that learns (eta = 5) 0.99 at NCR = 1400. With plain "
      "steps of the stated eta = 0.002 neither network learns the signal (accuracy 0.19 at |u| = 3.8, NCR = 1).",
      "The axis of the paper starts at NCR = 0; classes of equal size and spectrum have NCR >= 1."};
  return result;
}

// ------------------------------------------------------------------------------------------------- figure 2

/// Accuracies by influence score of trials with the networks of `names`, the clean one first.
template <class Trial>
Reproduced by_influence(const std::vector<Trial>& found, const std::string& images,
                        const std::vector<std::string>& names = {"clean", "epsilon = 8", "epsilon = 1"}) {
  Reproduced result{{"training", "test images"}};
  io::Plot plot = tenths_plot(images);
  for (std::size_t run = 0; run < names.size(); ++run) {
    const auto add = [&](const std::string& which, auto get) {
      add_trials(result, {names[run], which},
                 moments_of(found, [&](const Trial& trial) { return get(trial.outcomes[run]); }));
    };
    using Outcome = simulate::ImageOutcome;
    add("all", [](const Outcome& o) { return o.all; });
    add("top 10 % of influence", [](const Outcome& o) { return o.top[0]; });
    add("bottom 10 %", [](const Outcome& o) { return o.bottom[0]; });
    add("top 30 %", [](const Outcome& o) { return o.top[1]; });
    add("bottom 30 %", [](const Outcome& o) { return o.bottom[1]; });
    const double shift = static_cast<double>(run) - 0.5 * static_cast<double>(names.size() - 1);
    plot.series.push_back(tenths_series(names[run], shift, tenths_of(found, run)));
  }
  result.plot = std::move(plot);
  return result;
}

Reproduced figure_2() {
  constexpr std::size_t trials = 4;
  const std::vector<double> multipliers{0.0, 2.384, 14.122};
  std::vector<simulate::GlyphTrial> found(trials);
  shared_for(
      trials, 0, [&](std::size_t trial) { found[trial] = simulate::glyph_trial({}, multipliers, seed + trial); },
      [&](std::size_t trial, Archive& archive) {
        archive(found[trial].outcomes, found[trial].deciles, found[trial].correlation);
      });
  auto result = by_influence(found, "glyphs (stand-in for digits)");
  const double correlation = moments_of(found, &simulate::GlyphTrial::correlation).mean;
  result.notes = {
      "Stand-in: deformed seven-segment digits, 1000 training and 2000 test images, 10 x 16 filters, B = 200, T = 300, "
      "C = 1, eta = 2, delta = 1e-5; 4 trials. --data DIR trains on MNIST or CIFAR-10 in their place.",
      "Correlation of influence score and deformation: " + rounded(correlation, 3) + ".",
      "Reproduced: at epsilon = 1 the loss of accuracy sits on images of high influence. Not reproduced: clean "
      "accuracy that is flat over influence, and a gap at epsilon = 8, which is invisible at this size."};
  return result;
}

/// The trials of a question, kept by --resume.
std::vector<simulate::ImageTrial> kept_trials(const OnData& question, const std::string& loop,
                                              const std::function<simulate::ImageTrial(std::uint32_t)>& trial) {
  std::vector<simulate::ImageTrial> found(question.repetitions);
  resumable_for(
      found.size(), question, loop, [&](std::size_t i) { found[i] = trial(static_cast<std::uint32_t>(i)); },
      [&](std::size_t i, Archive& archive) { archive(found[i].outcomes, found[i].deciles); });
  return found;
}

/// LeNet on all images, trained as printed.
Reproduced figure_2_as_printed(const OnData& question, models::LabelledImages train, models::LabelledImages test) {
  if (train.images.cols() != static_cast<Eigen::Index>(models::lenet_pixels)) {
    throw DataError("--full-size: LeNet takes grey images of 28 x 28 pixels, those of " + question.folder + " have " +
                    std::to_string(train.images.cols()) +
                    "; the paper trains SmoothNets on CIFAR-10, which is not built in");
  }
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, test.classes);
  // At mean 0 and deviation 1: at 0 to 1 plain steps of the printed size hardly learn.
  const double mean = train.images.mean();
  const double deviation = std::sqrt((train.images.array() - mean).square().mean());
  for (auto* part : {&train, &test}) {
    part->images = ((part->images.array() - mean) / deviation).eval();
  }
  simulate::LeNetExperiment experiment;
  const auto records = static_cast<double>(train.labels.size());
  experiment.batch_size = std::min(experiment.batch_size, records);
  const double noise = validation::dp_glm_networks::calibrated_noise(
      experiment.batch_size / records, static_cast<double>(experiment.steps(train.labels.size())), 8.0, 1e-5);
  const std::vector<double> multipliers{0.0, noise};
  const auto found = kept_trials(question, "LeNet", [&](std::uint32_t path) {
    return simulate::lenet_trial(experiment, train, test, scores, multipliers, question.seed, path);
  });
  auto result = by_influence(found, "LeNet on images of " + question.folder, {"clean", "epsilon = 8"});
  result.notes = {
      "as printed where the folder is MNIST: LeNet (61,706 weights for ten classes) from the start of PyTorch, " +
          std::to_string(train.labels.size()) + " images, tested on " + std::to_string(test.labels.size()) +
          ", epsilon = 8, delta = 1e-5, C = 1, eta = 0.002, 20 epochs of batches of " +
          shortest(experiment.batch_size) + ".",
      "Not said there: ReLU or sigmoid (ReLU), the pooling (the largest of 2 x 2), the scale of the pixels (mean 0 and "
      "deviation 1: at 0 to 1 plain steps of 0.002 hardly learn), the batches (Poisson), the accountant (the certified "
      "one: z = " +
          rounded(noise, 4) + "), the optimiser (plain steps), the clean run (neither clipping nor noise). Mean of " +
          std::to_string(question.repetitions) + " trials. The paper prints a figure without numbers."};
  return result;
}

/// On images: as printed, or the network of the theorems on as many of each class as there are, up to 1000 to train on
/// and to test on.
Reproduced figure_2_on(const OnData& question) {
  auto folder = queries::read_image_folder("--data", question.folder);
  if (question.full_size) {
    return figure_2_as_printed(question, std::move(folder.train.images), std::move(folder.test.images));
  }
  const auto balanced = [](const models::LabelledImages& images) {
    constexpr std::size_t most = 1000;
    const auto counts = models::class_counts(images);
    return models::balanced_part(images, std::min(most, *std::min_element(counts.begin(), counts.end())));
  };
  const auto train = balanced(folder.train.images), test = balanced(folder.test.images);
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, test.classes);
  simulate::ImageExperiment experiment;
  experiment.sgd.batch_size = std::min<std::size_t>(experiment.sgd.batch_size, train.labels.size());
  const double rate = static_cast<double>(experiment.sgd.batch_size) / static_cast<double>(train.labels.size());
  const auto noise = [&](double epsilon) {
    return validation::dp_glm_networks::calibrated_noise(rate, static_cast<double>(experiment.sgd.steps), epsilon,
                                                         1e-5);
  };
  const std::vector<double> multipliers{0.0, noise(8.0), noise(1.0)};
  const auto found = kept_trials(question, "trials", [&](std::uint32_t path) {
    return simulate::image_trial(experiment, train, test, scores, multipliers, question.seed, path);
  });
  auto result = by_influence(found, "images of " + question.folder);
  result.notes = {"stand-in for LeNet on all images (--full-size): the two-layer network of the theorems on " +
                  std::to_string(train.labels.size()) + " images, tested on " + std::to_string(test.labels.size()) +
                  ", 16 filters of each class, B = " + std::to_string(experiment.sgd.batch_size) +
                  ", T = 300, C = 1, eta = 2, delta = 1e-5, z = " + rounded(multipliers[1], 4) + " and " +
                  rounded(multipliers[2], 4) +
                  " by the certified accountant (Poisson batches; here they are shuffled); " +
                  std::to_string(question.repetitions) + " trials. The paper prints no numbers."};
  return result;
}

// ------------------------------------------------------------------------------------------------- figure 3

/// \param question  at full size; null: the reduced experiment.
Reproduced along_training(const OnData* question) {
  const std::size_t trials = question ? question->repetitions : 6, every = question ? 2 : 4;
  const OnData reduced;
  const OnData& asked = question ? *question : reduced;
  const double ratio = question ? 1400.0 : 30.0;
  const auto experiment = question ? printed_experiment(0.5, ratio) : reduced_experiment(0.5, ratio);
  const std::size_t points = experiment.sgd.steps / every + 1;
  // Of each mode and time: largest products <w, xi>, <w, u> and the two margins; shape (2 x points x 4 x trials).
  std::vector<std::vector<std::array<std::vector<double>, 4>>> seen(
      2, std::vector<std::array<std::vector<double>, 4>>(points));
  for (auto& mode : seen) {
    for (auto& at : mode) {
      at.fill(std::vector<double>(trials));
    }
  }
  const auto follow = [&](std::size_t trial) {
    const auto path = static_cast<std::uint32_t>(trial);
    models::PatchCnn model(
        models::draw_patches(experiment.law, experiment.train, asked.seed, path, models::DataPart::train),
        experiment.filters);
    for (std::size_t mode = 0; mode < 2; ++mode) {
      const auto setting = simulate::in_mode(experiment.sgd, modes[mode], experiment.clip, experiment.noise_multiplier);
      simulate::PatchRun run(setting, model, simulate::uniform_start(model, asked.seed, path), asked.seed, path);
      for (std::size_t t = 0; t <= setting.steps; ++t) {
        if (t % every == 0) {
          const auto products = simulate::largest_products(model, run.weights());
          const auto margins = simulate::margins(model.responses(run.weights()), model.data().labels);
          auto& at = seen[mode][t / every];
          at[0][trial] = products.noise;
          at[1][trial] = products.signal;
          at[2][trial] = margins.noise;
          at[3][trial] = margins.signal;
        }
        if (t < setting.steps) {
          run.step();
        }
      }
    }
  };
  resumable_for(trials, asked, "trials", follow, [&](std::size_t trial, Archive& archive) {
    for (auto& mode : seen) {
      for (auto& at : mode) {
        for (auto& quantity : at) {
          archive(quantity[trial]);
        }
      }
    }
  });
  const std::string last_step = std::to_string(experiment.sgd.steps);
  Reproduced result{{"training", "quantity at t = " + last_step}};
  io::Plot plot{"Memorisation along training, |u| = 0.5, NCR = " + shortest(ratio) + ", mean of " +
                    std::to_string(trials) + " trials",
                {"step t"},
                {"on training patches", false, 0.0},
                question ? io::Legend::automatic : io::Legend::bottom_right};
  const char* names[] = {"max_r mean <w, xi>", "max_r mean <w, u>", "noise margin", "signal margin"};
  for (std::size_t what : {2U, 0U, 1U, 3U}) {
    for (std::size_t mode = 0; mode < 2; ++mode) {
      std::vector<double> t, value;
      for (std::size_t k = 0; k < points; ++k) {
        t.push_back(static_cast<double>(every * k));
        value.push_back(moments(seen[mode][k][what]).mean);
      }
      add_trials(result, {mode_names[mode], names[what]}, moments(seen[mode][points - 1][what]));
      if (what == 0 || what == 2) {  // the signal's are near 0
        const std::string name = std::string(names[what]) + ", " + mode_names[mode];
        plot.series.push_back(
            coloured(what == 2 ? io::line(name, t, value) : io::dashed(name, t, value), static_cast<int>(mode)));
      }
    }
  }
  result.plot = std::move(plot);
  if (question) {
    result.notes = {"Sizes as printed: " + std::string(printed_sizes) +
                    ". |u| = 0.5 and NCR = 1400 as printed. The paper prints curves without numbers."};
    return result;
  }
  result.notes = {
      "Reduced experiment at NCR = 30 in place of 1400 (--full-size takes the paper's). The figure's own quantity, the "
      "maximum over filters of a mean product, grows under privacy, because the maximum picks up the injected noise: "
      "its claim that <w, xi> is lower, even negative, does not reproduce.",
      "Margins (own class less the mean of the others) measure what is memorised: privacy lowers the noise margin here "
      "and by a third at |u| = 1, NCR = 3; see `dpcurves validate long-tail-memorization/figure-3`."};
  return result;
}

// ------------------------------------------------------------------------------------------------- figure 4

/// Images of one digit by their influence score among those of their class: lowest in the upper row.
/// \param words  of an image and the remark of its row; the second may be empty.
Reproduced typical_and_atypical(const models::LabelledImages& all,
                                const std::function<std::pair<std::string, std::string>(std::size_t)>& words) {
  constexpr std::size_t shown = 6, digit = 3;
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(all.images), all.labels, all.classes);
  const auto side = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(all.images.cols()))));
  Reproduced result{{"image", "place"}};
  for (const bool atypical : {false, true}) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.labels.size(); ++i) {
      if (all.labels[i] == digit) {
        order.push_back(i);
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return atypical ? scores[a] > scores[b] : scores[a] < scores[b];
    });
    order.resize(std::min(order.size(), shown));
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::size_t i = order[place];
      io::Raster image{.title = (atypical ? "atypical, " : "typical, ") + words(i).first, .grey = true};
      for (Eigen::Index row = 0; row < side; ++row) {
        image.values.emplace_back();
        for (Eigen::Index column = 0; column < side; ++column) {
          image.values.back().push_back(all.images(static_cast<Eigen::Index>(i), row * side + column));
        }
      }
      result.rasters.push_back(std::move(image));
      result.add({std::to_string(i), (atypical ? "atypical " : "typical ") + std::to_string(place + 1)}, scores[i],
                 words(i).second);
    }
  }
  result.rasters_per_row = shown;
  return result;
}

Reproduced figure_4() {
  const auto data = models::draw_glyphs(2000, seed, models::GlyphPart::test);
  auto result = typical_and_atypical({10, data.images, data.labels}, [&](std::size_t i) {
    return std::pair{"f = " + rounded(data.strengths[i], 2), "deformation f = " + rounded(data.strengths[i], 3)};
  });
  result.notes = {
      "The paper shows photographs of the digit 3 and prints nothing to compute. Here: the glyphs 3 of lowest (upper "
      "row) and highest (lower row) influence score among 200; the computed number is the score. --data DIR takes the "
      "images of a folder."};
  return result;
}

Reproduced figure_4_on(const OnData& question) {
  const auto folder = queries::read_image_folder("--data", question.folder);
  const auto& all = folder.test.images;
  const auto side = std::lround(std::sqrt(static_cast<double>(all.images.cols())));
  if (all.classes < 4 || side * side != all.images.cols()) {
    throw DataError("--data: the figure shows class 3 of square images of one plane; " + question.folder + " holds " +
                    std::to_string(all.classes) + " classes of " + std::to_string(all.images.cols()) + " pixels");
  }
  auto result = typical_and_atypical(all, [](std::size_t i) {
    return std::pair{"image " + std::to_string(i), std::string()};
  });
  result.notes = {
      "as printed where the folder is MNIST: test images of the digit 3. The paper does not say how it chose its "
      "examples; here the lowest (upper row) and highest (lower row) influence scores of equation (5) among the " +
      std::to_string(models::class_counts(all)[3]) + " test images of class 3; the computed number is the score."};
  return result;
}

}  // namespace

std::vector<Reproduction> long_tail_figures() {
  using Takes = Reproduction::Takes;
  return {{"long-tail-memorization/figure-1", "test accuracy over signal strength and NCR, clean and private",
           [] { return heat_maps(nullptr); }, [](const OnData& on) { return heat_maps(&on); }, " (reduced)",
           Takes::full_size},
          {"long-tail-memorization/figure-2", "test accuracy by influence score, clean and private", figure_2,
           figure_2_on, " (glyphs)", Takes::data_and_full_size},
          {"long-tail-memorization/figure-3", "memorisation along training, clean and private",
           [] { return along_training(nullptr); }, [](const OnData& on) { return along_training(&on); }, " (reduced)",
           Takes::full_size},
          {"long-tail-memorization/figure-4", "typical and atypical images of a digit", figure_4, figure_4_on,
           " (glyphs)"}};
}

}  // namespace dpcurves::tools::reproduce

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate long-tail --data: the two-layer network on images, to which signals of their class are added.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/simulate/detail/patch_images.hpp>

#include "simulate/long_tail.hpp"
#include "support/means.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using simulate::SignalledOutcome;

/// What is reported of a mode at a signal strength.
struct Measure {
  const char* head;
  const char* key;
  double (*get)(const SignalledOutcome&);
  [[nodiscard]] inference::Moments of(const std::vector<SignalledOutcome>& outcomes) const {
    return moments_of(outcomes, get);
  }
};
constexpr Measure measures[] = {
    {"test accuracy", "test_accuracy", [](const SignalledOutcome& o) { return o.test_accuracy; }},
    {"typical 10 %", "typical", [](const SignalledOutcome& o) { return o.typical; }},
    {"atypical 10 %", "atypical", [](const SignalledOutcome& o) { return o.atypical; }},
    {"training", "train_accuracy", [](const SignalledOutcome& o) { return o.train_accuracy; }},
    {"training loss", "train_loss", [](const SignalledOutcome& o) { return o.train_loss; }},
    {"noise margin", "train_noise_margin", [](const SignalledOutcome& o) { return o.train_margins.noise; }},
    {"fresh", "test_noise_margin", [](const SignalledOutcome& o) { return o.test_margins.noise; }},
    {"signal margin", "signal_margin", [](const SignalledOutcome& o) { return o.train_margins.signal; }}};

/// The trials of a mode at a signal strength.
struct ImagesRow {
  double signal = 0.0;
  std::string mode;
  std::vector<SignalledOutcome> outcomes;
};

/// The least and the largest ratio, with their pairs of classes.
std::string range_in_words(const Eigen::MatrixXd& ratios) {
  Eigen::Index at[2][2] = {{0, 1}, {0, 1}};
  for (Eigen::Index k = 0; k < ratios.rows(); ++k) {
    for (Eigen::Index j = 0; j < ratios.cols(); ++j) {
      for (const bool largest : {false, true}) {
        auto& best = at[largest ? 1 : 0];
        const double gain = ratios(k, j) - ratios(best[0], best[1]);
        if (k != j && (largest ? gain > 0.0 : gain < 0.0)) {
          best[0] = k;
          best[1] = j;
        }
      }
    }
  }
  std::string words;
  for (const auto& pair : at) {
    words += (words.empty() ? "" : " to ") + rounded(ratios(pair[0], pair[1]), 3) + " (class " +
             std::to_string(pair[0]) + " against " + std::to_string(pair[1]) + ")";
  }
  return words;
}

Json to_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(Json::array());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      rows.back().push_back(number(matrix(i, j)));
    }
  }
  return rows;
}

Results tabulated(const std::vector<ImagesRow>& rows) {
  std::vector<ResultColumn> described{
      {"signal", "signal", "|u|"}, {"mode", "mode", "mode"}, {"test_accuracy_sd", "test_accuracy_sd"}};
  for (const Measure& measure : measures) {
    described.push_back({measure.key, measure.key, measure.head, 4});
    if (&measure == measures) {
      described.push_back({"", "", "sd", 2});
    }
  }
  Results results(described);
  for (const ImagesRow& row : rows) {
    const double deviation = std::sqrt(measures[0].of(row.outcomes).variance);
    std::vector<Json> line{row.signal, row.mode, deviation};
    for (const Measure& measure : measures) {
      line.emplace_back(measure.of(row.outcomes).mean);
      if (&measure == measures) {
        line.emplace_back(deviation);
      }
    }
    results.add(line);
  }
  return results;
}

io::Plot accuracy_picture(const std::vector<ImagesRow>& rows, const std::string& source) {
  io::Plot plot{"Test accuracy on images of " + source + "\nwith a signal of strength |u| in every image",
                {"signal strength |u|", false, -0.05},
                {"test accuracy, mean and 2 standard errors", false, {}, 1.02}};
  std::vector<std::string> done;
  for (const ImagesRow& first : rows) {
    if (std::find(done.begin(), done.end(), first.mode) != done.end()) {
      continue;
    }
    for (const std::size_t which : {0U, 2U}) {
      auto bars = io::points(first.mode + (which == 0 ? ", all images" : ", most atypical 10 %"), {}, {});
      for (const ImagesRow& row : rows) {
        if (row.mode == first.mode) {
          add_mean(bars, row.signal, measures[which].of(row.outcomes));
        }
      }
      auto guide = which == 0 ? io::line("", bars.x, bars.y) : io::dashed("", bars.x, bars.y);
      guide.colour = bars.colour = static_cast<int>(done.size() + (which == 0 ? 0 : 2));
      plot.series.push_back(std::move(guide));
      plot.series.push_back(std::move(bars));
    }
    done.push_back(first.mode);
  }
  return plot;
}

}  // namespace

Simulation long_tail_of_images(const Asked& asked) {
  const auto& [values, common, table] = asked;
  for (const char* drawn :
       {"ncr", "ncr-squared", "noise-law", "classes", "dimension", "bulk", "full-size", "tail-level", "tail-filter"}) {
    exclude(values, "data", drawn);
  }
  const auto folder = queries::read_image_folder("--data", values.text("data"));
  const auto base = experiment_of(values, &folder);
  const std::size_t classes = folder.train.images.classes, least = 10 * classes;
  const auto train = models::balanced_part(folder.train.images, base.train / classes);
  const auto test = models::balanced_part(folder.test.images, base.test / classes);
  require_option(base.test >= least, "test-records",
                 std::to_string(base.test) + " is outside [" + std::to_string(least) + ", inf), 10 of each class");
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, test.classes);
  const Eigen::MatrixXd ratios = simulate::noise_correlation_ratios(train);
  const auto signals = values.numbers("signal");
  const auto named = modes_of(values);
  std::vector<simulate::PatchMode> modes = mapped(named, [&](const auto& mode) { return mode.first; });
  const auto paths = values.count("paths");
  std::vector<ImagesRow> rows;
  for (const double signal : signals) {
    for (const auto& mode : named) {
      rows.push_back({signal, mode.second, std::vector<SignalledOutcome>(paths)});
    }
  }
  last_loop(
      common, "training", signals.size() * paths,
      [&](std::size_t piece) {
        auto experiment = base;
        experiment.law.signal_norm = signals[piece / paths];
        // Trials of equal number share start, batches and noise over the signals.
        const auto outcomes = simulate::signalled_trial(experiment, train, test, scores, modes, common.seed,
                                                        static_cast<std::uint32_t>(piece % paths));
        for (std::size_t mode = 0; mode < modes.size(); ++mode) {
          rows[piece / paths * modes.size() + mode].outcomes[piece % paths] = outcomes[mode];
        }
      },
      [&](std::size_t piece, Archive& archive) {
        for (std::size_t mode = 0; mode < modes.size(); ++mode) {
          archive(rows[piece / paths * modes.size() + mode].outcomes[piece % paths]);
        }
      });
  const double noise = base.noise_multiplier * base.clip / static_cast<double>(base.sgd.batch_size);
  const std::string note =
      "a measurement: no theorem promises it. Typical and atypical are the test images of lowest and highest influence "
      "score in their class; NCR of a pair of classes is that of their covariances; what z is worth says dpcurves "
      "privacy dp-sgd";
  Simulation found = tabulated(rows).found(
      "long-tail, images of " + values.text("data") + ", K = " + std::to_string(classes) +
          ", d = " + std::to_string(train.images.cols()) +
          " and a coordinate per signal, m = " + std::to_string(base.filters) + ", n = " + std::to_string(base.train) +
          ", " + std::to_string(base.test) + " test images, B = " + std::to_string(base.sgd.batch_size) +
          ", T = " + std::to_string(base.sgd.steps) + ", sigma_n = " + rounded(noise, 4) + ", " +
          std::to_string(paths) + " trials, seed " + std::to_string(common.seed),
      {{"paths", paths},
       {"noise", noise},
       {"images",
        {{"source", folder.train.source},
         {"classes", classes},
         {"pixels", train.images.cols()},
         {"records", base.train},
         {"test_records", base.test}}},
       {"ncr", to_json(ratios)},
       {"note", note}});
  found.text += "NCR of the pairs of classes: " + range_in_words(ratios) + "\n" + note + "\n";
  found.plot = accuracy_picture(rows, values.text("data"));
  return found;
}

}  // namespace dpcurves::tools

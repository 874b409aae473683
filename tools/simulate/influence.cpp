// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate influence: where in the order of influence scores privacy costs accuracy, on glyphs or on images of
// the user.
#include "simulate/influence.hpp"

#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

#include "simulate/image_records.hpp"
#include "simulate/processes.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

constexpr const char* images_group = "Images (glyphs are drawn where none are given)";
constexpr std::size_t glyph_classes = 10, least_per_class = 10;

std::vector<Option> influence_options() {
  return {{"noise-multiplier", OptionKind::numbers, "[0, inf) = 0,2.384,14.122",
           "z of each run: noise z C/B per coordinate of the mean gradient, 0 for clean; of the glyphs 2.384 is "
           "epsilon 8 and 14.122 is epsilon 1"},
          {"clip", OptionKind::number, "(0, inf) = 1", "clip norm C of a gradient where z > 0"},
          {"step-size", OptionKind::number, "(0, inf) = 2", "eta"},
          {"batch-size", OptionKind::count, "[1, 1000000]", "B, default 200 or all records if fewer"},
          {"steps", OptionKind::count, "[0, 100000000] = 300", "T"},
          {"filters", OptionKind::count, "[1, 100000] = 16", "m per class"},
          {"images", OptionKind::text, "", "IDX file of images (magic number 0x00000803, unpacked)", images_group},
          {"labels", OptionKind::text, "", "IDX file of their labels (0x00000801), counted from 0", images_group},
          {"data", OptionKind::text, "",
           "CSV file in their place: label, then pixels of 0 to 255 or 0 to 1; a line of names may come first. Or a "
           "folder as data/fetch.sh makes it, with its test set",
           images_group},
          {"test-images", OptionKind::text, "",
           "IDX file of test images; without any the last images of each class are kept for testing", images_group},
          {"test-labels", OptionKind::text, "", "IDX file of their labels", images_group},
          {"test-data", OptionKind::text, "", "CSV file of test images", images_group},
          {"records", OptionKind::count, "[2, 10000000]",
           "training images, a multiple of the classes; default 100 of each class if there are as many", images_group},
          {"test-records", OptionKind::count, "[2, 10000000]",
           "test images, at least 10 of each class; default 200 of each class if there are as many", images_group},
          {"paths", OptionKind::count, "[1, 1000000] = 4", "trials", run_group},
          queries::plot_option("draw accuracy by tenths of the score", run_group),
          queries::run_option()};
}

/// What the trials run on; glyphs are drawn anew for each.
struct Images {
  std::string source = "glyphs";
  models::LabelledImages train, test;
  std::vector<double> scores;
  std::size_t classes = glyph_classes, pixels = 144, records = 1000, test_records = 2000;
  int white = 1;  ///< the value of a white pixel in the file
};

void require_tenths(std::size_t tested, std::size_t classes) {
  require_option(tested >= least_per_class, "test-records",
                 std::to_string(tested * classes) + " is outside [" + std::to_string(least_per_class * classes) +
                     ", inf), 10 of each class");
}

Images images_of(const Values& values) {
  auto given = read_images(values, "");
  auto apart = read_images(values, "test-");
  Images all;
  if (!given) {
    if (apart) {
      throw UsageError(apart->option + ": needs --images or --data to train on");
    }
    constexpr std::size_t any = 1000000;
    all.records = glyph_classes * images_per_class(values, "records", glyph_classes, 100, any);
    all.test_records = glyph_classes * images_per_class(values, "test-records", glyph_classes, 200, any);
    require_tenths(all.test_records / glyph_classes, glyph_classes);
  } else {
    all.source = given->source;
    all.classes = given->images.classes;
    all.pixels = static_cast<std::size_t>(given->images.images.cols());
    all.white = given->scale == models::PixelScale::byte ? 255 : 1;
    if (apart) {
      if (apart->scale != given->scale) {
        throw DataError(apart->option + ": pixels of " + apart->source + " and of " + given->source +
                        " have different ranges, 0 to 1 and 0 to 255");
      }
      if (apart->images.classes != all.classes || apart->images.images.cols() != given->images.images.cols()) {
        throw DataError(apart->option + ": " + apart->source + " holds " + std::to_string(apart->images.classes) +
                        " classes of " + std::to_string(apart->images.images.cols()) + " pixels, " + given->source +
                        " " + std::to_string(all.classes) + " of " + std::to_string(all.pixels));
      }
    }
    const std::size_t least = smallest_class(given->images);
    const std::size_t for_test = apart ? smallest_class(apart->images) : least - 1;
    const std::size_t tested = images_per_class(values, "test-records", all.classes,
                                                apart ? 200 : std::min<std::size_t>(200, least / 2), for_test);
    if (tested < least_per_class && !values.has("test-records")) {
      const auto& file = apart ? *apart : *given;
      throw DataError(file.option + ": " + file.source + ": " + std::to_string(tested) +
                      " test images of the smallest class are too few for tenths, at least 10 are needed" +
                      (apart ? "" : "; half of each class is kept for testing unless --test-records says otherwise"));
    }
    require_tenths(tested, all.classes);
    const std::size_t trained = images_per_class(values, "records", all.classes, 100, apart ? least : least - tested);
    all.train = models::balanced_part(given->images, trained);
    all.test =
        apart ? models::balanced_part(apart->images, tested) : models::balanced_part(given->images, tested, true);
    all.records = trained * all.classes;
    all.test_records = tested * all.classes;
    all.scores = models::influence_scores_by_class(Eigen::MatrixXd(all.test.images), all.test.labels, all.classes);
  }
  return all;
}

struct InfluenceRow {
  double multiplier = 0.0, noise = 0.0;
  std::vector<simulate::ImageOutcome> outcomes;  ///< of the trials
  std::vector<inference::Moments> tenths;        ///< from typical to atypical
};

io::Plot picture_of(const std::vector<InfluenceRow>& rows, const std::string& source) {
  io::Plot plot = tenths_plot(source);
  for (std::size_t run = 0; run < rows.size(); ++run) {
    const double shift = static_cast<double>(run) - 0.5 * static_cast<double>(rows.size() - 1);
    plot.series.push_back(tenths_series("noise multiplier " + shortest(rows[run].multiplier), shift, rows[run].tenths));
  }
  return plot;
}

/// A line for each noise, with accuracies over all, the most and the least typical test images.
Results results_of(const std::vector<InfluenceRow>& rows) {
  using Outcome = simulate::ImageOutcome;
  struct Measure {
    const char* head;
    const char* key;
    double (*get)(const Outcome&);
  };
  const Measure measures[] = {{"test accuracy", "test_accuracy", [](const Outcome& o) { return o.all; }},
                              {"top 10 %", "top_10", [](const Outcome& o) { return o.top[0]; }},
                              {"bottom 10 %", "bottom_10", [](const Outcome& o) { return o.bottom[0]; }},
                              {"top 30 %", "top_30", [](const Outcome& o) { return o.top[1]; }},
                              {"bottom 30 %", "bottom_30", [](const Outcome& o) { return o.bottom[1]; }}};
  std::vector<ResultColumn> described{{"noise_multiplier", "noise_multiplier", "z"}, {"noise", "noise", "sigma_n", 4}};
  for (const Measure& measure : measures) {
    described.push_back({measure.key, "", measure.head, 4});
    if (&measure == measures) {
      described.push_back({"", "", "sd", 2});
    }
  }
  described.push_back({"test_accuracy_sd", "test_accuracy_sd"});
  for (const Measure& measure : measures) {
    described.push_back({"", measure.key});
  }
  for (int tenth = 1; tenth <= 10; ++tenth) {
    described.push_back({"", "tenth_" + std::to_string(tenth)});
  }
  described.push_back({"tenths"});
  Results results(described);
  for (const InfluenceRow& row : rows) {
    const double deviation = std::sqrt(moments_of(row.outcomes, &Outcome::all).variance);
    std::vector<Json> line{row.multiplier, row.noise};
    for (const Measure& measure : measures) {
      line.emplace_back(moments_of(row.outcomes, measure.get).mean);
      if (&measure == measures) {
        line.emplace_back(deviation);
      }
    }
    line.emplace_back(deviation);
    for (const Measure& measure : measures) {
      line.emplace_back(moments_of(row.outcomes, measure.get).mean);
    }
    Json tenths = Json::array();
    for (const auto& tenth : row.tenths) {
      line.emplace_back(tenth.mean);
      tenths.push_back(tenth.mean);
    }
    line.push_back(std::move(tenths));
    results.add(line);
  }
  return results;
}

Simulation simulate_influence(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const Images images = images_of(values);
  const auto multipliers = values.numbers("noise-multiplier");
  simulate::ImageExperiment experiment{.filters = values.count("filters"), .clip = values.number("clip")};
  experiment.sgd.step_size = values.number("step-size");
  experiment.sgd.steps = values.count("steps");
  experiment.sgd.batch_size = values.count_or("batch-size", std::min<std::size_t>(200, images.records));
  require_option(experiment.sgd.batch_size <= images.records, "batch-size",
                 std::to_string(experiment.sgd.batch_size) + " is outside [1, " + std::to_string(images.records) +
                     "], the number of records");
  const bool glyphs = images.scores.empty();
  std::vector<simulate::ImageTrial> trials(values.count("paths"));
  std::vector<double> correlations(trials.size());
  last_loop(
      common, "training", trials.size(),
      [&](std::size_t trial) {
        if (glyphs) {
          const auto found = simulate::glyph_trial({images.records, images.test_records, experiment}, multipliers,
                                                   common.seed + trial);
          correlations[trial] = found.correlation;
          trials[trial] = found;
        } else {
          trials[trial] = simulate::image_trial(experiment, images.train, images.test, images.scores, multipliers,
                                                common.seed, static_cast<std::uint32_t>(trial));
        }
      },
      [&](std::size_t trial, Archive& archive) {
        archive(trials[trial].outcomes, trials[trial].deciles, correlations[trial]);
      });
  std::vector<InfluenceRow> rows;
  for (std::size_t r = 0; r < multipliers.size(); ++r) {
    InfluenceRow row{multipliers[r],
                     multipliers[r] * experiment.clip / static_cast<double>(experiment.sgd.batch_size),
                     {},
                     tenths_of(trials, r)};
    for (const auto& trial : trials) {
      row.outcomes.push_back(trial.outcomes[r]);
    }
    rows.push_back(std::move(row));
  }
  const Results results = results_of(rows);
  const double correlation = inference::moments(correlations).mean;
  const std::string note =
      "a measurement: no theorem promises it. Top and bottom are the test images of highest and lowest influence score "
      "in their class; what z is worth says dpcurves privacy dp-sgd";
  Json fields{{"paths", trials.size()},
              {"images",
               {{"source", images.source},
                {"classes", images.classes},
                {"pixels", images.pixels},
                {"records", images.records},
                {"test_records", images.test_records}}}};
  if (glyphs) {
    fields["correlation"] = number(correlation);
  } else {
    fields["images"]["white"] = images.white;
  }
  Simulation found = results.found(
      "influence, " + images.source + (glyphs ? "" : " (white is " + std::to_string(images.white) + ")") +
          ", K = " + std::to_string(images.classes) + ", d = " + std::to_string(images.pixels) +
          ", m = " + std::to_string(experiment.filters) + ", n = " + std::to_string(images.records) + ", " +
          std::to_string(images.test_records) + " test images, B = " + std::to_string(experiment.sgd.batch_size) +
          ", T = " + std::to_string(experiment.sgd.steps) + ", " + std::to_string(trials.size()) + " trials, seed " +
          std::to_string(common.seed),
      std::move(fields));
  found.fields["note"] = note;
  found.text +=
      (glyphs ? "correlation of influence score and deformation: " + rounded(correlation, 3) + "\n" : "") + note + "\n";
  found.plot = picture_of(rows, images.source);
  return found;
}

}  // namespace

io::Plot tenths_plot(const std::string& source) {
  return {"Test accuracy by influence score, " + source,
          {"tenth of the test images, from typical to atypical", false, 0.5, 10.5},
          {"test accuracy, mean and 2 standard errors", false, {}, 1.02},
          io::Legend::bottom_left};
}

io::Series tenths_series(const std::string& name, double shift, const std::vector<inference::Moments>& tenths) {
  io::Series series = io::points(name, {}, {});
  for (std::size_t tenth = 0; tenth < tenths.size(); ++tenth) {
    add_mean(series, static_cast<double>(tenth) + 1.0 + 0.12 * shift, tenths[tenth]);
  }
  return series;
}

Leaf influence_simulation() {
  return simulation(
      "influence", "accuracy of private training on typical and atypical images, of glyphs or of your own files",
      {"--noise-multiplier 0,14.122 --plot tenths.svg",
       "--images train-images-idx3-ubyte --labels train-labels-idx1-ubyte \\\n      --test-images "
       "t10k-images-idx3-ubyte --test-labels t10k-labels-idx1-ubyte --records 5000",
       "--data digits.csv --test-records 500 --noise-multiplier 0,5"},
      influence_options(), from_run({"influence", {{mechanism::Sampler::shuffled, ""}}, true}, simulate_influence));
}

}  // namespace dpcurves::tools

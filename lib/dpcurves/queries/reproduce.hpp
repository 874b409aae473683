// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A table or figure of a paper, computed afresh beside the published numbers. Here are those that follow from
/// theorems; what is trained or drawn needs algorithms, which nothing in this folder sees: the program adds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/raster.hpp>
#include <dpcurves/queries/report.hpp>

namespace dpcurves::queries::reproduce {

/// One computed number, and the published one where there is one.
struct Entry {
  std::vector<std::string> labels;              ///< one per label column: "50", "ours, lambda = 0.002"
  double computed = 0.0;                        ///< here
  std::optional<double> published{};            ///< in the paper
  int decimals = 3;                             ///< to which the paper printed the number
  std::string remark{};                         ///< for example "published value refuted, see docs/errata.md"
  std::optional<double> deviation{};            ///< of the repetitions behind `computed`, a mean
  std::optional<double> published_deviation{};  ///< the same as printed
  std::size_t runs = 0;                         ///< repetitions behind the computed mean; 0 where it is none
  std::size_t published_runs = 0;               ///< the same of the published one
  bool stand_in = false;                        ///< other data or sizes than the paper's: not comparable

  /// Of two means of normal runs with one variance, a chance of at most 1 % to be called different.
  static constexpr double level = 0.99;

  /// The computed number rounds to the published one; or, of two means, Student's test does not tell them apart at the
  /// level, with half a unit of the last digit on top for what the print left out.
  [[nodiscard]] bool agrees() const;
  /// The pooled standard error of the difference of two means; nothing where one of them is none.
  [[nodiscard]] std::optional<double> standard_error() const;
  /// Computed less published, where there is a published number.
  [[nodiscard]] std::optional<double> difference() const;
};

/// The outcome of a reproduction.
struct Reproduced {
  std::vector<std::string> label_columns{};  ///< headers: "t", "quantity"
  std::vector<Entry> entries{};              ///< empty for a mere drawing
  std::vector<std::string> notes{};   ///< what a reader should know; for a drawing, why there is nothing to compute
  std::optional<io::Plot> plot{};     ///< drawn by --plot
  std::vector<io::Raster> rasters{};  ///< drawn by --plot in its place
  std::size_t rasters_per_row = 1;    ///< side by side

  /// A number that the paper does not print.
  void add(std::vector<std::string> labels, double computed, std::string remark = {});
  /// A number beside the printed one.
  void compare(std::vector<std::string> labels, double computed, double published, int decimals,
               std::string remark = {});
};

/// What a reproduction by training is told.
struct OnData {
  std::string id;                ///< of the table or figure
  std::string folder;            ///< of --data; empty where the data are drawn
  bool full_size = false;        ///< the sizes of the paper, as far as they can be paid
  std::size_t repetitions = 10;  ///< that are averaged
  std::string resume;            ///< keeps each repetition when it is done; empty: nothing is kept
  std::uint64_t seed = 1;        ///< of data, starts, batches and noise
  unsigned threads = 0;          ///< the numbers do not depend on it
  Progress progress;             ///< is told what is done
};

/// A table or figure, and how it is computed.
struct Reproduction {
  std::string id;                                    ///< "shifted-interpolation/table-7"
  std::string title;                                 ///< one line
  std::function<Reproduced()> run;                   ///< what needs no data
  std::function<Reproduced(const OnData&)> train{};  ///< with --data or --full-size; null where neither is taken
  /// What `train` is for: images, images in two sizes, or drawn data of the paper's sizes.
  enum class Takes { data, data_and_full_size, full_size };
  std::string stands_in{};    ///< " (reduced)", " (glyphs)": added to the title where nothing is trained on request
  Takes takes = Takes::data;  ///< which of them may be given
};

/// The title of what was computed: what stands in is said where nothing is trained on request.
[[nodiscard]] std::string title(const Reproduction& what, const OnData& data);

/// Computes it, on data where some were given. \throws UsageError  for data or sizes where they mean nothing.
[[nodiscard]] Reproduced compute(const Reproduction& what, const OnData& data);

/// What was computed beside what was published. O(entries).
[[nodiscard]] Report report(const Reproduction& what, const Reproduced& result, const OnData& data);

/// The reproduction of that id. \throws UsageError  with the nearest id where there is none. O(all).
[[nodiscard]] const Reproduction& named(const std::vector<Reproduction>& all, const std::string& id);

/// The answer for one of those below. \throws UsageError  as named().
[[nodiscard]] Report ask(const std::string& id);

/// The tables of the paper on shifted interpolation; the accuracies among them say what they need.
[[nodiscard]] std::vector<Reproduction> shifted_interpolation_tables();
/// Its figures.
[[nodiscard]] std::vector<Reproduction> shifted_interpolation_figures();
/// Comparisons of this project: the accountant beside other analyses.
[[nodiscard]] std::vector<Reproduction> accountant_comparisons();

}  // namespace dpcurves::queries::reproduce

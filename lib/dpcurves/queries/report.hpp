// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a query answers: data, and the same in words. Whoever shows it chooses the form; nothing here prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/record.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/table.hpp>

namespace dpcurves::queries {

/// How a terminal may colour a cell; the words say the same.
enum class Tone { plain, good, notice, bad, faint };

/// A text of a table.
struct Cell {
  std::string text;         ///< what stands there
  Tone tone = Tone::plain;  ///< its colour
};

/// Cells under names.
struct Table {
  std::vector<std::string> names;       ///< of the columns
  std::vector<std::vector<Cell>> rows;  ///< each as long as the names
  std::vector<io::Align> align{};       ///< of the columns in text; empty: left
};

/// A paragraph, a table, or a paragraph above a table.
struct Block {
  std::string text{};            ///< lines end in a line feed; may be empty
  std::optional<Table> table{};  ///< below it
};

/// How the question ended.
enum class Outcome { ok, refuted, refused, undecided };  ///< exit codes 0, 1, 3 and 4

/// An answer.
struct Report {
  std::string schema;                   ///< "dpcurves/referee/1"
  Record inputs;                        ///< the question
  Record results{};                     ///< the data, as JSON shows it; "wall_seconds" is left to whoever shows it
  std::optional<std::uint64_t> seed{};  ///< of what was drawn, shown in place of the "seed" of the data
  std::vector<Block> blocks{};          ///< the same in words
  Table rows{};                         ///< the same as CSV
  Outcome outcome = Outcome::ok;        ///< how it ended
  std::optional<io::Plot> plot{};       ///< the picture, where one was asked for
};

}  // namespace dpcurves::queries

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Pictures of tables of numbers: heat maps with the number in each cell, and small grey images.
///
/// Drawn as SVG without another program, as PNG and PDF by gnuplot. Colours run from dark violet to yellow, in order of
/// lightness, so that they survive a black-and-white print.
#pragma once

#include <string>
#include <vector>

namespace dpcurves::io {

/// One table.
struct Raster {
  std::string title;                          ///< above the panel; may be empty
  std::string x_label{};                      ///< below the panel; may be empty
  std::string y_label{};                      ///< beside the panel; may be empty
  std::vector<std::string> x_ticks{};         ///< a name per column; empty: none are drawn
  std::vector<std::string> y_ticks{};         ///< a name per row, from the top; empty: none are drawn
  std::vector<std::vector<double>> values{};  ///< shape (rows x columns), from the top; NaN leaves a gap
  double lowest = 0.0;                        ///< of the colour scale: values below have its first colour
  double highest = 1.0;                       ///< of the colour scale: values above have its last colour
  bool grey = false;                          ///< an image: black on white, no numbers
};

/// The panels side by side, `per_row` to a row, as the text of a self-contained SVG file. Scaled into the innermost
/// PictureSize, whole; below the innermost PictureTitle.
/// \throws DomainError  if there is no panel, a table is empty or ragged, or names do not fit.
[[nodiscard]] std::string svg(const std::vector<Raster>& panels, std::size_t per_row);

/// The numbers as CSV, a line per cell: panel, column, row, value; columns and rows by name, or counted from 1.
[[nodiscard]] std::string data(const std::vector<Raster>& panels);

/// Draws into a file that ends in .svg, .png, .html or .pdf, and data() into FILE.csv, each whole.
/// \throws DomainError  for another ending; DataError for PNG and PDF if gnuplot is not installed.
void save(const std::vector<Raster>& panels, std::size_t per_row, const std::string& path);

}  // namespace dpcurves::io

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Pictures of curves: a description that gnuplot, run as a child process, draws as SVG, PNG or a page of HTML.
///
/// Texts are UTF-8 and drawn as they are, without markup. Values that cannot be drawn (not finite, or not positive
/// on a logarithmic axis) leave a gap. A logarithmic axis of less than two decades has numbers too. Colours are those
/// of Okabe and Ito, which colour-blind readers can tell apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dpcurves::io {

/// How a series is drawn.
enum class Style {
  line,    ///< solid
  dashed,  ///< for bounds, limits and comparisons
  points,  ///< with error bars from `lower` to `upper` where those are given
  band     ///< the area between `lower` and `upper`
};

/// One curve, band or cloud of points.
struct Series {
  Style style = Style::line;  ///< decides which of the vectors are drawn
  std::string name;           ///< in the legend; empty: not listed
  std::vector<double> x;      ///< shape (points)
  std::vector<double> y;      ///< shape (points); unused by a band
  std::vector<double> lower;  ///< shape (points); band, and points with error bars
  std::vector<double> upper;  ///< shape (points); band, and points with error bars
  std::optional<int> colour;  ///< number in the palette, to draw several series alike; else the next one
};

/// A Series of that style, and the three below.
[[nodiscard]] Series line(std::string name, std::vector<double> x, std::vector<double> y);
[[nodiscard]] Series dashed(std::string name, std::vector<double> x, std::vector<double> y);  ///< the same, dashed
/// Points; with `lower` and `upper`, shape (points), they get error bars.
[[nodiscard]] Series points(std::string name, std::vector<double> x, std::vector<double> y,
                            std::vector<double> lower = {}, std::vector<double> upper = {});
/// The area between two curves.
[[nodiscard]] Series band(std::string name, std::vector<double> x, std::vector<double> lower,
                          std::vector<double> upper);

/// The series in a colour of the palette.
[[nodiscard]] Series coloured(Series series, int colour);

/// On which side of a curve its steps lie.
enum class Side { below, above };
/// A line of steps: between two neighbours the smaller (below) or the larger value (above). Where a curve rises or
/// falls it is bounded by its steps between the points too, which chords do not do. O(points).
[[nodiscard]] Series steps(std::string name, const std::vector<double>& x, const std::vector<double>& y, Side side);

/// One axis of a plot.
struct Axis {
  std::string label;                ///< with its unit; may be empty
  bool logarithmic = false;         ///< base 10; values that are not positive leave a gap
  std::optional<double> lowest{};   ///< else chosen from the data
  std::optional<double> highest{};  ///< else chosen from the data
};

/// Where the names of the series stand. automatic: in the first corner that no series crosses, else outside; a corner
/// that is named is the first to be tried.
enum class Legend { automatic, top_right, top_left, bottom_right, bottom_left, outside, none };

/// One pair of axes, 800 x 500 pixels.
struct Plot {
  std::string title;                  ///< above the axes, in lines; may be empty
  Axis x{};                           ///< to the right
  Axis y{};                           ///< upwards
  Legend legend = Legend::automatic;  ///< `none` where there is one series
  std::vector<Series> series{};       ///< drawn in this order, later ones on top
};

/// The picture as the text of a self-contained SVG file, the bytes of a PNG file, or a page of HTML around the SVG.
/// \throws DomainError  if there is no point to draw, or the vectors of a series differ in length.
/// \throws DataError    if gnuplot is not installed or fails; the message says what to do.
/// Cost: about 30 ms for the child process.
[[nodiscard]] std::string svg(const Plot& plot);
[[nodiscard]] std::string png(const Plot& plot);   ///< 800 x 500 pixels
[[nodiscard]] std::string html(const Plot& plot);  ///< a complete page that needs no network

/// Draws into a file that ends in .svg, .png, .html or .pdf, and data() (plot_data.hpp) into FILE.csv, each whole.
/// \throws DomainError  for another ending.
void save(const Plot& plot, const std::string& path);

/// A text with the five special characters of HTML and XML replaced.
[[nodiscard]] std::string escaped_html(const std::string& text);

}  // namespace dpcurves::io

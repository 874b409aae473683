// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/io/picture_size.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/raster.hpp>

namespace dpcurves::io {
namespace {

// Points of a scale whose lightness rises evenly.
constexpr std::array<std::array<double, 3>, 5> scale{
    {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};

struct Layout {
  double cell_width, cell_height, left, top, width, height;
};

Layout layout(const Raster& panel) {
  const double cell_width = panel.grey ? 9.0 : 64.0, cell_height = panel.grey ? 9.0 : 40.0;
  const double left = panel.y_ticks.empty() ? 12.0 : 66.0, top = panel.title.empty() ? 10.0 : 34.0;
  const double below = panel.x_ticks.empty() ? 10.0 : 48.0;
  return {cell_width,
          cell_height,
          left,
          top,
          left + cell_width * static_cast<double>(panel.values.front().size()) + 12.0,
          top + cell_height * static_cast<double>(panel.values.size()) + below};
}

void check(const Raster& panel) {
  require_domain(!panel.values.empty() && !panel.values.front().empty(), "size of the table", 0.0, "[1, inf)");
  for (const auto& row : panel.values) {
    require_domain(row.size() == panel.values.front().size(), "length of a row", static_cast<double>(row.size()),
                   "that of the first row");
  }
  require_domain(panel.x_ticks.empty() || panel.x_ticks.size() == panel.values.front().size(), "number of x ticks",
                 static_cast<double>(panel.x_ticks.size()), "one per column");
  require_domain(panel.y_ticks.empty() || panel.y_ticks.size() == panel.values.size(), "number of y ticks",
                 static_cast<double>(panel.y_ticks.size()), "one per row");
  require_domain(panel.highest > panel.lowest, "highest", panel.highest, "(lowest, inf)");
}

std::string colour(double share, bool grey) {
  std::array<double, 3> rgb{};
  if (grey) {
    rgb.fill(255.0 * (1.0 - share));
  } else {
    const double at = share * (scale.size() - 1);
    const auto low = std::min(scale.size() - 2, static_cast<std::size_t>(at));
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[c] = scale[low][c] + (at - static_cast<double>(low)) * (scale[low + 1][c] - scale[low][c]);
    }
  }
  std::string text = "rgb(";
  for (std::size_t c = 0; c < 3; ++c) {
    text += (c == 0 ? "" : ",") + std::to_string(std::lround(rgb[c]));
  }
  return text + ")";
}

std::string written(double x, double y, const std::string& words, const std::string& attributes) {
  return "<text x=\"" + rounded(x, 6) + "\" y=\"" + rounded(y, 6) + "\" " + attributes + ">" + escaped_html(words) +
         "</text>\n";
}

std::string two_decimals(double value) {
  std::string text = shortest(std::round(value * 1000.0) / 1000.0);
  return text;
}

std::string drawn(const Raster& panel, double x0, double y0) {
  const Layout at = layout(panel);
  const double columns = static_cast<double>(panel.values.front().size());
  const double middle = x0 + at.left + 0.5 * columns * at.cell_width;
  std::string text;
  if (!panel.title.empty()) {
    text += written(middle, y0 + 20.0, panel.title,
                    panel.grey ? "text-anchor=\"middle\" font-size=\"12\"" : "text-anchor=\"middle\" font-size=\"15\"");
  }
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    const double y = y0 + at.top + at.cell_height * static_cast<double>(i);
    for (std::size_t j = 0; j < panel.values[i].size(); ++j) {
      const double value = panel.values[i][j], x = x0 + at.left + at.cell_width * static_cast<double>(j);
      if (!std::isfinite(value)) {
        continue;
      }
      const double share = std::clamp((value - panel.lowest) / (panel.highest - panel.lowest), 0.0, 1.0);
      text += "<rect x=\"" + rounded(x, 6) + "\" y=\"" + rounded(y, 6) + "\" width=\"" + shortest(at.cell_width) +
              "\" height=\"" + shortest(at.cell_height) + "\" fill=\"" + colour(share, panel.grey) + "\"/>\n";
      if (!panel.grey) {
        text += written(
            x + 0.5 * at.cell_width, y + 0.5 * at.cell_height + 5.0, two_decimals(value),
            std::string("text-anchor=\"middle\" font-size=\"14\" fill=\"") + (share > 0.6 ? "black" : "white") + "\"");
      }
    }
    if (!panel.y_ticks.empty()) {
      text += written(x0 + at.left - 8.0, y + 0.5 * at.cell_height + 5.0, panel.y_ticks[i],
                      "text-anchor=\"end\" font-size=\"13\"");
    }
  }
  const double bottom = y0 + at.top + at.cell_height * static_cast<double>(panel.values.size());
  for (std::size_t j = 0; j < panel.x_ticks.size(); ++j) {
    text += written(x0 + at.left + at.cell_width * (static_cast<double>(j) + 0.5), bottom + 17.0, panel.x_ticks[j],
                    "text-anchor=\"middle\" font-size=\"13\"");
  }
  if (!panel.x_label.empty()) {
    text += written(middle, bottom + 37.0, panel.x_label, "text-anchor=\"middle\" font-size=\"13\"");
  }
  if (!panel.y_label.empty()) {
    const double y = 0.5 * (y0 + at.top + bottom), x = x0 + 16.0;
    text += written(x, y, panel.y_label,
                    "text-anchor=\"middle\" font-size=\"13\" transform=\"rotate(-90 " + rounded(x, 6) + " " +
                        rounded(y, 6) + ")\"");
  }
  return text;
}

}  // namespace

std::string svg(const std::vector<Raster>& panels, std::size_t per_row) {
  require_domain(!panels.empty(), "number of panels", 0.0, "[1, inf)");
  require_domain(per_row >= 1, "per_row", static_cast<double>(per_row), "[1, inf)");
  std::string body;
  const PictureTitle* title = PictureTitle::current();
  const double top = title == nullptr ? 0.0 : 34.0;
  double x = 0.0, y = top, row_height = 0.0, width = 0.0;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    check(panels[i]);
    if (i > 0 && i % per_row == 0) {
      x = 0.0;
      y += row_height;
      row_height = 0.0;
    }
    const Layout at = layout(panels[i]);
    body += drawn(panels[i], x, y);
    x += at.width;
    width = std::max(width, x);
    row_height = std::max(row_height, at.height);
  }
  if (title != nullptr) {
    body += written(0.5 * width, 22.0, title->text(), "text-anchor=\"middle\" font-size=\"16\"");
  }
  const std::string own_width = rounded(width, 6), own_height = rounded(y + row_height, 6);
  const PictureSize* size = PictureSize::current();  // the drawing is scaled into it
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + own_width + " " + own_height + "\" width=\"" +
         (size ? std::to_string(size->width()) : own_width) + "\" height=\"" +
         (size ? std::to_string(size->height()) : own_height) +
         "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body + "</svg>\n";
}

void save(const std::vector<Raster>& panels, std::size_t per_row, const std::string& path) {
  if (path.ends_with(".svg")) {
    write_file(path, svg(panels, per_row));
  } else if (path.ends_with(".html")) {
    write_file(path, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                         escaped_html(titled(panels.empty() ? "" : panels.front().title)) + "</title></head><body>\n" +
                         svg(panels, per_row) + "</body></html>\n");
  } else {
    throw DomainError("a table of numbers is drawn into a file that ends in .svg or .html, not " + path);
  }
}

}  // namespace dpcurves::io

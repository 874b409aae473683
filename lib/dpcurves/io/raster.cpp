// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/gnuplot.hpp>
#include <dpcurves/io/detail/picture_size.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/raster.hpp>

namespace dpcurves::io {
namespace {

// Points of a scale whose lightness rises evenly.
constexpr std::array<std::array<double, 3>, 5> scale{
    {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};

/// A filled rectangle, in pixels from the upper left corner.
struct Cell {
  double x, y, width, height;
  std::array<int, 3> colour;
};

/// Words at a point.
struct Words {
  enum class Anchor { start, middle, end };
  double x, y;
  std::string text;
  int size = 13;
  Anchor anchor = Anchor::middle;
  bool white = false, upright = false;
};

/// What every kind of file shows.
struct Drawing {
  double width = 0.0, height = 0.0;
  std::vector<Cell> cells;
  std::vector<Words> words;
};

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

std::array<int, 3> colour(double share, bool grey) {
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
  std::array<int, 3> whole{};
  std::transform(rgb.begin(), rgb.end(), whole.begin(), [](double c) { return static_cast<int>(std::lround(c)); });
  return whole;
}

std::string three_decimals(double value) { return shortest(std::round(value * 1000.0) / 1000.0); }

void draw(const Raster& panel, double x0, double y0, Drawing& into) {
  const Layout at = layout(panel);
  const double columns = static_cast<double>(panel.values.front().size());
  const double middle = x0 + at.left + 0.5 * columns * at.cell_width;
  if (!panel.title.empty()) {
    into.words.push_back({middle, y0 + 20.0, panel.title, panel.grey ? 12 : 15});
  }
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    const double y = y0 + at.top + at.cell_height * static_cast<double>(i);
    for (std::size_t j = 0; j < panel.values[i].size(); ++j) {
      const double value = panel.values[i][j], x = x0 + at.left + at.cell_width * static_cast<double>(j);
      if (!std::isfinite(value)) {
        continue;
      }
      const double share = std::clamp((value - panel.lowest) / (panel.highest - panel.lowest), 0.0, 1.0);
      into.cells.push_back({x, y, at.cell_width, at.cell_height, colour(share, panel.grey)});
      if (!panel.grey) {
        into.words.push_back({x + 0.5 * at.cell_width, y + 0.5 * at.cell_height + 5.0, three_decimals(value), 14,
                              Words::Anchor::middle, share <= 0.6});
      }
    }
    if (!panel.y_ticks.empty()) {
      into.words.push_back(
          {x0 + at.left - 8.0, y + 0.5 * at.cell_height + 5.0, panel.y_ticks[i], 13, Words::Anchor::end});
    }
  }
  const double bottom = y0 + at.top + at.cell_height * static_cast<double>(panel.values.size());
  for (std::size_t j = 0; j < panel.x_ticks.size(); ++j) {
    into.words.push_back(
        {x0 + at.left + at.cell_width * (static_cast<double>(j) + 0.5), bottom + 17.0, panel.x_ticks[j]});
  }
  if (!panel.x_label.empty()) {
    into.words.push_back({middle, bottom + 37.0, panel.x_label});
  }
  if (!panel.y_label.empty()) {
    into.words.push_back(
        {x0 + 16.0, 0.5 * (y0 + at.top + bottom), panel.y_label, 13, Words::Anchor::middle, false, true});
  }
}

Drawing drawing_of(const std::vector<Raster>& panels, std::size_t per_row) {
  require_domain(!panels.empty(), "number of panels", 0.0, "[1, inf)");
  require_domain(per_row >= 1, "per_row", static_cast<double>(per_row), "[1, inf)");
  Drawing drawing;
  const PictureTitle* title = PictureTitle::current();
  double x = 0.0, y = title == nullptr ? 0.0 : 34.0, row_height = 0.0;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    check(panels[i]);
    if (i > 0 && i % per_row == 0) {
      x = 0.0;
      y += row_height;
      row_height = 0.0;
    }
    const Layout at = layout(panels[i]);
    draw(panels[i], x, y, drawing);
    x += at.width;
    drawing.width = std::max(drawing.width, x);
    row_height = std::max(row_height, at.height);
  }
  drawing.height = y + row_height;
  if (title != nullptr) {
    drawing.words.push_back({0.5 * drawing.width, 22.0, title->text(), 16});
  }
  return drawing;
}

std::string svg_of(const Cell& cell) {
  const auto& [red, green, blue] = cell.colour;
  return "<rect x=\"" + rounded(cell.x, 6) + "\" y=\"" + rounded(cell.y, 6) + "\" width=\"" + shortest(cell.width) +
         "\" height=\"" + shortest(cell.height) + "\" fill=\"rgb(" + std::to_string(red) + "," + std::to_string(green) +
         "," + std::to_string(blue) + ")\"/>\n";
}

std::string svg_of(const Words& words) {
  const std::string x = rounded(words.x, 6), y = rounded(words.y, 6);
  return "<text x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" +
         (words.anchor == Words::Anchor::end      ? "end"
          : words.anchor == Words::Anchor::middle ? "middle"
                                                  : "start") +
         "\" font-size=\"" + std::to_string(words.size) + "\"" + (words.white ? " fill=\"white\"" : "") +
         (words.upright ? " transform=\"rotate(-90 " + x + " " + y + ")\"" : "") + ">" + escaped_html(words.text) +
         "</text>\n";
}

/// The drawing as a script of gnuplot, whose y axis points down here.
std::string script_of(const Drawing& drawing, const std::string& terminal, double font_scale) {
  std::string text = "set encoding utf8\nset terminal " + terminal + "\nset margins 0,0,0,0\nunset border\n";
  text += "unset tics\nunset key\nset xrange [0:" + shortest(drawing.width) + "]\nset yrange [" +
          shortest(drawing.height) + ":0]\n";
  std::size_t number = 0;
  for (const Cell& cell : drawing.cells) {
    const int code = (cell.colour[0] * 256 + cell.colour[1]) * 256 + cell.colour[2];
    text += "set object " + std::to_string(++number) + " rectangle from " + shortest(cell.x) + "," + shortest(cell.y) +
            " to " + shortest(cell.x + cell.width) + "," + shortest(cell.y + cell.height) + " fillcolor rgb " +
            std::to_string(code) + " fillstyle solid noborder\n";
  }
  number = 0;
  for (const Words& words : drawing.words) {
    const double up = words.upright ? 0.0 : 0.35 * words.size;  // from the line of writing to the middle of a letter
    text += "set label " + std::to_string(++number) + " " + gnuplot_quoted(words.text) + " at " + shortest(words.x) +
            "," + shortest(words.y - up) +
            (words.anchor == Words::Anchor::end      ? " right"
             : words.anchor == Words::Anchor::middle ? " center"
                                                     : " left") +
            (words.upright ? " rotate by 90" : "") + " noenhanced font '," + shortest(font_scale * words.size) +
            "' textcolor rgb '" + (words.white ? "white" : "black") + "'\n";
  }
  return text + "plot NaN notitle\n";
}

/// Width and height of the picture, and how much larger than drawn.
struct Size {
  double width, height, scale;
};

Size size_of(const Drawing& drawing) {
  const PictureSize* size = PictureSize::current();
  if (size == nullptr) {
    return {drawing.width, drawing.height, 1.0};
  }
  const double factor = std::min(size->width() / drawing.width, size->height() / drawing.height);
  return {factor * drawing.width, factor * drawing.height, factor};
}

/// Of a terminal that counts in `unit`, so many to a pixel; fonts are in points.
std::string by_gnuplot(const Drawing& drawing, const std::string& name, double units, const std::string& unit,
                       double points) {
  const Size size = size_of(drawing);
  return drawn_by_gnuplot(script_of(drawing,
                                    name + " size " + shortest(std::ceil(1e4 * units * size.width) / 1e4) + unit + "," +
                                        shortest(std::ceil(1e4 * units * size.height) / 1e4) + unit + " font 'sans'",
                                    points * size.scale));
}

}  // namespace

std::string svg(const std::vector<Raster>& panels, std::size_t per_row) {
  const Drawing drawing = drawing_of(panels, per_row);
  std::string body;
  for (const Cell& cell : drawing.cells) {
    body += svg_of(cell);
  }
  for (const Words& words : drawing.words) {
    body += svg_of(words);
  }
  const std::string own_width = rounded(drawing.width, 6), own_height = rounded(drawing.height, 6);
  const PictureSize* size = PictureSize::current();  // the drawing is scaled into it
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + own_width + " " + own_height + "\" width=\"" +
         (size ? std::to_string(size->width()) : own_width) + "\" height=\"" +
         (size ? std::to_string(size->height()) : own_height) +
         "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body + "</svg>\n";
}

std::string data(const std::vector<Raster>& panels) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      result += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return result + "\"";
  };
  std::string text = "panel,column,row,value\n";
  for (const Raster& panel : panels) {
    check(panel);
    for (std::size_t i = 0; i < panel.values.size(); ++i) {
      for (std::size_t j = 0; j < panel.values[i].size(); ++j) {
        text += quoted(panel.title) + "," + (panel.x_ticks.empty() ? std::to_string(j + 1) : quoted(panel.x_ticks[j])) +
                "," + (panel.y_ticks.empty() ? std::to_string(i + 1) : quoted(panel.y_ticks[i])) + "," +
                shortest(panel.values[i][j]) + "\n";
      }
    }
  }
  return text;
}

void save(const std::vector<Raster>& panels, std::size_t per_row, const std::string& path) {
  if (path.ends_with(".svg")) {
    write_file(path, svg(panels, per_row));
  } else if (path.ends_with(".html")) {
    write_file(path, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                         escaped_html(titled(panels.empty() ? "" : panels.front().title)) + "</title></head><body>\n" +
                         svg(panels, per_row) + "</body></html>\n");
  } else if (path.ends_with(".png")) {
    write_file(path, by_gnuplot(drawing_of(panels, per_row), "pngcairo", 2.0, "", 1.5));
  } else if (path.ends_with(".pdf")) {
    write_file(path, by_gnuplot(drawing_of(panels, per_row), "pdfcairo", 0.01, "in", 0.72));
  } else {
    throw DomainError("a table of numbers is drawn into a file that ends in .svg, .png, .html or .pdf, not " + path);
  }
  write_file(path + ".csv", data(panels));
}

}  // namespace dpcurves::io

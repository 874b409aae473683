// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/gnuplot.hpp>
#include <dpcurves/io/detail/picture_size.hpp>
#include <dpcurves/io/detail/plot_axes.hpp>
#include <dpcurves/io/detail/plot_data.hpp>
#include <dpcurves/io/plot.hpp>

namespace dpcurves::io {
namespace {

constexpr std::array<std::string_view, 7> palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                  "#E69F00", "#56B4E9", "#333333"};

/// The lines of a text as one gnuplot expression.
std::string quoted_lines(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += (begin == 0 ? "" : ".\"\\n\".") + gnuplot_quoted(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// A number of the script: what cannot be drawn leaves a gap.
std::string cell(double value, const Axis& axis) { return drawable(value, axis) ? shortest(value) : "NaN"; }

void check(const Series& series) {
  const std::size_t size = series.x.size();
  const bool has_bars = series.style == Style::band || !series.lower.empty() || !series.upper.empty();
  if ((series.style != Style::band && series.y.size() != size) ||
      (has_bars && (series.lower.size() != size || series.upper.size() != size))) {
    throw DomainError("plot: the vectors of series '" + series.name + "' differ in length");
  }
}

constexpr int usual_width = 800, usual_height = 500;

/// Width and height in pixels, as gnuplot takes them.
std::pair<int, int> asked_size() {
  const PictureSize* size = PictureSize::current();
  return size ? std::pair{size->width(), size->height()} : std::pair{usual_width, usual_height};
}

/// By what the texts of a small picture shrink, so that there is room for the axes.
double shrink() {
  constexpr double least_width = 480.0, least_height = 320.0;  // that texts of the usual size leave room in
  const auto [width, height] = asked_size();
  return std::min({1.0, width / least_width, height / least_height});
}

/// The size in pixels of texts that have not shrunk.
std::pair<double, double> size_in_pixels() {
  const auto [width, height] = asked_size();
  return {width / shrink(), height / shrink()};
}

/// The same as the terminals want it: "800,500", "1600,1000" or "8in,5in".
std::string size_of_terminal(double scale, const char* unit = "") {
  const auto [width, height] = asked_size();
  return shortest(scale * width) + unit + "," + shortest(scale * height) + unit;
}

constexpr double font_pixels = 15.0;

/// Of a name in DejaVu Sans, the widest of the usual sans-serif fonts, rounded up by class of character.
double pixels_of(std::string_view name) {
  double ems = 0.0;
  for (const char c : name) {
    ems += (static_cast<unsigned char>(c) & 0xC0U) == 0x80U                      ? 0.0  // goes on with a character
           : std::string_view("iIjlJ.,:;|'! ").find(c) != std::string_view::npos ? 0.34
           : std::string_view("frt()[]-/").find(c) != std::string_view::npos     ? 0.41
           : std::string_view("mwMW@%=+<>~").find(c) != std::string_view::npos   ? 0.92
           : (c >= 'A' && c <= 'Z')                                              ? 0.71
                                                                                 : 0.64;
  }
  return font_pixels * ems;
}

/// What a legend says: its lines, the widest in pixels, and the most characters, from which gnuplot takes its width.
struct LegendText {
  double lines = 0.0, widest = 0.0, characters = 0.0;
};

LegendText legend_text(const Plot& plot) {
  LegendText text;
  for (const Series& series : plot.series) {
    const auto continued = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    const auto bytes = std::count_if(series.name.begin(), series.name.end(), [&](char c) { return !continued(c); });
    text.lines += series.name.empty() ? 0.0 : 1.0;
    text.widest = std::max(text.widest, pixels_of(series.name));
    text.characters = std::max(text.characters, static_cast<double>(bytes));
  }
  return text;
}

/// By how many characters gnuplot's legend in SVG is to be narrower: it counts all of them as 0.7 em wide.
std::string narrower(const LegendText& text) {
  constexpr double pixels_per_character = 0.7 * font_pixels;
  return "set key width " + rounded(text.widest / pixels_per_character - text.characters, 4) + "\n";
}

/// The corner that is wished for, or the first one, that no series crosses; outside if there is none.
Legend free_corner(const Plot& plot, const Extents& extent) {
  const LegendText text = legend_text(plot);
  // Shares of the axes, which take 85 % of the picture across and 75 % of it up: lines of 28 pixels, the sample and
  // some air.
  const auto [pixels_across, pixels_up] = size_in_pixels();
  const double width = (text.widest + 75.0) / (0.85 * pixels_across);
  const double height = (28.0 * text.lines + 10.0) / (0.75 * pixels_up);
  const Extent across = range_of(plot.x, extent.x), up = range_of(plot.y, extent.y);
  std::array<bool, 4> crossed{};
  const auto see = [&](double x, double y) {
    const bool left = x<width, right = x> 1.0 - width, low = y<height, high = y> 1.0 - height;
    crossed[0] = crossed[0] || (right && high);
    crossed[1] = crossed[1] || (left && high);
    crossed[2] = crossed[2] || (right && low);
    crossed[3] = crossed[3] || (left && low);
  };
  for (const Series& series : plot.series) {
    for (const auto* values : {&series.y, &series.lower, &series.upper}) {
      for (std::size_t i = 0; i < values->size(); ++i) {
        const std::size_t j = series.style == Style::points ? i : std::min(i + 1, values->size() - 1);
        if (!drawable(series.x[i], plot.x) || !drawable(series.x[j], plot.x) || !drawable((*values)[i], plot.y) ||
            !drawable((*values)[j], plot.y)) {
          continue;
        }
        constexpr int parts = 20;  // of a chord
        const double x0 = share(series.x[i], plot.x, across), x1 = share(series.x[j], plot.x, across);
        const double y0 = share((*values)[i], plot.y, up), y1 = share((*values)[j], plot.y, up);
        for (int k = 0; k <= parts; ++k) {
          const double t = static_cast<double>(k) / parts;
          see(x0 + t * (x1 - x0), y0 + t * (y1 - y0));
        }
      }
    }
  }
  constexpr std::array places{Legend::top_right, Legend::top_left, Legend::bottom_right, Legend::bottom_left};
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!crossed[i] && places[i] == plot.legend) {
      return places[i];
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!crossed[i]) {
      return places[i];
    }
  }
  return Legend::outside;
}

std::string_view legend(Legend place) {
  switch (place) {
    case Legend::top_right:
      return "set key inside top right";
    case Legend::top_left:
      return "set key inside top left";
    case Legend::bottom_right:
      return "set key inside bottom right";
    case Legend::bottom_left:
      return "set key inside bottom left";
    case Legend::outside:
      return "set key outside right top";
    case Legend::automatic:
    case Legend::none:
      break;
  }
  return "unset key";
}

/// What a legend beside the axes leaves for them, in pixels.
double room_of_axes(const Plot& plot) {
  constexpr double beside = 75.0, axis_names = 90.0;  // the samples of the legend, and left of the axes
  return size_in_pixels().first - legend_text(plot).widest - beside - axis_names;
}

/// Whether a legend outside goes below the axes, which would be a strip beside it.
bool below_axes(const Plot& plot, Legend place) {
  constexpr double least = 0.4;  // of the picture
  return place == Legend::outside && room_of_axes(plot) < least * size_in_pixels().first;
}

/// Lines that are wider than the picture broken between words. Widths of characters are rounded up.
std::string fitted(const std::string& words) {
  const double width = 1.05 * size_in_pixels().first;
  std::string text, line;
  const auto end_line = [&] {
    text += line + "\n";
    line.clear();
  };
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find_first_of(" \n", at), words.size());
    const std::string word = words.substr(at, end - at);
    if (!line.empty() && pixels_of(line + " " + word) > width) {
      end_line();
    }
    line += (line.empty() ? "" : " ") + word;
    if (end < words.size() && words[end] == '\n') {
      end_line();
    }
    at = end + 1;
  }
  return text + line;
}

/// The title above the axes; over the whole picture where a legend beside them leaves less than its lines take.
std::string title_of(const Plot& plot, Legend place) {
  const std::string words = fitted(titled(plot.title));
  double widest = 0.0, lines = 1.0;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('\n', begin), words.size());
    widest = std::max(widest, pixels_of(std::string_view(words).substr(begin, end - begin)));
    lines += begin == 0 ? 0.0 : 1.0;
    begin = end + 1;
  }
  if (place != Legend::outside || below_axes(plot, place) || widest <= room_of_axes(plot)) {
    return "set title " + quoted_lines(words) + " noenhanced offset 0,-0.2\n";
  }
  // Heights in lines of characters, as gnuplot counts margins.
  return "set tmargin " + shortest(1.3 * lines + 0.7) + "\nset label 1 " + quoted_lines(words) +
         " at screen 0.5, screen 1 center noenhanced offset 0,-1.2\n";
}

std::string data_block(const Plot& plot, std::size_t number, const Extents& extent) {
  const Series& series = plot.series[number];
  const auto foot = [&](double value) { return plot.y.logarithmic && !(value > 0.0) ? extent.y.lowest : value; };
  std::string text = std::string("$s") + std::to_string(number) + " << END\n";
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    text += cell(series.x[i], plot.x);
    if (series.style != Style::band) {
      text += std::string(" ") + cell(series.y[i], plot.y);
    }
    if (!series.lower.empty()) {
      text += std::string(" ") + cell(foot(series.lower[i]), plot.y) + " " + cell(foot(series.upper[i]), plot.y);
    }
    text += "\n";
  }
  return text + "END\n";
}

/// \param place  in the palette; behind its end the colours come again, with other marks and dashes.
std::string drawing(const Series& series, std::size_t number, std::size_t place) {
  constexpr std::array<std::string_view, 4> marks{"7 ps 0.6", "9 ps 0.8", "5 ps 0.6", "13 ps 0.8"};  // filled
  constexpr std::array<std::string_view, 3> dashes{"", " dashtype (2,4)", " dashtype (12,4,2,4)"};
  const std::size_t round = place / palette.size();
  const std::string mark = " pt " + std::string(marks[round % marks.size()]);
  const std::string with_colour = std::string(" lc rgb '").append(palette[place % palette.size()]) + "'";
  std::string text = std::string("$s") + std::to_string(number);
  switch (series.style) {
    case Style::line:
      text += std::string(" using 1:2 with lines lw 2.2").append(dashes[round % dashes.size()]) + with_colour;
      break;
    case Style::dashed:
      text += std::string(" using 1:2 with lines lw 2.2 dashtype (9,5)") + with_colour;
      break;
    case Style::points:
      text +=
          series.lower.empty() ? " using 1:2 with points" + mark : " using 1:2:3:4 with yerrorbars" + mark + " lw 1.6";
      text += with_colour;
      break;
    case Style::band:
      text += std::string(" using 1:2:3 with filledcurves fill transparent solid 0.22 noborder") + with_colour;
      break;
  }
  return text +
         (series.name.empty() ? " notitle" : std::string(" title ") + gnuplot_quoted(series.name) + " noenhanced");
}

std::string script(const Plot& plot, const std::string& terminal) {
  for (const Series& series : plot.series) {
    check(series);
  }
  const Extents extent = extents(plot);
  std::string text = std::string("set encoding utf8\nset terminal ") + terminal + "\n";
  text += "set datafile missing 'NaN'\nset border 3 lw 1.2 lc rgb '#444444'\nset tics nomirror out scale 0.6\n";
  text += "set style line 100 lw 0.8 lc rgb '#E4E4E4'\nset grid xtics ytics back linestyle 100\n";
  text += "set xtics textcolor rgb '#222222'\nset ytics textcolor rgb '#222222'\n";
  text += axis_script("x", plot.x, extent.x) + axis_script("y", plot.y, extent.y);
  const bool fixed = plot.legend == Legend::none || plot.legend == Legend::outside;
  const Legend place = fixed ? plot.legend : free_corner(plot, extent);
  const bool below = below_axes(plot, place);
  text += (below ? "set key below vertical maxcols 1" : std::string(legend(place))) + "\n" + title_of(plot, place);
  constexpr double most_decades = 1e8;  // that have room for their numbers beside a legend
  if (below && plot.x.logarithmic) {
    constexpr double number = 60.0;  // pixels of a power of ten and what is free beside it
    const double decades = std::log10(extent.x.highest / extent.x.lowest);
    text += "set xtics " +
            shortest(std::pow(10.0, std::max(1.0, std::ceil(decades * number / size_in_pixels().first)))) + "\n";
  } else if (place == Legend::outside && plot.x.logarithmic && extent.x.highest / extent.x.lowest > most_decades) {
    text += "set xtics 100\n";
  }
  if (plot.legend != Legend::none) {
    text += "set key Left reverse samplen 2.5 spacing 1.25 opaque fillcolor rgb '#F8FFFFFF' noenhanced\n";
    text += terminal.starts_with("svg") ? narrower(legend_text(plot)) : "";  // others measure the font
  }
  std::string drawings;
  std::size_t next = 0;
  // Bands first: curves and points stay on top of them.
  for (const bool bands : {true, false}) {
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      const Series& series = plot.series[i];
      if ((series.style == Style::band) != bands || series.x.empty()) {
        continue;
      }
      const std::size_t colour = series.colour ? static_cast<std::size_t>(std::max(0, *series.colour)) : next++;
      text += data_block(plot, i, extent);
      drawings += drawings.empty() ? "" : ", ";
      drawings += drawing(series, i, colour);
    }
  }
  return text + "plot " + drawings + "\n";
}

std::string render(const Plot& plot, const std::string& terminal) { return drawn_by_gnuplot(script(plot, terminal)); }

}  // namespace

Series line(std::string name, std::vector<double> x, std::vector<double> y) {
  return {Style::line, std::move(name), std::move(x), std::move(y), {}, {}, {}};
}

Series dashed(std::string name, std::vector<double> x, std::vector<double> y) {
  return {Style::dashed, std::move(name), std::move(x), std::move(y), {}, {}, {}};
}

Series points(std::string name, std::vector<double> x, std::vector<double> y, std::vector<double> lower,
              std::vector<double> upper) {
  return {Style::points, std::move(name), std::move(x), std::move(y), std::move(lower), std::move(upper), {}};
}

Series band(std::string name, std::vector<double> x, std::vector<double> lower, std::vector<double> upper) {
  return {Style::band, std::move(name), std::move(x), {}, std::move(lower), std::move(upper), {}};
}

Series coloured(Series series, int colour) {
  series.colour = colour;
  return series;
}

Series steps(std::string name, const std::vector<double>& x, const std::vector<double>& y, Side side) {
  Series series = line(std::move(name), {}, {});
  for (std::size_t i = 0; i + 1 < std::min(x.size(), y.size()); ++i) {
    const double value = side == Side::above ? std::max(y[i], y[i + 1]) : std::min(y[i], y[i + 1]);
    series.x.insert(series.x.end(), {x[i], x[i + 1]});
    series.y.insert(series.y.end(), {value, value});
  }
  return series;
}

std::string svg(const Plot& plot) {
  std::string picture =
      render(plot, "svg size " + size_of_terminal(1.0) + " dynamic enhanced font 'sans-serif,15' fontscale " +
                       shortest(shrink()) + " background rgb 'white'");
  const std::string unnamed = "<title>Gnuplot</title>";  // what a browser shows beside the pointer
  if (const auto at = picture.find(unnamed); at != std::string::npos) {
    const std::string title = titled(plot.title), words = escaped_html(title.substr(0, title.find('\n')));
    picture.replace(at, unnamed.size(), "<title>" + words + "</title>");
  }
  return picture;
}

std::string png(const Plot& plot) {
  return render(plot, "pngcairo size " + size_of_terminal(2.0) + " enhanced fontscale " + shortest(2.0 * shrink()) +
                          " linewidth 2 pointscale 2 font 'sans,10'");
}

std::string data(const Plot& plot) {
  const auto cell_at = [](const std::vector<double>& values, std::size_t i) {
    return i < values.size() ? shortest(values[i]) : std::string();
  };
  std::string text = "series,x,y,lower,upper\n";
  for (const Series& series : plot.series) {
    std::string name;
    for (const char c : series.name) {
      name += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      text += "\"" + name + "\"," + shortest(series.x[i]) + "," + cell_at(series.y, i) + "," +
              cell_at(series.lower, i) + "," + cell_at(series.upper, i) + "\n";
    }
  }
  return text;
}

std::string escaped_html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html(const Plot& plot) {
  const std::string picture = svg(plot);
  const auto start = picture.find("<svg");
  if (start == std::string::npos) {
    throw DataError("gnuplot drew no SVG");
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escaped_html(titled(plot.title)) +
         "</title>\n<style>body { margin: 2em auto; max-width: 60em; font-family: sans-serif; } "
         "svg { width: 100%; height: auto; }</style>\n</head>\n<body>\n" +
         picture.substr(start) + "</body>\n</html>\n";
}

void save(const Plot& plot, const std::string& path) {
  if (path.ends_with(".svg")) {
    write_file(path, svg(plot));
  } else if (path.ends_with(".png")) {
    write_file(path, png(plot));
  } else if (path.ends_with(".html")) {
    write_file(path, html(plot));
  } else if (path.ends_with(".pdf")) {
    write_file(path, render(plot, "pdfcairo size " + size_of_terminal(0.01, "in") +
                                      " enhanced font 'sans,15' fontscale " + shortest(shrink())));
  } else {
    throw DomainError("plot: '" + path + "' does not end in .svg, .png, .html or .pdf");
  }
  write_file(path + ".csv", data(plot));
}

}  // namespace dpcurves::io

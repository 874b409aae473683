// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

#include "validation/report/labels.hpp"

namespace dpcurves::validation::report {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Removes everything from `from` up to and including `to`, wherever it occurs.
void remove_between(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = text.find(to, at + from.size());
    if (end == std::string::npos) {
      return;
    }
    text.erase(at, end + to.size() - at);
  }
}

/// rgb(  0, 114, 178) as #0072b2: one spelling, which a style sheet can select.
std::string with_hexadecimal_colours(const std::string& svg) {
  static const std::regex colour(R"re(rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\))re");
  constexpr const char* digits = "0123456789abcdef";
  std::string result;
  auto from = svg.cbegin();
  for (std::sregex_iterator at(svg.begin(), svg.end(), colour), end; at != end; ++at) {
    result.append(from, (*at)[0].first);
    result += '#';
    for (const std::size_t k : {1U, 2U, 3U}) {
      const auto value = static_cast<unsigned>(std::stoul((*at)[k].str()));
      result += digits[(value >> 4U) & 15U];
      result += digits[value & 15U];
    }
    from = (*at)[0].second;
  }
  return result.append(from, svg.cend());
}

/// The texts of a picture with Greek letters.
std::string with_greek_texts(const std::string& svg) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t open = svg.find("<text>"); open != std::string::npos; open = svg.find("<text>", at)) {
    const std::size_t close = std::min(svg.find("</text>", open), svg.size());
    result += svg.substr(at, open - at) + with_letters(svg.substr(open, close - open));
    at = close;
  }
  return result + svg.substr(at);
}

}  // namespace

std::string inline_svg(const std::string& file, const std::string& title) {
  const std::size_t start = file.find("<svg"), head_end = file.find('>', start), end = file.rfind("</svg>");
  if (start == std::string::npos || head_end == std::string::npos || end == std::string::npos) {
    throw DataError("gnuplot drew no SVG for '" + title + "'");
  }
  std::string body = with_hexadecimal_colours(file.substr(head_end + 1, end - head_end - 1));
  remove_between(body, "<title>", "</title>");
  remove_between(body, "<desc>", "</desc>");
  remove_between(body, "<defs>", "</defs>");
  remove_between(body, "<rect x=\"0\" y=\"0\"", "/>");
  remove_between(body, " id=\"gnuplot_", "\"");
  replace_all(body, "xlink:href", "href");
  replace_all(body, " stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", "");
  replace_all(body, " font-family=\"sans-serif\" font-size=\"15.00\"", "");
  static const std::regex blanks(R"re([ \t]*\n[ \t\n]*)re"), empty_group(R"re(<g [^<>]*>\s*</g>)re");
  body = std::regex_replace(body, blanks, "\n");
  body = std::regex_replace(body, empty_group, "");
  replace_all(body, "\n\n", "\n");
  replace_all(body, ">\n<", "><");
  return "<svg class=\"plot\" viewBox=\"0 0 800 500\" role=\"img\" aria-label=\"" + io::escaped_html(title) + "\">" +
         with_greek_texts(body) + "</svg>";
}

std::string shared_shapes() {
  return "<svg class=\"shapes\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><circle id=\"gpDot\" r=\"0.5\" "
         "fill=\"currentColor\"/><circle id=\"gpPt6\" r=\"1\" fill=\"currentColor\" stroke=\"none\"/></defs></svg>\n";
}

Figure rate_figure(const Rate& rate) {
  double log_x = 0.0, log_y = 0.0;
  const auto count = static_cast<double>(rate.x.size());
  for (std::size_t i = 0; i < rate.x.size(); ++i) {
    log_x += std::log(rate.x[i]) / count;
    log_y += std::log(rate.y[i]) / count;
  }
  std::vector<double> lower, upper;
  for (const double x : rate.x) {
    const double steps = std::log(x) - log_x;
    const std::array<double, 2> ends{std::exp(log_y + rate.lowest_slope * steps),
                                     std::exp(log_y + rate.highest_slope * steps)};
    lower.push_back(std::min(ends[0], ends[1]));
    upper.push_back(std::max(ends[0], ends[1]));
  }
  io::Plot plot;
  plot.title = rate.label;
  plot.x = {.label = "what is varied", .logarithmic = true, .lowest = {}, .highest = {}};
  plot.y = {.label = "what is measured", .logarithmic = true, .lowest = {}, .highest = {}};
  plot.legend = rate.lowest_slope + rate.highest_slope > 0.0 ? io::Legend::top_left : io::Legend::top_right;
  plot.series = {
      io::band("slopes " + shortest(rate.lowest_slope) + " to " + shortest(rate.highest_slope), rate.x, lower, upper),
      io::points("computed", rate.x, rate.y)};
  return {rate.label, plot};
}

}  // namespace dpcurves::validation::report

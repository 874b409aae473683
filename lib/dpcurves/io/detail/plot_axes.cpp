// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/gnuplot.hpp>
#include <dpcurves/io/detail/plot_axes.hpp>

namespace dpcurves::io {
namespace {

/// Ticks of a logarithmic axis with fewer than three powers of ten: 1, 2, 5, or the odd digits too, which do not crowd,
/// or all of them, or equal steps.
std::vector<double> short_ticks(const Extent& range) {
  std::vector<double> ticks;
  const auto collect = [&](const std::vector<double>& digits) {
    ticks.clear();
    for (double power = std::floor(std::log10(range.lowest)); power <= std::log10(range.highest); power += 1.0) {
      for (const double digit : digits) {
        const double tick = digit * std::pow(10.0, power);
        if (tick >= range.lowest && tick <= range.highest) {
          ticks.push_back(tick);
        }
      }
    }
    return ticks.size() >= 3;
  };
  if (collect({1, 2, 5}) || collect({1, 2, 3, 5, 7}) || collect({1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    return ticks;
  }
  const double width = range.highest - range.lowest, power = std::pow(10.0, std::floor(std::log10(width)));
  const double step = power * (width < 2.0 * power ? 0.2 : width < 5.0 * power ? 0.5 : 1.0);
  ticks.clear();
  for (double k = std::ceil(range.lowest / step); k * step <= range.highest; k += 1.0) {
    ticks.push_back(k * step);
  }
  return ticks;
}

}  // namespace

bool drawable(double value, const Axis& axis) { return std::isfinite(value) && (!axis.logarithmic || value > 0.0); }

void Extent::see(double value, const Axis& axis) {
  if (drawable(value, axis)) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
}

Extents extents(const Plot& plot) {
  Extents all;
  for (const Series& series : plot.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      all.x.see(series.x[i], plot.x);
      for (const auto* values : {&series.y, &series.lower, &series.upper}) {
        if (i < values->size()) {
          all.y.see((*values)[i], plot.y);
        }
      }
    }
  }
  if (!(all.x.lowest <= all.x.highest) || !(all.y.lowest <= all.y.highest)) {
    throw DomainError("plot: no point to draw: no value is finite, or none above 0 for a logarithmic axis");
  }
  return all;
}

Extent range_of(const Axis& axis, const Extent& extent) {
  double low = axis.lowest.value_or(extent.lowest), high = axis.highest.value_or(extent.highest);
  if (axis.logarithmic && !(low > 0.0)) {
    low = extent.lowest;
  }
  if (!(low < high)) {  // one value only: open the axis around it
    low = axis.logarithmic ? low / 2.0 : low - 0.5 * std::max(1.0, std::abs(low));
    high = axis.logarithmic ? high * 2.0 : high + 0.5 * std::max(1.0, std::abs(high));
  } else if (!axis.lowest || !axis.highest) {
    const double margin = axis.logarithmic ? std::pow(high / low, 0.03) : 0.03 * (high - low);
    low = axis.lowest ? low : axis.logarithmic ? low / margin : extent.lowest == 0.0 ? 0.0 : low - margin;
    high = axis.highest ? high : axis.logarithmic ? high * margin : high + margin;
  }
  return {low, high};
}

double share(double value, const Axis& axis, const Extent& range) {
  return axis.logarithmic ? std::log(value / range.lowest) / std::log(range.highest / range.lowest)
                          : (value - range.lowest) / (range.highest - range.lowest);
}

std::string axis_script(const std::string& name, const Axis& axis, const Extent& extent) {
  const Extent range = range_of(axis, extent);
  std::string text = "set " + name + "label " + gnuplot_quoted(axis.label) + " noenhanced\n";
  text += "set " + name + "range [" + shortest(range.lowest) + ":" + shortest(range.highest) + "]\n";
  if (!axis.logarithmic) {
    return text + "set format " + name + " '%g'\n";
  }
  text += "set logscale " + name + " 10\n";
  const double powers = std::floor(std::log10(range.highest)) - std::ceil(std::log10(range.lowest)) + 1.0;
  if (powers < 3.0) {
    std::string list;
    for (const double tick : short_ticks(range)) {
      list += (list.empty() ? "" : ", ") + shortest(std::strtod(rounded(tick, 12).c_str(), nullptr));
    }
    return text + "set format " + name + " '%g'\nunset m" + name + "tics\nset " + name + "tics (" + list + ")\n";
  }
  const bool wide = extent.highest > 1e4 || extent.lowest < 1e-3;
  text += "set format " + name + (wide ? " '10^{%T}'\n" : " '%g'\n");
  const bool crowded = extent.highest / extent.lowest > 1e9;
  return text + (crowded ? "unset m" + name + "tics\n" : "set m" + name + "tics 10\n");
}

}  // namespace dpcurves::io

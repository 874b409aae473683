// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/strips.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/plot.hpp>

#include "validation/report/labels.hpp"

namespace dpcurves::validation::report {
namespace {

using Relation = Measurement::Relation;

constexpr std::size_t most_of_claim = 9, most_of_control = 4;

std::string percent(double position) { return rounded(100.0 * position, 4) + "%"; }

/// How far the comparison is from going wrong, on the strip; negative if it did. Those without numbers come last.
double slack(const Comparison& comparison) {
  const Measurement& m = comparison.measured;
  switch (m.relation) {
    case Relation::at_most:
      return 0.5 - position(m, m.upper);
    case Relation::at_least:
      return position(m, m.upper) - 0.5;
    case Relation::within:
      return 0.25 - std::abs(position(m, m.value) - 0.5);
    case Relation::none:
      break;
  }
  return comparison.holds ? 1.0 : -1.0;
}

/// The comparisons to show: broken ones first, then the tightest.
std::vector<const Comparison*> chosen(const Trial& trial, std::size_t most) {
  std::vector<const Comparison*> all;
  for (const Comparison& comparison : trial.all()) {
    all.push_back(&comparison);
  }
  std::stable_sort(all.begin(), all.end(), [](const Comparison* a, const Comparison* b) {
    return a->holds != b->holds ? b->holds : slack(*a) < slack(*b);
  });
  all.resize(std::min(all.size(), most));
  return all;
}

std::string strip(const Comparison& comparison) {
  const Measurement& m = comparison.measured;
  std::string svg = "<svg class=\"strip\" height=\"22\" role=\"img\" aria-label=\"" +
                    std::string(comparison.holds ? "within the claim" : "outside the claim") + "\">";
  if (m.relation == Relation::none) {
    return svg + "<text class=\"mark\" x=\"50%\" y=\"16\" text-anchor=\"middle\">" +
           (comparison.holds ? "✓ yes" : "✗ no") + "</text></svg>";
  }
  const double from = m.relation == Relation::at_most ? 0.0 : m.relation == Relation::at_least ? 0.5 : 0.25;
  const double width = 0.5;
  svg += "<line class=\"base\" x1=\"0\" x2=\"100%\" y1=\"11\" y2=\"11\"/><rect class=\"zone\" x=\"" + percent(from) +
         "\" y=\"3\" width=\"" + percent(width) + "\" height=\"16\"/>" +
         "<line class=\"claimed\" x1=\"50%\" x2=\"50%\" y1=\"1\" y2=\"21\"/>";
  if (m.lower < m.upper) {
    const std::string x1 = percent(position(m, m.lower)), x2 = percent(position(m, m.upper));
    svg += "<line class=\"interval\" x1=\"" + x1 + "\" x2=\"" + x2 + "\" y1=\"11\" y2=\"11\"/>";
    for (const auto& x : {x1, x2}) {
      svg += "<line class=\"interval\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"7\" y2=\"15\"/>";
    }
  }
  return svg + "<circle class=\"value\" cx=\"" + percent(std::clamp(position(m, m.value), 0.01, 0.99)) +
         "\" cy=\"11\" r=\"4.5\"/></svg>";
}

std::string row(const Comparison& comparison) {
  return "<li class=\"" + std::string(comparison.holds ? "in" : "out") + "\"><span class=\"what\">" +
         label_html(comparison.label) + "</span>" + strip(comparison) + "<span class=\"numbers\">" +
         label_html(comparison.numbers) + "</span></li>";
}

std::string list(const Trial& trial, std::size_t most, const std::string& title, const std::string& which) {
  const auto rows = chosen(trial, most);
  if (rows.empty()) {
    return "";
  }
  std::string html = "<h4>" + title;
  if (rows.size() < trial.comparisons()) {
    html +=
        " <small>" + which + std::to_string(rows.size()) + " of " + std::to_string(trial.comparisons()) + "</small>";
  }
  html += "</h4><ul class=\"strips\">";
  for (const Comparison* comparison : rows) {
    html += row(*comparison);
  }
  return html + "</ul>";
}

}  // namespace

double position(const Measurement& measured, double value) {
  const double from_claim = value - measured.claimed;
  if (from_claim == 0.0 || value == measured.claimed) {
    return 0.5;
  }
  double share = 0.0;  // in [-1, 1]
  if (measured.relation == Relation::within) {
    const double z = from_claim / measured.allowance;
    share = std::isinf(z) ? std::copysign(1.0, z) : z / (1.0 + std::abs(z));
  } else {
    share = std::isinf(from_claim) ? std::copysign(1.0, from_claim)
                                   : from_claim / (std::abs(value) + std::abs(measured.claimed));
  }
  return std::isnan(share) ? 1.0 : 0.5 + 0.5 * share;
}

std::string strips(const Outcome& outcome) {
  if (outcome.claim.all().empty() && outcome.control.all().empty()) {
    return "";
  }
  return "<figure class=\"picture\">" +
         list(outcome.claim, most_of_claim, "Measured against claimed", "the tightest ") +
         list(outcome.control, most_of_control, "Control: the same comparison of a broken claim", "") +
         "<figcaption>Dot: the measured value, with its interval where it has one. Line: what is claimed. Shaded: "
         "where the claim lets the value be. A quarter of a strip away from the line is a factor of 3 for a bound, "
         "and the allowed difference for an equality.</figcaption></figure>";
}

}  // namespace dpcurves::validation::report

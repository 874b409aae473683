// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/detail/findings.hpp>

namespace dpcurves::io {
namespace {

using Escapes = std::vector<std::pair<char, std::string_view>>;

std::string escaped(const std::string& text, const Escapes& escapes) {
  std::string out;
  for (const char c : text) {
    const auto found = std::find_if(escapes.begin(), escapes.end(), [&](const auto& one) { return one.first == c; });
    if (found != escapes.end()) {
      out += found->second;
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string xml(const std::string& text) {
  return escaped(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}});
}

std::string command(const std::string& text) { return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}}); }

std::string property(const std::string& text) {
  return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}});
}

}  // namespace

std::string junit(const std::string& suite, const std::vector<Finding>& findings) {
  const auto count = [&](Finding::Outcome outcome) {
    return std::to_string(
        std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.outcome == outcome; }));
  };
  const double seconds = std::accumulate(findings.begin(), findings.end(), 0.0,
                                         [](double sum, const Finding& f) { return sum + f.seconds.value_or(0.0); });
  const std::string counts = "tests=\"" + std::to_string(findings.size()) + "\" failures=\"" +
                             count(Finding::Outcome::failed) + "\" skipped=\"" + count(Finding::Outcome::skipped) +
                             "\" errors=\"0\" time=\"" + rounded(seconds, 3) + "\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts + ">\n  <testsuite name=\"" +
                    xml(suite) + "\" " + counts + ">\n";
  for (const Finding& finding : findings) {
    out += "    <testcase name=\"" + xml(finding.id) + "\" classname=\"" + xml(finding.subject) + "\"";
    out += finding.seconds ? " time=\"" + rounded(*finding.seconds, 3) + "\"" : "";
    std::string inside;
    if (finding.outcome != Finding::Outcome::passed) {
      inside += std::string("      <") + (finding.outcome == Finding::Outcome::failed ? "failure" : "skipped") +
                " message=\"" + xml(finding.message) + "\"/>\n";
    }
    if (!finding.output.empty()) {
      inside += "      <system-out>" + xml(finding.output) + "</system-out>\n";
    }
    out += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string workflow_commands(const std::vector<Annotation>& annotations) {
  std::string out;
  for (const Annotation& one : annotations) {
    out += "::" + one.level + " file=" + property(one.file) +
           (one.line == 0 ? "" : ",line=" + std::to_string(one.line)) + ",title=" + property(one.title) +
           "::" + command(one.message) + "\n";
  }
  return out;
}

}  // namespace dpcurves::io

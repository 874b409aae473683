// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/report.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <unistd.h>

#include <dpcurves/io/table.hpp>

#include "support/exit.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools {
namespace {

using queries::Tone;

const char* escape(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "\033[32m";
    case Tone::notice:
      return "\033[33m";
    case Tone::bad:
      return "\033[31m";
    case Tone::faint:
      return "\033[2m";
    case Tone::plain:
      return "";
  }
  return "";
}

std::string table_text(const queries::Table& table, bool colour) {
  io::TextTable set(table.names,
                    table.align.empty() ? std::vector<io::Align>(table.names.size(), io::Align::left) : table.align);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells, colours;
    for (const auto& cell : row) {
      cells.push_back(cell.text);
      std::replace(cells.back().begin(), cells.back().end(), '\n', ' ');
      colours.emplace_back(colour ? escape(cell.tone) : "");
    }
    set.add(std::move(cells), std::move(colours));
  }
  return set.text();
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) {
    return cell;
  }
  std::string out = "\"";
  for (const char c : cell) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + "\"";
}

/// A pipe would end a cell.
std::string escaped(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    out += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  }
  return out;
}

/// Lines with breaks at their ends, tables with bars.
std::string markdown(const queries::Report& report) {
  std::string text;
  const auto line = [&](const auto& cells, const auto& text_of) {
    for (const auto& cell : cells) {
      text += "| " + escaped(text_of(cell)) + " ";
    }
    text += "|\n";
  };
  for (const auto& block : report.blocks) {
    std::istringstream lines(block.text);
    for (std::string one; std::getline(lines, one);) {
      const auto start = one.find_first_not_of(' ');
      text += start == std::string::npos ? "\n" : one.substr(start) + "  \n";
    }
    text += "\n";
    if (!block.table) {
      continue;
    }
    line(block.table->names, [](const std::string& name) { return name; });
    for (std::size_t i = 0; i < block.table->names.size(); ++i) {
      const bool right = i < block.table->align.size() && block.table->align[i] == io::Align::right;
      text += right ? "| ---: " : "| --- ";
    }
    text += "|\n";
    for (const auto& row : block.table->rows) {
      line(row, [](const queries::Cell& cell) { return cell.text; });
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string csv_of(const queries::Table& table) {
  std::string text;
  const auto line = [&](const auto& cells, const auto& text_of) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += (i > 0 ? "," : "") + quoted(text_of(cells[i]));
    }
    text += "\n";
  };
  line(table.names, [](const std::string& name) { return name; });
  for (const auto& row : table.rows) {
    line(row, [](const queries::Cell& cell) { return cell.text; });
  }
  return text;
}

std::string rendered(const queries::Report& report, Format format, bool colour, double seconds) {
  if (format == Format::json) {
    Json json = result_head(report.schema, report.inputs);
    const Json results = json_of({report.results});
    for (const auto& [key, value] : results.items()) {
      json[key] = key == "wall_seconds" ? Json(seconds) : key == "seed" && report.seed ? Json(*report.seed) : value;
    }
    return pretty(json);
  }
  if (format == Format::csv) {
    return csv_of(report.rows);
  }
  if (format == Format::markdown) {
    return markdown(report);
  }
  std::string text;
  for (const auto& block : report.blocks) {
    text += io::broken_lines(block.text) + (block.table ? table_text(*block.table, colour) : std::string());
  }
  return text;
}

int show(const Common& common, const queries::Report& report, const std::string& plot, double seconds) {
  if (!plot.empty() && report.plot) {
    io::save(*report.plot, plot);
  }
  const bool colour = common.output.empty() && ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  emit(common, rendered(report, common.parsed_format(), colour, seconds));
  switch (report.outcome) {
    case queries::Outcome::refuted:
      return static_cast<int>(Exit::refuted);
    case queries::Outcome::refused:
      return static_cast<int>(Exit::domain);
    case queries::Outcome::undecided:
      return static_cast<int>(Exit::accuracy);
    case queries::Outcome::ok:
      break;
  }
  return static_cast<int>(Exit::ok);
}

}  // namespace dpcurves::tools

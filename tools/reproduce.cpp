// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves reproduce: a table or figure of a paper, beside the published numbers.
#include <CLI/CLI.hpp>

#include "reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/io/table.hpp>

#include "commands.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {
namespace reproduce {

bool Entry::agrees() const {
  if (!published) {
    return true;
  }
  const double half_unit = 0.5 * std::pow(10.0, -decimals);
  return std::abs(computed - *published) <= half_unit * (1.0 + 1e-9) + 4e-16 * std::abs(*published);
}

}  // namespace reproduce

namespace {

using reproduce::Entry;
using reproduce::Reproduced;
using reproduce::Reproduction;

std::vector<Reproduction> all_reproductions() {
  auto list = reproduce::shifted_interpolation_tables();
  for (auto* figures :
       {&reproduce::accountant_comparisons, &reproduce::shifted_interpolation_figures, &reproduce::noisy_hsgd_figures,
        &reproduce::kan_figures, &reproduce::dp_glm_networks_figures, &reproduce::long_tail_figures}) {
    auto more = figures();
    std::move(more.begin(), more.end(), std::back_inserter(list));
  }
  return list;
}

std::string fixed(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return shortest(std::round(value * unit) / unit);
}

std::string to_text(const Reproduction& what, const Reproduced& result) {
  std::string text = what.id + ": " + what.title + "\n";
  if (!result.entries.empty()) {
    auto names = result.label_columns;
    names.insert(names.end(), {"published", "computed", "difference", ""});
    std::vector<io::Align> alignment(names.size(), io::Align::right);
    std::fill_n(alignment.begin(), result.label_columns.size(), io::Align::left);
    alignment.back() = io::Align::left;
    io::TextTable table(names, alignment);
    std::size_t compared = 0;
    std::size_t agreeing = 0;
    for (const Entry& entry : result.entries) {
      auto cells = entry.labels;
      cells.push_back(entry.published ? fixed(*entry.published, entry.decimals) : "-");
      cells.push_back(rounded(entry.computed, 8));
      cells.push_back(entry.published ? rounded(entry.computed - *entry.published, 2) : "-");
      cells.push_back(entry.agrees() ? entry.remark : entry.remark.empty() ? "differs" : "differs: " + entry.remark);
      table.add(cells);
      compared += entry.published ? 1U : 0U;
      agreeing += entry.published && entry.agrees() ? 1U : 0U;
    }
    text += table.text();
    if (compared > 0) {
      text += std::to_string(agreeing) + " of " + std::to_string(compared) +
              " published numbers agree to the printed digits\n";
    }
  }
  for (const auto& note : result.notes) {
    text += note + "\n";
  }
  return text;
}

Json to_json(const Reproduction& what, const Reproduced& result, double seconds) {
  Json json = result_head("dpcurves/reproduce/1", {{"id", what.id}});
  json["seed"] = nullptr;
  json["wall_seconds"] = seconds;
  json["title"] = what.title;
  json["results"] = Json::array();
  for (const Entry& entry : result.entries) {
    Json row = Json::object();
    for (std::size_t i = 0; i < entry.labels.size(); ++i) {
      row[result.label_columns[i]] = entry.labels[i];
    }
    row["published"] = entry.published ? number(*entry.published) : Json(nullptr);
    row["computed"] = number(entry.computed);
    row["difference"] = entry.published ? number(entry.computed - *entry.published) : Json(nullptr);
    row["agrees"] = entry.published ? Json(entry.agrees()) : Json(nullptr);
    if (!entry.remark.empty()) {
      row["remark"] = entry.remark;
    }
    json["results"].push_back(std::move(row));
  }
  json["notes"] = result.notes;
  return json;
}

std::string to_csv(const Reproduced& result) {
  std::string text;
  for (const auto& name : result.label_columns) {
    text += name + ",";
  }
  text += "published,computed,difference\n";
  for (const Entry& entry : result.entries) {
    for (const auto& label : entry.labels) {
      text += (label.find_first_of(",\"") == std::string::npos ? label : "\"" + label + "\"") + ",";
    }
    text += (entry.published ? shortest(*entry.published) : "") + "," + shortest(entry.computed) + "," +
            (entry.published ? shortest(entry.computed - *entry.published) : "") + "\n";
  }
  return text;
}

}  // namespace

Action add_reproduce(CLI::App& app) {
  auto* command = app.add_subcommand("reproduce", "a table or figure of a paper beside the published numbers");
  command->footer(
      "Examples:\n"
      "  dpcurves reproduce shifted-interpolation/table-7\n"
      "  dpcurves reproduce shifted-interpolation/figure-1 --plot figure-1.svg\n"
      "  dpcurves reproduce --list");
  struct State {
    Common common;
    std::string id;
    std::string plot;
    bool list = false;
  };
  const auto state = std::make_shared<State>();
  command->add_option("ID", state->id, "PAPER/table-N or PAPER/figure-N, as --list prints it");
  command->add_flag("--list", state->list, "print all tables and figures");
  command->add_option("--plot", state->plot, "draw into FILE.svg, FILE.png or FILE.html")->type_name("FILE");
  declare_common(*command, state->common);
  return [state]() -> int {
    const Stopwatch clock;
    const auto all = all_reproductions();
    if (state->list) {
      std::string text;
      for (const Reproduction& what : all) {
        text += what.id + ": " + what.title + "\n";
      }
      emit(state->common, text);
      return 0;
    }
    if (state->id.empty()) {
      throw UsageError("ID: is required, or --list");
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const Reproduction& r) { return r.id == state->id; });
    if (found == all.end()) {
      std::vector<std::string> ids;
      for (const Reproduction& what : all) {
        ids.push_back(what.id);
      }
      throw UsageError("ID: there is no \"" + state->id + "\"" + suggestion(state->id, ids) + "; --list prints all");
    }
    check_plot(state->plot);
    const Reproduced result = [&] {
      const ProgressBar bar("computing " + found->id, state->common.quiet);
      return found->run();
    }();
    if (!state->plot.empty()) {
      if (!result.rasters.empty()) {
        io::save(result.rasters, result.rasters_per_row, state->plot);
      } else if (!result.plot) {
        throw UsageError("--plot: there is nothing to draw for " + state->id);
      } else {
        io::save(*result.plot, state->plot);
      }
    }
    switch (state->common.parsed_format()) {
      case Format::json:
        emit(state->common, pretty(to_json(*found, result, clock.seconds())));
        break;
      case Format::csv:
        emit(state->common, to_csv(result));
        break;
      case Format::text:
        emit(state->common, to_text(*found, result));
        break;
    }
    return 0;
  };
}

}  // namespace dpcurves::tools

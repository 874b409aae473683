// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves reproduce: a table or figure of a paper, beside the published numbers.
#include "reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/io/table.hpp>

#include "commands.hpp"
#include "support/leaves.hpp"

namespace dpcurves::tools {
namespace reproduce {

bool Entry::agrees() const {
  if (!published) {
    return true;
  }
  const double half_unit = 0.5 * std::pow(10.0, -decimals) + published_deviation.value_or(0.0);
  return std::abs(computed - *published) <= half_unit * (1.0 + 1e-9) + 4e-16 * std::abs(*published);
}

void Reproduced::add(std::vector<std::string> labels, double computed, std::string remark) {
  entries.push_back({.labels = std::move(labels), .computed = computed, .remark = std::move(remark)});
}

void Reproduced::compare(std::vector<std::string> labels, double computed, double published, int decimals,
                         std::string remark) {
  entries.push_back({std::move(labels), computed, published, decimals, std::move(remark)});
}

}  // namespace reproduce

namespace {

using reproduce::Entry;
using reproduce::OnData;
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

/// "stand-in"; for what was trained "as printed" or how far it is; else "differs", or nothing.
std::string verdict_of(const Entry& entry) {
  if (entry.stand_in) {
    return "stand-in";
  }
  if (entry.deviation && entry.published) {
    return entry.agrees() ? "as printed" : "differs by " + rounded(entry.computed - *entry.published, 2);
  }
  return entry.agrees() ? "" : "differs";
}

/// The title of what was computed.
std::string title_of(const Reproduction& what, const OnData& data) {
  return what.title + (data.folder.empty() && !data.full_size ? what.stands_in : "");
}

std::string to_text(const Reproduction& what, const Reproduced& result, const OnData& data) {
  std::string text = what.id + ": " + title_of(what, data) + "\n";
  if (!result.entries.empty()) {
    auto names = result.label_columns;
    names.insert(names.end(), {"published", "computed", "difference", ""});
    std::vector<io::Align> alignment(names.size(), io::Align::right);
    std::fill_n(alignment.begin(), result.label_columns.size(), io::Align::left);
    alignment.back() = io::Align::left;
    io::TextTable table(names, alignment);
    std::size_t compared = 0;
    std::size_t agreeing = 0;
    bool trained = false;
    for (const Entry& entry : result.entries) {
      auto cells = entry.labels;
      cells.push_back(entry.published ? fixed(*entry.published, entry.decimals) : "-");
      cells.push_back(rounded(entry.computed, 8));
      cells.push_back(entry.published ? rounded(entry.computed - *entry.published, 2) : "-");
      const std::string verdict = verdict_of(entry);
      cells.push_back(verdict + (verdict.empty() || entry.remark.empty() ? "" : ": ") + entry.remark);
      table.add(cells);
      const bool comparable = entry.published && !entry.stand_in;
      compared += comparable ? 1U : 0U;
      agreeing += comparable && entry.agrees() ? 1U : 0U;
      trained = trained || entry.deviation;
    }
    text += table.text();
    if (compared > 0) {
      text += std::to_string(agreeing) + " of " + std::to_string(compared) +
              " published numbers agree to the printed " + (trained ? "deviation\n" : "digits\n");
    }
  }
  for (const auto& note : result.notes) {
    text += note + "\n";
  }
  return text;
}

Json to_json(const Reproduction& what, const Reproduced& result, const OnData& data, double seconds) {
  Record inputs{{"id", {what.id}}};
  const bool trained = !data.folder.empty() || data.full_size;
  if (trained) {
    if (!data.folder.empty()) {
      inputs.add("data", {data.folder});
    }
    if (data.full_size) {
      inputs.add("full_size", {true});
    }
    inputs.add("repetitions", {static_cast<std::int64_t>(data.repetitions)});
  }
  Json json = result_head("dpcurves/reproduce/1", inputs);
  json["seed"] = trained ? Json(data.seed) : Json(nullptr);
  json["wall_seconds"] = seconds;
  json["title"] = title_of(what, data);
  json["results"] = Json::array();
  for (const Entry& entry : result.entries) {
    Json row = Json::object();
    for (std::size_t i = 0; i < entry.labels.size(); ++i) {
      row[result.label_columns[i]] = entry.labels[i];
    }
    row["published"] = entry.published ? number(*entry.published) : Json(nullptr);
    row["computed"] = number(entry.computed);
    row["difference"] = entry.published ? number(entry.computed - *entry.published) : Json(nullptr);
    row["agrees"] = entry.published && !entry.stand_in ? Json(entry.agrees()) : Json(nullptr);
    if (entry.deviation) {
      row["deviation"] = number(*entry.deviation);
      row["published_deviation"] = entry.published_deviation ? number(*entry.published_deviation) : Json(nullptr);
      row["verdict"] = verdict_of(entry);
    }
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

/// \throws UsageError  for --data or --full-size where they mean nothing.
void check_training(const Reproduction& what, const OnData& data) {
  const bool given = !data.folder.empty();
  if ((given || data.full_size) && !what.train) {
    throw UsageError(std::string(given ? "--data" : "--full-size") + ": nothing is trained for " + what.id);
  }
  if (given && what.takes == Reproduction::Takes::full_size) {
    throw UsageError("--data: the paper's data for " + what.id + " are drawn; --full-size takes its sizes");
  }
  if (data.full_size && what.takes == Reproduction::Takes::data) {
    throw UsageError("--full-size: " + what.id + " has one size, that of --data DIR");
  }
  if (data.full_size && !given && what.takes == Reproduction::Takes::data_and_full_size) {
    throw UsageError("--full-size: " + what.id + " trains on images, give --data DIR (sh data/fetch.sh mnist)");
  }
}

/// \throws UsageError  with the nearest id where there is none of that name.
const Reproduction& named(const std::vector<Reproduction>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Reproduction& one) { return one.id == id; });
  if (found == all.end()) {
    std::vector<std::string> ids;
    std::transform(all.begin(), all.end(), std::back_inserter(ids), [](const Reproduction& one) { return one.id; });
    throw UsageError("ID: there is no \"" + id + "\"" + suggestion(id, ids) + "; --list prints all");
  }
  return *found;
}

void draw(const Reproduced& result, const std::string& id, const std::string& plot) {
  require_option(!result.rasters.empty() || result.plot, "plot", "there is nothing to draw for " + id);
  if (!result.rasters.empty()) {
    io::save(result.rasters, result.rasters_per_row, plot);
  } else {
    io::save(*result.plot, plot);
  }
}

int answer(const Typed& typed) {
  const Stopwatch clock;
  const Values values = typed.values();
  const Common& common = typed.common;
  const auto all = all_reproductions();
  if (values.flag("list")) {
    std::string text;
    for (const Reproduction& what : all) {
      text += what.id + ": " + title_of(what, {}) + "\n";
    }
    emit(common, io::broken_lines(text));
    return 0;
  }
  if (typed.words.empty()) {
    throw UsageError("ID: is required, or --list");
  }
  const Reproduction& what = named(all, typed.words.front());
  const std::string plot = values.text_or("plot", "");
  check_plot(plot);
  ProgressBar bar("computing " + what.id, common.quiet);
  const OnData data{what.id,
                    values.text_or("data", ""),
                    values.flag("full-size"),
                    values.count_or("repetitions", 10),
                    values.text_or("resume", ""),
                    common.seed,
                    common.threads,
                    bar.follow()};
  check_training(what, data);
  const Reproduced result = data.folder.empty() && !data.full_size ? what.run() : what.train(data);
  Sharing::last_loop_done();
  if (!plot.empty()) {
    draw(result, what.id, plot);
  }
  switch (common.parsed_format()) {
    case Format::json:
      emit(common, pretty(to_json(what, result, data, clock.seconds())));
      break;
    case Format::csv:
      emit(common, to_csv(result));
      break;
    case Format::markdown:
    case Format::text:
      emit(common, io::broken_lines(to_text(what, result, data)));
      break;
  }
  return 0;
}

}  // namespace

Action add_reproduce(CLI::App& app) {
  Leaves leaves;
  leaves.add(
      app,
      {.name = "reproduce",
       .summary = "a table or figure of a paper beside the published numbers",
       .footer =
           "Examples:\n"
           "  dpcurves reproduce shifted-interpolation/table-7\n"
           "  dpcurves reproduce shifted-interpolation/figure-1 --plot figure-1.svg\n"
           "  dpcurves reproduce shifted-interpolation/table-2 --data data/sets/mnist --resume table-2.csv\n"
           "  dpcurves reproduce dp-glm-networks/figure-3 --data data/sets/mnist --full-size --resume figure-3.txt\n"
           "  dpcurves reproduce --list",
       .table =
           {{"list", OptionKind::flag, "", "print all tables and figures"},
            {"plot", OptionKind::text, "FILE", "draw into FILE.svg, .png, .html or .pdf"},
            {"data", OptionKind::text, "DIR", "train on the images in this folder (sh data/fetch.sh mnist)"},
            {"full-size", OptionKind::flag, "",
             "the sizes that the paper prints, as far as two cores can pay for them (up to days; the notes and the "
             "page say how long), with --data where images are trained on"},
            {"repetitions", OptionKind::count, "[2, 1000]",
             "with --data or --full-size: runs that are averaged, default 10"},
            {"resume", OptionKind::text, "FILE",
             "with --data or --full-size: keep each repetition in FILE, and take from it what is there"}},
       .run = answer,
       .argument = Argument{"ID", "PAPER/table-N or PAPER/figure-N, as --list prints it", 0}});
  return leaves.action();
}

}  // namespace dpcurves::tools

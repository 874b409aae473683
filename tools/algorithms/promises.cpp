// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "algorithms/promises.hpp"

#include <algorithm>
#include <iterator>

#include "support/json_record.hpp"
#include "support/report.hpp"
#include "support/run_options.hpp"

namespace dpcurves::tools {

queries::Promises promises(const Algorithm& algorithm, Values& values, const std::vector<Option>& table) {
  if (algorithm.complete) {
    algorithm.complete(values, table);
  }
  queries::Promises all{algorithm.name, record_of(values.echo(table)), {}, {}};
  Values setting = values;
  setting.erase("mu-delta-floor");  // a question, not the setting
  std::vector<Target> targets{{std::nullopt, 1e-5, {}, {}}};
  if (algorithm.chooses_for_target) {  // where total variation, rates of a percent and tiny rates are decided
    targets = {{0.0, std::nullopt, {}, {}}, {std::nullopt, 1e-3, {}, {}}, {std::nullopt, 1e-8, {}, {}}};
  }
  for (const Target& target : targets) {
    auto some = algorithm.guarantees(setting, target);
    std::move(some.begin(), some.end(), std::back_inserter(all.guarantees));
  }
  const bool hides = std::any_of(table.begin(), table.end(), [](const Option& one) { return one.name == "release"; });
  if (hides && values.text_or("release", "last-iterate") != "all") {
    all.notes.emplace_back("the attacker sees the last iterate only; with checkpoints use --release all");
  }
  return all;
}

void finish(queries::Report& report, const Values& values) {
  wrap(report);
  if (values.has(transcript_key)) {
    report.results.add(transcript_key, value_of(values.json(transcript_key)));
    report.blocks.insert(report.blocks.begin(), {transcript_text(values.json(transcript_key)), std::nullopt});
  }
}

void add_options(std::vector<Option>& table, std::vector<Option> more, const std::string& group) {
  for (Option& option : more) {
    const bool known =
        std::any_of(table.begin(), table.end(), [&](const Option& one) { return one.name == option.name; });
    if (!known) {
      option.group = group;
      table.push_back(std::move(option));
    }
  }
}

}  // namespace dpcurves::tools

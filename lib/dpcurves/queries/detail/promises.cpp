// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>

#include <dpcurves/queries/detail/option_record.hpp>
#include <dpcurves/queries/detail/promises.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/queries/detail/swept_subject.hpp>

namespace dpcurves::queries {

Promises promises(const Algorithm& algorithm, Values& values, const std::vector<Option>& table) {
  if (algorithm.complete) {
    algorithm.complete(values, table);
  }
  Promises all{algorithm.name, values.echo(table), {}, {}};
  Values setting = values;
  setting.add_defaults(algorithm.options);  // the table need not have all of them
  setting.erase("mu-delta-floor");          // a question, not the setting
  std::vector<Target> targets{{std::nullopt, 1e-5, {}, {}}};
  if (algorithm.chooses_for_target) {  // where total variation, rates of a percent and tiny rates are decided
    targets = {{0.0, std::nullopt, {}, {}}, {std::nullopt, 1e-3, {}, {}}, {std::nullopt, 1e-8, {}, {}}};
  }
  for (const Target& target : targets) {
    auto some = algorithm.guarantees(setting, target);
    std::move(some.begin(), some.end(), std::back_inserter(all.guarantees));
  }
  const bool hides = std::any_of(table.begin(), table.end(), [](const Option& one) { return one.name == "release"; });
  if (hides && values.text("release") != "all") {
    all.notes.emplace_back("the attacker sees the last iterate only; with checkpoints use --release all");
  }
  return all;
}

void finish(Report& report, const Values& values) {
  if (values.has(transcript_key)) {
    report.results.add(transcript_key, values.value(transcript_key));
    report.blocks.insert(report.blocks.begin(), {transcript_text(values), std::nullopt});
  }
}

std::vector<Option> curve_options(const Algorithm& algorithm) {
  auto options = algorithm.options;
  std::erase_if(options, [](const Option& one) { return one.name == "certificate"; });
  return options;
}

const std::vector<Subject>& attack_subjects() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> list;
    for (const auto& algorithm : algorithms()) {
      Subject one{.name = algorithm.name,
                  .summary = algorithm.summary,
                  .footer = "Without a question: the usual table.\nExample:\n  dpcurves attack " + algorithm.name +
                            " " + algorithm.example + " --fpr 1e-3",
                  .table = curve_options(algorithm)};
      add_options(one.table, options_of(describe<AttackQuestion>()), "Question");
      add_options(one.table, {plot_option("draw TPR against FPR")}, "Question");
      one.answer = [&algorithm, table = one.table](const Values& given, const Effort& effort) {
        Values values = given;
        const auto all_promises = promises(algorithm, values, table);
        auto report = attack(all_promises, setting_from<AttackQuestion>(values));
        add_run(report.results, algorithm, values);
        if (values.has("plot") || effort.pictures) {
          constexpr double lowest_rate = 1e-6;
          report.plot = attack_plot(all_promises, lowest_rate);
        }
        finish(report, values);
        return report;
      };
      list.push_back(with_sweep(std::move(one), [](const Report& first) {
        const auto& measures = first.blocks.front().table.value().rows;
        return SweptPicture{*first.inputs.at("algorithm").get<std::string>() + ": what an attacker can do at most",
                            (measures.size() == 1 ? measures.front().front().text + ", " : "") + "at most",
                            "at most",
                            "measure",
                            "measure,at most,bracket",
                            true};
      }));
    }
    return list;
  }();
  return all;
}

}  // namespace dpcurves::queries

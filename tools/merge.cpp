// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves merge: the answer to a question whose runs were computed in shards.
#include <memory>

#include <CLI/CLI.hpp>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/table.hpp>

#include "commands.hpp"
#include "program.hpp"
#include "support/exit.hpp"
#include "support/shard.hpp"

namespace dpcurves::tools {

void add_merge(CLI::App& app, Leaves& leaves) {
  auto* command = app.add_subcommand("merge", "the answer from the shards of a question (--shard)");
  command->footer(
      "Examples:\n"
      "  dpcurves simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --shard 1/2 --output 1.shard\n"
      "  dpcurves simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --shard 2/2 --output 2.shard\n"
      "  dpcurves merge 1.shard 2.shard");
  struct State {
    Common common;
    std::vector<std::string> files;
    bool list = false;
  };
  const auto state = std::make_shared<State>();
  command->add_option("FILE", state->files, "all shards of one question, in any order")->required();
  command->add_flag("--list", state->list, "print what each file holds");
  declare_common(*command, state->common);
  leaves.add(*command, [state, command](const Destination& to) -> int {
    state->common.to = to;
    if (state->list) {
      std::string text;
      for (const auto& file : state->files) {
        const Shard shard = read_shard(file);
        text += file + ": " + std::to_string(shard.share.index + 1) + "/" + std::to_string(shard.share.count) + " of " +
                command_line(shard.question.asked) + ", " + rounded(shard.seconds, 3) + " s\n";
      }
      emit(state->common, io::broken_lines(text));
      return static_cast<int>(Exit::ok);
    }
    if (command->get_option("--seed")->count() > 0) {
      throw UsageError("--seed: the shards have theirs");
    }
    std::vector<std::string> own{"--threads", std::to_string(state->common.threads)};
    if (command->get_option("--format")->count() > 0) {
      own.insert(own.end(), {"--format", state->common.format});
    }
    if (!state->common.output.empty()) {
      own.insert(own.end(), {"--output", state->common.output});
    }
    if (state->common.quiet) {
      own.emplace_back("--quiet");
    }
    return merge_shards(state->files, own,
                        [&to](const std::vector<std::string>& arguments) { return run_command(arguments, to); });
  });
}

}  // namespace dpcurves::tools

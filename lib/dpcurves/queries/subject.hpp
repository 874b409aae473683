// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a question may be about: a name, options, and the function that answers. Whoever shows a command line, a page
/// or a module for another language reads these tables, and asks the same functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/queries/options.hpp>
#include <dpcurves/queries/report.hpp>

namespace dpcurves::queries {

/// How a question is worked on; no answer depends on it.
struct Effort {
  unsigned threads = 0;   ///< at most; 0: as many as the machine has
  Progress progress{};    ///< is told what is done, from one thread at a time
  bool pictures = false;  ///< also where --plot does not ask for one
};

/// An algorithm or a problem under one command.
struct Subject {
  std::string name;                                              ///< "dp-sgd"
  std::string summary;                                           ///< one line
  std::string footer;                                            ///< remarks and examples
  std::vector<Option> table{};                                   ///< what may be given
  std::string formats = "text|json|csv|markdown";                ///< that make sense, the usual one first
  std::function<Report(const Values&, const Effort&)> answer{};  ///< \throws what the caller shows
};

/// The subject of that name. \throws UsageError  with the names there are. O(subjects).
[[nodiscard]] const Subject& subject(const std::vector<Subject>& subjects, const std::string& name);

/// Answers a record: the subject's name under `key`, options beside it ("noise_multiplier" is --noise-multiplier).
/// \throws UsageError  for unknown names and values outside their ranges; else as the subject's answer.
[[nodiscard]] Report ask(const std::vector<Subject>& subjects, const std::string& key, const Record& question,
                         const Effort& effort = {});

/// Tells the progress, if anybody listens. \throws Error  where it asks to stop.
void tell(const Effort& effort, std::size_t done, std::size_t total);

}  // namespace dpcurves::queries

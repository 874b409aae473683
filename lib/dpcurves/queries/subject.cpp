// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

const Subject& subject(const std::vector<Subject>& subjects, const std::string& name) {
  const auto found = std::find_if(subjects.begin(), subjects.end(), [&](const Subject& s) { return s.name == name; });
  if (found == subjects.end()) {
    std::vector<std::string> names;
    std::transform(subjects.begin(), subjects.end(), std::back_inserter(names),
                   [](const Subject& s) { return s.name; });
    throw UsageError("\"" + name + "\" is unknown" + suggestion(name, names));
  }
  return *found;
}

Report ask(const std::vector<Subject>& subjects, const std::string& key, const Record& question, const Effort& effort) {
  const auto* name = question.at(key).get<std::string>();
  if (name == nullptr) {
    throw UsageError(key + ": is no text");
  }
  const Subject& about = subject(subjects, *name);
  Record options;
  for (const auto& [entry, value] : question.entries()) {
    if (entry != key) {
      options.add(entry, value);
    }
  }
  return about.answer(checked_options(about.table, options), effort);
}

void tell(const Effort& effort, std::size_t done, std::size_t total) {
  if (effort.progress && !effort.progress(done, total)) {
    throw Error("stopped on request");
  }
}

}  // namespace dpcurves::queries

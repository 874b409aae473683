// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The measures of attacks: what is asked of one theorem, and how it is said. Internal.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/queries/attack.hpp>

namespace dpcurves::queries {

/// One measure by one theorem.
struct Answer {
  Enclosure value{};                                        ///< both ends
  std::string direction{};                                  ///< that decided, where there are several
  std::vector<std::pair<std::string, Enclosure>> beside{};  ///< "excess", ...
  std::string remark{};                                     ///< what a reader should know
};

/// One measure, where it is taken, and how it is asked.
struct Question {
  std::string measure;                             ///< "tpr"
  std::string label;                               ///< "TPR at FPR 0.01"
  std::vector<std::pair<std::string, double>> at;  ///< {"fpr", 0.01}
  std::string rests_on;                            ///< "attack/dual"
  std::function<Answer(attack::Attack&)> ask;      ///< of one theorem
};

/// What is asked, in the order of the table. \throws UsageError  as attack().
[[nodiscard]] std::vector<Question> questions(const AttackQuestion& asked);

}  // namespace dpcurves::queries

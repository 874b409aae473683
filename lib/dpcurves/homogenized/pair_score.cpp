// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/pair_score.hpp>

namespace dpcurves::homogenized {

double pair_score(const models::RecordPair& pair, const Eigen::ArrayXd& reference) {
  return pair_score_printed_form(pair, reference, 0.0);
}

double pair_score_printed_form(const models::RecordPair& pair, const Eigen::ArrayXd& reference, double regularisation) {
  Eigen::VectorXd gap = -regularisation * reference.matrix();
  double sign = -1.0;
  for (const auto* record : {&pair.first, &pair.second}) {
    const auto features = record->features.matrix();
    require_domain(features.size() == reference.size(), "number of features", static_cast<double>(features.size()),
                   "the length of the reference point");
    gap += sign * (features.dot(reference.matrix()) - record->label) * features;
    sign = 1.0;
  }
  return gap.norm();
}

}  // namespace dpcurves::homogenized

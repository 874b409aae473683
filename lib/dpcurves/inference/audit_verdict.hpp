// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An audit held against the certified curve of the run that was audited.
#pragma once

#include <string_view>

namespace dpcurves::inference {

/// What the scores say about the guarantee.
enum class AuditVerdict {
  consistent,  ///< not refuted, and the lower bound is half of the promise or more
  loose,       ///< not refuted, but attack or canaries are too weak to tell; no evidence of privacy
  undecided,   ///< the lower end of the curve is refuted, its upper end is not
  broken       ///< the upper end is refuted: the run is not what was said, or the guarantee is false
};
[[nodiscard]] std::string_view name(AuditVerdict verdict);  ///< "consistent", "loose", "undecided", "BROKEN"

/// \param rejected_above  the certified upper end of the curve is rejected at the significance of the verdict.
/// \param rejected_below  its lower end is. \param epsilon_lower, epsilon_upper  of the audit and of the promise, at
/// one delta, both at least 0. \throws DomainError  outside, or if only the upper end is rejected.
[[nodiscard]] AuditVerdict audit_verdict(bool rejected_above, bool rejected_below, double epsilon_lower,
                                         double epsilon_upper);

}  // namespace dpcurves::inference

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/audit_verdict.hpp>

namespace dpcurves::inference {

std::string_view name(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::consistent:
      return "consistent";
    case AuditVerdict::loose:
      return "loose";
    case AuditVerdict::undecided:
      return "undecided";
    case AuditVerdict::broken:
      break;
  }
  return "BROKEN";
}

AuditVerdict audit_verdict(bool rejected_above, bool rejected_below, double epsilon_lower, double epsilon_upper) {
  require_domain(epsilon_lower >= 0.0, "epsilon_lower", epsilon_lower, "[0, inf]");
  require_domain(epsilon_upper >= 0.0, "epsilon_upper", epsilon_upper, "[0, inf]");
  require_domain(rejected_below || !rejected_above, "rejected_below", 0.0, "true where rejected_above is");
  if (rejected_above) {
    return AuditVerdict::broken;
  }
  if (rejected_below) {
    return AuditVerdict::undecided;
  }
  return epsilon_lower >= 0.5 * epsilon_upper ? AuditVerdict::consistent : AuditVerdict::loose;
}

}  // namespace dpcurves::inference

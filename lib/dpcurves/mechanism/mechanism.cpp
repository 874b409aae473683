// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/names.hpp>
#include <dpcurves/mechanism/mechanism.hpp>

namespace dpcurves::mechanism {

std::string words(const Mechanism& m) {
  std::string text = shortest(m.count) + " x " + std::string(name_in(enumerators(m.kind), m.kind));
  const auto say = [&](const char* what, double value) { text += std::string(", ") + what + " " + shortest(value); };
  switch (m.kind) {
    case MechanismKind::discrete_laplace:
    case MechanismKind::discrete_gaussian:
      say("noise", m.noise);
      say("sensitivity", m.sensitivity);
      break;
    case MechanismKind::gaussian:
    case MechanismKind::laplace:
      say("noise", m.noise);
      break;
    case MechanismKind::gdp:
      say("mu", m.mu);
      break;
    case MechanismKind::zcdp:
      say("rho", m.rho);
      break;
    case MechanismKind::randomized_response:
      say("epsilon", m.epsilon);
      say("categories", m.categories);
      break;
    case MechanismKind::pure:
      say("epsilon", m.epsilon);
      break;
    case MechanismKind::approximate:
      say("epsilon", m.epsilon);
      say("delta", m.delta);
      break;
    case MechanismKind::mixture:
      text += " of " + std::to_string(m.means.size()) + " normal laws";
      break;
    case MechanismKind::losses:
      text += ", " + std::to_string(m.losses.size()) + " of them";
      break;
  }
  if (m.sampling_rate < 1.0) {
    say("sampling rate", m.sampling_rate);
  }
  return text;
}

}  // namespace dpcurves::mechanism

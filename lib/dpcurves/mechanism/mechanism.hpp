// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Mechanisms beside the noisy step: what their outputs look like, or what somebody claims of them. Makes no claim.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <dpcurves/core/field.hpp>

namespace dpcurves::mechanism {

/// What a component is.
enum class MechanismKind {
  gaussian,             ///< N(1/noise, 1) against N(0, 1); sampled: a Poisson-subsampled Gaussian step
  gdp,                  ///< mu-GDP claimed
  laplace,              ///< noise of scale `noise`, sensitivity 1
  discrete_laplace,     ///< P(k) ~ e^{-|k|/noise}, whole sensitivity
  discrete_gaussian,    ///< P(k) ~ e^{-k^2/(2 noise^2)}, whole sensitivity
  randomized_response,  ///< epsilon, among `categories` answers
  pure,                 ///< epsilon-DP claimed; exponential mechanism of range epsilon
  approximate,          ///< (epsilon, delta)-DP claimed
  zcdp,                 ///< rho-zCDP claimed: Renyi divergences, no pair of laws
  mixture,              ///< a sum of normal laws of unit variance against N(0, 1)
  losses                ///< given losses and masses
};
/// Their names.
constexpr std::array<std::pair<MechanismKind, std::string_view>, 11> enumerators(MechanismKind /*type*/) {
  return {{{MechanismKind::gaussian, "gaussian"},
           {MechanismKind::gdp, "gdp"},
           {MechanismKind::laplace, "laplace"},
           {MechanismKind::discrete_laplace, "discrete-laplace"},
           {MechanismKind::discrete_gaussian, "discrete-gaussian"},
           {MechanismKind::randomized_response, "randomized-response"},
           {MechanismKind::pure, "pure"},
           {MechanismKind::approximate, "approximate"},
           {MechanismKind::zcdp, "zcdp"},
           {MechanismKind::mixture, "mixture"},
           {MechanismKind::losses, "losses"}}};
}

/// One mechanism, composed with itself.
struct Mechanism {
  MechanismKind kind = MechanismKind::gaussian;  ///< which members count
  double count = 1.0;                            ///< how often
  double noise = 0.0;                            ///< deviation or scale over the sensitivity of 1; 0 hides nothing
  double sensitivity = 1.0;                      ///< whole, of discrete noise
  double epsilon = 0.0;                          ///< of a claim or of randomised response
  double delta = 0.0;                            ///< of a claim, in [0, 1]
  double mu = 0.0;                               ///< of a claim
  double rho = 0.0;                              ///< of a claim of zCDP
  double categories = 2.0;                       ///< of randomised response
  double sampling_rate = 1.0;                    ///< Poisson sampling of the records it sees; 0 releases nothing
  std::vector<double> losses{};                  ///< finite
  std::vector<double> masses{};                  ///< as many; 1 less their sum is the mass at infinity
  std::vector<double> weights{};                 ///< of a mixture, of sum 1 up to 1e-9: normalised
  std::vector<double> means{};                   ///< as many
  std::string name{};                            ///< a word for messages

  static constexpr std::tuple fields{
      required("kind", &Mechanism::kind, "what it is"),
      optional("count", &Mechanism::count, whole("[0, 1e15]"), "how often"),
      optional("noise", &Mechanism::noise, "[0, inf)", "deviation or scale over the sensitivity; 0 hides nothing"),
      optional("sensitivity", &Mechanism::sensitivity, whole("[0, 1e4]"), "of discrete noise"),
      optional("epsilon", &Mechanism::epsilon, "[0, 700]", "of a claim or of randomised response"),
      optional("delta", &Mechanism::delta, "[0, 1]", "of a claim"),
      optional("mu", &Mechanism::mu, "[0, 1e3]", "of a claim"),
      optional("rho", &Mechanism::rho, "[0, inf)", "of a claim of zCDP"),
      optional("categories", &Mechanism::categories, whole("[2, 1e15]"), "answers of randomised response"),
      optional("sampling_rate", &Mechanism::sampling_rate, "[0, 1]", "Poisson sampling of the records it sees"),
      optional("losses", &Mechanism::losses, "[-700, 700]", "privacy losses"),
      optional("masses", &Mechanism::masses, "[0, 1]", "their chances; what lacks is the mass at infinity"),
      optional("weights", &Mechanism::weights, "[0, 1]", "of the normal laws of a mixture; normalised"),
      optional("means", &Mechanism::means, "[-1e3, 1e3]", "of the normal laws of a mixture, in units of the noise"),
      optional("name", &Mechanism::name, "a word for messages")};
};

/// "10 x laplace, noise 1, sampling rate 0.1": its kind and the members that count.
[[nodiscard]] std::string words(const Mechanism& mechanism);

/// Whether only a bound of the mechanism is known, so that an answer has no lower end.
[[nodiscard]] constexpr bool claimed(MechanismKind kind) {
  return kind == MechanismKind::gdp || kind == MechanismKind::pure || kind == MechanismKind::approximate ||
         kind == MechanismKind::zcdp;
}

}  // namespace dpcurves::mechanism

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Mechanisms beside the Gaussian step, by their privacy losses, as components of one composition.
///
/// A loss is a set of atoms, a density c e^{r l} on an interval, and a mass at infinity; its moments E[e^{z l}] are
/// closed forms, and the composition is inverted as docs/theory/accountant/mixtures.md says.
///
/// Sources of the pairs: Dwork and Roth (2014) for Laplace and randomised response; Kairouz, Oh and Viswanath (2015)
/// for (epsilon, delta); Canonne, Kamath and Steinke (2020) for the discrete Gaussian; Zhu, Dong and Wang (2022),
/// Theorem 11, for Poisson sampling of a dominating pair.
#pragma once

#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/field.hpp>

namespace dpcurves::accounting {

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
  zcdp,                 ///< rho-zCDP claimed: refused, no pair of laws dominates it
  losses                ///< given losses and masses
};
/// Their names.
constexpr std::array<std::pair<MechanismKind, std::string_view>, 10> enumerators(MechanismKind /*type*/) {
  return {{{MechanismKind::gaussian, "gaussian"},
           {MechanismKind::gdp, "gdp"},
           {MechanismKind::laplace, "laplace"},
           {MechanismKind::discrete_laplace, "discrete-laplace"},
           {MechanismKind::discrete_gaussian, "discrete-gaussian"},
           {MechanismKind::randomized_response, "randomized-response"},
           {MechanismKind::pure, "pure"},
           {MechanismKind::approximate, "approximate"},
           {MechanismKind::zcdp, "zcdp"},
           {MechanismKind::losses, "losses"}}};
}

/// One mechanism, composed with itself.
struct Mechanism {
  MechanismKind kind = MechanismKind::gaussian;
  double count = 1.0;          ///< how often
  double noise = 0.0;          ///< deviation or scale over the sensitivity of 1; 0 hides nothing
  double sensitivity = 1.0;    ///< whole, of discrete noise
  double epsilon = 0.0;        ///< of a claim or of randomised response
  double delta = 0.0;          ///< of a claim, in [0, 1]
  double mu = 0.0;             ///< of a claim
  double categories = 2.0;     ///< of randomised response
  double sampling_rate = 1.0;  ///< Poisson sampling of the records it sees; 0 releases nothing
  std::vector<double> losses{};  ///< finite
  std::vector<double> masses{};  ///< as many; 1 less their sum is the mass at infinity

  static constexpr std::tuple fields{
      required("kind", &Mechanism::kind, "what it is"),
      optional("count", &Mechanism::count, whole("[0, 1e15]"), "how often"),
      optional("noise", &Mechanism::noise, "[0, inf)", "deviation or scale over the sensitivity; 0 hides nothing"),
      optional("sensitivity", &Mechanism::sensitivity, whole("[0, 1e4]"), "of discrete noise"),
      optional("epsilon", &Mechanism::epsilon, "[0, 700]", "of a claim or of randomised response"),
      optional("delta", &Mechanism::delta, "[0, 1]", "of a claim"),
      optional("mu", &Mechanism::mu, "[0, 1e3]", "of a claim"),
      optional("categories", &Mechanism::categories, whole("[2, 1e15]"), "answers of randomised response"),
      optional("sampling_rate", &Mechanism::sampling_rate, "[0, 1]", "Poisson sampling of the records it sees"),
      optional("losses", &Mechanism::losses, "[-700, 700]", "privacy losses"),
      optional("masses", &Mechanism::masses, "[0, 1]", "their chances; what lacks is the mass at infinity")};
};

/// The composition; `remove` or `add` matter for sampled mechanisms and given losses only.
/// Both ends proved for the composed pairs; a claim's pair is the worst that the claim allows. Renyi: [0, inf].
/// Relative width of delta about 1e-3 where nothing but atoms is composed, 1e-6 where Gaussian steps are too.
/// \throws DomainError  for zcdp and for a sampled Laplace or losses mechanism, with the reason, and for masses
/// above 1.
[[nodiscard]] CurvePtr mechanisms_curve(const std::vector<Mechanism>& mechanisms, bool remove);

}  // namespace dpcurves::accounting

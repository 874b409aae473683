// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Population risks of a generalised linear model, exactly: excess risks where it is well specified, risks where labels
/// come from another link.
///
/// Labels have conditional mean link(<w*, x>). The risk excess of w is E(link(<w,x>) - link(<w*,x>))^2, and that of the
/// convex surrogate is the mean Bregman divergence E[S(a) - S(b) - link(b)(a - b)], a = <w,x>, b = <w*,x>, S' = link.
/// Both depend on w and w* only through their norms and the cosine of their angle when x is rotation invariant.
///
/// Features: standard Gaussian in R^d (any d >= 2), or uniform on the unit sphere of R^d, d >= 3.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", section 4.1.1 and Lemma 3; the
/// closed form of erf is that of Williams (1998), of ReLU that of Cho and Saul (2009).
#pragma once

#include <dpcurves/core/field.hpp>
#include <dpcurves/models/link.hpp>

namespace dpcurves::models {

/// w and w* as far as a rotation-invariant law sees them.
struct ParameterPair {
  double norm = 0.0;
  double true_norm = 0.0;
  double cosine = 1.0;
  static constexpr std::tuple fields{required("norm", "norm_w", &ParameterPair::norm, "[0, inf)", "|w|"),
                                     required("true_norm", "norm_wstar", &ParameterPair::true_norm, "[0, inf)", "|w*|"),
                                     required("cosine", "cos", &ParameterPair::cosine, "[-1, 1]",
                                              "cosine of the angle between w and w*, without effect if a norm is 0")};
};

/// |w - w*|^2 without cancellation. \throws DomainError for values outside; so for all below.
[[nodiscard]] double squared_distance(const ParameterPair& pair);

/// Both excesses of a well-specified model.
struct PopulationRisk {
  double risk_excess = 0.0;
  double surrogate_excess = 0.0;
  static constexpr std::tuple fields{
      result("risk_excess", &PopulationRisk::risk_excess, "E(link(<w,x>) - link(<w*,x>))^2"),
      result("surrogate_excess", &PopulationRisk::surrogate_excess, "of the convex surrogate")};
};

/// ReLU link: a^2/2 + b^2/2 - (ab/pi)(sin t + (pi - t) cos t), and |w - w*|^2/4. Gaussian x, or x uniform on the sphere
/// of radius sqrt(d). Accuracy: 1e-14 relative, also for tiny angles.
[[nodiscard]] PopulationRisk relu_risk(const ParameterPair& pair);

/// erf link, Gaussian x: the risk excess K(a,a) + K(b,b) - 2 K(a,b), K = (2/pi) asin(2c/sqrt((1+2a^2)(1+2b^2))).
/// Evaluated with 100 digits, so that near vectors cost none. Accuracy: 1e-15 relative. Cost: about 0.2 ms.
[[nodiscard]] double erf_risk(const ParameterPair& pair);

/// Smooth links whose risks are integrals. The risk of tanh is that of the sigmoid at doubled norms.
enum class SmoothLink { sigmoid, tanh };

/// Its Lipschitz constant G: 1/4 and 1.
[[nodiscard]] double lipschitz(SmoothLink link);

/// Gaussian x: Gauss-Legendre panels in two coordinates, graded towards the lines <w,x> = 0 and <w*,x> = 0, where the
/// link turns. The integrand is formed from w - w*, so that near vectors cost no digits.
/// Accuracy: 1e-12 relative for norms from 1e-150 to 1e12, and cosines up to the ends; past them the cost stops
/// growing. Cost: 10 to 200 ms.
[[nodiscard]] PopulationRisk gaussian_risk(SmoothLink link, const ParameterPair& pair);

/// x uniform on the unit sphere of R^d. Accuracy and cost as gaussian_risk.
/// \param dimension  d, an integer >= 3 and at most 1e15.
[[nodiscard]] PopulationRisk sphere_risk(SmoothLink link, const ParameterPair& pair, double dimension);

/// Of labels y = truth(<w*, x>) + noise of mean 0, whatever the link of the model.
struct LabelledRisk {
  double risk = 0.0;  ///< E(link(<w,x>) - y)^2, `miss` plus the variance of the noise
  double miss = 0.0;  ///< E(link(<w,x>) - truth(<w*,x>))^2
  /// E[S(<w,x>) - y <w,x>], S' = link; its minimiser over w is what phased SGD converges to, and need not minimise
  /// the risk.
  double surrogate = 0.0;
};

/// Gaussian x. Any links but hard-tanh, with slopes; a sign is 0 at 0. With truth = link, `miss` is the risk excess of
/// gaussian_risk, which keeps the digits of near vectors.
/// Accuracy: 1e-12 relative (risk and miss, of 1 + the squares of both norms where links are unbounded and miss is
/// small; surrogate: of E S + E|y <w,x>|), norms times slopes from 1e-140 to 1e9. Cost: 10 to 300 ms.
/// \throws DomainError  as above, for hard-tanh and unless noise_variance >= 0.
[[nodiscard]] LabelledRisk gaussian_labelled_risk(const Link& link, const Link& truth, const ParameterPair& pair,
                                                  double noise_variance);

/// x uniform on the unit sphere of R^d, d as in sphere_risk.
[[nodiscard]] LabelledRisk sphere_labelled_risk(const Link& link, const Link& truth, const ParameterPair& pair,
                                                double noise_variance, double dimension);

}  // namespace dpcurves::models

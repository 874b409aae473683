// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Links of generalised linear models, and the convex surrogate of the squared loss that a monotone link has.
///
/// A link is a non-decreasing function of u = <w, x>, here one of nine with its argument multiplied by a slope kappa.
/// The surrogate loss of a record is ell(w; x, y) = S(u) - y u with S(u) = integral of the link over [0, u]; its
/// gradient is (link(u) - y) x. The surrogate excess of a well-specified model is a Bregman divergence of S.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", section 4.1.1.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dpcurves::models {

/// g of the link; sign is the limit of ever steeper links.
enum class LinkKind { sigmoid, tanh, relu, identity, probit, erf, arctan, hard_tanh, sign };
/// Their names.
constexpr std::array<std::pair<LinkKind, std::string_view>, 9> enumerators(LinkKind /*type*/) {
  return {{{LinkKind::sigmoid, "sigmoid"},
           {LinkKind::tanh, "tanh"},
           {LinkKind::relu, "relu"},
           {LinkKind::identity, "identity"},
           {LinkKind::probit, "probit"},
           {LinkKind::erf, "erf"},
           {LinkKind::arctan, "arctan"},
           {LinkKind::hard_tanh, "hardtanh"},
           {LinkKind::sign, "sign"}}};
}

/// u -> g(slope u). Values, derivatives and primitives accept infinite arguments; NaN gives NaN, nothing throws.
struct Link {
  LinkKind kind = LinkKind::tanh;  ///< g
  double slope = 1.0;              ///< kappa > 0, finite

  /// g(kappa u). Accuracy: relative 1e-15, for probit 4e-15. The sign link is 0 at 0.
  [[nodiscard]] double value(double u) const;

  /// kappa g'(kappa u) without cancellation, also far out. At a kink the slope on the right; 0 for the sign link.
  [[nodiscard]] double derivative(double u) const;

  /// S(u), the integral of the link over [0, u]; at infinity its limit. Accuracy: relative 1e-14.
  [[nodiscard]] double primitive(double u) const;

  /// S(a) - S(b) - link(b) (a - b) >= 0, without cancellation; a and b finite, for arctan below 1e150.
  ///
  /// Near a = b it is an integral of a positive function, (a - b)^2 times a mean of link'; elsewhere a closed form.
  /// Accuracy: relative 2e-13 wherever the result is a normal double and a - b is exact (slope 1: else what
  /// rounding slope b moves is added). Cost: below 1 us.
  [[nodiscard]] double bregman(double a, double b) const;

  /// The least Lipschitz constant G: kappa/4 (sigmoid), kappa (tanh, relu, identity, arctan, hard-tanh),
  /// kappa/sqrt(2 pi) (probit), 2 kappa/sqrt(pi) (erf), infinite (sign).
  [[nodiscard]] double lipschitz() const;

  /// Infimum and supremum of the link; infinite for relu and identity.
  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;  ///< The supremum.

  /// The least B with link values in [-B, B]: 1 but for arctan (pi/2), relu and identity (infinite).
  [[nodiscard]] double bound() const;
};

/// ell = S(u) - y u of a record with label y at u = <w, x>; unbounded labels and u are accepted.
[[nodiscard]] double surrogate_loss(const Link& link, double u, double label);

/// The factor link(u) - y of x in the gradient of the surrogate loss.
[[nodiscard]] inline double surrogate_slope(const Link& link, double u, double label) { return link.value(u) - label; }

/// A link with its argument multiplied by `slope`. \throws DomainError unless slope is in (0, inf).
[[nodiscard]] Link make_link(LinkKind kind, double slope = 1.0);

/// "sigmoid", "tanh", "relu", "identity", "probit", "erf", "arctan", "hardtanh", "sign".
[[nodiscard]] std::string to_string(LinkKind kind);
[[nodiscard]] const std::vector<LinkKind>& all_links();  ///< every kind once, in the order of the enumeration

/// The link of a name. \throws DomainError that lists the names.
[[nodiscard]] LinkKind link_of(const std::string& name);

}  // namespace dpcurves::models

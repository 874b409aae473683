// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/detail/answers.hpp>
#include <dpcurves/accounting/detail/dominated.hpp>
#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting {
namespace {

class GaussianCurve final : public PrivacyCurve {
 public:
  explicit GaussianCurve(Enclosure mu) : mu_(mu) {
    require_domain(mu.lower >= 0.0, "mu.lower", mu.lower, "[0, mu.upper]");
    require_domain(mu.upper >= mu.lower && std::isfinite(mu.upper), "mu.upper", mu.upper, "[mu.lower, inf)");
  }
  Answer delta(double epsilon) const override { return {tradeoff::delta_enclosure(epsilon, mu_), method}; }
  Answer epsilon(double delta) const override { return {tradeoff::epsilon_enclosure(delta, mu_), method}; }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return mapped(type_one_errors, [&](double a) { return tradeoff::gaussian_enclosure(a, mu_); });
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    if (mu_.upper == 0.0) {
      return exactly(0.0);
    }
    const double lower = mu_.lower > 0.0 ? 0.5 * order * mu_.lower * mu_.lower : 0.0;  // not inf * 0
    return clamp(outward({lower, 0.5 * order * mu_.upper * mu_.upper}, 1e-15), 0.0, infinity);
  }
  std::optional<Enclosure> mu() const override { return mu_; }
  Methods methods() const override { return {by_closed_form, by_closed_form, by_closed_form}; }

 private:
  static constexpr const char* method = by_closed_form;
  Enclosure mu_;
};

class CompositionCurve final : public PrivacyCurve {
 public:
  CompositionCurve(Composition composition, Accuracy accuracy)
      : composition_(std::move(composition)), accuracy_(accuracy) {
    detail::check(composition_);
  }
  Answer delta(double epsilon) const override { return delta_unless_below(epsilon, 0.0); }
  Answer epsilon(double delta) const override { return epsilon_unless_below(delta, {0.0, 0.0}); }
  Answer delta_unless_below(double epsilon, double bar) const override {
    const DeltaBound bound = delta_at(composition_, epsilon, {accuracy_.relative, accuracy_.verify, bar});
    return {bound.delta, bound.method};
  }
  Answer epsilon_unless_below(double delta, Enclosure bar) const override {
    const EpsilonBound bound = epsilon_at(composition_, delta, {accuracy_.relative, accuracy_.verify, bar.lower});
    return {bound.epsilon, bound.method};
  }
  // Where questions share what they build: alone there is nothing to share.
  bool surely_below(double epsilon, double delta) const override {
    SharedContours* const shared = accuracy_.verify ? nullptr : SharedContours::current();
    return shared != nullptr && shared->upper_bounds().prove(composition_, epsilon, delta, accuracy_);
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return tradeoff(composition_, type_one_errors, accuracy_);
  }
  std::vector<Enclosure> deltas(std::span<const double> epsilons) const override {
    return mapped(deltas_at(composition_, epsilons, accuracy_), [&](const DeltaBound& bound) { return bound.delta; });
  }
  DeltaQuestions questions() const override {
    const auto session = std::make_shared<DeltaSession>(composition_, accuracy_);
    return [session](std::span<const double> epsilons) {
      return mapped(epsilons, [&](double epsilon) { return session->delta(epsilon).delta; });
    };
  }
  Enclosure renyi(double order) const override { return accounting::renyi(composition_, order); }
  Methods methods() const override {
    const bool sampled = std::any_of(composition_.components.begin(), composition_.components.end(),
                                     [](const SubsampledGaussian& one) { return one.sampling_rate < 1.0; });
    return {by_tangents, sampled ? by_quadrature : by_closed_form, ""};
  }

 private:
  Composition composition_;
  Accuracy accuracy_;
};

// Randomised response is the worst (epsilon, 0)-private pair: probabilities e^eps : 1.
class PureCurve final : public PrivacyCurve {
 public:
  explicit PureCurve(double epsilon) : epsilon_(epsilon) {
    require_domain(epsilon >= 0.0, "epsilon", epsilon, "[0, inf]");
  }
  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    if (epsilon >= epsilon_) {
      return {exactly(0.0), method};
    }
    // (e^a - e^x) / (1 + e^a) on [-a, a], and 1 - e^x below.
    const double value =
        epsilon <= -epsilon_ ? -std::expm1(epsilon) : -std::expm1(epsilon - epsilon_) / (1.0 + std::exp(-epsilon_));
    return {clamp(outward(exactly(value), 1e-15), 0.0, 1.0), method};
  }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const double lost = delta * (1.0 + std::exp(-epsilon_));
    if (lost >= 1.0) {
      return {exactly(0.0), method};
    }
    const double value = epsilon_ + std::log1p(-lost);
    return {clamp(around(value, 4e-16 * (epsilon_ + std::abs(std::log1p(-lost)))), 0.0, infinity), method};
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      const double left = a == 0.0 ? 1.0 : 1.0 - std::exp(epsilon_) * a;
      const double value = std::max({0.0, left, std::exp(-epsilon_) * (1.0 - a)});
      result.push_back(clamp(around(value, a == 0.0 || a == 1.0 ? 0.0 : 4e-16 * (value + 1.0)), 0.0, 1.0 - a));
    }
    return result;
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    if (epsilon_ == 0.0 || std::isinf(epsilon_) || std::isinf(order)) {
      return exactly(epsilon_);
    }
    // log((e^{a eps} + e^{(1 - a) eps}) / (1 + e^eps)) / (a - 1)
    const double excess = std::log1p(std::exp((1.0 - 2.0 * order) * epsilon_)) - std::log1p(std::exp(-epsilon_));
    const double value = epsilon_ + excess / (order - 1.0);
    return clamp(around(value, 4e-16 * (epsilon_ + 2.0 / (order - 1.0))), 0.0, epsilon_);
  }

  /// (epsilon, 0)-DP implies mu-GDP, Appendix D.4.
  std::optional<Enclosure> mu() const override {
    constexpr double accuracy = 2e-13;
    return std::isinf(epsilon_)
               ? std::nullopt
               : std::optional(clamp(outward(exactly(tradeoff::pure_dp_to_gdp(epsilon_)), accuracy), 0.0, infinity));
  }
  Methods methods() const override { return {by_closed_form, by_closed_form, by_closed_form}; }

 private:
  static constexpr const char* method = by_closed_form;
  double epsilon_;
};

// The pointwise best or worst of several curves.
class ExtremeCurve final : public PrivacyCurve {
 public:
  enum class Kind { best, worst };

  ExtremeCurve(Kind kind, std::vector<DirectedCurve> parts, std::optional<Enclosure> mu)
      : worst_(kind == Kind::worst), parts_(std::move(parts)), mu_(mu) {
    require_domain(!parts_.empty(), "curves", 0.0, "at least one curve");
    for (const DirectedCurve& part : parts_) {
      require_domain(part.curve != nullptr, "curves", std::nan(""), "curves that are not null");
    }
  }
  Answer delta(double epsilon) const override {
    return decide(
        [epsilon](const PrivacyCurve& curve, Enclosure bar) { return curve.delta_unless_below(epsilon, bar.lower); },
        [](const PrivacyCurve&, double) { return false; });
  }
  Answer epsilon(double delta) const override {
    return decide([delta](const PrivacyCurve& curve, Enclosure bar) { return curve.epsilon_unless_below(delta, bar); },
                  [delta](const PrivacyCurve& curve, double found) { return curve.surely_below(found, delta); });
  }
  std::vector<Enclosure> deltas(std::span<const double> epsilons) const override {
    return decide_each(epsilons,
                       [this](std::size_t i, std::span<const double> some) { return parts_[i].curve->deltas(some); });
  }
  DeltaQuestions questions() const override {
    std::vector<DeltaQuestions> asked;
    for (const DirectedCurve& part : parts_) {
      asked.push_back(part.curve->questions());
    }
    return [this, asked](std::span<const double> epsilons) {
      return decide_each(epsilons, [&asked](std::size_t i, std::span<const double> some) { return asked[i](some); });
    };
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return merge([type_one_errors](const PrivacyCurve& curve) { return curve.type_two_errors(type_one_errors); },
                 !worst_);
  }
  Enclosure renyi(double order) const override {
    Enclosure result = parts_.front().curve->renyi(order);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      result = pick(result, parts_[i].curve->renyi(order), worst_);
    }
    return result;
  }
  std::optional<Enclosure> mu() const override {
    if (mu_) {
      return mu_;
    }
    std::optional<Enclosure> result;
    for (const DirectedCurve& part : parts_) {
      const auto mu = part.curve->mu();
      if (mu) {
        result = result ? pick(*result, *mu, worst_) : *mu;
      } else if (worst_) {
        return std::nullopt;
      }
    }
    return result;
  }
  /// Those of all parts: which of them decides depends on what is asked.
  Methods methods() const override {
    Methods all = parts_.front().curve->methods();
    const auto add = [](std::string& words, const std::string& more) {
      if (words.find(more) == std::string::npos) {
        words += (words.empty() ? "" : "; ") + more;
      }
    };
    for (const DirectedCurve& part : parts_) {
      const Methods other = part.curve->methods();
      add(all.tradeoff, other.tradeoff);
      add(all.renyi, other.renyi);
      add(all.mu, other.mu);
    }
    if (mu_) {
      all.mu = by_closed_form;
    }
    return all;
  }

 private:
  static Enclosure pick(const Enclosure& a, const Enclosure& b, bool larger) {
    return larger ? Enclosure{std::max(a.lower, b.lower), std::max(a.upper, b.upper)}
                  : Enclosure{std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
  }
  /// \param surely_below  whether a part needs not be asked, because it is below the lower end so far.
  template <class Ask, class Below>
  Answer decide(const Ask& ask, const Below& surely_below) const {
    Answer result;
    for (const DirectedCurve& part : parts_) {
      if (worst_ && &part != &parts_.front() && surely_below(*part.curve, result.value.lower)) {
        continue;
      }
      Answer other = ask(*part.curve, worst_ ? result.value : exactly(0.0));
      if (&part == &parts_.front()) {
        result = std::move(other);
        result.direction = part.direction;
        continue;
      }
      if (worst_ ? other.value.upper > result.value.upper : other.value.upper < result.value.upper) {
        result.method = other.method;
        result.direction = part.direction;
      }
      result.value = pick(result.value, other.value, worst_);
    }
    return result;
  }
  /// The same of deltas at many thresholds. \param ask  the part of a number at some of them.
  template <class Ask>
  std::vector<Enclosure> decide_each(std::span<const double> epsilons, const Ask& ask) const {
    std::vector<Enclosure> result = ask(std::size_t{0}, epsilons);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      std::vector<std::size_t> open;
      std::vector<double> at;
      for (std::size_t k = 0; k < epsilons.size(); ++k) {
        if (!(worst_ && parts_[i].curve->surely_below(epsilons[k], result[k].lower))) {
          open.push_back(k);
          at.push_back(epsilons[k]);
        }
      }
      const std::vector<Enclosure> other = ask(i, at);
      for (std::size_t k = 0; k < open.size(); ++k) {
        result[open[k]] = pick(result[open[k]], other[k], worst_);
      }
    }
    return result;
  }
  template <class Ask>
  std::vector<Enclosure> merge(const Ask& ask, bool larger) const {
    std::vector<Enclosure> result = ask(*parts_.front().curve);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const std::vector<Enclosure> other = ask(*parts_[i].curve);
      for (std::size_t k = 0; k < result.size(); ++k) {
        result[k] = pick(result[k], other[k], larger);
      }
    }
    return result;
  }

  bool worst_;
  std::vector<DirectedCurve> parts_;
  std::optional<Enclosure> mu_;
};

}  // namespace

Answer PrivacyCurve::delta_unless_below(double epsilon, double /*bar*/) const { return delta(epsilon); }

Answer PrivacyCurve::epsilon_unless_below(double delta, Enclosure bar) const {
  return bar.lower > 0.0 && surely_below(bar.lower, delta) ? Answer{{0.0, bar.lower}, by_other_direction}
                                                           : epsilon(delta);
}

bool PrivacyCurve::surely_below(double /*epsilon*/, double /*delta*/) const { return false; }

std::vector<Enclosure> PrivacyCurve::deltas(std::span<const double> epsilons) const {
  return mapped(epsilons, [&](double epsilon) { return delta(epsilon).value; });
}

DeltaQuestions PrivacyCurve::questions() const {
  return [this](std::span<const double> epsilons) { return deltas(epsilons); };
}

CurvePtr gaussian_curve(Enclosure mu) { return std::make_shared<GaussianCurve>(mu); }

CurvePtr composition_curve(Composition composition, Accuracy accuracy) {
  return std::make_shared<CompositionCurve>(std::move(composition), accuracy);
}

CurvePtr pure_curve(double epsilon) { return std::make_shared<PureCurve>(epsilon); }

CurvePtr best_curve(std::vector<CurvePtr> curves) {
  if (curves.size() == 1 && curves.front() != nullptr) {
    return curves.front();
  }
  std::vector<DirectedCurve> parts;
  for (CurvePtr& curve : curves) {
    parts.push_back({"", std::move(curve)});
  }
  return std::make_shared<ExtremeCurve>(ExtremeCurve::Kind::best, std::move(parts), std::nullopt);
}

CurvePtr worst_curve(std::vector<DirectedCurve> directions, std::optional<Enclosure> mu) {
  return std::make_shared<ExtremeCurve>(ExtremeCurve::Kind::worst, std::move(directions), mu);
}

}  // namespace dpcurves::accounting

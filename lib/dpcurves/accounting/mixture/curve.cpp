// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <dpcurves/accounting/detail/profile_tradeoff.hpp>
#include <dpcurves/accounting/mixture/curve.hpp>
#include <dpcurves/accounting/proof/shown.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

class MixtureCurve final : public PrivacyCurve {
 public:
  MixtureCurve(Bounds bounds, double relative) : relative_(relative) {
    for (Problem& p : bounds.above) {
      above_.push_back(std::make_unique<Profile>(std::move(p), relative));
    }
    most_used_ = bounds.most_used;
    find_below_ = std::move(bounds.below);
    deeper_ = std::move(bounds.deeper);
    attained_ = std::move(bounds.attained);
    if (bounds.most_mu) {
      gaussian_ = gaussian_curve(exactly(*bounds.most_mu));
    }
    if (bounds.exact) {
      exact_ = std::make_unique<Profile>(std::move(*bounds.exact), relative);
    }
  }
  [[nodiscard]] const CurvePtr& attained() const { return attained_; }
  Answer delta(double epsilon) const override {
    const std::scoped_lock lock(mutex_);
    return delta_at(epsilon, attained_questions());
  }
  DeltaQuestions questions() const override {
    return [this, attained = attained_questions()](std::span<const double> epsilons) {
      const std::scoped_lock lock(mutex_);
      return mapped(epsilons, [&](double epsilon) { return delta_at(epsilon, attained).value; });
    };
  }
  std::vector<Enclosure> deltas(std::span<const double> epsilons) const override { return questions()(epsilons); }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const std::scoped_lock lock(mutex_);
    if (const MixtureCurve* below = delta < rare ? deep() : nullptr) {
      return below->epsilon(delta);
    }
    const auto [place, fresh] = epsilons_.try_emplace(delta);
    if (fresh) {
      place->second = epsilon_at(delta);
    }
    return place->second;
  }
  Answer epsilon_unless_below(double delta, Enclosure bar) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    {
      const std::scoped_lock lock(mutex_);
      if (bar.lower > 0.0 && delta >= rare && !exact_ && epsilons_.find(delta) == epsilons_.end()) {
        if (is_above(bar.lower, delta)) {
          return {{0.0, bar.lower}, by_other_direction};
        }
        if (attained_ && is_above(bar.upper, delta)) {
          const double lower = attained_->epsilon_unless_below(delta, exactly(bar.lower)).value.lower;
          return {proof::shown({std::min(lower, bar.upper), bar.upper}), by_other_direction};
        }
      }
    }
    return epsilon(delta);
  }
  bool surely_below(double epsilon, double delta) const override {
    const std::scoped_lock lock(mutex_);
    return delta >= rare && !exact_ && is_above(epsilon, delta);
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    const std::scoped_lock lock(mutex_);
    return mapped(type_one_errors, [&](double a) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      return a == 0.0 ? error_of_none() : a == 1.0 ? Enclosure{0.0, 0.0} : error_at(a);
    });
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return {0.0, std::numeric_limits<double>::infinity()};
  }

 private:
  static constexpr double rare = 1e-30;  // below, chances that are left out may count
  static constexpr double far = 0.15;    // of the logarithm of delta, by which a saddle point may be off
  /// What the attained curve is asked by one question after another; empty without one.
  [[nodiscard]] DeltaQuestions attained_questions() const {
    return attained_ ? attained_->questions() : DeltaQuestions{};
  }
  [[nodiscard]] Answer delta_at(double epsilon, const DeltaQuestions& attained) const {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    if (const auto known = exactly_at(epsilon)) {
      return {proof::shown(*known), exact_->method()};
    }
    const Enclosure found = at(epsilon, attained);
    const bool unseen = found.upper < rare || (found.lower < rare && !is_narrow(found));
    if (const MixtureCurve* below = unseen ? deep() : nullptr) {
      return below->delta(epsilon);
    }
    return {proof::shown(found), above_.front()->method()};
  }
  /// The curve for smaller deltas, made when it is first asked; null where there is none.
  [[nodiscard]] const MixtureCurve* deep() const {
    if (const auto make = std::exchange(deeper_, {})) {
      try {
        deep_ = std::make_unique<const MixtureCurve>(make(), relative_);
      } catch (const ConvergenceError&) {  // what is kept so far serves
      }
    }
    return deep_.get();
  }
  /// Single steps, made when they are first asked.
  [[nodiscard]] const std::vector<std::unique_ptr<Profile>>& below() const {
    if (find_below_) {
      for (Problem& p : std::exchange(find_below_, {})()) {
        below_.push_back(std::make_unique<Profile>(std::move(p), relative_));
      }
    }
    return below_;
  }
  [[nodiscard]] Answer epsilon_at(double delta) const {
    if (delta >= most_used_) {
      return {{0.0, 0.0}, "rarely used"};
    }
    if (exact_) {
      const Enclosure known = exact_->epsilon(delta);
      if (is_narrow(known)) {
        return {proof::shown(known), exact_->method()};
      }
    }
    // That whose saddle point is best; another in full only where it is proved smaller there.
    const auto about = by_saddle([delta](Profile& above) { return above.epsilon_about(delta); });
    Profile* best = about.front().second;
    Enclosure found = best->epsilon(delta);
    for (std::size_t i = 1; i < about.size(); ++i) {
      Profile* other = about[i].second;
      if ((about[i].first < found.upper || !is_narrow(found)) && may_be_below(*other, found.upper, delta) &&
          other->delta(found.upper).upper <= delta) {
        const Enclosure next = other->epsilon(delta);
        best = next.upper < found.upper ? other : best;
        found = {std::min(found.lower, next.lower), std::min(found.upper, next.upper)};
      }
    }
    const char* method = best->method();
    if (gaussian_ && !is_narrow(found)) {
      const double most = gaussian_->epsilon(delta).value.upper;
      method = most < found.upper ? "uses counted in full" : method;
      found.upper = std::min(found.upper, most);
    }
    if (!is_narrow(found)) {
      for (const auto& step : below()) {
        found.lower = std::max(found.lower, step->epsilon(delta).lower);
      }
    }
    found.lower = std::min(attained_ ? attained_->epsilon(delta).value.lower : found.lower, found.upper);
    return {proof::shown(found), method};
  }
  /// Those above, the least by a saddle point first.
  template <class About>
  [[nodiscard]] std::vector<std::pair<double, Profile*>> by_saddle(const About& about_of) const {
    std::vector<std::pair<double, Profile*>> about;
    for (const auto& above : above_) {
      about.emplace_back(above_.size() > 1 ? about_of(*above) : 0.0, above.get());
    }
    std::stable_sort(about.begin(), about.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return about;
  }
  static bool is_narrow(const Enclosure& found) {
    constexpr double narrow = 1e-3;
    return found.upper == 0.0 || found.relative_width() < narrow;
  }
  /// Whether an upper end is worth its contour: not where its saddle point says that it is far above.
  static bool may_be_below(const Profile& profile, double epsilon, double delta) {
    return !(profile.log_delta_about(epsilon) > std::log(delta) + far);
  }
  static bool may_be_above(const Profile& profile, double epsilon, double delta) {
    return !(profile.log_delta_about(epsilon) < std::log(delta) - far);
  }
  std::optional<Enclosure> exactly_at(double epsilon) const {
    if (!exact_) {
      return std::nullopt;
    }
    const Enclosure found = exact_->delta(epsilon);
    return is_narrow(found) ? std::optional{found} : std::nullopt;
  }
  /// Whether that is an upper end, where a saddle point says so.
  [[nodiscard]] bool is_above(double epsilon, double delta) const {
    return std::isfinite(epsilon) && std::any_of(above_.begin(), above_.end(), [&](const auto& above) {
             return above->surely_below(epsilon, delta);
           });
  }
  [[nodiscard]] Enclosure least_above(double epsilon) const {
    const auto about = by_saddle([epsilon](const Profile& above) { return above.log_delta_about(epsilon); });
    Enclosure found = about.front().second->delta(epsilon);
    for (std::size_t i = 1; i < about.size() && !(about[i].first > std::log(found.upper) + far); ++i) {
      found.upper = std::min(found.upper, about[i].second->delta(epsilon).upper);
    }
    if (epsilon >= 0.0) {
      found = {std::min(found.lower, most_used_), std::min(found.upper, most_used_)};
    }
    if (gaussian_ && !is_narrow(found)) {
      found.upper = std::min(found.upper, gaussian_->delta(epsilon).value.upper);
    }
    return found;
  }
  [[nodiscard]] Enclosure at(double epsilon, const DeltaQuestions& attained) const {
    Enclosure found = least_above(epsilon);
    if (!is_narrow(found)) {
      for (const auto& step : below()) {
        if (may_be_above(*step, epsilon, found.lower)) {
          found.lower = std::clamp(step->delta(epsilon).lower, found.lower, found.upper);
        }
      }
    }
    if (attained) {
      found.lower = std::min(attained({&epsilon, 1}).front().lower, found.upper);
    }
    return found;
  }
  std::optional<Enclosure> on_lattices(double a) const {
    if (exact_) {
      return exact_->tradeoff(a);
    }
    Enclosure f{0.0, 1.0};
    for (const auto& above : above_) {
      const auto found = above->tradeoff(a);
      if (!found) {
        return std::nullopt;
      }
      f = {std::max(f.lower, found->lower), above == above_.front() ? found->upper : f.upper};
    }
    if (attained_) {
      const double asked[] = {a};
      f.upper = std::max(f.lower, attained_->type_two_errors(asked).front().upper);
    }
    return f;
  }
  // f(0) >= 1 - delta(epsilon) for every epsilon.
  Enclosure error_of_none() const {
    constexpr double large = 100.0;
    return {std::max(0.0, 1.0 - least_above(large).upper - 1e-15), 1.0};
  }
  Enclosure error_at(double a) const {
    if (const auto known = on_lattices(a)) {
      return *known;
    }
    if (!tradeoff_) {
      constexpr double wanted = 1e-7;
      tradeoff_.emplace([this, asked = attained_questions()](double e) { return at(e, asked); }, wanted);
    }
    return tradeoff_->at(a);
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Profile>> above_;
  mutable std::function<std::vector<Problem>()> find_below_;
  mutable std::vector<std::unique_ptr<Profile>> below_;
  std::unique_ptr<Profile> exact_;
  double relative_, most_used_ = 1.0;
  mutable std::function<Bounds()> deeper_;
  mutable std::unique_ptr<const MixtureCurve> deep_;
  CurvePtr attained_, gaussian_;
  mutable std::optional<detail::ProfileTradeoff> tradeoff_;
  mutable std::map<double, Answer> epsilons_;  // by delta: rows of a table share what they attain
};

}  // namespace

CurvePtr mixture_curve(Bounds bounds, double relative) {
  require_domain(!bounds.above.empty(), "bounds", 0.0, "at least one problem");
  return std::make_shared<MixtureCurve>(std::move(bounds), relative);
}

CurvePtr attained_by(const PrivacyCurve& curve) {
  const auto* mixture = dynamic_cast<const MixtureCurve*>(&curve);
  return mixture == nullptr ? nullptr : mixture->attained();
}

}  // namespace dpcurves::accounting::mixture

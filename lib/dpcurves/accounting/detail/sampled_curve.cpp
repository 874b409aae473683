// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <dpcurves/accounting/detail/profile_tradeoff.hpp>
#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double searched = 1e-6;  // relative width at which the search for an epsilon ends

using Profile = std::function<double(double)>;

// Where one end of a falling profile crosses delta in [0, high], on the safe side.
double crossing(const Profile& profile, double delta, double high, double fine, bool upper) {
  const auto excess = [&](double epsilon) { return std::log(std::max(profile(epsilon), 1e-320)) - std::log(delta); };
  double low = 0.0;
  double at_low = excess(low);
  if (at_low <= 0.0) {
    return low;
  }
  double at_high = excess(high);
  if (at_high > 0.0) {
    return high;
  }
  for (int i = 0; i < 60 && high - low > fine * high; ++i) {
    double next = low + (high - low) * at_low / (at_low - at_high);
    if (i % 3 == 2 || !(next > low && next < high)) {
      next = 0.5 * (low + high);
    } else if (i % 3 == 1) {  // a step beyond, so that the other end follows
      const double beyond = next + (next - low < high - next ? 1.0 : -1.0) * std::max(2e-5, 2.0 * fine) * high;
      next = beyond > low && beyond < high ? beyond : next;
    }
    const double value = excess(next);
    (value > 0.0 ? low : high) = next;
    (value > 0.0 ? at_low : at_high) = value;
  }
  return upper ? high : low;
}

// Where an estimate crosses delta, and the slope of its logarithm there: 0 if none was found.
struct Start {
  double epsilon = 0.0, slope = 0.0;
};

Start start_of(const Profile& estimate, double delta, double high) {
  constexpr double apart = 1e-2, about = 1e-5;
  Start start;
  start.epsilon = estimate ? crossing(estimate, delta, high, about, true) : 0.0;
  if (start.epsilon > 0.0) {
    const double e = start.epsilon;
    start.slope = std::log(estimate((1.0 + apart) * e) / estimate((1.0 - apart) * e)) / (2.0 * apart * e);
  }
  return start;
}

// The same from a start, by values of `near`; those of `profile` where they do not lead there.
double crossing(const Profile& profile, const Profile& near, const Start& start, double delta, double high, double fine,
                bool upper) {
  constexpr double apart = 1e-3;  // more than noise
  if (!(start.slope < 0.0)) {
    return crossing(profile, delta, high, fine, upper);
  }
  const auto excess = [&](double epsilon) { return std::log(near(epsilon) / delta); };
  constexpr int most_values = 12;
  double at = start.epsilon, value = excess(at), slope = start.slope, away = 0.5 * fine;
  double best = upper ? infinity : 0.0;
  for (int i = 0; i < most_values && away < apart && std::isfinite(value); ++i) {
    const double end = std::min(high, (at - value / slope) * (upper ? 1.0 + away : 1.0 - away));
    if (!(end > 0.0)) {
      break;
    }
    const double there = excess(end);
    if (std::abs(end - at) > 1e-4 * end) {  // from so near a slope would be that of the noise
      slope = std::clamp((there - value) / (end - at), 1.5 * start.slope, start.slope / 1.5);
    }
    constexpr double nearer = 0.7;  // what a step leaves, at most, beyond the noise
    away *= std::abs(there) < nearer * std::abs(value) ? 1.0 : 4.0;
    at = end;
    value = there;
    if ((value > 0.0) != upper) {
      best = upper ? std::min(best, end) : std::max(best, end);
      if (std::abs(value / slope) <= 2.0 * away * end) {  // so near to where it crosses
        return best;
      }
    }
  }
  const double other = crossing(profile, delta, high, fine, upper);
  return upper ? std::min(best, other) : std::max(best, other);
}

// A function that keeps what it was asked.
template <class Value>
class Kept {
 public:
  explicit Kept(std::function<Value(double)> ask) : ask_(std::move(ask)) {}

  Value operator()(double epsilon) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(epsilon); known != known_.end()) {
        return known->second;
      }
    }
    const Value value = ask_(epsilon);
    const std::lock_guard lock(mutex_);
    return known_.emplace(epsilon, value).first->second;
  }

 private:
  std::function<Value(double)> ask_;
  mutable std::mutex mutex_;
  mutable std::map<double, Value> known_;
};

class SampledCurve final : public PrivacyCurve {
 public:
  // \param searching  of both ends.
  SampledCurve(std::function<double(double)> above, LowerEnd below, Enclosure mu, std::string method,
               Searching searching = {})
      : above_(std::move(above)),
        below_(std::move(below)),
        mu_(mu),
        method_(std::move(method)),
        searching_(std::move(searching)) {}

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    return {at(epsilon), method_};
  }

  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const double most = tradeoff::epsilon_enclosure(delta, {mu_.upper, mu_.upper}).upper;
    const auto all = [this](double epsilon) { return above(epsilon); };
    const Start start = start_of(searching_.estimate, delta, most);
    if (!(start.slope < 0.0) || !searching_.near) {
      const double upper = crossing(all, all, start, delta, most, searched, true);
      return {{lower_epsilon(below_, delta, upper), upper}, method_};
    }
    const NearEnds near = searching_.near(start.epsilon);
    const double upper = crossing(all, near.upper, start, delta, most, searched, true);
    return {{crossing(below_.delta, near.lower, start, delta, upper, searched, false), upper}, method_};
  }

  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    const std::lock_guard lock(mutex_);
    return mapped(type_one_errors, [this](double a) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      return type_two_error(a);
    });
  }

  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return {0.0, next_up(0.5 * order * next_up(mu_.upper * mu_.upper))};
  }

  std::optional<Enclosure> mu() const override { return mu_; }
  Methods methods() const override { return {by_tangents, by_closed_form, by_closed_form}; }

 private:
  static constexpr double range = 100.0;  // that of the profile on its narrower side

  double above(double epsilon) const {
    const double certain = tradeoff::delta_enclosure(epsilon, {mu_.upper, mu_.upper}).upper;
    return std::abs(epsilon) <= range ? std::min(certain, above_(epsilon)) : certain;
  }

  // May lie above the upper end where that is rounded differently: at() does not.
  double below(double epsilon) const {
    const double certain = std::max(0.0, -std::expm1(epsilon) - 1e-15);
    return std::abs(epsilon) <= range ? std::max(certain, below_.delta(epsilon)) : certain;
  }

  Enclosure at(double epsilon) const {
    const double upper = above(epsilon);
    return {std::min(below(epsilon), upper), upper};
  }

  // That of mu.upper-GDP, where it is larger.
  Enclosure type_two_error(double a) const {
    if (a == 0.0 || a == 1.0) {
      return {1.0 - a, 1.0 - a};
    }
    const Enclosure f = tradeoff_.at(a);
    const double gaussian = tradeoff::gaussian_enclosure(a, {mu_.upper, mu_.upper}).lower;
    return {std::clamp(gaussian, f.lower, f.upper), f.upper};
  }

  std::function<double(double)> above_;
  LowerEnd below_;
  Enclosure mu_;
  std::string method_;
  Searching searching_;
  mutable std::mutex mutex_;
  static constexpr double wanted = 1e-6;  // relative width of the trade-off function
  mutable detail::ProfileTradeoff tradeoff_{[this](double epsilon) { return at(epsilon); }, wanted};
};

class TestedCurve final : public PrivacyCurve {
 public:
  TestedCurve(CurvePtr above, LowerEnd below, Enclosure mu, std::string method)
      : above_(std::move(above)), below_(std::move(below)), mu_(mu), method_(std::move(method)) {
    require_domain(above_ != nullptr, "above", 0.0, "a curve");
    sampled_ =
        sampled_curve([this](double epsilon) { return above_->delta(epsilon).value.upper; }, below_, mu_, method_);
  }

  Answer delta(double epsilon) const override { return sampled_->delta(epsilon); }

  Answer epsilon(double delta) const override {
    const double upper = above_->epsilon(delta).value.upper;
    return {{lower_epsilon(below_, delta, upper), upper}, method_};
  }

  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> ends = above_->type_two_errors(type_one_errors);
    const std::vector<Enclosure> tests = sampled_->type_two_errors(type_one_errors);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ends[i] = {std::max(ends[i].lower, tests[i].lower), std::max(ends[i].lower, tests[i].upper)};
    }
    return ends;
  }

  Enclosure renyi(double order) const override { return {0.0, above_->renyi(order).upper}; }

  std::optional<Enclosure> mu() const override { return mu_; }
  Methods methods() const override { return {by_tangents, above_->methods().renyi, by_closed_form}; }

 private:
  CurvePtr above_;
  LowerEnd below_;
  Enclosure mu_;
  std::string method_;
  CurvePtr sampled_;
};

}  // namespace

double lower_epsilon(const LowerEnd& below, double delta, double high) {
  if (below.epsilon) {
    return std::min(high, below.epsilon(delta, high));
  }
  const Start start = start_of(below.searching.estimate, delta, high);
  const Profile near =
      below.searching.near && start.slope < 0.0 ? below.searching.near(start.epsilon).lower : below.delta;
  return crossing(below.delta, near, start, delta, high, 1e-5, false);
}

CurvePtr sampled_curve(std::function<Enclosure(double)> delta, Enclosure mu, std::string method, Searching searching) {
  const auto kept = std::make_shared<const Kept<Enclosure>>(std::move(delta));
  const auto lower = [kept](double epsilon) { return (*kept)(epsilon).lower; };
  const auto lower_at = [lower](double value, double high) { return crossing(lower, value, high, searched, false); };
  return std::make_shared<SampledCurve>([kept](double epsilon) { return (*kept)(epsilon).upper; },
                                        LowerEnd{lower, lower_at}, mu, std::move(method), std::move(searching));
}

CurvePtr sampled_curve(std::function<double(double)> above, LowerEnd below, Enclosure mu, std::string method) {
  const auto upper = std::make_shared<const Kept<double>>(std::move(above));
  const auto lower = std::make_shared<const Kept<double>>(std::move(below.delta));
  below.delta = [lower](double epsilon) { return (*lower)(epsilon); };
  return std::make_shared<SampledCurve>([upper](double epsilon) { return (*upper)(epsilon); }, std::move(below), mu,
                                        std::move(method));
}

CurvePtr tested_curve(CurvePtr above, LowerEnd below, Enclosure mu, std::string method) {
  return std::make_shared<TestedCurve>(std::move(above), std::move(below), mu, std::move(method));
}

}  // namespace dpcurves::accounting

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/renyi_loss.hpp>

namespace dpcurves::homogenized {
namespace {

constexpr std::size_t points = 15;

// The 15-point Kronrod rule on [-1, 1] and the weights of the 7-point Gauss rule inside it (0 elsewhere).
struct KronrodRule {
  std::array<double, points> node{}, weight{}, gauss{};
};

const KronrodRule& kronrod() {
  static const KronrodRule rule = [] {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, points>;
    using Gauss = boost::math::quadrature::gauss<double, 7>;
    KronrodRule r;
    constexpr std::size_t middle = points / 2;
    for (std::size_t j = 0; j <= middle; ++j) {
      r.node[middle + j] = Kronrod::abscissa()[j];
      r.node[middle - j] = -Kronrod::abscissa()[j];
      r.weight[middle + j] = r.weight[middle - j] = Kronrod::weights()[j];
      if (j % 2 == 0) {
        r.gauss[middle + j] = r.gauss[middle - j] = Gauss::weights()[j / 2];
      }
    }
    return r;
  }();
  return rule;
}

/// A panel in s with the exponents (a - 1) D_a at its nodes; channels are the orders forward, then backward.
struct Panel {
  double begin = 0.0;
  double end = 0.0;
  std::array<std::vector<double>, points> exponents;
  [[nodiscard]] double node(std::size_t j) const {
    return 0.5 * (begin + end) + 0.5 * (end - begin) * kronrod().node[j];
  }
};

struct Sample {
  double time = 0.0;
  PairSuprema value;
};

/// Suprema by the time of the record.
using Known = std::unordered_map<double, PairSuprema>;

/// Evaluates a family along ascending times, in batches that keep the states in memory; what is known already is not
/// evaluated again.
class Evaluator {
 public:
  Evaluator(const HsgdLaw& law, const Release& release, const PairFamily& family, std::span<const double> orders,
            unsigned threads, Progress progress, Known* known = nullptr)
      : law_(&law),
        release_(&release),
        family_(&family),
        orders_(orders),
        threads_(threads),
        progress_(std::move(progress)),
        known_(known) {}

  std::vector<Sample> operator()(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    if (known_ == nullptr) {
      return kept(evaluate(times));
    }
    std::vector<double> fresh;
    std::copy_if(times.begin(), times.end(), std::back_inserter(fresh),
                 [&](double time) { return !known_->contains(time); });
    for (auto& sample : evaluate(fresh)) {
      known_->emplace(sample.time, std::move(sample.value));
    }
    std::vector<Sample> samples = mapped(times, [&](double time) { return Sample{time, known_->at(time)}; });
    return kept(std::move(samples));
  }

  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] double forward_limit() const { return forward_limit_; }
  [[nodiscard]] double backward_limit() const { return backward_limit_; }

 private:
  std::vector<Sample> evaluate(const std::vector<double>& times) {
    std::vector<Sample> samples(times.size());
    constexpr double most_numbers = 2e7;
    const auto blocks = static_cast<double>(law_->problem().spectrum.block_count());
    const auto batch = static_cast<std::size_t>(std::clamp(most_numbers / blocks, 64.0, 1e6));
    for (std::size_t start = 0; start < times.size(); start += batch) {
      const std::size_t count = std::min(batch, times.size() - start);
      const auto states = law_->states(std::span(times).subspan(start, count));
      const auto report = [&](std::size_t done, std::size_t /*of*/) {
        return !progress_ || progress_(done_ + start + done, done_ + times.size());
      };
      parallel_for(
          count, threads_,
          [&](std::size_t i) {
            samples[start + i] = {states[i].time, (*family_)(release_->weights(states[i]), orders_)};
          },
          report);
    }
    done_ += times.size();
    return samples;
  }

  std::vector<Sample> kept(std::vector<Sample> samples) {
    for (const auto& sample : samples) {
      forward_limit_ = std::min(forward_limit_, sample.value.forward_limit);
      backward_limit_ = std::min(backward_limit_, sample.value.backward_limit);
    }
    return samples;
  }

  const HsgdLaw* law_;
  const Release* release_;
  const PairFamily* family_;
  std::span<const double> orders_;
  unsigned threads_;
  Progress progress_;
  Known* known_;
  std::size_t done_ = 0;
  double forward_limit_ = infinity;
  double backward_limit_ = infinity;
};

/// Times at which the integrand may jump or bend: 0, kinks, release times.
std::vector<double> break_points(const HsgdLaw& law, const Release& release) {
  std::vector<double> breaks{0.0};
  for (const double kink : law.problem().schedule.kinks()) {
    if (kink < release.last_time()) {
      breaks.push_back(kink);
    }
  }
  for (const double time : release.times()) {
    breaks.push_back(time);
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  return breaks;
}

/// Panels between the breaks, growing in Gamma from both ends of each interval by factors of two.
std::vector<Panel> mesh(const HsgdLaw& law, const std::vector<double>& breaks) {
  const auto& problem = law.problem();
  const auto& schedule = problem.schedule;
  const double fastest = problem.spectrum.largest() + problem.regularisation;
  const double shortest = fastest > 0.0 ? 2.0 / fastest : infinity;
  std::vector<Panel> panels;
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    const double low = schedule.integral(breaks[i]), high = schedule.integral(breaks[i + 1]);
    std::vector<double> edges{breaks[i]}, mirrored{breaks[i + 1]};
    for (double step = shortest, reach = step; 2.0 * reach < high - low; step *= 2.0, reach += step) {
      edges.push_back(schedule.inverse_integral(low + reach));
      mirrored.push_back(schedule.inverse_integral(high - reach));
    }
    edges.insert(edges.end(), mirrored.rbegin(), mirrored.rend());
    for (std::size_t j = 0; j + 1 < edges.size(); ++j) {
      if (edges[j + 1] > edges[j]) {
        panels.push_back({edges[j], edges[j + 1], {}});
      }
    }
  }
  return panels;
}

void fill(std::vector<Panel>& panels, std::span<const double> orders, Evaluator& evaluate) {
  std::vector<double> times;
  for (const auto& panel : panels) {
    for (std::size_t j = 0; j < points; ++j) {
      times.push_back(panel.node(j));
    }
  }
  const auto samples = evaluate(std::move(times));
  std::size_t next = 0;
  for (auto& panel : panels) {  // in order of time, as the samples are
    for (auto& exponents : panel.exponents) {
      const PairSuprema& value = samples[next++].value;
      exponents.clear();
      for (std::size_t k = 0; k < orders.size(); ++k) {
        exponents.push_back((orders[k] - 1.0) * value.forward[k]);
      }
      for (std::size_t k = 0; k < orders.size(); ++k) {
        exponents.push_back((orders[k] - 1.0) * value.backward[k]);
      }
    }
  }
}

/// The integral of exp(exponent) - 1 for one channel, or of exp(exponent - shift) where exponents are large.
struct Moment {
  double shift = 0.0;
  bool infinite = false;

  [[nodiscard]] double integrand(double exponent) const {
    return shift == 0.0 ? std::expm1(exponent) : std::exp(exponent - shift);
  }
};

Moment moment_of(const std::vector<Panel>& panels, std::size_t channel) {
  double greatest = 0.0;
  for (const auto& panel : panels) {
    for (const auto& exponents : panel.exponents) {
      greatest = std::max(greatest, exponents[channel]);
    }
  }
  constexpr double large = 30.0;
  return {greatest > large ? greatest : 0.0, std::isinf(greatest)};
}

Estimate panel_integral(const Panel& panel, std::size_t channel, const Moment& moment) {
  const double half = 0.5 * (panel.end - panel.begin);
  std::array<double, points> value{};
  double full = 0.0, coarse = 0.0;
  for (std::size_t j = 0; j < points; ++j) {
    value[j] = moment.integrand(panel.exponents[j][channel]);
    full += kronrod().weight[j] * value[j];
    coarse += kronrod().gauss[j] * value[j];
  }
  double spread = 0.0;
  for (std::size_t j = 0; j < points; ++j) {
    spread += kronrod().weight[j] * std::abs(value[j] - 0.5 * full);
  }
  // QUADPACK's estimate of the error of the longer rule from its distance to the shorter one.
  double error = std::abs(full - coarse);
  if (spread > 0.0 && error > 0.0) {
    error = spread * std::min(1.0, std::pow(200.0 * error / spread, 1.5));
  }
  return {half * full, half * error};
}

Estimate loss_of(double order, const Moment& moment, double integral, double error, double last, double horizon) {
  constexpr double rounding = 1e-11;
  if (moment.infinite) {
    return {infinity, 0.0};
  }
  Estimate loss;
  const double excess = order - 1.0;
  if (moment.shift == 0.0) {
    loss.value = std::log1p(integral / horizon) / excess;
    loss.error = error / (horizon + integral) / excess;
  } else {
    const double rest = std::max(0.0, horizon - last) * std::exp(-moment.shift);
    loss.value = (moment.shift + std::log((rest + integral) / horizon)) / excess;
    loss.error = error / (rest + integral) / excess;
  }
  loss.error += rounding * loss.value;
  return loss;
}

void check(const Release& release, const LossQuery& query) {
  require_domain(!query.orders.empty(), "number of orders", 0.0, "[1, inf)");
  for (const double order : query.orders) {
    require_domain(order > 1.0 && std::isfinite(order), "renyi_order", order, "(1, inf)");
  }
  require_domain(query.horizon >= release.last_time() && std::isfinite(query.horizon) && query.horizon > 0.0, "horizon",
                 query.horizon, "times from the last release on");
  require_domain(query.relative_accuracy > 0.0, "relative_accuracy", query.relative_accuracy, "(0, inf)");
}

}  // namespace

PairFamily listed_pairs(std::vector<PairProducts> pairs) {
  require_domain(!pairs.empty(), "number of pairs", 0.0, "[1, inf)");
  return [pairs = std::move(pairs)](const JumpWeights& weights, std::span<const double> orders) {
    PairSuprema suprema{std::vector<double>(orders.size(), 0.0), std::vector<double>(orders.size(), 0.0), infinity,
                        infinity};
    if (weights.step_size == 0.0) {
      return suprema;
    }
    for (const auto& pair : pairs) {
      const NeighbouringLaws laws(weights, pair_sums(weights, pair));
      if (orders.empty()) {
        suprema.forward_limit = std::min(suprema.forward_limit, laws.order_limit(Direction::first_to_second));
        suprema.backward_limit = std::min(suprema.backward_limit, laws.order_limit(Direction::second_to_first));
      }
      for (std::size_t k = 0; k < orders.size(); ++k) {
        suprema.forward[k] = std::max(suprema.forward[k], laws.renyi(orders[k], Direction::first_to_second));
        suprema.backward[k] = std::max(suprema.backward[k], laws.renyi(orders[k], Direction::second_to_first));
      }
    }
    return suprema;
  };
}

namespace {

RenyiLoss loss_with(const HsgdLaw& law, const Release& release, const PairFamily& family, const LossQuery& query,
                    Known* known, Known* known_limits) {
  check(release, query);
  Evaluator evaluate(law, release, family, query.orders, query.threads, query.progress, known);
  const auto breaks = break_points(law, release);
  std::vector<Panel> panels = mesh(law, breaks);
  Evaluator limits(law, release, family, {}, query.threads, {}, known_limits);
  std::vector<double> samples = breaks;  // the limit is often least at s = t
  for (const auto& panel : panels) {
    samples.push_back(0.5 * (panel.begin + panel.end));
  }
  limits(std::move(samples));
  fill(panels, query.orders, evaluate);

  const std::size_t channels = 2 * query.orders.size();
  std::vector<Moment> moments(channels);
  std::vector<Estimate> totals(channels);
  while (true) {
    std::vector<char> split(panels.size(), 0);
    for (std::size_t c = 0; c < channels; ++c) {
      moments[c] = moment_of(panels, c);
      if (moments[c].infinite) {
        continue;
      }
      totals[c] = {};
      std::vector<double> errors;
      for (const auto& panel : panels) {
        const Estimate part = panel_integral(panel, c, moments[c]);
        totals[c].value += part.value;
        totals[c].error += part.error;
        errors.push_back(part.error);
      }
      const double allowed = query.relative_accuracy * totals[c].value;
      if (totals[c].error > allowed) {
        for (std::size_t p = 0; p < panels.size(); ++p) {
          constexpr double shortest = 1e-12;  // relative to the release time
          const bool divisible = panels[p].end - panels[p].begin > shortest * release.last_time();
          split[p] = split[p] || (divisible && errors[p] > 0.5 * allowed / static_cast<double>(panels.size()));
        }
      }
    }
    const auto halves = 2 * static_cast<std::size_t>(std::count(split.begin(), split.end(), 1));
    if (halves == 0 || evaluate.done() + halves * points > query.most_evaluations) {
      break;
    }
    std::vector<Panel> kept, fresh;
    for (std::size_t p = 0; p < panels.size(); ++p) {
      if (split[p]) {
        const double middle = 0.5 * (panels[p].begin + panels[p].end);
        fresh.push_back({panels[p].begin, middle, {}});
        fresh.push_back({middle, panels[p].end, {}});
      } else {
        kept.push_back(std::move(panels[p]));
      }
    }
    fill(fresh, query.orders, evaluate);
    panels = std::move(kept);
    std::move(fresh.begin(), fresh.end(), std::back_inserter(panels));
    std::sort(panels.begin(), panels.end(), [](const Panel& a, const Panel& b) { return a.begin < b.begin; });
  }

  RenyiLoss loss{.forward_limit = limits.forward_limit(), .backward_limit = limits.backward_limit()};
  for (std::size_t c = 0; c < channels; ++c) {
    const bool forward = c < query.orders.size();
    const double order = query.orders[forward ? c : c - query.orders.size()];
    moments[c].infinite = moments[c].infinite || order >= (forward ? loss.forward_limit : loss.backward_limit);
    (forward ? loss.forward : loss.backward)
        .push_back(loss_of(order, moments[c], totals[c].value, totals[c].error, release.last_time(), query.horizon));
  }
  return loss;
}

}  // namespace

RenyiLoss renyi_loss(const HsgdLaw& law, const Release& release, const PairFamily& family, const LossQuery& query) {
  return loss_with(law, release, family, query, nullptr, nullptr);
}

/// Divergences and limits of joint releases, for the orders last asked.
struct LossCurve::Memory {
  std::vector<double> orders;
  Known values, limits;
};

LossCurve::LossCurve(HsgdLaw law, ReleaseKind kind, std::vector<double> times, PairFamily family)
    : law_(std::move(law)),
      kind_(kind),
      times_(std::move(times)),
      family_(std::move(family)),
      memory_(std::make_shared<Memory>()) {
  require_domain(!times_.empty(), "number of release times", 0.0, "[1, inf)");
}

Release LossCurve::release(std::size_t count) const {
  require_domain(count >= 1 && count <= times_.size(), "count", static_cast<double>(count), "[1, number of times]");
  const auto shown = std::span(times_).first(count);
  return {law_.problem(), kind_, law_.states(kind_ == ReleaseKind::last_iterate ? shown.last(1) : shown)};
}

RenyiLoss LossCurve::loss(std::size_t count, const LossQuery& query) const {
  if (kind_ != ReleaseKind::joint && kind_ != ReleaseKind::joint_suffix) {
    return renyi_loss(law_, release(count), family_, query);
  }
  if (query.orders != memory_->orders) {
    *memory_ = {query.orders, {}, {}};
  }
  return loss_with(law_, release(count), family_, query, &memory_->values, &memory_->limits);
}

OrderLimit least_order_limit(const HsgdLaw& law, const Release& release, const PairFamily& family,
                             Direction direction) {
  const auto& schedule = law.problem().schedule;
  const auto breaks = break_points(law, release);
  Evaluator evaluate(law, release, family, {}, 1, {});
  const auto value = [&](const Sample& sample) {
    return direction == Direction::first_to_second ? sample.value.forward_limit : sample.value.backward_limit;
  };
  constexpr int cells = 256;
  const double reach = schedule.integral(release.last_time());
  std::vector<double> times = breaks;
  for (int k = 1; k < cells; ++k) {
    times.push_back(std::min(schedule.inverse_integral(reach * k / cells), release.last_time()));
  }
  auto samples = evaluate(times);
  const auto least = [&](const std::vector<Sample>& list) {
    return static_cast<std::size_t>(
        std::min_element(list.begin(), list.end(),
                         [&](const Sample& a, const Sample& b) { return value(a) < value(b); }) -
        list.begin());
  };
  std::size_t at = least(samples);
  OrderLimit best{value(samples[at]), samples[at].time};
  if (std::isinf(best.order)) {
    return best;
  }
  // Each round looks at 9 points between the neighbours of the best one: the bracket shrinks by a factor of 5.
  constexpr int rounds = 9, inside = 9;
  for (int round = 0; round < rounds; ++round) {
    const double low = samples[at == 0 ? 0 : at - 1].time;
    const double high = samples[std::min(at + 1, samples.size() - 1)].time;
    std::vector<double> finer;
    for (int k = 0; k <= inside + 1; ++k) {
      finer.push_back(low + (high - low) * k / (inside + 1));
    }
    samples = evaluate(finer);
    at = least(samples);
    if (value(samples[at]) < best.order) {
      best = {value(samples[at]), samples[at].time};
    }
  }
  return best;
}

}  // namespace dpcurves::homogenized

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <dpcurves/accounting/proof/far_parts.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/accounting/proof/tail_paths.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

/// Fills in what a scale of the contour decides: n, h, the strip and the paths.
class Shape {
 public:
  Shape(const Problem& problem, Plan& plan, const Cumulant& cumulant, double scale, double digits, double width,
        double most_work, bool parts)
      : problem_(problem),
        plan_(plan),
        cumulant_(cumulant),
        digits_(digits),
        width_(width),
        most_work_(most_work),
        fractions_(problem.steps.size(), 1.0),
        far_up_(problem.steps.size()),
        parts_(problem.steps.size()),
        may_part_(parts) {
    plan.scale = round_down(scale, 20);
    plan.digits = digits + std::log(problem.total_count() + 1.0) + 3.0;
    // Of the widest strip; a narrower one takes fewer.
    constexpr double fewest_heights = 24.0, always = 16000.0, ever = 60000.0, of_each = 1000.0;
    most_nodes_ = std::clamp(most_work / (3.0 * fewest_heights), always,
                             std::max(ever, of_each * static_cast<double>(problem.steps.size())));
  }

  /// How far up the ray begins, as far as that is known; else 0.
  [[nodiscard]] double height() const { return rayed_ ? where(last_).imag() : 0.0; }

  /// False if the shape is of no use.
  bool fill() {
    const double up = std::asin(room(-1.0) / plan_.scale), down = std::asin(room(1.0) / plan_.scale);
    if (!lay(0.0, up, down) || !find_end() || !find_ray() || !lay(last_, up, down)) {
      return false;
    }
    const Contour contour(problem_, plan_);
    const double h = std::min(spacing(contour, 1, up, plan_.up), spacing(contour, -1, down, plan_.down));
    if (!(h > 0.0) || !(last_ / h < 20000.0)) {
      return false;
    }
    plan_.up = round_down(plan_.up, 20);
    plan_.down = round_down(plan_.down, 20);
    plan_.h = round_down(h, 20);
    plan_.n = static_cast<long>(std::ceil(last_ / plan_.h));
    if (!lay((static_cast<double>(plan_.n) + 0.5) * plan_.h, plan_.up, plan_.down)) {
      return false;
    }
    plan_.work = 3.0 * static_cast<double>(plan_.n + 8) * nodes_;
    return true;
  }

 private:
  [[nodiscard]] Plain where(Plain t) const { return plan_.c + plan_.scale * Plain(0.0, 1.0) * std::sinh(t); }

  /// The paths for the contour up to t = end in the strip from -down to up; false if they have too many nodes.
  bool lay(double end, double up, double down) {
    plan_.paths.clear();
    Demand d;
    d.c = plan_.c;
    d.digits = plan_.digits;
    constexpr int samples = 5;
    for (int i = 0; i < (end > 0.0 ? samples : 1); ++i) {
      const double t = end * i / (samples - 1);
      d.exact.push_back(where(t));
      d.rough.push_back(where({t, up}));
      d.rough.push_back(where({t, -down}));
    }
    nodes_ = 0.0;
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      std::vector<Path> row;
      d.mean = cumulant_.mean[i];
      d.reference = cumulant_.each[i];
      d.few = 8.0 + std::log(problem_.steps[i].count + 1.0);
      for (const Piece& p : problem_.steps[i].pieces) {
        const Demand all = raised(p, d);
        row.push_back(p.half ? half_path(p, all, 0.625, 0.625, 0.625) : line_path(p, all));
        nodes_ += static_cast<double>(row.back().count);
      }
      plan_.paths.push_back(std::move(row));
    }
    return !(nodes_ > most_nodes_);
  }

  /// As far as the contour may be displaced at all: short of the poles, and where the quadrature stays affordable.
  [[nodiscard]] double room(double direction) const {
    const double c = plan_.c;
    const double pole = direction < 0.0 ? 0.93 * (c > 0.0 ? c : 1.0 + c) : c > 0.0 ? infinity : -0.93 * c;
    double most = std::min({pole, 12.0 * width_, 0.93 * plan_.scale});
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      for (const Piece& p : problem_.steps[i].pieces) {
        const auto extra = [&](double s) {
          const double z = c + direction * s;
          return log_peak(p, z) - cumulant_.each[i] - direction * s * cumulant_.mean[i] - 16.0;
        };
        for (int k = 0; k < 200 && extra(most) > digits_; ++k) {
          most *= 0.9;
        }
      }
    }
    return most;
  }

  /// Where the integrand has died out.
  bool find_end() {
    const Contour contour(problem_, plan_);
    const double here = contour.log_integrand(0.0, plan_.epsilon).real();
    const auto size = [&](double t) { return contour.log_integrand(t, plan_.epsilon).real() - here; };
    double t = std::min(1.0, width_ / plan_.scale), before = 0.0;
    bool found = false;
    for (int i = 0; i < 60 && !found; ++i) {
      const double v = size(t);
      if (std::isnan(v) || v > 40.0) {
        return false;
      }
      found = v < -digits_ - 3.0;
      if (!found) {
        before = t;
        t = std::min(t * 1.35, t + 0.7);
      }
      if (t > 60.0) {
        return false;
      }
    }
    for (int i = 0; i < 3; ++i) {
      const double m = 0.5 * (t + before);
      (size(m) < -digits_ - 3.0 ? t : before) = m;
    }
    last_ = t;
    return found;
  }

  /// From there on, where the bound on the ray above the last point is small enough; its paths are the plan's tails.
  bool find_ray() {
    const double c = plan_.c;
    const double k0 = cumulant_.k - c * plan_.epsilon - std::log(std::abs(c * (1.0 + c)) / width_) - digits_ - 1.5;
    constexpr double farthest = 60.0;
    // Nodes: a fifth of a second, a third of what the contour may take, or as many for each of many different steps as
    // a few of them may try.
    constexpr double of_work = 0.1;
    const double most_tried =
        std::max(std::min(6e5, of_work * most_work_), 3e4 * static_cast<double>(problem_.steps.size()));
    constexpr int halvings = 2;
    double t = last_, before = last_;
    const MostFall fall(problem_, c, cumulant_);
    const auto may = [&](double at) {  // as upright contours keep Re z
      const double y = where(at).imag();
      return cumulant_.k - fall(y) - c * plan_.epsilon - std::log(pi * y) < k0 + 1.0;
    };
    for (; !(may(t) && ray(t) < k0); t = plan_.scale > 2.0 * width_ ? t * 1.3 : t + 0.4) {
      before = t;
      if (t > farthest || tried_ > most_tried) {
        return false;
      }
    }
    for (int i = 0; i < halvings && before < t; ++i) {
      const double middle = 0.5 * (before + t);
      (ray(middle) < k0 ? t : before) = middle;
    }
    last_ = t;
    rayed_ = ray(t) < k0;  // which chooses the paths
    return rayed_;
  }

  /// log of the bound on the ray above the point of t.
  double ray(double t) {
    const Plain z = where(t);
    const double g2 = problem_.gaussian_mu * problem_.gaussian_mu;
    double total = 0.5 * g2 * (z * (z + 1.0)).real() - z.real() * plan_.epsilon - std::log(pi * z.imag());
    plan_.tails.clear();
    plan_.far.clear();
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      total += problem_.steps[i].count * tail_of_step(i, z);
    }
    return total;
  }

  /// log of the bound on the moment of a step at z, whose paths are added to the plan's tails. A long composition is
  /// best seen from low above the real line: heights fall until they do worse again.
  double tail_of_step(std::size_t i, Plain z) {
    const Step& step = problem_.steps[i];
    std::vector<TailPaths>& pieces = far_up_[i];
    if (pieces.empty() || pieces.front().order() != z.real()) {
      pieces.clear();
      const double reference = cumulant_.each[i] + std::max(0.0, (z.real() - plan_.c) * cumulant_.mean[i]);
      for (const Piece& p : step.pieces) {
        pieces.emplace_back(p, z.real(), reference, cumulant_.mean[i], 6.0 + std::log(step.count + 1.0));
      }
    }
    double best = infinity;
    std::vector<Path> chosen;
    const auto offer = [&](const std::vector<TailPaths::Tail*>& row) {
      double sum = step.approximate_atom();
      for (TailPaths::Tail* tail : row) {
        sum += tail->sum(z.imag());
      }
      constexpr double worth = 1.0;  // digits of the whole ray, for more nodes
      const bool better = best == infinity ? std::isfinite(sum) : step.count * (best - std::log(sum)) > worth;
      if (better) {
        best = std::log(sum);
        chosen.clear();
        for (const TailPaths::Tail* tail : row) {
          chosen.push_back(tail->path());
        }
      }
      return better;
    };
    constexpr double factor = 0.6;
    int worse = 0;
    double found = 0.0;
    for (double fraction = std::min(0.97, fractions_[i] / (factor * factor)); fraction > 1e-8 && worse < 2;
         fraction *= factor) {
      std::vector<TailPaths::Tail*> row;
      double size = 0.0;
      for (TailPaths& piece : pieces) {
        const double before = piece.looked_at();
        row.push_back(&piece.at(z.imag(), fraction));
        size += static_cast<double>(row.back()->path().count);
        tried_ += piece.looked_at() - before;
      }
      const bool better = size < most_tail_nodes && offer(row);
      found = better ? fraction : found;
      worse = better || best == infinity ? 0 : worse + 1;
    }
    fractions_[i] = found > 0.0 ? found : 1.0;
    plan_.tails.push_back(std::move(chosen));
    plan_.far.push_back(far_of_step(i, z, best));
    return best;
  }

  /// Where its large losses by themselves give a smaller bound than `best`, which is set to it.
  std::vector<FarPart> far_of_step(std::size_t i, Plain z, double& best) {
    std::vector<FarPart> chosen;
    const Step& step = problem_.steps[i];
    constexpr double seldom = 0.02;  // else paths of the whole law are high enough: up to sqrt(2 q), a share of 1 / mu
    if (!may_part_ || z.real() != plan_.c || !(step.q * step.mu * step.mu < seldom)) {
      return chosen;
    }
    if (!parts_[i]) {
      parts_[i].emplace(step, plan_.c, cumulant_.each[i]);
    }
    constexpr double some = 5.0;  // digits that they may give
    if (step.count * parts_[i]->share() < some) {
      return chosen;
    }
    const double found = parts_[i]->at(z.imag(), chosen);
    if (!(found < best)) {
      return {};
    }
    best = found;
    return chosen;
  }

  /// The widest spacing that a strip on one side allows, and the height of that strip.
  [[nodiscard]] double spacing(const Contour& contour, int direction, double most, double& height) const {
    const double here = contour.log_integrand(0.0, plan_.epsilon).real();
    double best = 0.0;
    for (const double f : {0.08, 0.16, 0.32, 0.55, 0.8, 1.0}) {
      const double a = std::min(f * most, 1.2);
      double log_n = -infinity;
      constexpr int parts = 8;
      for (int i = 0; i <= parts; ++i) {
        const Plain t(last_ * i / parts, direction * a);
        const double v = contour.log_disc(t, 2.0 * pi * a / (digits_ + 6.0), plan_.epsilon) - here;
        log_n = std::isnan(v) ? infinity : log_add(log_n, v + std::log(last_ / parts / (width_ / plan_.scale)));
      }
      const double h = 2.0 * pi * a / (digits_ + 2.0 + std::max(log_n, -2.0));
      if (h > best) {
        best = h;
        height = a;
      }
    }
    return best;
  }

  const Problem& problem_;
  Plan& plan_;
  const Cumulant& cumulant_;
  double digits_, width_, most_work_, most_nodes_ = 0.0;
  bool rayed_ = false;                          // a ray that is small enough was found
  double last_ = 0.0;                           // where the trapezoidal sum ends
  double nodes_ = 0.0;                          // of the paths
  double tried_ = 0.0;                          // nodes of rays
  std::vector<double> fractions_;               // the best heights so far
  std::vector<std::vector<TailPaths>> far_up_;  // of the steps' pieces
  std::vector<std::optional<FarParts>> parts_;  // of the steps
  bool may_part_;
};

}  // namespace

Piece FarPart::of(const Step& step) const {
  Piece part = step.pieces[piece];
  part.part = Piece::Part::rare;
  part.half = false;
  part.middle = middle;
  part.blur = blur;
  part.left = left;
  part.right = right;
  return part;
}

bool Plan::whole() const {
  return std::all_of(far.begin(), far.end(), [](const std::vector<FarPart>& parts) { return parts.empty(); });
}

double Problem::total_count() const {
  double total = 0.0;
  for (const Step& s : steps) {
    total += s.count;
  }
  return total;
}

Problem Problem::from_top() const {
  Problem other = *this;
  for (Step& step : other.steps) {
    for (Piece& p : step.pieces) {
      p.from_top = step.pair == Pair::poisson_add;
    }
  }
  return other;
}

rigorous::Real Problem::top() const {
  rigorous::Real total;
  for (const Step& step : steps) {
    if (step.pieces.front().from_top) {
      total = total - rigorous::Real(step.count) * rigorous::log1p(-rigorous::Real(step.q));
    }
  }
  return total;
}

Problem Problem::cut(double log_mass) const {
  Problem other = *this;
  for (Step& step : other.steps) {
    const double least = std::min(-1.0, log_mass - std::log(step.count) - std::log(4.0));
    for (Piece& p : step.pieces) {
      const double far = std::sqrt(-2.0 * least), moved = std::sqrt(std::max(0.0, -2.0 * (least - std::log(p.q))));
      p.right = std::ceil(16.0 * std::max(far, p.a * p.mu + moved)) / 16.0;
      if (!p.half) {
        p.left = -std::ceil(16.0 * std::max(far, moved - p.a * p.mu)) / 16.0;
      }
    }
  }
  return other;
}

Plan make_plan(const Problem& problem, double c, double epsilon, double digits, double most_work, bool parts) {
  Plan best;
  best.work = infinity;
  Plan plan;
  plan.c = round_down(std::abs(c), 24) * (c < 0.0 ? -1.0 : 1.0);
  plan.epsilon = epsilon;
  plan.wanted = digits;
  const double p = plan.c;
  const Cumulant k = cumulant(problem, p);
  plan.reference = k.each;
  plan.mean = k.mean;
  plan.width = 1.0 / std::sqrt(k.second + 1.0 / (p * p) + 1.0 / ((1.0 + p) * (1.0 + p)));
  double farthest = 0.0;  // where the ray begins, if that rests on large losses
  const auto attempt = [&](double scale) {
    Plan trial = plan;
    Shape shape(problem, trial, k, scale, digits, plan.width, most_work, parts);
    const bool served = shape.fill();
    farthest = trial.whole() ? 0.0 : shape.height();
    if (served && trial.work < best.work) {
      best = std::move(trial);
    }
  };
  for (const auto& [widths, enough] : {std::pair{8.0, 60L}, std::pair{2.0, 120L}}) {
    attempt(widths * plan.width);
    if (best.n < enough && best.work < infinity) {
      break;
    }
  }
  if (!(best.work < most_work) && farthest > 0.0) {  // nearly straight: a narrow strip, but as narrow far up
    attempt(farthest);
  }
  if (!(best.work < most_work)) {
    throw ConvergenceError("no contour is short enough");
  }
  best.bits =
      static_cast<long>(std::ceil((best.digits + std::log(1.0 + std::abs(epsilon * best.c))) / std::numbers::ln2)) + 32;
  best.bits = (best.bits + 63) / 64 * 64;
  return best;
}

}  // namespace dpcurves::accounting::proof

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Random allocation: the likelihood-ratio attack on the worst mechanism against the certified trade-off function.
#include <cmath>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::RandomAllocation;

/// Gradients of the record: in the runs that are drawn, and in the neighbour's.
struct Gradients {
  double drawn, neighbour;
};

/// log likelihood ratios, gradient 1 against the neighbour's, of all epochs of the mechanism whose other records
/// contribute nothing.
std::vector<double> losses(const Setting& setting, std::uint32_t number, const RandomAllocation& a,
                           const Gradients& gradients, std::size_t count) {
  const auto steps = static_cast<std::size_t>(a.steps);
  const double mu = 1.0 / a.noise_multiplier;
  std::vector<double> result(count, 0.0);
  for (std::uint32_t epoch = 0; epoch < static_cast<std::uint32_t>(a.epochs); ++epoch) {
    auto normal = normal_sample(setting, number + epoch, count * steps);
    const auto choice = uniform_sample(setting, number + epoch, count);
    for (std::size_t i = 0; i < count; ++i) {
      double* z = &normal[i * steps];
      z[static_cast<std::size_t>(choice[i] * a.steps)] += mu * gradients.drawn;
      const auto likelihood = [&](double gradient) {
        const double move = mu * gradient;
        return sum_over(steps, [&](std::size_t s) { return std::exp(move * z[s] - 0.5 * move * move); }) / a.steps;
      };
      result[i] += std::log(likelihood(1.0) / likelihood(gradients.neighbour));
    }
  }
  return result;
}

/// The lower end of a trade-off function at the type I errors that the audit asks for.
Curve lower_curve(const accounting::CurvePtr& curve) {
  return [curve](double a) {
    const double at[] = {a};
    return curve->type_two_errors(at).front().lower;
  };
}

std::string name_of(const RandomAllocation& a) {
  return "Z = " + rounded(a.noise_multiplier, 3) + ", one of " + rounded(a.steps, 6) + " steps, " +
         rounded(a.epochs, 4) + (a.epochs == 1.0 ? " epoch" : " epochs");
}

/// Epsilon at delta = 1e-5 against the number of steps: no amplification, Poisson sampling, random allocation.
std::vector<Figure> steps_figures(const Setting& setting) {
  constexpr double delta = 1e-5;
  const double noise = 1.0;
  std::vector<double> steps;
  std::vector<double> none;
  std::vector<double> poisson;
  std::vector<double> allocation;
  std::vector<double> remove_width;
  std::vector<double> add_width;
  const double most = setting.nightly ? 16384.0 : 16.0;
  for (double t = 1.0; t <= most; t *= setting.nightly ? 2.0 : 4.0) {
    const auto curves = accounting::random_allocation_curves({noise, t, 1.0, 1.0});
    const Enclosure remove = curves.remove->epsilon(delta).value;
    const Enclosure add = curves.add->epsilon(delta).value;
    steps.push_back(t);
    none.push_back(tradeoff::epsilon_of_delta(delta, 1.0 / noise));
    if (setting.nightly) {  // few steps are slow there
      poisson.push_back(
          accounting::epsilon_at({0.0, {{1.0 / t, 1.0 / noise, t, accounting::Pair::poisson_remove}}}, delta, {1e-3})
              .epsilon.upper);
    }
    allocation.push_back(std::max(remove.upper, add.upper));
    remove_width.push_back(remove.relative_width());
    add_width.push_back(add.relative_width());
  }
  Figure values{"Epsilon of one epoch against its steps, Z = 1, delta = 1e-5", {}};
  values.plot.title = values.title;
  values.plot.x = {"steps t", true, {}, {}};
  values.plot.y = {"epsilon (add or remove)", true, {}, {}};
  values.plot.legend = io::Legend::bottom_left;
  values.plot.series = {io::dashed("no amplification", steps, none),
                        io::points("random allocation, one of t steps", steps, allocation)};
  if (!poisson.empty()) {
    values.plot.series.push_back(io::line("Poisson sampling at rate 1/t", steps, poisson));
  }
  Figure widths{"Width of the bracket on epsilon, Z = 1, delta = 1e-5", {}};
  widths.plot.title = widths.title;
  widths.plot.x = {"steps t", true, {}, {}};
  widths.plot.y = {"relative width", true, 1e-7, 1e-2};
  widths.plot.legend = io::Legend::bottom_right;
  widths.plot.series = {io::line("remove", steps, remove_width), io::dashed("add", steps, add_width)};
  return {values, widths};
}

Case random_allocation() {
  return {"accountant/random-allocation",
          "The certified trade-off functions of random allocation, in both directions and where a record is replaced, "
          "lie below the likelihood-ratio test on a mechanism of that kind, and the test attains them",
          "One of 16 steps, Z = 1, one epoch; one of 4 steps, Z = 2, two epochs (remove); one of 8 steps, Z = 2, three "
          "epochs (replace). All other records contribute 0, the record 1, another one in its place -1; likelihood "
          "ratios of 1e5 (nightly 4e5) runs of either law; thresholds from a pilot, exact intervals of both errors",
          "The curves of a noise multiplier half as large again", [](const Setting& setting, Outcome& outcome) {
            const std::size_t count = setting.size(100000, 400000);
            const std::vector<double> errors{0.01, 0.1, 0.5};
            std::vector<io::Series> series;
            std::uint32_t number = 0xE10;
            for (const RandomAllocation& a :
                 {RandomAllocation{1.0, 16.0, 1.0, 1.0}, RandomAllocation{2.0, 4.0, 1.0, 2.0}}) {
              const auto with = losses(setting, number, a, {1.0, 0.0}, count);
              const auto without = losses(setting, number + 8, a, {0.0, 0.0}, count);
              number += 16;
              const Points remove = threshold_points(without, with, errors);
              const Points add = threshold_points(negated(with), negated(without), errors);
              const auto check = [&](Trial& trial, double factor) {
                RandomAllocation claimed = a;
                claimed.noise_multiplier *= factor;
                const auto curves = accounting::random_allocation_curves(claimed);
                check_points(trial, remove, lower_curve(curves.remove), true, "remove, " + name_of(claimed));
                if (a.epochs == 1.0) {
                  check_points(trial, add, lower_curve(curves.add), true, "add, " + name_of(claimed));
                }
                return curves;
              };
              const auto curves = check(outcome.claim, 1.0);
              check(outcome.control, 1.5);
              const auto grid = even_grid(setting.size(12, 60));
              if (a.epochs == 1.0) {
                series.push_back(drawn("remove, " + name_of(a), lower_curve(curves.remove), grid));
                series.push_back(drawn("attack", remove));
                const double mu = 1.0 / a.noise_multiplier;
                series.push_back(drawn(
                    "no amplification", [mu](double x) { return tradeoff::gaussian(x, mu); }, grid));
              }
            }
            const RandomAllocation both{2.0, 8.0, 1.0, 3.0};
            const auto replaced = threshold_points(losses(setting, number + 8, both, {-1.0, -1.0}, count),
                                                   losses(setting, number, both, {1.0, -1.0}, count), errors);
            const auto check_replaced = [&](Trial& trial, double factor) {
              RandomAllocation claimed = both;
              claimed.noise_multiplier *= factor;
              const auto curve = lower_curve(accounting::random_allocation_replaced_curve(claimed));
              check_points(trial, replaced, curve, true, "replace, " + name_of(claimed));
              return curve;
            };
            series.push_back(drawn("replace, " + name_of(both), check_replaced(outcome.claim, 1.0),
                                   even_grid(setting.size(12, 60))));
            series.push_back(drawn("attack", replaced));
            check_replaced(outcome.control, 1.5);
            outcome.figures.push_back(tradeoff_figure("Random allocation: certified bound and attack", series));
            for (Figure& figure : steps_figures(setting)) {
              outcome.figures.push_back(std::move(figure));
            }
          }};
}

}  // namespace

std::vector<Case> random_allocation_cases() { return {random_allocation()}; }

}  // namespace dpcurves::validation::accountant

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The figures of Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024). Numbers come from
// calculators; trade-off curves are drawn from the library.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/queries/reproduce.hpp>
#include <dpcurves/queries/reproduce/evaluate.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

namespace dpcurves::queries::reproduce {
namespace {

double output(const std::string& calculator, const Record& inputs, const char* key) {
  return number_of(shifted_interpolation(calculator, inputs), key);
}

double epsilon_of(double mu, double delta) { return output("gdp-epsilon", {{"mu", {mu}}, {"delta", {delta}}}, "eps"); }

std::vector<double> values(const std::vector<double>& x, const std::function<double(double)>& f) {
  std::vector<double> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), f);
  return y;
}

/// From 0 to 1, denser at both ends, where a curve may be steep; steps between its points are not seen.
std::vector<double> drawn_grid() {
  constexpr std::size_t points = 500;
  std::vector<double> x(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double a = static_cast<double>(i) / static_cast<double>(points - 1);
    x[i] = a * a * (3.0 - 2.0 * a);
  }
  return x;
}

io::Plot tradeoff_plot(const std::string& title) {
  return {title, {"type I error", false, 0.0, 1.0}, {"type II error", false, 0.0, 1.0}};
}

/// G(mu) as a line, or dashed for the analysis that is compared with.
void draw_gaussian(io::Plot& plot, const std::string& name, double mu, bool dashed, int colour) {
  const auto x = drawn_grid();
  const auto y = values(x, [mu](double a) { return tradeoff::gaussian(a, mu); });
  // Steps: chords would show more privacy than there is.
  plot.series.push_back(coloured(io::steps(name, x, y, io::Side::below), colour));
  plot.series.back().style = dashed ? io::Style::dashed : io::Style::line;
}

/// The certified lower end of a composition's trade-off function.
io::Series certified_curve(const std::string& name, const accounting::Composition& composition) {
  const auto x = drawn_grid();
  std::vector<double> lower;
  for (const Enclosure& value : accounting::tradeoff(composition, x)) {
    lower.push_back(value.lower);
  }
  return io::steps(name, x, lower, io::Side::below);
}

// --------------------------------------------------------------------------------------------- figures 1, 2 and 4

Reproduced run_figure_1() {
  struct Analysis {
    const char* label;
    const char* key;
  };
  constexpr std::array analyses{Analysis{"theorem 4.2", "eps_ours"}, Analysis{"its Renyi form", "eps_our_rdp"},
                                Analysis{"earlier Renyi bound", "eps_prior_rdp"},
                                Analysis{"composition", "eps_composition"}};
  Reproduced result{{"t", "quantity"}};
  result.notes = {"m = 1, M = 10, eta = 0.05, hence c = 0.95; kappa = 0.1; epsilon at delta = 1e-5."};
  std::vector<double> steps;
  std::array<std::vector<double>, analyses.size()> epsilons;
  for (int t = 10; t <= 160; ++t) {
    const Record outputs =
        shifted_interpolation("noisy-gd-figure-1", {{"c", {0.95}}, {"kappa", {0.1}}, {"t", {t}}, {"delta", {1e-5}}});
    steps.push_back(t);
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      epsilons[i].push_back(number_of(outputs, analyses[i].key));
    }
    constexpr std::array listed{10, 20, 40, 80, 160};
    if (std::find(listed.begin(), listed.end(), t) == listed.end()) {
      continue;
    }
    const std::string label = std::to_string(t);
    result.add({label, "mu, theorem 4.2"}, number_of(outputs, "mu_ours"));
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      result.add({label, std::string("epsilon, ") + analyses[i].label}, epsilons[i].back());
    }
  }
  io::Plot plot{
      "Noisy gradient descent, c = 0.95, kappa = 0.1, delta = 1e-5", {"steps"}, {"epsilon"}, io::Legend::top_left};
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    plot.series.push_back(io::steps(analyses[i].label, steps, epsilons[i], io::Side::above));
  }
  result.plot = std::move(plot);
  return result;
}

Reproduced run_figure_2() {
  Reproduced result{{"curve", "quantity"}};
  io::Plot plot = tradeoff_plot("Gaussian trade-off functions, and a curve that is 1-GDP but not 0.5-GDP");
  for (const double mu : {0.0, 0.5, 1.0, 5.0}) {
    const std::string name = "G(" + shortest(mu) + ")";
    result.add({name, "fixed point"}, numerics::normal_cdf(-0.5 * mu));
    draw_gaussian(plot, name, mu, false, static_cast<int>(plot.series.size()));
  }
  constexpr double corner = 0.37;
  result.add({"piecewise linear", "fixed point"}, corner);
  result.add({"piecewise linear", "mu through the corner"}, tradeoff::mu_of_point(corner, corner));
  result.notes = {
      "The piecewise linear curve through (0, 1), (0.37, 0.37) and (1, 0) lies above G(1), but its corner is below "
      "G(0.5): 1-GDP and not 0.5-GDP."};
  plot.series.push_back(coloured(io::dashed("through (0.37, 0.37)", {0.0, corner, 1.0}, {1.0, corner, 0.0}),
                                 static_cast<int>(plot.series.size())));
  result.plot = std::move(plot);
  return result;
}

Reproduced run_figure_4() {
  constexpr double p = 0.25;
  constexpr double mu = 2.5;
  Reproduced result{{"lambda", "quantity"}};
  result.notes = {
      "p = 0.25, mu = 2.5. f^(lambda) is the trade-off function of one step with gradients (1 - lambda) L and -lambda "
      "L; it touches C_p(G(mu)) at the point listed, and the infimum over lambda is C_p(G(mu))."};
  io::Plot plot = tradeoff_plot("C_p(G(2.5)) at p = 0.25 and three one-step curves");
  const auto x = drawn_grid();
  plot.series.push_back(io::steps("their infimum, C_p(G(2.5))", x,
                                  values(x, [&](double a) { return tradeoff::subsampled_gaussian(a, p, mu); }),
                                  io::Side::below));
  for (const double share : {0.0, 0.5, 1.0}) {
    const auto contact = tradeoff::extremal_pair((share - 0.5) * mu, share, p, mu);
    const std::string label = shortest(share);
    result.add({label, "type I error of contact"}, contact.type_one_error);
    result.add({label, "type II error, f^(lambda)"}, contact.type_two_error);
    result.add(
        {label, "type II error, C_p(G(mu))"},
        output("subsampled-gaussian-tradeoff", {{"p", {p}}, {"mu", {mu}}, {"alpha", {contact.type_one_error}}}, "f"));
    plot.series.push_back(io::dashed("one step, lambda = " + label, x, values(x, [&](double a) {
                                       return tradeoff::extremal_tradeoff(a, share, p, mu);
                                     })));
  }
  result.plot = std::move(plot);
  return result;
}

// ------------------------------------------------------------------------- figures 6 to 9: GDP parameter against time

/// A figure whose curves are G(mu): one parameter per analysis and time.
struct GdpFigure {
  std::string title;
  std::string time;                                    ///< "t" or "E"
  std::vector<int> drawn;                              ///< times of the trade-off curves
  std::vector<int> listed;                             ///< times of the numbers
  std::vector<std::string> analyses;                   ///< the last is composition, drawn dashed
  std::function<std::vector<double>(int)> parameters;  ///< one per analysis
  std::string note;
};

Reproduced run_gdp_figure(const GdpFigure& figure) {
  Reproduced result{{figure.time, "quantity"}, {}, {figure.note}};
  for (const int time : figure.listed) {
    const auto mu = figure.parameters(time);
    const std::string label = std::to_string(time);
    for (std::size_t i = 0; i < figure.analyses.size(); ++i) {
      result.add({label, "mu, " + figure.analyses[i]}, mu[i]);
      for (const double delta : {1e-3, 1e-5}) {
        result.add({label, "epsilon at " + shortest(delta) + ", " + figure.analyses[i]}, epsilon_of(mu[i], delta));
      }
    }
  }
  io::Plot plot = tradeoff_plot(figure.title);
  int colour = 0;
  for (const int time : figure.drawn) {
    const auto mu = figure.parameters(time);
    const std::string when = ", " + figure.time + " = " + std::to_string(time);
    draw_gaussian(plot, figure.analyses.front() + when, mu.front(), false, colour);
    draw_gaussian(plot, figure.analyses.back() + when, mu.back(), true, colour);
    ++colour;
  }
  result.plot = std::move(plot);
  return result;
}

Reproduced run_figure_6() {
  return run_gdp_figure({"Noisy gradient descent, strongly convex, kappa = 0.1, c = 0.99",
                         "t",
                         {10, 100, 1000},
                         {10, 20, 40, 80, 160, 320, 640},
                         {"theorem 4.2", "composition"},
                         [](int t) {
                           const Record outputs = shifted_interpolation(
                               "noisy-gd-figure-1", {{"c", {0.99}}, {"kappa", {0.1}}, {"t", {t}}, {"delta", {1e-5}}});
                           return std::vector{number_of(outputs, "mu_ours"), number_of(outputs, "mu_composition")};
                         },
                         "kappa = 0.1, c = 0.99."});
}

Reproduced run_figure_7() {
  return run_gdp_figure(
      {"Noisy gradient descent on a set of diameter 1: L/n = 0.5, sigma = 8, eta = 0.1",
       "t",
       {80, 160, 320},
       {80, 160, 320, 640},
       {"theorem 4.3", "best horizon", "composition"},
       [](int t) {
         constexpr double sensitivity = 0.5;
         constexpr double noise = 8.0;
         const Record outputs = shifted_interpolation(
             "noisy-gd-constrained",
             {{"L_over_n", {sensitivity}}, {"eta", {0.1}}, {"D", {1}}, {"sigma", {noise}}, {"t", {t}}});
         const double composition = sensitivity / noise * std::sqrt(static_cast<double>(t));
         return std::vector{std::min(number_of(outputs, "mu_paper"), composition), number_of(outputs, "mu_best"),
                            composition};
       },
       "D = 1, sigma = 8, L/n = 0.5, eta = 0.1. As in the paper, theorem 4.3 is shown as the smaller of itself and "
       "composition."});
}

Reproduced run_figure_8() {
  return run_gdp_figure({"Noisy cyclic gradient descent, strongly convex, kappa = 0.2, c = 0.99, l = 20",
                         "E",
                         {5, 50, 500},
                         {5, 10, 20, 40, 80, 160, 320},
                         {"theorem 4.5", "composition"},
                         [](int epochs) {
                           const Record outputs =
                               shifted_interpolation("noisy-cgd-strongly-convex",
                                                     {{"kappa", {0.2}}, {"c", {0.99}}, {"l", {20}}, {"E", {epochs}}});
                           return std::vector{number_of(outputs, "mu"), number_of(outputs, "mu_composition")};
                         },
                         "kappa = 0.2, c = 0.99, l = 20."});
}

Reproduced run_figure_9() {
  return run_gdp_figure(
      {"Noisy cyclic gradient descent on a set of diameter 1: L/b = 0.5, sigma = 3, eta = 0.02, l = 20",
       "E",
       {25, 50, 100},
       {25, 50, 100, 200, 400},
       {"theorem 4.6", "best horizon", "composition"},
       [](int epochs) {
         const Record setting{{"L_over_b", {0.5}}, {"D", {1}}, {"sigma", {3}}, {"l", {20}}};
         Record plateau = setting;
         plateau.add("eta_list", {std::vector{0.02}});
         Record exact = setting;
         exact.add("eta", {0.02});
         exact.add("E", {epochs});
         const double flat =
             number_of(rows_of(shifted_interpolation("noisy-cgd-constrained-plateau", plateau)).front(), "mu_star");
         const Record outputs = shifted_interpolation("noisy-cgd-constrained", exact);
         const double composition = number_of(outputs, "mu_composition");
         return std::vector{std::min(flat, composition), number_of(outputs, "mu_best"), composition};
       },
       "D = 1, sigma = 3, eta = 0.02, L/b = 0.5, l = 20. As in the paper, theorem 4.6 is shown as the smaller of "
       "itself and composition, also for E < 100, where its condition on E fails: the shift problem costs no more for "
       "fewer epochs, so the value still bounds."});
}

// ---------------------------------------------------------------------------------------------------- figure 10

/// A panel of Figure 10: sigma = 3, D = 1.
struct Panel {
  double sampling_rate;
  double sensitivity;  ///< L/b
  double step_size;
};

constexpr double panel_noise = 3.0;

/// Theorem 4.10 with the split of the paper at the horizon that its central limit approximation likes best.
struct PanelBound {
  double horizon = 0.0;
  double gaussian_mu = 0.0;
  double clt_mu = 0.0;
  double subsampled_mu = 0.0;
};

PanelBound best_panel_bound(const Panel& panel) {
  const double split = std::sqrt(10.0);  // 1/10 + 1/(10/9) = 1
  const double other_split = std::sqrt(10.0) / 3.0;
  PanelBound best;
  best.clt_mu = std::numeric_limits<double>::infinity();
  const double subsampled_mu = 2.0 * other_split * panel.sensitivity / panel_noise;
  const double one_step =
      output("subsampled-gaussian-clt", {{"p", {panel.sampling_rate}}, {"mu", {subsampled_mu}}, {"t", {1}}}, "mu_clt");
  for (int horizon = 100; horizon <= 4900; horizon += 100) {
    const double root = std::sqrt(static_cast<double>(horizon));
    const double gaussian_mu = split / (panel.step_size * panel_noise * root);
    const double mu = std::hypot(gaussian_mu, one_step * root);
    if (mu < best.clt_mu) {
      best = {static_cast<double>(horizon), gaussian_mu, mu, subsampled_mu};
    }
  }
  return best;
}

Reproduced run_figure_10() {
  constexpr Panel drawn{0.01, 0.5, 0.1};
  constexpr std::array panels{drawn, Panel{0.01, 0.5, 0.2}, Panel{0.01, 0.5, 0.05}, Panel{0.005, 0.25, 0.1},
                              Panel{0.02, 0.5, 0.1}};
  constexpr std::array compositions{5000, 20000, 80000};
  constexpr double epsilon = 1.0;
  Reproduced result{{"p", "L/b", "eta", "quantity"}};
  result.notes = {
      "sigma = 3, D = 1, split (sqrt(10), sqrt(10)/3), horizons N = 100, 200, ..., 4900. Deltas are at epsilon = 1.",
      "Rows and curves marked CLT are approximations, wrong in either direction; the others are certified (the paper "
      "draws the CLT for all).",
      "The paper's split is not the best one: `dpcurves privacy noisy-sgd` optimises it for the question asked."};
  for (const Panel& panel : panels) {
    const PanelBound bound = best_panel_bound(panel);
    const double kappa = panel.sensitivity / panel_noise;
    const auto add = [&](const std::string& quantity, double value) {
      result.add({shortest(panel.sampling_rate), shortest(panel.sensitivity), shortest(panel.step_size), quantity},
                 value);
    };
    add("N", bound.horizon);
    add("mu, theorem 4.10 (CLT)", bound.clt_mu);
    add("delta, theorem 4.10 (CLT)", output("gdp-delta", {{"mu", {bound.clt_mu}}, {"eps", {epsilon}}}, "delta"));
    add("delta, theorem 4.10", output("noisy-sgd-constrained",
                                      {{"kappa", {kappa}},
                                       {"p", {panel.sampling_rate}},
                                       {"D", {1}},
                                       {"eta", {panel.step_size}},
                                       {"sigma", {panel_noise}},
                                       {"N", {bound.horizon}},
                                       {"split_alpha", {std::sqrt(10.0)}},
                                       {"eps", {epsilon}}},
                                      "delta"));
    for (const int t : compositions) {
      const Record component{{"p", {panel.sampling_rate}}, {"mu", {kappa}}, {"count", {t}}};
      add("delta, composition, t = " + std::to_string(t),
          output("compose-delta", {{"gaussian_mu", {0}}, {"components", {List{{component}}}}, {"eps", {epsilon}}},
                 "delta"));
    }
  }
  const PanelBound bound = best_panel_bound(drawn);
  io::Plot plot = tradeoff_plot("Noisy SGD on a set of diameter 1: p = 0.01, L/b = 0.5, eta = 0.1, sigma = 3");
  plot.series.push_back(certified_curve(
      "theorem 4.10", {bound.gaussian_mu, {{drawn.sampling_rate, bound.subsampled_mu, bound.horizon}}}));
  draw_gaussian(plot, "theorem 4.10, CLT (approximate)", bound.clt_mu, true, 1);
  int colour = 2;
  for (const int t : compositions) {
    const accounting::Composition steps{
        0.0, {{drawn.sampling_rate, drawn.sensitivity / panel_noise, static_cast<double>(t)}}};
    plot.series.push_back(coloured(certified_curve("composition, t = " + std::to_string(t), steps), colour++));
  }
  result.plot = std::move(plot);
  return result;
}

Reproduced drawing(const std::string& what) { return {{}, {}, {what}}; }

}  // namespace

std::vector<Reproduction> shifted_interpolation_figures() {
  const std::string prefix = "shifted-interpolation/figure-";
  return {
      {prefix + "1", "epsilon of noisy gradient descent by four analyses", run_figure_1},
      {prefix + "2", "Gaussian trade-off functions", run_figure_2},
      {prefix + "3", "sketch of the interpolated process",
       [] { return drawing("A drawing of the two chains and the process between them: nothing to compute."); }},
      {prefix + "4", "C_p(G(mu)) and the one-step curves whose infimum it is", run_figure_4},
      {prefix + "5", "sketch of the interpolations for noisy SGD",
       [] { return drawing("A drawing of the interpolations of noisy SGD: nothing to compute."); }},
      {prefix + "6", "noisy gradient descent, strongly convex", run_figure_6},
      {prefix + "7", "noisy gradient descent under a diameter", run_figure_7},
      {prefix + "8", "noisy cyclic gradient descent, strongly convex", run_figure_8},
      {prefix + "9", "noisy cyclic gradient descent under a diameter", run_figure_9},
      {prefix + "10", "noisy SGD under a diameter, certified beside the central limit approximation", run_figure_10}};
}

}  // namespace dpcurves::queries::reproduce

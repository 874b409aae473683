// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Renyi losses of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares".
#include <algorithm>
#include <cmath>

#include <dpcurves/calculators/tables/least_squares.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/divergence/gaussian_pair.hpp>
#include <dpcurves/divergence/mixture.hpp>
#include <dpcurves/homogenized/contractive_pass.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/homogenized/isotropic_loss.hpp>
#include <dpcurves/homogenized/neighbouring_laws.hpp>
#include <dpcurves/homogenized/pair_score.hpp>
#include <dpcurves/homogenized/release.hpp>
#include <dpcurves/homogenized/renyi_loss.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

namespace dpcurves::calculators {
namespace {

using divergence::Direction;
using Eigen::ArrayXd;
using homogenized::HsgdLaw;
using homogenized::ReleaseKind;
using Numbers = std::vector<double>;

homogenized::PairProducts products(const HsgdLaw& law, const ExchangedRecords& records) {
  return homogenized::pair_products(law.problem(), record_pair(records, law.problem().spectrum.size()));
}

homogenized::Release release(const HsgdLaw& law, ReleaseKind kind, const Numbers& times) {
  return {law.problem(), kind, law.states(times)};
}

homogenized::NeighbouringLaws laws_at(const HsgdLaw& law, ReleaseKind kind, const Numbers& times,
                                      const ExchangedRecords& records, double jump) {
  const auto weights = release(law, kind, times).weights(law.state(jump));
  return {weights, pair_sums(weights, products(law, records))};
}

Record last_iterate(const LeastSquaresProblem& given, const ExchangedRecords& records, double jump,
                    const Numbers& times, double order) {
  check_times(times, "release_times", true);
  if (times.size() != 1) {
    throw UsageError("release_times: the last iterate has one release time, not " + std::to_string(times.size()));
  }
  const HsgdLaw law(least_squares(given), std::max(times.back(), jump));
  const auto laws = laws_at(law, ReleaseKind::last_iterate, times, records, jump);
  return {{"D_last_12", {laws.renyi(order, Direction::first_to_second)}},
          {"D_last_21_paper14", {laws.renyi(order, Direction::second_to_first)}},
          {"alpha_max_12", {laws.order_limit(Direction::first_to_second)}},
          {"alpha_max_21", {laws.order_limit(Direction::second_to_first)}}};
}

Record joint_and_average(const LeastSquaresProblem& given, const ExchangedRecords& records, double jump,
                         const Numbers& times, double order) {
  check_times(times, "release_times", true);
  const HsgdLaw law(least_squares(given), std::max(times.back(), jump));
  Record answer;
  const auto add = [&](ReleaseKind kind, const char* forward, const char* backward) {
    const auto laws = laws_at(law, kind, times, records, jump);
    answer.add(forward, {laws.renyi(order, Direction::first_to_second)});
    answer.add(backward, {laws.renyi(order, Direction::second_to_first)});
  };
  add(ReleaseKind::joint, "D_joint_exact_12", "D_joint_exact_21");
  add(ReleaseKind::joint_suffix, "D_joint_suffix_12", "D_joint_suffix_21_paper20");
  add(ReleaseKind::average, "D_avg_12", "D_avg_21_paper23");
  return answer;
}

Record order_limits(const LeastSquaresProblem& given, const ExchangedRecords& records, double time) {
  const HsgdLaw law(least_squares(given), time);
  const auto family = homogenized::listed_pairs({products(law, records)});
  const auto last = release(law, ReleaseKind::last_iterate, {time});
  const auto forward = homogenized::least_order_limit(law, last, family, Direction::first_to_second);
  const auto backward = homogenized::least_order_limit(law, last, family, Direction::second_to_first);
  return {{"alpha_max_12", {forward.order}},
          {"s_at_min_12", {forward.at}},
          {"alpha_max_21", {backward.order}},
          {"s_at_min_21", {backward.at}}};
}

/// A shuffled pass, and the records that may be exchanged in it.
struct ShuffledPass {
  double horizon = 1.0;
  double order = 2.0;
  std::vector<ExchangedRecords> pairs;
  static constexpr std::tuple fields{
      required("horizon", "T", &ShuffledPass::horizon, "(0, inf)", "time t = n/d at which the pass ends"),
      required("order", "alpha", &ShuffledPass::order, "(1, inf)", "Renyi order"),
      required("pairs", &ShuffledPass::pairs, "list of {a, b, a_prime, b_prime}, features in the eigenbasis")};
};

homogenized::RenyiLoss loss(const HsgdLaw& law, const ShuffledPass& pass, ReleaseKind kind, const Numbers& times) {
  if (pass.pairs.empty()) {
    throw UsageError("pairs: is not a list of at least one object {a, b, a_prime, b_prime}");
  }
  require_domain(times.back() <= pass.horizon, "horizon", pass.horizon, "[last release time, inf)");
  std::vector<homogenized::PairProducts> pairs;
  for (const auto& records : pass.pairs) {
    pairs.push_back(products(law, records));
  }
  homogenized::LossQuery query{.orders = {pass.order}, .horizon = pass.horizon};
  return renyi_loss(law, release(law, kind, times), homogenized::listed_pairs(pairs), query);
}

Record with_limits(Record answer, const homogenized::RenyiLoss& loss) {
  answer.add("alpha_max_12", {loss.forward_limit});
  answer.add("alpha_max_21", {loss.backward_limit});
  return answer;
}

Record last_loss(const LeastSquaresProblem& given, const ShuffledPass& pass, double time) {
  const HsgdLaw law(least_squares(given), time);
  const auto found = loss(law, pass, ReleaseKind::last_iterate, {time});
  return with_limits({{"epsilon_12", {found.forward[0].value}}, {"epsilon_21_paper15", {found.backward[0].value}}},
                     found);
}

Record joint_loss(const LeastSquaresProblem& given, const ShuffledPass& pass, const Numbers& times) {
  check_times(times, "release_times", true);
  const HsgdLaw law(least_squares(given), times.back());
  const auto exact = loss(law, pass, ReleaseKind::joint, times);
  const auto suffix = loss(law, pass, ReleaseKind::joint_suffix, times);
  return with_limits({{"epsilon_12", {exact.forward[0].value}},
                      {"epsilon_21", {exact.backward[0].value}},
                      {"epsilon_suffix_21_paper21", {suffix.backward[0].value}}},
                     exact);
}

Record average_loss(const LeastSquaresProblem& given, const ShuffledPass& pass, const Numbers& times) {
  check_times(times, "release_times", true);
  const HsgdLaw law(least_squares(given), times.back());
  const auto found = loss(law, pass, ReleaseKind::average, times);
  return with_limits({{"epsilon_12", {found.forward[0].value}}, {"epsilon_21_paper24", {found.backward[0].value}}},
                     found);
}

/// Inner products and labels of the two records.
struct ReducedPair {
  double norm2_a = 0.0;
  double norm2_a_prime = 0.0;
  double dot_a_a_prime = 0.0;
  double dot_a_x0 = 0.0;
  double dot_a_prime_x0 = 0.0;
  double dot_a_xtilde = 0.0;
  double dot_a_prime_xtilde = 0.0;
  double b = 0.0;
  double b_prime = 0.0;
  static constexpr std::tuple fields{
      required("norm2_a", &ReducedPair::norm2_a, "[0, inf)", "squared norm of features"),
      required("norm2_a_prime", &ReducedPair::norm2_a_prime, "[0, inf)", "squared norm of features"),
      required("dot_a_a_prime", &ReducedPair::dot_a_a_prime, "(-inf, inf)", "inner product"),
      required("dot_a_x0", &ReducedPair::dot_a_x0, "(-inf, inf)", "inner product"),
      required("dot_a_prime_x0", &ReducedPair::dot_a_prime_x0, "(-inf, inf)", "inner product"),
      required("dot_a_xtilde", &ReducedPair::dot_a_xtilde, "(-inf, inf)", "inner product"),
      required("dot_a_prime_xtilde", &ReducedPair::dot_a_prime_xtilde, "(-inf, inf)", "inner product"),
      required("b", &ReducedPair::b, "(-inf, inf)", "label of the first record"),
      required("b_prime", &ReducedPair::b_prime, "(-inf, inf)", "label of the second record")};
};

/// One eigenvalue: a pass from inner products.
struct ReducedPass {
  double eigenvalue = 1.0;
  double regularisation = 0.0;
  double step_size = 1.0;
  double dimension = 1.0;
  double records = 1.0;
  double label_noise = 0.0;
  double order = 2.0;
  double norm2_x0 = 0.0;
  double dot_x0_xtilde = 0.0;
  double norm2_xtilde = 0.0;
  ReducedPair pair;
  Numbers iterations;
  Numbers noises;
  static constexpr std::tuple fields{
      required("eigenvalue", "lambda_", &ReducedPass::eigenvalue, "(0, inf)", "the eigenvalue, of multiplicity dim"),
      required("regularisation", "delta", &ReducedPass::regularisation, "[0, inf)", "l2 regularisation"),
      required("step_size", "eta", &ReducedPass::step_size, "(0, inf)", "step size"),
      required("dimension", "dim", &ReducedPass::dimension, whole("[1, inf)"), "dimension d"),
      required("records", "n", &ReducedPass::records, whole("[1, inf)"), "records in the pass"),
      required("label_noise", "E_xi2", &ReducedPass::label_noise, "[0, inf)", "variance of the label noise"),
      required("order", "alpha", &ReducedPass::order, "(1, inf)", "Renyi order"),
      required("norm2_x0", &ReducedPass::norm2_x0, "[0, inf)", "|x0|^2"),
      required("dot_x0_xtilde", &ReducedPass::dot_x0_xtilde, "(-inf, inf)", "x0' xtilde"),
      required("norm2_xtilde", &ReducedPass::norm2_xtilde, "[0, inf)", "|xtilde|^2"),
      required("pair", &ReducedPass::pair, "inner products and labels of the two records"),
      required("iterations", &ReducedPass::iterations, "[0, inf)", "release iterations k <= n"),
      required("noises", "sigmas", &ReducedPass::noises, "[0, inf)", "noise per coordinate of a gradient")};
};

Record reduced_losses(const ReducedPass& s) {
  homogenized::IsotropicPass pass{.eigenvalue = s.eigenvalue,
                                  .regularisation = s.regularisation,
                                  .step_size = s.step_size,
                                  .dimension = s.dimension,
                                  .records = s.records,
                                  .label_noise = s.label_noise,
                                  .norm2_x0 = s.norm2_x0,
                                  .dot_x0_xtilde = s.dot_x0_xtilde,
                                  .norm2_xtilde = s.norm2_xtilde};
  const auto one = [](double value) { return ArrayXd::Constant(1, value); };
  const ReducedPair& p = s.pair;
  pass.pair = {one(p.norm2_a),
               one(p.dot_a_a_prime),
               one(p.norm2_a_prime),
               one(p.dot_a_x0),
               one(p.dot_a_prime_x0),
               one(p.dot_a_xtilde),
               one(p.dot_a_prime_xtilde),
               p.b,
               p.b_prime};
  List curves;
  for (const double sigma : s.noises) {
    pass.noise = sigma;
    const auto curve = isotropic_losses(pass, s.order, s.iterations);
    curves.push_back({Record{{"sigma", {sigma}},
                             {"true_order", {curve.forward}},
                             {"paper_order", {curve.backward}},
                             {"figure_units", {curve.figure_units}}}});
  }
  return {{"curves", {curves}}};
}

Eigen::MatrixXd covariance(const std::vector<Numbers>& rows, const std::string& key) {
  if (rows.empty()) {
    throw UsageError(key + ": is not a list of rows");
  }
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd matrix(size, size);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.size()) {
      throw UsageError(key + "[" + std::to_string(i) + "]: has " + std::to_string(rows[i].size()) +
                       " entries, the matrix has " + std::to_string(size) + " rows");
    }
    matrix.row(static_cast<Eigen::Index>(i)) = array(rows[i]).matrix().transpose();
  }
  constexpr double rounding = 1e-12;
  if (!((matrix - matrix.transpose()).cwiseAbs().maxCoeff() <= rounding * matrix.cwiseAbs().maxCoeff())) {
    throw DomainError(key + ": is not symmetric");
  }
  return matrix;
}

Record gaussian_renyi(const Numbers& mean1, const std::vector<Numbers>& cov1, const Numbers& mean2,
                      const std::vector<Numbers>& cov2, const Numbers& orders) {
  const auto axes = divergence::principal_axes(array(mean1).matrix(), covariance(cov1, "cov1"), array(mean2).matrix(),
                                               covariance(cov2, "cov2"));
  List values;
  for (const double order : orders) {
    values.push_back({Record{{"alpha", {order}},
                             {"D_1_2", {divergence::renyi(order, axes, Direction::first_to_second)}},
                             {"D_2_1", {divergence::renyi(order, axes, Direction::second_to_first)}}}});
  }
  return {{"values", {values}},
          {"alpha_max_12", {divergence::order_limit(axes, Direction::first_to_second)}},
          {"alpha_max_21", {divergence::order_limit(axes, Direction::second_to_first)}}};
}

double mixture(const Numbers& divergences, const Numbers& weights, double order) {
  return divergence::mixture_renyi(order, divergences, weights);
}

/// A Renyi loss at one order.
struct RenyiRow {
  double order = 2.0;
  double epsilon = 0.0;
  static constexpr std::tuple fields{required("order", &RenyiRow::order, "(1, inf)", "Renyi order"),
                                     required("epsilon", &RenyiRow::epsilon, "[0, inf]", "loss, may be inf")};
};
struct ApproximateQuestion {
  std::vector<RenyiRow> losses;
  double delta = 1e-5;
  static constexpr std::tuple fields{
      required("losses", "rdp", &ApproximateQuestion::losses, "list of [order, epsilon], epsilon may be inf"),
      required("delta", "delta_dp", &ApproximateQuestion::delta, "(0, 1)", "delta of the guarantee")};
};

Record approximate(const ApproximateQuestion& s) {
  if (s.losses.empty()) {
    throw UsageError("rdp: is not a list of at least one [order, epsilon]");
  }
  std::vector<divergence::RenyiPoint> points;
  for (const auto& row : s.losses) {
    points.push_back({row.order, row.epsilon});
  }
  const auto classic = divergence::mironov(points, s.delta);
  const auto tight = divergence::balle(points, s.delta);
  return {{"epsilon_classic", {classic.epsilon}},
          {"alpha_classic", {classic.order}},
          {"epsilon_tight", {tight.epsilon}},
          {"alpha_tight", {tight.order}}};
}

Record contractive(const homogenized::ContractivePass& pass, double order, double iteration) {
  return {{"per_position_k1", {position_renyi(pass, order, 1.0)}},
          {"per_position_last", {position_renyi(pass, order, iteration)}},
          {"epsilon", {shuffled_renyi(pass, order, iteration)}},
          {"epsilon_figure_variant", {shuffled_renyi_figure_variant(pass, order, iteration)}}};
}

Record score(const ExchangedRecords& records, const Numbers& reference, double regularisation) {
  const ArrayXd point = array(reference);
  const auto pair = record_pair(records, point.size());
  return {{"score", {homogenized::pair_score(pair, point)}},
          {"score_printed_form", {homogenized::pair_score_printed_form(pair, point, regularisation)}}};
}

/// Noisy SGD given its data.
struct ConditionalRun {
  std::vector<Numbers> features;
  Numbers labels;
  std::size_t index = 0;
  Numbers other;
  double other_label = 0.0;
  Numbers start;
  double step_size = 0.0;
  double regularisation = 0.0;
  double noise = 0.0;
  std::size_t steps = 0;
  double order = 2.0;
  static constexpr std::tuple fields{
      required("features", "A", &ConditionalRun::features, "(-inf, inf)", "features, one row per record"),
      required("labels", "b", &ConditionalRun::labels, "(-inf, inf)", "labels"),
      required("index", &ConditionalRun::index, whole("[0, inf)"), "the record that is replaced, counted from 0"),
      required("other", "a_prime", &ConditionalRun::other, "(-inf, inf)", "features of the replacement"),
      required("other_label", "b_prime", &ConditionalRun::other_label, "(-inf, inf)", "label of the replacement"),
      required("start", "x0", &ConditionalRun::start, "(-inf, inf)", "start"),
      required("step_size", "eta", &ConditionalRun::step_size, "[0, inf)", "constant step size"),
      required("regularisation", "delta", &ConditionalRun::regularisation, "[0, inf)", "l2 regularisation"),
      required("noise", "sigma", &ConditionalRun::noise, "[0, inf)", "noise per coordinate of a gradient"),
      required("steps", "k", &ConditionalRun::steps, whole("[0, inf)"), "steps, at most the records"),
      required("order", "alpha", &ConditionalRun::order, "(1, inf)", "Renyi order")};
};

Record conditional(const ConditionalRun& s) {
  if (s.features.empty()) {
    throw UsageError("A: is not a list of rows");
  }
  const std::size_t rows = s.features.size(), size = s.start.size();
  require_domain(s.labels.size() == rows, "number of labels", static_cast<double>(s.labels.size()), "rows of A");
  require_domain(s.steps <= rows, "steps", static_cast<double>(s.steps), "[0, rows of A]");
  require_domain(s.index < rows, "index", static_cast<double>(s.index), "[0, rows of A)");
  require_domain(s.other.size() == size, "entries of a_prime", static_cast<double>(s.other.size()), "those of x0");
  simulate::ConditionalSgd setting;
  setting.records = {size, {}, s.labels};
  for (const auto& row : s.features) {
    require_domain(row.size() == size, "entries of a row of A", static_cast<double>(row.size()), "those of x0");
    setting.records.features.insert(setting.records.features.end(), row.begin(), row.end());
  }
  setting.start = array(s.start).matrix();
  setting.step_sizes.assign(rows, s.step_size);
  setting.regularisation = s.regularisation;
  setting.noise = s.noise;
  const auto pair = simulate::conditional_pair(setting, s.steps, s.index, {array(s.other), s.other_label});
  const bool same = s.labels[s.index] == s.other_label && s.features[s.index] == s.other;
  Record answer;
  if (same || pair.step_size == 0.0 || s.noise == 0.0) {  // without noise the iterates are not random
    const double divergence = same || pair.step_size == 0.0 ? 0.0 : HUGE_VAL;
    answer = {{"D_12", {divergence}}, {"D_21", {divergence}}};
  } else {
    const auto small = simulate::reduced(pair);
    const auto axes = divergence::principal_axes(small.mean1, small.covariance1, small.mean2, small.covariance2);
    answer = {{"D_12", {divergence::renyi(s.order, axes, Direction::first_to_second)}},
              {"D_21", {divergence::renyi(s.order, axes, Direction::second_to_first)}}};
  }
  answer.add("mean", {listed(pair.original.mean)});
  answer.add("cov_diag", {listed(Eigen::VectorXd(pair.original.covariance.diagonal()))});
  return answer;
}

// --- tables ---------------------------------------------------------------------------------------------------------

const FieldInfo alpha = argument("order", "alpha", "(1, inf)", "Renyi order"),
                jump = argument("jump", "s", "[0, inf)", "time t = k/d at which the differing record is used"),
                releases =
                    argument("times", "release_times", "[0, inf)", "ascending times t = k/d of the released iterates");

}  // namespace

std::vector<Calculator> renyi_losses() {
  const FieldInfo time = argument("time", "t", "(0, inf)", "release time t = k/d");
  const auto vector = [](const char* name, const char* meaning) {
    return argument(name, name, "(-inf, inf)", meaning);
  };
  return {
      calculator<&gaussian_renyi>("renyi-gaussian", {"definition-1", "lemma-c.2"},
                                  "Lemma C.2, corrected: Renyi divergences of two normal laws in both directions",
                                  {vector("mean1", "mean of the first law"), vector("cov1", "its covariance, rows"),
                                   vector("mean2", "mean of the second law"), vector("cov2", "its covariance, rows"),
                                   argument("orders", "alphas", "(1, inf)", "Renyi orders")}),
      of_problem(calculator<&last_iterate>("renyi-last", {"theorem-4.3", "lemma-c.1"},
                                           "Theorem 4.3: Renyi divergence of the last iterate, record used at time s",
                                           {jump, releases, alpha})),
      of_problem(calculator<&last_iterate>("renyi-last-limit", {"theorem-4.3"},
                                           "Theorem 4.3: the same with the orders past which it is infinite",
                                           {jump, releases, alpha})),
      of_problem(calculator<&order_limits>("rdp-order-limit", {"theorem-4.3"},
                                           "Theorem 4.3: least order limit over the time of the differing record",
                                           {time})),
      of_problem(calculator<&joint_and_average>(
          "renyi-joint-avg", {"theorem-4.4", "theorem-4.5"},
          "Theorems 4.4 and 4.5: several iterates and their average, corrected and as printed",
          {jump, releases, alpha})),
      of_problem(calculator<&last_loss>("rdp-last-iterate", {"theorem-4.3"},
                                        "Theorem 4.3: Renyi loss of the last iterate over a shuffled pass", {time})),
      of_problem(calculator<&joint_loss>("rdp-joint-release", {"theorem-4.4"},
                                         "Theorem 4.4, corrected: Renyi loss of several iterates over a shuffled pass",
                                         {releases})),
      of_problem(calculator<&average_loss>("rdp-average-release", {"theorem-4.5"},
                                           "Theorem 4.5, corrected: Renyi loss of the average of iterates",
                                           {releases})),
      calculator<&reduced_losses>(
          "rdp-last-iterate-isotropic-reduced", {"theorem-4.3", "figure-1b", "figure-2b", "figure-3b"},
          "Figure 2(b): Renyi loss of the last iterate for one eigenvalue, from inner products"),
      calculator<&mixture>("mixture-rdp", {"lemma-c.3"}, "Lemma C.3: bound on the Renyi divergence of two mixtures",
                           {argument("divergences", "divergences", "[0, inf]", "of the components"),
                            argument("weights", "weights", "(0, inf)", "as many"), alpha})
          .rename("value", "epsilon"),
      calculator<&approximate>("rdp-to-approx-dp", {"theorem-4.3"},
                               "(epsilon, delta) from Renyi losses at some orders, not clamped at 0"),
      calculator<&contractive>("rdp-contractive-one-pass", {"figure-3b"},
                               "Ye and Shokri (2022): clipped contractive steps, one shuffled pass",
                               {alpha, argument("iteration", "iteration", whole("[1, inf)"), "release, at most n")}),
      calculator<&score>(
          "pair-score", {"figure-1b"}, "size of the gap between the gradients of two records at a reference point",
          {vector("reference", "point in the eigenbasis; m(s) gives the exact mean gap over eta"),
           argument("regularisation", "delta", "[0, inf)", "l2 regularisation, which only the printed form reads")}),
      calculator<&conditional>(
          "rdp-sgd-conditional", {"algorithm-1"},
          "exact law of noisy SGD given its data, and its Renyi divergences when one record is replaced")};
}

}  // namespace dpcurves::calculators

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": Renyi losses of noisy least
// squares.
#include <algorithm>

#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/divergence/gaussian_pair.hpp>
#include <dpcurves/divergence/mixture.hpp>
#include <dpcurves/homogenized/contractive_pass.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/homogenized/isotropic_loss.hpp>
#include <dpcurves/homogenized/pair_score.hpp>
#include <dpcurves/homogenized/renyi_loss.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"
#include "support/least_squares_file.hpp"

namespace dpcurves::tools::eval {
namespace {

using divergence::Direction;
using homogenized::HsgdLaw;
using homogenized::NeighbouringLaws;
using homogenized::Release;
using homogenized::ReleaseKind;

const char* order_range = "(1, inf)";
const Key alpha_key = number_key("alpha", order_range, "Renyi order");
const Key jump_key = number_key("s", "[0, inf)", "time t = k/d at which the differing record is used");
const Key times_key = numbers_key("release_times", "[0, inf)", "ascending times t = k/d of the released iterates");
const Key horizon_key = number_key("T", "(0, inf)", "time t = n/d at which the pass ends");
const Key pairs_key = json_key("pairs", "list of {a, b, a_prime, b_prime}, features in the eigenbasis");

std::vector<Key> record_keys() {
  return {json_key("a", "features of the first record in the eigenbasis"),
          number_key("b", "(-inf, inf)", "label of the first record"),
          json_key("a_prime", "features of the second record in the eigenbasis"),
          number_key("b_prime", "(-inf, inf)", "label of the second record")};
}

std::vector<Key> keys(std::vector<std::vector<Key>> parts) {
  std::vector<Key> all;
  for (auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

homogenized::PairProducts products(const HsgdLaw& law, const Json& record, const std::string& where) {
  const auto pair = read_record_pair(record, where, law.problem().spectrum.size());
  return homogenized::pair_products(law.problem(), pair);
}

std::vector<homogenized::PairProducts> listed(const HsgdLaw& law, const Inputs& in) {
  const Json& list = in.json("pairs");
  if (!list.is_array() || list.empty()) {
    throw UsageError("pairs: is not a list of at least one object {a, b, a_prime, b_prime}");
  }
  std::vector<homogenized::PairProducts> pairs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    pairs.push_back(products(law, list[i], "pairs[" + std::to_string(i) + "]"));
  }
  return pairs;
}

std::vector<double> release_times(const Inputs& in) {
  auto times = in.numbers("release_times");
  if (times.empty()) {
    throw UsageError("release_times: is empty");
  }
  for (std::size_t j = 1; j < times.size(); ++j) {
    if (!(times[j] > times[j - 1])) {
      throw DomainError("release_times: " + in.json("release_times").dump() + " is not ascending");
    }
  }
  return times;
}

/// The end of the run that matters: the last release, or s if that is later (and its loss 0).
double horizon(const Inputs& in, const std::vector<double>& times) { return std::max(times.back(), in.number("s")); }

Release release(const HsgdLaw& law, ReleaseKind kind, const std::vector<double>& times) {
  return {law.problem(), kind, law.states(times)};
}

NeighbouringLaws laws_at(const HsgdLaw& law, const Release& release, const homogenized::PairProducts& pair, double s) {
  const auto weights = release.weights(law.state(s));
  return {weights, pair_sums(weights, pair)};
}

Json last_limit(const Inputs& in) {
  const auto times = release_times(in);
  const HsgdLaw law(problem(in), horizon(in, times));
  if (times.size() != 1) {
    throw UsageError("release_times: the last iterate has one release time, not " + std::to_string(times.size()));
  }
  const auto laws =
      laws_at(law, release(law, ReleaseKind::last_iterate, times), products(law, in.all(), ""), in.number("s"));
  const double alpha = in.number("alpha");
  return {{"D_last_12", number(laws.renyi(alpha, Direction::first_to_second))},
          {"D_last_21_paper14", number(laws.renyi(alpha, Direction::second_to_first))},
          {"alpha_max_12", number(laws.order_limit(Direction::first_to_second))},
          {"alpha_max_21", number(laws.order_limit(Direction::second_to_first))}};
}

Json joint_avg(const Inputs& in) {
  const auto times = release_times(in);
  const HsgdLaw law(problem(in), horizon(in, times));
  const auto pair = products(law, in.all(), "");
  const double alpha = in.number("alpha"), s = in.number("s");
  Json json = Json::object();
  const auto add = [&](ReleaseKind kind, const char* forward, const char* backward) {
    const auto laws = laws_at(law, release(law, kind, times), pair, s);
    json[forward] = number(laws.renyi(alpha, Direction::first_to_second));
    json[backward] = number(laws.renyi(alpha, Direction::second_to_first));
  };
  add(ReleaseKind::joint, "D_joint_exact_12", "D_joint_exact_21");
  add(ReleaseKind::joint_suffix, "D_joint_suffix_12", "D_joint_suffix_21_paper20");
  add(ReleaseKind::average, "D_avg_12", "D_avg_21_paper23");
  return json;
}

Json order_limits(const Inputs& in) {
  const HsgdLaw law(problem(in), in.number("t"));
  const auto family = homogenized::listed_pairs({products(law, in.all(), "")});
  const Release last = release(law, ReleaseKind::last_iterate, {in.number("t")});
  const auto forward = homogenized::least_order_limit(law, last, family, Direction::first_to_second);
  const auto backward = homogenized::least_order_limit(law, last, family, Direction::second_to_first);
  return {{"alpha_max_12", number(forward.order)},
          {"s_at_min_12", number(forward.at)},
          {"alpha_max_21", number(backward.order)},
          {"s_at_min_21", number(backward.at)}};
}

homogenized::RenyiLoss loss(const HsgdLaw& law, const Inputs& in, ReleaseKind kind, const std::vector<double>& times) {
  homogenized::LossQuery query;
  query.orders = {in.number("alpha")};
  query.horizon = in.number("T");
  if (!(times.back() <= query.horizon)) {
    throw DomainError("T: " + in.json("T").dump() + " is outside [last release time, inf)");
  }
  return renyi_loss(law, release(law, kind, times), homogenized::listed_pairs(listed(law, in)), query);
}

void add_limits(Json& json, const homogenized::RenyiLoss& loss) {
  json["alpha_max_12"] = number(loss.forward_limit);
  json["alpha_max_21"] = number(loss.backward_limit);
}

Json last_loss(const Inputs& in) {
  const HsgdLaw law(problem(in), in.number("t"));
  const auto found = loss(law, in, ReleaseKind::last_iterate, {in.number("t")});
  Json json{{"epsilon_12", number(found.forward[0].value)}, {"epsilon_21_paper15", number(found.backward[0].value)}};
  add_limits(json, found);
  return json;
}

Json joint_loss(const Inputs& in) {
  const auto times = release_times(in);
  const HsgdLaw law(problem(in), times.back());
  const auto exact = loss(law, in, ReleaseKind::joint, times);
  const auto suffix = loss(law, in, ReleaseKind::joint_suffix, times);
  Json json{{"epsilon_12", number(exact.forward[0].value)},
            {"epsilon_21", number(exact.backward[0].value)},
            {"epsilon_suffix_21_paper21", number(suffix.backward[0].value)}};
  add_limits(json, exact);
  return json;
}

Json average_loss(const Inputs& in) {
  const auto times = release_times(in);
  const HsgdLaw law(problem(in), times.back());
  const auto found = loss(law, in, ReleaseKind::average, times);
  Json json{{"epsilon_12", number(found.forward[0].value)}, {"epsilon_21_paper24", number(found.backward[0].value)}};
  add_limits(json, found);
  return json;
}

Json isotropic_reduced(const Inputs& in) {
  homogenized::IsotropicPass pass;
  pass.eigenvalue = in.number("lambda_");
  pass.regularisation = in.number("delta");
  pass.step_size = in.number("eta");
  pass.dimension = in.number("dim");
  pass.records = in.number("n");
  pass.label_noise = in.number("E_xi2");
  pass.norm2_x0 = in.number("norm2_x0");
  pass.dot_x0_xtilde = in.number("dot_x0_xtilde");
  pass.norm2_xtilde = in.number("norm2_xtilde");
  const Inputs pair = in.object("pair");
  const auto one = [&](const char* key) { return Eigen::ArrayXd::Constant(1, pair.number(key)); };
  pass.pair = {one("norm2_a"),        one("dot_a_a_prime"), one("norm2_a_prime"),      one("dot_a_x0"),
               one("dot_a_prime_x0"), one("dot_a_xtilde"),  one("dot_a_prime_xtilde"), pair.number("b"),
               pair.number("b_prime")};
  const auto iterations = in.numbers("iterations");
  Json curves = Json::array();
  for (const double sigma : in.numbers("sigmas")) {
    pass.noise = sigma;
    const auto curve = isotropic_losses(pass, in.number("alpha"), iterations);
    curves.push_back({{"sigma", sigma},
                      {"true_order", numbers(curve.forward)},
                      {"paper_order", numbers(curve.backward)},
                      {"figure_units", numbers(curve.figure_units)}});
  }
  return {{"curves", curves}};
}

Json gaussian(const Inputs& in) {
  const auto matrix = [&](const char* key) {
    const Json& rows = in.json(key);
    if (!rows.is_array() || rows.empty()) {
      throw UsageError(std::string(key) + ": is not a list of rows");
    }
    const auto size = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd result(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const std::string where = std::string(key) + "[" + std::to_string(i) + "]";
      const Eigen::ArrayXd row = read_array(rows[static_cast<std::size_t>(i)], where);
      if (row.size() != size) {
        throw UsageError(where + ": has " + std::to_string(row.size()) + " entries, the matrix has " +
                         std::to_string(size) + " rows");
      }
      result.row(i) = row.matrix().transpose();
    }
    constexpr double rounding = 1e-12;
    if (!((result - result.transpose()).cwiseAbs().maxCoeff() <= rounding * result.cwiseAbs().maxCoeff())) {
      throw DomainError(std::string(key) + ": is not symmetric");
    }
    return result;
  };
  const auto vector = [&](const char* key) { return Eigen::VectorXd(read_array(in.json(key), key).matrix()); };
  const auto axes = divergence::principal_axes(vector("mean1"), matrix("cov1"), vector("mean2"), matrix("cov2"));
  Json values = Json::array();
  for (const double alpha : in.numbers("alphas")) {
    values.push_back({{"alpha", alpha},
                      {"D_1_2", number(divergence::renyi(alpha, axes, Direction::first_to_second))},
                      {"D_2_1", number(divergence::renyi(alpha, axes, Direction::second_to_first))}});
  }
  return {{"values", values},
          {"alpha_max_12", number(divergence::order_limit(axes, Direction::first_to_second))},
          {"alpha_max_21", number(divergence::order_limit(axes, Direction::second_to_first))}};
}

Json mixture(const Inputs& in) {
  return {{"epsilon",
           number(divergence::mixture_renyi(in.number("alpha"), in.numbers("divergences"), in.numbers("weights")))}};
}

Json approximate(const Inputs& in) {
  std::vector<divergence::RenyiPoint> points;
  const Json& list = in.json("rdp");
  if (!list.is_array() || list.empty()) {
    throw UsageError("rdp: is not a list of at least one [order, epsilon]");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = "rdp[" + std::to_string(i) + "]";
    if (!list[i].is_array() || list[i].size() != 2) {
      throw UsageError(where + ": is not a pair [order, epsilon]");
    }
    const auto read = [&](std::size_t j, const char* range) {
      double value = 0.0;
      if (list[i][j].is_number()) {
        value = list[i][j].get<double>();
      } else if (!(list[i][j] == "inf" && read_number("inf", value))) {
        throw UsageError(where + ": " + list[i][j].dump() + " is not a number");
      }
      if (!Range(range).contains(value)) {
        throw DomainError(where + ": " + list[i][j].dump() + " is outside " + range);
      }
      return value;
    };
    points.push_back({read(0, order_range), read(1, "[0, inf]")});
  }
  const double delta = in.number("delta_dp");
  const auto classic = divergence::mironov(points, delta);
  const auto tight = divergence::balle(points, delta);
  return {{"epsilon_classic", number(classic.epsilon)},
          {"alpha_classic", number(classic.order)},
          {"epsilon_tight", number(tight.epsilon)},
          {"alpha_tight", number(tight.order)}};
}

Json contractive(const Inputs& in) {
  homogenized::ContractivePass pass;
  pass.step_size = in.number("eta");
  pass.strong_convexity = in.number("mu");
  pass.sensitivity = in.number("sensitivity");
  pass.noise = in.number("sigma");
  pass.records = in.number("n");
  const double alpha = in.number("alpha"), iteration = in.number("iteration");
  return {{"per_position_k1", number(position_renyi(pass, alpha, 1.0))},
          {"per_position_last", number(position_renyi(pass, alpha, iteration))},
          {"epsilon", number(shuffled_renyi(pass, alpha, iteration))},
          {"epsilon_figure_variant", number(shuffled_renyi_figure_variant(pass, alpha, iteration))}};
}

Json score(const Inputs& in) {
  const Eigen::ArrayXd reference = read_array(in.json("reference"), "reference");
  const auto pair = read_record_pair(in.all(), "", reference.size());
  return {{"score", number(homogenized::pair_score(pair, reference))},
          {"score_printed_form", number(homogenized::pair_score_printed_form(pair, reference, in.number("delta")))}};
}

}  // namespace

std::vector<Calculator> noisy_hsgd_privacy_calculators() {
  const std::vector<Key> one_release{jump_key, times_key, alpha_key};
  const std::vector<Key> passes{horizon_key, alpha_key, pairs_key};
  const Key time_key = number_key("t", "(0, inf)", "release time t = k/d");
  const std::string paper = "noisy-hsgd/";
  const auto loss_keys = keys({problem_keys(), passes, {times_key}});
  std::vector<Key> pair_keys;
  for (const char* name : {"norm2_a", "norm2_a_prime"}) {
    pair_keys.push_back(number_key(name, "[0, inf)", "squared norm of features"));
  }
  for (const char* name : {"dot_a_a_prime", "dot_a_x0", "dot_a_prime_x0", "dot_a_xtilde", "dot_a_prime_xtilde"}) {
    pair_keys.push_back(number_key(name, "(-inf, inf)", "inner product"));
  }
  pair_keys.push_back(number_key("b", "(-inf, inf)", "label of the first record"));
  pair_keys.push_back(number_key("b_prime", "(-inf, inf)", "label of the second record"));
  return {
      {paper + "renyi-gaussian",
       "Lemma C.2, corrected: Renyi divergences of two normal laws in both directions",
       {json_key("mean1", "mean of the first law"), json_key("cov1", "its covariance, rows"),
        json_key("mean2", "mean of the second law"), json_key("cov2", "its covariance, rows"),
        numbers_key("alphas", order_range, "Renyi orders")},
       gaussian},
      {paper + "renyi-last", "Theorem 4.3: Renyi divergence of the last iterate, record used at time s",
       keys({problem_keys(), one_release, record_keys()}), last_limit},
      {paper + "renyi-last-limit", "Theorem 4.3: the same with the orders past which it is infinite",
       keys({problem_keys(), one_release, record_keys()}), last_limit},
      {paper + "rdp-order-limit", "Theorem 4.3: least order limit over the time of the differing record",
       keys({problem_keys(), {time_key}, record_keys()}), order_limits},
      {paper + "renyi-joint-avg", "Theorems 4.4 and 4.5: several iterates and their average, corrected and as printed",
       keys({problem_keys(), one_release, record_keys()}), joint_avg},
      {paper + "rdp-last-iterate", "Theorem 4.3: Renyi loss of the last iterate over a shuffled pass",
       keys({problem_keys(), passes, {time_key}}), last_loss},
      {paper + "rdp-joint-release", "Theorem 4.4, corrected: Renyi loss of several iterates over a shuffled pass",
       loss_keys, joint_loss},
      {paper + "rdp-average-release", "Theorem 4.5, corrected: Renyi loss of the average of iterates", loss_keys,
       average_loss},
      {paper + "rdp-last-iterate-isotropic-reduced",
       "Figure 2(b): Renyi loss of the last iterate for one eigenvalue, from inner products",
       {number_key("lambda_", "(0, inf)", "the eigenvalue, of multiplicity dim"),
        number_key("delta", "[0, inf)", "l2 regularisation"), number_key("eta", "(0, inf)", "step size"),
        integer_key("dim", "[1, inf)", "dimension d"), integer_key("n", "[1, inf)", "records in the pass"),
        number_key("E_xi2", "[0, inf)", "variance of the label noise"), alpha_key,
        number_key("norm2_x0", "[0, inf)", "|x0|^2"), number_key("dot_x0_xtilde", "(-inf, inf)", "x0' xtilde"),
        number_key("norm2_xtilde", "[0, inf)", "|xtilde|^2"),
        object_key("pair", pair_keys, "inner products and labels of the two records"),
        numbers_key("iterations", "[0, inf)", "release iterations k <= n"),
        numbers_key("sigmas", "[0, inf)", "noise per coordinate of a gradient")},
       isotropic_reduced},
      {paper + "mixture-rdp",
       "Lemma C.3: bound on the Renyi divergence of two mixtures",
       {numbers_key("divergences", "[0, inf]", "of the components"), numbers_key("weights", "(0, inf)", "as many"),
        alpha_key},
       mixture},
      {paper + "rdp-to-approx-dp",
       "(epsilon, delta) from Renyi losses at some orders, not clamped at 0",
       {json_key("rdp", "list of [order, epsilon], epsilon may be \"inf\""),
        number_key("delta_dp", "(0, 1)", "delta of the guarantee")},
       approximate},
      {paper + "rdp-contractive-one-pass",
       "Ye and Shokri (2022): clipped contractive steps, one shuffled pass",
       {number_key("eta", "(0, inf)", "step size"), number_key("mu", "[0, inf)", "strong convexity, eta mu < 1"),
        number_key("sensitivity", "[0, inf)", "of the released gradient: 2c for clipping at c"),
        number_key("sigma", "(0, inf)", "noise per coordinate of a gradient"), alpha_key,
        integer_key("n", "[1, inf)", "records in the pass"),
        integer_key("iteration", "[1, inf)", "release, at most n")},
       contractive},
      {paper + "pair-score", "size of the gap between the gradients of two records at a reference point",
       keys({record_keys(),
             {json_key("reference", "point in the eigenbasis; m(s) gives the exact mean gap over eta"),
              number_key("delta", "[0, inf)", "l2 regularisation, which only the printed form reads")}}),
       score}};
}

}  // namespace dpcurves::tools::eval

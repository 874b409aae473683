// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of the lemmas behind the theorems about long-tailed data: concentration, orthants, activation.
#include <cmath>

#include <dpcurves/bounds/long_tail_activation.hpp>
#include <dpcurves/bounds/long_tail_concentration.hpp>
#include <dpcurves/bounds/long_tail_orthant.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/core/format.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

[[noreturn]] void outside(const Inputs& in, const char* key, const std::string& range) {
  throw DomainError(std::string(key) + ": " + shortest(in.number(key)) + " is outside " + range);
}

// --- concentration --------------------------------------------------------------------------------------------------

Json gaussian_min_singular_lower(const Inputs& in) {
  if (!(in.number("m") > in.number("n"))) {
    outside(in, "m", "(n, inf)");
  }
  const auto bound = bounds::least_singular_value(in.number("m"), in.number("n"), in.number("delta"));
  return {{"paper", number(bound.printed)}, {"davidson_szarek", number(bound.sharp)}};
}

Json subgaussian_max_radius(const Inputs& in) {
  return {{"radius", number(bounds::subgaussian_maximum(in.number("n"), in.number("sigma_p"), in.number("delta")))}};
}

Json half_normal_mean_tail(const Inputs& in) {
  const auto tail = bounds::half_normal_mean_tail(in.number("n"), in.number("t"));
  return {{"paper", tail.printed}, {"sharp", tail.sharp}};
}

Json bilinear_tail_radius(const Inputs& in) {
  return {{"radius", number(bounds::bilinear_radius(in.number("frob"), in.number("op"), in.number("sigma_p"),
                                                    in.number("delta")))}};
}

Json quadratic_form_radii(const Inputs& in) {
  const auto ends = bounds::quadratic_form_radii(in.number("trace"), in.number("frob"), in.number("op"),
                                                 in.number("sigma_p"), in.number("delta"));
  return {{"upper", number(ends.upper)}, {"lower_gaussian", number(ends.lower)}};
}

Json gaussian_projection_radius(const Inputs& in) {
  const auto found = bounds::gaussian_projection(in.number("sigma_n"), in.number("u_norm"), in.number("delta"));
  return {{"radius", number(found.radius)}, {"exact_violation_prob", found.violation}};
}

Json paley_zygmund_lower(const Inputs& in) {
  return {{"lower", bounds::paley_zygmund(in.number("t"), in.number("fourth_moment"))}};
}

Json noise_norm_band(const Inputs& in) {
  const auto band = bounds::noise_norm_band(in.number("n"), in.number("trace"), in.number("frob"), in.number("op"),
                                            in.number("delta"));
  return {{"lower", number(band.lower)},
          {"upper", number(band.upper)},
          {"premise_rhs", number(band.premise_right)},
          {"premise_holds", band.premise_holds}};
}

Json noise_cross_radius(const Inputs& in) {
  return {{"radius",
           number(bounds::noise_cross_radius(in.number("n"), in.number("frob"), in.number("op"), in.number("delta")))}};
}

Json init_signal_radius(const Inputs& in) {
  const auto radius = bounds::initial_signal_radius(in.number("K"), in.number("m"), in.number("delta"),
                                                    in.number("u_norm"), in.number("sigma0"));
  return {{"paper", number(radius.one_class)}, {"all_k", number(radius.all_classes)}};
}

Json init_noise_radius(const Inputs& in) {
  return {
      {"radius", number(bounds::initial_noise_radius(in.number("K"), in.number("m"), in.number("n"), in.number("delta"),
                                                     in.number("frob_A"), in.number("op_A"), in.number("sigma0")))}};
}

Json long_tail_noise_norm(const Inputs& in) {
  const auto noise = bounds::long_tail_noise(in.number("d"), in.number("L"), in.number("delta"), in.number("op_A"));
  return {{"zeta_norm2", number(noise.zeta_norm_squared)},
          {"xi_norm", number(noise.noise_norm)},
          {"z2_exact_trunc", number(noise.truncated_squared)},
          {"z_paper_sq", number(noise.printed_squared)},
          {"tail_prob", noise.tail_probability},
          {"mean_zeta_norm2", number(noise.mean_zeta_norm_squared)}};
}

// --- signs and activation -------------------------------------------------------------------------------------------

Json half_activation_tail(const Inputs& in) {
  const auto tail = bounds::half_activation_tail(in.number("m"), in.number("frac"));
  return {{"exact_P_below", tail.exact}, {"paper_bound", tail.printed}, {"hoeffding_bound", tail.hoeffding}};
}

Json lemma10_chord(const Inputs& in) {
  if (!(in.number("x") >= -in.number("a"))) {
    outside(in, "x", "[-a, inf)");
  }
  const auto chord = bounds::log_mixture_chord(in.number("t"), in.number("a"), in.number("x"));
  return {{"lhs", number(chord.value)}, {"gamma", number(chord.slope)}, {"rhs", number(chord.bound)}};
}

Json sign_fraction_two_sided(const Inputs& in) {
  const auto fraction = bounds::sign_fraction(in.number("d"), in.number("t"));
  return {{"exact", fraction.exact}, {"paper_bound", fraction.printed}, {"correct_bound", fraction.corrected}};
}

void check_rank(const Inputs& in) {
  if (in.number("M") > in.number("m")) {
    outside(in, "M", "[1, m]");
  }
}

Json one_factor_orthant_probability(const Inputs& in) {
  check_rank(in);
  const double log_exact = bounds::log_one_factor_orthant(in.number("m"), in.number("kappa2"));
  return {{"exact", std::exp(log_exact)}, {"log_exact", log_exact}, {"paper_bound", std::pow(0.6, in.number("M"))}};
}

Json orthant_probability_bound(const Inputs& in) {
  check_rank(in);
  const auto bound = bounds::orthant_bound(in.number("m"), in.number("M"), in.number("kappa2"), in.number("delta"));
  return {{"one_factor", bound.one_factor},       {"log_one_factor", bound.log_one_factor},
          {"m_min", number(bound.least_entries)}, {"premise_holds", bound.premise_holds},
          {"corrected_bound", bound.corrected},   {"valid", bound.valid},
          {"paper_bound", bound.printed},         {"rank2_counterexample", bound.rank_two}};
}

Json negative_fraction_bound(const Inputs& in) {
  const auto bound = bounds::negative_fraction(in.number("m"), in.number("kappa2"));
  return {{"bound_full_rank", bound.full_rank},
          {"bound_rank_deficient", bound.rank_deficient},
          {"paper_bound", bound.printed}};
}

Json activation_sample_size(const Inputs& in) {
  const auto sizes = bounds::activation_sizes(in.number("K"), in.number("m"), in.number("n"), in.number("delta"));
  return {{"m_min", number(sizes.filters)}, {"n_min", number(sizes.records)}};
}

}  // namespace

std::vector<Calculator> long_tail_lemma_calculators() {
  const std::string positive = "(0, inf)", nonnegative = "[0, inf)", chance = "(0, 1)", whole = "[1, inf)",
                    counted = "[1, 1e15]";
  const Key n = integer_key("n", whole, "training records"), m = integer_key("m", whole, "filters per class"),
            d = integer_key("d", whole, "dimension of a patch"), K = integer_key("K", "[2, inf)", "classes"),
            u_norm = number_key("u_norm", nonnegative, "length of the signal"),
            frob_A = number_key("frob_A", nonnegative, "Frobenius norm of A_k"),
            sigma_n = number_key("sigma_n", nonnegative, "noise per coordinate of the averaged clipped gradient"),
            sigma0 = number_key("sigma0", nonnegative, "standard deviation of the initial weights"),
            delta = number_key("delta", chance, "failure chance"),
            frob = number_key("frob", nonnegative, "Frobenius norm"),
            op = number_key("op", nonnegative, "operator norm"),
            sigma_p = number_key("sigma_p", positive, "variance proxy, as a standard deviation"),
            trace = number_key("trace", nonnegative, "trace of A^T A"),
            kappa2 = number_key("kappa2", "[1, 1e30]", "squared condition number");
  const auto signs = [&](const char* name, const char* meaning) { return integer_key(name, counted, meaning); };
  std::vector<Calculator> list{
      {"gaussian-min-singular-lower",
       "least singular value of an m x n Gaussian matrix (Lemma 1)",
       {integer_key("m", whole, "rows, more than n"), integer_key("n", whole, "columns"), delta},
       gaussian_min_singular_lower},
      {"subgaussian-max-radius",
       "largest of n sub-Gaussian numbers (Lemma 2)",
       {integer_key("n", whole, "numbers"), sigma_p, delta},
       subgaussian_max_radius},
      {"half-normal-mean-tail",
       "deviation of the mean of n half-normals (Lemma 3)",
       {integer_key("n", whole, "half-normals"), number_key("t", nonnegative, "deviation")},
       half_normal_mean_tail},
      {"bilinear-tail-radius",
       "|zeta_1^T M zeta_2| (Lemmas 4, 6, 8)",
       {frob, op, sigma_p, delta},
       bilinear_tail_radius},
      {"quadratic-form-radii",
       "ends of |A zeta|^2 (Lemma 5); norms of A^T A",
       {trace, frob, op, sigma_p, delta},
       quadratic_form_radii},
      {"gaussian-projection-radius", "|<n, u>| (Lemma 7)", {sigma_n, u_norm, delta}, gaussian_projection_radius},
      {"half-activation-tail",
       "chance of less than a share of m active filters (Lemma 9)",
       {signs("m", "filters"), number_key("frac", "(0, 0.5)", "share")},
       half_activation_tail},
      {"lemma10-chord",
       "log(1 + t (exp(x) - 1)) below its chord (Lemma 10)",
       {number_key("t", "(0, 1]", "share"), number_key("x", "(-inf, inf)", "argument, at least -a"),
        number_key("a", positive, "length of the chord")},
       lemma10_chord},
      {"sign-fraction-two-sided",
       "share of positive coordinates on the sphere (Lemma 12)",
       {signs("d", "dimension"), number_key("t", "(0, 0.5]", "deviation from 1/2")},
       sign_fraction_two_sided},
      {"paley-zygmund-lower",
       "anticoncentration by the fourth moment (Lemma 13)",
       {number_key("t", chance, "level"), number_key("fourth_moment", "[1, inf)", "for variance 1")},
       paley_zygmund_lower},
      {"one-factor-orthant-probability",
       "the largest orthant probability at full rank (Lemma 14), beside the printed bound",
       {signs("m", "entries"), kappa2, signs("M", "rank, at most m")},
       one_factor_orthant_probability},
      {"orthant-probability-bound",
       "orthant probabilities: one-factor integral, corrected and printed bound (Lemma 14)",
       {signs("m", "entries"), signs("M", "rank, at most m"), kappa2, delta},
       orthant_probability_bound},
      {"negative-fraction-bound",
       "chance that 0.9 m entries are not positive (Lemma 15)",
       {signs("m", "entries"), kappa2},
       negative_fraction_bound},
      {"noise-norm-band",
       "band of all noise norms (Lemma 16); norms of A^T A",
       {n, trace, frob, op, delta},
       noise_norm_band},
      {"noise-cross-radius",
       "products of all pairs of noise patches (Lemma 16); norms of A_i^T A_j",
       {n, frob, op, delta},
       noise_cross_radius},
      {"init-signal-radius",
       "initial weights against a signal (Lemma 17)",
       {K, m, delta, u_norm, sigma0},
       init_signal_radius},
      {"init-noise-radius",
       "initial weights against the noise patches (Lemma 17)",
       {K, m, n, delta, frob_A, number_key("op_A", nonnegative, "operator norm of A"), sigma0},
       init_noise_radius},
      {"activation-sample-size",
       "filters and records that the activation lemmas ask for (Lemmas 18, 19)",
       {K, m, n, delta},
       activation_sample_size},
      {"long-tail-noise-norm",
       "length of a long-tailed noise patch (Lemma 25)",
       {d, number_key("L", nonnegative, "tail level"), delta, number_key("op_A", nonnegative, "operator norm of A"),
        frob_A},
       long_tail_noise_norm}};
  for (auto& calculator : list) {
    calculator.name.insert(0, "long-tail-memorization/");
  }
  return list;
}

}  // namespace dpcurves::tools::eval

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Mechanisms whose privacy is a composition: the Gaussian mechanism, subsampled Gaussians, and others by name.
#include <cmath>
#include <sstream>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/no_noise.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/named.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Composition;
using accounting::Guarantee;

std::vector<Guarantee> gaussian_guarantees(const Values& values, const Target& /*target*/) {
  if (values.number("noise-multiplier") == 0.0) {
    return {accounting::nothing_hidden()};
  }
  const double mu = std::sqrt(values.number("compositions")) / values.number("noise-multiplier");
  Guarantee guarantee;
  guarantee.theorem = "shifted-interpolation/lemma-a.2";
  guarantee.title = "composition of Gaussian mechanisms";
  guarantee.assumed = {"each record moves each released sum by at most the clipping norm (add or remove one record)"};
  if (std::isinf(mu)) {
    guarantee.violations = {std::isinf(values.number("compositions"))
                                ? Violation{"a finite number of compositions", "unlimited", "a number of compositions"}
                                : Violation{"sqrt(compositions)/Z in the range of doubles",
                                            "noise multiplier " + shortest(values.number("noise-multiplier")),
                                            "more noise, or noise multiplier 0"}};
  } else {
    constexpr double rounding = 4.5e-16;  // a square root and a division
    guarantee.curve = accounting::gaussian_curve(outward(exactly(mu), rounding));
  }
  return {guarantee};
}

Value gaussian_run(const Values& values) {
  accounting::DpSgd run{.sampling = mechanism::Sampler::none,
                        .unsampled = {{values.number("noise-multiplier"), values.number("compositions")}}};
  return echoed(run, values);
}

/// "COUNT:SAMPLING_RATE:MU"
accounting::SubsampledGaussian read_component(const std::string& text) {
  std::istringstream stream(text);
  std::vector<double> parts;
  for (std::string part; std::getline(stream, part, ':');) {
    double value = 0.0;
    if (!read_number(part, value)) {
      throw UsageError("--component: \"" + part + "\" in \"" + text +
                       "\" is not a number; write COUNT:SAMPLING_RATE:MU");
    }
    parts.push_back(value);
  }
  if (parts.size() != 3) {
    throw UsageError("--component: \"" + text + "\" is not of the form COUNT:SAMPLING_RATE:MU");
  }
  if (!(parts[0] >= 0.0 && parts[0] <= 1e15 && parts[0] == std::floor(parts[0]))) {
    throw UsageError("--component: the count in \"" + text + "\" is outside the whole numbers [0, 1e15]");
  }
  if (!Range("[0, 1]").contains(parts[1])) {
    throw UsageError("--component: the sampling rate in \"" + text + "\" is outside [0, 1]");
  }
  if (!Range("[0, inf)").contains(parts[2])) {
    throw UsageError("--component: mu in \"" + text + "\" is outside [0, inf)");
  }
  return {parts[1], parts[2], parts[0]};
}

using mechanism::Mechanism;
using mechanism::MechanismKind;

/// A mechanism that has a name: the numbers that follow it.
struct Word {
  const char* name;
  MechanismKind kind;
  std::vector<std::pair<const char*, double Mechanism::*>> numbers;
};

const std::vector<Word>& component_words() {
  static const std::vector<Word> all{
      {"gaussian", MechanismKind::gaussian, {{"NOISE", &Mechanism::noise}}},
      {"gdp", MechanismKind::gdp, {{"MU", &Mechanism::mu}}},
      {"laplace", MechanismKind::laplace, {{"SCALE", &Mechanism::noise}}},
      {"discrete-laplace", MechanismKind::discrete_laplace, {{"SCALE", &Mechanism::noise}}},
      {"discrete-gaussian", MechanismKind::discrete_gaussian, {{"NOISE", &Mechanism::noise}}},
      {"randomized-response", MechanismKind::randomized_response, {{"EPSILON", &Mechanism::epsilon}}},
      {"exponential", MechanismKind::pure, {{"EPSILON", &Mechanism::epsilon}}},
      {"pure", MechanismKind::pure, {{"EPSILON", &Mechanism::epsilon}}},
      {"approximate", MechanismKind::approximate, {{"EPSILON", &Mechanism::epsilon}, {"DELTA", &Mechanism::delta}}},
      {"zcdp", MechanismKind::zcdp, {{"RHO", &Mechanism::rho}}}};
  return all;
}

bool is_named(const std::string& component) {
  return !component.empty() && std::isalpha(static_cast<unsigned char>(component.front())) != 0 &&
         !component.starts_with("inf") && !component.starts_with("nan");
}

/// "laplace:SCALE[:COUNT][@RATE]"
Mechanism read_named(const std::string& text) {
  const auto bad = [&](const std::string& words) { return UsageError("--component: \"" + text + "\": " + words); };
  const auto at = text.find('@');
  std::istringstream stream(text.substr(0, at));
  std::string name;
  std::getline(stream, name, ':');
  const Word* word = nullptr;
  std::vector<std::string> names;
  for (const Word& one : component_words()) {
    names.emplace_back(one.name);
    word = one.name == name ? &one : word;
  }
  if (word == nullptr) {
    throw bad("there is no mechanism \"" + name + "\"" + suggestion(name, names) + "\nThere are " + joined(names) +
              "; more kinds in the [[mechanisms]] of a run file.");
  }
  std::string form = name;
  for (const auto& one : word->numbers) {
    form += std::string(":") + one.first;
  }
  form += "[:COUNT][@RATE]";
  std::vector<double> numbers;
  for (std::string part; std::getline(stream, part, ':');) {
    double value = 0.0;
    if (!read_number(part, value)) {
      throw bad("\"" + part + "\" is not a number; write " + form);
    }
    numbers.push_back(value);
  }
  if (numbers.size() < word->numbers.size() || numbers.size() > word->numbers.size() + 1) {
    throw bad("write " + form);
  }
  Mechanism m{word->kind};
  for (std::size_t i = 0; i < word->numbers.size(); ++i) {
    m.*(word->numbers[i].second) = numbers[i];
  }
  m.count = numbers.size() > word->numbers.size() ? numbers.back() : 1.0;
  if (at != std::string::npos && !read_number(text.substr(at + 1), m.sampling_rate)) {
    throw bad("\"" + text.substr(at + 1) + "\" is not a sampling rate; write " + form);
  }
  try {
    require(m);
  } catch (const DomainError& error) {
    throw bad(error.field() + ": " + shortest(error.value()) + " is outside " + error.domain());
  }
  return m;
}

/// Columns loss and mass of a file.
Mechanism read_losses(const std::string& path) {
  const io::Columns table = io::read_csv(path);
  Mechanism m{MechanismKind::losses};
  of_file("--losses: " + path, [&] {
    m.losses = table["loss"];
    m.masses = table["mass"];
    require(m);
  });
  return m;
}

/// What the options say, each kind by itself.
struct Parts {
  Composition numbers;                ///< of --gaussian and COUNT:SAMPLING_RATE:MU
  std::vector<Mechanism> mechanisms;  ///< of names and --losses
};

Parts parts_of(const Values& values) {
  const double repetitions = values.number("repetitions");
  Parts parts;
  parts.numbers.gaussian_mu = values.number_or("gaussian", 0.0) * std::sqrt(repetitions);
  for (const auto& text : values.texts("component")) {
    if (is_named(text)) {
      parts.mechanisms.push_back(read_named(text));
      parts.mechanisms.back().count *= repetitions;
    } else {
      parts.numbers.components.push_back(read_component(text));
      parts.numbers.components.back().count *= repetitions;
    }
  }
  for (const auto& path : values.texts("losses")) {
    parts.mechanisms.push_back(read_losses(path));
    parts.mechanisms.back().count *= repetitions;
  }
  if (parts.numbers.components.empty() && !values.has("gaussian") && parts.mechanisms.empty()) {
    throw UsageError("--component: give at least one, or --gaussian or --losses");
  }
  return parts;
}

/// The same as a run: C_p(G(mu)) is a batch of fixed size with a replaced record, at noise multiplier 2/mu.
accounting::DpSgd run_of_parts(const Parts& parts) {
  accounting::DpSgd run{.sampling = mechanism::Sampler::none, .mechanisms = parts.mechanisms};
  const auto normal = [&](double mu, double count) {
    if (mu > 0.0) {
      Mechanism m{.count = count, .noise = std::nextafter(1.0 / mu, 0.0)};
      run.mechanisms.push_back(m);
    }
  };
  normal(parts.numbers.gaussian_mu, 1.0);
  for (const auto& one : parts.numbers.components) {
    if (one.sampling_rate == 1.0) {
      normal(one.mu, one.count);
    } else if (one.sampling_rate > 0.0 && one.mu > 0.0) {
      run.sampling = mechanism::Sampler::fixed_size;
      run.adjacency = mechanism::Adjacency::replace_one;
      run.phases.push_back({std::nextafter(2.0 / one.mu, 0.0), one.sampling_rate, one.count});
    }
  }
  return run;
}

Value composition_run(const Values& values) { return echoed(run_of_parts(parts_of(values)), values); }

/// What has a name beside what has numbers, by the pairs where they compose.
std::vector<Guarantee> named_guarantees(const Parts& parts, const accounting::Accuracy& accuracy) {
  const accounting::DpSgd run = run_of_parts(parts);
  Guarantee found = accounting::dp_sgd_guarantee(run, accuracy);
  found.sampling.reset();
  found.adjacency.reset();
  found.setting.clear();
  found.assumed = {"noise is over the sensitivity; each mechanism's law or claim holds whatever was released before"};
  for (const Mechanism& m : run.mechanisms) {
    found.note += (found.note.empty() ? "" : "; ") + mechanism::words(m);
  }
  if (!run.phases.empty()) {
    found.assumed.emplace_back("each component by numbers is the symmetrised subsampled Gaussian C_p(G(mu))");
    for (Violation& violation : found.violations) {
      violation.remedy =
          "gaussian:NOISE:COUNT@RATE in place of COUNT:SAMPLING_RATE:MU, if records are added or "
          "removed and batches are Poisson";
    }
  }
  return {found};
}

std::vector<Guarantee> composition_guarantees(const Values& values, const Target& target) {
  const Parts parts = parts_of(values);
  const Composition& composition = parts.numbers;
  accounting::Accuracy accuracy;
  accuracy.relative = target.accuracy.value_or(values.number("accuracy"));
  accuracy.verify = values.flag("verify");
  if (!parts.mechanisms.empty()) {
    return named_guarantees(parts, accuracy);
  }
  Guarantee exact;
  exact.theorem = "shifted-interpolation/derived-6";
  exact.title = "certified composition";
  exact.assumed = {"each component is the symmetrised subsampled Gaussian C_p(G(mu))"};
  Guarantee limit;
  limit.theorem = "shifted-interpolation/lemma-a.5";
  limit.title = "central limit";
  limit.certified = false;
  constexpr double largest_count = 1e15;
  bool countable = true;
  for (const auto& component : composition.components) {
    countable = countable && component.count <= largest_count;
  }
  if (!countable || std::isinf(composition.gaussian_mu)) {
    exact.violations = limit.violations = {
        {"at most 1e15 steps of one kind", "more, or unlimited", "a number of steps of at most 1e15"}};
    return {exact, limit};
  }
  exact.curve = accounting::composition_curve(composition, accuracy);
  double mu = composition.gaussian_mu;
  for (const auto& component : composition.components) {
    mu = std::hypot(mu, accounting::central_limit(component.sampling_rate, component.mu, component.count).mu_clt);
  }
  if (std::isfinite(mu)) {
    limit.curve = accounting::gaussian_curve(exactly(mu));
  } else {
    limit.violations = {{"a finite limit", "mu overflows", "a smaller mu or fewer steps"}};
  }
  return {exact, limit};
}

}  // namespace

std::vector<Algorithm> mechanism_algorithms() {
  Algorithm gaussian;
  gaussian.name = "gaussian";
  gaussian.summary = "the Gaussian mechanism, composed";
  gaussian.example = "--noise-multiplier 10 --compositions 100";
  gaussian.calibration_example = "noise-multiplier --compositions 100";
  gaussian.options = {
      {"noise-multiplier",
       OptionKind::number,
       "[0, inf)",
       "noise standard deviation over the clipping norm",
       "Required",
       {"sigma"}},
      {"compositions", OptionKind::count, "[1, inf]", "how often the mechanism is used, or unlimited", "Required"}};
  gaussian.unknowns = {{"noise-multiplier", false, true, 0.0, infinity, {}},
                       {"compositions", true, false, 1.0, infinity, {}}};
  gaussian.guarantees = gaussian_guarantees;
  gaussian.run = gaussian_run;

  Algorithm composition;
  composition.name = "composition";
  composition.summary = "Gaussian and subsampled Gaussian mechanisms, Laplace and others, composed";
  composition.example = "--component 2000:0.01:0.5 --component 1:0.01:0.7 --gaussian 0.1";
  composition.calibration_example = "repetitions --component 100:0.01:0.5";
  composition.options = {
      {"component", OptionKind::texts, "",
       "COUNT:SAMPLING_RATE:MU, repeatable; symmetrised C_p(G(mu)). Or a name, as laplace:SCALE[:COUNT][@RATE], @RATE "
       "for Poisson sampling; gaussian:NOISE, gdp:MU, discrete-laplace:SCALE, discrete-gaussian:NOISE, "
       "randomized-response:EPSILON, exponential:EPSILON, pure:EPSILON, approximate:EPSILON:DELTA, zcdp:RHO",
       "Required (one of them)"},
      {"losses", OptionKind::texts, "FILE.csv",
       "a privacy loss distribution: columns loss and mass, what lacks is the mass at infinity; repeatable",
       "Required (one of them)"},
      {"gaussian", OptionKind::number, "[0, inf)", "mu of one more Gaussian mechanism", "Required (one of them)"},
      {"repetitions", OptionKind::count, "[1, inf] = 1", "how often all of it is done"},
      {"accuracy", OptionKind::number, "(0, 1) = 1e-9", "wanted relative width of the bracket"},
      {"verify", OptionKind::flag, "", "compute by the independent second method too"}};
  composition.unknowns = {{"repetitions", true, false, 1.0, infinity, {}},
                          {"gaussian", false, false, 0.0, infinity, {}}};
  composition.guarantees = composition_guarantees;
  composition.run = composition_run;
  return {gaussian, composition};
}

}  // namespace dpcurves::queries

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/proof/certificate.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

/// In no locale's way of writing numbers.
template <class... Form>
std::string digits(double value, Form... form) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, form...);
  return {text.data(), end.ptr};
}

std::string hexadecimal(double value) {
  const std::string text = digits(std::abs(value), std::chars_format::hex);
  return std::string(std::signbit(value) ? "\"-0x" : "\"0x") + text + "\"";
}

/// For people and for programs: {"value": 0.10000000000000001, "hex": "0x1.999999999999ap-4"}.
std::string both(double value) {
  return "{\"value\": " + digits(value, std::chars_format::general, 17) + ", \"hex\": " + hexadecimal(value) + "}";
}

std::string_view name_of(Pair pair) {
  switch (pair) {
    case Pair::symmetrised:
      return "symmetrised";
    case Pair::poisson_remove:
      return "poisson_remove";
    case Pair::poisson_add:
      return "poisson_add";
    case Pair::poisson_replace_one:
      return "poisson_replace_one";
    case Pair::fixed_size_remove:
      return "fixed_size_remove";
    case Pair::fixed_size_add:
      return "fixed_size_add";
  }
  throw DomainError("a pair without a name");
}

/// Elements between brackets, each on a line of its own.
class List {
 public:
  List(char open, char close, int depth) : close_(close), depth_(depth), text_(1, open) {}
  void add(const std::string& element) {
    text_ += (empty_ ? "\n" : ",\n") + std::string(2 * static_cast<std::size_t>(depth_) + 2, ' ') + element;
    empty_ = false;
  }
  void add(std::string_view key, const std::string& value) { add("\"" + std::string(key) + "\": " + value); }
  [[nodiscard]] std::string text() const {
    return text_ + (empty_ ? "" : "\n" + std::string(2 * static_cast<std::size_t>(depth_), ' ')) + close_;
  }

 private:
  char close_;
  int depth_;
  std::string text_;
  bool empty_ = true;
};

/// Members of a struct by name, on one line.
template <class T, std::size_t n>
std::string members(const T& object, const std::array<std::pair<const char*, double T::*>, n>& names) {
  std::string text;
  for (const auto& [name, member] : names) {
    text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + hexadecimal(object.*member);
  }
  return text;
}

constexpr std::array<std::pair<const char*, double Path::*>, 11> path_members{{
    {"d", &Path::d},
    {"slope", &Path::slope},
    {"tau", &Path::tau},
    {"bend", &Path::bend},
    {"scale", &Path::scale},
    {"up", &Path::up},
    {"down", &Path::down},
    {"h", &Path::h},
    {"first", &Path::first},
    {"reach_left", &Path::reach_left},
    {"reach_right", &Path::reach_right},
}};

constexpr std::array<std::pair<const char*, double Plan::*>, 7> plan_members{{
    {"c", &Plan::c},
    {"scale", &Plan::scale},
    {"bend", &Plan::bend},
    {"up", &Plan::up},
    {"down", &Plan::down},
    {"h", &Plan::h},
    {"digits", &Plan::digits},
}};

std::string row_of(const std::vector<Path>& paths, int depth) {
  List row('[', ']', depth);
  for (const Path& path : paths) {
    row.add("{" + members(path, path_members) + ", \"count\": " + std::to_string(path.count) + "}");
  }
  return row.text();
}

std::string text_of(const Problem& problem, const Plan& plan) {
  List steps('[', ']', 3);
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    const Step& step = problem.steps[i];
    List text('{', '}', 4);
    text.add("pair", "\"" + std::string(name_of(step.pair)) + "\"");
    text.add("sampling_rate", both(step.q));
    text.add("mu", both(step.mu));
    text.add("count", both(step.count));
    text.add("reference", hexadecimal(plan.reference[i]));
    text.add("mean", hexadecimal(plan.mean[i]));
    text.add("paths", row_of(plan.paths[i], 5));
    text.add("tails", row_of(plan.tails[i], 5));
    steps.add(text.text());
  }
  List text('{', '}', 2);
  text.add(members(plan, plan_members) + ", \"n\": " + std::to_string(plan.n) +
           ", \"bits\": " + std::to_string(plan.bits));
  text.add("steps", steps.text());
  return text.text();
}

}  // namespace

std::string certificate(const Composition& composition, const Problem& problem, const Claim& claim, const Plan* lower,
                        const Plan* upper) {
  for (const double value : {claim.given, claim.lower, claim.upper}) {
    require_domain(value >= 0.0 && std::isfinite(value), "a number of the claim", value, "[0, inf)");
  }
  List components('[', ']', 2);
  for (const SubsampledGaussian& c : composition.components) {
    components.add("{\"pair\": \"" + std::string(name_of(c.pair)) + "\", \"sampling_rate\": " + both(c.sampling_rate) +
                   ", \"mu\": " + both(c.mu) + ", \"count\": " + both(c.count) + "}");
  }
  List whole('{', '}', 1);
  whole.add("gaussian_mu", both(composition.gaussian_mu));
  whole.add("components", components.text());
  const bool epsilon = claim.question == Claim::Question::epsilon;
  List said('{', '}', 1);
  said.add("question", epsilon ? "\"epsilon\"" : "\"delta\"");
  said.add(epsilon ? "delta" : "epsilon", both(claim.given));
  said.add("lower", both(claim.lower));
  said.add("upper", both(claim.upper));
  List contours('[', ']', 1);
  List used('{', '}', 1);
  int next = 0;
  for (const auto& [name, plan] : {std::pair{"lower", lower}, std::pair{"upper", upper}}) {
    if (plan == nullptr) {
      continue;
    }
    if (name == std::string_view("lower") || plan != lower) {
      contours.add(text_of(problem, *plan));
      ++next;
    }
    used.add(name, std::to_string(next - 1));
  }
  List text('{', '}', 0);
  text.add("schema", "\"dpcurves/certificate/1\"");
  text.add("composition", whole.text());
  text.add("claim", said.text());
  text.add("method", next > 0 ? "\"contour\"" : "\"closed form\"");
  text.add("contour_of", used.text());
  text.add("contours", contours.text());
  return text.text() + "\n";
}

std::string certificate(const Composition& composition, const Claim& claim, const Profile& profile) {
  const Plan* plan = profile.last() == nullptr ? nullptr : &profile.last()->plan();
  return certificate(composition, profile.problem(), claim, plan, plan);
}

}  // namespace dpcurves::accounting::proof

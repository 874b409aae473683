// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/calculators/tables/least_squares.hpp>
#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/io/detail/csv.hpp>

namespace dpcurves::calculators {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using models::Schedule;
using models::Spectrum;

/// A form of an object: its "type", its keys and what is made of them.
template <class Made>
struct Form {
  const char* type;
  std::vector<FieldInfo> fields;
  Made (*make)(const Record&);
};

FieldInfo numbers(const char* name) {
  FieldInfo row = argument(name, name, "(-inf, inf)", "numbers");
  row.kind = Kind::numbers;
  return row;
}

double number(const Record& record, std::string_view name) { return from_value<double>(record.at(name)); }
std::vector<double> list(const Record& record, std::string_view name) {
  return from_value<std::vector<double>>(record.at(name));
}
std::size_t size(const Record& record, std::string_view name) {
  const double entries = number(record, name);  // a default size, dim, need not be whole
  require_domain(Domain("[1, 1e7]", true).contains(entries), name, entries, "the whole numbers of [1, 1e7]");
  return static_cast<std::size_t>(entries);
}

/// `where` in place of the function in the library's message about a value.
template <class Make>
auto named(const std::string& where, const Make& make) {
  try {
    return make();
  } catch (const DomainError& error) {
    if (error.record().empty()) {
      throw;
    }
    throw DomainError(where, error.field(), error.value(), error.domain());
  }
}

template <class Made>
Made made(const Value& value, const std::string& where, const char* kind, const char* example,
          const std::vector<Form<Made>>& forms) {
  const auto* record = value.get<Record>();
  if (record == nullptr) {
    throw UsageError(where + ": " + text(value) + " is not an object such as " + example);
  }
  const Value* type = record->find("type");
  if (type == nullptr || type->get<std::string>() == nullptr) {
    throw UsageError(where + ".type: missing key, the kind of " + kind);
  }
  std::vector<std::string> types;
  for (const auto& form : forms) {
    types.emplace_back(form.type);
    if (*type->get<std::string>() == form.type) {
      auto fields = form.fields;
      fields.push_back(word("type", "type", {form.type}, "the form"));
      return named(where, [&] { return form.make(checked(fields, *record, where + ".")); });
    }
  }
  throw UsageError(where + ".type: " + text(*type) + " is not a " + kind + ", one of " + joined(types) +
                   suggestion(*type->get<std::string>(), types));
}

/// x0 or xtilde: coordinates or a generator.
ArrayXd vector_of(const Value& value, const std::string& where, Index size, double dimension) {
  if (value.null()) {
    throw UsageError(where + ": missing key");
  }
  if (value.get<Record>() == nullptr) {
    const auto values = numbers_of(value, where);
    if (static_cast<Index>(values.size()) != size) {
      throw UsageError(where + ": has " + std::to_string(values.size()) + " entries, the spectrum has " +
                       std::to_string(size) + " eigenvalues");
    }
    return array(values);
  }
  const std::vector<Form<std::pair<double, bool>>> forms{
      {"constant",
       {argument("norm", "norm", "(-inf, inf)", "norm")},
       [](const Record& r) {
         return std::pair{number(r, "norm"), false};
       }},
      {"cosine", {argument("scale", "scale", "(-inf, inf)", "scale")}, [](const Record& r) {
         return std::pair{number(r, "scale"), true};
       }}};
  const auto [scale, cosine] = made(value, where, "generator", R"({"type": "constant", "norm": r})", forms);
  const ArrayXd shape = cosine
                            ? ArrayXd(ArrayXd::LinSpaced(size, 1.0, static_cast<double>(size)).unaryExpr([](double i) {
                                return std::cos(i);
                              }))
                            : ArrayXd(ArrayXd::Ones(size));
  return scale / std::sqrt(dimension) * shape;
}

Spectrum from_csv(const std::string& file, const std::string& where) {
  const auto columns = io::read_csv(file, io::Header::optional);
  if (columns.all().size() == 1) {
    return Spectrum::list(columns.all()[0].values);
  }
  if (columns.all().size() == 2) {
    return Spectrum::blocks(columns.all()[0].values, columns.all()[1].values);
  }
  throw UsageError(where + ".file: has " + std::to_string(columns.all().size()) +
                   " columns; wanted are eigenvalues, or eigenvalues and multiplicities");
}

}  // namespace

std::vector<double> numbers_of(const Value& value, const std::string& where) {
  return list(checked({numbers(where.c_str())}, {{where, value}}), where);
}

Spectrum spectrum_of(const Value& value, const std::string& where, double dimension, const std::string& folder) {
  const auto* record = value.get<Record>();
  if (record == nullptr) {
    return named(where, [&] { return Spectrum::list(numbers_of(value, where)); });
  }
  if (const Value* type = record->find("type"); type != nullptr && text(*type) == "\"csv\"") {
    const auto form = checked({word("type", "type", {"csv"}, "the form"), word("file", "file", {}, "name of the file")},
                              *record, where + ".");
    const auto file = std::filesystem::path(folder) / from_value<std::string>(form.at("file"));
    return named(where, [&] { return from_csv(file.string(), where); });
  }
  const auto rate = [](const char* name) { return argument(name, name, "[0, inf)", "of the spectrum"); };
  const auto length = [](const char* name) { return argument(name, name, "(0, inf)", "of the spectrum"); };
  const FieldInfo spikes = argument("spikes", "spikes", whole("[1, 1e7]"), "their number", 1.0);
  const FieldInfo entries = argument("size", "size", whole("[1, 1e7]"), "eigenvalues", dimension);
  const std::vector<Form<Spectrum>> forms{
      {"list", {numbers("eigenvalues")}, [](const Record& r) { return Spectrum::list(list(r, "eigenvalues")); }},
      {"blocks",
       {numbers("eigenvalues"), numbers("multiplicity")},
       [](const Record& r) { return Spectrum::blocks(list(r, "eigenvalues"), list(r, "multiplicity")); }},
      {"power_law",
       {rate("scale"), argument("exponent", "exponent", "(-inf, inf)", "of the power"), entries},
       [](const Record& r) { return Spectrum::power_law(size(r, "size"), number(r, "scale"), number(r, "exponent")); }},
      {"marchenko_pastur",
       {length("ratio"), length("scale"), entries},
       [](const Record& r) {
         return Spectrum::marchenko_pastur(size(r, "size"), number(r, "ratio"), number(r, "scale"));
       }},
      {"two_block",
       {rate("spike"), spikes, rate("bulk"), entries},
       [](const Record& r) {
         return Spectrum::two_block(size(r, "size"), number(r, "spike"), size(r, "spikes"), number(r, "bulk"));
       }},
      {"csv", {}, nullptr}};
  return made(value, where, "spectrum", R"({"type": "blocks", ...}, nor a list of numbers)", forms);
}

Schedule schedule_of(const Value& value, const std::string& where) {
  const FieldInfo gamma0 = argument("gamma0", "gamma0", "[0, inf)", "at the start"),
                  gamma1 = argument("gamma1", "gamma1", "[0, inf)", "at the end"),
                  c = argument("c", "c", "[0, inf)", "rate of decay"),
                  end = argument("T", "T", "(0, inf)", "end of the schedule");
  const std::vector<Form<Schedule>> forms{
      {"constant", {gamma0}, [](const Record& r) { return Schedule::constant(number(r, "gamma0")); }},
      {"inverse_time",
       {gamma0, c},
       [](const Record& r) { return Schedule::inverse_time(number(r, "gamma0"), number(r, "c")); }},
      {"power",
       {gamma0, c, argument("p", "p", "(-inf, inf)", "power")},
       [](const Record& r) { return Schedule::power(number(r, "gamma0"), number(r, "c"), number(r, "p")); }},
      {"exponential",
       {gamma0, c},
       [](const Record& r) { return Schedule::exponential(number(r, "gamma0"), number(r, "c")); }},
      {"cosine",
       {gamma0, gamma1, end},
       [](const Record& r) { return Schedule::cosine(number(r, "gamma0"), number(r, "gamma1"), number(r, "T")); }},
      {"warmup_cosine",
       {gamma0, gamma1, argument("tw", "tw", "(0, inf)", "end of the warm-up"), end},
       [](const Record& r) {
         return Schedule::warmup_cosine(number(r, "gamma0"), number(r, "gamma1"), number(r, "tw"), number(r, "T"));
       }},
      {"piecewise_constant",
       {numbers("values"), numbers("breaks")},
       [](const Record& r) { return Schedule::piecewise_constant(list(r, "values"), list(r, "breaks")); }},
      {"table", {numbers("times"), numbers("values")}, [](const Record& r) {
         return Schedule::table(list(r, "times"), list(r, "values"));
       }}};
  return made(value, where, "schedule", R"({"type": "constant", "gamma0": 0.5})", forms);
}

models::LeastSquares least_squares(const LeastSquaresProblem& s, const std::string& folder) {
  if (s.eigenvalues.null() == s.spectrum.null()) {
    throw UsageError(std::string("lambda_: ") + (s.spectrum.null() ? "missing key, or " : "excludes ") + "spectrum");
  }
  if (s.schedule.null() == !s.step_size.has_value()) {
    throw UsageError(std::string("schedule: ") + (s.step_size ? "excludes " : "missing key, or ") + "eta");
  }
  models::LeastSquares problem;
  problem.dimension = s.dimension;
  problem.spectrum = s.spectrum.null() ? spectrum_of(s.eigenvalues, "lambda_", s.dimension, folder)
                                       : spectrum_of(s.spectrum, "spectrum", s.dimension, folder);
  problem.label_noise = s.label_noise;
  problem.regularisation = s.regularisation;
  problem.noise = s.noise;
  problem.schedule = s.step_size ? Schedule::constant(*s.step_size * s.dimension) : schedule_of(s.schedule);
  if (s.block_norm2_x0) {
    if (!s.x0.null() || !s.xtilde.null()) {
      throw UsageError("block_norm2_x0: excludes x0 and xtilde");
    }
    for (const auto& [key, block] :
         {std::pair{"block_dot_x0_xtilde", &s.block_dot_x0_xtilde}, {"block_norm2_xtilde", &s.block_norm2_xtilde}}) {
      if (!*block) {
        throw UsageError(std::string(key) + ": missing key");
      }
    }
    problem.products = {array(*s.block_norm2_x0), array(*s.block_dot_x0_xtilde), array(*s.block_norm2_xtilde)};
  } else {
    const Index entries = problem.spectrum.size();
    problem.x0 = vector_of(s.x0, "x0", entries, s.dimension);
    problem.xtilde = vector_of(s.xtilde, "xtilde", entries, s.dimension);
  }
  named("problem", [&] {
    models::require_valid(problem);
    return 0;
  });
  return problem;
}

models::RecordPair record_pair(const ExchangedRecords& records, Index size) {
  for (const auto& [features, key] : {std::pair{&records.first, "a"}, {&records.second, "a_prime"}}) {
    if (static_cast<Index>(features->size()) != size) {
      throw UsageError(std::string(key) + ": has " + std::to_string(features->size()) + " entries, the spectrum has " +
                       std::to_string(size) + " eigenvalues");
    }
  }
  return {{array(records.first), records.first_label}, {array(records.second), records.second_label}};
}

Eigen::ArrayXd array(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void check_times(const std::vector<double>& times, const char* key, bool strictly) {
  if (times.empty()) {
    throw UsageError(std::string(key) + ": needs at least one time");
  }
  const auto wrong = [strictly](double a, double b) { return strictly ? a >= b : a > b; };
  if (std::adjacent_find(times.begin(), times.end(), wrong) != times.end()) {
    throw DomainError(std::string(key) + ": is not ascending");
  }
}

Calculator of_problem(Calculator row) {
  return row.without({"block_norm2_x0", "block_dot_x0_xtilde", "block_norm2_xtilde", "step_size"}).demand("schedule");
}

}  // namespace dpcurves::calculators

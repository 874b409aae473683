// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/least_squares_file.hpp"

#include <algorithm>
#include <cmath>

#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/file.hpp>

#include "support/exit.hpp"
#include "support/named.hpp"
#include "support/range.hpp"

namespace dpcurves::tools {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using models::Schedule;
using models::Spectrum;

void require_known(const Json& object, const std::string& where, const std::vector<std::string>& names) {
  if (!object.is_object()) {
    throw UsageError((where.empty() ? "" : where + ": ") + shown(object) + " is not an object");
  }
  for (const auto& [key, value] : object.items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      throw UsageError((where.empty() ? "" : where + ".") + key + ": unknown key" + suggestion(key, names));
    }
  }
}

const Json& member(const Json& object, const std::string& where, const std::string& key) {
  if (!object.contains(key)) {
    throw UsageError((where.empty() ? "" : where + ".") + key + ": missing key");
  }
  return object[key];
}

double read_real(const Json& given, const std::string& where, const std::string& range) {
  if (!given.is_number()) {
    throw UsageError(where + ": " + shown(given) + " is not a number");
  }
  const auto value = given.get<double>();
  if (!Range(range).contains(value)) {
    throw DomainError(where + ": " + shortest(value) + " is outside " + range);
  }
  return value;
}

double real(const Json& object, const std::string& where, const std::string& key, const std::string& range) {
  return read_real(member(object, where, key), (where.empty() ? "" : where + ".") + key, range);
}

std::string text(const Json& object, const std::string& where, const std::string& key) {
  const Json& value = member(object, where, key);
  if (!value.is_string()) {
    throw UsageError(where + "." + key + ": " + shown(value) + " is not a text");
  }
  return value.get<std::string>();
}

ArrayXd array(const Json& object, const std::string& where, const std::string& key) {
  return read_array(member(object, where, key), (where.empty() ? "" : where + ".") + key);
}

std::span<const double> view(const ArrayXd& values) { return {values.data(), static_cast<std::size_t>(values.size())}; }

/// x0 or xtilde: coordinates or a generator.
ArrayXd read_vector(const Json& given, const std::string& where, Index size, double dimension) {
  if (given.is_array()) {
    ArrayXd values = read_array(given, where);
    if (values.size() != size) {
      throw UsageError(where + ": has " + std::to_string(values.size()) + " entries, the spectrum has " +
                       std::to_string(size) + " eigenvalues");
    }
    return values;
  }
  const std::string type = given.is_object() ? text(given, where, "type") : "";
  if (type == "constant") {
    require_known(given, where, {"type", "norm"});
    return ArrayXd::Constant(size, real(given, where, "norm", "(-inf, inf)") / std::sqrt(dimension));
  }
  if (type == "cosine") {
    require_known(given, where, {"type", "scale"});
    return real(given, where, "scale", "(-inf, inf)") / std::sqrt(dimension) *
           ArrayXd::LinSpaced(size, 1.0, static_cast<double>(size)).unaryExpr([](double i) { return std::cos(i); });
  }
  throw UsageError(
      where + ": " + shown(given) +
      R"( is neither a list of numbers, {"type": "constant", "norm": r} nor {"type": "cosine", "scale": s})");
}

constexpr const char* length_range = "(0, inf)";
constexpr const char* rate_range = "[0, inf)";

std::vector<std::string> problem_keys() {
  return {"lambda_",
          "spectrum",
          "x0",
          "xtilde",
          "block_norm2_x0",
          "block_dot_x0_xtilde",
          "block_norm2_xtilde",
          "E_xi2",
          "delta",
          "sigma",
          "dim",
          "schedule",
          "eta"};
}

models::LeastSquares with_coordinates(models::LeastSquares problem, const Json& given) {
  const bool reduced = given.contains("block_norm2_x0");
  if (reduced && (given.contains("x0") || given.contains("xtilde"))) {
    throw UsageError("block_norm2_x0: excludes x0 and xtilde");
  }
  if (reduced) {
    problem.products = {array(given, "", "block_norm2_x0"), array(given, "", "block_dot_x0_xtilde"),
                        array(given, "", "block_norm2_xtilde")};
  } else {
    const Index size = problem.spectrum.size();
    problem.x0 = read_vector(member(given, "", "x0"), "x0", size, problem.dimension);
    problem.xtilde = read_vector(member(given, "", "xtilde"), "xtilde", size, problem.dimension);
  }
  return problem;
}

/// The rows of a CSV file of numbers, without a line of names.
Eigen::MatrixXd read_matrix(const std::filesystem::path& path) {
  const io::Columns columns = io::read_csv(path, io::Header::absent);
  Eigen::MatrixXd matrix(static_cast<Index>(columns.rows()), static_cast<Index>(columns.all().size()));
  for (Index j = 0; j < matrix.cols(); ++j) {
    const auto& values = columns.all()[static_cast<std::size_t>(j)].values;
    matrix.col(j) = Eigen::Map<const Eigen::VectorXd>(values.data(), matrix.rows());
  }
  return matrix;
}

std::vector<models::Record> read_records(const std::filesystem::path& path, Index size) {
  const Eigen::MatrixXd rows = read_matrix(path);
  if (rows.cols() != size + 1) {
    throw DataError(path.string() + ": has " + std::to_string(rows.cols()) + " columns; rows are the " +
                    std::to_string(size) + " features and the label");
  }
  std::vector<models::Record> records;
  for (Index k = 0; k < rows.rows(); ++k) {
    records.push_back({rows.row(k).head(size).transpose().array(), rows(k, size)});
  }
  return records;
}

void rotate(ProblemFile& file, const std::filesystem::path& path) {
  const Eigen::MatrixXd basis = read_matrix(path);
  const Index size = file.problem.spectrum.size();
  if (basis.rows() != size || basis.cols() != size) {
    throw DataError(path.string() + ": is not a square matrix of size " + std::to_string(size));
  }
  constexpr double orthogonal = 1e-8;
  if ((basis.transpose() * basis - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff() > orthogonal) {
    throw DataError(path.string() + ": the columns are not orthonormal");
  }
  const auto turn = [&](ArrayXd& x) { x = (basis.transpose() * x.matrix()).array(); };
  if (file.problem.has_coordinates()) {
    turn(file.problem.x0);
    turn(file.problem.xtilde);
  }
  for (auto& record : file.records) {
    turn(record.features);
  }
}

}  // namespace

ArrayXd read_array(const Json& given, const std::string& where) {
  if (!given.is_array()) {
    throw UsageError(where + ": " + shown(given) + " is not a list of numbers");
  }
  ArrayXd values(static_cast<Index>(given.size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    values[static_cast<Index>(i)] = read_real(given[i], where + "[" + std::to_string(i) + "]", "(-inf, inf)");
  }
  return values;
}

Schedule read_schedule(const Json& given, const std::string& where) {
  if (!given.is_object()) {
    throw UsageError(where + ": " + shown(given) + R"( is not an object such as {"type": "constant", "gamma0": 0.5})");
  }
  const std::string type = text(given, where, "type");
  const auto keys = [&](std::vector<std::string> names) {
    names.emplace_back("type");
    require_known(given, where, names);
  };
  const auto value = [&](const char* key, const char* range) { return real(given, where, key, range); };
  return named(where, [&]() -> Schedule {
    if (type == "constant") {
      keys({"gamma0"});
      return Schedule::constant(value("gamma0", rate_range));
    }
    if (type == "inverse_time") {
      keys({"gamma0", "c"});
      return Schedule::inverse_time(value("gamma0", rate_range), value("c", rate_range));
    }
    if (type == "power") {
      keys({"gamma0", "c", "p"});
      return Schedule::power(value("gamma0", rate_range), value("c", rate_range), value("p", "(-inf, inf)"));
    }
    if (type == "exponential") {
      keys({"gamma0", "c"});
      return Schedule::exponential(value("gamma0", rate_range), value("c", rate_range));
    }
    if (type == "cosine") {
      keys({"gamma0", "gamma1", "T"});
      return Schedule::cosine(value("gamma0", rate_range), value("gamma1", rate_range), value("T", length_range));
    }
    if (type == "warmup_cosine") {
      keys({"gamma0", "gamma1", "tw", "T"});
      return Schedule::warmup_cosine(value("gamma0", rate_range), value("gamma1", rate_range),
                                     value("tw", length_range), value("T", length_range));
    }
    if (type == "piecewise_constant") {
      keys({"values", "breaks"});
      return Schedule::piecewise_constant(view(array(given, where, "values")), view(array(given, where, "breaks")));
    }
    if (type == "table") {
      keys({"times", "values"});
      return Schedule::table(view(array(given, where, "times")), view(array(given, where, "values")));
    }
    const std::vector<std::string> types{"constant",      "inverse_time",       "power", "exponential", "cosine",
                                         "warmup_cosine", "piecewise_constant", "table"};
    throw UsageError(where + ".type: \"" + type + "\" is not a schedule" + suggestion(type, types));
  });
}

Spectrum read_spectrum(const Json& given, const std::string& where, double dimension,
                       const std::filesystem::path& folder) {
  return named(where, [&]() -> Spectrum {
    if (given.is_array()) {
      return Spectrum::list(view(read_array(given, where)));
    }
    if (!given.is_object()) {
      throw UsageError(where + ": " + shown(given) + " is neither a list of numbers nor an object");
    }
    const std::string type = text(given, where, "type");
    const auto keys = [&](std::vector<std::string> names) {
      names.emplace_back("type");
      require_known(given, where, names);
    };
    const auto value = [&](const char* key, const char* range) { return real(given, where, key, range); };
    const auto whole = [&](const char* key, double fallback) {
      const double count = given.contains(key) ? value(key, "[1, 1e7]") : fallback;
      if (count != std::floor(count) || !(count >= 1.0 && count <= 1e7)) {
        throw DomainError(where + "." + key + ": " + shortest(count) + " is not a whole number in [1, 1e7]");
      }
      return static_cast<std::size_t>(count);
    };
    if (type == "list") {
      keys({"eigenvalues"});
      return Spectrum::list(view(array(given, where, "eigenvalues")));
    }
    if (type == "blocks") {
      keys({"eigenvalues", "multiplicity"});
      return Spectrum::blocks(view(array(given, where, "eigenvalues")), view(array(given, where, "multiplicity")));
    }
    if (type == "power_law") {
      keys({"scale", "exponent", "size"});
      return Spectrum::power_law(whole("size", dimension), value("scale", rate_range),
                                 value("exponent", "(-inf, inf)"));
    }
    if (type == "marchenko_pastur") {
      keys({"ratio", "scale", "size"});
      return Spectrum::marchenko_pastur(whole("size", dimension), value("ratio", length_range),
                                        value("scale", length_range));
    }
    if (type == "two_block") {
      keys({"spike", "spikes", "bulk", "size"});
      return Spectrum::two_block(whole("size", dimension), value("spike", rate_range), whole("spikes", 1.0),
                                 value("bulk", rate_range));
    }
    if (type == "csv") {
      keys({"file"});
      const auto columns = io::read_csv(folder / text(given, where, "file"), io::Header::absent);
      if (columns.all().size() == 1) {
        return Spectrum::list(columns.all()[0].values);
      }
      if (columns.all().size() == 2) {
        return Spectrum::blocks(columns.all()[0].values, columns.all()[1].values);
      }
      throw DataError(where + ".file: has " + std::to_string(columns.all().size()) +
                      " columns; wanted are eigenvalues, or eigenvalues and multiplicities");
    }
    const std::vector<std::string> types{"list", "blocks", "power_law", "marchenko_pastur", "two_block", "csv"};
    throw UsageError(where + ".type: \"" + type + "\" is not a spectrum" + suggestion(type, types));
  });
}

models::LeastSquares read_least_squares(const Json& given, const std::vector<std::string>& besides,
                                        const std::filesystem::path& folder) {
  std::vector<std::string> names = problem_keys();
  names.insert(names.end(), besides.begin(), besides.end());
  require_known(given, "", names);
  const auto one_of = [&](const char* a, const char* b) {
    if (given.contains(a) == given.contains(b)) {
      throw UsageError(std::string(a) + ": " + (given.contains(a) ? "excludes " : "missing key, or ") + b);
    }
  };
  one_of("lambda_", "spectrum");
  one_of("schedule", "eta");
  models::LeastSquares problem;
  problem.dimension = real(given, "", "dim", length_range);
  const std::string spectrum_key = given.contains("spectrum") ? "spectrum" : "lambda_";
  problem.spectrum = read_spectrum(given[spectrum_key], spectrum_key, problem.dimension, folder);
  problem.label_noise = real(given, "", "E_xi2", rate_range);
  problem.regularisation = real(given, "", "delta", rate_range);
  problem.noise = real(given, "", "sigma", rate_range);
  problem.schedule = given.contains("schedule")
                         ? read_schedule(given["schedule"])
                         : Schedule::constant(real(given, "", "eta", rate_range) * problem.dimension);
  problem = with_coordinates(std::move(problem), given);
  named("problem", [&] {
    models::require_valid(problem);
    return 0;
  });
  return problem;
}

models::RecordPair read_record_pair(const Json& given, const std::string& where, Index size) {
  models::RecordPair pair{{array(given, where, "a"), real(given, where, "b", "(-inf, inf)")},
                          {array(given, where, "a_prime"), real(given, where, "b_prime", "(-inf, inf)")}};
  for (const auto& [features, key] : {std::pair{&pair.first.features, "a"}, {&pair.second.features, "a_prime"}}) {
    if (features->size() != size) {
      throw UsageError((where.empty() ? "" : where + ".") + std::string(key) + ": has " +
                       std::to_string(features->size()) + " entries, the spectrum has " + std::to_string(size) +
                       " eigenvalues");
    }
  }
  return pair;
}

ProblemFile read_problem_file(const std::filesystem::path& path) {
  const Json given = parse_json(io::read_file(path, largest_json), path.string());
  const auto folder = path.parent_path();
  const auto in_file = [&](const std::string& message) { return path.string() + ": " + message; };
  try {
    ProblemFile file{read_least_squares(given, {"records", "eigenbasis"}, folder), {}};
    if (given.contains("records")) {
      file.records = read_records(folder / text(given, "", "records"), file.problem.spectrum.size());
    }
    if (given.contains("eigenbasis")) {
      rotate(file, folder / text(given, "", "eigenbasis"));
    }
    return file;
  } catch (const UsageError& error) {
    throw UsageError(in_file(error.what()));
  } catch (const DomainError& error) {
    throw DomainError(in_file(error.what()));
  }
}

}  // namespace dpcurves::tools

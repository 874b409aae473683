// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/calculators/tables/least_squares.hpp>
#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>
#include <dpcurves/queries/detail/named.hpp>

namespace dpcurves::queries {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

/// The rows of a CSV file of numbers; a line of names above them is welcome.
Eigen::MatrixXd read_matrix(const std::filesystem::path& path) {
  const io::Columns columns = io::read_csv(path, io::Header::optional);
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
    throw UsageError(path.string() + ": has " + std::to_string(rows.cols()) + " columns; rows are the " +
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
    throw UsageError(path.string() + ": is not a square matrix of size " + std::to_string(size));
  }
  constexpr double orthogonal = 1e-8;
  if ((basis.transpose() * basis - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff() > orthogonal) {
    throw DomainError(path.string() + ": the columns are not orthonormal");
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

const Record& object(const Value& given) {
  if (const auto* record = given.get<Record>()) {
    return *record;
  }
  throw UsageError("is no JSON object");
}

}  // namespace

ProblemFile read_problem_file(const std::filesystem::path& path) {
  const auto folder = path.parent_path();
  const Value given = io::read_json(io::read_file(path, io::largest_json), path.string());
  return of_file(path.string(), [&] {
    auto schema = describe<calculators::LeastSquaresProblem>();
    schema.push_back(calculators::word("records", "records", {}, "name of a CSV file", false));
    schema.push_back(calculators::word("eigenbasis", "eigenbasis", {}, "name of a CSV file", false));
    const Record read = checked(schema, object(given));
    ProblemFile file{calculators::least_squares(from_record<calculators::LeastSquaresProblem>(read), folder.string()),
                     {}};
    if (const auto* name = read.at("records").get<std::string>()) {
      file.records = read_records(folder / *name, file.problem.spectrum.size());
    }
    if (const auto* name = read.at("eigenbasis").get<std::string>()) {
      rotate(file, folder / *name);
    }
    return file;
  });
}

std::string problem_file_help() {
  return "A problem file:\n"
         "  {\"spectrum\": {\"type\": \"power_law\", \"scale\": 1, \"exponent\": 0.6}, \"dim\": 40,\n"
         "   \"x0\": {\"type\": \"constant\", \"norm\": 1}, \"xtilde\": {\"type\": \"cosine\", \"scale\": 1},\n"
         "   \"E_xi2\": 0.09, \"delta\": 0.1, \"sigma\": 1, \"schedule\": {\"type\": \"constant\", \"gamma0\": 0.8}}\n"
         "docs/guide/commands.md has all its forms.";
}

}  // namespace dpcurves::queries

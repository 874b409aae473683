// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <tuple>
#include <vector>

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/product_kernel.hpp>

using namespace dpcurves;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using models::kernels::multiply;

namespace {

std::size_t size(Eigen::Index n) { return static_cast<std::size_t>(n); }

/// Each entry a sum in the order of the inner index, multiplied and added separately.
RowMatrix entry_by_entry(const RowMatrix& a, const RowMatrix& b) {
  RowMatrix c = RowMatrix::Zero(a.rows(), b.cols());
  for (Eigen::Index k = 0; k < a.cols(); ++k) {
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      for (Eigen::Index j = 0; j < b.cols(); ++j) {
        const volatile double term = a(i, k) * b(k, j);
        c(i, j) += term;
      }
    }
  }
  return c;
}

}  // namespace

TEST_CASE("a product is the sum in order, in the same bits from every instruction set and for every stride",
          "[models][product-kernel]") {
  // Around the edges of tiles (4, 6, 16 rows; 4, 8 columns), of blocks (256 inner, 256 columns), and of nothing.
  for (const auto& [rows, inner, columns] :
       {std::tuple{1, 1, 1}, std::tuple{7, 300, 19}, std::tuple{6, 256, 8}, std::tuple{50, 20, 100},
        std::tuple{3, 0, 5}, std::tuple{0, 3, 5}, std::tuple{17, 513, 257}, std::tuple{33, 255, 520},
        std::tuple{16, 257, 256}}) {
    CAPTURE(rows, inner, columns);
    const RowMatrix a = RowMatrix::Random(rows, inner), b = RowMatrix::Random(inner, columns);
    const RowMatrix a_turned = a.transpose(), b_turned = b.transpose(), oracle = entry_by_entry(a, b);
    const auto r = size(rows), n = size(inner), s = size(columns);
    for (const auto set : random::instruction_sets()) {
      RowMatrix c = RowMatrix::Constant(rows, columns, NAN);
      multiply({a.data(), n, 1}, {b.data(), s, 1}, r, n, s, c.data(), set);
      CHECK(c == oracle);
      c.setConstant(NAN);
      multiply({a_turned.data(), 1, r}, {b_turned.data(), 1, n}, r, n, s, c.data(), set);
      CHECK(c == oracle);
    }
    RowMatrix best = RowMatrix::Constant(rows, columns, NAN);
    multiply({a.data(), n, 1}, {b.data(), s, 1}, r, n, s, best.data());
    CHECK(best == oracle);
  }
}

TEST_CASE("a product keeps infinities and NaNs where they belong", "[models][product-kernel]") {
  RowMatrix a = RowMatrix::Ones(20, 30), b = RowMatrix::Ones(30, 9);
  a(19, 3) = INFINITY;
  b(2, 8) = NAN;
  RowMatrix c(20, 9);
  multiply({a.data(), 30, 1}, {b.data(), 9, 1}, 20, 30, 9, c.data());
  CHECK(c.topLeftCorner(19, 8) == RowMatrix::Constant(19, 8, 30.0));
  CHECK(c.row(19).head(8) == Eigen::RowVectorXd::Constant(8, INFINITY));
  CHECK(c.col(8).array().isNaN().all());
}

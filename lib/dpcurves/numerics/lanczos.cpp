// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/lanczos.hpp>
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::numerics {

ExtremeEigenvalues extreme_eigenvalues(const Operator& a, std::size_t dimension, std::size_t steps) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  require_domain(steps >= 1, "steps", static_cast<double>(steps), "[1, inf)");
  const auto n = static_cast<Eigen::Index>(dimension);
  const auto most = static_cast<Eigen::Index>(std::min(steps, dimension));
  Eigen::MatrixXd basis(n, most);
  Eigen::VectorXd diagonal(most);
  Eigen::VectorXd beside(most);
  // A start without symmetries: no eigenvector of a natural operator is orthogonal to it.
  Eigen::VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto position = static_cast<double>(i);
    v[i] = 1.0 + 0.5 * std::sin(1.0 + position * position);
  }
  v.normalize();
  Eigen::VectorXd w(n);
  Eigen::Index used = 0;
  while (used < most) {
    basis.col(used) = v;
    a({v.data(), dimension}, {w.data(), dimension});
    diagonal[used] = v.dot(w);
    ++used;
    for (int twice = 0; twice < 2; ++twice) {
      w -= basis.leftCols(used) * (basis.leftCols(used).transpose() * w);
    }
    beside[used - 1] = w.norm();
    const double size = diagonal.head(used).cwiseAbs().maxCoeff() + beside.head(used).maxCoeff();
    if (beside[used - 1] <= 1e-14 * size) {
      beside[used - 1] = 0.0;
      break;
    }
    v = w / beside[used - 1];
  }
  const auto solver = tridiagonal_eigen(diagonal.head(used), beside.head(used - 1));
  const auto pair = [&](Eigen::Index k) {
    return Estimate{solver.eigenvalues()[k], beside[used - 1] * std::abs(solver.eigenvectors()(used - 1, k))};
  };
  return {pair(0), pair(used - 1)};
}

}  // namespace dpcurves::numerics

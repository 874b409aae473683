// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <arb_hypgeom.h>

#include <dpcurves/accounting/mixture/rule.hpp>

namespace dpcurves::accounting::mixture {

const Rule& legendre() {
  static const Rule one = [] {
    const rigorous::Precision precision(128);
    Rule r;
    for (std::size_t k = 0; k < rule_size; ++k) {
      arb_hypgeom_legendre_p_ui_root(r.node[k].get(), r.weight[k].get(), rule_size, k, 128);
    }
    return r;
  }();
  return one;
}

const PlainRule& plain_rule() {
  static const PlainRule one = [] {
    PlainRule r;
    for (std::size_t k = 0; k < rule_size; ++k) {
      r.node[k] = legendre().node[k].middle();
      r.weight[k] = legendre().weight[k].middle();
    }
    return r;
  }();
  return one;
}

}  // namespace dpcurves::accounting::mixture

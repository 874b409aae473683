// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/io/detail/findings.hpp>

#include "support/support.hpp"

namespace io = dpcurves::io;
using Outcome = io::Finding::Outcome;

TEST_CASE("a JUnit document counts, escapes and keeps line feeds", "[io][findings]") {
  const std::string text = io::junit("a \"suite\"", {{"good", "x", Outcome::passed, "", "", 0.25},
                                                     {"bad", "x", Outcome::failed, "1 < 2\n& more", "seen\x01"},
                                                     {"open", "x", Outcome::skipped, "no theorem"}});
  CHECK_THAT(text, Catch::Contains("name=\"a &quot;suite&quot;\" tests=\"3\" failures=\"1\" skipped=\"1\""));
  CHECK_THAT(text, Catch::Contains("<testcase name=\"good\" classname=\"x\" time=\"0.25\"/>"));
  CHECK_THAT(text, Catch::Contains("<failure message=\"1 &lt; 2&#10;&amp; more\"/>"));
  CHECK_THAT(text, Catch::Contains("<skipped message=\"no theorem\"/>"));
  CHECK_THAT(text, Catch::Contains("<system-out>seen </system-out>"));
}

TEST_CASE("workflow commands escape what ends a property", "[io][findings]") {
  CHECK(io::workflow_commands({{"error", "a,b:c.toml", 3, "50 %", "two\nlines: yes, really"}}) ==
        "::error file=a%2Cb%3Ac.toml,line=3,title=50 %25::two%0Alines: yes, really\n");
  CHECK(io::workflow_commands({{"warning", "f", 0, "t", "m"}}) == "::warning file=f,title=t::m\n");
}

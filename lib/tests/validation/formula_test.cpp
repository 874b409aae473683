// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/formula.hpp"

#include <algorithm>
#include <regex>

#include <dpcurves/catalogue/catalogue.hpp>

#include "support/support.hpp"
#include "validation/report/formula_tokens.hpp"
#include "validation/report/labels.hpp"

using namespace dpcurves::validation;

namespace {

/// What a reader sees: the text without elements.
std::string seen(const std::string& html) {
  std::string text = std::regex_replace(html, std::regex("<[^>]*>"), "");
  for (const auto& [name, sign] : {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""},
                                   std::pair{"&#39;", "'"}, std::pair{"&amp;", "&"}}) {
    text = std::regex_replace(text, std::regex(name), sign);
  }
  return text;
}

/// Opened elements are closed, in order.
bool balanced(const std::string& html) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z]+)[^>]*>");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (name == "wbr") {
      continue;
    }
    if ((*at)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("words stay words", "[report][formula]") {
  for (const char* text :
       {"a definition: nothing is claimed", "Freedman's inequality", "x < y & z", "mu of 1.5 (in print)"}) {
    CHECK(typeset(text).find("<math>") == std::string::npos);
    CHECK(seen(typeset(text)) == text);
  }
  CHECK(typeset("$x < y$ & $z$") ==
        "<math><mi>x</mi><mo form=\"infix\">&lt;</mo><mi>y</mi></math> &amp; <math><mi>z</mi></math>");
}

TEST_CASE("letters, scripts, roots and fractions become MathML", "[report][formula]") {
  CHECK(typeset("$mu$-GDP") == "<math><mi>μ</mi></math>-GDP");
  CHECK(typeset("$x_k$") == "<math><msub><mrow><mi>x</mi></mrow><mrow><mi>k</mi></mrow></msub></math>");
  CHECK(typeset("$c^{2l}$") == "<math><msup><mrow><mi>c</mi></mrow><mrow><mn>2</mn><mi>l</mi></mrow></msup></math>");
  CHECK(typeset("$sqrt(t)$") == "<math><msqrt><mi>t</mi></msqrt></math>");
  CHECK(typeset("$(b)/(n sigma)$") ==
        "<math><mfrac><mrow><mi>b</mi></mrow><mrow><mi>n</mi><mi>σ</mi></mrow></mfrac></math>");
  CHECK(typeset("$s/sigma$") == "<math><mi>s</mi><mo>/</mo><mi>σ</mi></math>");
  CHECK(typeset("$|x|^2$") ==
        "<math><mo stretchy=\"false\">|</mo><mi>x</mi><msup><mrow><mo stretchy=\"false\">|</mo></mrow>"
        "<mrow><mn>2</mn></mrow></msup></math>");
  CHECK(typeset("(link of u)$^2$") == "(link of u)<sup><math><mn>2</mn></math></sup>");
  CHECK(typeset("$K1$") == "<math><msub><mrow><mi>K</mi></mrow><mrow><mn>1</mn></mrow></msub></math>");
  CHECK(seen(typeset("$a in (0, 1]$, $link(u) x V$")) == "a∈(0,1], link(u)×V");
}

TEST_CASE("what a function is applied to goes with it over or under a fraction line", "[report][formula]") {
  // f(s)^2/(2 d): the whole of f(s)^2 is above the line.
  CHECK(typeset("$f(s)^2/(2 d)$").rfind("<math><mfrac><mrow><mi>f</mi><msup>", 0) == 0);
  CHECK(seen(typeset("$(1 - c)/f(x) b$")) == "1−cf(x)b");
}

TEST_CASE("every text of the catalogue is set in balanced elements and keeps its words", "[report][formula]") {
  const std::regex word("[A-Za-z]{5,}"), element("<math>.*?</math>");
  std::size_t formulas = 0;
  for (const auto& entry : dpcurves::catalogue::entries()) {
    std::vector<std::string> texts = entry.marked.assumptions;
    texts.insert(texts.end(), {entry.marked.statement, entry.marked.title, entry.marked.reason});
    for (const auto& text : texts) {
      const std::string html = typeset(text), shown = seen(html);
      CAPTURE(entry.id, text, html);
      CHECK(std::count(text.begin(), text.end(), '$') % 2 == 0);
      CHECK(balanced(html));
      CHECK_FALSE(std::regex_search(shown, std::regex("\\^|\\$|_\\{|sqrt")));
      for (std::sregex_iterator at(html.begin(), html.end(), element), end; at != end; ++at, ++formulas) {
        CHECK(seen(at->str()).find('_') == std::string::npos);
      }
      for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
        const std::string one = at->str();
        const bool letter = report::greek_letter(one) || one == "tensor" || one == "infinity";
        CHECK((letter || shown.find(one) != std::string::npos));
      }
    }
  }
  CHECK(formulas > 1500);
}

TEST_CASE("brackets that do not close and signs without sides do no harm", "[report][formula]") {
  for (const char* text : {"(a + b", "b)", "x_", "^2", "/ n", "sqrt", "sqrt(", "f(x", "-", "x^", "x^{", "{}", "",
                           "a/(b", "||", "^", "^{", "ö", "\xc3"}) {
    CAPTURE(text);
    CHECK(balanced(typeset("$" + std::string(text) + "$")));
    CHECK(balanced(typeset("$" + std::string(text))));
    CHECK(balanced(label_html(text)));
  }
}

TEST_CASE("labels show scripts, letters and relations", "[report][formula]") {
  CHECK(label_html("L_S(W_{t-1}) <= 2") == "L<sub>S</sub>(W<sub>t-1</sub>) ≤ 2");
  CHECK(label_html("t = 2 sigma sqrt(dim)") == "t = 2 σ √(dim)");
  CHECK(label_html("the tensor product of both") == "the tensor product of both");
  CHECK(label_html("f tensor g = T(P x Q)") == "f ⊗ g = T(P x Q)");
  CHECK(label_html("e^(-0.5 t) of noise_multiplier") == "e<sup>-0.5 t</sup> of noise_multiplier");
  CHECK(label_html("m x^2/2 < |grad_5 f|^2") == "m x<sup>2</sup>/2 &lt; |grad_5 f|<sup>2</sup>");
}

TEST_CASE("labels of pictures show letters, roots and exponents by their signs", "[report][formula]") {
  const std::pair<const char*, const char*> labels[] = {{"m x^2/2 + sqrt(1 + x^2)", "m x²/2 + √(1 + x²)"},
                                                        {"C_p(G(mu))^t, mu = 1", "C_p(G(μ))ᵗ, μ = 1"},
                                                        {"f^(s), s = 0.5", "f⁽ˢ⁾, s = 0.5"},
                                                        {"10^12 draws", "10¹² draws"},
                                                        {"e^2.5", "e^2.5"},
                                                        {"c^tau", "c^τ"},
                                                        {"x^", "x^"},
                                                        {"x^(", "x^("},
                                                        {"sqrt", "sqrt"}};
  for (const auto& [text, shown] : labels) {
    CHECK(with_letters(text) == shown);
  }
}

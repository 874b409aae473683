// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
#include "validation/report/formula.hpp"

#include <vector>

#include <dpcurves/io/plot.hpp>

#include "validation/report/formula_tokens.hpp"

namespace dpcurves::validation {
namespace {

using report::Kind;
using report::Token;

bool relation(const Token& token) {
  return token.text == "=" || token.text == "<=" || token.text == ">=" || token.text == "<" || token.text == ">";
}

/// MathML of a run of formula tokens. Never fails: what does not fit is set as it stands.
class Setter {
 public:
  Setter(const std::vector<Token>& all, std::size_t from, std::size_t to) : all_(all), at_(from), end_(to) {}

  std::string run() {
    std::string row;
    while (at_ < end_) {
      row += items("");
      if (at_ < end_) {  // a closing bracket without its opening one
        row += operation(all_[at_++].text, true);
      }
    }
    return "<math>" + row + "</math>";
  }

 private:
  const std::vector<Token>& all_;
  std::size_t at_, end_;

  struct Item {
    std::string set;
    std::string bare;  ///< without its brackets, if it is nothing but a pair of brackets
    bool atom = false;
    bool name = false;  ///< of several letters
  };

  [[nodiscard]] static std::string operation(const std::string& sign, bool fence = false) {
    return std::string(fence ? "<mo stretchy=\"false\">" : "<mo>") + io::escaped_html(sign) + "</mo>";
  }
  /// Brackets grow only around what is taller than a line.
  [[nodiscard]] static std::string bracketed(const std::string& open, const std::string& inside,
                                             const std::string& close) {
    const bool low = inside.find("<mfrac") == std::string::npos;
    return row(operation(open, low) + inside + operation(close, low));
  }
  [[nodiscard]] static std::string row(const std::string& items) { return "<mrow>" + items + "</mrow>"; }
  [[nodiscard]] bool is(std::string_view text) const { return at_ < end_ && all_[at_].text == text; }
  [[nodiscard]] bool spaced() const { return at_ < end_ && all_[at_].kind == Kind::space; }
  void skip_spaces() {
    while (spaced()) {
      ++at_;
    }
  }

  /// Everything up to the closing bracket `until`, which stays.
  std::string items(const std::string& until) {
    std::vector<Item> row;
    while (at_ < end_) {
      const Token& token = all_[at_];
      if (token.kind == Kind::close) {
        if (until.empty() || token.text == until) {
          break;
        }
        row.push_back({operation(token.text, true), "", false});
        ++at_;
      } else if (token.kind == Kind::space) {
        ++at_;
      } else if (token.kind == Kind::slash) {
        ++at_;
        divide(row);
      } else {
        const bool call = token.kind == Kind::open && at_ > 0 && all_[at_ - 1].kind != Kind::space;
        const bool name = token.kind == Kind::function ||
                          (token.kind == Kind::letter && token.shown == token.text && token.text.size() > 1);
        Item item = this->item();
        if (item.atom && call && !row.empty() && row.back().atom) {
          row.back() = {row.back().set + item.set, "", true};  // f(x): one atom for a following slash
          continue;
        }
        // Names of several letters stand apart from their neighbours.
        const bool after_name = !row.empty() && row.back().name;
        if (item.atom && !row.empty() && row.back().atom && (name || after_name)) {
          item.set.insert(0, "<mspace width=\".18em\"></mspace>");
        }
        item.name = name;
        row.push_back(std::move(item));
      }
    }
    std::string set;
    for (const Item& item : row) {
      set += item.set;
    }
    return set;
  }

  /// A stacked fraction where a bracket can be spared, else a slash.
  void divide(std::vector<Item>& row) {
    skip_spaces();
    if (at_ >= end_ || row.empty() || !row.back().atom || all_[at_].kind == Kind::close) {
      row.push_back({operation("/"), "", false});
      return;
    }
    Item below = item();
    while (at_ < end_ && all_[at_].kind == Kind::open && below.bare.empty() && below.atom) {  // a/f(x)
      below.set += item().set;
    }
    Item& above = row.back();
    if (below.atom && (!above.bare.empty() || !below.bare.empty())) {
      const std::string top = above.bare.empty() ? above.set : above.bare;
      const std::string bottom = below.bare.empty() ? below.set : below.bare;
      above = {"<mfrac>" + this->row(top) + this->row(bottom) + "</mfrac>", "", true};
      return;
    }
    row.push_back({operation("/"), "", false});
    row.push_back(std::move(below));
  }

  /// One atom or sign with its scripts.
  Item item() {
    const bool bar = is("|") || is("||") || is(">");  // the closing one of |x|^2 or <u, v>^2 carries the script
    Item item = plain();
    std::string below, above;
    while (at_ < end_ && (item.atom || (bar && all_[at_].kind == Kind::script))) {
      const Token& token = all_[at_];
      if (token.kind == Kind::script) {
        ++at_;
        (token.shown == "_" ? below : above) += script();
      } else if (token.text == "'") {
        ++at_;
        above += operation("′");
      } else if ((token.text == "*" || token.text == "**") &&
                 (at_ + 1 >= end_ || all_[at_ + 1].kind == Kind::close || all_[at_ + 1].kind == Kind::script)) {
        ++at_;
        above += operation(token.shown);
      } else if (token.text == "~" && (at_ + 1 >= end_ || all_[at_ + 1].kind != Kind::space)) {
        ++at_;
        item.set = "<mover>" + row(item.set) + operation("~") + "</mover>";
      } else {
        break;
      }
    }
    if (below.empty() && above.empty()) {
      return item;
    }
    item.bare.clear();
    const std::string base = row(item.set);
    item.set = above.empty()   ? "<msub>" + base + row(below) + "</msub>"
               : below.empty() ? "<msup>" + base + row(above) + "</msup>"
                               : "<msubsup>" + base + row(below) + row(above) + "</msubsup>";
    return item;
  }

  std::string script() {
    skip_spaces();
    if (at_ < end_ && all_[at_].kind == Kind::open) {
      const Item group = plain();
      return group.bare.empty() ? group.set : group.bare;
    }
    std::string sign;
    if (is("-")) {
      ++at_;
      sign = operation("−");
    }
    return at_ < end_ && all_[at_].kind != Kind::close ? sign + plain().set : sign;
  }

  Item plain() {
    const Token& token = all_[at_++];
    const std::string shown = io::escaped_html(token.shown);
    switch (token.kind) {
      case Kind::number:
        return {"<mn>" + shown + "</mn>", "", true};
      case Kind::letter:
        return {"<mi>" + shown + "</mi>", "", true};
      case Kind::open: {
        const std::string close = token.text == "(" ? ")" : token.text == "[" ? "]" : "}";
        const std::string inside = items(close);
        if (at_ < end_ && all_[at_].text == close) {
          ++at_;
          return {bracketed(token.text, inside, close), inside, true};
        }
        return {operation(token.text, true) + inside, "", false};
      }
      case Kind::function: {
        if (token.text == "sqrt") {
          skip_spaces();
          if (at_ < end_ && all_[at_].kind != Kind::close) {
            const Item under = all_[at_].kind == Kind::open ? plain() : item();
            return {"<msqrt>" + (under.bare.empty() ? under.set : under.bare) + "</msqrt>", "", true};
          }
          return {operation("√"), "", false};  // of words
        }
        const bool big = shown == "∑" || shown == "∫" || shown == "∏" || shown == "∇" || shown == "⊗";
        const bool tensor = shown == "⊗";
        return {big ? operation(token.shown) : "<mi mathvariant=\"normal\">" + shown + "</mi>", "", !tensor};
      }
      default:
        // In an own element a sign may stand first: it stays one between two sides.
        if (relation(token) || token.text == "+" || token.text == "-") {
          const bool leading = token.text == "-" && (at_ >= end_ || all_[at_].kind != Kind::space);
          return {leading ? operation(token.shown) : "<mo form=\"infix\">" + shown + "</mo>", "", false};
        }
        return {operation(token.shown, token.text == "|" || token.text == "||"), "", false};
    }
  }
};

/// A formula as one or several elements, between which a line may break: before relations, sums and products of its
/// outermost level, because browsers do not break lines inside an element.
std::string set_with_breaks(const std::vector<Token>& all, std::size_t from, std::size_t to) {
  std::string html;
  int depth = 0;
  std::size_t start = from;
  for (std::size_t i = from; i < to; ++i) {
    const Token& token = all[i];
    depth += token.kind == Kind::open ? 1 : token.kind == Kind::close ? -1 : 0;
    const bool spaced = i > start && all[i - 1].kind == Kind::space && i + 1 < to && all[i + 1].kind == Kind::space;
    const bool sum = token.text == "+" || token.text == "-";
    if (depth == 0 && spaced && i - start > 7 && (relation(token) || sum)) {
      html += Setter(all, start, i).run() + "<wbr>";
      start = i;
    }
  }
  return html + Setter(all, start, to).run();
}

/// A script on words: "(link of u)$^2$".
std::string script_alone(const std::vector<Token>& all) {
  const bool braces = all.size() > 2 && all[1].text == "{";
  return "<sup>" + Setter(all, braces ? 2 : 1, all.size() - (braces ? 1 : 0)).run() + "</sup>";
}

}  // namespace

std::string typeset(std::string_view marked) {
  std::string html;
  for (bool formula = false;; formula = !formula) {
    const std::size_t mark = marked.find('$');
    const std::string_view piece = marked.substr(0, mark);
    if (!formula) {
      html += io::escaped_html(std::string(piece));
    } else if (const std::vector<Token> all = report::tokens_of(piece); !all.empty()) {
      html += all.size() > 1 && all[0].text == "^" ? script_alone(all) : set_with_breaks(all, 0, all.size());
    }
    if (mark == std::string_view::npos) {
      return html;
    }
    marked.remove_prefix(mark + 1);
  }
}

}  // namespace dpcurves::validation

// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves generate: shell completion and man page, read off the declared subcommands and options.
#include <algorithm>
#include <cctype>
#include <map>

#include <CLI/CLI.hpp>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "commands.hpp"

namespace dpcurves::tools {
namespace {

std::vector<const CLI::App*> children(const CLI::App& app) {
  return mapped(app.get_subcommands([](const CLI::App*) { return true; }),
                [&](const CLI::App* child) { return child; });
}

/// What may follow an option: "a|b|c" are words, FILE and DIR are left to the shell, ids of theorems are asked for,
/// anything else has no completion.
std::string values_case(const std::string& path, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.empty()) {
    return "";  // a flag
  }
  constexpr const char* of_words = "abcdefghijklmnopqrstuvwxyz0123456789-|";
  std::string action = "compopt +o default; return";
  if (option.check_lname("theorem")) {
    action = "list=\"theorem list\"";
  } else if (option.check_lname("paper")) {
    action = "words=\"" + joined(catalogue::papers(), " ") + "\"";
  } else if (type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos || type == "TEXT") {
    action = "return";
  } else if (type.find_first_not_of(of_words) == std::string::npos ||
             (type.find('|') != std::string::npos && type.find_first_of(" [(") == std::string::npos)) {
    action = "words=\"" + type + "\"";
    std::replace(action.begin(), action.end(), '|', ' ');
  }
  std::string text;
  for (const auto& name : option.get_lnames()) {
    text += "    \"" + path + " --" + name + "\") " + action + " ;;\n";
  }
  return text;
}

/// One line per place on the command line: "dpcurves privacy noisy-gd") words="..." ;; and per option with a value.
void completion_cases(const CLI::App& app, const std::string& path, std::string& places, std::string& values) {
  std::string words;
  for (const CLI::App* child : children(app)) {
    words += child->get_name() + " ";
    completion_cases(*child, path + " " + child->get_name(), places, values);
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      words += "--" + name + " ";
    }
    values += values_case(path, *option);
  }
  places += "    \"" + path + "\") words=\"" + words + "\" ;;\n";
}

std::string bash_completion(const CLI::App& root) {
  std::string places, values;
  completion_cases(root, "dpcurves", places, values);
  return "# bash completion for dpcurves: eval \"$(dpcurves generate bash-completion)\"\n"
         "_dpcurves() {\n"
         "  local path=dpcurves words=\"\" list=\"\" word current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$word\" in -*) break ;; *) path=\"$path $word\" ;; esac\n"
         "  done\n"
         "  case \"$path ${COMP_WORDS[COMP_CWORD-1]}\" in\n" +
         values + "    *) case \"$path\" in\n" + places +
         "      *) path=\"${path% *}\" ;;\n"
         "    esac ;;\n"
         "  esac\n"
         "  case \"$path\" in  # ids, printed by the program itself\n"
         "    \"dpcurves validate\" | \"dpcurves reproduce\" | \"dpcurves eval\") list=\"${path#* } --list\" ;;\n"
         "    \"dpcurves theorem show\") list=\"theorem list\" ;;\n"
         "  esac\n"
         "  if [ -n \"$list\" ] && [ \"${current#-}\" = \"$current\" ]; then\n"
         "    words=\"$words $(dpcurves $list 2>/dev/null | sed -n 's|^\\([a-z0-9-]*/[^: ]*\\).*|\\1|p')\"\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _dpcurves dpcurves\n";
}

std::string roff(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    escaped += letter == '\\' ? "\\\\" : letter == '-' ? "\\-" : std::string(1, letter);
    if (letter == '\n') {
      escaped += "\\&";  // a line must not start with a dot or a quote
    }
  }
  return escaped;
}

/// The options and examples of one command.
std::string man_options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() == "--help") {
      continue;
    }
    text += ".TP\n.B " + roff(option->get_name()) + " " + roff(option->get_type_name()) + "\n" +
            roff(option->get_description()) + "\n";
  }
  if (!command.get_footer().empty()) {
    text += ".PP\n.nf\n\\&" + roff(command.get_footer()) + "\n.fi\n";
  }
  return text;
}

void man_section(const CLI::App& app, const std::string& path, std::string& text) {
  for (const CLI::App* child : children(app)) {
    const std::string name = path + " " + child->get_name();
    text += ".SH " + roff(name) + "\n" + roff(child->get_description()) + "\n" + man_options(*child);
    man_section(*child, name, text);
  }
}

constexpr const char* exit_status =
    ".SH EXIT STATUS\n0 ok; 1 a check was refuted; 2 usage; 3 domain or violated hypothesis; 4 accuracy not reached; 5 "
    "file.\n";

/// The head of a page: "dpcurves\-privacy \- ...".
std::string man_head(const std::string& name, const std::string& summary, const std::string& synopsis) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  return ".TH " + title + " 1 \"\" \"dpcurves " + version() + "\"\n.SH NAME\n" + roff(name) + " \\- " + roff(summary) +
         "\n.SH SYNOPSIS\n.B " + roff(synopsis) + "\n[options]\n";
}

std::string program_head() {
  return man_head("dpcurves", "theorems about differentially private SGD", "dpcurves COMMAND");
}

/// dpcurves.1 and dpcurves-COMMAND.1 for each command, with sections for what comes after it.
std::map<std::string, std::string> man_pages(const CLI::App& root) {
  std::map<std::string, std::string> pages;
  std::string overview = program_head() + ".SH COMMANDS\n";
  for (const CLI::App* child : children(root)) {
    const std::string name = "dpcurves-" + child->get_name(), line = "dpcurves " + child->get_name();
    overview += ".TP\n.BR " + roff(name) + " (1)\n" + roff(child->get_description()) + "\n";
    std::string page = man_head(name, child->get_description(), line) + ".SH OPTIONS\n" + man_options(*child);
    man_section(*child, line, page);
    pages[name + ".1"] = page + exit_status + ".SH SEE ALSO\n.BR dpcurves (1)\n";
  }
  pages["dpcurves.1"] = overview + exit_status;
  return pages;
}

std::string man_page(const CLI::App& root) {
  std::string text = program_head();
  man_section(root, "dpcurves", text);
  return text + exit_status;
}

/// Text within a cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2)) {
    text.insert(bar, "\\");
  }
  return text;
}

void field_rows(const std::vector<FieldInfo>& fields, const std::string& prefix, std::string& page) {
  for (const auto& field : fields) {
    page += "| `" + prefix + cell(field.symbol) + "` | " + kind_name(field) + " | " +
            (field.domain.everything() ? "" : cell(field.domain.interval())) + " | " +
            (field.required ? "" : "`" + cell(text(field.fallback)) + "`") + " | " + cell(field.meaning) + " |\n";
    field_rows(field.fields, prefix + field.symbol + ".", page);
  }
}

/// docs/guide/calculators.md: every calculator with its inputs.
std::string calculator_page() {
  std::string page =
      "# The calculators\n\n"
      "Every function of `dpcurves eval`, its theorems and its inputs; made by `dpcurves generate calculators` from "
      "the fields of the settings. An input with a default may be left out.\n";
  std::string paper;
  for (const auto& calculator : calculators::all()) {
    if (const auto name = calculator.name.substr(0, calculator.name.find('/')); name != paper) {
      paper = name;
      page += "\n## " + paper + "\n";
    }
    page += "\n### " + calculator.name + "\n\n" + calculator.summary + ".\n\n";
    for (const auto& theorem : calculator.theorems) {
      page += (theorem == calculator.theorems.front() ? "Of `" : ", `") + theorem + "`";
    }
    page += ".\n";
    if (!calculator.fields.empty()) {
      page += "\n| input | type | range | default | meaning |\n|---|---|---|---|---|\n";
      field_rows(calculator.fields, "", page);
    }
  }
  return page;
}

}  // namespace

void add_generate(CLI::App& app, Leaves& leaves) {
  CLI::App& command = branch(app, "generate", "shell completion, man page and table of calculators of this program",
                             "Examples:\n"
                             "  eval \"$(dpcurves generate bash-completion)\"\n"
                             "  dpcurves generate man-page --output dpcurves.1\n"
                             "  dpcurves generate calculators --output calculators.md");
  const auto add = [&](const char* name, const char* summary, std::vector<Option> table,
                       std::function<std::string(const Values&)> text) {
    leaves.add(command, {.name = name,
                         .summary = summary,
                         .footer = std::string("Example:\n  dpcurves generate ") + name,
                         .table = std::move(table),
                         .formats = "text",
                         .run = [text = std::move(text)](const Typed& typed) {
                           emit(typed.common, text(typed.values()));
                           return 0;
                         }});
  };
  const auto whole = [&app, &leaves]() -> const CLI::App& {
    leaves.declare_all();
    return app;
  };
  add("bash-completion", "a script to source in bash", {}, [whole](const Values&) { return bash_completion(whole()); });
  add("man-page", "a page for man", {}, [whole](const Values&) { return man_page(whole()); });
  add("man-pages", "a page for man of each command, as files",
      {{"directory", OptionKind::text, "DIR", "where the files are written, default here"}},
      [whole](const Values& values) {
        const std::string folder = values.has("directory") ? values.text("directory") + "/" : "";
        std::string names;
        for (const auto& [name, page] : man_pages(whole())) {
          io::write_file(folder + name, page);
          names += folder + name + "\n";
        }
        return names;
      });
  add("calculators", "every calculator with its inputs, as Markdown", {},
      [](const Values&) { return calculator_page(); });
}

}  // namespace dpcurves::tools

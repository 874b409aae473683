#!/usr/bin/env python3
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# What Doxygen reads of a header: lines of `= default` and `= delete` need no words, and the meaning of a member is that
# of its row in the table of fields.
import re
import sys

TEXT = r'"((?:[^"\\]|\\.)*)"'
ROW = re.compile(
    rf'(?:required|optional|result)\(\s*{TEXT},\s*(?:{TEXT},\s*)?&[\w:]+,\s*'
    rf'(?:(?:whole\()?"[\[(][^"]*, [^"]*[\])]"\)?,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)\)')


def with_meanings(text):
    """The text with `///< meaning` behind the members of structs with fields, without the tables."""
    out = ""
    end = 0
    for table in re.finditer(r"static constexpr (?:std::tuple fields\{|auto fields =).*?;\n", text, re.S):
        start = max(text.rfind("struct ", 0, table.start()), end)
        members = text[start:table.start()]
        for name, symbol, meaning in ROW.findall(table.group()):
            words = "".join(re.findall(TEXT, meaning))
            words = (symbol + ": " if symbol else "") + words
            words = re.sub(r"([@<>#\\])", r"\\\1", words.replace('\\"', '"'))
            members = re.sub(rf"(?m)^(\s+[^/\n]*\b{name}\b(?: = [^;\n]*|{{}})?;)[ \t]*$", lambda m: f"{m.group(1)}  ///< {words}",
                             members, count=1)
        out += text[end:start] + members + "\n" * table.group().count("\n")
        end = table.end()
    return out + text[end:]


with open(sys.argv[1]) as file:
    source = file.read()
source = re.sub(r"(?m)^ .* = (?:default|delete);$", "", source)
sys.stdout.write(with_meanings(source) if "fields{" in source or "auto fields" in source else source)

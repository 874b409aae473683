# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# awk -v most_lines=N -f unity_groups.awk HEADER... SOURCE...: prints "GROUP;SOURCE" for sources that may be compiled
# together. No two of a group give different things one name at file scope (in an unnamed namespace, or static), which
# one compilation of both would refuse or, with overloads, silently misread. A source that gives a name of the headers
# to something of its own stays alone: it would hide what the others mean by it. So does one that imports a name which
# two headers declare. All of a group are inside the same namespaces (using namespace). HEADER: all whose namespaces the
# sources see. cmake/unity_groups_test.sh
FNR == 1 { end_of_source(); source = FILENAME; unnamed = lines = alone = 0; inside = ""; split("", text) }
{ ++lines }
/^#(define|undef)/ { alone = 1 }
FILENAME ~ /[.]hpp$/ {  # what a declaration at file scope names, wherever its line ends
  if ($0 ~ /^[A-Za-z[]/ && $0 !~ /^(namespace|using namespace|public|private|protected)/) {
    line = $0
    sub(/ *\/\/.*/, "", line)
    while (gsub(/<[^<>]*>/, "", line)) {}
    gsub(/\[\[[^]]*\]\] */, "", line)
    sub(/^(struct|class|enum class|enum|using) +/, "", line) ? sub(/[^A-Za-z0-9_].*/, "", line) : sub(/ *[(={;\[].*/, "", line)
    sub(/.*[^A-Za-z0-9_]/, "", line)
    declared_for_all[line] += 1
  }
  next
}
/^using namespace/ { inside = inside $0 }
/^namespace \{/ { unnamed = 1; next }
/^}  \/\/ namespace$/ { unnamed = 0; next }
continued && /^ +[A-Za-z0-9_]+( = |\{)/ {  # of a list of constants
  name = $1
  sub(/\{.*/, "", name)
  add(name, source)
}
continued { continued = !/;( *\/\/.*)?$/ }
/^( |using namespace|namespace|extern|#|\/|}|TEST_CASE|private:|public:|$)/ { next }
{
  line = $0
  what = unnamed || /^static / ? source : "known to all"
  sub(/ *\/\/.*/, "", line)
  while (gsub(/<[^<>]*>/, "", line)) {}
  gsub(/\[\[[a-z_]*\]\] /, "", line)
  sub(/^template */, "", line)
  if (line ~ /^using /) {  # the same alias twice is none too many
    name = line
    sub(/ *[=;].*/, "", name)
    sub(/.*[ :]/, "", name)
    if (declared_for_all[name] > 1) { alone = 1 }  # another source may mean the other one
    add(name, $0, 1)
    next
  }
  if (line ~ /^(struct|class|enum|union) /) {
    sub(/^(enum class|struct|class|enum|union) */, "", line)
    sub(/[^A-Za-z0-9_].*/, "", line)
    add(line, what)
    next
  }
  constant = line ~ /=/ && line !~ /^[^=]*\(/
  continued = constant && line !~ /;$/
  while (constant && (gsub(/\([^()]*\)/, "", line) || gsub(/\{[^{}]*\}/, "", line))) {}
  parts = constant ? split(line, declared, ",") : 1
  if (!constant) { declared[1] = line }
  for (i = 1; i <= parts; ++i) {
    name = declared[i]
    sub(/[ ]*[(={;[].*/, "", name)
    if (name !~ /::[A-Za-z0-9_~]*$/) {
      sub(/.*[^A-Za-z0-9_]/, "", name)
      if (match(line, /\(const ([a-z_]*::)*[A-Z][A-Za-z]*&/)) {  # overloads for two classes are not mistaken
        add(name substr(line, RSTART, RLENGTH), what)
        what = "overloads"
      }
      add(name, what)
    }
  }
}
END { end_of_source() }

function add(name, what, alias) {
  if (name == "") { return }
  text[name] = what
  if (!alias && unnamed && name in declared_for_all) { alone = 1 }
}

function end_of_source(    group, name, fits) {
  if (source == "" || alone || source ~ /[.]hpp$/) { return }
  text["using namespace"] = inside
  for (group = 1; ; ++group) {
    fits = group > groups || size[group] + lines <= most_lines
    for (name in text) {
      if ((group, name) in known && known[group, name] != text[name]) { fits = 0 }
    }
    if (fits) { break }
  }
  if (group > groups) { groups = group }
  size[group] += lines
  for (name in text) { known[group, name] = text[name] }
  print group ";" source
}

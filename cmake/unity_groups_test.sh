#!/bin/sh
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# What unity_groups.awk keeps apart, by example.
set -eu
groups="$(cd "$(dirname "$0")" && pwd)/unity_groups.awk"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >one.hpp <<'END'
inline const FieldInfo eps = argument("eps");
[[nodiscard]] double width(double x);
struct Sampler {
END
cat >two.hpp <<'END'
class Sampler {
END
write() {  # NAME LINE...: a source with these lines in an unnamed namespace
  name="$1"
  shift
  { echo "namespace {"; printf '%s\n' "$@"; echo "}  // namespace"; } >"$name.cpp"
}
write plain "double half(double x) { return 0.5 * x; }"
write other "double twice(double x) { return 2.0 * x; }"
write same "double half(double x) { return x / 2.0; }"
write overload "double half(int x) { return x / 2.0; }"
write constant "const FieldInfo eps = argument(\"eps\", 1);"
write function "double width(int x) { return x; }"
write type "struct Sampler {};"
write import "using other::Sampler;"
printf 'using namespace other;\n' >inside.cpp
write list "constexpr double pi = 3.0, half = 0.5;"

together() { awk -v most_lines=2500 -f "$groups" one.hpp two.hpp "$@" | sort | tr '\n' ' '; }
expect() {
  wanted="$1"
  shift
  found="$(together "$@")"
  [ "$found" = "$wanted" ] || { echo "together $*: $found, expected $wanted" >&2; exit 1; }
}
expect "1;other.cpp 1;plain.cpp " plain.cpp other.cpp
expect "1;plain.cpp 2;same.cpp " plain.cpp same.cpp
expect "1;plain.cpp 2;overload.cpp " plain.cpp overload.cpp
expect "1;plain.cpp 2;list.cpp " plain.cpp list.cpp
expect "1;plain.cpp 2;inside.cpp " plain.cpp inside.cpp
for alone in constant function type import; do  # hides what a header declares
  expect "1;plain.cpp " plain.cpp "$alone.cpp"
done
awk -v most_lines=5 -f "$groups" plain.cpp other.cpp | sort | tr '\n' ' ' | grep -qx "1;plain.cpp 2;other.cpp "

#!/bin/bash
# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# bash completion.sh DPCURVES: what the completion offers for the words of a command line.
set -eu
PATH=$(dirname "$1"):$PATH
eval "$(dpcurves generate bash-completion)"
compopt() { :; } # there is no line that is being edited

offered() { # WORDS...; the last one is being typed
  COMP_WORDS=(dpcurves "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _dpcurves
  echo " ${COMPREPLY[*]-} "
}
check() { # WANTED WORDS...
  local wanted=$1 got
  shift
  got=$(offered "$@")
  case "$got" in
    *" $wanted "*) ;;
    *) echo "FAILED: dpcurves $*: no \"$wanted\" in: $got"; exit 1 ;;
  esac
}
check privacy priv
check noisy-cgd privacy noisy-c
check --effective-sensitivity privacy noisy-cgd --effective
check --effective-sensitivity privacy noisy-cgd --delta 1e-5 --effective
check nightly validate --profile n
check json privacy gaussian --format j
check noisy-hsgd/lemma-a.1 validate noisy-hsgd/lemma-a
check shifted-interpolation/table-7 reproduce shifted-interpolation/table-7
check shifted-interpolation/gdp-delta eval shifted-interpolation/gdp-d
check shifted-interpolation/theorem-4.2 theorem show shifted-interpolation/theorem-4.2
check shifted-interpolation/theorem-4.9 curve tradeoff noisy-sgd --steps 3 --theorem shifted-interpolation/theorem-4.9
check github validate --annotations g
check noisy-hsgd theorem list --paper n
check noise-multiplier calibrate dp-sgd --solve-for n
case "$(offered theorem show "")" in *' diffusion '* | *─* | *' id '*) echo "FAILED: words of titles for ids"; exit 1 ;; esac
case "$(offered validate "")" in *' narrow.'*) echo "FAILED: words of claims for ids"; exit 1 ;; esac
[ "$(offered privacy gaussian --output x)" = "  " ] || { echo "FAILED: a file is left to the shell"; exit 1; }
[ "$(offered privacy gaussian --delta 1)" = "  " ] || { echo "FAILED: words for a number"; exit 1; }

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Ball arithmetic: Arb_FOUND and the target Arb::arb. FLINT 3 holds Arb (headers flint/arb.h, one library); before, Arb
# is a library of its own (arb.h; named flint-arb by Debian).
include(FindPackageHandleStandardArgs)
find_path(Arb_INCLUDE_DIR NAMES arb.h PATH_SUFFIXES flint)
find_path(Flint_INCLUDE_DIR NAMES flint/flint.h)
find_library(Arb_LIBRARY NAMES flint-arb arb)
find_library(Flint_LIBRARY NAMES flint)
find_library(Mpfr_LIBRARY NAMES mpfr)
find_library(Gmp_LIBRARY NAMES gmp)
find_package_handle_standard_args(Arb REQUIRED_VARS Flint_LIBRARY Arb_INCLUDE_DIR Flint_INCLUDE_DIR Mpfr_LIBRARY Gmp_LIBRARY
  REASON_FAILURE_MESSAGE "Debian packages libflint-dev and libflint-arb-dev")
if(Arb_FOUND AND NOT TARGET Arb::arb)
  add_library(Arb::arb INTERFACE IMPORTED)
  target_include_directories(Arb::arb SYSTEM INTERFACE ${Arb_INCLUDE_DIR} ${Flint_INCLUDE_DIR} ${Flint_INCLUDE_DIR}/flint)
  if(Arb_LIBRARY)
    target_link_libraries(Arb::arb INTERFACE ${Arb_LIBRARY})
  endif()
  target_link_libraries(Arb::arb INTERFACE ${Flint_LIBRARY} ${Mpfr_LIBRARY} ${Gmp_LIBRARY})
endif()
mark_as_advanced(Arb_INCLUDE_DIR Flint_INCLUDE_DIR Arb_LIBRARY Flint_LIBRARY Mpfr_LIBRARY Gmp_LIBRARY)

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# dpcurves_add_module(NAME SOURCES ... HEADERS ... [PUBLIC ...] [PRIVATE ...])
#   One static library per folder of lib/dpcurves, alias dpcurves::NAME. Paths are relative to lib/, as in an
#   #include. PUBLIC: what the headers include, nothing more. PRIVATE: what only the sources include.
set(DPCURVES_INCLUDE_ROOT ${CMAKE_CURRENT_SOURCE_DIR}/lib)
set_property(GLOBAL PROPERTY DPCURVES_MODULES "")

function(dpcurves_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dpcurves_add_module(${name}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND ${DPCURVES_INCLUDE_ROOT}/)
  list(TRANSFORM ARG_HEADERS PREPEND ${DPCURVES_INCLUDE_ROOT}/)
  set(target dpcurves_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(dpcurves::${name} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${DPCURVES_INCLUDE_ROOT} FILES ${ARG_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:dpcurves_options>)
  if(DPCURVES_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -O1)  # below that Eigen and the simulations are too slow
  endif()
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON)  # every public header compiles alone: target all_verify_interface_header_sets
  set_property(GLOBAL APPEND PROPERTY DPCURVES_MODULES ${target})
endfunction()

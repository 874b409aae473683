# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# DPCURVES_TOGETHER is for builds from nothing (tools/quickstart.sh, tools/test.sh): headers are parsed once, sources of
# a folder are compiled together, and the compiler does not search its memory for what it no longer needs. Off by
# default: a compiler cache does not see through precompiled headers, and a source that is touched rebuilds its group.
option(DPCURVES_TOGETHER "Parse common headers once and compile sources in groups: for builds from nothing" OFF)
if(DPCURVES_TOGETHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A tenth of the time of every source; the largest group takes 2 GB.
  add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000"
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread  # g++ 12 sees in strings what is not there
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # unnamed namespaces are those of the sources
  target_compile_options(dpcurves_options INTERFACE -Wno-shadow)  # a local of one source and a constant of another
endif()

# dpcurves_precompile(TARGET HEADER... [SHARED_BY TARGET...]): what nearly every source of the targets includes, parsed
# once. Targets that share it have the same options of the compiler.
function(dpcurves_precompile target)
  if(NOT DPCURVES_TOGETHER)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SHARED_BY")
  foreach(header algorithm array cmath functional limits map memory numeric optional sstream string utility vector)
    list(APPEND common <${header}>)
  endforeach()
  target_precompile_headers(${target} PRIVATE ${common} ${ARG_UNPARSED_ARGUMENTS})
  dpcurves_precompile_like(${target} ${ARG_SHARED_BY})
endfunction()

# dpcurves_precompile_like(TARGET OTHER...): the others read what the target has parsed; neither does in sources of
# another instruction set.
function(dpcurves_precompile_like target)
  if(NOT DPCURVES_TOGETHER)
    return()
  endif()
  foreach(one ${target} ${ARGN})
    target_link_libraries(${one} PRIVATE $<BUILD_INTERFACE:Boost::headers>)  # it defines a macro: for all or none
    if(NOT one STREQUAL target)
      target_precompile_headers(${one} REUSE_FROM ${target})
    endif()
    get_target_property(sources ${one} SOURCES)
    foreach(source ${sources})
      get_source_file_property(options ${source} TARGET_DIRECTORY ${one} COMPILE_OPTIONS)
      if(options)
        set_source_files_properties(${source} TARGET_DIRECTORY ${one} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
  endforeach()
endfunction()

function(dpcurves_precompile_modules)
  dpcurves_precompile(dpcurves_accounting <dpcurves/accounting/composition.hpp> <dpcurves/core/error.hpp>
    <dpcurves/rigorous/ball.hpp>)
  dpcurves_precompile(dpcurves_queries <dpcurves/core/field.hpp> <dpcurves/core/detail/format.hpp> <dpcurves/queries/detail/algorithm.hpp>
    SHARED_BY dpcurves_calculators dpcurves_io dpcurves_transcripts)
  dpcurves_precompile(dpcurves_models <Eigen/Dense>
    SHARED_BY dpcurves_divergence dpcurves_homogenized dpcurves_simulate)
  dpcurves_precompile(dpcurves_core <dpcurves/core/error.hpp>
    SHARED_BY dpcurves_attack dpcurves_bounds dpcurves_correlated dpcurves_inference dpcurves_interpolation
      dpcurves_numerics dpcurves_tradeoff)
endfunction()

# dpcurves_unite(TARGET...): sources of a target are compiled together, up to so many lines at once, because the headers
# and templates that they share cost more than the sources themselves. cmake/unity_groups.awk keeps apart what cannot
# be one.
find_program(AWK_PROGRAM awk)
function(dpcurves_unite)
  if(NOT DPCURVES_TOGETHER OR NOT AWK_PROGRAM)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cpp$")
    file(GLOB_RECURSE headers ${folder}/*.hpp ${PROJECT_SOURCE_DIR}/lib/dpcurves/core/*.hpp)
    execute_process(
      COMMAND ${AWK_PROGRAM} -v most_lines=2500 -f ${PROJECT_SOURCE_DIR}/cmake/unity_groups.awk ${headers} ${sources}
      WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" groups "${groups}")
    while(groups)
      list(POP_FRONT groups group source)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${target}_${group})
    endwhile()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endforeach()
endfunction()

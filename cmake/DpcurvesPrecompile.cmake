# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# DPCURVES_PRECOMPILE is for builds from nothing (tools/quickstart.sh): headers are parsed once, and the compiler does
# not search its memory for what it no longer needs. Off by default: a compiler cache does not see through precompiled
# headers, and one that is touched rebuilds all its targets.
option(DPCURVES_PRECOMPILE "Parse common headers once: for builds from nothing" OFF)
if(DPCURVES_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A tenth of the time of every source; the largest takes 1 GB.
  add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000"
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)  # g++ 12 sees in precompiled strings what is not there
endif()

# dpcurves_precompile(TARGET HEADER... [SHARED_BY TARGET...]): what nearly every source of the targets includes, parsed
# once. Targets that share it have the same options of the compiler.
function(dpcurves_precompile target)
  if(NOT DPCURVES_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SHARED_BY")
  foreach(header algorithm array cmath functional limits map memory numeric optional sstream string utility vector)
    list(APPEND common <${header}>)
  endforeach()
  target_precompile_headers(${target} PRIVATE ${common} ${ARG_UNPARSED_ARGUMENTS})
  foreach(other ${ARG_SHARED_BY})
    target_precompile_headers(${other} REUSE_FROM ${target})
  endforeach()
  foreach(one ${target} ${ARG_SHARED_BY})
    get_target_property(sources ${one} SOURCES)
    foreach(source ${sources})  # of another instruction set
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
  dpcurves_precompile(dpcurves_queries <dpcurves/core/field.hpp> <dpcurves/core/format.hpp> <dpcurves/queries/algorithm.hpp>
    SHARED_BY dpcurves_calculators dpcurves_io dpcurves_transcripts)
  dpcurves_precompile(dpcurves_models <Eigen/Dense>
    SHARED_BY dpcurves_divergence dpcurves_homogenized dpcurves_simulate)
  dpcurves_precompile(dpcurves_core <dpcurves/core/error.hpp>
    SHARED_BY dpcurves_attack dpcurves_bounds dpcurves_correlated dpcurves_inference dpcurves_interpolation
      dpcurves_numerics dpcurves_tradeoff)
endfunction()

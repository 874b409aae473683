# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# dpcurves_precompile(TARGET HEADER...): what nearly every source of a target includes, parsed once. Off by default: a
# compiler cache does not see through it, and a header that is touched rebuilds the whole target. For builds from nothing
# (tools/quickstart.sh).
option(DPCURVES_PRECOMPILE "Parse common headers once: for builds from nothing" OFF)

function(dpcurves_precompile target)
  if(NOT DPCURVES_PRECOMPILE)
    return()
  endif()
  foreach(header algorithm array cmath functional limits map memory numeric optional sstream string utility vector)
    list(APPEND common <${header}>)
  endforeach()
  target_precompile_headers(${target} PRIVATE ${common} ${ARGN})
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})  # of another instruction set
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# The modules with most sources.
function(dpcurves_precompile_modules)
  dpcurves_precompile(dpcurves_accounting <dpcurves/accounting/composition.hpp> <dpcurves/core/error.hpp>
    <dpcurves/rigorous/ball.hpp>)
  dpcurves_precompile(dpcurves_queries <dpcurves/core/field.hpp> <dpcurves/core/format.hpp> <dpcurves/queries/algorithm.hpp>)
  dpcurves_precompile(dpcurves_calculators <dpcurves/core/field.hpp> <dpcurves/core/record.hpp>)
  dpcurves_precompile(dpcurves_transcripts <dpcurves/io/json.hpp> <dpcurves/mechanism/run.hpp>)
  foreach(module divergence homogenized models simulate)
    dpcurves_precompile(dpcurves_${module} <Eigen/Dense>)
  endforeach()
  foreach(module bounds correlated)
    dpcurves_precompile(dpcurves_${module} <dpcurves/core/error.hpp>)
  endforeach()
endfunction()

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# One interface target carries the compile options of every target of the project. It is not exported.
add_library(dpcurves_options INTERFACE)
target_compile_options(dpcurves_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wdouble-promotion
  -ffp-contract=off)  # the same bits from every instruction set
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(dpcurves_options INTERFACE -Wduplicated-cond -Wlogical-op
    -Wno-restrict)  # g++ 12 sees overlaps in "literal" + std::string that are not there
endif()
if(DPCURVES_WERROR)
  target_compile_options(dpcurves_options INTERFACE -Werror)
endif()
if(DPCURVES_SANITIZE)
  target_compile_options(dpcurves_options INTERFACE
    -fsanitize=${DPCURVES_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms of g++ 12 in instrumented code
  target_link_options(dpcurves_options INTERFACE -fsanitize=${DPCURVES_SANITIZE})
endif()
if(DPCURVES_COVERAGE)
  target_link_options(dpcurves_options INTERFACE --coverage)  # the modules alone are instrumented: DpcurvesModule
endif()

# dpcurves_light(TARGET...): code that reads tables, compares and prints. It compiles in half the time and runs as fast,
# because the work is done in lib. Builds from nothing (DPCURVES_TOGETHER) leave out more.
function(dpcurves_light)
  set(level -O1)
  if(DPCURVES_TOGETHER)
    set(level -Og)
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  endforeach()
endfunction()

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# cmake -D BUILD=... -D SOURCE=... -D WORK=... -P run.cmake: installs the build into an empty folder and builds and
# runs the consumer project against it.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix)
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/consumer)
step(${WORK}/prefix/bin/dpcurves theorem show shifted-interpolation/theorem-4.2)
foreach(file share/man/man1/dpcurves.1 share/man/man1/dpcurves-privacy.1 share/bash-completion/completions/dpcurves)
  if(NOT EXISTS ${WORK}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
step(bash -n ${WORK}/prefix/share/bash-completion/completions/dpcurves)

# The same consumer by pkg-config alone.
file(GLOB_RECURSE found ${WORK}/prefix/lib/*dpcurves.pc)
get_filename_component(folder "${found}" DIRECTORY)
step(sh -c "PKG_CONFIG_PATH=${folder} && export PKG_CONFIG_PATH && c++ -std=c++20 ${SOURCE}/main.cpp $(pkg-config --cflags dpcurves) $(pkg-config --libs dpcurves) -o ${WORK}/by-pkg-config")
step(${WORK}/by-pkg-config)

# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# `cpack -G DEB` in the build folder: dpcurves (the program), libdpcurves-dev (archives and headers) and, where the
# module is built, python3-dpcurves.
set(CPACK_PACKAGE_CONTACT "the dpcurves authors <dpcurves@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME dpcurves)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdpcurves-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libboost-dev (>= 1.74), libeigen3-dev (>= 3.4), libgsl-dev (>= 2.7), libfftw3-dev (>= 3.3), libflint-dev (>= 2.9), libflint-arb-dev, nlohmann-json3-dev (>= 3.11)")
if(DPCURVES_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dpcurves)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${Python_NEXT_MINOR}), python3-numpy")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "Theorems about differentially private SGD as functions of Python, with both ends proved.")
endif()
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Privacy budgets, risk bounds, calibration and simulation of noisy SGD from the command line, each number with the theorem it rests on.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Static libraries and headers of dpcurves, for CMake (find_package) and pkg-config.")
include(CPack)

# The version stands in the project() command alone; what must repeat it is compared with it.
foreach(check "CITATION.cff:version: ${PROJECT_VERSION}" "CHANGELOG.md:## [${PROJECT_VERSION}]")
  string(REGEX REPLACE ":.*" "" file "${check}")
  string(REGEX REPLACE "^[^:]*:" "" wanted "${check}")
  file(READ ${PROJECT_SOURCE_DIR}/${file} content)
  string(FIND "${content}" "${wanted}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${file} does not say \"${wanted}\"")
  endif()
endforeach()

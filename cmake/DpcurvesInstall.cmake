# Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#
# Installs the program with its manual and completion (component "runtime"), and the modules with their headers, a
# package that find_package(dpcurves) reads and a file for pkg-config (component "development").
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY DPCURVES_MODULES)
add_library(dpcurves_all INTERFACE)
set_target_properties(dpcurves_all PROPERTIES EXPORT_NAME dpcurves)
add_library(dpcurves::all ALIAS dpcurves_all)
target_link_libraries(dpcurves_all INTERFACE ${modules})

# dpcurves/dpcurves.hpp includes every public header; the test "install and consume" compiles it.
set(everything "// SPDX-License-Identifier: GPL-3.0-or-later\n/// \\file\n/// Every public header of dpcurves.\n#pragma once\n\n")
foreach(module ${modules})
  get_target_property(headers ${module} HEADER_SET)
  foreach(header ${headers})
    file(RELATIVE_PATH header ${DPCURVES_INCLUDE_ROOT} ${header})
    string(APPEND everything "#include <${header}>\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/dpcurves/dpcurves.hpp CONTENT "${everything}" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/include/dpcurves/dpcurves.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dpcurves COMPONENT development)

install(TARGETS dpcurves dpcurves-validate dpcurves-verify RUNTIME COMPONENT runtime)
if(TARGET dpcurves-mpi)
  install(TARGETS dpcurves-mpi RUNTIME COMPONENT mpi)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/tools/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/tools/dpcurves.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dpcurves
  COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime  # the README links to them
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.cpp" PATTERN notebooks EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/examples ${PROJECT_SOURCE_DIR}/data/schema DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

install(TARGETS ${modules} dpcurves_all EXPORT dpcurvesTargets
  ARCHIVE COMPONENT development
  FILE_SET HEADERS COMPONENT development)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dpcurves)
install(EXPORT dpcurvesTargets NAMESPACE dpcurves:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dpcurvesConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dpcurvesConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dpcurvesConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindArb.cmake ${PROJECT_BINARY_DIR}/dpcurvesConfig.cmake ${PROJECT_BINARY_DIR}/dpcurvesConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

list(TRANSFORM modules PREPEND "-l" OUTPUT_VARIABLE archives)
list(JOIN archives " " DPCURVES_ARCHIVES)
file(RELATIVE_PATH DPCURVES_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})  # relocatable
configure_file(${CMAKE_CURRENT_LIST_DIR}/dpcurves.pc.in ${PROJECT_BINARY_DIR}/dpcurves.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dpcurves.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# MLIR from Debian's packages, compile options, and the helpers every CMakeLists.txt here uses.
#
#   tilewright_add_mlir_objects(NAME source... [OPT O1] [DEPENDS target...])
#   tilewright_add_mlir_tool(NAME source... [OBJECTS object-library...] [LIBRARIES library...] [DEPENDS target...])
#   tilewright_install_library(TARGET)
#
# Everything links the two shared libraries MLIR and LLVM and nothing else of LLVM. Component
# libraries (MLIRIR, LLVMSupport, ...) next to them in one process would duplicate TypeIDs and
# command-line options.

find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

# Debian's MLIRConfig names folders of the machine that built the package.
list(GET MLIR_INCLUDE_DIRS 0 MLIR_INCLUDE_DIR)
set(MLIR_MAIN_SRC_DIR "${MLIR_INCLUDE_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wno-unused-parameter>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-fcolor-diagnostics>")

find_program(TILEWRIGHT_LLD NAMES ld.lld-19 HINTS "${LLVM_TOOLS_BINARY_DIR}")
if(TILEWRIGHT_LLD)
  add_link_options("--ld-path=${TILEWRIGHT_LLD}")
endif()

# A precompiled header is cacheable only when its time stamp is not part of it and ccache is told
# to trust its content. base_dir must stay empty: a header precompiled in one checkout names the
# files of that checkout, and must not be taken for another.
find_program(TILEWRIGHT_CCACHE ccache)
if(TILEWRIGHT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_BASEDIR=
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
    "${TILEWRIGHT_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Installed inside the Python package, so that a wheel carries them.
set(TILEWRIGHT_INSTALL_PACKAGE tilewright)
set(TILEWRIGHT_INSTALL_BIN tilewright/_native/bin)
set(TILEWRIGHT_INSTALL_LIB tilewright/_native/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;${LLVM_LIBRARY_DIR}")
set(CMAKE_BUILD_RPATH "${LLVM_LIBRARY_DIR}")

# Own headers are included from the repository root: #include "dialect/hivm/Hivm.h". Directory
# scope, because TableGen takes its -I from there.
include_directories("${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# What every target that includes LLVM or MLIR headers compiles with.
add_library(TilewrightLLVM INTERFACE)
separate_arguments(_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(TilewrightLLVM INTERFACE ${_llvm_definitions} -fno-exceptions)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(TilewrightLLVM INTERFACE -fno-rtti)
endif()

# Parsing MLIR's headers takes 9-11 s a file; one header precompiled once for all object libraries
# brings a pass file to about 4 s. One per target would cost more than it saves.
add_library(TilewrightPCH OBJECT "${CMAKE_CURRENT_LIST_DIR}/pch.cpp")
target_link_libraries(TilewrightPCH PRIVATE TilewrightLLVM)
target_precompile_headers(TilewrightPCH PRIVATE "${CMAKE_CURRENT_LIST_DIR}/pch.h")
# CMake writes the time stamp check into the header unless told not to.
target_compile_options(TilewrightPCH PRIVATE "SHELL:-Xclang -fno-pch-timestamp")

function(tilewright_add_mlir_objects name)
  cmake_parse_arguments(ARG "" "OPT" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE TilewrightLLVM)
  target_precompile_headers(${name} REUSE_FROM TilewrightPCH)
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  if(ARG_OPT)
    target_compile_options(${name} PRIVATE "-${ARG_OPT}")
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(TARGET ${name} PROPERTY TILEWRIGHT_GENERATED "${ARG_DEPENDS}")
endfunction()

function(tilewright_add_mlir_tool name)
  cmake_parse_arguments(ARG "" "OPT" "OBJECTS;LIBRARIES;DEPENDS" ${ARGN})
  # The tool's own files are an object library too: an executable compiles with -fPIE, which does
  # not match the shared precompiled header.
  set(options)
  if(ARG_OPT)
    set(options OPT ${ARG_OPT})
  endif()
  # A tool includes the headers of the objects it links, so it waits for what generates them
  # (`ninja -t missingdeps` lists what is missing here).
  set(generated ${ARG_DEPENDS})
  foreach(library ${ARG_OBJECTS})
    get_target_property(of_library ${library} TILEWRIGHT_GENERATED)
    if(of_library)
      list(APPEND generated ${of_library})
    endif()
  endforeach()
  tilewright_add_mlir_objects(${name}-objects ${ARG_UNPARSED_ARGUMENTS} ${options} DEPENDS ${generated})
  set(objects "$<TARGET_OBJECTS:${name}-objects>")
  foreach(library ${ARG_OBJECTS})
    list(APPEND objects "$<TARGET_OBJECTS:${library}>")
  endforeach()
  add_executable(${name} ${objects})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} MLIR LLVM)
  install(TARGETS ${name} RUNTIME DESTINATION ${TILEWRIGHT_INSTALL_BIN})
endfunction()

function(tilewright_install_library target)
  install(TARGETS ${target}
    LIBRARY DESTINATION ${TILEWRIGHT_INSTALL_LIB}
    RUNTIME DESTINATION ${TILEWRIGHT_INSTALL_BIN})
endfunction()

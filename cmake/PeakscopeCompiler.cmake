# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Warnings and sanitizers, as one interface target that every library and program of the project links.
add_library(peakscope_options INTERFACE)
# A switch over an enumeration names every value of it, so that the compiler finds each place that a new one needs.
target_compile_options(peakscope_options INTERFACE -Wall -Wextra -Wpedantic -Werror=switch)
if(PEAKSCOPE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Over several files at once GCC's flow analysis gives false alarms, and names of one file look like those of a header.
    # The other builds keep these warnings.
    target_compile_options(peakscope_options INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds
        -Wno-restrict -Wno-subobject-linkage)
endif()
if(PEAKSCOPE_WERROR)
    target_compile_options(peakscope_options INTERFACE -Werror)
endif()
if(PEAKSCOPE_SANITIZE)
    target_compile_options(peakscope_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
    target_link_options(peakscope_options INTERFACE -fsanitize=address,undefined)
endif()
if(PEAKSCOPE_PORTABLE)
    # One build for systems as old as glibc 2.34 and GCC 11's libstdc++, the same bits wherever it is built.
    target_compile_options(peakscope_options INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=peakscope)
    add_library(peakscope_older_symbols STATIC ${CMAKE_CURRENT_LIST_DIR}/older_symbols.c)
    set_target_properties(peakscope_older_symbols PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(peakscope_options INTERFACE peakscope_older_symbols)
    target_link_options(peakscope_options INTERFACE LINKER:--wrap=hypot
        LINKER:--wrap=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE LINKER:--build-id=none)
endif()
target_include_directories(peakscope_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(peakscope_options INTERFACE PEAKSCOPE_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A precompiled header that the compiler does not take, for one definition too many, would only cost time, unseen.
    target_compile_options(peakscope_options INTERFACE -Werror=invalid-pch)
endif()

# For targets that hand on to others what takes time: a third less to compile, and nobody waits for them.
add_library(peakscope_glue INTERFACE)
target_compile_options(peakscope_glue INTERFACE $<$<CONFIG:Release>:-O1>)

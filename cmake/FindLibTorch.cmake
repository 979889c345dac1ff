# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Finds LibTorch without its own TorchConfig.cmake, which demands a CUDA toolkit as soon as the library was built with CUDA.
#
# Looked in, in this order: PEAKSCOPE_LIBTORCH; the torch of the python3 on the path (2.x, new C++ ABI); a distribution's
# libtorch-dev if 2.x; the project's .deps folder, which packaging/run fills; a distribution's libtorch-dev 1.13.
# Gives:
#   LibTorch::LibTorch    headers, libtorch_cpu and libc10 only, and a PEAKSCOPE_TORCH_… definition for what this version has
#   LibTorch::Cuda        libtorch_cuda and libc10_cuda with the CUDA headers, where both are there (LibTorch_CUDA_FOUND)
#   LibTorch_VERSION, LibTorch_ROOT, LibTorch_SOURCE (one of: user, python, system, project)
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/LibTorchLocate.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/LibTorchFeatures.cmake)

# Folders beside a wheel's torch that hold its companions' libraries (…/nvidia/*/lib).
function(_libtorch_companion_folders out)
    file(GLOB folders LIST_DIRECTORIES true "${LibTorch_ROOT}/../nvidia/*/lib")
    set(existing)
    foreach(folder IN LISTS folders)
        get_filename_component(folder "${folder}" REALPATH)
        list(APPEND existing "${folder}")
    endforeach()
    set(${out} "${existing}" PARENT_SCOPE)
endfunction()

function(_libtorch_make_targets)
    set(includes)
    # /usr/include itself must not become a -isystem folder: it would break the standard library's include_next.
    if(NOT LibTorch_ROOT STREQUAL "/usr")
        list(APPEND includes "${LibTorch_ROOT}/include")
    endif()
    list(APPEND includes "${LibTorch_ROOT}/include/torch/csrc/api/include")

    add_library(LibTorch::C10 SHARED IMPORTED GLOBAL)
    set_target_properties(LibTorch::C10 PROPERTIES IMPORTED_LOCATION "${LibTorch_C10_LIBRARY}")
    target_include_directories(LibTorch::C10 SYSTEM INTERFACE ${includes})

    add_library(LibTorch::LibTorch SHARED IMPORTED GLOBAL)
    set_target_properties(LibTorch::LibTorch PROPERTIES IMPORTED_LOCATION "${LibTorch_LIBRARY}")
    target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE ${includes})
    target_link_libraries(LibTorch::LibTorch INTERFACE LibTorch::C10)
    # A CUDA wheel's libtorch_cpu names CUPTI and the CUDA runtime. They are beside it and found by its own run path; the
    # linker is told where to look and does not insist.
    target_link_options(LibTorch::LibTorch INTERFACE -Wl,--allow-shlib-undefined)
    _libtorch_companion_folders(companions)
    get_filename_component(library_folder "${LibTorch_LIBRARY}" DIRECTORY)
    foreach(folder IN LISTS companions)
        target_link_options(LibTorch::LibTorch INTERFACE "-Wl,-rpath-link,${folder}")
    endforeach()
    if(NOT LibTorch_ROOT STREQUAL "/usr")
        target_link_options(LibTorch::LibTorch INTERFACE "-Wl,-rpath-link,${library_folder}")
    endif()
endfunction()

# The CUDA half is optional: the libraries may have been left out of .deps, or no CUDA headers may be there.
function(_libtorch_make_cuda_target)
    set(LibTorch_CUDA_FOUND FALSE PARENT_SCOPE)
    get_filename_component(library_folder "${LibTorch_LIBRARY}" DIRECTORY)
    if(NOT EXISTS "${library_folder}/libtorch_cuda.so" OR NOT EXISTS "${library_folder}/libc10_cuda.so")
        return()
    endif()
    file(GLOB beside LIST_DIRECTORIES true "${LibTorch_ROOT}/../nvidia/*/include")
    file(GLOB toolkits LIST_DIRECTORIES true /usr/local/cuda/include /usr/local/cuda-*/include)
    # The wheels of CUDA 13 have the one header without the other that it includes.
    set(cuda_headers "")
    foreach(folder IN ITEMS ${beside} "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" ${toolkits} /usr/include)
        if(NOT cuda_headers AND EXISTS "${folder}/cuda_runtime_api.h" AND EXISTS "${folder}/crt/host_defines.h")
            set(cuda_headers "${folder}")
        endif()
    endforeach()
    if(NOT "$CACHE{LibTorch_CUDA_INCLUDE_DIR}" STREQUAL "${cuda_headers}")
        unset(PEAKSCOPE_TORCH_CUDA_WORKS CACHE)
    endif()
    set(LibTorch_CUDA_INCLUDE_DIR "${cuda_headers}" CACHE INTERNAL "The folder of cuda_runtime_api.h")
    if(NOT cuda_headers)
        return()
    endif()
    add_library(LibTorch::Cuda INTERFACE IMPORTED GLOBAL)
    if(NOT LibTorch_CUDA_INCLUDE_DIR STREQUAL "/usr/include")
        target_include_directories(LibTorch::Cuda SYSTEM INTERFACE "${LibTorch_CUDA_INCLUDE_DIR}")
    endif()
    # libtorch_cuda registers its kernels when it is loaded, so it stays linked although no symbol of it may be used.
    target_link_libraries(LibTorch::Cuda INTERFACE LibTorch::LibTorch
        "-Wl,--push-state,--no-as-needed" "${library_folder}/libtorch_cuda.so" "${library_folder}/libc10_cuda.so"
        "-Wl,--pop-state")
    target_link_options(LibTorch::Cuda INTERFACE -Wl,--allow-shlib-undefined)
    libtorch_check_cuda(cuda_works)
    set(LibTorch_CUDA_FOUND ${cuda_works} PARENT_SCOPE)
endfunction()

libtorch_locate(1.13)
if(PEAKSCOPE_LIBTORCH AND NOT LibTorch_ROOT)
    message(FATAL_ERROR "PEAKSCOPE_LIBTORCH=${PEAKSCOPE_LIBTORCH} is no usable LibTorch:${LibTorch_TRIED}\n"
        "It should be a folder with include/ and lib/ of LibTorch 2.x with the new C++ ABI.")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_LIBRARY LibTorch_C10_LIBRARY VERSION_VAR LibTorch_VERSION
    REASON_FAILURE_MESSAGE "Looked in:${LibTorch_TRIED}\nRun packaging/run, or give a folder with -DPEAKSCOPE_LIBTORCH=PATH.")

if(LibTorch_FOUND)
    _libtorch_make_targets()
    libtorch_check_features()
    _libtorch_make_cuda_target()
    message(STATUS "LibTorch ${LibTorch_VERSION} (${LibTorch_SOURCE}): ${LibTorch_ROOT}, CUDA module: ${LibTorch_CUDA_FOUND}")
endif()

# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
# What differs between LibTorch versions, found by compiling it. A current version answers everything with one program; only an
# older one is asked each question alone. Answers are kept in the cache until another LibTorch is used.
set(_libtorch_probe_allocator [[
#include <c10/core/Allocator.h>
struct Probe final : c10::Allocator {
    c10::DataPtr allocate(size_t) override { return {}; }
    void copy_data(void* to, const void* from, std::size_t n) const override { default_copy_data(to, from, n); }
};
c10::Allocator* probeAllocator() { static Probe probe; return &probe; }
]])
set(_libtorch_probe_sdpa [[
#include <ATen/core/Tensor.h>
#include <ATen/ops/scaled_dot_product_attention.h>
at::Tensor probeAttention(const at::Tensor& q) { return at::scaled_dot_product_attention(q, q, q, {}, 0.0, true); }
]])
set(_libtorch_probe_autocast [[
#include <ATen/autocast_mode.h>
void probeAutocast() { at::autocast::set_autocast_enabled(at::kCPU, false); }
]])
# Runs a kernel, so that a library whose companions are missing is found out here and not in the user's first run.
set(_libtorch_probe_run [[
#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>
#include <string>
int main() {
    TORCH_CHECK(true, std::string("linked with the same strings"));
    return at::ones({3}).sum().item<double>() == 3.0 ? 0 : 1;
}
]])
set(_libtorch_probe_cuda [[
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
void* probeCuda() { return c10::cuda::CUDACachingAllocator::get(); }
int main() { return 0; }
]])

# Compiles SOURCE as a library that nobody links; OUT is a cached result.
function(_libtorch_compiles out source target)
    if(NOT DEFINED CACHE{${out}})
        string(MD5 hash "${source}")
        set(file "${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_${hash}.cpp")
        file(WRITE "${file}" "${source}")
        set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
        try_compile(compiled "${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_${hash}" "${file}" LINK_LIBRARIES ${target}
            CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON OUTPUT_VARIABLE log)
        set(${out} ${compiled} CACHE INTERNAL "LibTorch feature")
        unset(compiled CACHE)
        file(APPEND "${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_checks.log" "== ${out}: ${compiled}\n${log}\n")
    endif()
endfunction()

# Builds and starts SOURCE; OUT is a cached result, OUT_LOG what the compiler, linker or loader said.
function(_libtorch_runs out source)
    string(MD5 hash "${source}")
    set(file "${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_${hash}.cpp")
    file(WRITE "${file}" "${source}")
    try_run(status compiled "${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_${hash}" "${file}" LINK_LIBRARIES LibTorch::LibTorch
        CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON COMPILE_OUTPUT_VARIABLE compile_log RUN_OUTPUT_VARIABLE run_log)
    set(result FALSE)
    if(compiled AND status EQUAL 0)
        set(result TRUE)
    endif()
    unset(compiled CACHE)
    unset(status CACHE)
    file(APPEND "${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_checks.log" "== ${out}: ${result}\n${compile_log}\n${run_log}\n")
    set(${out} ${result} PARENT_SCOPE)
    string(REGEX MATCH "[^\n]*error:[^\n]*" reason "${compile_log}")
    if(reason STREQUAL "")
        string(STRIP "${run_log}" reason)
    endif()
    set(${out}_LOG "${reason}" PARENT_SCOPE)
endfunction()

function(libtorch_check_features)
    file(TIMESTAMP "${LibTorch_LIBRARY}" stamp UTC)
    set(identity "${LibTorch_LIBRARY} ${LibTorch_VERSION} ${stamp} ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION}")
    if(NOT "$CACHE{PEAKSCOPE_TORCH_IDENTITY}" STREQUAL "${identity}")
        foreach(name HAS_SDPA ALLOCATOR_COPY_DATA AUTOCAST_DEVICE WORKS CUDA_WORKS)
            unset(PEAKSCOPE_TORCH_${name} CACHE)
        endforeach()
        message(STATUS "Looking at what LibTorch ${LibTorch_VERSION} has")
        _libtorch_runs(all "${_libtorch_probe_allocator}${_libtorch_probe_sdpa}${_libtorch_probe_autocast}${_libtorch_probe_run}")
        if(all)
            foreach(name HAS_SDPA ALLOCATOR_COPY_DATA AUTOCAST_DEVICE)
                set(PEAKSCOPE_TORCH_${name} TRUE CACHE INTERNAL "LibTorch feature")
            endforeach()
        else()
            _libtorch_runs(works "${_libtorch_probe_run}")
            if(NOT works)
                message(FATAL_ERROR "LibTorch ${LibTorch_VERSION} in ${LibTorch_ROOT} does not compile, link or start "
                    "with ${CMAKE_CXX_COMPILER}: ${works_LOG}\n"
                    "See ${CMAKE_BINARY_DIR}/CMakeFiles/libtorch_checks.log, or give another with -DPEAKSCOPE_LIBTORCH=PATH, or "
                    "another compiler with CXX.")
            endif()
            _libtorch_compiles(PEAKSCOPE_TORCH_ALLOCATOR_COPY_DATA "${_libtorch_probe_allocator}" LibTorch::C10)
            _libtorch_compiles(PEAKSCOPE_TORCH_HAS_SDPA "${_libtorch_probe_sdpa}" LibTorch::LibTorch)
            _libtorch_compiles(PEAKSCOPE_TORCH_AUTOCAST_DEVICE "${_libtorch_probe_autocast}" LibTorch::LibTorch)
        endif()
        set(PEAKSCOPE_TORCH_IDENTITY "${identity}" CACHE INTERNAL "The LibTorch that the cached features belong to")
    endif()
    foreach(name HAS_SDPA ALLOCATOR_COPY_DATA AUTOCAST_DEVICE)
        # Said either way: core/engine/device/torch_compat.h takes a missing word for a recent LibTorch.
        set(value 0)
        if(PEAKSCOPE_TORCH_${name})
            set(value 1)
        endif()
        target_compile_definitions(LibTorch::LibTorch INTERFACE PEAKSCOPE_TORCH_${name}=${value})
    endforeach()
endfunction()

function(libtorch_check_cuda out)
    _libtorch_compiles(PEAKSCOPE_TORCH_CUDA_WORKS "${_libtorch_probe_cuda}" LibTorch::Cuda)
    set(${out} ${PEAKSCOPE_TORCH_CUDA_WORKS} PARENT_SCOPE)
endfunction()

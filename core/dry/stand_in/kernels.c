/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels are known and do nothing. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "runtime_abi.h"

#include <string.h>

void *new_handle(void)
{
    static uint64_t last = 0x1000;
    return (void *)(uintptr_t)__sync_add_and_fetch(&last, 16);
}

/* ---- registered by libraries as they are loaded */

EXPORT void **__cudaRegisterFatBinary(UNUSED void *code)
{
    static void *handle[4];
    return handle;
}
EXPORT void __cudaRegisterFatBinaryEnd(void) {}
EXPORT void __cudaUnregisterFatBinary(void) {}
EXPORT void __cudaRegisterFunction(void) {}
EXPORT void __cudaRegisterVar(void) {}

/* What is pushed before a launch is popped by the kernel's own stub. */
static __thread struct {
    struct extent grid, block;
    size_t shared_bytes;
    void *stream;
} pushed[16];
static __thread unsigned depth;

EXPORT unsigned __cudaPushCallConfiguration(struct extent grid, struct extent block, size_t shared_bytes, void *stream)
{
    if (depth < 16) {
        pushed[depth].grid = grid;
        pushed[depth].block = block;
        pushed[depth].shared_bytes = shared_bytes;
        pushed[depth].stream = stream;
    }
    ++depth;
    return 0;
}
EXPORT int __cudaPopCallConfiguration(struct extent *grid, struct extent *block, size_t *shared_bytes, void **stream)
{
    if (depth > 0)
        --depth;
    if (depth < 16) {
        *grid = pushed[depth].grid;
        *block = pushed[depth].block;
        *shared_bytes = pushed[depth].shared_bytes;
        *stream = pushed[depth].stream;
    }
    return OK;
}
EXPORT int __cudaGetKernel(void **kernel, const void *function)
{
    *kernel = (void *)(uintptr_t)function;
    return OK;
}
EXPORT int __cudaLaunchKernel(void) { return launched(); }
EXPORT int cudaLaunchKernel(void) { return launched(); }
EXPORT int cudaLaunchCooperativeKernel(void) { return launched(); }
EXPORT int cudaLaunchKernelExC(void) { return launched(); }
EXPORT int cudaLaunchHostFunc(UNUSED void *stream, void (*function)(void *), void *data)
{
    function(data);
    return OK;
}
EXPORT int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data, UNUSED unsigned flags)
{
    function(stream, OK, data);
    return OK;
}

/* CUB takes only architectures that it was built for. */
EXPORT int cudaFuncGetAttributes(struct function_attributes *attributes, UNUSED const void *function)
{
    memset(attributes, 0, sizeof *attributes);
    attributes->registers = 32;
    attributes->most_threads = 1024;
    attributes->ptx_version = attributes->binary_version = (int)card.built;
    attributes->most_dynamic_shared = 49152;
    return OK;
}

static int blocks_at_once(int threads, size_t shared_bytes)
{
    long long most = threads > 0 ? card.threads_sm / threads : 32;
    if (shared_bytes && card.shared_sm / (long long)(shared_bytes + 1024) < most)
        most = card.shared_sm / (long long)(shared_bytes + 1024);
    return most < 1 ? 1 : most > 32 ? 32 : (int)most;
}
EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, UNUSED const void *function, int threads,
                                                         size_t shared_bytes)
{
    *blocks = blocks_at_once(threads, shared_bytes);
    return OK;
}
EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, UNUSED const void *function, int threads,
                                                                  size_t shared_bytes, UNUSED unsigned flags)
{
    *blocks = blocks_at_once(threads, shared_bytes);
    return OK;
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, UNUSED void *function, int threads, size_t shared_bytes)
{
    *blocks = blocks_at_once(threads, shared_bytes);
    return OK;
}
EXPORT int cuOccupancyMaxActiveClusters(int *clusters, UNUSED void *function, UNUSED const void *config)
{
    *clusters = (int)card.sms / 2;
    return OK;
}

/* ---- kernels that are loaded at run time: cubin.c */

EXPORT int cuModuleGetGlobal_v2(void **address, size_t *bytes)
{
    if (bytes)
        *bytes = 8;
    pthread_mutex_lock(&account_lock);
    if (address)
        *address = address_range(4096, 512);
    pthread_mutex_unlock(&account_lock);
    return OK;
}
EXPORT int cuFuncSetAttribute(UNUSED void *function, int attribute, UNUSED int value)
{
    return attribute == 17 ? BAD_VALUE : OK;
}
EXPORT int cuFuncSetCacheConfig(void) { return OK; }
EXPORT int cuLaunchKernel(void) { return launched(); }
EXPORT int cuLaunchCooperativeKernel(void) { return launched(); }
EXPORT int cuLaunchKernelEx(void) { return launched(); }

/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels are known and do nothing; streams, events and captures are in order. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "report.h"
#include "runtime_abi.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void *new_handle(void)
{
    static uint64_t last = 0x1000;
    return (void *)(uintptr_t)__sync_add_and_fetch(&last, 16);
}

static int launched(void)
{
    __sync_fetch_and_add(&counts.launches, 1);
    return OK;
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

/* ---- kernels that are loaded at run time (Triton, run-time compilation) */

static int load_module(void **module)
{
    *module = new_handle();
    return OK;
}
EXPORT int cuModuleLoadData(void **module, UNUSED const void *image) { return load_module(module); }
EXPORT int cuModuleLoadDataEx(void **module) { return load_module(module); }
EXPORT int cuModuleLoad(void **module, UNUSED const char *path) { return load_module(module); }
EXPORT int cuModuleUnload(UNUSED void *module) { return OK; }
EXPORT int cuModuleGetFunction(void **function, UNUSED void *module, UNUSED const char *name) { return load_module(function); }
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
EXPORT int cuFuncGetAttribute(int *value, int attribute, UNUSED void *function)
{
    switch (attribute) {
    case 0: /* threads of a block */
        *value = 1024;
        break;
    case 4: /* registers */
        *value = 64;
        break;
    case 5: /* of PTX, of the code */
    case 6:
        *value = (int)(card.major * 10 + card.minor);
        break;
    default: /* spilled bytes, shared and constant memory */
        *value = 0;
    }
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

/* ---- streams, events, captures */

static int new_stream(void **stream)
{
    *stream = new_handle();
    return OK;
}
EXPORT int cudaStreamCreate(void **stream) { return new_stream(stream); }
EXPORT int cudaStreamCreateWithFlags(void **stream, UNUSED unsigned flags) { return new_stream(stream); }
EXPORT int cudaStreamCreateWithPriority(void **stream, UNUSED unsigned flags, UNUSED int priority) { return new_stream(stream); }
EXPORT int cudaStreamDestroy(UNUSED void *stream) { return OK; }
EXPORT int cudaStreamSynchronize(UNUSED void *stream) { return OK; }
EXPORT int cuStreamSynchronize(UNUSED void *stream) { return OK; }
EXPORT int cudaStreamGetPriority(UNUSED void *stream, int *priority)
{
    *priority = 0;
    return OK;
}

enum { CAPTURE_NONE = 0, CAPTURE_ACTIVE = 1 };
static void *captured; /* the stream that is being captured */
static int capturing;
static unsigned long long capture_number;

EXPORT int cudaStreamBeginCapture(void *stream, UNUSED int mode)
{
    captured = stream;
    capturing = 1;
    ++capture_number;
    return OK;
}
EXPORT int cudaStreamEndCapture(UNUSED void *stream, void **graph)
{
    capturing = 0;
    *graph = new_handle();
    return OK;
}
static int capture_state(void *stream) { return capturing && stream == captured ? CAPTURE_ACTIVE : CAPTURE_NONE; }
EXPORT int cudaStreamIsCapturing(void *stream, int *state)
{
    *state = capture_state(stream);
    return OK;
}
EXPORT int cuStreamIsCapturing(void *stream, int *state) { return cudaStreamIsCapturing(stream, state); }
static int capture_info(void *stream, int *state, unsigned long long *number, void **graph)
{
    *state = capture_state(stream);
    if (number)
        *number = *state ? capture_number : 0;
    if (graph)
        *graph = NULL;
    return OK;
}
#if CUDA_MAJOR >= 13
EXPORT int cudaStreamGetCaptureInfo(void *stream, int *state, unsigned long long *number, void **graph, const void **nodes,
                                    const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
#else
EXPORT int cudaStreamGetCaptureInfo_v2(void *stream, int *state, unsigned long long *number, void **graph,
                                       const void **nodes, size_t *count)
{
#endif
    if (nodes)
        *nodes = NULL;
    if (count)
        *count = 0;
    return capture_info(stream, state, number, graph);
}
EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode)
{
    *mode = 0;
    return OK;
}
EXPORT int cudaGraphGetNodes(UNUSED void *graph, UNUSED void **nodes, size_t *count)
{
    *count = 1;
    return OK;
}
EXPORT int cudaGraphInstantiate(void **executable)
{
    *executable = new_handle();
    return OK;
}
EXPORT int cudaGraphInstantiateWithFlags(void **executable) { return cudaGraphInstantiate(executable); }
EXPORT int cudaGraphLaunch(void) { return launched(); }

struct event {
    struct timespec at;
};
EXPORT int cudaEventRecord(struct event *event, UNUSED void *stream)
{
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return OK;
}
EXPORT int cudaEventRecordWithFlags(struct event *event, void *stream, UNUSED unsigned flags)
{
    return cudaEventRecord(event, stream);
}
EXPORT int cudaEventCreateWithFlags(struct event **event, UNUSED unsigned flags)
{
    *event = calloc(1, sizeof **event);
    return *event ? cudaEventRecord(*event, NULL) : set_error(NO_MEMORY);
}
EXPORT int cudaEventCreate(struct event **event) { return cudaEventCreateWithFlags(event, 0); }
EXPORT int cudaEventDestroy(struct event *event)
{
    free(event);
    return OK;
}
/* The host's time between the two: no time of a card. */
EXPORT int cudaEventElapsedTime(float *milliseconds, const struct event *from, const struct event *to)
{
    *milliseconds = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 + (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return OK;
}
EXPORT int cudaEventElapsedTime_v2(float *milliseconds, const struct event *from, const struct event *to)
{
    return cudaEventElapsedTime(milliseconds, from, to);
}

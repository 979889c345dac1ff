/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the card says of itself, by the runtime, the driver and NVML. What does not depend on the card was read off an H100. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "runtime_abi.h"

#include <stdio.h>
#include <string.h>

const char *cudaGetErrorString(int error);

enum { SHARED_BLOCK = 49152, REGISTERS = 65536, THREADS_BLOCK = 1024, WARP = 32, BLOCKS_SM = 32, CONSTANT = 65536 };

static __thread int current_device;
static int touched; /* whether there is a context */

EXPORT int cudaGetDeviceCount(int *count)
{
    *count = (int)card.devices;
    return OK;
}
EXPORT int cudaGetDevice(int *device)
{
    *device = current_device;
    return OK;
}
EXPORT int cudaSetDevice(int device)
{
    if (device < 0 || device >= card.devices)
        return set_error(101); /* cudaErrorInvalidDevice */
    current_device = device;
    touched = 1;
    return OK;
}
EXPORT int cudaDriverGetVersion(int *version)
{
    *version = (int)card.runtime;
    return OK;
}
EXPORT int cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }
EXPORT int cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
    snprintf(text, (size_t)bytes, "0000:%02x:00.0", device + 1);
    return OK;
}
EXPORT int cudaDeviceCanAccessPeer(int *can, UNUSED int a, UNUSED int b)
{
    *can = 0;
    return OK;
}
EXPORT int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return OK;
}

static void put_int(char *properties, size_t place, long long value)
{
    const int narrow = (int)value;
    memcpy(properties + place, &narrow, sizeof narrow);
}
static void put_size(char *properties, size_t place, long long value) { memcpy(properties + place, &value, sizeof value); }

static int properties_of(char *to, int device)
{
    memset(to, 0, DEVICE_PROPERTIES_BYTES);
    snprintf(to + PROPERTY_NAME, 256, "%s", card.name);
    put_size(to, PROPERTY_TOTAL_BYTES, card.bytes);
    put_size(to, PROPERTY_SHARED_BLOCK, SHARED_BLOCK);
    put_size(to, PROPERTY_PITCH, 2147483647);
    put_size(to, PROPERTY_CONSTANT, CONSTANT);
    put_size(to, PROPERTY_TEXTURE_ALIGNMENT, 512);
    put_size(to, PROPERTY_TEXTURE_PITCH, 32);
    put_size(to, PROPERTY_SHARED_SM, card.shared_sm);
    put_size(to, PROPERTY_SHARED_OPTIN, card.shared_block);
    put_size(to, PROPERTY_SHARED_RESERVED, 1024);
    const struct {
        size_t place;
        long long value;
    } ints[] = {
        {PROPERTY_REGISTERS_BLOCK, REGISTERS},
        {PROPERTY_WARP, WARP},
        {PROPERTY_THREADS_BLOCK, THREADS_BLOCK},
        {PROPERTY_BLOCK_DIM, 1024},
        {PROPERTY_BLOCK_DIM + 4, 1024},
        {PROPERTY_BLOCK_DIM + 8, 64},
        {PROPERTY_GRID_DIM, 2147483647},
        {PROPERTY_GRID_DIM + 4, 65535},
        {PROPERTY_GRID_DIM + 8, 65535},
        {PROPERTY_MAJOR, card.major},
        {PROPERTY_MINOR, card.minor},
        {PROPERTY_SMS, card.sms},
        {PROPERTY_MAP_HOST, 1},
        {PROPERTY_CONCURRENT, 1},
        {PROPERTY_BUS_ID, device + 1},
        {PROPERTY_COPY_ENGINES, 3},
        {PROPERTY_UNIFIED, 1},
        {PROPERTY_BUS_WIDTH, card.bus},
        {PROPERTY_L2, card.l2},
        {PROPERTY_PERSISTING_L2, card.l2 / 8 * 5},
        {PROPERTY_THREADS_SM, card.threads_sm},
        {PROPERTY_PRIORITIES, 1},
        {PROPERTY_GLOBAL_L1, 1},
        {PROPERTY_LOCAL_L1, 1},
        {PROPERTY_REGISTERS_SM, REGISTERS},
        {PROPERTY_MANAGED, 1},
        {PROPERTY_CONCURRENT_MANAGED, 1},
        {PROPERTY_COOPERATIVE, 1},
        {PROPERTY_BLOCKS_SM, BLOCKS_SM},
        {PROPERTY_POOLS, 1},
    };
    for (size_t i = 0; i < sizeof ints / sizeof *ints; ++i)
        put_int(to, ints[i].place, ints[i].value);
#if CUDA_MAJOR < 13
    put_int(to, 348, card.clock);
    put_int(to, 608, card.memory_clock);
#endif
    return OK;
}
EXPORT int cudaGetDeviceProperties(char *to, int device) { return properties_of(to, device); }
EXPORT int cudaGetDeviceProperties_v2(char *to, int device) { return properties_of(to, device); }

/* cudaDeviceAttr and CUdevice_attribute have the same numbers. */
static int attribute(int number)
{
    switch (number) {
    case 1: /* threads of a block, and along x and y */
    case 2:
    case 3:
        return THREADS_BLOCK;
    case 4: /* along z */
        return 64;
    case 5: /* blocks of a grid along x */
        return 2147483647;
    case 6: /* along y and z */
    case 7:
        return 65535;
    case 8: /* shared memory of a block */
        return SHARED_BLOCK;
    case 9: /* constant memory */
        return CONSTANT;
    case 10: /* threads of a warp */
        return WARP;
    case 11: /* pitch */
        return 2147483647;
    case 12: /* registers of a block, of a multiprocessor */
    case 82:
        return REGISTERS;
    case 13: /* clocks, kHz */
        return (int)card.clock;
    case 36:
        return (int)card.memory_clock;
    case 14: /* alignment of textures */
        return 512;
    case 16: /* multiprocessors */
        return (int)card.sms;
    case 37: /* bus, bits */
        return (int)card.bus;
    case 38: /* L2 */
        return (int)card.l2;
    case 39: /* threads of a multiprocessor */
        return (int)card.threads_sm;
    case 40: /* engines that copy */
        return 3;
    case 75: /* compute capability */
        return (int)card.major;
    case 76:
        return (int)card.minor;
    case 81: /* shared memory of a multiprocessor, of a block that asks for more */
        return (int)card.shared_sm;
    case 97:
        return (int)card.shared_block;
    case 106: /* blocks of a multiprocessor */
        return BLOCKS_SM;
    case 111: /* shared memory kept for the system */
        return 1024;
    case 15:  /* copies beside kernels */
    case 19:  /* maps the host's memory */
    case 31:  /* several kernels at once */
    case 41:  /* one space of addresses */
    case 78:  /* priorities of streams */
    case 79:  /* caches in L1 */
    case 80:
    case 83:  /* managed memory, also beside the host */
    case 89:
    case 95:  /* cooperative launches */
    case 102: /* virtual memory, and its handles as file descriptors */
    case 103:
    case 115: /* pools */
        return 1;
    default:
        return 0;
    }
}
EXPORT int cudaDeviceGetAttribute(int *value, int number, UNUSED int device)
{
    *value = attribute(number);
    return OK;
}

/* ---- the driver's view */

static char context; /* its address is the one there is */

EXPORT int cuInit(UNUSED unsigned flags) { return OK; }
EXPORT int cuDriverGetVersion(int *version) { return cudaDriverGetVersion(version); }
EXPORT int cuDeviceGetCount(int *count) { return cudaGetDeviceCount(count); }
EXPORT int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal < card.devices ? OK : 101;
}
EXPORT int cuDeviceGetAttribute(int *value, int number, int device) { return cudaDeviceGetAttribute(value, number, device); }
EXPORT int cuDeviceGetName(char *text, int bytes, UNUSED int device)
{
    snprintf(text, (size_t)bytes, "%s", card.name);
    return OK;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, UNUSED int device)
{
    *bytes = (size_t)card.bytes;
    return OK;
}
EXPORT int cuDevicePrimaryCtxGetState(UNUSED int device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = touched;
    return OK;
}
EXPORT int cuDevicePrimaryCtxRetain(void **to, UNUSED int device)
{
    *to = &context;
    touched = 1;
    return OK;
}
EXPORT int cuCtxGetCurrent(void **to)
{
    *to = touched ? &context : NULL;
    return OK;
}
EXPORT int cuCtxGetDevice(int *device) { return cudaGetDevice(device); }
EXPORT int cuCtxSetCurrent(UNUSED void *to) { return OK; }
EXPORT int cuCtxPushCurrent(UNUSED void *to) { return OK; }
EXPORT int cuCtxPushCurrent_v2(UNUSED void *to) { return OK; }
EXPORT int cuCtxPopCurrent(void **to)
{
    if (to)
        *to = &context;
    return OK;
}
EXPORT int cuCtxPopCurrent_v2(void **to) { return cuCtxPopCurrent(to); }
EXPORT int cuCtxSynchronize(void) { return OK; }
EXPORT int cuCtxGetLimit(size_t *value, UNUSED int limit)
{
    *value = 1 << 20;
    return OK;
}
EXPORT int cuCtxSetLimit(UNUSED int limit, UNUSED size_t value) { return OK; }
EXPORT int cuStreamGetCtx(UNUSED void *stream, void **to)
{
    *to = &context;
    return OK;
}
EXPORT int cuGetErrorString(int error, const char **text)
{
    *text = cudaGetErrorString(error);
    return OK;
}
EXPORT int cuGetErrorName(int error, const char **text)
{
    *text = error ? "CUDA_ERROR_UNKNOWN" : "CUDA_SUCCESS";
    return OK;
}

/* ---- NVML: there, and knows of no links */

EXPORT int nvmlInit_v2(void) { return 0; }
EXPORT int nvmlShutdown(void) { return 0; }
EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = (unsigned)card.devices;
    return 0;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(UNUSED unsigned index, void **device)
{
    *device = &context;
    return 0;
}
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(UNUSED const char *id, void **device)
{
    *device = &context;
    return 0;
}
EXPORT int nvmlDeviceGetNvLinkRemoteDeviceType(void) { return 3; }
EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(void) { return 3; }
EXPORT int nvmlDeviceGetGpuFabricInfoV(void) { return 3; }
EXPORT int nvmlDeviceGetComputeRunningProcesses(UNUSED void *device, unsigned *count, UNUSED void *list)
{
    *count = 0;
    return 0;
}
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version) { return cudaDriverGetVersion(version); }

/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The driver's memory calls (virtual memory: expandable segments), and how its functions are found by name. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "runtime_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((size_t)2 << 20)

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemGetInfo(size_t *free_bytes, size_t *total);

EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) { return cudaMemGetInfo(free_bytes, total); }
EXPORT int cuMemAlloc_v2(void **address, size_t bytes) { return cudaMalloc(address, bytes); }
EXPORT int cuMemFree_v2(void *address) { return cudaFree(address); }
EXPORT int cuMemsetD32Async(void) { return OK; }
EXPORT int cuMemsetD8Async(void) { return OK; }
EXPORT int cuStreamWriteValue32(void) { return OK; }
EXPORT int cuStreamWriteValue32_v2(void) { return OK; }
EXPORT int cuMemGetAddressRange_v2(void **base, size_t *bytes, void *address)
{
    if (base)
        *base = address;
    if (bytes)
        *bytes = 0;
    return OK;
}
/* Triton asks whether a pointer is the card's: its own address, or an error. */
EXPORT int cuPointerGetAttribute(void *value, UNUSED int attribute, void *address)
{
    if (!is_of_card(address))
        return BAD_VALUE;
    memcpy(value, &address, sizeof address);
    return OK;
}

/* ---- addresses first, memory behind them later */

EXPORT int cuMemGetAllocationGranularity(size_t *bytes, UNUSED const void *properties, UNUSED int flags)
{
    *bytes = PAGE;
    return OK;
}
EXPORT int cuMemAddressReserve(void **address, size_t bytes, size_t align)
{
    pthread_mutex_lock(&account_lock);
    *address = address_range(bytes, align > PAGE ? align : PAGE);
    pthread_mutex_unlock(&account_lock);
    return *address ? OK : NO_MEMORY;
}
EXPORT int cuMemAddressFree(void *address, size_t bytes)
{
    if (!is_of_card(address))
        return BAD_VALUE;
    pthread_mutex_lock(&account_lock);
    give_range(address, bytes);
    pthread_mutex_unlock(&account_lock);
    return OK;
}

struct physical {
    size_t bytes;
};
EXPORT int cuMemCreate(struct physical **handle, size_t bytes)
{
    struct physical *made = malloc(sizeof *made);
    pthread_mutex_lock(&account_lock);
    const int taken = made && take_bytes(bytes);
    pthread_mutex_unlock(&account_lock);
    if (!taken) {
        free(made);
        return NO_MEMORY;
    }
    made->bytes = bytes;
    *handle = made;
    return OK;
}
EXPORT int cuMemRelease(struct physical *handle)
{
    pthread_mutex_lock(&account_lock);
    give_bytes(handle->bytes);
    pthread_mutex_unlock(&account_lock);
    free(handle);
    return OK;
}
EXPORT int cuMemMap(void) { return OK; }
EXPORT int cuMemUnmap(void) { return OK; }
EXPORT int cuMemSetAccess(void) { return OK; }
EXPORT int cuMemExportToShareableHandle(void) { return NOT_SUPPORTED; }
EXPORT int cuMemImportFromShareableHandle(void) { return NOT_SUPPORTED; }
EXPORT int cuMulticastAddDevice(void) { return NOT_SUPPORTED; }
EXPORT int cuMulticastBindMem(void) { return NOT_SUPPORTED; }
EXPORT int cuMulticastCreate(void) { return NOT_SUPPORTED; }
EXPORT int cuMulticastUnbind(void) { return NOT_SUPPORTED; }

/* ---- functions by name */

static int absent(void) { return NOT_SUPPORTED; }

static void *function_named(const char *name)
{
    char versioned[256];
    void *function = dlsym(RTLD_DEFAULT, name);
    for (int version = 3; !function && version > 1; --version) {
        snprintf(versioned, sizeof versioned, "%s_v%d", name, version);
        function = dlsym(RTLD_DEFAULT, versioned);
    }
    return function;
}
static int entry_point(const char *name, void **function, int *found)
{
    *function = function_named(name);
    if (!*function)
        *function = (void *)(uintptr_t)absent;
    if (found)
        *found = 0; /* cudaDriverEntryPointSuccess */
    return OK;
}
EXPORT int cudaGetDriverEntryPointByVersion(const char *name, void **function, UNUSED unsigned version,
                                            UNUSED unsigned long long flags, int *found)
{
    return entry_point(name, function, found);
}
EXPORT int cudaGetDriverEntryPoint(const char *name, void **function, UNUSED unsigned long long flags, int *found)
{
    return entry_point(name, function, found);
}
EXPORT int cuGetProcAddress_v2(const char *name, void **function, UNUSED int version, UNUSED uint64_t flags, int *found)
{
    *function = function_named(name);
    if (found)
        *found = *function ? 0 : 1;
    return *function ? OK : NOT_FOUND;
}

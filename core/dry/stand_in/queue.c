/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams, events and captures. Launches are one queue in their order, whatever their stream; the card may run behind it. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "report.h"
#include "runtime_abi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- how far the card has come */

static uint64_t done;                 /* launches that the host has waited for */
static volatile uint64_t last_launch; /* when, in nanoseconds; kept only for a card that runs behind */
enum { IDLE = 300000000 };            /* nanoseconds without a launch after which it has caught up */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int launched(void)
{
    if (card.behind)
        last_launch = nanoseconds();
    __sync_fetch_and_add(&counts.launches, 1);
    return OK;
}

/* What a watch takes for progress. */
EXPORT unsigned long long peakscope_launches(void) { return counts.launches; }

static void reach(uint64_t launch)
{
    if (launch > done)
        done = launch;
}
void host_waits(void) { reach(counts.launches); }

static int pending(uint64_t launch)
{
    if (!card.behind || launch <= done)
        return 0;
    if (card.behind > 0 && launch + (uint64_t)card.behind <= counts.launches)
        return 0;
    if (nanoseconds() - last_launch <= IDLE)
        return 1;
    host_waits();
    return 0;
}
enum { NOT_READY = 600 };

EXPORT int cudaDeviceSynchronize(void)
{
    host_waits();
    return OK;
}

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
EXPORT int cudaStreamSynchronize(UNUSED void *stream) { return cudaDeviceSynchronize(); }
EXPORT int cuStreamSynchronize(UNUSED void *stream) { return cudaDeviceSynchronize(); }
EXPORT int cudaStreamQuery(UNUSED void *stream) { return pending(counts.launches) ? NOT_READY : OK; }
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
    uint64_t at;     /* nanoseconds */
    uint64_t launch; /* up to which the queue was filled; 0: it was never recorded */
};
EXPORT int cudaEventRecord(struct event *event, UNUSED void *stream)
{
    event->at = nanoseconds();
    launched();
    event->launch = counts.launches;
    return OK;
}
/* The allocator asks before it hands out again what another stream used: the answer decides what is reserved. */
static int is_allocator(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libc10_cuda");
}
EXPORT int cudaEventQuery(const struct event *event)
{
    if (!pending(event->launch))
        return OK;
    if (is_allocator(__builtin_return_address(0)))
        __sync_fetch_and_add(&counts.not_ready, 1);
    return NOT_READY;
}
EXPORT int cudaEventSynchronize(const struct event *event)
{
    reach(event->launch);
    return OK;
}
EXPORT int cudaEventRecordWithFlags(struct event *event, void *stream, UNUSED unsigned flags)
{
    return cudaEventRecord(event, stream);
}
EXPORT int cudaEventCreateWithFlags(struct event **event, UNUSED unsigned flags)
{
    *event = calloc(1, sizeof **event);
    if (!*event)
        return set_error(NO_MEMORY);
    (*event)->at = nanoseconds();
    return OK;
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
    *milliseconds = (float)((double)(int64_t)(to->at - from->at) * 1e-6);
    return OK;
}
EXPORT int cudaEventElapsedTime_v2(float *milliseconds, const struct event *from, const struct event *to)
{
    return cudaEventElapsedTime(milliseconds, from, to);
}

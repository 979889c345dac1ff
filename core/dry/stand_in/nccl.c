/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NCCL without peers: communicators have their size and rank, collectives are launched and end. What small tensors hold
 * afterwards, the recorder knows. Signatures: nccl.h of NCCL 2.21 to 2.30. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "report.h"

#include <stdlib.h>
#include <string.h>

struct communicator {
    int size, rank;
};
struct unique_id { /* passed by value */
    char bytes[128];
};

/* A split of a communicator is not told how many take part: who makes the group says it before, on this thread. */
static __thread int next_size;
EXPORT void peakscope_group_size(int size) { next_size = size; }

static uint64_t alive;
static int new_communicator(struct communicator **made, int size, int rank)
{
    *made = calloc(1, sizeof **made);
    if (!*made)
        return 2; /* ncclSystemError */
    **made = (struct communicator){size, rank};
    pthread_mutex_lock(&account_lock);
    if (++alive > counts.communicators)
        counts.communicators = alive;
    pthread_mutex_unlock(&account_lock);
    return 0;
}
static int end_communicator(struct communicator *communicator)
{
    if (communicator) {
        pthread_mutex_lock(&account_lock);
        --alive;
        pthread_mutex_unlock(&account_lock);
    }
    free(communicator);
    return 0;
}

EXPORT int ncclGetVersion(int *version)
{
    *version = (int)card.nccl;
    return 0;
}
EXPORT const char *ncclGetErrorString(int error) { return error ? "an error of the stand-in of NCCL" : "no error"; }
EXPORT const char *ncclGetLastError(UNUSED void *communicator) { return ""; }
EXPORT int ncclGetUniqueId(struct unique_id *id)
{
    memset(id, 1, sizeof *id);
    return 0;
}
EXPORT int ncclCommInitRank(struct communicator **made, int size, UNUSED struct unique_id id, int rank)
{
    return new_communicator(made, size, rank);
}
EXPORT int ncclCommInitRankConfig(struct communicator **made, int size, UNUSED struct unique_id id, int rank,
                                  UNUSED void *config)
{
    return new_communicator(made, size, rank);
}
EXPORT int ncclCommInitRankScalable(struct communicator **made, int size, int rank, UNUSED int ids,
                                    UNUSED struct unique_id *id, UNUSED void *config)
{
    return new_communicator(made, size, rank);
}
EXPORT int ncclCommInitAll(struct communicator **made, int size, UNUSED const int *devices)
{
    int status = 0;
    for (int rank = 0; rank < size && !status; ++rank)
        status = new_communicator(made + rank, size, rank);
    return status;
}
EXPORT int ncclCommSplit(const struct communicator *parent, int color, int rank, struct communicator **made,
                         UNUSED void *config)
{
    const int size = next_size > 0 ? next_size : parent->size;
    next_size = 0;
    *made = NULL;
    return color < 0 ? 0 : new_communicator(made, size, rank);
}
EXPORT int ncclCommDestroy(struct communicator *communicator) { return end_communicator(communicator); }
EXPORT int ncclCommAbort(struct communicator *communicator) { return end_communicator(communicator); }
EXPORT int ncclCommFinalize(UNUSED struct communicator *communicator) { return 0; }
EXPORT int ncclCommGetAsyncError(UNUSED const struct communicator *communicator, int *error)
{
    *error = 0;
    return 0;
}
EXPORT int ncclCommCount(const struct communicator *communicator, int *size)
{
    *size = communicator->size;
    return 0;
}
EXPORT int ncclCommUserRank(const struct communicator *communicator, int *rank)
{
    *rank = communicator->rank;
    return 0;
}
EXPORT int ncclCommMemStats(UNUSED void *communicator, UNUSED int kind, uint64_t *bytes)
{
    *bytes = 0;
    return 0;
}
EXPORT int ncclCommRegister(UNUSED void *communicator, UNUSED void *address, UNUSED size_t bytes, void **handle)
{
    *handle = new_handle();
    return 0;
}

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
EXPORT int ncclMemAlloc(void **address, size_t bytes) { return cudaMalloc(address, bytes) ? 1 : 0; }
EXPORT int ncclMemFree(void *address) { return cudaFree(address) ? 1 : 0; }
EXPORT int ncclRedOpCreatePreMulSum(int *made)
{
    *made = 5; /* behind the five that there are */
    return 0;
}

static const uint64_t bytes_of_type[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1}; /* ncclDataType_t */
#define COUNT(kind, elements, type, stream, in, out)                                                                   \
    do {                                                                                                               \
        const uint64_t width = (unsigned)(type) < sizeof bytes_of_type / 8 ? bytes_of_type[type] : 1;                  \
        __sync_fetch_and_add(&counts.kind.calls, 1);                                                                   \
        __sync_fetch_and_add(&counts.kind.bytes, (uint64_t)(elements) * width);                                        \
        if (!(stream))                                                                                                 \
            __sync_fetch_and_add(&counts.on_default_stream, 1);                                                        \
        if (!is_of_card(in) || !is_of_card(out))                                                                       \
            __sync_fetch_and_add(&counts.of_host_memory, 1);                                                           \
    } while (0)
EXPORT int ncclAllReduce(const void *in, void *out, size_t count, int type, UNUSED int operation,
                         UNUSED const struct communicator *communicator, const void *stream)
{
    COUNT(all_reduce, count, type, stream, in, out);
    return launched();
}
EXPORT int ncclAllGather(const void *in, void *out, size_t count, int type,
                         const struct communicator *communicator, const void *stream)
{
    COUNT(all_gather, count * (uint64_t)communicator->size, type, stream, in, out);
    return launched();
}
EXPORT int ncclReduceScatter(const void *in, void *out, size_t count, int type, UNUSED int operation,
                             const struct communicator *communicator, const void *stream)
{
    COUNT(reduce_scatter, count * (uint64_t)communicator->size, type, stream, in, out);
    return launched();
}
EXPORT int ncclBroadcast(void) { return launched(); }
EXPORT int ncclBcast(void) { return launched(); }
EXPORT int ncclReduce(void) { return launched(); }
EXPORT int ncclGather(void) { return launched(); }
EXPORT int ncclScatter(void) { return launched(); }
/* What goes to another rank and comes from it: within a group, all to all. */
static int between_two(void)
{
    __sync_fetch_and_add(&counts.all_to_all, 1);
    return launched();
}
EXPORT int ncclAlltoAll(void) { return between_two(); }
EXPORT int ncclSend(void) { return between_two(); }
EXPORT int ncclRecv(void) { return between_two(); }

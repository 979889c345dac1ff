/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The card's memory: bytes are counted, addresses are handed out, nothing lies behind them. */
#define _GNU_SOURCE
#include "stand_in.h"

#include "report.h"
#include "runtime_abi.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

pthread_mutex_t account_lock = PTHREAD_MUTEX_INITIALIZER;

#define PAGE ((uint64_t)2 << 20) /* of a card */
#define SPAN (16 * PAGE)
#define ARENA ((uint64_t)1 << 44)

/* Addresses as the driver of a card hands them out (580, read off the histories of an H100, and held against a program on an H200 that
 * gives memory back): spans of 32 MiB, each below all before. What a span has left, or got back, comes first: the lowest gap that is
 * large enough, from its begin. The allocator breaks ties by address, so that reserved bytes depend on it. No two gaps touch. */
struct gap {
    char *begin, *end;
    struct gap *higher;
};
static struct gap *gaps;
static char *arena, *next_span;
static uint64_t used_bytes;

static char *rounded_up(const char *address, uint64_t align)
{
    return (char *)(((uintptr_t)address + align - 1) & ~(uintptr_t)(align - 1));
}

__attribute__((constructor)) static void reserve_addresses(void)
{
    char *mapped = mmap(NULL, ARENA + SPAN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return; /* every allocation fails, as on a full card */
    arena = rounded_up(mapped, SPAN);
    next_span = arena + ARENA;
}

int is_of_card(const void *address)
{
    return arena && (const char *)address >= arena && (const char *)address < arena + ARENA;
}

static void add_gap(struct gap **at, char *begin, char *end)
{
    struct gap *made = malloc(sizeof *made);
    *made = (struct gap){begin, end, *at};
    *at = made;
}

char *address_range(uint64_t bytes, uint64_t align)
{
    for (struct gap **at = &gaps; *at; at = &(*at)->higher) {
        struct gap *found = *at;
        char *address = rounded_up(found->begin, align), *end = found->end;
        if (address > end || (uint64_t)(end - address) < bytes)
            continue;
        if (address + bytes < end)
            add_gap(&found->higher, address + bytes, end);
        found->end = address;
        if (found->begin == address) {
            *at = found->higher;
            free(found);
        }
        return address;
    }
    const uint64_t unit = align > SPAN ? align : SPAN;
    if (!arena || (uint64_t)(next_span - arena) < bytes + unit)
        return NULL;
    char *end = next_span;
    next_span = (char *)((uintptr_t)(next_span - bytes) & ~(uintptr_t)(unit - 1));
    if (next_span + bytes < end)
        give_range(next_span + bytes, (uint64_t)(end - next_span) - bytes);
    return next_span;
}

void give_range(char *begin, uint64_t bytes)
{
    char *end = begin + bytes;
    struct gap **at = &gaps;
    while (*at && (*at)->end < begin)
        at = &(*at)->higher;
    if (!*at || (*at)->begin > end) {
        add_gap(at, begin, end);
    } else {
        struct gap *grown = *at, *higher = grown->higher;
        if (begin < grown->begin)
            grown->begin = begin;
        if (end > grown->end)
            grown->end = end;
        if (higher && higher->begin == grown->end) {
            grown->end = higher->end;
            grown->higher = higher->higher;
            free(higher);
        }
    }
    /* The lowest spans, once they are whole, are as if they had never been taken. */
    struct gap *lowest = gaps;
    char *whole = (char *)((uintptr_t)lowest->end & ~(uintptr_t)(SPAN - 1));
    if (lowest->begin != next_span || whole <= next_span)
        return;
    lowest->begin = next_span = whole;
    if (lowest->begin == lowest->end) {
        gaps = lowest->higher;
        free(lowest);
    }
}

int take_bytes(uint64_t bytes)
{
    if ((uint64_t)card.context_bytes + used_bytes + bytes > (uint64_t)card.bytes)
        return 0;
    used_bytes += bytes;
    if (used_bytes > counts.peak_used)
        counts.peak_used = used_bytes;
    return 1;
}

void give_bytes(uint64_t bytes) { used_bytes -= bytes; }

/* ---- what is handed out, by address */

struct block {
    const void *address;
    uint64_t bytes;
    struct block *next;
};
#define BUCKETS 4096
static struct block *blocks[BUCKETS];

static struct block **bucket_of(const void *address)
{
    return &blocks[(unsigned)(((uintptr_t)address >> 9) * 2654435761u) % BUCKETS];
}

static void keep_block(const void *address, uint64_t bytes)
{
    struct block *block = malloc(sizeof *block), **first = bucket_of(address);
    *block = (struct block){address, bytes, *first};
    *first = block;
}

static int forget_block(const void *address, uint64_t *bytes)
{
    for (struct block **at = bucket_of(address); *at; at = &(*at)->next) {
        struct block *found = *at;
        if (found->address != address)
            continue;
        *bytes = found->bytes;
        *at = found->next;
        free(found);
        return 1;
    }
    return 0;
}

static int is_block(const void *address)
{
    for (const struct block *at = *bucket_of(address); at; at = at->next) {
        if (at->address == address)
            return 1;
    }
    return 0;
}

static __thread int last_error;
int set_error(int error)
{
    if (error)
        last_error = error;
    return error;
}
EXPORT int cudaGetLastError(void)
{
    const int error = last_error;
    last_error = OK;
    return error;
}
EXPORT int cudaPeekAtLastError(void) { return last_error; }
EXPORT const char *cudaGetErrorName(int error)
{
    return error == OK ? "cudaSuccess" : error == NO_MEMORY ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}
EXPORT const char *cudaGetErrorString(int error)
{
    return error == OK          ? "no error"
           : error == NO_MEMORY ? "out of memory"
           : error == 600       ? "device not ready"
                                : "an error of the stand-in of a card";
}

/* Large requests take whole pages of two mebibytes. */
EXPORT int cudaMalloc(void **address, size_t bytes)
{
    const uint64_t size = bytes >= PAGE / 2 ? (bytes + PAGE - 1) & ~(PAGE - 1) : (bytes + 511) & ~(uint64_t)511;
    *address = NULL;
    pthread_mutex_lock(&account_lock);
    if (take_bytes(size)) {
        *address = address_range(size, size >= PAGE ? PAGE : 512);
        if (*address)
            keep_block(*address, size);
        else
            give_bytes(size);
    }
    pthread_mutex_unlock(&account_lock);
    return *address ? OK : set_error(NO_MEMORY);
}

EXPORT int cudaFree(void *address)
{
    uint64_t bytes = 0;
    if (!address)
        return OK;
    host_waits(); /* as a card does before it gives memory back */
    pthread_mutex_lock(&account_lock);
    const int known = forget_block(address, &bytes);
    give_bytes(bytes);
    if (known)
        give_range(address, bytes);
    pthread_mutex_unlock(&account_lock);
    return known ? OK : set_error(BAD_VALUE);
}

EXPORT int cudaMallocAsync(void **address, size_t bytes, UNUSED void *stream) { return cudaMalloc(address, bytes); }
EXPORT int cudaFreeAsync(void *address, UNUSED void *stream) { return cudaFree(address); }

/* What is taken beside the context, now and at most: how far a program is. */
EXPORT unsigned long long peakscope_taken(void) { return used_bytes; }
EXPORT unsigned long long peakscope_most_taken(void) { return counts.peak_used; }

EXPORT int cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    pthread_mutex_lock(&account_lock);
    *total = (size_t)card.bytes;
    *free_bytes = (size_t)((uint64_t)card.bytes - (uint64_t)card.context_bytes - used_bytes);
    pthread_mutex_unlock(&account_lock);
    return OK;
}

/* ---- the host's memory, as CUDA hands it out */

static int host_memory(void **address, size_t bytes)
{
    if (posix_memalign(address, 4096, bytes ? bytes : 1))
        return set_error(NO_MEMORY);
    pthread_mutex_lock(&account_lock);
    keep_block(*address, bytes);
    pthread_mutex_unlock(&account_lock);
    return OK;
}
EXPORT int cudaHostAlloc(void **address, size_t bytes, UNUSED unsigned flags) { return host_memory(address, bytes); }
EXPORT int cudaMallocHost(void **address, size_t bytes) { return host_memory(address, bytes); }
EXPORT int cudaFreeHost(void *address)
{
    uint64_t bytes;
    pthread_mutex_lock(&account_lock);
    const int known = address && forget_block(address, &bytes);
    pthread_mutex_unlock(&account_lock);
    if (known)
        free(address);
    return OK;
}
EXPORT int cudaHostRegister(UNUSED void *address, UNUSED size_t bytes, UNUSED unsigned flags) { return OK; }
EXPORT int cudaHostUnregister(UNUSED void *address) { return OK; }

/* Managed memory can be touched by the host and is not charged to the card: its pages come when they are touched. */
EXPORT int cudaMallocManaged(void **address, size_t bytes, UNUSED unsigned flags)
{
    void *mapped = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return set_error(NO_MEMORY);
    *address = mapped;
    return OK;
}
EXPORT int cudaMemPrefetchAsync(void) { return OK; }
EXPORT int cudaMemAdvise(void) { return OK; }

EXPORT int cudaPointerGetAttributes(struct pointer_attributes *attributes, const void *address)
{
    memset(attributes, 0, sizeof *attributes);
    if (is_of_card(address)) {
        attributes->type = MEMORY_DEVICE;
        attributes->device_pointer = address;
        return OK;
    }
    pthread_mutex_lock(&account_lock);
    const int known = is_block(address);
    pthread_mutex_unlock(&account_lock);
    attributes->type = known ? MEMORY_HOST : MEMORY_UNREGISTERED;
    attributes->device = known ? 0 : -2;
    attributes->host_pointer = attributes->device_pointer = known ? address : NULL;
    return OK;
}

/* ---- copies: the host's bytes move, the card's are not there */

/* Whether a function whose name holds `part` called. Names are looked up once for each way here. */
static int called_by(const char *part)
{
    enum { DEPTH = 24, KEPT = 512 };
    static struct {
        uint64_t way;
        const char *part;
        int answer;
    } kept[KEPT];
    void *frames[DEPTH];
    const int depth = backtrace(frames, DEPTH);
    uint64_t way = 1469598103934665603u;
    for (int i = 2; i < depth; ++i)
        way = (way ^ (uintptr_t)frames[i]) * 1099511628211u;
    const size_t place = way % KEPT;
    if (kept[place].way == way && kept[place].part == part)
        return kept[place].answer;
    int answer = 0;
    for (int i = 2; i < depth && !answer; ++i) {
        Dl_info info;
        answer = dladdr(frames[i], &info) && info.dli_sname && strstr(info.dli_sname, part);
    }
    kept[place].way = way;
    kept[place].part = part;
    kept[place].answer = answer;
    return answer;
}

/* What the recorder in the same process says of reads to come, on this thread: sizes that it has found on the host, one for each
 * read of a whole number; and whether it answers itself what is read, so that nothing is to be counted. */
enum { MOST_ANSWERS = 16 };
static __thread int64_t answers[MOST_ANSWERS];
static __thread int answers_left, next_answer, hushed;
EXPORT void peakscope_answers(const int64_t *values, int count)
{
    answers_left = count < MOST_ANSWERS ? count : MOST_ANSWERS;
    next_answer = 0;
    if (answers_left > 0)
        memcpy(answers, values, (size_t)answers_left * sizeof *answers);
}
EXPORT void peakscope_hush(int hush) { hushed = hush; }

/* One byte is most often "are all finite", or whether a mask has no holes: yes; but where a solver tells an error: none. A
 * count of distinct values is at least one. Everything else reads as zero. */
static void read_back(void *to, size_t bytes)
{
    static const char linalg[] = "linalg_check_errors", unique[] = "unique";
    memset(to, 0, bytes);
    if (answers_left > 0 && bytes <= sizeof *answers) {
        --answers_left;
        memcpy(to, &answers[next_answer++], bytes); /* the low bytes come first */
    } else if (bytes == 1) {
        counts.read_flags += !hushed;
        *(char *)to = !called_by(linalg);
    } else if (bytes == 8) {
        counts.read_counts += !hushed;
        const int64_t one = 1;
        if (called_by(unique))
            memcpy(to, &one, sizeof one);
    } else {
        counts.read_others += !hushed;
    }
}

static int copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 0 || is_of_card(to))
        return OK;
    if (is_of_card(from))
        read_back(to, bytes);
    else
        memmove(to, from, bytes);
    return OK;
}

EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, UNUSED int kind)
{
    host_waits();
    return copy(to, from, bytes);
}
EXPORT int cudaMemcpyAsync(void *to, const void *from, size_t bytes, UNUSED int kind, UNUSED void *stream)
{
    return copy(to, from, bytes);
}
EXPORT int cudaMemcpyPeerAsync(void *to, UNUSED int a, const void *from, UNUSED int b, size_t bytes, UNUSED void *stream)
{
    return copy(to, from, bytes);
}
EXPORT int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                             UNUSED int kind, UNUSED void *stream)
{
    for (size_t row = 0; row < height; ++row)
        copy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    return OK;
}
EXPORT int cudaMemcpyToSymbol(void) { return OK; }
EXPORT int cudaMemset(void *to, int value, size_t bytes)
{
    if (!is_of_card(to))
        memset(to, value, bytes);
    return OK;
}
EXPORT int cudaMemsetAsync(void *to, int value, size_t bytes, UNUSED void *stream) { return cudaMemset(to, value, bytes); }

/* A variable of a kernel has an address, and takes no memory that the allocator knows. */
EXPORT int cudaGetSymbolAddress(void **address, UNUSED const void *symbol)
{
    pthread_mutex_lock(&account_lock);
    *address = address_range(4096, 512);
    pthread_mutex_unlock(&account_lock);
    return OK;
}
EXPORT int cudaDeviceGetDefaultMemPool(void **pool, UNUSED int device)
{
    *pool = new_handle();
    return OK;
}
EXPORT int cudaMemPoolGetAttribute(UNUSED void *pool, UNUSED int attribute, void *value)
{
    memset(value, 0, sizeof(uint64_t));
    return OK;
}

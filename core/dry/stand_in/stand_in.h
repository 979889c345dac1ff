/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stand-in of a CUDA card, preloaded into a process that was asked for one. Every CUDA symbol of PyTorch's libraries binds
 * here, so that its allocator and its operators are the real ones: memory is accounted for as a card would, kernels do nothing,
 * and what is read back from the card are fixed answers that are counted. Nothing of CUDA's is included: what crosses the
 * border is declared here. CUDA_MAJOR is 12 or 13. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define UNUSED __attribute__((unused))

/* Answers of the runtime (cudaError_t), the driver (CUresult) and the maths libraries. */
enum { OK = 0, BAD_VALUE = 1, NO_MEMORY = 2, NOT_FOUND = 500, NOT_SUPPORTED = 801 };

/* What the launcher says, in PEAKSCOPE_DRY: "name=NVIDIA H100;major=9;…". Numbers are of the card that is acted out. */
struct card {
    char name[200];
    long long bytes;           /* what the runtime says of the whole card */
    long long context_bytes;   /* of them taken before anything is asked for */
    long long major, minor;    /* compute capability */
    long long sms, threads_sm; /* multiprocessors, threads of one */
    long long shared_sm, shared_block; /* bytes of shared memory: of a multiprocessor, the most of a block */
    long long l2, bus, clock, memory_clock; /* bytes, bits, kHz, kHz */
    long long built;           /* the newest architecture that PyTorch was built for and the card can run, as 86 */
    long long devices;
    long long behind;          /* launches that it runs behind the host; 0: none, -1: all until the host waits */
    long long runtime, cudnn, nccl; /* versions as the libraries say them */
};
extern struct card card;

/* One lock over all accounts; held for moments only. */
extern pthread_mutex_t account_lock;

/* An address range of the card that nobody has (NULL: there is none), and one given back. Under the lock. */
char *address_range(uint64_t bytes, uint64_t align);
void give_range(char *begin, uint64_t bytes);
/* Bytes taken from the card (0: it is full), and given back. Under the lock. */
int take_bytes(uint64_t bytes);
void give_bytes(uint64_t bytes);
int is_of_card(const void *address);
/* One more launch is in the queue: OK. */
int launched(void);
/* The card has come to the end of the queue. */
void host_waits(void);
/* A handle that equals no other: PyTorch keeps a workspace for each. */
void *new_handle(void);
/* Remembers what was asked of a function that has no body here. */
void note_unanswered(const char *name);
/* The same of one that asks for a size that nobody knows here and is refused, or told a bound; and of one that is told the
 * least, so that a peak is at least what comes out. */
void note_refused(const char *name);
void note_at_least(const char *name);
/* Remembers an error for cudaGetLastError and returns it. */
int set_error(int error);

/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdint.h>

/* What is told of a run. Values that the program read back from the card, which nobody could know: single bytes (whether all
 * are finite), eight bytes that an operator counts by, and the rest. */
struct counts {
    uint64_t peak_used, launches, read_flags, read_counts, read_others;
    uint64_t not_ready;                 /* events that PyTorch's allocator asked for before the card had come to them */
    uint64_t communicators, all_to_all; /* of NCCL: how many there were at once, and calls that everyone sends everyone */
    struct {
        uint64_t calls, bytes; /* a sum counts its buffer, a scatter its input, a gather its output */
    } all_reduce, reduce_scatter, all_gather;
    uint64_t on_default_stream; /* of these three: waits for all else on the card */
    uint64_t of_host_memory;    /* of them: on memory that is not the card's */
};
extern struct counts counts;

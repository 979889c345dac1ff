/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structures that cross the border between a program and CUDA's runtime, by CUDA's major version: facts of its documented
 * interface, held against its headers by a test where these are there. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct extent {
    unsigned x, y, z;
};

enum { MEMORY_UNREGISTERED = 0, MEMORY_HOST = 1, MEMORY_DEVICE = 2 };
struct pointer_attributes { /* cudaPointerAttributes */
    int type, device;
    const void *device_pointer, *host_pointer;
#if CUDA_MAJOR >= 13
    long reserved[8];
#endif
};

struct function_attributes { /* cudaFuncAttributes */
    size_t shared_bytes, constant_bytes, local_bytes;
    int most_threads, registers, ptx_version, binary_version, cache_mode, most_dynamic_shared;
    int others[24];
};

struct launch_config { /* cudaLaunchConfig_t */
    struct extent grid, block;
    size_t shared_bytes;
    void *stream, *attributes;
    unsigned attribute_count;
};

/* Where cudaDeviceProp keeps what PyTorch reads of it; its size. */
#if CUDA_MAJOR >= 13
#define PLACE(twelve, thirteen) thirteen
#define DEVICE_PROPERTIES_BYTES 1008
#else
#define PLACE(twelve, thirteen) twelve
#define DEVICE_PROPERTIES_BYTES 1032
#endif
#define PROPERTY_NAME 0
#define PROPERTY_TOTAL_BYTES 288         /* 8 bytes */
#define PROPERTY_SHARED_BLOCK 296        /* 8 */
#define PROPERTY_REGISTERS_BLOCK 304
#define PROPERTY_WARP 308
#define PROPERTY_PITCH 312               /* 8 */
#define PROPERTY_THREADS_BLOCK 320
#define PROPERTY_BLOCK_DIM 324           /* 3 x 4 */
#define PROPERTY_GRID_DIM 336            /* 3 x 4 */
#define PROPERTY_CONSTANT 352            /* 8 */
#define PROPERTY_MAJOR 360
#define PROPERTY_MINOR 364
#define PROPERTY_TEXTURE_ALIGNMENT 368   /* 8 */
#define PROPERTY_TEXTURE_PITCH 376       /* 8 */
#define PROPERTY_SMS PLACE(388, 384)
#define PROPERTY_MAP_HOST PLACE(400, 392)
#define PROPERTY_CONCURRENT PLACE(576, 560)
#define PROPERTY_BUS_ID PLACE(584, 568)
#define PROPERTY_COPY_ENGINES PLACE(600, 584)
#define PROPERTY_UNIFIED PLACE(604, 588)
#define PROPERTY_BUS_WIDTH PLACE(612, 592)
#define PROPERTY_L2 PLACE(616, 596)
#define PROPERTY_PERSISTING_L2 PLACE(620, 600)
#define PROPERTY_THREADS_SM PLACE(624, 604)
#define PROPERTY_PRIORITIES PLACE(628, 608)
#define PROPERTY_GLOBAL_L1 PLACE(632, 612)
#define PROPERTY_LOCAL_L1 PLACE(636, 616)
#define PROPERTY_SHARED_SM PLACE(640, 624) /* 8 */
#define PROPERTY_REGISTERS_SM PLACE(648, 632)
#define PROPERTY_MANAGED PLACE(652, 636)
#define PROPERTY_PAGEABLE PLACE(672, 652)
#define PROPERTY_CONCURRENT_MANAGED PLACE(676, 656)
#define PROPERTY_COOPERATIVE PLACE(688, 668)
#define PROPERTY_SHARED_OPTIN PLACE(696, 672) /* 8 */
#define PROPERTY_BLOCKS_SM PLACE(712, 688)
#define PROPERTY_SHARED_RESERVED PLACE(720, 696) /* 8 */
#define PROPERTY_POOLS PLACE(744, 720)

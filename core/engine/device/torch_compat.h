// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between the LibTorch versions in use (2.x of the torch wheel, 1.13 of Debian). The macros are set by
// cmake/FindLibTorch.cmake, which tries them out; no version number is compared anywhere.
#pragma once

#ifndef PEAKSCOPE_TORCH_HAS_SDPA
#define PEAKSCOPE_TORCH_HAS_SDPA 1
#endif
#ifndef PEAKSCOPE_TORCH_ALLOCATOR_COPY_DATA
#define PEAKSCOPE_TORCH_ALLOCATOR_COPY_DATA 1
#endif
#ifndef PEAKSCOPE_TORCH_AUTOCAST_DEVICE
#define PEAKSCOPE_TORCH_AUTOCAST_DEVICE 1
#endif

// Allocator::allocate lost its const together with the arrival of copy_data.
#if PEAKSCOPE_TORCH_ALLOCATOR_COPY_DATA
#define PEAKSCOPE_ALLOCATE_CONST
#else
#define PEAKSCOPE_ALLOCATE_CONST const
#endif

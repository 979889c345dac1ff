// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI does for ranks, done over the key-value store (TCPStore) that torchrun's agent runs: for CPUs without MPI,
// and for the little that ranks with CUDA devices say to each other beside NCCL.
#pragma once

#include "core/ranks/mpi/mpi_module.h"

namespace peakscope {

const RankTransport& storeTransport();

} // namespace peakscope

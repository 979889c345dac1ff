// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Finds and opens the MPI module, which lies beside the program or in ../lib/peakscope; $PEAKSCOPE_MPI_MODULE names
// another. Opened once a process.
#pragma once

#include "core/base/result.h"
#include "core/ranks/mpi/mpi_module.h"

namespace peakscope {

// The module; an error says in one sentence why there is none. Any thread.
Result<const RankTransport*> mpiModule();

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the devices of several ranks go together, before NCCL joins them and waits. Pure functions.
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace peakscope {

// What each rank tells the others: plain memory, gathered as it stands.
struct RankDevice {
    char host[64];
    char device[32];  // "cuda:0", as it is called there; empty: a CPU
    char bus[32];     // which of the machine's it is; empty: not known
    char version[32]; // of LibTorch
    char problem[256]; // why it has none; empty: it has
};

RankDevice rankDevice(const std::string& device, const std::string& bus, const std::string& version,
                      const std::string& problem);

// `own`: each rank was to take its own. The same error on all ranks: one without its device, another LibTorch, some on
// CPUs, two on one device.
Status checkRankDevices(const std::vector<RankDevice>& all, bool own);

} // namespace peakscope

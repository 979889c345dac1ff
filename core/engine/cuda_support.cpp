// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda_support.h"

#include "core/engine/storage_blocks.h"

namespace peakscope {

std::vector<LocalDevice> cudaDevices()
{
    return {};
}

std::string cudaUnavailableReason()
{
    return "";
}

BlockId blockOfDeviceData(const void*)
{
    return 0;
}

} // namespace peakscope

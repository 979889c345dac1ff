// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/take_device.h"

#include "core/ranks/launch_environment.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace peakscope {

void takeDevice(std::size_t worker)
{
    std::size_t present = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
        const std::string name = entry.path().filename().string();
        present += name.starts_with("nvidia") && name.size() > 6 &&
                   name.find_first_not_of("0123456789", 6) == std::string::npos;
    }
    const std::string device = deviceOfWorker(std::getenv("CUDA_VISIBLE_DEVICES"), present, worker);
    if (!device.empty())
        ::setenv("CUDA_VISIBLE_DEVICES", device.c_str(), 1);
}

} // namespace peakscope

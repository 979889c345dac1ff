// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// By what the name of a device says that it is a stand-in, on which a program runs dry. Any thread.
#pragma once

#include <string_view>

namespace peakscope {

inline constexpr std::string_view kDryPrefix = "dry:";

inline bool isDryDevice(std::string_view device)
{
    return device.starts_with(kDryPrefix);
}

} // namespace peakscope

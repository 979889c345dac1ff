// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which CUDA device of a machine a process is to see.
#pragma once

#include <cstddef>

namespace peakscope {

// Lets this process and what it starts see one CUDA device alone, by its number among those of this machine that share
// the points of a sweep, or are ranks of one run. Asks no driver: a process that only waits for others is to take no
// memory of a device.
void takeDevice(std::size_t worker);

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine did while steps were timed: this process's processor time against the clock, how long its threads
// waited for a processor, and what other processes took. Linux; counters that the kernel does not show are unknown.
#pragma once

#include "core/results/sweeps/timed_round.h"

namespace peakscope {

LoadCounters loadCounters();

} // namespace peakscope

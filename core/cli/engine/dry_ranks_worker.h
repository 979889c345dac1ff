// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of one dry experiment: each a worker of its own on a stand-in of the card, one after another, without the
// others. A worker that is to run one of them finds its number in the environment.
#pragma once

#include "core/experiment/experiment.h"
#include "core/protocol/event.h"

#include <functional>
#include <optional>

namespace peakscope {

// The rank that this process is to be; nothing: all, or the only one.
std::optional<int> dryRank();

// Runs the ranks of `experiment`, ranks that need the same memory once, and passes their events on with their numbers.
// `stopped` says whether the run is to end. Returns the end of all.
EndEvent runDryRanks(const Experiment& experiment, const std::function<void(const Event&)>& send,
                     const std::function<bool()>& stopped);

} // namespace peakscope

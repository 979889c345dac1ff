// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one experiment in this process, from loading the model to the last section of the result. Once per process: the
// ledger records from here to the process's end.
#pragma once

#include "core/engine/ledger/event_sink.h"
#include "core/experiment/experiment.h"
#include "core/protocol/event.h"
#include "core/ranks/communicator.h"

namespace peakscope {

// Sends start, phases, memory, snapshots, progress and finished sections; returns the end event for the caller to
// send last. No exception leaves it.
EndEvent runExperiment(const Experiment& experiment, EventSink& sink);
// Together with the other ranks, which all call it with the same experiment.
EndEvent runExperiment(const Experiment& experiment, EventSink& sink, Communicator& ranks);

// What this build cannot run yet, in one sentence; an empty one where it can.
std::string unsupported(const Experiment& experiment);

} // namespace peakscope

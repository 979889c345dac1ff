// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot of which only some events are kept. Private to this folder; one thread.
#pragma once

#include "core/snapshots/snapshot_table.h"

namespace peakscope {

// readSnapshotPickle() of what the sink keeps (null: all); the rest of the file is there. A watcher is for whoever has
// no sink.
Result<CudaSnapshot> readSnapshotThrough(AllocatorEventSink* sink, std::string_view bytes, const std::string& name,
                                         const std::stop_token& stop, const SnapshotWatcher* watcher = nullptr,
                                         std::size_t bytesBetweenLooks = kBytesBetweenLooks);

} // namespace peakscope

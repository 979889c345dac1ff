// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA memory snapshots side by side: on an axis that they share, and what grew from one to the other. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "core/results/tables.h"
#include "core/snapshots/snapshot_axis.h"

#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// Steps where all are snapshots with steps, else events; nothing where one of them is none.
std::optional<SnapshotAxis> sharedAxis(const std::vector<RunDocument>& runs);

// The runs as they are compared: snapshots along the axis, else in time; others as they are.
std::vector<RunDocument> alongAxis(const std::vector<RunDocument>& runs, std::optional<SnapshotAxis> axis);

// "Fullest: rank1.pickle, 129 MiB allocated, 96.0 MiB reserved": of ranks the one that decides. Empty of others.
QString fullestText(const std::vector<RunDocument>& runs, const QStringList& labels);

// Where A and B are compared: "peak" or "end" of both. Empty where one of the two is no snapshot.
std::string grownAt(const std::vector<RunDocument>& runs);

// By line at that instant, from A to B. Empty where one of the two is no snapshot.
Table grownTable(const std::vector<RunDocument>& runs);

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a person would say of a snapshot, in the language of the moment.
#pragma once

#include "app/parts/inspector_panel.h"
#include "core/snapshots/chosen_blocks.h"
#include "core/snapshots/snapshot_advice.h"
#include "core/snapshots/snapshot_recording.h"

#include <QString>

namespace peakscope {

// "Peak 85.4 MiB in step 2 at train.py:42 loss_of · history whole · nothing grows"; of a run that ended for lack of
// memory what was asked for and why it could not be had.
QString snapshotSentence(const SnapshotRecording& recording);

// "Event 814 · step 2 · 85.4 MiB · 144 blocks": what is asked for there.
QString instantText(const SnapshotRecording& recording, std::int64_t event);

// "Line", "Component": what blocks are gathered by.
QString holderKeyTitle(HolderKey key);

// What is chosen, by its name and seen after the event.
InspectorContent inspectChosen(const SnapshotRecording& recording, std::int64_t event, const QString& name,
                               const ChosenBlocks& chosen);

} // namespace peakscope

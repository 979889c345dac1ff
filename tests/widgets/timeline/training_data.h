// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Memory events with the shape of a small training run, and helpers that drive views with real events; for the tests
// and benchmarks of the widgets.
#pragma once

#include "core/results/memory_timeline.h"

#include <QString>

#include <functional>
#include <vector>

class QWidget;

namespace peakscope {
class MemoryTimelineView;
}

namespace peakscope::test {

inline constexpr std::int64_t kGiB = std::int64_t{1} << 30;

struct TrainingData {
    TimelineData events;
    std::vector<PhaseMark> phases;
    std::vector<ModuleUsage> modules;
};

// `layers` transformer layers, `steps` steps of forward, backward and optimiser step; with `operators` allocations
// inside each layer's pass.
TrainingData trainingRun(int layers = 12, int steps = 4, int operators = 12);

// Appends events [begin, end) of the data as one live batch.
void appendBatch(MemoryTimelineView& view, const TimelineData& data, std::size_t begin, std::size_t end);
// Shows the widget at a size and waits until it is exposed and laid out.
void showAt(QWidget& widget, int width, int height);
// Sets Fusion and the light or dark palette of the program.
void applyPalette(bool dark);
// Writes a picture of the widget for people to look at, in the build's screenshots folder.
void saveScreenshot(QWidget& widget, const QString& name);

} // namespace peakscope::test

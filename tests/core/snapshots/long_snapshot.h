// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot that takes a while to read, for tests: the second step of a small training again and again.
#pragma once

#include "tests/core/snapshots/small_snapshot.h"

namespace peakscope::test {

// `member`: that holds the history. A step is added at once, as Python adds a thousand events.
inline QByteArray longTraining(const char* member = "device_traces", int bytesAtLeast = 9'000'000)
{
    const nlohmann::json one = SmallTraining(1).json(), two = SmallTraining(2).json();
    const nlohmann::json& events = two["device_traces"][0];
    QByteArray bytes("\x80\x04}(", 4), step;
    pickle(bytes, member);
    bytes += "](](";
    for (std::size_t i = 0; i < events.size(); ++i)
        pickle(i < one["device_traces"][0].size() ? bytes : step, events[i]);
    bytes += "e(";
    while (bytes.size() < bytesAtLeast)
        bytes += step + "e(";
    bytes += "ee";
    pickle(bytes, "segments");
    return bytes + "](eu.";
}

} // namespace peakscope::test

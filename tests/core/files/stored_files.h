// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of readers share.
#pragma once

#include "core/results/run_result.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace peakscope::test {

inline const std::string kData = PEAKSCOPE_SOURCE_DIR "/tests/core/data/";

inline std::string readAll(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline bool hasNote(const RunResult& result, const char* part)
{
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

} // namespace peakscope::test

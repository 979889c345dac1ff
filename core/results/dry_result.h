// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a result of a dry run is asked: it holds memory, and no time and no number that a kernel would have computed.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/results/run_result.h"

namespace peakscope {

inline bool isDry(const RunResult& result)
{
    return result.other.contains("dry");
}

// Of a program of one's own, beside what its allocator counts: "context_bytes", or "communicator_bytes", a margin.
inline std::int64_t outsideBytes(const RunResult& result, std::string_view key)
{
    return lenient::integer(lenient::object(lenient::object(result.config, "program"), "outside"), key);
}

} // namespace peakscope

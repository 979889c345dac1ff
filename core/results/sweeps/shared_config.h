// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What all of a result is about, for titles and captions. Any thread.
#pragma once

#include "core/results/run_result.h"

#include <nlohmann/json.hpp>

namespace peakscope {

// The configuration; of a sweep without the keys that it varies, and with what its grid sets for all points.
nlohmann::json sharedConfig(const RunResult& result);

} // namespace peakscope

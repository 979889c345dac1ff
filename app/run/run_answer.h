// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a run found, in one sentence above its charts. GUI thread.
#pragma once

#include "core/results/run_result.h"

#include <QString>

#include <nlohmann/json.hpp>

namespace peakscope {

// In the language in force: the peak, who held it, and what was left of the card or budget. Empty where nothing was
// measured.
QString runAnswer(const RunResult& result);
// How the capacity that it names comes about; empty where it names none.
QString runCapacity(const RunResult& result);
// Of a curvature run, whose page has charts of it and no room for more: its eigenvalue and trace; empty: it has
// neither.
QString curvatureAnswer(const RunResult& result);

// What the Plan page is filled with to find what fits where this run ran out of memory. Null: it did not, or its model
// has no name to plan for.
nlohmann::json planFields(const RunResult& result);

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A perturbation result in words and columns, for terminals and summaries. Any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace peakscope {

// Lines on the sections "prm" and "partition" of a result (either may lack what it likes): the model without noise,
// the groups, the answers by class and scale, what became of the hypotheses. Empty where there is nothing to say.
std::vector<std::string> responseLines(const nlohmann::json& prm, const nlohmann::json& partition);

// The first of them, for the end of a run: the model without noise, the classes, and what became of the hypotheses.
std::vector<std::string> responseHeadlines(const nlohmann::json& prm, const nlohmann::json& partition);

} // namespace peakscope

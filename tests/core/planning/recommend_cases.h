// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the recommender's tests ask and look for.
#pragma once

#include "core/planning/commands/model_from_count.h"
#include "core/planning/recommend/recommender.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace peakscope::testing {

inline RecommendOptions optionsFor(const char* model, const char* device, Goal goal, std::int64_t devices = 1)
{
    RecommendOptions options;
    options.model = *modelBlockFromText(model);
    options.modelText = model;
    options.device = *planDeviceFromText(device);
    options.goal = goal;
    options.devices = devices;
    return options;
}

// What several tests ask is answered once.
inline const Result<Recommendation>& answerTo(const std::string& model, const std::string& device, Goal goal,
                                              std::int64_t devices = 1)
{
    static std::map<std::tuple<std::string, std::string, Goal, std::int64_t>, Result<Recommendation>> answers;
    const auto asked = std::tuple(model, device, goal, devices);
    auto found = answers.find(asked);
    if (found == answers.end())
        found = answers.emplace(asked, recommend(optionsFor(model.c_str(), device.c_str(), goal, devices))).first;
    return found->second;
}

// Rows, and what stands under them.
inline std::vector<Strategy> withFolded(const std::vector<Strategy>& rows)
{
    std::vector<Strategy> all;
    for (const Strategy& row : rows) {
        all.push_back(row);
        all.insert(all.end(), row.folded.begin(), row.folded.end());
    }
    return all;
}

inline bool runs(const Strategy& strategy)
{
    return strategy.verdict == Verdict::Comfortable || strategy.verdict == Verdict::Fits ||
           strategy.verdict == Verdict::Tight;
}

inline bool holds(const std::vector<std::string>& sentences, const char* words)
{
    return std::any_of(sentences.begin(), sentences.end(),
                       [words](const std::string& text) { return text.find(words) != std::string::npos; });
}

} // namespace peakscope::testing

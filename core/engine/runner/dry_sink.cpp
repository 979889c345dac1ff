// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/runner/dry_sink.h"

#include <algorithm>
#include <string_view>

namespace peakscope {
namespace {

// Of a result's top level, what the host knows without a kernel's number. Epsilon follows from rates and counts.
constexpr std::string_view kKept[] = {"dry", "prediction", "memory", "allocator", "refusal", "privacy"};

// How often ranks say what to each other is known, how long it takes is not.
nlohmann::json withoutTimes(nlohmann::json communication)
{
    for (const char* key : {"seconds", "share", "overlapped_seconds"})
        communication.erase(key);
    for (nlohmann::json& collective : communication["collectives"])
        collective.erase("seconds");
    return communication;
}

StageEvent keptOf(const StageEvent& stage)
{
    StageEvent kept{stage.name};
    for (const auto& [key, value] : stage.data.items()) {
        if (std::ranges::find(kKept, key) != std::end(kKept))
            kept.data[key] = value;
        else if (key == "communication")
            kept.data[key] = withoutTimes(value);
    }
    return kept;
}

} // namespace

void DrySink::send(const Event& event)
{
    if (std::holds_alternative<EstimateEvent>(event) || std::holds_alternative<PointEvent>(event))
        return;
    if (const auto* stage = std::get_if<StageEvent>(&event)) {
        if (StageEvent kept = keptOf(*stage); !kept.data.empty())
            m_sink.send(kept);
    } else if (const auto* progress = std::get_if<ProgressEvent>(&event)) {
        m_sink.send(ProgressEvent{progress->fraction, std::nullopt, progress->message});
    } else {
        m_sink.send(event);
    }
}

} // namespace peakscope

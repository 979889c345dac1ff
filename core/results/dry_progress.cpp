// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/dry_progress.h"

#include "core/base/json_access.h"
#include "core/base/json_reader.h"

#include <utility>

namespace peakscope {

namespace {

constexpr std::pair<const char*, std::int64_t DryProgress::*> kNumbers[] = {
    {"steps", &DryProgress::steps},
    {"of", &DryProgress::of},
    {"allocated_bytes", &DryProgress::allocatedBytes},
    {"reserved_bytes", &DryProgress::reservedBytes},
    {"peak_allocated_bytes", &DryProgress::peakAllocatedBytes},
    {"peak_reserved_bytes", &DryProgress::peakReservedBytes},
};

} // namespace

std::string progressText(const DryProgress& progress)
{
    nlohmann::json said;
    for (const auto& [name, number] : kNumbers)
        said[name] = progress.*number;
    if (progress.rank)
        said["rank"] = *progress.rank;
    return dumpJson(said);
}

std::optional<DryProgress> dryProgress(std::string_view line)
{
    const auto said = parseJson(line);
    if (!said || !said->is_object())
        return std::nullopt;
    DryProgress progress;
    for (const auto& [name, number] : kNumbers) {
        const nlohmann::json& value = lenient::member(*said, name);
        if (!value.is_number_integer() || value < 0)
            return std::nullopt;
        progress.*number = value.get<std::int64_t>();
    }
    if (said->contains("rank"))
        progress.rank = lenient::integer(*said, "rank");
    return progress;
}

} // namespace peakscope

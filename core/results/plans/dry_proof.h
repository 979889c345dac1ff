// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a planned experiment took when it ran dry on its card. Plain data; any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace peakscope {

struct DryProof {
    std::string device; // "dry:a100-80gb"
    std::int64_t allocatedBytes = 0;
    std::int64_t reservedBytes = 0;
    bool fits = true; // false: it ran out of memory, and the bytes are those at its end
    bool operator==(const DryProof&) const = default;
};

// Of a planned step: as its dry run had it, else as predicted. What a run had when it ran out is no more than a part.
inline std::int64_t knownBytes(const std::optional<DryProof>& proof, std::int64_t DryProof::*bytes,
                               std::int64_t predicted)
{
    if (!proof)
        return predicted;
    return proof->fits ? *proof.*bytes : std::max(*proof.*bytes, predicted);
}

nlohmann::json toJson(const DryProof& proof);
// Nothing where a member is missing or of another type.
std::optional<DryProof> dryProofFromJson(const nlohmann::json& json);

} // namespace peakscope

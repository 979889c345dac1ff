// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/plans/dry_proof.h"

#include "core/base/json/json_reader.h"

namespace peakscope {

nlohmann::json toJson(const DryProof& proof)
{
    return {{"device", proof.device},
            {"allocated_bytes", proof.allocatedBytes},
            {"reserved_bytes", proof.reservedBytes},
            {"fits", proof.fits}};
}

std::optional<DryProof> dryProofFromJson(const nlohmann::json& json)
{
    const auto allocated = jsonInteger(lenient::member(json, "allocated_bytes"));
    const auto reserved = jsonInteger(lenient::member(json, "reserved_bytes"));
    const nlohmann::json& device = lenient::member(json, "device");
    const nlohmann::json& fits = lenient::member(json, "fits");
    if (!allocated || !reserved || !device.is_string() || !fits.is_boolean())
        return std::nullopt;
    return DryProof{device.get<std::string>(), *allocated, *reserved, fits.get<bool>()};
}

} // namespace peakscope

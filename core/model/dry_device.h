// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A card of the catalogue that a program runs on dry: "dry:CARD", or "dry:CARD:95GiB" for another size of it.
#pragma once

#include "core/base/dry_name.h"
#include "core/base/result.h"
#include "core/model/catalogue.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace peakscope {

struct DryDevice {
    CatalogueDevice card;
    std::int64_t bytes = 0; // what CUDA says of the whole card

    std::string name() const; // "dry:h100-80gb"
};

// BadInput says at `where` what is wrong: an unknown card with those near, one without what a stand-in needs, a size.
Result<DryDevice> dryDevice(const std::string& text, const char* where = "--device");

// What the stand-in is told of it: "name=…;bytes=…". `count`: so many of them in the machine.
std::string standInCard(const DryDevice& device, std::int64_t count = 1);

} // namespace peakscope

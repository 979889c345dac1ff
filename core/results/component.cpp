// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/component.h"

#include <algorithm>
#include <charconv>

namespace peakscope {

std::optional<std::int64_t> layerOf(std::string_view moduleName)
{
    while (!moduleName.empty()) {
        const std::string_view part = moduleName.substr(0, moduleName.find('.'));
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (error == std::errc() && end == part.data() + part.size() && number >= 0)
            return number;
        moduleName.remove_prefix(std::min(part.size() + 1, moduleName.size()));
    }
    return std::nullopt;
}

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/shared_config.h"

#include "core/base/json/json_reader.h"

#include <string>

namespace peakscope {

nlohmann::json sharedConfig(const RunResult& result)
{
    nlohmann::json config = result.config;
    for (const nlohmann::json& axis : lenient::array(lenient::member(result.other, "sweep"), "grid")) {
        const nlohmann::json& values = lenient::array(axis, "values");
        std::string key = lenient::text(axis, "key");
        nlohmann::json* place = &config;
        for (std::size_t dot = key.find('.'); place && dot != std::string::npos; dot = key.find('.')) {
            const auto inner = place->find(key.substr(0, dot));
            place = inner == place->end() || !inner->is_object() ? nullptr : &*inner;
            key.erase(0, dot + 1);
        }
        if (!place || !place->is_object() || values.empty())
            continue;
        if (values.size() == 1)
            (*place)[key] = values.front();
        else
            place->erase(key);
    }
    return config;
}

} // namespace peakscope

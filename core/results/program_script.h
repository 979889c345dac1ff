// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a program of the user's is called: by its script. Of a command, and of a result's configuration.
#pragma once

#include "core/base/json/json_access.h"

#include <algorithm>
#include <string>
#include <vector>

namespace peakscope {

// The first word that ends in .py, else the program itself; empty where there is none.
inline std::string scriptOf(const std::vector<std::string>& command)
{
    const auto script = std::ranges::find_if(command, [](const std::string& word) { return word.ends_with(".py"); });
    return script != command.end() ? *script : command.empty() ? std::string() : command.front();
}

// Of a recorded program; empty for any other run.
inline std::string scriptOf(const nlohmann::json& config)
{
    std::vector<std::string> command;
    for (const nlohmann::json& word : lenient::array(lenient::object(config, "program"), "command"))
        command.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    return scriptOf(command);
}

} // namespace peakscope

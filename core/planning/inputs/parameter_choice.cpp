// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/parameter_choice.h"

#include "core/base/wildcard.h"
#include "core/model/family.h"

#include <string>

namespace peakscope {

bool namesParameter(std::string_view given, std::string_view own, const ModelConfig& config)
{
    if (given == own)
        return true;
    if (own.size() > given.size() && own.ends_with(given) && own[own.size() - given.size() - 1] == '.') {
        std::string left; // what checkpoints may leave out, as far as they do
        for (const std::string_view prefix : describe(config.family).prefixes) {
            if (own.substr(0, own.size() - given.size()) == left.append(prefix))
                return true;
        }
        return false;
    }
    const bool head = given == "lm_head.weight" || given == "embed_out.weight" || given == "head.weight";
    return head && config.tied && own == parameterSpecs(config).front().name;
}

bool choosesParameter(std::string_view given, std::string_view own, const ModelConfig& config)
{
    return namesParameter(given, own, config) || moduleMatches(given, own);
}

} // namespace peakscope

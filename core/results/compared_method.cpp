// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/compared_method.h"

#include "core/base/json_access.h"

#include <algorithm>

namespace peakscope {

std::string clippingOfMethod(const std::string& method)
{
    return method == kVanilla ? "none" : method;
}

std::string methodOfClipping(const std::string& clipping)
{
    return clipping == "none" ? kVanilla : clipping;
}

std::string comparedMethod(const RunResult& result)
{
    const nlohmann::json& methods = lenient::member(lenient::member(result.other, "comparison"), "methods");
    const std::string method = methodOfClipping(lenient::text(lenient::member(result.config, "training"), "clipping"));
    const bool known = methods.is_array() && std::find(methods.begin(), methods.end(), method) != methods.end();
    return known ? method : std::string();
}

} // namespace peakscope

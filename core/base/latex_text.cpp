// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/latex_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace peakscope {

std::string latexText(std::string_view text)
{
    using namespace std::string_view_literals;
    static constexpr std::array kSource = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"\\"sv, "\\textbackslash{}"sv},
        {"~"sv, "\\textasciitilde{}"sv},
        {"^"sv, "\\textasciicircum{}"sv},
        {"<"sv, "\\textless{}"sv},
        {">"sv, "\\textgreater{}"sv},
        {"&"sv, "\\&"sv},
        {"%"sv, "\\%"sv},
        {"$"sv, "\\$"sv},
        {"#"sv, "\\#"sv},
        {"_"sv, "\\_"sv},
        {"{"sv, "\\{"sv},
        {"}"sv, "\\}"sv},
        {"×"sv, "$\\times$"sv},
        {"−"sv, "$-$"sv},
        {"·"sv, "$\\cdot$"sv},
        {"²"sv, "$^2$"sv},
        {"³"sv, "$^3$"sv},
        {"≤"sv, "$\\leq$"sv},
        {"≥"sv, "$\\geq$"sv},
        {"±"sv, "$\\pm$"sv},
        {"µ"sv, "$\\mu$"sv},
        {"Δ"sv, "$\\Delta$"sv},
        {"σ"sv, "$\\sigma$"sv},
        {"ε"sv, "$\\varepsilon$"sv},
    });
    const std::string line = oneLine(text);
    std::string source;
    for (std::string_view rest = line; !rest.empty();) {
        const auto known = std::find_if(kSource.begin(), kSource.end(),
                                        [&](const auto& pair) { return rest.starts_with(pair.first); });
        source += known != kSource.end() ? known->second : rest.substr(0, 1);
        rest.remove_prefix(known != kSource.end() ? known->first.size() : 1);
    }
    return source;
}

} // namespace peakscope

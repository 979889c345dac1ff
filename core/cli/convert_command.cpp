// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"

#include <iterator>

namespace peakscope {

int convertCommand(const std::vector<std::string>& inputs, const std::string& to, const std::string& out)
{
    const auto format = exportFormatFromName(to);
    if (!format)
        return report(badInput("--to", to + " is none of peakscope, csv, latex, summary, chrome-trace"));
    std::vector<RunResult> results;
    for (const std::string& input : inputs) {
        auto some = readAny(input);
        if (!some)
            return report(some.error());
        std::move(some->begin(), some->end(), std::back_inserter(results));
    }
    const Status written = exportResults(results, *format, out);
    return written ? 0 : report(written.error());
}

} // namespace peakscope

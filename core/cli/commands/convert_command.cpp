// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/cli/commands/commands.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"

#include <iterator>

namespace peakscope {

int convertCommand(const ConvertArguments& arguments)
{
    const auto format = exportFormatFromName(arguments.to);
    if (!format)
        return report(badInput("--to", arguments.to + " is none of peakscope, csv, latex, summary, chrome-trace"));
    std::vector<RunResult> results;
    for (const std::string& input : arguments.inputs) {
        auto some = readAny(input);
        if (!some)
            return report(some.error());
        std::move(some->begin(), some->end(), std::back_inserter(results));
    }
    removeAbandoned(arguments.out);
    const Status written = exportResults(results, *format, arguments.out);
    return written ? 0 : report(written.error());
}

} // namespace peakscope

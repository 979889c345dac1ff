// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file.h"
#include "core/base/output_lock.h"
#include "core/base/output_path.h"
#include "core/base/terminal.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/import/convert.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/import/read_any.h"
#include "core/import/result_folder.h"

#include <iterator>

namespace peakscope {

namespace fs = std::filesystem;

int convertCommand(const ConvertArguments& arguments)
{
    const auto format = exportFormatFromName(arguments.to);
    if (!format)
        return report(badInput("--to", arguments.to + " is not one of peakscope, csv, latex, summary, chrome-trace"));
    const auto range = rangeOf(arguments.range);
    if (!range)
        return report(range.error());
    const std::string out = outputPath(arguments.out);
    if (isStandardOutput(out))
        sayOnStandardError();
    std::error_code unreadable; // the reader says what is wrong there
    for (const std::string& input : arguments.inputs) {
        // A document in a folder of results is one of them.
        const fs::path beside = fs::path(input) / fs::path(out).filename();
        if (isSameFile(out, input) ||
            (fs::path(out).extension() == ".json" && fs::exists(beside, unreadable) && isSameFile(out, beside)))
            return report(badInput("--out", arguments.out + " is what is read; give another name"));
    }
    if (Status made = makeOutputFolder(out); !made)
        return report(made.error());
    const auto lock = OutputLock::take(out);
    if (!lock)
        return report(lock.error());
    std::vector<RunResult> results;
    for (const std::string& input : arguments.inputs) {
        auto some = *range ? readSnapshotPart(input, **range) : readAny(input);
        if (!some)
            return report(some.error());
        for (const std::string& line : leftOutOf(input))
            printError("peakscope-cli: {}\n", line);
        std::move(some->begin(), some->end(), std::back_inserter(results));
    }
    removeAbandoned(out);
    const Status written = exportResults(results, *format, out);
    return written ? 0 : report(written.error());
}

} // namespace peakscope

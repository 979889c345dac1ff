// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every result file this program opens, by content: its own documents and those of other programs, as results. Used by
// the command line and by the window's loader; any thread, nothing is shared between calls.
#pragma once

#include "core/base/result.h"
#include "core/results/run_result.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

enum class FileFormat {
    PeakscopeResult,   // one document, or an array of them
    PeakscopeSweep,    // sweep.json
    DpsgdRun,          // {experiment}_result.json: MiB
    DpsgdDit,          // the same for image models: decimal MB and MiB
    DpsgdPoint,        // one flat object a point
    MemorySweep,       // memory_profile_results.json: GiB
    MemorySweepCsv,    // its summary
    DetailedMemory,    // detailed_memory_results.json: bytes and GiB
    ChromeTrace,       // PyTorch's profiler, a bare list or an envelope
    MemoryTimeline,    // PyTorch's export_memory_timeline, .json
    MemoryTimelineRaw, // and .raw.json
    CudaSnapshot,      // torch.cuda.memory._dump_snapshot: a pickle
    PrmResults,        // one object with prm_results
    PrmPilot,          // a bare array
    PrmCsv,            // the rows of either
    PrmPilotCsv,
    HessianMemoryAnalysis,
    PeakscopePlan, // what `recommend --json` says
};
inline constexpr std::size_t kFileFormatCount = 18;

// "dp-sgd-run"; the reverse has nothing for an unknown name.
std::string_view name(FileFormat format);
// "DP-SGD run (MiB)": for people.
std::string_view title(FileFormat format);

struct ReadOptions {
    std::function<void(double)> progress; // 0 to 1, at most a thousand times; called from the reading thread
    std::stop_token stop;                 // ends the reading with an error of code Interrupted
};

// Reads a file (gzip-compressed or not) or a folder of results (a `run_*` folder is one comparison, in the order
// baseline, ghost, flash, others by name). Every result has notes on what is odd or lost, `other["source"]` (the
// format, the file, the configuration as it came) and `other["other_fields"]` (what no reader knows). Values the
// format lacks are absent; secrets (access tokens) are dropped before anything else looks at them. What can't be read
// is one line: the file, the place, the reason (BadInput; Failed only where memory runs out).
Result<std::vector<RunResult>> readAny(const std::filesystem::path& path, const ReadOptions& options = {});

// readAny for bytes; `name` stands for the file in messages and gives the method where a format leaves that to the
// file's name. With `format` nothing is sniffed: the reader of that format has to cope.
Result<std::vector<RunResult>> readAnyBytes(std::string_view bytes, const std::string& name,
                                            std::optional<FileFormat> format = {}, const ReadOptions& options = {});

// What a file is, for `inspect`.
struct FileDescription {
    std::string format; // as in name(), or "folder"
    std::string title;
    ResultKind kind = {};           // of its results
    std::vector<std::string> holds; // a line each
    std::vector<std::string> notes;
    bool endsEarly = false;         // what came before is shown
    std::vector<RunResult> results; // without their timelines
};
Result<FileDescription> describe(const std::filesystem::path& path, const ReadOptions& options = {});

// The format a result was read from; nothing for the program's own results.
std::optional<FileFormat> importedFormat(const RunResult& result);

} // namespace peakscope

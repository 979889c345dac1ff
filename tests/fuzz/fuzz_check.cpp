// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/fuzz_check.h"

#include "core/files/weight_file.h"
#include "core/import/convert.h"

#include <algorithm>
#include <array>

#include <sys/mman.h>
#include <unistd.h>

namespace peakscope {

namespace {

std::string checkTimeline(const MemorySection& memory)
{
    std::array<std::int64_t, kComponentCount> live{};
    std::int64_t total = 0, peak = 0;
    double last = -1e300;
    for (std::size_t i = 0; i < memory.timeline.size(); ++i) {
        const std::int64_t delta = memory.timeline.deltaBytes[i];
        auto& bytes = live[static_cast<std::size_t>(memory.timeline.component[i])];
        bytes += delta;
        total += delta;
        peak = std::max(peak, total);
        if (bytes < 0)
            return "a component goes below zero at event " + std::to_string(i);
        if (!(memory.timeline.timeSeconds[i] >= last))
            return "times go back at event " + std::to_string(i);
        last = memory.timeline.timeSeconds[i];
    }
    return memory.timeline.size() > 0 && peak != memory.peakBytes ? "the timeline's peak is not the section's" : "";
}

std::string checkResult(const RunResult& result, bool own)
{
    // An own document may say what it likes; an imported one has been made sense of.
    if (result.memory && !own) {
        if (const std::string problem = checkTimeline(*result.memory); !problem.empty())
            return problem;
    }
    const std::string text = toJsonText(result);
    const auto again = readAnyBytes(text, "again.json");
    if (!again)
        return "does not read its own document: " + again.error().text();
    if (again->size() != 1 || toJsonText(again->front()) != text)
        return "its own document changes when it is read";
    return {};
}

} // namespace

std::string checkReader(std::string_view bytes, std::optional<FileFormat> format)
{
    const auto results = readAnyBytes(bytes, "fuzz.json", format);
    if (!results) {
        const std::string text = results.error().text();
        const bool oneLine = text.find('\n') == std::string::npos && text.starts_with("fuzz.json: ");
        return oneLine && text.size() < 2000 ? "" : "not one clear line: " + text;
    }
    const auto own = [](const RunResult& result) { return !importedFormat(result); };
    for (const RunResult& result : *results) {
        if (const std::string problem = checkResult(result, own(result)); !problem.empty())
            return problem;
    }
    (void)summaryText(*results);
    if (const auto table = mainTable(*results))
        (void)toLatex(*table, "");
    return {};
}

std::string checkWeights(std::string_view bytes)
{
    const int descriptor = memfd_create("fuzz", MFD_CLOEXEC); // a file without a disk
    if (descriptor < 0)
        return "no memory file";
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const bool written = write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    const auto file = WeightFile::open(path);
    close(descriptor);
    if (!written)
        return "the memory file takes no bytes";
    if (!file) {
        const std::string text = file.error().text();
        const bool oneLine = text.find('\n') == std::string::npos && text.starts_with(path);
        return oneLine && text.size() < 2000 ? "" : "not one clear line: " + text;
    }
    volatile unsigned sum = 0;
    for (const WeightEntry& entry : (*file)->entries()) {
        // Tensors may share a storage, so that a small file can ask for much.
        for (std::size_t i = 0; i < std::min<std::size_t>(entry.bytes, 1 << 16); ++i)
            sum = sum + std::to_integer<unsigned>(entry.data[i]);
        if (entry.bytes > 0)
            sum = sum + std::to_integer<unsigned>(entry.data[entry.bytes - 1]);
    }
    return {};
}

} // namespace peakscope

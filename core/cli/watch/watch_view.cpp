// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/watch/watch_view.h"

#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

constexpr std::size_t kLeastColumns = 20, kMostColumns = 160;
constexpr std::size_t kMostComponents = 7;
constexpr std::array<const char*, 8> kEighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string repeated(const char* text, std::size_t count)
{
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
        all += text;
    return all;
}

std::string bar(double share, std::size_t width)
{
    const double kept = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
    const auto full = static_cast<std::size_t>(std::lround(kept * static_cast<double>(width)));
    return repeated("█", full) + repeated("░", width - full);
}

int percent(double fraction)
{
    return std::isfinite(fraction) ? static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100) : 0;
}

std::string phaseText(const PhaseEvent& phase)
{
    std::string text = "phase " + std::string(name(phase.phase));
    std::replace(text.begin(), text.end(), '_', ' ');
    return phase.step >= 0 ? text + fmt::format(", step {}", phase.step) : text;
}

std::string progressText(const ProgressEvent& progress)
{
    std::string text = progress.message;
    // Some messages have the time in them.
    if (progress.remainingSeconds && *progress.remainingSeconds > 0 && !text.ends_with(" left"))
        text += (text.empty() ? "" : ", ") + formatSeconds(*progress.remainingSeconds) + " left";
    return text;
}

std::string memoryText(const WatchedRun& run, const WatchedMemory& memory)
{
    std::string text = "peak " + formatBytes(memory.peakBytes);
    if (!run.end())
        text = formatBytes(memory.liveBytes) + " now, " + text;
    if (memory.peakReservedBytes > 0)
        text += fmt::format(", {} reserved", formatBytes(memory.peakReservedBytes));
    if (run.fullestRank() >= 0)
        text += fmt::format(" (rank {}, the fullest of {})", run.fullestRank(), run.ranks());
    return text;
}

// Of what is live; after the end, of the peak.
void addComponents(std::vector<std::string>& lines, const WatchedMemory& memory, bool ended, std::size_t columns)
{
    const ComponentBytes& bytes = ended ? memory.atPeak : memory.live;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (bytes[i] > 0)
            order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&bytes](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
    order.resize(std::min(order.size(), kMostComponents));
    const std::size_t width = std::clamp<std::size_t>(columns / 3, 5, 30);
    if (ended && !order.empty())
        lines.emplace_back("at the peak");
    for (const std::size_t i : order) {
        std::string what(name(static_cast<Component>(i)));
        std::replace(what.begin(), what.end(), '_', ' ');
        const double share =
            static_cast<double>(bytes[i]) / static_cast<double>(std::max<std::int64_t>(memory.peakBytes, 1));
        lines.push_back(fmt::format("  {:<20} {} {}", what, bar(share, width), formatBytes(bytes[i])));
    }
}

} // namespace

std::string sparkline(const WatchedMemory& memory, std::size_t width)
{
    const auto& course = memory.course;
    if (course.empty() || width == 0)
        return {};
    const double begin = course.front().first;
    const double range = std::max(course.back().first - begin, 1e-12);
    std::vector<std::int64_t> most(width, -1);
    std::int64_t highest = 0, before = 0;
    std::size_t reached = 0;
    for (const auto& [seconds, bytes] : course) {
        const auto at =
            std::min(width - 1, static_cast<std::size_t>((seconds - begin) / range * static_cast<double>(width)));
        for (; reached < at; ++reached) // bytes stay live until the next event
            most[reached + 1] = std::max(most[reached + 1], before);
        most[at] = std::max(most[at], bytes);
        highest = std::max(highest, bytes);
        before = bytes;
    }
    if (highest <= 0)
        return {};
    std::string line;
    for (const std::int64_t bytes : most) {
        const double share = static_cast<double>(std::max<std::int64_t>(bytes, 0)) / static_cast<double>(highest);
        line += kEighths[std::min<std::size_t>(7, static_cast<std::size_t>(share * 8))];
    }
    return line;
}

std::vector<std::string> endLines(const WatchedRun& run)
{
    if (!run.end())
        return {};
    const EndEvent& end = *run.end();
    std::string status(name(end.status));
    std::replace(status.begin(), status.end(), '_', ' ');
    const std::string why = end.message.empty() && end.fate ? end.fate->sentence() : end.message;
    std::vector<std::string> lines;
    for (const std::string& note : run.notes())
        lines.push_back("note: " + note);
    lines.push_back(why.empty() ? status : status + ": " + why);
    if (!end.file.empty())
        lines.push_back("result in " + end.file);
    return lines;
}

std::vector<std::string> watchFrame(const WatchedRun& run, std::size_t given)
{
    const std::size_t columns = std::clamp(given, kLeastColumns, kMostColumns);
    std::vector<std::string> lines{run.title()};
    if (run.phase())
        lines.push_back(phaseText(*run.phase()));
    if (const auto& progress = run.progress()) {
        lines.push_back(fmt::format("{} {:>3} %  {}",
                                    bar(progress->fraction, std::clamp<std::size_t>(columns / 3, 5, 40)),
                                    percent(progress->fraction), progressText(*progress)));
    }
    if (const WatchedMemory* memory = run.memory()) {
        lines.push_back(memoryText(run, *memory));
        addComponents(lines, *memory, run.end().has_value(), columns);
        if (std::string course = sparkline(*memory, columns); !course.empty())
            lines.push_back(std::move(course));
    }
    for (const auto& [what, value] : run.estimates())
        lines.push_back(what + " " + value);
    if (run.pointCount() > static_cast<std::int64_t>(run.points().size()))
        lines.push_back(fmt::format("{} points, the last ones:", run.pointCount()));
    lines.insert(lines.end(), run.points().begin(), run.points().end());
    for (std::string& line : endLines(run))
        lines.push_back(std::move(line));
    return lines;
}

std::vector<std::string> WatchLog::news(const WatchedRun& run)
{
    std::vector<std::string> lines;
    if (run.started() && !m_titled)
        lines.push_back(run.title());
    m_titled = m_titled || run.started();
    const WatchedMemory* memory = run.memory();
    const std::string bytes = memory ? ": " + memoryText(run, *memory) : "";
    if (const auto& phase = run.phase(); phase && m_phase != std::pair(phase->phase, phase->step)) {
        m_phase = {phase->phase, phase->step};
        lines.push_back(phaseText(*phase) + bytes);
    }
    for (; m_points < run.pointCount(); ++m_points) {
        const auto behind = static_cast<std::size_t>(run.pointCount() - m_points);
        if (behind <= run.points().size())
            lines.push_back(run.points()[run.points().size() - behind]);
    }
    if (const auto& progress = run.progress(); progress && percent(progress->fraction) / 10 != m_tenth) {
        m_tenth = percent(progress->fraction) / 10;
        const std::string text = progressText(*progress);
        lines.push_back(fmt::format("{} %{}{}", percent(progress->fraction), text.empty() ? "" : ": ", text));
    }
    if (run.end() && !m_ended) {
        m_ended = true;
        if (memory)
            lines.push_back(memoryText(run, *memory));
        for (std::string& line : endLines(run))
            lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace peakscope

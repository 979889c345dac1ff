// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/recorded_memory.h"

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/results/curvature_section.h"
#include "core/results/memory_timeline.h"
#include "core/results/usage_peaks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace peakscope {

namespace {

constexpr const char* kOlder = "(before the recording)"; // in place of a line or a stack
constexpr std::size_t kMostEntries = 1'000'000; // of a stored timeline

// By the name of its class, as programs choose it; of a linear layer by its place, and where that says nothing it is
// one of a perceptron's.
std::optional<ModuleKind> kindOf(const std::string& className, const std::string& path)
{
    static constexpr std::array<std::pair<std::string_view, ModuleKind>, 7> kWords{
        {{"lora", ModuleKind::Lora},
         {"norm", ModuleKind::Norm},
         {"embedding", ModuleKind::Embedding},
         {"attention", ModuleKind::Attention},
         {"attn", ModuleKind::Attention},
         {"mlp", ModuleKind::Mlp},
         {"feedforward", ModuleKind::Mlp}}};
    const std::string word = lowerCase(className);
    for (const auto& [part, kind] : kWords) {
        if (word.find(part) != std::string::npos)
            return kind;
    }
    if (word.find("linear") == std::string::npos)
        return std::nullopt;
    const std::size_t ofPlace = curvatureKindOf(path);
    return ofPlace < kModuleKindCount ? static_cast<ModuleKind>(ofPlace) : ModuleKind::Mlp;
}

// Numbers of texts from 1 on, in the order in which they are met; 0: an empty one.
class Numbering
{
public:
    std::uint32_t of(const std::string& text)
    {
        if (text.empty())
            return 0;
        const auto [found, fresh] = m_numbers.try_emplace(text, static_cast<std::uint32_t>(m_texts.size() + 1));
        if (fresh)
            m_texts.push_back(text);
        return found->second;
    }
    const std::vector<std::string>& texts() const { return m_texts; }

private:
    std::map<std::string, std::uint32_t> m_numbers;
    std::vector<std::string> m_texts;
};

// The numbers of a recording in those of a result.
class Renumbered
{
public:
    template <typename Text>
    std::uint32_t of(std::uint32_t number, Numbering& numbering, const Text& text)
    {
        if (number >= m_known.size())
            m_known.resize(number + 1, -1);
        if (m_known[number] < 0)
            m_known[number] = numbering.of(text(number));
        return static_cast<std::uint32_t>(m_known[number]);
    }

private:
    std::vector<std::int64_t> m_known;
};

// Which blocks a part has entries of; without one, all.
std::vector<bool> shownIn(const RecordedWindow* window, std::size_t blocks)
{
    std::vector<bool> shown(blocks, !window);
    if (window) {
        for (const std::uint32_t block : window->part.older)
            shown[block] = true;
        for (const RecordedBlocks::Entry& entry : window->part.entries)
            shown[entry.block] = true;
    }
    return shown;
}

// Of the program's code, the innermost first.
std::vector<std::string> stackLines(const ProbeNames& names, std::uint32_t place)
{
    std::vector<std::string> lines;
    for (; place != 0 && place < names.places.size(); place = names.places[place].outer) {
        std::string line = names.places[place].passed ? std::string() : placeText(names, place);
        if (!line.empty())
            lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace

std::string placeText(const ProbeNames& names, std::uint32_t place)
{
    // Of a whole stack the innermost line of the program's.
    while (place != 0 && place < names.places.size() && names.places[place].passed)
        place = names.places[place].outer;
    if (place == 0 || place >= names.places.size() || names.places[place].file.empty())
        return {};
    const ProbeNames::Place& at = names.places[place];
    return fmt::format("{}:{} {}", std::filesystem::path(at.file).filename().string(), at.line, at.function);
}

std::string stackText(const ProbeNames& names, std::uint32_t place)
{
    constexpr std::size_t kMost = 4;
    std::vector<std::string> lines = stackLines(names, place);
    lines.resize(std::min(lines.size(), kMost));
    return fmt::format("{}", fmt::join(lines, ", from "));
}

std::string wholeStackText(const ProbeNames& names, std::uint32_t place)
{
    return fmt::format("{}", fmt::join(stackLines(names, place), "; "));
}

std::string growthText(const ProbeNames& names, const GrowingPlace& place)
{
    const std::string where = stackText(names, place.place);
    return fmt::format("grows {} a step since step {} at {}", formatBytes(place.stepBytes), place.sinceStep,
                       where.empty() ? "no line of the program" : where);
}

std::optional<double> ranOutSeconds(const RecordedBlocks& blocks)
{
    if (!blocks.ranOut())
        return std::nullopt;
    return static_cast<double>(std::max<std::int64_t>(0, blocks.ranOut()->nanoseconds - blocks.begin())) * 1e-9;
}

MemorySection recordedMemory(const RecordedBlocks& blocks, const ProbeNames& names, std::vector<std::string>& notes,
                             const OtherSource& other, const RecordedWindow* window)
{
    MemorySection section;
    UsagePeaks usage;
    EventOwners& owners = section.owners;
    Numbering modules, operators, lines, stacks;
    Renumbered module, operation, line, stack;
    const bool whole = names.said.contains("stacks");
    const std::vector<RecordedBlocks::Entry>& entries = window ? window->part.entries : blocks.entries();
    const std::int64_t begin = blocks.begin();
    const auto seconds = [begin](std::int64_t nanoseconds) {
        return static_cast<double>(std::max<std::int64_t>(0, nanoseconds - begin)) * 1e-9;
    };
    std::vector<Component> components(blocks.blocks().size());
    std::transform(blocks.blocks().begin(), blocks.blocks().end(), components.begin(), componentOf);
    std::vector<std::uint32_t> lineOfBlock, stackOfBlock;
    const auto ownLine = [&](std::uint32_t number) {
        const std::string text = placeText(names, number / 2);
        return number % 2 == 0 || text.empty() ? text : text + ", not trained";
    };
    const auto ownStack = [&](std::uint32_t number) { return wholeStackText(names, number); };
    const std::vector<bool> shown = shownIn(window, blocks.blocks().size());
    for (const RecordedBlock& block : blocks.blocks()) {
        if (!shown[lineOfBlock.size()]) {
            lineOfBlock.push_back(0);
            stackOfBlock.push_back(0);
            continue;
        }
        const bool older = block.flags & kProbeAdopted;
        stackOfBlock.push_back(!whole ? 0 : older ? stacks.of(kOlder) : stack.of(block.place, stacks, ownStack));
        const std::string known = older ? kOlder : other.line ? other.line(lineOfBlock.size()) : std::string();
        lineOfBlock.push_back(known.empty() ? line.of(2 * block.place + (block.trained ? 0 : 1), lines, ownLine)
                                            : lines.of(known));
    }
    const auto addEntry = [&](const RecordedBlocks::Entry& entry) {
        const RecordedBlock& block = blocks.blocks()[entry.block];
        const std::int64_t bytes = entry.free ? -block.bytes : block.bytes;
        const auto change = [&](std::int64_t by, Component component) {
            const std::uint32_t own = isKeptForBlas(block) ? 0 : block.module;
            owners.module.push_back(module.of(own, modules, [&](std::uint32_t number) {
                return number < names.modules.size() ? names.modules[number].path : std::string();
            }));
            owners.operation.push_back(operation.of(block.operation, operators, [&](std::uint32_t number) {
                return number < names.operators.size() ? names.operators[number] : std::string();
            }));
            owners.line.push_back(lineOfBlock[entry.block]);
            if (whole)
                owners.stack.push_back(stackOfBlock[entry.block]);
            usage.change(seconds(entry.nanoseconds), by, component, owners.module.back());
            if (owners.operation.back() != 0)
                usage.changeOfOperator(owners.operation.back(), block.phase, by);
        };
        change(bytes, components[entry.block]);
        if (const std::int64_t rounding = other.rounding ? other.rounding(entry.block) : 0; rounding != 0)
            change(entry.free ? -rounding : rounding, Component::Rounding);
    };
    for (const std::uint32_t block : window ? window->part.older : std::vector<std::uint32_t>())
        addEntry({window->begin, block, false});
    for (const RecordedBlocks::Entry& entry : entries)
        addEntry(entry);
    owners.modules = modules.texts();
    owners.operators = operators.texts();
    owners.lines = lines.texts();
    owners.stacks = stacks.texts();
    const MemoryTimeline timeline(usage.timeline());
    section.peakBytes = section.peakReservedBytes = timeline.peakBytes();
    section.peakRequestedBytes = timeline.peakBytesWithout(Component::Rounding);
    section.peakTimeSeconds = timeline.size() > 0 ? timeline.peakSeconds() : 0;
    section.peakComponents = timeline.peakComponents();
    section.maxComponents = timeline.maxComponents();
    section.timeline = timeline.data(kMostEntries);
    std::map<std::string, std::string> kinds;
    for (const ProbeNames::Module& each : names.modules)
        kinds.emplace(each.path, each.kind);
    std::vector<ModuleUsage> used = usage.modules(timeline.peakEntries());
    for (std::size_t i = 1; i < used.size(); ++i) {
        used[i].name = owners.modules[i - 1];
        used[i].kind = kindOf(kinds[used[i].name], used[i].name);
        section.modules.push_back(std::move(used[i]));
    }
    for (auto& [key, row] : usage.operators()) {
        row.name = owners.operators[key.first - 1];
        row.phase = key.second;
        section.operators.push_back(row);
    }
    std::stable_sort(
        section.operators.begin(), section.operators.end(),
        [](const OperatorUsage& a, const OperatorUsage& b) { return a.allocatedBytes > b.allocatedBytes; });
    for (const RecordedBlocks::Mark& mark : window ? window->part.marks : blocks.marks())
        section.phases.push_back({mark.phase, mark.step, seconds(mark.nanoseconds)});
    // Neither calls nor times are recorded.
    section.missing = {"snapshots", "modules.forward_seconds", "modules.backward_seconds", "operators.count",
                       "operators.seconds"};
    if (section.timeline.merged) {
        owners = {};
        notes.push_back(fmt::format("of {} memory events the timeline keeps the peaks and a selection of the others; "
                                    "modules, operators and lines are known for the peak alone",
                                    entries.size()));
    }
    return section;
}

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/component_reading.h"

#include "core/base/json/json_reader.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr const char* kMeasured = "components_measured";
constexpr const char* kCumulated = "components_cumulated";
constexpr const char* kGuessed = "components_guessed";
constexpr const char* kInferred = "components_inferred";
constexpr const char* kModulesMeasured = "modules_measured";
constexpr const char* kHookIncreases = "hook_increases";

const nlohmann::json& memoryMember(const RunResult& result, const char* key)
{
    return lenient::member(lenient::member(result.other, "memory"), key);
}

bool isCumulated(const RunResult& result, Component component)
{
    const std::vector<std::string> names = lenient::texts(memoryMember(result, kCumulated));
    return std::find(names.begin(), names.end(), name(component)) != names.end();
}

} // namespace

ComponentReading componentReading(const RunResult& result, Component component)
{
    return isCumulated(result, component) ? ComponentReading::Cumulated : commonReading(result);
}

ComponentReading commonReading(const RunResult& result)
{
    const auto measured = jsonAs<std::string>(memoryMember(result, kMeasured));
    if (measured && !measured->empty())
        return ComponentReading::AfterStep;
    if (!result.memory || !result.memory->has("peak_components"))
        return ComponentReading::AtPeak;
    return commonBytes(result) == result.memory->peakBytes ? ComponentReading::AtPeak : ComponentReading::Apart;
}

ComponentReadings componentReadings(const RunResult& result)
{
    ComponentReadings readings{};
    readings.fill(commonReading(result));
    for (const Component component : cumulatedComponents(result))
        readings[static_cast<std::size_t>(component)] = ComponentReading::Cumulated;
    return readings;
}

std::string_view readingColumn(ComponentReading reading)
{
    constexpr std::array<std::string_view, kComponentReadingCount> kColumns{"bytes_at_peak", "bytes_after_step",
                                                                            "bytes_cumulated", "bytes_listed"};
    return kColumns[static_cast<std::size_t>(reading)];
}

bool componentsAreAtPeak(const RunResult& result)
{
    return commonReading(result) == ComponentReading::AtPeak && cumulatedComponents(result).empty();
}

std::vector<Component> cumulatedComponents(const RunResult& result)
{
    std::vector<Component> found;
    for (std::size_t i = 0; memoryMember(result, kCumulated).is_array() && i < kComponentCount; ++i) {
        if (isCumulated(result, static_cast<Component>(i)))
            found.push_back(static_cast<Component>(i));
    }
    return found;
}

std::int64_t commonBytes(const RunResult& result)
{
    std::uint64_t sum = 0; // unsigned: bytes of a hostile file may wrap here without harm
    for (std::size_t i = 0; result.memory && i < kComponentCount; ++i) {
        if (!isCumulated(result, static_cast<Component>(i)))
            sum += static_cast<std::uint64_t>(result.memory->peakComponents[i]);
    }
    return static_cast<std::int64_t>(sum);
}

ComponentDoubt componentDoubt(const RunResult& result)
{
    const nlohmann::json& memory = lenient::member(result.other, "memory");
    return lenient::flag(memory, kInferred)  ? ComponentDoubt::Inferred
           : lenient::flag(memory, kGuessed) ? ComponentDoubt::FirstGuesses
                                             : ComponentDoubt::None;
}

bool isDoubtful(ComponentDoubt doubt, Component component)
{
    return doubt == ComponentDoubt::Inferred ? component != Component::Other
                                             : doubt == ComponentDoubt::FirstGuesses && isFirstGuess(component);
}

void setGuessed(RunResult& result)
{
    std::string guesses;
    for (const Component component : kFirstGuesses)
        guesses += (guesses.empty() ? "" : ", ") + std::string(name(component));
    result.other["memory"][kGuessed] = true;
    result.notes.push_back("the memory section was made from the live events, because the run ended before its summary "
                           "of modules and operators. Allocations are not classified by lifetime: " +
                           guesses + " are first guesses");
}

void setInferred(RunResult& result)
{
    result.other["memory"][kInferred] = true;
}

void setRecorded(RunResult& result)
{
    if (const auto memory = result.other.find("memory"); memory != result.other.end())
        memory->erase(kInferred);
}

void setReadAfterStep(RunResult& result)
{
    result.other["memory"][kMeasured] = "after_step";
}

void setCumulated(RunResult& result, Component component)
{
    result.other["memory"][kCumulated].push_back(std::string(name(component)));
}

bool modulesAreHookIncreases(const RunResult& result)
{
    return jsonAs<std::string>(memoryMember(result, kModulesMeasured)) == kHookIncreases;
}

void setHookIncreases(RunResult& result)
{
    result.other["memory"][kModulesMeasured] = kHookIncreases;
}

} // namespace peakscope

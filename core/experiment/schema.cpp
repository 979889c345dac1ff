// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// schema.h: what a row says of itself, in words and as JSON.
#include "core/experiment/schema.h"

#include "core/base/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

KeySlot slotOfDefault(const ExperimentKey& key)
{
    Experiment& any = const_cast<Experiment&>(defaultExperiment()); // slots are read alone here
    return key.slot(any);
}

bool isNumber(KeyType type)
{
    return type == KeyType::Integer || type == KeyType::Number || type == KeyType::Numbers;
}

// "0.7", "1e-05", "16777216"
std::string numberText(double value)
{
    return value == static_cast<double>(static_cast<std::int64_t>(value))
               ? fmt::format("{}", static_cast<std::int64_t>(value))
               : fmt::format("{}", value);
}

} // namespace

const ExperimentKey* findExperimentKey(std::string_view path)
{
    const auto keys = experimentKeys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.path == path; });
    return found == keys.end() ? nullptr : &*found;
}

KeyType typeOf(const ExperimentKey& key)
{
    return std::visit(
        Overloaded{[](bool*) { return KeyType::Truth; }, [](std::int64_t*) { return KeyType::Integer; },
                   [](std::uint64_t*) { return KeyType::Integer; }, [](double*) { return KeyType::Number; },
                   [](std::string*) { return KeyType::Text; }, [](std::vector<std::string>*) { return KeyType::Texts; },
                   [](std::vector<double>*) { return KeyType::Numbers; },
                   [](std::vector<MarkOptions>*) { return KeyType::Marks; },
                   [](std::vector<EntryChoice>*) { return KeyType::Entries; },
                   [](const WordSlot&) { return KeyType::Word; }, [](const WordsSlot&) { return KeyType::Words; },
                   [](const ShapeSlot& slot) { return slot.type; }},
        slotOfDefault(key));
}

std::vector<std::string> wordsOf(const ExperimentKey& key)
{
    return std::visit(Overloaded{[](const WordSlot& slot) { return *slot.words; },
                                 [](const WordsSlot& slot) { return *slot.words; },
                                 [](const ShapeSlot& slot) { return slot.words; },
                                 [](const auto&) { return std::vector<std::string>(); }},
                      slotOfDefault(key));
}

std::string typeText(const ExperimentKey& key)
{
    switch (typeOf(key)) {
    case KeyType::Truth:
        return "true or false";
    case KeyType::Integer:
        return "an integer";
    case KeyType::Number:
        return "a number";
    case KeyType::Text:
        return "a text";
    case KeyType::Texts:
        return "a list of texts";
    case KeyType::Numbers:
        return "a list of numbers";
    case KeyType::Word:
        return "one of " + joinWords(wordsOf(key));
    case KeyType::Words:
        return "a list of " + joinWords(wordsOf(key));
    case KeyType::Marks:
        return R"(a list of {"name": …, "module": PATTERN, "operator": PATTERN})";
    case KeyType::Entries:
        return R"(a list of {"parameter": NAME, "index": POSITION})";
    }
    return {};
}

std::string rangeText(const ExperimentKey& key)
{
    if (!isNumber(typeOf(key)))
        return {};
    const auto [least, most] = key.more.range;
    return most == kMostNumber ? "≥ " + numberText(least) : fmt::format("{} … {}", numberText(least), numberText(most));
}

std::string kindsText(const ExperimentKey& key)
{
    const std::vector<std::string>& words = wordsOf(ExperimentKind::Memory);
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if ((key.kinds >> i & 1) != 0)
            kinds.push_back(words[i]);
    }
    return joinWords(kinds);
}

std::string defaultText(const ExperimentKey& key)
{
    if (*key.more.fallback != '\0' || key.isOfModel())
        return key.more.fallback;
    const nlohmann::json value = keyValue(key, defaultExperiment());
    if (typeOf(key) == KeyType::Words && value.size() == wordsOf(key).size())
        return "all of them";
    std::vector<std::string> words;
    for (const nlohmann::json& one : value.is_array() ? value : nlohmann::json::array({value}))
        words.push_back(one.is_string()   ? one.get<std::string>()
                        : one.is_number() ? numberText(one.get<double>())
                                          : one.dump());
    return fmt::format("{}", fmt::join(words, ", "));
}

nlohmann::json keyValue(const ExperimentKey& key, const Experiment& experiment)
{
    using Json = nlohmann::json;
    const Overloaded write{
        [](const WordSlot& slot) { return Json((*slot.words)[slot.get()]); },
        [](const WordsSlot& slot) { return Json(slot.get()); },
        [](const ShapeSlot&) { return Json(); },
        [](const std::vector<MarkOptions>* marks) {
            Json list = Json::array();
            for (const MarkOptions& mark : *marks)
                list.push_back({{"name", mark.name}, {"module", mark.module}, {"operator", mark.operation}});
            return list;
        },
        [](const std::vector<EntryChoice>* entries) {
            Json list = Json::array();
            for (const EntryChoice& entry : *entries)
                list.push_back({{"parameter", entry.parameter}, {"index", entry.index}});
            return list;
        },
        [](const auto* value) { return Json(*value); }};
    return std::visit(write, key.slot(const_cast<Experiment&>(experiment))); // slots are read alone here
}

const Experiment& defaultExperiment()
{
    static const Experiment experiment = [] {
        Experiment whole;
        whole.curvature.emplace();
        whole.prm.emplace();
        return whole;
    }();
    return experiment;
}

} // namespace peakscope

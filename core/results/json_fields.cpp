// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/json_fields.h"

#include "core/base/json/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

template <typename T>
void readWord(JsonReader& reader, std::string_view key, std::optional<T>& out,
              std::optional<T> (*fromName)(std::string_view), const char* what, Notes& notes)
{
    std::string text;
    reader.read(key, text);
    out = fromName(text);
    if (!out && !text.empty()) {
        addNote(notes, describeJson(text) + " is not a " + what + "; left out");
    }
}

} // namespace

void addNote(Notes& notes, std::string note)
{
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(std::move(note));
    }
}

nlohmann::json jsonObject(JsonFields fields)
{
    nlohmann::json object = nlohmann::json::object();
    for (auto& [key, value] : fields) {
        object[key] = std::move(value);
    }
    return object;
}

nlohmann::json timeJson(double seconds)
{
    return std::abs(seconds) < kRoundedSeconds ? nlohmann::json(std::round(seconds * 1e9) / 1e9) : jsonNumber(seconds);
}

nlohmann::json componentNames()
{
    nlohmann::json names = nlohmann::json::array();
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        names.push_back(name(static_cast<Component>(i)));
    }
    return names;
}

nlohmann::json componentBytesToJson(const ComponentBytes& bytes)
{
    nlohmann::json out = nlohmann::json::object();
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        out[std::string(name(static_cast<Component>(i)))] = bytes[i];
    }
    return out;
}

std::string noneOf(const nlohmann::json& value, const std::vector<std::string>& words)
{
    return fmt::format("{} is not one of {}", describeJson(value), fmt::join(words, ", "));
}

std::optional<std::size_t> requireWord(JsonReader& reader, std::string_view key, const std::vector<std::string>& words)
{
    std::string text;
    reader.require(key, text);
    const auto found = std::find(words.begin(), words.end(), text);
    if (reader.ok() && found == words.end()) {
        reader.fail(key, noneOf(text, words));
    }
    return reader.ok() ? std::optional<std::size_t>(found - words.begin()) : std::nullopt;
}

void readJson(JsonReader& reader, std::string_view key, ComponentBytes& out, Notes& notes)
{
    auto object = reader.object(key);
    if (!object) {
        return;
    }
    out = {};
    for (const auto& [text, value] : reader.find(key)->items()) {
        std::int64_t bytes = 0;
        object->read(text, bytes);
        if (const auto component = componentFromName(text)) {
            out[static_cast<std::size_t>(*component)] += bytes;
        } else {
            addNote(notes, "component " + describeJson(text) + " is unknown here; its bytes count as \"other\"");
            auto& other = out[static_cast<std::size_t>(Component::Other)];
            if (__builtin_add_overflow(other, bytes, &other)) {
                object->fail(text, "is more than a size can be");
            }
        }
    }
}

void readJson(JsonReader& reader, std::string_view key, std::optional<ComponentBytes>& out, Notes& notes)
{
    if (reader.has(key)) {
        readJson(reader, key, out.emplace(), notes);
    }
}

void readJson(JsonReader& reader, std::string_view key, std::optional<std::int64_t>& out, Notes&)
{
    const nlohmann::json* member = lenient::find(reader.value(), key);
    out = member ? jsonInteger(*member) : std::nullopt;
    if (member && !out) {
        reader.fail(key, describeJson(*member) + " is not a whole number");
    }
}

void readJson(JsonReader& reader, std::string_view key, std::map<std::string, std::int64_t>& out, Notes&)
{
    if (auto object = reader.object(key)) {
        for (const auto& [name, value] : object->value().items()) {
            object->read(name, out[name]);
        }
    }
}

void readJson(JsonReader& reader, std::string_view key, Phase& out, Notes&)
{
    std::string text;
    reader.require(key, text);
    const auto phase = phaseFromName(text);
    if (reader.ok() && !phase) {
        reader.fail(key, describeJson(text) + " is not a phase");
    }
    out = phase.value_or(out);
}

void readJson(JsonReader& reader, std::string_view key, std::optional<Phase>& out, Notes& notes)
{
    readWord(reader, key, out, phaseFromName, "phase", notes);
}

void readJson(JsonReader& reader, std::string_view key, std::optional<ModuleKind>& out, Notes& notes)
{
    readWord(reader, key, out, moduleKindFromName, "module kind", notes);
}

} // namespace peakscope

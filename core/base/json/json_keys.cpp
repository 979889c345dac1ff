// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json/json_keys.h"

#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace peakscope {

namespace {

using Json = nlohmann::json;

// An object or an array that is being read.
struct Level {
    bool isArray = false;
    std::size_t elements = 0; // of an array, begun
    std::string key;          // of an object, the last
    std::set<std::string> keys;

    std::string place() const { return isArray ? std::to_string(elements - 1) : key; }
};

class KeyWatch
{
public:
    // What nlohmann/json calls while it parses.
    bool operator()(Json::parse_event_t event, const Json& parsed)
    {
        switch (event) {
        case Json::parse_event_t::object_start:
        case Json::parse_event_t::array_start:
            countElement();
            m_levels.emplace_back().isArray = event == Json::parse_event_t::array_start;
            break;
        case Json::parse_event_t::object_end:
        case Json::parse_event_t::array_end:
            m_levels.pop_back();
            break;
        case Json::parse_event_t::key:
            m_levels.back().key = parsed.get_ref<const std::string&>();
            if (!m_levels.back().keys.insert(m_levels.back().key).second && m_repeated.empty())
                m_repeated = path();
            break;
        case Json::parse_event_t::value:
            countElement();
            break;
        }
        return true;
    }

    const std::string& repeated() const { return m_repeated; }

private:
    void countElement()
    {
        if (!m_levels.empty() && m_levels.back().isArray)
            ++m_levels.back().elements;
    }

    std::string path() const
    {
        std::string text;
        for (const Level& level : m_levels)
            text += (&level == &m_levels.front() ? "" : ".") + level.place();
        return text.empty() ? "the key \"\"" : oneLine(text);
    }

    std::vector<Level> m_levels;
    std::string m_repeated;
};

} // namespace

std::string repeatedKey(std::string_view json)
{
    KeyWatch watch;
    const Json parsed = Json::parse(
        json.begin(), json.end(), [&watch](int, Json::parse_event_t event, Json& value) { return watch(event, value); },
        false);
    return parsed.is_discarded() ? std::string() : watch.repeated();
}

Status refuseRepeatedKeys(std::string_view json, const std::string& context)
{
    const std::string key = repeatedKey(json);
    return key.empty() ? Status(Done{}) : badInput(context, key + " appears twice; keep one of them");
}

} // namespace peakscope

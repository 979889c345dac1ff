// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schema (draft 2020-12) of what members() names, so that it can't differ from what is written and read; see
// json_fields.h. Any thread.
#pragma once

#include "core/results/json_fields.h"

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace peakscope {

inline constexpr const char* kSchemaDialect = "https://json-schema.org/draft/2020-12/schema";

inline nlohmann::json typeSchema(const char* type)
{
    return {{"type", type}};
}

// Of an array whose elements are such.
inline nlohmann::json arraySchema(nlohmann::json items)
{
    return {{"type", "array"}, {"items", std::move(items)}};
}

class FieldSchema
{
public:
    template <typename T>
    void operator()(std::string_view key, const T&, Field field = Field::Always)
    {
        m_properties[std::string(key)] = of(static_cast<const T*>(nullptr));
        if (field == Field::Required)
            m_required.emplace_back(key);
    }
    void apart(std::string_view key, const auto&) { m_properties[std::string(key)] = typeSchema("object"); }

    // Of an object, which may have more members: results grow.
    nlohmann::json take()
    {
        nlohmann::json schema{{"type", "object"}, {"properties", std::move(m_properties)}};
        if (!m_required.empty())
            schema["required"] = std::move(m_required);
        return schema;
    }

private:
    template <typename T>
    static nlohmann::json of(const T*)
    {
        if constexpr (requires(FieldSchema & fields, const T& value) { members(fields, value); }) {
            FieldSchema fields;
            const T value{};
            members(fields, value);
            return fields.take();
        } else if constexpr (std::same_as<T, ComponentBytes>) {
            return {{"type", "object"}, {"additionalProperties", typeSchema("integer")}};
        } else if constexpr (HasWords<T>) {
            return {{"enum", wordsOf(T{})}};
        } else if constexpr (std::same_as<T, bool>) {
            return typeSchema("boolean");
        } else if constexpr (std::integral<T>) {
            return typeSchema("integer");
        } else if constexpr (std::floating_point<T>) {
            return {{"type", {"number", "null"}}}; // null: no number
        } else if constexpr (std::same_as<T, std::string>) {
            return typeSchema("string");
        } else {
            return nlohmann::json::object(); // anything
        }
    }
    template <typename T>
    static nlohmann::json of(const std::optional<T>*)
    {
        return {{"anyOf", {of(static_cast<const T*>(nullptr)), typeSchema("null")}}};
    }
    template <typename T>
    static nlohmann::json of(const std::vector<T>*)
    {
        return arraySchema(of(static_cast<const T*>(nullptr)));
    }
    template <typename T>
    static nlohmann::json of(const std::map<std::string, T>*)
    {
        return {{"type", "object"}, {"additionalProperties", of(static_cast<const T*>(nullptr))}};
    }

    nlohmann::json m_properties = nlohmann::json::object();
    std::vector<std::string> m_required;
};

template <typename T>
nlohmann::json membersSchema()
{
    FieldSchema fields;
    const T value{};
    members(fields, value);
    return fields.take();
}

} // namespace peakscope

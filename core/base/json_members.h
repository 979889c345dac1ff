// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Members of JSON that may be anything, where what is not there and what is of another type are alike: for sections of
// results, of which as much is shown as can be read. JsonReader is for what must be right.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope::lenient {

// Null where the object has no such member, or where it is null.
const nlohmann::json* find(const nlohmann::json& object, const char* key);
// The same as a value: null where there is none.
const nlohmann::json& member(const nlohmann::json& object, const char* key);
double number(const nlohmann::json& object, const char* key);      // else not a number
std::int64_t count(const nlohmann::json& object, const char* key); // above zero, else 0
std::int64_t integer(const nlohmann::json& object, const char* key, std::int64_t otherwise);
std::string text(const nlohmann::json& object, const char* key);
// An array's elements, those that are none being not a number; empty where it is no array.
std::vector<double> numbers(const nlohmann::json& array);

} // namespace peakscope::lenient

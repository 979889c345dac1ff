// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/memory_line.h"

#include "core/base/json/json_text.h"

#include <algorithm>
#include <charconv>

namespace peakscope {

namespace {

// Takes a line apart from its front; every function says whether the text was as expected.
class Cursor
{
public:
    explicit Cursor(std::string_view text) : m_rest(text) {}

    bool skip(std::string_view expected)
    {
        if (m_rest.substr(0, expected.size()) != expected) {
            return false;
        }
        m_rest.remove_prefix(expected.size());
        return true;
    }

    template <typename T>
    bool number(T& out)
    {
        const auto parsed = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), out);
        if (parsed.ec != std::errc{}) {
            return false;
        }
        m_rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - m_rest.data()));
        return true;
    }

    template <typename T, typename Add>
    bool array(Add add)
    {
        if (!skip("[")) {
            return false;
        }
        if (skip("]")) {
            return true;
        }
        do {
            T value{};
            if (!number(value)) {
                return false;
            }
            add(value);
        } while (skip(","));
        return skip("]");
    }

    bool atEnd() const { return m_rest.empty(); }

private:
    std::string_view m_rest;
};

} // namespace

std::string memoryLine(const MemoryEvent& event)
{
    std::string out;
    out.reserve(event.timeSeconds.size() * 26 + 256);
    out += "{\"event\":\"memory\",\"time_seconds\":";
    appendArray(out, event.timeSeconds, appendSeconds);
    out += ",\"delta_bytes\":";
    appendArray(out, event.deltaBytes, appendInteger);
    out += ",\"component\":";
    appendArray(out, event.component, [](std::string& text, Component component) {
        appendInteger(text, static_cast<std::int64_t>(component));
    });
    appendInteger(out += ",\"allocated_bytes\":", event.allocatedBytes);
    if (event.reservedBytes > 0)
        appendInteger(out += ",\"reserved_bytes\":", event.reservedBytes);
    appendInteger(out += ",\"resident_bytes\":", event.residentBytes);
    out += '}';
    return out;
}

std::optional<MemoryEvent> memoryFromLine(std::string_view line, int& rank)
{
    Cursor cursor(line);
    const bool ranked = cursor.skip("{\"rank\":");
    std::uint16_t number = 0;
    if (ranked && !(cursor.number(number) && cursor.skip(","))) {
        return std::nullopt;
    }
    if (!cursor.skip(ranked ? "\"event\":\"memory\",\"time_seconds\":" : "{\"event\":\"memory\",\"time_seconds\":")) {
        return std::nullopt;
    }
    MemoryEvent event;
    const std::size_t expected = line.size() / 24; // of entries; near enough to spare most growth
    event.timeSeconds.reserve(expected);
    event.deltaBytes.reserve(expected);
    event.component.reserve(expected);
    const bool read =
        cursor.array<double>([&](double value) { event.timeSeconds.push_back(value); }) &&
        cursor.skip(",\"delta_bytes\":") &&
        cursor.array<std::int64_t>([&](std::int64_t value) { event.deltaBytes.push_back(value); }) &&
        cursor.skip(",\"component\":") &&
        cursor.array<std::uint8_t>([&](std::uint8_t value) { event.component.push_back(Component{value}); }) &&
        cursor.skip(",\"allocated_bytes\":") && cursor.number(event.allocatedBytes) &&
        (!cursor.skip(",\"reserved_bytes\":") || cursor.number(event.reservedBytes)) &&
        cursor.skip(",\"resident_bytes\":") && cursor.number(event.residentBytes) && cursor.skip("}") && cursor.atEnd();
    if (!read) {
        return std::nullopt;
    }
    if (ranked) {
        rank = number;
    }
    return event;
}

} // namespace peakscope

// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/snapshot_bytes.h"

#include "core/base/free_memory.h"
#include "core/base/units.h"
#include "core/files/zip_archive.h"
#include "core/import/cuda_snapshot_file.h"

#include <bit>
#include <unordered_map>

namespace peakscope {

namespace {

using Kind = JsonStream::Kind;

constexpr int kDeepest = 4;               // at which a snapshot is looked for
constexpr std::size_t kItemsLookedAt = 8; // of an array

bool looksLikeSnapshot(JsonStream& json, int depth);

// An array of traces: an array each.
bool areTraces(JsonStream& json)
{
    if (json.peek() != Kind::Array) {
        json.skip();
        return false;
    }
    json.enterArray();
    return !json.nextElement() || json.peek() == Kind::Array;
}

// An array of segments, or of anything that may be a snapshot.
bool holdsSegments(JsonStream& json, int depth)
{
    json.enterArray();
    for (std::size_t i = 0; json.nextElement(); ++i) {
        const Kind kind = json.peek();
        if (i >= kItemsLookedAt || (kind != Kind::Object && kind != Kind::Array))
            json.skip();
        else if (looksLikeSnapshot(json, depth + 1))
            return true;
    }
    return false;
}

bool looksLikeSnapshot(JsonStream& json, int depth)
{
    if (depth > kDeepest) {
        json.skip();
        return false;
    }
    if (json.peek() == Kind::Array)
        return holdsSegments(json, depth);
    json.enterObject();
    std::string_view key;
    bool blocks = false, size = false;
    while (json.nextKey(key)) {
        const bool traces = key == "device_traces";
        blocks |= key == "blocks";
        size |= key == "total_size";
        if ((blocks && size) || (traces && areTraces(json)))
            return true;
        const Kind kind = json.peek();
        if (traces)
            continue;
        if (kind != Kind::Object && kind != Kind::Array)
            json.skip();
        else if (looksLikeSnapshot(json, depth + 1))
            return true;
    }
    return false;
}

// By its words, which no file of weights has: these are told apart before anything is read.
bool beginsAsSnapshot(std::string_view pickle)
{
    const std::string_view head = pickle.substr(0, std::size_t{1} << 20);
    const auto has = [head](std::string_view word) { return head.find(word) != std::string_view::npos; };
    return has("device_traces") || (has("total_size") && has("active_size") && has("blocks"));
}

// Values of JSON as opcodes of protocol 4. A text that was written before is written as its place.
class JsonPickler
{
public:
    JsonPickler(JsonStream& json, const std::string& name, std::string& out) : m_json(json), m_name(name), m_out(out)
    {
        m_out = "\x80\x04";
    }

    // False after an error of the text, of which what came has been written; error() is one of this machine.
    bool value();
    const std::optional<Error>& error() const { return m_error; }

private:
    void number(std::uint64_t value, int bytes)
    {
        for (int i = 0; i < bytes; ++i)
            m_out += static_cast<char>(value >> (8 * i));
    }
    void text(std::string_view text);
    void scalar(const JsonStream::Scalar& scalar);
    bool fits();

    JsonStream& m_json;
    const std::string& m_name;
    std::string& m_out;
    std::unordered_map<std::string, std::uint32_t> m_places;
    std::size_t m_asked = 0;
    std::optional<Error> m_error;
};

void JsonPickler::text(std::string_view text)
{
    constexpr std::size_t kLongest = 1000, kMost = 1'000'000; // that are looked up
    if (text.size() <= kLongest) {
        if (const auto known = m_places.find(std::string(text)); known != m_places.end()) {
            m_out += 'j';
            return number(known->second, 4);
        }
    }
    m_out += '\x8d';
    number(text.size(), 8);
    m_out += text;
    if (text.size() <= kLongest && m_places.size() < kMost) {
        m_places.emplace(text, static_cast<std::uint32_t>(m_places.size()));
        m_out += '\x94';
    }
}

void JsonPickler::scalar(const JsonStream::Scalar& scalar)
{
    if (scalar.kind == Kind::String) {
        text(scalar.text);
    } else if (scalar.kind == Kind::Bool) {
        m_out += scalar.boolean ? '\x88' : '\x89';
    } else if (scalar.kind != Kind::Number) {
        m_out += 'N';
    } else if (scalar.isInteger && scalar.integer == static_cast<std::int32_t>(scalar.integer)) {
        m_out += 'J';
        number(static_cast<std::uint64_t>(scalar.integer), 4);
    } else if (scalar.isInteger || scalar.isUnsigned) {
        const std::uint64_t bits = scalar.isInteger ? static_cast<std::uint64_t>(scalar.integer) : scalar.natural;
        m_out += '\x8a';
        m_out += static_cast<char>(scalar.isInteger ? 8 : 9);
        number(bits, 8);
        if (!scalar.isInteger)
            m_out += '\0';
    } else {
        m_out += 'G';
        number(__builtin_bswap64(std::bit_cast<std::uint64_t>(scalar.number)), 8);
    }
}

bool JsonPickler::fits()
{
    constexpr std::size_t kAskedAgain = std::size_t{64} << 20;
    if (m_out.size() < m_asked)
        return true;
    m_asked = m_out.size() + kAskedAgain;
    if (m_out.size() > kLargestPickle)
        m_error = badInput(m_name, "is longer than the " + formatBytes(static_cast<std::int64_t>(kLargestPickle)) +
                                       " that are read of this format");
    else if (const Status fits = checkMemory(m_name, m_asked, 2); !fits) // it moves as it grows
        m_error = fits.error();
    return !m_error;
}

bool JsonPickler::value()
{
    const Kind kind = m_json.peek();
    if (kind == Kind::Object && m_json.enterObject()) {
        m_out += "}(";
        std::string_view key;
        while (m_json.nextKey(key)) {
            text(key);
            if (!value())
                return false;
        }
        m_out += m_json.ok() ? "u" : "";
        return m_json.ok() && fits();
    }
    if (kind == Kind::Array && m_json.enterArray()) {
        m_out += ']';
        while (m_json.nextElement()) {
            if (!value() || !fits())
                return false;
            m_out += 'a';
        }
        return m_json.ok();
    }
    JsonStream::Scalar read;
    if (!m_json.read(read))
        return false;
    scalar(read);
    return true;
}

} // namespace

bool holdsJsonSnapshot(JsonStream& json)
{
    const Kind kind = json.peek();
    return (kind == Kind::Object || kind == Kind::Array) && looksLikeSnapshot(json, 0);
}

std::string_view savedSnapshot(std::string_view file, const std::string& name)
{
    // Its number, protocol and machine come before it, each a pickle: torch/serialization.py, _legacy_save.
    constexpr std::string_view kStream("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", 21);
    constexpr std::string_view kNext(".\x80\x02", 3);
    if (file.starts_with(kStream)) {
        const std::size_t end = file.find(kNext, kStream.size());
        const std::string_view saved = end == std::string_view::npos ? std::string_view() : file.substr(end + 1);
        return beginsAsSnapshot(saved) ? saved : std::string_view();
    }
    if (!file.starts_with("PK"))
        return {};
    const auto entries = readZipDirectory(file, name);
    if (!entries)
        return {};
    for (const ZipEntry& entry : *entries) {
        if (entry.stored && (entry.name == "data.pkl" || entry.name.ends_with("/data.pkl")) &&
            beginsAsSnapshot(entry.data))
            return entry.data;
    }
    return {};
}

Status SnapshotBytes::read(ByteSource& source)
{
    source.rewind();
    JsonStream json(source);
    const Kind kind = json.peek();
    if (kind == Kind::Object || kind == Kind::Array) {
        JsonPickler pickler(json, source.name(), m_made);
        const bool whole = pickler.value() && json.finish();
        if (pickler.error())
            return *pickler.error();
        if (whole)
            m_made += '.';
        else if (!json.endsEarly())
            return json.error();
        else
            m_jsonEnds = json.bytes();
        m_pickle = m_made;
        return Done{};
    }
    source.rewind();
    const auto bytes = source.whole(kLargestPickle, ByteSource::Cut::Taken);
    if (!bytes)
        return bytes.error();
    const std::string_view saved = savedSnapshot(*bytes, source.name());
    m_pickle = saved.empty() ? *bytes : saved;
    return Done{};
}

} // namespace peakscope

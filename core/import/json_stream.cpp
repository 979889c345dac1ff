// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/json_stream.h"

#include "core/base/json/non_finite.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/files/message_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace peakscope {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr std::size_t kLongestString = std::size_t{16} << 20;
constexpr std::size_t kNoToken = std::numeric_limits<std::size_t>::max();

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Four hex digits at `at`; -1 where they are none.
int hexCode(std::string_view text, std::size_t at)
{
    int code = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        const int digit = i < text.size() ? hexDigit(text[i]) : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

} // namespace

JsonStream::JsonStream(ByteSource& source, std::size_t maxDepth)
    : m_source(source), m_maxDepth(maxDepth), m_buffer(kBuffer), m_keep(kNoToken)
{}

void JsonStream::fail(const std::string& message)
{
    if (m_error)
        return;
    // At the last byte whatever is wrong may be right in the whole file: half of a number or of a word.
    m_endsEarly = m_source.error() ? m_source.endsEarly() : m_ended && m_position == m_end && !m_open.empty();
    if (m_source.error())
        m_error = *m_source.error();
    else
        m_error = badInput(m_source.name(), place() + ": " + message);
}

std::string JsonStream::place() const
{
    const std::string_view before(m_buffer.data(), m_position);
    const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t lineFeed = before.rfind('\n');
    const std::uint64_t column =
        lineFeed == std::string_view::npos ? m_columnBefore + before.size() + 1 : before.size() - lineFeed;
    return "line " + std::to_string(m_linesBefore + lines + 1) + ", column " + std::to_string(column);
}

// Makes room behind what must stay and reads on; false at the end.
bool JsonStream::refill()
{
    if (m_ended || m_error)
        return false;
    const std::size_t from = std::min(m_keep, m_position);
    const std::string_view leaving(m_buffer.data(), from);
    m_bytesBefore += from;
    m_linesBefore += static_cast<std::uint64_t>(std::count(leaving.begin(), leaving.end(), '\n'));
    const std::size_t lineFeed = leaving.rfind('\n');
    m_columnBefore = lineFeed == std::string_view::npos ? m_columnBefore + from : from - lineFeed - 1;
    std::memmove(m_buffer.data(), m_buffer.data() + from, m_end - from);
    m_position -= from;
    m_end -= from;
    m_keep = m_keep == kNoToken ? kNoToken : m_keep - from;
    if (m_end == m_buffer.size()) {
        if (m_buffer.size() >= kLongestString) {
            fail("a string or number longer than 16 MiB");
            return false;
        }
        m_buffer.resize(m_buffer.size() * 2);
    }
    const std::size_t got = m_source.read(m_buffer.data() + m_end, m_buffer.size() - m_end);
    m_end += got;
    m_ended = got == 0;
    if (m_source.error())
        fail({});
    return got > 0;
}

int JsonStream::byteAt()
{
    if (m_position == m_end && !refill())
        return -1;
    return static_cast<unsigned char>(m_buffer[m_position]);
}

// Whether the bytes that come next, of which the first is there, are these two.
bool JsonStream::startsWith(std::string_view two)
{
    if (m_position + 1 == m_end) {
        m_keep = m_position;
        (void)refill();
        m_keep = kNoToken;
    }
    return std::string_view(m_buffer.data() + m_position, m_end - m_position).starts_with(two);
}

int JsonStream::nextByte()
{
    if (!m_started) {
        m_started = true;
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        refill();
        if (std::string_view(m_buffer.data(), m_end).starts_with(kByteOrderMark))
            m_position = kByteOrderMark.size();
    }
    for (;;) {
        while (m_position < m_end && isSpace(m_buffer[m_position]))
            ++m_position;
        if (m_position < m_end)
            return static_cast<unsigned char>(m_buffer[m_position]);
        if (!refill())
            return -1;
    }
}

std::string JsonStream::found()
{
    if (nextByte() < 0)
        return "the text ends too early: the file is truncated";
    const std::size_t length = std::min<std::size_t>(m_end - m_position, 20);
    return inQuotes(std::string_view(m_buffer.data() + m_position, length), 20) + " is not JSON here";
}

JsonStream::Kind JsonStream::peek()
{
    if (m_error)
        return Kind::None;
    switch (const int c = nextByte()) {
    case '{':
        return Kind::Object;
    case '[':
        return Kind::Array;
    case '"':
        return Kind::String;
    case 't':
    case 'f':
        return Kind::Bool;
    case 'n':
        return startsWith("nu") ? Kind::Null : Kind::Number;
    default:
        return (c >= '0' && c <= '9') || (c > 0 && std::string_view("+-NIi").find(static_cast<char>(c)) < 5)
                   ? Kind::Number
                   : Kind::None;
    }
}

bool JsonStream::enter(char open, const char* wanted)
{
    if (m_error)
        return false;
    if (nextByte() != open) {
        fail(peek() == Kind::None ? found() : std::string("not ") + wanted);
        return false;
    }
    if (m_open.size() >= m_maxDepth) {
        fail("arrays and objects are nested deeper than " + std::to_string(m_maxDepth) + " levels");
        return false;
    }
    ++m_position;
    m_open.push_back(open);
    m_fresh = true;
    return true;
}

bool JsonStream::enterObject()
{
    return enter('{', "an object");
}

bool JsonStream::enterArray()
{
    return enter('[', "an array");
}

// Before the next member: takes the comma, or the bracket that closes.
bool JsonStream::next(char close)
{
    if (m_error)
        return false;
    int c = nextByte();
    if (m_error)
        return false;
    const bool mayEnd = m_mayBeOpen && m_open.size() == 1 && close == ']' && !m_fresh;
    if (c == ',' && mayEnd) {
        ++m_position;
        c = nextByte();
        m_fresh = c >= 0 && c != close; // the comma is taken
    }
    if (c < 0 && mayEnd && !m_error) {
        m_wasOpen = true;
        m_open.pop_back();
        return false;
    }
    if (c == close) {
        ++m_position;
        m_open.pop_back();
        m_fresh = false;
        return false;
    }
    if (!m_fresh) {
        if (c != ',') {
            fail(c < 0 ? found() : found() + std::string("; a comma or \"") + close + "\" is needed");
            return false;
        }
        ++m_position;
        c = nextByte();
    }
    if (c < 0 || c == ',' || c == close) {
        fail(found());
        return false;
    }
    m_fresh = false;
    return true;
}

bool JsonStream::nextKey(std::string_view& key)
{
    if (!next('}'))
        return false;
    if (nextByte() != '"') {
        fail(found() + "; a member's name is needed");
        return false;
    }
    if (!readString(key, true))
        return false;
    // The colon must not move the name out of the buffer.
    m_keep = key.data() >= m_buffer.data() && key.data() < m_buffer.data() + m_end
                 ? static_cast<std::size_t>(key.data() - m_buffer.data())
                 : kNoToken;
    const std::size_t length = key.size();
    const bool inBuffer = m_keep != kNoToken;
    const int c = nextByte();
    if (inBuffer)
        key = std::string_view(m_buffer.data() + m_keep, length);
    m_keep = kNoToken;
    if (c != ':') {
        fail(c < 0 ? found() : found() + "; a colon is needed");
        return false;
    }
    ++m_position;
    return true;
}

bool JsonStream::nextElement()
{
    return next(']');
}

bool JsonStream::readString(std::string_view& text, bool keep)
{
    ++m_position; // the quote
    m_keep = keep ? m_position : kNoToken;
    bool escaped = false;
    unsigned char bits = 0; // of all bytes: the highest one says that some are not ASCII
    for (;;) {
        while (m_position < m_end && m_buffer[m_position] != '"' && m_buffer[m_position] != '\\')
            bits |= static_cast<unsigned char>(m_buffer[m_position++]);
        if (m_position < m_end && m_buffer[m_position] == '"')
            break;
        const bool backslash = m_position < m_end;
        if (backslash) {
            escaped = true;
            ++m_position;
        }
        if (byteAt() < 0) {
            m_keep = kNoToken;
            fail("the text ends inside a string: the file is truncated");
            return false;
        }
        m_position += backslash;
    }
    const std::string_view raw =
        keep ? std::string_view(m_buffer.data() + m_keep, m_position - m_keep) : std::string_view();
    m_keep = kNoToken;
    ++m_position;
    text = raw;
    if (escaped && keep && !unescape(raw, text))
        return false;
    if (keep && (bits & 0x80) != 0) { // keys that only differ in broken bytes would become the same one when written
        m_scratch = asUtf8(text);
        text = m_scratch;
    }
    return true;
}

bool JsonStream::unescape(std::string_view raw, std::string_view& text)
{
    m_scratch.clear();
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\') {
            m_scratch += raw[i];
            continue;
        }
        const char c = ++i < raw.size() ? raw[i] : '\0';
        if (c == 'u') {
            int code = hexCode(raw, i + 1);
            if (code < 0) {
                fail("a string has a \\u without four hex digits");
                return false;
            }
            i += 4;
            const int low = code >= 0xD800 && code < 0xDC00 && raw.substr(i + 1, 2) == "\\u" ? hexCode(raw, i + 3) : -1;
            if (low >= 0xDC00 && low < 0xE000) {
                i += 6;
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            } else if (code >= 0xD800 && code < 0xE000) {
                code = 0xFFFD; // half of a pair
            }
            appendUtf8(m_scratch, static_cast<char32_t>(code));
        } else {
            static constexpr std::string_view kFrom = "nrtbf";
            static constexpr std::string_view kTo = "\n\r\t\b\f";
            const std::size_t at = c == '\0' ? std::string_view::npos : kFrom.find(c);
            m_scratch += at == std::string_view::npos ? c : kTo[at];
        }
    }
    text = m_scratch;
    return true;
}

// The bytes of a number or a word.
std::string_view JsonStream::takeNumber()
{
    m_keep = m_position;
    for (;;) {
        while (m_position < m_end) {
            if (!isNumberByte(m_buffer[m_position]))
                break;
            ++m_position;
        }
        if (m_position < m_end || !refill())
            break;
    }
    const std::string_view text(m_buffer.data() + m_keep, m_position - m_keep);
    m_keep = kNoToken;
    return text;
}

bool JsonStream::readNumber(Scalar& scalar)
{
    const std::string_view text = takeNumber();
    if (m_error)
        return false;
    scalar.kind = Kind::Number;
    scalar.isInteger = false;
    const char* end = text.data() + text.size();
    const auto integer = std::from_chars(text.data(), end, scalar.integer);
    if (integer.ec == std::errc() && integer.ptr == end) {
        scalar.isInteger = true;
        scalar.isUnsigned = scalar.integer >= 0;
        scalar.natural = static_cast<std::uint64_t>(scalar.integer);
        scalar.number = static_cast<double>(scalar.integer);
        return true;
    }
    scalar.isUnsigned = std::from_chars(text.data(), end, scalar.natural).ptr == end;
    if (const auto bare = nonFiniteWord(text)) {
        scalar.number = *bare;
        return true;
    }
    const bool plain = text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    const auto real = std::from_chars(text.data(), end, scalar.number);
    if (!plain || real.ptr != end || real.ec == std::errc::invalid_argument) {
        fail(inQuotes(text, 40) + " is not a number");
        return false;
    }
    if (real.ec == std::errc::result_out_of_range)
        scalar.number = text[0] == '-' ? -INFINITY : INFINITY;
    return true;
}

bool JsonStream::literal(std::string_view word)
{
    const std::string_view text = takeNumber();
    if (!m_error && text != word)
        fail(inQuotes(text, 40) + " is not JSON");
    return !m_error;
}

bool JsonStream::read(Scalar& scalar)
{
    scalar.kind = peek();
    switch (scalar.kind) {
    case Kind::Object:
    case Kind::Array:
        return skip();
    case Kind::String:
        return readString(scalar.text, true);
    case Kind::Number:
        return readNumber(scalar);
    case Kind::Bool:
        scalar.boolean = m_buffer[m_position] == 't';
        return literal(scalar.boolean ? "true" : "false");
    case Kind::Null:
        return literal("null");
    case Kind::None:
        break;
    }
    if (!m_error)
        fail(found());
    return false;
}

bool JsonStream::skip()
{
    const Kind kind = peek();
    if (kind != Kind::Object && kind != Kind::Array) {
        Scalar scalar;
        if (kind != Kind::String)
            return read(scalar);
        return readString(scalar.text, false);
    }
    const std::size_t outside = m_open.size();
    // Inside something that nobody reads only strings and brackets matter.
    do {
        const int c = nextByte();
        if (c < 0) {
            fail(found());
            return false;
        }
        if (c == '"') {
            std::string_view text;
            if (!readString(text, false))
                return false;
            continue;
        }
        if (c == '{' || c == '[') {
            if (m_open.size() >= m_maxDepth) {
                fail("arrays and objects are nested deeper than " + std::to_string(m_maxDepth) + " levels");
                return false;
            }
            m_open.push_back(static_cast<char>(c));
        } else if (c == '}' || c == ']') {
            if (m_open.back() != (c == '}' ? '{' : '[')) {
                fail(found());
                return false;
            }
            m_open.pop_back();
        }
        ++m_position;
    } while (m_open.size() > outside);
    m_fresh = false;
    return true;
}

bool JsonStream::readDocument(nlohmann::json& out, std::size_t& left, bool& cut)
{
    cut = cut || left == 0;
    if (cut)
        return skip();
    --left;
    const Kind kind = peek();
    if (kind == Kind::Object && enterObject()) {
        out = nlohmann::json::object();
        std::string_view key;
        while (nextKey(key)) {
            if (!readDocument(out[std::string(key)], left, cut))
                return false;
        }
        return ok();
    }
    if (kind == Kind::Array && enterArray()) {
        out = nlohmann::json::array();
        while (nextElement()) {
            out.push_back(nullptr);
            if (!readDocument(out.back(), left, cut))
                return false;
        }
        return ok();
    }
    Scalar scalar;
    if (!read(scalar))
        return false;
    if (scalar.kind == Kind::String)
        out = std::string(scalar.text);
    else if (scalar.kind == Kind::Bool)
        out = scalar.boolean;
    else if (scalar.kind == Kind::Number && scalar.isInteger)
        out = scalar.integer;
    else if (scalar.kind == Kind::Number && std::isfinite(scalar.number))
        out = scalar.number;
    else
        out = nullptr;
    return true;
}

bool JsonStream::readDocument(nlohmann::json& out, std::size_t maxValues)
{
    bool cut = false;
    const bool read = readDocument(out, maxValues, cut);
    if (cut)
        out = nullptr;
    return read;
}

bool JsonStream::finish()
{
    if (m_error)
        return false;
    if (nextByte() >= 0)
        fail("text after the end of the JSON text: " + found());
    else if (m_source.error())
        fail({});
    return ok();
}

} // namespace peakscope
